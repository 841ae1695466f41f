"""Elo of several bots: known ratings found again, errors, intervals, and what has no estimate."""

from __future__ import annotations

import json
import math
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

from guandan_sim.elo import elo, expected_share
from guandan_sim.errors import OptionError
from guandan_sim.intervals import corrected, student_quantile
from guandan_sim.paired import compare
from guandan_sim.ratings import rate

Rows = dict[str, Any]

TRUTH = np.array([150.0, 40.0, -60.0, -130.0])
NAMES = ["planner", "greedy", "careful", "random"]


def played(random: np.random.Generator, sets: int, truth: NDArray[np.float64], luck: float) -> Rows:
    """Sets of two deals that every pair plays; ``luck`` is the share of deals whose draw is the
    same for all pairs, so that pairs go together.
    """
    numbers, first, second, score = [], [], [], []
    shared = random.random((sets, 2))
    for one, other in combinations(range(len(truth)), 2):
        share = expected_share(truth[one] - truth[other])
        own = random.random((sets, 2))
        draws = np.where(random.random((sets, 2)) < luck, shared, own)
        numbers.append(np.arange(sets))
        first.append(np.full(sets, one))
        second.append(np.full(sets, other))
        score.append((draws < share).mean(axis=1))
    return {
        "sets": np.concatenate(numbers),
        "first": np.concatenate(first),
        "second": np.concatenate(second),
        "score": np.concatenate(score),
    }


@pytest.mark.parametrize("luck", [0.0, 0.9])
def test_known_ratings_are_found_and_covered(luck: float) -> None:
    random = np.random.default_rng(51)
    runs, sets = 250, 120
    truth = TRUTH - TRUTH.mean()
    alone = together = differences = 0
    found = []
    for _ in range(runs):
        ratings = rate(NAMES, **played(random, sets, TRUTH, luck))
        found.append(ratings.elo)
        quantile = student_quantile(0.95, sets - 1)
        alone += sum(
            abs(value - right) < quantile * se
            for value, right, se in zip(ratings.elo, truth, ratings.se, strict=True)
        )
        together += all(
            low < right < high for right, (low, high) in zip(truth, ratings.intervals, strict=True)
        )
        right_by_name = dict(zip(NAMES, truth, strict=True))
        differences += all(
            pair.elo_difference_interval[0]
            < right_by_name[pair.first] - right_by_name[pair.second]
            < pair.elo_difference_interval[1]
            for pair in ratings.pairs
        )
    spread = np.std(found, axis=0)
    assert np.abs(np.mean(found, axis=0) - truth).max() < 4 * spread.max() / math.sqrt(runs)
    assert ratings.se == pytest.approx(spread, rel=0.25)
    assert abs(alone / runs / 4 - 0.95) < 0.03
    # Corrected intervals all hold at least as often.
    assert together / runs > 0.92
    assert differences / runs > 0.92


def test_the_fit_is_the_likelihoods_maximum() -> None:
    rows = played(np.random.default_rng(52), 60, TRUTH, 0.5)
    ratings = rate(NAMES, **rows)

    def cost(values: NDArray[np.float64]) -> float:
        difference = (values[rows["first"]] - values[rows["second"]]) * math.log(10) / 400
        won, lost = -np.log1p(np.exp(-difference)), -np.log1p(np.exp(difference))
        return float(values.sum() ** 2 - (rows["score"] * won + (1 - rows["score"]) * lost).sum())

    slow = minimize(cost, np.zeros(4), method="BFGS", options={"gtol": 1e-8})
    assert ratings.elo == pytest.approx(slow.x, abs=0.05)


def test_errors_are_those_of_a_bootstrap_of_sets() -> None:
    random = np.random.default_rng(53)
    sets = 150
    rows = played(random, sets, TRUTH, 0.9)
    ratings = rate(NAMES, **rows)
    score = rows["score"].reshape(-1, sets)
    found = []
    for _ in range(250):
        picked = score[:, random.integers(sets, size=sets)]
        found.append(rate(NAMES, **{**rows, "score": picked.ravel()}))
    assert ratings.se == pytest.approx(np.std([one.elo for one in found], axis=0), rel=0.2)
    differences = np.array([[pair.elo_difference for pair in one.pairs] for one in found])
    errors = [pair.elo_difference_se for pair in ratings.pairs]
    assert errors == pytest.approx(differences.std(axis=0), rel=0.2)


