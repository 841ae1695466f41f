"""Bots in plain Python: any object that is asked for a move by ``choose(view)``.

Nothing of it is compiled, so it may be a neural network or a player elsewhere. The loop calls it
as it calls a compiled bot, through a `PythonSeat`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from .. import layout as lay
from ..cards import CARD_NUMBERS, parse_cards
from ..errors import AmbiguousMoveError, BotError, GuandanError
from ..moves import PASS_MOVE, Move, readings
from ..view import View
from .failures import failure_text

__all__ = ["PythonBot", "PythonSeat", "is_python", "python_parts"]

#: What is called in the roles of `guandan_sim.bots.ROLES`.
_METHODS = ("choose", "choose_tribute", "choose_return")


class PythonBot(Protocol):
    """A bot in plain Python. It may also have ``choose_tribute(view)`` and ``choose_return(view)``,
    which return the code of a card.

    An object plays at all its seats and in all threads, so it keeps nothing of a deal; that is
    what `View.memory` is for. Of a class each seat of each table gets an object of its own, made
    without arguments.
    """

    def choose(self, view: View, /) -> Move | str | None:
        """A legal move of ``view``: a `Move`, its text, or None to pass. It is called only where
        there is another than to pass.
        """


def is_python(thing: object) -> bool:
    """Whether this is a Python bot, or a class of them."""
    return callable(getattr(thing, "choose", None))


def python_parts(player: Any) -> tuple[Any, ...]:
    """The classes of a Python bot and their functions: its code, for `fingerprint`."""
    kinds = [kind for kind in _kind(player).__mro__ if kind is not object]
    parts = [part for kind in kinds for part in vars(kind).values()]
    return (*kinds, *filter(inspect.isfunction, parts))


def _kind(player: Any) -> type:
    return player if inspect.isclass(player) else type(player)


class PythonSeat:
    """A Python bot as it sits at a table, called as a compiled one is. Raises `BotError` for all
    that it does wrong but for illegal moves and cards, of which the loop tells.
    """

    def __init__(self, name: str, player: Any) -> None:
        self._name = name
        self._memory: dict[Any, Any] = {}
        try:
            self._player = player() if inspect.isclass(player) else player
        except Exception as error:
            raise BotError(
                f"bot {name}: {player.__name__}() raised {type(error).__name__}: {error}; a class "
                "is called without arguments, so name an object of it where it needs some"
            ) from error

    def has(self, role: int) -> bool:
        """Whether the bot itself chooses in this role."""
        return callable(getattr(self._player, _METHODS[role], None))

    def function(self, role: int) -> Callable[[np.ndarray, np.ndarray, np.ndarray], int] | None:
        """What a loop calls in this role; None if the bot does not choose in it."""
        if not self.has(role):
            return None

        def choose(words: np.ndarray, scratch: np.ndarray, out: np.ndarray) -> int:
            # Scratch is cleared for every deal.
            if scratch[0] == 0:
                scratch[0] = 1
                self._memory = {}
            return self.ask(role, words.copy(), self._memory, out)

        return choose

    def ask(self, role: int, words: np.ndarray, memory: dict[Any, Any], out: np.ndarray) -> int:
        """Have the bot choose with the view of these words, and write to ``out``; 0."""
        words.flags.writeable = False
        view = View.from_words(words, memory)
        try:
            answer = getattr(self._player, _METHODS[role])(view)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a bot that calls sys.exit among them
            raise BotError(failure_text(self._name, int(words[lay.V_SEAT]), error)) from error
        if role:
            out[lay.OUT_CARD] = self._card(role, view, answer)
        else:
            out[:] = self._move(view, answer)
        return 0

    def _move(self, view: View, answer: Any) -> tuple[int, int, int, int]:
        if answer is None:
            return PASS_MOVE.words
        try:
            if isinstance(answer, str):
                answer = _parsed(answer, view)
            if isinstance(answer, Move):
                return answer.words
        except GuandanError as error:
            raise self._wrong(0, view, answer, str(error)) from error
        raise self._wrong(0, view, answer, "a Move, its text, or None to pass, is needed")

    def _card(self, role: int, view: View, answer: Any) -> int:
        needed = "the code of a card, such as 'S9', is needed"
        if not isinstance(answer, str):
            raise self._wrong(role, view, answer, needed)
        try:
            (code,) = parse_cards(answer)
        except ValueError as error:
            raise self._wrong(role, view, answer, needed) from error
        return CARD_NUMBERS[code]

    def _wrong(self, role: int, view: View, answer: Any, why: str) -> BotError:
        try:
            shown = " ".join(repr(answer).split())
        except Exception:
            shown = "what cannot be shown"
        return BotError(
            f"bot {self._name} at seat {view.seat} returned {shown[:100]} "
            f"({type(answer).__name__}) from {_METHODS[role]}: {why}"
        )


def _parsed(text: str, view: View) -> Move:
    """The move that ``text`` writes. Bare cards may be ambiguous only among legal moves."""
    try:
        return Move.parse(text, view.level, view.rules)
    except AmbiguousMoveError:
        legal = [
            move for move in readings(text, view.level, view.rules) if view.allows(*move.words)
        ]
        if len(legal) != 1:
            raise
        return legal[0]
