"""What `planner` chooses among, and what the plan of the hand costs after each.

Everything is kept in a seat's memory, the ``scratch`` of a bot: its plan, which a play of the plan
only shortens; costs of plans worked out before; and the choices of this decision.
"""

from __future__ import annotations

from .. import layout as lay
from ..bitboard import NATURAL, RANK_UNITS, choose, count_cards, rank_counts, ranks_held, remove
from ..bits import index, mix, trailing_zeros
from ..jit import Words, kernel, opened
from ..listing import list_moves
from ..plancosts import cost_of_play
from ..planner import MOST_PLAYS, WORK_SIZE, drop_play, plan_cost, plan_plays, put_run
from ..shapes import (
    ABOVE,
    BOMB,
    FULL_HOUSE,
    PAIR,
    PASS,
    PLATE,
    SINGLE,
    STRAIGHT,
    TRIPLE,
    TUBE,
    is_declaration,
    kind_of,
    outranks,
    strength_of,
    wild_bit,
    without_wilds,
)

__all__ = [
    "CHOICES",
    "CHOICE_WIDTH",
    "MEMORY_SIZE",
    "MOST_CHOICES",
    "PLAN_PLAYS",
    "PLAN_ROWS",
    "cost_in",
    "list_choices",
    "settle",
]

# --- A seat's memory. The plan is within the words that every bot has; it tells what hand it is
# for, so that it need not be cleared ---
_PLAN_ONE, _PLAN_TWO, _PLAN_SETTING, PLAN_PLAYS, _PLAN_COST, PLAN_ROWS = range(6)
_PLAN_END = PLAN_ROWS + 4 * MOST_PLAYS
_WORK = lay.SCRATCH_SIZE
_MEMO = _WORK + WORK_SIZE
_MEMO_SLOTS = 1024  # of four words: hand, setting, cost
CHOICES = _MEMO + 4 * _MEMO_SLOTS
#: Words of a choice: shape, rank, one, two, cost of the plan of what is left.
CHOICE_WIDTH = 5
MOST_CHOICES = 160
_LISTED = CHOICES + CHOICE_WIDTH * MOST_CHOICES
_MOST_LISTED = 128
#: Words of memory that `planner` needs behind the words of every bot, and with them.
MEMORY_SIZE = _LISTED + 4 * _MOST_LISTED

# A lead that is not in the plan is thought of only if somebody has so few cards, or the others
# together.
_FEW = 2
_FEW_TOGETHER = 30

_SCATTER_ONE = 0x9E3779B97F4A7C15 >> 1
_SCATTER_TWO = 0xC2B2AE3D27D4EB4F >> 1


@opened
def _setting(view: Words) -> int:
    return 2 * view[lay.V_LEVEL] + view[lay.V_RULES + lay.R_JOKER_PAIR]


@kernel
def _update_plan(memory: Words, view: Words) -> int:
    """See that the plan is that of the seat's hand; gives the number of its plays."""
    one, two, setting = view[lay.V_ONE], view[lay.V_TWO], _setting(view)
    if memory[_PLAN_ONE] != one or memory[_PLAN_TWO] != two or memory[_PLAN_SETTING] != setting:
        joker_pair = view[lay.V_RULES + lay.R_JOKER_PAIR]
        work = memory[_WORK : _WORK + WORK_SIZE]
        rows = memory[PLAN_ROWS:_PLAN_END].reshape((MOST_PLAYS, 4))
        n, cost = plan_plays(one, two, view[lay.V_LEVEL], joker_pair, work, rows)
        memory[_PLAN_ONE] = one
        memory[_PLAN_TWO] = two
        memory[_PLAN_SETTING] = setting
        memory[PLAN_PLAYS] = n
        memory[_PLAN_COST] = cost
    return memory[PLAN_PLAYS]


@kernel
def settle(memory: Words, one: int, two: int, cost: int) -> None:
    """These cards are played, and the plan of what is left costs so much: if they were one of the
    plan's plays, the others are the plan of what is left.
    """
    rows = memory[PLAN_ROWS:_PLAN_END].reshape((MOST_PLAYS, 4))
    left = drop_play(rows, memory[PLAN_PLAYS], one, two)
    if left < memory[PLAN_PLAYS]:
        memory[PLAN_PLAYS] = left
        memory[_PLAN_COST] = cost
        own_one, own_two = memory[_PLAN_ONE], memory[_PLAN_TWO]
        memory[_PLAN_ONE], memory[_PLAN_TWO] = remove(own_one, own_two, one, two)


