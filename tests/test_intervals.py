"""Quantiles and intervals against SciPy, and how often they hold what they should."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from guandan_sim.errors import OptionError
from guandan_sim.intervals import (
    bounds,
    corrected,
    normal_quantile,
    share_interval,
    student_quantile,
    unseen,
    wilson,
)

CONFIDENCES = (0.5, 0.9, 0.95, 0.99, 0.9999)


@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_quantiles_are_scipys(confidence: float) -> None:
    share = (1 + confidence) / 2
    assert normal_quantile(confidence) == pytest.approx(stats.norm.ppf(share), rel=1e-10)
    for freedom in [*range(1, 32), 99, 100, 199, 200, 201, 202, 1_000, 10**9]:
        expected = stats.t.ppf(share, freedom)
        assert student_quantile(confidence, freedom) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("confidence", [-1, 0, 1, 1.5, math.nan])
def test_confidence_out_of_range(confidence: float) -> None:
    for call in (normal_quantile, lambda value: student_quantile(value, 3)):
        with pytest.raises(OptionError, match="between 0 and 1"):
            call(confidence)


def test_other_values_out_of_range() -> None:
    with pytest.raises(OptionError, match="freedom is 0"):
        student_quantile(0.95, 0)
    with pytest.raises(OptionError, match="comparisons is 0"):
        corrected(0.95, 0)


def test_corrected_intervals_miss_together_no_more_often() -> None:
    assert corrected(0.95, 1) == pytest.approx(0.95)
    assert 15 * (1 - corrected(0.95, 15)) == pytest.approx(0.05)


@given(st.integers(1, 10_000), st.sampled_from(CONFIDENCES))
def test_unseen_is_the_bound_of_an_exact_interval(trials: int, confidence: float) -> None:
    exact = stats.binomtest(0, trials).proportion_ci(confidence, method="exact")
    assert unseen(confidence, trials) == pytest.approx(exact.high, rel=1e-9)


@given(st.floats(0, 1), st.floats(0.1, 1e6), st.sampled_from(CONFIDENCES))
def test_wilson_is_where_the_score_test_just_rejects(
    share: float, trials: float, confidence: float
) -> None:
    quantile = normal_quantile(confidence)
    low, high = wilson(share, trials, quantile)
    assert 0 <= low <= share <= high <= 1
    for bound in (low, high):
        if 1e-9 < bound < 1 - 1e-9:
            spread = math.sqrt(bound * (1 - bound) / trials)
            assert abs(share - bound) / spread == pytest.approx(quantile, rel=1e-5, abs=1e-5)


def test_wilson_of_nothing() -> None:
    assert wilson(0.5, 0, 1.96) == (0, 1)


def test_share_interval_of_many_sets_is_the_normal_one() -> None:
    low, high = share_interval(0.4, 0.001, 10**6, 0.95)
    assert (low, high) == pytest.approx((0.4 - 0.00196, 0.4 + 0.00196), abs=1e-5)


def test_share_interval_of_independent_trials_is_wilsons() -> None:
    n, share = 500, 0.3
    se = math.sqrt(share * (1 - share) / n)
    expected = wilson(share, n, student_quantile(0.9, n - 1))
    assert share_interval(share, se, n, 0.9) == pytest.approx(expected)


def test_share_interval_at_the_edges() -> None:
    assert all(map(math.isnan, share_interval(0.5, math.nan, 1, 0.95)))
    assert share_interval(0.5, 0, 10, 0.95, level=True) == (0.5, 0.5)
    other = unseen(0.95, 10)
    assert share_interval(1, 0, 10, 0.95) == pytest.approx((1 - other, 1))
    assert share_interval(0, 0, 10, 0.95) == pytest.approx((0, other))
    half = share_interval(0.5, 0, 10, 0.95)
    assert half == pytest.approx((0.5 - other / 2, 0.5 + other / 2))


def test_bounds_hold_whatever_the_rare_value() -> None:
    # A set is 2 but for a share of 7%, where it is -4: ten sets alike say no more than that.
    share, sets = 0.07, 10
    mean = 2 - 6 * share
    draws = np.random.default_rng(3).random((4_000, sets)) < share
    alike = ~draws.any(axis=1)
    low, high = bounds(2, -4, 4, sets, 0.95)
    assert low <= mean <= high
    assert alike.mean() == pytest.approx((1 - share) ** sets, abs=0.03)
    # With the share that the bound allows, sets are alike in one case of forty.
    assert (1 - unseen(0.95, sets)) ** sets == pytest.approx(0.025)
