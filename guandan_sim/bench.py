"""Speed in plain units, and one number that says whether what is played has changed.

``benchmarks/README.md`` says how to read the figures.
"""

from __future__ import annotations

import hashlib
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numba
import numpy as np
from rich.box import SIMPLE
from rich.table import Table

from . import loop
from ._version import __version__
from .bots import bots_by_seat
from .cpu import VECTORS
from .playing import Player
from .rules import Rules, new_state
from .runs import Run
from .simulate import simulate

__all__ = ["bench", "bench_table", "loop_speed", "signature", "start_times"]

BOTS = ("random", "greedy")
REPEATS = 7
DEALS = 50_000

_DEAL_ROWS = 4_096


def loop_speed(bot: str, deals: int = DEALS, repeats: int = REPEATS) -> dict[str, Any]:
    """Independent deals of one bot in the compiled loop: one thread, no log, compiled before.

    The deals are the same in every repeat. "deals_per_second", "plays_per_second" and
    "ns_per_play" are of the median repeat, "spread" is (slowest, fastest) in deals a second.
    """
    player = Player(bots_by_seat(bot))
    state = new_state(Rules.preset("guide"))
    rows = [
        np.zeros((n, width), np.int64)
        for n, width in (
            (0, loop.PLAY_WIDTH),
            (_DEAL_ROWS, loop.DEAL_WIDTH),
            (2 * _DEAL_ROWS, loop.TRIBUTE_WIDTH),
            (0, loop.MATCH_WIDTH),
        )
    ]

    def play(count: int) -> int:
        """Play ``count`` deals; returns the plays made."""
        arguments = np.zeros(loop.ARGUMENTS, np.int64)
        arguments[loop.A_END] = count
        arguments[loop.A_PREVIOUS] = -1
        cursor = np.zeros(loop.CURSOR, np.int64)
        while cursor[loop.C_NEXT] < count:
            cursor[: loop.C_NEXT] = 0
            player.run_sets(state, arguments, cursor, rows)
        return int(cursor[loop.C_PLIES])

    play(min(deals, 1_000))
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        plays = play(deals)
        seconds.append(time.perf_counter() - began)
    median = statistics.median(seconds)
    return {
        "deals": deals,
        "plays": plays,
        "repeats": repeats,
        "deals_per_second": round(deals / median),
        "plays_per_second": round(plays / median),
        "ns_per_play": round(1e9 * median / plays, 1),
        "spread": [round(deals / max(seconds)), round(deals / min(seconds))],
    }


def signature() -> str:
    """A hash over a fixed workload, in 16 hex digits: it moves if and only if what is played does.

    2,000 deals of each bot and 50 matches of both, logged play by play; no times, versions or
    paths go into it.
    """
    digest = hashlib.sha256()
    with tempfile.TemporaryDirectory() as folder:
        workloads: list[dict[str, Any]] = [{"deals": 2_000, "bots": bot} for bot in BOTS]
        workloads.append({"matches": 50, "bots": BOTS})
        for number, workload in enumerate(workloads):
            run = simulate(**workload, seed=1, out=Path(folder, str(number)))
            assert isinstance(run, Run)
            for table, content in sorted(run.manifest["content_hash"].items()):
                digest.update(f"{number} {table} {content}\n".encode())
    return digest.hexdigest()[:16]


def start_times() -> dict[str, float]:
    """Seconds of a whole ``guandan-sim simulate --deals 1k``: "cold" compiles all, "warm" nothing.

    Raises subprocess.CalledProcessError if the command fails.
    """
    command = [sys.executable, "-m", "guandan_sim", "simulate", "--deals", "1k", "--quiet"]
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("cold", "warm"):
            began = time.perf_counter()
            subprocess.run(
                command,
                env=os.environ | {"GUANDAN_SIM_CACHE": folder},
                check=True,
                stdout=subprocess.DEVNULL,
            )
            found[name] = round(time.perf_counter() - began, 2)
    return found


def bench(*, start: bool = True, say: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """All figures, as JSON data; ``say`` is told what is being measured.

    Without ``start``, cold and warm start are left out: the cold one compiles everything anew.
    """
    figures: dict[str, Any] = {
        "guandan_sim": __version__,
        "numba": numba.__version__,
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "vectors": VECTORS,
    }
    for bot in BOTS:
        say(f"{bot}: {REPEATS} times {DEALS:,} deals")
        figures[bot] = loop_speed(bot)
    say("signature")
    figures["signature"] = signature()
    if start:
        say("cold and warm start")
        figures["start_seconds"] = start_times()
    return figures


def bench_table(figures: Mapping[str, Any]) -> Table:
    """The figures of :func:`bench` as a rich table."""
    table = Table("", *BOTS, box=SIMPLE)
    for name, label in (
        ("deals_per_second", "deals/s"),
        ("plays_per_second", "plays/s"),
        ("ns_per_play", "ns a play"),
    ):
        table.add_row(label, *(f"{figures[bot][name]:,}" for bot in BOTS))
    spread = ("{:,} - {:,}".format(*figures[bot]["spread"]) for bot in BOTS)
    table.add_row("deals/s, slowest - fastest", *spread)
    for name, seconds in figures.get("start_seconds", {}).items():
        table.add_row(f"{name} start, seconds", f"{seconds}", "")
    table.add_row("signature", figures["signature"], "")
    for column in table.columns[1:]:
        column.justify = "right"
    return table
