"""Runs of whole matches under every preset, followed by the slow referee from their logs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from referee import PRESETS
from referee_run import Disagreement, check_run, played_and_checked

import guandan_sim as gs

MATCHES = 100  # by each bot
DUE = [f"{kind}, cancelled {c}" for kind in ("single", "double") for c in (False, True)]


@pytest.mark.parametrize("preset", PRESETS)
def test_the_referee_follows_runs_of_whole_matches(preset: str, tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    for bots in ("random", "greedy"):
        seen += played_and_checked(preset, bots, MATCHES, 21, tmp_path / bots)
    assert (seen["matches"], seen["truncated"]) == (2 * MATCHES, 0)
    for kind in [*DUE, "sweeps", "leads for a partner", "wilds in sets", "passes judged"]:
        assert seen[kind] >= 20, (kind, seen)
    counts_failures = PRESETS[preset]["top_failures"] > 0
    assert (seen["failures"] > 20) == counts_failures
    assert (seen["resets"] > 0) == counts_failures


@pytest.mark.parametrize(
    "change",
    [
        {"tribute": False},
        {"tribute_lead": "banker"},
        {"tribute_lead": "banker", "active_level": "leader"},
        {"tribute": False, "active_level": "leader", "equal_tribute": "fixed_seat"},
        {"tribute_lead": "banker", "equal_tribute": "fixed_seat"},
    ],
    ids=str,
)
def test_the_referee_follows_runs_without_tribute_or_with_its_lead_moved(
    change: dict[str, Any], tmp_path: Path
) -> None:
    rules = gs.Rules.preset("guide").replace(**change)
    run = gs.simulate(matches=MATCHES, rules=rules, seed=23, out=tmp_path / "run", workers=1)
    assert isinstance(run, gs.Run)
    check_run(run, PRESETS["guide"] | change)
    assert run.verify().ok
    later = run.deals(["leader", "previous", "cancelled", "tribute"])
    later = later[later["previous"] != ""]
    banker = later["previous"].astype(str).str[0].astype(int)
    assert (later["leader"] == banker).all()
    assert (later["tribute"] == "none").all() == ("tribute" in change)


@pytest.mark.parametrize(
    ("preset", "change"),
    [
        ("guide", {"opening_leader": "random"}),
        ("wikipedia", {"opening_leader": "random"}),
        ("guide", {"active_level": "leader"}),
        ("guide", {"top_level": "K"}),
        ("guide", {"promotion": (3, 2, 2)}),
        ("guide", {"pass_locks": True}),
        ("ace_reset", {"pass_locks": False}),
        ("short_game", {"full_house_joker_pair": True}),
        ("guide", {"return_max_rank": "J"}),
        ("guide", {"return_level_card": True}),
        ("guide", {"equal_tribute": "fixed_seat"}),
        ("openguandan", {"equal_tribute": "right_of_banker"}),
        ("guide", {"equal_tribute": "lowest_seat"}),
        ("guide", {"equal_tribute": "random"}),
        ("guide", {"anti_tribute_single": "side"}),
        ("guide", {"anti_tribute_sweep": "one_payer"}),
        ("wikipedia", {"anti_tribute_sweep": "together"}),
        ("guide", {"match_win": "not_dweller"}),
        ("ace_reset", {"top_failures": 2}),
        ("ace_reset", {"top_failures_count_losses": True}),
        ("guide", {"max_deals": 5}),
        ("guide", {"tribute": False}),
        ("wikipedia", {"tribute_lead": "banker"}),
    ],
    ids=str,
)
def test_one_switch_changed_is_noticed(preset: str, change: dict[str, Any], tmp_path: Path) -> None:
    rules = gs.Rules.preset(preset).replace(**change)
    run = gs.simulate(matches=MATCHES, rules=rules, seed=22, out=tmp_path / "run", workers=1)
    assert isinstance(run, gs.Run)
    with pytest.raises(Disagreement, match=r"run, set \d+, deal \d+|stops after \d+ deals"):
        check_run(run, PRESETS[preset])
