"""What is measured of this engine: the figures of ``guandan-sim bench``, group by group.

Nothing is compiled, and no file is read or written, while a clock runs, but where a figure says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass

import joblib
import numpy as np

from ..cpu import VECTORS
from ..jit import kernel
from ..rules import Rules
from .own_bot import OWN
from .positions import list_all, met, move_counts
from .remote import own_player
from .starting import start_times
from .timing import Figure, alternate, ratios, seconds_of, together
from .workloads import Game, Workload
from .writing import written

__all__ = ["QUICK", "THOROUGH", "Plan", "measured", "spin"]

Say = Callable[[str], None]
Figures = Mapping[str, Figure]

ONE_THREAD = "one thread, rules guide"
PRESETS = "rule systems, with tribute due"
LISTING = "legal moves listed into a buffer"
THREADS = "two threads for one"
START = "starting: simulate --deals 1k"
OWN_BOT = "a user's bot, as random"
# Deals a second.
TARGETS = {"planner": 5_000.0}


@dataclass(frozen=True)
class Plan:
    """How much is measured: ``rounds`` of about ``deals`` deals of every kind. What starts threads
    or writes files is measured in fewer and longer rounds.
    """

    rounds: int
    deals: int


THOROUGH = Plan(rounds=101, deals=2_000)
QUICK = Plan(rounds=11, deals=1_000)


def measured(plan: Plan, *, start: bool, say: Say) -> Iterator[tuple[str, Figure]]:
    """Each figure with its key, as it is ready; ``say`` is told what comes next.

    Without ``start``, cold and warm start are left out: the cold one compiles everything anew.
    """
    say(f"{plan.rounds} rounds of deals of each bot, matches, logs, a bot of one's own")
    yield from _speeds(plan).items()
    say(f"{plan.rounds} rounds of the {len(Rules.presets())} rule systems")
    yield from _presets(plan).items()
    say(f"{plan.rounds} rounds of listing moves")
    yield from _listing(plan).items()
    say("writing")
    yield from written(256 * plan.deals, max(plan.rounds // 30, 1)).items()
    if joblib.cpu_count() > 1:
        say(f"{plan.rounds // 2} rounds of two threads")
        yield from _threads(plan).items()
    if start:
        say("cold and warm start")
        yield from _starts().items()


def _speeds(plan: Plan) -> Figures:
    deals = plan.deals
    games = {
        "random": Game(Workload("random", deals)),
        "greedy": Game(Workload("greedy", deals)),
        # A match has about 13 deals of random bots, 11 of greedy ones.
        "random_matches": Game(Workload("random", deals // 13, matches=True)),
        "greedy_matches": Game(Workload("greedy", deals // 11, matches=True)),
        "random_logged": Game(Workload("random", deals, log=True)),
        "greedy_logged": Game(Workload("greedy", deals, log=True)),
        "own": Game(Workload(OWN, deals // 2)),
        "planner": Game(Workload("planner", max(deals // 50, 1))),
    }
    tasks: dict[str, Callable[[], float]] = {name: game.play for name, game in games.items()}
    counts = {name: game.counts for name, game in games.items()}
    counts["portable"] = counts["random"]
    with ExitStack() as stack:
        if VECTORS:
            portable = stack.enter_context(own_player("random", vectors=False))
            tasks["portable"] = lambda: portable.play(deals).seconds
        times = alternate(tasks, plan.rounds)
    speed = {name: _rates(counts[name].deals, times[name]) for name in times}

    figures: dict[str, Figure] = {}
    for name, label in (
        ("random", "random bots"),
        ("portable", "random bots, portable code"),
        ("greedy", "greedy bots"),
        ("own", OWN_BOT),
        ("planner", "planner bots"),
    ):
        if name in times:
            decisions = counts[name].decisions
            nanoseconds = tuple(1e9 * seconds / decisions for seconds in times[name])
            figures |= {
                f"{name}_deals": Figure(
                    ONE_THREAD, label, "deals/s", speed[name], target=TARGETS.get(name)
                ),
                f"{name}_decisions": Figure(
                    ONE_THREAD, label, "decisions/s", _rates(decisions, times[name])
                ),
                f"{name}_ns": Figure(ONE_THREAD, label, "ns a decision", nanoseconds, False),
            }
    figures["own_ratio"] = Figure(
        ONE_THREAD, OWN_BOT, "of random", ratios(speed["own"], speed["random"])
    )
    for bot in ("random", "greedy"):
        name = f"{bot}_matches"
        label = f"whole matches, {bot} bots"
        figures |= {
            f"{name}_deals": Figure(ONE_THREAD, label, "deals/s", speed[name]),
            f"{name}_ratio": Figure(
                ONE_THREAD, label, "of deals only", ratios(speed[name], speed[bot]), target=0.85
            ),
        }
    for bot in ("random", "greedy"):
        name = f"{bot}_logged"
        figures[f"{name}_ratio"] = Figure(
            ONE_THREAD,
            f"plays logged in memory, {bot}",
            "of no log",
            ratios(speed[name], speed[bot]),
            target=0.9,
        )
    return figures


def _rates(count: float, seconds: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(count / each for each in seconds)


def _presets(plan: Plan) -> Figures:
    """The rule systems in turn, with tribute due: without it most would play the same games."""
    games = {
        name: Game(Workload("random", plan.deals, tribute=True, rules=name))
        for name in Rules.presets()
    }
    decisions = {name: game.counts.decisions for name, game in games.items()}
    times = alternate({name: game.play for name, game in games.items()}, plan.rounds)
    cost = {
        name: tuple(1e9 * seconds / decisions[name] for seconds in times[name]) for name in games
    }
    figures = {}
    for name in games:
        figures[f"{name}_rules_ns"] = Figure(PRESETS, name, "ns a decision", cost[name], False)
        if name != "guide":
            figures[f"{name}_rules_ratio"] = Figure(
                PRESETS, name, "of guide", ratios(cost[name], cost["guide"]), False, 1.1
            )
    return figures


def _listing(plan: Plan) -> Figures:
    """All moves at every choice of some random deals, each list written over the last in a buffer
    that fits the longest.
    """
    positions = met(plan.deals // 10)
    counts = move_counts(positions)
    out = np.zeros((int(counts.max()), 4), np.int64)
    repeats = 2
    moves, listings = int(counts.sum()) * repeats, len(positions) * repeats
    task = {"": lambda: seconds_of(lambda: list_all(positions, out, repeats))}
    seconds = alternate(task, plan.rounds)[""]
    label = f"{len(positions):,} choices, {counts.mean():.1f} moves each"
    return {
        "listing_moves": Figure(LISTING, label, "moves/s", _rates(moves, seconds), target=5e7),
        "listing_move_ns": Figure(
            LISTING, label, "ns a move", tuple(1e9 * each / moves for each in seconds), False
        ),
        "listing_ns": Figure(
            LISTING, label, "ns a list", tuple(1e9 * each / listings for each in seconds), False
        ),
    }


@kernel
def spin(steps: int) -> int:
    """Compute in registers alone: what two threads gain here is all that the machine gives."""
    word = 1
    for _ in range(steps):
        word ^= word << 13
        word ^= word >> 7
        word ^= word << 17
    return word


def _threads(plan: Plan) -> Figures:
    """The same work in one thread, and twice over in two, by turns with a loop that only spins."""
    games = [Game(Workload("random", 5 * plan.deals)) for _ in range(2)]
    spins = [lambda: spin(17_500 * plan.deals)] * 2
    times = alternate(
        {
            "one": lambda: together([games[0].play]),
            "two": lambda: together([game.play for game in games]),
            "spin_one": lambda: together(spins[:1]),
            "spin_two": lambda: together(spins),
        },
        plan.rounds // 2,
    )
    gain = tuple(2 * value for value in ratios(times["one"], times["two"]))
    most = tuple(2 * value for value in ratios(times["spin_one"], times["spin_two"]))
    return {
        "threads_gain": Figure(THREADS, "random deals", "times as fast", gain),
        "threads_spin_gain": Figure(THREADS, "a loop that only spins", "times as fast", most),
        "threads_ratio": Figure(
            THREADS, "random deals", "of a spin loop", ratios(gain, most), target=0.95
        ),
    }


def _starts() -> Figures:
    times = start_times()
    return {
        "cold_start": Figure(
            START, "cold: nothing compiled, once", "seconds", times["cold"], False
        ),
        "warm_start": Figure(START, "warm: everything compiled", "seconds", times["warm"], False),
    }
