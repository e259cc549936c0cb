"""Reductions on every type, over fixed and run-time axes, NaN, infinities and empty sets included."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from nn_program import NnProgram

from davit.dialects.nn.reduce import KINDS
from davit.dialects.types import Tensor

FLOATS = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)
INTEGERS = (np.int64, np.int8, np.uint64, np.uint16)
TYPES = (*FLOATS, *INTEGERS, np.bool_)
AXES = {"first": (0,), "last": (2,), "two": (0, -1), "all": (0, 1, 2)}
SHAPES = ((2, 3, 4), (1, 5, 1), (0, 3, 2), (3, 2, 0))


def kinds(dt: type) -> tuple[str, ...]:
    return ("max", "min", "and", "or") if dt is np.bool_ else tuple(k for k in KINDS if k not in ("and", "or"))


def draw(rng: np.random.Generator, shape: tuple[int, ...], dt: type) -> np.ndarray:
    if dt is np.bool_:
        return rng.integers(0, 2, shape).astype(bool)
    if dt in INTEGERS:
        return rng.integers(0 if np.dtype(dt).kind == "u" else -3, 4, shape).astype(dt)
    return rng.choice([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 3.0], shape).astype(dt)


def tolerance(dt: type) -> float:
    return {np.float16: 1e-3, ml_dtypes.bfloat16: 1e-2}.get(dt, 1e-6)


@pytest.fixture(scope="module")
def program() -> NnProgram:
    p = NnProgram()
    for dt in TYPES:
        name = np.dtype(dt).name
        x = Tensor.make(dt, ("a", "b", "c"))
        for where, axes in AXES.items():
            p.add(
                f"{where}_{name}",
                [x],
                lambda b, x, axes=axes, dt=dt: [
                    b.reduce(x, kind=k, axes=axes, keepdims=k in ("max", "and")) for k in kinds(dt)
                ],
            )
        p.add(
            f"mask_{name}",
            [x, Tensor.make("i64", (3,))],
            lambda b, x, m, dt=dt: [b.reduce_where(x, m, kind=k) for k in kinds(dt)],
        )
        if dt is not np.bool_:
            p.add(
                f"arg_{name}",
                [x],
                lambda b, x: [
                    b.arg_reduce(x, kind=kind, axis=axis, keepdims=last, last=last)
                    for kind in ("max", "min")
                    for axis in (0, 2)
                    for last in (False, True)
                ],
            )
        if dt in FLOATS:
            p.add(
                f"soft_{name}",
                [x],
                lambda b, x: [b.softmax(x, axis=a, log=log) for a in (0, 2) for log in (False, True)],
            )
    return p


@pytest.mark.parametrize("dt", TYPES, ids=lambda d: np.dtype(d).name)
def test_fixed_axes(program: NnProgram, dt: type) -> None:
    rng = np.random.default_rng(1)
    for where in AXES:
        for shape in SHAPES:
            program.check(f"{where}_{np.dtype(dt).name}", draw(rng, shape, dt), rtol=tolerance(dt))


@pytest.mark.parametrize("dt", TYPES, ids=lambda d: np.dtype(d).name)
def test_run_time_axes(program: NnProgram, dt: type) -> None:
    rng = np.random.default_rng(2)
    for shape in SHAPES:
        for mask in np.ndindex(2, 2, 2):
            program.check(f"mask_{np.dtype(dt).name}", draw(rng, shape, dt), np.array(mask), rtol=tolerance(dt))


@pytest.mark.parametrize("dt", FLOATS, ids=lambda d: np.dtype(d).name)
def test_special_values(program: NnProgram, dt: type) -> None:
    rng = np.random.default_rng(3)
    name = np.dtype(dt).name
    for _ in range(4):
        x = rng.choice(np.array([np.nan, np.inf, -np.inf, 0.0, 1.0]), (2, 3, 4)).astype(dt)
        for where in AXES:
            program.check(f"{where}_{name}", x)
        program.check(f"mask_{name}", x, np.array([1, 0, 1]))
        program.check(f"arg_{name}", x)


@pytest.mark.parametrize("dt", (*FLOATS, *INTEGERS), ids=lambda d: np.dtype(d).name)
def test_places_of_extremes(program: NnProgram, dt: type) -> None:
    """Ties, and the extremes of the type itself."""
    rng = np.random.default_rng(4)
    for shape in ((2, 3, 4), (1, 5, 1), (7, 1, 3)):
        program.check(f"arg_{np.dtype(dt).name}", draw(rng, shape, dt))
    info = np.iinfo(dt) if dt in INTEGERS else ml_dtypes.finfo(dt)
    edges = np.array([info.min, info.max, info.min, info.max], dt).reshape(2, 1, 2)
    program.check(f"arg_{np.dtype(dt).name}", edges)


@pytest.mark.parametrize("dt", FLOATS, ids=lambda d: np.dtype(d).name)
def test_softmax(program: NnProgram, dt: type) -> None:
    rng = np.random.default_rng(5)
    for shape in ((2, 3, 4), (1, 5, 1), (0, 2, 3)):
        x = (rng.standard_normal(shape) * 5).astype(dt)
        program.check(f"soft_{np.dtype(dt).name}", x, rtol=max(tolerance(dt), 2e-6), atol=tolerance(dt))
    large = np.array([[[60000.0, -60000.0, 60000.0]]], np.float32).astype(dt)  # must not overflow on the way
    program.check(f"soft_{np.dtype(dt).name}", large, rtol=max(tolerance(dt), 2e-6))
    unused = np.array([[[-np.inf, 1.0, -np.inf]]], dt)
    program.check(f"soft_{np.dtype(dt).name}", np.repeat(unused, 2, 0), rtol=max(tolerance(dt), 2e-6))
