"""Train the digits network that davit ships, from scratch, in numpy, and write it as ONNX.

Usage: ``python examples/digits/train.py [FOLDER]`` (default: davit/data of this checkout). Needs numpy, onnx and
scikit-learn, whose bundled copy of the UCI digits is the data: 1,797 images of 8 x 8 pixels with values 0 to 16.

The network: Mul (to 0..1), Conv 3x3, Relu, MaxPool, Conv 3x3, Relu, Flatten, Gemm, Softmax; the batch is symbolic.
The last fifth of the rows is held back. It is never trained on, and no choice was made by looking at it: the number
of epochs and the learning rate are fixed below. Rows lie in the order of their writers, so the held-back digits
are mostly by hands that the network has not seen.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from numpy.lib.stride_tricks import sliding_window_view
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

HELD_BACK = 360
EPOCHS = 60
BATCH = 32
LEARNING_RATE = 2e-3
SEED = 0

Array = np.ndarray
Parameters = dict[str, Array]


def conv(x: Array, w: Array, b: Array) -> tuple[Array, Array]:
    """3x3 convolution, padding 1: x [n,c,h,w], w [o,c,3,3] -> y [n,o,h,w], and the windows for the backward step."""
    windows = sliding_window_view(np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), axis=(2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, w, optimize=True) + b[:, None, None], windows


def conv_backward(dy: Array, windows: Array, w: Array) -> tuple[Array, Array, Array]:
    """Gradients of conv: (dx, dw, db). dx is a convolution of dy with the kernel turned around."""
    dw = np.einsum("nohw,nchwij->ocij", dy, windows, optimize=True)
    turned = w[:, :, ::-1, ::-1].transpose(1, 0, 2, 3)
    dx, _ = conv(dy, turned, np.zeros(turned.shape[0], dy.dtype))
    return dx, dw, dy.sum((0, 2, 3))


def forward(p: Parameters, x: Array) -> tuple[Array, dict[str, Array]]:
    """Class scores [n,10] of images [n,1,8,8] in 0..1, and what the backward step needs."""
    kept: dict[str, Array] = {}
    y1, kept["windows1"] = conv(x, p["conv1.weight"], p["conv1.bias"])
    kept["relu1"] = np.maximum(y1, 0)
    n, c, h, w = y1.shape
    blocks = (
        kept["relu1"].reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(n, c, h // 2, w // 2, 4)
    )
    kept["winner"] = blocks.argmax(-1)
    y2, kept["windows2"] = conv(blocks.max(-1), p["conv2.weight"], p["conv2.bias"])
    kept["relu2"] = np.maximum(y2, 0)
    kept["flat"] = kept["relu2"].reshape(n, -1)
    return kept["flat"] @ p["fc.weight"].T + p["fc.bias"], kept


def gradients(p: Parameters, x: Array, labels: Array) -> Parameters:
    """Gradients of the mean cross-entropy."""
    scores, kept = forward(p, x)
    n = len(x)
    d = np.exp(scores - scores.max(1, keepdims=True))
    d /= d.sum(1, keepdims=True)
    d[np.arange(n), labels] -= 1
    d /= n
    g: Parameters = {"fc.weight": d.T @ kept["flat"], "fc.bias": d.sum(0)}
    d2 = (d @ p["fc.weight"]).reshape(kept["relu2"].shape) * (kept["relu2"] > 0)
    dpool, g["conv2.weight"], g["conv2.bias"] = conv_backward(d2, kept["windows2"], p["conv2.weight"])
    blocks = (np.arange(4) == kept["winner"][..., None]) * dpool[..., None]
    c, h, w = blocks.shape[1:4]
    d1 = blocks.reshape(n, c, h, w, 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(n, c, 2 * h, 2 * w)
    _, g["conv1.weight"], g["conv1.bias"] = conv_backward(d1 * (kept["relu1"] > 0), kept["windows1"], p["conv1.weight"])
    return g


def shifted(x: Array, rng: np.random.Generator) -> Array:
    """Each image moved by up to one pixel: the same digit, written a little elsewhere."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    moves = rng.integers(0, 3, (len(x), 2))
    return np.stack([padded[i, :, r : r + 8, c : c + 8] for i, (r, c) in enumerate(moves)])


