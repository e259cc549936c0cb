"""``davit-compile``: a model to a .davit file, or to the text of one of its levels."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

import click

import davit
from davit.compiler.iree import compile_to_phase
from davit.dialects import constants
from davit.mlir import ir
from davit.pipelines.driver import lower
from davit.pipelines.named import PIPELINES
from davit.pipelines.runner import RunOptions
from davit.pipelines.targets import resolve
from davit.tools.common import DIMS, OPT_LEVEL, TARGET, Tool, write_text

IREE_LEVELS = ("flow", "stream", "executable-sources", "hal", "vm")


def levels() -> list[str]:
    """Every level a model passes through, from the top."""
    ours = dict.fromkeys(["onnx", "stablehlo", *(s.name for p in PIPELINES.values() for s in p.stages)])
    return [*ours, *IREE_LEVELS]


def as_text(op: ir.Operation) -> str:
    """A level's IR with its nodes' names, large constants left out."""
    return op.get_asm(enable_debug_info=True, large_elements_limit=16, large_resource_limit=16)


def elide(text: str) -> str:
    """IREE's text without the bytes of large constants."""
    return re.sub(r'"0x[0-9A-Fa-f]{64,}"', '"0x..."', text)


@click.command(cls=Tool)
@click.argument("model")
@click.option("-o", "--output", default=None, help="The .davit file to write; with --until: the text's file.")
@click.option("--until", default=None, metavar="LEVEL", help="Stop at a level and print it: nn, linalg, flow, ...")
@click.option("--dump-levels", default=None, metavar="DIR", help="Keep the text of every level in this folder.")
@click.option("--iree-levels/--no-iree-levels", default=True, show_default=True, help="IREE's levels too.")
@click.option("--timing", is_flag=True, help="Print seconds per pass to stderr.")
@TARGET
@OPT_LEVEL
@DIMS
def main(
    model: str,
    output: str | None,
    until: str | None,
    dump_levels: str | None,
    iree_levels: bool,
    timing: bool,
    target: str,
    opt_level: int,
    dims: dict[str, int],
) -> None:
    """Compile MODEL (an .onnx file, or MLIR) to a .davit file, or stop at a level and print it."""
    if until is not None:
        write_text(output, text_of(model, until, target, opt_level, dims))
        return
    if output is None and dump_levels is None:
        raise davit.Error("nothing to write: give -o FILE.davit, --until LEVEL or --dump-levels DIR")
    on_stage = None
    if dump_levels is not None:
        on_stage = dumper(dump_levels)
        if iree_levels:
            dump_iree(model, dump_levels, target, opt_level, dims)
    if output is None:
        with constants.scope():
            lower(model, dims=dims or None, options=RunOptions(on_stage=on_stage))
        return
    exe = davit.compile(model, target, opt_level=opt_level, dims=dims or None, on_stage=on_stage)
    exe.save(output)
    for note in exe.meta.get("notes", ()):
        click.echo(f"note: {note}", err=True)
    if timing:
        for name, seconds in exe.meta["seconds"].items():
            click.echo(f"{seconds:9.4f} s  {name}", err=True)


def text_of(model: str, level: str, target: str, opt_level: int, dims: dict[str, int]) -> str:
    """The IR of a model at a level.

    Raises:
        davit.Error: the model does not pass there; the message lists where it does.
    """
    if level not in levels():
        raise davit.Error(f"there is no level {level!r}; the levels are {', '.join(levels())}")
    with constants.scope():
        if level in IREE_LEVELS:
            lowered = lower(model, dims=dims or None)
            flags = resolve(target, opt_level).flags
            return elide(compile_to_phase(lowered.bytecode(), flags, level, what=model))  # type: ignore[arg-type]
        try:
            return as_text(lower(model, dims=dims or None, until=level).module.operation)
        except KeyError:
            raise davit.Error(f"{model}: does not pass the level {level!r} on its way") from None


def dumper(folder: str) -> Callable[[str, ir.Operation], None]:
    """Write each level as it is reached: ``0-onnx.mlir``, ``1-nn.mlir``, ..."""
    make_folder(folder)
    count = 0

    def on_stage(stage: str, op: ir.Operation) -> None:
        nonlocal count
        write_text(os.path.join(folder, f"{count}-{stage}.mlir"), as_text(op))
        count += 1

    return on_stage


def dump_iree(model: str, folder: str, target: str, opt_level: int, dims: dict[str, int]) -> None:
    """Write IREE's levels, numbered after davit's."""
    make_folder(folder)
    with constants.scope():
        lowered = lower(model, dims=dims or None)
        bytecode, first = lowered.bytecode(), 1 + len(lowered.pipeline.stages)
    flags: Any = resolve(target, opt_level).flags
    for i, phase in enumerate(IREE_LEVELS, start=first):
        text = compile_to_phase(bytecode, flags, phase, what=model)  # type: ignore[arg-type]
        write_text(os.path.join(folder, f"{i}-{phase}.mlir"), elide(text))


def make_folder(folder: str) -> None:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as e:
        raise davit.Error(f"{folder}: cannot be made: {e.strerror}") from None


if __name__ == "__main__":
    main(prog_name="davit-compile")
