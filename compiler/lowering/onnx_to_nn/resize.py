"""Resize: one dimension after the other, each a weighted sum of gathered neighbours."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.structure import vector
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.dims import axes_of
from davit.dialects.types import DTYPES, Tensor
from davit.mlir import ir

F64, I64 = DTYPES["f64"], DTYPES["i64"]

COORDINATES = (
    "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize",
)  # fmt: skip
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
POLICIES = ("stretch", "not_larger", "not_smaller")


@dataclass
class Axis:
    """One resized dimension: f64 scalars of shape [1], and its place in the tensor.

    Attributes:
        length: size of the input.
        out: size of the result, i64.
        scale: result over input.
        width: scale * length, the result's size before it is made whole.
        roi: start and end of the region to crop, as fractions.
    """

    index: int
    length: ir.Value
    out: ir.Value
    scale: ir.Value
    width: ir.Value
    roi: tuple[ir.Value, ir.Value] | None


@lowers("resize")
def resize(op: Node, b: NnBuilder):
    """Resize-19; coordinates are computed in f64."""
    for name, value, allowed in (
        ("mode", op.attr.mode, ("nearest", "linear", "cubic")),
        ("coordinate_transformation_mode", op.attr.coordinate_transformation_mode, COORDINATES),
        ("nearest_mode", op.attr.nearest_mode, NEAREST),
        ("keep_aspect_ratio_policy", op.attr.keep_aspect_ratio_policy, POLICIES),
    ):
        if value not in allowed:
            raise LoweringError(f"{name}={value!r} is not one of {', '.join(allowed)}")
    x = op.x
    dt = b.dtype(x)
    if op.attr.mode != "nearest" and (not dt.is_float or dt.bits < 32):
        x = b.cast_to(x, "f32")
    for axis in _axes(op, b):
        x = _along(op, b, x, axis)
    return b.cast_to(x, dt)


def _given(b: NnBuilder, v: ir.Value | None, length: int) -> ir.Value | None:
    """An optional vector; exporters write an empty one for none. One whose length is unknown is taken as given."""
    if v is None or b.shape(v) == (0,):
        return None
    if isinstance(b.shape(v)[0], int):
        return v
    return b.op("refine", v, result=Tensor(b.dtype(v), (length,)))


def _axes(op: Node, b: NnBuilder) -> list[Axis]:
    """The dimensions that change."""
    rank = b.rank(op.x)
    named = op.attr.axes is not None and len(op.attr.axes)
    indices = axes_of(tuple(op.attr.axes), rank) if named else tuple(range(rank))
    n = len(indices)
    scales, sizes = _given(b, op.scales, n), _given(b, op.sizes, n)
    if (scales is None) == (sizes is None):
        raise LoweringError("exactly one of 'scales' and 'sizes' must be given")
    crop = op.attr.coordinate_transformation_mode == "tf_crop_and_resize"
    roi = _given(b, op.roi, 2 * n) if crop else None
    if crop and roi is None:
        raise LoweringError("tf_crop_and_resize needs the input 'roi'")
    shape = b.shape_of(op.x)
    lengths = [b.cast_to(b.take(shape, i), F64) for i in indices]
    made: list[Axis] = []
    if sizes is not None:
        wanted = vector(b, sizes, n, "sizes")
        outs = [b.take(wanted, k) for k in range(n)]
        factors = [b.div(b.cast_to(o, F64), d) for o, d in zip(outs, lengths, strict=True)]
        if op.attr.keep_aspect_ratio_policy != "stretch":
            pick = b.minimum if op.attr.keep_aspect_ratio_policy == "not_larger" else b.maximum
            common = factors[0]
            for f in factors[1:]:
                common = pick(common, f)
            factors = [common] * n
            outs = [b.cast_to(b.floor(b.add(b.mul(common, d), 0.5)), I64) for d in lengths]  # halves round up
    else:
        assert scales is not None
        factors = [b.cast_to(b.take(scales, k), F64) for k in range(n)]
        spans = [b.constant(np.ones(1))] * n
        if crop:
            spans = [b.sub(*reversed(_roi(b, roi, k, n))) for k in range(n)]
        # The product is rounded to f32, in which scales are given: 3 * (1/3) is 1.
        outs = [
            b.cast_to(b.floor(b.cast_to(b.cast_to(b.mul(b.mul(d, s), f), "f32"), F64)), I64)
            for d, s, f in zip(lengths, spans, factors, strict=True)
        ]
    if any(b.constant_of(o) is None for o in outs):  # one read for all sizes
        together = b.to_host(b.concat(*outs, axis=0))
        outs = [b.take(together, k) for k in range(n)]
    for k, i in enumerate(indices):
        factor = b.constant_of(factors[k])
        if factor is not None and factor.item() == 1.0 and not crop and _same(b, outs[k], b.shape(op.x)[i]):
            continue
        width = b.mul(factors[k], lengths[k])
        made.append(Axis(i, lengths[k], outs[k], factors[k], width, _roi(b, roi, k, n) if crop else None))
    return made


def _same(b: NnBuilder, out: ir.Value, length) -> bool:
    value = b.type(out).value
    return value is None or value[0] == length or not isinstance(length, int)


def _roi(b: NnBuilder, roi: ir.Value | None, k: int, n: int) -> tuple[ir.Value, ir.Value]:
    assert roi is not None
    return b.cast_to(b.take(roi, k), F64), b.cast_to(b.take(roi, n + k), F64)


def _coordinates(op: Node, b: NnBuilder, axis: Axis) -> ir.Value:
    """Where each element of the result lies in the input: f64[out]."""
    at = b.iota(axis.out, axis=0, dtype=F64)
    mode = op.attr.coordinate_transformation_mode
    last = b.sub(axis.length, 1.0)
    single = b.eq(axis.width, 1.0)
    safe = b.select(single, 1.0, b.sub(axis.width, 1.0))
    half = b.sub(b.div(b.add(at, 0.5), axis.scale), 0.5)
    if mode == "asymmetric":
        return b.div(at, axis.scale)
    if mode == "half_pixel":
        return half
    if mode == "pytorch_half_pixel":
        return b.select(single, -0.5, half)
    if mode == "align_corners":
        return b.select(single, 0.0, b.div(b.mul(at, last), safe))
    if mode == "half_pixel_symmetric":
        adjustment = b.div(b.cast_to(axis.out, F64), axis.width)
        offset = b.mul(b.mul(axis.length, 0.5), b.sub(1.0, adjustment))
        return b.add(offset, half)
    assert axis.roi is not None
    start, end = axis.roi
    span = b.mul(b.sub(end, start), last)
    return b.add(b.select(single, b.mul(span, 0.5), b.div(b.mul(at, span), safe)), b.mul(start, last))


def _along(op: Node, b: NnBuilder, x: ir.Value, axis: Axis) -> ir.Value:
    where = _coordinates(op, b, axis)
    base = b.floor(where)
    ratio = b.sub(where, base)
    top = b.sub(axis.length, 1.0)
    if op.attr.mode == "nearest":
        y = _pick(b, x, b.add(base, _round(op, b, ratio)), top, axis)
    elif op.attr.antialias and b.constant_of(axis.scale) is None:
        y = _product(op, b, x, axis, where)
    else:
        y = _blend(op, b, x, axis, base, _taps(op, b, ratio, axis), top)
    if axis.roi is not None:
        outside = b.or_(b.lt(where, 0.0), b.gt(where, top))
        fill = b.constant(np.array(op.attr.extrapolation_value).astype(b.dtype(x).numpy))
        y = b.select(_placed(b, outside, axis.index, b.rank(x)), fill, y)
    return y


def _round(op: Node, b: NnBuilder, ratio: ir.Value) -> ir.Value:
    """0 for the neighbour at or below, 1 for the one above."""
    up = {
        "round_prefer_floor": lambda: b.gt(ratio, 0.5),
        "round_prefer_ceil": lambda: b.ge(ratio, 0.5),
        "floor": lambda: b.gt(ratio, 1.0),
        "ceil": lambda: b.gt(ratio, 0.0),
    }[op.attr.nearest_mode]()
    return b.cast_to(up, F64)


def _taps(op: Node, b: NnBuilder, ratio: ir.Value, axis: Axis) -> list[tuple[int, ir.Value]]:
    """(offset from the neighbour below, weight) of each neighbour."""
    support = 1 if op.attr.mode == "linear" else 2
    scale: float = 1.0
    if op.attr.antialias:
        scale = min(float(b.constant_of(axis.scale).item()), 1.0)
    start = math.floor(-support / scale) + 1
    kernel = _linear if op.attr.mode == "linear" else _cubic
    return [(k, kernel(op, b, b.mul(b.sub(float(k), ratio), scale))) for k in range(start, 2 - start)]


def _linear(op: Node, b: NnBuilder, d: ir.Value) -> ir.Value:
    return b.maximum(b.sub(1.0, b.abs(d)), 0.0)


def _cubic(op: Node, b: NnBuilder, d: ir.Value) -> ir.Value:
    """Keys' kernel (IEEE TASSP 29(6), 1981, eq. 4) with coefficient ``cubic_coeff_a``."""
    a, t = op.attr.cubic_coeff_a, b.abs(d)
    near = b.add(b.mul(b.mul(b.sub(b.mul(t, a + 2.0), a + 3.0), t), t), 1.0)
    far = b.sub(b.mul(b.add(b.mul(b.sub(b.mul(t, a), 5.0 * a), t), 8.0 * a), t), 4.0 * a)
    return b.select(b.le(t, 1.0), near, b.select(b.lt(t, 2.0), far, 0.0))


