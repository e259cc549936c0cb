"""The ``.davit`` file: a zip archive (stored, not compressed) with ``manifest.json`` and ``program.vmfb``.

The program lies at a multiple of 64 bytes, so that it is mapped and run in place: weights are read from the file when
they are used. The manifest holds the program's digest; a file that was damaged is refused before IREE sees a byte.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import struct
import tempfile
import zipfile
from typing import Any

from davit.errors import ExecutionError, InvalidModel

FORMAT = 1
"""Version of the file format; files of a later one are refused by name."""

MANIFEST, PROGRAM = "manifest.json", "program.vmfb"
ALIGNMENT = 64
_LOCAL_HEADER = 30  # APPNOTE.TXT 4.3.7: fixed part of a local file header
_PADDING_ID = 0x4456  # an extra field of our own (4.5): only its length matters
_DATE = (1980, 1, 1, 0, 0, 0)  # the same program gives the same file


def digest(program: Any) -> str:
    return hashlib.blake2b(program, digest_size=16).hexdigest()


def write(path: str | os.PathLike[str], manifest: dict[str, Any], program: Any) -> None:
    """Write a package; the path holds the whole of it or, on failure, what it held before.

    Raises:
        ExecutionError: it cannot be written.
    """
    path = os.fspath(path)
    manifest = {**manifest, "format": FORMAT, "program": {"size": len(program), "blake2b": digest(program)}}
    folder = os.path.dirname(os.path.abspath(path))
    try:
        fd, partial = tempfile.mkstemp(prefix=".davit-", dir=folder)
    except OSError as e:
        raise ExecutionError(f"{path}: cannot be written: {e.strerror}") from None
    try:
        with os.fdopen(fd, "wb") as f, zipfile.ZipFile(f, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr(zipfile.ZipInfo(MANIFEST, _DATE), json.dumps(manifest, indent=1))
            info = zipfile.ZipInfo(PROGRAM, _DATE)
            start = f.tell() + _LOCAL_HEADER + len(PROGRAM) + 4
            pad = -start % ALIGNMENT
            info.extra = struct.pack("<HH", _PADDING_ID, pad) + bytes(pad)
            info.file_size = len(program)
            with archive.open(info, "w") as entry:
                entry.write(program)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(partial, 0o666 & ~umask)
        os.replace(partial, path)
    except OSError as e:
        raise ExecutionError(f"{path}: cannot be written: {e.strerror}") from None
    finally:
        if os.path.exists(partial):
            os.unlink(partial)


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], memoryview]:
    """The manifest and the program, mapped from the file.

    Raises:
        InvalidModel: it is no .davit file, is damaged, or was written by a later davit.
    """
    path = os.fspath(path)
    try:
        with open(path, "rb") as f:
            size = os.fstat(f.fileno()).st_size
            if size == 0:
                raise InvalidModel(f"{path}: is empty")
            mapped = memoryview(mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ))
            with zipfile.ZipFile(f) as archive:
                manifest = json.loads(archive.read(MANIFEST))
                entry = archive.getinfo(PROGRAM)
    except OSError as e:
        raise InvalidModel(f"{path}: cannot be read: {e.strerror or e}") from None
    except (zipfile.BadZipFile, KeyError, ValueError, NotImplementedError, EOFError, RecursionError) as e:
        raise InvalidModel(f"{path}: is not a .davit file, or is damaged: {e}") from None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("format"), int):
        raise InvalidModel(f"{path}: is not a .davit file: its manifest has no format number")
    if manifest["format"] > FORMAT:
        raise InvalidModel(
            f"{path}: has format {manifest['format']}; this davit reads up to {FORMAT}. Compile the model again, or "
            "run it with the davit that wrote it"
        )
    program = _locate(mapped, entry)
    facts = manifest.get("program")
    if program is None or not isinstance(facts, dict) or facts.get("blake2b") != digest(program):
        raise InvalidModel(f"{path}: is damaged: its program does not have the digest that its manifest says")
    return manifest, program


def _locate(mapped: memoryview, entry: zipfile.ZipInfo) -> memoryview | None:
    start = entry.header_offset
    header = mapped[start : start + _LOCAL_HEADER]
    if len(header) < _LOCAL_HEADER or entry.compress_type != zipfile.ZIP_STORED:
        return None
    name, extra = struct.unpack("<HH", header[26:30])
    begin = start + _LOCAL_HEADER + name + extra
    program = mapped[begin : begin + entry.file_size]
    return program if len(program) == entry.file_size else None


__all__ = ["FORMAT", "read", "write"]
