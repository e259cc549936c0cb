"""Broken and hostile models: each is an error of one paragraph that names the file and what in it is wrong."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from guard import Guard, seeds, variants
from onnx import AttributeProto, ModelProto, TensorProto, helper, numpy_helper, parser

from davit.compiler.frontends.onnx import prepare
from davit.errors import Error, InvalidModel, Unsupported

GOOD = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x) => (float[2,3] y)
<float[3] w = {1, 2, 3}>
{
  [first] h = Add (x, w)
  [second] k = Relu (h)
  [third] y = Mul (k, x)
}
"""


def good() -> ModelProto:
    return parser.parse_model(GOOD)


def refused(path: Path, kind: type[Error], *parts: str) -> str:
    """Reads the file, which must fail with one paragraph that names the file and holds ``parts``."""
    start = time.perf_counter()
    with pytest.raises(Error) as caught:
        prepare(path)
    assert time.perf_counter() - start < 5
    message = str(caught.value)
    assert type(caught.value) is kind, message
    assert message.startswith(str(path)), message
    assert "\n" not in message
    for part in parts:
        assert part in message, message
    return message


def saved(folder: Path, model: ModelProto | bytes) -> Path:
    path = folder / "bad.onnx"
    path.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
    return path


def test_the_model_that_the_others_break_is_good(tmp_path):
    assert prepare(saved(tmp_path, good())).outputs == ["y"]


# files -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.95, 0.999])
def test_truncated_files(tmp_path, share):
    data = good().SerializeToString()
    path = saved(tmp_path, data[: int(len(data) * share)])
    with pytest.raises(Error) as caught:
        prepare(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "is empty"),
        (b"#!/bin/sh\necho hello\n", "is not an ONNX model"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "is not an ONNX model"),
        (bytes(1000), "is not an ONNX model"),
        (b"\x08\x08", "holds no graph"),
        (b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f" + bytes(50), "past the end"),
        (b"\x3a" + b"\xff" * 12, "a number"),
    ],
    ids=["empty", "script", "image", "zeros", "no graph", "2^63 bytes claimed", "endless number"],
)
def test_files_that_are_no_models(tmp_path, content, what):
    refused(saved(tmp_path, content), InvalidModel, what)


def test_paths_that_are_no_files(tmp_path):
    refused(tmp_path / "nowhere.onnx", InvalidModel, "there is no such file")
    refused(tmp_path, InvalidModel, "is not a regular file")
    os.mkfifo(tmp_path / "pipe.onnx")
    refused(tmp_path / "pipe.onnx", InvalidModel, "is not a regular file")


# graphs ------------------------------------------------------------------------------------------------------
Change = Callable[[ModelProto], object]


def set_input(node: int, name: str) -> Change:
    return lambda m: m.graph.node[node].input.__setitem__(0, name)


def nested(model: ModelProto, depth: int) -> None:
    """Ifs inside Ifs."""
    node = model.graph.node[1]
    for _ in range(depth):
        attribute = AttributeProto(name="then_branch", type=AttributeProto.GRAPH)
        attribute.g.node.add(op_type="If", name="deep", input=["x"], output=["q"])
        node.attribute.append(attribute)
        node = node.attribute[-1].g.node[0]


