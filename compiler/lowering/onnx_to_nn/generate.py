"""Tensors made from little: Constant, ConstantOfShape, Range, OneHot."""

from __future__ import annotations

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import Node, lowers
from davit.compiler.lowering.onnx_to_nn.structure import join, vector
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.types import DType
from davit.mlir import ir


@lowers("constant")
def constant(op: Node, b: NnBuilder):
    """The importer has turned every form of Constant and every initializer into ``value``: the bytes are shared."""
    attr = op.ir.attributes["value"]
    return ir.Operation.create("nn.constant", results=[op.ir.results[0].type], attributes={"value": attr}).result


@lowers("constantofshape")
def constant_of_shape(op: Node, b: NnBuilder):
    """ConstantOfShape-25: one value everywhere, float32 zero by default."""
    value = np.zeros((), np.float32) if op.attr.value is None else np.asarray(op.attr.value).reshape(())
    shape = vector(b, op.input, op.result.rank if op.result else None, "input")
    return b.broadcast_to(b.constant(value), shape)


@lowers("range")
def range_(op: Node, b: NnBuilder):
    """Range-27: ``start + i * delta`` for ``max(ceil((limit - start) / delta), 0)`` elements.

    16-bit floats are computed in f32.
    """
    out = b.dtype(op.start)
    wide: DType | str = "f32" if out.is_float and out.bits == 16 else out if out.is_float else "i64"
    start, limit, delta = (b.reshape_to(b.cast_to(v, wide), (1,)) for v in (op.start, op.limit, op.delta))
    span = b.sub(limit, start)
    if out.is_float:
        steps = b.cast_to(b.ceil(b.div(span, delta)), "i64")
    else:
        steps = b.div(b.sub(b.add(span, delta), b.sign(delta)), delta)
    index = b.iota(b.maximum(steps, 0), axis=0, dtype=b.dtype(start))
    return b.cast_to(b.add(b.mul(index, delta), start), out)


@lowers("onehot")
def one_hot(op: Node, b: NnBuilder):
    """OneHot-28: indices in [-depth, depth) are on, all others leave their line off."""
    rank = b.rank(op.indices) + 1
    axis = op.attr.axis % rank
    depth = b.reshape_to(b.cast_to(op.depth, "i64"), (1,))
    indices = b.cast_to(op.indices, "i64")
    indices = b.select(b.lt(indices, 0), b.add(indices, depth), indices)
    line = b.iota(join(b, [1] * axis + [depth] + [1] * (rank - 1 - axis)), axis=axis, dtype=b.dtype(indices))
    hit = b.eq(b.unsqueeze(indices, (axis,)), line)
    off, on = (b.reshape_to(b.take(op.values, i), (1,) * rank) for i in (0, 1))
    return b.select(hit, on, off)
