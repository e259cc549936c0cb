"""What an install puts where: packages under davit and nowhere else, commands that exist, imports that stay light."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
MAPPING = PROJECT["tool"]["scikit-build"]["wheel"]["force-include"]
SCRIPTS = PROJECT["project"]["scripts"]
NOT_INSTALLED = {"test", "examples", "benchmarks", "docs", "build", "dist"}


def python(code: str, cwd: Path) -> str:
    """Run code in a fresh interpreter that sees the environment and nothing of the current folder."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_folder_with_code_has_its_package() -> None:
    folders = {
        p.parent.name
        for p in ROOT.glob("*/*.py")
        if not p.parent.name.startswith(".") and p.parent.name not in NOT_INSTALLED
    }
    assert {folder: "davit" if folder == "davit" else f"davit/{folder}" for folder in folders} == MAPPING


@pytest.mark.parametrize("folder", [f for f in MAPPING if f != "davit"])
def test_each_folder_is_a_subpackage_of_davit(folder: str, tmp_path: Path) -> None:
    out = python(f"import davit.{folder} as m; print(m.__name__, *m.__path__, sep='\\n')", tmp_path)
    name, *paths = out.splitlines()
    assert name == f"davit.{folder}"
    assert any(Path(p).name == folder for p in paths)


def test_no_folder_is_a_top_level_name(tmp_path: Path) -> None:
    """In an editable install too. The standard library has a `test` of its own: it must be that one."""
    code = f"""
import importlib.util, sysconfig
for name in {sorted((set(MAPPING) | NOT_INSTALLED) - {"davit", "build"})}:
    spec = importlib.util.find_spec(name)
    if spec and not (spec.origin or "").startswith(sysconfig.get_path("stdlib")):
        print(name, spec.origin)
"""
    assert python(code, tmp_path) == ""


def test_the_distribution_holds_nothing_else() -> None:
    try:
        files = importlib.metadata.files("davit")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("davit is on the path without being installed")
    assert files
    top = {f.parts[0] for f in files if f.parts[0] not in ("..", "__pycache__")}
    extra = {t for t in top if not t.startswith(("davit-", "_editable_skbc_davit"))}
    assert extra <= {"davit"}
    assert {f.name for f in files if f.parts[0] == ".." and f.suffix == ""} <= set(SCRIPTS)


def test_the_version_stands_once() -> None:
    import davit

    assert davit.__version__ == PROJECT["project"]["version"]


@pytest.mark.parametrize("script", SCRIPTS)
def test_each_command_has_its_function(script: str) -> None:
    module, function = SCRIPTS[script].split(":")
    assert importlib.util.find_spec(module), f"{script}: there is no {module}"
    assert callable(getattr(importlib.import_module(module), function))


def test_help_needs_no_compiler(tmp_path: Path) -> None:
    code = """
import sys
from davit.tools.cli import main
try:
    main(["--help"], prog_name="davit")
except SystemExit as end:
    assert end.code == 0
print(sorted({m.split(".")[0] for m in sys.modules} & {"torch_mlir", "iree", "onnx", "numpy"}))
"""
    text = python(code, tmp_path)
    assert text.endswith("[]")
    for verb in ("demo", "compile", "run", "bench", "opt"):
        assert f"\n  {verb} " in text


def test_an_unknown_verb_is_a_sentence(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-m", "davit.tools.cli", "frobnicate"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2
    assert "No such command 'frobnicate'" in done.stderr


def test_the_runtime_needs_no_compiler(tmp_path: Path) -> None:
    code = """
import sys
import davit.runtime
davit.load, davit.devices
print([m for m in ("torch_mlir", "iree.compiler", "onnx", "davit.compiler", "davit.pipelines") if m in sys.modules])
"""
    assert python(code, tmp_path) == "[]"
