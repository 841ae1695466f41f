"""Plans for bots: what a hand's best plan costs, and its plays, in memory of the caller's.

Everything here is called from compiled code or from Python alike, and allocates nothing. ``work``
is an int64 vector of WORK_SIZE words, zeros at first and then left alone: one serves any number of
hands, by one thread at a time, and only the part of it that a hand needs is ever touched. Hands are
(one, two) with their wilds, up to 27 cards. What costs mean, and how to read them, is in
`plancosts`.

>>> import numpy as np
>>> from guandan_sim.cards import hand_to_words
>>> from guandan_sim.plancosts import turns_of
>>> work = np.zeros(WORK_SIZE, np.int64)
>>> one, two = hand_to_words("S3 S9 D9 C9 H9 SK DK CK D5 S5")
>>> int(turns_of(plan_cost(one, two, 1, 1, work)))
2
"""

from __future__ import annotations

from .bitboard import JOKERS, choose, rank_counts, remove, sequence_board, without_sequence
from .bits import index, popcount
from .counting import count_straight_flushes, run_starts
from .jit import Rows, Words, kernel, opened
from .plancosts import FLUSH_COST
from .planning import (
    BEGIN_FLUSH,
    BEGIN_PLATE,
    BEGIN_TUBE,
    JOKERS_STEP,
    LONE_WILDS,
    SPLIT,
    SPLITS,
    search,
    trace,
)
from .plannodes import NO_PLAN, QUESTIONS, STEPS, WORK_SIZE
from .shapes import (
    BOMB,
    FULL_HOUSE,
    JOKER_BOMB,
    PAIR,
    PASS,
    PLATE,
    POWER,
    SINGLE,
    STRAIGHT,
    STRAIGHT_FLUSH,
    TRIPLE,
    TUBE,
    wild_bit,
    without_wilds,
)

__all__ = [
    "MOST_PLAYS",
    "NO_PLAN",
    "WORK_SIZE",
    "costs_after",
    "drop_play",
    "plan_cost",
    "plan_plays",
    "put_run",
]

#: Rows that the plan of 27 cards may need.
MOST_PLAYS = 27

# Words of a question in the work memory: hand, cost and places of the flushes that are settled on
# (six bits each, counted from 1), mask of the flushes that are not allowed.
_ONE, _TWO, _COST, _SETTLED, _FORBIDDEN, _QUESTION = range(6)
_MOST_QUESTIONS = 64
_BEST = QUESTIONS + _QUESTION * _MOST_QUESTIONS


@opened
def _flush(one: int, place: int) -> tuple[int, int]:
    """The natural cards of the straight flush that begins at that bit of the sequence board, and
    how many wilds it needs.
    """
    window = sequence_board(one) & 0x11111 << place
    return without_sequence(window), 5 - popcount(window)


@opened
def _with_wilds(one: int, two: int, level: int, wilds: int) -> tuple[int, int]:
    """The cards and so many wilds."""
    wild = wild_bit(level)
    return one | wild * (wilds > 0), two | wild * (wilds > 1)


@kernel
def _clash(one: int, two: int, level: int, steps: int, work: Words) -> int:
    """Place of a straight flush among the steps that lacks a card which others have; -1 if none."""
    one, two, _ = without_wilds(one, two, level)
    for i in range(steps - 1, -1, -1):
        step = work[index(STEPS + i)]
        action = step >> 4 & 0xFFF
        if BEGIN_FLUSH <= action < SPLIT:
            place = 4 * (step >> 16) + action - BEGIN_FLUSH
            cards, wilds = _flush(one, place)
            if wilds > step & 7:
                return place
            one, two = remove(one, two, cards, 0)
    return -1


@kernel
def _ask(work: Words, at: int, one: int, two: int, cost: int, settled: int, forbidden: int) -> None:
    work[at + _ONE] = one
    work[at + _TWO] = two
    work[at + _COST] = cost
    work[at + _SETTLED] = settled
    work[at + _FORBIDDEN] = forbidden


@kernel
def _without_clashes(one: int, two: int, level: int, joker_pair: int, work: Words) -> int:
    """The least cost where the best plan has straight flushes that clash; the question that has it
    is left in _BEST.
    """
    _ask(work, QUESTIONS, one, two, 0, 0, 0)
    left = 1
    best = NO_PLAN
    while left:
        left -= 1
        at = QUESTIONS + _QUESTION * left
        one, two, cost = work[at + _ONE], work[at + _TWO], work[at + _COST]
        settled, forbidden = work[at + _SETTLED], work[at + _FORBIDDEN]
        rest, edges, node, lane = search(one, two, level, joker_pair, forbidden, work)
        if rest == NO_PLAN or left + 2 > _MOST_QUESTIONS:
            return NO_PLAN
        if cost + rest >= best:
            continue
        place = _clash(one, two, level, trace(level, edges, node, lane, work), work)
        if place < 0:
            best = cost + rest
            _ask(work, _BEST, one, two, cost, settled, forbidden)
            continue
        _ask(work, at, one, two, cost, settled, forbidden | 1 << place)
        natural, _, _ = without_wilds(one, two, level)
        cards, wilds = _flush(natural, place)
        take_one, take_two = _with_wilds(cards, 0, level, wilds)
        one, two = remove(one, two, take_one, take_two)
        settled = settled << 6 | place + 1
        _ask(work, at + _QUESTION, one, two, cost + FLUSH_COST, settled, forbidden)
        left += 2
    return best


