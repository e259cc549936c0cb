"""Categories: OneHotEncoder and LabelEncoder."""

from __future__ import annotations

from typing import Any

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.types import dtype
from davit.mlir import ir

_CHAIN = 8
"""A table of at most so many keys is a chain of selects; a longer one is searched."""

_STRINGS = "works on strings, which have no device form; host segments are not built yet"


@lowers("onnx_ml.onehotencoder")
def one_hot_encoder(op: Node, b: NnBuilder):
    """OneHotEncoder-1: a new last axis with 1 at the category's place. An unknown category gives zeros.

    With zeros=0 ONNX wants the run to fail on one; there is nothing in nn that could, so it gives zeros too.
    """
    categories = op.attr.cats_int64s
    if not categories:
        raise LoweringError(_STRINGS if op.attr.cats_strings else "has no categories")
    x = op.x
    if b.dtype(x).is_float:
        x = b.trunc(x)
    x = b.unsqueeze(b.cast_to(x, "i64"), [b.rank(x)])
    return b.cast_to(b.eq(x, b.constant(np.array(categories, np.int64))), "f32")


@lowers("onnx_ml.labelencoder")
def label_encoder(op: Node, b: NnBuilder):
    """LabelEncoder-4 between numbers: each key to its value, anything else to the default. NaN is a key like others."""
    keys, values = _table(op, "keys"), _table(op, "values")
    if keys.size != values.size:
        raise LoweringError(f"has {keys.size} keys and {values.size} values")
    default = _default(op, values.dtype)
    x = op.x
    if b.dtype(x).numpy != keys.dtype:
        raise LoweringError(f"has keys of type {keys.dtype}, but its input is {b.dtype(x)}")
    found = dict(zip(keys.tolist(), values.tolist(), strict=True))  # of equal keys the last one counts
    nan = [v for k, v in zip(keys.tolist(), values.tolist(), strict=True) if k != k]
    numbers = {k: v for k, v in found.items() if k == k}
    if len(numbers) <= _CHAIN:
        out = b.broadcast_to(b.constant(np.array(default)), b.shape_of(x))
        for key, value in numbers.items():
            out = b.select(b.eq(x, key), b.constant(np.array(value, values.dtype)), out)
    else:
        out = _search(b, x, numbers, keys.dtype, values.dtype, default)
    if nan:
        out = b.select(b.is_nan(x), b.constant(np.array(nan[-1], values.dtype)), out)
    return out


def _search(
    b: NnBuilder, x: ir.Value, table: dict[Any, Any], keys: np.dtype, values: np.dtype, default: np.generic
) -> ir.Value:
    """Binary search without branches: the last of the sorted keys that is not above x, if it is x."""
    ordered = sorted(table)
    sorted_keys = b.constant(np.array(ordered, keys))
    at = b.broadcast_to(b.constant(np.int64(0)), b.shape_of(x))
    step = 1 << (len(ordered).bit_length() - 1)
    while step:
        ahead = b.add(at, step)
        reached = b.le(b.gather(sorted_keys, ahead, axis=0), x)
        at = b.select(b.and_(b.lt(ahead, len(ordered)), reached), ahead, at)
        step //= 2
    out = b.gather(b.constant(np.array([table[key] for key in ordered], values)), at, axis=0)
    return b.select(b.eq(b.gather(sorted_keys, at, axis=0), x), out, b.constant(np.array(default)))


def _table(op: Node, name: str) -> np.ndarray:
    """The keys or the values, whichever attribute holds them."""
    attr = op.attr
    given = getattr(attr, f"{name}_tensor")
    if given is not None:
        if given.dtype.kind in "OUS":
            raise LoweringError(_STRINGS)
        return given.reshape(-1)
    for kind, numpy_type in (("int64s", np.int64), ("floats", np.float32)):
        listed = getattr(attr, f"{name}_{kind}")
        if listed:
            return np.array(listed, numpy_type)
    raise LoweringError(_STRINGS if getattr(attr, f"{name}_strings") else f"has no {name}")


def _default(op: Node, kind: np.dtype) -> np.generic:
    given = op.attr.default_tensor
    if given is not None:
        return given.reshape(-1)[0]
    return kind.type(op.attr.default_float if dtype(kind).is_float else op.attr.default_int64)
