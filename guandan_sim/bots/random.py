"""`random`: every legal move, passing included, is equally likely; so is every card to give or
return.
"""

from __future__ import annotations

from .. import layout as lay
from ..bits import popcount, select_bit, trailing_zeros
from ..jit import Words, kernel, opened
from ..picking import pick_move
from ..rng import below, word
from ..tribute import choice_mask

__all__ = ["choose_card", "play"]


@opened
def play(view: Words, scratch: Words, out: Words) -> int:
    """A uniform choice among the legal moves."""
    shape, rank, one, two = pick_move(view, word(view[lay.V_KEY], 0))
    out[lay.OUT_SHAPE] = shape
    out[lay.OUT_RANK] = rank
    out[lay.OUT_ONE] = one
    out[lay.OUT_TWO] = two
    return 0


@kernel
def choose_card(view: Words, scratch: Words, out: Words) -> int:
    """A uniform choice among the kinds of card that may be given or returned."""
    mask = choice_mask(view, view[lay.V_SEAT], view[lay.V_ONE])
    k = below(view[lay.V_KEY], 0, popcount(mask))
    out[lay.OUT_CARD] = trailing_zeros(select_bit(mask, k))
    return 0
