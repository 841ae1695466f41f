"""The command line.

Errors are one line on stderr; the exit code tells bad input (2) from failure (1).
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from typer.exceptions import TyperException

from ._version import __version__
from .bots import BUILT_IN, bots_by_seat
from .errors import BotError, GuandanError, OptionError, RunError
from .moves import legal_moves
from .options import chosen_bots, chosen_rules, whole_number
from .progress import INTERRUPTED, Watch, compile_first, note
from .replay import replay_run, replay_seed
from .report import summary_table
from .rules import Rules
from .runs import Run, open_run
from .settings import level_word, order_word
from .simulate import simulate
from .verify import verify

__all__ = ["app", "main"]

FAILED = 1
BAD_INPUT = 2

_MOST_SEED = 2**63 - 1
_MOST_PROBLEMS = 20

app = typer.Typer(
    name="guandan-sim",
    help="Play bot-against-bot Guandan by the rules, millions of deals, and write them as Parquet.",
    epilog=(
        "Exit codes: 0 fine; 1 failed (a run that does not verify, a bot that failed, a folder "
        "that cannot be written); 2 bad input; 130 stopped by Ctrl-C.\n\n"
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


class _FailureError(Exception):
    """Not the user's input: ends the command with exit code 1 and this message."""


_Bots = Annotated[
    str,
    typer.Option(
        "--bots",
        metavar="NAMES",
        help="One bot for all seats, two for the teams or four by seat: a, a,b or a,b,c,d. "
        "Your own is module:attribute, a module found from the current folder.",
    ),
]
_Preset = Annotated[
    str,
    typer.Option("--rules", metavar="PRESET", help="The rules; `guandan-sim rules` lists them."),
]
_Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="SWITCH=VALUE",
        help="Change a switch of the rules, such as max_bomb=8 or pass_locks=yes; repeatable.",
    ),
]
_Level = Annotated[
    str | None,
    typer.Option(
        "--level", metavar="LEVEL", help="Level of independent deals, 2 to A; otherwise drawn."
    ),
]
_Previous = Annotated[
    str | None,
    typer.Option(
        "--previous-order",
        metavar="ORDER",
        help="Finishing order before an independent deal, such as 0213, or random: "
        "it makes tribute due.",
    ),
]
_Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
_RunFolder = Annotated[
    Path, typer.Argument(metavar="RUN", help="Folder of a run.", show_default=False)
]


@app.command(
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
    bots: _Bots = "random",
    rules: _Preset = "guide",
    changes: _Changes = None,
    seed: Annotated[
        str, typer.Option("--seed", metavar="N", help="The same seed gives the same run.")
    ] = "0",
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Write a run there; else nothing is written."),
    ] = None,
    log: Annotated[
        Literal["plays", "deals", "none"],
        typer.Option("--log", help="The finest table to write."),
    ] = "plays",
    workers: Annotated[
        str | None,
        typer.Option("--workers", metavar="N", help="Threads; otherwise one for each core."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the unfinished run in --out.")
    ] = False,
    level: _Level = None,
    previous_order: _Previous = None,
    quiet: _Quiet = False,
) -> None:
    """Play deals or matches, show what happened, and write it."""
    if (deals is None) == (matches is None):
        raise OptionError("give either --deals N or --matches N")
    if resume and out is None:
        raise OptionError("--resume goes on with a run; name its folder with --out")
    unit = "deals" if matches is None else "matches"
    count = whole_number(deals or matches or "", f"--{unit}", 1)
    first_key = whole_number(seed, "--seed", 0, _MOST_SEED)
    threads = None if workers is None else whole_number(workers, "--workers", 1, 1024)
    if unit == "matches" and (level or previous_order):
        raise OptionError("--level and --previous-order are for --deals; a match has its own")
    # Whatever is wrong is said before a compilation, which takes most of a minute.
    given_level = None if level is None else level_word(level)
    given_order = order_word(previous_order)
    by_seat = chosen_bots(bots)
    system = chosen_rules(rules, changes or [])
    watch = Watch(unit, quiet)
    advice = "; the same command with --resume goes on from the last finished part"
    try:
        compile_first(by_seat, quiet)
        with watch.shown(advice if out and log != "none" else ""):
            result = simulate(
                deals=count if unit == "deals" else None,
                matches=count if unit == "matches" else None,
                bots=by_seat,
                rules=system,
                seed=first_key,
                out=out,
                log=log,
                workers=threads,
                resume=resume,
                level=given_level,
                previous_order=given_order,
                progress=watch.simulation,
                command=shlex.join(["guandan-sim", *context.obj]),
            )
    except BotError as error:
        raise _FailureError(str(error)) from error
    except RunError as error:
        if isinstance(error.__cause__, OSError):
            raise _FailureError(str(error)) from error
        raise
    console = Console(highlight=False, soft_wrap=True)
    summary = result.manifest["summary"] if isinstance(result, Run) else result.summary
    console.print(summary_table(summary, [bot.name for bot in by_seat]))
    if isinstance(result, Run):
        rows = result.manifest["rows"]
        for name, digest in result.manifest["content_hash"].items():
            console.print(f"  {name}: {rows[name]:,} rows, content hash {digest[:16]}")
        console.print(f"  written to {result.path}", markup=False)


