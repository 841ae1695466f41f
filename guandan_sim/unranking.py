"""The k-th move of a shape: the same walk as in `counting`, stopped where k falls.

For every shape, k = 0..count-1 gives each legal move exactly once, so a uniform k is a uniform move
and k = 0, 1, 2, ... is the list. Arguments are those of `counting`. Each function returns (rank,
one, two), bombs with their shape first; ``k`` must be less than the count.
"""

from __future__ import annotations

from .bitboard import (
    CHOOSE,
    JOKERS,
    NATURAL,
    choose,
    rank_cards,
    rank_counts,
    rank_index,
    rank_plane,
    ranks_held,
    sequence_board,
    without_sequence,
)
from .bits import divide, popcount, select_bit, trailing_zeros
from .counting import (
    MOST_PAIRS,
    bomb_ranks,
    count_pair_ways,
    count_triple_ways,
    houses_of_rank,
    natural_flushes,
    near_runs,
    rank_bombs,
    set_ways,
    set_windows,
    straight_polynomial,
)
from .cpu import VECTORS
from .jit import kernel, opened
from .shapes import BOMB, JOKER_BOMB, STRAIGHT_FLUSH, wild_bit

if VECTORS:
    from .lanes import house_at, rank_at, straight_at

__all__ = [
    "ranks_of_wilds",
    "unrank_bomb",
    "unrank_full_house",
    "unrank_kind",
    "unrank_run_of_sets",
    "unrank_single",
    "unrank_straight",
]


@kernel
def _with_wilds(one: int, two: int, used: int, level: int) -> tuple[int, int]:
    """Natural cards together with ``used`` (0..2) wilds."""
    if used:
        one |= wild_bit(level)
        if used == 2:
            two |= wild_bit(level)
    return one, two


@opened
def unrank_single(one: int, level: int, above: int, k: int) -> tuple[int, int, int]:
    """The k-th single card; the wild comes last."""
    cards = one & above
    if k >= popcount(cards):
        return level, wild_bit(level), 0
    card = select_bit(cards, k)
    return trailing_zeros(card) >> 2, card, 0


@kernel
def _find_rank(one: int, two: int, size: int, k: int) -> tuple[int, int]:
    """(place, k): the rank of the k-th multiset of ``size`` cards, and which of the rank's own it
    is.
    """
    if VECTORS:
        rank, k = rank_at(one, two, size, k)
        return 4 * rank, k
    held = ranks_held(one)
    place = 0
    while held:
        place = trailing_zeros(held)
        held &= held - 1
        ways = set_ways(one, two, place, size, 0)
        if k < ways:
            return place, k
        k -= ways
    return place, k


@opened
def unrank_kind(
    one: int, two: int, wilds: int, level: int, above: int, size: int, k: int
) -> tuple[int, int, int]:
    """The k-th pair (``size`` 2) or triple (3): by wilds used, then by rank."""
    ranks = above & NATURAL if size == 3 else above
    for used in range(min(wilds, size - 1) + 1):
        one &= ranks
        two &= ranks
        if size - used == 3:
            ways = count_triple_ways(one, two)
        elif size - used == 2:
            ways = count_pair_ways(one, two)
        else:
            ways = popcount(one)
        if k < ways:
            place, k = _find_rank(one, two, size - used, k)
            take_one, take_two = choose(one, two, place, size - used, k)
            take_one, take_two = _with_wilds(take_one, take_two, used, level)
            return place >> 2, take_one, take_two
        k -= ways
        ranks &= NATURAL
    return level, wild_bit(level), wild_bit(level)


@opened
def _house_rank(
    one: int, two: int, wilds: int, above: int, pairs: int, singles: int, k: int
) -> tuple[int, int]:
    """(place, k): the rank of the k-th full house's triple, and which of the rank's own it is."""
    ranks = rank_plane(one & NATURAL, two & NATURAL, 3 - wilds) & above
    if VECTORS and pairs < MOST_PAIRS:
        high = rank_cards(ranks)
        one &= NATURAL
        two &= NATURAL
        rank, k = house_at(one, two, one & high, two & high, pairs, singles, wilds, k)
        return 4 * rank, k
    place = 0
    while ranks:
        place = trailing_zeros(ranks)
        ranks &= ranks - 1
        ways = houses_of_rank(rank_index(one, two, place), wilds, pairs, singles)
        if k < ways:
            return place, k
        k -= ways
    return place, k


