"""Words of cards, and the few machine operations on them, against plain Python."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels import bit_operations
from oracle import RANKS
from strategies import Position, full_positions, positions

from guandan_sim.bitboard import (
    CHOOSE,
    PACK,
    add_card,
    choose,
    contains,
    count_cards,
    rank_counts,
    rank_index,
    rank_plane,
    ranks_held,
    remove,
    sequence_board,
    without_sequence,
)
from guandan_sim.bits import signed
from guandan_sim.cards import CARD_NUMBERS, RANK_WORDS, cards_to_words, words_to_cards

RANK_NUMBERS = {word: number for number, word in enumerate(RANK_WORDS)}


def rank_number(card: str) -> int:
    return RANK_NUMBERS[card if card in ("SB", "HR") else card[1]]


@given(full_positions())
def test_counts_by_rank(position: Position) -> None:
    one, two = cards_to_words(position.hand)
    by_rank = Counter(map(rank_number, position.hand))
    assert count_cards(one, two) == 27
    counts = rank_counts(one, two)
    assert [counts >> 4 * rank & 15 for rank in range(16)] == [by_rank[rank] for rank in range(16)]
    assert ranks_held(one) == sum(1 << 4 * rank for rank in by_rank)
    for least in (1, 2, 3):
        enough = sum(1 << 4 * rank for rank, n in by_rank.items() if n >= least)
        assert rank_plane(one, two, least) == enough


@given(positions(largest=20), st.data())
def test_removing_and_adding_cards_are_as_with_multisets(
    position: Position, data: st.DataObject
) -> None:
    hand = list(position.hand)
    taken = hand[: data.draw(st.integers(0, len(hand)))]
    words, take = cards_to_words(hand), cards_to_words(taken)
    assert contains(*words, *take)
    left = remove(*words, *take)
    assert Counter(words_to_cards(*left)) == Counter(hand) - Counter(taken)
    assert contains(*left, *take) == (not Counter(taken) - (Counter(hand) - Counter(taken)))
    for card in taken:
        left = add_card(*left, CARD_NUMBERS[card])
    assert left == words


def test_what_is_no_hand_is_contained_in_none() -> None:
    one, two = cards_to_words("S9 S9 D9")
    assert contains(one, two, *cards_to_words("S9 S9"))
    assert not contains(one, two, *cards_to_words("D9 D9"))
    assert not contains(one, two, *cards_to_words("H9"))
    assert not contains(one, two, 0, two)  # a second copy without a first


def test_multisets_of_a_rank_are_each_chosen_once() -> None:
    place = 4 * RANK_NUMBERS["9"]
    for copies in np.ndindex(3, 3, 3, 3):
        cards = [s + "9" for s, n in zip("SHCD", copies, strict=True) for _ in range(n)]
        one, two = cards_to_words(cards)
        row = 16 * rank_index(one, two, place)
        for size in range(9):
            expected = set(combinations(sorted(cards), size))
            found = [
                tuple(sorted(words_to_cards(*choose(one, two, place, size, k))))
                for k in range(CHOOSE[row + size])
            ]
            assert len(found) == len(expected)
            assert set(found) == expected
        assert not CHOOSE[row + 9 : row + 16].any()


def test_a_sequence_board_has_the_aces_at_both_ends() -> None:
    one, _ = cards_to_words("SA DA S2 HK SB HR")
    board = sequence_board(one)
    spade, heart, diamond = 1, 2, 8
    aces = spade | diamond
    assert board == aces | spade << 4 * 1 | heart << 4 * 12 | aces << 4 * 13
    low = board & 0xFF
    assert without_sequence(low) == cards_to_words("SA DA S2")[0]
    assert without_sequence(0) == 0


WORDS = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from([0, 1, -1, 2**63 - 1, -(2**63), PACK, 1 << 62]),
    st.integers(0, 63).map(lambda place: signed(1 << place)),
)


@given(WORDS, WORDS, st.data())
@settings(max_examples=300)
def test_machine_operations(a: int, b: int, data: st.DataObject) -> None:
    unsigned = a % 2**64, b % 2**64
    ones = [place for place in range(64) if unsigned[0] >> place & 1]
    held = [place for place in range(63) if b >> place & 1] or [0]
    k = data.draw(st.integers(0, len(held) - 1))
    out = np.zeros(6, np.int64)
    bit_operations(a, b, sum(1 << place for place in held), k, out)
    product = unsigned[0] * unsigned[1]
    mix, mulhi, popcount, select, zeros, weyl = out.tolist()
    assert mix == signed(product >> 64 ^ product)
    assert mulhi == signed(product >> 64)
    assert popcount == len(ones)
    assert zeros == (ones[0] if ones else 64)
    assert weyl == signed(a + b * k)
    assert select == 1 << held[k]


@pytest.mark.parametrize("rank", RANKS)
def test_every_nibble_counts_alone(rank: str) -> None:
    number = RANK_NUMBERS[rank]
    one, two = cards_to_words(2 * [suit + rank for suit in "SHCD"])
    assert rank_counts(one, two) == 8 << 4 * number
    assert rank_plane(one, two, 3) == 1 << 4 * number
