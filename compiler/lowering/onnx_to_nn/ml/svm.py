"""SVMRegressor and SVMClassifier."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.loops import Iteration, iterate
from davit.compiler.lowering.onnx_to_nn.ml.scores import (
    Labels,
    post_transform,
    rows,
    single_transform,
    two_sided,
)
from davit.compiler.nn_builder import NnBuilder
from davit.mlir import ir

_LOOP_OPS = 1 << 16
"""Size given for a loop that is never to be unrolled."""


def _kernel(op: Node, b: NnBuilder, x: ir.Value, vectors: np.ndarray) -> ir.Value:
    """[N, vectors] of [N, F] and [vectors, F]."""
    kind = op.attr.kernel_type
    params = list(op.attr.kernel_params or ()) + [0.0] * 3
    gamma, coef0, degree = params[:3]
    dt = b.dtype(x)
    product = b.matmul(x, b.constant(np.ascontiguousarray(vectors.T.astype(dt.numpy))), out=dt)
    if kind == "LINEAR":
        return product
    if kind == "RBF":  # |x - v|^2, term by term as it stands: the expanded form loses digits
        apart = b.sub(b.unsqueeze(x, [1]), b.constant(vectors.astype(dt.numpy)))
        distance = b.reduce(b.mul(apart, apart), kind="sum", axes=(2,), keepdims=False)
        return b.exp(b.mul(distance, -gamma))
    shifted = b.add(b.mul(product, gamma), coef0)
    if kind == "SIGMOID":
        return b.tanh(shifted)
    if kind == "POLY":
        return b.pow(shifted, float(degree))
    raise LoweringError(f"kernel_type={kind!r} is not one of LINEAR, POLY, RBF, SIGMOID")


def _linear(b: NnBuilder, x: ir.Value, weights: np.ndarray) -> ir.Value:
    dt = b.dtype(x)
    return b.matmul(x, b.constant(np.ascontiguousarray(weights.T.astype(dt.numpy))), out=dt)


def _divided(values: Sequence[float] | None, count: int, what: str) -> np.ndarray:
    """A flat attribute as ``count`` rows."""
    array = np.array(values or [], np.float32)
    if not count or array.size % count or not array.size:
        raise LoweringError(f"{array.size} {what} cannot be divided among {count}")
    return array.reshape(count, -1)


@lowers("onnx_ml.svmregressor")
def svm_regressor(op: Node, b: NnBuilder):
    """SVMRegressor-1; without support vectors it is linear in the features."""
    x, supports = rows(b, op.x), op.attr.n_supports
    rho = op.attr.rho
    if not rho:
        raise LoweringError("has no rho")
    if supports > 0:
        kernels = _kernel(op, b, x, _divided(op.attr.support_vectors, supports, "support_vectors"))
        weights = np.array(op.attr.coefficients or [], np.float32)
        if weights.size != supports:
            raise LoweringError(f"has {weights.size} coefficients for {supports} support vectors")
        y = _linear(b, kernels, weights.reshape(1, -1))
    else:
        y = _linear(b, x, _divided(op.attr.coefficients, 1, "coefficients"))
    y = b.add(y, float(np.float32(rho[0])))
    if op.attr.one_class:
        y = b.select(b.gt(y, 0.0), b.constant(np.array(1, b.dtype(y).numpy)), -1.0)
    return b.cast_to(single_transform(b, y, op.attr.post_transform), "f32")


@lowers("onnx_ml.svmclassifier")
def svm_classifier(op: Node, b: NnBuilder):
    """SVMClassifier-1: one against one with votes, and probabilities where prob_a is given; or linear."""
    labels = Labels(op, op.attr.classlabels_ints, op.attr.classlabels_strings)
    classes = max(labels.count, 1)
    x, sizes = rows(b, op.x), op.attr.vectors_per_class or []
    rho = np.array(op.attr.rho or [], np.float32)
    if not rho.size:
        raise LoweringError("has no rho")
    weights = np.array(op.attr.coefficients or [], np.float32)
    positive = bool((weights >= 0).all())
    if not sum(sizes):
        scores = b.add(_linear(b, x, _divided(op.attr.coefficients, classes, "coefficients")), float(rho[0]))
        return _finish(op, b, labels, scores, None, scores, positive, has_probabilities=False, pairs=rho.size)
    if len(sizes) != classes or classes < 2:
        raise LoweringError(f"has {len(sizes)} vectors_per_class for {classes} classes")
    pairs = list(combinations(range(classes), 2))
    if rho.size != len(pairs):
        raise LoweringError(f"has {rho.size} values of rho for {len(pairs)} pairs of classes")
    kernels = _kernel(op, b, x, _divided(op.attr.support_vectors, sum(sizes), "support_vectors"))
    decisions = b.add(
        _linear(b, kernels, _pair_weights(weights, sizes, pairs)), b.constant(rho.astype(b.dtype(x).numpy))
    )
    votes = _votes(b, decisions, pairs, classes)
    prob_a, prob_b = op.attr.prob_a, op.attr.prob_b
    if not prob_a:
        return _finish(op, b, labels, decisions, votes, decisions, positive, has_probabilities=False, pairs=rho.size)
    if len(prob_a) != len(pairs) or len(prob_b or ()) != len(pairs):
        raise LoweringError(
            f"has {len(prob_a)} prob_a and {len(prob_b or ())} prob_b for {len(pairs)} pairs of classes"
        )
    chances = _probabilities(op, b, decisions, pairs, classes, prob_a, prob_b)
    return _finish(op, b, labels, chances, votes, chances, positive, has_probabilities=True, pairs=rho.size)


def _pair_weights(weights: np.ndarray, sizes: Sequence[int], pairs: Sequence[tuple[int, int]]) -> np.ndarray:
    """[pairs, vectors]: of classes i < j, i's vectors count by row j - 1 of the coefficients, j's by row i."""
    total = sum(sizes)
    if weights.size != total * (len(sizes) - 1):
        raise LoweringError(f"has {weights.size} coefficients for {total} vectors of {len(sizes)} classes")
    table = weights.reshape(len(sizes) - 1, total)
    starts = np.cumsum([0, *sizes])
    out = np.zeros((len(pairs), total), np.float32)
    for row, (i, j) in enumerate(pairs):
        out[row, starts[i] : starts[i + 1]] = table[j - 1, starts[i] : starts[i + 1]]
        out[row, starts[j] : starts[j + 1]] = table[i, starts[j] : starts[j + 1]]
    return out


def _votes(b: NnBuilder, decisions: ir.Value, pairs: Sequence[tuple[int, int]], classes: int) -> ir.Value:
    """[N, classes]: how many pairs each class wins."""
    first, second = np.zeros((len(pairs), classes), np.float32), np.zeros((len(pairs), classes), np.float32)
    for row, (i, j) in enumerate(pairs):
        first[row, i] = second[row, j] = 1
    won = b.cast_to(b.gt(decisions, 0.0), "f32")
    for_first = b.matmul(won, b.constant(first), out=b.dtype(won))
    return b.add(for_first, b.matmul(b.sub(1.0, won), b.constant(second), out=b.dtype(won)))


def _probabilities(
    op: Node, b: NnBuilder, decisions: ir.Value, pairs: Sequence[tuple[int, int]], classes: int,
    prob_a: Sequence[float], prob_b: Sequence[float],
) -> ir.Value:  # fmt: skip
    """[N, classes] from the pairs' chances, by libsvm's iteration (Wu, Lin and Weng 2004, second method)."""
    dt = b.dtype(decisions)
    slope, shift = (b.constant(np.array(v, np.float32).astype(dt.numpy)) for v in (prob_a, prob_b))
    chance = b.sub(1.0, b.logistic(b.add(b.mul(decisions, slope), shift)))
    chance = b.minimum(b.maximum(chance, 1e-7), 1 - 1e-7)  # [N, pairs]
    matrix, diagonal = _pair_matrix(b, chance, pairs, classes)
    lines = [b.squeeze(b.gather(matrix, np.array([t]), axis=1), [1]) for t in range(classes)]  # each [N, classes]
    corners = [_column(b, diagonal, t) for t in range(classes)]
    even = b.add(b.mul(diagonal, 0.0), 1 / classes)
    units = np.eye(classes, dtype=dt.numpy)

    def step(_: ir.Value, states: Sequence[Any]) -> Iteration:
        (p,) = states
        qp = b.reduce(b.mul(matrix, b.unsqueeze(p, [1])), kind="sum", axes=(2,), keepdims=False)
        pqp = b.reduce(b.mul(p, qp), kind="sum", axes=(1,), keepdims=True)
        worst = b.reduce(b.abs(b.sub(qp, pqp)), kind="max", axes=(1,), keepdims=True)
        new = p
        for t in range(classes):
            here = _column(b, qp, t)
            diff = b.div(b.sub(pqp, here), corners[t])
            whole = b.add(diff, 1.0)
            inner = b.add(b.mul(diff, corners[t]), b.mul(here, 2.0))
            pqp = b.div(b.add(pqp, b.mul(diff, inner)), b.mul(whole, whole))
            new = b.div(b.add(new, b.mul(diff, b.constant(units[t]))), whole)
            qp = b.div(b.add(qp, b.mul(diff, lines[t])), whole)
        return Iteration(None, [b.select(b.lt(worst, 0.005 / classes), p, new)], [])

    (p,), _ = iterate(op, b, max(100, classes), None, [even], step, [], size=_LOOP_OPS)
    return p


def _pair_matrix(
    b: NnBuilder, chance: ir.Value, pairs: Sequence[tuple[int, int]], classes: int
) -> tuple[ir.Value, ir.Value]:
    """Q [N, classes, classes] of the chances r of the pairs, and its diagonal [N, classes].

    Q[t, j] is -r[j, t] r[t, j], and Q[t, t] the sum of the squares of r[k, t].
    """
    dt = b.dtype(chance)
    place, mirror = (np.zeros((len(pairs), classes * classes), dt.numpy) for _ in range(2))
    for row, (i, j) in enumerate(pairs):
        place[row, i * classes + j] = mirror[row, j * classes + i] = 1
    flat = b.add(b.matmul(chance, b.constant(place), out=dt), b.matmul(b.sub(1.0, chance), b.constant(mirror), out=dt))
    r = b.reshape_to(flat, (-1, classes, classes))
    diagonal = b.reduce(b.mul(r, r), kind="sum", axes=(1,), keepdims=False)
    apart = b.neg(b.mul(r, b.transpose(r, perm=(0, 2, 1))))
    return b.select(b.constant(np.eye(classes, dtype=bool)), b.unsqueeze(diagonal, [2]), apart), diagonal


def _column(b: NnBuilder, x: ir.Value, i: int) -> ir.Value:
    return b.gather(x, np.array([i]), axis=1)


def _finish(
    op: Node, b: NnBuilder, labels: Labels, scores: ir.Value, votes: ir.Value | None, ranked: ir.Value, positive: bool,
    has_probabilities: bool, pairs: int,
) -> tuple[ir.Value | None, ir.Value]:  # fmt: skip
    """Labels and transformed scores."""
    transform = op.attr.post_transform
    width = b.shape(scores)[1]
    best = ranked if votes is None else votes
    label = labels.top(b, best)
    if width == 1 and pairs == 1:
        if labels.count == 2:
            return label, b.cast_to(two_sided(b, scores, transform, transform != "NONE"), "f32")
        label = b.cast_to(b.squeeze(b.gt(scores, 0.0), [1]), "i64")
        return label, b.cast_to(single_transform(b, scores, transform), "f32")
    return label, b.cast_to(post_transform(b, scores, transform), "f32")
