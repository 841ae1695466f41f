"""Small made-up runs for the tests of runs on disk."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from guandan_sim.columns import Columns
from guandan_sim.folders import Folder
from guandan_sim.hashing import PartSummary
from guandan_sim.parts import PartWriter
from guandan_sim.runs import Run, create_run, open_run
from guandan_sim.schemas import TABLES

ROOT = Path(__file__).parents[1]
COUNT = 2_500
PART = 1_024


def settings(**changes: Any) -> dict[str, Any]:
    """Settings of a small run of matches in three parts."""
    return {
        "kind": "matches",
        "log": "plays",
        "count": COUNT,
        "part_sets": PART,
        "seed": 7,
        "rules": {"preset": "guide", "max_bomb": 10},
        "bots": [{"name": "random", "version": 1}] * 4,
    } | changes


def make_rows(first: int, stop: int) -> dict[str, Columns]:
    """Made-up rows of every table: a set's are the same whatever the range they are asked in."""
    keys = {
        "matches": [(s, 0) for s in range(first, stop)],
        "deals": [(s, 0, d) for s in range(first, stop) for d in range(1 + s % 2)],
        "tributes": [(s, 0, 1, g) for s in range(first, stop) if s % 4 == 1 for g in (1, 3)],
        "plays": [
            (s, 0, d, p) for s in range(first, stop) for d in range(1 + s % 2) for p in range(3)
        ],
    }
    tables: dict[str, Columns] = {}
    for name, table in TABLES.items():
        key = np.array(keys[name], np.int64).reshape(-1, len(table.key))
        mixed = key @ np.array([10_007, 101, 1_009, 103])[: len(table.key)]
        columns = {}
        for place, column in enumerate(table.columns):
            if column.name in table.key:
                values = key[:, table.key.index(column.name)]
            elif column.kind == "int64":
                values = mixed * 2_654_435_761 + place
            else:
                limit = len(column.words) or (2 if column.kind == "bool" else 250)
                values = (mixed * (place + 3) // 7) % limit
            columns[column.name] = values.astype(column.dtype)
        tables[name] = columns
    return tables


def write_rows(part: PartWriter, *batches: dict[str, Columns]) -> None:
    """Write rows of several tables, batch by batch."""
    for batch in batches:
        for name, columns in batch.items():
            part.write(name, columns)


def write_part(
    folder: Path | Folder | None, first: int, stop: int, step: int = 500, kind: str = "matches"
) -> PartSummary:
    """Write one part, ``step`` sets at a time."""
    with PartWriter(folder, first, stop, kind, "plays") as part:
        for start in range(first, stop, step):
            write_rows(part, make_rows(start, min(start + step, stop)))
    return part.summary


def write_run(folder: Path, **changes: Any) -> Run:
    """Write a whole run."""
    with create_run(folder, settings(**changes), command="a test") as writer:
        parts = [write_part(folder, *part) for part in writer.missing]
        writer.finish(parts, {"deals": np.int64(3)})
    return open_run(folder)


def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run that tests only read; a fixture."""
    folder = tmp_path_factory.mktemp("runs") / "made"
    write_run(folder)
    return folder


def copied_run(made: Path, tmp_path: Path) -> Path:
    """A finished run that a test may spoil; a fixture."""
    folder = tmp_path / "copy"
    shutil.copytree(made, folder)
    return folder


def files_in(folder: Path) -> list[str]:
    """Every file below ``folder`` but the lock."""
    found = [str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file()]
    return sorted(name for name in found if name != ".lock")


def write_run_of_deals(folder: Path, kind: str) -> Run:
    """Write a run with log "deals"; plays are offered and dropped."""
    with create_run(folder, settings(kind=kind, log="deals")) as writer:
        parts = []
        for first, stop in writer.missing:
            with writer.part(first, stop) as part:
                write_rows(part, make_rows(first, stop))
            parts.append(part.summary)
        writer.finish(parts, {})
    return open_run(folder)
