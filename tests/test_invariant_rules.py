"""What the checker of `benchmarks/invariants.py` knows of the rules: the oracle and the referee say
the same.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
from games import words_of
from invariant_between import may_return
from invariant_rules import BOMB, HAND_WIDTH, is_play, strength, strongest, take_cards
from oracle import RANKS, Play, beats, full_pack, legal_moves, readings
from referee import PRESETS, return_options

import guandan_sim as gs
from guandan_sim.cards import CARD_CODES, CARD_NUMBERS, RANK_WORDS
from guandan_sim.jit import DISABLED
from guandan_sim.shapes import SHAPE_WORDS

pytestmark = pytest.mark.skipif(DISABLED, reason="plain Python takes minutes for these samples")


def random_cards(
    choices: random.Random, level: str, most: int, near: int | None = None
) -> list[str]:
    """Some cards, near each other in rank, often with wilds or jokers."""
    near = choices.randrange(13) if near is None else near
    pool = [c for c in full_pack() if c[1] in (RANKS + RANKS)[near : near + 5]]
    if choices.random() < 0.3:
        suit = choices.choice("SHCD")
        pool = [c for c in pool if c[0] == suit or choices.random() < 0.1]
    pool += ["H" + level] * (2 - pool.count("H" + level)) if choices.random() < 0.6 else []
    if choices.random() < 0.05:
        return ["HR", "HR", "SB", "SB"]
    pool += ["SB", "SB", "HR", "HR"] if choices.random() < 0.3 else []
    return sorted(choices.sample(pool, min(choices.randint(1, most), len(pool))))


def counted(cards: list[str], level: str) -> np.ndarray:
    hand = np.zeros(HAND_WIDTH, np.int64)
    take_cards(*words_of(cards), RANK_WORDS.index(level), hand)
    return hand


def test_cards_may_be_declared_as_the_oracle_says() -> None:
    choices = random.Random(31)
    declared = set()
    for _ in range(4_000):
        level, max_bomb = choices.choice(RANKS), choices.choice((8, 9, 10))
        joker_pair = choices.random() < 0.5
        cards = random_cards(choices, level, choices.choice((5, 6, 10)))
        play = counted(cards, level)
        found = {
            (SHAPE_WORDS[shape], RANK_WORDS[rank])
            for shape in range(1, 11)
            for rank in range(16)
            if is_play(
                shape,
                rank,
                len(cards),
                play,
                RANK_WORDS.index(level),
                max_bomb,
                int(joker_pair),
            )
        }
        assert found == readings(cards, level, max_bomb, joker_pair), (cards, level)
        declared |= {shape for shape, _ in found}
    assert declared == set(SHAPE_WORDS[1:])


def rated(play: Play, level: str) -> tuple[int, int]:
    """The kind and strength of a play, as the checker rates it."""
    shape, rank, size = play
    number = SHAPE_WORDS.index(shape)
    words = number, RANK_WORDS.index(rank), size, RANK_WORDS.index(level)
    return min(number, BOMB), int(strength(*words))


def answers(hand: list[str], to_beat: Play, level: str) -> Iterator[bool]:
    """Whether there is one: by the checker and by the oracle."""
    kind, value = rated(to_beat, level)
    words = counted(hand, level), RANK_WORDS.index(level), 10, 1
    bomb = int(strongest(BOMB, *words))
    yield bomb > (value if kind == BOMB else 0) or (
        kind != BOMB and int(strongest(kind, *words)) > value
    )
    yield len(legal_moves(hand, level, to_beat)) > 1


def test_there_is_an_answer_where_the_oracle_has_one() -> None:
    choices = random.Random(32)
    seen: dict[tuple[str, bool], int] = {}
    for _ in range(4_000):
        level = choices.choice(RANKS)
        near = choices.randrange(13)
        plays = [m for m in legal_moves(random_cards(choices, level, 7, near), level) if m[2]]
        by_shape = {shape: (shape, rank, len(cards)) for shape, rank, cards in sorted(plays)}
        to_beat = choices.choice(list(by_shape.values()))
        by_checker, by_oracle = answers(random_cards(choices, level, 9, near), to_beat, level)
        assert by_checker == by_oracle
        seen[to_beat[0], by_oracle] = seen.get((to_beat[0], by_oracle), 0) + 1
    missing = {(s, a) for s in SHAPE_WORDS[1:] for a in (True, False)} - set(seen)
    assert missing == {("joker_bomb", True)}


def test_strengths_order_plays_as_the_oracle_does() -> None:
    choices = random.Random(33)
    for _ in range(3_000):
        level = choices.choice(RANKS)
        a, b = (
            (shape, rank, len(cards))
            for shape, rank, cards in (
                choices.choice(sorted(legal_moves(random_cards(choices, level, 6), level)))
                for _ in range(2)
            )
        )
        (kind, value), (other_kind, other) = rated(a, level), rated(b, level)
        stronger = value > other if kind == other_kind else kind == BOMB
        assert stronger == beats(a, b, level), (a, b, level)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_card_may_be_returned_as_the_referee_says(preset: str) -> None:
    choices = random.Random(preset)
    words = gs.Rules.preset(preset).words()
    barred = 0
    for _ in range(400):
        level = choices.choice(RANKS)
        hand = random_cards(choices, level, 12)
        received = choices.choice(hand)
        held = counted(hand, level)
        number = CARD_NUMBERS[received]
        found = [
            code
            for card, code in CARD_CODES.items()
            if may_return(card, held, number, RANK_WORDS.index(level), words)
        ]
        expected = return_options(hand, level, received, PRESETS[preset])
        assert sorted(found) == expected or set(hand) == {received}
        barred += received not in expected
    assert barred > 20
