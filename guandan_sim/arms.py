"""Arms of a run: what is played on the very same sets of deals, side by side.

All arms share seed, set and deal numbers, and so deck, level, lead and tribute duties. What an arm
has of its own stands in its record in the run's settings; everything else there is of all arms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from .bots import Bot, BotName, bot
from .errors import OptionError, RunError
from .rules import Rules

__all__ = [
    "ARM_SETTINGS",
    "MOST_ARMS",
    "Arm",
    "LineUp",
    "Participant",
    "arm_settings",
    "bot_settings",
    "line_ups",
    "participants",
]

MOST_ARMS = 256
"""The column ``arm`` has a byte."""

ARM_SETTINGS = ("name", "bots", "rules", "level", "previous_order", "teams")
"""What an arm may have of its own. ``teams``: the participants, by number, that are its teams."""


@dataclass(frozen=True, eq=False)
class Arm:
    """What an arm is played with: bots by seat, rules, and the arguments of the loop as
    `settings.deal_arguments` gives them.
    """

    bots: Sequence[Bot]
    rules: Rules
    arguments: np.ndarray


def bot_settings(bots: Sequence[Bot]) -> list[dict[str, Any]]:
    """Bots by seat as a run's settings name them."""
    return [{"name": each.name, "version": each.version, "source": each.source} for each in bots]


def arm_settings(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The settings of each arm: the run's, with the arm's own in their place. A run whose settings
    name no arms has one.

    Raises `RunError` for arms that cannot be.

    >>> [arm["level"] for arm in arm_settings({"level": "2", "arms": [{}, {"level": "7"}]})]
    ['2', '7']
    """
    arms = settings.get("arms", [{}])
    if not isinstance(arms, list) or not 1 <= len(arms) <= MOST_ARMS:
        raise RunError(f"arms must be a list of 1 to {MOST_ARMS} objects")
    for number, arm in enumerate(arms):
        if not isinstance(arm, dict):
            raise RunError(f"arm {number} is {arm!r}: must be an object")
        for name in arm:
            if name not in ARM_SETTINGS:
                raise RunError(
                    f"arm {number} has a {name!r} of its own: only {', '.join(ARM_SETTINGS)}"
                )
    shared = {name: value for name, value in settings.items() if name != "arms"}
    return [shared | arm for arm in arms]


@dataclass(frozen=True, eq=False)
class Participant:
    """Who plays in an arena: a bot with itself as its partner, or a pair, written ``x+y``."""

    name: str
    bots: tuple[Bot, Bot]

    @property
    def mixed(self) -> bool:
        """Whether the partners differ."""
        return self.bots[0] is not self.bots[1]


@dataclass(frozen=True, eq=False)
class LineUp:
    """An arm of an arena: ``teams`` are the participants, by number, at seats 0 and 2 and at 1 and
    3; ``bots`` are by seat.
    """

    teams: tuple[int, int]
    bots: tuple[Bot, Bot, Bot, Bot]


def participants(names: Sequence[BotName | Sequence[BotName]]) -> list[Participant]:
    """Those who take part, each a bot, or a pair as text ``"x+y"`` or as two bots.

    Raises `BotError` for a bot that is not there, and `OptionError` for fewer than two or too many,
    for pairs that are none, and for names that do not tell who is meant.

    >>> [each.name for each in participants(["greedy", "greedy+random"])]
    ['greedy', 'greedy+random']
    """
    known: dict[str, Bot] = {}
    found = [_participant(name, known) for name in names]
    number = len(found)
    if number < 2 or number * (number - 1) > MOST_ARMS:
        raise OptionError(f"an arena of {number}: two bots are needed, and at most 16 may play")
    for at, each in enumerate(found[1:], 1):
        if number > 2 and any(each.name == other.name for other in found[:at]):
            raise OptionError(f"{each.name} is named twice; only two may be the same")
    return found


def _participant(name: object, known: dict[str, Bot]) -> Participant:
    parts: list[Any] = [name]
    if isinstance(name, str):
        parts = [part.strip() for part in name.split("+")]
    elif isinstance(name, list | tuple):
        parts = list(name)
    if len(parts) not in (1, 2):
        raise OptionError(f"{name!r} is no team: name a bot, or two as x+y")
    pair = []
    for part in parts:
        found = bot(part)
        # One object a bot, so that it is compiled once.
        same = known.setdefault(found.name, found)
        if same is not found and same != found:
            raise OptionError(
                f"two bots are called {found.name}; give one another name: Bot(name, play)"
            )
        pair.append(same)
    named = "+".join(dict.fromkeys(each.name for each in pair))
    return Participant(named, (pair[0], pair[-1]))


def line_ups(teams: Sequence[Participant], rotate: bool = False) -> list[LineUp]:
    """The arms of an arena: every two teams meet, on every set from both sides of the table.

    With x and y against u and v, seats 0 to 3 are x u y v, then u x v y; so x plays before u once
    and before v once. With ``rotate`` two more have the partners of both teams changed about, y v x
    u and v y u x: everyone then plays every hand once, and each pair of neighbours comes as often.
    Where both teams are one bot twice these would be the same games again, and are left out.

    Raises `OptionError` if ``rotate`` changes nothing.

    >>> teams = participants(["greedy", "greedy+random"])
    >>> for arm in line_ups(teams, rotate=True):
    ...     print(arm.teams, *(bot.name for bot in arm.bots))
    (0, 1) greedy greedy greedy random
    (1, 0) greedy greedy random greedy
    (0, 1) greedy random greedy greedy
    (1, 0) random greedy greedy greedy
    """
    arms = []
    for a, b in combinations(range(len(teams)), 2):
        (x, y), (u, v) = teams[a].bots, teams[b].bots
        arms += [LineUp((a, b), (x, u, y, v)), LineUp((b, a), (u, x, v, y))]
        if rotate and (teams[a].mixed or teams[b].mixed):
            arms += [LineUp((a, b), (y, v, x, u)), LineUp((b, a), (v, y, u, x))]
    if rotate and not any(team.mixed for team in teams):
        raise OptionError(
            "rotate: every team is one bot twice, whose partners change about to the same games; "
            "leave it out, or name a pair as x+y"
        )
    if len(arms) > MOST_ARMS:
        raise OptionError(f"rotate makes {len(arms)} arms; at most {MOST_ARMS} may be")
    return arms