CHANGES: dict[str, tuple[Change, type[Error], tuple[str, ...]]] = {
    "unknown op": (
        lambda m: setattr(m.graph.node[1], "op_type", "Rellu"),
        Unsupported, ("Rellu x1 ('second')", "did you mean 'Relu'"),
    ),
    "unknown domain": (
        lambda m: setattr(m.graph.node[1], "domain", "com.acme"), Unsupported, ("com.acme.Relu", "'second'"),
    ),
    "wrong element type": (
        lambda m: setattr(m.graph.input[0].type.tensor_type, "elem_type", TensorProto.INT64),
        InvalidModel, ("'first' (Add)", "int64"),
    ),
    "input without a type": (
        lambda m: m.graph.input[0].ClearField("type"),
        InvalidModel,
        ("'x' has no type",),
    ),
    "input without an element type": (
        lambda m: m.graph.input[0].type.tensor_type.ClearField("elem_type"),
        InvalidModel,
        ("'x' has no type",),
    ),
    "no such element type": (
        lambda m: setattr(m.graph.input[0].type.tensor_type, "elem_type", 99), InvalidModel, ("99",),
    ),
    "shapes that do not fit": (
        lambda m: m.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.ones(4, np.float32), "w")),
        InvalidModel, ("'first' (Add)", "incompatible dimensions"),
    ),
    "cycle": (set_input(0, "y"), InvalidModel, ("cycle", "'first' (Add)", "'third' (Mul)")),
    "own input": (set_input(1, "k"), InvalidModel, ("cycle", "'second' (Relu)")),
    "input from nowhere": (set_input(1, "ghost"), InvalidModel, ("'second' (Relu)", "'ghost' is defined nowhere")),
    "missing input": (lambda m: m.graph.node[0].input.pop(), InvalidModel, ("'first' (Add", "1 input")),
    "empty input": (set_input(2, ""), InvalidModel, ("'third' (Mul", "its input 'A' is missing")),
    "value made twice": (
        lambda m: m.graph.node[1].output.__setitem__(0, "h"), InvalidModel, ("'second' (Relu)", "'h' is defined twice"),
    ),
    "value made twice, as an input too": (
        lambda m: m.graph.node[1].output.__setitem__(0, "x"), InvalidModel, ("'second' (Relu)", "'x' is defined twice"),
    ),
    "input twice": (lambda m: m.graph.input.append(m.graph.input[0]), InvalidModel, ("graph input 'x'", "twice")),
    "initializer twice": (
        lambda m: m.graph.initializer.append(m.graph.initializer[0]), InvalidModel, ("initializer 'w'", "twice"),
    ),
    "nameless input": (lambda m: setattr(m.graph.input[0], "name", ""), InvalidModel, ("graph input has no name",)),
    "dangling output": (
        lambda m: m.graph.output.add(name="z"), InvalidModel, ("output 'z' is made by no node",),
    ),
    "no outputs": (lambda m: m.graph.ClearField("output"), InvalidModel, ("no outputs",)),
    "no graph": (lambda m: m.ClearField("graph"), InvalidModel, ("no graph",)),
    "empty graph": (lambda m: m.graph.Clear(), InvalidModel, ("no outputs",)),
    "negative dimension": (
        lambda m: setattr(m.graph.input[0].type.tensor_type.shape.dim[0], "dim_value", -5), InvalidModel, ("'x'", "-5"),
    ),
    "dimension of 2^62": (
        lambda m: setattr(m.graph.input[0].type.tensor_type.shape.dim[0], "dim_value", 1 << 62),
        InvalidModel, ("'x'", str(1 << 62)),
    ),
    "negative dimension of a tensor": (
        lambda m: m.graph.initializer[0].dims.__setitem__(0, -3), InvalidModel, ("'w'", "negative"),
    ),
    "tensor of 2^62 elements": (
        lambda m: m.graph.initializer[0].dims.__setitem__(0, 1 << 62), InvalidModel, ("'w'",),
    ),
    "tensor of 2^62 by 2^62": (
        lambda m: m.graph.initializer[0].dims.extend([1 << 62, 1 << 62]), InvalidModel, ("'w'", "any memory"),
    ),
    "tensor of 100 dimensions": (
        lambda m: m.graph.initializer[0].dims.extend([1] * 100), InvalidModel, ("'w'", "101 dimensions"),
    ),
    "raw data too short": (
        lambda m: m.graph.initializer[0].CopyFrom(TensorProto(name="w", data_type=1, dims=[3], raw_data=b"1234567")),
        InvalidModel, ("'w'", "take 12 bytes, but the data has 7"),
    ),
    "raw data too long": (
        lambda m: m.graph.initializer[0].CopyFrom(TensorProto(name="w", data_type=1, dims=[3], raw_data=bytes(5000))),
        InvalidModel, ("'w'", "take 12 bytes, but the data has 5000"),
    ),
    "too few numbers": (
        lambda m: m.graph.initializer[0].float_data.pop(), InvalidModel, ("'w'", "3 entries of float_data"),
    ),
    "unknown attribute": (
        lambda m: m.graph.node[1].attribute.append(helper.make_attribute("alpha", 1.0)),
        InvalidModel, ("'second' (Relu", "no attribute 'alpha'"),
    ),
    "attribute twice": (
        lambda m: m.graph.node[1].attribute.extend([helper.make_attribute("a", 1), helper.make_attribute("a", 2)]),
        InvalidModel, ("'second' (Relu", "'a' is given twice"),
    ),
    "two outputs": (
        lambda m: m.graph.node[1].output.append("more"), InvalidModel, ("'second' (Relu", "2 outputs"),
    ),
    "no opset for the domain": (
        lambda m: m.opset_import.__getitem__(0).CopyFrom(helper.make_opsetid("com.acme", 1)),
        InvalidModel, ("'first' (Add)", "does not import"),
    ),
    "opset 0": (lambda m: setattr(m.opset_import[0], "version", 0), InvalidModel, ("version 0",)),
    "opset of the future": (
        lambda m: setattr(m.opset_import[0], "version", 99), Unsupported, ("'first' (Add, opset 99)", "up to opset 28"),
    ),
    "two opsets": (lambda m: m.opset_import.add(version=13), InvalidModel, ("two versions, 17 and 13",)),
    "IR of the future": (lambda m: setattr(m, "ir_version", 1000), Unsupported, ("IR version 1000",)),
    "nested too deep": (lambda m: nested(m, 40), InvalidModel, ("nested more than 32 deep",)),
    "sparse tensor of 2^50 elements": (
        lambda m: m.graph.sparse_initializer.add(
            dims=[1 << 25, 1 << 25], values=helper.make_tensor("s", 1, [1], [1.0]),
            indices=helper.make_tensor("i", 7, [1], [5]),
        ),
        InvalidModel, ("'s'", "too large to make dense"),
    ),
    "shape that is no integers": (
        lambda m: m.graph.node[1].CopyFrom(helper.make_node("Reshape", ["h", "w"], ["k"], name="second")),
        InvalidModel, ("'second' (Reshape)", "float"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_broken_graphs(tmp_path, name):
    change, kind, parts = CHANGES[name]
    model = good()
    change(model)
    refused(saved(tmp_path, model), kind, *parts)


def test_a_chain_of_10_000_subgraphs_is_no_stack_overflow(tmp_path):
    """Written byte by byte: protobuf itself would recurse while building it."""

    def field(number: int, payload: bytes) -> bytes:
        size, out = len(payload), bytearray()
        while size > 0x7F:
            out.append(size & 0x7F | 0x80)
            size >>= 7
        out.append(size)
        return bytes([number << 3 | 2]) + bytes(out) + payload

    node = field(4, b"If")
    for _ in range(10_000):
        node = field(4, b"If") + field(5, field(1, b"then_branch") + field(6, field(1, node)))
    refused(saved(tmp_path, field(7, field(1, node))), InvalidModel)


@pytest.mark.parametrize("place", ["node", "output", "op_type", "initializer", "symbol", "graph"])
def test_names_that_are_not_utf8(tmp_path, place):
    model = good()
    if place == "node":
        model.graph.node[1].name = "ABCDEF"
    elif place == "output":
        model.graph.node[1].output[0] = model.graph.node[2].input[0] = "ABCDEF"
    elif place == "op_type":
        model.graph.node[1].op_type = "ABCDEF"
    elif place == "initializer":
        model.graph.initializer[0].name = model.graph.node[0].input[1] = "ABCDEF"
    elif place == "symbol":
        model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "ABCDEF"
    else:
        model.graph.name = "ABCDEF"
    refused(saved(tmp_path, model.SerializeToString().replace(b"ABCDEF", b"AB\xff\xfeEF")), InvalidModel, "UTF-8")


def test_types_of_values_inside_branches_are_checked(tmp_path):
    model = parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        g (bool c, float[2] x) => (float[2] y) {
          [choice] y = If (c) <
            then_branch = t () => (float[2] r) { [in_then] r = Not (x) },
            else_branch = e () => (float[2] r) { r = Relu (x) }>
        }
    """)
    refused(saved(tmp_path, model), InvalidModel, "'in_then' (Not)", "float")


def test_branches_of_the_wrong_number_of_outputs(tmp_path):
    model = parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        g (bool c, float[2] x) => (float[2] y) {
          [choice] y, z = If (c) <
            then_branch = t () => (float[2] r) { r = Neg (x) },
            else_branch = e () => (float[2] r) { r = Relu (x) }>
        }
    """)
    refused(saved(tmp_path, model), InvalidModel, "'choice' (If)")


def test_what_makes_onnx_abort_is_an_error_and_not_the_end(tmp_path):
    """More outputs than num_outputs says: onnx 1.23 reads past the end of a list, and stops the process."""
    model = parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 18]>
        g (float[2,8] x) => (a, b) { r = Relu (x)  [parts] a, b, c = Split <axis = 1, num_outputs = 2> (r) }
    """)
    refused(saved(tmp_path, model), InvalidModel, "'parts' (Split)")
    assert prepare(saved(tmp_path, good())).outputs == ["y"]  # and the next model is read as ever


# external data -----------------------------------------------------------------------------------------------
def external(folder: Path, location: str, **more: str) -> Path:
    model = good()
    tensor = TensorProto(name="w", data_type=1, dims=[3], data_location=TensorProto.EXTERNAL)
    for key, value in {"location": location, **more}.items():
        tensor.external_data.add(key=key, value=value)
    model.graph.initializer[0].CopyFrom(tensor)
    folder.mkdir(exist_ok=True)
    return saved(folder, model)


def test_external_data_beside_the_model_is_read(tmp_path):
    (tmp_path / "weights").write_bytes(bytes(4) + np.float32([5, 6, 7]).tobytes())
    prepared = prepare(external(tmp_path, "weights", offset="4", length="12"))
    assert prepared.initializer("w").tolist() == [5, 6, 7]


@pytest.mark.parametrize(
    ("location", "what"),
    [
        ("weights", "does not exist"),
        ("../secret", "leaves the model's folder"),
        ("a/../../secret", "leaves the model's folder"),
        ("/etc/hostname", "absolute path"),
        ("C:\\secret", "absolute path"),
        ("..\\secret", "leaves the model's folder"),
        ("", "no file name"),
        ("a\0b", "no file name"),
        ("x" * 5000, "cannot be opened"),
    ],
)
def test_external_data_elsewhere_is_not_opened(tmp_path, location, what):
    (tmp_path / "secret").write_bytes(bytes(12))
    refused(external(tmp_path / "model", location), InvalidModel, "'w'", what)


def test_external_data_behind_links_and_pipes_is_not_opened(tmp_path):
    folder = tmp_path / "model"
    path = external(folder, "weights")
    (tmp_path / "secret").write_bytes(bytes(12))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "weights").write_bytes(bytes(12))
    (folder / "weights").symlink_to(tmp_path / "secret")
    refused(path, InvalidModel, "'w'", "symbolic link")
    (folder / "weights").unlink()
    os.link(tmp_path / "secret", folder / "weights")
    refused(path, InvalidModel, "'w'", "hard link")
    (folder / "weights").unlink()
    os.mkfifo(folder / "weights")
    refused(path, InvalidModel, "'w'", "not a regular file")
    (folder / "inner").symlink_to(tmp_path / "elsewhere")
    refused(external(folder, "inner/weights"), InvalidModel, "'w'", "symbolic link")


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"offset": "8"}, "which has 12"),
        ({"length": "100"}, "which has 12"),
        ({"length": "8"}, "take 12 bytes, but the data has 8"),
        ({"offset": "-4"}, "no byte count"),
        ({"offset": "99999999999999999999999"}, "no byte count"),
        ({"length": "twelve"}, "no byte count"),
    ],
)
def test_external_data_of_the_wrong_place_or_size(tmp_path, more, what):
    path = external(tmp_path, "weights", **more)
    (tmp_path / "weights").write_bytes(bytes(12))
    refused(path, InvalidModel, "'w'", what)


def test_external_data_of_a_model_without_a_folder():
    model = onnx.load(external(Path("/tmp"), "weights"), load_external_data=False)
    with pytest.raises(InvalidModel, match=r"<ModelProto>.*'w'.*give the path of the model"):
        prepare(model)


# at random ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", [1, 2])
def test_mutated_models_are_read_or_refused(seed):
    """Never a crash, never a hang, never another exception; test/support/guard.py does it for longer."""
    counts = {"ok": 0, "error": 0}
    with Guard("read", timeout=60) as guard:
        for number, model in enumerate(variants(seeds()[::7], 300, seed)):
            outcome = guard.try_model(model)
            assert outcome.kind in counts, f"variant {number} of seed {seed}: {outcome}"
            assert "\n" not in outcome.text, outcome.text
            counts[outcome.kind] += 1
    assert counts["ok"] > 20 and counts["error"] > 150, counts
