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
from typing import TYPE_CHECKING, Any

from .answers import overview, play, strategy, tribute
from .answers.facts import compile_kernels, facts_of_part
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

    found = run if isinstance(run, Run) else open_run(run)
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
    sums: list[list[Any]] = [[each.empty() for each in statistics] for _ in rules]
    with ThreadPoolExecutor(workers or min(os.cpu_count() or 1, _MOST_WORKERS)) as pool:
        try:
            for done, part in enumerate(pool.map(work, found.parts), 1):
                for of_arm, more in zip(sums, part, strict=True):
                    for total, extra in zip(of_arm, more, strict=True):
                        total.merge(extra)
                if progress is not None:
                    progress(done, len(found.parts))
        except BaseException:
            stopped.set()
            pool.shutdown(cancel_futures=True)
            raise
    names = _arm_names(found, rules)
    arms = []
    for name, of_arm, by in zip(names, sums, rules, strict=True):
        made = iter(
            _table(each, total, by, confidence)
            for each, total in zip(statistics, of_arm, strict=True)
        )
        arms.append(
            ArmReport(
                name,
                tuple(
                    (title, tuple(table for table in [next(made) for _ in some] if table.rows))
                    for title, some in chosen
                ),
            )
        )
    return Report(
        str(found.folder),
        tuple(_facts(found, rules)),
        tuple(arms),
        _beside(arms) if len(arms) > 1 else None,
        tuple(_missing(found, logged)),
        confidence,
    )


def _of_part(
    run: Run,
    rules: list[Rules],
    every: int,
    statistics: Sequence[Any],
    stopped: threading.Event,
    part: tuple[int, int],
) -> list[list[Any]]:
    """What one part says, by arm and statistic; nothing more once it is stopped."""
    found = []
    for facts in facts_of_part(run, part, rules, every):
        sums = []
        for each in statistics:
            total = each.empty()
            if not stopped.is_set():
                each.add(facts, total)
            sums.append(total)
        found.append(sums)
    return found


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
            cells.append(sums.estimate(at, measure_at, kind=kind, confidence=confidence))
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


def _beside(arms: Sequence[ArmReport]) -> StatTable:
    """The headlines of all arms, a row an arm."""
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
        "Figures of the tables below for each arm. All arms play the same sets, so that "
        "differences between arms are smaller and surer than these intervals say."
    )
    return StatTable("arms", "Arms side by side", text, "sets", "arm", tuple(measures), rows, "")


def _has(arm: ArmReport, pick: tuple[str, str, str, str]) -> bool:
    return any(t.key == pick[0] and any(r.label == pick[1] for r in t.rows) for t in arm.tables())


def _arm_names(run: Run, rules: Sequence[Rules]) -> list[str]:
    """A name for each arm: its own, or what it has of its own."""
    records = run.manifest["settings"].get("arms", [{}])
    names = []
    for number, record in enumerate(records):
        bots = _bot_names(record)
        name = "-".join(bots) if bots else rules[number].name if "rules" in record else ""
        names.append(printable(name) or f"arm {number}")
    return names


def _bot_names(settings: Mapping[str, Any]) -> list[str]:
    """The bots by seat, if these settings say."""
    bots = settings.get("bots")
    if not isinstance(bots, list):
        return []
    return [printable(str(each.get("name"))) for each in bots if isinstance(each, dict)]


def _facts(run: Run, rules: Sequence[Rules]) -> Iterator[tuple[str, str]]:
    settings = run.manifest["settings"]
    bots = _bot_names(settings)
    if bots:
        yield "bots", bots[0] if len(set(bots)) == 1 else ", ".join(bots)
    yield "rules", rules[0].name if len({each.name for each in rules}) == 1 else "by arm"
    sets = sum(stop - first for first, stop in run.parts)
    yield ("matches" if run.layout.kind == "matches" else "sets"), f"{sets:,}"
    for name in ("deals", "plays"):
        if name in run.tables:
            yield name, f"{_rows(run, name):,}"
    yield "seed", str(settings["seed"])


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
