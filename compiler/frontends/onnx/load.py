"""Reads an ONNX model into a :class:`LoadedModel`: checked protos, with every large tensor outside of them.

What comes in may be a path, bytes or a ModelProto, from anyone. What goes out holds

* ``proto``: a ModelProto small enough to copy and serialize at will, since each tensor above a few KB is replaced by
  a marker, and
* ``blobs``: what the markers stand for: views of the memory-mapped model file, of its external data files, or of the
  caller's bytes. Nothing is copied until :meth:`LoadedModel.array` has to unpack a sub-byte type.

So neither shape inference nor function expansion ever copies a weight, and models above protobuf's 2 GB load.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from google.protobuf.message import DecodeError, Message
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, SparseTensorProto, TensorProto

from davit.compiler.frontends.onnx import structure, tensors, wire
from davit.compiler.frontends.onnx.external import ExternalFiles, map_file
from davit.compiler.frontends.onnx.types import ValueType
from davit.errors import InvalidModel, Unsupported

ModelSource: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | ModelProto"

_MAX_SPARSE_BYTES = 1 << 30
"""A sparse tensor of a few bytes may claim any dense size; this one is refused beyond."""

_PROTOBUF_LIMIT = (1 << 31) - 1


@dataclass
class LoadedModel:
    """A checked model. After :func:`davit.compiler.frontends.onnx.prepare` it is also lifted, expanded and typed.

    Attributes:
        path: the file the model came from, ``"<bytes>"`` or ``"<ModelProto>"``; starts every error message.
        proto: the model without its large tensors. ``proto.graph`` is sorted and every initializer dense; after
            ``prepare`` value names are unique across all graphs, the inner ones too.
        value_types: what is known of each value by name, in every graph; filled by ``inference.infer``.
        dims: the symbolic dimensions that the caller fixed.
    """

    path: str
    proto: ModelProto
    value_types: dict[str, ValueType] = field(default_factory=dict)
    dims: dict[str, int] = field(default_factory=dict)
    _blobs: list[np.ndarray | Callable[[], np.ndarray]] = field(default_factory=list, repr=False)
    _nonce: str = field(default_factory=lambda: secrets.token_hex(8), repr=False)
    _initializers: dict[str, TensorProto] | None = field(default=None, repr=False)

    @property
    def graph(self) -> GraphProto:
        """The main graph."""
        return self.proto.graph

    @property
    def name(self) -> str:
        """The graph's name, or the file's."""
        return self.graph.name or Path(self.path).stem

    @property
    def opset(self) -> dict[str, int]:
        """The opset version per domain; ``""`` is ai.onnx."""
        return {entry.domain: entry.version for entry in self.proto.opset_import}

    @property
    def initializers(self) -> Mapping[str, TensorProto]:
        """The initializers of all graphs by name (names are unique across graphs)."""
        if self._initializers is None:
            self._initializers = {
                tensor.name: tensor for graph in structure.graphs(self.graph) for tensor in graph.initializer
            }
        return self._initializers

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs that a caller gives, in order. An input with an initializer is a constant."""
        constants = {tensor.name for tensor in self.graph.initializer}
        return [value.name for value in self.graph.input if value.name not in constants]

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs, in order."""
        return [value.name for value in self.graph.output]

    def initializer(self, name: str) -> np.ndarray:
        """The constant of that name as a read-only array, without a copy where the layout allows it."""
        return self.array(self.initializers[name])

    def array(self, tensor: TensorProto) -> np.ndarray:
        """Any tensor of the model (an attribute's too) as an array.

        float8, bfloat16, int4 and their kin come as ml_dtypes; 4- and 2-bit types unpacked, one element a byte;
        strings as an object array of str. The array may be unaligned.
        """
        index = self._blob_index(tensor)
        if index is None:
            return tensors.typed_array(tensor)
        blob = self._blobs[index]
        if callable(blob):
            blob = self._blobs[index] = blob()
        if blob.dtype != np.uint8 or tensor.data_type == TensorProto.UINT8:
            return blob.reshape(tuple(tensor.dims))
        return tensors.raw_array(blob, tensor.data_type, tuple(tensor.dims))

    def is_outside(self, tensor: TensorProto) -> bool:
        """True when the tensor's data lies outside the proto."""
        return self._blob_index(tensor) is not None

    def add_blob(self, tensor: TensorProto, blob: np.ndarray | Callable[[], np.ndarray]) -> None:
        """Makes ``blob`` (raw bytes, an array, or a function that returns one) the data of ``tensor``."""
        for name in ("raw_data", "float_data", "int32_data", "int64_data", "double_data", "uint64_data"):
            tensor.ClearField(name)
        del tensor.external_data[:]
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key=wire.MARKER_KEY, value=f"{self._nonce}:{len(self._blobs)}")
        self._blobs.append(blob)

    def changed(self) -> None:
        """To be called after initializers were added, renamed or removed."""
        self._initializers = None

    def _blob_index(self, tensor: TensorProto) -> int | None:
        if tensor.data_location != TensorProto.EXTERNAL:
            return None
        for entry in tensor.external_data:
            if entry.key == wire.MARKER_KEY and isinstance(entry.value, str):
                nonce, _, index = entry.value.partition(":")
                # The nonce keeps a model from smuggling in a marker of its own.
                if nonce == self._nonce and index.isdecimal() and int(index) < len(self._blobs):
                    return int(index)
        return None


