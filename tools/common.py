"""What the command lines share: errors become one paragraph and exit code 1; a traceback only with ``--debug``."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Any

import click

import davit

EPILOG = "Errors end with exit code 1 and one paragraph; --debug shows the traceback as well."


class Tool(click.Command):
    """A click command with davit's error handling."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("epilog", EPILOG)
        kwargs.setdefault("context_settings", {}).setdefault("help_option_names", ["-h", "--help"])
        super().__init__(*args, **kwargs)
        self.params.append(click.Option(["--debug"], is_flag=True, help="On an error, show where it came from."))

    def invoke(self, ctx: click.Context) -> Any:
        debug = ctx.params.pop("debug", False)
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except davit.Error as e:
            if debug:
                traceback.print_exc()
            click.echo(f"error: {e}", err=True)
            ctx.exit(1)
        except Exception as e:  # noqa: BLE001 - the last line of defence: a fault of ours is told as one
            if debug:
                traceback.print_exc()
            text = str(e).strip().splitlines()
            click.echo(
                f"error: internal: {type(e).__name__}: {text[0] if text else 'no message'} (a fault of davit's own; "
                "--debug shows where)",
                err=True,
            )
            ctx.exit(1)


def read_dims(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, int]:
    """click callback for ``--dims NAME=SIZE``, repeatable and comma-separated."""
    dims: dict[str, int] = {}
    for value in values:
        for part in value.split(","):
            name, equals, size = part.partition("=")
            if not (name and equals and size.isdigit()):
                raise click.BadParameter(f"{part!r} is not of the form NAME=SIZE")
            dims[name] = int(size)
    return dims


DIMS = click.option(
    "--dims", multiple=True, callback=read_dims, metavar="NAME=SIZE", help="Fix a symbolic dimension; may be repeated."
)
INPUTS = click.option(
    "-i", "--input", "files", multiple=True, metavar="[NAME=]FILE", help="A .npy or .npz file; may be repeated."
)
TARGET = click.option("--target", default="cpu", show_default=True, help="cpu, vulkan, cuda, hip or metal.")
OPT_LEVEL = click.option("-O", "--opt-level", type=click.IntRange(0, 3), default=2, show_default=True)
DEVICE = click.option("--device", default=None, help="Where to run, by default the target's device.")
THREADS = click.option("--threads", type=click.IntRange(1), default=None, help="Worker threads of local-task.")


def write_text(path: str | None, text: str) -> None:
    """To a file, or to stdout for None and ``-``.

    Raises:
        davit.Error: the file cannot be written.
    """
    if path in (None, "-"):
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    try:
        Path(path).write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")
    except OSError as e:
        raise davit.Error(f"{path}: cannot be written: {e.strerror}") from None


def is_package(path: str) -> bool:
    """True for a file that begins as a ``.davit`` file (a zip archive) does."""
    try:
        with open(path, "rb") as f:
            return f.read(2) == b"PK"
    except OSError:
        return False


def open_executable(
    model: str, *, target: str, dims: dict[str, int], opt_level: int, device: str | None, threads: int | None
) -> davit.Executable:
    """Load a ``.davit`` file, or compile a model."""
    if is_package(model):
        return davit.load(model, device=device, threads=threads)
    return davit.compile(model, target, dims=dims or None, opt_level=opt_level, device=device, threads=threads)
