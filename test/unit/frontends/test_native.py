"""The helper process that runs onnx's native code."""

from __future__ import annotations

import os
import signal
import threading

import onnx
import pytest
from onnx import parser

from davit.compiler.frontends.onnx import native, native_worker
from davit.errors import CompileError


def model(body: str = "y = Relu (x)") -> bytes:
    text = f'<ir_version: 8, opset_import: ["" : 18]> g (float[2,8] x) => (y) {{ {body} }}'
    return parser.parse_model(text).SerializeToString()


def inferred(data: bytes) -> list[int]:
    proto = onnx.ModelProto.FromString(native.infer_shapes(data, strict=True))
    return [dim.dim_value for dim in proto.graph.output[0].type.tensor_type.shape.dim]


def pid() -> int:
    assert native._helper is not None
    return native._helper.process.pid


def test_it_is_kept_from_one_question_to_the_next():
    assert inferred(model()) == [2, 8]
    before = pid()
    assert inferred(model("y = Transpose (x)")) == [8, 2]
    assert pid() == before


def test_errors_are_told_in_onnx_words_and_cost_nothing():
    inferred(model())
    before = pid()
    with pytest.raises(native.NativeError, match="axis must be in"):
        native.infer_shapes(model("y = Concat <axis = 7> (x, x)"), strict=True)
    assert pid() == before


def test_a_crash_is_told_and_the_next_question_finds_a_new_helper():
    with pytest.raises(native.NativeCrash, match="crashes"):
        native.infer_shapes(model("y, b, c = Split <axis = 1, num_outputs = 2> (x)"), strict=True)
    assert inferred(model()) == [2, 8]
    os.kill(pid(), signal.SIGKILL)
    native._helper.process.wait()
    assert inferred(model()) == [2, 8]


def test_a_question_that_takes_too_long_is_stopped(monkeypatch):
    inferred(model())
    monkeypatch.setattr(native, "TIMEOUT", 0.2)
    os.kill(pid(), signal.SIGSTOP)
    with pytest.raises(native.NativeTimeout, match=r"takes more than 0\.2 s"):
        native.infer_shapes(model(), strict=True)
    monkeypatch.undo()
    assert inferred(model()) == [2, 8]


def test_a_helper_that_does_not_start_is_no_fault_of_the_model(monkeypatch, tmp_path):
    broken = tmp_path / "worker.py"
    broken.write_text("raise SystemExit('no onnx here')")
    native.shutdown()
    monkeypatch.setattr(native_worker, "__file__", str(broken))
    with pytest.raises(CompileError, match=r"does not start \(exit code 1\): no onnx here"):
        native.infer_shapes(model(), strict=True)
    monkeypatch.undo()
    assert inferred(model()) == [2, 8]


def test_threads_take_turns():
    answers: list[list[int]] = []
    threads = [threading.Thread(target=lambda: answers.append(inferred(model()))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [[2, 8]] * 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_a_helper_of_its_own():
    inferred(model())
    parent = pid()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if inferred(model()) == [2, 8] and pid() != parent else 1
            native.shutdown()
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert inferred(model()) == [2, 8] and pid() == parent
