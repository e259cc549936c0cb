"""Sorting, top-k, distinct rows and suppression as in-place loops, one dispatch each.

Sorting is a bottom-up merge sort of positions in one scratch line of twice the length, stable, O(n log n). A few
largest elements are kept in a short ordered list instead.
"""

from __future__ import annotations

from collections.abc import Callable

from davit.compiler.linalg_builder.builder import Array, LinalgBuilder, Size
from davit.compiler.linalg_builder.scalar import INDEX, Scalar, const, index
from davit.compiler.lowering.nn_to_linalg.base import lowers
from davit.compiler.lowering.nn_to_linalg.structure import clamp_index
from davit.dialects import dims
from davit.dialects.nn import View
from davit.dialects.types import DTYPES, Tensor

I64 = DTYPES["i64"]
I1 = DTYPES["i1"]
F32 = DTYPES["f32"]
SHORT_LIST = 64
"""Up to this many of the largest elements are found by insertion into an ordered list."""

Before = Callable[[Scalar, Scalar], Scalar]
"""Whether the element at one position (index) must come before the one at another."""


def precedes(x: Scalar, y: Scalar, descending: bool) -> Scalar:
    """Strict order of two elements; NaN is the greatest."""
    if x.dtype.is_float and x.dtype.is_tiny:
        x, y = x.to(F32), y.to(F32)
    if x.dtype.kind == "bool":
        x, y = x.to("i8"), y.to("i8")
    low, high = (y, x) if descending else (x, y)
    less = low < high
    return less | (high.isnan() & ~low.isnan()) if x.dtype.is_float else less


def as_lines(b: LinalgBuilder, x: Array, axis: int) -> tuple[Array, list[Size]]:
    """``x`` as [outer, n, inner] around the axis."""
    sizes = b.dims(x)
    parts = [sizes[:axis], sizes[axis : axis + 1], sizes[axis + 1 :]]
    names = [x.shape[:axis], x.shape[axis : axis + 1], x.shape[axis + 1 :]]
    three = [b.known_size(b.size_product(p)) for p in parts]
    return b.reshape(x, three, [dims.product(p) for p in names]), three


def merge_sort(b: LinalgBuilder, work: Array, n: Size, before: Before) -> tuple[Array, Scalar]:
    """Sort the positions 0..n-1 in ``work`` (2n long); returns it and where the sorted half begins."""
    size = index(n)
    work = b.loop(0, n, [work], lambda i, w: [b.insert(w, i.to(I64), [i])])[0]

    def merge_pass(width: Scalar, source: Scalar, w: Array) -> list[Array | Scalar]:
        target = size - source

        def pair(start: Scalar, w: Array) -> list[Array]:
            middle = (start + width).minimum(size)
            end = (middle + width).minimum(size)

            def step(k: Scalar, left: Scalar, right: Scalar, w: Array) -> list[Array | Scalar]:
                at_left = b.extract(w, [source + left.minimum(size - 1)])
                at_right = b.extract(w, [source + right.minimum(size - 1)])
                ready = (left < middle) & ((right >= end) | ~before(at_right.to(INDEX), at_left.to(INDEX)))
                w = b.insert(w, ready.select(at_left, at_right), [target + k])
                return [ready.select(left + 1, left), ready.select(right, right + 1), w]

            return [b.loop(start, end, [start, middle, w], step)[2]]

        w = b.loop(0, n, [w], pair, step=width * 2)[0]
        return [width * 2, target, w]

    begin = [const(1, INDEX), const(0, INDEX), work]
    _, source, work = b.while_loop(begin, lambda width, _s, _w: width < size, merge_pass)
    return work, source


