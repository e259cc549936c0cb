"""The texts of ``--list-passes`` and ``--show-pipeline``."""

from __future__ import annotations

import difflib
from dataclasses import fields

import davit
from davit.compiler.passes import PASSES
from davit.pipelines.named import PIPELINES
from davit.pipelines.parse import UPSTREAM


def list_passes() -> str:
    """davit's passes with their options, its pipelines, and the upstream passes of most use."""
    lines = ["davit's passes"]
    for name in sorted(PASSES):
        lines.append(f"  {name:24} {PASSES[name].summary()}")
        for f in fields(PASSES[name]):
            lines.append(f"    {f.name.replace('_', '-')}={f.default}")
    lines.append("pipelines")
    lines += [f"  {name:24} {p.why}" for name, p in PIPELINES.items()]
    lines.append("upstream and StableHLO passes (more are known to MLIR and can be used by name)")
    row = " "
    for name in sorted(UPSTREAM):
        if len(row) + len(name) > 110:
            lines.append(row)
            row = " "
        row += f" {name}"
    return "\n".join([*lines, row])


def show_pipelines(name: str = "all") -> str:
    """One pipeline, or all: per stage its passes, what it may leave, and why it is there.

    Raises:
        davit.Error: no pipeline has that name.
    """
    if name != "all" and name not in PIPELINES:
        near = difflib.get_close_matches(name, PIPELINES, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise davit.Error(f"there is no pipeline {name!r}{hint} There are {', '.join(PIPELINES)}")
    lines: list[str] = []
    for pipeline in PIPELINES.values() if name == "all" else [PIPELINES[name]]:
        lines.append(f"{pipeline.name}: {pipeline.why}")
        for stage in pipeline.stages:
            lines.append(f"  {stage.name}: {stage.why}")
            lines += [f"    {p}" for p in map(str, stage.passes)]
            lines.append(f"    leaves {', '.join(sorted(stage.leaves or ()))}")
    return "\n".join(lines)
