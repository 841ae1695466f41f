"""The command line.

Errors are one line on stderr; the exit code tells bad input (2) from failure (1).
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from typer.exceptions import TyperException

from ._version import __version__
from .commands import arena, engine, experiment, lists, logs, simulate
from .commands.common import FailureError
from .errors import BackendError, GuandanError
from .progress import INTERRUPTED, note

__all__ = ["app", "main"]

FAILED = 1
BAD_INPUT = 2

app = typer.Typer(
    name="guandan-sim",
    help="Play bot-against-bot Guandan by the rules, millions of deals, and write them as Parquet.",
    epilog=(
        "Exit codes: 0 fine; 1 failed (a run that does not verify or cannot be read, a bot that "
        "failed, workers lost, a folder that cannot be written or is being written by another "
        "process); 2 bad input (what is unknown, out of range or not there, a folder that holds "
        "something, a run of other settings); 130 stopped by Ctrl-C.\n\n"
        "Example: guandan-sim simulate --deals 10k --bots greedy,random"
    ),
    rich_markup_mode="rich",
    add_completion=False,
    pretty_exceptions_show_locals=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"guandan-sim {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


for module in (simulate, arena, experiment, logs, lists, engine):
    app.add_typer(module.commands)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (by default the process's own) and return its exit code.

    That whoever reads the output has left, as `head` does, is no failure.
    """
    code = 0
    try:
        code = _run(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        pass
    except SystemExit as ended:  # by which Typer answers to it
        if not isinstance(ended.__context__, BrokenPipeError):
            raise
    # Nothing more is said, nor tried when the process ends.
    if sys.__stdout__ is not None:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())
    return code


def _run(arguments: Sequence[str] | None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)  # where users keep their bots
    try:
        code = app(given or ["--help"], prog_name="guandan-sim", standalone_mode=False, obj=given)
    except (FailureError, BackendError) as error:
        return _say(str(error), FAILED)
    except GuandanError as error:
        return _say(str(error), BAD_INPUT)
    except TyperException as error:
        return _say(error.format_message().replace("Value error, ", ""), BAD_INPUT)
    except typer.Abort:
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def _say(message: str, code: int) -> int:
    note(f"error: {' '.join(message.split())}")
    return code
