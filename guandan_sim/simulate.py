"""Many deals or matches, over workers, into a run on disk: the same whatever these are.

Work is cut into the parts of the run. A worker, which is a thread, a process or another machine,
plays a part in the compiled loop and writes it; the calling thread only shows progress and stops
everything on Ctrl-C. What only some need, Arrow and other pools than threads, is imported where it
is used: a short simulation is over sooner than these are imported.
"""

from __future__ import annotations

import gc
import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numba.core import event

from ._version import __version__
from .backends import chosen_backend, open_pool
from .bots import BotName, bots_by_seat
from .checks import check_seed
from .errors import OptionError, RunWarning
from .interrupts import CtrlC, ctrl_c_noted
from .jit import DISABLED, cache_dir
from .logrows import load as load_columns
from .playing import Player
from .pools import Threads, gather
from .rulefiles import RulesName, resolve_rules
from .rules import RULES_VERSION
from .settings import deal_arguments, order_word, part_sets
from .tally import DEAL_COLUMNS, MATCH_COLUMNS, Tally, summary_problems
from .workers import Played, Work

if TYPE_CHECKING:
    from .folders import Folder
    from .hashing import PartSummary
    from .runs import Run

__all__ = ["Progress", "Result", "ready", "simulate", "warmup"]

LOGS = ("plays", "deals", "none")

_SECONDS_BETWEEN_REPORTS = 0.2


@dataclass(frozen=True)
class Progress:
    """How far a simulation is: sets ``done`` of ``total``, deals and plays made since it began, and
    seconds since then; ``bytes`` of the run written, in finished parts, and sets that a resumed run
    had ``kept``.
    """

    done: int
    total: int
    deals: int
    plays: int
    seconds: float
    bytes: int = 0
    kept: int = 0


@dataclass(frozen=True)
class Result:
    """What `simulate` gives when nothing is written: ``summary`` as in a run's manifest."""

    summary: dict[str, Any]


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
        with ctrl_c_noted() as ctrl_c, ctrl_c.told(lambda: None), _between_passes(ctrl_c.check):
            Player(bots_by_seat(bots)).load()
            load_columns()
            ctrl_c.check()
    finally:
        if collecting:
            gc.enable()
    if not DISABLED:
        for name in _names(bots):
            mark = _mark(name)
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()


def _between_passes(check: Callable[[], None]) -> AbstractContextManager[Any]:
    """Within, ``check`` is called whenever Numba begins another pass over a function."""

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:  # noqa: ARG002
            check()

        def on_end(self, event: Any) -> None:
            pass

    listening: AbstractContextManager[Any] = event.install_listener("numba:run_pass", Listener())
    return listening


