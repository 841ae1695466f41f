"""Many deals or matches, over workers, into a run on disk: the same whatever these are."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ._version import __version__
from .arms import Arm, bot_settings
from .backends import chosen_backend
from .bots import BotName, bots_by_seat
from .checks import check_seed
from .errors import OptionError
from .rulefiles import RulesName, resolve_rules
from .rules import RULES_VERSION, Rules
from .sessions import Progress, Where, play_run
from .settings import deal_arguments, order_word, part_sets
from .warming import ready, warmup

if TYPE_CHECKING:
    from .runs import Run

__all__ = ["Progress", "Result", "checked_settings", "ready", "simulate", "warmup"]

LOGS = ("plays", "deals", "none")


@dataclass(frozen=True)
class Result:
    """What `simulate` gives when nothing is written: ``summary`` as in a run's manifest."""

    summary: dict[str, Any]


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
    which must not hold anything yet; without one nothing is written and only the summary is
    returned. ``log``: "plays" (all), "deals" (all but the plays), "none" (without ``out``).
    ``backend``: "threads", "loky" (processes) or "dask"; ``workers``: how many, by default one a
    core. ``scheduler``: the address of a Dask scheduler, whose workers must see ``out``. The
    result does not depend on these. ``resume``: keep the finished parts of the run in ``out``, if
    there is one.
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
    settings, rule_set = checked_settings(
        deals=deals,
        matches=matches,
        rules=rules,
        seed=seed,
        log=log,
        level=level,
        previous_order=previous_order,
    )
    backend = chosen_backend(backend, scheduler, workers)
    by_seat = bots_by_seat(bots)
    settings["part_sets"] = part_sets(settings["kind"], settings["count"], by_seat)
    settings["bots"] = bot_settings(by_seat)
    arm = Arm(by_seat, rule_set, deal_arguments(settings))
    where = Where(out, resume, backend, workers, scheduler, progress, command)
    session = play_run(settings, [arm], where)
    return Result(session.summary) if session.run is None else session.run


def checked_settings(
    *,
    deals: int | None,
    matches: int | None,
    rules: RulesName,
    seed: int,
    log: str,
    level: str | None,
    previous_order: str | Sequence[int] | None,
    counted: str = "deals",
) -> tuple[dict[str, Any], Rules]:
    """The settings of a run but for its bots and parts, and its rules; arguments as of `simulate`,
    ``counted`` is what ``deals`` are called there. Raises `OptionError`, `RulesError`.
    """
    kind, count = _kind_and_count(deals, matches, counted)
    if log not in LOGS:
        raise OptionError(f"log is {log!r}; it is one of {', '.join(LOGS)}")
    if kind == "matches" and (level is not None or previous_order is not None):
        raise OptionError("level and previous_order are for independent deals; a match has its own")
    rule_set = resolve_rules(rules)
    settings = {
        "kind": kind,
        "count": count,
        "log": log,
        "seed": check_seed(seed),
        "rules": rule_set.switches(),
        "rules_version": RULES_VERSION,
        "engine_version": __version__,
        "level": None if level is None else rule_set.level_within(level),
        "previous_order": order_word(previous_order),
    }
    return settings, rule_set


def _kind_and_count(deals: int | None, matches: int | None, counted: str) -> tuple[str, int]:
    if (deals is None) == (matches is None):
        raise OptionError(f"give either a number of {counted} or a number of matches")
    kind, count = ("deals", deals) if deals is not None else ("matches", matches)
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count < 2**48:
        named = "matches" if deals is None else counted
        raise OptionError(f"{named} is {count!r}; a whole number of at least 1 is needed")
    return kind, int(count)
