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
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .elo import elo, expected_share
from .errors import OptionError
from .estimates import json_safe, same_lengths, whole_numbers

__all__ = ["Sprt", "SprtState", "likelihood_ratio", "score_counts"]

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
            f"after {self.sets:,} sets, LLR {self.llr:.2f} [{self.lower:.2f}, {self.upper:.2f}]"
        )


class Sprt:
    """A test of H0, the Elo difference is ``elo0``, and H1, it is ``elo1``, taken set by set.

    alpha: the chance to accept H1 when H0 is true; beta: to accept H0 when H1 is true; each above
    0, together below 1. The Elo difference is that of the mean score, as in `elo_of_wins`. The
    bounds are Wald's, log(beta / (1 - alpha)) and log((1 - beta) / alpha).

    Sets come in batches, in the order of their numbers; the test is looked at after each batch, so
    the verdict does not depend on the workers, but does on the batch. The first verdict stands:
    later sets are not counted. Nothing is decided before ``least`` sets, nor on sets that all came
    out alike, whose likelihood ratio is 0: their spread is unknown.

    An interval of the sets of a stopped test is too narrow, and their mean too far out.

    Raises `OptionError` for values out of range.

    >>> test = Sprt(0, 50)
    >>> test.update([20, 60, 20]).verdict
    'continue'
    >>> print(test.update([90, 400, 210]))
    SPRT of Elo 0 (H0) and 50 (H1): accept H1 after 800 sets, LLR 7.02 [-2.94, 2.94]
    """

    def __init__(
        self, elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05, least: int = 50
    ) -> None:
        if not (math.isfinite(elo0) and math.isfinite(elo1) and elo0 < elo1):
            raise OptionError(f"elo0 is {elo0!r} and elo1 {elo1!r}; elo0 must be the smaller")
        if not (alpha > 0 and beta > 0 and alpha + beta < 1):
            raise OptionError(
                f"alpha is {alpha!r} and beta {beta!r}; above 0, together below 1 are needed"
            )
        self.elo0, self.elo1 = float(elo0), float(elo1)
        self.alpha, self.beta, self.least = float(alpha), float(beta), int(least)
        self.lower = math.log(beta / (1 - alpha))
        self.upper = math.log((1 - beta) / alpha)
        self._counts: NDArray[np.int64] | None = None
        self._verdict = CONTINUE
        self._llr = 0.0
