"""Two bots over duplicate sets: levels gained, wins and Elo, each with its clustered interval.

A set is one deal played once an arm with the teams swapped between arms, so its deals go together:
the unit of every error here is the set. A is the first bot, B the second.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .elo import elo_of_wins
from .errors import OptionError
from .estimates import estimate_lines, json_safe, same_lengths, whole_numbers
from .intervals import (
    UNKNOWN,
    Interval,
    bounds,
    check_confidence,
    normal_quantile,
    share_interval,
    student_quantile,
    wilson,
)

__all__ = ["OUTCOMES", "Comparison", "compare"]

#: The six outcomes of a deal, A's best first: who won, and the places of the winners.
OUTCOMES = ("A 1-2", "A 1-3", "A 1-4", "B 1-4", "B 1-3", "B 1-2")

#: No preset promotes by more, so no deal lies further from zero.
_TOP_GAIN = 4

#: More than the levels there are; sums of squares stay whole numbers.
_MOST_LEVELS = 13


@dataclass(frozen=True)
class Comparison:
    """What some duplicate sets say about A against B; made by `compare`.

    Each ``..._se`` is a standard error clustered by set, each interval has the stated
    ``confidence``. With one set errors and intervals are nan. ``as_dict`` and ``text`` show all.

    sets, deals: how many.
    mean_gain, se, interval: levels A gained a deal, those of B counted against it.
    outcomes: number of deals by `OUTCOMES`; the classes do not depend on what a rule pays.
    win_rate: share of deals that A's team won, 0 to 1.
    variance_saved: 1 - Var(mean_gain) / Var(mean of as many independent deals); see `compare`.
    elo: 400 log10(p / (1 - p)) of the win rate p; see `elo_of_wins`.
    exactly_level: A and B are the same bot, and did exactly the same in every set.
    alike: every set came out the same, so that its intervals are bounds; see `compare`.
    """

    sets: int
    deals: int
    mean_gain: float
    se: float
    interval: Interval
    outcomes: dict[str, int]
    win_rate: float
    win_rate_se: float
    win_rate_interval: Interval
    variance_saved: float
    variance_saved_interval: Interval
    elo: float
    elo_se: float
    elo_interval: Interval
    exactly_level: bool
    alike: bool
    confidence: float

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, for JSON: intervals are lists, nan and infinite are None."""
        safe: dict[str, Any] = json_safe(asdict(self))
        return safe

    def text(self, a: str = "A", b: str = "B") -> str:
        """A table with the bots' names ``a`` and ``b``; no mean stands without its interval."""
        rows = [
            ("levels a deal", self.mean_gain, self.se, self.interval, "+.3f", 1.0),
            ("deals won, %", self.win_rate, self.win_rate_se, self.win_rate_interval, ".2f", 100.0),
            ("Elo", self.elo, self.elo_se, self.elo_interval, "+.1f", 1.0),
            (
                "variance saved, %",
                self.variance_saved,
                math.nan,
                self.variance_saved_interval,
                ".1f",
                100.0,
            ),
        ]
        lines = [f"{a} against {b}: {self.deals:,} deals in {self.sets:,} sets"]
        lines += estimate_lines(rows, self.confidence)
        for bot, names in ((a, OUTCOMES[:3]), (b, OUTCOMES[:2:-1])):
            counts = ", ".join(f"{self.outcomes[name]:,} {name[2:]}" for name in names)
            lines.append(f"won by {bot}: {counts}")
        if self.exactly_level:
            lines.append("Exactly level: one bot, and the same on both sides of every set.")
        elif self.alike:
            lines.append("Every set came out alike: the intervals are bounds on unseen sets.")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


