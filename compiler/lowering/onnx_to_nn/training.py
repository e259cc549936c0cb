"""Losses, and the optimisers of ai.onnx.preview.training."""

from __future__ import annotations

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.types import DTYPES
from davit.mlir import ir

F32 = DTYPES["f32"]
I64 = DTYPES["i64"]


# -- losses -------------------------------------------------------------------------------------------------------


def likelihood_loss(op: Node, b: NnBuilder, logs: ir.Value, target: ir.Value, weight: ir.Value | None) -> ir.Value:
    """-weight[t] * logs[n, t, ...], reduced; ``logs`` is [N, C, d...], ``target`` [N, d...].

    A target equal to ``ignore_index`` has no loss and, in a mean, no weight.
    """
    reduction, ignore = op.attr.reduction, op.attr.ignore_index
    if reduction not in ("none", "sum", "mean"):
        raise LoweringError(f"reduction is {reduction!r}; it must be none, sum or mean")
    if b.rank(logs) < 2 or b.rank(target) != b.rank(logs) - 1:
        raise LoweringError(
            f"the scores have {b.rank(logs)} dimensions and the target {b.rank(target)}: [N, C, ...] and [N, ...] "
            "are expected"
        )
    target = b.cast_to(target, I64)
    ignored = None
    if ignore is not None:
        ignored = b.eq(target, ignore)
        target = b.select(ignored, b.constant(np.int64(0)), target)
    loss = b.neg(b.squeeze(b.gather_elements(logs, b.unsqueeze(target, [1]), axis=1), [1]))
    scale = None
    if weight is not None:
        scale = b.gather(weight, target, axis=0)
    if ignored is not None:
        zero = b.constant(np.zeros((), b.dtype(logs).numpy))
        kept = b.add(zero, 1) if scale is None else scale
        scale = b.select(ignored, zero, kept)
    if scale is not None:
        # An ignored target's loss may be infinite, and 0 * inf is NaN.
        loss = b.mul(loss, scale) if ignored is None else b.select(ignored, zero, b.mul(loss, scale))
    if reduction == "none":
        return loss
    axes = tuple(range(b.rank(loss)))
    total = b.reduce(loss, kind="sum", axes=axes, keepdims=False)
    if reduction == "sum":
        return total
    if scale is None:
        count = b.cast_to(b.reduce(b.shape_of(loss), kind="prod", axes=(0,), keepdims=False), b.dtype(loss))
    else:
        count = b.reduce(scale, kind="sum", axes=axes, keepdims=False)
    return b.div(total, count)


def _wide(b: NnBuilder, v: ir.Value | None) -> ir.Value | None:
    """16-bit floats as f32."""
    return v if v is None or b.dtype(v).bits > 16 else b.cast_to(v, F32)


@lowers("negativeloglikelihoodloss")
def negative_log_likelihood_loss(op: Node, b: NnBuilder) -> ir.Value:
    dt = b.dtype(op.input)
    return b.cast_to(likelihood_loss(op, b, _wide(b, op.input), op.target, _wide(b, op.weight)), dt)


@lowers("softmaxcrossentropyloss")
def softmax_cross_entropy_loss(op: Node, b: NnBuilder) -> tuple[ir.Value, ir.Value]:
    """The loss, and the logarithms of the probabilities that it is taken from."""
    dt = b.dtype(op.scores)
    logs = b.softmax(_wide(b, op.scores), axis=1, log=True)
    loss = likelihood_loss(op, b, logs, op.labels, _wide(b, op.weights))
    return b.cast_to(loss, dt), b.cast_to(logs, dt)


# -- optimisers ---------------------------------------------------------------------------------------------------


def _groups(op: Node, count: int) -> list[tuple[ir.Value, ...]]:
    """The variadic inputs by tensor: all X come first, then all G, and so on."""
    values = op.inputs
    if len(values) % count:
        raise LoweringError(f"it has {len(values)} tensors after R and T, which is no multiple of {count}")
    n = len(values) // count
    return [tuple(values[i + k * n] for k in range(count)) for i in range(n)]


def _scalar(b: NnBuilder, v: ir.Value, like: ir.Value) -> ir.Value:
    return b.cast_to(b.reshape_to(v, []) if b.rank(v) else v, b.dtype(like))


def _regularised(op: Node, b: NnBuilder, x: ir.Value, g: ir.Value) -> ir.Value:
    """The gradient, with that of norm_coefficient / 2 * |x|^2 added."""
    return g if op.attr.norm_coefficient == 0 else b.add(b.mul(x, op.attr.norm_coefficient), g)


def _results(rows: list[tuple[ir.Value, ...]]) -> list[ir.Value]:
    """All first results, then all second ones, and so on."""
    return [v for column in zip(*rows, strict=True) for v in column]


@lowers("onnx_training.adagrad")
def adagrad(op: Node, b: NnBuilder) -> list[ir.Value]:
    rows = []
    for x, g, h in _groups(op, 3):
        r, t = _scalar(b, op.r, x), _scalar(b, op.t, x)
        rate = b.div(r, b.add(b.mul(t, op.attr.decay_factor), 1.0))
        g = _regularised(op, b, x, g)
        h = b.add(h, b.mul(g, g))
        x = b.sub(x, b.div(b.mul(g, rate), b.add(b.sqrt(h), op.attr.epsilon)))
        rows.append((x, h))
    return _results(rows)


@lowers("onnx_training.adam")
def adam(op: Node, b: NnBuilder) -> list[ir.Value]:
    alpha, beta = op.attr.alpha, op.attr.beta
    rows = []
    for x, g, v, h in _groups(op, 4):
        r, t = _scalar(b, op.r, x), _scalar(b, op.t, x)
        g = _regularised(op, b, x, g)
        v = b.add(b.mul(v, alpha), b.mul(g, 1 - alpha))
        h = b.add(b.mul(h, beta), b.mul(b.mul(g, g), 1 - beta))
        power = [b.sub(1.0, b.pow(b.constant(np.float64(base), b.dtype(x)), t)) for base in (alpha, beta)]
        rate = b.select(b.gt(t, 0.0), b.div(b.mul(r, b.sqrt(power[1])), power[0]), r)
        x = b.sub(x, b.div(b.mul(v, rate), b.add(b.sqrt(h), op.attr.epsilon)))
        if op.attr.norm_coefficient_post != 0:
            x = b.mul(x, 1 - op.attr.norm_coefficient_post)
        rows.append((x, v, h))
    return _results(rows)


@lowers("onnx_training.momentum")
def momentum(op: Node, b: NnBuilder) -> list[ir.Value]:
    alpha, beta, mode = op.attr.alpha, op.attr.beta, op.attr.mode
    if mode not in ("standard", "nesterov"):
        raise LoweringError(f"mode is {mode!r}; it must be standard or nesterov")
    rows = []
    for x, g, v in _groups(op, 3):
        r, t = _scalar(b, op.r, x), _scalar(b, op.t, x)
        g = _regularised(op, b, x, g)
        weight = b.select(b.gt(t, 0.0), b.constant(np.float64(beta), b.dtype(x)), 1.0)
        v = b.add(b.mul(v, alpha), b.mul(g, weight))
        step = v if mode == "standard" else b.add(g, b.mul(v, alpha))
        rows.append((b.sub(x, b.mul(step, r)), v))
    return _results(rows)
