"""`planner`: keeps to the best plan of its hand, counts what the others may hold, and makes the
choice after which its team may expect the most.

A choice is worth a sum of terms (`terms`) with weights fitted to games of its own (`weights`); the
choices are those of `choices`. Decisions are integers only, and draw nothing.
"""

from __future__ import annotations

from .. import layout as lay
from ..bitboard import count_cards, remove
from ..bits import trailing_zeros
from ..jit import Words, kernel
from ..shapes import POWER
from ..tribute import choice_mask
from .choices import (
    CHOICE_WIDTH,
    CHOICES,
    MEMORY_SIZE,
    cost_in,
    list_choices,
    settle,
)
from .greedy import write_move
from .terms import FACTS_SIZE, MOST_TERMS, choice_terms, gather_facts, weigh
from .weights import WEIGHTS

__all__ = ["DESK_SIZE", "FACTS", "TERMS", "choose_among", "choose_card", "play", "write_terms"]

FACTS = MEMORY_SIZE
TERMS = FACTS + FACTS_SIZE
#: Words of memory that `planner` needs for each seat. A `Bot` with one of its functions has them.
DESK_SIZE = TERMS + MOST_TERMS + 1
#: What a function of `planner` returns if it has fewer.
NO_DESK = 1


@kernel
def write_terms(view: Words, memory: Words, number: int) -> None:
    """Write the terms of that choice in the seat's memory to TERMS there; FACTS are gathered."""
    at = CHOICES + CHOICE_WIDTH * number
    shape, rank, cost = memory[at], memory[at + 1], memory[at + 4]
    take_one, take_two = memory[at + 2], memory[at + 3]
    one, two = remove(view[lay.V_ONE], view[lay.V_TWO], take_one, take_two)
    size = count_cards(take_one, take_two)
    choice_terms(view, memory[FACTS:TERMS], memory[TERMS:], shape, rank, size, one, two, cost)


@kernel
def choose_among(view: Words, memory: Words, n: int, weights: Words) -> int:
    """Number of the choice, among the ``n`` in the seat's memory, that is worth most."""
    gather_facts(view, memory[FACTS:TERMS])
    best, most = 0, 0
    for number in range(n):
        write_terms(view, memory, number)
        worth = weigh(memory[TERMS:], weights)
        if number == 0 or worth > most:
            best, most = number, worth
    return best


@kernel
def play(view: Words, scratch: Words, out: Words) -> int:
    """Keep to the best plan of the hand, count cards, and choose what promises the most levels."""
    if len(scratch) < DESK_SIZE:
        return NO_DESK
    n = list_choices(scratch, view)
    best = choose_among(view, scratch, n, WEIGHTS) if n > 1 else 0
    at = CHOICES + CHOICE_WIDTH * best
    shape, rank, one, two = scratch[at], scratch[at + 1], scratch[at + 2], scratch[at + 3]
    settle(scratch, one, two, scratch[at + 4])
    return write_move(out, shape, rank, one, two)


@kernel
def choose_card(view: Words, scratch: Words, out: Words) -> int:
    """Part with the card without which the plan is cheapest; of equals with the weakest, or if it
    goes to the partner with the strongest.
    """
    if len(scratch) < DESK_SIZE:
        return NO_DESK
    one, two, level, seat = view[lay.V_ONE], view[lay.V_TWO], view[lay.V_LEVEL], view[lay.V_SEAT]
    mask = choice_mask(view, seat, one)
    to_partner = False
    if view[lay.V_PHASE] == lay.PHASE_RETURN:
        row = 0 if seat == view[lay.V_RECEIVER] else lay.V_TRIBUTE_WIDTH
        to_partner = view[lay.V_GIVER + row] == seat ^ 2
    least = 0
    out[lay.OUT_CARD] = -1
    while mask:
        card = trailing_zeros(mask)
        mask &= mask - 1
        left_one, left_two = remove(one, two, 1 << card, 0)
        power = POWER[16 * level + (card >> 2)]
        cost = 32 * cost_in(scratch, view, left_one, left_two) + (-power if to_partner else power)
        if out[lay.OUT_CARD] < 0 or cost < least:
            least = cost
            out[lay.OUT_CARD] = card
    return 0
