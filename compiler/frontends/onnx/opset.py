"""Lifts the nodes of older opsets to the newest one, so that everything behind sees a single form of each operator.

An adapter rewrites one node of the versions ``since`` to ``until`` into the form of the version that comes after
``until``, plus helper nodes in newest form::

    @adapts("Resize", since=10, until=10)
    def resize_10(old: OldNode, lift: Lift) -> None:
        x, scales = old.inputs
        lift.node("Resize", [x, "", scales], old.outputs, coordinate_transformation_mode="asymmetric", ...)

A step between two versions that changed the signature but not the meaning of what was valid before is declared with
its reason: ``keeps("Shape", since=13, until=13, why=SAME("start and end default to the whole shape"))``. A step
whose signature changed and that is neither is refused when a node needs it; ``test_opset_steps.py`` derives all such
steps from ``onnx.defs``. Steps that only widen a type list need no entry: they are found by comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from onnx import GraphProto, NodeProto

from davit.compiler.frontends.onnx import structure
from davit.compiler.frontends.onnx.inference import OPSET_TAG
from davit.compiler.frontends.onnx.lifting import Lift, OldNode
from davit.compiler.frontends.onnx.load import LoadedModel
from davit.compiler.frontends.onnx.signature import (
    CHECKED,
    check_node,
    history,
    newest,
    schema_at,
    signature_changes,
)
from davit.errors import InvalidModel, Unsupported

_SHOWN = 8


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


def lift(model: LoadedModel) -> None:
    """Brings every node of the model's graph, and of the graphs inside it, to the newest opset, in place.

    Raises:
        Unsupported: some nodes cannot be lifted; all of them are listed.
    """
    load_families()
    context = Lift(model)
    problems: list[Unsupported] = []
    _lift_graph(context, model.graph, model.opset, problems)
    if len(problems) == 1:
        raise problems[0]
    if problems:
        lines = [str(problem).removeprefix(f"{model.path}: ") for problem in problems]
        shown = "; ".join(lines[:_SHOWN]) + (f"; and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else "")
        raise Unsupported(f"{model.path}: {len(lines)} nodes cannot be brought to the newest opset: {shown}", lines)
    for entry in model.proto.opset_import:
        if entry.domain in CHECKED:
            entry.version = newest(entry.domain)
    model.changed()


def _lift_graph(context: Lift, graph: GraphProto, versions: dict[str, int], problems: list[Unsupported]) -> None:
    nodes: list[NodeProto] = []
    changed = False
    for position, node in enumerate(graph.node):
        if node.attribute:
            for inner in structure.subgraphs(node):
                _lift_graph(context, inner, versions, problems)
        if node.domain not in CHECKED:
            nodes.append(node)  # not ONNX's own: preflight tells whether it is known
            continue
        version = _version(node, versions)
        where = f"{context.model.path}: {structure.describe(node, position, version)}"
        if version is None:
            raise InvalidModel(f"{where}: the model does not import the node's domain {node.domain or 'ai.onnx'!r}")
        try:
            form = form_at(node.domain, node.op_type, version, where)
            if form is None:
                nodes.append(node)  # no such operator: preflight lists it with all others
                continue
            check_node(node, schema_at(node.domain, node.op_type, form), where)
            lifted = _lift_node(context, node, form, where)
        except Unsupported as problem:
            problems.append(problem)
            continue
        changed |= len(lifted) != 1 or lifted[0] is not node
        nodes.extend(lifted)
    if changed:
        if graph is not context.model.graph:
            context.types()  # inference needs all graphs in one opset
        del graph.node[:]
        graph.node.extend(nodes)


def _version(node: NodeProto, versions: dict[str, int]) -> int | None:
    """The opset a node is written in: its function's where it was inlined from one, else the model's."""
    for entry in node.metadata_props:
        if entry.key == OPSET_TAG:
            node.metadata_props.remove(entry)
            return int(entry.value)
    return versions.get(node.domain)


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
    """The newest form of a node of version ``form``: the node itself, or what its adapters make of it."""
    pending = [(node, form)]
    done: list[NodeProto] = []
    while pending:
        current, version = pending.pop()
        adapter, at, after = plan(current.domain, current.op_type, version)
        if isinstance(adapter, str):
            raise Unsupported(f"{where}: {adapter}")
        if adapter is None:
            done.append(current)
            continue
        made = context.run(adapter, current, at)
        if not any(again for _, again in made):
            done.extend(result for result, _ in made)
            continue
        # The order of the nodes is the order of the data: what comes before a node to lift further is done first.
        for result, again in reversed(made):
            pending.append((result, after if again else _DONE))
    return done


_DONE = 1 << 30
"""Stands for the version of a node that is in newest form."""


@cache
def plan(domain: str, op: str, form: int) -> tuple[Adapter | str | None, int, int]:
    """The next adapter that a node of version ``form`` has to pass, the version it then has, and the one after.

    The adapter is None for a node that is in its newest form, and a sentence when a changed step has no entry.
    """
    while form != _DONE:
        entry = _entry(domain, op, form)
        following = next_form(domain, op, form if entry is None else entry.until)
        if entry is not None and not isinstance(entry.action, SAME):
            return entry.action, form, following or _DONE
        if following is None:
            break
        if entry is None:
            changes = signature_changes(schema_at(domain, op, form), schema_at(domain, op, following))
            if changes:
                return (
                    (
                        f"the operator changed in opset {following} ({'; '.join(changes)}) and davit cannot lift "
                        f"it from version {form} to version {following}; export the model with a newer opset"
                    ),
                    form,
                    following,
                )
        form = following
    return None, form, form


def _entry(domain: str, op: str, form: int) -> Entry | None:
    return next((e for e in REGISTRY.get((domain, op), ()) if e.since <= form <= e.until), None)


def next_form(domain: str, op: str, form: int) -> int | None:
    """The version of the operator that replaced version ``form``."""
    return next((step for step in history()[domain, op] if step > form), None)


@cache
def load_families() -> None:
    """Registers every adapter."""
    from davit.compiler.frontends.onnx import opset_adapters

    assert opset_adapters.FAMILIES
