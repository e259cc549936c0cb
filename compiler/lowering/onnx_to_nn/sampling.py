"""Reading images between their pixels: GridSample, AffineGrid, DeformConv."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.conv import kernel_of
from davit.compiler.lowering.onnx_to_nn.norm import channels, wide
from davit.compiler.lowering.onnx_to_nn.structure import join, vector
from davit.compiler.lowering.onnx_to_nn.window import window
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.types import DTYPES
from davit.mlir import ir

I64 = DTYPES["i64"]


def last(b: NnBuilder, x: ir.Value, i: int) -> ir.Value:
    """Element ``i`` of the last dimension, which goes."""
    rank = b.rank(x)
    box = {"starts": [0] * (rank - 1) + [i], "limits": [2**63 - 1] * (rank - 1) + [i + 1], "strides": [1] * rank}
    return b.squeeze(b.slice(x, **box), [rank - 1])


@dataclass
class Image:
    """An image to read from: ``x`` is [batch..., sizes..., channels], ``sizes`` its spatial sizes as [1] floats."""

    x: ir.Value
    batch: int
    sizes: list[ir.Value]

    def read(self, b: NnBuilder, places: Sequence[ir.Value]) -> ir.Value:
        """The pixels at float places, one tensor a dimension, taken from the border where they are outside."""
        whole = [
            b.cast_to(b.minimum(b.maximum(p, 0.0), b.sub(s, 1.0)), I64) for p, s in zip(places, self.sizes, strict=True)
        ]
        axis = b.rank(whole[0])
        return b.gather_nd(self.x, b.concat(*(b.unsqueeze(w, [axis]) for w in whole), axis=axis), batch_dims=self.batch)

    def inside(self, b: NnBuilder, places: Sequence[ir.Value]) -> ir.Value:
        """Where all of the places are in the image."""
        found: ir.Value | None = None
        for p, s in zip(places, self.sizes, strict=True):
            here = b.and_(b.ge(p, 0.0), b.lt(p, s))
            found = here if found is None else b.and_(found, here)
        assert found is not None
        return found


def spatial_sizes(b: NnBuilder, x: ir.Value, first: int) -> list[ir.Value]:
    shape = b.shape_of(x)
    return [b.cast_to(b.take(shape, i), b.dtype(x)) for i in range(first, b.rank(x))]


def bilinear(b: NnBuilder, image: Image, places: Sequence[ir.Value], pad) -> ir.Value:
    """The multilinear mean of the pixels around float places; ``pad(corner places)`` gives (places, mask or None)."""
    base = [b.floor(p) for p in places]
    ratio = [b.sub(p, f) for p, f in zip(places, base, strict=True)]
    total: ir.Value | None = None
    for corner in itertools.product((0, 1), repeat=len(places)):
        at, mask = pad([b.add(f, float(c)) for f, c in zip(base, corner, strict=True)])
        weight: ir.Value | None = None
        for r, c in zip(ratio, corner, strict=True):
            part = r if c else b.sub(1.0, r)
            weight = part if weight is None else b.mul(weight, part)
        assert weight is not None
        if mask is not None:
            weight = b.select(mask, weight, 0.0)
        term = b.mul(image.read(b, at), b.unsqueeze(weight, [b.rank(weight)]))
        total = term if total is None else b.add(total, term)
    assert total is not None
    return total


@lowers("gridsample")
def grid_sample(op: Node, b: NnBuilder):
    """GridSample-22, any number of spatial dimensions."""
    mode, padding = op.attr.mode, op.attr.padding_mode
    if mode not in ("linear", "nearest", "cubic"):
        raise LoweringError(f"mode={mode!r} is not one of linear, nearest, cubic")
    if padding not in ("zeros", "border", "reflection"):
        raise LoweringError(f"padding_mode={padding!r} is not one of zeros, border, reflection")
    x = op.x if b.dtype(op.x).is_float and b.dtype(op.x).bits >= 32 else b.cast_to(op.x, "f32")
    n = b.rank(x) - 2
    dt = b.dtype(x)
    grid = b.cast_to(op.grid, dt)
    align = bool(op.attr.align_corners)
    sizes = spatial_sizes(b, x, 2)
    image = Image(b.transpose(x, perm=(0, *range(2, n + 2), 1)), 1, sizes)
    places = []
    for d in range(n):
        v = last(b, grid, n - 1 - d)  # the grid names the last dimension first
        if align:
            places.append(b.mul(b.mul(b.add(v, 1.0), 0.5), b.sub(sizes[d], 1.0)))
        else:
            places.append(b.mul(b.sub(b.mul(b.add(v, 1.0), sizes[d]), 1.0), 0.5))
    if mode == "nearest":
        places = [b.round(p) for p in places]
    bounds = [(0.0, b.sub(s, 1.0)) if align else (-0.5, b.sub(s, 0.5)) for s in sizes]
    if padding == "border":
        places = [b.minimum(b.maximum(p, 0.0), b.sub(s, 1.0)) for p, s in zip(places, sizes, strict=True)]
    elif padding == "reflection":
        places = [reflect(b, p, *bound) for p, bound in zip(places, bounds, strict=True)]

    def pad(at: list[ir.Value]):
        if padding == "zeros":
            return at, image.inside(b, at)
        if padding == "reflection":
            at = [b.floor(reflect(b, p, *bound)) for p, bound in zip(at, bounds, strict=True)]
        return at, None

    if mode == "linear":
        y = bilinear(b, image, places, pad)
    elif mode == "nearest":
        at, mask = pad(places)
        y = image.read(b, at)
        if mask is not None:
            y = b.select(b.unsqueeze(mask, [b.rank(mask)]), y, 0.0)
    else:
        y = _cubic(b, image, places, pad)
    y = b.transpose(y, perm=(0, n + 1, *range(1, n + 1)))
    return b.cast_to(y, b.dtype(op.x))


def reflect(b: NnBuilder, x: ir.Value, low: float, high: ir.Value) -> ir.Value:
    """Fold a coordinate back at both ends of [low, high] until it is inside."""
    span = b.sub(high, low)
    safe = b.select(b.le(span, 0.0), 1.0, span)
    away = b.sub(x, low)
    period = b.mul(safe, 2.0)
    t = b.sub(away, b.mul(b.floor(b.div(away, period)), period))
    folded = b.add(b.select(b.le(t, safe), t, b.sub(period, t)), low)
    return b.select(b.le(span, 0.0), low, folded)


def _cubic(b: NnBuilder, image: Image, places: list[ir.Value], pad) -> ir.Value:
    """Keys' kernel with a = -0.75 over four neighbours a dimension."""
    base = [b.floor(p) for p in places]
    ratio = [b.sub(p, f) for p, f in zip(places, base, strict=True)]
    weights = []
    for r in ratio:
        row = []
        for k in range(-1, 3):
            t = b.abs(b.sub(float(k), r))
            near = b.add(b.mul(b.mul(b.sub(b.mul(t, 1.25), 2.25), t), t), 1.0)
            far = b.add(b.mul(b.add(b.mul(b.add(b.mul(t, -0.75), 3.75), t), -6.0), t), 3.0)
            row.append(near if k in (0, 1) else far)
        weights.append(row)
    total: ir.Value | None = None
    for taps in itertools.product(range(4), repeat=len(places)):
        at, mask = pad([b.add(f, float(k - 1)) for f, k in zip(base, taps, strict=True)])
        weight = weights[0][taps[0]]
        for row, k in zip(weights[1:], taps[1:], strict=True):
            weight = b.mul(weight, row[k])
        if mask is not None:
            weight = b.select(mask, weight, 0.0)
        term = b.mul(image.read(b, at), b.unsqueeze(weight, [b.rank(weight)]))
        total = term if total is None else b.add(total, term)
    assert total is not None
    return total


