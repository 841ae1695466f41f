"""Experiments: what they find, against a count of their runs by hand, however they are played."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from scipy import stats

import guandan_sim as gs
from guandan_sim.contrasts import Contrast, Estimate
from guandan_sim.replay import replay_run
from guandan_sim.sessions import Progress

OWN: dict[str, dict[str, Any]] = {
    "plain": {},
    "other bots": {"bots": "random"},
    "other rules": {"rules": "pagat", "level": "5", "previous_order": "1032"},
}
# The first arm and that against it, of each effect.
PLAYED: dict[str, dict[str, Any]] = {
    "tribute-off": {"effects": {"tribute": (0, 1), "its cards": (2, 1), "its lead": (0, 2)}},
    "return-card": {
        "effects": {"lowest - own": (1, 0), "highest - own": (2, 0), "random - own": (3, 0)}
    },
    "rules": {
        "effects": {"pagat - guide": (1, 0), "wikipedia - guide": (2, 0)},
        "against": ("pagat", gs.Rules.preset("wikipedia")),
    },
    "own": {
        "name": OWN,
        "effects": {"other bots - plain": (1, 0), "other rules - plain": (2, 0)},
    },
}
SETS = 1_300


def played(name: Any, **arguments: Any) -> gs.ExperimentResult:
    return gs.experiment(name, **{"sets": SETS, "seed": 5} | arguments)


@pytest.fixture(scope="module", name="result", params=PLAYED)
def result_on_disk(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> gs.ExperimentResult:
    given = {name: value for name, value in PLAYED[request.param].items() if name != "effects"}
    out = tmp_path_factory.mktemp("e") / "run"
    return played(**{"name": request.param, "out": out, "log": "plays", "workers": 1} | given)


@pytest.fixture(scope="module", name="lead")
def result_of_leads(tmp_path_factory: pytest.TempPathFactory) -> gs.ExperimentResult:
    return played("lead", log="plays", out=tmp_path_factory.mktemp("e") / "run")


@pytest.fixture(scope="module", name="tribute")
def result_without_tribute(tmp_path_factory: pytest.TempPathFactory) -> gs.ExperimentResult:
    return played("tribute-off", out=tmp_path_factory.mktemp("e") / "run")


def run_of(result: gs.ExperimentResult) -> gs.Run:
    assert result.run is not None
    return result.run


def by_hand(result: gs.ExperimentResult) -> pd.DataFrame:
    """What the team did, by set: columns ("score", arm), ("won", arm), ("order", arm)."""
    deals = run_of(result).deals()
    banker = deals["previous"].astype(str).str[0].astype(int)
    if result.team == "seats 0 and 2":
        banker = banker * 0
    won = deals["first"] % 2 == banker % 2
    seats = deals[["first", "second", "third", "last"]].astype(str)
    rows = deals[["set", "arm"]].assign(
        score=deals["gain"].astype(int).where(won, -deals["gain"].astype(int)),
        won=won.astype(int),
        order=seats.agg("".join, axis=1),
    )
    return rows.pivot(index="set", columns="arm", values=["score", "won", "order"])


def check(found: Estimate, values: Any) -> None:
    mean, se = values.mean(), values.std() / math.sqrt(len(values))
    assert found.value == pytest.approx(mean, abs=1e-12)
    assert found.se == pytest.approx(se)
    margin = stats.t.ppf(0.975, len(values) - 1) * se
    assert found.interval == pytest.approx((mean - margin, mean + margin), abs=2e-4)


def check_effect(found: Contrast, sets: pd.DataFrame, arm: int, base: int) -> None:
    assert found.sets == len(sets)
    for estimate, column in ((found.levels, "score"), (found.won, "won")):
        check(estimate, sets[column, arm].astype(float) - sets[column, base].astype(float))
    assert found.changed == (sets["order", arm] != sets["order", base]).sum()
    scores = [sets["score", each].astype(float) for each in (arm, base)]
    saved = 1 - (scores[0] - scores[1]).var() / (scores[0].var() + scores[1].var())
    assert found.variance_saved.value == pytest.approx(saved)


# Right answers


def test_effects_are_those_of_differences_by_hand(result: gs.ExperimentResult) -> None:
    sets = by_hand(result)
    effects = PLAYED[result.name]["effects"]
    assert list(result.effects) == list(effects)
    assert result.team == ("seats 0 and 2" if result.name == "own" else "the Banker's team")
    assert result.sets == len(sets) == SETS
    for name, (arm, base) in effects.items():
        check_effect(result.effects[name], sets, arm, base)
        assert result.effects[name].changed > 20
    for number, arm in enumerate(result.arms):
        check(result.levels[arm], sets["score", number].astype(float))
        wins = int(sets["won", number].sum())
        low, high = stats.binomtest(wins, SETS).proportion_ci(method="wilson")
        assert result.won[arm].value == pytest.approx(wins / SETS)
        assert result.won[arm].interval == pytest.approx((low, high))


def test_groups_are_those_of_the_first_arm(result: gs.ExperimentResult) -> None:
    if result.name not in ("tribute-off", "return-card"):
        assert result.groups == {}
        return
    run = run_of(result)
    sets = by_hand(result)
    deals = run.deals(where=[("arm", "==", 0)]).set_index("set")
    before = deals["previous"].astype(str)
    place = [order.index(str((int(order[0]) + 2) % 4)) + 1 for order in before]
    kinds = pd.Series([f"paid after 1-{n}" for n in place], deals.index)
    kinds = kinds.where(~deals["cancelled"], "cancelled")
    cards = run.tributes(where=[("arm", "==", 0)]).set_index("set")
    banker = deals["previous"].astype(str).str[0].astype(int)
    cards = cards[cards["receiver"] == banker[cards.index]]
    levels = deals["level"].astype(str)

    def group(card: str, level: str) -> str:
        rank = card if card in ("HR", "SB") else card[1]
        if rank == level:
            return "level card"
        return rank if rank in ("HR", "SB", "A", "K") else "lower"

    pairs = zip(cards["card"].astype(str), levels[cards.index], strict=True)
    given = pd.Series([group(*pair) for pair in pairs], cards.index)
    for by, labels in (("tribute", kinds), ("card", given)):
        found = result.groups[by]
        assert set(found) == set(labels)
        assert sum(each["tribute" if "tribute" in each else "lowest - own"].sets
                   for each in found.values()) == len(labels)  # fmt: skip
        for name, effects in found.items():
            chosen = sets.loc[labels.index[labels == name]]
            for effect, (arm, base) in PLAYED[result.name]["effects"].items():
                if name != "cancelled" and len(chosen) > 30:
                    check_effect(effects[effect], chosen, arm, base)
    assert {"HR", "SB", "level card"} <= set(result.groups["card"])


def test_the_lead_is_the_mean_gain_of_a_leading_team(lead: gs.ExperimentResult) -> None:
    deals = run_of(lead).deals()
    assert (deals["leader"] == deals["arm"]).all()
    assert set(deals["tribute"]) == {"none"}
    ours = deals["first"] % 2 == deals["leader"] % 2
    gain = deals["gain"].astype(int)
    means = gain.where(ours, -gain).groupby(deals["set"]).mean()
    effect = lead.effects["the lead"]
    check(effect.levels, means)
    check(effect.won, ours.groupby(deals["set"]).mean() - 0.5)
    order = deals[["first", "second", "third", "last"]].astype(str).agg("".join, axis=1)
    assert effect.changed == (order.groupby(deals["set"]).nunique() > 1).sum()
    assert list(lead.effects) == ["the lead"]
    assert lead.team == "the leader's team"
    # The cards help both teams alike.
    assert effect.levels.se < 0.5 * lead.levels["seat 0 leads"].se
    assert 0 < effect.levels.value < 0.3


def test_the_effect_of_tribute_is_split(tribute: gs.ExperimentResult) -> None:
    whole, cards, lead = tribute.effects.values()
    for part in ("levels", "won"):
        values = [getattr(each, part).value for each in (whole, cards, lead)]
        assert values[0] == pytest.approx(values[1] + values[2])
    assert whole.levels.interval[0] > 0.4
    deals = run_of(tribute).deals()
    banker = deals["previous"].astype(str).str[0].astype(int)
    leads = (deals["leader"] == banker).groupby([deals["arm"], deals["cancelled"]]).mean()
    assert leads.to_dict() == {(0, False): 0, (0, True): 1, (1, False): 1,
                               (2, False): 1, (2, True): 1}  # fmt: skip
    assert run_of(tribute).tributes()["arm"].unique().tolist() == [0, 2]


@pytest.mark.parametrize(("bots", "sets"), [("greedy", 500), ("random", 500), ("planner", 60)])
@pytest.mark.parametrize("name", ["tribute-off", "return-card"])
def test_where_nothing_changes_hands_nothing_changes(name: str, bots: str, sets: int) -> None:
    result = played(name, bots=bots, sets=sets, seed=2)
    for effect in result.groups["tribute"]["cancelled"].values():
        assert effect.sets > 3
        assert (effect.levels.value, effect.won.value, effect.changed) == (0, 0, 0)
        assert effect.levels.interval == effect.won.interval == (0, 0)
    paid = result.groups["tribute"]["paid after 1-3"]
    # What `random` returns is random.
    same = {"random - own"} & paid.keys() if bots == "random" else set()
    assert {name for name, effect in paid.items() if not effect.changed} == same


def test_arms_that_are_the_same_are_exactly_level() -> None:
    rules = gs.Rules.preset("guide").replace(tribute_lead="banker")
    result = played("tribute-off", rules=rules, sets=200)
    lead = result.effects["its lead"]
    assert (lead.levels.value, lead.levels.interval, lead.changed) == (0, (0, 0), 0)
    assert result.effects["its cards"].levels == result.effects["tribute"].levels
    assert result.effects["tribute"].levels.interval[0] > 0


# One run like any other


def test_all_arms_play_the_same_deals(result: gs.ExperimentResult) -> None:
    deals = run_of(result).deals().drop(columns=["plays"])
    hands = [name for name in map(str, deals) if name.startswith("hand")]
    same = [*hands, *(() if result.name == "own" else ("level", "previous"))]
    assert (deals.groupby("set")[same].nunique() == 1).all().all()
    own = deals[deals["arm"] == 2]
    if result.name == "own":
        assert (set(own["level"]), set(own["previous"])) == ({"5"}, {"1032"})
    assert len(deals) == SETS * len(result.arms)


def test_it_verifies_is_replayed_and_reported_again(result: gs.ExperimentResult) -> None:
    run = run_of(result)
    report = run.verify()
    assert report.ok, str(report)
    assert report.plays > 10_000
    for arm in range(len(result.arms)):
        assert f"set 3, arm {arm} ({result.arms[arm]}), deal 0" in replay_run(run, 3, arm=arm)
    assert sum(len(batch) for batch in run.decisions(sets=range(5), views=False)) > 100
    again = gs.experiment_report(run.path)
    assert (str(again), again.as_dict()) == (str(result), result.as_dict())
    json.dumps(result.as_dict(), allow_nan=False)
    settings = run.manifest["settings"]
    assert [arm["name"] for arm in settings["arms"]] == list(result.arms)
    assert settings["experiment"]["name"] == result.name


def test_each_lead_is_a_run_like_any_other(lead: gs.ExperimentResult) -> None:
    run = run_of(lead)
    assert run.verify().ok
    assert sum(len(batch) for batch in run.decisions(sets=range(5), views=False)) > 100
    assert [arm.name for arm in gs.report(run, plans=0).arms] == list(lead.arms)
    text = replay_run(run, 3, arm=2)
    assert "no tribute (order before: 2 0 1 3): seat 2 leads" in text


def test_nothing_need_be_kept(
    result: gs.ExperimentResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    told: list[Progress] = []
    given = {name: value for name, value in PLAYED[result.name].items() if name != "effects"}
    found = played(**{"name": result.name, "log": "none"} | given, progress=told.append)
    assert found.run is None
    assert found.as_dict() == result.as_dict()
    assert (told[-1].done, told[-1].deals) == (SETS, SETS * len(result.arms))
    assert [*tmp_path.iterdir()] == []


def test_lost_parts_are_played_again(tribute: gs.ExperimentResult, tmp_path: Path) -> None:
    run = run_of(played("tribute-off", out=tmp_path / "run"))
    expected = run_of(tribute).manifest["content_hash"]
    assert run.manifest["content_hash"] == expected
    (run.path / "tributes" / "part-000000001024.parquet").unlink()
    with pytest.warns(gs.RunWarning, match="its part is played again"):
        result = played("tribute-off", out=tmp_path / "run", resume=True)
    assert run_of(result).manifest["content_hash"] == expected
    assert result.as_dict() == tribute.as_dict()
    rules = gs.Rules.preset("guide").replace(max_bomb=8)
    settings: tuple[tuple[dict[str, Any], str], ...] = (
        ({"name": "return-card"}, "experiment is 'tribute-off' there and 'return-card' here:"),
        ({"sets": 9}, ": sets is 1300 there and 9 here:"),
        ({"rules": rules}, ": max_bomb is 10 there and 8 here:"),
        ({"bots": "random"}, ": bots is 'greedy' there and 'random' here:"),
    )
    for change, message in settings:
        with pytest.raises(gs.RunError, match=message):
            played(**{"name": "tribute-off", "out": tmp_path / "run", "resume": True} | change)
    one = {"a": {}, "b": {"level": "3"}}
    played(one, out=tmp_path / "own", sets=5)
    with pytest.raises(gs.RunError, match=": level of arm b is '3' there and '4' here:"):
        played(one | {"b": {"level": "4"}}, out=tmp_path / "own", sets=5, resume=True)
