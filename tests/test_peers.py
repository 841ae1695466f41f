"""The benchmarks beside other engines, and of how cost grows. No speed is asserted."""

from __future__ import annotations

import io
import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import growth
import peers
import pytest
import typer
from rich.console import Console

from guandan_sim.bench.remote import own_player
from guandan_sim.bench.tables import number
from guandan_sim.cards import words_to_cards
from guandan_sim.errors import BenchError, OptionError

# Engines of a few lines, laid out like those that are known.
PREPARED = {
    "guandan_bench.py": """
print("a line that is no answer")
NAME = "an engine of nine lines"


def play(deals):
    print("played")
    return deals + 1, 100 * deals
"""
}
RLCARD_GUANDAN = {
    "guandan_rlcard/__init__.py": """
class Game:
    gwin = [2, 1]


class Env:
    game = Game()

    def __init__(self, config):
        assert config["perfect_info"] is False

    def set_agents(self, agents):
        self.agents = agents

    def step(self, action):
        return None, 0

    def run(self, is_training):
        for action in (["Single", "3", ["H3"]], ["PASS", "PASS", "PASS"], []):
            self.step(action)


make = Env
""",
    "guandan_rlcard/baselines/__init__.py": """
def get_agent_class(name):
    assert name == "random"
    return lambda seat, draws: (seat, draws)
""",
}
DANZERO = {
    "guandan/env/context.py": "class Context:\n    pass\n",
    "guandan/env/engine.py": """
import time


class GameEnv:
    episode_end = False

    def __init__(self, ctx):
        assert ctx.cur_rank == "2"

    def battle_init(self):
        time.sleep(3600)
        self.left = 5
        self.round_end = False

    def step(self):
        print("played")
        self.left -= 1
        self.round_end = self.left == 0
""",
}

# Speaks as OpenGuanDan's server does, of deals of two plays each, with a tribute before the second.
OPENGUANDAN = """
import json
import sys
import threading

from websockets.sync.server import serve

assert sys.argv[1] == "-jar"
seats = []
over = threading.Event()


def tell(seat, kind, **data):
    seats[seat].send(json.dumps({"type": kind, "data": data}))


def ask(seat, stage, **more):
    actions = [["Single", "3", ["H3"]], ["PASS", "PASS", "PASS"]]
    tell(seat, "act", stage=stage, actionList=actions, **more)
    answer = json.loads(seats[seat].recv())
    assert answer["type"] == {"play": "PLAY", "tribute": "TRIBUTE", "back": "PAYTRIBUTE"}[stage]
    assert answer["data"]["act"] in actions
    assert answer["data"]["seatNum"] == seat
    assert answer["data"]["roomId"] == "r1"
    assert ("tributePos" in answer["data"]) == (stage == "back")


def serve_seat(connection):
    message = json.loads(connection.recv())
    seats.append(connection)
    if message["type"] == "CREATE_ROOM":
        rounds = message["data"]["round"]
        connection.send(json.dumps({"type": "created", "data": {"roomId": "r1"}}))
        serve_seat.rounds = rounds
    if len(seats) < 4:
        over.wait()
        return
    for number in range(serve_seat.rounds):
        for seat in range(4):
            tell(seat, "notify", stage="beginning", myPos=seat)
        if number:
            ask(3, "tribute")
            ask(0, "back", tributePos=3, tribute="HR")
        ask(0, "play")
        ask(1, "play")
        for seat in range(4):
            tell(seat, "notify", stage="episodeOver")
    over.set()


with serve(serve_seat, "127.0.0.1", PORT) as server:
    server.serve_forever()
"""


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def started(folder: Path) -> Any:
    return peers.players(sys.executable, [("fake", folder)])["fake"]()


@pytest.mark.parametrize(
    ("files", "what", "deals", "decisions"),
    [
        (PREPARED, "an engine of nine lines", 5, 400),
        (RLCARD_GUANDAN, "rlcard-guandan", 6, 4),
        (DANZERO, "DanZero", 4, 20),
    ],
    ids=["prepared", "rlcard-guandan", "danzero"],
)
def test_an_engine_in_a_folder(
    tmp_path: Path, files: Mapping[str, str], what: str, deals: int, decisions: int
) -> None:
    with started(write(tmp_path, files)) as player:
        assert what in player.what
        assert player.absent == ""
        answer = player.play(4)
        assert (answer.deals, answer.decisions) == (deals, decisions)
        assert answer.seconds >= 0


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"README.md": "nothing"}, "holds none of guandan_bench.py"),
        ({"guandan_bench.py": "import cards_that_are_nowhere"}, "cards_that_are_nowhere"),
        ({"guandan_bench.py": ""}, "play"),
    ],
)
def test_a_folder_without_an_engine_is_said(
    tmp_path: Path, files: Mapping[str, str], says: str
) -> None:
    with started(write(tmp_path, files)) as player:
        assert says in player.absent


