"""The table of onnx -> nn lowerings, the view they get, and the conversion that applies them.

A lowering is ``(op, b) -> ir.Value | tuple``: ``op.x`` is an operand (an nn-level value, or None when absent),
``op.attr.axis`` an attribute (None when absent and without default), ``b`` the :class:`NnBuilder`. A lowering that
cannot go on raises :class:`LoweringError` with a sentence; the framework adds file, node and op.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from davit.compiler.lowering.registry import FAULTS, LoweringError, Registry, fault
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.definition import is_pack, operands_of
from davit.dialects.dims import InferError
from davit.dialects.onnx import OnnxOp
from davit.dialects.types import Tensor, compatible, is_none, refine
from davit.errors import CompileError, Error, Unsupported
from davit.mlir import ir

REGISTRY = Registry("onnx", "nn")
CONSTANT_OPERANDS: dict[str, tuple[str, ...]] = {}


def lowers(*names: str, constant: tuple[str, ...] = ()) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a lowering of ``onnx.<name>`` (or ``onnx_ml.<name>`` written in full).

    Args:
        constant: operands that must be known at compile time; read them with ``op.const("pads")``.
    """
    for name in names:
        CONSTANT_OPERANDS[name] = constant
    return REGISTRY.lowers(*names)


class Node:
    """What a lowering sees of one ONNX node: operands mapped to nn values, attributes, the declared results."""

    def __init__(self, view: OnnxOp, values: list[Any], builder: NnBuilder, converter: Converter) -> None:
        self.view = view
        self.attr = view.attr
        self.operands = values
        self.builder = builder
        self.converter = converter
        self._by_name = dict(view.operand_slots(values))

    def __getattr__(self, name: str) -> Any:
        """An operand by its schema name (lower case): a value, None when absent, a list when variadic."""
        try:
            return self._by_name[name]
        except KeyError:
            raise AttributeError(f"{self.view.op_type} has no operand {name!r}; it has {list(self._by_name)}") from None

    @property
    def ir(self) -> ir.OpView:
        return self.view.op

    @property
    def results(self) -> list[Tensor | None]:
        """What ONNX's shape inference knows of each result; None when absent or of unknown rank."""
        return [
            Tensor.of(r.type) if isinstance(r.type, ir.RankedTensorType) else None for r in self.view.results
        ]

    @property
    def result(self) -> Tensor | None:
        return self.results[0]

    def wants(self, i: int) -> bool:
        """True when result ``i`` is used by the graph."""
        results = self.view.results
        return i < len(results) and not isinstance(results[i].type, ir.NoneType)

    def const(self, name: str) -> np.ndarray | None:
        """A compile-time constant operand; None when the operand is absent.

        Raises:
            LoweringError: it is computed at run time; the message names the node that does.
        """
        value = self._by_name[name]
        if value is None:
            return None
        array = self.builder.constant_of(value)
        if array is None:
            owner = value.owner
            source = "a graph input" if isinstance(owner, ir.Block) else f"computed by {owner.location}"
            raise LoweringError(f"its input {name!r} must be a constant here, but is {source}")
        return array


class Converter:
    """Rewrites a function body from onnx to nn, op by op, into a new body."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.builder = NnBuilder()
        self.map: dict[ir.Value, Any] = {}
        self.inputs: list[ir.Value] = []  # of the function: they are there everywhere

    def value(self, v: ir.Value) -> Any:
        return None if is_none(v) else self.map[v]

    def block(self, source: ir.Block) -> list[Any]:
        """Convert the ops of a block at the current insertion point; returns the terminator's operands, mapped."""
        returned: list[Any] = []
        for op in source.operations:
            with op.location:
                name = op.operation.name
                if name in ("func.return", "onnx.yield"):
                    returned = [self.map[v] for v in operands_of(op)]
                elif name == "onnx.none":
                    self.map[op.results[0]] = None
                elif not is_pack(op):
                    try:
                        self.op(op, name)
                    except Error as e:
                        e.location = e.location or str(op.location)
                        raise
        return returned

    def call(self, block: ir.Block, arguments: Sequence[Any]) -> list[Any]:
        """Convert the block of a graph attribute with values for its inputs; returns its outputs."""
        self.map.update(zip(block.arguments, arguments, strict=True))
        return self.block(block)

    def op(self, op: ir.OpView, name: str) -> None:
        dialect, _, short = name.partition(".")
        key = short if dialect == "onnx" else name
        fn = REGISTRY.functions.get(key)
        view = OnnxOp(op)
        where = f"{self.path}: node {view.name!r} ({view.op_type})"
        if fn is None:
            raise Unsupported(f"{where}: davit has no lowering for this operator", [view.op_type])
        node = Node(view, [self.value(v) for v in view.operands], self.builder, self)
        try:
            out = fn(node, self.builder)
        except (LoweringError, InferError) as e:
            raise CompileError(f"{where}: {e}") from e
        except FAULTS as e:
            raise CompileError(f"{where}: {fault(e)}") from e
        outs = list(out) if isinstance(out, (tuple, list)) else [out]
        for i, r in enumerate(view.results):
            made = outs[i] if i < len(outs) else None
            if isinstance(r.type, ir.NoneType):
                continue
            if made is None:
                raise CompileError(f"{where}: its output {i} is not supported")
            self.map[r] = self._settle(made, r.type, where)

    def _settle(self, made: Any, declared: ir.Type, where: str) -> Any:
        """Check a result against ONNX's inference, and keep what that knows beyond ours."""
        if not isinstance(declared, ir.RankedTensorType) or not isinstance(made, ir.Value):
            return made
        if not isinstance(made.type, ir.RankedTensorType):
            return made
        have, want = self.builder.type(made), Tensor.of(declared)
        if have.dtype != want.dtype or have.rank != want.rank or not compatible(have, want):
            raise CompileError(f"{where}: davit infers {have} where ONNX infers {want}")
        better = refine(have, Tensor(want.dtype, tuple(d if isinstance(d, int) else None for d in want.shape)))
        if better.shape != have.shape:
            made = self.builder.op("refine", made, result=better)
        return made


__all__ = ["CONSTANT_OPERANDS", "REGISTRY", "Converter", "LoweringError", "Node", "lowers"]
