"""Runs pipelines: every pass through MLIR's PassManager, every stage held to its contract.

A failure leaves a reproducer: the IR before the failing stage and the ``davit-opt`` command that replays it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from davit.compiler.lowering.registry import FAULTS, fault
from davit.compiler.passes import Pass
from davit.dialects.definition import is_pack
from davit.errors import CompileError
from davit.mlir import ir, passmanager
from davit.pipelines import reproduce
from davit.pipelines.stage import Pipeline, Stage


@dataclass
class Trace:
    """What a run did: seconds per (stage, pass), and op counts per level."""

    seconds: dict[tuple[str, str], float] = field(default_factory=dict)
    op_counts: dict[str, dict[str, int]] = field(default_factory=dict)

    def add(self, stage: str, name: str, seconds: float) -> None:
        key = (stage, name)
        self.seconds[key] = self.seconds.get(key, 0.0) + seconds


@dataclass
class RunOptions:
    """How a pipeline is run.

    Attributes:
        on_stage: called with (stage name, module) after each stage; for dumps.
        on_pass: called with (stage name, pass text, module) after each pass.
        reproducer_dir: where a failure writes its reproducer; None for a fresh temporary directory.
        verify: run the verifier after every pass.
    """

    on_stage: Callable[[str, ir.Operation], None] | None = None
    on_pass: Callable[[str, str, ir.Operation], None] | None = None
    reproducer_dir: str | None = None
    verify: bool = True
    count_ops: bool = False


def walk(op: ir.Operation) -> Iterator[ir.Operation]:
    """Every operation below ``op``, itself not included."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield inner.operation
                yield from walk(inner.operation)


def op_counts(module: ir.Operation) -> dict[str, int]:
    """Operation names and how often they occur, most frequent first."""
    return dict(Counter(op.name for op in walk(module)).most_common())


def run_pipeline(
    module: ir.Module, pipeline: Pipeline, options: RunOptions | None = None, trace: Trace | None = None
) -> Trace:
    """Run all stages on a module, in place.

    Raises:
        Error: what a pass raised (its message already names file, node and op).
        CompileError: a pass failed or a stage left what it must not; with a reproducer.
    """
    options = options or RunOptions()
    trace = Trace() if trace is None else trace
    for stage in pipeline.stages:
        before = module.operation.clone()  # resources are shared: only ops are copied
        try:
            for step in stage.passes:
                start = time.perf_counter()
                run_step(module.operation, step, verify=options.verify)
                trace.add(stage.name, str(step), time.perf_counter() - start)
                if options.on_pass is not None:
                    options.on_pass(stage.name, str(step), module.operation)
            if stage.leaves is not None:
                check_contract(module.operation, stage)
        except CompileError as e:
            e.stage = e.stage or stage.name
            e.reproducer = e.reproducer or _reproducer(before, stage, options)
            raise
        except (ir.MLIRError, *FAULTS) as e:
            why = first_line(e) if isinstance(e, ir.MLIRError) else fault(e)
            raise CompileError(
                f"stage '{stage.name}' of {pipeline.name} failed: {why}",
                _reproducer(before, stage, options),
                stage.name,
            ) from e
        del before
        if options.count_ops:
            trace.op_counts[stage.name] = op_counts(module.operation)
        if options.on_stage is not None:
            options.on_stage(stage.name, module.operation)
    return trace


def first_line(e: Exception) -> str:
    """The diagnostic of an MLIR error without its frame."""
    lines = [line.strip() for line in str(e).splitlines() if line.strip()]
    return " ".join(lines[1:3]) if len(lines) > 1 else (lines[0] if lines else type(e).__name__)


def run_step(module: ir.Operation, step: Pass | str, *, verify: bool = True) -> None:
    """Run one pass of ours or one text of upstream passes through the PassManager."""
    pm = passmanager.PassManager("builtin.module", module.context)
    pm.enable_verifier(verify)
    if isinstance(step, Pass):

        def call(op: ir.Operation, _pass: object, step: Pass = step) -> None:
            with op.context, ir.Location.unknown():
                step.run(op.operation if isinstance(op, ir.OpView) else op)

        pm.add(call, name=step.name, argument=step.name)
    else:
        pm = passmanager.PassManager.parse(f"builtin.module({step})", module.context)
        pm.enable_verifier(verify)
    pm.run(module)


def check_contract(module: ir.Operation, stage: Stage) -> None:
    """Raise unless only the stage's dialects remain.

    Raises:
        CompileError: the message counts what is left and names the first place.
    """
    assert stage.leaves is not None
    left: Counter[str] = Counter()
    first: dict[str, ir.Operation] = {}
    for op in walk(module):
        if op.name.partition(".")[0] not in stage.leaves and not is_pack(op):
            left[op.name] += 1
            first.setdefault(op.name, op)
    if left:
        parts = [f"{name} x{n} (first at {first[name].location})" for name, n in left.most_common()]
        raise CompileError(f"stage '{stage.name}' left operations it must not leave: {', '.join(parts)}")


def _reproducer(before: ir.Operation, stage: Stage, options: RunOptions) -> str | None:
    return reproduce.save(before, ",".join(map(str, stage.passes)), stage.name, options.reproducer_dir)
