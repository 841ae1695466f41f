"""Replaying a log: every deal dealt anew from its seed, every logged choice checked and made.

The rows are those of `loop` (made from a run's columns by `verify`). Nothing is taken from a row
that the rules and the seed say already: the deal is set up as the loop does it, the logged choices
are followed if they are legal, and what comes out is compared with the row.
"""

from __future__ import annotations

from . import layout as lay
from . import loop
from .deal import apply_move, apply_pass, has_choice, move_is_legal
from .jit import Rows, Words, kernel
from .match import finish_deal, match_is_over, start_deal, start_match, start_single_deal
from .tribute import apply_return, apply_tribute, choice_mask

__all__ = ["PROBLEM_SIZE", "check_sets", "follow_plays", "follow_tributes", "restore_deal"]

# What is wrong: written to problem[0], with the place, what was found and what was due in
# problem[1:4]; for an illegal play its packed word is what was found, and its two words of cards
# follow.
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
def follow_tributes(state: Words, rows: Rows, at: int, stop: int, problem: Words) -> int:
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
        if (
            card < 0
            or card > 60
            or not choice_mask(state, seat, state[lay.S_HANDS + 2 * seat]) >> card & 1
        ):
            _note(problem, TRIBUTE_ILLEGAL, seat, card, giving)
            return -1
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
def follow_plays(state: Words, rows: Rows, at: int, stop: int, problem: Words) -> int:
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
                apply_pass(state)
                continue
        if seat != turn:
            _note(problem, PLAY_TURN, state[lay.V_PLIES], seat, turn)
            return -1
        if packed >> loop.P_CHOSEN & 15 & ~passed:
            _note(problem, PASS_FLAG, state[lay.V_PLIES], 1, seat)
            return -1
        if packed >> loop.P_PLY != state[lay.V_PLIES]:
            _note(problem, PLAY_COLUMN, 0, packed >> loop.P_PLY, state[lay.V_PLIES])
            return -1
        shape = packed >> lay.H_SHAPE & 15
        rank = packed >> lay.H_RANK & 15
        one, two = rows[row, 1], rows[row, 2]
        if shape == 0 or not move_is_legal(state, shape, rank, one, two):
            _note(problem, PLAY_ILLEGAL, state[lay.V_PLIES], packed, turn)
            problem[4] = one
            problem[5] = two
            return -1
        written = lay.V_HISTORY + lay.HISTORY_WIDTH * state[lay.V_PLIES]
        apply_move(state, shape, rank, one, two)
        size = state[written] >> lay.H_SIZE & 15
        if packed >> lay.H_SIZE & 15 != size:
            _note(problem, PLAY_COLUMN, 1, packed >> lay.H_SIZE & 15, size)
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
def check_sets(
    state: Words,
    arguments: Words,
    first: int,
    deals: Rows,
    tributes: Rows,
    plays: Rows,
    matches: Rows,
    with_plays: int,
    expected: Rows,
    spare: Rows,
    cursor: Words,
    problem: Words,
) -> int:
    """Check the sets from ``first`` to ``arguments[A_END]`` against their rows, until one has a
    problem.

    ``state`` holds the rules. Rows begin at those of set ``first``. Without plays the logged
    finishing order is taken as it is. ``expected`` int64[1, DEAL_WIDTH], ``spare`` int64[2,
    MATCH_WIDTH] and ``cursor`` int64[CURSOR] are memory to work in. Returns the set that has a
    problem, described in ``problem``, or A_END. The deal checked last is in ``state``.
    """
    d = t = p = m = 0
    whole = arguments[loop.A_MATCHES]
    for number in range(first, arguments[loop.A_END]):
        if whole:
            start_match(state, arguments[loop.A_SEED], number)
        going = True
        while going:
            if d >= len(deals) or deals[d, loop.D_SET] != number:
                _note(problem, DEALS_MISSING, state[lay.S_DEALS], 0, 0)
                return number
            if whole:
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
            t_stop = t
            while (
                t_stop < len(tributes)
                and tributes[t_stop, 0] == number
                and tributes[t_stop, 1] == state[lay.V_DEAL]
            ):
                t_stop += 1
            used = follow_tributes(state, tributes, t, t_stop, problem)
            if used < 0:
                return number
            if t + used != t_stop:
                _note(problem, TRIBUTES_LEFT, 0, t_stop - t, used)
                return number
            t = t_stop
            logged = deals[d, loop.D_PLAYS]
            if with_plays:
                used = follow_plays(state, plays, p, min(p + logged, len(plays)), problem)
                if used < 0:
                    return number
                if used != logged:
                    _note(problem, PLAYS_LEFT, used, logged, used)
                    return number
                p += used
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
                    _note(problem, DEAL_COLUMN, i, deals[d, i], expected[0, i])
                    return number
            d += 1
            going = whole == 1 and not match_is_over(state)
        if d < len(deals) and deals[d, loop.D_SET] == number:
            _note(problem, DEALS_LEFT, state[lay.S_DEALS], 0, 0)
            return number
        if whole:
            if m >= len(matches) or matches[m, 0] != number:
                _note(problem, MATCH_COLUMN, 0, -1, number)
                return number
            if not _check_match(state, matches[m], spare, cursor, problem):
                return number
            m += 1
    return arguments[loop.A_END]
