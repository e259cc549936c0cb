"""nn -> linalg. A lowering is ``(op, b) -> Array | tuple[Array, ...]``.

``op`` is a :class:`davit.dialects.nn.View` whose operands are :class:`Array` (linalg-level values with their davit
type): ``op.x``, ``op.attr.axis``, ``op.result`` (the Tensor type of the result). ``b`` is the LinalgBuilder. The
framework sets location and insertion point, fits the result to the declared type and wraps errors.
"""

from davit.compiler.lowering.nn_to_linalg import (
    contract,
    control,
    cumulative,
    elementwise,
    indexing,
    matmul,
    pool,
    random,
    reduce,
    sort,
    structure,
    update,
)
from davit.compiler.lowering.nn_to_linalg.base import REGISTRY

FAMILIES = (elementwise, structure, indexing, contract, control, cumulative, matmul, pool, random, reduce, sort, update)

__all__ = ["FAMILIES", "REGISTRY"]
