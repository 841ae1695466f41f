"""One deal through `gs.Deal`: tricks, going out, the referee beside it, copies, illegal input."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from games import random_steps, words_of
from hypothesis import given
from hypothesis import strategies as st
from oracle import RANKS, full_pack
from referee import PRESETS, RefereeDeal

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim.bots import bots_by_seat
from guandan_sim.playing import Player

SEEDS = st.integers(0, 2**63 - 1)
LEVELS = st.sampled_from(RANKS)


def deal_of(*hands: str, leader: int = 0, level: str = "2", rules: str = "guide") -> gs.Deal:
    return gs.Deal(level=level, rules=rules, hands=hands, leader=leader)


def plays(deal: gs.Deal, *cards: str) -> None:
    """Play or pass ("-") seat after seat."""
    for each in cards:
        if each == "-":
            deal.pass_()
        else:
            deal.play(each)


def asked(deal: gs.Deal) -> tuple[int | None, str | None]:
    """The seat to move and what it has to beat."""
    return deal.to_move, None if deal.to_beat is None else str(deal.to_beat)


# Tricks


def test_player_goes_out_three_pass_and_the_partner_leads() -> None:
    deal = deal_of("S9", "S3 S4", "C3 S4", "D3 C4")
    plays(deal, "S9", "-", "-")
    assert asked(deal) == (3, "single 9: S9")
    plays(deal, "-")
    assert asked(deal) == (2, None)
    assert deal.finish_order == (0,)


def test_player_goes_out_the_next_beats_it_and_nobody_inherits_later() -> None:
    deal = deal_of("S9", "ST S4 S5", "S3 C4", "C3 D4")
    plays(deal, "S9", "ST", "-", "-")
    assert asked(deal) == (1, None)
    plays(deal, "S5", "-", "-")
    assert asked(deal) == (1, None)


def test_two_are_out_and_the_partner_of_the_second_leads_after_two_passes() -> None:
    deal = deal_of("S9", "S3 S4", "C3 C4", "S8", leader=3)
    plays(deal, "S8", "S9", "-", "-")
    assert asked(deal) == (2, None)
    assert deal.finish_order == (3, 0)


def test_one_is_out_and_the_leader_leads_again_after_two_passes() -> None:
    deal = deal_of("S9 ST", "S3 S4", "C3 C4", "S8", leader=3)
    plays(deal, "S8", "S9", "-", "-")
    assert asked(deal) == (0, None)


def test_a_pass_does_not_bar_from_the_same_trick() -> None:
    deal = deal_of("S5 SA S6", "S3 DA", "SK S4", "C3 C4")
    plays(deal, "S5", "-", "SK", "-", "-")
    assert asked(deal) == (1, "single K: SK")
    plays(deal, "DA", "-", "-")
    assert asked(deal) == (0, "single A: DA")
    plays(deal, "-")
    assert asked(deal) == (1, None)


def test_a_pass_bars_from_the_trick_where_passes_lock() -> None:
    deal = deal_of("S5 SA S6", "S3 DA", "SK S4 C7", "C3 C4", rules="ace_reset")
    plays(deal, "S5", "-", "SK", "-", "-")
    assert asked(deal) == (2, None)
    plays(deal, "S4", "-", "-", "DA")
    assert asked(deal) == (2, "single A: DA")


def test_an_earlier_leader_who_has_not_passed_may_still_play_where_passes_lock() -> None:
    deal = deal_of("S5 SA S6", "S3 DA", "SK S4", "C3 C4", rules="ace_reset")
    plays(deal, "S5", "-", "SK", "-", "SA")
    assert asked(deal) == (2, "single A: SA")
    plays(deal, "-")
    assert asked(deal) == (0, None)
    plays(deal, "S6", "-", "-", "-")
    assert (deal.to_move, deal.finish_order) == (2, (0,))


def test_a_sweep_ends_the_deal_at_once_and_orders_the_losers_by_seat() -> None:
    deal = deal_of("S9", "SA S4", "ST", "SA S3")
    plays(deal, "S9", "-", "ST")
    assert (deal.done, deal.to_move, deal.finish_order) == (True, None, (0, 2, 1, 3))


def test_the_third_finisher_ends_the_deal_and_nobody_answers() -> None:
    deal = deal_of("S9", "ST", "SJ", "SA S3")
    plays(deal, "S9", "ST", "SJ")
    assert (deal.done, deal.finish_order) == (True, (0, 1, 2, 3))
    deal = deal_of("S9", "ST S8", "CA", "SJ", leader=1)
    plays(deal, "S8", "-", "SJ", "-", "-", "-", "ST")
    assert (deal.done, deal.finish_order) == (True, (3, 1, 0, 2))


def test_the_last_card_of_a_team_is_no_end_while_the_partner_holds_cards() -> None:
    deal = deal_of("S9", "ST SJ", "S3", "SQ SK")
    plays(deal, "S9", "ST", "-", "-")
    assert (deal.done, deal.to_move, deal.finish_order) == (False, 1, (0,))


@pytest.mark.parametrize(
    ("level", "first", "second", "beaten"),
    [
        ("5", "S6 D7 S8 C9 ST", "SA D2 C3 D4 S5", False),
        ("5", "S5 H5 C5 D5", "S6 S6 C6 C6 D6 D6", True),
        ("7", "S3 S4 S5 S6 S7", "S2 S2 H2 H2 C2 C2", True),
        ("7", "S3 H3 C3 C3 D3", "SA S2 S3 S4 S5", True),
        ("7", "S3 S4 S5 S6 S7", "SA SA CA CA DA", False),
        ("2", "SB SB HR HR", "S9 S9 H9 H9 C9 C9 D9 D9", False),
        ("2", "SA", "S2", True),
        ("2", "SB", "S2", False),
        ("2", "SK SK", "HR HR", True),
        ("2", "SA CA DA", "SB SB", False),
        ("2", "S9 D9", "C9 H9", False),
        ("2", "S9 D9", "CT HT DT", False),
        ("3", "SA CA S2 C2 S3 C3", "S2 C2 S3 C3 S4 C4", True),
    ],
)
def test_what_beats_what_at_the_table(level: str, first: str, second: str, beaten: bool) -> None:
    deal = deal_of(f"{first} CT", f"{second} CJ", "CQ", "CK", level=level)
    deal.play(first)
    if beaten:
        deal.play(second)
        assert deal.to_move == 2
    else:
        with pytest.raises(gs.IllegalMoveError, match="does not beat"):
            deal.play(second)


def test_bare_cards_are_read_as_what_is_legal_now() -> None:
    deal = deal_of("S8 D8 C8 S3 D3 SK", "S8 S9 D9 D8 H2 S4", "S5 S5", "S6", level="2")
    deal.play("S8 D8 C8 S3 D3")
    deal.play("S8 D8 S9 D9 H2")
    assert str(deal.to_beat) == "full_house 9: S9 D9 S8 D8 H2"
    other = deal_of("S8 D8 C8 S3 D3 SK", "S8 S9 D9 D8 H2 S4", "S5 S5", "S6", leader=1)
    with pytest.raises(gs.AmbiguousMoveError, match="may be declared as full_house 8 or as full_h"):
        other.play("S8 D8 S9 D9 H2")
    other.play("full_house 8: S8 D8 S9 D9 H2")
    assert other.to_beat == gs.Move("full_house", "8", ("S9", "D9", "S8", "D8", "H2"))


def test_the_history_tells_plays_and_passes_in_order() -> None:
    deal = deal_of("S9 S3", "ST S4 S5", "S3 C4", "C3 D4")
    plays(deal, "S9", "ST", "-", "-", "-", "S5", "-", "-")
    assert [(seat, str(move)) for seat, move in deal.history] == [
        (0, "single 9: S9"),
        (1, "single T: ST"),
        (2, "pass"),
        (3, "pass"),
        (0, "pass"),
        (1, "single 5: S5"),
        (2, "pass"),
        (3, "pass"),
    ]


# The referee beside


def random_hands(choices: random.Random, most: int) -> list[list[str]]:
    """Four small hands, of few ranks so that much can be answered."""
    ranks = choices.sample(RANKS, choices.randint(3, 6))
    pack = [card for card in full_pack() if card[1] in ranks or choices.random() < 0.15]
    choices.shuffle(pack)
    return [[pack.pop() for _ in range(choices.randint(1, most))] for _ in range(4)]


@pytest.mark.parametrize("preset", PRESETS)
def test_small_deals_with_every_legal_move_compared(preset: str) -> None:
    choices = random.Random(preset)
    ends: Counter[tuple[int, ...]] = Counter()
    for _ in range(40 if preset in ("guide", "ace_reset") else 12):
        hands = random_hands(choices, most=6)
        level, leader = choices.choice(RANKS), choices.randrange(4)
        deal = gs.Deal(level=level, rules=preset, hands=hands, leader=leader)
        referee = RefereeDeal(hands, level, leader, PRESETS[preset])
        while not referee.finished:
            assert not deal.done
            assert deal.to_move == referee.turn
            legal = {(m.shape, m.rank, tuple(sorted(m.cards))): m for m in deal.legal_moves()}
            assert legal.keys() == referee.moves()
            assert deal.view().has_choice == (set(legal) != {("pass", "", ())})
            chosen = choices.choice(sorted(legal))
            deal.play(str(legal[chosen]) if choices.random() < 0.5 else legal[chosen])
            referee.move(chosen)
        assert deal.done
        assert list(deal.finish_order) == referee.finish_order
        assert [sorted(hand) for hand in deal.hands] == referee.hands
        ends[deal.finish_order] += 1
    assert len(ends) >= 6


# Properties


@given(seed=SEEDS, level=LEVELS, preset=st.sampled_from(gs.Rules.presets()))
def test_cards_are_conserved_and_deals_end(seed: int, level: str, preset: str) -> None:
    deal = gs.Deal(seed, level, preset)
    dealt = [Counter(hand) for hand in deal.hands]
    assert sum(dealt, Counter()) == Counter(full_pack())
    played: list[Counter[str]] = [Counter() for _ in range(4)]
    seat = deal.to_move
    count = 0
    for move in random_steps(deal, seed):
        assert seat is not None
        played[seat].update(move.cards)
        count += move.shape != "pass"
        state = deal.state
        left = [one.bit_count() + two.bit_count() for one, two in hand_words(state, lay.S_HANDS)]
        assert state[lay.V_COUNTS : lay.V_COUNTS + 4].tolist() == left
        shown = hand_words(state, lay.V_PLAYED)[seat]
        assert shown == words_of(list(played[seat].elements()))
        seat = deal.to_move
    assert deal.done
    assert [Counter(h) + p for h, p in zip(deal.hands, played, strict=True)] == dealt
    assert count == deal.state[lay.V_PLIES] <= lay.MAX_PLIES
    out = [s for s in range(4) if not deal.hands[s]]
    assert sorted(deal.finish_order) == [0, 1, 2, 3]
    assert set(deal.finish_order[: len(out)]) == set(out)
    assert {0, 2} <= set(out) or {1, 3} <= set(out)


def hand_words(state: np.ndarray, at: int) -> list[tuple[int, int]]:
    """Four pairs of words."""
    words = state[at : at + 8].tolist()
    return list(zip(words[::2], words[1::2], strict=True))


@given(seed=SEEDS, steps=st.integers(0, 150), bot=st.sampled_from(["random", "greedy"]))
def test_a_copy_comes_to_the_same_end(seed: int, steps: int, bot: str) -> None:
    deal = gs.Deal(seed)
    for _ in random_steps(deal, seed, steps):
        pass
    before = deal.state
    copy = deal.copy()
    copy.play_out(bot)
    raw = deal.state
    Player(bots_by_seat(bot)).play_out(raw)
    np.testing.assert_array_equal(deal.state, before)
    np.testing.assert_array_equal(copy.state, raw)
    # And step by step.
    while not deal.done:
        deal.play(gs.bot(bot).choose(deal.view()))
    assert deal.history == copy.history
    np.testing.assert_array_equal(deal.state, copy.state)


def test_a_copy_lives_on_its_own() -> None:
    deal = deal_of("S9 S3", "ST S4", "C3 C4", "D3 D4")
    copy = deal.copy()
    deal.play("S9")
    assert asked(copy) == (0, None)
    copy.play("S3")
    assert asked(deal) == (1, "single 9: S9")
    assert type(copy) is gs.Deal
    deal.state[:] = 0
    assert deal.hands[2] == ("C4", "C3")


# How a deal is set up


def test_the_same_seed_and_number_give_the_same_pack() -> None:
    deal = gs.Deal(seed=5, number=3)
    again = gs.Deal(seed=5, number=3, level="9")
    assert (deal.hands, deal.leader) == (again.hands, again.leader)
    for other in (gs.Deal(seed=5, number=4), gs.Deal(seed=6, number=3)):
        assert other.hands != deal.hands


def test_a_deal_is_the_first_of_the_match_of_that_seed() -> None:
    assert gs.Deal(seed=5, number=3).hands == gs.Match(seed=5, number=3).hands


def test_a_given_leader_leads() -> None:
    assert [gs.Deal(seed=5, leader=seat).to_move for seat in range(4)] == [0, 1, 2, 3]


def test_given_hands() -> None:
    deal = gs.Deal(hands=["", ["s9", "h10"], "S3,D3", ""], level="10")
    assert deal.hands == ((), ("HT", "S9"), ("S3", "D3"), ())
    assert (deal.to_move, deal.leader, deal.level) == (1, 1, "T")
    assert list(deal.finish_order) == [0, 3]
    deal.play("S9")
    deal.pass_()
    assert deal.to_move == 1
    deal.play("HT")
    assert list(deal.finish_order) == [0, 3, 1, 2]


def test_full_hands_have_a_drawn_leader_who_holds_the_marked_card() -> None:
    hands = gs.Deal(seed=8).hands
    deal = gs.Deal(seed=9, hands=hands)
    assert deal.leader is not None
    marked = int(deal.state[lay.V_MARKED])
    assert hand_words(deal.state, lay.S_HANDS)[deal.leader][0] >> marked & 1
    leaders = {gs.Deal(seed=seed, hands=hands).leader for seed in range(40)}
    assert leaders == {0, 1, 2, 3}


# Illegal input: the error names the value and what would be right, and nothing changes


def middle() -> gs.Deal:
    """Seat 1 is to answer a pair of eights at level 2."""
    deal = deal_of("S8 D8 S4", "S9 D9 C9 S7 D7 H2 SB", "S3 S3", "D3 D3")
    deal.play("S8 D8")
    return deal


@pytest.mark.parametrize(
    ("move", "error", "message"),
    [
        ("S9", gs.IllegalMoveError, "'single 9: S9' does not beat 'pair 8: S8 D8' at level 2"),
        ("S7 D7", gs.IllegalMoveError, "'pair 7: S7 D7' does not beat 'pair 8: S8 D8'"),
        ("S9 S9", gs.IllegalMoveError, "seat 1 does not hold S9 for 'pair 9: S9 S9'"),
        ("SA DA", gs.IllegalMoveError, "seat 1 does not hold DA SA for 'pair A: SA DA'"),
        ("S9 S7", gs.IllegalMoveError, "'S9 S7' is no combination at level 2"),
        ("SB H2", gs.IllegalMoveError, "'SB H2' is no combination"),
        ("pair 9: S9 S7", gs.IllegalMoveError, "S9 S7 cannot be pair 9 at level 2"),
        (
            "pair 7: S9 D9",
            gs.IllegalMoveError,
            "S9 D9 cannot be pair 7 at level 2; they may be pair 9: S9 D9",
        ),
        ("triple 9: S9 D9", gs.IllegalMoveError, "S9 D9 cannot be triple 9"),
        ("pair 9:", gs.IllegalMoveError, "no cards cannot be pair 9"),
        ("S9 S9 S9", gs.GuandanError, "3 copies of S9; two packs have 2"),
        ("pair 9: S9 S9 S9", gs.IllegalMoveError, "3 copies of S9; two packs have 2"),
        ("S9 D0", gs.CardParseError, "'D0' is not a card; a card is a suit S H C D and a rank"),
        ("pair 9: S9 X9", gs.MoveParseError, "'X9' is not a card"),
        ("pear 9: S9 D9", gs.MoveParseError, "'pear 9: S9 D9' is not a move; write 'shape rank"),
        ("pair 1: S9 D9", gs.MoveParseError, "'1' is not a rank"),
        ("pair 9 of: S9 D9", gs.MoveParseError, "is not a move"),
        ("", gs.GuandanError, "''"),
        (None, gs.MoveParseError, "None is not a move"),
        (["S9", "D9"], gs.MoveParseError, "is not a move"),
        (gs.Move("pair", "9", ("S9",)), gs.IllegalMoveError, "S9 cannot be pair 9"),
        (gs.Move("pair", "", ("S9", "D9")), gs.IllegalMoveError, "cannot be pair"),
        # A pass with cards or a rank is no pass.
        ("pass: S9", gs.GuandanError, "pass"),
        (gs.Move("single", "9", ("SB",)), gs.IllegalMoveError, "SB cannot be single 9"),
    ],
)
def test_illegal_moves(move: Any, error: type[gs.GuandanError], message: str) -> None:
    deal = middle()
    before = deal.state
    with pytest.raises(error, match=message):
        deal.play(move)
    np.testing.assert_array_equal(deal.state, before)
    deal.play("pair 9: S9 D9")


def test_the_leader_may_not_pass() -> None:
    deal = deal_of("S9 S3", "ST S4", "C3 C4", "D3 D4")
    before = deal.state
    passes: list[Callable[[], None]] = [deal.pass_, lambda: deal.play("pass")]
    for attempt in passes:
        with pytest.raises(gs.IllegalMoveError, match="seat 0 leads and must play"):
            attempt()
    np.testing.assert_array_equal(deal.state, before)


def test_nothing_is_played_when_the_deal_is_done() -> None:
    deal = deal_of("S9", "ST", "SJ", "SQ")
    plays(deal, "S9", "-", "SJ")
    before = deal.state
    attempts: list[Callable[[], object]] = [
        deal.pass_,
        deal.legal_moves,
        lambda: deal.play("ST"),
        lambda: deal.play("pass"),
    ]
    for attempt in attempts:
        with pytest.raises(gs.IllegalMoveError, match="no move can be played: the deal is done"):
            attempt()
    np.testing.assert_array_equal(deal.state, before)
    deal.play_out("random")
    np.testing.assert_array_equal(deal.state, before)


FOUR = ["S3", "S4", "S5", "S6"]
TOO_MANY = [suit + rank for rank in "3456789" for suit in "SHCD"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"hands": FOUR[:3]}, gs.HandError, "3 hands were given; there are four seats"),
        ({"hands": [*FOUR, "S7"]}, gs.HandError, "5 hands were given"),
        ({"hands": ["S9 S9 S9", "S4", "S5", "S6"]}, gs.HandError, "seat 0 .*3 copies of S9"),
        ({"hands": ["S9 S9", "S9", "S5", "S6"]}, gs.HandError, "four hands together .*3 copies of"),
        ({"hands": [TOO_MANY, "SK", "SQ", "SJ"]}, gs.HandError, "seat 0 .*28 cards"),
        ({"hands": ["S9", "", "S8", ""]}, gs.HandError, "seats 1 and 3 have no cards; the deal"),
        ({"hands": ["", "", "", ""]}, gs.HandError, "seats 0 and 2 have no cards"),
        ({"hands": ["S1", "S4", "S5", "S6"]}, gs.CardParseError, "'S1' is not a card"),
        ({"hands": [3, "S4", "S5", "S6"]}, gs.CardParseError, "3 is not cards; give text such as"),
        ({"hands": [["S3", 4], "S4", "S5", "S6"]}, gs.CardParseError, "4 is not a card"),
        ({"hands": 4}, gs.GuandanError, "hands"),
        ({"level": "1"}, gs.CardParseError, "'1' is not a level; levels are 2..9, 10"),
        ({"level": "B"}, gs.CardParseError, "'B' is not a level"),
        ({"level": None}, gs.CardParseError, "None is not a level"),
        ({"level": 11}, gs.CardParseError, "11 is not a level"),
        ({"rules": "house"}, gs.RulesError, "'house' is not a rule preset; there are guide, "),
        ({"leader": 4}, gs.OptionError, "leader is 4; seats are 0, 1, 2 and 3"),
        ({"leader": "0"}, gs.OptionError, "leader is '0'; seats are"),
        ({"leader": True}, gs.OptionError, "leader is True; seats are"),
        (
            {"hands": ["S3", "", "S5", "S6"], "leader": 1},
            gs.OptionError,
            "leader is seat 1, which has no cards",
        ),
        ({"seed": -1}, gs.OptionError, "seed is -1; a whole number from 0"),
        ({"seed": "1"}, gs.OptionError, "seed is '1'; a whole number"),
        ({"number": -5}, gs.OptionError, "number is -5; a whole number"),
    ],
)
def test_wrong_arguments(
    arguments: dict[str, Any], error: type[gs.GuandanError], message: str
) -> None:
    with pytest.raises(error, match=message):
        gs.Deal(**arguments)


def test_wrong_seats_and_bots() -> None:
    deal = middle()
    before = deal.state
    with pytest.raises(gs.OptionError, match="seat is 4; seats are 0, 1, 2 and 3"):
        deal.view(4)
    with pytest.raises(gs.BotError, match="'clever' is not a bot"):
        deal.play_out("clever")
    with pytest.raises(gs.OptionError, match="3 bots were named"):
        deal.play_out(["random"] * 3)
    np.testing.assert_array_equal(deal.state, before)
