"""Who pays whom, what may come back and who sees it, by function and in the flow of a match."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from staged import (
    Levels,
    Transfer,
    check_tribute,
    end_in,
    give,
    give_back,
    low,
    table_of,
    tributes_seen,
)

import guandan_sim as gs
from guandan_sim import layout as lay


@pytest.mark.parametrize(
    ("order", "hands", "leader"),
    [
        ("0123", low(seat3="HR S5", seat1="HR S6"), 0),
        ("0123", low(seat3="S5 C5", seat1="HR HR S6"), 0),
        ("0123", low(seat3="HR HR S5"), 0),
        # The last finisher's partner is the Banker itself.
        ("0132", low(seat2="HR S5", seat0="HR S6"), 0),
        ("3201", low(seat1="HR S5", seat3="HR S6"), 3),
    ],
)
def test_a_side_with_both_red_jokers_pays_nothing_in_a_short_game(
    order: str, hands: list[str], leader: int
) -> None:
    owner = leader % 2
    check_tribute("short_game", hands, order, ("5", "8"), (owner, "58"[owner]), {}, [], leader)


@pytest.mark.parametrize(
    ("rules", "order", "hands", "payer", "card"),
    [
        ("short_game", "0123", low(seat3="HR S5", seat0="HR S6"), 3, "HR"),
        ("short_game", "0123", low(seat3="HR S6", seat2="HR S5"), 3, "HR"),
        ("kawu", "0123", low(seat3="HR S5", seat1="HR S6"), 3, "HR"),
        ("kawu", "0123", low(seat3="SK S6", seat1="HR HR S6"), 3, "SK"),
        ("kawu", "0132", low(seat2="HR S5", seat0="HR S6"), 2, "HR"),
    ],
)
def test_red_jokers_that_cancel_no_single_tribute(
    rules: str, order: str, hands: list[str], payer: int, card: str
) -> None:
    transfers = [(payer, 0, card)]
    check_tribute(rules, hands, order, ("5", "8"), (0, "5"), {payer: card}, transfers, payer)


# Returns


@pytest.mark.parametrize(
    ("rules", "level", "payer", "receiver", "options"),
    [
        # Level cards and the wild, but no higher natural rank.
        ("short_game", "5", "SK", "S5 H5 S3 DT SJ SA HR", "DT S5 H5 S3"),
        ("short_game", "T", "SK", "HT ST S9 SJ", "HT ST S9"),
        ("kawu", "5", "SK", "S5 H5 S3 DT SJ SA HR", "DT S3"),
        ("wikipedia", "5", "SK", "S5 H5 S3 DT SJ SA HR", "DT S3"),
        ("guide", "T", "SK", "HT ST S9 SJ", "S9"),
        # Any card but the one received, of which there is no other copy either.
        ("pagat", "5", "SK", "HR SB SA SJ H5 S5 DT", "HR SB SA SJ H5 S5 DT"),
        ("pagat", "5", "SK", "HR SK DK", "HR DK"),
        ("pagat", "5", "HR", "HR SB S3", "SB S3"),
        # A low card received.
        ("guide", "5", "S9", "S9 S8 SK", "S8"),
        ("pagat", "5", "S9", "S9 S8 SK", "S8 SK"),
        ("kawu", "5", "S9", "S9 S8 SK", "S9 S8"),
        ("openguandan", "5", "S9", "S8 SK", "S9 S8"),
        # Nothing eligible: the lowest by power order, in any suit.
        ("kawu", "2", "SA", "SJ DJ SQ HR", "SJ DJ"),
        ("guide", "2", "SA", "SJ DJ SQ HR", "SJ DJ"),
        ("official", "T", "SA", "ST HT SJ SQ", "SJ"),  # tens are above aces here
        ("short_game", "T", "SA", "ST HT SJ SQ", "ST HT"),
        ("guide", "Q", "HR", "HQ SB", "HQ"),
        ("guide", "Q", "HR", "SB HR", "SB"),
        # Also of those, another kind than the one received in guide.
        ("guide", "2", "SA", "DA SA", "DA"),
        ("kawu", "2", "SA", "DA SA", "DA SA"),
        ("guide", "2", "SJ", "SJ DJ SQ", "DJ"),
        ("kawu", "2", "SJ", "SJ DJ SQ", "DJ SJ"),
        ("guide", "2", "SJ", "SJ SQ SK", "SQ"),
        ("ace_reset", "2", "SJ", "SJ SQ SK", "SJ"),
        ("guide", "2", "SJ", "SJ", "SJ"),
    ],
)
def test_what_may_be_returned(
    rules: str, level: str, payer: str, receiver: str, options: str
) -> None:
    assert sorted(gs.return_options(receiver, level, payer, rules)) == sorted(options.split())
    # Single, to the Banker, and after a sweep to the Follower.
    for order, giver, taker in (("0132", 2, 0), ("2013", 1, 0)):
        hands = low(seat0=receiver)
        hands[giver] = f"{payer} C3"
        if order == "2013":
            if payer == "HR":
                continue
            hands[3] = "HR S4"  # for the Banker
        match = table_of(rules, hands, order, (level, level))
        give(match)
        if match.to_move != taker:
            match.step(str(match.options()[0]))
        assert (match.phase, match.to_move) == ("return", taker)
        offered = [str(card) for card in match.options()]
        assert sorted(offered) == sorted(options.split())
        for card in set(hands[0].split()) - set(offered):
            with pytest.raises(gs.IllegalMoveError, match=f"seat 0 may not return {card}"):
                match.step(card)
        match.step(offered[-1])
        assert match.tributes[-1] == (giver, 0, payer, offered[-1])


@pytest.mark.parametrize(
    ("order", "levels", "after", "gain"),
    [
        ("0213", ("5", "8"), ("9", "8"), 4),
        ("0123", ("5", "8"), ("7", "8"), 2),
        ("0132", ("5", "8"), ("6", "8"), 1),
        ("1302", ("5", "T"), ("5", "A"), 4),
        ("1302", ("5", "K"), ("5", "A"), 4),
        ("2031", ("J", "8"), ("A", "8"), 4),
    ],
)
def test_promotion_in_pagat(order: str, levels: Levels, after: Levels, gain: int) -> None:
    settled = gs.settle(order, levels, 0, rules="pagat")
    assert (settled.levels, settled.gain, settled.match_winner) == (after, gain, None)
    match = table_of("pagat", low(), "0123", levels)
    end_in(match, order)
    assert (match.levels, match.state[lay.S_GAIN], match.winner) == (after, gain, None)


# Who pays whom after a sweep


@pytest.mark.parametrize(
    ("order", "cards", "transfers", "leader"),
    [
        # The lower seat's card is higher, the higher seat's, and equal ones.
        ("0213", {1: "SA", 3: "DK"}, [(1, 0, "SA"), (3, 2, "DK")], 1),
        ("0213", {1: "SK", 3: "DA"}, [(1, 0, "SK"), (3, 2, "DA")], 3),
        ("0213", {1: "SA", 3: "DA"}, [(1, 0, "SA"), (3, 2, "DA")], 3),
        ("2013", {1: "SA", 3: "DK"}, [(3, 2, "DK"), (1, 0, "SA")], 1),
        ("2013", {1: "SK", 3: "DA"}, [(3, 2, "DA"), (1, 0, "SK")], 3),
        ("2013", {1: "SA", 3: "DA"}, [(3, 2, "DA"), (1, 0, "SA")], 3),
        ("1302", {0: "SA", 2: "DK"}, [(2, 1, "DK"), (0, 3, "SA")], 0),
        ("1302", {0: "SK", 2: "DA"}, [(2, 1, "DA"), (0, 3, "SK")], 2),
        ("1302", {0: "SA", 2: "DA"}, [(2, 1, "DA"), (0, 3, "SA")], 2),
        ("3102", {0: "SA", 2: "DK"}, [(0, 3, "SA"), (2, 1, "DK")], 0),
        ("3102", {0: "SK", 2: "DA"}, [(0, 3, "SK"), (2, 1, "DA")], 2),
        ("3102", {0: "SB", 2: "SB"}, [(0, 3, "SB"), (2, 1, "SB")], 2),
        # One red joker against one black cancels nothing.
        ("3102", {0: "HR", 2: "SB"}, [(0, 3, "HR"), (2, 1, "SB")], 0),
        ("1302", {0: "HR", 2: "SB"}, [(2, 1, "SB"), (0, 3, "HR")], 0),
    ],
)
def test_payers_fixed_by_seat(
    order: str, cards: dict[int, str], transfers: list[Transfer], leader: int
) -> None:
    hands = low()
    for seat, card in cards.items():
        hands[seat] = f"{card} {hands[seat]}"
    owner = int(order[0]) % 2
    levels = ("2", "6")
    options = {seat: cards[seat] for seat in sorted(cards)}
    check_tribute(
        "openguandan", hands, order, levels, (owner, levels[owner]), options, transfers, leader
    )


EQUAL = {
    "0213": ["S3 C4", "SA S5", "S4 C3", "DA D5"],
    "2013": ["S3 C4", "SA S5", "S4 C3", "DA D5"],
    "1302": ["SA S5", "S3 C4", "DA D5", "S4 C3"],
    "3102": ["SA S5", "S3 C4", "DA D5", "S4 C3"],
}


@pytest.mark.parametrize(
    ("rule", "order", "transfers", "leader"),
    [
        ("right_of_banker", "0213", [(1, 0, "SA"), (3, 2, "DA")], 1),
        ("right_of_banker", "2013", [(3, 2, "DA"), (1, 0, "SA")], 3),
        ("right_of_banker", "1302", [(2, 1, "DA"), (0, 3, "SA")], 2),
        ("right_of_banker", "3102", [(0, 3, "SA"), (2, 1, "DA")], 0),
        ("lowest_seat", "0213", [(1, 0, "SA"), (3, 2, "DA")], 1),
        ("lowest_seat", "2013", [(1, 2, "SA"), (3, 0, "DA")], 1),
        ("lowest_seat", "1302", [(0, 1, "SA"), (2, 3, "DA")], 0),
        ("lowest_seat", "3102", [(0, 3, "SA"), (2, 1, "DA")], 0),
    ],
)
def test_equal_cards_after_a_sweep(
    rule: str, order: str, transfers: list[Transfer], leader: int
) -> None:
    rules = gs.Rules.preset("guide").replace(equal_tribute=rule)
    owner = int(order[0]) % 2
    options = {giver: card for giver, _, card in transfers}
    check_tribute(
        rules, EQUAL[order], order, ("2", "6"), (owner, "26"[owner]), options, transfers, leader
    )


@pytest.mark.parametrize("order", EQUAL)
def test_equal_cards_may_be_left_to_chance(order: str) -> None:
    rules = gs.Rules.preset("guide").replace(equal_tribute="random")
    banker = int(order[0])
    payers = Counter[int]()
    for seed in range(400):
        matches = [table_of(rules, EQUAL[order], order, seed=seed) for _ in range(2)]
        for match in matches:
            give(match)
        match, again = matches
        assert match.tributes == again.tributes
        (payer, to, card, _), other = match.tributes
        assert (to, card) == (banker, {0: "SA", 1: "SA", 2: "DA", 3: "DA"}[payer])
        assert other[:2] == ((payer + 2) % 4, (banker + 2) % 4)
        give_back(match)
        assert match.leader == payer
        payers[payer] += 1
    right = (banker + 1) % 4
    assert payers.keys() == {right, (right + 2) % 4}
    assert abs(payers[right] - 200) <= 40  # four standard errors of a fair coin
    # Unequal cards leave nothing to chance.
    hands = [hand.replace("DA", "DK") for hand in EQUAL[order]]
    for seed in range(20):
        match = table_of(rules, hands, order, seed=seed)
        give(match)
        assert match.tributes[0][2] == "SA"


def test_chance_among_equal_cards_in_a_run(tmp_path: Path) -> None:
    """Through the compiled loop, where each deal has a stream of its own."""
    rules = gs.Rules.preset("guide").replace(equal_tribute="random")
    run = gs.simulate(
        deals=12_000,
        rules=rules,
        level="2",
        previous_order="0213",
        bots="greedy",
        log="deals",
        out=tmp_path / "run",
    )
    assert isinstance(run, gs.Run)
    tributes = run.tributes()
    paid = {1: tributes[tributes["giver"] == 1], 3: tributes[tributes["giver"] == 3]}
    power = "AXBR"  # ace, level card, black joker, red joker: no other is the highest of 27 here
    cards = [frame["card"].astype(str).tolist() for frame in paid.values()]
    receivers = paid[1]["receiver"].tolist()
    counts = Counter[int]()
    for of_one, of_three, receiver in zip(*cards, receivers, strict=True):
        own, other = (
            power.index("X" if card[1] == "2" else card[1]) if card[1] in "A2BR" else -1
            for card in (of_one, of_three)
        )
        if own == other and own >= 0:
            counts[receiver] += 1
        elif own != other:
            assert receiver == (0 if own > other else 2)
    draws = counts.total()
    assert draws > 700
    assert abs(counts[0] - draws / 2) <= 2 * draws**0.5  # four standard errors


# What the others see of tribute

SWEPT = ["S3 C4 D5", "SA DA S5", "S4 C3 D6", "DK CK D7"]


@pytest.mark.parametrize(
    ("rules", "order", "seen"),
    [
        ("wikipedia", "0213", ["S3 -", "S3 -", "- S4", "- S4"]),
        ("wikipedia", "0123", ["S3 -", "- -", "- -", "S3 -"]),
        ("guide", "0213", ["S3 S4"] * 4),
        ("guide", "0123", ["S3 -"] * 4),
        ("kawu", "0213", ["S3 S4"] * 4),
        ("openguandan", "0213", ["S3 S4"] * 4),
    ],
)
def test_who_sees_the_cards_returned(rules: str, order: str, seen: list[str]) -> None:
    match = table_of(rules, SWEPT, order)
    give(match)
    while match.phase == "return":
        for seat in range(4):
            # Nobody but those two until play starts.
            own = [row for row in match.tributes if row[3] and seat in row[:2]]
            assert [row for row in tributes_seen(match, seat) if row[3]] == own
        match.step({0: "S3", 2: "S4"}[match.to_move or 0])
    paid = ["SA", "CK"] if order == "0213" else ["CK", ""]
    while True:
        for seat, cards in enumerate(seen):
            rows = tributes_seen(match, seat)
            assert " ".join(row[3] or "-" for row in rows) == cards
            assert [row[2] for row in rows] == paid
        if match.phase == "done":
            break
        match.step(gs.bot("greedy").choose(match.view()))


@pytest.mark.parametrize("rules", ["guide", "wikipedia", "openguandan"])
def test_both_tributes_are_fixed_before_either_is_shown(rules: str) -> None:
    """Seat 1 gives one ace or the other: nobody but itself can tell until seat 3 has given."""
    matches = [table_of(rules, SWEPT, "0213") for _ in range(2)]
    for match, card in zip(matches, ("SA", "DA"), strict=True):
        assert (match.phase, match.to_move, match.options()) == ("tribute", 1, ["SA", "DA"])
        match.step(card)
        assert (match.phase, match.to_move, match.options()) == ("tribute", 3, ["CK", "DK"])
        assert match.tributes == []
        for seat in range(4):
            assert tributes_seen(match, seat) == [(0, 0, "", "")] * 2
            assert match.view(seat).counts == (3, 3, 3, 3)
            assert sorted(match.view(seat).hand) == sorted(SWEPT[seat].split())
    for seat in (0, 2, 3):
        one, other = (match.view(seat).words for match in matches)
        np.testing.assert_array_equal(one, other)
    for match, card in zip(matches, ("SA", "DA"), strict=True):
        match.step("DK")
        for seat in range(4):
            assert tributes_seen(match, seat) == [(1, 0, card, ""), (3, 2, "DK", "")]


@pytest.mark.parametrize("rules", ["guide", "wikipedia", "openguandan"])
def test_the_second_receiver_has_not_seen_the_first_return(rules: str) -> None:
    matches = [table_of(rules, SWEPT, "0213") for _ in range(2)]
    for match, card in zip(matches, ("S3", "D5"), strict=True):
        give(match, {1: "SA", 3: "DK"})
        assert (match.phase, match.to_move) == ("return", 0)
        # Both cards have changed hands by now.
        assert match.view(2).counts == (4, 2, 4, 2)
        assert "DK" in match.view(2).hand
        match.step(card)
        assert (match.phase, match.to_move) == ("return", 2)
        for seat in (0, 1):
            assert tributes_seen(match, seat) == [(1, 0, "SA", card), (3, 2, "DK", "")]
        for seat in (2, 3):
            assert tributes_seen(match, seat) == [(1, 0, "SA", ""), (3, 2, "DK", "")]
    for seat in (2, 3):
        one, other = (match.view(seat).words for match in matches)
        np.testing.assert_array_equal(one, other)
    assert matches[0].options() == matches[1].options()
