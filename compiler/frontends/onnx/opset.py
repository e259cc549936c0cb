"""Lifts the nodes of older opsets to the newest one, so that everything behind sees a single form of each operator.

An adapter rewrites one node of the versions ``since`` to ``until`` into the form of the version that comes after
``until``, plus helper nodes in newest form::

    @adapts("Resize", since=10, until=10)
    def resize_10(old: OldNode, lift: Lift) -> None:
        lift.node("Resize", [old.input(0), "", old.input(1)], old.outputs, coordinate_transformation_mode="asymmetric", ...)

A step between two versions that changed the signature but not the meaning of what was valid before is declared with
its reason: ``keeps("Shape", since=13, until=13, why=SAME("start and end default to the whole shape"))``. A step
whose signature changed and that is neither is refused when a node needs it; ``test_opset_steps.py`` derives all such
steps from ``onnx.defs``. Steps that only widen a type list need no entry: they are found by comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import onnx
from onnx import AttributeProto, GraphProto, NodeProto, helper, numpy_helper

from davit.compiler.frontends.onnx import structure
from davit.compiler.frontends.onnx.load import LoadedModel
from davit.compiler.frontends.onnx.signature import (
    check_node,
    default_attributes,
    history,
    schema_at,
    signature_changes,
)
from davit.compiler.frontends.onnx.types import ValueType
from davit.errors import InvalidModel, Unsupported

CHECKED: dict[str, int] = {"": 28, "ai.onnx.ml": 5, "ai.onnx.preview.training": 1, "ai.onnx.preview": 1}
"""The newest version of each domain whose steps were looked at. A node of a newer version is refused by name."""

OPSET_TAG = "davit.opset"
"""metadata_props key of a node whose opset differs from the model's: it comes out of a function's body."""


@dataclass(frozen=True)
class SAME:
    """Says why a changed signature leaves the meaning of an older node as it was."""

    reason: str


Adapter: TypeAlias = "Callable[[OldNode, Lift], None]"


@dataclass(frozen=True)
class Entry:
    """What happens to a node of versions ``since`` to ``until`` on the way to the version after ``until``."""

    since: int
    until: int
    action: Adapter | SAME
    file: str


REGISTRY: dict[tuple[str, str], list[Entry]] = {}


def adapts(*ops: str, since: int, until: int, domain: str = "") -> Callable[[Adapter], Adapter]:
    """Registers the decorated function as the adapter of ``ops`` for versions ``since`` to ``until``."""

    def register(function: Adapter) -> Adapter:
        for op in ops:
            _add(domain, op, Entry(since, until, function, function.__code__.co_filename))
        return function

    return register


def keeps(*ops: str, since: int, until: int, why: SAME, domain: str = "") -> None:
    """Declares that nodes of versions ``since`` to ``until`` mean the same in the version after ``until``."""
    for op in ops:
        _add(domain, op, Entry(since, until, why, why.reason))


def _add(domain: str, op: str, entry: Entry) -> None:
    entries = REGISTRY.setdefault((domain, op), [])
    for other in entries:
        if entry.since <= other.until and other.since <= entry.until:
            raise ValueError(
                f"two opset entries for {op} overlap in versions {max(entry.since, other.since)}"
                f" to {min(entry.until, other.until)}: {other.file} and {entry.file}"
            )
    entries.append(entry)


class OldNode:
    """A read-only view of the node that an adapter rewrites; attribute defaults are those of its own version."""

    def __init__(self, proto: NodeProto, version: int) -> None:
        self.proto = proto
        self.version = version
        self.op = proto.op_type
        self.outputs: list[str] = list(proto.output)
        self._defaults = default_attributes(proto.domain, proto.op_type, version)
        self._given = {a.name: helper.get_attribute_value(a) for a in proto.attribute}

    @property
    def inputs(self) -> list[str]:
        """Input names; ``""`` for one that is absent."""
        return list(self.proto.input)

    def input(self, index: int) -> str:
        """The name of an input, ``""`` when absent."""
        return self.proto.input[index] if index < len(self.proto.input) else ""

    def has_output(self, index: int) -> bool:
        """True when the node's output is present."""
        return index < len(self.outputs) and self.outputs[index] != ""

    def attr(self, name: str, default: Any = None) -> Any:
        """An attribute's value, else its schema default, else ``default``; strings as str."""
        value = self._given.get(name, self._defaults.get(name, default))
        return value.decode() if isinstance(value, bytes) else value

    def attrs(self, *without: str) -> dict[str, Any]:
        """The attributes that the node gives, as ``lift.node`` takes them, but for those named."""
        return {name: value for name, value in self._given.items() if name not in without}


