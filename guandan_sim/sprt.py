"""When to stop: a sequential test of two Elo differences on the scores of duplicate sets.

The score of a set is the share of its deals that A's team won: 0, 1/2 or 1 for two deals. Deals of
a set go together, sets do not, so the test is on the distribution of scores, of which nothing is
assumed but its mean: the generalised sequential probability ratio test.

Sources: X. Li, J. Liu and Z. Ying, Generalized sequential probability ratio test for separate
families of hypotheses, Sequential Analysis 33 (2014) 539, for the test; A. Owen, Empirical
Likelihood (2001), section 2, for the most likely distribution with a given mean; A. Wald,
Sequential Analysis (1947), for the bounds and the expected length.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .elo import expected_share
from .errors import OptionError
from .estimates import json_safe, same_lengths, whole_numbers

__all__ = ["Sprt", "SprtState", "likelihood_ratio", "score_counts"]

# Of a set, to every score: tried from 0.001 to 0.5, all kept the error rates.
_ADDED = 0.25

#: One loss in 100,000 deals.
_MOST_ELO = 2000

CONTINUE, ACCEPT_H0, ACCEPT_H1 = "continue", "accept H0", "accept H1"


@dataclass(frozen=True)
class SprtState:
    """Where a test stands.

    verdict: "continue", "accept H0" or "accept H1". sets: those counted. llr: the log likelihood
    ratio of H1 to H0, between ``lower`` and ``upper`` while the test goes on. mean_score: the
    sets' mean score, nan for none. counts: sets by score, from 0 to 1.
    """

    elo0: float
    elo1: float
    alpha: float
    beta: float
    verdict: str
    sets: int
    llr: float
    lower: float
    upper: float
    mean_score: float
    counts: tuple[int, ...]

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, for JSON; nan is None."""
        safe: dict[str, Any] = json_safe(dict(self.__dict__))
        return safe

    def __str__(self) -> str:
        return (
            f"SPRT of Elo {self.elo0:g} (H0) and {self.elo1:g} (H1): {self.verdict} "
            f"after {self.sets:,} sets, LLR {round(self.llr, 2) + 0.0:.2f} "
            f"[{self.lower:.2f}, {self.upper:.2f}]"
        )


