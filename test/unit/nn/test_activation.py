"""Activations and ONNX's own flavours of elementwise operators, on values where formulas go wrong."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import onnx
import pytest

import davit

X = np.array(
    [0.0, -0.0, 1e-6, -1e-6, 0.3, -0.3, 1.0, -1.0, 2.5, -2.5, 7.0, -7.0, 20.0, -20.0, 90.0, -90.0, 1e4, -1e4,
     np.inf, -np.inf, np.nan],
)  # fmt: skip


def _softplus(x):
    return np.logaddexp(x, 0)


def _sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))


def _erf(x):
    return np.vectorize(math.erf)(x)


# operator (with attributes) -> the function in float64
ACTIVATIONS = {
    "Relu": lambda x: np.maximum(x, 0),
    "LeakyRelu<alpha=0.125>": lambda x: np.where(x < 0, 0.125 * x, x),
    "ThresholdedRelu<alpha=0.4375>": lambda x: np.where(np.isnan(x), 0, np.where(x > 0.4375, x, 0)),
    "HardSigmoid<alpha=0.25, beta=0.375>": lambda x: np.clip(0.25 * x + 0.375, 0, 1),
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "Shrink<bias=0.5, lambd=1.5>": lambda x: np.where(
        np.isnan(x), 0, np.where(x < -1.5, x + 0.5, np.where(x > 1.5, x - 0.5, 0))
    ),
    "Elu<alpha=2.0>": lambda x: np.where(x > 0, x, 2 * np.expm1(x)),
    "Celu<alpha=0.5>": lambda x: np.maximum(x, 0) + np.minimum(0, 0.5 * np.expm1(x / 0.5)),
    "Selu<alpha=1.5, gamma=1.25>": lambda x: 1.25 * np.where(x > 0, x, 1.5 * np.expm1(x)),
    "Softplus": _softplus,
    "Mish": lambda x: x * np.tanh(_softplus(x)),
    "Sigmoid": _sigmoid,
    "Softsign": lambda x: x / (1 + np.abs(x)),
    "Swish<alpha=1.5>": lambda x: x * _sigmoid(1.5 * x),
    "Gelu": lambda x: x / 2 * (1 + _erf(x / np.sqrt(2))),
    'Gelu<approximate="tanh">': lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "Tanh": np.tanh,
    "Erf": _erf,
    "Reciprocal": lambda x: 1 / x,
    "Round": np.rint,
    "Sign": np.sign,
}


def model(name: str, element: str, lines: dict[str, str], inputs: str) -> davit.Executable:
    """A program with one output per line: output name -> its ONNX text."""
    body = "\n".join(lines.values())
    outs = ", ".join(f"{element} {out}" for out in lines)
    return davit.compile(
        onnx.parser.parse_model(f'<ir_version: 12, opset_import: ["": 24]> {name} ({inputs}) => ({outs}) {{ {body} }}')
    )


@pytest.mark.parametrize(
    ("element", "dt", "rtol"),
    [("float", np.float32, 3e-6), ("double", np.float64, 1e-14), ("float16", np.float16, 2e-3),
     ("bfloat16", ml_dtypes.bfloat16, 1e-2)],
)  # fmt: skip
def test_activations(element: str, dt: type, rtol: float) -> None:
    lines = {}
    chosen = {k: f for k, f in ACTIVATIONS.items() if element != "bfloat16" or not k.startswith("Shrink")}
    for i, text in enumerate(chosen):
        kind, _, attrs = text.partition("<")
        lines[f"y{i}"] = f"y{i} = {kind} {'<' + attrs if attrs else ''} (x)"
    exe = model("activations", f"{element}[n]", lines, f"{element}[n] x")
    with np.errstate(all="ignore"):
        x = X.astype(dt)
        got = exe.run([x])
        for i, (text, fn) in enumerate(chosen.items()):
            want = fn(x.astype(np.float64)).astype(dt).astype(np.float64)
            np.testing.assert_allclose(got[f"y{i}"].astype(np.float64), want, rtol=rtol, atol=1e-7, err_msg=text)


def test_clip_with_crossing_bounds_and_nan() -> None:
    exe = model("g", "float[n]", {"y": "y = Clip(x, low, high)"}, "float[n] x, float low, float high")
    x = np.array([-5, 0, 5, np.nan], np.float32)
    np.testing.assert_array_equal(
        exe.run([x, np.float32(-1), np.float32(1)])["y"], np.array([-1, 0, 1, np.nan], np.float32)
    )
    np.testing.assert_array_equal(exe.run([x, np.float32(2), np.float32(1)])["y"][:3], np.array([1, 1, 1], np.float32))


def test_integer_division_never_traps() -> None:
    """By zero and MIN by -1: a value comes out, and the process lives."""
    exe = model(
        "g",
        "int32[n]",
        {"q": "q = Div(a, b)", "m": "m = Mod(a, b)", "f": "f = Mod<fmod=1>(a, b)"},
        "int32[n] a, int32[n] b",
    )
    low = np.iinfo(np.int32).min
    a, b = np.array([7, -7, 7, low, low, 5, -5], np.int32), np.array([2, 2, -2, -1, 0, 0, 3], np.int32)
    out = exe.run([a, b])
    np.testing.assert_array_equal(out["q"], [3, -3, -3, low, 0, 0, -1])
    np.testing.assert_array_equal(out["m"], [1, 1, -1, 0, 0, 0, 1])
    np.testing.assert_array_equal(out["f"], [1, -1, 1, 0, 0, 0, -2])


def test_mod_of_floats() -> None:
    """The special cases that Mod-13's successor lists."""
    exe = model("g", "float[n]", {"m": "m = Mod(a, b)", "f": "f = Mod<fmod=1>(a, b)"}, "float[n] a, float[n] b")
    inf, nan = np.inf, np.nan
    a = np.array([5.5, -5.5, 5.5, 0.0, -0.0, inf, 1.0, 1.0, -1.0, 1.0, nan], np.float32)
    b = np.array([2.0, 2.0, -2.0, -3.0, 3.0, 2.0, 0.0, inf, inf, -inf, 1.0], np.float32)
    out = exe.run([a, b])
    want = np.array([1.5, 0.5, -0.5, -0.0, 0.0, nan, nan, 1.0, inf, -inf, nan], np.float32)
    np.testing.assert_array_equal(out["m"], want)
    np.testing.assert_array_equal(np.signbit(out["m"][3:5]), [True, False])
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(out["f"], np.fmod(a, b))


