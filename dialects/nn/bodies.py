"""Ops with bodies: what an element becomes is told by a scalar function in a region.

The bodies hold elementwise nn ops on rank-0 tensors. In a reference, a body is a function of rank-0 arrays that
returns a tuple.
"""

from __future__ import annotations

import itertools

import numpy as np

from davit.dialects import dims
from davit.dialects.dims import InferError, axes_of, axis_of, window_out
from davit.dialects.nn.base import define
from davit.dialects.types import Dim, Tensor, dtype


def _halves(xs: tuple[Tensor, ...]) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    n = len(xs) // 2
    if not n or len(xs) % 2:
        raise InferError(f"takes inputs and as many initial values, got {len(xs)} operands")
    for x, init in zip(xs[:n], xs[n:], strict=True):
        if x.rank != xs[0].rank:
            raise InferError("all inputs must have one shape")
        if init.rank != 0:
            raise InferError(f"initial values must be scalars, got {init}")
    return xs[:n], xs[n:]


@define("reduce_by", "xs*", {"axes": "ints"}, results=0, regions="body")
class ReduceBy:
    """All elements along ``axes`` folded into the initial values by ``body(accumulators..., elements...)``.

    Operands: n inputs of one shape, n rank-0 initial values; n results of the initial values' types. The order of
    the elements is not specified.
    """

    @staticmethod
    def infer(*xs: Tensor, axes: tuple[int, ...]) -> tuple[Tensor, ...]:
        inputs, inits = _halves(xs)
        gone = axes_of(axes, inputs[0].rank)
        shape = tuple(d for i, d in enumerate(inputs[0].shape) if i not in gone)
        return tuple(Tensor(i.dtype, shape) for i in inits)

    @staticmethod
    def reference(*xs: np.ndarray, axes: tuple[int, ...], body) -> tuple[np.ndarray, ...]:
        n = len(xs) // 2
        kept = [i for i in range(xs[0].ndim) if i not in axes]
        outs = [np.full([xs[0].shape[i] for i in kept], init) for init in xs[n:]]
        for at in np.ndindex(*xs[0].shape):
            to = tuple(at[i] for i in kept)
            for out, v in zip(outs, body(*(o[to] for o in outs), *(x[at] for x in xs[:n])), strict=True):
                out[to] = v
        return tuple(outs)


WINDOW = {"kernel": "ints", "strides": "ints", "base": "ints", "dilations": "ints", "low": "ints", "high": "ints"}


def window_sizes(shape: tuple[Dim, ...], kernel, strides, base, dilations, low, high) -> tuple[Dim, ...]:
    """Number of windows along every dimension; ``base`` spreads the input, ``dilations`` the window."""
    if any(len(v) != len(shape) for v in (kernel, strides, base, dilations, low, high)):
        raise InferError(f"needs {len(shape)} window sizes, strides, dilations and paddings")
    if min((*kernel, *strides, *base, *dilations, 1)) < 1:
        raise InferError("window sizes, strides and dilations must be positive")
    out: list[Dim] = []
    for d, k, s, f, e, lo, hi in zip(shape, kernel, strides, base, dilations, low, high, strict=True):
        if f != 1:
            d = max((d - 1) * f + 1, 0) if isinstance(d, int) else None
        size = window_out(d, k, s, e, lo + hi)
        out.append(max(size, 0) if isinstance(size, int) else size)
    return tuple(out)


