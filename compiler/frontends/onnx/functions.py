"""Functions become nodes: a model's own are inlined, and operators are replaced by the function body of their schema.

onnx.inliner does not do here: it leaves out the defaults that a function declares for its attributes, stops on inputs
that are initializers, follows a cycle of functions, and forgets which node a body was called from. What is inlined
here is named after its caller (``encoder/norm`` calls ``F``, whose node ``mul`` becomes ``encoder/norm/mul``), and a
node whose function was written for another opset than the model carries that opset as a tag for ``opset.lift``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto

from davit.compiler.frontends.onnx import inference, names, native, opset, structure, types
from davit.compiler.frontends.onnx.inference import OPSET_TAG
from davit.compiler.frontends.onnx.load import LoadedModel
from davit.compiler.frontends.onnx.signature import newest, schema_at
from davit.compiler.frontends.onnx.types import ValueType
from davit.errors import InvalidModel, Unsupported

MAX_DEPTH = 100
"""Functions that call functions."""

MAX_NODES = 2_000_000
"""Nodes after inlining: 60 functions that each call the next one twice would make 2^60."""

_MAX_ROUNDS = 16

_Key = tuple[str, str, str]


def inline_local(model: LoadedModel) -> None:
    """Replaces every call of one of the model's own functions by the function's nodes, in place.

    Raises:
        InvalidModel: functions call each other in a circle, or without end in sight.
    """
    proto = model.proto
    if not proto.functions:
        return
    functions = {(f.domain, f.name, f.overload): f for f in proto.functions}
    _check_calls(model, functions)
    versions = model.opset
    for function in proto.functions:
        for entry in function.opset_import:
            if entry.domain not in versions:
                versions[entry.domain] = entry.version
                proto.opset_import.add(domain=entry.domain, version=entry.version)
    _Inliner(model, functions, versions).graph(proto.graph)
    del proto.functions[:]


@dataclass
class _Measure:
    """What a function becomes when it and all that it calls is inlined: nodes, calls inside calls, nested graphs."""

    nodes: int
    depth: int
    nesting: int


def _check_calls(model: LoadedModel, functions: Mapping[_Key, FunctionProto]) -> None:
    """Looks for circles, depth and the number of nodes to come, before anything is copied."""
    calls = {key: _calls(function.node, functions) for key, function in functions.items()}
    measures: dict[_Key, _Measure] = {}
    for start in functions:
        trail: dict[_Key, None] = {}
        stack = [(start, False)]
        while stack:
            key, left = stack.pop()
            if left:
                del trail[key]
                measures[key] = _measure(functions[key].node, calls[key], measures)
            elif key in trail:
                keys = list(trail)
                circle = [_label(k) for k in keys[keys.index(key) :]]
                shown = " -> ".join(circle[:6]) + (f" -> ... ({len(circle)} functions)" if len(circle) > 6 else "")
                raise InvalidModel(f"{model.path}: functions call each other in a circle: {shown} -> back to the first")
            elif key not in measures:
                trail[key] = None
                stack.append((key, True))
                stack.extend((k, False) for k in dict.fromkeys(k for k, _ in calls[key]) if k not in measures)
    for key, measure in measures.items():
        if measure.depth > MAX_DEPTH:
            raise InvalidModel(
                f"{model.path}: function {_label(key)} calls functions that call functions, {measure.depth} deep; "
                f"davit stops at {MAX_DEPTH}"
            )
    whole = _measure(model.graph.node, _calls(model.graph.node, functions), measures)
    if whole.nodes > MAX_NODES:
        raise InvalidModel(
            f"{model.path}: the model's functions unfold to {whole.nodes:,} nodes; davit stops at {MAX_NODES:,}"
        )
    if whole.nesting > structure.MAX_NESTING:
        raise InvalidModel(
            f"{model.path}: with its functions inlined the model's graphs are nested {whole.nesting} deep; davit stops "
            f"at {structure.MAX_NESTING}"
        )


def _measure(nodes: Sequence[NodeProto], calls: list[tuple[_Key, int]], measures: Mapping[_Key, _Measure]) -> _Measure:
    inner = [(measures[key], level) for key, level in calls]
    return _Measure(
        nodes=sum(1 for _ in _walk(nodes)) + sum(m.nodes for m, _ in inner),
        depth=1 + max((m.depth for m, _ in inner), default=0),
        nesting=max((level for _, level in _walk(nodes)), default=0)
        if not inner
        else max(max(level for _, level in _walk(nodes)), *(level + m.nesting for m, level in inner)),
    )


def _calls(nodes: Sequence[NodeProto], functions: Mapping[_Key, FunctionProto]) -> list[tuple[_Key, int]]:
    """The functions that a body calls, once for each call, and how deep in nested graphs."""
    called = (((node.domain, node.op_type, node.overload), level) for node, level in _walk(nodes))
    return [(key, level) for key, level in called if key in functions]


def _walk(nodes: Sequence[NodeProto]) -> Iterator[tuple[NodeProto, int]]:
    """Every node, those of graphs inside too, with its depth."""
    stack = [(node, 0) for node in nodes]
    while stack:
        node, level = stack.pop()
        yield node, level
        if node.attribute:
            stack.extend((n, level + 1) for graph in structure.subgraphs(node) for n in graph.node)


def _label(key: _Key) -> str:
    domain, name, overload = key
    return f"'{domain}.{name}{':' + overload if overload else ''}'"


def expand(model: LoadedModel, wanted: Collection[tuple[str, str]]) -> None:
    """Replaces operators by the function bodies of their schemas, until none of ``wanted`` is left, in place.

    The model must be in newest form. Types are inferred anew whenever a body depends on them; afterwards
    ``model.value_types`` is out of date.

    Raises:
        Unsupported: a body depends on a type that is not known.
    """
    wanted = frozenset(wanted)
    for _ in range(_MAX_ROUNDS):
        found = [
            node
            for graph in structure.graphs(model.graph)
            for node in graph.node
            if (node.domain, node.op_type) in wanted
        ]
        if not found:
            return
        known: Mapping[str, ValueType] = {}
        if any(_depends(node) for node in found):
            known = inference.infer_types(model)
        versions = model.opset
        inliner = _Inliner(model, _Bodies(model, wanted, known), versions)
        inliner.graph(model.graph, deep=False)
        opset.lift(model)
    raise Unsupported(f"{model.path}: {structure.describe(found[0])}: its function body never stops expanding")


def _depends(node: NodeProto) -> bool:
    schema: Any = schema_at(node.domain, node.op_type, newest(node.domain))
    return schema.has_context_dependent_function


class _Bodies(dict[_Key, FunctionProto]):
    """The function bodies of schemas, made for each node."""

    def __init__(self, model: LoadedModel, wanted: frozenset[tuple[str, str]], known: Mapping[str, ValueType]) -> None:
        super().__init__()
        self.model, self.wanted, self.known = model, wanted, known

    def body(self, node: NodeProto) -> FunctionProto | None:
        """The function to put in a node's place, None when the node stays."""
        if (node.domain, node.op_type) not in self.wanted:
            return None
        version = newest(node.domain)
        schema: Any = schema_at(node.domain, node.op_type, version)  # onnx's stubs lack the functions of a schema
        function = FunctionProto()
        where = f"{self.model.path}: {structure.describe(node)}"
        if schema.has_context_dependent_function:
            at = max(v for v in schema.context_dependent_function_opset_versions if v <= version)
            inputs = [self._type(name, where) for name in node.input]
            try:
                made = native.function_body(node.domain, node.op_type, version, at, node.SerializeToString(), inputs)
            except (native.NativeError, native.NativeCrash) as error:
                raise InvalidModel(
                    f"{where}: onnx cannot make its function body: {' '.join(str(error).split())}"
                ) from None
            if not made:
                raise Unsupported(
                    f"{where}: onnx has no function body for this use of the operator; it may need sizes that "
                    "the model leaves open: fix them with dims=..."
                )
            function.ParseFromString(made)
        elif schema.has_function:
            at = max(v for v in schema.function_opset_versions if v <= version)
            function.ParseFromString(schema.get_function_with_opset_version(at))
        else:
            raise Unsupported(f"{where}: is to be expanded, but onnx gives the operator no function body")
        return function

    def _type(self, name: str, where: str) -> bytes:
        if not name:
            return b""
        known = self.known.get(name)
        if known is None or (known.kind == "tensor" and not known.elem_type):
            raise Unsupported(
                f"{where}: its function body depends on the type of its input {name!r}, which shape inference cannot "
                "tell; give that value a type (value_info)"
            )
        return types.to_proto(known).SerializeToString()


