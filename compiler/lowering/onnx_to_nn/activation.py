"""Activation functions as compositions of elementwise nn ops.

Formulas of more than one rounding step are computed in f32 for 16-bit floats. Exponentials are written so that they
do not overflow where the function itself is finite.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.types import DTYPES
from davit.mlir import ir

F32 = DTYPES["f32"]
F64 = DTYPES["f64"]


def in_f32(b: NnBuilder, x: ir.Value, fn: Callable[[ir.Value], ir.Value]) -> ir.Value:
    """``fn`` computed in f32 when ``x`` is a 16-bit float, rounded to its type once."""
    dt = b.dtype(x)
    if dt.is_float and dt.bits == 16:
        return b.cast_to(fn(b.cast_to(x, F32)), dt)
    return fn(x)


# -- piecewise linear ---------------------------------------------------------------------------------------------


@lowers("relu")
def relu(op: Node, b: NnBuilder) -> ir.Value:
    return b.maximum(op.x, 0)


@lowers("leakyrelu")
def leaky_relu(op: Node, b: NnBuilder) -> ir.Value:
    return in_f32(b, op.x, lambda x: b.select(b.lt(x, 0), b.mul(x, op.attr.alpha), x))


@lowers("prelu")
def prelu(op: Node, b: NnBuilder) -> ir.Value:
    """``slope`` broadcasts to x, which keeps its shape."""
    return b.select(b.lt(op.x, 0), b.mul(op.slope, op.x), op.x)


@lowers("thresholdedrelu")
def thresholded_relu(op: Node, b: NnBuilder) -> ir.Value:
    return in_f32(b, op.x, lambda x: b.select(b.gt(x, op.attr.alpha), x, 0))


@lowers("hardsigmoid")
def hard_sigmoid(op: Node, b: NnBuilder) -> ir.Value:
    def fn(x: ir.Value) -> ir.Value:
        return b.minimum(b.maximum(b.add(b.mul(x, op.attr.alpha), op.attr.beta), 0.0), 1.0)

    return in_f32(b, op.x, fn)


@lowers("hardswish")
def hard_swish(op: Node, b: NnBuilder) -> ir.Value:
    """x * max(0, min(1, x/6 + 1/2))."""

    def fn(x: ir.Value) -> ir.Value:
        return b.mul(x, b.maximum(b.minimum(b.add(b.mul(x, 1 / 6), 0.5), 1.0), 0.0))

    return in_f32(b, op.x, fn)


@lowers("shrink")
def shrink(op: Node, b: NnBuilder) -> ir.Value:
    """x + bias below -lambd, x - bias above lambd, else 0; integers are compared and moved as f64."""
    x, dt = op.input, b.dtype(op.input)
    bias, limit = op.attr.bias, op.attr.lambd
    wide = x if dt.is_float and dt.bits > 16 else b.cast_to(x, F32 if dt.is_float else F64)
    out = b.select(b.lt(wide, -limit), b.add(wide, bias), b.select(b.gt(wide, limit), b.sub(wide, bias), 0.0))
    return b.cast_to(out, dt)


# -- exponential --------------------------------------------------------------------------------------------------


@lowers("elu")
def elu(op: Node, b: NnBuilder) -> ir.Value:
    return in_f32(b, op.x, lambda x: b.select(b.gt(x, 0.0), x, b.mul(b.expm1(x), op.attr.alpha)))


@lowers("celu")
def celu(op: Node, b: NnBuilder) -> ir.Value:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1))."""
    alpha = op.attr.alpha
    if alpha == 0:
        raise LoweringError("alpha is 0, and the formula divides by it")

    def fn(x: ir.Value) -> ir.Value:
        low = b.mul(b.expm1(b.div(x, alpha)), alpha)
        return b.add(b.maximum(x, 0.0), b.minimum(low, 0.0))

    return in_f32(b, op.x, fn)


@lowers("selu")
def selu(op: Node, b: NnBuilder) -> ir.Value:
    alpha, gamma = op.attr.alpha, op.attr.gamma

    def fn(x: ir.Value) -> ir.Value:
        return b.select(b.gt(x, 0.0), b.mul(x, gamma), b.mul(b.expm1(x), alpha * gamma))

    return in_f32(b, op.x, fn)


