"""The rules of plays once more, for `invariants`: compiled, and sharing nothing with the engine but
the numbers that it writes into its log.

A hand or a play is counted by rank, without its wilds; `shapes` and `layout` say what shapes, ranks
and cards are as numbers. Everything is looked at rank by rank, in plain loops.
"""

# What Numba decorates is Any to mypy; Numba itself infers the types.
# mypy: no-warn-return-any

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types

from guandan_sim.jit import cache_dir

SINGLE, PAIR, TRIPLE, FULL_HOUSE, STRAIGHT, TUBE, PLATE, BOMB, STRAIGHT_FLUSH, JOKER_BOMB = range(
    1, 11
)
ACE, BLACK_JOKER, RED_JOKER = 13, 14, 15
KINDS = BOMB + 1
# Bombs of 4, 5, a straight flush, 6 to 10 cards, the joker bomb: a rung each.
RUNG = 32
FLUSH_RUNG, JOKER_RUNG = 2, 8

# A hand or a play as a row of numbers: copies of each card, natural cards of each rank, masks of
# the ranks held in each suit without the wilds, the wilds, all cards, and the strength of the
# strongest play of each kind, -1 where nobody has asked.
COPIES, RANKS, SUITS, WILDS, LEFT, BEST = 0, 64, 80, 84, 85, 86
HAND_WIDTH = BEST + KINDS


# Kept like the engine's kernels: in a folder named after all that is compiled here or imported.
_SOURCES = sorted(Path(__file__).parent.glob("invariant_*.py"))
_CACHE = cache_dir(*(path.read_bytes() for path in _SOURCES))


def compiled(function: Callable[..., Any]) -> Any:
    """Compile at the first call: once for integers, not for every constant that a caller passes,
    and without Numba's memory manager, since nothing here allocates.
    """
    if numba.config.DISABLE_JIT:
        return function
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(_CACHE)
    dispatcher = numba.njit(nogil=True, error_model="numpy", cache=True, _nrt=False)(function)
    numba.config.CACHE_DIR = before
    template = dispatcher.get_call_template

    def without_literals(arguments: Any, keywords: Any) -> Any:
        return template(tuple(types.unliteral(t) for t in arguments), keywords)

    dispatcher.get_call_template = without_literals
    return dispatcher


@compiled
def power(rank: int, level: int) -> int:
    """Order of a rank outside sequences: 2..A as 1..13, the level 14, the jokers 15 and 16."""
    if rank == level:
        return 14
    return rank + 1 if rank > ACE else rank


@compiled
def rank_of_power(value: int, level: int) -> int:
    """The rank of that power; 0 if there is none."""
    if value > 14:
        return value - 1
    if value == 14:
        return level
    return 0 if value == level else value


@compiled
def bomb_rung(size: int) -> int:
    """The rung of a bomb of so many cards of one rank."""
    return size - 4 if size < 6 else size - 3


@compiled
def strength(shape: int, rank: int, size: int, level: int) -> int:
    """How strong a play is among those of its kind; all bombs are one kind."""
    if shape == BOMB:
        return bomb_rung(size) * RUNG + power(rank, level)
    if shape == STRAIGHT_FLUSH:
        return FLUSH_RUNG * RUNG + rank
    if shape == JOKER_BOMB:
        return JOKER_RUNG * RUNG
    return rank if STRAIGHT <= shape <= PLATE else power(rank, level)


@compiled
def is_play(
    shape: int,
    rank: int,
    size: int,
    play: Any,
    level: int,
    max_bomb: int,
    joker_pair: int,
) -> bool:
    """Whether the ``size`` cards counted in ``play`` may be declared so."""
    wilds = play[WILDS]
    if shape == JOKER_BOMB:
        return rank == 0 and size == 4 and play[RANKS + BLACK_JOKER] == 2 == play[RANKS + RED_JOKER]
    if rank < 1 or rank > RED_JOKER or shape < SINGLE or shape > JOKER_BOMB:
        return False
    of_rank = play[RANKS + rank]
    if shape <= TRIPLE or shape == BOMB:
        if of_rank + wilds != size:
            return False
        if shape == BOMB:
            return rank <= ACE and 4 <= size <= max_bomb
        if size != shape:
            return False
        if of_rank == 0:
            return rank == level
        return rank <= ACE or (wilds == 0 and shape <= PAIR)
    if shape == FULL_HOUSE:
        if size != 5 or rank > ACE or of_rank < 1 or of_rank > 3:
            return False
        others = 0
        for other in range(1, RED_JOKER + 1):
            if other == rank or play[RANKS + other] == 0:
                continue
            others += 1
            if play[RANKS + other] > 2 or (
                other > ACE and (play[RANKS + other] < 2 or not joker_pair)
            ):
                return False
        return others <= 1
    length, most = 5, 1
    if shape == TUBE:
        length, most = 3, 2
    elif shape == PLATE:
        length, most = 2, 3
    first = rank - length + 1
    if size != length * most or first < 0 or rank > ACE:
        return False
    inside = wilds
    for place in range(first, rank + 1):
        held = play[RANKS + (place if place else ACE)]
        if held > most:
            return False
        inside += held
    if inside != size:
        return False
    suits = 0
    for suit in range(4):
        suits += play[SUITS + suit] != 0
    one_suit = suits <= 1
    if shape == STRAIGHT:
        return wilds > 0 or not one_suit
    return shape != STRAIGHT_FLUSH or one_suit


