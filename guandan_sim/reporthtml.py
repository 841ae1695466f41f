"""A report as one HTML file: its tables and figures, for any browser, without network or scripts.

The page is well-formed XML, too. All text of a run is escaped.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .answers.ratios import Estimate
from .answers.statistic import Measure
from .errors import RunError, one_line, printable
from .figures import check_matplotlib, drawing
from .folders import LocalFolder
from .reportpage import interval_text, value_text

if TYPE_CHECKING:
    from .answers.tables import ArmReport, Report, StatTable

__all__ = ["check_html", "report_html", "table_html", "write_html"]

# With more arms, only the first has figures: the page would be too large for a phone.
_MOST_FIGURES = 6

_STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --soft: #5b6470; --grid: #d5dae0;
  --link: #0b5cad; --shade: #f3f5f8;
  --s0: #0b62a8; --s1: #c2410c; --s2: #15803d; --s3: #7e3ba8; --s4: #8a6100; --s5: #0e7490; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171b; --ink: #e4e7eb; --soft: #a0a9b4;
  --grid: #3a424c; --link: #7cb8f5; --shade: #1e2329;
  --s0: #6cb2f0; --s1: #fb923c; --s2: #4ade80; --s3: #d0a2f7; --s4: #eac54f; --s5: #22d3ee; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.45;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin: 2.2rem 0 .5rem; padding-top: .6rem;
  border-top: 2px solid var(--grid); }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
a { color: var(--link); text-decoration: none; }
a:hover, a:focus { text-decoration: underline; }
h2 a, h3 a { color: inherit; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .1rem 1rem; margin: .5rem 0; }
dt, .soft, figcaption { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.missing { border-left: 4px solid var(--s1); padding: .2rem .7rem; background: var(--shade); }
nav ul { margin: .3rem 0; padding-left: 1.1rem; }
nav li { margin: .35rem 0; }
nav span { font-size: .88rem; }
.pair { display: flex; flex-wrap: wrap; gap: .6rem 1.6rem; align-items: flex-start; }
figure { margin: 0; flex: 0 1 24rem; min-width: 0; }
figcaption { font-size: .8rem; }
svg { display: block; width: 100%; max-width: 24rem; height: auto; stroke-linejoin: round;
  font-family: inherit; }
svg text { fill: currentColor; font-size: 9px; }
.scroll { overflow-x: auto; max-width: 100%; flex: 0 1 auto; min-width: 0; }
table { border-collapse: collapse; width: max-content; font-size: .88rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .22rem .7rem .22rem 0; text-align: right; vertical-align: baseline;
  white-space: nowrap; }
thead th { color: var(--soft); font-weight: 600; border-bottom: 1px solid var(--grid);
  vertical-align: bottom; white-space: normal; max-width: 9rem; }
tbody tr + tr > * { border-top: 1px solid var(--grid); }
th:first-child { text-align: left; font-weight: 500; position: sticky; left: 0;
  background: var(--paper); white-space: normal; max-width: 10rem; }
td small { color: var(--soft); font-size: .8rem; }
details { margin: .4rem 0; }
summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
details p { max-width: 42rem; margin: .4rem 0; font-size: .92rem; }
.arm > summary { color: var(--ink); font-size: 1.2rem; font-weight: 600; overflow-wrap: anywhere;
  padding: .5rem; background: var(--shade); margin-top: 1.5rem; }
code { font-size: .92em; }
@media print { .scroll { overflow: visible; } }
"""


def check_html(path: str | os.PathLike[str]) -> Path:
    """The file that a report at ``path`` is written to. Raises OptionError without matplotlib, and
    RunError unless its folder is there and no folder or device has its name.
    """
    check_matplotlib()
    try:
        place = Path(os.path.realpath(os.fsdecode(path)))
        taken = place.exists() and not place.is_file()
        homeless = not place.parent.is_dir()
    except (OSError, ValueError) as error:
        raise _cannot_write(path, one_line(error)) from error
    if taken:
        raise _cannot_write(path, "it is there and no file")
    if homeless:
        raise _cannot_write(path, f"there is no folder {_shown(place.parent)}")
    return place


def write_html(report: Report, path: str | os.PathLike[str]) -> None:
    """Write the report to a file, whole or not at all: beside it first, renamed at the end.

    Raises OptionError without matplotlib, and RunError for a file that cannot be written.
    """
    place = check_html(path)
    data = report_html(report).encode()
    try:
        LocalFolder(place.parent).put(place.name, data)
    except OSError as error:
        raise _cannot_write(path, one_line(error)) from error


def _cannot_write(path: str | os.PathLike[str], why: str) -> RunError:
    return RunError(f"cannot write {_shown(path)}: {why}")


def report_html(report: Report) -> str:
    """The page."""
    return "\n".join(_page(report)) + "\n"


def table_html(table: StatTable) -> str:
    """One table as a page shows it."""
    return f"<table>{''.join(_rows(table))}</table>"


def _shown(path: str | os.PathLike[str]) -> str:
    return printable(os.fsdecode(path)) or "''"


def _text(text: str) -> str:
    """Text of a run or a table: without what is no character, and escaped."""
    return html.escape(printable(text))


