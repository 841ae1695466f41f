"""What a combination is: shapes, strengths, who beats whom, and whether cards may be declared as
one.

A move in a kernel is (shape, rank, one, two). Two moves compare by (kind, strength): a move beats
another if the kinds are equal and its strength is higher, or if it is a bomb and the other is not.
All bombs are one kind; the ladder 4 < 5 < straight flush < 6 < ... < 10 < joker bomb is in the
strength.
"""

from __future__ import annotations

import numpy as np

from .bitboard import (
    JOKERS,
    NATURAL,
    RANK_UNITS,
    count_cards,
    rank_counts,
    ranks_held,
    sequence_board,
)
from .bits import index, trailing_zeros
from .jit import kernel, opened

__all__ = [
    "ABOVE",
    "BOMB",
    "FULL_HOUSE",
    "JOKER_BOMB",
    "LADDER_STEP",
    "PAIR",
    "PASS",
    "PLATE",
    "POWER",
    "SHAPE_WORDS",
    "SINGLE",
    "STRAIGHT",
    "STRAIGHT_FLUSH",
    "TRIPLE",
    "TUBE",
    "is_declaration",
    "kind_of",
    "outranks",
    "strength_of",
    "wild_bit",
    "wilds_in",
    "without_wilds",
]

PASS = 0
SINGLE = 1
PAIR = 2
TRIPLE = 3
FULL_HOUSE = 4
STRAIGHT = 5
TUBE = 6
PLATE = 7
BOMB = 8
STRAIGHT_FLUSH = 9
JOKER_BOMB = 10
SHAPE_WORDS = (
    "pass",
    "single",
    "pair",
    "triple",
    "full_house",
    "straight",
    "tube",
    "plate",
    "bomb",
    "straight_flush",
    "joker_bomb",
)

# Rungs of the bomb ladder are this far apart in strength; within a rung the rank decides.
LADDER_STEP = 32


def _power(rank: int, level: int) -> int:
    if rank == level:
        return 14
    return rank + 1 if rank >= 14 else rank


# POWER[16 * level + rank]: order of a rank outside sequences: 2..A as 1..13 without the level,
# level 14, SB 15, HR 16.
POWER = np.array([_power(rank, level) for level in range(16) for rank in range(16)], np.int64)

# ABOVE[32 * level + power]: nibbles of all ranks of a higher power (jokers: their one bit); power
# 0: every rank.
ABOVE = np.array(
    [
        sum((0xF if r < 14 else 1) << 4 * r for r in range(1, 16) if _power(r, level) > power)
        for level in range(16)
        for power in range(32)
    ],
    np.int64,
)

# BEATS[16 * level + rank]: nibbles of all ranks of a higher power than this rank's.
BEATS = np.array(
    [ABOVE[32 * level + _power(rank, level)] for level in range(16) for rank in range(16)], np.int64
)


@kernel
def wild_bit(level: int) -> int:
    """The bit of the wild card: the heart of the level."""
    return 1 << 4 * level + 1


@kernel
def wilds_in(one: int, two: int, level: int) -> int:
    """How many wilds (0..2) the cards hold."""
    place = 4 * level + 1
    return (one >> place & 1) + (two >> place & 1)


@opened
def without_wilds(one: int, two: int, level: int) -> tuple[int, int, int]:
    """The hand without its wilds, and how many (0..2) these are."""
    wild = wild_bit(level)
    return one & ~wild, two & ~wild, wilds_in(one, two, level)


@kernel
def kind_of(shape: int) -> int:
    """The shape, with all bombs as one."""
    return min(shape, BOMB)


@kernel
def strength_of(shape: int, rank: int, size: int, level: int) -> int:
    """Strength within the kind: the power of the rank, or the top rank of a sequence; for bombs
    above the ladder.

    ``size`` is the number of cards; only rank bombs need it.
    """
    if shape == BOMB:
        rung = size - 4 if size < 6 else size - 3
        return rung * LADDER_STEP + POWER[index(16 * level + rank)]
    if shape == STRAIGHT_FLUSH:
        return 2 * LADDER_STEP + rank
    if shape == JOKER_BOMB:
        return 8 * LADDER_STEP
    if STRAIGHT <= shape <= PLATE or shape == PASS:
        return rank
    return POWER[index(16 * level + rank)]


