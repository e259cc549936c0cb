"""How an ``nn`` op is defined: one class with its type inference and its numpy reference; the rest is derived.

From the class come the IRDL definition, the verifier (operand count, attribute kinds, and the declared result
against the inferred one), the builder method of the same name, constant folding and reference evaluation.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from davit.dialects import attributes, constants
from davit.dialects.definition import DialectDef, OpDef, VerifyError, operands_of
from davit.dialects.dims import InferError
from davit.dialects.types import DType, Tensor, compatible
from davit.mlir import ir

NN = DialectDef("nn")

Attr = type | tuple[str, ...] | str
"""An attribute's kind: a Python type (bool, int, float, str, DType), a tuple of allowed words, ``"ints"``,
``"floats"``, or ``"elements"`` (a tensor constant, left as its MLIR attribute)."""


@dataclass(frozen=True)
class NnOp:
    """A defined op.

    Attributes:
        operands: operand names; a last one ending in ``*`` takes any number (absent optional operands too).
        attrs: kinds by name.
        defaults: values for the builder; in the IR every attribute is always present.
        results: 0 for "as many as infer returns", else the fixed number.
        infer: operand types and attributes to result type(s); raises InferError.
        reference: the same on numpy arrays: the meaning of the op.
    """

    name: str
    doc: str
    operands: tuple[str, ...]
    attrs: dict[str, Attr]
    defaults: dict[str, Any]
    results: int
    infer: Callable[..., Tensor | tuple[Tensor, ...]]
    reference: Callable[..., Any]
    foldable: bool

    @property
    def variadic(self) -> bool:
        return bool(self.operands) and self.operands[-1].endswith("*")

    def infer_types(self, operands: list[Tensor], attrs: dict[str, Any]) -> tuple[Tensor, ...]:
        """Result types of an application.

        Raises:
            InferError: the operands or attributes do not fit.
        """
        fixed = len(self.operands) - self.variadic
        if len(operands) < fixed or (len(operands) > fixed and not self.variadic):
            raise InferError(f"takes {'at least ' if self.variadic else ''}{fixed} operands, got {len(operands)}")
        out = self.infer(*operands, **attrs)
        return out if isinstance(out, tuple) else (out,)

    def evaluate(self, operands: list[np.ndarray], attrs: dict[str, Any]) -> tuple[np.ndarray, ...]:
        """The reference on arrays; overflow and invalid-value warnings of numpy are part of the arithmetic."""
        with np.errstate(all="ignore"):
            out = self.reference(*operands, **attrs)
        return out if isinstance(out, tuple) else (out,)


OPS: dict[str, NnOp] = {}


def define(
    name: str,
    operands: str = "",
    attrs: dict[str, Attr] | None = None,
    *,
    results: int = 1,
    foldable: bool = True,
) -> Callable[[type], type]:
    """Class decorator: define ``nn.<name>``.

    The class has static methods ``infer(*operands: Tensor, **attrs) -> Tensor | tuple`` and
    ``reference(*operands: ndarray, **attrs) -> ndarray | tuple``; keyword defaults of ``infer`` are the builder's.

    Args:
        operands: names separated by blanks.
        foldable: False when the reference must not replace the op (random numbers).
    """

    def register(cls: type) -> type:
        kinds = dict(attrs or {})
        defaults = {
            p.name: p.default
            for p in inspect.signature(cls.infer).parameters.values()
            if p.kind is p.KEYWORD_ONLY and p.default is not p.empty
        }
        op = NnOp(
            name,
            inspect.cleandoc(cls.__doc__ or ""),
            tuple(operands.split()),
            kinds,
            defaults,
            results,
            cls.infer,
            cls.reference,
            foldable,
        )
        if not op.doc:
            raise TypeError(f"nn.{name} has no docstring")
        if name in OPS:
            raise ValueError(f"nn.{name} is defined twice")
        OPS[name] = op
        names = ("result",) if results == 1 else tuple(f"result{i}" for i in range(results)) or ("results*",)
        NN.add(OpDef(name, op.operands, names, verify=lambda o, op=op: verify(op, o)))
        return cls

    return register


def _kind_ok(value: Any, kind: Attr) -> bool:
    if kind == "ints":
        return isinstance(value, tuple) and all(isinstance(v, int) for v in value)
    if kind == "floats":
        return isinstance(value, tuple) and all(isinstance(v, (int, float)) for v in value)
    if isinstance(kind, tuple):
        return value in kind
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "elements":
        return isinstance(value, ir.Attribute)
    return isinstance(value, kind)  # type: ignore[arg-type]


def _kind_name(kind: Attr) -> str:
    if isinstance(kind, tuple):
        return "one of " + ", ".join(kind)
    if isinstance(kind, str):
        return {"ints": "a list of integers", "floats": "a list of floats", "elements": "a tensor constant"}[kind]
    return f"of type {kind.__name__}"


def read_attrs(op: NnOp, ir_op: ir.Operation | ir.OpView) -> dict[str, Any]:
    """The op's attributes as Python values.

    Raises:
        VerifyError: one is missing, unknown or of the wrong kind.
    """
    found: dict[str, Any] = {}
    for name in ir_op.attributes:
        attr = ir_op.attributes[name]
        found[name] = attr if op.attrs.get(name) == "elements" else attributes.decode(attr)
    for name, kind in op.attrs.items():
        if name not in found:
            raise VerifyError(f"needs the attribute {name!r} ({_kind_name(kind)})")
        if not _kind_ok(found[name], kind):
            raise VerifyError(f"attribute {name!r} must be {_kind_name(kind)}, got {found[name]!r}")
    unknown = [a for a in found if a not in op.attrs and "." not in a]
    if unknown:
        raise VerifyError(f"has no attribute {unknown[0]!r}; it has {', '.join(op.attrs) or 'none'}")
    return {a: found[a] for a in op.attrs}


def constant_of(value: ir.Value) -> np.ndarray | None:
    """The array behind a value that a constant op makes, else None."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return None
    if owner.name in ("nn.constant", "onnx.constant", "arith.constant"):
        return constants.decode(owner.attributes["value"])
    return None


