"""Elementwise ops: one table. Names, operand counts, numpy references and the domain each is defined on.

All operands of one op have the same element type (``select``'s condition is ``i1``), shapes broadcast numpy-style.
Kinds: F floats, S signed and U unsigned integers, B bool, C complex.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from davit.dialects import dims
from davit.dialects.dims import InferError
from davit.dialects.nn.base import define
from davit.dialects.types import DType, Tensor, dtype

_KIND = {"float": "F", "signed": "S", "unsigned": "U", "bool": "B", "complex": "C", "string": "-"}


@dataclass(frozen=True)
class Elementwise:
    """One row: ``out`` is "same" as the operands or "bool"."""

    name: str
    arity: int
    domain: str
    reference: Callable[..., np.ndarray]
    out: str = "same"
    note: str = ""


def _wide(fn: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """Evaluate floats of 16 bits and less in float32 and round once: numpy lacks functions for ml_dtypes' types."""

    def wrapped(*xs: np.ndarray) -> np.ndarray:
        t = xs[0].dtype
        if dtype(t).is_float and t.itemsize <= 2:
            out = fn(*(x.astype(np.float32) for x in xs))
            return out if out.dtype == bool else out.astype(t)
        return fn(*xs)

    return wrapped


def _vectorised(fn: Callable[[float], float]) -> Callable[..., np.ndarray]:
    def wrapped(x: np.ndarray) -> np.ndarray:
        return np.vectorize(fn, otypes=[np.float64])(x.astype(np.float64)).astype(x.dtype).reshape(x.shape)

    return wrapped


def divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Float division; integers truncate to zero, x/0 is 0, MIN/-1 is MIN."""
    if a.dtype.kind not in "iu":
        return np.divide(a, b)
    safe = np.where(b == 0, 1, b).astype(b.dtype)
    q = np.where((a % safe != 0) & ((a < 0) != (safe < 0)), a // safe + 1, a // safe)
    return np.where(b == 0, 0, q).astype(a.dtype)


def remainder(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Sign of the dividend (C's fmod and %); x%0 is 0 on integers."""
    if a.dtype.kind not in "iu":
        return np.fmod(a, b)
    return np.where(b == 0, 0, np.fmod(a, np.where(b == 0, 1, b))).astype(a.dtype)


