"""Two bots over duplicate sets: by hand, against a slow oracle, and at the edges."""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paired_draws import GAIN, PAIRS, PLACE, WON
from scipy import stats

from guandan_sim.elo import elo, elo_of_wins, expected_share
from guandan_sim.errors import OptionError
from guandan_sim.intervals import student_quantile, unseen
from guandan_sim.paired import OUTCOMES, Comparison, compare


def rows(by_set: list[list[int]]) -> dict[str, Any]:
    """The arguments of `compare` for outcomes, 0 to 5, by set and arm."""
    outcomes = np.array(by_set)
    sets, arms = outcomes.shape
    flat = outcomes.ravel()
    return {
        "sets": np.repeat(np.arange(sets) * 7 - 3, arms),
        "arms": np.tile(np.arange(arms) + 2, sets),
        "won": WON[flat],
        "place": PLACE[flat],
        "gain": GAIN[flat],
    }


outcome_sets = st.integers(1, 4).flatmap(
    lambda arms: st.lists(
        st.lists(st.integers(0, 5), min_size=arms, max_size=arms), min_size=2, max_size=12
    )
)


@given(outcome_sets, st.randoms(use_true_random=False))
def test_estimates_are_those_of_a_plain_count(by_set: list[list[int]], random: Any) -> None:
    arguments = rows(by_set)
    order = list(range(len(arguments["sets"])))
    random.shuffle(order)
    found = compare(**{name: values[order] for name, values in arguments.items()})

    gains = [statistics.fmean(int(GAIN[code]) for code in one) for one in by_set]
    wins = [statistics.fmean(int(WON[code]) for code in one) for one in by_set]
    root = math.sqrt(len(by_set))
    assert found.sets == len(by_set)
    assert found.deals == sum(map(len, by_set))
    assert found.mean_gain == pytest.approx(statistics.fmean(gains))
    assert found.se == pytest.approx(statistics.stdev(gains) / root, abs=1e-12)
    assert found.win_rate == pytest.approx(statistics.fmean(wins))
    assert found.win_rate_se == pytest.approx(statistics.stdev(wins) / root, abs=1e-12)
    counts = Counter(code for one in by_set for code in one)
    assert found.outcomes == {name: counts[code] for code, name in enumerate(OUTCOMES)}
    assert found.elo_interval == tuple(map(elo, found.win_rate_interval))
    for value, (low, high) in [
        (found.mean_gain, found.interval),
        (found.win_rate, found.win_rate_interval),
    ]:
        assert low <= value <= high
    json.dumps(found.as_dict(), allow_nan=False)


@given(outcome_sets)
def test_the_other_side_sees_the_same(by_set: list[list[int]]) -> None:
    ours = compare(**rows(by_set))
    theirs = compare(**rows([[5 - code for code in one] for one in by_set]))
    assert theirs.mean_gain == -ours.mean_gain
    assert theirs.se == pytest.approx(ours.se)
    assert theirs.interval == pytest.approx((-ours.interval[1], -ours.interval[0]))
    assert theirs.win_rate_interval == pytest.approx(
        (1 - ours.win_rate_interval[1], 1 - ours.win_rate_interval[0])
    )
    assert theirs.elo == pytest.approx(-ours.elo)
    assert theirs.elo_interval == pytest.approx((-ours.elo_interval[1], -ours.elo_interval[0]))
    assert theirs.variance_saved == pytest.approx(ours.variance_saved, nan_ok=True)
    assert list(theirs.outcomes.values()) == list(ours.outcomes.values())[::-1]


def test_by_hand() -> None:
    # Two sets of means 2.5 and -0.5 levels, 1 and 1/2 wins.
    found = compare(**rows([[0, 1], [2, 4]]))
    assert found.outcomes == {
        "A 1-2": 1, "A 1-3": 1, "A 1-4": 1, "B 1-4": 0, "B 1-3": 1, "B 1-2": 0,
    }  # fmt: skip
    assert found.mean_gain == 1
    assert found.se == pytest.approx(1.5)
    assert found.interval == pytest.approx((1 - 12.7062 * 1.5, 1 + 12.7062 * 1.5), abs=1e-3)
    assert (found.win_rate, found.win_rate_se) == (0.75, 0.25)
    assert found.elo == pytest.approx(400 * math.log10(3))
    assert found.elo_se == pytest.approx(400 / math.log(10) * 0.25 / (0.75 * 0.25))
    # One deal's variance: the mean of 4, 1, 0 and 9, and that of the mean, 9/4.
    assert found.variance_saved == pytest.approx(1 - 4 * 2.25 / (3.5 + 2.25))


