"""The whole way from a model file to a graph that the importer can turn into the onnx dialect."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

from davit.compiler.frontends.onnx import elimination, folding, functions, inference, names, native, opset
from davit.compiler.frontends.onnx.load import LoadedModel, ModelSource, load_model
from davit.compiler.frontends.onnx.preflight import preflight
from davit.errors import InvalidModel


def prepare(
    source: ModelSource,
    *,
    dims: Mapping[str, int] | None = None,
    expand: Collection[tuple[str, str]] = frozenset(),
    base_dir: str | os.PathLike[str] | None = None,
    check_support: bool = True,
) -> LoadedModel:
    """Loads a model, inlines its functions, lifts it to the newest opset, expands ops, and infers every type.

    Args:
        source: path, bytes or ModelProto.
        dims: sizes for symbolic dimensions of the inputs, by name.
        expand: the (domain, op) pairs to replace by their function bodies; the domain of ai.onnx is ``""``.
        base_dir: the folder of external data, by default that of the file.
        check_support: refuse a model with operators that davit cannot compile.

    Raises:
        InvalidModel: the model is broken.
        Unsupported: the model asks for what davit does not know; everything that it asks for is listed.
    """
    native.start()
    model = load_model(source, base_dir=base_dir)
    try:
        inference.fix_dims(model, dims or {})
        functions.inline_local(model)
        names.unique_names(model.graph)
        model.changed()
        opset.lift(model)
        folding.fold(model)
        elimination.rule_out(model)
        if check_support:
            preflight(model)
        functions.expand(model, expand)
        inference.infer(model)
    except UnicodeDecodeError as error:  # protobuf decodes a string when it is read, not when it parses
        raise InvalidModel(f"{model.path}: a name in the model is not valid UTF-8 ({error.reason})") from None
    return model
