"""Run every test of davit: lit, then pytest; print both closing lines at the end; exit 1 unless both passed.

Usage: ``python test/check.py [pytest arguments]``, with the interpreter that davit is installed in. This is the one
test command: the README, `check-davit` of CMake and .ci/run all call it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIT_MAIN = "import sys; from lit.main import main; sys.argv[0] = 'lit'; main()"


def run(name: str, command: list[str]) -> tuple[int, list[str]]:
    """Run a command in the root, show its output as it comes, and give its exit code and lines."""
    print(f"==== {name}", flush=True)
    lines = []
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line.rstrip())
    return process.returncode, lines


def closing_lines(lines: list[str], starts: str) -> list[str]:
    """The last block of a runner's output, from the last line that matches on."""
    for i in range(len(lines) - 1, -1, -1):
        if re.match(starts, lines[i]):
            return [line for line in lines[i:] if line.strip()]
    return lines[-5:]


def main(arguments: list[str]) -> int:
    workers = str(os.cpu_count() or 1)
    # -P: the current folder must not shadow the installed davit.
    python = [sys.executable, "-P"]
    lit_code, lit_lines = run("lit", [*python, "-c", LIT_MAIN, "-j", workers, "test/lit"])
    pytest_code, pytest_lines = run("pytest", [*python, "-m", "pytest", "-q", "-n", workers, *arguments])
    print("==== closing lines", flush=True)
    print("\n".join(closing_lines(lit_lines, r"Testing Time|Total Discovered")))
    print("\n".join(closing_lines(pytest_lines, r".*\b\d+ (passed|failed|error|skipped)|no tests ran")))
    return 1 if lit_code or pytest_code else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
