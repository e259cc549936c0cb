"""Tables of lowering functions: registered beside the function, imported explicitly, duplicates refused."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Registry:
    """op name (without dialect) -> lowering function."""

    source: str
    target: str
    functions: dict[str, Callable[..., Any]] = field(default_factory=dict)

    def lowers(self, *names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorator: the function lowers the named ops of the source dialect."""

        def register(fn: Callable[..., Any]) -> Callable[..., Any]:
            for name in names:
                if name in self.functions:
                    first, second = (inspect.getsourcefile(f) for f in (self.functions[name], fn))
                    raise ValueError(f"{self.source}.{name} is lowered twice: in {first} and in {second}")
                self.functions[name] = fn
            return fn

        return register


class LoweringError(Exception):
    """A lowering met something it cannot do: a sentence that the framework completes with file, node and op."""


FAULTS = (
    ArithmeticError, AssertionError, AttributeError, LookupError, NotImplementedError, RecursionError, TypeError,
    ValueError,
)  # fmt: skip
"""What a lowering with a fault of its own raises on a model that nobody foresaw: told as an error, with the node."""


def fault(e: Exception) -> str:
    """A fault as part of a sentence."""
    text = str(e).strip().splitlines()
    return f"a fault in davit's lowering ({type(e).__name__}: {text[0] if text else 'no message'}); please report it"
