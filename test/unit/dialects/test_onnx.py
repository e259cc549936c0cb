"""The onnx dialects: every schema is an op, and the verifier holds it to the schema."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import defs

from davit.dialects import constants, load, make_context
from davit.dialects.definition import VerifyError, operands_of, results_of
from davit.dialects.onnx import DIALECTS, OnnxOp, encode_all, find, ir_name, ops, schemas, stub, types, view
from davit.dialects.types import DTYPES, Tensor
from davit.mlir import ir

F32 = ("f32", (2, 3))


@pytest.fixture(scope="module")
def context():
    return make_context()


@pytest.fixture
def module(context):
    """An empty module, entered: ops are built at its end."""
    with context, ir.Location.name("here"):
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            yield module


def value(dtype: str, shape: tuple) -> ir.Value:
    """Some value of a tensor type."""
    kind = Tensor.make(dtype, shape).mlir()
    return ir.Operation.create("builtin.unrealized_conversion_cast", results=[kind]).result


def tensor(dtype: str, shape: tuple) -> ir.Type:
    return Tensor.make(dtype, shape).mlir()


# -- definition ---------------------------------------------------------------------------------------------------


def test_every_operator_is_an_op(context):
    for s in defs.get_all_schemas():
        if s.domain in DIALECTS:
            assert context.is_registered_operation(ir_name(s.domain, s.name)), s.name
            found = find(s.domain, s.name)
            assert found is not None and found.version == s.since_version
    assert find("", "conv") is None  # an IR name is no operator's name
    assert find("com.acme", "Conv") is None


def test_loads_into_any_context_any_number_of_times():
    fresh = ir.Context()
    for _ in range(3):
        load(fresh)
    load(make_context())
    for op in ("onnx.conv", "onnx_ml.scaler", "onnx_training.adam", "nn.add", "stablehlo.add", "chlo.erf"):
        assert fresh.is_registered_operation(op), op


def test_stub_is_up_to_date():
    assert stub.PATH.read_text(encoding="utf-8") == stub.stub()


# -- attributes ---------------------------------------------------------------------------------------------------


def test_every_default_is_written(context):
    """What the IR says equals what onnx.defs says, for all operators."""
    seen = 0
    with context, ir.Location.unknown():
        for s in defs.get_all_schemas():
            schema = schemas()[ir_name(s.domain, s.name)]
            required = {n: a for n, a in schema.attributes.items() if a.required}
            some = {"float": 1.0, "int": 1, "string": "s", "floats": (1.0,), "ints": (1,), "strings": ("s",)}
            given = {n: some.get(a.kind, np.zeros(1, np.float32)) for n, a in required.items()}
            if any(a.kind == "type" for a in required.values()):
                continue
            attributes = encode_all(schema, given)
            for name, a in s.attributes.items():
                if a.type.name == "GRAPH" or name in given:
                    continue
                default = onnx.helper.get_attribute_value(a.default_value) if a.default_value.name else None
                if default is None or isinstance(default, onnx.TensorProto):
                    assert name not in attributes, (s.name, name)
                    continue
                seen += 1
                holder = ir.Operation.create("test.holder", attributes={"v": attributes[name]})
                have = view.decode(holder.attributes["v"])
                want = default.decode() if isinstance(default, bytes) else default
                if isinstance(want, list):
                    want = [w.decode() if isinstance(w, bytes) else w for w in want]
                assert have == want and type(have) is type(want), (s.name, name)
    assert seen > 200


def test_view_reads_attributes(module):
    y = ops.conv(
        value("f32", (1, 3, 8, 8)), value("f32", (4, 3, 3, 3)), results=[tensor("f32", (1, 4, 6, 6))], pads=(0, 0, 0, 0)
    )
    view = OnnxOp(y.owner)
    assert (view.op_type, view.domain, view.name) == ("Conv", "", "here")
    assert view.attr.pads == [0, 0, 0, 0] and view.attr.auto_pad == "NOTSET" and view.attr.group == 1
    assert view.attr.strides is None  # the schema gives no default: the specification's text does
    assert "pads" in view.attr and "strides" not in view.attr
    with pytest.raises(AttributeError, match="Conv has no attribute 'axis'; it has auto_pad"):
        _ = view.attr.axis
    slots = dict(view.operand_slots([1, 2, None]))
    assert slots == {"x": 1, "w": 2, "b": None}


def test_strings_keep_every_byte(module):
    made = ops.onnx_ml_labelencoder(
        value("!onnx.string", (2,)),
        results=[tensor("i64", (2,))],
        keys_strings=("a", '\udcff"\\\n', "ü"),
        values_int64s=(1, 2, 3),
    )
    assert OnnxOp(made.owner).attr.keys_strings == ["a", '\udcff"\\\n', "ü"]
    table = np.array([["a", 'b"'], ["", "é\n"]], object)
    for array in (table, table[:1, :1], np.empty((0, 2), object), np.array("x", object)):
        attr = constants.encode(array)
        back = constants.decode(attr)
        assert back is not None and back.shape == array.shape and (back == array).all()


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"axi": 1}, "has no attribute 'axi'; it has axis"),
        ({}, "needs the attribute 'axis'"),
        ({"axis": "x"}, "attribute 'axis' must be of kind int"),
    ],
)
def test_encode_refuses(module, attributes, message):
    with pytest.raises(VerifyError, match=message):
        encode_all(find("", "Concat"), attributes)


# -- the verifier -------------------------------------------------------------------------------------------------


def check(name: str, operands: list, results: list, attributes: dict | None = None) -> None:
    """Build an op without our checks, and have MLIR verify it."""
    ir.Operation.create(name, results=results, operands=operands, attributes=attributes or {}).verify()


def refused(message: str, *args, **kwargs) -> None:
    with pytest.raises(ir.MLIRError) as e:
        check(*args, **kwargs)
    assert message in e.value.error_diagnostics[0].message


def i64(n: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), n)


def test_arity(module):
    x, t = value(*F32), tensor(*F32)
    check("onnx.relu", [x], [t])
    none = ir.Operation.create("onnx.none", results=[ir.NoneType.get()]).result
    refused("operand 'x' must be present", "onnx.relu", [none], [t])
    with pytest.raises(ir.MLIRError):
        check("onnx.relu", [x, x], [t])  # IRDL's own words
    with pytest.raises(ir.MLIRError):
        check("onnx.none", [], [t])
    refused("operand 'inputs' needs at least 1, got 0", "onnx.concat", [], [t], {"axis": i64(0)})


def test_attributes(module):
    x, t = value(*F32), tensor(*F32)
    check("onnx.concat", [x, x], [tensor("f32", (4, 3))], {"axis": i64(0)})
    refused("needs the attribute 'axis' (an integer)", "onnx.concat", [x, x], [t])
    refused("attribute 'axis' must be an integer, got \"0\"", "onnx.concat", [x], [t], {"axis": ir.StringAttr.get("0")})
    refused("has no attribute 'axes'", "onnx.concat", [x], [t], {"axis": i64(0), "axes": i64(0)})
    refused("defaults are written out, here -1", "onnx.softmax", [x], [t])
    check("onnx.concat", [x], [t], {"axis": i64(0), "davit.note": i64(1)})  # discardable attributes are no concern


def test_element_types(module):
    x, t = value(*F32), tensor(*F32)
    refused("'x' is tensor(bool), but must be", "onnx.relu", [value("i1", (2,))], [tensor("i1", (2,))])
    refused(
        "'a' is tensor(float) and 'b' is tensor(double): they must have one type",
        "onnx.add",
        [x, value("f64", (2, 3))],
        [t],
    )
    refused("'a' is tensor(float) and 'c' is tensor(double)", "onnx.add", [x, x], [tensor("f64", (2, 3))])
    refused(
        "'x' is i32",
        "onnx.relu",
        [ir.Operation.create("test.v", results=[ir.IntegerType.get_signless(32)]).result],
        [t],
    )
    check("onnx.pow", [x, value("i64", ())], [t])  # two constraints, two types
    check("onnx.relu", [x], [ir.UnrankedTensorType.get(ir.F32Type.get())])
    check("onnx.relu", [x], [types.unknown()])
    refused("'condition' is tensor(int64)", "onnx.where", [value("i64", ()), x, x], [t])


def test_variadic_values_of_several_types_go_as_a_tuple(module):
    a, b = value("f32", (2, 3)), value("f32", (1, 3))
    made = ops.concat(a, b, results=[tensor("f32", (3, 3))], axis=0)
    assert isinstance(made.owner.operands[0].type, ir.TupleType)
    assert operands_of(made.owner) == [a, b]
    left, right = ops.split(made, None, results=[tensor("f32", (2, 3)), tensor("f32", (1, 3))], axis=0, num_outputs=2)
    split = next(iter(made.uses)).owner
    assert results_of(split) == [left, right]
    assert ops.concat(a, a, results=[tensor("f32", (4, 3))], axis=0).owner.operands[1] == a
    assert module.operation.verify()
    assert str(ir.Module.parse(str(module))) == str(module)
    with pytest.raises(VerifyError, match="'inputs' is tensor\\(float\\) and 'inputs' is tensor\\(int64\\)"):
        ops.concat(a, value("i64", (2, 3)), results=[tensor("f32", (4, 3))], axis=0)


def test_regions(module):
    cond, x = value("i1", ()), value(*F32)
    made = ops.if_(
        cond,
        results=[tensor(*F32)],
        then_branch=((), lambda: [x]),
        else_branch=((), lambda: [ops.neg(x, results=[tensor(*F32)])]),
    )
    assert module.operation.verify()
    view = OnnxOp(made[0].owner if isinstance(made, list) else made.owner)
    assert len(list(view.region("else_branch").operations)) == 2
    with pytest.raises(VerifyError, match="region 'else_branch' must have one block, got 0"):
        ops.if_(cond, results=[tensor(*F32)], then_branch=((), lambda: [x]))


def test_container_types(context):
    with context, ir.Location.unknown():
        t = Tensor.make("f32", ("n", 3)).mlir()
        for text, kind in (
            ("seq(tensor(float))", types.seq(t)),
            ("optional(seq(tensor(float)))", types.opt(types.seq(t))),
            ("tensor(string)", ir.RankedTensorType.get([2], ir.Type.parse("!onnx.string"))),
            ("map(int64, float)", ir.Type.parse("!onnx.map<i64, f32>")),
            ("seq(map(string, float))", ir.Type.parse("!onnx.seq<!onnx.map<!onnx.string, f32>>")),
            ("?", types.unknown()),
        ):
            assert types.type_string(kind) == text
            assert ir.Type.parse(str(kind)) == kind
        assert types.inner(types.seq(t)) == t
        assert types.is_opt(types.opt(t)) and not types.is_seq(types.opt(t))


def test_every_onnx_element_type_has_an_mlir_type(context):
    """Two ONNX types never share one: the onnx level keeps them apart."""
    with context, ir.Location.unknown():
        known = types.onnx_elements()
        missing = set(onnx.TensorProto.DataType.values()) - {0} - set(known)
        assert not missing
        assert len({d.name for d in known.values()}) == len(known)
        for d in known.values():
            assert Tensor.of(Tensor(d, (2, "n")).mlir()) == Tensor(d, (2, "n"))
            assert DTYPES[d.name] is d
