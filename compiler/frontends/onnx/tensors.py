"""TensorProto to numpy: what a tensor claims to be is checked against what it holds, before a byte is copied."""

from __future__ import annotations

import math

import numpy as np
import onnx
from onnx import TensorProto, helper

from davit.errors import InvalidModel, Unsupported

_ELEM = TensorProto.DataType

ELEM_BITS: dict[int, int] = {
    _ELEM.INT4: 4,
    _ELEM.UINT4: 4,
    _ELEM.FLOAT4E2M1: 4,
    _ELEM.INT2: 2,
    _ELEM.UINT2: 2,
    _ELEM.FLOAT6E2M3: 6,
    _ELEM.FLOAT6E3M2: 6,
}
"""Bits per element of the types that raw_data packs; every other type takes whole bytes."""

# Types whose int32_data entries each carry one element's bit pattern: width of the pattern.
_PATTERN_IN_INT32 = {
    _ELEM.FLOAT16: np.uint16,
    _ELEM.BFLOAT16: np.uint16,
    _ELEM.FLOAT8E4M3FN: np.uint8,
    _ELEM.FLOAT8E4M3FNUZ: np.uint8,
    _ELEM.FLOAT8E5M2: np.uint8,
    _ELEM.FLOAT8E5M2FNUZ: np.uint8,
    _ELEM.FLOAT8E8M0: np.uint8,
}
_FIELDS = ("float_data", "int32_data", "int64_data", "double_data", "uint64_data", "string_data")
_FIELD_DTYPE = {
    "float_data": np.float32,
    "int32_data": np.int32,
    "int64_data": np.int64,
    "double_data": np.float64,
    "uint64_data": np.uint64,
}
_MAX_RANK = 64
_MAX_ELEMENTS = 1 << 62


def elem_name(elem_type: int) -> str:
    """The name ONNX gives an element type, in the spelling of its type strings: ``float16``, ``int4``."""
    if elem_type not in _ELEM.values():
        return f"element type {elem_type}"
    return _ELEM.Name(elem_type).lower()


def elem_dtype(elem_type: int) -> np.dtype:
    """The numpy (or ml_dtypes) dtype of an ONNX element type; strings are Python objects."""
    return helper.tensor_dtype_to_np_dtype(elem_type)


def element_count(tensor: TensorProto, what: str) -> int:
    """The number of elements that ``dims`` claim, after a look at each of them."""
    if len(tensor.dims) > _MAX_RANK:
        raise InvalidModel(f"{what}: has {len(tensor.dims)} dimensions; numpy and MLIR stop at {_MAX_RANK}")
    positive = 1
    for dim in tensor.dims:
        if dim < 0:
            raise InvalidModel(f"{what}: dims {list(tensor.dims)} hold a negative dimension")
        positive *= max(dim, 1)
    if positive > _MAX_ELEMENTS:
        raise InvalidModel(f"{what}: dims {list(tensor.dims)} multiply to more elements than any memory can hold")
    return math.prod(tensor.dims)


def packed_size(elem_type: int, count: int) -> int:
    """Bytes that ``count`` elements take in raw_data."""
    bits = ELEM_BITS.get(elem_type)
    return count * elem_dtype(elem_type).itemsize if bits is None else (count * bits + 7) // 8


def check_tensor(tensor: TensorProto, what: str, payload: int | None = None) -> None:
    """Raises InvalidModel unless the tensor's type, dims and data agree.

    ``payload`` is the size in bytes of data that lies outside the proto (a mapped file), None when it lies inside.
    """
    elem_type = tensor.data_type
    if elem_type not in _ELEM.values() or elem_type == _ELEM.UNDEFINED:
        raise InvalidModel(f"{what}: has no valid element type (data_type is {elem_type})")
    if tensor.HasField("segment"):
        raise Unsupported(f"{what}: is stored in segments, which no ONNX tool reads; save the model again")
    count = element_count(tensor, what)
    if payload is None and tensor.HasField("raw_data"):
        payload = len(tensor.raw_data)
        if payload == 0 and count and _filled_field(tensor) is not None:
            payload = None  # an empty raw_data beside typed data: some exporters write it
    if payload is not None:
        if elem_type == _ELEM.STRING:
            raise InvalidModel(f"{what}: holds strings in raw_data; ONNX wants them in string_data")
        expected = packed_size(elem_type, count)
        if payload != expected:
            raise InvalidModel(
                f"{what}: dims {list(tensor.dims)} of {elem_name(elem_type)} take {expected} bytes, but the data has "
                f"{payload}"
            )
        return
    field = helper.tensor_dtype_to_field(elem_type)
    filled = _filled_field(tensor)
    if filled is not None and filled != field:
        raise InvalidModel(f"{what}: is {elem_name(elem_type)} but its data lies in {filled} (expected {field})")
    expected = typed_length(elem_type, count)
    length = len(getattr(tensor, field))
    if length != expected:
        raise InvalidModel(
            f"{what}: dims {list(tensor.dims)} take {expected} entries of {field}, but there are {length}"
        )


