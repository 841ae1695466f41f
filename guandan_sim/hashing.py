"""The content hash of a run: digests of blocks of sets, the same whatever wrote the files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from guandan_sim.errors import RunError
from guandan_sim.schemas import BLOCK_SETS, Table

if TYPE_CHECKING:
    from guandan_sim.columns import Columns

__all__ = ["BlockHasher", "PartSummary", "TablePart", "content_hash"]


@dataclass(frozen=True)
class TablePart:
    """One table's file of a part: ``size`` is in bytes, ``blocks`` are its blocks' digests."""

    rows: int
    size: int
    sha256: str
    blocks: tuple[bytes, ...]


@dataclass(frozen=True)
class PartSummary:
    """What a finished part holds, in a few kilobytes. ``tables`` is empty with log "none"."""

    first: int
    stop: int
    tables: dict[str, TablePart]


class BlockHasher:
    """Digests of one table's aligned blocks of 1,024 sets, from batches of any size.

    A digest is the SHA-256 of the block's columns in schema order, each packed little-endian, so a
    block's rows are kept until the block is full. Also checks that the rows come in key order.
    """

    def __init__(self, table: Table, first: int, stop: int) -> None:
        self.rows = 0
        self._table = table
        self._first, self._stop = first, stop
        self._sets = 0
        self._block = first // BLOCK_SETS
        self._pending: list[Columns] = []
        self._digests: list[bytes] = []
        self._last_key = self._last_set = -1

    def update(self, columns: Columns) -> None:
        """Take the next rows, in the table's exact types. Raises RunError if out of order."""
        sets = columns["set"]
        if not sets.size:
            return
        self._check_keys(columns)
        done = 0
        while done < sets.size:
            end = int(np.searchsorted(sets, (self._block + 1) * BLOCK_SETS))
            if end > done:
                self._pending.append({name: values[done:end] for name, values in columns.items()})
            if end < sets.size:
                self._close_block()
            done = end
        self.rows += sets.size

    def finish(self) -> tuple[bytes, ...]:
        """Digests of all blocks, those without rows too. Raises RunError if sets are missing."""
        if self._table.every_set and self._sets != self._stop - self._first:
            raise RunError(
                f"{self._table.name}: {self._sets} sets in the part of sets {self._first} to "
                f"{self._stop - 1}: must be {self._stop - self._first}"
            )
        while self._block * BLOCK_SETS < self._stop:
            self._close_block()
        return tuple(self._digests)

    def _close_block(self) -> None:
        digest = hashlib.sha256()
        for column in self._table.columns:
            for batch in self._pending:
                values = batch[column.name]
                digest.update(np.ascontiguousarray(values, values.dtype.newbyteorder("<")).data)
        self._digests.append(digest.digest())
        self._pending.clear()
        self._block += 1

    def _check_keys(self, columns: Columns) -> None:
        sets = columns["set"]
        if sets.min() < self._first or sets.max() >= self._stop:
            raise RunError(
                f"{self._table.name}: sets {sets.min()} to {sets.max()} in the part of sets "
                f"{self._first} to {self._stop - 1}"
            )
        # A part has fewer than 2^31 sets, and the rest of a key 32 bits.
        keys = sets - self._first
        new_sets = np.count_nonzero(sets[1:] != sets[:-1])
        for name in self._table.key[1:]:
            keys <<= 8 * columns[name].itemsize
            keys |= columns[name]
        if keys[0] <= self._last_key or (keys[1:] <= keys[:-1]).any():
            row = int(np.argmax(np.diff(keys, prepend=self._last_key) <= 0))
            key = ", ".join(f"{name} {columns[name][row]}" for name in self._table.key)
            raise RunError(
                f"{self._table.name}: row {self.rows + row} of the part ({key}) is out of order: "
                f"rows must rise by {', '.join(self._table.key)}"
            )
        self._sets += int(new_sets) + (sets[0] != self._last_set)
        self._last_key, self._last_set = int(keys[-1]), int(sets[-1])


def content_hash(parts: Iterable[PartSummary]) -> dict[str, str]:
    """The content hash of each table, in hexadecimal: a SHA-256 over its blocks' digests."""
    hashes: dict[str, Any] = {}
    for part in sorted(parts, key=lambda part: part.first):
        for name, table_part in part.tables.items():
            hashes.setdefault(name, hashlib.sha256()).update(b"".join(table_part.blocks))
    return {name: digest.hexdigest() for name, digest in hashes.items()}