class Lift:
    """What adapters build with: emits nodes, and answers questions about values of the graph."""

    def __init__(self, model: LoadedModel) -> None:
        self.model = model
        self._emitted: list[NodeProto] = []
        self._old: OldNode | None = None
        self._names: set[str] | None = None
        self._constants: dict[str, np.ndarray] | None = None
        self._types: dict[str, ValueType] | None = None

    def node(self, op: str, inputs: Sequence[str], outputs: Sequence[str] | None = None, **attrs: Any) -> str:
        """Emits a node and returns its first output. Without ``outputs`` it makes one new value.

        Attributes that are None are left out. An op other than the one being adapted is written in newest form.
        """
        names = [self.fresh(op)] if outputs is None else list(outputs)
        kept = {name: value for name, value in attrs.items() if value is not None}
        domain = self.old.proto.domain if op == self.old.op else ""
        made = helper.make_node(op, _trim(inputs), names, domain=domain, **kept)
        base = self.old.proto.name
        if base:
            made.name = base if outputs is not None else f"{base}/{op}"
        self._emitted.append(made)
        return names[0]

    def constant(self, value: Any, dtype: Any = None) -> str:
        """Emits a constant and returns its name. Lists of int default to int64."""
        array = np.asarray(value, dtype)
        tensor = numpy_helper.from_array(array)
        return self.node("Constant", [], None, value=tensor)

    def scalar(self, value: float, like: str) -> str:
        """Emits a scalar constant of the element type that value ``like`` has."""
        elem_type = self.elem_type(like)
        if elem_type is None:
            literal = self.constant(np.float32(value))
            return self.node("CastLike", [literal, like])
        return self.constant(np.asarray(value, helper.tensor_dtype_to_np_dtype(elem_type)))

    def fresh(self, hint: str) -> str:
        """A value name that occurs nowhere in the model."""
        if self._names is None:
            self._names = value_names(self.model)
        base = next((name for name in self.old.outputs if name), "") or self.old.proto.name
        name = candidate = f"{base}/{hint}"
        count = 1
        while candidate in self._names:
            candidate = f"{name}_{count}"
            count += 1
        self._names.add(candidate)
        return candidate

    def value(self, name: str) -> np.ndarray | None:
        """The value of an initializer or Constant node, None when ``name`` is computed."""
        if self._constants is None:
            self._constants = {}
            for graph in structure.graphs(self.model.graph):
                for tensor in graph.initializer:
                    self._constants[tensor.name] = tensor
                for node in graph.node:
                    if node.op_type == "Constant" and not node.domain and node.output:
                        for attribute in node.attribute:
                            if attribute.name == "value":
                                self._constants[node.output[0]] = attribute.t
        tensor = self._constants.get(name)
        return None if tensor is None else self.model.array(tensor)

    def type(self, name: str) -> ValueType | None:
        """What inference on the model as it came tells of a value."""
        if self._types is None:
            from davit.compiler.frontends.onnx import inference

            self._types = inference.infer_types(self.model)
        return self._types.get(name)

    def elem_type(self, name: str) -> int | None:
        """The element type of a tensor, None when unknown."""
        known = self.type(name)
        return known.elem_type or None if known is not None else None

    def rank(self, name: str) -> int:
        """The number of dimensions of a value; an error in words when it cannot be told."""
        known = self.type(name)
        if known is None or known.rank is None:
            raise Unsupported(
                f"{self.where}: to bring this node to opset {CHECKED['']} davit must know the rank of {name!r}, which "
                "shape inference cannot tell; give the value a shape (value_info) or export with a newer opset"
            )
        return known.rank

    @property
    def old(self) -> OldNode:
        """The node being adapted."""
        assert self._old is not None
        return self._old

    @property
    def where(self) -> str:
        """The start of an error message about the node being adapted."""
        return f"{self.model.path}: {structure.describe(self.old.proto, None, self.old.version)}"

    def invalid(self, problem: str) -> InvalidModel:
        """An error about the node being adapted."""
        return InvalidModel(f"{self.where}: {problem}")

    def unsupported(self, problem: str) -> Unsupported:
        """An error about something valid that has no newest form."""
        return Unsupported(f"{self.where}: {problem}")

    def run(self, adapter: Adapter, node: NodeProto, version: int) -> list[NodeProto]:
        """The nodes that an adapter makes of ``node``."""
        self._old, self._emitted = OldNode(node, version), []
        adapter(self._old, self)
        return self._emitted


def lift(model: LoadedModel) -> None:
    """Brings every node of the model's graph, and of the graphs inside it, to the newest opset, in place."""
    _load_families()
    versions = model.opset
    context = Lift(model)
    _lift_graph(context, model.graph, versions)
    for entry in model.proto.opset_import:
        if entry.domain in CHECKED:
            entry.version = newest(entry.domain)
    model.changed()


