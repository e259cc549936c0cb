"""What moves elements without computing with them: attributes that became inputs."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from davit.compiler.frontends.onnx.opset import SAME, Lift, OldNode, adapts, keeps


@adapts("Reshape", since=1, until=4)
def reshape_1(old: OldNode, lift: Lift) -> None:
    """The shape became an input."""
    lift.node("Reshape", [old.input(0), lift.constant(list(old.attr("shape", ())))], old.outputs)


@adapts("Squeeze", "Unsqueeze", since=1, until=12)
def squeeze_1(old: OldNode, lift: Lift) -> None:
    """The axes became an input; without any, Squeeze takes every dimension of 1."""
    axes = [lift.constant(list(old.attr("axes")))] if old.gives("axes") else []
    lift.node(old.op, [old.input(0), *axes], old.outputs)


@adapts("Slice", since=1, until=9)
def slice_1(old: OldNode, lift: Lift) -> None:
    """Starts, ends and axes became inputs."""
    given = [lift.constant(list(old.attr(name))) for name in ("starts", "ends", "axes") if old.gives(name)]
    lift.node("Slice", [old.input(0), *given], old.outputs)


@adapts("Pad", since=1, until=1)
def pad_1(old: OldNode, lift: Lift) -> None:
    """``paddings`` was renamed to ``pads``."""
    lift.node("Pad", old.inputs, old.outputs, pads=old.attr("paddings"), **old.attrs("paddings"))


@adapts("Pad", since=2, until=10)
def pad_2(old: OldNode, lift: Lift) -> None:
    """The pads and the value to pad with became inputs."""
    inputs = [old.input(0), lift.constant(list(old.attr("pads")))]
    if old.attr("value"):
        inputs.append(lift.scalar(old.attr("value"), old.input(0)))
    lift.node("Pad", inputs, old.outputs, **old.attrs("pads", "value"))


@adapts("Split", since=1, until=1)
def split_1(old: OldNode, lift: Lift) -> None:
    """Sizes could come as a second input, in the element type of the first."""
    axis = old.attr("axis", 0)
    if not old.input(1):
        lift.node("Split", old.inputs[:1], old.outputs, axis=axis, **old.attrs("axis"))
        return
    sizes = lift.node("Cast", [old.input(1)], to=TensorProto.INT64)
    lift.node("Split", [old.input(0), sizes], old.outputs, newest=True, axis=axis)


@adapts("Split", since=2, until=12)
def split_2(old: OldNode, lift: Lift) -> None:
    """The sizes became an input."""
    sizes = [lift.constant(list(old.attr("split")))] if old.gives("split") else []
    lift.node("Split", [old.input(0), *sizes], old.outputs, **old.attrs("split"))


@adapts("Split", since=13, until=17)
def split_13(old: OldNode, lift: Lift) -> None:
    """Without sizes the parts were equal, as many as there are outputs; now their number must be said."""
    count = None if old.input(1) else len(old.outputs)
    lift.node("Split", old.inputs, old.outputs, num_outputs=count, **old.attrs())


@adapts("Concat", since=1, until=3)
def concat_1(old: OldNode, lift: Lift) -> None:
    """The axis had a default of 1 (in words only), and became required."""
    lift.node("Concat", old.inputs, old.outputs, axis=old.attr("axis", 1))


@adapts("Tile", since=1, until=5)
def tile_1(old: OldNode, lift: Lift) -> None:
    """Repeated along one axis, with the count and the axis as inputs of the data's element type."""
    x = old.input(0)
    rank = lift.node("Size", [lift.node("Shape", [x])])
    places = lift.node("Range", [lift.constant(np.int64(0)), rank, lift.constant(np.int64(1))])
    count, axis = (
        lift.node("Reshape", [lift.node("Cast", [old.input(i)], to=TensorProto.INT64), lift.constant([1])])
        for i in (1, 2)
    )
    repeats = lift.node("Where", [lift.node("Equal", [places, axis]), count, lift.constant([1])])
    lift.node("Tile", [x, repeats], old.outputs)


@adapts("Scatter", since=9, until=10)
def scatter_9(old: OldNode, lift: Lift) -> None:
    """Renamed."""
    lift.node("ScatterElements", old.inputs, old.outputs, **old.attrs())


keeps("Constant", since=9, until=10, why=SAME("sparse_value is a further choice"))
keeps("Constant", since=11, until=11, why=SAME("value_int and its like are further choices"))
keeps("DepthToSpace", since=1, until=10, why=SAME("mode=DCR is the order there was"))
keeps("SpaceToDepth", since=13, until=27, why=SAME("mode=DCR is the order there was"))
keeps("GatherND", since=11, until=11, why=SAME("batch_dims=0 is what there was"))
keeps("Pad", since=13, until=17, why=SAME("axes is optional; without it pads stand for all axes"))
keeps("Reshape", since=13, until=13, why=SAME("allowzero=0 takes a 0 as the input's dimension, as it was"))
keeps("ScatterElements", "ScatterND", since=13, until=15, why=SAME("reduction=none is what there was"))
keeps("Shape", since=13, until=14, why=SAME("start and end default to the whole shape"))
