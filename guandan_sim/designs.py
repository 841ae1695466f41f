"""Experiments before they are played: the arms of each, and what is made of them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from .arms import MOST_ARMS, Arm, bot_settings
from .bots import Bot, BotName, bots_by_seat
from .bots.returns import RETURNS
from .contrasts import Weights
from .errors import OptionError
from .rulefiles import RulesName, resolve_rules
from .rules import Rules
from .settings import deal_arguments, order_word, part_sets
from .simulate import checked_settings

__all__ = ["EXPERIMENTS", "GROUPS", "TEAMS", "Design", "design"]

#: The experiments, each in a sentence.
EXPERIMENTS = {
    "tribute-off": "What tribute is worth to the Banker's team: its cards and its lead.",
    "lead": "What the lead is worth: each seat leads once, without tribute.",
    "return-card": "What the choice of the card to return is worth to the Banker's team.",
    "rules": "What other rules, named by --against, change for the Banker's team.",
}

#: Whose figures are told.
TEAMS = {"banker": "the Banker's team", "leader": "the leader's team", "0": "seats 0 and 2"}

#: What sets are grouped by, and the groups.
GROUPS = {
    "tribute": ("paid after 1-2", "paid after 1-3", "paid after 1-4", "cancelled"),
    "card": ("HR", "SB", "level card", "A", "K", "lower"),
}

# In each of these another seat leads, where nothing is paid.
_LEADERS = ("0213", "1302", "2013", "3102")
_OF_AN_ARM = ("bots", "rules", "level", "previous_order")

ArmName = str | Mapping[str, Mapping[str, Any]]
_Bots = Sequence[Bot]


@dataclass(frozen=True, eq=False)
class Design:
    """An experiment to be played: the settings of its run, and its arms."""

    settings: dict[str, Any]
    arms: list[Arm]


def design(
    name: ArmName,
    *,
    bots: BotName | Sequence[BotName],
    sets: int,
    seed: int,
    rules: RulesName,
    log: str,
    level: str | None,
    previous_order: str | Sequence[int] | None,
    against: Sequence[RulesName] | None,
) -> Design:
    """What is played for `experiment`, whose arguments these are and which says what is raised."""
    if not isinstance(name, Mapping) and (not isinstance(name, str) or name not in EXPERIMENTS):
        raise OptionError(f"{name!r} is not an experiment; there are {', '.join(EXPERIMENTS)}")
    system = resolve_rules(rules)
    order = order_word(previous_order)
    if against and name != "rules":
        raise OptionError("other rules to compare with (against) go with the experiment rules")
    if name == "lead":
        system = system.replace(tribute=False)
        if order != "random":
            raise OptionError(
                f"previous_order is {order!r}, but in the experiment lead each seat leads in turn; "
                "leave it out"
            )
    settings, _ = checked_settings(
        deals=sets,
        matches=None,
        rules=system,
        seed=seed,
        log="deals" if log == "none" else log,
        level=level,
        previous_order=order,
        counted="sets",
    )
    settings["log"] = log
    drafts = _Drafts(system, settings, bots_by_seat(bots))
    if isinstance(name, Mapping):
        drafts.add_own(name)
    elif name == "tribute-off":
        drafts.add_tribute_off()
    elif name == "lead":
        drafts.add_lead()
    elif name == "return-card":
        drafts.add_returns()
    else:
        drafts.add_rules(against or ())
    return drafts.design()


class _Drafts:
    """The arms of an experiment as they are thought up: rules, bots and record of each."""

    def __init__(self, rules: Rules, settings: dict[str, Any], bots: _Bots) -> None:
        self._rules = rules
        self._settings = settings
        self._bots = bots
        self._arms: list[tuple[Rules, _Bots, dict[str, Any]]] = []
        self._name, self._team = "own", "banker"
        self._by: Sequence[str] = ()
        self._effects: list[Weights] = []

    def _add(
        self, name: str, rules: Rules | None = None, bots: _Bots | None = None, **more: Any
    ) -> None:
        record = {"name": name} | more
        if rules is not None and rules != self._rules:
            record["rules"] = rules.switches()
        if bots is not None:
            record["bots"] = bot_settings(bots)
        self._arms.append((rules or self._rules, bots or self._bots, record))

    def add_tribute_off(self) -> None:
        """See `experiment`."""
        self._name, self._by = "tribute-off", tuple(GROUPS)
        self._check_tribute()
        self._add("as it is")
        self._add("no tribute", self._rules.replace(tribute=False))
        self._add("paid, Banker leads", self._rules.replace(tribute_lead="banker"))
        self._effects = [
            Weights("tribute", (1, -1, 0)),
            Weights("its cards", (0, -1, 1)),
            Weights("its lead", (1, 0, -1)),
        ]

    def add_lead(self) -> None:
        """See `experiment`."""
        self._name, self._team = "lead", "leader"
        for order in _LEADERS:
            self._add(f"seat {order[0]} leads", previous_order=order)
        self._effects = [Weights("the lead", (1,) * len(_LEADERS), len(_LEADERS))]

    def add_returns(self) -> None:
        """See `experiment`."""
        self._name, self._by = "return-card", tuple(GROUPS)
        self._check_tribute()
        self._add("own")
        for way in RETURNS:
            # Receivers are of the Banker's team. One object a bot, so that it is compiled once.
            others = {id(each): _returning(each, way) for each in self._bots}
            self._add(way, bots=[others[id(each)] for each in self._bots])

    def add_rules(self, against: Sequence[RulesName]) -> None:
        """See `experiment`."""
        self._name = "rules"
        if not against:
            raise OptionError("the experiment rules compares with others: name some by against")
        if isinstance(against, str) or not isinstance(against, Sequence):
            against = [against]
        for system in [self._rules, *map(resolve_rules, against)]:
            self._add(system.name, system)
        if self._settings["previous_order"] is None:
            self._team = "0"

    def add_own(self, arms: Mapping[str, Mapping[str, Any]]) -> None:
        """See `experiment`."""
        known: dict[str, Bot] = {}
        for name, own in arms.items():
            if (
                not isinstance(name, str)
                or name.strip() != name
                or not name.isprintable()
                or not name
            ):
                raise OptionError(f"an arm is called {name!r}; a name that can be shown is needed")
            if not isinstance(own, Mapping):
                raise OptionError(
                    f"arm {name} is {own!r}; what it has of its own by name is needed"
                )
            for key in own:
                if key not in _OF_AN_ARM:
                    raise OptionError(
                        f"arm {name} has {key!r} of its own; "
                        f"an arm may have {', '.join(_OF_AN_ARM)}"
                    )
            rules = resolve_rules(own["rules"]) if "rules" in own else None
            more: dict[str, Any] = {}
            if "level" in own:
                system = rules or self._rules
                more["level"] = None if own["level"] is None else system.level_within(own["level"])
            if "previous_order" in own:
                more["previous_order"] = order_word(own["previous_order"])
            bots = _distinct(bots_by_seat(own["bots"]), known) if "bots" in own else None
            self._add(name, rules, bots, **more)
        orders = [self._of(record, "previous_order") for _, _, record in self._arms]
        # Otherwise the Bankers of the arms would be on different sides of a set.
        bankers = {order if order in (None, "random") else int(order[0]) & 1 for order in orders}
        mixed = any(list(bots[::2]) != list(bots[1::2]) for _, bots, _ in self._arms)
        if mixed or None in bankers or len(bankers) > 1:
            self._team = "0"

    def _of(self, record: Mapping[str, Any], name: str) -> Any:
        return record.get(name, self._settings[name])

    def _check_tribute(self) -> None:
        if self._settings["previous_order"] is None:
            raise OptionError(
                f"{self._name} needs tribute to be due: previous_order is None; it is 'random' or "
                "an order such as '0213'"
            )
        if not self._rules.tribute:
            raise OptionError(f"{self._name} needs rules with tribute; {self._rules.name} has none")

    def _check(self) -> None:
        names = [record["name"] for _, _, record in self._arms]
        if not 2 <= len(names) <= MOST_ARMS:
            raise OptionError(
                f"an experiment of {len(names)} arms: from 2 to {MOST_ARMS} can be compared"
            )
        for at, name in enumerate(names):
            if name in names[:at]:
                raise OptionError(f"two arms are called {name}; each needs a name of its own")
        tops = {}
        for rules, _, record in self._arms:
            level = self._of(record, "level")
            if level is None:
                tops[rules.top_level] = rules.name
            else:
                rules.level_within(level)
        if len(tops) > 1:
            raise OptionError(
                f"the top levels of {' and '.join(tops.values())} differ, up to which levels are "
                "drawn: name a level"
            )

    def design(self) -> Design:
        """The experiment of these arms. Raises `OptionError` for what cannot be compared."""
        self._check()
        number = len(self._arms)
        if not self._effects:
            base = self._arms[0][2]["name"]
            self._effects = [
                Weights(
                    f"{record['name']} - {base}",
                    tuple((other == arm) - (other == 0) for other in range(number)),
                )
                for arm, (_, _, record) in enumerate(self._arms)
                if arm
            ]
        everyone = [each for _, bots, _ in self._arms for each in bots]
        records = [record for _, _, record in self._arms]
        settings = self._settings | {
            "part_sets": part_sets("deals", self._settings["count"], everyone),
            "arms": records,
            "experiment": {
                "name": self._name,
                "team": self._team,
                "effects": [asdict(weights) for weights in self._effects],
                "by": list(self._by),
            },
        }
        if not all("bots" in record for record in records):
            settings["bots"] = bot_settings(self._bots)
        arms = [
            Arm(bots, rules, deal_arguments(settings | record))
            for rules, bots, record in self._arms
        ]
        return Design(settings, arms)


def _distinct(bots: _Bots, known: dict[str, Bot]) -> list[Bot]:
    """The bots, each one object in all arms, so that it is compiled once."""
    found = []
    for each in bots:
        same = known.setdefault(each.name, each)
        if same is not each and same != each:
            raise OptionError(
                f"two bots are called {each.name}; give one another name: Bot(name, play)"
            )
        found.append(same)
    return found


def _returning(each: Bot, way: str) -> Bot:
    """The bot, but that it returns the card of `returns.RETURNS`."""
    play: Any = each.play
    if each.in_python and callable(getattr(play, "choose_return", None)):
        if not inspect.isclass(play):
            raise OptionError(
                f"bot {each.name} is an object with a choose_return of its own, which cannot be "
                "set aside; name its class"
            )
        # What is no function is not asked.
        own = {"choose_return": None, "__module__": play.__module__}
        play = type(play.__name__, (play,), own)
    return replace(each, name=f"{each.name}, returns {way}", play=play, give_back=RETURNS[way])
