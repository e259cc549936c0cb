"""Normalisation and dropout: training modes were told by an attribute, then by the number of outputs."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from davit.compiler.frontends.onnx.opset import Lift, OldNode, adapts


@adapts("InstanceNormalization", "BatchNormalization", "Dropout", since=1, until=5)
def drop_consumed_inputs(old: OldNode, lift: Lift) -> None:
    """``consumed_inputs`` was a hint about memory."""
    lift.node(old.op, old.inputs, old.outputs, **old.attrs("consumed_inputs"))


@adapts("BatchNormalization", since=6, until=6)
def batch_norm_6(old: OldNode, lift: Lift) -> None:
    """``is_test`` went: a node with one output normalises by the given statistics, one with more trains."""
    outputs = old.outputs[:1] if old.attr("is_test") else old.outputs
    lift.node("BatchNormalization", old.inputs, outputs, **old.attrs("is_test"))


@adapts("BatchNormalization", since=7, until=8)
def batch_norm_7(old: OldNode, lift: Lift) -> None:
    """``spatial=0`` gave every position its own statistics."""
    if old.attr("spatial"):
        lift.node("BatchNormalization", old.inputs, old.outputs, **old.attrs("spatial"))
        return
    if any(old.has_output(i) for i in range(1, 5)):
        raise lift.unsupported("spatial=0 in training mode was dropped from ONNX and has no newest form")
    x, scale, bias, mean, variance = old.inputs
    deviation = lift.node("Sqrt", [lift.node("Add", [variance, lift.scalar(old.attr("epsilon"), x)])])
    normal = lift.node("Div", [lift.node("Sub", [x, mean]), deviation])
    lift.node("Add", [lift.node("Mul", [normal, scale]), bias], old.outputs[:1])


@adapts("BatchNormalization", since=9, until=13)
def batch_norm_9(old: OldNode, lift: Lift) -> None:
    """More than one output meant training; the batch's own statistics no longer are outputs."""
    if not any(old.has_output(i) for i in range(1, 5)):
        lift.node("BatchNormalization", old.inputs, old.outputs[:1], **old.attrs())
        return
    lift.node("BatchNormalization", old.inputs, old.outputs[:3], training_mode=1, **old.attrs())
    if old.has_output(3) or old.has_output(4):
        x = old.input(0)
        axes = lift.constant([i for i in range(lift.rank(x)) if i != 1])
        mean = lift.node("ReduceMean", [x, axes], keepdims=1)
        if old.has_output(3):
            lift.node("ReduceMean", [x, axes], old.outputs[3:4], keepdims=0)
        if old.has_output(4):
            centred = lift.node("Sub", [x, mean])
            square = lift.node("Mul", [centred, centred])
            lift.node("ReduceMean", [square, axes], old.outputs[4:5], keepdims=0)


@adapts("Dropout", since=6, until=6)
def dropout_6(old: OldNode, lift: Lift) -> None:
    """Without ``is_test`` the node trains: it drops at random."""
    if old.attr("is_test"):
        lift.node("Dropout", old.inputs, old.outputs, **old.attrs("is_test"))
        return
    ratio, training = lift.constant(np.float32(old.attr("ratio"))), lift.constant(np.bool_(True))
    _with_mask(old, lift, [old.input(0), ratio, training], newest=True)


@adapts("Dropout", since=7, until=9)
def dropout_7(old: OldNode, lift: Lift) -> None:
    """The mask had the input's element type."""
    _with_mask(old, lift, old.inputs, newest=False)


def _with_mask(old: OldNode, lift: Lift, inputs: list[str], newest: bool) -> None:
    attrs = {} if newest else old.attrs()
    if not old.has_output(1):
        lift.node("Dropout", inputs, old.outputs[:1], newest=newest, **attrs)
        return
    mask = lift.fresh("mask")
    lift.node("Dropout", inputs, [old.outputs[0], mask], newest=newest, **attrs)
    lift.node("CastLike", [mask, old.input(0)], old.outputs[1:2])


@adapts("Dropout", since=10, until=11)
def dropout_10(old: OldNode, lift: Lift) -> None:
    """The ratio became an input, and is not looked at outside of training, which these versions do not know."""
    lift.node("Dropout", old.inputs, old.outputs)


@adapts("GroupNormalization", since=18, until=20)
def group_norm_18(old: OldNode, lift: Lift) -> None:
    """Scale and bias were per group; now they are per channel."""
    x, groups = old.input(0), old.attr("num_groups")
    channels = lift.node("Shape", [x], start=1, end=2)
    each = lift.node("Div", [channels, lift.constant([groups])])
    wanted = lift.node("Concat", [lift.constant([groups]), each], axis=0)
    spread = []
    for name in (old.input(1), old.input(2)):
        column = lift.node("Unsqueeze", [name, lift.constant([1])])
        spread.append(lift.node("Reshape", [lift.node("Expand", [column, wanted]), lift.constant([-1])]))
    stash = TensorProto.DOUBLE if lift.elem_type(x) == TensorProto.DOUBLE else None
    lift.node("GroupNormalization", [x, *spread], old.outputs, stash_type=stash, **old.attrs())
