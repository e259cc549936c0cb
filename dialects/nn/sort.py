"""Order: sorting permutations, the largest of many, distinct rows, and non-maximum suppression.

NaN counts as greater than every number, and as equal to NaN; equal elements keep their order.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from davit.dialects.dims import InferError, axis_of, show
from davit.dialects.nn.base import define
from davit.dialects.types import Dim, Tensor, compatible_dim, dtype


def _order(x: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    """A stable sorting permutation along an axis."""
    wide = x.astype(np.float32) if x.dtype == ml_dtypes.bfloat16 else x
    if not descending:
        return np.argsort(wide, axis=axis, kind="stable").astype(np.int64)
    # Stable and descending: sort the reversed line ascending, and read it backwards.
    n = x.shape[axis]
    back = np.argsort(np.flip(wide, axis), axis=axis, kind="stable")
    return (n - 1 - np.flip(back, axis)).astype(np.int64)


@define("argsort", "x", {"axis": int, "descending": bool})
class ArgSort:
    """The stable permutation (i64) that sorts ``x`` along an axis."""

    @staticmethod
    def infer(x: Tensor, *, axis: int, descending: bool) -> Tensor:
        axis_of(axis, x.rank)
        if x.rank == 0 or x.dtype.kind == "complex":
            raise InferError(f"takes ordered elements in at least one dimension, got {x}")
        return Tensor(dtype("i64"), x.shape)

    @staticmethod
    def reference(x: np.ndarray, *, axis: int, descending: bool) -> np.ndarray:
        return _order(x, axis, descending)


@define("top_k", "x k", {"axis": int, "largest": bool}, results=2)
class TopK:
    """The ``k`` (1-D i64, one element) largest or smallest elements along an axis, best first, and their places.

    Of equal elements the first comes first. ``k`` beyond the dimension is stopped at run time.
    """

    @staticmethod
    def infer(x: Tensor, k: Tensor, *, axis: int, largest: bool) -> tuple[Tensor, Tensor]:
        axis = axis_of(axis, x.rank)
        if x.rank == 0 or x.dtype.kind == "complex":
            raise InferError(f"takes ordered elements in at least one dimension, got {x}")
        if k.shape != (1,) or k.dtype.name != "i64":
            raise InferError(f"k must be 1xi64, got {k}")
        count: Dim = k.value[0] if k.value is not None else None
        n = x.shape[axis]
        if isinstance(count, int) and (count < 0 or (isinstance(n, int) and count > n)):
            raise InferError(f"k is {count}, but dimension {axis} has {n} elements")
        shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
        return Tensor(x.dtype, shape), Tensor(dtype("i64"), shape)

    @staticmethod
    def reference(x: np.ndarray, k: np.ndarray, *, axis: int, largest: bool) -> tuple[np.ndarray, np.ndarray]:
        best = np.take(_order(x, axis, largest), np.arange(int(k[0])), axis)
        return np.take_along_axis(x, best, axis), best


@define("unique", "x", {"sorted": bool}, results=3)
class Unique:
    """Distinct rows of a matrix: where each first stands, which of them each row is, how often each occurs (i64).

    ``sorted``: ascending by their elements from left to right; else in order of first appearance.
    """

    @staticmethod
    def infer(x: Tensor, *, sorted: bool) -> tuple[Tensor, Tensor, Tensor]:
        if x.rank != 2:
            raise InferError(f"takes a matrix, got {show(x.shape)}")
        i64 = dtype("i64")
        return Tensor(i64, (None,)), Tensor(i64, (x.shape[0],)), Tensor(i64, (None,))

    @staticmethod
    def reference(x: np.ndarray, *, sorted: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        n = x.shape[0]
        codes = np.zeros((n, x.shape[1]), np.int64)  # each column by rank: NaN last and equal to NaN
        for c in range(x.shape[1]):
            column = x[:, c].astype(np.float32) if x.dtype == ml_dtypes.bfloat16 else x[:, c]
            codes[:, c] = np.unique(column, return_inverse=True)[1].reshape(-1)
        if n == 0 or x.shape[1] == 0:
            first = np.zeros(min(n, 1), np.int64)
            return first, np.zeros(n, np.int64), np.full(len(first), n, np.int64)
        _, first, inverse, counts = np.unique(codes, axis=0, return_index=True, return_inverse=True, return_counts=True)
        inverse = inverse.reshape(-1)
        if not sorted:
            order = np.argsort(first, kind="stable")
            place = np.empty_like(order)
            place[order] = np.arange(len(order))
            first, inverse, counts = first[order], place[inverse], counts[order]
        return first.astype(np.int64), inverse.astype(np.int64), counts.astype(np.int64)


@define("nms", "boxes scores limit iou score", {"center": bool})
class NonMaxSuppression:
    """Boxes that survive greedy suppression: i64 [number of them, 3] of (batch, class, box), best score first.

    ``boxes``: [batches, boxes, 4] as two corners (y, x, y, x) in any order, or ``center``: (x, y, width, height).
    ``scores``: [batches, classes, boxes]. Scalars: ``limit`` i64 boxes per class, ``iou`` f32 above which a box is
    dropped, ``score`` f32 that must be exceeded.
    """

    @staticmethod
    def infer(boxes: Tensor, scores: Tensor, limit: Tensor, iou: Tensor, score: Tensor, *, center: bool) -> Tensor:
        if boxes.rank != 3 or scores.rank != 3 or not compatible_dim(boxes.shape[2], 4):
            have = f"boxes {show(boxes.shape)} and scores {show(scores.shape)}"
            raise InferError(f"{have} must be [B, N, 4] and [B, C, N]")
        if not (compatible_dim(boxes.shape[0], scores.shape[0]) and compatible_dim(boxes.shape[1], scores.shape[2])):
            raise InferError(f"boxes {show(boxes.shape)} and scores {show(scores.shape)} differ in batches or boxes")
        if any(t.rank for t in (limit, iou, score)):
            raise InferError("limit and thresholds must be scalars")
        return Tensor(dtype("i64"), (None, 3))

    @staticmethod
    def reference(boxes, scores, limit, iou, score, *, center: bool) -> np.ndarray:
        out: list[tuple[int, int, int]] = []
        for n in range(scores.shape[0]):
            corners = [_corners(box, center) for box in boxes[n].astype(np.float32)]
            for c in range(scores.shape[1]):
                kept: list[int] = []
                for i in np.argsort(-scores[n, c], kind="stable").tolist():
                    if len(kept) >= int(limit) or not scores[n, c, i] > score:
                        break
                    if all(_overlap(corners[i], corners[j]) <= iou for j in kept):
                        kept.append(i)
                out += [(n, c, i) for i in kept]
        return np.array(out, np.int64).reshape(-1, 3)


def _corners(box: np.ndarray, center: bool) -> tuple[np.float32, ...]:
    a, b, c, d = box
    if center:
        half = np.float32(2)
        return b - d / half, a - c / half, b + d / half, a + c / half
    return min(a, c), min(b, d), max(a, c), max(b, d)


def _overlap(p: tuple, q: tuple) -> np.float32:
    """Intersection over union; 0 where either is empty."""
    height = min(p[2], q[2]) - max(p[0], q[0])
    width = min(p[3], q[3]) - max(p[1], q[1])
    if height <= 0 or width <= 0:
        return np.float32(0)
    both = height * width
    total = (p[2] - p[0]) * (p[3] - p[1]) + (q[2] - q[0]) * (q[3] - q[1]) - both
    return both / total if total > 0 else np.float32(0)
