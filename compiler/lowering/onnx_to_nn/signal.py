"""Fourier transforms as products with cosine and sine matrices; window functions; mel filter banks."""

from __future__ import annotations

import math

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.structure import join
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.dims import axis_of
from davit.dialects.types import DTYPES, DType, Tensor, dtype
from davit.mlir import ir

F64, I64 = DTYPES["f64"], DTYPES["i64"]


def scalar(b: NnBuilder, v: ir.Value) -> ir.Value:
    """An integer scalar operand as i64[1], at hand for sizes."""
    v = b.cast_to(b.reshape_to(v, (1,)), I64)
    return v if b.constant_of(v) is not None else b.to_host(v)


def angles(b: NnBuilder, rows: ir.Value, columns: ir.Value, length: ir.Value) -> ir.Value:
    """2 pi (r c mod length) / length as f64[rows, columns]; the product is exact, so that large ones do not drift."""
    r = b.unsqueeze(b.iota(rows, axis=0, dtype=I64), [1])
    c = b.unsqueeze(b.iota(columns, axis=0, dtype=I64), [0])
    turns = b.div(b.cast_to(b.rem(b.mul(r, c), length), F64), b.cast_to(length, F64))
    return b.mul(turns, 2.0 * math.pi)


def parts(b: NnBuilder, x: ir.Value) -> tuple[ir.Value, ir.Value | None]:
    """Real and imaginary part of [..., 1 or 2]."""
    rank, width = b.rank(x), b.shape(x)[-1]
    if width not in (1, 2):
        raise LoweringError(f"the last dimension holds real and imaginary part: it must be 1 or 2, not {width}")

    def take(i: int) -> ir.Value:
        starts, limits = [0] * rank, [2**63 - 1] * rank
        starts[-1], limits[-1] = i, i + 1
        return b.squeeze(b.slice(x, starts=starts, limits=limits, strides=[1] * rank), [rank - 1])

    return take(0), take(1) if width == 2 else None


def fit(b: NnBuilder, x: ir.Value, axis: int, length: ir.Value) -> ir.Value:
    """``x`` cut or filled with zeros to ``length`` along an axis."""
    rank = b.rank(x)
    extra = b.sub(length, b.take(b.shape_of(x), axis))
    zero = b.constant(np.zeros((), b.dtype(x).numpy))
    known = b.constant_of(extra)
    if known is not None:
        high = [0] * rank
        high[axis] = int(known[0])
        return b.pad(x, zero, low=[0] * rank, high=high) if known[0] else x
    none = b.constant(np.zeros(rank, np.int64))
    high_v = join(b, [extra if i == axis else 0 for i in range(rank)])
    return b.dynamic_pad(x, zero, none, high_v)


def transform(b: NnBuilder, re: ir.Value, im: ir.Value | None, length: ir.Value, bins: ir.Value, sign: float):
    """Products of [..., length] with exp(sign i 2 pi n k / length) for k below ``bins``."""
    dt = b.dtype(re)
    a = angles(b, length, bins, length)
    cos, sin = b.cast_to(b.cos(a), dt), b.cast_to(b.mul(b.sin(a), sign), dt)
    real, imag = b.matmul(re, cos, out=dt), b.matmul(re, sin, out=dt)
    if im is not None:
        real = b.sub(real, b.matmul(im, sin, out=dt))
        imag = b.add(imag, b.matmul(im, cos, out=dt))
    return real, imag


def half(b: NnBuilder, length: ir.Value) -> ir.Value:
    """length // 2 + 1"""
    return b.add(b.div(length, 2), 1)


