"""Quantiles and intervals that the estimators share, without SciPy."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

from .errors import OptionError

__all__ = [
    "UNKNOWN",
    "Interval",
    "bounds",
    "check_confidence",
    "corrected",
    "normal_quantile",
    "share_interval",
    "student_quantile",
    "unseen",
    "wilson",
]

Interval = tuple[float, float]
#: The interval where there is nothing to tell it from.
UNKNOWN: Interval = (math.nan, math.nan)

# From here on the expansion around the normal quantile is exact to 1e-9.
_MANY = 200


def check_confidence(confidence: float) -> float:
    """``confidence`` itself; raises `OptionError` unless it lies between 0 and 1.

    >>> check_confidence(0.95)
    0.95
    """
    if not 0 < confidence < 1:
        raise OptionError(f"confidence is {confidence!r}; a number between 0 and 1 is needed")
    return float(confidence)


def corrected(confidence: float, comparisons: int) -> float:
    """The confidence of each of some intervals for all of them to hold together: Bonferroni's.

    1 - (1 - confidence) / comparisons. It holds however the comparisons depend on each other, as
    those of bots that share deals do.
    Source: O. J. Dunn, J. Am. Stat. Assoc. 56 (1961) 52. Raises `OptionError`.

    >>> round(corrected(0.95, 10), 6)
    0.995
    """
    if comparisons < 1:
        raise OptionError(f"comparisons is {comparisons!r}; at least one is needed")
    return 1 - (1 - check_confidence(confidence)) / comparisons


def normal_quantile(confidence: float) -> float:
    """Half the width, in standard errors, of a two-sided normal interval. Raises `OptionError`.

    >>> round(normal_quantile(0.95), 6)
    1.959964
    """
    # The lower tail keeps its digits where the confidence is close to 1.
    return -NormalDist().inv_cdf((1 - check_confidence(confidence)) / 2)


@lru_cache
def student_quantile(confidence: float, freedom: int) -> float:
    """Half the width, in standard errors, of a two-sided interval of Student's t.

    ``freedom`` is the degrees of freedom, at least 1. Source: M. Abramowitz and I. A. Stegun,
    Handbook of Mathematical Functions, 26.7.3 and 26.7.4, solved by bisection; for more than 200
    degrees 26.7.5. Raises `OptionError`.

    >>> [round(student_quantile(0.95, freedom), 3) for freedom in (1, 2, 30, 10_000)]
    [12.706, 4.303, 2.042, 1.96]
    """
    if freedom < 1:
        raise OptionError(f"freedom is {freedom!r}; at least 1 is needed")
    z = normal_quantile(confidence)
    if freedom > _MANY:
        terms = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
            (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92_160,
        )
        return z + sum(term / float(freedom) ** power for power, term in enumerate(terms, 1))
    # The angle arctan(t / sqrt(freedom)), between those of t = 0 and of t without end.
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        if _student_inside(middle, freedom) < confidence:
            low = middle
        else:
            high = middle
    return math.tan(high) * math.sqrt(freedom)


def _student_inside(angle: float, freedom: int) -> float:
    """The chance that Student's t lies within tan(angle) * sqrt(freedom) of zero."""
    cosine, sine = math.cos(angle), math.sin(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = 0.0
    for power in range(odd, freedom - 1, 2):
        total += term
        term *= cosine**2 * (power + 1) / (power + 2)
    return (angle + sine * total) * 2 / math.pi if odd else sine * total


def wilson(share: float, trials: float, quantile: float) -> tuple[float, float]:
    """The score interval of a share from ``trials`` trials, which need not be a whole number.

    ``quantile`` is in standard errors. Within [0, 1], and (0, 1) for no trials. For clustered
    trials ``trials`` is the effective number, share * (1 - share) / se**2, and the quantile is
    Student's. Sources: E. B. Wilson, J. Am. Stat. Assoc. 22 (1927) 209; N. Dean and M. Pagano,
    J. Surv. Stat. Methodol. 3 (2015) 484.

    >>> [round(bound, 4) for bound in wilson(0.8, 10, normal_quantile(0.95))]
    [0.4902, 0.9433]
    """
    if trials <= 0:
        return 0.0, 1.0
    extra = quantile**2 / trials
    centre = share + extra / 2
    margin = math.sqrt(extra * (share * (1 - share) + extra / 4))
    # Rounding must not push a bound past its share.
    low, high = (centre - margin) / (1 + extra), (centre + margin) / (1 + extra)
    return max(0.0, min(share, low)), min(1.0, max(share, high))


def unseen(confidence: float, trials: int) -> float:
    """The largest share of trials that may come out otherwise when ``trials`` came out alike.

    1 - ((1 - confidence) / 2) ** (1 / trials), a bound of Clopper and Pearson's interval ("rule of
    three"). Source: C. J. Clopper and E. S. Pearson, Biometrika 26 (1934) 404.

    >>> round(unseen(0.95, 100), 4)
    0.0362
    """
    return float(-math.expm1(math.log((1 - check_confidence(confidence)) / 2) / trials))


def share_interval(
    share: float, se: float, sets: int, confidence: float, *, level: bool = False
) -> Interval:
    """The interval of a share over clusters: Wilson's with Student's t and the effective number.

    ``se`` is clustered over ``sets`` sets. Sets that came out alike (``se`` 0) say nothing of
    their spread: then the interval is what could be if as many sets as Clopper and Pearson's bound
    allows came out otherwise. ``level`` says that the share is exactly one half by construction.
    nan for one set.

    >>> [round(bound, 4) for bound in share_interval(0.6, 0.01, 1_000, 0.95)]
    [0.5802, 0.6194]
    >>> [round(bound, 4) for bound in share_interval(1.0, 0.0, 100, 0.95)]
    [0.9638, 1.0]
    """
    if level:
        return share, share
    if sets < 2:
        return UNKNOWN
    if se == 0:
        return bounds(share, 0.0, 1.0, sets, confidence)
    return wilson(share, share * (1 - share) / se**2, student_quantile(confidence, sets - 1))


def bounds(mean: float, low: float, high: float, sets: int, confidence: float) -> Interval:
    """Where a mean of values from ``low`` to ``high`` lies when every set gave ``mean``."""
    other = unseen(confidence, sets)
    return mean - other * (mean - low), mean + other * (high - mean)
