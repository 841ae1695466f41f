"""What cards are worth: wilds, jokers, bombs, the lead, a short plan, a strong partner.

Cards are those dealt, before tribute: they are given at random, so that what goes with them is
caused by them, by tribute too if that moves them.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .. import dealfacts, exact
from ..cards import RANK_WORDS
from .facts import Facts
from .regression import regressed
from .statistic import GAIN, WON, Measure, Observed, codes, results, statistic

__all__ = ["CHAPTER"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

ITEMS = (
    "wild",
    "red joker",
    "black joker",
    "other level card",
    "ace",
    "bomb of 4",
    "bomb of 5",
    "bomb of 6",
    "bomb of 7 or 8",
    "straight flush",
)
_POINTS = Measure("won", "points")


@lru_cache
def _means() -> Floats:
    """float64[ITEMS]: how many of each a side is dealt on average; of cards that is half of them,
    since all are dealt.
    """
    bombs = [2 * float(exact.natural_bombs(size)) for size in range(4, 9)]
    flushes = 2 * float(exact.natural_straight_flush("7"))
    return np.array([1, 1, 1, 3, 4, *bombs[:3], bombs[3] + bombs[4], flushes])


def _items(facts: Facts) -> Ints:
    """int64[n, 2, ITEMS]: how many of each the teams were dealt."""
    held = facts.held_as_dealt
    bombs = dealfacts.H_BOMBS
    each = [
        held[:, :, dealfacts.H_WILDS],
        held[:, :, dealfacts.H_RED],
        held[:, :, dealfacts.H_BLACK],
        held[:, :, dealfacts.H_LEVEL] - held[:, :, dealfacts.H_WILDS],
        held[:, :, dealfacts.H_ACES],
        held[:, :, bombs],
        held[:, :, bombs + 1],
        held[:, :, bombs + 2],
        held[:, :, bombs + 3] + held[:, :, bombs + 4],
        held[:, :, dealfacts.H_FLUSHES] > 0,
    ]
    of_seats = np.stack(each, axis=2).astype(np.int64)
    # At level A the aces are level cards; each side then counts as dealt the average.
    of_seats[:, :, 4] = np.where((facts.level == 13)[:, None], 2, of_seats[:, :, 4])
    found: Ints = of_seats[:, :2] + of_seats[:, 2:]
    return found


def _results_of_team_0(facts: Facts) -> tuple[Floats, Floats]:
    """Whether team 0 won, less one half, and the levels that it gained."""
    team = np.zeros(len(facts), np.int64)
    return facts.won_by(team) - 0.5, facts.levels_of(team)


def _slopes(facts: Facts) -> tuple[Ints, Floats]:
    """What stands above, times the result of team 0, and below in the slope of the result of both
    teams on how many of each they were dealt, int64[n, ITEMS] and float64[n, ITEMS].
    """
    items = facts.once(_items)
    return items[:, 0] - items[:, 1], ((items - _means()) ** 2).sum(axis=1)


@statistic(
    "What cards are worth",
    rows=ITEMS,
    measures=(GAIN, _POINTS),
    heading="one more of",
    slopes=True,
)
def values(facts: Facts) -> Observed:
    """What one more of a thing, dealt to a side, is worth to it, in levels a deal and in percentage
    points of deals won: the slope of the result on the number that the side was dealt.

    Unit: a deal, seen from both sides. With x the number that a side was dealt, m its mean and y
    the side's result, it is sum((x - m) y) / sum((x - m)^2) over deals and sides. Deals in which
    both were dealt the mean say nothing of it and do not count; a thing that no two sides of a deal
    were dealt differently many of has no value. The one more
    comes in the place of an average other card; since all 108 cards are dealt, one wild more here
    is one less there. A wild is a heart of the level; a bomb is a rank of which a hand holds so
    many cards that are not wild, and no more; "straight flush" is a hand that holds one without a
    wild. At level A aces are level cards. Cards are dealt at random, so that this is caused by
    them, and by tribute where it moves them.
    """
    above, below = facts.once(_slopes)
    n = len(facts)
    won, gain = _results_of_team_0(facts)
    return Observed(
        np.tile(np.arange(len(ITEMS)), n),
        [((above * result[:, None]).ravel(), below.ravel()) for result in (gain, won)],
        np.repeat(np.arange(n), len(ITEMS)),
    )


@regressed(
    "What cards are worth, the others equal",
    ITEMS,
    (GAIN, _POINTS),
    heading="one more of",
    unit="sides",
)
def values_others_equal(facts: Facts) -> tuple[Ints, Floats, Floats]:
    """As "What cards are worth", but with all the other things that the side was dealt held equal:
    the coefficients of one regression on all of them.

    Unit: a side, two a deal, clustered by set. A bomb of aces is worth its aces and a bomb here.
    """
    items = facts.once(_items)
    n = len(facts)
    won, gain = _results_of_team_0(facts)
    outcomes = np.stack([gain, won], axis=1)
    both = np.stack([outcomes, -outcomes], axis=1).reshape(2 * n, 2)
    return np.repeat(np.arange(n), 2), items.reshape(2 * n, len(ITEMS)).astype(np.float64), both


_BY_LEVEL = ("wild", "red joker", "black joker", "first lead", "a turn fewer")


@statistic(
    "What cards, lead and plans are worth, by level",
    rows=RANK_WORDS[1:14],
    measures=tuple(Measure(name, "levels") for name in _BY_LEVEL),
    heading="level",
    figure="line",
    slopes=True,
)
def values_by_level(facts: Facts) -> Observed:
    """As "What cards are worth", in levels a deal, by the level that is played. "First lead" is
    what the side that leads first gains, as in "The opening lead", so that to lead rather than to
    let the opponents lead is worth twice as much; only opening deals count for it. "A turn fewer"
    is what goes with it that a hand of the side, the own or the partner's, needs a turn fewer
    (`gs.plan`), tributes exchanged: the slope of the result on the difference between the sides,
    observed, since such hands have more wilds and bombs, too; of a large run a part of the sets has
    plans.

    Unit: a deal, seen from both sides. In matches levels differ in the tributes before them, too:
    level 2 has all opening deals, and level 3 is reached by 1-4 alone. Independent deals, whose
    level is drawn, differ in nothing else.
    """
    above, below = facts.once(_slopes)
    _, gain = _results_of_team_0(facts)
    lead = np.where(facts.opening, 1 - 2 * (facts.leader & 1), 0)
    fewer = np.zeros(len(facts), np.int64)
    fewer[facts.planned] = -facts.of_teams(facts.plans[:, :, dealfacts.P_TURNS])
    ratios = [(above[:, at] * gain, below[:, at]) for at in range(3)]
    ratios += [
        (lead * gain, lead.astype(np.float64) ** 2),
        (fewer * gain, fewer.astype(np.float64) ** 2),
    ]
    return Observed(facts.level - 1, ratios)


@statistic(
    "What bombs are worth, by level",
    rows=RANK_WORDS[1:14],
    measures=tuple(Measure(name, "levels") for name in ITEMS[5:]),
    heading="level",
    figure="line",
    slopes=True,
)
def bombs_by_level(facts: Facts) -> Observed:
    """As "What cards are worth", in levels a deal, by the level that is played: bombs as dealt, by
    the number of their cards, and straight flushes. Unit: a deal, seen from both sides. See there
    for what else differs between levels in matches.
    """
    above, below = facts.once(_slopes)
    _, gain = _results_of_team_0(facts)
    ratios = [(above[:, at] * gain, below[:, at]) for at in range(5, len(ITEMS))]
    return Observed(facts.level - 1, ratios)


@statistic(
    "A side that holds them all",
    rows=("both wilds", "both red jokers", "both black jokers", "all four jokers"),
    measures=(WON, GAIN),
    heading="dealt to one side",
)
def both_copies(facts: Facts) -> Observed:
    """Share of deals won by the side that was dealt both wilds, both red jokers, both black jokers,
    or all four jokers, and the levels that it gained.

    Unit: a deal in which one side was dealt them. A deal may count in several rows.
    """
    items = facts.once(_items)
    n = len(facts)
    all_of = np.stack([items[:, :, 0] == 2, items[:, :, 1] == 2, items[:, :, 2] == 2], axis=2)
    all_of = np.concatenate([all_of, all_of[:, :, 1:2] & all_of[:, :, 2:3]], axis=2)
    deals = np.repeat(np.arange(n), 4)
    groups = np.where(all_of.any(axis=1).ravel(), np.tile(np.arange(4), n), -1)
    return Observed(groups, results(facts, all_of[:, 1].ravel().astype(np.int64), deals), deals)


@statistic("The opening lead", rows=("leading side",), measures=(WON, GAIN), figure="")
def opening_lead(facts: Facts) -> Observed:
    """Share of deals won by the side that leads first, and levels that it gained, where no deal
    came before.

    Unit: an opening deal, whose leader is drawn. Where the bots are the same on both sides, what
    differs from 50% is the lead.
    """
    return Observed(np.where(facts.opening, 0, -1), results(facts, facts.leader & 1))


_FEWER = (1, 2, 3, 4, 5, 6, 8)


@statistic(
    "Turns needed, team against team",
    rows=("1 fewer", "2 fewer", "3 fewer", "4 fewer", "5 fewer", "6 or 7 fewer", "8 or more fewer"),
    measures=(WON, GAIN),
    unit="deals with plans",
    heading="turns needed",
)
def turns_of_teams(facts: Facts) -> Observed:
    """How the team does whose hands need fewer turns together, by how many fewer.

    Turns are the plays other than bombs in the best plan of a hand (`gs.plan`), tributes exchanged.
    Unit: a deal whose teams need differently many; of a large run a part of the sets, evenly
    spread, has plans.
    """
    fewer = -facts.of_teams(facts.plans[:, :, dealfacts.P_TURNS])
    deals = np.flatnonzero(facts.planned)
    return Observed(
        codes(np.abs(fewer), _FEWER), results(facts, (fewer < 0).astype(np.int64), deals), deals
    )


_TURNS = (0, 5, 6, 7, 8, 9, 10, 11, 12)


def _seats(facts: Facts) -> tuple[Ints, Ints]:
    """Of the four seats of each deal with plans: the place of the deal, and the seat."""
    deals = np.flatnonzero(facts.planned)
    return np.repeat(deals, 4), np.tile(np.arange(4), len(deals))


@statistic(
    "Turns that a hand needs",
    rows=("4 or fewer", "5", "6", "7", "8", "9", "10", "11", "12 or more"),
    measures=(Measure("out first", "share"), Measure("last", "share"), WON, GAIN),
    unit="hands with plans",
    heading="turns",
)
def turns_of_hands(facts: Facts) -> Observed:
    """Share of hands that are out first, and that are last or swept, and how their side does, by
    the turns of the hand's best plan when play begins.

    Unit: a hand, four a deal. After a sweep both losers count as last.
    """
    deals, seats = _seats(facts)
    turns = facts.plans[:, :, dealfacts.P_TURNS].ravel()
    order = facts.order[deals]
    last = (order[:, 3] == seats) | ((order[:, 2] == seats) & (facts.outcome[deals] == 0))
    values_of = [order[:, 0] == seats, last, *results(facts, seats & 1, deals)]
    return Observed(codes(turns, _TURNS), values_of, deals)


@regressed(
    "A turn more, by whose it is",
    ("own hand", "partner's hand", "next opponent's hand", "opponent's before"),
    (Measure("out first", "points"),),
    unit="hands with plans",
    heading="one turn more in",
)
def turns_around(facts: Facts) -> tuple[Ints, Floats, Floats]:
    """How much less often a seat is out first for a turn more in the plan of each hand at the
    table, the turns of the other hands equal. Observed: hands of few turns have more wilds and
    bombs, too, which are no turns. To its side a turn is worth the same in either hand, see "What
    cards, lead and plans are worth, by level".

    Unit: a hand, four a deal, clustered by set as all else.
    """
    deals, seats = _seats(facts)
    turns = facts.plans[:, :, dealfacts.P_TURNS]
    around = [turns[np.arange(len(deals)) // 4, (seats + step) & 3] for step in (0, 2, 1, 3)]
    first = (facts.order[deals, 0] == seats).astype(np.float64)
    return deals, np.stack(around, axis=1).astype(np.float64), first[:, None]


CHAPTER = (
    "What hands are worth",
    (
        values,
        values_others_equal,
        values_by_level,
        bombs_by_level,
        both_copies,
        opening_lead,
        turns_of_teams,
        turns_of_hands,
        turns_around,
    ),
)
