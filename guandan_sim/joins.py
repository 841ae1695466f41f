"""Rows of a part in key order, with columns of the rows above them: a play's deal, a deal's match.

Columns of a table above go by its name and a dot, as in ``deals.level``. Tables are walked side by
side, a row group at a time, so that memory does not grow with the part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .errors import RunError
from .filters import Filter, RowFilter, empty_of, row_filter
from .folders import Folder
from .parts import part_name, row_groups
from .schemas import TABLES, Column

__all__ = ["Above", "Rows", "columns_of", "rows_of"]

_ABOVE = {"plays": ("deals", "matches"), "tributes": ("deals", "matches"), "deals": ("matches",)}
_BITS = {"arm": 8, "deal": 16}
_MOST_SETS = 1 << 38


def columns_of(table: str, tables: Sequence[str]) -> dict[str, Column]:
    """Every column that can be asked of ``table`` in a run with ``tables``, by name."""
    columns = {**TABLES[table].by_name}
    for above in _ABOVE.get(table, ()):
        if above in tables:
            own = TABLES[above]
            columns |= {f"{above}.{n}": c for n, c in own.by_name.items() if n not in own.key}
    return columns


@dataclass(frozen=True)
class Rows:
    """What is asked of a table: columns, and the rows if not all."""

    table: str
    columns: tuple[str, ...]
    where: RowFilter | None = None

    @classmethod
    def of(
        cls, table: str, tables: Sequence[str], columns: Sequence[str], where: Filter | None
    ) -> Rows:
        """With a filter as it is given. Raises RunError if it is none."""
        all_rows = where is None or (isinstance(where, list | tuple) and not where)
        found = None if all_rows else row_filter(where, columns_of(table, tables), table)
        return cls(table, tuple(columns), found)

    def parts(self, parts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """The parts that may have such rows."""
        return [*parts] if self.where is None else self.where.parts(parts)


def rows_of(folder: Folder, rows: Rows, part: tuple[int, int]) -> Iterator[pa.Table]:
    """Such rows of the part (first set, one past its last), a row group at a time, in key order.

    Raises RunError for files that cannot be read, or whose rows do not fit together.
    """
    table = TABLES[rows.table]
    asked = [*rows.columns, *(rows.where.columns if rows.where else ())]
    beside = _Beside(folder, rows.table, part, [name for name in asked if "." in name])
    own = [name for name in rows.columns if "." not in name]
    read = dict.fromkeys([*(beside.key if len(own) < len(rows.columns) else ()), *own])
    where = None if rows.where is None else _JoinedFilter(rows.where, beside)
    for data in row_groups(folder, table, part, [*read], where=where):
        yield (beside.join(data) if len(own) < len(rows.columns) else data).select(rows.columns)


class Above:
    """The rows of a table above, found by their key for rows of ``table`` that come in order."""

    def __init__(
        self,
        folder: Folder,
        above: str,
        table: str,
        part: tuple[int, int],
        columns: Sequence[str] = (),
    ) -> None:
        self.key = TABLES[above].key
        self._names = (above, table)
        self._first = part[0]
        self._place = folder.show(part_name(table, part[0]))
        self._groups = row_groups(folder, TABLES[above], part, [*self.key, *columns])
        self._held = empty_of(TABLES[above].by_name, [*self.key, *columns])
        self._keys = np.zeros(0, np.int64)
        self._dropped = 0

    def places(self, data: pa.Table) -> NDArray[np.int64]:
        """For each row the place in its part, from 0, of the row above. ``data`` has the key.

        Raises RunError if there is none, or rows are out of order.
        """
        keys = self._keys_of(data)
        self._in_order(keys, 0, self._names[1])
        while keys.size:
            self._drop(int(np.searchsorted(self._keys, keys[0])))
            if (self._keys.size and self._keys[-1] >= keys[-1]) or not self._grow():
                break
        places = np.searchsorted(self._keys, keys)
        found = places < self._keys.size
        found[found] = self._keys[places[found]] == keys[found]
        if not found.all():
            row = data.slice(int(np.argmin(found)), 1).select(self.key).to_pylist()[0]
            raise RunError(
                f"{self._place}: {', '.join(f'{name} {value}' for name, value in row.items())} "
                f"has no row in {self._names[0]}"
            )
        return places + self._dropped

    def rows(self, places: NDArray[np.int64]) -> pa.Table:
        """The rows of the table above in these places, as :meth:`places` just gave them."""
        return self._held.take(pa.array(places - self._dropped))

    def _grow(self) -> bool:
        data = next(self._groups, None)
        if data is None:
            return False
        self._keys = np.concatenate([self._keys, self._keys_of(data)])
        self._in_order(self._keys, 1, self._names[0])
        self._held = pa.concat_tables([self._held, data]).combine_chunks()
        return True

    def _drop(self, rows: int) -> None:
        self._held, self._keys = self._held.slice(rows), self._keys[rows:]
        self._dropped += rows

    def _keys_of(self, data: pa.Table) -> NDArray[np.int64]:
        """The key of each row in one number, which grows as the key does."""
        sets = data.column("set").to_numpy()
        if sets.size and not self._first <= sets.min() <= sets.max() < self._first + _MOST_SETS:
            raise RunError(
                f"{self._place}: sets {sets.min()} to {sets.max()} in the part that begins at "
                f"{self._first}"
            )
        keys: NDArray[np.int64] = sets - self._first
        for name in self.key[1:]:
            keys = keys << _BITS[name] | data.column(name).to_numpy().astype(np.int64)
        return keys

    def _in_order(self, keys: NDArray[np.int64], step: int, table: str) -> None:
        if (np.diff(keys) < step).any():
            raise RunError(f"{self._place}: the rows of {table} are out of order")


class _Beside:
    """Columns of the tables above, put beside rows that come in order."""

    def __init__(
        self, folder: Folder, table: str, part: tuple[int, int], names: Sequence[str]
    ) -> None:
        columns: dict[str, list[str]] = {}
        for name in dict.fromkeys(names):
            above, _, column = name.partition(".")
            columns.setdefault(above, []).append(column)
        self._columns = columns
        self._tables = {
            above: Above(folder, above, table, part, asked) for above, asked in columns.items()
        }
        keys = [above.key for above in self._tables.values()]
        self.key: tuple[str, ...] = max(keys, key=len, default=())

    def join(self, data: pa.Table) -> pa.Table:
        """``data``, which has the key, with the columns. Raises RunError."""
        for name, above in self._tables.items():
            rows = above.rows(above.places(data))
            for column in self._columns[name]:
                field = rows.schema.field(column).with_name(f"{name}.{column}")
                data = data.append_column(field, rows.column(column))
        return data


class _JoinedFilter:
    """A filter that may be about columns of tables above."""

    def __init__(self, where: RowFilter, beside: _Beside) -> None:
        self._where, self._beside = where, beside
        own = [name for name in where.columns if "." not in name]
        self._joins = len(own) < len(where.columns)
        self.columns = list(dict.fromkeys([*(beside.key if self._joins else ()), *own]))

    def mask(self, data: pa.Table) -> pa.BooleanArray:
        return self._where.mask(self._beside.join(data) if self._joins else data)