def _blend(op: Node, b: NnBuilder, x: ir.Value, axis: Axis, base: ir.Value, taps, top: ir.Value) -> ir.Value:
    places = [b.add(base, float(k)) for k, _ in taps]
    weights = [w for _, w in taps]
    if op.attr.exclude_outside:
        weights = [
            b.select(b.and_(b.ge(p, 0.0), b.le(p, top)), w, 0.0) for p, w in zip(places, weights, strict=True)
        ]
    if op.attr.exclude_outside or op.attr.antialias:
        total = weights[0]
        for w in weights[1:]:
            total = b.add(total, w)
        weights = [b.div(w, total) for w in weights]
    y: ir.Value | None = None
    for place, weight in zip(places, weights, strict=True):
        factor = _placed(b, b.cast_to(weight, b.dtype(x)), axis.index, b.rank(x))
        term = b.mul(_pick(b, x, place, top, axis), factor)
        y = term if y is None else b.add(y, term)
    assert y is not None
    return y


def _product(op: Node, b: NnBuilder, x: ir.Value, axis: Axis, where: ir.Value) -> ir.Value:
    """An antialiasing filter whose width is only known at run time: a product with the matrix of all weights."""
    support = 1.0 if op.attr.mode == "linear" else 2.0
    scale = b.minimum(axis.scale, 1.0)
    reach = b.add(b.ceil(b.div(support, scale)), 1.0)  # how far outside the input a neighbour may lie
    count = b.to_host(b.cast_to(b.add(axis.length, b.mul(reach, 2.0)), I64))
    place = b.sub(b.iota(count, axis=0, dtype=F64), reach)
    top = b.sub(axis.length, 1.0)
    kernel = _linear if op.attr.mode == "linear" else _cubic
    weights = kernel(op, b, b.mul(b.sub(b.unsqueeze(place, [1]), b.unsqueeze(where, [0])), scale))
    if op.attr.exclude_outside:
        inside = b.unsqueeze(b.and_(b.ge(place, 0.0), b.le(place, top)), [1])
        weights = b.select(inside, weights, 0.0)
    weights = b.div(weights, b.reduce(weights, kind="sum", axes=(0,), keepdims=True))
    rank = b.rank(x)
    order = [*(i for i in range(rank) if i != axis.index), axis.index]
    rows = b.transpose(_pick(b, x, place, top, axis), perm=order)
    y = b.matmul(rows, b.cast_to(weights, b.dtype(x)), out=b.dtype(x))
    return b.transpose(y, perm=[order.index(i) for i in range(rank)])


def _pick(b: NnBuilder, x: ir.Value, place: ir.Value, top: ir.Value, axis: Axis) -> ir.Value:
    """The elements at f64 places, those outside taken from the border."""
    inside = b.minimum(b.maximum(place, 0.0), top)
    return b.gather(x, b.cast_to(inside, I64), axis=axis.index)


def _placed(b: NnBuilder, v: ir.Value, axis: int, rank: int) -> ir.Value:
    """A vector as a tensor that broadcasts along ``axis``."""
    return b.unsqueeze(v, range(1, rank - axis)) if axis < rank - 1 else v
