"""Can a run be trusted: are its files whole, every play legal and every result right?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import cpu_count
from numpy.typing import NDArray

from . import checking, loop
from . import layout as lay
from .cards import CARD_CODES
from .checks import check_seed
from .errors import GuandanError, RunError
from .interrupts import ctrl_c_noted
from .logrows import (
    deal_rows,
    match_columns,
    match_rows,
    packs_again,
    play_rows,
    tribute_rows,
)
from .moves import Move
from .pools import Threads, gather
from .rules import Rules, new_state
from .schemas import TABLES
from .settings import deal_arguments, played_rules
from .tally import Tally

if TYPE_CHECKING:
    from .runs import Run

__all__ = ["Report", "verify"]

# Between these Ctrl-C is seen.
_SETS_AT_ONCE = 1_024
# Problems that are listed of one part; the rest is said to be there.
_MOST = 20

Rows = NDArray[np.int64]


@dataclass
class Report:
    """What `verify` found: ``problems``, a line each, and how many deals and plays were checked."""

    problems: list[str] = field(default_factory=list)
    deals: int = 0
    plays: int = 0
    tally: Tally = field(default_factory=Tally, repr=False)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def __str__(self) -> str:
        if self.ok:
            plays = f" and all {self.plays} plays" if self.plays else ""
            return f"{self.deals} deals{plays} replayed: everything is legal and in order"
        return "\n".join(self.problems)


def verify(run: Run, progress: Callable[[int, int], None] | None = None) -> Report:
    """Check the files of a run, then deal every deal again from its seed and follow every logged
    choice.

    Finds illegal tributes, returns and plays, passes that are wrongly marked as chosen or forced,
    and wrong results: finishing orders, gains, levels, leaders, winners, caps. ``progress`` is
    called with parts done and in all. A run by other rules versions cannot be replayed: `RunError`.
    """
    with ctrl_c_noted() as ctrl_c:
        report = Report(problems=run.check_files())
        if report.problems:
            return report
        settings = run.manifest["settings"]
        try:
            rules = played_rules(settings, run.folder)
            arguments = deal_arguments(settings)
            check_seed(settings["seed"])
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise RunError(
                f"{run.folder}: the manifest's settings cannot be read: {error}"
            ) from error
        parts: dict[int, Report] = {}

        def took(checked: tuple[int, Report] | None) -> None:
            if checked is not None:
                parts.update([checked])
                if progress is not None:
                    progress(len(parts), len(run.parts))

        threads = min(int(cpu_count()), len(run.parts))
        pool = Threads(lambda first, stop: _PartCheck(run, rules, arguments, first, stop), threads)
        gather(pool, run.parts, ctrl_c, took)
    total = Tally()
    for _, part in sorted(parts.items()):
        report.problems += part.problems
        report.deals += part.deals
        report.plays += part.plays
        total.merge(part.tally)
    if report.ok:
        report.problems += _summary_problems(run, total)
    return report


def _summary_problems(run: Run, total: Tally) -> list[str]:
    """Figures of the manifest's summary that are not those of the tables; how fast it was played is
    not checked.
    """
    counted = total.summary(run.layout.kind, total, 1.0)
    summary = run.summary if isinstance(run.summary, dict) else {}
    return [
        f"{run.folder}: the manifest's summary says {name} {summary.get(name)!r}; it is {value!r}"
        for name, value in counted.items()
        if "second" not in name and summary.get(name) != value
    ]


class _PartCheck:
    """The replay of one part, which can be broken off."""

    def __init__(self, run: Run, rules: Rules, arguments: Rows, first: int, stop: int) -> None:
        self._given = run, rules, arguments, first, stop
        self._interrupted = False

    def run(self) -> tuple[int, Report]:
        return self._given[3], _check_part(*self._given, lambda: self._interrupted)

    def interrupt(self) -> None:
        self._interrupted = True


def _check_part(
    run: Run,
    rules: Rules,
    arguments: Rows,
    first: int,
    stop: int,
    interrupted: Callable[[], bool],
) -> Report:
    """Replay the sets of one part, or as many as may be until interrupted."""
    tables = {name: _columns(run, name, first) for name in run.tables}
    deals = deal_rows(tables["deals"])
    tributes = tribute_rows(tables["tributes"])
    plays = play_rows(tables["plays"]) if "plays" in tables else np.zeros((0, 3), np.int64)
    matches = (
        match_rows(tables["matches"])
        if "matches" in tables
        else np.zeros((0, loop.MATCH_WIDTH), np.int64)
    )
    play_sets = tables["plays"]["set"] if "plays" in tables else np.zeros(0, np.int64)
    report = Report(deals=len(deals), plays=len(plays))
    report.problems += [f"{run.folder}: {text}" for text in _keys_that_do_not_fit(tables)]
    if "matches" in tables:
        # The one column that follows from others of its row.
        wrong = tables["matches"]["ahead"] != match_columns(matches)["ahead"]
        report.problems += [
            f"{run.folder}: set {number}: matches.ahead is not what truncated and the levels say"
            for number in matches[wrong][:_MOST, 0]
        ]
    report.tally.add(tables["deals"], len(tributes), tables.get("matches"))
    state = new_state(rules)
    arguments = arguments.copy()
    problem = np.zeros(checking.PROBLEM_SIZE, np.int64)
    memory = (
        np.zeros((1, loop.DEAL_WIDTH), np.int64),
        np.zeros((2, loop.MATCH_WIDTH), np.int64),
        np.zeros(loop.CURSOR, np.int64),
    )
    begin = first
    while begin < stop and not interrupted():
        arguments[loop.A_END] = end = min(begin + _SETS_AT_ONCE, stop)
        rows = [
            table[np.searchsorted(sets, begin) :]
            for table, sets in (
                (deals, deals[:, loop.D_SET]),
                (tributes, tributes[:, 0]),
                (plays, play_sets),
                (matches, matches[:, 0]),
            )
        ]
        at = int(
            checking.check_sets(
                state, arguments, begin, *rows, int("plays" in tables), *memory, problem
            )
        )
        if at >= end:
            begin = end
            continue
        if len(report.problems) >= _MOST:
            report.problems.append(f"... and more in the part of sets {first} to {stop - 1}")
            break
        report.problems.append(_describe(run, at, state, problem.tolist()))
        begin = at + 1
    return report


def _keys_that_do_not_fit(tables: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What is wrong with keys and ranges, which the replay takes for granted."""
    deals = tables["deals"]
    due = np.where(deals["cancelled"], 0, deals["tribute"])
    problems = [f"{name}.arm is not 0" for name, table in tables.items() if table["arm"].any()]
    for name, repeats in (("tributes", due), ("plays", deals["plays"])):
        if name not in tables:
            continue
        wanted = [np.repeat(deals[key], repeats) for key in ("set", "deal")]
        found = [tables[name][key] for key in ("set", "deal")]
        # Too few or too many in a deal is told by the replay, with the place.
        if len(found[0]) == len(wanted[0]) and any(
            not np.array_equal(a, b) for a, b in zip(found, wanted, strict=True)
        ):
            problems.append(f"{name} are not those of the deals")
        known = np.isin(_pairs(*found), _pairs(deals["set"], deals["deal"]))
        if not known.all():
            row = int(np.argmin(known))
            problems.append(
                f"{name} has a row of set {found[0][row]}, deal {found[1][row]}, which is no deal"
            )
    for name, most in (("seat", 3), ("size", 15), ("chosen_passes", 15)):
        if "plays" in tables and tables["plays"][name].max(initial=0) > most:
            problems.append(f"plays.{name} holds {tables['plays'][name].max()}, more than {most}")
    if "plays" in tables and not packs_again(tables["plays"]):
        problems.append("plays.near and plays.far hold what is no set of cards")
    return problems


