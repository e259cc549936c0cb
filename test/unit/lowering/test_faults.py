"""A lowering with a fault of its own is told as an error that names the node; no traceback reaches the user."""

from __future__ import annotations

import pytest
from onnx import TensorProto, helper

import davit
from davit.compiler.lowering import nn_to_linalg, onnx_to_nn


def model() -> bytes:
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"], "head/Relu")],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10).SerializeToString()


@pytest.mark.parametrize("error", [TypeError("wrong"), KeyError("gone"), ZeroDivisionError(), AssertionError("never")])
def test_onnx_to_nn(monkeypatch: pytest.MonkeyPatch, tmp_path, error: Exception) -> None:
    def broken(*_: object) -> None:
        raise error

    monkeypatch.setitem(onnx_to_nn.REGISTRY.functions, "relu", broken)
    words = r"<bytes>: node 'head/Relu' \(Relu\): a fault in davit's lowering"
    with pytest.raises(davit.CompileError, match=words) as e:
        davit.compile(model(), reproducer_dir=str(tmp_path))
    assert e.value.stage == "nn" and e.value.reproducer is not None and type(error).__name__ in str(e.value)


def test_nn_to_linalg(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    def broken(*_: object) -> None:
        raise IndexError("far out")

    monkeypatch.setitem(nn_to_linalg.REGISTRY.functions, "maximum", broken)
    with pytest.raises(davit.CompileError, match="head/Relu.*nn.maximum: a fault in davit's lowering") as e:
        davit.compile(model(), reproducer_dir=str(tmp_path))
    assert e.value.stage == "linalg"
