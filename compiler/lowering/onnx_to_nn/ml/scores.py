"""From raw scores to what a classifier or regressor gives: class labels and post-transforms."""

from __future__ import annotations

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node
from davit.compiler.nn_builder import NnBuilder
from davit.mlir import ir

TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
"""In the order in which TreeEnsemble numbers them."""

_NEAR_ZERO = 1e-7


def working_type(b: NnBuilder, x: ir.Value) -> str:
    """What is computed in: f64 for f64, f32 for everything else."""
    return "f64" if b.dtype(x).name == "f64" else "f32"


def rows(b: NnBuilder, x: ir.Value) -> ir.Value:
    """The input as [N, C] in its working type; a vector is one row."""
    x = b.cast_to(x, working_type(b, x))
    if b.rank(x) == 1:
        return b.unsqueeze(x, [0])
    if b.rank(x) != 2:
        raise LoweringError(f"takes [N, C] or [C], got {b.rank(x)} dimensions")
    return x


def post_transform(b: NnBuilder, scores: ir.Value, name: str) -> ir.Value:
    """The transform of [N, K] scores along K."""
    if name not in TRANSFORMS:
        raise LoweringError(f"post_transform={name!r} is not one of {', '.join(TRANSFORMS)}")
    if name == "LOGISTIC":
        return b.logistic(scores)
    if name == "SOFTMAX":
        return b.softmax(scores, axis=1, log=False)
    if name == "SOFTMAX_ZERO":
        return _softmax_zero(b, scores)
    return _probit(b, scores) if name == "PROBIT" else scores


def single_transform(b: NnBuilder, score: ir.Value, name: str) -> ir.Value:
    """The transform of [N, 1] scores: only PROBIT means something for a single score."""
    return post_transform(b, score, name if name == "PROBIT" else "NONE")


def _softmax_zero(b: NnBuilder, scores: ir.Value) -> ir.Value:
    """Softmax in which a score of 0 stays 0."""
    top = b.reduce(scores, kind="max", axes=(1,), keepdims=True)
    zero = b.le(b.abs(scores), _NEAR_ZERO)
    powers = b.select(zero, b.mul(scores, b.exp(b.neg(top))), b.exp(b.sub(scores, top)))
    total = b.reduce(powers, kind="sum", axes=(1,), keepdims=True)
    return b.select(b.eq(total, 0.0), 0.5, b.div(powers, total))


def _probit(b: NnBuilder, p: ir.Value) -> ir.Value:
    """sqrt(2) * erfinv(2p - 1), with Winitzki's approximation of erfinv, as runtimes compute it."""
    x = b.sub(b.mul(p, 2.0), 1.0)
    log = b.log(b.mul(b.sub(1.0, x), b.add(x, 1.0)))
    v = b.add(b.mul(log, 0.5), 2 / (np.pi * 0.147))
    root = b.sqrt(b.sub(b.sqrt(b.sub(b.mul(v, v), b.mul(log, 1 / 0.147))), v))
    return b.mul(b.select(b.lt(x, 0.0), b.neg(root), root), 1.41421356)


def two_sided(b: NnBuilder, score: ir.Value, name: str, complement: bool) -> ir.Value:
    """[N, 2] of the [N, 1] score of the second of two classes.

    Args:
        complement: the score is a probability, and the first class gets 1 - score; else -score.
    """
    if name == "PROBIT":
        raise LoweringError("post_transform='PROBIT' has no meaning for two classes that share one score")
    if name == "LOGISTIC":
        return b.concat(b.logistic(b.neg(score)), b.logistic(score), axis=1)
    return b.concat(b.sub(1.0, score) if complement else b.neg(score), score, axis=1)


class Labels:
    """The class labels of a classifier: integers, or strings, which cannot be results of compiled code yet."""

    def __init__(self, op: Node, integers: list[int] | None, strings: list[str] | None) -> None:
        self.op = op
        self.numbers = np.array(integers or [], np.int64)
        self.are_strings = bool(strings)
        self.count = len(strings or integers or ())

    def pick(self, b: NnBuilder, index: ir.Value) -> ir.Value | None:
        """The labels at [N] indices; None for strings that nothing uses."""
        if self.are_strings:
            if self.op.wants(0):
                raise LoweringError(
                    "its labels are strings, which have no device form; use the scores, or integer labels "
                    "(with skl2onnx: fit on integers)"
                )
            return None
        if not self.count:
            return b.cast_to(index, "i64")
        return b.gather(b.constant(self.numbers), index, axis=0)

    def top(self, b: NnBuilder, scores: ir.Value) -> ir.Value | None:
        """The label of the largest of [N, K] scores, the first of equals."""
        return self.pick(b, b.arg_reduce(scores, kind="max", axis=1, keepdims=False, last=False))

    def second_if(self, b: NnBuilder, condition: ir.Value) -> ir.Value | None:
        """The second label where the [N, 1] condition holds, else the first."""
        return self.pick(b, b.cast_to(b.squeeze(condition, [1]), "i64"))
