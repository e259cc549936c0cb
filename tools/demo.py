"""``davit demo``: the digits network that davit ships, compiled, run on rows it was not trained on, level by level."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import click
import numpy as np
from rich.console import Console

import davit
from davit.pipelines.runner import op_counts
from davit.tools.common import Tool

DATA = Path(davit.__file__).parent / "data"
MODEL = DATA / "digits.onnx"


def accuracy(exe: davit.Executable, pixels: np.ndarray, labels: np.ndarray) -> tuple[int, int]:
    """How many of the rows the network gets right, and how many there are."""
    (probabilities,) = exe.run({"pixels": pixels}).values()
    return int((probabilities.argmax(1) == labels).sum()), len(labels)


def median_ms(exe: davit.Executable, pixels: np.ndarray, runs: int) -> float:
    """The median time of one call in milliseconds, after one that warms up."""
    exe(pixels)
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        exe(pixels)
        times.append(time.perf_counter() - start)
    return float(np.median(times)) * 1e3


def summary(counts: Counter[str], most: int = 6) -> str:
    """`12 ops: 4 nn.conv, 3 nn.relu, ...`, the most frequent first."""
    parts = [f"{n} {name}" for name, n in counts.most_common(most)]
    rest = len(counts) - most
    return f"{sum(counts.values()):4} ops: {', '.join(parts)}{f', and {rest} other kinds' if rest > 0 else ''}"


@click.command(cls=Tool)
@click.option("--runs", default=200, show_default=True, type=click.IntRange(1), help="Calls to time.")
def main(runs: int) -> None:
    """Compile the digits network that davit ships and show every level of it."""
    console = Console(highlight=False, soft_wrap=True)
    with np.load(DATA / "digits_heldout.npz") as f:
        pixels, labels = f["pixels"], f["labels"]
    levels: dict[str, Counter[str]] = {}
    start = time.perf_counter()
    exe = davit.compile(MODEL, on_stage=lambda level, op: levels.update({level: Counter(op_counts(op))}))
    seconds = time.perf_counter() - start
    right, rows = accuracy(exe, pixels, labels)
    console.print(f"[bold]{MODEL.name}[/bold], trained by examples/digits/train.py, compiled in {seconds:.1f} s")
    for level, counts in levels.items():
        console.print(f"  {level:10} {summary(counts)}")
    console.print(f"accuracy on {rows} held-back digits: {right}/{rows} = {right / rows:.1%}")
    one, all_ = median_ms(exe, pixels[:1], runs), median_ms(exe, pixels, runs)
    latency = f"{one:.3f} ms for one digit, {all_:.3f} ms for all {rows}"
    console.print(f"latency on {exe.device}: {latency} (median of {runs})")


if __name__ == "__main__":
    main(prog_name="davit demo")
