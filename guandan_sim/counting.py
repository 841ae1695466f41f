"""How many legal moves of each shape a hand has, from planes and small tables, without listing any.

Everywhere ``one``, ``two`` are the hand *without* its wilds, ``wilds`` is their number (0..2),
``above`` holds the nibbles of the ranks that are high enough (`shapes.ABOVE`) and ``starts`` has
the low bit of each nibble of the sequence board where a run may begin (`run_starts`). Wilds enter
as polynomials: the coefficient of x**j counts the ways that use j wilds, and everything above the
number of wilds held is cut off.
"""

from __future__ import annotations

import numpy as np

from .bitboard import (
    CHOOSE,
    CHOOSE_SUMS,
    JOKERS,
    NATURAL,
    RANK_UNITS,
    rank_counts,
    rank_index,
    rank_plane,
    ranks_held,
    sequence_board,
)
from .bits import popcount, trailing_zeros
from .jit import kernel

__all__ = [
    "bomb_ranks",
    "count_bombs",
    "count_full_houses",
    "count_pairs",
    "count_runs_of_sets",
    "count_singles",
    "count_straight_flushes",
    "count_straights",
    "count_triples",
    "full_houses",
    "holds_joker_bomb",
    "joker_pairs",
    "natural_flushes",
    "near_runs",
    "rank_bombs",
    "rank_sums",
    "run_starts",
    "set_ways",
    "set_windows",
    "straight_polynomial",
]


@kernel
def run_starts(length: int, top: int) -> int:
    """Low bits of the nibbles where a run of ``length`` ranks may begin and end above rank ``top``
    (0: anywhere).
    """
    lowest = max(top - length + 2, 0)
    count = max(15 - length - lowest, 0)
    return (RANK_UNITS & ((1 << 4 * count) - 1)) << 4 * lowest


@kernel
def count_singles(one: int, wilds: int, level: int, above: int) -> int:
    """Single cards; a wild alone is a card of the level."""
    return popcount(one & above) + (min(wilds, 1) & above >> 4 * level)


def _cross() -> np.ndarray:
    """Table of `full_houses`: what a rank gives to triple and pair alike, by its index byte.

    Four 16-bit fields from the lowest: 3 x 2, 3 x 1, 2 x 2 and 2 x 1 natural cards. Thirteen ranks
    add up without a carry.
    """
    ones, twos, threes = (CHOOSE.reshape(256, 16)[:, size] for size in (1, 2, 3))
    return threes * twos | threes * ones << 16 | twos * twos << 32 | twos * ones << 48


CROSS = _cross()


@kernel
def rank_sums(one: int, two: int, ranks: int) -> tuple[int, int]:
    """Sums over the ranks of ``ranks``: multisets by size, a byte each (CHOOSE_SUMS), and CROSS."""
    sums = 0
    cross = 0
    held = ranks_held(one & ranks)
    while held:
        index = rank_index(one, two, trailing_zeros(held))
        sums += CHOOSE_SUMS[index]
        cross += CROSS[index]
        held &= held - 1
    return sums, cross


@kernel
def count_pairs(one: int, wilds: int, level: int, above: int, sums: int) -> int:
    """Pairs of a rank in ``above``, over which ``sums`` are those of `rank_sums`.

    Natural ones; with a wild, one natural card (a joker never); both wilds, the pair of the level.
    """
    total = sums >> 8 & 255
    if wilds:
        total += popcount(one & above & NATURAL) + ((wilds >> 1) & (above >> 4 * level))
    return total


@kernel
def count_triples(wilds: int, sums: int) -> int:
    """Triples, from the `rank_sums` over the natural ranks in ``above``: with 0, 1 and 2 wilds."""
    total = sums >> 16 & 255
    if wilds:
        total += sums >> 8 & 255
        if wilds == 2:
            total += sums & 255
    return total


