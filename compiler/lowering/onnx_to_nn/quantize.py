"""Quantised operators: to and from integers and small floats, and products of quantised operands.

Products subtract the zero points first (in 16 bits, which hold every difference of 8-bit numbers), so that padding
and accumulation see plain integers, and accumulate in i32. Rescaling is in f32: rounded to nearest, halves to even,
then moved by the zero point and clamped.
"""

from __future__ import annotations

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.conv import kernel_of
from davit.compiler.lowering.onnx_to_nn.elementwise import element
from davit.compiler.lowering.onnx_to_nn.norm import channels
from davit.compiler.lowering.onnx_to_nn.window import window
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.dims import axis_of
from davit.dialects.types import DTYPES, DType
from davit.mlir import ir

F32 = DTYPES["f32"]
I16 = DTYPES["i16"]
I32 = DTYPES["i32"]
UI8 = DTYPES["ui8"]


def limits(dt: DType) -> tuple[int, int]:
    """The smallest and largest integer of a type."""
    return (0, (1 << dt.bits) - 1) if dt.kind == "unsigned" else (-(1 << (dt.bits - 1)), (1 << (dt.bits - 1)) - 1)


def is_zero(b: NnBuilder, v: ir.Value | None) -> bool:
    """Absent, or a constant of zeros."""
    if v is None:
        return True
    array = b.constant_of(v)
    return array is not None and not array.astype(np.float32).any()


def to_integer(b: NnBuilder, x: ir.Value, zero: ir.Value | None, dt: DType) -> ir.Value:
    """Round f32 values, move them by the zero point and clamp them to an integer type."""
    q = b.round(x)
    if not is_zero(b, zero):
        q = b.add(q, b.cast_to(zero, F32))
    low, high = limits(dt)
    return b.cast_to(b.minimum(b.maximum(q, float(low)), float(high)), dt)


def spread(op: Node, b: NnBuilder, v: ir.Value, x: ir.Value) -> ir.Value:
    """A scale or zero point in a shape that broadcasts to ``x``: per tensor, per axis, or per block along the axis."""
    rank, given = b.rank(x), b.rank(v)
    if given == 0:
        return v
    if given == 1 and b.shape(v) == (1,):
        return b.reshape_to(v, [])
    if given == rank == 1 and not op.attr.block_size:
        return v  # the axis attribute's default is outside a vector, and there is no other axis
    axis = axis_of(op.attr.axis, rank)
    block = op.attr.block_size or 0
    if block < 0:
        raise LoweringError(f"block_size is {block}; it must be positive")
    if block and given == rank:
        places = b.iota(b.take(b.shape_of(x), axis), axis=0, dtype=DTYPES["i64"])
        return b.gather(v, b.div(places, block), axis=axis)
    if given == 1:
        return b.unsqueeze(v, list(range(1, rank - axis))) if axis < rank - 1 else v
    raise LoweringError(
        f"its scale has {given} dimensions; it must have 0, 1, or those of the input ({rank}) with block_size set"
    )


@lowers("quantizelinear")
def quantize_linear(op: Node, b: NnBuilder) -> ir.Value:
    """QuantizeLinear-28: ``saturate(round(x / scale) + zero_point)``, divided in ``precision`` or the scale's type."""
    x, scale, zero = op.x, op.y_scale, op.y_zero_point
    to = b.dtype(zero) if zero is not None else element(op.attr.output_dtype) if op.attr.output_dtype else UI8
    if op.attr.output_dtype and element(op.attr.output_dtype) != to:
        raise LoweringError(f"output_dtype is {element(op.attr.output_dtype)}, but the zero point's type is {to}")
    if op.attr.precision:
        compute = element(op.attr.precision)
    else:
        compute = next((t for t in (b.dtype(scale), b.dtype(x)) if t.is_float and not t.is_tiny), F32)
    ratio = b.div(b.cast_to(x, compute), b.cast_to(spread(op, b, scale, x), compute))
    if zero is not None:
        zero = None if is_zero(b, zero) else spread(op, b, zero, x)
    if to.is_int:
        return to_integer(b, b.cast_to(ratio, F32), zero, to)
    if zero is not None:
        ratio = b.add(b.cast_to(ratio, F32), b.cast_to(zero, F32))
    return b.cast(ratio, to=to, saturate=bool(op.attr.saturate))


