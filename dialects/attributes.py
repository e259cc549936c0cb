"""Attributes between Python values and MLIR: one encoding for all of davit's dialects.

========================  ================================
Python                    MLIR
========================  ================================
``bool``                  ``BoolAttr``
``int``                   ``IntegerAttr`` of i64
``float``                 ``FloatAttr`` of f64
``str``                   ``StringAttr``
``tuple[int, ...]``       ``DenseI64ArrayAttr``
``tuple[float, ...]``     ``DenseF64ArrayAttr``
``tuple[str, ...]``       ``ArrayAttr`` of ``StringAttr``
``DType``                 ``TypeAttr``
``numpy.ndarray``         elements attribute (:mod:`davit.dialects.constants`)
========================  ================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from davit.dialects import constants
from davit.dialects.types import DTYPES, DType, element_type
from davit.mlir import ir


def encode(value: Any) -> ir.Attribute:
    """Make the MLIR attribute of a Python value, in the current context.

    Raises:
        TypeError: there is no encoding for the value's type.
    """
    if isinstance(value, ir.Attribute):
        return value
    if isinstance(value, (bool, np.bool_)):
        return ir.BoolAttr.get(bool(value))
    if isinstance(value, (int, np.integer)):
        return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), int(value))
    if isinstance(value, (float, np.floating)):
        return ir.FloatAttr.get(ir.F64Type.get(), float(value))
    if isinstance(value, str):
        return ir.StringAttr.get(value)
    if isinstance(value, bytes):
        return ir.StringAttr.get(value.decode("utf-8", "surrogateescape"))
    if isinstance(value, DType):
        return ir.TypeAttr.get(element_type(value))
    if isinstance(value, np.ndarray):
        return constants.encode(value)
    if isinstance(value, (tuple, list)):
        if all(isinstance(v, (int, np.integer)) for v in value):
            return ir.DenseI64ArrayAttr.get([int(v) for v in value])
        if all(isinstance(v, (int, float, np.integer, np.floating)) for v in value):
            return ir.DenseF64ArrayAttr.get([float(v) for v in value])
        return ir.ArrayAttr.get([encode(v) for v in value])
    raise TypeError(f"no attribute encoding for {type(value).__name__}")


def decode(attr: ir.Attribute) -> Any:
    """Read an attribute back as a Python value; attributes of other kinds are returned as they are."""
    if isinstance(attr, ir.BoolAttr):
        return attr.value
    if isinstance(attr, (ir.IntegerAttr, ir.FloatAttr, ir.StringAttr)):
        return attr.value
    if isinstance(attr, (ir.DenseI64ArrayAttr, ir.DenseF64ArrayAttr)):
        return tuple(attr)
    if isinstance(attr, ir.TypeAttr):
        return DTYPES.get(str(attr.value), attr.value)
    if isinstance(attr, ir.ArrayAttr):
        return tuple(decode(a) for a in attr)
    array = constants.decode(attr)
    return attr if array is None else array
