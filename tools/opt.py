"""``davit-opt``: runs passes over a module, as mlir-opt does, with davit's passes and pipelines beside upstream's."""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path
from typing import Any

import click

import davit
from davit.mlir import ir
from davit.pipelines.named import pipeline_for
from davit.pipelines.parse import parse_pipeline
from davit.pipelines.runner import RunOptions, Trace, run_pipeline
from davit.pipelines.source import detect
from davit.pipelines.stage import Pipeline, Stage
from davit.tools.common import DIMS, Tool, write_text
from davit.tools.listing import list_passes, show_pipelines

SEPARATOR = re.compile(r"^// -----.*$", re.M)
EXPECTED = re.compile(r"//\s*expected-error(?:@[+-]?\d+)?\s*\{\{(.*?)\}\}")


@click.command(
    cls=Tool,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    help="""Run passes over INPUT: MLIR text or bytecode (`-` for stdin), or an .onnx file, which is imported first.

    Passes are named on the command line in order (`--canonicalize --nn-to-linalg`, options as
    `--fold-constants=growth=4`), or with --pass-pipeline in MLIR's syntax. Named pipelines count as passes:
    `--onnx-to-linalg`.""",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[INPUT] [--PASS]...")
@click.option("--pass-pipeline", default=None, help="Passes in MLIR's pipeline syntax.")
@click.option("--until", default=None, metavar="STAGE", help="Run the input's own pipeline up to this stage.")
@click.option("--dump-after", multiple=True, metavar="PASS", help="Print the IR after a pass, or after `all`.")
@click.option("--dump-dir", default=None, help="Write the dumps to files in this folder instead.")
@click.option("--split-input-file", is_flag=True, help="Treat the parts between `// -----` lines on their own.")
@click.option("--verify-diagnostics", is_flag=True, help="Check errors against `// expected-error {{text}}` comments.")
@click.option("--verify-each/--no-verify-each", default=True, show_default=True, help="Verify after every pass.")
@click.option("--timing", is_flag=True, help="Print seconds per pass to stderr.")
@click.option("--emit", type=click.Choice(["text", "bytecode"]), default="text", show_default=True)
@click.option("--mlir-print-debuginfo", is_flag=True, help="Print locations: the names of the model's nodes.")
@click.option("--large-constants/--elide-large-constants", default=False, help="Print large constants in full.")
@click.option("--list-passes", is_flag=True, help="List passes and pipelines, and end.")
@click.option("--show-pipeline", is_flag=False, flag_value="all", default=None, metavar="[NAME]", help="Show, and end.")
@click.option("-o", "output", default=None, help="Write here instead of stdout.")
@DIMS
@click.pass_context
def main(ctx: click.Context, arguments: tuple[str, ...], **options: Any) -> None:
    if options["list_passes"]:
        click.echo(list_passes())
        return
    if options["show_pipeline"] is not None:
        click.echo(show_pipelines(options["show_pipeline"]))
        return
    path, steps = read_arguments((*arguments, *ctx.args), options["pass_pipeline"])
    if steps and options["until"]:
        raise davit.Error("--until runs the input's own pipeline: name passes or --until, not both")
    job = Job(steps, options)
    if path.endswith(".onnx"):
        outputs = [job.file(path)]
    else:
        outputs = job.text(path)
    if job.failed:
        ctx.exit(1)
    if options["verify_diagnostics"]:
        return
    if options["emit"] == "bytecode":
        write_bytes(options["output"], outputs)
    else:
        write_text(options["output"], "\n// -----\n\n".join(str(o) for o in outputs))


def read_arguments(arguments: tuple[str, ...], pipeline: str | None) -> tuple[str, str]:
    """The input's path and one pipeline text from passes given as flags and --pass-pipeline.

    Raises:
        davit.Error: two inputs, or both ways of naming passes.
    """
    paths = [a for a in arguments if not a.startswith("-") or a == "-"]
    flags = [a.lstrip("-") for a in arguments if a.startswith("-") and a != "-"]
    if len(paths) > 1:
        raise davit.Error(f"one input is expected, not {len(paths)}: {', '.join(paths)}")
    if flags and pipeline:
        raise davit.Error(f"name passes as flags (--{flags[0]}) or with --pass-pipeline, not both")
    parts = []
    for flag in flags:
        name, equals, options = flag.partition("=")
        parts.append(f"{name}{{{options}}}" if equals else name)
    return (paths or ["-"])[0], pipeline or ",".join(parts)


class Job:
    """One run over one input file, which may hold several modules."""

    def __init__(self, pipeline: str, options: dict[str, Any]) -> None:
        self.steps = parse_pipeline(pipeline) if pipeline else ()
        self.options = options
        self.trace = Trace()
        self.failed = False
        self.dumps = 0

    def file(self, path: str) -> str | bytes:
        """Import a model and run."""
        from davit.dialects import make_context
        from davit.pipelines.driver import read

        context = make_context()
        with context, ir.Location.unknown():
            module, level = read(detect(path), context, dims=self.options["dims"])
            return self.run(module, level)

    def text(self, path: str) -> list[str | bytes]:
        """Every part of an MLIR file."""
        try:
            data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        except OSError as e:
            raise davit.Error(f"{path}: cannot be read: {e.strerror}") from None
        name = "<stdin>" if path == "-" else path
        if not self.options["split_input_file"]:
            return [r for r in [self.part(data, name)] if r is not None]
        try:
            parts = SEPARATOR.split(data.decode())
        except UnicodeDecodeError:
            raise davit.Error(f"{name}: only text can be split") from None
        return [r for p in parts if (r := self.part(p.encode(), name)) is not None]

    def part(self, data: bytes, name: str) -> str | bytes | None:
        """Parse one module and run; with --verify-diagnostics an expected error is no failure."""
        from davit.compiler.frontends.mlir import read_mlir
        from davit.dialects import make_context

        expected = EXPECTED.findall(data.decode("utf-8", "replace")) if self.options["verify_diagnostics"] else []
        context = make_context()
        try:
            with context, ir.Location.unknown():
                module, level = read_mlir(data, name, context)
                result = self.run(module, level)
        except davit.Error as e:
            if not self.options["verify_diagnostics"]:
                raise
            for text in expected:
                if text not in str(e):
                    self.complain(name, f"expected an error with {text!r}, but it says: {e}")
            if not expected:
                self.complain(name, f"unexpected error: {e}")
            return None
        if expected:
            self.complain(name, f"expected an error with {expected[0]!r}, but there was none")
        return result

    def complain(self, name: str, text: str) -> None:
        self.failed = True
        click.echo(f"{name}: {text}", err=True)

    def run(self, module: ir.Module, level: str) -> str | bytes:
        if self.steps:
            pipeline = Pipeline("command-line", "", Stage("command-line", self.steps, None, ""))
        elif self.options["until"]:
            pipeline = pipeline_for(level)
            names = [level, *(s.name for s in pipeline.stages)]
            if self.options["until"] not in names:
                raise davit.Error(f"there is no stage {self.options['until']!r} from {level}: {', '.join(names)}")
            pipeline = Pipeline(level, "") if self.options["until"] == level else pipeline.until(self.options["until"])
        else:
            pipeline = Pipeline("nothing", "")
        options = RunOptions(on_pass=self.dump, verify=self.options["verify_each"])
        run_pipeline(module, pipeline, options, self.trace)
        if self.options["timing"]:
            for (stage, name), seconds in self.trace.seconds.items():
                click.echo(f"{seconds:9.4f} s  {stage}: {name}", err=True)
        if self.options["emit"] == "bytecode":
            buffer = io.BytesIO()
            module.operation.write_bytecode(buffer)
            return buffer.getvalue()
        return self.show(module.operation)

    def show(self, op: ir.Operation) -> str:
        limit = None if self.options["large_constants"] else 16
        return op.get_asm(
            enable_debug_info=self.options["mlir_print_debuginfo"],
            large_elements_limit=limit,
            large_resource_limit=limit,
        )

    def dump(self, stage: str, name: str, op: ir.Operation) -> None:
        wanted = self.options["dump_after"]
        short = re.split(r"[{(]", name)[0]
        if "all" not in wanted and name not in wanted and short not in wanted:
            return
        text = f"// IR after {stage}: {name}\n{self.show(op)}"
        if self.options["dump_dir"] is None:
            click.echo(text, err=True)
            return
        try:
            os.makedirs(self.options["dump_dir"], exist_ok=True)
        except OSError as e:
            raise davit.Error(f"{self.options['dump_dir']}: cannot be made: {e.strerror}") from None
        write_text(os.path.join(self.options["dump_dir"], f"{self.dumps:02}-{short.replace(',', '-')}.mlir"), text)
        self.dumps += 1


def write_bytes(path: str | None, outputs: list[Any]) -> None:
    if len(outputs) != 1:
        raise davit.Error("bytecode holds one module: use --emit=text with --split-input-file")
    try:
        if path in (None, "-"):
            sys.stdout.buffer.write(outputs[0])
        else:
            Path(path).write_bytes(outputs[0])
    except OSError as e:
        raise davit.Error(f"{path}: cannot be written: {e.strerror}") from None


if __name__ == "__main__":
    main(prog_name="davit-opt")
