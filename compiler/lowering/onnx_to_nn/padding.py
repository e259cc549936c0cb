"""Pad, Tile and ReverseSequence: copies of the input's elements in other places."""

from __future__ import annotations

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.structure import join, line, spread, values, vector
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.dims import axes_of, axis_of
from davit.dialects.types import DTYPES
from davit.mlir import ir

I64 = DTYPES["i64"]


@lowers("pad")
def pad(op: Node, b: NnBuilder):
    """Pad-25: negative amounts crop; reflect, edge and wrap read the input at folded positions."""
    x, rank, mode = op.data, b.rank(op.data), op.attr.mode
    if mode not in ("constant", "reflect", "edge", "wrap"):
        raise LoweringError(f"mode {mode!r} is not one of constant, reflect, edge, wrap")
    if op.axes is None:
        pads = vector(b, op.pads, 2 * rank, "pads")
        low, high = (b.slice(pads, starts=(i * rank,), limits=((i + 1) * rank,), strides=(1,)) for i in (0, 1))
    else:
        pads, axes = line(b, op.pads), line(b, op.axes)
        count, one = b.shape_of(axes), b.constant(np.ones(1, np.int64))
        zero = b.constant(np.zeros(1, np.int64))
        low = spread(b, b.dynamic_slice(pads, zero, count, one), axes, rank, 0)
        high = spread(b, b.dynamic_slice(pads, count, b.add(count, count), one), axes, rank, 0)
    if mode == "constant":
        fill = b.constant(np.zeros((), b.dtype(x).numpy)) if op.constant_value is None else op.constant_value
        fill = b.reshape_to(fill, ())
        known = b.constant_of(low), b.constant_of(high)
        if known[0] is not None and known[1] is not None:
            return b.pad(x, fill, low=known[0].tolist(), high=known[1].tolist())
        return b.dynamic_pad(x, fill, low, high)
    for axis, amounts in enumerate(zip(values(b, low), values(b, high), strict=True)):
        if amounts != (0, 0):
            x = b.gather(x, _folded(b, x, axis, b.take(low, axis), b.take(high, axis), mode), axis=axis)
    return x


def _folded(b: NnBuilder, x: ir.Value, axis: int, low: ir.Value, high: ir.Value, mode: str) -> ir.Value:
    """Where each position of the padded dimension reads: positions from ``-low`` on, folded into the input."""
    n = b.take(b.shape_of(x), axis)
    at = b.sub(b.iota(b.add(b.add(n, low), high), axis=0, dtype=I64), low)
    if mode == "edge":
        return b.minimum(b.maximum(at, 0), b.sub(n, 1))
    if mode == "wrap":
        return b.mod(at, n)
    period = b.maximum(b.mul(b.sub(n, 1), 2), 1)
    at = b.mod(at, period)
    return b.minimum(at, b.sub(period, at))


@lowers("tile")
def tile(op: Node, b: NnBuilder):
    """Tile-13: a dimension of repeats is put before each dimension, then joined with it."""
    x, rank = op.input, b.rank(op.input)
    repeats = vector(b, op.repeats, rank, "repeats")
    times = values(b, repeats)
    new = [i for i, t in enumerate(times) if t != 1]
    if not new:
        return x
    own = b.shape_of(x)
    spots = [i + k for k, i in enumerate(new)]  # places of the inserted dimensions
    wide: list[ir.Value | int] = []
    joined: list[ir.Value | int] = []
    for i in range(rank):
        size = b.take(own, i)
        if i in new:
            wide += [b.take(repeats, i), size]
            size = b.mul(b.take(repeats, i), size)
        else:
            wide.append(size)
        joined.append(size)
    return b.reshape(b.broadcast_to(b.unsqueeze(x, spots), join(b, wide)), join(b, joined))


@lowers("reversesequence")
def reverse_sequence(op: Node, b: NnBuilder):
    """ReverseSequence-28: the first ``sequence_lens[b]`` steps of batch row b backwards, the rest as they are."""
    x, lens = op.input, b.cast_to(op.sequence_lens, "i64")
    time, batch = (axis_of(a, b.rank(x)) for a in (op.attr.time_axis, op.attr.batch_axis))
    if axes_of((time, batch), b.rank(x)) not in ((0, 1), (1, 0)):
        raise LoweringError(f"time_axis {time} and batch_axis {batch} must be 0 and 1, in either order")
    own = b.shape_of(x)
    grid = b.slice(own, starts=(0,), limits=(2,), strides=(1,))
    step, row = (b.iota(grid, axis=a, dtype=I64) for a in (time, batch))
    lens = b.unsqueeze(lens, (time,))
    at = b.select(b.lt(step, lens), b.sub(b.sub(lens, 1), step), step)
    pair = [b.unsqueeze(at if a == time else row, (2,)) for a in (0, 1)]
    return b.gather_nd(x, b.concat(*pair, axis=2), batch_dims=0)
