"""The referee against the rules' worked examples: tricks, tribute, levels."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest
from oracle import Play
from referee import (
    PRESETS,
    RefereeDeal,
    RefereeError,
    active_level,
    is_cancelled,
    return_options,
    settle,
    tribute,
    tribute_options,
)

GUIDE = PRESETS["guide"]


def deal_of(*hands: str, leader: int = 0, level: str = "2", rules: str = "guide") -> RefereeDeal:
    return RefereeDeal([hand.split() for hand in hands], level, leader, PRESETS[rules])


def single(deal: RefereeDeal, seat: int, card: str) -> None:
    deal.play(seat, "single", card if card in ("SB", "HR") else card[1], [card])


def asked(deal: RefereeDeal) -> tuple[int, Play | None]:
    """The seat to move and the play that it has to beat."""
    return deal.turn, deal.to_beat


def passes(deal: RefereeDeal, *seats: int) -> None:
    for seat in seats:
        deal.pass_(seat)


# Tricks


def test_player_goes_out_three_pass_and_the_partner_leads() -> None:
    deal = deal_of("S9", "S3 S4", "S3 S4", "S3 S4")
    single(deal, 0, "S9")
    passes(deal, 1, 2)
    assert asked(deal) == (3, ("single", "9", 1))
    passes(deal, 3)
    assert asked(deal) == (2, None)
    assert deal.finish_order == [0]


def test_player_goes_out_the_next_beats_it_and_nobody_inherits_later() -> None:
    deal = deal_of("S9", "ST S4 S5", "S3 S4", "S3 S4")
    single(deal, 0, "S9")
    single(deal, 1, "ST")
    passes(deal, 2, 3)
    assert asked(deal) == (1, None)
    single(deal, 1, "S5")
    passes(deal, 2, 3)
    assert asked(deal) == (1, None)


def test_two_are_out_and_the_partner_of_the_second_leads_after_two_passes() -> None:
    deal = deal_of("S9", "S3 S4", "S3 S4", "S8", leader=3)
    single(deal, 3, "S8")
    single(deal, 0, "S9")
    passes(deal, 1, 2)
    assert asked(deal) == (2, None)
    assert deal.finish_order == [3, 0]


def test_one_is_out_and_the_leader_leads_again_after_two_passes() -> None:
    deal = deal_of("S9 ST", "S3 S4", "S3 S4", "S8", leader=3)
    single(deal, 3, "S8")
    single(deal, 0, "S9")
    passes(deal, 1, 2)
    assert asked(deal) == (0, None)


def after_a_pass_before_the_last_play(rules: str) -> RefereeDeal:
    deal = deal_of("S5 SA S6", "S3 DA", "SK S4", "S3 S4", rules=rules)
    single(deal, 0, "S5")
    passes(deal, 1)
    single(deal, 2, "SK")
    passes(deal, 3)
    return deal


def test_a_pass_does_not_bar_from_the_same_trick() -> None:
    deal = after_a_pass_before_the_last_play("guide")
    passes(deal, 0)
    assert asked(deal) == (1, ("single", "K", 1))


def test_a_pass_bars_from_the_trick_where_passes_lock() -> None:
    deal = after_a_pass_before_the_last_play("ace_reset")
    assert deal.turn == 0
    passes(deal, 0)
    assert asked(deal) == (2, None)


def test_an_earlier_leader_who_has_not_passed_may_still_play_where_passes_lock() -> None:
    deal = after_a_pass_before_the_last_play("ace_reset")
    single(deal, 0, "SA")
    assert asked(deal) == (2, ("single", "A", 1))
    passes(deal, 2)
    # 1 and 3 passed before: nobody is left to ask.
    assert asked(deal) == (0, None)
    single(deal, 0, "S6")
    passes(deal, 1, 2, 3)
    assert (deal.turn, deal.finish_order) == (2, [0])


def test_a_sweep_ends_the_deal_and_orders_the_losers_by_seat() -> None:
    deal = deal_of("S9", "S3 S4", "SK", "S3 S4", leader=0)
    single(deal, 0, "S9")
    passes(deal, 1)
    single(deal, 2, "SK")
    assert deal.finished
    assert deal.finish_order == [0, 2, 1, 3]
    assert deal.moves() == set()
    with pytest.raises(RefereeError, match="over"):
        deal.pass_(3)


def test_the_third_finisher_ends_the_deal() -> None:
    deal = deal_of("S9", "ST", "S3 S4", "SJ", leader=0)
    for seat, card in ((0, "S9"), (1, "ST")):
        single(deal, seat, card)
    passes(deal, 2)
    single(deal, 3, "SJ")
    assert deal.finished
    assert deal.finish_order == [0, 1, 3, 2]


@pytest.mark.parametrize(
    ("seat", "shape", "rank", "cards", "message"),
    [
        (1, "single", "3", "S3", "not to move"),
        (0, "single", "K", "SK", "does not hold"),
        (0, "pair", "5", "S5 S5", "does not hold"),
        (0, "single", "6", "S5", "is no single 6"),
    ],
)
def test_illegal_plays_are_refused(
    seat: int, shape: str, rank: str, cards: str, message: str
) -> None:
    deal = deal_of("S5 S9", "S3 S4", "S3 S4", "S3 S4")
    with pytest.raises(RefereeError, match=message):
        deal.play(seat, shape, rank, cards.split())


def test_the_leader_must_play_and_a_follower_must_beat() -> None:
    deal = deal_of("S9 ST", "S9 D4", "S3 S4", "S3 S4")
    with pytest.raises(RefereeError, match="leads"):
        deal.pass_(0)
    single(deal, 0, "S9")
    with pytest.raises(RefereeError, match="does not beat"):
        single(deal, 1, "S9")


def test_a_heart_wild_becomes_a_bomb() -> None:
    """The worked example of the guide's text, at level 7."""
    deal = deal_of("SQ DQ S3", "CK DK S3", "C8 D8 S8 H7 S3", "S4 S5", level="7")
    deal.play(0, "pair", "Q", ["SQ", "DQ"])
    deal.play(1, "pair", "K", ["CK", "DK"])
    deal.play(2, "bomb", "8", ["C8", "D8", "S8", "H7"])
    passes(deal, 3, 0, 1)
    assert asked(deal) == (2, None)


