"""A uniform legal move without listing any: count, draw, and find the move of that number.

Moves are numbered by shape, singles to plates, then bombs, then the pass; within a shape as
`unranking` has them.
"""

from __future__ import annotations

from .bitboard import NATURAL, PACK
from .bits import mulhi, popcount, select_bit, trailing_zeros
from .counting import run_starts
from .jit import kernel, opened
from .movegen import (
    bombs_to_beat,
    count_all_bombs,
    count_leads,
    count_shape,
    unrank_bomb_over,
    unrank_shape,
)
from .shapes import (
    ABOVE,
    BOMB,
    FULL_HOUSE,
    PAIR,
    PASS,
    PLATE,
    SINGLE,
    STRAIGHT,
    TRIPLE,
    TUBE,
    wild_bit,
    wilds_in,
)
from .unranking import (
    unrank_full_house,
    unrank_kind,
    unrank_run_of_sets,
    unrank_straight,
)

__all__ = ["pick_move"]


@kernel
def _pick_bomb(one: int, two: int, level: int, max_bomb: int, k: int) -> tuple[int, int, int, int]:
    """The k-th of all bombs of a hand with its wilds in it."""
    wild = wild_bit(level)
    wilds = wilds_in(one, two, level)
    return unrank_bomb_over(one & ~wild, two & ~wild, wilds, level, PASS, 0, max_bomb, k)


@opened
def _pick_over_single(
    one: int,
    two: int,
    level: int,
    strength: int,
    max_bomb: int,
    bombs: int,
    may_pass: int,
    word: int,
) -> tuple[int, int, int, int]:
    """`pick_move` over a single card, the commonest question by far."""
    wild = wild_bit(level)
    cards = one & ~wild & ABOVE[32 * level + strength]
    naturals = popcount(cards)
    singles = naturals + ((one & wild & ABOVE[32 * level + strength]) != 0)
    k = mulhi(word, singles + bombs + may_pass)
    if k < naturals:
        card = select_bit(cards, k)
        return SINGLE, trailing_zeros(card) >> 2, card, 0
    if k < singles:
        return SINGLE, level, wild, 0
    if k < singles + bombs:
        return _pick_bomb(one, two, level, max_bomb, k - singles)
    return PASS, 0, 0, 0


@kernel
def _pick_lead(
    one: int,
    two: int,
    level: int,
    max_bomb: int,
    joker_pair: int,
    bombs: int,
    may_pass: int,
    word: int,
) -> tuple[int, int, int, int]:
    """`pick_move` for a free lead."""
    wild = wild_bit(level)
    wilds = wilds_in(one, two, level)
    one &= ~wild
    two &= ~wild
    singles, pairs, triples, houses, straights, tubes, plates = count_leads(
        one, two, wilds, level, joker_pair
    )
    ordinary = singles + pairs + triples + houses + straights + tubes + plates
    k = mulhi(word, ordinary + bombs + may_pass)
    if k < singles:
        if k < popcount(one):
            card = select_bit(one, k)
            return SINGLE, trailing_zeros(card) >> 2, card, 0
        return SINGLE, level, wild, 0
    k -= singles
    if k < pairs:
        rank, take_one, take_two = unrank_kind(one, two, wilds, level, PACK, PAIR, k)
        return PAIR, rank, take_one, take_two
    k -= pairs
    if k < triples:
        rank, take_one, take_two = unrank_kind(one, two, wilds, level, PACK, TRIPLE, k)
        return TRIPLE, rank, take_one, take_two
    k -= triples
    if k < houses:
        rank, take_one, take_two = unrank_full_house(one, two, wilds, level, NATURAL, joker_pair, k)
        return FULL_HOUSE, rank, take_one, take_two
    k -= houses
    if k < straights:
        rank, take_one, take_two = unrank_straight(one, wilds, level, run_starts(5, 0), k)
        return STRAIGHT, rank, take_one, take_two
    k -= straights
    if k < tubes:
        starts = run_starts(3, 0)
        rank, take_one, take_two = unrank_run_of_sets(one, two, wilds, level, starts, 2, k)
        return TUBE, rank, take_one, take_two
    k -= tubes
    if k < plates:
        starts = run_starts(2, 0)
        rank, take_one, take_two = unrank_run_of_sets(one, two, wilds, level, starts, 3, k)
        return PLATE, rank, take_one, take_two
    k -= plates
    if k < bombs:
        return unrank_bomb_over(one, two, wilds, level, PASS, 0, max_bomb, k)
    return PASS, 0, 0, 0


@kernel
def _pick_over(
    one: int,
    two: int,
    level: int,
    kind: int,
    strength: int,
    max_bomb: int,
    joker_pair: int,
    bombs: int,
    may_pass: int,
    word: int,
) -> tuple[int, int, int, int]:
    """`pick_move` over any other play."""
    wild = wild_bit(level)
    wilds = wilds_in(one, two, level)
    one &= ~wild
    two &= ~wild
    of_shape = 0
    if kind == BOMB:
        bombs = bombs_to_beat(one, two, wilds, level, kind, strength, max_bomb, bombs)
    else:
        of_shape = count_shape(kind, one, two, wilds, level, strength, joker_pair)
    k = mulhi(word, of_shape + bombs + may_pass)
    if k < of_shape:
        rank, take_one, take_two = unrank_shape(
            kind, one, two, wilds, level, strength, joker_pair, k
        )
        return kind, rank, take_one, take_two
    k -= of_shape
    if k < bombs:
        return unrank_bomb_over(one, two, wilds, level, kind, strength, max_bomb, k)
    return PASS, 0, 0, 0


@opened
def pick_move(
    one: int,
    two: int,
    level: int,
    kind: int,
    strength: int,
    max_bomb: int,
    joker_pair: int,
    bombs: int,
    may_pass: int,
    word: int,
) -> tuple[int, int, int, int]:
    """A uniform legal move for a uniform 64-bit ``word``, as (shape, rank, one, two); passing
    counts if ``may_pass``.

    ``bombs`` as in `count_moves`. With nothing legal it is a pass.
    """
    if bombs < 0:
        bombs = count_all_bombs(one, two, level, max_bomb)
    if kind == SINGLE:
        return _pick_over_single(one, two, level, strength, max_bomb, bombs, may_pass, word)
    if kind == PASS:
        return _pick_lead(one, two, level, max_bomb, joker_pair, bombs, may_pass, word)
    return _pick_over(one, two, level, kind, strength, max_bomb, joker_pair, bombs, may_pass, word)
