"""What stands for an ONNX value while a model is lowered: an nn value, or a compile-time container of such.

A sequence is a list whose length is known when compiling (:class:`Items`), an optional is something or nothing
(:class:`Maybe`); neither leaves a trace in the IR.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from davit.mlir import ir

Lowered: TypeAlias = "ir.Value | Items | Maybe | None"


@dataclass(frozen=True)
class Items:
    """A sequence, element by element."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class Maybe:
    """An optional; ``value`` is None when it is empty."""

    value: Any


def leaves(value: Lowered) -> Iterator[ir.Value]:
    """The nn values inside, in order."""
    if isinstance(value, Items):
        for v in value.values:
            yield from leaves(v)
    elif isinstance(value, Maybe):
        yield from leaves(value.value)
    elif value is not None:
        yield value


def rebuild(like: Lowered, values: Iterator[ir.Value]) -> Lowered:
    """The same container with other values inside."""
    if isinstance(like, Items):
        return Items(tuple(rebuild(v, values) for v in like.values))
    if isinstance(like, Maybe):
        return Maybe(rebuild(like.value, values))
    return None if like is None else next(values)


def layout(value: Lowered) -> Any:
    """Equal for two values whose containers have the same lengths and contents."""
    if isinstance(value, Items):
        return ("sequence", *map(layout, value.values))
    if isinstance(value, Maybe):
        return ("optional", layout(value.value))
    return "none" if value is None else "tensor"


def describe(value: Lowered) -> str:
    """For messages: ``a sequence of 3``."""
    if isinstance(value, Items):
        return f"a sequence of {len(value.values)}"
    if isinstance(value, Maybe):
        return "an empty optional" if value.value is None else "an optional"
    return "nothing" if value is None else "a tensor"
