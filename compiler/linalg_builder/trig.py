"""Trigonometric functions of f32 and f64 from additions and multiplications.

IREE's own expansions lose digits for small and for large arguments and have no f64 form on every target, so these
are written out: an argument reduction that keeps its digits, then a Taylor polynomial on a short interval.
"""

from __future__ import annotations

import math as pymath

from davit.compiler.linalg_builder import mathfn as m
from davit.compiler.linalg_builder.scalar import Scalar, float_bits
from davit.dialects.types import DTYPES

I32 = DTYPES["i32"]
I64 = DTYPES["i64"]

# 2/pi, 32 bits a word, after one word of zeros; and pi/2 in two parts of 33 bits and the rest.
_TWO_OVER_PI = (0, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB)
_HALF_PI = tuple(map(float.fromhex, ("0x1.921fb544p+0", "0x1.0b4611a6p-34", "0x1.3198a2e037073p-69")))


def polynomial(x: Scalar, coefficients: list[float]) -> Scalar:
    """Horner's rule; the constant term comes first."""
    out = x.like(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        out = out * x + c
    return out


def _reduce_f32(x: Scalar) -> tuple[Scalar, Scalar]:
    """(r, q) with x = r + q * pi/2 and |r| <= pi/4, for every finite f32.

    Payne and Hanek: the 24-bit mantissa times the 96 bits of 2/pi that matter at x's exponent; bits that are worth
    a multiple of 4 quadrants are never formed.
    """
    bits = x.bitcast(I32) & 0x7FFFFFFF
    exponent = bits.shr(23, arithmetic=False)
    mantissa = ((bits & 0x7FFFFF) | 0x800000).to(I64)
    at = (exponent - 120).maximum(0)
    word, shift = at.shr(5, arithmetic=False), (at & 31).to(I64)
    window = []
    for i in range(4):
        value = shift.like(_TWO_OVER_PI[i])
        for k in range(1, 5):
            value = word.eq(k).select(shift.like(_TWO_OVER_PI[i + k] if i + k < 8 else 0), value)
        window.append(value)
    low32 = 0xFFFFFFFF
    pairs = zip(window, window[1:], strict=False)
    q0, q1, q2 = ((hi.shl(32) | lo).shl(shift).shr(32, arithmetic=False) for hi, lo in pairs)
    mid = mantissa * q1 + (mantissa * q2).shr(32, arithmetic=False)
    high = (mantissa * q0 + mid.shr(32, arithmetic=False)) & low32
    turn = high.shl(32) | (mid & low32)  # bits 62 and 63: the quadrant; below: its fraction
    near = turn + (1 << 61)
    quadrant = near.shr(62, arithmetic=False).to(I32)
    fraction = turn.shl(2).shr(2)  # signed, in units of 2^-62 quadrants
    r = fraction.to("f32") * (pymath.pi / 2 * 2.0**-62)
    small = bits < float_bits(pymath.pi / 4)
    negative = x < 0
    r = small.select(x, negative.select(-r, r))
    quadrant = negative.select(-quadrant, quadrant)
    return r, small.select(quadrant.like(0), quadrant)


def _reduce_f64(x: Scalar) -> tuple[Scalar, Scalar]:
    """Cody and Waite in three parts: full precision up to 1e6, from where on the error grows as x * 1e-16."""
    k = m.round_even(x * (2 / pymath.pi))
    r = x
    for part in _HALF_PI:
        r = r - k * part
    bounded = m.absolute(k) < 2.0**62
    return r.clamp(-1.0, 1.0), bounded.select(k, k.like(0.0)).to(I64).to(I32)


def _sin_cos(x: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Sine and cosine of the reduced argument, and the quadrant."""
    r, q = _reduce_f32(x) if x.dtype.bits == 32 else _reduce_f64(x)
    terms = 5 if x.dtype.bits == 32 else 10
    z = r * r
    odd = polynomial(z, [(-1) ** i / pymath.factorial(2 * i + 1) for i in range(1, terms)])
    even = polynomial(z, [(-1) ** i / pymath.factorial(2 * i) for i in range(2, terms + 1)])
    return r.eq(0.0).select(r, r + r * z * odd), (z * z * even - z * 0.5) + 1.0, q


def _finite_or_nan(x: Scalar, value: Scalar) -> Scalar:
    """NaN where x is infinite or NaN."""
    return (m.absolute(x) < float("inf")).select(value, x - x)


@m.widened
def sin(x: Scalar) -> Scalar:
    s, c, q = _sin_cos(x)
    out = (q & 1).ne(0).select(c, s)
    return _finite_or_nan(x, (q & 2).ne(0).select(-out, out))


@m.widened
def cos(x: Scalar) -> Scalar:
    s, c, q = _sin_cos(x)
    out = (q & 1).ne(0).select(s, c)
    return _finite_or_nan(x, ((q + 1) & 2).ne(0).select(-out, out))


@m.widened
def tan(x: Scalar) -> Scalar:
    s, c, q = _sin_cos(x)
    odd = (q & 1).ne(0)
    return _finite_or_nan(x, odd.select(-c, s) / odd.select(s, c))


def _atan_unit(q: Scalar) -> Scalar:
    """atan on [0, 1]: above tan(pi/8) by pi/4 + atan((q - 1) / (q + 1))."""
    far = q > pymath.tan(pymath.pi / 8)
    t = far.select((q - 1.0) / (q + 1.0), q)
    z = t * t
    terms = 10 if q.dtype.bits == 32 else 22
    series = polynomial(z, [(-1) ** i / (2 * i + 1) for i in range(1, terms)])
    angle = t + t * z * series
    return far.select(angle + pymath.pi / 4, angle)


@m.widened
def atan(x: Scalar) -> Scalar:
    size = m.absolute(x)
    far = size > 1.0
    angle = _atan_unit(far.select(1.0 / size, size))
    return m.copysign(far.select(pymath.pi / 2 - angle, angle), x)


@m.widened
def atan2(y: Scalar, x: Scalar) -> Scalar:
    """The angle of (x, y); signed zeros and infinities as in C."""
    ax, ay = m.absolute(x), m.absolute(y)
    steep = ay > ax
    low, high = steep.select(ax, ay), steep.select(ay, ax)
    q = high.eq(0.0).select(high, low / high)
    q = low.eq(float("inf")).select(low.like(1.0), q)
    angle = _atan_unit(q)
    angle = steep.select(pymath.pi / 2 - angle, angle)
    left = m.copysign(x.like(1.0), x) < 0  # -0 is on the left
    angle = left.select(pymath.pi - angle, angle)
    return (x.isnan() | y.isnan()).select(x + y, m.copysign(angle, y))


@m.widened
def asin(x: Scalar) -> Scalar:
    return atan2(x, m.sqrt((1.0 - x) * (1.0 + x)))


@m.widened
def acos(x: Scalar) -> Scalar:
    return 2.0 * atan2(m.sqrt(1.0 - x), m.sqrt(1.0 + x))
