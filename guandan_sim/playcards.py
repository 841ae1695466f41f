"""The cards of a play in two small numbers, as the table plays keeps them.

A play is two words, ``one`` (at least one copy) and ``two`` (both copies). Most plays are a few
cards at their declared rank and just below it, so the ranks are turned until these come together:
the pair of nines then looks like the pair of tens, and a column of plays packs into half the bytes.

A card of rank q stands in nibble ``(q - rank + 4) % 13``, its suits in the nibble's four bits;
where a joker or nothing is declared, rank counts as 5.

- ``near``: bits 0 to 19 are nibbles 0 to 4, the declared rank last; bit 20 is the black joker, bit
  21 the red one. Bit 22 + i: the i-th lowest card of ``one``, from 0, is there twice. A play has
  at most ten cards, so bit 31 is never set.
- ``far``: nibbles 5 to 12.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bits import popcount
from .jit import kernel

__all__ = ["pack_cards", "unpack_cards"]

_SUITED = (1 << 52) - 1
_NEAR = (1 << 20) - 1
_BLACK, _RED = 20, 21
_TWICE = 22
_MOST = 10


@kernel
def pack_cards(rank: int, one: int, two: int) -> tuple[int, int]:
    """(near, far) of a play declared as ``rank`` (0 to 15) with the cards ``one`` and ``two``.

    >>> pack_cards(9, 0b11 << 36, 0) == pack_cards(10, 0b11 << 40, 0) == (0b11 << 16, 0)
    True
    """
    turn = 4 * ((rank + 8) % 13) if 0 < rank <= 13 else 0
    cards = one >> 4 & _SUITED
    cards = (cards >> turn | cards << 52 - turn) & _SUITED
    near = cards & _NEAR | (one >> 56 & 1) << _BLACK | (one >> 60 & 1) << _RED
    while two != 0:
        low = two & -two
        near |= 1 << _TWICE + popcount(one & low - 1)
        two ^= low
    return near, cards >> 20


def unpack_cards(
    rank: NDArray[Any], near: NDArray[np.uint32], far: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The words (one, two), int64[n] each, of plays; any numbers are taken.

    ``rank``: integers from 0 to 15 [n]; ``near`` and ``far``: uint32[n].

    >>> near, far = np.array([3 << 16], np.uint32), np.array([0], np.uint32)
    >>> [words.tolist() for words in unpack_cards(np.array([9]), near, far)]
    [[206158430208], [0]]
    """
    ranks = np.asarray(rank, np.int64)
    turn = np.where((ranks > 0) & (ranks <= 13), 4 * ((ranks + 8) % 13), 0)
    close = near.astype(np.int64)
    cards = close & _NEAR | far.astype(np.int64) << 20
    one = (cards << turn | cards >> 52 - turn) & _SUITED
    one <<= 4
    one |= (close >> _BLACK & 1) << 56 | (close >> _RED & 1) << 60
    two = np.zeros_like(one)
    twice = close >> _TWICE & (1 << _MOST) - 1
    rest = one.copy()
    while twice.any():
        low = rest & -rest
        two |= np.where(twice & 1, low, 0)
        rest ^= low
        twice >>= 1
    return one, two
