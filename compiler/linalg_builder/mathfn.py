"""Scalar math functions on top of the math dialect, in f32 for 16-bit floats.

Where IREE's expansion of an operation is inexact, or missing for f64, the function is built from exp, log, sqrt and
arithmetic so that it keeps its digits near zero and does not overflow early; trigonometry is in :mod:`trig`.
"""

from __future__ import annotations

import functools
import math as pymath
from collections.abc import Callable

from davit.compiler.linalg_builder.scalar import Scalar
from davit.mlir import ir, math


def widened(fn: Callable[..., Scalar]) -> Callable[..., Scalar]:
    """A function of floats, computed in f32 for 16-bit ones and rounded once."""

    @functools.wraps(fn)
    def outer(x: Scalar, *rest: Scalar) -> Scalar:
        if not x.dtype.is_float:
            raise TypeError(f"not defined on {x.dtype}")
        wide = [v._wide()[0] for v in (x, *map(x.like, rest))]
        out = fn(*wide)
        return out.to(x.dtype) if wide[0].dtype != x.dtype else out

    return outer


def _unary(make: Callable[[ir.Value], ir.Value]) -> Callable[[Scalar], Scalar]:
    return widened(lambda x: Scalar(make(x.value), x.dtype))


def _binary(make: Callable[[ir.Value, ir.Value], ir.Value]) -> Callable[[Scalar, Scalar], Scalar]:
    return widened(lambda x, y: Scalar(make(x.value, y.value), x.dtype))


exp = _unary(math.exp)
log = _unary(math.log)
sqrt = _unary(math.sqrt)
rsqrt = _unary(math.rsqrt)
floor = _unary(math.floor)
ceil = _unary(math.ceil)
trunc = _unary(math.trunc)
round_even = _unary(math.roundeven)
copysign = _binary(math.copysign)
_expm1_f32 = _unary(math.expm1)
_log1p_f32 = _unary(math.log1p)
_tanh_f32 = _unary(math.tanh)
_erf_f32 = _unary(math.erf)

INF = float("inf")


def absolute(x: Scalar) -> Scalar:
    """|x|; the most negative signed integer stays itself, as in numpy."""
    if x.dtype.is_float:
        return _absf(x)
    if x.dtype.kind == "signed":
        return (x < 0).select(-x, x)
    return x


_absf = _unary(math.absf)


@widened
def expm1(x: Scalar) -> Scalar:
    """exp(x) - 1; f64 by Kahan's correction of the rounded exp."""
    if x.dtype.bits == 32:
        return _expm1_f32(x)
    u = exp(x)
    less = u - 1.0
    out = less * x / log(u)
    return (u.eq(1.0)).select(x, (less.eq(-1.0) | u.eq(INF)).select(less, out))


@widened
def log1p(x: Scalar) -> Scalar:
    """log(1 + x); f64 by Kahan's correction of the rounded sum."""
    if x.dtype.bits == 32:
        return _log1p_f32(x)
    u = x + 1.0
    out = log(u) * x / (u - 1.0)
    return u.eq(1.0).select(x, u.eq(INF).select(u, out))


@widened
def sinh(x: Scalar) -> Scalar:
    size = absolute(x)
    e = expm1(size)
    near = 0.5 * (e + e / (e + 1.0))
    half = exp(size * 0.5)
    return copysign((size < 20.0).select(near, (0.5 * half) * half), x)


@widened
def cosh(x: Scalar) -> Scalar:
    size = absolute(x)
    e = exp(size)
    half = exp(size * 0.5)
    return (size < 20.0).select(0.5 * e + 0.5 / e, (0.5 * half) * half)


@widened
def tanh(x: Scalar) -> Scalar:
    if x.dtype.bits == 32:
        return _tanh_f32(x)
    t = expm1(-2.0 * absolute(x))
    return copysign(-t / (t + 2.0), x)


@widened
def asinh(x: Scalar) -> Scalar:
    """log(|x| + sqrt(x^2 + 1)) with the sign of x."""
    size = absolute(x)
    square = size * size
    near = log1p(size + square / (1.0 + sqrt(square + 1.0)))
    return copysign((size < 2.0**28).select(near, log(size) + pymath.log(2)), x)