# Tribute


@pytest.mark.parametrize(
    ("hand", "level", "expected"),
    [
        ("H7 S7 SA DA", "7", ["S7"]),
        ("H7 SA DA SK", "7", ["DA", "SA"]),
        ("HR SB SA", "7", ["HR"]),
        ("SB H7 S7", "7", ["SB"]),
        ("SA SA DK", "2", ["SA"]),
    ],
)
def test_tribute_is_the_highest_card_that_is_not_wild(
    hand: str, level: str, expected: list[str]
) -> None:
    assert tribute_options(hand.split(), level) == expected


@pytest.mark.parametrize(
    ("rules", "hand", "level", "received", "expected"),
    [
        ("guide", "S5 S3 DT SJ", "5", "HR", ["DT", "S3"]),
        ("short_game", "S5 S3 DT SJ", "5", "HR", ["DT", "S3", "S5"]),
        ("short_game", "H5 SJ SA", "5", "HR", ["H5"]),
        ("kawu", "S5 S3 DT SJ", "5", "HR", ["DT", "S3"]),
        ("pagat", "S5 S3 DT SJ H5 SB", "5", "HR", ["DT", "H5", "S3", "S5", "SB", "SJ"]),
        ("guide", "SA S9", "5", "SK", ["S9"]),  # an ace is not "10 or lower"
        ("guide", "S9 S8 S9", "5", "S9", ["S8"]),  # both copies are one card
        ("kawu", "S9 S8 S9", "5", "S9", ["S8", "S9"]),
        # Nothing eligible: the lowest by the order of singles
        ("guide", "SJ DJ SQ S5 HR", "5", "HR", ["DJ", "SJ"]),
        ("guide", "S5 H5 SB HR", "5", "HR", ["H5", "S5"]),
        ("guide", "SJ DQ", "5", "SJ", ["DQ"]),
    ],
)
def test_return_options(
    rules: str, hand: str, level: str, received: str, expected: list[str]
) -> None:
    assert return_options(hand.split(), level, received, PRESETS[rules]) == expected


