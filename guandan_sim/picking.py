"""A uniform legal move without listing any: count, draw, and find the move of that number.

Moves are numbered by shape, singles to plates, then bombs, then the pass; within a shape as
`unranking` has them.
"""

from __future__ import annotations

from .bitboard import PACK
from .bits import mulhi
from .counting import count_singles
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
    PASS,
    SINGLE,
    without_wilds,
)
from .unranking import unrank_single

__all__ = ["pick_move"]


@kernel
def _pick_bomb(one: int, two: int, level: int, max_bomb: int, k: int) -> tuple[int, int, int, int]:
    """The k-th of all bombs of a hand with its wilds in it."""
    one, two, wilds = without_wilds(one, two, level)
    return unrank_bomb_over(one, two, wilds, level, PASS, 0, max_bomb, k)


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
    above = ABOVE[32 * level + strength]
    naturals, _, wilds = without_wilds(one, two, level)
    singles = count_singles(naturals, wilds, level, above)
    k = mulhi(word, singles + bombs + may_pass)
    if k < singles:
        rank, take_one, take_two = unrank_single(naturals, level, above, k)
        return SINGLE, rank, take_one, take_two
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
    one, two, wilds = without_wilds(one, two, level)
    leads = count_leads(one, two, wilds, level, joker_pair)
    ordinary = 0
    for ways in leads:
        ordinary += ways
    k = mulhi(word, ordinary + bombs + may_pass)
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
    one, two, wilds = without_wilds(one, two, level)
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
