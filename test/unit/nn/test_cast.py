"""Conversion between all element types: compiled against ml_dtypes and numpy."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from nn_program import NnProgram, same

from davit.compiler.linalg_builder.tiny_float import FORMATS
from davit.dialects.types import DTYPES, DType, Tensor, dtype

TYPES = [t for t in DTYPES.values() if t.kind in ("float", "signed", "unsigned", "bool")]
WIDE_SOURCES = {"f64", "f32", "bf16", "i32", "ui64"}
COMMON_TARGETS = {"f64", "f32", "f16", "i8", "ui4", "i1", "f8E4M3FN"}
TINY = [DTYPES[name] for name in (*FORMATS, "f8E8M0FNU")]


def targets(source: DType) -> list[DType]:
    """Every type from the widest sources of each kind, the kinds of targets from all others: one path in code each."""
    return [t for t in TYPES if source.name in WIDE_SOURCES or t.name in COMMON_TARGETS]


def patterns(t: DType) -> np.ndarray:
    """Every value of a type of 16 bits or less; for wider ones, values that strain a conversion."""
    if t.kind == "bool":
        return np.array([False, True])
    if t.bits <= 8:
        return np.arange(1 << t.bits).astype(np.uint8).view(t.numpy)
    if t.bits == 16:
        return normal(np.arange(1 << 16).astype(np.uint16).view(t.numpy))
    if t.is_int:
        info = np.iinfo(t.numpy)
        near = [k for p in range(t.bits) for k in ((1 << p) - 1, 1 << p, (1 << p) + 1)]
        return np.array([v for k in near for v in (k, -k) if info.min <= v <= info.max], t.numpy)
    rng = np.random.default_rng(7)
    edges = np.concatenate([patterns(u).astype(np.float32).astype(np.float64) for u in TINY])
    edges = edges[np.isfinite(edges)]
    between = (edges[:, None] / 2 + edges[None, :17] / 2).reshape(-1)
    spread = rng.standard_normal(4096) * 2.0 ** rng.integers(-140, 128, 4096)
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45]
    all_of = np.concatenate([edges, between, spread, special])
    if t.numpy == np.float64:  # just beside the middle of two narrow numbers: rounding twice would go wrong
        all_of = np.concatenate([all_of, between * (1 + 2.0**-40), between * (1 - 2.0**-40)])
    with np.errstate(over="ignore"):
        return normal(all_of.astype(t.numpy))


def normal(x: np.ndarray) -> np.ndarray:
    """Without f32's subnormals, which IREE's CPU code reads as 0."""
    if x.dtype.kind in "iu" or x.dtype == np.float16:
        return x
    wide = x.astype(np.float64)
    return x[~((np.abs(wide) < 2.0**-126) & (wide != 0))]


def defined(x: np.ndarray, to: DType) -> np.ndarray:
    """Where the spec defines the conversion."""
    if not to.is_int or dtype(x.dtype).kind != "float":
        return np.ones(x.shape, bool)
    with np.errstate(invalid="ignore"):
        wide = np.trunc(x.astype(np.float64))
    half = 2.0 ** (to.bits - 1)
    low, high = (-half, half) if to.kind == "signed" else (0, 2 * half)
    return (wide >= low) & (wide < high)


@pytest.fixture(scope="module")
def program() -> NnProgram:
    p = NnProgram()
    for a in TYPES:
        p.add(str(a), [Tensor.make(a, ("n",))], lambda b, x, a=a: [b.cast(x, to=t) for t in targets(a)])
    for a in ("f32", "f64"):
        for mode in ("nearest", "up", "down"):
            p.add(
                f"{a}_{mode}",
                [Tensor.make(a, ("n",))],
                lambda b, x, mode=mode: [
                    b.cast(x, to=t, saturate=saturate, round_mode=mode) for saturate in (False, True) for t in TINY
                ],
            )
    return p


@pytest.mark.parametrize("source", TYPES, ids=str)
def test_every_pair(program: NnProgram, source: DType) -> None:
    x = patterns(source)
    for to, got, want in zip(
        targets(source), program.run(str(source), x), program.reference(str(source), x), strict=True
    ):
        known = defined(x, to)
        same(got[known], want[known], f"{source} to {to}", rtol=0, atol=0)


@pytest.mark.parametrize("mode", ["nearest", "up", "down"])
@pytest.mark.parametrize("source", ["f32", "f64"])
def test_unsaturated_and_rounding(program: NnProgram, source: str, mode: str) -> None:
    program.check(f"{source}_{mode}", patterns(DTYPES[source]), rtol=0, atol=0)


@pytest.mark.parametrize("to", [DTYPES[n] for n in ("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ")], ids=str)
@pytest.mark.parametrize("saturate", [True, False])
def test_out_of_range(program: NnProgram, to: DType, saturate: bool) -> None:
    """The tables of ONNX Cast."""
    x = np.array([np.nan, np.inf, -np.inf, 1e9, -1e9, 0.0, -0.0], np.float32)
    got = program.run("f32_nearest", x)[TINY.index(to) + saturate * len(TINY)]
    top = float(ml_dtypes.finfo(to.numpy).max)
    over = top if saturate else np.inf if to.name == "f8E5M2" else np.nan
    zero = 0.0 if to.name.endswith("UZ") else -0.0
    want = np.array([np.nan, over, -over, over, -over, 0.0, zero], np.float32)
    np.testing.assert_array_equal(got.astype(np.float32), want)
    assert np.signbit(got.astype(np.float32)[6]) == np.signbit(np.float32(zero))
