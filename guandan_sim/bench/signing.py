"""One number that says whether what is played has changed."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..hashing import BlockHasher, PartSummary, TablePart, content_hash
from ..runs import Run
from ..schemas import TABLES
from ..simulate import simulate

__all__ = ["signature"]


def signature() -> str:
    """A hash over a fixed workload, in 16 hex digits: it moves if and only if what is played does.

    2,000 deals of each bot and 50 matches of both, logged play by play; no times, versions or
    paths go into it.
    """
    digest = hashlib.sha256()
    with tempfile.TemporaryDirectory() as folder:
        workloads: list[dict[str, Any]] = [
            {"deals": 2_000, "bots": "random"},
            {"deals": 2_000, "bots": "greedy"},
            {"matches": 50, "bots": ("random", "greedy")},
        ]
        for number, workload in enumerate(workloads):
            run = simulate(**workload, seed=1, out=Path(folder, str(number)))
            assert isinstance(run, Run)
            for table in sorted(run.tables):
                digest.update(f"{number} {table} {_content(run, table)}\n".encode())
    return digest.hexdigest()[:16]


def _content(run: Run, name: str) -> str:
    """The content hash of a table over the columns that a reader is shown, however files pack
    them.
    """
    table = TABLES[name]
    shown = tuple(table.by_name[column] for column in table.shown)
    hasher = BlockHasher(replace(table, columns=shown), 0, run.layout.count)
    for columns in run.arrays(name):
        hasher.update(columns)
    part = TablePart(hasher.rows, 0, "", hasher.finish())
    return content_hash([PartSummary(0, run.layout.count, {name: part})])[name]
