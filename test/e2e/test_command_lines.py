"""Bad input on the command line: one paragraph on stderr that names file and node, exit code 1, no traceback."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import davit

DIGITS = Path(davit.__file__).parent / "data" / "digits.onnx"


def tool(name: str, *arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", f"davit.tools.{name}", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)


def save(path: Path, nodes: list, initializers: list = ()) -> Path:  # type: ignore[assignment]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])],
        list(initializers),
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    path.write_bytes(model.SerializeToString())
    return path


def truncated(folder: Path) -> Path:
    path = folder / "m.onnx"
    path.write_bytes(DIGITS.read_bytes()[:1000])
    return path


def unknown_op(folder: Path) -> Path:
    return save(folder / "m.onnx", [helper.make_node("Relup", ["x"], ["y"], "blk/7")])


def wrong_dtype(folder: Path) -> Path:
    whole = numpy_helper.from_array(np.ones(2, np.int64), "k")
    return save(folder / "m.onnx", [helper.make_node("Add", ["x", "k"], ["y"], "blk/add")], [whole])


def cyclic(folder: Path) -> Path:
    nodes = [helper.make_node("Add", ["x", "b"], ["a"], "blk/a"), helper.make_node("Relu", ["a"], ["b"], "blk/b")]
    return save(folder / "m.onnx", [*nodes, helper.make_node("Relu", ["b"], ["y"], "out")])


def missing_external(folder: Path) -> Path:
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2], data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value="weights.bin")
    return save(folder / "m.onnx", [helper.make_node("Add", ["x", "w"], ["y"], "blk/add")], [weight])


def escaping_external(folder: Path) -> Path:
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2], data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value="../../etc/passwd")
    return save(folder / "m.onnx", [helper.make_node("Add", ["x", "w"], ["y"], "blk/add")], [weight])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (truncated, ["m.onnx"]),
        (unknown_op, ["m.onnx", "blk/7", "Relup"]),
        (wrong_dtype, ["m.onnx", "blk/add", "Add"]),
        (cyclic, ["m.onnx", "blk/"]),
        (missing_external, ["m.onnx", "weights.bin", "'w'"]),
        (escaping_external, ["m.onnx", "passwd"]),
    ],
    ids=lambda p: getattr(p, "__name__", ""),
)
def test_bad_models(tmp_path: Path, make: Callable[[Path], Path], words: list[str]) -> None:
    path = make(tmp_path)
    before = sorted(tmp_path.iterdir())
    done = tool("compile", path, "-o", tmp_path / "m.davit", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ") and "Traceback" not in done.stderr and "\n\n" not in done.stderr.strip()
    for word in words:
        assert word in done.stderr
    assert sorted(tmp_path.iterdir()) == before
    assert "Traceback" in tool("compile", path, "-o", tmp_path / "m.davit", "--debug", cwd=tmp_path).stderr


def test_bad_inputs_to_run(tmp_path: Path) -> None:
    davit.compile(DIGITS).save(tmp_path / "d.davit")
    np.save(tmp_path / "wrong.npy", np.ones((2, 1, 8, 8)))
    np.save(tmp_path / "small.npy", np.ones((2, 1, 8, 7), np.float32))
    (tmp_path / "text.npy").write_text("no array")
    for file, words in (
        ("wrong.npy", "'pixels' is float64"),
        ("small.npy", "'pixels' has size 7 in dimension 3"),
        ("text.npy", "text.npy: is neither .npy nor .npz"),
        ("none.npy", "none.npy: cannot be read: No such file"),
        ("pixles=wrong.npy", "did you mean 'pixels'"),
    ):
        done = tool("run", "d.davit", "-i", file, cwd=tmp_path)
        assert done.returncode == 1 and words in done.stderr and "Traceback" not in done.stderr, done.stderr
    done = tool("run", "d.davit", "--random", "--save", "no/where.npz", cwd=tmp_path)
    assert done.returncode == 1 and "no/where.npz: cannot be written" in done.stderr


def test_a_model_runs_and_its_outputs_are_saved(tmp_path: Path) -> None:
    x = np.random.default_rng(0).random((3, 1, 8, 8), dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    done = tool("run", DIGITS, "-i", "pixels=x.npy", "--save", "out.npz", "--quiet", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout == "probabilities: float32[3, 10]\n", done.stderr
    with np.load(tmp_path / "out.npz") as f:
        np.testing.assert_allclose(f["probabilities"], davit.compile(DIGITS)(x), rtol=1e-5)
