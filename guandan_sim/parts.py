"""Parts of a run: columns to Parquet files and back.

A part is one Parquet file a table for the sets ``first <= set < stop``. Nothing here is shared
between threads: each worker writes its own part and hands back a small :class:`PartSummary`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from guandan_sim.columns import (
    Columns,
    narrow_columns,
    to_arrow,
    to_columns,
    with_fixed_words,
)
from guandan_sim.errors import RunError
from guandan_sim.hashing import BlockHasher, PartSummary, TablePart
from guandan_sim.schemas import BLOCK_SETS, TABLES, Table, tables_of

__all__ = [
    "GROUP_ROWS",
    "PartWriter",
    "open_part",
    "part_path",
    "read_part",
    "read_table_part",
    "row_groups",
    "sync_folder",
]

GROUP_ROWS = 131_072
"""Rows of a row group; only a part's last one may have fewer."""


def part_path(run_dir: Path, table: str, first: int) -> Path:
    """The file of ``table`` in the part that begins at set ``first``."""
    return run_dir / table / f"part-{first:012d}.parquet"


def sync_folder(folder: Path) -> None:
    """Make renames in ``folder`` last through a power cut, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _reason(error: BaseException) -> str:
    """The error in one line."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).splitlines()[0]


# Writing


class _TableFile:
    """One table of a part while it is written, under a temporary name in its own folder."""

    def __init__(self, run_dir: Path, table: Table, first: int, stop: int) -> None:
        self.path = part_path(run_dir, table.name, first)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._temporary = self.path.with_name(
            f".{self.path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp"
        )
        self._table = table
        self._hasher = BlockHasher(table, first, stop)
        self._pending: list[Columns] = []
        self._pending_rows = 0
        # Keys compress well as they are and hands as dealt hardly repeat: dictionaries only cost.
        plain = (*table.key, *(name for name in table.names if name.startswith("hand")))
        coded = [name for name in table.names if name not in plain]
        self._writer = pq.ParquetWriter(
            self._temporary,
            table.schema,
            compression="zstd",
            use_dictionary=coded,
            column_encoding={"set": "DELTA_BINARY_PACKED"},
            write_statistics=["set"],
            write_page_checksum=True,
        )

    def write(self, columns: Mapping[str, NDArray[Any]]) -> None:
        narrow = narrow_columns(self._table, columns)
        self._hasher.update(narrow)
        self._pending.append(narrow)
        self._pending_rows += len(narrow["set"])
        if self._pending_rows >= GROUP_ROWS:
            self._write_groups(self._pending_rows // GROUP_ROWS * GROUP_ROWS)

    def _write_groups(self, rows: int) -> None:
        """Write the first ``rows`` pending. Equal groups make equal files, however fed."""
        joined = {
            name: np.concatenate([batch[name] for batch in self._pending])
            for name in self._table.names
        }
        head = {name: values[:rows] for name, values in joined.items()}
        self._writer.write_table(to_arrow(self._table, head), row_group_size=GROUP_ROWS)
        self._pending = [{name: values[rows:] for name, values in joined.items()}]
        self._pending_rows -= rows

    def finish(self) -> TablePart:
        """Write what is left and sync the temporary file; it is still under its temporary name."""
        blocks = self._hasher.finish()
        if self._pending_rows:
            self._write_groups(self._pending_rows)
        self._writer.close()
        with open(self._temporary, "rb+") as file:
            os.fsync(file.fileno())
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            return TablePart(self._hasher.rows, file.tell(), sha256, blocks)

    def place(self) -> None:
        os.replace(self._temporary, self.path)

    def discard(self) -> None:
        with contextlib.suppress(Exception):
            self._writer.close()
        with contextlib.suppress(OSError):
            self._temporary.unlink(missing_ok=True)


class PartWriter:
    """Writes the part of sets ``first <= set < stop``; a context manager.

    The files appear under their names, synced, when the block ends without an exception; after an
    exception nothing of the part is left. Writing a part again gives the same files. With ``log``
    "none" nothing is written and ``run_dir`` may be None.

    Raises RunError if columns do not fit the schema, rows are out of key order, sets are missing at
    the end, or the files cannot be written.
    """

    def __init__(
        self, run_dir: str | os.PathLike[str] | None, first: int, stop: int, kind: str, log: str
    ) -> None:
        self.tables = tables_of(kind, log)
        if first % BLOCK_SETS or stop <= first:
            raise RunError(
                f"a part of sets {first} to {stop - 1}: must begin at a multiple of {BLOCK_SETS} "
                "and hold at least one set"
            )
        if self.tables and run_dir is None:
            raise RunError(f'log "{log}" needs a folder to write to')
        self._run_dir = Path(run_dir or ".")
        self._first, self._stop = first, stop
        self._files: dict[str, _TableFile] = {}
        self._placed: list[Path] = []
        self._summary: PartSummary | None = None

    def __enter__(self) -> PartWriter:
        try:
            for name in self.tables:
                self._files[name] = _TableFile(self._run_dir, TABLES[name], self._first, self._stop)
        except (OSError, pa.ArrowException) as error:
            self._discard()
            raise self._failure(error) from error
        except BaseException:
            self._discard()
            raise
        return self

    def write(self, table: str, columns: Mapping[str, NDArray[Any]]) -> None:
        """Add rows: every column of ``table``, word columns as places in their list.

        The rows are copied. Rows of a table that this run does not log are dropped. A call costs
        about 0.1 ms, so thousands of rows at a time are best.
        """
        if table not in TABLES:
            raise RunError(f"no table {table!r}: must be one of {', '.join(TABLES)}")
        if table in self.tables:
            try:
                self._files[table].write(columns)
            except (OSError, pa.ArrowException) as error:
                raise self._failure(error) from error

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
            self._discard()
            return
        try:
            self._finish()
        except (OSError, pa.ArrowException) as failed:
            self._discard()
            raise self._failure(failed) from failed
        except BaseException:
            self._discard()
            raise

    def _finish(self) -> None:
        tables = {name: file.finish() for name, file in self._files.items()}
        for file in self._files.values():
            self._placed.append(file.path)
            file.place()
            sync_folder(file.path.parent)
        if self._files:
            sync_folder(self._run_dir)
        self._summary = PartSummary(self._first, self._stop, tables)

    def _discard(self) -> None:
        for file in self._files.values():
            file.discard()
        for path in self._placed:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)

    def _failure(self, error: BaseException) -> RunError:
        return RunError(f"cannot write to {self._run_dir}: {_reason(error)}")


