"""Data movement."""

from __future__ import annotations

import math
from collections.abc import Sequence

from davit.compiler.linalg_builder.builder import Array, LinalgBuilder, Size
from davit.compiler.linalg_builder.scalar import INDEX, Scalar, const, index
from davit.compiler.lowering.nn_to_linalg.base import lowers
from davit.dialects import constants
from davit.dialects.nn import View
from davit.dialects.nn.structure import END
from davit.dialects.types import DTYPES, Shape, Tensor
from davit.mlir import arith

I64 = DTYPES["i64"]


@lowers("constant")
def constant(op: View, b: LinalgBuilder) -> Array:
    if op.result.dtype.kind in ("bool", "complex") and (array := constants.decode(op.attr.value)) is not None:
        return b.constant(array)
    return Array(arith.ConstantOp(op.result.storage(), constants.restore(op.attr.value)).result, op.result)


@lowers("shape")
def shape(op: View, b: LinalgBuilder) -> Array:
    sizes = [const(d, I64) if isinstance(d, int) else d.to(I64) for d in b.dims(op.x)]
    return b.from_scalars(sizes) if sizes else b.empty(I64, [0])


@lowers("to_host")
def to_host(op: View, b: LinalgBuilder) -> Array:
    if b.is_scalars(op.x) or op.x.t.size == 0:
        return op.x
    return b.from_scalars(b.scalars(op.x), op.x.shape)  # type: ignore[arg-type]


def target_sizes(op: View, b: LinalgBuilder, shape: Array, x: Array) -> list[Size]:
    """The sizes a reshape leads to: static ones from the result type, -1 resolved at run time, others read."""
    known = op.result.shape
    sizes: list[Size | None] = []
    wanted = None
    names = {d: i for i, d in enumerate(x.shape) if isinstance(d, str)}
    for i, d in enumerate(known):
        if isinstance(d, int):
            sizes.append(d)
        elif d in names:
            sizes.append(b.dim(x, names[d]))
        else:
            wanted = wanted or b.scalars(shape)
            sizes.append(b.known_size(wanted[i].known if isinstance(wanted[i].known, int) else wanted[i].to(INDEX)))
    total = b.size_product(b.dims(x))
    total = total if isinstance(total, Scalar) else const(total, INDEX)
    out: list[Size] = []
    for i, s in enumerate(sizes):
        if isinstance(s, int) and s >= 0:
            out.append(s)
            continue
        # -1, or a run-time value that may be -1: what the other sizes leave.
        rest: Scalar = const(1, INDEX)
        for j, other in enumerate(sizes):
            if j != i:
                o = other if isinstance(other, Scalar) else const(abs(other or 0), INDEX)
                rest = rest * (o if isinstance(other, int) or known[j] in names else o.eq(-1).select(1, o))
        share = total / rest
        out.append(share if isinstance(s, int) else s if known[i] in names else s.eq(-1).select(share, s))
    return out


@lowers("reshape")
def reshape(op: View, b: LinalgBuilder) -> Array:
    sizes = target_sizes(op, b, op.shape, op.x)
    if b.is_scalars(op.x) and all(isinstance(s, int) for s in sizes) and not op.x.dtype.is_float and op.x.t.size:
        return b.from_scalars(b.scalars(op.x), tuple(sizes))  # type: ignore[arg-type]
    if not _same_count(op.x.shape, op.result.shape):
        have = b.size_product(b.dims(op.x))
        want = b.size_product(sizes)
        have = have if isinstance(have, Scalar) else const(have, INDEX)
        b.check(have.eq(want), "Reshape: the element counts of input and target differ")
    return b.reshape(op.x, sizes, op.result.shape)


def _same_count(a: Shape, b: Shape) -> bool:
    """Certainly as many elements: the same names, and numbers of the same product."""
    names = [sorted(d for d in s if isinstance(d, str)) for s in (a, b)]
    counts = [math.prod(d for d in s if isinstance(d, int)) for s in (a, b)]
    return None not in (*a, *b) and names[0] == names[1] and counts[0] == counts[1]


@lowers("refine")
def refine(op: View, b: LinalgBuilder) -> Array:
    for i, (old, new) in enumerate(zip(op.x.shape, op.result.shape, strict=True)):
        if isinstance(new, int) and not isinstance(old, int):
            size = b.dim(op.x, i)
            assert isinstance(size, Scalar)
            b.check(size.eq(new), f"dimension {i} was inferred to be {new}")
    return b.fit(op.x, op.result)


@lowers("transpose")
def transpose(op: View, b: LinalgBuilder) -> Array:
    return b.transpose(op.x, op.attr.perm)


