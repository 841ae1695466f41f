"""The summary table."""

from __future__ import annotations

import io
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from scipy.stats import binomtest

from guandan_sim.simulate import Result, simulate
from guandan_sim.summarytable import Z95, mean_interval, summary_table, wilson


@given(st.integers(1, 10**6), st.data())
def test_wilson_is_scipys(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    interval = binomtest(successes, n).proportion_ci(method="wilson")
    assert wilson(successes, n) == pytest.approx((interval.low, interval.high), abs=1e-12)


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_wilson_holds_its_share(successes: int, more: int) -> None:
    n = successes + more
    low, high = wilson(successes, n)
    assert 0 <= low <= high <= 1
    assert n == 0 or low <= successes / n <= high


def test_wilson_covers() -> None:
    hits = np.random.default_rng(1).binomial(200, 0.1, 2_000)
    intervals = [wilson(int(h), 200) for h in hits]
    covered = np.mean([low <= 0.1 <= high for low, high in intervals])
    assert abs(covered - 0.95) < 0.02


@pytest.mark.parametrize(("successes", "n"), [(3, 2), (-1, 2)])
def test_wilson_refuses(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match=f"{successes} successes of {n}"):
        wilson(successes, n)


@given(st.lists(st.integers(1, 200), min_size=2, max_size=50))
def test_mean_interval_is_the_textbooks(values: list[int]) -> None:
    found = mean_interval(sum(values), sum(v * v for v in values), len(values))
    assert found is not None
    margin = Z95 * statistics.stdev(values) / len(values) ** 0.5
    mean = statistics.fmean(values)
    assert found == pytest.approx((mean, mean - margin, mean + margin))
    assert mean_interval(5, 25, 1) is None


@pytest.mark.parametrize(("deals", "matches"), [(50, None), (None, 3), (None, 1)])
def test_every_share_has_its_interval(deals: int | None, matches: int | None) -> None:
    result = simulate(deals=deals, matches=matches, bots=("greedy", "random"), seed=2)
    assert isinstance(result, Result)
    summary = result.summary
    console = Console(width=100, record=True, file=io.StringIO())
    table = summary_table(summary, ["greedy", "random", "greedy", "random"])
    console.print(table)
    lines = [line for line in console.export_text().splitlines() if "%" in line]
    assert len(lines) >= 3
    assert all("[" in line for line in lines)
