"""The shape of a model, operators aside: nesting, names, order and functions.

Every check is linear in the model and says which node is at fault. Nothing here recurses deeper than
``MAX_NESTING``, which is looked at first.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator

import onnx
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TypeProto

from davit.errors import InvalidModel, Unsupported

MAX_NESTING = 32
"""Subgraphs inside subgraphs. protobuf itself stops at about this depth when it reads a file."""


def describe(node: NodeProto, position: int | None = None, opset: int | None = None) -> str:
    """``node 'head/Resize_12' (Resize, opset 19)``; a node without a name is told by its place or its output."""
    op = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
    if opset is not None:
        op += f", opset {opset}"
    if node.name:
        return f"node {node.name!r} ({op})"
    made = next((name for name in node.output if name), None)
    if made is not None:
        return f"the unnamed node that makes {made!r} ({op})"
    return f"unnamed node number {position} ({op})" if position is not None else f"an unnamed node ({op})"


def subgraphs(node: NodeProto) -> Iterator[GraphProto]:
    """The graphs that a node's attributes hold."""
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            yield attribute.g
        elif attribute.type == AttributeProto.GRAPHS:
            yield from attribute.graphs


def graphs(graph: GraphProto) -> Iterator[GraphProto]:
    """The graph and every graph inside it, outer before inner."""
    stack = [graph]
    while stack:
        current = stack.pop()
        yield current
        inner = [graph for node in current.node if node.attribute for graph in subgraphs(node)]
        stack.extend(reversed(inner))


def all_graphs(model: ModelProto) -> Iterator[GraphProto | FunctionProto]:
    """Every scope that holds nodes: the main graph, the functions, and the graphs inside them."""
    yield from graphs(model.graph)
    for function in model.functions:
        yield function
        for node in function.node:
            for graph in subgraphs(node):
                yield from graphs(graph)


def check_nesting(model: ModelProto, path: str) -> None:
    """Raises InvalidModel when subgraphs nest deeper than MAX_NESTING, without recursing."""
    scopes: list[tuple[GraphProto | FunctionProto, int]] = [(model.graph, 0)]
    scopes.extend((function, 0) for function in model.functions)
    while scopes:
        scope, depth = scopes.pop()
        for position, node in enumerate(scope.node):
            if not node.attribute:
                continue
            # By content, not by declared type: protobuf will recurse into whatever is there.
            for attribute in node.attribute:
                inner = [attribute.g] if attribute.HasField("g") else []
                inner.extend(attribute.graphs)
                if inner and depth + 1 > MAX_NESTING:
                    raise InvalidModel(
                        f"{path}: {describe(node, position)}: its subgraph is nested more than {MAX_NESTING} deep"
                    )
                scopes.extend((graph, depth + 1) for graph in inner)


def check_version(model: ModelProto, path: str) -> None:
    """Looks at the model's head: IR version, opsets, and whether there is a graph. Normalises domain names."""
    if not model.HasField("graph"):
        raise InvalidModel(f"{path}: holds no graph; it is not an ONNX model")
    if model.ir_version > onnx.IR_VERSION:
        raise Unsupported(
            f"{path}: is written for IR version {model.ir_version}; the installed onnx package reads up to "
            f"{int(onnx.IR_VERSION)}"
        )
    check_nesting(model, path)
    _check_text(model, path)
    _normalise_imports(model, path)
    for scope in all_graphs(model):
        if isinstance(scope, FunctionProto):
            _normalise_imports(scope, path)
            if scope.domain == "ai.onnx":
                scope.domain = ""
        for node in scope.node:
            if node.domain == "ai.onnx":
                node.domain = ""


def _check_text(model: ModelProto, path: str) -> None:
    """Raises InvalidModel when a name is not UTF-8: protobuf then hands out bytes where it promises a string."""
    for holder in (model, *model.functions):
        _utf8((entry.domain for entry in holder.opset_import), path, "the domain of an opset import")
    for scope in all_graphs(model):
        if isinstance(scope, FunctionProto):
            names = [scope.name, scope.domain, scope.overload, *scope.input, *scope.output, *scope.attribute]
            _utf8(names, path, "a name in a function")
            _utf8((attribute.name for attribute in scope.attribute_proto), path, "the name of an attribute")
        else:
            _utf8([scope.name], path, "the name of a graph")
            for values in (scope.input, scope.output, scope.value_info):
                for value in values:
                    _utf8([value.name, *_symbols(value.type)], path, "a name in a graph's inputs, outputs or values")
            tensors = (*scope.initializer, *(sparse.values for sparse in scope.sparse_initializer))
            _utf8((tensor.name for tensor in tensors), path, "the name of an initializer")
        for position, node in enumerate(scope.node):
            texts = [node.op_type, node.domain, node.overload, node.name, *node.input, *node.output]
            for attribute in node.attribute:
                texts += (attribute.name, attribute.ref_attr_name)
                if attribute.HasField("tp"):
                    texts += _symbols(attribute.tp)
            if not all(type(text) is str for text in texts):
                raise InvalidModel(f"{path}: node number {position}: a name in it is not valid UTF-8")


