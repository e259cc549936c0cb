"""The frontend's front door: from a file, bytes or ModelProto to a module of the onnx dialect."""

from __future__ import annotations

import os
from collections.abc import Mapping

from davit.compiler.frontends.onnx.importer import import_model
from davit.compiler.frontends.onnx.load import ModelSource
from davit.compiler.frontends.onnx.prepare import prepare
from davit.compiler.lowering.onnx_to_nn.support import EXPANDED
from davit.mlir import ir


def read_onnx(
    source: ModelSource,
    context: ir.Context,
    *,
    dims: Mapping[str, int] | None = None,
    base_dir: str | os.PathLike[str] | None = None,
) -> ir.Module:
    """Load, check, lift, expand, type and import an ONNX model.

    Raises:
        InvalidModel: the model is not what it claims to be.
        Unsupported: it has operators that davit cannot compile; all of them are listed.
    """
    return import_model(prepare(source, dims=dims, expand=EXPANDED, base_dir=base_dir), context)
