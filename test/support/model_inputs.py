"""Inputs for a model: those stored beside it, or drawn from its declared types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

SIZES: dict[str, dict[int, int]] = {
    # name of the model -> size for each unnamed or symbolic dimension, by position; pictures want multiples of 32
    "ch_PP-OCRv4_det_infer": {0: 1, 2: 96, 3: 160},
    "ch_PP-OCRv4_rec_infer": {0: 1, 2: 48, 3: 320},
    "ch_ppocr_mobile_v2.0_cls_infer": {0: 2, 2: 48, 3: 192},
}
NUMPY = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16,
    "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(uint8)": np.uint8, "tensor(bool)": np.bool_,
}  # fmt: skip


def draw(path: Path, session: Any, seed: int) -> dict[str, np.ndarray]:
    """Inputs by name for an ONNX Runtime session of the model at ``path``.

    Seed 0 gives the stored ``<name>.inputs.npz`` where there is one; integers are drawn below 100, so that they are
    valid token ids.
    """
    stored = path.with_name(path.stem + ".inputs.npz")
    if stored.exists():
        with np.load(stored) as f:
            inputs = {name: f[name] for name in f.files}
        if seed == 0:
            return inputs
        rng = np.random.default_rng(seed)
        return {name: _like(a, rng) for name, a in inputs.items()}
    rng = np.random.default_rng(seed)
    sizes = SIZES.get(path.stem, {})
    out = {}
    for i in session.get_inputs():
        shape = [d if isinstance(d, int) else sizes.get(k, 2) for k, d in enumerate(i.shape)]
        out[i.name] = _like(np.ones(shape, NUMPY[i.type]), rng)
    return out


def _like(a: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if a.dtype.kind == "f":
        return rng.standard_normal(a.shape).astype(a.dtype)
    if a.dtype.kind == "b":
        return rng.random(a.shape) < 0.5
    if a.size and a.max() <= 1:  # a mask stays one
        return np.ones_like(a)
    return rng.integers(0, 100, a.shape).astype(a.dtype)
