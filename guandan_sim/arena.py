"""Bots against each other on the very same deals: who is better, and by how much.

Every two of them meet on every set from both sides of the table, each meeting an arm of one run.
What is made of how the deals ended is the work of `paired`, `matchpairs`, `ratings` and `sprt`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .arms import Arm, arm_settings, bot_settings, line_ups, participants
from .backends import chosen_backend
from .bots import BotName
from .errors import OptionError, RunError
from .finishes import partner_places
from .intervals import corrected
from .matchpairs import NO_WINNER, compare_matches
from .meetings import ArenaResult, Meeting, deals_in_matches
from .outcomes import Outcomes, outcomes_of_part
from .paired import compare
from .ratings import rate
from .rulefiles import RulesName
from .sessions import Progress, Where, play_run
from .settings import deal_arguments, part_sets
from .simulate import checked_settings
from .sprt import Sprt, SprtState, score_counts

if TYPE_CHECKING:
    from .runs import Run

__all__ = ["arena", "arena_report", "stopped_as_tested"]

Ints = NDArray[np.int64]

_CONFIDENCE = 0.95

SETS_BETWEEN_LOOKS = 1_024
"""A sequential test looks after every so many sets: the parts of its run."""


def arena(
    *bots: BotName | Sequence[BotName],
    sets: int | None = None,
    matches: int | None = None,
    rules: RulesName = "guide",
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    log: str = "deals",
    backend: str | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    resume: bool = False,
    level: str | None = None,
    previous_order: str | Sequence[int] | None = "random",
    rotate: bool = False,
    sprt: tuple[float, float] | None = None,
    progress: Callable[[Progress], None] | None = None,
    command: str = "",
) -> ArenaResult:
    """Play ``bots`` against each other on duplicate deals, and say who is better.

    Each of ``bots`` is a team: a bot, or two as text ``"x+y"`` or as a pair. ``sets``: so many
    deals, each played by every two teams twice, the second time with the teams swapped: same deck,
    level, lead and tribute due. ``matches``: whole matches instead, whose decks are the same deal
    by deal for as long as they last. ``rotate``: for mixed teams, four times, partners changed
    about (see `arms.line_ups`). Deals have tribute due unless ``previous_order`` is None.

    ``sprt``: two Elo differences of the first bot over the second. The test looks after every 1,024
    sets and ends the arena once it knows which is true, with 5% for either error; ``sets`` are the
    most that are played.

    With ``out`` it is a run like any other, with ``log`` as there, each meeting an arm of it;
    without, only what the result needs is kept, in memory. Other arguments, and what is raised, are
    those of `simulate`. The result depends on bots, sets, rules and seed alone.

    >>> result = arena("greedy", "random", sets=50, seed=1)
    >>> result.sets, result.mean_gain > 2, result.win_rate > 0.9
    (50, True, True)
    """
    teams = participants(bots)
    arms = line_ups(teams, rotate)
    settings, rule_set = checked_settings(
        deals=sets,
        matches=matches,
        rules=rules,
        seed=seed,
        log=log,
        level=level,
        previous_order=None
        if matches is not None and isinstance(previous_order, str) and previous_order == "random"
        else previous_order,
        counted="sets",
    )
    test = _checked_test(sprt, len(teams))
    where = Where(
        out,
        resume,
        chosen_backend(backend, scheduler, workers),
        workers,
        scheduler,
        progress,
        command,
    )
    everyone = [bot for arm in arms for bot in arm.bots]
    settings |= {
        "part_sets": part_sets(settings["kind"], settings["count"], everyone)
        if test is None
        else SETS_BETWEEN_LOOKS,
        "arms": [{"teams": list(arm.teams), "bots": bot_settings(arm.bots)} for arm in arms],
        "arena": {
            "teams": [team.name for team in teams],
            "sprt": None if test is None else [test.elo0, test.elo1],
        },
    }
    arguments = deal_arguments(settings)
    session = play_run(
        settings,
        [Arm(arm.bots, rule_set, arguments) for arm in arms],
        where,
        outcomes=out is None,
        judge=None if test is None else _Judge(test, _sides(settings)[0]),
    )
    if session.run is not None:
        return arena_report(session.run)
    return _result(settings, session.outcomes, None)


def arena_report(run: Run | str | os.PathLike[str]) -> ArenaResult:
    """What `arena` said of a run that it wrote, from the run on disk: the same.

    Raises RunError for a run that is no arena's, is not finished or cannot be read.
    """
    from .runs import Run, open_run

    found = run if isinstance(run, Run) else open_run(run)
    settings = _arena_settings(found)
    if not found.finished:
        raise RunError(f"{found.folder} is not finished: resume it")
    arms = len(settings["arms"])
    outcomes = Outcomes(arms, found.layout.kind == "matches")
    outcomes.extend(outcomes_of_part(found, arms, *part) for part in found.parts)
    return _result(settings, outcomes, found)


def stopped_as_tested(run: Run) -> str:
    """What is wrong with where a finished run says that it was stopped; empty if nothing is."""
    arena = run.manifest["settings"].get("arena")
    stopped = run.manifest.get("stopped")
    due = None
    if isinstance(arena, dict) and arena.get("sprt") is not None:
        settings = _arena_settings(run)
        judge = _Judge(Sprt(*settings["arena"]["sprt"]), _sides(settings)[0])
        for first, stop in run.parts:
            reason = judge.take(outcomes_of_part(run, len(settings["arms"]), first, stop))
            if reason and stop < settings["count"]:
                due = {"sets": stop, "reason": reason}
            if reason:
                break
    if stopped == due:
        return ""
    return f"the manifest says of its end {stopped!r}; by the test of its deals it is {due!r}"


def _checked_test(sprt: object, teams: int) -> Sprt | None:
    if sprt is None:
        return None
    if not isinstance(sprt, tuple | list) or len(sprt) != 2:
        raise OptionError(f"sprt is {sprt!r}; two Elo differences are needed, such as (0, 10)")
    if teams != 2:
        raise OptionError(f"sprt is a test between two, but {teams} take part")
    return Sprt(*sprt)


def _arena_settings(run: Run) -> Mapping[str, Any]:
    """The settings of an arena's run, checked as far as they are used here. Raises RunError."""
    settings: Mapping[str, Any] = run.manifest["settings"]
    arena = settings.get("arena")
    if arena is None:
        raise RunError(f"{run.folder} is no arena's run")
    try:
        names, test = arena["teams"], arena["sprt"]
        if test is not None:
            Sprt(*test)
        arms = [arm["teams"] for arm in arm_settings(settings)]
        if not all(isinstance(arm["bots"], list) for arm in arm_settings(settings)):
            raise TypeError("bots of an arm are no list")
        every = set(combinations(range(len(names)), 2))
        if (
            not (isinstance(names, list) and all(isinstance(name, str) for name in names))
            or not all(type(side) is int for arm in arms for side in arm)
            or not {(min(a, b), max(a, b)) for a, b in arms} == every != set()
            or (test is not None and len(names) != 2)
        ):
            raise TypeError(f"the teams are {names!r}, those of the arms {arms!r}")
    except (LookupError, TypeError, ValueError) as error:
        raise RunError(
            f"{run.folder}: the manifest's settings of the arena cannot be read: {error}"
        ) from error
    return settings