def train(x: Array, labels: Array) -> Parameters:
    """Adam with a learning rate that falls to zero along a cosine."""
    rng = np.random.default_rng(SEED)

    def normal(*shape: int) -> Array:
        fan_in = int(np.prod(shape[1:]))
        return (rng.standard_normal(shape) * np.sqrt(2 / fan_in)).astype(np.float32)

    p: Parameters = {
        "conv1.weight": normal(16, 1, 3, 3),
        "conv1.bias": np.zeros(16, np.float32),
        "conv2.weight": normal(32, 16, 3, 3),
        "conv2.bias": np.zeros(32, np.float32),
        "fc.weight": normal(10, 32 * 4 * 4),
        "fc.bias": np.zeros(10, np.float32),
    }
    mean = {k: np.zeros_like(v) for k, v in p.items()}
    square = {k: np.zeros_like(v) for k, v in p.items()}
    steps = EPOCHS * (len(x) // BATCH)
    step = 0
    for _ in range(EPOCHS):
        order = rng.permutation(len(x))[: len(x) // BATCH * BATCH]
        for rows in order.reshape(-1, BATCH):
            step += 1
            rate = LEARNING_RATE * 0.5 * (1 + np.cos(np.pi * step / steps))
            for k, g in gradients(p, shifted(x[rows], rng), labels[rows]).items():
                mean[k] += 0.1 * (g - mean[k])
                square[k] += 0.001 * (g * g - square[k])
                p[k] -= (rate * (mean[k] / (1 - 0.9**step)) / (np.sqrt(square[k] / (1 - 0.999**step)) + 1e-8)).astype(
                    p[k].dtype
                )
    return p


def to_onnx(p: Parameters) -> onnx.ModelProto:
    """The trained network with a symbolic batch, raw pixel values in, probabilities out."""
    nodes = [
        helper.make_node("Mul", ["pixels", "scale"], ["scaled"], name="input/scale"),
        helper.make_node("Conv", ["scaled", "conv1.weight", "conv1.bias"], ["c1"], name="features/conv1", pads=[1] * 4),
        helper.make_node("Relu", ["c1"], ["r1"], name="features/relu1"),
        helper.make_node("MaxPool", ["r1"], ["m1"], name="features/pool", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Conv", ["m1", "conv2.weight", "conv2.bias"], ["c2"], name="features/conv2", pads=[1] * 4),
        helper.make_node("Relu", ["c2"], ["r2"], name="features/relu2"),
        helper.make_node("Flatten", ["r2"], ["flat"], name="classifier/flatten"),
        helper.make_node("Gemm", ["flat", "fc.weight", "fc.bias"], ["scores"], name="classifier/fc", transB=1),
        helper.make_node("Softmax", ["scores"], ["probabilities"], name="classifier/softmax"),
    ]
    graph = helper.make_graph(
        nodes,
        "digits",
        [helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["batch", 1, 8, 8])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["batch", 10])],
        [numpy_helper.from_array(np.float32(1 / 16), "scale"), *(numpy_helper.from_array(v, k) for k, v in p.items())],
    )
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", 21)],
        ir_version=10,
        producer_name="davit examples/digits/train.py",
        doc_string="Handwritten digits, trained on the UCI digits (CC BY 4.0) that scikit-learn bundles.",
    )
    onnx.checker.check_model(model, full_check=True)
    return model


def main(folder: Path) -> None:
    data = load_digits()
    pixels, labels = data.images[:, None].astype(np.float32), data.target.astype(np.int64)
    parameters = train(pixels[:-HELD_BACK] / 16, labels[:-HELD_BACK])
    for name, rows in (("trained on", slice(None, -HELD_BACK)), ("held back", slice(-HELD_BACK, None))):
        scores, _ = forward(parameters, pixels[rows] / 16)
        print(f"accuracy, {len(labels[rows])} rows {name}: {(scores.argmax(1) == labels[rows]).mean():.4f}")
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(to_onnx(parameters), folder / "digits.onnx")
    np.savez_compressed(folder / "digits_heldout.npz", pixels=pixels[-HELD_BACK:], labels=labels[-HELD_BACK:])
    print(f"wrote {folder / 'digits.onnx'} ({(folder / 'digits.onnx').stat().st_size:,} bytes) and digits_heldout.npz")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "davit" / "data")
