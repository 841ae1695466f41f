"""More than two bots: one Elo scale for all, fitted to every pair's duplicate sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .bradleyterry import Floats, PairTable, chains, clustered_covariance, fit
from .elo import ELO_PER_LOGIT
from .errors import OptionError
from .estimates import cell_lines, estimate_lines, json_safe
from .intervals import (
    Interval,
    check_confidence,
    corrected,
    share_interval,
    student_quantile,
)

__all__ = ["PairResult", "Ratings", "rate"]


@dataclass(frozen=True)
class PairResult:
    """Two bots that met: ``first`` against ``second`` over ``sets`` sets.

    win_rate: first's mean score, 0 to 1, of these sets alone. elo_difference: first's rating less
    second's, from all sets. Both with standard errors and intervals corrected for all pairs.
    """

    first: str
    second: str
    sets: int
    win_rate: float
    win_rate_se: float
    win_rate_interval: Interval
    elo_difference: float
    elo_difference_se: float
    elo_difference_interval: Interval


@dataclass(frozen=True)
class Ratings:
    """Elo by bot, in the order of ``bots``, from ``sets`` sets; made by `rate`.

    anchor: the bot whose Elo is 0, or None where the mean is. Intervals hold together with the
    stated ``confidence``: they are corrected for ``comparisons`` pairs. separated: some bots won
    or lost everything against the rest, so that one drawn set was added to each pair that met, and
    some intervals have no end. pairs: every pair that met, in the order of ``bots``.
    """

    bots: tuple[str, ...]
    sets: int
    elo: tuple[float, ...]
    se: tuple[float, ...]
    intervals: tuple[Interval, ...]
    anchor: str | None
    confidence: float
    comparisons: int
    separated: bool
    pairs: tuple[PairResult, ...]

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, for JSON: tuples are lists, nan and infinite are None."""
        safe: dict[str, Any] = json_safe(asdict(self))
        return safe

    def __str__(self) -> str:
        """The ratings, best first, and the cross table of win rates, each with its interval."""
        order = sorted(range(len(self.bots)), key=lambda bot: -self.elo[bot])
        zero = "mean 0" if self.anchor is None else f"{self.anchor} 0"
        lines = [
            f"{len(order)} bots in {self.sets:,} sets; Elo, {zero}; intervals corrected for "
            f"{self.comparisons} comparison{'s' * (self.comparisons > 1)}"
        ]
        rows = [
            (self.bots[bot], self.elo[bot], self.se[bot], self.intervals[bot], "+.1f", 1.0)
            for bot in order
        ]
        lines += estimate_lines(rows, self.confidence)
        lines += ["", "deals won in %, row against column, and interval"]
        names = [self.bots[bot] for bot in order]
        cells = [["", *names]]
        cells += [[row, *(self._cell(row, column) for column in names)] for row in names]
        lines += cell_lines(cells)
        if self.separated:
            lines += [
                "",
                "Some bots won or lost everything: one drawn set was added to each pair's.",
            ]
        return "\n".join(lines)

    def _cell(self, row: str, column: str) -> str:
        for pair in self.pairs:
            rate, (low, high) = pair.win_rate, pair.win_rate_interval
            if (pair.first, pair.second) == (column, row):
                rate, low, high = 1 - rate, 1 - high, 1 - low
            elif (pair.first, pair.second) != (row, column):
                continue
            known = f"[{100 * low:.1f}, {100 * high:.1f}]" if low <= high else "unknown"
            return f"{100 * rate:.1f} {known}"
        return "-"


