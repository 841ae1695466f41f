"""The benchmark: what it counts, compares, shows and refuses. No speed is asserted."""

from __future__ import annotations

import copy
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim import loop
from guandan_sim.bench import Plan, baseline, bench, signature, tables
from guandan_sim.bench.own_bot import OWN
from guandan_sim.bench.positions import list_all, met, move_counts
from guandan_sim.bench.remote import Remote, own_player
from guandan_sim.bench.timing import Figure, alternate, ratios
from guandan_sim.bench.workloads import Counts, Game, Workload
from guandan_sim.cards import RANK_WORDS, words_to_cards
from guandan_sim.cli import main
from guandan_sim.errors import BenchError
from guandan_sim.moves import Move
from guandan_sim.rules import Rules

ROOT = Path(__file__).parents[1]


def test_what_is_played_has_not_changed() -> None:
    """If it was meant to change, write the new value to benchmarks/signature.txt."""
    assert signature() == (ROOT / "benchmarks" / "signature.txt").read_text("utf-8").strip()


# Decisions


@pytest.mark.parametrize("rules", ["guide", "short_game", "pagat"])
def test_decisions_are_those_of_a_deal_stepped_through(rules: str) -> None:
    """Counted by asking, at every step, whose turn it is and what is legal."""
    game = Game(Workload("random", 12, rules=rules))
    plays = passes = choices = 0
    for deal_row, rows, _, _ in game.logged():
        words = deal_row[loop.D_HANDS : loop.D_HANDS + 8].tolist()
        deal = gs.Deal(
            level=RANK_WORDS[deal_row[loop.D_LEVEL]],
            hands=[words_to_cards(*words[2 * seat : 2 * seat + 2]) for seat in range(4)],
            leader=int(deal_row[loop.D_LEADER]),
            rules=rules,
        )
        for packed, one, two in rows.tolist():
            leads = packed >> lay.H_LEAD & 1
            while deal.to_move != packed & 3 or (leads and deal.to_beat):
                choices += len(deal.legal_moves()) > 1
                passes += 1
                deal.pass_()
            choices += 1
            plays += 1
            shape, rank = packed >> lay.H_SHAPE & 15, packed >> lay.H_RANK & 15
            deal.play(Move.from_words(shape, rank, one, two))
        assert deal.to_move is None
    assert game.counts == Counts(12, plays, passes, 0, choices)
    assert game.counts.decisions == plays + passes


def test_tributes_are_two_decisions_each(tmp_path: Path) -> None:
    game = Game(Workload("greedy", 5, matches=True))
    run = gs.simulate(matches=5, bots="greedy", seed=1, out=tmp_path / "run")
    assert isinstance(run, gs.Run)
    rows = run.manifest["rows"]
    counts = game.counts
    assert (counts.deals, counts.plays, counts.tributes) == (
        rows["deals"],
        rows["plays"],
        rows["tributes"],
    )
    assert counts.decisions == counts.plays + counts.passes + 2 * rows["tributes"]
    assert counts.tributes > 0


def test_a_log_or_a_bot_of_ones_own_plays_the_same_games() -> None:
    plain = Game(Workload("random", 40)).counts
    assert Game(Workload("random", 40, log=True)).counts == plain
    assert Game(Workload(OWN, 40)).counts == plain
    game = Game(Workload("random", 40))
    assert game.play() > 0
    assert game.counts == plain  # played before or not


def test_moves_are_listed_at_choices() -> None:
    positions = met(5)
    counts = move_counts(positions)
    assert counts.min() > 0
    out = np.zeros((int(counts.max()), 4), np.int64)
    assert list_all(positions, out, 3) == 3 * counts.sum()
    assert len(positions) == Game(Workload("random", 5)).counts.choices


# From times to figures


def test_tasks_take_turns_every_other_round_backwards() -> None:
    order: list[str] = []

    def task(name: str) -> Callable[[], float]:
        return lambda: float(len(order.append(name) or order))  # type: ignore[func-returns-value]

    times = alternate({"a": task("a"), "b": task("b")}, 3)
    assert "".join(order) == "ab" + "ab" + "ba" + "ba"
    assert times == {"a": (3, 6, 8), "b": (4, 5, 7)}
    assert ratios(times["a"], times["b"]) == (0.75, 1.2, 8 / 7)


