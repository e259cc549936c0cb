"""The definition of the ONNX dialects for MLIR, and the way from Python values to their attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from operator import index
from typing import Any

import numpy as np

from davit.dialects import constants
from davit.dialects.definition import DialectDef, OpDef, VerifyError
from davit.dialects.onnx.schema import DIALECTS, AttrKind, Param, Schema, schemas
from davit.dialects.onnx.types import TYPES
from davit.dialects.onnx.verify import verify
from davit.mlir import ir

TEXT_ENCODING = ("utf-8", "surrogateescape")
"""How ONNX's strings, which are bytes, become Python's and back without loss."""


def _define() -> tuple[DialectDef, ...]:
    dialects = {name: DialectDef(name) for name in DIALECTS.values()}
    core = dialects["onnx"]
    core.types.update(TYPES)
    core.add(OpDef("none", (), ("result",), verify=_verify_none))
    core.add(OpDef("yield", ("values*",), (), pure=False, terminator=True))
    for s in schemas().values():
        dialects[s.dialect].add(
            OpDef(
                s.name,
                _fields(s.operands),
                _fields(s.results),
                s.regions,
                verify=partial(verify, s),
                # What a region does is not looked into, so such an op is never merged with its twin.
                pure=s.pure and not s.regions,
            )
        )
    return tuple(dialects.values())


def _fields(params: tuple[Param, ...]) -> tuple[str, ...]:
    return tuple(f"{p.name}*" if p.kind == "variadic" else p.name for p in params)


def _verify_none(op: ir.OpView) -> None:
    if not isinstance(op.results[0].type, ir.NoneType):
        raise VerifyError(f"stands for an absent operand: its type is none, not {op.results[0].type}")


ONNX: tuple[DialectDef, ...] = _define()
"""onnx, onnx_ml, onnx_training and onnx_preview."""


def load(context: ir.Context) -> None:
    """Make the ONNX dialects known to a context; does nothing when they already are."""
    for dialect in ONNX:
        dialect.load(context)


_ENCODERS: dict[AttrKind, Callable[[Any], ir.Attribute]] = {
    "float": lambda v: ir.FloatAttr.get(ir.F32Type.get(), float(v)),
    "int": lambda v: ir.IntegerAttr.get(ir.IntegerType.get_signless(64), index(v)),
    "string": lambda v: ir.StringAttr.get(_bytes(v)),
    "floats": lambda v: ir.DenseF32ArrayAttr.get([float(x) for x in v]),
    "ints": lambda v: ir.DenseI64ArrayAttr.get([index(x) for x in v]),
    "strings": lambda v: ir.ArrayAttr.get([ir.StringAttr.get(_bytes(x)) for x in v]),
    "tensor": lambda v: v if isinstance(v, ir.Attribute) else constants.encode(np.asarray(v)),
    "type": lambda v: ir.TypeAttr.get(v),
}


def _bytes(value: str | bytes) -> bytes:
    if isinstance(value, bytes):
        return value
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no string")
    return value.encode(*TEXT_ENCODING)


def encode(kind: AttrKind, value: Any) -> ir.Attribute:
    """The MLIR attribute of an ONNX attribute's value; floats are f32, as in ONNX."""
    return _ENCODERS[kind](value)


def encode_all(schema: Schema, values: Mapping[str, Any]) -> dict[str, ir.Attribute]:
    """Attributes of an op, the schema's defaults included.

    Raises:
        VerifyError: one is unknown, missing, or not of its kind.
    """
    for name in values:
        if name not in schema.attributes:
            raise VerifyError(f"has no attribute {name!r}; it has {', '.join(schema.attributes) or 'none'}")
    out: dict[str, ir.Attribute] = {}
    for name, attribute in schema.attributes.items():
        value = values.get(name, attribute.default)
        if value is None:
            if attribute.required:
                raise VerifyError(f"needs the attribute {name!r}")
            continue
        try:
            out[name] = encode(attribute.kind, value)
        except (TypeError, ValueError) as e:
            raise VerifyError(f"attribute {name!r} must be of kind {attribute.kind}: {e}") from None
    return out