@kernel
def plan_cost(one: int, two: int, level: int, joker_pair: int, work: Words) -> int:
    """What the best plan of a hand costs; NO_PLAN if the work memory is too small.

    ``joker_pair`` is 1 if a full house may hold a pair of jokers. `plancosts.turns_of` and the
    others there take the cost apart. An empty hand costs 0.
    """
    cost, edges, node, lane = search(one, two, level, joker_pair, 0, work)
    natural, _, wilds = without_wilds(one, two, level)
    if cost == NO_PLAN or count_straight_flushes(natural, wilds, run_starts(5, 0)) == 0:
        return cost
    if _clash(one, two, level, trace(level, edges, node, lane, work), work) < 0:
        return cost
    return _without_clashes(one, two, level, joker_pair, work)


@kernel
def costs_after(
    one: int,
    two: int,
    level: int,
    joker_pair: int,
    moves: Rows,
    costs: Words,
    work: Words,
) -> None:
    """For each row of ``moves`` (shape, rank, one, two; cards of the hand), what the best plan of
    the hand without it costs.
    """
    for i in range(len(costs)):
        left_one, left_two = remove(one, two, moves[i, 2], moves[i, 3])
        costs[i] = plan_cost(left_one, left_two, level, joker_pair, work)


@opened
def _put(rows: Rows, n: int, shape: int, rank: int, one: int, two: int) -> int:
    rows[n, 0] = shape
    rows[n, 1] = rank
    rows[n, 2] = one
    rows[n, 3] = two
    return n + 1


@kernel
def put_run(
    rows: Rows, n: int, action: int, layer: int, one: int, two: int, level: int
) -> tuple[int, int, int]:
    """A straight, tube or plate that begins at this layer: from each rank the cards that it has,
    wilds for what it lacks. Gives the number of rows and the natural cards left.
    """
    shape, size = STRAIGHT, 1
    if action == BEGIN_TUBE:
        shape, size = TUBE, 2
    elif action == BEGIN_PLATE:
        shape, size = PLATE, 3
    top = layer + (4 >> action)
    wilds = 0
    all_one = all_two = 0
    for rank in range(layer, top + 1):
        place = 4 * rank if rank else 52
        number = min(size, rank_counts(one, two) >> place & 15)
        take_one, take_two = choose(one, two, place, number, 0)
        one, two = remove(one, two, take_one, take_two)
        all_one |= take_one
        all_two |= take_two
        wilds += size - number
    all_one, all_two = _with_wilds(all_one, all_two, level, wilds)
    return _put(rows, n, shape, top, all_one, all_two), one, two


@kernel
def _put_parts(
    rows: Rows, n: int, step: int, one: int, two: int, level: int
) -> tuple[int, int, int]:
    """What is left of a rank and the wilds added to it, split as the step says; a pair that feeds a
    full house is put as a PASS of its rank. Gives the number of rows and the cards left.
    """
    rank, wilds, fed = step >> 16, step & 7, step >> 3 & 1
    split = 4 * ((step >> 4 & 0xFFF) - SPLIT)
    place = 4 * rank
    natural = rank_counts(one, two) >> place & 15
    triples, singles, pairs = SPLITS[split + 1], SPLITS[split + 2], SPLITS[split + 3]
    bombed = natural + wilds - 3 * triples - singles - 2 * pairs
    bombs = (bombed > 0) + (bombed >= 8)
    parts = bombs + triples + pairs + singles
    for part in range(parts):
        shape, size = SINGLE, 1
        if part < bombs:
            shape, size = BOMB, 4 if part + 1 < bombs else bombed
            bombed -= size
        elif part < bombs + triples:
            shape, size = TRIPLE, 3
        elif pairs:
            shape, size = PASS if fed else PAIR, 2
        # Every part has a natural card.
        number = min(size, natural - (parts - 1 - part))
        take_one, take_two = choose(one, two, place, number, 0)
        one, two = remove(one, two, take_one, take_two)
        natural -= number
        take_one, take_two = _with_wilds(take_one, take_two, level, size - number)
        n = _put(rows, n, shape, rank, take_one, take_two)
    return n, one, two


