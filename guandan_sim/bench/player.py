"""This engine as a player of `remote`: ``python -m guandan_sim.bench.player random``."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from .._version import __version__
from ..cpu import VECTORS
from ..simulate import warmup
from .workloads import Game, Workload

__all__ = ["main"]


def main(bot: str) -> None:
    """Answer the numbers on standard input."""
    warmup(bot)
    code = "vector code" if VECTORS else "portable code"
    _say({"ready": f"guandan_sim {__version__}, Guandan, {bot}, {code}"})
    games: dict[int, Game] = {}
    for line in sys.stdin:
        deals = int(line)
        if deals not in games:
            games[deals] = Game(Workload(bot, deals))
        seconds = games[deals].play()
        counts = games[deals].counts
        _say({"deals": counts.deals, "decisions": counts.decisions, "seconds": seconds})


def _say(what: Mapping[str, Any]) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
