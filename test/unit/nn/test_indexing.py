"""Gathers, scatters and nonzero on symbolic sizes, with indices anywhere: compiled against the numpy references."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from nn_program import NnProgram

from davit.dialects.nn.indexing import REDUCTIONS
from davit.dialects.types import Tensor

TYPES = (np.float32, np.int8, np.uint16, np.float64, ml_dtypes.bfloat16)
INDEX_TYPES = (np.int64, np.int32, np.uint8)


def draw(rng: np.random.Generator, shape: tuple[int, ...], dt: type) -> np.ndarray:
    """Small whole numbers, whose sums and products of a few are exact in every type."""
    return rng.integers(0, 4, shape).astype(dt)


def anywhere(rng: np.random.Generator, shape: tuple[int, ...], dt: type, n: int) -> np.ndarray:
    """Indices into a dimension of n: inside, negative, and outside on both sides."""
    low = 0 if np.dtype(dt).kind == "u" else -n - 2
    return rng.integers(low, n + 3, shape).astype(dt)


@pytest.fixture(scope="module")
def program() -> NnProgram:
    p = NnProgram()
    for dt in TYPES:
        name = np.dtype(dt).name
        x = Tensor.make(dt, ("a", "b", "c"))
        for index in INDEX_TYPES if dt is np.float32 else INDEX_TYPES[:1]:
            tag = f"{name}_{np.dtype(index).name}"
            i3 = Tensor.make(index, ("i", "j", "k"))
            p.add(f"elements_{tag}", [x, i3], lambda b, x, i: b.gather_elements(x, i, axis=1))
            p.add(f"places_{tag}", [x, Tensor.make(index, ("n", 2))], lambda b, x, i: b.gather_nd(x, i, batch_dims=0))
            p.add(f"rows_{tag}", [x, Tensor.make(index, ("a", 2, 1))], lambda b, x, i: b.gather_nd(x, i, batch_dims=1))
        for kind in REDUCTIONS:
            inputs = [x, Tensor.make("i64", ("i", "j", "k")), Tensor.make(dt, ("i", "j", "k"))]
            p.add(
                f"put_{kind}_{name}",
                inputs,
                lambda b, *v, kind=kind: b.scatter_elements(*v, axis=1, reduction=kind),
            )
            inputs = [x, Tensor.make("i64", ("n", 2)), Tensor.make(dt, ("n", "c"))]
            p.add(f"write_{kind}_{name}", inputs, lambda b, *v, kind=kind: b.scatter_nd(*v, reduction=kind))
        p.add(f"where_{name}", [x], lambda b, x: b.nonzero(x))
    p.add("where_bool", [Tensor.make("i1", ("n",))], lambda b, x: b.nonzero(x))
    p.add("where_scalar", [Tensor.make("f32", ())], lambda b, x: b.nonzero(x))
    p.add("one", [Tensor.make("f32", (1,)), Tensor.make("i64", (1,)), Tensor.make("f32", (1,))],
          lambda b, *v: b.scatter_elements(*v, axis=0, reduction="add"))  # fmt: skip
    p.add("axes", [Tensor.make("i64", ("n",)), Tensor.make("i64", ("n",))],
          lambda b, a, v: b.scatter_elements(np.arange(5), a, v, axis=0, reduction="none"))  # fmt: skip
    p.add("axes_known", [Tensor.make("i64", (2,)), Tensor.make("i64", (2,))],
          lambda b, a, v: b.scatter_elements(np.arange(5), a, v, axis=0, reduction="none"))  # fmt: skip
    p.add("take", [Tensor.make("f32", ("a",)), Tensor.make("i64", ("n",))], lambda b, x, i: b.gather(x, i, axis=0))
    return p


CASES = [(dt, INDEX_TYPES[0]) for dt in TYPES] + [(np.float32, i) for i in INDEX_TYPES[1:]]


@pytest.mark.parametrize(("dt", "index"), CASES, ids=lambda t: np.dtype(t).name)
def test_gathers(program: NnProgram, dt: type, index: type) -> None:
    rng = np.random.default_rng(1)
    tag = f"{np.dtype(dt).name}_{np.dtype(index).name}"
    for shape in ((3, 4, 2), (1, 1, 1), (2, 5, 1)):
        x = draw(rng, shape, dt)
        for size in (shape, (1, 2, 1), (0, 1, 1)):
            program.check(f"elements_{tag}", x, anywhere(rng, size, index, shape[1]))
        program.check(f"places_{tag}", x, anywhere(rng, (5, 2), index, min(shape[:2])))
        program.check(f"places_{tag}", x, anywhere(rng, (0, 2), index, 1))
        program.check(f"rows_{tag}", x, anywhere(rng, (shape[0], 2, 1), index, shape[1]))


@pytest.mark.parametrize("dt", TYPES, ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("kind", REDUCTIONS)
def test_scatters(program: NnProgram, dt: type, kind: str) -> None:
    """Repeated places combine in order; places outside are dropped."""
    rng = np.random.default_rng(2)
    name = np.dtype(dt).name
    for shape in ((3, 4, 2), (1, 1, 1), (2, 0, 3)):
        x = draw(rng, shape, dt)
        for size in ((shape[0], 5, shape[2]), (1, 2, 1), (0, 1, 1)):
            i = anywhere(rng, size, np.int64, shape[1])
            program.check(f"put_{kind}_{name}", x, i, draw(rng, size, dt))
        for n in (6, 0):
            i = anywhere(rng, (n, 2), np.int64, min(shape[:2]))
            program.check(f"write_{kind}_{name}", x, i, draw(rng, (n, shape[2]), dt))


def test_nan_wins_in_scattered_extremes(program: NnProgram) -> None:
    x = np.array([[[1.0], [np.nan], [3.0]]], np.float32)
    i = np.array([[[0], [1], [2]]])
    for kind in ("max", "min"):
        program.check(f"put_{kind}_float32", x, i, np.array([[[np.nan], [5.0], [4.0]]], np.float32))


@pytest.mark.parametrize("dt", TYPES, ids=lambda t: np.dtype(t).name)
def test_nonzero(program: NnProgram, dt: type) -> None:
    rng = np.random.default_rng(3)
    for shape in ((3, 4, 2), (1, 1, 1), (0, 2, 2)):
        program.check(f"where_{np.dtype(dt).name}", draw(rng, shape, dt))
    program.check(f"where_{np.dtype(dt).name}", np.zeros((2, 2, 2), dt))


def test_small(program: NnProgram) -> None:
    """Sizes of one, scalars, and vectors that are scattered on the host."""
    program.check("where_bool", np.array([True, False, True]))
    program.check("where_bool", np.zeros(0, bool))
    program.check("where_float32", np.array([[[np.nan, -0.0, np.inf]]], np.float32))
    for v in (0.0, 2.0):
        program.check("where_scalar", np.array(v, np.float32))
    for i in (0, -1, 1, -2):
        program.check("one", np.ones(1, np.float32), np.array([i]), np.full(1, 5, np.float32))
    for a in ((1, -1), (0, 0), (7, -9)):
        program.check("axes", np.array(a), np.array([10, 20]))
        program.check("axes_known", np.array(a), np.array([10, 20]))


def test_reading_from_nothing_stops_the_program(program: NnProgram) -> None:
    empty = np.zeros((2, 0, 2), np.float32)
    for name, arguments in (
        ("elements_float32_int64", (empty, np.zeros((2, 1, 2), np.int64))),
        ("places_float32_int64", (empty, np.zeros((1, 2), np.int64))),
        ("take", (np.zeros(0, np.float32), np.zeros(1, np.int64))),
    ):
        with pytest.raises(Exception, match="empty"):
            program.run(name, *arguments)
    program.check("take", np.zeros(0, np.float32), np.zeros(0, np.int64))
