"""Contractions as the named linalg ops that IREE's code generation knows best."""

from __future__ import annotations

from dataclasses import dataclass, replace

from davit.compiler.linalg_builder.builder import Array, LinalgBuilder, Size, one
from davit.compiler.linalg_builder.scalar import Scalar
from davit.compiler.lowering.nn_to_linalg.base import lowers
from davit.compiler.lowering.nn_to_linalg.matmul import product
from davit.compiler.lowering.nn_to_linalg.pool import exact
from davit.dialects.nn import View
from davit.dialects.nn.contract import accumulator
from davit.dialects.types import DTYPES, DType, Tensor
from davit.mlir import ir, linalg


@dataclass(frozen=True)
class Geometry:
    """The attributes of an ``nn.conv``."""

    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    groups: int
    out: DType

    def with_a_row(self) -> Geometry:
        """The same over one more spatial dimension of size 1."""
        return replace(
            self,
            strides=(1, *self.strides), dilations=(1, *self.dilations), low=(0, *self.low), high=(0, *self.high),
        )  # fmt: skip

    def without_columns(self) -> Geometry:
        """The same without the last spatial dimension."""
        return replace(
            self, strides=self.strides[:1], dilations=self.dilations[:1], low=self.low[:1], high=self.high[:1]
        )


@lowers("conv")
def conv(op: View, b: LinalgBuilder) -> Array:
    """2-D float convolutions as ``conv_2d_nhwc_hwcf`` or ``depthwise``; all others as one generic contraction.

    A 1-D convolution, and one over a single column, is a 2-D one over a single row.
    """
    a = Geometry(op.attr.strides, op.attr.dilations, op.attr.low, op.attr.high, op.attr.groups, op.attr.out)
    x, w, t = op.x, op.w, op.result
    column = x.rank == 4 and x.shape[3] == w.shape[3] == t.shape[3] == 1 and (a.low[1], a.high[1]) == (0, 0)
    if column:  # the long dimension should be the inner one
        x, w, a, t = b.squeeze(x, [3]), b.squeeze(w, [3]), a.without_columns(), Tensor(t.dtype, t.shape[:3])
    if x.rank != 3:
        return _conv(b, x, w, a, t)
    row = Tensor(t.dtype, (*t.shape[:2], 1, *t.shape[2:]))
    y = b.squeeze(_conv(b, b.expand_dims(x, [2]), b.expand_dims(w, [2]), a.with_a_row(), row), [2])
    return b.expand_dims(y, [3]) if column else y


def _conv(b: LinalgBuilder, x: Array, w: Array, a: Geometry, result: Tensor) -> Array:
    acc = DTYPES[accumulator(a.out)]
    n = x.rank - 2
    zero = b.zero(x.dtype)
    spans = [(k - 1) * d + 1 if isinstance(k, int) else None for k, d in zip(w.shape[2:], a.dilations, strict=True)]
    high = list(a.high)
    if None not in spans:
        high = exact(b.dims(x)[2:], result.shape[2:], a.low, a.high, a.strides, spans)
    if any(v < 0 for v in (*a.low, *high)):
        spatial = zip(b.dims(x)[2:], a.low, high, strict=True)
        sizes = [*b.dims(x)[:2], *(d + min(lo, 0) + min(hi, 0) for d, lo, hi in spatial)]
        x = b.slice(x, [0, 0, *(max(-lo, 0) for lo in a.low)], sizes)
    low, high = [max(v, 0) for v in a.low], [max(v, 0) for v in high]
    if n == 2 and acc.is_float and x.dtype == acc and all(isinstance(d, int) for d in w.shape):
        channels = w.shape[1]
        if a.groups == 1:
            return b.cast(_conv2d(b, x, w, low, high, a, acc, zero, result), a.out)
        if channels == 1 and isinstance(x.shape[1], int) and a.groups == x.shape[1]:
            return b.cast(_depthwise(b, x, w, low, high, a, acc, zero, result), a.out)
    x = b.pad(x, [0, 0, *low], [0, 0, *high], zero)
    return b.cast(_general(b, x, w, a, acc, result), a.out)


