"""Counts, sums and means over a run of any size: row group by row group, then put together."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .errors import RunError
from .filters import Filter, columns_in, computed, empty_of, no_column
from .joins import Above, Rows, columns_of, rows_of
from .schemas import TABLES, Column

if TYPE_CHECKING:
    import pandas as pd

    from .runs import Run

__all__ = ["FUNCTIONS", "Keys", "Term", "Values", "aggregate", "per_deal"]

FUNCTIONS = ("sum", "mean", "min", "max")
"""What can be made of the values of a column, besides "count", which is of rows."""

Term: TypeAlias = str | pc.Expression
"""A column by its name, or a pyarrow expression over columns."""
Values: TypeAlias = Mapping[str, str | tuple[Term, str]]
"""By the name of the result: "count", or a term and one of :data:`FUNCTIONS`."""
Keys: TypeAlias = str | Sequence[str] | Mapping[str, Term]
"""Columns to group by, or terms by the name of the result."""

_COMPACT_ROWS = 1 << 17
_EXAMPLE = '{"plays": "count", "cards": ("size", "mean")}'


def aggregate(
    run: Run, table: str, values: Values, by: Keys = (), where: Filter | None = None
) -> pd.DataFrame:
    """See :meth:`guandan_sim.runs.Run.aggregate`."""
    columns = columns_of(table, run.tables)
    keys = _keys(by, columns, table)
    plan = _Plan.of(values, columns, table, keys)
    needed = list(dict.fromkeys([n for key in keys.values() for n in key.columns] + plan.columns))
    rows = Rows.of(table, run.tables, needed or ["set"], where)
    groups = (data for part in rows.parts(run.parts) for data in rows_of(run.folder, rows, part))
    totals = _Totals(plan)
    for data in itertools.chain([empty_of(columns, rows.columns)], groups):
        totals.add(data, _grouped(data, [*keys.values()]))
    if not keys:
        return _frame(totals.of_places(1))
    found = totals.combined()
    found = found.sort_by([(name, "ascending") for name in found.column_names[: len(keys)]])
    result = {name: key.worded(found.column(at)) for at, (name, key) in enumerate(keys.items())}
    return _frame(pa.table(result | plan.results(found)))


def _frame(data: pa.Table) -> pd.DataFrame:
    frame: pd.DataFrame = data.to_pandas()
    return frame


def per_deal(
    run: Run,
    values: Values,
    table: str = "plays",
    columns: Sequence[str] = (),
    where: Filter | None = None,
) -> Iterator[pa.RecordBatch]:
    """See :meth:`guandan_sim.runs.Run.per_deal`. ``columns`` are there."""
    key = TABLES["deals"].key
    deals = Rows("deals", tuple(dict.fromkeys([*key, *columns])))
    below = columns_of(table, run.tables)
    plan = _Plan.of(values, below, table, deals.columns)
    rows = Rows.of(table, run.tables, list(dict.fromkeys([*key, *plan.columns])), where)
    empty = empty_of(below, rows.columns)
    kept = set(rows.parts(run.parts))
    # The errors above are raised at once, not when the first batch is asked for.
    return (
        batch
        for part in run.parts
        for batch in _of_part(run, plan, deals, rows, empty, part, part in kept)
    )


def _of_part(
    run: Run,
    plan: _Plan,
    deals: Rows,
    rows: Rows,
    empty: pa.Table,
    part: tuple[int, int],
    any_rows: bool,
) -> Iterator[pa.RecordBatch]:
    above = Above(run.folder, "deals", rows.table, part)
    groups = rows_of(run.folder, rows, part) if any_rows else iter(())
    data, places = empty, np.zeros(0, np.int64)
    start = 0
    for heads in rows_of(run.folder, deals, part):
        totals = _Totals(plan)
        stop = start + heads.num_rows
        while True:
            cut = int(np.searchsorted(places, stop))
            totals.add(data.slice(0, cut), {"k0": pa.array(places[:cut] - start)})
            data, places = data.slice(cut), places[cut:]
            if data.num_rows or (following := next(groups, None)) is None:
                break
            data, places = following, above.places(following)
        found = totals.of_places(heads.num_rows)
        for name in found.column_names:
            heads = heads.append_column(name, found.column(name))
        yield from heads.combine_chunks().to_batches()
        start = stop


@dataclass(frozen=True)
class _Computed:
    """A term: the columns that it needs, and the type of its values."""

    expression: pc.Expression
    columns: tuple[str, ...]
    type: pa.DataType
    words: tuple[str, ...] = ()

    @classmethod
    def of(cls, term: object, columns: Mapping[str, Column], table: str) -> _Computed:
        if isinstance(term, str):
            if term not in columns:
                raise no_column(table, term, columns)
            column = columns[term]
            return cls(pc.field(term), (term,), column.arrow, column.words)
        if not isinstance(term, pc.Expression):
            raise RunError(f"{term!r}: must be a column or a pyarrow expression")
        found, kind = columns_in(term, columns, table)
        return cls(term, tuple(found), kind)

    def worded(self, keys: pa.ChunkedArray) -> pa.ChunkedArray:
        """Keys with words in the place of their numbers."""
        if not self.words:
            return keys
        places = keys.combine_chunks().cast(pa.int8())
        return pa.DictionaryArray.from_arrays(places, pa.array(self.words, pa.string()))


def _keys(by: object, columns: Mapping[str, Column], table: str) -> dict[str, _Computed]:
    """What to group by, by the name of the result."""
    if isinstance(by, str):
        by = [by]
    if isinstance(by, list | tuple):
        by = {name: name for name in by}
    if not isinstance(by, Mapping):
        raise RunError(f"by is {by!r}: must be columns of {table}, or terms by name")
    keys = {name: _Computed.of(term, columns, table) for name, term in by.items()}
    for name, key in keys.items():
        kind = key.type.value_type if pa.types.is_dictionary(key.type) else key.type
        if not (_is_number(kind) or pa.types.is_string(kind)):
            raise RunError(f"by {name}: cannot group by {kind}")
    return keys


def _grouped(data: pa.Table, keys: Sequence[_Computed]) -> dict[str, pa.ChunkedArray]:
    """The keys of each row, words by their places in their list; all alike where there are none."""
    if not keys:
        return {"k0": pa.array(np.zeros(data.num_rows, np.int64))}
    grouped = computed(data, {f"k{at}": key.expression for at, key in enumerate(keys)})
    for at, key in enumerate(keys):
        if pa.types.is_dictionary(key.type):
            values = grouped.column(at).combine_chunks()
            plain = values.indices if key.words else values.cast(key.type.value_type)
            grouped = grouped.set_column(at, f"k{at}", plain)
    return {name: grouped.column(name) for name in grouped.column_names}


def _is_number(kind: pa.DataType) -> bool:
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)
    return any(test(kind) for test in tests)


@dataclass(frozen=True)
class _Plan:
    """What is asked for, by name ("count", or a function and the number of its term), and terms."""

    asked: dict[str, tuple[str, int]]
    terms: tuple[_Computed, ...]

    @classmethod
    def of(
        cls, values: object, columns: Mapping[str, Column], table: str, taken: Collection[str]
    ) -> _Plan:
        """Raises RunError for what cannot be worked out, or a name that is ``taken``."""
        if not isinstance(values, Mapping) or not values:
            raise RunError(f"values is {values!r}: must be functions by name, such as {_EXAMPLE}")
        asked: dict[str, tuple[str, int]] = {}
        terms: list[_Computed] = []
        for name, value in values.items():
            if not isinstance(name, str) or name in taken:
                raise RunError(f"values has the name {name!r}: must be one that is not taken")
            if isinstance(value, str) and value == "count":
                asked[name] = ("count", -1)
                continue
            if not isinstance(value, tuple) or len(value) != 2 or value[1] not in FUNCTIONS:
                raise RunError(
                    f'{name} is {value!r}: must be "count", or a column or expression and one of '
                    f"{', '.join(FUNCTIONS)}, such as {_EXAMPLE}"
                )
            term = _Computed.of(value[0], columns, table)
            if not _is_number(term.type):
                kind = "words" if pa.types.is_dictionary(term.type) else term.type
                raise RunError(f"{name}: there is no {value[1]} of {kind}: only of numbers")
            asked[name] = (value[1], len(terms))
            terms.append(term)
        return cls(asked, tuple(terms))

    @property
    def columns(self) -> list[str]:
        """The columns that the terms need."""
        return [name for term in self.terms for name in term.columns]

    def steps(self) -> list[tuple[str, str]]:
        """What is kept of each group: (column of :meth:`inputs`, function)."""
        steps = [("one", "sum")]
        for function, at in self.asked.values():
            if function in ("min", "max"):
                steps.append((f"v{at}", function))
            elif function != "count":
                steps += [(f"v{at}", "sum"), (f"f{at}", "sum"), (f"v{at}", "count")]
        return steps

    def inputs(self, data: pa.Table) -> dict[str, pa.Array]:
        """The values of each row: of term i as ``vi``, and as a float ``fi``."""
        one = pa.array(np.ones(data.num_rows, np.int64))
        if not self.terms:
            return {"one": one}
        expressions = {f"v{at}": term.expression for at, term in enumerate(self.terms)}
        for function, at in self.asked.values():
            if function in ("sum", "mean"):
                expressions[f"f{at}"] = self.terms[at].expression.cast(pa.float64(), safe=False)
        values = computed(data, expressions)
        return {"one": one} | {name: values.column(name) for name in values.column_names}

    def results(self, kept: pa.Table) -> dict[str, pa.ChunkedArray]:
        """The results by name, of a table of what was kept of each group."""
        results = {}
        for name, (function, at) in self.asked.items():
            if function == "count":
                results[name] = kept.column("one_sum").fill_null(0)
            elif function in ("min", "max"):
                results[name] = kept.column(f"v{at}_{function}")
            else:
                total = self._total(name, kept, at)
                if function == "mean":
                    counts = kept.column(f"v{at}_count").cast(pa.float64())
                    total = pc.divide(total.cast(pa.float64(), safe=False), counts)
                results[name] = total if function == "mean" else total.fill_null(0)
        return results

    def _total(self, name: str, kept: pa.Table, at: int) -> pa.ChunkedArray:
        """The sums, as int64 or float64. Raises RunError if they wrapped around."""
        if pa.types.is_floating(self.terms[at].type):
            return kept.column(f"f{at}_sum")
        most = pc.max(pc.abs(kept.column(f"f{at}_sum"))).as_py()
        if most is not None and most >= 2.0**63:
            raise RunError(f"{name}: the sum is beyond 64 bits")
        return kept.column(f"v{at}_sum").cast(pa.int64())


class _Totals:
    """What is kept of each group so far. Memory goes with the groups, not with the rows."""

    def __init__(self, plan: _Plan) -> None:
        self._plan = plan
        self._steps = list(dict.fromkeys(plan.steps()))
        self._pending: list[pa.Table] = []
        self._rows = 0
        self._most = _COMPACT_ROWS

    def add(self, data: pa.Table, keys: Mapping[str, pa.Array]) -> None:
        """Add rows, with the keys of each: k0, k1, ... Raises RunError."""
        self._keys = [*keys]
        table = pa.table(dict(keys) | self._plan.inputs(data))
        found = table.group_by(self._keys, use_threads=False).aggregate(self._steps)
        self._pending.append(found)
        self._rows += found.num_rows
        if self._rows > self._most:
            self._most = 2 * self.combined().num_rows + _COMPACT_ROWS

    def combined(self) -> pa.Table:
        """What is kept, a row a group: the keys, and ``column_function`` for each step."""
        table = pa.concat_tables(self._pending)
        if len(self._pending) > 1:
            names = [f"{column}_{function}" for column, function in self._steps]
            again = [
                (name, "sum" if function == "count" else function)
                for name, (_, function) in zip(names, self._steps, strict=True)
            ]
            found = table.group_by(self._keys, use_threads=False).aggregate(again)
            kept = [*self._keys, *(f"{name}_{function}" for name, function in again)]
            table = found.select(kept).rename_columns([*self._keys, *names])
            self._pending, self._rows = [table], table.num_rows
        return table

    def of_places(self, count: int) -> pa.Table:
        """The results, where the one key is a place from 0 to ``count - 1``: a row a place."""
        kept = self.combined()
        rows = np.full(count, -1)
        rows[kept.column("k0").to_numpy()] = np.arange(kept.num_rows)
        return pa.table(self._plan.results(kept.take(pa.array(rows, mask=rows < 0))))
