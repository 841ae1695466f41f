"""What the rule texts say of cards and shapes, a test a rule, under all five presets made of them.

Tricks, levels and tribute are in `test_sentences_of_deals`; `SOURCES.md` names the test of each
sentence.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim.cards import CARD_CODES
from guandan_sim.rng import SETUP_STREAM, below, word

TEXTS = ("guide", "ace_reset", "wikipedia", "short_game", "kawu")
every_text = pytest.mark.parametrize("rules", TEXTS)
RANKS = "23456789TJQKA"
# At level 7, lowest first; both jokers are above.
ORDER_AT_7 = "2345689TJQKA7"


def deal_of(*hands: str, leader: int = 0, level: str = "2", rules: str = "guide") -> gs.Deal:
    return gs.Deal(level=level, rules=rules, hands=hands, leader=leader)


def steps(deal: gs.Deal, *moves: str) -> None:
    """Plays and passes ("-"), seat after seat."""
    for move in moves:
        deal.play("pass" if move == "-" else move)


def legal(deal: gs.Deal) -> set[str]:
    return {str(move) for move in deal.legal_moves()}


def answers(hand: str, to_beat: str, rules: str, level: str = "7") -> set[str]:
    return {str(move) for move in gs.legal_moves(hand, level, to_beat, rules)}


def readings(cards: str, level: str, rules: str) -> set[str]:
    return {f"{move.shape} {move.rank}".strip() for move in gs.readings(cards, level, rules)}


# --- The pack, the seats and the start ------------------------------------------------------------


@every_text
def test_108_cards_two_of_each_27_a_seat(rules: str) -> None:
    deal = gs.Deal(seed=2, rules=rules)
    assert [len(hand) for hand in deal.hands] == [27] * 4
    copies = Counter(card for hand in deal.hands for card in hand)
    cards = [suit + rank for suit in "SHCD" for rank in RANKS] + ["SB", "HR"]
    assert copies == dict.fromkeys(cards, 2)


def test_other_numbers_are_other_shuffles() -> None:
    assert len({gs.Deal(seed=2, number=number).hands for number in range(50)}) == 50


@every_text
def test_both_teams_start_at_2_and_the_first_deal_is_played_at_2(rules: str) -> None:
    match = gs.Match(seed=2, rules=rules)
    assert (match.levels, match.level) == (("2", "2"), "2")


@every_text
def test_seats_0_and_2_are_a_team_and_1_and_3_the_other(rules: str) -> None:
    for order, levels in {"0213": ("5", "2"), "1302": ("2", "5"), "2031": ("5", "2")}.items():
        assert gs.settle(order, ("2", "2"), 0, rules=rules).levels == levels
    deal = deal_of("S9", "ST", "SJ S3", "S4 D5", rules=rules)
    steps(deal, "S9", "ST")
    assert not deal.done  # neighbours are no partners
    steps(deal, "SJ", "-")
    assert (deal.to_move, deal.done) == (2, False)
    steps(deal, "S3")
    assert (deal.done, deal.finish_order) == (True, (0, 1, 2, 3))


@every_text
def test_the_turn_goes_to_the_right(rules: str) -> None:
    deal = deal_of("S5 S3", "S6 C3", "S7 D3", "S8 H3", leader=1, rules=rules)
    seats = [deal.to_move]
    for card in ("S6", "S7", "S8"):
        deal.play(card)
        seats.append(deal.to_move)
    assert seats == [1, 2, 3, 0]


@every_text
def test_one_level_and_its_wilds_are_the_same_for_both_teams(rules: str) -> None:
    deal = deal_of("S9 H7 H2", "DT H7 H2", "C3", "D3", level="7", rules=rules)
    assert [deal.view(seat).level for seat in range(4)] == ["7"] * 4
    assert {m for m in legal(deal) if m.startswith("pair")} == {"pair 9: S9 H7", "pair 2: H7 H2"}
    steps(deal, "pair 9: S9 H7")
    assert legal(deal) == {"pass", "pair T: DT H7"}


@every_text
@pytest.mark.parametrize("number", range(6))
def test_the_levels_of_both_teams_are_kept_and_seen_by_all(rules: str, number: int) -> None:
    match = gs.Match(seed=2, number=number, rules=rules, bots="greedy")
    match.play_deal()
    first, _, _, last = match.state[lay.V_PREVIOUS : lay.V_PREVIOUS + 4].tolist()
    assert match.levels[first % 2] in ("3", "4", "5")
    assert match.levels[1 - first % 2] == "2"
    # Tribute is due, and the level known: that of the winners, or in wikipedia of who will lead.
    losers_lead = rules == "wikipedia" and match.phase == "tribute"
    assert match.level == match.levels[last % 2 if losers_lead else first % 2]
    for seat in range(4):
        levels = match.view(seat).words[lay.V_LEVELS : lay.V_LEVELS + 2]
        assert tuple(RANKS[rank - 1] for rank in levels) == match.levels
        assert match.view(seat).level == match.level


def test_wikipedias_first_drawer_is_counted_by_the_card_turned_and_the_last_drawer_leads() -> None:
    for number in range(60):
        state = gs.Deal(seed=2, number=number, rules="wikipedia").state
        turner = int(below(word(int(state[lay.S_KEY]), SETUP_STREAM), 0, 4))
        card = CARD_CODES[int(state[lay.V_MARKED])]
        # The turner is one, the next seat two, and so on; an ace counts as one.
        first = turner + "A23456789TJQK".index(card[1])
        assert state[lay.V_LEADER] == (first + 107) % 4


# --- Who is higher --------------------------------------------------------------------------------


def same_rank(rank: str, size: int) -> str:
    """So many of a rank, the hearts of it last."""
    suits = "SCD" if size < 4 else "SSCCDDHH"
    return " ".join(suit + rank for suit in suits[:size])


@every_text
def test_singles_rank_2_to_ace_then_the_level_then_black_and_red_joker(rules: str) -> None:
    # Suits in turn, so that no straight flush is among them.
    cards = [f"{'SCD'[i % 3]}{rank}" for i, rank in enumerate(ORDER_AT_7)]
    plays = [f"single {card[1]}: {card}" for card in cards] + ["single SB: SB", "single HR: HR"]
    beaten = [f"single {rank}: H{rank}" for rank in ORDER_AT_7] + plays[-2:]
    for place, to_beat in enumerate(beaten):
        hand = " ".join([*cards, "SB", "HR"])
        assert answers(hand, to_beat, rules) == {"pass", *plays[place + 1 :]}


@pytest.mark.parametrize("shape", ["pair", "triple", "full_house", "bomb"])
def test_sets_of_a_rank_go_by_the_same_order(shape: str) -> None:
    size = {"pair": 2, "triple": 3, "full_house": 3, "bomb": 4}[shape]
    moves = []
    for rank in ORDER_AT_7:
        # The higher the triple, the lower the pair with it: only the triple counts.
        opposite = ORDER_AT_7[12 - ORDER_AT_7.index(rank)]
        other = opposite if opposite != rank else "4"
        pair = f" {same_rank(other, 2)}" if shape == "full_house" else ""
        moves.append(gs.Move.parse(f"{shape} {rank}: {same_rank(rank, size)}{pair}"))
    if shape == "pair":
        moves += [gs.Move.parse("pair SB: SB SB"), gs.Move.parse("pair HR: HR HR")]
    for i, j in product(range(len(moves)), repeat=2):
        assert moves[i].beats(moves[j], "7") == (i > j), (moves[i], moves[j])


@every_text
def test_equal_strength_does_not_beat_whatever_the_suit(rules: str) -> None:
    for suit, other in product("SHCD", repeat=2):
        assert answers(f"{suit}9", f"single 9: {other}9", rules) == {"pass"}
    assert answers("H7", "single 7: S7", rules) == {"pass"}
    assert answers("S9 H9", "pair 9: C9 D9", rules) == {"pass"}
    assert answers("S4 H5 C6 D7 S8", "straight 8: D4 C5 H6 S7 H8", rules, "2") == {"pass"}
    assert answers("S4 S5 S6 S7 S8", "straight_flush 8: H4 H5 H6 H7 H8", rules, "2") == {"pass"}
    assert answers("S9 S9 C9 C9", "bomb 9: H9 H9 D9 D9", rules) == {"pass"}


@pytest.mark.parametrize(
    ("shape", "copies", "width"),
    [("straight", 1, 5), ("straight_flush", 1, 5), ("tube", 2, 3), ("plate", 3, 2)],
)
@pytest.mark.parametrize("level", ["7", "A", "2"])
def test_sequences_go_by_their_highest_natural_rank(
    shape: str, copies: int, width: int, level: str
) -> None:
    ladder = "A" + RANKS  # an ace is low or high, and nothing goes on past it
    moves = []
    for start in range(len(ladder) - width + 1):
        run = ladder[start : start + width]
        suits = "SSSSS" if shape == "straight_flush" else "SCDSC"
        cards = [suits[(i + c) % 5] + rank for i, rank in enumerate(run) for c in range(copies)]
        if shape == "straight":
            cards[1] = "D" + cards[1][1]
        moves.append(gs.Move.parse(f"{shape} {run[-1]}: {' '.join(cards)}"))
        for rules in TEXTS:
            assert readings(" ".join(cards), level, rules) == {f"{shape} {run[-1]}"}
    assert len(moves) == {5: 10, 3: 12, 2: 13}[width]
    for i, j in product(range(len(moves)), repeat=2):
        assert moves[i].beats(moves[j], level) == (i > j), (moves[i], moves[j])


# --- Shapes ---------------------------------------------------------------------------------------

# Cards and all that they may be declared as; no wild is among them at level 2.
SHAPES = {
    "a card": ("S8", "single 8"),
    "a pair": ("SJ HJ", "pair J"),
    "a pair of two copies": ("SJ SJ", "pair J"),
    "three of a rank": ("S4 H4 D4", "triple 4"),
    "a triple and a pair": ("S7 C7 D7 S9 D9", "full_house 7"),
    "a straight": ("S3 D4 C5 S6 D7", "straight 7"),
    "the highest straight": ("ST DJ CQ SK DA", "straight A"),
    "the lowest straight": ("SA D2 C3 S4 D5", "straight 5"),
    "a tube": ("S5 D5 S6 D6 S7 D7", "tube 7"),
    "a tube of tens, jacks, queens": ("ST DT SJ DJ SQ DQ", "tube Q"),
    "the lowest tube": ("SA DA S2 D2 S3 D3", "tube 3"),
    "the highest tube": ("SQ DQ SK DK SA DA", "tube A"),
    "a plate": ("S8 H8 D8 S9 H9 D9", "plate 9"),
    "a plate of fours and fives": ("S4 H4 D4 S5 H5 D5", "plate 5"),
    "the lowest plate": ("SA HA DA S2 C2 D2", "plate 2"),
    "the highest plate": ("SK HK DK SA HA DA", "plate A"),
    "four of a rank": ("S6 H6 C6 D6", "bomb 6"),
    "five of a rank": ("S6 S6 H6 C6 D6", "bomb 6"),
    "six of a rank": ("S6 S6 H6 H6 C6 D6", "bomb 6"),
    "seven of a rank": ("S6 S6 H6 H6 C6 C6 D6", "bomb 6"),
    "eight of a rank": ("S6 S6 H6 H6 C6 C6 D6 D6", "bomb 6"),
    "a straight flush": ("S9 ST SJ SQ SK", "straight_flush K"),
    "the lowest straight flush": ("SA S2 S3 S4 S5", "straight_flush 5"),
    "black jokers": ("SB SB", "pair SB"),
    "red jokers": ("HR HR", "pair HR"),
    "all four jokers": ("SB SB HR HR", "joker_bomb"),
    "jokers of two colours": ("SB HR", ""),
    "three jokers": ("SB SB HR", ""),
    "two ranks": ("S8 S9", ""),
    "a triple and two single cards": ("S7 C7 D7 S9 DT", ""),
    "a triple and a card": ("S7 C7 D7 S9", ""),
    "a triple and two colours of joker": ("S7 C7 D7 SB HR", ""),
    "two jokers of a colour and three cards in a row": ("S7 C8 D9 SB SB", ""),
    "four in a row": ("S3 D4 C5 S6", ""),
    "six in a row": ("S3 D4 C5 S6 D7 S8", ""),
    "a gap in a straight": ("S3 D4 C5 S6 D8", ""),
    "a straight around the ace": ("SQ DK CA S2 D3", ""),
    "a joker in a straight": ("S3 D4 C5 S6 SB", ""),
    "two pairs in a row": ("S5 D5 S6 D6", ""),
    "four pairs in a row": ("S5 D5 S6 D6 S7 D7 S8 D8", ""),
    "three pairs with a gap": ("S5 D5 S6 D6 S8 D8", ""),
    "a tube around the ace": ("SK DK SA DA S2 D2", ""),
    "three triples in a row": ("S4 H4 D4 S5 H5 D5 S6 H6 D6", ""),
    "two triples with a gap": ("S4 H4 D4 S6 H6 D6", ""),
    "four of a suit in a row": ("S5 S6 S7 S8", ""),
    "six of a suit in a row": ("S5 S6 S7 S8 S9 ST", ""),
    "a straight flush around the ace": ("SQ SK SA S2 S3", ""),
    "five of a suit": ("S3 S5 S7 S9 SJ", ""),
}


@every_text
@pytest.mark.parametrize("case", SHAPES)
def test_shapes(case: str, rules: str) -> None:
    cards, expected = SHAPES[case]
    assert readings(cards, "2", rules) == ({expected} if expected else set())


@every_text
@pytest.mark.parametrize("jokers", ["SB SB", "HR HR"])
def test_a_pair_of_jokers_may_complete_a_full_house_but_in_short_game(
    jokers: str, rules: str
) -> None:
    expected = set() if rules == "short_game" else {"full_house 9"}
    assert readings(f"S9 C9 D9 {jokers}", "2", rules) == expected


# At level 7, the hearts of 7 wild.
WILDS = {
    "alone, a level card": ("H7", "single 7"),
    "both together, the level pair": ("H7 H7", "pair 7"),
    "in a pair": ("S9 H7", "pair 9"),
    "as its own rank": ("S7 H7", "pair 7"),
    "in a triple": ("S9 D9 H7", "triple 9"),
    "in either triple of a full house": ("S9 D9 S4 D4 H7", "full_house 9, full_house 4"),
    "in a straight, as 7 or as 2": ("S3 D4 C5 S6 H7", "straight 7, straight 6"),
    "in a tube": ("S8 D8 S9 D9 ST H7", "tube T"),
    "in a plate": ("S8 D8 C8 S9 D9 H7", "plate 9"),
    "in a bomb": ("S8 C8 D8 H7", "bomb 8"),
    "both in a bomb": ("S8 C8 H7 H7", "bomb 8"),
    "as a suit for a straight flush": ("S8 S9 SJ SQ H7", "straight_flush Q, straight Q"),
    "not as a black joker": ("SB H7", ""),
    "not as a red joker": ("HR H7", ""),
    "not as the fourth joker": ("SB HR HR H7", ""),
    "not the sevens of other suits": ("S9 C7", ""),
    "not the hearts of another rank": ("S9 H8", ""),
    "not a joker": ("S9 D9 SB", ""),
}


@every_text
@pytest.mark.parametrize("case", WILDS)
def test_what_a_wild_stands_for(case: str, rules: str) -> None:
    cards, expected = WILDS[case]
    assert readings(cards, "7", rules) == {text for text in expected.split(", ") if text}


@every_text
def test_two_meanings_of_the_same_cards_are_declared(rules: str) -> None:
    deal = deal_of("S9 D9 S4 D4 H7 C3", "C8 D8 H8 S5 D5", "C4", "D3", level="7", rules=rules)
    with pytest.raises(gs.AmbiguousMoveError, match="full_house 4 or as full_house 9"):
        deal.play("S9 D9 S4 D4 H7")
    other = deal.copy()
    steps(deal, "full_house 9: S9 D9 S4 D4 H7")
    steps(other, "full_house 4: S9 D9 S4 D4 H7")
    assert legal(deal) == {"pass"}
    assert legal(other) == {"pass", "full_house 8: H8 C8 D8 S5 D5"}


# --- What may be played on what -------------------------------------------------------------------

LOWEST = {
    "single": "single 2: S2",
    "pair": "pair 2: S2 C2",
    "triple": "triple 2: S2 C2 D2",
    "full_house": "full_house 2: S2 C2 D2 S3 C3",
    "straight": "straight 5: SA D2 C3 S4 D5",
    "tube": "tube 3: SA DA S2 D2 S3 D3",
    "plate": "plate 2: SA DA CA S2 D2 C2",
}
HIGHEST = {
    "single": "single HR: HR",
    "pair": "pair HR: HR HR",
    "triple": "triple 7: S7 C7 D7",
    "full_house": "full_house 7: S7 C7 D7 SA DA",
    "straight": "straight A: ST DJ CQ SK DA",
    "tube": "tube A: SQ DQ SK DK SA DA",
    "plate": "plate A: SK DK CK SA DA CA",
}


@every_text
@pytest.mark.parametrize(("shape", "other"), list(product(LOWEST, HIGHEST)))
def test_an_ordinary_shape_is_beaten_by_a_higher_one_of_the_same_only(
    shape: str, other: str, rules: str
) -> None:
    highest = gs.Move.parse(HIGHEST[other])
    found = gs.legal_moves(highest.cards, "7", LOWEST[shape], rules)
    assert (highest in found) == (shape == other)


@every_text
@pytest.mark.parametrize("shape", HIGHEST)
def test_the_lowest_bomb_beats_the_highest_ordinary_play_and_never_the_reverse(
    shape: str, rules: str
) -> None:
    bomb = "bomb 2: S2 H2 C2 D2"
    assert answers("S2 H2 C2 D2", HIGHEST[shape], rules) == {"pass", bomb}
    highest = gs.Move.parse(HIGHEST[shape])
    assert answers(" ".join(highest.cards), bomb, rules) == {"pass"}


# Lowest first; nines and tens of a rank only where a bomb may have so many.
LADDER = (
    "bomb 3: S3 H3 C3 D3",
    "bomb 4: S4 H4 C4 D4",
    "bomb 3: S3 S3 H3 C3 D3",
    "bomb 4: S4 S4 H4 C4 D4",
    "straight_flush 5: SA S2 S3 S4 S5",
    "straight_flush 6: S2 S3 S4 S5 S6",
    "bomb 3: S3 S3 H3 H3 C3 D3",
    "bomb 4: S4 S4 H4 H4 C4 D4",
    "bomb 3: S3 S3 H3 H3 C3 C3 D3",
    "bomb 3: S3 S3 H3 H3 C3 C3 D3 D3",
    "bomb 3: S3 S3 H3 H3 C3 C3 D3 D3 H7",
    "bomb 3: S3 S3 H3 H3 C3 C3 D3 D3 H7 H7",
    "joker_bomb: SB SB HR HR",
)


@every_text
def test_the_ladder_of_bombs(rules: str) -> None:
    allowed = [
        text for text in LADDER if "H7" not in text or rules not in ("ace_reset", "wikipedia")
    ]
    assert len(allowed) == (11 if rules in ("ace_reset", "wikipedia") else 13)
    for i, j in product(range(len(allowed)), repeat=2):
        move = gs.Move.parse(allowed[i])
        found = gs.legal_moves(move.cards, "7", allowed[j], rules)
        assert (move in found) == (i > j), (allowed[i], allowed[j])
