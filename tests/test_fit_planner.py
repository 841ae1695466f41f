"""How planner's weights are fitted: the equations, what is left out, and their file."""

from __future__ import annotations

import random
from pathlib import Path

import fit_planner
import numpy as np
from fit_planner import PIECES, add_seat, solve, source

import guandan_sim
from guandan_sim.bots.terms import TABLES, WEIGHTS_SIZE
from guandan_sim.bots.weights import UNIT, WEIGHTS


def test_the_weights_are_as_the_script_writes_them() -> None:
    path = Path(guandan_sim.__file__).parent / "bots" / "weights.py"
    assert source(WEIGHTS) == path.read_text("utf-8")
    assert len(WEIGHTS) == WEIGHTS_SIZE


def test_with_the_weights_there_are_it_plays_as_planner(tmp_path: Path) -> None:
    table = fit_planner.Table([fit_planner.Seated(WEIGHTS)] * 4)
    orders, gains = table.play(seed=5, first=0, deals=40)
    run = guandan_sim.simulate(
        deals=40, bots="planner", seed=5, previous_order="random", log="deals", out=tmp_path / "run"
    )
    assert isinstance(run, guandan_sim.Run)
    deals = run.deals(["first", "second", "third", "last", "gain"])
    assert orders.tolist() == deals[["first", "second", "third", "last"]].to_numpy().tolist()
    assert gains.tolist() == deals["gain"].tolist()


def test_a_round_finds_what_it_played() -> None:
    a, b, choices = fit_planner.gather(WEIGHTS, 8, seed=1, decay=0.7, without="")
    assert choices > 8 * 25
    assert np.isfinite(a).all()
    assert np.abs(b).sum() > 0
    # The term that every position has: what is summed is one for each last choice of a seat.
    one = WEIGHTS_SIZE - 1
    assert a[one, one] > 8 * 2
    weights = solve(a, b, WEIGHTS, "")
    assert 0 < np.abs(weights - WEIGHTS).max() < UNIT


def noted(rows: list[dict[int, int]]) -> np.ndarray:
    """A seat's memory that has noted these terms, value by index."""
    memory = np.zeros(fit_planner.SIZE, np.int64)
    memory[fit_planner.NOTED] = len(rows)
    for number, row in enumerate(rows):
        at = fit_planner.NOTED + 1 + fit_planner.ROW * number
        memory[at] = len(row)
        for i, (index, value) in enumerate(row.items(), 1):
            memory[at + i] = index << 20 | value + (1 << 18)
    return memory


def test_the_equations_are_those_of_lstd() -> None:
    """a = sum z (x - x')^T and b = sum z r, z the trace of the features x; all in full."""
    draw = random.Random(3)
    decay, gain = 0.7, -2.0
    rows = [{draw.randrange(12): draw.randrange(-1024, 1025) for _ in range(4)} for _ in range(6)]
    features = np.zeros((7, WEIGHTS_SIZE))
    for number, row in enumerate(rows):
        for index, value in row.items():
            features[number, index] = value / 1024
    expected = np.zeros((WEIGHTS_SIZE, WEIGHTS_SIZE))
    target = np.zeros(WEIGHTS_SIZE)
    for number in range(6):
        trace = sum(decay ** (number - k) * features[k] for k in range(number + 1))
        expected += np.outer(trace, features[number] - features[number + 1])
        target += trace * (gain if number == 5 else 0)
    a, b, trace = np.zeros_like(expected), np.zeros_like(target), np.ones_like(target)
    memory = noted(rows)
    assert add_seat(memory, gain, decay, trace, a, b) == 6
    np.testing.assert_allclose(a, expected, atol=2e-3)
    np.testing.assert_allclose(b, target, atol=2e-3)
    assert add_seat(memory, gain, decay, trace, a, b) == 0


def test_what_is_left_out_has_no_weight() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2 * WEIGHTS_SIZE, WEIGHTS_SIZE))
    truth = rng.normal(size=WEIGHTS_SIZE)
    a, b = x.T @ x * 100, x.T @ (x @ truth) * 100
    before = np.zeros(WEIGHTS_SIZE, np.int64)
    np.testing.assert_allclose(solve(1e4 * a, 1e4 * b, before, "") / UNIT, truth, atol=0.01)
    # Without anything learnt they stay.
    before[:] = rng.integers(-1000, 1000, WEIGHTS_SIZE)
    assert (solve(0 * a, 0 * b, before, "") == before).all()
    about = np.concatenate([np.full(int(np.prod(shape)), name) for _, name, shape in TABLES])
    for piece in set(PIECES) & set(about):
        weights = solve(a, b, before, piece)
        assert (weights[about == piece] == 0).all()
        assert (weights[about != piece] != 0).mean() > 0.9
