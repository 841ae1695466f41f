"""Rules by name, from a TOML file, or as written on a command line.

A rules file names the system, what it is based on, and the switches that differ::

    name = "club"
    base = "guide"
    max_bomb = 8
    promotion = [4, 2, 1]
    pass_locks = true
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from textwrap import wrap
from typing import Any

from .errors import RulesError
from .rules import SWITCHES, Rules
from .rulewords import explanations

__all__ = ["RulesName", "read_rules", "resolve_rules", "rules_toml", "switch_value"]

#: How rules may be given: themselves, a preset by name, a TOML file by path.
RulesName = Rules | str | Path

_SUFFIX = ".toml"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
_TRUTHS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


def resolve_rules(rules: RulesName) -> Rules:
    """Rules themselves, the preset of that name, or those of a file whose name ends in .toml.

    Raises `RulesError`.

    >>> resolve_rules("kawu").opening_leader
    'random'
    """
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, Path) or (isinstance(rules, str) and rules.endswith(_SUFFIX)):
        return read_rules(rules)
    return Rules.preset(rules)


def read_rules(path: str | Path) -> Rules:
    """The rules in a TOML file: switches by name over those of the preset ``base`` (default guide).

    ``name`` defaults to the file's own. Raises `RulesError`, which names the file and what is wrong
    with it: it cannot be read, is no TOML, or has a switch or value that does not exist.
    """
    path = Path(path)
    try:
        # Editors on Windows put a mark before the first character.
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RulesError(f"cannot read rules from {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RulesError(f"{path} is not a TOML file of rules: {error}") from error
    except ValueError as error:  # a path that no system has
        raise RulesError(f"cannot read rules from {str(path)!r}: {error}") from error
    try:
        switches: dict[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise RulesError(f"{path} is not a TOML file of rules: {error}") from error
    for key, value in switches.items():
        if isinstance(value, int) and abs(value) >= 2**63:
            raise RulesError(f"{path}: the number for {key[:40]!r} has too many digits")
    name = switches.pop("name", None)
    if name is None:
        name = path.name.removesuffix(_SUFFIX)
        if not _NAME.fullmatch(name):
            raise RulesError(
                f"{path}: the file's name has more than a to z, A to Z, 0 to 9, '_', '-' and '.'; "
                "add name = 'mine' for the rules"
            )
    try:
        base = switches.pop("base", "guide")
        if base not in Rules.presets():
            raise RulesError(f"base is {base!r}; it is one of {', '.join(Rules.presets())}")
        base = Rules.preset(base)
        values = {k: switch_value(v, getattr(base, k, None)) for k, v in switches.items()}
        rules = base.replace(**values)
    except RulesError as error:
        raise RulesError(f"{path}: {error}") from None
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise RulesError(
            f"{path}: name is {name!r}; up to 40 of a to z, A to Z, 0 to 9, '_', '-' and '.' are "
            "possible"
        )
    preset = Rules.preset(name) if name in Rules.presets() else None
    differing = preset.differences(rules) if preset else {}
    if differing:
        raise RulesError(
            f"{path}: {name!r} is a preset with other values for {', '.join(differing)}; "
            "give these rules a name of their own"
        )
    return Rules.from_switches({**rules.switches(), "name": name})


def rules_toml(rules: Rules) -> str:
    """Every switch as a rules file, with what its values mean as comments; `read_rules` reads it
    back. A preset gets a name of its own, so that switches may be changed.

    >>> print(rules_toml(Rules.preset("kawu"))[:40])
    # All switches of kawu; yes and no are w
    """
    base = rules.name.partition("(")[0]
    name = f"my_{base}" if base in Rules.presets() else base
    lines = [f"# All switches of {rules.name}; yes and no are written true and false."]
    lines.append(f'name = "{name}"')
    values = rules.switches()
    for switch in SWITCHES:
        lines += ["", f"# {switch}: {Rules.possible(switch)}"]
        for text in explanations(switch):
            lines += wrap(text, 96, initial_indent="#   ", subsequent_indent="#     ")
        lines.append(f"{switch} = {_toml(values[switch])}")
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    """The value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


def switch_value(word: Any, now: object) -> Any:
    """A value as written by a user, in the type of the switch's value ``now``.

    What has no such form stays as it is, for `Rules` to refuse.

    >>> switch_value("4/2/1", (3, 2, 1)), switch_value("no", True), switch_value("8", 10)
    ((4, 2, 1), False, 8)
    """
    if not isinstance(word, str):
        # A level is a word, but 10 in a file is natural.
        return str(word) if isinstance(now, str) and type(word) is int else word
    if isinstance(now, bool):
        return _TRUTHS.get(word.lower(), word)
    if isinstance(now, int) and re.fullmatch(r"-?[0-9]{1,9}", word):
        return int(word)
    if isinstance(now, tuple):
        numbers = re.split(r"[/,]", re.sub(r"[\[\]() ]", "", word))
        if all(re.fullmatch(r"[0-9]{1,9}", number) for number in numbers):
            return tuple(map(int, numbers))
    return word
