"""onnx -> nn. One file per op family; only the newest version of each operator is lowered."""

from davit.compiler.lowering.onnx_to_nn import (
    activation,
    contract,
    control,
    conv,
    cumulative,
    einsum,
    elementwise,
    generate,
    indexing,
    norm,
    padding,
    pool,
    quantize,
    random,
    reduce,
    resize,
    rnn,
    sequence,
    signal,
    sort,
    structure,
    training,
)
from davit.compiler.lowering.onnx_to_nn.base import REGISTRY, lowers

FAMILIES = (
    activation,
    contract,
    cumulative,
    control,
    conv,
    einsum,
    elementwise,
    generate,
    indexing,
    norm,
    padding,
    quantize,
    random,
    pool,
    reduce,
    resize,
    rnn,
    sequence,
    signal,
    sort,
    structure,
    training,
)

__all__ = ["FAMILIES", "REGISTRY", "lowers"]
