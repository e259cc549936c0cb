"""Reductions over sliding windows."""

from __future__ import annotations

import numpy as np

from davit.dialects.dims import InferError, show, window_out
from davit.dialects.nn.base import define
from davit.dialects.nn.reduce import _identity
from davit.dialects.types import Dim, Tensor, dtype

WINDOW = {"kernel": "ints", "strides": "ints", "dilations": "ints", "low": "ints", "high": "ints"}


def _spatial(x: Tensor, kernel, strides, dilations, low, high) -> tuple[Dim, ...]:
    n = x.rank - 2
    if n < 1 or any(len(v) != n for v in (kernel, strides, dilations, low, high)):
        raise InferError(f"needs an input [N, C, spatial...] and as many window sizes as spatial dimensions, got {x}")
    if min((*kernel, *strides, *dilations)) < 1:
        raise InferError("kernel, strides and dilations must be positive")
    sizes = [
        window_out(d, k, s, e, lo + hi)
        for d, k, s, e, lo, hi in zip(x.shape[2:], kernel, strides, dilations, low, high, strict=True)
    ]
    if any(isinstance(d, int) and d < 0 for d in sizes):
        raise InferError(f"the window {list(kernel)} is larger than the padded input {show(x.shape[2:])}")
    return tuple(sizes)


def _windows(x: np.ndarray, fill, kernel, strides, dilations, low, high) -> np.ndarray:
    """[N, C, out..., kernel...]"""
    n = x.ndim - 2
    crop = tuple(slice(max(-a, 0), d - max(-b, 0)) for d, a, b in zip(x.shape[2:], low, high, strict=True))
    x = x[(slice(None), slice(None), *crop)]
    amounts = [(0, 0), (0, 0), *((max(a, 0), max(b, 0)) for a, b in zip(low, high, strict=True))]
    padded = np.full([d + a + b for d, (a, b) in zip(x.shape, amounts, strict=True)], fill, x.dtype)
    padded[tuple(slice(a, a + d) for d, (a, _) in zip(x.shape, amounts, strict=True))] = x
    span = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    view = np.lib.stride_tricks.sliding_window_view(padded, span, tuple(range(2, n + 2)))
    view = view[(slice(None), slice(None), *(slice(None, None, s) for s in strides))]
    return view[(..., *(slice(None, None, d) for d in dilations))]


@define("pool", "x", {"kind": ("sum", "max"), **WINDOW})
class Pool:
    """Sum or largest element of each window over the spatial dimensions of ``x`` [N, C, spatial...].

    ``low`` and ``high`` pad with the reduction's identity (negative: cropping). Sums of 16-bit floats are kept in
    f32; NaN wins in max.
    """

    @staticmethod
    def infer(x: Tensor, *, kind: str, kernel, strides, dilations, low, high) -> Tensor:
        return Tensor(x.dtype, (*x.shape[:2], *_spatial(x, kernel, strides, dilations, low, high)))

    @staticmethod
    def reference(x: np.ndarray, *, kind: str, kernel, strides, dilations, low, high) -> np.ndarray:
        wide = x.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else x
        view = _windows(wide, _identity(kind, wide.dtype), kernel, strides, dilations, low, high)
        axes = tuple(range(x.ndim, view.ndim))
        out = view.max(axes) if kind == "max" else view.sum(axes, dtype=view.dtype)
        return np.asarray(out).astype(x.dtype)


@define("pool_index", "x", WINDOW)
class PoolIndex:
    """Where the largest element of each window is: its row-major i64 position among the spatial dimensions.

    The first of equals; a window of padding alone gives 0.
    """

    @staticmethod
    def infer(x: Tensor, *, kernel, strides, dilations, low, high) -> Tensor:
        return Tensor(dtype("i64"), (*x.shape[:2], *_spatial(x, kernel, strides, dilations, low, high)))

    @staticmethod
    def reference(x: np.ndarray, *, kernel, strides, dilations, low, high) -> np.ndarray:
        places = np.broadcast_to(np.arange(np.prod(x.shape[2:])).reshape(x.shape[2:]), x.shape)
        window = (kernel, strides, dilations, low, high)
        index = _windows(places, -1, *window)
        values = _windows(x, _identity("max", x.dtype), *window)
        lead = values.shape[: x.ndim]
        index, values = index.reshape(*lead, -1), values.reshape(*lead, -1)
        wide = values.astype(np.float64) if values.dtype.kind not in "iu" else values
        masked = np.where(index < 0, wide.min() if wide.size else 0, wide)
        # the first of equals that is no padding
        best = np.argmax(np.where(index < 0, False, masked == masked.max(-1, keepdims=True)), -1)
        picked = np.take_along_axis(index, best[..., None], -1)[..., 0]
        return np.maximum(picked, 0).astype(np.int64)
