"""Passes, one file each; importing this package registers them all."""

from davit.compiler.transforms import nn_to_linalg, onnx_to_nn, sequential_to_dispatch

MODULES = (onnx_to_nn, nn_to_linalg, sequential_to_dispatch)
