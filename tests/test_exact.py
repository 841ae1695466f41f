"""Exact chances against every case counted: places in the pack, tiny packs, hands of a suit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy import stats

import guandan_sim as gs
from guandan_sim import exact
from guandan_sim.exact import _choices, _product, _without_run

LEVELS = "23456789TJQKA"


# Copies of a kind


@pytest.mark.parametrize("of", [1, 2, 3])
@pytest.mark.parametrize("seats", [1, 2])
def test_copies_by_every_place_in_the_pack(of: int, seats: int) -> None:
    # Place p of the pack belongs to seat p % 4; a team is seats 0 and 2.
    ours = np.isin(np.arange(108) % 4, (0, 2)[:seats])
    places = np.array(list(combinations(range(108), of)))
    counts = np.bincount(ours[places].sum(axis=1), minlength=of + 1)
    for held, count in enumerate(counts.tolist()):
        assert exact.copies(held, of=of, cards=27 * seats) == Fraction(count, len(places))


@pytest.mark.parametrize("cards", [1, 27, 54, 107])
@pytest.mark.parametrize("of", [2, 4, 8, 26, 104])
def test_copies_are_hypergeometric(cards: int, of: int) -> None:
    chances = [exact.copies(held, of=of, cards=cards) for held in range(of + 1)]
    assert sum(chances) == 1
    assert sum(held * chance for held, chance in enumerate(chances)) == Fraction(of * cards, 108)
    expected = stats.hypergeom(108, of, cards).pmf(np.arange(of + 1))
    assert np.allclose([float(chance) for chance in chances], expected, rtol=1e-9, atol=1e-300)


def test_the_joker_figures_of_the_rules() -> None:
    seat = exact.copies(2, of=2)
    team = exact.copies(2, of=2, cards=54)
    assert seat == Fraction(27 * 26, 108 * 107)
    assert team == Fraction(54 * 53, 108 * 107)
    assert 4 * seat == Fraction(26, 107)
    assert [round(100 * float(chance), 1) for chance in (seat, 4 * seat, team)] == [6.1, 24.3, 24.8]
    assert exact.copies(4, of=4) == Fraction(27 * 26 * 25 * 24, 108 * 107 * 106 * 105)
    assert exact.copies(4, of=4, cards=54) == Fraction(54 * 53 * 52 * 51, 108 * 107 * 106 * 105)


def test_numbers_that_cannot_be() -> None:
    assert exact.copies(2, of=2, cards=1) == 0
    assert exact.copies(3, of=8, cards=104) == 0  # four cards are left for the other five
    assert exact.copies(108, of=108, cards=108) == 1
    assert exact.copies(0, of=0, cards=0) == 1


def test_numpy_numbers_are_numbers() -> None:
    held: Any = np.arange(3, dtype=np.uint8)[2]
    assert exact.copies(held, of=2) == exact.copies(2, of=2)
    assert exact.natural_bombs(held * 2) == exact.natural_bombs(4)


# Bombs


def test_choices_of_a_tiny_pack_by_every_hand() -> None:
    ranks = [3, 4, 2, 1]
    pack = [rank for rank, cards in enumerate(ranks) for _ in range(cards)]
    fewer = [_choices(cards)[:3] for cards in ranks]
    for size in range(len(pack) + 1):
        hands = [Counter(hand) for hand in combinations(pack, size)]
        with_few = sum(all(held < 3 for held in hand.values()) for hand in hands)
        ways = _product(fewer)
        assert with_few == (ways[size] if size < len(ways) else 0)
        assert len(hands) == _product(map(_choices, ranks))[size]


def test_natural_bombs_by_size_are_those_of_twelve_ranks_of_eight_and_one_of_six() -> None:
    eight, six = stats.hypergeom(108, 8, 27), stats.hypergeom(108, 6, 27)
    for size in range(4, 9):
        expected = 12 * eight.pmf(size) + six.pmf(size)
        assert float(exact.natural_bombs(size)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("least", [4, 5, 6, 7, 8])
def test_any_natural_bomb_by_the_terms_of_inclusion_and_exclusion(least: int) -> None:
    # Hands in which all of a set of ranks are bombs, which at most 27 // least can be.
    total = Fraction(0)
    for many in range(1, 27 // least + 1):
        for level_too in (0, 1):
            ranks = [8] * (many - level_too) + [6] * level_too
            ways = 0
            for held in product(*(range(least, rank + 1) for rank in ranks)):
                chosen = np.prod([comb(*pair) for pair in zip(ranks, held, strict=True)], dtype=int)
                if sum(held) <= 27:
                    ways += int(chosen) * comb(108 - sum(ranks), 27 - sum(held))
            total -= (-1) ** many * comb(12, many - level_too) * Fraction(ways, comb(108, 27))
    assert exact.any_natural_bomb(least) == total


# Straight flushes


@pytest.fixture(scope="module", name="suits")
def every_hand_of_a_suit() -> tuple[np.ndarray, np.ndarray]:
    """Which ranks, 2 to ace, are held in what number: int8[hand, 13], 0 to 2 of each; and whether
    five of them are in a row.
    """
    held = np.indices((3,) * 13, dtype=np.int8).reshape(13, -1).T
    has = held > 0
    around = np.concatenate([has[:, -1:], has], axis=1)  # the ace at both ends
    runs = [around[:, low : low + 5].all(axis=1) for low in range(10)]
    return held, np.any(runs, axis=0)


def counted(held: np.ndarray, hands: np.ndarray) -> list[int]:
    """How often 0, 1, ... cards are held in those hands; one of two copies is there in two ways."""
    cards = held[hands].sum(axis=1)
    ways = 1 << (held[hands] == 1).sum(axis=1)
    counts = np.zeros(27, np.int64)
    np.add.at(counts, cards, ways)
    return [int(count) for count in counts]


@pytest.mark.parametrize("missing", ["", *LEVELS])
def test_hands_of_a_suit_without_a_run_one_by_one(
    suits: tuple[np.ndarray, np.ndarray], missing: str
) -> None:
    held, run = suits
    cards = [0 if rank == missing else 2 for rank in LEVELS]
    possible = np.all([held[:, i] <= cards[i] for i in range(13)], axis=0)
    expected = counted(held, possible & ~run)
    found = _without_run(cards)
    assert found == expected[: len(found)]
    assert not any(expected[len(found) :])


def test_a_suit_of_single_cards() -> None:
    # Subsets of A2345..TJQKA: of five cards, all but ten of C(13, 5).
    assert _without_run([1] * 13)[5] == comb(13, 5) - 10
    assert _without_run([1] * 13)[13] == 0


def test_straight_flushes_are_as_likely_at_levels_that_as_many_runs_need() -> None:
    chances = [exact.natural_straight_flush(level) for level in LEVELS]
    # 2, K and A are in two of the ten runs, 3 and Q in three, 4 and J in four, the others in five.
    assert chances[0] == chances[11] == chances[12] == max(chances)
    assert [chances[i] for i in (1, 2, 3, 4, 5)] == [chances[i] for i in (10, 9, 8, 7, 6)]
    assert exact.natural_straight_flush("10") == chances[8]
    assert Fraction(27, 100) < min(chances) < Fraction(28, 100)


# By the rules


@pytest.mark.parametrize("rules", gs.Rules.presets())
def test_cancelled_tributes_by_every_place_of_the_red_jokers(rules: str) -> None:
    of_rules = gs.Rules.preset(rules)
    chances = exact.tribute_cancelled(rules)
    pairs = Counter(
        tuple(place // 27 for place in places) for places in combinations(range(108), 2)
    )
    for kind, order in (("single", "0123"), ("double", "0213")):
        cancelled = 0
        for pair, number in pairs.items():
            hands = [[f"S{seat + 3}", *["HR"] * pair.count(seat)] for seat in range(4)]
            cancelled += number * gs.tribute(order, hands, "7", of_rules).cancelled
        assert chances[kind] == Fraction(cancelled, comb(108, 2))


def test_the_tribute_figures_of_the_rules() -> None:
    percent = {
        rules: [round(100 * float(chance), 2) for chance in exact.tribute_cancelled(rules).values()]
        for rules in ("guide", "wikipedia", "short_game")
    }
    assert percent == {
        "guide": [6.07, 24.77],
        "wikipedia": [6.07, 12.15],
        "short_game": [24.77, 24.77],
    }


@pytest.mark.parametrize("rules", ["guide", "wikipedia", "kawu"])
def test_each_seat_leads_first_alike(rules: str) -> None:
    assert exact.first_lead(gs.Rules.preset(rules)) == (Fraction(1, 4),) * 4


# Wrong input


@pytest.mark.parametrize(
    ("function", "arguments", "error", "message"),
    [
        (exact.copies, (3, 2), gs.OptionError, "held is 3; a whole number from 0 to 2 is needed"),
        (exact.copies, (-1, 2), gs.OptionError, "held is -1; a whole number from 0 to 2"),
        (exact.copies, (1, 109), gs.OptionError, "of is 109; a whole number from 0 to 108"),
        (exact.copies, (1, 2, 109), gs.OptionError, "cards is 109; a whole number from 0 to 108"),
        (exact.copies, (True, 2), gs.OptionError, "held is True; a whole number"),
        (exact.copies, (1.0, 2), gs.OptionError, r"held is 1\.0; a whole number"),
        (exact.natural_bombs, (3,), gs.OptionError, "size is 3; a whole number from 4 to 8"),
        (exact.natural_bombs, ("4",), gs.OptionError, "size is '4'; a whole number from 4 to 8"),
        (exact.any_natural_bomb, (9,), gs.OptionError, "least is 9; a whole number from 4 to 8"),
        (exact.natural_straight_flush, ("1",), gs.CardParseError, "'1' is not a level"),
        (exact.tribute_cancelled, ("house",), gs.RulesError, "'house' is not a rule preset"),
        (exact.first_lead, ("house",), gs.RulesError, "'house' is not a rule preset"),
    ],
)
def test_wrong_arguments_are_named(
    function: Callable[..., Any], arguments: Sequence[Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        function(*arguments)
