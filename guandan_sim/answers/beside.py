"""The arms of a run beside each other: what differs on the very same sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .facts import Facts
from .ratios import Ratios
from .statistic import Measure

__all__ = ["DEFINITION", "MEASURES", "add_differences"]

MEASURES = (
    Measure("sweeps", "points"),
    Measure("levels of the winners", "levels"),
    Measure("plays", "difference"),
)

DEFINITION = """\
What an arm has more than the first one on the very same set: sweeps in percentage points of deals,
levels that the winners gained a deal, and plays of cards in a deal.

Unit: a set, whose deals in both arms have the same cards, so that the interval is that of the
difference by set. Runs of matches have no such table: their matches part ways after the first deal.
"""


def add_differences(arms: Sequence[Facts], sums: Ratios) -> None:
    """Add to ``sums``, a group for each arm but the first, what some sets of independent deals,
    played by ``arms``, say.
    """
    first = _figures(arms[0])
    for number, arm in enumerate(arms[1:]):
        sums.add(arm.sets, np.full(len(arm), number), _figures(arm) - first)


def _figures(facts: Facts) -> NDArray[np.float64]:
    """float64[n, MEASURES] of each deal."""
    columns = [facts.outcome == 0, facts.gain, facts.columns["plays"]]
    return np.stack(columns, axis=1).astype(np.float64)
