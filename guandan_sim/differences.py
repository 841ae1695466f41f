"""What differs between the settings of two runs, by the names of the options that give them."""

from __future__ import annotations

from typing import Any

from guandan_sim.errors import printable

__all__ = ["differences"]

_NAMES = {
    "engine_version": "the version of guandan_sim",
    "rules_version": "the version of the rules",
    "part_sets": "the size of a part",
}
_OF_A_BOT = " of bot "
_OF_AN_ARM = " of arm "
_LINE_UPS = "the list of line-ups"
_ARMS = "arms"
_MOST_SHOWN = 100


def differences(there: Any, here: Any) -> list[str]:
    """Each setting that differs, with both values, a line each; either may be any JSON data.

    >>> bots = [{"name": name, "version": 1} for name in ("random", "greedy") * 2]
    >>> old = {"kind": "deals", "count": 5, "bots": bots, "rules": {"max_bomb": 10}}
    >>> new = {"kind": "deals", "count": 6, "bots": bots[:1] * 4, "rules": {"max_bomb": 8}}
    >>> for line in differences(old, new):
    ...     print(line)
    bots is 'random,greedy' there and 'random' here
    deals is 5 there and 6 here
    max_bomb is 10 there and 8 here
    """
    if there == here:
        return []
    old, new = _by_option(there), _by_option(here)
    names = sorted(old.keys() | new.keys())
    if old.get("bots") != new.get("bots"):
        names = [name for name in names if _OF_A_BOT not in name and name != _LINE_UPS]
    if old.get(_ARMS) != new.get(_ARMS):
        names = [name for name in names if _OF_AN_ARM not in name]
    # What differs for all is not told again of each arm.
    names = [
        name
        for name in names
        if _OF_AN_ARM not in name or old.get(of := name.partition(_OF_AN_ARM)[0]) == new.get(of)
    ]
    found = [
        f"{printable(name)} is {_shown(old.get(name))} there and {_shown(new.get(name))} here"
        for name in names
        if old.get(name) != new.get(name)
    ]
    # How many sets a part has follows from how many are played.
    telling = [line for line in found if not line.startswith(_NAMES["part_sets"])]
    return telling or found or ["some settings are only there, or only here"]


def _by_option(settings: Any) -> dict[str, Any]:
    """The settings by the names that people give them."""
    if not isinstance(settings, dict):
        return {"all of it": settings}
    told: dict[str, Any] = {}
    for name, value in settings.items():
        if name == "bots":
            told |= _bots(value)
        elif name == "arms" and isinstance(value, list) and "experiment" in settings:
            arms = [arm if isinstance(arm, dict) else {"name": arm} for arm in value]
            told[_ARMS] = ", ".join(str(arm.get("name")) for arm in arms)
            for arm in arms:
                for key, of in _by_option(arm).items():
                    if key != "name":
                        told[f"{key}{_OF_AN_ARM}{arm.get('name')}"] = of
        elif name == "experiment" and isinstance(value, dict):
            told[name] = value.get("name")
        elif name == "arms" and isinstance(value, list):
            line_ups = [_bots(arm.get("bots") if isinstance(arm, dict) else arm) for arm in value]
            for line_up in line_ups:
                told |= {key: of for key, of in line_up.items() if key != "bots"}
            told[_LINE_UPS] = [line_up["bots"] for line_up in line_ups]
        elif name == "arena" and isinstance(value, dict):
            told |= {"bots" if key == "teams" else key: of for key, of in value.items()}
        elif name == "rules" and isinstance(value, dict):
            # A system that was changed is named after the switches changed.
            base = {"rules": str(value.get("name")).partition("(")[0]}
            told |= base | {key: switch for key, switch in value.items() if key != "name"}
        elif name == "count":
            kind = str(settings.get("kind"))
            in_sets = kind == "deals" and not {"arena", "experiment"}.isdisjoint(settings)
            told["sets" if in_sets else kind] = value
        elif name != "kind":
            told[_NAMES.get(str(name), str(name))] = value
    return told


def _bots(bots: Any) -> dict[str, Any]:
    """The names as --bots takes them, and what else there is of each bot."""
    if not isinstance(bots, list) or not all(isinstance(bot, dict) for bot in bots):
        return {"bots": bots}
    names = [str(bot.get("name")) for bot in bots]
    for count in (1, 2):
        if names == names[:count] * (len(names) // count):
            names = names[:count]
    told: dict[str, Any] = {"bots": ",".join(names)}
    for bot in bots:
        for key, value in bot.items():
            if key != "name":
                told[f"{key}{_OF_A_BOT}{bot.get('name')}"] = value
    return told


def _shown(value: Any) -> str:
    if value is None:
        return "not set"
    if isinstance(value, list) and value and all(type(item) is int for item in value):
        value = "/".join(map(str, value))
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
