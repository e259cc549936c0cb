"""Writes ``ops.pyi`` from the schemas: ``python -m davit.dialects.onnx.stub``."""

from __future__ import annotations

import keyword
import textwrap
from pathlib import Path

from davit.dialects.onnx.ops import function_name
from davit.dialects.onnx.schema import Attribute, AttrKind, Param, Schema, schemas

PATH = Path(__file__).with_name("ops.pyi")

_WIDTH = 110

_TYPES: dict[AttrKind, str] = {
    "float": "float",
    "int": "int",
    "string": "str",
    "floats": "Sequence[float]",
    "ints": "Sequence[int]",
    "strings": "Sequence[str]",
    "tensor": "np.ndarray",
    "type": "Type",
    "graph": "Body",
}

_HEAD = '''\
"""Builders of every ONNX operator at its newest version. Written by davit.dialects.onnx.stub; do not edit."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from torch_mlir.ir import Type, Value

from davit.dialects.onnx.schema import Schema

Body = tuple[Sequence[Type], Callable[..., Sequence[Value]]]

def function_name(schema: Schema) -> str: ...
def build(schema: Schema, *operands: Value | None, results: Sequence[Type | None], **attributes: Any) -> Any: ...
'''


def stub() -> str:
    """The text of ``ops.pyi``."""
    return _HEAD + "\n".join(map(_function, sorted(schemas().values(), key=function_name)))


def _function(s: Schema) -> str:
    lines = [f"def {function_name(s)}("]
    lines += [f"    {_operand(s, p)}," for p in s.operands]
    if not s.variadic:
        lines.append("    *,")
    lines.append("    results: Sequence[Type | None],")
    lines += [f"    {_attribute(a)}," for a in s.attributes.values() if _identifier(a.name)]
    lines += [f"    {r}: Body{' | None = None' if r in s.optional_regions else ''}," for r in s.regions]
    results = "Value" if len(s.results) == 1 and not s.variadic_results else "list[Value]"
    lines.append(f") -> {results}:")
    lines += [f"    {line}".rstrip() for line in _doc(s)]
    return "\n".join(lines) + "\n"


def _identifier(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name)


def _operand(s: Schema, p: Param) -> str:
    name = f"{p.name}_" if keyword.iskeyword(p.name) else p.name
    if p.kind == "variadic":
        return f"*{name}: Value | None"
    if p.kind == "single":
        return f"{name}: Value"
    return f"{name}: Value | None{'' if s.variadic else ' = None'}"


def _attribute(a: Attribute) -> str:
    kind = _TYPES[a.kind]
    if a.default is not None:
        default = repr(a.default).replace("'", '"')
        return f"{a.name}: {kind} = {default}"
    return f"{a.name}: {kind}" if a.required else f"{a.name}: {kind} | None = None"


def _doc(s: Schema) -> list[str]:
    domain = f" of {s.domain}" if s.domain else ""
    old = "; deprecated" if s.deprecated else ""
    lines = [f'"""``{s.full_name}``: {s.op_type}{domain}, version {s.version}{old}.', ""]
    if s.results:
        lines += [f"Results: {', '.join(map(_result, s.results))}.", ""]
    for p in (*s.operands, *s.results):
        lines.append(f"{p.name}: {p.types}")
    if s.constraints:
        lines.append("")
    for name, allowed in s.constraints.items():
        lines += textwrap.wrap(f"{name}: {', '.join(_short(allowed))}", _WIDTH, subsequent_indent="    ")
    return [*lines, '"""']


def _short(allowed: frozenset[str]) -> list[str]:
    """Type strings without the word that all tensors share."""
    return sorted(a[len("tensor(") : -1] if a.startswith("tensor(") else a for a in allowed)


def _result(p: Param) -> str:
    return {"single": "", "optional": "optional ", "variadic": "any number of "}[p.kind] + p.name


if __name__ == "__main__":
    PATH.write_text(stub(), encoding="utf-8")
