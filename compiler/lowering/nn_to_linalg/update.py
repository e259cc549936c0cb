"""Writing into a tensor."""

from __future__ import annotations

from davit.compiler.linalg_builder.builder import Array, LinalgBuilder
from davit.compiler.linalg_builder.scalar import INDEX, Scalar, const
from davit.compiler.lowering.nn_to_linalg.base import lowers
from davit.dialects.nn import View


@lowers("update_slice")
def update_slice(op: View, b: LinalgBuilder) -> Array:
    at: list[Scalar | int] = []
    names = zip(op.type("x").shape, op.type("part").shape, strict=True)
    for s, d, e, (whole, part) in zip(b.index_list(op.starts), b.dims(op.x), b.dims(op.part), names, strict=True):
        if whole == part and whole is not None:
            at.append(0)
            continue
        room = _index(d) - e
        if not (isinstance(d, int) and isinstance(e, int)):
            b.check(room >= 0, "a part is larger than the tensor that it is written into")
        at.append(b.known_size(_index(s).minimum(room).maximum(0)))
    return b.insert_slice(op.part, op.x, at)


def _index(s: Scalar | int) -> Scalar:
    return const(s, INDEX) if isinstance(s, int) else s