@opened
def unrank_full_house(
    one: int, two: int, wilds: int, level: int, above: int, joker_pair: int, k: int
) -> tuple[int, int, int]:
    """The k-th full house: by the triple's rank, wilds in the triple, wilds in the pair."""
    among = NATURAL | JOKERS if joker_pair else NATURAL
    pairs = count_pair_ways(one & among, two & among)
    singles = popcount(one & NATURAL)
    place, k = _house_rank(one, two, wilds, above, pairs, singles, k)
    index = rank_index(one, two, place)
    for used in range(wilds + 1):
        triples = CHOOSE[16 * index + 3 - used]
        for helping in range(wilds - used + 1):
            if helping == 2:
                beside = 1
            elif helping == 1:
                beside = singles - CHOOSE[16 * index + 1]
            else:
                beside = pairs - CHOOSE[16 * index + 2]
            if k < triples * beside:
                triple = divide(k, beside)
                k -= triple * beside
                take_one, take_two = choose(one, two, place, 3 - used, triple)
                if helping < 2:
                    others = (among if helping == 0 else NATURAL) & ~(15 << place)
                    other, k = _find_rank(one & others, two & others, 2 - helping, k)
                    pair_one, pair_two = choose(one, two, other, 2 - helping, k)
                    take_one |= pair_one
                    take_two |= pair_two
                take_one, take_two = _with_wilds(take_one, take_two, used + helping, level)
                return place >> 2, take_one, take_two
            k -= triples * beside
    return 0, 0, 0


@kernel
def _skip_flushes(window: int, suits: int, k: int) -> int:
    """Index among all choices of a suit a rank of the k-th one that is not all of one suit.

    The choice i is read in mixed radix, rank by rank; that of one suit throughout has the place of
    this suit among the rank's suits as every digit, so the (at most four) flushes come in rising
    order and are stepped over in turn.
    """
    for suit in range(4):
        index = 0
        radix = 1
        missing = 0
        for i in range(5):
            rank_suits = window >> 4 * i & 15
            missing |= ~rank_suits >> suit & 1
            index += radix * popcount(rank_suits & ((1 << suit) - 1))
            radix *= suits >> 4 * i & 15
        if missing == 0 and k >= index:
            k += 1
    return k


@opened
def unrank_straight(one: int, wilds: int, level: int, starts: int, k: int) -> tuple[int, int, int]:
    """The k-th plain straight: by window, wilds used, ranks that they stand for, suits."""
    board = sequence_board(one)
    all_suits = rank_counts(board, 0)
    windows = near_runs(ranks_held(board), 5, wilds) & starts
    if VECTORS and natural_flushes(board) & starts * 15 == 0:
        rank, k = straight_at(board, 0, windows, wilds, k)
        windows = 1 << 4 * rank
    while windows:
        place = trailing_zeros(windows)
        windows &= windows - 1
        window = board >> place
        suits = all_suits >> place
        p0, p1, p2 = straight_polynomial(suits, wilds)
        flushes = popcount(natural_flushes(board) >> place & 15)
        total = p0 + p1 + p2 - flushes
        if k >= total:
            k -= total
            continue
        first = second = -1  # the ranks (0..4 in the window) that wilds stand for
        if k < p0 - flushes:
            if flushes:
                k = _skip_flushes(window, suits, k)
        else:
            k -= p0 - flushes
            used = 1
            if k >= p1:
                k -= p1
                used = 2
            for i in range(5):
                for j in range(i + 1, 5 if used == 2 else i + 2):
                    if first >= 0:
                        continue
                    ways = 1
                    for h in range(5):
                        if h != i and (used == 1 or h != j):
                            ways *= suits >> 4 * h & 15
                    if k < ways:
                        first = i
                        second = j if used == 2 else i
                    else:
                        k -= ways
        take = 0
        for i in range(5):
            if i != first and i != second:
                ways = suits >> 4 * i & 15
                rest = divide(k, ways)
                take |= select_bit(window >> 4 * i & 15, k - rest * ways) << 4 * i
                k = rest
        used = (first >= 0) + (first != second)
        take_one, take_two = _with_wilds(without_sequence(take << place), 0, used, level)
        return (place >> 2) + 4, take_one, take_two
    return 0, 0, 0


