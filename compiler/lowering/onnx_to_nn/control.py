"""If, Loop and Scan.

A condition or trip count that is known decides at once, short loops are unrolled; the rest becomes ``scf`` on the
host, whose bodies dispatch to the device. Sequences and optionals pass through as long as their layout stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.loops import Iteration, Stack, extract, iterate, join, widen
from davit.compiler.lowering.onnx_to_nn.values import describe, layout, leaves, rebuild
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.dims import axis_of
from davit.dialects.types import Tensor
from davit.mlir import ir


@lowers("if")
def if_(op: Node, b: NnBuilder) -> tuple[Any, ...]:
    """Both branches must give tensors of the same element type and rank; sizes may differ.

    PyTorch writes ``squeeze(dim)`` as an If whose branches differ in rank, though every later node counts on one of
    them: that one is compiled, and a run that would take the other is stopped.
    """
    branches = [_branch(op, "then_branch"), _branch(op, "else_branch")]
    known = b.constant_of(op.cond)
    if known is not None:
        return tuple(op.converter.call(branches[0 if known.reshape(-1)[0] else 1], ()))
    condition = extract(b, op.cond)
    before = b.snapshot()
    draft = ir.Operation.create("scf.if", operands=[condition], regions=2)
    outs: list[list[Any]] = []
    for region, branch in zip(draft.regions, branches, strict=True):
        with ir.InsertionPoint(region.blocks.append()):
            outs.append(op.converter.call(branch, ()))
    try:
        types = _common_types(b, outs)
    except LoweringError as e:
        taken = _expected_branch(op, b, branches, outs)
        if taken is None:
            raise LoweringError(f"its condition is known at run time only, and {e}") from None
        draft.erase()
        b.restore(before)
        _insist(op, condition, taken == 0)
        return tuple(op.converter.call(branches[taken], ()))
    with ir.InsertionPoint(draft):
        made = ir.Operation.create("scf.if", [t.mlir() for t in types], [condition], regions=2)
    for old, new, branch in zip(draft.regions, made.regions, outs, strict=True):
        block = old.blocks[0]
        block.append_to(new)
        values = [v for o in branch for v in leaves(o)]
        with ir.InsertionPoint(block):
            ir.Operation.create("scf.yield", operands=[widen(v, t) for v, t in zip(values, types, strict=True)])
    draft.erase()
    results = iter(made.results)
    return tuple(rebuild(o, results) for o in outs[0])


def _branch(op: Node, name: str) -> ir.Block:
    block = op.view.region(name)
    assert block is not None
    return block


def _common_types(b: NnBuilder, outs: Sequence[Sequence[Any]]) -> list[Tensor]:
    """The types of the tensors that come out of either branch.

    Raises:
        LoweringError: the branches disagree.
    """
    types = []
    for i, (a, c) in enumerate(zip(*outs, strict=True)):
        if layout(a) != layout(c):
            raise LoweringError(f"output {i} is {describe(a)} in one branch and {describe(c)} in the other")
        for x, y in zip(leaves(a), leaves(c), strict=True):
            types.append(join(b.type(x), b.type(y), f"output {i}"))
    return types


def _expected_branch(op: Node, b: NnBuilder, branches: Sequence[ir.Block], outs: Sequence[Sequence[Any]]) -> int | None:
    """The branch whose ranks ONNX's inference expects, else the one that squeezes; None when nothing tells."""
    fits = [
        all(
            want is None or (isinstance(v, ir.Value) and b.rank(v) == want.rank and b.dtype(v) == want.dtype)
            for v, want in zip(branch, op.results, strict=True)
        )
        for branch in outs
    ]
    if fits[0] == fits[1]:
        fits = [any(o.operation.name == "onnx.squeeze" for o in block.operations) for block in branches]
    return None if fits[0] == fits[1] else fits.index(True)


def _insist(op: Node, condition: ir.Value, value: bool) -> None:
    """Stop the program unless the condition has the value."""
    if not value:
        flag = ir.IntegerType.get_signless(1)
        true = ir.Operation.create("arith.constant", [flag], attributes={"value": ir.IntegerAttr.get(flag, 1)}).result
        condition = ir.Operation.create("arith.xori", [flag], [condition, true]).result
    message = (
        f"node {op.view.name!r} (If): its branches differ in rank; this program was compiled for a condition that is "
        f"{str(value).lower()}"
    )
    ir.Operation.create("cf.assert", operands=[condition], attributes={"msg": ir.StringAttr.get(message)})


@lowers("loop")
def loop(op: Node, b: NnBuilder) -> tuple[Any, ...]:
    """``for i < M while cond``; inside the body the incoming condition is true, or it would not run."""
    body = op.view.region("body")
    assert body is not None
    initial: Sequence[Any] = op.v_initial
    stop = None if op.cond is None else b.constant_of(op.cond)
    always = b.constant(np.bool_(True))

    def step(i: ir.Value, states: Sequence[Any]) -> Iteration:
        condition, *rest = op.converter.call(body, [i, always, *states])
        return Iteration(condition, rest[: len(initial)], rest[len(initial) :])

    if stop is not None and not stop.reshape(-1)[0]:
        trips: int | ir.Value | None = 0
    elif op.m is None:
        trips = None
    else:
        limit = b.constant_of(op.m)
        trips = op.m if limit is None else max(int(limit.reshape(-1)[0]), 0)
    outputs = len(op.results) - len(initial)
    states, stacked = iterate(
        op, b, trips, op.cond if stop is None else None, initial, step, [Stack(0, False)] * outputs
    )
    return (*states, *stacked)


@lowers("scan")
def scan(op: Node, b: NnBuilder) -> tuple[Any, ...]:
    """One iteration for each index of the scanned axes."""
    body = op.view.region("body")
    assert body is not None
    values = op.initial_state_and_scan_inputs
    n = op.attr.num_scan_inputs
    initial, scanned = values[: len(values) - n], values[len(values) - n :]
    outputs = len(op.results) - len(initial)
    axes = [axis_of(a, b.rank(x)) for a, x in zip(op.attr.scan_input_axes or [0] * n, scanned, strict=True)]
    backward = op.attr.scan_input_directions or [0] * n
    lengths = [b.shape(x)[a] for a, x in zip(axes, scanned, strict=True)]
    known = {d for d in lengths if isinstance(d, int)}
    if len(known) > 1:
        raise LoweringError(f"its scan inputs have {' and '.join(map(str, sorted(known)))} slices")
    trips: int | ir.Value = known.pop() if known else b.reshape_to(b.take(b.shape_of(scanned[0]), axes[0]), ())

    def step(i: ir.Value, states: Sequence[Any]) -> Iteration:
        slices = []
        for x, axis, back in zip(scanned, axes, backward, strict=True):
            length = trips if isinstance(trips, ir.Value) else b.constant(np.int64(trips))
            slices.append(b.gather(x, b.sub(b.sub(length, 1), i) if back else i, axis=axis))
        results = op.converter.call(body, [*states, *slices])
        return Iteration(None, results[: len(initial)], results[len(initial) :])

    places = op.attr.scan_output_axes or [0] * outputs
    reverse = op.attr.scan_output_directions or [0] * outputs
    stacks = [Stack(a, bool(r)) for a, r in zip(places, reverse, strict=True)]
    states, stacked = iterate(op, b, trips, None, initial, step, stacks)
    return (*states, *stacked)