@lowers("dequantizelinear")
def dequantize_linear(op: Node, b: NnBuilder) -> ir.Value:
    """DequantizeLinear-28: ``(x - zero_point) * scale``, multiplied in f32 and rounded once to the output's type."""
    x, scale, zero = op.x, op.x_scale, op.x_zero_point
    out = element(op.attr.output_dtype) if op.attr.output_dtype else b.dtype(scale)
    if out.is_tiny:
        raise LoweringError(f"output_dtype must be set where the scale is of type {out}")
    dt = b.dtype(x)
    if is_zero(b, zero):
        wide = b.cast_to(x, F32)
    elif dt.is_int:
        wide = b.cast_to(b.sub(b.cast_to(x, I32), b.cast_to(spread(op, b, zero, x), I32)), F32)
    else:
        wide = b.sub(b.cast_to(x, F32), b.cast_to(spread(op, b, zero, x), F32))
    return b.cast_to(b.mul(wide, b.cast_to(spread(op, b, scale, x), F32)), out)


@lowers("dynamicquantizelinear")
def dynamic_quantize_linear(op: Node, b: NnBuilder) -> tuple[ir.Value, ir.Value, ir.Value]:
    """DynamicQuantizeLinear-11: the range of the data, widened to hold 0, mapped to 0..255."""
    x = op.x
    axes = tuple(range(b.rank(x)))
    high = b.maximum(b.reduce(x, kind="max", axes=axes, keepdims=False), 0.0)
    low = b.minimum(b.reduce(x, kind="min", axes=axes, keepdims=False), 0.0)
    span = b.sub(high, low)
    scale = b.div(b.select(b.eq(span, 0.0), b.constant(np.float32(1)), span), 255.0)
    zero = b.round(b.minimum(b.maximum(b.div(b.neg(low), scale), 0.0), 255.0))
    q = b.add(b.round(b.div(x, scale)), zero)
    return b.cast_to(b.minimum(b.maximum(q, 0.0), 255.0), UI8), scale, b.cast_to(zero, UI8)


# -- products -----------------------------------------------------------------------------------------------------


def shifted(b: NnBuilder, x: ir.Value, zero: ir.Value | None) -> ir.Value:
    """``x - zero`` without overflow; ``x`` itself where there is nothing to subtract."""
    if is_zero(b, zero):
        return x
    dt = b.dtype(x)
    wide = F32 if dt.is_float else I16 if dt.bits <= 8 else I32
    return b.sub(b.cast_to(x, wide), b.cast_to(zero, wide))


