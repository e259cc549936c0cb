"""Elementwise nn ops: one scalar function each, mapped over tensors with broadcasting."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from davit.compiler.linalg_builder import convert, trig
from davit.compiler.linalg_builder import mathfn as m
from davit.compiler.linalg_builder.builder import Array, LinalgBuilder
from davit.compiler.linalg_builder.scalar import Scalar, const
from davit.compiler.lowering.nn_to_linalg.base import lowers
from davit.dialects.nn import View
from davit.dialects.nn.elementwise import TABLE
from davit.dialects.types import DTYPES

F32 = DTYPES["f32"]


def _maximum(a: Scalar, b: Scalar) -> Scalar:
    return a | b if a.dtype.kind == "bool" else a.maximum(b)


def _minimum(a: Scalar, b: Scalar) -> Scalar:
    return a & b if a.dtype.kind == "bool" else a.minimum(b)


def _rem(a: Scalar, b: Scalar) -> Scalar:
    return m.remainder(a, b) if a.dtype.is_float else a % b


def _mod(a: Scalar, b: Scalar) -> Scalar:
    """Python's %: the remainder moves to the divisor's sign."""
    r = _rem(a, b)
    if a.dtype.kind == "unsigned":
        return r
    if a.dtype.is_float:
        # A zero remainder takes the divisor's sign too, as numpy does; NaN passes through.
        fixed = (r.ne(0) & ((r < 0) ^ (b < 0))).select(r + b, r)
        return r.eq(0).select(m.copysign(r, b), fixed)
    return (r.ne(0) & ((r < 0) ^ (b < 0))).select(r + b, r)


def _pow(a: Scalar, b: Scalar) -> Scalar:
    if a.dtype.is_float:
        k = b.known
        if k in (0.5, 1, 2, 3):
            return {0.5: lambda: m.sqrt(a), 1: lambda: a, 2: lambda: a * a, 3: lambda: a * a * a}[k]()
        return m.powf(a, b)
    return _int_power(a, b)


def _int_power(a: Scalar, b: Scalar) -> Scalar:
    """Square and multiply over all bits of the exponent, without branches."""
    negative = b < 0 if a.dtype.kind == "signed" else None
    result, square, left = a.like(1), a, b
    for _ in range(a.dtype.bits - (negative is not None)):
        result = (left & 1).ne(0).select(result * square, result)
        square, left = square * square, left.shr(1, arithmetic=False)
    if negative is None:
        return result
    odd = (b & 1).ne(0)
    unit = a.eq(1).select(a, a.eq(-1).select(odd.select(a, 1), 0))  # a**b rounds to zero unless |a| is 1
    return negative.select(unit, result)


def _shift(kind: str) -> Callable[[Scalar, Scalar], Scalar]:
    """A shift by the width or more has a defined result instead of poison."""

    def fn(a: Scalar, b: Scalar) -> Scalar:
        width = a.dtype.bits
        lane = DTYPES[f"i{max(width, 8)}"]
        amount, value = Scalar(b.value, lane), Scalar(a.value, lane)
        inside = (amount >= 0) & (amount < width)
        amount = inside.select(amount, 0)
        if kind == "left":
            out = inside.select(value.shl(amount), 0)
        elif kind == "logical":
            bits = value & ((1 << width) - 1) if width < 8 else value
            out = inside.select(bits.shr(amount, arithmetic=False), 0)
        else:
            if width < 8:  # the sign to the top of the byte
                value = value.shl(8 - width).shr(8 - width)
            out = value.shr(inside.select(amount, width - 1))
        return convert.wrap_small_int(Scalar(out.value, a.dtype))

    return fn


def _sign(x: Scalar) -> Scalar:
    zero = x.like(0)
    if x.dtype.kind == "unsigned":
        return x.eq(0).select(zero, 1)
    out = (x > 0).select(x.like(1), (x < 0).select(x.like(-1), zero))
    return x.isnan().select(x, out) if x.dtype.is_float else out


def _is_inf(x: Scalar) -> Scalar:
    if not x.dtype.is_float:
        return const(False, DTYPES["i1"])
    w = x.to(F32) if x.dtype.bits <= 16 else x
    return m.absolute(w).eq(float("inf"))


def _logistic(x: Scalar) -> Scalar:
    w = x.to(F32) if x.dtype.bits == 16 else x
    return (1.0 / (m.exp(-w) + 1.0)).to(x.dtype)


def _not(x: Scalar) -> Scalar:
    return ~x


SCALAR: dict[str, Callable[..., Scalar]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "rem": _rem,
    "mod": _mod,
    "pow": _pow,
    "atan2": trig.atan2,
    "copysign": m.copysign,
    "maximum": _maximum,
    "minimum": _minimum,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "not": _not,
    "shift_left": _shift("left"),
    "shift_right_logical": _shift("logical"),
    "shift_right_arithmetic": _shift("arithmetic"),
    "eq": lambda a, b: a.eq(b),
    "ne": lambda a, b: a.ne(b),
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "neg": lambda x: -x,
    "abs": m.absolute,
    "sign": _sign,
    "exp": m.exp,
    "expm1": m.expm1,
    "log": m.log,
    "log1p": m.log1p,
    "sqrt": m.sqrt,
    "rsqrt": m.rsqrt,
    "cbrt": m.cbrt,
    "floor": m.floor,
    "ceil": m.ceil,
    "trunc": m.trunc,
    "round": m.round_even,
    "sin": trig.sin,
    "cos": trig.cos,
    "tan": trig.tan,
    "asin": trig.asin,
    "acos": trig.acos,
    "atan": trig.atan,
    "sinh": m.sinh,
    "cosh": m.cosh,
    "tanh": m.tanh,
    "asinh": m.asinh,
    "acosh": m.acosh,
    "atanh": m.atanh,
    "erf": m.erf,
    "logistic": _logistic,
    "is_nan": lambda x: x.isnan(),
    "is_inf": _is_inf,
}


@lowers(*(row.name for row in TABLE))
def elementwise(op: View, b: LinalgBuilder) -> Array:
    """Any op of the table. A scalar constant operand is used as a constant, not loaded."""
    fn = SCALAR[op.definition.name]
    tensors, slots = [], []
    for x in op.operands:
        k = _splat(x)
        slots.append(k)
        if k is None:
            tensors.append(x)
    if not tensors:
        tensors, slots = list(op.operands), [None] * len(op.operands)

    tiny = op.operands[0].dtype.is_float and op.operands[0].dtype.is_tiny

    def body(*args: Scalar) -> Scalar:
        if tiny:  # computed in f32, rounded once
            out = fn(*(a.to(F32) for a in args))
            return convert.cast(out, op.result.dtype, saturate=False)
        it = map(convert.wrap_small_int, args)
        return fn(*(next(it) if k is None else const(k, x.dtype) for k, x in zip(slots, op.operands, strict=True)))

    return b.map(body, *tensors, dt=op.result.dtype, shape=op.result.shape)


def _splat(x: Array) -> complex | int | None:
    """The number behind a constant of one element, where a scalar can stand in for it."""
    from davit.dialects.nn.base import constant_of

    if not x.t.is_static or x.t.size != 1 or x.dtype.is_tiny:
        return None
    if any(d != 1 for d in x.shape):
        return None
    array = constant_of(x.value)
    if array is None:
        return None
    value = array.reshape(-1)[0]
    return value.view(np.dtype(f"uint{x.dtype.bits}")).item() if x.dtype.kind == "unsigned" else value.item()


@lowers("select")
def select(op: View, b: LinalgBuilder) -> Array:
    return b.map(
        lambda c, x, y: c.select(x, y), op.condition, op.yes, op.no, dt=op.result.dtype, shape=op.result.shape
    )


@lowers("cast")
def cast(op: View, b: LinalgBuilder) -> Array:
    to, how = op.attr.to, {"saturate": op.attr.saturate, "round_mode": op.attr.round_mode}
    return b.map(lambda s: convert.cast(s, to, **how), op.x, dt=to, shape=op.result.shape)


@lowers("bitcast")
def bitcast(op: View, b: LinalgBuilder) -> Array:
    return b.map(lambda s: s.bitcast(op.attr.to), op.x, dt=op.attr.to, shape=op.result.shape)
