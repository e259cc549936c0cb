"""Every lowering family and every pass has its lit test, at the path of its source."""

from __future__ import annotations

from pathlib import Path

import pytest

from davit.compiler import transforms
from davit.compiler.passes import PASSES

ROOT = Path(__file__).resolve().parents[2]
LIT = ROOT / "test" / "lit"
FRAMEWORK = {"__init__", "base", "convert", "support", "values", "keys"}
"""Modules of a lowering package that lower nothing themselves."""


def families() -> list[Path]:
    """The modules that register a lowering, relative to the root and without their suffix."""
    found = []
    for path in sorted((ROOT / "compiler" / "lowering").rglob("*.py")):
        if path.stem not in FRAMEWORK and "@lowers(" in path.read_text(encoding="utf-8"):
            found.append(path.relative_to(ROOT / "compiler").with_suffix(""))
    return found


@pytest.mark.parametrize("family", families(), ids=str)
def test_each_lowering_family_has_a_lit_test(family: Path) -> None:
    test = LIT / family.with_suffix(".mlir")
    assert test.exists(), f"{family}.py lowers ops, but there is no {test.relative_to(ROOT)}"
    assert "CHECK" in test.read_text(encoding="utf-8")


def test_each_pass_has_a_lit_test() -> None:
    assert transforms.MODULES
    missing = [name for name in PASSES if not (LIT / "transforms" / f"{name}.mlir").exists()]
    assert not missing


def test_every_lit_test_checks_something() -> None:
    for path in [*LIT.rglob("*.mlir"), *LIT.rglob("*.test")]:
        if "Inputs" in path.parts:
            continue
        text = path.read_text(encoding="utf-8")
        assert "RUN:" in text, path
        assert "filecheck" in text or "--verify-diagnostics" in text, f"{path} runs, but checks nothing"
