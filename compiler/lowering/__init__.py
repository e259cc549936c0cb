"""Lowerings between levels; one package per step, one file per op family."""
