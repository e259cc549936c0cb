"""What a builder works on: tensor values with their davit type, and sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from davit.compiler.linalg_builder.scalar import Scalar
from davit.dialects.types import Dim, DType, Tensor
from davit.mlir import ir

Size = int | Scalar
"""A dimension in generated code: a number, or an index computed at run time."""


class Array:
    """A tensor value at the linalg level with its davit type; ``t.shape`` keeps symbolic names."""

    __slots__ = ("t", "value")

    def __init__(self, value: ir.Value, t: Tensor) -> None:
        self.value = value
        self.t = t

    @property
    def dtype(self) -> DType:
        return self.t.dtype

    @property
    def rank(self) -> int:
        return self.t.rank

    @property
    def shape(self) -> tuple[Dim, ...]:
        return self.t.shape


class Flat(Array):
    """A tensor inside :meth:`LinalgBuilder.sequential`: rank and shape of ``t``, stored row-major in one line."""

    __slots__ = ("sizes",)

    def __init__(self, value: ir.Value, t: Tensor, sizes: Sequence[Size]) -> None:
        super().__init__(value, t)
        self.sizes = list(sizes)


def one(result: Any) -> ir.Value:
    """The single result of a named linalg op, whichever way the bindings hand it out."""
    if isinstance(result, ir.Value):
        return result
    if isinstance(result, (ir.OpView, ir.Operation)):
        result = result.operation.results
    return result[0] if not isinstance(result[0], ir.OpResultList) else result[0][0]
