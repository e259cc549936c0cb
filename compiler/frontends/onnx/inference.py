"""Shape inference: the type of every value of a loaded model.

onnx's own inference does the work, on the proto whose large tensors are markers, so that no weight is copied. It runs
in strict mode, so that what does not fit together is told with the node's name. Where it is known to be wrong it runs
again in its lenient mode, which leaves the types in question unknown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from onnx import GraphProto, ModelProto, NodeProto, TensorProto, TensorShapeProto, TypeProto

from davit.compiler.frontends.onnx import native, structure, types
from davit.compiler.frontends.onnx.load import LoadedModel
from davit.compiler.frontends.onnx.native import NativeCrash, NativeError, NativeTimeout
from davit.compiler.frontends.onnx.types import Dim, ValueType
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

_GENERATED = "unk__"
"""How the symbols begin that onnx makes up for dimensions it cannot tell."""


@dataclass(frozen=True)
class _Spurious:
    """An operator whose inference in onnx 1.23 raises on valid nodes: when, and what the result is all the same."""

    reason: str
    result: Callable[[ValueType], ValueType]


def _same_rank(of: ValueType) -> ValueType:
    return types.tensor(of.elem_type, None if of.dims is None else (None,) * len(of.dims))


_SPURIOUS: dict[str, _Spurious] = {
    "MeanVarianceNormalization": _Spurious("the default of 'axes' does not reach the function body", lambda of: of),
    "Range": _Spurious(
        "constant operands of shape [1] are refused, though runtimes take them",
        lambda of: types.tensor(of.elem_type, (None,)),
    ),
    "Resize": _Spurious("a run-time 'sizes' whose length is a symbol is taken for an empty one", _same_rank),
    "StringNormalizer": _Spurious("a symbolic first dimension is taken for a wrong one", _same_rank),
}

_SMALL = 64
"""Constants of at most so many elements may be axes, pads and shapes."""

_ENTRY = re.compile(r"\(op_type:(?P<op>[^,()]+)(?:, node name: (?P<name>[^)]*))?\): ")
_TYPESTR = re.compile(r"(\w+) typestr: \w+, has unsupported type: (\S+)")
_CASCADES = ("expected to have type but instead is null", "inferred=0")
"""What is said of nodes that come after one whose type is not known."""


def infer(model: LoadedModel) -> None:
    """Fills ``model.value_types``: the element type and dimensions of every value, as far as they can be told.

    Raises:
        InvalidModel: types do not fit together, or contradict what the model states; the message names the node.
    """
    declared = _declared(model)
    for name in model.inputs:
        stated = declared.get(name)
        if stated is None or (stated.kind in ("tensor", "sparse") and not stated.elem_type):
            raise InvalidModel(f"{model.path}: graph input {name!r} has no type; every input must state one")
    result = _run(model, strict=True)
    _compare(model, result, declared)
    model.value_types = _merged(result, declared)


def contradiction(model: LoadedModel) -> tuple[str, NodeProto | None] | None:
    """What does not fit together in the model's types, with the node if there is one; None when all does."""
    proto, nodes = _inferable(model.proto)
    try:
        result = _read(model, _infer(proto, strict=True))
    except NativeError as error:
        problem, node = _problem(str(error), nodes)
        return None if problem is None else (problem, node)
    except NativeCrash:
        return None
    try:
        _compare(model, result, _declared(model))
    except InvalidModel as error:
        return str(error), None
    return None


def infer_types(model: LoadedModel) -> dict[str, ValueType]:
    """As :func:`infer`, but without judging: what cannot be told is left out."""
    return _merged(_run(model, strict=False), _declared(model))


def _run(model: LoadedModel, strict: bool) -> dict[str, ValueType]:
    proto, nodes = _inferable(model.proto)
    try:
        if strict:
            try:
                return _read(model, _infer(proto, strict=True))
            except NativeError as error:
                problem, node = _problem(str(error), nodes)
                if problem is not None:
                    raise InvalidModel(f"{model.path}: {problem}{_inputs(model, node)}") from None
        while True:
            result = _read(model, _infer(proto, strict=False))
            if not _help(proto, result):
                return result
    except NativeError as error:
        raise InvalidModel(f"{model.path}: onnx cannot infer the model's types: {_one_line(error)}") from None
    except NativeCrash as crash:
        where = _culprit(proto, nodes, strict) if not isinstance(crash, NativeTimeout) else ""
        raise InvalidModel(f"{model.path}: {where}onnx's shape inference {crash}") from None


