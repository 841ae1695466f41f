"""The rule switches: every preset against the referee's own table, and what a switch takes."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, fields
from typing import Any

import numpy as np
import pytest
from referee import PRESETS

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim.rulewords import PRESET_WORDS, explanations, meaning, switch_word

GUIDE = gs.Rules.preset("guide")
SWITCHES = [f.name for f in fields(gs.Rules) if f.name != "name"]
# Another value of each switch than the guide's, and the words that it changes.
OTHERS: dict[str, tuple[Any, dict[int, int]]] = {
    "opening_leader": ("random", {lay.R_OPENING_LEADER: 2}),
    "active_level": ("leader", {lay.R_ACTIVE_LEVEL: 1}),
    "top_level": ("T", {lay.R_TOP_LEVEL: 9}),
    "promotion": ((4, 2, 0), {lay.R_PROMOTION: 4, lay.R_PROMOTION + 2: 0}),
    "max_bomb": (8, {lay.R_MAX_BOMB: 8}),
    "full_house_joker_pair": (False, {lay.R_JOKER_PAIR: 0}),
    "pass_locks": (True, {lay.R_PASS_LOCKS: 1}),
    "return_max_rank": ("none", {lay.R_RETURN_MAX_RANK: 15}),
    "return_level_card": (True, {lay.R_RETURN_LEVEL_CARD: 1}),
    "return_received_card": (True, {lay.R_RETURN_RECEIVED_CARD: 1}),
    "equal_tribute": ("lowest_seat", {lay.R_EQUAL_TRIBUTE: 2}),
    "anti_tribute_single": ("side", {lay.R_ANTI_SINGLE: 1}),
    "anti_tribute_sweep": ("one_payer", {lay.R_ANTI_SWEEP: 1}),
    "match_win": ("not_dweller", {lay.R_MATCH_WIN: 1}),
    "top_failures": (3, {lay.R_TOP_FAILURES: 3}),
    "top_failures_count_losses": (True, {lay.R_COUNT_LOSSES: 1}),
    "return_visible": (False, {lay.R_RETURN_VISIBLE: 0}),
    "max_deals": (50, {lay.R_MAX_DEALS: 50}),
    "tribute": (False, {lay.R_TRIBUTE: 0}),
    "tribute_lead": ("banker", {lay.R_TRIBUTE_LEAD: 1}),
}


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_the_table_of_the_rules(preset: str) -> None:
    rules = gs.Rules.preset(preset)
    assert rules.switches() == PRESETS[preset] | {"name": preset}
    assert gs.Rules.from_switches(rules.switches()) == rules


def test_names_of_the_presets() -> None:
    assert gs.Rules.presets() == list(gs.Rules.presets())
    assert set(gs.Rules.presets()) == set(PRESETS)
    assert gs.Rules.presets()[0] == "guide"


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_switch_changes_its_words_and_the_name(switch: str) -> None:
    value, words = OTHERS[switch]
    rules = GUIDE.replace(**{switch: value})
    assert getattr(rules, switch) == value
    changed = np.flatnonzero(rules.words() != GUIDE.words())
    assert {int(place): int(rules.words()[place]) for place in changed} == words
    assert rules.name.startswith(f"guide({switch}=")
    back = rules.replace(**{switch: getattr(GUIDE, switch)})
    assert back == GUIDE
    assert back.name == "guide"
    line = next(line for line in rules.describe().splitlines() if line.startswith(f"  {switch} ="))
    assert line.count(":") >= 1


def test_names_of_changed_rules() -> None:
    rules = GUIDE.replace(max_bomb=8, top_level="10")
    assert rules.name == "guide(top_level=T, max_bomb=8)"
    assert rules.replace(pass_locks=True, max_bomb=10).name == "guide(top_level=T, pass_locks=yes)"
    assert GUIDE.replace() is GUIDE
    assert GUIDE.replace(promotion=(4, 2, 1)).name == "guide(promotion=4/2/1)"
    assert GUIDE.replace(return_max_rank="10") is GUIDE


def test_names_of_changed_rules_of_ones_own() -> None:
    club = gs.Rules.from_switches(GUIDE.switches() | {"name": "club"})
    locked = club.replace(pass_locks=True, promotion=(4, 2, 1))
    assert locked.name == "club(pass_locks=yes, promotion=4/2/1)"
    small = locked.replace(max_bomb=8, pass_locks=False)
    assert small.name == "club(pass_locks=no, promotion=4/2/1, max_bomb=8)"


def test_differences_of_two_systems() -> None:
    assert GUIDE.differences(gs.Rules.preset("kawu")) == {
        "opening_leader": ("marked_card", "random"),
        "return_received_card": (False, True),
    }
    assert GUIDE.differences(GUIDE) == {}


def test_every_switch_value_and_preset_is_explained() -> None:
    assert list(PRESET_WORDS) == gs.Rules.presets()
    for item in fields(gs.Rules)[1:]:
        values = [getattr(gs.Rules.preset(name), item.name) for name in PRESET_WORDS]
        values += item.metadata.get("choices", [OTHERS[item.name][0]])
        texts = {value: meaning(item.name, value) for value in values}
        assert len(set(texts.values())) == len(texts)
        for value, text in texts.items():
            assert re.fullmatch(r"[A-Z][^{}]+[.)]", text), (item.name, value, text)
        # By name, or as one text for all numbers.
        named = [text.partition(": ")[0] for text in explanations(item.name)]
        assert "N" in named or set(named) == {switch_word(value) for value in values}


def test_rules_cannot_be_changed_in_place() -> None:
    with pytest.raises(FrozenInstanceError):
        GUIDE.max_bomb = 8  # type: ignore[misc]
    GUIDE.words()[:] = 0
    assert GUIDE.words()[lay.R_MAX_BOMB] == 10


@pytest.mark.parametrize(
    ("switch", "value", "message"),
    [
        ("max_bomb", 7, "max_bomb=7: possible values are 8, 9, 10"),
        ("max_bomb", "8", "max_bomb='8': possible"),
        ("max_bomb", 8.0, "max_bomb=8.0: possible"),
        ("pass_locks", 1, "pass_locks=1: possible values are no, yes"),
        ("pass_locks", "yes", "pass_locks='yes': possible"),
        ("top_level", "1", "top_level='1': possible values are 2, 3"),
        ("top_level", None, "top_level=None: possible values are 2"),
        ("return_max_rank", "11", "return_max_rank='11': possible values are none, 2, 3"),
        ("equal_tribute", "", "equal_tribute='': possible values are right_of_banker"),
        ("promotion", (3, 2), r"promotion='3/2': .*three whole numbers from 0 to 12"),
        ("promotion", 3, "promotion='3': .*three whole"),
        ("promotion", (3, 2, -1), r"promotion='3/2/-1': .*three whole"),
        ("top_failures", -1, "top_failures=-1: a whole number from 0 to 1000"),
        ("top_failures", 1.5, "top_failures=1.5: a whole number"),
        ("max_deals", 0, "max_deals=0: a whole number from 1 to 65535"),
        ("max_deals", 65_536, "max_deals=65536: a whole number from 1 to 65535"),
        ("maximal_bomb", 8, "'maximal_bomb' is not a rule switch; there are opening_leader, "),
        ("name", "mine", "'name' is not a rule switch"),
        ("self", 1, "'self' is not a rule switch"),
        ("max_bomb", np.array([8, 9]), r"max_bomb=array\(\[8, 9\]\): possible"),
    ],
)
def test_wrong_values(switch: str, value: Any, message: str) -> None:
    with pytest.raises(gs.RulesError, match=message):
        GUIDE.replace(**{switch: value})


@pytest.mark.parametrize("name", ["Guide", "", None, 3, ["guide"]])
def test_unknown_presets(name: Any) -> None:
    with pytest.raises(gs.RulesError, match=r"is not a rule preset; there are guide, ace_reset"):
        gs.Rules.preset(name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_bomb": 7}, "max_bomb=7"),
        ({"bomb": 7}, r"switches \['bomb'\] are unknown and \[\] are missing"),
        ({"promotion": 3}, "promotion='3'"),
        ({"promotion": None}, "promotion='None'"),
        ({"name": 5}, "name=5: a name of printable characters"),
        ({"name": ""}, "name='': a name"),
        ({"name": "a\nb"}, "name='a.nb': a name"),
        ({1: 2, "bomb": 7}, r"switches \['1', 'bomb'\] are unknown"),
    ],
)
def test_switches_of_a_spoilt_manifest(change: dict[Any, Any], message: str) -> None:
    with pytest.raises(gs.RulesError, match=message):
        gs.Rules.from_switches(GUIDE.switches() | change)


@pytest.mark.parametrize("junk", [None, 3, ["guide"], "guide"])
def test_switches_are_a_mapping(junk: Any) -> None:
    with pytest.raises(gs.RulesError, match="every switch by name is needed"):
        gs.Rules.from_switches(junk)


def test_switches_that_came_later_may_be_missing() -> None:
    switches = GUIDE.switches()
    del switches["tribute"], switches["tribute_lead"]
    assert gs.Rules.from_switches(switches) == GUIDE


def test_a_switch_may_not_be_missing() -> None:
    switches = GUIDE.switches()
    del switches["max_bomb"]
    with pytest.raises(gs.RulesError, match=r"\['max_bomb'\] are missing"):
        gs.Rules.from_switches(switches)