# Reading


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn whatever a broken file makes pyarrow raise into a RunError of one line."""
    try:
        yield
    except RunError as error:
        raise RunError(f"{path}: {error}") from error
    except FileNotFoundError as error:
        raise RunError(f"{path} is missing: `--resume` plays its part again") from error
    except (OSError, ValueError, ArithmeticError, LookupError, MemoryError, pa.ArrowException) as e:
        raise RunError(f"{path} cannot be read: {_reason(e)}") from e


def open_part(run_dir: Path, table: Table, first: int) -> pq.ParquetFile:
    """Open one table's file of a part, its pages' checksums to be verified.

    Raises RunError if it is missing, outside ``run_dir``, not Parquet, or not of the table's
    schema.
    """
    path = part_path(run_dir, table.name, first)
    with _reading(path):
        if not path.resolve().is_relative_to(run_dir.resolve()):
            raise RunError("leads outside the run")
        words = [column.name for column in table.columns if column.words]
        file = pq.ParquetFile(path, read_dictionary=words, page_checksum_verification=True)
        for found, wanted in zip(file.schema_arrow, table.schema, strict=False):
            same_type = found.type == wanted.type or (
                pa.types.is_dictionary(found.type)
                and pa.types.is_dictionary(wanted.type)
                and found.type.value_type == wanted.type.value_type
            )
            if found.name != wanted.name or not same_type or found.nullable:
                raise RunError(
                    f"has the column {found.name}, {found.type}: the schema says {wanted.name}, "
                    f"{wanted.type}, not null"
                )
        if len(file.schema_arrow) != len(table.schema):
            raise RunError(f"has {len(file.schema_arrow)} columns: must be {len(table.schema)}")
        return file


def row_groups(
    run_dir: Path,
    table: Table,
    first: int,
    columns: Sequence[str] | None = None,
    set_number: int | None = None,
) -> Iterator[pa.Table]:
    """The row groups of one table's file of a part, words on their fixed lists.

    With ``set_number``, only those groups whose sets enclose it. Raises RunError.
    """
    path = part_path(run_dir, table.name, first)
    file = open_part(run_dir, table, first)
    with file:
        for group in range(file.metadata.num_row_groups):
            with _reading(path):
                if set_number is not None:
                    # Not from the group's statistics: pyarrow aborts on some broken ones.
                    sets = file.read_row_group(group, columns=["set"]).column(0)
                    if not sets[0].as_py() <= set_number <= sets[-1].as_py():
                        continue
                data = file.read_row_group(group, columns=None if columns is None else [*columns])
                data = with_fixed_words(table, data)
            yield data


def read_table_part(run_dir: Path, table: Table, first: int, stop: int) -> TablePart:
    """Read one table's file of a part to its end and say what it holds.

    Raises RunError if it cannot be read, or its rows are not those of the sets ``first`` to ``stop
    - 1``.
    """
    hasher = BlockHasher(table, first, stop)
    path = part_path(run_dir, table.name, first)
    groups = row_groups(run_dir, table, first)
    for data in groups:
        with _reading(path):
            hasher.update(to_columns(table, data))
    with _reading(path):
        blocks = hasher.finish()
        with open(path, "rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            return TablePart(hasher.rows, file.tell(), sha256, blocks)


def read_part(run_dir: Path, first: int, stop: int, tables: Sequence[str]) -> PartSummary:
    """The summary of a part from its files, as its writer gave it. Raises RunError."""
    parts = {name: read_table_part(run_dir, TABLES[name], first, stop) for name in tables}
    return PartSummary(first, stop, parts)