@lowers("dft")
def dft(op: Node, b: NnBuilder):
    """DFT-20. The tensor is taken as [before, axis, after], so that even the axis may be known at run time only."""
    x = b.cast_to(op.input, F64)  # sums of many terms that cancel: an empty bin should come out empty
    rank = b.rank(x)
    inverse, onesided = bool(op.attr.inverse), bool(op.attr.onesided)
    shape = b.shape_of(x)
    before, size, after, new_shape = _around(op, b, shape, rank)
    if op.dft_length is not None:
        length = scalar(b, op.dft_length)
    elif inverse and onesided:
        length = b.mul(b.sub(size, 1), 2)
    else:
        length = size
    target = join(b, [before, size, after, b.take(shape, rank - 1)])
    flat = b.op("reshape", x, target, result=Tensor(b.dtype(x), (None, None, None, b.shape(x)[-1])))
    re, im = parts(b, b.transpose(flat, perm=(0, 2, 1, 3)))
    held = half(b, length) if inverse and onesided else length
    re, im = fit(b, re, 2, held), None if im is None else fit(b, im, 2, held)
    dt = b.dtype(x)
    if inverse and onesided:
        outs, bins = [_real_inverse(b, re, im, length, held)], length
    else:
        bins = half(b, length) if onesided else length
        outs = list(transform(b, re, im, length, bins, 1.0 if inverse else -1.0))
        if inverse:
            outs = [b.div(o, b.cast_to(length, dt)) for o in outs]
    made = b.concat(*(b.unsqueeze(o, [3]) for o in outs), axis=3)
    back = b.transpose(made, perm=(0, 2, 1, 3))
    y = b.reshape(back, join(b, [*new_shape(bins), len(outs)]))
    return b.cast_to(y, b.dtype(op.input))


def _around(op: Node, b: NnBuilder, shape: ir.Value, rank: int):
    """Sizes before, along and after the axis, and the signal's new shape from a new size along the axis."""
    sizes = [b.take(shape, i) for i in range(rank - 1)]
    axis = None if op.axis is None else b.constant_of(op.axis)
    one = b.constant(np.ones(1, np.int64))

    def product(values: list[ir.Value]) -> ir.Value:
        total = one
        for v in values:
            total = b.mul(total, v)
        return total

    if op.axis is None or axis is not None:
        at = axis_of(-2 if axis is None else int(axis.item()), rank)
        if at == rank - 1:
            raise LoweringError("axis names the last dimension, which holds real and imaginary part")
        new = lambda n: [*sizes[:at], n, *sizes[at + 1 :]]  # noqa: E731
        return product(sizes[:at]), sizes[at], product(sizes[at + 1 :]), new
    where = scalar(b, op.axis)
    where = b.select(b.lt(where, 0), b.add(where, rank), where)
    hits = [b.eq(where, i) for i in range(rank - 1)]
    before = product([b.select(b.gt(where, i), d, 1) for i, d in enumerate(sizes)])
    after = product([b.select(b.lt(where, i), d, 1) for i, d in enumerate(sizes)])
    size = product([b.select(h, d, 1) for h, d in zip(hits, sizes, strict=True)])
    return before, size, after, lambda n: [b.select(h, n, d) for h, d in zip(hits, sizes, strict=True)]


def _real_inverse(b: NnBuilder, re: ir.Value, im: ir.Value | None, length: ir.Value, held: ir.Value) -> ir.Value:
    """The real signal of a one-sided spectrum: all bins but the first and an even length's last count twice."""
    dt = b.dtype(re)
    k = b.iota(held, axis=0, dtype=I64)
    once = b.or_(b.eq(k, 0), b.eq(b.mul(k, 2), length))
    weight = b.div(b.select(once, 1.0, b.constant(np.full((), 2.0))), b.cast_to(length, F64))
    a = angles(b, held, length, length)
    weight = b.unsqueeze(weight, [1])
    y = b.matmul(re, b.cast_to(b.mul(b.cos(a), weight), dt), out=dt)
    return y if im is None else b.sub(y, b.matmul(im, b.cast_to(b.mul(b.sin(a), weight), dt), out=dt))


