"""Bots at a table: the buffers and calls around the compiled loop, and what is said when a bot
fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from . import layout as lay
from . import loop, pythonloop
from .asking import LINE_UP, line_up
from .bots import Bot
from .bots.failures import failure_text, illegal_card_text, illegal_move_text
from .errors import BotError
from .jit import accept_first_class_functions
from .tribute import choice_mask

__all__ = ["Player", "are_quick"]

_NO_ROWS = [
    np.zeros((0, width), np.int64)
    for width in (loop.PLAY_WIDTH, loop.DEAL_WIDTH, loop.TRIBUTE_WIDTH, loop.MATCH_WIDTH)
]


def are_quick(bots: Sequence[Bot]) -> bool:
    """Whether the loop calls all these bots directly (see `asking`)."""
    return all(bot.built_in and bot.name in LINE_UP for bot in bots)


class Player:
    """Four bots with the memory that they play in. One thread at a time may use it."""

    def __init__(self, bots: Sequence[Bot]) -> None:
        accept_first_class_functions()
        self.bots = tuple(bots)
        self._quick = are_quick(self.bots)
        if self._quick:
            self._roles: Any = (line_up([bot.name for bot in self.bots]),) * 3
        else:
            seated = [bot.seated() for bot in self.bots]
            self._roles = tuple(tuple(of[role] for of in seated) for role in range(3))
        self._in_python = any(bot.in_python for bot in self.bots)
        self.checked = 0
        for seat, each in enumerate(self.bots):
            deep = each.memory_size > lay.SCRATCH_SIZE
            self.checked |= (not each.built_in) << seat | deep << seat + 4
        self.view = np.zeros(lay.VIEW_SIZE, np.int64)
        self.scratch = np.zeros((4, max(bot.memory_size for bot in self.bots)), np.int64)
        self.out = np.zeros(lay.OUT_SIZE, np.int64)

    def load(self) -> None:
        """Compile what is needed to play, or read it from the cache."""
        self._loop()

    def _loop(self) -> Any:
        return pythonloop.load_loop() if self._in_python else loop.load_loop(self._quick)

    def play_out(self, state: np.ndarray) -> None:
        """Play the deal in ``state`` to its end. Raises `BotError` with deal, seat and move; the
        state stays there.
        """
        self.scratch[:, : lay.SCRATCH_SIZE] = 0  # what lies behind cannot matter (see `choices`)
        arguments = np.zeros(loop.ARGUMENTS, np.int64)
        arguments[loop.A_PLAY_OUT] = 1
        self.run_sets(state, arguments, np.zeros(loop.CURSOR, np.int64), _NO_ROWS)

    def run_sets(
        self,
        state: np.ndarray,
        arguments: np.ndarray,
        cursor: np.ndarray,
        rows: Sequence[np.ndarray],
    ) -> int:
        """`loop.run_sets` with these bots; ``rows`` are play, deal, tribute and match rows. Raises
        `BotError`.
        """
        run_sets = self._loop()
        arguments[loop.A_CHECKED] = self.checked
        try:
            finished = run_sets(
                *self._roles, state, self.view, self.scratch, self.out, arguments, cursor, *rows
            )
        except Exception as error:
            self._raise(state, error)
        if cursor[loop.C_STATUS] != loop.STATUS_OK:
            self._raise(state, int(cursor[loop.C_STATUS]))
        return int(finished)

    def _raise(self, state: np.ndarray, what: Any) -> NoReturn:
        seat = int(state[lay.V_TURN])
        name = self.bots[seat].name
        where = f"set {state[lay.S_SET]}, deal {state[lay.V_DEAL]}, play {state[lay.V_PLIES]}"
        if isinstance(what, BotError):  # of a Python bot, told with name and seat already
            raise BotError(f"{what} ({where})") from what.__cause__
        if isinstance(what, Exception):
            raise BotError(f"{failure_text(name, seat, what)} ({where})") from what
        if what == loop.STATUS_ILLEGAL_MOVE:
            raise BotError(f"{illegal_move_text(name, self.view, self.out.tolist())} ({where})")
        if what == loop.STATUS_ILLEGAL_CARD:
            number = int(self.out[lay.OUT_CARD])
            mask = int(choice_mask(state, seat, int(state[lay.S_HANDS + 2 * seat])))
            raise BotError(f"{illegal_card_text(name, seat, number, mask)} ({where})")
        raise BotError(
            f"bot {name} at seat {seat} did not return 0, which means a choice made ({where})"
        )
