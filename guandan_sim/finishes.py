"""Finishing orders and tribute cards in numbers, for all who count them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .schemas import WORDS

__all__ = ["CARD_KINDS", "FINISH_SEATS", "card_kinds", "partner_places"]

Ints = NDArray[np.int64]

FINISH_SEATS = np.array([[*map(int, word or "0123")] for word in WORDS["finish"]], np.int64)
"""int64[25, 4]: by place in ``WORDS["finish"]`` the seats in that order; 0123 for no order."""
FINISH_SEATS.flags.writeable = False

CARD_KINDS = ("red joker", "black joker", "level card", "A", "K", "Q", "J or lower")
"""Kinds of card that are paid as tribute, the highest first."""


def partner_places(orders: Ints) -> Ints:
    """int64[n]: where the first's partner finished in ``orders``, int64[n, 4]: 0 second (a sweep),
    1 third, 2 last.

    >>> partner_places(np.array([[0, 2, 1, 3], [0, 1, 2, 3], [0, 1, 3, 2]])).tolist()
    [0, 1, 2]
    """
    partner = orders[:, 0] ^ 2
    return np.where(orders[:, 1] == partner, 0, np.where(orders[:, 2] == partner, 1, 2))


def card_kinds(cards: Ints, level: Ints) -> Ints:
    """int64[n]: which of `CARD_KINDS` each card number is at its level (rank).

    >>> card_kinds(np.array([60, 4 * 13, 4 * 7, 4 * 2]), np.array([7, 7, 7, 7])).tolist()
    [0, 3, 2, 6]
    """
    rank = cards >> 2
    kinds = np.select([rank == 15, rank == 14, rank == level], [0, 1, 2], default=6)
    return np.where(kinds < 6, kinds, np.clip(16 - rank, 3, 6))
