"""Every legal move, written one after the other into rows of the caller's.

The order is that of `unranking`, so that row k of a shape is its k-th move; but nothing is searched
for a move: the loops run through windows, wilds and suits and write as they go.
"""

from __future__ import annotations

from .bitboard import (
    CHOOSE,
    JOKERS,
    NATURAL,
    choose,
    rank_index,
    ranks_held,
    sequence_board,
    without_sequence,
)
from .bits import popcount, trailing_zeros
from .counting import (
    bomb_ranks,
    holds_joker_bomb,
    natural_flushes,
    near_runs,
    run_starts,
    set_ways,
    set_windows,
)
from .jit import Rows, kernel, opened
from .movegen import bombs_over
from .shapes import (
    ABOVE,
    BOMB,
    FULL_HOUSE,
    JOKER_BOMB,
    LADDER_STEP,
    PAIR,
    PASS,
    PLATE,
    SINGLE,
    STRAIGHT,
    STRAIGHT_FLUSH,
    TRIPLE,
    TUBE,
    wild_bit,
    without_wilds,
)
from .unranking import ranks_of_wilds

__all__ = ["list_moves"]


@opened
def _put(out: Rows, n: int, shape: int, rank: int, one: int, two: int) -> int:
    """Write move number ``n`` if there is a row for it; gives the next number."""
    if n < len(out):
        out[n, 0] = shape
        out[n, 1] = rank
        out[n, 2] = one
        out[n, 3] = two
    return n + 1


@opened
def _wilds_used(level: int, used: int) -> tuple[int, int]:
    """So many wilds as (one, two)."""
    wild = wild_bit(level)
    return wild * (used > 0), wild * (used > 1)


@kernel
def _list_singles(one: int, wilds: int, level: int, above: int, out: Rows, n: int) -> int:
    cards = one & above
    while cards:
        place = trailing_zeros(cards)
        cards &= cards - 1
        n = _put(out, n, SINGLE, place >> 2, 1 << place, 0)
    if wilds and above >> 4 * level & 1:
        n = _put(out, n, SINGLE, level, wild_bit(level), 0)
    return n


@kernel
def _list_kinds(
    one: int, two: int, wilds: int, level: int, above: int, size: int, out: Rows, n: int
) -> int:
    """Pairs (``size`` 2) or triples (3)."""
    ranks = above & NATURAL if size == 3 else above
    for used in range(min(wilds, size - 1) + 1):
        wild_one, wild_two = _wilds_used(level, used)
        held = ranks_held(one & ranks)
        while held:
            place = trailing_zeros(held)
            held &= held - 1
            for k in range(set_ways(one, two, place, size, used)):
                take_one, take_two = choose(one, two, place, size - used, k)
                n = _put(out, n, size, place >> 2, take_one | wild_one, take_two | wild_two)
        ranks &= NATURAL
    if size == 2 and wilds == 2 and above >> 4 * level & 1:
        n = _put(out, n, PAIR, level, wild_bit(level), wild_bit(level))
    return n


@kernel
def _list_full_houses(
    one: int, two: int, wilds: int, level: int, above: int, joker_pair: int, out: Rows, n: int
) -> int:
    pairs = NATURAL | JOKERS if joker_pair else NATURAL
    held = ranks_held(one & above & NATURAL)
    while held:
        place = trailing_zeros(held)
        held &= held - 1
        rank = place >> 2
        for used in range(wilds + 1):
            for helping in range(wilds - used + 1):
                wild_one, wild_two = _wilds_used(level, used + helping)
                size = 2 - helping
                among = ranks_held(one & (pairs if helping == 0 else NATURAL)) & ~(1 << place)
                for i in range(set_ways(one, two, place, 3, used)):
                    base_one, base_two = choose(one, two, place, 3 - used, i)
                    base_one |= wild_one
                    base_two |= wild_two
                    if size == 0:
                        n = _put(out, n, FULL_HOUSE, rank, base_one, base_two)
                        continue
                    others = among
                    while others:
                        other = trailing_zeros(others)
                        others &= others - 1
                        for k in range(set_ways(one, two, other, size, 0)):
                            take_one, take_two = choose(one, two, other, size, k)
                            n = _put(
                                out, n, FULL_HOUSE, rank, base_one | take_one, base_two | take_two
                            )
    return n


