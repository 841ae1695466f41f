"""Counting, listing and picking: against independent positions, the oracle, and each other."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from kernels import allocate, deal_many, first_disagreement
from numba.core.errors import TypingError
from strategies import Position, Setting, full_positions, play_of, plays_to_beat, positions

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim.bitboard import contains
from guandan_sim.cards import CARD_NUMBERS, cards_to_words
from guandan_sim.jit import DISABLED
from guandan_sim.listing import list_moves
from guandan_sim.movegen import count_all_bombs, count_answers, count_moves
from guandan_sim.picking import pick_move
from guandan_sim.shapes import (
    JOKER_BOMB,
    PASS,
    SHAPE_WORDS,
    SINGLE,
    is_declaration,
    kind_of,
    outranks,
    strength_of,
)

DATA = Path(__file__).parent / "data"
# Of the cases' 76,000 combinations every so many is read back through the slow public function.
READ_BACK_EVERY = 12
ROOM = np.zeros((150_000, 4), np.int64)

Words = tuple[int, int, int, int]


def case_files() -> Iterator[dict[str, Any]]:
    for name in ("legal_moves.jsonl.gz", "legal_moves_strict.jsonl.gz"):
        with gzip.open(DATA / name, "rt", encoding="utf-8") as file:
            yield from map(json.loads, file)


def setting_of(case: dict[str, Any]) -> Setting:
    rules = case["rules"]
    return Setting(case["level"], rules["max_bomb"], rules["full_house_joker_pair"])


def as_oracle_writes(move: gs.Move) -> oracle.Move:
    return move.shape, move.rank, tuple(sorted(move.cards))


def rating(move: gs.Move | None, level: str) -> tuple[int, int]:
    """(kind, strength) of what is to beat, as kernels take it."""
    if move is None:
        return PASS, 0
    shape, rank, _, _ = move.words
    number = oracle.RANKS.index(level) + 1
    return int(kind_of(shape)), int(strength_of(shape, rank, len(move.cards), number))


def counted(hand: tuple[str, ...], setting: Setting, kind: int, strength: int) -> int:
    """`count_moves`, which is the same with and without the number of bombs."""
    level, max_bomb, joker_pair = setting.words
    one, two = cards_to_words(hand)
    bombs = count_all_bombs(one, two, level, max_bomb)
    arguments = (one, two, level, kind, strength, max_bomb, joker_pair)
    count = count_moves(*arguments, bombs)
    assert count == count_moves(*arguments, -1)
    return int(count)


def test_all_2300_independent_positions_have_exactly_the_listed_moves() -> None:
    cases = list(case_files())
    assert len(cases) == 2300
    for case in cases:
        held = case["to_beat"]
        to_beat = held and gs.Move(held["shape"], held["rank"], tuple(held["cards"]))
        setting = setting_of(case)
        found = gs.legal_moves(case["hand"], setting.level, to_beat, setting.rules)
        listed = {(shape, rank, tuple(cards)) for shape, rank, cards in case["legal"]}
        assert len(found) == len(case["legal"]), case["id"]
        assert {as_oracle_writes(move) for move in found} == listed, case["id"]
        plays = len(case["legal"]) - (to_beat is not None)
        kind, strength = rating(to_beat, setting.level)
        assert counted(tuple(case["hand"]), setting, kind, strength) == plays, case["id"]


def test_moves_of_the_independent_positions_read_back_as_what_they_are() -> None:
    declared: dict[tuple[Setting, tuple[str, ...]], set[oracle.Reading]] = {}
    for case in case_files():
        setting = setting_of(case)
        for shape, rank, cards in case["legal"]:
            if shape != "pass":
                declared.setdefault((setting, tuple(cards)), set()).add((shape, rank))
    for (setting, cards), readings in list(declared.items())[::READ_BACK_EVERY]:
        found = gs.readings(cards, setting.level, setting.rules)
        # What a case had to beat may have left out some of the readings; the oracle has all.
        assert readings <= {(move.shape, move.rank) for move in found}
        assert {(move.shape, move.rank) for move in found} == oracle.readings(cards, *setting)
        assert all(sorted(move.cards) == sorted(cards) for move in found)


@given(positions(largest=9), st.data())
@settings(max_examples=250)
def test_small_hands_have_exactly_the_moves_of_the_oracle(
    position: Position, data: st.DataObject
) -> None:
    hand, setting = position
    free = oracle.legal_moves(hand, setting.level, None, *setting[1:])
    assert_same_moves(gs.legal_moves(hand, setting.level, None, setting.rules), free)
    assert counted(hand, setting, PASS, 0) == len(free)
    by_play = Counter((shape, rank, len(cards)) for shape, rank, cards in free)
    for to_beat in plays_to_beat(setting.level, setting.max_bomb):
        expected = sum(
            n for play, n in by_play.items() if oracle.beats(play, play_of(to_beat), setting.level)
        )
        found = counted(hand, setting, *rating(to_beat, setting.level))
        assert found == expected, to_beat
    to_beat = data.draw(st.sampled_from(plays_to_beat(setting.level, setting.max_bomb)))
    assert_same_moves(
        gs.legal_moves(hand, setting.level, to_beat, setting.rules),
        oracle.legal_moves(hand, setting.level, play_of(to_beat), *setting[1:]),
    )


def assert_same_moves(found: list[gs.Move], expected: set[oracle.Move]) -> None:
    written = [as_oracle_writes(move) for move in found]
    assert len(written) == len(set(written))
    assert set(written) == expected


SPREAD_HAND = ("S9", "S9", "C9", "D9", "H9", "S8", "D8", "S7", "D7", "ST", "SJ", "H2", "H2")


@pytest.mark.parametrize("rules", ["guide", "ace_reset", "short_game"])
@pytest.mark.parametrize("shape", SHAPE_WORDS[1:])
def test_every_kind_of_play_is_answered_as_the_oracle_does(shape: str, rules: str) -> None:
    hand = (*SPREAD_HAND, "SB", "SB", "HR", "HR")[:16]
    switches = gs.Rules.preset(rules)
    setting = Setting("2", switches.max_bomb, switches.full_house_joker_pair)
    to_beat = [m for m in plays_to_beat("2", switches.max_bomb) if m.shape == shape]
    middle = to_beat[len(to_beat) // 2]
    assert_same_moves(
        gs.legal_moves(hand, "2", middle, rules),
        oracle.legal_moves(hand, "2", play_of(middle), *setting[1:]),
    )


def listed(position: Position, kind: int, strength: int) -> list[Words]:
    level, max_bomb, joker_pair = position.setting.words
    one, two = cards_to_words(position.hand)
    n = list_moves(one, two, level, kind, strength, max_bomb, joker_pair, ROOM)
    return [tuple(row) for row in ROOM[:n].tolist()]


def picked(position: Position, kind: int, strength: int, word: int) -> Words:
    level, max_bomb, joker_pair = position.setting.words
    one, two = cards_to_words(position.hand)
    bombs = count_all_bombs(one, two, level, max_bomb)
    view = np.zeros(lay.VIEW_SIZE, np.int64)
    view[[lay.V_ONE, lay.V_TWO, lay.V_LEVEL, lay.V_BOMBS]] = one, two, level, bombs
    view[[lay.V_BEAT_KIND, lay.V_BEAT_STRENGTH]] = kind, strength
    view[[lay.V_RULES + lay.R_MAX_BOMB, lay.V_RULES + lay.R_JOKER_PAIR]] = max_bomb, joker_pair
    view[lay.V_ANSWERS] = count_answers(
        one, two, level, kind, strength, max_bomb, joker_pair, bombs
    )
    shape, rank, take_one, take_two = map(int, pick_move(view, word))
    return shape, rank, take_one, take_two


def edges(k: int, n: int) -> tuple[int, int]:
    """The lowest and highest 64-bit word for which the k-th of n moves is due, as int64."""
    low, high = -(-(k << 64) // n), -(-(k + 1 << 64) // n) - 1
    return low - (low >> 63 << 64), high - (high >> 63 << 64)


def check_listing(position: Position, to_beat: gs.Move | None, picks: int) -> None:
    """All listed once, legal, and as many as counted; about ``picks`` picked at both edges."""
    hand, setting = position
    kind, strength = rating(to_beat, setting.level)
    moves = listed(position, kind, strength)
    assert len(set(moves)) == len(moves)
    assert counted(hand, setting, kind, strength) == len(moves)
    one, two = cards_to_words(hand)
    level, max_bomb, joker_pair = setting.words
    for shape, rank, take_one, take_two in moves:
        size = take_one.bit_count() + take_two.bit_count()
        assert contains(one, two, take_one, take_two)
        assert is_declaration(shape, rank, take_one, take_two, level, max_bomb, joker_pair)
        assert outranks(kind_of(shape), strength_of(shape, rank, size, level), kind, strength)
    may_pass = int(to_beat is not None)
    n = len(moves) + may_pass
    drawn = set()
    ks = range(0, n, max(n // picks, 1))
    for k in ks:
        low, high = (picked(position, kind, strength, word) for word in edges(k, n))
        assert low == high
        drawn.add(low)
    assert len(drawn) == len(ks)
    assert drawn <= {*moves, *([(PASS, 0, 0, 0)] if may_pass else [])}


@given(positions(largest=12), st.data())
@settings(max_examples=80)
def test_a_pick_is_each_listed_move_for_an_equal_share_of_words(
    position: Position, data: st.DataObject
) -> None:
    to_beat = data.draw(
        st.none()
        | st.sampled_from(plays_to_beat(position.setting.level, position.setting.max_bomb))
    )
    check_listing(position, to_beat, picks=100_000)


ALL_SHAPES = "H9 H9 SB SB HR HR S8 S8 H8 H8 C8 C8 D8 D8 S7 S6 S5 S4 S3 D7 D6 D5 D4 D3 SA DA CA"
ALL_WILDS_AND_JOKERS = Position(tuple(ALL_SHAPES.split()), Setting("9"))


@given(full_positions(), st.data())
@example(ALL_WILDS_AND_JOKERS, None)
@settings(max_examples=60)
def test_full_hands_are_counted_listed_and_picked_alike(
    position: Position, data: st.DataObject | None
) -> None:
    check_listing(position, None, picks=300)
    plays = plays_to_beat(position.setting.level, position.setting.max_bomb)
    if data is None:
        for to_beat in plays:
            check_listing(position, to_beat, picks=20)
        return
    for to_beat in data.draw(st.lists(st.sampled_from(plays), min_size=4, max_size=4, unique=True)):
        check_listing(position, to_beat, picks=60)


@pytest.mark.parametrize("level", "2A")
def test_even_the_whole_pack_is_a_hand(level: str) -> None:
    position = Position(tuple(oracle.full_pack()), Setting(level))
    check_listing(position, None, picks=500)
    assert len(listed(position, PASS, 0)) < len(ROOM)


def test_as_many_moves_of_dealt_hands_are_counted_as_listed() -> None:
    dealt = np.zeros((400, 8), np.int64)
    deal_many(11, 0, dealt)
    answers = 0
    for i, row in enumerate(dealt.tolist()):
        # All 27 cards, and what is left of them late in a deal: these have few answers.
        mask = -1 if i % 3 == 0 else sum(15 << 4 * r for r in range(1 + i % 5, 16, 2 + i % 4))
        one, two = row[0] & mask, row[1] & mask
        setting = Setting(oracle.RANKS[i % 13], 10 - 2 * (i % 2), i % 3 > 0)
        level, max_bomb, joker_pair = setting.words
        bombs = count_all_bombs(one, two, level, max_bomb)
        for to_beat in plays_to_beat(setting.level, max_bomb):
            kind, strength = rating(to_beat, setting.level)
            rest = (one, two, level, kind, strength, max_bomb, joker_pair)
            found = count_moves(*rest, bombs)
            assert found == list_moves(*rest, ROOM)
            answers += found > 0
    assert 0.3 < answers / (len(dealt) * len(plays_to_beat("2"))) < 0.9


@pytest.mark.parametrize("joker_pair", [True, False])
@pytest.mark.parametrize(
    ("level", "cards"),
    [
        ("2", "H2 H2 SB SB HR HR S9 S9 D9 S8 D8 C7 ST SJ"),
        ("7", "H7 H7 SA DA S2 D2 S3 C3 S4 S5 CT SJ SQ SK"),
        ("5", "H5 H5 S8 SB SB D8 C8 S9 D9 C9 ST DT SJ S5"),
        ("A", "HA HA S2 C2 S3 HR HR S4 D4 S5 S6 SK DK SA"),
    ],
)
def test_of_every_sub_hand_all_answers_and_bombs_are_counted(
    level: str, cards: str, joker_pair: bool
) -> None:
    codes = cards.split()[: 8 if DISABLED else None]
    beats = np.array([rating(to_beat, level) for to_beat in (None, *plays_to_beat(level))])
    bits = np.array([1 << CARD_NUMBERS[code] for code in codes])
    subset = first_disagreement(bits, beats, *Setting(level, 10, joker_pair).words)
    assert [code for i, code in enumerate(codes) if subset >= 0 and subset >> i & 1] == []
    assert subset == -1


def test_a_buffer_that_is_too_small_is_filled_and_the_need_returned() -> None:
    position = Position(("S9", "C9", "D9", "S8", "D8", "H2"), Setting("2"))
    level, max_bomb, joker_pair = position.setting.words
    one, two = cards_to_words(position.hand)
    moves = listed(position, PASS, 0)
    for room in range(len(moves) + 3):
        out = np.full((room + 1, 4), -7, np.int64)
        n = list_moves(one, two, level, PASS, 0, max_bomb, joker_pair, out[:room])
        assert n == len(moves)
        assert [tuple(row) for row in out[: min(n, room)].tolist()] == moves[:room]
        assert (out[min(n, room) :] == -7).all()


def test_moves_come_shape_by_shape() -> None:
    shapes = [shape for shape, *_ in listed(ALL_WILDS_AND_JOKERS, PASS, 0)]
    assert shapes == sorted(shapes)
    assert set(shapes) == set(range(SINGLE, JOKER_BOMB + 1))


def test_no_hand_has_no_moves_and_only_passes() -> None:
    empty = Position((), Setting("2"))
    for to_beat in (None, *plays_to_beat("2")):
        kind, strength = rating(to_beat, "2")
        assert counted((), empty.setting, kind, strength) == 0
        assert picked(empty, kind, strength, -1) == (PASS, 0, 0, 0)
    assert gs.legal_moves("", "2") == []
    assert [str(m) for m in gs.legal_moves("", "2", "single 3: S3")] == ["pass"]


@given(full_positions(), st.data())
@settings(max_examples=40)
def test_bombs_never_grow_as_cards_are_played(position: Position, data: st.DataObject) -> None:
    level, max_bomb, _ = position.setting.words
    order = data.draw(st.permutations(position.hand))
    before = None
    for size in range(27, -1, -3):
        bombs = count_all_bombs(*cards_to_words(order[:size]), level, max_bomb)
        assert before is None or bombs <= before
        before = bombs


@pytest.mark.skipif(DISABLED, reason="plain Python allocates")
def test_no_kernel_can_allocate() -> None:
    with pytest.raises(TypingError, match="empty"):
        allocate(1)
