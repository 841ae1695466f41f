"""Which rows of a table: filters as pyarrow and pandas take them, and what has to be read for them.

Rows are judged by their values alone. What a file's statistics say is never looked at: pyarrow ends
the process on some that are broken, and a run may come from a stranger.
"""

from __future__ import annotations

import difflib
import itertools
import numbers
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.fs as pafs
import pyarrow.parquet as pq
from pyarrow import acero

from .errors import RunError, one_line
from .schemas import Column

__all__ = [
    "Filter",
    "RowFilter",
    "columns_in",
    "computed",
    "empty_of",
    "no_column",
    "row_filter",
    "schema_of",
    "sets_between",
]

Filter: TypeAlias = pc.Expression | Sequence[Any]
"""A pyarrow expression, or tuples ``(column, operator, value)`` in a list, all of which must hold,
or a list of such lists, one of which must hold.
"""

_MISSING = re.compile(r"No match for FieldRef\.Name\((.*?)\) in ")
_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"')
_ORDERED = re.compile(r"([\w.]+) [<>]|[<>]=? ([\w.]+)")
_OPERATORS = ("==", "=", "!=", "<", "<=", ">", ">=", "in", "not in")
_MOST_NAMED = 16
_FORMS = 'must be a pyarrow expression or a list of filters such as ("shape", "==", "bomb")'
_MISMATCHES = (pa.ArrowNotImplementedError, pa.ArrowTypeError)
_ERRORS = (pa.ArrowException, LookupError, TypeError, ValueError, OverflowError)


def computed(data: pa.Table, expressions: Mapping[str, pc.Expression]) -> pa.Table:
    """The expressions by name, worked out for each row of ``data``. Raises RunError."""
    steps = [
        acero.Declaration("table_source", acero.TableSourceNodeOptions(data)),
        acero.Declaration(
            "project", acero.ProjectNodeOptions([*expressions.values()], [*expressions])
        ),
    ]
    try:
        return acero.Declaration.from_sequence(steps).to_table(use_threads=False)
    except _MISMATCHES as error:
        raise _MismatchError("cannot be worked out of these columns") from error
    except _ERRORS as error:
        raise RunError(f"cannot be worked out: {one_line(error)}") from error


class _MismatchError(RunError):
    """Values of types that do not go together."""


def columns_in(
    expression: pc.Expression, columns: Mapping[str, Column], table: str
) -> tuple[list[str], pa.DataType]:
    """Those of the columns by name that the expression is about, and the type of its values.

    Raises RunError, naming a column that ``table`` does not have.

    >>> from guandan_sim.schemas import TABLES
    >>> columns_in(pc.field("size") > 4, TABLES["plays"].by_name, "plays")
    (['size'], DataType(bool))
    """
    text = " ".join(str(expression).split())
    bare = _QUOTED.sub("", text)
    if "FieldPath(" in bare or "FieldRef.Nested(" in bare:
        raise RunError(f"{text} is not about columns by their names")
    for name in itertools.chain.from_iterable(_ORDERED.findall(bare)):
        if name in columns and columns[name].words:
            raise RunError(f"{text}: {table}.{name} holds words, which have no order: use isin")
    empty = schema_of(columns, columns).empty_table()
    try:
        kind = computed(empty, {"it": expression}).schema.field("it").type
    except RunError as error:
        if missing := _MISSING.search(str(error.__cause__)):
            raise no_column(table, missing[1], columns) from error
        if isinstance(error, _MismatchError):
            named = [name for name in columns if re.search(rf"(?<![\w.]){name}(?![\w.])", bare)]
            kinds = (
                f"{name} {'holds words' if columns[name].words else f'is {columns[name].kind}'}"
                for name in named
            )
            error = RunError(f"cannot be worked out: {', '.join(kinds)}")
        raise RunError(f"{text} {error}") from error
    found = []
    for name in columns:
        if name in text:
            try:
                computed(empty.drop_columns(name), {"it": expression})
            except RunError:
                found.append(name)
    return found, kind


def schema_of(columns: Mapping[str, Column], names: Iterable[str]) -> pa.Schema:
    """The Arrow schema of some of the columns by name."""
    return pa.schema([columns[name].field(name) for name in names])


def empty_of(columns: Mapping[str, Column], names: Iterable[str]) -> pa.Table:
    """No rows of some of the columns by name, words on their fixed lists."""
    schema = schema_of(columns, names)
    arrays = []
    for field in schema:
        values = pa.array([], field.type)
        if columns[field.name].words:
            words = columns[field.name].arrow_words
            values = pa.DictionaryArray.from_arrays(values.indices, words)
        arrays.append(values)
    return pa.Table.from_arrays(arrays, schema=schema)


def no_column(table: str, name: object, names: Iterable[str]) -> RunError:
    """The error for a column that a table lacks."""
    known = list(names)
    near = difflib.get_close_matches(str(name), known, 1)
    meant = f" ({near[0]}?)" if near else ""
    return RunError(f"{table} has no column {name!r}{meant}: only {_some(known, ' (SCHEMA.md)')}")