def test_an_engine_that_fails_is_named(tmp_path: Path) -> None:
    write(tmp_path, {"guandan_bench.py": "def play(deals):\n    return deals / 0, 0\n"})
    with started(tmp_path) as player, pytest.raises(BenchError, match=r"fake: .*division by zero"):
        player.play(1)


def test_speeds_and_ratios(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "SLICE", 0.002)
    slow = "import time\n\n\ndef play(deals):\n    time.sleep(0.001 * deals)\n    return deals, 9\n"
    write(tmp_path, {"slow/guandan_bench.py": slow, "empty/x": ""})
    found = peers.players(
        sys.executable, [("slow", tmp_path / "slow"), ("empty", tmp_path / "empty")]
    )
    starts = {
        "random": lambda: own_player("random", vectors=False),
        "slow": found["slow"],
        "empty": found["empty"],
    }
    rows, absent = peers.measure(starts, rounds=2, say=lambda _: None)
    assert [row.name for row in rows] == ["random", "slow"]
    assert "holds none of" in absent["empty"]
    ours, other = rows
    assert ours.ours == {}
    assert list(other.ours) == ["random"]
    assert other.ours["random"]["median"] > 1
    assert 130 < ours.decisions_per_deal < 140
    console = Console(width=160, record=True, file=io.StringIO())
    console.print(peers.speeds_table(rows))
    console.print(peers.ratios_table(rows))
    text = console.export_text()
    page = peers.markdown(rows)
    for part in ("slow", "Guandan, random", number(ours.deals["median"])):
        assert part in text
        assert part in page


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"engine": ["mine"]}, "'mine'; it is NAME=FOLDER"),
        ({"engine": ["mine=nowhere"]}, "'nowhere'; that is not a folder"),
        ({"openguandan": "nowhere"}, "--openguandan is 'nowhere'"),
        ({"rounds": "0"}, "--rounds is '0'"),
        ({"to": Path("nowhere/x")}, "cannot write nowhere/x"),
        ({"page": Path("nowhere/x")}, "cannot write nowhere/x"),
    ],
)
def test_wrong_options_are_said_before_measuring(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: dict[str, Any],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(peers, "measure", lambda *_: pytest.fail("measured"))
    with pytest.raises(typer.Exit) as caught:
        peers.main(**{"rounds": "1", **options})
    assert caught.value.exit_code == (1 if "cannot write" in says else 2)
    assert says in capsys.readouterr().err


def test_hands_have_so_many_cards() -> None:
    for cards in (1, 13, 27):
        positions = growth.hands(cards, 5)
        assert {len(words_to_cards(*row[:2].tolist())) for row in positions} == {cards}
        assert (positions[:, 2:] == [1, 0, 0]).all()


def test_growth_is_plotted(tmp_path: Path) -> None:
    plots = growth.plots(deals=20, rounds=1, say=lambda _: None)
    assert [plot.x for plot in plots] == [
        "deals in one call",
        "cards in hand",
        "legal moves",
        "workers",
    ]
    for plot in plots:
        for curve in plot.curves:
            assert sorted(curve.xs) == curve.xs
            assert all(
                0 < low <= y <= high
                for low, y, high in zip(curve.low, curve.ys, curve.high, strict=True)
            )
    growth.draw(plots, tmp_path / "growth.png")
    assert (tmp_path / "growth.png").read_bytes().startswith(b"\x89PNG")


def test_growth_refuses_a_wrong_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as caught:
        growth.main(tmp_path, deals="many", rounds="1")
    assert caught.value.exit_code == 2
    assert "--deals is 'many'" in capsys.readouterr().err
    with pytest.raises(OptionError):
        peers.engine_option("x=")


def test_openguandan_over_its_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    java = tmp_path / "bin" / "java"
    write(tmp_path, {"bin/java": f"#!{sys.executable}\n" + OPENGUANDAN.replace("PORT", str(port))})
    java.chmod(0o755)
    write(tmp_path, {"engine/release/guandan-java-1.0.0.jar": ""})
    monkeypatch.setenv("PATH", str(java.parent), prepend=os.pathsep)
    monkeypatch.setenv("OPENGUANDAN_PORT", str(port))
    with started(tmp_path / "engine") as player:
        assert "guandan-java-1.0.0" in player.what
        answer = player.play(3)
        assert (answer.deals, answer.decisions) == (3, 2 + 4 + 4)


def test_openguandan_needs_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"guandan-java-1.0.0.jar": ""})
    monkeypatch.setenv("PATH", "")
    with started(tmp_path) as player:
        assert "Java" in player.absent
