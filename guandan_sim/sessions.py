"""One session of playing a run, whole or what is missing of it: the same for all who play runs.

A worker, which is a thread, a process or another machine, plays a part in the compiled loop and
writes it; the calling thread only shows progress and stops everything on Ctrl-C. What only some
need, Arrow and other pools than threads, is imported where it is used: a short simulation is over
sooner than these are imported.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from .arms import Arm
from .backends import open_pool
from .errors import OptionError, RunError, RunWarning
from .interrupts import CtrlC, ctrl_c_noted
from .outcomes import Outcomes, outcomes_of_part
from .pools import Threads, gather
from .tally import DEAL_COLUMNS, MATCH_COLUMNS, Tally, summary_of, summary_problems
from .warming import warmup
from .workers import Played, Work

if TYPE_CHECKING:
    from .folders import Folder
    from .hashing import PartSummary
    from .runs import Run
    from .runwriter import RunWriter

__all__ = ["Judge", "Played", "Progress", "Session", "Where", "play_run"]

_SECONDS_BETWEEN_REPORTS = 0.2
_PARTS_IN_PYTHON = 64


@dataclass(frozen=True)
class Progress:
    """How far a simulation is: sets ``done`` of ``total``, deals and plays made since it began, and
    seconds since then; ``bytes`` of the run written, in finished parts, and sets that a resumed run
    had ``kept``. While the parts of a resumed run are looked through, before anything is played,
    ``checking`` is the number of the part and how many there are.
    """

    done: int
    total: int
    deals: int
    plays: int
    seconds: float
    bytes: int = 0
    kept: int = 0
    checking: tuple[int, int] | None = None


@dataclass(frozen=True)
class Where:
    """Where a run is played and written, which makes no difference to what is in it."""

    out: str | os.PathLike[str] | None
    resume: bool
    backend: str
    workers: int | None
    scheduler: str | None
    progress: Callable[[Progress], None] | None
    command: str


class Judge(Protocol):
    """Looks at the outcomes of parts, in the order of their sets, and may end the run after one."""

    def take(self, outcomes: Outcomes) -> str:
        """Why the run ends with this part; empty if it goes on."""


@dataclass(frozen=True)
class Session:
    """What came of it: the run on disk, if one was written, its summary, and the outcomes that were
    asked for, of parts played now.
    """

    run: Run | None
    summary: dict[str, Any]
    outcomes: Outcomes


def play_run(
    settings: Mapping[str, Any],
    arms: Sequence[Arm],
    where: Where,
    *,
    outcomes: bool = False,
    judge: Judge | None = None,
) -> Session:
    """Play what ``settings`` say, with ``arms``, or go on with it.

    Raises `OptionError` for what does not go together, `BotError`, `RunError`, `BackendError`, and
    KeyboardInterrupt after Ctrl-C; what was written before stays. Warns (`RunWarning`) of what of a
    resumed run is not as it was written.
    """
    writing = where.out is not None
    if writing and settings["log"] == "none":
        raise OptionError(f"log is 'none', which writes nothing to {where.out}; give no out")
    if where.resume and not writing:
        raise OptionError("resume goes on with a run; name its folder by out")
    with ctrl_c_noted() as ctrl_c:
        for arm in arms:
            warmup(arm.bots)
        opened: Any = nullcontext()
        if where.out is not None:
            from .runs import create_run

            with ctrl_c.told(lambda: None):
                opened = create_run(
                    where.out,
                    settings,
                    where.resume,
                    command=where.command,
                    checking=_looking(settings["count"], ctrl_c, where.progress),
                )
        with opened as writer:
            for text in writer.notes if writer else ():
                warnings.warn(text, RunWarning, stacklevel=3)
            folder = _folder(writer.folder, where.backend) if writer else None
            work = Work(
                settings["kind"],
                settings["log"] if writing else "none",
                arms,
                folder,
                outcomes or judge is not None,
            )
            playing = _Playing(settings, where, work, writer, judge)
            playing.play(ctrl_c)
            return playing.finish()


def _looking(
    count: int, ctrl_c: CtrlC, progress: Callable[[Progress], None] | None
) -> Callable[[int, int], None]:
    """What is called while the parts of a resumed run are read: tells of it, and is broken off by
    Ctrl-C.
    """
    began = next_report = time.monotonic()

    def looking(number: int, of: int) -> None:
        nonlocal next_report
        ctrl_c.check()
        now = time.monotonic()
        if progress is not None and now >= next_report:
            next_report = now + _SECONDS_BETWEEN_REPORTS
            progress(Progress(0, count, 0, 0, now - began, checking=(number, of)))

    return looking


class _Playing:
    """What is played now: finished parts by their first set, and what is told of it."""

    def __init__(
        self,
        settings: Mapping[str, Any],
        where: Where,
        work: Work,
        writer: RunWriter | None,
        judge: Judge | None,
    ) -> None:
        self._settings = settings
        self._where = where
        self._began = self._ended = 0.0
        self._work = work
        self._writer = writer
        self._end = _End(judge, settings["count"])
        self._played: dict[int, Played] = {}
        self._kept = writer.kept if writer else []
        self._parts = writer.missing if writer else list(_parts(settings, work, judge))
        self._kept_sets = self._done = sum(part.stop - part.first for part in self._kept)
        self._deals = self._plays = 0
        self._size = sum(table.size for part in self._kept for table in part.tables.values())
        self._next_report = 0.0

    def play(self, ctrl_c: CtrlC) -> None:
        """Play all parts up to the end, and tell of it."""
        work, where = self._work, self._where
        if self._end.judge is not None and self._writer is not None:
            from .runs import open_run

            run = open_run(self._writer.folder)
            for part in self._kept:
                found = outcomes_of_part(run, len(work.arms), part.first, part.stop)
                self._end.take(part.first, part.stop, found)
        parts = list(self._end.wanted(self._parts))
        if not parts:
            return
        self._began = time.monotonic()
        pool = open_pool(where.backend, work, len(parts), where.workers, where.scheduler)
        # Only threads can be looked at as they play.
        under_way = pool.under_way if isinstance(pool, Threads) else ()

        def took(part: Played | None) -> None:
            if part is not None:
                self._add(part)
            if time.monotonic() >= self._next_report:
                self._report(under_way)
                self._next_report = time.monotonic() + _SECONDS_BETWEEN_REPORTS
            if self._end.reached and part is not None:
                raise _EndedError

        try:
            with suppress(_EndedError):
                gather(pool, self._end.wanted(parts), ctrl_c, took)
        finally:
            if work.folder is not None and where.backend != "threads":
                _discard_unfinished(work)
        self._ended = time.monotonic()
        self._report()

    def finish(self) -> Session:
        """Put all together, and write the manifest."""
        arms, kind, writer = self._work.arms, self._settings["kind"], self._writer
        stop = self._end.stop
        played = [part for first, part in sorted(self._played.items()) if first < stop]
        outcomes = Outcomes(len(arms), kind == "matches")
        outcomes.extend(part.outcomes for part in played if part.outcomes is not None)
        totals = [Tally() for _ in arms]
        counted = [part.tallies for part in played]
        if writer is not None and (kept := [p for p in self._kept if p.first < stop]):
            counted.append(_tallies_of_parts(writer.folder, kept, len(arms)))
        for tallies in counted:
            for total, tally in zip(totals, tallies, strict=True):
                total.merge(tally)
        seconds = self._ended - self._began
        summary = summary_of(kind, totals, self._deals, self._plays, seconds)
        if writer is None:
            return Session(None, summary, outcomes)
        from .runs import open_run

        if writer.finished:
            run = open_run(writer.folder)
            wrong = summary_problems(run.manifest.get("summary"), summary)
            if self._end.stopped != run.manifest.get("stopped"):
                wrong = [
                    f"the manifest says stopped {run.manifest.get('stopped')!r}, which is not so"
                ]
            if not wrong:
                return Session(run, run.summary, outcomes)
            for text in wrong:
                told = f"{run.folder}: {text}; the manifest is written again"
                warnings.warn(told, RunWarning, stacklevel=4)
        summaries = [part.summary for part in played if part.summary is not None]
        writer.finish(summaries, summary, self._end.stopped)
        run = open_run(writer.folder)
        return Session(run, run.summary, outcomes)

    def _add(self, part: Played) -> None:
        self._played[part.first] = part
        self._done += part.stop - part.first
        self._deals += sum(tally.deals for tally in part.tallies)
        self._plays += sum(tally.plays for tally in part.tallies)
        self._size += part.size
        if part.outcomes is not None:
            self._end.take(part.first, part.stop, part.outcomes)

    def _report(self, under_way: Sequence[Any] = ()) -> None:
        if self._where.progress is not None:
            self._where.progress(
                Progress(
                    self._done + sum(player.done for player in under_way),
                    self._settings["count"],
                    self._deals + sum(player.deals for player in under_way),
                    self._plays + sum(player.plays for player in under_way),
                    time.monotonic() - self._began,
                    self._size,
                    self._kept_sets,
                )
            )


class _EndedError(Exception):
    """Enough was played: the judge has its verdict."""


class _End:
    """Where the run ends: after ``stop`` sets, of ``count`` unless a judge ends it earlier.

    Parts may come in any order. They are judged in the order of their sets, so that the end does
    not depend on who played them when.
    """

    def __init__(self, judge: Judge | None, count: int) -> None:
        self.judge = judge
        self.stop = self._count = count
        self.reached = False
        self._reason = ""
        self._next = 0
        self._waiting: dict[int, tuple[int, Outcomes]] = {}

    @property
    def stopped(self) -> dict[str, Any] | None:
        """What the manifest says of a run that ended early."""
        early = self.stop < self._count
        return {"sets": self.stop, "reason": self._reason} if early else None

    def take(self, first: int, stop: int, outcomes: Outcomes) -> None:
        """Take the outcomes of a part."""
        if self.judge is None or self.reached:
            return
        self._waiting[first] = stop, outcomes
        while not self.reached and self._next in self._waiting:
            self._next, outcomes = self._waiting.pop(self._next)
            self._reason = self.judge.take(outcomes)
            if self._reason:
                self.reached, self.stop = True, self._next

    def wanted(self, parts: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Those of the parts that begin before the end, as it is known when each is asked for."""
        return (part for part in parts if part[0] < self.stop)


