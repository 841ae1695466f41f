"""The Bradley-Terry model of several bots: its fit, and errors clustered by set; see `rate`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import OptionError
from .estimates import same_lengths, whole_numbers

__all__ = ["Floats", "PairTable", "chains", "clustered_covariance", "fit"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class PairTable:
    """One row a set and pair: ``index`` of its set, the two bots, first's score."""

    bots: int
    real_sets: int
    index: Ints
    first: Ints
    second: Ints
    score: Floats
    # Sets with the drawn ones that were added.
    sets: int

    @classmethod
    def checked(
        cls, bots: int, sets: ArrayLike, first: ArrayLike, second: ArrayLike, score: ArrayLike
    ) -> PairTable:
        """The table of rows as `rate` takes them; raises `OptionError` for bad ones."""
        numbers = whole_numbers(sets, "sets")
        ones, others = whole_numbers(first, "first"), whole_numbers(second, "second")
        scores = np.asarray(score, dtype=np.float64)
        same_lengths(sets=numbers, first=ones, second=others, score=scores)
        for name, values, wrong, needed in (
            ("first", ones, (ones < 0) | (ones >= bots), f"a bot from 0 to {bots - 1} is needed"),
            ("second", others, (others < 0) | (others >= bots), f"from 0 to {bots - 1} is needed"),
            ("second", others, ones == others, "another bot than first is needed"),
            ("score", scores, ~((scores >= 0) & (scores <= 1)), "from 0 to 1 is needed"),
        ):
            if wrong.any():
                raise OptionError(f"{name} is {values[np.argmax(wrong)]}; {needed}")
        unique, index = np.unique(numbers, return_inverse=True)
        low, high = np.minimum(ones, others), np.maximum(ones, others)
        _, at, repeats = np.unique(
            (index * bots + low) * bots + high, return_index=True, return_counts=True
        )
        if (repeats > 1).any():
            row = at[np.argmax(repeats > 1)]
            raise OptionError(
                f"set {numbers[row]} has bots {low[row]} and {high[row]} more than once; "
                "one row a set and pair is needed"
            )
        return cls(bots, len(unique), index, ones, others, scores, len(unique))

    @property
    def wins(self) -> Floats:
        """float64[bots, bots]: what the row's bot won from the column's, in sets."""
        wins = np.zeros((self.bots, self.bots))
        np.add.at(wins, (self.first, self.second), self.score)
        np.add.at(wins, (self.second, self.first), 1 - self.score)
        return wins

    def with_draws(self) -> PairTable:
        """With one drawn set more for each pair that met."""
        games = self.wins + self.wins.T
        met = np.stack(np.nonzero(np.triu(games)))
        added = met.shape[1]
        return PairTable(
            self.bots,
            self.real_sets,
            np.concatenate([self.index, self.sets + np.arange(added)]),
            np.concatenate([self.first, met[0]]),
            np.concatenate([self.second, met[1]]),
            np.concatenate([self.score, np.full(added, 0.5)]),
            self.sets + added,
        )


def chains(won_from: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool[bots, bots]: a chain of wins leads from the row's bot to the column's (or they are one).

    Where one leads from j to i, the wins bound how far i can be above j.
    """
    reach = won_from | np.eye(len(won_from), dtype=np.bool_)
    for _ in range(len(won_from).bit_length()):
        reach = (reach.astype(np.int64) @ reach.astype(np.int64)) > 0
    return reach


def _expected(logits: Floats) -> Floats:
    """float64[bots, bots]: the score that the row's bot is expected to have with the column's."""
    # tanh neither overflows nor loses the symmetry of the two bots.
    return 0.5 + 0.5 * np.tanh((logits[:, None] - logits[None, :]) / 2)


def _information(games: Floats, expected: Floats) -> Floats:
    """The information of the logits: a weighted Laplacian of the pairs that met."""
    weights = games * expected * (1 - expected)
    found: Floats = np.diag(weights.sum(axis=1)) - weights
    return found


def fit(wins: Floats) -> Floats:
    """The logits with mean 0 at which each bot's expected score is what it won; by Newton's method.

    Every bot must be linked to every other by chains of wins.
    """
    games = wins + wins.T
    logits = np.zeros(len(wins))
    for _ in range(200):
        expected = _expected(logits)
        gradient = wins.sum(axis=1) - (games * expected).sum(axis=1)
        step = np.linalg.pinv(_information(games, expected), hermitian=True) @ gradient
        # The likelihood is concave: bounded steps cannot leave its rise.
        logits = logits + step * min(1.0, 1.0 / max(float(abs(step).max()), 1e-300))
        if abs(step).max() < 1e-12:
            break
    centred: Floats = logits - logits.mean()
    return centred


def clustered_covariance(table: PairTable, logits: Floats) -> Floats:
    """The clustered covariance of the logits; nan for one set."""
    if table.sets < 2:
        return np.full((table.bots, table.bots), math.nan)
    expected = _expected(logits)
    residual = table.score - expected[table.first, table.second]
    scores = np.stack(
        [
            np.bincount(
                table.index,
                weights=residual
                * ((table.first == bot).astype(float) - (table.second == bot).astype(float)),
                minlength=table.sets,
            )
            for bot in range(table.bots)
        ]
    )
    wins = table.wins
    bread = np.linalg.pinv(_information(wins + wins.T, expected), hermitian=True)
    found: Floats = table.sets / (table.sets - 1) * (bread @ (scores @ scores.T) @ bread)
    return found
