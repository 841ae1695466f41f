"""Whole matches through `gs.Match`, with the slow referee beside every step; and its own edge cases."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from oracle import Play, wild_of
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

HANDS_SMALL_ENOUGH = 7


class Refereed:
    """A `gs.Match` played at random, every step of it compared with the referee's."""

    def __init__(self, preset: str, number: int, seed: int = 1) -> None:
        self.match = gs.Match(seed=seed, rules=preset, number=number)
        self.switches = PRESETS[preset]
        self.choices = random.Random(f"{preset} {seed} {number}")
        self.bots = [gs.bot("random"), gs.bot("greedy" if number % 4 == 3 else "random")]
        self.seen: Counter[str] = Counter()
        self.levels = ("2", "2")
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
            drawn = [code for code, bit in CARD_NUMBERS.items() if bit == match.state[lay.V_MARKED]]
            if switches["opening_leader"] == "marked_card":
                assert drawn[0] in hands[leader]
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
        card = self.choices.choice(self.match.options())
        self.match.step(card)
        return str(card)

    def _tricks(self, leader: int) -> tuple[int, ...]:
        """The plays of one deal; gives the finishing order."""
        match, deal = self.match, self.match.deals
        referee = RefereeDeal(match.hands, match.level, leader, self.switches)
        while not referee.finished:
            assert match.deals == deal
            assert (match.to_move, self._to_beat()) == (referee.turn, referee.to_beat)
            assert list(match.finish_order) == referee.finish_order
            view = match.view()
            if len(view.hand) <= HANDS_SMALL_ENOUGH and self.choices.random() < 0.02:
                assert {canonical(move) for move in match.legal_moves()} == referee.moves()
            move = self.bots[referee.turn % 2].choose(view)
            if referee.to_beat is None and referee.last_player not in (leader, match.to_move):
                self.seen["lead by partner"] += 1
            if wild_of(match.level) in move.cards and move.shape not in ("single", "pair"):
                self.seen["wild stands for another"] += 1
            match.step(move)
            referee.move(canonical(move))
        self.seen["sweep"] += referee.finish_order[0] % 2 == referee.finish_order[1] % 2
        return tuple(referee.finish_order)

    def _to_beat(self) -> Play | None:
        move = self.match.to_beat
        return None if move is None else (move.shape, move.rank, len(move.cards))


def canonical(move: gs.Move) -> tuple[str, str, tuple[str, ...]]:
    """A move as the oracle writes it."""
    return move.shape, move.rank, tuple(sorted(move.cards))
