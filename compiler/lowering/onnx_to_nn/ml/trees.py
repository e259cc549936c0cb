"""TreeEnsemble, and the regressor and classifier that it replaced."""

from __future__ import annotations

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.ml.forest import Forest, from_branches, from_nodes
from davit.compiler.lowering.onnx_to_nn.ml.scores import (
    TRANSFORMS,
    Labels,
    post_transform,
    rows,
    single_transform,
    two_sided,
)
from davit.compiler.nn_builder import NnBuilder
from davit.mlir import ir

AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")
"""In the order in which TreeEnsemble numbers them."""


def _aggregate(op: Node, b: NnBuilder, forest: Forest, x: ir.Value, how: str) -> ir.Value:
    """[N, targets]: what the trees say, together."""
    leaves = forest.leaves(op, b, x)
    if how in ("SUM", "AVERAGE"):
        total = b.reduce(b.gather(b.constant(forest.weights), leaves, axis=0), kind="sum", axes=(1,), keepdims=False)
        return b.div(total, float(len(forest.roots))) if how == "AVERAGE" else total
    if how not in AGGREGATES:
        raise LoweringError(f"aggregate_function={how!r} is not one of {', '.join(AGGREGATES)}")
    kind = how.lower()
    nothing = np.inf if how == "MIN" else -np.inf
    weights = np.where(forest.stated, forest.weights, np.array(nothing, forest.weights.dtype))
    best = b.reduce(b.gather(b.constant(weights), leaves, axis=0), kind=kind, axes=(1,), keepdims=False)
    if forest.stated.all():
        return best
    return b.select(b.eq(best, nothing), 0.0, best)


def _base(b: NnBuilder, op: Node, scores: ir.Value, targets: int) -> ir.Value:
    values = _base_values(op, b.dtype(scores).numpy)
    if values is None:
        return scores
    if values.size not in (1, targets):
        raise LoweringError(f"has {values.size} base values for {targets} outputs")
    return b.add(scores, b.constant(values))


def _base_values(op: Node, dt: np.dtype) -> np.ndarray | None:
    tensor = op.attr.base_values_as_tensor
    if tensor is not None:
        return tensor.reshape(-1).astype(dt)
    return np.array(op.attr.base_values, np.float32).astype(dt) if op.attr.base_values else None


@lowers("onnx_ml.treeensemble")
def tree_ensemble(op: Node, b: NnBuilder):
    """TreeEnsemble-5."""
    targets = op.attr.n_targets
    if not targets or targets < 0:
        raise LoweringError(f"n_targets={targets}; it must be at least 1")
    if not 0 <= op.attr.aggregate_function < len(AGGREGATES) or not 0 <= op.attr.post_transform < len(TRANSFORMS):
        raise LoweringError(
            f"aggregate_function={op.attr.aggregate_function}, post_transform={op.attr.post_transform}: they go from 0 "
            f"to {len(AGGREGATES) - 1} and {len(TRANSFORMS) - 1}"
        )
    x, forest = rows(b, op.x), from_branches(op, targets)
    if b.dtype(x).numpy != forest.split.dtype:
        raise LoweringError(f"has splits of type {forest.split.dtype}, but its input is {b.dtype(op.x)}")
    scores = _aggregate(op, b, forest, x, AGGREGATES[op.attr.aggregate_function])
    transform = single_transform if targets == 1 else post_transform
    return b.cast_to(transform(b, scores, TRANSFORMS[op.attr.post_transform]), b.dtype(op.x))


@lowers("onnx_ml.treeensembleregressor")
def tree_ensemble_regressor(op: Node, b: NnBuilder):
    """TreeEnsembleRegressor-3: base values are added to what the trees say together."""
    targets = op.attr.n_targets
    if not targets or targets < 0:
        raise LoweringError(f"n_targets={targets}; it must be at least 1")
    x = rows(b, op.x)
    forest = from_nodes(op, "target", targets, b.dtype(x).numpy)
    scores = _base(b, op, _aggregate(op, b, forest, x, op.attr.aggregate_function), targets)
    transform = single_transform if targets == 1 else post_transform
    return b.cast_to(transform(b, scores, op.attr.post_transform), "f32")


@lowers("onnx_ml.treeensembleclassifier")
def tree_ensemble_classifier(op: Node, b: NnBuilder):
    """TreeEnsembleClassifier-3. Two classes of which only the first has weights share one score, of the second."""
    labels = Labels(op, op.attr.classlabels_int64s, op.attr.classlabels_strings)
    if labels.count < 2:
        raise LoweringError(f"has {labels.count} class labels; it needs at least two")
    x, transform = rows(b, op.x), op.attr.post_transform
    forest = from_nodes(op, "class", labels.count, b.dtype(x).numpy)
    positive = bool((forest.weights >= 0).all())
    known = np.asarray(forest.stated.any(axis=0))
    raw = _aggregate(op, b, forest, x, "SUM")
    base = _base_values(op, b.dtype(x).numpy)
    if labels.count == 2 and known.sum() == 1:
        if base is not None and not (base.size == 1 and known[0]):
            raise LoweringError("has base values for two classes, but weights for one of them only")
        column = int(np.flatnonzero(known)[0])
        score = b.gather(raw, np.array([column]), axis=1)
        if base is not None:
            score = b.add(score, b.constant(base))
        label = labels.second_if(b, b.gt(score, 0.5 if positive else 0.0))
        scores = two_sided(b, score, transform, positive) if known[0] else post_transform(b, raw, transform)
        return label, b.cast_to(scores, "f32")
    scores = _base(b, op, raw, labels.count)
    contenders = scores if base is not None else _contenders(op, b, forest, x, scores)
    return labels.top(b, contenders), b.cast_to(post_transform(b, scores, transform), "f32")


def _contenders(op: Node, b: NnBuilder, forest: Forest, x: ir.Value, scores: ir.Value) -> ir.Value:
    """Scores for the choice of the label: a class of which no leaf on a row's ways says anything is none."""
    lacking, known = _may_lack(forest), np.asarray(forest.stated.any(axis=0))
    if not lacking.any():
        return scores
    if not lacking[known].any():
        return b.select(b.constant(lacking), -np.inf, scores)
    leaves = forest.leaves(op, b, x)
    said = b.reduce(
        b.gather(b.constant(forest.stated.astype(np.int32)), leaves, axis=0), kind="max", axes=(1,), keepdims=False
    )
    return b.select(b.eq(said, 0), -np.inf, scores)


def _may_lack(forest: Forest) -> np.ndarray:
    """For each class whether some row may come to leaves that say nothing of it."""
    lacking = np.ones(forest.stated.shape[1], bool)
    for root in forest.roots.tolist():
        seen: set[int] = set()
        stack = [root]
        in_all = np.ones_like(lacking)
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if node >= forest.branches:
                in_all &= forest.stated[node - forest.branches]
            else:
                stack += (int(forest.yes[node]), int(forest.no[node]))
        lacking &= ~in_all
        if not lacking.any():
            break
    return lacking
