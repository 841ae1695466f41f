"""The rule systems: every difference between them is one named switch, read here and nowhere else.

A preset is a `Rules` with a name. Kernels take `Rules.words`, plain integers at the offsets ``R_*``
of `layout`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from . import layout as lay
from .cards import RANK_WORDS, parse_level
from .errors import CardParseError, RulesError

__all__ = ["RULES_VERSION", "Rules", "new_state", "resolve_rules"]

#: Moves with the behaviour of any preset: a log names the version that it was played by.
RULES_VERSION = 1


def _switch(help_text: str, *choices: Any) -> Any:
    """A field of `Rules`: what it means, and its values in the order of the kernels' numbers."""
    return field(metadata={"help": help_text, "choices": choices})


@dataclass(frozen=True, kw_only=True)
class Rules:
    """One rule system. Make one with `Rules.preset` and change switches with `Rules.replace`.

    Raises `RulesError` for a value that a switch does not take.

    >>> Rules.preset("guide").replace(max_bomb=8).max_bomb
    8
    """

    name: str = "custom"
    opening_leader: str = _switch(
        "who leads the first deal: the holder of a marked card, the player who draws the last, "
        "or a random seat",
        "marked_card",
        "last_drawer",
        "random",
    )
    active_level: str = _switch(
        "whose level is played: the previous winners' or that of the team that leads",
        "winner",
        "leader",
    )
    top_level: str = _switch("the level at which a match is won", *RANK_WORDS[1:14])
    promotion: tuple[int, int, int] = field(
        metadata={"help": "levels gained when the winner's partner finishes second, third, last"}
    )
    max_bomb: int = _switch("most cards in a bomb of one rank", 8, 9, 10)
    full_house_joker_pair: bool = _switch("a pair of jokers may complete a full house", False, True)
    pass_locks: bool = _switch("a pass bars a player until the trick is cleared", False, True)
    return_max_rank: str = _switch(
        "highest natural rank that may be returned", "none", *RANK_WORDS[1:14]
    )
    return_level_card: bool = _switch(
        "a card of the level, wilds too, may be returned", False, True
    )
    return_received_card: bool = _switch("the card received may be returned", False, True)
    equal_tribute: str = _switch(
        "equal cards after a sweep: the Banker's right-hand neighbour pays the Banker; "
        "payers are fixed by seat "
        "(p pays p - 1, whatever the cards); the lowest seat pays the Banker; or at random",
        "right_of_banker",
        "fixed_seat",
        "lowest_seat",
        "random",
    )
    anti_tribute_single: str = _switch(
        "both red jokers cancel a single tribute when held by the payer, or by the payer's side",
        "payer",
        "side",
    )
    anti_tribute_sweep: str = _switch(
        "both red jokers cancel a double tribute when held by the payers together, or by one",
        "together",
        "one_payer",
    )
    match_win: str = _switch(
        "a match is won by a 1-2 or 1-3 in a deal played at the team's own top level; "
        "or by going out first when at "
        "the top as the deal starts, unless a member was a Dweller of the deal before",
        "own_level",
        "not_dweller",
    )
    top_failures: int = field(
        metadata={"help": "failures at the top level before a team falls back to 2; 0: never"}
    )
    top_failures_count_losses: bool = _switch(
        "a lost deal at the own top level is a failure too", False, True
    )
    return_visible: bool = _switch("all seats see the returned cards", False, True)
    max_deals: int = field(
        default=200,
        metadata={"help": "deals after which a match ends as truncated, without a winner"},
    )

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            choices = item.metadata.get("choices")
            if choices and (value not in choices or type(value) is not type(choices[0])):
                raise RulesError(
                    f"{item.name}={value!r}: possible values are "
                    + ", ".join(_word(c) for c in choices)
                )
        for name, low, high in (("top_failures", 0, 1000), ("max_deals", 1, 65_535)):
            value = getattr(self, name)
            if type(value) is not int or not low <= value <= high:
                raise RulesError(
                    f"{name}={value!r}: a whole number from {low} to {high} is possible"
                )
        gains = self.promotion
        if (
            not isinstance(gains, tuple)
            or len(gains) != 3
            or any(type(gain) is not int or not 0 <= gain <= 12 for gain in gains)
        ):
            raise RulesError(
                f"promotion={gains!r}: possible are three whole numbers from 0 to 12, as (3, 2, 1)"
            )

    @classmethod
    def preset(cls, name: str) -> Rules:
        """The rule system of that name; `RulesError` lists the names for an unknown one."""
        try:
            return _PRESETS[name]
        except (KeyError, TypeError):
            raise RulesError(
                f"{name!r} is not a rule preset; there are {', '.join(_PRESETS)}"
            ) from None

    @classmethod
    def presets(cls) -> list[str]:
        """Names of the rule systems.

        >>> Rules.presets()[0]
        'guide'
        """
        return list(_PRESETS)

    @classmethod
    def from_switches(cls, switches: Mapping[str, Any]) -> Rules:
        """The rules with every switch given by value, as a run's manifest holds them."""
        known = {item.name for item in fields(cls)}
        unknown = sorted(set(switches) - known)
        missing = sorted(known - set(switches))
        if unknown or missing:
            raise RulesError(f"switches {unknown} are unknown and {missing} are missing")
        gains = switches["promotion"]
        return cls(**{**switches, "promotion": tuple(gains) if isinstance(gains, list) else gains})

    def replace(self, **switches: Any) -> Rules:
        """The same rules with some switches changed; the name tells which.

        >>> Rules.preset("guide").replace(pass_locks=True).name
        'guide(pass_locks=yes)'
        """
        known = [item.name for item in fields(self) if item.name != "name"]
        for name in switches:
            if name not in known:
                raise RulesError(f"{name!r} is not a rule switch; there are {', '.join(known)}")
        if "top_level" in switches:
            try:
                switches["top_level"] = RANK_WORDS[parse_level(switches["top_level"])]
            except CardParseError as error:
                raise RulesError(f"top_level: {error}") from None
        if isinstance(switches.get("promotion"), list):
            switches["promotion"] = tuple(switches["promotion"])
        changed = {k: v for k, v in switches.items() if repr(getattr(self, k)) != repr(v)}
        if not changed:
            return self
        base = self.name.partition("(")[0]
        rules = replace(self, **changed)
        origin = _PRESETS.get(base)
        differing = (
            {k: getattr(rules, k) for k in known if getattr(rules, k) != getattr(origin, k)}
            if origin
            else changed
        )
        inner = ", ".join(f"{k}={_word(v)}" for k, v in differing.items())
        return replace(rules, name=f"{base}({inner})" if inner else base)

    def switches(self) -> dict[str, Any]:
        """Every switch by name, in JSON's types; `from_switches` is the inverse."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        values["promotion"] = list(self.promotion)
        return values

    def describe(self) -> str:
        """Every switch with its value and meaning, a line each."""
        lines = [f"rules {self.name}"]
        for item in fields(self):
            if item.name != "name":
                value = _word(getattr(self, item.name))
                lines.append(f"  {item.name} = {value}: {item.metadata['help']}")
        return "\n".join(lines)

    def words(self) -> np.ndarray:
        """The switches as integers for kernels: int64[RULES_SIZE], offsets ``R_*`` of `layout`."""
        words = np.zeros(lay.RULES_SIZE, np.int64)
        for name, offset in _OFFSETS.items():
            choices = next(f for f in fields(self) if f.name == name).metadata["choices"]
            words[offset] = choices.index(getattr(self, name))
        words[lay.R_TOP_LEVEL] = parse_level(self.top_level)
        words[lay.R_PROMOTION : lay.R_PROMOTION + 3] = self.promotion
        words[lay.R_MAX_BOMB] = self.max_bomb
        limit = self.return_max_rank
        words[lay.R_RETURN_MAX_RANK] = 15 if limit == "none" else parse_level(limit)
        words[lay.R_TOP_FAILURES] = self.top_failures
        words[lay.R_MAX_DEALS] = self.max_deals
        words[lay.R_VERSION] = RULES_VERSION
        return words


# Switches whose number for kernels is the place of the value among its choices.
_OFFSETS = {
    "opening_leader": lay.R_OPENING_LEADER,
    "active_level": lay.R_ACTIVE_LEVEL,
    "full_house_joker_pair": lay.R_JOKER_PAIR,
    "pass_locks": lay.R_PASS_LOCKS,
    "return_level_card": lay.R_RETURN_LEVEL_CARD,
    "return_received_card": lay.R_RETURN_RECEIVED_CARD,
    "equal_tribute": lay.R_EQUAL_TRIBUTE,
    "anti_tribute_single": lay.R_ANTI_SINGLE,
    "anti_tribute_sweep": lay.R_ANTI_SWEEP,
    "match_win": lay.R_MATCH_WIN,
    "top_failures_count_losses": lay.R_COUNT_LOSSES,
    "return_visible": lay.R_RETURN_VISIBLE,
}


def _word(value: Any) -> str:
    """A switch's value as people write it: yes and no for truth values."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "/".join(map(str, value)) if isinstance(value, tuple) else str(value)