@widened
def acosh(x: Scalar) -> Scalar:
    """log(x + sqrt(x^2 - 1)), NaN below 1."""
    t = x - 1.0
    near = log1p(t + sqrt(2.0 * t + t * t))
    out = (x < 2.0**28).select(near, log(x) + pymath.log(2))
    return (x < 1.0).select(x.like(float("nan")), out)


@widened
def atanh(x: Scalar) -> Scalar:
    """log((1 + x) / (1 - x)) / 2."""
    size = absolute(x)
    return copysign(0.5 * log1p(2.0 * size / (1.0 - size)), x)


@widened
def cbrt(x: Scalar) -> Scalar:
    """exp(log(|x|) / 3) and one step of Newton's method."""
    size = absolute(x)
    guess = exp(log(size) * (1 / 3))
    better = guess - (guess - size / (guess * guess)) * (1 / 3)
    keep = size.eq(0.0) | size.eq(INF)
    return copysign(keep.select(size, better), x)


@widened
def erf(x: Scalar) -> Scalar:
    if x.dtype.bits == 32:
        return copysign(_erf_f32(absolute(x)), x)
    size = absolute(x)
    square = size * size
    damped = exp(-square)
    # Below 3: 2/sqrt(pi) x exp(-x^2) (1 + 2x^2/3 (1 + 2x^2/5 (1 + ...))), all terms positive.
    series = size.like(1.0)
    for n in range(55, 0, -1):
        series = 1.0 + square * (2.0 / (2 * n + 1)) * series
    near = (2 / pymath.sqrt(pymath.pi)) * size * damped * series
    # Above: 1 - exp(-x^2) / sqrt(pi) / (x + (1/2)/(x + 1/(x + (3/2)/(x + ...)))).
    fraction = size
    for n in range(24, 0, -1):
        fraction = size + (n / 2) / fraction
    far = 1.0 - damped / (pymath.sqrt(pymath.pi) * fraction)
    out = (size < 3.0).select(near, (size < 6.0).select(far, size.like(1.0)))
    return x.isnan().select(x, copysign(out, x))


@widened
def powf(x: Scalar, y: Scalar) -> Scalar:
    """x to the power y, with C's results for zeros, infinities, NaN and negative bases.

    Whole exponents below 64 are multiplied out: powers that are whole numbers come out as such.
    """
    size = absolute(x)
    few = absolute(y) < 64.0
    bits = few.select(absolute(y), y.like(0.0)).to("i32")
    product, square = x.like(1.0), size
    for k in range(6):
        product = (bits.shr(k) & 1).ne(0).select(product * square, product)
        square = square * square
    product = (y < 0.0).select(1.0 / product, product)
    value = (few & trunc(y).eq(y)).select(product, exp(y * log(size)))
    whole = trunc(y).eq(y)
    half = y * 0.5
    odd = whole & trunc(half).ne(half)
    value = odd.select(copysign(value, x), value)
    undefined = (x < 0.0) & ~whole & (size < INF)
    value = undefined.select(x.like(float("nan")), value)
    one = y.eq(0.0) | x.eq(1.0) | (x.eq(-1.0) & absolute(y).eq(INF))
    return one.select(x.like(1.0), value)


@widened
def remainder(x: Scalar, y: Scalar) -> Scalar:
    """x - trunc(x / y) * y, exactly (C's fmod)."""
    if x.dtype.bits == 32:
        return x % y
    from davit.compiler.linalg_builder.builder import LinalgBuilder

    # Long division: take y times the largest fitting power of two off, each step exact, until less than y is left.
    size, step = absolute(x), absolute(y)
    valid = (size < INF) & (step > 0.0)
    left = valid.select(size, size.like(0.0))
    step = valid.select(step, step.like(1.0))

    def take(r: Scalar) -> list[Scalar]:
        exponents = [v.bitcast("i64").shr(52) for v in (r, step)]
        multiple = (step.bitcast("i64") + (exponents[0] - exponents[1]).shl(52)).bitcast("f64")
        return [r - (multiple > r).select(multiple * 0.5, multiple)]

    (left,) = LinalgBuilder().while_loop([left], lambda r: r >= step, take)
    return valid.select(copysign(left, x), x.like(float("nan")))


def fma(a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    """a*b + c; the compiler may fuse it."""
    return a * b + c
