"""ONNX's own node cases (``onnx.backend.test.case.node``): models with inputs, expected outputs and tolerances."""

from __future__ import annotations

import functools
import tempfile
import tomllib
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx

import davit

TABLE = Path(__file__).parent.parent / "e2e" / "expected_failures.toml"

ATOL = 1e-7
"""What onnx.backend.test compares with when a case does not say otherwise (its rtol is 1e-3)."""


@dataclass(frozen=True)
class Case:
    """One node case; ``data_sets`` holds (inputs, expected outputs) in the graph's order."""

    name: str
    model: bytes
    data_sets: tuple[tuple[list[Any], list[Any]], ...]
    rtol: float
    atol: float


@functools.cache
def cases() -> dict[str, Case]:
    """All cases by name."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # overflow in the cases' own numpy code
        collected = collect_testcases(None)
    return {
        c.name: Case(
            c.name,
            c.model.SerializeToString(),
            tuple((list(map(_value, i)), list(map(_value, o))) for i, o in c.data_sets),
            c.rtol,
            max(c.atol, ATOL),
        )
        for c in collected
    }


def _value(data: Any) -> Any:
    """Cases hold tensors of types that numpy lacks as protos."""
    return onnx.numpy_helper.to_array(data) if isinstance(data, onnx.TensorProto) else data


@functools.cache
def _reproducers() -> tempfile.TemporaryDirectory[str]:
    """Where failures leave their reproducers; gone with the process."""
    return tempfile.TemporaryDirectory(prefix="davit-cases-")


@dataclass(frozen=True)
class Expected:
    """Why a case does not pass yet, and at which stage it stops."""

    stage: str
    reason: str


@functools.cache
def expected_failures() -> dict[str, dict[str, Expected]]:
    """The table: variant (``static``, ``dynamic``) -> case -> row."""
    table: dict[str, dict[str, Expected]] = {"static": {}, "dynamic": {}}
    for variant, groups in tomllib.loads(TABLE.read_text(encoding="utf-8")).items():
        for group in groups:
            for name in group["cases"]:
                assert name not in table[variant], f"{name} has two rows"
                table[variant][name] = Expected(group["stage"], group["reason"])
    return table


def with_symbolic_dims(model: bytes) -> bytes:
    """The same model with every input dimension a symbol of its own, and no output shape."""
    m = onnx.ModelProto.FromString(model)
    for value in m.graph.input:
        if value.type.HasField("tensor_type"):
            for i, dim in enumerate(value.type.tensor_type.shape.dim):
                dim.Clear()
                dim.dim_param = f"{value.name}_{i}"
    for value in m.graph.output:
        if value.type.HasField("tensor_type"):
            shape = value.type.tensor_type.shape
            rank = len(shape.dim)
            shape.Clear()
            for _ in range(rank):
                shape.dim.add()
    del m.graph.value_info[:]
    return m.SerializeToString()


class Stopped(Exception):
    """A case that does not pass: the stage at which it stopped, and how."""

    def __init__(self, stage: str, why: str) -> None:
        super().__init__(f"{stage}: {why}")
        self.stage = stage


def check(case: Case, *, dynamic: bool = False) -> None:
    """Compile and run a case through the public API.

    Raises:
        Stopped: davit refused, failed, or gave other values.
    """
    try:
        model = with_symbolic_dims(case.model) if dynamic else case.model
        exe = davit.compile(model, reproducer_dir=_reproducers().name)
    except (davit.Unsupported, davit.InvalidModel) as e:
        raise Stopped("frontend", str(e)) from e
    except davit.CompileError as e:
        raise Stopped(e.stage or "compile", str(e)) from e
    for inputs, expected in case.data_sets:
        try:
            results = list(exe.run(list(inputs)).values())
        except davit.ExecutionError as e:
            raise Stopped("run", str(e)) from e
        if len(results) != len(expected):
            raise Stopped("numbers", f"{len(results)} outputs instead of {len(expected)}")
        for i, (want, got) in enumerate(zip(expected, results, strict=True)):
            if (why := difference(want, got, case.rtol, case.atol)) is not None:
                raise Stopped("numbers", f"output {i}: {why}")


def difference(want: Any, got: Any, rtol: float, atol: float) -> str | None:
    """How a result differs from what is expected: type, shape, then values; None when it does not."""
    if isinstance(want, (list, tuple)):
        if not isinstance(got, (list, tuple)) or len(want) != len(got):
            return f"a sequence of {len(want)} is expected, not {type(got).__name__}"
        parts = (difference(w, g, rtol, atol) for w, g in zip(want, got, strict=True))
        return next((p for p in parts if p), None)
    if want is None or got is None:
        return None if want is got else f"{got} instead of {want}"
    want, got = np.asarray(want), np.asarray(got)
    if want.dtype.kind in "OSU":
        return None if want.shape == got.shape and (want == got).all() else "strings differ"
    if want.dtype != got.dtype:
        return f"{got.dtype} instead of {want.dtype}"
    if want.shape != got.shape:
        return f"shape {got.shape} instead of {want.shape}"
    if want.dtype.kind in "biu" or want.dtype.name in ("int4", "uint4", "int2", "uint2"):
        wrong = int((want != got).sum())
        return f"{wrong} of {want.size} integers differ" if wrong else None
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    want, got = want.astype(wide), got.astype(wide)
    if np.allclose(got, want, rtol=rtol, atol=atol, equal_nan=True):
        return None
    with np.errstate(all="ignore"):
        return f"values differ by up to {np.nanmax(np.abs(got - want)):.3g} (largest {np.nanmax(np.abs(want)):.3g})"
