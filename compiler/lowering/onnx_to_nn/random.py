"""Random numbers. A compiled program is a function of its inputs: it draws the same numbers in every run.

``seed`` chooses them; nodes with equal seeds draw equal numbers. A node without a seed has seed 0 and a stream of its
own, made of its name. Values come from Philox; only Dropout uses the Mersenne Twister, with which ONNX defines the
masks that its test cases expect.
"""

from __future__ import annotations

import hashlib
import math
import struct

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.elementwise import element
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.types import DTYPES, DType
from davit.mlir import ir

F32 = DTYPES["f32"]
F64 = DTYPES["f64"]
I32 = DTYPES["i32"]
I64 = DTYPES["i64"]
UI64 = DTYPES["ui64"]


def seed_of(op: Node) -> tuple[int, int]:
    """(seed, stream) of a node; a seed that is a whole number stands for itself, another one for its bits."""
    seed = op.attr.seed
    if seed is None:
        return 0, int.from_bytes(hashlib.blake2s(op.view.name.encode(), digest_size=4).digest(), "little") or 1
    if math.isfinite(seed) and seed == int(seed) and abs(seed) < 2**62:
        return int(seed), 0
    return struct.unpack("<q", struct.pack("<d", seed))[0], 0


def unit(b: NnBuilder, bits: ir.Value, dt: DType) -> ir.Value:
    """Uniform numbers in [0, 1) with all bits that f32 or f64 can hold below 1."""
    if dt == F32:
        return b.mul(b.cast_to(b.cast_to(b.shift_right_logical(bits, 40), I32), F32), 2.0**-24)
    high, low = b.shift_right_logical(bits, 37), b.and_(b.shift_right_logical(bits, 6), (1 << 26) - 1)
    return b.mul(b.cast_to(b.cast_to(b.or_(b.shift_left(high, 26), low), I64), F64), 2.0**-53)


def uniform(op: Node, b: NnBuilder, shape: ir.Value, dt: DType, part: int = 0) -> ir.Value:
    """Uniform numbers of a node in f32, or f64 for results of that type; ``part`` sets independent draws apart."""
    seed, stream = seed_of(op)
    bits = b.random_bits(shape, generator="philox", seed=seed, stream=(stream + part * 0x9E3779B9) & 0xFFFFFFFF)
    return unit(b, bits, F64 if dt == F64 else F32)


def _float(data_type: int | None, like: DType | None) -> DType:
    """The result's type: the attribute's, or the input's."""
    dt = element(data_type) if data_type is not None else like
    if dt is None or not dt.is_float:
        raise LoweringError(f"dtype must be a float type, but is {dt}")
    return dt


def _uniform_node(op: Node, b: NnBuilder, shape: ir.Value, dt: DType) -> ir.Value:
    """low + u * (high - low), below high."""
    low, high = op.attr.low, op.attr.high
    out = b.cast_to(b.add(b.mul(uniform(op, b, shape, dt), high - low), low), dt)
    if not low < high:
        return out
    below = np.nextafter(np.asarray(high).astype(dt.numpy), np.asarray(low).astype(dt.numpy))
    return b.minimum(out, b.constant(below))  # rounding may reach high


def _normal_node(op: Node, b: NnBuilder, shape: ir.Value, dt: DType) -> ir.Value:
    """Box and Muller's transform of two uniform numbers, one of them in (0, 1]."""
    radius = b.sqrt(b.mul(b.log(b.sub(1.0, uniform(op, b, shape, dt))), -2.0))
    turn = b.cos(b.mul(uniform(op, b, shape, dt, part=1), 2 * math.pi))
    return b.cast_to(b.add(b.mul(b.mul(radius, turn), op.attr.scale), op.attr.mean), dt)


def _fixed(op: Node, b: NnBuilder) -> ir.Value:
    return b.constant(np.array(op.attr.shape, np.int64))


@lowers("randomuniform")
def random_uniform(op: Node, b: NnBuilder) -> ir.Value:
    return _uniform_node(op, b, _fixed(op, b), _float(op.attr.dtype, None))


