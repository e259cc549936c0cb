"""Executables: inputs are checked in sentences, outputs are owned, files are whole or refused."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import davit

PROGRAM = """
func.func @main(%x: tensor<?x3xf32>, %n: tensor<i32>) -> (tensor<?x3xf32>, tensor<i32>) {
  %y = arith.addf %x, %x : tensor<?x3xf32>
  return %y, %n : tensor<?x3xf32>, tensor<i32>
}
"""
ROWS = np.arange(6, dtype=np.float32).reshape(2, 3)
NUMBER = np.array(7, np.int32)


@pytest.fixture(scope="module")
def exe() -> davit.Executable:
    return davit.compile(PROGRAM)


def test_by_position_by_name_and_as_a_call(exe: davit.Executable) -> None:
    for outputs in (exe.run([ROWS, NUMBER]), exe.run({"input1": NUMBER, "input0": ROWS})):
        assert list(outputs) == ["output0", "output1"]
        np.testing.assert_array_equal(outputs["output0"], ROWS * 2)
        assert outputs["output1"].shape == () and outputs["output1"] == 7
    y, n = exe(ROWS, 7)
    np.testing.assert_array_equal(y, ROWS * 2)
    assert n == 7


@pytest.mark.parametrize(
    "array",
    [np.asfortranarray(ROWS), ROWS[::-1], ROWS.astype(">f4"), np.zeros((0, 3), np.float32)],
    ids=["fortran", "reversed", "big-endian", "empty"],
)
def test_any_memory_layout(exe: davit.Executable, array: np.ndarray) -> None:
    np.testing.assert_array_equal(exe.run([array, NUMBER])["output0"], array * 2)


def test_outputs_own_their_memory(exe: davit.Executable) -> None:
    first = exe.run([ROWS, NUMBER])["output0"]
    first[:] = -1
    exe.run([ROWS + 5, NUMBER])
    assert (first == -1).all()


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ([ROWS], ["2 inputs, not 1", "input0: float32[?, 3]"]),
        ({"input0": ROWS}, ["missing input", "input1"]),
        ({"inptu0": ROWS, "input1": NUMBER}, ["no input 'inptu0'", "did you mean 'input0'"]),
        ([ROWS.astype(np.float64), NUMBER], ["'input0' is float64", "float32", ".astype('float32')"]),
        ([ROWS[0], NUMBER], ["'input0'", "rank 1", "rank 2"]),
        ([ROWS[:, :2], NUMBER], ["'input0' has size 2 in dimension 1", "takes 3"]),
        ([["a", "b", "c"], NUMBER], ["'input0'", "float32"]),
        (ROWS, ["a list of 2 arrays", "run([x])"]),
    ],
)
def test_wrong_inputs_are_sentences(exe: davit.Executable, inputs: object, words: list[str]) -> None:
    with pytest.raises(davit.ExecutionError) as e:
        exe.run(inputs)  # type: ignore[arg-type]
    for word in words:
        assert word in str(e.value)


def test_equal_symbols_must_be_equal_sizes() -> None:
    from davit.runtime import Signature

    signature = Signature.make([("a", "float32", ("n",)), ("b", "float32", ("n", 2))], [])
    signature.arrange([np.zeros(4, np.float32), np.zeros((4, 2), np.float32)])
    with pytest.raises(davit.ExecutionError, match="dimension 0 of input 'b' is 3, but 'n' is 4 in input 'a'"):
        signature.arrange([np.zeros(4, np.float32), np.zeros((3, 2), np.float32)])


def test_a_failed_check_in_the_program_is_its_sentence() -> None:
    exe = davit.compile("""
    func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %d = tensor.dim %x, %c0 : tensor<?xf32>
      %ok = arith.cmpi ult, %d, %c4 : index
      cf.assert %ok, "at most three elements"
      %y = math.exp %x : tensor<?xf32>
      return %y : tensor<?xf32>
    }""")
    assert exe(np.zeros(3, np.float32)).tolist() == [1, 1, 1]
    with pytest.raises(davit.ExecutionError, match="at most three elements"):
        exe(np.zeros(5, np.float32))


def test_calls_from_many_threads(exe: davit.Executable) -> None:
    wrong: list[object] = []

    def work(k: int) -> None:
        x = np.full((4, 3), k, np.float32)
        for _ in range(50):
            if not (exe.run([x, NUMBER])["output0"] == 2 * k).all():
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


@pytest.mark.parametrize("device", ["local-task", "local-sync"])
def test_saved_and_loaded_in_another_process(exe: davit.Executable, tmp_path: Path, device: str) -> None:
    exe.save(tmp_path / "m.davit")
    code = (
        "import sys, numpy as np, davit; assert 'torch_mlir' not in sys.modules; "
        f"e = davit.load(sys.argv[1], device={device!r}); "
        "print(e.run([np.ones((1, 3), np.float32), np.array(3, np.int32)]))"
    )
    command = [sys.executable, "-P", "-c", code, str(tmp_path / "m.davit")]
    out = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    assert "[2., 2., 2.]" in out and "3" in out


def test_saving_where_nothing_can_be_written(exe: davit.Executable, tmp_path: Path) -> None:
    with pytest.raises(davit.ExecutionError, match="cannot be written"):
        exe.save(tmp_path / "missing" / "m.davit")
    assert list(tmp_path.iterdir()) == []


def test_damaged_files_are_refused(exe: davit.Executable, tmp_path: Path) -> None:
    path = tmp_path / "m.davit"
    exe.save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    refused = 0
    for k in range(120):
        data = bytearray(whole)
        if k % 2:
            data[int(rng.integers(len(data)))] ^= int(rng.integers(1, 256))
        else:
            del data[int(rng.integers(len(data))) :]
        path.write_bytes(data)
        try:
            loaded = davit.load(path)
        except davit.Error as e:
            refused += 1
            assert str(path) in str(e)
        else:  # the flip hit a byte that means nothing, such as padding
            assert loaded.run([ROWS, NUMBER])["output1"] == 7
    assert refused >= 100


def test_files_that_are_none() -> None:
    with pytest.raises(davit.InvalidModel, match="No such file"):
        davit.load("/nowhere/m.davit")
    with pytest.raises(davit.InvalidModel, match="not a .davit file"):
        davit.load(__file__)


def test_devices_are_told_with_reasons() -> None:
    rows = {row.name: row for row in davit.devices()}
    assert rows["local-task"].available and rows["local-sync"].available
    assert all(row.detail for row in rows.values())
    with pytest.raises(davit.ExecutionError, match="did you mean 'local-task'"):
        davit.compile(PROGRAM, device="local-tasks")
    with pytest.raises(davit.ExecutionError, match="threads is 0"):
        davit.compile(PROGRAM, threads=0)
    with pytest.raises(davit.ExecutionError, match="compiled for 'cpu' and cannot run on 'vulkan'"):
        davit.compile(PROGRAM, device="vulkan")


def test_a_program_for_another_machine_can_be_saved(tmp_path: Path) -> None:
    exe = davit.compile(PROGRAM, "cuda")
    exe.save(tmp_path / "gpu.davit")
    if {row.name: row for row in davit.devices()}["cuda"].available:
        return
    with pytest.raises(davit.ExecutionError, match="device 'cuda' cannot be opened"):
        exe.run([ROWS, NUMBER])
    with pytest.raises(davit.ExecutionError, match="device 'cuda' cannot be opened"):
        davit.load(tmp_path / "gpu.davit", device="cuda")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
def test_after_a_fork(exe: davit.Executable) -> None:
    """The child cannot use the parent's device, says so, and opens its own."""
    code = """
import os, sys, numpy as np, davit
text = sys.stdin.read()
exe = davit.compile(text)
x, n = np.ones((1, 3), np.float32), np.array(1, np.int32)
exe.run([x, n])
if (child := os.fork()) == 0:
    try:
        exe.run([x, n])
    except davit.ExecutionError as e:
        assert "forked" in str(e)
        assert (davit.compile(text)(x, n)[0] == 2).all()
        os._exit(0)
    os._exit(1)
assert os.waitpid(child, 0)[1] == 0
assert (davit.compile(text)(x, n)[0] == 2).all()
"""
    subprocess.run([sys.executable, "-P", "-c", code], input=PROGRAM, text=True, timeout=120, check=True)
