"""`arena`: bots against each other on the very same deals."""

from __future__ import annotations

from typing import Annotated

import typer

from ..arena import arena, arena_report
from ..arms import line_ups, participants
from ..errors import OptionError
from ..options import chosen_rules, whole_number
from ..progress import Watch
from ..settings import order_word
from ..sprt import Sprt
from .common import (
    AsJson,
    BackendName,
    DrawnOrder,
    LevelName,
    LogName,
    Out,
    Quiet,
    ReportOf,
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
    reported,
    show_result,
    typed,
)

__all__ = ["commands"]

commands = typer.Typer()


@commands.command(
    "arena",
    epilog=(
        "Examples: guandan-sim arena greedy random --sets 10k --seed 1 --out runs/a\n\n"
        "guandan-sim arena my_bot:my_bot greedy --sets 100k --sprt 0 10\n\n"
        "guandan-sim arena --report runs/a"
    ),
)
def arena_command(
    context: typer.Context,
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BOT BOT ...",
            help="Two bots or more, by name or module:attribute; partners that differ as x+y.",
            show_default=False,
        ),
    ] = None,
    sets: Annotated[
        str | None,
        typer.Option("--sets", metavar="N", help="Play N deals, each from both sides."),
    ] = None,
    matches: Annotated[
        str | None,
        typer.Option("--matches", metavar="N", help="Play N whole matches, each from both sides."),
    ] = None,
    rules: RuleNames = "guide",
    changes: RuleChanges = None,
    seed: Seed = "0",
    rotate: Annotated[
        bool, typer.Option("--rotate", help="Mixed teams: also with partners changed about.")
    ] = False,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--sprt",
            metavar="ELO0 ELO1",
            help="Stop when it is clear which of two Elo differences is true, 5% for each error; "
            "looked at after every 1,024 sets.",
        ),
    ] = None,
    out: Out = None,
    log: LogName = "deals",
    backend: BackendName = None,
    workers: WorkerCount = None,
    scheduler: Scheduler = None,
    resume: Resume = False,
    level: LevelName = None,
    previous_order: DrawnOrder = "random",
    report: ReportOf = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Play bots against each other on the same deals from both sides, and say who is better."""
    if report is not None:
        reported(context, report, arena_report, as_json)
        return
    if (sets is None) == (matches is None):
        raise OptionError("give either --sets N or --matches N")
    number = checked_place(out, log, resume, backend, workers, scheduler)
    unit = "sets" if matches is None else "matches"
    count = whole_number(sets or matches or "", f"--{unit}", 1)
    first_key = checked_seed(seed)
    if matches is not None and (level or typed(context, "previous_order")):
        raise OptionError("--level and --previous-order are for --sets; a match has its own")
    # Whatever is wrong is said before a compilation, which takes most of a minute.
    order = None if matches is not None or previous_order == "none" else order_word(previous_order)
    teams = participants(bots or [])
    arms = line_ups(teams, rotate)
    if sprt is not None:
        Sprt(*sprt)
    system = chosen_rules(rules, changes or [])
    given_level = None if level is None else system.level_within(level)
    watch = Watch(unit, quiet)
    finished = finished_at(out, quiet) if out and resume else None
    command = command_line(context)
    with playing(watch, [arm.bots for arm in arms], quiet, command, out):
        result = arena(
            *[team.bots for team in teams],
            sets=count if unit == "sets" else None,
            matches=count if unit == "matches" else None,
            rules=system,
            seed=first_key,
            out=out,
            log=log,
            backend=backend,
            workers=number,
            scheduler=scheduler,
            resume=resume,
            level=given_level,
            previous_order=order,
            rotate=rotate,
            sprt=sprt,
            progress=watch.simulation,
            command=command,
        )
    show_result(result, as_json, finished, new=True)
