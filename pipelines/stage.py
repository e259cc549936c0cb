"""Pipelines as data: a tuple of stages, each with its passes, the dialects it may leave, and why it is there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from davit.compiler.passes import Step


@dataclass(frozen=True)
class Stage:
    """A named step of a pipeline.

    Attributes:
        passes: passes of ours and upstream passes as text, in order.
        leaves: the dialects that may remain when the stage is done; the runner checks it. None for a stage made of
            passes that a user named: what they leave is the user's business.
        why: one sentence for ``--show-pipeline``.
    """

    name: str
    passes: tuple[Step, ...]
    leaves: frozenset[str] | None
    why: str

    def __init__(self, name: str, passes: Iterable[Step], leaves: Iterable[str] | None, why: str) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "passes", tuple(passes))
        object.__setattr__(self, "leaves", None if leaves is None else frozenset(leaves) | {"builtin"})
        object.__setattr__(self, "why", why)


@dataclass(frozen=True)
class Pipeline:
    """An ordered tuple of stages from one level to another."""

    name: str
    why: str
    stages: tuple[Stage, ...]

    def __init__(self, name: str, why: str, *stages: Stage) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "why", why)
        object.__setattr__(self, "stages", stages)

    def until(self, stage: str) -> Pipeline:
        """The pipeline up to and including a stage.

        Raises:
            KeyError: no stage has that name.
        """
        names = [s.name for s in self.stages]
        if stage not in names:
            raise KeyError(stage)
        return Pipeline(f"{self.name}:{stage}", self.why, *self.stages[: names.index(stage) + 1])