def _names(bots: BotName | Sequence[BotName]) -> list[str]:
    """What has to be compiled, but for users' bots: the loop for bots of our own, for any compiled
    ones or for Python bots too, and then each bot by itself.
    """
    by_seat = bots_by_seat(bots)
    if all(bot.built_in for bot in by_seat):
        return ["loop"]
    in_python = any(bot.in_python for bot in by_seat)
    loop = "loop_in_python" if in_python else "loop_of_functions"
    return [loop, *sorted({bot.name for bot in by_seat if bot.built_in})]


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
    backend: str | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
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
    ``backend``: "threads", "loky" (processes) or "dask"; ``workers``: how many, by default one a
    core. ``scheduler``: the address of a Dask scheduler, whose workers must see ``out``. The
    result does not depend on these. ``resume``: keep the finished parts of the run in ``out``.
    For independent deals ``level`` is theirs (default: drawn) and ``previous_order``, such as
    "0213" or "random", makes tribute due. ``progress`` is called from the calling thread a few
    times a second.

    Returns the `Run` written, or a `Result`. Raises `OptionError`, `RulesError`; and, while what
    was written before stays, `BotError`, `RunError`, `BackendError` and, after Ctrl-C,
    KeyboardInterrupt. A second Ctrl-C does not wait for the workers. Warns (`RunWarning`) of what
    of a resumed run is not as it was written, and so played or written again.

    >>> simulate(deals=10, bots="greedy", seed=1).summary["deals"]
    10
    """
    kind, count = _kind_and_count(deals, matches)
    if log not in LOGS:
        raise OptionError(f"log is {log!r}; it is one of {', '.join(LOGS)}")
    backend = chosen_backend(backend, scheduler, workers)
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
    with ctrl_c_noted() as ctrl_c:
        warmup(by_seat)
        began = time.monotonic()
        opened: Any = nullcontext()
        if writing and out is not None:
            from .runs import create_run, open_run

            opened = create_run(out, settings, resume, command=command)
        with opened as writer:
            for text in writer.notes if writer else ():
                warnings.warn(text, RunWarning, stacklevel=2)
            work = Work(
                kind,
                log if writing else "none",
                by_seat,
                rule_set,
                arguments,
                _folder(writer.folder, backend) if writer else None,
            )
            parts = writer.missing if writer else list(_parts(count, part_sets(kind, count)))
            session = _Session(count, parts, writer.kept if writer else [], began, progress)
            if parts:
                session.play(backend, work, workers, scheduler, ctrl_c)
            total = Tally()
            total.merge(session.tally)
            if writer is None:
                return Result(total.summary(kind, session.tally, time.monotonic() - began))
            if writer.kept:
                total.merge(_tally_of_parts(writer.folder, writer.kept))
            summary = total.summary(kind, session.tally, time.monotonic() - began)
            if writer.finished:
                run = open_run(writer.folder)
                wrong = summary_problems(run.manifest.get("summary"), summary)
                if not wrong:
                    return run
                for text in wrong:
                    told = f"{run.folder}: {text}; the manifest is written again"
                    warnings.warn(told, RunWarning, stacklevel=2)
            writer.finish(session.summaries, summary)
            return open_run(writer.folder)


class _Session:
    """What is played now: ``tally`` and ``summaries`` of the finished parts, and what is told of
    it.
    """

    def __init__(
        self,
        count: int,
        parts: Sequence[tuple[int, int]],
        kept: Sequence[PartSummary],
        began: float,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.tally = Tally()
        self.summaries: list[PartSummary] = []
        self._count = count
        self._parts = parts
        self._kept = self._done = count - sum(stop - first for first, stop in parts)
        self._size = sum(table.size for part in kept for table in part.tables.values())
        self._began = began
        self._progress = progress
        self._next_report = 0.0

    def play(
        self,
        backend: str,
        work: Work,
        workers: int | None,
        scheduler: str | None,
        ctrl_c: CtrlC,
    ) -> None:
        """Play all parts, and tell of it."""
        pool = open_pool(backend, work, len(self._parts), workers, scheduler)
        # Only threads can be looked at as they play.
        under_way = pool.under_way if isinstance(pool, Threads) else ()

        def took(part: Played | None) -> None:
            if part is not None:
                self._add(part)
            if time.monotonic() >= self._next_report:
                self._report(under_way)
                self._next_report = time.monotonic() + _SECONDS_BETWEEN_REPORTS

        try:
            gather(pool, self._parts, ctrl_c, took)
        finally:
            if work.folder is not None and backend != "threads":
                _discard_unfinished(work)
        self._report()

    def _add(self, part: Played) -> None:
        self.tally.merge(part.tally)
        self._done += part.stop - part.first
        self._size += part.size
        if part.summary is not None:
            self.summaries.append(part.summary)

    def _report(self, under_way: Sequence[Any] = ()) -> None:
        if self._progress is not None:
            self._progress(
                Progress(
                    self._done + sum(player.done for player in under_way),
                    self._count,
                    self.tally.deals + sum(player.tally.deals for player in under_way),
                    self.tally.plays + sum(player.tally.plays for player in under_way),
                    time.monotonic() - self._began,
                    self._size,
                    self._kept,
                )
            )


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


def _parts(count: int, sets: int) -> Iterator[tuple[int, int]]:
    for first in range(0, count, sets):
        yield first, min(first + sets, count)
