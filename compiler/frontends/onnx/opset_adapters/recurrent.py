"""Recurrent networks."""

from __future__ import annotations

from davit.compiler.frontends.onnx.opset import SAME, Lift, OldNode, adapts, keeps


@adapts("GRU", since=1, until=2)
def gru_1(old: OldNode, lift: Lift) -> None:
    """The default direction was misspelt in the schema, and so by some exporters."""
    direction = "forward" if old.attr("direction") == "foward" else old.attr("direction")
    lift.node("GRU", old.inputs, old.outputs, direction=direction, **old.attrs("direction"))


@adapts("GRU", since=3, until=6)
@adapts("LSTM", "RNN", since=1, until=6)
def drop_output_sequence(old: OldNode, lift: Lift) -> None:
    """output_sequence=0 allowed the first output to be absent, which it is anyway."""
    lift.node(old.op, old.inputs, old.outputs, **old.attrs("output_sequence"))


keeps("GRU", "LSTM", "RNN", since=7, until=13, why=SAME("layout=0 is the order of axes there was"))
