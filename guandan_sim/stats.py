"""Statistics of a run: chapters of tables, each defined in its docstring, with intervals by set.

    report = gs.report("runs/x")
    print(report)                                # all tables
    report["tribute-cancelled"].frame()          # one of them for pandas
    report.html("x.html")                        # with figures

Parts are read one after another, on some threads, and only sums are kept, so memory does not grow
with the run. The unit of every interval is the set: the deals of a match, or the one deal of a set.
"""

from __future__ import annotations

import functools
import math
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from .answers import beside, overview, play, strategy, tribute
from .answers.facts import compile_kernels, facts_of_part
from .answers.ratios import Estimate, Ratios
from .answers.statistic import Measure
from .answers.tables import ArmReport, Report, Row, StatTable
from .errors import OptionError, RunError, printable
from .intervals import check_confidence
from .parts import open_part
from .rules import Rules
from .schemas import TABLES
from .settings import followed_arms

if TYPE_CHECKING:
    from .runs import Run

__all__ = ["CHAPTERS", "ArmReport", "Report", "Row", "StatTable", "report"]

CHAPTERS = (overview.CHAPTER, tribute.CHAPTER, strategy.CHAPTER, play.CHAPTER)
"""(title, statistics) of every chapter, in order."""

# By default: each holds a part, some 250 MB of the largest.
_MOST_WORKERS = 8

# What is compared across arms: statistic, row, measure.
_HEADLINES = (
    ("outcomes", "1-2, a sweep", "of all", "sweeps"),
    ("teams", "team 0 (seats 0, 2)", "levels", "levels of team 0"),
    ("length", "plays", "a deal", "plays"),
    ("values", "wild", "levels", "a wild"),
    ("values", "red joker", "levels", "a red joker"),
    ("opening-lead", "leading side", "levels", "opening lead"),
    ("tempo", "bombs played", "a deal", "bombs"),
    ("cards-left", "1-2, a sweep", "in losing hands", "left after a sweep"),
)


