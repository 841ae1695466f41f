"""Play random deals under the presets and check all that is logged with a checker of its own.

python benchmarks/invariants.py --deals 10M --preset all --processes 2 --seed 1 --referee 1000

The deals are those of `simulate`: independent ones with the level drawn, seven of eight blocks with
a finishing order drawn, so that tribute is due, the eighth with an opening lead; ``--matches N``
plays whole matches too. `invariant_rows` recomputes every deal from its cards and choices, and
tells for every pass whether there was an answer; ``--referee N`` has the first deals of each preset
followed by the slow referee of the tests as well. Exits 1 if anything is wrong.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from invariant_checks import (
    BOOK_SIZE,
    CHECKS,
    M_SET,
    N_BOMBS,
    N_CHOSEN,
    N_DEALS,
    N_FORCED,
    N_MATCHES,
    N_PLAYS,
    P_CHECK,
    P_EXPECTED,
    P_FOUND,
    P_PLY,
    PROBLEM_SIZE,
    SEEN,
    SEEN_AT,
)
from invariant_rows import check_rows
from invariant_rules import HAND_WIDTH
from numpy.typing import NDArray
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim import loop
from guandan_sim.cards import RANK_WORDS
from guandan_sim.errors import GuandanError
from guandan_sim.options import chosen_bots, whole_number
from guandan_sim.playing import Player
from guandan_sim.rules import Rules, new_state
from guandan_sim.simulate import warmup

Rows = NDArray[np.int64]

# Sets that are played and then checked at a time: their rows stay in the cache of the core.
DEALS_AT_ONCE, MATCHES_AT_ONCE = 128, 8
OPENINGS = 8  # every so many blocks of independent deals, one begins with an opening lead
TASK_SETS = 1 << 16
_DEAL_ROWS = 256
# Violations that are described of one task; all are counted.
MOST = 10


class Block(NamedTuple):
    """The rows that the loop logged of some sets."""

    plays: Rows
    deals: Rows
    tributes: Rows
    matches: Rows


@dataclass
class Found:
    """What a task or all of a preset's found, and the seconds that its parts took."""

    preset: str
    ran: Rows = field(default_factory=lambda: np.zeros(len(CHECKS), np.int64))
    seen: Rows = field(default_factory=lambda: np.zeros(len(SEEN), np.int64))
    violations: int = 0
    texts: list[str] = field(default_factory=list)
    playing: float = 0.0
    checking: float = 0.0
    refereeing: float = 0.0
    refereed: int = 0

    def add(self, other: Found) -> None:
        """Take in what another task of the preset found."""
        for name, value in vars(other).items():
            if name != "preset":
                setattr(self, name, getattr(self, name) + value)
        self.texts = self.texts[:MOST]

    def summary(self) -> dict[str, Any]:
        """All of it by name."""
        values = asdict(self)
        return values | {
            "ran": dict(zip((name for name, _ in CHECKS), self.ran.tolist(), strict=True)),
            "seen": dict(zip(SEEN, self.seen.tolist(), strict=True)),
        }


@dataclass(frozen=True)
class Task:
    """Sets ``first`` to ``stop`` - 1 of a preset; the first ``referee`` deals go to the referee."""

    preset: str
    kind: str
    first: int
    stop: int
    seed: int
    bots: str
    referee: int = 0


