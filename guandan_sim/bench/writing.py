"""What a run on disk costs: time for every play, and bytes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from ..runs import Run
from ..simulate import Result, simulate
from .timing import Figure, alternate, ratios, seconds_of

__all__ = ["written"]

_GROUP = "simulate, one worker, as Parquet"
_BOTS = ("random", "greedy")


def written(deals: int, rounds: int) -> dict[str, Figure]:
    """Runs of ``deals`` deals with tribute due, with one worker, from the folder's making to the
    manifest: with all plays, with the deals alone, and without a log, by turns.
    """
    logs = [(bot, log) for bot in _BOTS for log in ("none", "deals", "plays")]
    times = alternate(
        {f"{bot} {log}": _timed(deals, bot, log) for bot, log in logs},
        rounds,
    )
    figures: dict[str, Figure] = {}
    for bot in _BOTS:
        plays, sizes = _rows_and_bytes(deals, bot)
        speed = tuple(plays / seconds for seconds in times[f"{bot} plays"])
        ratio = ratios(times[f"{bot} none"], times[f"{bot} deals"])
        figures |= {
            f"{bot}_written_plays": Figure(
                _GROUP, f"{bot} bots, every play", "plays/s", speed, target=4e6
            ),
            f"{bot}_written_deals_ratio": Figure(
                _GROUP, f"{bot} bots, log of deals", "of no log", ratio, target=1 / 1.15
            ),
            f"{bot}_play_bytes": Figure(
                _GROUP, f"{bot} bots", "bytes a play", (sizes["plays"] / plays,), False, 3.0
            ),
            f"{bot}_deal_bytes": Figure(
                _GROUP,
                f"{bot} bots, without plays",
                "bytes a deal",
                ((sum(sizes.values()) - sizes["plays"]) / deals,),
                False,
                60.0,
            ),
        }
    return figures


def _timed(deals: int, bot: str, log: str) -> Callable[[], float]:
    def play() -> float:
        with tempfile.TemporaryDirectory() as folder:
            return seconds_of(lambda: _simulate(folder, deals, bot, log))

    return play


def _simulate(folder: str, deals: int, bot: str, log: str) -> Run | Result:
    out = None if log == "none" else Path(folder, "run")
    return simulate(
        deals=deals, bots=bot, seed=1, out=out, log=log, workers=1, previous_order="random"
    )


def _rows_and_bytes(deals: int, bot: str) -> tuple[int, dict[str, int]]:
    """Plays of such a run, and the bytes of each table."""
    with tempfile.TemporaryDirectory() as folder:
        run = _simulate(folder, deals, bot, "plays")
        assert isinstance(run, Run)
        parts = run.manifest["parts"]
        sizes = {name: sum(part["tables"][name]["bytes"] for part in parts) for name in run.tables}
        return run.manifest["rows"]["plays"], sizes
