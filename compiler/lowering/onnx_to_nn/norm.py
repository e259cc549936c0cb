"""Normalisations: by statistics of the batch, of each instance, group, layer or neighbourhood."""

from __future__ import annotations

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.dims import axes_of, axis_of
from davit.dialects.types import DType, dtype
from davit.mlir import ir


def wide(b: NnBuilder, x: ir.Value) -> ir.Value:
    """16-bit floats are computed in f32 and rounded once, at the end."""
    dt = b.dtype(x)
    return b.cast_to(x, "f32") if dt.is_float and dt.bits <= 16 else x


def count(b: NnBuilder, x: ir.Value, axes: tuple[int, ...], dt: DType) -> ir.Value | float:
    """The number of elements along ``axes``: a number when it is known."""
    sizes = [b.shape(x)[a] for a in axes]
    if all(isinstance(d, int) for d in sizes):
        return float(np.prod(sizes))
    picked = b.gather(b.shape_of(x), np.array(axes, np.int64), axis=0)
    return b.cast_to(b.reduce(picked, kind="prod", axes=(0,), keepdims=False), dt)


def mean(b: NnBuilder, x: ir.Value, axes: tuple[int, ...]) -> ir.Value:
    """The mean along ``axes``, which are kept with size 1."""
    return b.div(b.reduce(x, kind="sum", axes=axes, keepdims=True), count(b, x, axes, b.dtype(x)))


def standardise(b: NnBuilder, x: ir.Value, axes: tuple[int, ...], epsilon: float):
    """(x - mean) / sqrt(variance + epsilon) in two passes; also mean and 1/sqrt(variance + epsilon)."""
    mu = mean(b, x, axes)
    centred = b.sub(x, mu)
    inverse = b.rsqrt(b.add(mean(b, b.mul(centred, centred), axes), epsilon))
    return b.mul(centred, inverse), mu, inverse


def channels(b: NnBuilder, v: ir.Value, rank: int) -> ir.Value:
    """[C] as [C, 1, ...], which broadcasts over a tensor [N, C, ...] of the given rank."""
    return b.unsqueeze(v, range(1, rank - 1)) if rank > 2 else v


def stash(op: Node) -> DType:
    """The element type that ``stash_type`` (a TensorProto.DataType) names."""
    names = {1: "f32", 10: "f16", 11: "f64", 16: "bf16"}
    if op.attr.stash_type not in names:
        raise LoweringError(f"stash_type={op.attr.stash_type} is none of 1 (float), 10, 11 and 16")
    return dtype(names[op.attr.stash_type])


@lowers("layernormalization")
def layer_normalization(op: Node, b: NnBuilder):
    """LayerNormalization-17: statistics over ``axis`` and all that follow."""
    x, rank = op.x, b.rank(op.x)
    axes = tuple(range(axis_of(op.attr.axis, rank), rank))
    # The stated precision is a lower bound: nothing is computed in less than the input's own type.
    inner = x if b.dtype(x).bits > stash(op).bits else b.cast_to(x, stash(op))
    y, mu, inverse = standardise(b, wide(b, inner), axes, op.attr.epsilon)
    y = b.mul(b.cast_to(y, b.dtype(x)), op.scale)
    if op.b is not None:
        y = b.add(y, op.b)
    return y, b.cast_to(mu, stash(op)) if op.wants(1) else None, b.cast_to(inverse, stash(op)) if op.wants(2) else None


@lowers("rmsnormalization")
def rms_normalization(op: Node, b: NnBuilder):
    """RMSNormalization-23: x / sqrt(mean(x^2) + epsilon) over ``axis`` and all that follow."""
    x, rank = op.x, b.rank(op.x)
    axes = tuple(range(axis_of(op.attr.axis, rank), rank))
    inner = wide(b, x if b.dtype(x).bits > stash(op).bits else b.cast_to(x, stash(op)))
    y = b.mul(inner, b.rsqrt(b.add(mean(b, b.mul(inner, inner), axes), op.attr.epsilon)))
    return b.mul(b.cast_to(y, b.dtype(op.scale)), op.scale)


@lowers("batchnormalization")
def batch_normalization(op: Node, b: NnBuilder):
    """BatchNormalization-15. In inference, scale and shift of each channel are folded into one pair."""
    x, rank = op.x, b.rank(op.x)
    out = b.dtype(x)
    inner, scale, bias = wide(b, x), wide(b, op.scale), wide(b, op.b)
    mu, var = wide(b, op.input_mean), wide(b, op.input_var)
    running = ()
    if op.attr.training_mode:
        axes = tuple(i for i in range(rank) if i != 1)
        now = mean(b, inner, axes)
        centred = b.sub(inner, now)
        spread = mean(b, b.mul(centred, centred), axes)
        momentum = op.attr.momentum
        flat = [b.squeeze(v, axes) for v in (now, spread)]
        running = tuple(
            b.add(b.mul(old, momentum), b.mul(b.cast_to(new, b.dtype(old)), 1.0 - momentum))
            for old, new in zip((mu, var), flat, strict=True)
        )
        mu, var = (b.cast_to(v, b.dtype(inner)) for v in flat)
    compute = max((b.dtype(v) for v in (inner, scale, mu)), key=lambda t: t.bits)
    scale, bias, mu, var = (b.cast_to(v, compute) for v in (scale, bias, mu, var))
    factor = b.mul(scale, b.rsqrt(b.add(var, op.attr.epsilon)))
    if op.attr.training_mode:
        centred = b.sub(b.cast_to(inner, compute), channels(b, mu, rank))
        y = b.add(b.mul(centred, channels(b, factor, rank)), channels(b, bias, rank))
    else:
        shift = b.sub(bias, b.mul(mu, factor))
        y = b.add(b.mul(b.cast_to(inner, compute), channels(b, factor, rank)), channels(b, shift, rank))
    types = [b.dtype(op.input_mean), b.dtype(op.input_var)]
    return (b.cast_to(y, out), *(b.cast_to(v, t) for v, t in zip(running, types, strict=False)))


