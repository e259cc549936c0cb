"""Shape and structure: Reshape, Transpose, Concat, Split, Slice, Pad, Expand, Tile, Shape, Range and their kin."""

from __future__ import annotations

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.nn_builder import NnBuilder
from davit.dialects import dims
from davit.dialects.dims import axes_of, axis_of
from davit.dialects.nn.base import VALUE_LIMIT
from davit.dialects.nn.structure import END
from davit.dialects.types import DTYPES, Dim, Tensor
from davit.mlir import ir

I64 = DTYPES["i64"]


# -- helpers on small 1-D integer tensors ------------------------------------------------------------------------
def vector(b: NnBuilder, v: ir.Value, length: int | None, what: str) -> ir.Value:
    """A 1-D integer operand as i64 of static length.

    Args:
        length: the length that the rest of the node implies when the operand's own is not known.

    Raises:
        LoweringError: the length is not known, so neither is the rank of the result.
    """
    have = b.type(v)
    if have.rank == 0:
        return b.cast_to(b.reshape_to(on_host(b, v), (1,)), "i64")
    if isinstance(have.shape[0], int):
        return b.cast_to(on_host(b, v), "i64")
    if length is None:
        raise LoweringError(
            f"the number of elements of its input {what!r} is not known before run time, and with it the rank of the "
            "result: give the input a static length or declare the output's rank"
        )
    return b.cast_to(on_host(b, b.op("refine", v, result=Tensor(have.dtype, (length,)))), "i64")


def on_host(b: NnBuilder, v: ir.Value) -> ir.Value:
    """Read a small tensor of integers to the host unless its elements are tracked already."""
    t = b.type(v)
    tracked = t.value is not None and None not in t.value
    if tracked or not t.is_static or t.size > VALUE_LIMIT or not isinstance(v.owner, ir.Block):
        return v
    return b.to_host(v)


def line(b: NnBuilder, v: ir.Value) -> ir.Value:
    """A 1-D integer operand as i64, of whatever length."""
    if b.rank(v) == 0 or isinstance(b.shape(v)[0], int):
        return vector(b, v, None, "")
    return b.cast_to(v, "i64")


def values(b: NnBuilder, v: ir.Value) -> list[Dim]:
    """The elements of a 1-D tensor as far as they are known."""
    t = b.type(v)
    n = t.shape[0]
    assert isinstance(n, int)
    return list(t.value) if t.value is not None else [None] * n


def join(b: NnBuilder, parts: list[ir.Value | int]) -> ir.Value:
    """A 1-D i64 tensor from numbers and 1-D pieces."""
    made = [b.constant(np.array([p], np.int64)) if isinstance(p, int) else p for p in parts]
    return b.concat(*made, axis=0) if made else b.constant(np.zeros(0, np.int64))


def spread(b: NnBuilder, v: ir.Value, axes: ir.Value, rank: int, default: ir.Value | int) -> ir.Value:
    """A vector of ``rank`` elements: ``v[j]`` at ``axes[j]``, ``default`` elsewhere."""
    base = b.constant(np.full(rank, default, np.int64)) if isinstance(default, int) else default
    known = b.constant_of(axes)
    if known is not None:
        parts: list[ir.Value | int] = [b.take(base, i) for i in range(rank)]
        for j, a in enumerate(axes_of(known.tolist(), rank)):
            parts[a] = b.take(v, j)
        return join(b, parts)
    return b.to_host(b.scatter_elements(base, axes, v, axis=0, reduction="none"))


def axis_mask(b: NnBuilder, axes: ir.Value, rank: int) -> ir.Value:
    """i64[rank] with 1 at the dimensions that ``axes`` names and 0 elsewhere."""
    ones = b.broadcast_to(np.ones((), np.int64), b.shape_of(axes))
    return spread(b, ones, axes, rank, 0)


def kept_sizes(b: NnBuilder, shape: ir.Value, mask: ir.Value, count: int) -> ir.Value:
    """The ``count`` elements of ``shape`` at which the run-time ``mask`` is 0, in order."""
    rank = b.shape(shape)[0]
    assert isinstance(rank, int)
    kept = [b.sub(1, b.take(mask, i)) for i in range(rank)]
    place: list[ir.Value] = []  # how many are kept before dimension i
    total: ir.Value = b.constant(np.zeros(1, np.int64))
    for k in kept:
        place.append(total)
        total = b.add(total, k)
    out = []
    for j in range(count):
        picked: ir.Value = b.constant(np.zeros(1, np.int64))
        for i in range(rank):
            here = b.mul(kept[i], b.cast_to(b.eq(place[i], j), "i64"))
            picked = b.add(picked, b.mul(here, b.take(shape, i)))
        out.append(picked)
    return join(b, out)


