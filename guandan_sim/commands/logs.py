"""`report`, `verify` and `replay`: look into a run.

What reads runs is imported when a command needs it: every other start would wait for Arrow.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from ..bots import bots_by_seat
from ..errors import BotError, NoSuchSetError, OptionError, RunError, printable
from ..options import chosen_bots, chosen_rules, whole_number
from ..progress import Watch, compile_first, note
from ..warming import is_compiled
from .common import (
    BotNames,
    FailureError,
    LevelName,
    PreviousOrder,
    Quiet,
    RuleChanges,
    RuleNames,
    RunFolder,
    checked_seed,
    open_run_to_read,
    typed,
)

if TYPE_CHECKING:
    from ..stats import Report

__all__ = ["commands"]

commands = typer.Typer()


_MOST_PROBLEMS = 20
# Options of `replay` that say what to play; a RUN says that itself.
_FOR_RUNS = ("deal", "arm")
_FOR_SEEDS = ("number", "bots", "rules", "changes", "level", "previous_order")


@commands.command(
    "report",
    epilog=(
        "Examples: guandan-sim report runs/a\n\n"
        "guandan-sim report runs/a --html a.html --definitions"
    ),
)
def report_command(
    run: RunFolder,
    html: Annotated[
        str | None,
        typer.Option("--html", metavar="FILE", help="Also write one page with figures."),
    ] = None,
    definitions: Annotated[
        bool, typer.Option("--definitions", help="Say of each table what it is.")
    ] = False,
    tables: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            metavar="KEY",
            help="Print this table alone, by the word that stands behind its title; repeatable.",
        ),
    ] = None,
    arm: Annotated[
        str, typer.Option("--arm", metavar="N", help="Print the tables of that arm.")
    ] = "0",
    plans: Annotated[
        str,
        typer.Option(
            "--plans", metavar="N", help="Work out the best plans of the hands of so many deals."
        ),
    ] = "200k",
    workers: Annotated[
        str | None,
        typer.Option(
            "--workers",
            metavar="N",
            help="Threads, each with a part in memory; otherwise one for each core, at most eight.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, for programs, of all tables and arms.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Answer questions from a run: tribute, what cards are worth, how deals are played."""
    from ..stats import report

    _check_tables(tables)
    if html == "-":
        raise OptionError("--html is '-': name a file to write the page to")
    of_arm = whole_number(arm, "--arm", 0)
    deals = whole_number(plans, "--plans", 0)
    threads = None if workers is None else whole_number(workers, "--workers", 1, 1024)
    found = open_run_to_read(run)
    if not quiet and not is_compiled("report"):
        note("compiling the statistics, once on this machine")
    watch = Watch("parts", quiet)
    try:
        if html is not None:
            from ..reporthtml import check_html

            check_html(html)  # before the work
        with watch.shown():
            made = report(found, plans=deals, workers=threads, progress=watch.count)
        if of_arm >= len(made.arms):
            last = len(made.arms) - 1
            there = f"arms 0 to {last}" if last else "one arm, 0"
            raise OptionError(f"--arm is {of_arm}; {run} has {there}")
        if html is not None:
            made.html(html)
    except OptionError:
        raise
    except RunError as error:
        raise FailureError(str(error)) from error
    if as_json:
        print(json.dumps(made.as_dict(), ensure_ascii=False))
        return
    for line in _report_lines(made, tables, definitions, of_arm):
        print(printable(line))
    if html is not None:
        print(f"\n  written to {html}")


def _report_lines(
    made: Report, keys: list[str] | None, definitions: bool, arm: int
) -> Iterator[str]:
    """The whole report as text, or the tables of an arm that have these keys."""
    from ..reportpage import report_text, table_lines

    if not keys:
        yield from report_text(made, definitions, arm).split("\n")
        return
    for number, key in enumerate(keys):
        if number:
            yield ""
        if key not in made.arms[arm]:
            raise OptionError(f"--table is {key!r}, of which this run says nothing")
        yield from table_lines(made.arms[arm][key], definitions)