def test_two_bots_are_as_in_a_comparison() -> None:
    random = np.random.default_rng(54)
    won = (random.random((80, 2)) < 0.6).astype(int)
    found = rate(["a", "b"], range(80), [0] * 80, [1] * 80, won.mean(axis=1), anchor="b")
    single = compare(
        np.repeat(np.arange(80), 2),
        np.tile([0, 1], 80),
        won.ravel(),
        np.ones(160, int),
        np.where(won.ravel() == 1, 3, -3),
    )
    assert found.elo == pytest.approx((single.elo, 0))
    assert found.se == pytest.approx((single.elo_se, 0))
    (pair,) = found.pairs
    assert pair.win_rate == pytest.approx(single.win_rate)
    assert pair.win_rate_interval == pytest.approx(single.win_rate_interval)
    assert pair.elo_difference == pytest.approx(single.elo)
    assert found.comparisons == 1


@given(st.permutations(range(4)), st.integers(0, 2**6 - 1))
def test_names_and_sides_do_not_matter(order: list[int], swapped: int) -> None:
    rows = played(np.random.default_rng(55), 40, TRUTH, 0.5)
    ratings = rate(NAMES, **rows)
    pair = np.repeat(np.arange(6), 40)
    swap = (swapped >> pair & 1).astype(bool)
    place = np.argsort(order)
    first, second = place[rows["first"]], place[rows["second"]]
    other = rate(
        [NAMES[bot] for bot in order],
        rows["sets"] * 11,
        np.where(swap, second, first),
        np.where(swap, first, second),
        np.where(swap, 1 - rows["score"], rows["score"]),
    )
    assert [other.elo[at] for at in place] == pytest.approx(ratings.elo, abs=1e-6)
    assert [other.se[at] for at in place] == pytest.approx(ratings.se)


def test_an_anchor_moves_all_alike() -> None:
    rows = played(np.random.default_rng(56), 100, TRUTH, 0.5)
    free, tied = rate(NAMES, **rows), rate(NAMES, **rows, anchor="random")
    assert sum(free.elo) == pytest.approx(0, abs=1e-9)
    assert (tied.elo[3], tied.se[3], tied.intervals[3]) == (0, 0, (0, 0))
    assert tied.elo == pytest.approx([value - free.elo[3] for value in free.elo])
    assert tied.pairs == free.pairs
    assert [tied.se[0], tied.intervals[0]] == [
        pytest.approx(free.pairs[2].elo_difference_se),
        pytest.approx(free.pairs[2].elo_difference_interval),
    ]


def test_intervals_are_corrected_for_all_pairs() -> None:
    ratings = rate(NAMES, **played(np.random.default_rng(57), 100, TRUTH, 0))
    assert ratings.comparisons == 6
    quantile = student_quantile(corrected(0.95, 6), 99)
    for value, se, (low, high) in zip(ratings.elo, ratings.se, ratings.intervals, strict=True):
        assert (low, high) == pytest.approx((value - quantile * se, value + quantile * se))


def test_bots_that_did_not_all_meet() -> None:
    rows = played(np.random.default_rng(58), 400, TRUTH, 0)
    chain = abs(rows["first"] - rows["second"]) == 1
    ratings = rate(NAMES, **{name: values[chain] for name, values in rows.items()})
    assert [(pair.first, pair.second) for pair in ratings.pairs] == list(pairwise(NAMES))
    # With nothing but a chain each difference is that of its own sets.
    for pair in ratings.pairs:
        assert pair.elo_difference == pytest.approx(elo(pair.win_rate), abs=1e-6)
    assert np.abs(np.array(ratings.elo) - TRUTH + TRUTH.mean()).max() < 60


