"""The edge cases of a deal, with the answers of our reading of the rules, under every preset.

Those between deals are in `test_edge_cases_between_deals`.
"""

from __future__ import annotations

import pytest

import guandan_sim as gs

PRESETS = (
    "guide",
    "ace_reset",
    "wikipedia",
    "short_game",
    "kawu",
    "official",
    "pagat",
    "openguandan",
)
every_preset = pytest.mark.parametrize("rules", PRESETS)


def deal_of(*hands: str, leader: int = 0, level: str = "2", rules: str = "guide") -> gs.Deal:
    """A deal of these hands; an empty one is out already."""
    return gs.Deal(level=level, rules=rules, hands=hands, leader=leader)


def steps(deal: gs.Deal, *moves: str) -> None:
    """Plays and passes ("-"), seat after seat."""
    for move in moves:
        deal.play("pass" if move == "-" else move)


def legal(deal: gs.Deal) -> set[str]:
    """What the seat to move may do, as text."""
    return {str(move) for move in deal.legal_moves()}


# --- Tricks ---------------------------------------------------------------------------------------


@every_preset
def test_0_goes_out_1_2_3_pass_and_2_leads(rules: str) -> None:
    deal = deal_of("S9", "S3 S4", "C3 C5", "D3 D4", rules=rules)
    steps(deal, "S9", "-", "-")
    assert (deal.to_move, str(deal.to_beat), legal(deal)) == (3, "single 9: S9", {"pass"})
    steps(deal, "-")
    assert (deal.to_move, deal.to_beat) == (2, None)
    assert legal(deal) == {"single 3: C3", "single 5: C5"}


@every_preset
def test_0_goes_out_1_beats_it_2_3_pass_and_1_leads(rules: str) -> None:
    deal = deal_of("S9", "ST S4 S6", "C3 C5", "D3 D5", rules=rules)
    steps(deal, "S9", "ST", "-", "-")
    assert (deal.to_move, deal.to_beat) == (1, None)
    # And nobody inherits later: the next trick is 1's own, too.
    steps(deal, "S6", "-", "-")
    assert (deal.to_move, deal.to_beat, legal(deal)) == (1, None, {"single 4: S4"})


@every_preset
def test_3_is_out_0_goes_out_1_2_pass_and_2_leads(rules: str) -> None:
    deal = deal_of("S9", "S3 S4", "C3 C5", "", rules=rules)
    steps(deal, "S9", "-")
    assert (deal.to_move, str(deal.to_beat)) == (2, "single 9: S9")
    steps(deal, "-")
    assert (deal.to_move, deal.to_beat, deal.finish_order) == (2, None, (3, 0))


@every_preset
def test_3_is_out_0_leads_1_2_pass_and_0_leads(rules: str) -> None:
    deal = deal_of("S9 S5", "S3 S4", "C3 C5", "", rules=rules)
    steps(deal, "S9", "-", "-")
    assert (deal.to_move, deal.to_beat, legal(deal)) == (0, None, {"single 5: S5"})


@every_preset
def test_who_passed_is_asked_again_unless_passes_lock(rules: str) -> None:
    deal = deal_of("S5 S6", "S3 DA", "SK S4", "C3 C4", rules=rules)
    steps(deal, "S5", "-", "SK", "-", "-")
    if rules == "ace_reset":
        assert (deal.to_move, deal.to_beat, legal(deal)) == (2, None, {"single 4: S4"})
    else:
        assert (deal.to_move, str(deal.to_beat)) == (1, "single K: SK")
        assert legal(deal) == {"pass", "single A: DA"}


@every_preset
def test_only_a_pass_locks_and_the_leader_of_the_trick_may_still_play(rules: str) -> None:
    deal = deal_of("S5 SA S6", "S3 S7", "SK S4", "C3 C4", rules=rules)
    steps(deal, "S5", "-", "SK", "-")
    assert (deal.to_move, legal(deal)) == (0, {"pass", "single A: SA"})
    steps(deal, "SA")
    # 1 has passed before, 2 has not.
    assert deal.to_move == (2 if rules == "ace_reset" else 1)
    assert str(deal.to_beat) == "single A: SA"


def test_a_locked_seat_is_free_again_in_the_next_trick() -> None:
    deal = deal_of("S5 S6", "S3 DA", "SK S4", "C3 C4", rules="ace_reset")
    steps(deal, "S5", "-", "SK", "-", "-", "S4", "-", "-")
    assert (deal.to_move, legal(deal)) == (1, {"pass", "single A: DA"})


# --- Wilds and shapes -----------------------------------------------------------------------------

NINES = "S9 S9 H9 H9 C9 C9 D9 D9"