def report(
    run: Run | str | os.PathLike[str],
    *,
    plans: int = 200_000,
    workers: int | None = None,
    confidence: float = 0.95,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Every statistic of a run, with its interval, in bounded memory.

    ``plans``: of about so many deals, evenly spread over the sets, the best plans of the hands are
    worked out, 40 microseconds a deal; the statistics of plans are of these. ``workers``: threads,
    by default one a core and at most eight, each of which holds a part in memory. ``progress`` is
    called with the parts done and how many there are. Of a run that is not finished the parts that
    are there are reported, and ``missing`` says so.

    Raises OptionError, and RunError for files that cannot be read and rows that do not fit.

    >>> import tempfile
    >>> import guandan_sim as gs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = report(gs.simulate(deals=500, bots="greedy", seed=1, out=f"{folder}/run"))
    >>> sweeps = found["outcomes"]["1-2, a sweep"].cells[0]
    >>> sweeps.units, sweeps.interval[0] < sweeps.value < sweeps.interval[1]
    (500, True)
    """
    from .runs import Run, open_run

    if not isinstance(run, Run | str | os.PathLike):
        raise OptionError(f"{run!r} is no run on disk: give its folder, or what gs.open_run opened")
    found = run if isinstance(run, Run) else open_run(run)
    if not isinstance(confidence, float):
        raise OptionError(f"confidence is {confidence!r}; a number between 0 and 1 is needed")
    check_confidence(confidence)
    if workers is not None and (type(workers) is not int or workers < 1):
        raise OptionError(f"workers is {workers!r}; a number of threads from 1 on is needed")
    if type(plans) is not int or plans < 0:
        raise OptionError(f"plans is {plans!r}; a number of deals is needed, 0 for none")
    rules = [rules for rules, _ in followed_arms(found.manifest["settings"], found.folder)]
    logged = "plays" in found.tables
    chosen = [
        (title, [each for each in statistics if logged or not each.plays])
        for title, statistics in CHAPTERS
    ]
    statistics = [each for _, some in chosen for each in some]
    compile_kernels()  # in one thread
    stopped = threading.Event()
    work = functools.partial(_of_part, found, rules, _every(found, plans), statistics, stopped)
    sums, differences = _nothing(statistics, len(rules))
    with ThreadPoolExecutor(workers or min(os.cpu_count() or 1, _MOST_WORKERS)) as pool:
        try:
            for done, (part, differing) in enumerate(pool.map(work, found.parts), 1):
                differences.merge(differing)
                for total, more in zip(chain(*sums), chain(*part), strict=True):
                    total.merge(more)
                if progress is not None:
                    progress(done, len(found.parts))
        except BaseException:
            stopped.set()
            pool.shutdown(cancel_futures=True)
            raise
    arms = []
    for name, of_arm, by in zip(_arm_names(found, rules), sums, rules, strict=True):
        tables = {
            each.key: _table(each, total, by, confidence)
            for each, total in zip(statistics, of_arm, strict=True)
        }
        chapters = (
            (title, tuple(tables[each.key] for each in some if tables[each.key].rows))
            for title, some in chosen
        )
        arms.append(ArmReport(name, tuple(chapters)))
    return Report(
        str(found.folder),
        tuple(_facts(found, rules)),
        tuple(arms),
        tuple(_beside(arms, differences, confidence)),
        tuple(_missing(found, logged)),
        confidence,
    )


def _nothing(statistics: Sequence[Any], arms: int) -> tuple[list[list[Any]], Ratios]:
    """Sums by arm and statistic, and of what arms differ by, of no deals."""
    sums = [[each.empty() for each in statistics] for _ in range(arms)]
    return sums, Ratios(arms - 1, len(beside.MEASURES))


def _of_part(
    run: Run,
    rules: list[Rules],
    every: int,
    statistics: Sequence[Any],
    stopped: threading.Event,
    part: tuple[int, int],
) -> tuple[list[list[Any]], Ratios]:
    """What one part says; nothing more once it is stopped."""
    sums, differences = _nothing(statistics, len(rules))
    arms = list(facts_of_part(run, part, rules, every))
    if run.layout.kind == "deals":
        beside.add_differences(arms, differences)
    for facts, of_arm in zip(arms, sums, strict=True):
        for each, total in zip(statistics, of_arm, strict=True):
            if not stopped.is_set():
                each.add(facts, total)
    return sums, differences


def _every(run: Run, plans: int) -> int:
    """Plans are made of every so manieth set; 0: of none."""
    return min(math.ceil(_rows(run, "deals") / plans), 1 << 62) if plans else 0


def _rows(run: Run, table: str) -> int:
    """Rows of a table in the parts that are there."""
    rows = run.manifest.get("rows")
    if run.finished and isinstance(rows, dict) and type(rows.get(table)) is int:
        return int(rows[table])
    total = 0
    for part in run.parts:
        with open_part(run.folder, TABLES[table], part) as file:
            total += file.metadata.num_rows
    return total


def _table(each: Any, sums: Any, rules: Rules, confidence: float) -> StatTable:
    exact = each.exact(rules) if each.exact else {}
    rows = []
    for at, label in enumerate(each.rows):
        cells = []
        for measure_at, measure in enumerate(each.measures):
            kind = "slope" if each.slopes else measure.kind
            cell = sums.estimate(at, measure_at, kind=kind, confidence=confidence)
            cells.append(cell if each.slopes else _possible(cell, measure, rules))
        seen = (cell.value for cell in cells if not math.isnan(cell.value))
        if any(value != 0 or not each.whole for value in seen):
            rows.append(Row(label, tuple(cells), exact.get(label)))
    return StatTable(
        each.key,
        each.title,
        each.definition,
        each.unit,
        each.heading,
        each.measures,
        tuple(rows),
        each.figure,
    )


def _possible(cell: Estimate, measure: Measure, rules: Rules) -> Estimate:
    """The interval of a mean without what cannot be: levels beyond a sweep's, numbers below 0."""
    most = float(max(rules.promotion)) if measure.kind == "levels" else math.inf
    least = -most if measure.kind == "levels" else 0.0
    low, high = (min(max(end, least), most) if end == end else end for end in cell.interval)
    return replace(cell, interval=(low, high))


def _beside(
    arms: Sequence[ArmReport], differences: Ratios, confidence: float
) -> Iterator[StatTable]:
    """Tables of all arms, a row an arm: headlines, and what differs by set; of several arms."""
    if len(arms) < 2:
        return
    first = {table.key: table for table in arms[0].tables()}
    picked = [
        pick for pick in _HEADLINES if pick[0] in first and all(_has(arm, pick) for arm in arms)
    ]
    measures, columns = [], []
    for key, label, name, heading in picked:
        at = [measure.name for measure in first[key].measures].index(name)
        measures.append(Measure(heading, first[key].measures[at].kind))
        columns.append([arm[key][label].cells[at] for arm in arms])
    rows = tuple(
        Row(arm.name, tuple(column[at] for column in columns)) for at, arm in enumerate(arms)
    )
    text = (
        "Figures of the tables below for each arm. All arms play the same sets, so that the error "
        "of a difference between arms is not that of two unrelated runs."
    )
    yield StatTable("arms", "Arms side by side", text, "units", "arm", tuple(measures), rows, "")
    kinds = range(len(beside.MEASURES))
    rows = tuple(
        Row(
            arm.name,
            tuple(differences.estimate(number, at, confidence=confidence) for at in kinds),
        )
        for number, arm in enumerate(arms[1:])
    )
    if any(cell.units for row in rows for cell in row.cells):
        title = f"Arms less the first, {arms[0].name}, set by set"
        text = beside.DEFINITION
        yield StatTable("differences", title, text, "sets", "arm", beside.MEASURES, rows, "")


def _has(arm: ArmReport, pick: tuple[str, str, str, str]) -> bool:
    return any(t.key == pick[0] and any(r.label == pick[1] for r in t.rows) for t in arm.tables())


def _arm_names(run: Run, rules: Sequence[Rules]) -> list[str]:
    """A name for each arm: its own, or what it has of its own."""
    records = run.manifest["settings"].get("arms", [{}])
    names = []
    for number, record in enumerate(records):
        bots = _bot_names(record)
        named = record.get("name")
        if not isinstance(named, str):
            named = "-".join(bots) if bots else rules[number].name if "rules" in record else ""
        names.append(printable(named) or f"arm {number}")
    return names


def _bot_names(settings: Mapping[str, Any]) -> list[str]:
    """The bots by seat, if these settings say."""
    bots = settings.get("bots")
    if not isinstance(bots, list):
        return []
    return [printable(str(each.get("name"))) for each in bots if isinstance(each, dict)]


def _facts(run: Run, rules: Sequence[Rules]) -> Iterator[tuple[str, str | int]]:
    settings = run.manifest["settings"]
    bots = _bot_names(settings)
    if bots:
        yield "bots", bots[0] if len(set(bots)) == 1 else ", ".join(bots)
    yield "rules", rules[0].name if len({each.name for each in rules}) == 1 else "by arm"
    sets = sum(stop - first for first, stop in run.parts)
    yield ("matches" if run.layout.kind == "matches" else "sets"), sets
    for name in ("deals", "plays"):
        if name in run.tables:
            yield name, _rows(run, name)
    yield "seed", settings["seed"]


def _missing(run: Run, logged: bool) -> Iterator[str]:
    if not run.finished:
        yield (
            f"the run is not finished: {len(run.parts)} of {run.layout.number_of_parts} parts are "
            "reported"
        )
    if not logged:
        yield "plays were not logged (--log plays): nothing is said of how deals are played"
    if not run.parts:
        raise RunError(f"{run.folder} has no finished part yet: there is nothing to report")
