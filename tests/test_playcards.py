"""The cards of a play in two numbers: both ways, against the words of SCHEMA.md."""

from __future__ import annotations

import numpy as np
import pytest
from games import words_of
from hypothesis import given
from hypothesis import strategies as st
from played_cards import packed_cards

import guandan_sim as gs
from guandan_sim.playcards import pack_cards, unpack_cards
from guandan_sim.schemas import WORDS

CARDS = WORDS["card"][1:]


def there_and_back(rank: int, one: int, two: int) -> tuple[int, int]:
    near, far = (np.array([n], np.uint32) for n in pack_cards(rank, one, two))
    assert (int(near[0]), int(far[0])) == packed_cards(rank, one, two)
    words = unpack_cards(np.array([rank], np.int8), near, far)
    return int(words[0][0]), int(words[1][0])


@given(rank=st.integers(0, 15), cards=st.lists(st.sampled_from(CARDS), max_size=10))
def test_any_ten_cards_under_any_rank(rank: int, cards: list[str]) -> None:
    cards = [card for place, card in enumerate(cards) if cards[:place].count(card) < 2]
    words = words_of(cards)
    assert there_and_back(rank, *words) == words


@pytest.mark.parametrize("rank", range(16))
@pytest.mark.parametrize("card", CARDS)
def test_every_card_alone_and_twice(rank: int, card: str) -> None:
    one, _ = words_of([card])
    assert there_and_back(rank, one, 0) == (one, 0)
    assert there_and_back(rank, one, one) == (one, one)


def test_plays_of_the_same_form_look_alike() -> None:
    texts = [
        "straight 9: S9 D8 C7 H6 S5",
        "straight Q: SQ DJ CT H9 S8",
        "straight 5: S5 D4 C3 H2 SA",
    ]
    moves = [gs.Move.parse(text) for text in texts]
    packed = {pack_cards(*move.words[1:]) for move in moves}
    assert len(packed) == 1
    assert packed.pop()[1] == 0


def test_any_numbers_unpack() -> None:
    rng = np.random.default_rng(1)
    near, far = (rng.integers(0, 2**32, 1000, dtype=np.uint32) for _ in range(2))
    one, two = unpack_cards(rng.integers(0, 16, 1000), near, far)
    real = sum(1 << card for card in range(4, 56)) | 1 << 56 | 1 << 60
    assert not (one & ~real).any()
    assert not (two & ~one).any()
