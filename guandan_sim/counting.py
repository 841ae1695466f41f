"""How many legal moves of each shape a hand has, from planes and small tables, without listing any.

Everywhere ``one``, ``two`` are the hand *without* its wilds, ``wilds`` is their number (0..2), ``above`` holds the
nibbles of the ranks that are high enough (`shapes.ABOVE`) and ``starts`` has the low bit of each nibble of the sequence
board where a run may begin (`run_starts`). Wilds enter as polynomials: the coefficient of x**j counts the ways that use
j wilds, and everything above the number of wilds held is cut off.
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
    ranks_held,
    sequence_board,
)
from .bits import popcount, trailing_zeros
from .jit import kernel

__all__ = [
    "count_bombs",
    "count_full_houses",
    "count_kind",
    "count_runs_of_sets",
    "count_singles",
    "count_straight_flushes",
    "count_straights",
    "flush_planes",
    "natural_flushes",
    "pair_ranks",
    "run_starts",
    "set_ways",
    "straight_polynomial",
]


@kernel
def run_starts(length: int, top: int) -> int:
    """Low bits of the nibbles where a run of ``length`` ranks may begin and end above rank ``top`` (0: anywhere)."""
    lowest = max(top - length + 2, 0)
    count = max(15 - length - lowest, 0)
    return (RANK_UNITS & ((1 << 4 * count) - 1)) << 4 * lowest


@kernel
def pair_ranks(joker_pair: int) -> int:
    """Nibbles whose natural pair may complete a full house."""
    return NATURAL | JOKERS if joker_pair else NATURAL


@kernel
def count_singles(one: int, wilds: int, level: int, above: int) -> int:
    """Single cards; a wild alone is a card of the level."""
    return popcount(one & above) + (min(wilds, 1) & above >> 4 * level)


@kernel
def _sums(one: int, two: int, ranks: int) -> int:
    """Sum over the ranks of ``ranks`` of the numbers of multisets by size, a byte each (see CHOOSE_SUMS)."""
    total = 0
    held = ranks_held(one & ranks)
    while held:
        total += CHOOSE_SUMS[rank_index(one, two, trailing_zeros(held))]
        held &= held - 1
    return total


@kernel
def count_kind(one: int, two: int, wilds: int, level: int, above: int, size: int) -> int:
    """Pairs (``size`` 2) or triples (3) of one rank."""
    if size == 3:
        above &= NATURAL
    sums = _sums(one, two, above)
    total = sums >> 8 * (size - 1) & 255
    if wilds and size == 2:
        # One natural card with a wild, which never pairs with a joker; or both wilds, the level's pair.
        total += popcount(one & above & NATURAL) + ((wilds >> 1) & (above >> 4 * level))
    elif wilds:
        total += sums >> 8 & 255
        if wilds == 2:
            total += sums & 255
    return total


@kernel
def count_full_houses(one: int, two: int, wilds: int, above: int, joker_pair: int) -> int:
    """Full houses whose triple is of a rank in ``above``.

    Ways to make the triple with i wilds times ways to make the pair with j, summed over i + j <= wilds, less the
    products of a rank with itself; and a natural triple with both wilds as any pair.
    """
    pairs = pair_ranks(joker_pair)
    triple_0 = triple_1 = triple_2 = 0
    pair_0 = pair_1 = 0
    same = 0
    held = ranks_held(one & pairs)
    while held:
        place = trailing_zeros(held)
        held &= held - 1
        row = 16 * rank_index(one, two, place)
        ones = CHOOSE[row + 1]
        twos = CHOOSE[row + 2]
        pair_0 += twos
        if place >= 56:
            continue
        pair_1 += ones
        if above >> place & 1:
            threes = CHOOSE[row + 3]
            triple_0 += threes
            triple_1 += twos
            triple_2 += ones
            same += threes * twos
            if wilds:
                same += threes * ones + twos * twos
                if wilds == 2:
                    same += twos * ones + ones * twos
    total = triple_0 * pair_0 - same
    if wilds:
        total += triple_0 * pair_1 + triple_1 * pair_0
        if wilds == 2:
            total += triple_1 * pair_1 + triple_2 * pair_0 + triple_0
    return total


@kernel
def straight_polynomial(suits: int, wilds: int) -> tuple[int, int, int]:
    """Ways to fill five ranks with 0, 1 and 2 wilds (0 beyond ``wilds``), any suits.

    ``suits`` holds the number of suits of each rank in the window in nibbles 0..4. Multiplies out (suits_i + x).
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
    """Starts of the windows of ``length`` ranks in which at most ``missing`` are not in ``held`` (unit bits)."""
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
def count_runs_of_sets(one: int, two: int, wilds: int, starts: int, size: int) -> int:
    """Tubes (``size`` 2: three pairs) or plates (``size`` 3: two triples)."""
    length = 5 - size
    one = sequence_board(one)
    two = sequence_board(two)
    # Enough cards in the window, rank by rank: cards that a rank can give, at most ``size``.
    counts = rank_counts(one, two)
    total = 0
    while starts:
        place = trailing_zeros(starts)
        starts &= starts - 1
        missing = 0
        for i in range(length):
            missing += max(size - (counts >> place + 4 * i & 15), 0)
        if missing > wilds:
            continue
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
    """For each bit of a sequence board as a start: how many of the five cards up its suit are held (0..5), in binary.

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

    With 5 of 5 held there are 1, 1 + 5 and 1 + 5 + 10 choices for 0, 1 and 2 wilds; with 4 of 5: 0, 1, 1 + 4;
    with 3 of 5: 0, 0, 1.
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
    """Table of `count_bombs`: rank bombs of at least ``least`` cards, by wilds, ``least`` and the rank's index byte."""
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
def holds_joker_bomb(one: int, two: int) -> int:
    """1 if the hand has all four jokers."""
    return two >> 56 & two >> 60 & 1


@kernel
def count_bombs(
    one: int, two: int, wilds: int, least: int, above: int, flush_starts: int, max_bomb: int
) -> int:
    """All bombs: rank bombs of more than ``least`` cards, or ``least`` in a rank of ``above``; straight flushes that
    begin in ``flush_starts``; the joker bomb.
    """
    total = holds_joker_bomb(one, two)
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
