"""What a caller hands to ``davit.compile``, told apart by content: an ONNX model or MLIR of some level."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any, Literal

import onnx

from davit.errors import InvalidModel

Kind = Literal["onnx", "mlir"]

BYTECODE_MAGIC = b"ML\xefR"
"""First bytes of MLIR bytecode (https://mlir.llvm.org/docs/BytecodeFormat/); portable artifacts of StableHLO too."""

_TEXT_START = re.compile(
    rb'module\b|builtin\.module\b|func\.func\b|"builtin\.module"|"func\.func"|//|#[a-z]|![a-z]|\{-#'
)


@dataclass(frozen=True)
class Source:
    """A model before it is read.

    Attributes:
        kind: which frontend reads it.
        name: what error messages call it: the path, or ``<bytes>`` and the like.
        model: the path, bytes or ModelProto for ONNX; the text or bytecode for MLIR.
    """

    kind: Kind
    name: str
    model: Any


def detect(model: Any) -> Source:
    """Tell what a model is.

    Args:
        model: a path, bytes, an ``onnx.ModelProto``, MLIR text or bytecode, or an object that exports itself as
            StableHLO (``jax.export.Exported``: its ``mlir_module()`` is asked).

    Raises:
        InvalidModel: nothing that davit reads, or a path where no file is.
    """
    if isinstance(model, onnx.ModelProto):
        return Source("onnx", "<ModelProto>", model)
    if isinstance(model, str) and _looks_like_text(model):
        return Source("mlir", "<text>", model.encode())
    if isinstance(model, (str, os.PathLike)):
        return _file(os.fspath(model))
    if isinstance(model, (bytes, bytearray, memoryview)):
        data = bytes(model)
        return Source("mlir", "<bytes>", data) if is_mlir(data) else Source("onnx", "<bytes>", data)
    if callable(getattr(model, "mlir_module", None)):
        return Source("mlir", f"<{type(model).__name__}>", str(model.mlir_module()).encode())
    raise InvalidModel(
        f"cannot compile a {type(model).__module__}.{type(model).__name__}: pass a path, bytes, an onnx.ModelProto, "
        "or MLIR as text or bytecode"
    )


def is_mlir(data: bytes) -> bool:
    """True for MLIR bytecode, and for text that begins the way MLIR does."""
    if data.startswith(BYTECODE_MAGIC):
        return True
    head = data[:4096].lstrip()
    return _TEXT_START.match(head) is not None and b"\0" not in head


def _looks_like_text(model: str) -> bool:
    return "\n" in model or is_mlir(model.encode("utf-8", "surrogatepass")) and not os.path.exists(model)


def _file(path: str) -> Source:
    try:
        with open(path, "rb") as f:
            head = f.read(4096)
            if path.endswith(".mlir") or is_mlir(head):
                return Source("mlir", path, head + f.read())
    except (OSError, ValueError) as e:
        reason = e.strerror if isinstance(e, OSError) and e.strerror else str(e)
        raise InvalidModel(f"{path}: cannot be read: {reason}") from None
    return Source("onnx", path, path)


__all__ = ["BYTECODE_MAGIC", "Kind", "Source", "detect", "is_mlir"]