_GUIDE = Rules(
    name="guide",
    opening_leader="marked_card",
    active_level="winner",
    top_level="A",
    promotion=(3, 2, 1),
    max_bomb=10,
    full_house_joker_pair=True,
    pass_locks=False,
    return_max_rank="T",
    return_level_card=False,
    return_received_card=False,
    equal_tribute="right_of_banker",
    anti_tribute_single="payer",
    anti_tribute_sweep="together",
    match_win="own_level",
    top_failures=0,
    top_failures_count_losses=False,
    return_visible=True,
)
_PRESETS = {
    "guide": _GUIDE,
    "ace_reset": replace(
        _GUIDE,
        name="ace_reset",
        opening_leader="random",
        max_bomb=8,
        pass_locks=True,
        return_received_card=True,
        top_failures=3,
    ),
    "wikipedia": replace(
        _GUIDE,
        name="wikipedia",
        opening_leader="last_drawer",
        active_level="leader",
        max_bomb=8,
        return_received_card=True,
        anti_tribute_sweep="one_payer",
        match_win="not_dweller",
        return_visible=False,
    ),
    "short_game": replace(
        _GUIDE,
        name="short_game",
        opening_leader="random",
        top_level="T",
        full_house_joker_pair=False,
        return_level_card=True,
        return_received_card=True,
        anti_tribute_single="side",
    ),
    "kawu": replace(_GUIDE, name="kawu", opening_leader="random", return_received_card=True),
    "official": replace(_GUIDE, name="official", return_received_card=True),
    "pagat": replace(
        _GUIDE,
        name="pagat",
        promotion=(4, 2, 1),
        return_max_rank="none",
        return_level_card=True,
        top_failures=3,
        top_failures_count_losses=True,
    ),
    "openguandan": replace(
        _GUIDE,
        name="openguandan",
        opening_leader="random",
        return_received_card=True,
        equal_tribute="fixed_seat",
        top_failures=4,
    ),
}


def resolve_rules(rules: Rules | str) -> Rules:
    """Rules themselves, or the preset of that name."""
    return rules if isinstance(rules, Rules) else Rules.preset(rules)


def new_state(rules: Rules) -> np.ndarray:
    """A state that holds nothing but the rules: int64[STATE_SIZE], see `layout`."""
    state = np.zeros(lay.STATE_SIZE, np.int64)
    state[lay.V_RULES : lay.V_RULES + lay.RULES_SIZE] = rules.words()
    return state
