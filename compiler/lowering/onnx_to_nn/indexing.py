"""Gather*, Scatter*, OneHot, NonZero, Compress, TensorScatter."""

from __future__ import annotations

from davit.compiler.lowering.onnx_to_nn.base import Node, lowers
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.dims import axis_of


@lowers("gather")
def gather(op: Node, b: NnBuilder):
    return b.gather(op.data, op.indices, axis=axis_of(op.attr.axis, b.rank(op.data)))


@lowers("gatherelements")
def gather_elements(op: Node, b: NnBuilder):
    return b.gather_elements(op.data, op.indices, axis=axis_of(op.attr.axis, b.rank(op.data)))


@lowers("gathernd")
def gather_nd(op: Node, b: NnBuilder):
    return b.gather_nd(op.data, op.indices, batch_dims=op.attr.batch_dims)


@lowers("scatterelements")
def scatter_elements(op: Node, b: NnBuilder):
    axis = axis_of(op.attr.axis, b.rank(op.data))
    return b.scatter_elements(op.data, op.indices, op.updates, axis=axis, reduction=op.attr.reduction)


@lowers("scatternd")
def scatter_nd(op: Node, b: NnBuilder):
    return b.scatter_nd(op.data, op.indices, op.updates, reduction=op.attr.reduction)
