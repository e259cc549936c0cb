"""Reductions along axes, and what is built on them."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from davit.dialects.dims import InferError, axes_of, axis_of, product
from davit.dialects.nn.base import define
from davit.dialects.types import Tensor, dtype

KINDS = ("sum", "prod", "max", "min", "and", "or")


def _identity(kind: str, dt: np.dtype) -> object:
    """What a reduction over nothing gives."""
    if kind in ("sum", "prod"):
        return 0 if kind == "sum" else 1
    if kind in ("and", "or"):
        return kind == "and"
    low = kind == "max"
    if dt.kind == "b":
        return not low
    if dt.kind in "iu":
        info = np.iinfo(dt)
        return info.min if low else info.max
    return -np.inf if low else np.inf


@define("reduce", "x", {"kind": KINDS, "axes": "ints", "keepdims": bool})
class Reduce:
    """Combine all elements along ``axes``. Sums and products of 16-bit floats are kept in f32 and rounded once.

    NaN wins in max and min; a reduction over nothing gives the identity (0, 1, -inf, inf, or the integer extremes).
    """

    @staticmethod
    def infer(x: Tensor, *, kind: str, axes: tuple[int, ...], keepdims: bool) -> Tensor:
        axes = axes_of(axes, x.rank)
        if kind in ("and", "or") and x.dtype.kind != "bool":
            raise InferError(f"kind {kind} takes i1, got {x.dtype}")
        if keepdims:
            shape = tuple(1 if i in axes else d for i, d in enumerate(x.shape))
        else:
            shape = tuple(d for i, d in enumerate(x.shape) if i not in axes)
        value = None
        if kind == "prod" and x.rank == 1 and axes and x.value is not None:
            value = (product(x.value),)
        return Tensor(x.dtype, shape, value)

    @staticmethod
    def reference(x: np.ndarray, *, kind: str, axes: tuple[int, ...], keepdims: bool) -> np.ndarray:
        fn = {
            "sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum,
            "and": np.logical_and, "or": np.logical_or,
        }[kind]  # fmt: skip
        half = x.dtype in (np.float16, ml_dtypes.bfloat16)
        wide = x.astype(np.float32) if half else x
        out = fn.reduce(wide, axis=axes, keepdims=keepdims, initial=_identity(kind, wide.dtype))
        return np.asarray(out).astype(x.dtype)


@define("reduce_where", "x mask", {"kind": KINDS})
class ReduceWhere:
    """``nn.reduce`` over the dimensions where the 1-D i64 ``mask`` is not 0; every dimension is kept."""

    @staticmethod
    def infer(x: Tensor, mask: Tensor, *, kind: str) -> Tensor:
        if mask.dtype.name != "i64" or mask.shape != (x.rank,):
            raise InferError(f"mask must be {x.rank}xi64, got {mask}")
        if kind in ("and", "or") and x.dtype.kind != "bool":
            raise InferError(f"kind {kind} takes i1, got {x.dtype}")
        known = mask.value if mask.value is not None else (None,) * x.rank
        pairs = zip(x.shape, known, strict=True)
        return Tensor(x.dtype, tuple(d if m == 0 or d == 1 else 1 if isinstance(m, int) else None for d, m in pairs))

    @staticmethod
    def reference(x: np.ndarray, mask: np.ndarray, *, kind: str) -> np.ndarray:
        axes = tuple(i for i, m in enumerate(mask.tolist()) if m)
        return Reduce.reference(x, kind=kind, axes=axes, keepdims=True)


@define("arg_reduce", "x", {"kind": ("max", "min"), "axis": int, "keepdims": bool, "last": bool})
class ArgReduce:
    """Index (i64) of the largest or smallest element along an axis: the first of equals, or the ``last``.

    NaN counts as the extreme.
    """

    @staticmethod
    def infer(x: Tensor, *, kind: str, axis: int, keepdims: bool, last: bool) -> Tensor:
        axis = axis_of(axis, x.rank)
        mid = (1,) if keepdims else ()
        return Tensor(dtype("i64"), (*x.shape[:axis], *mid, *x.shape[axis + 1 :]))

    @staticmethod
    def reference(x: np.ndarray, *, kind: str, axis: int, keepdims: bool, last: bool) -> np.ndarray:
        fn = np.argmax if kind == "max" else np.argmin
        wide = x.astype(np.float32) if x.dtype == ml_dtypes.bfloat16 else x
        if last:
            out = x.shape[axis] - 1 - fn(np.flip(wide, axis), axis=axis)
        else:
            out = fn(wide, axis=axis)
        return np.expand_dims(out, axis).astype(np.int64) if keepdims else np.asarray(out, np.int64)


@define("softmax", "x", {"axis": int, "log": bool})
class Softmax:
    """exp(x - max) / sum(exp(x - max)) along an axis, or its logarithm; computed in f32 for 16-bit floats."""

    @staticmethod
    def infer(x: Tensor, *, axis: int, log: bool) -> Tensor:
        axis_of(axis, x.rank)
        if not x.dtype.is_float:
            raise InferError(f"takes floats, got {x.dtype}")
        return Tensor(x.dtype, x.shape)

    @staticmethod
    def reference(x: np.ndarray, *, axis: int, log: bool) -> np.ndarray:
        wide = x.astype(np.float32) if x.dtype.itemsize == 2 else x
        shifted = wide - np.max(wide, axis=axis, keepdims=True, initial=-np.inf)
        e = np.exp(shifted)
        total = np.sum(e, axis=axis, keepdims=True)
        return (shifted - np.log(total) if log else e / total).astype(x.dtype)
