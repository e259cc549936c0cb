"""What ``onnx.defs`` says of an operator at each of its versions, and how two versions differ."""

from __future__ import annotations

import difflib
from functools import cache
from typing import Any

import onnx
from onnx import AttributeProto, NodeProto, defs, helper

from davit.errors import InvalidModel

CHECKED: dict[str, int] = {"": 28, "ai.onnx.ml": 5, "ai.onnx.preview.training": 1, "ai.onnx.preview": 1}
"""The newest version of each domain whose steps were looked at. A node of a newer version is refused by name."""

_OPTION = defs.OpSchema.FormalParameterOption


@cache
def history() -> dict[tuple[str, str], tuple[int, ...]]:
    """The versions of every operator, ascending, by (domain, op)."""
    found: dict[tuple[str, str], list[int]] = {}
    for schema in defs.get_all_schemas_with_history():
        found.setdefault((schema.domain, schema.name), []).append(schema.since_version)
    return {key: tuple(sorted(versions)) for key, versions in found.items()}


def newest(domain: str) -> int:
    """The version that nodes of the domain are lifted to: the newest that the installed onnx package defines."""
    versions = [v for (d, _), steps in history().items() if d == domain for v in steps]
    return max(versions, default=1)


@cache
def schema_at(domain: str, op: str, version: int) -> onnx.defs.OpSchema:
    """The schema of the operator that is in force at ``version``."""
    return defs.get_schema(op, version, domain)


@cache
def default_attributes(domain: str, op: str, version: int) -> dict[str, Any]:
    """The attributes that have a default in that version, with it."""
    return {
        name: helper.get_attribute_value(attribute.default_value)
        for name, attribute in schema_at(domain, op, version).attributes.items()
        if attribute.default_value.type != AttributeProto.UNDEFINED
    }


def signature_changes(old: onnx.defs.OpSchema, new: onnx.defs.OpSchema) -> tuple[str, ...]:
    """What changed in a step, in words; empty when every old node is a new node by its form.

    Wider type lists, an input or output that became optional and new names for either are no changes.
    """
    changes: list[str] = []
    ours, theirs = old.attributes, new.attributes
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in theirs:
            changes.append(f"attribute {name} was removed")
        elif name not in ours:
            changes.append(f"attribute {name} was added")
        else:
            changes.extend(_attribute_changes(name, ours[name], theirs[name]))
    for kind, mine, other in (("input", old.inputs, new.inputs), ("output", old.outputs, new.outputs)):
        for position, param in enumerate(mine):
            if position >= len(other):
                changes.append(f"{kind} {param.name} was removed")
                continue
            changes.extend(_param_changes(kind, param, other[position]))
            lost = _types(old, param) - _types(new, other[position])
            if lost:
                changes.append(f"{kind} {param.name} no longer takes {', '.join(sorted(lost))}")
        changes.extend(f"{kind} {param.name} was added" for param in other[len(mine) :])
    if new.deprecated and not old.deprecated:
        changes.append("the operator was deprecated")
    return tuple(changes)


def _attribute_changes(name: str, old: Any, new: Any) -> list[str]:
    changes: list[str] = []
    if old.type != new.type:
        changes.append(f"attribute {name} went from {old.type.name} to {new.type.name}")
    if new.required and not old.required:
        changes.append(f"attribute {name} became required")
    before, after = _default(old), _default(new)
    if before != after and not (old.required and before is None):
        changes.append(f"the default of {name} went from {before} to {after}")
    return changes


def _default(attribute: Any) -> Any:
    value = attribute.default_value
    return None if value.type == AttributeProto.UNDEFINED else helper.get_attribute_value(value)


def _param_changes(kind: str, old: Any, new: Any) -> list[str]:
    if old.option == new.option or (old.option == _OPTION.Single and new.option == _OPTION.Optional):
        return []
    return [f"{kind} {old.name} went from {old.option.name} to {new.option.name}"]


def _types(schema: onnx.defs.OpSchema, param: Any) -> frozenset[str]:
    for constraint in schema.type_constraints:
        if constraint.type_param_str == param.type_str:
            return frozenset(constraint.allowed_type_strs)
    return frozenset((param.type_str,))


def check_node(node: NodeProto, schema: onnx.defs.OpSchema, where: str) -> None:
    """Raises InvalidModel unless the node has the inputs, outputs and attributes that its schema wants.

    Absent inputs at the end of a variadic list are taken off.
    """
    for kind, names, params, least, most in (
        ("input", node.input, schema.inputs, schema.min_input, schema.max_input),
        ("output", node.output, schema.outputs, schema.min_output, schema.max_output),
    ):
        count = len(names)
        while count > most and not names[count - 1]:
            count -= 1  # absent values at the end do not count
        if params and params[-1].option == _OPTION.Variadic:
            while count and not names[count - 1]:
                count -= 1
        if not least <= count <= most:
            wanted = str(least) if least == most else f"{least} to {most}" if most < 1 << 30 else f"{least} or more"
            raise InvalidModel(
                f"{where}: has {count} {kind}{'' if count == 1 else 's'}, but the operator takes {wanted}"
            )
        for param, name in zip(params, names, strict=False):
            if not name and kind == "input" and param.option == _OPTION.Single:
                raise InvalidModel(f"{where}: its input {param.name!r} is missing")
        if kind == "input" and params and params[-1].option == _OPTION.Variadic:
            del node.input[count:]
            if not all(node.input[len(params) - 1 :]):
                raise InvalidModel(f"{where}: one of its inputs {params[-1].name!r} is missing")
    given: set[str] = set()
    for attribute in node.attribute:
        name = attribute.name
        known: Any = schema.attributes.get(name)
        given.add(name)
        if known is None:
            raise InvalidModel(f"{where}: has no attribute {name!r}{_meant(name, schema.attributes)}")
        if attribute.type != int(known.type.value) and not _loosely(attribute, int(known.type.value)):
            kind = AttributeProto.AttributeType.Name(attribute.type)
            raise InvalidModel(f"{where}: attribute {name!r} is {kind}, but the operator wants {known.type.name}")
    for name, known in schema.attributes.items():
        if known.required and name not in given:
            raise InvalidModel(f"{where}: the required attribute {name!r} is missing")


def _loosely(attribute: AttributeProto, wanted: int) -> bool:
    """A sparse tensor was made dense; an empty list says nothing of its type."""
    if wanted == AttributeProto.SPARSE_TENSOR:
        return attribute.type == AttributeProto.TENSOR
    if wanted in (AttributeProto.FLOATS, AttributeProto.INTS, AttributeProto.STRINGS):
        if not (attribute.ints or attribute.floats or attribute.strings) and attribute.type in (
            AttributeProto.FLOATS,
            AttributeProto.INTS,
            AttributeProto.STRINGS,
        ):
            attribute.type = wanted  # type: ignore[assignment]
            return True
    return False


def _meant(name: str, known: Any) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; it has {', '.join(sorted(known))}" if len(known) else "; it has none"
