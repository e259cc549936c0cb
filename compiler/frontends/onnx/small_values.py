"""Evaluates nodes on small integer, boolean and float tensors: the arithmetic of shapes.

Only what is exact is here: integer arithmetic, and the float operations that IEEE rounds correctly, so that a value
computed while compiling is the one that would have been computed at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper

MAX_ELEMENTS = 64
"""Larger tensors are data, not shapes."""

KINDS: dict[int, type[np.generic]] = {
    TensorProto.INT64: np.int64,
    TensorProto.INT32: np.int32,
    TensorProto.BOOL: np.bool_,
    TensorProto.FLOAT: np.float32,
    TensorProto.DOUBLE: np.float64,
}

_Attrs = Mapping[str, Any]


def evaluate(node: NodeProto, values: Mapping[str, np.ndarray]) -> np.ndarray | None:
    """The node's only output, when all its inputs are in ``values`` and the operator is one of those below."""
    function = _FUNCTIONS.get(node.op_type)
    if function is None or not node.input or not all(name in values for name in node.input if name):
        return None
    attrs = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    inputs = [values[name] if name else None for name in node.input]
    try:
        with np.errstate(all="ignore"):
            result = function(attrs, *inputs)
    except (ValueError, IndexError, TypeError, KeyError, ArithmeticError, MemoryError):
        return None  # a broken node: inference or the lowering tells it better
    if result is None:
        return None
    result = np.asarray(result)
    if result.size > MAX_ELEMENTS or result.dtype not in KINDS.values():
        return None
    return result if result.dtype.kind != "f" or np.isfinite(result).all() else None


def _cast(attrs: _Attrs, x: np.ndarray) -> np.ndarray | None:
    kind = KINDS.get(attrs["to"])
    if kind is None:
        return None
    if x.dtype.kind == "f" and np.dtype(kind).kind == "i":
        limits = np.iinfo(kind)
        if not ((x > float(limits.min)) & (x < float(limits.max))).all():
            return None  # out of range, which ONNX leaves open
    return x.astype(kind)


def _divide(attrs: _Attrs, a: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    if a.dtype.kind == "f":
        return a / b
    if (b == 0).any():
        return None
    quotient = np.abs(a) // np.abs(b)  # towards zero
    return np.where((a < 0) == (b < 0), quotient, -quotient).astype(a.dtype)


def _modulo(attrs: _Attrs, a: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    if a.dtype.kind == "f" or (b == 0).any():
        return None
    return np.fmod(a, b) if attrs.get("fmod") else np.mod(a, b)


def _slice(
    attrs: _Attrs, x: np.ndarray, starts: np.ndarray, ends: np.ndarray,
    axes: np.ndarray | None = None, steps: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    index = [slice(None)] * x.ndim
    along = range(len(starts)) if axes is None else axes.tolist()
    by = [1] * len(starts) if steps is None else steps.tolist()
    for axis, start, end, step in zip(along, starts.tolist(), ends.tolist(), by, strict=True):
        index[axis] = slice(start, end, step)
    return x[tuple(index)]


def _constant_of_shape(attrs: _Attrs, shape: np.ndarray) -> np.ndarray | None:
    value = attrs.get("value")
    if value is not None and value.data_type not in KINDS:
        return None
    if shape.size > 4 or (shape < 0).any() or np.prod(shape.astype(object)) > MAX_ELEMENTS:
        return None
    fill = np.zeros(1, np.float32) if value is None else np.asarray(numpy_helper.to_array(value))
    return np.full(shape, fill.reshape(-1)[0], fill.dtype)


def _reshape(attrs: _Attrs, x: np.ndarray, shape: np.ndarray) -> np.ndarray:
    wanted = shape.tolist()
    if not attrs.get("allowzero"):
        wanted = [x.shape[i] if size == 0 else size for i, size in enumerate(wanted)]
    return x.reshape(wanted)


def _expand(attrs: _Attrs, x: np.ndarray, shape: np.ndarray) -> np.ndarray | None:
    wanted = np.broadcast_shapes(x.shape, tuple(shape.tolist()))
    return np.broadcast_to(x, wanted).copy() if np.prod(np.array(wanted, object)) <= MAX_ELEMENTS else None


def _range(attrs: _Attrs, start: np.ndarray, limit: np.ndarray, delta: np.ndarray) -> np.ndarray | None:
    if start.dtype.kind == "f" or delta == 0 or abs((int(limit) - int(start)) // int(delta)) > MAX_ELEMENTS:
        return None
    return np.arange(int(start), int(limit), int(delta), dtype=start.dtype)


def _reduce(function: Callable[..., Any]) -> Callable[..., Any]:
    def apply(attrs: _Attrs, x: np.ndarray, axes: np.ndarray | None = None) -> np.ndarray | None:
        if x.dtype.kind == "f":
            return None  # the order of additions is not ours to choose
        if axes is None or axes.size == 0:
            if attrs.get("noop_with_empty_axes"):
                return x
            along = None
        else:
            along = tuple(axes.tolist())
        return function(x, axis=along, keepdims=bool(attrs.get("keepdims", 1))).astype(x.dtype)

    return apply


def _transpose(attrs: _Attrs, x: np.ndarray) -> np.ndarray:
    return np.transpose(x, attrs.get("perm"))


def _along(axes: np.ndarray | None) -> tuple[int, ...] | None:
    return None if axes is None else tuple(axes.tolist())


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Abs": lambda attrs, x: np.abs(x),
    "Add": lambda attrs, a, b: a + b,
    "And": lambda attrs, a, b: a & b,
    "Cast": _cast,
    "Ceil": lambda attrs, x: np.ceil(x),
    "Concat": lambda attrs, *xs: np.concatenate(xs, attrs["axis"]),
    "ConstantOfShape": _constant_of_shape,
    "Div": _divide,
    "Equal": lambda attrs, a, b: a == b,
    "Expand": _expand,
    "Floor": lambda attrs, x: np.floor(x),
    "Gather": lambda attrs, x, i: np.take(x, i, attrs.get("axis", 0)),
    "Greater": lambda attrs, a, b: a > b,
    "GreaterOrEqual": lambda attrs, a, b: a >= b,
    "Identity": lambda attrs, x: x,
    "Less": lambda attrs, a, b: a < b,
    "LessOrEqual": lambda attrs, a, b: a <= b,
    "Max": lambda attrs, *xs: np.maximum.reduce(np.broadcast_arrays(*xs)),
    "Min": lambda attrs, *xs: np.minimum.reduce(np.broadcast_arrays(*xs)),
    "Mod": _modulo,
    "Mul": lambda attrs, a, b: a * b,
    "Neg": lambda attrs, x: -x,
    "Not": lambda attrs, x: ~x,
    "Or": lambda attrs, a, b: a | b,
    "Range": _range,
    "ReduceMax": _reduce(np.max),
    "ReduceMin": _reduce(np.min),
    "ReduceProd": _reduce(np.prod),
    "ReduceSum": _reduce(np.sum),
    "Reshape": _reshape,
    "Slice": _slice,
    "Squeeze": lambda attrs, x, axes=None: np.squeeze(x, _along(axes)),
    "Sub": lambda attrs, a, b: a - b,
    "Transpose": _transpose,
    "Unsqueeze": lambda attrs, x, axes: np.expand_dims(x, _along(axes)),
    "Where": lambda attrs, c, a, b: np.where(c, a, b),
}
