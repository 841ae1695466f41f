"""Contrasts of arms: against plain statistics set by set, and at the edges."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from guandan_sim.contrasts import Contrast, Counts, Estimate, Played, Weights, counts_of_arms
from guandan_sim.intervals import unseen

PAIR = Weights("b - a", (-1, 1, 0))
AVERAGE = Weights("all", (1, 1, 1), 3)
# A deal: levels gained; 0 levels are of a win or a loss of a team that is set back.
deals = st.tuples(st.integers(-4, 4), st.booleans(), st.integers(0, 2))
sets_of_three = st.lists(st.tuples(deals, deals, deals), min_size=3, max_size=25)


def played(sets: list[Any]) -> Played:
    values = np.array([[(g, g > 0 or (g == 0 and w), o) for g, w, o in one] for one in sets])
    return Played(
        values[..., 0].astype(np.int8),
        values[..., 1].astype(np.bool_),
        values[..., 2].astype(np.uint8),
    )


def contrast(sets: list[Any], weights: Weights, **options: Any) -> Contrast:
    counts = Counts(weights)
    counts.add(played(sets))
    return counts.contrast(**options)


def check(found: Estimate, differences: Any, most: float = math.inf) -> None:
    number = len(differences)
    mean, se = np.mean(differences), np.std(differences, ddof=1) / math.sqrt(number)
    assert found.value == pytest.approx(mean, abs=1e-12)
    assert found.se == pytest.approx(se, abs=1e-9)
    if found.se:
        low, high = stats.t.interval(0.95, number - 1, mean, se)
        expected = (max(low, -most), min(high, most))
        assert found.interval == pytest.approx(expected, rel=1e-6, abs=1e-9)


@given(sets_of_three, st.sampled_from([PAIR, AVERAGE]))
def test_estimates_are_those_of_plain_differences(sets: list[Any], weights: Weights) -> None:
    found = contrast(sets, weights)
    data = played(sets)
    factors = np.array(weights.weights) / weights.per
    check(found.levels, data.levels @ factors)
    check(found.won, (data.won - 0.5) @ factors, abs(factors).sum() / 2)
    taken = [arm for arm, weight in enumerate(weights.weights) if weight]
    differ = [len({one[arm] for arm in taken}) > 1 for one in data.orders.tolist()]
    assert (found.sets, found.changed) == (len(sets), sum(differ))
    json.dumps(found.as_dict(), allow_nan=False)


@given(sets_of_three)
def test_variance_saved_is_that_of_unpaired_deals(sets: list[Any]) -> None:
    levels = played(sets).levels[:, :2].astype(float)

    def saved(rows: Any) -> float:
        apart = rows.var(axis=0, ddof=1).sum()
        together = np.var(rows[:, 1] - rows[:, 0], ddof=1)
        return float(1 - together / apart) if apart else math.nan

    found = contrast(sets, PAIR).variance_saved
    assert found.value == pytest.approx(saved(levels), nan_ok=True)
    without = np.array([saved(np.delete(levels, row, axis=0)) for row in range(len(sets))])
    number = len(sets)
    se = math.sqrt((number - 1) / number * ((without - without.mean()) ** 2).sum())
    if not math.isnan(found.value) and not math.isnan(se):
        assert found.se == pytest.approx(se, abs=1e-7)
        margin = stats.t.ppf(0.975, number - 1) * se
        assert found.interval[0] == pytest.approx(found.value - margin, abs=1e-5)
        assert found.interval[1] == pytest.approx(min(1, found.value + margin), abs=1e-5)
    else:
        assert math.isnan(found.interval[0])


@given(sets_of_three)
def test_arms_by_themselves(sets: list[Any]) -> None:
    data = played(sets)
    for arm, counts in enumerate(counts_of_arms(3)):
        counts.add(data)
        levels, won = counts.arm()
        check(levels, data.levels[:, arm].astype(float))
        wins = int(data.won[:, arm].sum())
        assert won.value == pytest.approx(wins / len(sets))
        interval = stats.binomtest(wins, len(sets)).proportion_ci(method="wilson")
        assert won.interval == pytest.approx((interval.low, interval.high), abs=1e-9)


@given(sets_of_three, st.integers(0, 25))
def test_sets_may_come_in_pieces_and_groups(sets: list[Any], cut: int) -> None:
    pieces = Counts(PAIR)
    for some in (sets[:cut], sets[cut:]):
        if some:
            pieces.add(played(some))
    assert repr(pieces.contrast()) == repr(contrast(sets, PAIR))
    chosen = np.arange(len(sets)) < 2
    pieces = Counts(PAIR)
    pieces.add(played(sets), chosen)
    assert repr(pieces.contrast()) == repr(contrast(sets[:2], PAIR))


def test_exchanged_arms_have_the_other_sign() -> None:
    sets = [[(3, True, 0), (1, True, 1), (0, False, 0)], [(-1, False, 2), (2, True, 0)] * 2]
    sets[1].pop()
    one, other = contrast(sets, PAIR), contrast(sets, Weights("a - b", (1, -1, 0)))
    assert one.levels.value == -other.levels.value == 0.5
    assert one.won.value == -other.won.value == 0.5
    assert (one.levels.se, one.changed) == (other.levels.se, 2)
    assert one.levels.interval == (-other.levels.interval[1], -other.levels.interval[0])


def test_sets_all_alike_are_bounds_unless_no_set_can_differ() -> None:
    alike = [[(2, True, 1)] * 3] * 50
    found = contrast(alike, PAIR)
    edge = unseen(0.95, 50)
    assert (found.levels.value, found.levels.se, found.changed) == (0, 0, 0)
    assert found.levels.interval == pytest.approx((-8 * edge, 8 * edge))
    assert found.won.interval == pytest.approx((-edge, edge))
    assert math.isnan(found.variance_saved.value)
    found = contrast(alike, PAIR, exact=True)
    assert (found.levels.interval, found.won.interval) == ((0, 0), (0, 0))
    # What ended otherwise may have been worth the same.
    other = [[(2, True, 1), (2, True, 0), (2, True, 1)]] * 50
    assert contrast(other, PAIR, exact=True).levels.interval == pytest.approx((-8 * edge, 8 * edge))


def test_one_set_has_no_interval() -> None:
    found = contrast([[(2, True, 1), (-1, False, 1), (0, False, 0)]], PAIR)
    assert found.levels.value == -3
    for each in (found.levels, found.won, found.variance_saved):
        assert math.isnan(each.se)
        assert all(map(math.isnan, each.interval))
    assert json.loads(json.dumps(found.as_dict()))["levels"] == {
        "value": -3,
        "se": None,
        "interval": [None, None],
    }


def test_an_average_of_all_sides_is_no_win() -> None:
    found = contrast([[(1, True, 0), (-1, False, 0), (1, True, 0)]] * 4, AVERAGE)
    assert found.levels.value == pytest.approx(1 / 3)
    assert found.won.value == pytest.approx(2 / 3 - 1 / 2)


def test_the_largest_gains_that_rules_can_have() -> None:
    sets = [[(12, True, 0), (-12, False, 1), (0, True, 0)], [(-12, False, 0), (12, True, 1)] * 2]
    sets[1].pop()
    assert contrast(sets, PAIR).levels.value == 0
    assert contrast(sets[:1], PAIR).levels.value == -24
    assert contrast(sets[:1], AVERAGE).won.value == pytest.approx(1 / 6)
