"""A run on disk, to read and to check. SCHEMA.md says what it holds; ``runwriter`` writes it."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
from numpy.typing import NDArray

from guandan_sim import aggregates
from guandan_sim.aggregates import Keys, Values
from guandan_sim.columns import to_columns, to_numpy
from guandan_sim.errors import NoSuchSetError, RunError, one_line, printable
from guandan_sim.filters import Filter, empty_of, no_column, schema_of, sets_between
from guandan_sim.folders import TEMPORARY, Folder, LocalFolder, folder_of
from guandan_sim.hashing import PartSummary, TablePart
from guandan_sim.joins import Rows, columns_of, rows_of
from guandan_sim.manifest import (
    MANIFEST,
    Layout,
    against_manifest,
    read_manifest,
    totals_against_manifest,
    written_layout,
)
from guandan_sim.parts import open_part, part_name, read_part, row_groups
from guandan_sim.runwriter import RunWriter, create_run
from guandan_sim.schemas import TABLES, Table

if TYPE_CHECKING:
    import pandas as pd

    from guandan_sim.decisions import Decisions
    from guandan_sim.verify import Report

__all__ = ["Run", "RunWriter", "create_run", "open_run"]


_PART = re.compile(r"part-(\d{12,19})\.parquet")


def open_run(place: str | os.PathLike[str] | Folder) -> Run:
    """Open the run in a folder, or at a URL that pyarrow opens, to read it.

    Raises RunError if there is none that this package reads.

    A run that is not finished opens too, with the parts that are there.
    """
    folder = folder_of(place)
    manifest = read_manifest(folder)
    try:
        layout = written_layout(manifest, Layout.of(manifest.get("settings")))
        if manifest.get("status") not in ("running", "complete"):
            raise RunError(f'status is {manifest.get("status")!r}: must be "running" or "complete"')
        listed = manifest.get("parts")
        complete = manifest["status"] == "complete"
        # Bounds the work by what is written down, whatever count says.
        if complete and not (isinstance(listed, list) and len(listed) == layout.number_of_parts):
            raise RunError(f"parts must list the {layout.number_of_parts} parts of the run")
    except RunError as error:
        raise RunError(f"{folder.show(MANIFEST)}: {error}") from error
    return Run(folder, manifest, layout)


class Run:
    """A run on disk, to read. Made by :func:`open_run`.

    ``manifest`` is what manifest.json says (SCHEMA.md), with "settings", "content_hash" and
    "summary"; ``layout`` has kind, log, count and part_sets; ``parts`` are (first, stop) of each
    part that is read.
    """

    def __init__(self, folder: Folder, manifest: dict[str, Any], layout: Layout) -> None:
        self.folder = folder
        self.manifest = manifest
        self.layout = layout
        if self.finished:
            self.parts = [layout.part(number) for number in range(layout.number_of_parts)]
        else:
            self.parts = self._parts_there()

    def __repr__(self) -> str:
        state = "finished" if self.finished else f"unfinished, {len(self.parts)} parts"
        arms = self.manifest["settings"].get("arms", [{}])
        several = f" in {len(arms)} arms" if isinstance(arms, list) and len(arms) > 1 else ""
        held = f"{self.layout.count} {self.layout.kind}{several}"
        return f"Run({str(self.folder)!r}: {held}, {state})"

    @property
    def path(self) -> Path:
        """The folder of the run. Raises RunError for a run at a URL."""
        if isinstance(self.folder, LocalFolder):
            return self.folder.path
        raise RunError(f"{self.folder} is not a folder of this machine")

    @property
    def finished(self) -> bool:
        """Whether every part was written."""
        return bool(self.manifest["status"] == "complete")

    @property
    def summary(self) -> dict[str, Any]:
        """The figures of the whole run, as printed at its end; empty until it is finished."""
        summary = self.manifest.get("summary")
        return summary if isinstance(summary, dict) else {}

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables that this run has."""
        return self.layout.tables

    def matches(
        self, columns: Sequence[str] | None = None, where: Filter | None = None
    ) -> pd.DataFrame:
        """The table matches, see :meth:`batches`; words are categories. Raises RunError."""
        return self._frame("matches", columns, where)

    def deals(
        self, columns: Sequence[str] | None = None, where: Filter | None = None
    ) -> pd.DataFrame:
        """The table deals, see :meth:`batches`; words are categories. Raises RunError."""
        return self._frame("deals", columns, where)

    def tributes(
        self, columns: Sequence[str] | None = None, where: Filter | None = None
    ) -> pd.DataFrame:
        """The table tributes, see :meth:`batches`; words are categories. Raises RunError."""
        return self._frame("tributes", columns, where)

    def plays(
        self, columns: Sequence[str] | None = None, where: Filter | None = None
    ) -> pd.DataFrame:
        """The table plays, see :meth:`batches`; words are categories. Raises RunError.

        ``one`` and ``two`` are worked out from the files' ``near`` and ``far``, which are given
        where they are named. 33 bytes a row with all columns, about 2 kB a deal: name ``columns``,
        or go by :meth:`batches`.
        """
        return self._frame("plays", columns, where)

    def _frame(
        self, table: str, columns: Sequence[str] | None, where: Filter | None
    ) -> pd.DataFrame:
        wanted = self._columns(table, columns)
        none = empty_of(columns_of(table, self.tables), wanted)
        found = pa.Table.from_batches(self.batches(table, wanted, where), schema=none.schema)
        frame: pd.DataFrame = (found if found.num_rows else none).to_pandas()
        return frame

    def batches(
        self, table: str, columns: Sequence[str] | None = None, where: Filter | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The rows of ``table`` in key order, at most 131,072 at a time. Raises RunError.

        ``columns`` may name columns of the rows above, too: of a play's deal as in
        ``"deals.level"``, of its match as in ``"matches.winner"``.

        ``where`` is a pyarrow expression over such columns, ``pc.field("shape") == "bomb"``, or
        filters as pandas takes them, ``[("shape", "==", "bomb"), ("size", ">", 5)]``. Words compare
        as words. Parts that cannot hold such rows by their sets are not opened; of the others only
        the filter's columns are read where it finds no rows.
        """
        rows = Rows.of(table, self.tables, self._columns(table, columns), where)
        return (
            batch
            for part in rows.parts(self.parts)
            for data in rows_of(self.folder, rows, part)
            for batch in data.combine_chunks().to_batches()
        )

    def arrays(
        self, table: str, columns: Sequence[str] | None = None, where: Filter | None = None
    ) -> Iterator[dict[str, NDArray[Any]]]:
        """As :meth:`batches`, in NumPy arrays; words as int8 places in their list of ``WORDS``."""
        for batch in self.batches(table, columns, where):
            pairs = zip(batch.schema.names, batch.columns, strict=True)
            yield {name: to_numpy(values) for name, values in pairs}

    def aggregate(
        self, table: str, values: Values, by: Keys = (), where: Filter | None = None
    ) -> pd.DataFrame:
        """Counts, sums, means, least and most of the rows of a table, in batches: one row a group.

        ``values`` says what, by the name of the result: "count", or a column or pyarrow expression
        with "sum", "mean", "min" or "max". ``by`` are the columns to group by, or expressions by
        name; without it there is one row. Columns and ``where`` are as in :meth:`batches`. The
        groups come in order, words in that of their list. Memory goes with their number.

        Raises RunError, also for a sum beyond 64 bits.
        """
        self._table(table)
        return aggregates.aggregate(self, table, values, by, where)

    def per_deal(
        self,
        values: Values,
        table: str = "plays",
        columns: Sequence[str] = (),
        where: Filter | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """As :meth:`aggregate`, of each deal's plays (or tributes): one row a deal, in batches.

        Rows and batches are those of ``batches("deals")``: set, arm, deal, ``columns`` of the deal,
        and the values. ``where`` is about plays: a deal without such plays has counts and sums 0,
        and nulls for the others. Raises RunError.
        """
        self._table(table)
        if table not in ("plays", "tributes"):
            raise RunError(f"per deal of {table}: must be plays or tributes")
        columns = self._columns("deals", columns)
        return aggregates.per_deal(self, values, table, columns, where)

    def part_arrays(self, table: str, first: int) -> Iterator[dict[str, NDArray[Any]]]:
        """As :meth:`arrays`, of the part that begins at set ``first`` alone, with every column."""
        definition = self._table(table)
        part = self.layout.part(first // self.layout.part_sets)
        for data in row_groups(self.folder, definition, part, [*definition.by_name]):
            yield to_columns(definition, data)

    def verify(self) -> Report:
        """Check the files and replay every play. See :func:`guandan_sim.verify.verify`."""
        from guandan_sim.verify import verify  # the engine stands above the files

        return verify(self)

    def decisions(
        self,
        *,
        sets: range | int | None = None,
        seats: Iterable[int] | int | None = None,
        phases: Iterable[str] | str | None = None,
        every: int = 1,
        views: bool = True,
        moves: bool = False,
        rows: int = 4096,
    ) -> Iterator[Decisions]:
        """Every real choice in order, in batches, with what the seat could see, from the log alone.

        ``sets`` (a range or a number), ``seats`` and ``phases`` ("tribute", "return", "play")
        select; ``every`` takes one in so many. A batch has ``rows`` rows, the last one fewer, with
        ``views`` and, if asked for, ``moves``. See :func:`guandan_sim.decisions.decisions`, also
        for the errors raised.
        """
        from guandan_sim.decisions import decisions  # the engine stands above the files

        return decisions(
            self,
            sets=sets,
            seats=seats,
            phases=phases,
            every=every,
            views=views,
            moves=moves,
            rows=rows,
        )

    def dataset(self, table: str) -> ds.Dataset:
        """The table as a pyarrow dataset, to filter and aggregate without reading it whole.

        Every file is opened to see that it is the table's, about 0.7 ms each; its rows are read
        when they are asked for, with pyarrow's own errors. It goes by the files' statistics, and
        ends the process on some that are broken: go by :meth:`batches` if you do not trust whom a
        run comes from. Raises RunError.
        """
        definition = self._table(table)

        def check(part: tuple[int, int]) -> None:
            with open_part(self.folder, definition, part):
                pass

        with ThreadPoolExecutor(8) as pool:
            for _ in pool.map(check, self.parts):
                pass
        options = ds.ParquetFragmentScanOptions(page_checksum_verification=True)
        form = ds.ParquetFileFormat(default_fragment_scan_options=options)
        names = [part_name(table, first) for first, _ in self.parts]
        files, system = self.folder.dataset_source(names)
        found = ds.dataset(files, schema=definition.schema, format=form, filesystem=system)
        parts = [
            form.make_fragment(file, found.filesystem, partition_expression=sets_between(*part))
            for file, part in zip(found.files, self.parts, strict=True)
        ]
        return ds.FileSystemDataset(parts, definition.schema, form, found.filesystem)

    def set_rows(self, table: str, set_number: int, arm: int | None = 0) -> pa.Table:
        """The rows of one set and arm (None: all arms), from the row groups that may hold it.

        Raises RunError if the run has no such set.
        """
        definition = self._table(table)
        part = self.layout.part(set_number // self.layout.part_sets)
        if not 0 <= set_number < self.layout.count:
            raise NoSuchSetError(
                f"no set {set_number}: {self.folder} holds 0 to {self.layout.count - 1}"
            )
        if part not in self.parts:
            raise RunError(
                f"set {set_number} is in a part of {self.folder} that is not written yet"
            )
        schema = schema_of(definition.by_name, definition.shown)
        found = [schema.empty_table()]
        for data in row_groups(self.folder, definition, part, definition.shown, set_number):
            wanted = data.column("set").to_numpy() == set_number
            if arm is not None:
                wanted &= data.column("arm").to_numpy() == arm
            rows = np.flatnonzero(wanted)
            if rows.size:
                if rows[-1] - rows[0] >= rows.size:
                    place = self.folder.show(part_name(table, part[0]))
                    raise RunError(f"{place}: the rows of set {set_number} are not in one piece")
                found.append(data.slice(rows[0], rows.size))
        return pa.concat_tables(found).combine_chunks()

    def check_files(self, checking: Callable[[int, int], None] | None = None) -> list[str]:
        """Read everything and say what is wrong, a line each; an empty list if nothing is.

        ``checking`` is called many times a second with the number of the part being read, from 1,
        and how many there are; it may raise to break off.

        Finds missing, extra, unreadable and changed files, wrong schemas, rows out of order, and
        totals and content hashes that are not the manifest's. It does not judge the plays
        themselves.
        """
        problems = self._extra_files()
        if not self.finished:
            problems.append(
                f"{self.folder} is not finished: {len(self.parts)} of "
                f"{self.layout.number_of_parts} parts are there: resume it"
            )
        parts = []
        for number, (first, stop) in enumerate(self.parts, 1):
            going = functools.partial(checking or (lambda *_: None), number, len(self.parts))
            going()
            tables: dict[str, TablePart] = {}
            for name in self.tables:
                try:
                    tables |= read_part(self.folder, first, stop, [name], going).tables
                except RunError as error:
                    problems.append(str(error))
            part = PartSummary(first, stop, tables)
            parts.append(part)
            problems += against_manifest(self.folder, self.manifest, self.layout, part)
        if self.finished and all(len(part.tables) == len(self.tables) for part in parts):
            problems += totals_against_manifest(self.folder, self.manifest, self.layout, parts)
        return problems

    def _table(self, table: str) -> Table:
        if table not in self.tables:
            why = f"only {', '.join(self.tables)}"
            if table == "plays":
                why += '; plays are kept with log "plays"'
            raise RunError(f"{self.folder} has no table {table!r}: {why}")
        return TABLES[table]

    def _columns(self, table: str, columns: Sequence[str] | None) -> list[str]:
        definition = self._table(table)
        if isinstance(columns, str):
            columns = [columns]
        readable = columns_of(table, self.tables)
        for name in columns or ():
            if name not in readable:
                raise no_column(table, name, readable)
        return list(dict.fromkeys(definition.shown if columns is None else columns))

    def _first_of(self, table: str, name: str) -> int | None:
        """The first set of the part whose file this would be, by its name; None if of none."""
        match = _PART.fullmatch(name)
        if match is None:
            return None
        first = int(match[1])
        fits = first < self.layout.count and first % self.layout.part_sets == 0
        return first if fits and part_name(table, first) == f"{table}/{name}" else None

    def _parts_there(self) -> list[tuple[int, int]]:
        sets = [
            {self._first_of(table, name) for name in self._entries(table)} for table in self.tables
        ]
        numbers = sorted(first for first in set.intersection(*sets) if first is not None)
        return [self.layout.part(first // self.layout.part_sets) for first in numbers]

    def _entries(self, table: str) -> list[str]:
        try:
            return self.folder.entries(table)
        except (OSError, pa.ArrowException) as error:
            raise RunError(
                f"{self.folder.show(table)} cannot be read: {one_line(error)}"
            ) from error

    def _extra_files(self) -> list[str]:
        problems = []
        for table in TABLES:
            for name in self._entries(table):
                if not self.finished and TEMPORARY.fullmatch(name):
                    continue
                if table not in self.tables or self._first_of(table, name) is None:
                    place = printable(self.folder.show(f"{table}/{name}"))
                    problems.append(f"{place} is not a file of this run")
        return problems
