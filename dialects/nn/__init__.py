"""The ``nn`` dialect: the small tensor algebra in which the frontends meet.

Families, each with the ops' definition, inference and numpy reference; the linalg lowering of family ``F`` is
``davit/compiler/lowering/nn_to_linalg/F.py``.
"""

from davit.dialects.nn import (
    contract,
    control,
    cumulative,
    elementwise,
    indexing,
    pool,
    random,
    reduce,
    sort,
    structure,
    update,
)
from davit.dialects.nn.base import NN, OPS, NnOp, View

FAMILIES = (elementwise, structure, indexing, contract, control, cumulative, pool, random, reduce, sort, update)

__all__ = ["FAMILIES", "NN", "OPS", "NnOp", "View"]
