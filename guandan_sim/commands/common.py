"""What the commands share: options, failures, a way to print."""

from __future__ import annotations

import contextlib
import json
import shlex
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

import typer
from rich.console import Console
from rich.table import Table

from ..backends import chosen_backend
from ..bots import Bot
from ..errors import BotError, OptionError, RunError, RunWarning, printable
from ..options import whole_number
from ..progress import Watch, compile_first, note

if TYPE_CHECKING:
    from ..runs import Run

__all__ = [
    "AsJson",
    "BackendName",
    "BotNames",
    "DrawnOrder",
    "FailureError",
    "LevelName",
    "LogName",
    "Out",
    "PreviousOrder",
    "Quiet",
    "ReportOf",
    "Resume",
    "RuleChanges",
    "RuleNames",
    "RunFolder",
    "Scheduler",
    "Seed",
    "WorkerCount",
    "checked_place",
    "checked_seed",
    "command_line",
    "finished_at",
    "open_run_to_read",
    "playing",
    "reported",
    "show",
    "show_result",
    "typed",
    "written_lines",
]

_MOST_SEED = 2**63 - 1


class FailureError(Exception):
    """Not the user's input: ends the command with exit code 1 and this message."""


BotNames = Annotated[
    str,
    typer.Option(
        "--bots",
        metavar="NAMES",
        help="One bot for all seats, two for the teams or four by seat: a, a,b or a,b,c,d. "
        "Your own is module:attribute, a module found from the current folder.",
    ),
]
RuleNames = Annotated[
    str,
    typer.Option(
        "--rules",
        metavar="RULES",
        help="A preset (`guandan-sim rules` lists them) or a TOML file of rules.",
    ),
]
RuleChanges = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="SWITCH=VALUE",
        help="Change a switch of the rules, such as max_bomb=8 or pass_locks=yes; repeatable.",
    ),
]
LevelName = Annotated[
    str | None,
    typer.Option(
        "--level", metavar="LEVEL", help="Level of independent deals, 2 to A; otherwise drawn."
    ),
]
PreviousOrder = Annotated[
    str | None,
    typer.Option(
        "--previous-order",
        metavar="ORDER",
        help="Finishing order before an independent deal, such as 0213, or random: "
        "it makes tribute due.",
    ),
]
DrawnOrder = Annotated[
    str,
    typer.Option(
        "--previous-order",
        metavar="ORDER",
        help="Finishing order before a deal, such as 0213, or random, each of 24 as often: it "
        "makes tribute due; none: no tribute.",
    ),
]
Seed = Annotated[str, typer.Option("--seed", metavar="N", help="The same seed gives the same run.")]
Out = Annotated[
    str | None,
    typer.Option(
        "--out", metavar="FOLDER", help="Write a run there, a folder or a URL; else nothing."
    ),
]
LogName = Annotated[
    Literal["plays", "deals", "none"], typer.Option("--log", help="The finest table to write.")
]
BackendName = Annotated[
    Literal["threads", "loky", "dask"] | None,
    typer.Option(
        "--backend",
        help="Who plays: threads, or processes by loky or Dask.",
        show_default="threads; dask with --scheduler",
    ),
]
WorkerCount = Annotated[
    str | None,
    typer.Option(
        "--workers", metavar="N", help="Threads or processes; otherwise one for each core."
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Play on the workers of a Dask scheduler, such as tcp://host:8786; "
        "they must see the folder of --out.",
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the unfinished run in --out.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
ReportOf = Annotated[
    str | None,
    typer.Option("--report", metavar="RUN", help="Instead: report again what a run found."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
RunFolder = Annotated[
    str, typer.Argument(metavar="RUN", help="Folder or URL of a run.", show_default=False)
]


def show(table: Table) -> None:
    """Print a table."""
    Console(highlight=False).print(table)


def command_line(context: typer.Context) -> str:
    """What was typed, as it may be typed again."""
    return shlex.join(["guandan-sim", *context.obj])


def typed(context: typer.Context, name: str) -> bool:
    """Whether the option or argument of that name was typed."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def checked_seed(text: str) -> int:
    """The number that --seed says. Raises `OptionError`."""
    return whole_number(text, "--seed", 0, _MOST_SEED)


def checked_place(
    out: str | None,
    log: str,
    resume: bool,
    backend: str | None,
    workers: str | None,
    scheduler: str | None,
) -> int | None:
    """How many workers play a run. Raises `OptionError` for options that do not go together."""
    if resume and out is None:
        raise OptionError("--resume goes on with a run; name its folder with --out")
    if log == "none" and out is not None:
        raise OptionError("--log none writes nothing; leave it out, or --out")
    number = None if workers is None else whole_number(workers, "--workers", 1, 1024)
    chosen_backend(backend, scheduler, number)
    return number


@contextlib.contextmanager
def playing(
    watch: Watch, line_ups: Sequence[Sequence[Bot]], quiet: bool, again: str, out: str | None
) -> Iterator[None]:
    """Around what plays a run with ``line_ups``: compiles first, shows progress, and on Ctrl-C how
    to go on with the run in ``out``, if one is written: ``again`` with --resume. Failures of a bot
    or a disk are told as such, and warnings at the end.
    """
    if "--resume" not in again.split():
        again += " --resume"

    def advice() -> str:
        return f"; {_kept(out, watch.unit)}go on with: {again}" if out else ""

    try:
        compile_first(*line_ups, quiet=quiet)
        with (
            warnings.catch_warnings(record=True, action="always", category=RunWarning) as warned,
            watch.shown(advice),
        ):
            yield
    except BotError as error:
        raise FailureError(str(error)) from error
    except RunError as error:
        if isinstance(error.__cause__, OSError):
            raise FailureError(str(error)) from error
        raise
    for warning in warned:
        note(f"warning: {warning.message}")


def _kept(out: str, unit: str) -> str:
    """How much of the run there is in finished parts."""
    from ..runs import open_run

    try:
        run = open_run(out)
    except RunError:
        return ""
    return f"{sum(stop - first for first, stop in run.parts):,} {unit} in finished parts are kept, "


def finished_at(out: str, quiet: bool) -> object:
    """When the run there, which is to be resumed, was finished; None if it was not. Tells if there
    is none at all. One whose manifest cannot be read is a failure, as in `verify`.
    """
    import pyarrow as pa

    from ..folders import folder_of
    from ..manifest import read_manifest

    folder = folder_of(out)
    try:
        return read_manifest(folder).get("finished")
    except RunError as error:
        if isinstance(error.__cause__, NotADirectoryError):
            return None
        if not isinstance(error.__cause__, FileNotFoundError):
            raise FailureError(str(error)) from error
    with contextlib.suppress(OSError, pa.ArrowException):
        if not quiet and all(map(folder.is_ours, folder.entries())):
            note(f"there is no run in {out} to go on with: a new one is begun")
    return None


def written_lines(run: Run, finished: object) -> Iterator[str]:
    """What is said of a run that was written, or that was there, ``finished`` at that time."""
    rows = run.manifest["rows"]
    for name, digest in run.manifest["content_hash"].items():
        yield f"  {name}: {rows[name]:,} rows, content hash {digest[:16]}"
    told = "written to"
    if finished is not None and finished == run.manifest.get("finished"):
        told = "was finished before, nothing was played:"
    yield f"  {told} {run.folder}"


class Found(Protocol):
    """The result of an arena or an experiment."""

    @property
    def run(self) -> Run | None:
        """The run on disk, if one was written."""

    def as_dict(self) -> dict[str, Any]:
        """All figures, for JSON."""


def reported(
    context: typer.Context, place: str, report: Callable[[Run], Found], as_json: bool
) -> None:
    """Show what ``report`` says of the run there, as --report asks for; nothing else may be asked
    with it but how.
    """
    for name in context.params:
        if name not in ("report", "as_json", "quiet") and typed(context, name):
            raise OptionError("--report tells of a run that is there: it goes alone or with --json")
    found = open_run_to_read(place)
    try:
        result = report(found)
    except RunError as error:
        raise FailureError(str(error)) from error
    show_result(result, as_json)


def show_result(
    result: Found, as_json: bool, finished: object = None, *, new: bool = False
) -> None:
    """Print it, and if it is ``new`` what was written; see `written_lines`."""
    if as_json:
        print(json.dumps(result.as_dict(), ensure_ascii=False))
    else:
        # The names of a run from elsewhere are anything.
        for line in str(result).split("\n"):
            print(printable(line))
    if not new or result.run is None:
        return
    for line in written_lines(result.run, finished):
        if as_json:
            note(line.strip())
        else:
            print(line)


def open_run_to_read(place: str) -> Run:
    """The run in that folder: none there is bad input, one that cannot be read a failure."""
    from ..runs import open_run

    try:
        return open_run(place)
    except RunError as error:
        if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
            raise
        raise FailureError(str(error)) from error
