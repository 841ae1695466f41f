"""The bots, by name; a user's own by import path.

A bot is three functions with one signature, ``f(view, scratch, out) -> int``: int64 arrays of
VIEW_SIZE words (read-only), SCRATCH_SIZE words (kept through a deal, zero at its start) and
OUT_SIZE words; see `guandan_sim.layout`. ``play`` writes shape, rank and the two words of its cards
to ``out``, ``tribute`` and ``give_back`` the number of a card; 0 is returned for a choice made,
anything else stops the run with a `BotError`. They are plain Python that Numba can compile.

A `PythonBot` is any object with ``choose(view)`` instead, which needs no Numba and is much slower.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numba import types

from .. import layout as lay
from ..cards import CARD_CODES, Cards, parse_cards
from ..checks import check_seat, check_seed
from ..errors import BotError, OptionError
from ..jit import BOT_ARGUMENTS, DISABLED, cache_dir, compile_function
from ..moves import PASS_MOVE, Move
from ..rng import word
from ..rulefiles import RulesName, resolve_rules
from ..tribute import choice_mask
from ..view import View, card_view
from . import greedy, planner, random
from .failures import compile_problem, failure_text, illegal_card_text, illegal_move_text
from .fingerprint import fingerprint
from .python import PythonBot, PythonSeat, is_python, python_parts
from .returns import RETURNS

__all__ = ["BUILT_IN", "Bot", "BotFunction", "BotName", "bot", "bots_by_seat"]

BotFunction = Callable[[Any, Any, Any], int]

#: A bot's functions.
ROLES = ("play", "tribute", "give_back")


@dataclass(frozen=True)
class Bot:
    """A named bot. ``play`` is its function or a `PythonBot`. ``tribute`` and ``give_back`` default
    to the weakest card that may go, as `greedy` chooses.

    ``version`` goes into logs: raise it when decisions change.
    """

    name: str
    play: BotFunction | PythonBot | type[PythonBot]
    tribute: BotFunction = greedy.choose_card
    give_back: BotFunction = greedy.choose_card
    version: str = "1"

    @property
    def built_in(self) -> bool:
        """Whether it is one of ours, whose moves need no checking."""
        return BUILT_IN.get(self.name) is self

    @property
    def memory_size(self) -> int:
        """Words of memory that it has: SCRATCH_SIZE, and what functions of ours need beyond."""
        functions = [getattr(self, role) for role in ROLES]
        needy = any(each is planner.play or each is planner.choose_card for each in functions)
        return planner.DESK_SIZE if needy else lay.SCRATCH_SIZE

    @property
    def in_python(self) -> bool:
        """Whether it is a `PythonBot`, or a class of them."""
        return is_python(self.play)

    @cached_property
    def source(self) -> str:
        """Twelve hex digits that change with a user's code, and with the functions of ours that are
        put together; empty for a built-in bot, whose version tells.
        """
        if self.built_in:
            return ""
        functions = [getattr(self, role) for role in ROLES]
        if all(map(_is_ours, functions)):
            names = "|".join(f"{each.__module__}.{each.__name__}" for each in functions)
            return hashlib.sha256(names.encode()).hexdigest()[:12]
        prints = [key or b"" for key in self.keys.values()]
        return hashlib.sha256(b"|".join(prints)).hexdigest()[:12]

    @cached_property
    def keys(self) -> dict[str, bytes | None]:
        """The `fingerprint` of each function, by which its compiled code is kept."""
        prints = {role: fingerprint(getattr(self, role)) for role in ROLES}
        if self.in_python:
            prints["play"] = fingerprint(python_parts(self.play), installed=False)
        return prints

    @cached_property
    def compiled(self) -> tuple[Any, Any, Any]:
        """The three functions compiled for the loop, the first None `in_python`. `BotError` says
        what does not fit the signature.
        """
        done: dict[int, Any] = {id(self.play): None} if self.in_python else {}
        for role in ROLES:
            function = getattr(self, role)
            if id(function) not in done:
                done[id(function)] = self._compile(role, function)
        return done[id(self.play)], done[id(self.tribute)], done[id(self.give_back)]

    def seated(self) -> tuple[Any, Any, Any]:
        """The three functions as a loop calls them for one seat. Of a class of Python bots the seat
        gets a new object.
        """
        if not self.in_python:
            return self.compiled
        seat = PythonSeat(self.name, self.play)
        play, tribute, give_back = (
            seat.function(role) or compiled for role, compiled in enumerate(self.compiled)
        )
        return play, tribute, give_back

    @cached_property
    def _asked(self) -> PythonSeat | None:
        """Whom `choose` asks of a Python bot."""
        return PythonSeat(self.name, self.play) if self.in_python else None

    def _compile(self, role: str, function: Any) -> Any:
        own = _is_ours(function)
        function = getattr(function, "py_func", function)
        if inspect.isfunction(function):
            wanted = len(inspect.signature(function).parameters)
            if wanted != 3:
                raise BotError(
                    f"bot {self.name}: {role} takes {wanted} argument{'s' * (wanted != 1)}; "
                    "it must take three: view, scratch, out; a Python bot is an object with "
                    "choose(view)"
                )
        else:
            raise BotError(
                f"bot {self.name}: {role} is {function!r}; "
                "it must be a function f(view, scratch, out), or an object with choose(view)"
            )
        key = None if own else self.keys[role]
        try:
            compiled = compile_function(
                function,
                BOT_ARGUMENTS,
                # What was typed into a session has no file to key a cache by.
                cached=own or key is not None,
                folder=None if key is None else cache_dir(key),
                careful=not own,
            )
        except Exception as error:  # Numba's own errors, and whatever else it trips over
            raise BotError(
                f"bot {self.name}: {role} does not compile: {compile_problem(error)}"
            ) from error
        if not DISABLED:
            returned = types.unliteral(compiled.nopython_signatures[0].return_type)
            if returned != types.int64:
                raise BotError(
                    f"bot {self.name}: {role} returns {returned}; "
                    "it must return an integer, 0 for a choice made"
                )
        return compiled

    def choose(
        self, view: View, seed: int | None = None, scratch: np.ndarray | None = None
    ) -> Move:
        """The move this bot makes with that view; a pass without asking it if nothing else is
        legal.

        ``seed``: the draws are those of this seed; by default those of the view, which a deal has
        set. ``scratch``: the bot's memory through the deal, int64[SCRATCH_SIZE]; by default empty.
        A Python bot has `View.memory` for that.

        Raises `BotError` for an illegal move, an exception, or an answer other than 0, and
        `OptionError` for another ``scratch``.

        >>> view = View("S3 S9 D9", level="2", to_beat="single 8: S8")
        >>> str(BUILT_IN["greedy"].choose(view))
        'single 9: S9'
        """
        if not isinstance(view, View):
            raise OptionError(
                f"{view!r} is not a View; make one with guandan_sim.View or deal.view()"
            )
        if not view.has_choice:
            return PASS_MOVE
        out = self._call(0, view, seed, scratch)
        written = [int(out[i]) for i in range(lay.OUT_SIZE)]
        if not view.allows(*written):
            raise BotError(illegal_move_text(self.name, view.words, written))
        return Move.from_words(*written)

    def choose_tribute(
        self,
        hand: Cards | View,
        level: str | None = None,
        receiver: int | None = None,
        rules: RulesName = "guide",
        seed: int | None = None,
        seat: int | None = None,
    ) -> str:
        """The card to give to ``receiver``; ``seat`` is the payer's, by default the receiver's
        right-hand neighbour. A view in which a tribute is due says all of this.

        >>> BUILT_IN["greedy"].choose_tribute("SA DA S3", "2", receiver=0)
        'SA'
        """
        if isinstance(hand, View):
            return self._choose_card(1, hand, seed)
        if level is None or receiver is None:
            raise OptionError("choose_tribute takes a view, or a hand, its level and the receiver")
        payer = (check_seat(receiver, "receiver") + 1) % 4 if seat is None else check_seat(seat)
        view = card_view(hand, level, payer, resolve_rules(rules), giver=payer, receiver=receiver)
        return self._choose_card(1, view, 0 if seed is None else seed)

    def choose_return(
        self,
        hand: Cards | View,
        level: str | None = None,
        received: str | None = None,
        giver: int | None = None,
        rules: RulesName = "guide",
        seed: int | None = None,
        seat: int | None = None,
    ) -> str:
        """The card to return to ``giver`` for ``received``, which ``hand`` holds or not yet. A view
        in which a return is due says all of this.

        ``seat`` is the receiver's, by default the one to whose right the giver sits.
        """
        if isinstance(hand, View):
            return self._choose_card(2, hand, seed)
        if level is None or received is None or giver is None:
            raise OptionError(
                "choose_return takes a view, or a hand, its level, the card received and its giver"
            )
        receiver = (check_seat(giver, "giver") + 3) % 4 if seat is None else check_seat(seat)
        (received,) = parse_cards([received])
        cards = parse_cards(hand)
        if received not in cards:
            cards.append(received)
        rules = resolve_rules(rules)
        view = card_view(
            cards, level, receiver, rules, giver=giver, receiver=receiver, card=received
        )
        return self._choose_card(2, view, 0 if seed is None else seed)

    def _choose_card(self, role: int, view: View, seed: int | None) -> str:
        if view.phase != ("tribute", "return")[role - 1]:
            raise OptionError(f"a {('tribute', 'return')[role - 1]} is not due in this view")
        mask = int(choice_mask(view.words, view.seat, int(view.words[lay.V_ONE])))
        number = int(self._call(role, view, seed, None)[lay.OUT_CARD])
        if not 0 <= number <= 60 or not mask >> number & 1:
            raise BotError(illegal_card_text(self.name, view.seat, number, mask))
        return CARD_CODES[number]

    def _call(
        self, role: int, view: View, seed: int | None, scratch: np.ndarray | None
    ) -> np.ndarray:
        words = view.words.copy()
        if seed is not None:
            words[lay.V_KEY] = word(check_seed(seed), 0)
        out = np.full(lay.OUT_SIZE, -1, np.int64)
        memory = np.zeros(lay.SCRATCH_SIZE, np.int64) if scratch is None else scratch
        if getattr(memory, "shape", None) != (lay.SCRATCH_SIZE,) or memory.dtype != np.int64:
            raise OptionError(f"scratch must be int64[{lay.SCRATCH_SIZE}], as np.zeros makes it")
        if self._asked is not None and self._asked.has(role):
            self._asked.ask(role, words, view.memory, out)
            return out
        function = self.compiled[role]
        desk = memory
        if self.memory_size > lay.SCRATCH_SIZE:
            desk = np.zeros(self.memory_size, np.int64)
            desk[: lay.SCRATCH_SIZE] = memory
        try:
            answer = function(words, desk, out)
        except Exception as error:
            raise BotError(failure_text(self.name, view.seat, error)) from error
        if answer != 0:
            raise BotError(
                f"bot {self.name} at seat {view.seat} returned {answer}; 0 means a choice made"
            )
        memory[:] = desk[: lay.SCRATCH_SIZE]
        return out


#: How a bot may be named: by name or import path, as a `Bot`, as a play function, or as a Python
#: bot or a class of them.
BotName = str | Bot | BotFunction | PythonBot | type[PythonBot]

BUILT_IN: dict[str, Bot] = {
    "random": Bot("random", random.play, random.choose_card, random.choose_card),
    "greedy": Bot("greedy", greedy.play),
    "planner": Bot("planner", planner.play, planner.choose_card, planner.choose_card),
}

_OURS = {
    id(function)
    for function in (
        *(getattr(each, role) for each in BUILT_IN.values() for role in ROLES),
        *RETURNS.values(),
    )
}


def _is_ours(function: Any) -> bool:
    """Whether it is a function of a bot of ours, or one to put in its place."""
    return id(function) in _OURS


def bot(name: BotName) -> Bot:
    """The bot of that name, or from an import path ``"module:attribute"`` (a `Bot`, a play function
    alone, or a Python bot: an object with ``choose(view)``, or a class of such objects).

    A Python bot may have a ``name`` and a ``version`` for logs. Raises `BotError` for an unknown
    name or a path that does not lead to a bot.

    >>> bot("greedy").name
    'greedy'
    """
    if isinstance(name, Bot):
        return name
    if not isinstance(name, str) and is_python(name):
        own = getattr(name, "name", None)
        kind = name if inspect.isclass(name) else type(name)
        return Bot(own if isinstance(own, str) else kind.__name__, name, version=_version(name))
    if not isinstance(name, str) and callable(name):
        return Bot(getattr(name, "__name__", "bot"), name)
    if isinstance(name, str) and name in BUILT_IN:
        return BUILT_IN[name]
    module_name, colon, attribute = name.partition(":") if isinstance(name, str) else ("", "", "")
    if not colon:
        raise BotError(
            f"{name!r} is not a bot; there are {', '.join(BUILT_IN)}, "
            "or 'module:attribute' for your own"
        )
    try:
        found = getattr(importlib.import_module(module_name), attribute)
    except Exception as error:  # whatever a user's module raises as it is imported
        raise BotError(
            f"bot {name!r} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    if isinstance(found, Bot):
        return replace(found, name=str(name))
    return Bot(str(name), found, version=_version(found) if is_python(found) else "1")


def _version(player: object) -> str:
    """The version that a Python bot says it has."""
    version = getattr(player, "version", "1")
    return str(version) if isinstance(version, str | int) else "1"


def bots_by_seat(names: BotName | Sequence[BotName]) -> tuple[Bot, Bot, Bot, Bot]:
    """Four bots from one name (all seats), two (teams) or four (seats)."""
    one = isinstance(names, str | Bot) or callable(names) or is_python(names)
    if not one and not isinstance(names, Sequence):
        raise OptionError(f"bots are {names!r}; name 1 (all seats), 2 (teams) or 4 (seats)")
    given: list[Any] = [names] if one else list(names)  # type: ignore[arg-type]
    if len(given) not in (1, 2, 4):
        raise OptionError(
            f"{len(given)} bots were named; name 1 (all seats), 2 (teams) or 4 (seats)"
        )
    # One object a name, so that it is compiled once.
    keys = [item if isinstance(item, str) else id(item) for item in given]
    by_key = {key: bot(item) for key, item in zip(keys, given, strict=True)}
    found = [by_key[key] for key in keys]
    a, b, c, d = (found * 4)[:4]
    return a, b, c, d
