"""Ops with bodies: the scalar function in the region is emitted wherever an element is combined."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from davit.compiler.linalg_builder import convert
from davit.compiler.linalg_builder.builder import Array, LinalgBuilder, Size
from davit.compiler.linalg_builder.scalar import INDEX, Scalar, const, index, pair
from davit.compiler.lowering.nn_to_linalg import complexes, elementwise
from davit.compiler.lowering.nn_to_linalg.base import LoweringError, lowers
from davit.compiler.lowering.nn_to_linalg.sort import as_lines, merge_sort
from davit.dialects.definition import operands_of
from davit.dialects.nn import View
from davit.dialects.nn.base import constant_of
from davit.dialects.types import DTYPES, DType, Tensor
from davit.mlir import ir

I1 = DTYPES["i1"]
I64 = DTYPES["i64"]

SCALAR_OPS: dict[str, Callable[..., Scalar]] = {
    "select": lambda c, x, y, **_: c.select(x, y),
    "cast": lambda x, *, to, **how: convert.cast(x, to, **how),
    "bitcast": lambda x, *, to: x.bitcast(to),
    "real": complexes.real_part,
    "imag": complexes.imag_part,
    "complex": pair,
    "reshape": lambda x, _shape: x,
    "broadcast_to": lambda x, _shape: x,
    "refine": lambda x: x,
}
"""What a body may hold beside elementwise ops and constants; on rank-0 tensors shapes say nothing."""


def scalar_constant(value: np.ndarray, dt: DType) -> Scalar:
    """A constant of any element type."""
    item = np.asarray(value).reshape(-1)[0]
    if dt.is_float and dt.is_tiny:
        return Scalar(const(int(item.view(np.uint8)), DTYPES["i8"]).value, dt)
    return const(item.item() if dt.is_float or dt.kind == "complex" else int(item), dt)


class Body:
    """The scalar function in a region of an op."""

    def __init__(self, op: View, n: int = 0) -> None:
        self.block = op.op.regions[n].blocks[0]

    def __call__(self, *args: Scalar) -> list[Scalar]:
        """Emit the function on scalars; returns what it yields."""
        known: dict[ir.Value, Scalar] = dict(zip(self.block.arguments, args, strict=True))

        def read(v: ir.Value) -> Scalar | None:
            if v in known:
                return known[v]
            array = constant_of(v)
            if array is not None:
                return scalar_constant(array, Tensor.of(v.type).dtype)
            return None

        for op in self.block.operations:
            name = op.operation.name.removeprefix("nn.")
            if name == "yield":
                return [_there(read(v), op) for v in operands_of(op)]
            if name in ("constant", "shape") or op.operation.name == "builtin.unrealized_conversion_cast":
                continue
            if name in elementwise.SCALAR:
                made = elementwise.apply(name, *(_there(read(v), op) for v in op.operands))
            elif name in SCALAR_OPS:
                attrs = vars(View(op.operation).attr)
                first = _there(read(op.operands[0]), op)
                rest = [read(v) if Tensor.of(v.type).rank == 0 else None for v in list(op.operands)[1:]]
                made = SCALAR_OPS[name](first, *rest, **attrs)
            else:
                raise LoweringError(f"{op.operation.name} cannot stand in the body of an operation")
            known[op.results[0]] = made
        raise LoweringError("its body yields nothing")


def _there(s: Scalar | None, op: ir.OpView) -> Scalar:
    if s is None:
        raise LoweringError(f"its body uses a value computed outside of it (in {op.operation.name})")
    return s


def _initial(b: LinalgBuilder, x: Array) -> Callable[[], Scalar]:
    """A rank-0 tensor's element, inside a loop body."""
    array = constant_of(x.value)
    if array is not None:
        return lambda: scalar_constant(array, x.dtype)
    return lambda: b.extract(x, [])


def filled(b: LinalgBuilder, x: Array, sizes: Sequence[Size]) -> Array:
    """A tensor full of the element of a rank-0 one."""
    read = _initial(b, x)
    return b.tabulate(x.dtype, sizes, lambda *_: read())


