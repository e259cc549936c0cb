"""Targets: what each asks of IREE's compiler, and the device that runs it."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace

from davit.errors import Error

EXACT = (
    # IREE narrows by default; a model's types are meant as they stand.
    "--iree-input-demote-f64-to-f32=false",
    "--iree-input-demote-i64-to-i32=false",
    # From O1 on IREE drops cf.assert: sizes that do not fit would go unnoticed, and reads leave their buffers.
    "--iree-opt-strip-assertions=false",
)


@dataclass(frozen=True)
class Target:
    """One kind of machine that programs are compiled for.

    Attributes:
        flags: of ``iree-compile``; the optimisation level's are added by :func:`resolve`.
        driver: the runtime's default device for it.
        note: one line for listings.
    """

    name: str
    flags: tuple[str, ...]
    driver: str
    note: str


CPU = Target(
    "cpu",
    (
        "--iree-hal-target-device=local",
        "--iree-hal-local-target-device-backends=llvm-cpu",
        "--iree-llvmcpu-target-cpu=host",
    ),
    "local-task",
    "the processor that compiles; code uses all of its vector instructions",
)
VULKAN = Target("vulkan", ("--iree-hal-target-device=vulkan",), "vulkan", "any Vulkan device, Mesa's software one too")
CUDA = Target(
    "cuda", ("--iree-hal-target-device=cuda", "--iree-cuda-target=sm_80"), "cuda", "NVIDIA, compute capability 8.0 on"
)
HIP = Target(
    "hip", ("--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"), "hip", "AMD Instinct MI300; compile-tested"
)
METAL = Target("metal", ("--iree-hal-target-device=metal",), "metal", "Apple GPUs; compile-tested")

TARGETS: dict[str, Target] = {t.name: t for t in (CPU, VULKAN, CUDA, HIP, METAL)}

OPT_LEVELS: dict[int, tuple[str, ...]] = {
    0: ("--iree-opt-level=O2",),
    1: ("--iree-opt-level=O2",),
    2: ("--iree-opt-level=O2",),
    3: ("--iree-opt-level=O3",),
}
"""IREE 3.13 crashes at O0 and O1 on products of transposed tensors: davit's levels 0 and 1 differ from 2 in its own
passes only. No level asks for ``--iree-opt-data-tiling``, worth 1.3x on large products: with it IREE 3.13 sums the
padding of a tile into a softmax (wrong numbers, without a word), and refuses some transposes and unknown sizes."""


def resolve(name: str, opt_level: int = 2) -> Target:
    """The target of a name with an optimisation level's flags.

    Raises:
        Error: no such target or level; the message names the nearest and lists all.
    """
    if name not in TARGETS:
        near = difflib.get_close_matches(str(name), TARGETS, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise Error(f"there is no target {name!r}; {hint}the targets are {', '.join(TARGETS)}")
    if opt_level not in OPT_LEVELS:
        raise Error(f"opt_level is {opt_level!r}; it must be one of {', '.join(map(str, OPT_LEVELS))}")
    target = TARGETS[name]
    return replace(target, flags=(*target.flags, *EXACT, *OPT_LEVELS[opt_level]))
