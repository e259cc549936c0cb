"""Pools: generic ops with affine windows."""

from __future__ import annotations

import numpy as np

from davit.compiler.linalg_builder.builder import Array, LinalgBuilder, Size
from davit.compiler.linalg_builder.scalar import INDEX, Scalar, const, index
from davit.compiler.lowering.nn_to_linalg.base import lowers
from davit.compiler.lowering.nn_to_linalg.reduce import COMBINE, wide
from davit.dialects.nn import View
from davit.dialects.nn.reduce import _identity
from davit.dialects.types import DTYPES, Tensor
from davit.mlir import ir


def out_sizes(b: LinalgBuilder, x: Array, a, result: Tensor) -> list[Size]:
    """The spatial sizes of the result over the unpadded input ``x``."""
    sizes: list[Size] = []
    for i, known in enumerate(result.shape[2:]):
        if isinstance(known, int):
            sizes.append(known)
            continue
        d = b.dim(x, i + 2)
        assert isinstance(d, Scalar)
        left = d + (a.low[i] + a.high[i] - (a.kernel[i] - 1) * a.dilations[i] - 1)
        sizes.append(left // a.strides[i] + 1 if a.strides[i] != 1 else left + 1)
    return sizes


def exact(sizes, outs, low, high, strides, spans) -> list[int]:
    """``high`` such that the last window ends with the padded input, where sizes are known.

    IREE 3.13 takes a window with a single position for the whole dimension, and refuses what is left over.
    """
    made = []
    for d, out, lo, hi, s, span in zip(sizes, outs, low, high, strides, spans, strict=True):
        fixed = isinstance(d, int) and isinstance(out, int) and out > 0
        made.append((out - 1) * s + span - d - lo if fixed else hi)
    return made


@lowers("pool")
def pool(op: View, b: LinalgBuilder) -> Array:
    x, a, n = op.x, op.attr, op.x.rank - 2
    acc = wide(x.dtype)
    identity = np.asarray(_identity(a.kind, acc.numpy)).item()
    sizes = out_sizes(b, x, a, op.result)
    spans = [(k - 1) * d + 1 for k, d in zip(a.kernel, a.dilations, strict=True)]
    high = exact(b.dims(x)[2:], sizes, a.low, a.high, a.strides, spans)
    if any(v < 0 for v in (*a.low, *high)):
        spatial = zip(b.dims(x)[2:], a.low, high, strict=True)
        kept = [*b.dims(x)[:2], *(d + min(lo, 0) + min(hi, 0) for d, lo, hi in spatial)]
        x = b.slice(x, [0, 0, *(max(-lo, 0) for lo in a.low)], kept)
    amounts = [[0, 0, *(max(v, 0) for v in side)] for side in (a.low, high)]
    x = b.pad(x, *amounts, const(identity, x.dtype))
    out = b.full(const(identity, acc), [*b.dims(x)[:2], *sizes])
    # loops: batch, channel, out..., kernel...; an empty tensor of the kernel's shape gives the last ones their bounds
    shape = b.empty(DTYPES["i8"], list(a.kernel))
    total = 2 + 2 * n
    d = [ir.AffineDimExpr.get(i) for i in range(total)]
    window = [d[2 + i] * a.strides[i] + d[2 + n + i] * a.dilations[i] for i in range(n)]
    maps = [
        ir.AffineMap.get(total, 0, [d[0], d[1], *window]),
        ir.AffineMap.get(total, 0, d[2 + n :]),
        ir.AffineMap.get(total, 0, d[: 2 + n]),
    ]
    fn = COMBINE[a.kind]
    made = b.generic_maps(maps, [x, shape], [out], lambda v, _, s: fn(v.to(acc), s), parallel=2 + n, reduction=n)[0]
    return b.cast(Array(made.value, Tensor(acc, op.result.shape)), op.result.dtype)


@lowers("pool_index")
def pool_index(op: View, b: LinalgBuilder) -> Array:
    """Each result walks over its window, keeping the best value and its place."""
    x, a, n = op.x, op.attr, op.x.rank - 2
    sizes = [*b.dims(x)[:2], *out_sizes(b, x, a, op.result)]
    limits = [index(d) for d in b.dims(x)[2:]]
    lowest = const(np.asarray(_identity("max", x.dtype.numpy)).item(), x.dtype)
    zero = const(0, INDEX)

    def pick(*at: Scalar) -> Scalar:
        def level(k: int, place: list[Scalar], best: list[Scalar]) -> list[Scalar]:
            if k < n:

                def step(j: Scalar, *carried: Scalar) -> list[Scalar]:
                    p = at[2 + k] * a.strides[k] + j * a.dilations[k] - a.low[k]
                    return level(k + 1, [*place, p], list(carried))

                return b.loop(0, a.kernel[k], best, step)
            inside = None
            safe, flat = [], zero
            for p, d in zip(place, limits, strict=True):
                ok = (p >= zero) & (p < d)
                inside = ok if inside is None else inside & ok
                safe.append(ok.select(p, zero))
                flat = flat * d + p
            value, where, found = best
            v = b.extract(x, [at[0], at[1], *safe])
            more = v > value
            if x.dtype.is_float:  # NaN is the largest
                more = more | (v.ne(v) & value.eq(value))
            better = inside & (found.eq(0) | more)
            return [better.select(v, value), better.select(flat, where), better.select(const(1, INDEX), found)]

        return level(0, [], [lowest, zero, zero])[1].to(DTYPES["i64"])

    made = b.tabulate("i64", sizes, pick)
    return Array(made.value, op.result)