@kernel
def full_houses(wilds: int, high: int, pairs: int, singles: int, cross: int) -> int:
    """Full houses from sums: ways to make the triple with i wilds times ways to make the pair with
    j, i + j <= wilds.

    ``high`` and ``cross`` are the `rank_sums` over the ranks of the triple; ``pairs`` and
    ``singles`` count natural pairs and cards of all ranks that may make the pair. A rank's products
    with itself, in ``cross``, are taken off. A natural triple with both wilds as any pair is one
    more.
    """
    triple_0, triple_1, triple_2 = high >> 16 & 255, high >> 8 & 255, high & 255
    total = triple_0 * pairs - (cross & 0xFFFF)
    if wilds:
        total += triple_0 * singles - (cross >> 16 & 0xFFFF)
        total += triple_1 * pairs - (cross >> 32 & 0xFFFF)
        if wilds == 2:
            total += triple_1 * singles + triple_2 * pairs - 2 * (cross >> 48) + triple_0
    return total


@kernel
def joker_pairs(two: int) -> int:
    """How many colours of joker are held twice."""
    return popcount(two & JOKERS)


@kernel
def count_full_houses(one: int, two: int, wilds: int, above: int, joker_pair: int) -> int:
    """Full houses whose triple is of a rank in ``above``."""
    high, cross = rank_sums(one, two, above & NATURAL)
    low, _ = rank_sums(one, two, NATURAL & ~above)
    pairs = (high >> 8 & 255) + (low >> 8 & 255)
    if joker_pair:
        pairs += joker_pairs(two)
    return full_houses(wilds, high, pairs, popcount(one & NATURAL), cross)


@kernel
def straight_polynomial(suits: int, wilds: int) -> tuple[int, int, int]:
    """Ways to fill five ranks with 0, 1 and 2 wilds (0 beyond ``wilds``), any suits.

    ``suits`` holds the number of suits of each rank in the window in nibbles 0..4. Multiplies out
    (suits_i + x).
    """
    p0, p1, p2 = 1, 0, 0
    for i in range(5):
        ways = suits >> 4 * i & 15
        p2 = p2 * ways + p1
        p1 = p1 * ways + p0
        p0 = p0 * ways
    if wilds == 0:
        return p0, 0, 0
    if wilds == 1:
        return p0, p1, 0
    return p0, p1, p2


@kernel
def natural_flushes(board: int) -> int:
    """Bits of a sequence board that begin five ranks of one suit."""
    pairs = board & board >> 4
    return pairs & pairs >> 8 & board >> 16


@kernel
def near_runs(held: int, length: int, missing: int) -> int:
    """Starts of the windows of ``length`` ranks in which at most ``missing`` are not in ``held``
    (unit bits).
    """
    present = held
    for i in range(1, length):
        present += held >> 4 * i
    # A nibble reaches 8 exactly where present + missing >= length.
    return (present + RANK_UNITS * (8 - length + missing)) >> 3 & RANK_UNITS


@kernel
def count_straights(one: int, wilds: int, starts: int) -> int:
    """Plain straights: five natural cards of one suit are a straight flush only."""
    board = sequence_board(one)
    suits = rank_counts(board, 0)
    windows = near_runs(ranks_held(board), 5, wilds) & starts
    flushes = natural_flushes(board) & (starts * 15)
    total = -popcount(flushes)
    while windows:
        place = trailing_zeros(windows)
        windows &= windows - 1
        p0, p1, p2 = straight_polynomial(suits >> place, wilds)
        total += p0 + p1 + p2
    return total


@kernel
def set_ways(one: int, two: int, place: int, size: int, used: int) -> int:
    """Ways to make ``size`` cards of the rank at ``place`` with ``used`` wilds among them."""
    return CHOOSE[16 * rank_index(one, two, place) + size - used]


@kernel
def set_windows(one: int, two: int, wilds: int, starts: int, size: int) -> int:
    """Starts of the runs of three pairs (``size`` 2) or two triples (3) that six cards, wilds
    included, can fill.

    ``one``, ``two`` are sequence boards. Counts the cards that each rank can give, at most
    ``size``, in its nibble; a nibble of the window's sum reaches 8 exactly where sum + wilds >= 6.
    """
    cards = rank_plane(one, two, 1) + rank_plane(one, two, 2)
    if size == 3:
        cards += rank_plane(one, two, 3)
        present = cards + (cards >> 4)
    else:
        present = cards + (cards >> 4) + (cards >> 8)
    return (present + RANK_UNITS * (2 + wilds)) >> 3 & starts


