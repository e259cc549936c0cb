"""``davit-bench``: latency of a model, beside ONNX Runtime's when that is installed."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable

import click
import numpy as np

import davit
from davit.tools.common import DEVICE, DIMS, INPUTS, OPT_LEVEL, TARGET, THREADS, Tool, is_package, open_executable
from davit.tools.inputs import random_inputs, read_inputs


def sample(call: Callable[[], object], seconds: float) -> list[float]:
    """Milliseconds of single calls, as many as fit into ``seconds``, at least one."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return times


@click.command(cls=Tool)
@click.argument("model")
@INPUTS
@click.option("--seconds", default=3.0, show_default=True, help="Measured time for each contestant.")
@click.option("--rounds", default=5, show_default=True, help="Contestants alternate this many times.")
@click.option("--onnxruntime/--no-onnxruntime", "peer", default=None, help="Measure ONNX Runtime in turn.")
@TARGET
@OPT_LEVEL
@DIMS
@DEVICE
@THREADS
def main(
    model: str,
    files: tuple[str, ...],
    seconds: float,
    rounds: int,
    peer: bool | None,
    target: str,
    opt_level: int,
    dims: dict[str, int],
    device: str | None,
    threads: int | None,
) -> None:
    """Measure the latency of MODEL: median and percentiles of single calls, in milliseconds."""
    start = time.perf_counter()
    exe = open_executable(model, target=target, dims=dims, opt_level=opt_level, device=device, threads=threads)
    click.echo(f"ready after {time.perf_counter() - start:.2f} s: {exe}")
    inputs = random_inputs(exe.signature, dims, 0) | read_inputs(files, exe.signature)
    contestants: dict[str, Callable[[], object]] = {"davit": lambda: exe.run(inputs)}
    if peer is None:
        peer = importlib.util.find_spec("onnxruntime") is not None and model.endswith(".onnx")
    if peer:
        contestants["onnxruntime"] = onnxruntime_call(model, inputs, threads)
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for call in contestants.values():
        call()
    for _ in range(rounds):
        for name, call in contestants.items():
            times[name] += sample(call, seconds / rounds)
    for name, t in times.items():
        p = np.percentile(t, [50, 90, 99])
        click.echo(f"{name:12} median {p[0]:9.3f} ms   p90 {p[1]:9.3f}   p99 {p[2]:9.3f}   calls {len(t)}")
    if peer:
        ratio = float(np.median(times["davit"]) / np.median(times["onnxruntime"]))
        click.echo(f"davit takes {ratio:.2f} times as long as ONNX Runtime")


def onnxruntime_call(model: str, inputs: dict[str, np.ndarray], threads: int | None) -> Callable[[], object]:
    """A call of ONNX Runtime with as many threads.

    Raises:
        davit.Error: it is not installed, or cannot read the model.
    """
    if is_package(model) or not model.endswith(".onnx"):
        raise davit.Error(f"{model}: ONNX Runtime is measured on .onnx files only")
    try:
        import onnxruntime
    except ImportError:
        raise davit.Error("ONNX Runtime is not installed: pip install 'davit[bench]'") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or 0
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as e:  # noqa: BLE001 - its exceptions have no common base
        raise davit.Error(f"{model}: ONNX Runtime refuses it: {str(e).splitlines()[0]}") from None
    return lambda: session.run(None, inputs)


if __name__ == "__main__":
    main(prog_name="davit-bench")
