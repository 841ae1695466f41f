"""Without compilation (NUMBA_DISABLE_JIT=1) the same functions play the same deals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import guandan_sim as gs


class First:
    """A bot in Python: the first move that is legal."""

    def choose(self, view: gs.View) -> gs.Move:
        return view.legal_moves()[0]


def play() -> list[Any]:
    """Hands, the first seat's legal moves and plan, every play and the finishing order of a few
    deals.
    """
    deals: list[Any] = []
    line_ups: Any = ("random", "greedy", "planner", ("greedy", "random"), (First, "random"))
    for number, bots in enumerate(line_ups):
        deal = gs.Deal(seed=5, number=number, level="7")
        hands, lead = deal.hands, [str(move) for move in deal.legal_moves()]
        plan = str(gs.plan(hands[0], "7"))
        deal.play_out(bots)
        history = [[seat, str(move)] for seat, move in deal.history]
        deals.append([hands, lead, plan, history, deal.finish_order])
    return deals


def test_plain_python_plays_the_same_deals_as_compiled_code() -> None:
    plain = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    assert json.loads(plain) == json.loads(json.dumps(play()))


if __name__ == "__main__":
    print(json.dumps(play()))
