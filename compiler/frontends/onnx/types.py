"""What is known of a value's type: :class:`ValueType`, and the way from and to ONNX's TypeProto."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from onnx import TensorShapeProto, TypeProto

from davit.compiler.frontends.onnx.tensors import elem_name
from davit.errors import InvalidModel

Dim: TypeAlias = "int | str | None"
"""A dimension: its size, the name of a symbol, or None when nothing is known."""

_MAX_TYPE_DEPTH = 16


@dataclass(frozen=True)
class ValueType:
    """The type of a value: a tensor, or a container of another type.

    Attributes:
        kind: what the value is.
        elem_type: TensorProto.DataType of a tensor's elements (0: unknown), or of a map's keys.
        dims: a tensor's dimensions, None when even the rank is unknown.
        inner: what a sequence, optional or map contains, None when unknown.
    """

    kind: Literal["tensor", "sparse", "sequence", "optional", "map"]
    elem_type: int = 0
    dims: tuple[Dim, ...] | None = None
    inner: ValueType | None = None

    @property
    def rank(self) -> int | None:
        """The number of dimensions of a tensor, None when unknown."""
        return None if self.dims is None else len(self.dims)

    @property
    def is_static(self) -> bool:
        """True for a tensor of known element type with every dimension a number."""
        return (
            self.kind == "tensor"
            and self.elem_type != 0
            and self.dims is not None
            and all(isinstance(dim, int) for dim in self.dims)
        )

    def __str__(self) -> str:
        if self.kind in ("tensor", "sparse"):
            dims = "?..." if self.dims is None else ", ".join("?" if d is None else str(d) for d in self.dims)
            return f"{'' if self.kind == 'tensor' else 'sparse '}{elem_name(self.elem_type)}[{dims}]"
        inner = "?" if self.inner is None else str(self.inner)
        return f"{self.kind}({elem_name(self.elem_type) + ' -> ' if self.kind == 'map' else ''}{inner})"


def tensor(elem_type: int, dims: tuple[Dim, ...] | None = None) -> ValueType:
    """A tensor's type."""
    return ValueType("tensor", elem_type, dims)


def from_proto(proto: TypeProto, what: str, depth: int = 0) -> ValueType | None:
    """Reads a TypeProto; None when it says nothing. ``what`` starts the message of an error."""
    if depth > _MAX_TYPE_DEPTH:
        raise InvalidModel(f"{what}: its type is nested more than {_MAX_TYPE_DEPTH} deep")
    which = proto.WhichOneof("value")
    if which in ("tensor_type", "sparse_tensor_type"):
        tensor_type = getattr(proto, which)
        dims: tuple[Dim, ...] | None = None
        if tensor_type.HasField("shape"):
            dims = tuple(_dim(dim, what) for dim in tensor_type.shape.dim)
        return ValueType("tensor" if which == "tensor_type" else "sparse", tensor_type.elem_type, dims)
    if which == "sequence_type":
        return ValueType("sequence", inner=from_proto(proto.sequence_type.elem_type, what, depth + 1))
    if which == "optional_type":
        return ValueType("optional", inner=from_proto(proto.optional_type.elem_type, what, depth + 1))
    if which == "map_type":
        inner = from_proto(proto.map_type.value_type, what, depth + 1)
        return ValueType("map", proto.map_type.key_type, inner=inner)
    return None


def to_proto(value_type: ValueType) -> TypeProto:
    """The TypeProto of a type; unknown dimensions become dimensions that say nothing."""
    proto = TypeProto()
    if value_type.kind in ("tensor", "sparse"):
        tensor_type = proto.tensor_type if value_type.kind == "tensor" else proto.sparse_tensor_type
        tensor_type.elem_type = value_type.elem_type
        if value_type.dims is not None:
            tensor_type.shape.SetInParent()
            for dim in value_type.dims:
                added = tensor_type.shape.dim.add()
                if isinstance(dim, int):
                    added.dim_value = dim
                elif dim is not None:
                    added.dim_param = dim
        return proto
    inner = None if value_type.inner is None else to_proto(value_type.inner)
    if value_type.kind == "map":
        proto.map_type.key_type = value_type.elem_type
        target = proto.map_type.value_type
    else:
        container = proto.sequence_type if value_type.kind == "sequence" else proto.optional_type
        container.SetInParent()
        target = container.elem_type
    if inner is not None:
        target.CopyFrom(inner)
    return proto


def merge(better: ValueType | None, other: ValueType | None) -> ValueType | None:
    """What both say together; ``better`` wins where they disagree."""
    if better is None or other is None or better.kind != other.kind:
        return better or other
    if better.kind not in ("tensor", "sparse"):
        return replace(better, inner=merge(better.inner, other.inner))
    dims = better.dims
    if dims is None:
        dims = other.dims
    elif other.dims is not None and len(other.dims) == len(dims):
        dims = tuple(theirs if ours is None else ours for ours, theirs in zip(dims, other.dims, strict=True))
    return replace(better, elem_type=better.elem_type or other.elem_type, dims=dims)


def _dim(dim: TensorShapeProto.Dimension, what: str) -> Dim:
    which = dim.WhichOneof("value")
    if which == "dim_value":
        if dim.dim_value == -1:
            return None  # not in the standard, but Paddle and Keras exporters write it for "unknown"
        if dim.dim_value < 0:
            raise InvalidModel(f"{what}: has a dimension of {dim.dim_value}; sizes are 0 or more")
        if dim.dim_value > 1 << 48:
            raise InvalidModel(f"{what}: has a dimension of {dim.dim_value}, more than any memory holds")
        return dim.dim_value
    if which == "dim_param" and not isinstance(dim.dim_param, str):
        raise InvalidModel(f"{what}: the name of a dimension is not valid UTF-8")
    if which != "dim_param" or dim.dim_param.strip("?") == "":
        return None  # "?" is how some exporters write "unknown": two of them are not one size
    return dim.dim_param
