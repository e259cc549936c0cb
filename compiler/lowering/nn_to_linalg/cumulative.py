"""Running sums: one pass in place, in the order in which elements depend on each other."""

from __future__ import annotations

import numpy as np

from davit.compiler.linalg_builder.builder import Array, LinalgBuilder
from davit.compiler.linalg_builder.scalar import INDEX, Scalar, const, index
from davit.compiler.lowering.nn_to_linalg.base import lowers
from davit.compiler.lowering.nn_to_linalg.reduce import COMBINE, wide
from davit.dialects.nn import View
from davit.dialects.nn.base import constant_of
from davit.dialects.nn.reduce import _identity
from davit.dialects.types import DTYPES

I1 = DTYPES["i1"]


@lowers("cumulative")
def cumulative(op: View, b: LinalgBuilder) -> Array:
    """Row-major order visits the neighbour along any axis first, so one loop nest serves an axis known at run time."""
    x, a = op.x, op.attr
    rank, acc, fn = x.rank, wide(x.dtype), COMBINE[a.kind]
    sizes = b.dims(x)
    if x.t.is_static and x.t.size == 0:
        return b.empty(x.dtype, sizes)
    known = constant_of(op.axis.value)
    start = const(np.asarray(_identity(a.kind, acc.numpy)).item(), acc)

    def nest(out: Array, at: list[Scalar]) -> list[Array]:
        d = len(at)
        if d < rank:
            n = index(sizes[d])
            place = lambda i: n - 1 - i if a.reverse else i  # noqa: E731
            return b.loop(0, sizes[d], [out], lambda i, o: nest(o, [*at, place(i)]))
        if known is not None:
            on_axis = [const(d == int(known) % rank, I1) for d in range(rank)]
        else:
            k = b.extract(op.axis, []).to(INDEX)
            k = (k < 0).select(k + rank, k)
            on_axis = [k.eq(d) for d in range(rank)]
        before, first = [], const(False, I1)
        for i, n, hit in zip(at, sizes, on_axis, strict=True):
            end = index(n) - 1 if a.reverse else const(0, INDEX)
            edge = i.eq(end)
            first = first | (hit & edge)
            step = i + 1 if a.reverse else i - 1
            before.append((hit & ~edge).select(step, i))
        taken = b.extract(x, before if a.exclusive else at).to(acc)
        value = fn(first.select(start, b.extract(out, before)), taken)
        if a.exclusive:
            value = first.select(start, value)
        return [b.insert(out, value, at)]

    (out,) = b.sequential([b.empty(acc, sizes)], lambda o: nest(o, []))
    return b.cast(Array(out.value, x.t.with_dtype(acc)), x.dtype)
