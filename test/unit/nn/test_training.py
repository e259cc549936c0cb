"""Losses and optimisers with sizes known only at run time: compiled against ONNX's reference evaluator."""

from __future__ import annotations

import itertools

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

import davit


def compare(text: str, inputs: list[np.ndarray], rtol: float = 1e-5) -> dict[str, np.ndarray]:
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": 22, "ai.onnx.preview.training": 1]> {text}')
    got = davit.compile(model).run(inputs)
    want = ReferenceEvaluator(model).run(None, dict(zip([i.name for i in model.graph.input], inputs, strict=True)))
    for (name, g), w in zip(got.items(), want, strict=True):
        assert g.dtype == w.dtype and g.shape == w.shape, name
        np.testing.assert_allclose(g, w, rtol=rtol, atol=1e-6, err_msg=name)
    return got


def test_losses() -> None:
    """All reductions, with and without weights and ignored targets; an ignored target may lie outside the classes."""
    rng = np.random.default_rng(0)
    lines, outs = [], []
    for i, (how, weight, ignore) in enumerate(itertools.product(("none", "sum", "mean"), ("", ", w"), (None, -7))):
        attrs = f'reduction="{how}"' + ("" if ignore is None else f", ignore_index={ignore}")
        labels = "t" if ignore is None else "ti"
        lines.append(f"n{i} = NegativeLogLikelihoodLoss<{attrs}>(x, {labels}{weight})")
        lines.append(f"s{i}, p{i} = SoftmaxCrossEntropyLoss<{attrs}>(x, {labels}{weight})")
        shape = "[n, d]" if how == "none" else ""
        outs += [f"float{shape} n{i}", f"float{shape} s{i}", f"float[n, c, d] p{i}"]
    t = rng.integers(0, 5, (3, 4))
    ignored = np.where(rng.random((3, 4)) < 0.3, -7, t)
    compare(
        f"""g (float[n, c, d] x, int64[n, d] t, int64[n, d] ti, float[c] w) => ({", ".join(outs)}) {{
          {" ".join(lines)} }}""",
        [rng.standard_normal((3, 5, 4)).astype(np.float32), t, ignored, rng.random(5).astype(np.float32)],
    )


def test_ignored_infinite_loss_counts_nothing() -> None:
    model = onnx.parser.parse_model(
        """<ir_version: 10, opset_import: ["": 22]> g (float[n, c] x, int64[n] t) => (float y) {
          y = NegativeLogLikelihoodLoss<ignore_index=0>(x, t) }"""
    )
    x = np.array([[-np.inf, -1.0], [-2.0, -3.0]], np.float32)
    assert davit.compile(model).run([x, np.array([0, 1])])["y"] == 3.0


def test_targets_outside_the_classes_are_safe() -> None:
    """No meaning, but nothing outside the tensor is read."""
    model = onnx.parser.parse_model(
        """<ir_version: 10, opset_import: ["": 22]> g (float[n, c] x, int64[n] t, float[c] w) => (float[n] y) {
          y = NegativeLogLikelihoodLoss<reduction="none">(x, t, w) }"""
    )
    x, w = np.zeros((3, 2), np.float32), np.ones(2, np.float32)
    assert davit.compile(model).run([x, np.array([2**40, -(2**40), 5]), w])["y"].shape == (3,)


def test_optimisers() -> None:
    """Two tensors at once, at the first step and later."""
    rng = np.random.default_rng(1)
    x1, g1, v1, h1 = (rng.random((2, 3)).astype(np.float32) for _ in range(4))
    x2, g2, v2, h2 = (rng.random(4).astype(np.float32) for _ in range(4))
    text = """g (float r, int64 t, float[a, b] x1, float[c] x2, float[a, b] g1, float[c] g2,
          float[a, b] v1, float[c] v2, float[a, b] h1, float[c] h2)
        => (float[a, b] ax1, float[c] ax2, float[a, b] av1, float[c] av2, float[a, b] ah1, float[c] ah2,
            float[a, b] dx1, float[c] dx2, float[a, b] dh1, float[c] dh2,
            float[a, b] mx1, float[c] mx2, float[a, b] mv1, float[c] mv2,
            float[a, b] nx1, float[c] nx2, float[a, b] nv1, float[c] nv2) {
          ax1, ax2, av1, av2, ah1, ah2 = ai.onnx.preview.training.Adam
            <norm_coefficient=0.01, alpha=0.9, beta=0.99, epsilon=0.01>(r, t, x1, x2, g1, g2, v1, v2, h1, h2)
          dx1, dx2, dh1, dh2 = ai.onnx.preview.training.Adagrad
            <norm_coefficient=0.01, decay_factor=0.1, epsilon=0.01>(r, t, x1, x2, g1, g2, h1, h2)
          mx1, mx2, mv1, mv2 = ai.onnx.preview.training.Momentum
            <norm_coefficient=0.01, alpha=0.9, beta=0.5, mode="standard">(r, t, x1, x2, g1, g2, v1, v2)
          nx1, nx2, nv1, nv2 = ai.onnx.preview.training.Momentum
            <norm_coefficient=0.01, alpha=0.9, beta=0.5, mode="nesterov">(r, t, x1, x2, g1, g2, v1, v2)
        }"""
    for step in (0, 3):
        compare(text, [np.array(0.1, np.float32), np.array(step), x1, x2, g1, g2, v1, v2, h1, h2])