def test_a_figure_as_json() -> None:
    figure = Figure("group", "label", "deals/s", (3, 1, 2, 4, 123456.7), target=5)
    assert figure.as_json() == {
        "group": "group",
        "label": "label",
        "unit": "deals/s",
        "more_is_better": True,
        "relative": False,
        "target": 5,
        "rounds": 5,
        "median": 3,
        "quartiles": [2, 4],
        "range": [1, 123460],
    }


# Figures: their shape, as tables, compared


@pytest.fixture(name="data", scope="module")
def measured_data() -> dict[str, Any]:
    return bench(Plan(rounds=3, deals=30), start=False)


def shown(table: Any) -> str:
    console = Console(width=140, record=True, file=io.StringIO())
    console.print(table)
    return console.export_text()


def test_every_figure_is_there(data: dict[str, Any]) -> None:
    assert data == json.loads(json.dumps(data))
    figures = data["figures"]
    for key in ("random_deals", "greedy_ns", "random_matches_ratio", "random_logged_ratio"):
        assert key in figures
    for name in Rules.presets():
        assert f"{name}_rules_ns" in figures
    for figure in figures.values():
        low, high = figure["quartiles"]
        assert 0 < figure["range"][0] <= low <= figure["median"] <= high <= figure["range"][1]
        assert figure["more_is_better"] or figure["unit"].startswith("ns ") or figure["target"]
    assert data["signature"] == (ROOT / "benchmarks" / "signature.txt").read_text("utf-8").strip()


def test_decisions_are_told(data: dict[str, Any]) -> None:
    counts = Game(Workload("greedy", 30)).counts
    assert data["counts"]["greedy"]["decisions"] == counts.decisions
    assert f"{counts.choices / 30:.1f}" in tables.provenance(data)


def test_tables_show_every_figure(data: dict[str, Any]) -> None:
    table = shown(tables.bench_table(data))
    page = tables.markdown(data)
    for figure in data["figures"].values():
        for text in (table, page):
            assert figure["group"] in text
            assert tables.number(figure["median"]) in text
    groups = {figure["group"] for figure in data["figures"].values()}
    assert page.count("\n|") == 1 + len(data["figures"]) + len(groups)
    assert data["machine"]["processor"] in page
    assert data["versions"]["numba"] in page
    assert data["signature"] in page


def figures_of(**changes: Any) -> dict[str, Any]:
    figure = Figure("g", "speed", "deals/s", (10.0, 11.0, 12.0, 13.0)).as_json()
    cost = Figure("g", "cost", "ns a decision", (10.0, 11.0, 12.0, 13.0), False).as_json()
    return {
        "format": baseline.FORMAT,
        "machine": {"processor": "one"},
        "versions": {"numba": "1"},
        "plan": {"rounds": 4},
        "load": [0.0, 1.0],
        "figures": {"speed": figure, "cost": cost},
        "signature": "00",
        **changes,
    }


@pytest.mark.parametrize(
    ("factor", "rounds", "speed", "cost"),
    [
        (1.0, 4, "", ""),
        (1.1, 4, "", ""),
        (1.2, 4, "better", "worse"),
        (0.8, 4, "worse", "better"),
        (2.0, 1, "", ""),
    ],
)
def test_a_change_is_one_only_beyond_the_spread(
    factor: float, rounds: int, speed: str, cost: str
) -> None:
    old, new = figures_of(), figures_of()
    for figure in new["figures"].values():
        figure["rounds"] = rounds
        figure["median"] *= factor
        for name in ("quartiles", "range"):
            figure[name] = [factor * value for value in figure[name]]
    changes = baseline.compare(old, new)
    assert [change.verdict for change in changes] == [speed, cost]
    assert [change.ratio for change in changes] == pytest.approx([factor, factor])
    text = shown(tables.changes_table(changes))
    assert f"{factor:.3f}" in text
    assert speed in text


@pytest.mark.parametrize(("unit", "verdict"), [("deals/s", ""), ("of random", "worse")])
def test_a_busy_machine_is_no_change(unit: str, verdict: str) -> None:
    """Most rounds are slow, the best one is not; a ratio would not have moved."""
    idle = Figure("g", "f", unit, (100, 101, 102, 103)).as_json()
    busy = Figure("g", "f", unit, (60, 62, 65, 102)).as_json()
    (change,) = baseline.compare(figures_of(figures={"f": idle}), figures_of(figures={"f": busy}))
    assert change.verdict == verdict


