"""A run's manifest: its settings, what its parts hold, and how it is written in one step.

A manifest read from disk is not trusted: every value is checked before it is used, and no file name
is taken from it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa

from guandan_sim.errors import RunError, one_line
from guandan_sim.folders import Folder
from guandan_sim.hashing import PartSummary, content_hash
from guandan_sim.parts import part_name
from guandan_sim.schemas import BLOCK_SETS, SCHEMA_VERSION, tables_of

__all__ = [
    "MANIFEST",
    "Layout",
    "against_manifest",
    "checksum_problem",
    "now",
    "read_manifest",
    "results",
    "totals_against_manifest",
    "write_manifest",
    "written_layout",
]

MANIFEST = "manifest.json"

# A manifest of ours has six. Whoever goes down into one from a stranger comes to an end.
_MOST_LEVELS = 50


@dataclass(frozen=True)
class Layout:
    """The settings that decide which files a run has."""

    kind: str
    log: str
    count: int
    part_sets: int

    @classmethod
    def of(cls, settings: object) -> Layout:
        """Read it from a run's settings. Raises RunError naming the value that is wrong."""
        if not isinstance(settings, dict):
            raise RunError("the settings are not a JSON object")
        kind, log = settings.get("kind"), settings.get("log")
        count, part_sets = settings.get("count"), settings.get("part_sets")
        if kind not in ("deals", "matches"):
            raise RunError(f'kind is {kind!r}: must be "deals" or "matches"')
        if log not in ("deals", "plays"):
            raise RunError(f'log is {log!r}: must be "deals" or "plays" to be on disk')
        if type(count) is not int or not 1 <= count < 2**62:
            raise RunError(f"count is {count!r}: must be a whole number, at least 1")
        if type(part_sets) is not int or part_sets < 1 or part_sets % BLOCK_SETS:
            raise RunError(f"part_sets is {part_sets!r}: must be a multiple of {BLOCK_SETS}")
        return cls(kind, log, count, part_sets)

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables."""
        return tables_of(self.kind, self.log)

    @property
    def number_of_parts(self) -> int:
        """How many parts the finished run has."""
        return -(-self.count // self.part_sets)

    def part(self, number: int) -> tuple[int, int]:
        """First set of a part, and one past its last."""
        first = number * self.part_sets
        return first, min(first + self.part_sets, self.count)


def written_layout(manifest: Mapping[str, Any], layout: Layout) -> Layout:
    """The layout of what is there, where ``layout`` is that of the settings: of a finished run that
    was stopped early, with fewer sets. Raises RunError naming the value that is wrong.
    """
    stopped = manifest.get("stopped")
    if stopped is None or manifest.get("status") != "complete":
        return layout
    sets = stopped.get("sets") if isinstance(stopped, dict) else None
    if type(sets) is not int or not 0 < sets < layout.count or sets % layout.part_sets:
        raise RunError(
            f"stopped is {stopped!r}: its sets must be some parts' of {layout.part_sets}, fewer "
            f"than {layout.count}"
        )
    return replace(layout, count=sets)


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _plain(value: object) -> object:
    """NumPy's numbers as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} cannot be written as JSON")


def write_manifest(folder: Folder, manifest: Mapping[str, Any]) -> None:
    """Replace the manifest in one step, so that a reader sees the old one or the new one."""
    checked = {**manifest, "checksum": _checksum(manifest)}
    text = json.dumps(checked, indent=1, ensure_ascii=False, allow_nan=False, default=_plain)
    try:
        # What is no character, as in a name of no encoding, is written as JSON escapes it.
        folder.put(MANIFEST, f"{text}\n".encode("utf-8", "backslashreplace"))
    except (OSError, pa.ArrowException) as error:
        raise RunError(f"cannot write to {folder}: {one_line(error)}") from error


def _checksum(manifest: Mapping[str, Any]) -> str:
    """The SHA-256 of all else that a manifest says."""
    said = {name: value for name, value in manifest.items() if name != "checksum"}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()


