"""Whole matches through `gs.Match`, with the slow referee beside every step."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from oracle import PASS, Play, wild_of
from referee import (
    PRESETS,
    RefereeDeal,
    active_level,
    dwellers,
    is_cancelled,
    return_options,
    settle,
    tribute,
    tribute_options,
)

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim.cards import CARD_CODES, RANK_WORDS
from guandan_sim.shapes import SHAPE_WORDS

FEW_CARDS = 7
PASSED = gs.Move("pass", "", ())


class Refereed:
    """A `gs.Match` played at random, every step of it compared with the referee's."""

    def __init__(
        self, rules: gs.Rules, number: int, seed: int = 1, levels: tuple[str, str] = ("2", "2")
    ) -> None:
        self.match = gs.Match(seed=seed, rules=rules, number=number)
        # Only the opening deal is still played at level 2.
        self.match._state[lay.V_LEVELS : lay.V_LEVELS + 2] = [RANK_WORDS.index(x) for x in levels]
        self.switches = rules.switches()  # the names are the referee's, see test_rules
        self.choices = random.Random(f"{rules.name} {seed} {number}")
        names = ("random", "greedy" if number % 4 == 3 else "random")
        self.plays = [gs.bot(name).compiled[0] for name in names]
        self.scratch = np.zeros(lay.SCRATCH_SIZE, np.int64)
        self.out = np.zeros(lay.OUT_SIZE, np.int64)
        self.seen: Counter[str] = Counter()
        self.levels = levels
        self.failures = (0, 0)
        self.order: tuple[int, ...] = ()

    def play(self) -> None:
        """The whole match."""
        winner = None
        deals = 0
        while winner is None and deals < self.switches["max_deals"]:
            assert (self.match.winner, self.match.phase != "done") == (None, True)
            assert self.match.deals == deals
            owner = self.match.owner
            leader = self._before_play()
            last = dwellers(self.order) if self.order else ()
            order = self._tricks(leader)
            self.levels, _, gain, self.failures, winner = settle(
                order, self.levels, owner, self.failures, last, self.switches
            )
            self.order = order
            deals += 1
            state = self.match.state
            assert self.match.levels == self.levels
            assert state[lay.S_GAIN] == gain
            assert tuple(state[lay.V_FAILURES : lay.V_FAILURES + 2]) == self.failures
            assert tuple(state[lay.V_PREVIOUS : lay.V_PREVIOUS + 4]) == order
            self.seen["set back"] += gain == 0
        assert (self.match.winner, self.match.phase) == (winner, "done")
        assert self.match.truncated == (winner is None)

    def _before_play(self) -> int:
        """Level, tribute and returns; gives the leader."""
        match, switches = self.match, self.switches
        hands = [list(hand) for hand in match.hands]
        assert [len(hand) for hand in hands] == [27] * 4
        if not self.order:
            assert (match.level, match.phase, match.tributes) == ("2", "play", [])
            leader = match.leader
            assert leader is not None
            if switches["opening_leader"] == "marked_card":
                assert CARD_CODES[int(match.state[lay.V_MARKED])] in hands[leader]
            assert match.owner == leader % 2
            return leader
        owner_and_level = active_level(self.order, hands, self.levels, switches)
        assert (match.owner, match.level) == owner_and_level
        level = match.level
        give: dict[int, str] = {}
        if not is_cancelled(self.order, hands, switches):
            for _ in dwellers(self.order):
                assert (match.phase, match.tributes) == ("tribute", [])
                payer = match.to_move
                assert payer is not None
                assert payer not in give
                assert sorted(map(str, match.options())) == tribute_options(hands[payer], level)
                give[payer] = self._step()
        cancelled, transfers, leader = tribute(self.order, hands, level, switches, give)
        for giver, receiver, card in transfers:
            hands[giver].remove(card)
            hands[receiver].append(card)
        returned: list[str] = []
        for giver, receiver, card in transfers:
            assert (match.phase, match.to_move) == ("return", receiver)
            expected = [(*t, (*returned, "", "")[i]) for i, t in enumerate(transfers)]
            assert match.tributes == expected
            options = return_options(hands[receiver], level, card, switches)
            assert sorted(map(str, match.options())) == options
            returned.append(self._step())
            hands[receiver].remove(returned[-1])
            hands[giver].append(returned[-1])
        assert (match.phase, match.leader, match.to_move) == ("play", leader, leader)
        assert [sorted(hand) for hand in match.hands] == [sorted(hand) for hand in hands]
        self.seen[f"{len(dwellers(self.order))} due, cancelled {cancelled}"] += 1
        return leader

    def _step(self) -> str:
        card = self.choices.choice([str(option) for option in self.match.options()])
        self.match.step(card)
        return card

    def _tricks(self, leader: int) -> tuple[int, ...]:
        """The plays of one deal; gives the finishing order."""
        match, deal = self.match, self.match.deals
        referee = RefereeDeal(match.hands, match.level, leader, self.switches)
        last = leader
        while not referee.finished:
            view = match.view()
            assert (view.seat, play_to_beat(view)) == (referee.turn, referee.to_beat)
            if referee.to_beat is None:
                self.seen["lead by partner"] += view.seat != last
            if self.choices.random() < 0.02:
                self._look_closely(view, referee)
            self.plays[view.seat % 2](view.words, self.scratch, self.out)
            move = gs.Move.from_words(*self.out.tolist()) if self.out[lay.OUT_SHAPE] else PASSED
            if move.shape != "pass":
                last = view.seat
            if move.shape not in ("single", "pair", "pass") and wild_of(match.level) in move.cards:
                self.seen["wild stands for another"] += 1
            assert match.deals == deal
            match.step(move)
            referee.move(canonical(move))
        self.seen["sweep"] += referee.finish_order[0] % 2 == referee.finish_order[1] % 2
        return tuple(referee.finish_order)

    def _look_closely(self, view: gs.View, referee: RefereeDeal) -> None:
        """What takes too long to compare at every step."""
        match = self.match
        assert match.to_move == referee.turn
        assert list(match.finish_order) == referee.finish_order
        assert [sorted(hand) for hand in match.hands] == referee.hands
        assert sorted(view.hand) == referee.hands[view.seat]
        beat = match.to_beat
        played = None if beat is None else (beat.shape, beat.rank, len(beat.cards))
        assert played == referee.to_beat
        if len(view.hand) <= FEW_CARDS:
            assert {canonical(move) for move in match.legal_moves()} == referee.moves()
            assert view.has_choice == (referee.moves() != {PASS})


