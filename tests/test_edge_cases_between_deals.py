"""The edge cases of tribute and levels, and the notes on them, with the answers of our reading of
the rules, under every preset.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from games import PausedMatch, independent_deal
from test_edge_cases import PRESETS, every_preset

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim.cards import CARD_NUMBERS

# --- Tribute --------------------------------------------------------------------------------------


@every_preset
@pytest.mark.parametrize(
    ("hand", "options"),
    [
        pytest.param("H7 S7 SA DA", ["S7"], id="H7 S7 SA DA: S7"),
        pytest.param("H7 SA DA SK", ["SA", "DA"], id="H7 SA DA SK: SA or DA"),
        pytest.param("HR SB SA", ["HR"], id="HR SB SA: HR"),
    ],
)
def test_the_highest_card_but_the_wild_at_level_7(
    hand: str, options: list[str], rules: str
) -> None:
    assert gs.tribute_options(hand, "7", rules) == options


@pytest.mark.parametrize(
    ("rules", "options"),
    [(rules, ["DT", "S3"]) for rules in PRESETS if rules not in ("short_game", "pagat")]
    + [("short_game", ["DT", "S5", "S3"]), ("pagat", ["SJ", "DT", "S5", "S3"])],
)
def test_what_the_receiver_of_S5_S3_DT_SJ_may_return_at_level_5(
    rules: str, options: list[str]
) -> None:
    assert gs.return_options("S5 S3 DT SJ", "5", received="SK", rules=rules) == options


@every_preset
def test_an_ace_is_not_ten_or_lower(rules: str) -> None:
    # pagat has no such limit, but the card received stays.
    expected = ["SA", "S9"] if rules == "pagat" else ["S9"]
    assert gs.return_options("SA S9", "5", received="HR", rules=rules) == expected


SWEPT = "0213"  # 0 and 2 swept 1 and 3


@every_preset
def test_after_a_sweep_equal_cards_are_paid_by_seat_1_to_0_and_by_3_to_2(rules: str) -> None:
    result = gs.tribute(SWEPT, ["S3", "SA S4", "C3", "DA D4"], "2", rules)
    leader = 3 if rules == "openguandan" else 1
    assert result == gs.Tribute(False, [(1, 0, "SA"), (3, 2, "DA")], leader)


@every_preset
@pytest.mark.parametrize(
    ("order", "transfers", "openguandan_leader"),
    [
        ("1302", [(2, 1, "CA"), (0, 3, "SA")], 2),
        ("2013", [(3, 2, "HA"), (1, 0, "DA")], 3),
        ("3102", [(0, 3, "SA"), (2, 1, "CA")], 2),
    ],
)
def test_equal_cards_are_paid_to_the_banker_by_its_right_whatever_its_seat(
    order: str, transfers: list[tuple[int, int, str]], openguandan_leader: int, rules: str
) -> None:
    hands = ["SA S3", "DA D3", "CA C3", "HA H3"]
    leader = openguandan_leader if rules == "openguandan" else transfers[0][0]
    assert gs.tribute(order, hands, "2", rules) == gs.Tribute(False, transfers, leader)


@every_preset
@pytest.mark.parametrize("payer", [1, 3])
def test_after_a_sweep_at_level_7_the_seven_goes_to_the_banker_and_its_payer_leads(
    payer: int, rules: str
) -> None:
    hands = ["S3", "S7" if payer == 1 else "SA", "C3", "SA" if payer == 1 else "S7"]
    paid = [(payer, 0, "S7"), (4 - payer, 2, "SA")]
    if rules == "openguandan" and payer == 3:
        paid = [(1, 0, "SA"), (3, 2, "S7")]  # payers are fixed by seat, the lead is not
    assert gs.tribute(SWEPT, hands, "7", rules) == gs.Tribute(False, paid, payer)


@pytest.mark.parametrize("rules", ["guide", "kawu", "official", "wikipedia"])
def test_the_higher_card_of_the_two_payers_is_by_the_new_deals_level(rules: str) -> None:
    hands = ["S3", "S7", "C3", "SA"]
    assert gs.tribute(SWEPT, hands, "8", rules).leader == 3
    assert gs.tribute(SWEPT, hands, "7", rules).leader == 1


SINGLE = "0123"  # 3 pays 0; 1 is the payer's partner
CANCELLING = {
    "sweep, one red joker each": (SWEPT, {1: "HR", 3: "HR"}, set(PRESETS) - {"wikipedia"}),
    "sweep, both with one payer": (SWEPT, {1: "HR HR"}, set(PRESETS)),
    "sweep, one red and one black joker": (SWEPT, {1: "HR", 3: "SB"}, set[str]()),
    "sweep, both with the receivers": (SWEPT, {0: "HR", 2: "HR"}, set[str]()),
    "single, the payer and its partner one each": (SINGLE, {3: "HR", 1: "HR"}, {"short_game"}),
    "single, both with the payer's partner": (SINGLE, {1: "HR HR"}, {"short_game"}),
    "single, both with the payer": (SINGLE, {3: "HR HR"}, set(PRESETS)),
    "single, one red and one black joker": (SINGLE, {3: "HR SB"}, set[str]()),
    "single, the payer and the receiver one each": (SINGLE, {3: "HR", 0: "HR"}, set[str]()),
}


@every_preset
@pytest.mark.parametrize("case", CANCELLING)
def test_which_red_jokers_cancel(case: str, rules: str) -> None:
    order, jokers, cancelling = CANCELLING[case]
    hands = [f"{jokers.get(seat, '')} D{5 + seat}" for seat in range(4)]
    result = gs.tribute(order, hands, "2", rules)
    assert result.cancelled == (rules in cancelling)
    if result.cancelled:
        assert (result.transfers, result.leader) == ([], 0)
    else:
        payers = {1, 3} if order == SWEPT else {3}
        assert {giver for giver, _, _ in result.transfers} == payers


def double_tribute(rules: str) -> PausedMatch:
    """At level 5, 1 and 3 owe an ace and a king to 0 and 2."""
    hands = ["S3 S4 C6", "SA C3 C4", "D3 D4 D6", "SK H3 H4"]
    return independent_deal(
        1, 0, rules, level=4, previous=SWEPT, hands=[hand.split() for hand in hands]
    )


def seen(table: PausedMatch, seat: int) -> list[str]:
    """The two cards returned, as the seat sees them; "" where it does not."""
    words = table.view(seat).words
    codes = {0: ""} | {number: code for code, number in CARD_NUMBERS.items()}
    return [codes[int(words[lay.V_RETURNED + i * lay.V_TRIBUTE_WIDTH])] for i in range(2)]


@every_preset
def test_both_tributes_are_fixed_before_either_is_returned(rules: str) -> None:
    table = double_tribute(rules)
    assert (table.phase, table.to_move, table.options()) == ("tribute", 1, ["SA"])
    table.step("SA")
    # Nothing changes hands, and nobody is asked to return, before the other has given.
    assert (table.phase, table.to_move, table.tributes) == ("tribute", 3, [])
    assert table.hands[0] == ("C6", "S4", "S3")
    table.step("SK")
    assert (table.phase, table.to_move) == ("return", 0)
    assert table.tributes == [(1, 0, "SA", ""), (3, 2, "SK", "")]


@every_preset
def test_the_second_returner_has_not_seen_the_first_return(rules: str) -> None:
    table = double_tribute(rules)
    for card in ("SA", "SK", "S3"):
        table.step(card)
    assert (table.phase, table.to_move) == ("return", 2)
    assert [seen(table, seat) for seat in range(4)] == [["S3", ""], ["S3", ""], ["", ""], ["", ""]]


@every_preset
def test_returned_cards_are_seen_by_all_but_under_wikipedia(rules: str) -> None:
    table = double_tribute(rules)
    for card in ("SA", "SK", "S3", "D4"):
        table.step(card)
    assert (table.phase, table.leader) == ("play", 1)
    if rules == "wikipedia":
        own = [["S3", ""], ["S3", ""], ["", "D4"], ["", "D4"]]
        assert [seen(table, seat) for seat in range(4)] == own
    else:
        assert [seen(table, seat) for seat in range(4)] == [["S3", "D4"]] * 4


@every_preset
@pytest.mark.parametrize("hand", ["S9 S9 S8 SK", "S9 S8 SK"])
def test_the_other_copy_of_a_card_received_is_the_same_card(hand: str, rules: str) -> None:
    # Barred in guide and pagat, and with it the other copy; pagat has no limit of ten.
    expected = {"guide": ["S8"], "pagat": ["SK", "S8"]}.get(rules, ["S9", "S8"])
    assert gs.return_options(hand, "5", received="S9", rules=rules) == expected


# --- Levels ---------------------------------------------------------------------------------------

# How seats 0 and 2 finish.
ONE_TWO, ONE_THREE, ONE_FOUR = "0213", "0123", "0132"


@every_preset
def test_from_5_and_8_team_0_wins_1_3(rules: str) -> None:
    for owner in (0, 1):
        done = gs.settle(ONE_THREE, ("5", "8"), owner, rules=rules)
        assert (done.levels, done.owner, done.match_winner) == (("7", "8"), 0, None)


@pytest.mark.parametrize("rules", [rules for rules in PRESETS if rules != "short_game"])
@pytest.mark.parametrize("order", [ONE_TWO, ONE_THREE, ONE_FOUR])
def test_from_king_any_win_stops_at_the_ace_and_is_no_win_of_the_match(
    order: str, rules: str
) -> None:
    done = gs.settle(order, ("K", "8"), 0, rules=rules)
    assert (done.levels, done.match_winner, done.failures) == (("A", "8"), None, (0, 0))


@pytest.mark.parametrize(("level", "order"), [("9", ONE_THREE), ("8", ONE_TWO), ("9", ONE_FOUR)])
def test_short_game_stops_at_ten(level: str, order: str) -> None:
    done = gs.settle(order, (level, "2"), 0, rules="short_game")
    assert (done.levels, done.match_winner) == (("T", "2"), None)


@pytest.mark.parametrize("rules", ["ace_reset", "pagat", "openguandan"])
def test_king_to_ace_by_a_1_4_win_is_no_failure(rules: str) -> None:
    done = gs.settle(ONE_FOUR, ("K", "8"), 0, failures=(2, 0), rules=rules)
    assert (done.levels, done.failures, done.gain) == (("A", "8"), (2, 0), 1)


@pytest.mark.parametrize("rules", ["ace_reset", "pagat", "openguandan"])
def test_a_1_4_win_at_the_ace_in_the_others_deal_is_no_failure(rules: str) -> None:
    done = gs.settle(ONE_FOUR, ("A", "8"), 1, failures=(2, 0), rules=rules)
    assert (done.levels, done.failures, done.owner) == (("A", "8"), (2, 0), 0)


# --- Notes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "hand", "owner_and_level"),
    [
        pytest.param("0123", "S6", (1, "8"), id="single tribute paid: the losers' level"),
        pytest.param("0132", "S6", (0, "5"), id="paid between partners: the winners' level"),
        pytest.param("0123", "HR HR", (0, "5"), id="single tribute cancelled: the winners' level"),
        pytest.param("0213", "S6", (1, "8"), id="double tribute paid: the losers' level"),
        pytest.param("0213", "HR HR", (0, "5"), id="double cancelled: the winners' level"),
    ],
)
def test_wikipedia_plays_the_level_of_the_team_that_leads(
    order: str, hand: str, owner_and_level: tuple[int, str]
) -> None:
    hands = ["S3", "S4", "S5", hand]
    assert gs.active_level(order, hands, ("5", "8"), "wikipedia") == owner_and_level
    for rules in PRESETS:
        if rules != "wikipedia":
            assert gs.active_level(order, hands, ("5", "8"), rules) == (0, "5")


def test_wikipedias_match_win_read_as_elsewhere_is_one_switch_away() -> None:
    other = gs.Rules.preset("wikipedia").replace(match_win="own_level")
    for rules, winner in (("wikipedia", 0), (other, None)):
        assert gs.settle(ONE_FOUR, ("A", "3"), 0, rules=rules).match_winner == winner
    for rules, winner in (("wikipedia", None), (other, 0)):
        done = gs.settle(ONE_TWO, ("A", "3"), 0, previous_last=(2,), rules=rules)
        assert done.match_winner == winner


def test_failures_are_a_total_and_the_third_sets_back_and_gains_nothing() -> None:
    failures = (0, 0)
    levels = ("A", "5")
    for order, owner, expected in (
        (ONE_FOUR, 0, (1, 0)),
        ("1032", 0, (1, 0)),  # a lost deal does not count
        (ONE_TWO, 1, (1, 0)),  # nor does a win between two failures wipe them out
        (ONE_FOUR, 0, (2, 0)),
    ):
        done = gs.settle(order, levels, owner, failures, rules="ace_reset")
        assert (done.failures, done.match_winner) == (expected, None)
        failures = done.failures
    third = gs.settle(ONE_FOUR, levels, 0, failures, rules="ace_reset")
    assert (third.levels, third.failures, third.gain) == (("2", "5"), (0, 0), 0)


@pytest.mark.parametrize("rules", [rules for rules in PRESETS if rules != "wikipedia"])
def test_both_at_the_top_the_other_team_wins_1_2_and_owns_the_next_deal(rules: str) -> None:
    top = "T" if rules == "short_game" else "A"
    done = gs.settle(ONE_TWO, (top, top), 1, (1, 1), rules=rules)
    assert (done.match_winner, done.owner, done.levels) == (None, 0, (top, top))
    # In pagat alone the owner's loss counts.
    assert done.failures == ((1, 2) if rules == "pagat" else (1, 1))
    assert gs.settle(ONE_TWO, (top, top), 0, rules=rules).match_winner == 0


def test_failure_then_promotion_then_reset_in_that_order() -> None:
    # The owner's third failure sets it back, while the winners keep what they gain.
    done = gs.settle(ONE_TWO, ("5", "A"), 1, (0, 2), rules="pagat")
    assert (done.levels, done.failures, done.gain) == (("9", "2"), (0, 0), 4)
    # A match that is won counts no failure and sets nobody back.
    won = gs.settle(ONE_TWO, ("A", "A"), 0, (2, 2), rules="pagat")
    assert (won.match_winner, won.levels, won.failures) == (0, ("A", "A"), (2, 2))


@every_preset
def test_a_match_is_cut_off_after_200_deals_without_a_winner(rules: str) -> None:
    preset = gs.Rules.preset(rules)
    assert preset.max_deals == 200
    match = gs.Match(seed=1, rules=preset.replace(max_deals=1), bots="greedy")
    match.play_deal()
    assert (match.phase, match.winner, match.truncated, match.deals) == ("done", None, True, 1)


def test_who_led_when_a_match_was_cut_off_is_in_a_column_of_its_own(tmp_path: Path) -> None:
    rules = gs.Rules.preset("guide").replace(max_deals=1)
    run = gs.simulate(matches=20, rules=rules, bots="greedy", seed=1, out=tmp_path / "run")
    assert isinstance(run, gs.Run)
    for row in run.matches().to_dict("records"):
        assert (row["winner"], row["truncated"]) == (255, True)
        assert row["ahead"] == (1 if row["level0"] == "2" else 0)


@every_preset
def test_who_leads_the_first_deal(rules: str) -> None:
    leaders = set()
    for number in range(60):
        deal = gs.Deal(seed=3, number=number, rules=rules)
        turned = int(deal.state[lay.V_MARKED])
        card = {n: code for code, n in CARD_NUMBERS.items()}.get(turned, "")
        assert deal.leader is not None
        leaders.add(deal.leader)
        if rules in ("guide", "official", "pagat"):
            assert card in deal.hands[deal.leader]
        elif rules == "wikipedia":
            assert card not in ("", "SB", "HR")
        else:
            assert card == ""
    assert leaders == {0, 1, 2, 3}


@pytest.mark.parametrize("rules", ["guide", "wikipedia", "kawu"])
def test_the_log_shows_the_card_turned_up_and_who_leads(rules: str, tmp_path: Path) -> None:
    run = gs.simulate(
        deals=20, level="2", rules=rules, bots="greedy", seed=3, log="deals", out=tmp_path / "run"
    )
    assert isinstance(run, gs.Run)
    codes = {0: ""} | {number: code for code, number in CARD_NUMBERS.items()}
    rows = run.deals().to_dict("records")
    assert len(rows) == 20
    for number, row in enumerate(rows):
        deal = gs.Deal(seed=3, number=number, rules=rules)
        expected = (codes[int(deal.state[lay.V_MARKED])], deal.leader)
        assert (str(row["drawn"]), row["leader"]) == expected


@every_preset
def test_counts_follow_from_the_cards_played_and_are_seen_by_all(rules: str) -> None:
    deal = gs.Deal(level="2", rules=rules, hands=["S9 S8 S8", "C9 C4", "DT", "H3 H4"], leader=0)
    deal.play("S8 S8")
    assert [deal.view(seat).counts for seat in range(4)] == [(1, 2, 1, 2)] * 4
