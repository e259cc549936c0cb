"""lit's configuration: `lit test/lit` runs the RUN lines with the davit of the interpreter that runs lit.

RUN lines say `davit-opt`, `davit-compile`, `davit-run` and `filecheck`; each becomes a module of that interpreter,
so no PATH and no activated environment is needed. Test files lie under test/lit/<path of the source they test>.
"""

# `config` and `lit_config` are given by lit.
# ruff: noqa: F821
import os
import sys
from pathlib import Path

import lit.formats

HERE = Path(__file__).resolve().parent

config.name = "davit"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "e2e", "support", "Inputs"]
config.test_source_root = str(HERE)
config.test_exec_root = str(HERE.parent / "build" / "lit")
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
for name in ("DAVIT_KERNELS", "DAVIT_TEST_MODELS", "LD_LIBRARY_PATH", "HOME", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# A test that hangs is a failure with a name, not a stuck run. (Per-test limits need psutil, which lit may lack.)
supported, _ = lit_config.maxIndividualTestTimeIsSupported
if supported:
    lit_config.maxIndividualTestTime = 120

PYTHON = f'"{sys.executable}" -P -m '
TOOLS = {
    "davit-opt": PYTHON + "davit.tools.opt",
    "davit-compile": PYTHON + "davit.tools.compile",
    "davit-run": PYTHON + "davit.tools.run",
    "filecheck": f'"{Path(sys.executable).parent / "filecheck"}"',
}
for tool, command in TOOLS.items():
    config.substitutions.append((rf"(?<![\w/.-]){tool}(?![\w/.-])", command))
config.substitutions.append(("%python", f'"{sys.executable}" -P'))
