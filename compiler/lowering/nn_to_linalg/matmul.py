"""Matrix products and determinants.

Products are the named linalg ops that IREE's code generation knows best, or contractions it recognises.
"""

from __future__ import annotations

from davit.compiler.linalg_builder.builder import Array, LinalgBuilder, Size, one
from davit.compiler.linalg_builder.mathfn import absolute
from davit.compiler.linalg_builder.scalar import INDEX, Scalar, const, index
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
        z = product(b, flat, y, acc)
        z = b.reshape(z, [*b.dims(x)[:-1], b.dim(y, 1)], [*x.shape[:-1], y.shape[-1]])
    elif x.rank == 2 and y.rank == 2:
        z = product(b, x, y, acc)
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


ROWS = 16
"""Rows come in multiples of this: IREE 3.13 takes 6 times as long for 197 rows as for 208."""

WORTH_PADDING = 1 << 18
"""From so many elements of the right side on, a product costs more than the copy that padding its rows is."""


def product(b: LinalgBuilder, x: Array, y: Array, acc: DType) -> Array:
    check_inner(b, x, y)
    rows, columns = x.shape[0], y.t.size if y.t.is_static else 0
    if isinstance(rows, int) and rows > ROWS and rows % ROWS and columns >= WORTH_PADDING:
        padded = b.pad(x, [0, 0], [-rows % ROWS, 0], b.zero(x.dtype))
        made = _product(b, padded, y, acc)
        # Opaque, or IREE moves the slice up through the product, and the padding is gone.
        return b.slice(b.opaque(made), [0, 0], [rows, b.dim(made, 1)])
    return _product(b, x, y, acc)


def _product(b: LinalgBuilder, x: Array, y: Array, acc: DType) -> Array:
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
    if any(_loose(z, lead) for z in (x, y)):
        return _by_element(b, x, y, acc, lead)
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


def _loose(z: Array, lead: tuple[Dim, ...]) -> bool:
    """Whether a batch dimension may turn out to be 1 at run time where the result's is not."""
    own = z.shape[:-2]
    return any(not isinstance(d, int) and d != lead[i] for i, d in enumerate(own, start=len(lead) - len(own)))


def _by_element(b: LinalgBuilder, x: Array, y: Array, acc: DType, lead: tuple[Dim, ...]) -> Array:
    """Batch dimensions that may differ at run time: each element of the result is one sum.

    Copies spread to the common size would be read by a tiled product, which IREE 3.13 refuses for such sizes.
    """
    rank = len(lead)
    sizes = [*_lead_sizes(b, (x, y), lead), b.dim(x, x.rank - 2), b.dim(y, y.rank - 1)]

    def element(*idx: Scalar) -> Scalar:
        u, v = (_batch_index(b, z, idx[:rank]) for z in (x, y))

        def step(k: Scalar, s: Scalar) -> list[Scalar]:
            return [s + b.extract(x, [*u, idx[rank], k]).to(acc) * b.extract(y, [*v, k, idx[rank + 1]]).to(acc)]

        return b.loop(0, b.dim(x, x.rank - 1), [const(0, acc)], step)[0]

    made = b.tabulate(acc, sizes, element)
    return Array(made.value, Tensor(acc, (*lead, x.shape[-2], y.shape[-1])))


def _lead_sizes(b: LinalgBuilder, both: tuple[Array, Array], lead: tuple[Dim, ...]) -> list[Size]:
    shells = [Array(z.value, Tensor(z.dtype, z.shape[:-2])) for z in both]
    return [b.broadcast_size(shells, len(lead), i, d) for i, d in enumerate(lead)]


def _batch_index(b: LinalgBuilder, z: Array, idx: tuple[Scalar, ...]) -> list[Scalar]:
    """Batch indices of the result as indices of an operand, whose dimensions of size 1 stay at 0."""
    own = b.dims(z)[:-2]
    at = []
    for d, i in zip(own, idx[len(idx) - len(own) :], strict=True):
        at.append(const(0, INDEX) if d == 1 else i if isinstance(d, int) else d.eq(1).select(const(0, INDEX), i))
    return at


def _spread(b: LinalgBuilder, z: Array, lead: tuple[Dim, ...], both: tuple[Array, Array]) -> Array:
    """Broadcast the leading dimensions of ``z`` to ``lead``."""
    if z.shape[:-2] == lead and None not in lead:
        return z
    rank = len(lead)
    sizes = [*_lead_sizes(b, both, lead), *b.dims(z)[-2:]]
    made = b.tabulate(z.dtype, sizes, lambda *idx: b.extract(z, [*_batch_index(b, z, idx[:rank]), *idx[rank:]]))
    return Array(made.value, Tensor(z.dtype, (*lead, *z.shape[-2:])))


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
