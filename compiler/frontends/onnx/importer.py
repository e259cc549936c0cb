"""A prepared model becomes a module of the onnx dialects: one op a node, nothing interpreted, no weight copied.

``func.func @main`` has an argument for each input that a caller gives; inputs and outputs carry their names as
``davit.name``, the module carries the file as ``davit.file``. Every op's location is its node's name (an unnamed
node is called after its operator and position), every initializer is an ``onnx.constant``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, helper

from davit.compiler.frontends.onnx.load import LoadedModel
from davit.compiler.frontends.onnx.types import ValueType, from_proto
from davit.dialects import constants
from davit.dialects.definition import VerifyError, create
from davit.dialects.onnx import Schema, encode_all, find, types, verify
from davit.dialects.types import Tensor
from davit.errors import InvalidModel, Unsupported
from davit.mlir import func, ir


def import_model(model: LoadedModel, context: ir.Context) -> ir.Module:
    """Build the module of a prepared model.

    Raises:
        InvalidModel: a node breaks its operator's schema; the message names file, node and op.
        Unsupported: a node's operator is not ONNX's.
    """
    with context, ir.Location.unknown():
        module = ir.Module.create()
        module.operation.attributes["davit.file"] = ir.StringAttr.get(model.path)
        with ir.InsertionPoint(module.body):
            _Importer(model).main()
    return module


class _Importer:
    """Emits at the current insertion point; ``values`` maps value names, which are unique in the whole model."""

    def __init__(self, model: LoadedModel) -> None:
        self.model = model
        self.values: dict[str, ir.Value] = {}
        self._none: ir.Value | None = None
        self.entry: ir.Block
        self.none_type = ir.NoneType.get()
        self.types: dict[ValueType | None, ir.Type] = {}

    # -- graphs ----------------------------------------------------------------------------------------------
    def main(self) -> None:
        model = self.model
        arguments = [self.type_of(name) for name in model.inputs]
        f = func.FuncOp("main", ir.FunctionType.get(arguments, []))
        block = f.add_entry_block()
        self.values.update(zip(model.inputs, block.arguments, strict=True))
        self.entry = block
        with ir.InsertionPoint(block):
            self.body(model.graph)
            results = [self.values[name] for name in model.outputs]
            func.ReturnOp(results)
        f.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(arguments, [r.type for r in results]))
        f.attributes["arg_attrs"] = _names(model.inputs)
        f.attributes["res_attrs"] = _names(model.outputs)

    def body(self, graph: GraphProto) -> None:
        """The initializers that the graph uses, then its nodes."""
        used = _used(graph)
        for tensor in graph.initializer:
            if tensor.name in used:
                with ir.Location.name(tensor.name):
                    self.values[tensor.name] = self.constant(self.model.array(tensor))
        for position, node in enumerate(graph.node):
            with ir.Location.name(node.name or f"{node.op_type}_{position}"):
                try:
                    self.node(node)
                except VerifyError as error:
                    raise InvalidModel(f"{self._where(node, position)}: {error}") from None

    def region(self, graph: GraphProto, region: ir.Region) -> None:
        """A graph attribute: inputs become block arguments, outer values are used where they are."""
        block = region.blocks.append(*[self.type_of(value.name) for value in graph.input])
        for value, argument in zip(graph.input, block.arguments, strict=True):
            self.values[value.name] = argument
        with ir.InsertionPoint(block):
            self.body(graph)
            create("onnx.yield", operands=[self.values[value.name] for value in graph.output], fixed=0)

    @property
    def none(self) -> ir.Value:
        """What stands for absent operands, everywhere."""
        if self._none is None:
            with ir.InsertionPoint.at_block_begin(self.entry), ir.Location.unknown():
                self._none = ir.Operation.create("onnx.none", results=[self.none_type]).result
        return self._none

    def _where(self, node: NodeProto, position: int) -> str:
        return f"{self.model.path}: node {node.name or f'{node.op_type}_{position}'!r} ({node.op_type})"

    # -- nodes -----------------------------------------------------------------------------------------------
    def node(self, node: NodeProto) -> None:
        schema = find(node.domain, node.op_type)
        if schema is None:
            what = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
            raise Unsupported(f"{self.model.path}: node {node.name!r} is of unknown operator {what}", [what])
        graphs = {a.name: a.g for a in node.attribute if a.type == AttributeProto.GRAPH}
        given = {a.name: self.attribute(schema, a, node) for a in node.attribute if a.name not in graphs}
        for name in graphs:
            if name not in schema.regions:
                raise VerifyError(f"has no graph attribute {name!r}")
        operands = self.operands(schema, node)
        if schema.full_name == "onnx.constant":
            self.values[node.output[0]] = self.constant(_constant_value(given))
            return
        op, results = create(
            schema.full_name,
            self.results(schema, node),
            operands,
            encode_all(schema, given),
            len(schema.regions),
            fixed=schema.fixed if schema.variadic else None,
            fixed_results=schema.fixed_results if schema.variadic_results else None,
        )
        for name, region in zip(schema.regions, op.regions, strict=True):
            if name in graphs:
                self.region(graphs[name], region)
            elif name not in schema.optional_regions:
                raise VerifyError(f"needs the graph attribute {name!r}")
        verify(schema, op)
        for name, result in zip(node.output, results, strict=False):
            if name:
                self.values[name] = result

    def operands(self, schema: Schema, node: NodeProto) -> list[ir.Value]:
        values = [self.values[name] if name else self.none for name in node.input]
        fixed = schema.fixed
        if len(values) > fixed and not schema.variadic:
            raise VerifyError(f"takes at most {fixed} inputs, got {len(values)}")
        return values + [self.none for _ in range(len(values), fixed)]

    def results(self, schema: Schema, node: NodeProto) -> list[ir.Type]:
        out = [self.type_of(name) if name else self.none_type for name in node.output]
        fixed = schema.fixed_results
        if len(out) > fixed and not schema.variadic_results:
            raise VerifyError(f"has at most {fixed} outputs, got {len(out)}")
        return out + [self.none_type] * (fixed - len(out))

    def attribute(self, schema: Schema, attribute: AttributeProto, node: NodeProto) -> Any:
        """An attribute as the dialect's encoder takes it."""
        match attribute.type:
            case AttributeProto.TENSOR:
                return self.model.array(attribute.t)
            case AttributeProto.TYPE_PROTO:
                what = f"{self.model.path}: node {node.name!r}: attribute {attribute.name!r}"
                return self.mlir_type(from_proto(attribute.tp, what))
            case (
                AttributeProto.FLOAT
                | AttributeProto.INT
                | AttributeProto.STRING
                | AttributeProto.FLOATS
                | AttributeProto.INTS
                | AttributeProto.STRINGS
            ):
                value = helper.get_attribute_value(attribute)
                known = schema.attributes.get(attribute.name)
                # A list without elements has no type of its own to speak of.
                return () if known is not None and known.kind in ("floats", "ints", "strings") and not value else value
        kind = onnx.AttributeProto.AttributeType.Name(attribute.type).lower()
        raise VerifyError(f"attribute {attribute.name!r} is of kind {kind}, which no operator has")

    def constant(self, array: np.ndarray) -> ir.Value:
        """An ``onnx.constant``."""
        attr = constants.encode(array)
        return ir.Operation.create("onnx.constant", results=[attr.type], attributes={"value": attr}).result

    # -- types -----------------------------------------------------------------------------------------------
    def type_of(self, name: str) -> ir.Type:
        """The MLIR type of a value."""
        return self.mlir_type(self.model.value_types.get(name))

    def mlir_type(self, t: ValueType | None) -> ir.Type:
        found = self.types.get(t)
        if found is None:
            found = self.types[t] = self._mlir_type(t)
        return found

    def _mlir_type(self, t: ValueType | None) -> ir.Type:
        if t is None:
            return types.unknown()
        match t.kind:
            case "tensor":
                return self._tensor(t)
            case "sequence":
                return types.seq(self.mlir_type(t.inner))
            case "optional":
                return types.opt(self.mlir_type(t.inner))
            case "map":
                scalar = None if t.inner is None or t.inner.kind != "tensor" else t.inner
                value = self.mlir_type(t.inner)
                # ONNX writes the values of a map as tensors without a shape; in type strings they are scalars.
                if scalar is not None and isinstance(value, ir.UnrankedTensorType | ir.RankedTensorType):
                    value = value.element_type
                return types.mapping(self._element(t.elem_type), value)
        what = f"{self.model.path}: sparse tensors as inputs or outputs are not supported"
        raise Unsupported(what, ["sparse tensor"])

    def _tensor(self, t: ValueType) -> ir.Type:
        element = types.onnx_elements().get(t.elem_type)
        if element is None and t.elem_type != TensorProto.UNDEFINED:
            raise Unsupported(f"{self.model.path}: the element type {t} is not supported", [str(t)])
        if t.dims is None:
            return ir.UnrankedTensorType.get(self._element(t.elem_type))
        if element is None:
            sizes = [d if isinstance(d, int) else ir.ShapedType.get_dynamic_size() for d in t.dims]
            return ir.RankedTensorType.get(sizes, types.unknown())
        return Tensor(element, t.dims).mlir()

    def _element(self, elem_type: int) -> ir.Type:
        element = types.onnx_elements().get(elem_type)
        return types.unknown() if element is None else ir.Type.parse(element.name)


