"""Reading and writing at computed places: gathers, scatters, and the places of what is not zero.

Negative indices count from the end. No index leaves the tensor: reads are clamped to the nearest element, writes
outside are dropped.
"""

from __future__ import annotations

import numpy as np

from davit.dialects import dims
from davit.dialects.dims import InferError, axis_of, show
from davit.dialects.nn.base import VALUE_LIMIT, define
from davit.dialects.types import Dim, Tensor, compatible_dim, dtype

REDUCTIONS = ("none", "add", "mul", "max", "min")


def _integers(indices: Tensor, what: str = "indices") -> None:
    if not indices.dtype.is_int:
        raise InferError(f"{what} must be integers, got {indices.dtype}")


def wrapped(indices: np.ndarray, n: int) -> np.ndarray:
    """Indices as int64, negative ones counted from the end."""
    i = indices.astype(np.int64)
    return np.where(i < 0, i + n, i)


@define("gather_elements", "x indices", {"axis": int})
class GatherElements:
    """``out[p] = x[p with p[axis] replaced by indices[p]]``: ONNX GatherElements, numpy.take_along_axis."""

    @staticmethod
    def infer(x: Tensor, indices: Tensor, *, axis: int) -> Tensor:
        _integers(indices)
        axis = axis_of(axis, x.rank)
        if x.rank != indices.rank or x.rank == 0:
            raise InferError(f"x {show(x.shape)} and indices {show(indices.shape)} must have equal rank of at least 1")
        for i, (d, n) in enumerate(zip(x.shape, indices.shape, strict=True)):
            if i != axis and isinstance(d, int) and isinstance(n, int) and n > d:
                raise InferError(f"indices {show(indices.shape)} are larger than x {show(x.shape)} in dimension {i}")
        return Tensor(x.dtype, indices.shape)

    @staticmethod
    def reference(x: np.ndarray, indices: np.ndarray, *, axis: int) -> np.ndarray:
        if indices.size == 0 or x.size == 0:
            return np.zeros(indices.shape, x.dtype)
        box = tuple(slice(None) if i == axis % x.ndim else slice(0, n) for i, n in enumerate(indices.shape))
        n = x.shape[axis]
        return np.take_along_axis(x[box], np.clip(wrapped(indices, n), 0, n - 1), axis)


@define("gather_nd", "x indices", {"batch_dims": int})
class GatherND:
    """Each row of the last dimension of ``indices`` names a place in ``x`` after the batch dimensions: ONNX GatherND.

    ``x``: [batch..., sizes...], ``indices``: [batch..., places..., depth]; result: [batch..., places..., rest of x].
    """

    @staticmethod
    def infer(x: Tensor, indices: Tensor, *, batch_dims: int) -> Tensor:
        _integers(indices)
        if indices.rank == 0 or not isinstance(depth := indices.shape[-1], int):
            raise InferError(f"the last dimension of the indices {show(indices.shape)} must be known")
        if batch_dims < 0 or batch_dims >= indices.rank or batch_dims + depth > x.rank:
            raise InferError(
                f"indices {show(indices.shape)} with {batch_dims} batch dimensions do not fit x {show(x.shape)}"
            )
        if not all(map(compatible_dim, x.shape[:batch_dims], indices.shape[:batch_dims])):
            raise InferError(f"batch dimensions of x {show(x.shape)} and indices {show(indices.shape)} differ")
        return Tensor(x.dtype, (*indices.shape[:-1], *x.shape[batch_dims + depth :]))

    @staticmethod
    def reference(x: np.ndarray, indices: np.ndarray, *, batch_dims: int) -> np.ndarray:
        depth = indices.shape[-1]
        lead = indices.shape[:-1]
        rest = x.shape[batch_dims + depth :]
        out = np.zeros((*lead, *rest), x.dtype)
        if x.size == 0:
            return out
        sizes = x.shape[batch_dims : batch_dims + depth]
        for p in np.ndindex(*lead):
            at = tuple(min(max(int(i) + (n if i < 0 else 0), 0), n - 1) for i, n in zip(indices[p], sizes, strict=True))
            out[p] = x[(*p[:batch_dims], *at)]
        return out