# -- shapes ----------------------------------------------------------------------------------------
@lowers("shape")
def shape(op: Node, b: NnBuilder):
    """Shape-25: ``start`` and ``end`` are clamped, negative ones count from the end."""
    own = b.shape_of(op.data)
    low, high, _ = slice(op.attr.start, op.attr.end).indices(b.rank(op.data))
    if (low, high) == (0, b.rank(op.data)):
        return own
    return b.slice(own, starts=(low,), limits=(max(low, high),), strides=(1,))


@lowers("size")
def size(op: Node, b: NnBuilder):
    return b.reduce(b.shape_of(op.data), kind="prod", axes=(0,), keepdims=False)


@lowers("reshape")
def reshape(op: Node, b: NnBuilder):
    """Reshape-25: 0 keeps the input's size unless ``allowzero``; -1 takes what is left."""
    x = op.data
    target = vector(b, op.shape, op.result.rank if op.result else None, "shape")
    if op.attr.allowzero:
        return b.reshape(x, target)
    own, rank = b.shape_of(x), b.rank(x)
    parts: list[ir.Value | int] = []
    for i, d in enumerate(values(b, target)):
        here = b.take(target, i)
        if d == 0:
            if i >= rank:
                raise LoweringError(f"element {i} of its target shape is 0, but the input has only {rank} dimensions")
            here = b.take(own, i)
        elif d is None and i < rank:
            here = b.select(b.eq(here, 0), b.take(own, i), here)
        parts.append(here)
    return b.reshape(x, join(b, parts))


@lowers("flatten")
def flatten(op: Node, b: NnBuilder):
    """Flatten-25: a matrix whose rows are the dimensions before ``axis``; ``axis`` may equal the rank."""
    x, rank = op.input, b.rank(op.input)
    axis = op.attr.axis + rank if op.attr.axis < 0 else op.attr.axis
    if not 0 <= axis <= rank:
        raise LoweringError(f"axis {op.attr.axis} is outside [{-rank}, {rank}]")
    own = b.shape(x)
    head, tail = dims.product(own[:axis]), dims.product(own[axis:])
    if isinstance(head, int) and isinstance(tail, int):
        return b.reshape_to(x, (head, tail))
    whole = b.shape_of(x)
    sides = [b.slice(whole, starts=(lo,), limits=(hi,), strides=(1,)) for lo, hi in ((0, axis), (axis, rank))]
    return b.reshape(x, join(b, [b.reduce(s, kind="prod", axes=(0,), keepdims=True) for s in sides]))


@lowers("squeeze")
def squeeze(op: Node, b: NnBuilder):
    """Squeeze-25: drops the named dimensions, or all that are 1."""
    x = op.data
    if op.axes is not None and (known := b.constant_of(op.axes)) is not None:
        axes = axes_of(known.reshape(-1).tolist(), b.rank(x))
        for a in axes:
            if isinstance(d := b.shape(x)[a], int) and d != 1:
                raise LoweringError(f"dimension {a} is {d}; only dimensions of size 1 can be squeezed")
        return b.squeeze(x, axes)
    if op.axes is None:
        ones = [i for i, d in enumerate(b.shape(x)) if d == 1]
        if all(isinstance(d, int) for d in b.shape(x)):
            return b.squeeze(x, ones)
        if op.result is None:
            raise LoweringError("which dimensions are 1 is only known at run time; give it axes")
        mask = b.cast_to(b.eq(b.shape_of(x), 1), "i64")
    else:
        count = op.result.rank if op.result else _rank_without(b, op.axes, b.rank(x))
        axes_v = vector(b, op.axes, b.rank(x) - count if count is not None else None, "axes")
        count = _rank_without(b, axes_v, b.rank(x))
        mask = axis_mask(b, axes_v, b.rank(x))
        assert count is not None
        return b.reshape(x, kept_sizes(b, b.shape_of(x), mask, count))
    return b.reshape(x, kept_sizes(b, b.shape_of(x), mask, op.result.rank))


def _rank_without(b: NnBuilder, axes: ir.Value, rank: int) -> int | None:
    n = dims.product(b.shape(axes))
    return rank - n if isinstance(n, int) else None


@lowers("unsqueeze")
def unsqueeze(op: Node, b: NnBuilder):
    """Unsqueeze-25: new dimensions of size 1 at positions of the result."""
    x, rank = op.data, b.rank(op.data)
    if (known := b.constant_of(op.axes)) is not None:
        return b.unsqueeze(x, axes_of(known.reshape(-1).tolist(), rank + known.size))
    axes = vector(b, op.axes, op.result.rank - rank if op.result else None, "axes")
    total = rank + b.shape(axes)[0]
    mask = axis_mask(b, axes, total)
    # Dimension i of the result is the next of x's, or 1 where the mask is set.
    sizes, before = [], b.constant(np.zeros(1, np.int64))
    own = b.concat(b.shape_of(x), np.ones(1, np.int64), axis=0)
    for i in range(total):
        here = b.take(mask, i)
        source = b.gather(own, before, axis=0)
        sizes.append(b.select(b.ne(here, 0), np.ones(1, np.int64), source))
        before = b.add(before, b.sub(1, here))
    return b.reshape(x, join(b, sizes))


