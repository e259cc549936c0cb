"""What is done to a node of an older opset, one file per family of operators; importing the package registers all.

Every step between two versions of an operator that changed its signature has an entry here: an adapter, or a SAME
with its reason. Some steps that only changed their text have an adapter too, found by reading the texts against each
other.
"""

from davit.compiler.frontends.onnx.opset_adapters import (
    classical,
    contract,
    control,
    elementwise,
    normalization,
    pool,
    quantize,
    recurrent,
    reduce,
    resize,
    softmax,
    structure,
)

FAMILIES = (
    classical,
    contract,
    control,
    elementwise,
    normalization,
    pool,
    quantize,
    recurrent,
    reduce,
    resize,
    softmax,
    structure,
)
