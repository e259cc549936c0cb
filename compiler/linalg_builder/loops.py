"""Loops over elements: generic ops, tables, reductions, and loop nests that run as one dispatch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from davit.compiler.linalg_builder.array import Array, Flat, Size
from davit.compiler.linalg_builder.moves import Moves
from davit.compiler.linalg_builder.scalar import INDEX, Scalar, const, scalar_type
from davit.dialects.definition import create
from davit.dialects.types import Dim, DType, Tensor
from davit.mlir import cf, ir, linalg, scf, tensor


class Loops(Moves):
    """Generic ops, tables, reductions and sequential loops."""

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
        made = [Array(v, self._as_tensor(a.dtype, n)) for v, a, n in zip(results, init, lines, strict=True)]
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
