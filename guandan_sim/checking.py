"""Replaying a log: every deal dealt anew from its seed, every logged choice checked and made.

The rows are those of `loop` (made from a run's columns by `logrows`). Nothing is taken from a row
that the rules and the seed say already: the deal is set up as the loop does it, the logged choices
are followed if they are legal, and what comes out is compared with the row.

Where a function takes a ``record`` it also writes down the choices that it follows, see
`recording`; with None nothing of that is compiled.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import layout as lay
from . import loop
from .deal import apply_move, apply_pass, has_choice, move_is_legal
from .jit import Rows, Words, kernel
from .match import finish_deal, match_is_over, start_deal, start_match, start_single_deal
from .recording import begin_record, finish_record, has_room, record_card, record_move
from .shapes import PASS
from .tribute import apply_return, apply_tribute, choice_mask

__all__ = [
    "PLACE_SIZE",
    "PROBLEM_SIZE",
    "check_sets",
    "follow_plays",
    "follow_tributes",
    "new_memory",
    "restore_deal",
]

# Where the check stands: int64[PLACE_SIZE]. The set to go on with, whether the state is in the
# middle of its match, and the next row of each table.
AT_SET = 0
AT_IN_MATCH = 1
AT_DEAL = 2
AT_TRIBUTE = 3
AT_PLAY = 4
AT_MATCH = 5
PLACE_SIZE = 6

# What is wrong: written to problem[0], with the place, what was found and what was due in
# problem[1:4]; for an illegal play its packed word is what was found, and its two words of cards
# follow; for a column of a play 0, ply, or 1, size, follows.
DEALS_MISSING = 1
DEALS_LEFT = 2
DEAL_COLUMN = 3
TRIBUTE_MISSING = 4
TRIBUTE_COLUMN = 5
TRIBUTE_ILLEGAL = 6
TRIBUTES_LEFT = 7
PLAY_MISSING = 8
PLAY_TURN = 9
PLAY_ILLEGAL = 10
PLAY_COLUMN = 11
PASS_FLAG = 12
PLAYS_LEFT = 13
MATCH_COLUMN = 14
PROBLEM_SIZE = 6


def new_memory() -> tuple[Rows, Rows, Words]:
    """What `check_sets` works in."""
    return (
        np.zeros((1, loop.DEAL_WIDTH), np.int64),
        np.zeros((2, loop.MATCH_WIDTH), np.int64),
        np.zeros(loop.CURSOR, np.int64),
    )


@kernel
def _note(problem: Words, what: int, where: int, found: int, due: int) -> bool:
    problem[0] = what
    problem[1] = where
    problem[2] = found
    problem[3] = due
    return False


@kernel
def restore_deal(state: Words, row: Words) -> None:
    """Put what a logged deal began with into a cleared state: hands, level, owner, leader, the
    order before.
    """
    state[lay.V_LEVEL] = row[loop.D_LEVEL]
    state[lay.V_OWNER] = row[loop.D_OWNER]
    state[lay.V_LEADER] = row[loop.D_LEADER]
    state[lay.V_MARKED] = row[loop.D_MARKED]
    for i in range(2):
        state[lay.V_LEVELS + i] = row[loop.D_LEVELS + i]
    for i in range(4):
        state[lay.V_PREVIOUS + i] = row[loop.D_PREVIOUS + i]
    for i in range(8):
        state[lay.S_HANDS + i] = row[loop.D_HANDS + i]


@kernel
def follow_tributes(state: Any, rows: Any, at: Any, stop: Any, problem: Any, record: Any) -> Any:
    """Give and return the logged cards; returns the number of rows used, -1 for a problem."""
    due = 0 if state[lay.V_CANCELLED] else state[lay.V_TRIBUTE]
    for i in range(due):
        if at + i >= stop:
            _note(problem, TRIBUTE_MISSING, i, 0, due)
            return -1
    while state[lay.V_PHASE] == lay.PHASE_TRIBUTE or state[lay.V_PHASE] == lay.PHASE_RETURN:
        seat = state[lay.V_TURN]
        giving = state[lay.V_PHASE] == lay.PHASE_TRIBUTE
        row = at
        if due == 2 and rows[at, 2 if giving else 3] != seat:
            row = at + 1
        if rows[row, 2 if giving else 3] != seat:
            _note(problem, TRIBUTE_COLUMN, 2 if giving else 3, rows[row, 2 if giving else 3], seat)
            return -1
        card = rows[row, 4 if giving else 5]
        mask = choice_mask(state, seat, state[lay.S_HANDS + 2 * seat])
        if card < 0 or card > 60 or not mask >> card & 1:
            _note(problem, TRIBUTE_ILLEGAL, seat, card, giving)
            return -1
        if record is not None:
            record_card(state, seat, mask, card, record)
        if giving:
            apply_tribute(state, card)
        else:
            apply_return(state, card)
    for number in range(due):
        giver = state[lay.V_GIVER + number * lay.V_TRIBUTE_WIDTH]
        row = at if rows[at, 2] == giver else at + 1
        receiver = state[lay.V_RECEIVER + number * lay.V_TRIBUTE_WIDTH]
        if rows[row, 3] != receiver:
            _note(problem, TRIBUTE_COLUMN, 3, rows[row, 3], receiver)
            return -1
    return due


@kernel
def follow_plays(state: Any, rows: Any, at: Any, stop: Any, problem: Any, record: Any) -> Any:
    """Make the logged plays and the passes between them; returns the number of rows used, -1 for a
    problem.
    """
    row = at
    passed = 0
    while state[lay.V_PHASE] == lay.PHASE_PLAY:
        if row >= stop:
            _note(problem, PLAY_MISSING, state[lay.V_PLIES], 0, 0)
            return -1
        packed = rows[row, 0]
        seat = packed & 3
        turn = state[lay.V_TURN]
        if state[lay.V_BEAT_SEAT] >= 0:
            # A seat whose pass was a choice is flagged. One that had none passed too, even if it
            # comes to lead then.
            flagged = packed >> loop.P_CHOSEN + turn & 1
            able = has_choice(state)
            if seat != turn or flagged or not able:
                if flagged != able:
                    _note(problem, PASS_FLAG, state[lay.V_PLIES], flagged, turn)
                    return -1
                passed |= 1 << turn
                if record is not None and able:
                    record_move(state, turn, PASS, 0, 0, 0, record)
                apply_pass(state)
                continue
        if seat != turn:
            _note(problem, PLAY_TURN, state[lay.V_PLIES], seat, turn)
            return -1
        if packed >> loop.P_CHOSEN & 15 & ~passed:
            _note(problem, PASS_FLAG, state[lay.V_PLIES], 1, seat)
            return -1
        if packed >> loop.P_PLY != state[lay.V_PLIES]:
            _note(
                problem, PLAY_COLUMN, state[lay.V_PLIES], packed >> loop.P_PLY, state[lay.V_PLIES]
            )
            problem[4] = 0
            return -1
        shape = packed >> lay.H_SHAPE & 15
        rank = packed >> lay.H_RANK & 15
        one, two = rows[row, 1], rows[row, 2]
        if shape == 0 or not move_is_legal(state, shape, rank, one, two):
            _note(problem, PLAY_ILLEGAL, state[lay.V_PLIES], packed, turn)
            problem[4] = one
            problem[5] = two
            return -1
        if record is not None:
            record_move(state, turn, shape, rank, one, two, record)
        written = lay.V_HISTORY + lay.HISTORY_WIDTH * state[lay.V_PLIES]
        apply_move(state, shape, rank, one, two)
        size = state[written] >> lay.H_SIZE & 15
        if packed >> lay.H_SIZE & 15 != size:
            _note(problem, PLAY_COLUMN, state[lay.V_PLIES] - 1, packed >> lay.H_SIZE & 15, size)
            problem[4] = 1
            return -1
        passed = 0
        row += 1
    return row - at


@kernel
def _check_match(state: Words, row: Words, spare: Rows, cursor: Words, problem: Words) -> bool:
    cursor[loop.C_MATCHES] = 0
    loop.log_match(state, spare, cursor)
    for i in range(loop.MATCH_WIDTH):
        if row[i] != spare[0, i]:
            return _note(problem, MATCH_COLUMN, i, row[i], spare[0, i])
    return True


@kernel
def _check_deal(
    state: Any,
    arguments: Any,
    place: Any,
    deals: Any,
    tributes: Any,
    plays: Any,
    with_plays: Any,
    memory: Any,
    problem: Any,
    record: Any,
) -> Any:
    """Check the deal at ``place`` and go past its rows; False for a problem."""
    expected, spare, cursor = memory
    number = place[AT_SET]
    d, t, p = place[AT_DEAL], place[AT_TRIBUTE], place[AT_PLAY]
    if d >= len(deals) or deals[d, loop.D_SET] != number:
        return _note(problem, DEALS_MISSING, state[lay.S_DEALS], 0, 0)
    if arguments[loop.A_MATCHES]:
        start_deal(state)
    else:
        start_single_deal(
            state,
            arguments[loop.A_SEED],
            number,
            arguments[loop.A_LEVEL],
            arguments[loop.A_PREVIOUS],
            arguments[loop.A_DRAW_PREVIOUS],
        )
    if record is not None:
        begin_record(record)
    t_stop = t
    while (
        t_stop < len(tributes)
        and tributes[t_stop, 0] == number
        and tributes[t_stop, 1] == state[lay.V_DEAL]
    ):
        t_stop += 1
    used = follow_tributes(state, tributes, t, t_stop, problem, record)
    if used < 0:
        return False
    if t + used != t_stop:
        return _note(problem, TRIBUTES_LEFT, 0, t_stop - t, used)
    place[AT_TRIBUTE] = t_stop
    logged = deals[d, loop.D_PLAYS]
    if with_plays:
        used = follow_plays(state, plays, p, min(p + logged, len(plays)), problem, record)
        if used < 0:
            return False
        if used != logged:
            return _note(problem, PLAYS_LEFT, used, logged, used)
        place[AT_PLAY] = p + used
    else:
        for i in range(4):
            state[lay.V_FINISH + i] = deals[d, loop.D_FINISH + i]
    cursor[loop.C_DEALS] = 0
    cursor[loop.C_TRIBUTES] = 0
    loop.log_deal(state, expected, spare, cursor)
    if not with_plays:
        expected[0, loop.D_PLAYS] = logged
    finish_deal(state)
    expected[0, loop.D_GAIN] = state[lay.S_GAIN]
    for i in range(loop.DEAL_WIDTH):
        if deals[d, i] != expected[0, i]:
            return _note(problem, DEAL_COLUMN, i, deals[d, i], expected[0, i])
    place[AT_DEAL] = d + 1
    if record is not None:
        finish_record(state, record)
    return True


@kernel
def check_sets(
    state: Any,
    arguments: Any,
    place: Any,
    deals: Any,
    tributes: Any,
    plays: Any,
    matches: Any,
    with_plays: Any,
    memory: Any,
    problem: Any,
    record: Any,
) -> Any:
    """Check the sets from ``place[AT_SET]`` to ``arguments[A_END]`` against their rows, until one
    has a problem or ``record`` has no room for another deal.

    ``state`` holds the rules. ``place`` says which rows come next; call again with all as it is to
    go on. Without plays the logged finishing order is taken as it is. ``memory`` is that of
    `new_memory`. Returns False if the set at ``place`` has a problem, which is described in
    ``problem``. The deal checked last is in ``state``.
    """
    whole = arguments[loop.A_MATCHES]
    while place[AT_SET] < arguments[loop.A_END]:
        if record is not None and not has_room(record):
            return True
        number = place[AT_SET]
        if whole and place[AT_IN_MATCH] == 0:
            start_match(state, arguments[loop.A_SEED], number)
            place[AT_IN_MATCH] = 1
        if not _check_deal(
            state,
            arguments,
            place,
            deals,
            tributes,
            plays,
            with_plays,
            memory,
            problem,
            record,
        ):
            return False
        if whole and not match_is_over(state):
            continue
        place[AT_IN_MATCH] = 0
        d = place[AT_DEAL]
        if d < len(deals) and deals[d, loop.D_SET] == number:
            return _note(problem, DEALS_LEFT, state[lay.S_DEALS], 0, 0)
        if whole:
            m = place[AT_MATCH]
            if m >= len(matches) or matches[m, 0] != number:
                return _note(problem, MATCH_COLUMN, 0, -1, number)
            _, spare, cursor = memory
            if not _check_match(state, matches[m], spare, cursor, problem):
                return False
            place[AT_MATCH] = m + 1
        place[AT_SET] = number + 1
    return True
