"""Resize, Upsample and GridSample."""

from __future__ import annotations

import numpy as np

from davit.compiler.frontends.onnx.opset import Lift, OldNode, adapts

_ASYMMETRIC = "asymmetric"


@adapts("Upsample", since=1, until=6)
def upsample_1(old: OldNode, lift: Lift) -> None:
    """Images only, a scale for height and width each."""
    scales = [1.0, 1.0, old.attr("height_scale"), old.attr("width_scale")]
    mode = "linear" if old.attr("mode") == "bilinear" else old.attr("mode")
    lift.node("Upsample", old.inputs, old.outputs, mode=mode, scales=scales)


@adapts("Upsample", since=7, until=8)
def upsample_7(old: OldNode, lift: Lift) -> None:
    """The scales became an input."""
    scales = lift.constant(np.array(old.attr("scales"), np.float32))
    lift.node("Upsample", [old.input(0), scales], old.outputs, **old.attrs("scales"))


@adapts("Upsample", since=9, until=9)
@adapts("Resize", since=10, until=10)
def by_scales(old: OldNode, lift: Lift) -> None:
    """Position x of the output came from x / scale; nearest rounded down where it enlarged, up where it shrank.

    The newest Resize has one rounding for all axes, so that a node that does both becomes two.
    """
    x, scales, mode = old.input(0), old.input(1), old.attr("mode")
    if mode in ("linear", "bilinear"):
        _resize(lift, x, scales, old.outputs, mode="linear")
        return
    if mode != "nearest":
        raise lift.invalid(f"mode={mode!r} is not one of nearest, linear")
    known = lift.value(scales)
    if known is not None and (known >= 1).all():
        _resize(lift, x, scales, old.outputs, mode="nearest", nearest_mode="floor")
    elif known is not None and (known <= 1).all():
        _resize(lift, x, scales, old.outputs, mode="nearest", nearest_mode="ceil")
    else:
        one = lift.constant(np.float32(1))
        larger = _resize(lift, x, lift.node("Max", [scales, one]), None, mode="nearest", nearest_mode="floor")
        smaller = lift.node("Min", [scales, one])
        _resize(lift, larger, smaller, old.outputs, mode="nearest", nearest_mode="ceil")


def _resize(lift: Lift, x: str, scales: str, outputs: list[str] | None, **attrs: str) -> str:
    return lift.node(
        "Resize", [x, "", scales], outputs, newest=True, coordinate_transformation_mode=_ASYMMETRIC, **attrs
    )


@adapts("Resize", since=11, until=12)
def resize_11(old: OldNode, lift: Lift) -> None:
    """Inputs had to be there: an empty tensor said "absent". The mode tf_half_pixel_for_nn went."""
    changed = {}
    mode = old.attr("coordinate_transformation_mode")
    if mode == "tf_half_pixel_for_nn":
        # Its x is that of half_pixel and 0.5 more, which two of the roundings can make up for.
        rounding = {"floor": "round_prefer_ceil", "round_prefer_floor": "ceil"}.get(old.attr("nearest_mode"))
        if old.attr("mode") != "nearest" or rounding is None:
            raise lift.unsupported(
                f"coordinate_transformation_mode={mode!r} with mode={old.attr('mode')!r}, nearest_mode="
                f"{old.attr('nearest_mode')!r} was dropped from ONNX and has no newest form"
            )
        changed = {"coordinate_transformation_mode": "half_pixel", "nearest_mode": rounding}
    inputs = _present(old, lift)
    if mode != "tf_crop_and_resize":
        inputs[1] = ""
    lift.node("Resize", inputs, old.outputs, **{**old.attrs(), **changed})


@adapts("Resize", since=13, until=17)
@adapts("Resize", since=18, until=18)
def resize_13(old: OldNode, lift: Lift) -> None:
    """New attributes keep the old meaning by default. Empty tensors still are written for absent inputs."""
    lift.node("Resize", _present(old, lift), old.outputs, **old.attrs())


def _present(old: OldNode, lift: Lift) -> list[str]:
    """The four inputs, ``""`` for a roi, scales or sizes that is an empty constant."""
    inputs = [old.input(0)]
    for name in (old.input(i) for i in (1, 2, 3)):
        value = lift.value(name) if name else None
        inputs.append("" if value is not None and value.size == 0 else name)
    return inputs


@adapts("GridSample", since=16, until=19)
def grid_sample_16(old: OldNode, lift: Lift) -> None:
    """Modes were renamed for more than two dimensions."""
    mode = {"bilinear": "linear", "bicubic": "cubic"}.get(old.attr("mode"), old.attr("mode"))
    lift.node("GridSample", old.inputs, old.outputs, mode=mode, **old.attrs("mode"))
