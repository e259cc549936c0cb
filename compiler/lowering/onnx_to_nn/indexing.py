"""Gather*, Scatter*, TensorScatter, NonZero, Compress, Unique."""

from __future__ import annotations

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.dims import axis_of
from davit.dialects.types import DTYPES, Tensor
from davit.mlir import ir


@lowers("gather")
def gather(op: Node, b: NnBuilder):
    return b.gather(op.data, op.indices, axis=axis_of(op.attr.axis, b.rank(op.data)))


@lowers("gatherelements")
def gather_elements(op: Node, b: NnBuilder):
    return b.gather_elements(op.data, op.indices, axis=axis_of(op.attr.axis, b.rank(op.data)))


@lowers("gathernd")
def gather_nd(op: Node, b: NnBuilder):
    """GatherND-13. How many dimensions an index names may follow from the declared rank of the result."""
    x, indices, lead = op.data, op.indices, op.attr.batch_dims
    if op.result is not None:  # places..., rest of data: depth is what neither accounts for
        indices = _with_depth(b, indices, b.rank(indices) - 1 + b.rank(x) - lead - op.result.rank)
    return b.gather_nd(x, indices, batch_dims=lead)


def _with_depth(b: NnBuilder, indices: ir.Value, depth: int) -> ir.Value:
    """The last dimension of the indices made known where it is not."""
    shape = b.shape(indices)
    if not shape or isinstance(shape[-1], int):
        return indices
    return b.op("refine", indices, result=Tensor(b.dtype(indices), (*shape[:-1], depth)))


@lowers("scatterelements")
def scatter_elements(op: Node, b: NnBuilder):
    axis = axis_of(op.attr.axis, b.rank(op.data))
    return b.scatter_elements(op.data, op.indices, op.updates, axis=axis, reduction=op.attr.reduction)


@lowers("scatternd")
def scatter_nd(op: Node, b: NnBuilder):
    """ScatterND-18. How many dimensions an index names may follow from the rank of the updates."""
    indices = _with_depth(b, op.indices, b.rank(op.indices) - 1 + b.rank(op.data) - b.rank(op.updates))
    return b.scatter_nd(op.data, indices, op.updates, reduction=op.attr.reduction)


@lowers("tensorscatter")
def tensor_scatter(op: Node, b: NnBuilder):
    """TensorScatter-24: a cache with ``update`` written from ``write_indices[batch]`` on along ``axis``.

    Every place of the cache asks which step of the update it gets; ``circular`` counts modulo the cache's length.
    """
    past, update, rank = op.past_cache, op.update, b.rank(op.past_cache)
    axis = axis_of(op.attr.axis, rank)
    if axis == 0:
        raise LoweringError("axis 0 is the batch dimension")
    perm = (0, axis, *(i for i in range(1, rank) if i != axis))
    back = tuple(perm.index(i) for i in range(rank))
    length = b.take(b.shape_of(past), axis)
    steps = b.take(b.shape_of(update), axis)
    batch = b.take(b.shape_of(past), 0)
    at = b.iota(b.concat(batch, length, axis=0), axis=1, dtype=DTYPES["i64"])
    if op.write_indices is not None:
        at = b.sub(at, b.unsqueeze(b.cast_to(op.write_indices, "i64"), (1,)))
    if op.attr.mode == "circular":
        at = b.mod(at, length)
    inside = b.and_(b.ge(at, 0), b.lt(at, steps))
    picked = b.gather_nd(b.transpose(update, perm=perm), b.unsqueeze(b.maximum(at, 0), (2,)), batch_dims=1)
    inside = b.unsqueeze(inside, tuple(range(2, rank)))
    return b.transpose(b.select(inside, picked, b.transpose(past, perm=perm)), perm=back)


@lowers("nonzero")
def nonzero(op: Node, b: NnBuilder):
    """NonZero-13: the places as columns, row-major."""
    return b.transpose(b.nonzero(op.x), perm=(1, 0))


@lowers("compress")
def compress(op: Node, b: NnBuilder):
    """Compress-28: the slices of ``axis`` (of the flat input without one) where the condition holds."""
    x, axis = op.input, op.attr.axis
    if axis is None:
        x, axis = b.reshape_to(x, (-1,)), 0
    places = b.reshape_to(b.nonzero(op.condition), (-1,))
    return b.gather(x, places, axis=axis_of(axis, b.rank(x)))


@lowers("unique")
def unique(op: Node, b: NnBuilder):
    """Unique-28: of the flat input, or of the slices along ``axis`` compared as rows."""
    x, axis = op.x, op.attr.axis
    if axis is None:
        x, axis = b.reshape_to(x, (-1,)), 0
    axis = axis_of(axis, b.rank(x))
    order = (axis, *(i for i in range(b.rank(x)) if i != axis))
    n = b.take(b.shape_of(x), axis)
    rows = b.transpose(x, perm=order)
    rest = b.slice(b.shape_of(rows), starts=(1,), limits=(b.rank(x),), strides=(1,))
    width = b.reduce(rest, kind="prod", axes=(0,), keepdims=True)
    rows = b.reshape(rows, b.concat(n, width, axis=0))
    first, inverse, counts = b.unique(rows, sorted=bool(op.attr.sorted))
    return b.gather(x, first, axis=axis), first, inverse, counts
