"""Where a run's files are: a folder of this machine, or one in any file system that pyarrow opens
from a URL.

Names are relative to the folder, with ``/`` between a table and its file. A file appears under its
name complete or not at all.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs

from .errors import RunError, one_line

if sys.platform != "win32":
    import fcntl

__all__ = [
    "TEMPORARY",
    "Folder",
    "LocalFolder",
    "RemoteFolder",
    "discard_unfinished",
    "folder_of",
]

TEMPORARY = re.compile(r"\.(part-\d+\.parquet|manifest\.json)\.[0-9a-f-]+\.tmp")
"""Names of files that were never finished."""

_LOCK = ".lock"
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")

#: File systems in which a file is there only once all of it was sent, and renaming means copying.
_WHOLE_OBJECTS = ("s3", "gcs", "abfs")


def _temporary(name: str) -> str:
    """The name under which the file is written, beside its own."""
    path = PurePosixPath(name)
    return str(path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp"))


@dataclass(frozen=True)
class LocalFolder:
    """A folder of this machine."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    def show(self, name: str) -> str:
        """The place of a file as people write it."""
        return str(self.path / name)

    def everywhere(self) -> LocalFolder:
        """The folder as processes with another current folder find it."""
        return LocalFolder(self.path.absolute())

    def make(self) -> None:
        """Make the folder where it is missing. Raises OSError, RunError if it is a file."""
        if self.path.exists() and not self.path.is_dir():
            raise RunError(f"{self.path} is a file: choose another place")
        self.path.mkdir(parents=True, exist_ok=True)

    def entries(self, folder: str = "") -> list[str]:
        """Names of what is in the folder or in one of its own, in order; none if it is missing."""
        place = self.path / folder
        return sorted(entry.name for entry in place.iterdir()) if place.is_dir() else []

    def exists(self, name: str) -> bool:
        """Whether there is such a file."""
        return (self.path / name).exists()

    def open(self, name: str) -> pa.NativeFile:
        """Open a file to read. Raises OSError, RunError if it leads outside the folder or is none:
        a pipe, say, which would never end.
        """
        place = self._within(name)
        if place.exists() and not place.is_file():
            raise RunError("is no file")
        return pa.OSFile(str(place))

    def _within(self, name: str) -> Path:
        """The path of that name. Raises RunError if it leads outside the folder by a link."""
        place = self.path / name
        try:
            inside = place.resolve().is_relative_to(self.path.resolve())
        except RuntimeError:  # links in a circle, up to Python 3.12
            inside = False
        if not inside:
            raise RunError("leads outside the run")
        return place

    def put(self, name: str, data: bytes | pa.Buffer) -> None:
        """Write a file that lasts through a power cut, or none. Raises OSError, RunError if its
        folder leads outside this one.
        """
        place, temporary = self.path / name, self.path / _temporary(name)
        self._check_parent(name)
        is_new = not place.parent.is_dir()
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(temporary, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, place)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
        _sync(place.parent)
        if is_new:
            _sync(place.parent.parent)

    def delete(self, name: str) -> None:
        """Delete a file, if it is there. Raises OSError, RunError if its folder leads outside this
        one.
        """
        self._check_parent(name)
        (self.path / name).unlink(missing_ok=True)

    def _check_parent(self, name: str) -> None:
        try:
            self._within(str(PurePosixPath(name).parent))
        except RunError as error:
            raise RunError(f"{self.show(name)} {error}") from error

    def lock(self) -> int | None:
        """Hold the folder for this process until the handle is closed or the process ends.

        Raises RunError if another process holds it, OSError.
        """
        follow_no_link = getattr(os, "O_NOFOLLOW", 0)
        handle = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | follow_no_link, 0o666)
        if sys.platform != "win32":
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                os.close(handle)
                raise RunError(
                    f"{self} is being written by another process: wait for it, or choose "
                    "another folder"
                ) from error
            except OSError as error:
                # Some network file systems have no locks; a run there goes without.
                if error.errno not in (errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK):
                    os.close(handle)
                    raise
        return handle

    def is_ours(self, name: str) -> bool:
        """Whether an entry of the folder itself is no one's data: a lock, an unfinished file."""
        return name == _LOCK or TEMPORARY.fullmatch(name) is not None

    def dataset_source(self, names: list[str]) -> tuple[list[str], pafs.FileSystem | None]:
        """The files as `pyarrow.dataset.dataset` takes them."""
        return [self.show(name) for name in names], None


