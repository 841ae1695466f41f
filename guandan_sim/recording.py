"""Writing down every real choice of a log that is followed, and listing what could be chosen.

A *record* is (rows, views, view, control): int64[n, RECORD_WIDTH] and int64[n or 0, VIEW_SIZE],
which must be zero, to write to; int64[VIEW_SIZE], the view that is kept up to date through a deal;
and int64[CONTROL_SIZE], which says what is wanted and where the record stands. No views, no
copying of them.
"""

from __future__ import annotations

from typing import Any

from . import layout as lay
from .bits import popcount, trailing_zeros
from .deal import answers_of, clear_view, fill_view
from .jit import Rows, Words, kernel
from .listing import list_moves
from .movegen import count_moves
from .rng import word
from .shapes import BOMB, PASS

__all__ = [
    "CONTROL_SIZE",
    "MOST_CHOICES",
    "RECORD_WIDTH",
    "begin_record",
    "finish_record",
    "has_room",
    "list_options",
    "record_card",
    "record_move",
]

# Columns of a row.
R_SET = 0
R_DEAL = 1
R_NUMBER = 2  # real choices before it in the deal, of all seats
R_SEAT = 3
R_PHASE = 4
R_LEGAL = 5  # options, the pass included
R_SHAPE = 6  # the choice: shape, rank, one, two; of a card CARD, its rank, its bit, 0
R_RANK = 7
R_ONE = 8
R_TWO = 9
R_HELD_ONE = 10  # own hand; of a choice of card the cards that may be chosen, and 0
R_HELD_TWO = 11
R_LEVEL = 12
R_KIND = 13  # to beat
R_STRENGTH = 14
R_FINISH = 15  # 4: finishing order of the deal
R_SCORE = 19  # levels that the seat's team gained in the deal; negative: the other team
RECORD_WIDTH = 20

W_ROWS = 0  # rows written
W_FIRST = 1  # first row of the deal
W_NUMBER = 2  # real choices of the deal so far
W_SKIPPED = 3  # wanted choices since the last one that was written; at first W_EVERY - 1
W_EVERY = 4  # of so many wanted choices one is written
W_SEATS = 5  # masks of what is wanted
W_PHASES = 6
CONTROL_SIZE = 7

CARD = -1  # in place of a shape: a card to give or return

# Four cards at most are chosen, and before every play but the first three seats may pass.
MOST_CHOICES = 4 + 4 * lay.MAX_PLIES


@kernel
def has_room(record: Any) -> Any:
    """Whether every choice of another deal could be written."""
    rows, _, _, control = record
    return control[W_ROWS] + MOST_CHOICES <= len(rows)


@kernel
def begin_record(record: Any) -> Any:
    """A new deal begins."""
    _, _, view, control = record
    control[W_FIRST] = control[W_ROWS]
    control[W_NUMBER] = 0
    clear_view(view)


@kernel
def finish_record(state: Any, record: Any) -> Any:
    """The deal is settled: write what came of it to its rows."""
    rows, _, _, control = record
    winners = state[lay.V_FINISH] & 1
    for n in range(control[W_FIRST], control[W_ROWS]):
        for i in range(4):
            rows[n, R_FINISH + i] = state[lay.V_FINISH + i]
        won = rows[n, R_SEAT] & 1 == winners
        rows[n, R_SCORE] = state[lay.S_GAIN] if won else -state[lay.S_GAIN]


@kernel
def _record_choice(
    state: Any,
    seat: Any,
    answers: Any,
    shape: Any,
    rank: Any,
    one: Any,
    two: Any,
    record: Any,
) -> Any:
    """Count a real choice, and write the row and view of one that is wanted; returns its row, -1
    if it is not wanted.
    """
    rows, views, view, control = record
    done = state[lay.S_DECISIONS + seat]
    state[lay.S_DECISIONS + seat] = done + 1
    number = control[W_NUMBER]
    control[W_NUMBER] = number + 1
    if not control[W_SEATS] >> seat & control[W_PHASES] >> state[lay.V_PHASE] & 1:
        return -1
    control[W_SKIPPED] += 1
    if control[W_SKIPPED] < control[W_EVERY]:
        return -1
    control[W_SKIPPED] = 0
    n = control[W_ROWS]
    control[W_ROWS] = n + 1
    rows[n, R_SET] = state[lay.S_SET]
    rows[n, R_DEAL] = state[lay.V_DEAL]
    rows[n, R_NUMBER] = number
    rows[n, R_SEAT] = seat
    rows[n, R_PHASE] = state[lay.V_PHASE]
    rows[n, R_SHAPE] = shape
    rows[n, R_RANK] = rank
    rows[n, R_ONE] = one
    rows[n, R_TWO] = two
    rows[n, R_LEVEL] = state[lay.V_LEVEL]
    if len(views) > 0:
        fill_view(state, view, seat, word(state[lay.S_STREAMS + seat], done), answers)
        for i in range(lay.V_HISTORY + lay.HISTORY_WIDTH * view[lay.V_PLIES]):
            views[n, i] = view[i]
    return n


@kernel
def record_card(state: Any, seat: Any, mask: Any, card: Any, record: Any) -> Any:
    """The seat to act chooses this card of ``mask`` to give or return."""
    if popcount(mask) < 2:
        return
    rows = record[0]
    n = _record_choice(state, seat, 0, CARD, card >> 2, 1 << card, 0, record)
    if n >= 0:
        rows[n, R_LEGAL] = popcount(mask)
        rows[n, R_HELD_ONE] = mask