def test_errors_are_those_of_a_bootstrap_of_sets() -> None:
    random = np.random.default_rng(21)
    arguments = PAIRS["mirrored"].draw(random, 300)
    found = compare(**arguments)
    gains = arguments["gain"].reshape(-1, 2).mean(axis=1)
    wins = arguments["won"].reshape(-1, 2).mean(axis=1)
    picks = random.integers(300, size=(4_000, 300))
    assert found.se == pytest.approx(gains[picks].mean(axis=1).std(), rel=0.05)
    shares = wins[picks].mean(axis=1)
    assert found.win_rate_se == pytest.approx(shares.std(), rel=0.05)
    assert found.elo_se == pytest.approx(np.std([elo(share) for share in shares]), rel=0.05)


def test_the_saving_is_a_jackknife_over_sets() -> None:
    sets = 40
    arguments = PAIRS["repeated"].draw(np.random.default_rng(22), sets)
    found = compare(**arguments)
    without = []
    for left_out in range(sets):
        kept = arguments["sets"] != left_out
        without.append(
            compare(**{name: values[kept] for name, values in arguments.items()}).variance_saved
        )
    se = math.sqrt((sets - 1) ** 2 / sets * statistics.variance(without))
    margin = student_quantile(0.95, sets - 1) * se
    assert found.variance_saved_interval == pytest.approx(
        (found.variance_saved - margin, found.variance_saved + margin)
    )


def test_deals_that_go_the_same_way_save_less_than_nothing() -> None:
    assert compare(**PAIRS["repeated"].draw(np.random.default_rng(23), 500)).variance_saved < -0.4


def test_one_arm_is_plain_independent_deals() -> None:
    found = compare(**rows([[0], [0], [1], [4], [5], [2], [2], [0]]))
    assert (found.sets, found.deals) == (8, 8)
    assert (found.variance_saved, found.variance_saved_interval) == (0, (0, 0))
    exact = stats.binomtest(6, 8).proportion_ci(method="wilson")
    assert found.win_rate_interval == pytest.approx((exact.low, exact.high))


@pytest.mark.parametrize("sets", [1, 2, 500])
def test_a_bot_against_itself_is_exactly_level(sets: int) -> None:
    codes = np.random.default_rng(24).integers(6, size=sets)
    for by_set in ([[c, 5 - c] for c in codes], [[c, 5 - c, 2, 3] for c in codes]):
        found = compare(**rows(by_set), same=True)
        assert found.exactly_level
        assert (found.mean_gain, found.se, found.interval) == (0, 0, (0, 0))
        assert (found.win_rate, found.win_rate_interval) == (0.5, (0.5, 0.5))
        assert (found.elo, found.elo_se, found.elo_interval) == (0, 0, (0, 0))
        assert sets == 1 or found.variance_saved == 1
        assert "Exactly level" in str(found)


def test_a_bot_that_differs_from_itself_is_measured() -> None:
    by_set = [[0, 5], [1, 4], [2, 4]]
    assert compare(**rows(by_set), same=True) == compare(**rows(by_set))


def test_bots_that_hardly_differ_are_not_called_level() -> None:
    found = compare(**rows([[0, 5], [1, 4]] * 50))
    other = unseen(0.95, 100)
    assert not found.exactly_level
    assert (found.mean_gain, found.se) == (0, 0)
    assert found.interval == pytest.approx((-4 * other, 4 * other))
    assert found.win_rate_interval == pytest.approx((0.5 - other / 2, 0.5 + other / 2))
    assert "bounds on unseen sets" in str(found)


def test_one_set_has_no_error() -> None:
    found = compare(**rows([[0, 3]]))
    assert found.mean_gain == 1
    unknown = found.as_dict()
    for field in ("se", "win_rate_se", "elo_se", "variance_saved"):
        assert math.isnan(getattr(found, field))
        assert unknown[field] is None
    for field in ("interval", "win_rate_interval", "elo_interval", "variance_saved_interval"):
        assert unknown[field] == [None, None]
    assert str(found).count("unknown") == 4


@pytest.mark.parametrize("sign", [1, -1])
def test_everything_won(sign: int) -> None:
    code = 0 if sign == 1 else 5
    found = compare(**rows([[code, code]] * 50))
    assert found.alike
    assert found.mean_gain == 3 * sign
    least, most = sorted(abs(end) for end in found.interval)
    assert (least, most) == pytest.approx((3 - 7 * unseen(0.95, 50), 3 + unseen(0.95, 50)))
    share = found.win_rate if sign == 1 else 1 - found.win_rate
    assert share == 1
    # Half a set was lost of 51.
    assert found.elo * sign == pytest.approx(400 * math.log10(101))
    other, end = sorted(sign * bound for bound in found.elo_interval)
    assert end == math.inf
    assert other == pytest.approx(elo(1 - unseen(0.95, 50)))
    assert other < sign * found.elo
    assert math.isfinite(found.elo_se)
    assert None in found.as_dict()["elo_interval"]
    assert "inf]" in str(found) or "[-inf" in str(found)