def modulo(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Sign of the divisor (Python's %); x%0 is 0 on integers."""
    if a.dtype.kind not in "iu":
        return np.mod(a, b)
    return np.where(b == 0, 0, np.mod(a, np.where(b == 0, 1, b))).astype(a.dtype)


def power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Integers wrap; a negative integer exponent gives 1, -1 or 0 by the base."""
    if a.dtype.kind not in "iu":
        return np.power(a, b)
    out = np.power(a, np.maximum(b, 0).astype(b.dtype))
    odd = (b & 1).astype(bool)
    unit = np.where(a == 1, 1, np.where(a == np.array(-1, np.int64), np.where(odd, -1, 1), 0)).astype(a.dtype)
    return np.where(b < 0, unit, out).astype(a.dtype)


def _logistic(x: np.ndarray) -> np.ndarray:
    return (1 / (1 + np.exp(-x))).astype(x.dtype)


def _rsqrt(x: np.ndarray) -> np.ndarray:
    return (1 / np.sqrt(x)).astype(x.dtype)


def _shift(kind: str) -> Callable[..., np.ndarray]:
    """Shifts of the element's own bits; amounts outside [0, width) shift everything out (but for the sign)."""

    def wrapped(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        t = dtype(a.dtype)
        rest = np.uint64(64 - t.bits)
        raw = a.astype(np.int64 if t.kind == "signed" else np.uint64).view(np.uint64) << rest  # the bits, at the top
        over = (b < 0) | (b >= t.bits)
        amount = np.where(over, 0, b).astype(np.uint64)
        if kind == "left":
            out = np.where(over, 0, raw << amount)
        elif kind == "logical":
            out = np.where(over, 0, (raw >> rest >> amount) << rest)
        else:
            out = np.where(over, raw.view(np.int64) >> np.int64(63), raw.view(np.int64) >> amount.view(np.int64))
            out = (out.view(np.uint64) >> rest) << rest
        if t.kind == "signed":
            return (out.view(np.int64) >> np.int64(rest)).astype(a.dtype)
        return (out >> rest).astype(a.dtype)

    return wrapped


TABLE: tuple[Elementwise, ...] = (
    Elementwise("add", 2, "FSUC", np.add),
    Elementwise("sub", 2, "FSUC", np.subtract),
    Elementwise("mul", 2, "FSUC", np.multiply),
    Elementwise("div", 2, "FSUC", divide, note="integers truncate to zero; x/0 is 0"),
    Elementwise("rem", 2, "FSU", _wide(remainder), note="sign of the dividend"),
    Elementwise("mod", 2, "FSU", _wide(modulo), note="sign of the divisor"),
    Elementwise("pow", 2, "FSU", _wide(power)),
    Elementwise("atan2", 2, "F", _wide(np.arctan2)),
    Elementwise("copysign", 2, "F", _wide(np.copysign)),
    Elementwise("maximum", 2, "FSUB", np.maximum, note="NaN wins"),
    Elementwise("minimum", 2, "FSUB", np.minimum, note="NaN wins"),
    Elementwise("and", 2, "SUB", np.bitwise_and),
    Elementwise("or", 2, "SUB", np.bitwise_or),
    Elementwise("xor", 2, "SUB", np.bitwise_xor),
    Elementwise("not", 1, "SUB", np.invert),
    Elementwise("shift_left", 2, "SU", _shift("left")),
    Elementwise("shift_right_logical", 2, "SU", _shift("logical")),
    Elementwise("shift_right_arithmetic", 2, "SU", _shift("arithmetic"), note="copies the top bit, unsigned or not"),
    Elementwise("eq", 2, "FSUBC", np.equal, "bool"),
    Elementwise("ne", 2, "FSUBC", np.not_equal, "bool"),
    Elementwise("lt", 2, "FSUB", np.less, "bool"),
    Elementwise("le", 2, "FSUB", np.less_equal, "bool"),
    Elementwise("gt", 2, "FSUB", np.greater, "bool"),
    Elementwise("ge", 2, "FSUB", np.greater_equal, "bool"),
    Elementwise("neg", 1, "FSUC", np.negative),
    Elementwise("abs", 1, "FSU", np.abs),
    Elementwise("sign", 1, "FSU", np.sign, note="NaN stays NaN"),
    Elementwise("exp", 1, "F", _wide(np.exp)),
    Elementwise("expm1", 1, "F", _wide(np.expm1)),
    Elementwise("log", 1, "F", _wide(np.log)),
    Elementwise("log1p", 1, "F", _wide(np.log1p)),
    Elementwise("sqrt", 1, "F", _wide(np.sqrt)),
    Elementwise("rsqrt", 1, "F", _wide(_rsqrt)),
    Elementwise("cbrt", 1, "F", _wide(np.cbrt)),
    Elementwise("floor", 1, "F", _wide(np.floor)),
    Elementwise("ceil", 1, "F", _wide(np.ceil)),
    Elementwise("trunc", 1, "F", _wide(np.trunc)),
    Elementwise("round", 1, "F", _wide(np.rint), note="halves to even"),
    Elementwise("sin", 1, "F", _wide(np.sin)),
    Elementwise("cos", 1, "F", _wide(np.cos)),
    Elementwise("tan", 1, "F", _wide(np.tan)),
    Elementwise("asin", 1, "F", _wide(np.arcsin)),
    Elementwise("acos", 1, "F", _wide(np.arccos)),
    Elementwise("atan", 1, "F", _wide(np.arctan)),
    Elementwise("sinh", 1, "F", _wide(np.sinh)),
    Elementwise("cosh", 1, "F", _wide(np.cosh)),
    Elementwise("tanh", 1, "F", _wide(np.tanh)),
    Elementwise("asinh", 1, "F", _wide(np.arcsinh)),
    Elementwise("acosh", 1, "F", _wide(np.arccosh)),
    Elementwise("atanh", 1, "F", _wide(np.arctanh)),
    Elementwise("erf", 1, "F", _vectorised(math.erf)),
    Elementwise("logistic", 1, "F", _wide(_logistic)),
    Elementwise("is_nan", 1, "FSUB", lambda x: np.isnan(x.astype(np.float64)), "bool"),
    Elementwise("is_inf", 1, "FSUB", lambda x: np.isinf(x.astype(np.float64)), "bool"),
)

BY_NAME = {row.name: row for row in TABLE}

_SMALL_INTS = {np.dtype(t): np.dtype(w) for t, w in (
    (ml_dtypes.int4, np.int8), (ml_dtypes.int2, np.int8), (ml_dtypes.uint4, np.uint8), (ml_dtypes.uint2, np.uint8),
)}  # fmt: skip


def _reference(row: Elementwise) -> Callable[..., np.ndarray]:
    """The row's reference; 2- and 4-bit integers are computed in 8 bits and wrap (numpy lacks their arithmetic)."""

    def reference(*xs: np.ndarray) -> np.ndarray:
        wide = _SMALL_INTS.get(xs[0].dtype)
        if xs[0].dtype.itemsize == 1 and dtype(xs[0].dtype).is_float:
            return _wide(row.reference)(*xs)
        if wide is None or row.name.startswith("shift"):
            return row.reference(*xs)
        out = row.reference(*(x.astype(wide) for x in xs))
        return out.astype(xs[0].dtype) if row.out == "same" else out

    return reference

_VALUE_FNS: dict[str, Callable] = {"add": dims.add, "sub": dims.sub, "mul": dims.mul, "div": dims.floordiv}


def _infer(row: Elementwise) -> Callable[..., Tensor]:
    def infer(*xs: Tensor) -> Tensor:
        first = xs[0].dtype
        for x in xs[1:]:
            if x.dtype != first:
                raise InferError(f"operands must have one element type, got {' and '.join(str(x.dtype) for x in xs)}")
        if _KIND[first.kind] not in row.domain:
            raise InferError(f"is not defined on {first}")
        out = Tensor(first if row.out == "same" else dtype("i1"), dims.broadcast(*(x.shape for x in xs)))
        return out.with_value(_values(row.name, xs, out))

    return infer


def _values(name: str, xs: tuple[Tensor, ...], out: Tensor) -> tuple | None:
    """Elementwise arithmetic on tracked shape values (each operand one element, or as many as the result)."""
    if name not in _VALUE_FNS or not out.is_static or any(x.value is None for x in xs) or not xs[0].dtype.is_int:
        return None
    columns = []
    for x in xs:
        assert x.value is not None
        if len(x.value) not in (1, out.size) or x.rank > 1:
            return None
        columns.append(list(x.value) * (out.size if len(x.value) == 1 else 1))
    rows = list(zip(*columns, strict=True))
    if name == "div" and any(not isinstance(d, int) or d <= 0 or (isinstance(n, int) and n < 0) for n, d in rows):
        return None
    return tuple(_VALUE_FNS[name](*row) for row in rows)


def _define_all() -> None:
    names = {1: "x", 2: "x y"}
    for row in TABLE:
        doc = f"Elementwise {row.name.replace('_', ' ')}" + (f" ({row.note})." if row.note else ".")
        body = {"__doc__": doc, "infer": staticmethod(_infer(row)), "reference": staticmethod(_reference(row))}
        define(row.name, names[row.arity])(type(row.name, (), body))


_define_all()


@define("select", "condition yes no")
class Select:
    """``yes`` where the condition holds, else ``no``; all three broadcast."""

    @staticmethod
    def infer(condition: Tensor, yes: Tensor, no: Tensor) -> Tensor:
        if condition.dtype.kind != "bool":
            raise InferError(f"condition must be i1, got {condition.dtype}")
        if yes.dtype != no.dtype:
            raise InferError(f"both sides must have one element type, got {yes.dtype} and {no.dtype}")
        return Tensor(yes.dtype, dims.broadcast(condition.shape, yes.shape, no.shape))

    @staticmethod
    def reference(condition: np.ndarray, yes: np.ndarray, no: np.ndarray) -> np.ndarray:
        return np.where(condition, yes, no).astype(yes.dtype)


@define("cast", "x", {"to": DType, "saturate": bool, "round_mode": ("nearest", "up", "down")})
class Cast:
    """Conversion by value. Floats truncate to integers; integers drop their high bits.

    ``saturate`` clamps to the largest finite number of floats of 8 bits and less. ``round_mode`` is for f8E8M0FNU,
    the powers of two; all other conversions to floats round to nearest, halves to even.
    """

    @staticmethod
    def infer(x: Tensor, *, to: DType, saturate: bool = True, round_mode: str = "nearest") -> Tensor:
        if "string" in (x.dtype.kind, to.kind):
            raise InferError("strings have no device form")
        if "complex" in (x.dtype.kind, to.kind) and x.dtype.kind != to.kind:
            raise InferError(f"cannot convert {x.dtype} to {to}")
        keep = x.dtype.is_int and to.is_int and to.bits >= 32
        return Tensor(to, x.shape, x.value if keep else None)

    @staticmethod
    def reference(x: np.ndarray, *, to: DType, saturate: bool, round_mode: str) -> np.ndarray:
        if x.dtype == to.numpy:
            return x
        if x.dtype == np.float64 and to.is_float and to.bits <= 16:
            x = _round_to_odd(x)
        if to.is_float and to.bits <= 8:
            wide = x.astype(np.float32)
            if to.name == "f8E8M0FNU":
                return _power_of_two(wide, saturate, round_mode)
            if saturate and to.bits == 8:
                top = wide.dtype.type(ml_dtypes.finfo(to.numpy).max)
                wide = np.where(np.isnan(wide), wide, np.clip(wide, -top, top))
            return wide.astype(to.numpy)
        if to.is_int and to.bits < 8:
            return (x if x.dtype.kind in "iub" else x.astype(np.int32)).astype(to.numpy)
        return x.astype(np.float32).astype(to.numpy) if x.dtype.kind == "V" else x.astype(to.numpy)


def _round_to_odd(x: np.ndarray) -> np.ndarray:
    """f64 to f32 such that rounding once more to a narrower float gives what rounding at once would have given."""
    near = x.astype(np.float32)
    bits = near.view(np.int32)
    other = bits + np.where(np.abs(x) > np.abs(near.astype(np.float64)), 1, -1).astype(np.int32)
    keep = (near.astype(np.float64) == x) | (bits & 1 != 0) | np.isnan(x)
    return np.where(keep, bits, other).view(np.float32)


def _power_of_two(x: np.ndarray, saturate: bool, round_mode: str) -> np.ndarray:
    """ONNX Cast, "FLOAT8E8M0": code k stands for 2^(k-127), 255 for NaN."""
    low = 2.0**-127
    half, exponent = np.frexp(np.where(np.isfinite(x), np.maximum(x, low), low))
    exponent, fraction = exponent - 1, half * 2
    step = {"up": fraction > 1, "down": fraction < 1, "nearest": fraction >= 1.5}[round_mode]
    code = np.where(np.isposinf(x), 255, exponent + 127 + step)
    if saturate:
        code = np.minimum(code, 254)
    else:
        code = np.where((code > 254) | (x < low), 255, code)
    return np.where(np.isnan(x) | (x < 0), 255, code).astype(np.uint8).view(ml_dtypes.float8_e8m0fnu)


@define("bitcast", "x", {"to": DType})
class Bitcast:
    """Reinterpret each element's bits as another type of the same width."""

    @staticmethod
    def infer(x: Tensor, *, to: DType) -> Tensor:
        if "complex" in (x.dtype.kind, to.kind):
            raise InferError("is not defined on complex numbers")
        if x.dtype.bits != to.bits:
            raise InferError(f"cannot reinterpret {x.dtype.bits} bits as {to.bits}")
        return Tensor(to, x.shape)

    @staticmethod
    def reference(x: np.ndarray, *, to: DType) -> np.ndarray:
        return np.ascontiguousarray(x).view(to.numpy).reshape(x.shape)
