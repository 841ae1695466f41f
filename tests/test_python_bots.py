"""Bots in plain Python: the games of compiled ones, on any backend, alone and beside others."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim.arms import Arm
from guandan_sim.bots import bots_by_seat
from guandan_sim.packing import pack
from guandan_sim.playing import Player
from guandan_sim.pools import Stopped
from guandan_sim.rng import deal_key, word
from guandan_sim.settings import deal_arguments
from guandan_sim.workers import PartPlayer, Work


class Copy:
    """Chooses as another bot does."""

    other = "random"

    def __init__(self) -> None:
        self._bot = gs.bot(self.other)

    def choose(self, view: gs.View) -> gs.Move:
        return self._bot.choose(view)

    def choose_tribute(self, view: gs.View) -> str:
        return self._bot.choose_tribute(view)

    def choose_return(self, view: gs.View) -> str:
        return self._bot.choose_return(view)


class Greedy(Copy):
    """Chooses cards as every bot does that does not say: as `greedy`."""

    other = "greedy"
    choose_tribute = choose_return = None  # type: ignore[assignment]


class Lowest:
    """Leads its lowest card, and else passes."""

    def choose(self, view: gs.View) -> gs.Move | None:
        if view.to_beat is not None:
            return None
        card = view.hand[-1]
        return gs.Move("single", card if card in ("SB", "HR") else card[1], (card,))


def played(folder: Path, bots: Any, **options: Any) -> Any:
    """The content hash of a run, which is verified."""
    run: Any = gs.simulate(bots=bots, out=folder, **({"seed": 5, "workers": 1} | options))
    assert run.verify().ok
    return run.manifest["content_hash"]


TABLES: list[tuple[Any, Any]] = [
    ("random", Copy),
    ("greedy", Greedy),
    (("greedy", "random"), (Greedy(), "random")),
    (("random", "greedy", "greedy", "random"), (Copy, "greedy", Greedy, gs.Bot("x", Copy()))),
]


@pytest.mark.parametrize("rules", ["guide", "wikipedia", "ace_reset"])
@pytest.mark.parametrize(("compiled", "python"), TABLES, ids=range(len(TABLES)))
def test_the_same_games_as_of_compiled_bots(
    compiled: Any, python: Any, rules: str, tmp_path: Path
) -> None:
    kinds: list[dict[str, Any]] = [{"deals": 30, "previous_order": "random"}, {"matches": 2}]
    for number, kind in enumerate(kinds):
        theirs = played(tmp_path / f"a{number}", compiled, rules=rules, **kind)
        assert played(tmp_path / f"b{number}", python, rules=rules, **kind) == theirs


def test_the_same_games_at_the_table() -> None:
    bots: list[Any] = [Copy, "greedy", Greedy, "random"]
    names: list[Any] = ["random", "greedy", "greedy", "random"]
    deals = gs.Deal(seed=3), gs.Deal(seed=3)
    for deal, line_up in zip(deals, (bots, names), strict=True):
        deal.play_out(line_up)
    np.testing.assert_array_equal(deals[0].state, deals[1].state)
    matches = gs.Match(seed=3, bots=bots), gs.Match(seed=3, bots=names)
    for match in matches:
        while match.phase != "done":
            match.play_deal()
    np.testing.assert_array_equal(matches[0].state, matches[1].state)


MODULE = """
import threading

from bots_helper import odd
from test_python_bots import Copy, Lowest


class Counting(Copy):
    version = 3

    def choose(self, view):
        view.memory["asked"] = view.memory.get("asked", 0) + 1
        if odd(view.memory["asked"]):
            return self._bot.choose(view)
        return view.random.choice(view.hand) if view.to_beat is None else None