def _pairs(sets: Rows, deals: Rows) -> Rows:
    return sets.astype(np.int64) << 16 | deals


def _columns(run: Run, name: str, first: int) -> dict[str, Any]:
    """All columns of one table of the part that begins at set ``first``."""
    batches = list(run.part_arrays(name, first))
    return {
        column: np.concatenate([batch[column] for batch in batches])
        if batches
        else np.zeros(0, np.int64)
        for column in TABLES[name].by_name
    }


_DEAL_COLUMNS = {
    loop.D_LEVEL: "level",
    loop.D_OWNER: "owner",
    loop.D_LEVELS: "level0",
    loop.D_LEVELS + 1: "level1",
    loop.D_LEADER: "leader",
    loop.D_MARKED: "drawn",
    loop.D_TRIBUTE: "tribute",
    loop.D_CANCELLED: "cancelled",
    loop.D_GAIN: "gain",
    loop.D_PLAYS: "plays",
    loop.D_DEAL: "deal",
    **{loop.D_PREVIOUS + i: "previous" for i in range(4)},
    **{loop.D_FINISH + i: name for i, name in enumerate(("first", "second", "third", "last"))},
    **{loop.D_HANDS + i: f"hand{i // 2}_{('one', 'two')[i % 2]}" for i in range(8)},
}
_MATCH_COLUMNS = ("set", "winner", "deals", "level0", "level1", "truncated", "resets0", "resets1")


