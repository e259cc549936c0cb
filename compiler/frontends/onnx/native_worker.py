"""The helper process of ``native.py``: reads questions from stdin, answers on stdout.

A message is one JSON line, then as many bytes as its ``"size"`` says.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any, BinaryIO

MEMORY_LIMIT = 8 << 30
"""Address space of the helper. Models come without their large tensors, so that honest ones take a small part of it."""


def read_message(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """The next message, or None at the end of the stream."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        return None
    header = json.loads(line)
    payload = stream.read(header["size"])
    return (header, payload) if len(payload) == header["size"] else None


def write_message(stream: BinaryIO, header: dict[str, Any], payload: bytes) -> None:
    stream.write(json.dumps({**header, "size": len(payload)}).encode() + b"\n")
    stream.write(payload)
    stream.flush()


def answer(header: dict[str, Any], payload: bytes) -> bytes:
    """What onnx says to one question."""
    from onnx import defs, shape_inference

    if header["kind"] == "infer":
        strict = header["strict"]
        return shape_inference.infer_shapes(
            payload, check_type=strict, strict_mode=strict, data_prop=True
        ).SerializeToString()
    parts, position = [], 0
    for size in header["sizes"]:
        parts.append(payload[position : position + size])
        position += size
    schema: Any = defs.get_schema(header["op"], header["version"], header["domain"])
    return schema.get_context_dependent_function_with_opset_version(header["at"], parts[0], parts[1:])


def _limit() -> None:
    """Die with the parent, even in the middle of native code, and leave it its memory (Linux)."""
    if sys.platform == "linux":
        import ctypes
        import resource

        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        limit = MEMORY_LIMIT if hard == resource.RLIM_INFINITY else min(MEMORY_LIMIT, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def main() -> None:
    _limit()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what native code prints must not get between the answers
    from onnx import defs, shape_inference  # now, while the parent is still reading its model

    failures = (
        shape_inference.InferenceError,
        defs.SchemaError,
        RuntimeError,
        ValueError,
        TypeError,
        LookupError,
        ArithmeticError,
        MemoryError,
    )
    write_message(answers, {"ready": True}, b"")
    while (message := read_message(sys.stdin.buffer)) is not None:
        try:
            result, header = answer(*message), {}
        except failures as error:
            result, header = b"", {"error": str(error) or type(error).__name__}
        write_message(answers, header, result)


if __name__ == "__main__":
    main()
