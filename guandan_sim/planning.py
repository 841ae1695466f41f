"""The cheapest plan of a hand (`plancosts` says what that is), exactly.

A dynamic program goes through the ranks from low aces up to high ones. What it must know of the
plays so far is how many cards of each of the next four ranks they claim, how many wilds and aces
are left, and how many full houses still wait for a pair (a *lane*; negative: how many pairs wait
for a triple). Partial plans that agree in all but the lane are one *node*, which keeps the least
cost by lane. At each rank sequences begin, any number of times, and what they leave of the rank is
split into parts.

What keeps it small, and loses no plan that could be the best, since a triple of a rank is no dearer
than a pair and a pair than a single, a full house costs what its triple does, and a bomb no turn:

- A sequence takes a natural card where there is one, and a wild only where there is none; else the
  two could change places. So the wilds that a sequence needs are paid as it begins.
- What is left of a rank is one part, save for two bombs, and triples beside a bomb or in place of
  one, which make full houses (`SPLITS`). Other splits are better merged: a triple and a pair of a
  rank, too, since as a bomb they save the triple's turn, and the pair that it was to take goes with
  the triple that took theirs.
- Full houses of one rank and plain straights of one suit need not be ruled out: as bombs they are
  cheaper.
- Only straight flushes look at suits. A node remembers which cards held once they took, as far as
  later ones want these, and pays wilds instead. It does not see a card held twice that three of
  them take, nor an ace that a low and a high one take. Where the best plan has such a clash, there
  are two smaller questions: one of the flushes is in the plan, or it is not (see `planner`).

The largest bomb that the rules allow does not matter: eight cards and more are better two bombs.
"""

from __future__ import annotations

import numpy as np

from .bitboard import NATURAL, rank_counts, sequence_board
from .bits import index, popcount
from .counting import flush_planes, run_starts
from .jit import Words, kernel, opened
from .plancosts import FLUSH_COST, JOKER_BOMB_COST, PART_COSTS, TURN, WEAKNESS, bomb_cost
from .plannodes import (
    ACES,
    BEGINS,
    BUCKETS,
    COSTS,
    EDGE,
    EDGES,
    FEW_SLOTS,
    FIELD,
    FLUSHED,
    HEADS,
    KEYS,
    LANE_0,
    LANES,
    LAYER,
    LINKS,
    NO_PLAN,
    NODES,
    NONE,
    SLOTS,
    STEPS,
    TOP_LANE,
    WILDS,
    add_edge,
    clear,
    find_node,
    relax,
    worthwhile_lanes,
)
from .shapes import PAIR, SINGLE, TRIPLE, without_wilds

__all__ = [
    "BEGIN_FLUSH",
    "BEGIN_PLATE",
    "BEGIN_STRAIGHT",
    "BEGIN_TUBE",
    "JOKERS_STEP",
    "LONE_WILDS",
    "SPLIT",
    "SPLITS",
    "search",
    "trace",
]

# --- What an edge does ---
BEGIN_STRAIGHT, BEGIN_TUBE, BEGIN_PLATE, BEGIN_FLUSH = range(4)  # the last for four suits
SPLIT = 8  # and the row of SPLITS
LONE_WILDS = 40  # the level's single or pair of nothing but wilds
JOKERS_STEP = 41  # in STEPS alone

_BY_COUNT: tuple[tuple[tuple[int, int, int, int], ...], ...] = (
    ((0, 0, 0, 0),),
    ((0, 0, 1, 0),),
    ((0, 0, 0, 1),),
    ((0, 1, 0, 0),),
    ((bomb_cost(4), 0, 0, 0),),
    ((bomb_cost(5), 0, 0, 0),),
    ((bomb_cost(6), 0, 0, 0), (0, 2, 0, 0)),
    ((bomb_cost(7), 0, 0, 0), (bomb_cost(4), 1, 0, 0)),
    ((bomb_cost(4, 4), 0, 0, 0), (bomb_cost(5), 1, 0, 0)),
    ((bomb_cost(4, 5), 0, 0, 0), (bomb_cost(6), 1, 0, 0), (0, 3, 0, 0)),
    ((bomb_cost(4, 6), 0, 0, 0), (bomb_cost(7), 1, 0, 0), (bomb_cost(4), 2, 0, 0)),
)
#: Splits of 0 to 10 cards of a rank: rows of (cost of the bombs, triples, singles, pairs).
SPLITS = np.array([row for rows in _BY_COUNT for row in rows], np.int64).reshape(-1)
#: Where the rows of each number of cards begin.
FIRST_SPLIT = np.array([sum(map(len, _BY_COUNT[:count])) for count in range(12)], np.int64)

