"""Broken models: random changes to the bytes of a model, and to the fields of its ModelProto."""

from __future__ import annotations

import random

import onnx
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, helper

EXTREMES = (0, 1, -1, 2, 7, -2, 1 << 31, -(1 << 31), 1 << 62, -(1 << 63), (1 << 63) - 1, 100_000)
_VERSIONS = (0, 1, 5, 7, 11, 13, 17, 19, 22, 27, 28, 29, 1000, -1, 1 << 40)
_PLACES = ("../x", "/etc/passwd", "", "a\0b", "-1", "x" * 300)
_OPS = sorted({schema.name for schema in onnx.defs.get_all_schemas()})


def mutate_bytes(model: bytes, rng: random.Random) -> bytes:
    """Cuts the model short, or flips, drops, doubles and inserts a few bytes, mostly near its head."""
    data = bytearray(model)
    if rng.random() < 0.15:
        return bytes(data[: rng.randrange(len(data))])
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        if not data:
            break
        place = rng.randrange(min(6000, len(data)) if rng.random() < 0.8 else len(data))
        kind = rng.random()
        if kind < 0.4:
            data[place] ^= 1 << rng.randrange(8)
        elif kind < 0.6:
            data[place] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
        elif kind < 0.75:
            del data[place : place + rng.randrange(1, 9)]
        elif kind < 0.9:
            data[place:place] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 9)))
        else:
            start = rng.randrange(len(data))
            data[place:place] = data[start : start + rng.randrange(1, 40)]
    return bytes(data)


def mutate_proto(model: bytes, rng: random.Random) -> bytes:
    """Changes one to three fields of a model, each to something its type allows."""
    proto = ModelProto.FromString(model)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        rng.choice(_CHANGES)(proto, rng)
    return proto.SerializeToString()


def _graphs(proto: ModelProto) -> list[GraphProto]:
    found, stack = [proto.graph], [proto.graph]
    while stack:
        for node in stack.pop().node:
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    found.append(attribute.g)
                    stack.append(attribute.g)
    return found


def _names(proto: ModelProto) -> list[str]:
    names = ["", "nowhere"]
    for graph in _graphs(proto):
        names += [value.name for value in graph.input] + [tensor.name for tensor in graph.initializer]
        names += [name for node in graph.node for name in node.output]
    return names


def _node(proto: ModelProto, rng: random.Random) -> NodeProto:
    """Some node, or a new one where there is none."""
    graph = rng.choice(_graphs(proto))
    return rng.choice(graph.node) if len(graph.node) else graph.node.add(op_type="Relu")


def _op(proto: ModelProto, rng: random.Random) -> None:
    _node(proto, rng).op_type = rng.choice((*_OPS, "Nope", ""))


def _domain(proto: ModelProto, rng: random.Random) -> None:
    _node(proto, rng).domain = rng.choice(("", "ai.onnx.ml", "com.foo", "ai.onnx"))


def _inputs(proto: ModelProto, rng: random.Random) -> None:
    node, names = _node(proto, rng), _names(proto)
    kind = rng.random()
    if kind < 0.5 and node.input:
        node.input[rng.randrange(len(node.input))] = rng.choice(names)
    elif kind < 0.75:
        node.input.append(rng.choice(names))
    elif node.input:
        del node.input[rng.randrange(len(node.input))]


def _outputs(proto: ModelProto, rng: random.Random) -> None:
    node = _node(proto, rng)
    if node.output and rng.random() < 0.5:
        node.output[rng.randrange(len(node.output))] = rng.choice((*_names(proto), "new"))
    else:
        node.output.append(rng.choice(("", "one_more")))


def _attribute(proto: ModelProto, rng: random.Random) -> None:
    node = _node(proto, rng)
    kind = rng.random()
    if kind < 0.15 and node.attribute:
        del node.attribute[rng.randrange(len(node.attribute))]
    elif kind < 0.3 or not node.attribute:
        name = rng.choice(("axis", "axes", "k", "foo", "to", "dtype", "pads", "kernel_shape"))
        node.attribute.append(helper.make_attribute(name, rng.choice((1, [1, 2], 1.5, "s", -1, [1 << 40]))))
    else:
        _value(rng.choice(node.attribute), rng)


