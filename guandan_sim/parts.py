"""Parts of a run: columns to Parquet files and back.

A part is one Parquet file a table for the sets ``first <= set < stop``. Nothing here is shared
between threads: each worker writes its own part and hands back a small :class:`PartSummary`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from guandan_sim.columns import (
    Columns,
    narrow_columns,
    stored_names,
    to_arrow,
    to_columns,
    with_derived,
    with_fixed_words,
)
from guandan_sim.errors import RunError, one_line, printable
from guandan_sim.folders import Folder, folder_of
from guandan_sim.hashing import BlockHasher, PartSummary, TablePart
from guandan_sim.schemas import BLOCK_SETS, TABLES, Table, tables_of

__all__ = [
    "GROUP_ROWS",
    "PartWriter",
    "open_part",
    "part_name",
    "read_part",
    "read_table_part",
    "row_groups",
]

GROUP_ROWS = 131_072
"""Rows of a row group; only a part's last one may have fewer."""

_ENCODINGS = {"delta": "DELTA_BINARY_PACKED", "split": "BYTE_STREAM_SPLIT"}


def part_name(table: str, first: int) -> str:
    """The file of ``table`` in the part that begins at set ``first``, within the run's folder."""
    return f"{table}/part-{first:012d}.parquet"


# Writing


class _TableFile:
    """One table of a part while it is written, in memory: a part takes some megabytes."""

    def __init__(self, table: Table, first: int, stop: int) -> None:
        self.name = part_name(table.name, first)
        self._table = table
        self._hasher = BlockHasher(table, first, stop)
        self._pending: list[Columns] = []
        self._pending_rows = 0
        self._sink = pa.BufferOutputStream()
        self._writer = pq.ParquetWriter(
            self._sink,
            table.schema,
            compression={c.name: "none" if c.encoding == "raw" else "zstd" for c in table.columns},
            compression_level={c.name: 1 for c in table.columns if c.encoding != "raw"},
            use_dictionary=[c.name for c in table.columns if c.encoding == "dictionary"],
            column_encoding={
                c.name: _ENCODINGS[c.encoding] for c in table.columns if c.encoding in _ENCODINGS
            },
            write_statistics=["set"],
            write_page_checksum=True,
            data_page_size=8 * GROUP_ROWS + 1,
            dictionary_pagesize_limit=8 * GROUP_ROWS + 1,
        )

    def write(self, columns: Mapping[str, NDArray[Any]]) -> None:
        narrow = narrow_columns(self._table, columns)
        self._hasher.update(narrow)
        self._pending.append(narrow)
        self._pending_rows += len(narrow["set"])
        while self._pending_rows >= GROUP_ROWS:
            self._write_group(GROUP_ROWS)

    def _write_group(self, rows: int) -> None:
        """Write the first ``rows`` pending as a row group. Equal groups make equal files, however
        fed: a column of a group is one page.
        """
        group: list[Columns] = []
        left = rows
        while left:
            batch = self._pending[0]
            taken = {name: values[:left] for name, values in batch.items()}
            group.append(taken)
            size = len(taken["set"])
            left -= size
            if size == len(batch["set"]):
                del self._pending[0]
            else:
                self._pending[0] = {name: values[size:] for name, values in batch.items()}
        self._writer.write_table(to_arrow(self._table, *group), row_group_size=rows)
        self._pending_rows -= rows

    def finish(self) -> tuple[TablePart, pa.Buffer]:
        """Write what is left; what the file holds, and the file."""
        blocks = self._hasher.finish()
        if self._pending_rows:
            self._write_group(self._pending_rows)
        self._writer.close()
        data = self._sink.getvalue()
        sha256 = hashlib.sha256(data).hexdigest()
        return TablePart(self._hasher.rows, data.size, sha256, blocks), data