def hands_with(cards: dict[int, str]) -> list[list[str]]:
    """Four hands: the given cards beside a three."""
    return [["S3", *cards.get(seat, "").split()] for seat in range(4)]


def test_single_tribute_goes_from_last_to_first_also_between_partners_and_its_payer_leads() -> None:
    hands = hands_with({2: "SA H7"})
    assert tribute([0, 1, 3, 2], hands, "7", GUIDE) == (False, [(2, 0, "SA")], 2)


def test_payer_chooses_among_suits() -> None:
    hands = hands_with({2: "SA DA"})
    assert tribute([0, 1, 3, 2], hands, "7", GUIDE, {2: "SA"})[1] == [(2, 0, "SA")]
    with pytest.raises(RefereeError, match="may give"):
        tribute([0, 1, 3, 2], hands, "7", GUIDE, {2: "S3"})


SWEEP = [0, 2, 1, 3]


@pytest.mark.parametrize(
    ("equal_tribute", "order", "expected"),
    [
        ("right_of_banker", SWEEP, ([(1, 0, "SA"), (3, 2, "DA")], 1)),
        ("right_of_banker", [2, 0, 1, 3], ([(3, 2, "DA"), (1, 0, "SA")], 3)),
        ("lowest_seat", [2, 0, 1, 3], ([(1, 2, "SA"), (3, 0, "DA")], 1)),
        ("fixed_seat", SWEEP, ([(1, 0, "SA"), (3, 2, "DA")], 3)),
        ("fixed_seat", [2, 0, 1, 3], ([(3, 2, "DA"), (1, 0, "SA")], 3)),
        ("random", SWEEP, ([(3, 0, "DA"), (1, 2, "SA")], 3)),
    ],
)
def test_sweep_with_equal_cards(
    equal_tribute: str, order: list[int], expected: tuple[list[tuple[int, int, str]], int]
) -> None:
    switches = GUIDE | {"equal_tribute": equal_tribute}
    hands = hands_with({1: "SA", 3: "DA"})
    found = tribute(order, hands, "7", switches, drawn_payer=3)
    assert found == (False, *expected)


def test_sweep_with_equal_cards_and_banker_three() -> None:
    hands = hands_with({0: "SA", 2: "DA"})
    assert tribute([3, 1, 0, 2], hands, "7", GUIDE) == (False, [(0, 3, "SA"), (2, 1, "DA")], 0)


def test_sweep_the_higher_card_goes_to_the_banker_and_its_payer_leads() -> None:
    hands = hands_with({1: "SA", 3: "S7"})
    assert tribute(SWEEP, hands, "7", GUIDE) == (False, [(3, 0, "S7"), (1, 2, "SA")], 3)
    # On the platform seats are fixed; the higher card's payer leads all the same.
    fixed = tribute(SWEEP, hands, "7", PRESETS["openguandan"])
    assert fixed == (False, [(1, 0, "SA"), (3, 2, "S7")], 3)


CANCELLING: list[tuple[str, list[int], dict[int, str], bool]] = [
    ("guide", SWEEP, {1: "HR", 3: "HR"}, True),
    ("guide", SWEEP, {1: "HR HR"}, True),
    ("wikipedia", SWEEP, {1: "HR", 3: "HR"}, False),
    ("wikipedia", SWEEP, {3: "HR HR"}, True),
    ("guide", SWEEP, {1: "HR", 3: "SB"}, False),
    ("guide", SWEEP, {0: "HR", 1: "HR"}, False),
    ("guide", [0, 1, 2, 3], {3: "HR HR"}, True),
    ("guide", [0, 1, 2, 3], {3: "HR", 1: "HR"}, False),
    ("short_game", [0, 1, 2, 3], {3: "HR", 1: "HR"}, True),
    ("short_game", [0, 1, 2, 3], {1: "HR HR"}, True),
    ("short_game", [0, 1, 2, 3], {3: "HR", 0: "HR"}, False),
]


