"""`warmup` and `bench`: the compiled engine itself."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, TextIO

import typer
from rich.console import Console

from ..bots import bots_by_seat
from ..errors import BenchError, BotError
from ..options import chosen_bots
from ..progress import compile_first, note
from ..simulate import warmup
from .common import BotNames, FailureError

__all__ = ["commands"]

commands = typer.Typer()

#: Columns that the tables of `bench` take.
_TABLE_WIDTH = 104


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


@commands.command("bench", epilog="Example: guandan-sim bench --quick --json bench.json")
def bench_command(
    start: Annotated[
        bool, typer.Option("--start/--no-start", help="Measure cold and warm start, too.")
    ] = True,
    quick: Annotated[
        bool, typer.Option("--quick", help="A few short rounds: a first look, not a measurement.")
    ] = False,
    to: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures there.")
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option("--markdown", metavar="FILE", help="Write the table there, as Markdown."),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", metavar="FILE", help="Compare with figures written before."),
    ] = None,
) -> None:
    """Measure speed, and sign what is played."""
    from ..bench import QUICK, THOROUGH, bench
    from ..bench.baseline import compare, differences, read_figures
    from ..bench.own_bot import OWN
    from ..bench.tables import bench_table, changes_table, markdown, provenance

    # Whatever is wrong is said before minutes are spent on measuring.
    try:
        before = None if baseline is None else read_figures(baseline)
        with ExitStack() as stack:
            figures_file, page_file = (
                None if path is None else stack.enter_context(_opened(path)) for path in (to, page)
            )
            compile_first(bots_by_seat(["random", "greedy"]))
            compile_first(bots_by_seat(OWN))
            figures = bench(QUICK if quick else THOROUGH, start=start, say=note)
            if figures_file is not None:
                figures_file.write(json.dumps(figures, indent=1) + "\n")
            if page_file is not None:
                page_file.write(markdown(figures))
    except BenchError as error:
        raise FailureError(str(error)) from error
    console = Console(highlight=False)
    console.width = max(console.width, _TABLE_WIDTH)
    console.print(bench_table(figures))
    console.print(provenance(figures), markup=False)
    if before is not None:
        console.print(changes_table(compare(before, figures)))
        for line in differences(before, figures):
            console.print(f"not the same as before: {line}", markup=False)


def _opened(path: Path) -> TextIO:
    try:
        return path.open("w", encoding="utf-8")
    except OSError as error:
        raise FailureError(f"cannot write {path}: {error.strerror}") from error
