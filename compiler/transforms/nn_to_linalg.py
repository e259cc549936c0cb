"""nn-to-linalg."""

from __future__ import annotations

from dataclasses import dataclass

from davit.compiler.passes import Pass, register
from davit.mlir import ir


@register
@dataclass(frozen=True)
class NnToLinalg(Pass):
    """Lower nn ops to loops over tensors, and element types to their storage.

    ``nn.matmul`` becomes ``linalg.matmul``, ``ui8`` becomes ``i8``, ``f8E4M3FN`` becomes ``i8``.
    """

    def run(self, module: ir.Operation) -> None:
        from davit.compiler.lowering import nn_to_linalg
        from davit.compiler.lowering.nn_to_linalg.convert import convert_module

        del nn_to_linalg  # imported for its registrations
        convert_module(module)