@pytest.mark.parametrize(("rules", "order", "cards", "cancelled"), CANCELLING)
def test_red_jokers_cancel_tribute_and_the_banker_leads(
    rules: str, order: list[int], cards: dict[int, str], cancelled: bool
) -> None:
    found, transfers, leader = tribute(order, hands_with(cards), "7", PRESETS[rules])
    assert found is cancelled
    if cancelled:
        assert (transfers, leader) == ([], order[0])
    else:
        assert len(transfers) == (2 if order == SWEEP else 1)


@pytest.mark.parametrize(
    ("rules", "order", "expected"),
    [
        ("guide", [0, 1, 2, 3], Fraction(27 * 26, 108 * 107)),
        ("guide", SWEEP, Fraction(54 * 53, 108 * 107)),
        ("wikipedia", SWEEP, Fraction(2 * 27 * 26, 108 * 107)),
        ("short_game", [0, 1, 2, 3], Fraction(54 * 53, 108 * 107)),
    ],
)
def test_share_of_decks_that_cancel(rules: str, order: list[int], expected: Fraction) -> None:
    """Counted over every pair of places in the pack that the two red jokers can lie in."""
    places = list(combinations(range(108), 2))  # place p of the pack belongs to seat p % 4
    hands = {
        (a, b): [["HR"] * ((a == seat) + (b == seat)) for seat in range(4)]
        for a, b in product(range(4), repeat=2)
    }
    cancelled = sum(is_cancelled(order, hands[a % 4, b % 4], PRESETS[rules]) for a, b in places)
    assert Fraction(cancelled, len(places)) == expected


# Levels

Settled = tuple[tuple[str, str], int, int, tuple[int, int], int | None]
A8, AA = ("A", "8"), ("A", "A")
ONE_TWO, ONE_THREE, ONE_FOUR = [0, 2, 1, 3], [0, 1, 2, 3], [0, 1, 3, 2]


def settled(
    rules: str,
    order: Sequence[int],
    levels: tuple[str, str],
    owner: int = 0,
    failures: tuple[int, int] = (0, 0),
    previous_last: tuple[int, ...] = (),
) -> Settled:
    return settle(order, levels, owner, failures, previous_last, PRESETS[rules])


