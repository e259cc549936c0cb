"""davit: an MLIR-based, multi-level compiler toolchain for ONNX and StableHLO on IREE's runtime.

The front door: :func:`compile`, :func:`load`, :func:`devices`. Each is resolved on first use, so that a machine
that only runs compiled models needs numpy and ``iree-base-runtime`` and nothing of the compiler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from davit.errors import CompileError, Error, ExecutionError, InvalidModel, Unsupported

if TYPE_CHECKING:
    from davit.pipelines.driver import compile
    from davit.runtime import Executable, devices, load

__version__ = "0.1.0"

__all__ = [
    "CompileError",
    "Error",
    "Executable",
    "ExecutionError",
    "InvalidModel",
    "Unsupported",
    "__version__",
    "compile",
    "devices",
    "load",
]

_LAZY = {
    "compile": "davit.pipelines.driver",
    "load": "davit.runtime",
    "devices": "davit.runtime",
    "Executable": "davit.runtime",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'davit' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value
