"""Scalars inside a loop body, with Python's operators: ``x * 2 + y`` emits arith ops of the right signedness.

A :class:`Scalar` pairs an SSA value (of the *storage* type: signless integers) with its davit element type, or
with ``None`` for MLIR's ``index``. 16-bit floats are computed in f32 and rounded after each operation, which for
+, -, *, / and sqrt equals native 16-bit arithmetic (double rounding is innocuous when 24 >= 2*11+2).
"""

from __future__ import annotations

import builtins
import struct
from typing import Union

from davit.dialects.types import DTYPES, DType, dtype, element_type
from davit.mlir import arith, complex, ir

INDEX = DType("index", DTYPES["i64"].numpy, 64, "signed")
Number = Union["Scalar", int, float, bool]

_FLOAT_CMP = {"eq": 1, "gt": 2, "ge": 3, "lt": 4, "le": 5, "ne": 13}  # ordered, and une for "ne"
_SIGNED_CMP = {"eq": 0, "ne": 1, "lt": 2, "le": 3, "gt": 4, "ge": 5}
_UNSIGNED_CMP = {"eq": 0, "ne": 1, "lt": 6, "le": 7, "gt": 8, "ge": 9}


_COMPLEX = {arith.addf: complex.add, arith.subf: complex.sub, arith.mulf: complex.mul, arith.divf: complex.div}


def scalar_type(dt: DType) -> ir.Type:
    """The MLIR type that holds one element of ``dt`` in compiled programs."""
    return ir.IndexType.get() if dt is INDEX else element_type(dt.storage)


def const(value: int | float | bool, dt: DType) -> Scalar:
    """A constant of the given element type."""
    t = scalar_type(dt)
    if dt.is_float and not dt.is_tiny:
        attr: ir.Attribute = ir.FloatAttr.get(t, float(value))
    elif dt.is_tiny and dt.is_float:
        raise TypeError(f"no arithmetic in {dt}: convert to f32 first")
    elif dt.kind == "complex":
        part = element_type("f32" if dt.bits == 64 else "f64")
        z = builtins.complex(value)
        parts = [arith.ConstantOp(part, ir.FloatAttr.get(part, v)).result for v in (z.real, z.imag)]
        return Scalar(complex.create_(t, *parts), dt)
    else:
        number = int(value)
        if isinstance(t, ir.IntegerType):  # two's complement of the storage width
            number &= (1 << t.width) - 1
            if t.width > 1 and number >> (t.width - 1):
                number -= 1 << t.width
        attr = ir.IntegerAttr.get(t, number)
    return Scalar(arith.ConstantOp(t, attr).result, dt)


def pair(real: Scalar, imaginary: Scalar) -> Scalar:
    """A complex number from its parts."""
    dt = DTYPES["complex<f32>" if real.dtype.bits == 32 else "complex<f64>"]
    return Scalar(complex.create_(scalar_type(dt), real.value, imaginary.value), dt)


def index(value: int | Scalar) -> Scalar:
    """A constant index, or a scalar converted to index."""
    if isinstance(value, Scalar):
        return value.to(INDEX)
    return const(value, INDEX)


