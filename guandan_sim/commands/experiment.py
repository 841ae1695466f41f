"""`experiment`: the same deals played in other ways."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table

from ..backends import chosen_backend
from ..designs import EXPERIMENTS, design
from ..errors import OptionError
from ..experiments import experiment_report, play_design
from ..options import chosen_bots, chosen_rules, whole_number
from ..progress import Watch
from ..sessions import Where
from .common import (
    AsJson,
    BackendName,
    BotNames,
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
    show,
    show_result,
    typed,
)

__all__ = ["commands"]

commands = typer.Typer()


@commands.command(
    "experiment",
    epilog=(
        "Examples: guandan-sim experiment tribute-off --bots planner --sets 20k --out runs/a\n\n"
        "guandan-sim experiment rules --against pagat --against wikipedia\n\n"
        "guandan-sim experiment --report runs/a"
    ),
)
def experiment_command(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Without it they are listed.", show_default=False),
    ] = None,
    bots: BotNames = "greedy",
    sets: Annotated[
        str, typer.Option("--sets", metavar="N", help="Play N deals, each in every arm.")
    ] = "10k",
    seed: Seed = "0",
    rules: RuleNames = "guide",
    changes: RuleChanges = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="RULES",
            help="Of rules: a preset or file to compare --rules with; repeatable.",
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
    """Play the same deals in other ways, as without tribute, and say what that changes."""
    if report is not None:
        reported(context, report, experiment_report, as_json)
        return
    if name is None:
        if any(typed(context, option) for option in context.params):
            raise OptionError(f"name an experiment; there are {', '.join(EXPERIMENTS)}")
        table = Table("experiment", "what it tells", box=SIMPLE)
        for each, sentence in EXPERIMENTS.items():
            table.add_row(each, sentence)
        show(table)
        return
    number = checked_place(out, log, resume, backend, workers, scheduler)
    # Whatever is wrong is said before a compilation, which takes most of a minute.
    found = design(
        name,
        bots=chosen_bots(bots),
        sets=whole_number(sets, "--sets", 1),
        seed=checked_seed(seed),
        rules=chosen_rules(rules, changes or []),
        log=log,
        level=level,
        previous_order=None if previous_order == "none" else previous_order,
        against=against,
    )
    watch = Watch("sets", quiet)
    finished = finished_at(out, quiet) if out and resume else None
    command = command_line(context)
    with playing(watch, [arm.bots for arm in found.arms], quiet, command, out):
        result = play_design(
            found,
            Where(
                out,
                resume,
                chosen_backend(backend, scheduler, number),
                number,
                scheduler,
                watch.simulation,
                command,
            ),
        )
    show_result(result, as_json, finished, new=True)
