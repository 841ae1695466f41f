"""A bot as a user writes one: uniformly random, so that it plays the games of `random`."""

from __future__ import annotations

from typing import Any

from .. import layout as lay
from ..bots import BUILT_IN, Bot
from ..picking import pick_move
from ..rng import word

__all__ = ["OWN"]


def play(view: Any, _scratch: Any, out: Any) -> int:
    """A uniform choice among the legal moves."""
    shape, rank, one, two = pick_move(view, word(view[lay.V_KEY], 0))
    out[lay.OUT_SHAPE] = shape
    out[lay.OUT_RANK] = rank
    out[lay.OUT_ONE] = one
    out[lay.OUT_TWO] = two
    return 0


#: Called through its compiled address, with every index and every move checked.
OWN = Bot("own", play, BUILT_IN["random"].tribute, BUILT_IN["random"].give_back)
