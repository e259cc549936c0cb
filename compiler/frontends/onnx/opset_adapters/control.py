"""Scan as it was in opset 8: it had a batch axis, and sequences of different lengths."""

from __future__ import annotations

from onnx import GraphProto, NodeProto, helper

from davit.compiler.frontends.onnx.opset import Lift, OldNode, adapts


@adapts("Scan", since=8, until=8)
def scan_8(old: OldNode, lift: Lift) -> None:
    """Inputs were [batch, sequence, ...]: now a scan over the batch, with a scan over the sequence in its body.

    With ``sequence_lens`` an element's sequence is cut to its length before the inner scan and what that makes is
    filled up with zeros to the longest (the old text leaves those values open).
    """
    lengths, values = old.input(0), old.inputs[1:]
    scanned = old.attr("num_scan_inputs")
    states = len(values) - scanned
    if states < 0:
        raise lift.invalid(f"num_scan_inputs={scanned}, but there are {len(values)} inputs to scan")
    elements = [lift.fresh("element") for _ in values]
    body = GraphProto(name="batch")
    inner_inputs = list(elements)
    inner_outputs = [lift.fresh("result") for _ in old.outputs]
    results = list(inner_outputs)
    length = ""
    if lengths:
        length = lift.fresh("length")
        body.input.add(name=length)
        one = _emit(lift, body, "Reshape", [length, _ints(lift, body, [-1])])
        zero = _ints(lift, body, [0])
        for position in range(states, len(values)):
            inner_inputs[position] = _emit(lift, body, "Slice", [elements[position], zero, one, zero])
    for name in elements:
        body.input.add(name=name)
    inner = helper.make_node("Scan", inner_inputs, inner_outputs, num_scan_inputs=scanned)
    inner.attribute.extend(a for a in old.proto.attribute if a.name == "body")
    if old.gives("directions"):
        inner.attribute.append(helper.make_attribute("scan_input_directions", list(old.attr("directions"))))
    inner.name = old.proto.name
    body.node.append(inner)
    if lengths:
        longest = _emit(lift, body, "Shape", [elements[states]], start=0, end=1)
        missing = _emit(lift, body, "Sub", [longest, one])
        pads = _emit(lift, body, "Concat", [zero, missing], axis=0)
        for position in range(states, len(old.outputs)):
            results[position] = _emit(lift, body, "Pad", [inner_outputs[position], pads, "", zero])
    for name in results:
        body.output.add(name=name)
    inputs = [lengths, *values] if lengths else values
    lift.node("Scan", inputs, old.outputs, newest=True, body=body, num_scan_inputs=len(inputs))


def _emit(lift: Lift, graph: GraphProto, op: str, inputs: list[str], **attrs: object) -> str:
    node: NodeProto = helper.make_node(op, inputs, [lift.fresh(op)], **attrs)
    node.name = f"{lift.old.proto.name}/{op}" if lift.old.proto.name else ""
    graph.node.append(node)
    return node.output[0]


def _ints(lift: Lift, graph: GraphProto, values: list[int]) -> str:
    return _emit(lift, graph, "Constant", [], value=helper.make_tensor("", 7, [len(values)], values))
