"""Opens the files that hold external tensor data, and only those inside the model's own folder."""

from __future__ import annotations

import mmap
import os
import stat
from pathlib import Path, PurePosixPath, PureWindowsPath

import numpy as np

from davit.errors import InvalidModel

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)  # a pipe must not block the open
_BINARY = getattr(os, "O_BINARY", 0)


class ExternalFiles:
    """The external data files of one model, each memory-mapped once, read-only.

    A location is refused when it is absolute, climbs with ``..``, passes through a symbolic link, or names something
    that is not a regular file with a single name: a model from the network must not make davit read ``/etc`` or a
    file that merely *looks* as if it lay beside the model.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._mapped: dict[str, np.ndarray] = {}

    def read(self, location: str, what: str) -> np.ndarray:
        """Maps the file at ``location`` (relative to the model's folder) as an array of bytes.

        ``what`` starts the message of every error: the model's file and the tensor.
        """
        if location not in self._mapped:
            self._mapped[location] = self._map(location, what)
        return self._mapped[location]

    def _map(self, location: str, what: str) -> np.ndarray:
        if self.folder is None:
            raise InvalidModel(
                f"{what}: its data lies in the external file {location!r}, but the model was not given as a file, "
                "so there is no folder to look in; give the path of the model, or say base_dir=..."
            )
        parts = _parts(location, what)
        where = f"external file {location!r}"
        folder = self.folder
        for part in parts[:-1]:
            folder = folder / part
            if _is_link(folder, what, where):
                raise InvalidModel(
                    f"{what}: {where} passes through the symbolic link {part!r}; external data must lie in the model's "
                    "own folder: put the real folder there"
                )
        path = folder / parts[-1]
        if _is_link(path, what, where):
            raise InvalidModel(
                f"{what}: {where} is a symbolic link; external data must lie in the model's own folder: "
                "put a copy of the file there"
            )
        try:
            handle = os.open(path, os.O_RDONLY | _NOFOLLOW | _NONBLOCK | _BINARY)
        except FileNotFoundError:
            raise InvalidModel(
                f"{what}: {where} does not exist in {str(self.folder)!r}; put it beside the model"
            ) from None
        except (OSError, ValueError) as error:
            raise InvalidModel(f"{what}: {where} cannot be opened: {error}") from None
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise InvalidModel(f"{what}: {where} is not a regular file")
            if status.st_nlink > 1:
                raise InvalidModel(
                    f"{what}: {where} is a hard link (the file has {status.st_nlink} names), so it may be a file from "
                    "outside the model's folder; put a copy there"
                )
            return map_file(handle, status.st_size)
        finally:
            os.close(handle)

    def close(self) -> None:
        """Forgets the maps; arrays that still view one keep it alive."""
        self._mapped.clear()


def _is_link(path: Path, what: str, where: str) -> bool:
    try:
        return path.is_symlink()
    except OSError as error:  # a name longer than the file system takes
        raise InvalidModel(f"{what}: {where} cannot be opened: {error.strerror}") from None


def map_file(handle: int, size: int) -> np.ndarray:
    """Maps an open file read-only as an array of ``size`` bytes."""
    if size == 0:
        return np.empty(0, np.uint8)
    return np.frombuffer(mmap.mmap(handle, size, access=mmap.ACCESS_READ), np.uint8)


def _parts(location: str, what: str) -> tuple[str, ...]:
    """The components of a location, or an error when it could leave the folder on any platform."""
    posix, windows = PurePosixPath(location), PureWindowsPath(location)
    if not location or "\0" in location:
        raise InvalidModel(f"{what}: the location of its external data is {location!r}, which is no file name")
    if posix.is_absolute() or windows.is_absolute() or windows.drive or windows.root:
        raise InvalidModel(
            f"{what}: external file {location!r} is an absolute path; external data must be named relative to the "
            "model's folder"
        )
    parts = posix.parts if os.sep == "/" else windows.parts
    if ".." in posix.parts or ".." in windows.parts:
        raise InvalidModel(
            f"{what}: external file {location!r} leaves the model's folder with '..'; external data must lie inside it"
        )
    if not parts:
        raise InvalidModel(f"{what}: the location of its external data is {location!r}, which is no file name")
    return parts
