"""Tribute: how often it is due and cancelled, which cards go where, and how the sides do then.

What is said of cards and leads here is observed: whoever pays a red joker was dealt one. What
tribute does to a deal is told by experiments, which play the same deals with and without it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import exact
from ..cards import RANK_WORDS
from ..finishes import CARD_KINDS, card_kinds
from ..rules import Rules
from .facts import Facts
from .overview import OUTCOMES
from .statistic import GAIN, WON, Measure, Observed, gathered, results, shares, statistic

__all__ = ["CHAPTER"]

Ints = NDArray[np.int64]

_RANKS = RANK_WORDS[1:]
_SIDES = ("after 1-3", "after 1-4", "sweep: to Banker", "sweep: to Follower")
_OF_SIDES = tuple(Measure(name, "share") for name in _SIDES)
_AFTER = ("1-3", "1-4", "1-2")
_BY_KIND = tuple(
    Measure(f"{measure.name} after {outcome}", measure.kind)
    for outcome in _AFTER
    for measure in (WON, GAIN)
)


def _exactly_cancelled(rules: Rules) -> dict[str, float]:
    return {kind: float(chance) for kind, chance in exact.tribute_cancelled(rules).items()}


@statistic(
    "Tribute cancelled by red jokers",
    rows=("single", "double"),
    measures=(Measure("cancelled", "share"),),
    heading="tribute due",
    exact=_exactly_cancelled,
    unit="deals with tribute due",
)
def tribute_cancelled(facts: Facts) -> Observed:
    """Share of the tributes due that red jokers cancelled; beside it the exact chance by the rules.

    Unit: a deal with one card due ("single"), or two after a sweep ("double"). Deals without
    tribute due do not count.
    """
    return Observed(facts.due - 1, [facts.cancelled])


@statistic(
    "How often tribute is due",
    rows=("none", "single", "double"),
    measures=(Measure("of later deals", "share"),),
    heading="tribute due",
    unit="deals after another",
    whole=True,
)
def tribute_due(facts: Facts) -> Observed:
    """Share of deals in which one card is due, or two after a sweep, paid or cancelled.

    Unit: a deal that another came before; opening deals do not count. In runs of independent deals
    the order before is the one that was asked for, so that the shares say nothing of play.
    """
    return shares(np.where(facts.opening, -1, facts.due), 3)


def _side(facts: Facts) -> Ints:
    """int64[t]: which of `_SIDES` each tribute is."""
    deal = facts.tribute_deal
    to_banker = facts.tribute_column("receiver") == facts.previous[deal, 0]
    outcome = facts.previous_outcome[deal]
    return np.where(outcome > 0, outcome - 1, np.where(to_banker, 2, 3))


def _card_shares(facts: Facts, found: Ints, rows: int) -> Observed:
    """Shares of the rows among the tributes of each side."""
    side = np.repeat(_side(facts), rows)
    each = shares(found, rows, facts.tribute_deal)
    (hit,) = each.values
    sides = [(hit * (side == k), (side == k).astype(np.float64)) for k in range(len(_SIDES))]
    return Observed(each.groups, sides, each.deals)


@statistic(
    "Cards given",
    rows=CARD_KINDS,
    measures=_OF_SIDES,
    heading="card given",
    unit="cards paid",
    whole=True,
)
def cards_given(facts: Facts) -> Observed:
    """Which cards are paid: shares among the tributes of an opponent (after 1-3) and of the
    Banker's partner (after 1-4), and among the cards that the Banker and the Follower, its partner,
    receive after a sweep.

    Unit: a card paid. A card of the level counts as such, whatever its rank; the wild is never
    paid while there is another card.
    """
    kinds = card_kinds(facts.tribute_column("card"), facts.level[facts.tribute_deal])
    return _card_shares(facts, kinds, len(CARD_KINDS))


@statistic(
    "Cards returned",
    rows=_RANKS,
    measures=_OF_SIDES,
    heading="card returned",
    unit="cards returned",
    whole=True,
)
def cards_returned(facts: Facts) -> Observed:
    """Which ranks come back: shares among what the Banker returns to an opponent (after 1-3) and to
    its partner (after 1-4), and what the Banker and the Follower return after a sweep.

    Unit: a card returned, by its natural rank, level or not.
    """
    return _card_shares(facts, (facts.tribute_column("returned") >> 2) - 1, len(_RANKS))


def _payers(facts: Facts, groups: Ints) -> Observed:
    """How the payers' side does, by how the deal before was won."""
    deal = facts.tribute_deal
    payer = facts.tribute_column("giver") & 1
    found = results(facts, payer, deal)
    values = []
    for outcome in (1, 2, 0):
        among = (facts.previous_outcome[deal] == outcome).astype(np.float64)
        values += [(value * among, among) for value in found]
    return Observed(groups, values, deal)