def _symbols(proto: TypeProto) -> list[str]:
    """The names of dimensions in a tensor's type."""
    return [dim.dim_param for dim in proto.tensor_type.shape.dim] if proto.HasField("tensor_type") else []


def _utf8(texts: Iterable[str], path: str, what: str) -> None:
    for text in texts:
        if type(text) is not str:
            raise InvalidModel(f"{path}: {what} is not valid UTF-8: {bytes(text)[:40]!r}")


def _normalise_imports(holder: ModelProto | FunctionProto, path: str) -> None:
    versions: dict[str, int] = {}
    for entry in holder.opset_import:
        domain = "" if entry.domain == "ai.onnx" else entry.domain
        if versions.setdefault(domain, entry.version) != entry.version:
            raise InvalidModel(
                f"{path}: imports domain {domain or 'ai.onnx'!r} at two versions, {versions[domain]} and "
                f"{entry.version}"
            )
        if entry.version < 1:
            raise InvalidModel(f"{path}: imports domain {domain or 'ai.onnx'!r} at version {entry.version}")
    if isinstance(holder, ModelProto) and not versions:
        versions[""] = 1  # models from before IR version 3 do not say
    del holder.opset_import[:]
    for domain, version in versions.items():
        holder.opset_import.add(domain=domain, version=version)


def check_and_sort(model: ModelProto, path: str) -> None:
    """Checks names, attributes and functions in every scope, and brings nodes into an order that can run."""
    seen: set[tuple[str, str, str]] = set()
    for function in model.functions:
        key = (function.domain, function.name, function.overload)
        if key in seen:
            raise InvalidModel(f"{path}: function {function.domain}.{function.name} is defined twice")
        seen.add(key)
        label = f"{path}: function '{function.domain}.{function.name}'"
        _define(function.input, set(), label, "input")
        _scope(function, set(function.input), frozenset(), label)
    if not model.graph.output:
        raise InvalidModel(f"{path}: the graph has no outputs, so there is nothing to compute")
    names: set[str] = set()
    _define((value.name for value in model.graph.input), names, path, "graph input")
    _scope(model.graph, names, frozenset(), path)


def _define(names: Iterable[str], defined: set[str], path: str, kind: str) -> None:
    for name in names:
        if not name:
            raise InvalidModel(f"{path}: a {kind} has no name")
        if name in defined:
            raise InvalidModel(f"{path}: {kind} {name!r} is defined twice")
        defined.add(name)


def _scope(
    scope: GraphProto | FunctionProto, defined: set[str], outer: frozenset[str] | set[str], path: str
) -> set[str]:
    """Checks one scope whose inputs are ``defined``; returns the outer names that it uses."""
    outputs: list[str]
    if isinstance(scope, GraphProto):
        initializers: set[str] = set()
        _define((tensor.name for tensor in scope.initializer), initializers, path, "initializer")
        defined |= initializers
        outputs = [value.name for value in scope.output]
    else:
        outputs = list(scope.output)
    producer: dict[str, int] = {}
    for position, node in enumerate(scope.node):
        for name in node.output:
            if not name:
                continue
            if name in producer or name in defined:
                raise InvalidModel(
                    f"{path}: {describe(node, position)}: its output {name!r} is defined twice; a value has one source"
                )
            producer[name] = position
    visible = outer | defined | producer.keys()
    captured: set[str] = set()
    ready = set(defined)
    in_order = True
    uses: list[list[str]] = []
    for position, node in enumerate(scope.node):
        _check_attributes(node, position, path, isinstance(scope, FunctionProto))
        needs = [name for name in node.input if name]
        if node.attribute:
            for graph in subgraphs(node):
                label = f"{path}: {describe(node, position)}"
                inner: set[str] = set()
                _define((value.name for value in graph.input), inner, label, "subgraph input")
                needs.extend(_scope(graph, inner, visible, label))
        for name in needs:
            if name in ready:
                continue
            if name in producer:
                in_order = False
            elif name in outer:
                captured.add(name)
            else:
                raise InvalidModel(
                    f"{path}: {describe(node, position)}: its input {name!r} is defined nowhere: it is no graph input, "
                    "no initializer and no node's output"
                )
        ready.update(name for name in node.output if name)
        uses.append(needs)
    for name in outputs:
        if name in producer or name in defined:
            continue
        if name in outer:
            captured.add(name)
        else:
            raise InvalidModel(f"{path}: output {name!r} is made by no node")
    if not in_order:
        _sort(scope, uses, producer, path)
    return captured


