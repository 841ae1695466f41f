"""The words of the file format are the engine's, place by place."""

from __future__ import annotations

from itertools import permutations

from guandan_sim.cards import CARD_CODES, CARD_NUMBERS, RANK_WORDS
from guandan_sim.schemas import CARD_INDEX, CARD_NUMBER, FINISH_INDEX, LEVEL_INDEX, WORDS
from guandan_sim.shapes import SHAPE_WORDS


def test_ranks_levels_and_shapes() -> None:
    assert WORDS["rank"] == RANK_WORDS
    assert WORDS["level"] == RANK_WORDS[1:14]
    assert WORDS["shape"] == SHAPE_WORDS
    assert [int(LEVEL_INDEX[RANK_WORDS.index(level)]) for level in WORDS["level"]] == [*range(13)]


def test_cards() -> None:
    assert WORDS["card"] == ("", *CARD_CODES.values())
    for code, number in CARD_NUMBERS.items():
        assert WORDS["card"][CARD_INDEX[number]] == code
        assert CARD_NUMBER[WORDS["card"].index(code)] == number
    assert CARD_INDEX[0] == 0
    assert sum(CARD_INDEX >= 0) == 55


def test_finishing_orders() -> None:
    for order in permutations(range(4)):
        a, b, c, d = order
        place = FINISH_INDEX[64 * a + 16 * b + 4 * c + d]
        assert WORDS["finish"][place] == "".join(map(str, order))
    assert sum(FINISH_INDEX >= 0) == 24
    assert WORDS["finish"][0] == ""