@kernel
def unrank_run_of_sets(
    one: int, two: int, wilds: int, level: int, starts: int, size: int, k: int
) -> tuple[int, int, int]:
    """The k-th tube (``size`` 2) or plate (3): by window, then by the wilds in each rank."""
    length = 5 - size
    one = sequence_board(one)
    two = sequence_board(two)
    windows = set_windows(one, two, wilds, starts, size)
    while windows:
        place = trailing_zeros(windows)
        windows &= windows - 1
        for first in range(wilds + 1):
            ways_0 = set_ways(one, two, place, size, first)
            if ways_0 == 0:
                continue
            for second in range(wilds - first + 1):
                ways_1 = set_ways(one, two, place + 4, size, second)
                if ways_1 == 0:
                    continue
                for third in range((wilds - first - second if length == 3 else 0) + 1):
                    ways_2 = 1
                    if length == 3:
                        ways_2 = set_ways(one, two, place + 8, size, third)
                    if k >= ways_0 * ways_1 * ways_2:
                        k -= ways_0 * ways_1 * ways_2
                        continue
                    rest = divide(k, ways_0)
                    k -= rest * ways_0
                    take_one, take_two = choose(one, two, place, size - first, k)
                    k = divide(rest, ways_1)
                    rest -= k * ways_1
                    more_one, more_two = choose(one, two, place + 4, size - second, rest)
                    take_one |= more_one
                    take_two |= more_two
                    if length == 3:
                        more_one, more_two = choose(one, two, place + 8, size - third, k)
                        take_one |= more_one
                        take_two |= more_two
                    take_one, take_two = _with_wilds(
                        without_sequence(take_one),
                        without_sequence(take_two),
                        first + second + third,
                        level,
                    )
                    return (place >> 2) + length - 1, take_one, take_two
    return 0, 0, 0


@opened
def ranks_of_wilds(used: int, i: int, j: int) -> int:
    """Low bits of the ranks of a window that wilds stand for: none, rank i, or ranks i and j."""
    return (used > 0) << 4 * i | (used > 1) << 4 * j


@kernel
def _unrank_straight_flush(
    one: int, wilds: int, level: int, starts: int, k: int
) -> tuple[int, int, int]:
    """The k-th straight flush: by window and suit, then by the ranks that wilds stand for; rank 0
    past the last.
    """
    board = sequence_board(one)
    windows = starts * 15
    while windows:
        place = trailing_zeros(windows)
        windows &= windows - 1
        held = board >> place & 0x11111
        if popcount(held) + wilds < 5:
            continue
        # Wilds must stand for the missing ranks and may stand for others.
        missing = 0x11111 & ~held
        for used in range(wilds + 1):
            for i in range(5 if used else 1):
                for j in range(i + 1, 5 if used == 2 else i + 2):
                    free = ranks_of_wilds(used, i, j)
                    if missing & ~free:
                        continue
                    if k == 0:
                        cards = without_sequence((0x11111 & ~free) << place)
                        take_one, take_two = _with_wilds(cards, 0, used, level)
                        return (place >> 2) + 4, take_one, take_two
                    k -= 1
    return 0, 0, 0


@kernel
def unrank_bomb(
    one: int,
    two: int,
    wilds: int,
    level: int,
    least: int,
    above: int,
    flush_starts: int,
    max_bomb: int,
    k: int,
) -> tuple[int, int, int, int]:
    """The k-th bomb as (shape, rank, one, two): rank bombs, straight flushes, the joker bomb."""
    ranks = bomb_ranks(one, two, wilds)
    while ranks:
        place = trailing_zeros(ranks)
        ranks &= ranks - 1
        smallest = least + 1 - (above >> place & 1)
        if smallest > max_bomb:
            continue
        index = rank_index(one, two, place)
        ways = rank_bombs(index, wilds, smallest, max_bomb)
        if k >= ways:
            k -= ways
            continue
        for used in range(wilds + 1):
            for natural in range(max(smallest - used, 1), min(max_bomb - used, 8) + 1):
                ways = CHOOSE[16 * index + natural]
                if k < ways:
                    take_one, take_two = choose(one, two, place, natural, k)
                    take_one, take_two = _with_wilds(take_one, take_two, used, level)
                    return BOMB, place >> 2, take_one, take_two
                k -= ways
    if flush_starts:
        rank, take_one, take_two = _unrank_straight_flush(one, wilds, level, flush_starts, k)
        if rank:
            return STRAIGHT_FLUSH, rank, take_one, take_two
    return JOKER_BOMB, 0, JOKERS, JOKERS
