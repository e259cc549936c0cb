"""Sequences and optionals whose length is known when compiling: they are lists of values, not data."""

from __future__ import annotations

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node, lowers
from davit.compiler.lowering.onnx_to_nn.values import Items, Lowered, Maybe
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.dims import axis_of
from davit.mlir import ir


def _items(op: Node, value: Lowered, name: str) -> tuple[Lowered, ...]:
    if isinstance(value, Maybe):
        value = value.value
    if isinstance(value, Items):
        return value.values
    raise LoweringError(f"its input {name!r} is a sequence whose length is not known when compiling")


def _position(op: Node, length: int, *, end: bool) -> int | None:
    """The place that ``position`` names; None when it is known at run time only."""
    if op.position is None:
        return length if end else length - 1
    array = op.builder.constant_of(op.position)
    if array is None:
        return None
    at = int(array.reshape(-1)[0])
    if not -length <= at < length + end:
        raise LoweringError(f"position {at} is outside the sequence of {length}")
    return at + length if at < 0 else at


@lowers("sequenceconstruct")
def construct(op: Node, b: NnBuilder) -> Items:
    return Items(tuple(op.inputs))


@lowers("sequenceempty")
def empty(op: Node, b: NnBuilder) -> Items:
    return Items(())


@lowers("sequencelength")
def length(op: Node, b: NnBuilder) -> ir.Value:
    return b.constant(np.int64(len(_items(op, op.input_sequence, "input_sequence"))))


@lowers("sequenceat")
def at(op: Node, b: NnBuilder) -> Lowered:
    """A position known at run time only reads from the stacked elements, which must have one type."""
    values = _items(op, op.input_sequence, "input_sequence")
    if not values:
        raise LoweringError("reads from an empty sequence")
    place = _position(op, len(values), end=False)
    if place is not None:
        return values[place]
    tensors = [v for v in values if isinstance(v, ir.Value)]
    kinds = {b.type(v) for v in tensors}
    if len(tensors) != len(values) or len(kinds) != 1 or None in next(iter(kinds)).shape:
        raise LoweringError("its position is known at run time only, and the elements differ in type or size")
    stacked = b.concat(*(b.unsqueeze(v, [0]) for v in tensors), axis=0)
    return b.gather(stacked, b.reshape_to(op.position, ()), axis=0)


@lowers("sequenceinsert")
def insert(op: Node, b: NnBuilder) -> Items:
    values = _items(op, op.input_sequence, "input_sequence")
    place = _position(op, len(values), end=True)
    if place is None:
        raise LoweringError("its position must be a constant")
    return Items((*values[:place], op.tensor, *values[place:]))


@lowers("sequenceerase")
def erase(op: Node, b: NnBuilder) -> Items:
    values = _items(op, op.input_sequence, "input_sequence")
    place = _position(op, len(values), end=False)
    if place is None:
        raise LoweringError("its position must be a constant")
    if not values:
        raise LoweringError("erases from an empty sequence")
    return Items((*values[:place], *values[place + 1 :]))


@lowers("concatfromsequence")
def concat(op: Node, b: NnBuilder) -> ir.Value:
    values = _items(op, op.input_sequence, "input_sequence")
    if not values:
        raise LoweringError("joins an empty sequence")
    if op.attr.new_axis:
        values = tuple(b.unsqueeze(v, [op.attr.axis]) for v in values)  # type: ignore[arg-type]
    return b.concat(*values, axis=op.attr.axis)


@lowers("splittosequence", constant=("split",))
def split(op: Node, b: NnBuilder) -> Items:
    """Without ``split`` into slices of size 1, whose dimension ``keepdims=0`` drops; the last part may be smaller."""
    x = op.input
    axis = axis_of(op.attr.axis, b.rank(x))
    total = b.shape(x)[axis]
    parts = op.const("split")
    if parts is not None and parts.ndim:
        sizes = [int(n) for n in parts]
    elif not isinstance(total, int):
        raise LoweringError(f"the size of axis {axis} is known at run time only, and with it the sequence's length")
    else:
        step = 1 if parts is None else int(parts)
        if step < 1:
            raise LoweringError(f"split is {step}; it must be positive")
        sizes = [min(step, total - start) for start in range(0, total, step)]
    if isinstance(total, int) and sum(sizes) != total:
        raise LoweringError(f"the parts {sizes} do not add up to the {total} of axis {axis}")
    out, start = [], 0
    for size in sizes:
        starts = [start if i == axis else 0 for i in range(b.rank(x))]
        limits = [start + size if i == axis else 2**63 - 1 for i in range(b.rank(x))]
        part = b.slice(x, starts=starts, limits=limits, strides=[1] * b.rank(x))
        out.append(b.squeeze(part, [axis]) if parts is None and not op.attr.keepdims else part)
        start += size
    return Items(tuple(out))


@lowers("sequencemap")
def map_(op: Node, b: NnBuilder) -> tuple[Items, ...]:
    """The body once for each element; the additional inputs are sequences of the same length, or tensors."""
    first = _items(op, op.input_sequence, "input_sequence")
    others = op.additional_inputs
    block = op.view.region("body")
    assert block is not None
    rows = []
    for i, value in enumerate(first):
        given = [value]
        for other in others:
            values = _items(op, other, "additional_inputs") if isinstance(other, (Items, Maybe)) else None
            if values is not None and len(values) != len(first):
                raise LoweringError(f"its sequences have {len(first)} and {len(values)} elements")
            given.append(other if values is None else values[i])
        rows.append(op.converter.call(block, given))
    return tuple(Items(tuple(column)) for column in zip(*rows, strict=True)) if rows else (Items(()),) * len(op.results)


# -- optionals ----------------------------------------------------------------------------------------------------


@lowers("optional")
def optional(op: Node, b: NnBuilder) -> Maybe:
    return Maybe(op.input)


@lowers("optionalhaselement")
def has_element(op: Node, b: NnBuilder) -> ir.Value:
    value = op.input
    if isinstance(value, ir.Value) and not isinstance(value.type, ir.RankedTensorType):
        raise LoweringError("whether its input is there is not known when compiling")
    return b.constant(np.bool_(value.value is not None if isinstance(value, Maybe) else value is not None))


@lowers("optionalgetelement")
def get_element(op: Node, b: NnBuilder) -> Lowered:
    value = op.input
    if isinstance(value, ir.Value) and not isinstance(value.type, ir.RankedTensorType):
        raise LoweringError("whether its input is there is not known when compiling")
    if not isinstance(value, Maybe):
        return value
    if value.value is None:
        raise LoweringError("reads an optional that is empty")
    return value.value