def rate(
    bots: Sequence[str],
    sets: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    score: ArrayLike,
    *,
    anchor: str | None = None,
    confidence: float = 0.95,
) -> Ratings:
    """One Elo a bot, from one row a set and pair, in any order.

    sets: int[n], the set's number; all pairs may have played it. first, second: int[n], the bots'
    indices in ``bots``. score: float[n], the share of the set's deals that first won, 0 to 1.

    The Bradley-Terry model: first's score is expected to be 1 / (1 + 10 ** (-d / 400)) at a
    difference of d Elo. The estimate solves the likelihood's equations (for every bot, scores add
    up to their expectation), which is right on average whatever the spread of scores. Errors are
    clustered by set, since sets share their cards across arms and pairs: the sandwich
    H+ (N / (N - 1) sum g g') H+ of the information H and each set's score vector g. Intervals are
    Student's t, N - 1 degrees of freedom, corrected by Bonferroni (`corrected`) for the
    k (k - 1) / 2 pairs of k bots, those of single ratings too.
    Sources: R. A. Bradley and M. E. Terry, Biometrika 39 (1952) 324; K.-Y. Liang and S. L. Zeger,
    Biometrika 73 (1986) 13, for the errors.

    Edge cases. A finite estimate needs a chain of sets in which each bot won something from the
    next, from every bot to every other (L. R. Ford, Am. Math. Monthly 64 (1957) 28). Else
    (``separated``) one drawn set is added to each pair that met, and an interval whose end the
    wins do not bound is infinite there. One set: errors and intervals are nan.

    Raises `OptionError` for fewer than two bots or names twice, bots that no chain of pairs links,
    a pair that has a set twice, and bad values.

    >>> found = rate(["a", "b"], range(4), [0] * 4, [1] * 4, [1, 0.5, 0.5, 1], anchor="b")
    >>> [round(value, 1) for value in found.elo]
    [190.8, 0.0]
    """
    names = tuple(bots)
    if len(names) < 2 or len(set(names)) < len(names):
        raise OptionError(f"bots are {list(names)}; two or more different names are needed")
    if anchor is not None and anchor not in names:
        raise OptionError(f"anchor is {anchor!r}; one of {', '.join(names)} is needed")
    check_confidence(confidence)
    table = PairTable.checked(len(names), sets, first, second, score)
    met = (table.wins + table.wins.T) > 0
    if not chains(met).all():
        alone = names[int(np.argmin(chains(met)[0]))]
        raise OptionError(f"{names[0]} and {alone} are linked by no pair that met; Elo needs one")
    bounded = chains(table.wins > 0)
    separated = not bool(bounded.all())
    if separated:
        table = table.with_draws()
    logits = fit(table.wins)
    covariance = clustered_covariance(table, logits)

    comparisons = len(names) * (len(names) - 1) // 2
    each = corrected(confidence, comparisons)
    contrasts = np.eye(len(names))
    if anchor is None:
        contrasts -= 1 / len(names)
        above = np.logical_and.reduce(bounded, axis=0)
        below = np.logical_and.reduce(bounded, axis=1)
    else:
        zero = names.index(anchor)
        contrasts[:, zero] -= 1
        above, below = bounded[zero], bounded[:, zero]
    estimates = [
        _estimate(
            contrasts[bot], logits, covariance, table.sets, each, bool(below[bot]), bool(above[bot])
        )
        for bot in range(len(names))
    ]
    return Ratings(
        bots=names,
        sets=table.real_sets,
        elo=tuple(value for value, _, _ in estimates),
        se=tuple(se for _, se, _ in estimates),
        intervals=tuple(interval for _, _, interval in estimates),
        anchor=anchor,
        confidence=confidence,
        comparisons=comparisons,
        separated=separated,
        pairs=tuple(_pairs(names, table, logits, covariance, each, bounded)),
    )


def _estimate(
    contrast: Floats,
    logits: Floats,
    covariance: Floats,
    sets: int,
    confidence: float,
    below: bool,
    above: bool,
) -> tuple[float, float, Interval]:
    """(Elo, error, interval) of a sum of logits; an end that wins do not bound is infinite."""
    value = ELO_PER_LOGIT * float(contrast @ logits)
    se = ELO_PER_LOGIT * math.sqrt(max(float(contrast @ covariance @ contrast), 0.0))
    if sets < 2:
        return value, math.nan, (math.nan, math.nan)
    margin = student_quantile(confidence, sets - 1) * se
    return (
        value,
        se,
        (value - margin if below else -math.inf, value + margin if above else math.inf),
    )


def _pairs(
    names: tuple[str, ...],
    table: PairTable,
    logits: Floats,
    covariance: Floats,
    confidence: float,
    bounded: NDArray[np.bool_],
) -> list[PairResult]:
    """The pairs that met, in the order of the bots."""
    real = table.index < table.real_sets
    results = []
    for one in range(len(names)):
        for other in range(one + 1, len(names)):
            ahead = real & (table.first == one) & (table.second == other)
            behind = real & (table.first == other) & (table.second == one)
            scores = np.concatenate([table.score[ahead], 1 - table.score[behind]])
            number = len(scores)
            if number == 0:
                continue
            share = float(scores.mean())
            if number < 2:
                se = math.nan
            elif (scores == scores[0]).all():
                share, se = float(scores[0]), 0.0
            else:
                se = float(scores.std(ddof=1)) / math.sqrt(number)
            contrast = np.zeros(len(names))
            contrast[one], contrast[other] = 1, -1
            difference = _estimate(
                contrast,
                logits,
                covariance,
                table.sets,
                confidence,
                bool(bounded[one, other]),
                bool(bounded[other, one]),
            )
            results.append(
                PairResult(
                    names[one],
                    names[other],
                    number,
                    share,
                    se,
                    share_interval(share, se, number, confidence),
                    *difference,
                )
            )
    return results
