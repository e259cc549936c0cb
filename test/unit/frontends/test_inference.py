"""Types: what inference finds, what the model states, and what does not fit together."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import parser

from davit.compiler.frontends.onnx import prepare, structure
from davit.compiler.frontends.onnx import small_values as sv
from davit.errors import InvalidModel


def ready(text: str, **kw):
    return prepare(parser.parse_model(text), check_support=False, **kw)


def types(prepared) -> dict[str, str]:
    return {name: str(t) for name, t in prepared.value_types.items()}


RESHAPE = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[batch,seq,8] x) => (float[batch,a,b,c] y)
<int64[1] two = {2}, int64[1] minus = {-1}, int64 zero = {0}, int64 one = {1}, int64[1] axis = {0}>
{
  s = Shape (x)
  b0 = Gather (s, zero)
  s0 = Gather (s, one)
  b1 = Unsqueeze (b0, axis)
  s1 = Unsqueeze (s0, axis)
  shape = Concat <axis = 0> (b1, s1, two, minus)
  y = Reshape (x, shape)
}
"""


def test_symbols_go_through_shape_arithmetic_by_name():
    found = types(ready(RESHAPE))
    assert found["y"] == "float[batch, seq, 2, c]"
    assert found["s"] == "int64[3]"


def test_fixed_dimensions_make_it_static():
    prepared = ready(RESHAPE, dims={"batch": 4, "seq": 5})
    assert types(prepared)["y"] == "float[4, 5, 2, 4]"
    assert types(prepared)["x"] == "float[4, 5, 8]"
    assert [node.op_type for node in prepared.graph.node if node.op_type != "Constant"] == ["Reshape"]


@pytest.mark.parametrize(
    ("dims", "message"),
    [
        ({"bath": 4}, r"no input has a dimension named 'bath'; the named ones are: batch, seq"),
        ({"batch": -1}, "0 or more"),
    ],
)
def test_wrong_names_and_sizes_of_dimensions(dims, message):
    with pytest.raises(InvalidModel, match=message):
        ready(RESHAPE, dims=dims)


def test_shape_arithmetic_that_onnx_does_not_follow():
    """Pads computed by PyTorch's exporter: zeros in front, cut in pairs, turned around."""
    found = types(
        ready("""
        <ir_version: 8, opset_import: ["" : 17]>
        g (float[1,576] x) => (float[n,m] y)
        <int64[2] pads = {0, 64}, int64[2] two_two = {-1, 2}, int64[1] flat = {-1}, int64[1] back = {-1},
         int64[1] from = {-1}, int64[1] upto = {-9223372036854775807}, int64[1] axis = {0}, int64 four = {4}>
        {
          n = Shape (pads)
          missing = Sub (four, n)
          zeros = ConstantOfShape <value = int64[1] {0}> (missing)
          all = Concat <axis = 0> (pads, zeros)
          pairs = Reshape (all, two_two)
          turned = Slice (pairs, from, upto, axis, back)
          across = Transpose <perm = [1, 0]> (turned)
          final = Reshape (across, flat)
          y = Pad <mode = "reflect"> (x, final)
        }
    """)
    )
    assert found["y"] == "float[1, 640]"


