"""Starting and resuming a run on disk: its folder, its lock, and what is still to be written.

:func:`create_run` gives a :class:`RunWriter`; write a part for each of its ``missing``, on any
thread, then ``finish``.
"""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any

import pyarrow as pa

from guandan_sim.differences import differences
from guandan_sim.errors import RunError, one_line
from guandan_sim.folders import Folder, discard_unfinished, folder_of
from guandan_sim.hashing import PartSummary
from guandan_sim.manifest import (
    MANIFEST,
    Layout,
    against_manifest,
    checksum_problem,
    now,
    read_manifest,
    results,
    totals_against_manifest,
    write_manifest,
    written_layout,
)
from guandan_sim.parts import PartWriter, part_name, read_part
from guandan_sim.schemas import SCHEMA_VERSION

__all__ = ["RunWriter", "create_run"]

_PART = re.compile(r"part-[0-9]+\.parquet\Z")


def create_run(
    out: str | os.PathLike[str],
    settings: Mapping[str, Any],
    resume: bool = False,
    *,
    command: str = "",
    checking: Callable[[int, int], None] | None = None,
) -> RunWriter:
    """Start a run in the folder or URL ``out``, or go on with it; it is made where it is missing.

    ``settings`` is JSON data and decides all contents; it names at least "kind" ("deals",
    "matches"), "count" (of sets), "part_sets" and "log" ("deals", "plays"). With ``resume``,
    finished parts that read well are kept, and a folder without a run starts one. While they are
    read, ``checking`` is called many times a second with the number of the part, from 1, and how
    many there are; it may raise to break off. Raises RunError, having changed nothing, if ``out``
    is a file, cannot be written, holds anything, is being written by someone else, or was made with
    other settings.
    """
    folder = folder_of(out)
    data: dict[str, Any] = json.loads(json.dumps(settings))
    layout = Layout.of(data)
    lock = None
    try:
        folder.make()
        _refuse(folder, resume)
        lock = folder.lock()
        # Again, now that nobody else can be writing here.
        state = _refuse(folder, resume)
        writer = RunWriter(folder, data, layout, lock)
        if state == "run":
            writer._take_over(read_manifest(folder), checking or (lambda _number, _of: None))
        else:
            writer._begin(command, now())
    except BaseException as error:
        if lock is not None:
            os.close(lock)
        if isinstance(error, OSError | pa.ArrowException):
            raise RunError(
                f"cannot write to {folder}: {one_line(error)}: choose another folder"
            ) from error
        raise
    return writer


def _refuse(folder: Folder, resume: bool) -> str:
    """What is there: "run" to be resumed, or "empty" but for files of ours. Raises RunError for
    anything else.
    """
    if folder.exists(MANIFEST):
        state = "run"
    elif all(folder.is_ours(entry) for entry in folder.entries()):
        state = "empty"
    else:
        why = "is not empty and holds no run to resume" if resume else "is not empty"
        raise RunError(f"{folder} {why}: choose another folder")
    if state == "run" and not resume:
        raise RunError(f"{folder} is not empty: choose another folder, or resume the run there")
    return state


