"""Data movement on static, symbolic and empty shapes: compiled against the numpy references."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from nn_program import NnProgram

from davit.dialects.nn.structure import END
from davit.dialects.types import Tensor

TYPES = (np.float32, np.int8, np.uint16, np.bool_, ml_dtypes.bfloat16, np.float64, ml_dtypes.int4)
SHAPES = ((2, 3, 4), (1, 5, 1), (0, 3, 2), (3, 1, 7))


def draw(rng: np.random.Generator, shape: tuple[int, ...], dt: type) -> np.ndarray:
    """Whole numbers that every type holds."""
    return rng.integers(0, 2 if dt is np.bool_ else 7, shape).astype(dt)


def i64(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


@pytest.fixture(scope="module")
def program() -> NnProgram:
    p = NnProgram()
    for dt in TYPES:
        name = np.dtype(dt).name
        x = Tensor.make(dt, ("a", "b", "c"))
        vector = Tensor.make("i64", (3,))
        p.add(f"perm_{name}", [x], lambda b, x: (b.transpose(x, perm=(2, 0, 1)), b.transpose(x, perm=(0, 1, 2))))
        p.add(
            f"reverse_{name}",
            [x],
            lambda b, x: b.slice(x, starts=(-1, 0, -2), limits=(-END, END, -END), strides=(-1, 2, -1)),
        )
        p.add(f"window_{name}", [x], lambda b, x: b.slice(x, starts=(1, -2, 0), limits=(END, -1, 3), strides=(1, 1, 2)))
        p.add(f"cut_{name}", [x, vector, vector, vector], lambda b, x, s, e, t: b.dynamic_slice(x, s, e, t))
        p.add(f"join_{name}", [x, Tensor.make(dt, ("a", "d", "c"))], lambda b, x, y: b.concat(x, y, x, axis=1))
        p.add(f"pick_{name}", [x, Tensor.make("i32", ("n", 2))], lambda b, x, i: b.gather(x, i, axis=1))
        p.add(
            f"pad_{name}",
            [x],
            lambda b, x, dt=dt: b.pad(x, b.constant(np.ones((), dt)), low=(1, 0, 2), high=(0, 3, 1)),
        )
        p.add(
            f"amounts_{name}",
            [x, Tensor.make(dt, ()), vector, vector],
            lambda b, x, v, lo, hi: b.dynamic_pad(x, v, lo, hi),
        )
    x = Tensor.make("f32", ("a", "b", "c"))
    p.add("sizes", [x], lambda b, x: b.shape_of(x))
    p.add("flat", [x], lambda b, x: b.reshape_to(x, (-1,)))
    p.add("tail", [x], lambda b, x: b.reshape(x, b.concat(b.take(b.shape_of(x), 0), i64(-1), axis=0)))
    p.add("any", [x, Tensor.make("i64", (4,))], lambda b, x, s: b.reshape(x, s))
    p.add("scalar", [x], lambda b, x: b.reshape(x, np.zeros(0, np.int64)))
    p.add("spread", [x, Tensor.make("i64", (4,))], lambda b, x, s: b.broadcast_to(x, s))
    p.add(
        "count",
        [Tensor.make("i64", (2,))],
        lambda b, s: (b.iota(s, axis=1, dtype=b.dtype(s)), b.iota(s, axis=0, dtype=Tensor.make("f16", ()).dtype)),
    )
    p.add("crop", [Tensor.make("f32", (4, 5))], lambda b, x: b.pad(x, np.float32(7), low=(-1, 2), high=(1, -3)))
    p.add(
        "host", [Tensor.make("i64", (3,))], lambda b, s: b.add(b.mul(b.to_host(s), 2), b.eq(b.to_host(s), 3).type and 1)
    )
    return p


@pytest.mark.parametrize("dt", TYPES, ids=lambda d: np.dtype(d).name)
def test_moves(program: NnProgram, dt: type) -> None:
    rng = np.random.default_rng(1)
    name = np.dtype(dt).name
    for shape in SHAPES:
        x = draw(rng, shape, dt)
        for f in ("perm", "reverse", "window", "pad"):
            program.check(f"{f}_{name}", x)
        program.check(f"join_{name}", x, draw(rng, (shape[0], 2, shape[2]), dt))
        program.check(f"pick_{name}", x, rng.integers(-99, 99, (3, 2)).astype(np.int32))
        program.check(f"pick_{name}", x, np.zeros((0, 2), np.int32))


@pytest.mark.parametrize("dt", TYPES, ids=lambda d: np.dtype(d).name)
def test_run_time_slices(program: NnProgram, dt: type) -> None:
    """Bounds far outside, both directions, empty results, the extremes of int64."""
    rng = np.random.default_rng(2)
    name = np.dtype(dt).name
    edges = [0, 1, -1, 3, -3, 100, -100, END, -END, -(2**63)]
    for _ in range(30):
        x = draw(rng, SHAPES[rng.integers(len(SHAPES))], dt)
        bounds = [i64(*(edges[k] for k in rng.integers(len(edges), size=3))) for _ in range(2)]
        strides = i64(*rng.choice([1, 2, -1, -2, END, -END], 3))
        program.check(f"cut_{name}", x, *bounds, strides)


@pytest.mark.parametrize("dt", TYPES, ids=lambda d: np.dtype(d).name)
def test_run_time_padding(program: NnProgram, dt: type) -> None:
    rng = np.random.default_rng(3)
    name = np.dtype(dt).name
    for shape in SHAPES:
        x = draw(rng, shape, dt)
        for low, high in (((0, 0, 0), (0, 0, 0)), ((2, 0, 1), (0, 3, 2)), ((0, -1, 0), (2, 0, 1))):
            program.check(f"amounts_{name}", x, np.ones((), dt), i64(*low), i64(*high))


def test_shapes(program: NnProgram) -> None:
    rng = np.random.default_rng(4)
    for shape in SHAPES:
        x = rng.standard_normal(shape).astype(np.float32)
        program.check("sizes", x)
        program.check("flat", x)
        if shape[0]:
            program.check("tail", x)
        program.check("spread", x, i64(2, 1, 1, 1))
    x = rng.standard_normal((2, 3, 4)).astype(np.float32)
    for target in ((4, 3, 2, 1), (1, 1, 24, 1), (2, -1, 2, 2)):
        program.check("any", x, i64(*target))
    program.check("spread", rng.standard_normal((3, 1, 4)).astype(np.float32), i64(2, 1, 5, 4))
    program.check("scalar", np.full((1, 1, 1), 3, np.float32))
    program.check("count", i64(3, 4))
    program.check("count", i64(0, 4))
    program.check("crop", rng.standard_normal((4, 5)).astype(np.float32))
    program.check("host", i64(1, -3, 3))


def test_sizes_that_do_not_fit_stop_the_program(program: NnProgram) -> None:
    """Nothing is read or written outside: the call fails."""
    x = np.zeros((2, 3, 4), np.float32)
    for name, arguments in (
        ("any", (x, i64(5, 5, 1, 1))),
        ("any", (x, i64(-1, 5, 1, 1))),
        ("spread", (x, i64(1, 2, 2, 4))),
        ("scalar", (x,)),
        ("cut_float32", (x, i64(0, 0, 0), i64(1, 1, 1), i64(1, 0, 1))),
        ("amounts_float32", (x, np.float32(0), i64(0, -9, 0), i64(0, 0, 0))),
    ):
        with pytest.raises(Exception, match=r"differ|neither|step is 0|negative"):
            program.run(name, *arguments)
