"""A run's settings: what decides its contents, as the manifest and as the loop have it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import loop
from .arms import arm_settings
from .bots import Bot
from .cards import parse_level
from .checks import check_seed, pack_order
from .errors import OptionError, RulesError, RunError
from .rules import RULES_VERSION, Rules
from .schemas import BLOCK_SETS

__all__ = ["deal_arguments", "followed_arms", "order_word", "part_sets", "played_rules"]

PART_SETS = {"deals": 65_536, "matches": 4_096}
"""Sets of a part by kind of run: they bound its size and what a kill can lose."""


def part_sets(kind: str, count: int, bots: Iterable[Bot] = ()) -> int:
    """Sets of a part: as many as may be, but at least eight parts while they stay aligned to the
    hash's blocks; no more than a block where one of the bots is in Python, and so is slow.
    """
    sets = BLOCK_SETS if any(bot.in_python for bot in bots) else PART_SETS[kind]
    while sets > BLOCK_SETS and count < 8 * sets:
        sets //= 2
    return sets


def order_word(order: str | Sequence[int] | None) -> str | None:
    """The previous finishing order as runs write it: "random", four digits, or None."""
    if order is None or (isinstance(order, str) and order == "random"):
        return order
    packed = pack_order(order)
    return "".join(str(packed >> 2 * i & 3) for i in range(4))


def deal_arguments(settings: Mapping[str, Any]) -> np.ndarray:
    """Arguments of the loop, int64[ARGUMENTS], from a run's settings; the rest is the worker's."""
    arguments = np.zeros(loop.ARGUMENTS, np.int64)
    arguments[loop.A_SEED] = settings["seed"]
    arguments[loop.A_MATCHES] = settings["kind"] == "matches"
    if settings["level"] is not None:
        arguments[loop.A_LEVEL] = parse_level(settings["level"])
    order = settings["previous_order"]
    arguments[loop.A_PREVIOUS] = -1 if order in (None, "random") else pack_order(order)
    arguments[loop.A_DRAW_PREVIOUS] = order == "random"
    return arguments


def played_rules(settings: Mapping[str, Any], where: object) -> Rules:
    """The rules of a run's settings. `RunError`, which names ``where``, if they are of another
    version or cannot be read.
    """
    try:
        rules = Rules.from_switches(settings["rules"])
        version = settings["rules_version"]
    except (KeyError, TypeError, RulesError) as error:
        raise RunError(f"{where}: the manifest's settings cannot be read: {error}") from error
    if version != RULES_VERSION:
        raise RunError(
            f"{where} was played by rules version {version!r}; "
            f"this package plays version {RULES_VERSION}"
        )
    return rules


def followed_arms(settings: Mapping[str, Any], where: object) -> list[tuple[Rules, np.ndarray]]:
    """Of each arm the rules and `deal_arguments` of a run whose log is to be followed. `RunError`,
    which names ``where``, if that cannot be done.
    """
    try:
        arms = arm_settings(settings)
    except RunError as error:
        raise RunError(f"{where}: the manifest's settings cannot be read: {error}") from error
    return [_followed(arm, where) for arm in arms]


def _followed(settings: Mapping[str, Any], where: object) -> tuple[Rules, np.ndarray]:
    try:
        rules = played_rules(settings, where)
        arguments = deal_arguments(settings)
        check_seed(settings["seed"])
        if settings["kind"] == "matches":
            for name in ("level", "previous_order"):
                if settings[name] is not None:
                    raise OptionError(f"{name} is {settings[name]!r}: matches have their own")
        elif order_word(settings["previous_order"]) != settings["previous_order"]:
            raise OptionError(f"previous_order is {settings['previous_order']!r}")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, RunError):
            raise
        raise RunError(f"{where}: the manifest's settings cannot be read: {error}") from error
    return rules, arguments
