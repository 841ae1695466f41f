"""The rule systems: every difference between them is one named switch, read here and nowhere else.

A preset is a `Rules` with a name. Kernels take `Rules.words`, plain integers at the offsets ``R_*``
of `layout`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any

import numpy as np

from . import layout as lay
from .cards import RANK_WORDS, parse_level
from .errors import CardParseError, OptionError, RulesError
from .rulewords import meaning, switch_word

__all__ = ["RULES_VERSION", "SWITCHES", "Rules", "new_state"]

#: Moves with the behaviour of any preset: a log names the version that it was played by.
RULES_VERSION = 2


def _one_of(*choices: Any, usual: Any = MISSING) -> Any:
    """A field of `Rules` that takes one of these values, in the order of the kernels' numbers.
    ``usual``: what every preset has, and runs that know nothing of the switch.
    """
    return field(default=usual, metadata={"choices": choices})


@dataclass(frozen=True, kw_only=True)
class Rules:
    """One rule system. Make one with `Rules.preset` and change switches with `Rules.replace`, or
    read a rules file with `read_rules`. `describe` says what every switch means.

    Raises `RulesError` for a value that a switch does not take.

    >>> Rules.preset("guide").replace(max_bomb=8).max_bomb
    8
    """

    name: str = "custom"
    opening_leader: str = _one_of("marked_card", "last_drawer", "random")
    active_level: str = _one_of("winner", "leader")
    top_level: str = _one_of(*RANK_WORDS[1:14])
    promotion: tuple[int, int, int]
    max_bomb: int = _one_of(8, 9, 10)
    full_house_joker_pair: bool = _one_of(False, True)
    pass_locks: bool = _one_of(False, True)
    return_max_rank: str = _one_of("none", *RANK_WORDS[1:14])
    return_level_card: bool = _one_of(False, True)
    return_received_card: bool = _one_of(False, True)
    equal_tribute: str = _one_of("right_of_banker", "fixed_seat", "lowest_seat", "random")
    anti_tribute_single: str = _one_of("payer", "side")
    anti_tribute_sweep: str = _one_of("together", "one_payer")
    match_win: str = _one_of("own_level", "not_dweller")
    top_failures: int
    top_failures_count_losses: bool = _one_of(False, True)
    return_visible: bool = _one_of(False, True)
    max_deals: int = 200
    tribute: bool = _one_of(False, True, usual=True)
    tribute_lead: str = _one_of("payer", "banker", usual="payer")

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isprintable() or not self.name:
            raise RulesError(f"name={self.name!r}: a name of printable characters is needed")
        for item in fields(self):
            value = getattr(self, item.name)
            choices = item.metadata.get("choices")
            if choices and (type(value) is not type(choices[0]) or value not in choices):
                raise RulesError(
                    f"{item.name}={value!r}: possible values are {self.possible(item.name)}"
                )
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if type(value) is not int or not low <= value <= high:
                raise RulesError(f"{name}={value!r}: {self.possible(name)} is possible")
        gains = self.promotion
        if (
            not isinstance(gains, tuple)
            or len(gains) != 3
            or any(type(gain) is not int or not 0 <= gain <= 12 for gain in gains)
        ):
            raise RulesError(
                f"promotion={switch_word(gains)!r}: possible are {self.possible('promotion')}"
            )

    @classmethod
    def preset(cls, name: str) -> Rules:
        """The rule system of that name; `RulesError` lists the names for an unknown one."""
        try:
            return _PRESETS[name]
        except (KeyError, TypeError):
            raise RulesError(
                f"{name!r} is not a rule preset; there are {', '.join(_PRESETS)}, "
                "and files of your own, whose names end in .toml"
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
        """The rules with every switch given by value, as a run's manifest holds them.

        One written before there were `tribute` and `tribute_lead` was played with what is usual.
        """
        if not isinstance(switches, Mapping):
            raise RulesError(f"rules are {switches!r}; every switch by name is needed")
        known = {item.name for item in fields(cls)}
        unknown = sorted(map(str, set(switches) - known))
        missing = sorted(known - set(switches) - _LATER)
        if unknown or missing:
            raise RulesError(f"switches {unknown} are unknown and {missing} are missing")
        gains = switches["promotion"]
        return cls(**{**switches, "promotion": tuple(gains) if isinstance(gains, list) else gains})

    @classmethod
    def from_words(cls, words: np.ndarray) -> Rules:
        """The rules that have these `words`: a preset, or else some that are called "custom".

        >>> Rules.from_words(Rules.preset("kawu").words()).name
        'kawu'
        """
        for rules in _PRESETS.values():
            if np.array_equal(rules.words(), words):
                return rules
        numbers = [int(word) for word in words]
        limit = numbers[lay.R_RETURN_MAX_RANK]
        first, second, third = numbers[lay.R_PROMOTION : lay.R_PROMOTION + 3]
        switches: dict[str, Any] = {
            item.name: item.metadata["choices"][numbers[_OFFSETS[item.name]]]
            for item in fields(cls)
            if item.name in _OFFSETS
        }
        return cls(
            **switches,
            top_level=RANK_WORDS[numbers[lay.R_TOP_LEVEL]],
            promotion=(first, second, third),
            max_bomb=numbers[lay.R_MAX_BOMB],
            return_max_rank="none" if limit == 15 else RANK_WORDS[limit],
            top_failures=numbers[lay.R_TOP_FAILURES],
            max_deals=numbers[lay.R_MAX_DEALS],
        )

    def replace(self, /, **switches: Any) -> Rules:
        """The same rules with some switches changed; the name tells which.

        >>> Rules.preset("guide").replace(pass_locks=True).name
        'guide(pass_locks=yes)'
        """
        for name in switches:
            if name not in SWITCHES:
                raise RulesError(f"{name!r} is not a rule switch; there are {', '.join(SWITCHES)}")
        for name in ("top_level", "return_max_rank"):
            if name in switches:
                # "10" is a level too; what is none is refused below, with the values that are.
                with suppress(CardParseError):
                    switches[name] = RANK_WORDS[parse_level(switches[name])]
        if isinstance(switches.get("promotion"), list):
            switches["promotion"] = tuple(switches["promotion"])
        changed = {
            k: v
            for k, v in switches.items()
            if type(v) is not type(getattr(self, k)) or v != getattr(self, k)
        }
        if not changed:
            return self
        rules = replace(self, **changed)
        base, _, before = self.name.removesuffix(")").partition("(")
        if base in _PRESETS:
            named = {k: switch_word(v) for k, (_, v) in _PRESETS[base].differences(rules).items()}
        else:
            named = dict(part.split("=") for part in before.split(", ") if "=" in part)
            named |= {k: switch_word(v) for k, v in changed.items()}
        inner = ", ".join(f"{k}={v}" for k, v in named.items())
        return replace(rules, name=f"{base}({inner})" if inner else base)

    def differences(self, other: Rules) -> dict[str, tuple[Any, Any]]:
        """The switches in which ``other`` differs: (value here, value there) by name.

        >>> Rules.preset("guide").differences(Rules.preset("official"))
        {'return_received_card': (False, True)}
        """
        pairs = {name: (getattr(self, name), getattr(other, name)) for name in SWITCHES}
        return {name: (a, b) for name, (a, b) in pairs.items() if a != b}

    def level_within(self, level: str) -> str:
        """The level as logs write it. Raises `OptionError` for one above ``top_level``.

        >>> Rules.preset("guide").level_within("10")
        'T'
        """
        rank = parse_level(level)
        if rank > parse_level(self.top_level):
            raise OptionError(
                f"level is {RANK_WORDS[rank]}; the top level of {self.name} is {self.top_level}"
            )
        return RANK_WORDS[rank]

    @classmethod
    def possible(cls, switch: str) -> str:
        """The values that a switch takes, in words.

        >>> Rules.possible("max_bomb"), Rules.possible("top_failures")
        ('8, 9, 10', 'a whole number from 0 to 1000')
        """
        if switch in _RANGES:
            low, high = _RANGES[switch]
            return f"a whole number from {low} to {high}"
        if switch == "promotion":
            return "three whole numbers from 0 to 12, such as 3/2/1"
        choices = next(item for item in fields(cls) if item.name == switch).metadata["choices"]
        return ", ".join(switch_word(choice) for choice in choices)

    def switches(self) -> dict[str, Any]:
        """Every switch by name, in JSON's types; `from_switches` is the inverse."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        values["promotion"] = list(self.promotion)
        return values

    def describe(self) -> str:
        """Every switch with its value and what that means, a line each."""
        lines = [f"rules {self.name}"]
        for name in SWITCHES:
            value = getattr(self, name)
            lines.append(f"  {name} = {switch_word(value)}: {meaning(name, value)}")
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


#: Names of the switches, in their order.
SWITCHES = tuple(item.name for item in fields(Rules) if item.name != "name")

# Switches that take any number from one to another.
_RANGES = {"top_failures": (0, 1000), "max_deals": (1, 65_535)}

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
    "tribute": lay.R_TRIBUTE,
    "tribute_lead": lay.R_TRIBUTE_LEAD,
}

# Switches that older runs do not have.
_LATER = {"tribute", "tribute_lead"}


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


def new_state(rules: Rules) -> np.ndarray:
    """A state that holds nothing but the rules: int64[STATE_SIZE], see `layout`."""
    state = np.zeros(lay.STATE_SIZE, np.int64)
    state[lay.V_RULES : lay.V_RULES + lay.RULES_SIZE] = rules.words()
    return state
