"""The bot `planner`: its choices, its memory, what it may see, and how it plays."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim.arms import Arm
from guandan_sim.bitboard import remove
from guandan_sim.bots import bots_by_seat
from guandan_sim.bots.choices import CHOICE_WIDTH, CHOICES, PLAN_PLAYS, list_choices, settle
from guandan_sim.bots.planner import DESK_SIZE, NO_DESK
from guandan_sim.planner import WORK_SIZE, plan_cost
from guandan_sim.settings import deal_arguments
from guandan_sim.workers import PartPlayer, Work

PLANNER = gs.bot("planner")
# Switches that the choices look at, and the presets with tribute rules of their own.
RULES = (
    *(gs.Rules.preset(name) for name in gs.Rules.presets()),
    gs.Rules.preset("guide").replace(max_bomb=8),
    gs.Rules.preset("guide").replace(full_house_joker_pair=False),
)


def choices(memory: np.ndarray, view: gs.View) -> list[tuple[gs.Move, int]]:
    """The choices in a view, and what the plan costs after each."""
    n = int(list_choices(memory, view.words))
    rows = memory[CHOICES : CHOICES + CHOICE_WIDTH * n].reshape(n, CHOICE_WIDTH).tolist()
    return [(gs.Move.from_words(*row[:4]), row[4]) for row in rows]


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: f"{rules.name}-{rules.max_bomb}")
def test_whole_matches_verify_under_all_rules(rules: gs.Rules, tmp_path: Path) -> None:
    run = gs.simulate(
        matches=4, bots=("planner", "random"), rules=rules, seed=3, out=tmp_path / "run"
    )
    assert isinstance(run, gs.Run)
    report = run.verify()
    assert report.ok, report.problems


def test_a_deal_is_played_alike_by_hand_with_the_words_that_a_bot_keeps() -> None:
    for number in range(12):
        whole = gs.Deal(seed=9, number=number, level="25K"[number % 3])
        whole.play_out("planner")
        deal = gs.Deal(seed=9, number=number, level="25K"[number % 3])
        kept = np.zeros((4, lay.SCRATCH_SIZE), np.int64)
        while not deal.done:
            view = deal.view()
            deal.play(PLANNER.choose(view, scratch=kept[view.seat]))
        assert deal.history == whole.history


def test_its_functions_play_the_same_in_a_bot_of_ones_own(tmp_path: Path) -> None:
    mine = gs.Bot("mine", PLANNER.play, PLANNER.tribute, PLANNER.give_back)
    hashes = []
    for number, bots in enumerate(((PLANNER, "greedy"), (mine, "greedy"))):
        run = gs.simulate(
            deals=40, bots=bots, seed=4, previous_order="random", out=tmp_path / str(number)
        )
        assert isinstance(run, gs.Run)
        hashes.append(run.manifest["content_hash"])
    assert hashes[0] == hashes[1]
    seen = view("S8 D8 SK", None, 0, 9, 9, 9)
    assert mine.choose(seen) == PLANNER.choose(seen)
    asked = "SA S3 D4", "2", "SK", 2
    assert mine.choose_return(*asked) == PLANNER.choose_return(*asked)


def test_it_refuses_to_think_in_fewer_words_than_it_needs() -> None:
    words, out = view("S8 D8 SK", None, 0, 9, 9, 9).words, np.zeros(lay.OUT_SIZE, np.int64)
    for function in PLANNER.compiled:
        assert function(words, np.zeros(DESK_SIZE - 1, np.int64), out) == NO_DESK != 0


def test_what_it_plays_does_not_depend_on_what_it_played_before() -> None:
    bots = bots_by_seat(("planner", "greedy"))
    arguments = deal_arguments(
        {"seed": 4, "kind": "deals", "level": None, "previous_order": "random"}
    )
    work = Work("deals", "none", [Arm(bots, RULES[0], arguments)], None, outcomes=True)

    def played(first: int, stop: int) -> tuple[list[int], int]:
        part = PartPlayer(work, first, stop).run()
        assert part.outcomes is not None
        return part.outcomes.orders.tolist(), part.tallies[0].plays

    orders, plays = played(0, 150)
    apart = [played(number, number + 1) for number in range(150)]
    assert [order for orders, _ in apart for order in orders] == orders
    assert sum(plays for _, plays in apart) == plays


@pytest.mark.parametrize("rules", RULES[-2:], ids=("max_bomb", "joker_pair"))
def test_choices_are_legal_each_once_and_cost_what_a_new_plan_costs(rules: gs.Rules) -> None:
    draw = random.Random(1)
    work = np.zeros(WORK_SIZE, np.int64)
    joker_pair = int(rules.full_house_joker_pair)
    for number in range(8):
        deal = gs.Deal(seed=2, number=number, level="8", rules=rules)
        memories = [np.zeros(DESK_SIZE, np.int64) for _ in range(4)]
        while not deal.done:
            view = deal.view()
            if not view.has_choice:
                deal.pass_()
                continue
            found = choices(memories[view.seat], view)
            legal = set(map(str, view.legal_moves()))
            assert len({str(move) for move, _ in found}) == len(found)
            for move, cost in found:
                assert str(move) in legal
                _, _, one, two = move.words
                left = remove(*view.words[[lay.V_ONE, lay.V_TWO]].tolist(), one, two)
                fresh = plan_cost(*left, 7, joker_pair, work) if left[0] else 0
                assert cost == fresh, (view.hand, move)
            assert (found[0][0].shape == "pass") == (view.to_beat is not None)
            move, cost = draw.choice(found)
            settle(memories[view.seat], *move.words[2:], cost)
            deal.play(move)


def test_a_play_of_the_plan_only_shortens_it() -> None:
    memory = np.zeros(DESK_SIZE, np.int64)
    hand = "S3 S9 D9 C9 H9 SK DK CK D5 S5"
    (move, cost), *_ = [
        (move, cost)
        for move, cost in choices(memory, gs.View(hand, level="2", counts=(10, 20, 20, 20)))
        if str(move) == "single 3: S3"
    ]
    assert memory[PLAN_PLAYS] == 3
    settle(memory, *move.words[2:], cost)
    assert memory[PLAN_PLAYS] == 2


def view(hand: str, to_beat: str | None, by: int, *counts: int) -> gs.View:
    return gs.View(
        hand,
        level="2",
        to_beat=to_beat,
        to_beat_seat=by,
        seat=0,
        counts=(hand.count(" ") + 1, *counts),
    )


@pytest.mark.parametrize(
    ("why", "seen", "expected"),
    [
        (
            "goes out over its partner",
            view("S8 D8", "pair 7: S7 D7", 2, 6, 12, 8),
            "pair 8: S8 D8",
        ),
        (
            "leaves a partner alone that holds the trick",
            view("S3 S4 D6 C7 S8 D8 C8 HT HR", "single A: SA", 2, 12, 3, 12),
            "pass",
        ),
        (
            "bombs an opponent about to go out",
            view("S3 S4 D6 C6 S8 D8 C8 H8 HT", "single Q: SQ", 3, 12, 12, 1),
            "bomb 8: S8 H8 C8 D8",
        ),
        (
            "keeps its bomb while nobody is near the end",
            view("S3 S4 D6 C6 S8 D8 C8 H8 HT S5 DJ DK CA", "single SB: SB", 3, 25, 25, 25),
            "pass",
        ),
        (
            "bombs to lead the last play",
            view("S8 D8 C8 H8 S3", "single A: SA", 3, 6, 12, 8),
            "bomb 8: S8 H8 C8 D8",
        ),
        (
            "leads no single to an opponent with one card",
            view("S3 S9 D9 SK DK", None, -1, 1, 10, 10),
            "pair K: SK DK",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_known_positions(why: str, seen: gs.View, expected: str) -> None:
    assert str(PLANNER.choose(seen)) == expected, why


def test_it_returns_what_its_plan_can_spare() -> None:
    # The six would break the straight, the pair of nines the full house.
    hand = "S2 D4 C5 S6 H7 C8 S9 D9 SK DK CK HR"
    assert PLANNER.choose_return(hand, "A", received="HR", giver=1) == "S2"


def test_a_user_s_bot_beside_it_has_no_memory_of_its() -> None:
    def play(_view: np.ndarray, scratch: np.ndarray, _out: np.ndarray) -> int:
        return 0 if len(scratch) == 128 else 1

    def wrong(_view: np.ndarray, scratch: np.ndarray, _out: np.ndarray) -> int:
        return 0 if len(scratch) != 128 else 1

    assert lay.SCRATCH_SIZE == 128
    # Both leave no move; the one that finds the memory as it expects gets that far.
    with pytest.raises(gs.BotError, match=r"illegal move|wrote"):
        gs.simulate(deals=1, bots=("planner", gs.Bot("own", play)), seed=1)
    with pytest.raises(gs.BotError, match="did not return 0"):
        gs.simulate(deals=1, bots=("planner", gs.Bot("own", wrong)), seed=1)


def test_it_beats_greedy_and_is_level_with_itself() -> None:
    against_greedy = gs.arena("planner", "greedy", sets=150, seed=6)
    assert against_greedy.win_rate_interval[0] > 0.7
    assert against_greedy.interval[0] > 1
    itself = gs.arena("planner", "planner", sets=20, seed=6)
    assert itself.mean_gain == 0
    assert itself.win_rate == 0.5


def test_it_wins_matches() -> None:
    against_greedy = gs.arena("planner", "greedy", matches=20, seed=6)
    assert against_greedy.match_win_rate is not None
    assert against_greedy.match_win_rate >= 0.95
    assert gs.arena("planner", "random", matches=10, seed=6).match_win_rate == 1