@lowers("reduce_by")
def reduce_by(op: View, b: LinalgBuilder) -> tuple[Array, ...]:
    xs = op.operands[: len(op.operands) // 2]
    inits = op.operands[len(xs) :]
    body, rank = Body(op), xs[0].rank
    axes = [a % rank for a in op.attr.axes] if rank else []
    kept = [i for i in range(rank) if i not in axes]
    outs = [filled(b, v, [b.dim(xs[0], i) for i in kept]) for v in inits]
    order = [f"d{i}" for i in range(rank)]
    full, part = " ".join(order), " ".join(order[i] for i in kept)
    spec = f"{', '.join([full] * len(xs))} -> {', '.join([part] * len(xs))}"
    n = len(xs)

    def fold(*args: Scalar) -> list[Scalar]:
        return body(*args[n:], *args[:n])

    made = b.generic(spec, xs, fold, out=outs, reduce=" ".join(order[i] for i in axes))
    return tuple(made)



# -- windows -----------------------------------------------------------------------------------------------------
def _window_counts(b: LinalgBuilder, op: View, x: Array) -> list[Size]:
    """Number of windows along every dimension, those unknown until run time computed."""
    a = op.attr
    out: list[Size] = []
    for i, (d, known) in enumerate(zip(b.dims(x), op.result.shape, strict=True)):
        if isinstance(known, int):
            out.append(known)
            continue
        spread = (index(d) - 1) * a.base[i] + 1
        span = spread + (a.low[i] + a.high[i] - (a.kernel[i] - 1) * a.dilations[i] - 1)
        count = (span >= 0).select(span // a.strides[i] + 1, 0)
        out.append((index(d) > 0).select(count, 0))
    return out


def _fold_window(
    b: LinalgBuilder,
    op: View,
    at: Sequence[Scalar],
    sizes: Sequence[Size],
    state: list[Scalar],
    step: Callable[[Scalar, list[Scalar], list[Scalar]], list[Scalar]],
) -> list[Scalar]:
    """Run ``step(inside, place, state)`` for every position of a window; ``place`` is always a valid one."""
    a = op.attr

    def level(k: int, inside: Scalar, place: list[Scalar], state: list[Scalar]) -> list[Scalar]:
        if k == len(at):
            return step(inside, place, state)

        def position(i: Scalar, *state: Scalar) -> list[Scalar]:
            p = at[k] * a.strides[k] + i * a.dilations[k] - a.low[k]
            ok = inside
            padded = a.low[k] > 0 or a.high[k] > 0 or not isinstance(sizes[k], int)
            if a.base[k] != 1:
                ok = ok & (p % a.base[k]).eq(0)
                p = p // a.base[k]
            if padded:
                ok = ok & (p >= 0) & (p < index(sizes[k]))
            if padded or a.base[k] != 1:
                p = ok.select(p, 0)
            return level(k + 1, ok, [*place, p], list(state))

        if a.kernel[k] == 1:
            return position(const(0, INDEX), *state)
        return b.loop(0, a.kernel[k], state, position)

    return level(0, const(True, I1), [], state)


@lowers("window_reduce")
def window_reduce(op: View, b: LinalgBuilder) -> tuple[Array, ...]:
    xs = op.operands[: len(op.operands) // 2]
    reads = [_initial(b, v) for v in op.operands[len(xs) :]]
    body, sizes, counts = Body(op), b.dims(xs[0]), _window_counts(b, op, xs[0])
    if 0 in xs[0].shape:
        return tuple(filled(b, v, counts) for v in op.operands[len(xs) :])

    def window(*_old: Scalar) -> list[Scalar]:
        inits = [r() for r in reads]

        def step(inside: Scalar, place: list[Scalar], state: list[Scalar]) -> list[Scalar]:
            values = [b.extract(x, place) for x in xs]
            if inside.known is None:
                values = [inside.select(v, i) for v, i in zip(values, inits, strict=True)]
            return body(*state, *values)

        return _fold_window(b, op, b.indices(len(counts)), sizes, inits, step)

    group = " ".join(f"d{i}" for i in range(len(counts)))
    outs = [b.empty(t.dtype, counts) for t in op.results]
    made = b.generic(f" -> {', '.join([group] * len(xs))}", [], window, out=outs)
    return tuple(made)


@lowers("window_select")
def window_select(op: View, b: LinalgBuilder) -> Array:
    x, body = op.x, Body(op)
    sizes, counts = b.dims(x), _window_counts(b, op, x)
    if 0 in x.shape:
        return b.full(const(-1, I64), counts)

    def window(*at: Scalar) -> Scalar:
        first = b.extract(x, [const(0, INDEX)] * x.rank)

        def step(inside: Scalar, place: list[Scalar], state: list[Scalar]) -> list[Scalar]:
            best, value = state
            here = const(0, INDEX)
            for p, d in zip(place, sizes, strict=True):
                here = here * index(d) + p
            candidate = b.extract(x, place)
            stays = (best >= 0) & body(value, candidate)[0]
            enters = inside & ~stays
            return [enters.select(here.to(I64), best), enters.select(candidate, value)]

        return _fold_window(b, op, at, sizes, [const(-1, I64), first], step)[0]

    return b.tabulate(I64, counts, window)


# -- scatter and gather ------------------------------------------------------------------------------------------
def _read_row(b: LinalgBuilder, indices: Array, row: Sequence[Scalar], k: int, vector_dim: int) -> Scalar:
    at: list[Scalar] = list(row)
    if vector_dim < indices.rank:
        at.insert(vector_dim, const(k, INDEX))
    i = convert.wrap_small_int(b.extract(indices, at))
    if i.dtype.kind == "unsigned" and i.dtype.bits == 64:  # what exceeds i64 lies outside anyway
        i = i.minimum(2**63 - 1)
    return i.to(INDEX)


@lowers("scatter_slices")
def scatter_slices(op: View, b: LinalgBuilder) -> tuple[Array, ...]:
    n = len(op.operands) // 2
    xs, indices, updates = op.operands[:n], op.operands[n], op.operands[n + 1 :]
    a, body, rank = op.attr, Body(op), xs[0].rank
    window = [i for i in range(rank) if i not in (*a.inserted_window_dims, *a.input_batching_dims)]
    lead = [i for i in range(updates[0].rank) if i not in a.update_window_dims]
    rows = [i for i in range(indices.rank) if i != a.index_vector_dim]
    sizes = [index(d) for d in b.dims(xs[0])]
    extent = b.dims(updates[0])
    if any(0 in u.shape for u in (*updates, *xs)):
        return tuple(xs)

    def run(*state: Array) -> list[Array]:
        def place_of(row: list[Scalar]) -> list[Scalar | None]:
            place: list[Scalar | None] = [None] * rank
            for k, d in enumerate(a.scattered_dims):
                place[d] = _read_row(b, indices, row, k, a.index_vector_dim)
            for d, i in zip(a.input_batching_dims, a.indices_batching_dims, strict=True):
                place[d] = row[rows.index(i)]
            return place

        def element(start: list[Scalar | None], at: list[Scalar], state: Sequence[Array]) -> list[Array]:
            place = list(start)
            for d, u in zip(window, a.update_window_dims, strict=True):
                mine = place[d]
                place[d] = at[u] if mine is None else mine + at[u]
            final = [const(0, INDEX) if p is None else p for p in place]
            inside = const(True, I1)
            for p, s, first in zip(final, sizes, start, strict=True):
                if first is not None:
                    inside = inside & (p >= 0) & (p < s)

            def write() -> list[Array]:
                old = [b.extract(t, final) for t in state]
                new = body(*old, *(b.extract(u, at) for u in updates))
                return [b.insert(t, v, final) for t, v in zip(state, new, strict=True)]

            return b.cond(inside, write, lambda: list(state), list(state))

        def nest(
            dims: Sequence[int], at: dict[int, Scalar], state: Sequence[Array],
            then: Callable[[dict[int, Scalar], Sequence[Array]], list[Array]],
        ) -> list[Array]:  # fmt: skip
            if not dims:
                return then(at, state)
            k = dims[0]
            if extent[k] == 1:
                return nest(dims[1:], {**at, k: const(0, INDEX)}, state, then)
            return b.loop(0, extent[k], list(state), lambda i, *s: nest(dims[1:], {**at, k: i}, s, then))

        def one_row(at: dict[int, Scalar], state: Sequence[Array]) -> list[Array]:
            start = place_of([at[i] for i in lead])

            def inner(at: dict[int, Scalar], state: Sequence[Array]) -> list[Array]:
                return element(start, [at[i] for i in range(updates[0].rank)], state)

            return nest(list(a.update_window_dims), at, state, inner)

        return nest(lead, {}, state, one_row)

    return tuple(b.sequential(list(xs), run))


@lowers("gather_slices")
def gather_slices(op: View, b: LinalgBuilder) -> Array:
    x, indices, a = op.x, op.indices, op.attr
    window = [i for i in range(x.rank) if i not in (*a.collapsed_dims, *a.operand_batching_dims)]
    rows = [i for i in range(indices.rank) if i != a.index_vector_dim]
    outer = iter([b.dim(indices, i) for i in rows])
    inner = iter([a.sizes[i] for i in window])
    sizes = [next(inner) if i in a.offset_dims else next(outer) for i in range(op.result.rank)]
    if 0 in x.shape:
        return b.zeros(x.dtype, sizes)
    extents = b.dims(x)
    for i, (d, s) in enumerate(zip(extents, a.sizes, strict=True)):
        if not isinstance(d, int):
            b.check(d >= s, f"gather: a slice of {s} does not fit into dimension {i}")

    def read(*at: Scalar) -> Scalar:
        row = [v for i, v in enumerate(at) if i not in a.offset_dims]
        place: list[Scalar | None] = [None] * x.rank
        for k, d in enumerate(a.start_map):
            start = _read_row(b, indices, row, k, a.index_vector_dim)
            place[d] = start.minimum(index(extents[d]) - a.sizes[d]).maximum(0)
        for d, i in zip(a.operand_batching_dims, a.indices_batching_dims, strict=True):
            place[d] = row[rows.index(i)]
        for d, o in zip(window, a.offset_dims, strict=True):
            mine = place[d]
            place[d] = at[o] if mine is None else mine + at[o]
        return b.extract(x, [const(0, INDEX) if p is None else p for p in place])

    return b.tabulate(x.dtype, sizes, read)


# -- sort --------------------------------------------------------------------------------------------------------
@lowers("sort_by")
def sort_by(op: View, b: LinalgBuilder) -> tuple[Array, ...]:
    xs, body = op.operands, Body(op)
    axis = op.attr.axis % xs[0].rank
    if 0 in xs[0].shape:
        return tuple(xs)
    lines = [as_lines(b, x, axis)[0] for x in xs]
    outer, n, inner = as_lines(b, xs[0], axis)[1]
    result = b.empty(I64, [outer, n, inner])
    scratch = b.empty(I64, [b.size_product([2, n])])

    def run(order: Array, work: Array) -> list[Array]:
        def line(o: Scalar, i: Scalar, order: Array, work: Array) -> list[Array]:
            def before(p: Scalar, q: Scalar) -> Scalar:
                return body(*(b.extract(x, [o, k, i]) for x in lines for k in (p, q)))[0]

            work, source = merge_sort(b, work, n, before)
            order = b.loop(
                0, n, [order], lambda k, t: [b.insert(t, b.extract(work, [source + k]), [o, k, i])]
            )[0]
            return [order, work]

        def row(o: Scalar, *state: Array) -> list[Array]:
            return b.loop(0, inner, list(state), lambda i, *s: line(o, i, *s))

        return b.loop(0, outer, [order, work], row)

    places = b.reshape(b.sequential([result, scratch], run)[0], b.dims(xs[0]), xs[0].shape)

    def read(x: Array) -> Callable[..., Scalar]:
        return lambda *d: b.extract(x, [*d[:axis], b.extract(places, d).to(INDEX), *d[axis + 1 :]])

    made = [b.tabulate(x.dtype, b.dims(x), read(x)) for x in xs]
    return tuple(made)
