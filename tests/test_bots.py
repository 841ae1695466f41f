"""Bots by name and by hand: what `choose` does, and that `random` and `greedy` play as they say."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from games import random_steps

import guandan_sim as gs
from guandan_sim import layout as lay

GREEDY = gs.bot("greedy")
RANDOM = gs.bot("random")


def greedy(hand: str, level: str = "2", **view: Any) -> str:
    """What `greedy` does at seat 0."""
    return str(GREEDY.choose(gs.View(hand, level, **view)))


# Greedy: leads low and long


@pytest.mark.parametrize(
    ("hand", "level", "lead"),
    [
        ("S3 S9 DK", "2", "single 3: S3"),
        ("S9 S3 D3 DK", "2", "pair 3: S3 D3"),
        ("S9 S3 D3 C3 DK", "2", "triple 3: S3 C3 D3"),
        ("S9 D9 S3 D3 C3 DK", "2", "full_house 3: S9 D9 S3 C3 D3"),
        ("S3 D4 C5 S6 D7 SK SQ", "2", "straight 7: D7 S6 C5 D4 S3"),
        ("S3 D4 C5 S6 S2 SK SA", "2", "straight 5: SA C5 D4 S3 S2"),
        ("S5 D5 S6 D6 S7 D7 S3", "2", "tube 7: S7 D7 S6 D6 S5 D5"),
        ("S5 D5 C5 S6 D6 C6 S3", "2", "plate 6: S6 C6 D6 S5 C5 D5"),
        # The level ranks above the ace, and jokers above both.
        ("S5 S6 SB", "5", "single 6: S6"),
        ("S5 SB", "5", "single 5: S5"),
        ("SB HR", "5", "single SB: SB"),
        # Bombs and wilds are set aside.
        ("S3 D3 C3 H3 S9 SK", "2", "single 9: S9"),
        ("H7 H7 S8 SK", "7", "single 8: S8"),
        ("SB SB HR HR SA", "7", "single A: SA"),
        # Nothing but what was set aside.
        ("S9 D9 C9 H9", "2", "bomb 9: S9 H9 C9 D9"),
        ("H2", "2", "single 2: H2"),
        ("H2 H2", "2", "pair 2: H2 H2"),
    ],
)
def test_greedy_leads_low_and_long(hand: str, level: str, lead: str) -> None:
    assert greedy(hand, level) == lead


@pytest.mark.parametrize(
    ("hand", "to_beat", "answer"),
    [
        ("S6 S9 SK", "single 8: S8", "single 9"),
        ("S9 D9 ST", "single 8: S8", "single T"),  # a lone card rather than one of a pair
        ("S9 D9 S6", "single 8: S8", "single 9"),
        ("S6 D6 S9 D9 C9 SK DK", "pair 8: S8 D8", "pair K"),
        ("S9 D9 C9 S6 S7", "pair 8: S8 D8", "pair 9"),
        ("S7 D8 C9 ST SJ SK", "straight 9: S5 D6 S7 S8 S9", "straight J"),
        ("S9 SK SB", "single A: SA", "single SB"),
        ("S6 S7", "single 8: S8", "pass"),
    ],
)
def test_greedy_follows_cheaply(hand: str, to_beat: str, answer: str) -> None:
    low = " H3 H3 C3 H4 H4 C4 H5 H5 C5"  # so that the end is not near
    move = greedy(hand + low, to_beat=to_beat, counts=(11, 20, 20, 20))
    assert move.partition(":")[0] == answer


def test_greedy_lets_its_partners_play_stand() -> None:
    view: dict[str, Any] = {"to_beat": "single 8: S8", "to_beat_seat": 2, "counts": (2, 5, 3, 5)}
    assert greedy("S9 SK", **view) == "pass"
    assert greedy("S9 D9 C9 H9", **view) == "pass"
    # But it goes out.
    assert greedy("S9", **view) == "single 9: S9"
    pair: dict[str, Any] = {"to_beat": "pair 8: S8 D8", "to_beat_seat": 2}
    assert greedy("S9 H2", **pair) == "pair 9: S9 H2"
    assert greedy("S9 D9 C9", **pair) == "pass"


@pytest.mark.parametrize(
    ("counts", "answer"),
    [
        ((14, 20, 20, 20), "pass"),
        ((14, 20, 20, 10), "bomb 5: S5 H5 C5 D5"),
        ((14, 5, 5, 20), "pass"),  # it is not they who would be beaten
    ],
)
def test_greedy_keeps_its_bombs_for_late(counts: tuple[int, ...], answer: str) -> None:
    hand = "S3 D3 C3 S4 D4 C4 S5 D5 C5 H5 S6 D6 C6 SJ"
    assert greedy(hand, to_beat="single A: SA", to_beat_seat=3, counts=counts) == answer


@pytest.mark.parametrize(
    ("hand", "to_beat", "answer"),
    [
        # The lowest bomb, none with a wild where one without will do, and wilds before bombs.
        ("S9 D9 C9 H9 S5 D5 C5 H5 SK", "single A: SA", "bomb 5: S5 H5 C5 D5"),
        ("S9 D9 C9 H9 S5 D5 C5 H2 SK", "pair A: SA DA", "bomb 9: S9 H9 C9 D9"),
        ("S5 D5 C5 H2 SK", "triple A: SA DA CA", "bomb 5: S5 C5 D5 H2"),
        ("SK H2 S4", "pair Q: SQ DQ", "pair K: SK H2"),
        ("S5 D5 C5 H5 SK", "bomb 6: S6 D6 C6 H6", "pass"),
        ("SB SB HR HR SK", "bomb 6: S6 S6 D6 C6 H6", "joker_bomb: HR HR SB SB"),
    ],
)
def test_greedy_near_the_end(hand: str, to_beat: str, answer: str) -> None:
    assert greedy(hand, to_beat=to_beat, to_beat_seat=1) == answer


def test_greedy_gives_its_weakest_card_if_possible_a_lone_one() -> None:
    returns: list[tuple[str, str, str]] = [
        ("S9 S3 D3 C4 ST", "2", "C4"),
        ("S3 D3 S9 D9", "2", "S3"),
        ("S9 S7 SJ", "7", "S9"),
        ("S3 S3 D3 D9 C9", "2", "S3"),
    ]
    for hand, level, card in returns:
        assert GREEDY.choose_return(hand, level, "SA", giver=1) == card
    assert GREEDY.choose_tribute("SA SA DA S3", "2", receiver=0) == "SA"


def test_greedy_draws_nothing() -> None:
    deal = gs.Deal(seed=5)
    for _ in random_steps(deal, 5):
        if not deal.done:
            view = deal.view()
            assert len({GREEDY.choose(view, seed=seed) for seed in range(4)}) == 1


def test_greedy_beats_random_clearly() -> None:
    summary = gs.simulate(deals=2_000, bots=["greedy", "random"], seed=2, workers=1).summary
    assert summary["deal_wins"][0] > 1_900
    summary = gs.simulate(matches=100, bots=["random", "greedy"], seed=2, workers=1).summary
    assert summary["wins"] == [0, 100]


# Random


def within(counts: Counter[str], options: Sequence[str], draws: int) -> None:
    """Each option within four and a half standard errors of its share."""
    assert set(counts) == set(options)
    share = 1 / len(options)
    error = (draws * share * (1 - share)) ** 0.5
    assert max(abs(count - draws * share) for count in counts.values()) < 4.5 * error


@pytest.mark.parametrize("to_beat", [None, "pair 8: S8 D8"])
def test_random_plays_every_legal_move_alike(to_beat: str | None) -> None:
    view = gs.View("S9 D9 C9 H2 S3", to_beat=to_beat)
    options = [str(move) for move in view.legal_moves()]
    counts = Counter(str(RANDOM.choose(view, seed=seed)) for seed in range(4_000))
    within(counts, options, 4_000)


def test_random_gives_and_returns_every_card_alike() -> None:
    hand, level = "SA SA DA CA S3 S3 D4 S5", "7"
    given = Counter(RANDOM.choose_tribute(hand, level, 0, seed=seed) for seed in range(2_000))
    within(given, gs.tribute_options(hand, level), 2_000)
    options = gs.return_options(hand, level, "D4")
    returned = Counter(RANDOM.choose_return(hand, level, "D4", 1, seed=s) for s in range(2_000))
    within(returned, options, 2_000)


# Any bot


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_the_same_view_and_seed_give_the_same_move(name: str) -> None:
    view = gs.View("S9 D9 C9 H2 S3 S4 S5 DK")
    bot = gs.bot(name)
    words = view.words.copy()
    assert bot.choose(view, seed=4) == bot.choose(view, seed=4)
    assert bot.choose(view) == bot.choose(view)
    np.testing.assert_array_equal(view.words, words)


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_without_an_answer_a_bot_passes(name: str) -> None:
    view = gs.View("S9 D9 H3", to_beat="single A: SA")
    assert str(gs.bot(name).choose(view, seed=1)) == "pass"


@pytest.mark.parametrize("name", ["random", "greedy"])
@pytest.mark.parametrize("rules", gs.Rules.presets())
def test_cards_given_and_returned_may_be(name: str, rules: str) -> None:
    bot = gs.bot(name)
    dice = random.Random(rules)
    for number in range(25):
        deal = gs.Deal(seed=9, number=number)
        level = dice.choice("2379TJQKA")
        receiver = number % 4
        giver = (receiver + dice.choice([1, 2, 3])) % 4
        hand = list(deal.hands[receiver])
        card = bot.choose_tribute(deal.hands[giver], level, receiver, rules, number, giver)
        assert card in gs.tribute_options(deal.hands[giver], level)
        if hand.count(card) == 2:
            continue
        # The hand may hold the card received already or not.
        for given in (hand, [*hand, card]):
            answer = bot.choose_return(given, level, card, giver, rules, number, receiver)
            assert answer in gs.return_options(hand, level, card, rules)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: gs.bot("clever"),
            gs.BotError,
            "'clever' is not a bot; there are random, greedy, planner, or",
        ),
        (lambda: gs.bot(""), gs.BotError, "'' is not a bot"),
        (lambda: gs.bot(None), gs.BotError, "None is not a bot"),  # type: ignore[arg-type]
        (lambda: RANDOM.choose(gs.View("S3"), seed=-1), gs.OptionError, "seed is -1"),
        (lambda: RANDOM.choose(gs.View("S3"), seed=2**70), gs.OptionError, "seed is 118059"),
        (lambda: RANDOM.choose_tribute("S3", "2", 4), gs.OptionError, "receiver is 4; seats are"),
        (lambda: RANDOM.choose_tribute("S3", "1", 0), gs.CardParseError, "'1' is not a level"),
        (lambda: RANDOM.choose_tribute("S3", "2", 0, seat=0), gs.OptionError, "seat"),
        (lambda: RANDOM.choose_tribute("", "2", 0), gs.HandError, "empty"),
        (lambda: RANDOM.choose_tribute("S3", "2", 0, "x"), gs.RulesError, "'x' is not a rule pres"),
        (lambda: RANDOM.choose_return("S3", "2", "SX", 1), gs.CardParseError, "'SX' is not a card"),
        (lambda: RANDOM.choose_return("S3", "2", "SA", 7), gs.OptionError, "giver is 7; seats are"),
        (lambda: RANDOM.choose_return("S3 S3 S3", "2", "SA", 1), gs.HandError, "3 copies of S3"),
    ],
)
def test_wrong_input_is_named(
    call: Callable[[], object], error: type[gs.GuandanError], message: str
) -> None:
    with pytest.raises(error, match=message):
        call()


def test_a_bot_plays_with_the_views_of_a_deal() -> None:
    """`choose` with a deal's view draws as the compiled loop does."""
    loop = gs.Deal(seed=12)
    loop.play_out(["random", "greedy"])
    deal = gs.Deal(seed=12)
    while not deal.done:
        seat = deal.to_move
        assert seat is not None
        deal.play((GREEDY if seat % 2 else RANDOM).choose(deal.view()))
    assert deal.history == loop.history
    np.testing.assert_array_equal(deal.state, loop.state)


def test_bots_are_values() -> None:
    assert gs.bot("greedy") is gs.bot(gs.bot("greedy"))
    assert (GREEDY.name, GREEDY.version) == ("greedy", "1")
    assert repr(GREEDY).startswith("Bot(name='greedy'")
    assert len(GREEDY.compiled) == 3
    scratch = np.zeros(lay.SCRATCH_SIZE, np.int64)
    assert GREEDY.choose(gs.View("S3 S4"), scratch=scratch).rank == "3"
    for bad in (scratch[1:], scratch.astype(float), [0] * lay.SCRATCH_SIZE):
        for name in ("greedy", "planner"):
            with pytest.raises(gs.OptionError, match=r"scratch must be int64\[128\]"):
                gs.bot(name).choose(gs.View("S3 S4"), scratch=bad)  # type: ignore[arg-type]
