"""What an arena finds: against a count of its run by hand, and the same however it is played."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import guandan_sim as gs
from guandan_sim.sessions import Progress

# Partners change places, and so who plays after whom.
CLOSE = ("greedy+random", "random+greedy")
TESTED: dict[str, Any] = {"sets": 6_000, "seed": 4, "sprt": (0, 30), "previous_order": None}


@pytest.fixture(scope="module", name="run")
def run_of_deals(tmp_path_factory: pytest.TempPathFactory) -> gs.Run:
    return played("greedy", "greedy+random", sets=400, out=tmp_path_factory.mktemp("a") / "run")


@pytest.fixture(scope="module", name="matches")
def run_of_matches(tmp_path_factory: pytest.TempPathFactory) -> gs.Run:
    return played(*CLOSE, matches=60, out=tmp_path_factory.mktemp("a") / "run")


@pytest.fixture(scope="module", name="tested")
def run_that_a_test_ends(tmp_path_factory: pytest.TempPathFactory) -> gs.Run:
    out = tmp_path_factory.mktemp("a") / "run"
    return played("greedy+random", "random", out=out, workers=1, **TESTED)


def played(*bots: Any, **arguments: Any) -> gs.Run:
    run = gs.arena(*bots, **{"seed": 6} | arguments).run
    assert run is not None
    return run


def by_hand(run: gs.Run) -> pd.DataFrame:
    """A row a deal: the set, what the first team gained, and its outcome."""
    deals = run.deals()
    first_team = np.array([arm["teams"].index(0) for arm in run.manifest["settings"]["arms"]])
    deals["won"] = deals["first"] % 2 == first_team[deals["arm"]]
    deals["score"] = np.where(deals["won"], 1, -1) * deals["gain"].astype(int)
    partner = (deals["first"] + 2) % 4
    places = {"1-2": "second", "1-3": "third", "1-4": "last"}
    place = np.select([partner == deals[of] for of in places.values()], [*places], "?")
    deals["outcome"] = np.where(deals["won"], "A ", "B ") + pd.Series(place)
    return deals


# Right answers


def test_deals_are_counted_by_set(run: gs.Run) -> None:
    result = gs.arena_report(run)
    deals = by_hand(run)
    sets = deals.groupby("set")[["score", "won"]].mean()
    assert (result.sets, result.deals, len(sets)) == (400, 800, 400)
    assert result.mean_gain == pytest.approx(sets["score"].mean())
    se = sets["score"].std() / math.sqrt(400)
    assert result.se == pytest.approx(se)
    assert result.interval == pytest.approx(
        (result.mean_gain - 1.966 * se, result.mean_gain + 1.966 * se), abs=1e-4
    )
    assert result.win_rate == pytest.approx(sets["won"].mean())
    counts = deals["outcome"].value_counts()
    assert result.outcomes == {name: counts.get(name, 0) for name in result.outcomes}
    assert result.outcomes["A 1-2"] > result.outcomes["B 1-2"] > 0
    p = result.win_rate
    assert result.elo == pytest.approx(400 * math.log10(p / (1 - p)))
    assert result.elo_interval[0] < result.elo < result.elo_interval[1]
    assert result.match_win_rate is None
    assert not result.exactly_level


def test_matches_are_counted_apart(matches: gs.Run) -> None:
    result = gs.arena_report(matches)
    table = matches.matches()
    first_team = np.array([0, 1])[table["arm"]]
    won = (table["winner"] == first_team).groupby(table["set"]).mean()
    assert (result.sets, len(won)) == (60, 60)
    assert result.match_win_rate == pytest.approx(won.mean())
    p = won.mean()
    assert 0.3 < p < 0.7
    assert result.meetings[0].matches is not None
    assert result.meetings[0].matches.match_win_rate_se == pytest.approx(won.std() / math.sqrt(60))
    assert result.elo == pytest.approx(400 * math.log10(p / (1 - p)))
    deals = by_hand(matches)
    sums = deals.groupby("set").agg(score=("score", "sum"), deals=("score", "size"))
    mean = sums["score"].sum() / len(deals)
    assert result.deals == len(deals)
    assert result.mean_gain == pytest.approx(mean)
    residuals = sums["score"] - mean * sums["deals"]
    se = math.sqrt(60 / 59 * (residuals**2).sum()) / len(deals)
    assert result.se == pytest.approx(se)
    counts = deals["outcome"].value_counts()
    assert result.outcomes == {name: counts.get(name, 0) for name in result.outcomes}


@pytest.mark.parametrize("what", [{"sets": 150}, {"matches": 25}])
def test_names_exchanged_are_the_same_with_other_signs(what: dict[str, Any]) -> None:
    one = gs.arena("greedy", "greedy+random", seed=2, **what)
    other = gs.arena("greedy+random", "greedy", seed=2, **what)
    assert one.mean_gain == -other.mean_gain != 0
    assert one.se == other.se
    assert one.interval == (-other.interval[1], -other.interval[0])
    assert one.win_rate == pytest.approx(1 - other.win_rate)
    assert one.elo == pytest.approx(-other.elo)
    assert list(one.outcomes.values()) == list(other.outcomes.values())[::-1]


@pytest.mark.parametrize("what", [{"sets": 200}, {"matches": 20}])
def test_a_bot_against_itself_is_exactly_level(what: dict[str, Any]) -> None:
    result = gs.arena("greedy", "greedy", seed=3, **what)
    assert result.exactly_level
    assert (result.mean_gain, result.se, result.interval) == (0, 0, (0, 0))
    assert (result.win_rate, result.win_rate_interval) == (0.5, (0.5, 0.5))
    assert (result.elo, result.elo_interval) == (0, (0, 0))
    if "matches" in what:
        assert (result.match_win_rate, result.match_win_rate_interval) == (0.5, (0.5, 0.5))
    assert "Exactly level" in str(result) or "matches" in what


def test_a_bot_against_itself_without_duplication_is_level_within_its_interval() -> None:
    summary = gs.simulate(deals=20_000, bots="greedy", seed=5, previous_order="random").summary
    share = summary["wins"][0] / 20_000
    assert 0 < abs(share - 0.5) < 4 * math.sqrt(0.25 / 20_000)


def test_duplication_saves_variance() -> None:
    result = gs.arena(*CLOSE, sets=1_500, seed=1)
    assert result.variance_saved > 0.03
    assert 0 < abs(result.mean_gain) < 4 * result.se


def test_partners_changed_about_make_the_same_team_exactly_level() -> None:
    result = gs.arena(*CLOSE, sets=100, seed=1, rotate=True)
    assert (result.arms, result.deals, result.exactly_level) == (4, 400, True)


def test_three_meet_in_pairs_on_the_same_sets() -> None:
    names = ("greedy", "random", "greedy+random")
    result = gs.arena(*names, sets=300, seed=6)
    assert (result.arms, result.deals) == (6, 1_800)
    for meeting in result.meetings:
        alone = gs.arena(meeting.first, meeting.second, sets=300, seed=6)
        assert meeting.deals.mean_gain == alone.mean_gain
        assert meeting.deals.se == alone.se
        assert meeting.deals.outcomes == alone.outcomes
        # Corrected for three comparisons.
        low, high = meeting.deals.interval
        assert (high - low) / (alone.interval[1] - alone.interval[0]) == pytest.approx(1.22, 0.01)
    assert result.ratings is not None
    elo = dict(zip(names, result.ratings.elo, strict=True))
    assert elo["greedy"] > elo["greedy+random"] > elo["random"]
    for pair, meeting in zip(result.ratings.pairs, result.meetings, strict=True):
        assert (pair.first, pair.second) == (meeting.first, meeting.second)
        assert pair.win_rate == pytest.approx(meeting.deals.win_rate)
    text = str(result)
    assert all(name in text for name in names)
    assert text.count(" against ") == 4  # a line each, and the head of the cross table
    figures = json.loads(json.dumps(result.as_dict()))
    assert [m["first"] for m in figures["meetings"]] == ["greedy", "greedy", "random"]
    with pytest.raises(gs.OptionError, match="3 teams met: see ratings, and meetings for each two"):
        _ = result.mean_gain


def test_three_in_whole_matches() -> None:
    result = gs.arena("greedy", "random", "greedy+random", matches=8, seed=6)
    alone = gs.arena("greedy", "greedy+random", matches=8, seed=6)
    assert result.meetings[1].matches is not None
    assert result.meetings[1].matches.match_win_rate == alone.match_win_rate
    assert result.ratings is not None
    assert result.ratings.pairs[1].win_rate == alone.match_win_rate
    assert "matches won, %" in str(result)


# The same however played


@pytest.mark.parametrize("what", [{"sets": 400}, {"matches": 60}])
def test_nothing_need_be_written(run: gs.Run, matches: gs.Run, what: dict[str, Any]) -> None:
    written = gs.arena_report(run if "sets" in what else matches.path)
    bots = written.teams
    hows: list[dict[str, Any]] = [{}, {"workers": 1}, {"backend": "loky", "workers": 2}]
    for how in [*hows, {"log": "none"}]:
        result = gs.arena(*bots, seed=6, **what, **how)
        assert result.run is None
        assert result.as_dict() == written.as_dict()
        assert str(result) == str(written)
    with pytest.raises(gs.OptionError, match="log is 'none', which writes nothing to x"):
        gs.arena(*bots, seed=6, **what, log="none", out="x")


def test_progress_counts_sets() -> None:
    told: list[Progress] = []
    gs.arena("greedy", "random", sets=2_500, seed=1, progress=told.append)
    assert [(p.done, p.total, p.deals) for p in told[-1:]] == [(2_500, 2_500, 5_000)]


def test_rules_level_and_order() -> None:
    given: dict[str, Any] = {"sets": 60, "seed": 2}
    plain = gs.arena("greedy", "greedy+random", **given)
    for change in ({"rules": "pagat"}, {"level": "A"}, {"previous_order": None}, {"seed": 3}):
        assert gs.arena("greedy", "greedy+random", **given | change).outcomes != plain.outcomes
    orders: tuple[Any, ...] = ("0213", (0, 2, 1, 3), np.array([0, 2, 1, 3]))
    found = [gs.arena("greedy", "random", sets=5, previous_order=order) for order in orders]
    assert str(found[0]) == str(found[1]) == str(found[2])


# A test that ends it


def test_a_test_ends_it_early(tested: gs.Run) -> None:
    result = gs.arena_report(tested)
    assert result.test is not None
    assert (result.test.verdict, result.test.sets) == ("accept H1", result.sets)
    assert result.sets % 1_024 == 0
    assert 0 < result.sets < 6_000
    stopped = tested.manifest["stopped"]
    assert stopped == {"sets": result.sets, "reason": str(result.test)}
    assert tested.manifest["settings"]["count"] == 6_000
    assert tested.layout.count == len(tested.deals(["set"])["set"].unique()) == result.sets
    assert len(list(tested.path.glob("deals/*"))) == result.sets // 1_024
    assert tested.verify().ok
    assert "accept H1" in str(result)
    # Those sets alone, played without a test.
    plain = gs.arena(
        "greedy+random", "random", sets=result.sets, seed=4, previous_order=None
    ).as_dict()
    assert plain == result.as_dict() | {"sprt": None}


@pytest.mark.parametrize("how", [{"workers": 2}, {"backend": "loky", "workers": 2}, {"out": None}])
def test_where_it_ends_does_not_depend_on_who_plays(
    tested: gs.Run, tmp_path: Path, how: dict[str, Any]
) -> None:
    result = gs.arena("greedy+random", "random", **{"out": tmp_path / "run"} | TESTED | how)
    assert result.as_dict() == gs.arena_report(tested).as_dict()
    if result.run is not None:
        assert result.run.manifest["content_hash"] == tested.manifest["content_hash"]
        assert result.run.manifest["stopped"] == tested.manifest["stopped"]
        assert result.run.check_files() == []


def test_a_test_without_a_verdict_plays_all_sets(tmp_path: Path) -> None:
    run = played("greedy", "greedy", sets=2_100, seed=1, sprt=(-1, 1), out=tmp_path / "run")
    result = gs.arena_report(run)
    assert result.test is not None
    assert (result.test.verdict, result.test.sets, result.sets) == ("continue", 2_100, 2_100)
    assert "stopped" not in run.manifest
    assert run.verify().ok


def resumed(tested: gs.Run, folder: Path) -> gs.Run:
    run = played("greedy+random", "random", out=folder, resume=True, **TESTED)
    assert run.manifest["content_hash"] == tested.manifest["content_hash"]
    assert run.manifest["stopped"] == tested.manifest["stopped"]
    assert run.verify().ok
    return run


def test_a_run_that_a_test_ended_is_resumed(tested: gs.Run, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run = played("greedy+random", "random", out=folder, **TESTED)
    finished = run.manifest
    assert resumed(tested, folder).manifest == finished
    # Killed after parts beyond the end had been played: these go.
    manifest = {name: finished[name] for name in ("schema_version", "settings", "command")}
    manifest |= {"status": "running", "created": finished["created"]}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    beyond = tmp_path / "beyond"
    played("greedy+random", "random", out=beyond, **TESTED | {"sprt": (-1, 0)})
    for first in (0, 1_024):
        file = f"part-{first + tested.layout.count:012d}.parquet"
        for table in ("deals", "tributes"):
            source = folder / table / f"part-{first:012d}.parquet"
            (folder / table / file).write_bytes(source.read_bytes())
    (folder / "deals" / "part-000000000000.parquet").unlink()
    with pytest.warns(gs.RunWarning, match="its part is played again"):
        resumed(tested, folder)


def test_verify_finds_another_end(tested: gs.Run, tmp_path: Path) -> None:
    run = played("greedy+random", "random", out=tmp_path / "run", **TESTED)
    for change in (
        {"settings": run.manifest["settings"] | {"arena": {"teams": ["a", "b"], "sprt": [0, 9]}}},
        {"settings": run.manifest["settings"] | {"arena": {"teams": ["a", "b"], "sprt": None}}},
        {"stopped": {"sets": tested.layout.count, "reason": "I had enough"}},
    ):
        (run.path / "manifest.json").write_text(json.dumps(run.manifest | change))
        problems = gs.open_run(run.path).verify().problems
        assert len(problems) == 1
        assert "the manifest says of its end" in problems[0]
    numbers: tuple[Any, ...] = (1_000, 0, 6_144, "1024", None)
    for stopped in (5, [], {}, *({"sets": number} for number in numbers)):
        (run.path / "manifest.json").write_text(json.dumps(run.manifest | {"stopped": stopped}))
        with pytest.raises(gs.RunError, match=r"manifest\.json: stopped is .*: its sets must be"):
            gs.open_run(run.path)
        with pytest.raises(gs.RunError, match=r"manifest\.json: stopped is .*: its sets must be"):
            played("greedy+random", "random", out=run.path, resume=True, **TESTED)


# What cannot be


@pytest.mark.parametrize(
    ("bots", "given", "message"),
    [
        (("greedy",), {"sets": 5}, "an arena of 1: two bots are needed"),
        (("greedy",) * 17, {"sets": 5}, "an arena of 17: two bots"),
        (("greedy", "random", "greedy"), {"sets": 5}, "greedy is named twice"),
        (("greedy", "random+a+b"), {"sets": 5}, r"'random\+a\+b' is no team"),
        (("greedy", ()), {"sets": 5}, r"\(\) is no team"),
        (("greedy", "randum"), {"sets": 5}, "'randum' is not a bot"),
        (("greedy", "random"), {}, "either a number of sets or a number of matches"),
        (("greedy", "random"), {"sets": 5, "matches": 5}, "either a number of sets or"),
        (("greedy", "random"), {"sets": 0}, "sets is 0; a whole number"),
        (("greedy", "random"), {"matches": 2.5}, "matches is 2.5; a whole number"),
        (("greedy", "random"), {"sets": 5, "log": "all"}, "log is 'all'"),
        (("greedy", "random"), {"matches": 5, "level": "2"}, "level and previous_order are for"),
        (("greedy", "random"), {"sets": 5, "rotate": True}, "rotate: every team is one bot twice"),
        (("greedy", "random"), {"sets": 5, "sprt": 3}, r"sprt is 3; two Elo differences"),
        (("greedy", "random"), {"sets": 5, "sprt": (5, 0)}, "elo0 is 5 and elo1 0; elo0 must be"),
        (("greedy", "random", "greedy+random"), {"sets": 5, "sprt": (0, 5)}, "but 3 take part"),
        (("greedy", "random"), {"sets": 5, "backend": "ray"}, "backend is 'ray'"),
        (("greedy", "random"), {"sets": 5, "log": "none", "out": "x"}, "log is 'none', which"),
    ],
)
def test_arguments_that_cannot_be(bots: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises(gs.GuandanError, match=message):
        gs.arena(*bots, **given)


def test_two_bots_of_one_name() -> None:
    def play(_view: Any, _scratch: Any, _out: Any) -> int:
        return 1

    other = gs.Bot("play", gs.bot("greedy").play)
    with pytest.raises(gs.OptionError, match="two bots are called play; give one another name"):
        gs.arena(play, other, sets=5)


def test_reports_of_what_is_no_arena(run: gs.Run, tmp_path: Path) -> None:
    plain = gs.simulate(deals=20, out=tmp_path / "plain")
    assert isinstance(plain, gs.Run)
    with pytest.raises(gs.RunError, match="plain is no arena's run"):
        gs.arena_report(plain)
    settings = run.manifest["settings"]
    changes: tuple[dict[str, Any], ...] = (
        {"arena": 5},
        {"arena": {}},
        {"arena": {"teams": ["a"], "sprt": None}},
        {"arena": {"teams": ["a", 5], "sprt": None}},
        {"arena": {"teams": ["a", "b"], "sprt": "now"}},
        {"arena": {"teams": ["a", "b", "c"], "sprt": None}},
        {"arms": settings["arms"][:1] * 2 + [{"teams": [0, 0]}]},
        {"arms": [{}, {}]},
        {"arms": [{"teams": 5}, {"teams": [0, 1]}]},
        {"arms": [{"teams": [0, 1]}, {"teams": [1, 2]}]},
        {"arms": [arm | {"bots": 5} for arm in settings["arms"]]},
    )
    for change in changes:
        other = gs.open_run(run.path)
        other.manifest["settings"] = settings | change
        with pytest.raises(gs.RunError, match="settings of the arena cannot be read"):
            gs.arena_report(other)
    other = gs.open_run(run.path)
    other.manifest["settings"] = settings | {"arms": settings["arms"] + settings["arms"][:1]}
    with pytest.raises(gs.RunError, match="rows of sets 0 to 399 do not fit together"):
        gs.arena_report(other)
