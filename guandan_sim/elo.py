"""Elo from win rates, with its error and interval."""

from __future__ import annotations

import math

from .intervals import Interval

__all__ = ["ELO_PER_LOGIT", "elo", "elo_of_wins", "expected_share"]

#: Elo points in one unit of log odds.
ELO_PER_LOGIT = 400 / math.log(10)


def elo(share: float) -> float:
    """The Elo difference at which a share of wins is expected: 400 log10(p / (1 - p)).

    Minus and plus infinite for 0 and 1. Source: A. E. Elo, The Rating of Chessplayers (1978), in
    its logistic form.

    >>> [round(elo(share), 1) for share in (0.0, 0.5, 0.75, 1.0)]
    [-inf, 0.0, 190.8, inf]
    """
    if math.isnan(share):
        return math.nan
    if share <= 0 or share >= 1:
        return math.inf if share >= 1 else -math.inf
    return ELO_PER_LOGIT * math.log(share / (1 - share))


def elo_of_wins(
    share: float, se: float, interval: Interval, sets: int
) -> tuple[float, float, Interval]:
    """(Elo, its standard error, its interval) of a win rate with its own over ``sets`` sets.

    The error is by the delta method, 400 / ln 10 * se / (p (1 - p)); the interval is that of the
    win rate, each end put through `elo`. When A or B won everything, the end away from zero is
    infinite, and the estimate and its error are those with one drawn set added: finite, and
    further from zero than the interval's other end.

    >>> round(elo_of_wins(0.5, 0.01, (0.48, 0.52), 500)[1], 4)
    6.9487
    >>> [round(x, 1) for x in elo_of_wins(1.0, 0.0, (0.96, 1.0), 100)[:2]]
    [921.3, 246.3]
    """
    if share in (0.0, 1.0):
        share = (share * sets + 0.5) / (sets + 1)
        se = math.sqrt(share * (1 - share) / (sets + 1)) if sets > 1 else math.nan
    return (
        elo(share),
        ELO_PER_LOGIT * se / (share * (1 - share)),
        (elo(interval[0]), elo(interval[1])),
    )


def expected_share(difference: float) -> float:
    """The share of wins expected at an Elo difference: 1 / (1 + 10 ** (-difference / 400)).

    The inverse of `elo`, for any float.

    >>> round(expected_share(100.0), 4)
    0.6401
    """
    # The smaller of the two shares is exact, however far from zero the difference.
    odds = math.exp(-abs(difference) / ELO_PER_LOGIT)
    return 1 / (1 + odds) if difference >= 0 else odds / (1 + odds)
