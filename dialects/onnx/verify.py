"""The verifier of every ONNX op, driven by its schema: counts, attributes, element types, regions."""

from __future__ import annotations

from collections.abc import Sequence

from davit.dialects.definition import VerifyError, types_of
from davit.dialects.onnx import types
from davit.dialects.onnx.schema import AttrKind, Param, Schema
from davit.mlir import ir

_WORDS: dict[AttrKind, str] = {
    "float": "a float",
    "int": "an integer",
    "string": "a string",
    "floats": "a list of floats",
    "ints": "a list of integers",
    "strings": "a list of strings",
    "tensor": "a tensor constant",
    "type": "a type",
}


def verify(schema: Schema, op: ir.OpView | ir.Operation) -> None:
    """Check an op of this schema.

    Raises:
        VerifyError: it breaks the schema; the message says where and what is allowed.
    """
    operands = spread(schema.operands, types_of(op.operands), "operand")
    results = spread(schema.results, types_of(op.results), "result")
    _attributes(schema, op)
    _types(schema, [*operands, *results])
    _regions(schema, op)


def spread(params: Sequence[Param], values: list[ir.Type], what: str) -> list[tuple[Param, list[ir.Type]]]:
    """Types of the values by parameter, absent ones left out.

    Raises:
        VerifyError: there are too many or too few.
    """
    variadic = bool(params) and params[-1].kind == "variadic"
    fixed = len(params) - variadic
    if len(values) < fixed or (len(values) > fixed and not variadic):
        raise VerifyError(f"takes {'at least ' if variadic else ''}{_count(fixed, what)}, got {len(values)}")
    out: list[tuple[Param, list[ir.Type]]] = []
    for param, value in zip(params, values, strict=False):
        if param.kind == "variadic":
            break
        present = [] if isinstance(value, ir.NoneType) else [value]
        if not present and param.kind == "single" and what == "operand":
            raise VerifyError(f"operand {param.name!r} must be present")
        out.append((param, present))
    if variadic:
        rest = values[fixed:]
        if len(rest) < params[-1].minimum:
            raise VerifyError(f"{what} {params[-1].name!r} needs at least {params[-1].minimum}, got {len(rest)}")
        out.append((params[-1], [v for v in rest if not isinstance(v, ir.NoneType)]))
    return out


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _attributes(schema: Schema, op: ir.OpView | ir.Operation) -> None:
    present = set()
    for name in op.attributes:
        present.add(name)
        known = schema.attributes.get(name)
        if known is None:
            if "." in name:
                continue  # a discardable attribute of some dialect
            raise VerifyError(f"has no attribute {name!r}; it has {', '.join(schema.attributes) or 'none'}")
        if not _is_kind(op.attributes[name], known.kind):
            raise VerifyError(f"attribute {name!r} must be {_WORDS[known.kind]}, got {str(op.attributes[name])[:60]}")
    for attribute in schema.attributes.values():
        if attribute.name not in present:
            if attribute.required:
                raise VerifyError(f"needs the attribute {attribute.name!r} ({_WORDS[attribute.kind]})")
            if attribute.default is not None:
                raise VerifyError(
                    f"needs the attribute {attribute.name!r}: defaults are written out, here {attribute.default!r}"
                )


def _is_kind(attr: ir.Attribute, kind: AttrKind) -> bool:
    match kind:
        case "float":
            return isinstance(attr, ir.FloatAttr)
        case "int":
            return isinstance(attr, ir.IntegerAttr) and not isinstance(attr, ir.BoolAttr)
        case "string":
            return isinstance(attr, ir.StringAttr)
        case "floats":
            return isinstance(attr, ir.DenseF32ArrayAttr)
        case "ints":
            return isinstance(attr, ir.DenseI64ArrayAttr)
        case "strings":
            return isinstance(attr, ir.ArrayAttr) and all(isinstance(a, ir.StringAttr) for a in attr)
        case "tensor":
            # Resources and string elements come out of an op as plain attributes.
            return isinstance(attr, ir.DenseElementsAttr) or str(attr)[:5] == "dense"
        case "type":
            return isinstance(attr, ir.TypeAttr)
    return False


def _types(schema: Schema, params: list[tuple[Param, list[ir.Type]]]) -> None:
    bound: dict[str, tuple[str, str]] = {}  # constraint -> (type, the parameter that fixed it)
    for param, values in params:
        allowed = schema.constraints.get(param.types, frozenset((param.types,)))
        for value in values:
            have = types.type_string(value)
            if have is None or not types.fits(have, allowed):
                listed = sorted(allowed)
                more = f" or {len(listed) - 6} more" if len(listed) > 6 else ""
                raise VerifyError(f"{param.name!r} is {have or value}, but must be {' or '.join(listed[:6])}{more}")
            if "?" in have or param.types not in schema.constraints or not param.same_type:
                continue
            first, by = bound.setdefault(param.types, (have, param.name))
            if first != have:
                raise VerifyError(f"{by!r} is {first} and {param.name!r} is {have}: they must have one type")


def _regions(schema: Schema, op: ir.OpView | ir.Operation) -> None:
    if len(op.regions) != len(schema.regions):
        raise VerifyError(f"has {_count(len(schema.regions), 'region')}, got {len(op.regions)}")
    for name, region in zip(schema.regions, op.regions, strict=True):
        blocks = list(region.blocks)
        if len(blocks) > 1 or (not blocks and name not in schema.optional_regions):
            raise VerifyError(f"region {name!r} must have one block, got {len(blocks)}")
        for block in blocks:
            ops = list(block.operations)
            if not ops or ops[-1].operation.name != "onnx.yield":
                raise VerifyError(f"region {name!r} must end in onnx.yield")