@lowers("transpose")
def transpose(op: Node, b: NnBuilder):
    rank = b.rank(op.data)
    perm = tuple(range(rank))[::-1] if op.attr.perm is None else op.attr.perm
    return b.transpose(op.data, perm=[p % rank if rank else p for p in perm])


@lowers("concat")
def concat(op: Node, b: NnBuilder):
    return b.concat(*op.inputs, axis=axis_of(op.attr.axis, b.rank(op.inputs[0])))


@lowers("expand")
def expand(op: Node, b: NnBuilder):
    """Expand-13: numpy broadcasting in both directions."""
    return b.broadcast_to(op.input, vector(b, op.shape, op.result.rank if op.result else None, "shape"))


# -- slices ------------------------------------------------------------------------------------------------------
@lowers("slice")
def slice_(op: Node, b: NnBuilder):
    """Slice-13, Python's slicing: attributes of ``nn.slice`` when all is known, else run-time bounds."""
    x, rank = op.data, b.rank(op.data)
    operands = {"starts": op.starts, "ends": op.ends, "axes": op.axes, "steps": op.steps}
    known = {k: b.constant_of(v) for k, v in operands.items()}
    if all(v is None or known[k] is not None for k, v in operands.items()):
        starts, ends = (known[k].reshape(-1).tolist() for k in ("starts", "ends"))
        axes = axes_of(known["axes"].reshape(-1).tolist(), rank) if op.axes is not None else tuple(range(len(starts)))
        steps = known["steps"].reshape(-1).tolist() if op.steps is not None else [1] * len(starts)
        return static_slice(b, x, starts, ends, axes, steps)
    starts, ends = line(b, op.starts), line(b, op.ends)
    axes = b.iota(b.shape_of(starts), axis=0, dtype=I64) if op.axes is None else line(b, op.axes)
    steps = b.constant(np.ones(rank, np.int64))
    if op.steps is not None:
        steps = spread(b, line(b, op.steps), axes, rank, 1)
    return b.dynamic_slice(x, spread(b, starts, axes, rank, 0), spread(b, ends, axes, rank, END), steps)


def static_slice(b: NnBuilder, x: ir.Value, starts, ends, axes, steps) -> ir.Value:
    """``nn.slice`` along some axes."""
    rank = b.rank(x)
    low, high, stride = [0] * rank, [END] * rank, [1] * rank
    for a, start, end, step in zip(axes, starts, ends, steps, strict=True):
        low[a], high[a], stride[a] = start, _limit(end, step), step
    return b.slice(x, starts=low, limits=high, strides=stride)


def _limit(end: int, step: int) -> int:
    """nn.slice reads +-END as "to the end" in the direction of the stride; ONNX clamps huge ends."""
    if step > 0:
        return END if end >= END else max(end, -END + 1)
    return -END if end <= -END else min(end, END - 1)


@lowers("split")
def split(op: Node, b: NnBuilder):
    """Split-18: given sizes, or ``num_outputs`` equal parts of which the last may be smaller."""
    x = op.input
    count = len(op.results)
    axis = axis_of(op.attr.axis, b.rank(x))
    d = b.shape(x)[axis]
    if op.split is None:
        if isinstance(d, int):
            part = -(-d // count)
            sizes: list[int] = [max(min(part, d - part * i), 0) for i in range(count)]
            return _split_static(b, x, axis, sizes)
        whole = b.take(b.shape_of(x), axis)
        part_v = b.div(b.add(whole, count - 1), count)
        bounds = [b.minimum(b.mul(part_v, i), whole) for i in range(count + 1)]
        return _split_dynamic(b, x, axis, bounds)
    if (known := b.constant_of(op.split)) is not None:
        return _split_static(b, x, axis, known.reshape(-1).tolist())
    sizes_v = vector(b, op.split, count, "split")
    bounds = [b.constant(np.zeros(1, np.int64))]
    for i in range(count):
        bounds.append(b.add(bounds[-1], b.take(sizes_v, i)))
    return _split_dynamic(b, x, axis, bounds)


def _split_static(b: NnBuilder, x: ir.Value, axis: int, sizes: list[int]) -> tuple:
    d = b.shape(x)[axis]
    if isinstance(d, int) and sum(sizes) != d:
        raise LoweringError(f"parts {sizes} do not add up to dimension {axis}, which is {d}")
    out, at = [], 0
    for n in sizes:
        out.append(static_slice(b, x, [at], [at + n], [axis], [1]))
        at += n
    return tuple(out)


def _split_dynamic(b: NnBuilder, x: ir.Value, axis: int, bounds: list[ir.Value]) -> tuple:
    rank = b.rank(x)
    ones = b.constant(np.ones(rank, np.int64))
    where = b.constant(np.array([axis], np.int64))
    out = []
    for low, high in zip(bounds, bounds[1:], strict=False):
        out.append(b.dynamic_slice(x, spread(b, low, where, rank, 0), spread(b, high, where, rank, END), ones))
    return tuple(out)
