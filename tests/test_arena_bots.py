"""Users' own bots in an arena: compiled ones of a module, and bots in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from games import user_module

import guandan_sim as gs
from guandan_sim.backends import open_pool


def test_bots_of_a_users_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "from guandan_sim.bots import greedy\n\ndef mine(view, scratch, out):\n    "
    user_module(monkeypatch, tmp_path, "of_mine", text + "return greedy.play(view, scratch, out)\n")
    bots = gs.arena("of_mine:mine", "random+of_mine:mine", sets=60, seed=2)
    own = gs.arena("greedy", "random+greedy", sets=60, seed=2)
    assert bots.teams == ("of_mine:mine", "random+of_mine:mine")
    assert bots.as_dict() == own.as_dict() | {"teams": list(bots.teams)}


class Lowest:
    """Plays the last legal move of its list."""

    name = "lowest"

    def choose(self, view: gs.View) -> gs.Move:
        return view.legal_moves()[-1]


def test_bots_in_python_are_shared_out_finely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts: list[int] = []

    def counting(backend: str, work: Any, number: int, *rest: Any) -> Any:
        parts.append(number)
        return open_pool(backend, work, number, *rest)

    monkeypatch.setattr("guandan_sim.sessions.open_pool", counting)
    hows: tuple[dict[str, Any], ...] = ({}, {"out": tmp_path / "run"}, {"sprt": (0, 50)})
    results = [gs.arena(Lowest(), "greedy", sets=10, seed=1, workers=2, **how) for how in hows]
    assert parts == [10, 1, 1]
    assert results[0].teams == ("lowest", "greedy")
    assert results[0].as_dict() == results[1].as_dict()
    assert results[2].as_dict() | {"sprt": None} == results[0].as_dict()