def newest(domain: str) -> int:
    """The version that nodes of the domain are lifted to: the newest that the installed onnx package defines."""
    versions = [v for (d, _), steps in history().items() if d == domain for v in steps]
    return max(versions, default=1)


def _lift_graph(context: Lift, graph: GraphProto, versions: dict[str, int]) -> None:
    nodes: list[NodeProto] = []
    changed = False
    for position, node in enumerate(graph.node):
        for inner in structure.subgraphs(node):
            _lift_graph(context, inner, versions)
        if node.domain not in CHECKED:
            nodes.append(node)  # not ONNX's own: preflight tells whether it is known
            continue
        tag = next((entry for entry in node.metadata_props if entry.key == OPSET_TAG), None)
        version = versions.get(node.domain) if tag is None else int(tag.value)
        if tag is not None:
            node.metadata_props.remove(tag)
        where = f"{context.model.path}: {structure.describe(node, position, version)}"
        if version is None:
            raise InvalidModel(f"{where}: the model does not import the node's domain {node.domain or 'ai.onnx'!r}")
        form = form_at(node.domain, node.op_type, version, where)
        if form is None:
            nodes.append(node)  # no such operator: preflight lists it with all others
            continue
        check_node(node, schema_at(node.domain, node.op_type, form), where)
        lifted = _lift_node(context, node, form, where)
        changed |= len(lifted) != 1 or lifted[0] is not node
        nodes.extend(lifted)
    if changed:
        del graph.node[:]
        graph.node.extend(nodes)


def form_at(domain: str, op: str, version: int, where: str) -> int | None:
    """The version of the operator that is in force in opset ``version``; None when there is no such operator."""
    steps = history().get((domain, op))
    if steps is None:
        if version > CHECKED[domain]:
            raise _too_new(domain, version, where)
        return None
    if version > newest(domain):
        raise _too_new(domain, version, where)
    known = [step for step in steps if step <= version]
    if not known:
        raise InvalidModel(f"{where}: the operator first appears in opset {steps[0]}; the model says opset {version}")
    if known[-1] > CHECKED[domain]:
        raise _too_new(domain, known[-1], where)
    return known[-1]


def _too_new(domain: str, version: int, where: str) -> Unsupported:
    return Unsupported(
        f"{where}: davit knows {domain or 'ai.onnx'} up to opset {CHECKED[domain]}, and this operator is from opset "
        f"{version}; export the model with an older opset"
    )


def _lift_node(context: Lift, node: NodeProto, form: int, where: str) -> list[NodeProto]:
    adapter, at = plan(node.domain, node.op_type, form, where)
    if adapter is None:
        return [node]
    done: list[NodeProto] = []
    after = at_end = next_form(node.domain, node.op_type, _entry(node.domain, node.op_type, at).until)
    for made in context.run(adapter, node, at):
        if made.op_type == node.op_type and made.domain == node.domain and at_end is not None:
            done.extend(_lift_node(context, made, after, where))
        else:
            done.append(made)
    return done


@cache
def plan(domain: str, op: str, form: int, where: str) -> tuple[Adapter | None, int]:
    """The next adapter that a node of version ``form`` has to pass, and the version it then has; None at the newest.

    Raises Unsupported when a changed step on the way has no entry.
    """
    while True:
        entry = _entry(domain, op, form)
        following = next_form(domain, op, form if entry is None else entry.until)
        if entry is not None and not isinstance(entry.action, SAME):
            return entry.action, form
        if following is None:
            return None, form
        if entry is None:
            changes = signature_changes(schema_at(domain, op, form), schema_at(domain, op, following))
            if changes or following > CHECKED[domain]:
                if changes:
                    raise Unsupported(
                        f"{where}: the operator changed in opset {following} ({'; '.join(changes)}) and davit has no "
                        "adapter for that step"
                    )
        form = following


def _entry(domain: str, op: str, form: int) -> Entry | None:
    return next((e for e in REGISTRY.get((domain, op), ()) if e.since <= form <= e.until), None)


def next_form(domain: str, op: str, form: int) -> int | None:
    """The version of the operator that replaced version ``form``."""
    return next((step for step in history()[domain, op] if step > form), None)


def value_names(model: LoadedModel) -> set[str]:
    """Every value name of the model's graphs."""
    names: set[str] = set()
    for graph in structure.graphs(model.graph):
        names.update(value.name for value in graph.input)
        names.update(tensor.name for tensor in graph.initializer)
        for node in graph.node:
            names.update(node.output)
    return names


def _trim(inputs: Sequence[str]) -> list[str]:
    trimmed = list(inputs)
    while trimmed and not trimmed[-1]:
        trimmed.pop()
    return trimmed


@cache
def _load_families() -> None:
    from davit.compiler.frontends.onnx import opset_adapters

    assert opset_adapters.FAMILIES
