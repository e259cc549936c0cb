"""Matrix products, attention and Fourier transforms."""

from __future__ import annotations

import numpy as np

from davit.compiler.frontends.onnx.opset import SAME, Lift, OldNode, adapts, keeps


@adapts("Gemm", since=6, until=6)
def gemm_6(old: OldNode, lift: Lift) -> None:
    """``broadcast`` only ever allowed what numpy's rules do by themselves: C's last dimensions."""
    lift.node("Gemm", old.inputs, old.outputs, **old.attrs("broadcast"))


@adapts("DFT", since=17, until=17)
def dft_17(old: OldNode, lift: Lift) -> None:
    """The axis became an input, and its default moved from 1 to -2."""
    axis = lift.constant(np.int64(old.attr("axis")))
    lift.node("DFT", [old.input(0), old.input(1), axis], old.outputs, **old.attrs("axis"))


keeps("Attention", since=23, until=23, why=SAME("nonpad_kv_seqlen is optional; without it the mask is as before"))
keeps("Attention", since=24, until=24, why=SAME("window sizes of -1 leave every key visible"))
