"""Moves: what cards may be declared as, who beats whom, text both ways."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import JOKERS, RANKS, beats, full_pack, readings
from strategies import Position, Setting, play_of, plays_to_beat, positions, settings_of_play

import guandan_sim as gs
from guandan_sim.shapes import kind_of, outranks, strength_of

EIGHT_NINES = "S9 S9 H9 H9 C9 C9 D9 D9"

# The rule, the level, the cards, and every declaration of them under the guide's rules.
READINGS = {
    # Jokers and wilds
    "a wild does not pair with the black joker": ("2", "SB H2", ""),
    "a wild does not pair with the red joker": ("2", "HR H2", ""),
    "wilds do not stand for jokers": ("2", "SB SB H2 H2", ""),
    "a wild does not complete the joker bomb": ("2", "SB HR HR H2", ""),
    "three jokers are nothing": ("2", "SB SB HR", ""),
    "jokers of two colours do not pair": ("2", "SB HR", ""),
    "there is no joker triple": ("2", "SB SB H2", ""),
    "black jokers pair": ("2", "SB SB", "pair SB"),
    "red jokers pair": ("2", "HR HR", "pair HR"),
    "all four jokers are the joker bomb": ("2", "SB SB HR HR", "joker_bomb"),
    "the joker bomb takes no wild": ("2", "SB SB HR HR H2", ""),
    "a wild alone is a level card": ("2", "H2", "single 2"),
    "two wilds are the level pair and nothing else": ("2", "H2 H2", "pair 2"),
    "the heart of another level is not wild": ("3", "H2 S9", ""),
    "a wild makes a pair": ("2", "H2 S9", "pair 9"),
    "a wild pairs with its own rank": ("2", "H2 S2", "pair 2"),
    "two wilds make a triple": ("2", "H2 H2 S9", "triple 9"),
    "two wilds make the level triple": ("2", "H2 H2 S2", "triple 2"),
    "a wild joins only one rank": ("2", "H2 S9 D8", ""),
    # Bombs
    "two wilds make a bomb": ("2", "S9 H9 H2 H2", "bomb 9"),
    "three nines and a heart nine that is not wild": ("2", "S9 C9 D9 H9", "bomb 9"),
    "four naturals and a wild are a bomb only": ("2", "S9 C9 D9 H9 H2", "bomb 9"),
    "a bomb of the level": ("2", "S2 C2 D2 H2", "bomb 2"),
    "eight of a rank": ("2", EIGHT_NINES, "bomb 9"),
    "eight of a rank and a wild": ("2", EIGHT_NINES + " H2", "bomb 9"),
    "eight of a rank and both wilds": ("2", EIGHT_NINES + " H2 H2", "bomb 9"),
    "eight of the level": ("9", EIGHT_NINES, "bomb 9"),
    "no bomb of two ranks": ("2", "S9 C9 D9 H9 S8", ""),
    # Full houses
    "a wild completes either triple": ("2", "S8 D8 S9 D9 H2", "full_house 8, full_house 9"),
    "three and both wilds": ("2", "S9 C9 D9 H2 H2", "bomb 9, full_house 9"),
    "three level cards and both wilds": ("2", "S2 C2 D2 H2 H2", "bomb 2, full_house 2"),
    "a level pair with its wild": ("7", "S7 C7 H7 SK CK", "full_house 7, full_house K"),
    "both wilds beside a pair and a card": ("7", "SK CK SQ H7 H7", "full_house K, full_house Q"),
    "a pair of black jokers": ("2", "S9 C9 H2 SB SB", "full_house 9"),
    "a pair of red jokers": ("2", "S9 C9 D9 HR HR", "full_house 9"),
    "a card, both wilds and a pair of jokers": ("2", "S9 H2 H2 SB SB", "full_house 9"),
    "jokers of two colours are no pair in it": ("2", "S9 C9 D9 SB HR", ""),
    "jokers are no triple in it": ("2", "S9 C9 HR HR SB", ""),
    "a wild is no joker in it": ("2", "S9 C9 D9 HR H2", ""),
    # Tubes and plates
    "tube": ("3", "S5 D5 S6 D6 S7 D7", "tube 7"),
    "two pairs and both wilds": ("2", "S5 D5 S6 D6 H2 H2", "plate 6, tube 6, tube 7"),
    "two low pairs and both wilds": ("7", "SA CA S2 C2 H7 H7", "plate 2, tube 3"),
    "two high pairs and both wilds": ("7", "SA CA SK CK H7 H7", "plate A, tube A"),
    "a pair, two cards and both wilds": ("2", "S5 D5 S6 S7 H2 H2", "tube 7"),
    "highest tube": ("2", "SA DA SK DK SQ DQ", "tube A"),
    "lowest tube": ("5", "SA DA S2 D2 S3 D3", "tube 3"),
    "no tube around the corner": ("5", "SK DK SA DA S2 D2", ""),
    "lowest plate": ("5", "SA DA CA S2 D2 C2", "plate 2"),
    "highest plate": ("5", "SA DA CA SK DK CK", "plate A"),
    "the level keeps its place in a plate": ("7", "S6 D6 C6 S7 D7 C7", "plate 7"),
    "the wild takes its own place in a plate": ("7", "S6 D6 C6 S7 D7 H7", "plate 7"),
    "a gap is no plate": ("4", "S3 D3 C3 S5 D5 C5", ""),
    "three and a card with both wilds": ("2", "S5 D5 C5 S6 H2 H2", "plate 6"),
    "four of a rank are no plate": ("2", "S5 D5 C5 H5 S6 S6", ""),
    # Straights
    "a wild at either end": ("A", "ST DJ CQ DK HA", "straight A, straight K"),
    "two wilds at the top": ("5", "SJ CQ HK H5 H5", "straight A, straight K"),
    "two wilds inside": ("5", "S8 CT HQ H5 H5", "straight Q"),
    "ace low": ("2", "SA D2 C3 D4 S5", "straight 5"),
    "ace low at level ace": ("A", "SA D2 C3 S4 C5", "straight 5"),
    "ace high": ("A", "ST DJ CQ SK CA", "straight A"),
    "ace low or the run above it": ("A", "S2 D3 C4 S5 HA", "straight 5, straight 6"),
    "the level keeps its place": ("6", "S4 D5 S6 C7 D8", "straight 8"),
    "no straight around the corner": ("3", "SJ HQ CK DA S2", ""),
    "no straight around the corner with a wild": ("2", "SQ SK CA D3 H2", ""),
    "no joker in a straight": ("2", "ST HJ CQ DK SB", ""),
    "four in a row are nothing": ("2", "S3 H4 C5 D6", ""),
    "six in a row are nothing": ("2", "S3 H4 C5 D6 S7 H8", ""),
    # Straight flushes
    "five of a suit are a straight flush only": ("2", "S5 S6 S7 S8 S9", "straight_flush 9"),
    "ace low flush": ("6", "SA S2 S3 S4 S5", "straight_flush 5"),
    "ace high flush": ("6", "ST SJ SQ SK SA", "straight_flush A"),
    "four of a suit and a wild": (
        "2",
        "S5 S6 S7 S8 H2",
        "straight 8, straight 9, straight_flush 8, straight_flush 9",
    ),
    "five hearts, one of them wild": (
        "7",
        "H3 H4 H5 H6 H7",
        "straight 6, straight 7, straight_flush 6, straight_flush 7",
    ),
    "five hearts, two of them wild": (
        "7",
        "H4 H5 H6 H7 H7",
        "straight 6, straight 7, straight 8, straight_flush 6, straight_flush 7, straight_flush 8",
    ),
    "another suit leaves a straight": ("2", "S5 S6 D7 S8 H2", "straight 8, straight 9"),
    "no flush around the corner": ("3", "SJ SQ SK SA S2", ""),
    "five of a suit with a gap": ("3", "S4 S5 S6 S7 S9", ""),
}


def declared(moves: list[gs.Move]) -> str:
    return ", ".join(sorted(f"{move.shape} {move.rank}".strip() for move in moves))


def declarations(cards: str, level: str, rules: gs.Rules | str = "guide") -> str:
    return ", ".join(
        sorted(f"{m.shape} {m.rank}".strip() for m in gs.readings(cards, level, rules))
    )


@pytest.mark.parametrize(("level", "cards", "expected"), READINGS.values(), ids=READINGS)
def test_readings(level: str, cards: str, expected: str) -> None:
    assert declarations(cards, level) == expected


@pytest.mark.parametrize(("level", "cards", "expected"), READINGS.values(), ids=READINGS)
def test_a_hand_may_be_led_whole_as_just_its_readings(
    level: str, cards: str, expected: str
) -> None:
    size = len(cards.split())
    led = [m for m in gs.legal_moves(cards, level) if len(m.cards) == size]
    assert declared(led) == expected


def test_no_pair_of_jokers_in_a_full_house_where_rules_say_so() -> None:
    for cards in ("S9 C9 H2 SB SB", "S9 C9 D9 HR HR", "S9 H2 H2 SB SB"):
        assert declarations(cards, "2", "short_game") == ""
    assert declarations("HR HR", "2", "short_game") == "pair HR"


@pytest.mark.parametrize("rules", ["ace_reset", "wikipedia"])
@pytest.mark.parametrize("wilds", ["H2", "H2 H2"])
def test_a_bomb_of_nine_or_ten_only_where_rules_say_so(rules: str, wilds: str) -> None:
    cards = f"{EIGHT_NINES} {wilds}"
    assert declarations(cards, "2", rules) == ""
    assert declarations(cards, "2", "guide") == "bomb 9"
    assert declarations(EIGHT_NINES, "2", rules) == "bomb 9"
    for preset, largest in ((rules, 8), ("guide", len(cards.split()))):
        bombs = [m for m in gs.legal_moves(cards, "2", rules=preset) if m.shape == "bomb"]
        assert max(len(m.cards) for m in bombs) == largest


def test_readings_of_no_cards_are_none() -> None:
    assert gs.readings("") == []


@st.composite
def near_combinations(draw: st.DrawFn) -> Position:
    """A handful of cards that is a combination or nearly one."""
    setting = draw(settings_of_play())
    plays = plays_to_beat(setting.level)
    cards = list(draw(st.sampled_from(plays)).cards)
    pack = sorted(set(full_pack()))
    for _ in range(draw(st.integers(0, 2))):
        cards[draw(st.integers(0, len(cards) - 1))] = draw(st.sampled_from(pack))
    if len(cards) > 2:
        for i in range(draw(st.integers(0, 2))):
            cards[i] = "H" + setting.level
    return Position(tuple(c for i, c in enumerate(cards) if cards[:i].count(c) < 2), setting)


@given(near_combinations())
@settings(max_examples=600)
def test_readings_are_those_of_the_oracle(position: Position) -> None:
    cards, setting = position
    found = [(m.shape, m.rank) for m in gs.readings(cards, setting.level, setting.rules)]
    assert len(found) == len(set(found))
    assert set(found) == readings(cards, *setting)


# --- Who beats whom -------------------------------------------------------------------------------

# Lowest to highest; each beats all before it.
LADDER = (
    "plate A: SA DA CA SK DK CK",
    "bomb 3: S3 D3 C3 H3",
    "bomb A: SA DA CA HA",
    "bomb 2: S2 D2 C2 H2",
    "bomb 3: S3 S3 D3 C3 H3",
    "straight_flush 5: SA S2 S3 S4 S5",
    "straight_flush A: ST SJ SQ SK SA",
    "bomb 3: S3 S3 D3 D3 C3 H3",
    "bomb 2: S2 S2 D2 D2 C2 C2",
    "bomb 3: S3 S3 D3 D3 C3 C3 H3",
    "bomb 3: S3 S3 D3 D3 C3 C3 H3 H3",
    "bomb 3: S3 S3 D3 D3 C3 C3 H3 H3 H2",
    "bomb 3: S3 S3 D3 D3 C3 C3 H3 H3 H2 H2",
    "joker_bomb: SB SB HR HR",
)


def test_bomb_ladder() -> None:
    moves = [gs.Move.parse(text) for text in LADDER]
    for i, lower in enumerate(moves):
        for j, higher in enumerate(moves):
            assert higher.beats(lower, "2") is (j > i)


# The rule, the level, the move, what it is laid on, whether it beats it.
BEATS = {
    "A2345 does not beat 6789T at level 5": (
        "5",
        "straight 5: SA D2 C3 D4 S5",
        "straight T: S6 D7 C8 D9 ST",
        False,
    ),
    "6789T beats A2345": ("5", "straight T: S6 D7 C8 D9 ST", "straight 5: SA D2 C3 D4 S5", True),
    "six sixes beat four fives at level 5": (
        "5",
        "bomb 6: S6 S6 C6 C6 D6 D6",
        "bomb 5: S5 C5 D5 H5",
        True,
    ),
    "six twos beat any straight flush": (
        "5",
        "bomb 2: S2 S2 C2 C2 D2 D2",
        "straight_flush A: ST SJ SQ SK SA",
        True,
    ),
    "AA2233 is the lowest tube": (
        "9",
        "tube 3: SA CA S2 C2 S3 C3",
        "tube 4: S2 C2 S3 C3 S4 C4",
        False,
    ),
    "AAA222 is the lowest plate": (
        "9",
        "plate 2: SA CA DA S2 C2 D2",
        "plate 3: S2 C2 D2 S3 C3 D3",
        False,
    ),
    "the level beats the ace": ("5", "single 5: S5", "single A: SA", True),
    "the ace does not beat the level": ("5", "single A: SA", "single 5: S5", False),
    "the wild is just a level card": ("5", "single 5: H5", "single 5: S5", False),
    "the black joker beats the wild": ("5", "single SB: SB", "single 5: H5", True),
    "the red joker beats the black": ("5", "single HR: HR", "single SB: SB", True),
    "equal strength does not beat": ("5", "single 9: S9", "single 9: D9", False),
    "a six beats a four past the level": ("5", "single 6: S6", "single 4: S4", True),
    "a pair does not beat a single": ("5", "pair A: SA DA", "single 3: S3", False),
    "a full house compares by its triple": (
        "5",
        "full_house 9: S9 D9 C9 S3 D3",
        "full_house 8: S8 D8 C8 SA DA",
        True,
    ),
    "a full house of the level is the highest": (
        "5",
        "full_house 5: S5 D5 C5 S3 D3",
        "full_house A: SA DA CA S3 D3",
        True,
    ),
    "a tube of the level is in its natural place": (
        "5",
        "tube 5: S3 D3 S4 D4 S5 D5",
        "tube 6: S4 D4 S5 D5 S6 D6",
        False,
    ),
    "a bomb beats any ordinary play": ("5", "bomb 2: S2 C2 D2 H2", "single HR: HR", True),
    "an ordinary play never beats a bomb": ("5", "single HR: HR", "bomb 2: S2 C2 D2 H2", False),
    "suits do not break ties of straight flushes": (
        "5",
        "straight_flush 9: C5 C6 C7 C8 C9",
        "straight_flush 9: S5 S6 S7 S8 S9",
        False,
    ),
    "any play beats a pass": ("5", "single 2: S2", "pass", True),
    "a pass beats nothing": ("5", "pass", "single 2: S2", False),
    "a pass does not beat a pass": ("5", "pass", "pass", False),
}


@pytest.mark.parametrize(("level", "move", "other", "expected"), BEATS.values(), ids=BEATS)
def test_beats(level: str, move: str, other: str, expected: bool) -> None:
    assert gs.Move.parse(move).beats(gs.Move.parse(other), level) is expected


@pytest.mark.parametrize("level", "27TA")
def test_who_beats_whom_is_as_the_oracle_says_for_every_pair_of_plays(level: str) -> None:
    number = RANKS.index(level) + 1
    rated = []
    for move in plays_to_beat(level):
        shape, rank, _, _ = move.words
        strength = strength_of(shape, rank, len(move.cards), number)
        rated.append((play_of(move), (kind_of(shape), strength)))
    for a, a_rating in rated:
        for b, b_rating in rated:
            assert outranks(*a_rating, *b_rating) == beats(a, b, level), (a, b)


# --- Text -----------------------------------------------------------------------------------------


@given(positions(largest=9))
@settings(max_examples=60)
def test_parsing_and_printing_a_move_are_inverse(position: Position) -> None:
    hand, setting = position
    for move in gs.legal_moves(hand, setting.level, "single 3: S3", setting.rules):
        assert gs.Move.parse(str(move)) == move
        assert gs.Move.from_words(*move.words) == move


def test_texts_of_moves() -> None:
    text = "full_house 9: S9 D9 S8 D8 H2"
    move = gs.Move.parse(text)
    assert (move.shape, move.rank) == ("full_house", "9")
    assert move.cards == ("S9", "D9", "S8", "D8", "H2")
    assert str(move) == text
    assert str(gs.Move.parse("joker_bomb: SB HR SB HR")) == "joker_bomb: HR HR SB SB"
    assert str(gs.Move.parse(" Pass ")) == "pass"


@pytest.mark.parametrize(
    "text", ["pair 10: S10 D10", "PAIR t: dt, st", "pair T:DT ST", "  pair  T :  ST  DT "]
)
def test_ten_is_written_either_way_and_case_and_blanks_do_not_matter(text: str) -> None:
    assert str(gs.Move.parse(text)) == "pair T: ST DT"


def test_cards_of_a_move_are_in_display_order() -> None:
    move = gs.Move("bomb", "T", ("HT", "DT", "CT", "ST"))
    assert move.cards == ("ST", "HT", "CT", "DT")
    assert move == gs.Move("bomb", "T", ("ST", "HT", "CT", "DT"))
    jokers = gs.Move("joker_bomb", "", ("SB", "HR", "SB", "HR"))
    assert jokers.cards == ("HR", "HR", "SB", "SB")


def test_bare_cards_with_one_reading_are_that_move() -> None:
    assert str(gs.Move.parse("S9 D9", level="2")) == "pair 9: S9 D9"
    assert str(gs.Move.parse("S9 C9 H2 SB SB", level="2")) == "full_house 9: SB SB S9 C9 H2"


def test_bare_cards_with_several_readings_are_ambiguous_and_the_error_lists_them() -> None:
    with pytest.raises(gs.AmbiguousMoveError, match="full_house 8 or as full_house 9"):
        gs.Move.parse("S8 D8 S9 D9 H2", level="2")


def test_bare_cards_without_a_reading_are_illegal() -> None:
    with pytest.raises(gs.IllegalMoveError, match="'SB H2' is no combination at level 2"):
        gs.Move.parse("SB H2", level="2")
    with pytest.raises(gs.IllegalMoveError, match="at level 2"):
        gs.Move.parse("S9 C9 H2 SB SB", level="2", rules="short_game")


@pytest.mark.parametrize(
    "text",
    [
        "S9 D9",  # bare cards, but no level
        "twin 9: S9 D9",
        "pair 1: S9 D9",
        "pair 9 9: S9 D9",
        "pair 9: S9 X9",
        "pair 9: S9 D9 D11",
        ": S9 D9",
        "pass: S9",
        "",
    ],
)
def test_texts_that_are_no_move(text: str) -> None:
    with pytest.raises(gs.MoveParseError, match=repr(text) if "1:" not in text else "'1'"):
        gs.Move.parse(text)


def test_a_declaration_without_cards_says_what_is_missing() -> None:
    for text in ("pair 8", "Single 3", "joker_bomb"):
        with pytest.raises(gs.MoveParseError, match=f"'{text}' has no cards; write them too, as"):
            gs.Move.parse(text, level="2")


def test_something_that_is_no_text_is_no_move() -> None:
    with pytest.raises(gs.MoveParseError, match="None"):
        gs.Move.parse(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["S9 X9", "S1", "9S 9D", "HT HB", "S9 D0"])
def test_bare_cards_that_are_no_cards(text: str) -> None:
    with pytest.raises(gs.CardParseError, match="is not a card"):
        gs.Move.parse(text, level="2")


def test_a_move_of_no_shape_or_rank() -> None:
    with pytest.raises(gs.MoveParseError, match="'trio' is not a shape"):
        gs.Move("trio", "9", ("S9",))
    with pytest.raises(gs.MoveParseError, match="'1' is not a rank"):
        gs.Move("single", "1", ("S9",))
    with pytest.raises(gs.CardParseError, match="'Z9' is not a card"):
        gs.Move("single", "9", ("Z9",))


@pytest.mark.parametrize(
    "text",
    [
        "pair 9: S9 D8",
        "full_house 8: S9 C9 D9 S8 S8",
        "straight 9: S5 S6 S7 S8 S9",
        "straight_flush 9: S5 S6 D7 S8 S9",
        "triple 9: S9 H2 H2 D9",
        "bomb 9: S9 D9 C9",
        "straight A: SJ HQ CK DA S3",
        "joker_bomb: SB SB HR H2",
        "joker_bomb HR: SB SB HR HR",
        "single: S9",
        "pair 2: H2 S9",
        "plate 6: S5 D5 C5 S6 D6",
    ],
)
def test_a_play_to_beat_must_be_what_it_says(text: str) -> None:
    with pytest.raises(gs.IllegalMoveError, match="cannot be"):
        gs.legal_moves("S3 D3", "2", to_beat=text)


def test_a_wrong_declaration_is_answered_with_the_right_ones() -> None:
    with pytest.raises(gs.IllegalMoveError, match=r"they may be full_house 8.* or full_house 9"):
        gs.legal_moves("S3", "2", to_beat="full_house 2: S8 D8 S9 D9 H2")


def test_third_copies_are_no_hand() -> None:
    for ask in (
        lambda: gs.legal_moves("S9 S9 S9", "2"),
        lambda: gs.readings("S9 S9 S9", "2"),
        lambda: gs.legal_moves("S3", "2", to_beat="triple 9: S9 S9 S9"),
        lambda: gs.Move.parse("S9 S9 S9", level="2"),
    ):
        with pytest.raises(gs.HandError, match="3 copies of S9"):
            ask()


def test_a_leader_may_not_pass_and_a_follower_always_may() -> None:
    assert "pass" not in [m.shape for m in gs.legal_moves("S3", "2")]
    assert "pass" not in [m.shape for m in gs.legal_moves("S3", "2", to_beat="pass")]
    assert [str(m) for m in gs.legal_moves("S3", "2", to_beat="single 3: D3")] == ["pass"]
    assert [str(m) for m in gs.legal_moves("S4", "2", to_beat="single 3: D3")] == [
        "pass",
        "single 4: S4",
    ]


def test_the_two_copies_of_a_card_are_one_card() -> None:
    assert sorted(str(m) for m in gs.legal_moves("S8 S8 H2", level="2")) == [
        "pair 8: S8 H2",
        "pair 8: S8 S8",
        "single 2: H2",
        "single 8: S8",
        "triple 8: S8 S8 H2",
    ]


def test_legal_moves_come_by_shape_and_rank() -> None:
    moves = gs.legal_moves("S8 S9 C9 D9 ST SJ SQ SB H2 H2", level="2", to_beat="single 3: S3")
    moves += gs.legal_moves("S8 S9 C9 D9 ST SJ SQ SB H2 H2", level="2")
    order = [m.words[:2] for m in moves]
    first_lead = next(i for i, m in enumerate(moves) if i and order[i] < order[i - 1])
    assert order[:first_lead] == sorted(order[:first_lead])
    assert order[first_lead:] == sorted(order[first_lead:])


def test_hands_and_moves_to_beat_are_text_lists_or_moves() -> None:
    hand = "S9 D9 HT"
    expected = gs.legal_moves(hand, "2", "single 8: C8")
    assert gs.legal_moves(["S9", "D9", "HT"], "2", gs.Move("single", "8", ("C8",))) == expected
    assert gs.legal_moves(("d9", "h10", "s9"), "2", "C8") == expected
    assert {m.rank for m in expected} == {"", "9", "T"}


def test_ranks_and_shapes_are_those_of_the_contract() -> None:
    moves = plays_to_beat("2")
    assert {m.shape for m in moves} == {
        *("single", "pair", "triple", "full_house", "straight", "tube", "plate"),
        *("bomb", "straight_flush", "joker_bomb"),
    }
    assert {m.rank for m in moves} == {*RANKS, *JOKERS, ""}
    for move in moves:
        assert move in gs.readings(move.cards, "2")
    assert Setting("2").rules == gs.Rules.preset("guide")
