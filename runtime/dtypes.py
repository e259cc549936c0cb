"""Element types at the border between numpy and a compiled program.

A compiled program knows signless integers only, and holds types of less than a byte, and the 8-bit floats, as one
byte per element. The caller sees numpy's and ml_dtypes' types; the bytes are the same on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np
from iree.runtime import HalElementType as E


@dataclass(frozen=True)
class BoundaryType:
    """One element type: as the caller sees it, and as the program stores it."""

    numpy: np.dtype
    storage: np.dtype
    hal: E


def _rows() -> dict[str, BoundaryType]:
    rows: list[tuple[object, object, E]] = [
        (np.float32, np.float32, E.FLOAT_32),
        (np.float64, np.float64, E.FLOAT_64),
        (np.float16, np.float16, E.FLOAT_16),
        (ml_dtypes.bfloat16, np.int16, E.BFLOAT_16),
        (np.int64, np.int64, E.INT_64),
        (np.int32, np.int32, E.INT_32),
        (np.int16, np.int16, E.INT_16),
        (np.int8, np.int8, E.INT_8),
        (np.uint64, np.int64, E.INT_64),
        (np.uint32, np.int32, E.INT_32),
        (np.uint16, np.int16, E.INT_16),
        (np.uint8, np.int8, E.INT_8),
        (np.bool_, np.int8, E.BOOL_8),
        (np.complex64, np.complex64, E.COMPLEX_64),
        (np.complex128, np.complex128, E.COMPLEX_128),
    ]
    bytes_ = (
        "int4", "uint4", "int2", "uint2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e4m3",
        "float8_e3m4", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn",
    )  # fmt: skip
    rows += [(getattr(ml_dtypes, name), np.int8, E.INT_8) for name in bytes_]
    made = [BoundaryType(np.dtype(a), np.dtype(b), e) for a, b, e in rows]
    return {t.numpy.name: t for t in made}


TYPES: dict[str, BoundaryType] = _rows()
"""By numpy name: ``float32``, ``bfloat16``, ``uint8``, ``int4``, ``float8_e4m3fn``, ``bool``, ..."""
