"""Legal moves at suit level: whether there is one, and how many.

Two moves differ if their shape, rank or multiset of physical cards differs. A hand is (one, two)
with its wilds in it; what is to beat is a (kind, strength) of `shapes`, kind PASS for a free lead.
Passing is never counted here. Nothing allocates. The hands may hold any number of cards that two
packs allow.
"""

from __future__ import annotations

from .bitboard import NATURAL, PACK, rank_plane, sequence_board
from .bits import popcount
from .counting import (
    count_bombs,
    count_full_houses,
    count_pairs,
    count_runs_of_sets,
    count_singles,
    count_straights,
    count_triples,
    joker_pairs,
    natural_flushes,
    near_runs,
    run_starts,
    set_windows,
)
from .cpu import VECTORS
from .jit import kernel
from .shapes import (
    ABOVE,
    BOMB,
    FULL_HOUSE,
    LADDER_STEP,
    PAIR,
    PASS,
    PLATE,
    SINGLE,
    STRAIGHT,
    TRIPLE,
    TUBE,
    without_wilds,
)
from .unranking import (
    unrank_bomb,
    unrank_full_house,
    unrank_kind,
    unrank_run_of_sets,
    unrank_single,
    unrank_straight,
)

if VECTORS:
    from .lanes import lead_ways

__all__ = [
    "count_all_bombs",
    "count_moves",
    "has_answer",
]


@kernel
def bombs_over(kind: int, strength: int, level: int) -> tuple[int, int, int]:
    """What a bomb must be to beat (kind, strength): arguments ``least``, ``above``,
    ``flush_starts`` of `count_bombs`.
    """
    if kind != BOMB:
        return 4, NATURAL, run_starts(5, 0)
    rung = strength // LADDER_STEP
    within = strength - rung * LADDER_STEP
    if rung == 2:
        return 5, 0, run_starts(5, within)
    least = rung + 4 if rung < 2 else rung + 3
    starts = run_starts(5, 0) if rung < 2 else 0
    return least, ABOVE[32 * level + within], starts


@kernel
def count_all_bombs(one: int, two: int, level: int, max_bomb: int) -> int:
    """All bombs of a hand, as if any were needed. It never grows as cards are played."""
    one, two, wilds = without_wilds(one, two, level)
    return count_bombs(one, two, wilds, 4, NATURAL, run_starts(5, 0), max_bomb)


@kernel
def count_shape(
    shape: int,
    one: int,
    two: int,
    wilds: int,
    level: int,
    strength: int,
    joker_pair: int,
) -> int:
    """Moves of an ordinary ``shape`` above ``strength`` (0: all); the hand is without its wilds."""
    if shape == STRAIGHT:
        return count_straights(one, wilds, run_starts(5, strength))
    if shape == TUBE:
        return count_runs_of_sets(one, two, wilds, run_starts(3, strength), 2)
    if shape == PLATE:
        return count_runs_of_sets(one, two, wilds, run_starts(2, strength), 3)
    above = ABOVE[32 * level + strength]
    if shape == SINGLE:
        return count_singles(one, wilds, level, above)
    if shape == FULL_HOUSE:
        return count_full_houses(one, two, wilds, above, joker_pair)
    if shape == TRIPLE:
        return count_triples(one, two, wilds, above)
    return count_pairs(one, two, wilds, level, above)


@kernel
def count_leads(
    one: int, two: int, wilds: int, level: int, joker_pair: int
) -> tuple[int, int, int, int, int, int, int]:
    """Moves of each ordinary shape, singles to plates, for a free lead."""
    singles = popcount(one) + min(wilds, 1)
    if popcount(one) + popcount(two) + wilds < 5:
        pairs = count_pairs(one, two, wilds, level, PACK)
        return singles, pairs, count_triples(one, two, wilds, NATURAL), 0, 0, 0, 0
    if VECTORS:
        of_jokers = joker_pairs(two)
        board_one, board_two = sequence_board(one), sequence_board(two)
        suits = popcount(one & NATURAL)
        pairs, triples, houses, straights, tubes, plates = lead_ways(
            board_one, board_two, suits, wilds
        )
        straights -= popcount(natural_flushes(board_one) & run_starts(5, 0) * 15)
        houses += of_jokers * triples * joker_pair
        return singles, pairs + of_jokers, triples, houses, straights, tubes, plates
    return (
        singles,
        count_pairs(one, two, wilds, level, PACK),
        count_triples(one, two, wilds, NATURAL),
        count_full_houses(one, two, wilds, NATURAL, joker_pair),
        count_straights(one, wilds, run_starts(5, 0)),
        count_runs_of_sets(one, two, wilds, run_starts(3, 0), 2),
        count_runs_of_sets(one, two, wilds, run_starts(2, 0), 3),
    )


