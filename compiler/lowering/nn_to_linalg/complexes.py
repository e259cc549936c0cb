"""Complex numbers and their parts."""

from __future__ import annotations

from davit.compiler.linalg_builder.builder import Array, LinalgBuilder
from davit.compiler.linalg_builder.scalar import Scalar, pair
from davit.compiler.lowering.nn_to_linalg.base import lowers
from davit.dialects.nn import View
from davit.dialects.nn.complexes import part_of
from davit.mlir import complex


def real_part(x: Scalar) -> Scalar:
    return Scalar(complex.re(x.value), part_of(x.dtype))


def imag_part(x: Scalar) -> Scalar:
    return Scalar(complex.im(x.value), part_of(x.dtype))


@lowers("real")
def real(op: View, b: LinalgBuilder) -> Array:
    return b.map(real_part, op.x, dt=op.result.dtype, shape=op.result.shape)


@lowers("imag")
def imag(op: View, b: LinalgBuilder) -> Array:
    return b.map(imag_part, op.x, dt=op.result.dtype, shape=op.result.shape)


@lowers("complex")
def complex_(op: View, b: LinalgBuilder) -> Array:
    return b.map(pair, op.re, op.im, dt=op.result.dtype, shape=op.result.shape)