def _names(names: Iterable[str]) -> ir.ArrayAttr:
    return ir.ArrayAttr.get([ir.DictAttr.get({"davit.name": ir.StringAttr.get(name)}) for name in names])


def _used(graph: GraphProto) -> set[str]:
    """Every value name that the graph, or a graph inside it, refers to."""
    used: set[str] = set()
    stack = [graph]
    while stack:
        current = stack.pop()
        used.update(value.name for value in current.output)
        for node in current.node:
            used.update(node.input)
            for attribute in node.attribute:
                if attribute.type == AttributeProto.GRAPH:
                    stack.append(attribute.g)
    return used


_CONSTANT_FORMS: dict[str, type | None] = {
    "value_float": np.float32,
    "value_floats": np.float32,
    "value_int": np.int64,
    "value_ints": np.int64,
    "value_string": object,
    "value_strings": object,
}


def _constant_value(given: Mapping[str, Any]) -> np.ndarray:
    """The tensor of a Constant node, whichever attribute holds it."""
    if len(given) != 1:
        raise VerifyError(f"needs exactly one attribute, got {', '.join(given) or 'none'}")
    (name, value), *_ = given.items()
    if name == "value":
        return value
    if name not in _CONSTANT_FORMS:
        raise VerifyError(f"attribute {name!r} is not supported")
    if name == "value_strings":
        value = [v.decode("utf-8", "surrogateescape") for v in value]
    elif name == "value_string":
        value = value.decode("utf-8", "surrogateescape")
    return np.array(value, _CONSTANT_FORMS[name])
