"""The ONNX frontend: a model file, bytes or ModelProto becomes one graph of newest-opset nodes with known types.

:func:`prepare` is the way in. The steps, one module each: ``load`` (reads and checks), ``opset`` (lifts old nodes),
``functions`` (inlines and expands), ``inference`` (types), ``preflight`` (tells every unsupported operator).
"""

from __future__ import annotations

from davit.compiler.frontends.onnx.load import LoadedModel, load_model
from davit.compiler.frontends.onnx.prepare import prepare
from davit.compiler.frontends.onnx.types import ValueType

__all__ = ["LoadedModel", "ValueType", "load_model", "prepare"]
