"""Pools over windows and over whole images."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.norm import mean, wide
from davit.compiler.lowering.onnx_to_nn.window import Window, window
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.nn.base import OPS
from davit.dialects.types import Dim, dtype
from davit.mlir import ir


def pool_window(op: Node, spatial: tuple[Dim, ...]) -> tuple[Window, Window]:
    """The window with ``ceil_mode`` turned into more padding at the end, and the window as the node declares it.

    A last window that would begin in the padding at the end does not count (onnx 1.16 and later).
    """
    if op.attr.kernel_shape is None:
        raise LoweringError("kernel_shape is missing")
    plain = window(op, spatial, op.attr.kernel_shape)
    if not op.attr.ceil_mode:
        return plain, plain
    high = []
    for i, d in enumerate(spatial):
        s, span, lo, hi = plain.strides[i], plain.span[i], plain.low[i], plain.high[i]
        if isinstance(d, int):
            out = -(-(d + lo + hi - span) // s) + 1
            if (out - 1) * s >= d + lo:
                out -= 1
            high.append(max((out - 1) * s + span - d - lo, hi) if out > 0 else hi)
            if (high[-1] + d + lo - span) // s + 1 > out:  # the declared padding alone makes one more
                high[-1] = (out - 1) * s + span - d - lo
        elif s == 1 or hi + s <= span:
            high.append(hi + s - 1)
        else:
            raise LoweringError(
                "ceil_mode with padding as large as the window, over a size only known at run time, has no fixed "
                "number of windows; fix the dimension with dims="
            )
    return replace(plain, high=tuple(high)), plain


def apply(b: NnBuilder, x: ir.Value, w: Window, kind: str) -> ir.Value:
    return b.pool(x, kind=kind, **attrs(w))


def attrs(w: Window) -> dict[str, tuple[int, ...]]:
    return {"kernel": w.kernel, "strides": w.strides, "dilations": w.dilations, "low": w.low, "high": w.high}


@lowers("maxpool")
def max_pool(op: Node, b: NnBuilder):
    """MaxPool-22. Indices count over the whole tensor; with storage_order=1 its spatial part is column-major."""
    x = op.x
    w, _ = pool_window(op, b.shape(x)[2:])
    y = apply(b, x, w, "max")
    if not op.wants(1):
        return y
    place = b.pool_index(x, **attrs(w))
    shape = b.shape_of(x)
    rank = b.rank(x)
    spatial = [b.reshape_to(b.take(shape, i), ()) for i in range(2, rank)]
    area = b.reduce(b.slice(shape, starts=(2,), limits=(rank,), strides=(1,)), kind="prod", axes=(0,), keepdims=False)
    if op.attr.storage_order:
        rest, place_t, stride = place, None, b.constant(np.array(1, np.int64))
        strides = []
        for d in spatial:  # the first spatial dimension runs fastest
            strides.append(stride)
            stride = b.mul(stride, d)
        for d, s in zip(reversed(spatial), reversed(strides), strict=True):
            term = b.mul(b.rem(rest, d), s)
            place_t = term if place_t is None else b.add(place_t, term)
            rest = b.div(rest, d)
        place = place_t
    i64 = dtype("i64")
    out_shape = b.shape_of(place)
    n, c = (b.iota(out_shape, axis=a, dtype=i64) for a in (0, 1))
    base = b.add(b.mul(n, b.reshape_to(b.take(shape, 1), ())), c)
    return y, b.add(b.mul(base, area), place)


@lowers("averagepool")
def average_pool(op: Node, b: NnBuilder):
    """AveragePool-22: a window is divided by how many of its elements count."""
    x = wide(b, op.x)
    w, plain = pool_window(op, b.shape(x)[2:])
    total = apply(b, x, w, "sum")
    y = b.div(total, window_count(b, x, w, plain, bool(op.attr.count_include_pad)))
    return b.cast_to(y, b.dtype(op.x))


def window_count(b: NnBuilder, x: ir.Value, w: Window, plain: Window, include_pad: bool) -> ir.Value | float:
    """Elements of each window that lie in the input, or in the declared padding too; never in what ceil_mode added."""
    spatial = b.shape(x)[2:]
    if include_pad:
        low = tuple(0 for _ in plain.low)
        extent = [b_ + h for b_, h in zip(plain.low, plain.high, strict=True)]
        high = tuple(h - p for h, p in zip(w.high, plain.high, strict=True))
    else:
        low, high, extent = w.low, w.high, [0] * len(spatial)
    if not any((*low, *high)):
        return float(np.prod(w.kernel))
    counted = replace(w, low=low, high=high)
    dt = b.dtype(x)
    if all(isinstance(d, int) for d in spatial):
        ones = np.ones((1, 1, *(d + e for d, e in zip(spatial, extent, strict=True))), dt.numpy)  # type: ignore[operator]
        counts = OPS["pool"].evaluate([ones], {"kind": "sum", **attrs(counted)})[0]
        return float(counts.flat[0]) if counts.size and (counts == counts.flat[0]).all() else b.constant(counts)
    shape = b.shape_of(x)
    sizes = [b.add(b.take(shape, i + 2), e) for i, e in enumerate(extent)]
    target = b.concat(b.constant(np.ones(2, np.int64)), *sizes, axis=0)
    ones = b.broadcast_to(b.constant(np.ones((), dt.numpy)), target)
    return apply(b, ones, counted, "sum")


@lowers("lppool")
def lp_pool(op: Node, b: NnBuilder):
    """LpPool-22: (sum of |x|^p)^(1/p) of each window."""
    x = wide(b, op.x)
    w, _ = pool_window(op, b.shape(x)[2:])
    return b.cast_to(_root(b, apply(b, _powers(b, x, op.attr.p), w, "sum"), op.attr.p), b.dtype(op.x))


def _powers(b: NnBuilder, x: ir.Value, p: int) -> ir.Value:
    x = b.abs(x)
    return x if p == 1 else b.mul(x, x) if p == 2 else b.pow(x, float(p))


def _root(b: NnBuilder, x: ir.Value, p: int) -> ir.Value:
    return x if p == 1 else b.sqrt(x) if p == 2 else b.pow(x, 1.0 / p)


def _spatial_axes(b: NnBuilder, x: ir.Value) -> tuple[int, ...]:
    if b.rank(x) < 3:
        raise LoweringError(f"takes [N, C, spatial...], got rank {b.rank(x)}")
    return tuple(range(2, b.rank(x)))


@lowers("globalaveragepool")
def global_average_pool(op: Node, b: NnBuilder):
    x = wide(b, op.x)
    return b.cast_to(mean(b, x, _spatial_axes(b, x)), b.dtype(op.x))


@lowers("globalmaxpool")
def global_max_pool(op: Node, b: NnBuilder):
    return b.reduce(op.x, kind="max", axes=_spatial_axes(b, op.x), keepdims=True)


@lowers("globallppool")
def global_lp_pool(op: Node, b: NnBuilder):
    x = wide(b, op.x)
    total = b.reduce(_powers(b, x, op.attr.p), kind="sum", axes=_spatial_axes(b, x), keepdims=True)
    return b.cast_to(_root(b, total, op.attr.p), b.dtype(op.x))


@lowers("maxunpool")
def max_unpool(op: Node, b: NnBuilder):
    """MaxUnpool-22: values go back to the places that MaxPool's Indices name; all others are zero."""
    x, rank = op.x, b.rank(op.x)
    kernel = op.attr.kernel_shape
    if kernel is None:
        raise LoweringError("kernel_shape is missing")
    w = window(op, b.shape(x)[2:], kernel)
    shape = b.shape_of(x)
    sizes = [b.take(shape, 0), b.take(shape, 1)]
    for i in range(rank - 2):
        d = b.mul(b.sub(b.take(shape, i + 2), 1), w.strides[i])
        sizes.append(b.add(d, kernel[i] - w.low[i] - w.high[i]))
    inferred = b.concat(*sizes, axis=0)
    count = b.reshape(b.reduce(inferred, kind="prod", axes=(0,), keepdims=False), np.array([1], np.int64))
    zeros = b.broadcast_to(b.constant(np.zeros((), b.dtype(x).numpy)), count)
    flat = [b.reshape_to(v, (-1,)) for v in (op.i, x)]
    y = b.reshape(b.scatter_elements(zeros, *flat, axis=0, reduction="none"), inferred)
    if op.output_shape is None:
        return y
    wanted = b.cast_to(op.output_shape, "i64")
    high = b.sub(wanted, inferred)
    known = b.constant_of(high)
    zero = b.constant(np.zeros((), b.dtype(x).numpy))
    if known is not None:
        return b.pad(y, zero, low=[0] * rank, high=known.tolist())
    return b.dynamic_pad(y, zero, np.zeros(rank, np.int64), high)