@kernel
def unrank_shape(
    shape: int,
    one: int,
    two: int,
    wilds: int,
    level: int,
    strength: int,
    joker_pair: int,
    k: int,
) -> tuple[int, int, int]:
    """The k-th of the moves that `count_shape` counts, as (rank, one, two)."""
    if shape == STRAIGHT:
        return unrank_straight(one, wilds, level, run_starts(5, strength), k)
    if shape == TUBE:
        return unrank_run_of_sets(one, two, wilds, level, run_starts(3, strength), 2, k)
    if shape == PLATE:
        return unrank_run_of_sets(one, two, wilds, level, run_starts(2, strength), 3, k)
    above = ABOVE[32 * level + strength]
    if shape == SINGLE:
        return unrank_single(one, level, above, k)
    if shape == FULL_HOUSE:
        return unrank_full_house(one, two, wilds, level, above, joker_pair, k)
    return unrank_kind(one, two, wilds, level, above, shape, k)


@kernel
def bombs_to_beat(
    one: int, two: int, wilds: int, level: int, kind: int, strength: int, max_bomb: int, bombs: int
) -> int:
    """Bombs that beat (kind, strength); ``bombs`` is the number of all bombs in the hand, or -1 if
    not known.
    """
    if bombs == 0 or (bombs > 0 and kind != BOMB):
        return bombs
    if kind == BOMB and strength >= 8 * LADDER_STEP:
        return 0
    least, above, starts = bombs_over(kind, strength, level)
    return count_bombs(one, two, wilds, least, above, starts, max_bomb)


@kernel
def count_moves(
    one: int,
    two: int,
    level: int,
    kind: int,
    strength: int,
    max_bomb: int,
    joker_pair: int,
    bombs: int,
) -> int:
    """Number of legal moves other than passing.

    ``bombs`` is `count_all_bombs` of the hand if the caller knows it, else -1.
    """
    one, two, wilds = without_wilds(one, two, level)
    total = bombs_to_beat(one, two, wilds, level, kind, strength, max_bomb, bombs)
    if kind == PASS:
        for ways in count_leads(one, two, wilds, level, joker_pair):
            total += ways
    elif kind != BOMB:
        total += count_shape(kind, one, two, wilds, level, strength, joker_pair)
    return total


@kernel
def unrank_bomb_over(
    one: int, two: int, wilds: int, level: int, kind: int, strength: int, max_bomb: int, k: int
) -> tuple[int, int, int, int]:
    least, above, starts = bombs_over(kind, strength, level)
    return unrank_bomb(one, two, wilds, level, least, above, starts, max_bomb, k)


@kernel
def _has_full_house(one: int, two: int, wilds: int, above: int, joker_pair: int) -> bool:
    naturals = rank_plane(one & NATURAL, two, 1)
    pairs = rank_plane(one, two, 2)
    if not joker_pair:
        pairs &= NATURAL
    high = above & NATURAL
    two_pairs = popcount(pairs) > 1
    two_ranks = popcount(naturals) > 1
    # A natural triple: the pair is of another rank, of one card with a wild, or both wilds.
    if rank_plane(one, two, 3) & high and (two_pairs or wilds == 2 or (wilds == 1 and two_ranks)):
        return True
    if wilds and pairs & high and (two_pairs or (wilds == 2 and two_ranks)):
        return True
    # Both wilds on one card of a high rank, beside a natural pair of another.
    lone = naturals & high
    return wilds == 2 and lone != 0 and (two_pairs or (pairs != 0 and lone != pairs))


@kernel
def has_answer(
    one: int,
    two: int,
    level: int,
    kind: int,
    strength: int,
    max_bomb: int,
    joker_pair: int,
    bombs: int,
) -> bool:
    """Whether a legal move other than passing exists: exactly ``count_moves(...) > 0``, without
    counting.

    ``bombs`` must be `count_all_bombs` of the hand.
    """
    if kind == PASS:
        return one != 0
    if kind == BOMB:
        one, two, wilds = without_wilds(one, two, level)
        return bombs_to_beat(one, two, wilds, level, kind, strength, max_bomb, bombs) > 0
    if bombs > 0:
        return True
    if kind == SINGLE:
        return (one & ABOVE[32 * level + strength]) != 0
    one, two, wilds = without_wilds(one, two, level)
    if kind <= TRIPLE:
        above = ABOVE[32 * level + strength]
        if kind == TRIPLE:
            above &= NATURAL
        if rank_plane(one, two, kind) & above:
            return True
        if wilds and rank_plane(one, two, kind - 1) & above & NATURAL:
            return True
        return wilds == 2 and (
            (kind == TRIPLE and (one & above) != 0)
            or (kind == PAIR and above >> 4 * level & 1 == 1)
        )
    if kind == FULL_HOUSE:
        return _has_full_house(one, two, wilds, ABOVE[32 * level + strength], joker_pair)
    board = sequence_board(one)
    if kind == STRAIGHT:
        # Windows with natural flushes alone make a bomb, so they were seen above.
        held = rank_plane(board, 0, 1)
        return (near_runs(held, 5, wilds) & run_starts(5, strength)) != 0
    size = 2 if kind == TUBE else 3
    starts = run_starts(5 - size, strength)
    return set_windows(board, sequence_board(two), wilds, starts, size) != 0
