"""Cards, levels and hands between text and words."""

from __future__ import annotations

import pytest
from hypothesis import given
from oracle import RANKS, full_pack
from strategies import Position, full_positions

import guandan_sim as gs
from guandan_sim.cards import (
    CARD_CODES,
    CARD_NUMBERS,
    RANK_WORDS,
    card_codes,
    cards_to_words,
    display_order,
    parse_cards,
    parse_level,
    words_to_cards,
)


def test_there_are_54_kinds_of_card_and_number_is_four_times_rank_plus_suit() -> None:
    assert set(CARD_CODES.values()) == set(full_pack())
    assert len(CARD_CODES) == 54
    assert CARD_NUMBERS["S2"] == 4
    assert CARD_NUMBERS["HA"] == 4 * 13 + 1
    assert CARD_NUMBERS["CT"] == 4 * 9 + 2
    assert (CARD_NUMBERS["SB"], CARD_NUMBERS["HR"]) == (56, 60)
    assert all(CARD_CODES[number] == code for code, number in CARD_NUMBERS.items())
    assert RANK_WORDS[1:] == (*RANKS, "SB", "HR")


def test_cards_are_read_in_either_case_with_blanks_or_commas_and_ten_either_way() -> None:
    assert parse_cards(" s10,hT  d9\tSB,HR ") == ["ST", "HT", "D9", "SB", "HR"]
    assert parse_cards(["S10", "h2"]) == ["ST", "H2"]
    assert parse_cards(code for code in ("S9", "D9")) == ["S9", "D9"]
    assert parse_cards("") == parse_cards([]) == []


NO_CARDS = ("S1", "S11", "S0", "X9", "9S", "10S", "S", "9", "BR", "RB", "S9D9", "♠9")


@pytest.mark.parametrize("code", NO_CARDS)
def test_what_is_no_card_is_named(code: str) -> None:
    with pytest.raises(gs.CardParseError, match=f"'{code}' is not a card"):
        parse_cards(f"S2 {code}")
    with pytest.raises(gs.CardParseError, match=f"'{code}' is not a card"):
        gs.legal_moves(["S2", code])


@pytest.mark.parametrize("cards", [None, 9, [9], [None], [["S9"]]])
def test_what_is_not_text_is_no_card(cards: object) -> None:
    with pytest.raises(gs.CardParseError, match="not"):
        parse_cards(cards)  # type: ignore[arg-type]


@given(full_positions())
def test_parsing_and_printing_hands_are_inverse(position: Position) -> None:
    words = cards_to_words(position.hand)
    shown = words_to_cards(*words)
    assert sorted(shown) == sorted(position.hand)
    assert cards_to_words(" ".join(shown)) == words
    assert cards_to_words(list(reversed(shown))) == words
    assert words[1] & ~words[0] == 0
    assert words[0].bit_count() + words[1].bit_count() == 27


def test_the_whole_pack_is_two_of_each() -> None:
    one, two = cards_to_words(full_pack())
    assert one == two
    assert sorted(words_to_cards(one, two)) == sorted(full_pack())
    assert len(card_codes(one)) == 54


def test_display_order_is_jokers_then_falling_natural_rank_then_spade_heart_club_diamond() -> None:
    codes = list(dict.fromkeys(display_order(full_pack())))
    expected = ["HR", "SB"] + [suit + rank for rank in reversed(RANKS) for suit in "SHCD"]
    assert codes == expected


@pytest.mark.parametrize(
    ("cards", "count", "code"), [("S9 S9 S9", 3, "S9"), ("HR H2 HR HR HR", 4, "HR")]
)
def test_a_third_copy_is_named(cards: str, count: int, code: str) -> None:
    with pytest.raises(gs.HandError, match=f"hand has {count} copies of {code}"):
        gs.legal_moves(cards)


def test_levels_are_ranks_and_ten_is_t() -> None:
    assert [parse_level(word) for word in RANKS] == list(range(1, 14))
    assert parse_level("10") == parse_level(10) == parse_level(" t ") == 9
    assert parse_level(7) == 6
    assert gs.legal_moves("ST", "10") == gs.legal_moves("ST", "T")


@pytest.mark.parametrize("level", ["1", "11", "0", "", "SB", "HR", "X", "110", None, 1.5, True, 1])
def test_what_is_no_level_is_named(level: object) -> None:
    with pytest.raises(gs.CardParseError, match=f"{level!r} is not a level"):
        parse_level(level)
    with pytest.raises(gs.CardParseError, match="is not a level"):
        gs.legal_moves("S9", level)  # type: ignore[arg-type]


def test_every_error_is_a_guandan_error() -> None:
    for error in (gs.CardParseError, gs.HandError, gs.MoveParseError, gs.AmbiguousMoveError):
        assert issubclass(error, gs.GuandanError)
    assert issubclass(gs.AmbiguousMoveError, gs.MoveParseError)
    assert issubclass(gs.GuandanError, ValueError)