def argsort_array(b: LinalgBuilder, x: Array, axis: int, descending: bool) -> Array:
    """Stable sorting permutation of every line along an axis."""
    lines, (outer, n, inner) = as_lines(b, x, axis)
    result = b.empty(I64, [outer, n, inner])
    scratch = b.empty(I64, [b.size_product([2, n])])

    def body(order: Array, work: Array) -> list[Array]:
        def line(o: Scalar, i: Scalar, order: Array, work: Array) -> list[Array]:
            def before(p: Scalar, q: Scalar) -> Scalar:
                return precedes(b.extract(lines, [o, p, i]), b.extract(lines, [o, q, i]), descending)

            work, source = merge_sort(b, work, n, before)
            order = b.loop(
                0, n, [order], lambda k, t: [b.insert(t, b.extract(work, [source + k]), [o, k, i])]
            )[0]
            return [order, work]

        def row(o: Scalar, *state: Array) -> list[Array]:
            return b.loop(0, inner, list(state), lambda i, *s: line(o, i, *s))

        return b.loop(0, outer, [order, work], row)

    made = b.sequential([result, scratch], body)[0]
    return b.reshape(made, b.dims(x), x.shape)


@lowers("argsort")
def argsort(op: View, b: LinalgBuilder) -> Array:
    return argsort_array(b, op.x, op.attr.axis % op.x.rank, op.attr.descending)


@lowers("top_k")
def top_k(op: View, b: LinalgBuilder) -> tuple[Array, Array]:
    x, axis, largest = op.x, op.attr.axis % op.x.rank, op.attr.largest
    k = b.known_size(b.scalars(op.k)[0].to(INDEX))
    n = b.dim(x, axis)
    sizes = b.dims(x)
    sizes[axis] = k
    if not (isinstance(k, int) and isinstance(n, int)):
        b.check((index(k) <= index(n)) & (index(k) >= 0), "TopK: k is negative or larger than the dimension")
    if isinstance(k, int) and 0 < k <= SHORT_LIST and not (isinstance(n, int) and n <= 2 * k):
        places = _short_list(b, x, axis, k, largest)
    else:
        places = b.slice(argsort_array(b, x, axis, largest), [0] * x.rank, sizes)

    def read(*d: Scalar) -> Scalar:
        return b.extract(x, [*d[:axis], clamp_index(b.extract(places, d), n), *d[axis + 1 :]])

    shape = op.result.shape
    found = b.tabulate(x.dtype, sizes, read) if 0 not in x.shape else b.empty(x.dtype, sizes)
    return Array(found.value, _known(found, shape)), Array(places.value, _known(places, shape))


def _known(x: Array, shape: tuple) -> Tensor:
    return Tensor(x.dtype, tuple(h if isinstance(h, int) else d for h, d in zip(x.shape, shape, strict=True)))


def _short_list(b: LinalgBuilder, x: Array, axis: int, k: int, largest: bool) -> Array:
    """Places of the best ``k`` of each line, kept in order while the line is read once."""
    lines, (outer, n, inner) = as_lines(b, x, axis)
    result = b.empty(I64, [outer, k, inner])

    def line(o: Scalar, i: Scalar, best: Array) -> list[Array]:
        def beats(p: Scalar, slot: Scalar, t: Array) -> Scalar:
            other = b.extract(t, [o, slot, i]).to(INDEX)
            return precedes(b.extract(lines, [o, p, i]), b.extract(lines, [o, other, i]), largest)

        def element(p: Scalar, count: Scalar, t: Array) -> list[Scalar | Array]:
            full = count >= k

            def enter() -> list[Scalar | Array]:
                def shift(slot: Scalar, t: Array) -> list[Scalar | Array]:
                    return [slot - 1, b.insert(t, b.extract(t, [o, slot - 1, i]), [o, slot, i])]

                def worse_ahead(slot: Scalar, t: Array) -> Scalar:
                    stop = const(False, I1)
                    return b.cond(slot > 0, lambda: [beats(p, slot - 1, t)], lambda: [stop], [stop])[0]

                slot, u = b.while_loop([count.minimum(k - 1), t], worse_ahead, shift)
                return [(count + 1).minimum(k), b.insert(u, p.to(I64), [o, slot, i])]

            yes = const(True, I1)
            wanted = b.cond(full, lambda: [beats(p, const(k - 1, INDEX), t)], lambda: [yes], [yes])[0]
            return b.cond(wanted, enter, lambda: [count, t], [count, t])

        return [b.loop(0, n, [const(0, INDEX), best], element)[1]]

    def body(best: Array) -> list[Array]:
        return b.loop(0, outer, [best], lambda o, t: b.loop(0, inner, [t], lambda i, u: line(o, i, u)))

    made = b.sequential([result], body)[0]
    sizes = b.dims(x)
    sizes[axis] = k
    return b.reshape(made, sizes, (*x.shape[:axis], k, *x.shape[axis + 1 :]))