@lowers("broadcast_to")
def broadcast_to(op: View, b: LinalgBuilder) -> Array:
    result, x = op.result, op.x
    n = op.shape.shape[0]
    if all(isinstance(d, int) for d in result.shape):
        sizes: list[Size] = list(result.shape)  # type: ignore[arg-type]
    else:
        want = b.index_list(op.shape)
        sizes = []
        for i in range(result.rank):
            j, k = i - (result.rank - x.rank), i - (result.rank - n)
            have: Size = b.dim(x, j) if j >= 0 else 1
            ask: Size = want[k] if k >= 0 else 1
            if isinstance(result.shape[i], int):
                sizes.append(result.shape[i])  # type: ignore[arg-type]
                continue
            if ask == 1:
                sizes.append(have)
                continue
            if have == 1:
                sizes.append(ask)
                continue
            h = have if isinstance(have, Scalar) else const(have, INDEX)
            a = ask if isinstance(ask, Scalar) else const(ask, INDEX)
            b.check(h.eq(a) | h.eq(1) | a.eq(1), "Expand: input and target sizes neither equal nor 1")
            sizes.append(h.eq(1).select(a, h))
    if b.is_scalars(x) and not x.dtype.is_float and all(isinstance(s, int) for s in sizes) and x.t.size == 1:
        total = b.size_product(sizes)
        if isinstance(total, int) and 0 < total <= 64:
            return b.from_scalars(b.scalars(x) * total, tuple(sizes))  # type: ignore[arg-type]
    shape = tuple(s if isinstance(s, int) else d for s, d in zip(sizes, result.shape, strict=True))
    group = [f"d{i}" for i in range(result.rank)]
    offset = result.rank - x.rank
    loose = [
        not isinstance(d, int) and d != result.shape[i + offset] for i, d in enumerate(x.shape)
    ]
    if any(loose):
        dims = b.dims(x)

        def read(*idx: Scalar) -> Scalar:
            at = []
            for d, i in zip(dims, idx[offset:], strict=True):
                zero = const(0, INDEX)
                at.append(zero if d == 1 else i if isinstance(d, int) else d.eq(1).select(zero, i))
            return b.extract(x, at)

        made = b.tabulate(x.dtype, sizes, read)
        return Array(made.value, Tensor(x.dtype, shape))
    source = ["1" if d == 1 and result.shape[i + offset] != 1 else group[i + offset] for i, d in enumerate(x.shape)]
    out = b.empty(x.dtype, sizes)
    made = b._generic([source], [group], group, [], [x], [out], lambda s, _o: s, None)[0]
    return Array(made.value, Tensor(x.dtype, shape))


@lowers("concat")
def concat(op: View, b: LinalgBuilder) -> Array:
    xs = [x for x in op.xs if 0 not in x.shape] or [op.xs[0]]
    if len(xs) == 1:
        return xs[0]
    axis = op.attr.axis % xs[0].rank
    if xs[0].rank == 1 and all(b.is_scalars(x) for x in xs) and not xs[0].dtype.is_float:
        return b.from_scalars([s for x in xs for s in b.scalars(x)])
    sizes = b.dims(xs[0])
    offsets: list[Size] = []
    total: Size = 0
    for x in xs:
        for i, (d, e) in enumerate(zip(xs[0].shape, x.shape, strict=True)):
            if i != axis and x is not xs[0] and (d != e or d is None):
                want, have = sizes[i], b.dim(x, i)
                same = want.eq(have) if isinstance(want, Scalar) else have.eq(want)  # type: ignore[union-attr]
                b.check(same, f"Concat: the sizes of dimension {i} differ")
        offsets.append(total)
        d = b.dim(x, axis)
        total = d + total if isinstance(d, Scalar) else total + d
    sizes[axis] = total
    out = b.empty(xs[0].dtype, sizes)
    for x, o in zip(xs, offsets, strict=True):
        at: list[Size] = [0] * x.rank
        at[axis] = o
        out = b.insert_slice(x, out, at)
    return out


@lowers("slice")
def slice_(op: View, b: LinalgBuilder) -> Array:
    """Positive strides are a tensor slice; a negative one reads backwards."""
    x = op.x
    if b.is_scalars(x) and x.rank == 1 and not x.dtype.is_float:
        start, limit, stride = op.attr.starts[0], op.attr.limits[0], op.attr.strides[0]
        part = b.scalars(x)[slice(start, None if abs(limit) == 2**63 - 1 else limit, stride)]
        return b.from_scalars(part) if part else b.empty(x.dtype, [0])
    starts: list[Size] = []
    sizes: list[Size] = []
    for i in range(x.rank):
        start, size = _bounds(b, b.dim(x, i), op.attr.starts[i], op.attr.limits[i], op.attr.strides[i])
        starts.append(start)
        sizes.append(op.result.shape[i] if isinstance(op.result.shape[i], int) else size)  # type: ignore[arg-type]
    if all(s > 0 for s in op.attr.strides):
        return b.slice(x, starts, sizes, op.attr.strides)
    return strided_read(b, x, starts, sizes, op.attr.strides)


