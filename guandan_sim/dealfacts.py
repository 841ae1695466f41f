"""What statistics ask of deals, worked out from hands and plays in compiled loops.

All rows are those of a run's tables, in order. Ranks, shapes and boards are numbers as in `cards`,
`shapes` and `bitboard`; a hand is its two words.
"""

from __future__ import annotations

from . import layout as lay
from . import loop
from .bitboard import NATURAL, rank_counts, sequence_board
from .bits import popcount
from .counting import natural_flushes
from .jit import Rows, Words, kernel
from .plancosts import bombs_of, losers_less_bombs, turns_of
from .planner import plan_cost
from .shapes import BOMB, kind_of, outranks, strength_of, without_wilds

__all__ = [
    "BOMB_WIDTH",
    "HAND_WIDTH",
    "PARTNER_WIDTH",
    "PLAN_WIDTH",
    "START_WIDTH",
    "add_clusters",
    "add_products",
    "follow_deals",
    "hand_facts",
    "plan_facts",
]

BLACK_JOKER = 56
RED_JOKER = 60

# --- Of a hand ---
H_WILDS = 0
H_BLACK = 1  # copies of the black joker
H_RED = 2
H_LEVEL = 3  # cards of the level, wilds among them
H_ACES = 4
H_BOMBS = 5  # 5 words: ranks with exactly 4, 5, 6, 7, 8 cards that are not wild
H_FLUSHES = 10  # places and suits where a straight flush lies without a wild
H_JOKERS = 11  # 1 if all four jokers are held
HAND_WIDTH = 12

# --- Of a hand's best plan ---
P_TURNS = 0
P_BOMBS = 1
P_LOSERS = 2
PLAN_WIDTH = 3

# --- Of a deal's plays ---
S_SHAPE = 0  # the first play
S_RANK = 1
S_SIZE = 2
S_TRICKS = 3  # leads, the first among them
S_LEFT = 4  # 4 words: cards left in each hand
START_WIDTH = 8

# --- Of a bomb that was played ---
B_DEAL = 0  # row of the deal
B_SEAT = 1
B_SHAPE = 2
B_SIZE = 3
B_BEAT = 4  # shape of what it beat; 0: it was led
B_LEFT = 5  # cards left in the hand after it
B_LEAST = 6  # cards in the smaller hand of the opponents that are in
B_STOOD = 7  # 1 if nothing beat it
BOMB_WIDTH = 8

# --- Of a play that its partner could beat: passed on by choice, or played over ---
N_DEAL = 0
N_SEAT = 1  # the partner, who chooses
N_SHAPE = 2  # of the play
N_LEFT = 3  # cards left to who made the play
N_OVER = 4  # 1 if the partner played over it
PARTNER_WIDTH = 5


@kernel
def hand_facts(hands: Rows, levels: Words, facts: Rows) -> None:
    """Fill ``facts``, int64[n, HAND_WIDTH], of ``hands``, int64[n, 2], at ``levels``, int64[n]."""
    for n in range(len(hands)):
        one, two = hands[n, 0], hands[n, 1]
        level = levels[n]
        natural_one, natural_two, wilds = without_wilds(one, two, level)
        counts = rank_counts(one, two)
        facts[n, H_WILDS] = wilds
        facts[n, H_BLACK] = (one >> BLACK_JOKER & 1) + (two >> BLACK_JOKER & 1)
        facts[n, H_RED] = (one >> RED_JOKER & 1) + (two >> RED_JOKER & 1)
        facts[n, H_LEVEL] = counts >> 4 * level & 15
        facts[n, H_ACES] = counts >> 52 & 15
        for i in range(5):
            facts[n, H_BOMBS + i] = 0
        of_ranks = rank_counts(natural_one & NATURAL, natural_two & NATURAL)
        for rank in range(1, 14):
            held = of_ranks >> 4 * rank & 15
            if held >= 4:
                facts[n, H_BOMBS + held - 4] += 1
        flushes = natural_flushes(sequence_board(natural_one))
        facts[n, H_FLUSHES] = popcount(flushes)
        facts[n, H_JOKERS] = (two >> BLACK_JOKER & 1) & (two >> RED_JOKER & 1)


@kernel
def plan_facts(hands: Rows, levels: Words, joker_pair: int, work: Words, facts: Rows) -> None:
    """Fill ``facts``, int64[n, PLAN_WIDTH], of the best plans of ``hands``; ``work`` is
    int64[planner.WORK_SIZE].
    """
    for n in range(len(hands)):
        cost = plan_cost(hands[n, 0], hands[n, 1], levels[n], joker_pair, work)
        facts[n, P_TURNS] = turns_of(cost)
        facts[n, P_BOMBS] = bombs_of(cost)
        facts[n, P_LOSERS] = losers_less_bombs(cost) + bombs_of(cost)