def load_model(source: ModelSource, *, base_dir: str | os.PathLike[str] | None = None) -> LoadedModel:
    """Reads and checks a model: its tensors, names, order and functions, but not yet its operators.

    Args:
        source: path of a file, the bytes of one, or a ModelProto (which is left as it is).
        base_dir: the folder of external data; by default that of the file.

    Raises:
        InvalidModel: the model is broken; the message names the file and the node or tensor.
    """
    if isinstance(source, ModelProto):
        path, folder = "<ModelProto>", None
        model = _from_proto(source, path)
    elif isinstance(source, bytes | bytearray | memoryview):
        path, folder = "<bytes>", None
        model = _from_buffer(memoryview(source).cast("B"), path)
    else:
        path = os.fspath(source)
        folder = Path(path).parent
        model = _from_buffer(memoryview(_map_model(Path(path), path)), path)
    if base_dir is not None:
        folder = Path(base_dir)
    try:
        structure.check_version(model.proto, path)
        _adopt_tensors(model, ExternalFiles(folder))
        structure.check_and_sort(model.proto, path)
    except UnicodeDecodeError as error:  # protobuf decodes names when they are read, not when it parses
        raise InvalidModel(f"{path}: a name in the model is not valid UTF-8 ({error.reason})") from None
    model.changed()
    return model


