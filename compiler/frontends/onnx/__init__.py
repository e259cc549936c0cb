"""The ONNX frontend: a model file, bytes or ModelProto becomes a module of the onnx dialects.

:func:`read_onnx` is the way in. The steps, one module each: ``load`` (reads and checks), ``opset`` (lifts old nodes),
``functions`` (inlines and expands), ``inference`` (types), ``preflight`` (tells every unsupported operator), all of
them behind :func:`prepare`; then ``importer``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from davit.compiler.frontends.onnx.importer import import_model
from davit.compiler.frontends.onnx.load import LoadedModel, ModelSource, load_model
from davit.compiler.frontends.onnx.prepare import prepare
from davit.compiler.frontends.onnx.types import ValueType
from davit.mlir import ir


def read_onnx(
    source: ModelSource,
    context: ir.Context,
    *,
    dims: Mapping[str, int] | None = None,
    base_dir: str | os.PathLike[str] | None = None,
) -> ir.Module:
    """Read a model into a context.

    Args:
        source: path, bytes or ModelProto.
        dims: sizes for symbolic dimensions of the inputs, by name.
        base_dir: the folder of external data, by default that of the file.

    Raises:
        InvalidModel: the model is broken; the message names the file and the node or tensor.
        Unsupported: it holds operators that davit cannot compile; all of them are listed.
    """
    return import_model(prepare(source, dims=dims, base_dir=base_dir), context)


__all__ = ["LoadedModel", "ValueType", "import_model", "load_model", "prepare", "read_onnx"]