def _sync(folder: Path) -> None:
    """Make renames in ``folder`` last through a power cut, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@dataclass(frozen=True)
class RemoteFolder:
    """A folder named by a URL, in a file system of pyarrow's.

    There are no locks: nobody notices two processes that write the same run at once. They write
    the same files.
    """

    url: str
    system: Any
    root: str

    def __str__(self) -> str:
        return self.url

    def show(self, name: str) -> str:
        """The place of a file as people write it."""
        return f"{self.url}/{name}"

    def everywhere(self) -> RemoteFolder:
        """The folder as processes with another current folder find it."""
        return self

    def make(self) -> None:
        """Make the folder where it is missing. Raises OSError, RunError if it is a file."""
        found = self.system.get_file_info(self.root)
        if found.type == pafs.FileType.File:
            raise RunError(f"{self.url} is a file: choose another place")
        if found.type == pafs.FileType.NotFound:
            self.system.create_dir(self.root, recursive=True)

    def entries(self, folder: str = "") -> list[str]:
        """Names of what is in the folder or in one of its own, in order; none if it is missing."""
        place = self._place(folder) if folder else self.root
        selector = pafs.FileSelector(place, allow_not_found=True)
        return sorted(found.base_name for found in self.system.get_file_info(selector))

    def exists(self, name: str) -> bool:
        """Whether there is such a file."""
        return bool(self.system.get_file_info(self._place(name)).type == pafs.FileType.File)

    def open(self, name: str) -> pa.NativeFile:
        """Open a file to read. Raises OSError."""
        return self.system.open_input_file(self._place(name))

    def put(self, name: str, data: bytes | pa.Buffer) -> None:
        """Write a file, or none. Raises OSError."""
        place = self._place(name)
        self.system.create_dir(place.rpartition("/")[0], recursive=True)
        if self.system.type_name in _WHOLE_OBJECTS:
            self._send(place, data)
            return
        temporary = self._place(_temporary(name))
        try:
            self._send(temporary, data)
            self.system.move(temporary, place)
        except BaseException:
            with contextlib.suppress(OSError):
                self.system.delete_file(temporary)
            raise

    def delete(self, name: str) -> None:
        """Delete a file, if it is there. Raises OSError."""
        with contextlib.suppress(FileNotFoundError):
            self.system.delete_file(self._place(name))

    def lock(self) -> int | None:
        """Nothing is held: see the class."""
        return None

    def is_ours(self, name: str) -> bool:
        """Whether an entry of the folder itself is no one's data: an unfinished file."""
        return TEMPORARY.fullmatch(name) is not None

    def dataset_source(self, names: list[str]) -> tuple[list[str], pafs.FileSystem | None]:
        """The files as `pyarrow.dataset.dataset` takes them."""
        return [self._place(name) for name in names], self.system

    def _place(self, name: str) -> str:
        return f"{self.root}/{name}"

    def _send(self, place: str, data: bytes | pa.Buffer) -> None:
        with self.system.open_output_stream(place) as stream:
            stream.write(data)


Folder = LocalFolder | RemoteFolder


def discard_unfinished(folder: Folder, tables: Iterable[str]) -> None:
    """Delete files of ``folder`` and of its ``tables`` that were never finished, once nobody writes
    them any more. Raises OSError.
    """
    for table in ("", *tables):
        for name in folder.entries(table):
            if TEMPORARY.fullmatch(name):
                folder.delete(f"{table}/{name}" if table else name)


def folder_of(place: str | os.PathLike[str] | Folder) -> Folder:
    """The folder that a path or URL names. It need not be there.

    Raises RunError for an empty name, and for a URL of a kind that pyarrow cannot open.

    >>> print(folder_of("runs/a").show("manifest.json"))
    runs/a/manifest.json
    """
    if isinstance(place, LocalFolder | RemoteFolder):
        return place
    text = os.fspath(place)
    if not text:
        raise RunError("the folder of a run is ''; name one, or a URL")
    if not _URL.match(text):
        return LocalFolder(Path(text))
    try:
        system, root = pafs.FileSystem.from_uri(text)
    except (pa.ArrowException, OSError, ValueError, ImportError) as error:
        raise RunError(f"{text} cannot be opened: {one_line(error)}") from error
    if system.type_name == "local":
        return LocalFolder(Path(root))
    return RemoteFolder(text.rstrip("/"), system, root.rstrip("/"))