def _map_model(file: Path, path: str) -> np.ndarray:
    try:
        handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise InvalidModel(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:
        raise InvalidModel(f"{path}: the file cannot be opened: {error}") from None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise InvalidModel(f"{path}: is not a regular file")
        return map_file(handle, status.st_size)
    finally:
        os.close(handle)


def _from_buffer(buffer: memoryview, path: str) -> LoadedModel:
    if len(buffer) == 0:
        raise InvalidModel(f"{path}: is empty")
    model = LoadedModel(path, ModelProto())
    try:
        skeleton, ranges = wire.split(buffer, model._nonce)
        if len(skeleton) > _PROTOBUF_LIMIT:
            raise InvalidModel(f"{path}: holds more than 2 GB besides its large tensors, which protobuf cannot parse")
        model.proto.ParseFromString(skeleton)
    except (wire.WireError, DecodeError) as error:
        if "MaxDepth" in str(error):
            raise InvalidModel(f"{path}: its subgraphs are nested more than {structure.MAX_NESTING} deep") from None
        raise InvalidModel(f"{path}: is not an ONNX model, or a truncated one ({len(buffer)} bytes): {error}") from None
    data = np.frombuffer(buffer, np.uint8)
    data.flags.writeable = False
    model._blobs.extend(data[start:end] for start, end in ranges)
    return model


def _from_proto(source: ModelProto, path: str) -> LoadedModel:
    """Copies a ModelProto, but for its large initializers, which become blobs."""
    structure.check_nesting(source, path)  # before protobuf recurses into it
    model = LoadedModel(path, ModelProto())
    for descriptor, value in source.ListFields():
        if descriptor.name != "graph":
            _copy_field(model.proto, descriptor.name, value)
    if not source.HasField("graph"):
        return model
    for descriptor, value in source.graph.ListFields():
        if descriptor.name != "initializer":
            _copy_field(model.proto.graph, descriptor.name, value)
    model.proto.graph.SetInParent()
    for tensor in source.graph.initializer:
        copy = model.proto.graph.initializer.add()
        raw = tensor.raw_data if tensor.HasField("raw_data") else b""
        if len(raw) < wire.THRESHOLD:
            copy.CopyFrom(tensor)
            continue
        for descriptor, value in tensor.ListFields():
            if descriptor.name != "raw_data":
                _copy_field(copy, descriptor.name, value)
        model.add_blob(copy, np.frombuffer(raw, np.uint8))
    return model


def _copy_field(target: Message, name: str, value: Any) -> None:
    if isinstance(value, str | bytes | int | float):
        setattr(target, name, value)
    elif hasattr(value, "CopyFrom"):
        getattr(target, name).CopyFrom(value)
    else:
        getattr(target, name).extend(value)


def _adopt_tensors(model: LoadedModel, files: ExternalFiles) -> None:
    """Checks every tensor, finds external data, and moves what is large out of the proto."""
    for graph in structure.all_graphs(model.proto):
        if isinstance(graph, GraphProto):
            where = f"{model.path}: initializer"
            for tensor in graph.initializer:
                _adopt(model, tensor, f"{where} {tensor.name!r}", files)
            for sparse in graph.sparse_initializer:
                what = f"{where} {sparse.values.name!r}"
                dense = graph.initializer.add()
                dense.CopyFrom(_dense(model, sparse, what, files))
                dense.name = sparse.values.name
            del graph.sparse_initializer[:]
        for position, node in enumerate(graph.node):
            for attribute in node.attribute:
                kind = attribute.type
                if kind == AttributeProto.TENSOR or attribute.HasField("t"):
                    _adopt(model, attribute.t, _attribute_of(model, node, position, attribute), files)
                elif kind == AttributeProto.TENSORS:
                    for tensor in attribute.tensors:
                        _adopt(model, tensor, _attribute_of(model, node, position, attribute), files)
                elif kind == AttributeProto.SPARSE_TENSOR and not attribute.ref_attr_name:
                    what = _attribute_of(model, node, position, attribute)
                    dense = _dense(model, attribute.sparse_tensor, what, files)
                    if node.op_type == "Constant" and attribute.name == "sparse_value":
                        name = "value"
                        attribute.Clear()
                        attribute.name, attribute.type = name, AttributeProto.TENSOR
                        attribute.t.CopyFrom(dense)


def _attribute_of(model: LoadedModel, node: NodeProto, position: int, attribute: AttributeProto) -> str:
    return f"{model.path}: {structure.describe(node, position)}: attribute {attribute.name!r}"


def _adopt(model: LoadedModel, tensor: TensorProto, what: str, files: ExternalFiles) -> None:
    if tensor.data_location == TensorProto.EXTERNAL:
        index = model._blob_index(tensor)
        if index is not None:
            if len(tensor.external_data) > 1:
                raise InvalidModel(f"{what}: holds its data twice")
            blob = model._blobs[index]
            assert isinstance(blob, np.ndarray)
            tensors.check_tensor(tensor, what, blob.nbytes)
            return
        raw = _external(tensor, what, files)
        tensors.check_tensor(tensor, what, raw.nbytes)
        if raw.nbytes >= wire.THRESHOLD:
            model.add_blob(tensor, raw)
        else:  # shape inference reads small constants: they move in
            del tensor.external_data[:]
            tensor.ClearField("data_location")
            tensor.raw_data = raw.tobytes()
        return
    tensors.check_tensor(tensor, what)
    if tensor.data_type == TensorProto.STRING:
        return
    count = tensors.element_count(tensor, what)
    if tensors.packed_size(tensor.data_type, count) >= wire.THRESHOLD:
        model.add_blob(tensor, tensors.typed_array(tensor))


def _external(tensor: TensorProto, what: str, files: ExternalFiles) -> np.ndarray:
    """The bytes that an external_data entry points to."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    if any(type(text) is not str for pair in entries.items() for text in pair):
        raise InvalidModel(f"{what}: the place of its external data is not valid UTF-8")
    if "location" not in entries:
        raise InvalidModel(f"{what}: its data is external, but no location is given")
    if tensor.data_type == TensorProto.STRING:
        raise InvalidModel(f"{what}: holds strings, which cannot be external data")
    mapped = files.read(entries["location"], what)
    numbers = {}
    for key in ("offset", "length"):
        text = entries.get(key)
        if text is not None and not (text.isascii() and text.isdecimal() and len(text) < 20):
            raise InvalidModel(f"{what}: the {key} of its external data is {text!r}, which is no byte count")
        numbers[key] = None if text is None else int(text)
    offset = numbers["offset"] or 0
    if numbers["length"] is None:
        count = tensors.element_count(tensor, what)
        if tensor.data_type not in TensorProto.DataType.values() or tensor.data_type == TensorProto.UNDEFINED:
            raise InvalidModel(f"{what}: has no valid element type (data_type is {tensor.data_type})")
        numbers["length"] = tensors.packed_size(tensor.data_type, count)
    end = offset + numbers["length"]
    if end > mapped.size:
        raise InvalidModel(
            f"{what}: wants bytes {offset} to {end} of external file {entries['location']!r}, which has {mapped.size}"
        )
    return mapped[offset:end]


def _dense(model: LoadedModel, sparse: SparseTensorProto, what: str, files: ExternalFiles) -> TensorProto:
    """A TensorProto that stands for the dense form of a sparse tensor."""
    if sparse.values.data_type == TensorProto.STRING:
        raise Unsupported(f"{what}: is a sparse tensor of strings, which davit does not support")
    _adopt(model, sparse.values, what + " (values)", files)
    _adopt(model, sparse.indices, what + " (indices)", files)
    array = tensors.dense_from_sparse(
        sparse, model.array(sparse.values), model.array(sparse.indices), what, _MAX_SPARSE_BYTES
    )
    dense = TensorProto(data_type=sparse.values.data_type, dims=sparse.dims)
    if array.nbytes < wire.THRESHOLD and sparse.values.data_type not in tensors.ELEM_BITS:
        dense.raw_data = array.tobytes()
    else:
        model.add_blob(dense, array)
    return dense