def checksum_problem(folder: Folder, manifest: Mapping[str, Any]) -> list[str]:
    """A line if the manifest is not as it was written, an empty list otherwise.

    It finds edits that nothing else contradicts, such as of a bot's name; no one who means harm.
    """
    if manifest.get("checksum") == _checksum(manifest):
        return []
    why = "its checksum is of other contents" if "checksum" in manifest else "it has no checksum"
    return [f"{folder.show(MANIFEST)} is not as it was written: {why}"]


def read_manifest(folder: Folder) -> dict[str, Any]:
    """The manifest of the run in ``folder``. Raises RunError if there is none to be read."""
    try:
        with folder.open(MANIFEST) as file:
            manifest = json.loads(file.read())
    except (FileNotFoundError, NotADirectoryError) as error:
        raise RunError(f"{folder} is not a run: it has no {MANIFEST}") from error
    except (OSError, ValueError, RecursionError, MemoryError, pa.ArrowException) as error:
        raise RunError(f"{folder.show(MANIFEST)} cannot be read: {one_line(error)}") from error
    if not isinstance(manifest, dict):
        raise RunError(f"{folder.show(MANIFEST)} is not a JSON object")
    if _depth(manifest) > _MOST_LEVELS:
        raise RunError(f"{folder.show(MANIFEST)} is nested more than {_MOST_LEVELS} levels deep")
    if manifest.get("schema_version") != SCHEMA_VERSION:
        raise RunError(
            f"{folder} has schema version {manifest.get('schema_version')!r}: "
            f"this package reads version {SCHEMA_VERSION}"
        )
    return manifest


def _depth(value: object) -> int:
    """Levels of objects and lists within each other, up to one more than may be."""
    level, depth = [value], 0
    while level and depth <= _MOST_LEVELS:
        level = [
            inner
            for of in level
            if isinstance(of, dict | list)
            for inner in (of.values() if isinstance(of, dict) else of)
        ]
        depth += 1
    return depth


def results(layout: Layout, parts: Iterable[PartSummary]) -> dict[str, Any]:
    """The manifest's account of all parts of a finished run: "rows", "content_hash" and "parts"."""
    parts = sorted(parts, key=lambda part: part.first)
    return {
        "rows": {name: sum(part.tables[name].rows for part in parts) for name in layout.tables},
        "content_hash": content_hash(parts),
        "parts": [
            {
                "first": part.first,
                "stop": part.stop,
                "tables": {
                    name: {"rows": table.rows, "bytes": table.size, "sha256": table.sha256}
                    for name, table in part.tables.items()
                },
            }
            for part in parts
        ],
    }


def _inner(value: object, *names: str) -> object:
    """``value[names[0]][names[1]]...``, or None where a level is missing or not an object."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def against_manifest(
    folder: Folder, manifest: Mapping[str, Any], layout: Layout, part: PartSummary
) -> list[str]:
    """Where the files of ``part`` are not what the manifest of a finished run says, a line each."""
    listed = manifest.get("parts")
    if manifest.get("status") != "complete" or not isinstance(listed, list):
        return []
    number = part.first // layout.part_sets
    entry = listed[number] if number < len(listed) else None
    problems = []
    if (_inner(entry, "first"), _inner(entry, "stop")) != (part.first, part.stop):
        problems.append(
            f"{folder}: the manifest does not list sets {part.first} to {part.stop - 1}"
        )
    for name, table in part.tables.items():
        for what, found in (("rows", table.rows), ("bytes", table.size), ("sha256", table.sha256)):
            said = _inner(entry, "tables", name, what)
            if said != found:
                file = folder.show(part_name(name, part.first))
                problems.append(f"{file}: {what} is {found}: the manifest says {said!r}")
    return problems


def totals_against_manifest(
    folder: Folder, manifest: Mapping[str, Any], layout: Layout, parts: Iterable[PartSummary]
) -> list[str]:
    """Where all parts together are not what the manifest of a finished run says, a line each."""
    found = results(layout, parts)
    problems = []
    for name in layout.tables:
        for what, label in (("rows", "rows"), ("content_hash", "content hash")):
            said = _inner(dict(manifest), what, name)
            if said != found[what][name]:
                problems.append(
                    f"{folder}: the {label} of {name} is {found[what][name]}: "
                    f"the manifest says {said!r}"
                )
    return problems
