"""The importer: names, types, constants and regions in the module, and errors that name the node."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.helper import make_graph, make_model, make_node, make_opsetid, make_tensor_value_info

from davit.compiler.frontends.onnx import import_model, inference, load_model, prepare
from davit.dialects import constants, make_context
from davit.dialects.onnx import OnnxOp
from davit.dialects.types import Tensor
from davit.errors import InvalidModel, Unsupported
from davit.mlir import ir

F = TensorProto.FLOAT

_alive: list[ir.Module] = []
"""The bindings free a module's ops with it, whoever still holds them."""


@pytest.fixture(scope="module")
def context():
    return make_context()


def build(nodes, inputs, outputs, initializers=(), **kwargs) -> onnx.ModelProto:
    info = [[make_tensor_value_info(n, *t) for n, *t in values] for values in (inputs, outputs)]
    named = [numpy_helper.from_array(a, n) for n, a in dict(initializers).items()]
    graph = make_graph(nodes, "g", *info, initializer=named)
    return make_model(graph, opset_imports=[make_opsetid("", 28), make_opsetid("ai.onnx.ml", 5)], **kwargs)


def load(model, context, dims=None) -> ir.Module:
    """Import without the support check, which is no concern of the importer."""
    loaded = load_model(model)
    inference.fix_dims(loaded, dims or {})
    inference.infer(loaded)
    module = import_model(loaded, context)
    _alive.append(module)
    return module


def body(module: ir.Module) -> list[ir.Operation]:
    """The ops of @main."""
    return [op.operation for op in module.body.operations[0].regions[0].blocks[0].operations]


def named(ops: list[ir.Operation], name: str) -> ir.Operation:
    return next(op for op in ops if op.name == name)


def test_names_and_locations(context, tmp_path):
    nodes = [make_node("Relu", ["a b"], ["t"], name="block/relu:0"), make_node("Neg", ["t"], ["y/0"])]
    path = tmp_path / "m.onnx"
    onnx.save(build(nodes, [("a b", F, [2, "n"])], [("y/0", F, None)]), path)
    module = load(path, context)
    assert ir.StringAttr(module.operation.attributes["davit.file"]).value == str(path)
    main = module.body.operations[0]
    assert main.name.value == "main"
    text = str(module)
    assert 'davit.name = "a b"' in text and 'davit.name = "y/0"' in text
    assert [OnnxOp(op).name for op in body(module)[:2]] == ["block/relu:0", "Neg_1"]
    assert str(main.type.results[0]) == 'tensor<2x?xf32, ["", "n"]>'  # inference knows more than the model says
    assert module.operation.verify()


def test_constants_are_shared_not_copied(context, tmp_path):
    big = np.arange(1 << 16, dtype=np.float32)
    small = np.float32([1, 2])
    model = build(
        [make_node("Add", ["x", "big"], ["t"]), make_node("Mul", ["t", "one"], ["y"])],
        [("x", F, [1 << 16])],
        [("y", F, None)],
        {"big": big, "one": small[:1], "unused": small},
    )
    onnx.save(model, tmp_path / "m.onnx")
    prepared = prepare(tmp_path / "m.onnx")
    with constants.scope():
        ops = body(import_model(prepared, context))
        found = [op for op in ops if op.name == "onnx.constant"]
        assert [OnnxOp(op).name for op in found] == ["big", "one"]
        array = constants.decode(found[0].attributes["value"])
        assert np.shares_memory(array, prepared.initializer("big"))
        assert (array == big).all()
        assert str(found[1].attributes["value"]) == "dense<1.000000e+00> : tensor<1xf32>"


def test_constant_nodes_become_tensors(context):
    forms = {
        "value_float": 1.5,
        "value_floats": [1.5],
        "value_int": 3,
        "value_ints": [3, 4],
        "value_strings": ["a", "b"],
    }
    nodes = [make_node("Constant", [], [f"c_{k}"], **{k: v}) for k, v in forms.items()]
    nodes += [make_node("Identity", [f"c_{k}"], [k]) for k in forms]
    ops = body(load(build(nodes, [], [(k, 0, None) for k in forms]), context))
    with context:
        values = [constants.decode(op.attributes["value"]) for op in ops if op.name == "onnx.constant"]
    for want, array in zip(forms.values(), values, strict=True):
        assert array.tolist() == want
    assert [a.dtype for a in values] == [np.float32, np.float32, np.int64, np.int64, object]


def test_absent_operands_and_results(context):
    nodes = [make_node("Clip", ["x", "", "hi"], ["c"]), make_node("LSTM", ["s", "w", "r"], ["", "h"], hidden_size=2)]
    model = build(
        nodes,
        [("x", F, [3]), ("hi", F, []), ("s", F, [4, 1, 3]), ("w", F, [1, 8, 3]), ("r", F, [1, 8, 2])],
        [("c", F, None), ("h", F, None)],
    )
    ops = body(load(model, context))
    assert [op.name for op in ops] == ["onnx.none", "onnx.clip", "onnx.lstm", "func.return"]
    clip, lstm = ops[1], ops[2]
    assert clip.operands[1].owner.name == "onnx.none" and len(lstm.operands) == 8
    kinds = [str(r.type) for r in lstm.results]
    assert kinds == ["none", "tensor<1x1x2xf32>", "none"]


