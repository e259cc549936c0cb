"""The ``onnx`` dialects: every operator of ONNX at its newest version, generated from ``onnx.defs`` when imported.

An operator ``Conv`` is the op ``onnx.conv`` (``onnx_ml`` for ai.onnx.ml, ``onnx_training`` and ``onnx_preview`` for
the preview domains). Operands and results stand at their place in the schema: an absent optional operand is the
result of ``onnx.none``, an absent result has type ``none``. Every default of the schema is written out. Graph
attributes are regions that end in ``onnx.yield`` and use outer values directly. ``ops.pyi`` lists all ops.
"""

from __future__ import annotations

from davit.dialects.onnx import types
from davit.dialects.onnx.define import ONNX, encode, encode_all, load
from davit.dialects.onnx.schema import DIALECTS, DOMAINS, Attribute, Param, Schema, find, ir_name, schemas
from davit.dialects.onnx.verify import verify
from davit.dialects.onnx.view import OnnxOp, location_name

__all__ = [
    "DIALECTS",
    "DOMAINS",
    "ONNX",
    "Attribute",
    "OnnxOp",
    "Param",
    "Schema",
    "encode",
    "encode_all",
    "find",
    "ir_name",
    "load",
    "location_name",
    "schemas",
    "types",
    "verify",
]
