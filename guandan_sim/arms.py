"""Arms of a run: what is played on the very same sets of deals, side by side.

All arms share seed, set and deal numbers, and so deck, level, lead and tribute duties. What an arm
has of its own stands in its record in the run's settings; everything else there is of all arms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .bots import Bot
from .errors import RunError
from .rules import Rules

__all__ = ["ARM_SETTINGS", "MOST_ARMS", "Arm", "arm_settings", "bot_settings"]

MOST_ARMS = 256
"""The column ``arm`` has a byte."""

ARM_SETTINGS = ("bots", "rules", "level", "previous_order", "teams")
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
    return [{"name": bot.name, "version": bot.version, "source": bot.source} for bot in bots]


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