def test_types(context):
    nodes = [
        make_node("Cast", ["x"], ["b"], to=TensorProto.BOOL),
        make_node("Cast", ["x"], ["u"], to=TensorProto.UINT4),
        make_node("Cast", ["x"], ["s"], to=TensorProto.STRING),
        make_node("SequenceConstruct", ["x", "x"], ["q"]),
        make_node("Optional", ["q"], ["o"]),
        make_node("OptionalGetElement", ["o"], ["p"]),
        make_node("Reshape", ["x", "shape"], ["r"]),
    ]
    inputs = [("x", F, ["n", "m"]), ("shape", TensorProto.INT64, ["rank"])]
    outputs = [("r", F, None)]
    ops = body(load(build(nodes, inputs, outputs), context))
    kinds = [str(op.results[0].type) for op in ops[:-1]]
    x = 'tensor<?x?xf32, ["n", "m"]>'
    assert kinds == [
        'tensor<?x?xi1, ["n", "m"]>',
        'tensor<?x?xui4, ["n", "m"]>',
        'tensor<?x?x!onnx.string, ["n", "m"]>',
        f"!onnx.seq<{x}>",
        f"!onnx.opt<!onnx.seq<{x}>>",
        f"!onnx.seq<{x}>",
        "tensor<*xf32>",
    ]


def test_dims_fix_symbols(context):
    model = build([make_node("Relu", ["x"], ["y"])], [("x", F, ["batch", 3])], [("y", F, ["batch", 3])])
    module = load(model, context, dims={"batch": 4})
    assert Tensor.of(body(module)[0].results[0]).shape == (4, 3)


def test_subgraphs_are_regions_that_capture(context):
    w = numpy_helper.from_array(np.float32([3]), "w")
    then = make_graph([make_node("Mul", ["x", "w"], ["t"])], "then", [], [make_tensor_value_info("t", F, None)], [w])
    other = make_graph([], "else", [], [make_tensor_value_info("x", F, None)])
    model = build(
        [make_node("If", ["c"], ["y"], name="branch", then_branch=then, else_branch=other)],
        [("c", TensorProto.BOOL, []), ("x", F, [2])],
        [("y", F, None)],
    )
    module = load(model, context)
    op = named(body(module), "onnx.if")
    view = OnnxOp(op)
    assert view.name == "branch"
    inner = [o.operation for o in view.region("then_branch").operations]
    assert [o.name for o in inner] == ["onnx.constant", "onnx.mul", "onnx.yield"]
    argument = module.body.operations[0].arguments[
        0 if str(module.body.operations[0].arguments[0].type) != "tensor<i1>" else 1
    ]
    assert inner[1].operands[0] == argument
    assert view.region("else_branch").operations[0].operands[0] == argument
    assert module.operation.verify()


def test_loop_arguments(context):
    graph = make_graph(
        [make_node("Add", ["v", "x"], ["v2"]), make_node("Identity", ["c"], ["c2"])],
        "body",
        [
            make_tensor_value_info("i", TensorProto.INT64, []),
            make_tensor_value_info("c", TensorProto.BOOL, []),
            make_tensor_value_info("v", F, [2]),
        ],
        [
            make_tensor_value_info("c2", TensorProto.BOOL, []),
            make_tensor_value_info("v2", F, [2]),
            make_tensor_value_info("v2", F, [2]),
        ],
    )
    model = build(
        [make_node("Loop", ["n", "", "x"], ["last", "all"], body=graph)],
        [("n", TensorProto.INT64, []), ("x", F, [2])],
        [("last", F, None), ("all", F, None)],
    )
    module = load(model, context)
    op = named(body(module), "onnx.loop")
    block = OnnxOp(op).region("body")
    assert [str(a.type) for a in block.arguments] == ["tensor<i64>", "tensor<i1>", "tensor<2xf32>"]
    assert module.operation.verify()
    assert [str(r.type.element_type) for r in OnnxOp(op).results] == ["f32", "f32"]


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (make_node("Relu", ["x"], ["y"], name="r", alpha=1.0), r"node 'r' \(Relu\): has no attribute 'alpha'"),
        (make_node("Concat", ["x"], ["y"], name="k"), r"node 'k' \(Concat\).*required attribute axis is missing"),
        (make_node("Concat", ["x"], ["y"], name="k", axis=1.5), r"node 'k' \(Concat\): attribute 'axis'"),
        (make_node("Relu", ["x", "x"], ["y"], name="r"), r"node 'r' \(Relu\)"),
        (make_node("Relu", ["x"], ["y", "z"], name="r"), r"node 'r' \(Relu\)"),
        (make_node("Relu", [""], ["y"], name="r"), r"node 'r' \(Relu\)"),
        (make_node("Not", ["x"], ["y"]), r"the unnamed node that makes 'y' \(Not\).*input X is tensor\(float\)"),
    ],
)
def test_broken_nodes_are_named(context, node, message):
    with pytest.raises(InvalidModel, match=message):
        load(build([node], [("x", F, [2])], [("y", F, None)]), context)


def test_unknown_operator(context):
    model = build(
        [make_node("Frobnicate", ["x"], ["y"], name="f", domain="com.acme")], [("x", F, [2])], [("y", F, None)]
    )
    model.opset_import.append(helper.make_opsetid("com.acme", 1))
    with pytest.raises(Unsupported, match=r"com\.acme\.Frobnicate"):
        load(model, context)


def test_module_survives_text_and_bytecode(context):
    nodes = [make_node("Concat", ["x", "c"], ["y"], axis=0)]
    model = build(nodes, [("x", F, ["n", 2])], [("y", F, None)], {"c": np.ones((1, 2), np.float32)})
    module = load(model, context)
    assert str(ir.Module.parse(str(module), context)) == str(module)