class _Inliner:
    """Replaces calls in graphs; new values and nodes are named after the caller."""

    def __init__(self, model: LoadedModel, functions: dict[_Key, FunctionProto], versions: Mapping[str, int]) -> None:
        self.model = model
        self.functions = functions
        self.versions = versions
        self.names = names.value_names(model.graph)

    def function(self, node: NodeProto) -> FunctionProto | None:
        if isinstance(self.functions, _Bodies):
            return self.functions.body(node)
        return self.functions.get((node.domain, node.op_type, node.overload))

    def graph(self, graph: GraphProto, deep: bool = True) -> None:
        """Replaces the calls of a graph and of those inside it; with ``deep`` also the calls that bodies make."""
        done: list[NodeProto] = []
        pending = list(reversed(graph.node))
        changed = False
        fresh: set[int] = set()
        while pending:
            node = pending.pop()
            function = None if not deep and id(node) in fresh else self.function(node)
            if function is None:
                if node.attribute:
                    for inner in structure.subgraphs(node):
                        self.graph(inner, deep)
                done.append(node)
                continue
            changed = True
            body = _Body(self, function, node).nodes()
            if not deep:
                fresh.update(map(id, body))
                done.extend(body)
            else:
                pending.extend(reversed(body))
        if changed:
            del graph.node[:]
            graph.node.extend(done)

    def unique(self, name: str) -> str:
        candidate, count = name, 1
        while candidate in self.names:
            candidate = f"{name}_{count}"
            count += 1
        self.names.add(candidate)
        return candidate