def _folder(folder: Folder, backend: str) -> Folder:
    """The run's folder as its workers find it; threads name it as the user did."""
    return folder if backend == "threads" else folder.everywhere()


def _discard_unfinished(work: Work) -> None:
    """Delete what a worker that was killed has left; the next to resume does it otherwise."""
    from .folders import discard_unfinished
    from .schemas import tables_of

    assert work.folder is not None
    with suppress(OSError):
        discard_unfinished(work.folder, tables_of(work.kind, work.log))


def _tallies_of_parts(folder: Folder, kept: Sequence[PartSummary], arms: int) -> list[Tally]:
    """Counts by arm over the parts that a resumed run had already."""
    from .runs import open_run

    tallies = [Tally() for _ in range(arms)]
    run = open_run(folder)
    run.parts = [(part.first, part.stop) for part in kept]
    tables = [("deals", DEAL_COLUMNS), ("matches", MATCH_COLUMNS), ("tributes", ())]
    for table, names in tables:
        if table not in run.tables:
            continue
        for columns in run.arrays(table, [*names, "arm"]):
            if columns["arm"].max(initial=0) >= arms:
                raise RunError(f"{run.folder}: {table}.arm is not below {arms}")
            for number, tally in enumerate(tallies):
                rows = columns["arm"] == number
                some = {name: values[rows] for name, values in columns.items()}
                if table == "deals":
                    tally.add(some, 0, None)
                elif table == "matches":
                    tally.add_matches(some)
                else:
                    tally.transfers += len(some["arm"])
    return tallies


def _parts(
    settings: Mapping[str, Any], work: Work, judge: Judge | None
) -> Iterator[tuple[int, int]]:
    """The parts of what is not written. Bots in Python, whose few deals take long, share them out
    finely; a judge looks at the parts of the settings.
    """
    count, sets = settings["count"], settings["part_sets"]
    if judge is None and any(bot.in_python for arm in work.arms for bot in arm.bots):
        sets = max(1, min(sets, count // _PARTS_IN_PYTHON))
    for first in range(0, count, sets):
        yield first, min(first + sets, count)
