"""This engine beside others, in one run: random deals a second of each, by turns.

python benchmarks/peers.py
python benchmarks/peers.py --python OTHER/bin/python --engine mine=../my-engine --json peers.json

Every player has a process of its own and plays alone, one after the other, round after round, every
other round backwards; ratios are of two speeds of one round. Left out are starting, importing,
compiling and the first deals. The peers play dou dizhu, another game: three players, one pack.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from guandan_sim.bench.machine import machine, versions
from guandan_sim.bench.remote import Answer, Remote, own_player
from guandan_sim.bench.tables import number
from guandan_sim.bench.timing import Figure, alternate, ratios
from guandan_sim.cpu import VECTORS
from guandan_sim.errors import BenchError, OptionError
from guandan_sim.options import whole_number
from guandan_sim.progress import note

PLAYERS = Path(__file__).with_name("peer_players.py")
#: What a player is given to do in a round, in seconds, about.
SLICE = 0.1
#: Ours, to which the others are compared.
OURS = ("random", "portable", "greedy")


@dataclass(frozen=True)
class Row:
    """What was found of a player: speeds as figures in JSON, and how many times as fast each of
    ours is, by its name.
    """

    name: str
    what: str
    deals: dict[str, Any]
    decisions: dict[str, Any]
    decisions_per_deal: float
    ours: dict[str, dict[str, Any]]


def engine_option(text: str) -> tuple[str, Path]:
    """``NAME=FOLDER`` in two. Raises `OptionError`."""
    name, equals, folder = text.partition("=")
    if not (name and equals and folder):
        raise OptionError(f"--engine is {text!r}; it is NAME=FOLDER")
    return name, _folder(folder, "--engine")


def _folder(text: str, option: str) -> Path:
    path = Path(text)
    if not path.is_dir():
        raise OptionError(f"{option} is {text!r}; that is not a folder")
    return path


def _touch(path: Path) -> None:
    """See that it can be written. Raises `BenchError`."""
    try:
        path.touch()
    except OSError as error:
        raise BenchError(f"cannot write {path}: {error.strerror}") from error


def players(python: str, engines: Sequence[tuple[str, Path]]) -> dict[str, Callable[[], Remote]]:
    """How to start each player, by name: ours, the two packages, the engines in folders."""

    def peer(name: str, *arguments: str) -> Callable[[], Remote]:
        return lambda: Remote(name, [python, str(PLAYERS), *arguments])

    found: dict[str, Callable[[], Remote]] = {
        OURS[0]: lambda: own_player("random", vectors=VECTORS),
        OURS[1]: lambda: own_player("random", vectors=False),
        OURS[2]: lambda: own_player("greedy", vectors=VECTORS),
    }
    if not VECTORS:
        del found[OURS[1]]
    found["open-spiel"] = peer("open-spiel", "open_spiel")
    found["rlcard"] = peer("rlcard", "rlcard")
    for name, folder in engines:
        found[name] = peer(name, "folder", str(folder))
    return found


def measure(
    starts: Mapping[str, Callable[[], Remote]], rounds: int, say: Callable[[str], None] = note
) -> tuple[list[Row], dict[str, str]]:
    """Rows of those that can play, and of the others why not. Raises `BenchError`."""
    absent: dict[str, str] = {}
    with ExitStack() as stack:
        remotes: dict[str, Remote] = {}
        for name, start in starts.items():
            remote = stack.enter_context(start())
            if remote.absent:
                absent[name] = remote.absent
                say(f"{name} is not measured: {remote.absent}")
            else:
                remotes[name] = remote
        slices = {name: _slice(remote) for name, remote in remotes.items()}
        say(f"{rounds} rounds of {', '.join(remotes)}")
        answers: dict[str, list[Answer]] = {name: [] for name in remotes}

        def task(name: str) -> Callable[[], float]:
            def play() -> float:
                answer = remotes[name].play(slices[name])
                answers[name].append(answer)
                return answer.deals / answer.seconds

            return play

        speeds = alternate({name: task(name) for name in remotes}, rounds)
    rows = []
    for name, remote in remotes.items():
        measured = answers[name][-rounds:]
        decisions = tuple(answer.decisions / answer.seconds for answer in measured)
        rows.append(
            Row(
                name,
                remote.what,
                Figure("", name, "deals/s", speeds[name]).as_json(),
                Figure("", name, "decisions/s", decisions).as_json(),
                sum(a.decisions for a in measured) / sum(a.deals for a in measured),
                {
                    ours: Figure("", name, "times", ratios(speeds[ours], speeds[name])).as_json()
                    for ours in OURS
                    if ours in remotes and name not in OURS
                },
            )
        )
    return rows, absent


def _slice(remote: Remote) -> int:
    """How many deals it plays in about `SLICE` seconds."""
    deals = 1
    remote.play(deals)
    while True:
        answer = remote.play(deals)
        if answer.seconds >= SLICE / 4:
            return max(round(answer.deals * SLICE / answer.seconds), 1)
        deals *= 4


def speeds_table(rows: Sequence[Row]) -> Table:
    """Speeds of all players."""
    table = Table("", "engine and game", box=SIMPLE_HEAD)
    for heading in ("deals/s", "middle half", "decisions a deal", "decisions/s"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            row.name,
            row.what,
            number(row.deals["median"]),
            _between(row.deals),
            number(row.decisions_per_deal),
            number(row.decisions["median"]),
        )
    return table


def _between(figure: Mapping[str, Any]) -> str:
    low, high = figure["quartiles"]
    return f"{number(low)} to {number(high)}"


def ratios_table(rows: Sequence[Row]) -> Table:
    """How many times as many deals a second ours play."""
    peers = [row for row in rows if row.ours]
    ours = list(peers[0].ours) if peers else []
    table = Table("deals a second, times", box=SIMPLE_HEAD)
    for name in ours:
        table.add_column(name, justify="right")
        table.add_column("middle half", justify="right")
    for row in peers:
        cells = [
            text
            for name in ours
            for text in (number(row.ours[name]["median"]), _between(row.ours[name]))
        ]
        table.add_row(row.name, *cells)
    return table


def markdown(rows: Sequence[Row]) -> str:
    """The speeds as a Markdown table, the ratios to ours in its last columns."""
    ours = next((list(row.ours) for row in rows if row.ours), [])
    heads = ["", "engine and game", "deals/s", "decisions/s", *(f"{name} is" for name in ours)]
    lines = [f"| {' | '.join(heads)} |", "|---|---" + "|--:" * (len(heads) - 2) + "|"]
    for row in rows:
        times = [f"{number(row.ours[name]['median'])} times" if row.ours else "" for name in ours]
        cells = [row.name, row.what, number(row.deals["median"]), number(row.decisions["median"])]
        lines.append(f"| {' | '.join([*cells, *times])} |")
    return "\n".join(lines) + "\n"


def main(
    rounds: Annotated[str, typer.Option("--rounds", metavar="N")] = "31",
    engine: Annotated[
        list[str] | None,
        typer.Option("--engine", metavar="NAME=FOLDER", help="Another engine; repeatable."),
    ] = None,
    openguandan: Annotated[
        str | None,
        typer.Option("--openguandan", metavar="FOLDER", help="OpenGuanDan, with its server."),
    ] = None,
    python: Annotated[
        str, typer.Option("--python", metavar="FILE", help="The Python that has the peers.")
    ] = sys.executable,
    to: Annotated[Path | None, typer.Option("--json", metavar="FILE")] = None,
    page: Annotated[Path | None, typer.Option("--markdown", metavar="FILE")] = None,
) -> None:
    """Measure this engine beside others, in one run."""
    console = Console(highlight=False)
    console.width = max(console.width, 120)
    try:
        count = whole_number(rounds, "--rounds", 1)
        engines = [engine_option(text) for text in engine or []]
        if openguandan is not None:
            engines.append(("OpenGuanDan", _folder(openguandan, "--openguandan")))
        for path in (to, page):
            if path is not None:
                _touch(path)
        rows, absent = measure(players(python, engines), count)
    except (BenchError, OptionError) as error:
        note(f"error: {error}")
        raise typer.Exit(2 if isinstance(error, OptionError) else 1) from None
    console.print(speeds_table(rows))
    console.print(ratios_table(rows))
    for name, why in absent.items():
        console.print(f"{name} is not here: {why}", markup=False)
    if to is not None:
        data = {
            "machine": machine(),
            "versions": versions(),
            "rounds": count,
            "players": [asdict(row) for row in rows],
            "absent": absent,
        }
        to.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    if page is not None:
        page.write_text(markdown(rows), "utf-8")


if __name__ == "__main__":
    typer.run(main)
