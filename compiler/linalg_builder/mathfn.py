"""Scalar math functions on top of the math dialect, in f32 for 16-bit floats."""

from __future__ import annotations

from collections.abc import Callable

from davit.compiler.linalg_builder.scalar import Scalar
from davit.mlir import arith, ir, math


def _unary(make: Callable[[ir.Value], ir.Value]) -> Callable[[Scalar], Scalar]:
    def fn(x: Scalar) -> Scalar:
        if not x.dtype.is_float:
            raise TypeError(f"not defined on {x.dtype}")
        w, narrow = x._wide()
        out = Scalar(make(w.value), w.dtype)
        return out.to(x.dtype) if narrow else out

    return fn


exp = _unary(math.exp)
expm1 = _unary(math.expm1)
log = _unary(math.log)
log1p = _unary(math.log1p)
sqrt = _unary(math.sqrt)
rsqrt = _unary(math.rsqrt)
cbrt = _unary(math.cbrt)
floor = _unary(math.floor)
ceil = _unary(math.ceil)
trunc = _unary(math.trunc)
round_even = _unary(math.roundeven)
sin = _unary(math.sin)
cos = _unary(math.cos)
tan = _unary(math.tan)
tanh = _unary(math.tanh)
erf = _unary(math.erf)
asin = _unary(math.asin)
acos = _unary(math.acos)
atan = _unary(math.atan)
sinh = _unary(math.sinh)
cosh = _unary(math.cosh)
asinh = _unary(math.asinh)
acosh = _unary(math.acosh)
atanh = _unary(math.atanh)


def absolute(x: Scalar) -> Scalar:
    """|x|; the most negative signed integer stays itself, as in numpy."""
    if x.dtype.is_float:
        return _unary(math.absf)(x)
    if x.dtype.kind == "signed":
        return (x < 0).select(-x, x)
    return x


def _binary(make: Callable[[ir.Value, ir.Value], ir.Value]) -> Callable[[Scalar, Scalar], Scalar]:
    def fn(x: Scalar, y: Scalar) -> Scalar:
        a, narrow = x._wide()
        b, _ = x.like(y)._wide()
        out = Scalar(make(a.value, b.value), a.dtype)
        return out.to(x.dtype) if narrow else out

    return fn


powf = _binary(math.powf)
atan2 = _binary(math.atan2)
copysign = _binary(math.copysign)


def fma(a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    """a*b + c; the compiler may fuse it."""
    return a * b + c


__all__ = [n for n in dir() if not n.startswith("_") and n not in ("Callable", "arith", "ir", "annotations")]
