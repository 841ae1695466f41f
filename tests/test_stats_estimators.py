"""The estimators of reports: what they sum, how they merge, and that their intervals cover."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from guandan_sim.answers.ratios import Estimate, Ratios
from guandan_sim.answers.regression import Regression

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

REPEATS = 4_000
LOW, HIGH = 0.935, 0.965  # four standard errors of so many around 95%


class Clusters:
    """Sets of differing length, as many of each repetition; a repetition is a group of ratios."""

    def __init__(self, rng: np.random.Generator, sets: int, longest: int, repeats: int = REPEATS):
        self.rng = rng
        self.repeats = repeats
        self.lengths = rng.integers(1, longest + 1, repeats * sets)
        self.sets = np.repeat(np.arange(repeats * sets), self.lengths)
        self.groups = self.sets // sets
        self.units = len(self.sets)

    def of_sets(self, values: Floats) -> Floats:
        """A value of each set to all its units."""
        return np.repeat(values, self.lengths)

    def effects(self) -> Floats:
        """What the units of a set have in common."""
        return self.of_sets(self.rng.normal(0, 1, len(self.lengths)))

    def shares(self, share: float, alike: float) -> Floats:
        """Zeros and ones, the less ``alike`` the more those of a set go together."""
        chance = self.rng.beta(share * alike, (1 - share) * alike, len(self.lengths))
        return (self.rng.random(self.units) < self.of_sets(chance)).astype(np.float64)

    def covered(
        self, truth: float, above: Floats, below: Floats | None = None, kind: str = "number"
    ) -> tuple[float, float]:
        """(share of the known intervals with the truth in them, share that are known)."""
        ratios = Ratios(self.repeats, 1)
        ratios.add(
            self.sets, self.groups, above[:, None], None if below is None else below[:, None]
        )
        return covered([ratios.estimate(n, 0, kind=kind) for n in range(self.repeats)], truth)


def covered(found: list[Estimate], truth: float) -> tuple[float, float]:
    """See `Clusters.covered`."""
    ends = np.array([each.interval for each in found])
    known = ~np.isnan(ends[:, 0])
    inside = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    return float(inside[known].mean()), float(known.mean())


@pytest.mark.parametrize(
    ("sets", "share", "alike"),
    [(30, 0.5, 4.0), (100, 0.5, 1.0), (400, 0.5, 4.0), (300, 0.02, 20.0)],
)
def test_intervals_of_shares_cover(sets: int, share: float, alike: float) -> None:
    clusters = Clusters(np.random.default_rng(sets), sets, 12, repeats=2_500)
    rate, known = clusters.covered(share, clusters.shares(share, alike), kind="share")
    assert LOW < rate < HIGH
    assert known == 1


def test_intervals_of_a_rare_share_of_few_are_not_too_short() -> None:
    clusters = Clusters(np.random.default_rng(2), 20, 12)
    rate, known = clusters.covered(0.02, clusters.shares(0.02, 20), kind="share")
    assert rate > LOW
    assert known == 1


@pytest.mark.parametrize("sets", [10, 50, 400])
def test_intervals_of_means_cover(sets: int) -> None:
    clusters = Clusters(np.random.default_rng(sets + 1), sets, 12)
    noise = clusters.rng.normal(0, 1, clusters.units)
    rate, known = clusters.covered(3.0, 3.0 + clusters.effects() + noise)
    assert LOW < rate < HIGH
    assert known > 0.99


def test_intervals_cover_where_long_matches_go_differently() -> None:
    clusters = Clusters(np.random.default_rng(5), 200, 12)
    # The longer a match, the less is won in it: the share is that of deals, not of matches.
    chance = 0.9 - 0.06 * clusters.of_sets(clusters.lengths.astype(np.float64))
    won = (clusters.rng.random(clusters.units) < chance).astype(np.float64)
    lengths = np.arange(1, 13)
    truth = float((lengths * (0.9 - 0.06 * lengths)).sum() / lengths.sum())
    rate, _ = clusters.covered(truth, won, kind="share")
    assert LOW < rate < HIGH


@pytest.mark.parametrize(("sets", "seen"), [(50, 0.5), (200, 0.1), (200, 0.01), (200, 0.002)])
def test_intervals_of_slopes_cover_however_rare_the_thing(sets: int, seen: float) -> None:
    clusters = Clusters(np.random.default_rng(7), sets, 12, repeats=3_000)
    x = clusters.rng.binomial(1, seen, clusters.units) - seen
    levels = clusters.rng.choice([-3, -2, -1, 1, 2, 3], clusters.units)
    y = 0.7 * x + clusters.effects() + levels
    rate, known = clusters.covered(0.7, x * y, x * x, kind="slope")
    # Of one or two that were seen there is little to tell.
    expected = 6.5 * sets * seen
    assert LOW < rate < (HIGH if expected > 10 else 0.98)
    assert known > (0.98 if expected > 10 else 0.6)


def drawn_units(
    rng: np.random.Generator, sets: int, seen: float = 0.3
) -> tuple[Ints, Floats, Floats]:
    """Units of sets of one to five: sets, two terms, and two outcomes that follow from them."""
    lengths = rng.integers(1, 6, sets)
    of_set: Ints = np.repeat(np.arange(sets), lengths)
    seen_or_not, many = rng.binomial(1, seen, len(of_set)), rng.binomial(4, 0.5, len(of_set))
    terms: Floats = np.stack([seen_or_not, many], axis=1).astype(np.float64)
    effects = np.repeat(rng.normal(0, 1, (sets, 2)), lengths, axis=0)
    # Errors that go with the set, and that differ with a term.
    noise = rng.normal(0, 1, (len(of_set), 2)) * (1 + terms[:, [1]])
    return of_set, terms, 1 + terms @ np.array([[0.5, -1], [0.25, 0]]) + effects + noise


@pytest.mark.parametrize(("sets", "seen"), [(60, 0.3), (250, 0.02)])
def test_intervals_of_coefficients_cover(sets: int, seen: float) -> None:
    rng = np.random.default_rng(11)
    truths = {(0, 0): 0.5, (1, 1): 0.0}
    found: dict[tuple[int, int], list[Estimate]] = {key: [] for key in truths}
    for _ in range(2_000):
        sums = Regression(2, 2)
        sums.add(*drawn_units(rng, sets, seen))
        for key, estimates in found.items():
            estimates.append(sums.estimate(*key))
    for (term, outcome), truth in truths.items():
        rate, known = covered(found[term, outcome], truth)
        assert LOW - 0.003 < rate < HIGH + 0.003, (term, outcome)
        assert known > 0.97


def test_intervals_of_one_of_many_coefficients_cover_in_few_sets() -> None:
    rng = np.random.default_rng(12)
    found = []
    for _ in range(1_500):
        # Two sides of a deal: what one has of most things the other has not, and so it gains.
        mine = rng.binomial([2] * 6 + [8] * 4, 0.5, (30, 10))
        rare = rng.binomial(1, 0.2, (2, 30, 4))
        sides = np.stack([mine, [2] * 6 + [8] * 4 - mine], axis=1)
        sides[:, :, 2:6] = rare.transpose(1, 0, 2)
        sign = np.where(rng.random(30) < 0.5 + 0.025 * (sides[:, 0, 0] - sides[:, 1, 0]), 1, -1)
        gain = sign * rng.integers(1, 4, 30)
        sums = Regression(10, 1)
        outcomes = np.stack([gain, -gain], axis=1).reshape(60, 1).astype(np.float64)
        sums.add(np.repeat(np.arange(30), 2), sides.reshape(60, 10).astype(np.float64), outcomes)
        found.append(sums.estimate(0, 0))
    rate, known = covered(found, 0.2)
    assert LOW < rate < 0.98
    assert known > 0.99


def rows_of(rng: np.random.Generator, sets: int) -> tuple[Ints, Ints, Floats, Floats]:
    """Rows of ratios: sets in order, groups from -1 on, two ratios above and below."""
    of_set = np.repeat(np.arange(sets), rng.integers(0, 7, sets))
    groups = rng.integers(-1, 4, len(of_set))
    above = rng.integers(-3, 4, (len(of_set), 2)).astype(np.float64)
    below = rng.integers(0, 3, (len(of_set), 2)).astype(np.float64)
    return of_set, groups, above * (below > 0), below


def test_a_ratio_is_what_its_rows_say() -> None:
    rng = np.random.default_rng(3)
    of_set, groups, above, below = rows_of(rng, 80)
    ratios = Ratios(4, 2)
    ratios.add(of_set, groups, above, below)
    for group in range(4):
        for ratio in range(2):
            mine = (groups == group) & (below[:, ratio] > 0)
            found = ratios.estimate(group, ratio)
            a = [above[mine & (of_set == s), ratio].sum() for s in np.unique(of_set[mine])]
            b = [below[mine & (of_set == s), ratio].sum() for s in np.unique(of_set[mine])]
            value = sum(a) / sum(b)
            n = sum(b) ** 2 / sum(x * x for x in b)
            squares = sum((x - value * y) ** 2 for x, y in zip(a, b, strict=True))
            se = math.sqrt(n / (n - 1) * squares) / sum(b)
            margin = stats.t.ppf(0.975, math.floor(n) - 1) * se
            assert (found.value, found.units, found.sets) == (value, mine.sum(), len(a))
            assert found.se == pytest.approx(se, rel=1e-9)
            assert found.interval == pytest.approx((value - margin, value + margin), rel=1e-6)


def test_the_error_is_that_of_drawing_the_sets_again() -> None:
    rng = np.random.default_rng(4)
    sets = 300
    clusters = Clusters(rng, sets, 12, repeats=1)
    values = clusters.effects() + rng.normal(0, 1, clusters.units)
    ratios = Ratios(1, 1)
    ratios.add(clusters.sets, clusters.groups, values[:, None])
    totals = np.add.reduceat(values, np.cumsum([0, *clusters.lengths[:-1]]))
    drawn = rng.integers(0, sets, (4_000, sets))
    means = totals[drawn].sum(axis=1) / clusters.lengths[drawn].sum(axis=1)
    assert ratios.estimate(0, 0).se == pytest.approx(means.std(), rel=0.05)
    # The same values taken for independent would be half as uncertain or less.
    assert ratios.estimate(0, 0).se > 1.5 * values.std() / math.sqrt(clusters.units)


def test_parts_of_any_split_say_the_same() -> None:
    rng = np.random.default_rng(6)
    of_set, groups, above, below = rows_of(rng, 200)
    terms, outcomes = rng.integers(0, 5, (2, len(of_set), 3)).astype(np.float64)
    whole, fit = Ratios(4, 2), Regression(3, 3)
    whole.add(of_set, groups, above, below)
    fit.add(of_set, terms, outcomes)
    for cuts in ([100], [1], [3, 4, 5, 199], [*range(1, 200)]):
        merged, merged_fit = Ratios(4, 2), Regression(3, 3)
        edges = [0, *np.searchsorted(of_set, cuts), len(of_set)]
        order = rng.permutation(len(edges) - 1)
        for at in order:
            some = slice(edges[at], edges[at + 1])
            part, of_part = Ratios(4, 2), Regression(3, 3)
            part.add(of_set[some], groups[some], above[some], below[some])
            of_part.add(of_set[some], terms[some], outcomes[some])
            merged.merge(part)
            merged_fit.merge(of_part)
        assert (merged.sums == whole.sums).all()
        assert (merged_fit.totals == fit.totals).all()
        assert (merged_fit.products == fit.products).all()
        assert (merged_fit.sets, merged_fit.units) == (fit.sets, fit.units)


@pytest.mark.parametrize("sets", [15, 3_000])
def test_a_regression_is_least_squares_with_a_sandwich(sets: int) -> None:
    of_set, terms, outcomes = drawn_units(np.random.default_rng(8), sets)
    sums = Regression(2, 2)
    sums.add(of_set, terms, outcomes)
    design = np.concatenate([np.ones((len(terms), 1)), terms], axis=1)
    beta = np.linalg.lstsq(design, outcomes)[0]
    inverse = np.linalg.inv(design.T @ design)
    for outcome in range(2):
        errors = outcomes[:, outcome] - design @ beta[:, outcome]
        scores = np.stack(
            [(design * errors[:, None])[of_set == s].sum(axis=0) for s in range(sets)]
        )
        variance = inverse @ scores.T @ scores @ inverse
        for term in range(2):
            parts = (design @ inverse[term + 1]) ** 2
            weights = np.array([parts[of_set == s].sum() for s in range(sets)])
            n = weights.sum() ** 2 / (weights**2).sum()
            factor = n / (n - 1) * (sets - 1) / (sets - 3)
            se = math.sqrt(factor * variance[term + 1, term + 1])
            freedom = min(math.floor(n) - 1, sets - 3)
            found = sums.estimate(term, outcome, confidence=0.9)
            value = beta[term + 1, outcome]
            assert found.value == pytest.approx(value, rel=1e-9)
            assert found.se == pytest.approx(se, rel=1e-7)
            margin = stats.t.ppf(0.95, freedom) * se
            assert found.interval == pytest.approx((value - margin, value + margin), rel=1e-6)
            assert (found.units, found.sets) == (len(of_set), sets)


def unknown(found: Estimate) -> bool:
    """Whether an estimate says nothing."""
    return math.isnan(found.value) and math.isnan(found.se) and math.isnan(found.interval[0])


def test_terms_that_tell_nothing_are_unknown() -> None:
    of_set, terms, outcomes = drawn_units(np.random.default_rng(9), 50)
    alone, beside = Regression(2, 2), Regression(4, 2)
    alone.add(of_set, terms, outcomes)
    constant = np.full((len(of_set), 1), 3.0)
    beside.add(of_set, np.concatenate([constant, terms, 0 * constant], axis=1), outcomes)
    assert unknown(beside.estimate(0, 0))
    assert unknown(beside.estimate(3, 1))
    for term in range(2):
        wanted, found = alone.estimate(term, 1), beside.estimate(term + 1, 1)
        assert (found.value, found.se) == pytest.approx((wanted.value, wanted.se))
        assert found.interval == pytest.approx(wanted.interval)
    twice = Regression(3, 2)
    twice.add(of_set, np.concatenate([terms, terms.sum(axis=1, keepdims=True)], axis=1), outcomes)
    few = Regression(2, 2)
    few.add(of_set[of_set < 3], terms[of_set < 3], outcomes[of_set < 3])
    for sums in (twice, few, Regression(2, 2)):
        assert all(unknown(sums.estimate(term, outcome)) for term in range(2) for outcome in (0, 1))


def test_what_was_not_seen_or_once_has_no_interval() -> None:
    ratios = Ratios(5, 1)
    sets = np.array([0, 1, 1, 2, 3, 4, 5, 6])
    groups = np.array([0, 1, 1, 2, 2, 3, 3, -1])
    above = np.array([2.0, 1, 1, 1, 1, 0, 0, 9])
    ratios.add(sets, groups, above[:, None])
    found = [ratios.estimate(group, 0) for group in range(5)]
    assert [each.units for each in found] == [1, 2, 2, 2, 0]
    assert [each.sets for each in found] == [1, 1, 2, 2, 0]
    assert [each.value for each in found[:4]] == [2, 1, 1, 0]
    assert unknown(found[4])
    assert all(math.isnan(end) for each in found for end in each.interval)
    # Of shares that came out alike it is known how far they may be off; of slopes nothing moved.
    low, high = ratios.estimate(2, 0, kind="share").interval
    assert low == pytest.approx(stats.beta.ppf(0.025, 2, 1), rel=1e-9)
    assert high == 1
    assert unknown(ratios.estimate(3, 0, kind="slope"))
