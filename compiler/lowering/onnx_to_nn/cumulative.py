"""CumSum and CumProd; matrices that are made of indices: EyeLike and Trilu."""

from __future__ import annotations

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.elementwise import element
from davit.compiler.nn_builder import NnBuilder
from davit.mlir import ir


def _cumulative(op: Node, b: NnBuilder, kind: str) -> ir.Value:
    """The axis is a scalar, or a vector of one element, that may be computed at run time."""
    axis = op.axis
    if b.rank(axis) != 0:
        axis = b.reshape_to(axis, [])
    return b.cumulative(op.x, axis, kind=kind, exclusive=bool(op.attr.exclusive), reverse=bool(op.attr.reverse))


@lowers("cumsum")
def cumsum(op: Node, b: NnBuilder) -> ir.Value:
    return _cumulative(op, b, "sum")


@lowers("cumprod")
def cumprod(op: Node, b: NnBuilder) -> ir.Value:
    return _cumulative(op, b, "prod")


def _grid(b: NnBuilder, x: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Row and column numbers (i64) of the last two dimensions, to be broadcast against each other."""
    rank, shape = b.rank(x), b.shape_of(x)
    rows, columns = (b.iota(b.take(shape, rank - i), axis=0, dtype=b.dtype(shape)) for i in (2, 1))
    return b.unsqueeze(rows, [1]), b.unsqueeze(columns, [0])


@lowers("eyelike")
def eye_like(op: Node, b: NnBuilder) -> ir.Value:
    """Ones on the ``k``-th diagonal of a matrix with the shape of the input."""
    x = op.input
    if b.rank(x) != 2:
        raise LoweringError(f"its input must be a matrix, but has {b.rank(x)} dimensions")
    rows, columns = _grid(b, x)
    dt = b.dtype(x) if op.attr.dtype is None else element(op.attr.dtype)
    return b.cast_to(b.eq(b.add(rows, op.attr.k), columns), dt)


@lowers("trilu")
def trilu(op: Node, b: NnBuilder) -> ir.Value:
    """The upper or lower triangle of each matrix, counted from the ``k``-th diagonal; zeros elsewhere."""
    x = op.input
    if b.rank(x) < 2:
        raise LoweringError(f"its input must have at least two dimensions, but has {b.rank(x)}")
    rows, columns = _grid(b, x)
    if op.k is not None:
        k = op.k if b.rank(op.k) == 0 else b.reshape_to(op.k, [])
        rows = b.add(rows, k)
    keep = b.ge(columns, rows) if op.attr.upper else b.le(columns, rows)
    return b.select(keep, x, b.constant(np.zeros((), b.dtype(x).numpy)))