def _page(report: Report) -> Iterator[str]:
    title = f"Report of {_text(report.place)}"
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield '<head><meta charset="utf-8"/>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
    yield f"<title>{title}</title>"
    yield f"<style>{_STYLE}</style></head>"
    yield f"<body><main><h1>{title}</h1>"
    facts = "".join(
        f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in report.shown_facts()
    )
    yield f"<dl>{facts}</dl>"
    for text in report.missing:
        yield f'<p class="missing">{_text(text)}</p>'
    share = f"{100 * report.confidence:g}%"
    yield f'<p class="soft">In brackets: {share} intervals, clustered by set, a match or deal.</p>'
    yield from _contents(report)
    several = len(report.arms) > 1
    all_drawn = len(report.arms) <= _MOST_FIGURES
    if not all_drawn:
        yield f'<p class="soft">Figures are of arm 0, of {len(report.arms)} arms.</p>'
    for table in report.beside:
        yield from _table(table, table.key, 2, False)
    for number, arm in enumerate(report.arms):
        if several:
            opened = "" if number else ' open="open"'
            yield f'<details class="arm" id="arm-{number}"{opened}>'
            yield f"<summary>Arm {number}: {_text(arm.name)}</summary>"
        yield from _arm(arm, _prefix(number), all_drawn or not number)
        if several:
            yield "</details>"
    yield "</main></body></html>"


def _prefix(number: int) -> str:
    """What the ids of an arm begin with."""
    return f"{number}-" if number else ""


def _slug(title: str) -> str:
    return "chapter-" + re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _contents(report: Report) -> Iterator[str]:
    yield '<nav><h2 id="contents">Contents</h2><ul>'
    for table in report.beside:
        yield f'<li><a href="#{table.key}">{_text(table.title)}</a></li>'
    for title, tables in report.chapters:
        if tables:
            links = " · ".join(f'<a href="#{t.key}">{_text(t.title)}</a>' for t in tables)
            heading = f'<a href="#{_slug(title)}"><b>{_text(title)}</b></a>'
            yield f"<li>{heading}<br/><span>{links}</span></li>"
    for number, arm in [*enumerate(report.arms)][1:]:
        yield f'<li><a href="#arm-{number}">Arm {number}: {_text(arm.name)}</a></li>'
    yield "</ul></nav>"


def _arm(arm: ArmReport, prefix: str, drawn: bool) -> Iterator[str]:
    for title, tables in arm.chapters:
        if tables:
            name = prefix + _slug(title)
            yield f'<h2 id="{name}"><a href="#{name}">{_text(title)}</a></h2>'
        for table in tables:
            yield from _table(table, prefix + table.key, 3, drawn)


def _table(table: StatTable, name: str, depth: int, drawn: bool) -> Iterator[str]:
    yield f'<section><h{depth} id="{name}">'
    yield f'<a href="#{name}">{_text(table.title)}</a></h{depth}>'
    paragraphs = "".join(f"<p>{_marked(text)}</p>" for text in table.definition.split("\n\n"))
    yield f"<details><summary>What this is</summary>{paragraphs}</details>"
    yield '<div class="pair">'
    made = drawing(table, f"f-{name}") if drawn else None
    if made is not None:
        notes = "; ".join(made.notes)
        caption = f"<figcaption>{_text(notes)}</figcaption>" if notes else ""
        yield f"<figure>{made.svg}{caption}</figure>"
    yield f'<div class="scroll" tabindex="0" role="region" aria-labelledby="{name}"><table>'
    yield from _rows(table)
    yield "</table></div></div></section>"


def _marked(text: str) -> str:
    """A paragraph of a docstring, with its names in backticks as code."""
    return re.sub(r"(`+)(.+?)\1", r"<code>\2</code>", _text(" ".join(text.split())))


def _rows(table: StatTable) -> Iterator[str]:
    """Head and body: value and interval in one cell, and behind the measures of the same units a
    column of these.
    """
    columns = []
    for at, measure in enumerate(table.measures):
        cells = [row.cells[at] for row in table.rows]
        columns.append((measure.heading, [_cell(cell, measure) for cell in cells]))
        if at == 0 and any(row.exact is not None for row in table.rows):
            form, factor = measure.form
            exact = ["" if r.exact is None else format(r.exact * factor, form) for r in table.rows]
            columns.append(("exact", exact))
        units = [cell.units for cell in cells]
        if at + 1 == len(table.measures) or units != [r.cells[at + 1].units for r in table.rows]:
            columns.append((table.unit, [f"{count:,}" for count in units]))
    heads = "".join(
        f'<th scope="col">{_text(h)}</th>' for h in [table.heading, *(h for h, _ in columns)]
    )
    yield f"<thead><tr>{heads}</tr></thead><tbody>"
    for at, row in enumerate(table.rows):
        body = "".join(f"<td>{texts[at]}</td>" for _, texts in columns)
        yield f'<tr><th scope="row">{_text(row.label)}</th>{body}</tr>'
    yield "</tbody>"


def _cell(cell: Estimate, measure: Measure) -> str:
    interval = interval_text(cell, measure)
    return value_text(cell, measure) + (f" <small>{interval}</small>" if interval else "")
