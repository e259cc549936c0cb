"""The ground of the builder: sizes, new tensors, host scalars, single elements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from davit.compiler.linalg_builder.array import Array, Flat, Size, one
from davit.compiler.linalg_builder.scalar import INDEX, Scalar, const, scalar_type
from davit.dialects import constants
from davit.dialects.types import DTYPES, Dim, DType, Tensor, dtype
from davit.mlir import arith, ir, linalg, tensor


class Core:
    """Sizes, new tensors, host scalars, single elements."""

    # -- sizes -----------------------------------------------------------------------------------------------
    def dim(self, x: Array, axis: int) -> Size:
        """Size of one dimension: a number when static."""
        d = x.shape[axis]
        if isinstance(d, int):
            return d
        return Scalar(tensor.dim(x.value, const(axis, INDEX).value), INDEX)

    def dims(self, x: Array) -> list[Size]:
        return [self.dim(x, i) for i in range(x.rank)]

    def size_product(self, sizes: Sequence[Size]) -> Size:
        n: Size = 1
        for s in sizes:
            n = s * n if isinstance(s, Scalar) else (n * s)
        return n

    def known_size(self, s: Size) -> Size:
        """Fold an index constant back into a number."""
        if isinstance(s, Scalar) and isinstance(k := s.known, int):
            return k
        return s

    def _shape_type(self, dt: DType, sizes: Sequence[Size]) -> tuple[ir.RankedTensorType, list[ir.Value]]:
        dynamic = ir.ShapedType.get_dynamic_size()
        static = [s if isinstance(s, int) else dynamic for s in sizes]
        return ir.RankedTensorType.get(static, scalar_type(dt)), [s.value for s in sizes if isinstance(s, Scalar)]

    def fit(self, x: Array, t: Tensor) -> Array:
        """Cast to the static information of ``t`` (same rank and element type), e.g. ``?x3`` to ``2x3``."""
        want = t.storage()
        if x.value.type == want:
            return Array(x.value, t)
        return Array(tensor.cast(want, x.value), t)

    def _as_tensor(self, dt: DType, sizes: Sequence[Size], names: Sequence[Dim] | None = None) -> Tensor:
        shape = [s if isinstance(s, int) else (names[i] if names else None) for i, s in enumerate(sizes)]
        return Tensor(dt, tuple(shape))

    # -- making tensors --------------------------------------------------------------------------------------
    def empty(self, dt: DType | str, sizes: Sequence[Size]) -> Array:
        dt = dtype(dt) if isinstance(dt, str) else dt
        sizes = [self.known_size(s) for s in sizes]
        t, dyn = self._shape_type(dt, sizes)
        return Array(
            tensor.EmptyOp([*(s if isinstance(s, int) else s.value for s in sizes)], t.element_type).result,
            self._as_tensor(dt, sizes),
        )

    def full(self, value: Scalar, sizes: Sequence[Size]) -> Array:
        out = self.empty(value.dtype, sizes)
        filled = one(linalg.fill(value.value, outs=[out.value]))
        return Array(filled, out.t)

    def zeros(self, dt: DType | str, sizes: Sequence[Size]) -> Array:
        dt = dtype(dt) if isinstance(dt, str) else dt
        return self.full(self.zero(dt), sizes)

    def zero(self, dt: DType) -> Scalar:
        if dt.is_float and dt.is_tiny:  # +0 is all zero bits except in the types that have no zero
            return Scalar(const(0, DTYPES["i8"]).value, dt)
        return const(0, dt)

    def from_scalars(self, scalars: Sequence[Scalar], shape: tuple[int, ...] | None = None) -> Array:
        """A small tensor from its elements, row-major."""
        shape = (len(scalars),) if shape is None else shape
        t = Tensor(scalars[0].dtype, shape)
        if t.dtype.kind == "bool":  # IREE 3.13 cannot store i1 elements given one by one: bytes, then narrowed
            wide = self.from_scalars([s.to("i8") for s in scalars], shape)
            return Array(arith.trunci(t.storage(), wide.value), t)
        return Array(tensor.FromElementsOp(t.storage(), [s.value for s in scalars]).result, t)

    @staticmethod
    def _given(x: Array) -> list[Scalar] | None:
        """The elements of a tensor that :meth:`from_scalars` made."""
        owner = x.value.owner
        if not isinstance(owner, ir.Block) and owner.name == "arith.trunci" and x.dtype.kind == "bool":
            owner = owner.operands[0].owner
            if not isinstance(owner, ir.Block) and owner.name == "tensor.from_elements":
                return [Scalar(v, DTYPES["i8"]).ne(0) for v in owner.operands]
            return None
        if isinstance(owner, ir.Block) or owner.name != "tensor.from_elements":
            return None
        return [Scalar(v, x.dtype) for v in owner.operands]

    def scalars(self, x: Array) -> list[Scalar]:
        """The elements of a small static tensor as scalars (host side: shapes, axes, counts)."""
        assert x.t.is_static
        if (given := self._given(x)) is not None:
            return given
        owner = x.value.owner
        if not isinstance(owner, ir.Block):
            if owner.name == "tensor.cast":
                inner = owner.operands[0]
                if isinstance(inner.type, ir.RankedTensorType) and inner.type.has_static_shape:
                    return self.scalars(Array(inner, x.t))
            if owner.name == "arith.constant":
                array = constants.decode(owner.attributes["value"])
                if array is not None:
                    return [const(v.item(), x.dtype) for v in array.reshape(-1)]
        out = []
        for idx in np.ndindex(*x.shape):  # type: ignore[arg-type]
            out.append(self.extract(x, [const(i, INDEX) for i in idx]))
        return out

    def is_scalars(self, x: Array) -> bool:
        """True when the elements are at hand on the host without reading a device buffer."""
        owner = x.value.owner
        if isinstance(owner, ir.Block) or not x.t.is_static or x.t.size > 64:
            return False
        if owner.name == "arith.constant":
            return constants.decode(owner.attributes["value"]) is not None
        return self._given(x) is not None

    def index_list(self, x: Array) -> list[Size]:
        """A 1-D integer tensor as sizes; constants become numbers."""
        return [self.known_size(s.known if isinstance(s.known, int) else s.to(INDEX)) for s in self.scalars(x)]

    # -- element access --------------------------------------------------------------------------------------
    def extract(self, x: Array, indices: Sequence[Scalar | int]) -> Scalar:
        """Read one element, inside a loop body or on the host. The index must be in range."""
        return Scalar(tensor.extract(x.value, self._index_values(x, indices)), x.dtype)

    def _index_values(self, x: Array, indices: Sequence[Scalar | int]) -> list[ir.Value]:
        at = [const(i, INDEX) if isinstance(i, int) else i.to(INDEX) for i in indices]
        if isinstance(x, Flat):
            line = at[0] if at else const(0, INDEX)
            for i, size in zip(at[1:], x.sizes[1:], strict=True):
                line = line * size + i
            at = [line] if ir.RankedTensorType(x.value.type).rank else []
        return [i.value for i in at]
