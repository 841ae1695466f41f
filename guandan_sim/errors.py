"""Every error that the package raises on purpose; all derive from :class:`GuandanError`."""

from __future__ import annotations

__all__ = [
    "AmbiguousMoveError",
    "BackendError",
    "BenchError",
    "BotError",
    "CardParseError",
    "GuandanError",
    "HandError",
    "IllegalMoveError",
    "MoveParseError",
    "NoSuchSetError",
    "OptionError",
    "RulesError",
    "RunError",
    "RunWarning",
    "one_line",
    "printable",
]


def printable(text: str) -> str:
    r"""``text`` in one line that may be shown on a terminal: other characters by their escapes.

    >>> print(printable("a\x1b[2J"))
    a\x1b[2J
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class GuandanError(ValueError):
    """Base of all errors of this package. The message names the value and what would be right."""


class CardParseError(GuandanError):
    """A text or list that does not name cards, e.g. ``"S1"`` or a level ``"11"``."""


class HandError(GuandanError):
    """Cards that two packs cannot give: a third copy, or a hand of the wrong size."""


class MoveParseError(GuandanError):
    """A text that is not a move in the form ``"shape rank: cards"``."""


class AmbiguousMoveError(MoveParseError):
    """Bare cards with several readings; the message lists them."""


class IllegalMoveError(GuandanError):
    """A well-formed move, card or seat that the rules do not allow here."""


class RulesError(GuandanError):
    """An unknown preset or switch, or a value that the switch does not take."""


class OptionError(GuandanError):
    """An argument of a public function or command that is out of range."""


class BotError(GuandanError):
    """A bot that cannot be loaded, or that failed or played illegally in a deal."""


class RunError(GuandanError):
    """A run on disk that cannot be written, read, resumed or trusted."""


class NoSuchSetError(RunError):
    """A set or deal that a run does not have."""


class BackendError(GuandanError):
    """Workers that cannot be had, that were lost, or that run other code."""


class BenchError(GuandanError):
    """A measurement that failed, or a file of earlier figures that cannot be compared with."""


class RunWarning(UserWarning):
    """Something of a run that is not as it was written, and is played or written again."""


def one_line(error: BaseException) -> str:
    """What went wrong, in one line."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return printable(str(text).splitlines()[0])
