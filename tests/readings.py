"""What tests of reading runs share."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from guandan_sim.schemas import TABLES


def part_of(folder: Path, table: str, first: int) -> Path:
    """The file of a part."""
    return folder / table / f"part-{first:012d}.parquet"


def in_small_groups(folder: Path) -> Path:
    """A run whose files are written again with row groups that cut deals in two."""
    sizes = {"matches": 300, "deals": 400, "tributes": 175, "plays": 1_000}
    for table in TABLES:
        for file in (folder / table).iterdir():
            data = pq.read_table(file)
            pq.write_table(data, file, row_group_size=sizes[table])
    return folder
