"""What the IR may say: davit's dialects, their types and constants, and the context that knows them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from davit.mlir import ir


def make_context() -> ir.Context:
    """A context with the upstream dialects, StableHLO, CHLO and davit's own."""
    from davit.mlir import ir

    context = ir.Context()
    load(context)
    return context


def load(context: ir.Context) -> None:
    """Make StableHLO, CHLO and davit's dialects known to a context; may be called any number of times."""
    from davit.dialects import onnx
    from davit.dialects.definition import load_all
    from davit.dialects.kernel import KERNEL
    from davit.dialects.nn import NN
    from davit.dialects.stablehlo import load_stablehlo

    # Our verifiers are Python functions: a worker thread that calls one waits for the interpreter lock, which the
    # thread that started the pass holds.
    context.enable_multithreading(False)
    # The hand-over writes ops of IREE's flow dialect, which only IREE's own bindings know.
    context.allow_unregistered_dialects = True
    load_all(context, (NN, KERNEL))
    onnx.load(context)
    load_stablehlo(context)
