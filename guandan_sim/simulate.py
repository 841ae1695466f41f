"""Many deals or matches, over threads, into a run on disk: the same whatever the number of workers.

Work is cut into the parts of the run. A worker plays a part in the compiled loop, which needs no
GIL, and writes it; the calling thread only shows progress and stops everything on Ctrl-C. What
only some need, Arrow and a pool of threads, is imported where it is used: a short simulation is
over sooner than these are imported.
"""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import loop
from ._version import __version__
from .bots import Bot, BotName, bots_by_seat
from .checks import check_seed
from .errors import OptionError
from .jit import DISABLED, cache_dir
from .logrows import deal_columns, match_columns, play_columns, tribute_columns
from .logrows import load as load_columns
from .playing import Player
from .rulefiles import RulesName, resolve_rules
from .rules import RULES_VERSION, Rules, new_state
from .settings import deal_arguments, order_word, part_sets
from .tally import DEAL_COLUMNS, MATCH_COLUMNS, Tally

if TYPE_CHECKING:
    from .folders import Folder
    from .hashing import PartSummary
    from .parts import PartWriter
    from .runs import Run

__all__ = ["Progress", "Result", "ready", "simulate", "warmup"]

LOGS = ("plays", "deals", "none")

# Rows of a worker's buffers: a few thousand deals at a time, so that the memory stays in the cache
# of the core.
_PLAY_ROWS = 65_536
_DEAL_ROWS = 4_096


@dataclass(frozen=True)
class Progress:
    """How far a simulation is: sets ``done`` of ``total``, deals and plays made, seconds since it
    began.
    """

    done: int
    total: int
    deals: int
    plays: int
    seconds: float


@dataclass(frozen=True)
class Result:
    """What `simulate` gives when nothing is written: ``summary`` as in a run's manifest."""

    summary: dict[str, Any]


class _Stopped(Exception):
    """The stop flag was seen in the middle of a part, which is not kept."""