@kernel
def _list_suits(window: int, place: int, base_one: int, base_two: int, out: Rows, n: int) -> int:
    """Straights in one window: a suit for each of its ranks, the lowest rank turning fastest.

    ``window`` holds the suits of five ranks in nibbles; that of a rank that a wild stands for is
    empty. ``base`` is the wilds. Without wilds, five cards of one suit are left out.
    """
    rank = (place >> 2) + 4
    flushes = natural_flushes(window) & 15
    # A rank without suits still takes one turn.
    r4 = window >> 16 & 15
    while True:
        c4 = (r4 & -r4) << 16
        r4 &= r4 - 1
        r3 = window >> 12 & 15
        while True:
            c3 = c4 | (r3 & -r3) << 12
            r3 &= r3 - 1
            r2 = window >> 8 & 15
            while True:
                c2 = c3 | (r2 & -r2) << 8
                r2 &= r2 - 1
                r1 = window >> 4 & 15
                while True:
                    c1 = c2 | (r1 & -r1) << 4
                    r1 &= r1 - 1
                    r0 = window & 15
                    while True:
                        cards = c1 | (r0 & -r0)
                        r0 &= r0 - 1
                        if flushes == 0 or natural_flushes(cards) == 0:
                            take = without_sequence(cards << place)
                            n = _put(out, n, STRAIGHT, rank, take | base_one, base_two)
                        if r0 <= 0:
                            break
                    if r1 <= 0:
                        break
                if r2 <= 0:
                    break
            if r3 <= 0:
                break
        if r4 <= 0:
            return n


@kernel
def _list_straights(one: int, wilds: int, level: int, starts: int, out: Rows, n: int) -> int:
    board = sequence_board(one)
    held = ranks_held(board)
    windows = near_runs(held, 5, wilds) & starts
    while windows:
        place = trailing_zeros(windows)
        windows &= windows - 1
        window = board >> place & 0xFFFFF
        missing = 0x11111 & ~(held >> place)
        if missing == 0:
            n = _list_suits(window, place, 0, 0, out, n)
        for used in range(1, wilds + 1):
            wild_one, wild_two = _wilds_used(level, used)
            for i in range(5):
                for j in range(i + 1, 5 if used == 2 else i + 2):
                    free = ranks_of_wilds(used, i, j)
                    if missing & ~free == 0:
                        n = _list_suits(window & ~(15 * free), place, wild_one, wild_two, out, n)
    return n


@kernel
def _list_runs_of_sets(
    one: int, two: int, wilds: int, level: int, starts: int, size: int, out: Rows, n: int
) -> int:
    """Tubes (``size`` 2) or plates (3), the lowest rank turning fastest."""
    length = 5 - size
    shape = TUBE if size == 2 else PLATE
    one = sequence_board(one)
    two = sequence_board(two)
    windows = set_windows(one, two, wilds, starts, size)
    while windows:
        place = trailing_zeros(windows)
        windows &= windows - 1
        rank = (place >> 2) + length - 1
        for first in range(wilds + 1):
            for second in range(wilds - first + 1):
                for third in range((wilds - first - second if length == 3 else 0) + 1):
                    wild_one, wild_two = _wilds_used(level, first + second + third)
                    ways_2 = 1
                    if length == 3:
                        ways_2 = set_ways(one, two, place + 8, size, third)
                    for k in range(ways_2):
                        high_one = high_two = 0
                        if length == 3:
                            high_one, high_two = choose(one, two, place + 8, size - third, k)
                        for j in range(set_ways(one, two, place + 4, size, second)):
                            middle_one, middle_two = choose(one, two, place + 4, size - second, j)
                            middle_one |= high_one
                            middle_two |= high_two
                            for i in range(set_ways(one, two, place, size, first)):
                                low_one, low_two = choose(one, two, place, size - first, i)
                                take_one = without_sequence(low_one | middle_one) | wild_one
                                take_two = without_sequence(low_two | middle_two) | wild_two
                                n = _put(out, n, shape, rank, take_one, take_two)
    return n


