"""Pooling, and regions of interest."""

from __future__ import annotations

from davit.compiler.frontends.onnx.opset import SAME, Lift, OldNode, adapts, keeps


@adapts("GlobalLpPool", since=1, until=1)
def global_lp_pool_1(old: OldNode, lift: Lift) -> None:
    """p was a float; a fraction is still computed, from its definition."""
    p = old.attr("p")
    if p == int(p):
        lift.node("GlobalLpPool", old.inputs, old.outputs, p=int(p))
        return
    x = old.input(0)
    axes = lift.constant(list(range(2, lift.rank(x))))
    powers = lift.node("Pow", [lift.node("Abs", [x]), lift.scalar(p, x)])
    lift.node("Pow", [lift.node("ReduceSum", [powers, axes], keepdims=1), lift.scalar(1 / p, x)], old.outputs)


@adapts("LpPool", since=1, until=1)
def lp_pool_1(old: OldNode, lift: Lift) -> None:
    """p was a float, and kernel_shape could be left out, though nothing says what that meant."""
    p = old.attr("p")
    if not old.gives("kernel_shape"):
        raise lift.invalid("the attribute 'kernel_shape' is missing")
    if p != int(p):
        raise lift.unsupported(f"p={p} is no integer, which the newest LpPool wants")
    lift.node("LpPool", old.inputs, old.outputs, p=int(p), **old.attrs("p"))


@adapts("RoiAlign", since=10, until=15)
def roi_align_10(old: OldNode, lift: Lift) -> None:
    """Coordinates were not shifted by half a pixel; since version 16 they are unless told otherwise."""
    mode = "output_half_pixel"
    lift.node("RoiAlign", old.inputs, old.outputs, coordinate_transformation_mode=mode, **old.attrs())


keeps("AveragePool", since=1, until=6, why=SAME("count_include_pad=0 leaves padding out, as it was"))
keeps("AveragePool", since=7, until=9, why=SAME("ceil_mode=0 rounds sizes down, as it was"))
keeps("AveragePool", since=11, until=18, why=SAME("dilations default to 1"))
keeps("LpPool", since=11, until=17, why=SAME("dilations default to 1 and ceil_mode to rounding down"))
keeps("MaxPool", since=1, until=7, why=SAME("the indices are optional, and storage_order matters for them only"))
keeps("MaxPool", since=8, until=9, why=SAME("dilations default to 1 and ceil_mode to rounding down"))