def _window_places(at, kernel, strides, base, dilations, low, shape):
    """Input positions (or None for padding) of a window, in row-major order."""
    for w in itertools.product(*map(range, kernel)):
        place = []
        for o, i, s, f, e, lo, d in zip(at, w, strides, base, dilations, low, shape, strict=True):
            p = o * s + i * e - lo
            place.append(p // f if p % f == 0 and 0 <= p // f < d else None)
        yield None if None in place else tuple(place)


@define("window_reduce", "xs*", WINDOW, results=0, regions="body")
class WindowReduce:
    """Each window's elements folded into the initial values by ``body(accumulators..., elements...)``.

    Windows run over every dimension; positions in the padding or between spread elements hold the initial value.
    """

    @staticmethod
    def infer(*xs: Tensor, kernel, strides, base, dilations, low, high) -> tuple[Tensor, ...]:
        inputs, inits = _halves(xs)
        shape = window_sizes(inputs[0].shape, kernel, strides, base, dilations, low, high)
        return tuple(Tensor(i.dtype, shape) for i in inits)

    @staticmethod
    def reference(*xs: np.ndarray, kernel, strides, base, dilations, low, high, body) -> tuple[np.ndarray, ...]:
        n = len(xs) // 2
        sizes = window_sizes(xs[0].shape, kernel, strides, base, dilations, low, high)
        outs = [np.full(sizes, init) for init in xs[n:]]
        for at in np.ndindex(*sizes):
            state = tuple(xs[n:])
            for p in _window_places(at, kernel, strides, base, dilations, low, xs[0].shape):
                state = body(*state, *(xs[n:] if p is None else (x[p] for x in xs[:n])))
            for out, v in zip(outs, state, strict=True):
                out[at] = v
        return tuple(outs)


@define("window_select", "x", WINDOW, regions="body")
class WindowSelect:
    """Where the selected element of each window lies: its row-major i64 position in ``x``, -1 when there is none.

    ``body(selected, candidate)`` says whether the one selected so far stays; the first element is selected first.
    """

    @staticmethod
    def infer(x: Tensor, *, kernel, strides, base, dilations, low, high) -> Tensor:
        return Tensor(dtype("i64"), window_sizes(x.shape, kernel, strides, base, dilations, low, high))

    @staticmethod
    def reference(x: np.ndarray, *, kernel, strides, base, dilations, low, high, body) -> np.ndarray:
        sizes = window_sizes(x.shape, kernel, strides, base, dilations, low, high)
        out = np.full(sizes, -1, np.int64)
        for at in np.ndindex(*sizes):
            best = None
            for p in _window_places(at, kernel, strides, base, dilations, low, x.shape):
                if p is not None and (best is None or not body(x[best], x[p])[0]):
                    best = p
            if best is not None:
                out[at] = np.ravel_multi_index(best, x.shape)
        return out


SCATTER = {
    "update_window_dims": "ints", "inserted_window_dims": "ints", "input_batching_dims": "ints",
    "indices_batching_dims": "ints", "scattered_dims": "ints", "index_vector_dim": int,
}  # fmt: skip


@define("scatter_slices", "xs*", SCATTER, results=0, regions="body")
class ScatterSlices:
    """Windows of updates combined into the inputs at the places that ``indices`` name: StableHLO's scatter.

    Operands: n inputs, the indices, n updates. ``body(old..., update...)`` gives the new elements; updates are
    applied in row-major order, those outside are dropped.
    """

    @staticmethod
    def infer(*xs: Tensor, **_attrs: object) -> tuple[Tensor, ...]:
        n = len(xs) // 2
        if len(xs) % 2 == 0:
            raise InferError(f"takes n inputs, the indices and n updates, got {len(xs)} operands")
        if not xs[n].dtype.is_int:
            raise InferError(f"indices must be integers, got {xs[n]}")
        return tuple(Tensor(x.dtype, x.shape) for x in xs[:n])

    @staticmethod
    def reference(
        *xs: np.ndarray, update_window_dims, inserted_window_dims, input_batching_dims, indices_batching_dims,
        scattered_dims, index_vector_dim, body,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        n = len(xs) // 2
        outs, indices, updates = [x.copy() for x in xs[:n]], xs[n], xs[n + 1 :]
        rank = outs[0].ndim
        window = [i for i in range(rank) if i not in (*inserted_window_dims, *input_batching_dims)]
        lead = [i for i in range(updates[0].ndim) if i not in update_window_dims]
        rows = [i for i in range(indices.ndim) if i != index_vector_dim]
        for at in np.ndindex(*updates[0].shape):
            place = [0] * rank
            row = [at[i] for i in lead]
            for k, d in enumerate(scattered_dims):
                full = list(row)
                if index_vector_dim < indices.ndim:
                    full.insert(index_vector_dim, k)
                place[d] += int(indices[tuple(full)])
            for d, i in zip(input_batching_dims, indices_batching_dims, strict=True):
                place[d] += row[rows.index(i)]
            for d, u in zip(window, update_window_dims, strict=True):
                place[d] += at[u]
            if all(0 <= p < s for p, s in zip(place, outs[0].shape, strict=True)):
                to = tuple(place)
                made = body(*(o[to] for o in outs), *(u[at] for u in updates))
                for out, v in zip(outs, made, strict=True):
                    out[to] = v
        return tuple(outs)


@define("sort_by", "xs*", {"axis": int}, results=0, regions="body")
class SortBy:
    """The operands' lines along an axis in one stable order: ``body(x0, y0, x1, y1, ...)`` says if x comes first."""

    @staticmethod
    def infer(*xs: Tensor, axis: int) -> tuple[Tensor, ...]:
        if not xs:
            raise InferError("needs at least one operand")
        axis_of(axis, xs[0].rank)
        shape = tuple(next((d for d in ds if isinstance(d, int)), ds[0]) for ds in zip(*(x.shape for x in xs), strict=True))
        return tuple(Tensor(x.dtype, shape) for x in xs)

    @staticmethod
    def reference(*xs: np.ndarray, axis: int, body) -> tuple[np.ndarray, ...]:
        import functools

        lines = [np.moveaxis(x, axis, -1) for x in xs]
        outs = [line.copy() for line in lines]
        for at in np.ndindex(*lines[0].shape[:-1]):

            def order(p: int, q: int, at=at) -> int:
                pairs = [(line[(*at, p)], line[(*at, q)]) for line in lines]
                if body(*(v for pq in pairs for v in pq))[0]:
                    return -1
                return 1 if body(*(v for p, q in pairs for v in (q, p)))[0] else 0

            perm = sorted(range(lines[0].shape[-1]), key=functools.cmp_to_key(order))
            for out, line in zip(outs, lines, strict=True):
                out[at] = line[at][perm]
        return tuple(np.moveaxis(o, -1, axis) for o in outs)


GATHER = {
    "offset_dims": "ints", "collapsed_dims": "ints", "operand_batching_dims": "ints", "indices_batching_dims": "ints",
    "start_map": "ints", "index_vector_dim": int, "sizes": "ints",
}  # fmt: skip


@define("gather_slices", "x indices", GATHER)
class GatherSlices:
    """Slices of ``x`` that begin at the places ``indices`` names, clamped to lie inside: StableHLO's gather."""

    @staticmethod
    def infer(
        x: Tensor, indices: Tensor, *, offset_dims, collapsed_dims, operand_batching_dims, indices_batching_dims,
        start_map, index_vector_dim: int, sizes,
    ) -> Tensor:  # fmt: skip
        if not indices.dtype.is_int:
            raise InferError(f"indices must be integers, got {indices}")
        if len(sizes) != x.rank:
            raise InferError(f"needs {x.rank} slice sizes, got {len(sizes)}")
        if any(isinstance(d, int) and s > d for s, d in zip(sizes, x.shape, strict=True)):
            raise InferError(f"slices of {list(sizes)} do not fit into {dims.show(x.shape)}")
        lead = [d for i, d in enumerate(indices.shape) if i != index_vector_dim]
        inner = [s for i, s in enumerate(sizes) if i not in (*collapsed_dims, *operand_batching_dims)]
        if len(inner) != len(offset_dims):
            raise InferError(f"has {len(offset_dims)} offset dimensions for slices of {len(inner)} dimensions")
        rank = len(lead) + len(inner)
        outer, offset = iter(lead), iter(inner)
        return Tensor(x.dtype, tuple(next(offset) if i in offset_dims else next(outer) for i in range(rank)))

    @staticmethod
    def reference(
        x: np.ndarray, indices: np.ndarray, *, offset_dims, collapsed_dims, operand_batching_dims,
        indices_batching_dims, start_map, index_vector_dim: int, sizes,
    ) -> np.ndarray:  # fmt: skip
        attrs = {
            "offset_dims": offset_dims, "collapsed_dims": collapsed_dims,
            "operand_batching_dims": operand_batching_dims, "indices_batching_dims": indices_batching_dims,
            "start_map": start_map, "index_vector_dim": index_vector_dim, "sizes": sizes,
        }  # fmt: skip
        shape = GatherSlices.infer(Tensor.make(x.dtype, x.shape), Tensor.make(indices.dtype, indices.shape), **attrs).shape
        out = np.empty(shape, x.dtype)
        window = [i for i in range(x.ndim) if i not in (*collapsed_dims, *operand_batching_dims)]
        rows = [i for i in range(indices.ndim) if i != index_vector_dim]
        for at in np.ndindex(*shape):
            row = [v for i, v in enumerate(at) if i not in offset_dims]
            place = [0] * x.ndim
            for k, d in enumerate(start_map):
                full = list(row)
                if index_vector_dim < indices.ndim:
                    full.insert(index_vector_dim, k)
                place[d] = min(max(int(indices[tuple(full)]), 0), x.shape[d] - sizes[d])
            for d, i in zip(operand_batching_dims, indices_batching_dims, strict=True):
                place[d] = row[rows.index(i)]
            for d, o in zip(window, offset_dims, strict=True):
                place[d] += at[o]
            out[at] = x[tuple(place)]
        return out
