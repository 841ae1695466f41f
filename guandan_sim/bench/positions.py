"""Positions to list moves at, and the kernels that go through them.

A position is a row of words: a hand (one, two), the level, and the (kind, strength) of what is to
beat, of which the kind is PASS for a lead.
"""

from __future__ import annotations

import numpy as np

from .. import layout as lay
from .. import loop
from ..jit import Rows, kernel
from ..listing import list_moves
from ..movegen import count_moves
from ..rules import Rules
from ..shapes import PASS, kind_of, strength_of
from .workloads import Game, Workload

__all__ = ["WIDTH", "count_all", "list_all", "met", "move_counts"]

ONE, TWO, LEVEL, KIND, STRENGTH = range(5)
WIDTH = 5

_GUIDE = Rules.preset("guide")
_LIMITS = (_GUIDE.max_bomb, int(_GUIDE.full_house_joker_pair))


def met(deals: int) -> np.ndarray:
    """Every position of so many random deals in which a seat had a move to make, int64[n, WIDTH]:
    the leads, and the plays to beat to which there was an answer.
    """
    found = []
    for deal, plays, _, _ in Game(Workload("random", deals)).logged():
        hands = deal[loop.D_HANDS : loop.D_HANDS + 8].reshape(4, 2).tolist()
        level = int(deal[loop.D_LEVEL])
        beat = (PASS, 0)
        for packed, one, two in plays.tolist():
            seat = packed & 3
            for other in range(4):
                if packed >> lay.H_PASSES & 1 << other:
                    found.append((*hands[other], level, *beat))
            if packed >> lay.H_LEAD & 1:
                beat = (PASS, 0)
            found.append((*hands[seat], level, *beat))
            shape, rank, size = (packed >> at & 15 for at in (lay.H_SHAPE, lay.H_RANK, lay.H_SIZE))
            beat = (int(kind_of(shape)), int(strength_of(shape, rank, size, level)))
            held_one, held_two = hands[seat]
            hands[seat] = [
                held_one & ~one | held_two & one & ~two,
                held_two & ~one,
            ]
    positions = np.array(found, np.int64)
    return positions[move_counts(positions) > 0]


@kernel
def _list_each(positions: Rows, max_bomb: int, joker_pair: int, out: Rows, repeats: int) -> int:
    total = 0
    for _ in range(repeats):
        for i in range(len(positions)):
            total += list_moves(
                positions[i, ONE],
                positions[i, TWO],
                positions[i, LEVEL],
                positions[i, KIND],
                positions[i, STRENGTH],
                max_bomb,
                joker_pair,
                out,
            )
    return total


@kernel
def _count_each(positions: Rows, max_bomb: int, joker_pair: int, counts: Rows) -> int:
    total = 0
    for i in range(len(positions)):
        counts[i, 0] = count_moves(
            positions[i, ONE],
            positions[i, TWO],
            positions[i, LEVEL],
            positions[i, KIND],
            positions[i, STRENGTH],
            max_bomb,
            joker_pair,
            -1,
        )
        total += counts[i, 0]
    return total


def list_all(positions: np.ndarray, out: np.ndarray, repeats: int = 1) -> int:
    """List the moves of each position into ``out``, one position over the other; returns how many
    there were, ``repeats`` times over.
    """
    return int(_list_each(positions, *_LIMITS, out, repeats))


def count_all(positions: np.ndarray, counts: np.ndarray) -> int:
    """Count the moves of each position into ``counts``, int64[n, 1]; returns the sum."""
    return int(_count_each(positions, *_LIMITS, counts))


def move_counts(positions: np.ndarray) -> np.ndarray:
    """The number of moves of each position, int64[n]."""
    counts = np.zeros((len(positions), 1), np.int64)
    count_all(positions, counts)
    return counts[:, 0]
