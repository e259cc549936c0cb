"""What prepares features: selecting, scaling, filling in, normalising, binarising."""

from __future__ import annotations

import math

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.ml.scores import rows, working_type
from davit.compiler.nn_builder import NnBuilder
from davit.mlir import ir


@lowers("onnx_ml.arrayfeatureextractor")
def array_feature_extractor(op: Node, b: NnBuilder):
    """ArrayFeatureExtractor-1: columns of the last axis; a vector gives one row."""
    x = op.x if b.rank(op.x) > 1 else b.unsqueeze(op.x, [0])
    return b.gather(x, b.reshape_to(op.y, (-1,)), axis=b.rank(x) - 1)


@lowers("onnx_ml.binarizer")
def binarizer(op: Node, b: NnBuilder):
    """Binarizer-1: 1 above the threshold, else 0."""
    above = b.gt(b.cast_to(op.x, working_type(b, op.x)), op.attr.threshold)
    return b.cast_to(above, b.dtype(op.x))


@lowers("onnx_ml.featurevectorizer")
def feature_vectorizer(op: Node, b: NnBuilder):
    """FeatureVectorizer-1: inputs side by side, each cut or filled with zeros to its stated width."""
    widths = op.attr.inputdimensions or []
    if len(widths) != len(op.x):
        raise LoweringError(f"has {len(op.x)} inputs, but {len(widths)} inputdimensions")
    parts = []
    for x, width in zip(op.x, widths, strict=True):
        part = b.cast_to(rows(b, x), "f32")
        have = b.shape(part)[1]
        if not isinstance(have, int):
            raise LoweringError("the number of features of its inputs must be known when compiling")
        if width < have:
            part = b.gather(part, np.arange(width), axis=1)
        elif width > have:
            part = b.pad(part, b.constant(np.float32(0)), low=(0, 0), high=(0, width - have))
        parts.append(part)
    return b.concat(*parts, axis=1)


@lowers("onnx_ml.imputer")
def imputer(op: Node, b: NnBuilder):
    """Imputer-1: a given value (often NaN) is replaced, per feature or everywhere."""
    x, attr = op.x, op.attr
    dt = b.dtype(x)
    if dt.is_float:
        values, missing = attr.imputed_value_floats, attr.replaced_value_float
    else:
        values, missing = attr.imputed_value_int64s, attr.replaced_value_int64
    if not values:
        kind = "floats" if dt.is_float else "int64s"
        raise LoweringError(f"takes {dt} and so needs imputed_value_{kind}")
    width = b.shape(x)[-1] if b.rank(x) else 1
    if len(values) > 1 and isinstance(width, int) and len(values) != width:
        raise LoweringError(f"has {len(values)} values to fill in for {width} features")
    wanted = b.is_nan(x) if dt.is_float and math.isnan(missing) else b.eq(x, missing)
    return b.select(wanted, b.constant(np.array(values, dt.numpy)), x)


@lowers("onnx_ml.normalizer")
def normalizer(op: Node, b: NnBuilder):
    """Normalizer-1: divided by the largest value, the sum of sizes or the root of the sum of squares of a row.

    A row whose divisor is 0 stays as it is.
    """
    x = op.x
    if b.rank(x) not in (1, 2):
        raise LoweringError(f"takes [N, C] or [C], got {b.rank(x)} dimensions")
    x = b.cast_to(x, working_type(b, x))
    norm, axes = op.attr.norm, (b.rank(x) - 1,)
    if norm == "MAX":
        by = b.reduce(x, kind="max", axes=axes, keepdims=True)
    elif norm == "L1":
        by = b.reduce(b.abs(x), kind="sum", axes=axes, keepdims=True)
    elif norm == "L2":
        by = b.sqrt(b.reduce(b.mul(x, x), kind="sum", axes=axes, keepdims=True))
    else:
        raise LoweringError(f"norm={norm!r} is not one of MAX, L1, L2")
    return b.cast_to(b.div(x, b.select(b.eq(by, 0.0), 1.0, by)), "f32")


@lowers("onnx_ml.scaler")
def scaler(op: Node, b: NnBuilder):
    """Scaler-1: (x - offset) * scale, per feature or with one number for all."""
    x = b.cast_to(op.x, working_type(b, op.x))
    offset, scale = _per_feature(op, b, x, "offset"), _per_feature(op, b, x, "scale")
    if offset is not None:
        x = b.sub(x, offset)
    return b.cast_to(x if scale is None else b.mul(x, scale), "f32")


def _per_feature(op: Node, b: NnBuilder, x: ir.Value, name: str) -> ir.Value | None:
    values = getattr(op.attr, name)
    if not values:
        return None
    width = b.shape(x)[-1] if b.rank(x) else 1
    if len(values) > 1 and isinstance(width, int) and len(values) != width:
        raise LoweringError(f"has {len(values)} values of {name} for {width} features")
    return b.constant(np.array(values, b.dtype(x).numpy))