def play_to_beat(view: gs.View) -> Play | None:
    """The play to beat as the referee has it, off the view's words."""
    words = view.words[lay.V_BEAT_SEAT : lay.V_BEAT_TWO + 1].tolist()
    seat, shape, rank, one, two = words
    if seat < 0:
        return None
    return SHAPE_WORDS[shape], RANK_WORDS[rank], one.bit_count() + two.bit_count()


def canonical(move: gs.Move) -> tuple[str, str, tuple[str, ...]]:
    """A move as the oracle writes it."""
    return move.shape, move.rank, tuple(sorted(move.cards))


# The referee beside whole matches


MATCHES = dict.fromkeys(PRESETS, 10) | {"guide": 200}
KINDS = [f"{due} due, cancelled {cancelled}" for due in (1, 2) for cancelled in (False, True)]
KINDS += ["lead by partner", "wild stands for another", "sweep"]


@pytest.mark.parametrize("preset", PRESETS)
def test_random_matches_step_by_step(preset: str) -> None:
    seen: Counter[str] = Counter()
    for number in range(MATCHES[preset]):
        game = Refereed(gs.Rules.preset(preset), number)
        game.play()
        seen += game.seen
    if preset == "guide":
        assert all(seen[kind] >= 50 for kind in KINDS), seen


@pytest.mark.parametrize("preset", ["guide", "ace_reset", "pagat", "wikipedia"])
@pytest.mark.parametrize("failures", [0, 1])
def test_random_matches_between_teams_at_the_top(preset: str, failures: int) -> None:
    rules = gs.Rules.preset(preset).replace(top_failures=failures)
    seen: Counter[str] = Counter()
    for number in range(12):
        game = Refereed(rules, number, levels=("A", "A"))
        game.play()
        seen += game.seen
    if preset != "wikipedia":  # where a 1-4 win at the top wins the match
        assert (seen["set back"] > 0) == (failures > 0)


def test_a_match_is_cut_off_at_the_cap() -> None:
    rules = gs.Rules.preset("guide").replace(max_deals=3)
    match = gs.Match(seed=1, rules=rules, bots="random")
    for deals in range(1, 4):
        assert (match.truncated, match.phase != "done") == (False, True)
        match.play_deal()
        assert match.deals == deals
    assert (match.truncated, match.winner, match.phase) == (True, None, "done")
    assert (match.to_move, match.options()) == (None, [])
    with pytest.raises(gs.IllegalMoveError, match="the match is over; it was cut off"):
        match.play_deal()


def test_a_match_won_in_the_last_deal_of_the_cap_is_not_cut_off() -> None:
    whole = finished("guide")
    rules = gs.Rules.preset("guide").replace(max_deals=whole.deals)
    match = gs.Match(seed=3, rules=rules, bots="random")
    while match.phase != "done":
        match.play_deal()
    assert (match.deals, match.winner) == (whole.deals, whole.winner)
    assert not match.truncated


def finished(rules: str) -> gs.Match:
    match = gs.Match(seed=3, rules=rules, bots="random")
    while match.phase != "done":
        match.play_deal()
    return match


# Copies


