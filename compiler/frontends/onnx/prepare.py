"""The whole way from a model file to a graph that the importer can turn into the onnx dialect."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

from davit.compiler.frontends.onnx import inference
from davit.compiler.frontends.onnx.load import LoadedModel, ModelSource, load_model


def prepare(
    source: ModelSource,
    *,
    dims: Mapping[str, int] | None = None,
    expand: Collection[tuple[str, str]] = frozenset(),
    base_dir: str | os.PathLike[str] | None = None,
) -> LoadedModel:
    """Loads a model, inlines its functions, lifts it to the newest opset, expands ops, and infers every type.

    Args:
        source: path, bytes or ModelProto.
        dims: sizes for symbolic dimensions of the inputs, by name.
        expand: the (domain, op) pairs to replace by their function bodies; the domain of ai.onnx is ``""``.
        base_dir: the folder of external data, by default that of the file.
    """
    model = load_model(source, base_dir=base_dir)
    inference.fix_dims(model, dims or {})
    inference.infer(model)
    return model
