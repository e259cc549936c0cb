"""onnx -> nn. One file per op family; only the newest version of each operator is lowered."""

from davit.compiler.lowering.onnx_to_nn import (
    activation,
    contract,
    elementwise,
    indexing,
    reduce,
    structure,
)
from davit.compiler.lowering.onnx_to_nn.base import REGISTRY, lowers

FAMILIES = (
    activation,
    contract,
    elementwise,
    indexing,
    reduce,
    structure,
)

__all__ = ["FAMILIES", "REGISTRY", "lowers"]