_UNITS = sum(1 << FIELD * i for i in range(5))
_TOPS = _UNITS << 4
_CLAIMS = (1 << 5 * FIELD) - 1


@opened
def _fields(window: int) -> int:
    """Five nibbles as five fields."""
    low = (window & 0xF) | (window & 0xF0) << 1 | (window & 0xF00) << 2
    return low | (window & 0xF000) << 3 | (window & 0xF0000) << 4


@opened
def _lacking(claims: int, held: int) -> tuple[int, int]:
    """By how much claims exceed what is held, by field, and in all."""
    reached = (claims | _TOPS) - held
    tops = reached & _TOPS
    excess = reached & (tops - (tops >> 4))
    return excess, excess * _UNITS >> 4 * FIELD & 31


@kernel
def _root(work: Words, jokers: int, level: int, joker_pair: int) -> int:
    """Costs of the jokers into node 0; gives its lanes. ``jokers``: red << 4 | black."""
    for lane in range(LANES):
        work[COSTS + lane] = NO_PLAN
    work[COSTS + LANE_0] = 0
    if jokers == 0x22:
        work[COSTS + LANE_0] = JOKER_BOMB_COST
        return LANE_0 << 4 | LANE_0
    low = LANE_0
    for rank in range(14, 16):
        count = jokers >> 4 * (rank - 14) & 15
        if count == 0:
            continue
        cost = PART_COSTS[64 * level + 16 * count + rank]
        for lane in range(low - 1, LANE_0 + 1):
            least = work[COSTS + lane] + cost
            if count == 2 and joker_pair:
                least = min(least, work[COSTS + lane + 1])
            work[COSTS + lane] = least
        if count == 2 and joker_pair:
            low -= 1
    return LANE_0 << 4 | low


@opened
def _flush_starts(board: int, wilds: int) -> int:
    """Bits of a sequence board where a straight flush may begin."""
    ones, twos, fours = flush_planes(board)
    least = fours & ones
    if wilds:
        least = fours if wilds == 1 else fours | (ones & twos)
    return least & run_starts(5, 0) * 15


@kernel
def _list_begins(work: Words, layer: int, held: int, board: int, wilds: int, starts: int) -> int:
    """List what may begin at this rank; gives how many. ``held``: at most so many natural cards of
    the five ranks, by field; ``starts``: where a straight flush may begin.
    """
    n = 0
    for action in range(BEGIN_FLUSH + 4 if starts >> 4 * layer & 15 else BEGIN_FLUSH):
        window = needed = 0
        if action == BEGIN_STRAIGHT:
            claims, last = _UNITS, 9
        elif action == BEGIN_TUBE:
            claims, last = 2 * (_UNITS >> 2 * FIELD), 11
        elif action == BEGIN_PLATE:
            claims, last = 3 * (_UNITS >> 3 * FIELD), 12
        else:
            place = 4 * layer + action - BEGIN_FLUSH
            last = 9 if starts >> place & 1 else -1
            window = (board >> place & 0x11111) << action - BEGIN_FLUSH
            needed = 5 - popcount(window)
            claims = _fields(window >> action - BEGIN_FLUSH)
        _, lacking = _lacking(claims, held)
        if layer <= last and needed + lacking <= wilds:
            at = BEGINS + 5 * n
            work[at] = claims
            work[at + 1] = _price(action, layer, 0, 0)[2]
            work[at + 2] = needed
            work[at + 3] = action
            work[at + 4] = window
            n += 1
    return n


