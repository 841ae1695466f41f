"""What the commands share: options, failures, a way to print."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

__all__ = [
    "MOST_SEED",
    "BotNames",
    "FailureError",
    "LevelName",
    "PreviousOrder",
    "Quiet",
    "RuleChanges",
    "RuleNames",
    "RunFolder",
    "show",
]

MOST_SEED = 2**63 - 1


class FailureError(Exception):
    """Not the user's input: ends the command with exit code 1 and this message."""


BotNames = Annotated[
    str,
    typer.Option(
        "--bots",
        metavar="NAMES",
        help="One bot for all seats, two for the teams or four by seat: a, a,b or a,b,c,d. "
        "Your own is module:attribute, a module found from the current folder.",
    ),
]
RuleNames = Annotated[
    str,
    typer.Option(
        "--rules",
        metavar="RULES",
        help="A preset (`guandan-sim rules` lists them) or a TOML file of rules.",
    ),
]
RuleChanges = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="SWITCH=VALUE",
        help="Change a switch of the rules, such as max_bomb=8 or pass_locks=yes; repeatable.",
    ),
]
LevelName = Annotated[
    str | None,
    typer.Option(
        "--level", metavar="LEVEL", help="Level of independent deals, 2 to A; otherwise drawn."
    ),
]
PreviousOrder = Annotated[
    str | None,
    typer.Option(
        "--previous-order",
        metavar="ORDER",
        help="Finishing order before an independent deal, such as 0213, or random: "
        "it makes tribute due.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
RunFolder = Annotated[
    str, typer.Argument(metavar="RUN", help="Folder or URL of a run.", show_default=False)
]


def show(table: Table) -> None:
    """Print a table."""
    Console(highlight=False).print(table)
