"""StableHLO, CHLO and VHLO in a context: upstream's, only to be registered."""

from __future__ import annotations

from davit.mlir import ir, passmanager, stablehlo_capi

_passes_registered = False


def register_stablehlo_passes() -> None:
    """Make StableHLO's passes known to MLIR's pass registry; once per process."""
    global _passes_registered
    if not _passes_registered:
        stablehlo_capi.register_stablehlo_passes()
        _passes_registered = True


def load_stablehlo(context: ir.Context) -> None:
    """Load StableHLO and CHLO into a context.

    The bindings register StableHLO only; a pass that depends on CHLO brings it along, so one runs on nothing.
    """
    stablehlo_capi.register_dialect(context)
    if context.is_registered_operation("chlo.erf"):
        return
    register_stablehlo_passes()
    with context, ir.Location.unknown():
        empty = ir.Module.create()
        passmanager.PassManager.parse("builtin.module(func.func(stablehlo-complex-math-expander))").run(empty.operation)
