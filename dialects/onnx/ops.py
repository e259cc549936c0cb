"""Building ONNX ops from Python: ``ops.conv(x, w, None, results=[t], strides=(2, 2))``.

One function an operator, made from its schema when it is first asked for; ``ops.pyi`` lists them all. Operands come
in schema order (None for an absent one, a variadic one takes the rest), attributes by name, ``results`` are the
result types (None for an absent one). Functions of the other domains carry their dialect: ``ops.onnx_ml_scaler``.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

from davit.dialects.definition import create
from davit.dialects.onnx.define import encode_all
from davit.dialects.onnx.schema import Schema, schemas
from davit.dialects.onnx.verify import verify
from davit.mlir import ir

Body = tuple[Sequence[ir.Type], Callable[..., Sequence[ir.Value]]]
"""A graph attribute: the types of its inputs, and a function from those to its outputs."""


def function_name(schema: Schema) -> str:
    """The Python name of an operator's builder."""
    name = schema.name if schema.dialect == "onnx" else f"{schema.dialect}_{schema.name}"
    return f"{name}_" if keyword.iskeyword(name) else name


@cache
def _functions() -> dict[str, Schema]:
    return {function_name(s): s for s in schemas().values()}


def __getattr__(name: str) -> Callable[..., Any]:
    schema = _functions().get(name)
    if schema is None:
        raise AttributeError(f"ONNX has no operator {name!r}")
    return partial(build, schema)


def build(schema: Schema, *operands: ir.Value | None, results: Sequence[ir.Type | None], **attributes: Any) -> Any:
    """Emit an op at the current insertion point.

    Returns:
        its result, or a list of them when there are several.

    Raises:
        VerifyError: the op breaks its schema.
    """
    none_type = ir.NoneType.get()
    values = list(operands) + [None] * (schema.fixed - len(operands))
    if any(v is None for v in values):
        none = ir.Operation.create("onnx.none", results=[none_type]).result
        values = [none if v is None else v for v in values]
    kinds = [none_type if t is None else t for t in results]
    kinds += [none_type] * (schema.fixed_results - len(kinds))
    bodies: dict[str, Body] = {name: attributes.pop(name) for name in schema.regions if name in attributes}
    op, made = create(
        schema.full_name,
        kinds,
        values,
        encode_all(schema, attributes),
        len(schema.regions),
        fixed=schema.fixed if schema.variadic else None,
        fixed_results=schema.fixed_results if schema.variadic_results else None,
    )
    for name, (inputs, body) in bodies.items():
        block = op.regions[schema.regions.index(name)].blocks.append(*inputs)
        with ir.InsertionPoint(block):
            create("onnx.yield", operands=body(*block.arguments), fixed=0)
    verify(schema, op)
    return made[0] if len(made) == 1 else made