@kernel
def cost_in(memory: Words, view: Words, one: int, two: int) -> int:
    """Cost of the plan of a hand, perhaps remembered."""
    setting = _setting(view)
    slot = mix(one ^ setting << 57, _SCATTER_ONE) ^ mix(two + 1, _SCATTER_TWO)
    at = _MEMO + 4 * (slot & _MEMO_SLOTS - 1)
    known = memory[index(at)] == one and memory[index(at + 1)] == two
    if known and memory[index(at + 2)] == setting:
        return memory[index(at + 3)]
    joker_pair = view[lay.V_RULES + lay.R_JOKER_PAIR]
    work = memory[_WORK : _WORK + WORK_SIZE]
    cost = plan_cost(one, two, view[lay.V_LEVEL], joker_pair, work)
    memory[index(at)] = one
    memory[index(at + 1)] = two
    memory[index(at + 2)] = setting
    memory[index(at + 3)] = cost
    return cost


@opened
def _add(memory: Words, n: int, shape: int, rank: int, one: int, two: int, cost: int) -> int:
    rows = memory[CHOICES:_LISTED].reshape((MOST_CHOICES, CHOICE_WIDTH))
    rows[n, 0] = shape
    rows[n, 1] = rank
    rows[n, 2] = one
    rows[n, 3] = two
    rows[n, 4] = cost
    return n + 1


@kernel
def _add_new(memory: Words, view: Words, n: int, shape: int, rank: int, one: int, two: int) -> int:
    """Add a play that is not in the plan, if it is legal and there is a row for it."""
    plan = memory[PLAN_ROWS:_PLAN_END].reshape((MOST_PLAYS, 4))
    for i in range(memory[PLAN_PLAYS]):
        # Full houses of one triple differ by their pairs.
        same = shape != FULL_HOUSE or (plan[i, 2] == one and plan[i, 3] == two)
        if plan[i, 0] == shape and plan[i, 1] == rank and same:
            return n
    level, max_bomb = view[lay.V_LEVEL], view[lay.V_RULES + lay.R_MAX_BOMB]
    joker_pair = view[lay.V_RULES + lay.R_JOKER_PAIR]
    if n == MOST_CHOICES or not is_declaration(shape, rank, one, two, level, max_bomb, joker_pair):
        return n
    left_one, left_two = remove(view[lay.V_ONE], view[lay.V_TWO], one, two)
    cost = cost_in(memory, view, left_one, left_two) if left_one else 0
    return _add(memory, n, shape, rank, one, two, cost)


@opened
def _of_kind(
    one: int, two: int, wilds: int, level: int, place: int, size: int
) -> tuple[int, int, int]:
    """So many cards of the rank at ``place``, wilds for what it lacks, as (one, two, wilds);
    ``wilds`` is -1 where there are too few. The hand is without its wilds.
    """
    natural = min(rank_counts(one, two) >> place & 15, size)
    used = size - natural
    if used > wilds or (used and place >= 56) or (natural == 0 and place != 4 * level):
        return 0, 0, -1
    take_one, take_two = choose(one, two, place, natural, 0)
    wild = wild_bit(level)
    return take_one | wild * (used > 0), take_two | wild * (used > 1), used


@kernel
def _add_kinds(memory: Words, view: Words, n: int, size: int, strength: int) -> int:
    """Singles, pairs or triples above ``strength``, one a rank."""
    level = view[lay.V_LEVEL]
    one, two, wilds = without_wilds(view[lay.V_ONE], view[lay.V_TWO], level)
    ranks = (ranks_held(one) | 1 << 4 * level) & ABOVE[index(32 * level + strength)] & RANK_UNITS
    while ranks:
        place = trailing_zeros(ranks)
        ranks &= ranks - 1
        take_one, take_two, used = _of_kind(one, two, wilds, level, place, size)
        if used >= 0:
            n = _add_new(memory, view, n, size, place >> 2, take_one, take_two)
    return n


@kernel
def _add_full_houses(memory: Words, view: Words, n: int, strength: int) -> int:
    """Full houses above ``strength``: of each triple the two with the weakest lone pairs, and the
    one with the weakest pair that is taken from more cards or needs a wild.
    """
    level = view[lay.V_LEVEL]
    one, two, wilds = without_wilds(view[lay.V_ONE], view[lay.V_TWO], level)
    counts = rank_counts(one, two)
    ranks = ranks_held(one) & ABOVE[index(32 * level + strength)] & RANK_UNITS & NATURAL
    while ranks:
        place = trailing_zeros(ranks)
        ranks &= ranks - 1
        triple_one, triple_two, used = _of_kind(one, two, wilds, level, place, TRIPLE)
        if used < 0:
            continue
        lone, taken = 0, 0
        others = ranks_held(one) & ~(1 << place)
        while others:
            of_pair = trailing_zeros(others)
            others &= others - 1
            alone = counts >> of_pair & 15 == 2
            if (lone if alone else taken) >= (2 if alone else 1):
                continue
            pair_one, pair_two, more = _of_kind(one, two, wilds - used, level, of_pair, PAIR)
            if more < 0:
                continue
            lone += alone
            taken += not alone
            # The wild is the one card that both may take.
            n = _add_new(
                memory,
                view,
                n,
                FULL_HOUSE,
                place >> 2,
                triple_one | pair_one,
                triple_two | pair_two | (triple_one & pair_one),
            )
    return n


