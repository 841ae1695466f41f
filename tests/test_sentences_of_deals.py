"""What the rule texts say of tricks, going out, levels and tribute, a test a rule, under all five
presets made of them.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from games import PausedMatch, independent_deal
from test_sentences import RANKS, TEXTS, answers, deal_of, every_text, legal, steps

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim.cards import CARD_NUMBERS

# --- Tricks ---------------------------------------------------------------------------------------


@every_text
def test_the_leader_plays_any_shape_and_may_not_pass(rules: str) -> None:
    deal = deal_of("S3 D3 SB", "S4", "C4", "D4", rules=rules)
    assert legal(deal) == {"single 3: S3", "single 3: D3", "pair 3: S3 D3", "single SB: SB"}
    with pytest.raises(gs.IllegalMoveError, match="leads and must play"):
        deal.pass_()


@every_text
def test_one_may_pass_though_able_to_beat(rules: str) -> None:
    deal = deal_of("S5 S6", "S9 S8", "C4", "D4", rules=rules)
    steps(deal, "S5")
    assert legal(deal) == {"pass", "single 9: S9", "single 8: S8"}
    steps(deal, "-")
    assert (deal.to_move, deal.hands[1]) == (2, ("S9", "S8"))


@every_text
def test_who_cannot_beat_may_only_pass(rules: str) -> None:
    deal = deal_of("SQ CQ S6", "SJ CJ SB", "C4", "D4", rules=rules)
    steps(deal, "SQ CQ")
    assert legal(deal) == {"pass"}


@every_text
@pytest.mark.parametrize(
    ("hand", "to_beat", "expected"),
    [
        ("SK DK SA", "single Q: SQ", {"single K: SK", "single K: DK", "single A: SA"}),
        ("SK DK CK SA", "pair Q: SQ DQ", {"pair K: SK DK", "pair K: SK CK", "pair K: CK DK"}),
        ("S4 D5 C6 S7 D8 DA", "straight 7: S3 D4 C5 S6 D7", {"straight 8: D8 S7 C6 D5 S4"}),
        ("S9 D9 C9 H9", "single HR: HR", {"bomb 9: S9 H9 C9 D9"}),
    ],
)
def test_only_the_same_shape_higher_or_a_bomb_answers(
    hand: str, to_beat: str, expected: set[str], rules: str
) -> None:
    assert answers(hand, to_beat, rules, "2") == {"pass", *expected}


@every_text
def test_after_three_passes_the_last_player_leads_any_shape(rules: str) -> None:
    deal = deal_of("S5 D5 S9", "S6 S7", "ST SJ", "D6 D7", rules=rules)
    steps(deal, "S9", "-", "ST", "-", "-")
    if rules != "ace_reset":
        assert deal.to_beat is not None  # two passes, and 1 may still answer
        steps(deal, "-")
    assert (deal.to_move, deal.to_beat, legal(deal)) == (2, None, {"single J: SJ"})
    again = deal_of("S5 D5 S9", "S6 S7", "C4 C6", "D6 D7", rules=rules)
    steps(again, "S9", "-", "-", "-")
    assert legal(again) == {"single 5: S5", "single 5: D5", "pair 5: S5 D5"}


@every_text
def test_cards_played_never_come_back(rules: str) -> None:
    deal = deal_of("S5 D5 S9", "SJ S7", "C4 C6", "D6 D7", rules=rules)
    steps(deal, "S9", "SJ", "-", "-", "-")
    assert deal.hands == (("S5", "D5"), ("S7",), ("C6", "C4"), ("D7", "D6"))
    with pytest.raises(gs.IllegalMoveError, match="does not hold SJ"):
        deal.play("SJ")


@every_text
def test_a_bomb_waits_for_its_turn(rules: str) -> None:
    deal = deal_of("S5 S6", "S3 S4", "S9 C9 D9 H9 C3", "D6 D7", rules=rules)
    steps(deal, "S5")
    with pytest.raises(gs.IllegalMoveError, match="seat 1 does not hold"):
        deal.play("S9 C9 D9 H9")
    steps(deal, "-", "S9 C9 D9 H9")
    assert legal(deal) == {"pass"}


@every_text
def test_nobody_has_to_follow_suit(rules: str) -> None:
    deal = deal_of("S5 S6", "S3 D9", "C4", "D4", rules=rules)
    steps(deal, "S5")
    assert legal(deal) == {"pass", "single 9: D9"}  # the spade is no answer, nor a must


# --- Going out ------------------------------------------------------------------------------------


@every_text
def test_players_are_placed_as_their_hands_empty(rules: str) -> None:
    deal = deal_of("S5", "S6", "S3 S4", "S7 S8", rules=rules)
    placed = [list(deal.finish_order)]
    for move in ("S5", "S6", "-", "S7"):
        steps(deal, move)
        placed.append(list(deal.finish_order))
    assert placed == [[], [0], [0, 1], [0, 1], [0, 1]]
    assert not deal.done


@every_text
def test_a_deal_ends_at_once_when_both_of_a_team_are_out(rules: str) -> None:
    sweep = deal_of("S5", "S6 S9", "S7", "SJ S3", rules=rules)
    steps(sweep, "S5", "-", "S7")
    assert (sweep.done, sweep.to_move, sweep.finish_order) == (True, None, (0, 2, 1, 3))
    third = deal_of("S5", "S6", "S7", "SJ S3", rules=rules)
    steps(third, "S5", "S6", "S7")
    assert (third.done, third.finish_order) == (True, (0, 1, 2, 3))
    last = deal_of("S5", "S6", "SJ S3", "S7", rules=rules)
    steps(last, "S5", "S6", "-", "S7")
    assert (last.done, last.finish_order) == (True, (0, 1, 3, 2))


# --- Levels ---------------------------------------------------------------------------------------

ONE_TWO, ONE_THREE, ONE_FOUR = "0213", "0123", "0132"


@every_text
@pytest.mark.parametrize(
    ("order", "levels", "gain"),
    [
        (ONE_TWO, ("5", "4"), 3),
        (ONE_THREE, ("4", "4"), 2),
        (ONE_FOUR, ("3", "4"), 1),
        ("1302", ("2", "7"), 3),
        ("3012", ("2", "6"), 2),
        ("3021", ("2", "5"), 1),
    ],
)
def test_the_first_finishers_team_alone_moves_up_3_2_or_1(
    order: str, levels: tuple[str, str], gain: int, rules: str
) -> None:
    for owner in (0, 1):
        done = gs.settle(order, ("2", "4"), owner, rules=rules)
        assert (done.levels, done.gain, done.owner) == (levels, gain, int(order[0]) % 2)


@every_text
def test_levels_go_rank_by_rank_to_the_top_and_no_further(rules: str) -> None:
    top = "T" if rules == "short_game" else "A"
    ladder = RANKS[: RANKS.index(top) + 1]
    for level, following in pairwise(ladder):
        done = gs.settle(ONE_FOUR, ("2", level), 1, rules=rules)
        assert done.levels == ("3", level)
        done = gs.settle("1203", ("2", level), 1, rules=rules)
        assert (done.levels[0], done.levels[1], done.match_winner) == ("2", following, None)
    for level in ladder[-4:-1]:
        done = gs.settle(ONE_TWO, (level, "2"), 0, rules=rules)
        assert (done.levels, done.match_winner) == ((top, "2"), None)


@pytest.mark.parametrize("rules", ["guide", "ace_reset", "short_game", "kawu"])
@pytest.mark.parametrize(
    ("order", "owner", "winner"),
    [
        (ONE_TWO, 0, 0),
        (ONE_THREE, 0, 0),
        (ONE_FOUR, 0, None),
        (ONE_TWO, 1, None),
        (ONE_THREE, 1, None),
        ("1302", 0, None),
        ("1302", 1, 1),
    ],
)
def test_a_match_is_won_first_with_the_partner_not_last_in_a_deal_at_the_own_top(
    order: str, owner: int, winner: int | None, rules: str
) -> None:
    top = "T" if rules == "short_game" else "A"
    done = gs.settle(order, (top, top), owner, rules=rules)
    assert (done.match_winner, done.levels) == (winner, (top, top))


@pytest.mark.parametrize("owner", [0, 1])
@pytest.mark.parametrize(
    ("order", "levels", "dwellers", "winner"),
    [
        (ONE_TWO, ("A", "5"), (), 0),
        (ONE_FOUR, ("A", "5"), (1,), 0),
        (ONE_TWO, ("A", "5"), (1, 3), 0),
        (ONE_TWO, ("A", "5"), (0,), None),
        (ONE_TWO, ("A", "5"), (2,), None),
        (ONE_TWO, ("A", "5"), (0, 2), None),
        (ONE_TWO, ("K", "A"), (1,), None),
        ("1302", ("A", "5"), (0,), None),
    ],
)
def test_wikipedias_match_is_won_by_going_out_first_at_the_ace_unless_a_member_was_dweller(
    order: str, levels: tuple[str, str], dwellers: tuple[int, ...], winner: int | None, owner: int
) -> None:
    done = gs.settle(order, levels, owner, previous_last=dwellers, rules="wikipedia")
    assert done.match_winner == winner


@pytest.mark.parametrize("rules", ["guide", "wikipedia", "short_game", "kawu"])
def test_no_number_of_failures_at_the_top_sets_a_team_back(rules: str) -> None:
    top = "T" if rules == "short_game" else "A"
    failures = (0, 0)
    for _ in range(6):
        done = gs.settle(ONE_FOUR, (top, "5"), 0, failures, previous_last=(2,), rules=rules)
        assert (done.levels, done.match_winner) == ((top, "5"), None)
        failures = done.failures


def test_ace_reset_sets_a_team_back_to_2_after_three_failures_and_counts_anew() -> None:
    failures, levels = (0, 0), ("A", "5")
    counted = []
    for _ in range(3):
        done = gs.settle(ONE_FOUR, levels, 0, failures, rules="ace_reset")
        assert done.match_winner is None
        failures, levels = done.failures, done.levels
        counted.append((done.failures[0], done.levels[0]))
    assert counted == [(1, "A"), (2, "A"), (0, "2")]


@pytest.mark.parametrize("rules", ["guide", "ace_reset", "short_game", "kawu"])
@pytest.mark.parametrize(("order", "played"), [("0123", (0, "5")), ("1032", (1, "8"))])
def test_the_level_of_the_last_deals_winners_is_played(
    order: str, played: tuple[int, str], rules: str
) -> None:
    for jokers in ("S6", "HR HR"):
        hands = ["S3", "S4", "S5", jokers]
        assert gs.active_level(order, hands, ("5", "8"), rules) == played


@every_text
def test_a_match_ends_when_it_is_won_and_not_before(rules: str) -> None:
    match = gs.Match(seed=4, rules=rules, bots="greedy")
    while match.phase != "done":
        assert match.winner is None
        match.play_deal()
    top = "T" if rules == "short_game" else "A"
    assert match.winner is not None
    assert match.levels[match.winner] == top


# --- Tribute --------------------------------------------------------------------------------------


@every_text
def test_there_is_tribute_from_the_second_deal_on(rules: str) -> None:
    for number in range(8):
        match = gs.Match(seed=5, number=number, rules=rules, bots="random")
        assert (match.phase, match.tributes, match.state[lay.V_TRIBUTE]) == ("play", [], 0)
        for _ in range(3):
            match.play_deal()
            if match.phase == "done":
                break
            words = match.state
            first, second = words[lay.V_PREVIOUS : lay.V_PREVIOUS + 2].tolist()
            assert words[lay.V_TRIBUTE] == (2 if (first ^ second) == 2 else 1)
            assert match.phase == ("play" if words[lay.V_CANCELLED] else "tribute")


@every_text
@pytest.mark.parametrize(("order", "payer"), [("0123", 3), ("0132", 2), ("3012", 2), ("3021", 1)])
def test_the_last_gives_the_first_its_highest_card_and_leads_also_between_partners(
    order: str, payer: int, rules: str
) -> None:
    hands = ["S3 SB", "SK H5 S4", "SA H5 DA", "S5 H2"]
    cards = {1: "SK", 2: "SA", 3: "S5"}
    expected = gs.Tribute(False, [(payer, int(order[0]), cards[payer])], payer)
    assert gs.tribute(order, hands, "5", rules) == expected


@every_text
def test_a_wild_heart_is_never_given(rules: str) -> None:
    assert gs.tribute_options("H5 H5 SA S3", "5", rules) == ["SA"]
    assert gs.tribute_options("H5 D5 SA S3", "5", rules) == ["D5"]
    assert gs.tribute_options("H5 SB SA S3", "5", rules) == ["SB"]
    assert gs.tribute_options("H6 H5 S3", "5", rules) == ["H6"]


@every_text
def test_what_may_be_returned_at_level_5(rules: str) -> None:
    hand = "S2 S3 S4 H5 S5 S6 S7 S8 S9 ST SJ SQ SK SA SB HR"
    options = gs.return_options(hand, "5", received="HR", rules=rules)
    if rules == "short_game":
        assert options == ["ST", "S9", "S8", "S7", "S6", "S5", "H5", "S4", "S3", "S2"]
    else:
        assert options == ["ST", "S9", "S8", "S7", "S6", "S4", "S3", "S2"]


def tribute_deal(rules: str, order: str, *hands: str) -> PausedMatch:
    """A deal of these hands at level 5 after that finish."""
    return independent_deal(
        1, 0, rules, level=4, previous=order, hands=[hand.split() for hand in hands]
    )


def given(table: PausedMatch, seat: int) -> list[int]:
    """The cards given, as the seat sees them."""
    words = table.view(seat).words
    return [int(words[lay.V_CARD + i * lay.V_TRIBUTE_WIDTH]) for i in range(2)]


@every_text
def test_after_a_sweep_both_pay_each_receiver_returns_to_its_payer_and_the_higher_leads(
    rules: str,
) -> None:
    table = tribute_deal(rules, "0213", "S3 S4 C6", "SK C3 C4", "D3 D4 D6", "SA H3 H4")
    for card in ("SK", "SA", "S3", "D4"):
        assert (table.phase, table.leader) in (("tribute", None), ("return", None))
        table.step(card)
    assert table.tributes == [(3, 0, "SA", "S3"), (1, 2, "SK", "D4")]
    assert table.hands == (
        ("SA", "C6", "S4"),
        ("C4", "D4", "C3"),
        ("SK", "D6", "D3"),
        ("H4", "S3", "H3"),
    )
    assert (table.phase, table.leader, table.to_move) == ("play", 3, 3)


@every_text
def test_a_single_tribute_is_answered_by_one_card_and_the_payer_leads(rules: str) -> None:
    table = tribute_deal(rules, "0123", "S3 S4 C6", "SK C3 C4", "D3 D4 D6", "SA H3 H4")
    assert (table.phase, table.to_move, table.options()) == ("tribute", 3, ["SA"])
    table.step("SA")
    assert (table.phase, table.to_move, table.options()) == ("return", 0, ["C6", "S4", "S3"])
    table.step("S4")
    assert table.tributes == [(3, 0, "SA", "S4")]
    assert table.hands[0] == ("SA", "C6", "S3")
    assert table.hands[3] == ("S4", "H4", "H3")
    assert (table.phase, table.leader, table.to_move) == ("play", 3, 3)


@every_text
def test_the_cards_given_are_seen_by_all_before_play(rules: str) -> None:
    table = tribute_deal(rules, "0213", "S3 S4 C6", "SK C3 C4", "D3 D4 D6", "SA H3 H4")
    for card in ("SK", "SA"):
        table.step(card)
    both = [CARD_NUMBERS["SA"], CARD_NUMBERS["SK"]]
    assert [given(table, seat) for seat in range(4)] == [both] * 4


@every_text
@pytest.mark.parametrize("order", ["0123", "0213"])
def test_both_red_jokers_with_the_payer_cancel_and_the_first_of_the_last_deal_leads(
    order: str, rules: str
) -> None:
    hands = ["S3 S4", "SK C3", "D3 D4", "HR HR"]
    table = tribute_deal(rules, order, *hands)
    assert (table.phase, table.leader, table.to_move, table.tributes) == ("play", 0, 0, [])
    assert [sorted(hand) for hand in table.hands] == [sorted(hand.split()) for hand in hands]


def test_a_seat_sees_its_own_hand_only() -> None:
    for rules in TEXTS:
        one = deal_of("S5 S6", "S3 D9", "C4 C8", "D4 D8", rules=rules)
        other = deal_of("S5 S6", "C4 C8", "S3 D8", "D4 D9", rules=rules)
        assert (one.view(0).words == other.view(0).words).all()
        assert one.view(0).hand == ("S6", "S5")