def _by_set(sets: NDArray[np.int64], arms: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """(the order that sorts by set and arm, number of arms); every set must have every arm."""
    order = np.lexsort((arms, sets))
    ordered, played = sets[order], arms[order]
    numbers, counts = np.unique(sets, return_counts=True)
    every = np.unique(arms)
    wrong = counts != len(every)
    if not wrong.any():
        wrong = (played.reshape(-1, len(every)) != every).any(axis=1)
    if wrong.any():
        which = numbers[np.argmax(wrong)]
        raise OptionError(
            f"set {which} has arms {played[ordered == which].tolist()}; "
            f"one deal of each of the arms {every.tolist()} is needed"
        )
    return order, len(every)


def _saved(total: Any, set_squares: Any, squares: Any, sets: int, arms: int) -> Any:
    """The share of variance saved, from sums over sets; see `compare`. Takes arrays too."""
    deals = sets * arms
    mean_variance = (set_squares - total**2 / sets) / (sets * (sets - 1) * arms**2)
    deal_variance = (squares - total**2 / deals) / deals + mean_variance
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - deals * mean_variance / np.float64(deal_variance)


def _variance_saved(gains: NDArray[np.int64], confidence: float) -> tuple[float, Interval]:
    """The share of variance saved with its jackknife interval; ``gains`` is [sets, arms]."""
    sets, arms = gains.shape
    if sets < 2:
        return math.nan, UNKNOWN
    if arms == 1:
        return 0.0, (0.0, 0.0)
    sums, squares = gains.sum(axis=1), (gains**2).sum(axis=1)
    totals = (float(sums.sum()), float((sums**2).sum()), float(squares.sum()))
    value = float(_saved(*totals, sets, arms))
    if sets < 3 or math.isnan(value):
        return value, UNKNOWN
    without = _saved(totals[0] - sums, totals[1] - sums**2, totals[2] - squares, sets - 1, arms)
    se = math.sqrt((sets - 1) / sets * float(((without - without.mean()) ** 2).sum()))
    margin = student_quantile(confidence, sets - 1) * se
    return value, (value - margin, min(1.0, value + margin))


def _mean_and_error(values: NDArray[np.int64]) -> tuple[float, float]:
    """(mean, clustered standard error) of whole numbers [sets, arms]; the error of one set is nan.

    The error is exactly 0 if all sets have the same sum.
    """
    number = len(values)
    sums = values.sum(axis=1)
    mean = float(sums.sum() / values.size)
    if number < 2:
        return mean, math.nan
    if (sums == sums[0]).all():
        return mean, 0.0
    return mean, float(np.std(sums / values.shape[1], ddof=1)) / math.sqrt(number)


def _check_values(
    won: NDArray[np.int64], place: NDArray[np.int64], gain: NDArray[np.int64]
) -> None:
    """Raises `OptionError` for values that no deal has."""
    checks = [
        ("won", won, (won < 0) | (won > 1), "0 or 1 is needed"),
        ("place", place, (place < 1) | (place > 3), "1, 2 or 3 is needed"),
        (
            "gain",
            gain,
            np.where(won == 1, gain < 0, gain > 0) | (abs(gain) > _MOST_LEVELS),
            f"from 0 to {_MOST_LEVELS} levels for a win of A, from 0 down for one of B",
        ),
    ]
    for name, values, wrong, needed in checks:
        if wrong.any():
            raise OptionError(f"{name} is {values[np.argmax(wrong)]} in a deal; {needed}")


def compare(
    sets: ArrayLike,
    arms: ArrayLike,
    won: ArrayLike,
    place: ArrayLike,
    gain: ArrayLike,
    confidence: float = 0.95,
    *,
    same: bool = False,
) -> Comparison:
    """A against B over duplicate sets, from one row a deal, in any order.

    sets: int[n], the set's number. arms: int[n], which play of the set; every set has the same
    arms, one deal each (one arm: independent deals). won: bool[n], A's team won. place: int[n],
    the winner's partner came second (1), third (2) or last (3). gain: int[n], levels, not below
    zero if A's team won, not above zero if B's did. same: A and B are one bot, of one version.

    A set's value is the mean over its deals; means are over sets, and the standard error is that
    of N independent sets, sd / sqrt(N). Intervals are Student's t with N - 1 degrees of freedom for
    levels, and `share_interval` for wins. Simulated, they cover at their rate from about 100 sets
    on; with fewer sets and rare losses that of levels is too short, while that of wins holds.

    ``variance_saved`` compares the mean's variance with that of as many deals on decks of their
    own: 1 - n se**2 / s2, where n is the number of deals and s2 = mean((gain - mean_gain)**2) +
    se**2 estimates one deal's variance without bias. It is -(K - 1) times the correlation of two
    deals of a set of K, so it is negative if a set's deals go the same way, 0 for one arm and 1 for
    a bot against itself. Its interval is the delete-one-set jackknife's, too
    short for fewer than 100 sets.

    Edge cases. The ``same`` bot, and in every set its outcomes on both sides mirror each other
    (``exactly_level``): 0 with error 0 and interval [0, 0], a win rate of one half, Elo 0. One set
    of others: errors and intervals are nan. Sets otherwise all alike (``alike``), such as those of
    two bots that differ too rarely to be told apart: the error is 0, and intervals are the bounds
    that unseen sets leave, with 4 levels as the most that a deal can gain.

    Raises `OptionError` for a set that lacks an arm or has one twice, and for bad values.

    >>> result = compare([0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 0], [1, 3, 2, 2], [3, 1, 2, -2])
    >>> result.mean_gain, result.se, result.win_rate
    (1.0, 1.0, 0.75)
    >>> result.outcomes["A 1-2"], result.outcomes["B 1-3"]
    (1, 1)
    """
    check_confidence(confidence)
    set_numbers, arm_numbers = whole_numbers(sets, "sets"), whole_numbers(arms, "arms")
    wins, places = whole_numbers(won, "won"), whole_numbers(place, "place")
    gains = whole_numbers(gain, "gain")
    deals = same_lengths(sets=set_numbers, arms=arm_numbers, won=wins, place=places, gain=gains)
    _check_values(wins, places, gains)
    order, width = _by_set(set_numbers, arm_numbers)
    wins, places, gains = (array[order].reshape(-1, width) for array in (wins, places, gains))
    number = len(wins)

    classes = np.where(wins == 1, places - 1, 6 - places)
    by_set = np.stack([(classes == code).sum(axis=1) for code in range(6)], axis=1)
    level = same and bool((by_set == by_set[:, ::-1]).all()) and not bool(gains.sum(axis=1).any())

    mean, se = _mean_and_error(gains)
    rate, rate_se = _mean_and_error(wins)
    if level:
        se, rate_se, interval = 0.0, 0.0, (mean, mean)
    elif se == 0:
        top = max(_TOP_GAIN, int(abs(gains).max()))
        interval = bounds(mean, -top, top, number, confidence)
    else:
        # nan for one set.
        margin = student_quantile(confidence, max(number - 1, 1)) * se
        interval = (mean - margin, mean + margin)
    if width == 1 and number > 1:
        rate_interval = wilson(rate, number, normal_quantile(confidence))
    else:
        rate_interval = share_interval(rate, rate_se, number, confidence, level=level)
    saved, saved_interval = _variance_saved(gains, confidence)
    rating, rating_se, rating_interval = elo_of_wins(rate, rate_se, rate_interval, number)
    return Comparison(
        sets=number,
        deals=deals,
        mean_gain=mean,
        se=se,
        interval=interval,
        outcomes={name: int(by_set[:, code].sum()) for code, name in enumerate(OUTCOMES)},
        win_rate=rate,
        win_rate_se=rate_se,
        win_rate_interval=rate_interval,
        variance_saved=saved,
        variance_saved_interval=saved_interval,
        elo=rating,
        elo_se=rating_se,
        elo_interval=rating_interval,
        exactly_level=level,
        alike=number > 1 and se == 0,
        confidence=confidence,
    )
