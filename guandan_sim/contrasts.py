"""What differs between arms that play the same sets, with intervals from the differences by set.

All arms of a set share deck, level and tribute due, so that their deals go together: the unit of
every error here is the set. A contrast adds up what a team did in each arm with a weight, as 1 and
-1 for one arm against another. Sets are only counted by what happened in them, so that any number
of them takes no more memory than their outcomes.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .estimates import json_safe
from .intervals import UNKNOWN, Interval, bounds, normal_quantile, student_quantile, wilson

__all__ = ["Contrast", "Counts", "Estimate", "Played", "Weights", "counts_of_arms"]

Ints = NDArray[np.int64]

#: No preset promotes by more, so no deal lies further from zero.
_TOP_GAIN = 4
# What is kept of a deal: levels counted from -_MOST, and whether it was won, in so many bits.
_MOST = 16
_BITS = 6


@dataclass(frozen=True)
class Estimate:
    """A figure with its standard error, clustered by set, and its 95% interval; nan where one set
    does not tell.
    """

    value: float
    se: float
    interval: Interval


@dataclass(frozen=True)
class Weights:
    """A contrast to be worked out: the weight of each arm, divided by ``per``."""

    name: str
    weights: tuple[int, ...]
    per: int = 1

    @property
    def arms(self) -> list[int]:
        """The arms that it takes."""
        return [arm for arm, weight in enumerate(self.weights) if weight]


@dataclass(frozen=True)
class Contrast:
    """What differs between some arms over ``sets`` sets.

    levels: in levels a deal. won: in the share of deals won, 0.01 a percentage point.
    changed: sets whose deals did not all end in the same order. variance_saved: 1 - Var(levels) /
    Var(of as many deals on decks of their own), with its jackknife interval.
    """

    name: str
    sets: int
    levels: Estimate
    won: Estimate
    changed: int
    variance_saved: Estimate

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, for JSON: intervals are lists, nan is None."""
        safe: dict[str, Any] = json_safe(asdict(self))
        return safe


@dataclass(frozen=True)
class Played:
    """What a team did in some sets, [sets, arms] each: ``levels`` gained, those of the opponents
    counted against it; ``won``, whether it won; ``orders``, any number that tells how the deal
    ended.
    """

    levels: NDArray[np.int8]
    won: NDArray[np.bool_]
    orders: NDArray[np.uint8]


class Counts:
    """How many sets came out in what way, as far as ``weights`` tell them apart.

    >>> counts = Counts(Weights("a - b", (1, -1)))
    >>> levels = np.array([[3, 1], [-1, -1]], np.int8)
    >>> counts.add(Played(levels, levels > 0, levels.astype(np.uint8)))
    >>> result = counts.contrast()
    >>> result.levels.value, result.levels.se, result.changed
    (1.0, 1.0, 1)
    """

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._sets: dict[int, int] = {}

    def add(self, played: Played, chosen: NDArray[np.bool_] | slice = slice(None)) -> None:
        """Count those of the sets that are ``chosen``."""
        arms = self._weights.arms
        levels, won, orders = (
            array[chosen][:, arms] for array in (played.levels, played.won, played.orders)
        )
        codes = (orders != orders[:, :1]).any(axis=1).astype(np.int64)
        for arm in range(len(arms)):
            codes = codes << _BITS | (levels[:, arm].astype(np.int64) + _MOST) << 1 | won[:, arm]
        for code, count in zip(
            *(part.tolist() for part in np.unique(codes, return_counts=True)), strict=True
        ):
            self._sets[code] = self._sets.get(code, 0) + count

    @property
    def sets(self) -> int:
        """How many were counted."""
        return sum(self._sets.values())

    def _rows(self) -> tuple[Ints, Ints, Ints, Ints]:
        """(levels [rows, arms], 1 won and -1 lost [rows, arms], changed, sets), a row a way to come
        out.
        """
        arms = len(self._weights.arms)
        codes, counts = np.array(sorted(self._sets.items()), np.int64).reshape(-1, 2).T
        shifts = np.arange(arms - 1, -1, -1) * _BITS
        of_arms = codes[:, None] >> shifts & (1 << _BITS) - 1
        return (of_arms >> 1) - _MOST, 2 * (of_arms & 1) - 1, codes >> arms * _BITS, counts

    def contrast(self, confidence: float = 0.95, *, exact: bool = False) -> Contrast:
        """The contrast of the sets that were counted, at least one.

        The error is that of independent sets, sd / sqrt(N), the interval Student's t with N - 1
        degrees of freedom. ``exact``: where no set differs none can, so that sets all alike leave
        no doubt; else the interval is then the bounds that unseen sets leave, with 4 levels as the
        most that a deal can gain.
        """
        levels, signs, changed, counts = self._rows()
        weights = np.array([self._weights.weights[arm] for arm in self._weights.arms])
        per, size = self._weights.per, int(abs(weights).sum())
        top = max(_TOP_GAIN, int(abs(levels).max())) * size / per
        exact = exact and not changed.any()
        return Contrast(
            name=self._weights.name,
            sets=int(counts.sum()),
            levels=_mean(levels @ weights, per, counts, top, confidence, exact),
            # Halves, since a deal that is not won is lost: without an effect the mean is zero.
            won=_within(
                _mean(signs @ weights, 2 * per, counts, size / (2 * per), confidence, exact),
                size / (2 * per),
            ),
            changed=int(counts[changed > 0].sum()),
            variance_saved=_saved(levels, weights, counts, confidence),
        )

    def arm(self, confidence: float = 0.95) -> tuple[Estimate, Estimate]:
        """(levels a deal, share of deals won) of a single arm."""
        levels, signs, _, counts = self._rows()
        top = max(_TOP_GAIN, int(abs(levels).max()))
        gained = _mean(levels[:, 0], 1, counts, top, confidence, False)
        halves = _mean(signs[:, 0], 2, counts, 0.5, confidence, False)
        share, sets = halves.value + 0.5, int(counts.sum())
        known = sets > 1
        interval = wilson(share, sets, normal_quantile(confidence)) if known else UNKNOWN
        return gained, Estimate(share, halves.se, interval)


