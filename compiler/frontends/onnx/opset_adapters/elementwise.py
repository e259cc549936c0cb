"""Elementwise operators: the broadcasting of old, ``consumed_inputs``, and bounds that became inputs."""

from __future__ import annotations

import math

from onnx import TensorProto

from davit.compiler.frontends.onnx.opset import SAME, Lift, OldNode, adapts, keeps

_INTEGERS = frozenset(
    (
        TensorProto.INT8,
        TensorProto.INT16,
        TensorProto.INT32,
        TensorProto.INT64,
        TensorProto.UINT8,
        TensorProto.UINT16,
        TensorProto.UINT32,
        TensorProto.UINT64,
    )
)


@adapts(
    "Abs", "Add", "Ceil", "Clip", "Div", "Elu", "Exp", "Floor", "HardSigmoid", "LeakyRelu", "Log", "Max", "Mean",
    "Min", "Mul", "Neg", "PRelu", "Reciprocal", "Relu", "Sigmoid", "Sqrt", "Sub", "Sum", "Tanh",
    since=1, until=1,
)  # fmt: skip
def drop_consumed_inputs(old: OldNode, lift: Lift) -> None:
    """``consumed_inputs`` was a hint about memory."""
    lift.node(old.op, old.inputs, old.outputs, **old.attrs("consumed_inputs"))


@adapts("Selu", since=1, until=1)
def selu_1(old: OldNode, lift: Lift) -> None:
    """Version 6 gave alpha and gamma more digits, so those of version 1 must be said."""
    lift.node("Selu", old.inputs, old.outputs, alpha=old.attr("alpha"), gamma=old.attr("gamma"))


@adapts("Add", "Sub", "Mul", "Div", since=6, until=6)
@adapts("And", "Or", "Xor", "Equal", "Greater", "Less", "Pow", since=1, until=1)
def broadcast_by_axis(old: OldNode, lift: Lift) -> None:
    """``broadcast=1, axis=k``: B's dimensions stand for those of A from the k-th on.

    Without ``axis`` B's dimensions stand for A's last ones, which is what numpy does.
    """
    a, b = old.input(0), old.input(1)
    if old.attr("broadcast") and old.gives("axis"):
        b = _aligned(a, b, old.attr("axis"), lift)
    lift.node(old.op, [a, b], old.outputs)


def _aligned(a: str, b: str, axis: int, lift: Lift) -> str:
    known = lift.type(b)
    if known is not None and known.dims is not None and all(dim == 1 for dim in known.dims):
        return b  # a single element fits everywhere
    rank_a, rank_b = lift.rank(a), lift.rank(b)
    after = rank_a - (axis + rank_a if axis < 0 else axis) - rank_b
    if after < 0:
        raise lift.invalid(f"axis={axis} leaves no room for the {rank_b} dimensions of {b!r} in the {rank_a} of {a!r}")
    if after == 0:
        return b
    return lift.node("Unsqueeze", [b, lift.constant(list(range(rank_b, rank_b + after)))])


@adapts("Clip", since=6, until=10)
def clip_6(old: OldNode, lift: Lift) -> None:
    """min and max became inputs."""
    bounds = [lift.scalar(old.attr(name), old.input(0)) if old.gives(name) else "" for name in ("min", "max")]
    lift.node("Clip", [old.input(0), *bounds], old.outputs)


@adapts("PRelu", since=6, until=6)
def prelu_6(old: OldNode, lift: Lift) -> None:
    """A slope of one dimension was per channel; now it broadcasts like numpy's arrays."""
    x, slope = old.input(0), old.input(1)
    known = lift.type(slope)
    single = (
        known is not None
        and known.dims is not None
        and math.prod(d if isinstance(d, int) else 0 for d in known.dims) == 1
    )
    if not single and lift.rank(slope) == 1 and lift.rank(x) > 2:
        slope = lift.node("Unsqueeze", [slope, lift.constant(list(range(1, lift.rank(x) - 1)))])
    lift.node("PRelu", [x, slope], old.outputs)


@adapts("Cast", since=1, until=5)
def cast_1(old: OldNode, lift: Lift) -> None:
    """The type was written by name."""
    name = old.attr("to")
    if name.upper() not in dict(TensorProto.DataType.items()):
        raise lift.invalid(f"to={name!r} is no element type")
    lift.node("Cast", old.inputs, old.outputs, to=TensorProto.DataType.Value(name.upper()))


@adapts("Erf", since=9, until=12)
def erf_9(old: OldNode, lift: Lift) -> None:
    """Integers were allowed; the result was cut to an integer."""
    x = old.input(0)
    if lift.elem_type(x) not in _INTEGERS:
        lift.node("Erf", [x], old.outputs)
        return
    y = lift.node("Erf", [lift.node("Cast", [x], to=TensorProto.DOUBLE)], newest=True)
    lift.node("CastLike", [y, x], old.outputs)


keeps("Cast", since=13, until=18, why=SAME("saturate matters for float8 only, which came with it"))
keeps("CastLike", since=15, until=18, why=SAME("saturate matters for float8 only, which came with it"))
keeps("Cast", "CastLike", since=23, until=23, why=SAME("round_mode matters for float8e8m0 only, which came with it"))
keeps("Range", since=11, until=26, why=SAME("stash_type matters for 16-bit floats only, which came with it"))
