"""Writes the documents that are output of commands: ``python docs/generate.py``; ``--check`` only compares.

Each document names the command whose output it is. A test runs the comparison, so that none goes stale.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
MODEL = "davit/data/digits.onnx"


def passes() -> str:
    from davit.tools.listing import list_passes

    return f"# Passes\n\nOutput of `davit-opt --list-passes`.\n\n```\n{list_passes()}\n```\n"


def pipelines() -> str:
    from davit.tools.listing import show_pipelines

    return f"# Pipelines\n\nOutput of `davit-opt --show-pipeline`.\n\n```\n{show_pipelines()}\n```\n"


def levels() -> str:
    """The demo model at davit's levels. IREE's levels name the machine's processor: they are left to the reader."""
    from davit.tools.compile import text_of

    parts = [
        "# The levels of the demo model\n",
        f"Output of `davit-compile {MODEL} --until LEVEL`; large constants are left out. `--until flow`, `stream`,",
        "`hal` and `vm` show IREE's levels, and `--dump-levels DIR` keeps all of them.\n",
    ]
    for level in ("onnx", "nn", "linalg", "hand-over"):
        text = text_of(MODEL, level, "cpu", 2, {})
        parts.append(f"## {level}\n\n```mlir\n{_tidy(text)}\n```\n")
    return "\n".join(parts)


def _tidy(text: str) -> str:
    """Without the printer's empty resource section, and with resource names that do not depend on what ran before."""
    text = re.sub(r"\n\{-#.*#-\}\n*", "", text, flags=re.S).strip()
    names: dict[str, str] = {}
    return re.sub(
        r"dense_resource<(\w+)>", lambda m: f"dense_resource<{names.setdefault(m[1], f'c{len(names)}')}>", text
    )


def operators() -> str:
    """Every operator of the standard and where it stands."""
    import davit.compiler.lowering.onnx_to_nn as lowerings
    from davit.compiler.lowering.onnx_to_nn import support
    from davit.dialects.onnx.schema import schemas

    assert lowerings.FAMILIES
    rows = ["# ONNX operators\n", "Every live operator at its newest version; older versions are lifted to it first.\n"]
    rows += ["| domain | operator | version | stands | note |", "|---|---|---|---|---|"]
    for s in sorted((s for s in schemas().values() if not s.deprecated), key=lambda s: (s.domain, s.op_type)):
        note = ""
        if (s.domain, s.op_type) in support.EXPANDED:
            state = "expanded"
        elif support.is_lowered(s.domain, s.op_type):
            state = "lowered"
        elif support.is_supported(s.domain, s.op_type):
            state = "host"
        else:
            state, note = "refused", support.reason(s.domain, s.op_type) or ""
        rows.append(f"| {s.domain or 'ai.onnx'} | {s.op_type} | {s.version} | {state} | {note} |")
    return "\n".join(rows) + "\n"


DOCUMENTS = {"passes.md": passes, "pipelines.md": pipelines, "levels.md": levels, "operators.md": operators}


def main(arguments: list[str]) -> int:
    os.chdir(ROOT)
    stale = []
    for name, make in DOCUMENTS.items():
        text, path = make(), DOCS / name
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        print(f"out of date: {', '.join(stale)}; run python docs/generate.py")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
