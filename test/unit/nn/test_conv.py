"""nn.conv: geometries drawn at random, compiled against the numpy reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from nn_program import NnProgram

from davit.dialects.types import Dim, Tensor, dtype


@dataclass(frozen=True)
class Case:
    """One convolution: its symbolic input type, the array's shape, the weight's shape and the attributes."""

    element: str
    shape: tuple[int, ...]
    types: tuple[Dim, ...]
    weight: tuple[int, ...]
    attrs: dict


def draw(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 4))
    kind = rng.choice(["plain", "grouped", "depthwise"])
    groups = {"plain": 1, "grouped": 2, "depthwise": 4}[str(kind)]
    per_group = 1 if kind == "depthwise" else int(rng.integers(1, 4))
    filters = groups * int(rng.integers(1, 3))
    kernel = rng.integers(1, 4, n)
    strides, dilations = rng.integers(1, 3, n), rng.integers(1, 3, n)
    low, high = rng.integers(-1, 3, n), rng.integers(0, 3, n)
    spans = (kernel - 1) * dilations + 1
    spatial = np.maximum(rng.integers(3, 9, n), spans - low - high + 1)
    shape = (int(rng.integers(1, 3)), groups * per_group, *map(int, spatial))
    dynamic = seed % 2 == 1
    types = tuple(d if i == 1 or not dynamic else f"d{i}" for i, d in enumerate(shape))
    element = ("f32", "f32", "f16", "i32")[seed % 4]
    attrs = {
        "strides": tuple(map(int, strides)),
        "dilations": tuple(map(int, dilations)),
        "low": tuple(map(int, low)),
        "high": tuple(map(int, high)),
        "groups": groups,
    }
    return Case(element, shape, types, (filters, per_group, *map(int, kernel)), attrs)


CASES = {f"conv_{seed}": draw(seed) for seed in range(32)}


@pytest.fixture(scope="module")
def program() -> NnProgram:
    p = NnProgram()
    for name, c in CASES.items():
        x, w = Tensor.make(c.element, c.types), Tensor.make(c.element, c.weight)
        p.add(name, [x, w], lambda b, x, w, c=c: b.conv(x, w, out=dtype(c.element), **c.attrs))
    return p


@pytest.mark.parametrize("name", CASES)
def test_against_the_reference(program: NnProgram, name: str) -> None:
    c = CASES[name]
    rng = np.random.default_rng(7)
    t = dtype(c.element).numpy
    x, w = (rng.integers(-8, 9, s).astype(t) for s in (c.shape, c.weight))
    program.check(name, x, w)


def test_refusals() -> None:
    from davit.dialects.dims import InferError
    from davit.dialects.nn import OPS

    def infer(x: tuple, w: tuple, **changes) -> None:
        attrs = {"strides": (1, 1), "dilations": (1, 1), "low": (0, 0), "high": (0, 0), "groups": 1} | changes
        OPS["conv"].infer_types([Tensor.make("f32", x), Tensor.make("f32", w)], {**attrs, "out": dtype("f32")})

    infer((1, 2, 5, 5), (4, 2, 3, 3))
    for x, w, changes, words in (
        ((1, 3, 5, 5), (4, 2, 3, 3), {}, "3 input channels, but 1 groups of 2"),
        ((1, 2, 5, 5), (3, 1, 3, 3), {"groups": 2}, "no multiple of 2 groups"),
        ((1, 2, 2, 5), (4, 2, 3, 3), {}, "larger than the padded input"),
        ((1, 2, 5, 5), (4, 2, 3, 3), {"strides": (0, 1)}, "must be positive"),
        ((1, 2, 5), (4, 2, 3, 3), {}, "equal rank"),
    ):
        with pytest.raises(InferError, match=words):
            infer(x, w, **changes)
