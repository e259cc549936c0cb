"""Dialects defined from Python: an op is a class; IRDL makes it known to MLIR, a Python trait verifies it.

Operand structure goes into IRDL (names, variadic tail); everything a sentence can say better than "invalid
properties" is checked by :meth:`OpDef.verify`, which names the attribute or operand and what is allowed.

In IRDL all values of a variadic operand or result must have one type. Values of several types are therefore passed
as one builtin tuple: ``nn.concat(%t) : (tuple<tensor<2xf32>, tensor<3xf32>>)``, where an
``unrealized_conversion_cast`` makes the tuple (for results: takes it apart). :func:`create` writes this form,
:func:`operands_of` and :func:`results_of` read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from davit.mlir import ir, irdl


class VerifyError(ValueError):
    """An op in the IR breaks its definition."""


@dataclass(frozen=True)
class OpDef:
    """What MLIR has to know of an op.

    Attributes:
        name: without the dialect, lower case.
        operands: names, in order; a name ending in ``*`` takes any number and must be the last.
        results: names, likewise.
        regions: names of the regions.
        verify: called with the op; raises :class:`VerifyError`.
        pure: no side effects, so that CSE and dead-code elimination treat it like any other op.
    """

    name: str
    operands: tuple[str, ...] = ()
    results: tuple[str, ...] = ("result",)
    regions: tuple[str, ...] = ()
    verify: Callable[[ir.OpView], None] | None = None
    pure: bool = True
    terminator: bool = False


@dataclass
class DialectDef:
    """A dialect: its namespace, ops and types (names of parameterless or one-parameter types)."""

    namespace: str
    ops: dict[str, OpDef] = field(default_factory=dict)
    types: dict[str, int] = field(default_factory=dict)  # name -> number of parameters

    def add(self, op: OpDef) -> None:
        if op.name in self.ops:
            raise ValueError(f"{self.namespace}.{op.name} is defined twice")
        self.ops[op.name] = op

    def irdl(self) -> str:
        """The dialect as IRDL text."""
        lines = [f"irdl.dialect @{self.namespace} {{"]
        for name, params in self.types.items():
            lines.append(f"irdl.type @{name} {{")
            lines += _constraints("parameters", tuple(f"p{i}" for i in range(params)))
            lines.append("}")
        for op in self.ops.values():
            lines.append(f"irdl.operation @{op.name} {{")
            lines += _constraints("operands", op.operands) + _constraints("results", op.results)
            for i in range(len(op.regions)):
                lines.append(f"%r{i} = irdl.region")
            if op.regions:
                lines.append(f"irdl.regions({', '.join(f'{n}: %r{i}' for i, n in enumerate(op.regions))})")
            lines.append("}")
        return "\n".join([*lines, "}"])

    def load(self, context: ir.Context) -> None:
        """Make the dialect known to a context; does nothing when it already is."""
        probe = f"{self.namespace}.{next(iter(self.ops))}"
        if context.is_registered_operation(probe):
            return
        with context, ir.Location.unknown():
            irdl.load_dialects(ir.Module.parse("module {\n" + self.irdl() + "\n}"))  # pyright: ignore[reportAttributeAccessIssue]
            for op in self.ops.values():
                full = f"{self.namespace}.{op.name}"
                if op.verify is not None:
                    ir.DynamicOpTrait.attach(full, _verifier(full, op.verify))
                if op.pure:
                    _NoEffect.attach(full)
                    _Speculatable.attach(full)
                if op.terminator:
                    ir.IsTerminatorTrait.attach(full)


def _constraints(word: str, names: tuple[str, ...]) -> list[str]:
    """One free variable for each field: in IRDL, fields that share a variable must have equal types."""
    if not names:
        return []
    fields = ", ".join(
        f"{n[:-1]}: variadic %{word}{i}" if n.endswith("*") else f"{n}: %{word}{i}" for i, n in enumerate(names)
    )
    return [*(f"%{word}{i} = irdl.any" for i in range(len(names))), f"irdl.{word}({fields})"]


class _NoEffect(ir.MemoryEffectsOpInterface):
    @staticmethod
    def get_effects(op: Any, effects: Any) -> None:
        """Pure ops have none."""


class _Speculatable(ir.ConditionallySpeculatable):
    @staticmethod
    def get_speculatability(op: Any) -> ir.Speculatability:
        return ir.Speculatability.Speculatable


def _verifier(full: str, verify: Callable[[ir.OpView], None]) -> type:
    class Verifier(ir.DynamicOpTrait):
        @staticmethod
        def verify_invariants(op: ir.OpView) -> bool:
            try:
                verify(op)
            except (VerifyError, TypeError) as e:
                op.location.emit_error(f"'{full}' op {e}")
                return False
            return True

        @staticmethod
        def verify_region_invariants(op: ir.OpView) -> bool:
            return True

    return Verifier


CAST = "builtin.unrealized_conversion_cast"


def create(
    name: str,
    results: Sequence[ir.Type] = (),
    operands: Sequence[ir.Value] = (),
    attributes: Mapping[str, ir.Attribute] | None = None,
    regions: int = 0,
    *,
    fixed: int | None = None,
    fixed_results: int | None = None,
) -> tuple[ir.Operation, list[ir.Value]]:
    """Create an op whose last operand or result may be variadic, values of several types going as a tuple.

    Args:
        fixed: how many operands come before the variadic one; None when there is none. Likewise ``fixed_results``.

    Returns:
        the op, and its results (those of a tuple taken apart).
    """
    operands, results = list(operands), list(results)
    if fixed is not None and _mixed([v.type for v in operands[fixed:]]):
        kind = ir.TupleType.get_tuple([v.type for v in operands[fixed:]])
        packed = ir.Operation.create(CAST, results=[kind], operands=operands[fixed:])
        operands = [*operands[:fixed], packed.result]
    parts = None
    if fixed_results is not None and _mixed(results[fixed_results:]):
        parts = results[fixed_results:]
        results = [*results[:fixed_results], ir.TupleType.get_tuple(parts)]
    op = ir.Operation.create(
        name, results=results, operands=operands, attributes=dict(attributes or {}), regions=regions
    )
    values = list(op.results)
    if parts is not None:
        values[-1:] = ir.Operation.create(CAST, results=parts, operands=[values[-1]]).results
    return op, values


def _mixed(kinds: list[ir.Type]) -> bool:
    return any(k != kinds[0] for k in kinds[1:])


def operands_of(op: ir.OpView | ir.Operation) -> list[ir.Value]:
    """The operands, those of a tuple one by one.

    Raises:
        VerifyError: a tuple that is not made from values.
    """
    values = list(op.operands)
    if values and isinstance(values[-1].type, ir.TupleType):
        owner = values[-1].owner
        if isinstance(owner, ir.Block) or owner.name != CAST or len(owner.operands) != values[-1].type.num_types:
            raise VerifyError("takes a tuple that no unrealized_conversion_cast of its parts makes")
        values[-1:] = owner.operands
    return values


def results_of(op: ir.OpView | ir.Operation) -> list[ir.Value]:
    """The results, those of a tuple one by one.

    Raises:
        VerifyError: a tuple that is not taken apart.
    """
    values = list(op.results)
    if values and isinstance(values[-1].type, ir.TupleType):
        users = [use.owner for use in values[-1].uses]
        if len(users) != 1 or users[0].operation.name != CAST:
            raise VerifyError("gives a tuple that no single unrealized_conversion_cast takes apart")
        values[-1:] = users[0].operation.results
    return values


def types_of(values: Iterable[ir.Value]) -> list[ir.Type]:
    """Types of operands or results, those of a tuple one by one."""
    out: list[ir.Type] = []
    for v in values:
        t = v.type
        out += [t.get_type(i) for i in range(t.num_types)] if isinstance(t, ir.TupleType) else [t]
    return out


def is_pack(op: ir.OpView | ir.Operation) -> bool:
    """True for the cast that makes such a tuple or takes it apart."""
    return op.operation.name == CAST and any(
        isinstance(v.type, ir.TupleType) for v in (*op.operation.operands, *op.operation.results)
    )


def load_all(context: ir.Context, dialects: Iterable[DialectDef]) -> ir.Context:
    """Load dialects into a context and return it."""
    for d in dialects:
        d.load(context)
    return context
