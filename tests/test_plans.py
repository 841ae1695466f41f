"""The planner against every partition of small hands, many of large ones, and known hands."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import NATURAL_LINE, RANKS, SUITS, Move, full_pack, readings, wild_of
from partitions import Score, best_score, is_loser, score_of, searched, total
from strategies import Position, Setting, full_positions, positions

import guandan_sim as gs
from guandan_sim.cards import cards_to_words
from guandan_sim.plancosts import losers_less_bombs, turns_of, weakness_of
from guandan_sim.planner import (
    MOST_PLAYS,
    NO_PLAN,
    WORK_SIZE,
    costs_after,
    drop_play,
    plan_cost,
    plan_plays,
)

WORK = np.zeros(WORK_SIZE, np.int64)
GUIDE = Setting("2")


def as_moves(plan: gs.Plan) -> list[Move]:
    """The plays as the oracle writes them."""
    return [(move.shape, move.rank, tuple(sorted(move.cards))) for move in plan.plays]


def score(plan: gs.Plan) -> Score:
    return plan.turns, plan.losers - plan.bombs, plan.weakness


def cost(hand: tuple[str, ...], setting: Setting) -> int:
    level, _, joker_pair = setting.words
    return int(plan_cost(*cards_to_words(hand), level, joker_pair, WORK))


def told(cost: int) -> Score:
    """What a cost says."""
    return int(turns_of(cost)), int(losers_less_bombs(cost)), int(weakness_of(cost))


def check(hand: tuple[str, ...], setting: Setting) -> gs.Plan:
    """Plan a hand, and hold the plan to be legal plays of all its cards, and to say what it is."""
    plan = gs.plan(hand, setting.level, setting.rules)
    plays = as_moves(plan)
    assert Counter(card for play in plays for card in play[2]) == Counter(hand)
    for shape, rank, cards in plays:
        assert (shape, rank) in readings(
            cards, setting.level, setting.max_bomb, setting.joker_pair
        ), (shape, rank, cards)
    assert score(plan) == total(plays, setting.level) == told(cost(hand, setting))
    assert plan.losers == sum(is_loser(shape, rank, setting.level) for shape, rank, _ in plays)
    return plan


def pool_of(ranks: str, suits: str = SUITS) -> list[str]:
    return 2 * [suit + rank for rank in ranks for suit in suits]


def small_hands(seed: int, count: int, largest: int) -> list[Position]:
    """Hands in which plays compete: few ranks, few suits, windows of ranks, both ends of aces."""
    rng = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        level = rng.choice(RANKS)
        start, suits = rng.randrange(8), rng.sample(SUITS, 2)
        near = RANKS.index(level)
        pool = rng.choice(
            [
                full_pack(),
                pool_of(NATURAL_LINE[start : start + rng.randint(2, 4)]),
                pool_of(NATURAL_LINE[start : start + 7]),
                pool_of(NATURAL_LINE[start : start + 7], suits[0])
                + pool_of(NATURAL_LINE[start : start + 5], suits[1]),
                pool_of("A23TJQK", suits[0]) + pool_of("A2345TJQK"),
                [*pool_of("".join(rng.sample(RANKS, 2))), "SB", "SB", "HR", "HR"],
                pool_of(NATURAL_LINE[max(near - 2, 0) : near + 5]),
            ]
        )
        naturals = [card for card in pool if card != wild_of(level)]
        wilds = rng.randrange(3)
        hand = rng.sample(naturals, min(len(naturals), rng.randint(4, largest) - wilds))
        if all(n <= 2 for n in Counter(hand).values()):
            setting = Setting(level, 10, rng.random() < 0.7)
            found.append(Position((*sorted(hand), *(wilds * [wild_of(level)])), setting))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_no_partition_of_a_small_hand_is_better(seed: int) -> None:
    for hand, setting in small_hands(seed, 400, 9):
        expected = best_score(hand, setting.level, setting.joker_pair)
        assert told(cost(hand, setting)) == expected, (hand, setting)


@settings(max_examples=60, deadline=None)
@given(positions(largest=10))
def test_plans_of_small_hands_are_the_best_there_are(position: Position) -> None:
    hand, setting = position
    plan = check(hand, setting)
    assert score(plan) == best_score(hand, setting.level, setting.joker_pair)


def random_hand(rng: random.Random, level: str, wilds: int) -> tuple[str, ...]:
    naturals = [card for card in full_pack() if card != wild_of(level)]
    return (*sorted(rng.sample(naturals, 27 - wilds)), *(wilds * [wild_of(level)]))


def test_search_finds_no_plan_of_27_cards_that_is_better() -> None:
    reached = 0
    for seed in range(24):
        rng = random.Random(seed)
        level = rng.choice(RANKS)
        hand = random_hand(rng, level, seed % 3)
        plan = check(hand, Setting(level))
        found = searched(rng, hand, level, 600)
        assert Counter(card for play in found for card in play[2]) == Counter(hand)
        assert all((shape, rank) in readings(cards, level) for shape, rank, cards in found)
        assert total(found, level) >= score(plan), (hand, level, found)
        reached += total(found, level)[0] == plan.turns
    # The search is no mean opponent.
    assert reached >= 8


@settings(max_examples=100, deadline=None)
@given(full_positions())
def test_without_one_of_its_plays_the_rest_of_a_plan_is_the_best_plan(position: Position) -> None:
    hand, setting = position
    plan = check(hand, setting)
    for play in as_moves(plan):
        rest = tuple((Counter(hand) - Counter(play[2])).elements())
        expected = [a - b for a, b in zip(score(plan), score_of(play, setting.level), strict=True)]
        assert list(told(cost(rest, setting))) == expected


@settings(max_examples=40, deadline=None)
@given(full_positions(), st.randoms(use_true_random=False))
def test_no_play_leads_to_less_than_the_plan(position: Position, rng: random.Random) -> None:
    hand, setting = position
    whole = cost(hand, setting)
    level, _, joker_pair = setting.words
    moves = gs.legal_moves(hand, setting.level, rules=setting.rules)
    moves = rng.sample(moves, min(len(moves), 30))
    rows = np.array([move.words for move in moves], np.int64)
    costs = np.zeros(len(rows), np.int64)
    costs_after(*cards_to_words(hand), level, joker_pair, rows, costs, WORK)
    for move, left in zip(moves, costs.tolist(), strict=True):
        rest = tuple((Counter(hand) - Counter(move.cards)).elements())
        assert left == cost(rest, setting)
        one = score_of((move.shape, move.rank, move.cards), setting.level)
        assert tuple(a + b for a, b in zip(told(left), one, strict=True)) >= told(whole)


KNOWN = [
    # Bombs alone need no turn; eight of a kind are two; so are nine.
    ("S9 D9 C9 H9 SB SB HR HR", "2", (0, 2, 0)),
    ("S9 S9 H9 H9 C9 C9 D9 D9", "2", (0, 2, 0)),
    ("S9 S9 H9 H9 C9 C9 D9 D9 H2", "2", (0, 2, 0)),
    # Bombs are broken to take losers along in full houses of triples that are none.
    ("SA SA HA HA CA CA S3 D3 S4 D4", "2", (2, 0, 0)),
    ("SA SA HA HA CA CA DA S3 D3", "2", (1, 1, 0)),
    ("SA SA HA HA CA CA DA DA S3 D3", "2", (1, 1, 0)),
    # A straight flush rather than a straight, and rather than a bomb of four where that costs more.
    ("S5 S6 S7 S8 S9 D9", "2", (1, 1, 1)),
    ("S9 H9 C9 D9 S5 S6 S7 S8", "2", (1, 1, 0)),
    ("S5 S6 S7 S8 D9", "2", (1, 0, 0)),
    # Wilds save a turn where they can, else a loser, else they make a bomb larger.
    ("S4 D5 C6 D8 H2", "2", (1, 0, 0)),
    ("SA D3 C3 S3 H3 H2", "2", (1, 1, 0)),
    # A wild is a level card of its own if nothing else is there to join.
    ("SB HR H5", "5", (3, 0, 0)),
    ("SB SB H5 H5", "5", (2, 0, 0)),
    # Pairs feed full houses, jokers too.
    ("S9 D9 C9 SB SB", "2", (1, 0, 0)),
    ("S9 D9 C9 SK DK CK SA DA S4 D4", "2", (2, 0, 0)),
    # The level's rank is natural in a sequence, high in a single.
    ("S4 D5 C6 S7 D8", "6", (1, 0, 0)),
    ("S6", "6", (1, 0, 0)),
    # Aces are low and high; a card is in one straight flush only.
    ("DA D2 D3 D4 D5 DT DJ DQ DK SA", "7", (1, 1, 0)),
    ("S5 S6 S6 S7 S7 S8 S8 S9 S9 ST ST SJ D7 D8 D9", "2", None),
    ("S5 S6 S7 S8 S9 ST D6 D7 D8 D9", "2", None),
    ("", "2", (0, 0, 0)),
]


@pytest.mark.parametrize(("cards", "level", "expected"), KNOWN)
def test_known_hands(cards: str, level: str, expected: Score | None) -> None:
    """``expected``: turns, bombs, losers; None where the search through all partitions tells."""
    hand = tuple(cards.split())
    plan = check(hand, GUIDE._replace(level=level))
    if expected is None:
        assert score(plan) == best_score(hand, level)
    else:
        assert (plan.turns, plan.bombs, plan.losers) == expected


def test_pairs_of_jokers_feed_full_houses_only_where_the_rules_let_them() -> None:
    hand = "S9 D9 C9 SB SB"
    assert gs.plan(hand, "2").turns == 1
    assert gs.plan(hand, "2", "short_game").turns == 2


@pytest.mark.parametrize(
    "cards",
    [
        "HA H9 S8 C8 D8 S7 H7 C7 D7 S6 H6 C6 D6 S5 H5 C5 D5 S4 H4 C4 D4 S3 C3 D3 H3 H8 H8",
        "SA SK SK SQ SQ SJ SJ ST ST S9 S9 S8 S8 DK DQ DQ DJ DT DT D9 D8 D8 DA DA CA H8 H8",
    ],
)
def test_hands_of_many_straight_flushes_fit_the_work_memory(cards: str) -> None:
    hand = tuple(cards.split())
    plan = check(hand, Setting("8"))
    rng = random.Random(1)
    assert total(searched(rng, hand, "8", 600), "8") >= score(plan)
    assert cost(hand, Setting("8")) < NO_PLAN


def test_a_play_of_the_plan_is_taken_out_of_it_and_another_is_not() -> None:
    one, two = cards_to_words("S3 S9 D9 C9 SK DK H2")
    rows = np.zeros((MOST_PLAYS, 4), np.int64)
    n, whole = plan_plays(one, two, 1, 1, WORK, rows)
    before = rows[:n].tolist()
    _, _, take_one, take_two = before[0]
    assert drop_play(rows, n, *cards_to_words("S3 S9")) == n
    assert rows[:n].tolist() == before
    assert drop_play(rows, n, take_one, take_two) == n - 1
    assert sorted(rows[: n - 1].tolist()) == sorted(before[1:])
    rest = plan_cost(one & ~take_one | two & take_one, two & ~take_one, 1, 1, WORK)
    assert rest < whole


def test_memory_that_served_for_other_hands_serves_again() -> None:
    rng = random.Random(3)
    for wilds in (2, 0, 1):
        hand = random_hand(rng, "5", wilds)
        words = cards_to_words(hand)
        fresh = plan_cost(*words, 4, 1, np.zeros(WORK_SIZE, np.int64))
        assert plan_cost(*words, 4, 1, WORK) == fresh


def test_text_of_a_plan() -> None:
    plan = gs.plan("S3 S9 D9 C9 H9 HR", level="2")
    assert str(plan) == (
        "2 turns, 1 bomb, 1 loser\nsingle 3: S3 (loser)\nsingle HR: HR\nbomb 9: S9 H9 C9 D9"
    )
    assert [str(gs.Move.parse(line.removesuffix(" (loser)"))) for line in str(plan).split("\n")[1:]]


@pytest.mark.parametrize(
    ("hand", "level", "error", "words"),
    [
        (["S9", "S9", "S9"], "2", gs.HandError, "3 copies of S9"),
        (full_pack()[:28], "2", gs.HandError, "28 cards"),
        ("S9 X9", "2", gs.CardParseError, "'X9' is not a card"),
        ("S9", "11", gs.CardParseError, "'11' is not a level"),
    ],
)
def test_bad_hands_are_refused(
    hand: str | list[str], level: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        gs.plan(hand, level)
