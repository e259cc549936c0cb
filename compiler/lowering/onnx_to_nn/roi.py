"""Regions of interest and patches: RoiAlign, MaxRoiPool, Col2Im."""

from __future__ import annotations

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.norm import wide
from davit.compiler.lowering.onnx_to_nn.sampling import Image, last, spatial_sizes
from davit.compiler.lowering.onnx_to_nn.structure import join, vector
from davit.compiler.lowering.onnx_to_nn.window import listed
from davit.compiler.nn_builder import NnBuilder
from davit.dialects import dims
from davit.dialects.types import DTYPES
from davit.mlir import ir

I64 = DTYPES["i64"]


@lowers("roialign")
def roi_align(op: Node, b: NnBuilder):
    """RoiAlign-22: each bin is the mean (or maximum) of bilinear samples on a grid.

    With sampling_ratio=0 the grid depends on the region; the largest one is laid over all, and a mask cuts it.
    """
    x = wide(b, op.x)
    dt = b.dtype(x)
    if op.attr.mode not in ("avg", "max"):
        raise LoweringError(f"mode={op.attr.mode!r} is neither avg nor max")
    rois = b.mul(b.cast_to(op.rois, dt), op.attr.spatial_scale)
    shift = 0.5 if op.attr.coordinate_transformation_mode == "half_pixel" else 0.0
    sizes = spatial_sizes(b, x, 2)
    axes = []
    for d, bins in ((0, op.attr.output_height), (1, op.attr.output_width)):
        start, end = (b.sub(last(b, rois, 2 * k + 1 - d), shift) for k in (0, 1))
        length = b.sub(end, start)
        if not shift:
            length = b.maximum(length, 1.0)
        axes.append(_samples(op, b, start, length, bins, sizes[d]))
    image = Image(b.transpose(x, perm=(0, 2, 3, 1)), 0, [])
    batch = b.unsqueeze(b.cast_to(op.batch_indices, I64), range(1, 5))
    total: ir.Value | None = None
    (ys, ymask, ycount), (xs, xmask, xcount) = axes
    mask = b.and_(b.unsqueeze(ymask, [3, 4]), b.unsqueeze(xmask, [1, 2]))
    for y_low, y_weight in ys:
        for x_low, x_weight in xs:
            at = [batch, b.unsqueeze(y_low, [3, 4]), b.unsqueeze(x_low, [1, 2])]
            grid = b.shape_of(b.add(b.add(at[0], at[1]), at[2]))
            index = b.concat(*(b.unsqueeze(b.broadcast_to(a, grid), [5]) for a in at), axis=5)
            weight = b.mul(b.unsqueeze(y_weight, [3, 4]), b.unsqueeze(x_weight, [1, 2]))
            term = b.mul(b.gather_nd(image.x, index, batch_dims=0), b.unsqueeze(weight, [5]))
            join_ = b.maximum if op.attr.mode == "max" else b.add
            total = term if total is None else join_(total, term)
    assert total is not None  # [R, oh, gh, ow, gw, C]
    filler = 0.0 if op.attr.mode == "avg" else -np.inf
    total = b.select(b.unsqueeze(mask, [5]), total, filler)
    if op.attr.mode == "avg":
        y = b.reduce(total, kind="sum", axes=(2, 4), keepdims=False)
        y = b.div(y, b.unsqueeze(b.maximum(b.mul(ycount, xcount), 1.0), [1, 2, 3]))
    else:
        y = b.reduce(total, kind="max", axes=(2, 4), keepdims=False)
    return b.cast_to(b.transpose(y, perm=(0, 3, 1, 2)), b.dtype(op.x))


def _samples(op: Node, b: NnBuilder, start: ir.Value, length: ir.Value, bins: int, size: ir.Value):
    """One dimension's samples: two (pixel, weight) of shape [R, bins, grid], which of them count, and how many."""
    dt = b.dtype(start)
    width = b.div(length, float(bins))  # [R]
    if op.attr.sampling_ratio > 0:
        count = b.constant(np.full(1, op.attr.sampling_ratio, dt.numpy))
        most = b.constant(np.array([op.attr.sampling_ratio], np.int64))
    else:
        count = b.ceil(width)
        largest = b.reduce(b.maximum(count, 1.0), kind="max", axes=(0,), keepdims=True)
        most = b.to_host(b.cast_to(largest, I64))
    at = b.unsqueeze(b.iota(most, axis=0, dtype=dt), [0, 1])
    bin_ = b.unsqueeze(b.constant(np.arange(bins).astype(dt.numpy)), [0, 2])
    step = b.div(width, b.maximum(count, 1.0))
    place = b.add(b.unsqueeze(start, [1, 2]), b.mul(bin_, b.unsqueeze(width, [1, 2])))
    place = b.add(place, b.mul(b.add(at, 0.5), b.unsqueeze(step, [1, 2])))
    counted = b.lt(at, b.unsqueeze(b.add(count, b.mul(width, 0.0)), [1, 2]))
    counted = b.and_(counted, b.eq(place, place))
    outside = b.or_(b.lt(place, -1.0), b.gt(place, size))
    top = b.sub(size, 1.0)
    place = b.minimum(b.maximum(place, 0.0), top)
    low = b.floor(place)
    high = b.minimum(b.add(low, 1.0), top)
    ratio = b.sub(place, low)
    pairs = []
    for p, weight in ((low, b.sub(1.0, ratio)), (high, ratio)):
        pairs.append((b.cast_to(p, I64), b.select(outside, 0.0, weight)))
    return pairs, counted, b.add(count, b.mul(width, 0.0))