def _out_sizes(b: LinalgBuilder, padded: Array, first: int, w: Array, a, result: Tensor) -> list[Size]:
    sizes: list[Size] = []
    for i in range(result.rank - 2):
        known = result.shape[i + 2]
        if isinstance(known, int):
            sizes.append(known)
            continue
        d, k = b.dim(padded, first + i), b.dim(w, i + 2)
        assert isinstance(d, Scalar) or isinstance(k, Scalar)
        span = (k - 1) * a.dilations[i] + 1
        left = d - span
        assert isinstance(left, Scalar)
        sizes.append(left // a.strides[i] + 1 if a.strides[i] != 1 else left + 1)
    return sizes


def _conv2d(b, x: Array, w: Array, low, high, a, acc: DType, zero: Scalar, result: Tensor) -> Array:
    xt = b.transpose(x, [0, 2, 3, 1])
    xt = b.pad(xt, [0, *low, 0], [0, *high, 0], zero)
    wt = b.transpose(w, [2, 3, 1, 0])
    sizes = _out_sizes(b, xt, 1, w, a, result)
    out = b.zeros(acc, [b.dim(x, 0), *sizes, b.dim(w, 0)])
    if all(d == 1 for d in w.shape[2:]) and xt.t.is_static:
        if any(s != 1 for s in a.strides):  # IREE 3.13 refuses some of these as windows, for their vector sizes
            xt = b.opaque(b.slice(xt, [0] * 4, [b.dim(xt, 0), *sizes, b.dim(xt, 3)], [1, *a.strides, 1]))
        rows = b.size_product(b.dims(xt)[:3])
        flat = b.reshape(xt, [rows, b.dim(xt, 3)])
        w2 = b.reshape(wt, [b.dim(wt, 2), b.dim(wt, 3)])
        made = b.opaque(product(b, flat, w2, acc))  # a transpose in the same loops would cost 5 times the product
        y = b.reshape(made, [b.dim(x, 0), *sizes, b.dim(w, 0)])
    else:
        value = one(linalg.conv_2d_nhwc_hwcf(
            xt.value, wt.value, outs=[out.value], strides=_pair(a.strides), dilations=_pair(a.dilations)
        ))
        y = Array(value, Tensor(acc, (result.shape[0], *result.shape[2:], result.shape[1])))
    return b.transpose(y, [0, 3, 1, 2])


def _pair(values) -> ir.Attribute:
    text = ", ".join(map(str, values))
    return ir.Attribute.parse(f"dense<[{text}]> : tensor<{len(values)}xi64>")


def _depthwise(b, x: Array, w: Array, low, high, a, acc: DType, zero: Scalar, result: Tensor) -> Array:
    """Each input channel makes ``M/C`` output channels."""
    c = x.shape[1]
    times = w.shape[0] // c
    xt = b.pad(b.transpose(x, [0, 2, 3, 1]), [0, *low, 0], [0, *high, 0], zero)
    sizes = _out_sizes(b, xt, 1, w, a, result)
    attrs = {"strides": _pair(a.strides), "dilations": _pair(a.dilations)}
    if times == 1:
        wt = b.transpose(b.squeeze(w, [1]), [1, 2, 0])
        out = b.zeros(acc, [b.dim(x, 0), *sizes, c])
        value = one(linalg.depthwise_conv_2d_nhwc_hwc(xt.value, wt.value, outs=[out.value], **attrs))
        y = Array(value, Tensor(acc, (result.shape[0], *result.shape[2:], c)))
    else:
        grouped = b.reshape(w, [c, times, *b.dims(w)[2:]])
        wt = b.transpose(grouped, [2, 3, 0, 1])
        out = b.zeros(acc, [b.dim(x, 0), *sizes, c, times])
        value = one(linalg.depthwise_conv_2d_nhwc_hwcm(xt.value, wt.value, outs=[out.value], **attrs))
        y5 = Array(value, Tensor(acc, (result.shape[0], *result.shape[2:], c, times)))
        y = b.reshape(y5, [*b.dims(y5)[:3], c * times], [*y5.shape[:3], c * times])
    return b.transpose(y, [0, 3, 1, 2])


def _general(b: LinalgBuilder, x: Array, w: Array, a, acc: DType, result: Tensor) -> Array:
    """Any number of spatial dimensions and groups: one generic op with affine window indices."""
    n = x.rank - 2
    g = a.groups
    sizes = _out_sizes(b, x, 2, w, a, result)
    channels, filters = b.dim(w, 1), b.dim(w, 0)
    per_group = filters // g if isinstance(filters, int) else filters // g
    x5 = b.reshape(x, [b.dim(x, 0), g, channels, *b.dims(x)[2:]], [x.shape[0], g, w.shape[1], *x.shape[2:]])
    name = w.shape[0] // g if isinstance(w.shape[0], int) else None
    w5 = b.reshape(w, [g, per_group, *b.dims(w)[1:]], [g, name, *w.shape[1:]])
    out = b.zeros(acc, [b.dim(x, 0), g, per_group, *sizes])
    # loops: batch, group, filter, spatial..., channel, kernel...
    total = 3 + n + 1 + n
    d = [ir.AffineDimExpr.get(i) for i in range(total)]
    window = [d[3 + i] * a.strides[i] + d[4 + n + i] * a.dilations[i] for i in range(n)]
    maps = [
        ir.AffineMap.get(total, 0, [d[0], d[1], d[3 + n], *window]),
        ir.AffineMap.get(total, 0, [d[1], d[2], d[3 + n], *d[4 + n :]]),
        ir.AffineMap.get(total, 0, d[: 3 + n]),
    ]
    made = b.generic_maps(
        maps, [x5, w5], [out], lambda p, q, s: s + p.to(acc) * q.to(acc), parallel=3 + n, reduction=1 + n
    )[0]
    shape = [result.shape[0], result.shape[1], *result.shape[2:]]
    return b.reshape(made, [b.dim(x, 0), filters, *sizes], shape)