def _check_tables(keys: list[str] | None) -> None:
    """Raise OptionError for a key of no table."""
    from ..stats import CHAPTERS

    known = [each.key for _, statistics in CHAPTERS for each in statistics]
    for key in keys or ():
        if key not in known:
            raise OptionError(f"--table is {key!r}; there are {', '.join(known)}")


@commands.command("verify", epilog="Example: guandan-sim verify runs/a")
def verify_command(run: RunFolder, quiet: Quiet = False) -> None:
    """Check a run: its files against its manifest, and every play against the rules."""
    from ..verify import verify

    found = open_run_to_read(run)
    compile_first(bots_by_seat("random"), quiet=quiet)
    watch = Watch("parts", quiet)
    started = time.perf_counter()
    try:
        with watch.shown():
            report = verify(found, progress=watch.count, checking=watch.checking)
    except RunError as error:
        raise FailureError(str(error)) from error
    seconds = time.perf_counter() - started
    if not report.ok:
        with contextlib.suppress(BrokenPipeError):  # it does not verify, whoever reads that
            for problem in report.problems[:_MOST_PROBLEMS]:
                print(f"- {printable(problem)}")
            if len(report.problems) > _MOST_PROBLEMS:
                print(f"- and {len(report.problems) - _MOST_PROBLEMS:,} more")
        raise FailureError(f"{run} does not verify; problems found: {len(report.problems):,}")
    print(f"{run}: {report} ({seconds:.1f} s)")


@commands.command(
    "replay",
    epilog=(
        "Examples: guandan-sim replay runs/a 12 --deal 3\n\n"
        "guandan-sim replay --seed 7 --number 12 --bots greedy"
    ),
)
def replay_command(
    context: typer.Context,
    run: Annotated[
        str | None,
        typer.Argument(metavar="RUN", help="Folder or URL of a run.", show_default=False),
    ] = None,
    set_number: Annotated[
        str | None,
        typer.Argument(metavar="SET", help="Match or deal of it, from 0.", show_default=False),
    ] = None,
    deal: Annotated[
        str | None, typer.Option("--deal", metavar="N", help="One deal of the match, from 0.")
    ] = None,
    arm: Annotated[
        str, typer.Option("--arm", metavar="N", help="Which arm of a run that has several.")
    ] = "0",
    seed: Annotated[
        str | None,
        typer.Option("--seed", metavar="N", help="Instead of a run: play a deal of this seed."),
    ] = None,
    number: Annotated[
        str, typer.Option("--number", metavar="N", help="Which deal of the seed, from 0.")
    ] = "0",
    bots: BotNames = "random",
    rules: RuleNames = "guide",
    changes: RuleChanges = None,
    level: LevelName = None,
    previous_order: PreviousOrder = None,
    thinking: Annotated[
        bool, typer.Option("--thoughts", help="With what planner thinks of each decision.")
    ] = False,
) -> None:
    """Show a deal as text: hands, tribute, each play with its declaration, finishing order."""
    from ..replay import replay_run, replay_seed

    if (run is None) == (seed is None):
        raise OptionError("give either a RUN and the number of a SET, or --seed N")
    for name in _FOR_SEEDS if run is not None else _FOR_RUNS:
        if typed(context, name):
            option = "set" if name == "changes" else name.replace("_", "-")
            raise OptionError(f"--{option} goes with {'--seed' if run is not None else 'a RUN'}")
    if run is not None:
        if set_number is None:
            raise OptionError(f"name the set of {run} to show by its number, from 0")
        which = whole_number(set_number, "SET", 0)
        one = None if deal is None else whole_number(deal, "--deal", 0)
        of_arm = whole_number(arm, "--arm", 0)
        found = open_run_to_read(run)
        try:
            print(replay_run(found, which, one, of_arm, thinking))
        except NoSuchSetError:
            raise
        except RunError as error:
            raise FailureError(str(error)) from error
        return
    first_key = checked_seed(seed or "")
    which = whole_number(number, "--number", 0)
    by_seat = chosen_bots(bots)
    system = chosen_rules(rules, changes or [])
    try:
        compile_first(by_seat)
        print(replay_seed(first_key, which, by_seat, system, level, previous_order, thinking))
    except BotError as error:
        raise FailureError(str(error)) from error
