"""Reproducers: a module and the command that makes it fail again, written when a pass fails and read for a replay.

A small module is text whose first line is the command; a large one is bytecode with the command in ``NAME.txt``
beside it. Reproducers of IREE's compiler and those that ``mlir-opt`` writes are read as well.
"""

from __future__ import annotations

import io
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from davit.errors import InvalidModel
from davit.mlir import ir

TEXT_BYTES = 1 << 18
"""Up to this size of bytecode a reproducer is written as text; beyond, weights as text would be unreadable."""

_DAVIT = re.compile(r"davit-opt \S+ --pass-pipeline='([^']*)'")
_MLIR = re.compile(r'mlir_reproducer:\s*\{.*?pipeline:\s*"((?:[^"\\]|\\.)*)"', re.S)
_IREE = re.compile(r"iree-compile \S+ (.*) -o \S+")


@dataclass(frozen=True)
class Reproducer:
    """What is to be replayed.

    Attributes:
        data: the module, text or bytecode.
        pipeline: in davit's pipeline syntax; None for IREE's compiler.
        flags: of IREE's compiler.
    """

    data: bytes
    pipeline: str | None
    flags: tuple[str, ...] = ()


def save(module: ir.Operation, pipeline: str, name: str, directory: str | None) -> str | None:
    """Write a module and the command that runs ``pipeline`` on it; None when the disk does not take it.

    Args:
        name: the file's name without its suffix.
        directory: default: a fresh temporary one.
    """
    try:
        directory = directory or tempfile.mkdtemp(prefix="davit-reproducer-")
        os.makedirs(directory, exist_ok=True)
        return write(module, pipeline, os.path.join(directory, name))
    except OSError:
        return None


def write(module: ir.Operation, pipeline: str, stem: str) -> str:
    """Write ``stem.mlir``, or ``stem.mlirbc`` with ``stem.mlirbc.txt``; returns the module's path.

    Raises:
        OSError: the disk does not take it.
    """
    buffer = io.BytesIO()
    module.write_bytecode(buffer)
    data = buffer.getvalue()
    text = len(data) <= TEXT_BYTES
    path = f"{stem}.{'mlir' if text else 'mlirbc'}"
    command = f"davit-opt {os.path.basename(path)} --pass-pipeline='builtin.module({pipeline})'\n"
    if text:
        data = f"// {command}{module.get_asm(enable_debug_info=True, assume_verified=True)}".encode()
    else:
        Path(path + ".txt").write_text(command, encoding="utf-8")
    Path(path).write_bytes(data)
    return path


def read(path: str) -> Reproducer:
    """Read a reproducer.

    Raises:
        InvalidModel: the file cannot be read, or no command stands in it or beside it.
    """
    try:
        data = Path(path).read_bytes()
        beside = [p for p in (Path(path + ".txt"), Path(path).with_suffix(".txt")) if p.exists()]
        command = data.decode("utf-8", "replace") if data[:4] != b"ML\xefR" else ""
        if beside and _DAVIT.search(command) is None:
            command = beside[0].read_text(encoding="utf-8").partition("\n\n")[0]
    except OSError as e:
        raise InvalidModel(f"{path}: cannot be read: {e.strerror}") from None
    if (m := _DAVIT.search(command)) is not None:
        return Reproducer(data, m[1])
    if (m := _MLIR.search(command)) is not None:
        return Reproducer(data, m[1].replace('\\"', '"'))
    if (m := _IREE.search(command)) is not None:
        return Reproducer(data, None, tuple(m[1].split()))
    raise InvalidModel(
        f"{path}: is no reproducer: neither its first line nor {Path(path).name}.txt beside it holds a davit-opt or "
        "iree-compile command"
    )


__all__ = ["Reproducer", "read", "save", "write"]
