"""`simulate`: play deals or matches."""

from __future__ import annotations

import shlex
import warnings
from typing import Annotated, Literal

import typer
from rich.console import Console

from ..backends import chosen_backend
from ..errors import BotError, OptionError, RunError, RunWarning
from ..options import chosen_bots, chosen_rules, whole_number
from ..progress import Watch, compile_first, note
from ..report import summary_table
from ..settings import order_word
from ..simulate import Result, simulate
from .common import (
    MOST_SEED,
    BotNames,
    FailureError,
    LevelName,
    PreviousOrder,
    Quiet,
    RuleChanges,
    RuleNames,
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
    seed: Annotated[
        str, typer.Option("--seed", metavar="N", help="The same seed gives the same run.")
    ] = "0",
    out: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="FOLDER", help="Write a run there, a folder or a URL; else nothing."
        ),
    ] = None,
    log: Annotated[
        Literal["plays", "deals", "none"],
        typer.Option("--log", help="The finest table to write."),
    ] = "plays",
    backend: Annotated[
        Literal["threads", "loky", "dask"] | None,
        typer.Option(
            "--backend",
            help="Who plays: threads, or processes by loky or Dask.",
            show_default="threads; dask with --scheduler",
        ),
    ] = None,
    workers: Annotated[
        str | None,
        typer.Option(
            "--workers", metavar="N", help="Threads or processes; otherwise one for each core."
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="ADDRESS",
            help="Play on the workers of a Dask scheduler, such as tcp://host:8786; "
            "they must see the folder of --out.",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the unfinished run in --out.")
    ] = False,
    level: LevelName = None,
    previous_order: PreviousOrder = None,
    quiet: Quiet = False,
) -> None:
    """Play deals or matches, show what happened, and write it."""
    if (deals is None) == (matches is None):
        raise OptionError("give either --deals N or --matches N")
    if resume and out is None:
        raise OptionError("--resume goes on with a run; name its folder with --out")
    unit = "deals" if matches is None else "matches"
    count = whole_number(deals or matches or "", f"--{unit}", 1)
    first_key = whole_number(seed, "--seed", 0, MOST_SEED)
    number = None if workers is None else whole_number(workers, "--workers", 1, 1024)
    chosen_backend(backend, scheduler, number)
    if unit == "matches" and (level or previous_order):
        raise OptionError("--level and --previous-order are for --deals; a match has its own")
    # Whatever is wrong is said before a compilation, which takes most of a minute.
    given_order = order_word(previous_order)
    by_seat = chosen_bots(bots)
    system = chosen_rules(rules, changes or [])
    given_level = None if level is None else system.level_within(level)
    watch = Watch(unit, quiet)
    finished = _finished(out) if out and resume else None
    command = shlex.join(["guandan-sim", *context.obj])
    again = command if resume else f"{command} --resume"
    advice = f"; finished parts are kept, go on with: {again}"
    try:
        compile_first(by_seat, quiet)
        with (
            warnings.catch_warnings(record=True, action="always", category=RunWarning) as warned,
            watch.shown(advice if out and log != "none" else ""),
        ):
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
    except BotError as error:
        raise FailureError(str(error)) from error
    except RunError as error:
        if isinstance(error.__cause__, OSError):
            raise FailureError(str(error)) from error
        raise
    for warning in warned:
        note(f"warning: {warning.message}")
    console = Console(highlight=False, soft_wrap=True)
    summary = result.summary if isinstance(result, Result) else result.manifest["summary"]
    console.print(summary_table(summary, [bot.name for bot in by_seat]))
    if not isinstance(result, Result):
        rows = result.manifest["rows"]
        for name, digest in result.manifest["content_hash"].items():
            console.print(f"  {name}: {rows[name]:,} rows, content hash {digest[:16]}")
        told = "written to"
        if finished is not None and finished == result.manifest.get("finished"):
            told = "was finished before, nothing was played:"
        console.print(f"  {told} {result.folder}", markup=False)


def _finished(out: str) -> object:
    """When the run there was finished; None if it was not, or there is none."""
    from ..runs import open_run

    try:
        return open_run(out).manifest.get("finished")
    except RunError:
        return None
