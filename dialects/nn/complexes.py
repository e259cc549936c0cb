"""Complex numbers and their parts."""

from __future__ import annotations

import numpy as np

from davit.dialects import dims
from davit.dialects.dims import InferError
from davit.dialects.nn.base import define
from davit.dialects.types import DType, Tensor, dtype


def part_of(dt: DType) -> DType:
    """The type of a complex type's parts."""
    return dtype("f32" if dt.bits == 64 else "f64")


def whole_of(dt: DType) -> DType:
    """The complex type whose parts have a float type."""
    return dtype("complex<f32>" if dt.bits == 32 else "complex<f64>")


def _infer_part(x: Tensor) -> Tensor:
    if x.dtype.kind != "complex":
        raise InferError(f"takes complex numbers, got {x.dtype}")
    return Tensor(part_of(x.dtype), x.shape)


@define("real", "x")
class Real:
    """Real part of each element."""

    infer = staticmethod(_infer_part)

    @staticmethod
    def reference(x: np.ndarray) -> np.ndarray:
        return np.real(x).copy()


@define("imag", "x")
class Imag:
    """Imaginary part of each element."""

    infer = staticmethod(_infer_part)

    @staticmethod
    def reference(x: np.ndarray) -> np.ndarray:
        return np.imag(x).copy()


@define("complex", "re im")
class Complex:
    """Complex numbers from their parts, which broadcast."""

    @staticmethod
    def infer(re: Tensor, im: Tensor) -> Tensor:
        if re.dtype != im.dtype or re.dtype.name not in ("f32", "f64"):
            raise InferError(f"parts must both be f32 or both f64, got {re.dtype} and {im.dtype}")
        return Tensor(whole_of(re.dtype), dims.broadcast(re.shape, im.shape))

    @staticmethod
    def reference(re: np.ndarray, im: np.ndarray) -> np.ndarray:
        out = np.empty(np.broadcast_shapes(re.shape, im.shape), whole_of(dtype(re.dtype)).numpy)
        out.real, out.imag = re, im
        return out
