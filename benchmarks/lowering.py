"""How long a model takes from file to the hand-over, and how much memory: ``python benchmarks/lowering.py m.onnx ...``

Each model is lowered in fresh processes (default three); the medians are printed beside the targets of the project:
2.5 times the model's size plus 600 MB of peak memory.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import click

CHILD = """
import json, resource, sys, time
start = time.perf_counter()
from davit.pipelines.driver import lower
loaded = time.perf_counter()
from davit.dialects import constants
with constants.scope():
    lowered = lower(sys.argv[1])
    done = time.perf_counter()
    size = len(lowered.bytecode())
    written = time.perf_counter()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
seconds = {f"{a}/{b}": s for (a, b), s in lowered.trace.seconds.items()}
print(json.dumps({"imports": loaded - start, "lower": done - loaded, "write": written - done, "peak": peak,
                  "bytecode": size, "passes": seconds}))
"""


def size_of(path: Path) -> int:
    """Bytes of a model with the external data beside it."""
    data = path.with_name(path.name + ".data")
    return path.stat().st_size + (data.stat().st_size if data.exists() else 0)


@click.command()
@click.argument("models", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--repeat", default=3, show_default=True, help="Fresh processes per model.")
@click.option("--passes/--no-passes", default=False, help="Show the seconds of each pass.")
def main(models: tuple[Path, ...], repeat: int, passes: bool) -> None:
    """Measure import and lowering of ONNX models."""
    print(f"{'model':28} {'size MB':>8} {'lower s':>8} {'write s':>8} {'peak MB':>8} {'limit MB':>8}")
    for path in models:
        rows = []
        for _ in range(repeat):
            out = subprocess.run(
                [sys.executable, "-P", "-c", CHILD, os.fspath(path)], check=True, capture_output=True, text=True
            )
            rows.append(json.loads(out.stdout.splitlines()[-1]))
        size = size_of(path) / 1e6

        def median(key: str, rows: list = rows) -> float:
            return statistics.median(r[key] for r in rows)

        print(
            f"{path.stem:28} {size:8.1f} {median('lower'):8.2f} {median('write'):8.2f} "
            f"{median('peak') / 1e6:8.0f} {2.5 * size + 600:8.0f}"
        )
        if passes:
            for name, seconds in rows[-1]["passes"].items():
                print(f"    {name:40} {seconds:8.3f}")


if __name__ == "__main__":
    main()
