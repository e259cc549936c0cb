"""nn.pool and nn.pool_index: windows drawn at random, compiled against the numpy reference."""

from __future__ import annotations

import numpy as np
import pytest
from nn_program import NnProgram

from davit.dialects.types import Tensor, dtype


def draw(seed: int) -> tuple[str, tuple[int, ...], tuple, dict]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 4))
    kernel, strides, dilations = rng.integers(1, 4, n), rng.integers(1, 4, n), rng.integers(1, 3, n)
    spans = (kernel - 1) * dilations + 1
    low, high = np.minimum(rng.integers(0, 3, n), spans - 1), rng.integers(0, 3, n)
    spatial = np.maximum(rng.integers(2, 8, n), spans - low - high)
    shape = (2, 3, *map(int, np.maximum(spatial, 1)))
    types = shape if seed % 2 else tuple(f"d{i}" for i in range(len(shape)))
    names = ("kernel", "strides", "dilations", "low", "high")
    window = {k: tuple(map(int, v)) for k, v in zip(names, (kernel, strides, dilations, low, high), strict=True)}
    return ("f32", "f16", "i32", "ui8", "bf16")[seed % 5], shape, types, window


CASES = {seed: draw(seed) for seed in range(30)}


@pytest.fixture(scope="module")
def program() -> NnProgram:
    p = NnProgram()
    for seed, (element, _, types, window) in CASES.items():
        x = Tensor.make(element, types)
        for kind in ("sum", "max"):
            p.add(f"{kind}_{seed}", [x], lambda b, x, w=window, k=kind: b.pool(x, kind=k, **w))
        p.add(f"index_{seed}", [x], lambda b, x, w=window: b.pool_index(x, **w))
    return p


@pytest.mark.parametrize("kind", ["sum", "max", "index"])
@pytest.mark.parametrize("seed", CASES)
def test_against_the_reference(program: NnProgram, seed: int, kind: str) -> None:
    element, shape, _, _ = CASES[seed]
    rng = np.random.default_rng(seed)
    t = dtype(element)
    x = rng.integers(0 if t.kind == "unsigned" else -9, 10, shape).astype(t.numpy)
    program.check(f"{kind}_{seed}", x)


@pytest.mark.parametrize("seed", [s for s, c in CASES.items() if c[0] in ("f32", "f16")])
def test_nan_and_infinity(program: NnProgram, seed: int) -> None:
    element, shape, _, _ = CASES[seed]
    rng = np.random.default_rng(seed)
    x = rng.choice([np.nan, np.inf, -np.inf, 0.0, 1.0], shape, p=[0.1, 0.1, 0.2, 0.3, 0.3])
    program.check(f"max_{seed}", x.astype(dtype(element).numpy))
