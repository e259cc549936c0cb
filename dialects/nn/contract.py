"""Contractions: matrix products and convolution, accumulated in a stated type."""

from __future__ import annotations

import numpy as np

from davit.dialects import dims
from davit.dialects.dims import InferError, show, window_out
from davit.dialects.nn.base import define
from davit.dialects.types import DType, Tensor, compatible_dim


def accumulator(dt: DType) -> str:
    """The type sums are kept in: f32 for 16-bit floats, the type itself otherwise."""
    return "f32" if dt.is_float and dt.bits == 16 else dt.name


@define("matmul", "a b", {"out": DType})
class MatMul:
    """numpy.matmul: the last two dimensions multiply, the others broadcast; 1-D operands lose their dimension.

    Integers are widened to ``out`` before they are multiplied.
    """

    @staticmethod
    def infer(a: Tensor, b: Tensor, *, out: DType) -> Tensor:
        if a.rank == 0 or b.rank == 0:
            raise InferError("operands must have at least one dimension")
        if a.dtype != b.dtype and not (a.dtype.is_int and b.dtype.is_int):
            raise InferError(f"operands must have one element type, got {a.dtype} and {b.dtype}")
        left = a.shape if a.rank > 1 else (1, *a.shape)
        right = b.shape if b.rank > 1 else (*b.shape, 1)
        if not compatible_dim(left[-1], right[-2]):
            raise InferError(f"inner sizes of {show(a.shape)} and {show(b.shape)} differ")
        shape = [*dims.broadcast(left[:-2], right[:-2]), left[-2], right[-1]]
        if a.rank == 1:
            del shape[-2]
        if b.rank == 1:
            del shape[-1]
        return Tensor(out, tuple(shape))

    @staticmethod
    def reference(a: np.ndarray, b: np.ndarray, *, out: DType) -> np.ndarray:
        wide = np.float32 if out.is_float and out.bits == 16 else out.numpy
        return np.asarray(np.matmul(a.astype(wide), b.astype(wide))).astype(out.numpy)


@define(
    "conv",
    "x w",
    {"strides": "ints", "dilations": "ints", "low": "ints", "high": "ints", "groups": int, "out": DType},
)
class Conv:
    """Cross-correlation. ``x`` is [N, C, spatial...], ``w`` is [M, C/groups, kernel...], any number of dimensions.

    ``low`` and ``high`` are zero padding before and after each spatial dimension (may be negative: cropping).
    """

    @staticmethod
    def infer(x: Tensor, w: Tensor, *, strides, dilations, low, high, groups: int, out: DType) -> Tensor:
        n = x.rank - 2
        if n < 0 or w.rank != x.rank:
            raise InferError(f"x {show(x.shape)} and w {show(w.shape)} must have equal rank of at least 2")
        if any(len(v) != n for v in (strides, dilations, low, high)):
            raise InferError(f"needs {n} strides, dilations and padding amounts")
        if min((*strides, *dilations, groups, 1)) < 1:
            raise InferError("strides, dilations and groups must be positive")
        if not compatible_dim(dims.mul(w.shape[1], groups), x.shape[1]):
            raise InferError(f"{x.shape[1]} input channels, but {groups} groups of {w.shape[1]} in w {show(w.shape)}")
        if isinstance(w.shape[0], int) and w.shape[0] % groups:
            raise InferError(f"{w.shape[0]} output channels are no multiple of {groups} groups")
        spatial = []
        for i in range(n):
            k = w.shape[i + 2]
            if not isinstance(k, int):
                spatial.append(None)
                continue
            size = window_out(x.shape[i + 2], k, strides[i], dilations[i], low[i] + high[i])
            if isinstance(size, int) and (size < 0 or (size == 0 and x.shape[i + 2] != 0)):
                raise InferError(f"kernel {show(w.shape[2:])} is larger than the padded input {show(x.shape[2:])}")
            spatial.append(size)
        return Tensor(out, (x.shape[0], w.shape[0], *spatial))

    @staticmethod
    def reference(x: np.ndarray, w: np.ndarray, *, strides, dilations, low, high, groups, out: DType) -> np.ndarray:
        wide = np.float32 if out.is_float and out.bits == 16 else out.numpy
        x, w = x.astype(wide), w.astype(wide)
        n = x.ndim - 2
        crop = tuple(slice(max(-a, 0), d - max(-b, 0)) for d, a, b in zip(x.shape[2:], low, high, strict=True))
        x = x[(slice(None), slice(None), *crop)]
        x = np.pad(x, [(0, 0), (0, 0), *((max(a, 0), max(b, 0)) for a, b in zip(low, high, strict=True))])
        span = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilations, strict=True)]
        view = np.lib.stride_tricks.sliding_window_view(x, span, tuple(range(2, n + 2))) if n else x
        view = view[(slice(None), slice(None), *(slice(None, None, s) for s in strides))]
        view = view[(..., *(slice(None, None, d) for d in dilations))] if n else view
        batch, channels = x.shape[:2]
        view = view.reshape(batch, groups, channels // groups, *view.shape[2:])
        w = w.reshape(groups, w.shape[0] // groups, *w.shape[1:])
        letters = "uvwxyz"[:n]
        kernel = "hijklo"[:n]
        made = np.einsum(f"ngc{letters}{kernel},gmc{kernel}->ngm{letters}", view, w, optimize=True)
        return made.reshape(batch, -1, *made.shape[3:]).astype(out.numpy)


@define("det", "x")
class Det:
    """Determinants of square matrices: [N, M, M] to [N], by elimination with pivots in f64."""

    @staticmethod
    def infer(x: Tensor) -> Tensor:
        if x.rank != 3 or not compatible_dim(x.shape[1], x.shape[2]) or not x.dtype.is_float:
            raise InferError(f"takes floats [N, M, M], got {x}")
        return Tensor(x.dtype, (x.shape[0],))

    @staticmethod
    def reference(x: np.ndarray) -> np.ndarray:
        return np.linalg.det(x.astype(np.float64)).astype(x.dtype)
