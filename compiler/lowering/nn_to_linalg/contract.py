"""Contractions as the named linalg ops that IREE's code generation knows best."""

from __future__ import annotations

from davit.compiler.linalg_builder.builder import Array, LinalgBuilder, Size, one
from davit.compiler.linalg_builder.mathfn import absolute
from davit.compiler.linalg_builder.scalar import Scalar, const, index
from davit.compiler.lowering.nn_to_linalg.base import lowers
from davit.dialects import dims
from davit.dialects.nn import View
from davit.dialects.nn.contract import accumulator
from davit.dialects.types import DTYPES, Dim, DType, Tensor
from davit.mlir import ir, linalg


@lowers("matmul")
def matmul(op: View, b: LinalgBuilder) -> Array:
    """``linalg.matmul`` / ``batch_matmul``; leading dimensions of the left side fold into its rows."""
    x, y, out = op.a, op.b, op.attr.out
    acc = DTYPES[accumulator(out)]
    if x.rank == 1:
        x = b.expand_dims(x, [0])
    if y.rank == 1:
        y = b.expand_dims(y, [1])
    if y.rank == 2 and x.rank > 2:
        rows = b.size_product(b.dims(x)[:-1])
        flat = b.reshape(x, [rows, b.dim(x, x.rank - 1)], [dims.product(x.shape[:-1]), x.shape[-1]])
        z = _product(b, flat, y, acc)
        z = b.reshape(z, [*b.dims(x)[:-1], b.dim(y, 1)], [*x.shape[:-1], y.shape[-1]])
    elif x.rank == 2 and y.rank == 2:
        z = _product(b, x, y, acc)
    else:
        z = _batched(b, x, y, acc)
    if op.a.rank == 1:
        z = b.squeeze(z, [z.rank - 2])
    if op.b.rank == 1:
        z = b.squeeze(z, [z.rank - 1])
    return b.cast(z, out)


def check_inner(b: LinalgBuilder, x: Array, y: Array) -> None:
    """Inner sizes that are only known at run time must agree."""
    i, j = x.shape[-1], y.shape[-2]
    if i == j and i is not None:
        return
    s, t = b.dim(x, x.rank - 1), b.dim(y, y.rank - 2)
    if isinstance(s, Scalar):
        b.check(s.eq(t), "MatMul: inner sizes differ")
    elif isinstance(t, Scalar):
        b.check(t.eq(s), "MatMul: inner sizes differ")


def _product(b: LinalgBuilder, x: Array, y: Array, acc: DType) -> Array:
    check_inner(b, x, y)
    m, n = b.dim(x, 0), b.dim(y, 1)
    t = Tensor(acc, (x.shape[0], y.shape[1]))
    out = b.zeros(acc, [m, n])
    (xs, x_spec), (ys, y_spec) = _untransposed(x, "m k"), _untransposed(y, "k n")
    if acc.is_float and x.dtype == acc and x_spec == "m k" and y_spec == "k n":
        return Array(one(linalg.matmul(x.value, y.value, outs=[out.value])), t)
    spec = f"{x_spec}, {y_spec} -> m n"
    made = b.generic(spec, [xs, ys], lambda p, q, s: s + p.to(acc) * q.to(acc), out=[out], reduce="k")[0]
    return Array(made.value, t)


def _untransposed(x: Array, spec: str) -> tuple[Array, str]:
    """The source of a transposed operand with its index names: a contraction reads either order as it comes.

    IREE 3.13 folds transposes into named products itself, and crashes where both sides of one are transposed.
    """
    owner = x.value.owner
    if isinstance(owner, ir.Block) or owner.name != "linalg.transpose":
        return x, spec
    perm = list(ir.DenseI64ArrayAttr(owner.attributes["permutation"]))
    names: list[str] = [""] * x.rank
    shape: list[Dim] = [None] * x.rank
    for i, p in enumerate(perm):
        names[p] = spec.split()[i]
        shape[p] = x.shape[i]
    return Array(owner.operands[0], Tensor(x.dtype, tuple(shape))), " ".join(names)


def _batched(b: LinalgBuilder, x: Array, y: Array, acc: DType) -> Array:
    """Batch dimensions are broadcast, folded into one, multiplied and unfolded."""
    check_inner(b, x, y)
    lead = dims.broadcast(x.shape[:-2], y.shape[:-2])
    xs, ys = (_spread(b, z, lead, (x, y)) for z in (x, y))
    sizes: list[Size] = b.dims(xs)[:-2]
    batch = b.size_product(sizes)
    names = dims.product(lead)
    x3 = b.reshape(xs, [batch, *b.dims(xs)[-2:]], [names, *xs.shape[-2:]])
    y3 = b.reshape(ys, [batch, *b.dims(ys)[-2:]], [names, *ys.shape[-2:]])
    m, n = b.dim(x3, 1), b.dim(y3, 2)
    out = b.zeros(acc, [b.dim(x3, 0), m, n])
    if acc.is_float and x.dtype == acc:
        value = one(linalg.batch_matmul(x3.value, y3.value, outs=[out.value]))
    else:
        spec = "b m k, b k n -> b m n"
        value = b.generic(spec, [x3, y3], lambda p, q, s: s + p.to(acc) * q.to(acc), out=[out], reduce="k")[0].value
    z = Array(value, Tensor(acc, (x3.shape[0], x3.shape[1], y3.shape[2])))
    return b.reshape(z, [*sizes, m, n], [*lead, x3.shape[1], y3.shape[2]])


