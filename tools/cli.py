"""``davit <verb>``: one front for all command lines. Each verb's module is imported only when it is called, so that
``davit --help`` neither needs nor loads a compiler.

A tool's ``main`` takes its arguments (without the program's name) and returns the exit code; a click command, which
is called the same way, does as well.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import NoReturn

import click

VERBS = {
    "demo": ("davit.tools.demo", "Compile the digits network that davit ships and show every level of it."),
    "compile": ("davit.tools.compile", "Compile a model to a .davit file, or stop at a level and print it."),
    "run": ("davit.tools.run", "Run a model or a .davit file on arrays."),
    "bench": ("davit.tools.bench", "Measure a model's latency."),
    "opt": ("davit.tools.opt", "Run passes over MLIR text: the mlir-opt of davit."),
}


class Verb(click.Command):
    """A verb that hands everything after its name, ``--help`` too, to its tool's ``main``."""

    def __init__(self, name: str, module: str, summary: str) -> None:
        super().__init__(
            name,
            short_help=summary,
            add_help_option=False,
            context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
        )
        self.module = module

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.args = list(args)  # untouched: click would take "--" out of them
        return ctx.args

    def invoke(self, ctx: click.Context) -> NoReturn:
        tool = import_module(self.module).main
        # What the tool prints about itself (usage, errors) starts with this name.
        sys.argv[0] = f"davit {self.name}"
        sys.exit(tool(list(ctx.args)))


class Verbs(click.Group):
    """Verbs in the order of the table, which is the order in which a newcomer meets them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return Verb(cmd_name, *VERBS[cmd_name]) if cmd_name in VERBS else None


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if not value:
        return
    from davit import __version__
    from davit.runtime import kernels

    why_none = kernels.notice()
    names = ", ".join(v.name for v in kernels.variants())
    click.echo(f"davit {__version__}\nC kernels: {names if why_none is None else f'none ({why_none})'}")
    ctx.exit()


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show what is installed.",
)
def main() -> None:
    """Compile ONNX and StableHLO models, level by level, and run them on CPU, Vulkan or CUDA.

    `davit VERB --help` tells more about a verb.
    """


if __name__ == "__main__":
    main(prog_name="davit")
