"""Two bots over whole matches: shares that A won, clustered by set."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from guandan_sim.elo import elo
from guandan_sim.errors import OptionError
from guandan_sim.intervals import unseen
from guandan_sim.matchpairs import NO_WINNER, compare_matches


def test_one_match_a_set_is_wilsons() -> None:
    won = [1] * 70 + [0] * 30 + [NO_WINNER] * 5
    found = compare_matches(range(105), [0] * 105, won)
    exact = stats.binomtest(70, 100).proportion_ci(method="wilson")
    assert (found.sets, found.matches, found.matches_won, found.truncated) == (100, 100, 70, 5)
    assert found.match_win_rate == 0.7
    assert found.match_win_rate_interval == pytest.approx((exact.low, exact.high))
    assert found.match_elo == pytest.approx(elo(0.7))
    assert found.match_elo_interval == tuple(map(elo, found.match_win_rate_interval))


def test_every_match_of_single_sets_won_is_wilsons_too() -> None:
    found = compare_matches(range(100), [0] * 100, [1] * 100)
    exact = stats.binomtest(100, 100).proportion_ci(method="wilson")
    assert found.match_win_rate_interval == pytest.approx((exact.low, exact.high))
    assert found.match_elo_interval == pytest.approx((elo(exact.low), math.inf))


def test_error_by_hand() -> None:
    # Sets of 2, 1 and 2 decided matches, of which A won 2, 0 and 1: residuals 0.8, -0.6, -0.2.
    found = compare_matches([4, 4, 5, 5, 6, 6], [0, 1] * 3, [1, 1, 0, NO_WINNER, 0, 1])
    assert (found.sets, found.matches, found.truncated) == (3, 5, 1)
    assert found.match_win_rate == 0.6
    squares = 0.8**2 + 0.6**2 + 0.2**2
    assert found.match_win_rate_se == pytest.approx(math.sqrt(3 / 2 * squares) / 5)


def test_intervals_cover_whatever_a_set_has_in_common() -> None:
    random = np.random.default_rng(31)
    sets, runs = 150, 500
    numbers, arms = np.repeat(np.arange(sets), 2), np.tile([0, 1], sets)
    for swing in (0.0, 0.35, -0.35):
        held = 0
        for _ in range(runs):
            # Chances of the two arms move together, or against each other; the mean is 0.6.
            luck = swing * random.choice([-1, 1], size=sets)
            chances = 0.6 + np.stack([luck, luck if swing > 0 else -luck], axis=1)
            won = (random.random((sets, 2)) < chances).astype(int)
            won[random.random((sets, 2)) < 0.1] = NO_WINNER
            low, high = compare_matches(numbers, arms, won.ravel()).match_win_rate_interval
            held += low <= 0.6 <= high
        assert abs(held / runs - 0.95) < 4 * math.sqrt(0.95 * 0.05 / runs)


def test_a_bot_against_itself() -> None:
    arguments = ([0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 0, 1])
    for found in (
        compare_matches(*arguments, same=True),
        compare_matches(*arguments, same=True, deals=[7, 7, 9, 9]),
        compare_matches([3, 3], [0, 1], [0, 1], same=True),
    ):
        assert found.exactly_level
        assert (found.match_win_rate, found.match_win_rate_se) == (0.5, 0)
        assert found.match_win_rate_interval == (0.5, 0.5)
        assert (found.match_elo, found.match_elo_interval) == (0, (0, 0))
    for found in (
        compare_matches(*arguments),
        compare_matches(*arguments, same=True, deals=[7, 8, 9, 9]),
    ):
        other = unseen(0.95, 2)
        assert not found.exactly_level
        assert found.match_win_rate_interval == pytest.approx((0.5 - other / 2, 0.5 + other / 2))


def test_everything_won_in_pairs() -> None:
    found = compare_matches([0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 1])
    assert found.match_win_rate_interval == pytest.approx((1 - unseen(0.95, 2), 1))


def test_nothing_was_decided() -> None:
    found = compare_matches([0, 1], [0, 0], [NO_WINNER] * 2)
    assert (found.sets, found.matches, found.truncated) == (0, 0, 2)
    assert found.as_dict()["match_win_rate"] is None
    assert found.as_dict()["match_elo_interval"] == [None, None]
    assert "cut off, no winner: 2" in str(found)


def test_one_set_of_two_has_no_error() -> None:
    found = compare_matches([0, 0], [0, 1], [1, 0])
    assert math.isnan(found.match_win_rate_se)
    assert str(found).count("unknown") == 2
    json.dumps(found.as_dict(), allow_nan=False)


def test_text() -> None:
    found = compare_matches(range(40), [0] * 40, [1] * 30 + [0] * 10, confidence=0.9)
    lines = found.text("planner", "greedy").splitlines()
    assert lines[0] == "planner against greedy: 40 matches in 40 sets"
    assert lines[1].split() == ["estimate", "error", "90%", "interval"]
    assert all(line.endswith("]") for line in lines[2:4])
    assert lines[4:] == ["won by planner: 30, by greedy: 10"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"won": [1, 2]}, "won is 2 in a match; 0, 1 or 255 is needed"),
        ({"sets": [8, 8]}, "set 8 has arm 0 more than once"),
        ({"won": [1]}, "lengths are"),
        ({"deals": [1, 2, 3]}, "lengths are"),
        ({"confidence": 0}, "confidence is 0"),
    ],
)
def test_bad_values_are_refused(changes: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"sets": [0, 1], "arms": [0, 0], "won": [1, 0]}
    with pytest.raises(OptionError, match=message):
        compare_matches(**{**arguments, **changes})
