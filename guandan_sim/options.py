"""Values of command-line options: numbers, bots, rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from .bots import Bot, bots_by_seat
from .errors import OptionError, RulesError
from .rulefiles import resolve_rules, switch_value
from .rules import Rules

__all__ = ["chosen_bots", "chosen_rules", "whole_number"]

_NUMBER = re.compile(r"([+-]?[0-9][0-9_,]*(?:\.[0-9]+)?)(?:[eE]\+?([0-9]{1,3}))?([kKmMgG]?)")
_UNITS = {"": 0, "k": 3, "m": 6, "g": 9}


def whole_number(text: str, option: str, low: int, high: int = 2**48 - 1) -> int:
    """The number that ``text`` writes: ``1000``, ``1_000``, ``1e6``, ``10k``, ``1.5M``.

    Raises `OptionError`, naming ``option``, for anything but a whole number from ``low`` to
    ``high``.

    >>> whole_number("1.5M", "--deals", 1)
    1500000
    """
    found = _NUMBER.fullmatch(text.strip())
    if found:
        digits, exponent, unit = found.groups()
        mantissa = Decimal(re.sub("[_,]", "", digits))
        value = mantissa.scaleb(int(exponent or 0) + _UNITS[unit.lower()])
        if low <= value <= high and value == value.to_integral_value():
            return int(value)
    raise OptionError(
        f"{option} is {text!r}; a whole number from {low:_} to {high:_} is needed, "
        "such as 1000, 10k, 1_000_000, 1e6 or 1M"
    )


def chosen_bots(text: str) -> tuple[Bot, Bot, Bot, Bot]:
    """The bots by seat from 1, 2 or 4 names with commas between them.

    Raises `BotError`, `OptionError`.
    """
    return bots_by_seat([name.strip() for name in text.split(",")])


def chosen_rules(base: str, changes: Sequence[str]) -> Rules:
    """A preset or rules file with some switches changed, each given as ``switch=value``.

    Truth values are yes and no, and ``promotion`` is written ``4/2/1``. Raises `RulesError`.

    >>> chosen_rules("guide", ["pass_locks=yes", "promotion=4/2/1"]).promotion
    (4, 2, 1)
    """
    rules = resolve_rules(base)
    switches: dict[str, Any] = {}
    for change in changes:
        name, equals, word = (part.strip() for part in change.partition("="))
        if not equals:
            raise RulesError(f"--set {change!r} is not switch=value; write for example max_bomb=8")
        switches[name] = switch_value(word, getattr(rules, name, None))
    return rules.replace(**switches)
