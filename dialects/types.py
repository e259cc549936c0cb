"""Element types and tensor types as plain Python values, and their MLIR spelling.

Signed integers are signless in MLIR (``i32``), unsigned ones carry their sign (``ui32``), booleans are ``i1``:
StableHLO's convention. A dimension is an ``int`` (static), a ``str`` (symbolic: equal names are equal sizes) or
``None`` (unknown). Symbolic names are kept in the IR as the tensor's encoding: ``tensor<?x3xf32, ["batch", ""]>``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import ml_dtypes
import numpy as np

from davit.mlir import ir

Dim = int | str | None
Shape = tuple[Dim, ...]


@dataclass(frozen=True)
class DType:
    """One element type: its MLIR name, numpy type, width in bits and kind."""

    name: str
    numpy: np.dtype
    bits: int
    kind: str  # "float", "signed", "unsigned", "bool", "complex", "string"

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_int(self) -> bool:
        """Signed or unsigned integer; not bool."""
        return self.kind in ("signed", "unsigned")

    @property
    def is_tiny(self) -> bool:
        """A type below a byte or an 8-bit float: stored one element per ``i8`` in compiled programs."""
        return (self.is_float and self.bits <= 8) or (self.is_int and self.bits < 8)

    @property
    def storage(self) -> str:
        """MLIR element type in compiled programs, where integers are signless and tiny types are bytes."""
        if self.is_tiny:
            return "i8"
        return self.name.removeprefix("u") if self.kind == "unsigned" else self.name

    def __str__(self) -> str:
        return self.name


def _table() -> dict[str, DType]:
    rows: list[tuple[str, object, int, str]] = [
        ("f64", np.float64, 64, "float"),
        ("f32", np.float32, 32, "float"),
        ("f16", np.float16, 16, "float"),
        ("bf16", ml_dtypes.bfloat16, 16, "float"),
        ("f8E4M3FN", ml_dtypes.float8_e4m3fn, 8, "float"),
        ("f8E4M3FNUZ", ml_dtypes.float8_e4m3fnuz, 8, "float"),
        ("f8E4M3B11FNUZ", ml_dtypes.float8_e4m3b11fnuz, 8, "float"),
        ("f8E4M3", ml_dtypes.float8_e4m3, 8, "float"),
        ("f8E3M4", ml_dtypes.float8_e3m4, 8, "float"),
        ("f8E5M2", ml_dtypes.float8_e5m2, 8, "float"),
        ("f8E5M2FNUZ", ml_dtypes.float8_e5m2fnuz, 8, "float"),
        ("f8E8M0FNU", ml_dtypes.float8_e8m0fnu, 8, "float"),
        ("f6E2M3FN", ml_dtypes.float6_e2m3fn, 6, "float"),
        ("f6E3M2FN", ml_dtypes.float6_e3m2fn, 6, "float"),
        ("f4E2M1FN", ml_dtypes.float4_e2m1fn, 4, "float"),
        ("i64", np.int64, 64, "signed"),
        ("i32", np.int32, 32, "signed"),
        ("i16", np.int16, 16, "signed"),
        ("i8", np.int8, 8, "signed"),
        ("i4", ml_dtypes.int4, 4, "signed"),
        ("i2", ml_dtypes.int2, 2, "signed"),
        ("ui64", np.uint64, 64, "unsigned"),
        ("ui32", np.uint32, 32, "unsigned"),
        ("ui16", np.uint16, 16, "unsigned"),
        ("ui8", np.uint8, 8, "unsigned"),
        ("ui4", ml_dtypes.uint4, 4, "unsigned"),
        ("ui2", ml_dtypes.uint2, 2, "unsigned"),
        ("i1", np.bool_, 1, "bool"),
        ("complex<f32>", np.complex64, 64, "complex"),
        ("complex<f64>", np.complex128, 128, "complex"),
        ("!onnx.string", object, 0, "string"),
    ]
    return {name: DType(name, np.dtype(t), bits, kind) for name, t, bits, kind in rows}


DTYPES: dict[str, DType] = _table()
_BY_NUMPY: dict[np.dtype, DType] = {d.numpy: d for d in DTYPES.values()}


def dtype(name: str | DType | np.dtype | type) -> DType:
    """Look a type up by MLIR name or numpy type.

    Raises:
        KeyError: davit has no such type.
    """
    if isinstance(name, DType):
        return name
    if isinstance(name, str) and name in DTYPES:
        return DTYPES[name]
    return _BY_NUMPY[np.dtype(name).newbyteorder("=")]


def is_none(x: object) -> bool:
    """True for an absent optional operand: Python's None, or a value of MLIR's ``none`` type."""
    return x is None or (isinstance(x, ir.Value) and isinstance(getattr(x, "type", None), ir.NoneType))


@dataclass(frozen=True)
class Tensor:
    """A ranked tensor type, with what is known of its value.

    ``value`` is no part of the type: it holds the elements of a small integer tensor as far as they are known
    (row-major, each a Dim), which is how shapes travel through Shape–Gather–Concat–Reshape chains.
    """

    dtype: DType
    shape: Shape
    value: tuple[Dim, ...] | None = field(default=None, compare=False)

    @staticmethod
    def make(dt: str | DType | np.dtype | type, shape: tuple[Dim, ...] | list[Dim], value=None) -> Tensor:
        return Tensor(dtype(dt), tuple(shape), None if value is None else tuple(value))

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def is_static(self) -> bool:
        return all(isinstance(d, int) for d in self.shape)

    @property
    def size(self) -> int:
        """Number of elements; only for static shapes."""
        n = 1
        for d in self.shape:
            assert isinstance(d, int)
            n *= d
        return n

    def with_shape(self, shape: tuple[Dim, ...] | list[Dim]) -> Tensor:
        return Tensor(self.dtype, tuple(shape))

    def with_dtype(self, dt: str | DType) -> Tensor:
        return Tensor(dtype(dt), self.shape)

    def with_value(self, value: tuple[Dim, ...] | list[Dim] | None) -> Tensor:
        return replace(self, value=None if value is None else tuple(value))

    @staticmethod
    def of(type_or_value: ir.Type | ir.Value) -> Tensor:
        """Read an MLIR ranked tensor type.

        Raises:
            TypeError: it is not a ranked tensor of a known element type.
        """
        t = type_or_value.type if isinstance(type_or_value, ir.Value) else type_or_value
        if not isinstance(t, ir.RankedTensorType):
            raise TypeError(f"expected a ranked tensor, got {t}")
        element = str(t.element_type)
        if element not in DTYPES:
            raise TypeError(f"unknown element type {element}")
        names: list[str] = []
        if (encoding := t.encoding) is not None and isinstance(encoding, ir.ArrayAttr):
            names = [ir.StringAttr(a).value for a in encoding]
        shape = []
        for i in range(t.rank):
            if not t.is_dynamic_dim(i):
                shape.append(t.get_dim_size(i))
            else:
                shape.append((names[i] or None) if i < len(names) else None)
        return Tensor(DTYPES[element], tuple(shape))

    def mlir(self) -> ir.RankedTensorType:
        """The MLIR type at the ``onnx`` and ``nn`` levels (in the current context)."""
        sizes = [d if isinstance(d, int) else ir.ShapedType.get_dynamic_size() for d in self.shape]
        encoding = None
        if any(isinstance(d, str) for d in self.shape):
            encoding = ir.ArrayAttr.get([ir.StringAttr.get(d if isinstance(d, str) else "") for d in self.shape])
        return ir.RankedTensorType.get(sizes, element_type(self.dtype), encoding)

    def storage(self) -> ir.RankedTensorType:
        """The MLIR type at the linalg level: storage element type, no encoding."""
        sizes = [d if isinstance(d, int) else ir.ShapedType.get_dynamic_size() for d in self.shape]
        return ir.RankedTensorType.get(sizes, element_type(self.dtype.storage))

    def __str__(self) -> str:
        return "x".join([*("?" if d is None else str(d) for d in self.shape), str(self.dtype)])


def element_type(dt: DType | str) -> ir.Type:
    """The MLIR scalar type of a name such as ``f32`` or ``ui8`` in the current context."""
    return ir.Type.parse(str(dt), ir.Context.current)


def compatible_dim(a: Dim, b: Dim) -> bool:
    """False only when the two sizes are certainly different."""
    return not (isinstance(a, int) and isinstance(b, int) and a != b)


def compatible(a: Tensor, b: Tensor) -> bool:
    """Same element type and rank, and no two static sizes that differ."""
    return a.dtype == b.dtype and a.rank == b.rank and all(map(compatible_dim, a.shape, b.shape))


def refine_dim(a: Dim, b: Dim) -> Dim:
    """The more informative of two descriptions of one size: a number, else a name, else unknown."""
    if isinstance(a, int):
        return a
    if isinstance(b, int):
        return b
    return a if a is not None else b


def refine(a: Tensor, b: Tensor) -> Tensor:
    """Combine two descriptions of one tensor (``compatible`` must hold)."""
    value = a.value if a.value is not None else b.value
    return Tensor(a.dtype, tuple(map(refine_dim, a.shape, b.shape)), value)
