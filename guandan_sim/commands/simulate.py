"""`simulate`: play deals or matches."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from ..errors import OptionError
from ..options import chosen_bots, chosen_rules, whole_number
from ..progress import Watch
from ..settings import order_word
from ..simulate import Result, simulate
from ..summarytable import summary_table
from .common import (
    BackendName,
    BotNames,
    LevelName,
    LogName,
    Out,
    PreviousOrder,
    Quiet,
    Resume,
    RuleChanges,
    RuleNames,
    Scheduler,
    Seed,
    WorkerCount,
    checked_place,
    checked_seed,
    command_line,
    finished_at,
    playing,
    written_lines,
)

__all__ = ["commands"]

commands = typer.Typer()


@commands.command(
    "simulate",
    epilog="Example: guandan-sim simulate --matches 2k --bots greedy,random --seed 1 --out runs/a",
)
def simulate_command(
    context: typer.Context,
    deals: Annotated[
        str | None,
        typer.Option("--deals", metavar="N", help="Play N independent deals: 1000, 10k, 1e6, 1M."),
    ] = None,
    matches: Annotated[
        str | None,
        typer.Option("--matches", metavar="N", help="Play N whole matches, tribute and all."),
    ] = None,
    bots: BotNames = "random",
    rules: RuleNames = "guide",
    changes: RuleChanges = None,
    seed: Seed = "0",
    out: Out = None,
    log: LogName = "plays",
    backend: BackendName = None,
    workers: WorkerCount = None,
    scheduler: Scheduler = None,
    resume: Resume = False,
    level: LevelName = None,
    previous_order: PreviousOrder = None,
    quiet: Quiet = False,
) -> None:
    """Play deals or matches, show what happened, and write it."""
    if (deals is None) == (matches is None):
        raise OptionError("give either --deals N or --matches N")
    number = checked_place(out, log, resume, backend, workers, scheduler)
    unit = "deals" if matches is None else "matches"
    count = whole_number(deals or matches or "", f"--{unit}", 1)
    first_key = checked_seed(seed)
    if unit == "matches" and (level or previous_order):
        raise OptionError("--level and --previous-order are for --deals; a match has its own")
    # Whatever is wrong is said before a compilation, which takes most of a minute.
    given_order = order_word(previous_order)
    by_seat = chosen_bots(bots)
    system = chosen_rules(rules, changes or [])
    given_level = None if level is None else system.level_within(level)
    watch = Watch(unit, quiet)
    finished = finished_at(out, quiet) if out and resume else None
    command = command_line(context)
    with playing(watch, [by_seat], quiet, command, out):
        result = simulate(
            deals=count if unit == "deals" else None,
            matches=count if unit == "matches" else None,
            bots=by_seat,
            rules=system,
            seed=first_key,
            out=out,
            log=log,
            backend=backend,
            workers=number,
            scheduler=scheduler,
            resume=resume,
            level=given_level,
            previous_order=given_order,
            progress=watch.simulation,
            command=command,
        )
    console = Console(highlight=False, soft_wrap=True)
    summary = result.summary if isinstance(result, Result) else result.manifest["summary"]
    console.print(summary_table(summary, [bot.name for bot in by_seat]))
    if not isinstance(result, Result):
        for line in written_lines(result, finished):
            console.print(line, markup=False)
