"""Window arithmetic of convolutions and pools, in one place: kernel shapes, strides, dilations and explicit padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node
from davit.dialects.types import Dim

AUTO_PADS = ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")


@dataclass(frozen=True)
class Window:
    """A sliding window over the spatial dimensions.

    Attributes:
        low, high: padding before and after.
    """

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]

    @property
    def span(self) -> tuple[int, ...]:
        """Elements from a window's first to its last."""
        return tuple((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations, strict=True))


def listed(op: Node, name: str, n: int, default: int) -> tuple[int, ...]:
    """A per-dimension attribute, or its default.

    Raises:
        LoweringError: it has another length than there are spatial dimensions.
    """
    value = getattr(op.attr, name, None)  # MaxUnpool has no dilations
    if value is None or len(value) == 0:
        return (default,) * n
    if len(value) != n:
        raise LoweringError(f"{name}={list(value)} has {len(value)} entries for {n} spatial dimensions")
    return tuple(value)


def window(op: Node, spatial: Sequence[Dim], kernel: Sequence[int]) -> Window:
    """The window of a Conv or pool node over an input with the given spatial sizes.

    Raises:
        LoweringError: attributes contradict each other, or SAME padding meets an unknown size and a stride.
    """
    n = len(spatial)
    if len(kernel) != n:
        raise LoweringError(f"kernel_shape={list(kernel)} has {len(kernel)} entries for {n} spatial dimensions")
    strides, dilations = listed(op, "strides", n, 1), listed(op, "dilations", n, 1)
    if min((*strides, *dilations, *kernel, 1)) < 1:
        raise LoweringError(f"kernel_shape, strides={list(strides)} and dilations={list(dilations)} must be positive")
    auto = getattr(op.attr, "auto_pad", None) or "NOTSET"
    if auto not in AUTO_PADS:
        raise LoweringError(f"auto_pad={auto!r} is not one of {', '.join(AUTO_PADS)}")
    if auto == "NOTSET":
        pads = tuple(op.attr.pads) if op.attr.pads is not None and len(op.attr.pads) else (0,) * (2 * n)
        if len(pads) != 2 * n:
            raise LoweringError(f"pads={list(pads)} has {len(pads)} entries for {n} spatial dimensions")
        return Window(tuple(kernel), strides, dilations, pads[:n], pads[n:])
    if auto == "VALID":
        return Window(tuple(kernel), strides, dilations, (0,) * n, (0,) * n)
    low, high = [], []
    for size, k, s, d in zip(spatial, kernel, strides, dilations, strict=True):
        span = (k - 1) * d + 1
        if isinstance(size, int):
            total = max((-(-size // s) - 1) * s + span - size, 0)
        elif s == 1:
            total = span - 1
        else:
            raise LoweringError(
                f"auto_pad={auto} with stride {s} over a size only known at run time has no fixed padding; "
                "fix the dimension with dims="
            )
        small, large = total // 2, total - total // 2
        low.append(large if auto == "SAME_LOWER" else small)
        high.append(small if auto == "SAME_LOWER" else large)
    return Window(tuple(kernel), strides, dilations, tuple(low), tuple(high))
