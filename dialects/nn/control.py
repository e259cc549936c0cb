"""What control flow needs beside ``scf``."""

from __future__ import annotations

import numpy as np

from davit.dialects.dims import InferError
from davit.dialects.nn.base import define
from davit.dialects.types import Tensor


@define("opaque", "x", foldable=False)
class Opaque:
    """A 1-D i64 tensor whose elements no optimizer may take for known.

    Sizes that a loop changes begin with one: IREE 3.13 takes a size of 0 before a loop for the size after it.
    """

    @staticmethod
    def infer(x: Tensor) -> Tensor:
        if x.dtype.name != "i64" or x.rank != 1 or not x.is_static:
            raise InferError(f"takes a 1-D i64 tensor of static length, got {x}")
        return Tensor(x.dtype, x.shape)

    @staticmethod
    def reference(x: np.ndarray) -> np.ndarray:
        return x
