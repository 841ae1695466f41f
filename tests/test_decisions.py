"""`run.decisions()`: views, keys and choices are those of the compiled loop, from the log alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recording_bots import Notes

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim import logparts
from guandan_sim.cards import CARD_NUMBERS, card_codes
from guandan_sim.decisions import Decisions
from guandan_sim.tribute import choice_mask


def name_of(rules: Any) -> str:
    return str(getattr(rules, "name", rules))


HOUSE_RULES = gs.Rules.preset("wikipedia").replace(pass_locks=True, full_house_joker_pair=False)


@pytest.fixture(scope="module", name="notes")
def recording_bots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Notes]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield Notes(monkeypatch, tmp_path_factory.mktemp("bots"))


@pytest.fixture(scope="module", name="run")
def three_parts(tmp_path_factory: pytest.TempPathFactory) -> gs.Run:
    """Independent deals of mixed teams, many with tribute, in three parts."""
    return run_of(
        tmp_path_factory.mktemp("runs") / "deals",
        deals=2_100,
        bots=("random", "greedy"),
        previous_order="random",
        seed=12,
    )


def run_of(folder: Path, **arguments: Any) -> gs.Run:
    run = gs.simulate(out=folder, **{"workers": 1} | arguments)
    assert isinstance(run, gs.Run)
    return run


def together(batches: Iterator[Decisions]) -> dict[str, np.ndarray]:
    """All batches as one, without what was left out."""
    found: dict[str, list[np.ndarray]] = {}
    for batch in batches:
        for field in fields(batch):
            values = getattr(batch, field.name)
            if values is not None:
                # Offsets go on from batch to batch.
                found.setdefault(field.name, []).append(
                    np.diff(values) if field.name == "offsets" else values
                )
    return {name: np.concatenate(pieces) for name, pieces in found.items()}


def same(one: dict[str, np.ndarray], two: dict[str, np.ndarray]) -> None:
    assert one.keys() == two.keys()
    for name, values in one.items():
        np.testing.assert_array_equal(values, two[name], err_msg=name)
        assert values.dtype == two[name].dtype


# What the loop's bots saw and chose


@pytest.mark.parametrize(
    "rules", [*gs.Rules.presets(), HOUSE_RULES], ids=lambda rules: getattr(rules, "name", rules)
)
@pytest.mark.parametrize("kind", ["matches", "deals"])
def test_views_and_choices_are_those_of_the_loop(
    notes: Notes, tmp_path: Path, rules: Any, kind: str
) -> None:
    arguments: dict[str, Any] = (
        {"matches": 3} if kind == "matches" else {"deals": 60, "previous_order": "random"}
    )
    bots = [f"recorders:{name}" for name in ("random", "greedy", "greedy", "random")]
    run = run_of(tmp_path / "run", bots=bots, rules=rules, seed=5, **arguments)
    views, outs = notes.take()
    found = together(run.decisions(rows=500))
    np.testing.assert_array_equal(found["views"], views)
    in_play = found["phase"] == lay.PHASE_PLAY
    choices = np.column_stack([found[name] for name in ("shape", "rank", "one", "two")])
    np.testing.assert_array_equal(choices[in_play], outs[in_play])
    cards = outs[~in_play, lay.OUT_CARD]
    assert len(cards) > 3
    np.testing.assert_array_equal(found["shape"][~in_play], -1)
    np.testing.assert_array_equal(found["rank"][~in_play], cards >> 2)
    np.testing.assert_array_equal(found["one"][~in_play], 1 << cards)
    np.testing.assert_array_equal(found["two"][~in_play], 0)
    for name, word in (("seat", lay.V_SEAT), ("phase", lay.V_PHASE), ("deal", lay.V_DEAL)):
        np.testing.assert_array_equal(found[name], views[:, word])


@pytest.mark.parametrize("bots", ["random", "greedy"])
def test_chosen_passes_are_there_and_forced_ones_are_not(tmp_path: Path, bots: str) -> None:
    run = run_of(tmp_path / "run", deals=200, bots=bots, seed=2)
    found = together(run.decisions(views=False))
    plays = run.plays(["chosen_passes"])["chosen_passes"].to_numpy()
    passes = found["shape"] == 0
    assert passes.sum() == np.bitwise_count(plays).sum() > 500
    assert (~passes).sum() == len(plays)
    assert (found["legal"][passes] > 1).all()


def test_what_came_of_it(run: gs.Run) -> None:
    found = together(run.decisions(views=False))
    deals = run.deals().to_dict("records")
    numbers = np.concatenate([np.arange(n) for n in np.unique(found["set"], return_counts=True)[1]])
    np.testing.assert_array_equal(found["number"], numbers)
    for number, seat, finish, score in zip(
        found["set"][::97].tolist(),
        found["seat"][::97].tolist(),
        found["finish"][::97].tolist(),
        found["score"][::97].tolist(),
        strict=True,
    ):
        deal = deals[number]
        assert finish == [deal[name] for name in ("first", "second", "third", "last")]
        assert score == (deal["gain"] if (deal["first"] - seat) % 2 == 0 else -deal["gain"])


# What could have been chosen


@pytest.mark.parametrize(
    "rules", ["guide", "short_game", HOUSE_RULES], ids=lambda rules: getattr(rules, "name", rules)
)
def test_options_are_the_legal_moves_in_their_order(tmp_path: Path, rules: Any) -> None:
    run = run_of(tmp_path / "run", matches=4, bots=("random", "greedy"), rules=rules, seed=9)
    shapes, phases = set(), set()
    some = run.decisions(moves=True, every=13)
    for batch in chain(some, run.decisions(moves=True, phases=("tribute", "return"))):
        assert batch.choice is not None
        for row in range(len(batch)):
            options = batch.options(row)
            view = batch.view(row)
            if view.words[lay.V_PHASE] == lay.PHASE_PLAY:
                assert options == view.legal_moves()
                shapes |= {move.shape for move in view.legal_moves()}
            else:
                mask = choice_mask(view.words, view.seat, view.words[lay.V_ONE])
                assert options == card_codes(int(mask))
            assert len(options) == batch.legal[row]
            assert options[batch.choice[row]] == batch.chosen(row)
            phases.add(int(batch.phase[row]))
    assert len(shapes) >= 10
    assert len(phases) == 3


def test_bombs_of_many_sizes_are_in_order(tmp_path: Path) -> None:
    """Where one bomb's cards begin another's, the smaller comes first."""
    run = run_of(tmp_path / "run", deals=3, bots="greedy", seed=1)
    (batch,) = run.decisions(moves=True)
    longest = max(
        range(len(batch)), key=lambda row: sum(b.shape == "bomb" for b in moves_of(batch, row))
    )
    bombs = [move for move in moves_of(batch, longest) if move.shape == "bomb"]
    assert len({len(bomb.cards) for bomb in bombs}) > 2
    assert bombs == [m for m in batch.view(longest).legal_moves() if m.shape == "bomb"]


def moves_of(batch: Decisions, row: int) -> list[gs.Move]:
    return [move for move in batch.options(row) if isinstance(move, gs.Move)]


def test_rows_as_python_objects_and_as_a_frame(run: gs.Run) -> None:
    batch = next(run.decisions(sets=range(200), moves=True))
    frame = batch.frame()
    assert list(frame["phase"].cat.categories) == ["setup", "tribute", "return", "play"]
    for row in (0, 1, len(batch) - 1):
        choice = batch.chosen(row)
        if isinstance(choice, gs.Move):
            assert (frame["shape"][row], frame["rank"][row]) == (choice.shape, choice.rank)
        else:
            assert frame["one"][row] == 1 << CARD_NUMBERS[choice]
    assert frame["shape"].isna().sum() == (batch.phase != lay.PHASE_PLAY).sum() > 0
    assert batch.options(-1) == batch.options(len(batch) - 1)
    bare = next(run.decisions(sets=0, views=False))
    assert (bare.views, bare.moves, bare.offsets, bare.choice) == (None, None, None, None)
    with pytest.raises(gs.OptionError, match="views=True"):
        bare.view(0)
    with pytest.raises(gs.OptionError, match="moves=True"):
        bare.options(0)


# Batches and selections


def test_batches_do_not_matter(run: gs.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    some = range(900, 1_150)
    expected = together(run.decisions(sets=some, moves=True))
    for rows in (1_000, 7):
        batches = list(run.decisions(sets=some, moves=True, rows=rows))
        assert {len(batch) for batch in batches[:-1]} == {rows}
        same(together(iter(batches)), expected)
    monkeypatch.setattr(logparts, "_PLAYS", 90)
    same(together(run.decisions(sets=some, moves=True)), expected)


def test_sets_of_a_run_of_matches(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", matches=12, bots="greedy", seed=3)
    everything = together(run.decisions())
    wanted = (everything["set"] >= 5) & (everything["set"] < 8)
    assert len(set(everything["deal"][wanted])) > 5
    same(
        together(run.decisions(sets=range(5, 8))),
        {name: values[wanted] for name, values in everything.items()},
    )


@pytest.mark.parametrize(
    ("selection", "column", "values"),
    [
        ({"seats": 2}, "seat", [2]),
        ({"seats": (0, 3)}, "seat", [0, 3]),
        ({"phases": "return"}, "phase", [2]),
        ({"phases": ["tribute", "play"]}, "phase", [1, 3]),
        ({"sets": 1_024}, "set", [1_024]),
        ({"sets": range(1_020, 1_030)}, "set", range(1_020, 1_030)),
    ],
)
def test_selections(run: gs.Run, selection: Any, column: str, values: Any) -> None:
    some = {"sets": range(1_000, 1_050)} | selection
    everything = together(run.decisions(sets=range(1_000, 1_050)))
    wanted = np.isin(everything[column], list(values))
    assert 0 < wanted.sum() < len(wanted)
    same(together(run.decisions(**some)), {n: of[wanted] for n, of in everything.items()})


def test_one_in_so_many(run: gs.Run) -> None:
    seat = together(run.decisions(sets=range(50), seats=1))
    same(
        together(run.decisions(sets=range(50), seats=1, every=13)),
        {name: values[::13] for name, values in seat.items()},
    )


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"seats": 4}, "seats is 4"),
        ({"seats": ()}, "name some of 0"),
        ({"seats": "0"}, "seats is '0'"),
        ({"phases": "done"}, "name some of tribute, return, play"),
        ({"phases": ()}, "name some of"),
        ({"phases": 3}, "phases are 3"),
        ({"every": 0}, "every is 0"),
        ({"rows": 2.5}, "rows is 2.5"),
        ({"sets": (0, 3)}, r"sets are \(0, 3\)"),
        ({"sets": range(0, 9, 3)}, "without steps"),
        ({"sets": 2_100}, "holds 0 to 2099"),
        ({"sets": -1}, "holds 0 to 2099"),
    ],
)
def test_what_cannot_be_asked_for(run: gs.Run, wrong: Any, text: str) -> None:
    with pytest.raises(gs.OptionError, match=text):
        run.decisions(**wrong)


# Lazily, in bounded memory


def test_nothing_is_read_before_it_is_needed(run: gs.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    of_part = gs.Run.part_arrays

    def watched(self: gs.Run, table: str, first: int) -> Any:
        read.append((table, first))
        return of_part(self, table, first)

    monkeypatch.setattr(gs.Run, "part_arrays", watched)
    batches = run.decisions(views=False)
    assert read == []
    batch = next(batches)
    assert {first for _, first in read} == {0}
    while batch.set[-1] < 1_024:
        assert {first for _, first in read} == {0}
        batch = next(batches)
    assert {first for _, first in read} == {0, 1_024}


def test_a_run_takes_the_memory_of_a_batch(run: gs.Run) -> None:
    tracemalloc.start()
    try:
        rows = sum(len(batch) for batch in run.decisions(rows=512))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    views = 8 * lay.VIEW_SIZE * rows
    assert peak < 20_000_000 < views / 20


# Runs that cannot be followed


def test_a_run_without_plays(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", deals=5, log="deals")
    with pytest.raises(gs.RunError, match='no plays to follow; they are kept with log "plays"'):
        run.decisions()


def test_settings_of_other_rules(run: gs.Run) -> None:
    other = gs.open_run(run.path)
    other.manifest["settings"]["rules_version"] = 1
    with pytest.raises(gs.RunError, match="was played by rules version 1"):
        other.decisions()
    other = gs.open_run(run.path)
    del other.manifest["settings"]["seed"]
    with pytest.raises(gs.RunError, match="settings cannot be read"):
        other.decisions()


def test_parts_that_are_not_written(run: gs.Run) -> None:
    other = gs.open_run(run.path)
    del other.parts[1]
    assert {int(s) >> 10 for batch in other.decisions(views=False) for s in batch.set} == {0, 2}
    with pytest.raises(gs.RunError, match=r"set 1024 is in a part of .* not written yet"):
        other.decisions(sets=range(1_000, 1_100))


# Without compiling


def test_plain_python_gives_the_same(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", deals=2, bots="greedy", previous_order="0213", seed=4)
    plain = subprocess.run(
        [sys.executable, __file__, str(run.path)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    assert json.loads(plain) == sums(run)


def sums(run: gs.Run) -> dict[str, int]:
    """A number of each column that depends on every entry."""
    found = together(run.decisions(moves=True, every=3))
    flat = {name: values.astype(np.int64).ravel() for name, values in found.items()}
    return {name: int(v @ (2 * np.arange(v.size) + 1)) for name, v in flat.items()}


if __name__ == "__main__":
    print(json.dumps(sums(gs.open_run(sys.argv[1]))))
