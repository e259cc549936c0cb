"""Arithmetic on dimensions: numbers fold, names combine into a name, anything unknown stays unknown.

Equal expressions give equal names, which is what lets a residual add see that both sides have the same height. A
name that grows long is replaced by a digest of itself, so that names stay short and equality is kept.
"""

from __future__ import annotations

import hashlib

from davit.dialects.types import Dim, Shape

_LONG = 48


class InferError(ValueError):
    """An operation's operands or attributes do not fit together; the message says how."""


def _name(text: str) -> str:
    if len(text) <= _LONG:
        return text
    return "e" + hashlib.blake2s(text.encode(), digest_size=6).hexdigest()


def _paren(d: int | str) -> str:
    text = str(d)
    return text if text.isalnum() or text.replace("_", "").isalnum() else f"({text})"


def add(a: Dim, b: Dim) -> Dim:
    if a is None or b is None:
        return None
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if a == 0:
        return b
    if b == 0:
        return a
    if isinstance(a, int) or (isinstance(b, str) and str(a) > b):
        a, b = b, a  # sums commute: one spelling
    if isinstance(b, int) and b < 0:
        return _name(f"{_paren(a)}-{-b}")
    return _name(f"{_paren(a)}+{_paren(b)}")


def sub(a: Dim, b: Dim) -> Dim:
    if a is None or b is None:
        return None
    if isinstance(b, int):
        return add(a, -b)
    return 0 if a == b else _name(f"{_paren(a)}-{_paren(b)}")


def mul(a: Dim, b: Dim) -> Dim:
    if a == 0 or b == 0:
        return 0
    if a is None or b is None:
        return None
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if a == 1:
        return b
    if b == 1:
        return a
    if isinstance(a, int) or (isinstance(b, str) and str(a) > b):
        a, b = b, a
    return _name(f"{_paren(a)}*{_paren(b)}")


def floordiv(a: Dim, b: Dim) -> Dim:
    if a is None or b is None or b == 0:
        return None
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    if b == 1:
        return a
    if a == b:
        return 1
    if isinstance(a, str) and isinstance(b, str):  # (b*k)//b, as Reshape's -1 leaves it
        for k in (a.removeprefix(f"{_paren(b)}*"), a.removesuffix(f"*{_paren(b)}")):
            if k != a and k.replace("_", "").isalnum():
                return int(k) if k.isdigit() else k
    if isinstance(a, str) and isinstance(b, int):
        head, _, tail = a.rpartition("*")
        if head and tail.isdigit() and int(tail) % b == 0 and (head.replace("_", "").isalnum() or head[0] == "("):
            k = int(tail) // b
            return mul(head[1:-1] if head[0] == "(" and _balanced(head[1:-1]) else head, k)
    return _name(f"{_paren(a)}//{_paren(b)}")


def _balanced(text: str) -> bool:
    depth = 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if depth < 0:
            return False
    return depth == 0


def ceildiv(a: Dim, b: Dim) -> Dim:
    if isinstance(a, int) and isinstance(b, int) and b:
        return -(-a // b)
    return floordiv(add(a, sub(b, 1)), b)


def product(dims: Shape | list[Dim]) -> Dim:
    n: Dim = 1
    for d in dims:
        n = mul(n, d)
    return n


def broadcast_dim(a: Dim, b: Dim) -> Dim:
    """One dimension of a numpy-style broadcast.

    Raises:
        InferError: both are static, neither is 1, and they differ.
    """
    if isinstance(a, int) and isinstance(b, int):
        if a == b or b == 1:
            return a
        if a == 1:
            return b
        raise InferError(f"sizes {a} and {b} do not broadcast")
    if a == 1:
        return b
    if b == 1:
        return a
    if isinstance(a, int):
        return a
    if isinstance(b, int):
        return b
    if a is None or b is None:
        return None
    return a if a == b else _name(f"max({','.join(sorted((a, b)))})")


def broadcast(*shapes: Shape) -> Shape:
    """numpy-style broadcast of any number of shapes (https://numpy.org/doc/stable/user/basics.broadcasting.html).

    Raises:
        InferError: two static sizes are in conflict.
    """
    rank = max((len(s) for s in shapes), default=0)
    out: list[Dim] = [1] * rank
    for s in shapes:
        for i, d in enumerate(s, start=rank - len(s)):
            try:
                out[i] = broadcast_dim(out[i], d)
            except InferError as e:
                raise InferError(f"shapes {' and '.join(map(show, shapes))} do not broadcast: {e}") from None
    return tuple(out)


def show(shape: Shape) -> str:
    return "[" + ", ".join("?" if d is None else str(d) for d in shape) + "]"


def axis_of(axis: int, rank: int, what: str = "axis") -> int:
    """Make an axis non-negative.

    Raises:
        InferError: it is outside ``[-rank, rank)``.
    """
    if not -rank <= axis < max(rank, 1):
        raise InferError(f"{what} {axis} is outside [{-rank}, {rank - 1}] of a rank-{rank} tensor")
    return axis % rank if rank else 0


def axes_of(axes: tuple[int, ...] | list[int], rank: int, what: str = "axis") -> tuple[int, ...]:
    """Make axes non-negative, and refuse repeats."""
    out = tuple(axis_of(a, rank, what) for a in axes)
    if len(set(out)) != len(out):
        raise InferError(f"{what} list {list(axes)} names a dimension twice")
    return out


def window_out(size: Dim, kernel: int, stride: int, dilation: int, pad: int, ceil: bool = False) -> Dim:
    """Output size of a sliding window over ``size`` with ``pad`` in total."""
    span = add(add(size, pad), -(dilation * (kernel - 1) + 1))
    out = ceildiv(span, stride) if ceil else floordiv(span, stride)
    return add(out, 1)