@statistic(
    "How payers do, by the card given",
    rows=CARD_KINDS,
    measures=_BY_KIND,
    heading="card given",
    unit="cards paid",
)
def payers_by_card_given(facts: Facts) -> Observed:
    """Share of deals won by the payers' side and levels that it gained, by the card paid.

    Unit: a card paid, by how the deal before was won. After 1-3 an opponent of the Banker pays,
    after 1-4 its partner, so that the payers' side is the Banker's own; after 1-2, a sweep, both
    losers pay, and the deal counts in the row of each card. Observed, not caused: who pays a joker
    was dealt one, and who pays a King was dealt nothing higher.
    """
    kinds = card_kinds(facts.tribute_column("card"), facts.level[facts.tribute_deal])
    return _payers(facts, kinds)


@statistic(
    "How payers do, by the card returned",
    rows=_RANKS,
    measures=_BY_KIND,
    heading="card returned",
    unit="cards returned",
)
def payers_by_card_returned(facts: Facts) -> Observed:
    """Share of deals won by the payers' side and levels that it gained, by the rank of the card
    that came back.

    Unit: a card returned, by how the deal before was won, as in "How payers do, by the card given".
    Observed, not caused: what a receiver can spare depends on its hand.
    """
    return _payers(facts, (facts.tribute_column("returned") >> 2) - 1)


LEADERS = (
    "opening leader",
    "payer after 1-3",
    "payer after 1-4",
    "payer after 1-2, a sweep",
    "Banker, single cancelled",
    "Banker, double cancelled",
    "Banker, by the rules",
)


@statistic("Who leads, and how the leading side does", rows=LEADERS, measures=(WON, GAIN))
def leads(facts: Facts) -> Observed:
    """Share of deals won by the side of the first leader, and levels that it gained, by why it
    leads.

    Unit: a deal. After 1-3 the payer is an opponent of the Banker, after 1-4 its partner. "By the
    rules": the Banker of the deal before leads where rules know no tribute,
    or give it the lead after one. Only opening leads are given at random; what a lead does for the
    same cards is told by the experiment `lead`.
    """
    later = ~facts.opening
    banker = facts.leader == facts.previous[:, 0]
    paid = later & (facts.due > 0) & ~facts.cancelled & ~banker
    groups = gathered(
        len(facts),
        facts.opening,
        paid & (facts.previous_outcome == 1),
        paid & (facts.previous_outcome == 2),
        paid & (facts.previous_outcome == 0),
        later & facts.cancelled & (facts.due == 1),
        later & facts.cancelled & (facts.due == 2),
        later & banker,
    )
    return Observed(groups, results(facts, facts.leader & 1))


ADVANTAGE = tuple(
    f"{outcome}, {how}" for outcome in OUTCOMES for how in ("paid", "cancelled", "no tribute")
)


@statistic(
    "How the winners of the deal before do",
    rows=ADVANTAGE,
    measures=(WON, GAIN, Measure("swept", "share")),
    heading="deal before, tribute",
    unit="deals after another",
)
def advantage(facts: Facts) -> Observed:
    """Share of deals won by the team that won the deal before, levels that it gained, and share in
    which it won by a sweep, by how it had won and what became of the tribute.

    Unit: a deal that another came before. In matches the better team wins both more often; where
    the four bots are the same, and in independent deals whose order before was drawn, what is left
    is the tribute, its lead, and the level that is played.
    """
    how = np.select([facts.due == 0, facts.cancelled], [2, 1], default=0)
    groups = np.where(facts.opening, -1, 3 * facts.previous_outcome + how)
    team = facts.previous[:, 0] & 1
    won, gain = results(facts, team)
    return Observed(groups, [won, gain, won * (facts.outcome == 0)])


CHAPTER = (
    "Tribute",
    (
        tribute_cancelled,
        tribute_due,
        cards_given,
        cards_returned,
        payers_by_card_given,
        payers_by_card_returned,
        leads,
        advantage,
    ),
)
