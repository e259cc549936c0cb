"""Einsum: diagonals, sums, transposes, and pairwise products as matrix products.

Dimensions carry labels: a letter of the equation, or the place of a dimension under ``...`` counted from the right.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.structure import join
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.dims import broadcast_dim
from davit.dialects.nn.structure import END
from davit.mlir import ir

Labels = tuple[str, ...]


@dataclass
class Term:
    """A tensor with one label per dimension."""

    value: ir.Value
    labels: Labels


@lowers("einsum")
def einsum(op: Node, b: NnBuilder):
    """Einsum-28, from left to right; a label is summed as soon as no later term and not the result needs it."""
    terms, wanted = parse(op.attr.equation, [b.rank(v) for v in op.inputs])
    work = [_diagonal(b, Term(v, t)) for v, t in zip(op.inputs, terms, strict=True)]
    _check_sizes(b, work)
    total = work[0]
    for i, term in enumerate(work[1:], start=1):
        needed = {*wanted, *(x for t in work[i + 1 :] for x in t.labels)}
        total = _product(b, total, term, needed)
    total = _sum_out(b, total, set(wanted))
    return b.transpose(total.value, perm=[total.labels.index(x) for x in wanted])


def parse(equation: str, ranks: list[int]) -> tuple[list[Labels], Labels]:
    """Labels of each operand and of the result.

    Raises:
        LoweringError: the equation is malformed or does not fit the operands' ranks.
    """
    text = re.sub(r"\s", "", equation)
    left, arrow, right = text.partition("->")
    texts = left.split(",")
    if len(texts) != len(ranks):
        raise LoweringError(f"the equation {equation!r} has {len(texts)} terms for {len(ranks)} inputs")
    for part in (*texts, right):
        if not re.fullmatch(r"[A-Za-z]*(\.\.\.[A-Za-z]*)?", part):
            raise LoweringError(f"the equation {equation!r} has a malformed term {part!r}")
    terms = [_labels(part, rank, equation) for part, rank in zip(texts, ranks, strict=True)]
    under = [x for t in terms for x in t if x.startswith(".")]
    dots = tuple(f".{k}" for k in range(max((int(x[1:]) + 1 for x in under), default=0) - 1, -1, -1))
    if not arrow:  # implicit: letters that occur once, in alphabetical order
        count = Counter(x for t in terms for x in t if not x.startswith("."))
        return terms, (*dots, *sorted(x for x, n in count.items() if n == 1))
    head, gap, tail = right.partition("...")
    wanted = (*head, *(dots if gap else ()), *tail)
    known = {x for t in terms for x in t}
    if len(set(wanted)) != len(wanted) or not known.issuperset(wanted):
        raise LoweringError(f"the result {right!r} of {equation!r} repeats a label or has one that no input has")
    return terms, wanted


def _labels(part: str, rank: int, equation: str) -> Labels:
    head, gap, tail = part.partition("...")
    hidden = rank - len(head) - len(tail)
    if hidden < 0 or (hidden and not gap):
        raise LoweringError(f"the term {part!r} of {equation!r} does not fit an input of rank {rank}")
    return (*head, *(f".{k}" for k in range(hidden - 1, -1, -1)), *tail)


def _check_sizes(b: NnBuilder, terms: list[Term]) -> None:
    """Equal labels must have sizes that broadcast (raises InferError otherwise)."""
    sizes: dict = {}
    for t in terms:
        for x, d in zip(t.labels, b.shape(t.value), strict=True):
            sizes[x] = broadcast_dim(sizes.get(x, 1), d)


def _diagonal(b: NnBuilder, t: Term) -> Term:
    """Repeated labels inside one term: the two dimensions are joined and read with a stride of size + 1."""
    while len(set(t.labels)) != len(t.labels):
        x = next(x for x, n in Counter(t.labels).items() if n > 1)
        i, j = [k for k, y in enumerate(t.labels) if y == x][:2]
        rest = [k for k in range(len(t.labels)) if k not in (i, j)]
        value = b.transpose(t.value, perm=(*rest, i, j))
        rank = len(rest)
        n = b.shape(value)[-1]
        if isinstance(n, int) and isinstance(m := b.shape(value)[-2], int) and n != m:
            raise LoweringError(f"label {x!r} stands for sizes {m} and {n} of one input")
        value = _grouped(b, value, [[k] for k in range(rank)] + [[rank, rank + 1]])
        if isinstance(n, int):
            value = b.slice(value, starts=[0] * (rank + 1), limits=[END] * (rank + 1), strides=[1] * rank + [n + 1])
        else:
            step = b.add(b.take(b.shape_of(t.value), j), 1)
            zeros, ends = (b.constant(np.full(rank + 1, v, np.int64)) for v in (0, END))
            value = b.dynamic_slice(value, zeros, ends, join(b, [*[1] * rank, step]))
        t = Term(value, (*(t.labels[k] for k in rest), x))
    return t


def _grouped(b: NnBuilder, v: ir.Value, groups: list[list[int]]) -> ir.Value:
    """Join neighbouring dimensions; an empty group is a new dimension of size 1."""
    shape = b.shape_of(v)
    sizes: list[ir.Value | int] = []
    for g in groups:
        if not g:
            sizes.append(1)
        elif len(g) == 1:
            sizes.append(b.take(shape, g[0]))
        else:
            part = b.slice(shape, starts=(g[0],), limits=(g[-1] + 1,), strides=(1,))
            sizes.append(b.reduce(part, kind="prod", axes=(0,), keepdims=True))
    return b.reshape(v, join(b, sizes))


def _sum_out(b: NnBuilder, t: Term, needed: set[str]) -> Term:
    axes = [i for i, x in enumerate(t.labels) if x not in needed]
    if not axes:
        return t
    labels = tuple(x for x in t.labels if x in needed)
    return Term(b.reduce(t.value, kind="sum", axes=axes, keepdims=False), labels)


def _product(b: NnBuilder, x: Term, y: Term, needed: set[str]) -> Term:
    """Two terms as one: [shared..., left, summed] times [shared..., summed, right]."""
    x = _sum_out(b, x, needed | set(y.labels))
    y = _sum_out(b, y, needed | set(x.labels))
    shared = [n for n in x.labels if n in y.labels and n in needed]
    summed = [n for n in x.labels if n in y.labels and n not in needed]
    left = [n for n in x.labels if n not in y.labels]
    right = [n for n in y.labels if n not in x.labels]
    labels = (*shared, *left, *right)
    if not summed:
        return Term(b.mul(_spread(b, x, labels), _spread(b, y, labels)), labels)
    k = len(shared)
    heads = [[i] for i in range(k)]
    u = b.transpose(x.value, perm=[x.labels.index(n) for n in (*shared, *left, *summed)])
    v = b.transpose(y.value, perm=[y.labels.index(n) for n in (*shared, *summed, *right)])
    u2 = _grouped(b, u, [*heads, _run(k, len(left)), _run(k + len(left), len(summed))])
    v2 = _grouped(b, v, [*heads, _run(k, len(summed)), _run(k + len(summed), len(right))])
    z = b.matmul(u2, v2, out=b.dtype(u2))
    if len(left) == 1 == len(right):
        return Term(z, labels)
    whole, own, other = b.shape_of(z), b.shape_of(u), b.shape_of(v)
    sizes = [
        *(b.take(whole, i) for i in range(k)),
        *(b.take(own, k + i) for i in range(len(left))),
        *(b.take(other, k + len(summed) + i) for i in range(len(right))),
    ]
    return Term(b.reshape(z, join(b, sizes)), labels)


def _run(start: int, count: int) -> list[int]:
    return list(range(start, start + count))


def _spread(b: NnBuilder, t: Term, labels: Labels) -> ir.Value:
    """The term's dimensions in the order of ``labels``, with size 1 where it has none."""
    value = b.transpose(t.value, perm=[t.labels.index(n) for n in labels if n in t.labels])
    return b.unsqueeze(value, [i for i, n in enumerate(labels) if n not in t.labels])
