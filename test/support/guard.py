"""Runs something on broken models in a child process, so that a crash or a hang is an outcome and not the end.

As a command it is the fuzzer for long runs::

    python test/support/guard.py --rounds 20000 --seed 1 --level compile --keep /tmp/findings
"""

from __future__ import annotations

import argparse
import collections
import functools
import json
import os
import random
import select
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

Level = Literal["read", "compile"]

MEMORY = 6 << 30


@dataclass(frozen=True)
class Outcome:
    """What became of a model; ``error`` is a davit.Error, ``trace`` any other exception."""

    kind: Literal["ok", "error", "trace", "crash", "hang"]
    text: str
    seconds: float


class Guard:
    """A child process that reads, or compiles, one model after the other."""

    def __init__(self, level: Level = "read", timeout: float = 60.0) -> None:
        self.level, self.timeout = level, timeout
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Guard:
        return self

    def __exit__(self, *exc: object) -> None:
        self._stop()

    def try_model(self, model: bytes) -> Outcome:
        """Gives the child one model."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-P", __file__, "--child", self.level], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        start = time.perf_counter()
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write(len(model).to_bytes(8, "little") + model)
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], self.timeout)
            line = self.process.stdout.readline() if ready else None
        except BrokenPipeError:
            line = b""
        seconds = time.perf_counter() - start
        if line is None:
            self._stop()
            return Outcome("hang", f"no answer in {self.timeout:g} s", seconds)
        if not line:
            code = self.process.wait()
            self._stop()
            return Outcome("crash", f"exit code {code}", seconds)
        kind, text = json.loads(line)
        return Outcome(kind, text, seconds)

    def _stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for stream in (self.process.stdin, self.process.stdout):
                if stream is not None:
                    stream.close()
            self.process = None


def child(level: Level) -> None:
    """The child's loop."""
    import resource
    import traceback

    import davit
    from davit.compiler.frontends.onnx.read import read_onnx
    from davit.dialects import constants, make_context

    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    jobs: BinaryIO = sys.stdin.buffer
    while len(head := jobs.read(8)) == 8:
        model = jobs.read(int.from_bytes(head, "little"))
        try:
            if level == "compile":
                davit.compile(model)
            else:
                with constants.scope():
                    read_onnx(model, make_context())
            kind, text = "ok", ""
        except davit.Error as error:
            kind, text = "error", f"{type(error).__name__}: {error}"
        except BaseException:  # noqa: BLE001 - that there is none is what is being tested
            kind, text = "trace", traceback.format_exc()
        print(json.dumps([kind, text]), file=answers, flush=True)


@functools.cache
def seeds() -> list[bytes]:
    """Small valid models with every operator: ONNX's own node cases."""
    from onnx.backend.test.case.node import collect_testcases

    warnings.simplefilter("ignore")  # numpy's, about the overflows that the cases are about
    return [case.model.SerializeToString() for case in collect_testcases(None)]


def variants(models: list[bytes], rounds: int, seed: int) -> Iterator[bytes]:
    """Mutated models, the same for the same seed."""
    from mutations import mutate_bytes, mutate_proto

    rng = random.Random(seed)
    for _ in range(rounds):
        model = rng.choice(models)
        yield mutate_proto(model, rng) if rng.random() < 0.7 else mutate_bytes(model, rng)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--child", choices=("read", "compile"), help=argparse.SUPPRESS)
    parser.add_argument("--level", choices=("read", "compile"), default="read")
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--keep", type=Path, help="folder for the models that end badly")
    args = parser.parse_args()
    if args.child:
        child(args.child)
        return 0
    sys.path.insert(0, str(Path(__file__).parent))
    counts: collections.Counter[str] = collections.Counter()
    start, slowest = time.perf_counter(), 0.0
    with Guard(args.level, args.timeout) as guard:
        for number, model in enumerate(variants(seeds(), args.rounds, args.seed)):
            outcome = guard.try_model(model)
            counts[outcome.kind] += 1
            slowest = max(slowest, outcome.seconds)
            if outcome.kind not in ("ok", "error"):
                print(f"round {number}: {outcome.kind}: {outcome.text.strip().splitlines()[-1]}")
                if args.keep:
                    args.keep.mkdir(parents=True, exist_ok=True)
                    (args.keep / f"{args.seed}-{number}.onnx").write_bytes(model)
    shown = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
    print(f"{args.rounds} models in {time.perf_counter() - start:.0f} s: {shown}; slowest {slowest:.1f} s")
    return 1 if counts.keys() - {"ok", "error"} else 0


if __name__ == "__main__":
    sys.exit(main())