@lowers("randomuniformlike")
def random_uniform_like(op: Node, b: NnBuilder) -> ir.Value:
    return _uniform_node(op, b, b.shape_of(op.input), _float(op.attr.dtype, b.dtype(op.input)))


@lowers("randomnormal")
def random_normal(op: Node, b: NnBuilder) -> ir.Value:
    return _normal_node(op, b, _fixed(op, b), _float(op.attr.dtype, None))


@lowers("randomnormallike")
def random_normal_like(op: Node, b: NnBuilder) -> ir.Value:
    return _normal_node(op, b, b.shape_of(op.input), _float(op.attr.dtype, b.dtype(op.input)))


@lowers("bernoulli")
def bernoulli(op: Node, b: NnBuilder) -> ir.Value:
    """1 with the probability that the input holds."""
    p, dt = op.input, b.dtype(op.input)
    p = b.cast_to(p, F64 if dt == F64 else F32)
    hit = b.lt(uniform(op, b, b.shape_of(p), dt), p)
    return b.cast_to(hit, dt if op.attr.dtype is None else element(op.attr.dtype))


@lowers("multinomial")
def multinomial(op: Node, b: NnBuilder) -> ir.Value:
    """Draws per row from classes with the given logarithms of weights: the first class whose running sum exceeds u."""
    x = op.input
    if b.rank(x) != 2:
        raise LoweringError(f"its input must be [batch, classes], but has {b.rank(x)} dimensions")
    if op.attr.sample_size < 0:
        raise LoweringError(f"sample_size is {op.attr.sample_size}; it must not be negative")
    wide = F64 if b.dtype(x) == F64 else F32
    weights = b.softmax(b.cast_to(x, wide), axis=1, log=False)
    running = b.cumulative(weights, b.constant(np.int64(1)), kind="sum")
    shape = b.concat(b.take(b.shape_of(x), 0), b.constant(np.array([op.attr.sample_size], np.int64)), axis=0)
    total = b.reduce(weights, kind="sum", axes=(1,), keepdims=True)
    u = b.mul(uniform(op, b, shape, wide), total)
    passed = b.ge(b.unsqueeze(u, [2]), b.unsqueeze(running, [1]))
    count = b.reduce(b.cast_to(passed, I64), kind="sum", axes=(2,), keepdims=False)
    last = b.sub(b.reshape_to(b.take(b.shape_of(x), 1), []), 1)
    out = element(op.attr.dtype)
    if out not in (I32, I64):
        raise LoweringError(f"dtype must be int32 or int64, but is {out}")
    return b.cast_to(b.minimum(count, last), out)


@lowers("dropout")
def dropout(op: Node, b: NnBuilder) -> tuple[ir.Value, ir.Value]:
    """In training, zeroes elements with probability ``ratio`` and scales the others; else the identity."""
    x, training, dt = op.data, op.training_mode, b.dtype(op.data)
    kept = b.broadcast_to(b.constant(np.array(True)), b.shape_of(x))
    known = b.constant_of(training)
    if training is None or (known is not None and not known.any()):
        return x, kept
    ratio = b.constant(np.float64(0.5)) if op.ratio is None else b.cast_to(_scalar(b, op.ratio), F64)
    seed, stream = seed_of(op)
    bits = b.random_bits(b.shape_of(x), generator="twister", seed=(seed ^ stream) & 0xFFFFFFFF)
    training = _scalar(b, training)
    chosen = b.or_(b.ge(unit(b, bits, F64), ratio), b.not_(training))
    scale = b.cast_to(b.div(1.0, b.sub(1.0, ratio)), F32 if dt.bits <= 32 else F64)
    wide = b.mul(b.cast_to(x, b.dtype(scale)), b.select(training, scale, 1.0))
    return b.select(chosen, b.cast_to(wide, dt), b.constant(np.zeros((), dt.numpy))), chosen


def _scalar(b: NnBuilder, v: ir.Value) -> ir.Value:
    return b.reshape_to(v, []) if b.rank(v) else v