# A name leads to it, but it cannot be sent.
of_module = Lowest()
of_module.lock = threading.Lock()
"""
HELPER = "def odd(number):\n    return number % 2 == 1\n"


def module(monkeypatch: pytest.MonkeyPatch, folder: Path, name: str, text: str) -> None:
    """Write an importable module of Python bots."""
    (folder / "bots_helper.py").write_text(HELPER, "utf-8")
    monkeypatch.delitem(sys.modules, "bots_helper", raising=False)
    (folder / f"{name}.py").write_text(text, "utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, name, raising=False)


def test_threads_play_the_same(tmp_path: Path) -> None:
    theirs = played(tmp_path / "a", "greedy", deals=1_030, log="deals")
    bots = [Greedy, "greedy", "greedy", "greedy"]
    assert played(tmp_path / "b", bots, deals=1_030, log="deals", workers=2) == theirs


def test_processes_play_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module(monkeypatch, tmp_path, "bots_sent", MODULE)
    import bots_sent  # type: ignore[import-not-found]

    bots = ["bots_sent:Counting", "random", "bots_sent:of_module", "random"]
    counting = bots_sent.Counting
    one = played(tmp_path / "one", bots, deals=40)
    assert played(tmp_path / "loky", bots, deals=40, backend="loky") == one
    # A class that no other process can import goes with its code.
    del bots_sent.Counting
    given = [counting, "random", Lowest(), "random"]
    assert played(tmp_path / "given", given, deals=40, backend="loky") == one


def test_code_that_others_can_import_is_compared_there() -> None:
    class Here(Lowest):
        pass

    bots = bots_by_seat([Lowest, Here, Lowest(), Here()])
    work = Work("deals", "none", [Arm(bots, gs.Rules.preset("guide"), np.zeros(1))], None)
    first, second, third, last = pack(work).sources
    assert (first, third) == (gs.bot(Lowest).source, gs.bot(Lowest()).source)
    assert second is last is None


def test_what_cannot_be_sent(tmp_path: Path) -> None:
    @dataclass
    class Locked(Lowest):
        run: Any = field(default_factory=lambda: sys._getframe())

    with pytest.raises(
        gs.OptionError, match=r"bot Locked cannot be sent to other processes: .*mod"
    ):
        gs.simulate(deals=10, bots=Locked(), backend="loky", out=tmp_path / "run")


def test_names_versions_and_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module(monkeypatch, tmp_path, "bots_named", MODULE + "# one\n")
    name = "bots_named"
    options: dict[str, Any] = {"deals": 10, "seed": 1, "out": tmp_path / "run"}
    run: Any = gs.simulate(bots=(f"{name}:Counting", "random"), **options)
    logged = run.manifest["settings"]["bots"]
    assert [logged[0]["name"], logged[0]["version"]] == [f"{name}:Counting", "3"]
    assert len(logged[0]["source"]) == 12
    module(monkeypatch, tmp_path, "bots_named", MODULE + "# another\n")
    with pytest.raises(gs.RunError, match="source"):
        gs.simulate(bots=(f"{name}:Counting", "random"), resume=True, **options)


def test_another_source_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def sources() -> list[str]:
        for name in ("bots_edited", "bots_helper"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        names = ("bots_edited:Counting", "bots_edited:of_module")
        return [gs.bot(name).source for name in names]

    module(monkeypatch, tmp_path, "bots_edited", MODULE)
    before = sources()
    assert sources() == before
    # A function that a method calls.
    (tmp_path / "bots_helper.py").write_text(HELPER + "# edited\n", "utf-8")
    counting, of_module = sources()
    assert (counting != before[0], of_module) == (True, before[1])


def test_names() -> None:
    class Named(Lowest):
        name = "net 7"

    assert [gs.bot(Named()).name, gs.bot(Lowest).name, gs.bot(Lowest()).name] == [
        "net 7",
        "Lowest",
        "Lowest",
    ]
    assert gs.bot(Lowest).version == "1"


def test_objects_that_have_no_hash_take_their_seats() -> None:
    @dataclass
    class Listed(Lowest):
        asked: list[int] = field(default_factory=list)

        def choose(self, view: gs.View) -> gs.Move | None:
            self.asked.append(view.seat)
            return super().choose(view)

    bots = [Listed() for _ in range(4)]
    gs.Deal(seed=1).play_out(bots)
    assert [set(bot.asked) for bot in bots] == [{0}, {1}, {2}, {3}]
    shared = Listed()
    gs.Deal(seed=1).play_out([shared, "random"])
    assert set(shared.asked) == {0, 2}


class Noting(Copy):
    """Writes down what it is given."""

    notes: list[tuple[Any, ...]]
    objects: set[int]

    def choose(self, view: gs.View) -> gs.Move:
        deal = (int(view.words[lay.V_DEAL]), view.seat)
        mine = view.memory.setdefault("mine", (*deal, len(self.notes)))
        asked = view.memory["asked"] = view.memory.get("asked", 0) + 1
        assert mine[:2] == deal, "the memory of another deal or seat"
        self.notes.append((*deal, asked, view.seed, view.random.random(), view.random.random()))
        self.objects.add(id(self))
        return super().choose(view)


def noted(bots: Any, **options: Any) -> list[tuple[Any, ...]]:
    Noting.notes, Noting.objects = [], set()
    gs.simulate(bots=bots, seed=5, workers=1, **options)
    return Noting.notes


def test_memory_lasts_for_a_deal_and_is_a_seats_own() -> None:
    notes = noted(Noting, matches=1)
    assert len(Noting.objects) == 4
    asked = defaultdict(list)
    for deal, seat, number, *_ in notes:
        asked[deal, seat].append(number)
    assert len(asked) > 20
    for numbers in asked.values():
        assert numbers == list(range(1, len(numbers) + 1))
    noted([Noting(), "random"], matches=1)
    assert len(Noting.objects) == 1


def test_draws_are_of_the_decision_alone() -> None:
    notes = noted(Noting, deals=1)
    assert len({note[3] for note in notes}) == len({note[4] for note in notes}) == len(notes)
    for _, seat, number, seed, first, second in notes:
        key = word(word(deal_key(5, 0, 0), seat), number - 1)
        assert seed == (key & 2**64 - 1) >> 1
        assert first != second
    # Whatever the others do.
    for others in ("greedy", "random"):
        again = noted([Noting, others], deals=1)
        mine = {note[1:3]: note[3:] for note in notes}
        same = [mine[note[1:3]] == note[3:] for note in again if note[1:3] in mine]
        assert len(same) > 10
        assert all(same)


def test_the_run_stops_within_a_deal() -> None:
    class Stopping(Lowest):
        asked: list[int] = []  # noqa: RUF012

        def choose(self, view: gs.View) -> gs.Move | None:
            self.asked.append(int(view.words[lay.V_DEAL]))
            part.interrupt()
            return super().choose(view)

    settings = {"seed": 1, "kind": "deals", "level": None, "previous_order": None}
    rules = gs.Rules.preset("guide")
    arm = Arm(bots_by_seat(Stopping), rules, deal_arguments(settings))
    work = Work("deals", "none", [arm], None)
    Player(arm.bots).load()
    part = PartPlayer(work, 0, 1_000)
    with pytest.raises(Stopped):
        part.run()
    assert part.done == 1


def test_bare_cards_are_read_as_what_is_legal() -> None:
    class Bare(Lowest):
        def choose(self, view: gs.View) -> str:  # type: ignore[override]
            return " ".join(view.hand[1:])

    full_house = "full_house 8: S8 D8 C8 S3 D3"
    view = gs.View("SA S8 D8 S9 D9 H2", level="2", to_beat=full_house)
    assert str(gs.bot(Bare()).choose(view)) == "full_house 9: S9 D9 S8 D8 H2"
    with pytest.raises(gs.BotError, match="may be declared as full_house 8 or as full_house 9"):
        gs.bot(Bare()).choose(gs.View("SA S8 D8 S9 D9 H2", level="2"))


def test_a_bot_asks_others_and_plays_games_of_its_own() -> None:
    class Thinking(Copy):
        def choose(self, view: gs.View) -> gs.Move:
            if len(view.history) < 3:
                assert gs.simulate(deals=2, bots=Lowest, workers=1).summary["deals"] == 2
                gs.Deal(seed=9).play_out([Copy, "greedy"])
            return super().choose(view)

    deals = gs.Deal(seed=4), gs.Deal(seed=4)
    deals[0].play_out(Thinking)
    deals[1].play_out("random")
    np.testing.assert_array_equal(deals[0].state, deals[1].state)


def test_the_command_line_plays_one(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    def choose(self, view):\n        return view.legal_moves()[0]\n", "utf-8"
    )
    command = [sys.executable, "-m", "guandan_sim", "simulate", "--deals", "5", "--bots"]
    result = subprocess.run(
        [*command, "mine:Mine,greedy"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert (result.returncode, "mine:Mine" in result.stdout) == (0, True), result.stderr