def test_levels_that_vary_though_all_is_won() -> None:
    found = compare(**rows([[0, 1], [2, 2], [0, 0]]))
    assert (found.win_rate, found.win_rate_se, found.alike) == (1, 0, False)
    assert found.se > 0
    assert found.win_rate_interval == pytest.approx((1 - unseen(0.95, 3), 1))


def test_a_wider_confidence_is_a_wider_interval() -> None:
    arguments = PAIRS["independent"].draw(np.random.default_rng(25), 60)
    low, high = (compare(**arguments, confidence=c) for c in (0.8, 0.999))
    for field in ("interval", "win_rate_interval", "elo_interval", "variance_saved_interval"):
        (a, b), (c, d) = getattr(low, field), getattr(high, field)
        assert c < a < b < d
    assert "99.9% interval" in str(high)


def test_no_mean_is_shown_without_its_interval() -> None:
    found = compare(**PAIRS["lopsided"].draw(np.random.default_rng(26), 400))
    lines = found.text("planner", "greedy").splitlines()
    assert lines[0] == "planner against greedy: 800 deals in 400 sets"
    for line, field in zip(lines[2:6], ("levels", "deals won", "Elo", "variance"), strict=True):
        assert line.startswith(field)
        assert line.endswith("]")
        assert "[" in line
    assert lines[6].startswith("won by planner: ")
    assert lines[7].startswith("won by greedy: ")
    assert all(f"{number:,} {name[2:]}" in str(found) for name, number in found.outcomes.items())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"arms": [0, 1, 0, 0]}, r"set 1 has arms \[0, 0\]; one deal of each of the arms \[0, 1\]"),
        ({"sets": [0, 0, 0, 1]}, r"set 0 has arms \[0, 0, 1\]"),
        ({"arms": [0, 1, 0, 2]}, r"set 0 has arms \[0, 1\]; .* \[0, 1, 2\]"),
        ({"won": [0, 1, 2, 0]}, "won is 2 in a deal; 0 or 1 is needed"),
        ({"place": [1, 1, 0, 1]}, "place is 0 in a deal; 1, 2 or 3"),
        ({"place": [1, 1, 4, 1]}, "place is 4 in a deal"),
        ({"gain": [1, -1, 1, 1]}, "gain is 1 in a deal; .* from 0 down"),
        ({"gain": [-1, -1, 1, -1]}, "gain is -1 in a deal"),
        ({"gain": [14, -1, 1, -1]}, "gain is 14 in a deal; from 0 to 13"),
        ({"gain": [1.0, -1.0, 1.0, -1.0]}, "gain has shape .* float64; whole numbers"),
        ({"sets": [[0, 0, 1, 1]]}, r"sets has shape \(1, 4\)"),
        ({"won": [1, 0, 1]}, "lengths are .* the same length"),
        ({"confidence": 95}, "confidence is 95"),
        ({n: np.zeros(0, int) for n in ("sets", "arms", "won", "place", "gain")}, "empty"),
    ],
)
def test_bad_values_are_refused(changes: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "sets": [0, 0, 1, 1],
        "arms": [0, 1, 0, 1],
        "won": [1, 0, 1, 0],
        "place": [1, 1, 1, 1],
        "gain": [1, -1, 1, -1],
    }
    assert isinstance(compare(**arguments), Comparison)
    with pytest.raises(OptionError, match=message) as refused:
        compare(**{**arguments, **changes})
    assert len(str(refused.value).splitlines()) == 1


@given(st.floats(-3_000, 3_000))
def test_elo_is_undone(difference: float) -> None:
    share = expected_share(difference)
    if 1e-9 < share < 1 - 1e-9:
        assert elo(share) == pytest.approx(difference, abs=1e-3)
    assert expected_share(-difference) == pytest.approx(1 - share, abs=1e-15)


def test_elo_beyond_floats() -> None:
    assert expected_share(1e9) == 1
    assert expected_share(-1e9) == 0
    assert math.isnan(elo(math.nan))
    lost, won = elo_of_wins(0.0, 0.0, (0.0, 0.1), 9), elo_of_wins(1.0, 0.0, (0.9, 1.0), 9)
    assert lost[0] == pytest.approx(-won[0])
    assert lost[1] == pytest.approx(won[1])
