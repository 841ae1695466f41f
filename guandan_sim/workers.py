"""One part of a run, played and written: the same in a thread, a process or on another machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import loop
from .arms import Arm
from .logrows import (
    Columns,
    deal_columns,
    interleaved,
    match_columns,
    play_columns,
    tribute_columns,
)
from .outcomes import Outcomes
from .playing import Player
from .pools import Stopped
from .rules import new_state
from .tally import Tally

if TYPE_CHECKING:
    from .folders import Folder
    from .hashing import PartSummary

__all__ = ["PartPlayer", "Played", "Work"]

# Rows of a worker's buffers: a few thousand deals at a time, so that the memory stays in the cache
# of the core.
PLAY_ROWS = 131_072
DEAL_ROWS = 8_192
# Where there are several arms, each plays some sets before their rows are put together: so many
# playings of sets at a time in all, and fewer if a bot in Python, which is slow, is among them.
PLAYINGS = {"deals": 2_048, "matches": 256}
_SLOWER = 32


@dataclass(frozen=True)
class Work:
    """What all parts of a run have in common.

    ``kind``: "deals" or "matches"; ``log``: "plays", "deals" or "none". ``arms``: what is played on
    each set, one after the other. ``folder``: the run's, None with log "none". ``outcomes``:
    whether how each deal ended is kept in memory.
    """

    kind: str
    log: str
    arms: Sequence[Arm]
    folder: Folder | None
    outcomes: bool = False


@dataclass(frozen=True)
class Played:
    """What is told of a part: counts by arm, outcomes if asked for, and what was written; None with
    log "none".
    """

    first: int
    stop: int
    tallies: list[Tally]
    outcomes: Outcomes | None
    summary: PartSummary | None

    @property
    def size(self) -> int:
        """Bytes written."""
        return sum(table.size for table in self.summary.tables.values()) if self.summary else 0


class PartPlayer:
    """The part of the sets ``first`` to ``stop`` - 1, to be played once.

    ``done``, sets finished, ``deals`` and ``plays`` may be read as it goes.
    """

    def __init__(self, work: Work, first: int, stop: int) -> None:
        self._work = work
        self.first = first
        self.stop = stop
        self._playings = 0
        self._tallies = [Tally() for _ in work.arms]
        self._outcomes = Outcomes(len(work.arms), work.kind == "matches") if work.outcomes else None
        self._cursors = [np.zeros(loop.CURSOR, np.int64) for _ in work.arms]
        for cursor in self._cursors:
            cursor[loop.C_NEXT] = first
        self._rows: list[np.ndarray] = []

    @property
    def done(self) -> int:
        """Sets that every arm has played."""
        return self._playings // len(self._work.arms)

    @property
    def deals(self) -> int:
        """Deals played, of all arms."""
        return sum(tally.deals for tally in self._tallies)

    @property
    def plays(self) -> int:
        """Plays made in them."""
        return sum(tally.plays for tally in self._tallies)

    def run(self) -> Played:
        """Play the part and write it. Raises `BotError`, `RunError`, or `Stopped`."""
        work = self._work
        self._rows = [
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
            for tables in self._tables():
                if self._outcomes is not None:
                    self._outcomes.add(tables)
                if part is not None:
                    for name, columns in tables.items():
                        part.write(name, columns)
        summary = part.summary if part else None
        return Played(self.first, self.stop, self._tallies, self._outcomes, summary)

    def _tables(self) -> Iterator[Mapping[str, Columns]]:
        """The columns of all tables, some sets at a time, in order."""
        arms = self._work.arms
        games = [self._game(number, arm) for number, arm in enumerate(arms)]
        if len(games) == 1:
            yield from games[0](self.stop)
            return
        playings = PLAYINGS[self._work.kind]
        if any(bot.in_python for arm in arms for bot in arm.bots):
            playings //= _SLOWER
        step = max(1, playings // len(arms))
        for first in range(self.first, self.stop, step):
            stop = min(first + step, self.stop)
            yield interleaved([tables for game in games for tables in game(stop)])

    def _game(self, number: int, arm: Arm) -> Callable[[int], Iterator[dict[str, Columns]]]:
        """What plays an arm up to a set, and gives the columns of all tables buffer by buffer."""
        player = Player(arm.bots)
        state = new_state(arm.rules)
        arguments = arm.arguments.copy()
        arguments[loop.A_LOG_PLAYS] = self._work.log == "plays"
        cursor = self._cursors[number]

        def play(stop: int) -> Iterator[dict[str, Columns]]:
            arguments[loop.A_END] = stop
            while cursor[loop.C_NEXT] < stop:
                if cursor[loop.C_STOP]:
                    raise Stopped
                cursor[: loop.C_NEXT] = 0
                self._playings += player.run_sets(state, arguments, cursor, self._rows)
                yield self._columns(number)

        return play

    def _columns(self, number: int) -> dict[str, Columns]:
        """Columns of what the arm has just logged; they are counted."""
        work, cursor = self._work, self._cursors[number]
        plays, deals, tributes, matches = (
            table[: cursor[count]]
            for table, count in zip(
                self._rows,
                (loop.C_PLAYS, loop.C_DEALS, loop.C_TRIBUTES, loop.C_MATCHES),
                strict=True,
            )
        )
        tables = {"deals": deal_columns(deals)}
        if work.kind == "matches":
            tables["matches"] = match_columns(matches)
        self._tallies[number].add(tables["deals"], len(tributes), tables.get("matches"))
        if work.folder is not None:
            tables["tributes"] = tribute_columns(tributes)
            if work.log == "plays":
                tables["plays"] = play_columns(plays, deals)
        if number:
            for columns in tables.values():
                columns["arm"][:] = number
        return tables

    def interrupt(self) -> None:
        """Make the loop return after the deal that it is in, or before the first."""
        for cursor in self._cursors:
            cursor[loop.C_STOP] = 1
