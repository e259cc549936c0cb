"""MLIR as input: text, bytecode, StableHLO's portable artifacts; and which level a module stands at."""

from __future__ import annotations

from davit.errors import InvalidModel
from davit.mlir import ir, stablehlo_capi

LEVELS: tuple[tuple[str, frozenset[str]], ...] = (
    ("onnx", frozenset({"onnx", "onnx_ml", "onnx_training", "onnx_preview"})),
    ("stablehlo", frozenset({"stablehlo", "chlo", "vhlo"})),
    ("nn", frozenset({"nn"})),
)
"""The highest level first; a module with none of these stands at ``linalg``."""


def read_mlir(data: bytes, name: str, context: ir.Context) -> tuple[ir.Module, str]:
    """Parse a module; returns it and its level.

    Raises:
        InvalidModel: it does not parse, or does not verify; the message holds MLIR's first diagnostic.
    """
    try:
        module = _portable_artifact(data, context) or ir.Module.parse(data, context)
    except ir.MLIRError as e:
        raise InvalidModel(f"{name}: {_diagnostic(e, name)}") from None
    return module, level_of(module)


def _portable_artifact(data: bytes, context: ir.Context) -> ir.Module | None:
    """StableHLO's versioned bytecode, told by the producer string in its header."""
    if b"StableHLO" not in data[:64]:
        return None
    try:
        return stablehlo_capi.deserialize_portable_artifact(context, data)
    except (ValueError, RuntimeError):
        return None  # not one after all: the parser says what is wrong


def level_of(module: ir.Module) -> str:
    """The highest level whose dialect occurs."""
    found: set[str] = set()

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.add(op.name.partition(".")[0])
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return next((level for level, dialects in LEVELS if dialects & found), "linalg")


def _diagnostic(e: ir.MLIRError, name: str) -> str:
    diagnostics = e.error_diagnostics
    if not diagnostics:
        return str(e).strip()
    first = diagnostics[0]
    return f"{first.location}: {first.message}".replace('"-":', "line ")
