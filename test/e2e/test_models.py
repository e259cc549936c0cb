"""Whole models against ONNX Runtime: compile and run, then save and load in another process.

The models are those that ship in this repository, those that packages of the registry carry (DAVIT_TEST_MODELS,
see test/support/fetch_models.py), and any in the folder DAVIT_MODELS, each with its ``<name>.inputs.npz`` if there is
one (otherwise inputs are drawn).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from model_inputs import draw

import davit

TOLERANCE = 1e-4
"""Largest allowed difference, relative to the largest magnitude of the output."""

ROOT = Path(__file__).resolve().parent.parent.parent


def found() -> list[Path]:
    paths = [ROOT / "davit" / "data" / "digits.onnx"]
    for variable in ("DAVIT_TEST_MODELS", "DAVIT_MODELS"):
        if folder := os.environ.get(variable):
            paths += sorted(Path(folder).rglob("*.onnx"))
    return paths


RUN_IN_ANOTHER_PROCESS = """
import sys, numpy as np, davit
exe = davit.load(sys.argv[1])
with np.load(sys.argv[2]) as f:
    outputs = exe.run({name: f[name] for name in f.files})
np.savez(sys.argv[3], **{f"o{i}": v for i, v in enumerate(outputs.values())})
"""


@pytest.mark.parametrize("path", found(), ids=lambda p: p.stem)
@pytest.mark.timeout(600)
def test_equals_onnxruntime(path: Path, tmp_path: Path) -> None:
    ort = pytest.importorskip("onnxruntime")
    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    exe = davit.compile(path)
    for seed in (0, 1):
        inputs = draw(path, session, seed)
        expected = session.run(None, inputs)
        results = exe.run(inputs)
        assert list(results) == [o.name for o in session.get_outputs()]
        for name, want in zip(results, expected, strict=True):
            compare(name, want, results[name])

    saved = tmp_path / "m.davit"
    exe.save(str(saved))
    np.savez(tmp_path / "in.npz", **inputs)
    command = [sys.executable, "-P", "-c", RUN_IN_ANOTHER_PROCESS, str(saved)]
    subprocess.run([*command, str(tmp_path / "in.npz"), str(tmp_path / "out.npz")], check=True, timeout=300)
    with np.load(tmp_path / "out.npz") as f:
        for i, (name, want) in enumerate(zip(results, expected, strict=True)):
            compare(name, want, f[f"o{i}"])


def compare(name: str, want: np.ndarray, got: np.ndarray) -> None:
    assert got.dtype == want.dtype, name
    assert got.shape == want.shape, name
    if want.dtype.kind in "biu":
        np.testing.assert_array_equal(got, want, err_msg=name)
        return
    scale = float(np.max(np.abs(want), initial=0.0)) or 1.0
    worst = float(np.max(np.abs(got.astype(np.float64) - want), initial=0.0))
    assert worst <= TOLERANCE * scale, f"{name}: differs by {worst:.3g}, the largest magnitude is {scale:.3g}"
