"""The network that davit ships is what its README says: trained, small, with a symbolic batch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime

import davit

DATA = Path(davit.__file__).parent / "data"


def test_accuracy_on_the_rows_it_was_not_trained_on() -> None:
    held_back = np.load(DATA / "digits_heldout.npz")
    session = onnxruntime.InferenceSession(DATA / "digits.onnx")
    (probabilities,) = session.run(None, {"pixels": held_back["pixels"]})
    right = int((probabilities.argmax(1) == held_back["labels"]).sum())
    assert (right, len(held_back["labels"])) == (350, 360)


def test_the_model_is_valid_small_and_has_a_symbolic_batch() -> None:
    path = DATA / "digits.onnx"
    assert path.stat().st_size < 200_000
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    assert model.opset_import[0].version >= 21
    assert model.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "batch"
    assert all(node.name for node in model.graph.node)
