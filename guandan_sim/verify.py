"""Can a run be trusted: are its files whole, every play legal and every result right?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import cpu_count
from numpy.typing import NDArray

from . import checking, loop
from .arena import stopped_as_tested
from .interrupts import ctrl_c_noted
from .logrows import (
    MOST_OF_PLAYS,
    deal_rows,
    match_columns,
    match_rows,
    packs_again,
    part_columns,
    play_rows,
    tribute_rows,
)
from .manifest import checksum_problem
from .pools import Threads, gather
from .problems import describe, left_over
from .rules import Rules, new_state
from .settings import followed_arms
from .tally import Tally, summary_of, summary_problems

if TYPE_CHECKING:
    from .runs import Run

__all__ = ["Report", "verify"]

# Between these Ctrl-C is seen.
_SETS_AT_ONCE = 1_024
# Problems that are listed of one part; the rest is said to be there.
_MOST = 20

Rows = NDArray[np.int64]
Tables = Mapping[str, dict[str, NDArray[Any]]]
_Followed = tuple[Rules, Rows]


@dataclass
class Report:
    """What `verify` found: ``problems``, a line each, and how many deals and plays were checked."""

    problems: list[str] = field(default_factory=list)
    deals: int = 0
    plays: int = 0
    tallies: list[Tally] = field(default_factory=list, repr=False)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def __str__(self) -> str:
        if self.ok and self.plays:
            return (
                f"{self.deals} deals and all {self.plays} plays replayed: "
                "everything is legal and in order"
            )
        if self.ok:
            return (
                f"{self.deals} deals dealt again, their tributes and results followed: "
                "everything is in order; there are no plays in the log to replay"
            )
        return "\n".join(self.problems)


def verify(
    run: Run,
    progress: Callable[[int, int], None] | None = None,
    checking: Callable[[int, int], None] | None = None,
) -> Report:
    """Check the files of a run, then deal every deal again from its seed and follow every logged
    choice.

    Finds illegal tributes, returns and plays, passes that are wrongly marked as chosen or forced,
    and wrong results: finishing orders, gains, levels, leaders, winners, caps. While the files are
    read, ``checking`` is called many times a second with the number of the part, from 1, and how
    many there are; later ``progress`` with parts replayed and in all. A run by other rules versions
    cannot be replayed: `RunError`.
    """
    with ctrl_c_noted() as ctrl_c:

        def reading(number: int, of: int) -> None:
            ctrl_c.check()
            if checking is not None:
                checking(number, of)

        with ctrl_c.told(lambda: None):
            report = Report(problems=run.check_files(reading))
        if report.problems:
            return report
        arms = followed_arms(run.manifest["settings"], run.folder)
        parts: dict[int, Report] = {}

        def took(checked: tuple[int, Report] | None) -> None:
            if checked is not None:
                parts.update([checked])
                if progress is not None:
                    progress(len(parts), len(run.parts))

        threads = min(int(cpu_count()), len(run.parts))
        pool = Threads(lambda first, stop: _PartCheck(run, arms, first, stop), threads)
        gather(pool, run.parts, ctrl_c, took)
    totals = [Tally() for _ in arms]
    for _, part in sorted(parts.items()):
        report.problems += part.problems
        report.deals += part.deals
        report.plays += part.plays
        for total, tally in zip(totals, part.tallies, strict=True):
            total.merge(tally)
    if report.ok:
        counted = summary_of(run.layout.kind, totals, 0, 0, 1.0)
        wrong = summary_problems(run.manifest.get("summary"), counted)
        report.problems += [f"{run.folder}: {text}" for text in wrong]
    if report.ok and (text := stopped_as_tested(run)):
        report.problems.append(f"{run.folder}: {text}")
    if report.ok:
        report.problems += checksum_problem(run.folder, run.manifest)
    return report


class _PartCheck:
    """The replay of one part, which can be broken off."""

    def __init__(self, run: Run, arms: Sequence[_Followed], first: int, stop: int) -> None:
        self._given = run, arms, first, stop
        self._interrupted = False

    def run(self) -> tuple[int, Report]:
        return self._given[2], _check_part(*self._given, lambda: self._interrupted)

    def interrupt(self) -> None:
        self._interrupted = True


def _check_part(
    run: Run, arms: Sequence[_Followed], first: int, stop: int, interrupted: Callable[[], bool]
) -> Report:
    """Replay the sets of one part, or as many as may be until interrupted."""
    tables = {name: part_columns(run, name, first) for name in run.tables}
    report = Report(deals=len(tables["deals"]["set"]))
    report.plays = len(tables["plays"]["set"]) if "plays" in tables else 0
    wrong = _keys_that_do_not_fit(tables, len(arms))
    report.problems += [f"{run.folder}: {text}" for text in wrong]
    for number, (rules, arguments) in enumerate(arms):
        of_arm = tables if len(arms) == 1 else _of_arm(tables, number)
        name = number if len(arms) > 1 else None
        tally = Tally()
        tally.add(of_arm["deals"], len(of_arm["tributes"]["set"]), of_arm.get("matches"))
        report.tallies.append(tally)
        problems = _check_arm(run, of_arm, name, rules, arguments, first, stop, interrupted)
        report.problems += problems
    return report


def _of_arm(tables: Tables, number: int) -> Tables:
    """The rows of one arm."""
    chosen = {name: table["arm"] == number for name, table in tables.items()}
    return {
        name: {column: values[chosen[name]] for column, values in table.items()}
        for name, table in tables.items()
    }


def _check_arm(
    run: Run,
    tables: Tables,
    arm: int | None,
    rules: Rules,
    arguments: Rows,
    first: int,
    stop: int,
    interrupted: Callable[[], bool],
) -> list[str]:
    """Replay an arm of a part, whose rows are ``tables``; what is wrong with it, a line each."""
    problems = []
    deals = deal_rows(tables["deals"])
    tributes = tribute_rows(tables["tributes"])
    plays = play_rows(tables["plays"]) if "plays" in tables else np.zeros((0, 3), np.int64)
    matches = (
        match_rows(tables["matches"])
        if "matches" in tables
        else np.zeros((0, loop.MATCH_WIDTH), np.int64)
    )
    play_sets = tables["plays"]["set"] if "plays" in tables else np.zeros(0, np.int64)
    if "matches" in tables:
        # The one column that follows from others of its row.
        wrong = tables["matches"]["ahead"] != match_columns(matches)["ahead"]
        problems += [
            f"{run.folder}: set {number}: matches.ahead is not what truncated and the levels say"
            for number in matches[wrong][:_MOST, 0]
        ]
    state = new_state(rules)
    arguments = arguments.copy()
    place = np.zeros(checking.PLACE_SIZE, np.int64)
    place[checking.AT_SET] = first
    problem = np.zeros(checking.PROBLEM_SIZE, np.int64)
    rows = (deals, tributes, plays, matches)
    sets = (deals[:, loop.D_SET], tributes[:, 0], play_sets, matches[:, 0])
    with_plays = int("plays" in tables)
    memory = checking.new_memory()
    while (number := int(place[checking.AT_SET])) < stop:
        if interrupted():
            return problems
        arguments[loop.A_END] = min(number + _SETS_AT_ONCE, stop)
        if checking.check_sets(state, arguments, place, *rows, with_plays, memory, problem, None):
            continue
        if len(problems) >= _MOST:
            problems.append(f"... and more in the part of sets {first} to {stop - 1}")
            return problems
        number = int(place[checking.AT_SET])
        problems.append(describe(run.folder, number, state, problem.tolist(), arm))
        place[checking.AT_SET] = number + 1
        place[checking.AT_IN_MATCH] = 0
        place[checking.AT_DEAL :] = [np.searchsorted(of, number + 1) for of in sets]
    return problems + left_over(run.folder, place, sets, arm)


def _keys_that_do_not_fit(tables: Tables, arms: int) -> list[str]:
    """What is wrong with keys and ranges, which the replay takes for granted."""
    deals = tables["deals"]
    due = np.where(deals["cancelled"], 0, deals["tribute"])
    problems = [
        f"{name}.arm is not {'0' if arms == 1 else f'below {arms}'}"
        for name, table in tables.items()
        if (table["arm"] >= arms).any()
    ]
    for name, repeats in (("tributes", due), ("plays", deals["plays"])):
        if name not in tables:
            continue
        wanted = [np.repeat(deals[key], repeats) for key in ("set", "arm", "deal")]
        found = [tables[name][key] for key in ("set", "arm", "deal")]
        # Too few or too many in a deal is told by the replay, with the place.
        if len(found[0]) == len(wanted[0]) and any(
            not np.array_equal(a, b) for a, b in zip(found, wanted, strict=True)
        ):
            problems.append(f"{name} are not those of the deals")
        known = np.isin(
            _packed(deals["set"], *found),
            _packed(deals["set"], deals["set"], deals["arm"], deals["deal"]),
        )
        if not known.all():
            row = int(np.argmin(known))
            of_arm = f", arm {found[1][row]}" if arms > 1 else ""
            problems.append(
                f"{name} has a row of set {found[0][row]}{of_arm}, deal {found[2][row]}, which is "
                "no deal"
            )
    for name, most in MOST_OF_PLAYS:
        if "plays" in tables and tables["plays"][name].max(initial=0) > most:
            problems.append(f"plays.{name} holds {tables['plays'][name].max()}, more than {most}")
    if "plays" in tables and not packs_again(tables["plays"]):
        problems.append("plays.near and plays.far hold what is no set of cards")
    return problems


def _packed(among: Rows, sets: Rows, arms: Rows, deals: Rows) -> Rows:
    """The key of each row in one number; ``among`` are the sets of a part."""
    sets = sets - among[0] if len(among) else sets
    return sets << 24 | arms.astype(np.int64) << 16 | deals
