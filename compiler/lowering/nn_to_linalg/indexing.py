"""Gathers and scatters. No index leaves its tensor: reads are clamped, writes outside are dropped."""

from __future__ import annotations

from collections.abc import Callable

from davit.compiler.linalg_builder.builder import Array, LinalgBuilder, Size
from davit.compiler.linalg_builder.scalar import INDEX, Scalar, const, index
from davit.compiler.lowering.nn_to_linalg.base import lowers
from davit.compiler.lowering.nn_to_linalg.structure import check_not_empty, clamp_index
from davit.dialects.nn import View
from davit.dialects.types import DTYPES, Tensor

I64 = DTYPES["i64"]
I1 = DTYPES["i1"]
HOST_ELEMENTS = 16
"""Vectors up to this many elements (shapes, axes) are scattered into on the host."""


@lowers("gather_elements")
def gather_elements(op: View, b: LinalgBuilder) -> Array:
    x, idx, axis = op.x, op.indices, op.attr.axis % op.x.rank
    n = b.dim(x, axis)
    check_not_empty(b, x, b.dims(idx), "GatherElements")
    for i in range(x.rank):
        if i != axis and (None in (x.shape[i], idx.shape[i]) or x.shape[i] != idx.shape[i]):
            fits = index(b.dim(idx, i)) <= index(b.dim(x, i))
            b.check(fits, f"GatherElements: indices are larger than data in dimension {i}")

    def read(*d: Scalar) -> Scalar:
        i = clamp_index(b.extract(idx, d), n)
        return b.extract(x, [*d[:axis], i, *d[axis + 1 :]])

    if 0 in x.shape:
        return b.zeros(x.dtype, b.dims(idx))
    made = b.tabulate(x.dtype, b.dims(idx), read)
    return Array(made.value, Tensor(x.dtype, idx.shape))


@lowers("gather_nd")
def gather_nd(op: View, b: LinalgBuilder) -> Array:
    x, idx, lead = op.x, op.indices, op.attr.batch_dims
    depth = idx.shape[-1]
    places = idx.rank - 1
    sizes = [*b.dims(idx)[:-1], *b.dims(x)[lead + depth :]]
    limits = b.dims(x)[lead : lead + depth]
    for i in range(lead):
        if x.shape[i] != idx.shape[i] or x.shape[i] is None:
            b.check(index(b.dim(x, i)).eq(index(b.dim(idx, i))), f"GatherND: batch dimension {i} differs")
    if 0 in x.shape:
        return b.zeros(x.dtype, sizes)
    check_not_empty(b, x, sizes, "GatherND")

    def read(*d: Scalar) -> Scalar:
        at = [clamp_index(b.extract(idx, [*d[:places], k]), limits[k]) for k in range(depth)]
        return b.extract(x, [*d[:lead], *at, *d[places:]])

    return b.tabulate(x.dtype, sizes, read)


# -- scatter -----------------------------------------------------------------------------------------------------
COMBINE: dict[str, Callable[[Scalar, Scalar], Scalar]] = {
    "none": lambda old, new: new,
    "add": lambda old, new: old | new if old.dtype.kind == "bool" else old + new,
    "mul": lambda old, new: old & new if old.dtype.kind == "bool" else old * new,
    "max": lambda old, new: old | new if old.dtype.kind == "bool" else old.maximum(new),
    "min": lambda old, new: old & new if old.dtype.kind == "bool" else old.minimum(new),
}


def place(i: Scalar, n: Size) -> tuple[Scalar, Scalar]:
    """An index counted from the end when negative, and whether it is inside."""
    at, size = i.to(INDEX), index(n)
    if i.dtype.kind == "signed":
        at = (at < 0).select(at + size, at)
    return at, (at >= 0) & (at < size)


def nest(b: LinalgBuilder, sizes: list[Size], t: Array, body: Callable[[list[Scalar], Array], Array]) -> Array:
    """Loops over all of ``sizes``, row-major, that carry one tensor."""

    def level(k: int, idx: list[Scalar], t: Array) -> Array:
        if k == len(sizes):
            return body(idx, t)
        return b.loop(0, sizes[k], [t], lambda i, u: [level(k + 1, [*idx, i], u)])[0]

    return level(0, [], t)


def update(b: LinalgBuilder, t: Array, at: list[Scalar], inside: Scalar, new: Scalar, kind: str) -> Array:
    """Write or combine one element where ``inside`` holds."""

    def write() -> list[Array]:
        value = new if kind == "none" else COMBINE[kind](b.extract(t, at), new)
        return [b.insert(t, value, at)]

    return b.cond(inside, write, lambda: [t], [t])[0]


