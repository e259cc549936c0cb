"""Reduce*, ArgMax and ArgMin. Axes may be known only at run time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.structure import axis_mask, kept_sizes, line
from davit.compiler.nn_builder import NnBuilder
from davit.dialects import dims
from davit.dialects.dims import axes_of
from davit.mlir import ir

Fold = Callable[[ir.Value, str], ir.Value]
"""Reduces a value over the node's axes with one of nn.reduce's kinds."""


class Axes:
    """The dimensions that a Reduce* node folds: numbers, or a mask known at run time."""

    def __init__(self, op: Node, b: NnBuilder) -> None:
        self.b = b
        self.rank = b.rank(op.data)
        self.keepdims = bool(op.attr.keepdims)
        self.noop = False
        self.static: tuple[int, ...] | None = None
        self.mask: ir.Value | None = None
        self.out_rank = self.rank
        everything = tuple(range(self.rank))
        known = b.constant_of(op.axes)
        if op.axes is None or b.shape(op.axes) == (0,) or (known is not None and known.size == 0):
            self.noop = bool(op.attr.noop_with_empty_axes)
            self.static = () if self.noop else everything
        elif known is not None:
            self.static = axes_of(known.reshape(-1).tolist(), self.rank)
        else:
            self._at_run_time(op)

    def _at_run_time(self, op: Node) -> None:
        b, rank = self.b, self.rank
        axes = line(b, op.axes)
        mask = axis_mask(b, axes, rank)
        count = dims.product(b.shape(axes))
        if not isinstance(count, int):  # no axes at all mean every axis, or none
            if not op.attr.noop_with_empty_axes:
                nothing = b.eq(b.shape_of(axes), 0)
                mask = b.select(nothing, np.ones(1, np.int64), mask)
            count = None
        if self.keepdims:
            self.out_rank = rank
        elif count is not None:
            self.out_rank = rank - count
        elif op.result is not None:
            self.out_rank = op.result.rank
        else:
            raise LoweringError(
                "how many axes it reduces is only known at run time, and with it the rank of the result: set keepdims, "
                "give 'axes' a static length or declare the output's rank"
            )
        self.mask = mask

    def fold(self, x: ir.Value, kind: str) -> ir.Value:
        """Reduce ``x`` (of the node's shape) over the axes."""
        b = self.b
        if self.static is not None:
            return b.reduce(x, kind=kind, axes=self.static, keepdims=self.keepdims) if self.static else x
        full = self.fold_keeping(x, kind)
        if self.keepdims:
            return full
        return b.reshape(full, kept_sizes(b, b.shape_of(x), self.mask, self.out_rank))

    def fold_keeping(self, x: ir.Value, kind: str) -> ir.Value:
        """The same with every dimension kept."""
        if self.static is not None:
            return self.b.reduce(x, kind=kind, axes=self.static, keepdims=True) if self.static else x
        return self.b.reduce_where(x, self.mask, kind=kind)

    def drop(self, x: ir.Value, source: ir.Value) -> ir.Value:
        """From the kept form to the node's result; ``source`` has the node's input shape."""
        b = self.b
        if self.keepdims or (self.static is not None and not self.static):
            return x
        if self.static is not None:
            return b.squeeze(x, self.static)
        return b.reshape(x, kept_sizes(b, b.shape_of(source), self.mask, self.out_rank))

    def count(self, x: ir.Value) -> ir.Value:
        """How many elements each result folds: i64, rank 0."""
        b = self.b
        shape = b.shape_of(x)
        if self.static is not None:
            picked = b.gather(shape, np.array(self.static, np.int64), axis=0)
        else:
            picked = b.select(b.ne(self.mask, 0), shape, np.ones(1, np.int64))
        return b.reduce(picked, kind="prod", axes=(0,), keepdims=False)


def _wide(b: NnBuilder, x: ir.Value) -> ir.Value:
    """16-bit floats are computed in f32 and rounded once, at the end."""
    dt = b.dtype(x)
    return b.cast_to(x, "f32") if dt.is_float and dt.bits == 16 else x


def _simple(name: str, kind: str) -> None:
    @lowers(name)
    def reduction(op: Node, b: NnBuilder):
        return Axes(op, b).fold(op.data, kind)

    reduction.__doc__ = f"nn.reduce of kind {kind}."


for _name, _kind in (("reducesum", "sum"), ("reduceprod", "prod"), ("reducemax", "max"), ("reducemin", "min")):
    _simple(_name, _kind)


@lowers("reducemean")
def reduce_mean(op: Node, b: NnBuilder):
    axes, x = Axes(op, b), _wide(b, op.data)
    if axes.noop:
        return op.data
    n = b.cast_to(axes.count(x), b.dtype(x))
    return b.cast_to(b.div(axes.fold(x, "sum"), n), b.dtype(op.data))


@lowers("reducesumsquare")
def reduce_sum_square(op: Node, b: NnBuilder):
    x = _wide(b, op.data)
    return b.cast_to(Axes(op, b).fold(b.mul(x, x), "sum"), b.dtype(op.data))


@lowers("reducel1")
def reduce_l1(op: Node, b: NnBuilder):
    x = _wide(b, op.data)
    return b.cast_to(Axes(op, b).fold(b.abs(x), "sum"), b.dtype(op.data))


@lowers("reducel2")
def reduce_l2(op: Node, b: NnBuilder):
    """The root of an integer's sum of squares is truncated."""
    x = _wide(b, op.data)
    total = Axes(op, b).fold(b.mul(x, x), "sum")
    if not b.dtype(x).is_float:
        total = b.cast_to(total, "f64")
    return b.cast_to(b.sqrt(total), b.dtype(op.data))


@lowers("reducelogsum")
def reduce_log_sum(op: Node, b: NnBuilder):
    x = _wide(b, op.data)
    total = Axes(op, b).fold(x, "sum")
    if not b.dtype(x).is_float:
        total = b.cast_to(total, "f64")
    return b.cast_to(b.log(total), b.dtype(op.data))


@lowers("reducelogsumexp")
def reduce_log_sum_exp(op: Node, b: NnBuilder):
    """log(sum(exp(x))), shifted by the largest element where that is finite, so that it does not overflow."""
    axes, x = Axes(op, b), _wide(b, op.data)
    if not b.dtype(x).is_float:
        x = b.cast_to(x, "f64")
    top = axes.fold_keeping(x, "max")
    top = b.select(b.or_(b.is_inf(top), b.is_nan(top)), 0.0, top)
    total = axes.fold_keeping(b.exp(b.sub(x, top)), "sum")
    return b.cast_to(axes.drop(b.add(b.log(total), top), x), b.dtype(op.data))


def _arg(name: str, kind: str) -> None:
    @lowers(name)
    def arg(op: Node, b: NnBuilder):
        return b.arg_reduce(
            op.data,
            kind=kind,
            axis=op.attr.axis,
            keepdims=bool(op.attr.keepdims),
            last=bool(op.attr.select_last_index),
        )

    arg.__doc__ = f"Index of the {kind}imum along an axis."


_arg("argmax", "max")
_arg("argmin", "min")
