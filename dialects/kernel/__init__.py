"""The ``kernel`` dialect: work that linalg does not describe.

* ``kernel.sequential`` – a loop nest over tensors that runs as *one* dispatch on one thread, because its steps
  depend on each other. Its region captures outer values and ends in ``kernel.yield``; the operands are the run-time
  sizes of the results' dynamic dimensions, in order. The hand-over turns it into IREE's ``flow.dispatch.region``.
* ``kernel.opaque`` – a host scalar or a tensor (with its dynamic sizes) that no optimizer may look through;
  ``util.optimization_barrier`` for IREE.
"""

from __future__ import annotations

from davit.dialects.definition import DialectDef, OpDef, VerifyError, types_of
from davit.mlir import ir

KERNEL = DialectDef("kernel")


def _verify_sequential(op: ir.OpView) -> None:
    dynamic = 0
    for t in types_of(op.results):
        if not isinstance(t, ir.RankedTensorType):
            raise VerifyError(f"must return ranked tensors, not {t}")
        dynamic += sum(t.is_dynamic_dim(i) for i in range(t.rank))
    if dynamic != len(op.operands):
        raise VerifyError(f"has {dynamic} dynamic result dimensions but {len(op.operands)} sizes")


KERNEL.add(OpDef("sequential", ("sizes*",), ("results*",), ("body",), verify=_verify_sequential))
KERNEL.add(OpDef("opaque", ("value", "sizes*"), ("result",)))
KERNEL.add(OpDef("yield", ("values*",), (), terminator=True, pure=False))

__all__ = ["KERNEL"]