def played_blocks(task: Task) -> Iterator[Block]:
    """The rows of a task, block by block; they are overwritten by the next."""
    matches = task.kind == "matches"
    player = Player(chosen_bots(task.bots))
    state = new_state(Rules.preset(task.preset))
    arguments = np.zeros(loop.ARGUMENTS, np.int64)
    arguments[loop.A_SEED] = task.seed
    arguments[loop.A_MATCHES] = matches
    arguments[loop.A_PREVIOUS] = -1
    arguments[loop.A_LOG_PLAYS] = 1
    cursor = np.zeros(loop.CURSOR, np.int64)
    cursor[loop.C_NEXT] = task.first
    rows = [
        np.zeros((n, width), np.int64)
        for n, width in (
            (_DEAL_ROWS * lay.MAX_PLIES, loop.PLAY_WIDTH),
            (_DEAL_ROWS, loop.DEAL_WIDTH),
            (2 * _DEAL_ROWS, loop.TRIBUTE_WIDTH),
            (_DEAL_ROWS, loop.MATCH_WIDTH),
        )
    ]
    counts = (loop.C_PLAYS, loop.C_DEALS, loop.C_TRIBUTES, loop.C_MATCHES)
    at_once = MATCHES_AT_ONCE if matches else DEALS_AT_ONCE
    for first in range(task.first, task.stop, at_once):
        stop = min(first + at_once, task.stop)
        opening = first // at_once % OPENINGS == OPENINGS - 1
        arguments[loop.A_DRAW_PREVIOUS] = not matches and not opening
        arguments[loop.A_END] = stop
        while cursor[loop.C_NEXT] < stop:
            cursor[: loop.C_NEXT] = 0
            player.run_sets(state, arguments, cursor, rows)
            yield Block(*(table[: cursor[n]] for table, n in zip(rows, counts, strict=True)))


class Checker:
    """The checker of one preset with what it remembers from block to block of successive sets."""

    def __init__(self, preset: str, kind: str = "deals", first: int = 0) -> None:
        self.found = Found(preset)
        self._rules = Rules.preset(preset).words()
        self._matches = int(kind == "matches")
        self._memory = np.zeros((5, HAND_WIDTH), np.int64), np.zeros(4, np.int64)
        self._book = np.zeros(BOOK_SIZE, np.int64)
        self._book[M_SET] = first - 1
        self._problems = np.zeros((MOST, PROBLEM_SIZE), np.int64)

    def check(self, block: Block) -> list[list[int]]:
        """Check the next block; gives the problems, as many as are described."""
        found = self.found
        number = check_rows(
            self._rules,
            self._matches,
            block.plays,
            block.deals,
            block.tributes,
            block.matches,
            *self._memory,
            self._book,
            self._problems,
        )
        found.ran = self._book[: len(CHECKS)]
        found.seen = self._book[SEEN_AT : SEEN_AT + len(SEEN)]
        problems: list[list[int]] = self._problems[: min(number, MOST)].tolist()
        found.violations += number
        texts = [f"{found.preset}: {describe(problem)}" for problem in problems]
        found.texts = [*found.texts, *texts][:MOST]
        return problems


def describe(problem: list[int]) -> str:
    """One line: where, what was expected and what was found."""
    check, number, deal = problem[:3]
    name, form = CHECKS[check]
    place = f"set {number}, deal {deal}"
    if problem[P_PLY - P_CHECK] >= 0:
        place += f", play {problem[P_PLY - P_CHECK]}"
    expected, found = (_as_text(problem[at - P_CHECK], form) for at in (P_EXPECTED, P_FOUND))
    return f"{place}: {name}: expected {expected}, found {found}"


def _as_text(value: int, form: str) -> str:
    if form == "rank" and 0 < value < len(RANK_WORDS):
        return RANK_WORDS[value]
    if form == "mask":
        seats = [str(seat) for seat in range(4) if value >> seat & 1]
        return f"seats {' '.join(seats)}" if seats else "no seat"
    return f"{value:#x}" if form == "bits" else str(value)


def run_task(task: Task) -> Found:
    """Play and check the sets of a task."""
    checker = Checker(task.preset, task.kind, task.first)
    found = checker.found
    referee = task.referee
    clock = time.perf_counter()
    for block in played_blocks(task):
        now = time.perf_counter()
        found.playing += now - clock
        checker.check(block)
        clock = time.perf_counter()
        found.checking += clock - now
        if referee > 0:
            from invariant_referee import follow

            followed, texts = follow(task.preset, block, referee)
            referee -= followed
            found.refereed += followed
            found.violations += len(texts)
            found.texts = [*found.texts, *(f"{task.preset}: {text}" for text in texts)][:MOST]
            now = clock
            clock = time.perf_counter()
            found.refereeing += clock - now
    return found


