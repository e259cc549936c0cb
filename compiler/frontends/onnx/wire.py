"""Takes the big payloads out of a serialized ModelProto without parsing them.

protobuf copies every ``bytes`` field when it parses and once more on each access, so that a model of 1 GB would
cost 3 GB before the first node is looked at. :func:`split` walks the wire format instead, descends only into
submessages large enough to hold a big payload, and returns

* a *skeleton*: the same ModelProto in which each big ``raw_data`` (or packed ``float_data``/``double_data``, whose
  wire form is the same little-endian bytes) is replaced by an external-data entry that carries a number, and
* for each number the byte range in the original buffer, which is usually a memory-mapped file.

Everything else, validity of the skeleton included, is protobuf's business.
"""

from __future__ import annotations

from dataclasses import dataclass, field

MARKER_KEY = "davit.blob"
"""Key of the external_data entry that stands for a payload kept outside the proto."""

THRESHOLD = 4096
"""Payloads below this stay in the proto: shape inference reads small constants."""

_MAX_DEPTH = 64

# Message -> field number -> message of the field. Fields that are not listed hold no tensors.
_CHILDREN: dict[str, dict[int, str]] = {
    "Model": {7: "Graph", 25: "Function"},
    "Graph": {1: "Node", 5: "Tensor", 15: "SparseTensor"},
    "Function": {7: "Node", 11: "Attribute"},
    "SparseTensor": {1: "Tensor", 2: "Tensor"},
    "Node": {5: "Attribute"},
    "Attribute": {5: "Tensor", 6: "Graph", 10: "Tensor", 11: "Graph", 22: "SparseTensor", 23: "SparseTensor"},
    "Tensor": {},
}
_RAW_FIELDS = frozenset({4, 9, 10})  # TensorProto.float_data, raw_data, double_data


class WireError(ValueError):
    """The buffer is not a well-formed protobuf message; the text says where it breaks."""


@dataclass
class Payloads:
    """Byte ranges taken out of the buffer, by number."""

    nonce: str
    ranges: list[tuple[int, int]] = field(default_factory=list)

    def marker(self, start: int, end: int) -> bytes:
        """The TensorProto fields that stand for the range: one external_data entry and data_location EXTERNAL."""
        value = f"{self.nonce}:{len(self.ranges)}".encode()
        self.ranges.append((start, end))
        key = MARKER_KEY.encode()
        entry = b"\x0a" + _varint(len(key)) + key + b"\x12" + _varint(len(value)) + value
        return b"\x6a" + _varint(len(entry)) + entry + b"\x70\x01"


def split(buffer: memoryview, nonce: str, threshold: int = THRESHOLD) -> tuple[bytes, list[tuple[int, int]]]:
    """Returns the skeleton of a serialized ModelProto and the byte ranges that its markers stand for."""
    payloads = Payloads(nonce)
    chunks: list[bytes | memoryview] = []
    _rewrite(buffer, 0, len(buffer), "Model", payloads, threshold, chunks, 0)
    return b"".join(chunks), payloads.ranges


def _rewrite(
    buffer: memoryview,
    start: int,
    end: int,
    message: str,
    payloads: Payloads,
    threshold: int,
    chunks: list[bytes | memoryview],
    depth: int,
) -> None:
    """Appends to ``chunks`` the message in ``buffer[start:end]`` with its big payloads taken out."""
    if depth > _MAX_DEPTH:
        raise WireError(f"messages are nested more than {_MAX_DEPTH} deep")
    children = _CHILDREN[message]
    is_tensor = message == "Tensor"
    verbatim = position = start  # buffer[verbatim:position] is copied as it stands
    taken = False
    while position < end:
        field_start = position
        tag = buffer[position]
        position += 1
        if tag & 0x80:
            tag, position = _read_varint(buffer, position - 1, end)
        wire_type = tag & 7
        if wire_type == 2:
            size = buffer[position] if position < end else 0x80
            position += 1
            if size & 0x80:
                size, position = _read_varint(buffer, position - 1, end)
            body, position = position, position + size
            if position > end:
                raise WireError(f"a field at byte {field_start} claims {size} bytes, past the end of its message")
            if size < threshold:
                continue
            number = tag >> 3
            if is_tensor:
                if number not in _RAW_FIELDS:
                    continue
                if taken:
                    raise WireError(f"a tensor holds more than one large payload (byte {field_start})")
                taken = True
                chunks.append(buffer[verbatim:field_start])
                chunks.append(payloads.marker(body, position))
                verbatim = position
            elif number in children:
                inner: list[bytes | memoryview] = []
                _rewrite(buffer, body, position, children[number], payloads, threshold, inner, depth + 1)
                if len(inner) == 1:
                    continue  # nothing was taken out below: stays verbatim
                chunks.append(buffer[verbatim:field_start])
                chunks.append(_varint(tag) + _varint(sum(map(len, inner))))
                chunks.extend(inner)
                verbatim = position
        elif wire_type == 0:
            _, position = _read_varint(buffer, position, end)
        elif wire_type == 5:
            position += 4
        elif wire_type == 1:
            position += 8
        else:
            raise WireError(f"byte {field_start} starts a field of wire type {wire_type}, which ONNX does not use")
    if position != end:
        raise WireError(f"the data ends in the middle of a field (byte {end})")
    chunks.append(buffer[verbatim:end])


def _read_varint(buffer: memoryview, position: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while position < end and shift < 70:
        byte = buffer[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
    raise WireError(f"a number that starts before byte {position} does not end")


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