def test_only_figures_of_both_are_compared() -> None:
    old, new = figures_of(), figures_of()
    new["figures"]["more"] = new["figures"]["speed"]
    new["figures"]["speed"] = {**new["figures"]["speed"], "unit": "matches/s"}
    assert [change.label for change in baseline.compare(old, new)] == ["cost"]


def test_other_machines_versions_and_games_are_said() -> None:
    new = figures_of(
        machine={"processor": "two"},
        load=[4.0, 2.0],
        versions={"numba": "1", "numpy": "2"},
        signature="11",
    )
    assert baseline.differences(figures_of(), figures_of()) == []
    assert baseline.differences(figures_of(), new) == [
        "processor: one, now two",
        "numpy: None, now 2",
        "load of the machine: 1.0, now 4.0: what took long rounds may differ",
        "signature: 00, now 11: other games are played",
    ]


# The command


def broken(change: Callable[[dict[str, Any]], object]) -> str:
    data = copy.deepcopy(figures_of())
    change(data)
    return json.dumps(data)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot read"),
        ("not json", "is not JSON"),
        ("[]", "its format is 'list'"),
        ("{}", "its format is None"),
        ('{"format": "guandan_sim bench 0"}', "'guandan_sim bench 0'"),
        (broken(lambda data: data.pop("figures")), "figures"),
        (broken(lambda data: data["figures"]["cost"].pop("unit")), "unit"),
        (broken(lambda data: data["figures"]["cost"].update(median=99)), "'cost'"),
        (broken(lambda data: data["figures"]["cost"].update(quartiles=[1])), "cannot be read"),
        (broken(lambda data: data["figures"]["cost"].pop("range")), "range"),
        (broken(lambda data: data.update(machine=3)), "cannot be read"),
        (broken(lambda data: data.update(load=[])), "cannot be read"),
    ],
)
def test_a_baseline_that_is_none_is_said_before_measuring(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str | None,
    says: str,
) -> None:
    monkeypatch.setattr("guandan_sim.bench.bench", lambda *_, **__: pytest.fail("measured"))
    path = tmp_path / "before.json"
    if text is not None:
        path.write_text(text, "utf-8")
    assert main(["bench", "--baseline", str(path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert says in error
    assert str(path) in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("option", ["--json", "--markdown"])
def test_a_file_that_cannot_be_written_is_said_before_measuring(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    option: str,
) -> None:
    monkeypatch.setattr("guandan_sim.bench.bench", lambda *_, **__: pytest.fail("measured"))
    assert main(["bench", option, str(tmp_path / "nowhere" / "x")]) == 1
    assert "cannot write" in capsys.readouterr().err


def test_the_command_writes_and_compares(
    data: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("guandan_sim.bench.bench", lambda *_, **__: data)
    assert main(["bench", "--no-start", "--json", "b.json", "--markdown", "b.md"]) == 0
    assert json.loads(Path("b.json").read_text("utf-8")) == data
    assert Path("b.md").read_text("utf-8") == tables.markdown(data)
    capsys.readouterr()
    assert main(["bench", "--quick", "--baseline", "b.json"]) == 0
    assert "1.000" in capsys.readouterr().out


# Players in other processes


def test_a_player_of_our_own() -> None:
    with own_player("greedy", vectors=False) as player:
        assert "greedy, portable code" in player.what
        answer = player.play(7)
        counts = Game(Workload("greedy", 7)).counts
        assert (answer.deals, answer.decisions) == (7, counts.decisions)
        assert answer.seconds > 0


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("raise SystemExit(3)", "ended with code 3"),
        ("raise ValueError('no cards')", "no cards"),
        ("print('hello')", "'hello', which is no answer"),
        ("print('[]')", "no answer"),
        ("print('{}'); input(); print('{}')", "answered {}"),
        ("print('{}'); input()", "ended with code 0"),
    ],
)
def test_a_player_that_fails(program: str, says: str) -> None:
    def play() -> None:
        with Remote("peer", [sys.executable, "-c", program]) as player:
            player.play(1)

    with pytest.raises(BenchError, match="peer: ") as caught:
        play()
    assert says in str(caught.value)


def test_a_player_that_cannot_start() -> None:
    with pytest.raises(BenchError, match="cannot start /nowhere/python"):
        Remote("peer", ["/nowhere/python"])
