"""Matrix products and determinants: MatMul, Gemm, Det."""

from __future__ import annotations

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.nn_builder import NnBuilder


@lowers("matmul")
def matmul(op: Node, b: NnBuilder):
    """MatMul-13: numpy.matmul; integers wrap in their own type."""
    return b.matmul(op.a, op.b, out=b.dtype(op.a))


@lowers("gemm")
def gemm(op: Node, b: NnBuilder):
    """Gemm-13: alpha * A' * B' + beta * C; on integers the factors are truncated as the reference does."""
    x = b.transpose(op.a, perm=(1, 0)) if op.attr.transA else op.a
    w = b.transpose(op.b, perm=(1, 0)) if op.attr.transB else op.b
    if b.rank(op.a) != 2 or b.rank(op.b) != 2:
        raise LoweringError(f"takes matrices, got ranks {b.rank(op.a)} and {b.rank(op.b)}")
    y = b.matmul(x, w, out=b.dtype(x))
    if op.attr.alpha != 1.0:
        y = b.mul(y, op.attr.alpha)
    if op.c is None or op.attr.beta == 0.0:
        return y
    return b.add(y, op.c if op.attr.beta == 1.0 else b.mul(op.c, op.attr.beta))


@lowers("det")
def det(op: Node, b: NnBuilder):
    """Det-22: determinants of the square matrices in the last two dimensions."""
    x, rank = op.x, b.rank(op.x)
    own = b.shape_of(x)
    side = b.slice(own, starts=(rank - 2,), limits=(rank,), strides=(1,))
    lines = b.det(b.reshape(x, b.concat(np.array([-1]), side, axis=0)))
    return b.reshape(lines, b.slice(own, starts=(0,), limits=(rank - 2,), strides=(1,)))
