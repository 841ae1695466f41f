"""The packed history of a deal as moves in order, passes among them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from . import layout as lay
from .moves import PASS_MOVE, Move

__all__ = ["history"]


def history(state: np.ndarray) -> Iterator[tuple[int, Move]]:
    """All plays and passes of the deal in a state or view, in order, as (seat, move)."""
    last = -1
    for ply in range(int(state[lay.V_PLIES])):
        at = lay.V_HISTORY + lay.HISTORY_WIDTH * ply
        packed, one, two = state[at : at + 3].tolist()
        seat = packed & 3
        yield from _passes(packed >> lay.H_PASSES & 15, last)
        shape, rank = packed >> lay.H_SHAPE & 15, packed >> lay.H_RANK & 15
        yield seat, Move.from_words(shape, rank, one, two)
        last = seat
    yield from _passes(int(state[lay.V_PASSED]), last)


def _passes(mask: int, last: int) -> Iterator[tuple[int, Move]]:
    """The seats of ``mask`` in their order after ``last``."""
    for step in range(1, 4):
        seat = (last + step) & 3
        if mask >> seat & 1:
            yield seat, PASS_MOVE
