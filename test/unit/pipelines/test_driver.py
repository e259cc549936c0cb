"""davit.compile's way in: what a model is told by its content, and what it says when it cannot go on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

import davit
from davit.pipelines.driver import lower
from davit.pipelines.runner import RunOptions

DIGITS = Path(davit.__file__).parent / "data" / "digits.onnx"
ADD = """
func.func @main(%x: tensor<3xf32> {davit.name = "a"}) -> (tensor<3xf32> {davit.name = "b"}) {
  %y = "nn.add"(%x, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
"""


@pytest.mark.parametrize("form", ["path", "string", "bytes", "proto"])
def test_an_onnx_model_in_any_form(form: str) -> None:
    model = {
        "path": lambda: DIGITS,
        "string": lambda: str(DIGITS),
        "bytes": DIGITS.read_bytes,
        "proto": lambda: onnx.load(DIGITS),
    }[form]()
    lowered = lower(model)
    assert [p.name for p in lowered.inputs] == ["pixels"]
    assert lowered.inputs[0].type.shape == ("batch", 1, 8, 8)
    assert lowered.outputs[0].type.shape == ("batch", 10)


def test_mlir_text_and_files(tmp_path: Path) -> None:
    x = np.arange(3, dtype=np.float32)
    for model in (ADD, ADD.encode()):
        np.testing.assert_array_equal(davit.compile(model).run({"a": x})["b"], x * 2)
    (tmp_path / "m.mlir").write_text(ADD)
    np.testing.assert_array_equal(davit.compile(tmp_path / "m.mlir")(x), x * 2)


def test_every_level_is_seen_in_order() -> None:
    levels: list[str] = []
    lower(DIGITS, options=RunOptions(on_stage=lambda name, _: levels.append(name)))
    assert levels == ["onnx", "nn", "linalg", "hand-over"]
    stopped = lower(DIGITS, until="nn")
    assert "nn.conv" in str(stopped.module) and "onnx.conv" not in str(stopped.module)


def test_fixed_dimensions_reach_the_signature() -> None:
    exe = davit.compile(DIGITS, dims={"batch": 2})
    assert exe.inputs[0].shape == (2, 1, 8, 8) and exe.outputs[0].shape == (2, 10)
    with pytest.raises(davit.InvalidModel, match="no input has a dimension named 'batsh'"):
        davit.compile(DIGITS, dims={"batsh": 2})


@pytest.mark.parametrize(
    ("model", "options", "words"),
    [
        (None, {}, "cannot compile a builtins.NoneType"),
        (b"", {}, "is empty"),
        ("/no/such/file.onnx", {}, "/no/such/file.onnx: cannot be read: No such file"),
        ("module { foo }", {}, "custom op 'foo' is unknown"),
        ("module {\n}", {}, "needs a function @main"),
        (DIGITS, {"dims": [1]}, "dims is a list"),
        (DIGITS, {"timeout": "soon"}, "timeout is 'soon'"),
        (DIGITS, {"flags": "--x"}, "flags is '--x'"),
        (DIGITS, {"target": "cuda12"}, "did you mean 'cuda'"),
        (DIGITS, {"opt_level": 9}, "opt_level is 9"),
        (
            "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
            "  %y = stablehlo.add %x, %x : tensor<2xf32>\n  return %y : tensor<2xf32>\n}",
            {},
            "no pipeline begins at the level 'stablehlo' yet",
        ),
    ],
)
def test_refusals_are_sentences(model: object, options: dict, words: str) -> None:
    with pytest.raises(davit.Error, match=words):
        davit.compile(model, **options)


def test_a_stage_that_leaves_what_it_must_not_is_told_with_a_reproducer(tmp_path: Path) -> None:
    text = """
    func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %y = "nn.add"(%x, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %z = "foreign.op"(%y) : (tensor<3xf32>) -> tensor<3xf32>
      return %z : tensor<3xf32>
    }"""
    words = "stage .linalg. left operations it must not leave: foreign.op x1"
    with pytest.raises(davit.CompileError, match=words) as e:
        davit.compile(text, reproducer_dir=str(tmp_path))
    assert e.value.stage == "linalg"
    replay = Path(e.value.reproducer or "").read_text()
    assert replay.startswith("// davit-opt linalg.mlir --pass-pipeline='builtin.module(nn-to-linalg,canonicalize,cse)'")
    assert '"nn.add"' in replay
