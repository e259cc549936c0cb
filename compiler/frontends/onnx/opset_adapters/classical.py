"""ai.onnx.ml."""

from __future__ import annotations

from onnx import TensorProto

from davit.compiler.frontends.onnx.opset import SAME, Lift, OldNode, adapts, keeps

ML = "ai.onnx.ml"


@adapts("LabelEncoder", since=1, until=1, domain=ML)
def label_encoder_1(old: OldNode, lift: Lift) -> None:
    """Strings to their places in a list, or places to strings, as the input's type says."""
    classes = list(old.attr("classes_strings", ()))
    places = list(range(len(classes)))
    known = lift.elem_type(old.input(0))
    if known == TensorProto.STRING:
        default = old.attr("default_int64")
        names = {"keys_strings": classes, "values_int64s": places, "default_int64": default}
    elif known == TensorProto.INT64:
        default = old.attr("default_string")
        names = {"keys_int64s": places, "values_strings": classes, "default_string": default}
    else:
        raise lift.unsupported("whether it encodes or decodes depends on its input's element type, which is not known")
    lift.node("LabelEncoder", old.inputs, old.outputs, **names)


keeps("LabelEncoder", since=2, until=3, domain=ML, why=SAME("tensors are a further way to give keys and values"))
keeps(
    "TreeEnsembleClassifier", "TreeEnsembleRegressor", since=1, until=2, domain=ML,
    why=SAME("tensors are a further way to give numbers"),
)  # fmt: skip
keeps(
    "TreeEnsembleClassifier", "TreeEnsembleRegressor", since=3, until=4, domain=ML,
    why=SAME("deprecated in favour of TreeEnsemble, but meant and lowered as before"),
)  # fmt: skip
