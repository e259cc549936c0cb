"""Loops with values that are carried along and values that are stacked up: what Loop and Scan share.

The types of carried values are found by iteration: the body is converted with the types of the initial values, and
again with less specific ones until what it gives fits what it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node
from davit.compiler.lowering.onnx_to_nn.values import describe, layout, leaves, rebuild
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.types import Dim, Tensor
from davit.mlir import ir, tensor

UNROLL_OPS = 64
"""A loop of known trip count is unrolled when all its iterations together have at most so many ONNX ops."""

UNROLL_LIMIT = 20_000
"""The same for loops that have no other form: those in which a sequence grows."""

FOREVER = 2**62
"""Stands for no limit on the trips."""


@dataclass(frozen=True)
class Stack:
    """Where a value of each iteration goes: along ``axis`` of the result, the first iteration last if ``reverse``."""

    axis: int
    reverse: bool


@dataclass(frozen=True)
class Iteration:
    """What an iteration gives: whether to go on (None: always), the next states, and values to stack."""

    condition: ir.Value | None
    states: Sequence[Any]
    stacked: Sequence[ir.Value]


Step = Callable[[ir.Value, Sequence[Any]], Iteration]


# -- helpers on values ------------------------------------------------------------------------------------------------


def extract(b: NnBuilder, x: ir.Value) -> ir.Value:
    """The one element of a tensor, on the host."""
    return tensor.ExtractOp(x if b.rank(x) == 0 else b.reshape_to(x, ()), []).result


def widen(value: ir.Value, t: Tensor) -> ir.Value:
    """The same value with a less specific type."""
    kind = t.mlir()
    return value if value.type == kind else tensor.CastOp(kind, value).result


def join(a: Tensor, c: Tensor, what: str) -> Tensor:
    """The most specific type of which both are instances.

    Raises:
        LoweringError: element types or ranks differ.
    """
    if a.dtype != c.dtype or a.rank != c.rank:
        raise LoweringError(f"{what} is {a} on one way and {c} on another; element type and rank must be the same")
    return Tensor(a.dtype, tuple(d if d == e else None for d, e in zip(a.shape, c.shape, strict=True)))


def _hidden(b: NnBuilder, size: int) -> ir.Value:
    """A size as a one-element tensor that looks unknown: the loop will change it."""
    return b.opaque(b.constant(np.array([size], np.int64)))


def _constant(kind: ir.Type, n: int) -> ir.Value:
    return _op("arith.constant", kind, value=ir.IntegerAttr.get(kind, n))


def _index(n: int) -> ir.Value:
    return _constant(ir.IndexType.get(), n)


def _op(name: str, kind: ir.Type, *operands: ir.Value, **attributes: ir.Attribute) -> ir.Value:
    return ir.Operation.create(name, [kind], operands, attributes).result


def _compare(predicate: str, a: ir.Value, c: ir.Value) -> ir.Value:
    i64 = ir.IntegerType.get_signless(64)
    number = ir.IntegerAttr.get(i64, {"eq": 0, "slt": 2}[predicate])
    return _op("arith.cmpi", ir.IntegerType.get_signless(1), a, c, predicate=number)


def _to_tensor(index: ir.Value, shape: Sequence[int] = ()) -> ir.Value:
    """A one-element i64 tensor of an index; it stays on the host where only sizes and offsets are made of it."""
    i64 = ir.IntegerType.get_signless(64)
    return tensor.FromElementsOp(ir.RankedTensorType.get(shape, i64), [_op("arith.index_cast", i64, index)]).result


def _to_index(b: NnBuilder, trips: int | ir.Value) -> ir.Value:
    """A trip count as an index, not negative."""
    if isinstance(trips, int):
        return _index(trips)
    cast = _op("arith.index_cast", ir.IndexType.get(), extract(b, trips))
    return _op("arith.maxsi", ir.IndexType.get(), cast, _index(0))


# -- the driver -------------------------------------------------------------------------------------------------------


def iterate(
    op: Node,
    b: NnBuilder,
    trips: int | ir.Value | None,
    condition: ir.Value | None,
    initial: Sequence[Any],
    step: Step,
    stacks: Sequence[Stack],
    size: int | None = None,
) -> tuple[list[Any], list[ir.Value]]:
    """Run ``step`` up to ``trips`` times, while the condition holds.

    Args:
        trips: None for no limit, else a number or a one-element i64 tensor.
        condition: whether to begin at all; None for always.
        stacks: one for each value that an iteration stacks.
        size: ops of an iteration, by default those of the node's body; small loops are unrolled.

    Returns:
        the last states, and the stacked values.
    """
    if size is None:
        body = op.view.region("body")
        assert body is not None
        size = sum(1 for _ in body.operations)
    if isinstance(trips, int) and condition is None:
        if trips == 0 and not stacks:
            return list(initial), []
        if 0 < trips * size <= UNROLL_OPS:
            done = _unroll(b, trips, initial, step, stacks)
            if done is not None:
                return done
    try:
        return _Rolled(op, b, trips, condition, initial, step, stacks).emit()
    except _LayoutChanges as e:
        if isinstance(trips, int) and condition is None and 0 < trips * size <= UNROLL_LIMIT:
            done = _unroll(b, trips, initial, step, stacks)
            if done is not None:
                return done
        raise LoweringError(str(e)) from None


class _LayoutChanges(Exception):
    """A carried sequence changes its length, or an optional comes and goes."""


def _unroll(
    b: NnBuilder, trips: int, initial: Sequence[Any], step: Step, stacks: Sequence[Stack]
) -> tuple[list[Any], list[ir.Value]] | None:
    """All iterations one after another; None (and nothing emitted) when the end turns out to be unknown."""
    block = ir.InsertionPoint.current.block
    before = len(list(block.operations))
    known = b.snapshot()
    states = list(initial)
    rows: list[Sequence[ir.Value]] = []
    for i in range(trips):
        made = step(b.constant(np.int64(i)), states)
        states = list(made.states)
        rows.append(made.stacked)
        if made.condition is None:
            continue
        go_on = b.constant_of(made.condition)
        if go_on is None:
            if i == trips - 1:
                break  # nothing comes after: its outcome is of no interest
            for extra in reversed(list(block.operations)[before:]):
                extra.operation.erase()
            b.restore(known)
            return None
        if not go_on.reshape(-1)[0]:
            break
    out = []
    for k, stack in enumerate(stacks):
        column = [b.unsqueeze(row[k], [stack.axis]) for row in rows]
        out.append(b.concat(*(reversed(column) if stack.reverse else column), axis=stack.axis))
    return states, out


class _Rolled:
    """One loop as ``scf.for``, or ``scf.while`` when an iteration decides whether there is a next."""

    def __init__(
        self,
        op: Node,
        b: NnBuilder,
        trips: int | ir.Value | None,
        condition: ir.Value | None,
        initial: Sequence[Any],
        step: Step,
        stacks: Sequence[Stack],
    ) -> None:
        self.op, self.b, self.trips, self.condition = op, b, trips, condition
        self.initial, self.step, self.stacks = initial, step, stacks
        self.starts = [v for s in initial for v in leaves(s)]
        self.count: ir.Value
        for v in self.starts:
            if not isinstance(v.type, ir.RankedTensorType):
                raise LoweringError(f"carries a {v.type}, of which too little is known when compiling")

    def emit(self) -> tuple[list[Any], list[ir.Value]]:
        draft, made, types = self._settle_types()
        block = draft.regions[0].blocks[0]
        go_on = None if made.condition is None else self.b.constant_of(made.condition)
        if go_on is not None and not go_on.reshape(-1)[0]:
            self.trips = 1 if self.trips is None else self._at_most_one()  # the first iteration is the last
            go_on = np.bool_(True)
        stops = made.condition is not None and go_on is None
        if not stops and self.trips is None:
            raise LoweringError("has neither a trip count nor a condition that could end it")
        with ir.InsertionPoint(draft):
            self.count = self._count()
            # (With a trip count of 0 the body was converted for the types of what it stacks only.)
            buffers = [_Buffer.make(self, y, stack, stops) for y, stack in zip(made.stacked, self.stacks, strict=True)]
            if self.trips == 0:
                draft.erase()
                return list(self.initial), [x.start for x in buffers]
            types += [buffer.type for buffer in buffers]
        with ir.InsertionPoint(block):
            carried = [widen(v, t) for v, t in zip(self._flat(made.states), types, strict=False)]
            for buffer, y in zip(buffers, made.stacked, strict=True):
                with block.owner.location:
                    argument = block.add_argument(buffer.type.mlir(), ir.Location.current)
                carried.append(widen(buffer.add(block.arguments[0], argument, y), buffer.type))
        with ir.InsertionPoint(draft):
            inits = [widen(v, t) for v, t in zip([*self.starts, *(x.start for x in buffers)], types, strict=True)]
            # Upstream takes a cast of an scf.for's initial value for a fact about all iterations; scf.while is spared.
            known = [*self.starts, *(x.start for x in buffers)]
            wider = [v.type.shape != w.type.shape for v, w in zip(known, inits, strict=True)]
            inits = [self._loosen(v, t) if w else i for v, i, t, w in zip(known, inits, types, wider, strict=True)]
            if stops or any(wider):
                results = self._while(block, made.condition if stops else None, inits, carried, types)
            else:
                results = self._for(block, inits, carried, types)
        draft.erase()
        n = len(self.starts)
        states = iter(results[:n])
        return [rebuild(s, states) for s in self.initial], results[n:]

    def _loosen(self, value: ir.Value, t: Tensor) -> ir.Value:
        """A value whose size the loop changes, with sizes that look unknown already."""
        b, shape = self.b, self.b.shape_of(value)
        parts = [_hidden(b, d) if isinstance(d, int) else b.take(shape, i) for i, d in enumerate(b.shape(value))]
        return widen(b.reshape(value, b.concat(*parts, axis=0)), t)

    def _at_most_one(self) -> int | ir.Value:
        if isinstance(self.trips, int):
            return min(self.trips, 1)
        return self.b.minimum(self.trips, 1)

    def _flat(self, states: Sequence[Any]) -> list[ir.Value]:
        for i, (old, new) in enumerate(zip(self.initial, states, strict=True)):
            if layout(old) != layout(new):
                raise _LayoutChanges(
                    f"carried value {i} starts as {describe(old)} and an iteration makes it {describe(new)}: that "
                    "needs a small constant trip count"
                )
        return [v for s in states for v in leaves(s)]

    def _settle_types(self) -> tuple[ir.Operation, Iteration, list[Tensor]]:
        """Convert the body until the types of what it carries are stable; returns it in a draft op."""
        b = self.b
        types = [Tensor(t.dtype, t.shape) for t in map(b.type, self.starts)]
        while True:
            known = b.snapshot()
            draft = ir.Operation.create("scf.execute_region", regions=1)
            block = draft.regions[0].blocks.append(ir.IndexType.get(), *[t.mlir() for t in types])
            try:
                with ir.InsertionPoint(block):
                    values = iter(list(block.arguments)[1:])
                    states = [rebuild(s, values) for s in self.initial]
                    made = self.step(_to_tensor(block.arguments[0]), states)
                    ends = self._flat(made.states)
            except _LayoutChanges:
                draft.erase()
                b.restore(known)
                raise
            wider = [join(t, b.type(v), f"carried value {i}") for i, (t, v) in enumerate(zip(types, ends, strict=True))]
            if [t.shape for t in wider] == [t.shape for t in types]:
                return draft, made, types
            draft.erase()
            b.restore(known)
            types = wider

    def _count(self) -> ir.Value:
        """How many iterations there are at most."""
        if self.trips is None:
            return _index(FOREVER)
        count = _to_index(self.b, self.trips)
        if self.condition is None:
            return count
        return _op("arith.select", ir.IndexType.get(), extract(self.b, self.condition), count, _index(0))

    def _for(self, block, inits, carried, types) -> list[ir.Value]:
        operands = [_index(0), self.count, _index(1), *inits]
        made = ir.Operation.create("scf.for", [t.mlir() for t in types], operands, regions=1)
        block.append_to(made.regions[0])
        with ir.InsertionPoint(block):
            ir.Operation.create("scf.yield", operands=carried)
        return list(made.results)

    def _while(self, block, condition, inits, carried, types) -> list[ir.Value]:
        """``scf.while`` over (iteration, states, and whether to go on unless that is always so).

        Both regions take the same values in the same order, since IREE 3.13 mistakes one for the other when they
        differ. So that no canonicalization drops the flag from the second region, where it is always true, the next
        flag is computed from it.
        """
        index, flag = ir.IndexType.get(), ir.IntegerType.get_signless(1)
        kinds = [index, *[t.mlir() for t in types]]
        inits = [_index(0), *inits]
        if condition is not None:
            kinds.append(flag)
            begin = None if self.condition is None or self.trips is not None else extract(self.b, self.condition)
            inits.append(_constant(flag, 1) if begin is None else begin)
        made = ir.Operation.create("scf.while", kinds, inits, regions=2)
        before = made.regions[0].blocks.append(*kinds)
        with ir.InsertionPoint(before):
            keep = _compare("slt", before.arguments[0], self.count)
            if condition is not None:
                keep = _op("arith.andi", flag, before.arguments[len(kinds) - 1], keep)
            ir.Operation.create("scf.condition", operands=[keep, *before.arguments])
        block.append_to(made.regions[1])
        going = None if condition is None else block.add_argument(flag, ir.Location.current)
        with ir.InsertionPoint(block):
            yielded = [_op("arith.addi", index, block.arguments[0], _index(1)), *carried]
            if going is not None:
                yielded.append(_op("arith.andi", flag, extract(self.b, condition), going))
            ir.Operation.create("scf.yield", operands=yielded)
        return list(made.results)[1 : 1 + len(types)]


@dataclass
class _Buffer:
    """A stacked output inside a loop.

    When the trip count and the sizes of a slice are known before the loop begins, the result is allocated then and
    each iteration writes into it; else each iteration joins its slice to what there is.
    """

    b: NnBuilder
    stack: Stack
    type: Tensor
    start: ir.Value
    total: ir.Value | None
    loose: bool

    @staticmethod
    def make(loop: _Rolled, y: ir.Value, stack: Stack, stops: bool) -> _Buffer:
        b = loop.b
        t = b.type(y)
        axis = stack.axis % (t.rank + 1)
        stack = Stack(axis, stack.reverse)
        sizes = [_size_before(loop, d) for d in t.shape]
        trips = loop.trips
        if trips is None or stops or loop.condition is not None or any(s is None for s in sizes):
            # Nothing is known of the result's length: it grows.
            shape = [
                d if isinstance(d, int) else s is not None and d or None for d, s in zip(t.shape, sizes, strict=True)
            ]
            parts = [_hidden(b, 0) if s is None else s for s in sizes]
            parts.insert(axis, _hidden(b, 0))
            start = b.broadcast_to(b.constant(np.zeros((), t.dtype.numpy)), b.concat(*parts, axis=0))
            kind = Tensor(t.dtype, (*shape[:axis], None, *shape[axis:]))
            return _Buffer(b, stack, kind, start, None, any(s is None for s in sizes))
        length = b.constant(np.array([trips], np.int64)) if isinstance(trips, int) else _to_tensor(loop.count, [1])
        parts = list(sizes)
        parts.insert(axis, length)
        start = b.broadcast_to(b.constant(np.zeros((), t.dtype.numpy)), b.concat(*parts, axis=0))
        kind = Tensor(t.dtype, (*t.shape[:axis], trips if isinstance(trips, int) else None, *t.shape[axis:]))
        return _Buffer(b, stack, kind, start, length, False)

    def add(self, i: ir.Value, held: ir.Value, y: ir.Value) -> ir.Value:
        """The buffer with the slice of iteration ``i``."""
        b, axis = self.b, self.stack.axis
        part = b.unsqueeze(y, [axis])
        if self.total is not None:
            at = _to_tensor(i, [1])
            if self.stack.reverse:
                at = b.sub(b.sub(self.total, 1), at)
            zero = b.constant(np.array([0], np.int64))
            starts = [at if k == axis else zero for k in range(self.type.rank)]
            return b.update_slice(held, part, b.concat(*starts, axis=0))
        if not self.loose:
            return self._joined(held, part)
        # The sizes of a slice show only once there is one: the first is taken as it is.
        first = _compare("eq", i, _index(0))
        made = ir.Operation.create("scf.if", [self.type.mlir()], [first], regions=2)
        for region, value in zip(made.regions, (lambda: part, lambda: self._joined(held, part)), strict=True):
            with ir.InsertionPoint(region.blocks.append()):
                ir.Operation.create("scf.yield", operands=[widen(value(), self.type)])
        return made.result

    def _joined(self, held: ir.Value, part: ir.Value) -> ir.Value:
        order = (part, held) if self.stack.reverse else (held, part)
        return self.b.concat(*order, axis=self.stack.axis)


def _size_before(loop: _Rolled, d: Dim) -> ir.Value | None:
    """A size as a one-element tensor made before the loop; None when only the loop can tell."""
    b = loop.b
    if isinstance(d, int):
        return b.constant(np.array([d], np.int64))
    if d is None:
        return None
    for value in (*loop.starts, *loop.op.converter.inputs):
        if isinstance(value.type, ir.RankedTensorType) and d in (shape := b.shape(value)):
            return b.take(b.shape_of(value), shape.index(d))
    return None