@kernel
def _add_runs(memory: Words, view: Words, n: int, shape: int, strength: int) -> int:
    """Straights, tubes or plates above ``strength``, one a top."""
    level = view[lay.V_LEVEL]
    one, two, wilds = without_wilds(view[lay.V_ONE], view[lay.V_TWO], level)
    length, size = 5, 1
    if shape != STRAIGHT:
        length, size = (3, 2) if shape == TUBE else (2, 3)
    counts = rank_counts(one, two)
    rows = memory[_LISTED : _LISTED + 4].reshape((1, 4))
    for top in range(max(strength + 1, length - 1), 14):
        lacking = 0
        for rank in range(top - length + 1, top + 1):
            place = 4 * rank if rank else 52
            lacking += max(size - (counts >> place & 15), 0)
        if lacking <= wilds:
            put_run(rows, 0, shape - STRAIGHT, top - length + 1, one, two, level)
            n = _add_new(memory, view, n, shape, top, rows[0, 2], rows[0, 3])
    return n


@kernel
def _add_bombs(memory: Words, view: Words, n: int, strength: int) -> int:
    """Bombs above ``strength``, one a shape and rank in the order of the list of moves."""
    rows = memory[_LISTED : _LISTED + 4 * _MOST_LISTED].reshape((_MOST_LISTED, 4))
    listed = list_moves(
        view[lay.V_ONE],
        view[lay.V_TWO],
        view[lay.V_LEVEL],
        BOMB,
        strength,
        view[lay.V_RULES + lay.R_MAX_BOMB],
        view[lay.V_RULES + lay.R_JOKER_PAIR],
        rows,
    )
    shape, rank = 0, 0
    for i in range(min(listed, _MOST_LISTED)):
        if rows[i, 0] != shape or rows[i, 1] != rank:
            shape, rank = rows[i, 0], rows[i, 1]
            n = _add_new(memory, view, n, shape, rank, rows[i, 2], rows[i, 3])
    return n


@kernel
def _add_planned(memory: Words, view: Words, n: int, plays: int) -> int:
    """The plays of the plan that are legal; its bombs are no larger than any rules allow."""
    plan = memory[PLAN_ROWS:_PLAN_END].reshape((MOST_PLAYS, 4))
    level, kind, strength = view[lay.V_LEVEL], view[lay.V_BEAT_KIND], view[lay.V_BEAT_STRENGTH]
    for i in range(plays):
        shape, rank, one, two = plan[i, 0], plan[i, 1], plan[i, 2], plan[i, 3]
        size = count_cards(one, two)
        own = strength_of(shape, rank, size, level)
        if outranks(kind_of(shape), own, kind, strength):
            cost = memory[_PLAN_COST] - cost_of_play(shape, rank, size, level)
            n = _add(memory, n, shape, rank, one, two, cost)
    return n


@kernel
def list_choices(memory: Words, view: Words) -> int:
    """Write the choices worth a thought to the seat's memory, and bring its plan up to date; gives
    their number, at least one.

    If the seat follows, the pass is the first; then come the plays of the plan. Plays beside the
    plan are one of each rank: of the kind to beat; bombs only if no play of the plan would do; on
    a lead singles and pairs, if others have few cards.
    """
    plays = _update_plan(memory, view)
    kind, strength = view[lay.V_BEAT_KIND], view[lay.V_BEAT_STRENGTH]
    n = 0
    if kind != PASS:
        n = _add(memory, n, PASS, 0, 0, 0, memory[_PLAN_COST])
    passes = n
    n = _add_planned(memory, view, n, plays)
    none_planned = n == passes
    if kind == PASS:
        few = False
        together = 0
        for distance in range(1, 4):
            cards = view[index(lay.V_COUNTS + (view[lay.V_SEAT] + distance & 3))]
            few |= 0 < cards <= _FEW
            together += cards
        if few or together <= _FEW_TOGETHER:
            n = _add_kinds(memory, view, n, SINGLE, 0)
            n = _add_kinds(memory, view, n, PAIR, 0)
        return n
    if kind <= TRIPLE:
        n = _add_kinds(memory, view, n, kind, strength)
    elif kind == FULL_HOUSE:
        n = _add_full_houses(memory, view, n, strength)
    elif kind <= PLATE:
        n = _add_runs(memory, view, n, kind, strength)
    if none_planned:
        n = _add_bombs(memory, view, n, strength if kind == BOMB else 0)
    return n