def test_a_bot_that_won_everything() -> None:
    rows = played(np.random.default_rng(59), 50, TRUTH, 0)
    rows["score"] = np.where(rows["first"] == 0, 1.0, rows["score"])
    ratings = rate(NAMES, **rows, anchor="random")
    assert ratings.separated
    assert ratings.sets == 50
    assert math.isfinite(ratings.elo[0])
    assert ratings.intervals[0][1] == math.inf
    assert 200 < ratings.intervals[0][0] < ratings.elo[0]
    assert all(map(math.isfinite, ratings.intervals[1]))
    assert ratings.pairs[0].elo_difference_interval[1] == math.inf
    assert ratings.pairs[3].elo_difference_interval[1] < math.inf
    # With mean 0 the others fall without end as the first rises.
    free = rate(NAMES, **rows)
    assert [interval[0] == -math.inf for interval in free.intervals] == [False, True, True, True]
    assert [interval[1] == math.inf for interval in free.intervals] == [True, False, False, False]
    json.dumps(free.as_dict(), allow_nan=False)
    assert "won or lost everything" in str(free)


def test_a_bot_that_lost_everything_to_one_that_lost_to_all() -> None:
    sets, score = [0, 1, 2, 0, 1, 2], [1.0] * 6
    ratings = rate(["a", "b", "c"], sets, [0, 0, 0, 1, 1, 1], [1, 1, 1, 2, 2, 2], score)
    assert ratings.separated
    assert ratings.elo[0] > ratings.elo[1] > ratings.elo[2]
    assert ratings.intervals[1] == (-math.inf, math.inf)


def test_bots_that_cannot_be_told_apart() -> None:
    ratings = rate(["a", "b", "c"], [0, 1] * 3, [0, 0, 0, 0, 1, 1], [1, 1, 2, 2, 2, 2], [0.5] * 6)
    assert not ratings.separated
    assert (ratings.elo, ratings.se) == ((0, 0, 0), (0, 0, 0))


def test_one_set_has_no_error() -> None:
    ratings = rate(["a", "b"], [0], [0], [1], [0.5])
    assert math.isnan(ratings.se[0])
    assert ratings.as_dict()["intervals"] == [[None, None], [None, None]]
    assert str(ratings).count("unknown") == 4


def test_cross_table() -> None:
    rows = played(np.random.default_rng(60), 100, TRUTH, 0)
    met = (rows["first"] != 0) | (rows["second"] != 3)
    ratings = rate(NAMES, **{name: values[met] for name, values in rows.items()})
    lines = str(ratings).splitlines()
    assert lines[0] == "4 bots in 100 sets; Elo, mean 0; intervals corrected for 6 comparisons"
    assert [line.split()[0] for line in lines[2:6]] == NAMES
    assert all(line.endswith("]") for line in lines[2:6])
    assert lines[8].split() == NAMES
    planner, greedy = lines[9].split(), lines[10].split()
    assert (planner[0], planner[1], planner[-1]) == ("planner", "-", "-")
    won, low, high = (float(word.strip("[,]")) for word in planner[2:5])
    lost, lowest, highest = (float(word.strip("[,]")) for word in greedy[1:4])
    assert low < won < high
    assert (lost, lowest, highest) == pytest.approx((100 - won, 100 - high, 100 - low), abs=0.11)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bots": ["a"]}, "two or more different names"),
        ({"bots": ["a", "b", "a"]}, "two or more different names"),
        ({"bots": ["a", "b", "c"]}, "a and c are linked by no pair"),
        ({"anchor": "z"}, "anchor is 'z'; one of a, b"),
        ({"first": [0, 2]}, "first is 2; a bot from 0 to 1"),
        ({"second": [1, -1]}, "second is -1"),
        ({"second": [1, 0]}, "second is 0; another bot"),
        ({"score": [0.5, 1.5]}, "score is 1.5; from 0 to 1"),
        ({"score": [0.5, math.nan]}, "score is nan"),
        ({"sets": [4, 4]}, "set 4 has bots 0 and 1 more than once"),
        ({"sets": [4, 4], "first": [0, 1], "second": [1, 0]}, "set 4 has bots 0 and 1 more"),
        ({"score": [0.5]}, "lengths are"),
        ({"confidence": 1}, "confidence is 1"),
    ],
)
def test_bad_values_are_refused(changes: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "bots": ["a", "b"],
        "sets": [0, 1],
        "first": [0, 0],
        "second": [1, 1],
        "score": [0.5, 1],
    }
    rate(**arguments)
    with pytest.raises(OptionError, match=message):
        rate(**{**arguments, **changes})
