"""branch-host-loops."""

from __future__ import annotations

from dataclasses import dataclass

from davit.compiler.passes import Pass, register
from davit.mlir import ir, passmanager

KEPT = ("kernel.sequential", "linalg.generic")
"""Ops whose regions run on the device: structured loops in them stay."""


@register
@dataclass(frozen=True)
class BranchHostLoops(Pass):
    """Turn a program's loops and conditions into branches between blocks where IREE needs that.

    IREE 3.13 confuses the values of the two regions of ``scf.while`` once a canonicalization has dropped some of one
    of them, and loses the sizes of dynamic tensors in nested loops; of branches it makes no mistake. A program with
    neither stays as it is.
    """

    def run(self, module: ir.Operation) -> None:
        for f in module.regions[0].blocks[0].operations:
            if f.operation.name == "func.func" and any(map(_is_hard, _host_ops(f.operation))):
                held = [_Held(op) for op in _host_ops(f.operation) if op.name in KEPT and _has_loops(op)]
                manager = passmanager.PassManager.parse("func.func(convert-scf-to-cf)", module.context)
                manager.enable_verifier(False)
                manager.run(f.operation)
                for h in held:
                    h.put_back()


def _host_ops(op: ir.Operation) -> list[ir.Operation]:
    """The ops inside that run on the host, device regions entered only by their op."""
    found: list[ir.Operation] = []
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                found.append(inner.operation)
                if inner.operation.name not in KEPT:
                    found += _host_ops(inner.operation)
    return found


def _is_hard(op: ir.Operation) -> bool:
    if not op.name.startswith("scf."):
        return False
    kinds = [v.type for v in op.results]
    return op.name == "scf.while" or any(isinstance(t, ir.RankedTensorType) and not t.has_static_shape for t in kinds)


def _has_loops(op: ir.Operation) -> bool:
    found = False

    def visit(inner: ir.Operation) -> ir.WalkResult:
        nonlocal found
        found |= inner.name.startswith("scf.")
        return ir.WalkResult.INTERRUPT if found else ir.WalkResult.ADVANCE

    op.walk(visit)
    return found


class _Held:
    """A device op taken out of the program; an op without a region holds its place, operands and captured values."""

    def __init__(self, op: ir.Operation) -> None:
        self.op = op
        self.uses: list[tuple[ir.Operation, int]] = []  # (op, operand number) of each value from outside
        inside: set[ir.Value] = set()
        captured: list[ir.Value] = []

        def visit(inner: ir.Operation) -> ir.WalkResult:
            for region in inner.regions:
                for block in region.blocks:
                    inside.update(block.arguments)
            inside.update(inner.results)
            return ir.WalkResult.ADVANCE

        def capture(inner: ir.Operation) -> ir.WalkResult:
            for i, v in enumerate(inner.operands):
                if v not in inside:
                    self.uses.append((inner, i))
                    captured.append(v)
            return ir.WalkResult.ADVANCE

        op.walk(visit)
        op.walk(capture)
        with op.location:
            with ir.InsertionPoint(op):
                types = [r.type for r in op.results]
                self.place = ir.Operation.create("davit.held", results=types, operands=captured)
            # While it is out, the op uses values of nobody's.
            self.stand_in = ir.Operation.create("davit.stand_in", results=[v.type for v in captured])
        for (inner, i), v in zip(self.uses, self.stand_in.results, strict=True):
            inner.operands[i] = v
        for old, new in zip(op.results, self.place.results, strict=True):
            old.replace_all_uses_with(new)
        op.detach_from_parent()

    def put_back(self) -> None:
        """Put the op where its place is now."""
        for (inner, i), v in zip(self.uses, self.place.operands, strict=True):
            inner.operands[i] = v
        ir.InsertionPoint(self.place).insert(self.op)
        for old, new in zip(self.place.results, self.op.results, strict=True):
            old.replace_all_uses_with(new)
        self.place.erase()
        self.stand_in.erase()
