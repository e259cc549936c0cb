"""Writing linalg from Python: tensors go in, loops come out, no text templates.

Three ways to describe a computation, from the most to the least structured:

* :meth:`LinalgBuilder.generic` – einsum-like index notation over a Python function of scalars;
* :meth:`LinalgBuilder.tabulate` – each output element as a function of its indices, reading inputs anywhere;
* :meth:`LinalgBuilder.sequential` – a loop nest that updates a tensor in place, run as one dispatch.

Values are at the linalg level: signless storage types. Their davit element type travels in :class:`Array`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from davit.compiler.linalg_builder import convert, scalar
from davit.compiler.linalg_builder.array import Array, Size, one
from davit.compiler.linalg_builder.loops import Loops
from davit.compiler.linalg_builder.scalar import INDEX, Scalar, const
from davit.dialects import constants
from davit.dialects.types import Dim, DType, Tensor, dtype
from davit.mlir import arith, ir


class LinalgBuilder(Loops):
    """Emits linalg-level IR at the current insertion point (MLIR's ambient context)."""

    def constant(self, array: np.ndarray) -> Array:
        array = np.asarray(array)
        t = Tensor.make(array.dtype, array.shape)
        if t.dtype.kind == "bool" and array.nbytes > constants.INLINE_BYTES:
            # A resource of i1 has no agreed packing: store bytes and compare.
            return self.map(lambda s: s.ne(0), self.constant(array.view(np.uint8)), dt=t.dtype)
        if t.dtype.kind == "complex":
            # Neither IREE nor the bindings read tensor constants of complex numbers.
            parts = (self.constant(np.asarray(p, order="C")) for p in (np.real(array), np.imag(array)))
            return self.map(scalar.pair, *parts, dt=t.dtype)
        return Array(arith.ConstantOp(t.storage(), constants.encode(array, storage=True)).result, t)

    def map(
        self,
        fn: Callable[..., Scalar],
        *xs: Array,
        dt: DType | str | None = None,
        sizes: Sequence[Size] | None = None,
        shape: tuple[Dim, ...] | None = None,
    ) -> Array:
        """Elementwise with numpy broadcasting; sizes unknown until run time included.

        A dimension whose size may be 1 only at run time is read at ``select(size == 1, 0, i)``.

        Args:
            shape: the result's symbolic shape when known (else derived from the operands).
        """
        from davit.dialects.dims import broadcast

        shape = broadcast(*(x.shape for x in xs)) if shape is None else shape
        rank = len(shape)
        out_dt = xs[0].dtype if dt is None else (dtype(dt) if isinstance(dt, str) else dt)
        # A few integers held as host scalars (shape arithmetic) stay host scalars.
        if not out_dt.is_float and all(self.is_scalars(x) for x in xs) and all(isinstance(d, int) for d in shape):
            if (n := int(np.prod(shape))) and n <= 64:
                return self._map_scalars(fn, xs, shape)  # type: ignore[arg-type]
        if sizes is None:
            sizes = [self.broadcast_size(xs, rank, i, shape[i]) for i in range(rank)]
        final: list[Size] = list(sizes)
        order = [f"d{i}" for i in range(rank)]
        ins: list[list[str]] = []
        direct: list[Array] = []
        loose: dict[int, Array] = {}
        held: dict[int, Scalar] = {}
        for n, x in enumerate(xs):
            if x.t.is_static and x.t.size == 1 and (given := self._given(x)):
                held[n] = given[0]
                continue
            group, is_loose = [], False
            for i, d in enumerate(x.shape, start=rank - x.rank):
                if isinstance(d, int) and d == 1 and shape[i] != 1:
                    group.append("1")
                else:
                    group.append(order[i])
                    # Same name or same number: certainly equal. Otherwise the operand may have size 1.
                    certain = d == shape[i] and d is not None or self._alone(xs, n, rank, i)
                    is_loose |= not certain
            if is_loose:
                loose[n] = x
            else:
                ins.append(group)
                direct.append(x)
        dims = {n: self.dims(x) for n, x in loose.items()}
        out = self.empty(out_dt, final)

        def body(*args: Scalar) -> Scalar:
            it = iter(args[:-1])
            idx = self.indices(rank) if loose else []
            values = []
            for n in range(len(xs)):
                known = held.get(n)
                values.append(known or (self._loose(loose[n], dims[n], idx, rank) if n in loose else next(it)))
            return fn(*values)

        made = self._generic(ins, [order], order, [], direct, [out], body, None)[0]
        known = tuple(s if isinstance(s, int) else d for s, d in zip(final, shape, strict=True))
        made = Array(made.value, Tensor(out_dt, known))
        return self.opaque(made) if loose else made

    def opaque(self, x: Array) -> Array:
        """The same tensor, stored as it is: IREE fuses nothing that reads it into what makes it.

        Where reads at computed places (sizes that may be 1) are fused into a reduction or a product, IREE 3.13 wants
        stack for the whole tensor.
        """
        sizes = [d.value for d in self.dims(x) if isinstance(d, Scalar)]
        held = ir.Operation.create("kernel.opaque", results=[x.value.type], operands=[x.value, *sizes]).result
        return Array(held, x.t)

    def _alone(self, xs: Sequence[Array], n: int, rank: int, i: int) -> bool:
        """Every other operand has size 1 there, so the result's size is this operand's."""
        for m, y in enumerate(xs):
            j = i - (rank - y.rank)
            if m != n and j >= 0 and y.shape[j] != 1:
                return False
        return True

    def _loose(self, x: Array, dims: list[Size], idx: list[Scalar], rank: int) -> Scalar:
        at = []
        for d, i in zip(dims, idx[rank - x.rank :], strict=True):
            if isinstance(d, int):
                at.append(const(0, INDEX) if d == 1 else i)
            else:
                at.append(d.eq(1).select(const(0, INDEX), i))
        return self.extract(x, at)

    def _map_scalars(self, fn, xs: Sequence[Array], shape: tuple[int, ...]) -> Array:
        from davit.dialects.types import is_none  # noqa: F401

        grids = []
        for x in xs:
            ids = np.arange(max(x.t.size, 1)).reshape(x.shape)  # type: ignore[arg-type]
            values = self.scalars(x)
            grids.append([values[k] for k in np.broadcast_to(ids, shape).reshape(-1)])
        return self.from_scalars([fn(*row) for row in zip(*grids, strict=True)], shape)

    def broadcast_size(self, xs: Sequence[Array], rank: int, i: int, name: Dim) -> Size:
        """Run-time size of broadcast dimension ``i``, asserting that the operands fit."""
        if isinstance(name, int):
            best: Size = name
        else:
            best = 1
        seen: set[Dim] = set()
        for x in xs:
            j = i - (rank - x.rank)
            if j < 0 or x.shape[j] == 1:
                continue
            d = x.shape[j]
            if d is not None and d in seen:
                continue
            seen.add(d)
            if isinstance(d, int):
                continue
            s = self.dim(x, j)
            assert isinstance(s, Scalar)
            if isinstance(best, int):
                if best != 1:
                    self.check(s.eq(best) | s.eq(1), f"a dimension must be {best} or 1 to broadcast")
                else:
                    best = s
            else:
                self.check(s.eq(best) | s.eq(1) | best.eq(1), "two dimensions neither equal nor 1 do not broadcast")
                best = best.eq(1).select(s, best)
        return best

    # -- conveniences ----------------------------------------------------------------------------------------
    def cast(self, x: Array, dt: DType | str, *, saturate: bool = True) -> Array:
        dt = dtype(dt) if isinstance(dt, str) else dt
        if dt == x.dtype:
            return x
        return self.map(lambda s: convert.cast(s, dt, saturate=saturate), x, dt=dt)

    def contract(self, spec: str, a: Array, b: Array, acc: DType, sizes: Sequence[Size], reduce: str) -> Array:
        """Sum of products in index notation, accumulated in ``acc``."""
        out = self.zeros(acc, sizes)
        return self.generic(spec, [a, b], lambda x, y, z: z + x.to(acc) * y.to(acc), out=[out], reduce=reduce)[0]


__all__ = ["Array", "LinalgBuilder", "Size", "one"]
