"""What the plays of a plan cost: one integer that orders plans.

A *plan* is a partition of a hand into plays that may be declared by the rules. Of two plans the
better has, in this order,

1. fewer *turns*: plays other than bombs. A bomb takes the lead back, so it costs none;
2. fewer *losers* less bombs: a loser is low and alone, a single other than a joker or a card of
   the level, or a pair other than of jokers, the level or aces. It hands the lead over, as a bomb
   takes it back;
3. less *weakness*, summed over the plays: how many ranks are above a play's own in its shape, in a
   single and a pair 0 (red jokers) to 14, in a triple and a full house 0 (of the level) to 12, in a
   sequence 0 (up to the ace) to 11; for a bomb, the rungs of the ladder above its own: 8 for four
   of a kind, 7 for five, 6 for a straight flush, down to 0 for the joker bomb.

So wilds go where they save a turn, else a loser, else into a bomb, and eight of a kind are two
bombs. A plan's cost is the sum of its plays' costs, each ``turn * TURN + (loser - bomb) * LOSER +
weakness * WEAKNESS + bomb``. Each number sums to less than the next one's unit, so sums compare as
the three numbers do; the bombs come last and decide nothing but ties.
"""

from __future__ import annotations

import numpy as np

from .bits import index
from .jit import kernel
from .shapes import (
    BOMB,
    FULL_HOUSE,
    JOKER_BOMB,
    LADDER_STEP,
    PAIR,
    POWER,
    SINGLE,
    TRIPLE,
    strength_of,
)

__all__ = [
    "FLUSH_COST",
    "JOKER_BOMB_COST",
    "LOSER",
    "PART_COSTS",
    "TURN",
    "WEAKNESS",
    "bomb_cost",
    "bombs_of",
    "cost_of_play",
    "is_loser",
    "losers_less_bombs",
    "turns_of",
    "weakness_of",
]

WEAKNESS = 1 << 3
LOSER = WEAKNESS << 9
TURN = LOSER << 6

# Ranks of which a single, a pair is no loser: from this power on.
_LEVEL_POWER = 14
_ACE_POWER = 13


def _part_costs() -> np.ndarray:
    table = np.zeros((16, 4, 16), np.int64)
    for level in range(1, 14):
        powers = POWER[16 * level + 1 : 16 * level + 16]
        for rank, power in enumerate(powers, 1):
            above = int((powers > power).sum())
            table[level, SINGLE, rank] = TURN + LOSER * (power < _LEVEL_POWER) + WEAKNESS * above
            table[level, PAIR, rank] = TURN + LOSER * (power < _ACE_POWER) + WEAKNESS * above
            # There are no triples of jokers.
            table[level, TRIPLE, rank] = TURN + WEAKNESS * (above - 2)
    return table.reshape(-1)


#: PART_COSTS[64 * level + 16 * size + rank]: cost of a single, pair or triple (size 1 to 3); a
#: full house costs what its triple does.
PART_COSTS = _part_costs()


def _bomb(weakness: int) -> int:
    return weakness * WEAKNESS - LOSER + 1


def bomb_cost(*sizes: int) -> int:
    """Cost of rank bombs of these sizes.

    >>> bomb_cost(4) == 8 * WEAKNESS - LOSER + 1
    True
    """
    return sum(_bomb(8 - (size - 4 if size < 6 else size - 3)) for size in sizes)


FLUSH_COST = _bomb(6)
JOKER_BOMB_COST = _bomb(0)


@kernel
def cost_of_play(shape: int, rank: int, size: int, level: int) -> int:
    """The cost of a play with that declaration; ``size`` is its number of cards."""
    if shape <= TRIPLE:
        return PART_COSTS[index(64 * level + 16 * shape + rank)]
    if shape == FULL_HOUSE:
        return PART_COSTS[index(64 * level + 16 * TRIPLE + rank)]
    if shape == JOKER_BOMB:
        return JOKER_BOMB_COST
    if shape >= BOMB:
        rung = strength_of(shape, rank, size, level) // LADDER_STEP
        return (8 - rung) * WEAKNESS - LOSER + 1
    return TURN + (13 - rank) * WEAKNESS


@kernel
def turns_of(cost: int) -> int:
    """The turns in the cost of a plan, or of a part of it."""
    return (cost + TURN // 2) // TURN


@kernel
def losers_less_bombs(cost: int) -> int:
    """The losers less the bombs in the cost of a plan; negative if there are more bombs."""
    return (cost - turns_of(cost) * TURN) // LOSER


@kernel
def weakness_of(cost: int) -> int:
    """The weakness in the cost of a plan."""
    return (cost - turns_of(cost) * TURN - losers_less_bombs(cost) * LOSER) // WEAKNESS


@kernel
def bombs_of(cost: int) -> int:
    """The bombs in the cost of a plan."""
    return cost & (WEAKNESS - 1)


@kernel
def is_loser(shape: int, rank: int, level: int) -> bool:
    """Whether a play is low and alone: a single other than of the level or a joker, a pair other
    than of aces, the level or jokers.
    """
    if shape != SINGLE and shape != PAIR:
        return False
    least = _LEVEL_POWER if shape == SINGLE else _ACE_POWER
    return POWER[index(16 * level + rank)] < least