class _Side:
    """The arms in which team ``first`` meets team ``second``; in some it sits at seats 1 and 3.
    ``same``: both have the same bots.
    """

    def __init__(self, first: int, second: int, arms: Sequence[Mapping[str, Any]]) -> None:
        self.first, self.second = first, second
        self._count = len(arms)
        teams = [arm["teams"] for arm in arms]
        self._mine = np.array([set(arm) == {first, second} for arm in teams])
        self._odd = np.array([arm[1] == first for arm in teams])
        bots = [repr(bot) for bot in arms[int(np.argmax(self._mine))]["bots"]]
        self.same = sorted(bots[::2]) == sorted(bots[1::2])

    def deals(self, outcomes: Outcomes) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """Of each of its deals: set, arm, whether ``first`` won, the place of the winner's partner
        (1, 2 or 3), and the levels that ``first`` gained.
        """
        playings = outcomes.playings
        arms = playings % self._count
        mine = self._mine[arms]
        arms, orders = arms[mine], outcomes.orders[mine]
        won = (orders >> 6 & 1) == self._odd[arms]
        gains = outcomes.gains[mine].astype(np.int64)
        places = _PARTNER[orders].astype(np.int64)
        return (
            playings[mine] // self._count,
            arms,
            won.astype(np.int64),
            places,
            np.where(won, gains, -gains),
        )

    def matches(self, outcomes: Outcomes) -> tuple[Ints, Ints, Ints, Ints]:
        """Of each of its matches: set, arm, whether ``first`` won (`NO_WINNER` none), deals."""
        playings = np.arange(len(outcomes.winners))
        arms = playings % self._count
        mine = self._mine[arms]
        arms, winners = arms[mine], outcomes.winners[mine]
        won = np.where(winners > 1, NO_WINNER, winners == self._odd[arms])
        return playings[mine] // self._count, arms, won, outcomes.lengths[mine].astype(np.int64)