def _value(attribute: AttributeProto, rng: random.Random) -> None:
    if attribute.type == AttributeProto.INT:
        attribute.i = rng.choice(EXTREMES)
    elif attribute.type == AttributeProto.FLOAT:
        attribute.f = rng.choice((float("nan"), float("inf"), 0.0, -1.0, 1e30))
    elif attribute.type == AttributeProto.STRING:
        attribute.s = rng.choice((b"", b"foo", b"\xff", b"SAME_UPPER", b"linear"))
    elif attribute.type == AttributeProto.TENSOR:
        _break_tensor(attribute.t, rng)
    elif attribute.type == AttributeProto.INTS:
        if attribute.ints and rng.random() < 0.6:
            attribute.ints[rng.randrange(len(attribute.ints))] = rng.choice(EXTREMES)
        else:
            attribute.ints.append(rng.choice(EXTREMES))
    else:
        attribute.type = rng.choice(AttributeProto.AttributeType.values())  # type: ignore[assignment]


def _order(proto: ModelProto, rng: random.Random) -> None:
    nodes = rng.choice(_graphs(proto)).node
    if not len(nodes):
        return
    first, second = rng.randrange(len(nodes)), rng.randrange(len(nodes))
    kind = rng.random()
    if kind < 0.4:
        del nodes[first]
    else:
        copy = NodeProto()
        copy.CopyFrom(nodes[first])
        if kind < 0.7:
            nodes.append(copy)
        else:
            nodes[first].CopyFrom(nodes[second])
            nodes[second].CopyFrom(copy)


def _type(proto: ModelProto, rng: random.Random) -> None:
    graph = rng.choice(_graphs(proto))
    values = [*graph.input, *graph.output, *graph.value_info]
    if not values:
        return
    value = rng.choice(values)
    tensor = value.type.tensor_type
    kind = rng.random()
    if kind < 0.3:
        tensor.elem_type = rng.randrange(0, 30)
    elif kind < 0.7 and len(tensor.shape.dim):
        dim = rng.choice(tensor.shape.dim)
        if rng.random() < 0.8:
            dim.dim_value = rng.choice(EXTREMES)
        else:
            dim.dim_param = rng.choice(("N", "", "?", "x" * 10_000))
    elif kind < 0.85:
        tensor.shape.dim.add().dim_value = rng.choice(EXTREMES)
    else:
        value.type.Clear()


def _tensor(proto: ModelProto, rng: random.Random) -> None:
    graph = rng.choice(_graphs(proto))
    if len(graph.initializer) and rng.random() < 0.7:
        _break_tensor(rng.choice(graph.initializer), rng)
    else:
        tensor = graph.initializer.add(name=rng.choice(_names(proto)), data_type=rng.randrange(0, 30))
        tensor.dims.append(rng.choice(EXTREMES))
        tensor.raw_data = b"123"


def _break_tensor(tensor: TensorProto, rng: random.Random) -> None:
    kind = rng.randrange(6)
    if kind == 0:
        tensor.data_type = rng.randrange(0, 30)
    elif kind == 1:
        tensor.dims.append(rng.choice(EXTREMES))
    elif kind == 2 and len(tensor.dims):
        tensor.dims[rng.randrange(len(tensor.dims))] = rng.choice(EXTREMES)
    elif kind == 3:
        tensor.raw_data = tensor.raw_data[: rng.randrange(len(tensor.raw_data) + 1)]
    elif kind == 4:
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key=rng.choice(("location", "offset", "foo")), value=rng.choice(_PLACES))
    else:
        tensor.raw_data = bytes(rng.randrange(256) for _ in tensor.raw_data)


def _version(proto: ModelProto, rng: random.Random) -> None:
    if len(proto.opset_import):
        rng.choice(proto.opset_import).version = rng.choice(_VERSIONS)


def _ends(proto: ModelProto, rng: random.Random) -> None:
    graph = rng.choice(_graphs(proto))
    rng.choice((graph.input, graph.output)).add(name=rng.choice(_names(proto)))


def _subgraph(proto: ModelProto, rng: random.Random) -> None:
    node = _node(proto, rng)
    copy = NodeProto()
    copy.CopyFrom(node)
    attribute = node.attribute.add(name=rng.choice(("then_branch", "body")), type=AttributeProto.GRAPH)
    attribute.g.node.append(copy)


_CHANGES = (
    _op, _domain, _inputs, _inputs, _inputs, _outputs, _outputs, _attribute, _attribute, _attribute, _order, _order,
    _type, _type, _tensor, _tensor, _version, _ends, _subgraph,
)  # fmt: skip
