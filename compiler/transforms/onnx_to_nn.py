"""onnx-to-nn."""

from __future__ import annotations

from dataclasses import dataclass

from davit.compiler.passes import Pass, register
from davit.mlir import ir


@register
@dataclass(frozen=True)
class OnnxToNn(Pass):
    """Lower ONNX operators to the small tensor algebra.

    ``onnx.gemm(a, b, c)`` becomes ``nn.matmul`` and ``nn.add``; shape arithmetic on static shapes is evaluated.
    """

    def run(self, module: ir.Operation) -> None:
        from davit.compiler.lowering import onnx_to_nn
        from davit.compiler.lowering.onnx_to_nn.convert import convert_module

        del onnx_to_nn  # imported for its registrations
        path = ir.StringAttr(module.attributes["davit.file"]).value if "davit.file" in module.attributes else "<module>"
        convert_module(module, path)
