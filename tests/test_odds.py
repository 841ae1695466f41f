"""What `planner` counts: the cards not seen, and the chances that a play stands."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import RANKS, full_pack, legal_moves

import guandan_sim as gs
from guandan_sim.bitboard import rank_counts
from guandan_sim.bots.odds import SURE, holds_no_bomb, share_of, stands, unseen_cards
from guandan_sim.cards import cards_to_words, words_to_cards
from guandan_sim.shapes import strength_of


def chance(move: gs.Move, unseen: list[str], cards: int, level: str = "2") -> float:
    """That a hand of so many of these cards does not beat the play."""
    counts = int(rank_counts(*cards_to_words(unseen)))
    share = int(share_of(cards, len(unseen)))
    shape, rank, _, _ = move.words
    number = RANKS.index(level) + 1
    strength = int(strength_of(shape, rank, len(move.cards), number))
    none = int(holds_no_bomb(share, cards, counts))
    return int(stands(shape, strength, number, share, cards, none, counts)) / SURE


def test_unseen_are_all_cards_but_the_own_and_the_played_ones() -> None:
    deal = gs.Deal(seed=4, level="9")
    for _ in range(40):
        view = deal.view()
        played = [card for _, move in deal.history for card in move.cards]
        rest = sorted(full_pack())
        for card in (*view.hand, *played):
            rest.remove(card)
        assert sorted(words_to_cards(*map(int, unseen_cards(view.words)))) == rest
        deal.play(gs.bot("greedy").choose(view))


@pytest.mark.parametrize("size", [1, 2, 3])
def test_of_one_rank_the_chance_is_binomial(size: int) -> None:
    """Eight nines among 32 cards that beat an eight, of which a hand holds a quarter: each with
    chance 1/4.
    """
    unseen = [f"{suit}9" for suit in "SHCD"] * 2 + [
        f"{suit}{rank}" for suit in "SHCD" for rank in "345"
    ] * 2
    shape = ("single", "pair", "triple")[size - 1]
    move = gs.Move.parse(f"{shape} 8: {' '.join(['S8', 'D8', 'C8'][:size])}", "2")
    fewer = four = 0.0
    for held in product((0, 1), repeat=8):
        weight = 0.25 ** sum(held) * 0.75 ** (8 - sum(held))
        fewer += weight * (sum(held) < size)
        four += weight * (sum(held) < 4)
    # Three more ranks might bomb, and one held bomb in two is played.
    no_bomb = 1 - (1 - four**4) / 2
    assert chance(move, unseen, 8) == pytest.approx(fewer * no_bomb, abs=0.01)


@given(st.integers(0, 10**6))
def test_a_play_stands_for_sure_if_no_cards_unseen_beat_it(seed: int) -> None:
    draw = random.Random(seed)
    cards = draw.sample(full_pack(), 22)
    hand, unseen = cards[:10], cards[10:]
    move = draw.choice(gs.legal_moves(hand, "2"))
    held = draw.randint(0, 12)
    found = chance(move, unseen, held)
    assert 0 <= found <= 1
    by_oracle = legal_moves(tuple(unseen), "2")
    beaten = any(
        gs.Move.from_words(*gs.Move(shape, rank, cards).words).beats(move, "2")
        for shape, rank, cards in by_oracle
        if shape != "pass"
    )
    # A bomb of five and more is taken to be beaten now and then, whatever is unseen.
    if not beaten and (move.shape not in ("bomb", "straight_flush") or len(move.cards) < 5):
        assert found == 1


def test_higher_plays_stand_more_surely() -> None:
    unseen = [card for card in full_pack() if card[1] not in "78"]
    for shape, cards in (("single", "{0}"), ("pair", "{0} {1}"), ("triple", "{0} {1} {2}")):
        found = []
        for rank in "3456789TJQKA":
            text = cards.format(f"S{rank}", f"D{rank}", f"C{rank}")
            found.append(chance(gs.Move.parse(f"{shape} {rank}: {text}", "2"), unseen, 20))
        assert found == sorted(found)
        assert found[0] < found[-1]


def test_a_hand_too_small_for_the_shape_cannot_beat_it() -> None:
    unseen = full_pack()
    straight = gs.Move.parse("straight 7: S3 D4 C5 S6 D7", "2")
    for cards in (0, 1, 3):
        assert chance(straight, unseen, cards) == 1
    assert chance(straight, unseen, 20) < 0.5
    assert np.isclose(chance(gs.Move.parse("joker_bomb: HR HR SB SB", "2"), unseen, 27), 1)
