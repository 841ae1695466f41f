"""What is played for the figures, and how many decisions are in it.

A *decision* is every time that a seat is to act: each play, each pass, whether or not there was
anything to play, and each card given or returned as tribute, even if only one could be. Seats that
are out or that a rule bars are not asked and decide nothing. A *choice* is a decision that the
seat's bot was called for: it could do other than pass, or there were several cards to give or
return.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import cached_property

import numpy as np

from .. import layout as lay
from .. import loop
from ..bots import BotName, bots_by_seat
from ..playing import Player
from ..rules import Rules, new_state

__all__ = ["Counts", "Game", "Workload"]

# As large as a worker's of `simulate`.
_PLAY_ROWS = 131_072
_DEAL_ROWS = 8_192

_PASSES_IN_MASK = np.array([mask.bit_count() for mask in range(16)])


@dataclass(frozen=True)
class Workload:
    """Sets 0 to ``sets`` - 1 of seed 1: independent deals, or matches, of the same bots.

    Deals have their level drawn, and no tribute unless ``tribute``, which draws a finishing order
    of the deal before. ``log``: every play is written to memory.
    """

    bots: BotName | Sequence[BotName]
    sets: int
    matches: bool = False
    tribute: bool = False
    rules: str = "guide"
    log: bool = False

    @property
    def arguments(self) -> np.ndarray:
        """Arguments of the loop, int64[ARGUMENTS]."""
        arguments = np.zeros(loop.ARGUMENTS, np.int64)
        arguments[loop.A_SEED] = 1
        arguments[loop.A_END] = self.sets
        arguments[loop.A_MATCHES] = self.matches
        arguments[loop.A_PREVIOUS] = -1
        arguments[loop.A_DRAW_PREVIOUS] = self.tribute
        arguments[loop.A_LOG_PLAYS] = self.log
        return arguments


@dataclass(frozen=True)
class Counts:
    """How much there is in a workload, exactly."""

    deals: int
    plays: int
    passes: int
    tributes: int
    choices: int

    @property
    def decisions(self) -> int:
        """Plays, passes, and for each tribute paid a card given and one returned."""
        return self.plays + self.passes + 2 * self.tributes

    def __add__(self, more: Counts) -> Counts:
        return Counts(*(a + b for a, b in zip(astuple(self), astuple(more), strict=True)))


class Game:
    """A workload with the memory that it is played in. One thread at a time may use it."""

    def __init__(self, workload: Workload) -> None:
        self.workload = workload
        self._player = Player(bots_by_seat(workload.bots))
        self._state = new_state(Rules.preset(workload.rules))
        self._rows = _rows(_PLAY_ROWS if workload.log else 0, _DEAL_ROWS)

    def play(self) -> float:
        """Play all of it in the compiled loop; returns the seconds, of the wall clock.

        The bots remember nothing of the same deals played before.
        """
        self._player.scratch[:] = 0
        began = time.perf_counter()
        arguments = self.workload.arguments
        cursor = np.zeros(loop.CURSOR, np.int64)
        while cursor[loop.C_NEXT] < self.workload.sets:
            cursor[: loop.C_NEXT] = 0
            self._player.run_sets(self._state, arguments, cursor, self._rows)
        return time.perf_counter() - began

    def logged(self) -> Iterator[tuple[np.ndarray, np.ndarray, int, int]]:
        """Play it once more, logged, a deal at a call: of each deal its row and its plays' rows as
        `loop` has them, valid until the next deal, and how many tributes and choices it had.
        """
        arguments = self.workload.arguments
        arguments[loop.A_LOG_PLAYS] = 1
        rows = _rows(lay.MAX_PLIES, 1)
        cursor = np.zeros(loop.CURSOR, np.int64)
        while cursor[loop.C_NEXT] < self.workload.sets:
            cursor[: loop.C_NEXT] = 0
            self._player.run_sets(self._state, arguments, cursor, rows)
            choices = self._state[lay.S_DECISIONS : lay.S_DECISIONS + 4].sum()
            plays = rows[0][: cursor[loop.C_PLAYS]]
            yield rows[1][0], plays, int(cursor[loop.C_TRIBUTES]), int(choices)

    @cached_property
    def counts(self) -> Counts:
        """What is in it, counted in the log of its plays.

        A play's mask of passes has the seats that passed since the play before, those that ended
        the trick among them. After a deal's last play nobody is asked.
        """
        total = Counts(0, 0, 0, 0, 0)
        for _, plays, tributes, choices in self.logged():
            passes = int(_PASSES_IN_MASK[plays[:, 0] >> lay.H_PASSES & 15].sum())
            total += Counts(1, len(plays), passes, tributes, choices)
        return total


def _rows(plays: int, deals: int) -> list[np.ndarray]:
    """Empty rows for the loop to log so many plays and deals."""
    return [
        np.zeros((plays, loop.PLAY_WIDTH), np.int64),
        np.zeros((deals, loop.DEAL_WIDTH), np.int64),
        np.zeros((2 * deals, loop.TRIBUTE_WIDTH), np.int64),
        np.zeros((deals, loop.MATCH_WIDTH), np.int64),
    ]