@opened
def _price(action: int, layer: int, level: int, wilds: int) -> tuple[int, int, int]:
    """What an edge from that layer adds: (triples, cost of its pair if it feeds no full house or 0,
    cost of all else).
    """
    parts = 64 * level + layer
    if action >= LONE_WILDS:
        parts = 64 * level + level
        single = PART_COSTS[index(parts + 16 * SINGLE)] * (wilds & 1)
        return 0, PART_COSTS[index(parts + 16 * PAIR)] * (wilds >> 1), single
    if action >= SPLIT:
        split = 4 * (action - SPLIT)
        triples = SPLITS[index(split + 1)]
        cost = SPLITS[index(split)] + triples * PART_COSTS[index(parts + 16 * TRIPLE)]
        cost += SPLITS[index(split + 2)] * PART_COSTS[index(parts + 16 * SINGLE)]
        return triples, SPLITS[index(split + 3)] * PART_COSTS[index(parts + 16 * PAIR)], cost
    if action >= BEGIN_FLUSH:
        return 0, 0, FLUSH_COST
    # A sequence is weaker by the ranks above its top.
    return 0, 0, TURN + (13 - layer - (4 >> action)) * WEAKNESS


@kernel
def _search(
    one: int, two: int, level: int, joker_pair: int, forbidden: int, slots: int, work: Words
) -> tuple[int, int, int, int]:
    """`search` with tables of so many slots."""
    one, two, all_wilds = without_wilds(one, two, level)
    counts = rank_counts(one, two)
    aces = counts >> 52 & 15
    board, doubles = sequence_board(one), sequence_board(two)
    starts = _flush_starts(board, all_wilds) & ~forbidden
    # Low aces below the twos; high ones depend on the node.
    line = (counts & (NATURAL >> 4)) | aces
    for bucket in range(BUCKETS):
        work[HEADS + bucket] = NONE
    work[KEYS] = all_wilds << WILDS
    work[LINKS] = NONE << 8 | _root(work, counts >> 56, level, joker_pair)
    work[HEADS] = 0
    nodes, edges = 1, 0
    first = 0  # the first node that can be of this layer
    ahead = 0  # the first that can be of the next
    for layer in range(14):
        first, ahead = ahead, nodes
        held = _fields(line >> 4 * layer & 0xFFFFF)
        aces_place = FIELD * (13 - layer)
        # Cards held once that flushes from here on may want: only these are worth keeping count of.
        later = starts >> 4 * layer << 4 * layer
        later |= later << 4 | later << 8 | later << 12 | later << 16
        later &= board & ~doubles
        wanted_here = later >> 4 * layer & 0xFFFFF
        # From the next rank on.
        later = starts >> 4 * layer + 4 << 4 * layer + 4
        later |= later << 4 | later << 8 | later << 12 | later << 16
        wanted_next = (later & board & ~doubles) >> 4 * layer + 4 & 0xFFFFF
        most = held | (aces << aces_place if layer >= 9 else 0)
        begins = _list_begins(work, layer, most, board, all_wilds, starts)
        this = HEADS + BUCKETS * (layer & 1)
        for bucket in range(BUCKETS):
            work[HEADS + BUCKETS * (~layer & 1) + bucket] = NONE
        # Every beginning meets more claims of this rank or pays wilds, so that a node is complete
        # when its turn comes.
        for met in range(BUCKETS):
            while work[index(this + met)] != NONE:
                node = work[index(this + met)]
                link = work[index(LINKS + node)]
                work[index(this + met)] = link >> 8
                if nodes + 16 > NODES or edges + 32 > EDGES or nodes - first + 16 > slots:
                    clear(work, nodes)
                    return NO_PLAN, 0, 0, 0
                lanes = worthwhile_lanes(work, node, link)
                key = work[index(KEYS + node)]
                claims = key & _CLAIMS
                flushed = key >> FLUSHED & 0xFFFFF
                wilds = key >> WILDS & 3
                own_aces = key >> ACES & 15
                has = held
                if layer >= 9:
                    has |= own_aces << aces_place
                for i in range(begins):
                    at = BEGINS + 5 * i
                    added, needed = work[index(at)], work[index(at + 2)]
                    window = work[index(at + 4)]
                    taken = window & flushed
                    if taken:
                        suit = work[index(at + 3)] - BEGIN_FLUSH
                        needed += popcount(taken)
                        window ^= taken
                        added = _fields(window >> suit)
                    wanted = claims + added
                    excess, lacking = _lacking(wanted, has)
                    left = wilds - lacking - needed
                    if left >= 0:
                        wanted -= excess
                        target, nodes = find_node(
                            work,
                            slots,
                            nodes,
                            first,
                            wanted
                            | (flushed | (window & wanted_here)) << FLUSHED
                            | left << WILDS
                            | own_aces << ACES
                            | layer << LAYER,
                            (wanted & 31) + all_wilds - left,
                        )
                        relax(work, node, target, lanes, 0, 0, work[index(at + 1)])
                        edges = add_edge(work, edges, node, target, work[index(at + 3)], needed)
                rest = (has & 31) - (claims & 31)
                if layer == 0:
                    own_aces, rest = rest, 0
                for added in range(wilds + 1 if rest else 1):
                    left = wilds - added
                    target, nodes = find_node(
                        work,
                        slots,
                        nodes,
                        ahead,
                        claims >> FIELD
                        | (flushed >> 4 & wanted_next) << FLUSHED
                        | left << WILDS
                        | own_aces << ACES
                        | (layer + 1) << LAYER,
                        (claims >> FIELD & 31) + all_wilds - left,
                    )
                    row = FIRST_SPLIT[index(rest + added)]
                    end = FIRST_SPLIT[index(rest + added + 1)]
                    while row < end:
                        triples, pair, cost = _price(SPLIT + row, layer, level, 0)
                        relax(work, node, target, lanes, triples, pair, cost)
                        edges = add_edge(work, edges, node, target, SPLIT + row, added)
                        row += 1
    # What is left are wilds, to be played by themselves.
    goal, nodes = find_node(work, slots, nodes, nodes, 15 << LAYER, 0)
    for met in range(BUCKETS):
        node = work[HEADS + met]
        while node != NONE:
            link = work[index(LINKS + node)]
            wilds = work[index(KEYS + node)] >> WILDS & 3
            _, pair, cost = _price(LONE_WILDS, 0, level, wilds)
            relax(work, node, goal, link & 255, 0, pair, cost)
            edges = add_edge(work, edges, node, goal, LONE_WILDS, wilds)
            node = link >> 8
    clear(work, nodes)
    best, best_lane = NO_PLAN, LANE_0
    for lane in range(LANE_0, LANES):
        cost = work[index(COSTS + LANES * goal + lane)]
        if cost < best:
            best, best_lane = cost, lane
    return best, edges, goal, best_lane


