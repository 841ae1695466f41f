"""Intervals of duplicate sets hold the truth at their rate, however a set's deals go together."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from paired_draws import PAIRS

from guandan_sim.elo import elo
from guandan_sim.paired import compare


def covered(name: str, sets: int, confidence: float, runs: int) -> Counter[str]:
    """How often of ``runs`` each interval held the truth, by estimate."""
    pairs = PAIRS[name]
    random = np.random.default_rng(11)
    truth = {
        "interval": pairs.gain,
        "win_rate_interval": pairs.win_rate,
        "elo_interval": elo(pairs.win_rate),
        "variance_saved_interval": pairs.saved,
    }
    held: Counter[str] = Counter()
    for _ in range(runs):
        found = compare(**pairs.draw(random, sets), confidence=confidence)
        for field, value in truth.items():
            low, high = getattr(found, field)
            held[field] += low <= value <= high
    return held


@pytest.mark.parametrize(
    ("name", "confidence"), list(zip(PAIRS, (0.95, 0.9, 0.8, 0.95), strict=True))
)
def test_intervals_cover(name: str, confidence: float) -> None:
    held = covered(name, 200, confidence, 500)
    for field, times in held.items():
        # Four standard errors of the count.
        margin = 4 * np.sqrt(confidence * (1 - confidence) / 500)
        assert abs(times / 500 - confidence) < margin, field
    assert held["elo_interval"] == held["win_rate_interval"]


@pytest.mark.parametrize("name", PAIRS)
def test_wins_of_few_sets_are_covered(name: str) -> None:
    assert covered(name, 12, 0.95, 400)["win_rate_interval"] / 400 > 0.92


@pytest.mark.parametrize("name", PAIRS)
def test_estimates_are_right_on_average(name: str) -> None:
    pairs = PAIRS[name]
    random = np.random.default_rng(12)
    found = [compare(**pairs.draw(random, 100)) for _ in range(225)]
    for field, truth in [
        ("mean_gain", pairs.gain),
        ("win_rate", pairs.win_rate),
        ("variance_saved", pairs.saved),
    ]:
        values = np.array([getattr(one, field) for one in found])
        assert abs(values.mean() - truth) < 4 * values.std() / 15 + 0.005, field
    for field, error in [("mean_gain", "se"), ("win_rate", "win_rate_se"), ("elo", "elo_se")]:
        spread = np.std([getattr(one, field) for one in found])
        assert np.mean([getattr(one, error) for one in found]) == pytest.approx(spread, rel=0.15)


def test_duplicates_need_fewer_deals_by_what_they_save() -> None:
    pairs = PAIRS["mirrored"]
    assert pairs.saved > 0.5
    found = compare(**pairs.draw(np.random.default_rng(13), 20_000))
    alone = found.se**2 * found.deals / (1 - found.variance_saved)
    single = (pairs.joint.sum(axis=0) + pairs.joint.sum(axis=1)) / 2
    assert alone == pytest.approx(
        single @ (np.array([3, 2, 1, -1, -2, -3]) - pairs.gain) ** 2, rel=0.03
    )