def combine(kind: str, old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """One update. Sums and products of 16-bit floats round after each step; NaN wins in max and min."""
    if kind == "none":
        return new
    if old.dtype.kind == "b":
        return np.logical_or(old, new) if kind in ("add", "max") else np.logical_and(old, new)
    return {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}[kind](old, new)


@define("scatter_elements", "x indices updates", {"axis": int, "reduction": REDUCTIONS})
class ScatterElements:
    """``x`` with ``updates[p]`` put, or combined, at ``p`` with ``p[axis]`` replaced by ``indices[p]``.

    Updates happen in row-major order: of repeated places the last write stays, reductions combine all.
    """

    @staticmethod
    def infer(x: Tensor, indices: Tensor, updates: Tensor, *, axis: int, reduction: str) -> Tensor:
        _integers(indices)
        axis = axis_of(axis, x.rank)
        if x.rank == 0 or x.rank != indices.rank or x.rank != updates.rank:
            raise InferError("x, indices and updates must have equal rank of at least 1")
        if updates.dtype != x.dtype or not all(map(compatible_dim, indices.shape, updates.shape)):
            raise InferError(f"updates {updates} must be {x.dtype} and of the indices' shape {show(indices.shape)}")
        out = Tensor(x.dtype, x.shape)
        if x.rank == 1 and x.value is not None and indices.value is not None and updates.value is not None:
            return out.with_value(_scattered(x.value, indices.value, updates.value, reduction))
        return out

    @staticmethod
    def reference(x, indices, updates, *, axis: int, reduction: str) -> np.ndarray:
        out = x.copy()
        for p in np.ndindex(*indices.shape):
            i = int(indices[p])
            i += x.shape[axis] if i < 0 else 0
            at = (*p[: axis % x.ndim], i, *p[axis % x.ndim + 1 :])
            if all(0 <= v < n for v, n in zip(at, x.shape, strict=True)):
                out[at] = combine(reduction, out[at], updates[p])
        return out


def _scattered(x, indices, updates, reduction: str) -> tuple[Dim, ...] | None:
    """Tracked elements of a 1-D scatter, where the indices are numbers and nothing is combined."""
    if reduction != "none" or len(x) > VALUE_LIMIT:
        return None
    out = list(x)
    for i, u in zip(indices, updates, strict=True):
        if not isinstance(i, int):
            return None
        i += len(x) if i < 0 else 0
        if 0 <= i < len(x):
            out[i] = u
    return tuple(out)


@define("scatter_nd", "x indices updates", {"reduction": REDUCTIONS})
class ScatterND:
    """``x`` with slices put, or combined, at the places that the rows of ``indices`` name: ONNX ScatterND.

    ``indices``: [places..., depth]; ``updates``: [places..., rest of x after depth dimensions]. Updates happen in
    row-major order: of repeated places the last write stays, reductions combine all.
    """

    @staticmethod
    def infer(x: Tensor, indices: Tensor, updates: Tensor, *, reduction: str) -> Tensor:
        _integers(indices)
        if indices.rank == 0 or not isinstance(depth := indices.shape[-1], int):
            raise InferError(f"the last dimension of the indices {show(indices.shape)} must be known")
        if depth > x.rank:
            raise InferError(f"indices {show(indices.shape)} name {depth} dimensions of x {show(x.shape)}")
        want = (*indices.shape[:-1], *x.shape[depth:])
        if updates.dtype != x.dtype or len(want) != updates.rank or not all(map(compatible_dim, want, updates.shape)):
            raise InferError(f"updates {updates} must be {show(want)} of {x.dtype}")
        return Tensor(x.dtype, x.shape)

    @staticmethod
    def reference(x, indices, updates, *, reduction: str) -> np.ndarray:
        out = x.copy()
        sizes = x.shape[: indices.shape[-1]]
        for p in np.ndindex(*indices.shape[:-1]):
            at = tuple(int(i) + (n if i < 0 else 0) for i, n in zip(indices[p], sizes, strict=True))
            if all(0 <= v < n for v, n in zip(at, sizes, strict=True)):
                out[at] = combine(reduction, out[at], updates[p])
        return out


@define("nonzero", "x")
class NonZero:
    """Places of the elements that are not zero, row-major: i64 [number of them, rank of x]."""

    @staticmethod
    def infer(x: Tensor) -> Tensor:
        return Tensor(dtype("i64"), (None, x.rank))

    @staticmethod
    def reference(x: np.ndarray) -> np.ndarray:
        if x.ndim == 0:
            return np.zeros((int(bool(x)), 0), np.int64)
        return np.stack(np.nonzero(x), -1).astype(np.int64)


__all__ = ["REDUCTIONS", "combine", "dims"]