@kernel
def _list_straight_flushes(one: int, wilds: int, level: int, starts: int, out: Rows, n: int) -> int:
    board = sequence_board(one)
    windows = starts * 15
    while windows:
        place = trailing_zeros(windows)
        windows &= windows - 1
        held = board >> place & 0x11111
        if popcount(held) + wilds < 5:
            continue
        rank = (place >> 2) + 4
        missing = 0x11111 & ~held
        for used in range(wilds + 1):
            wild_one, wild_two = _wilds_used(level, used)
            for i in range(5 if used else 1):
                for j in range(i + 1, 5 if used == 2 else i + 2):
                    free = ranks_of_wilds(used, i, j)
                    if missing & ~free == 0:
                        take = without_sequence((0x11111 & ~free) << place)
                        n = _put(out, n, STRAIGHT_FLUSH, rank, take | wild_one, wild_two)
    return n


@kernel
def _list_bombs(
    one: int,
    two: int,
    wilds: int,
    level: int,
    kind: int,
    strength: int,
    max_bomb: int,
    out: Rows,
    n: int,
) -> int:
    if kind == BOMB and strength >= 8 * LADDER_STEP:
        return n
    least, above, starts = bombs_over(kind, strength, level)
    ranks = bomb_ranks(one, two, wilds)
    while ranks:
        place = trailing_zeros(ranks)
        ranks &= ranks - 1
        smallest = least + 1 - (above >> place & 1)
        index = rank_index(one, two, place)
        for used in range(wilds + 1):
            wild_one, wild_two = _wilds_used(level, used)
            for natural in range(max(smallest - used, 1), min(max_bomb - used, 8) + 1):
                for k in range(CHOOSE[16 * index + natural]):
                    take_one, take_two = choose(one, two, place, natural, k)
                    n = _put(out, n, BOMB, place >> 2, take_one | wild_one, take_two | wild_two)
    if starts:
        n = _list_straight_flushes(one, wilds, level, starts, out, n)
    if holds_joker_bomb(two):
        n = _put(out, n, JOKER_BOMB, 0, JOKERS, JOKERS)
    return n


@kernel
def list_moves(
    one: int,
    two: int,
    level: int,
    kind: int,
    strength: int,
    max_bomb: int,
    joker_pair: int,
    out: Rows,
) -> int:
    """Write every legal move but the pass to rows of ``out`` (int64[n, 4]: shape, rank, one, two);
    returns how many.

    Ordered by shape, then as `unranking` counts. If ``out`` has too few rows, it is filled and the
    number that would have been needed is returned.
    """
    one, two, wilds = without_wilds(one, two, level)
    n = 0
    lead = kind == PASS
    # Of a lead everything is high enough: strength 0.
    above = ABOVE[32 * level + (strength if kind < BOMB else 0)]
    if lead or kind == SINGLE:
        n = _list_singles(one, wilds, level, above, out, n)
    if lead or kind == PAIR:
        n = _list_kinds(one, two, wilds, level, above, 2, out, n)
    if lead or kind == TRIPLE:
        n = _list_kinds(one, two, wilds, level, above, 3, out, n)
    if lead or kind == FULL_HOUSE:
        n = _list_full_houses(one, two, wilds, level, above, joker_pair, out, n)
    if lead or kind == STRAIGHT:
        n = _list_straights(one, wilds, level, run_starts(5, strength), out, n)
    if lead or kind == TUBE:
        n = _list_runs_of_sets(one, two, wilds, level, run_starts(3, strength), 2, out, n)
    if lead or kind == PLATE:
        n = _list_runs_of_sets(one, two, wilds, level, run_starts(2, strength), 3, out, n)
    return _list_bombs(one, two, wilds, level, kind, strength, max_bomb, out, n)
