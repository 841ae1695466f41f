"""Guandan, simulated: millions of bot-vs-bot deals, exactly by the rules, as Parquet that a
notebook can question.

>>> import guandan_sim as gs
>>> len(gs.legal_moves("S9 D9 H2", level="2"))
7
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import exact
from ._version import __version__
from .arena import arena, arena_report
from .bots import Bot, bot
from .errors import (
    AmbiguousMoveError,
    BackendError,
    BotError,
    CardParseError,
    GuandanError,
    HandError,
    IllegalMoveError,
    MoveParseError,
    NoSuchSetError,
    OptionError,
    RulesError,
    RunError,
    RunWarning,
)
from .experiments import experiment, experiment_report
from .findings import ExperimentResult
from .layout import VIEW_VERSION
from .meetings import ArenaResult
from .moves import Move, legal_moves, readings
from .plans import Plan, plan
from .rulebook import (
    Settlement,
    Tribute,
    active_level,
    return_options,
    settle,
    tribute,
    tribute_options,
)
from .rulefiles import read_rules
from .rules import RULES_VERSION, Rules
from .schemas import SCHEMA_VERSION
from .simulate import simulate
from .table import Deal, Match
from .thinking import Thoughts, thoughts
from .view import View

if TYPE_CHECKING:
    from .runs import Run, open_run
    from .stats import Report, report

__all__ = [
    "RULES_VERSION",
    "SCHEMA_VERSION",
    "VIEW_VERSION",
    "AmbiguousMoveError",
    "ArenaResult",
    "BackendError",
    "Bot",
    "BotError",
    "CardParseError",
    "Deal",
    "ExperimentResult",
    "GuandanError",
    "HandError",
    "IllegalMoveError",
    "Match",
    "Move",
    "MoveParseError",
    "NoSuchSetError",
    "OptionError",
    "Plan",
    "Report",
    "Rules",
    "RulesError",
    "Run",
    "RunError",
    "RunWarning",
    "Settlement",
    "Thoughts",
    "Tribute",
    "View",
    "__version__",
    "active_level",
    "arena",
    "arena_report",
    "bot",
    "exact",
    "experiment",
    "experiment_report",
    "legal_moves",
    "open_run",
    "plan",
    "read_rules",
    "readings",
    "report",
    "return_options",
    "settle",
    "simulate",
    "thoughts",
    "tribute",
    "tribute_options",
]

_LATER = {"Run": "runs", "open_run": "runs", "Report": "stats", "report": "stats"}


def __getattr__(name: str) -> Any:
    """What reads runs is imported at its first use; it needs Arrow, which most starts do not."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_LATER[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*__all__, *_LATER})
