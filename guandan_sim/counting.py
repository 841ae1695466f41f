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
    JOKERS,
    NATURAL,
    RANK_UNITS,
    rank_cards,
    rank_counts,
    rank_index,
    rank_plane,
    ranks_held,
    sequence_board,
)
from .bits import index, popcount, trailing_zeros
from .cpu import VECTORS
from .jit import kernel, opened

if VECTORS:
    from .lanes import house_ways, plate_ways, straight_ways, tube_ways

__all__ = [
    "MOST_PAIRS",
    "bomb_ranks",
    "count_bombs",
    "count_full_houses",
    "count_pair_ways",
    "count_pairs",
    "count_runs_of_sets",
    "count_singles",
    "count_straight_flushes",
    "count_straights",
    "count_triple_ways",
    "count_triples",
    "holds_joker_bomb",
    "houses_of_rank",
    "joker_pairs",
    "natural_flushes",
    "near_runs",
    "rank_bombs",
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


@opened
def count_singles(one: int, wilds: int, level: int, above: int) -> int:
    """Single cards; a wild alone is a card of the level."""
    return popcount(one & above) + (min(wilds, 1) & above >> 4 * level)


# The low bits of the natural ranks.
_UNITS = RANK_UNITS & NATURAL


@kernel
def count_pair_ways(one: int, two: int) -> int:
    """Natural pairs of all ranks: p (p - 1) / 2 + q for a rank with p suits, q of them twice.

    The first term is 0, 0, 1, 3, 6 for p = 0..4; its bits are read off those of p, for all ranks at
    once.
    """
    suits = rank_counts(one, 0)  # 0..4 of each rank, in its nibble
    units = suits & RANK_UNITS
    twos = suits >> 1 & RANK_UNITS
    fours = suits >> 2 & RANK_UNITS
    six = popcount(twos) + 2 * popcount((units & twos) | fours) + 4 * popcount(fours)
    return six + popcount(two)


@kernel
def count_triple_ways(one: int, two: int) -> int:
    """Natural triples of all ranks: C(p, 3) + q (p - 1) for a rank with p suits, q of them twice.

    C(p, 3) is 1 for p = 3 and 4 for p = 4. The sum of q p counts pairs of a card held twice and one
    of the same rank: for each of the four distances between their suits, an AND of the two words.
    """
    suits = rank_counts(one, 0)  # 0..4 of each rank, in its nibble
    three = suits & suits >> 1 & RANK_UNITS
    four = suits >> 2 & RANK_UNITS
    one &= NATURAL
    by_one = (one << 1 & 14 * _UNITS) | (one >> 3 & _UNITS)
    by_two = (one << 2 & 12 * _UNITS) | (one >> 2 & 3 * _UNITS)
    by_three = (one << 3 & 8 * _UNITS) | (one >> 1 & 7 * _UNITS)
    beside = popcount(two & by_one) + popcount(two & by_two) + popcount(two & by_three)
    return popcount(three) + 4 * popcount(four) + beside


@kernel
def count_pairs(one: int, two: int, wilds: int, level: int, above: int) -> int:
    """Pairs of a rank in ``above``.

    Natural ones; with a wild, one natural card (a joker never); both wilds, the pair of the level.
    """
    one &= above
    total = count_pair_ways(one, two & above)
    if wilds:
        total += popcount(one & NATURAL) + ((wilds >> 1) & (above >> 4 * level))
    return total


@kernel
def count_triples(one: int, two: int, wilds: int, above: int) -> int:
    """Triples of a rank in ``above``: with 0, 1 and 2 wilds."""
    one &= above & NATURAL
    two &= above & NATURAL
    total = count_triple_ways(one, two)
    if wilds:
        total += count_pair_ways(one, two)
        if wilds == 2:
            total += popcount(one)
    return total


@kernel
def joker_pairs(two: int) -> int:
    """How many colours of joker are held twice."""
    return popcount(two & JOKERS)


def _full_houses() -> np.ndarray:
    """Table of `count_full_houses`, by the triple's index byte: ways to make it of 3, 2 and 1
    natural cards, 16 bits each.
    """
    ways = CHOOSE.reshape(256, 16)
    return ways[:, 3] | ways[:, 2] << 16 | ways[:, 1] << 32


TRIPLES = _full_houses()

#: With fewer pairs than this a hand's full houses fit lanes of 16 bits: at most 3258 a rank, with
#: both wilds. Seven ranks of four suits, the most that 28 cards can offer, have 42.
MOST_PAIRS = 64


@kernel
def houses_of_rank(kind: int, wilds: int, pairs: int, singles: int) -> int:
    """Full houses whose triple is of the rank with that index byte: the ways to make the triple
    with i wilds times the ways to make a pair of another rank with j, i + j <= wilds.

    ``pairs`` and ``singles`` count natural pairs and suits of all ranks that may make the pair.
    """
    ways = TRIPLES[index(kind)]
    of_three = ways & 0xFFFF
    of_two = ways >> 16 & 0xFFFF
    total = of_three * (pairs - of_two)
    if wilds:
        of_one = ways >> 32
        total += of_three * (singles - of_one) + of_two * (pairs - of_two)
        if wilds == 2:
            total += of_three + of_two * (singles - of_one) + of_one * (pairs - of_two)
    return total


@opened
def count_full_houses(one: int, two: int, wilds: int, above: int, joker_pair: int) -> int:
    """Full houses whose triple is of a rank in ``above``."""
    naturals = one & NATURAL
    pairs = count_pair_ways(naturals, two & NATURAL)
    if joker_pair:
        pairs += joker_pairs(two)
    singles = popcount(naturals)
    ranks = rank_plane(naturals, two & NATURAL, 3 - wilds) & above
    if VECTORS and pairs < MOST_PAIRS:
        two &= NATURAL
        high = rank_cards(ranks)
        return house_ways(naturals, two, naturals & high, two & high, pairs, singles, wilds)
    total = 0
    while ranks:
        place = trailing_zeros(ranks)
        ranks &= ranks - 1
        total += houses_of_rank(rank_index(one, two, place), wilds, pairs, singles)
    return total


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


@opened
def count_straights(one: int, wilds: int, starts: int) -> int:
    """Plain straights: five natural cards of one suit are a straight flush only."""
    board = sequence_board(one)
    windows = near_runs(ranks_held(board), 5, wilds) & starts
    total = -popcount(natural_flushes(board) & (starts * 15))
    if VECTORS:
        return total + straight_ways(board, 0, windows, wilds)
    suits = rank_counts(board, 0)
    while windows:
        place = trailing_zeros(windows)
        windows &= windows - 1
        p0, p1, p2 = straight_polynomial(suits >> place, wilds)
        total += p0 + p1 + p2
    return total


@kernel
def set_ways(one: int, two: int, place: int, size: int, used: int) -> int:
    """Ways to make ``size`` cards of the rank at ``place`` with ``used`` wilds among them."""
    return CHOOSE[index(16 * rank_index(one, two, place) + size - used)]


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
    if VECTORS and windows:
        if size == 2:
            return tube_ways(one, two, windows, wilds)
        return plate_ways(one, two, windows, wilds)
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
            for kind in range(256):
                ways = CHOOSE[16 * kind : 16 * kind + 9]
                table[wilds, least, kind] = sum(
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
def rank_bombs(kind: int, wilds: int, least: int, most: int) -> int:
    """Bombs of ``least`` to ``most`` cards (4..10) of a rank with that index byte."""
    row = 12 * 256 * wilds + kind
    return RANK_BOMBS[index(row + 256 * least)] - RANK_BOMBS[index(row + 256 * (most + 1))]


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
