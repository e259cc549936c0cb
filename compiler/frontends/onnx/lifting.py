"""What an adapter sees of the node it rewrites (:class:`OldNode`) and what it builds with (:class:`Lift`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnx import AttributeProto, NodeProto, TensorProto, helper, numpy_helper

from davit.compiler.frontends.onnx import inference, names, structure
from davit.compiler.frontends.onnx.load import LoadedModel
from davit.compiler.frontends.onnx.signature import CHECKED, default_attributes
from davit.compiler.frontends.onnx.types import ValueType
from davit.errors import InvalidModel, Unsupported


class OldNode:
    """A read-only view of the node that an adapter rewrites; attribute defaults are those of its own version."""

    def __init__(self, proto: NodeProto, version: int) -> None:
        self.proto = proto
        self.version = version
        self.op = proto.op_type
        self.outputs: list[str] = list(proto.output)
        self._defaults = default_attributes(proto.domain, proto.op_type, version)
        self._given = {a.name: helper.get_attribute_value(a) for a in proto.attribute}

    @property
    def inputs(self) -> list[str]:
        """Input names; ``""`` for one that is absent."""
        return list(self.proto.input)

    def input(self, index: int) -> str:
        """The name of an input, ``""`` when absent."""
        return self.proto.input[index] if index < len(self.proto.input) else ""

    def has_output(self, index: int) -> bool:
        """True when the node's output is present."""
        return index < len(self.outputs) and self.outputs[index] != ""

    def attr(self, name: str, default: Any = None) -> Any:
        """An attribute's value, else its schema default, else ``default``; strings as str."""
        value = self._given.get(name, self._defaults.get(name, default))
        return value.decode() if isinstance(value, bytes) else value

    def gives(self, name: str) -> bool:
        """True when the node itself has the attribute, whatever its default."""
        return name in self._given

    def attrs(self, *without: str) -> dict[str, AttributeProto]:
        """The attributes that the node gives, as ``lift.node`` takes them, but for those named."""
        return {a.name: a for a in self.proto.attribute if a.name not in without}


class Lift:
    """What adapters build with: emits nodes, and answers questions about values of the graph."""

    def __init__(self, model: LoadedModel) -> None:
        self.model = model
        self._emitted: list[tuple[NodeProto, bool]] = []
        self._old: OldNode | None = None
        self._names: set[str] | None = None
        self._constants: dict[str, TensorProto] | None = None
        self._types: dict[str, ValueType] | None = None

    def node(
        self,
        op: str,
        inputs: Sequence[str],
        outputs: Sequence[str] | None = None,
        *,
        newest: bool = False,
        **attrs: Any,
    ) -> str:
        """Emits a node and returns its first output. Without ``outputs`` it makes one new value.

        Attributes that are None are left out. The op being adapted is written in the form of the version that comes
        next, or in newest form with ``newest``; any other op always is in newest form.
        """
        names = [self.fresh(op)] if outputs is None else list(outputs)
        made = helper.make_node(op, _trim(inputs), names)
        for name, value in attrs.items():
            if value is not None:
                made.attribute.append(value if isinstance(value, AttributeProto) else _attribute(name, value))
        if op == self.old.op:
            made.domain = self.old.proto.domain
        base = self.old.proto.name
        if base:
            taken = [node.name for node, _ in self._emitted]
            made.name = base if outputs is not None and base not in taken else f"{base}/{op}"
            count = 1
            while made.name in taken:
                made.name, count = f"{base}/{op}_{count}", count + 1
        self._emitted.append((made, op == self.old.op and not newest))
        return names[0]

    def constant(self, value: Any, dtype: Any = None) -> str:
        """Emits a constant and returns its name. Lists of int default to int64."""
        if dtype is None and isinstance(value, list | tuple):
            dtype = np.int64
        tensor = numpy_helper.from_array(np.asarray(value, dtype))
        name = self.node("Constant", [], None, value=tensor)
        if self._constants is not None:
            self._constants[name] = tensor
        return name

    def scalar(self, value: float, like: str) -> str:
        """Emits a scalar constant of the element type that value ``like`` has."""
        elem_type = self.elem_type(like)
        if elem_type is None:
            literal = self.constant(np.float32(value))
            return self.node("CastLike", [literal, like])
        return self.constant(np.asarray(value, helper.tensor_dtype_to_np_dtype(elem_type)))

    def fresh(self, hint: str) -> str:
        """A value name that occurs nowhere in the model."""
        if self._names is None:
            self._names = names.value_names(self.model.graph)
        base = next((name for name in self.old.outputs if name), "") or self.old.proto.name
        name = candidate = f"{base}/{hint}"
        count = 1
        while candidate in self._names:
            candidate = f"{name}_{count}"
            count += 1
        self._names.add(candidate)
        return candidate

    def value(self, name: str) -> np.ndarray | None:
        """The value of an initializer or Constant node, None when ``name`` is computed."""
        if self._constants is None:
            self._constants = {}
            for graph in structure.graphs(self.model.graph):
                for tensor in graph.initializer:
                    self._constants[tensor.name] = tensor
                for node in graph.node:
                    if node.op_type == "Constant" and not node.domain and node.output:
                        for attribute in node.attribute:
                            if attribute.name == "value":
                                self._constants[node.output[0]] = attribute.t
        tensor = self._constants.get(name)
        return None if tensor is None else self.model.array(tensor)

    def type(self, name: str) -> ValueType | None:
        """What inference on the model as it came tells of a value."""
        return self.types().get(name)

    def types(self) -> dict[str, ValueType]:
        """Every type of the model as it came. Must be asked first while no graph has been changed."""
        if self._types is None:
            self._types = inference.infer_types(self.model)
        return self._types

    def elem_type(self, name: str) -> int | None:
        """The element type of a tensor, None when unknown."""
        known = self.type(name)
        return known.elem_type or None if known is not None else None

    def rank(self, name: str) -> int:
        """The number of dimensions of a value; an error in words when it cannot be told."""
        known = self.type(name)
        if known is None or known.rank is None:
            raise Unsupported(
                f"{self.where}: to bring this node to opset {CHECKED['']} davit must know the rank of {name!r}, which "
                "shape inference cannot tell; give the value a shape (value_info) or export with a newer opset"
            )
        return known.rank

    @property
    def old(self) -> OldNode:
        """The node being adapted."""
        assert self._old is not None
        return self._old

    @property
    def where(self) -> str:
        """The start of an error message about the node being adapted."""
        return f"{self.model.path}: {structure.describe(self.old.proto, None, self.old.version)}"

    def invalid(self, problem: str) -> InvalidModel:
        """An error about the node being adapted."""
        return InvalidModel(f"{self.where}: {problem}")

    def unsupported(self, problem: str) -> Unsupported:
        """An error about something valid that has no newest form."""
        return Unsupported(f"{self.where}: {problem}")

    def run(
        self, adapter: Callable[[OldNode, Lift], None], node: NodeProto, version: int
    ) -> list[tuple[NodeProto, bool]]:
        """The nodes that an adapter makes of ``node``, each with whether it has further versions to pass."""
        self._old, self._emitted = OldNode(node, version), []
        adapter(self._old, self)
        return self._emitted


def _attribute(name: str, value: Any) -> AttributeProto:
    """An attribute; an empty list is one of ints."""
    if isinstance(value, list | tuple) and not value:
        return AttributeProto(name=name, type=AttributeProto.INTS)
    return helper.make_attribute(name, value)


def _trim(inputs: Sequence[str]) -> list[str]:
    trimmed = list(inputs)
    while trimmed and not trimmed[-1]:
        trimmed.pop()
    return trimmed
