"""Exact chances of what the deal decides: wilds, jokers, natural bombs, cancelled tributes, leads.

Two packs are 108 cards, 27 a hand and 54 a team, and every deal of them is equally likely. Nothing
that happened before changes that, so these hold for every deal of every run, whoever plays; hands
are as dealt, before any tribute. A natural card is one that is no wild: a level's rank has six of
them, every other rank eight.

A level is taken as given. Where ``active_level`` is leader, a match plays another one if red jokers
cancel a tribute, so there the hands of the deals of one level are not quite those of all deals.

Everything is counted in whole numbers and returned as a `fractions.Fraction`; ``float`` of it is
the nearest float.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import comb

import numpy as np

from .cards import parse_level
from .errors import OptionError
from .rulefiles import RulesName, resolve_rules

__all__ = [
    "any_natural_bomb",
    "copies",
    "first_lead",
    "natural_bombs",
    "natural_straight_flush",
    "tribute_cancelled",
]

_PACK = 108
_HAND = 27
_TEAM = 54
_LARGEST = 8  # natural cards of a rank that is not the level's
_RUN = 5
# Natural cards by rank, the level's last, and the cards that belong to none.
_OF_A_RANK = [8] * 12 + [6]
_WILDS, _JOKERS = 2, 4


def copies(held: int, of: int, cards: int = _HAND) -> Fraction:
    """The chance that ``cards`` cards of the pack hold exactly ``held`` of ``of`` given ones.

    C(of, held) C(108 - of, cards - held) / C(108, cards), the hypergeometric distribution.
    ``cards``, 0 to 108: 27 for a hand, 54 for a team; ``of``, 0 to 108: 2 for the wilds or the red
    jokers, 4 for all jokers, 8 for a rank; ``held``, 0 to ``of``. Raises `OptionError`.

    >>> copies(2, of=2), copies(2, of=2, cards=54)
    (Fraction(13, 214), Fraction(53, 214))
    >>> round(float(copies(4, of=4)), 6)
    0.003275
    """
    cards = _whole(cards, "cards", 0, _PACK)
    of = _whole(of, "of", 0, _PACK)
    held = _whole(held, "held", 0, of)
    if held > cards:
        return Fraction(0)
    return Fraction(comb(of, held) * comb(_PACK - of, cards - held), comb(_PACK, cards))


def natural_bombs(size: int) -> Fraction:
    """The expected number of ranks of which a hand of 27 holds exactly ``size`` natural cards.

    ``size`` is 4 to 8: all natural cards of a rank that a hand holds are one bomb here. The jokers
    are no rank, and the wilds belong to none. Raises `OptionError`.

    >>> [round(float(natural_bombs(size)), 6) for size in (4, 5, 8)]
    [1.025051, 0.238214, 7.6e-05]
    """
    size = _whole(size, "size", 4, _LARGEST)
    return sum((copies(size, rank) for rank in _OF_A_RANK if size <= rank), Fraction(0))


def any_natural_bomb(least: int = 4) -> Fraction:
    """The chance that a hand of 27 holds at least ``least`` natural cards of some rank.

    ``least`` is 4 to 8. Counted are the hands with fewer of every rank: choices of 27 cards, rank
    by rank. Raises `OptionError`.

    >>> round(float(any_natural_bomb()), 6), round(float(any_natural_bomb(6)), 6)
    (0.826705, 0.035194)
    """
    least = _whole(least, "least", 4, _LARGEST)
    ranks = [_choices(rank)[:least] for rank in _OF_A_RANK]
    return 1 - _share([*ranks, _choices(_WILDS), _choices(_JOKERS)])


def natural_straight_flush(level: str = "2") -> Fraction:
    """The chance that a hand of 27 holds a straight flush without a wild, at this level.

    Five cards of a suit in a row, A2345 to TJQKA, of natural cards: the level's hearts make none,
    not even in their own place. ``level`` is "2" to "9", "T" or "10", "J", "Q", "K", "A". Counted
    are the hands without one, suit by suit. Raises `CardParseError`.

    >>> round(float(natural_straight_flush()), 6), round(float(natural_straight_flush("9")), 6)
    (0.29934, 0.283268)
    """
    hearts = [2] * 13
    hearts[parse_level(level) - 1] = 0
    suits = [_without_run(suit) for suit in ([2] * 13, hearts, [2] * 13, [2] * 13)]
    return 1 - _share([*suits, _choices(_WILDS), _choices(_JOKERS)])


def tribute_cancelled(rules: RulesName = "guide") -> dict[str, Fraction]:
    """The chance that red jokers cancel a tribute that is due, by its kind.

    ``"single"``: one tribute, by the last player alone (``anti_tribute_single`` says who must hold
    both red jokers); ``"double"``: one from each loser of a sweep (``anti_tribute_sweep``). Raises
    `RulesError`.

    >>> tribute_cancelled("wikipedia")
    {'single': Fraction(13, 214), 'double': Fraction(13, 107)}
    """
    of_rules = resolve_rules(rules)
    one_seat, one_team = copies(2, of=2), copies(2, of=2, cards=_TEAM)
    return {
        "single": one_team if of_rules.anti_tribute_single == "side" else one_seat,
        # One hand or the other has both, never each.
        "double": 2 * one_seat if of_rules.anti_tribute_sweep == "one_payer" else one_team,
    }


def first_lead(rules: RulesName = "guide") -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """The chance of each seat, 0 to 3, to lead a deal that has none before it.

    By ``opening_leader``: the holder of one card of the pack; who draws the last card, where any
    seat turns up a card of any rank; or any seat. Raises `RulesError`.

    >>> sum(first_lead("wikipedia"))
    Fraction(1, 1)
    """
    rule = resolve_rules(rules).opening_leader
    if rule == "marked_card":
        leaders = [seat for seat in range(4) for _ in range(_HAND)]
    elif rule == "last_drawer":
        # The turner counts as one and the count ends at the first drawer; the last is the one
        # before.
        leaders = [(turner + pips - 2) % 4 for turner in range(4) for pips in range(1, 14)]
    else:
        leaders = [0, 1, 2, 3]
    zero, one, two, three = (Fraction(leaders.count(seat), len(leaders)) for seat in range(4))
    return zero, one, two, three


def _whole(value: object, name: str, low: int, high: int) -> int:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | np.integer)
        or not low <= value <= high
    ):
        raise OptionError(f"{name} is {value!r}; a whole number from {low} to {high} is needed")
    return int(value)


def _choices(cards: int) -> list[int]:
    """In how many ways 0, 1, ... of some cards are chosen."""
    return [comb(cards, chosen) for chosen in range(cards + 1)]


def _product(ways: Iterable[Sequence[int]]) -> list[int]:
    """The ways to choose 0, 1, ... cards in all, from those of each group: a polynomial product."""
    total = [1]
    for group in ways:
        longer = [0] * (len(total) + len(group) - 1)
        for before, number in enumerate(total):
            for chosen, factor in enumerate(group):
                longer[before + chosen] += number * factor
        total = longer
    return total


def _share(ways: Iterable[Sequence[int]]) -> Fraction:
    """The share, of all hands, of those chosen from these groups of the pack's cards."""
    return Fraction(_product(ways)[_HAND], comb(_PACK, _HAND))


def _without_run(copies_by_rank: Sequence[int]) -> list[int]:
    """The ways to choose 0, 1, ... cards of a suit with no five ranks in a row, an ace high or low.

    ``copies_by_rank`` is how many cards there are of 2 to ace. Rank by rank from the ace as the
    lowest, with the length of the run that ends there.
    """
    *others, aces = copies_by_rank
    total: Counter[int] = Counter()
    for ace in range(aces + 1):
        ways = Counter({(int(ace > 0), ace): comb(aces, ace)})
        for number in others:
            longer: Counter[tuple[int, int]] = Counter()
            for (run, cards), count in ways.items():
                longer[0, cards] += count
                if run + 1 < _RUN:
                    for held in range(1, number + 1):
                        longer[run + 1, cards + held] += count * comb(number, held)
            ways = longer
        for (run, cards), count in ways.items():
            if not ace or run + 1 < _RUN:
                total[cards] += count
    return [total[cards] for cards in range(sum(copies_by_rank) + 1)]
