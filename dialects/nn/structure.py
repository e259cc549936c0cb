"""Data movement: the elements stay what they are, their places change."""

from __future__ import annotations

import numpy as np

from davit.dialects import constants, dims
from davit.dialects.dims import InferError, axis_of, show
from davit.dialects.nn.base import VALUE_LIMIT, define
from davit.dialects.types import Dim, DType, Tensor, dtype
from davit.mlir import ir

END = 2**63 - 1
"""A slice limit that means "to the end", for dimensions unknown until run time."""


@define("constant", "", {"value": "elements"})
class Constant:
    """A tensor known at compile time."""

    @staticmethod
    def infer(*, value: ir.Attribute) -> Tensor:
        return Tensor.of(value.type)  # type: ignore[attr-defined]

    @staticmethod
    def reference(*, value: ir.Attribute) -> np.ndarray:
        array = constants.decode(value)
        if array is None:
            raise InferError("has a value whose bytes are not known to this process")
        return array


@define("shape", "x")
class ShapeOf:
    """The sizes of ``x`` as a 1-D i64 tensor."""

    @staticmethod
    def infer(x: Tensor) -> Tensor:
        return Tensor(dtype("i64"), (x.rank,), x.shape)

    @staticmethod
    def reference(x: np.ndarray) -> np.ndarray:
        return np.array(x.shape, np.int64)


@define("to_host", "x")
class ToHost:
    """The same small integer tensor, read by the host: what is computed from it alone is computed there.

    For sizes, axes and amounts that reach the program as inputs: they steer it, and a handful of host instructions
    replaces a dispatch each.
    """

    @staticmethod
    def infer(x: Tensor) -> Tensor:
        if x.dtype.is_float or not x.is_static or x.size > VALUE_LIMIT:
            raise InferError(f"takes at most {VALUE_LIMIT} integers, got {x}")
        return Tensor(x.dtype, x.shape, x.value)

    @staticmethod
    def reference(x: np.ndarray) -> np.ndarray:
        return x


@define("reshape", "x shape")
class Reshape:
    """Row-major reshape to the 1-D i64 ``shape``; one entry may be -1 and takes what is left."""

    @staticmethod
    def infer(x: Tensor, shape: Tensor) -> Tensor:
        if shape.rank != 1 or not isinstance(shape.shape[0], int):
            raise InferError(f"the target shape must be a 1-D tensor of static length, got {shape}")
        rank = shape.shape[0]
        target: list[Dim] = list(shape.value) if shape.value is not None else [None] * rank
        if shape.value is not None and -1 in target:
            if target.count(-1) > 1:
                raise InferError(f"more than one -1 in the target shape {show(tuple(target))}")
            rest = [d for d in target if d != -1]
            target[target.index(-1)] = _quotient(x.shape, rest)
        out = Tensor(x.dtype, tuple(target))
        if x.is_static and out.is_static and x.size != out.size:
            raise InferError(f"cannot reshape {x.size} elements of {show(x.shape)} to {show(out.shape)}")
        keep = x.value if out.rank <= 1 or x.value is None else x.value
        return out.with_value(keep)

    @staticmethod
    def reference(x: np.ndarray, shape: np.ndarray) -> np.ndarray:
        return np.reshape(x, shape.tolist())


def _quotient(have: tuple[Dim, ...], rest: list[Dim]) -> Dim:
    """prod(have) / prod(rest), cancelling equal names first."""
    left: list[Dim] = list(have)
    right: list[Dim] = []
    for d in rest:
        if isinstance(d, str) and d in left:
            left.remove(d)
        else:
            right.append(d)
    n, k = dims.product(left), dims.product(right)
    if isinstance(n, int) and isinstance(k, int):
        if k == 0:
            return 0
        if n % k:
            raise InferError(f"cannot reshape {show(have)}: {n} is no multiple of {k}")
        return n // k
    return dims.floordiv(n, k)


