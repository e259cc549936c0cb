"""Quantised operators with sizes known only at run time: compiled against ONNX's reference evaluator."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

import davit
from davit.dialects.types import dtype

F32 = np.float32


def compare(text: str, inputs: list[np.ndarray], *, steps: int = 0) -> None:
    """The compiled model agrees with the reference; integers may differ by ``steps`` (ties of a rounding)."""
    model = onnx.parser.parse_model(f'<ir_version: 13, opset_import: ["": 25]> {text}')
    got = list(davit.compile(model).run(inputs).values())
    want = ReferenceEvaluator(model).run(None, dict(zip([i.name for i in model.graph.input], inputs, strict=True)))
    for g, w in zip(got, want, strict=True):
        assert g.dtype == w.dtype and g.shape == w.shape
        if dtype(g.dtype).is_float:
            np.testing.assert_allclose(g.astype(np.float64), np.asarray(w).astype(np.float64), rtol=1e-6, atol=1e-6)
        else:
            assert np.abs(g.astype(np.int64) - np.asarray(w).astype(np.int64)).max(initial=0) <= steps


INTEGERS = ["int8", "uint8", "int16", "uint16", "int4", "uint4", "int2", "uint2"]
FLOATS = ["float8e4m3fn", "float8e5m2", "float8e4m3fnuz", "float8e5m2fnuz", "float4e2m1"]
NUMPY = {
    "float8e4m3fn": ml_dtypes.float8_e4m3fn, "float8e5m2": ml_dtypes.float8_e5m2,
    "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz, "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "float4e2m1": ml_dtypes.float4_e2m1fn, "int4": ml_dtypes.int4, "uint4": ml_dtypes.uint4,
    "int2": ml_dtypes.int2, "uint2": ml_dtypes.uint2,
}  # fmt: skip


def whole(rng: np.random.Generator, shape: tuple[int, ...], name: str) -> np.ndarray:
    dt = np.dtype(NUMPY.get(name, name))
    bits = dtype(dt).bits
    low, high = (0, 1 << bits) if name.startswith("u") else (-(1 << (bits - 1)), 1 << (bits - 1))
    return rng.integers(low, high, shape).astype(dt)


@pytest.mark.parametrize("name", INTEGERS)
def test_there_and_back(name: str) -> None:
    """Per tensor, per axis and per block."""
    rng = np.random.default_rng(5)
    inputs, heads, lines, outs = [(rng.standard_normal((2, 3, 5)) * 200).astype(F32)], ["float[i, j, k] x"], [], []
    for n, (shape, attrs) in enumerate((((), "axis=0"), ((3,), "axis=-2"), ((2, 3, 2), "axis=2, block_size=3"))):
        dims = "[" + ",".join(f"{d}{n}" for d in "abc"[: len(shape)]) + "]" if shape else ""
        inputs += [rng.uniform(0.5, 2, shape).astype(F32), whole(rng, shape, name)]
        heads += [f"float{dims} s{n}", f"{name}{dims} z{n}"]
        lines += [
            f"q{n} = QuantizeLinear<{attrs}>(x, s{n}, z{n})",
            f"y{n} = DequantizeLinear<{attrs}>(q{n}, s{n}, z{n})",
        ]
        outs += [f"{name}[i, j, k] q{n}", f"float[i, j, k] y{n}"]
    compare(f"g ({', '.join(heads)}) => ({', '.join(outs)}) {{ {' '.join(lines)} }}", inputs)


@pytest.mark.parametrize("name", FLOATS)
def test_small_floats(name: str) -> None:
    rng = np.random.default_rng(6)
    x = (rng.standard_normal((4, 6)) * 300).astype(F32)
    code = getattr(onnx.TensorProto, name.upper())
    compare(
        f"""g (float[i, j] x, float[j] s) => ({name}[i, j] q, float[i, j] y) {{
          q = QuantizeLinear<axis=1, output_dtype={code}>(x, s)
          y = DequantizeLinear<axis=1>(q, s)
        }}""",
        [x, rng.uniform(0.5, 2, 6).astype(F32)],
    )


def test_far_out_of_range_and_ties() -> None:
    """Halves go to even before the zero point is added; what is beyond the type stops at its end."""
    model = onnx.parser.parse_model(
        """<ir_version: 10, opset_import: ["": 21]> g (float[n] x, float s, uint8 z) => (uint8[n] q) {
          q = QuantizeLinear(x, s, z) }"""
    )
    x = np.array([0.5, 1.5, 2.5, -0.5, 1e30, -1e30, np.inf, -np.inf], F32)
    got = davit.compile(model).run([x, F32(1), np.uint8(1)])["q"]
    np.testing.assert_array_equal(got, [1, 3, 3, 1, 255, 0, 255, 0])


def test_empty() -> None:
    compare(
        "g (float[n] x, float s) => (uint8[n] q) { q = QuantizeLinear(x, s) }", [np.zeros(0, F32), np.array(1, F32)]
    )


@pytest.mark.parametrize(("a", "b"), [("int8", "int8"), ("uint8", "int8"), ("uint8", "uint8")])
def test_products(a: str, b: str) -> None:
    rng = np.random.default_rng(7)
    x, y = whole(rng, (3, 4, 20), a), whole(rng, (20, 5), b)
    za, zb = whole(rng, (), a), whole(rng, (5,), b)
    compare(
        f"""g ({a}[b, m, k] x, {b}[k, n] y, {a} za, {b}[n] zb) => (int32[b, m, n] p, int32[b, m, n] q) {{
          p = MatMulInteger(x, y, za, zb)
          q = MatMulInteger(x, y)
        }}""",
        [x, y, za, zb],
    )


def test_qlinear_matmul_per_row_and_column() -> None:
    rng = np.random.default_rng(8)
    x, y = whole(rng, (4, 30), "uint8"), whole(rng, (30, 5), "int8")
    model = onnx.parser.parse_model(
        """<ir_version: 10, opset_import: ["": 21]>
        g (uint8[m, k] x, float[m] sx, uint8[m] zx, int8[k, n] y, float[n] sy, int8[n] zy, float so, uint8 zo)
          => (uint8[m, n] q) { q = QLinearMatMul(x, sx, zx, y, sy, zy, so, zo) }"""
    )
    sx, sy = rng.uniform(0.001, 0.02, 4).astype(F32), rng.uniform(0.01, 0.05, 5).astype(F32)
    zx, zy = whole(rng, (4,), "uint8"), whole(rng, (5,), "int8")
    got = davit.compile(model).run([x, sx, zx, y, sy, zy, F32(0.5), np.uint8(100)])["q"]
    wide = [v.astype(np.int64) for v in (x, zx, y, zy)]
    exact = ((wide[0] - wide[1][:, None]) @ (wide[2] - wide[3])) * (sx[:, None].astype(np.float64) * sy / 0.5)
    want = np.clip(np.rint(exact) + 100, 0, 255)
    assert np.abs(got.astype(np.int64) - want).max() <= 1


@pytest.mark.parametrize("attrs", ["", "pads=[1, 1, 0, 2]", "strides=[2, 1], dilations=[1, 2]", 'auto_pad="VALID"'])
def test_conv_integer(attrs: str) -> None:
    rng = np.random.default_rng(9)
    x, w = whole(rng, (2, 3, 7, 8), "uint8"), whole(rng, (4, 3, 3, 2), "uint8")
    attrs = f"<{attrs}>" if attrs else ""
    compare(
        f"""g (uint8[n, c, h, w] x, uint8[m, c, 3, 2] k, uint8 zx, uint8 zw) => (int32[n, m, oh, ow] y) {{
          y = ConvInteger{attrs}(x, k, zx, zw)
        }}""",
        [x, w, whole(rng, (), "uint8"), whole(rng, (), "uint8")],
    )


def test_dynamic_quantisation() -> None:
    rng = np.random.default_rng(10)
    for x in (rng.standard_normal((3, 4)), np.zeros((2, 2)), np.full((1, 3), 7.0), -rng.random((5, 1))):
        compare(
            """g (float[a, b] x) => (uint8[a, b] q, float s, uint8 z) { q, s, z = DynamicQuantizeLinear(x) }""",
            [x.astype(F32)],
            steps=1,
        )