def _spread(b: LinalgBuilder, z: Array, lead, both: tuple[Array, Array]) -> Array:
    """Broadcast the leading dimensions of ``z`` to ``lead``."""
    if z.shape[:-2] == lead and None not in lead:
        return z
    rank = len(lead)
    shells = [Array(o.value, Tensor(o.dtype, o.shape[:-2])) for o in both]
    sizes: list[Size] = [b.broadcast_size(shells, rank, i, lead[i]) for i in range(rank)]
    tail = b.dims(z)[-2:]
    own = b.dims(z)[:-2]
    offset = rank - len(own)

    def read(*idx: Scalar) -> Scalar:
        from davit.compiler.linalg_builder.scalar import INDEX

        at = []
        for d, i in zip(own, idx[offset:rank], strict=True):
            at.append(const(0, INDEX) if d == 1 else i if isinstance(d, int) else d.eq(1).select(const(0, INDEX), i))
        return b.extract(z, [*at, *idx[rank:]])

    made = b.tabulate(z.dtype, [*sizes, *tail], read)
    return Array(made.value, Tensor(z.dtype, (*lead, *z.shape[-2:])))


@lowers("conv")
def conv(op: View, b: LinalgBuilder) -> Array:
    """2-D float convolutions as ``conv_2d_nhwc_hwcf`` or ``depthwise``; all others as one generic contraction."""
    x, w, a = op.x, op.w, op.attr
    acc = DTYPES[accumulator(a.out)]
    n = x.rank - 2
    zero = b.zero(x.dtype)
    if any(v < 0 for v in (*a.low, *a.high)):
        sizes = [*b.dims(x)[:2], *(d + min(lo, 0) + min(hi, 0) for d, lo, hi in zip(b.dims(x)[2:], a.low, a.high, strict=True))]
        x = b.slice(x, [0, 0, *(max(-lo, 0) for lo in a.low)], sizes)
    low, high = [max(v, 0) for v in a.low], [max(v, 0) for v in a.high]
    result = op.result
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
    if all(d == 1 for d in w.shape[2:]) and all(s == 1 for s in a.strides) and xt.t.is_static:
        rows = b.size_product(b.dims(xt)[:3])
        flat = b.reshape(xt, [rows, b.dim(xt, 3)])
        w2 = b.reshape(wt, [b.dim(wt, 2), b.dim(wt, 3)])
        made = _product(b, flat, w2, acc)
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


@lowers("det")
def det(op: View, b: LinalgBuilder) -> Array:
    """Gaussian elimination in place, the largest element of each column as pivot."""
    x = op.x
    batch, n, m = b.dims(x)
    b.check(index(n).eq(index(m)), "Det: the matrices are not square")
    wide = DTYPES["f64"]
    room = [b.empty(wide, [batch]), b.empty(wide, [b.size_product([n, n])])]

    def one_matrix(i: Scalar, out: Array, a: Array) -> list[Array]:
        def at(r: Scalar, c: Scalar) -> list[Scalar]:
            return [r * index(n) + c]

        def copy(r: Scalar, t: Array) -> list[Array]:
            return b.loop(0, n, [t], lambda c, u: [b.insert(u, b.extract(x, [i, r, c]).to(wide), at(r, c))])

        def column(k: Scalar, product: Scalar, a: Array) -> list[Scalar | Array]:
            def better(r: Scalar, best: Scalar) -> list[Scalar]:
                larger = absolute(b.extract(a, at(r, k))) > absolute(b.extract(a, at(best, k)))
                return [larger.select(r, best)]

            pivot = b.loop(k, n, [k], better)[0]
            product = pivot.eq(k).select(product, -product)

            def swap(c: Scalar, t: Array) -> list[Array]:
                p, q = b.extract(t, at(k, c)), b.extract(t, at(pivot, c))
                return [b.insert(b.insert(t, q, at(k, c)), p, at(pivot, c))]

            a = b.loop(k, n, [a], swap)[0]
            top = b.extract(a, at(k, k))

            def row(r: Scalar, t: Array) -> list[Array]:
                factor = b.extract(t, at(r, k)) / top
                factor = top.eq(0.0).select(top.like(0.0), factor)

                def subtract(c: Scalar, u: Array) -> list[Array]:
                    return [b.insert(u, b.extract(u, at(r, c)) - factor * b.extract(u, at(k, c)), at(r, c))]

                return b.loop(k, n, [t], subtract)

            a = b.loop(k + 1, n, [a], row)[0]
            return [product * top, a]

        a = b.loop(0, n, [a], copy)[0]
        product, a = b.loop(0, n, [const(1.0, wide), a], column)
        return [b.insert(out, product, [i]), a]

    made = b.sequential(room, lambda out, a: b.loop(0, batch, [out, a], one_matrix))[0]
    return b.cast(made, x.dtype)
