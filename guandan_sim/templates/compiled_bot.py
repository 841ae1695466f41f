"""A bot of my own, compiled: of some random legal moves, the one with the most cards.

Numba compiles each function of three arguments: `view`, what this seat may see; `scratch`, words
that it keeps through a deal, zeros at the start; and `out`, where the choice goes. All are arrays
of 64-bit integers, laid out as the names in `guandan_sim.layout` say. A function returns 0 for a
choice made; anything else, and an illegal choice, stops the run with an error that says who and
where.
"""

import numba

from guandan_sim import Bot
from guandan_sim import layout as lay
from guandan_sim.bits import popcount, trailing_zeros
from guandan_sim.picking import pick_move
from guandan_sim.rng import word
from guandan_sim.tribute import choice_mask

DRAWS = 8


@numba.njit
def partner(seat):
    """The seat opposite. Functions that a bot calls are compiled too."""
    return seat ^ 2


def play(view, scratch, out):
    """Choose a move: its shape, its rank, and its cards as two words (first and second copies)."""
    # It is asked only where there is a legal move other than to pass.
    if view[lay.V_BEAT_SEAT] == partner(view[lay.V_SEAT]):
        out[:] = 0  # shape 0, no rank and no cards: a pass
        return 0
    most = -1
    for draw in range(DRAWS):
        # Draw number `draw` of this decision. Bots draw nowhere else, so that a deal can be played
        # again.
        shape, rank, one, two = pick_move(view, word(view[lay.V_KEY], draw))
        cards = popcount(one) + popcount(two)
        if cards > most:
            most = cards
            out[lay.OUT_SHAPE] = shape
            out[lay.OUT_RANK] = rank
            out[lay.OUT_ONE] = one
            out[lay.OUT_TWO] = two
    return 0


def give(view, scratch, out):
    """Choose a card to give, where view[lay.V_PHASE] is lay.PHASE_TRIBUTE, or to return."""
    cards = choice_mask(view, view[lay.V_SEAT], view[lay.V_ONE])
    out[lay.OUT_CARD] = trailing_zeros(cards)  # the lowest of those that may go
    return 0


# Raise the version when the bot decides otherwise: logs name it.
my_bot = Bot("my_bot", play, tribute=give, give_back=give, version="1")