def _infer(proto: ModelProto, strict: bool) -> ModelProto:
    return ModelProto.FromString(native.infer_shapes(proto.SerializeToString(), strict))


def _culprit(proto: ModelProto, nodes: Mapping[str, tuple[NodeProto, int]], strict: bool) -> str:
    """The node that makes inference crash: the last one of the shortest beginning of the graph that still does."""
    works, crashes = 0, len(proto.graph.node)
    while crashes - works > 1:
        middle = (works + crashes) // 2
        part = ModelProto()
        part.CopyFrom(proto)
        del part.graph.node[middle:]
        del part.graph.output[:]
        try:
            native.infer_shapes(part.SerializeToString(), strict)
            works = middle
        except NativeError:
            works = middle
        except NativeCrash:
            crashes = middle
    if not crashes:
        return ""
    node = proto.graph.node[crashes - 1]
    return f"{structure.describe(*nodes[node.name])}: its inputs, outputs or attributes are not what it takes: "


def _read(model: LoadedModel, inferred: ModelProto) -> dict[str, ValueType]:
    """The types in a model that inference has filled."""
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
    return result


def _help(proto: ModelProto, result: Mapping[str, ValueType]) -> bool:
    """States the types that inference should have found by itself; True when there were any."""
    helped = False
    for graph in structure.graphs(proto.graph):
        outputs = {value.name: value for value in graph.output}
        stated = {value.name for value in graph.value_info}
        for node in graph.node:
            spurious = _SPURIOUS.get(node.op_type) if not node.domain else None
            if spurious is None or not node.output[0] or node.output[0] in stated:
                continue
            before, after = result.get(node.input[0]), result.get(node.output[0])
            if before is None or before.dims is None or (after is not None and after.dims is not None):
                continue
            value = outputs.get(node.output[0]) or graph.value_info.add(name=node.output[0])
            if value.type.tensor_type.HasField("shape"):
                continue
            value.type.CopyFrom(types.to_proto(spurious.result(before)))
            helped = True
    return helped


def _merged(result: dict[str, ValueType], declared: Mapping[str, ValueType]) -> dict[str, ValueType]:
    """What was found and what is stated, together. A symbol that onnx made up gives way to what is stated for it."""
    meant: dict[Dim, Dim] = {}
    for name, stated in declared.items():
        found = result.get(name)
        if found is not None and found.dims is not None and stated.dims is not None:
            for ours, theirs in zip(found.dims, stated.dims, strict=False):
                if isinstance(ours, str) and ours.startswith(_GENERATED) and theirs is not None:
                    meant.setdefault(ours, theirs)
    if meant:
        for name, found in result.items():
            if found.dims is not None and not meant.keys().isdisjoint(found.dims):
                result[name] = replace(found, dims=tuple(meant.get(dim, dim) for dim in found.dims))
    for name, stated in declared.items():
        merged = types.merge(result.get(name), stated)
        if merged is not None:
            result[name] = merged
    return result


def _compare(model: LoadedModel, result: Mapping[str, ValueType], declared: Mapping[str, ValueType]) -> None:
    """Raises InvalidModel where the model states a type that cannot be."""
    wrong = {name for name, stated in declared.items() if name in result and not _agree(stated, result[name])}
    if not wrong:
        return
    for graph in structure.graphs(model.graph):
        for position, node in enumerate(graph.node):
            for name in node.output:
                if name in wrong:
                    raise InvalidModel(
                        f"{model.path}: {structure.describe(node, position)}: its output {name!r} is stated to be "
                        f"{declared[name]}, but is {result[name]}"
                    )
    name = min(wrong)
    raise InvalidModel(f"{model.path}: value {name!r} is stated to be {declared[name]}, but is {result[name]}")


def _agree(stated: ValueType, found: ValueType) -> bool:
    """False when no value can be of both types."""
    if stated.kind != found.kind:
        return False
    if stated.kind in ("sequence", "optional", "map"):
        return stated.inner is None or found.inner is None or _agree(stated.inner, found.inner)
    if stated.elem_type and found.elem_type and stated.elem_type != found.elem_type:
        return False
    if stated.dims is None or found.dims is None:
        return True
    return len(stated.dims) == len(found.dims) and all(
        not isinstance(a, int) or not isinstance(b, int) or a == b for a, b in zip(stated.dims, found.dims, strict=True)
    )