@define("refine", "x")
class Refine:
    """The same tensor with more of its shape known: the declared result type says what. Checked at run time."""

    @staticmethod
    def infer(x: Tensor) -> Tensor:
        return Tensor(x.dtype, x.shape, x.value)

    @staticmethod
    def reference(x: np.ndarray) -> np.ndarray:
        return x


@define("transpose", "x", {"perm": "ints"})
class Transpose:
    """Dimension ``i`` of the result is dimension ``perm[i]`` of ``x``."""

    @staticmethod
    def infer(x: Tensor, *, perm: tuple[int, ...]) -> Tensor:
        if sorted(perm) != list(range(x.rank)):
            raise InferError(f"perm {list(perm)} is no permutation of the {x.rank} dimensions")
        return Tensor(x.dtype, tuple(x.shape[p] for p in perm))

    @staticmethod
    def reference(x: np.ndarray, *, perm: tuple[int, ...]) -> np.ndarray:
        return np.transpose(x, perm)


@define("broadcast_to", "x shape")
class BroadcastTo:
    """Numpy-style broadcast of ``x`` *with* the 1-D i64 ``shape`` (ONNX Expand: sizes of 1 in shape keep x's)."""

    @staticmethod
    def infer(x: Tensor, shape: Tensor) -> Tensor:
        if shape.rank != 1 or not isinstance(shape.shape[0], int):
            raise InferError(f"the target shape must be a 1-D tensor of static length, got {shape}")
        target = shape.value if shape.value is not None else (None,) * shape.shape[0]
        out = Tensor(x.dtype, dims.broadcast(x.shape, target))
        if x.value is not None and len(x.value) == 1 and out.is_static and out.size <= VALUE_LIMIT:
            return out.with_value(x.value * out.size)
        return out

    @staticmethod
    def reference(x: np.ndarray, shape: np.ndarray) -> np.ndarray:
        return np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(shape.tolist()))).copy()


@define("concat", "xs*", {"axis": int})
class Concat:
    """Join along an axis; all other sizes are equal."""

    @staticmethod
    def infer(*xs: Tensor, axis: int) -> Tensor:
        if not xs:
            raise InferError("needs at least one operand")
        axis = axis_of(axis, xs[0].rank)
        shape = list(xs[0].shape)
        for x in xs[1:]:
            if x.dtype != xs[0].dtype or x.rank != xs[0].rank:
                raise InferError(f"cannot join {xs[0]} and {x}: element types and ranks must be equal")
            for i, d in enumerate(x.shape):
                if i == axis:
                    shape[i] = dims.add(shape[i], d)
                elif isinstance(d, int) and isinstance(shape[i], int) and d != shape[i]:
                    raise InferError(f"cannot join {show(xs[0].shape)} and {show(x.shape)} along axis {axis}")
                elif isinstance(d, int) or shape[i] is None:
                    shape[i] = d
        value = None
        if len(shape) == 1 and all(x.value is not None for x in xs):
            value = [v for x in xs for v in x.value]  # type: ignore[union-attr]
            value = value if len(value) <= VALUE_LIMIT else None
        return Tensor(xs[0].dtype, tuple(shape)).with_value(value)

    @staticmethod
    def reference(*xs: np.ndarray, axis: int) -> np.ndarray:
        return np.concatenate(xs, axis)


def slice_size(d: Dim, start: int, limit: int, stride: int) -> Dim:
    """Elements that Python's ``range(n)[start:limit:stride]`` has, symbolically where n is."""
    if isinstance(d, int):
        return len(range(*slice(start, _limit(limit), stride).indices(d)))
    if stride == 1 and limit == END and start >= 0:
        return d if start == 0 else None  # n - start may be negative: the size is max(n - start, 0)
    return None


def _limit(limit: int) -> int | None:
    return None if limit in (END, -END) else limit


