"""Two bots over whole matches: the share that A won, and Elo, clustered by set."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .elo import elo_of_wins
from .errors import OptionError
from .estimates import estimate_lines, json_safe, same_lengths, whole_numbers
from .intervals import (
    UNKNOWN,
    Interval,
    check_confidence,
    normal_quantile,
    share_interval,
    wilson,
)

__all__ = ["NO_WINNER", "MatchComparison", "compare_matches"]

#: Stands for the winner of a match that was cut off, as in a run's table of matches.
NO_WINNER = 255


@dataclass(frozen=True)
class MatchComparison:
    """What some matches say about A against B; made by `compare_matches`.

    sets: sets with at least one match that was won. matches: those that were won, by A
    ``matches_won``; ``truncated`` ones have no winner and count nowhere else. match_win_rate: the
    share that A won, 0 to 1, with its standard error and interval. match_elo: Elo of that share,
    see `elo_of_wins`. exactly_level: A and B are the same bot, and did the same in every set.
    """

    sets: int
    matches: int
    matches_won: int
    truncated: int
    match_win_rate: float
    match_win_rate_se: float
    match_win_rate_interval: Interval
    match_elo: float
    match_elo_se: float
    match_elo_interval: Interval
    exactly_level: bool
    confidence: float

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, for JSON: intervals are lists, nan and infinite are None."""
        safe: dict[str, Any] = json_safe(asdict(self))
        return safe

    def text(self, a: str = "A", b: str = "B") -> str:
        """A table with the bots' names ``a`` and ``b``; no share stands without its interval."""
        rows = [
            (
                "matches won, %",
                self.match_win_rate,
                self.match_win_rate_se,
                self.match_win_rate_interval,
                ".2f",
                100.0,
            ),
            ("Elo", self.match_elo, self.match_elo_se, self.match_elo_interval, "+.1f", 1.0),
        ]
        lost = self.matches - self.matches_won
        lines = [f"{a} against {b}: {self.matches:,} matches in {self.sets:,} sets"]
        lines += estimate_lines(rows, self.confidence)
        lines.append(f"won by {a}: {self.matches_won:,}, by {b}: {lost:,}")
        if self.truncated:
            lines.append(f"cut off, no winner: {self.truncated:,}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


def compare_matches(
    sets: ArrayLike,
    arms: ArrayLike,
    won: ArrayLike,
    confidence: float = 0.95,
    *,
    same: bool = False,
    deals: ArrayLike | None = None,
) -> MatchComparison:
    """A against B over whole matches, from one row a match, in any order.

    sets, arms: int[n]; matches of a set share their decks. won: int[n], 1 if A's team won, 0 if
    B's, `NO_WINNER` for a match that was cut off. same: A and B are one bot, of one version. deals:
    int[n], the matches' lengths.

    The share is of the matches that were won. Its error is that of a ratio of two sums over sets,
    sqrt(N / (N - 1) sum e**2) / matches, where e is a set's wins of A less the share of its
    matches. The interval is Wilson's where every set has one match, else that of `share_interval`.
    Source: W. G. Cochran, Sampling Techniques, 3rd ed., section 6.3.

    Edge cases. No match was won: the share is nan. The ``same`` bot, and in every set the matches
    that it won on one side are as many, and as long, as on the other (``exactly_level``): one half,
    error 0 and interval [0.5, 0.5], Elo 0. One set of several matches of others: the error and the
    interval are nan.

    Raises `OptionError` for a set that has an arm twice, and for bad values.

    >>> result = compare_matches([0, 0, 1, 1, 2, 2], [0, 1] * 3, [1, 1, 1, 0, 255, 1])
    >>> result.sets, result.matches, result.truncated, result.match_win_rate
    (3, 5, 1, 0.8)
    """
    check_confidence(confidence)
    set_numbers, arm_numbers = whole_numbers(sets, "sets"), whole_numbers(arms, "arms")
    winners = whole_numbers(won, "won")
    lengths = np.ones_like(winners) if deals is None else whole_numbers(deals, "deals")
    same_lengths(sets=set_numbers, arms=arm_numbers, won=winners, deals=lengths)
    wrong = ~np.isin(winners, (0, 1, NO_WINNER))
    if wrong.any():
        found = winners[np.argmax(wrong)]
        raise OptionError(f"won is {found} in a match; 0, 1 or {NO_WINNER} is needed")
    _, set_index = np.unique(set_numbers, return_inverse=True)
    every, arm_index = np.unique(arm_numbers, return_inverse=True)
    _, at, repeats = np.unique(
        set_index * len(every) + arm_index, return_index=True, return_counts=True
    )
    if (repeats > 1).any():
        row = at[np.argmax(repeats > 1)]
        raise OptionError(
            f"set {set_numbers[row]} has arm {arm_numbers[row]} more than once; "
            "one match each is needed"
        )

    decided = winners != NO_WINNER
    _, index = np.unique(set_numbers[decided], return_inverse=True)
    matches = np.bincount(index)
    wins = np.bincount(index, weights=winners[decided])
    number, total, total_won = len(matches), int(matches.sum()), int(wins.sum())
    level = same and _mirrored(set_numbers, winners, lengths)
    if total == 0:
        rate, se, interval = math.nan, math.nan, UNKNOWN
    else:
        rate = total_won / total
        se = 0.0 if level else _ratio_error(wins, matches, rate)
        if not level and total == number:
            interval = wilson(rate, number, normal_quantile(confidence))
        else:
            interval = share_interval(rate, se, number, confidence, level=level)
    rating, rating_se, rating_interval = elo_of_wins(rate, se, interval, number)
    return MatchComparison(
        sets=number,
        matches=total,
        matches_won=total_won,
        truncated=int(len(winners) - total),
        match_win_rate=rate,
        match_win_rate_se=se,
        match_win_rate_interval=interval,
        match_elo=rating,
        match_elo_se=rating_se,
        match_elo_interval=rating_interval,
        exactly_level=level,
        confidence=confidence,
    )


def _ratio_error(wins: np.ndarray, matches: np.ndarray, rate: float) -> float:
    """The standard error of the ratio of two sums over sets; nan for one set."""
    number = len(matches)
    if number < 2:
        return math.nan
    # Whole numbers, so that sets all alike give exactly 0.
    residuals = wins * matches.sum() - matches * wins.sum()
    if not residuals.any():
        return 0.0
    squares = float(((wins - rate * matches) ** 2).sum())
    return math.sqrt(number / (number - 1) * squares) / float(matches.sum())


def _mirrored(sets: np.ndarray, won: np.ndarray, lengths: np.ndarray) -> bool:
    """Whether each set's matches that A won are as long, one by one, as those that B won."""
    sides = [(sets[won == side], lengths[won == side]) for side in (1, 0)]
    (a_sets, a_lengths), (b_sets, b_lengths) = (
        (numbers[order], length[order])
        for numbers, length in sides
        for order in [np.lexsort((length, numbers))]
    )
    return np.array_equal(a_sets, b_sets) and np.array_equal(a_lengths, b_lengths)