@compiled
def _strongest_set(hand: Any, size: int, level: int) -> int:
    """The highest power of a single, pair or triple in a hand; 0 for none."""
    wilds = hand[WILDS]
    for value in range(16, 0, -1):
        rank = rank_of_power(value, level)
        if rank == 0:
            continue
        held = hand[RANKS + rank]
        if rank > ACE:
            if size <= held and size <= PAIR:
                return value
        elif held + wilds >= size and (held > 0 or rank == level):
            return value
    return 0


@compiled
def _strongest_full_house(hand: Any, level: int, joker_pair: int) -> int:
    """The highest power of the triple of a full house; 0 for none."""
    wilds = hand[WILDS]
    for value in range(14, 0, -1):
        rank = rank_of_power(value, level)
        if rank == 0 or hand[RANKS + rank] == 0 or hand[RANKS + rank] + wilds < 3:
            continue
        left = wilds - max(0, 3 - hand[RANKS + rank])
        if left == 2:
            return value
        for other in range(1, RED_JOKER + 1):
            if other == rank or hand[RANKS + other] == 0:
                continue
            if other > ACE:
                if hand[RANKS + other] == 2 and joker_pair:
                    return value
            elif hand[RANKS + other] + left >= 2:
                return value
    return 0


@compiled
def _strongest_run(hand: Any, length: int, most: int) -> int:
    """The top rank of the highest ``length`` ranks in a row of ``most`` cards each; 0 for none.

    Five natural cards of one suit are no straight, but a bomb: who asks has looked for bombs.
    """
    wilds = hand[WILDS]
    for top in range(ACE, length - 2, -1):
        missing = 0
        for place in range(top - length + 1, top + 1):
            missing += max(0, most - hand[RANKS + (place if place else ACE)])
        if missing <= wilds:
            return top
    return 0


@compiled
def _strongest_bomb(hand: Any, level: int, max_bomb: int) -> int:
    """The strength of the highest bomb; 0 for none."""
    wilds = hand[WILDS]
    if hand[RANKS + BLACK_JOKER] == 2 == hand[RANKS + RED_JOKER]:
        return JOKER_RUNG * RUNG
    best = 0
    for rank in range(1, ACE + 1):
        size = min(hand[RANKS + rank] + wilds, max_bomb)
        if size >= 4:
            best = max(best, bomb_rung(size) * RUNG + power(rank, level))
    if best >= (FLUSH_RUNG + 1) * RUNG:
        return best
    for suit in range(4):
        held = hand[SUITS + suit]
        held |= held >> ACE & 1  # the ace is low too
        for top in range(ACE, 3, -1):
            window = held >> top - 4 & 31
            count = wilds
            while window:
                window &= window - 1
                count += 1
            if count >= 5:
                best = max(best, FLUSH_RUNG * RUNG + top)
                break
    return best


@compiled
def strongest(kind: int, hand: Any, level: int, max_bomb: int, joker_pair: int) -> int:
    """The strength of the strongest play of a kind in a hand; 0 if there is none."""
    if kind == BOMB:
        return _strongest_bomb(hand, level, max_bomb)
    if kind <= TRIPLE:
        return _strongest_set(hand, kind, level)
    if kind == FULL_HOUSE:
        return _strongest_full_house(hand, level, joker_pair)
    if kind == STRAIGHT:
        return _strongest_run(hand, 5, 1)
    if kind == TUBE:
        return _strongest_run(hand, 3, 2)
    return _strongest_run(hand, 2, 3)


# The place of a single bit b is PLACE[b % 67]: the powers of two differ in their rests.
PLACE = np.zeros(67, np.int64)
for _place in range(62):
    PLACE[(1 << _place) % 67] = _place


@compiled
def take_cards(one: int, two: int, level: int, hand: Any) -> None:
    """Count the cards of two words, which are a hand, in ``hand``."""
    hand[:] = 0
    for i in range(BEST, HAND_WIDTH):
        hand[i] = -1
    while one:
        bit = one & -one
        one ^= bit
        add_cards(PLACE[bit % 67], 2 if two & bit else 1, level, hand)


@compiled
def add_cards(card: int, copies: int, level: int, hand: Any) -> None:
    """Count ``copies`` more of a card in a hand, or fewer if negative."""
    hand[COPIES + card] += copies
    hand[LEFT] += copies
    if card == 4 * level + 1:
        hand[WILDS] += copies
        return
    hand[RANKS + (card >> 2)] += copies
    if hand[COPIES + card]:
        hand[SUITS + (card & 3)] |= 1 << (card >> 2)
    else:
        hand[SUITS + (card & 3)] &= ~(1 << (card >> 2))