@kernel
def outranks(kind: int, strength: int, beat_kind: int, beat_strength: int) -> bool:
    """Whether the first (kind, strength) beats the second; a second kind of PASS is a free lead."""
    if beat_kind == PASS:
        return True
    if kind == beat_kind:
        return strength > beat_strength
    return kind == BOMB


@kernel
def _in_window(naturals_one: int, naturals_two: int, rank: int, length: int) -> int:
    """Place of the lowest nibble of the ``length`` ranks up to ``rank`` if all cards lie in them,
    else -1.

    The place counts in the sequence board, where a low ace is in nibble 0; there its high twin is
    not in the window.
    """
    start = rank - length + 1
    if start < 0 or rank > 13:
        return -1
    window = ((1 << 4 * length) - 1) << 4 * start
    if start == 0:
        window = (window & ~15) | 15 << 52
    if (naturals_one | naturals_two) & ~window:
        return -1
    return 4 * start


@kernel
def _is_full_house(one: int, two: int, wilds: int, rank: int, joker_pair: int) -> bool:
    """Triple of ``rank`` and a pair of another; ``one``, ``two`` are the five cards without the
    wilds.
    """
    counts = rank_counts(one, two)
    of_triple = counts >> 4 * rank & 15
    others = ranks_held(one) & ~(1 << 4 * rank)
    if rank > 13 or of_triple < 1 or of_triple > 3:
        return False
    if others == 0:
        return of_triple == 3 and wilds == 2
    if others & (others - 1):
        return False
    place = trailing_zeros(others)
    of_pair = counts >> place & 15
    if place >= 56:
        return of_pair == 2 and joker_pair == 1
    return of_pair <= 2


@kernel
def _one_suit(board: int) -> bool:
    """Whether the cards of a sequence board's window, at most one a rank, share a suit."""
    suits = 0
    for suit in range(4):
        suits += (board >> suit & RANK_UNITS) != 0
    return suits <= 1


@kernel
def is_declaration(
    shape: int, rank: int, one: int, two: int, level: int, max_bomb: int, joker_pair: int
) -> bool:
    """Whether the cards may be declared as ``shape`` of ``rank`` at this level (ranks 1..13, 14 and
    15 the jokers).

    ``two`` must be within ``one``. ``max_bomb`` is the largest rank bomb, ``joker_pair`` 1 if a
    full house may hold a pair of jokers. Wilds stand for any natural card, alone or together only
    for the level's.
    """
    size = count_cards(one, two)
    if shape == JOKER_BOMB:
        return rank == 0 and one == JOKERS and two == JOKERS
    if shape == PASS:
        return rank == 0 and size == 0
    if rank < 1 or rank > 15:
        return False
    wild = wild_bit(level)
    wilds = wilds_in(one, two, level)
    one &= ~wild
    two &= ~wild
    counts = rank_counts(one, two)
    if shape <= TRIPLE or shape == BOMB:
        of_rank = counts >> 4 * rank & 15
        if of_rank + wilds != size:
            return False
        if shape == BOMB:
            return rank <= 13 and 4 <= size <= max_bomb and of_rank > 0
        if size != shape:
            return False
        if of_rank == 0:
            return rank == level
        return rank <= 13 or (wilds == 0 and shape < TRIPLE)
    if shape == FULL_HOUSE:
        return size == 5 and _is_full_house(one, two, wilds, rank, joker_pair)
    if (one & ~NATURAL) or size != (5 if shape in (STRAIGHT, STRAIGHT_FLUSH) else 6):
        return False
    # Sequences: as many ranks as the shape says, at most so many cards of each; the wilds fill what
    # is missing.
    length = 3 if shape == TUBE else (2 if shape == PLATE else 5)
    place = _in_window(one, two, rank, length)
    if place < 0:
        return False
    most = 2 if shape == TUBE else (3 if shape == PLATE else 1)
    window = (sequence_board(one) >> place) & ((1 << 4 * length) - 1)
    doubles = (sequence_board(two) >> place) & ((1 << 4 * length) - 1)
    planes = rank_counts(window, doubles)
    for i in range(length):
        if (planes >> 4 * i & 15) > most:
            return False
    if shape == STRAIGHT:
        return wilds > 0 or not _one_suit(window)
    return shape != STRAIGHT_FLUSH or _one_suit(window)
