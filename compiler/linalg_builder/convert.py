"""Conversion of one element between types, by value: what ONNX Cast, StableHLO convert and numpy's astype mean.

Floats become integers by truncation to zero and wrap modulo 2^n where the integer type is narrower than 32 bits, as
numpy does on x86-64; float to bool is ``x != 0``. 8- and 4-bit floats are in :mod:`tiny_float`.
"""

from __future__ import annotations

from davit.compiler.linalg_builder import mathfn, tiny_float
from davit.compiler.linalg_builder.scalar import INDEX, Scalar, const, scalar_type
from davit.dialects.types import DTYPES, DType
from davit.mlir import arith

I1 = DTYPES["i1"]
F32 = DTYPES["f32"]
I64 = DTYPES["i64"]


def cast(s: Scalar, to: DType, *, saturate: bool = True, round_mode: str = "nearest") -> Scalar:
    """Convert ``s`` to ``to``.

    Args:
        saturate: for 8-bit float targets, clamp to the largest finite value instead of overflowing to inf or NaN
            (ONNX Cast-19, "Casting to float8").
        round_mode: for f8E8M0FNU only: "nearest", "up" or "down".
    """
    src = s.dtype
    if src == to:
        return s
    if src.is_float and src.is_tiny:
        return cast(tiny_float.decode(s), to, saturate=saturate, round_mode=round_mode)
    if to.is_float and to.is_tiny:
        single = round_to_odd(s) if src.name == "f64" else cast(s, F32)
        return tiny_float.encode(single, to, saturate=saturate, round_mode=round_mode)
    s = wrap_small_int(s)
    if to.kind == "bool":
        return s.ne(0)
    if src.is_float:
        return _from_float(s, to)
    if to.is_float:
        return _int_to_float(s, to)
    return _int_to_int(s, to)


def _from_float(s: Scalar, to: DType) -> Scalar:
    if to.is_float:
        t = scalar_type(to)
        if to.bits == s.dtype.bits:  # f16 <-> bf16
            return cast(cast(s, F32), to)
        if s.dtype.name == "f64" and to.bits == 16:
            s = round_to_odd(s)
        make = arith.extf if to.bits > s.dtype.bits else arith.truncf
        return Scalar(make(t, s.value), to)
    if to is INDEX:
        return cast(_from_float(s, I64), INDEX)
    if s.dtype.bits == 16:
        s = cast(s, F32)
    if to.name == "ui64":  # fptosi covers negatives (which wrap), fptoui the upper half
        t = scalar_type(to)
        low = Scalar(arith.fptosi(t, s.value), to)
        return (s < 9.223372036854775808e18).select(low, Scalar(arith.fptoui(t, s.value), to))
    through = DTYPES["i64"] if to.bits > 32 or to.name == "ui32" else DTYPES["i32"]
    number = Scalar(arith.fptosi(scalar_type(through), s.value), through)
    return _int_to_int(number, to)


def round_to_odd(s: Scalar) -> Scalar:
    """The f32 beside an f64 whose last bit says that something was cut off.

    Rounding that once more to a narrower format gives what rounding the f64 at once would have given.
    """
    near = Scalar(arith.truncf(scalar_type(F32), s.value), F32)
    back = Scalar(arith.extf(scalar_type(s.dtype), near.value), s.dtype)
    bits = near.bitcast("i32")
    size = (bits & 0x7FFFFFFF).bitcast(F32)
    away = mathfn.absolute(s) > cast(size, s.dtype)
    other = bits + away.select(bits.like(1), -1)
    keep = back.eq(s) | (bits & 1).ne(0) | s.isnan()
    return keep.select(bits, other).bitcast(F32)


def _int_to_float(s: Scalar, to: DType) -> Scalar:
    if s.dtype is INDEX:
        s = cast(s, I64)
    if to.bits == 16:
        return cast(_int_to_float(s, F32 if s.dtype.bits <= 16 else DTYPES["f64"]), to)
    make = arith.sitofp if s.dtype.kind == "signed" else arith.uitofp
    return Scalar(make(scalar_type(to), s.value), to)


def _width(dt: DType) -> int:
    return 8 if dt.is_tiny else dt.bits


def _int_to_int(s: Scalar, to: DType) -> Scalar:
    if s.dtype is INDEX or to is INDEX:
        t = scalar_type(to)
        unsigned = s.dtype.kind in ("unsigned", "bool")
        make = arith.index_castui if unsigned else arith.index_cast
        return wrap_small_int(Scalar(make(t, s.value), to))
    t = scalar_type(to)
    if _width(to) == _width(s.dtype):
        out = Scalar(s.value, to)
    elif _width(to) < _width(s.dtype):
        out = Scalar(arith.trunci(t, s.value), to)
    else:
        make = arith.extsi if s.dtype.kind == "signed" else arith.extui
        out = Scalar(make(t, s.value), to)
    return wrap_small_int(out)


def wrap_small_int(s: Scalar) -> Scalar:
    """Bring a 2- or 4-bit integer into its own range by its low bits.

    In memory only the low bits of its byte count, so every reader of one starts with this.
    """
    if not (s.dtype.is_tiny and s.dtype.is_int):
        return s
    raw = Scalar(s.value, DTYPES["i8"])
    shift = 8 - s.dtype.bits
    up = raw.shl(shift)
    return Scalar(up.shr(shift, arithmetic=s.dtype.kind == "signed").value, s.dtype)


__all__ = ["cast", "const", "wrap_small_int"]
