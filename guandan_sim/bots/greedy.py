"""`greedy`: leads low and long, follows cheaply, keeps bombs for late, lets its partner's plays
stand.

Bombs and wilds are set aside first; what is left (the spare cards) is led from the bottom and
answered with the lowest that will do. Set-aside cards come out only when the deal is near its end.
Decisions are integers only, and draw nothing.
"""

from __future__ import annotations

from .. import layout as lay
from ..bitboard import (
    JOKERS,
    NATURAL,
    RANK_UNITS,
    choose,
    count_cards,
    rank_cards,
    rank_counts,
    ranks_held,
)
from ..bits import trailing_zeros
from ..counting import count_bombs
from ..jit import Words, kernel, opened
from ..movegen import bombs_over, count_shape, unrank_shape
from ..shapes import (
    ABOVE,
    BOMB,
    FULL_HOUSE,
    PASS,
    PLATE,
    STRAIGHT,
    TRIPLE,
    TUBE,
    wild_bit,
    wilds_in,
)
from ..tribute import choice_mask
from ..unranking import unrank_bomb

__all__ = ["choose_card", "play"]

# The end is near when the seat to beat, or this seat, is down to so many cards.
LATE = 10


@kernel
def lowest_rank(units: int, level: int) -> int:
    """Bit of the weakest rank in ``units`` (low bits of nibbles): the level ranks above the ace,
    the jokers last.
    """
    ordinary = units & NATURAL & ~(15 << 4 * level)
    if ordinary:
        return trailing_zeros(ordinary)
    if units >> 4 * level & 1:
        return 4 * level
    return trailing_zeros(units)


@kernel
def exact_ranks(one: int, two: int, size: int) -> int:
    """Low bits of the ranks with exactly ``size`` cards."""
    differing = rank_counts(one, two) ^ RANK_UNITS * size
    return RANK_UNITS & ~ranks_held(differing)


@kernel
def spare_cards(one: int, two: int, level: int) -> tuple[int, int]:
    """The hand without its wilds, its ranks of four and more cards, and a joker bomb."""
    wild = wild_bit(level)
    one &= ~wild
    two &= ~wild
    counts = rank_counts(one, two)
    kept = rank_cards((counts >> 2 | counts >> 3) & RANK_UNITS)
    if two >> 56 & two >> 60 & 1:
        kept |= JOKERS
    return one & ~kept, two & ~kept


@kernel
def write_move(out: Words, shape: int, rank: int, one: int, two: int) -> int:
    """Put a move where the game looks for it."""
    out[lay.OUT_SHAPE] = shape
    out[lay.OUT_RANK] = rank
    out[lay.OUT_ONE] = one
    out[lay.OUT_TWO] = two
    return 0


@opened
def _lead(one: int, two: int, level: int, joker_pair: int, max_bomb: int, out: Words) -> int:
    spare_one, spare_two = spare_cards(one, two, level)
    if spare_one == 0:
        wild = wild_bit(level)
        wilds = wilds_in(one, two, level)
        naturals_one, naturals_two = one & ~wild, two & ~wild
        if naturals_one == 0:  # only wilds are left: the level's single or pair
            return write_move(out, wilds, level, one, two)
        least, above, starts = bombs_over(PASS, 0, level)
        shape, rank, take_one, take_two = unrank_bomb(
            naturals_one, naturals_two, 0, level, least, above, starts, max_bomb, 0
        )
        return write_move(out, shape, rank, take_one, take_two)
    for shape in (PLATE, TUBE, STRAIGHT):
        if count_shape(shape, spare_one, spare_two, 0, level, 0, joker_pair):
            rank, take_one, take_two = unrank_shape(
                shape, spare_one, spare_two, 0, level, 0, joker_pair, 0
            )
            return write_move(out, shape, rank, take_one, take_two)
    place = lowest_rank(ranks_held(spare_one), level)
    size = count_cards(spare_one >> place & 15, spare_two >> place & 15)
    take_one, take_two = choose(spare_one, spare_two, place, size, 0)
    if size == TRIPLE:
        pairs = exact_ranks(spare_one, spare_two, 2)
        if not joker_pair:
            pairs &= NATURAL
        if pairs:
            pair_one, pair_two = choose(spare_one, spare_two, lowest_rank(pairs, level), 2, 0)
            return write_move(out, FULL_HOUSE, place >> 2, take_one | pair_one, take_two | pair_two)
    return write_move(out, size, place >> 2, take_one, take_two)


