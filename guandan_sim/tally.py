"""Counts over what was played, and the summary of a run made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DEAL_COLUMNS", "MATCH_COLUMNS", "Tally", "summary_of", "summary_problems"]

#: The columns that `Tally` counts.
DEAL_COLUMNS = ("set", "first", "second", "plays", "tribute", "cancelled")
MATCH_COLUMNS = ("winner", "truncated", "deals", "resets0", "resets1")


@dataclass
class Tally:
    """Counts of what was played, added up over workers."""

    sets: int = 0
    matches: int = 0
    deals: int = 0
    plays: int = 0
    truncated: int = 0
    # How often a team was set back to level 2, and in how many matches that happened.
    resets: int = 0
    matches_with_resets: int = 0
    sweeps: int = 0
    transfers: int = 0
    wins: list[int] = field(default_factory=lambda: [0, 0])
    deal_wins: list[int] = field(default_factory=lambda: [0, 0])
    tributes: list[int] = field(default_factory=lambda: [0, 0, 0])
    cancelled: list[int] = field(default_factory=lambda: [0, 0, 0])
    # Sums of deals a match and of its square, for the standard error of the mean.
    match_deals: list[int] = field(default_factory=lambda: [0, 0])
    # Over sets: sums of sweeps squared and of sweeps times deals, as a match's deals go together.
    sweep_products: list[int] = field(default_factory=lambda: [0, 0])
    # A set whose deals may go on in the next batch: its number, deals and sweeps so far.
    _open: tuple[int, int, int] = (-1, 0, 0)

    def add(self, deals: dict[str, Any], tributes: int, matches: dict[str, Any] | None) -> None:
        """Count some finished deals and matches, given as DEAL_COLUMNS and MATCH_COLUMNS."""
        n = len(deals["first"])
        self.deals += n
        self.plays += int(deals["plays"].sum(dtype=np.int64))
        self.transfers += tributes
        first = deals["first"]
        self._add_sweeps(deals["set"], (first ^ deals["second"]) == 2)
        won = int(np.count_nonzero(first & 1))
        self.deal_wins[0] += n - won
        self.deal_wins[1] += won
        for kind in range(3):
            due = deals["tribute"] == kind
            self.tributes[kind] += int(np.count_nonzero(due))
            self.cancelled[kind] += int(np.count_nonzero(due & deals["cancelled"]))
        if matches is not None:
            self.add_matches(matches)

    def _add_sweeps(self, sets: NDArray[np.int64], sweeps: NDArray[np.bool_]) -> None:
        """Count sweeps by set; the rows are in order of their sets."""
        self.sweeps += int(np.count_nonzero(sweeps))
        if not sets.size:
            return
        numbers, starts = np.unique(sets, return_index=True)
        deals = np.diff(starts, append=sets.size)
        swept = np.add.reduceat(sweeps.astype(np.int64), starts)
        if numbers[0] == self._open[0]:
            deals[0] += self._open[1]
            swept[0] += self._open[2]
        else:
            self._close_set()
        self.sweep_products[0] += int((swept[:-1] ** 2).sum())
        self.sweep_products[1] += int((swept[:-1] * deals[:-1]).sum())
        self._open = (int(numbers[-1]), int(deals[-1]), int(swept[-1]))

    def _close_set(self) -> None:
        _, deals, swept = self._open
        self.sweep_products[0] += swept**2
        self.sweep_products[1] += swept * deals
        self._open = (-1, 0, 0)

    def add_matches(self, matches: dict[str, Any]) -> None:
        """Count some finished matches, given as columns."""
        winner = matches["winner"]
        self.matches += len(winner)
        for team in range(2):
            self.wins[team] += int(np.count_nonzero(winner == team))
        self.truncated += int(np.count_nonzero(matches["truncated"]))
        lengths = matches["deals"].astype(np.int64)
        self.match_deals[0] += int(lengths.sum())
        self.match_deals[1] += int((lengths**2).sum())
        resets = matches["resets0"].astype(np.int64) + matches["resets1"]
        self.resets += int(resets.sum())
        self.matches_with_resets += int(np.count_nonzero(resets))

    def merge(self, other: Tally) -> None:
        """Add another worker's counts; its last set is done."""
        other._close_set()
        for name, value in vars(other).items():
            if name == "_open":
                continue
            mine = getattr(self, name)
            if isinstance(value, list):
                setattr(self, name, [a + b for a, b in zip(mine, value, strict=True)])
            else:
                setattr(self, name, mine + value)

    def summary(self, kind: str) -> dict[str, Any]:
        """The figures, but for how fast it was played."""
        whole = kind == "matches"
        return {
            "kind": kind,
            "sets": self.matches if whole else self.deals,
            "matches": self.matches,
            "deals": self.deals,
            "plays": self.plays,
            "deals_per_match": self.match_deals[0] / self.matches if self.matches else None,
            "match_deals_sum_of_squares": self.match_deals[1],
            "wins": self.wins if whole else self.deal_wins,
            "deal_wins": self.deal_wins,
            "truncated": self.truncated,
            "resets": self.resets,
            "matches_with_resets": self.matches_with_resets,
            "sweeps": self.sweeps,
            "sweeps_sum_of_squares": self.sweep_products[0],
            "sweeps_times_deals": self.sweep_products[1],
            "tributes": dict(zip(("none", "single", "double"), self.tributes, strict=True)),
            "cancelled": {"single": self.cancelled[1], "double": self.cancelled[2]},
            "transfers": self.transfers,
        }


def summary_of(
    kind: str, arms: Sequence[Tally], deals: int, plays: int, seconds: float
) -> dict[str, Any]:
    """The figures of a run as the manifest holds them, from the counts of its arms.

    ``deals`` and ``plays`` are what was played now, in ``seconds``. Of several arms each has its
    own figures, in "arms": teams are others in another arm.
    """
    rates = {
        "seconds": round(seconds, 3),
        "deals_per_second": round(deals / seconds, 1) if deals else 0.0,
        "plays_per_second": round(plays / seconds, 1) if plays else 0.0,
    }
    if len(arms) == 1:
        figures = arms[0].summary(kind)
        size = {name: figures.pop(name) for name in ("kind", "sets", "matches", "deals", "plays")}
        return size | rates | figures
    by_arm = [arm.summary(kind) for arm in arms]
    total = {name: sum(arm[name] for arm in by_arm) for name in ("matches", "deals", "plays")}
    return {"kind": kind, "sets": by_arm[0]["sets"], **total, **rates, "arms": by_arm}


def summary_problems(said: object, counted: Mapping[str, Any]) -> list[str]:
    """Where the summary in a manifest is not the one ``counted`` from the tables, a line each; how
    fast it was played need only be a number.
    """
    wrong = _differences(said, counted)
    return [
        f"the manifest's summary says {name} {found!r}; it is "
        f"{'no number' if 'second' in name else repr(value)}"
        for name, found, value in wrong
    ]


def _differences(said: object, counted: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Each figure that differs: its name, with its arm before it, and both values."""
    figures = said if isinstance(said, dict) else {}
    wrong = []
    for name, value in counted.items():
        found = figures.get(name)
        if name == "arms":
            of_arms = found if isinstance(found, list) else []
            for number, figures_of_arm in enumerate(value):
                of_arm = of_arms[number] if number < len(of_arms) else None
                wrong += [
                    (f"arms.{number}.{inner}", *values)
                    for inner, *values in _differences(of_arm, figures_of_arm)
                ]
        elif not _is_number(found) if "second" in name else found != value:
            wrong.append((name, found, value))
    return wrong


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e18
