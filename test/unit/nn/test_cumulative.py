"""Running sums, products and extremes: compiled against numpy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from nn_program import NnProgram

from davit.dialects.types import Tensor

TYPES = ("f32", "f16", "i32", "ui8")
WAYS = list(itertools.product((False, True), (False, True)))


@pytest.fixture(scope="module")
def program() -> NnProgram:
    p = NnProgram()
    for t in TYPES:
        x, axis = Tensor.make(t, ("a", 3, "c")), Tensor.make("i64", ())
        for kind in ("sum", "prod", "max", "min"):
            p.add(
                f"{kind}_{t}",
                [x, axis],
                lambda b, x, k, kind=kind: [b.cumulative(x, k, kind=kind, exclusive=e, reverse=r) for e, r in WAYS],
            )
    p.add(
        "fixed",
        [Tensor.make("f32", (4, "n"))],
        lambda b, x: [b.cumulative(x, b.constant(np.int64(k)), kind="sum") for k in (0, 1, -1)],
    )
    return p


@pytest.mark.parametrize("kind", ["sum", "prod", "max", "min"])
@pytest.mark.parametrize("t", TYPES)
def test_axes_known_at_run_time(program: NnProgram, kind: str, t: str) -> None:
    rng = np.random.default_rng(1)
    for shape in ((2, 3, 4), (1, 3, 1), (0, 3, 2), (5, 3, 0)):
        x = rng.integers(0, 5, shape).astype(Tensor.make(t, ()).dtype.numpy)
        for axis in (0, 1, 2, -1, -3):
            program.check(f"{kind}_{t}", x, np.array(axis, np.int64), rtol=1e-6)


def test_nan_and_infinity(program: NnProgram) -> None:
    x = np.array([1, np.inf, -np.inf, 2, np.nan, 3], np.float32).reshape(1, 3, 2)
    for kind in ("sum", "prod", "max", "min"):
        program.check(f"{kind}_f32", x, np.array(1, np.int64))


def test_axis_beyond_the_rank_reads_nothing_else(program: NnProgram) -> None:
    """Whatever the axis is, the program neither fails nor leaves its tensors."""
    x = np.ones((2, 3, 4), np.float32)
    for axis in (3, -4, 2**62, -(2**62)):
        assert program.run("sum_f32", x, np.array(axis, np.int64))[0].shape == x.shape


def test_fixed_axes(program: NnProgram) -> None:
    program.check("fixed", np.arange(20, dtype=np.float32).reshape(4, 5))