@lowers("softplus")
def softplus(op: Node, b: NnBuilder) -> ir.Value:
    """log(exp(x) + 1) without overflow: max(x, 0) + log(1 + exp(-|x|))."""
    return in_f32(b, op.x, lambda x: b.add(b.maximum(x, 0.0), b.log1p(b.exp(b.neg(b.abs(x))))))


@lowers("mish")
def mish(op: Node, b: NnBuilder) -> ir.Value:
    """x * tanh(softplus(x)), where with e = exp(x) the tanh is n / (n + 2) of n = e * (e + 2): 1 beyond 40."""

    def fn(x: ir.Value) -> ir.Value:
        e = b.exp(b.minimum(x, 40.0))
        n = b.mul(e, b.add(e, 2.0))
        return b.mul(x, b.div(n, b.add(n, 2.0)))

    return in_f32(b, op.x, fn)


@lowers("sigmoid")
def sigmoid(op: Node, b: NnBuilder) -> ir.Value:
    return b.logistic(op.x)


@lowers("softsign")
def softsign(op: Node, b: NnBuilder) -> ir.Value:
    """x / (1 + |x|)."""
    return in_f32(b, op.input, lambda x: b.div(x, b.add(b.abs(x), 1.0)))


def _swish(b: NnBuilder, x: ir.Value, alpha: float) -> ir.Value:
    return b.mul(x, b.logistic(x if alpha == 1 else b.mul(x, alpha)))


@lowers("swish")
def swish(op: Node, b: NnBuilder) -> ir.Value:
    return in_f32(b, op.x, lambda x: _swish(b, x, op.attr.alpha))


@lowers("swiglu")
def swiglu(op: Node, b: NnBuilder) -> ir.Value:
    """The gate goes through Swish and scales the value."""
    dt = b.dtype(op.a)
    other = b.cast_to(op.b, F32) if dt.bits == 16 else op.b
    return in_f32(b, op.a, lambda a: b.mul(_swish(b, a, op.attr.alpha), other))


@lowers("gelu")
def gelu(op: Node, b: NnBuilder) -> ir.Value:
    """x/2 * (1 + erf(x / sqrt 2)), or the tanh approximation."""
    if op.attr.approximate not in ("none", "tanh"):
        raise LoweringError(f"approximate is {op.attr.approximate!r}; it must be none or tanh")

    def fn(x: ir.Value) -> ir.Value:
        if op.attr.approximate == "none":
            gate = b.erf(b.mul(x, 1 / math.sqrt(2)))
        else:
            cube = b.mul(b.mul(x, x), x)
            gate = b.tanh(b.mul(b.add(x, b.mul(cube, 0.044715)), math.sqrt(2 / math.pi)))
        return b.mul(b.mul(x, 0.5), b.add(gate, 1.0))

    return in_f32(b, op.x, fn)


# -- along an axis ------------------------------------------------------------------------------------------------


@lowers("softmax")
def softmax(op: Node, b: NnBuilder) -> ir.Value:
    return b.softmax(op.input, axis=op.attr.axis, log=False)


@lowers("logsoftmax")
def log_softmax(op: Node, b: NnBuilder) -> ir.Value:
    return b.softmax(op.input, axis=op.attr.axis, log=True)


@lowers("hardmax")
def hardmax(op: Node, b: NnBuilder) -> ir.Value:
    """1 at the first largest element along the axis, else 0."""
    x, rank = op.input, b.rank(op.input)
    if rank == 0:
        return b.add(b.mul(x, 0), 1)
    axis = op.attr.axis % rank
    best = b.arg_reduce(x, kind="max", axis=axis, keepdims=True, last=False)
    places = b.iota(b.take(b.shape_of(x), axis), axis=0, dtype=b.dtype(best))
    places = b.unsqueeze(places, list(range(1, rank - axis)))
    return b.cast_to(b.eq(places, best), b.dtype(x))
