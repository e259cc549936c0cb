"""RNN, GRU and LSTM: one product for the inputs of all steps, then a loop over the steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.loops import Iteration, Stack, iterate
from davit.compiler.lowering.onnx_to_nn.norm import wide
from davit.compiler.lowering.onnx_to_nn.structure import join
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.types import DTYPES
from davit.mlir import ir

I64 = DTYPES["i64"]
Activation = Callable[[ir.Value], ir.Value]

STEP_OPS = 12
"""About how many ops a step is, for the decision to unroll short sequences."""

_DEFAULTS: dict[str, tuple[float | None, float | None]] = {
    # activation: default alpha and beta; None for a parameter that it does not take (RNN-22, "activations")
    "relu": (None, None),
    "tanh": (None, None),
    "sigmoid": (None, None),
    "softsign": (None, None),
    "softplus": (None, None),
    "leakyrelu": (0.01, None),
    "thresholdedrelu": (1.0, None),
    "elu": (1.0, None),
    "affine": (1.0, 0.0),
    "scaledtanh": (1.0, 1.0),
    "hardsigmoid": (0.2, 0.5),
}


def activation(b: NnBuilder, name: str, alpha: float, beta: float) -> Activation:
    """An activation of the recurrent operators.

    Raises:
        LoweringError: there is none of that name.
    """
    functions: dict[str, Activation] = {
        "relu": lambda x: b.maximum(x, 0.0),
        "tanh": b.tanh,
        "sigmoid": b.logistic,
        "softsign": lambda x: b.div(x, b.add(b.abs(x), 1.0)),
        "softplus": lambda x: b.add(b.maximum(x, 0.0), b.log1p(b.exp(b.neg(b.abs(x))))),
        "leakyrelu": lambda x: b.select(b.lt(x, 0.0), b.mul(x, alpha), x),
        "thresholdedrelu": lambda x: b.select(b.gt(x, alpha), x, 0.0),
        "elu": lambda x: b.select(b.lt(x, 0.0), b.mul(b.expm1(x), alpha), x),
        "affine": lambda x: b.add(b.mul(x, alpha), beta),
        "scaledtanh": lambda x: b.mul(b.tanh(b.mul(x, beta)), alpha),
        "hardsigmoid": lambda x: b.minimum(b.maximum(b.add(b.mul(x, alpha), beta), 0.0), 1.0),
    }
    if name.lower() not in functions:
        raise LoweringError(f"there is no activation {name!r}; there are {', '.join(_DEFAULTS)}")
    return functions[name.lower()]


def activations(op: Node, b: NnBuilder, defaults: Sequence[str], directions: int) -> list[list[Activation]]:
    """The activations of each direction; alpha and beta are taken in order by those that have them."""
    names = list(op.attr.activations or []) or list(defaults) * directions
    if len(names) < len(defaults) * directions:  # (RNN's schema has a default of two, for both directions)
        raise LoweringError(f"activations names {len(names)} functions where {len(defaults) * directions} are needed")
    names = names[: len(defaults) * directions]
    alphas, betas = iter(op.attr.activation_alpha or ()), iter(op.attr.activation_beta or ())

    def parameter(default: float | None, given: Iterator[float]) -> float:
        return 0.0 if default is None else next(given, default)

    made = []
    for name in names:
        alpha, beta = _DEFAULTS.get(name.lower(), (None, None))
        made.append(activation(b, name, parameter(alpha, alphas), parameter(beta, betas)))
    n = len(defaults)
    return [made[i * n : (i + 1) * n] for i in range(directions)]


@dataclass
class Direction:
    """What one direction computes with, in the computing type.

    Attributes:
        x: [T, N, gates*H], the inputs' part of all gates with their biases.
        r: [H, gates*H].
        rb: [gates*H], the recurrent biases, or None when they are part of ``x``.
        p: peepholes [3H], or None.
        states: initial values [N, H].
    """

    x: ir.Value
    r: ir.Value
    rb: ir.Value | None
    p: ir.Value | None
    states: list[ir.Value]
    functions: list[Activation]


Cell = Callable[[Direction, ir.Value, Sequence[ir.Value]], list[ir.Value]]
"""(direction, [N, gates*H] of this step, states) -> new states; the first is the output."""


def recurrent(op: Node, b: NnBuilder, gates: int, defaults: Sequence[str], cell: Cell, *, split_bias: bool = False):
    """The frame of the three operators: layouts, directions, sequence lengths, the loop."""
    kind = op.attr.direction or "forward"
    if kind not in ("forward", "reverse", "bidirectional"):
        raise LoweringError(f"direction={kind!r} is not one of forward, reverse, bidirectional")
    count = 2 if kind == "bidirectional" else 1
    x = wide(b, op.x)
    layout = bool(op.attr.layout)
    if layout:
        x = b.transpose(x, perm=(1, 0, 2))
    hidden = _hidden(op, b, gates)
    functions = activations(op, b, defaults, count)
    lengths = None if op.sequence_lens is None else b.cast_to(op.sequence_lens, I64)
    initial = [op.initial_h, *([op.initial_c] if gates == 4 else [])]
    columns, ends = [], []
    for d in range(count):
        backward = kind == "reverse" or d == 1
        xs = _turned(b, x, lengths) if backward else x
        direction = _direction(op, b, xs, d, hidden, gates, functions[d], split_bias)
        for start in initial:
            direction.states.append(_start(b, start, d, layout, x, hidden))
        y, states = _loop(op, b, direction, cell, lengths)
        columns.append(_turned(b, y, lengths) if backward else y)
        ends.append(states)
    out = b.dtype(op.x)
    y = b.concat(*(b.unsqueeze(c, [1]) for c in columns), axis=1)  # [T, D, N, H]
    if layout:
        y = b.transpose(y, perm=(2, 0, 1, 3))
    finals = []
    for k in range(len(initial)):
        state = b.concat(*(b.unsqueeze(e[k], [0]) for e in ends), axis=0)
        finals.append(b.cast_to(b.transpose(state, perm=(1, 0, 2)) if layout else state, out))
    return (b.cast_to(y, out), *finals)


def _hidden(op: Node, b: NnBuilder, gates: int) -> int:
    size = b.shape(op.r)[2]
    if not isinstance(size, int):
        size = op.attr.hidden_size
    if not isinstance(size, int):
        raise LoweringError("neither hidden_size nor the shape of R says how large the state is")
    return size


def _pick(b: NnBuilder, v: ir.Value, d: int) -> ir.Value:
    """Direction ``d`` of a weight, whose first dimension goes."""
    rank = b.rank(v)
    part = b.slice(v, starts=[d] + [0] * (rank - 1), limits=[d + 1] + [2**63 - 1] * (rank - 1), strides=[1] * rank)
    return b.squeeze(part, [0])


def part(b: NnBuilder, v: ir.Value, k: int, hidden: int) -> ir.Value:
    """Gate ``k`` of the last dimension."""
    rank = b.rank(v)
    return b.slice(
        v,
        starts=[0] * (rank - 1) + [k * hidden],
        limits=[2**63 - 1] * (rank - 1) + [(k + 1) * hidden],
        strides=[1] * rank,
    )


def _direction(op, b: NnBuilder, x, d: int, hidden: int, gates: int, functions, split_bias: bool) -> Direction:
    dt = b.dtype(x)
    w, r = (b.transpose(b.cast_to(_pick(b, v, d), dt), perm=(1, 0)) for v in (op.w, op.r))
    projected = b.matmul(x, w, out=dt)
    rb = None
    if op.b is not None:
        bias = b.cast_to(_pick(b, op.b, d), dt)
        wb, rb = (b.slice(bias, starts=(k,), limits=(k + gates * hidden,), strides=(1,)) for k in (0, gates * hidden))
        if split_bias:
            projected = b.add(projected, wb)
        else:
            projected, rb = b.add(projected, b.add(wb, rb)), None
    peepholes = getattr(op, "p", None) if gates == 4 else None
    p = None if peepholes is None else b.cast_to(_pick(b, peepholes, d), dt)
    return Direction(projected, r, rb, p, [], functions)


def _start(b: NnBuilder, given: ir.Value | None, d: int, layout: bool, x: ir.Value, hidden: int) -> ir.Value:
    dt = b.dtype(x)
    if given is not None:
        given = b.cast_to(given, dt)
        return _pick(b, b.transpose(given, perm=(1, 0, 2)) if layout else given, d)
    shape = join(b, [b.take(b.shape_of(x), 1), hidden])
    return b.broadcast_to(b.constant(np.zeros((), dt.numpy)), shape)


def _turned(b: NnBuilder, x: ir.Value, lengths: ir.Value | None) -> ir.Value:
    """[T, N, F] backwards in time; with lengths, only the first so many steps of each sequence."""
    steps = b.take(b.shape_of(x), 0)
    t = b.iota(steps, axis=0, dtype=I64)
    if lengths is None:
        return b.gather(x, b.sub(b.sub(steps, 1), t), axis=0)
    t = b.unsqueeze(t, [1])
    last = b.sub(b.unsqueeze(lengths, [0]), 1)
    at = b.select(b.le(t, last), b.sub(last, t), t)  # [T, N]
    at = b.broadcast_to(b.unsqueeze(at, [2]), b.shape_of(x))
    return b.gather_elements(x, at, axis=0)


def _loop(op: Node, b: NnBuilder, direction: Direction, cell: Cell, lengths: ir.Value | None):
    steps = b.shape(direction.x)[0]
    trips = steps if isinstance(steps, int) else b.reshape_to(b.take(b.shape_of(direction.x), 0), ())

    def step(i: ir.Value, states: Sequence[ir.Value]) -> Iteration:
        now = b.squeeze(b.gather(direction.x, b.reshape_to(i, (1,)), axis=0), [0])
        made = cell(direction, now, states)
        out = made[0]
        if lengths is not None:  # past its end a sequence keeps its state and gives zeros
            runs = b.unsqueeze(b.lt(b.reshape_to(i, (1,)), lengths), [1])
            out = b.select(runs, out, 0.0)
            made = [b.select(runs, new, old) for new, old in zip(made, states, strict=True)]
        return Iteration(None, made, [out])

    states, stacked = iterate(op, b, trips, None, direction.states, step, [Stack(0, False)], size=STEP_OPS)
    return stacked[0], states


def _clip(op: Node, b: NnBuilder, x: ir.Value) -> ir.Value:
    limit = op.attr.clip
    return x if limit is None else b.minimum(b.maximum(x, -limit), limit)


@lowers("rnn")
def rnn(op: Node, b: NnBuilder):
    """RNN-22: Ht = f(Xt Wi^T + Ht-1 Ri^T + Wbi + Rbi)."""

    def cell(d: Direction, x: ir.Value, states: Sequence[ir.Value]) -> list[ir.Value]:
        total = b.add(x, b.matmul(states[0], d.r, out=b.dtype(x)))
        return [d.functions[0](_clip(op, b, total))]

    return recurrent(op, b, 1, ("Tanh",), cell)


@lowers("gru")
def gru(op: Node, b: NnBuilder):
    """GRU-22; gates in the order z, r, h."""
    hidden = _hidden(op, b, 3)

    def cell(d: Direction, x: ir.Value, states: Sequence[ir.Value]) -> list[ir.Value]:
        (h,) = states
        dt = b.dtype(x)
        f, g = d.functions
        xs = [part(b, x, k, hidden) for k in range(3)]
        rs = [part(b, d.r, k, hidden) for k in range(3)]
        rb = [None if d.rb is None else part(b, d.rb, k, hidden) for k in range(3)]

        def recurrence(v: ir.Value, k: int) -> ir.Value:
            y = b.matmul(v, rs[k], out=dt)
            return y if rb[k] is None else b.add(y, rb[k])

        z, r = (f(_clip(op, b, b.add(xs[k], recurrence(h, k)))) for k in (0, 1))
        inner = b.mul(r, recurrence(h, 2)) if op.attr.linear_before_reset else recurrence(b.mul(r, h), 2)
        new = g(_clip(op, b, b.add(xs[2], inner)))
        return [b.add(b.mul(b.sub(1.0, z), new), b.mul(z, h))]

    return recurrent(op, b, 3, ("Sigmoid", "Tanh"), cell, split_bias=True)


@lowers("lstm")
def lstm(op: Node, b: NnBuilder):
    """LSTM-22; gates in the order i, o, f, c, peepholes in the order i, o, f."""
    hidden = _hidden(op, b, 4)

    def cell(d: Direction, x: ir.Value, states: Sequence[ir.Value]) -> list[ir.Value]:
        h, c = states
        f, g, last = d.functions
        total = b.add(x, b.matmul(h, d.r, out=b.dtype(x)))
        i, o, forget, new = (part(b, total, k, hidden) for k in range(4))

        def peep(v: ir.Value, k: int, state: ir.Value) -> ir.Value:
            return v if d.p is None else b.add(v, b.mul(part(b, d.p, k, hidden), state))

        i = f(_clip(op, b, peep(i, 0, c)))
        forget = b.sub(1.0, i) if op.attr.input_forget else f(_clip(op, b, peep(forget, 2, c)))
        state = b.add(b.mul(forget, c), b.mul(i, g(_clip(op, b, new))))
        o = f(_clip(op, b, peep(o, 1, state)))
        return [b.mul(o, last(state)), state]

    return recurrent(op, b, 4, ("Sigmoid", "Tanh", "Tanh"), cell)
