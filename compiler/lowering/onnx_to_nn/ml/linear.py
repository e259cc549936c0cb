"""LinearClassifier and LinearRegressor."""

from __future__ import annotations

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.ml.scores import (
    Labels,
    post_transform,
    rows,
    single_transform,
    two_sided,
)
from davit.compiler.nn_builder import NnBuilder
from davit.mlir import ir


def _products(op: Node, b: NnBuilder, count: int) -> ir.Value:
    """X W^T + intercepts, [N, count]."""
    x = rows(b, op.x)
    dt = b.dtype(x)
    weights = np.array(op.attr.coefficients, dt.numpy)
    if not count or weights.size % count:
        raise LoweringError(f"{weights.size} coefficients cannot be divided among {count} outputs")
    weights = weights.reshape(count, -1)
    width = b.shape(x)[1]
    if isinstance(width, int) and width != weights.shape[1]:
        raise LoweringError(f"has coefficients for {weights.shape[1]} features, but its input has {width}")
    y = b.matmul(x, b.constant(np.ascontiguousarray(weights.T)), out=dt)
    intercepts = op.attr.intercepts
    if intercepts:
        if len(intercepts) != count:
            raise LoweringError(f"has {len(intercepts)} intercepts for {count} outputs")
        y = b.add(y, b.constant(np.array(intercepts, dt.numpy)))
    return y


@lowers("onnx_ml.linearregressor")
def linear_regressor(op: Node, b: NnBuilder):
    """LinearRegressor-1."""
    targets = op.attr.targets
    y = _products(op, b, targets)
    transform = single_transform if targets == 1 else post_transform
    return b.cast_to(transform(b, y, op.attr.post_transform), "f32")


@lowers("onnx_ml.linearclassifier")
def linear_classifier(op: Node, b: NnBuilder):
    """LinearClassifier-1. One row of coefficients with two labels scores the second of them."""
    labels = Labels(op, op.attr.classlabels_ints, op.attr.classlabels_strings)
    count = len(op.attr.intercepts or ()) or max(labels.count, 1)
    scores, transform = _products(op, b, count), op.attr.post_transform
    if count > 1:
        if labels.count != count:
            raise LoweringError(f"has scores for {count} classes, but {labels.count} class labels")
        return labels.top(b, scores), b.cast_to(post_transform(b, scores, transform), "f32")
    if labels.count not in (0, 2):
        raise LoweringError(f"has one score, but {labels.count} class labels")
    label = labels.second_if(b, b.gt(scores, 0.0))
    if labels.count:
        return label, b.cast_to(two_sided(b, scores, transform, complement=True), "f32")
    return label, b.cast_to(single_transform(b, scores, transform), "f32")