@lowers("instancenormalization")
def instance_normalization(op: Node, b: NnBuilder):
    """InstanceNormalization-22: statistics over the spatial dimensions."""
    x, rank = op.input, b.rank(op.input)
    y = standardise(b, wide(b, x), tuple(range(2, rank)), op.attr.epsilon)[0] if rank > 2 else b.sub(x, x)
    scale, bias = (channels(b, b.cast_to(v, b.dtype(y)), rank) for v in (op.scale, op.b))
    return b.cast_to(b.add(b.mul(y, scale), bias), b.dtype(x))


@lowers("groupnormalization")
def group_normalization(op: Node, b: NnBuilder):
    """GroupNormalization-21: statistics over a group of channels and the spatial dimensions."""
    x, rank, groups = op.x, b.rank(op.x), op.attr.num_groups
    c = b.shape(x)[1]
    if isinstance(c, int) and c % groups:
        raise LoweringError(f"{c} channels are no multiple of num_groups={groups}")
    inner = x if b.dtype(x).bits > stash(op).bits else b.cast_to(x, stash(op))
    shape = b.shape_of(x)
    parts = [b.take(shape, 0), b.constant(np.array([groups, -1], np.int64))]
    grouped = b.reshape(wide(b, inner), b.concat(*parts, axis=0))
    y = b.reshape(standardise(b, grouped, (2,), op.attr.epsilon)[0], shape)
    y = b.cast_to(y, b.dtype(x))
    return b.add(b.mul(y, channels(b, op.scale, rank)), channels(b, op.bias, rank))


@lowers("meanvariancenormalization")
def mean_variance_normalization(op: Node, b: NnBuilder):
    """MeanVarianceNormalization-13: (x - mean) / (sqrt(variance) + 1e-9), as its function body has it."""
    x = wide(b, op.x)
    axes = axes_of(tuple(op.attr.axes), b.rank(x))
    mu = mean(b, x, axes)
    variance = b.sub(mean(b, b.mul(x, x), axes), b.mul(mu, mu))
    y = b.div(b.sub(x, mu), b.add(b.sqrt(b.maximum(variance, 0.0)), 1e-9))
    return b.cast_to(y, b.dtype(op.x))


@lowers("lpnormalization")
def lp_normalization(op: Node, b: NnBuilder):
    """LpNormalization-22: a row whose norm is 0 stays 0."""
    x = wide(b, op.input)
    axis = (axis_of(op.attr.axis, b.rank(x)),)
    if op.attr.p not in (1, 2):
        raise LoweringError(f"p={op.attr.p} is neither 1 nor 2")
    terms = b.abs(x) if op.attr.p == 1 else b.mul(x, x)
    norm = b.reduce(terms, kind="sum", axes=axis, keepdims=True)
    if op.attr.p == 2:
        norm = b.sqrt(norm)
    empty = b.eq(norm, 0.0)
    y = b.select(empty, 0.0, b.div(x, b.select(empty, 1.0, norm)))
    return b.cast_to(y, b.dtype(op.input))


@lowers("lrn")
def lrn(op: Node, b: NnBuilder):
    """LRN-13: x / (bias + alpha/size * sum of x^2 over neighbouring channels)^beta."""
    x = wide(b, op.x)
    size, rank = op.attr.size, b.rank(x)
    low, high = (size - 1) // 2, size - 1 - (size - 1) // 2
    squares = b.mul(x, x)
    zero = b.constant(np.zeros((), b.dtype(x).numpy))
    amounts = [(low, high) if i == 1 else (0, 0) for i in range(rank)]
    padded = b.pad(squares, zero, low=[a for a, _ in amounts], high=[h for _, h in amounts])
    channels_ = b.take(b.shape_of(x), 1)
    total: ir.Value | None = None
    for i in range(size):
        at = b.add(b.iota(channels_, axis=0, dtype=dtype("i64")), i)
        part = b.gather(padded, at, axis=1)
        total = part if total is None else b.add(total, part)
    y = b.div(x, b.pow(b.add(b.mul(total, op.attr.alpha / size), op.attr.bias), op.attr.beta))
    return b.cast_to(y, b.dtype(op.x))