VALUE_LIMIT = 64
"""Integer tensors up to this many elements have their elements tracked during inference."""


def abstract(value: ir.Value) -> Tensor:
    """The tensor type of a value, with its elements when it is a small integer constant."""
    t = Tensor.of(value.type)
    if t.dtype.is_float or not t.is_static or t.size > VALUE_LIMIT:
        return t
    array = constant_of(value)
    return t if array is None or array.dtype.kind not in "iub" else t.with_value(array.reshape(-1).tolist())


def verify(op: NnOp, ir_op: ir.OpView) -> None:
    """Check an op in the IR against its definition."""
    attrs = read_attrs(op, ir_op)
    try:
        inferred = op.infer_types([abstract(v) for v in operands_of(ir_op)], attrs)
    except InferError as e:
        raise VerifyError(str(e)) from None
    declared = [Tensor.of(r.type) for r in ir_op.results]
    if len(inferred) != len(declared):
        raise VerifyError(f"has {len(declared)} results where {len(inferred)} are inferred")
    for want, have in zip(inferred, declared, strict=True):
        if not compatible(want, have):
            raise VerifyError(f"result type {have} does not fit the inferred {want}")


class View:
    """Typed view of an ``nn`` op: operands by name, attributes as Python values.

    ``view.x`` is the operand (an ir.Value, or what a lowering maps it to), ``view.attr.axis`` an attribute,
    ``view.rest`` the tuple of a variadic operand.
    """

    def __init__(self, ir_op: ir.OpView | ir.Operation, operands: list[Any] | None = None) -> None:
        self.op = ir_op
        self.definition = OPS[ir_op.name.removeprefix("nn.")]
        self.attr = _Attrs(read_attrs(self.definition, ir_op))
        values = operands_of(ir_op)
        self.operands: list[Any] = values if operands is None else operands
        self.types = [Tensor.of(v.type) for v in values]
        self.results = [Tensor.of(r.type) for r in ir_op.results]

    @property
    def result(self) -> Tensor:
        return self.results[0]

    def __getattr__(self, name: str) -> Any:
        names = self.definition.operands
        if name in names:
            return self.operands[names.index(name)]
        if f"{name}*" in names:
            return tuple(self.operands[len(names) - 1 :])
        raise AttributeError(f"nn.{self.definition.name} has no operand {name!r}; it has {', '.join(names)}")

    def type(self, name: str) -> Tensor:
        """The nn-level type of a named operand."""
        return self.types[self.definition.operands.index(name)]


class _Attrs:
    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no attribute {name!r}; there are {', '.join(self.__dict__)}")


def encode_attrs(op: NnOp, attrs: dict[str, Any]) -> dict[str, Any]:
    """Complete attributes with defaults and normalise lists.

    Raises:
        TypeError: an attribute is missing, unknown or of the wrong kind (a fault in the caller's code).
    """
    out: dict[str, Any] = {}
    for name, kind in op.attrs.items():
        if name in attrs:
            value = attrs[name]
        elif name in op.defaults:
            value = op.defaults[name]
        else:
            raise TypeError(f"nn.{op.name} needs the attribute {name!r}")
        if kind == "ints":
            value = tuple(int(v) for v in value)
        elif kind == "floats":
            value = tuple(float(v) for v in value)
        elif kind is float:
            value = float(value)
        elif kind is int:
            value = int(value)
        elif kind is bool:
            value = bool(value)
        if not _kind_ok(value, kind):
            raise TypeError(f"nn.{op.name}: attribute {name!r} must be {_kind_name(kind)}, got {value!r}")
        out[name] = value
    if extra := set(attrs) - set(op.attrs):
        raise TypeError(f"nn.{op.name} has no attribute {sorted(extra)[0]!r}; it has {', '.join(op.attrs) or 'none'}")
    return out


__all__ = ["NN", "OPS", "DType", "NnOp", "View", "abstract", "constant_of", "define", "encode_attrs", "read_attrs"]