class _Worker:
    """One part being played: its buffers, and counters that the calling thread reads as it goes."""

    def __init__(self, work: _Work, first: int, stop: int) -> None:
        self._work = work
        self.first = first
        self.stop = stop
        self.done = 0
        self.tally = Tally()
        self.cursor = np.zeros(loop.CURSOR, np.int64)
        self.cursor[loop.C_NEXT] = first

    def play(self) -> PartSummary | None:
        """Play the part and write it. Raises `BotError`, `RunError`, or `_Stopped`."""
        work = self._work
        player = Player(work.bots)
        state = new_state(work.rules)
        arguments = work.arguments.copy()
        arguments[loop.A_END] = self.stop
        arguments[loop.A_LOG_PLAYS] = work.log == "plays"
        rows = [
            np.zeros((_PLAY_ROWS if work.log == "plays" else 0, loop.PLAY_WIDTH), np.int64),
            np.zeros((_DEAL_ROWS, loop.DEAL_WIDTH), np.int64),
            np.zeros((2 * _DEAL_ROWS, loop.TRIBUTE_WIDTH), np.int64),
            np.zeros((_DEAL_ROWS, loop.MATCH_WIDTH), np.int64),
        ]
        part = None
        if work.folder is not None:
            from .parts import PartWriter

            part = PartWriter(work.folder, self.first, self.stop, work.kind, work.log)
        with part or nullcontext():
            while self.cursor[loop.C_NEXT] < self.stop:
                if work.stopped.is_set():
                    raise _Stopped
                self.cursor[: loop.C_NEXT] = 0
                self.done += player.run_sets(state, arguments, self.cursor, rows)
                self._write(part, rows)
        return part.summary if part else None

    def _write(self, part: PartWriter | None, rows: list[np.ndarray]) -> None:
        plays, deals, tributes, matches = (
            table[: self.cursor[count]]
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
        """Make the loop return after the deal that it is in."""
        self.cursor[loop.C_STOP] = 1


@dataclass
class _Work:
    """What all workers share, read only but for ``stopped``."""

    kind: str
    log: str
    bots: Sequence[Bot]
    rules: Rules
    arguments: np.ndarray
    folder: Folder | None
    stopped: threading.Event


def ready(bots: BotName | Sequence[BotName] = "random") -> bool:
    """Whether the loop and these bots have been compiled on this machine before, by this very
    source.
    """
    return DISABLED or all(_mark(name).exists() for name in _names(bots))


def warmup(bots: BotName | Sequence[BotName] = ("random", "greedy")) -> None:
    """Compile the loop and these bots (one name, two or four), or read them from the cache."""
    collecting = gc.isenabled()
    gc.disable()  # Numba makes so many objects that collecting takes a quarter of the time
    try:
        Player(bots_by_seat(bots)).load()
        load_columns()
    finally:
        if collecting:
            gc.enable()
    if not DISABLED:
        for name in _names(bots):
            _mark(name).touch()


def _names(bots: BotName | Sequence[BotName]) -> list[str]:
    """What has to be compiled, but for users' bots: the loop for bots of our own or that for any,
    and then each bot by itself.
    """
    by_seat = bots_by_seat(bots)
    if all(bot.built_in for bot in by_seat):
        return ["loop"]
    return ["loop_of_functions", *sorted({bot.name for bot in by_seat if bot.built_in})]


def _mark(name: str) -> Path:
    return cache_dir() / f"{name}.compiled"


def simulate(
    *,
    deals: int | None = None,
    matches: int | None = None,
    bots: BotName | Sequence[BotName] = "random",
    rules: RulesName = "guide",
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    log: str = "plays",
    workers: int | None = None,
    resume: bool = False,
    level: str | None = None,
    previous_order: str | Sequence[int] | None = None,
    progress: Callable[[Progress], None] | None = None,
    command: str = "",
) -> Run | Result:
    """Play ``deals`` independent deals, or ``matches`` whole matches, and write them as a run.

    ``bots``: one for all seats, two for the teams, four by seat. ``out``: the folder of the run,
    which must not hold anything yet; without one, or with ``log`` "none", nothing is written and
    only the summary is returned. ``log``: "plays" (all), "deals" (all but the plays), "none".
    ``workers``: threads, by default one a core; the result does not depend on them. ``resume``:
    keep the finished parts of the run in ``out``. For independent deals ``level`` is theirs
    (default: drawn) and ``previous_order``, such as "0213" or "random", makes tribute due.
    ``progress`` is called from the calling thread a few times a second.

    Returns the `Run` written, or a `Result`. Raises `OptionError`, `RulesError`, `BotError` (what
    was written before stays), `RunError`.

    >>> simulate(deals=10, bots="greedy", seed=1).summary["deals"]
    10
    """
    kind, count = _kind_and_count(deals, matches)
    if log not in LOGS:
        raise OptionError(f"log is {log!r}; it is one of {', '.join(LOGS)}")
    _check_workers(workers)
    if kind == "matches" and (level is not None or previous_order is not None):
        raise OptionError("level and previous_order are for independent deals; a match has its own")
    by_seat = bots_by_seat(bots)
    rule_set = resolve_rules(rules)
    settings = {
        "kind": kind,
        "count": count,
        "part_sets": part_sets(kind, count),
        "log": log,
        "seed": check_seed(seed),
        "rules": rule_set.switches(),
        "rules_version": RULES_VERSION,
        "engine_version": __version__,
        "bots": [
            {"name": bot.name, "version": bot.version, "source": bot.source} for bot in by_seat
        ],
        "level": None if level is None else rule_set.level_within(level),
        "previous_order": order_word(previous_order),
    }
    arguments = deal_arguments(settings)
    writing = out is not None and log != "none"
    warmup(by_seat)
    began = time.monotonic()
    opened: Any = nullcontext()
    if writing and out is not None:
        from .runs import create_run, open_run

        opened = create_run(out, settings, resume, command=command)
    with opened as writer:
        work = _Work(
            kind,
            log if writing else "none",
            by_seat,
            rule_set,
            arguments,
            writer.folder if writer else None,
            threading.Event(),
        )
        parts = writer.missing if writer else list(_parts(count, part_sets(kind, count)))
        todo = [_Worker(work, first, stop) for first, stop in parts]
        summaries = _play(work, todo, workers, count, progress, began)
        played = Tally()
        for worker in todo:
            played.merge(worker.tally)
        total = Tally()
        total.merge(played)
        if writer is None:
            return Result(total.summary(kind, played, time.monotonic() - began))
        if writer.finished:
            return open_run(writer.folder)
        if writer.kept:
            total.merge(_tally_of_parts(writer.folder, writer.kept))
        writer.finish(summaries, total.summary(kind, played, time.monotonic() - began))
        return open_run(writer.folder)


def _play(
    work: _Work,
    todo: list[_Worker],
    workers: int | None,
    count: int,
    progress: Callable[[Progress], None] | None,
    began: float,
) -> list[PartSummary]:
    """Play all parts over threads, showing progress from this one."""
    results: list[PartSummary] = []
    failures: list[BaseException] = []
    finished = threading.Event()
    before = count - sum(worker.stop - worker.first for worker in todo)

    def run_all() -> None:
        try:
            results.extend(part for part in _parts_played(todo, workers) if part is not None)
        except BaseException as error:
            failures.append(error)
            work.stopped.set()
        finally:
            finished.set()

    def report() -> None:
        if progress is not None:
            progress(
                Progress(
                    before + sum(worker.done for worker in todo),
                    count,
                    sum(worker.tally.deals for worker in todo),
                    sum(worker.tally.plays for worker in todo),
                    time.monotonic() - began,
                )
            )

    # Not by joining the thread: a join that Ctrl-C breaks off takes the thread for ended.
    threading.Thread(target=run_all, name="guandan_sim", daemon=True).start()
    try:
        while not finished.wait(0.2):
            report()
        report()
    except BaseException:
        work.stopped.set()
        for worker in todo:
            worker.interrupt()
        finished.wait()
        raise
    if failures:
        raise failures[0]
    return results


def _parts_played(todo: Sequence[_Worker], workers: int | None) -> list[PartSummary | None]:
    """Have all parts played, each in a thread; ``workers`` threads at a time, or one a core."""
    if len(todo) == 1:
        return [todo[0].play()]
    import joblib

    threads = workers or int(joblib.cpu_count())
    pool = joblib.Parallel(threads, backend="threading", pre_dispatch=threads)
    return list(pool(joblib.delayed(worker.play)() for worker in todo))


def _tally_of_parts(folder: Folder, kept: Sequence[PartSummary]) -> Tally:
    """Counts over the parts that a resumed run had already."""
    from .runs import open_run

    tally = Tally()
    run = open_run(folder)
    whole = "matches" in run.tables
    run.parts = [(part.first, part.stop) for part in kept]
    for columns in run.arrays("deals", DEAL_COLUMNS):
        tally.add(columns, 0, None)
    if whole:
        for columns in run.arrays("matches", MATCH_COLUMNS):
            tally.add_matches(columns)
    tally.transfers = sum(part.tables["tributes"].rows for part in kept)
    return tally


def _kind_and_count(deals: int | None, matches: int | None) -> tuple[str, int]:
    if (deals is None) == (matches is None):
        raise OptionError("give either a number of deals or a number of matches")
    kind, count = ("deals", deals) if deals is not None else ("matches", matches)
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count < 2**48:
        raise OptionError(f"{kind} is {count!r}; a whole number of at least 1 is needed")
    return kind, int(count)


def _check_workers(workers: int | None) -> None:
    if workers is None:
        return
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise OptionError(f"workers is {workers!r}; a whole number of at least 1 is needed")


def _parts(count: int, sets: int) -> Iterator[tuple[int, int]]:
    for first in range(0, count, sets):
        yield first, min(first + sets, count)
