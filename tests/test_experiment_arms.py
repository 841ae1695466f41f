"""The arms of experiments: cards returned in other ways, arms of one's own, and what cannot be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from games import user_module
from test_python_bots import Copy, Greedy

import guandan_sim as gs
from guandan_sim.bots import bots_by_seat
from guandan_sim.bots.returns import RETURNS
from guandan_sim.designs import design
from guandan_sim.experiments import play_design
from guandan_sim.outcomes import outcomes_of_part
from guandan_sim.sessions import Where

RANKS = "23456789TJQKA"


class KeepsItsOwn(Copy):
    """Returns as `random` does, by a method of its own."""


def power(card: str, level: str) -> int:
    """Where a card stands among the others: the level above the ace, below the jokers."""
    rank = card if card in ("SB", "HR") else card[1]
    return {level: 20, "SB": 30, "HR": 40}.get(rank, RANKS.find(rank))


def played(name: Any, **arguments: Any) -> gs.ExperimentResult:
    return gs.experiment(name, **{"sets": 300, "seed": 4} | arguments)


def run_of(result: gs.ExperimentResult) -> gs.Run:
    assert result.run is not None
    return result.run


# Cards returned


@pytest.mark.parametrize("rules", ["guide", "kawu", "short_game"])
def test_receivers_return_the_lowest_or_the_highest(rules: str, tmp_path: Path) -> None:
    run = run_of(played("return-card", rules=rules, out=tmp_path / "run", log="plays"))
    seen = dict.fromkeys(range(4), 0)
    for batch in run.decisions(phases="return"):
        for row in range(len(batch)):
            view, arm = batch.view(row), int(batch.arm[row])
            options = view.options()
            assert all(isinstance(card, str) for card in options)
            seen[arm] += 1
            by_power = sorted(options, key=lambda card: power(str(card), view.level))
            powers = [power(str(card), view.level) for card in by_power]
            chosen = str(batch.chosen(row))
            if arm == 0:
                assert chosen == gs.bot("greedy").choose_return(view)
            if arm in (1, 2):
                wanted = powers[0] if arm == 1 else powers[-1]
                equal = [str(card) for card in options if power(str(card), view.level) == wanted]
                assert chosen == min(equal, key=lambda card: "SHCD".find(card[0]))
            assert chosen in options
    assert min(seen.values()) > 100
    returned = run.tributes(where=[("arm", "==", 3)])["returned"]
    assert returned.astype(str).nunique() > 15


def test_bots_put_together_play_as_the_whole() -> None:
    planner = gs.bot("planner")
    same = replace(planner, name="same")
    one = gs.simulate(deals=40, bots="planner", seed=3, previous_order="random").summary
    other = gs.simulate(deals=40, bots=same, seed=3, previous_order="random").summary
    timed = ("seconds", "deals_per_second", "plays_per_second")
    assert {name: one[name] for name in one if name not in timed} == {
        name: other[name] for name in other if name not in timed
    }
    sources = {replace(same, give_back=way).source for way in RETURNS.values()} | {same.source}
    assert len(sources) == 4
    assert planner.source == ""


@pytest.mark.parametrize("bots", ["planner", "greedy,planner"])
def test_composed_bots_do_not_depend_on_who_plays(bots: str, tmp_path: Path) -> None:
    given: dict[str, Any] = {"bots": bots.split(","), "sets": 1_040 if "," in bots else 20}
    one = run_of(played("return-card", **given, workers=1, out=tmp_path / "one"))
    other = run_of(played("return-card", **given, backend="loky", workers=2, out=tmp_path / "two"))
    assert one.manifest["content_hash"] == other.manifest["content_hash"]
    names = [arm.get("bots") for arm in one.manifest["settings"]["arms"]]
    assert names[0] is None
    first = bots.split(",")[0]
    assert [each[0]["name"] for each in names[1:]] == [f"{first}, returns {way}" for way in RETURNS]
    # An arm alone.
    lowest = [replace(bot, give_back=RETURNS["lowest"]) for bot in bots_by_seat(given["bots"])]
    alone = gs.simulate(
        deals=given["sets"], bots=lowest, seed=4, previous_order="random", out=tmp_path / "alone"
    )
    assert isinstance(alone, gs.Run)
    ours = one.tributes(where=[("arm", "==", 1)])
    assert alone.tributes()["returned"].tolist() == ours["returned"].tolist()
    assert alone.deals()["gain"].tolist() == one.deals(where=[("arm", "==", 1)])["gain"].tolist()


def test_a_compiled_bot_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = user_module(
        monkeypatch, tmp_path, "returning",
        """
        import guandan_sim as gs
        from guandan_sim.bots import random

        def play(view, scratch, out):
            return random.play(view, scratch, out)

        mine = gs.Bot("mine", play, random.choose_card, random.choose_card)
        """,
    )  # fmt: skip
    result = played("return-card", bots=f"{name}:mine", sets=100)
    expected = played("return-card", bots="random", sets=100)
    assert result.as_dict() == expected.as_dict()


@pytest.mark.parametrize("how", [{}, {"backend": "loky", "workers": 2}])
def test_bots_in_python(how: dict[str, Any]) -> None:
    # One chooses its returns itself, which is set aside; the other does not.
    expected = played("return-card", bots=("random", "greedy"), sets=60)
    result = played("return-card", bots=(KeepsItsOwn, "greedy"), sets=60, **how)
    assert result.as_dict() == expected.as_dict()
    expected = played("return-card", sets=60)
    assert played("return-card", bots=Greedy(), sets=60, **how).as_dict() == expected.as_dict()
    message = "bot KeepsItsOwn is an object with a choose_return of its own.*; name its class"
    with pytest.raises(gs.OptionError, match=message):
        played("return-card", bots=KeepsItsOwn())


# Arms of one's own


def test_figures_are_of_the_bankers_team_or_of_the_first() -> None:
    arms: dict[str, Any] = {"a": {"bots": "greedy"}, "b": {"bots": ("greedy", "random")}}
    result = played(arms, bots="random")
    assert (result.team, result.arms) == ("seats 0 and 2", ("a", "b"))
    assert result.won["b"].value > 0.95 > 0.6 > result.won["a"].value
    assert result.effects["b - a"].won.interval[0] > 0.35
    assert played(arms, previous_order=None).team == "seats 0 and 2"
    assert played({"a": {}, "b": {"previous_order": None}}).team == "seats 0 and 2"
    assert played("rules", against=["pagat"], previous_order=None).team == "seats 0 and 2"
    moved = played({"a": {"previous_order": "0213"}, "b": {"previous_order": (2, 1, 0, 3)}})
    assert moved.team == "the Banker's team"
    assert all(found.value > 0.3 for found in moved.levels.values())
    for other in ("1302", "random"):
        moved = played({"a": {"previous_order": "0213"}, "b": {"previous_order": other}})
        assert moved.team == "seats 0 and 2"
        assert moved.effects["b - a"].levels.interval[1] < -0.3


def test_what_an_arm_does_not_name_is_that_of_all(tmp_path: Path) -> None:
    club = tmp_path / "club.toml"
    club.write_text("max_bomb = 8\n")
    arms: dict[str, Any] = {"all": {}, "own": {"rules": str(club), "level": "10", "bots": "random"}}
    given: dict[str, Any] = {"rules": "pagat", "level": "9", "previous_order": "0213"}
    run = run_of(played(arms, out=tmp_path / "run", **given))
    deals = run.deals(["arm", "level", "previous"]).drop_duplicates()
    assert deals.astype(str).values.tolist() == [["0", "9", "0213"], ["1", "T", "0213"]]
    settings = run.manifest["settings"]
    assert settings["rules"]["name"] == "pagat"
    assert settings["arms"][0] == {"name": "all"}
    assert settings["arms"][1]["rules"]["name"] == "club"
    assert settings["arms"][1]["bots"][3]["name"] == "random"
    assert run.verify().ok


# What cannot be


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("tribute", {}, "'tribute' is not an experiment; there are tribute-off, lead, return-card"),
        (None, {}, "None is not an experiment"),
        ("lead", {"against": ["pagat"]}, "other rules to compare with .against. go with"),
        (
            "lead",
            {"previous_order": "0213"},
            "previous_order is '0213', but in the experiment lead",
        ),
        ("lead", {"previous_order": None}, "previous_order is None, but in the experiment lead"),
        ("rules", {}, "the experiment rules compares with others: name some by against"),
        (
            "rules",
            {"against": []},
            "the experiment rules compares with others: name some by against",
        ),
        ("rules", {"against": ["guide"]}, "two arms are called guide; each needs a name of its"),
        ("rules", {"against": ["mine"]}, "'mine' is not a rule preset"),
        ("rules", {"against": ["short_game"]}, "top levels of guide and short_game differ"),
        ("rules", {"against": ["short_game"], "level": "K"}, "level is K; the top level of short"),
        ("tribute-off", {"previous_order": None}, "tribute-off needs tribute to be due"),
        ("return-card", {"previous_order": None}, "return-card needs tribute to be due"),
        ("tribute-off", {"sets": 0}, "sets is 0; a whole number"),
        ("tribute-off", {"sets": 2.5}, "sets is 2.5; a whole number"),
        ("tribute-off", {"log": "all"}, "log is 'all'"),
        ("tribute-off", {"log": "none", "out": "x"}, "log is 'none', which writes nothing to x"),
        ("tribute-off", {"resume": True}, "resume goes on with a run; name its folder by out"),
        ("tribute-off", {"level": "1"}, "'1' is not a level"),
        ("tribute-off", {"bots": "best"}, "'best' is not a bot"),
        ({}, {}, "an experiment of 0 arms: from 2 to 256 can be compared"),
        ({"a": {}}, {}, "an experiment of 1 arms: from 2 to 256 can be compared"),
        ({"a": {}, "b": {"seed": 2}}, {}, "arm b has 'seed' of its own; an arm may have bots, ru"),
        ({"a": {}, "b": 5}, {}, "arm b is 5; what it has of its own by name is needed"),
        ({"a": {}, " ": {}}, {}, "an arm is called ' '; a name that can be shown is needed"),
        ({"a": {}, 5: {}}, {}, "an arm is called 5; a name that can be shown is needed"),
        ({"a": {}, "b": {"level": "Z"}}, {}, "'Z' is not a level"),
        ({"a": {}, "b": {"previous_order": "00"}}, {}, "previous_order is '00'; name the seats"),
        (
            {"a": {"bots": gs.Bot("greedy", gs.bot("random").play)}, "b": {"bots": "greedy"}},
            {},
            "two bots are c",
        ),
        ({"a": {}, "b": {"rules": "short_game"}}, {"level": "K"}, "level is K; the top level of s"),
    ],
)
def test_arguments_that_cannot_be(name: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises(gs.GuandanError, match=message) as caught:
        gs.experiment(name, **given)
    assert "\n" not in str(caught.value)


def test_other_machines_do_not_see_a_temporary_folder() -> None:
    found = design(
        "lead", bots="greedy", sets=5, seed=1, rules="guide", log="deals", level=None,
        previous_order="random", against=None,
    )  # fmt: skip
    with pytest.raises(gs.OptionError, match="name a folder by out that the workers of tcp://a:1"):
        play_design(found, Where(None, False, "dask", None, "tcp://a:1", None, ""))


def test_rules_without_tribute_have_none_to_switch_off() -> None:
    rules = gs.Rules.preset("guide").replace(tribute=False)
    for name in ("tribute-off", "return-card"):
        with pytest.raises(gs.OptionError, match=rf"{name} needs rules with tribute; guide\(trib"):
            gs.experiment(name, rules=rules)
    assert gs.experiment("lead", rules=rules, sets=5).sets == 5


def test_reports_of_what_is_no_experiment(tmp_path: Path) -> None:
    plain = gs.simulate(deals=20, out=tmp_path / "plain")
    assert isinstance(plain, gs.Run)
    with pytest.raises(gs.RunError, match="plain is no experiment's run"):
        gs.experiment_report(plain)
    run = run_of(played("tribute-off", sets=20, out=tmp_path / "run"))
    with pytest.raises(gs.RunError, match="run is no arena's run"):
        gs.arena_report(run)
    settings = run.manifest["settings"]
    record = settings["experiment"]
    effect = record["effects"][0]
    effects: list[Any] = [
        5, {}, effect | {"weights": [1, -1]}, effect | {"weights": [0, 0, 0]},
        effect | {"weights": [1, -1, "x"]}, effect | {"weights": [1, -1, 10**30]},
        effect | {"per": 0}, effect | {"per": True}, effect | {"name": 5},
    ]  # fmt: skip
    records: list[Any] = [
        5, {}, [], record | {"team": "mine"}, record | {"effects": 5},
        record | {"by": 5}, record | {"by": ["seat"]}, record | {"by": [[]]},
        *(record | {"effects": [each]} for each in effects),
    ]  # fmt: skip
    changes: list[dict[str, Any]] = [
        *({"experiment": each} for each in records),
        {"arms": settings["arms"][:2]},
        {"arms": [*settings["arms"][:2], {"name": "as it is"}]},
        {"arms": [*settings["arms"][:2], {}]},
        {"arms": [*settings["arms"][:2], {"name": "c", "previous_order": None}]},
        {"arms": [*settings["arms"][:2], {"name": "c", "previous_order": "0"}]},
    ]
    for change in changes:
        other = gs.open_run(run.path)
        other.manifest["settings"] = settings | change
        with pytest.raises(gs.RunError, match="settings of the experiment cannot be read"):
            gs.experiment_report(other)
    matches = gs.simulate(matches=2, out=tmp_path / "matches")
    assert isinstance(matches, gs.Run)
    matches.manifest["settings"] |= {"arms": settings["arms"], "experiment": record}
    with pytest.raises(gs.RunError, match="experiments are of deals"):
        gs.experiment_report(matches)
    other = gs.open_run(run.path)
    other.manifest["settings"] = settings | {
        "arms": [*settings["arms"], {"name": "d"}],
        "experiment": record | {"effects": [effect | {"weights": [1, -1, 0, 0]}]},
    }
    with pytest.raises(gs.RunError, match="rows of sets 0 to 19 do not fit together"):
        gs.experiment_report(other)


def test_rows_that_no_experiment_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arms: dict[str, Any] = {"a": {}, "b": {"level": "3"}}
    run = run_of(played(arms, previous_order=None, sets=20, out=tmp_path / "run"))
    settings = run.manifest["settings"]
    run.manifest["settings"] = settings | {
        "previous_order": "random",
        "experiment": settings["experiment"] | {"team": "banker"},
    }
    with pytest.raises(gs.RunError, match="the deals of sets 0 to 19 do not fit together"):
        gs.experiment_report(run)

    def too_many(*arguments: Any) -> Any:
        outcomes = outcomes_of_part(*arguments)
        outcomes.gains[-1] = 13
        return outcomes

    monkeypatch.setattr("guandan_sim.experiments.outcomes_of_part", too_many)
    with pytest.raises(gs.RunError, match="the deals of sets 0 to 19 do not fit together"):
        gs.experiment_report(run.path)