IFS = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[batch,1,4] x) => (y)
<int64 one = {1}, int64[1] axis = {1}>
{
  s = Shape (x)
  size = Gather (s, one)
  is_one = Equal (size, one)
  [squeeze] z = If (is_one) <
    then_branch = t () => (r) { r = Squeeze (x, axis) },
    else_branch = e () => (r) { r = Identity (x) }>
  rank = Size (zs)
  zs = Shape (z)
  has_two = Less (rank, three)
  three = Constant <value_int = 3> ()
  y = If (has_two) <
    then_branch = t () => (r) { r = Relu (z) },
    else_branch = e () => (r) { k = com.acme.Unknown (z)  r = Identity (k) }>
}
"""


def test_ifs_whose_condition_is_known_are_settled_one_after_the_other():
    proto = parser.parse_model(IFS)
    proto.graph.output[0].type.tensor_type.elem_type = 1
    prepared = prepare(proto)  # with the check: the unknown operator is in the branch not taken
    assert "If" not in {node.op_type for node in prepared.graph.node}
    assert types(prepared)["y"] == "float[batch, 4]"


def test_an_if_that_depends_on_the_input_stays():
    prepared = ready(IFS.replace("[batch,1,4]", "[batch,seq,4]"))
    assert [n.op_type for n in prepared.graph.node].count("If") == 2
    names = [name for g in structure.graphs(prepared.graph) for node in g.node for name in node.output]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("[n] y = Add (x, z)", r"node 'n' \(Add\): its types do not fit: incompatible dimensions"),
        ("[n] y = Add (x, i)", r"node 'n' \(Add\).*(type|tensor\(int64\))"),
        ("[n] y = Not (x)", r"node 'n' \(Not\): its types do not fit: input X is tensor\(float\)"),
        ("[n] y = MatMul (x, z)  w = Relu (y)", r"node 'n' \(MatMul\).*incompatible dimensions for matrix"),
        ("[n] y = Concat <axis = 5> (x, x)", r"node 'n' \(Concat\).*axis must be in"),
        ("y = Concat <axis = 5> (x, x)", r"the unnamed node that makes 'y' \(Concat\).*axis must be in"),
        (
            "[outer] y = If (b) <then_branch = t () => (r) { [inner] r = Add (x, z) },"
            " else_branch = e () => (r) { r = Relu (x) }>",
            r"node 'inner' \(Add\).*incompatible dimensions",
        ),
    ],
)
def test_types_that_do_not_fit_name_the_node(body, message):
    with pytest.raises(InvalidModel, match=message) as caught:
        ready(
            '<ir_version: 8, opset_import: ["" : 17]> '
            f"g (float[2,3] x, float[4] z, int64[3] i, bool b) => (y) {{ {body} }}"
        )
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("stated", "fits"),
    [
        ("float[2,3] h", True),
        ("float[N,3] h", True),
        ("float[2,M] h", True),
        ("float h", False),
        ("float[2,4] h", False),
        ("float[2,3,1] h", False),
        ("int64[2,3] h", False),
    ],
)
def test_stated_types_must_agree(stated, fits):
    text = f"""
        <ir_version: 8, opset_import: ["" : 17]>
        g (float[2,3] x) => (float[2,3] y) <{stated}> {{ [first] h = Relu (x)  y = Neg (h) }}
    """
    if fits:
        assert types(ready(text))["h"] == "float[2, 3]"
        return
    with pytest.raises(
        InvalidModel, match=r"node 'first' \(Relu\): its output 'h' is stated to be .*, but is float\[2, 3\]"
    ):
        ready(text)


def test_stated_types_stand_where_inference_knows_nothing():
    prepared = ready(
        """
        <ir_version: 8, opset_import: ["" : 17, "com.acme" : 1]>
        g (float[2,3] x) => (float[2,3] y) <float[7,K] h> { h = com.acme.Op (x)  y = ReduceSum <keepdims = 0> (h) }
    """.replace("(float[2,3] y)", "(float y)")
    )
    assert types(prepared)["h"] == "float[7, K]"


def test_what_inference_is_known_to_get_wrong_does_not_stop_a_model():
    prepared = ready("""
        <ir_version: 8, opset_import: ["" : 19]>
        g (float[1,1,H,W] x, int64[n] sizes) => (y) { [r] y = Resize (x, "", "", sizes)  [z] w = Relu (y) }
    """)
    assert prepared.value_types["w"].elem_type == onnx.TensorProto.FLOAT


@pytest.mark.parametrize("seed", range(5))
def test_small_values_are_what_onnx_says(seed):
    """Every function of small_values against onnx's reference, on drawn integers."""
    from onnx import helper
    from onnx.reference import ReferenceEvaluator

    rng = np.random.default_rng(seed)
    a, b = rng.integers(-9, 9, (2, 3)), rng.integers(1, 5, 3) * rng.choice([-1, 1], 3)
    i64 = np.int64
    cases = {
        "Abs": ([a], {}), "Add": ([a, b], {}), "And": ([a > 0, b > 0], {}), "Cast": ([a / 2], {"to": 7}),
        "Ceil": ([a / i64(4)], {}), "Concat": ([a, a], {"axis": 1}), "Div": ([a, b], {}), "Equal": ([a, b], {}),
        "Expand": ([b, i64([2, 3])], {}), "Floor": ([a / i64(4)], {}), "Gather": ([a, i64([1, -1, 0])], {"axis": 1}),
        "Greater": ([a, b], {}), "GreaterOrEqual": ([a, b], {}), "Identity": ([a], {}), "Less": ([a, b], {}),
        "LessOrEqual": ([a, b], {}), "Max": ([a, b], {}), "Min": ([a, b], {}), "Mod": ([a, b], {}),
        "Mul": ([a, b], {}), "Neg": ([a], {}), "Not": ([a > 0], {}), "Or": ([a > 0, b > 0], {}),
        "Range": ([i64(seed), i64(-seed), i64(-1)], {}), "ReduceMax": ([a, i64([1])], {}),
        "ReduceMin": ([a], {"keepdims": 0}), "ReduceProd": ([a, i64([0])], {}), "ReduceSum": ([a, i64([-1])], {}),
        "Reshape": ([a, i64([0, -1, 1])], {}), "Slice": ([a, i64([-1]), i64([-99]), i64([1]), i64([-2])], {}),
        "Squeeze": ([a[:1], i64([0])], {}), "Sub": ([a, b], {}), "Transpose": ([a], {"perm": [1, 0]}),
        "Unsqueeze": ([a, i64([0, -1])], {}), "Where": ([a > 0, a, b], {}), "ConstantOfShape": ([i64([2, 0, 3])], {}),
    }  # fmt: skip
    assert set(cases) == set(sv._FUNCTIONS)
    for op, (inputs, attrs) in cases.items():
        names = [f"x{i}" for i in range(len(inputs))]
        node = helper.make_node(op, names, ["y"], **attrs)
        values = {n: np.asarray(v) for n, v in zip(names, inputs, strict=True)}
        graph = helper.make_graph(
            [node], "g", [onnx.ValueInfoProto(name=n) for n in names], [onnx.ValueInfoProto(name="y")]
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 28)])
        want = ReferenceEvaluator(model).run(None, values)[0]
        got = sv.evaluate(node, values)
        assert got is not None, op
        assert got.dtype == want.dtype and got.shape == want.shape, op
        np.testing.assert_array_equal(got, want, err_msg=op)


@pytest.mark.parametrize(
    ("op", "inputs"),
    [
        ("Div", [np.int64(1), np.int64(0)]),
        ("Cast", [np.float32(np.nan)]),
        ("Expand", [np.int64(1), np.int64([1 << 40])]),
        ("ConstantOfShape", [np.int64([1 << 62, 4])]),
        ("Range", [np.int64(0), np.int64(1 << 60), np.int64(1)]),
        ("Gather", [np.int64([1]), np.int64(7)]),
        ("Reshape", [np.int64([1, 2, 3]), np.int64([2, 2])]),
        ("Squeeze", [np.int64([1, 2]), np.int64([0])]),
    ],
)
def test_small_values_leave_alone_what_is_undefined_broken_or_large(op, inputs):
    from onnx import helper

    names = [f"x{i}" for i in range(len(inputs))]
    node = helper.make_node(op, names, ["y"], **({"to": 7} if op == "Cast" else {}))
    assert sv.evaluate(node, {n: np.asarray(v) for n, v in zip(names, inputs, strict=True)}) is None