class _Body:
    """One call: the nodes of a function, bound to the caller's values and attributes."""

    def __init__(self, inliner: _Inliner, function: FunctionProto, call: NodeProto) -> None:
        self.inliner, self.function, self.call = inliner, function, call
        self.prefix = call.name or f"{call.op_type}_{next((n for n in call.output if n), '')}"
        self.where = f"{inliner.model.path}: {structure.describe(call)}"
        for kind, given, declared in (
            ("input", call.input, function.input),
            ("output", call.output, function.output),
        ):
            if len(given) > len(declared):
                raise InvalidModel(f"{self.where}: has {len(given)} {kind}s, but its function has {len(declared)}")
        self.attributes = {a.name: a for a in function.attribute_proto}
        self.attributes.update((a.name, a) for a in call.attribute)
        self.opset = {entry.domain: entry.version for entry in function.opset_import}
        self.values: dict[str, str] = {}

    def nodes(self) -> list[NodeProto]:
        """The function's nodes under their new names."""
        self.values = dict.fromkeys(self.function.input, "")
        self.values.update(zip(self.function.input, self.call.input, strict=False))
        outputs = list(zip(self.function.output, self.call.output, strict=False))
        made = {name for node in self.function.node for name in node.output}
        identities: list[tuple[str, str]] = []
        for inner, outer in outputs:
            if not outer:
                continue
            if inner in made and inner not in self.values:
                self.values[inner] = outer
            else:
                identities.append((inner, outer))  # an input handed out, or one value under two names
        nodes = [self.node(node, self.values) for node in self.function.node]
        for inner, outer in identities:
            source = self.values[inner]
            if not source:
                raise InvalidModel(f"{self.where}: its output {outer!r} is the absent input {inner!r} of its function")
            nodes.append(NodeProto(op_type="Identity", input=[source], output=[outer], name=self.prefix))
        return nodes

    def node(self, node: NodeProto, values: dict[str, str]) -> NodeProto:
        copy = NodeProto()
        copy.CopyFrom(node)
        copy.name = f"{self.prefix}/{node.name or next((name for name in node.output if name), node.op_type)}"
        del copy.input[:]
        copy.input.extend(values.get(name, name) for name in node.input)
        del copy.output[:]
        copy.output.extend(self.define(name, values) for name in node.output)
        if node.attribute:
            del copy.attribute[:]
            for attribute in node.attribute:
                bound = self.attribute(attribute, values)
                if bound is not None:
                    copy.attribute.append(bound)
        version = self.opset.get(node.domain)
        if version is not None and version != self.inliner.versions.get(node.domain):
            copy.metadata_props.add(key=OPSET_TAG, value=str(version))
        return copy

    def define(self, name: str, values: dict[str, str]) -> str:
        if not name:
            return ""
        if name not in values:
            values[name] = self.inliner.unique(f"{self.prefix}/{name}")
        return values[name]

    def attribute(self, attribute: AttributeProto, values: dict[str, str]) -> AttributeProto | None:
        """An attribute of the body: the caller's where it refers to one, with graphs renamed."""
        copy = AttributeProto()
        if attribute.ref_attr_name:
            given = self.attributes.get(attribute.ref_attr_name)
            if given is None:
                return None  # the caller leaves it out: the operator's own default holds
            copy.CopyFrom(given)
            copy.name = attribute.name
            return copy
        copy.CopyFrom(attribute)
        if attribute.type == AttributeProto.GRAPH:
            self.graph(copy.g, values)
        elif attribute.type == AttributeProto.GRAPHS:
            for graph in copy.graphs:
                self.graph(graph, values)
        return copy

    def graph(self, graph: GraphProto, outer: dict[str, str]) -> None:
        """Renames what a graph inside the body defines and uses."""
        values = dict(outer)
        for value in graph.input:
            values.pop(value.name, None)
            value.name = self.define(value.name, values)
        for tensor in graph.initializer:
            values.pop(tensor.name, None)
            tensor.name = self.define(tensor.name, values)
        del graph.value_info[:]
        nodes = []
        for node in graph.node:
            for name in node.output:
                if name in outer:
                    values.pop(name, None)
            nodes.append(self.node(node, values))
        del graph.node[:]
        graph.node.extend(nodes)
        for value in graph.output:
            value.name = values.get(value.name, value.name)
