"""Running sums and their like."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from davit.dialects.dims import InferError, axis_of
from davit.dialects.nn.base import define
from davit.dialects.nn.reduce import _identity
from davit.dialects.types import Tensor

KINDS = ("sum", "prod", "max", "min")


@define("cumulative", "x axis", {"kind": KINDS, "exclusive": bool, "reverse": bool})
class Cumulative:
    """Each element combined with all before it along ``axis``, a rank-0 integer tensor (may be negative).

    ``exclusive`` leaves the element itself out (the first is the identity), ``reverse`` runs from the end. 16-bit
    floats are accumulated in f32 and rounded once.
    """

    @staticmethod
    def infer(x: Tensor, axis: Tensor, *, kind: str, exclusive: bool = False, reverse: bool = False) -> Tensor:
        if axis.rank != 0 or not axis.dtype.is_int:
            raise InferError(f"the axis must be an integer scalar, got {axis}")
        if x.rank == 0:
            raise InferError("takes tensors of at least one dimension")
        if x.dtype.kind == "bool" or x.dtype.kind == "complex":
            raise InferError(f"is not defined on {x.dtype}")
        if axis.value is not None and isinstance(axis.value[0], int):
            axis_of(axis.value[0], x.rank)
        return Tensor(x.dtype, x.shape)

    @staticmethod
    def reference(x: np.ndarray, axis: np.ndarray, *, kind: str, exclusive: bool, reverse: bool) -> np.ndarray:
        fn = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}[kind]
        k = int(axis)
        wide = x.astype(np.float32) if x.dtype in (np.float16, ml_dtypes.bfloat16) else x
        line = np.flip(wide, k) if reverse else wide
        if exclusive:
            shape = list(line.shape)
            shape[k] = min(shape[k], 1)
            first = np.full(shape, _identity(kind, line.dtype), line.dtype)
            line = np.concatenate([first, np.take(line, range(max(line.shape[k] - 1, 0)), k)], k)
        out = fn.accumulate(line, k, dtype=line.dtype) if line.size else line
        return (np.flip(out, k) if reverse else out).astype(x.dtype)
