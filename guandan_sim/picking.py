"""A uniform legal move without listing any: count, draw, and find the move of that number.

Moves are numbered by shape, singles to plates, then bombs, then the pass; within a shape as
`unranking` has them.
"""

from __future__ import annotations

from . import layout as lay
from .bitboard import PACK
from .bits import index, mulhi
from .jit import Words, kernel, opened
from .movegen import count_leads, unrank_bomb_over, unrank_shape
from .shapes import ABOVE, BOMB, PASS, SINGLE, wild_bit, without_wilds
from .unranking import unrank_single

__all__ = ["pick_move"]


@kernel
def _pick_bomb(one: int, two: int, level: int, max_bomb: int, k: int) -> tuple[int, int, int, int]:
    """The k-th of all bombs of a hand with its wilds in it."""
    one, two, wilds = without_wilds(one, two, level)
    return unrank_bomb_over(one, two, wilds, level, PASS, 0, max_bomb, k)


@opened
def _pick_lead(
    one: int,
    two: int,
    level: int,
    max_bomb: int,
    joker_pair: int,
    bombs: int,
    word: int,
) -> tuple[int, int, int, int]:
    """`pick_move` for a free lead, which there is as long as there are cards."""
    one, two, wilds = without_wilds(one, two, level)
    leads = count_leads(one, two, wilds, level, joker_pair)
    ordinary = 0
    for ways in leads:
        ordinary += ways
    k = mulhi(word, ordinary + bombs)
    # Most leads are single cards.
    if k < leads[0]:
        rank, take_one, take_two = unrank_single(one, level, PACK, k)
        return SINGLE, rank, take_one, take_two
    shape = SINGLE
    for ways in leads:
        if k < ways:
            rank, take_one, take_two = unrank_shape(shape, one, two, wilds, level, 0, joker_pair, k)
            return shape, rank, take_one, take_two
        k -= ways
        shape += 1
    if one == 0 and wilds == 0:
        return PASS, 0, 0, 0
    return unrank_bomb_over(one, two, wilds, level, PASS, 0, max_bomb, k)


@opened
def _pick_answer(
    one: int,
    two: int,
    level: int,
    kind: int,
    strength: int,
    max_bomb: int,
    joker_pair: int,
    k: int,
) -> tuple[int, int, int, int]:
    """The k-th of the V_ANSWERS, other than single cards."""
    one, two, wilds = without_wilds(one, two, level)
    if kind == BOMB:
        return unrank_bomb_over(one, two, wilds, level, kind, strength, max_bomb, k)
    rank, take_one, take_two = unrank_shape(kind, one, two, wilds, level, strength, joker_pair, k)
    return kind, rank, take_one, take_two


@opened
def pick_move(view: Words, word: int) -> tuple[int, int, int, int]:
    """A uniform legal move for a uniform 64-bit ``word``, as (shape, rank, one, two).

    ``view`` is that of a seat to play (int64[VIEW_SIZE]). Passing counts where it is allowed.
    """
    one = view[lay.V_ONE]
    two = view[lay.V_TWO]
    level = view[lay.V_LEVEL]
    kind = view[lay.V_BEAT_KIND]
    bombs = view[lay.V_BOMBS]
    max_bomb = view[lay.V_RULES + lay.R_MAX_BOMB]
    joker_pair = view[lay.V_RULES + lay.R_JOKER_PAIR]
    if kind == PASS:
        return _pick_lead(one, two, level, max_bomb, joker_pair, bombs, word)
    answers = view[lay.V_ANSWERS]
    if kind == BOMB:
        bombs = 0  # they are the answers
    k = mulhi(word, answers + bombs + 1)
    if k < answers:
        strength = view[lay.V_BEAT_STRENGTH]
        if kind == SINGLE:
            # The commonest question by far.
            naturals = one & ~wild_bit(level)
            above = ABOVE[index(32 * level + strength)]
            rank, take_one, take_two = unrank_single(naturals, level, above, k)
            return SINGLE, rank, take_one, take_two
        return _pick_answer(one, two, level, kind, strength, max_bomb, joker_pair, k)
    if k < answers + bombs:
        return _pick_bomb(one, two, level, max_bomb, k - answers)
    return PASS, 0, 0, 0
