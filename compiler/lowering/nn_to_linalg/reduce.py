"""Reductions, arg-reductions and softmax."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from davit.compiler.linalg_builder import mathfn as m
from davit.compiler.linalg_builder.builder import Array, LinalgBuilder, Size
from davit.compiler.linalg_builder.scalar import INDEX, Scalar, const, index
from davit.compiler.lowering.nn_to_linalg.base import lowers
from davit.dialects.nn import View
from davit.dialects.nn.reduce import _identity
from davit.dialects.types import DTYPES, DType, Tensor

F32 = DTYPES["f32"]
I64 = DTYPES["i64"]

COMBINE: dict[str, Callable[[Scalar, Scalar], Scalar]] = {
    "sum": lambda a, s: a + s,
    "prod": lambda a, s: a * s,
    "max": lambda a, s: a | s if a.dtype.kind == "bool" else a.maximum(s),
    "min": lambda a, s: a & s if a.dtype.kind == "bool" else a.minimum(s),
    "and": lambda a, s: a & s,
    "or": lambda a, s: a | s,
}


def wide(dt: DType) -> DType:
    """The type a float is summed in."""
    return F32 if dt.is_float and dt.bits == 16 else dt


@lowers("reduce")
def reduce(op: View, b: LinalgBuilder) -> Array:
    x, kind = op.x, op.attr.kind
    axes = [a % x.rank for a in op.attr.axes] if x.rank else []
    acc = wide(x.dtype)
    init = const(np.asarray(_identity(kind, acc.numpy)).item(), acc)
    fn = COMBINE[kind]
    if b.is_scalars(x) and not x.dtype.is_float and x.rank == 1 and axes:
        total = b.scalars(x)[0]
        for s in b.scalars(x)[1:]:
            total = fn(total, s)
        return b.from_scalars([total], (1,) if op.attr.keepdims else ())
    out = b.reduce(x, axes, init, lambda a, s: fn(a, s.to(acc)), keepdims=op.attr.keepdims)
    return b.cast(out, x.dtype)


@lowers("reduce_where")
def reduce_where(op: View, b: LinalgBuilder) -> Array:
    """Each dimension is split into an outer and an inner loop, one of which has a single step: ``x[o + i]``."""
    x, kind, rank = op.x, op.attr.kind, op.x.rank
    acc = wide(x.dtype)
    init = const(np.asarray(_identity(kind, acc.numpy)).item(), acc)
    fn = COMBINE[kind]
    if rank == 0:
        return x
    one = const(1, INDEX)
    outer: list[Size] = []
    inner: list[Scalar] = []
    for i, mark in enumerate(b.scalars(op.mask)):
        d = index(b.dim(x, i))
        outer.append(b.known_size(mark.ne(0).select(one, d)))
        inner.append(mark.ne(0).select(d, one))

    def fold(*at: Scalar) -> Scalar:
        def level(k: int, idx: list[Scalar], total: Scalar) -> Scalar:
            if k == rank:
                return fn(total, b.extract(x, idx).to(acc))
            return b.loop(0, inner[k], [total], lambda i, t: [level(k + 1, [*idx, at[k] + i], t)])[0]

        return level(0, [], init)

    made = b.tabulate(acc, outer, fold)
    return b.cast(Array(made.value, Tensor(acc, op.result.shape)) if made.shape == op.result.shape else made, x.dtype)


@lowers("arg_reduce")
def arg_reduce(op: View, b: LinalgBuilder) -> Array:
    """A pair (best value, its index) folded along the axis."""
    x, largest, last = op.x, op.attr.kind == "max", op.attr.last
    axis = op.attr.axis % max(x.rank, 1)
    if x.rank == 0:
        return b.from_scalars([const(0, I64)], ())
    kept = [i for i in range(x.rank) if i != axis]
    sizes = [b.dim(x, i) for i in kept]
    acc = F32 if x.dtype.is_float and x.dtype.bits <= 16 else x.dtype
    if x.dtype.kind == "bool":
        acc = DTYPES["i8"]
        x = b.cast(x, DTYPES["ui8"])
        x = Array(x.value, Tensor(acc, x.shape))
    low = _identity("max" if largest else "min", acc.numpy)
    best = b.full(const(np.asarray(low).item(), acc), sizes)
    where = b.full(const(-1, I64), sizes)
    order = [f"d{i}" for i in range(x.rank)]
    group = " ".join(order[i] for i in kept)

    def body(s: Scalar, v: Scalar, i: Scalar) -> list[Scalar]:
        here = b.indices(x.rank)[-1].to(I64)  # loops run over the kept dimensions, then along the axis
        s = s.to(acc)
        better = (s > v) if largest else (s < v)
        if last:
            better = better | s.eq(v)
        better = better | (i < 0)  # the first element always enters, -inf and NaN included
        if acc.is_float:
            # The first NaN stays, or the last one when equals are resolved to the last.
            better = (better & ~v.isnan()) | (s.isnan() & (~v.isnan() if not last else ~const(False, DTYPES["i1"])))
            better = better | (i < 0)
        return [better.select(s, v), better.select(here, i)]

    made = b.generic(f"{' '.join(order)} -> {group}, {group}", [x], body, out=[best, where], reduce=order[axis])[1]
    out = Array(made.value, Tensor(I64, tuple(x.shape[i] for i in kept)))
    return b.expand_dims(out, [axis]) if op.attr.keepdims else out


@lowers("softmax")
def softmax(op: View, b: LinalgBuilder) -> Array:
    x, axis = op.x, op.attr.axis % max(op.x.rank, 1)
    acc = wide(x.dtype)
    z = b.cast(x, acc)
    if x.rank == 0:
        return b.map(lambda s: s - s + (0.0 if op.attr.log else 1.0), x)
    top = b.reduce(z, [axis], const(float("-inf"), acc), lambda a, s: a.maximum(s), keepdims=True)
    shifted = b.map(lambda s, t: s - t, z, top, shape=x.shape)
    total = b.reduce(shifted, [axis], const(0.0, acc), lambda a, s: a + m.exp(s), keepdims=True)
    if op.attr.log:
        out = b.map(lambda s, t: s - m.log(t), shifted, total, shape=x.shape)
    else:
        out = b.map(lambda s, t: m.exp(s) / t, shifted, total, shape=x.shape)
    return b.cast(out, x.dtype)
