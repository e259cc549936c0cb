"""Every elementwise op on every element type of its domain: compiled against numpy, edge values included."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from nn_program import NnProgram, same

from davit.dialects.nn.elementwise import _KIND, TABLE, Elementwise
from davit.dialects.types import DTYPES, DType, Tensor

TYPES = [DTYPES[n] for n in ("f64", "f32", "f16", "bf16", "i64", "i32", "i8", "i4", "ui64", "ui16", "ui8", "ui2", "i1")]
EXACT = {"add", "sub", "mul", "div", "sqrt", "floor", "ceil", "trunc", "round", "rem", "neg", "abs", "sign"}
"""Ops whose float results are correctly rounded."""


def draw(t: DType, rng: np.random.Generator, n: int = 512) -> np.ndarray:
    """Values of a type, its edges among them."""
    if t.kind == "bool":
        return rng.integers(0, 2, n).astype(bool)
    if t.is_float:
        x = rng.standard_normal(n) * 10.0 ** rng.integers(-3, 3, n)
        special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -0.5, 1.5, 2.5, 3.0, -3.0]
        x[: len(special)] = special
        return rng.permutation(x.astype(t.numpy))
    low, high = (0, (1 << t.bits) - 1) if t.kind == "unsigned" else (-(1 << (t.bits - 1)), (1 << (t.bits - 1)) - 1)
    small = rng.integers(max(low, -20), min(high, 20), n // 2, endpoint=True)
    widest = np.uint64 if low == 0 else np.int64
    wide = rng.integers(low, high, n - n // 2 - 4, endpoint=True, dtype=widest)
    values = [*map(int, small), *map(int, wide), low, high, 0, min(1, high)]
    return rng.permutation(np.array(values, widest)).astype(t.numpy)


def tolerance(row: Elementwise, t: DType) -> tuple[float, float]:
    if t.is_float and t.bits == 16:
        return (2.0**-7, 1e-6) if t.name == "bf16" else (2.0**-10, 1e-6)
    exact = row.name in EXACT
    if row.name == "pow":
        return (1e-5, 1e-7)  # exp(y log x): the error of the logarithm grows with the exponent
    return (0, 0) if exact or not t.is_float else (2e-6, 2e-7)


def domain(row: Elementwise) -> list[DType]:
    return [t for t in TYPES if _KIND[t.kind] in row.domain]


@pytest.fixture(scope="module")
def program() -> NnProgram:
    p = NnProgram()
    for t in TYPES:
        for arity in (1, 2):
            rows = [r for r in TABLE if r.arity == arity and t in domain(r)]
            if rows:
                p.add(
                    f"{t}_{arity}",
                    [Tensor.make(t, ("n",))] * arity,
                    lambda b, *xs, rows=rows: [b.op(r.name, *xs) for r in rows],
                )
    shapes = [(("n", 3), (3,)), (("a", 1, "b"), ("c", "b")), (("n", "m"), ("p", "q")), ((), ("n",)), ((0, 3), (1, 3))]
    for i, (x, y) in enumerate(shapes):
        p.add(f"broadcast{i}", [Tensor.make("f32", x), Tensor.make("f32", y)], lambda b, u, v: b.sub(u, v))
    for t in ("f8E4M3FN", "f8E5M2", "f4E2M1FN"):
        p.add(
            f"small_{t}",
            [Tensor.make(t, ("n",))] * 2,
            lambda b, x, y: (b.add(x, y), b.mul(x, y), b.maximum(x, y), b.lt(x, y), b.is_nan(x), b.is_inf(x), b.neg(y)),
        )
    for t in ("complex<f32>", "complex<f64>"):
        p.add(
            f"complex_{t}",
            [Tensor.make(t, ("n", "m"))] * 2,
            lambda b, x, y: (b.add(x, y), b.sub(x, y), b.mul(x, y), b.div(x, y), b.neg(x), b.eq(x, y), b.ne(x, 1.0)),
        )
    p.add(
        "select",
        [Tensor.make("i1", ("n", 1)), Tensor.make("f32", ("m",)), Tensor.make("f32", ())],
        lambda b, c, u, v: b.select(c, u, v),
    )
    return p


@pytest.mark.parametrize("t", TYPES, ids=str)
@pytest.mark.parametrize("arity", [1, 2])
def test_table(program: NnProgram, t: DType, arity: int) -> None:
    rows = [r for r in TABLE if r.arity == arity and t in domain(r)]
    if not rows:
        return
    rng = np.random.default_rng(3)
    xs = [draw(t, rng) for _ in range(arity)]
    name = f"{t}_{arity}"
    wrong = []
    for row, got, want in zip(rows, program.run(name, *xs), program.reference(name, *xs), strict=True):
        rtol, atol = tolerance(row, t)
        try:
            same(got, want, row.name, rtol=rtol, atol=atol)
        except AssertionError as e:
            wrong.append(str(e))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("i", "x", "y"),
    [(0, (5, 3), (3,)), (1, (2, 1, 4), (3, 4)), (1, (1, 1, 4), (1, 4)), (2, (4, 1), (1, 5)), (2, (1, 1), (2, 3)),
     (2, (0, 3), (1, 3)), (3, (), (7,)), (4, (0, 3), (1, 3))],
)  # fmt: skip
def test_broadcasting(program: NnProgram, i: int, x: tuple[int, ...], y: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    program.check(f"broadcast{i}", rng.random(x).astype(np.float32), rng.random(y).astype(np.float32))


def test_broadcast_conflict_is_an_error(program: NnProgram) -> None:
    with pytest.raises(RuntimeError, match="broadcast"):
        program.run("broadcast2", np.ones((2, 3), np.float32), np.ones((2, 4), np.float32))


@pytest.mark.parametrize("t", ["f8E4M3FN", "f8E5M2", "f4E2M1FN"])
def test_small_floats(program: NnProgram, t: str) -> None:
    """Computed in f32 and rounded once; every pair of patterns."""
    codes = np.arange(1 << DTYPES[t].bits).astype(np.uint8).view(DTYPES[t].numpy)
    x, y = (v.reshape(-1) for v in np.meshgrid(codes, codes))
    program.check(f"small_{t}", x, y, rtol=0, atol=0)


@pytest.mark.parametrize("t", ["complex<f32>", "complex<f64>"])
def test_complex(program: NnProgram, t: str) -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((2, 7, 2)) @ [1, 1j] for _ in range(2))
    y[:, 0] = x[:, 0]
    kind = DTYPES[t].numpy
    for got, want in zip(
        program.run(f"complex_{t}", x.astype(kind), y.astype(kind)),
        program.reference(f"complex_{t}", x.astype(kind), y.astype(kind)),
        strict=True,
    ):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-5 if t == "complex<f32>" else 1e-13)


def test_select(program: NnProgram) -> None:
    c = np.array([[True], [False], [True]])
    program.check("select", c, np.arange(4, dtype=np.float32), np.float32(-1).reshape(()))


def test_signed_zero_and_nan(program: NnProgram) -> None:
    """What the specs of Max, Min, Mod and Sign say of NaN and zeros."""
    nan = np.float32(np.nan)
    rows = [r.name for r in TABLE if r.arity == 2 and "F" in r.domain]
    x, y = np.array([nan, 1, -0.0], np.float32), np.array([1, nan, 1], np.float32)
    out = dict(zip(rows, program.run("f32_2", x, y), strict=True))
    assert np.isnan(out["maximum"][:2]).all() and np.isnan(out["minimum"][:2]).all()
    assert out["mod"][2] == 0


def test_bfloat16_rounds_once(program: NnProgram) -> None:
    x = np.array([1.0], ml_dtypes.bfloat16)
    y = np.array([2.0**-9], ml_dtypes.bfloat16)
    rows = [r.name for r in TABLE if r.arity == 2 and "F" in r.domain]
    assert dict(zip(rows, program.run("bf16_2", x, y), strict=True))["add"][0] == 1.0
