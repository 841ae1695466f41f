"""The rules between deals as functions: edge cases, the referee at random, wrong input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest
import referee
from hypothesis import given
from hypothesis import strategies as st
from oracle import RANKS, full_pack, wild_of

import guandan_sim as gs

ORDERS = st.permutations(range(4)).map(tuple)
LEVELS = st.sampled_from(RANKS)


@st.composite
def rule_sets(draw: st.DrawFn) -> gs.Rules:
    """Any rules: a preset, or every switch drawn on its own."""
    preset = gs.Rules.preset(draw(st.sampled_from(gs.Rules.presets())))
    if draw(st.booleans()):
        return preset
    choices = {f.name: f.metadata["choices"] for f in fields(gs.Rules) if "choices" in f.metadata}
    switches = {name: draw(st.sampled_from(values)) for name, values in choices.items()}
    failures = draw(st.integers(0, 3))
    gains = draw(st.tuples(*[st.integers(0, 12)] * 3))
    return preset.replace(**switches, top_failures=failures, promotion=gains)


@st.composite
def four_hands(draw: st.DrawFn, least: int = 2) -> list[list[str]]:
    """Four hands from the pack, the red jokers often among them."""
    pack = draw(st.permutations(full_pack()))
    if draw(st.booleans()):
        pack.sort(key=lambda card: card != "HR")
    sizes = draw(st.lists(st.integers(least, 8), min_size=4, max_size=4))
    places = draw(st.permutations(range(sum(sizes))))
    cards = [pack[place] for place in places]
    return [[cards.pop() for _ in range(size)] for size in sizes]


def levels_within(rules: gs.Rules) -> st.SearchStrategy[tuple[str, str]]:
    """Levels of two teams, often at the top."""
    level = st.sampled_from([*RANKS[: RANKS.index(rules.top_level) + 1], rules.top_level])
    return st.tuples(level, level)


# Tribute


@pytest.mark.parametrize(
    ("hand", "options"),
    [("H7 S7 SA DA", "S7"), ("H7 SA DA SK", "SA DA"), ("HR SB SA", "HR"), ("H7 H7", "H7")],
)
def test_the_highest_card_but_the_wild_is_given(hand: str, options: str) -> None:
    assert gs.tribute_options(hand, "7") == options.split()
    assert gs.tribute_options(hand.split()[::-1], "7") == options.split()


@pytest.mark.parametrize(
    ("rules", "hand", "options"),
    [
        ("guide", "S5 S3 DT SJ", "DT S3"),
        ("short_game", "S5 S3 DT SJ", "DT S5 S3"),
        ("short_game", "H5 SA SJ", "H5"),
        ("pagat", "S5 S3 DT SJ HR", "HR SJ DT S5 S3"),
        # An ace is not "10 or lower", and nothing eligible is the lowest card by power order.
        ("guide", "HA SA SJ HJ CQ", "SJ HJ"),
        ("guide", "H5 SB S5 HR", "S5 H5"),
        ("guide", "SB HR", "SB"),
    ],
)
def test_what_may_be_returned(rules: str, hand: str, options: str) -> None:
    assert gs.return_options(hand, "5", received="SK", rules=rules) == options.split()


@pytest.mark.parametrize("hand", ["S9 S8 SK", "S9 S9 S8 SK", "S8 SK"])
def test_the_card_received_may_not_be_returned_nor_its_other_copy(hand: str) -> None:
    assert gs.return_options(hand, "5", received="S9") == ["S8"]
    assert gs.return_options(hand, "5", received="S9", rules="kawu") == ["S9", "S8"]


def test_the_card_received_is_returned_rather_than_none() -> None:
    assert gs.return_options("S9", "5", received="S9") == ["S9"]


def test_a_single_tribute_goes_from_the_last_to_the_first_also_between_partners() -> None:
    hands = ["S3", "SB", "SK", "SA"]
    assert gs.tribute((0, 1, 2, 3), hands, "2") == gs.Tribute(False, [(3, 0, "SA")], 3)
    assert gs.tribute("0132", hands, "2") == gs.Tribute(False, [(2, 0, "SK")], 2)


@pytest.mark.parametrize(
    ("rules", "transfers", "leader"),
    [
        ("guide", [(1, 0, "SA"), (3, 2, "DA")], 1),
        # Payer p pays p - 1; of equal cards the higher seat leads.
        ("openguandan", [(1, 0, "SA"), (3, 2, "DA")], 3),
    ],
)
def test_equal_cards_after_a_sweep(
    rules: str, transfers: list[tuple[int, int, str]], leader: int
) -> None:
    hands = ["S3", "SA S4", "S3", "DA D4"]
    assert gs.tribute("0213", hands, "2", rules) == gs.Tribute(False, transfers, leader)


def test_equal_cards_are_paid_to_the_banker_by_the_seat_at_the_right() -> None:
    hands = ["S3", "SA", "S3", "DA"]
    assert gs.tribute("2013", hands, "2").transfers == [(3, 2, "DA"), (1, 0, "SA")]
    lowest = gs.Rules.preset("guide").replace(equal_tribute="lowest_seat")
    assert gs.tribute("2013", hands, "2", lowest).transfers == [(1, 2, "SA"), (3, 0, "DA")]


def test_after_a_sweep_the_higher_card_goes_to_the_banker_and_its_payer_leads() -> None:
    hands = ["S3", "SA", "S3", "S7"]
    assert gs.tribute("0213", hands, "7") == gs.Tribute(False, [(3, 0, "S7"), (1, 2, "SA")], 3)
    assert gs.tribute("0213", hands, "2") == gs.Tribute(False, [(1, 0, "SA"), (3, 2, "S7")], 1)
    # Seats fix who pays whom there, and the higher card still leads.
    fixed = gs.tribute("0213", hands, "7", "openguandan")
    assert fixed == gs.Tribute(False, [(1, 0, "SA"), (3, 2, "S7")], 3)


def test_a_payer_chooses_among_equal_cards() -> None:
    hands = ["S3", "SA DA", "S3", "SK"]
    assert gs.tribute("0213", hands, "2").transfers[0] == (1, 0, "SA")
    assert gs.tribute("0213", hands, "2", give={1: "DA"}).transfers[0] == (1, 0, "DA")


@pytest.mark.parametrize(
    ("order", "payers", "guide", "wikipedia", "short_game"),
    [
        ("0213", {1: "HR", 3: "HR"}, True, False, True),
        ("0213", {1: "HR HR", 3: "S3"}, True, True, True),
        ("0213", {1: "HR SB", 3: "SB"}, False, False, False),
        ("0123", {3: "HR HR"}, True, True, True),
        ("0123", {3: "HR", 1: "HR"}, False, False, True),
        ("0123", {1: "HR HR"}, False, False, True),
        ("0123", {3: "HR", 2: "HR"}, False, False, False),
        ("0132", {2: "HR", 0: "HR"}, False, False, True),
    ],
)
def test_red_jokers_cancel_a_tribute(
    order: str, payers: dict[int, str], guide: bool, wikipedia: bool, short_game: bool
) -> None:
    hands = [payers.get(seat, f"D{5 + seat} C{5 + seat}").split() for seat in range(4)]
    for rules, cancelled in (
        ("guide", guide),
        ("wikipedia", wikipedia),
        ("short_game", short_game),
    ):
        result = gs.tribute(order, hands, "5", rules)
        assert result.cancelled == cancelled
        if cancelled:
            assert (result.transfers, result.leader) == ([], int(order[0]))


@given(hands=four_hands(), level=LEVELS, rules=rule_sets(), data=st.data())
def test_options_as_the_referee_has_them(
    hands: list[list[str]], level: str, rules: gs.Rules, data: st.DataObject
) -> None:
    hand, *others = hands
    if set(hand) != {wild_of(level)}:
        assert sorted(gs.tribute_options(hand, level)) == referee.tribute_options(hand, level)
    received = data.draw(st.sampled_from([card for other in others for card in other]))
    if set(hand) != {received}:
        ours = gs.return_options(hand, level, received, rules)
        assert sorted(ours) == referee.return_options(hand, level, received, rules.switches())
        if hand.count(received) < 2:
            assert gs.return_options([*hand, received], level, received, rules) == ours


@given(hands=four_hands(), order=ORDERS, level=LEVELS, rules=rule_sets(), data=st.data())
def test_tribute_as_the_referee_has_it(
    hands: list[list[str]],
    order: tuple[int, ...],
    level: str,
    rules: gs.Rules,
    data: st.DataObject,
) -> None:
    switches = rules.switches()
    give = {}
    if rules.tribute and not referee.is_cancelled(order, hands, switches):
        for payer in referee.dwellers(order):
            options = referee.tribute_options(hands[payer], level)
            if not options:
                return
            give[payer] = data.draw(st.sampled_from(options))
    ours = gs.tribute(order, hands, level, rules, give)
    drawn = ours.transfers[0][0] if ours.transfers else None
    expected = referee.tribute(order, hands, level, switches, give, drawn_payer=drawn)
    assert (ours.cancelled, ours.transfers, ours.leader) == expected
    levels = data.draw(levels_within(rules))
    active = gs.active_level(order, hands, levels, rules)
    assert active == referee.active_level(order, hands, levels, switches)


@given(hands=four_hands(), order=ORDERS, level=LEVELS, rules=rule_sets())
def test_nothing_depends_on_the_order_of_the_two_left_after_a_sweep(
    hands: list[list[str]], order: tuple[int, ...], level: str, rules: gs.Rules
) -> None:
    if (order[0] ^ order[1]) & 1:
        return
    a, b, c, d = order
    other = (a, b, d, c)
    assert gs.tribute(order, hands, level, rules) == gs.tribute(other, hands, level, rules)
    levels = ("2", rules.top_level)
    assert gs.active_level(order, hands, levels, rules) == gs.active_level(
        other, hands, levels, rules
    )
    assert gs.settle(order, levels, 0, rules=rules) == gs.settle(other, levels, 0, rules=rules)


# Levels


def after(order: str, levels: tuple[str, str], owner: int, **rest: Any) -> gs.Settlement:
    return gs.settle(order, levels, owner, **rest)


@pytest.mark.parametrize(
    ("order", "rules", "levels", "gain"),
    [
        ("0213", "guide", ("8", "8"), 3),
        ("0123", "guide", ("7", "8"), 2),
        ("0132", "guide", ("6", "8"), 1),
        ("0213", "pagat", ("9", "8"), 4),
        ("1032", "guide", ("5", "T"), 2),
    ],
)
def test_only_the_winners_move_up_from_their_own_level(
    order: str, rules: str, levels: tuple[str, str], gain: int
) -> None:
    for owner in (0, 1):
        done = after(order, ("5", "8"), owner, rules=rules)
        assert (done.levels, done.gain) == (levels, gain)
        assert (done.owner, done.match_winner) == (int(order[0]) % 2, None)


def test_promotion_stops_at_the_top_and_does_not_win() -> None:
    assert after("0213", ("K", "2"), 0).levels == ("A", "2")
    assert after("0213", ("K", "2"), 0).match_winner is None
    assert after("0123", ("9", "2"), 0, rules="short_game").levels == ("T", "2")


@pytest.mark.parametrize(
    ("order", "owner", "winner"),
    [("0213", 0, 0), ("0123", 0, 0), ("0132", 0, None), ("0213", 1, None), ("1302", 0, None)],
)
def test_a_match_is_won_by_a_good_finish_in_the_deal_of_the_own_top(
    order: str, owner: int, winner: int | None
) -> None:
    done = after(order, ("A", "A"), owner)
    assert (done.match_winner, done.levels) == (winner, ("A", "A"))
    assert done.owner == int(order[0]) % 2


@pytest.mark.parametrize(
    ("last", "winner"),
    [((), 0), ((1,), 0), ((1, 3), 0), ((0,), None), ((2,), None), ((0, 2), None), ((2, 0), None)],
)
def test_wikipedias_match_is_won_by_a_team_that_was_no_dweller(
    last: tuple[int, ...], winner: int | None
) -> None:
    for owner in (0, 1):
        done = after("0132", ("A", "3"), owner, previous_last=last, rules="wikipedia")
        assert done.match_winner == winner


def test_the_third_failure_sets_the_team_back_and_gains_nothing() -> None:
    done = after("0132", ("A", "5"), 0, failures=(2, 1), rules="ace_reset")
    assert (done.levels, done.failures, done.gain) == (("2", "5"), (0, 1), 0)
    assert after("0132", ("A", "5"), 0, failures=(1, 1), rules="ace_reset").failures == (2, 1)
    assert after("0132", ("A", "5"), 0, failures=(0, 0), rules="guide").failures == (0, 0)


@pytest.mark.parametrize(
    ("order", "levels", "owner", "counted"),
    [
        ("0132", ("K", "A"), 0, (0, 0)),  # the ace is reached, not failed at
        ("0132", ("A", "A"), 1, (0, 1)),  # team 1 lost its own deal; team 0's finish is no failure
        ("1032", ("A", "5"), 0, (1, 0)),
        ("1032", ("A", "5"), 1, (0, 0)),
    ],
)
def test_what_a_failure_is(
    order: str, levels: tuple[str, str], owner: int, counted: tuple[int, int]
) -> None:
    assert after(order, levels, owner, rules="pagat").failures == counted
    # Where losses do not count, only a team's own last-place win does.
    assert after(order, levels, owner, rules="ace_reset").failures == (0, 0)


@pytest.mark.parametrize(
    ("order", "jokers", "expected"),
    [
        ("0123", "S3", (1, "8")),
        ("0123", "HR HR", (0, "5")),
        ("0132", "S3", (0, "5")),
        ("0213", "S3", (1, "8")),
        ("0213", "HR HR", (0, "5")),
    ],
)
def test_whose_level_is_played(order: str, jokers: str, expected: tuple[int, str]) -> None:
    hands = ["S4", "S5", "S6", jokers]
    assert gs.active_level(order, hands, ("5", "8")) == (0, "5")
    assert gs.active_level(order, hands, ("5", "8"), "wikipedia") == expected


@given(order=ORDERS, rules=rule_sets(), data=st.data())
def test_settlement_as_the_referee_has_it(
    order: tuple[int, ...], rules: gs.Rules, data: st.DataObject
) -> None:
    levels = data.draw(levels_within(rules))
    owner = data.draw(st.integers(0, 1))
    most = max(rules.top_failures - 1, 0)
    failures = data.draw(st.tuples(st.integers(0, most), st.integers(0, most)))
    last = data.draw(st.sampled_from([(), (0,), (1,), (2,), (3,), (0, 2), (1, 3), (3, 1)]))
    ours = gs.settle(order, levels, owner, failures, last, rules)
    expected = referee.settle(order, levels, owner, failures, last, rules.switches())
    theirs = (ours.levels, ours.owner, ours.gain, ours.failures, ours.match_winner)
    assert theirs == expected


# Wrong input

HANDS = ["S3", "S4", "S5", "S6"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: gs.tribute_options("S1", "2"), gs.CardParseError, "'S1' is not a card; a card is"),
        (lambda: gs.tribute_options("", "2"), gs.HandError, "the hand is empty; a card has to be"),
        (
            lambda: gs.tribute_options("S3 S3 S3", "2"),
            gs.HandError,
            "hand has 3 copies of S3; two packs have 2",
        ),
        (lambda: gs.tribute_options("S3", "11"), gs.CardParseError, "'11' is not a level; levels"),
        (lambda: gs.tribute_options("S3", "2", "gude"), gs.RulesError, "'gude' is not a rule pre"),
        (lambda: gs.return_options("S3", "2", "HX"), gs.CardParseError, "'HX' is not a card"),
        (lambda: gs.return_options("S3", "2", "S4 S5"), gs.CardParseError, "'S4 S5' is not a card"),
        (lambda: gs.return_options("", "2", "S4"), gs.HandError, "the hand is empty"),
        (lambda: gs.return_options("S3", 1, "S4"), gs.CardParseError, "1 is not a level"),  # type: ignore[arg-type]
        (
            lambda: gs.tribute("0122", HANDS, "2"),
            gs.OptionError,
            "finish_order is '0122'; name the",
        ),
        (lambda: gs.tribute((0, 1, 2), HANDS, "2"), gs.OptionError, r"finish_order is \(0, 1, 2\)"),
        (lambda: gs.tribute("0123", HANDS[:3], "2"), gs.HandError, "3 hands were given; there are"),
        (
            lambda: gs.tribute("0123", ["S3", "S3", "S3", "S4"], "2"),
            gs.HandError,
            "the four hands together .* 3 copies of S3; two packs have 2",
        ),
        (lambda: gs.tribute("0123", ["S3", "S4", "S5", ""], "2"), gs.HandError, "seat 3"),
        (lambda: gs.tribute("0213", ["S3", "", "S5", "S6"], "2"), gs.HandError, "seat 1"),
        (
            lambda: gs.tribute("0123", HANDS, "2", give={3: "S5"}),
            gs.IllegalMoveError,
            "seat 3 may not give S5; it may give S6",
        ),
        (
            lambda: gs.tribute("0123", HANDS, "2", give={1: "S4"}),
            gs.IllegalMoveError,
            r"seats \[1\] give nothing here",
        ),
        (
            lambda: gs.tribute("0123", ["S3", "S4", "S5", "HR HR"], "2", give={3: "HR"}),
            gs.IllegalMoveError,
            r"seats \[3\] give nothing here",
        ),
        (lambda: gs.tribute("0123", HANDS, "0"), gs.CardParseError, "'0' is not a level"),
        (lambda: gs.settle("0123", ("2", "2"), 2), gs.OptionError, "owner is 2; teams are 0"),
        (lambda: gs.settle("0123", ("2", "1"), 0), gs.CardParseError, "'1' is not a level"),
        (
            lambda: gs.settle("0123", ("2",), 0),
            gs.OptionError,
            r"levels \('2',\) .* one value a te",
        ),
        (lambda: gs.settle("0123", ("2", "2"), 0, (0,)), gs.OptionError, r"failures \(0,\) must"),
        (lambda: gs.settle("0123", ("2", "2"), 0, (0, -1)), gs.OptionError, "failures"),
        (lambda: gs.settle("0123", ("2", "2"), 0, (0, 0.5)), gs.OptionError, "failures"),  # type: ignore[arg-type]
        (
            lambda: gs.settle("0123", ("2", "2"), 0, previous_last=(0, 1)),
            gs.OptionError,
            r"previous_last is \[0, 1\]; give no seat, one, or two partners",
        ),
        (
            lambda: gs.settle("0123", ("2", "2"), 0, previous_last=(4,)),
            gs.OptionError,
            "previous_l",
        ),
        (lambda: gs.settle("3210", ("2", "2"), 0, rules="x"), gs.RulesError, "'x' is not a rule"),
        (lambda: gs.active_level("0123", HANDS, ("5",)), gs.OptionError, r"levels"),
        (lambda: gs.active_level("1023", HANDS, ("5",)), gs.OptionError, r"levels"),
        (
            lambda: gs.active_level("0123", HANDS, ("Z", "5")),
            gs.CardParseError,
            "'Z' is not a leve",
        ),
        (
            lambda: gs.active_level("0123", HANDS, ("J", "5"), "short_game"),
            gs.OptionError,
            "levels .* are above T, the top of these rules",
        ),
        (
            lambda: gs.active_level("9999", HANDS, ("5", "5")),
            gs.OptionError,
            "finish_order is '9999",
        ),
    ],
)
def test_wrong_input_is_named(
    call: Callable[[], object], error: type[gs.GuandanError], message: str
) -> None:
    with pytest.raises(error, match=message):
        call()