@lowers("maxroipool")
def max_roi_pool(op: Node, b: NnBuilder):
    """MaxRoiPool-22: the largest pixel of each whole-pixel bin; an empty bin gives 0."""
    x = wide(b, op.x)
    dt = b.dtype(x)
    rois = b.cast_to(op.rois, dt)
    masks = []
    for d, bins in enumerate(op.attr.pooled_shape):
        start, end = (_half_away(b, b.mul(last(b, rois, 2 * k + 2 - d), op.attr.spatial_scale)) for k in (0, 1))
        width = b.div(b.maximum(b.add(b.sub(end, start), 1.0), 1.0), float(bins))
        bin_ = b.unsqueeze(b.constant(np.arange(bins).astype(dt.numpy)), [0])
        low = b.add(b.floor(b.mul(bin_, b.unsqueeze(width, [1]))), b.unsqueeze(start, [1]))
        high = b.add(b.ceil(b.mul(b.add(bin_, 1.0), b.unsqueeze(width, [1]))), b.unsqueeze(start, [1]))
        at = b.unsqueeze(b.iota(b.take(b.shape_of(x), d + 2), axis=0, dtype=dt), [0, 1])
        masks.append(b.and_(b.ge(at, b.unsqueeze(low, [2])), b.lt(at, b.unsqueeze(high, [2]))))  # [R, bins, size]
    picked = b.gather(x, b.cast_to(last(b, rois, 0), I64), axis=0)  # [R, C, H, W]
    rows = b.select(b.unsqueeze(masks[1], [1, 2]), b.unsqueeze(picked, [3]), -np.inf)  # [R, C, H, ow, W]
    rows = b.reduce(rows, kind="max", axes=(4,), keepdims=False)
    bins_ = b.select(b.unsqueeze(masks[0], [1, 4]), b.unsqueeze(rows, [2]), -np.inf)  # [R, C, oh, H, ow]
    y = b.reduce(bins_, kind="max", axes=(3,), keepdims=False)
    return b.cast_to(b.select(b.eq(y, -np.inf), 0.0, y), b.dtype(op.x))


def _half_away(b: NnBuilder, x: ir.Value) -> ir.Value:
    """C's round: halves go away from zero."""
    whole = b.floor(b.add(b.abs(x), 0.5))
    return b.select(b.lt(x, 0.0), b.neg(whole), whole)


@lowers("col2im")
def col2im(op: Node, b: NnBuilder):
    """Col2Im-18: each pixel is the sum of the column elements that lie on it."""
    x = wide(b, op.input)
    n = dims.product(b.shape(op.image_shape))
    if not isinstance(n, int):
        raise LoweringError("the number of spatial dimensions must be known: give image_shape a static length")
    image, block = vector(b, op.image_shape, n, "image_shape"), vector(b, op.block_shape, n, "block_shape")
    strides, dilations = listed(op, "strides", n, 1), listed(op, "dilations", n, 1)
    pads = tuple(op.attr.pads) if op.attr.pads is not None and len(op.attr.pads) else (0,) * (2 * n)
    sizes, blocks = [b.take(image, d) for d in range(n)], [b.take(block, d) for d in range(n)]
    one = b.constant(np.ones(1, np.int64))
    taps = area = one
    for s, k in zip(sizes, blocks, strict=True):
        area, taps = b.mul(area, s), b.mul(taps, k)
    counts = []  # window positions in each dimension
    for d in range(n):
        span = b.add(b.mul(b.sub(blocks[d], 1), dilations[d]), 1)
        counts.append(b.add(b.div(b.sub(b.add(sizes[d], pads[d] + pads[n + d]), span), strides[d]), 1))
    rest_k = b.unsqueeze(b.iota(taps, axis=0, dtype=I64), [1])  # [K, 1]
    rest_p = b.unsqueeze(b.iota(area, axis=0, dtype=I64), [0])  # [1, P]
    inside: ir.Value | None = None
    flat: ir.Value = b.constant(np.zeros((1, 1), np.int64))
    stride = one
    for d in reversed(range(n)):
        k, p = b.rem(rest_k, blocks[d]), b.rem(rest_p, sizes[d])
        rest_k, rest_p = b.div(rest_k, blocks[d]), b.div(rest_p, sizes[d])
        away = b.sub(b.add(p, pads[d]), b.mul(k, dilations[d]))
        at = b.div(b.maximum(away, 0), strides[d])
        here = b.and_(b.ge(away, 0), b.and_(b.eq(b.mul(at, strides[d]), away), b.lt(at, counts[d])))
        inside = here if inside is None else b.and_(inside, here)
        flat = b.add(flat, b.mul(at, stride))
        stride = b.mul(stride, counts[d])
    assert inside is not None
    batch, length = (b.take(b.shape_of(x), i) for i in (0, 2))
    c = b.div(b.take(b.shape_of(x), 1), taps)
    columns = b.reshape(x, join(b, [b.mul(batch, c), taps, length]))
    columns = b.transpose(columns, perm=(1, 2, 0))  # [K, L, N*C]
    safe = b.minimum(flat, b.sub(length, 1))
    read = b.gather_nd(columns, b.unsqueeze(b.select(inside, safe, 0), [2]), batch_dims=1)  # [K, P, N*C]
    y = b.reduce(b.select(b.unsqueeze(inside, [2]), read, 0.0), kind="sum", axes=(0,), keepdims=False)
    y = b.reshape(b.transpose(y, perm=(1, 0)), join(b, [batch, c, *sizes]))
    return b.cast_to(y, b.dtype(op.input))
