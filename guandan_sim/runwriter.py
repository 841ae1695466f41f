"""Starting and resuming a run on disk: its folder, its lock, and what is still to be written.

:func:`create_run` gives a :class:`RunWriter`; write a part for each of its ``missing``, on any
thread, then ``finish``.
"""

from __future__ import annotations

import errno
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from guandan_sim.errors import RunError
from guandan_sim.hashing import PartSummary
from guandan_sim.manifest import (
    MANIFEST,
    Layout,
    against_manifest,
    differences,
    now,
    read_manifest,
    results,
    write_manifest,
)
from guandan_sim.parts import PartWriter, part_path, read_part
from guandan_sim.schemas import SCHEMA_VERSION

if sys.platform != "win32":
    import fcntl

__all__ = ["TEMPORARY", "RunWriter", "create_run"]

TEMPORARY = re.compile(r"\.(part-\d+\.parquet|manifest\.json)\.[0-9a-f-]+\.tmp")
"""Names of files that were never finished."""

_LOCK = ".lock"


def _state(path: Path) -> str:
    """What is at ``path``: "run", "empty" (nothing, or only our own lock), or "other" files."""
    if (path / MANIFEST).exists():
        return "run"
    for entry in path.iterdir():
        if entry.name != _LOCK and not TEMPORARY.fullmatch(entry.name):
            return "other"
    return "empty"


def _lock(path: Path) -> int:
    """Hold the run for this process until the handle is closed or the process ends."""
    handle = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    if sys.platform != "win32":
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(handle)
            raise RunError(
                f"{path} is being written by another process: wait for it, or choose another --out"
            ) from error
        except OSError as error:
            # Some network file systems have no locks; a run there goes without.
            if error.errno not in (errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK):
                os.close(handle)
                raise
    return handle


def create_run(
    out: str | os.PathLike[str],
    settings: Mapping[str, Any],
    resume: bool = False,
    *,
    command: str = "",
) -> RunWriter:
    """Start a run in the folder ``out``, or go on with it; the folder is made where it is missing.

    ``settings`` is JSON data and decides all contents; it names at least "kind" ("deals",
    "matches"), "count" (of sets), "part_sets" and "log" ("deals", "plays"). With ``resume``,
    finished parts that read well are kept, and a folder without a run starts one. Raises RunError,
    having changed nothing, if ``out`` is a file, cannot be written, holds anything, is being
    written by someone else, or was made with other settings.
    """
    path = Path(out)
    data: dict[str, Any] = json.loads(json.dumps(settings))
    layout = Layout.of(data)
    try:
        if path.exists() and not path.is_dir():
            raise RunError(f"{path} is a file: choose another --out")
        path.mkdir(parents=True, exist_ok=True)
        _refuse(path, resume)
        lock = _lock(path)
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        # Again, now that nobody else can be writing here.
        state = _refuse(path, resume)
        writer = RunWriter(path, data, layout, lock)
        if state == "run":
            writer._take_over(read_manifest(path))
        else:
            writer._begin(command, now())
    except OSError as error:
        os.close(lock)
        raise _unwritable(path, error) from error
    except BaseException:
        os.close(lock)
        raise
    return writer


def _unwritable(path: Path, error: OSError) -> RunError:
    return RunError(f"cannot write to {path}: {error.strerror}: choose another --out")


def _refuse(path: Path, resume: bool) -> str:
    state = _state(path)
    if state == "other":
        why = "is not empty and holds no run to resume" if resume else "is not empty"
        raise RunError(f"{path} {why}: choose another --out")
    if state != "empty" and not resume:
        raise RunError(f"{path} is not empty: choose another --out or use --resume")
    return state


class RunWriter:
    """A run being written; holds its lock until closed. Made by :func:`create_run`.

    ``kept`` are the summaries of the parts that a resumed run already has, ``missing`` the (first,
    stop) of each part still to be written, and ``notes`` has a line for each part on disk that
    could not be kept, with the reason.
    """

    def __init__(self, path: Path, settings: dict[str, Any], layout: Layout, lock: int) -> None:
        self.path = path
        self.settings = settings
        self.layout = layout
        self.kept: list[PartSummary] = []
        self.missing = [layout.part(number) for number in range(layout.number_of_parts)]
        self.notes: list[str] = []
        self._lock: int | None = lock
        self._manifest: dict[str, Any] = {}

    def _begin(self, command: str, created: str) -> None:
        self._manifest = {
            "schema_version": SCHEMA_VERSION,
            "status": "running",
            "settings": self.settings,
            "command": command,
            "created": created,
        }
        write_manifest(self.path, self._manifest)

    def _take_over(self, manifest: dict[str, Any]) -> None:
        changed = differences(manifest.get("settings"), self.settings)
        if changed:
            raise RunError(
                f"{self.path} was made with other settings: {'; '.join(changed)}: "
                "use the same, or choose another --out"
            )
        for folder in (self.path, *(self.path / name for name in self.layout.tables)):
            for entry in folder.iterdir() if folder.is_dir() else ():
                if TEMPORARY.fullmatch(entry.name):
                    entry.unlink()
        parts, self.missing = self.missing, []
        for first, stop in parts:
            paths = [part_path(self.path, name, first) for name in self.layout.tables]
            try:
                if not all(file.exists() for file in paths):
                    self.missing.append((first, stop))
                    continue
                part = read_part(self.path, first, stop, self.layout.tables)
                for problem in against_manifest(self.path, manifest, self.layout, part):
                    raise RunError(problem)
                self.kept.append(part)
            except RunError as error:
                self.notes.append(f"{error}; its part is played again")
                self.missing.append((first, stop))
        self._manifest = manifest
        if self.missing:
            self._begin(str(manifest.get("command", "")), str(manifest.get("created", now())))

    def part(self, first: int, stop: int) -> PartWriter:
        """A writer for one of ``missing``; use it on any thread."""
        return PartWriter(self.path, first, stop, self.layout.kind, self.layout.log)

    def finish(self, parts: Iterable[PartSummary], summary: Mapping[str, Any]) -> None:
        """Write the final manifest, once every part is there.

        ``parts`` are those written since :func:`create_run`; ``summary`` is JSON data. Raises
        RunError.
        """
        everything = sorted([*self.kept, *parts], key=lambda part: part.first)
        found = [(part.first, part.stop) for part in everything]
        wanted = [self.layout.part(number) for number in range(self.layout.number_of_parts)]
        if found != wanted:
            raise RunError(
                f"{self.path}: {len(set(found) & set(wanted))} of {len(wanted)} parts are there"
            )
        self._manifest |= {
            "status": "complete",
            "finished": now(),
            "summary": dict(summary),
            **results(self.layout, everything),
        }
        write_manifest(self.path, self._manifest)

    def close(self) -> None:
        """Let go of the run; an unfinished one can be resumed."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
