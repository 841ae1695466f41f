"""`arena`: bots against each other on the very same deals."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ..arena import arena, arena_report
from ..arms import line_ups, participants
from ..backends import chosen_backend
from ..errors import OptionError, RunError, printable
from ..meetings import ArenaResult
from ..options import chosen_rules, whole_number
from ..progress import Watch, note
from ..settings import order_word
from ..sprt import Sprt
from .common import (
    MOST_SEED,
    BackendName,
    FailureError,
    LevelName,
    LogName,
    Out,
    Quiet,
    Resume,
    RuleChanges,
    RuleNames,
    Scheduler,
    Seed,
    WorkerCount,
    command_line,
    finished_at,
    open_run_to_read,
    playing,
    written_lines,
)

__all__ = ["commands"]

commands = typer.Typer()

# Options that go with --report; whatever else was typed is of an arena to be played.
_OF_REPORTS = ("report", "as_json", "quiet")


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
    previous_order: Annotated[
        str,
        typer.Option(
            "--previous-order",
            metavar="ORDER",
            help="Finishing order before a deal, such as 0213, or random: it makes tribute due; "
            "none: no tribute.",
        ),
    ] = "random",
    report: Annotated[
        str | None,
        typer.Option("--report", metavar="RUN", help="Instead: report again what a run found."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
    quiet: Quiet = False,
) -> None:
    """Play bots against each other on the same deals from both sides, and say who is better."""
    if report is not None:
        _report(context, report, as_json)
        return
    if (sets is None) == (matches is None):
        raise OptionError("give either --sets N or --matches N")
    if resume and out is None:
        raise OptionError("--resume goes on with a run; name its folder with --out")
    if log == "none" and out is not None:
        raise OptionError("--log none writes nothing; leave it out, or --out")
    unit = "sets" if matches is None else "matches"
    count = whole_number(sets or matches or "", f"--{unit}", 1)
    first_key = whole_number(seed, "--seed", 0, MOST_SEED)
    number = None if workers is None else whole_number(workers, "--workers", 1, 1024)
    chosen_backend(backend, scheduler, number)
    typed_order = _typed(context, "previous_order")
    if matches is not None and (level or typed_order):
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
    _show(result, as_json)
    if result.run is not None:
        for line in written_lines(result.run, finished):
            if as_json:
                note(line.strip())
            else:
                print(line)


def _typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _report(context: typer.Context, place: str, as_json: bool) -> None:
    for name in context.params:
        if name not in _OF_REPORTS and _typed(context, name):
            raise OptionError("--report tells of a run that is there: it goes alone or with --json")
    found = open_run_to_read(place)
    try:
        result = arena_report(found)
    except RunError as error:
        raise FailureError(str(error)) from error
    _show(result, as_json)


def _show(result: ArenaResult, as_json: bool) -> None:
    if as_json:
        print(json.dumps(result.as_dict(), ensure_ascii=False))
        return
    # The names of a run from elsewhere are anything.
    for line in str(result).split("\n"):
        print(printable(line))
