"""Inputs for a model: those stored beside it, or drawn from its declared types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

SIZES: dict[str, dict[int, int]] = {
    # name of the model -> size for each unnamed or symbolic dimension, by position; pictures want multiples of 32
    "ch_PP-OCRv4_rec_infer": {0: 1, 2: 48, 3: 320},
    "ch_ppocr_mobile_v2.0_cls_infer": {0: 2, 2: 48, 3: 192},
}
NUMPY = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16,
    "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(uint8)": np.uint8, "tensor(bool)": np.bool_,
}  # fmt: skip


def text_picture(seed: int, height: int = 96, width: int = 320) -> np.ndarray:
    """Two lines of made-up glyphs, black on white, as [1, 3, height, width] in [-1, 1]."""
    rng = np.random.default_rng(seed)
    picture = np.ones((height, width), np.float32)
    glyphs = rng.random((12, 7, 5)) < 0.55
    for top in range(16, height - 30, 40):
        for k in range(12):
            glyph = np.kron(glyphs[rng.integers(12)], np.ones((3, 3)))
            picture[top : top + 21, 12 + k * 24 : 27 + k * 24][glyph > 0] = 0
    return np.tile((picture - 0.5) / 0.5, (1, 3, 1, 1)).astype(np.float32)


def speech(session: Any, seed: int) -> dict[str, np.ndarray]:
    """Half a second's worth of windows for the voice detectors: 576 samples at 16 kHz, and a state of zeros."""
    rng = np.random.default_rng(seed)
    sizes = {"input": [1, 576], "state": [2, 1, 128], "h": [1, 1, 128], "c": [1, 1, 128]}
    drawn = {n: rng.standard_normal(s).astype(np.float32) * 0.1 for n, s in sizes.items()}
    drawn["sr"] = np.array(16000, np.int64)
    return {i.name: drawn[i.name] for i in session.get_inputs()}


PICTURES = {
    # A text detector answers noise with 1e-6 everywhere, which is less than ONNX Runtime's own sigmoid is exact to.
    "ch_PP-OCRv4_det_infer": text_picture,
}


def draw(path: Path, session: Any, seed: int) -> dict[str, np.ndarray]:
    """Inputs by name for an ONNX Runtime session of the model at ``path``.

    Seed 0 gives the stored ``<name>.inputs.npz`` where there is one; integers are drawn below 100, so that they are
    valid token ids.
    """
    if path.stem.startswith("silero_vad"):
        return speech(session, seed)
    if path.stem in PICTURES:
        return {session.get_inputs()[0].name: PICTURES[path.stem](seed)}
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