def at_phase(phase: str, rules: str = "guide", due: int = 1) -> gs.Match:
    """A match whose seat to act has a choice in that phase, of ``due`` tributes."""
    for number in range(100):
        match = gs.Match(seed=11, number=number, rules=rules, bots="random")
        match.play_deal()
        while match.phase in ("tribute", "return"):
            wanted = match.phase == phase and match.state[lay.V_TRIBUTE] == due
            if wanted and len(match.options()) > 1:
                return match
            match.step(str(match.options()[0]))
        if match.phase == phase:
            return match
    raise AssertionError(phase)


@pytest.mark.parametrize("phase", ["tribute", "return", "play"])
def test_copies_come_to_the_same_end(phase: str) -> None:
    match = at_phase(phase)
    before = match.state
    copies = [match.copy(), match.copy()]
    for other in copies:
        while other.phase != "done":
            other.play_deal()
    np.testing.assert_array_equal(match.state, before)
    np.testing.assert_array_equal(copies[0].state, copies[1].state)
    while match.phase != "done":
        match.play_deal()
    np.testing.assert_array_equal(match.state, copies[0].state)


def test_choices_of_a_copy_do_not_show_on_the_other() -> None:
    match = at_phase("return")
    options = [str(option) for option in match.options()]
    other = match.copy()
    match.step(options[0])
    other.step(options[1])
    assert match.tributes[0][3] == options[0]
    assert other.tributes[0][3] == options[1]


def test_the_state_is_a_copy() -> None:
    match = gs.Match(seed=1)
    match.state[:] = 0
    assert match.levels == ("2", "2")


# Illegal input: the error names the value and what would be right, and nothing changes


def refused(match: gs.Match, choice: Any, error: type[gs.GuandanError], message: str) -> None:
    before = match.state
    with pytest.raises(error, match=message):
        match.step(choice)
    np.testing.assert_array_equal(match.state, before)


def test_a_card_that_may_not_be_given() -> None:
    match = at_phase("tribute")
    seat = match.to_move
    assert seat is not None
    options = [str(option) for option in match.options()]
    other = next(card for card in match.hands[seat] if card not in options)
    listed = " or ".join(options)
    refused(
        match,
        other,
        gs.IllegalMoveError,
        f"seat {seat} may not give {other}; it may give {listed}",
    )


def test_a_card_that_may_not_be_returned() -> None:
    match = at_phase("return")
    seat = match.to_move
    (_, receiver, card, _) = match.tributes[0]
    assert seat == receiver
    refused(
        match, card, gs.IllegalMoveError, f"seat {seat} may not return {card}; it may return .* or "
    )


@pytest.mark.parametrize("phase", ["tribute", "return"])
def test_what_is_no_card_when_one_is_due(phase: str) -> None:
    match = at_phase(phase)
    two_cards = " ".join(map(str, match.options()[:2]))
    for choice in ("S1", "", two_cards, "pass", None, 7):
        refused(match, choice, gs.CardParseError, "is not a card; a card is a suit S H C D")
    with pytest.raises(gs.IllegalMoveError, match=r"a card to (give|return) is due first"):
        match.legal_moves()


def test_moves_are_refused_as_in_a_deal() -> None:
    match = gs.Match(seed=1)
    refused(match, "pass", gs.IllegalMoveError, f"seat {match.to_move} leads and must play")
    refused(match, "pear 9: S9 D9", gs.MoveParseError, "'pear 9: S9 D9' is not a move")
    refused(match, None, gs.MoveParseError, "None is not a move")


def test_nothing_is_played_after_the_end() -> None:
    match = finished("guide")
    refused(match, "pass", gs.IllegalMoveError, f"the match is over; team {match.winner} has won")
    with pytest.raises(gs.IllegalMoveError, match="the match is over"):
        match.play_deal()


def test_no_bots_no_deal() -> None:
    with pytest.raises(gs.OptionError, match="this match has no bots"):
        gs.Match(seed=1).play_deal()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"seed": -1}, gs.OptionError, "seed is -1; a whole number from 0"),
        ({"seed": 2**63}, gs.OptionError, "seed is 9223372036854775808; a whole number"),
        ({"seed": 1.0}, gs.OptionError, "seed is 1.0; a whole number"),
        ({"seed": True}, gs.OptionError, "seed is True; a whole number"),
        ({"number": -1}, gs.OptionError, "number is -1; a whole number from 0"),
        ({"rules": "gudie"}, gs.RulesError, "'gudie' is not a rule preset; there are guide, "),
        ({"rules": None}, gs.RulesError, "None is not a rule preset"),
        ({"bots": "nobody"}, gs.BotError, "'nobody' is not a bot; there are random, greedy"),
        ({"bots": ["random"] * 3}, gs.OptionError, r"3 bots were named; name 1 \(all seats\)"),
        ({"bots": []}, gs.OptionError, "0 bots were named"),
        ({"bots": [None]}, gs.BotError, "None is not a bot"),
    ],
)
def test_wrong_arguments(
    arguments: dict[str, Any], error: type[gs.GuandanError], message: str
) -> None:
    with pytest.raises(error, match=message):
        gs.Match(**arguments)