class PartWriter:
    """Writes the part of sets ``first <= set < stop``; a context manager.

    The files appear under their names, synced, one after another when the block ends without an
    exception. A part is there once all are; writing it again gives the same files. With ``log``
    "none" nothing is written and ``folder`` may be None.

    Raises RunError if columns do not fit the schema, rows are out of key order, sets are missing at
    the end, or the files cannot be written.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | Folder | None,
        first: int,
        stop: int,
        kind: str,
        log: str,
    ) -> None:
        self.tables = tables_of(kind, log)
        if first % BLOCK_SETS or stop <= first:
            raise RunError(
                f"a part of sets {first} to {stop - 1}: must begin at a multiple of {BLOCK_SETS} "
                "and hold at least one set"
            )
        if self.tables and folder is None:
            raise RunError(f'log "{log}" needs a folder to write to')
        self._folder = folder_of("." if folder is None else folder)
        self._first, self._stop = first, stop
        self._files = {name: _TableFile(TABLES[name], first, stop) for name in self.tables}
        self._summary: PartSummary | None = None

    def __enter__(self) -> PartWriter:
        return self

    def write(self, table: str, columns: Mapping[str, NDArray[Any]]) -> None:
        """Add rows: every column of ``table``'s files, word columns as places in their list.

        Arrays of the column's type are kept, not copied: leave them as they are. Rows of a table
        that this run does not log are dropped. A call costs about 0.1 ms, so thousands of rows at a
        time are best.
        """
        if table not in TABLES:
            raise RunError(f"no table {table!r}: must be one of {', '.join(TABLES)}")
        if table in self.tables:
            self._files[table].write(columns)

    @property
    def summary(self) -> PartSummary:
        """What was written, once the block has ended. Raises RunError before that."""
        if self._summary is None:
            raise RunError(f"the part of sets {self._first} to {self._stop - 1} is not finished")
        return self._summary

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            return
        finished = {name: file.finish() for name, file in self._files.items()}
        try:
            for name, (_, data) in finished.items():
                self._folder.put(self._files[name].name, data)
        except (OSError, pa.ArrowException) as failed:
            raise RunError(f"cannot write to {self._folder}: {one_line(failed)}") from failed
        tables = {name: part for name, (part, _) in finished.items()}
        self._summary = PartSummary(self._first, self._stop, tables)


# Reading


@contextlib.contextmanager
def _reading(place: str) -> Iterator[None]:
    """Turn whatever a broken file makes pyarrow raise into a RunError of one line."""
    try:
        yield
    except RunError as error:
        raise RunError(f"{place}: {error}") from error
    except FileNotFoundError as error:
        raise RunError(f"{place} is missing: resuming the run plays its part again") from error
    except (OSError, ValueError, ArithmeticError, LookupError, MemoryError, pa.ArrowException) as e:
        raise RunError(f"{place} cannot be read: {one_line(e)}") from e


@contextlib.contextmanager
def open_part(folder: Folder, table: Table, part: tuple[int, int]) -> Iterator[pq.ParquetFile]:
    """One table's file of the part (first set, one past its last), its pages' checksums to be
    verified.

    Raises RunError if it is missing, outside ``folder``, not Parquet, not of the table's schema, or
    begins with a set of another part: files may have been swapped.
    """
    name = part_name(table.name, part[0])
    with contextlib.ExitStack() as stack:
        with _reading(folder.show(name)):
            source = stack.enter_context(folder.open(name))
            words = [column.name for column in table.columns if column.words]
            try:
                file = pq.ParquetFile(
                    source, read_dictionary=words, page_checksum_verification=True
                )
            except KeyError as error:
                missing = error.args[0].decode()
                raise RunError(f"has no column {missing}: it is not of {table.name}") from error
            _check_schema(file, table)
            _check_first_set(file, table, *part)
        yield file


def _check_schema(file: pq.ParquetFile, table: Table) -> None:
    schema = file.schema_arrow
    for found, wanted in zip(schema, table.schema, strict=False):
        same_type = found.type == wanted.type or (
            pa.types.is_dictionary(found.type)
            and pa.types.is_dictionary(wanted.type)
            and found.type.value_type == wanted.type.value_type
        )
        if found.name != wanted.name or not same_type or found.nullable:
            raise RunError(
                f"has the column {printable(f'{found.name}, {found.type}')}: the schema says "
                f"{wanted.name}, {wanted.type}, not null"
            )
    if len(schema) != len(table.schema):
        raise RunError(f"has {len(schema)} columns: must be {len(table.schema)}")


def _check_first_set(file: pq.ParquetFile, table: Table, first: int, stop: int) -> None:
    if not file.metadata.num_rows:
        return
    # Not from the group's statistics: pyarrow aborts on some broken ones.
    row = next(file.iter_batches(1, row_groups=[0], columns=["set"], use_threads=False), None)
    if row is not None and not first <= (number := row.column(0)[0].as_py()) < stop:
        raise RunError(
            f"{table.name} begins with set {number} in the part of sets {first} to {stop - 1}"
        )


def row_groups(
    folder: Folder,
    table: Table,
    part: tuple[int, int],
    columns: Sequence[str] | None = None,
    set_number: int | None = None,
    where: _Wanted | None = None,
) -> Iterator[pa.Table]:
    """The row groups of one table's file of the part (first set, one past its last), words on
    their fixed lists.

    ``columns``: names of those wanted, derived ones too; by default those of the file. With
    ``set_number``, only those groups whose sets enclose it. With ``where``, only its rows: its
    columns are read first, and the others where it finds some. Raises RunError.
    """
    place = folder.show(part_name(table.name, part[0]))
    wanted = table.names if columns is None else columns
    with open_part(folder, table, part) as file:
        for group in range(file.metadata.num_row_groups):
            with _reading(place):
                if set_number is not None:
                    sets = file.read_row_group(group, columns=["set"]).column(0)
                    if not sets[0].as_py() <= set_number <= sets[-1].as_py():
                        continue
                if where is None:
                    data = _read_group(file, table, group, wanted)
                else:
                    seen = _read_group(file, table, group, where.columns)
                    rows = where.mask(seen)
                    if not rows.true_count:
                        continue
                    data = _with_the_rest(seen, rows, file, table, group, wanted)
            yield data


class _Wanted(Protocol):
    """Which rows are wanted: told by some columns, a row group at a time, in order."""

    @property
    def columns(self) -> list[str]: ...

    def mask(self, data: pa.Table) -> pa.BooleanArray: ...


def _read_group(file: pq.ParquetFile, table: Table, group: int, names: Sequence[str]) -> pa.Table:
    data = file.read_row_group(group, columns=stored_names(table, names))
    return with_derived(table, with_fixed_words(table, data), names)


def _with_the_rest(
    seen: pa.Table,
    rows: pa.BooleanArray,
    file: pq.ParquetFile,
    table: Table,
    group: int,
    names: Sequence[str],
) -> pa.Table:
    """The columns ``names`` of some rows of a row group of which ``seen`` was read."""
    stored = stored_names(table, names)
    rest = [name for name in stored if name not in seen.column_names]
    data = _read_group(file, table, group, rest) if rest else seen
    for name in stored:
        if name not in rest and rest:
            data = data.append_column(seen.schema.field(name), seen.column(name))
    return with_derived(table, data.select(stored).filter(rows), names)


def _nothing() -> None:
    pass


def read_table_part(
    folder: Folder, table: Table, first: int, stop: int, going: Callable[[], None] = _nothing
) -> TablePart:
    """Read one table's file of a part to its end and say what it holds.

    ``going`` is called many times a second, and may raise to break off. Raises RunError if the file
    cannot be read, or its rows are not those of the sets ``first`` to ``stop - 1``.
    """
    hasher = BlockHasher(table, first, stop)
    name = part_name(table.name, first)
    for data in row_groups(folder, table, (first, stop)):
        going()
        with _reading(folder.show(name)):
            hasher.update(to_columns(table, data))
    with _reading(folder.show(name)):
        blocks = hasher.finish()
        with folder.open(name) as file:
            digest = hashlib.sha256()
            while piece := file.read(1 << 20):
                going()
                digest.update(piece)
            return TablePart(hasher.rows, file.tell(), digest.hexdigest(), blocks)


def read_part(
    place: str | os.PathLike[str] | Folder,
    first: int,
    stop: int,
    tables: Sequence[str],
    going: Callable[[], None] = _nothing,
) -> PartSummary:
    """The summary of a part from its files, as its writer gave it; ``going`` as in
    :func:`read_table_part`. Raises RunError.
    """
    folder = folder_of(place)
    parts = {name: read_table_part(folder, TABLES[name], first, stop, going) for name in tables}
    return PartSummary(first, stop, parts)
