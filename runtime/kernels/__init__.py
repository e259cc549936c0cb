"""The hand-written C kernels: which exist, which were built, and where their objects are.

CMake builds one object per kernel and CPU variant beside this file's installed copy; the compiler names such an
object in a program and IREE links it into the compiled model. ``kernels.json`` is the one list of kernels and
variants, read by CMake and here. An install without a C compiler has no objects: :func:`notice` says why.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

PANEL = 32
"""Columns of one packed panel of B; the same for every variant, so packed weights fit any machine."""


@dataclass(frozen=True)
class Variant:
    """One way to compile every kernel. The list's order is the order of preference."""

    name: str
    processor: str
    cpu_features: frozenset[str]


@cache
def _list() -> dict:
    return json.loads((Path(__file__).parent / "kernels.json").read_text())


def _folders() -> list[Path]:
    """Where built objects may lie: DAVIT_KERNELS first, then wherever the package is (an editable install has two)."""
    override = os.environ.get("DAVIT_KERNELS")
    return ([Path(override)] if override else []) + [Path(p) for p in __path__]


@cache
def _built() -> tuple[Path | None, dict]:
    for folder in _folders():
        if (folder / "built.json").is_file():
            return folder, json.loads((folder / "built.json").read_text())
    return None, {"variants": [], "notice": "davit runs from a source tree whose kernels were not built"}


def notice() -> str | None:
    """Why there are no kernels here, as the end of a sentence; None when there are."""
    return _built()[1]["notice"] or None


def directory() -> Path | None:
    """The folder with the objects, for IREE's object search path; None when none were built."""
    folder, built = _built()
    return folder if built["variants"] else None


def variants() -> tuple[Variant, ...]:
    """The variants that were built, best first."""
    built = _built()[1]["variants"]
    return tuple(
        Variant(name, row["processor"], frozenset(row["cpu_features"]))
        for name, row in _list()["variants"].items()
        if name in built
    )


def best_variant(cpu_features: Collection[str]) -> Variant | None:
    """The best built variant that a CPU with these features (LLVM's names) can run."""
    return next((v for v in variants() if v.cpu_features <= set(cpu_features)), None)


def symbol(kernel: str) -> str:
    """The C function's name; the same in every variant, so one program can carry several."""
    return _list()["kernels"][kernel]["symbol"]


def object_path(kernel: str, variant: str) -> Path:
    """The object file of a kernel. Raises FileNotFoundError when that variant was not built."""
    folder, built = _built()
    if folder is None or variant not in built["variants"]:
        why = built["notice"] or f"only {', '.join(built['variants'])} were built"
        raise FileNotFoundError(f"no object of kernel {kernel} for {variant}: {why}")
    return folder / f"{kernel}.{variant}.o"


def library_path(variant: str) -> Path:
    """The shared library with every kernel of one variant, for calls through ctypes."""
    return object_path("kernels", variant).with_name(f"libdavit_kernels.{variant}.so")


@cache
def host_cpu_features() -> frozenset[str]:
    """What this machine's CPU can do, in LLVM's names as far as the variants use them (Linux on x86-64 only)."""
    if platform.machine() not in ("x86_64", "AMD64") or not Path("/proc/cpuinfo").exists():
        return frozenset()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            return frozenset(line.split(":", 1)[1].split())
    return frozenset()


def pack_panels(b: np.ndarray) -> np.ndarray:
    """Pack B [K, N] for ``sgemm_panel``: [ceil(N/32), K, 32], columns past N zero."""
    k, n = b.shape
    panels = -(-n // PANEL)
    padded = np.zeros((k, panels * PANEL), b.dtype)
    padded[:, :n] = b
    return np.ascontiguousarray(padded.reshape(k, panels, PANEL).transpose(1, 0, 2))
