"""A model's own functions are inlined under their caller's name; schema functions are expanded on request."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, parser
from onnx.reference import ReferenceEvaluator

from davit.compiler.frontends.onnx import functions, load_model, opset, prepare, structure
from davit.errors import InvalidModel

MODEL = """
<ir_version: 10, opset_import: ["" : 17, "loc" : 1]>
g (float[N,4] x) => (float[N,4] y)
<float[4] w = {1, 2, 3, 4}>
{
  [first] a = loc.scaled <k = 2.0> (x)
  [second] b = loc.scaled (a)
  [norm] c = LayerNormalization (b, w)
  m = ReduceMax <keepdims = 0> (c)
  positive = Cast <to = 9> (m)
  [choice] y = If (positive) <
    then_branch = t () => (float[N,4] r) { [inner] r = loc.scaled <k = 1.0> (c) },
    else_branch = e () => (float[N,4] r) { r = Identity (c) }>
}
<domain: "loc", opset_import: ["" : 12, "loc" : 1]>
scaled <k: float = 3.0> (x) => (y)
{
  [factor] c = Constant <value_float: float = @k> ()
  [times] m = Mul (x, c)
  s = Softmax (m)
  [tail] y = loc.positive (s)
}
<domain: "loc", opset_import: ["" : 17]>
positive (x) => (y) { [relu] y = Relu (x) }
"""


def model() -> onnx.ModelProto:
    return parser.parse_model(MODEL)


def names(proto):
    return [node.name for graph in structure.graphs(proto.graph) for node in graph.node]


def test_nodes_are_named_after_their_caller():
    prepared = prepare(model(), check_support=False)
    found = names(prepared.proto)
    assert "first/times" in found and "second/times" in found and "inner/times" in found
    assert "first/tail/relu" in found
    assert "first/s" in found  # an unnamed node is called after what it makes
    assert not prepared.proto.functions


def test_inlined_computes_the_same():
    x = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)
    want = onnxruntime.InferenceSession(model().SerializeToString()).run(None, {"x": x})[0]
    got = ReferenceEvaluator(prepare(model(), check_support=False).proto).run(None, {"x": x})[0]
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_a_functions_own_opset_holds_inside_it():
    """Softmax of opset 12 works on a matrix from axis 1 on; the model around it is of opset 17."""
    proto = parser.parse_model("""
        <ir_version: 10, opset_import: ["" : 17, "loc" : 1]>
        g (float[2,3,4] x) => (float[2,3,4] y) { [call] y = loc.f (x) }
        <domain: "loc", opset_import: ["" : 12]>
        f (x) => (y) { y = Softmax (x) }
    """)
    x = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32)
    got = ReferenceEvaluator(prepare(proto, check_support=False).proto).run(None, {"x": x})[0]
    np.testing.assert_allclose(got.sum(axis=(1, 2)), [1, 1], rtol=1e-5)


def test_absent_values_and_attributes():
    proto = parser.parse_model("""
        <ir_version: 10, opset_import: ["" : 17, "loc" : 1]>
        g (float[3] x) => (float[3] y, float[3] z)
        {
          [one] y = loc.clipped (x)
          [two] z, both = loc.clipped <low = 0.5> (x, y)
        }
        <domain: "loc", opset_import: ["" : 17]>
        clipped <low, alpha: float = 0.25> (x, most) => (y, x)
        {
          l = LeakyRelu <alpha: float = @alpha> (x)
          y = Clip (l, "", most)
        }
    """)
    del proto.graph.node[1].output[1]
    loaded = load_model(proto)
    functions.inline_local(loaded)
    clips = [node for node in loaded.graph.node if node.op_type == "Clip"]
    assert [list(node.input) for node in clips] == [["one/l", "", ""], ["two/l", "", "y"]]
    assert all(node.attribute[0].f == 0.25 for node in loaded.graph.node if node.op_type == "LeakyRelu")


def test_an_input_handed_out_becomes_an_identity():
    proto = parser.parse_model("""
        <ir_version: 10, opset_import: ["" : 17, "loc" : 1]>
        g (float[3] x) => (float[3] y, float[3] z) { [call] y, z = loc.twice (x) }
        <domain: "loc", opset_import: ["" : 17]>
        twice (x) => (x, r) { r = Relu (x) }
    """)
    got = ReferenceEvaluator(prepare(proto, check_support=False).proto).run(None, {"x": np.float32([-1, 0, 1])})
    assert got[0].tolist() == [-1, 0, 1] and got[1].tolist() == [0, 0, 1]


def test_subgraphs_in_a_body_get_names_of_their_own():
    proto = parser.parse_model("""
        <ir_version: 10, opset_import: ["" : 17, "loc" : 1]>
        g (bool c, float[3] x) => (float[3] y)
        {
          [one] a = loc.f (c, x)
          [two] y = loc.f (c, a)
        }
        <domain: "loc", opset_import: ["" : 17]>
        f (c, x) => (y)
        {
          d = Add (x, x)
          y = If (c) <
            then_branch = t () => (r) { r = Mul (d, x) },
            else_branch = e () => (r) { q = Neg (d)  r = Sub (q, x) }>
        }
    """)
    prepared = prepare(proto, check_support=False)
    outputs = [name for graph in structure.graphs(prepared.graph) for node in graph.node for name in node.output]
    assert len(outputs) == len(set(outputs))
    x = np.float32([1, -2, 3])
    for c in (True, False):
        feeds = {"c": np.array(c), "x": x}
        got = ReferenceEvaluator(prepared.proto).run(None, feeds)[0]
        want = x
        for _ in range(2):
            want = 2 * want * want if c else -3 * want
        np.testing.assert_array_equal(got, want)


def chain(count: int, calls: int, last: str = "r = Relu (x)") -> onnx.ModelProto:
    """``count`` functions, each of which calls the next one ``calls`` times."""
    bodies = []
    for i in range(count):
        lines = (
            ["x0 = Identity (x)"]
            + [f"x{j + 1} = loc.f{i + 1} (x{j})" for j in range(calls)]
            + [f"r = Identity (x{calls})"]
        )
        body = " ".join(lines) if i < count - 1 else last
        bodies.append(f'<domain: "loc", opset_import: ["" : 17, "loc" : 1]> f{i} (x) => (r) {{ {body} }}')
    head = '<ir_version: 10, opset_import: ["" : 17, "loc" : 1]>'
    main = "g (float[3] x) => (float[3] y) { [call] y = loc.f0 (x) }"
    return parser.parse_model("\n".join([head, main, *bodies]))


@pytest.mark.parametrize(
    ("proto", "message"),
    [
        (chain(3, 1, "r = loc.f0 (x)"), r"circle: 'loc.f0' -> 'loc.f1' -> 'loc.f2' -> back"),
        (chain(1, 0, "r = loc.f0 (x)"), r"circle: 'loc.f0' -> back"),
        (chain(60, 2), r"unfold to .* nodes"),
        (chain(5000, 1), r"functions that call functions, .* deep"),
    ],
    ids=["circle", "itself", "2^60 nodes", "5000 deep"],
)
def test_functions_without_end_are_refused_at_once(proto, message):
    with pytest.raises(InvalidModel, match=message):
        functions.inline_local(load_model(proto))


def test_deep_but_honest_functions_are_inlined():
    loaded = load_model(chain(20, 1))
    functions.inline_local(loaded)
    assert len(loaded.graph.node) == 2 * 19 + 1


def test_too_many_inputs_for_a_function():
    proto = model()
    proto.graph.node[0].input.append("x")
    with pytest.raises(InvalidModel, match=r"'first' \(loc\.scaled\): has 2 inputs, but its function has 1"):
        prepare(proto)


@pytest.mark.parametrize(
    ("op", "inputs", "attrs"),
    [
        ("LayerNormalization", [(2, 3, 4), (4,), (4,)], {"axis": -1}),
        ("Gelu", [(2, 3)], {"approximate": "tanh"}),
        ("SoftmaxCrossEntropyLoss", [(3, 5), "labels"], {}),
        ("DynamicQuantizeLinear", [(3, 4)], {}),
        ("CenterCropPad", [(5, 4), "shape"], {}),
        ("HardSwish", [(7,)], {}),
        ("ReduceLogSumExp", [(2, 3)], {}),
        ("RotaryEmbedding", [(1, 2, 3, 4), (3, 2), (3, 2), "positions"], {}),
    ],
)
def test_expanding_a_schema_function(op, inputs, attrs):
    rng = np.random.default_rng(3)
    special = {
        "labels": np.int64([0, 4, 2]),
        "shape": np.int64([3, 6]),
        "positions": np.int64([[0, 2, 1]]),
    }
    arrays = [special[i] if isinstance(i, str) else rng.standard_normal(i).astype(np.float32) for i in inputs]
    schema = onnx.defs.get_schema(op)
    feeds = {f"x{i}": a for i, a in enumerate(arrays)}
    outputs = [f"y{i}" for i in range(schema.min_output)]
    node = helper.make_node(op, list(feeds), outputs, name="n", **attrs)
    graph = helper.make_graph(
        [node], "g",
        [helper.make_tensor_value_info(k, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for k, a in feeds.items()],
        [onnx.ValueInfoProto(name=name) for name in outputs],
    )  # fmt: skip
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 28)], ir_version=10)
    expanded = prepare(proto, expand={("", op)}, check_support=False)
    assert op not in {node.op_type for g in structure.graphs(expanded.graph) for node in g.node}
    assert all(node.name.startswith("n") for node in expanded.graph.node)
    for want, got in zip(
        ReferenceEvaluator(proto).run(None, feeds), ReferenceEvaluator(expanded.proto).run(None, feeds), strict=True
    ):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_a_body_of_an_older_opset_is_lifted():
    """The body of DynamicQuantizeLinear is written in opset 11: ReduceMin, then QuantizeLinear of that day."""
    proto = helper.make_model(
        helper.make_graph(
            [helper.make_node("DynamicQuantizeLinear", ["x"], ["y", "s", "z"], name="n")], "g",
            [helper.make_tensor_value_info("x", 1, [3])],
            [onnx.ValueInfoProto(name=name) for name in "ysz"],
        ),
        opset_imports=[helper.make_opsetid("", 28)],
    )  # fmt: skip
    prepared = prepare(proto, expand={("", "DynamicQuantizeLinear")}, check_support=False)
    assert not any(node.metadata_props for node in prepared.graph.node)
    assert all(opset.plan(n.domain, n.op_type, 28)[0] is None for n in prepared.graph.node)