@define("slice", "x", {"starts": "ints", "limits": "ints", "strides": "ints"})
class Slice:
    """Python's ``x[start:limit:stride]`` in every dimension, with its clamping and negative indices.

    A limit of ``2**63-1`` (or its negative, for negative strides) means "to the end".
    """

    @staticmethod
    def infer(x: Tensor, *, starts: tuple[int, ...], limits: tuple[int, ...], strides: tuple[int, ...]) -> Tensor:
        if not len(starts) == len(limits) == len(strides) == x.rank:
            raise InferError(f"needs {x.rank} starts, limits and strides")
        if 0 in strides:
            raise InferError("a stride is 0")
        shape = tuple(map(slice_size, x.shape, starts, limits, strides))
        value = None
        if x.rank == 1 and x.value is not None:
            value = x.value[slice(starts[0], _limit(limits[0]), strides[0])]
        return Tensor(x.dtype, shape, value)

    @staticmethod
    def reference(x: np.ndarray, *, starts, limits, strides) -> np.ndarray:
        box = tuple(slice(a, _limit(b), s) for a, b, s in zip(starts, limits, strides, strict=True))
        return x[box].copy()


@define("dynamic_slice", "x starts limits strides")
class DynamicSlice:
    """``nn.slice`` whose starts, limits and strides are 1-D i64 operands with one element a dimension.

    A limit of ``2**63-1`` means "to the end" for a positive stride; a stride of 0 is stopped at run time.
    """

    @staticmethod
    def infer(x: Tensor, starts: Tensor, limits: Tensor, strides: Tensor) -> Tensor:
        for name, v in (("starts", starts), ("limits", limits), ("strides", strides)):
            if v.dtype.name != "i64" or v.shape != (x.rank,):
                raise InferError(f"{name} must be {x.rank}xi64, got {v}")
        columns = [v.value if v.value is not None else (None,) * x.rank for v in (starts, limits, strides)]
        shape = tuple(
            _dynamic_size(d, *bounds) for d, *bounds in zip(x.shape, *columns, strict=True)  # type: ignore[misc]
        )
        return Tensor(x.dtype, shape)

    @staticmethod
    def reference(x: np.ndarray, starts: np.ndarray, limits: np.ndarray, strides: np.ndarray) -> np.ndarray:
        if not strides.all():
            raise InferError("a stride is 0")
        rows = zip(starts.tolist(), limits.tolist(), strides.tolist(), strict=True)
        return x[tuple(slice(a, None if s > 0 and b == END else b, s) for a, b, s in rows)].copy()


def _dynamic_size(d: Dim, start: Dim, limit: Dim, stride: Dim) -> Dim:
    if (start, stride) == (0, 1) and (limit == END or (limit is not None and limit == d)):
        return d
    if isinstance(start, int) and isinstance(limit, int) and isinstance(stride, int) and stride:
        return slice_size(d, start, limit, stride)
    return None


@define("pad", "x value", {"low": "ints", "high": "ints"})
class Pad:
    """Constant padding with the rank-0 ``value``; negative amounts crop."""

    @staticmethod
    def infer(x: Tensor, value: Tensor, *, low: tuple[int, ...], high: tuple[int, ...]) -> Tensor:
        if value.dtype != x.dtype or value.rank != 0:
            raise InferError(f"the padding value must be a scalar of {x.dtype}, got {value}")
        if len(low) != x.rank or len(high) != x.rank:
            raise InferError(f"needs {x.rank} low and high amounts")
        shape = tuple(dims.add(dims.add(d, lo), hi) for d, lo, hi in zip(x.shape, low, high, strict=True))
        if any(isinstance(d, int) and d < 0 for d in shape):
            raise InferError(f"cropping {show(x.shape)} by {list(low)} and {list(high)} leaves a negative size")
        return Tensor(x.dtype, shape)

    @staticmethod
    def reference(x: np.ndarray, value: np.ndarray, *, low, high) -> np.ndarray:
        crop = tuple(slice(max(-lo, 0), d - max(-hi, 0)) for d, lo, hi in zip(x.shape, low, high, strict=True))
        amounts = [(max(lo, 0), max(hi, 0)) for lo, hi in zip(low, high, strict=True)]
        out = np.full([d + lo + hi for d, (lo, hi) in zip(x[crop].shape, amounts, strict=True)], value, x.dtype)
        out[tuple(slice(lo, lo + d) for d, (lo, _) in zip(x[crop].shape, amounts, strict=True))] = x[crop]
        return out