def _inputs(model: LoadedModel, node: NodeProto | None) -> str:
    """The types of a node's inputs, for the end of a message about them."""
    if node is None:
        return ""
    known = infer_types(model)
    shown = [f"{name!r} is {known[name]}" for name in node.input if name in known]
    return f" (input {', '.join(shown)})" if shown else ""


def _problem(message: str, nodes: Mapping[str, tuple[NodeProto, int]]) -> tuple[str | None, NodeProto | None]:
    """What inference found wrong, in words, and the node; None when all is that it is known to be wrong about.

    The message has a line for each node, and nodes inside of subgraphs and function bodies follow their own.
    """
    for line in message.splitlines():
        entries = list(_ENTRY.finditer(line))
        if not entries:
            if line.strip() and not line.rstrip().endswith("Inference error(s):"):
                return f"the types of the model do not fit together: {_one_line(line)}", None
            continue
        if any(entry["op"] in _SPURIOUS for entry in entries) or any(cascade in line for cascade in _CASCADES):
            continue
        text = re.sub(r"^\[\w+\] ", "", line[entries[-1].end() :]).strip().rstrip(".")
        text = _TYPESTR.sub(r"input \1 is \2, which the operator does not take", text)
        text = re.sub(
            r"^(\w+) has inconsistent type (\S+)", r"input \1 is \2, and others that must be alike are not", text
        )
        named = [nodes[entry["name"]] for entry in entries if entry["name"] in nodes]
        where = structure.describe(*named[-1]) if named else f"a {entries[-1]['op']} node"
        text = text[:1].lower() + text[1:] if text[1:2].islower() else text
        return f"{where}: its types do not fit: {text}", named[-1][0] if named else None
    return None, None


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


def _inferable(proto: ModelProto) -> tuple[ModelProto, dict[str, tuple[NodeProto, int]]]:
    """A copy for inference, and the original nodes by their names in it, which are made unique.

    It has nothing of what the model claims of computed values: inference would believe it over its own result.
    """
    copy = ModelProto()
    copy.CopyFrom(proto)
    domains = {entry.domain for entry in copy.opset_import}
    nodes: dict[str, tuple[NodeProto, int]] = {}
    for original, graph in zip(structure.graphs(proto.graph), structure.graphs(copy.graph), strict=True):
        del graph.value_info[:]
        for value in graph.input:
            _drop_negative(value.type)
        for value in graph.output:
            if value.type.HasField("tensor_type"):
                value.type.tensor_type.ClearField("shape")
        for position, (before, node) in enumerate(zip(original.node, graph.node, strict=True)):
            node.name = f"#{len(nodes)}"
            nodes[node.name] = before, position
            if any(entry.key == OPSET_TAG for entry in node.metadata_props):
                node.domain = _OPAQUE  # of another opset than the model: better unknown than wrong
            if node.domain not in domains:
                domains.add(node.domain)
                copy.opset_import.add(domain=node.domain, version=1)
    _lend_constants(copy.graph)
    return copy, nodes


def _lend_constants(main: GraphProto) -> None:
    """Gives each inner graph copies of the small outer constants it uses, which inference does not see otherwise."""
    constants: dict[str, TensorProto] = {}
    for graph in structure.graphs(main):
        constants.update(
            (name, tensor) for name, tensor in constants_of(graph).items() if math.prod(tensor.dims) <= _SMALL
        )
        if graph is main:
            continue
        own = {tensor.name for tensor in graph.initializer}
        own.update(value.name for value in graph.input)
        own.update(name for node in graph.node for name in node.output)
        for name in dict.fromkeys(name for node in graph.node for name in node.input):
            if name in constants and name not in own:
                lent = graph.initializer.add()
                lent.CopyFrom(constants[name])
                lent.name = name


def _drop_negative(proto: TypeProto) -> None:
    """-1 stands for "unknown" with some exporters; inference would compute with it."""
    for dim in _shape_dims(proto):
        if dim.dim_value < 0:
            dim.ClearField("dim_value")


def _one_line(error: Exception | str) -> str:
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