def tasks_of(
    preset: str, deals: int, matches: int, seed: int, bots: str, referee: int
) -> Iterator[Task]:
    """All tasks of a preset. The referee's deals are the first ones."""
    for kind, sets, step in (("deals", deals, TASK_SETS), ("matches", matches, TASK_SETS // 16)):
        for first in range(0, sets, step):
            share = max(0, min(referee - first, step)) if kind == "deals" else 0
            yield Task(preset, kind, first, min(first + step, sets), seed, bots, share)


def run(tasks: list[Task], processes: int) -> Found:
    """Run the tasks of one preset over processes."""
    total = Found(tasks[0].preset)
    if processes == 1:
        for task in tasks:
            total.add(run_task(task))
        return total
    with ProcessPoolExecutor(processes) as pool:
        for found in pool.map(run_task, tasks):
            total.add(found)
    return total


COLUMNS = (
    "rules", "deals", "matches", "plays", "chosen passes", "forced passes", "bombs", "checks",
    "kinds", "referee", "violations", "seconds",
)  # fmt: skip


def table(rows: list[tuple[Found, float]]) -> Table:
    """The figures of all presets, with the seconds that each took."""
    made = Table(*COLUMNS, box=SIMPLE)
    for column in made.columns[1:]:
        column.justify = "right"
    for found, seconds in rows:
        counts = found.seen.tolist()
        numbers = [
            counts[n - SEEN_AT] for n in (N_DEALS, N_MATCHES, N_PLAYS, N_CHOSEN, N_FORCED, N_BOMBS)
        ]
        made.add_row(
            found.preset,
            *(f"{number:,}" for number in [*numbers, int(found.ran.sum())]),
            f"{(found.ran > 0).sum()} of {len(CHECKS)}",
            f"{found.refereed:,}",
            f"{found.violations:,}",
            f"{seconds:.1f}",
        )
    return made


def main(
    deals: Annotated[str, typer.Option("--deals", metavar="N")] = "100k",
    matches: Annotated[str, typer.Option("--matches", metavar="N")] = "0",
    preset: Annotated[str, typer.Option("--preset", metavar="NAME|all")] = "all",
    processes: Annotated[int, typer.Option("--processes", min=1)] = 2,
    seed: Annotated[str, typer.Option("--seed", metavar="N")] = "1",
    referee: Annotated[str, typer.Option("--referee", metavar="N")] = "0",
    bots: Annotated[str, typer.Option("--bots", metavar="NAMES")] = "random",
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE")] = None,
) -> None:
    """Play random deals under each preset and check every one of them; exits 1 if one is wrong."""
    try:
        numbers = [
            whole_number(text, name, 0)
            for text, name in (
                (deals, "--deals"),
                (matches, "--matches"),
                (seed, "--seed"),
                (referee, "--referee"),
            )
        ]
        names = gs.Rules.presets() if preset == "all" else [Rules.preset(preset).name]
        warmup(chosen_bots(bots))
    except GuandanError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    # Compiled here, before the processes start.
    run_task(Task(names[0], "deals", 0, 1, 0, bots))
    rows = []
    for name in names:
        began = time.perf_counter()
        tasks = list(tasks_of(name, numbers[0], numbers[1], numbers[2], bots, numbers[3]))
        if not tasks:
            print("error: there is nothing to play: --deals and --matches are 0", file=sys.stderr)
            raise SystemExit(2)
        found = run(tasks, processes)
        rows.append((found, time.perf_counter() - began))
        print("\n".join([*found.texts, f"{name}: {found.violations} violations"]), flush=True)
    Console(width=160).print(table(rows))
    if json_file is not None:
        values = [found.summary() | {"seconds": round(seconds, 2)} for found, seconds in rows]
        json_file.write_text(json.dumps(values, indent=2, default=str) + "\n", "utf-8")
    if any(found.violations for found, _ in rows):
        raise SystemExit(1)


if __name__ == "__main__":
    typer.run(main)
