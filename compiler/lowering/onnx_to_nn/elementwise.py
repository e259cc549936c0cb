"""Arithmetic, comparison, logic, bits, selection and conversion: ONNX's elementwise operators.

Broadcasting is numpy's throughout and belongs to the nn ops. Where a spec leaves a result open (a division by zero
of integers, a float beyond an integer's range) the nn ops say what comes out; nothing traps.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
from onnx import TensorProto, helper

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.types import DTYPES, DType, dtype
from davit.mlir import ir

F32 = DTYPES["f32"]
F64 = DTYPES["f64"]
I64 = DTYPES["i64"]


def element(data_type: int) -> DType:
    """The element type behind a TensorProto.DataType.

    Raises:
        LoweringError: it has no form on the device.
    """
    if data_type == TensorProto.STRING:
        raise LoweringError("strings have no device form")
    try:
        return dtype(helper.tensor_dtype_to_np_dtype(data_type))
    except KeyError:
        known = data_type in TensorProto.DataType.values()
        name = TensorProto.DataType.Name(data_type) if known else str(data_type)
        raise LoweringError(f"the element type {name} is not supported") from None


# -- operators that are one nn op on all their operands -----------------------------------------------------------

_DIRECT = {
    "add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "neg": "Neg", "abs": "Abs", "sign": "Sign",
    "and": "And BitwiseAnd", "or": "Or BitwiseOr", "xor": "Xor BitwiseXor", "not": "Not BitwiseNot",
    "eq": "Equal", "lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual",
    "select": "Where", "is_nan": "IsNaN",
    "exp": "Exp", "log": "Log", "sqrt": "Sqrt", "floor": "Floor", "ceil": "Ceil", "round": "Round", "erf": "Erf",
    "sin": "Sin", "cos": "Cos", "tan": "Tan", "asin": "Asin", "acos": "Acos", "atan": "Atan",
    "sinh": "Sinh", "cosh": "Cosh", "tanh": "Tanh", "asinh": "Asinh", "acosh": "Acosh", "atanh": "Atanh",
}  # fmt: skip


def _direct(nn_name: str, onnx_names: str) -> None:
    @lowers(*onnx_names.lower().split())
    def lower(op: Node, b: NnBuilder) -> ir.Value:
        return b.op(nn_name, *op.operands)

    lower.__doc__ = f"nn.{nn_name} on all operands."


for _nn, _onnx in _DIRECT.items():
    _direct(_nn, _onnx)


@lowers("identity")
def identity(op: Node, b: NnBuilder) -> ir.Value:
    return op.input


@lowers("reciprocal")
def reciprocal(op: Node, b: NnBuilder) -> ir.Value:
    return b.div(1, op.x)


# -- variadic -----------------------------------------------------------------------------------------------------


def _fold(op: Node, b: NnBuilder, name: str) -> ir.Value:
    return reduce(lambda x, y: b.op(name, x, y), op.operands)


@lowers("max")
def maximum(op: Node, b: NnBuilder) -> ir.Value:
    """NaN wins, as in numpy.maximum."""
    return _fold(op, b, "maximum")


@lowers("min")
def minimum(op: Node, b: NnBuilder) -> ir.Value:
    """NaN wins, as in numpy.minimum."""
    return _fold(op, b, "minimum")


@lowers("sum")
def sum_(op: Node, b: NnBuilder) -> ir.Value:
    return _fold(op, b, "add")


@lowers("mean")
def mean(op: Node, b: NnBuilder) -> ir.Value:
    return b.div(_fold(op, b, "add"), len(op.operands))


# -- bounded, remainder, power ------------------------------------------------------------------------------------


@lowers("clip")
def clip(op: Node, b: NnBuilder) -> ir.Value:
    """``min(max(x, low), high)``: the upper bound wins where the bounds cross, and NaN stays."""
    x = op.input
    if op.min is not None:
        x = b.maximum(x, op.min)
    return x if op.max is None else b.minimum(x, op.max)


@lowers("mod")
def mod(op: Node, b: NnBuilder) -> ir.Value:
    """The remainder has the divisor's sign, or the dividend's with ``fmod``."""
    return b.rem(op.a, op.b) if op.attr.fmod else b.mod(op.a, op.b)


@lowers("pow")
def power(op: Node, b: NnBuilder) -> ir.Value:
    """The result has the base's type; bases and exponents of two kinds are computed in a type that holds both."""
    x, y = op.x, op.y
    base, exponent = b.dtype(x), b.dtype(y)
    if base == exponent:
        return b.pow(x, y)
    constant = b.constant_of(y)
    if constant is not None and np.array_equal(constant.astype(base.numpy).astype(constant.dtype), constant):
        return b.pow(x, b.constant(constant, base))
    if base.is_int and exponent.is_int:
        if exponent.name == "ui64":
            # Powers repeat with a period that divides 2^62: bit 63 may move to bit 62, and i64 holds the rest.
            y = b.or_(b.and_(y, b.constant(np.uint64(2**63 - 1))), b.shift_left(b.shift_right_logical(y, 63), 62))
        return b.cast_to(b.pow(b.cast_to(x, I64), b.cast_to(y, I64)), base)
    wide = F64 if {base.bits, exponent.bits} & {32, 64} and (base.is_int or exponent.bits > 32) else F32
    if base.is_float and exponent.is_float:
        wide = F64 if 64 in (base.bits, exponent.bits) else F32
    return b.cast_to(b.pow(b.cast_to(x, wide), b.cast_to(y, wide)), base)