class RunWriter:
    """A run being written; holds its lock until closed. Made by :func:`create_run`.

    ``kept`` are the summaries of the parts that a resumed run already has, ``missing`` the (first,
    stop) of each part still to be written, and ``notes`` has a line for each part on disk that
    could not be kept, with the reason, and for each wrong total of a finished run.
    """

    def __init__(
        self, folder: Folder, settings: dict[str, Any], layout: Layout, lock: int | None
    ) -> None:
        self.folder = folder
        self.settings = settings
        self.layout = layout
        self.kept: list[PartSummary] = []
        self.missing = [layout.part(number) for number in range(layout.number_of_parts)]
        self.notes: list[str] = []
        self._lock = lock
        self._manifest: dict[str, Any] = {}

    @property
    def finished(self) -> bool:
        """Whether the run was finished before, and all of it reads well: nothing is to be done."""
        return not self._lacking() and self._manifest.get("status") == "complete"

    def _lacking(self) -> bool:
        """Whether a part is missing, of as many sets as the manifest says there are."""
        count = written_layout(self._manifest, self.layout).count
        return any(first < count for first, _ in self.missing)

    def _begin(self, command: str, created: str) -> None:
        self._manifest = {
            "schema_version": SCHEMA_VERSION,
            "status": "running",
            "settings": self.settings,
            "command": command,
            "created": created,
        }
        write_manifest(self.folder, self._manifest)

    def _take_over(self, manifest: dict[str, Any], checking: Callable[[int, int], None]) -> None:
        changed = differences(manifest.get("settings"), self.settings)
        if changed:
            raise RunError(
                f"{self.folder} was made with other settings: {'; '.join(changed)}: "
                "use the same, or choose another folder"
            )
        try:
            written_layout(manifest, self.layout)
        except RunError as error:
            raise RunError(f"{self.folder.show(MANIFEST)}: {error}") from error
        discard_unfinished(self.folder, self.layout.tables)
        parts = self._parts_there(manifest)
        for number, (first, stop) in enumerate(parts, 1):
            going = functools.partial(checking, number, len(parts))
            going()
            try:
                part = read_part(self.folder, first, stop, self.layout.tables, going)
                for problem in against_manifest(self.folder, manifest, self.layout, part):
                    raise RunError(problem)
                self.kept.append(part)
            except RunError as error:
                self.notes.append(f"{error}; its part is played again")
                self.missing.append((first, stop))
        self.missing.sort()
        self._manifest = manifest
        if self.finished:
            layout = written_layout(manifest, self.layout)
            wrong = totals_against_manifest(self.folder, manifest, layout, self.kept)
            wrong = wrong or checksum_problem(self.folder, manifest)
            self.notes += [f"{problem}; the manifest is written again" for problem in wrong]
        if self._lacking() or self.notes:
            self._begin(str(manifest.get("command", "")), str(manifest.get("created", now())))

    def _parts_there(self, manifest: dict[str, Any]) -> list[tuple[int, int]]:
        """Those of the missing parts that have all their files. Notes of what was taken away."""
        complete = manifest.get("status") == "complete"
        count = written_layout(manifest, self.layout).count
        found: list[tuple[int, int]] = []
        parts, self.missing = self.missing, []
        for first, stop in parts:
            names = [part_name(table, first) for table in self.layout.tables]
            there = [self.folder.exists(name) for name in names]
            (found if all(there) else self.missing).append((first, stop))
            # A kill leaves the first tables of a part; from another, and a finished run, some were
            # taken.
            if (complete and first < count) or there != sorted(there, reverse=True):
                self.notes += [
                    f"{self.folder.show(name)} is missing; its part is played again"
                    for name, is_there in zip(names, there, strict=True)
                    if not is_there
                ][:1]
        return found

    def part(self, first: int, stop: int) -> PartWriter:
        """A writer for one of ``missing``; use it on any thread."""
        return PartWriter(self.folder, first, stop, self.layout.kind, self.layout.log)

    def finish(
        self,
        parts: Iterable[PartSummary],
        summary: Mapping[str, Any],
        stopped: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the final manifest, once every part is there.

        ``parts`` are those written since :func:`create_run`; ``summary`` is JSON data. ``stopped``
        says after how many "sets" the run ended early, and the "reason": parts beyond are deleted.
        Raises RunError.
        """
        layout = self.layout
        if stopped is not None:
            layout = written_layout({"status": "complete", "stopped": stopped}, layout)
        everything = [part for part in [*self.kept, *parts] if part.first < layout.count]
        everything.sort(key=lambda part: part.first)
        found = [(part.first, part.stop) for part in everything]
        wanted = [layout.part(number) for number in range(layout.number_of_parts)]
        if found != wanted:
            raise RunError(
                f"{self.folder}: {len(set(found) & set(wanted))} of {len(wanted)} parts are there"
            )
        discard_unfinished(self.folder, self.layout.tables)
        self._manifest |= {
            "status": "complete",
            "finished": now(),
            "summary": dict(summary),
            **results(layout, everything),
        }
        self._manifest.pop("stopped", None)
        if stopped is not None:
            self._discard_from(layout.count)
            self._manifest["stopped"] = dict(stopped)
        write_manifest(self.folder, self._manifest)

    def _discard_from(self, first: int) -> None:
        """Delete the parts from set ``first`` on, which were played ahead; of each the last table
        first, as none is there without those before it.
        """
        beyond = part_name("", first)
        for table in reversed(self.layout.tables):
            for entry in self.folder.entries(table):
                # Names of one length are in the order of their numbers.
                if (len(entry), f"/{entry}") >= (len(beyond) - 1, beyond) and _PART.match(entry):
                    self.folder.delete(f"{table}/{entry}")

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
