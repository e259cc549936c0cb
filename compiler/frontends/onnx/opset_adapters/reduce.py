"""Reductions and what searches along an axis."""

from __future__ import annotations

from onnx import TensorProto

from davit.compiler.frontends.onnx.opset import SAME, Lift, OldNode, adapts, keeps


@adapts("ReduceSum", since=1, until=12)
@adapts(
    "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
    "ReduceSumSquare",
    since=1, until=17,
)  # fmt: skip
def axes_become_input(old: OldNode, lift: Lift) -> None:
    """The axes became an input; none mean all, then as now."""
    axes = list(old.attr("axes", ()))
    inputs = [old.input(0), lift.constant(axes)] if axes else [old.input(0)]
    lift.node(old.op, inputs, old.outputs, **old.attrs("axes"))


@adapts("ReduceLogSum", "ReduceLogSumExp", since=18, until=27)
def logarithm_of_integers(old: OldNode, lift: Lift) -> None:
    """Integers were allowed; the result was cut to an integer."""
    x = old.input(0)
    integers = (TensorProto.INT32, TensorProto.INT64, TensorProto.UINT32, TensorProto.UINT64)
    if lift.elem_type(x) not in integers:
        lift.node(old.op, old.inputs, old.outputs, **old.attrs())
        return
    wide = lift.node("Cast", [x], to=TensorProto.DOUBLE)
    y = lift.node(old.op, [wide, *old.inputs[1:]], None, newest=True, **old.attrs())
    lift.node("CastLike", [y, x], old.outputs)


@adapts("TopK", since=1, until=9)
def topk_1(old: OldNode, lift: Lift) -> None:
    """k became an input."""
    lift.node("TopK", [old.input(0), lift.constant([old.attr("k")])], old.outputs, **old.attrs("k"))


keeps("TopK", since=10, until=10, why=SAME("largest=1 and sorted=1 are what there was"))
keeps("ArgMax", "ArgMin", since=11, until=11, why=SAME("select_last_index=0 takes the first, as it was"))