class Sprt:
    """A test of H0, the Elo difference is ``elo0``, and H1, it is ``elo1``, taken set by set.

    alpha: the chance to accept H1 when H0 is true; beta: to accept H0 when H1 is true; each above
    0, together below 1. The Elo difference is that of the mean score, as in `elo_of_wins`. The
    bounds are Wald's, log(beta / (1 - alpha)) and log((1 - beta) / alpha).

    Sets come in batches, in the order of their numbers; the test is looked at after each batch, so
    the verdict does not depend on the workers, but does on the batch. The first verdict stands:
    later sets are not counted.

    An interval of the sets of a stopped test is too narrow, and their mean too far out.

    Raises `OptionError` for values out of range.

    >>> test = Sprt(0, 50)
    >>> test.update([20, 60, 20]).verdict
    'continue'
    >>> print(test.update([90, 400, 160]))
    SPRT of Elo 0 (H0) and 50 (H1): accept H1 after 750 sets, LLR 6.06 [-2.94, 2.94]
    """

    def __init__(self, elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> None:
        for name, value in {"elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta}.items():
            if isinstance(value, bool) or not isinstance(value, Real):
                raise OptionError(f"{name} is {value!r}; a number is needed")
        if not -_MOST_ELO <= elo0 < elo1 <= _MOST_ELO:
            raise OptionError(
                f"elo0 is {elo0!r} and elo1 {elo1!r}; elo0 must be the smaller, "
                f"both from -{_MOST_ELO} to {_MOST_ELO}"
            )
        if not (alpha > 0 and beta > 0 and alpha + beta < 1):
            raise OptionError(
                f"alpha is {alpha!r} and beta {beta!r}; above 0, together below 1 are needed"
            )
        self.elo0, self.elo1 = float(elo0), float(elo1)
        self.alpha, self.beta = float(alpha), float(beta)
        self.lower = math.log(beta / (1 - alpha))
        self.upper = math.log((1 - beta) / alpha)
        self._counts: NDArray[np.int64] | None = None
        self._verdict = CONTINUE
        self._llr = 0.0

    @property
    def state(self) -> SprtState:
        """Where the test stands now."""
        counts = self._counts
        sets = 0 if counts is None else int(counts.sum())
        mean = math.nan
        if counts is not None and sets:
            mean = float(counts @ _scores(len(counts))) / sets
        return SprtState(
            elo0=self.elo0,
            elo1=self.elo1,
            alpha=self.alpha,
            beta=self.beta,
            verdict=self._verdict,
            sets=sets,
            llr=self._llr,
            lower=self.lower,
            upper=self.upper,
            mean_score=mean,
            counts=() if counts is None else tuple(counts.tolist()),
        )

    def update(self, counts: ArrayLike) -> SprtState:
        """Count one more batch, int[K + 1] sets by score from 0 to 1, and look at the test.

        K is the number of deals a set, the same in every batch; see `score_counts`. Raises
        `OptionError`.
        """
        batch = whole_numbers(counts, "counts")
        if len(batch) < 2 or (batch < 0).any():
            raise OptionError(
                f"counts are {batch.tolist()}; sets by score, two or more numbers from 0 up"
            )
        if self._counts is not None and len(self._counts) != len(batch):
            raise OptionError(
                f"counts are {batch.tolist()}; {len(self._counts)} numbers were counted before"
            )
        if self._verdict == CONTINUE:
            self._counts = batch.copy() if self._counts is None else self._counts + batch
            self._llr = likelihood_ratio(self._counts, self.elo0, self.elo1)
            if self._llr >= self.upper:
                self._verdict = ACCEPT_H1
            elif self._llr <= self.lower:
                self._verdict = ACCEPT_H0
        return self.state

    def expected_sets(self, difference: float, variance: float) -> float:
        """About how many sets the test takes at a true Elo ``difference``.

        ``variance`` is that of a set's score: 1/8 for two independent deals of equal bots, less
        where duplication saves. Wald's value for a Brownian motion: small differences and batches.
        Raises `OptionError`.

        >>> round(Sprt(0, 10).expected_sets(0, 0.125))
        3201
        """
        if not (math.isfinite(difference) and 0 < variance <= 0.25):
            raise OptionError(
                f"difference is {difference!r} and variance {variance!r}; "
                "a number, and one above 0 to 0.25, are needed"
            )
        low, high = expected_share(self.elo0), expected_share(self.elo1)
        share = expected_share(difference)
        drift = (high - low) * (share - (low + high) / 2) / variance
        spread = (high - low) ** 2 / variance
        rate = 2 * drift / spread
        if abs(rate) < 1e-6:
            return -self.lower * self.upper / spread
        up = -math.expm1(-rate * self.lower) / (
            math.exp(-rate * self.upper) - math.exp(-rate * self.lower)
        )
        return (up * self.upper + (1 - up) * self.lower) / drift


def _scores(classes: int) -> list[float]:
    """The scores of a set, from 0 to 1."""
    return [won / (classes - 1) for won in range(classes)]


def score_counts(sets: ArrayLike, won: ArrayLike) -> NDArray[np.int64]:
    """int64[K + 1]: sets by the number of their K deals that A's team won, from one row a deal.

    sets: int[n], the set's number. won: bool[n]. Raises `OptionError` unless every set has the
    same number of deals.

    >>> score_counts([0, 0, 1, 1, 2, 2], [1, 0, 1, 1, 0, 1]).tolist()
    [0, 2, 1]
    """
    numbers, wins = whole_numbers(sets, "sets"), whole_numbers(won, "won")
    same_lengths(sets=numbers, won=wins)
    wrong = (wins < 0) | (wins > 1)
    if wrong.any():
        raise OptionError(f"won is {wins[np.argmax(wrong)]} in a deal; 0 or 1 is needed")
    unique, index, deals = np.unique(numbers, return_inverse=True, return_counts=True)
    if (deals != deals[0]).any():
        which = int(np.argmax(deals != deals[0]))
        raise OptionError(
            f"set {unique[which]} has {deals[which]} deals; {deals[0]} are needed, as in the first"
        )
    won_by_set = np.bincount(index, weights=wins).astype(np.int64)
    return np.bincount(won_by_set, minlength=int(deals[0]) + 1)


def likelihood_ratio(counts: ArrayLike, elo0: float, elo1: float) -> float:
    """The generalised log likelihood ratio of two Elo differences of the mean score.

    counts: int[K + 1], sets by score from 0 to 1. For each difference the distribution of scores is
    the most likely one with its mean: sum(counts * log(p1 / p0)), where p is counts / N / (1 + t
    (score - mean)) and t solves sum(p * (score - mean)) = 0. It is exact, not the usual normal
    approximation, whose errors are wrong where most sets are drawn. A share of a set is added to
    every score, so that each could come.

    Sets that were all drawn speak for the difference closest to 0: at any other, some would not be.

    >>> round(likelihood_ratio([90, 200, 110], 0, 20), 3)
    0.976
    >>> abs(likelihood_ratio([0, 100, 0], -5, 5)) < 1e-9
    True
    """
    numbers = [count + _ADDED for count in whole_numbers(counts, "counts").tolist()]
    low, high = (
        _log_tilt(numbers, [score - expected_share(difference) for score in _scores(len(numbers))])
        for difference in (elo0, elo1)
    )
    return low - high


def _log_tilt(numbers: list[float], distances: list[float]) -> float:
    """What a mean of ``distances`` of 0 costs in log likelihood: max over t of
    sum(numbers * log(1 + t * distance)).

    ``distances`` have both signs; the logarithms' arguments stay above 0.
    """
    terms = list(zip(numbers, distances, strict=True))
    low, high = -1 / max(distances), -1 / min(distances)
    tilt = 0.0
    # The slope falls all the way: Newton's steps, halving where one leaves the bracket. Far fewer
    # than 200 do, unless rounding keeps the last ones from settling.
    for _ in range(200):
        slope = curvature = 0.0
        for number, distance in terms:
            ratio = distance / (1 + tilt * distance)
            slope += number * ratio
            curvature += number * ratio * ratio
        if slope > 0:
            low = tilt
        else:
            high = tilt
        following = tilt + slope / curvature
        if not low < following < high:
            following = (low + high) / 2
        tilt, step = following, following - tilt
        if abs(step) < 1e-12:
            break
    return sum(number * math.log1p(tilt * distance) for number, distance in terms)