@kernel
def _put_jokers(rows: Rows, n: int, one: int, two: int, fed: int) -> int:
    """The jokers: all four are a bomb, else those of a colour are a pair, which may be ``fed``."""
    if two & JOKERS == JOKERS:
        return _put(rows, n, JOKER_BOMB, 0, JOKERS, JOKERS)
    for rank in range(14, 16):
        bit = 1 << 4 * rank
        if two & bit:
            n = _put(rows, n, PASS if fed else PAIR, rank, bit, bit)
        elif one & bit:
            n = _put(rows, n, SINGLE, rank, bit, 0)
    return n


@kernel
def _feed(rows: Rows, n: int, level: int) -> int:
    """Join each pair that was put as a PASS to the weakest triple left, which is of another rank:
    the five would be a bomb. Gives the number of rows left.
    """
    i = 0
    while i < n:
        if rows[i, 0] != PASS:
            i += 1
            continue
        best, weakest = -1, 99
        for k in range(n):
            power = POWER[index(16 * level + rows[k, 1])]
            if rows[k, 0] == TRIPLE and power < weakest:
                best, weakest = k, power
        rows[best, 0] = FULL_HOUSE
        rows[best, 3] |= rows[i, 3] | (rows[best, 2] & rows[i, 2])
        rows[best, 2] |= rows[i, 2]
        n -= 1
        for column in range(4):
            rows[i, column] = rows[n, column]
    return n


@kernel
def plan_plays(
    one: int, two: int, level: int, joker_pair: int, work: Words, rows: Rows
) -> tuple[int, int]:
    """Write the plays of the best plan to ``rows`` (int64[MOST_PLAYS, 4]: shape, rank, one, two);
    gives (number of plays, cost).

    The plays come in no particular order. Rows beyond them are not kept. If the work memory is too
    small, there are no plays, and the cost is NO_PLAN.
    """
    cost, edges, node, lane = search(one, two, level, joker_pair, 0, work)
    if cost == NO_PLAN:
        return 0, cost
    steps = trace(level, edges, node, lane, work)
    n = 0
    if _clash(one, two, level, steps, work) >= 0:
        cost = _without_clashes(one, two, level, joker_pair, work)
        if cost == NO_PLAN:
            return 0, cost
        natural, twice, _ = without_wilds(one, two, level)
        one, two = work[_BEST + _ONE], work[_BEST + _TWO]
        forbidden, settled = work[_BEST + _FORBIDDEN], work[_BEST + _SETTLED]
        _, edges, node, lane = search(one, two, level, joker_pair, forbidden, work)
        steps = trace(level, edges, node, lane, work)
        # In the order in which they were settled on: what is held then is used.
        at = 60
        while at >= 0:
            place = (settled >> at & 63) - 1
            at -= 6
            if place >= 0:
                cards, wilds = _flush(natural, place)
                natural, twice = remove(natural, twice, cards, 0)
                cards, twice_wild = _with_wilds(cards, 0, level, wilds)
                n = _put(rows, n, STRAIGHT_FLUSH, (place >> 2) + 4, cards, twice_wild)
    one, two, _ = without_wilds(one, two, level)
    for i in range(steps - 1, -1, -1):
        step = work[index(STEPS + i)]
        action = step >> 4 & 0xFFF
        if BEGIN_FLUSH <= action < SPLIT:
            place = 4 * (step >> 16) + action - BEGIN_FLUSH
            cards, wilds = _flush(one, place)
            one, two = remove(one, two, cards, 0)
            cards, twice_wild = _with_wilds(cards, 0, level, wilds)
            n = _put(rows, n, STRAIGHT_FLUSH, (place >> 2) + 4, cards, twice_wild)
    for i in range(steps):
        step = work[index(STEPS + i)]
        action = step >> 4 & 0xFFF
        if action <= BEGIN_PLATE:
            n, one, two = put_run(rows, n, action, step >> 16, one, two, level)
    for i in range(steps):
        step = work[index(STEPS + i)]
        action = step >> 4 & 0xFFF
        fed = step >> 3 & 1
        if action == JOKERS_STEP:
            n = _put_jokers(rows, n, one, two, fed)
        elif action == LONE_WILDS:
            wilds = step & 7
            if wilds:
                cards, twice_wild = _with_wilds(0, 0, level, wilds)
                n = _put(rows, n, PASS if fed else wilds, level, cards, twice_wild)
        elif action >= SPLIT:
            n, one, two = _put_parts(rows, n, step, one, two, level)
    return _feed(rows, n, level), cost


@kernel
def drop_play(rows: Rows, n: int, one: int, two: int) -> int:
    """Take a play with exactly these cards out of a plan of ``n`` plays; what is left is the best
    plan of the hand without them. Gives the number of plays left; ``n`` if the plan has no such
    play, so that the hand must be planned anew.
    """
    for i in range(n):
        if rows[i, 2] == one and rows[i, 3] == two:
            for column in range(4):
                rows[i, column] = rows[n - 1, column]
            return n - 1
    return n