@define("dynamic_pad", "x value low high")
class DynamicPad:
    """``nn.pad`` whose amounts are 1-D i64 operands with one element a dimension; negative amounts crop."""

    @staticmethod
    def infer(x: Tensor, value: Tensor, low: Tensor, high: Tensor) -> Tensor:
        if value.dtype != x.dtype or value.rank != 0:
            raise InferError(f"the padding value must be a scalar of {x.dtype}, got {value}")
        for name, v in (("low", low), ("high", high)):
            if v.dtype.name != "i64" or v.shape != (x.rank,):
                raise InferError(f"{name} must be {x.rank}xi64, got {v}")
        lows, highs = (v.value if v.value is not None else (None,) * x.rank for v in (low, high))
        shape = [dims.add(dims.add(d, lo), hi) for d, lo, hi in zip(x.shape, lows, highs, strict=True)]
        if any(isinstance(d, int) and d < 0 for d in shape):
            raise InferError(f"cropping {show(x.shape)} leaves a negative size")
        return Tensor(x.dtype, tuple(shape))

    @staticmethod
    def reference(x: np.ndarray, value: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        return Pad.reference(x, value, low=low.tolist(), high=high.tolist())


@define("gather", "x indices", {"axis": int})
class Gather:
    """``x`` with dimension ``axis`` replaced by ``x[.., indices, ..]`` (numpy.take).

    Negative indices count from the end; out-of-range ones are clamped: no read leaves the tensor.
    """

    @staticmethod
    def infer(x: Tensor, indices: Tensor, *, axis: int) -> Tensor:
        if not indices.dtype.is_int:
            raise InferError(f"indices must be integers, got {indices.dtype}")
        if x.rank == 0:
            raise InferError("cannot gather from a scalar")
        axis = axis_of(axis, x.rank)
        shape = (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])
        value = None
        if x.rank == 1 and x.value is not None and indices.value is not None:
            n = len(x.value)
            if all(isinstance(i, int) and -n <= i < n for i in indices.value):
                value = tuple(x.value[i] for i in indices.value)  # type: ignore[index]
        return Tensor(x.dtype, shape, value)

    @staticmethod
    def reference(x: np.ndarray, indices: np.ndarray, *, axis: int) -> np.ndarray:
        n = x.shape[axis]
        i = np.where(indices < 0, indices.astype(np.int64) + n, indices.astype(np.int64))
        return np.take(x, np.clip(i, 0, max(n - 1, 0)), axis=axis)


@define("iota", "shape", {"axis": int, "dtype": DType})
class Iota:
    """A tensor of the given ``shape`` (1-D i64) whose elements are their index along ``axis``."""

    @staticmethod
    def infer(shape: Tensor, *, axis: int, dtype: DType) -> Tensor:
        if shape.rank != 1 or not isinstance(shape.shape[0], int):
            raise InferError(f"the shape must be a 1-D tensor of static length, got {shape}")
        target = shape.value if shape.value is not None else (None,) * shape.shape[0]
        axis_of(axis, len(target))
        return Tensor(dtype, tuple(target))

    @staticmethod
    def reference(shape: np.ndarray, *, axis: int, dtype: DType) -> np.ndarray:
        sizes = shape.tolist()
        line = np.arange(sizes[axis]).astype(dtype.numpy)
        return np.broadcast_to(line.reshape([-1 if i == axis else 1 for i in range(len(sizes))]), sizes).copy()
