"""Floats of 8 bits and less, as integer arithmetic on their bit patterns (one element per byte).

:func:`decode` gives the f32 of a pattern, exactly. :func:`encode` rounds an f32 to nearest, halves to even, and treats
what is out of range as ONNX Cast says ("Casting to float8"): to the largest finite number when saturating, else to
infinity or, where a format has none, to NaN. Formats without NaN always saturate. The exponent-only f8E8M0FNU has
rounding modes of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from davit.compiler.linalg_builder.scalar import Scalar, const, float_bits
from davit.dialects.types import DTYPES, DType

I32 = DTYPES["i32"]
F32 = DTYPES["f32"]
I8 = DTYPES["i8"]

F32_INF = 0x7F800000
F32_NAN = 0x7FC00000
ROUND_MODES = ("nearest", "up", "down")


@dataclass(frozen=True)
class Format:
    """Layout of a format: sign, exponent and mantissa from the top.

    Attributes:
        bits, mantissa, bias: widths and exponent bias.
        top: pattern of the largest finite number.
        inf: pattern of infinity, or None.
        nan: pattern of NaN without its sign, or None.
        unsigned_zero: there is no -0, and the pattern of "minus zero" is the one NaN (the FNUZ formats).
    """

    bits: int
    mantissa: int
    bias: int
    top: int
    inf: int | None = None
    nan: int | None = None
    unsigned_zero: bool = False


FORMATS: dict[str, Format] = {
    "f8E4M3FN": Format(8, 3, 7, 0x7E, nan=0x7F),
    "f8E4M3": Format(8, 3, 7, 0x77, inf=0x78, nan=0x7C),
    "f8E3M4": Format(8, 4, 3, 0x6F, inf=0x70, nan=0x78),
    "f8E5M2": Format(8, 2, 15, 0x7B, inf=0x7C, nan=0x7E),
    "f8E4M3FNUZ": Format(8, 3, 8, 0x7F, nan=0x80, unsigned_zero=True),
    "f8E4M3B11FNUZ": Format(8, 3, 11, 0x7F, nan=0x80, unsigned_zero=True),
    "f8E5M2FNUZ": Format(8, 2, 16, 0x7F, nan=0x80, unsigned_zero=True),
    "f6E2M3FN": Format(6, 3, 1, 0x1F),
    "f6E3M2FN": Format(6, 2, 3, 0x1F),
    "f4E2M1FN": Format(4, 1, 1, 0x07),
}


def decode(s: Scalar) -> Scalar:
    """The f32 value of a pattern."""
    code = Scalar(s.value, DTYPES["ui8"]).to(I32)
    if s.dtype.name == "f8E8M0FNU":
        power = code.eq(0).select(1 << 22, code.shl(23))  # code 0 is 2^-127, a subnormal f32
        return code.eq(255).select(F32_NAN, power).bitcast(F32)
    f = FORMATS[s.dtype.name]
    sign = code & (1 << (f.bits - 1))
    body = code & ((1 << (f.bits - 1)) - 1)
    small = body.to(F32) * 2.0 ** (1 - f.bias - f.mantissa)
    normal = body.shl(23 - f.mantissa) + ((127 - f.bias) << 23)
    value = (body < (1 << f.mantissa)).select(small.bitcast(I32), normal)
    if f.inf is not None:
        value = body.eq(f.inf).select(F32_INF, value)
    if f.nan is not None and not f.unsigned_zero:
        lowest = f.nan if f.inf is None else f.inf + 1
        value = (body >= lowest).select(F32_NAN, value)
    value = value | sign.shl(32 - f.bits)
    if f.unsigned_zero:
        value = code.eq(0x80).select(F32_NAN, value)
    return value.bitcast(F32)


def encode(s: Scalar, to: DType, *, saturate: bool = True, round_mode: str = "nearest") -> Scalar:
    """The pattern nearest to an f32.

    Args:
        round_mode: for f8E8M0FNU only (ONNX Cast ``round_mode``); all other formats round to nearest even.
    """
    if to.name == "f8E8M0FNU":
        return _encode_power(s, to, saturate, round_mode)
    f = FORMATS[to.name]
    bits = s.bitcast(I32)
    size = bits & 0x7FFFFFFF
    # Normal results: round the f32 mantissa in place (a carry moves into the exponent), then move the bias.
    drop = 23 - f.mantissa
    odd = size.shr(drop, arithmetic=False) & 1
    normal = (size + odd + ((1 << (drop - 1)) - 1)).shr(drop, arithmetic=False) - ((127 - f.bias) << f.mantissa)
    # Subnormal results: adding 2^23 units makes the f32 adder do the rounding.
    unit = 2.0 ** (23 + 1 - f.bias - f.mantissa)
    small = (size.bitcast(F32) + unit).bitcast(I32) - float_bits(unit)
    code = (size < float_bits(2.0 ** (1 - f.bias))).select(small, normal)
    beyond = f.top if saturate or f.nan is None else f.inf if f.inf is not None else f.nan
    over = code > f.top
    code = over.select(beyond, code)
    nan = size > F32_INF
    if f.nan is not None:
        code = nan.select(f.nan, code)
    sign = bits.shr(32 - f.bits, arithmetic=False) & (1 << (f.bits - 1))
    if f.unsigned_zero:  # NaN and zero carry no sign
        plain = nan | code.eq(0) | code.eq(f.nan)
        sign = plain.select(0 * sign, sign)
    elif f.nan is None:  # there is no NaN to turn NaN into: ml_dtypes makes it a zero
        code = nan.select(0, code)
    return Scalar((code | sign).to(I8).value, to)


def _encode_power(s: Scalar, to: DType, saturate: bool, round_mode: str) -> Scalar:
    """The exponent of a positive number; the code of 2^k is k + 127, which is f32's own exponent field."""
    bits = s.bitcast(I32)
    size = bits & 0x7FFFFFFF
    exponent, fraction = size.shr(23, arithmetic=False), size & 0x7FFFFF
    # Subnormal f32 lie between 0 and 2^-126; 2^-127 (half of that, fraction 2^22) is the smallest number, code 0.
    if round_mode == "up":
        step, small = fraction > 0, fraction > (1 << 22)
    elif round_mode == "down":
        step = small = const(False, DTYPES["i1"])
    else:
        step, small = fraction >= (1 << 22), fraction >= 3 << 21
    code = exponent + exponent.eq(0).select(small, step).to(I32)
    if saturate:
        code = code.minimum(254)
    else:
        code = ((code > 254) | (size < (1 << 22))).select(255, code)
    bad = size > F32_INF
    negative = (bits < 0) & size.ne(0)
    return Scalar((bad | negative).select(255, code).to(I8).value, to)


__all__ = ["FORMATS", "ROUND_MODES", "Format", "decode", "encode"]
