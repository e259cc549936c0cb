"""The errors a user of davit can meet. Every message is a sentence that names the file, the node, and the next step."""

from __future__ import annotations

from collections.abc import Sequence


class Error(Exception):
    """Base of every error that davit raises for a cause outside its own code.

    Attributes:
        location: where in the IR it happened, as MLIR prints locations; None when it was not in the IR.
    """

    location: str | None = None


class InvalidModel(Error):
    """The model is not what it claims to be: truncated, cyclic, mistyped, or with a missing external file."""


class Unsupported(Error):
    """The model is valid but asks for something davit cannot do. Lists *every* such thing at once.

    Attributes:
        items: one line per unsupported operator or feature, as printed in the message.
    """

    def __init__(self, message: str, items: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.items = tuple(items)


class CompileError(Error):
    """A compiler stage failed on a model that passed the checks.

    Attributes:
        stage: the pipeline stage that failed (``nn``, ``linalg``, ``iree``, ...), when it is known.
        reproducer: path of a file that replays the failure with ``davit-opt``, or None when none could be written.
    """

    def __init__(self, message: str, reproducer: str | None = None, stage: str | None = None) -> None:
        super().__init__(message)
        self.reproducer = reproducer
        self.stage = stage

    def __str__(self) -> str:
        message = super().__str__()
        return message if self.reproducer is None else f"{message}\nreproducer: {self.reproducer}"


class ExecutionError(Error):
    """A compiled program was called with wrong inputs, or failed while running."""
