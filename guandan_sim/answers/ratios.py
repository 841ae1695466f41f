"""Means, shares and slopes over a run of any size, each a ratio of two sums with its interval by
set.

A mean is the sum of a value over the number of units, a share one of values 0 and 1, a slope the
sum of products over that of squares. The units of a set (the deals of a match, the seats of a deal)
go together, so the error of a ratio is that of sums over sets. What is kept of a ratio does not
grow with the run, and parts add up in any order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import dealfacts
from ..intervals import UNKNOWN, Interval, share_interval, student_quantile

__all__ = ["Estimate", "Ratios", "estimate_of"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A ratio: ``value``, its standard error ``se`` clustered by set, its ``interval``, and of how
    many ``units`` in how many ``sets`` it is. nan where there is nothing to tell it from.
    """

    value: float
    se: float
    interval: Interval
    units: int
    sets: int


class Ratios:
    """Sums of ``ratios`` ratios for each of ``groups`` groups, float64[groups, ratios, 7], see
    `dealfacts.add_clusters`.

    >>> ratios = Ratios(1, 1)
    >>> ratios.add(np.arange(4), np.zeros(4, np.int64), np.array([[0.0], [1], [1], [1]]))
    >>> ratios.estimate(0, 0).value
    0.75
    """

    def __init__(self, groups: int, ratios: int) -> None:
        self.sums = np.zeros((groups, ratios, 7))

    def add(self, sets: Ints, groups: Ints, above: Floats, below: Floats | None = None) -> None:
        """Add rows in the order of their ``sets``, int64[n]: ``groups``, int64[n], -1 for none,
        and ``above`` over ``below`` (by default 1), float64[n, ratios].
        """
        if below is None:
            below = np.ones_like(above)
        now = np.zeros((*self.sums.shape[:2], 2))
        dealfacts.add_clusters(sets, groups, above, below, now, self.sums)

    def merge(self, other: Ratios) -> None:
        """Add the sums of other sets."""
        self.sums += other.sums

    def estimate(
        self, group: int, ratio: int, *, share: bool = False, confidence: float = 0.95
    ) -> Estimate:
        """See `estimate_of`."""
        return estimate_of(self.sums[group, ratio], share=share, confidence=confidence)


def estimate_of(sums: Floats, *, share: bool = False, confidence: float = 0.95) -> Estimate:
    """The ratio of two sums over sets that `dealfacts.add_clusters` kept, float64[7].

    The variance is that of a ratio of sums over c sets, c / (c - 1) * sum((a - r b)^2) / B^2. The
    interval has Student's quantile with c - 1 degrees of freedom; of a ``share`` it is Wilson's
    with the effective number of trials (`intervals.share_interval`), which holds near 0 and 1, too.
    Values that are all alike, and those of one set, say nothing of their spread: the interval of
    a mean is unknown then. Source: W. G. Cochran, Sampling Techniques, 3rd ed., section 6.3.
    """
    total, units_sum, aa, ab, bb, sets, units = (float(value) for value in sums)
    if units_sum == 0.0:
        return Estimate(math.nan, math.nan, UNKNOWN, int(units), int(sets))
    value = total / units_sum
    if sets < 2:
        return Estimate(value, math.nan, UNKNOWN, int(units), int(sets))
    squares = max(aa - 2 * value * ab + value * value * bb, 0.0)
    # What rounding leaves of sums that are equal.
    if squares < 1e-9 * (aa + abs(value * ab) + value * value * bb):
        squares = 0.0
    se = math.sqrt(sets / (sets - 1) * squares) / abs(units_sum)
    if share:
        interval = share_interval(min(max(value, 0.0), 1.0), se, int(sets), confidence)
    elif se == 0.0:
        interval = UNKNOWN
    else:
        margin = student_quantile(confidence, int(sets) - 1) * se
        interval = (value - margin, value + margin)
    return Estimate(value, se, interval, int(units), int(sets))