@app.command("verify", epilog="Example: guandan-sim verify runs/a")
def verify_command(run: _RunFolder, quiet: _Quiet = False) -> None:
    """Check a run: its files against its manifest, and every play against the rules."""
    found = _open(run)
    compile_first(bots_by_seat("random"), quiet)
    watch = Watch("parts", quiet)
    started = time.perf_counter()
    try:
        with watch.shown():
            report = verify(found, progress=watch.count)
    except RunError as error:
        raise _FailureError(str(error)) from error
    seconds = time.perf_counter() - started
    if not report.ok:
        for problem in report.problems[:_MOST_PROBLEMS]:
            print(f"- {problem}")
        if len(report.problems) > _MOST_PROBLEMS:
            print(f"- and {len(report.problems) - _MOST_PROBLEMS:,} more")
        raise _FailureError(f"{run} does not verify; problems found: {len(report.problems):,}")
    print(f"{run}: {report} ({seconds:.1f} s)")


def _open(path: Path) -> Run:
    """The run in that folder: none there is bad input, one that cannot be read a failure."""
    try:
        return open_run(path)
    except RunError as error:
        if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
            raise
        raise _FailureError(str(error)) from error


@app.command(
    "replay",
    epilog=(
        "Examples: guandan-sim replay runs/a 12 --deal 3\n\n"
        "guandan-sim replay --seed 7 --number 12 --bots greedy"
    ),
)
def replay_command(
    run: Annotated[
        Path | None, typer.Argument(metavar="RUN", help="Folder of a run.", show_default=False)
    ] = None,
    set_number: Annotated[
        str | None,
        typer.Argument(metavar="SET", help="Match or deal of it, from 0.", show_default=False),
    ] = None,
    deal: Annotated[
        str | None, typer.Option("--deal", metavar="N", help="One deal of the match, from 0.")
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option("--seed", metavar="N", help="Instead of a run: play a deal of this seed."),
    ] = None,
    number: Annotated[
        str, typer.Option("--number", metavar="N", help="Which deal of the seed, from 0.")
    ] = "0",
    bots: _Bots = "random",
    rules: _Preset = "guide",
    changes: _Changes = None,
    level: _Level = None,
    previous_order: _Previous = None,
) -> None:
    """Show a deal as text: hands, tribute, each play with its declaration, finishing order."""
    if (run is None) == (seed is None):
        raise OptionError("give either a RUN and the number of a SET, or --seed N")
    if run is not None:
        if set_number is None:
            raise OptionError(f"name the set of {run} to show by its number, from 0")
        one = None if deal is None else whole_number(deal, "--deal", 0)
        print(replay_run(_open(run), whole_number(set_number, "SET", 0), one))
        return
    first_key = whole_number(seed or "", "--seed", 0, _MOST_SEED)
    which = whole_number(number, "--number", 0)
    by_seat = chosen_bots(bots)
    system = chosen_rules(rules, changes or [])
    try:
        compile_first(by_seat)
        print(replay_seed(first_key, which, by_seat, system, level, previous_order))
    except BotError as error:
        raise _FailureError(str(error)) from error


