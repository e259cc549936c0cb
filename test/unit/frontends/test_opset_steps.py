"""Every step between two versions of an operator is accounted for; newer operators are refused by name."""

from __future__ import annotations

import onnx
import pytest
from onnx import helper

from davit.compiler.frontends.onnx import load_model, opset
from davit.compiler.frontends.onnx.opset import SAME
from davit.compiler.frontends.onnx.signature import CHECKED, history, schema_at, signature_changes
from davit.errors import InvalidModel, Unsupported

opset.load_families()


def steps():
    for (domain, op), versions in sorted(history().items()):
        for old, new in zip(versions, versions[1:], strict=False):
            if new <= CHECKED.get(domain, 0):
                yield domain, op, old, new


def entry_for(domain, op, old, new):
    for entry in opset.REGISTRY.get((domain, op), ()):
        if entry.since <= old <= entry.until < new:
            return entry
        if entry.since <= old and entry.until >= new:
            return entry  # the adapter takes both versions in one go
    return None


def test_every_changed_step_has_an_entry():
    missing = [
        f"{domain or 'ai.onnx'}.{op} {old} -> {new}: {'; '.join(changes)}"
        for domain, op, old, new in steps()
        if (changes := signature_changes(schema_at(domain, op, old), schema_at(domain, op, new)))
        and entry_for(domain, op, old, new) is None
    ]
    assert not missing, "\n".join(missing)
    assert len(list(steps())) > 400


def test_entries_begin_and_end_at_versions():
    for (domain, op), entries in opset.REGISTRY.items():
        versions = history()[domain, op]
        for entry in entries:
            assert entry.since in versions, f"{op}: no version {entry.since}"
            after = opset.next_form(domain, op, entry.until)
            assert after is not None, f"{op}: nothing comes after {entry.until}"
            assert entry.until in versions or after == entry.until + 1, f"{op}: {entry.until} ends no version"


def test_same_has_a_reason_and_removes_nothing():
    for (domain, op), entries in opset.REGISTRY.items():
        for entry in entries:
            if isinstance(entry.action, SAME):
                assert len(entry.action.reason.split()) > 3
                after = opset.next_form(domain, op, entry.until)
                changes = signature_changes(schema_at(domain, op, entry.since), schema_at(domain, op, after))
                assert not any("removed" in change or "no longer" in change for change in changes), (op, changes)


def test_two_entries_for_one_version_are_an_error():
    with pytest.raises(ValueError, match=r"overlap in versions 10 to 10.*resize\.py"):
        opset.keeps("Resize", since=10, until=10, why=SAME("because the test says so"))


def model(op, version, domain="", inputs=("x",), **attrs):
    node = helper.make_node(op, inputs, ["y"], name="the_node", domain=domain, **attrs)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info(name, 1, [2, 3]) for name in inputs if name],
        [onnx.ValueInfoProto(name="y")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(domain, version)], ir_version=8)


def lifted(proto):
    loaded = load_model(proto)
    opset.lift(loaded)
    return loaded


def test_newer_than_checked_is_refused_by_name():
    with pytest.raises(Unsupported, match=r"'the_node' \(Relu, opset 29\).*up to opset 28"):
        lifted(model("Relu", 29))


def test_a_version_before_the_first_is_invalid():
    with pytest.raises(InvalidModel, match=r"'the_node' \(Gelu, opset 12\).*first appears in opset 20"):
        lifted(model("Gelu", 12))


def test_a_step_without_adapter_names_node_op_and_versions(monkeypatch):
    monkeypatch.setitem(opset.REGISTRY, ("", "Squeeze"), [])
    opset.plan.cache_clear()
    try:
        with pytest.raises(
            Unsupported, match=r"'the_node' \(Squeeze, opset 11\).*attribute axes was removed.*version 11 to version 13"
        ):
            lifted(model("Squeeze", 11, axes=[0]))
    finally:
        opset.plan.cache_clear()


def test_every_node_that_cannot_be_lifted_is_listed():
    proto = model(
        "Resize", 11, inputs=("x", "r", "s"), coordinate_transformation_mode="tf_half_pixel_for_nn", mode="linear"
    )
    other = onnx.NodeProto()
    other.CopyFrom(proto.graph.node[0])
    other.name, other.output[0] = "second", "z"
    proto.graph.node.append(other)
    with pytest.raises(Unsupported) as caught:
        lifted(proto)
    assert len(caught.value.items) == 2
    assert "'the_node'" in str(caught.value) and "'second'" in str(caught.value)


@pytest.mark.parametrize(
    ("proto", "message"),
    [
        (model("Relu", 13, inputs=("x", "z")), r"has 2 inputs, but the operator takes 1"),
        (model("Concat", 13), r"required attribute 'axis' is missing"),
        (model("Relu", 13, alpha=1.0), r"has no attribute 'alpha'"),
        (model("LeakyRelu", 13, alfa=1.0), r"did you mean 'alpha'"),
        (model("LeakyRelu", 13, alpha=1), r"attribute 'alpha' is INT, but the operator wants FLOAT"),
        (model("Add", 13, inputs=("", "x")), r"its input 'A' is missing"),
        (model("Max", 13, inputs=("x", "", "z")), r"one of its inputs 'data_0' is missing"),
    ],
)
def test_nodes_are_checked_against_their_own_version(proto, message):
    with pytest.raises(InvalidModel, match=message) as caught:
        lifted(proto)
    assert "'the_node'" in str(caught.value)


def test_absent_inputs_at_the_end_are_taken_off():
    assert list(lifted(model("Max", 13, inputs=("x", "z", ""))).graph.node[0].input) == ["x", "z"]


def test_a_node_that_needs_nothing_is_left_as_it_is():
    loaded = load_model(model("Relu", 6))
    before = loaded.graph.node[0].SerializeToString()
    opset.lift(loaded)
    assert loaded.graph.node[0].SerializeToString() == before
    assert loaded.opset[""] == 28