# uint8[256]: the place, 1 to 3, of the winner's partner, by packed finishing order.
_PARTNER = (1 + partner_places(np.arange(256)[:, None] >> np.array([6, 4, 2, 0]) & 3)).astype(
    np.uint8
)


def _sides(settings: Mapping[str, Any]) -> list[_Side]:
    arms = arm_settings(settings)
    teams = range(len(settings["arena"]["teams"]))
    return [_Side(a, b, arms) for a, b in combinations(teams, 2)]


class _Judge:
    """A sequential test of the sets of some parts, one after the other."""

    def __init__(self, test: Sprt, side: _Side) -> None:
        self._test = test
        self._side = side

    def take(self, outcomes: Outcomes) -> str:
        """Count a part; why the arena ends with it, if it does."""
        state = self._test.update(_counts(self._side, outcomes))
        return "" if state.verdict == "continue" else str(state)


def _counts(side: _Side, outcomes: Outcomes) -> Ints:
    """Sets by score: in deals, or in halves of matches, of which one without a winner has one."""
    if not outcomes.matches:
        sets, _, won, *_ = side.deals(outcomes)
        return score_counts(sets, won)
    sets, _, won, _ = side.matches(outcomes)
    halves = np.stack([won != 0, won == 1], axis=1)
    return score_counts(np.repeat(sets, 2), halves.ravel().astype(np.int64))


def _result(settings: Mapping[str, Any], outcomes: Outcomes, run: Run | None) -> ArenaResult:
    names = tuple(settings["arena"]["teams"])
    sides = _sides(settings)
    each = corrected(_CONFIDENCE, len(sides))
    meetings = []
    rows = []
    for side in sides:
        deals = side.deals(outcomes)
        of_matches = None
        if outcomes.matches:
            sets, arms, won, lengths = side.matches(outcomes)
            of_matches = compare_matches(sets, arms, won, each, same=side.same, deals=lengths)
            of_deals = deals_in_matches(*deals, each, of_matches.exactly_level)
            scores = np.where(won == NO_WINNER, 0.5, won)
        else:
            of_deals = compare(*deals, each, same=side.same)
            sets, scores = deals[0], deals[2]
        meetings.append(Meeting(names[side.first], names[side.second], of_deals, of_matches))
        numbers, index = np.unique(sets, return_inverse=True)
        rows.append((numbers, side, np.bincount(index, weights=scores) / np.bincount(index)))
    ratings = None
    if len(names) > 2:
        ratings = rate(
            names,
            np.concatenate([numbers for numbers, _, _ in rows]),
            np.concatenate([np.full(len(numbers), side.first) for numbers, side, _ in rows]),
            np.concatenate([np.full(len(numbers), side.second) for numbers, side, _ in rows]),
            np.concatenate([scores for _, _, scores in rows]),
            confidence=_CONFIDENCE,
        )
    test = settings["arena"]["sprt"]
    return ArenaResult(
        teams=names,
        kind=settings["kind"],
        sets=outcomes.sets,
        arms=len(settings["arms"]),
        meetings=tuple(meetings),
        ratings=ratings,
        test=None if test is None else _tested(settings, outcomes, sides[0]),
        run=run,
    )


def _tested(settings: Mapping[str, Any], outcomes: Outcomes, side: _Side) -> SprtState:
    """The test's end, looking as often as when the arena was played."""
    test = Sprt(*settings["arena"]["sprt"])
    for some in outcomes.in_pieces(settings["part_sets"]):
        test.update(_counts(side, some))
    return test.state
