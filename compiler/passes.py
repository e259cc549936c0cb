"""What a pass is: a frozen dataclass whose fields are its command-line options.

Its kebab-case name is the class name's (``FoldBatchNorm`` -> ``fold-batch-norm``), the same on the command line, in
dumps, in timing and as a test's file name. Upstream and StableHLO passes are strings in MLIR's pipeline syntax.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from davit.mlir import ir


@dataclass(frozen=True)
class Pass:
    """Base of davit's passes: :meth:`run` changes a ``builtin.module`` in place."""

    name: ClassVar[str] = ""
    anchor: ClassVar[str] = "builtin.module"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in cls.__dict__:
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    def run(self, module: ir.Operation) -> None:
        raise NotImplementedError

    @classmethod
    def summary(cls) -> str:
        """First line of the docstring."""
        return (cls.__doc__ or "").strip().splitlines()[0]

    def __str__(self) -> str:
        """The pass in pipeline syntax, with the options that differ from their defaults."""
        options = [
            f"{f.name.replace('_', '-')}={_show(getattr(self, f.name))}"
            for f in fields(self)
            if getattr(self, f.name) != f.default
        ]
        return self.name + (f"{{{' '.join(options)}}}" if options else "")


def _show(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


PASSES: dict[str, type[Pass]] = {}


def register(cls: type[Pass]) -> type[Pass]:
    """Class decorator: make the pass known to ``davit-opt``.

    Raises:
        ValueError: the name is taken.
    """
    if cls.name in PASSES:
        raise ValueError(f"pass {cls.name} is defined in {PASSES[cls.name].__module__} and in {cls.__module__}")
    PASSES[cls.name] = cls
    return cls


Step = Pass | str
"""One step of a stage: a pass of ours, or upstream passes as pipeline text."""

PassFn = Callable[[ir.Operation], None]
