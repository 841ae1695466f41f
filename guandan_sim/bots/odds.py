"""What the others may hold: cards not seen yet, and the chance that a play is not beaten.

A hand of n cards out of N unseen ones is taken to hold each of these with chance n / N by itself,
whatever its owner did. Chances are in 1024ths, shares (n / N) in sixteenths.
"""

from __future__ import annotations

from math import comb

import numpy as np

from .. import layout as lay
from ..bitboard import NATURAL, PACK, RANK_UNITS
from ..bits import divide, index, trailing_zeros
from ..jit import Words, kernel, opened
from ..shapes import (
    ABOVE,
    BOMB,
    FULL_HOUSE,
    JOKER_BOMB,
    LADDER_STEP,
    STRAIGHT,
    TRIPLE,
    TUBE,
)

__all__ = ["SURE", "holds_no_bomb", "quads", "share_of", "stands", "unseen_cards"]

#: A chance of one.
SURE = 1024

# How often a bomb that is held is played, in 1024ths.
_BOMBING = 512
# Chances that a bomb of five, and a higher one, is not beaten by a hand of four or more.
_FIVE_STANDS = 960
_HIGHER_STANDS = 1000


def _fewer() -> np.ndarray:
    table = np.zeros((17, 4, 16), np.int64)
    for share in range(17):
        for size in range(1, 5):
            for cards in range(16):
                ways = (
                    comb(cards, n) * share**n * (16 - share) ** (cards - n)
                    for n in range(min(size, cards + 1))
                )
                table[share, size - 1, cards] = (sum(ways) * SURE * 2 // 16**cards + 1) // 2
    return table.reshape(-1)


# _FEWER[64 * share + 16 * (size - 1) + cards]: chance that a hand with that share holds fewer than
# ``size`` of so many unseen cards of a rank.
_FEWER = _fewer()


@kernel
def unseen_cards(view: Words) -> tuple[int, int]:
    """The cards that are neither in the seat's hand nor played, as (one, two)."""
    one, two = view[lay.V_ONE], view[lay.V_TWO]
    for seat in range(4):
        played_one = view[index(lay.V_PLAYED + 2 * seat)]
        two |= view[index(lay.V_PLAYED + 2 * seat + 1)] | (one & played_one)
        one |= played_one
    return PACK & ~two, PACK & ~one


@opened
def share_of(cards: int, unseen: int) -> int:
    """The share of a hand of so many cards, in sixteenths, rounded."""
    return min(divide(16 * cards + unseen // 2, unseen), 16) if unseen else 0


@opened
def quads(counts: int) -> int:
    """Low bits of the ranks with four or more cards; ``counts`` as `bitboard.rank_counts`."""
    return (counts >> 2 | counts >> 3) & RANK_UNITS & NATURAL


@kernel
def _fewer_of_each(share: int, size: int, ranks: int, counts: int) -> int:
    """Chance that a hand holds fewer than ``size`` cards of each of the ranks (low bits)."""
    row = 64 * share + 16 * (size - 1)
    chance = SURE
    while ranks:
        place = trailing_zeros(ranks)
        ranks &= ranks - 1
        chance = chance * _FEWER[index(row + (counts >> place & 15))] >> 10
    return chance


@kernel
def holds_no_bomb(share: int, cards: int, counts: int) -> int:
    """Chance that a hand of so many cards would not bomb an ordinary play."""
    if cards < 4:
        return SURE
    none = _fewer_of_each(share, 4, quads(counts), counts)
    return SURE - ((SURE - none) * _BOMBING >> 10)


@kernel
def _no_run_above(share: int, kind: int, strength: int, counts: int) -> int:
    """Chance that a hand holds no straight, tube or plate with a top above ``strength``."""
    length, size = 5, 1
    if kind != STRAIGHT:
        length, size = (3, 2) if kind == TUBE else (2, 3)
    row = 64 * share + 16 * (size - 1)
    chance = SURE
    for top in range(strength + 1, 14):
        held = SURE
        for rank in range(top - length + 1, top + 1):
            place = 4 * rank if rank else 52
            held = held * (SURE - _FEWER[index(row + (counts >> place & 15))]) >> 10
        chance = chance * (SURE - held) >> 10
    return chance


@kernel
def _no_higher_bomb(shape: int, strength: int, level: int, share: int, counts: int) -> int:
    """Chance that a hand of four or more does not beat a bomb."""
    if shape == JOKER_BOMB:
        return SURE
    rung = strength // LADDER_STEP
    if rung:
        return _FIVE_STANDS if rung == 1 else _HIGHER_STANDS
    units = RANK_UNITS & NATURAL
    above = ABOVE[index(32 * level + strength)] & units
    chance = _fewer_of_each(share, 4, above, counts)
    # A fifth card of a lower rank.
    rest = quads(counts) & ~above
    while rest:
        place = trailing_zeros(rest)
        rest &= rest - 1
        held = counts >> place & 15
        larger = (SURE - _FEWER[index(64 * share + 48 + held)]) * (held - 4) >> 4
        chance = chance * (SURE - larger) >> 10
    return chance


@kernel
def stands(
    shape: int, strength: int, level: int, share: int, cards: int, no_bomb: int, counts: int
) -> int:
    """Chance that a hand of ``cards`` cards does not beat a play.

    ``no_bomb``: `holds_no_bomb` of the hand; ``counts``: of the unseen cards by rank.
    """
    if cards == 0:
        return SURE
    if shape >= BOMB:
        return SURE if cards < 4 else _no_higher_bomb(shape, strength, level, share, counts)
    if shape <= FULL_HOUSE:
        size = min(shape, TRIPLE)
        if cards < (shape if shape <= TRIPLE else 5):
            return no_bomb
        above = ABOVE[index(32 * level + strength)] & RANK_UNITS
        if size == TRIPLE:
            above &= NATURAL
        none = _fewer_of_each(share, size, above, counts)
        if shape == FULL_HOUSE:
            none = SURE - ((SURE - none) * 3 >> 2)
    elif cards < (5 if shape == STRAIGHT else 6):
        return no_bomb
    else:
        none = _no_run_above(share, shape, strength, counts)
    return none * no_bomb >> 10