@lowers("affinegrid")
def affine_grid(op: Node, b: NnBuilder):
    """AffineGrid-20: the coordinates of each pixel, transformed by ``theta``."""
    theta = wide(b, op.theta)
    dt = b.dtype(theta)
    n = b.shape(theta)[1]
    if n not in (2, 3):
        raise LoweringError(f"theta must be [N, 2, 3] or [N, 3, 4], got {b.type(theta)}")
    size = vector(b, op.size, n + 2, "size")
    y: ir.Value = b.unsqueeze(last(b, theta, n), range(1, n + 1))
    for d in range(n):  # theta's column 0 belongs to the last dimension
        length = b.take(size, d + 2)
        steps = b.cast_to(length, dt)
        at = b.iota(length, axis=0, dtype=dt)
        if op.attr.align_corners:
            line = b.sub(b.div(b.mul(at, 2.0), b.maximum(b.sub(steps, 1.0), 1.0)), 1.0)
            line = b.select(b.eq(steps, 1.0), 0.0, line)
        else:
            line = b.sub(b.div(b.add(b.mul(at, 2.0), 1.0), steps), 1.0)
        line = b.unsqueeze(line, [*range(1 + d), *range(2 + d, n + 2)])
        y = b.add(y, b.mul(b.unsqueeze(last(b, theta, n - 1 - d), range(1, n + 1)), line))
    return b.cast_to(y, b.dtype(op.theta))


