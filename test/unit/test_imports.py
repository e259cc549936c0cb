"""Imports run one way: dialects <- compiler <- pipelines <- tools; the runtime stands alone. Read from the sources."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

FRONT = {"davit", "davit.errors", "davit.mlir"}
ALLOWED = {
    "davit": {"davit.errors"},
    "dialects": FRONT | {"davit.dialects"},
    "compiler": FRONT | {"davit.dialects", "davit.compiler"},
    "pipelines": FRONT | {"davit.dialects", "davit.compiler", "davit.pipelines", "davit.runtime"},
    "tools": FRONT | {"davit.dialects", "davit.compiler", "davit.pipelines", "davit.runtime", "davit.tools"},
    "runtime": {"davit.errors", "davit.runtime"},
}
"""What each folder may import of davit. ``davit/`` itself reaches the rest only on first use, by name."""

RUNTIME_LIBRARIES = {"numpy", "ml_dtypes", "iree.runtime"} | set(sys.stdlib_module_names)

FILES = [p.relative_to(ROOT) for folder in ALLOWED for p in sorted((ROOT / folder).rglob("*.py"))]


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every module that a file imports, functions' bodies included; what only type checkers see is left out."""
    tree = ast.parse((ROOT / path).read_text())
    package = ["davit", *path.parts[:-1]] if path.parts[0] != "davit" else list(path.parts[:-1])
    hidden = {
        id(node)
        for test in ast.walk(tree)
        if isinstance(test, ast.If) and ast.unparse(test.test).endswith("TYPE_CHECKING")
        for statement in test.body
        for node in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if id(node) in hidden:
            continue
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield node.lineno, module
            # `from davit import dialects` imports davit.dialects.
            yield from ((node.lineno, f"{module}.{a.name}") for a in node.names if module == "davit")


def family(module: str) -> str:
    """davit.compiler.x.y -> davit.compiler; names of davit's front door -> davit."""
    head = ".".join(module.split(".")[:2])
    known = FRONT | {f"davit.{folder}" for folder in ALLOWED}
    return head if head in known else "davit"


@pytest.mark.parametrize("path", FILES, ids=str)
def test_imports_run_one_way(path: Path) -> None:
    folder = path.parts[0]
    wrong = [
        f"{path}:{line} imports {module}"
        for line, module in imports(path)
        if module.split(".")[0] == "davit" and family(module) not in ALLOWED[folder] | {"davit"}
    ]
    assert not wrong


@pytest.mark.parametrize("path", [p for p in FILES if p.parts[0] == "runtime"], ids=str)
def test_the_runtime_stands_alone(path: Path) -> None:
    wrong = [
        f"{path}:{line} imports {module}"
        for line, module in imports(path)
        if module.split(".")[0] != "davit"
        and not ({module, module.split(".")[0], ".".join(module.split(".")[:2])} & RUNTIME_LIBRARIES)
    ]
    assert not wrong


def test_the_bindings_are_imported_in_one_place() -> None:
    users = {str(p) for p in FILES for _, module in imports(p) if module.split(".")[0] == "torch_mlir"}
    assert users == {"davit/mlir.py"}


def test_the_reader_sees_every_form_of_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    (tmp_path / "compiler" / "x").mkdir(parents=True)
    path = Path("compiler/x/a.py")
    (tmp_path / path).write_text(
        "import davit.tools.opt\nfrom .. import iree\nfrom davit import tools\n"
        "def f():\n    from .b import c\nif TYPE_CHECKING:\n    import hidden\n"
    )
    assert [m for _, m in imports(path)] == [
        "davit.tools.opt",
        "davit.compiler",
        "davit",
        "davit.tools",
        "davit.compiler.x.b",
    ]