def _some(words: Sequence[str], where: str = "") -> str:
    """The words, or the first of them, how many more there are, and where these are listed."""
    more = len(words) - _MOST_NAMED
    listed = ", ".join(words[:_MOST_NAMED])
    return f"{listed} and {more} more{where}" if more > 0 else listed


@dataclass(frozen=True)
class RowFilter:
    """A filter of a table's rows, and the schema of the columns that it is about, at least one."""

    expression: pc.Expression
    schema: pa.Schema

    @property
    def columns(self) -> list[str]:
        """The names of the columns that it is about."""
        return list(self.schema.names)

    def mask(self, data: pa.Table) -> pa.BooleanArray:
        """Which rows of ``data``, which has the columns, are wanted. Raises RunError."""
        try:
            hits = computed(data, {"it": self.expression}).column("it")
        except RunError as error:
            raise RunError(f"where {error}") from error
        return pc.fill_null(hits.combine_chunks(), False)

    def parts(self, parts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """The parts, each (first, stop), that may have such rows by their sets.

        >>> from guandan_sim.schemas import TABLES
        >>> found = row_filter([("set", ">", 1500)], TABLES["deals"].by_name, "deals")
        >>> found.parts([(0, 1024), (1024, 2048), (2048, 3000)])
        [(1024, 2048), (2048, 3000)]
        """
        if "set" not in self.columns:
            return [*parts]
        # pyarrow rules files out by what it is told of them; these are never opened.
        system, form = pafs.LocalFileSystem(), ds.ParquetFileFormat()
        files = [
            form.make_fragment(str(place), system, partition_expression=sets_between(*part))
            for place, part in enumerate(parts)
        ]
        dataset = ds.FileSystemDataset(files, self.schema, form, system)
        try:
            return [parts[int(file.path)] for file in dataset.get_fragments(self.expression)]
        except _ERRORS:  # which is said of the rows, if there are any
            return [*parts]


def sets_between(first: int, stop: int) -> pc.Expression:
    """That a row's set is in a part."""
    return (pc.field("set") >= first) & (pc.field("set") < stop)


def row_filter(where: Filter, columns: Mapping[str, Column], table: str) -> RowFilter:
    """The filter of rows of ``table``, which has the columns by name.

    Raises RunError for what is no filter, a column that is not there, and a value that its column
    cannot be compared with.

    >>> from guandan_sim.schemas import TABLES
    >>> columns = TABLES["tributes"].by_name
    >>> row_filter([("card", "==", "HR"), ("giver", ">", 1)], columns, "tributes").columns
    ['giver', 'card']
    >>> row_filter([("card", "==", "HX")], columns, "tributes")
    Traceback (most recent call last):
    guandan_sim.errors.RunError: where: tributes.card is never 'HX': only '', 'S2', 'H2', ...
    """
    try:
        if not isinstance(where, pc.Expression):
            where = _expression(where, columns, table)
        found, kind = columns_in(where, columns, table)
        if kind != pa.bool_():
            raise RunError(f"{where} is {kind}: must be true or false for each row")
    except RunError as error:
        raise RunError(f"where: {error}") from error
    return RowFilter(where, schema_of(columns, found or ["set"]))


def _expression(where: object, columns: Mapping[str, Column], table: str) -> pc.Expression:
    """The expression of filters in tuples."""
    if not isinstance(where, list | tuple) or not where:
        raise RunError(f"{where!r} {_FORMS}")
    alternatives = where if all(isinstance(item, list) for item in where) else [where]
    for predicate in (predicate for some in alternatives for predicate in some):
        if not isinstance(predicate, tuple) or len(predicate) != 3:
            raise RunError(f"{predicate!r} {_FORMS}")
        name, operator, value = predicate
        if name not in columns:
            raise no_column(table, name, columns)
        if operator not in _OPERATORS:
            raise RunError(f"{predicate!r}: {operator!r} is none of {', '.join(_OPERATORS)}")
        if columns[name].words:
            _check_words(f"{table}.{name}", columns[name].words, operator, value)
        else:
            _check_numbers(f"{table}.{name}", operator, value)
    try:
        return pq.filters_to_expression(where)
    except _ERRORS as error:
        raise RunError(f"{where!r} {_FORMS}") from error


def _check_words(name: str, words: Sequence[str], operator: object, value: Any) -> None:
    if operator not in ("==", "=", "!=", "in", "not in"):
        raise RunError(f"{name} holds words, which have no order: use in, not {operator!r}")
    many = operator in ("in", "not in")
    if many != isinstance(value, list | tuple | set | frozenset):
        raise RunError(
            f"{name} {operator} {value!r}: must be {'a list of words' if many else 'a word'}"
        )
    for word in value if many else [value]:
        if word not in words:
            raise RunError(f"{name} is never {word!r}: only {_some([*map(repr, words)])}")


def _check_numbers(name: str, operator: object, value: Any) -> None:
    many = operator in ("in", "not in")
    if many and not isinstance(value, list | tuple | set | frozenset | range | np.ndarray):
        raise RunError(f"{name} {operator} {value!r}: must be a list of numbers")
    for number in value if many else [value]:
        if not isinstance(number, numbers.Real | np.bool_):
            raise RunError(
                f"{name} {operator} {value!r}: must be {'numbers' if many else 'a number'}"
            )