@lowers("deformconv")
def deform_conv(op: Node, b: NnBuilder):
    """DeformConv-22 on [N, C, H, W]: each tap reads the image at its place plus an offset."""
    x = wide(b, op.x)
    dt = b.dtype(x)
    if b.rank(x) != 4:
        raise LoweringError(f"takes images [N, C, H, W], got rank {b.rank(x)}")
    kernel = kernel_of(op, b, op.w)
    w = window(op, b.shape(x)[2:], kernel)
    groups, offsets = op.attr.group, op.attr.offset_group
    taps = kernel[0] * kernel[1]
    n = b.take(b.shape_of(x), 0)
    c, m = b.shape(x)[1], b.shape(op.w)[0]
    if not isinstance(c, int) or not isinstance(m, int):
        raise LoweringError("the numbers of channels must be known; fix them with dims=")
    out = [b.take(b.shape_of(op.offset), i) for i in (2, 3)]
    off = b.reshape(b.cast_to(op.offset, dt), join(b, [n, offsets, taps, 2, *out]))
    off = b.transpose(off, perm=(0, 1, 2, 4, 5, 3))  # [N, og, taps, oh, ow, 2]
    places = []
    for d in (0, 1):
        tap = (np.arange(taps) // kernel[1] if d == 0 else np.arange(taps) % kernel[1]) * w.dilations[d]
        at = b.sub(b.mul(b.iota(out[d], axis=0, dtype=dt), float(w.strides[d])), float(w.low[d]))
        at = b.unsqueeze(at, [1] if d == 0 else [0])  # [oh, 1] or [1, ow]
        fixed = b.add(at, b.constant(tap.astype(dt.numpy).reshape(taps, 1, 1)))  # [taps, oh or 1, ow or 1]
        places.append(b.add(last(b, off, d), fixed))
    grouped = b.reshape(x, join(b, [n, offsets, c // offsets, -1, b.take(b.shape_of(x), 3)]))
    image = Image(b.transpose(grouped, perm=(0, 1, 3, 4, 2)), 2, spatial_sizes(b, x, 2))
    read = bilinear(b, image, places, lambda at: (at, image.inside(b, at)))  # [N, og, taps, oh, ow, C/og]
    if op.mask is not None:
        mask = b.reshape(b.cast_to(op.mask, dt), join(b, [n, offsets, taps, *out]))
        read = b.mul(read, b.unsqueeze(mask, [5]))
    area = b.mul(out[0], out[1])
    columns = b.transpose(read, perm=(0, 1, 5, 2, 3, 4))  # [N, og, C/og, taps, oh, ow]
    columns = b.reshape(columns, join(b, [n, groups, c // groups * taps, area]))
    weight = b.reshape_to(b.cast_to(op.w, dt), (1, groups, m // groups, c // groups * taps))
    y = b.reshape(b.matmul(weight, columns, out=dt), join(b, [n, m, *out]))
    if op.b is not None:
        y = b.add(y, channels(b, b.cast_to(op.b, dt), 4))
    return b.cast_to(y, b.dtype(op.x))
