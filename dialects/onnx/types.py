"""The dialect's types, and the way between MLIR types and ONNX type strings such as ``seq(tensor(float))``.

``!onnx.string`` (an element type), ``!onnx.seq<T>``, ``!onnx.opt<T>``, ``!onnx.map<K, V>``, and ``!onnx.unknown`` for
a value of which not even the element type is known.
"""

from __future__ import annotations

from functools import cache

import onnx
from onnx import helper

from davit.dialects.types import DTYPES, DType, dtype
from davit.mlir import ir

TYPES: dict[str, int] = {"string": 0, "seq": 1, "opt": 1, "map": 2, "unknown": 0}
"""Type name to its number of parameters."""


def seq(inner: ir.Type) -> ir.Type:
    """A sequence of values of one type."""
    return ir.Type.parse(f"!onnx.seq<{inner}>", inner.context)


def opt(inner: ir.Type) -> ir.Type:
    """A value that may be absent."""
    return ir.Type.parse(f"!onnx.opt<{inner}>", inner.context)


def mapping(key: ir.Type, value: ir.Type) -> ir.Type:
    """A map (ai.onnx.ml); the key is a scalar type."""
    return ir.Type.parse(f"!onnx.map<{key}, {value}>", key.context)


def unknown() -> ir.Type:
    """The type of a value nothing is known of, in the current context."""
    return ir.Type.parse("!onnx.unknown", ir.Context.current)


def is_seq(t: ir.Type) -> bool:
    return str(t).startswith("!onnx.seq<")


def is_opt(t: ir.Type) -> bool:
    return str(t).startswith("!onnx.opt<")


def is_unknown(t: ir.Type) -> bool:
    return str(t) == "!onnx.unknown"


def inner(t: ir.Type) -> ir.Type:
    """What a sequence or optional contains."""
    text = str(t)
    return ir.Type.parse(text[text.index("<") + 1 : -1], t.context)


@cache
def onnx_elements() -> dict[int, DType]:
    """TensorProto.DataType to davit's element type, for every type davit has."""
    found: dict[int, DType] = {}
    for number in onnx.TensorProto.DataType.values():
        if number == onnx.TensorProto.STRING:
            found[number] = DTYPES["!onnx.string"]
        elif number != onnx.TensorProto.UNDEFINED:
            try:
                found[number] = dtype(helper.tensor_dtype_to_np_dtype(number))
            except KeyError:
                continue
    return found


@cache
def _element_strings() -> dict[str, str]:
    """MLIR element type to the name in ONNX's type strings."""
    names = {1: "float", 11: "double"}
    return {
        d.name: names.get(number, onnx.TensorProto.DataType.Name(number).lower())
        for number, d in onnx_elements().items()
    }


def type_string(t: ir.Type) -> str | None:
    """The ONNX type string of an MLIR type, with ``?`` for what is unknown; None when it has none."""
    if isinstance(t, (ir.RankedTensorType, ir.UnrankedTensorType)):
        element = str(t.element_type)
        name = "?" if element == "!onnx.unknown" else _element_strings().get(element)
        return None if name is None else f"tensor({name})"
    text = str(t)
    if text == "!onnx.unknown":
        return "?"
    if text.startswith("!onnx.map<"):
        key, _, value = text[len("!onnx.map<") : -1].partition(", ")
        names = _element_strings()
        right = names.get(value) or type_string(ir.Type.parse(value, t.context))
        return f"map({names.get(key)}, {right})"
    for mlir, word in (("!onnx.seq<", "seq"), ("!onnx.opt<", "optional")):
        if text.startswith(mlir):
            found = type_string(inner(t))
            return None if found is None else f"{word}({found})"
    return None


def fits(have: str, allowed: frozenset[str]) -> bool:
    """True when a type string, with ``?`` for unknown parts, can be one of the allowed."""
    if have in allowed:
        return True
    if "?" not in have:
        return False
    head, _, tail = have.partition("?")
    return any(a.startswith(head) and a.endswith(tail) for a in allowed)
