"""The MLIR Python bindings, imported in this one place.

The bindings come from the ``torch-mlir`` wheel, which carries complete upstream MLIR (with IRDL, so that dialects
can be defined from Python) and StableHLO, and does not need torch. Another distribution of the same bindings can
take its place by editing this file alone.
"""

from __future__ import annotations

from torch_mlir import ir, passmanager
from torch_mlir._mlir_libs import _stablehlo as stablehlo_capi
from torch_mlir.dialects import arith, cf, complex, func, irdl, linalg, math, scf, tensor

__all__ = [
    "arith",
    "cf",
    "complex",
    "func",
    "ir",
    "irdl",
    "linalg",
    "math",
    "passmanager",
    "scf",
    "stablehlo_capi",
    "tensor",
]