class Scalar:
    """One element in a loop body."""

    __slots__ = ("dtype", "value")

    def __init__(self, value: ir.Value, dt: DType) -> None:
        self.value = value
        self.dtype = dt

    # -- helpers ---------------------------------------------------------------------------------------------
    @property
    def known(self) -> int | float | None:
        """The number when this scalar is a constant."""
        owner = self.value.owner
        if isinstance(owner, ir.Block) or owner.name != "arith.constant":
            return None
        attr = owner.attributes["value"]
        return attr.value if isinstance(attr, (ir.IntegerAttr, ir.FloatAttr)) else None

    def like(self, other: Number) -> Scalar:
        """A number as a constant of this scalar's type; scalars must already have it."""
        if isinstance(other, Scalar):
            if other.dtype != self.dtype:
                raise TypeError(f"mixed element types {self.dtype} and {other.dtype}")
            return other
        return const(other, self.dtype)

    def _wide(self) -> tuple[Scalar, bool]:
        """Self in the type that arithmetic is done in, and whether that differs."""
        if self.dtype.is_float and self.dtype.bits == 16:
            return self.to("f32"), True
        if self.dtype.is_float and self.dtype.is_tiny:
            raise TypeError(f"no arithmetic in {self.dtype}: convert to f32 first")
        return self, False

    def _binary(self, other: Number, on_float, on_signed, on_unsigned=None, *, right: bool = False) -> Scalar:
        o = self.like(other)
        a, b = (o, self) if right else (self, o)
        if self.dtype.kind == "complex":
            if (make := _COMPLEX.get(on_float)) is None:
                raise TypeError(f"no such operation on {self.dtype}")
            return Scalar(make(a.value, b.value), self.dtype)
        aw, narrow = a._wide()
        bw, _ = b._wide()
        kind = self.dtype.kind
        make = on_float if kind == "float" else (on_unsigned or on_signed) if kind != "signed" else on_signed
        if make is None:
            raise TypeError(f"no such operation on {self.dtype}")
        out = Scalar(make(aw.value, bw.value), aw.dtype)
        return out.to(self.dtype) if narrow else out._wrap()

    def _wrap(self) -> Scalar:
        """Bring a sub-byte integer back into its range after arithmetic in i8."""
        if not (self.dtype.is_tiny and self.dtype.is_int):
            return self
        from davit.compiler.linalg_builder import convert

        return convert.wrap_small_int(self)

    # -- arithmetic ------------------------------------------------------------------------------------------
    def __add__(self, o: Number) -> Scalar:
        return self._binary(o, arith.addf, arith.addi)

    def __radd__(self, o: Number) -> Scalar:
        return self + o

    def __sub__(self, o: Number) -> Scalar:
        return self._binary(o, arith.subf, arith.subi)

    def __rsub__(self, o: Number) -> Scalar:
        return self._binary(o, arith.subf, arith.subi, right=True)

    def __mul__(self, o: Number) -> Scalar:
        return self._binary(o, arith.mulf, arith.muli)

    def __rmul__(self, o: Number) -> Scalar:
        return self * o

    def __truediv__(self, o: Number) -> Scalar:
        """Float division; on integers, division rounding to zero, where x/0 is 0 and MIN/-1 is MIN (never a trap)."""
        if self.dtype.is_float or self.dtype.kind == "complex":
            return self._binary(o, arith.divf, None)
        return self._guarded(o, arith.divsi, arith.divui, arith.divsi)

    def __rtruediv__(self, o: Number) -> Scalar:
        return self.like(o) / self

    def __floordiv__(self, o: Number) -> Scalar:
        """Division rounding down (integers only)."""
        if self.dtype is INDEX and isinstance(o, int) and o > 0:
            return Scalar(arith.floordivsi(self.value, self.like(o).value), INDEX)
        return self._guarded(o, arith.floordivsi, arith.divui, arith.floordivsi)

    def __mod__(self, o: Number) -> Scalar:
        """Remainder with the sign of the dividend (C's % and fmod)."""
        if self.dtype.is_float:
            return self._binary(o, arith.remf, None)
        return self._guarded(o, arith.remsi, arith.remui, arith.remsi)

    def _guarded(self, other: Number, on_signed, on_unsigned, make_signed) -> Scalar:
        """Integer division that cannot trap: a divisor of 0 gives 0, MIN / -1 wraps."""
        o = self.like(other)
        unsigned = self.dtype.kind != "signed"
        make = on_unsigned if unsigned else on_signed
        if o.known not in (None, 0, -1):
            return Scalar(make(self.value, o.value), self.dtype)._wrap()
        bad = o.eq(0)
        if not unsigned:
            bad = bad | o.eq(-1)
        safe = bad.select(self.like(1), o)
        out = Scalar(make(self.value, safe.value), self.dtype)
        zero = self.like(0)
        if unsigned:
            return bad.select(zero, out)
        is_rem = on_signed is arith.remsi
        minus = zero if is_rem else zero - self
        return o.eq(0).select(zero, o.eq(-1).select(minus, out))._wrap()

    def __neg__(self) -> Scalar:
        if self.dtype.is_float:
            w, narrow = self._wide()
            out = Scalar(arith.negf(w.value), w.dtype)
            return out.to(self.dtype) if narrow else out
        if self.dtype.kind == "complex":
            return Scalar(complex.neg(self.value), self.dtype)
        return self.like(0) - self

    # -- bits and booleans -----------------------------------------------------------------------------------
    def _bits(self, o: Number, make) -> Scalar:
        return Scalar(make(self.value, self.like(o).value), self.dtype)

    def __and__(self, o: Number) -> Scalar:
        return self._bits(o, arith.andi)

    def __or__(self, o: Number) -> Scalar:
        return self._bits(o, arith.ori)

    def __xor__(self, o: Number) -> Scalar:
        return self._bits(o, arith.xori)

    def __invert__(self) -> Scalar:
        return self ^ (1 if self.dtype.kind == "bool" else -1)

    def shl(self, o: Number) -> Scalar:
        """Left shift; the amount must be below the width."""
        return self._bits(o, arith.shli)

    def shr(self, o: Number, *, arithmetic: bool | None = None) -> Scalar:
        """Right shift: arithmetic for signed types unless told otherwise."""
        keep_sign = self.dtype.kind == "signed" if arithmetic is None else arithmetic
        return self._bits(o, arith.shrsi if keep_sign else arith.shrui)

    # -- comparison ------------------------------------------------------------------------------------------
    def _compare(self, o: Number, word: str) -> Scalar:
        other = self.like(o)
        if self.dtype.kind == "complex":
            if word not in ("eq", "ne"):
                raise TypeError(f"{self.dtype} has no order")
            make = complex.eq if word == "eq" else complex.neq
            return Scalar(make(self.value, other.value), DTYPES["i1"])
        a, _ = self._wide()
        b, _ = other._wide()
        if self.dtype.is_float:
            out = arith.cmpf(_FLOAT_CMP[word], a.value, b.value)
        else:
            table = _SIGNED_CMP if self.dtype.kind == "signed" else _UNSIGNED_CMP
            out = arith.cmpi(table[word], a.value, b.value)
        return Scalar(out, DTYPES["i1"])

    def eq(self, o: Number) -> Scalar:
        return self._compare(o, "eq")

    def ne(self, o: Number) -> Scalar:
        return self._compare(o, "ne")

    def __lt__(self, o: Number) -> Scalar:
        return self._compare(o, "lt")

    def __le__(self, o: Number) -> Scalar:
        return self._compare(o, "le")

    def __gt__(self, o: Number) -> Scalar:
        return self._compare(o, "gt")

    def __ge__(self, o: Number) -> Scalar:
        return self._compare(o, "ge")

    def isnan(self) -> Scalar:
        """True for NaN; False for any integer."""
        if not self.dtype.is_float:
            return const(False, DTYPES["i1"])
        w, _ = self._wide()
        return w.ne(w)

    # -- selection -------------------------------------------------------------------------------------------
    def select(self, yes: Number, no: Number) -> Scalar:
        """``yes if self else no`` for a boolean scalar; at least one side must be a Scalar."""
        if not isinstance(yes, Scalar):
            assert isinstance(no, Scalar)
            yes = no.like(yes)
        no = yes.like(no)
        return Scalar(arith.select(self.value, yes.value, no.value), yes.dtype)

    def maximum(self, o: Number) -> Scalar:
        """Larger of two; NaN wins."""
        return self._binary(o, arith.maximumf, arith.maxsi, arith.maxui)

    def minimum(self, o: Number) -> Scalar:
        """Smaller of two; NaN wins."""
        return self._binary(o, arith.minimumf, arith.minsi, arith.minui)

    def clamp(self, low: Number, high: Number) -> Scalar:
        return self.maximum(low).minimum(high)

    # -- conversion ------------------------------------------------------------------------------------------
    def to(self, target: DType | str) -> Scalar:
        """Convert to another element type by value (see :mod:`davit.compiler.linalg_builder.convert`)."""
        from davit.compiler.linalg_builder import convert

        return convert.cast(self, INDEX if target == "index" else target if target is INDEX else dtype(target))

    def bitcast(self, target: DType | str) -> Scalar:
        """Reinterpret the bits as another type of the same storage width."""
        dt = dtype(target)
        t = scalar_type(dt)
        if t == self.value.type:
            return Scalar(self.value, dt)
        return Scalar(arith.bitcast(t, self.value), dt)


def float_bits(value: float) -> int:
    """IEEE-754 binary32 pattern of a number."""
    return struct.unpack("<I", struct.pack("<f", value))[0]