@lowers("stft")
def stft(op: Node, b: NnBuilder):
    """STFT-17: frames are gathered, multiplied with the window and transformed."""
    x = b.cast_to(op.signal, F64)
    dt = b.dtype(x)
    step, size = scalar(b, op.frame_step), b.take(b.shape_of(x), 1)
    if op.frame_length is not None:
        length = scalar(b, op.frame_length)
    else:
        length = size if op.window is None else b.shape_of(op.window)
    frames = b.add(b.div(b.sub(size, length), step), 1)
    starts = b.mul(b.unsqueeze(b.iota(frames, axis=0, dtype=I64), [1]), step)
    at = b.add(starts, b.unsqueeze(b.iota(length, axis=0, dtype=I64), [0]))
    re, im = (None if p is None else b.gather(p, at, axis=1) for p in parts(b, x))
    if op.window is not None:
        window = b.cast_to(op.window, dt)
        re, im = b.mul(re, window), None if im is None else b.mul(im, window)
    if op.attr.onesided and im is not None:
        raise LoweringError("onesided=1 needs a real signal: the last dimension must be 1")
    bins = half(b, length) if op.attr.onesided else length
    outs = transform(b, re, im, length, bins, -1.0)
    return b.cast_to(b.concat(*(b.unsqueeze(o, [3]) for o in outs), axis=3), b.dtype(op.signal))


WINDOWS: dict[str, tuple[float, ...]] = {
    # coefficients of cos(2 pi k n / N); the specification's function bodies
    "hannwindow": (0.5, -0.5),
    "hammingwindow": (25.0 / 46.0, -21.0 / 46.0),
    "blackmanwindow": (0.42, -0.5, 0.08),
}


def _window(name: str) -> None:
    @lowers(name)
    def window(op: Node, b: NnBuilder):
        size = scalar(b, op.size)
        span = b.cast_to(size if op.attr.periodic else b.sub(size, 1), F64)
        turn = b.div(b.mul(b.iota(size, axis=0, dtype=F64), 2.0 * math.pi), span)
        y: ir.Value | None = None
        for k, c in enumerate(WINDOWS[name]):
            term = b.mul(b.cos(b.mul(turn, float(k))), c)
            y = term if y is None else b.add(y, term)
        return b.cast_to(y, out_type(op.attr.output_datatype))

    window.__doc__ = f"{name}-17: a sum of cosines."


for _name in WINDOWS:
    _window(_name)


def out_type(number: int) -> DType:
    """The element type that ``output_datatype`` (a TensorProto.DataType) names."""
    import onnx

    try:
        return dtype(onnx.helper.tensor_dtype_to_np_dtype(number))
    except KeyError:
        raise LoweringError(f"output_datatype={number} is no type of numbers") from None


@lowers("melweightmatrix")
def mel_weight_matrix(op: Node, b: NnBuilder):
    """MelWeightMatrix-17: triangles between neighbouring mel bins, as ONNX's reference lays them."""
    mels, length = scalar(b, op.num_mel_bins), scalar(b, op.dft_length)
    rate = b.cast_to(b.reshape_to(op.sample_rate, (1,)), F64)
    edges = [b.cast_to(b.reshape_to(v, (1,)), F64) for v in (op.lower_edge_hertz, op.upper_edge_hertz)]
    low, high = (b.mul(b.log(b.add(b.div(e, 700.0), 1.0)), 2595.0 / math.log(10.0)) for e in edges)
    points = b.add(mels, 2)
    step = b.div(b.sub(high, low), b.cast_to(points, F64))
    mel = b.add(b.mul(b.iota(points, axis=0, dtype=F64), step), low)
    hertz = b.mul(b.sub(b.exp(b.mul(mel, math.log(10.0) / 2595.0)), 1.0), 700.0)
    bins = b.floor(b.div(b.mul(hertz, b.cast_to(b.add(length, 1), F64)), rate))
    index = b.iota(mels, axis=0, dtype=I64)
    lower, center, upper = (b.unsqueeze(b.gather(bins, b.add(index, k), axis=0), [0]) for k in range(3))
    j = b.unsqueeze(b.iota(half(b, length), axis=0, dtype=F64), [1])
    rise = b.sub(center, lower)
    rising = b.div(b.sub(j, lower), b.maximum(rise, 1.0))
    peak = b.cast_to(b.eq(j, center), F64)
    y = b.select(b.and_(b.ge(j, lower), b.le(j, center)), b.select(b.eq(rise, 0.0), peak, rising), 0.0)
    fall = b.sub(upper, center)
    falling = b.div(b.sub(upper, j), b.maximum(fall, 1.0))
    y = b.select(b.and_(b.and_(b.gt(fall, 0.0), b.ge(j, center)), b.lt(j, upper)), falling, y)
    return b.cast_to(y, out_type(op.attr.output_datatype))