@app.command(
    "moves",
    epilog="Example: guandan-sim moves 'S9 D9 H2' --level 2 --to-beat 'pair 8: S8 C8'",
)
def moves_command(
    hand: Annotated[str, typer.Argument(metavar="CARDS", help="The hand, such as 'S9 D9 HT SB'.")],
    level: Annotated[str, typer.Option("--level", metavar="LEVEL", help="2 to A.")] = "2",
    to_beat: Annotated[
        str | None,
        typer.Option("--to-beat", metavar="MOVE", help="The play to beat; else a lead."),
    ] = None,
    rules: _Preset = "guide",
    changes: _Changes = None,
) -> None:
    """List the legal moves of a hand."""
    if not hand.strip():
        raise OptionError("the hand is empty; name its cards, such as 'S9 D9 HT SB'")
    for move in legal_moves(hand, level, to_beat, chosen_rules(rules, changes or [])):
        print(move)


@app.command("bots", epilog="Example: guandan-sim bots")
def bots_command() -> None:
    """List the bots."""
    table = Table("bot", "version", "what it does", box=SIMPLE)
    for bot in BUILT_IN.values():
        sentence = (bot.play.__doc__ or "").strip().partition("\n")[0]
        table.add_row(bot.name, bot.version, sentence)
    console = Console(highlight=False)
    console.print(table)
    console.print("Your own: --bots my_module:my_bot, a module found from the current folder.")


@app.command("rules", epilog="Example: guandan-sim rules pagat")
def rules_command(
    preset: Annotated[
        str | None,
        typer.Argument(metavar="PRESET", help="Show every switch of it.", show_default=False),
    ] = None,
) -> None:
    """List the rule systems, or show every switch of one."""
    if preset is not None:
        print(Rules.preset(preset).describe())
        return
    table = Table("preset", "how it differs from guide", box=SIMPLE)
    for name in Rules.presets():
        table.add_row(name, _differences(Rules.preset(name)) or "(the default)")
    Console(highlight=False).print(table)


def _differences(rules: Rules) -> str:
    """The switches in which ``rules`` are not those of guide, as ``switch=value, ...``."""
    guide = Rules.preset("guide")
    changed = {
        name: getattr(rules, name)
        for name in rules.switches()
        if name != "name" and getattr(rules, name) != getattr(guide, name)
    }
    return guide.replace(**changed).name.removeprefix("guide").strip("()")


@app.command("warmup", epilog="Example: guandan-sim warmup --bots my_module:my_bot,greedy")
def warmup_command(bots: _Bots = "random,greedy") -> None:
    """Compile the game and some bots ahead, so that the next start is quick."""
    by_seat = chosen_bots(bots)
    try:
        seconds = compile_first(by_seat)
    except BotError as error:
        raise _FailureError(str(error)) from error
    if seconds is None:
        print("everything is compiled already")


@app.command("bench", epilog="Example: guandan-sim bench --json bench.json")
def bench_command(
    start: Annotated[
        bool, typer.Option("--start/--no-start", help="Measure cold and warm start, too.")
    ] = True,
    to: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures there.")
    ] = None,
) -> None:
    """Measure speed on one thread, and sign what is played."""
    from .bench import bench, bench_table

    try:
        # Opened before measuring, so that a wrong name costs no minute.
        file = None if to is None else to.open("w", encoding="utf-8")
    except OSError as error:
        raise _FailureError(f"cannot write {to}: {error.strerror}") from error
    compile_first(bots_by_seat(["random", "greedy"]))
    figures = bench(start=start, say=note)
    Console(highlight=False).print(bench_table(figures))
    if file is not None:
        with file:
            file.write(json.dumps(figures, indent=1) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (by default the process's own) and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)  # where users keep their bots
    try:
        code = app(given or ["--help"], prog_name="guandan-sim", standalone_mode=False, obj=given)
    except _FailureError as error:
        return _say(str(error), FAILED)
    except GuandanError as error:
        return _say(str(error), BAD_INPUT)
    except TyperException as error:
        return _say(error.format_message(), BAD_INPUT)
    except typer.Abort:
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def _say(message: str, code: int) -> int:
    note(f"error: {' '.join(message.split())}")
    return code
