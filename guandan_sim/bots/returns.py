"""Other ways to choose the card to return, as ``give_back`` of any bot."""

from __future__ import annotations

from .. import layout as lay
from ..bits import trailing_zeros
from ..jit import Words, kernel
from ..shapes import POWER
from ..tribute import choice_mask
from . import random

__all__ = ["RETURNS", "highest", "lowest"]


@kernel
def _extreme(view: Words, out: Words, sign: int) -> int:
    """Write the card for which sign * power is least; of equals the first suit of S H C D."""
    mask = choice_mask(view, view[lay.V_SEAT], view[lay.V_ONE])
    least = 0
    out[lay.OUT_CARD] = -1
    while mask:
        card = trailing_zeros(mask)
        mask &= mask - 1
        power = sign * POWER[16 * view[lay.V_LEVEL] + (card >> 2)]
        if out[lay.OUT_CARD] < 0 or power < least:
            least = power
            out[lay.OUT_CARD] = card
    return 0


@kernel
def lowest(view: Words, scratch: Words, out: Words) -> int:
    """The lowest card that may be returned: 2 to ace, the level above the ace."""
    return _extreme(view, out, 1)


@kernel
def highest(view: Words, scratch: Words, out: Words) -> int:
    """The highest card that may be returned."""
    return _extreme(view, out, -1)


#: What a receiver may do instead of what its bot would, by name.
RETURNS = {"lowest": lowest, "highest": highest, "random": random.choose_card}
