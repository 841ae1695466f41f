"""From the plays that the loop logged to the columns of the table plays, in one pass."""

from __future__ import annotations

from typing import Any

from . import layout as lay
from . import loop
from .jit import Rows, kernel
from .playcards import pack_cards

__all__ = ["fill_plays"]


@kernel
def fill_plays(
    plays: Rows,
    deals: Rows,
    sets: Any,
    arms: Any,
    numbers: Any,
    plies: Any,
    seats: Any,
    shapes: Any,
    ranks: Any,
    sizes: Any,
    near: Any,
    far: Any,
    chosen: Any,
) -> int:
    """Write the rows ``plays`` of the deals ``deals`` (as `loop.log_play` and `loop.log_deal` left
    them) as columns.

    The arrays that follow are those columns in the table's order and types, as long as ``plays``;
    every arm is 0. Returns the number of rows that the deals have.
    """
    row = 0
    for deal in range(len(deals)):
        for _ in range(deals[deal, loop.D_PLAYS]):
            packed = plays[row, 0]
            rank = packed >> lay.H_RANK & 15
            sets[row] = deals[deal, loop.D_SET]
            arms[row] = 0
            numbers[row] = deals[deal, loop.D_DEAL]
            plies[row] = packed >> loop.P_PLY
            seats[row] = packed & 3
            shapes[row] = packed >> lay.H_SHAPE & 15
            ranks[row] = rank
            sizes[row] = packed >> lay.H_SIZE & 15
            near[row], far[row] = pack_cards(rank, plays[row, 1], plays[row, 2])
            chosen[row] = packed >> loop.P_CHOSEN & 15
            row += 1
    return row