def typed_length(elem_type: int, count: int) -> int:
    """Entries that ``count`` elements take in the typed data field."""
    if elem_type in (_ELEM.COMPLEX64, _ELEM.COMPLEX128):
        return 2 * count
    bits = ELEM_BITS.get(elem_type, 6)
    return count if bits == 6 else (count * bits + 7) // 8


def typed_array(tensor: TensorProto) -> np.ndarray:
    """The array of a checked tensor whose data lies in the proto; ``raw_data`` is viewed, typed fields are copied."""
    elem_type = tensor.data_type
    if tensor.HasField("raw_data") and (len(tensor.raw_data) or not _filled_field(tensor)):
        return raw_array(np.frombuffer(tensor.raw_data, np.uint8), elem_type, tuple(tensor.dims))
    dims = tuple(tensor.dims)
    dtype = elem_dtype(elem_type)
    field = helper.tensor_dtype_to_field(elem_type)
    values = getattr(tensor, field)
    if elem_type == _ELEM.STRING:
        out = np.empty(len(values), object)
        out[:] = [value.decode("utf-8", "surrogateescape") for value in values]
        return out.reshape(dims)
    # fromiter with a count: numpy would otherwise build a list of Python numbers, eight times the size.
    flat = np.fromiter(values, _FIELD_DTYPE[field], len(values))
    if ELEM_BITS.get(elem_type) == 6:  # unlike the narrower types, one entry per element (onnx.proto)
        return (flat.astype(np.uint8) & 0x3F).view(dtype).reshape(dims)
    if elem_type in ELEM_BITS:
        return raw_array(flat.astype(np.uint8), elem_type, dims)
    if elem_type in _PATTERN_IN_INT32:
        return flat.astype(_PATTERN_IN_INT32[elem_type]).view(dtype).reshape(dims)
    if elem_type in (_ELEM.COMPLEX64, _ELEM.COMPLEX128):
        return flat.view(dtype).reshape(dims)
    if elem_type == _ELEM.BOOL:
        return (flat != 0).reshape(dims)
    return flat.astype(dtype, copy=False).reshape(dims)


def raw_array(data: np.ndarray, elem_type: int, dims: tuple[int, ...]) -> np.ndarray:
    """Views bytes in ONNX's raw layout as an array; packed types are unpacked to one byte per element.

    The result may be unaligned: payloads start wherever protobuf put them.
    """
    dtype = elem_dtype(elem_type)
    if elem_type in ELEM_BITS:
        return _unpack(data, ELEM_BITS[elem_type], math.prod(dims)).view(dtype).reshape(dims)
    if elem_type == _ELEM.BOOL:
        # A byte above 1 would be a bool that is neither True nor False.
        return (data.view(np.bool_) if data.size == 0 or data.max() <= 1 else data != 0).reshape(dims)
    if data.size == 0:
        return np.empty(dims, dtype)
    return data.view(dtype).reshape(dims)  # ONNX is little-endian, and so is every machine IREE runs on


def _unpack(data: np.ndarray, bits: int, count: int) -> np.ndarray:
    """Splits packed bytes into one byte per pattern, the lowest bits first (the order ONNX packs them in)."""
    if bits == 6:  # four patterns in three bytes: go by way of single bits
        flat = np.unpackbits(data, count=count * 6, bitorder="little").reshape(count, 6)
        return np.packbits(flat, axis=1, bitorder="little").reshape(-1)
    per_byte = 8 // bits
    out = np.empty((data.size, per_byte), np.uint8)
    for index in range(per_byte):
        np.right_shift(data, index * bits, out=out[:, index])
    out &= (1 << bits) - 1
    return out.reshape(-1)[:count]


def dense_from_sparse(
    sparse: onnx.SparseTensorProto, values: np.ndarray, indices: np.ndarray, what: str, limit: int
) -> np.ndarray:
    """The dense array of a SparseTensorProto; ``indices`` are linear ([NNZ]) or coordinates ([NNZ, rank])."""
    shape = tuple(sparse.dims)
    total = math.prod(shape)
    if any(dim < 0 for dim in shape) or total * values.dtype.itemsize > limit:
        raise InvalidModel(f"{what}: the sparse tensor's dims {list(shape)} are negative or too large to make dense")
    count = values.size
    if values.ndim != 1 or indices.dtype != np.int64 or indices.shape not in ((count,), (count, len(shape))):
        raise InvalidModel(f"{what}: the sparse tensor's indices {indices.shape} do not fit its {count} values")
    if indices.ndim == 2:
        if ((indices < 0) | (indices >= np.array(shape, np.int64))).any():
            raise InvalidModel(f"{what}: an index of the sparse tensor lies outside dims {list(shape)}")
        indices = np.asarray(np.ravel_multi_index(tuple(indices.T), shape)) if shape else np.zeros(count, np.int64)
    elif count and (indices.min() < 0 or indices.max() >= total):
        raise InvalidModel(f"{what}: an index of the sparse tensor lies outside dims {list(shape)}")
    dense = np.zeros(total, values.dtype)
    dense[indices] = values
    return dense.reshape(shape)


def _filled_field(tensor: TensorProto) -> str | None:
    for field in _FIELDS:
        if len(getattr(tensor, field)):
            return field
    return None
