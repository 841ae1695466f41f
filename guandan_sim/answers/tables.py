"""What a report is: estimates in rows of tables, tables in chapters, chapters of a run's arms."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..estimates import json_safe
from .ratios import Estimate
from .statistic import Measure

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ArmReport", "Report", "Row", "StatTable"]


@dataclass(frozen=True)
class Row:
    """A row of a table: an `Estimate` for each measure, and the ``exact`` value of the first one
    where the rules give it.
    """

    label: str
    cells: tuple[Estimate, ...]
    exact: float | None = None


@dataclass(frozen=True, repr=False)
class StatTable:
    """What a run says of one statistic: ``definition`` is its docstring, ``unit`` what is counted.

    Rows of which nothing was seen are left out.
    """

    key: str
    title: str
    definition: str
    unit: str
    heading: str
    measures: tuple[Measure, ...]
    rows: tuple[Row, ...]
    figure: str

    def __getitem__(self, label: str) -> Row:
        for row in self.rows:
            if row.label == label:
                return row
        raise KeyError(f"{self.key} has no row {label!r}: {[row.label for row in self.rows]}")

    def __repr__(self) -> str:
        return f"StatTable({self.key!r}: {len(self.rows)} rows)"

    def __str__(self) -> str:
        from ..reportpage import table_lines

        return "\n".join(table_lines(self))

    def _repr_html_(self) -> str:
        from ..reporthtml import table_html

        return table_html(self)

    def frame(self) -> pd.DataFrame:
        """The table for pandas, indexed by row: for each measure its value, ``low`` and ``high``
        ends of the interval, standard error ``se``, ``units`` and ``sets``, in columns of two
        levels; and ``exact`` where there is such a value.
        """
        import pandas as pd

        columns: dict[tuple[str, str], list[float | int | None]] = {}
        for at, measure in enumerate(self.measures):
            cells = [row.cells[at] for row in self.rows]
            columns |= {
                (measure.name, "value"): [cell.value for cell in cells],
                (measure.name, "low"): [cell.interval[0] for cell in cells],
                (measure.name, "high"): [cell.interval[1] for cell in cells],
                (measure.name, "se"): [cell.se for cell in cells],
                (measure.name, "units"): [cell.units for cell in cells],
                (measure.name, "sets"): [cell.sets for cell in cells],
            }
        if any(row.exact is not None for row in self.rows):
            columns[self.measures[0].name, "exact"] = [row.exact for row in self.rows]
        index = pd.Index([row.label for row in self.rows], name=self.heading or None)
        return pd.DataFrame(columns, index=index)

    def as_dict(self) -> dict[str, Any]:
        """The table for JSON; nan and infinite are None."""
        rows = []
        for row in self.rows:
            values = {
                measure.name: {
                    "value": cell.value,
                    "interval": cell.interval,
                    "se": cell.se,
                    "units": cell.units,
                    "sets": cell.sets,
                }
                for measure, cell in zip(self.measures, row.cells, strict=True)
            }
            rows.append({"row": row.label, **values} | _exact_part(row))
        found: dict[str, Any] = json_safe({"title": self.title, "unit": self.unit, "rows": rows})
        return found


def _exact_part(row: Row) -> dict[str, float]:
    return {} if row.exact is None else {"exact": row.exact}


@dataclass(frozen=True)
class ArmReport:
    """The tables of one arm of a run, by chapter."""

    name: str
    chapters: tuple[tuple[str, tuple[StatTable, ...]], ...]

    def tables(self) -> Iterator[StatTable]:
        """All tables in order."""
        for _, tables in self.chapters:
            yield from tables

    def keys(self) -> list[str]:
        """The keys of the tables."""
        return [table.key for table in self.tables()]

    def __contains__(self, key: object) -> bool:
        return key in self.keys()

    def __getitem__(self, key: str) -> StatTable:
        for table in self.tables():
            if table.key == key:
                return table
        raise KeyError(f"{key!r} is no table of this report: {self.keys()}")


@dataclass(frozen=True, repr=False)
class Report:
    """What a run says; made by `report`. ``arms`` has an `ArmReport` for each arm of the run, of
    which `report[key]`, `keys()` and `chapters` are the first's, and ``beside`` tables of all arms
    where there are several. Printed, it is all tables; those of an arm are ``arms[n]["key"]``.

    place: the run's folder. facts: what is said of the run itself, as (name, value). missing: why
    tables are not there. confidence: of every interval.
    """

    place: str
    facts: tuple[tuple[str, str | int], ...]
    arms: tuple[ArmReport, ...]
    beside: tuple[StatTable, ...]
    missing: tuple[str, ...]
    confidence: float

    @property
    def chapters(self) -> tuple[tuple[str, tuple[StatTable, ...]], ...]:
        """Titles and tables of the first arm."""
        return self.arms[0].chapters

    def __getitem__(self, key: str) -> StatTable:
        return self.arms[0][key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __contains__(self, key: object) -> bool:
        return key in self.arms[0]

    def keys(self) -> list[str]:
        """The keys of the tables, as `report[key]` takes them."""
        return self.arms[0].keys()

    def shown_facts(self) -> list[tuple[str, str]]:
        """The facts as text; a seed is a name, not a number."""
        return [
            (name, f"{value:,}" if isinstance(value, int) and name != "seed" else str(value))
            for name, value in self.facts
        ]

    def __repr__(self) -> str:
        return f"Report({self.place!r}: {len(self.keys())} tables, arms: {len(self.arms)})"

    def __str__(self) -> str:
        from ..reportpage import report_text

        return report_text(self)

    def as_dict(self) -> dict[str, Any]:
        """Everything for JSON: run, arms with their tables by key, missing."""
        return {
            "run": self.place,
            **dict(self.facts),
            "confidence": self.confidence,
            "arms": [
                {"name": arm.name, "tables": {table.key: table.as_dict() for table in arm.tables()}}
                for arm in self.arms
            ],
            "missing": list(self.missing),
        }

    def html(self, path: str | os.PathLike[str]) -> None:
        """Write the report as one HTML file with its figures in it, for any browser and no network.

        Needs matplotlib; raises OptionError without it, and RunError for a file that cannot be
        written.
        """
        from ..reporthtml import write_html

        write_html(self, path)
