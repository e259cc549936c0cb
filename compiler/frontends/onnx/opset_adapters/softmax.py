"""Softmax and its kin, which until opset 12 worked on the input seen as a matrix."""

from __future__ import annotations

from davit.compiler.frontends.onnx.opset import Lift, OldNode, adapts


@adapts("Softmax", "LogSoftmax", "Hardmax", since=1, until=12)
def over_matrix(old: OldNode, lift: Lift) -> None:
    """Axes from ``axis`` on were one: [a0 ... ak-1, ak ... an-1]. Where only one of them counts, it is that axis."""
    x, axis = old.input(0), old.attr("axis")
    known = lift.type(x)
    if known is not None and known.dims is not None:
        rank = len(known.dims)
        if not -rank <= axis < max(rank, 1):
            raise lift.invalid(f"axis={axis} lies outside the {rank} dimensions of {x!r}")
        first = axis + rank if axis < 0 else axis
        counting = [i for i in range(first, rank) if known.dims[i] != 1]
        if len(counting) <= 1 and rank:
            lift.node(old.op, [x], old.outputs, axis=counting[0] if counting else first)
            return
    matrix = lift.node("Flatten", [x], axis=axis)
    y = lift.node(old.op, [matrix], None, newest=True, axis=1)
    lift.node("Reshape", [y, lift.node("Shape", [x])], old.outputs, allowzero=1)