@lowers("bitshift")
def bit_shift(op: Node, b: NnBuilder) -> ir.Value:
    """Amounts outside [0, bits) shift everything out; a right shift keeps the sign of signed types."""
    if op.attr.direction == "LEFT":
        return b.shift_left(op.x, op.y)
    if op.attr.direction != "RIGHT":
        raise LoweringError(f"direction is {op.attr.direction!r}; it must be LEFT or RIGHT")
    if b.dtype(op.x).kind == "signed":
        return b.shift_right_arithmetic(op.x, op.y)
    return b.shift_right_logical(op.x, op.y)


@lowers("isinf")
def is_inf(op: Node, b: NnBuilder) -> ir.Value:
    x = op.x
    infinite = b.is_inf(x)
    if op.attr.detect_negative and op.attr.detect_positive:
        return infinite
    if not op.attr.detect_negative and not op.attr.detect_positive:
        return b.and_(infinite, False)
    wide = b.cast_to(x, F32) if b.dtype(x).bits <= 16 else x
    side = b.gt(wide, 0) if op.attr.detect_positive else b.lt(wide, 0)
    return b.and_(infinite, side)


# -- types --------------------------------------------------------------------------------------------------------


def _cast(op: Node, b: NnBuilder, x: ir.Value, to: DType) -> ir.Value:
    if to.name == "!onnx.string" or b.dtype(x).name == "!onnx.string":
        raise LoweringError("strings have no device form")
    round_mode = op.attr.round_mode or "up"
    if round_mode not in ("up", "down", "nearest"):
        raise LoweringError(f"round_mode is {round_mode!r}; it must be up, down or nearest")
    if b.dtype(x) == to:
        return x
    if to.name != "f8E8M0FNU":
        round_mode = "nearest"
    return b.cast(x, to=to, saturate=bool(op.attr.saturate), round_mode=round_mode)


@lowers("cast")
def cast(op: Node, b: NnBuilder) -> ir.Value:
    return _cast(op, b, op.input, element(op.attr.to))


@lowers("castlike")
def cast_like(op: Node, b: NnBuilder) -> ir.Value:
    return _cast(op, b, op.input, b.dtype(op.target_type))


@lowers("bitcast")
def bit_cast(op: Node, b: NnBuilder) -> ir.Value:
    """A bool is a byte of 0 or 1 here, as in ONNX's own tensors."""
    x, to = op.input, element(op.attr.to)
    if b.dtype(x).kind == "bool" and to.bits == 8:
        x = b.cast_to(x, "ui8")
    if to.kind == "bool" and b.dtype(x).bits == 8:
        return b.ne(b.bitcast(x, to=DTYPES["ui8"]), 0)
    return x if b.dtype(x) == to else b.bitcast(x, to=to)
