"""`warmup` and `bench`: the compiled engine itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..bots import bots_by_seat
from ..errors import BotError
from ..options import chosen_bots
from ..progress import compile_first, note
from ..simulate import warmup
from .common import BotNames, FailureError

__all__ = ["commands"]

commands = typer.Typer()


@commands.command("warmup", epilog="Example: guandan-sim warmup --bots my_module:my_bot,greedy")
def warmup_command(bots: BotNames = "random,greedy") -> None:
    """Compile the game and some bots ahead, so that the next start is quick."""
    by_seat = chosen_bots(bots)
    own = any(not bot.built_in for bot in by_seat)
    try:
        if compile_first(by_seat) is None:
            if own:
                warmup(by_seat)  # whether a user's own are compiled is seen only by compiling them
            print("everything is compiled" if own else "everything is compiled already")
    except BotError as error:
        raise FailureError(str(error)) from error


@commands.command("bench", epilog="Example: guandan-sim bench --json bench.json")
def bench_command(
    start: Annotated[
        bool, typer.Option("--start/--no-start", help="Measure cold and warm start, too.")
    ] = True,
    to: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures there.")
    ] = None,
) -> None:
    """Measure speed on one thread, and sign what is played."""
    from ..bench import bench, bench_table

    try:
        # Opened before measuring, so that a wrong name costs no minute.
        file = None if to is None else to.open("w", encoding="utf-8")
    except OSError as error:
        raise FailureError(f"cannot write {to}: {error.strerror}") from error
    compile_first(bots_by_seat(["random", "greedy"]))
    figures = bench(start=start, say=note)
    Console(highlight=False).print(bench_table(figures))
    if file is not None:
        with file:
            file.write(json.dumps(figures, indent=1) + "\n")
