"""The ONNX frontend: a model file, bytes or ModelProto becomes a module of the onnx dialects.

:func:`davit.compiler.frontends.onnx.read.read_onnx` is the way in. The steps, one module each: ``load`` (reads and
checks), ``opset`` (lifts old nodes), ``functions`` (inlines and expands), ``inference`` (types), ``preflight`` (tells
every unsupported operator), all of them behind :func:`prepare`; then ``importer``.
"""

from __future__ import annotations

from davit.compiler.frontends.onnx.importer import import_model
from davit.compiler.frontends.onnx.load import LoadedModel, load_model
from davit.compiler.frontends.onnx.prepare import prepare
from davit.compiler.frontends.onnx.types import ValueType

__all__ = ["LoadedModel", "ValueType", "import_model", "load_model", "prepare"]
