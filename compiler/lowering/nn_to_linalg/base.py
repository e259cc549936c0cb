"""The table of nn -> linalg lowerings and the conversion that applies it."""

from __future__ import annotations

from davit.compiler.linalg_builder.builder import Array, LinalgBuilder
from davit.compiler.lowering.registry import FAULTS, LoweringError, Registry, fault
from davit.dialects.definition import is_pack, operands_of
from davit.dialects.dims import InferError
from davit.dialects.nn import View
from davit.dialects.types import Tensor
from davit.errors import CompileError, Error
from davit.mlir import ir

REGISTRY = Registry("nn", "linalg")
lowers = REGISTRY.lowers


class Converter:
    """Rewrites a function body from nn to linalg, op by op, into a new body with storage types."""

    def __init__(self) -> None:
        self.builder = LinalgBuilder()
        self.map: dict[ir.Value, ir.Value] = {}
        self.tensors: dict[ir.Value, Tensor] = {}

    def array(self, v: ir.Value) -> Array:
        return Array(self.map[v], Tensor.of(v.type))

    def block(self, source: ir.Block, target: ir.Block) -> None:
        """Convert all ops of ``source`` to the end of ``target``; block arguments are mapped already."""
        with ir.InsertionPoint(target):
            for op in source.operations:
                with op.location:
                    try:
                        self.op(op)
                    except Error as e:
                        e.location = e.location or str(op.location)
                        raise

    def op(self, op: ir.OpView) -> None:
        name = op.operation.name
        if name.startswith("nn."):
            self._nn(op, name[3:])
        elif not is_pack(op):
            self._copy(op)

    def _nn(self, op: ir.OpView, name: str) -> None:
        fn = REGISTRY.functions.get(name)
        if fn is None:
            raise CompileError(f"{op.location}: nn.{name} has no lowering to linalg")
        view = View(op.operation, [self.array(v) for v in operands_of(op)])
        try:
            out = fn(view, self.builder)
        except (LoweringError, InferError) as e:
            raise CompileError(f"{op.location}: nn.{name}: {e}") from e
        except FAULTS as e:
            raise CompileError(f"{op.location}: nn.{name}: {fault(e)}") from e
        outs = out if isinstance(out, (tuple, list)) else (out,)
        for r, t, made in zip(op.results, view.results, outs, strict=True):
            if made.dtype != t.dtype or made.rank != t.rank:
                raise CompileError(f"{op.location}: nn.{name} was lowered to {made.t} instead of {t}")
            self.map[r] = self.builder.fit(made, t).value

    def _copy(self, op: ir.OpView) -> None:
        """Ops that are not nn (func.return, scf) keep their name; types and regions are converted."""
        made = ir.Operation.create(
            op.operation.name,
            results=[convert_type(r.type) for r in op.results],
            operands=[self.map.get(v, v) for v in op.operands],
            attributes={a: op.attributes[a] for a in op.attributes},
            regions=len(op.regions),
        )
        for old, new in zip(op.regions, made.regions, strict=True):
            for block in old.blocks:
                target = new.blocks.append(*[convert_type(a.type) for a in block.arguments])
                for a, b in zip(block.arguments, target.arguments, strict=True):
                    self.map[a] = b
                self.block(block, target)
        for old, new in zip(op.results, made.results, strict=True):
            self.map[old] = new


def convert_type(t: ir.Type) -> ir.Type:
    """The linalg-level type of an nn-level one."""
    return Tensor.of(t).storage() if isinstance(t, ir.RankedTensorType) else t


__all__ = ["REGISTRY", "Converter", "LoweringError", "convert_type", "lowers"]
