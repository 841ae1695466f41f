"""A pass that bars a player until the trick is cleared: at the table, in views, in logs, and what
it changes in whole deals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from games import PausedMatch, independent_deal
from oracle import beats, readings
from referee import PRESETS, RefereeDeal

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim.cards import words_to_cards
from guandan_sim.runs import create_run
from guandan_sim.schemas import TABLES

# With max_bomb and the opening leader of ace_reset, guide differs in deals that stand alone by the
# lock only.
UNLOCKED = gs.Rules.preset("guide").replace(opening_leader="random", max_bomb=8)
RULES: dict[str, gs.Rules] = {"guide": UNLOCKED, "ace_reset": gs.Rules.preset("ace_reset")}
PASS = gs.Move("pass", "", ())

# What each seat plays in turn ("-": passes), then who is asked next, and the masks of the seats
# that have passed since the last play and that are barred. Seat 0 is 1, 1 is 2, 2 is 4, 3 is 8.
Step = tuple[int, str, int, int, int]
EARLIER_LEADER = (
    ["S5 SA S6", "S3 D2 H3", "SK S4 C7", "C3 C4"],
    [
        (0, "S5", 1, 0b0000, 0b0000),
        (1, "-", 2, 0b0010, 0b0010),
        (2, "SK", 3, 0b0000, 0b0010),
        (3, "-", 0, 0b1000, 0b1010),
        # Seat 0 led, and has not passed.
        (0, "SA", 2, 0b0000, 0b1010),
        # Nobody is left to ask: seats 1 and 3 are not, though 1 has a higher card.
        (2, "-", 0, 0b0100, 0b0000),
        (0, "S6", 1, 0b0000, 0b0000),
        # It was barred from that trick only. Seat 0 is out, and seat 2 has its normal turn.
        (1, "D2", 2, 0b0000, 0b0000),
        (2, "-", 3, 0b0100, 0b0100),
        (3, "-", 1, 0b1100, 0b0000),
        (1, "H3", 2, 0b0000, 0b0000),
    ],
)
BARRED_PARTNER = (
    ["S5 S9", "S6 S3", "SK S4", "S7 C4"],
    [
        (0, "S5", 1, 0b0000, 0b0000),
        (1, "S6", 2, 0b0000, 0b0000),
        (2, "-", 3, 0b0100, 0b0100),
        (3, "S7", 0, 0b0000, 0b0100),
        # Seat 0 goes out; its partner is barred, so has no turn, and leads all the same.
        (0, "S9", 1, 0b0000, 0b0100),
        (1, "-", 3, 0b0010, 0b0110),
        (3, "-", 2, 0b1010, 0b0000),
        (2, "S4", 3, 0b0000, 0b0000),
        (3, "-", 1, 0b1000, 0b1000),
        (1, "-", 2, 0b1010, 0b0000),
    ],
)
ALL_BARRED = (
    ["S5 S4", "S6 SA", "SK S3", "S7 C4"],
    [
        (0, "S5", 1, 0b0000, 0b0000),
        (1, "S6", 2, 0b0000, 0b0000),
        (2, "-", 3, 0b0100, 0b0100),
        (3, "-", 0, 0b1100, 0b1100),
        (0, "-", 1, 0b1101, 0b0000),
        (1, "SA", 2, 0b0000, 0b0000),
    ],
)
NEXT_ONE_BARRED = (
    ["S5 SA S3", "S4 SK", "C6 C3", "S7 C4"],
    [
        (0, "S5", 1, 0b0000, 0b0000),
        (1, "-", 2, 0b0010, 0b0010),
        (2, "-", 3, 0b0110, 0b0110),
        (3, "S7", 0, 0b0000, 0b0110),
        # The trick is between seats 0 and 3 now, and seat 3 alone is asked.
        (0, "SA", 3, 0b0000, 0b0110),
        (3, "-", 0, 0b1000, 0b0000),
    ],
)
SCRIPTS = [EARLIER_LEADER, BARRED_PARTNER, ALL_BARRED, NEXT_ONE_BARRED]


@pytest.mark.parametrize(("hands", "steps"), SCRIPTS)
def test_who_is_asked_and_what_all_see(hands: list[str], steps: list[Step]) -> None:
    deal = gs.Deal(rules="ace_reset", hands=hands, leader=0)
    match = match_of(hands)
    for seat, cards, turn, passed, locked in steps:
        assert (deal.to_move, match.to_move) == (seat, seat)
        deal.play("pass" if cards == "-" else cards)
        match.step("pass" if cards == "-" else cards)
        assert (deal.to_move, match.to_move) == (turn, turn)
        for looker in range(4):
            for view in (deal.view(looker), match.view(looker)):
                masks = view.words[[lay.V_PASSED, lay.V_LOCKED]].tolist()
                assert masks == [passed, locked]


@pytest.mark.parametrize(("hands", "steps"), SCRIPTS)
@pytest.mark.parametrize("rules", ["ace_reset", UNLOCKED.replace(pass_locks=True)])
def test_a_view_by_hand_has_the_same_locks(
    rules: gs.Rules | str, hands: list[str], steps: list[Step]
) -> None:
    deal = gs.Deal(rules=rules, hands=hands, leader=0)
    for _, cards, turn, passed, locked in steps:
        deal.play("pass" if cards == "-" else cards)
        last = [seat for seat, move in deal.history if move.cards][-1]
        view = gs.View(
            deal.hands[turn],
            "2",
            turn,
            to_beat=deal.to_beat,
            to_beat_seat=last,
            counts=[len(hand) for hand in deal.hands],
            passed=[seat for seat in range(4) if passed >> seat & 1],
            rules=rules,
            history=deal.history,
        )
        assert view.words[lay.V_LOCKED] == locked
        theirs = deal.view().words
        theirs[lay.V_KEY] = 0  # only the deal knows its random stream
        differing = np.flatnonzero(view.words != theirs)
        assert not len(differing), [(int(i), view.words[i], theirs[i]) for i in differing]


def test_nobody_is_barred_without_the_switch() -> None:
    hands, steps = EARLIER_LEADER
    deal = gs.Deal(rules="guide", hands=hands, leader=0)
    for _, cards, _, passed, _ in steps[:5]:
        deal.play("pass" if cards == "-" else cards)
        assert deal.view(0).words[[lay.V_PASSED, lay.V_LOCKED]].tolist() == [passed, 0]
    assert deal.to_move == 1  # asked again, and may play
    deal.play("D2")
    assert str(deal.to_beat) == "single 2: D2"


def match_of(hands: list[str]) -> PausedMatch:
    """A match whose opening deal is of these hands, led by seat 0."""
    lists = [hand.split() for hand in hands]
    tables = (independent_deal(1, number, "ace_reset", 1, hands=lists) for number in range(100))
    return next(table for table in tables if table.leader == 0)


# Logs


def retold(run: gs.Run, folder: Path, rules: gs.Rules) -> list[str]:
    """What `verify` says of the same log as one of other rules, checksums made right."""
    settings: dict[str, Any] = {**run.manifest["settings"], "rules": rules.switches()}
    with create_run(folder, settings) as writer:
        ((first, stop),) = writer.missing
        with writer.part(first, stop) as part:
            for name in run.tables:
                for columns in run.arrays(name, TABLES[name].names):
                    part.write(name, columns)
        writer.finish([part.summary], run.summary)
    return gs.open_run(folder).verify().problems


@pytest.mark.parametrize(("name", "other"), [("guide", "ace_reset"), ("ace_reset", "guide")])
@pytest.mark.parametrize("kind", ["deals", "matches"])
def test_a_log_fits_only_the_rules_it_was_played_by(
    tmp_path: Path, name: str, other: str, kind: str
) -> None:
    count: dict[str, Any] = {"deals": 120} if kind == "deals" else {"matches": 3}
    run = gs.simulate(**count, rules=RULES[name], seed=7, out=tmp_path / "run")
    assert isinstance(run, gs.Run)
    assert run.verify().ok
    assert retold(run, tmp_path / "same", RULES[name]) == []
    # Nothing but the lock is changed.
    changed = RULES[name].replace(pass_locks=RULES[other].pass_locks)
    problems = retold(run, tmp_path / "other", changed)
    assert len(problems) >= 3
    if name == "ace_reset":
        # A seat that was not asked is taken to have passed, and by no choice of its own.
        assert any("logged as forced" in text for text in problems)
    else:
        # A seat that may not be asked again has played, or is logged to have passed by choice.
        assert any("turn" in text or "logged as chosen" in text for text in problems)


# The same deals by a bot that chooses at random, with the lock and without

DEALS = 2_000


@dataclass
class Asked:
    """A seat asked in a deal: its answer, and whether it had passed before in this trick."""

    seat: int
    answer: gs.Move | None
    """The play, or None for a pass."""
    chose_to_pass: bool
    passed_before: bool
    hand: list[str]
    to_beat: Any


def asked_between(referee: RefereeDeal, row: dict[str, Any]) -> Iterator[Asked]:
    """Who is asked until the play of this row is made; the referee makes all these moves."""
    move = gs.Move(row["shape"], row["rank"], words_to_cards(row["one"], row["two"]))
    play = (move.shape, move.rank, len(move.cards))
    flagged = 0
    while True:
        seat = referee.turn
        chosen = bool(row["chosen_passes"] >> seat & 1)
        # Who leads for a partner who is out may have passed on the play before.
        now = referee.to_beat is None or (
            beats(play, referee.to_beat, referee.level) and not chosen
        )
        now = now and seat == row["seat"]
        before = seat in referee.passed_in_trick
        answer = move if now else None
        yield Asked(seat, answer, chosen, before, list(referee.hands[seat]), referee.to_beat)
        if now:
            assert flagged == row["chosen_passes"]  # and nobody who was not asked
            referee.play(seat, *play[:2], move.cards)
            return
        flagged |= chosen << seat
        referee.pass_(seat)


@pytest.fixture(scope="module", name="runs")
def same_deals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, gs.Run]:
    """The same deals under both rules."""
    runs = {}
    for name, rules in RULES.items():
        run = gs.simulate(
            deals=DEALS,
            bots="random",
            rules=rules,
            level="5",
            seed=41,
            out=tmp_path_factory.mktemp("runs") / name,
        )
        assert isinstance(run, gs.Run)
        runs[name] = run
    return runs


COMPARED = ["seat", "shape", "rank", "one", "two", "chosen_passes"]


def test_a_lock_changes_deals_only_where_a_barred_seat_could_answer(
    runs: dict[str, gs.Run],
) -> None:
    deals = {name: run.deals() for name, run in runs.items()}
    dealt = [f"hand{seat}_{word}" for seat in range(4) for word in ("one", "two")] + ["leader"]
    pd.testing.assert_frame_equal(deals["guide"][dealt], deals["ace_reset"][dealt])
    leaders = deals["guide"]["leader"].tolist()
    hands = [
        [words_to_cards(row[f"hand{seat}_one"], row[f"hand{seat}_two"]) for seat in range(4)]
        for row in deals["guide"].to_dict("records")
    ]
    of_deals = {
        name: [frame[COMPARED].to_dict("records") for _, frame in run.plays().groupby("set")]
        for name, run in runs.items()
    }
    differing = same = played = passed = 0
    for number, (unlocked, locked) in enumerate(zip(*of_deals.values(), strict=True)):
        first = next(
            (i for i, (a, b) in enumerate(zip(unlocked, locked, strict=False)) if a != b), None
        )
        if first is None:
            assert len(unlocked) == len(locked)
            same += 1
        else:
            differing += 1
        # The same referee without a lock: in the common plays no barred seat has a choice, at the
        # first that differs one has.
        if number % 4 and first is None:
            continue
        referee = RefereeDeal(hands[number], "5", leaders[number], UNLOCKED.switches())
        for row in unlocked[:first]:
            for asked in asked_between(referee, row):
                assert not (asked.passed_before and (asked.answer or asked.chose_to_pass))
        if first is None:
            assert referee.finished
            continue
        found = [
            asked
            for asked in asked_between(referee, unlocked[first])
            if asked.passed_before and (asked.answer or asked.chose_to_pass)
        ]
        assert found, (number, first)
        played += found[0].answer is not None
        passed += found[0].answer is None
        confirm(found[0])
        # In the other deal no barred seat is asked, there and before.
        if number % 4:
            continue
        other = RefereeDeal(hands[number], "5", leaders[number], PRESETS["ace_reset"])
        for row in locked[: first + 1]:
            assert not any(asked.passed_before for asked in asked_between(other, row))
    assert (differing > 1_000, same > 100) == (True, True), (differing, same)
    assert min(played, passed) > 100, (played, passed)


def confirm(asked: Asked) -> None:
    """By the oracle: the barred seat had a legal answer, the one played or one that it left out."""
    move = asked.answer
    if move is None:
        shape, rank, size = asked.to_beat
        moves = gs.legal_moves(asked.hand, "5", rules=UNLOCKED)
        move = next(
            m for m in moves if beats((m.shape, m.rank, len(m.cards)), (shape, rank, size), "5")
        )
    assert (move.shape, move.rank) in readings(move.cards, "5", 8)
    assert beats((move.shape, move.rank, len(move.cards)), asked.to_beat, "5")
    held = list(asked.hand)
    for card in move.cards:
        held.remove(card)


def test_the_same_deals_are_verified_by_their_own_rules_only(runs: dict[str, gs.Run]) -> None:
    for run in runs.values():
        assert run.verify().ok
