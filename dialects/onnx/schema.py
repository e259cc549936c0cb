"""What ``onnx.defs`` says of every operator at its newest version, as plain dataclasses.

This is the only place that reads ``onnx.defs`` for the dialect: definition, verifier, stub and importer all derive
from :func:`schemas`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import onnx
from onnx import defs, helper

DIALECTS: dict[str, str] = {
    "": "onnx",
    "ai.onnx.ml": "onnx_ml",
    "ai.onnx.preview.training": "onnx_training",
    "ai.onnx.preview": "onnx_preview",
}
"""Dialect of each operator domain: MLIR allows no dots in either part of an op's name."""

DOMAINS: dict[str, str] = {dialect: domain for domain, dialect in DIALECTS.items()}

AttrKind = Literal["float", "int", "string", "floats", "ints", "strings", "tensor", "type", "graph"]

_KINDS: dict[str, AttrKind] = {
    "FLOAT": "float",
    "INT": "int",
    "STRING": "string",
    "FLOATS": "floats",
    "INTS": "ints",
    "STRINGS": "strings",
    "TENSOR": "tensor",
    "SPARSE_TENSOR": "tensor",  # dense from the frontend on
    "TYPE_PROTO": "type",
    "GRAPH": "graph",
}


@dataclass(frozen=True)
class Param:
    """An operand or result.

    Attributes:
        name: lower case, as in the IR.
        label: as the specification spells it.
        kind: how often it occurs.
        types: the ONNX type strings it may have, or the name of a type constraint (``T``).
        same_type: whether all values of a variadic parameter have one type.
        minimum: how many values a variadic parameter has at least.
    """

    name: str
    label: str
    kind: Literal["single", "optional", "variadic"]
    types: str
    same_type: bool
    minimum: int


@dataclass(frozen=True)
class Attribute:
    """An attribute; ``default`` is None when the schema has none."""

    name: str
    kind: AttrKind
    required: bool
    default: Any


@dataclass(frozen=True)
class Schema:
    """One operator.

    Attributes:
        name: of the op in its dialect, lower case (``batchnormalization``).
        dialect: ``onnx``, ``onnx_ml``, ``onnx_training`` or ``onnx_preview``.
        version: the opset in which this form appeared.
        attributes: everything but graphs, by name.
        regions: names of the graph attributes, in the order of the op's regions.
        constraints: type constraint name to the allowed ONNX type strings.
        pure: equal applications give equal results.
    """

    domain: str
    op_type: str
    name: str
    dialect: str
    version: int
    deprecated: bool
    operands: tuple[Param, ...]
    results: tuple[Param, ...]
    min_operands: int
    attributes: dict[str, Attribute]
    regions: tuple[str, ...]
    optional_regions: frozenset[str]
    constraints: dict[str, frozenset[str]]
    pure: bool
    doc: str

    @property
    def full_name(self) -> str:
        """``onnx.conv``."""
        return f"{self.dialect}.{self.name}"

    @property
    def fixed(self) -> int:
        """How many operands come before a variadic one."""
        return len(self.operands) - self.variadic

    @property
    def fixed_results(self) -> int:
        """How many results come before a variadic one."""
        return len(self.results) - self.variadic_results

    @property
    def variadic(self) -> bool:
        """True when the last operand takes any number of values."""
        return bool(self.operands) and self.operands[-1].kind == "variadic"

    @property
    def variadic_results(self) -> bool:
        """True when the last result is any number of values."""
        return bool(self.results) and self.results[-1].kind == "variadic"

    @property
    def label(self) -> str:
        """How messages call the operator: ``Conv``, ``ai.onnx.ml.Scaler``."""
        return f"{self.domain}.{self.op_type}" if self.domain else self.op_type


def ir_name(domain: str, op_type: str) -> str:
    """The IR name of an operator: ``onnx.conv``, ``onnx_ml.scaler``."""
    return f"{DIALECTS.get(domain, 'onnx_' + domain.replace('.', '_'))}.{op_type.lower()}"


@cache
def schemas() -> dict[str, Schema]:
    """Every operator of the domains in :data:`DIALECTS` by IR name."""
    found = (_schema(s) for s in defs.get_all_schemas() if s.domain in DIALECTS)
    return {s.full_name: s for s in sorted(found, key=lambda s: s.full_name)}


@cache
def find(domain: str, op_type: str) -> Schema | None:
    """The schema of an operator, None when the dialects have no such op."""
    schema = schemas().get(ir_name(domain, op_type))
    return schema if schema is not None and (schema.domain, schema.op_type) == (domain, op_type) else None


def _schema(s: Any) -> Schema:  # onnx's type stubs lack half of what OpSchema has
    graphs = sorted(name for name, a in s.attributes.items() if a.type.name == "GRAPH")
    return Schema(
        domain=s.domain,
        op_type=s.name,
        name=s.name.lower(),
        dialect=DIALECTS[s.domain],
        version=s.since_version,
        deprecated=s.deprecated,
        operands=tuple(map(_param, s.inputs)),
        results=tuple(map(_param, s.outputs)),
        min_operands=s.min_input,
        attributes={
            name: Attribute(name, _KINDS[a.type.name], a.required, _default(a.default_value))
            for name, a in sorted(s.attributes.items())
            if a.type.name != "GRAPH"
        },
        regions=tuple(graphs),
        optional_regions=frozenset(g for g in graphs if not s.attributes[g].required),
        constraints={c.type_param_str: frozenset(c.allowed_type_strs) for c in s.type_constraints},
        pure=s.node_determinism.name != "NonDeterministic",
        doc=s.doc or "",
    )


def _param(p: Any) -> Param:
    kind = p.option.name.lower()
    assert kind in ("single", "optional", "variadic")
    return Param(p.name.lower(), p.name, kind, p.type_str, p.is_homogeneous, p.min_arity)  # type: ignore[arg-type]


def _default(proto: onnx.AttributeProto) -> Any:
    if proto.type == onnx.AttributeProto.UNDEFINED:
        return None
    value = helper.get_attribute_value(proto)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, onnx.TensorProto):
        return None  # an empty tensor: LabelEncoder's way of writing "none"
    if isinstance(value, (int, float, str)):
        return value
    return tuple(v.decode() if isinstance(v, bytes) else v for v in value)
