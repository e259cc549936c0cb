"""sequential-to-dispatch."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from davit.compiler.passes import Pass, register
from davit.dialects.definition import is_pack, operands_of, results_of, types_of
from davit.mlir import ir


@register
@dataclass(frozen=True)
class SequentialToDispatch(Pass):
    """Hand ``kernel.sequential`` to IREE as ``flow.dispatch.region``, so that its loops run in one dispatch.

    ``kernel.opaque`` becomes ``util.optimization_barrier``. These dialects are IREE's own: here their ops are
    unregistered, IREE verifies them when it reads them.
    """

    def run(self, module: ir.Operation) -> None:
        found: list[ir.Operation] = []

        def visit(op: ir.Operation) -> ir.WalkResult:
            if op.name in ("kernel.sequential", "kernel.opaque"):
                found.append(op)
            return ir.WalkResult.ADVANCE

        module.walk(visit)
        serial = itertools.count()
        for op in found:
            if op.name == "kernel.opaque":
                _hide(op)
            else:
                _rewrite(op, serial)


def _hide(op: ir.Operation) -> None:
    value, *sizes = op.operands
    with op.location, ir.InsertionPoint(op):
        made = ir.Operation.create("util.optimization_barrier", results=[op.result.type], operands=[value]).result
        if sizes:  # IREE finds no size behind a barrier
            made = ir.Operation.create("flow.tensor.tie_shape", results=[made.type], operands=[made, *sizes]).result
    op.result.replace_all_uses_with(made)
    op.erase()


def _own_empties(region: ir.Operation, serial: Iterator[int]) -> None:
    """One ``tensor.empty`` for each use, marked so that IREE's CSE does not merge them again.

    Two tensors that start from one value, inside the region or outside, cannot both be updated in place: one of them
    would be copied to the stack.
    """
    uses: list[tuple[ir.Operation, int, ir.Operation]] = []

    def visit(user: ir.Operation) -> ir.WalkResult:
        for i, v in enumerate(user.operands):
            if not isinstance(v.owner, ir.Block) and v.owner.name == "tensor.empty":
                uses.append((user, i, v.owner))
        return ir.WalkResult.ADVANCE

    region.walk(visit)
    for user, i, empty in uses:
        with ir.InsertionPoint(user):
            own = empty.operation.clone()
        own.attributes["own"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), next(serial))
        user.operands[i] = own.results[0]


def _rewrite(op: ir.Operation, serial: Iterator[int]) -> None:
    with op.location, ir.InsertionPoint(op):
        made = ir.Operation.create(
            "flow.dispatch.region",
            results=types_of(op.results),
            operands=list(op.operands),
            attributes={"operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(op.operands), 0])},
            regions=2,  # the body and the (empty) workgroup count
        )
    block = op.regions[0].blocks[0]
    block.append_to(made.regions[0])
    _own_empties(made, serial)
    last = list(made.regions[0].blocks[0].operations)[-1]
    with last.location, ir.InsertionPoint(last):
        ir.Operation.create("flow.return", operands=operands_of(last))
    dead = [v.owner for v in last.operands if not isinstance(v.owner, ir.Block) and is_pack(v.owner)]
    last.operation.erase()
    for pack in dead:
        pack.erase()
    with op.location, ir.InsertionPoint(op):
        for old, new in zip(results_of(op), made.results, strict=True):
            if not list(old.uses):  # scratch: dropped as a result it would have to fit on the stack
                ir.Operation.create("util.optimization_barrier", results=[new.type], operands=[new])
    for old, new in zip(results_of(op), made.results, strict=True):
        old.replace_all_uses_with(new)
    for r in op.results:
        for use in list(r.uses):  # what took a tuple apart
            use.owner.operation.erase()
    op.erase()
