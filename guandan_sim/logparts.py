"""The rows of a log, some sets at a time, arm by arm and ready to be followed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from . import loop
from .errors import RunError
from .logrows import (
    MOST_OF_PLAYS,
    Columns,
    deal_rows,
    match_rows,
    packs_again,
    part_columns,
    play_rows,
    tribute_rows,
)
from .schemas import TABLES

if TYPE_CHECKING:
    from .runs import Run

__all__ = ["LoggedArm", "LoggedSets", "logged_sets"]

Rows = NDArray[np.int64]

# Whole sets with about so many plays are read at a time.
_PLAYS = 32_768


@dataclass
class LoggedArm:
    """Rows of `loop` of one arm of some sets."""

    deals: Rows
    tributes: Rows
    plays: Rows
    matches: Rows


@dataclass
class LoggedSets:
    """The sets from ``first`` to ``stop`` - 1, by arm, and no rows of another set."""

    first: int
    stop: int
    arms: list[LoggedArm]


def logged_sets(run: Run, sets: range, arms: int) -> Iterator[LoggedSets]:
    """Those of ``sets`` that are in the parts of the run, some at a time, read when they are asked
    for.

    Of each part all but the plays are read at once, and plays by row group. Raises RunError for
    rows out of order, of no deal or of none of the ``arms``, or too few.
    """
    for first, stop in run.parts:
        begin, end = max(first, sets.start), min(stop, sets.stop)
        if begin < end:
            yield from _of_part(run, first, stop, begin, end, arms)


def _of_part(
    run: Run, first: int, stop: int, begin: int, end: int, arms: int
) -> Iterator[LoggedSets]:
    tables = {name: part_columns(run, name, first) for name in run.tables if name != "plays"}
    for name, columns in tables.items():
        _check_sets(run, name, columns, first, stop, arms)
    deals = tables["deals"]
    # Plays before each deal of the part, and in all.
    plays_to = np.concatenate([[0], np.cumsum(deals["plays"], dtype=np.int64)])
    at, last = np.searchsorted(deals["set"], [begin, end]).tolist()
    log = _Plays(run, first)
    log.skip(int(plays_to[at]))
    while begin < end:
        cut = int(np.searchsorted(plays_to, plays_to[at] + _PLAYS))
        while cut < last and deals["set"][cut] == deals["set"][cut - 1]:
            cut += 1
        cut = min(cut, last)
        upto = int(deals["set"][cut]) if cut < last else end
        some = {name: _between(columns, begin, upto) for name, columns in tables.items()}
        some["plays"] = log.take(int(plays_to[cut] - plays_to[at]))
        _check_plays(run, some["plays"], some["deals"])
        yield LoggedSets(begin, upto, [_arm(some, arm, arms) for arm in range(arms)])
        at, begin = cut, upto
    if end == stop:
        _check_sets(run, "plays", log.take(1), first, first, arms)


def _arm(tables: dict[str, Columns], arm: int, arms: int) -> LoggedArm:
    if arms > 1:
        chosen = {name: columns["arm"] == arm for name, columns in tables.items()}
        tables = {
            name: {column: values[chosen[name]] for column, values in columns.items()}
            for name, columns in tables.items()
        }
    return LoggedArm(
        deal_rows(tables["deals"]),
        tribute_rows(tables["tributes"]),
        play_rows(tables["plays"]),
        match_rows(tables["matches"])
        if "matches" in tables
        else np.zeros((0, loop.MATCH_WIDTH), np.int64),
    )


def _between(columns: Columns, first: int, stop: int) -> Columns:
    rows = slice(*np.searchsorted(columns["set"], [first, stop]).tolist())
    return {name: values[rows] for name, values in columns.items()}


def _check_sets(run: Run, name: str, columns: Columns, first: int, stop: int, arms: int) -> None:
    """Rows of so many arms, by set, of the sets from ``first`` to ``stop`` - 1."""
    sets = columns["set"]
    wrong = (sets < first) | (sets >= stop)
    wrong[1:] |= sets[1:] < sets[:-1]
    if wrong.any():
        number = sets[np.argmax(wrong)]
        raise RunError(f"{run.folder}: {name} has a row of set {number} where none belongs")
    if (columns["arm"] >= arms).any():
        below = "0" if arms == 1 else f"below {arms}"
        raise RunError(f"{run.folder}: {name}.arm is not {below}")


def _check_plays(run: Run, plays: Columns, deals: Columns) -> None:
    """The plays are as many as the deals say, of these deals, and fit in rows of `loop`."""
    due = {key: np.repeat(deals[key], deals["plays"]) for key in ("set", "arm", "deal")}
    size = len(due["set"])
    wrong = np.zeros(size, bool)
    wrong[len(plays["set"]) :] = True
    for key, values in due.items():
        wrong[: len(plays[key])] |= plays[key] != values[: len(plays[key])]
    if wrong.any():
        row = int(np.argmax(wrong))
        same = np.ones(size, bool)
        for values in due.values():
            same &= values == values[row]
        play = row - int(np.argmax(same))
        there = "the log ends before it"
        if row < len(plays["set"]):
            there = f"a row of {_place(plays, row)} is in its place"
        raise RunError(f"{run.folder}: {_place(due, row)}, play {play}: {there}")
    for name, most in MOST_OF_PLAYS:
        row = int(np.argmax(plays[name])) if size else 0
        if size and plays[name][row] > most:
            place = f"{_place(plays, row)}, play {plays['ply'][row]}"
            raise RunError(f"{run.folder}: {place}: {name} is {plays[name][row]}, more than {most}")
    if not packs_again(plays):
        raise RunError(f"{run.folder}: plays.near and plays.far hold what is no set of cards")


def _place(columns: Columns, row: int) -> str:
    arm = f", arm {columns['arm'][row]}" if columns["arm"][row] else ""
    return f"set {columns['set'][row]}{arm}, deal {columns['deal'][row]}"


class _Plays:
    """The plays of the part that begins at set ``first``, a row group at a time."""

    def __init__(self, run: Run, first: int) -> None:
        self._groups = run.part_arrays("plays", first)
        self._left: Columns = {
            name: np.zeros(0, column.dtype) for name, column in TABLES["plays"].by_name.items()
        }

    def skip(self, rows: int) -> None:
        """Leave out the next ``rows`` rows."""
        while rows > 0 and (taken := len(self.take(min(rows, _PLAYS))["set"])):
            rows -= taken

    def take(self, rows: int) -> Columns:
        """The next ``rows`` rows, or as many as there are."""
        pieces = []
        while True:
            pieces.append({name: values[:rows] for name, values in self._left.items()})
            self._left = {name: values[rows:] for name, values in self._left.items()}
            rows -= len(pieces[-1]["set"])
            group = next(self._groups, None) if rows else None
            if group is None:
                return {name: np.concatenate([p[name] for p in pieces]) for name in self._left}
            self._left = group