def alike(b: NnBuilder, x: ir.Value, y: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Both operands of a product in one type that holds either."""
    s, t = b.dtype(x), b.dtype(y)
    if s.is_float or t.is_float:
        return b.cast_to(x, F32), b.cast_to(y, F32)
    if s == t:
        return x, y
    wide = I16 if max(s.bits, t.bits) <= 8 or I16 in (s, t) and max(s.bits, t.bits) <= 16 else I32
    return b.cast_to(x, wide), b.cast_to(y, wide)


def per_row(b: NnBuilder, v: ir.Value | None, rank: int) -> ir.Value | None:
    """A scale or zero point of matrix rows: a vector has one entry per row."""
    return b.unsqueeze(v, [1]) if v is not None and b.rank(v) == 1 and rank > 1 else v


def _product(b: NnBuilder, x: ir.Value, x_zero: ir.Value | None, y: ir.Value, y_zero: ir.Value | None) -> ir.Value:
    """The matrix product in i32 (f32 for 8-bit floats)."""
    left, right = alike(b, shifted(b, x, per_row(b, x_zero, b.rank(x))), shifted(b, y, y_zero))
    return b.matmul(left, right, out=F32 if b.dtype(left).is_float else I32)


@lowers("matmulinteger")
def matmul_integer(op: Node, b: NnBuilder) -> ir.Value:
    """MatMulInteger-10; zero points per tensor, per row of A, per column of B."""
    return _product(b, op.a, op.a_zero_point, op.b, op.b_zero_point)


def rescaled(b: NnBuilder, total: ir.Value, scale: ir.Value, zero: ir.Value | None, to: DType) -> ir.Value:
    """An i32 or f32 sum times an f32 scale, quantised."""
    y = b.mul(b.cast_to(total, F32), scale)
    if to.is_int:
        return to_integer(b, y, zero, to)
    if not is_zero(b, zero):
        y = b.add(y, b.cast_to(zero, F32))
    return b.cast(y, to=to)


@lowers("qlinearmatmul")
def qlinear_matmul(op: Node, b: NnBuilder) -> ir.Value:
    """QLinearMatMul-21; scales and zero points per tensor, per row of a (and y), per column of b."""
    total = _product(b, op.a, op.a_zero_point, op.b, op.b_zero_point)
    rank = b.rank(total)
    a_scale, b_scale, y_scale = (b.cast_to(s, F32) for s in (op.a_scale, op.b_scale, op.y_scale))
    scale = b.div(b.mul(per_row(b, a_scale, rank), b_scale), per_row(b, y_scale, rank))
    return rescaled(b, total, scale, per_row(b, op.y_zero_point, rank), b.dtype(op.y_zero_point))


def _convolution(op: Node, b: NnBuilder) -> ir.Value:
    """The convolution in i32; padding stands for the zero point."""
    x, w = op.x, op.w
    rank = b.rank(x)
    known = all(isinstance(d, int) for d in b.shape(w)[2:])
    same = (op.attr.auto_pad or "NOTSET") not in ("NOTSET", "VALID")
    kernel = kernel_of(op, b, w) if known or same else (1,) * (rank - 2)  # only SAME padding depends on it
    win = window(op, b.shape(x)[2:], kernel)
    w_zero = op.w_zero_point
    if w_zero is not None and b.rank(w_zero) == 1 and b.shape(w_zero) != (1,):
        w_zero = b.unsqueeze(w_zero, list(range(1, rank)))
    left, right = alike(b, shifted(b, x, _scalar(b, op.x_zero_point)), shifted(b, w, w_zero))
    return b.conv(
        left, right, strides=win.strides, dilations=win.dilations, low=win.low, high=win.high, groups=op.attr.group,
        out=I32,
    )  # fmt: skip


def _scalar(b: NnBuilder, v: ir.Value | None) -> ir.Value | None:
    """A value of one element, without its dimensions."""
    return b.reshape_to(v, []) if v is not None and b.rank(v) else v


@lowers("convinteger")
def conv_integer(op: Node, b: NnBuilder) -> ir.Value:
    """ConvInteger-10; the weight's zero point per tensor or per filter."""
    return _convolution(op, b)


@lowers("qlinearconv")
def qlinear_conv(op: Node, b: NnBuilder) -> ir.Value:
    """QLinearConv-10; the weight's scale and zero point per tensor or per filter, the bias in units of both scales."""
    total = _convolution(op, b)
    rank = b.rank(total)
    if op.b is not None:
        total = b.add(total, channels(b, op.b, rank))
    w_scale = op.w_scale
    if b.rank(w_scale) == 1:
        w_scale = _scalar(b, w_scale) if b.shape(w_scale) == (1,) else channels(b, w_scale, rank)
    scale = b.div(b.mul(w_scale, _scalar(b, op.x_scale)), _scalar(b, op.y_scale))
    return rescaled(b, total, scale, _scalar(b, op.y_zero_point), b.dtype(op.y_zero_point))