# The case, the level, the cards, all their readings; what differs by preset stands below.
READINGS = {
    "SB H2 is no play": ("2", "SB H2", ""),
    "HR H2 is no play": ("2", "HR H2", ""),
    "SB SB H2 H2 is no play": ("2", "SB SB H2 H2", ""),
    "SB SB HR is no play": ("2", "SB SB HR", ""),
    "SB HR is no play": ("2", "SB HR", ""),
    "three nines and both wilds": ("2", "S9 C9 D9 H2 H2", "bomb 9, full_house 9"),
    "four nines and a wild": ("2", "S9 C9 D9 H9 H2", "bomb 9"),
    "the level's triple with its wild beside kings": (
        "7",
        "S7 C7 H7 SK CK",
        "full_house 7, full_house K",
    ),
    "two nines, a wild, black jokers": ("2", "S9 C9 H2 SB SB", "full_house 9"),
    "5566 and both wilds": ("2", "S5 D5 S6 D6 H2 H2", "tube 7, tube 6, plate 6"),
    "AA22 and both wilds": ("7", "SA CA S2 C2 H7 H7", "tube 3, plate 2"),
    "TJQK and the wild ace": ("A", "ST DJ CQ DK HA", "straight A, straight K"),
    "JQK and both wilds": ("5", "SJ CQ HK H5 H5", "straight A, straight K"),
    "A2345 at level 2": ("2", "SA D2 C3 D4 S5", "straight 5"),
    "A2345 at level A": ("A", "SA D2 C3 S4 C5", "straight 5"),
    "45678 at level 6": ("6", "S4 D5 S6 C7 D8", "straight 8"),
    "JQKA2 is no play": ("5", "SJ HQ CK DA S2", ""),
    "eight nines": ("2", NINES, "bomb 9"),
    "eight nines and a wild": ("2", NINES + " H2", "bomb 9"),
    "eight nines and both wilds": ("2", NINES + " H2 H2", "bomb 9"),
    "five natural cards of a suit": ("2", "S5 S6 S7 S8 S9", "straight_flush 9"),
    "four cards of a suit and a wild": (
        "2",
        "S5 S6 S7 S8 H2",
        "straight_flush 9, straight_flush 8, straight 9, straight 8",
    ),
    "four hearts and two wilds among them": (
        "7",
        "H4 H5 H6 H7 H7",
        "straight_flush 8, straight_flush 7, straight_flush 6, straight 8, straight 7, straight 6",
    ),
}
OTHERWISE = {
    ("short_game", "two nines, a wild, black jokers"): "",
    ("ace_reset", "eight nines and a wild"): "",
    ("ace_reset", "eight nines and both wilds"): "",
    ("wikipedia", "eight nines and a wild"): "",
    ("wikipedia", "eight nines and both wilds"): "",
}


@every_preset
@pytest.mark.parametrize("case", READINGS)
def test_all_readings_and_no_other(case: str, rules: str) -> None:
    level, cards, common = READINGS[case]
    expected = {text for text in OTHERWISE.get((rules, case), common).split(", ") if text}
    found = [f"{move.shape} {move.rank}" for move in gs.readings(cards, level, rules)]
    assert (set(found), len(found)) == (expected, len(expected))
    # Each reading is a move of its own for who holds just these cards and leads.
    deal = deal_of(cards, "S3", "C3", "D3", level=level, rules=rules)
    whole = [move for move in deal.legal_moves() if len(move.cards) == len(cards.split())]
    assert {f"{move.shape} {move.rank}" for move in whole} == expected
    if not expected:
        with pytest.raises(gs.IllegalMoveError, match="is no combination at level"):
            deal.play(cards)


@every_preset
@pytest.mark.parametrize(
    ("level", "held", "beaten_by", "answers"),
    [
        pytest.param(
            "5",
            "S6 D7 S8 C9 ST",
            "SA D2 C3 D4 S5",
            {"pass"},
            id="level 5: A2345 does not beat 6789T",
        ),
        pytest.param(
            "5",
            "SA D2 C3 D4 S5",
            "S6 D7 S8 C9 ST",
            {"pass", "straight T: ST C9 S8 D7 S6"},
            id="level 5: 6789T beats A2345",
        ),
        pytest.param(
            "5",
            "S5 H5 C5 D5",
            "S6 S6 C6 C6 D6 D6",
            {
                "pass",
                "bomb 6: S6 S6 C6 C6 D6",
                "bomb 6: S6 S6 C6 D6 D6",
                "bomb 6: S6 C6 C6 D6 D6",
                "bomb 6: S6 S6 C6 C6 D6 D6",
            },
            id="level 5: six 6s beat four 5s, as five do and four do not",
        ),
        pytest.param(
            "2",
            "ST SJ SQ SK SA",
            "S3 S3 C3 C3 D3 D3",
            {"pass", "bomb 3: S3 S3 C3 C3 D3 D3"},
            id="six of a rank beat any straight flush, five do not",
        ),
        pytest.param(
            "9",
            "CT CJ CQ CK CA",
            "S2 S2 C2 C2 D2 D2",
            {"pass", "bomb 2: S2 S2 C2 C2 D2 D2"},
            id="222222 beats any straight flush",
        ),
        pytest.param(
            "9",
            "S2 S2 C2 C2 D2 D2",
            "CT CJ CQ CK CA",
            {"pass"},
            id="no straight flush beats 222222",
        ),
    ],
)
def test_what_beats_what(
    level: str, held: str, beaten_by: str, answers: set[str], rules: str
) -> None:
    deal = deal_of(f"{held} C7", f"{beaten_by} HQ", "C4", "D4", level=level, rules=rules)
    steps(deal, held)
    assert legal(deal) == answers
    if answers == {"pass"}:
        with pytest.raises(gs.IllegalMoveError, match="does not beat"):
            deal.play(beaten_by)
