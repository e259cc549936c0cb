"""Reading ONNX ops from the IR."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from davit.dialects import attributes
from davit.dialects.definition import operands_of, results_of
from davit.dialects.onnx.define import TEXT_ENCODING
from davit.dialects.onnx.schema import Schema, schemas
from davit.mlir import ir

V = TypeVar("V")


class OnnxOp:
    """Typed view of an ONNX op.

    ``view.attr.axis`` is an attribute as a Python value: int, float, str, list, numpy array, or DType; None when it
    is absent and has no default.
    """

    def __init__(self, op: ir.OpView | ir.Operation) -> None:
        self.op = op
        self.schema: Schema = schemas()[op.operation.name]
        self.attr = Attrs(self.schema, op)

    @property
    def name(self) -> str:
        """The ONNX node's name, from the location; empty when the location has none."""
        return location_name(self.op.location)

    @property
    def op_type(self) -> str:
        """``Conv``."""
        return self.schema.op_type

    @property
    def domain(self) -> str:
        """``""`` for ai.onnx."""
        return self.schema.domain

    @property
    def operands(self) -> list[ir.Value]:
        """One value for each input of the node; an absent one has type ``none``."""
        return operands_of(self.op)

    @property
    def results(self) -> list[ir.Value]:
        """One value for each output of the node; an absent one has type ``none``."""
        return results_of(self.op)

    def operand_slots(self, values: Sequence[V]) -> Iterator[tuple[str, Any]]:
        """(operand name, value) for what stands in place of the operands: a list for a variadic one.

        Absent operands have whatever ``values`` holds in their place.
        """
        params = self.schema.operands
        for i, param in enumerate(params):
            if param.kind == "variadic":
                yield param.name, list(values[i:])
            else:
                yield param.name, values[i]

    def region(self, name: str) -> ir.Block | None:
        """The block of a graph attribute such as ``body``; None when an optional one is absent."""
        region = self.op.operation.regions[self.schema.regions.index(name)]
        return region.blocks[0] if len(region.blocks) else None


class Attrs:
    """Attributes as Python values, decoded when they are read."""

    def __init__(self, schema: Schema, op: ir.OpView | ir.Operation) -> None:
        self._schema = schema
        self._op = op

    def __getattr__(self, name: str) -> Any:
        if name not in self._schema.attributes:
            listed = ", ".join(self._schema.attributes) or "none"
            raise AttributeError(f"{self._schema.op_type} has no attribute {name!r}; it has {listed}")
        held = self._op.attributes
        value = decode(held[name]) if name in held else None
        self.__dict__[name] = value
        return value

    def __contains__(self, name: str) -> bool:
        return name in self._op.attributes


def decode(attr: ir.Attribute) -> Any:
    """An attribute of an ONNX op as a Python value."""
    if isinstance(attr, ir.StringAttr):
        return attr.value_bytes.decode(*TEXT_ENCODING)
    if isinstance(attr, ir.ArrayAttr):
        return [decode(a) for a in attr]
    if isinstance(attr, (ir.DenseF32ArrayAttr, ir.DenseI64ArrayAttr)):
        return list(attr)
    return attributes.decode(attr)


def location_name(location: ir.Location) -> str:
    """The name in a location, or the first one in a fused one; empty when there is none."""
    if isinstance(location, ir.NameLoc):
        return location.name_str
    if isinstance(location, ir.FusedLoc):
        return next((n for n in map(location_name, location.locations) if n), "")
    if isinstance(location, ir.CallSiteLoc):
        return location_name(location.callee)
    return ""
