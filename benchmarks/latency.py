"""davit beside ONNX Runtime, in turn in one process: ``python benchmarks/latency.py m.onnx ...``

Both get the same number of threads and the same inputs. Rounds alternate, so that a noisy machine hits both alike;
the medians and their ratio are printed.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import click
import onnxruntime

import davit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test" / "support"))
from model_inputs import draw


def timed(call: Callable[[], object], seconds: float) -> list[float]:
    """Times of single calls, as many as fit."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or not times:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return times


@click.command()
@click.argument("models", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--threads", default=2, show_default=True)
@click.option("--rounds", default=5, show_default=True)
@click.option("--seconds", default=1.0, show_default=True, help="Per contestant and round.")
@click.option("--opt-level", default=2, show_default=True)
def main(models: tuple[Path, ...], threads: int, rounds: int, seconds: float, opt_level: int) -> None:
    """Compare latencies."""
    print(f"{'model':28} {'compile s':>9} {'davit ms':>9} {'ort ms':>9} {'davit/ort':>9}")
    for path in models:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        inputs = draw(path, session, 0)
        start = time.perf_counter()
        exe = davit.compile(path, threads=threads, opt_level=opt_level)
        compile_seconds = time.perf_counter() - start
        contestants: dict[str, Callable[[], object]] = {
            "davit": lambda exe=exe, inputs=inputs: exe.run(inputs),
            "ort": lambda session=session, inputs=inputs: session.run(None, inputs),
        }
        times: dict[str, list[float]] = {name: [] for name in contestants}
        for call in contestants.values():
            call()
        for _ in range(rounds):
            for name, call in contestants.items():
                times[name] += timed(call, seconds)
        davit_ms, ort_ms = (statistics.median(times[n]) * 1e3 for n in ("davit", "ort"))
        ratio = davit_ms / ort_ms
        print(f"{path.stem:28} {compile_seconds:9.1f} {davit_ms:9.3f} {ort_ms:9.3f} {ratio:9.2f}", flush=True)


if __name__ == "__main__":
    main()