@lowers("dynamic_slice")
def dynamic_slice(op: View, b: LinalgBuilder) -> Array:
    """Bounds are placed on the host; strides known to be positive make a tensor slice, others read one by one."""
    x = op.x
    columns = [b.scalars(v) if v.t.size else [] for v in (op.starts, op.limits, op.strides)]
    starts: list[Size] = []
    sizes: list[Size] = []
    steps: list[Size] = []
    for i, (start, limit, stride) in enumerate(zip(*columns, strict=True)):
        known = [s.known for s in (start, limit, stride)]
        if all(isinstance(k, int) for k in known) and known[2] != 0:
            first, size = _bounds(b, b.dim(x, i), *_as_attributes(*known))  # type: ignore[arg-type]
            step: Size = known[2]  # type: ignore[assignment]
        else:
            first, size, step = _runtime_bounds(b, b.dim(x, i), start, limit, stride)
        starts.append(b.known_size(first))
        sizes.append(op.result.shape[i] if isinstance(op.result.shape[i], int) else b.known_size(size))  # type: ignore[arg-type]
        steps.append(step)
    if all(isinstance(s, int) and s > 0 for s in steps):
        return b.slice(x, starts, sizes, steps)  # type: ignore[arg-type]
    return strided_read(b, x, starts, sizes, steps)


def _as_attributes(start: int, limit: int, stride: int) -> tuple[int, int, int]:
    """nn.slice takes -END as "to the end" for negative strides, where dynamic_slice has no such mark."""
    return start, (limit - 1 if limit == END and stride < 0 else limit), stride


def _runtime_bounds(b: LinalgBuilder, n: Size, start: Scalar, limit: Scalar, stride: Scalar) -> tuple[Size, Size, Size]:
    """First index, count and stride of Python's slice, all known at run time only."""
    size = n.to(I64) if isinstance(n, Scalar) else const(n, I64)
    step = stride.known
    if not isinstance(step, int):
        b.check(stride.ne(0), "Slice: a step is 0")
    forward = stride > 0
    low = forward.select(const(0, I64), -1)
    high = forward.select(size, size - 1)

    def place(v: Scalar) -> Scalar:
        return (v < 0).select(v.maximum(-(2**62)) + size, v).maximum(low).minimum(high)

    first, last = place(start), place(limit)
    if step == 1:
        return first.to(INDEX), (last - first).maximum(0).to(INDEX), 1
    span = forward.select(last - first, first - last)
    # Steps near the ends of the range would overflow: beyond the dimension's size they all mean one element.
    width = forward.select(stride, (stride.maximum(-(2**62)) * -1)).minimum(2**62)
    count = (span > 0).select((span - 1) / width.maximum(1) + 1, const(0, I64))
    first = count.eq(0).select(const(0, I64), first)
    used = (count > 1).select(stride, const(1, I64))
    return first.to(INDEX), count.to(INDEX), (step if isinstance(step, int) else used.to(INDEX))


def strided_read(b: LinalgBuilder, x: Array, starts: list[Size], sizes: list[Size], strides) -> Array:
    """x[start + i*stride] for any non-zero strides (numbers or index scalars)."""

    def read(*idx: Scalar) -> Scalar:
        return b.extract(x, [i * s + o for i, s, o in zip(idx, strides, starts, strict=True)])

    return b.tabulate(x.dtype, sizes, read)


