"""What a statistic is: rows, what is measured of each, and how it is observed in some deals."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..rules import Rules
from .facts import Facts
from .ratios import Ratios

__all__ = [
    "GAIN",
    "WON",
    "Measure",
    "Observed",
    "Statistic",
    "codes",
    "gathered",
    "results",
    "shares",
    "statistic",
]

Ints = NDArray[np.int64]
Exact = Mapping[str, float]

_FORMS = {
    "share": (".2f", 100.0),
    "points": ("+.2f", 100.0),
    "levels": ("+.3f", 1.0),
    "difference": ("+.2f", 1.0),
}
_NUMBER = (".2f", 1.0)


@dataclass(frozen=True)
class Measure:
    """What is measured, a ratio: its column's ``name``, and its ``kind``: "share" (0 to 1, shown
    in %), "points" (a difference of shares, in percentage points), "levels" (signed), "number",
    "difference" (of numbers).
    """

    name: str
    kind: str

    @property
    def form(self) -> tuple[str, float]:
        """How a value is shown: a format and a factor."""
        return _FORMS.get(self.kind, _NUMBER)

    @property
    def heading(self) -> str:
        """The name with its unit.

        >>> Measure("won", "share").heading
        'won, %'
        """
        unit = {"share": ", %", "points": ", points"}.get(self.kind, "")
        return self.name + unit


WON = Measure("won", "share")
GAIN = Measure("levels", "levels")


@dataclass(frozen=True, eq=False)
class Observed:
    """What is observed in some deals: rows of units.

    groups: int64[u], the row of the table that each unit counts for, -1 for none.
    values: of each measure an array [u] of values, or a pair of what stands above and below.
    deals: int64[u], the place of each unit's deal; None if unit i is deal i.
    """

    groups: Ints
    values: Sequence[Any]
    deals: Ints | None = None


@dataclass(frozen=True, eq=False)
class Statistic:
    """A table of a report: ``observe`` gives what some deals say, and its docstring defines it.

    rows: their labels. unit: what is counted. plays: it needs logged plays. exact: probabilities by
    label that the rules give to the first measure. figure: "bars", "line" or "" (none). whole: the
    rows are shares of all units, and one that has none of them is left out. slopes: the measures
    are, of results on what was dealt.
    """

    key: str
    title: str
    rows: tuple[str, ...]
    measures: tuple[Measure, ...]
    observe: Callable[[Facts], Observed]
    unit: str = "deals"
    heading: str = ""
    plays: bool = False
    exact: Callable[[Rules], Exact] | None = None
    figure: str = "bars"
    whole: bool = False
    slopes: bool = False

    @property
    def definition(self) -> str:
        """What it is, from the docstring: unit, denominator, edge cases."""
        return inspect.cleandoc(self.observe.__doc__ or "")

    def empty(self) -> Ratios:
        """Sums of nothing."""
        return Ratios(len(self.rows), len(self.measures))

    def add(self, facts: Facts, sums: Ratios) -> None:
        """Add what these deals say."""
        seen = self.observe(facts)
        units = len(seen.groups)
        above, below = np.zeros((2, units, len(self.measures)))
        for at, value in enumerate(seen.values):
            if isinstance(value, tuple):
                above[:, at], below[:, at] = value
            else:
                above[:, at], below[:, at] = value, 1.0
        sets = facts.sets if seen.deals is None else facts.sets[seen.deals]
        sums.add(sets, np.ascontiguousarray(seen.groups, np.int64), above, below)


def statistic(title: str, **options: Any) -> Callable[[Callable[[Facts], Observed]], Statistic]:
    """Make a statistic of a function of `Facts`, whose name with a "-" for each "_" is its key."""

    def made(observe: Callable[[Facts], Observed]) -> Statistic:
        key = observe.__name__.replace("_", "-")
        return Statistic(key, title, observe=observe, **options)

    return made


def codes(values: Ints, starts: Sequence[int]) -> Ints:
    """int64[u]: which of the ranges that begin at ``starts`` (rising) each value is in; -1 below.

    >>> codes(np.array([0, 1, 5, 30]), [1, 6, 11])
    array([-1,  0,  0,  2])
    """
    found: Ints = np.searchsorted(np.asarray(starts), values, side="right") - 1
    return found


def results(facts: Facts, teams: Ints, deals: Ints | None = None) -> list[Any]:
    """Values of `WON` and `GAIN` for ``teams``, 0 or 1: one a deal, or one for each of
    ``deals``."""
    if deals is None:
        return [facts.won_by(teams), facts.levels_of(teams)]
    won = (facts.winner[deals] == teams).astype(np.float64)
    gain = facts.gain[deals]
    return [won, np.where(won == 1, gain, -gain)]


def gathered(size: int, *masks: NDArray[np.bool_]) -> Ints:
    """int64[size]: which of the masks holds, the first one if several do; -1 if none does."""
    found = np.full(size, -1)
    for number, mask in reversed([*enumerate(masks)]):
        found[mask] = number
    return found


def shares(found: Ints, rows: int, deals: Ints | None = None) -> Observed:
    """What share of the units each row has, -1 of none: all units with a row count below.

    ``found``: int64[u], the row of each unit. ``deals``: as of `Observed`.
    """
    wanted = np.flatnonzero(found >= 0)
    at = np.repeat(wanted if deals is None else deals[wanted], rows)
    groups = np.tile(np.arange(rows), len(wanted))
    return Observed(groups, [np.repeat(found[wanted], rows) == groups], at)
