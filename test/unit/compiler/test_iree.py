"""The hand-over: IREE's refusals, crashes and hangs reach the caller as errors, and the caller lives on."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import davit
from davit.compiler import iree
from davit.dialects import make_context
from davit.mlir import ir
from davit.pipelines.targets import resolve

GOOD = """
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = tensor.empty() : tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%0 : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %a : f32 loc("blk/7")
      linalg.yield %c : f32
  } -> tensor<64xf32> loc("blk/7")
  return %y : tensor<64xf32>
}
"""
FLAGS = resolve("cpu").flags


def bytecode(text: str) -> bytes:
    with make_context():
        buffer = io.BytesIO()
        ir.Module.parse(text).operation.write_bytecode(buffer)
        return buffer.getvalue()


def test_a_program() -> None:
    assert len(iree.compile_to_vmfb(bytecode(GOOD), FLAGS)) > 1000
    assert "flow.executable" in iree.compile_to_phase(bytecode(GOOD), FLAGS, "flow")


def test_the_helper_is_kept() -> None:
    iree.compile_to_vmfb(bytecode(GOOD), FLAGS)
    (first,) = iree._idle[-1:]
    iree.compile_to_vmfb(bytecode(GOOD), FLAGS)
    assert iree._idle[-1] is first


def test_a_diagnostic_names_the_node() -> None:
    log = (
        '<unknown>:0: error: loc("blk/7"): \'linalg.pack\' op expected padding value\n'
        '<unknown>:0: note: loc("blk/7"): see current operation: %3 = "linalg.pack"(%1) : ...\n'
    )
    assert iree.explain(log) == "node 'blk/7': 'linalg.pack' op expected padding value (in linalg.pack)"


def test_a_refusal_leaves_a_reproducer(tmp_path: Path) -> None:
    refused = bytecode(GOOD.replace("f32", "f80"))
    with pytest.raises(davit.CompileError) as e:
        iree.compile_to_vmfb(refused, FLAGS, what="m.onnx", reproducer_dir=str(tmp_path))
    assert "m.onnx: IREE's compiler refused the program" in str(e.value)
    assert e.value.stage == "iree"
    assert Path(e.value.reproducer or "").read_bytes() == refused
    assert (tmp_path / "iree.txt").read_text().startswith("iree-compile iree.mlirbc ")


def test_an_unknown_flag_and_bytes_that_are_no_program(tmp_path: Path) -> None:
    for data, flags in ((bytecode(GOOD), ["--no-such-flag"]), (b"no bytecode", FLAGS), (b"", FLAGS)):
        with pytest.raises(davit.CompileError):
            iree.compile_to_vmfb(data, flags, reproducer_dir=str(tmp_path))


def test_a_hang_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(davit.CompileError, match=r"was stopped after 0\.01 s"):
        iree.compile_to_vmfb(bytecode(GOOD), FLAGS, timeout=0.01, reproducer_dir=str(tmp_path))
    iree.compile_to_vmfb(bytecode(GOOD), FLAGS)


def test_a_crash_is_survived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    helper = iree._Helper()
    write = iree.write_message

    def crash(stream, header, payload) -> None:
        os.kill(helper.process.pid, signal.SIGSEGV)
        helper.process.wait()
        write(stream, header, payload)

    monkeypatch.setattr(iree, "_take", lambda: helper)
    monkeypatch.setattr(iree, "write_message", crash)
    with pytest.raises(davit.CompileError, match=f"crashed \\(signal {int(signal.SIGSEGV)}\\)"):
        iree.compile_to_vmfb(bytecode(GOOD), FLAGS, reproducer_dir=str(tmp_path))
    monkeypatch.undo()
    iree.compile_to_vmfb(bytecode(GOOD), FLAGS)


def test_unknown_targets_and_levels() -> None:
    with pytest.raises(davit.Error, match="did you mean 'cpu'"):
        resolve("cpus")
    with pytest.raises(davit.Error, match="opt_level is 7"):
        resolve("cpu", 7)


@pytest.mark.parametrize("target", ["vulkan", "cuda", "hip"])
def test_other_targets_compile_without_their_device(target: str) -> None:
    assert len(iree.compile_to_vmfb(bytecode(GOOD), resolve(target).flags)) > 1000


def test_a_helper_outlives_the_thread_that_started_it() -> None:
    iree.shutdown()
    thread = threading.Thread(target=iree.compile_to_vmfb, args=(bytecode(GOOD), FLAGS))
    thread.start()
    thread.join()
    (helper,) = iree._idle
    assert helper.alive
    iree.compile_to_vmfb(bytecode(GOOD), FLAGS)
    assert iree._idle == [helper]


def test_a_helper_ends_with_its_parent() -> None:
    code = (
        "import os; from davit.compiler import iree\n"
        "helper = iree._Helper(); print(helper.process.pid, flush=True); os._exit(0)"
    )
    out = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=60, check=True)
    pid = int(out.stdout)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        with open(f"/proc/{pid}/stat") if os.path.exists(f"/proc/{pid}/stat") else io.StringIO(") Z") as f:
            if f.read().rpartition(")")[2].split()[0] == "Z":
                return  # ended; who collects it is not our business
        time.sleep(0.2)
    pytest.fail(f"the helper {pid} lives on")


def test_an_interrupted_helper_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    iree.shutdown()
    helper = iree._take()

    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(iree, "_take", lambda: helper)
    monkeypatch.setattr(iree, "read_message", interrupt)
    with pytest.raises(KeyboardInterrupt):
        iree.compile_to_vmfb(bytecode(GOOD), FLAGS)
    assert not helper.alive and helper not in iree._idle