def _describe(run: Run, number: int, state: Rows, problem: list[int]) -> str:
    """One line about what is wrong with a set. ``problem`` is what `checking.check_sets` left."""
    what, where, found, due, one, two = problem
    place = f"{run.folder}: set {number}, deal {int(state[lay.V_DEAL])}"
    play = f"{place}, play {where}"
    if what == checking.DEALS_MISSING:
        return f"{run.folder}: set {number}: deal {where} is missing"
    if what == checking.DEALS_LEFT:
        return f"{run.folder}: set {number}: there are deals after deal {where - 1}, which ended it"
    if what == checking.DEAL_COLUMN:
        column = _DEAL_COLUMNS[where]
        return f"{place}: deals.{column} stands for {found}; by the rules and the seed it is {due}"
    if what == checking.TRIBUTE_MISSING:
        return f"{place}: {due} tributes are due, {where} are there"
    if what == checking.TRIBUTES_LEFT:
        return f"{place}: {found} tributes are there, {due} are due"
    if what == checking.TRIBUTE_COLUMN:
        return f"{place}: tributes.{'giver' if where == 2 else 'receiver'} is {found}, not {due}"
    if what == checking.TRIBUTE_ILLEGAL:
        verb = "give" if due else "return"
        return f"{place}: seat {where} may not {verb} {CARD_CODES.get(found, 'no card')}"
    if what == checking.PLAY_MISSING:
        return f"{place}: the log ends after {where} plays, before the deal does"
    if what == checking.PLAYS_LEFT:
        return f"{place}: {found} plays are logged, but the deal ends after {due}"
    if what == checking.PLAY_TURN:
        return f"{play}: seat {found} plays, but it is the turn of seat {due}"
    if what == checking.PLAY_ILLEGAL:
        return f"{play}: seat {due} may not play {_play_text(found, one, two)}"
    if what == checking.PLAY_COLUMN:
        return f"{play}: plays.{('ply', 'size')[where]} is {found}, not {due}"
    if what == checking.PASS_FLAG:
        says = "chosen" if found else "forced"
        return f"{play}: the pass of seat {due} before it is logged as {says}, which is not so"
    column = _MATCH_COLUMNS[where]
    return f"{run.folder}: set {number}: matches.{column} is {found}; by the rules it is {due}"


def _play_text(packed: int, one: int, two: int) -> str:
    """A logged play as text, or its words if they are not cards."""
    shape, rank = packed >> lay.H_SHAPE & 15, packed >> lay.H_RANK & 15
    try:
        return f"'{Move.from_words(shape, rank, one, two)}'"
    except (GuandanError, IndexError):
        return f"shape {shape}, rank {rank}, words {one:#x} and {two:#x}"