@kernel
def record_move(
    state: Any, seat: Any, shape: Any, rank: Any, one: Any, two: Any, record: Any
) -> Any:
    """The seat to act, which leads or could beat the play, makes this move or passes."""
    rows = record[0]
    answers = answers_of(state, seat)
    n = _record_choice(state, seat, answers, shape, rank, one, two, record)
    if n < 0:
        return
    held_one = state[lay.S_HANDS + 2 * seat]
    held_two = state[lay.S_HANDS + 2 * seat + 1]
    bombs = state[lay.S_BOMBS + seat]
    kind = state[lay.V_BEAT_KIND]
    rows[n, R_HELD_ONE] = held_one
    rows[n, R_HELD_TWO] = held_two
    rows[n, R_KIND] = kind
    rows[n, R_STRENGTH] = state[lay.V_BEAT_STRENGTH]
    if kind != PASS:
        rows[n, R_LEGAL] = 1 + answers + (bombs if kind != BOMB else 0)
        return
    rows[n, R_LEGAL] = count_moves(
        held_one,
        held_two,
        state[lay.V_LEVEL],
        PASS,
        0,
        state[lay.V_RULES + lay.R_MAX_BOMB],
        state[lay.V_RULES + lay.R_JOKER_PAIR],
        bombs,
    )


@kernel
def _display_place(card: int) -> int:
    """1 for the first kind of card in display order, `HR`, to 60 for the last, `D2`."""
    return 61 - (card & ~3) + (card & 3)


@kernel
def _sort_key(rank: int, one: int, two: int) -> int:
    """What moves of one shape are ordered by, as `legal_moves` does: rank, then the display places
    of the cards one by one. A play has ten cards at most, a place six bits.
    """
    key = 0
    room = 60
    # Falling natural ranks, within them suits in order.
    for rank_bits in range(60, 0, -4):
        cards = one >> rank_bits & 15
        while cards:
            card = rank_bits + trailing_zeros(cards)
            cards &= cards - 1
            for _ in range(1 + (two >> card & 1)):
                room -= 6
                key |= _display_place(card) << room
    # Signed: ranks below 8 are negative.
    return (rank - 8 << 60) + key


@kernel
def _sort_moves(moves: Rows, keys: Words, first: int, stop: int) -> None:
    """Sort these rows by their keys, by Shell's method."""
    gap = 1
    while 3 * gap < stop - first:
        gap = 3 * gap + 1
    while gap:
        for i in range(first + gap, stop):
            key = keys[i]
            shape, rank, one, two = moves[i, 0], moves[i, 1], moves[i, 2], moves[i, 3]
            j = i
            while j >= first + gap and keys[j - gap] > key:
                keys[j] = keys[j - gap]
                for k in range(4):
                    moves[j, k] = moves[j - gap, k]
                j -= gap
            keys[j] = key
            moves[j, 0], moves[j, 1], moves[j, 2], moves[j, 3] = shape, rank, one, two
        gap //= 3


@kernel
def _list_cards(mask: int, moves: Rows) -> None:
    """The cards of ``mask`` in display order, as they are written in rows of a record."""
    n = 0
    for rank in range(15, 0, -1):
        cards = mask >> 4 * rank & 15
        while cards:
            suit = trailing_zeros(cards)
            cards &= cards - 1
            moves[n, 0] = CARD
            moves[n, 1] = rank
            moves[n, 2] = 1 << 4 * rank + suit
            moves[n, 3] = 0
            n += 1


@kernel
def list_options(
    rows: Rows,
    max_bomb: int,
    joker_pair: int,
    offsets: Words,
    moves: Rows,
    keys: Words,
    choice: Words,
) -> None:
    """List what could be chosen in each of ``rows``, in the order of `legal_moves`, the pass first,
    and find what was.

    Row n's options go to ``moves`` (int64[offsets[-1], 4]) from ``offsets[n]`` to ``offsets[n +
    1]``, the place of its choice among them to ``choice``; ``keys`` (int64[offsets[-1]]) is memory
    to work in. The options of a row are as many as its R_LEGAL says.
    """
    for n in range(len(rows)):
        first = offsets[n]
        stop = offsets[n + 1]
        if rows[n, R_PHASE] != lay.PHASE_PLAY:
            _list_cards(rows[n, R_HELD_ONE], moves[first:stop])
        else:
            at = first
            if rows[n, R_KIND] != PASS:
                for k in range(4):
                    moves[at, k] = 0
                at += 1
            list_moves(
                rows[n, R_HELD_ONE],
                rows[n, R_HELD_TWO],
                rows[n, R_LEVEL],
                rows[n, R_KIND],
                rows[n, R_STRENGTH],
                max_bomb,
                joker_pair,
                moves[at:stop],
            )
            # Moves come by shape.
            while at < stop:
                begin = at
                while at < stop and moves[at, 0] == moves[begin, 0]:
                    keys[at] = _sort_key(moves[at, 1], moves[at, 2], moves[at, 3])
                    at += 1
                _sort_moves(moves, keys, begin, at)
        choice[n] = -1
        for at in range(first, stop):
            same = True
            for k in range(4):
                same &= moves[at, k] == rows[n, R_SHAPE + k]
            if same:
                choice[n] = at - first
                break
