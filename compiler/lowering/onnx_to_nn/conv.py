"""Conv and ConvTranspose."""

from __future__ import annotations

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.norm import channels
from davit.compiler.lowering.onnx_to_nn.window import listed, window
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.types import Dim, Tensor
from davit.mlir import ir


def kernel_of(op: Node, b: NnBuilder, w: ir.Value) -> tuple[int, ...]:
    """The kernel's sizes, from the weight or, where that is unknown, from ``kernel_shape``.

    Raises:
        LoweringError: neither says, or they disagree.
    """
    shape = b.shape(w)[2:]
    given = op.attr.kernel_shape
    if all(isinstance(d, int) for d in shape):
        if given is not None and len(given) and tuple(given) != shape:
            raise LoweringError(f"kernel_shape={list(given)}, but the weight's kernel is {list(shape)}")
        return shape  # type: ignore[return-value]
    if given is None or not len(given):
        raise LoweringError("the weight's kernel sizes are only known at run time, and kernel_shape is not set")
    return tuple(given)


def with_channels(b: NnBuilder, x: ir.Value, per_group: Dim, groups: int) -> ir.Value:
    """``x`` with the number of channels that the weight implies, where its own type does not say."""
    shape = b.shape(x)
    if isinstance(shape[1], int) or not isinstance(per_group, int):
        return x
    return b.op("refine", x, result=Tensor(b.dtype(x), (shape[0], per_group * groups, *shape[2:])))


@lowers("conv")
def conv(op: Node, b: NnBuilder):
    """Conv-22: cross-correlation with groups."""
    w = op.w
    x = with_channels(b, op.x, b.shape(w)[1], op.attr.group)
    rank = b.rank(x)
    win = window(op, b.shape(x)[2:], kernel_of(op, b, w))
    y = b.conv(
        x, w, strides=win.strides, dilations=win.dilations, low=win.low, high=win.high, groups=op.attr.group,
        out=b.dtype(x),
    )  # fmt: skip
    return y if op.b is None else b.add(y, channels(b, op.b, rank))


@lowers("convtranspose")
def conv_transpose(op: Node, b: NnBuilder):
    """ConvTranspose-22: the input, with zeros between its elements, correlated with the flipped kernel."""
    w, groups = op.w, op.attr.group
    x = with_channels(b, op.x, b.shape(w)[0], 1)
    rank = b.rank(x)
    n = rank - 2
    kernel = kernel_of(op, b, w)
    strides, dilations = listed(op, "strides", n, 1), listed(op, "dilations", n, 1)
    extra = listed(op, "output_padding", n, 0)
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    low, high = _padding(op, b.shape(x)[2:], strides, spans, extra, n)
    weight = _flipped(b, w, groups, n)
    x = spread(b, x, strides)
    # Correlating with full padding makes (size - 1) * stride + span elements; `pads` are cut off, `extra` is added.
    return_pads = [(s - 1 - lo, s - 1 - hi + e) for s, lo, hi, e in zip(spans, low, high, extra, strict=True)]
    y = b.conv(
        x, weight, strides=(1,) * n, dilations=dilations, low=[a for a, _ in return_pads],
        high=[h for _, h in return_pads], groups=groups, out=b.dtype(x),
    )  # fmt: skip
    return y if op.b is None else b.add(y, channels(b, op.b, rank))


def _padding(op: Node, sizes: tuple[Dim, ...], strides, spans, extra, n: int) -> tuple[list[int], list[int]]:
    """What is cut off on each side, following the formulas of ConvTranspose's specification."""
    wanted = op.attr.output_shape
    auto = op.attr.auto_pad or "NOTSET"
    if wanted is not None and len(wanted):
        wanted = tuple(wanted)[-n:]
    elif auto in ("SAME_UPPER", "SAME_LOWER"):
        wanted = tuple(d * s if isinstance(d, int) else None for d, s in zip(sizes, strides, strict=True))
    else:
        if auto == "VALID":
            return [0] * n, [0] * n
        pads = list(op.attr.pads) if op.attr.pads is not None and len(op.attr.pads) else [0] * (2 * n)
        if len(pads) != 2 * n:
            raise LoweringError(f"pads={pads} has {len(pads)} entries for {n} spatial dimensions")
        return pads[:n], pads[n:]
    low, high = [], []
    for want, size, s, span, e in zip(wanted, sizes, strides, spans, extra, strict=True):
        if want is None:  # SAME: size * stride, whatever the size
            total = span + e - s
        elif isinstance(size, int):
            total = s * (size - 1) + e + span - want
        else:
            raise LoweringError("output_shape needs spatial sizes that are known; fix the dimension with dims=")
        total = max(total, 0) if want is None else total
        half = total // 2
        low.append(half if auto == "SAME_UPPER" else total - half)
        high.append(total - half if auto == "SAME_UPPER" else half)
    return low, high


def _flipped(b: NnBuilder, w: ir.Value, groups: int, n: int) -> ir.Value:
    """[C, M/g, kernel] as [M, C/g, flipped kernel]."""
    c, m = b.shape(w)[:2]
    ends = (2**63 - 1,) * 2
    low = -(2**63 - 1)
    w = b.slice(w, starts=(0, 0, *(-1,) * n), limits=(*ends, *(low,) * n), strides=(1, 1, *(-1,) * n))
    if groups == 1:
        return b.transpose(w, perm=(1, 0, *range(2, n + 2)))
    if not isinstance(c, int) or not isinstance(m, int):
        raise LoweringError("a grouped weight must have channels that are known")
    kernel = b.shape(w)[2:]
    w = b.reshape_to(w, (groups, c // groups, m, *kernel))
    w = b.transpose(w, perm=(0, 2, 1, *range(3, n + 3)))
    return b.reshape_to(w, (groups * m, c // groups, *kernel))


def spread(b: NnBuilder, x: ir.Value, strides: tuple[int, ...]) -> ir.Value:
    """``x`` with ``stride - 1`` zeros between the elements of each spatial dimension."""
    for i, s in enumerate(strides):
        if s == 1:
            continue
        axis, rank = i + 2, b.rank(x)
        zero = b.constant(np.zeros((), b.dtype(x).numpy))
        x = b.unsqueeze(x, [axis + 1])
        high = [0] * (rank + 1)
        high[axis + 1] = s - 1
        x = b.pad(x, zero, low=[0] * (rank + 1), high=high)
        shape = b.shape_of(x)
        sizes = [b.take(shape, k) for k in range(rank + 1)]
        joined = b.mul(sizes[axis], s)
        x = b.reshape(x, b.concat(*sizes[:axis], joined, *sizes[axis + 2 :], axis=0))
        cut = [0] * rank
        cut[axis] = -(s - 1)
        x = b.pad(x, zero, low=[0] * rank, high=cut)
    return x
