"""pytest-benchmark cases of the kernels: ``make bench-kernels``.

Every round does a thing 1,000 times in compiled code, so that a microsecond in the table is a
nanosecond for each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from growth import hands

from guandan_sim import layout as lay
from guandan_sim.bench.own_bot import OWN
from guandan_sim.bench.positions import (
    KIND,
    LEVEL,
    ONE,
    STRENGTH,
    TWO,
    count_all,
    list_all,
    met,
    move_counts,
)
from guandan_sim.bench.workloads import Game, Workload
from guandan_sim.jit import Rows, Words, kernel
from guandan_sim.movegen import count_all_bombs, count_answers
from guandan_sim.picking import pick_move
from guandan_sim.planner import WORK_SIZE, plan_cost
from guandan_sim.planning import search
from guandan_sim.rng import deal_hands, deal_key, word
from guandan_sim.rules import Rules

TIMES = 1_000
GUIDE = Rules.preset("guide")
MAX_BOMB, JOKER_PAIR = GUIDE.max_bomb, int(GUIDE.full_house_joker_pair)

Benchmark = Callable[..., Any]


@pytest.fixture(name="timed")
def compiled_before(benchmark: Benchmark) -> Benchmark:
    """``benchmark`` after one call, so that it does not reckon with the time of a compilation."""

    def timed(work: Callable[..., Any], *arguments: Any) -> Any:
        work(*arguments)
        return benchmark(work, *arguments)

    return timed


@pytest.fixture(name="positions", scope="module")
def met_in_play() -> np.ndarray:
    """Positions with a choice, evenly from random deals."""
    found = met(50)
    return np.ascontiguousarray(found[np.linspace(0, len(found) - 1, TIMES).astype(int)])


@kernel
def deal_packs(out: Words) -> None:
    for number in range(TIMES):
        deal_hands(deal_key(1, number, 0), out, 0)


@kernel
def count_bombs(positions: Rows) -> int:
    total = 0
    for i in range(len(positions)):
        total += count_all_bombs(
            positions[i, ONE], positions[i, TWO], positions[i, LEVEL], MAX_BOMB
        )
    return total


@kernel
def answer_each(positions: Rows, bombs: Words) -> int:
    total = 0
    for i in range(len(positions)):
        total += count_answers(
            positions[i, ONE],
            positions[i, TWO],
            positions[i, LEVEL],
            positions[i, KIND],
            positions[i, STRENGTH],
            MAX_BOMB,
            JOKER_PAIR,
            bombs[i],
        )
    return total


@kernel
def pick_each(views: Rows) -> int:
    total = 0
    for i in range(len(views)):
        shape, _, _, _ = pick_move(views[i], word(1, i))
        total += shape
    return total


@kernel
def plan_each(positions: Rows, work: Words) -> int:
    total = 0
    for i in range(len(positions)):
        total += plan_cost(
            positions[i, ONE], positions[i, TWO], positions[i, LEVEL], JOKER_PAIR, work
        )
    return total


def views_of(positions: np.ndarray) -> np.ndarray:
    """int64[n, VIEW_SIZE]: what `pick_move` reads of a view."""
    views = np.zeros((len(positions), lay.VIEW_SIZE), np.int64)
    columns = (lay.V_ONE, lay.V_TWO, lay.V_LEVEL, lay.V_BEAT_KIND, lay.V_BEAT_STRENGTH)
    for column, at in zip(columns, (ONE, TWO, LEVEL, KIND, STRENGTH), strict=True):
        views[:, column] = positions[:, at]
    views[:, lay.V_RULES + lay.R_MAX_BOMB] = MAX_BOMB
    views[:, lay.V_RULES + lay.R_JOKER_PAIR] = JOKER_PAIR
    views[:, lay.V_BOMBS] = bombs_of(positions)
    for view in views:
        hand = view[[lay.V_ONE, lay.V_TWO, lay.V_LEVEL]].tolist()
        beat = view[[lay.V_BEAT_KIND, lay.V_BEAT_STRENGTH]].tolist()
        view[lay.V_ANSWERS] = count_answers(
            *hand, *beat, MAX_BOMB, JOKER_PAIR, int(view[lay.V_BOMBS])
        )
    return views


def bombs_of(positions: np.ndarray) -> np.ndarray:
    return np.array([count_all_bombs(*row[:3].tolist(), MAX_BOMB) for row in positions], np.int64)


def test_dealing_the_packs(timed: Benchmark) -> None:
    timed(deal_packs, np.zeros(8, np.int64))


@pytest.mark.parametrize("cards", [5, 14, 27])
def test_counting_leads(timed: Benchmark, cards: int) -> None:
    assert timed(count_all, hands(cards, TIMES), np.zeros((TIMES, 1), np.int64)) > 0


def test_counting_moves(timed: Benchmark, positions: np.ndarray) -> None:
    assert timed(count_all, positions, np.zeros((TIMES, 1), np.int64)) > TIMES


def test_counting_bombs(timed: Benchmark, positions: np.ndarray) -> None:
    assert timed(count_bombs, positions) > 0


def test_telling_whether_there_is_an_answer(timed: Benchmark, positions: np.ndarray) -> None:
    assert timed(answer_each, positions, bombs_of(positions)) == TIMES


def test_picking_a_move(timed: Benchmark, positions: np.ndarray) -> None:
    assert timed(pick_each, views_of(positions)) > 0


def test_listing_moves(timed: Benchmark, positions: np.ndarray) -> None:
    out = np.zeros((int(move_counts(positions).max()), 4), np.int64)
    assert timed(list_all, positions, out) > TIMES


@pytest.mark.parametrize("cards", [5, 14, 27])
def test_planning(timed: Benchmark, cards: int) -> None:
    assert timed(plan_each, hands(cards, TIMES), np.zeros(WORK_SIZE, np.int64)) > 0


def test_planning_what_is_met_in_play(timed: Benchmark, positions: np.ndarray) -> None:
    assert timed(plan_each, positions, np.zeros(WORK_SIZE, np.int64)) > 0


@pytest.mark.parametrize("place", ["median", "95 percent", "most"])
def test_planning_a_hand_of_27_cards(timed: Benchmark, place: str) -> None:
    """One hand, a thousand times: of random hands at all levels the one at that place by the number
    of partial plans to be looked at.
    """
    rows = hands(27, TIMES)
    rows[:, LEVEL] = 1 + np.arange(TIMES) % 13
    work = np.zeros(WORK_SIZE, np.int64)
    nodes = [search(*row[[ONE, TWO, LEVEL]].tolist(), JOKER_PAIR, 0, work)[2] for row in rows]
    at = {"median": 0.5, "95 percent": 0.95, "most": 1.0}[place]
    row = rows[np.argsort(nodes, kind="stable")[round(at * (TIMES - 1))]]
    assert timed(plan_each, np.repeat(row[np.newaxis], TIMES, axis=0), work) > 0


@pytest.mark.parametrize("bot", ["random", "greedy", OWN], ids=["random", "greedy", "own"])
def test_playing_deals(timed: Benchmark, bot: Any) -> None:
    timed(Game(Workload(bot, TIMES)).play)


def test_playing_matches(timed: Benchmark) -> None:
    timed(Game(Workload("random", TIMES, matches=True)).play)