@pytest.mark.parametrize(
    ("x", "y"),
    [(np.int32, np.float32), (np.float32, np.int64), (np.int64, np.uint64), (np.float64, np.float32),
     (np.int32, np.int64), (np.float16, np.int32), (np.float32, np.uint8)],
)  # fmt: skip
def test_pow_of_two_types(x: type, y: type) -> None:
    names = {np.int32: "int32", np.int64: "int64", np.uint64: "uint64", np.uint8: "uint8", np.float32: "float",
             np.float64: "double", np.float16: "float16"}  # fmt: skip
    exe = model("g", f"{names[x]}[n]", {"z": "z = Pow(x, y)"}, f"{names[x]}[n] x, {names[y]}[n] y")
    a, b = np.array([2, 3, 5, 1, 0, 7], x), np.array([3, 2, 0, 9, 4, 1], y)
    np.testing.assert_allclose(
        exe.run([a, b])["z"], (a.astype(np.float64) ** b.astype(np.float64)).astype(x), rtol=1e-6
    )


def test_pow_with_exponents_beyond_64_bits_of_use() -> None:
    exe = model("g", "int64[n]", {"z": "z = Pow(x, y)"}, "int64[n] x, uint64[n] y")
    a = np.array([3, 2, -1, 5], np.int64)
    b = np.array([2**63 + 1, 2**63, 2**64 - 1, 2**62], np.uint64)
    want = [pow(3, 2**63 + 1, 2**64), 0, -1, pow(5, 2**62, 2**64)]
    np.testing.assert_array_equal(exe.run([a, b])["z"].view(np.uint64), np.array([w % 2**64 for w in want], np.uint64))


def test_bit_shifts_beyond_the_width() -> None:
    """BitShift-28: nothing is left but the fill."""
    exe = model(
        "g",
        "int8[n]",
        {"l": 'l = BitShift<direction="LEFT">(a, b)', "r": 'r = BitShift<direction="RIGHT">(a, b)'},
        "int8[n] a, int8[n] b",
    )
    a, b = np.array([-8, -8, 8, 64, -1], np.int8), np.array([1, 8, 9, 1, -1], np.int8)
    out = exe.run([a, b])
    np.testing.assert_array_equal(out["l"], np.array([-16, 0, 0, -128, 0], np.int8))
    np.testing.assert_array_equal(out["r"], np.array([-4, -1, 0, 32, -1], np.int8))


def test_hardmax_and_softmax_edges() -> None:
    exe = model(
        "g",
        "float[a, b]",
        {"h": "h = Hardmax<axis=0>(x)", "s": "s = Softmax(x)", "l": "l = LogSoftmax<axis=0>(x)"},
        "float[a, b] x",
    )
    x = np.array([[1, 5, 5], [1, 2, -1e4], [1e4, 5, 88]], np.float32)
    out = exe.run([x])
    np.testing.assert_array_equal(out["h"], [[0, 1, 0], [0, 0, 0], [1, 0, 1]])
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(out["s"], e / e.sum(1, keepdims=True), rtol=1e-5, atol=1e-30)
    z = x.astype(np.float64) - x.max(0, keepdims=True)
    np.testing.assert_allclose(out["l"], z - np.log(np.exp(z).sum(0, keepdims=True)), rtol=1e-5, atol=1e-6)


def test_strings_are_refused_with_a_sentence() -> None:
    for text in ("y = Cast<to=8>(x)",):
        with pytest.raises(davit.Error, match="strings have no device form"):
            davit.compile(
                onnx.parser.parse_model(
                    f'<ir_version: 10, opset_import: ["": 21]> g (float[n] x) => (string[n] y) {{ {text} }}'
                )
            )
