"""A run on disk, to read and to check. SCHEMA.md says what it holds; ``runwriter`` writes it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
from numpy.typing import NDArray

from guandan_sim.columns import to_columns
from guandan_sim.errors import RunError
from guandan_sim.hashing import PartSummary, TablePart
from guandan_sim.manifest import (
    MANIFEST,
    Layout,
    against_manifest,
    read_manifest,
    totals_against_manifest,
)
from guandan_sim.parts import open_part, part_path, read_part, row_groups
from guandan_sim.runwriter import TEMPORARY, RunWriter, create_run
from guandan_sim.schemas import TABLES, Table

if TYPE_CHECKING:
    import pandas as pd

    from guandan_sim.verify import Report

__all__ = ["Run", "RunWriter", "create_run", "open_run"]

_PART = re.compile(r"part-(\d{12,19})\.parquet")


def open_run(path: str | os.PathLike[str]) -> Run:
    """Open a run to read it. Raises RunError if the folder holds none that this package reads.

    A run that is not finished opens too, with the parts that are there.
    """
    folder = Path(path)
    manifest = read_manifest(folder)
    try:
        layout = Layout.of(manifest.get("settings"))
        if manifest.get("status") not in ("running", "complete"):
            raise RunError(f'status is {manifest.get("status")!r}: must be "running" or "complete"')
        listed = manifest.get("parts")
        complete = manifest["status"] == "complete"
        # Bounds the work by what is written down, whatever count says.
        if complete and not (isinstance(listed, list) and len(listed) == layout.number_of_parts):
            raise RunError(f"parts must list the {layout.number_of_parts} parts of the run")
    except RunError as error:
        raise RunError(f"{folder / MANIFEST}: {error}") from error
    return Run(folder, manifest, layout)


class Run:
    """A run on disk, to read. Made by :func:`open_run`.

    ``manifest`` is what manifest.json says (SCHEMA.md), with "settings", "content_hash" and
    "summary"; ``layout`` has kind, log, count and part_sets; ``parts`` are (first, stop) of each
    part that is read.
    """

    def __init__(self, path: Path, manifest: dict[str, Any], layout: Layout) -> None:
        self.path = path
        self.manifest = manifest
        self.layout = layout
        if self.finished:
            self.parts = [layout.part(number) for number in range(layout.number_of_parts)]
        else:
            self.parts = self._parts_there()

    def __repr__(self) -> str:
        state = "finished" if self.finished else f"unfinished, {len(self.parts)} parts"
        return f"Run({str(self.path)!r}: {self.layout.count} {self.layout.kind}, {state})"

    @property
    def finished(self) -> bool:
        """Whether every part was written."""
        return bool(self.manifest["status"] == "complete")

    @property
    def summary(self) -> dict[str, Any]:
        """The figures of the whole run, as printed at its end; empty until it is finished."""
        summary: dict[str, Any] = self.manifest.get("summary", {})
        return summary

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables that this run has."""
        return self.layout.tables

    def matches(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """The table matches, or those of its columns; words are categories. Raises RunError."""
        return self._frame("matches", columns)

    def deals(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """The table deals, or those of its columns; words are categories. Raises RunError."""
        return self._frame("deals", columns)

    def tributes(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """The table tributes, or those of its columns; words are categories. Raises RunError."""
        return self._frame("tributes", columns)

    def plays(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """The table plays, or those of its columns; words are categories. Raises RunError.

        33 bytes a row with all columns, about 2 kB a deal: name ``columns``, or go by
        :meth:`batches`.
        """
        return self._frame("plays", columns)

    def _frame(self, table: str, columns: Sequence[str] | None) -> pd.DataFrame:
        wanted = self._columns(table, columns)
        schema = pa.schema([TABLES[table].schema.field(name) for name in wanted])
        frame: pd.DataFrame = pa.Table.from_batches(
            self.batches(table, wanted), schema=schema
        ).to_pandas()
        return frame

    def batches(self, table: str, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """The rows of ``table`` in key order, at most 131,072 at a time. Raises RunError."""
        wanted = self._columns(table, columns)
        for first, _ in self.parts:
            for data in row_groups(self.path, TABLES[table], first, wanted):
                yield from data.select(wanted).combine_chunks().to_batches()

    def arrays(
        self, table: str, columns: Sequence[str] | None = None
    ) -> Iterator[dict[str, NDArray[Any]]]:
        """As :meth:`batches`, in NumPy arrays; words as int8 places in their list of ``WORDS``."""
        for batch in self.batches(table, columns):
            yield to_columns(TABLES[table], pa.Table.from_batches([batch]))

    def part_arrays(self, table: str, first: int) -> Iterator[dict[str, NDArray[Any]]]:
        """As :meth:`arrays`, of the part that begins at set ``first`` alone."""
        definition = self._table(table)
        for data in row_groups(self.path, definition, first):
            yield to_columns(definition, data)

    def verify(self) -> Report:
        """Check the files and replay every play. See :func:`guandan_sim.verify.verify`."""
        from guandan_sim.verify import verify  # the engine stands above the files

        return verify(self)

    def dataset(self, table: str) -> ds.Dataset:
        """The table as a pyarrow dataset, to filter and aggregate without reading it whole."""
        definition = self._table(table)
        for first, _ in self.parts:
            open_part(self.path, definition, first).close()
        options = ds.ParquetFragmentScanOptions(page_checksum_verification=True)
        return ds.dataset(
            [str(part_path(self.path, table, first)) for first, _ in self.parts],
            schema=definition.schema,
            format=ds.ParquetFileFormat(default_fragment_scan_options=options),
        )

    def set_rows(self, table: str, set_number: int, arm: int | None = 0) -> pa.Table:
        """The rows of one set and arm (None: all arms), from the row groups that may hold it.

        Raises RunError if the run has no such set.
        """
        definition = self._table(table)
        first = set_number // self.layout.part_sets * self.layout.part_sets
        if not 0 <= set_number < self.layout.count:
            raise RunError(f"no set {set_number}: {self.path} holds 0 to {self.layout.count - 1}")
        if first not in {first for first, _ in self.parts}:
            raise RunError(f"set {set_number} is in a part of {self.path} that is not written yet")
        found = [definition.schema.empty_table()]
        for data in row_groups(self.path, definition, first, set_number=set_number):
            wanted = data.column("set").to_numpy() == set_number
            if arm is not None:
                wanted &= data.column("arm").to_numpy() == arm
            rows = np.flatnonzero(wanted)
            if rows.size:
                found.append(data.slice(rows[0], rows.size))
        return pa.concat_tables(found).combine_chunks()

    def check_files(self) -> list[str]:
        """Read everything and say what is wrong, a line each; an empty list if nothing is.

        Finds missing, extra, unreadable and changed files, wrong schemas, rows out of order, and
        totals and content hashes that are not the manifest's. It does not judge the plays
        themselves.
        """
        problems = self._extra_files()
        if not self.finished:
            problems.append(
                f"{self.path} is not finished: {len(self.parts)} of "
                f"{self.layout.number_of_parts} parts are there: go on with --resume"
            )
        parts = []
        for first, stop in self.parts:
            tables: dict[str, TablePart] = {}
            for name in self.tables:
                try:
                    tables |= read_part(self.path, first, stop, [name]).tables
                except RunError as error:
                    problems.append(str(error))
            part = PartSummary(first, stop, tables)
            parts.append(part)
            problems += against_manifest(self.path, self.manifest, self.layout, part)
        if self.finished and all(len(part.tables) == len(self.tables) for part in parts):
            problems += totals_against_manifest(self.path, self.manifest, self.layout, parts)
        return problems

    def _table(self, table: str) -> Table:
        if table not in self.tables:
            why = f"only {', '.join(self.tables)}"
            if table == "plays":
                why += '; plays are kept with log "plays"'
            raise RunError(f"{self.path} has no table {table!r}: {why}")
        return TABLES[table]

    def _columns(self, table: str, columns: Sequence[str] | None) -> list[str]:
        names = self._table(table).names
        if isinstance(columns, str):
            columns = [columns]
        unknown = [name for name in columns or () if name not in names]
        if unknown:
            raise RunError(f"{table} has no column {unknown[0]!r}: only {', '.join(names)}")
        return list(dict.fromkeys(names if columns is None else columns))

    def _first_of(self, file: Path) -> int | None:
        """The first set of the part whose file this would be, by its name; None if of none."""
        match = _PART.fullmatch(file.name)
        if match is None:
            return None
        first = int(match[1])
        fits = first < self.layout.count and first % self.layout.part_sets == 0
        return first if fits and part_path(self.path, file.parent.name, first) == file else None

    def _parts_there(self) -> list[tuple[int, int]]:
        folders = [self.path / name for name in self.tables]
        sets = [{self._first_of(f) for f in folder.glob("part-*.parquet")} for folder in folders]
        numbers = sorted(first for first in set.intersection(*sets) if first is not None)
        return [self.layout.part(first // self.layout.part_sets) for first in numbers]

    def _extra_files(self) -> list[str]:
        problems = []
        for name in TABLES:
            folder = self.path / name
            for file in sorted(folder.iterdir()) if folder.is_dir() else ():
                if not self.finished and TEMPORARY.fullmatch(file.name):
                    continue
                if name not in self.tables or self._first_of(file) is None:
                    problems.append(f"{file} is not a file of this run")
        return problems
