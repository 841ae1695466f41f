"""How deals go: who wins them, how, and how long they take."""

from __future__ import annotations

import numpy as np

from .facts import Facts
from .statistic import GAIN, WON, Measure, Observed, shares, statistic

__all__ = ["CHAPTER"]

OUTCOMES = ("1-2, a sweep", "1-3", "1-4")
_SHARE = Measure("of all", "share")


@statistic(
    "How deals end", rows=OUTCOMES, measures=(_SHARE,), heading="winners' places", whole=True
)
def outcomes(facts: Facts) -> Observed:
    """Share of deals by the places of the winners: the first out and its partner.

    Unit: a deal; all deals count below. The winners gain levels by it, see the rules' promotion.
    """
    return shares(facts.outcome, 3)


@statistic(
    "Who wins", rows=("team 0 (seats 0, 2)", "team 1 (seats 1, 3)"), measures=(WON, GAIN), figure=""
)
def teams(facts: Facts) -> Observed:
    """Share of deals that a team won, and the levels that it gained a deal, those of the other team
    counted against it.

    Unit: a deal, seen from each team. Levels are what the finish is worth by the rules, whether or
    not the top cuts it.
    """
    n = len(facts)
    both = np.tile([0, 1], n)
    deals = np.repeat(np.arange(n), 2)
    won = facts.winner[deals] == both
    gain = np.where(won, facts.gain[deals], -facts.gain[deals])
    return Observed(both, [won, gain], deals)


@statistic(
    "Deals in a match",
    rows=("deals",),
    measures=(Measure("a match", "number"),),
    unit="matches",
    figure="",
)
def matches(facts: Facts) -> Observed:
    """Deals in a match, one that the cap cut off included. Unit: a match. Independent deals are
    none.
    """
    number = facts.columns["deal"]
    if number.max(initial=0) == 0:
        return Observed(np.zeros(0, np.int64), [np.zeros(0)], np.zeros(0, np.int64))
    return Observed(np.zeros(len(facts), np.int64), [(1.0, number == 0)])


@statistic("Plays in a deal", rows=("plays",), measures=(Measure("a deal", "number"),), figure="")
def length(facts: Facts) -> Observed:
    """Plays of cards in a deal, passes not counted. Unit: a deal."""
    return Observed(np.zeros(len(facts), np.int64), [facts.columns["plays"]])


@statistic(
    "Tricks and bombs in a deal",
    rows=("tricks", "bombs played"),
    measures=(Measure("a deal", "number"),),
    plays=True,
    figure="",
)
def tempo(facts: Facts) -> Observed:
    """Tricks in a deal, each begun by a lead, and bombs played in it. Unit: a deal."""
    starts, bombs, _ = facts.play
    n = len(facts)
    played = np.bincount(bombs[:, 0], minlength=n)
    both = np.stack([starts[:, 3], played], axis=1).ravel()
    return Observed(np.tile([0, 1], n), [both], np.repeat(np.arange(n), 2))


CHAPTER = ("Deals", (outcomes, teams, matches, length, tempo))
