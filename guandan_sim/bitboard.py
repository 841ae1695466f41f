"""A hand as two words, and how ranks are read off them.

Bit ``4 * rank + suit`` of ``one`` is set where at least one copy of a card is held, of ``two``
where both are, so a rank is a nibble. Ranks 1..13 are 2..A; 14 and 15 are the jokers, which own the
lowest bit of their nibble. Nibble 0 is empty in a hand; in a *sequence board* it repeats the aces,
so that runs are shifts and ANDs at stride 4.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from .bits import index, popcount
from .jit import kernel

__all__ = [
    "CHOOSE",
    "JOKERS",
    "NATURAL",
    "PACK",
    "RANK_UNITS",
    "add_card",
    "choose",
    "contains",
    "count_cards",
    "rank_cards",
    "rank_counts",
    "rank_index",
    "rank_plane",
    "ranks_held",
    "remove",
    "sequence_board",
    "without_sequence",
]

NATURAL = sum(0xF << 4 * rank for rank in range(1, 14))
JOKERS = 1 << 56 | 1 << 60
PACK = NATURAL | JOKERS
RANK_UNITS = sum(1 << 4 * rank for rank in range(16))  # bit 0 of every nibble


def _multisets(index: int) -> list[list[int]]:
    """For a rank's index byte (see `rank_index`): by size 0..8, its multisets as index bytes of
    their own.
    """
    held = [(index >> suit & 1) + (index >> 4 + suit & 1) for suit in range(4)]
    found: list[list[int]] = [[] for _ in range(9)]
    for copies in product(*(range(n, -1, -1) for n in held)):  # spades first
        one = sum(1 << suit for suit in range(4) if copies[suit])
        two = sum(1 << suit for suit in range(4) if copies[suit] == 2)
        found[sum(copies)].append(one | two << 4)
    return found


def _tables() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    choose_counts = np.zeros(256 * 16, np.int64)
    start = np.zeros(256 * 16, np.int64)
    members: list[int] = []
    for kind in range(256):
        if kind >> 4 & ~kind:
            continue  # a second copy without a first is no hand
        found = _multisets(kind)
        for size in range(9):
            choose_counts[16 * kind + size] = len(found[size])
            start[16 * kind + size] = len(members)
            members += found[size]
    return choose_counts, start, np.array(members, np.int64)


# CHOOSE[16 * index + size]: how many multisets of that size a rank with that index byte has (size
# 0..8, else 0).
CHOOSE, _START, _MEMBERS = _tables()


@kernel
def rank_index(one: int, two: int, place: int) -> int:
    """The byte (two << 4 | one) of the rank whose nibble begins at bit ``place``; index of the
    tables.
    """
    return (one >> place & 15) | (two >> place & 15) << 4


@kernel
def choose(one: int, two: int, place: int, size: int, k: int) -> tuple[int, int]:
    """The ``k``-th multiset of ``size`` cards of the rank at bit ``place``, as (one, two)."""
    row = index(16 * rank_index(one, two, place) + size)
    member = _MEMBERS[index(_START[row] + k)]
    return (member & 15) << place, (member >> 4) << place


@kernel
def ranks_held(board: int) -> int:
    """Bit 0 of each nibble of ``board`` that is not empty."""
    board |= board >> 1
    return (board | board >> 2) & RANK_UNITS


@kernel
def _nibble_counts(board: int) -> int:
    """Bits set in each nibble, in place (two steps of the SWAR popcount)."""
    board -= board >> 1 & 0x5555555555555555
    return (board & 0x3333333333333333) + (board >> 2 & 0x3333333333333333)


@kernel
def rank_counts(one: int, two: int) -> int:
    """Cards of each rank (0..8) in its nibble; jokers (0..2) in theirs."""
    return _nibble_counts(one) + _nibble_counts(two)


@kernel
def rank_cards(units: int) -> int:
    """All bits of the ranks whose low bits are set: four of a natural rank, one of a joker."""
    return (units & NATURAL) * 15 | (units & JOKERS)


@kernel
def rank_plane(one: int, two: int, least: int) -> int:
    """Bit 0 of the nibble of each rank with at least ``least`` (1..3) cards."""
    if least == 1:
        return ranks_held(one)
    counts = rank_counts(one, two)
    four = counts >> 2 | counts >> 3
    if least == 2:
        return (counts >> 1 | four) & RANK_UNITS
    return (four | (counts & counts >> 1)) & RANK_UNITS


@kernel
def count_cards(one: int, two: int) -> int:
    """Number of cards in a hand."""
    return popcount(one) + popcount(two)


@kernel
def contains(one: int, two: int, take_one: int, take_two: int) -> bool:
    """Whether the hand holds all the cards of ``take``, which must itself be a hand (two within
    one).
    """
    return (take_one & ~one) == 0 and (take_two & ~two) == 0 and (take_two & ~take_one) == 0


@kernel
def remove(one: int, two: int, take_one: int, take_two: int) -> tuple[int, int]:
    """The hand without the cards of ``take``, all of which it must hold."""
    return (one & ~take_one) | (two & take_one & ~take_two), two & ~take_one


@kernel
def add_card(one: int, two: int, card: int) -> tuple[int, int]:
    """The hand with one more copy of the card whose number is ``card``; it must not hold both
    already.
    """
    bit = 1 << card
    return one | bit, two | (one & bit)


@kernel
def sequence_board(board: int) -> int:
    """Natural ranks only, with the aces once more in nibble 0, below the twos."""
    board &= NATURAL
    return board | board >> 52


@kernel
def without_sequence(board: int) -> int:
    """Cards taken from a sequence board, with low aces put back to their own nibble."""
    return (board & ~15) | (board & 15) << 52
