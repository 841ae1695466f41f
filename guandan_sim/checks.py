"""Arguments that people pass in many places: seats, seeds, finishing orders."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from .errors import OptionError

__all__ = ["check_seat", "check_seed", "pack_order"]


def check_seat(seat: object, name: str = "seat") -> int:
    """``seat`` if it is 0..3, else `OptionError`."""
    if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat <= 3:
        raise OptionError(f"{name} is {seat!r}; seats are 0, 1, 2 and 3")
    return int(seat)


def check_seed(seed: object, name: str = "seed") -> int:
    """``seed`` if it is a whole number that fits 63 bits, else `OptionError`."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**63:
        raise OptionError(f"{name} is {seed!r}; a whole number from 0 to 2**63 - 1 is needed")
    return int(seed)


def pack_order(order: Sequence[int] | str, name: str = "previous_order") -> int:
    """A finishing order, first out first, packed two bits a seat; after a sweep the last two in
    order of seat.

    >>> pack_order("0213") == 0 | 2 << 2 | 1 << 4 | 3 << 6
    True
    """
    try:
        seats = [int(x) if isinstance(x, str) else operator.index(x) for x in order]
    except (TypeError, ValueError):
        seats = []
    if sorted(seats) != [0, 1, 2, 3]:
        raise OptionError(
            f"{name} is {order!r}; name the seats 0..3 in the order they went out, as in '0213'"
        )
    if (seats[0] ^ seats[1]) & 1 == 0:
        seats[2:] = sorted(seats[2:])
    return seats[0] | seats[1] << 2 | seats[2] << 4 | seats[3] << 6
