"""What control flow needs beside ``scf``."""

from __future__ import annotations

from davit.compiler.linalg_builder.builder import Array, LinalgBuilder
from davit.compiler.linalg_builder.scalar import Scalar
from davit.compiler.lowering.nn_to_linalg.base import lowers
from davit.dialects.nn import View
from davit.mlir import ir


@lowers("opaque")
def opaque(op: View, b: LinalgBuilder) -> Array:
    def hide(s: Scalar) -> Scalar:
        made = ir.Operation.create("kernel.opaque", results=[s.value.type], operands=[s.value])
        return Scalar(made.result, s.dtype)

    return b.from_scalars([hide(s) for s in b.scalars(op.x)])