@kernel
def count_runs_of_sets(one: int, two: int, wilds: int, starts: int, size: int) -> int:
    """Tubes (``size`` 2: three pairs) or plates (``size`` 3: two triples)."""
    length = 5 - size
    one = sequence_board(one)
    two = sequence_board(two)
    windows = set_windows(one, two, wilds, starts, size)
    total = 0
    while windows:
        place = trailing_zeros(windows)
        windows &= windows - 1
        p0, p1, p2 = 1, 0, 0
        for i in range(length):
            row = 16 * rank_index(one, two, place + 4 * i) + size
            w0, w1, w2 = CHOOSE[row], CHOOSE[row - 1], CHOOSE[row - 2]
            p2 = p2 * w0 + p1 * w1 + p0 * w2
            p1 = p1 * w0 + p0 * w1
            p0 = p0 * w0
        total += p0
        if wilds:
            total += p1
            if wilds == 2:
                total += p2
    return total


@kernel
def flush_planes(board: int) -> tuple[int, int, int]:
    """For each bit of a sequence board as a start: how many of the five cards up its suit are held
    (0..5), in binary.

    Returned as three planes (ones, twos, fours): two full adders over five shifted boards.
    """
    b, c, d, e = board >> 4, board >> 8, board >> 12, board >> 16
    ones = board ^ b ^ c
    carry = (board & b) | (c & (board ^ b))
    carry_2 = (ones & d) | (e & (ones ^ d))
    ones ^= d ^ e
    return ones, carry ^ carry_2, carry & carry_2


@kernel
def count_straight_flushes(one: int, wilds: int, starts: int) -> int:
    """Straight flushes; a wild may also stand where the natural card is held.

    With 5 of 5 held there are 1, 1 + 5 and 1 + 5 + 10 choices for 0, 1 and 2 wilds; with 4 of 5: 0,
    1, 1 + 4; with 3 of 5: 0, 0, 1.
    """
    board = sequence_board(one)
    starts *= 15
    if wilds == 0:
        return popcount(natural_flushes(board) & starts)
    ones, twos, fours = flush_planes(board)
    five = popcount(fours & ones & starts)
    four = popcount(fours & ~ones & starts)
    if wilds == 1:
        return 6 * five + four
    three = popcount(ones & twos & starts)
    return 16 * five + 5 * four + three


def _rank_bombs() -> np.ndarray:
    """Table of `count_bombs`: rank bombs of at least ``least`` cards, by wilds, ``least`` and the
    rank's index byte.
    """
    table = np.zeros((3, 12, 256), np.int64)
    for wilds in range(3):
        for least in range(4, 11):
            for index in range(256):
                ways = CHOOSE[16 * index : 16 * index + 9]
                table[wilds, least, index] = sum(
                    int(ways[natural])
                    for used in range(wilds + 1)
                    for natural in range(max(least - used, 1), 9)
                )
    return table.reshape(-1)


RANK_BOMBS = _rank_bombs()


@kernel
def bomb_ranks(one: int, two: int, wilds: int) -> int:
    """Low bits of the natural ranks of which a bomb can be made."""
    counts = rank_counts(one & NATURAL, two & NATURAL)
    return (counts + RANK_UNITS * wilds >> 2 | counts + RANK_UNITS * wilds >> 3) & RANK_UNITS


@kernel
def rank_bombs(index: int, wilds: int, least: int, most: int) -> int:
    """Bombs of ``least`` to ``most`` cards (4..10) of a rank with that index byte."""
    row = 12 * 256 * wilds + index
    return RANK_BOMBS[row + 256 * least] - RANK_BOMBS[row + 256 * (most + 1)]


@kernel
def holds_joker_bomb(two: int) -> int:
    """1 if the hand has all four jokers."""
    return two >> 56 & two >> 60 & 1


@kernel
def count_bombs(
    one: int, two: int, wilds: int, least: int, above: int, flush_starts: int, max_bomb: int
) -> int:
    """All bombs: rank bombs of more than ``least`` cards, or ``least`` in a rank of ``above``;
    straight flushes that begin in ``flush_starts``; the joker bomb.
    """
    total = holds_joker_bomb(two)
    if flush_starts:
        total += count_straight_flushes(one, wilds, flush_starts)
    ranks = bomb_ranks(one, two, wilds)
    while ranks:
        place = trailing_zeros(ranks)
        ranks &= ranks - 1
        smallest = least + 1 - (above >> place & 1)
        if smallest <= max_bomb:
            total += rank_bombs(rank_index(one, two, place), wilds, smallest, max_bomb)
    return total