@opened
def _answer(
    one: int,
    two: int,
    wilds: int,
    level: int,
    kind: int,
    strength: int,
    joker_pair: int,
    out: Words,
) -> bool:
    """Write the cheapest ordinary answer from these cards, if there is one; ``one``, ``two`` are
    without wilds.
    """
    if kind <= TRIPLE:
        above = ABOVE[32 * level + strength]
        for size in range(kind, 4):  # do not break a pair or triple if a lone card will do
            units = exact_ranks(one, two, size) & above
            if kind == TRIPLE:
                units &= NATURAL
            if units:
                place = lowest_rank(units, level)
                take_one, take_two = choose(one, two, place, kind, 0)
                write_move(out, kind, place >> 2, take_one, take_two)
                return True
    if count_shape(kind, one, two, wilds, level, strength, joker_pair) == 0:
        return False
    rank, take_one, take_two = unrank_shape(kind, one, two, wilds, level, strength, joker_pair, 0)
    write_move(out, kind, rank, take_one, take_two)
    return True


@kernel
def _bomb(
    one: int, two: int, level: int, kind: int, strength: int, max_bomb: int, out: Words
) -> bool:
    """Write the first bomb that beats (kind, strength), without wilds if possible; False: none."""
    wild = wild_bit(level)
    wilds = wilds_in(one, two, level)
    least, above, starts = bombs_over(kind, strength, level)
    for used in range(wilds + 1):
        if count_bombs(one & ~wild, two & ~wild, used, least, above, starts, max_bomb):
            shape, rank, take_one, take_two = unrank_bomb(
                one & ~wild, two & ~wild, used, level, least, above, starts, max_bomb, 0
            )
            write_move(out, shape, rank, take_one, take_two)
            return True
    return False


@opened
def play(view: Words, scratch: Words, out: Words) -> int:
    """Lead the lowest; follow with the least; pass over the partner; bomb late."""
    one = view[lay.V_ONE]
    two = view[lay.V_TWO]
    level = view[lay.V_LEVEL]
    joker_pair = view[lay.V_RULES + lay.R_JOKER_PAIR]
    max_bomb = view[lay.V_RULES + lay.R_MAX_BOMB]
    kind = view[lay.V_BEAT_KIND]
    strength = view[lay.V_BEAT_STRENGTH]
    last = view[lay.V_BEAT_SEAT]
    seat = view[lay.V_SEAT]
    if kind == PASS:
        return _lead(one, two, level, joker_pair, max_bomb, out)
    mine = view[lay.V_COUNTS + seat]
    naturals_one, naturals_two = one & ~wild_bit(level), two & ~wild_bit(level)
    wilds = wilds_in(one, two, level)
    if last == seat ^ 2:
        # Worth it only to go out with this very play.
        if (
            kind != BOMB
            and mine <= 6
            and _answer(naturals_one, naturals_two, wilds, level, kind, strength, joker_pair, out)
            and count_cards(out[lay.OUT_ONE], out[lay.OUT_TWO]) == mine
        ):
            return 0
        return write_move(out, PASS, 0, 0, 0)
    answerable = kind != BOMB and view[lay.V_ANSWERS] > 0
    spare_one, spare_two = spare_cards(one, two, level)
    if answerable and _answer(spare_one, spare_two, 0, level, kind, strength, joker_pair, out):
        return 0
    if mine <= LATE or view[lay.V_COUNTS + last] <= LATE:
        if answerable and _answer(
            naturals_one, naturals_two, wilds, level, kind, strength, joker_pair, out
        ):
            return 0
        if _bomb(one, two, level, kind, strength, max_bomb, out):
            return 0
    return write_move(out, PASS, 0, 0, 0)


@kernel
def choose_card(view: Words, scratch: Words, out: Words) -> int:
    """Part with the weakest rank that may go, if possible one that is held once."""
    one = view[lay.V_ONE]
    level = view[lay.V_LEVEL]
    mask = choice_mask(view, view[lay.V_SEAT], one)
    alone = rank_cards(exact_ranks(one, view[lay.V_TWO], 1)) & mask
    if alone == 0:
        alone = mask
    place = lowest_rank(ranks_held(alone), level)
    out[lay.OUT_CARD] = trailing_zeros(alone >> place & 15) + place
    return 0
