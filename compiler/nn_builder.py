"""Building ``nn`` IR: ``b.mul(b.matmul(a, w), 2.0)`` – every defined op is a method.

The builder infers result types (with the values of small shape tensors), turns Python numbers and arrays into
constants of the right type, and evaluates ops whose operands are all small constants on the spot: shape arithmetic
of static models never reaches the IR.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from davit.dialects import attributes, constants, nn
from davit.dialects.definition import create
from davit.dialects.dims import InferError
from davit.dialects.nn.base import OPS, NnOp, abstract, constant_of, encode_attrs
from davit.dialects.types import Dim, DType, Tensor, compatible, dtype, refine
from davit.mlir import ir

FOLD_ELEMENTS = 4096
"""Ops on constants are evaluated while building when every operand and result has at most this many elements."""

Operand = ir.Value | int | float | bool | np.ndarray

_SAME_TYPE = {row.name for row in nn.elementwise.TABLE if row.arity == 2}


class NnBuilder:
    """Emits ``nn`` ops at the current insertion point. Methods are named after the ops of :data:`OPS`.

    An op name that is a Python keyword takes a trailing underscore: ``b.and_(x, y)``.
    """

    def __init__(self) -> None:
        self._info: dict[ir.Value, Tensor] = {}

    # -- what is known of a value ----------------------------------------------------------------------------
    def type(self, value: ir.Value) -> Tensor:
        """Type, symbolic shape and, for small integer tensors, known elements of a value."""
        info = self._info.get(value)
        if info is None:
            info = self._info[value] = abstract(value)
        return info

    def learn(self, value: ir.Value, info: Tensor) -> None:
        """Record more about a value than its MLIR type says."""
        self._info[value] = info

    def snapshot(self) -> dict[ir.Value, Tensor]:
        """What is known of values now; :meth:`restore` it when IR made after this is erased."""
        return dict(self._info)

    def restore(self, snapshot: dict[ir.Value, Tensor]) -> None:
        """Forget values made since: a new value may come to lie where an erased one was."""
        self._info = snapshot

    def shape(self, value: ir.Value) -> tuple[Dim, ...]:
        return self.type(value).shape

    def rank(self, value: ir.Value) -> int:
        return self.type(value).rank

    def dtype(self, value: ir.Value) -> DType:
        return self.type(value).dtype

    def constant_of(self, value: ir.Value | None) -> np.ndarray | None:
        """The array behind a constant, or a tracked shape value all of whose elements are numbers; else None."""
        if value is None:
            return None
        array = constant_of(value)
        if array is None and isinstance(value.type, ir.RankedTensorType):
            t = self.type(value)
            if t.value is not None and all(isinstance(v, int) for v in t.value):
                array = np.array(t.value, t.dtype.numpy).reshape(t.shape)  # type: ignore[arg-type]
        return array

    # -- constants -------------------------------------------------------------------------------------------
    def constant(self, array: Any, dt: DType | str | None = None) -> ir.Value:
        """A constant tensor."""
        array = np.asarray(array) if dt is None else np.asarray(array).astype(dtype(dt).numpy)
        attr = constants.encode(array)
        op = ir.Operation.create("nn.constant", results=[attr.type], attributes={"value": attr})
        return op.result

    def _operand(self, x: Operand, like: DType | None) -> ir.Value:
        if isinstance(x, ir.Value):
            return x
        if isinstance(x, np.ndarray):
            return self.constant(x)
        if isinstance(x, (np.generic, bool, int, float)):
            if like is None:
                raise TypeError("a Python number needs a tensor operand beside it to take its type from")
            return self.constant(np.array(x).astype(like.numpy))
        raise TypeError(f"expected a value, a number or an array, got {type(x).__name__}")

    # -- ops -------------------------------------------------------------------------------------------------
    def op(self, name: str, *operands: Operand, result: Tensor | None = None, **attrs: Any) -> Any:
        """Emit ``nn.<name>``.

        Args:
            result: what is known of the (single) result beyond what can be inferred.

        Returns:
            The result value, or a tuple for ops with several results.

        Raises:
            InferError: operand types or attributes do not fit; the message says how.
        """
        definition = OPS[name]
        attrs = encode_attrs(definition, attrs)
        like = next((self.dtype(x) for x in operands if isinstance(x, ir.Value) and self.dtype(x).kind != "bool"), None)
        if like is None and name in _SAME_TYPE:
            like = next((self.dtype(x) for x in operands if isinstance(x, ir.Value)), None)
        values = [self._operand(x, like) for x in operands]
        try:
            inferred = definition.infer_types([self.type(v) for v in values], attrs)
        except InferError as e:
            raise InferError(f"nn.{name}: {e}") from None
        if result is not None:
            if not compatible(inferred[0], result):
                raise InferError(f"nn.{name}: the result is {inferred[0]}, which does not fit {result}")
            inferred = (refine(inferred[0], result), *inferred[1:])
        folded = self._fold(definition, values, attrs, inferred)
        if folded is not None:
            return folded[0] if definition.results == 1 else folded
        op, _ = create(
            f"nn.{name}",
            [t.mlir() for t in inferred],
            values,
            {k: attributes.encode(v) for k, v in attrs.items()},
            fixed=len(definition.operands) - 1 if definition.variadic else None,
        )
        for r, t in zip(op.results, inferred, strict=True):
            self._info[r] = t
        return op.result if definition.results == 1 else tuple(op.results)

    def _fold(self, op: NnOp, values: list[ir.Value], attrs: dict, inferred: tuple[Tensor, ...]) -> tuple | None:
        """Evaluate an application to small constants; shape values known in full count as constants."""
        if not op.foldable:
            return None
        if all(t.value is not None and all(isinstance(v, int) for v in t.value) for t in inferred):
            arrays = [np.array(t.value, t.dtype.numpy).reshape(t.shape) for t in inferred]  # type: ignore[arg-type]
            return tuple(map(self.constant, arrays))
        if not all(t.is_static and t.size <= FOLD_ELEMENTS for t in inferred) or not values:
            return None
        inputs = []
        for v in values:
            t = self.type(v)
            if not t.is_static or t.size > FOLD_ELEMENTS:
                return None
            array = self.constant_of(v)
            if array is None:
                return None
            inputs.append(array)
        outputs = op.evaluate(inputs, attrs)
        return tuple(self.constant(np.asarray(o).astype(t.dtype.numpy)) for o, t in zip(outputs, inferred, strict=True))

    def __getattr__(self, name: str) -> Any:
        key = name.rstrip("_")
        if key not in OPS:
            raise AttributeError(f"nn has no op {key!r}")

        def emit(*operands: Operand, **attrs: Any) -> Any:
            return self.op(key, *operands, **attrs)

        return emit

    # -- compositions used by several lowerings --------------------------------------------------------------
    def reshape_to(self, x: ir.Value, shape: list[Dim] | tuple[Dim, ...]) -> ir.Value:
        """Reshape to a static target that may contain one -1."""
        return self.reshape(x, np.array(shape, np.int64))

    def squeeze(self, x: ir.Value, axes: list[int] | tuple[int, ...]) -> ir.Value:
        """Drop dimensions of size 1; a size that is not known is checked at run time.

        Raises:
            InferError: one of them has another size.
        """
        rank = self.rank(x)
        gone = {a % rank for a in axes}
        ones = tuple(1 if i in gone else d for i, d in enumerate(self.shape(x)))
        if ones != self.shape(x):
            x = self.op("refine", x, result=Tensor(self.dtype(x), ones))
        return self._reshape_keeping(x, [i if i not in gone else None for i in range(rank)], drop=True)

    def unsqueeze(self, x: ir.Value, axes: list[int] | tuple[int, ...]) -> ir.Value:
        """Insert dimensions of size 1 at positions of the result."""
        rank = self.rank(x) + len(axes)
        new = {a % rank for a in axes}
        source = iter(range(self.rank(x)))
        return self._reshape_keeping(x, [None if i in new else next(source) for i in range(rank)], drop=False)

    def _reshape_keeping(self, x: ir.Value, plan: list[int | None], *, drop: bool) -> ir.Value:
        """Reshape where each target dimension is a source dimension or a new 1."""
        dims_in = self.shape(x)
        kept = [p for p in plan if p is not None] if drop else plan
        target = [1 if p is None else dims_in[p] for p in kept]
        info = Tensor(self.dtype(x), tuple(target))
        if all(isinstance(d, int) for d in target):
            return self.op("reshape", x, self.constant(np.array(target, np.int64)), result=info)
        if sum(not isinstance(d, int) for d in target) == 1:
            spec = [d if isinstance(d, int) else -1 for d in target]
            return self.op("reshape", x, self.constant(np.array(spec, np.int64)), result=info)
        shape = self.shape_of(x)
        parts = [self.constant(np.array([1], np.int64)) if p is None else self.take(shape, p) for p in kept]
        return self.op("reshape", x, self.concat(*parts, axis=0), result=info)

    def shape_of(self, x: ir.Value) -> ir.Value:
        """The shape as a 1-D i64 tensor (a constant when static)."""
        return self.op("shape", x)

    def take(self, shape: ir.Value, i: int) -> ir.Value:
        """Element ``i`` of a 1-D tensor, as a tensor of one element."""
        return self.op("slice", shape, starts=(i,), limits=(i + 1,), strides=(1,))

    def cast_to(self, x: ir.Value, dt: DType | str, *, saturate: bool = True) -> ir.Value:
        """Cast unless the type is already right."""
        dt = dtype(dt)
        return x if self.dtype(x) == dt else self.op("cast", x, to=dt, saturate=saturate)
