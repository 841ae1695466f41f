"""Legal moves at suit level: how many there are.

Two moves differ if their shape, rank or multiset of physical cards differs. A hand is (one, two)
with its wilds in it; what is to beat is a (kind, strength) of `shapes`, kind PASS for a free lead.
Passing is never counted here. Nothing allocates. The hands may hold any number of cards that two
packs allow.
"""

from __future__ import annotations

from .bitboard import NATURAL, PACK, sequence_board
from .bits import index, popcount
from .counting import (
    count_bombs,
    count_full_houses,
    count_pairs,
    count_runs_of_sets,
    count_singles,
    count_straight_flushes,
    count_straights,
    count_triples,
    holds_joker_bomb,
    joker_pairs,
    natural_flushes,
    run_starts,
)
from .cpu import VECTORS
from .jit import kernel, opened
from .shapes import (
    ABOVE,
    BOMB,
    FULL_HOUSE,
    LADDER_STEP,
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
    from .lanes import bomb_ways, lead_ways

__all__ = [
    "count_all_bombs",
    "count_answers",
    "count_moves",
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
    return least, ABOVE[index(32 * level + within)], starts


@kernel
def count_all_bombs(one: int, two: int, level: int, max_bomb: int) -> int:
    """All bombs of a hand, as if any were needed. It never grows as cards are played."""
    one, two, wilds = without_wilds(one, two, level)
    if VECTORS:
        flushes = count_straight_flushes(one, wilds, run_starts(5, 0))
        return flushes + holds_joker_bomb(two) + bomb_ways(one, two, 3 * wilds + max_bomb - 8)
    return count_bombs(one, two, wilds, 4, NATURAL, run_starts(5, 0), max_bomb)


@opened
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
    above = ABOVE[index(32 * level + strength)]
    if shape == SINGLE:
        return count_singles(one, wilds, level, above)
    if shape == FULL_HOUSE:
        return count_full_houses(one, two, wilds, above, joker_pair)
    if shape == TRIPLE:
        return count_triples(one, two, wilds, above)
    return count_pairs(one, two, wilds, level, above)


@opened
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


@opened
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
    above = ABOVE[index(32 * level + strength)]
    if shape == SINGLE:
        return unrank_single(one, level, above, k)
    if shape == FULL_HOUSE:
        return unrank_full_house(one, two, wilds, level, above, joker_pair, k)
    return unrank_kind(one, two, wilds, level, above, shape, k)


@opened
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


@opened
def count_answers(
    one: int,
    two: int,
    level: int,
    kind: int,
    strength: int,
    max_bomb: int,
    joker_pair: int,
    bombs: int,
) -> int:
    """Moves of the kind to beat that beat it; over a bomb these are bombs, over nothing 0.

    ``bombs`` is `count_all_bombs` of the hand if the caller knows it, else -1.
    """
    if kind == PASS:
        return 0
    one, two, wilds = without_wilds(one, two, level)
    if kind == BOMB:
        return bombs_to_beat(one, two, wilds, level, kind, strength, max_bomb, bombs)
    return count_shape(kind, one, two, wilds, level, strength, joker_pair)


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
    """Number of legal moves other than passing; ``bombs`` as in `count_answers`."""
    if bombs < 0:
        bombs = count_all_bombs(one, two, level, max_bomb)
    total = count_answers(one, two, level, kind, strength, max_bomb, joker_pair, bombs)
    if kind == PASS:
        one, two, wilds = without_wilds(one, two, level)
        for ways in count_leads(one, two, wilds, level, joker_pair):
            total += ways
    if kind != BOMB:
        total += bombs
    return total


@kernel
def unrank_bomb_over(
    one: int, two: int, wilds: int, level: int, kind: int, strength: int, max_bomb: int, k: int
) -> tuple[int, int, int, int]:
    least, above, starts = bombs_over(kind, strength, level)
    return unrank_bomb(one, two, wilds, level, least, above, starts, max_bomb, k)
