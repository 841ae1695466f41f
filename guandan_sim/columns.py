"""Columns of a table between NumPy and Arrow: exact types, no nulls, words on their fixed lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guandan_sim.errors import RunError
from guandan_sim.playcards import unpack_cards
from guandan_sim.schemas import Table

__all__ = [
    "Columns",
    "narrow_columns",
    "stored_names",
    "to_arrow",
    "to_columns",
    "to_numpy",
    "with_derived",
    "with_fixed_words",
]

Columns = dict[str, NDArray[Any]]
"""Arrays by column, in the table's order and types; word columns as places in their list."""


def narrow_columns(table: Table, columns: Mapping[str, NDArray[Any]]) -> Columns:
    """``columns`` in the table's order and exact types.

    An array that has its column's type and lies in one piece is taken as it is, every other copied.
    Raises RunError for a missing, extra, uneven or fractional column, and for a value outside its
    type or word list: it would otherwise wrap around without a sound.
    """
    if columns.keys() != set(table.names):
        wrong = sorted(columns.keys() ^ set(table.names))
        raise RunError(
            f"{table.name}: missing or unknown columns {wrong}: need {list(table.names)}"
        )
    narrow: Columns = {}
    rows = len(columns[table.names[0]])
    for column in table.columns:
        values = columns[column.name]
        where = f"{table.name}.{column.name}"
        if values.shape != (rows,) or values.dtype.kind not in "iub":
            raise RunError(
                f"{where} has shape {values.shape} and type {values.dtype}: "
                f"need {rows} integers, as many as {table.names[0]}"
            )
        if column.words:
            low, high = 0, len(column.words) - 1
        elif column.kind == "bool":
            low, high = 0, 1
        else:
            low, high = np.iinfo(column.kind).min, np.iinfo(column.kind).max
        if rows and (column.words or values.dtype != column.dtype):
            least, most = int(values.min()), int(values.max())
            if least < low or most > high:
                bad = least if least < low else most
                raise RunError(f"{where} holds {bad}: must be {low} to {high}")
        narrow[column.name] = np.ascontiguousarray(values, column.dtype)
    return narrow


def to_arrow(table: Table, *batches: Mapping[str, NDArray[Any]]) -> pa.Table:
    """An Arrow table from batches of columns of the table's types (word columns as places in their
    list; no other places), without a copy.
    """
    arrays = []
    for column in table.columns:
        chunks = [pa.array(batch[column.name]) for batch in batches]
        if column.words:
            chunks = [pa.DictionaryArray.from_arrays(chunk, column.arrow_words) for chunk in chunks]
        arrays.append(pa.chunked_array(chunks, column.arrow))
    return pa.Table.from_arrays(arrays, schema=table.schema)


def with_derived(table: Table, data: pa.Table, names: Sequence[str]) -> pa.Table:
    """The columns ``names`` of ``data``, those that are derived worked out from the others."""
    if any(column.name in names for column in table.derived):
        columns = to_columns(table, data)
        words = unpack_cards(*(columns[name] for name in table.source))
        for column, values in zip(table.derived, words, strict=True):
            data = data.append_column(column.field(column.name), pa.array(values))
    return data.select(names)


def stored_names(table: Table, names: Sequence[str]) -> list[str]:
    """The columns of the files that are needed for ``names``."""
    derived = any(column.name in names for column in table.derived)
    return [name for name in table.names if name in names or (derived and name in table.source)]


def to_columns(table: Table, data: pa.Table) -> Columns:
    """The inverse of :func:`to_arrow`, for the columns that ``data`` has."""
    columns: Columns = {}
    for column in table.by_name.values():
        if column.name in data.column_names:
            columns[column.name] = to_numpy(data.column(column.name).combine_chunks())
    return columns


def to_numpy(values: pa.Array) -> NDArray[Any]:
    """The values, or the places of words in their list."""
    plain = values.indices if pa.types.is_dictionary(values.type) else values
    array: NDArray[Any] = plain.to_numpy(zero_copy_only=False)
    return array


def with_fixed_words(table: Table, data: pa.Table) -> pa.Table:
    """``data`` with each word column on the whole fixed list, whatever dictionary its file had."""
    for place, field in enumerate(data.schema):
        column = table.columns[table.names.index(field.name)]
        if not column.words:
            continue
        fixed = column.arrow_words
        chunks = []
        for chunk in data.column(place).chunks:
            indices = chunk.indices.to_numpy()
            if not chunk.dictionary.equals(fixed):
                places = [
                    column.words.index(w) if w in column.words else -1
                    for w in chunk.dictionary.to_pylist()
                ]
                indices = np.array(places, np.int8)[indices]
                if (indices < 0).any():
                    raise RunError(
                        f"{table.name}.{column.name} holds a word that is not in its list"
                    )
            chunks.append(pa.DictionaryArray.from_arrays(indices.astype(np.int8), fixed))
        data = data.set_column(
            place, table.schema.field(column.name), pa.chunked_array(chunks, column.arrow)
        )
    return data
