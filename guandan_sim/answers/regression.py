"""Least squares over a run of any size: what one more of a thing is worth, the others equal."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import dealfacts
from ..intervals import UNKNOWN, student_quantile
from .facts import Facts
from .ratios import LEAST_SETS, Estimate, freedom_of
from .statistic import Measure

__all__ = ["Regressed", "Regression", "regressed"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Few enough for the caches of a core.
_SETS_AT_ONCE = 1_024


class Regression:
    """Sums from which ``outcomes`` are explained by ``terms`` and a constant, by set.

    Kept are the sums over sets of the products of each set's normal equations, whose number depends
    on the terms alone: the sandwich variance of coefficients clustered by set comes from them once
    these are known. Source: K.-Y. Liang and S. L. Zeger, Biometrika 73 (1986) 13.

    >>> found = Regression(1, 1)
    >>> x = np.arange(6.0)[:, None]
    >>> found.add(np.arange(6), x, 2 * x + 1)
    >>> round(found.estimate(0, 0).value, 6)
    2.0
    """

    def __init__(self, terms: int, outcomes: int) -> None:
        self._terms = terms + 1
        self._outcomes = outcomes
        self._pairs = np.triu_indices(self._terms)
        width = len(self._pairs[0]) + self._terms * outcomes
        self.totals = np.zeros(width)
        self.products = np.zeros((width, width))
        self.sets = 0
        self.units = 0

    def add(self, sets: Ints, terms: Floats, outcomes: Floats) -> None:
        """Add units in the order of their ``sets``, int64[n]: float64[n, terms] and
        float64[n, outcomes].
        """
        begins = np.flatnonzero(np.concatenate([[True], sets[1:] != sets[:-1]])[: len(sets)])
        self.sets += len(begins)
        self.units += len(sets)
        edges = [*begins[::_SETS_AT_ONCE], len(sets)]
        for low, high in pairwise(edges):
            some = slice(low, high)
            self._add(begins[(begins >= low) & (begins < high)] - low, terms[some], outcomes[some])

    def _add(self, begins: Ints, terms: Floats, outcomes: Floats) -> None:
        design = np.concatenate([np.ones((len(terms), 1)), terms], axis=1)
        first, second = self._pairs
        columns = [design[:, first] * design[:, second]]
        columns += [design * outcomes[:, [k]] for k in range(self._outcomes)]
        by_set = np.add.reduceat(np.concatenate(columns, axis=1), begins, axis=0)
        self.totals += by_set.sum(axis=0)
        dealfacts.add_products(by_set, self.products)

    def merge(self, other: Regression) -> None:
        """Add the sums of other sets."""
        self.totals += other.totals
        self.products += other.products
        self.sets += other.sets
        self.units += other.units

    def estimate(
        self, term: int, outcome: int, *, kind: str = "slope", confidence: float = 0.95
    ) -> Estimate:
        """The coefficient of a term, from 0; of whatever ``kind``.

        Unknown where the terms do not tell it: a term that never changes, which is left out of the
        fit, terms that follow from others, and fewer sets than terms. The degrees of freedom are
        those of the effective number of sets (see `ratios.estimate_of`) that tell the coefficient,
        each weighed by its share in the coefficient's variance were all errors alike; the variance
        is the sandwich times n / (n - 1) for that number and (c - 1) / (c - k) for c sets and k
        terms, the constant among them.
        """
        del kind
        unknown = Estimate(math.nan, math.nan, UNKNOWN, self.units, self.sets)
        size, pairs = self._terms, len(self._pairs[0])
        square = np.zeros((size, size))
        square[self._pairs] = self.totals[:pairs]
        square = square + square.T - np.diag(np.diag(square))
        sums = square[0]
        # What is left of a term's squares beside its mean; all of the constant's.
        moving = np.diag(square) - sums**2 / max(self.units, 1)
        kept = np.flatnonzero(moving > 1e-9 * np.diag(square))
        kept = np.concatenate([[0], kept[kept > 0]])
        if term + 1 not in kept or self.sets <= len(kept):
            return unknown
        # Terms of like size make the test of rank one of their correlation.
        scale = np.sqrt(np.diag(square)[kept])
        scaled = square[np.ix_(kept, kept)] / np.outer(scale, scale)
        if np.linalg.eigvalsh(scaled)[0] < 1e-9:
            return unknown
        inverse = np.zeros((size, size))
        inverse[np.ix_(kept, kept)] = np.linalg.inv(scaled) / np.outer(scale, scale)
        begin = pairs + size * outcome
        beta = inverse @ self.totals[begin : begin + size]
        # A set's residual sums, and its weight, are linear in what was kept of it: the first are
        # its last columns less those of the design times beta.
        row = inverse[term + 1]
        residuals = np.zeros((size, len(self.totals)))
        weights = np.zeros(len(self.totals))
        for at, (i, j) in enumerate(zip(*self._pairs, strict=True)):
            residuals[i, at] -= beta[j]
            weights[at] = row[i] * row[j]
            if i != j:
                residuals[j, at] -= beta[i]
                weights[at] *= 2
        residuals[:, begin : begin + size] += np.eye(size)
        of_term = row @ residuals
        value = float(beta[term + 1])
        effective = float((weights @ self.totals) ** 2 / (weights @ self.products @ weights))
        if effective < LEAST_SETS:
            return Estimate(value, math.nan, UNKNOWN, self.units, self.sets)
        squares = float(of_term @ self.products @ of_term)
        # The fit comes nearer to few sets than the truth does.
        factor = effective / (effective - 1) * (self.sets - 1) / (self.sets - len(kept))
        se = math.sqrt(max(squares, 0.0) * factor)
        freedom = min(freedom_of(effective), self.sets - len(kept))
        margin = student_quantile(confidence, freedom) * se
        return Estimate(value, se, (value - margin, value + margin), self.units, self.sets)


@dataclass(frozen=True, eq=False)
class Regressed:
    """A table of coefficients, a row a term; otherwise as `statistic.Statistic`. ``observe`` gives
    of some deals the place of each unit's deal int64[u], terms float64[u, rows] and outcomes
    float64[u, measures].
    """

    key: str
    title: str
    rows: tuple[str, ...]
    measures: tuple[Measure, ...]
    observe: Callable[[Facts], tuple[Ints, Floats, Floats]]
    unit: str = "deals"
    heading: str = ""
    plays: bool = False
    exact: None = None
    figure: str = "bars"
    whole: bool = False
    slopes: bool = True

    @property
    def definition(self) -> str:
        """What it is, from the docstring."""
        return inspect.cleandoc(self.observe.__doc__ or "")

    def empty(self) -> Regression:
        """Sums of nothing."""
        return Regression(len(self.rows), len(self.measures))

    def add(self, facts: Facts, sums: Regression) -> None:
        """Add what these deals say."""
        deals, terms, outcomes = self.observe(facts)
        sums.add(facts.sets[deals], terms, outcomes)


def regressed(
    title: str, rows: Sequence[str], measures: Sequence[Measure], **options: Any
) -> Callable[[Callable[[Facts], tuple[Ints, Floats, Floats]]], Regressed]:
    """As `statistic.statistic`, of coefficients."""

    def made(observe: Callable[[Facts], tuple[Ints, Floats, Floats]]) -> Regressed:
        key = observe.__name__.replace("_", "-")
        return Regressed(key, title, tuple(rows), tuple(measures), observe, **options)

    return made
