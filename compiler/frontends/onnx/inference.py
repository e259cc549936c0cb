"""Shape inference: the type of every value of a loaded model.

onnx's own inference does the work, on the proto whose large tensors are markers, so that no weight is copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import onnx
from onnx import GraphProto, ModelProto, TensorProto, TensorShapeProto, TypeProto
from onnx.shape_inference import InferenceError

from davit.compiler.frontends.onnx import structure, types
from davit.compiler.frontends.onnx.load import LoadedModel
from davit.compiler.frontends.onnx.types import ValueType
from davit.errors import InvalidModel


def fix_dims(model: LoadedModel, dims: Mapping[str, int]) -> None:
    """Gives symbolic dimensions a size, in every type the model states. Names that no input has are an error."""
    if not dims:
        return
    symbols = {dim.dim_param for value in model.graph.input for dim in _shape_dims(value.type) if dim.dim_param}
    for name, size in dims.items():
        if name not in symbols:
            known = ", ".join(sorted(symbols)) or "none"
            raise InvalidModel(f"{model.path}: no input has a dimension named {name!r}; the named ones are: {known}")
        if isinstance(size, bool) or not isinstance(size, int) or size < 0:
            raise InvalidModel(f"{model.path}: dimension {name!r} cannot be {size!r}; give a size of 0 or more")
    for graph in structure.graphs(model.graph):
        for values in (graph.input, graph.output, graph.value_info):
            for value in values:
                for dim in _shape_dims(value.type):
                    if dim.dim_param in dims:
                        dim.dim_value = dims[dim.dim_param]
    model.dims.update(dims)


OPSET_TAG = "davit.opset"
"""metadata_props key of a node whose opset differs from the model's: it comes out of a function's body."""

_OPAQUE = "davit.opaque"


def infer(model: LoadedModel) -> None:
    """Fills ``model.value_types``: the element type and dimensions of every value, as far as they can be told."""
    model.value_types = infer_types(model)


def infer_types(model: LoadedModel) -> dict[str, ValueType]:
    """The element type and dimensions of every value, as far as they can be told."""
    declared = _declared(model)
    proto = _inferable(model.proto)
    inferred = _run(model, proto)
    result: dict[str, ValueType] = {}
    for graph in structure.graphs(inferred.graph):
        for tensor in graph.initializer:
            result[tensor.name] = types.tensor(tensor.data_type, tuple(tensor.dims))
        for values in (graph.input, graph.value_info, graph.output):
            for value in values:
                found = types.from_proto(value.type, f"{model.path}: value {value.name!r}")
                known = types.merge(result.get(value.name), found)
                if known is not None:
                    result[value.name] = known
    for name, stated in declared.items():
        merged = types.merge(result.get(name), stated)
        if merged is not None:
            result[name] = merged
    return result


def _declared(model: LoadedModel) -> dict[str, ValueType]:
    """The types that the model itself states, of every value."""
    stated: dict[str, ValueType] = {}
    for graph in structure.graphs(model.graph):
        for kind, values in (("input", graph.input), ("output", graph.output), ("value", graph.value_info)):
            for value in values:
                found = types.from_proto(value.type, f"{model.path}: {kind} {value.name!r}")
                if found is not None:
                    stated[value.name] = found
    return stated


def _inferable(proto: ModelProto) -> ModelProto:
    """A copy without what the model claims of computed values: inference would believe it over its own result."""
    copy = ModelProto()
    copy.CopyFrom(proto)
    domains = {entry.domain for entry in copy.opset_import}
    for graph in structure.graphs(copy.graph):
        del graph.value_info[:]
        for value in graph.input:
            _drop_negative(value.type)
        for value in graph.output:
            _forget_shape(value.type)
        for node in graph.node:
            if any(entry.key == OPSET_TAG for entry in node.metadata_props):
                node.domain = _OPAQUE  # of another opset than the model: better unknown than wrong
            if node.domain not in domains:
                domains.add(node.domain)
                copy.opset_import.add(domain=node.domain, version=1)
    return copy


def _forget_shape(proto: TypeProto) -> None:
    if proto.HasField("tensor_type"):
        proto.tensor_type.ClearField("shape")


def _drop_negative(proto: TypeProto) -> None:
    """-1 stands for "unknown" with some exporters; inference would compute with it."""
    for dim in _shape_dims(proto):
        if dim.dim_value < 0:
            dim.ClearField("dim_value")


def _run(model: LoadedModel, proto: ModelProto) -> ModelProto:
    try:
        return onnx.shape_inference.infer_shapes(proto, check_type=False, strict_mode=False, data_prop=True)
    except InferenceError as error:
        raise InvalidModel(f"{model.path}: the types of the model do not fit together: {_one_line(error)}") from None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _shape_dims(proto: TypeProto) -> Iterable[TensorShapeProto.Dimension]:
    return proto.tensor_type.shape.dim if proto.HasField("tensor_type") else ()


def constants_of(graph: GraphProto) -> dict[str, TensorProto]:
    """The tensors of a graph's initializers and Constant nodes, by value name."""
    found = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant" and not node.domain:
            for attribute in node.attribute:
                if attribute.name == "value":
                    found[node.output[0]] = attribute.t
    return found
