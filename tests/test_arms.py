"""Runs of several arms: each arm is the run that it would be alone, and is read and checked so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from played_cards import with_packed_cards

import guandan_sim as gs
from guandan_sim import workers as working
from guandan_sim.arms import Arm, LineUp, bot_settings, line_ups, participants
from guandan_sim.bots import bots_by_seat
from guandan_sim.outcomes import Outcomes
from guandan_sim.replay import replay_run
from guandan_sim.runs import create_run
from guandan_sim.sessions import Where, _End, play_run
from guandan_sim.settings import deal_arguments
from guandan_sim.simulate import checked_settings

TEAMS = ("greedy", "greedy+random")
SEATS = (("greedy", "greedy", "greedy", "random"), ("greedy", "greedy", "random", "greedy"))
KINDS: dict[str, dict[str, Any]] = {"deals": {"sets": 1_100}, "matches": {"matches": 30}}
Tables = dict[str, dict[str, NDArray[Any]]]


def arena_run(out: Path, **arguments: Any) -> gs.Run:
    given: dict[str, Any] = {"seed": 8, "out": out, "log": "plays", "workers": 1}
    run = gs.arena(*TEAMS, **given | arguments).run
    assert run is not None
    return run


@pytest.fixture(scope="module", name="run", params=KINDS)
def run_of_two_arms(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Any:
    return arena_run(tmp_path_factory.mktemp("runs") / "run", **KINDS[request.param])


@pytest.fixture(scope="module", name="matches")
def run_of_matches(tmp_path_factory: pytest.TempPathFactory) -> gs.Run:
    return arena_run(tmp_path_factory.mktemp("runs") / "run", matches=12)


@pytest.fixture(scope="module", name="alone")
def each_arm_alone(run: gs.Run, tmp_path_factory: pytest.TempPathFactory) -> list[gs.Run]:
    """The plain runs that the arms are."""
    how: dict[str, Any] = {"matches": 30}
    if run.layout.kind == "deals":
        how = {"deals": 1_100, "previous_order": "random"}
    folder = tmp_path_factory.mktemp("alone")
    runs = [
        gs.simulate(bots=bots, seed=8, out=folder / str(arm), **how)
        for arm, bots in enumerate(SEATS)
    ]
    return [each for each in runs if isinstance(each, gs.Run)]


# What is played


def test_each_arm_is_the_run_that_it_is_alone(run: gs.Run, alone: list[gs.Run]) -> None:
    for name in run.tables:
        found = getattr(run, name)()
        for arm, plain in enumerate(alone):
            rows = found[found["arm"] == arm].reset_index(drop=True)
            expected = getattr(plain, name)()
            assert len(expected) > 20
            pd.testing.assert_frame_equal(rows.assign(arm=expected["arm"]), expected)


def test_rows_are_in_the_order_of_their_keys(run: gs.Run) -> None:
    for name in run.tables:
        found = getattr(run, name)()
        keys = [key for key in ("set", "arm", "deal", "ply", "giver") if key in found]
        assert found[keys].equals(found[keys].sort_values(keys, ignore_index=True))
        assert set(found["arm"]) == {0, 1}


def test_figures_are_by_arm(run: gs.Run, alone: list[gs.Run]) -> None:
    for arm, plain in enumerate(alone):
        of_arm = run.summary["arms"][arm]
        assert of_arm == {name: plain.summary[name] for name in of_arm}
    for name in ("deals", "plays", "matches"):
        assert run.summary[name] == sum(plain.summary[name] for plain in alone)
    assert run.summary["sets"] == run.layout.count
    assert f"{run.layout.count} {run.layout.kind} in 2 arms, finished" in repr(run)


def test_workers_backends_and_buffers_do_not_matter(
    run: gs.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = run.manifest["content_hash"]
    kind = KINDS[run.layout.kind]
    backends: dict[str, dict[str, Any]] = {"threads": {}, "loky": {"backend": "loky"}}
    for name, how in backends.items():
        how["workers"] = 2
        assert arena_run(tmp_path / name, **kind, **how).manifest["content_hash"] == expected
    for name, playings in (("one", 1), ("all", 5_000)):
        monkeypatch.setattr(working, "PLAYINGS", dict.fromkeys(KINDS, playings))
        # Buffers are full in the middle of a match, too.
        monkeypatch.setattr(working, "DEAL_ROWS", 7)
        assert arena_run(tmp_path / name, **kind).manifest["content_hash"] == expected


def test_lost_parts_are_played_again(tmp_path: Path) -> None:
    run = arena_run(tmp_path / "run", sets=1_100)
    (run.path / "deals" / "part-000000001024.parquet").unlink()
    (run.path / "plays" / "part-000000000000.parquet").write_bytes(b"PAR1")
    with pytest.warns(gs.RunWarning, match="its part is played again"):
        resumed = arena_run(tmp_path / "run", sets=1_100, resume=True)
    assert resumed.manifest["content_hash"] == run.manifest["content_hash"]
    timed = ("seconds", "deals_per_second", "plays_per_second")
    assert all(run.summary[name] == resumed.summary[name] for name in run.summary.keys() - timed)
    with pytest.raises(
        gs.RunError, match=r"settings: bots is .'greedy', 'greedy.random'. there and .'random'"
    ):
        gs.arena("random", "greedy", sets=1_100, seed=8, out=tmp_path / "run", log="plays",
                 resume=True)  # fmt: skip


def test_a_judge_sees_parts_in_the_order_of_their_sets() -> None:
    """In whatever order they were played; and nothing is played beyond the end once it is known."""
    parts = [(first, first + 1_024) for first in range(0, 6 * 1_024, 1_024)]
    found = {first: Outcomes(2, False) for first, _ in parts}
    seen: list[Outcomes] = []

    class Judge:
        def take(self, outcomes: Outcomes) -> str:
            seen.append(outcomes)
            return "enough" if len(seen) == 3 else ""

    end = _End(Judge(), 6 * 1_024)
    waiting = end.wanted(parts)
    assert [next(waiting) for _ in range(4)] == parts[:4]
    for place in (2, 0, 3, 1):
        assert not end.reached
        end.take(*parts[place], found[parts[place][0]])
    assert seen == [found[first] for first, _ in parts[:3]]
    assert (end.reached, end.stopped) == (True, {"sets": 3 * 1_024, "reason": "enough"})
    assert list(waiting) == []


# What is read


def test_verify_follows_every_arm(run: gs.Run) -> None:
    report = run.verify()
    assert report.ok, report.problems
    assert (report.deals, report.plays) == (run.summary["deals"], run.summary["plays"])


def test_decisions_are_those_of_each_arm_alone(run: gs.Run, alone: list[gs.Run]) -> None:
    some: dict[str, Any] = {"sets": range(20), "moves": True, "rows": 600}
    found = together(run.decisions(**some))
    keys = found["set"] * 2 + found["arm"]
    assert (np.diff(keys) >= 0).all()
    for arm, plain in enumerate(alone):
        expected = together(plain.decisions(**some))
        rows = found["arm"] == arm
        assert 500 < rows.sum() == len(expected["set"])
        for name, values in expected.items():
            if name not in ("arm", "moves"):
                np.testing.assert_array_equal(found[name][rows], values)
        options = np.repeat(rows, found["legal"])
        np.testing.assert_array_equal(found["moves"][options], expected["moves"])


def together(batches: Iterator[Any]) -> dict[str, NDArray[Any]]:
    names = ("set", "arm", "deal", "number", "seat", "legal", "shape", "one", "score", "views",
             "choice", "moves")  # fmt: skip
    listed = list(batches)
    return {name: np.concatenate([getattr(batch, name) for batch in listed]) for name in names}


def test_replay_tells_the_arm(run: gs.Run, alone: list[gs.Run]) -> None:
    for arm, plain in enumerate(alone):
        text = replay_run(run, 3, arm=arm)
        assert text.startswith(f"set 3, arm {arm}, deal 0: ")
        assert text.replace(f", arm {arm},", ",") == replay_run(plain, 3)
    with pytest.raises(gs.RunError, match="has no arm 2; it has arms 0 to 1"):
        replay_run(run, 3, arm=2)


def test_columns_of_the_deal_and_match_of_a_play(run: gs.Run, alone: list[gs.Run]) -> None:
    above = ["deals.gain", *(["matches.winner"] if "matches" in run.tables else [])]
    where = [("set", "<", 9), ("deals.first", "==", 1)]
    found = run.plays(["arm", "ply", *above], where=where)
    per_deal = pd.concat(
        [batch.to_pandas() for batch in run.per_deal({"plays": "count"}, columns=["arm"])]
    )
    np.testing.assert_array_equal(per_deal["plays"], run.deals(["plays"])["plays"])
    for arm, plain in enumerate(alone):
        rows = found[found["arm"] == arm].drop(columns="arm").reset_index(drop=True)
        assert len(rows) > 20
        pd.testing.assert_frame_equal(rows, plain.plays(["ply", *above], where=where))


# What verify finds


def changed(run: gs.Run, tmp_path: Path, change: Callable[[Tables], None]) -> list[str]:
    """What `verify` says of the run with ``change`` made to its tables, checksums made right."""
    tables = {
        name: {c: np.concatenate([batch[c] for batch in batches]) for c in batches[0]}
        for name, batches in ((name, list(run.arrays(name))) for name in run.tables)
    }
    change(tables)
    with create_run(tmp_path / "changed", run.manifest["settings"]) as writer:
        with writer.part(0, run.layout.count) as part:
            for name, columns in tables.items():
                part.write(name, with_packed_cards(columns) if name == "plays" else columns)
        writer.finish([part.summary], run.summary)
    return gs.open_run(tmp_path / "changed").verify().problems


def row_of(table: dict[str, NDArray[Any]], **wanted: Any) -> int:
    found = np.logical_and.reduce([table[name] == value for name, value in wanted.items()])
    return int(np.flatnonzero(found)[0])


def test_a_wrong_result_is_told_with_its_arm(matches: gs.Run, tmp_path: Path) -> None:
    def change(tables: Tables) -> None:
        tables["deals"]["gain"][row_of(tables["deals"], set=4, arm=1, deal=1)] ^= 1

    (problem,) = changed(matches, tmp_path, change)
    assert "set 4, arm 1, deal 1: deals.gain stands for" in problem


def test_rows_of_no_arm(matches: gs.Run, tmp_path: Path) -> None:
    def change(tables: Tables) -> None:
        for table in tables.values():
            table["arm"] *= 2

    problems = changed(matches, tmp_path, change)
    assert any("deals.arm is not below 2" in text for text in problems)
    assert any("set 0, arm 1: deal 0 is missing" in text for text in problems)


def test_plays_under_the_other_arm(matches: gs.Run, tmp_path: Path) -> None:
    def change(tables: Tables) -> None:
        plays = tables["plays"]
        order = np.lexsort((plays["ply"], plays["deal"], 1 - plays["arm"], plays["set"]))
        plays["arm"] = 1 - plays["arm"]
        plays.update({name: values[order] for name, values in plays.items()})

    assert any("plays are not those of the deals" in x for x in changed(matches, tmp_path, change))


def test_arms_exchanged_are_other_figures(matches: gs.Run, tmp_path: Path) -> None:
    """The games stay legal, but who played them is no longer who won."""

    def change(tables: Tables) -> None:
        for name, table in tables.items():
            table["arm"] = 1 - table["arm"]
            keys = [table[key] for key in ("giver", "ply", "deal", "arm", "set") if key in table]
            order = np.lexsort(keys)
            tables[name] = {column: values[order] for column, values in table.items()}

    problems = changed(matches, tmp_path, change)
    assert problems
    assert all("the manifest's summary says arms." in text for text in problems)


def test_decisions_and_replay_refuse_a_log_that_is_wrong(matches: gs.Run, tmp_path: Path) -> None:
    def change(tables: Tables) -> None:
        plays = tables["plays"]
        row = row_of(plays, set=4, arm=1, deal=1, ply=3)
        plays["seat"][row] = (plays["seat"][row] + 1) % 4

    changed(matches, tmp_path, change)
    run = gs.open_run(tmp_path / "changed")
    with pytest.raises(gs.RunError, match="set 4, arm 1, deal 1, play 3: "):
        list(run.decisions(views=False))
    with pytest.raises(gs.RunError, match=r"set 4, arm 1, deal 1 of .* cannot be followed"):
        replay_run(run, 4, 1, arm=1)
    assert replay_run(run, 4, 1, arm=0)


@pytest.mark.parametrize(
    ("arms", "message"),
    [
        ([], "arms must be a list of 1 to 256 objects"),
        ("two", "arms must be a list"),
        ([{}] * 257, "arms must be a list of 1 to 256"),
        ([{}, 3], "arm 1 is 3: must be an object"),
        ([{"seed": 3}], "arm 0 has a 'seed' of its own: only name, bots, rules"),
        ([{"rules": {}}], "settings cannot be read"),
    ],
)
def test_arms_that_cannot_be(matches: gs.Run, arms: Any, message: str) -> None:
    run = gs.open_run(matches.path)
    run.manifest["settings"] = run.manifest["settings"] | {"arms": arms}
    reads: list[Callable[[], object]] = [
        run.verify,
        lambda: next(run.decisions()),
        lambda: replay_run(run, 1),
    ]
    for read in reads:
        with pytest.raises(gs.RunError, match=message):
            read()


# Arms that differ in more than their bots


def test_arms_of_other_rules_and_without_tribute(tmp_path: Path) -> None:
    settings, rules = checked_settings(
        deals=30, matches=None, rules="guide", seed=3, log="plays", level="7",
        previous_order="0213",
    )  # fmt: skip
    assert rules.full_house_joker_pair
    other = rules.replace(full_house_joker_pair=False)
    bots = bots_by_seat("greedy")
    records: list[dict[str, Any]] = [{}, {"previous_order": None}, {"rules": other.switches()}]
    settings |= {"part_sets": 1_024, "bots": bot_settings(bots), "arms": records}
    arms = [
        Arm(bots, other if "rules" in record else rules, deal_arguments(settings | record))
        for record in records
    ]
    where = Where(tmp_path / "run", False, "threads", 1, None, None, "")
    run = play_run(settings, arms, where).run
    assert run is not None
    assert run.verify().ok
    deals = run.deals(["arm", "tribute", "hand0_one", "level"])
    assert deals.groupby("arm")["tribute"].unique().map(list).tolist() == [
        ["double"],
        ["none"],
        ["double"],
    ]
    hands = [deals.loc[deals["arm"] == arm, "hand0_one"].tolist() for arm in range(3)]
    assert hands[0] == hands[1] == hands[2]
    jokers = 0
    for batch in run.decisions(moves=True, phases="play"):
        for row in range(0, len(batch), 5):
            options = batch.options(row)
            assert options == batch.view(row).legal_moves()
            texts = [str(option) for option in options]
            joined = any(text.startswith("full_house") and "SB SB" in text for text in texts)
            assert batch.arm[row] < 2 or not joined
            jokers += joined
    assert jokers > 0


# Line-ups


def seats(arms: list[LineUp]) -> list[str]:
    return [" ".join(each.name[0] for each in arm.bots) for arm in arms]


def test_rotated_line_ups_give_everyone_every_hand_and_both_neighbours() -> None:
    teams = participants([("greedy", gs.Bot("x", gs.bot("random").play)), "random+greedy"])
    arms = line_ups(teams, rotate=True)
    assert seats(arms[:2]) == ["g r x g", "r g g x"]
    for side in (0, 1):
        for partner in (0, 1):
            mine = teams[side].bots[partner]
            other = teams[1 - side].bots
            places = []
            for arm in arms:
                # Where two are the same bot their team tells them apart.
                at = [
                    seat
                    for seat in range(4)
                    if arm.bots[seat] is mine and arm.teams[seat & 1] == side
                ]
                assert len(at) == 1
                places.append(at[0])
                assert arm.bots[(at[0] + 1) % 4] in other
            assert sorted(places) == [0, 1, 2, 3]
            after = [arm.bots[(at + 1) % 4] for arm, at in zip(arms, places, strict=True)]
            assert [after.count(each) for each in other] == [2, 2]


def test_every_two_meet_from_both_sides() -> None:
    teams = participants(["greedy", "random", "greedy+random"])
    arms = line_ups(teams)
    assert [arm.teams for arm in arms] == [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
    assert seats(arms) == ["g r g r", "r g r g", "g g g r", "g g r g", "r g r r", "g r r r"]
    assert len(line_ups(teams, rotate=True)) == 10
