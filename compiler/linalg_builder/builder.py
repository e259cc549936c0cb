"""Writing linalg from Python: tensors go in, loops come out, no text templates.

Three ways to describe a computation, from the most to the least structured:

* :meth:`LinalgBuilder.generic` – einsum-like index notation over a Python function of scalars;
* :meth:`LinalgBuilder.tabulate` – each output element as a function of its indices, reading inputs anywhere;
* :meth:`LinalgBuilder.sequential` – a loop nest that updates a tensor in place, run as one dispatch.

Values are at the linalg level: signless storage types. Their davit element type travels in :class:`Array`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from davit.compiler.linalg_builder import convert, mathfn, scalar
from davit.compiler.linalg_builder.scalar import INDEX, Scalar, const, scalar_type
from davit.dialects import constants
from davit.dialects.definition import create
from davit.dialects.types import DTYPES, Dim, DType, Tensor, dtype
from davit.mlir import arith, cf, ir, linalg, math, scf, tensor

Size = int | Scalar
"""A dimension in generated code: a number, or an index computed at run time."""


class Array:
    """A tensor value at the linalg level with its davit type; ``t.shape`` keeps symbolic names."""

    __slots__ = ("t", "value")

    def __init__(self, value: ir.Value, t: Tensor) -> None:
        self.value = value
        self.t = t

    @property
    def dtype(self) -> DType:
        return self.t.dtype

    @property
    def rank(self) -> int:
        return self.t.rank

    @property
    def shape(self) -> tuple[Dim, ...]:
        return self.t.shape


class Flat(Array):
    """A tensor inside :meth:`LinalgBuilder.sequential`: rank and shape of ``t``, stored row-major in one line."""

    __slots__ = ("sizes",)

    def __init__(self, value: ir.Value, t: Tensor, sizes: Sequence[Size]) -> None:
        super().__init__(value, t)
        self.sizes = list(sizes)


class LinalgBuilder:
    """Emits linalg-level IR at the current insertion point (MLIR's ambient context)."""

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
        return Array(tensor.EmptyOp([*(s if isinstance(s, int) else s.value for s in sizes)], t.element_type).result,
                     self._as_tensor(dt, sizes))

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

    # -- loops -----------------------------------------------------------------------------------------------
    def generic(
        self,
        spec: str,
        inputs: Sequence[Array],
        fn: Callable[..., Any],
        *,
        out: Sequence[Array],
        reduce: str = "",
        names: Sequence[tuple[Dim, ...]] | None = None,
    ) -> list[Array]:
        """``linalg.generic`` in index notation: ``"b m k, b k n -> b m n"``.

        Args:
            spec: blank-separated index names of each input and output; ``1`` stands for a constant index 0.
            fn: called with one Scalar per input then one per output (the running value), returns the new output(s).
            out: initial value of each output.
            reduce: names of the reduction dimensions.
            names: symbolic shape of each output.
        """
        left, _, right = spec.partition("->")
        ins = [p.split() for p in left.split(",")] if inputs else []
        outs = [p.split() for p in right.split(",")]
        order: list[str] = []
        for group in (*outs, *ins):
            order += [n for n in group if n != "1" and n not in order]
        return self._generic(ins, outs, order, reduce.split(), inputs, out, fn, names)

    def _generic(self, ins, outs, order, reduce, inputs, out, fn, names) -> list[Array]:
        pos = {n: i for i, n in enumerate(order)}
        n = len(order)
        zero = ir.AffineConstantExpr.get(0)

        def to_map(group: list[str]) -> ir.AffineMap:
            return ir.AffineMap.get(n, 0, [zero if g == "1" else ir.AffineDimExpr.get(pos[g]) for g in group])

        kinds = ["reduction" if d in reduce else "parallel" for d in order]
        return self._emit([to_map(g) for g in (*ins, *outs)], kinds, inputs, out, fn, names)

    def generic_maps(
        self,
        maps: Sequence[ir.AffineMap],
        inputs: Sequence[Array],
        out: Sequence[Array],
        fn: Callable[..., Any],
        *,
        parallel: int,
        reduction: int = 0,
    ) -> list[Array]:
        """``linalg.generic`` with explicit affine maps; the parallel loops come first (windows, strides)."""
        return self._emit(maps, ["parallel"] * parallel + ["reduction"] * reduction, inputs, out, fn, None)

    def _emit(self, affine, kinds: Sequence[str], inputs, out, fn, names) -> list[Array]:
        maps = ir.ArrayAttr.get([ir.AffineMapAttr.get(a) for a in affine])
        iters = ir.ArrayAttr.get([ir.Attribute.parse(f"#linalg.iterator_type<{k}>") for k in kinds])
        results = [o.value.type for o in out]
        op = linalg.GenericOp(results, [i.value for i in inputs], [o.value for o in out], maps, iters)
        arg_types = [scalar_type(a.dtype) for a in (*inputs, *out)]
        block = op.regions[0].blocks.append(*arg_types)
        with ir.InsertionPoint(block):
            args = [Scalar(v, a.dtype) for v, a in zip(block.arguments, (*inputs, *out), strict=True)]
            results = fn(*args)
            if isinstance(results, Scalar):
                results = [results]
            linalg.YieldOp([r.value for r in results])
        return [
            Array(v, o.t if names is None else Tensor(o.dtype, names[i]))
            for i, (v, o) in enumerate(zip(op.results, out, strict=True))
        ]

    def indices(self, rank: int) -> list[Scalar]:
        """The loop indices inside a generic body."""
        return [Scalar(linalg.IndexOp(i).result, INDEX) for i in range(rank)]

    def tabulate(self, dt: DType | str, sizes: Sequence[Size], fn: Callable[..., Scalar]) -> Array:
        """A tensor whose element at ``(i, j, ...)`` is ``fn(i, j, ...)``; ``fn`` may :meth:`extract` from inputs."""
        out = self.empty(dt, sizes)
        group = [f"d{i}" for i in range(len(sizes))]
        body = lambda _o: fn(*self.indices(len(sizes)))  # noqa: E731
        return self._generic([], [group], group, [], [], [out], body, None)[0]

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

    def check(self, condition: Scalar, message: str) -> None:
        """Stop the program with a message unless the condition holds (host side)."""
        if condition.known:
            return
        cf.AssertOp(condition.value, message)

    def reduce(
        self,
        x: Array,
        axes: Sequence[int],
        init: Scalar,
        fn: Callable[[Scalar, Scalar], Scalar],
        *,
        keepdims: bool = False,
        pre: Callable[[Scalar], Scalar] | None = None,
    ) -> Array:
        """Fold ``fn(accumulator, element)`` over ``axes``; the accumulator has ``init``'s element type."""
        axes = sorted(axes)
        order = [f"d{i}" for i in range(x.rank)]
        kept = [i for i in range(x.rank) if i not in axes]
        out = self.full(init, [self.dim(x, i) for i in kept])
        body = lambda s, acc: fn(acc, pre(s) if pre else s)  # noqa: E731
        group = [order[i] for i in kept]
        made = self._generic([order], [group], order, [order[i] for i in axes], [x], [out], body, None)[0]
        made = Array(made.value, Tensor(init.dtype, tuple(x.shape[i] for i in kept)))
        if keepdims:
            made = self.expand_dims(made, axes)
        return made

    def sequential(self, init: Sequence[Array], body: Callable[..., Sequence[Array]]) -> list[Array]:
        """Run ``body(*tensors) -> tensors`` as one dispatch on one thread.

        Inside, :meth:`loop` and :meth:`insert` update the tensors in place: for algorithms whose steps depend on
        each other (scatter with repeated indices, sorting, suppression). Sizes of the results are those of ``init``.
        The tensors that ``body`` gets are :class:`Flat`: indexed as usual, stored in one dimension, or in none where
        they have one element (IREE 3.13 rewrites loops over dimensions of size 1 into something it then refuses).
        """
        sizes = [self.dims(a) for a in init]
        totals = [self.known_size(self.size_product(s)) for s in sizes]
        lines: list[list[Size]] = [[] if n == 1 else [n] for n in totals]
        flat = [None if self._is_empty(a) else self.reshape(a, n) for a, n in zip(init, lines, strict=True)]
        types = [self._shape_type(a.dtype, n)[0] for a, n in zip(init, lines, strict=True)]
        op, results = create(
            "kernel.sequential", types, [n.value for n in totals if isinstance(n, Scalar)], regions=1, fixed_results=0
        )
        block = op.regions[0].blocks.append()
        with ir.InsertionPoint(block):
            rows = zip(init, flat, lines, sizes, strict=True)
            done = body(*(self._local(f, Flat(self.empty(a.dtype, n).value, a.t, s)) for a, f, n, s in rows))
            create("kernel.yield", operands=[a.value for a in done], fixed=0)
        made = [
            Array(v, self._as_tensor(a.dtype, n)) for v, a, n in zip(results, init, lines, strict=True)
        ]
        return [self.reshape(m, s, a.shape) for m, s, a in zip(made, sizes, init, strict=True)]

    def _local(self, source: Array | None, room: Flat) -> Flat:
        """``room`` with the elements of ``source``: updating a tensor from outside would copy it to the stack."""
        if source is None:
            return room
        if source.rank == 0:
            return Flat(tensor.insert(self.extract(source, []).value, room.value, []), room.t, room.sizes)
        line = Array(room.value, source.t)
        made = self.loop(0, self.dim(source, 0), [line], lambda i, t: [self.insert(t, self.extract(source, [i]), [i])])
        return Flat(made[0].value, room.t, room.sizes)

    @staticmethod
    def _is_empty(a: Array) -> bool:
        return not isinstance(a.value.owner, ir.Block) and a.value.owner.name == "tensor.empty"

    def loop(
        self,
        low: Size,
        high: Size,
        carried: Sequence[Array | Scalar],
        body: Callable[..., Sequence[Array | Scalar]],
        *,
        step: Size = 1,
    ) -> list[Any]:
        """``for i in range(low, high, step): carried = body(i, *carried)``; returns the last values."""
        as_index = lambda s: (const(s, INDEX) if isinstance(s, int) else s.to(INDEX)).value  # noqa: E731
        op = scf.ForOp(as_index(low), as_index(high), as_index(step), [c.value for c in carried])
        with ir.InsertionPoint(op.body):
            args = [self._rewrap(v, c) for v, c in zip(op.inner_iter_args, carried, strict=True)]
            results = body(Scalar(op.induction_variable, INDEX), *args)
            scf.YieldOp([r.value for r in results])
        return [self._rewrap(v, c) for v, c in zip(op.results, carried, strict=True)]

    def while_loop(
        self,
        carried: Sequence[Array | Scalar],
        condition: Callable[..., Scalar],
        body: Callable[..., Sequence[Array | Scalar]],
    ) -> list[Any]:
        """``while condition(*carried): carried = body(*carried)``; returns the last values."""
        types = [c.value.type for c in carried]
        op = scf.WhileOp(types, [c.value for c in carried])
        before = op.regions[0].blocks.append(*types)
        after = op.regions[1].blocks.append(*types)
        with ir.InsertionPoint(before):
            args = [self._rewrap(v, c) for v, c in zip(before.arguments, carried, strict=True)]
            scf.ConditionOp(condition(*args).value, list(before.arguments))
        with ir.InsertionPoint(after):
            args = [self._rewrap(v, c) for v, c in zip(after.arguments, carried, strict=True)]
            scf.YieldOp([r.value for r in body(*args)])
        return [self._rewrap(v, c) for v, c in zip(op.results, carried, strict=True)]

    def cond(
        self,
        condition: Scalar,
        yes: Callable[[], Sequence[Array | Scalar]],
        no: Callable[[], Sequence[Array | Scalar]],
        like: Sequence[Array | Scalar],
    ) -> list[Any]:
        """``yes() if condition else no()``; ``like`` gives the types of the results."""
        op = scf.IfOp(condition.value, [c.value.type for c in like], has_else=True)
        for block, fn in ((op.then_block, yes), (op.else_block, no)):
            with ir.InsertionPoint(block):
                scf.YieldOp([r.value for r in fn()])
        return [self._rewrap(v, c) for v, c in zip(op.results, like, strict=True)]

    @staticmethod
    def _rewrap(v: ir.Value, like: Array | Scalar) -> Array | Scalar:
        if isinstance(like, Flat):
            return Flat(v, like.t, like.sizes)
        return Array(v, like.t) if isinstance(like, Array) else Scalar(v, like.dtype)

    def insert(self, x: Array, value: Scalar, indices: Sequence[Scalar | int]) -> Array:
        """The tensor with one element replaced (in place inside :meth:`sequential`)."""
        idx = self._index_values(x, indices)
        made = tensor.insert(value.value, x.value, idx)
        return Flat(made, x.t, x.sizes) if isinstance(x, Flat) else Array(made, x.t)

    def _index_values(self, x: Array, indices: Sequence[Scalar | int]) -> list[ir.Value]:
        at = [const(i, INDEX) if isinstance(i, int) else i.to(INDEX) for i in indices]
        if isinstance(x, Flat):
            line = at[0] if at else const(0, INDEX)
            for i, size in zip(at[1:], x.sizes[1:], strict=True):
                line = line * size + i
            at = [line] if ir.RankedTensorType(x.value.type).rank else []
        return [i.value for i in at]

    # -- shape changes ---------------------------------------------------------------------------------------
    def transpose(self, x: Array, perm: Sequence[int]) -> Array:
        if list(perm) == list(range(x.rank)):
            return x
        dims = self.dims(x)
        out = self.empty(x.dtype, [dims[p] for p in perm])
        value = one(linalg.transpose(x.value, outs=[out.value], permutation=list(perm)))
        return Array(value, Tensor(x.dtype, tuple(x.shape[p] for p in perm)))

    def expand_dims(self, x: Array, axes: Sequence[int]) -> Array:
        """Insert dimensions of size 1 at ``axes`` of the result."""
        rank = x.rank + len(axes)
        keep = [i for i in range(rank) if i not in axes]
        shape: list[Dim] = [1] * rank
        sizes: list[Size] = [1] * rank
        for j, i in enumerate(keep):
            shape[i] = x.shape[j]
            sizes[i] = self.dim(x, j)
        return self._regroup(x, shape, sizes)

    def squeeze(self, x: Array, axes: Sequence[int]) -> Array:
        """Drop dimensions of size 1."""
        keep = [i for i in range(x.rank) if i not in axes]
        return self._regroup(x, [x.shape[i] for i in keep], [self.dim(x, i) for i in keep])

    def reshape(self, x: Array, sizes: Sequence[Size], shape: Sequence[Dim] | None = None) -> Array:
        """Row-major reshape; the element counts must agree."""
        sizes = [self.known_size(s) for s in sizes]
        names = list(shape) if shape is not None else [s if isinstance(s, int) else None for s in sizes]
        names = [s if isinstance(s, int) else n for s, n in zip(sizes, names, strict=True)]
        return self._regroup(x, names, sizes)

    def _regroup(self, x: Array, shape: Sequence[Dim], sizes: Sequence[Size]) -> Array:
        shape = list(shape)
        out_t = Tensor(x.dtype, tuple(shape))
        if list(x.shape) == shape and None not in shape:
            return x
        if x.t.is_static and out_t.is_static and 0 in (*x.shape, *shape):
            return self.empty(x.dtype, list(sizes))
        groups = reassociation(list(x.shape), shape)
        if groups is None and x.t.is_static and out_t.is_static:
            flat = self._regroup(x, [x.t.size], [x.t.size])
            return self._regroup(flat, shape, sizes)
        if groups is None:
            return self._through_flat(x, out_t, sizes)
        collapse, expand = groups
        value = x.value
        mid = x.t
        if collapse is not None:
            from davit.dialects.dims import product

            mid = Tensor(x.dtype, tuple(product([x.shape[i] for i in g]) for g in collapse))
            value = tensor.CollapseShapeOp(mid.storage(), value, collapse).result
        if expand is not None:
            static = [s if isinstance(s, int) else ir.ShapedType.get_dynamic_size() for s in sizes]
            dyn = [s.value for s in sizes if isinstance(s, Scalar)]
            value = tensor.ExpandShapeOp(out_t.storage(), value, expand, dyn, static).result
        return Array(value, out_t)

    def _through_flat(self, x: Array, out_t: Tensor, sizes: Sequence[Size]) -> Array:
        """Collapse to one dimension of run-time length, then expand to whatever the sizes say."""
        value, line = x.value, Tensor(x.dtype, (None,))
        if x.rank > 1:
            whole = Tensor(x.dtype, (x.t.size if x.t.is_static else None,))
            value = tensor.CollapseShapeOp(whole.storage(), value, [list(range(x.rank))]).result
            line = whole
        target = Tensor(x.dtype, (out_t.size if out_t.is_static else None,))
        if x.rank == 0:  # one element: its sizes are all 1 at run time
            value = tensor.ExpandShapeOp(Tensor(x.dtype, (1,)).storage(), value, [], [], [1]).result
        if line.shape != target.shape or x.rank <= 1:
            value = self.fit(Array(value, line), target).value
        if out_t.rank == 0:
            value = tensor.CollapseShapeOp(out_t.storage(), value, []).result
        elif out_t.rank > 1:
            dyn = ir.ShapedType.get_dynamic_size()
            static = [s if isinstance(s, int) else dyn for s in sizes]
            moving = [s.value for s in sizes if isinstance(s, Scalar)]
            value = tensor.ExpandShapeOp(out_t.storage(), value, [list(range(out_t.rank))], moving, static).result
        return Array(value, out_t)

    def slice(
        self, x: Array, offsets: Sequence[Size], sizes: Sequence[Size], strides: Sequence[int] | None = None
    ) -> Array:
        """A box of ``x`` with positive static strides; the box must be inside."""
        strides = [1] * x.rank if strides is None else strides
        dyn = ir.ShapedType.get_dynamic_size()
        offsets, sizes = [[self.known_size(s) for s in seq] for seq in (offsets, sizes)]
        static = [[s if isinstance(s, int) else dyn for s in seq] for seq in (offsets, sizes)]
        values = [[s.value for s in seq if isinstance(s, Scalar)] for seq in (offsets, sizes)]
        t, _ = self._shape_type(x.dtype, sizes)
        op = tensor.ExtractSliceOp(t, x.value, values[0], values[1], [], static[0], static[1], list(strides))
        return Array(op.result, self._as_tensor(x.dtype, sizes))

    def insert_slice(self, part: Array, into: Array, offsets: Sequence[Size]) -> Array:
        """``into`` with a box replaced by ``part`` (same rank)."""
        dyn = ir.ShapedType.get_dynamic_size()
        sizes = self.dims(part)
        offsets = [self.known_size(s) for s in offsets]
        static = [[s if isinstance(s, int) else dyn for s in seq] for seq in (offsets, sizes)]
        values = [[s.value for s in seq if isinstance(s, Scalar)] for seq in (offsets, sizes)]
        op = tensor.InsertSliceOp(
            part.value, into.value, values[0], values[1], [], static[0], static[1], [1] * into.rank
        )
        return Array(op.result, into.t)

    def pad(self, x: Array, low: Sequence[Size], high: Sequence[Size], value: Scalar) -> Array:
        """Pad with a constant; amounts must not be negative."""
        low, high = [[self.known_size(s) for s in seq] for seq in (low, high)]
        if all(s == 0 for s in (*low, *high)):
            return x
        dyn = ir.ShapedType.get_dynamic_size()
        sizes: list[Size] = []
        for d, lo, hi in zip(self.dims(x), low, high, strict=True):
            total: Size = d
            for p in (lo, hi):
                total = total + p if isinstance(total, Scalar) or isinstance(p, int) else p + total
            sizes.append(total)
        t, _ = self._shape_type(x.dtype, sizes)
        static = [[s if isinstance(s, int) else dyn for s in seq] for seq in (low, high)]
        values = [[s.value for s in seq if isinstance(s, Scalar)] for seq in (low, high)]
        op = tensor.PadOp(t, x.value, values[0], values[1], static[0], static[1])
        block = op.regions[0].blocks.append(*[ir.IndexType.get()] * x.rank)
        with ir.InsertionPoint(block):
            tensor.YieldOp(value.value)
        return Array(op.result, self._as_tensor(x.dtype, sizes))

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


def one(result: Any) -> ir.Value:
    """The single result of a named linalg op, whichever way the bindings hand it out."""
    if isinstance(result, ir.Value):
        return result
    if isinstance(result, (ir.OpView, ir.Operation)):
        result = result.operation.results
    return result[0] if not isinstance(result[0], ir.OpResultList) else result[0][0]


def reassociation(
    src: list[Dim], dst: list[Dim]
) -> tuple[list[list[int]] | None, list[list[int]] | None] | None:
    """Groups that turn ``src`` into ``dst`` by one collapse and/or one expand, or None when there are none.

    Sizes must be numbers or names; a group matches when the products of its two sides are equal. At most one
    dimension of an expanding group may be dynamic.
    """
    if None in src or None in dst:
        return None
    i = j = 0
    left: list[list[int]] = []
    right: list[list[int]] = []
    while i < len(src) or j < len(dst):
        gi: list[int] = []
        gj: list[int] = []
        pi: tuple[int, list[str]] = (1, [])
        pj: tuple[int, list[str]] = (1, [])

        def take(p: tuple[int, list[str]], d: Dim) -> tuple[int, list[str]]:
            return (p[0] * d, p[1]) if isinstance(d, int) else (p[0], sorted([*p[1], str(d)]))

        if i < len(src):
            pi = take(pi, src[i])
            gi.append(i)
            i += 1
        if j < len(dst):
            pj = take(pj, dst[j])
            gj.append(j)
            j += 1
        while pi != pj:
            # Take from the side that is behind: fewer names, or a smaller number.
            behind_left = (len(pi[1]), pi[0]) < (len(pj[1]), pj[0]) if len(pi[1]) != len(pj[1]) else pi[0] < pj[0]
            if behind_left and i < len(src):
                pi = take(pi, src[i])
                gi.append(i)
                i += 1
            elif not behind_left and j < len(dst):
                pj = take(pj, dst[j])
                gj.append(j)
                j += 1
            else:
                return None
        left.append(gi)
        right.append(gj)
    # Trailing ones join the last group; a side without any dimension is a rank-0 tensor.
    merged_left: list[list[int]] = []
    merged_right: list[list[int]] = []
    for gi, gj in zip(left, right, strict=True):
        if merged_left and (not gi or not gj):
            merged_left[-1] += gi
            merged_right[-1] += gj
        else:
            merged_left.append(gi)
            merged_right.append(gj)
    if merged_left and (not merged_left[0] or not merged_right[0]):
        if len(merged_left) > 1:
            merged_left[1] = merged_left[0] + merged_left[1]
            merged_right[1] = merged_right[0] + merged_right[1]
            merged_left, merged_right = merged_left[1:], merged_right[1:]
        else:  # one side is rank 0
            return ([], None) if not dst else (None, []) if not src else None
    need_collapse = any(len(g) > 1 for g in merged_left)
    need_expand = any(len(g) > 1 for g in merged_right)
    if need_collapse and need_expand and any(
        len(a) > 1 and len(b) > 1 and sum(isinstance(dst[k], str) for k in b) > 1
        for a, b in zip(merged_left, merged_right, strict=True)
    ):
        return None
    return (merged_left if need_collapse else None, merged_right if need_expand else None)


__all__ = ["Array", "Flat", "LinalgBuilder", "Size", "math", "mathfn", "one", "reassociation"]
