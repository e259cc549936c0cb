"""Inputs for a program from files, or drawn at random."""

from __future__ import annotations

import os
import zipfile

import ml_dtypes
import numpy as np

import davit
from davit.runtime import Signature, TensorSpec


def read_inputs(files: tuple[str, ...], signature: Signature) -> dict[str, np.ndarray]:
    """Arrays by input name from ``NAME=FILE.npy``, ``FILE.npz`` (names inside) and ``FILE.npy`` (in input order).

    Raises:
        davit.Error: a file cannot be read, or there are more files than inputs.
    """
    arrays: dict[str, np.ndarray] = {}
    unnamed = [s.name for s in signature.inputs]
    for item in files:
        name, equals, path = item.partition("=")
        if not equals or os.path.exists(item):
            name, path = "", item
        loaded = _load(path)
        if isinstance(loaded, dict):
            arrays.update(loaded)
            continue
        if not name:
            unnamed = [n for n in unnamed if n not in arrays]
            if not unnamed:
                raise davit.Error(f"{path}: the program has no input left for it; it takes {len(signature.inputs)}")
            name = unnamed.pop(0)
        arrays[name] = loaded
    return arrays


def _load(path: str) -> np.ndarray | dict[str, np.ndarray]:
    try:
        loaded = np.load(path, allow_pickle=False)
        return {k: loaded[k] for k in loaded.files} if isinstance(loaded, np.lib.npyio.NpzFile) else loaded
    except OSError as e:
        raise davit.Error(f"{path}: cannot be read: {e.strerror or e}") from None
    except (ValueError, EOFError, zipfile.BadZipFile) as e:
        raise davit.Error(f"{path}: is neither .npy nor .npz: {e}") from None


def random_inputs(signature: Signature, sizes: dict[str, int], seed: int, default: int = 2) -> dict[str, np.ndarray]:
    """Standard normal floats, integers in [0, 10), fair booleans.

    Args:
        sizes: of symbolic dimensions, by name; those that it lacks, and unnamed ones, take ``default``.
    """
    rng = np.random.default_rng(seed)
    return {s.name: _random(s, sizes, rng, default) for s in signature.inputs}


def _random(spec: TensorSpec, sizes: dict[str, int], rng: np.random.Generator, default: int) -> np.ndarray:
    shape = [d if isinstance(d, int) else sizes.get(d or "", default) for d in spec.shape]
    dt = np.dtype(getattr(ml_dtypes, spec.dtype, None) or spec.dtype)
    if dt.kind == "b":
        return rng.random(shape) < 0.5
    if dt.kind in "iu":
        return rng.integers(0, 10, shape).astype(dt)
    if spec.dtype in ("int4", "uint4", "int2", "uint2"):
        return rng.integers(0, 2, shape).astype(dt)
    values = rng.standard_normal(shape)
    return (values + 1j * rng.standard_normal(shape)).astype(dt) if dt.kind == "c" else np.asarray(values).astype(dt)
