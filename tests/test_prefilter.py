"""The loop asks only seats that have an answer, and passes for all others in one sweep: exactly the
games of a loop that visits every seat and lists its moves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim import loop
from guandan_sim.bots import bots_by_seat
from guandan_sim.deal import answers_of, apply_move, apply_pass, fill_view
from guandan_sim.jit import DISABLED
from guandan_sim.listing import list_moves
from guandan_sim.match import finish_deal, start_single_deal
from guandan_sim.playing import Player
from guandan_sim.rng import word
from guandan_sim.rules import new_state
from guandan_sim.shapes import BOMB
from guandan_sim.tribute import apply_return, apply_tribute, choice_mask

pytestmark = pytest.mark.skipif(DISABLED, reason="plain Python takes minutes for these samples")

Rows = NDArray[np.int64]
SEED = 61
ROOM = np.zeros((60_000, 4), np.int64)
LINE_UPS = (("random", 200), ("greedy", 150), (("random", "greedy"), 50))

Filter = Callable[[Rows, Rows], bool]
"""Whether a seat is asked, from the state and its moves but the pass."""


def any_answer(_: Rows, moves: Rows) -> bool:
    return len(moves) > 0


def moves_to_play(state: Rows, seat: int) -> Rows:
    """The moves of a seat but the pass, by listing them; they are overwritten by the next."""
    hand = state[lay.S_HANDS + 2 * seat : lay.S_HANDS + 2 * seat + 2].tolist()
    beat = state[lay.V_BEAT_KIND : lay.V_BEAT_STRENGTH + 1].tolist()
    rules = state[[lay.V_RULES + lay.R_MAX_BOMB, lay.V_RULES + lay.R_JOKER_PAIR]].tolist()
    n = int(list_moves(*hand, int(state[lay.V_LEVEL]), *beat, *rules, ROOM))
    return ROOM[:n]


class LooseLoop:
    """The playing loop in plain Python: every seat is visited, and passes one by one."""

    def __init__(self, bots: Sequence[gs.Bot], asks: Filter = any_answer, forced_key: bool = False):
        self._bots = [bot.compiled for bot in bots]
        self._asks = asks
        self._forced_key = forced_key
        self._view = np.zeros(lay.VIEW_SIZE, np.int64)
        self._out = np.zeros(lay.OUT_SIZE, np.int64)
        self.forced = 0
        self.chosen = 0

    def play(self, state: Rows) -> Rows:
        """Play the deal in ``state`` to its end; gives the rows that the loop would log."""
        rows = []
        scratch = np.zeros((4, lay.SCRATCH_SIZE), np.int64)
        self._view[:] = 0
        while state[lay.V_PHASE] != lay.PHASE_DONE:
            seat = int(state[lay.V_TURN])
            if state[lay.V_PHASE] != lay.PHASE_PLAY:
                self._give(state, seat, scratch[seat])
                continue
            moves = moves_to_play(state, seat)
            if not self._asks(state, moves):
                assert state[lay.V_BEAT_SEAT] >= 0, "a leader has a move"
                state[lay.S_DECISIONS + seat] += self._forced_key
                self.forced += 1
                apply_pass(state)
                continue
            move = self._ask(0, state, seat, scratch[seat]).tolist()
            if move == [0, 0, 0, 0]:
                assert state[lay.V_BEAT_SEAT] >= 0, "a leader does not pass"
                state[lay.S_CHOSE_TO_PASS] |= 1 << seat
                self.chosen += 1
                apply_pass(state)
                continue
            assert (moves == move).all(axis=1).any(), "the move is not in the list"
            chosen, ply = int(state[lay.S_CHOSE_TO_PASS]), int(state[lay.V_PLIES])
            apply_move(state, *move)
            at = lay.V_HISTORY + lay.HISTORY_WIDTH * ply
            packed, one, two = state[at : at + 3].tolist()
            rows.append([packed | chosen << loop.P_CHOSEN | ply << loop.P_PLY, one, two])
        return np.array(rows, np.int64)

    def _ask(self, role: int, state: Rows, seat: int, scratch: Rows) -> Rows:
        number = int(state[lay.S_DECISIONS + seat])
        state[lay.S_DECISIONS + seat] += 1
        key = word(int(state[lay.S_STREAMS + seat]), number)
        fill_view(state, self._view, seat, key, answers_of(state, seat))
        self._out[:] = -1
        assert self._bots[seat][role](self._view, scratch, self._out) == 0
        return self._out

    def _give(self, state: Rows, seat: int, scratch: Rows) -> None:
        giving = state[lay.V_PHASE] == lay.PHASE_TRIBUTE
        mask = int(choice_mask(state, seat, int(state[lay.S_HANDS + 2 * seat])))
        card = mask.bit_length() - 1
        if mask.bit_count() > 1:
            card = int(self._ask(1 if giving else 2, state, seat, scratch)[lay.OUT_CARD])
        (apply_tribute if giving else apply_return)(state, card)


def arguments(number: int) -> tuple[int, int, int]:
    """Level, previous order and whether it is drawn, of a deal: each fourth one has an opening."""
    return 0, -1, int(number % 4 != 3)


def played_exactly(bots: Any, preset: str, number: int) -> tuple[Rows, Rows]:
    """(Rows of the plays, state at the end) of an independent deal in the compiled loop."""
    words = np.zeros(loop.ARGUMENTS, np.int64)
    words[loop.A_SEED], words[loop.A_END], words[loop.A_LOG_PLAYS] = SEED, number + 1, 1
    words[loop.A_LEVEL], words[loop.A_PREVIOUS], words[loop.A_DRAW_PREVIOUS] = arguments(number)
    cursor = np.zeros(loop.CURSOR, np.int64)
    cursor[loop.C_NEXT] = number
    widths = (loop.PLAY_WIDTH, loop.DEAL_WIDTH, loop.TRIBUTE_WIDTH, loop.MATCH_WIDTH)
    rows = [np.zeros((lay.MAX_PLIES + 1, width), np.int64) for width in widths]
    state = new_state(gs.Rules.preset(preset))
    assert Player(bots_by_seat(bots)).run_sets(state, words, cursor, rows) == 1
    return rows[0][: cursor[loop.C_PLAYS]], state


def played_loosely(by: LooseLoop, preset: str, number: int) -> tuple[Rows, Rows]:
    """The same by a loop that visits every seat."""
    state = new_state(gs.Rules.preset(preset))
    start_single_deal(state, SEED, number, *arguments(number))
    rows = by.play(state)
    finish_deal(state)
    return rows, state


def fingerprint() -> str:
    """A hash over deals of the compiled loop; `test_vectors` has portable code play them too."""
    digest = hashlib.sha256()
    for preset in gs.Rules.presets():
        for bots, _ in LINE_UPS:
            for number in range(20):
                rows, state = played_exactly(bots, preset, number)
                digest.update(rows.tobytes() + state.tobytes())
    return digest.hexdigest()


@pytest.mark.parametrize("preset", gs.Rules.presets())
@pytest.mark.parametrize(("bots", "deals"), LINE_UPS, ids=str)
def test_visiting_every_seat_plays_the_same_games(bots: Any, deals: int, preset: str) -> None:
    by = LooseLoop(bots_by_seat(bots))
    for number in range(deals):
        rows, state = played_exactly(bots, preset, number)
        other_rows, other_state = played_loosely(by, preset, number)
        assert np.array_equal(rows, other_rows), number
        # Counters of decisions, hands, passes, tributes, gain: everything.
        assert np.array_equal(state, other_state), number
    assert by.forced > 10 * deals
    assert by.chosen > deals


def no_bombs(state: Rows, moves: Rows) -> bool:
    """A filter that forgets that bombs answer everything."""
    return bool((moves[:, 0] < BOMB).any()) or state[lay.V_BEAT_KIND] in (0, BOMB)


def no_second_copy(_: Rows, moves: Rows) -> bool:
    """A filter that overlooks a single answer which needs both copies of a card."""
    return bool(len(moves) != 1 or moves[0, 3] == 0)


@pytest.mark.parametrize("asks", [no_bombs, no_second_copy])
def test_a_filter_that_misses_answers_plays_other_games(asks: Filter) -> None:
    def filtered(state: Rows, moves: Rows) -> bool:
        return len(moves) > 0 and (state[lay.V_BEAT_SEAT] < 0 or asks(state, moves))

    by = LooseLoop(bots_by_seat("random"), filtered)
    pairs = [
        (played_exactly("random", "guide", number), played_loosely(by, "guide", number))
        for number in range(30)
    ]
    assert any(not np.array_equal(exact[0], loose[0]) for exact, loose in pairs)


def test_a_key_for_a_forced_pass_plays_other_games() -> None:
    by = LooseLoop(bots_by_seat("random"), forced_key=True)
    exact, loose = played_exactly("random", "guide", 0), played_loosely(by, "guide", 0)
    assert not np.array_equal(exact[0], loose[0])
    # Greedy draws nothing: its counters tell.
    by = LooseLoop(bots_by_seat("greedy"), forced_key=True)
    exact, loose = played_exactly("greedy", "guide", 0), played_loosely(by, "guide", 0)
    assert np.array_equal(exact[0], loose[0])
    counters = slice(lay.S_DECISIONS, lay.S_DECISIONS + 4)
    assert not np.array_equal(exact[1][counters], loose[1][counters])
