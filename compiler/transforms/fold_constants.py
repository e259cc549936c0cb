"""fold-constants."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from davit.compiler.passes import Pass, register
from davit.dialects import constants
from davit.dialects.definition import operands_of
from davit.dialects.nn.base import OPS, constant_of, read_attrs
from davit.dialects.types import Tensor
from davit.mlir import ir


@register
@dataclass(frozen=True)
class FoldConstants(Pass):
    """Evaluate nn ops on constants: a weight's transpose, cast or scale is made once, here.

    ``nn.transpose(nn.constant)`` becomes ``nn.constant``. A result may not be much larger than what it is made of, so
    that a broadcast constant stays small in the artifact.
    """

    growth: int = 2
    free_bytes: int = 1 << 16

    def run(self, module: ir.Operation) -> None:
        for region in module.regions:
            for block in region.blocks:
                self._block(block)

    def _block(self, block: ir.Block) -> None:
        for op in list(block.operations):
            if len(op.regions):
                for region in op.regions:
                    for inner in region.blocks:
                        self._block(inner)
            elif op.operation.name.startswith("nn."):
                self._fold(op.operation)

    def _fold(self, op: ir.Operation) -> None:
        definition = OPS.get(op.name[3:])
        if definition is None or not definition.foldable or not len(op.operands):
            return
        results = [Tensor.of(r.type) for r in op.results]
        if not all(t.is_static for t in results):
            return
        inputs = []
        for v in operands_of(op):
            if isinstance(v.owner, ir.Block) or v.owner.name != "nn.constant":
                return
            inputs.append(constant_of(v))
        if any(a is None for a in inputs):
            return
        made = sum(t.size * t.dtype.numpy.itemsize for t in results)
        if made > max(self.free_bytes, self.growth * sum(a.nbytes for a in inputs)):
            return
        outputs = definition.evaluate(inputs, read_attrs(definition, op))
        with op.location, ir.InsertionPoint(op):
            for r, t, array in zip(op.results, results, outputs, strict=True):
                attr = constants.encode(np.ascontiguousarray(array, dtype=t.dtype.numpy).reshape(t.shape))
                constant = ir.Operation.create("nn.constant", results=[r.type], attributes={"value": attr})
                r.replace_all_uses_with(constant.result)
        op.erase()  # its operands, when dead now, go with the next canonicalize