def _mean(
    values: Ints, per: int, counts: Ints, top: float, confidence: float, exact: bool
) -> Estimate:
    """The mean of ``values`` / ``per``, each so many times. Sets all alike leave those unseen
    within ``top`` of zero.
    """
    number = int(counts.sum())
    total, squares = int((counts * values).sum()), int((counts * values**2).sum())
    mean = total / (number * per)
    if number < 2:
        return Estimate(mean, math.nan, UNKNOWN)
    # Whole numbers, so that sets all alike give exactly 0.
    spread = number * squares - total**2
    if spread == 0:
        interval = (mean, mean) if exact else bounds(mean, -top, top, number, confidence)
        return Estimate(mean, 0.0, interval)
    se = math.sqrt(spread / (number - 1)) / (number * per)
    margin = student_quantile(confidence, number - 1) * se
    return Estimate(mean, se, (mean - margin, mean + margin))


def _within(found: Estimate, top: float) -> Estimate:
    """The estimate of what is nowhere further than ``top`` from zero."""
    low, high = found.interval
    return replace(found, interval=(max(low, -top), min(high, top)))


def _saved(levels: Ints, weights: Ints, counts: Ints, confidence: float) -> Estimate:
    """The share of variance saved by playing the same deals, with its jackknife interval."""
    number = int(counts.sum())
    if number < 2:
        return Estimate(math.nan, math.nan, UNKNOWN)
    values = np.column_stack([levels @ weights, levels]).astype(np.float64)
    totals = counts @ values, counts @ values**2
    factors = weights.astype(np.float64) ** 2
    value = float(_share_saved(*totals, number, factors))
    if number < 3 or math.isnan(value):
        return Estimate(value, math.nan, UNKNOWN)
    without = _share_saved(totals[0] - values, totals[1] - values**2, number - 1, factors)
    mean = float(counts @ without) / number
    se = math.sqrt((number - 1) / number * float(counts @ (without - mean) ** 2))
    margin = student_quantile(confidence, number - 1) * se
    interval = (value - margin, min(1.0, value + margin))
    return Estimate(value, se, interval if not math.isnan(se) else UNKNOWN)


def _share_saved(sums: Any, squares: Any, number: int, factors: Any) -> Any:
    """From sums and sums of squares over sets: the contrast's in the first column, then by arm."""
    spreads = squares - sums**2 / number
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - spreads[..., 0] / np.float64(spreads[..., 1:] @ factors)


def counts_of_arms(arms: int) -> list[Counts]:
    """For `Counts.arm`, one for each of so many arms."""
    return [
        Counts(Weights("", tuple(int(other == arm) for other in range(arms))))
        for arm in range(arms)
    ]
