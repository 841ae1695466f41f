"""What `planner` says that it thinks, alone and in a replay."""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import guandan_sim as gs
from guandan_sim.bots.planner import DESK_SIZE
from guandan_sim.cli import app
from guandan_sim.thinking import SUBJECTS, thoughts
from guandan_sim.transcript import views


def test_the_first_choice_is_what_it_plays_and_the_worth_is_the_sum_of_its_parts() -> None:
    deal = gs.Deal(seed=3, level="5")
    asked = 0
    while not deal.done:
        view = deal.view()
        if not view.has_choice:
            deal.pass_()
            continue
        thought = thoughts(view)
        worths = [choice.worth for choice in thought.choices]
        assert worths == sorted(worths, reverse=True)
        rest = [choice.worth - sum(choice.parts.values()) for choice in thought.choices]
        assert rest == pytest.approx([rest[0]] * len(rest))
        assert set(thought.choices[0].parts) == set(SUBJECTS)
        plan = gs.plan(view.hand, "5")
        assert (thought.plan.turns, thought.plan.weakness) == (plan.turns, plan.weakness)
        move = gs.bot("planner").choose(view)
        assert move == thought.choices[0].move
        deal.play(move)
        asked += 1
    assert asked > 40


def test_nothing_is_thought_of_a_forced_pass() -> None:
    with pytest.raises(gs.OptionError, match="nothing but a pass"):
        thoughts(gs.View("S3", level="2", to_beat="single 8: S8"))


def test_a_play_that_is_in_the_plan_twice_is_one_choice() -> None:
    thought = thoughts(gs.View("S3 S4 S5 S6 S7 " * 2 + "D9 DK CK", level="2"))
    assert [str(move).partition(":")[0] for move in thought.plan.plays] == [
        "single 9",
        "pair K",
        "straight_flush 7",
        "straight_flush 7",
    ]
    moves = [str(choice.move).partition(":")[0] for choice in thought.choices]
    assert sorted(moves) == ["pair K", "single 9", "straight_flush 7"]


def test_only_views_and_a_whole_memory_will_do() -> None:
    view: Any = "S3 S4"
    with pytest.raises(gs.OptionError, match="'S3 S4' is not a View"):
        thoughts(view)
    for memory in (np.zeros(5, np.int64), np.zeros(DESK_SIZE), [0] * DESK_SIZE):
        with pytest.raises(gs.OptionError, match=f"memory must be int64.{DESK_SIZE}."):
            thoughts(gs.View("S3 S4"), memory)  # type: ignore[arg-type]


def test_views_of_a_finished_deal_are_those_that_its_seats_had() -> None:
    deal = gs.Deal(seed=5, number=2, level="6")
    seen = []
    while not deal.done:
        view = deal.view()
        seen.append((view.seat, view.hand, view.to_beat, view.counts))
        deal.play(gs.bot("greedy").choose(view))
    found = [(v.seat, v.hand, v.to_beat, v.counts) for v in views(deal.state)]
    assert found == seen


def test_replay_tells_the_thoughts_of_every_choice(tmp_path: Path) -> None:
    bots = ("planner", "greedy")
    gs.simulate(deals=2, bots=bots, seed=6, previous_order="0213", out=tmp_path / "run")
    told = CliRunner().invoke(app, ["replay", str(tmp_path / "run"), "1", "--thoughts"])
    assert told.exit_code == 0, told.output
    plain = CliRunner().invoke(app, ["replay", str(tmp_path / "run"), "1"])
    indented = re.compile(" {9}")
    lines = [line for line in told.output.splitlines() if not indented.match(line)]
    assert lines == plain.output.splitlines()
    # What planner played is what it thinks best.
    moves = told.output.splitlines()
    compared = beside = 0
    for at, line in enumerate(moves):
        found = re.match(r"  ([0-3])  ([^\[]*)", line)
        if found and indented.match(moves[at + 1]):
            thoughts_of_it = list(takewhile(indented.match, moves[at + 1 :]))[2:]
            played = [text for text in thoughts_of_it if text.endswith("  <- played")]
            if found[1] in "02":
                assert played == thoughts_of_it[:1]
                assert found[2].strip() in played[0]
                compared += 1
            elif played:
                assert found[2].strip() in played[0]
            else:
                beside += 1
    assert compared > 10
    assert beside < compared