def _sort(scope: GraphProto | FunctionProto, uses: list[list[str]], producer: dict[str, int], path: str) -> None:
    """Reorders the nodes so that each comes after what it uses, else keeping their order."""
    waiting = [0] * len(uses)
    users: list[list[int]] = [[] for _ in uses]
    for position, needs in enumerate(uses):
        for name in set(needs):
            if name in producer:
                waiting[position] += 1
                users[producer[name]].append(position)
    heap = [position for position, count in enumerate(waiting) if count == 0]
    order: list[int] = []
    while heap:
        position = heapq.heappop(heap)
        order.append(position)
        for user in users[position]:
            waiting[user] -= 1
            if waiting[user] == 0:
                heapq.heappush(heap, user)
    if len(order) != len(uses):
        cycle = _cycle(uses, producer, waiting)
        names = " -> ".join(describe(scope.node[position], position) for position in cycle[:4])
        more = f" -> ... ({len(cycle)} nodes)" if len(cycle) > 4 else ""
        raise InvalidModel(f"{path}: the graph has a cycle: {names}{more} -> back to the first")
    nodes = [NodeProto() for _ in order]
    for copy, position in zip(nodes, order, strict=True):
        copy.CopyFrom(scope.node[position])
    del scope.node[:]
    scope.node.extend(nodes)


def _cycle(uses: list[list[str]], producer: dict[str, int], waiting: list[int]) -> list[int]:
    """One cycle among the nodes that still wait, in the direction of the data."""
    position = next(index for index, count in enumerate(waiting) if count)
    seen: dict[int, int] = {}
    trail: list[int] = []
    while position not in seen:
        seen[position] = len(trail)
        trail.append(position)
        position = next(producer[n] for n in uses[position] if n in producer and waiting[producer[n]])
    return trail[seen[position] :][::-1]


# Which field an attribute of each type keeps its value in. Repeated fields may be empty, single ones must be there.
_SINGLE_FIELDS = {
    AttributeProto.FLOAT: "f",
    AttributeProto.INT: "i",
    AttributeProto.STRING: "s",
    AttributeProto.TENSOR: "t",
    AttributeProto.GRAPH: "g",
    AttributeProto.SPARSE_TENSOR: "sparse_tensor",
    AttributeProto.TYPE_PROTO: "tp",
}
# proto3 writers leave out a number that is zero and an empty string.
_OPTIONAL_FIELDS = (AttributeProto.FLOAT, AttributeProto.INT, AttributeProto.STRING)
_REPEATED_FIELDS = {
    AttributeProto.FLOATS: "floats",
    AttributeProto.INTS: "ints",
    AttributeProto.STRINGS: "strings",
    AttributeProto.TENSORS: "tensors",
    AttributeProto.GRAPHS: "graphs",
    AttributeProto.SPARSE_TENSORS: "sparse_tensors",
    AttributeProto.TYPE_PROTOS: "type_protos",
}


def _check_attributes(node: NodeProto, position: int, path: str, in_function: bool) -> None:
    names: set[str] = set()
    for attribute in node.attribute:
        name = attribute.name
        if not name or name in names:
            problem = f"attribute {name!r} is given twice" if name else "an attribute has no name"
            raise InvalidModel(f"{path}: {describe(node, position)}: {problem}")
        names.add(name)
        if attribute.ref_attr_name:
            continue
        kind = attribute.type
        if kind == AttributeProto.UNDEFINED:
            kind = attribute.type = _guess_type(attribute)
        field = _SINGLE_FIELDS.get(kind)
        if field is not None:
            if not attribute.HasField(field) and kind not in _OPTIONAL_FIELDS:
                raise InvalidModel(f"{path}: {describe(node, position)}: attribute {name!r} has no value")
        elif kind not in _REPEATED_FIELDS:
            raise InvalidModel(f"{path}: {describe(node, position)}: attribute {name!r} has an unknown type ({kind})")


def _guess_type(attribute: AttributeProto) -> AttributeProto.AttributeType:
    """The type of an attribute from before IR version 2, which does not say: that of the field that is filled."""
    for kind, field in _SINGLE_FIELDS.items():
        if attribute.HasField(field):
            return kind
    for kind, field in _REPEATED_FIELDS.items():
        if len(getattr(attribute, field)):
            return kind
    return AttributeProto.INTS  # an empty list
