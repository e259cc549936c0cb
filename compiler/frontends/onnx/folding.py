"""Computes the small tensors that follow from shapes and constants, and settles each If whose condition is among them.

Exporters write shape arithmetic as nodes: Shape - Gather - Concat - Reshape, pads turned around by Slice and
Transpose, sizes divided as floats. onnx's inference follows some of it; what is computed here becomes a Constant in
the node's place, and inference comes further. PyTorch's script exporter also writes checks of ranks as Ifs with
branches of different ranks, after which nothing is known: with its condition computed, the branch taken comes in the
If's place. Both go on until nothing changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

from davit.compiler.frontends.onnx import inference, small_values, structure
from davit.compiler.frontends.onnx.load import LoadedModel
from davit.compiler.frontends.onnx.types import Dim, ValueType

_MAX_ROUNDS = 64


def fold(model: LoadedModel, assumed: Mapping[str, np.ndarray] = MappingProxyType({})) -> None:
    """Folds in place, as far as it goes. The model must be in newest form.

    Args:
        assumed: values by name that count as known.
    """
    for _ in range(_MAX_ROUNDS):
        if not any(node.op_type in _ROOTS for graph in structure.graphs(model.graph) for node in graph.node):
            return
        values = {**known_values(model, inference.infer_types(model)), **assumed}
        for name in _range_operands(model.graph):
            if name in values and values[name].ndim:
                del values[name]  # inference refuses a constant of shape [1] there, though runtimes take it
        if not _fold(model.graph, values):
            return
        model.changed()


_ROOTS = frozenset(("Shape", "Size", "If", "ConstantOfShape", "Range", "Gather", "Concat", "Cast", "Mul", "Sub", "Div"))
"""Without one of these there is nothing to fold that matters."""


def _range_operands(main: GraphProto) -> set[str]:
    return {
        name
        for graph in structure.graphs(main)
        for node in graph.node
        if node.op_type == "Range"
        for name in node.input
    }


def _fold(graph: GraphProto, values: Mapping[str, np.ndarray]) -> bool:
    done: list[NodeProto] = []
    changed = False
    for node in graph.node:
        branch = _taken(node, values)
        if branch is not None:
            changed = True
            graph.initializer.extend(branch.initializer)
            done.extend(branch.node)
            done.extend(
                helper.make_node("Identity", [inside.name], [outside], name=node.name)
                for inside, outside in zip(branch.output, node.output, strict=True)
                if outside
            )
            continue
        for inner in structure.subgraphs(node) if node.attribute else ():
            changed |= _fold(inner, values)
        if len(node.output) == 1 and node.output[0] in values and node.op_type != "Constant":
            changed = True
            value = numpy_helper.from_array(values[node.output[0]])
            done.append(helper.make_node("Constant", [], list(node.output), name=node.name, value=value))
        else:
            done.append(node)
    if changed:
        kept = [_copy(node) for node in done]
        del graph.node[:]
        graph.node.extend(kept)
    return changed


def _taken(node: NodeProto, values: Mapping[str, np.ndarray]) -> GraphProto | None:
    """The branch of an If that will run, when that is known."""
    if node.op_type != "If" or node.domain:
        return None
    condition = values.get(node.input[0])
    if condition is None or condition.size != 1:
        return None
    wanted = "then_branch" if condition.item() else "else_branch"
    branch = next(attribute.g for attribute in node.attribute if attribute.name == wanted)
    return branch if len(branch.output) == len(node.output) else None


def _copy(node: NodeProto) -> NodeProto:
    copy = NodeProto()
    copy.CopyFrom(node)
    return copy


def known_values(model: LoadedModel, known: Mapping[str, ValueType]) -> dict[str, np.ndarray]:
    """The small tensors whose value follows from constants and shapes, by name."""
    values: dict[str, np.ndarray] = {}
    shapes: dict[str, tuple[Dim, ...]] = {}
    for graph in structure.graphs(model.graph):
        inputs = {value.name for value in graph.input} if graph is not model.graph else set()
        for tensor in graph.initializer:
            if tensor.name not in inputs:
                _remember(model, values, tensor.name, tensor)
        for node in graph.node:
            if node.domain or len(node.output) != 1:
                continue
            if node.op_type == "Constant":
                _constant(model, values, node)
                continue
            result = _shape(node, known, shapes)
            if result is None and not _computed_from(node, shapes):
                result = small_values.evaluate(node, values)
            elif result is None:
                result = _picked(node, values, shapes)
            if result is not None:
                values[node.output[0]] = result
    return values


def _remember(model: LoadedModel, values: dict[str, np.ndarray], name: str, tensor: TensorProto) -> None:
    small = len(tensor.dims) <= 4 and int(np.prod(tensor.dims)) <= small_values.MAX_ELEMENTS
    if tensor.data_type in small_values.KINDS and small:
        values[name] = model.array(tensor)


def _constant(model: LoadedModel, values: dict[str, np.ndarray], node: NodeProto) -> None:
    for attribute in node.attribute:
        if attribute.name == "value":
            _remember(model, values, node.output[0], attribute.t)
        elif attribute.name in ("value_int", "value_ints"):
            values[node.output[0]] = np.array(helper.get_attribute_value(attribute), np.int64)
        elif attribute.name in ("value_float", "value_floats"):
            values[node.output[0]] = np.array(helper.get_attribute_value(attribute), np.float32)


def _shape(node: NodeProto, known: Mapping[str, ValueType], shapes: dict[str, tuple[Dim, ...]]) -> np.ndarray | None:
    """What Shape or Size gives; a shape known only in part is noted in ``shapes``."""
    if node.op_type not in ("Shape", "Size"):
        return None
    of = known.get(node.input[0])
    if of is None or of.kind != "tensor" or of.dims is None:
        return None
    attrs = {a.name: a.i for a in node.attribute}
    dims = of.dims if node.op_type == "Size" else of.dims[slice(attrs.get("start", 0), attrs.get("end"))]
    if all(isinstance(dim, int) for dim in dims):
        return np.array(np.prod(dims, dtype=np.int64) if node.op_type == "Size" else dims, np.int64)
    if node.op_type == "Shape":
        shapes[node.output[0]] = dims
    return None


def _computed_from(node: NodeProto, shapes: Mapping[str, tuple[Dim, ...]]) -> bool:
    return bool(node.input) and node.input[0] in shapes


def _picked(
    node: NodeProto, values: Mapping[str, np.ndarray], shapes: Mapping[str, tuple[Dim, ...]]
) -> np.ndarray | None:
    """Known dimensions taken out of a shape that is known only in part."""
    dims = shapes[node.input[0]]
    if not all(name in values for name in node.input[1:]):
        return None
    if node.op_type not in ("Gather", "Slice"):
        return None
    # A negative stand-in for what is not known: no dimension is negative.
    stand_in = {**values, node.input[0]: np.array([dim if isinstance(dim, int) else -1 for dim in dims], np.int64)}
    picked = small_values.evaluate(node, stand_in)
    return None if picked is None or (picked < 0).any() else picked
