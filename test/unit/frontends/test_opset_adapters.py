"""Old models and their lifted forms compute the same.

The expected value is ONNX Runtime's for the old model where it still runs such models (opset 7 on, mostly), else
numpy's, written out here. The lifted model runs in ONNX Runtime as opset 28. The last test holds every registered
adapter to having been through here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper, parser
from onnx.reference import ReferenceEvaluator

from davit.compiler.frontends.onnx import load_model, names, opset
from davit.compiler.frontends.onnx.opset import SAME
from davit.compiler.frontends.onnx.signature import CHECKED, history

opset.load_families()
RNG = np.random.default_rng(7)


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


@dataclass
class Case:
    op: str
    version: int
    inputs: list[np.ndarray | None]
    expected: Callable[..., Any] | None = None
    outputs: int | list[str] = 1
    domain: str = ""
    constant: tuple[int, ...] = ()
    attrs: dict[str, Any] = field(default_factory=dict)
    name: str = ""

    def __str__(self) -> str:
        return f"{self.op}-{self.version}{'-' + self.name if self.name else ''}"

    def model(self) -> onnx.ModelProto:
        names = ["" if value is None else f"x{i}" for i, value in enumerate(self.inputs)]
        given = [(n, v) for n, v in zip(names, self.inputs, strict=True) if v is not None]
        fixed = {f"x{i}" for i in self.constant}
        outputs = [f"y{i}" for i in range(self.outputs)] if isinstance(self.outputs, int) else self.outputs
        node = helper.make_node(self.op, names, outputs, name="node", domain=self.domain, **self.attrs)
        graph = helper.make_graph(
            [node],
            "g",
            [
                helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
                for n, v in given
                if n not in fixed
            ],
            [onnx.ValueInfoProto(name=name) for name in outputs if name],
            [numpy_helper.from_array(v, n) for n, v in given if n in fixed],
        )
        imports = [helper.make_opsetid(self.domain, self.version)]
        if self.domain:
            imports.append(helper.make_opsetid("", 17))
        return helper.make_model(graph, opset_imports=imports, ir_version=8)

    def feeds(self) -> dict[str, np.ndarray]:
        return {
            f"x{i}": np.asarray(value)
            for i, value in enumerate(self.inputs)
            if value is not None and i not in self.constant
        }


CASES: list[Case] = []


def case(op: str, version: int, inputs: Any, expected: Any = None, *, name: str = "", **kw: Any) -> None:
    fields = {key: kw.pop(key) for key in ("outputs", "domain", "constant") if key in kw}
    inputs = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    CASES.append(Case(op, version, inputs, expected, attrs=kw, name=name, **fields))


X = floats(2, 3, 4, 5)
V = floats(3)
POSITIVE = np.abs(X) + np.float32(0.1)

# elementwise -------------------------------------------------------------------------------------------------
for op, fn in {
    "Abs": np.abs, "Ceil": np.ceil, "Exp": np.exp, "Floor": np.floor, "Neg": np.negative,
    "Reciprocal": np.reciprocal, "Tanh": np.tanh, "Relu": lambda x: np.maximum(x, 0),
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "LeakyRelu": lambda x: np.where(x < 0, np.float32(0.01) * x, x),
    "Elu": lambda x: np.where(x < 0, np.exp(x) - 1, x),
    "HardSigmoid": lambda x: np.clip(np.float32(0.2) * x + np.float32(0.5), 0, 1),
}.items():  # fmt: skip
    case(op, 1, X, fn, consumed_inputs=[0])
case("Log", 1, POSITIVE, np.log, consumed_inputs=[0])
case("Sqrt", 1, POSITIVE, np.sqrt, consumed_inputs=[0])
for op, fn in {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}.items():
    case(op, 1, (X, POSITIVE), fn, name="consumed", consumed_inputs=[0, 0])
    case(op, 1, (X, V), lambda a, b, fn=fn: fn(a, b[:, None, None]), name="axis", broadcast=1, axis=1)
    case(op, 6, (X, floats(3, 4)), lambda a, b, fn=fn: fn(a, b[:, :, None]), name="axis", broadcast=1, axis=1)
    case(op, 6, (X, floats(4, 5)), fn, name="suffix", broadcast=1)
    case(op, 6, (X, floats(1)), fn, name="single", broadcast=1, axis=1)
case("Add", 6, (X, floats(5)), np.add, name="last axis", broadcast=1, axis=-1)
for op, fn in {"And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor}.items():
    case(op, 1, (X > 0, V > 0), lambda a, b, fn=fn: fn(a, b[:, None, None]), broadcast=1, axis=1)
case("Equal", 1, (np.int64([[1, 2], [3, 4]]), np.int64([1, 4])), lambda a, b: a == b[:, None], broadcast=1, axis=0)
case("Greater", 1, (X, V), lambda a, b: a > b[:, None, None], broadcast=1, axis=1)
case("Less", 1, (X, X + 1), np.less)
case("Pow", 1, (POSITIVE, V), lambda a, b: a ** b[:, None, None], broadcast=1, axis=1)
for op, fn in {"Max": np.maximum, "Min": np.minimum, "Sum": np.add, "Mean": lambda a, b: (a + b) / 2}.items():
    case(op, 1, (X, POSITIVE), fn, consumed_inputs=[0, 0])
case("Clip", 1, X, lambda x: np.clip(x, -0.5, 0.25), consumed_inputs=[0], min=-0.5, max=0.25)
case("Clip", 6, X, name="both", min=-0.5, max=0.25)
case("Clip", 6, X, name="max", max=0.25)
case("Clip", 6, X, name="none")
case("Clip", 6, X.astype(np.float64), lambda x: np.clip(x, -0.5, None), name="double", min=-0.5)
case("PRelu", 1, (X, V), lambda x, s: np.where(x < 0, x * s[:, None, None], x), consumed_inputs=[0, 0])
case("PRelu", 6, (X, V), lambda x, s: np.where(x < 0, x * s[:, None, None], x), name="channel")
case("PRelu", 6, (X, floats(1)), lambda x, s: np.where(x < 0, x * s, x), name="single")
case("PRelu", 6, (floats(2, 3), V), lambda x, s: np.where(x < 0, x * s, x), name="matrix")
case(
    "Selu", 1, X,
    lambda x: np.where(x > 0, 1.0507 * x, 1.0507 * (1.6732 * np.exp(x) - 1.6732)).astype(np.float32),
    name="digits",
)  # fmt: skip
case("Selu", 1, X, lambda x: np.where(x > 0, x, np.exp(x) - 1), name="given", alpha=1.0, gamma=1.0, consumed_inputs=[0])
case("Cast", 1, X, lambda x: x.astype(np.float64), to="DOUBLE")
case("Cast", 1, X * 10, lambda x: x.astype(np.int32), name="lower", to="int32")
case("Cast", 6, X, to=TensorProto.DOUBLE)
case("Erf", 9, X)
case("Erf", 9, np.int32([-6, -3, 0, 2, 6]), lambda x: np.int32([-1, 0, 0, 0, 1]), name="int")

# structure ---------------------------------------------------------------------------------------------------
case("Reshape", 1, X, lambda x: x.reshape(2, 12, 5), shape=[0, -1, 5])
case("Reshape", 5, (X, np.int64([0, -1, 5])))
case("Squeeze", 1, floats(1, 3, 1, 2), name="some", axes=[0])
case("Squeeze", 11, floats(1, 3, 1, 2), name="negative", axes=[-2])
case("Squeeze", 1, floats(1, 3, 1, 2), name="all")
case("Unsqueeze", 1, V, name="front", axes=[0, 2])
case("Unsqueeze", 11, V, name="negative", axes=[-1])
case("Slice", 1, X, name="all", starts=[0, -2], ends=[1, 1000])
case("Slice", 1, X, name="axes", starts=[-3, 1], ends=[-1, 3], axes=[3, 2])
case("Slice", 9, X, starts=[1], ends=[2], axes=[1])
case("Pad", 1, X, lambda x: np.pad(x, ((0, 1), (2, 0), (0, 0), (1, 1))), paddings=[0, 2, 0, 1, 1, 0, 0, 1])
case("Pad", 2, X, name="value", pads=[0, 2, 0, 1, 1, 0, 0, 1], value=1.5)
case("Pad", 2, X.astype(np.float64), name="double", pads=[0, 0, 1, 0, 0, 0, 0, 0], value=0.1)
case("Pad", 2, X, name="reflect", pads=[0, 0, 1, 2, 0, 0, 3, 1], mode="reflect")
case("Pad", 2, X, name="crop", pads=[0, -1, 0, 0, 0, 0, 1, -2])
case("Split", 1, X, lambda x: np.split(x, [1, 3], 2), outputs=3, axis=2, split=[1, 2, 1])
case("Split", 1, (X, np.float32([1, 3])), lambda x, s: np.split(x, [1], 2), name="input", outputs=2, axis=2)
case("Split", 2, X, name="equal", outputs=2)
case("Split", 2, X, name="sizes", outputs=2, axis=3, split=[4, 1])
case("Split", 11, X, name="negative", outputs=4, axis=-2)
case("Split", 13, (X, np.int64([1, 2])), name="input", outputs=2, axis=1)
case("Split", 13, X, name="equal", outputs=3, axis=1)
case("Concat", 1, (X, X), lambda a, b: np.concatenate([a, b], 1), name="default")
case("Concat", 1, (X, X), lambda a, b: np.concatenate([a, b], 2), name="axis", axis=2)
case("Tile", 1, (X, np.float32(3), np.float32(2)), lambda x, n, a: np.tile(x, (1, 1, 3, 1)))
case("Tile", 1, (X, np.float32([2]), np.float32([0])), lambda x, n, a: np.tile(x, (2, 1, 1, 1)), name="vector")
case("Scatter", 9, (floats(3, 4), np.int64([[1, 0], [2, 2]]), floats(2, 2)), name="rows")
case("Scatter", 9, (floats(3, 4), np.int64([[1, 0], [2, 3]]), floats(2, 2)), name="columns", axis=1)

# reductions --------------------------------------------------------------------------------------------------
for op in (
    "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
    "ReduceSum", "ReduceSumSquare",
):  # fmt: skip
    case(op, 1, POSITIVE, name="axes", axes=[1, 3])
    case(op, 1, POSITIVE, name="all", keepdims=0)
    case(op, 11, POSITIVE, name="negative", axes=[-1], keepdims=0)
    case(op, 13, (POSITIVE, np.int64([2])) if op == "ReduceSum" else POSITIVE)
case("ReduceLogSum", 18, (POSITIVE, np.int64([1])), name="float")
case("ReduceLogSumExp", 18, (X, np.int64([1])), name="float", keepdims=0)
LARGE = np.int64([[100, 300], [20, 5]])
case("ReduceLogSum", 18, (LARGE, np.int64([1])), lambda x, a: np.log(x.sum(1)).astype(np.int64), name="int", keepdims=0)
case("ReduceLogSumExp", 18, LARGE, lambda x: np.int64([[300]]), name="int")
case("ReduceLogSum", 1, LARGE.astype(np.int32), lambda x: np.int32([[6]]), name="int")
case("TopK", 1, X, outputs=2, k=2)
case("TopK", 1, X, name="axis", outputs=2, k=3, axis=1)
case("TopK", 10, (X, np.int64([2])), outputs=2, axis=2)
case("ArgMax", 11, X, axis=2, keepdims=0)

# softmax -----------------------------------------------------------------------------------------------------
for op in ("Softmax", "LogSoftmax", "Hardmax"):
    case(op, 1, X, name="default")
    case(op, 7, X, name="axis 2", axis=2)
    case(op, 11, X, name="negative", axis=-1)
    case(op, 11, X, name="axis 0", axis=0)
    case(op, 11, floats(2, 6, 1, 1), name="image", axis=1)
    case(op, 11, floats(4), name="vector", axis=0)

# normalisation -----------------------------------------------------------------------------------------------
STATS = (V, floats(3), floats(3), np.abs(floats(3)) + np.float32(0.5))


def normalised(x, scale, bias, mean, var, eps=1e-5):
    shape = (1, -1) + (1,) * (x.ndim - 2)
    scale, bias, mean, var = (v.reshape(shape) for v in (scale, bias, mean, var))
    return (x - mean) / np.sqrt(var + np.float32(eps)) * scale + bias


def trained(x, scale, bias, mean, var, momentum=0.9):
    axes = (0, *range(2, x.ndim))
    now, spread = x.mean(axes), x.var(axes)
    running = [old * momentum + new * (1 - momentum) for old, new in ((mean, now), (var, spread))]
    return [normalised(x, scale, bias, now, spread), *running, now, spread]


case("BatchNormalization", 1, (X, *STATS), normalised, consumed_inputs=[0, 0, 0, 1, 1], is_test=1)
case("BatchNormalization", 6, (X, *STATS), normalised, name="test", is_test=1)
case("BatchNormalization", 6, (X, *STATS), trained, name="train", outputs=5)
case("BatchNormalization", 7, (X, *STATS), name="spatial", epsilon=0.01)
case("BatchNormalization", 7, (X, *STATS), trained, name="train", outputs=5)
case("BatchNormalization", 9, (X, *STATS), name="test")
case(
    "BatchNormalization",
    9,
    (X, *STATS),
    lambda *a: trained(*a, momentum=0.5)[:3],
    name="train",
    outputs=3,
    momentum=0.5,
)
case(
    "BatchNormalization",
    9,
    (X, *STATS),
    lambda *a: trained(*a)[:3],
    name="train saved",
    outputs=["y0", "y1", "y2", "", ""],
)
POINTS = tuple(floats(3, 4, 5) for _ in range(3)) + (np.abs(floats(3, 4, 5)) + np.float32(0.5),)
case(
    "BatchNormalization", 7, (X, *POINTS),
    lambda x, s, b, m, v: (x - m) / np.sqrt(v + np.float32(1e-5)) * s + b,
    name="points", spatial=0,
)  # fmt: skip
case("InstanceNormalization", 1, (X, V, V), lambda x, s, b: normalised_each(x, s, b), consumed_inputs=[0, 0, 0])


def normalised_each(x, scale, bias):
    mean, var = x.mean((2, 3), keepdims=True), x.var((2, 3), keepdims=True)
    return (x - mean) / np.sqrt(var + np.float32(1e-5)) * scale[:, None, None] + bias[:, None, None]


def grouped(x, scale, bias, groups, eps=1e-5):
    y = x.reshape(x.shape[0], groups, -1)
    y = (y - y.mean(2, keepdims=True)) / np.sqrt(y.var(2, keepdims=True) + eps)
    each = x.shape[1] // groups
    shape = (1, -1) + (1,) * (x.ndim - 2)
    return y.reshape(x.shape) * np.repeat(scale, each).reshape(shape) + np.repeat(bias, each).reshape(shape)


case("GroupNormalization", 18, (floats(2, 6, 3), floats(2), floats(2)), lambda *a: grouped(*a, 2), num_groups=2)
case(
    "GroupNormalization", 18, tuple(v.astype(np.float64) for v in (floats(2, 6, 3) * 1e3, floats(3), floats(3))),
    lambda *a: grouped(*a, 3), name="double", num_groups=3,
)  # fmt: skip
case("Dropout", 1, X, lambda x: x, consumed_inputs=[0], is_test=1)
case("Dropout", 6, X, lambda x: x, name="test", is_test=1)
case("Dropout", 6, X, lambda x: [x, np.ones_like(x)], name="ratio 0", outputs=2, ratio=0.0)
case("Dropout", 7, X, name="plain", ratio=0.3)
case("Dropout", 7, X, lambda x: [x, np.ones_like(x)], name="mask", outputs=2)
case("Dropout", 10, X, lambda x: [x, np.ones_like(x, bool)], outputs=2, ratio=0.3)

# pools and images --------------------------------------------------------------------------------------------
case("GlobalLpPool", 1, X, lambda x: np.sqrt((x * x).sum((2, 3), keepdims=True)), name="2")
case("GlobalLpPool", 1, X, lambda x: (np.abs(x) ** 1.5).sum((2, 3), keepdims=True) ** (1 / 1.5), name="1.5", p=1.5)
case("LpPool", 1, floats(1, 2, 4), lambda x: np.abs(x[..., :-1]) + np.abs(x[..., 1:]), kernel_shape=[2], p=1.0)
case("LpPool", 2, floats(1, 2, 4), kernel_shape=[2])
case("AveragePool", 1, X, lambda x: (x[..., :-1] + x[..., 1:]) / 2, kernel_shape=[1, 2])
case("AveragePool", 7, X, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1)
case("MaxPool", 1, X, kernel_shape=[2, 3], strides=[2, 1])
case("MaxPool", 8, X, outputs=2, kernel_shape=[2, 2])
ROIS = (floats(1, 2, 6, 6), np.float32([[0.5, 0.5, 4.5, 3.5], [1, 2, 5, 5]]), np.int64([0, 0]))
case("RoiAlign", 10, ROIS, output_height=3, output_width=2, sampling_ratio=2)
case("Upsample", 1, floats(1, 1, 2, 2), lambda x: x.repeat(2, 2).repeat(3, 3), height_scale=2.0, width_scale=3.0)
case(
    "Upsample", 1, np.float32([[[[0, 1]]]]), lambda x: np.float32([[[[0, 0.5, 1, 1]]]]), name="linear",
    height_scale=1.0, width_scale=2.0, mode="bilinear",
)  # fmt: skip
IMAGE = floats(1, 2, 3, 5)
for version, op in ((7, "Upsample"), (9, "Upsample"), (10, "Resize")):
    for mode in ("nearest", "linear"):
        for label, scales in {"up": [1, 1, 2, 1.7], "down": [1, 1, 0.6, 0.5], "both": [1, 1, 2.5, 0.6]}.items():
            if op == "Upsample" and label != "up":
                continue
            values = np.float32(scales)
            if version == 7:
                case(op, 7, IMAGE, name=f"{mode} {label}", mode=mode, scales=scales)
            else:
                case(op, version, (IMAGE, values), name=f"{mode} {label}", mode=mode, constant=(1,))
                case(op, version, (IMAGE, values), name=f"{mode} {label} at run time", mode=mode)
EMPTY = np.zeros(0, np.float32)
case("Resize", 11, (IMAGE, EMPTY, np.float32([1, 1, 2, 1.5])), name="scales", constant=(1, 2), mode="linear")
case("Resize", 11, (IMAGE, EMPTY, EMPTY, np.int64([1, 2, 7, 4])), name="sizes", constant=(1, 2), mode="cubic")
for rounding in ("floor", "round_prefer_floor"):
    case(
        "Resize", 11, (IMAGE, EMPTY, np.float32([1, 1, 1.6, 2.3])), name=f"tf {rounding}", constant=(1, 2),
        coordinate_transformation_mode="tf_half_pixel_for_nn", nearest_mode=rounding,
        # x = (i + 0.5) / scale as it stands, rounded, and kept inside
        expected=lambda x, r, s, rounding=rounding: x[..., rows(3, 1.6, rounding), :][..., rows(5, 2.3, rounding)],
    )  # fmt: skip
case(
    "Resize", 11, (IMAGE, np.float32([0, 0, 0.1, 0.2, 1, 1, 0.9, 0.8]), np.float32([1, 1, 2, 2])), name="crop",
    constant=(2,), mode="linear", coordinate_transformation_mode="tf_crop_and_resize",
)  # fmt: skip
case("Resize", 13, (IMAGE, EMPTY, EMPTY, np.int64([1, 2, 7, 4])), name="empty", constant=(1, 2))
case("Resize", 18, (IMAGE, EMPTY, np.float32([1, 1, 2, 2])), name="empty", constant=(1,))


def rows(size, scale, rounding):
    x = (np.arange(int(size * scale)) + 0.5) / scale
    return np.clip(np.floor(x) if rounding == "floor" else np.ceil(x - 0.5), 0, size - 1).astype(int)


GRID = RNG.uniform(-1.2, 1.2, (2, 3, 2, 2)).astype(np.float32)
for mode in ("bilinear", "bicubic", "nearest"):
    case("GridSample", 16, (X, GRID), name=mode, mode=mode)
case("GridSample", 16, (X, GRID), name="default", padding_mode="border")

# contractions, recurrent networks, the rest ------------------------------------------------------------------
case("Gemm", 1, (floats(2, 3), floats(3, 4), floats(4)), lambda a, b, c: a @ b + c, broadcast=1)
case("Gemm", 6, (floats(2, 3), floats(3, 4), floats(2, 4)), lambda a, b, c: 2 * (a @ b) + c, alpha=2.0)
case("Gemm", 6, (floats(3, 2), floats(3, 4), floats(1)), lambda a, b, c: a.T @ b + c, name="t", transA=1, broadcast=1)
case("DFT", 17, floats(2, 5, 3, 1), name="default")
case("DFT", 17, floats(2, 5, 3, 2), name="axis", axis=2, inverse=1)
RNN = (floats(4, 2, 3), floats(1, 5, 3), floats(1, 5, 5))
LSTM = (floats(4, 2, 3), floats(1, 20, 3), floats(1, 20, 5))
GRU = (floats(4, 2, 3), floats(1, 15, 3), floats(1, 15, 5))


def same_as(op: str, version: int, **attrs: Any) -> Callable[..., Any]:
    """What ONNX Runtime makes of a later version, whose form was the same but for the attribute that went."""
    return lambda *inputs: run(Case(op, version, list(inputs), outputs=2, attrs=attrs).model(), feed(inputs))


def feed(inputs: Any) -> dict[str, np.ndarray]:
    return {f"x{i}": value for i, value in enumerate(inputs)}


case("RNN", 1, RNN, same_as("RNN", 7, hidden_size=5), outputs=2, hidden_size=5, output_sequence=1)
case("LSTM", 1, LSTM, same_as("LSTM", 7, hidden_size=5), outputs=2, hidden_size=5, output_sequence=1)
case("GRU", 1, GRU, same_as("GRU", 7, hidden_size=5), outputs=2, hidden_size=5, direction="foward")
case(
    "GRU", 3, GRU, same_as("GRU", 7, hidden_size=5, direction="reverse", linear_before_reset=1), outputs=2,
    hidden_size=5, direction="reverse", output_sequence=1, linear_before_reset=1,
)  # fmt: skip
for op, arguments in (("RNN", RNN), ("LSTM", LSTM), ("GRU", GRU)):
    case(op, 7, arguments, outputs=2, hidden_size=5)
ML = "ai.onnx.ml"
case(
    "LabelEncoder", 1, np.array(["b", "c", "a", "b"]), name="encode", domain=ML, classes_strings=["a", "b"],
    default_int64=-7,
)  # fmt: skip
case("LabelEncoder", 1, np.int64([1, 0, 5]), name="decode", domain=ML, classes_strings=["a", "b"], default_string="?")


def run(model: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Runs a model in ONNX Runtime, or in onnx's reference where that lacks a kernel."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented:
        assert model.opset_import[0].version == CHECKED[""], "onnx's reference is no oracle for old opsets"
        if model.graph.node[0].op_type == "GlobalLpPool":  # neither has it; version 22 only added a type to version 2
            older = onnx.ModelProto.FromString(model.SerializeToString())
            older.opset_import[0].version = 21
            return run(older, feeds)
        return ReferenceEvaluator(model).run(None, feeds)
    return session.run(None, feeds)


def lifted(model: onnx.ModelProto) -> onnx.ModelProto:
    loaded = load_model(model)
    opset.lift(loaded)
    return loaded.proto


def agree(wanted: Any, got: list[np.ndarray]) -> None:
    wanted = wanted if isinstance(wanted, list | tuple) else [wanted]
    assert len(wanted) == len(got)
    for want, have in zip(wanted, got, strict=True):
        assert np.asarray(want).shape == have.shape
        if have.dtype.kind in "OU":
            assert np.array_equal(np.asarray(want, object), np.asarray(have, object))
        else:
            np.testing.assert_allclose(have, np.asarray(want), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_lifted_computes_what_the_old_model_did(case: Case):
    model = case.model()
    if case.expected is None:
        wanted: Any = run(model, case.feeds())
    else:
        wanted = case.expected(*(value for value in case.inputs if value is not None))
    new = lifted(model)
    agree(wanted, run(new, case.feeds()))


def test_dropout_of_old_drops_at_random_when_training():
    model = Case("Dropout", 6, [np.ones((50, 200), np.float32)], outputs=2, attrs={"ratio": 0.25}).model()
    y, mask = run(lifted(model), {"x0": np.ones((50, 200), np.float32)})
    assert mask.dtype == np.float32
    np.testing.assert_allclose(y, mask / np.float32(0.75), rtol=1e-6)
    assert abs(mask.mean() - 0.75) < 0.03


SCAN = """
<ir_version: 8, opset_import: ["" : 8]>
g ({lens}float[2,3] start, float[2,4,3] values) => (float[2,3] last, float[2,4,3] sums)
{{
  [the_scan] last, sums = Scan <num_scan_inputs = 1{directions}, body = b (float[3] state, float[3] element)
    => (float[3] next, float[3] out) {{
      next = Add(state, element)
      out = Mul(next, element)
    }}>({first}start, values)
}}
"""


@pytest.mark.parametrize("lengths", [None, [4, 4], [2, 3], [1, 4]])
@pytest.mark.parametrize("backward", [False, True])
def test_scan_of_opset_8_had_a_batch(lengths, backward):
    text = SCAN.format(
        lens="int64[2] lens, " if lengths else "", first="lens, " if lengths else '"", ',
        directions=", directions = [1]" if backward else "",
    )  # fmt: skip
    model = parser.parse_model(text)
    start, values = floats(2, 3), floats(2, 4, 3)
    feeds = {"start": start, "values": values}
    if lengths:
        feeds["lens"] = np.int64(lengths)
    last, sums = run(lifted(model), feeds)
    for batch in range(2):
        count = lengths[batch] if lengths else 4
        order = range(count)[::-1] if backward else range(count)
        state = start[batch]
        for place, index in enumerate(order):
            state = state + values[batch, index]
            np.testing.assert_allclose(sums[batch, place], state * values[batch, index], rtol=1e-5)
        np.testing.assert_allclose(last[batch], state, rtol=1e-5)


def test_nodes_inside_branches_are_lifted_with_their_types():
    model = parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 11]>
        g (bool c, float[2,3,4] x) => (float[2,3,4] y)
        {
          h = Softmax <axis = 1> (x)
          y = If (c) <
            then_branch = t () => (float[2,3,4] r) { s = Softmax <axis = 2> (h)  r = Clip(s) },
            else_branch = e () => (float[2,3,4] r) { m = ReduceMax <axes = [1]> (h)  r = Add(h, m) }>
        }
    """)
    loaded = load_model(model)
    names.unique_names(loaded.graph)
    opset.lift(loaded)
    x = floats(2, 3, 4)
    for c in (np.array(True), np.array(False)):
        agree(run(model, {"c": c, "x": x}), run(loaded.proto, {"c": c, "x": x}))


def passed(op: str, domain: str, version: int) -> set[tuple[str, str, int]]:
    """The adapters that a node of this version goes through."""
    form = max(v for v in history()[domain, op] if v <= version)
    found = set()
    while True:
        entries = [e for e in opset.REGISTRY.get((domain, op), ()) if e.since <= form <= e.until]
        if entries and not isinstance(entries[0].action, SAME):
            found.add((domain, op, entries[0].since))
        following = opset.next_form(domain, op, entries[0].until if entries else form)
        if following is None:
            return found
        form = following


def test_every_adapter_was_tried():
    tried = {("", "Scan", 8)}
    for each in CASES:
        tried |= passed(each.op, each.domain, each.version)
    registered = {
        (domain, op, entry.since)
        for (domain, op), entries in opset.REGISTRY.items()
        for entry in entries
        if not isinstance(entry.action, SAME)
    }
    assert not registered - tried, sorted(registered - tried)