@lowers("scatter_elements")
def scatter_elements(op: View, b: LinalgBuilder) -> Array:
    x, idx, upd, axis, kind = op.x, op.indices, op.updates, op.attr.axis % op.x.rank, op.attr.reduction
    if _on_host(b, x, idx, upd) and kind == "none":
        return _host_scatter(b, x, idx, upd)
    limits = b.dims(x)
    sizes = b.dims(idx)
    for i, (have, want) in enumerate(zip(upd.shape, idx.shape, strict=True)):
        if have != want or have is None:
            same = index(b.dim(upd, i)).eq(index(b.dim(idx, i)))
            b.check(same, f"ScatterElements: dimension {i} of updates and indices differ")

    def write(p: list[Scalar], t: Array) -> Array:
        i, inside = place(b.extract(idx, p), limits[axis])
        for k in range(x.rank):  # positions come from the indices' shape, which may exceed x's
            if k != axis and not (isinstance(limits[k], int) and isinstance(sizes[k], int) and sizes[k] <= limits[k]):
                inside = inside & (p[k] < index(limits[k]))
        return update(b, t, [*p[:axis], i, *p[axis + 1 :]], inside, b.extract(upd, p), kind)

    return b.sequential([x], lambda t: [nest(b, sizes, t, write)])[0]


def _on_host(b: LinalgBuilder, x: Array, idx: Array, upd: Array) -> bool:
    small = all(a.rank == 1 and a.t.is_static and a.t.size <= HOST_ELEMENTS for a in (x, idx, upd))
    return small and not x.dtype.is_float and b.is_scalars(x)


def _host_scatter(b: LinalgBuilder, x: Array, idx: Array, upd: Array) -> Array:
    values = b.scalars(x)
    for i, new in zip(b.scalars(idx), b.scalars(upd), strict=True):
        at, _ = place(i, len(values))
        values = [at.eq(k).select(new, old) for k, old in enumerate(values)]
    return b.from_scalars(values) if values else x


@lowers("scatter_nd")
def scatter_nd(op: View, b: LinalgBuilder) -> Array:
    x, idx, upd, kind = op.x, op.indices, op.updates, op.attr.reduction
    depth = idx.shape[-1]
    limits = b.dims(x)
    places, rest = b.dims(idx)[:-1], limits[depth:]
    for i, (have, want) in enumerate(zip(upd.shape, (*idx.shape[:-1], *x.shape[depth:]), strict=True)):
        if have != want or have is None:
            fits = index(b.dim(upd, i)).eq(index([*places, *rest][i]))
            b.check(fits, f"ScatterND: dimension {i} of updates does not fit")

    def write_row(p: list[Scalar], t: Array) -> Array:
        pairs = [place(b.extract(idx, [*p, const(k, INDEX)]), limits[k]) for k in range(depth)]
        inside = const(True, I1)
        for _, ok in pairs:
            inside = inside & ok
        at = [i for i, _ in pairs]
        if not rest:
            return update(b, t, at, inside, b.extract(upd, p), kind)

        def whole() -> list[Array]:
            def element(q: list[Scalar], u: Array) -> Array:
                new = b.extract(upd, [*p, *q])
                value = new if kind == "none" else COMBINE[kind](b.extract(u, [*at, *q]), new)
                return b.insert(u, value, [*at, *q])

            return [nest(b, rest, t, element)]

        return b.cond(inside, whole, lambda: [t], [t])[0]

    return b.sequential([x], lambda t: [nest(b, places, t, write_row)])[0]


@lowers("nonzero")
def nonzero(op: View, b: LinalgBuilder) -> Array:
    """Places are written into a buffer that holds as many as x has elements; then the part that is used is cut out."""
    x = op.x
    if x.rank == 0:  # no coordinates: only their number is data
        return b.empty(I64, [_is_set(b.scalars(x)[0]).select(const(1, INDEX), const(0, INDEX)), 0])
    sizes = b.dims(x)
    total = b.size_product(sizes)
    room = b.empty(I64, [total, x.rank])
    count = b.empty(I64, [1])

    def body(buffer: Array, counter: Array) -> list[Array]:
        counter = b.insert(counter, const(0, I64), [0])

        def level(k: int, idx: list[Scalar], state: list[Array]) -> list[Array]:
            if k < x.rank:
                return b.loop(0, sizes[k], state, lambda i, *s: level(k + 1, [*idx, i], list(s)))

            def note() -> list[Array]:
                at = b.extract(state[1], [0])
                t = state[0]
                for c, i in enumerate(idx):
                    t = b.insert(t, i.to(I64), [at.to(INDEX), const(c, INDEX)])
                return [t, b.insert(state[1], at + 1, [0])]

            return b.cond(_is_set(b.extract(x, idx)), note, lambda: state, state)

        return level(0, [], [buffer, counter])

    made, used = b.sequential([room, count], body)
    n = b.scalars(used)[0].to(INDEX)
    return b.slice(made, [0, 0], [n, x.rank])


def _is_set(s: Scalar) -> Scalar:
    """Not zero; NaN is not zero."""
    if s.dtype.kind == "bool":
        return s
    if s.dtype.is_float and s.dtype.is_tiny:
        s = s.to("f32")
    return s.ne(0)
