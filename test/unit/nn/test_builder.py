"""The nn builder: what it checks when a model cannot be trusted."""

from __future__ import annotations

import numpy as np
import onnx.parser
import pytest

import davit
from davit.errors import CompileError, ExecutionError


def squeeze(shape: str) -> bytes:
    text = f"""<ir_version: 10, opset_import: ["" : 23]>
    g (float[{shape}] x) => (float[r] y) {{
        a = Constant <value = int64[1] {{1}}> ()
        y = Squeeze (x, a)
    }}"""
    return onnx.parser.parse_model(text).SerializeToString()


def test_squeeze_of_an_unknown_size_is_checked():
    exe = davit.compile(squeeze("n, m"))
    assert exe.run([np.zeros((3, 1), np.float32)])["y"].shape == (3,)
    with pytest.raises(ExecutionError, match="1"):
        exe.run([np.zeros((3, 2), np.float32)])


def test_squeeze_of_another_size_is_refused():
    with pytest.raises((CompileError, davit.InvalidModel), match="2"):
        davit.compile(squeeze("3, 2"))


def test_concat_of_sizes_that_differ_at_run_time_is_stopped():
    text = """<ir_version: 10, opset_import: ["" : 23]>
    g (float[n, m] a, float[k, p] b, float[2, q] c) => (float[r, s] y) { y = Concat <axis = 0> (a, b, c) }"""
    exe = davit.compile(onnx.parser.parse_model(text).SerializeToString())
    parts = [np.full((2, 3), i, np.float32) for i in range(3)]
    np.testing.assert_array_equal(exe.run(parts)["y"], np.concatenate(parts))
    for wrong in range(3):
        with pytest.raises(ExecutionError, match="Concat: the sizes of dimension 1 differ"):
            exe.run([np.ones((2, 5 if i == wrong else 3), np.float32) for i in range(3)])
