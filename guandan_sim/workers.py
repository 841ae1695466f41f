"""One part of a run, played and written: the same in a thread, a process or on another machine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import loop
from .bots import Bot
from .logrows import deal_columns, match_columns, play_columns, tribute_columns
from .playing import Player
from .pools import Stopped
from .rules import Rules, new_state
from .tally import Tally

if TYPE_CHECKING:
    from .folders import Folder
    from .hashing import PartSummary
    from .parts import PartWriter

__all__ = ["PartPlayer", "Played", "Work"]

# Rows of a worker's buffers: a few thousand deals at a time, so that the memory stays in the cache
# of the core.
PLAY_ROWS = 131_072
DEAL_ROWS = 8_192


@dataclass(frozen=True)
class Work:
    """What all parts of a run have in common.

    ``kind``: "deals" or "matches"; ``log``: "plays", "deals" or "none". ``bots``: by seat.
    ``arguments``: int64[ARGUMENTS] of the loop, but for A_END. ``folder``: the run's, None with
    log "none".
    """

    kind: str
    log: str
    bots: Sequence[Bot]
    rules: Rules
    arguments: np.ndarray
    folder: Folder | None


@dataclass(frozen=True)
class Played:
    """What is told of a part: counts, and what was written; None with log "none"."""

    first: int
    stop: int
    tally: Tally
    summary: PartSummary | None

    @property
    def size(self) -> int:
        """Bytes written."""
        return sum(table.size for table in self.summary.tables.values()) if self.summary else 0


class PartPlayer:
    """The part of the sets ``first`` to ``stop`` - 1, to be played once.

    ``done``, sets finished, and ``tally`` may be read as it goes.
    """

    def __init__(self, work: Work, first: int, stop: int) -> None:
        self._work = work
        self.first = first
        self.stop = stop
        self.done = 0
        self.tally = Tally()
        self._cursor = np.zeros(loop.CURSOR, np.int64)
        self._cursor[loop.C_NEXT] = first

    def run(self) -> Played:
        """Play the part and write it. Raises `BotError`, `RunError`, or `Stopped`."""
        work, cursor = self._work, self._cursor
        player = Player(work.bots)
        state = new_state(work.rules)
        arguments = work.arguments.copy()
        arguments[loop.A_END] = self.stop
        arguments[loop.A_LOG_PLAYS] = work.log == "plays"
        rows = [
            np.zeros((PLAY_ROWS if work.log == "plays" else 0, loop.PLAY_WIDTH), np.int64),
            np.zeros((DEAL_ROWS, loop.DEAL_WIDTH), np.int64),
            np.zeros((2 * DEAL_ROWS, loop.TRIBUTE_WIDTH), np.int64),
            np.zeros((DEAL_ROWS, loop.MATCH_WIDTH), np.int64),
        ]
        part = None
        if work.folder is not None:
            from .parts import PartWriter

            part = PartWriter(work.folder, self.first, self.stop, work.kind, work.log)
        with part or nullcontext():
            while cursor[loop.C_NEXT] < self.stop:
                if cursor[loop.C_STOP]:
                    raise Stopped
                cursor[: loop.C_NEXT] = 0
                self.done += player.run_sets(state, arguments, cursor, rows)
                self._write(part, rows)
        return Played(self.first, self.stop, self.tally, part.summary if part else None)

    def _write(self, part: PartWriter | None, rows: list[np.ndarray]) -> None:
        plays, deals, tributes, matches = (
            table[: self._cursor[count]]
            for table, count in zip(
                rows, (loop.C_PLAYS, loop.C_DEALS, loop.C_TRIBUTES, loop.C_MATCHES), strict=True
            )
        )
        of_deals = deal_columns(deals)
        of_matches = match_columns(matches) if self._work.kind == "matches" else None
        self.tally.add(of_deals, len(tributes), of_matches)
        if part is None:
            return
        part.write("deals", of_deals)
        part.write("tributes", tribute_columns(tributes))
        if of_matches is not None:
            part.write("matches", of_matches)
        if self._work.log == "plays":
            part.write("plays", play_columns(plays, deals))

    def interrupt(self) -> None:
        """Make the loop return after the deal that it is in, or before the first."""
        self._cursor[loop.C_STOP] = 1