# -- distinct rows -----------------------------------------------------------------------------------------------
@lowers("unique")
def unique(op: View, b: LinalgBuilder) -> tuple[Array, Array, Array]:
    """Rows are sorted; equal neighbours form a group, whose first row in the order is the first of all."""
    x = op.x
    n, m = b.dims(x)
    size = index(n)
    room = [b.empty(I64, [s]) for s in (n, n, n, n, 1, b.size_product([2, n]))]

    def before(p: Scalar, q: Scalar) -> Scalar:
        """Lexicographic, left to right, up to the first difference."""

        def undecided(c: Scalar, state: Scalar) -> Scalar:
            return (c < index(m)) & state.eq(0)

        def column(c: Scalar, _state: Scalar) -> list[Scalar]:
            u, v = b.extract(x, [p, c]), b.extract(x, [q, c])
            sign = precedes(u, v, False).select(const(1, I64), precedes(v, u, False).select(const(-1, I64), 0))
            return [c + 1, sign]

        return b.while_loop([const(0, INDEX), const(0, I64)], undecided, column)[1] > 0

    def body(first: Array, inverse: Array, counts: Array, place: Array, number: Array, work: Array) -> list[Array]:
        work, source = merge_sort(b, work, n, before)

        def group(k: Scalar, g: Scalar, first: Array, inverse: Array, counts: Array) -> list[Array | Scalar]:
            here = b.extract(work, [source + k]).to(INDEX)
            last = b.extract(work, [source + (k - 1).maximum(0)]).to(INDEX)
            new = b.cond(k > 0, lambda: [before(last, here)], lambda: [const(True, I1)], [const(True, I1)])[0]
            g = new.select(g + 1, g)

            def start() -> list[Array]:
                return [b.insert(first, here.to(I64), [g]), b.insert(counts, const(0, I64), [g])]

            first, counts = b.cond(new, start, lambda: [first, counts], [first, counts])
            counts = b.insert(counts, b.extract(counts, [g]) + 1, [g])
            return [g, first, b.insert(inverse, g.to(I64), [here]), counts]

        g, first, inverse, counts = b.loop(0, n, [const(-1, INDEX), first, inverse, counts], group)
        total = g + 1
        number = b.insert(number, total.to(I64), [0])
        if op.attr.sorted:
            return [first, inverse, counts, place, number, work]

        # In order of first appearance: the scratch line takes the groups' counts and firsts by their new numbers.
        def appear(i: Scalar, c: Scalar, place: Array, work: Array) -> list[Array | Scalar]:
            own = b.extract(inverse, [i]).to(INDEX)
            leads = b.extract(first, [own]).eq(i.to(I64))

            def name() -> list[Array | Scalar]:
                w = b.insert(work, i.to(I64), [c])
                w = b.insert(w, b.extract(counts, [own]), [size + c])
                return [c + 1, b.insert(place, c.to(I64), [own]), w]

            return b.cond(leads, name, lambda: [c, place, work], [c, place, work])

        _, place, work = b.loop(0, n, [const(0, INDEX), place, work], appear)

        def renumber(i: Scalar, t: Array) -> list[Array]:
            return [b.insert(t, b.extract(place, [b.extract(t, [i]).to(INDEX)]), [i])]

        def restore(c: Scalar, first: Array, counts: Array) -> list[Array]:
            return [
                b.insert(first, b.extract(work, [c]), [c]),
                b.insert(counts, b.extract(work, [size + c]), [c]),
            ]

        inverse = b.loop(0, n, [inverse], renumber)[0]
        first, counts = b.loop(0, total, [first, counts], restore)
        return [first, inverse, counts, place, number, work]

    first, inverse, counts, _, number, _ = b.sequential(room, body)
    total = b.scalars(number)[0].to(INDEX)
    return b.slice(first, [0], [total]), inverse, b.slice(counts, [0], [total])


