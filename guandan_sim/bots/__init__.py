"""The bots, by name; a user's own by import path.

A bot is three functions with one signature, ``f(view, scratch, out) -> int``: int64 arrays of
VIEW_SIZE words (read-only), SCRATCH_SIZE words (kept through a deal, zero at its start) and
OUT_SIZE words; see `guandan_sim.layout`. ``play`` writes shape, rank and the two words of its cards
to ``out``, ``tribute`` and ``give_back`` the number of a card; 0 is returned for a choice made,
anything else stops the run with a `BotError`. They are plain Python that Numba can compile.
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
from ..bitboard import PACK, contains
from ..cards import CARD_CODES, RANK_WORDS, Cards, card_codes, parse_cards
from ..checks import check_seat, check_seed
from ..errors import BotError, OptionError
from ..jit import BOT_ARGUMENTS, DISABLED, Words, cache_dir, compile_function
from ..moves import PASS_MOVE, Move
from ..rng import word
from ..rulefiles import RulesName, resolve_rules
from ..shapes import PASS, SHAPE_WORDS, is_declaration
from ..tribute import choice_mask
from ..view import View, card_view
from . import greedy, random
from .fingerprint import fingerprint

__all__ = ["BUILT_IN", "Bot", "BotFunction", "BotName", "bot", "bots_by_seat"]

BotFunction = Callable[[Any, Any, Any], int]

#: A bot's functions.
ROLES = ("play", "tribute", "give_back")


@dataclass(frozen=True)
class Bot:
    """A named bot. ``tribute`` and ``give_back`` default to the weakest card that may go, as
    `greedy` chooses.

    ``version`` goes into logs: raise it when decisions change.
    """

    name: str
    play: BotFunction
    tribute: BotFunction = greedy.choose_card
    give_back: BotFunction = greedy.choose_card
    version: str = "1"

    @property
    def built_in(self) -> bool:
        """Whether it is one of ours, whose moves need no checking."""
        return BUILT_IN.get(self.name) is self

    @cached_property
    def source(self) -> str:
        """Twelve hex digits that change with a user's code; empty for a built-in bot, whose version
        tells.
        """
        if self.built_in:
            return ""
        prints = [key or b"" for key in self.keys.values()]
        return hashlib.sha256(b"|".join(prints)).hexdigest()[:12]

    @cached_property
    def keys(self) -> dict[str, bytes | None]:
        """The `fingerprint` of each function, by which its compiled code is kept."""
        return {role: fingerprint(getattr(self, role)) for role in ROLES}

    @cached_property
    def compiled(self) -> tuple[Any, Any, Any]:
        """The three functions compiled for the loop. `BotError` says what does not fit the
        signature.
        """
        done: dict[int, Any] = {}
        for role in ROLES:
            function = getattr(self, role)
            if id(function) not in done:
                done[id(function)] = self._compile(role, function)
        return done[id(self.play)], done[id(self.tribute)], done[id(self.give_back)]

    def _compile(self, role: str, function: Any) -> Any:
        function = getattr(function, "py_func", function)
        if inspect.isfunction(function):
            wanted = len(inspect.signature(function).parameters)
            if wanted != 3:
                raise BotError(
                    f"bot {self.name}: {role} takes {wanted} arguments; "
                    "it must take three: view, scratch, out"
                )
        else:
            raise BotError(
                f"bot {self.name}: {role} is {function!r}; "
                "it must be a function f(view, scratch, out)"
            )
        own = self.built_in or function is greedy.choose_card
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
                f"bot {self.name}: {role} does not compile: {_compile_problem(error)}"
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
        Raises `BotError` for an illegal move, an exception, or an answer other than 0.

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
        hand: Cards,
        level: str,
        receiver: int,
        rules: RulesName = "guide",
        seed: int = 0,
        seat: int | None = None,
    ) -> str:
        """The card to give to ``receiver``; ``seat`` is the payer's, by default the receiver's
        right-hand neighbour.
        """
        payer = (check_seat(receiver, "receiver") + 1) % 4 if seat is None else check_seat(seat)
        view = card_view(hand, level, payer, resolve_rules(rules), giver=payer, receiver=receiver)
        return self._choose_card(1, view, seed)

    def choose_return(
        self,
        hand: Cards,
        level: str,
        received: str,
        giver: int,
        rules: RulesName = "guide",
        seed: int = 0,
        seat: int | None = None,
    ) -> str:
        """The card to return to ``giver`` for ``received``, which ``hand`` holds or not yet.

        ``seat`` is the receiver's, by default the one to whose right the giver sits.
        """
        receiver = (check_seat(giver, "giver") + 3) % 4 if seat is None else check_seat(seat)
        (received,) = parse_cards([received])
        cards = parse_cards(hand)
        if received not in cards:
            cards.append(received)
        rules = resolve_rules(rules)
        view = card_view(
            cards, level, receiver, rules, giver=giver, receiver=receiver, card=received
        )
        return self._choose_card(2, view, seed)

    def _choose_card(self, role: int, view: View, seed: int) -> str:
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
        function = self.compiled[role]
        try:
            answer = function(words, memory, out)
        except Exception as error:
            raise BotError(failure_text(self.name, view.seat, error)) from error
        if answer != 0:
            raise BotError(
                f"bot {self.name} at seat {view.seat} returned {answer}; 0 means a choice made"
            )
        return out


def _compile_problem(error: Exception) -> str:
    """What Numba says, in a line; a write to the view, which it words at length, in plain words."""
    text = " ".join(str(error).split())
    if "setitem" in text and "readonly array" in text:
        return "it writes to the view, which is read-only; a bot writes to scratch and out"
    if "Untyped global name" in text:
        what = text.partition("Untyped global name")[2].split(":")[0].strip(" '")
        return (
            f"Numba does not know {what!r}; a helper function must be compiled too: put "
            "@numba.njit before it"
        )
    return text[:300]


def failure_text(name: str, seat: int, error: Exception) -> str:
    """What is said of a bot that raised."""
    return f"bot {name} at seat {seat} raised {type(error).__name__}: {error}"


def illegal_card_text(name: str, seat: int, number: int, mask: int) -> str:
    """What is said of a bot that chose this card number to give or return, not one of ``mask``."""
    return (
        f"bot {name} at seat {seat} chose card {number} ({CARD_CODES.get(number, 'no card')}); "
        f"it may choose {' '.join(card_codes(mask))}"
    )


def illegal_move_text(name: str, view: Words, written: Sequence[int]) -> str:
    """What is said of a bot that wrote these four words as its move when it had this view."""
    shape, rank, one, two = written
    where = f"bot {name} at seat {view[lay.V_SEAT]}"
    if not 0 <= shape < len(SHAPE_WORDS) or not 0 <= rank < 16:
        return f"{where} wrote shape {shape}, rank {rank}; shapes are 0..10, ranks 0..15"
    if one & ~PACK or two & ~one:
        return f"{where} wrote the words {one:#x}, {two:#x}: no cards, or `two` not within `one`"
    if shape == PASS and (rank or one):
        return f"{where} made the illegal move 'pass' with a rank or cards"
    move = Move.from_words(shape, rank, one, two)
    rules = view[lay.V_RULES : lay.V_RULES + lay.RULES_SIZE].tolist()
    level = int(view[lay.V_LEVEL])
    if shape == PASS:
        why = "it leads and must play"
    elif not contains(int(view[lay.V_ONE]), int(view[lay.V_TWO]), one, two):
        why = "it does not hold these cards"
    elif not is_declaration(
        shape, rank, one, two, level, rules[lay.R_MAX_BOMB], rules[lay.R_JOKER_PAIR]
    ):
        why = f"the cards are no such combination at level {RANK_WORDS[level]}"
    else:
        beaten = Move.from_words(*view[lay.V_BEAT_SHAPE : lay.V_BEAT_TWO + 1].tolist())
        why = f"it does not beat '{beaten}'"
    return f"{where} made the illegal move '{move}': {why}"


#: How a bot may be named: by name or import path, as a `Bot`, or as a play function.
BotName = str | Bot | BotFunction

BUILT_IN: dict[str, Bot] = {
    "random": Bot("random", random.play, random.choose_card, random.choose_card),
    "greedy": Bot("greedy", greedy.play),
}


def bot(name: BotName) -> Bot:
    """The bot of that name, or from an import path ``"module:attribute"`` (a `Bot`, or a play
    function alone).

    Raises `BotError` for an unknown name or a path that does not lead to a bot.

    >>> bot("greedy").name
    'greedy'
    """
    if isinstance(name, Bot):
        return name
    if callable(name):
        return Bot(getattr(name, "__name__", "bot"), name)
    if name in BUILT_IN:
        return BUILT_IN[name]
    module_name, colon, attribute = str(name).partition(":")
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
        return replace(found, name=name)
    return Bot(name, found)


def bots_by_seat(names: BotName | Sequence[BotName]) -> tuple[Bot, Bot, Bot, Bot]:
    """Four bots from one name (all seats), two (teams) or four (seats)."""
    one = isinstance(names, str | Bot) or callable(names)
    if not one and not isinstance(names, Sequence):
        raise OptionError(f"bots are {names!r}; name 1 (all seats), 2 (teams) or 4 (seats)")
    given: list[Any] = [names] if one else list(names)  # type: ignore[arg-type]
    if len(given) not in (1, 2, 4):
        raise OptionError(
            f"{len(given)} bots were named; name 1 (all seats), 2 (teams) or 4 (seats)"
        )
    # One object a name, so that it is compiled once.
    by_name = {item: bot(item) for item in given}
    found = [by_name[item] for item in given]
    a, b, c, d = (found * 4)[:4]
    return a, b, c, d
