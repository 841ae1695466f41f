"""The sequential test: its ratio against a numerical optimum, and its error rates."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

from guandan_sim.elo import expected_share
from guandan_sim.errors import OptionError
from guandan_sim.sprt import Sprt, likelihood_ratio, score_counts

Floats = NDArray[np.float64]

# Shares of sets by score when the bots are equal: independent deals, deals that nearly always
# mirror each other, deals that go the same way, and four deals a set.
SHAPES = {
    "independent": [0.25, 0.5, 0.25],
    "mirrored": [0.01, 0.98, 0.01],
    "repeated": [0.48, 0.04, 0.48],
    "four deals": [0.06, 0.25, 0.38, 0.25, 0.06],
    "four mirrored": [0.001, 0.01, 0.978, 0.01, 0.001],
}


def moved(shape: list[float], mean: float) -> Floats:
    """``shape`` with another mean, by a factor of its own for each score."""
    scores = np.linspace(0, 1, len(shape))
    low, high = -50.0, 50.0
    for _ in range(100):
        middle = (low + high) / 2
        shares: Floats = np.array(shape) * np.exp(middle * (scores - mean))
        shares /= shares.sum()
        low, high = (middle, high) if shares @ scores < mean else (low, middle)
    return shares


def verdicts(shares: Floats, runs: int, batch: int, **test: float) -> dict[str, float]:
    """The share of ``runs`` tests by verdict; they are checked every ``batch`` sets."""
    random = np.random.default_rng(41)
    found = {"accept H0": 0.0, "accept H1": 0.0}
    for _ in range(runs):
        sprt = Sprt(**test)
        while (state := sprt.update(random.multinomial(batch, shares))).verdict == "continue":
            assert state.sets < 100_000
        found[state.verdict] += 1 / runs
    return found


@pytest.mark.parametrize(
    ("shape", "elo0", "elo1", "batch"),
    [
        ("independent", 0, 60, 8),
        ("independent", 300, 360, 20),
        ("mirrored", 0, 5, 50),
        ("mirrored", -3, 3, 50),
        ("repeated", 0, 60, 15),
        ("repeated", 250, 320, 20),
        ("four deals", 0, 50, 10),
        ("four mirrored", 0, 5, 40),
    ],
)
def test_error_rates_hold(shape: str, elo0: float, elo1: float, batch: int) -> None:
    runs = 300
    alpha, beta = 0.1, 0.05
    test = {"elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta}
    for truth, wrong, rate in ((elo0, "accept H1", alpha), (elo1, "accept H0", beta)):
        shares = moved(SHAPES[shape], expected_share(truth))
        errors = verdicts(shares, runs, batch, **test)[wrong]
        # Three standard errors of the simulation.
        assert errors < rate + 3 * math.sqrt(rate * (1 - rate) / runs)


def test_the_test_is_no_longer_than_it_need_be() -> None:
    # Far outside the two differences it ends soon, and rightly.
    for truth, verdict in ((-60, "accept H0"), (90, "accept H1")):
        shares = moved(SHAPES["independent"], expected_share(truth))
        assert verdicts(shares, 100, 5, elo0=0, elo1=30)[verdict] == pytest.approx(1)
    # Near the bounds the errors are used up: a test that never errs is too slow.
    shares = moved(SHAPES["independent"], 0.5)
    assert verdicts(shares, 200, 2, elo0=0, elo1=60, alpha=0.2, beta=0.2)["accept H1"] > 0.1


@pytest.mark.parametrize("truth", [0.0, 20.0, 50.0])
def test_expected_sets_are_near_those_taken(truth: float) -> None:
    shares = moved(SHAPES["independent"], expected_share(truth))
    scores = np.linspace(0, 1, 3)
    variance = float(shares @ scores**2 - (shares @ scores) ** 2)
    random = np.random.default_rng(42)
    taken = []
    for _ in range(120):
        sprt = Sprt(0, 30)
        while (state := sprt.update(random.multinomial(12, shares))).verdict == "continue":
            pass
        taken.append(state.sets)
    expected = Sprt(0, 30).expected_sets(truth, variance)
    # Bounds are overshot, so that a test takes a little longer.
    assert 0.8 < np.mean(taken) / expected < 1.35


def slow_ratio(counts: list[int], elo0: float, elo1: float) -> float:
    """The ratio by numerical optimisation of the shares, in logs."""
    numbers = np.array(counts) + 0.25
    scores = np.linspace(0, 1, len(counts))

    def best(difference: float) -> float:
        mean = expected_share(difference)
        found = minimize(
            lambda logs: float(-numbers @ logs),
            np.log(moved(list(numbers / numbers.sum()), mean)),
            jac=lambda _: -numbers,
            constraints=[
                {
                    "type": "eq",
                    "fun": lambda logs: [np.exp(logs).sum() - 1, np.exp(logs) @ scores - mean],
                    "jac": lambda logs: [np.exp(logs), np.exp(logs) * scores],
                }
            ],
            method="SLSQP",
            options={"ftol": 1e-13, "maxiter": 500},
        )
        assert found.success
        return -float(found.fun)

    return best(elo1) - best(elo0)


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1"),
    [
        ([20, 60, 25], 0, 30),
        ([0, 100, 0], 0, 10),
        ([0, 3, 40], 100, 300),
        ([1, 40, 900, 55, 2], -5, 5),
        ([50, 0, 50], 0, 40),
        ([3, 0, 1, 0, 0, 7], -50, 20),
    ],
)
def test_ratio_is_that_of_the_most_likely_shares(
    counts: list[int], elo0: float, elo1: float
) -> None:
    expected = slow_ratio(counts, elo0, elo1)
    assert likelihood_ratio(counts, elo0, elo1) == pytest.approx(expected, abs=1e-5)


def test_ratio_of_many_sets_is_the_normal_one() -> None:
    counts = np.array([24_500, 50_000, 25_500])
    low, high = expected_share(0), expected_share(4)
    mean, variance = 0.505, 0.125
    normal = counts.sum() * (high - low) * (2 * mean - low - high) / (2 * variance)
    assert likelihood_ratio(counts, 0, 4) == pytest.approx(normal, rel=0.01)


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=6), st.floats(-300, 300))
def test_ratio_of_the_other_side(counts: list[int], elo0: float) -> None:
    ours = likelihood_ratio(counts, elo0, elo0 + 10)
    theirs = likelihood_ratio(counts[::-1], -elo0 - 10, -elo0)
    assert theirs == pytest.approx(-ours, rel=1e-6, abs=1e-6)
    assert likelihood_ratio(counts, elo0, elo0) == 0


def test_bounds_are_walds() -> None:
    test = Sprt(0, 10, alpha=0.01, beta=0.1)
    assert test.lower == pytest.approx(math.log(0.1 / 0.99))
    assert test.upper == pytest.approx(math.log(0.9 / 0.01))


def test_a_bot_against_itself() -> None:
    # Were it 10 Elo better, some of these sets would not be drawn.
    test = Sprt(0, 10)
    while (state := test.update([0, 20, 0])).verdict == "continue":
        assert state.sets < 400
    assert state.verdict == "accept H0"
    # As far from both: nothing is decided, and nothing overflows.
    for _ in range(100):
        state = (test := Sprt(-5, 5)).update([0, 10**9, 0])
        assert (state.verdict, round(state.llr, 3)) == ("continue", 0)


def test_everything_won_is_decided_soon() -> None:
    assert Sprt(0, 20).update([0, 0, 200]).verdict == "accept H1"
    assert Sprt(0, 20).update([200, 0, 0]).verdict == "accept H0"


def test_the_first_verdict_stands() -> None:
    test = Sprt(0, 20)
    decided = test.update([0, 10, 300])
    assert decided.verdict == "accept H1"
    assert test.update([10_000, 0, 0]) == decided == test.state
    assert decided.counts == (0, 10, 300)
    assert decided.mean_score == pytest.approx(305 / 310)


def test_only_what_was_counted_matters() -> None:
    one, many = Sprt(0, 5), Sprt(0, 5)
    one.update([30, 90, 33])
    for counts in ([10, 30, 11], [0, 0, 0], [20, 60, 22]):
        many.update(counts)
    assert one.state == many.state


def test_nothing_was_counted() -> None:
    state = Sprt(0, 5).state
    assert (state.verdict, state.sets, state.llr, state.counts) == ("continue", 0, 0, ())
    assert json.loads(json.dumps(state.as_dict(), allow_nan=False))["mean_score"] is None
    assert Sprt(0, 5).update([0, 0, 0]).verdict == "continue"


def test_counts_of_sets() -> None:
    sets = [5, 5, 2, 2, 9, 9, 2, 5, 9]
    assert score_counts(sets, [1, 1, 0, 0, 1, 0, 0, 1, 1]).tolist() == [1, 0, 1, 1]
    assert score_counts([4], [True]).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, 5), "elo0 is 5 and elo1 5; elo0 must be the smaller"),
        ((5, 1), "elo0 must be the smaller"),
        ((math.nan, 1), "elo0 is nan"),
        ((0, math.inf), "elo1 inf"),
        ((0, 2001), "both from -2000 to 2000"),
        (("0", "10"), "elo0 is '0'; a number is needed"),
        ((0, None), "elo1 is None; a number is needed"),
        ((0, True), "elo1 is True; a number is needed"),
        ((0, 1j), "elo1 is 1j; a number is needed"),
        ((0, 5, "x"), "alpha is 'x'; a number is needed"),
        ((0, 5, 0, 0.1), "alpha is 0"),
        ((0, 5, 0.5, 0.5), "together below 1"),
        ((0, 5, math.nan, 0.5), "alpha is nan"),
    ],
)
def test_bad_tests_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Sprt(*arguments)


def test_bad_counts_are_refused() -> None:
    test = Sprt(0, 5)
    test.update([1, 2, 3])
    bad: list[tuple[Any, str]] = [
        ([1, -1, 0], "sets by score"),
        ([1], "two or more numbers"),
        ([1, 2, 3, 4, 5], "3 numbers were counted before"),
        ([1.5, 2, 3], "whole numbers"),
    ]
    for counts, message in bad:
        with pytest.raises(OptionError, match=message):
            test.update(counts)
    assert test.state.sets == 6
    with pytest.raises(OptionError, match="variance 0"):
        test.expected_sets(0, 0)
    with pytest.raises(OptionError, match="difference is nan"):
        test.expected_sets(math.nan, 0.1)
    with pytest.raises(OptionError, match="set 1 has 1 deals; 2 are needed"):
        score_counts([0, 0, 1], [1, 0, 1])
    with pytest.raises(OptionError, match="won is 3 in a deal"):
        score_counts([0], [3])