@kernel
def follow_deals(
    plays: Words,
    ends: Words,
    levels: Words,
    pass_locks: int,
    starts: Rows,
    bombs: Rows,
    partners: Rows,
    counts: Words,
) -> None:
    """Follow the plays of some deals, trick by trick.

    ``plays`` are packed as in a view's history with the mask of chosen passes above (`loop`); those
    of deal n end before ``ends[n]``. Fills ``starts``, int64[n, START_WIDTH], and from row 0 on
    ``bombs`` and ``partners``, which must have room for a row a bomb and a play; ``counts``,
    int64[2], takes how many rows they got.

    A play leads if its seat made the one before, or is the partner of who made it and went out, and
    could not have beaten it in its turn: a pass by choice is told by the log.
    """
    bombed = 0
    partnered = 0
    at = 0
    for deal in range(len(ends)):
        level = levels[deal]
        left = 27 | 27 << 8 | 27 << 16 | 27 << 24
        tricks = 0
        before = -1  # the seat that made the play to beat
        shape = rank = size = 0
        locked = 0
        bomb = -1
        while at < ends[deal]:
            packed = plays[at]
            seat = packed & 3
            new_shape = packed >> lay.H_SHAPE & 15
            new_rank = packed >> lay.H_RANK & 15
            new_size = packed >> lay.H_SIZE & 15
            chosen = packed >> loop.P_CHOSEN & 15
            leads = before < 0 or seat == before
            if not leads and left >> 8 * before & 255 == 0 and seat == before ^ 2:
                leads = (chosen | locked) >> seat & 1 != 0 or not outranks(
                    kind_of(new_shape),
                    strength_of(new_shape, new_rank, new_size, level),
                    kind_of(shape),
                    strength_of(shape, rank, size, level),
                )
            if before >= 0:
                partner = before ^ 2
                passed = chosen >> partner & 1
                if passed or (seat == partner and not leads):
                    partners[partnered, N_DEAL] = deal
                    partners[partnered, N_SEAT] = partner
                    partners[partnered, N_SHAPE] = shape
                    partners[partnered, N_LEFT] = left >> 8 * before & 255
                    partners[partnered, N_OVER] = 1 - passed
                    partnered += 1
            if bomb >= 0 and not leads:
                bombs[bomb, B_STOOD] = 0
            bomb = -1
            if leads:
                tricks += 1
                locked = 0
            elif pass_locks:
                passing = before + 1 & 3
                while passing != seat:
                    locked |= 1 << passing
                    passing = passing + 1 & 3
            if before < 0:
                starts[deal, S_SHAPE] = new_shape
                starts[deal, S_RANK] = new_rank
                starts[deal, S_SIZE] = new_size
            left -= new_size << 8 * seat
            if new_shape >= BOMB:
                bomb = bombed
                bombed += 1
                bombs[bomb, B_DEAL] = deal
                bombs[bomb, B_SEAT] = seat
                bombs[bomb, B_SHAPE] = new_shape
                bombs[bomb, B_SIZE] = new_size
                bombs[bomb, B_BEAT] = 0 if leads else shape
                bombs[bomb, B_LEFT] = left >> 8 * seat & 255
                bombs[bomb, B_LEAST] = _least(left, seat)
                bombs[bomb, B_STOOD] = 1
            before = seat
            shape, rank, size = new_shape, new_rank, new_size
            at += 1
        starts[deal, S_TRICKS] = tricks
        for seat in range(4):
            starts[deal, S_LEFT + seat] = left >> 8 * seat & 255
    counts[0] = bombed
    counts[1] = partnered


@kernel
def _least(left: int, seat: int) -> int:
    """Cards in the smaller hand of the seat's opponents that are in, at least one of which is."""
    a = left >> 8 * (seat + 1 & 3) & 255
    b = left >> 8 * (seat + 3 & 3) & 255
    if a == 0 or b == 0:
        return a + b
    return min(a, b)


@kernel
def add_clusters(
    sets: Words, groups: Words, above: Rows, below: Rows, now: Rows, sums: Rows
) -> None:
    """Add what rows say of the ratios ``above / below`` of each group, by set, to ``sums``.

    ``sets`` int64[n] is in order; ``groups`` int64[n] are below G, and -1 for rows of none.
    ``above`` and ``below`` are float64[n, M], of M ratios. ``now`` is float64[G, M, 2], zero, and
    left so. ``sums``, float64[G, M, 7], is added to: sum of above, of below, sums over sets of the
    square of above's sum, of the product of both, of the square of below's, and how many sets and
    rows there are of which below is not zero.
    """
    begin = 0
    ratios = above.shape[1]
    for n in range(len(sets)):
        group = groups[n]
        if group >= 0:
            for m in range(ratios):
                now[group, m, 0] += above[n, m]
                now[group, m, 1] += below[n, m]
                sums[group, m, 6] += below[n, m] != 0
        if n + 1 < len(sets) and sets[n + 1] == sets[n]:
            continue
        for k in range(begin, n + 1):
            group = groups[k]
            if group < 0:
                continue
            for m in range(ratios):
                a, b = now[group, m, 0], now[group, m, 1]
                if a == 0.0 and b == 0.0:
                    continue
                now[group, m, 0] = 0.0
                now[group, m, 1] = 0.0
                sums[group, m, 0] += a
                sums[group, m, 1] += b
                sums[group, m, 2] += a * a
                sums[group, m, 3] += a * b
                sums[group, m, 4] += b * b
                sums[group, m, 5] += 1
        begin = n + 1


@kernel
def add_products(rows: Rows, products: Rows) -> None:
    """Add the sum of each row's products with itself, float64[n, w], to ``products``,
    float64[w, w].

    A matrix product would do, but starts threads of its own beside those that call this.
    """
    width = rows.shape[1]
    for n in range(len(rows)):
        for i in range(width):
            value = rows[n, i]
            if value != 0.0:
                for j in range(width):
                    products[i, j] += value * rows[n, j]
