"""A report as text for the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .answers.ratios import Estimate
from .answers.statistic import Measure
from .estimates import cell_lines

if TYPE_CHECKING:
    from .answers.tables import Report, StatTable

__all__ = ["interval_text", "report_text", "table_lines", "value_text"]

_WIDTH = 100


def value_text(cell: Estimate, measure: Measure) -> str:
    """A value in the form of its measure; "-" where there is none.

    >>> value_text(Estimate(0.25, 0.01, (0.23, 0.27), 100, 50), Measure("won", "share"))
    '25.00'
    """
    form, factor = measure.form
    return "-" if cell.value != cell.value else format(cell.value * factor, form)


def interval_text(cell: Estimate, measure: Measure) -> str:
    """Its interval, "[low, high]"; empty where it is unknown."""
    low, high = cell.interval
    if low != low or high != high:
        return ""
    form, factor = measure.form
    return f"[{low * factor:{form}}, {high * factor:{form}}]"


def table_lines(table: StatTable, definitions: bool = False) -> Iterator[str]:
    """The table's title, a line a row, and its definition if asked for."""
    yield f"{table.title}  ({table.key})"
    if definitions:
        for paragraph in table.definition.split("\n\n"):
            text = " ".join(paragraph.split())
            yield from textwrap.wrap(text, _WIDTH - 2, initial_indent="  ", subsequent_indent="  ")
    labels = [table.heading, *(row.label for row in table.rows)]
    lines: list[str] = []
    begin = 0
    # As many measures beside each other as the width takes.
    for end in range(1, len(table.measures) + 1):
        longer = cell_lines([*zip(labels, *_block(table, begin, end), strict=True)])
        if lines and max(map(len, longer)) > _WIDTH - 2:
            yield from (f"  {line}" for line in lines)
            begin = end - 1
            longer = cell_lines([*zip(labels, *_block(table, begin, end), strict=True)])
        lines = longer
    yield from (f"  {line}" for line in lines)


def _block(table: StatTable, begin: int, end: int) -> Iterator[list[str]]:
    """The columns of some measures, and behind those of the same units a column of these."""
    units = [[row.cells[at].units for row in table.rows] for at in range(begin, end)]
    for at, of in enumerate(units):
        yield from _columns(table, begin + at)
        if units[at + 1 : at + 2] != [of]:
            yield [table.unit, *(f"{number:,}" for number in of)]


def _columns(table: StatTable, at: int) -> list[list[str]]:
    """The columns of a measure, with their heading: values, intervals, exact values if any."""
    measure = table.measures[at]
    cells = [row.cells[at] for row in table.rows]
    found = [
        [measure.heading, *(value_text(cell, measure) for cell in cells)],
        ["", *(interval_text(cell, measure) for cell in cells)],
    ]
    if at == 0 and any(row.exact is not None for row in table.rows):
        form, factor = measure.form
        exact = [
            "" if row.exact is None else format(row.exact * factor, form) for row in table.rows
        ]
        found.append(["exact", *exact])
    return found


def report_text(report: Report, definitions: bool = False, arm: int = 0) -> str:
    """The report, with the tables of one arm; with ``definitions`` what each of them says."""
    lines = [f"report of {report.place}"]
    lines += [f"  {line}" for line in cell_lines(report.shown_facts())]
    share = f"{100 * report.confidence:g}%"
    lines.append(f"  in brackets {share} intervals, clustered by set: a match, or a deal")
    lines += [f"  {text}" for text in report.missing]
    for table in report.beside:
        lines += ["", *table_lines(table, definitions)]
    if report.beside:
        lines += ["", f"arm {arm}: {report.arms[arm].name}"]
    for title, tables in report.arms[arm].chapters:
        if tables:
            lines += ["", title.upper()]
        for table in tables:
            lines += ["", *table_lines(table, definitions)]
    return "\n".join(lines)