def _bounds(b: LinalgBuilder, n: Size, start: int, limit: int, stride: int) -> tuple[Size, Size]:
    """First index and element count of Python's range(n)[start:limit:stride]."""
    if isinstance(n, int):
        r = range(*slice(start, None if abs(limit) == 2**63 - 1 else limit, stride).indices(n))
        return (r.start if len(r) else 0), len(r)
    low, high = (const(0, INDEX), n) if stride > 0 else (const(-1, INDEX), n - 1)

    def place(v: int) -> Scalar:
        if abs(v) == 2**63 - 1:
            return high if stride > 0 else low
        s = n + v if v < 0 else const(v, INDEX)
        return s.maximum(low).minimum(high)

    if start == 0 and stride == 1:
        return 0, place(limit).maximum(0)
    first, last = place(start), place(limit)
    span = (last - first if stride > 0 else first - last) + (abs(stride) - 1)
    size = (span // abs(stride)).maximum(0)
    return size.eq(0).select(const(0, INDEX), first), size


@lowers("pad")
def pad(op: View, b: LinalgBuilder) -> Array:
    x, low, high = op.x, op.attr.low, op.attr.high
    if any(v < 0 for v in (*low, *high)):
        sizes: list[Size] = []
        for i, d in enumerate(b.dims(x)):
            cut = min(low[i], 0) + min(high[i], 0)
            sizes.append(d + cut)
        x = b.slice(x, [max(-v, 0) for v in low], sizes)
    value = b.scalars(op.value)[0]
    return b.pad(x, [max(v, 0) for v in low], [max(v, 0) for v in high], value)


@lowers("dynamic_pad")
def dynamic_pad(op: View, b: LinalgBuilder) -> Array:
    """Amounts that may be negative: each element is read where it is inside, else the padding value."""
    x = op.x
    lows, highs = (b.index_list(v) if v.t.size else [] for v in (op.low, op.high))
    own = b.dims(x)
    value = b.scalars(op.value)[0]
    if x.rank == 0:
        return x
    sizes: list[Size] = []
    for i, (d, lo, hi) in enumerate(zip(own, lows, highs, strict=True)):
        if isinstance(known := op.result.shape[i], int):
            sizes.append(known)
            continue
        total = index(d) + index(lo) + index(hi)
        b.check(total >= 0, f"Pad: cropping leaves a negative size in dimension {i}")
        sizes.append(b.known_size(total))
    if 0 in x.shape:
        return b.full(value, sizes)
    x = b.opaque(x)  # what is read at computed places is not to be computed there

    def read(*idx: Scalar) -> Scalar:
        at, inside = [], const(True, DTYPES["i1"])
        for i, lo, d in zip(idx, lows, own, strict=True):
            p = i - index(lo)
            inside = inside & (p >= 0) & (p < index(d))
            at.append(p)

        def element() -> list[Scalar]:
            return [b.extract(x, at)]

        return b.cond(inside, element, lambda: [value], [value])[0]

    return b.opaque(b.tabulate(x.dtype, sizes, read))


@lowers("gather")
def gather(op: View, b: LinalgBuilder) -> Array:
    x, idx, axis = op.x, op.indices, op.attr.axis % op.x.rank
    if x.rank == 1 and not x.dtype.is_float and b.is_scalars(x) and b.is_scalars(idx) and idx.t.size and x.t.size:
        return b.from_scalars([_pick(b.scalars(x), i) for i in b.scalars(idx)], idx.shape)  # type: ignore[arg-type]
    n = b.dim(x, axis)
    sizes = [*b.dims(x)[:axis], *b.dims(idx), *b.dims(x)[axis + 1 :]]

    def read(*d: Scalar) -> Scalar:
        i = clamp_index(b.extract(idx, d[axis : axis + idx.rank]), n)
        return b.extract(x, [*d[:axis], i, *d[axis + idx.rank :]])

    if 0 in x.shape:
        return b.zeros(x.dtype, sizes)
    check_not_empty(b, x, sizes, "Gather")
    return b.tabulate(x.dtype, sizes, read)


def check_not_empty(b: LinalgBuilder, x: Array, reads: Sequence[Size], what: str) -> None:
    """Reading from a tensor that may have no elements is stopped, unless ``reads`` multiply to nothing."""
    if not all(isinstance(d, int) for d in x.shape):
        empty = index(b.size_product(b.dims(x))).eq(0) & index(b.size_product(reads)).ne(0)
        b.check(~empty, f"{what}: indices into an empty tensor")


def _pick(values: list[Scalar], i: Scalar) -> Scalar:
    """Element ``i`` of scalars at hand, by selection where the index is not a number."""
    n = len(values)
    if isinstance(k := i.known, int):
        return values[min(max(k + n if k < 0 else k, 0), n - 1)]
    at = clamp_index(i, n)
    out = values[0]
    for k, v in enumerate(values[1:], start=1):
        out = at.eq(k).select(v, out)
    return out


def clamp_index(i: Scalar, n: Size) -> Scalar:
    """A possibly negative index made safe: counted from the end when negative, then clamped into [0, n)."""
    at = i.to(INDEX)
    size = n if isinstance(n, Scalar) else const(n, INDEX)
    if i.dtype.kind == "signed":
        at = (at < 0).select(at + size, at)
        at = at.maximum(0)
    return at.minimum(size - 1).maximum(0)


@lowers("iota")
def iota(op: View, b: LinalgBuilder) -> Array:
    result = op.result
    sizes: list[Size] = [
        d if isinstance(d, int) else s for d, s in zip(result.shape, b.index_list(op.shape), strict=True)
    ]
    axis = op.attr.axis % result.rank
    return b.tabulate(result.dtype, sizes, lambda *d: d[axis].to(I64).to(result.dtype))
