"""The oracle against the rules' worked examples and against independently enumerated positions."""

from __future__ import annotations

import gzip
import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from oracle import (
    PASS,
    RANKS,
    Play,
    Reading,
    beats,
    full_pack,
    legal_moves,
    power,
    readings,
    readings_by_every_card,
)

DATA = Path(__file__).parent / "data"
# The largest hands take seconds each; a spread sample of the others covers every kind of position.
LARGEST_HAND = 20
EVERY = 3


def load_cases(name: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / name, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def bombs(rank: str) -> set[Reading]:
    return {("bomb", rank)}


def shapes(shape: str, ranks: str) -> set[Reading]:
    return {(shape, rank) for rank in ranks.split()}


@pytest.mark.parametrize("name", ["legal_moves.jsonl.gz", "legal_moves_strict.jsonl.gz"])
def test_oracle_gives_exactly_the_listed_moves(name: str) -> None:
    cases = [case for case in load_cases(name) if len(case["hand"]) <= LARGEST_HAND]
    for case in cases[::EVERY]:
        held = case["to_beat"]
        to_beat = held and (held["shape"], held["rank"], len(held["cards"]))
        rules = case["rules"]
        found = legal_moves(
            case["hand"], case["level"], to_beat, rules["max_bomb"], rules["full_house_joker_pair"]
        )
        listed = [(shape, rank, tuple(cards)) for shape, rank, cards in case["legal"]]
        assert len(set(listed)) == len(listed)
        assert found == set(listed), f"case {case['id']} of {name}"


READINGS: list[tuple[str, str, set[Reading]]] = [
    # Wilds and jokers
    ("SB H2", "2", set()),
    ("HR H2", "2", set()),
    ("SB SB H2 H2", "2", set()),
    ("SB SB HR", "2", set()),
    ("SB HR", "2", set()),
    ("SB SB H2", "2", set()),
    ("SB SB", "2", {("pair", "SB")}),
    ("HR HR", "2", {("pair", "HR")}),
    ("SB SB HR HR", "2", {("joker_bomb", "")}),
    ("SB SB HR HR H2", "2", set()),
    ("SB HR HR H2", "2", set()),
    ("H2", "2", {("single", "2")}),
    ("H2 H2", "2", {("pair", "2")}),
    ("H2", "3", {("single", "2")}),
    ("H2 S9", "2", {("pair", "9")}),
    ("H2 S2", "2", {("pair", "2")}),
    ("H2 H2 S9", "2", {("triple", "9")}),
    ("H2 H2 S2", "2", {("triple", "2")}),
    ("H2 H2 S9 H9", "2", {("bomb", "9")}),
    ("H2 S9 D8", "2", set()),
    # Full houses
    ("S8 D8 S9 D9 H2", "2", shapes("full_house", "8 9")),
    ("S9 C9 D9 H2 H2", "2", {("bomb", "9"), ("full_house", "9")}),
    ("S2 C2 D2 H2 H2", "2", {("bomb", "2"), ("full_house", "2")}),
    ("S9 C9 D9 H9 H2", "2", bombs("9")),
    ("S7 C7 H7 SK CK", "7", shapes("full_house", "7 K")),
    ("S9 C9 H2 SB SB", "2", {("full_house", "9")}),
    ("S9 H2 H2 SB SB", "2", {("full_house", "9")}),
    ("S9 C9 D9 SB HR", "2", set()),
    ("S9 C9 HR HR SB", "2", set()),
    # Tubes and plates
    ("S5 D5 S6 D6 H2 H2", "2", {("tube", "7"), ("tube", "6"), ("plate", "6")}),
    ("SA CA S2 C2 H7 H7", "7", {("tube", "3"), ("plate", "2")}),
    ("SA DA SK DK SQ DQ", "2", {("tube", "A")}),
    ("SA DA S2 D2 S3 D3", "5", {("tube", "3")}),
    ("SK DK SA DA S2 D2", "5", set()),
    ("SA DA CA S2 D2 C2", "5", {("plate", "2")}),
    ("SA DA CA SK DK CK", "5", {("plate", "A")}),
    ("S3 D3 C3 S5 D5 C5", "4", set()),
    ("S6 D6 C6 S7 D7 C7", "7", {("plate", "7")}),
    # Straights
    ("ST DJ CQ DK HA", "A", shapes("straight", "A K")),
    ("SJ CQ HK H5 H5", "5", shapes("straight", "A K")),
    ("SA D2 C3 D4 S5", "2", {("straight", "5")}),
    ("SA D2 C3 S4 C5", "A", {("straight", "5")}),
    ("S4 D5 S6 C7 D8", "6", {("straight", "8")}),
    ("SJ HQ CK DA S2", "3", set()),
    ("SJ HQ CK DA S2", "2", set()),
    ("ST HJ CQ DK SB", "2", set()),
    ("S3 H4 C5 D6 S7 H8", "2", set()),
    ("S3 H4 C5 D6", "2", set()),
    # Straight flushes
    ("S5 S6 S7 S8 S9", "2", {("straight_flush", "9")}),
    ("S5 S6 S7 S8 H2", "2", shapes("straight_flush", "9 8") | shapes("straight", "9 8")),
    ("H4 H5 H6 H7 H7", "7", shapes("straight_flush", "8 7 6") | shapes("straight", "8 7 6")),
    ("SA S2 S3 S4 S5", "6", {("straight_flush", "5")}),
    ("S5 S6 D7 S8 H2", "2", shapes("straight", "9 8")),
    ("H3 H4 H5 H6 H7", "7", shapes("straight_flush", "7 6") | shapes("straight", "7 6")),
]


@pytest.mark.parametrize(("cards", "level", "expected"), READINGS)
def test_readings_of_the_rules_examples(cards: str, level: str, expected: set[Reading]) -> None:
    assert readings(cards.split(), level) == expected
    assert readings_by_every_card(cards.split(), level) == expected


def test_short_game_has_no_joker_pair_in_a_full_house() -> None:
    assert readings(["S9", "C9", "H2", "SB", "SB"], "2", joker_pair=False) == set()
    assert readings(["S9", "C9", "D9", "HR", "HR"], "2", joker_pair=False) == set()
    assert readings(["HR", "HR"], "2", joker_pair=False) == {("pair", "HR")}


@pytest.mark.parametrize("wilds", [1, 2])
def test_eight_nines_and_wilds_are_a_bomb_of_nine_or_ten_but_not_where_eight_is_the_most(
    wilds: int,
) -> None:
    cards = 2 * ["S9", "H9", "C9", "D9"] + wilds * ["H2"]
    assert readings(cards, "2") == bombs("9")
    assert readings(cards, "2", max_bomb=8) == set()
    assert readings(cards[wilds:], "2", max_bomb=8) == bombs("9")
    size = len(cards)
    assert any(move[0] == "bomb" and len(move[2]) == size for move in legal_moves(cards, "2"))
    assert max(len(move[2]) for move in legal_moves(cards, "2", max_bomb=8)) == 8


def test_shortcut_for_suits_changes_no_reading() -> None:
    rng = random.Random(20)
    pack = full_pack()
    for trial in range(300):
        level = rng.choice(RANKS)
        size = rng.choice((3, 4, 5, 5, 5, 6, 6))
        low = rng.randrange(13)
        near = [c for c in pack if c in ("SB", "HR") or (RANKS.index(c[1]) - low) % 13 < 4]
        wilds = trial % 3
        cards = rng.sample(near, size - wilds) + wilds * ["H" + level]
        if cards.count("H" + level) <= 2:
            assert readings(cards, level) == readings_by_every_card(cards, level), (cards, level)


def test_each_reading_and_each_choice_of_cards_is_its_own_move() -> None:
    hand = ["S8", "D8", "S9", "D9", "H2"]
    whole = tuple(sorted(hand))
    fives = {move for move in legal_moves(hand, "2") if len(move[2]) == 5}
    assert fives == {("full_house", "8", whole), ("full_house", "9", whole)}
    # The two copies of a card are one card; the wild makes a pair with either suit.
    assert legal_moves(["S8", "S8", "H2"], "2") == {
        ("single", "8", ("S8",)),
        ("single", "2", ("H2",)),
        ("pair", "8", ("S8", "S8")),
        ("pair", "8", ("H2", "S8")),
        ("triple", "8", ("H2", "S8", "S8")),
    }


def test_a_follower_may_always_pass_and_a_leader_never() -> None:
    assert legal_moves(["S3"], "2", ("single", "4", 1)) == {PASS}
    assert legal_moves(["S3"], "2", ("single", "3", 1)) == {PASS}
    assert PASS not in legal_moves(["S3"], "2")


BOMB_LADDER: list[Play] = [
    ("bomb", "A", 4),
    ("bomb", "3", 5),
    ("straight_flush", "5", 5),
    ("straight_flush", "A", 5),
    ("bomb", "3", 6),
    ("bomb", "3", 7),
    ("bomb", "3", 8),
    ("bomb", "3", 9),
    ("bomb", "3", 10),
    ("joker_bomb", "", 4),
]


def test_bomb_ladder_size_first_then_rank() -> None:
    for lower, higher in pairwise(BOMB_LADDER):
        assert beats(higher, lower, "2")
        assert not beats(lower, higher, "2")
    for bomb in BOMB_LADDER:
        assert not beats(bomb, bomb, "2")
        for plain in (("single", "HR", 1), ("full_house", "2", 5), ("plate", "A", 6)):
            assert beats(bomb, plain, "2")
            assert not beats(plain, bomb, "2")


LEVEL_FIVE: list[tuple[Play, Play, bool]] = [
    (("straight", "5", 5), ("straight", "T", 5), False),  # A2345 does not beat 6789T
    (("straight", "6", 5), ("straight", "5", 5), True),
    (("bomb", "6", 6), ("bomb", "5", 4), True),
    (("bomb", "2", 6), ("straight_flush", "A", 5), True),
    (("straight_flush", "5", 5), ("bomb", "5", 5), True),
    (("bomb", "5", 4), ("bomb", "A", 4), True),
    (("single", "5", 1), ("single", "A", 1), True),
    (("single", "5", 1), ("single", "SB", 1), False),
    (("single", "HR", 1), ("single", "SB", 1), True),
    (("pair", "HR", 2), ("pair", "SB", 2), True),
    (("pair", "K", 2), ("single", "3", 1), False),
    (("full_house", "5", 5), ("full_house", "A", 5), True),
    (("tube", "5", 6), ("tube", "6", 6), False),
    (("tube", "3", 6), ("tube", "4", 6), False),  # AA2233 is the lowest
    (("plate", "2", 6), ("plate", "3", 6), False),  # AAA222 is the lowest
    (("plate", "5", 6), ("plate", "4", 6), True),
    (("plate", "A", 6), ("tube", "3", 6), False),
    (("single", "9", 1), ("single", "9", 1), False),
]


@pytest.mark.parametrize(("a", "b", "expected"), LEVEL_FIVE)
def test_beats_at_level_five(a: Play, b: Play, expected: bool) -> None:
    assert beats(a, b, "5") is expected


def test_order_of_singles_puts_the_level_between_ace_and_jokers() -> None:
    order = [*"234689TJQKA", "5"]
    order.insert(order.index("8"), "7")
    assert sorted([*RANKS, "HR", "SB"], key=lambda r: power(r, "5")) == [*order, "SB", "HR"]
