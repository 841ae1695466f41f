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

__all__ = ["LEAST_SETS", "Estimate", "Ratios", "estimate_of", "freedom_of"]

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
        self, group: int, ratio: int, *, kind: str = "number", confidence: float = 0.95
    ) -> Estimate:
        """See `estimate_of`."""
        return estimate_of(self.sums[group, ratio], kind=kind, confidence=confidence)


def estimate_of(sums: Floats, *, kind: str = "number", confidence: float = 0.95) -> Estimate:
    """The ratio of two sums over sets that `dealfacts.add_clusters` kept, float64[7]. ``kind`` is
    "share", "slope", or another word for what may have any value.

    The variance is that of a ratio of sums a and b over sets, n / (n - 1) * sum((a - r b)^2) / B^2
    with B = sum(b), and the interval has Student's quantile with n - 1 degrees of freedom, where n
    is the effective number of sets, B^2 / sum(b^2): the number of sets if all weigh the same, but
    of a rare thing about how often it was seen. That of a ``share`` is Wilson's with the effective
    number of trials (`intervals.share_interval`), which holds near 0 and 1, too. Values that are
    all alike, and those of hardly more than one set, say nothing of their spread: the interval of a
    mean is unknown then. A slope is unknown if nothing moved. Sources: W. G. Cochran, Sampling
    Techniques, 3rd ed., section 6.3; L. Kish, Survey Sampling (1965).
    """
    total, units_sum, aa, ab, bb, sets, units = (float(value) for value in sums)
    if units_sum == 0.0 or (kind == "slope" and aa == 0.0):
        return Estimate(math.nan, math.nan, UNKNOWN, int(units), int(sets))
    value = total / units_sum
    effective = units_sum * units_sum / bb
    if sets < 2 or effective < LEAST_SETS:
        return Estimate(value, math.nan, UNKNOWN, int(units), int(sets))
    squares = max(aa - 2 * value * ab + value * value * bb, 0.0)
    # What rounding leaves of sums that are equal.
    if squares < 1e-9 * (aa + abs(value * ab) + value * value * bb):
        squares = 0.0
    se = math.sqrt(effective / (effective - 1) * squares) / abs(units_sum)
    if kind == "share":
        trials = freedom_of(effective) + 1 if se else int(sets)
        interval = share_interval(min(max(value, 0.0), 1.0), se, trials, confidence)
    elif se == 0.0:
        interval = UNKNOWN
    else:
        margin = student_quantile(confidence, freedom_of(effective)) * se
        interval = (value - margin, value + margin)
    return Estimate(value, se, interval, int(units), int(sets))


LEAST_SETS = 1.5
"""Fewer sets, effectively, say nothing of their spread."""


def freedom_of(effective: float) -> int:
    """Degrees of freedom of so many sets, effectively.

    >>> freedom_of(1.6), freedom_of(30.0)
    (1, 29)
    """
    return max(int(effective + 1e-9) - 1, 1)