SETTLED: list[tuple[str, list[int], tuple[str, str], dict[str, Any], Settled]] = [
    ("guide", ONE_THREE, ("5", "8"), {}, (("7", "8"), 0, 2, (0, 0), None)),
    ("guide", ONE_THREE, ("5", "8"), {"owner": 1}, (("7", "8"), 0, 2, (0, 0), None)),
    ("guide", [1, 0, 2, 3], ("5", "8"), {}, (("5", "9"), 1, 1, (0, 0), None)),
    ("guide", ONE_TWO, ("K", "2"), {}, (("A", "2"), 0, 3, (0, 0), None)),
    ("guide", ONE_FOUR, ("K", "2"), {}, (("A", "2"), 0, 1, (0, 0), None)),
    ("short_game", ONE_THREE, ("9", "2"), {}, (("T", "2"), 0, 2, (0, 0), None)),
    ("short_game", ONE_THREE, ("T", "2"), {}, (("T", "2"), 0, 2, (0, 0), 0)),
    ("short_game", ONE_FOUR, ("T", "2"), {}, (("T", "2"), 0, 1, (0, 0), None)),
    ("pagat", ONE_TWO, ("5", "2"), {}, (("9", "2"), 0, 4, (0, 0), None)),
    # At the top
    ("guide", ONE_TWO, A8, {}, (A8, 0, 3, (0, 0), 0)),
    ("guide", ONE_THREE, A8, {}, (A8, 0, 2, (0, 0), 0)),
    ("guide", ONE_FOUR, A8, {}, (A8, 0, 1, (0, 0), None)),
    ("guide", ONE_TWO, A8, {"owner": 1}, (A8, 0, 3, (0, 0), None)),
    ("guide", ONE_TWO, AA, {"owner": 1}, (AA, 0, 3, (0, 0), None)),
    # Failures
    ("ace_reset", ONE_FOUR, ("K", "8"), {}, (A8, 0, 1, (0, 0), None)),
    ("ace_reset", ONE_FOUR, A8, {}, (A8, 0, 1, (1, 0), None)),
    ("ace_reset", ONE_FOUR, A8, {"owner": 1}, (A8, 0, 1, (0, 0), None)),
    ("ace_reset", ONE_FOUR, A8, {"failures": (2, 1)}, (("2", "8"), 0, 0, (0, 1), None)),
    ("ace_reset", ONE_TWO, A8, {"failures": (2, 1)}, (A8, 0, 3, (2, 1), 0)),
    ("ace_reset", ONE_TWO, AA, {"owner": 1, "failures": (0, 2)}, (AA, 0, 3, (0, 2), None)),
    ("openguandan", ONE_FOUR, A8, {"failures": (2, 0)}, (A8, 0, 1, (3, 0), None)),
    ("openguandan", ONE_FOUR, A8, {"failures": (3, 0)}, (("2", "8"), 0, 0, (0, 0), None)),
    ("pagat", ONE_FOUR, A8, {"failures": (1, 0)}, (A8, 0, 1, (2, 0), None)),
    # In pagat the owner's loss counts too, and the winners keep their gain.
    ("pagat", ONE_TWO, ("5", "A"), {"owner": 1}, (("9", "A"), 0, 4, (0, 1), None)),
    ("pagat", ONE_TWO, AA, {"owner": 1, "failures": (1, 2)}, (("A", "2"), 0, 4, (1, 0), None)),
    ("pagat", ONE_TWO, A8, {"owner": 1}, (A8, 0, 4, (0, 0), None)),
    # First out at the top wins, unless a member was a Dweller of the deal before
    ("wikipedia", ONE_FOUR, A8, {"owner": 1}, (A8, 0, 1, (0, 0), 0)),
    ("wikipedia", ONE_TWO, A8, {"previous_last": (3,)}, (A8, 0, 3, (0, 0), 0)),
    ("wikipedia", ONE_TWO, A8, {"previous_last": (2,)}, (A8, 0, 3, (0, 0), None)),
    ("wikipedia", ONE_TWO, A8, {"previous_last": (1, 3)}, (A8, 0, 3, (0, 0), 0)),
    ("wikipedia", ONE_TWO, ("K", "8"), {"previous_last": (3,)}, (A8, 0, 3, (0, 0), None)),
]


@pytest.mark.parametrize(("rules", "order", "levels", "more", "expected"), SETTLED)
def test_settle(
    rules: str, order: list[int], levels: tuple[str, str], more: dict[str, Any], expected: Settled
) -> None:
    assert settled(rules, order, levels, **more) == expected


def test_active_level_is_the_winners_or_the_leaders() -> None:
    none, red = hands_with({}), hands_with({3: "HR HR"})
    assert active_level(ONE_THREE, none, ("5", "8"), GUIDE) == (0, "5")
    wikipedia = PRESETS["wikipedia"]
    assert active_level(ONE_THREE, none, ("5", "8"), wikipedia) == (1, "8")
    assert active_level(ONE_THREE, red, ("5", "8"), wikipedia) == (0, "5")
    assert active_level(SWEEP, none, ("5", "8"), wikipedia) == (1, "8")
    assert active_level(SWEEP, red, ("5", "8"), wikipedia) == (0, "5")
    assert active_level(ONE_FOUR, none, ("5", "8"), wikipedia) == (0, "5")


def test_presets_are_those_of_the_package() -> None:
    from guandan_sim.rules import Rules

    assert sorted(Rules.presets()) == sorted(PRESETS)
    for name, switches in PRESETS.items():
        assert Rules.preset(name).switches() == {"name": name, **switches}
