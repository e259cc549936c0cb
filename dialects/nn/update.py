"""Writing into a tensor."""

from __future__ import annotations

import numpy as np

from davit.dialects.dims import InferError, show
from davit.dialects.nn.base import define
from davit.dialects.types import Tensor


@define("update_slice", "x part starts")
class UpdateSlice:
    """``x`` with the box that begins at the 1-D i64 ``starts`` replaced by ``part``.

    Starts are clamped so that the box lies inside ``x`` (StableHLO's dynamic_update_slice).
    """

    @staticmethod
    def infer(x: Tensor, part: Tensor, starts: Tensor) -> Tensor:
        if part.dtype != x.dtype or part.rank != x.rank:
            raise InferError(f"cannot write {part} into {x}: element types and ranks must be equal")
        if starts.dtype.name != "i64" or starts.shape != (x.rank,):
            raise InferError(f"starts must be {x.rank}xi64, got {starts}")
        if any(isinstance(d, int) and isinstance(e, int) and e > d for d, e in zip(x.shape, part.shape, strict=True)):
            raise InferError(f"a part of {show(part.shape)} does not fit into {show(x.shape)}")
        return Tensor(x.dtype, x.shape)

    @staticmethod
    def reference(x: np.ndarray, part: np.ndarray, starts: np.ndarray) -> np.ndarray:
        out = x.copy()
        box = tuple(
            slice(at := int(np.clip(s, 0, d - e)), at + e) for s, d, e in zip(starts, x.shape, part.shape, strict=True)
        )
        out[box] = part
        return out
