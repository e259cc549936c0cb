"""``davit-run``: a model or a .davit file on arrays."""

from __future__ import annotations

import click
import numpy as np

import davit
from davit.tools.common import DEVICE, DIMS, INPUTS, OPT_LEVEL, TARGET, THREADS, Tool, open_executable
from davit.tools.inputs import random_inputs, read_inputs


@click.command(cls=Tool)
@click.argument("model")
@INPUTS
@click.option("--random", is_flag=True, help="Draw the inputs that no file gives.")
@click.option("--seed", default=0, show_default=True, help="Of --random.")
@click.option("--save", default=None, metavar="FILE.npz", help="Write the outputs here.")
@click.option("--quiet", is_flag=True, help="Print no values.")
@TARGET
@OPT_LEVEL
@DIMS
@DEVICE
@THREADS
def main(
    model: str,
    files: tuple[str, ...],
    random: bool,
    seed: int,
    save: str | None,
    quiet: bool,
    target: str,
    opt_level: int,
    dims: dict[str, int],
    device: str | None,
    threads: int | None,
) -> None:
    """Run MODEL (a .davit file, or a model to compile first) and print or save its outputs.

    With --random, --dims also gives the sizes of dimensions that a .davit file left open.
    """
    exe = open_executable(model, target=target, dims=dims, opt_level=opt_level, device=device, threads=threads)
    inputs = read_inputs(files, exe.signature)
    if random:
        inputs = random_inputs(exe.signature, dims, seed) | inputs
    outputs = exe.run(inputs)
    if save is not None:
        try:
            with open(save, "wb") as f:
                np.savez(f, **outputs)  # type: ignore[arg-type]
        except OSError as e:
            raise davit.Error(f"{save}: cannot be written: {e.strerror}") from None
    for name, value in outputs.items():
        click.echo(f"{name}: {value.dtype.name}{list(value.shape)}")
        if not quiet:
            click.echo(np.array2string(value, threshold=64, edgeitems=3, precision=6))


if __name__ == "__main__":
    main(prog_name="davit-run")
