"""Settles each If whose condition is known: the branch taken comes in the node's place.

PyTorch's script exporter writes checks of ranks and sizes as Ifs. Both branches are there, of different ranks, and
inference knows nothing of what follows. Conditions are computed here from shapes and constants, as far as small
integers and booleans go; where inference comes further with the branches settled, so do the conditions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, helper

from davit.compiler.frontends.onnx import inference, structure
from davit.compiler.frontends.onnx.load import LoadedModel
from davit.compiler.frontends.onnx.types import Dim, ValueType

_MAX_ELEMENTS = 64
_MAX_ROUNDS = 2 * structure.MAX_NESTING

_KINDS = {
    TensorProto.INT64: np.int64,
    TensorProto.INT32: np.int32,
    TensorProto.BOOL: np.bool_,
}


def settle(model: LoadedModel) -> None:
    """Replaces, in place, each If whose condition can be told. The model must be in newest form."""
    for _ in range(_MAX_ROUNDS):
        if not any(node.op_type == "If" for graph in structure.graphs(model.graph) for node in graph.node):
            return
        values = known_values(model, inference.infer_types(model))
        if not _settle(model.graph, values):
            return
        model.changed()


def _settle(graph: GraphProto, values: Mapping[str, np.ndarray]) -> bool:
    done: list[NodeProto] = []
    changed = False
    for node in graph.node:
        condition = values.get(node.input[0]) if node.op_type == "If" and not node.domain else None
        if condition is None or condition.size != 1:
            for inner in structure.subgraphs(node) if node.attribute else ():
                changed |= _settle(inner, values)
            done.append(node)
            continue
        changed = True
        wanted = "then_branch" if condition.item() else "else_branch"
        branch = next(attribute.g for attribute in node.attribute if attribute.name == wanted)
        graph.initializer.extend(branch.initializer)
        done.extend(branch.node)
        for inside, outside in zip(branch.output, node.output, strict=True):
            if outside:
                identity = helper.make_node("Identity", [inside.name], [outside])
                identity.name = node.name
                done.append(identity)
    if changed:
        kept = [_copy(node) for node in done]
        del graph.node[:]
        graph.node.extend(kept)
    return changed


def _copy(node: NodeProto) -> NodeProto:
    copy = NodeProto()
    copy.CopyFrom(node)
    return copy


def known_values(model: LoadedModel, known: Mapping[str, ValueType]) -> dict[str, np.ndarray]:
    """The small integer and boolean tensors whose value follows from constants and shapes, by name."""
    values: dict[str, np.ndarray] = {}
    shapes: dict[str, tuple[Dim, ...]] = {}
    for graph in structure.graphs(model.graph):
        for tensor in graph.initializer:
            _remember(model, values, tensor.name, tensor)
        for node in graph.node:
            if node.domain or len(node.output) != 1:
                continue
            if node.op_type == "Constant":
                for attribute in node.attribute:
                    if attribute.name == "value":
                        _remember(model, values, node.output[0], attribute.t)
                    elif attribute.name in ("value_int", "value_ints"):
                        values[node.output[0]] = np.array(helper.get_attribute_value(attribute), np.int64)
                continue
            result = _evaluate(node, values, known, shapes)
            if result is not None and result.size <= _MAX_ELEMENTS:
                values[node.output[0]] = result
    return values


def _remember(model: LoadedModel, values: dict[str, np.ndarray], name: str, tensor: TensorProto) -> None:
    if tensor.data_type in _KINDS and int(np.prod(tensor.dims)) <= _MAX_ELEMENTS:
        values[name] = model.array(tensor)


def _evaluate(
    node: NodeProto,
    values: Mapping[str, np.ndarray],
    known: Mapping[str, ValueType],
    shapes: dict[str, tuple[Dim, ...]],
) -> np.ndarray | None:
    """The value of a node's only output. Shapes that are known in part are noted in ``shapes``."""
    if node.op_type in ("Shape", "Size"):
        of = known.get(node.input[0])
        if of is None or of.kind != "tensor" or of.dims is None:
            return None
        attrs = {a.name: a.i for a in node.attribute}
        dims = of.dims if node.op_type == "Size" else of.dims[slice(attrs.get("start", 0), attrs.get("end"))]
        if not all(isinstance(dim, int) for dim in dims):
            shapes[node.output[0]] = dims
            return None
        return np.array(math.prod(dims) if node.op_type == "Size" else dims, np.int64)
    function = _FUNCTIONS.get(node.op_type)
    if function is None:
        return None
    attrs = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    try:
        if node.op_type == "Gather" and node.input[0] in shapes and node.input[1] in values:
            picked = np.array(shapes[node.input[0]], object)[values[node.input[1]]]
            return np.array(picked, np.int64) if all(isinstance(d, int) for d in np.ravel(picked)) else None
        if not all(name in values for name in node.input if name):
            return None
        result = function(attrs, *(values[name] for name in node.input if name))
    except (ValueError, IndexError, TypeError):
        return None  # a broken node: inference or the lowering tells it better
    return None if result is None else np.asarray(result)


def _cast(attrs: Mapping[str, Any], x: np.ndarray) -> np.ndarray | None:
    return x.astype(_KINDS[attrs["to"]]) if attrs["to"] in _KINDS else None


def _squeeze(attrs: Mapping[str, Any], x: np.ndarray, axes: np.ndarray | None = None) -> np.ndarray:
    return np.squeeze(x, None if axes is None else tuple(axes.tolist()))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Identity": lambda attrs, x: x,
    "Gather": lambda attrs, x, i: np.take(x, i, attrs.get("axis", 0)),
    "Cast": _cast,
    "Squeeze": _squeeze,
    "Unsqueeze": lambda attrs, x, axes: np.expand_dims(x, tuple(axes.tolist())),
    "Concat": lambda attrs, *xs: np.concatenate(xs, attrs["axis"]),
    "Reshape": lambda attrs, x, shape: x.reshape(shape),
    "Equal": lambda attrs, a, b: a == b,
    "Less": lambda attrs, a, b: a < b,
    "LessOrEqual": lambda attrs, a, b: a <= b,
    "Greater": lambda attrs, a, b: a > b,
    "GreaterOrEqual": lambda attrs, a, b: a >= b,
    "Not": lambda attrs, x: ~x,
    "And": lambda attrs, a, b: a & b,
    "Or": lambda attrs, a, b: a | b,
    "Add": lambda attrs, a, b: a + b,
    "Sub": lambda attrs, a, b: a - b,
    "Mul": lambda attrs, a, b: a * b,
}