# -- suppression -------------------------------------------------------------------------------------------------
@lowers("nms")
def nms(op: View, b: LinalgBuilder) -> Array:
    """Boxes in order of their score; one enters unless it overlaps too much with one that entered before."""
    boxes, scores = op.boxes, op.scores
    batches, classes, n = b.dims(scores)
    order = argsort_array(b, scores, 2, True)
    room = b.empty(I64, [b.size_product([batches, classes, n]), 3])
    counter = b.empty(I64, [1])
    limit, iou, least = (b.scalars(v)[0] for v in (op.limit, op.iou, op.score))
    for axis, (p, q) in enumerate(((batches, b.dim(boxes, 0)), (n, b.dim(boxes, 1)))):
        if not (isinstance(p, int) and isinstance(q, int)):
            what = ("batches", "boxes")[axis]
            b.check(index(p).eq(index(q)), f"NonMaxSuppression: boxes and scores differ in {what}")

    def corners(batch: Scalar, i: Scalar) -> list[Scalar]:
        v = [b.extract(boxes, [batch, i, const(c, INDEX)]).to(F32) for c in range(4)]
        if op.attr.center:
            half = [v[2] * 0.5, v[3] * 0.5]
            return [v[1] - half[1], v[0] - half[0], v[1] + half[1], v[0] + half[0]]
        return [v[0].minimum(v[2]), v[1].minimum(v[3]), v[0].maximum(v[2]), v[1].maximum(v[3])]

    def overlaps(p: list[Scalar], q: list[Scalar]) -> Scalar:
        height = p[2].minimum(q[2]) - p[0].maximum(q[0])
        width = p[3].minimum(q[3]) - p[1].maximum(q[1])
        both = height * width
        total = (p[2] - p[0]) * (p[3] - p[1]) + (q[2] - q[0]) * (q[3] - q[1]) - both
        real = (height > 0.0) & (width > 0.0) & (total > 0.0)
        return real.select(both / total, both.like(0.0)) > iou.to(F32)

    def one_class(batch: Scalar, c: Scalar, found: Scalar, kept: Array) -> list[Scalar | Array]:
        start = found

        def candidate(k: Scalar, found: Scalar, kept: Array) -> list[Scalar | Array]:
            i = b.extract(order, [batch, c, k]).to(INDEX)
            mine_score = b.extract(scores, [batch, c, i])
            fits = ((found - start).to(I64) < limit.to(I64)) & (mine_score > least.to(scores.dtype))
            mine = corners(batch, i)

            def clear(p: Scalar, free: Scalar) -> Scalar:
                return (p < found) & free

            def against(p: Scalar, _free: Scalar) -> list[Scalar]:
                other = b.extract(kept, [p, const(2, INDEX)]).to(INDEX)
                return [p + 1, ~overlaps(mine, corners(batch, other))]

            def enter() -> list[Scalar | Array]:
                free = b.while_loop([start, const(True, I1)], clear, against)[1]

                def write() -> list[Scalar | Array]:
                    t = kept
                    for col, v in enumerate((batch, c, i)):
                        t = b.insert(t, v.to(I64), [found, const(col, INDEX)])
                    return [found + 1, t]

                return b.cond(free, write, lambda: [found, kept], [found, kept])

            return b.cond(fits, enter, lambda: [found, kept], [found, kept])

        return b.loop(0, n, [found, kept], candidate)

    def body(kept: Array, counter: Array) -> list[Array]:
        def batch_loop(batch: Scalar, *state) -> list:
            return b.loop(0, classes, list(state), lambda c, *s: one_class(batch, c, *s))

        found, kept = b.loop(0, batches, [const(0, INDEX), kept], batch_loop)
        return [kept, b.insert(counter, found.to(I64), [0])]

    kept, number = b.sequential([room, counter], body)
    return b.slice(kept, [0, 0], [b.scalars(number)[0].to(INDEX), 3])