@kernel
def search(
    one: int, two: int, level: int, joker_pair: int, forbidden: int, work: Words
) -> tuple[int, int, int, int]:
    """The least cost of a plan without the straight flushes that begin in ``forbidden`` (bits of a
    sequence board). A card held twice may be in three flushes, an ace in a low and a high one.

    Returned as (cost, edges, node, lane), the last three for `trace`; NO_PLAN if the work memory is
    too small.
    """
    found = _search(one, two, level, joker_pair, forbidden, FEW_SLOTS, work)
    if found[0] == NO_PLAN:
        return _search(one, two, level, joker_pair, forbidden, SLOTS, work)
    return found


@kernel
def trace(level: int, edges: int, node: int, lane: int, work: Words) -> int:
    """Write the steps of the plan that `search` found to STEPS of its work memory, last first;
    gives their number.

    A step is layer << 16 | action << 4 | fed << 3 | wilds: ``fed`` is 1 if its pair feeds a full
    house. The last one written is JOKERS_STEP.
    """
    steps = 0
    for e in range(edges - 1, -1, -1):
        edge = work[index(EDGE + e)]
        if edge >> 16 & 0xFFFF != node:
            continue
        source, wilds, action = edge & 0xFFFF, edge >> 32 & 15, edge >> 36
        layer = work[index(KEYS + source)] >> LAYER
        triples, pair, cost = _price(action, layer, level, wilds)
        target = work[index(COSTS + LANES * node + lane)] - cost
        costs = COSTS + LANES * source
        found, fed = -1, 0
        # The highest lane stands for all above it.
        for before in range(lane - triples, (TOP_LANE if lane == TOP_LANE else lane - triples) + 1):
            if before < 0:
                continue
            if work[index(costs + before)] + pair == target:
                found, fed = before, 0
            elif pair and before < TOP_LANE and work[index(costs + before + 1)] == target:
                found, fed = before + 1, 1
        if found >= 0:
            work[index(STEPS + steps)] = layer << 16 | action << 4 | fed << 3 | wilds
            steps += 1
            node, lane = source, found
    work[index(STEPS + steps)] = JOKERS_STEP << 4 | (LANE_0 - lane) << 3
    return steps + 1
