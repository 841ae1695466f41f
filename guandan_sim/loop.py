"""The one playing loop: from any state to the end of the deal, set after set, asking only seats
that have a choice.

A seat's bot is called if and only if it has a legal answer other than passing; everyone else's pass
is implied. Bots are first-class functions with one signature, so the loop is compiled once for
every mix of them. A bot that raises ends the call with its exception; the state then tells deal and
seat.
"""

from __future__ import annotations

from typing import Any

from numba import types

from . import layout as lay
from .asking import ask_card, ask_play
from .bits import index, popcount, trailing_zeros
from .deal import clear_view, forget_shown, make_move, make_pass, move_is_legal, turn_to_choice
from .jit import BOT_ARGUMENTS, Rows, Words, entry, kernel, opened
from .match import finish_deal, match_is_over, start_deal, start_match, start_single_deal
from .rng import word
from .shapes import PASS
from .tribute import apply_return, apply_tribute, choice_mask

__all__ = [
    "DEAL_WIDTH",
    "MATCH_WIDTH",
    "PLAY_WIDTH",
    "TRIBUTE_WIDTH",
    "load_loop",
]

_READ, _WRITE, _ = BOT_ARGUMENTS
_ROWS = types.Array(types.int64, 2, "C")

# --- Rows that the loop logs, all int64 ---
# Plays: packed as in the view's history with the mask of chosen passes and the ply on top, one,
# two.
PLAY_WIDTH = 3
P_CHOSEN = 19
P_PLY = 23
# Deals.
D_SET = 0
D_DEAL = 1
D_LEVEL = 2
D_OWNER = 3
D_LEVELS = 4  # 2
D_LEADER = 6
D_MARKED = 7
D_PREVIOUS = 8  # 4
D_TRIBUTE = 12
D_CANCELLED = 13
D_FINISH = 14  # 4
D_GAIN = 18
D_PLAYS = 19
D_HANDS = 20  # 8
DEAL_WIDTH = 28
# Tributes: set, deal, giver, receiver, card, returned.
TRIBUTE_WIDTH = 6
# Matches: set, winner, deals, levels (2), truncated, resets (2).
MATCH_WIDTH = 8

# --- Arguments of the loop: int64[ARGUMENTS] ---
A_SEED = 0
A_END = 1  # sets up to this number, exclusive
A_MATCHES = 2  # 1: a set is a match; 0: an independent deal
A_LEVEL = 3  # independent deals: rank, 0 to draw
A_PREVIOUS = 4  # independent deals: packed finishing order, -1 none
A_DRAW_PREVIOUS = 5  # independent deals: 1 to draw the finishing order
A_CHECKED = 6  # mask of the seats whose moves are checked, and more: see `play_out`
A_LOG_PLAYS = 7
A_PLAY_OUT = 8  # 1: only play the deal in the state to its end
ARGUMENTS = 9

# --- Where the loop stands: int64[CURSOR]. Rows written, the next set, what stopped it ---
C_PLAYS = 0
C_DEALS = 1
C_TRIBUTES = 2
C_MATCHES = 3
C_NEXT = 4  # set to begin next
C_IN_MATCH = 5  # 1: the state is in the middle of a match, between two deals
C_STATUS = 6
C_STOP = 7  # set from outside: return after this deal
C_PLIES = 8  # plays made, logged or not
CURSOR = 9

STATUS_OK = 0
STATUS_ILLEGAL_MOVE = 1  # `out` holds what the bot wrote
STATUS_ILLEGAL_CARD = 2
STATUS_REFUSED = 3  # the bot returned something other than 0


@opened
def decision_key(state: Words, seat: int) -> int:
    """Key of the random stream of the seat's next real choice; counts the choice.

    The key after it is worked out now, so that the next choice need not wait for it.
    """
    count = index(lay.S_DECISIONS + seat)
    at = index(lay.S_KEYS + seat)
    key = state[at]
    j = state[count] + 1
    state[count] = j
    state[at] = word(state[index(lay.S_STREAMS + seat)], j)
    return key


@kernel
def _clear_out(out: Words) -> None:
    """Leave nothing of what another seat wrote; what is not written is no choice."""
    for i in range(lay.OUT_SIZE):
        out[i] = -1


@kernel
def log_play(state: Words, rows: Rows, n: int, chosen: int) -> None:
    """Write the play made last as row ``n``; ``chosen`` is the mask of chosen passes before it."""
    ply = state[lay.V_PLIES] - 1
    at = lay.V_HISTORY + lay.HISTORY_WIDTH * ply
    rows[n, 0] = state[at] | chosen << P_CHOSEN | ply << P_PLY
    rows[n, 1] = state[at + 1]
    rows[n, 2] = state[at + 2]


@kernel
def log_deal(state: Words, deals: Rows, tributes: Rows, cursor: Words) -> None:
    """Write the finished deal, before it is settled, and its tributes; the gain is filled in by
    `log_gain`.
    """
    n = cursor[C_DEALS]
    deals[n, D_SET] = state[lay.S_SET]
    deals[n, D_DEAL] = state[lay.V_DEAL]
    deals[n, D_LEVEL] = state[lay.V_LEVEL]
    deals[n, D_OWNER] = state[lay.V_OWNER]
    deals[n, D_LEADER] = state[lay.V_LEADER]
    deals[n, D_MARKED] = state[lay.V_MARKED]
    deals[n, D_TRIBUTE] = state[lay.V_TRIBUTE]
    deals[n, D_CANCELLED] = state[lay.V_CANCELLED]
    deals[n, D_PLAYS] = state[lay.V_PLIES]
    for i in range(2):
        deals[n, D_LEVELS + i] = state[lay.V_LEVELS + i]
    for i in range(4):
        deals[n, D_PREVIOUS + i] = state[lay.V_PREVIOUS + i]
        deals[n, D_FINISH + i] = state[lay.V_FINISH + i]
    for i in range(8):
        deals[n, D_HANDS + i] = state[lay.S_DEALT + i]
    cursor[C_DEALS] = n + 1
    if state[lay.V_CANCELLED]:
        return
    for number in range(state[lay.V_TRIBUTE]):
        row = number * lay.V_TRIBUTE_WIDTH
        at = cursor[C_TRIBUTES]
        tributes[at, 0] = state[lay.S_SET]
        tributes[at, 1] = state[lay.V_DEAL]
        for i in range(4):
            tributes[at, 2 + i] = state[lay.V_GIVER + row + i]
        cursor[C_TRIBUTES] = at + 1


@kernel
def log_match(state: Words, matches: Rows, cursor: Words) -> None:
    """Write the match that has just ended."""
    n = cursor[C_MATCHES]
    matches[n, 0] = state[lay.S_SET]
    matches[n, 1] = state[lay.S_WINNER]
    matches[n, 2] = state[lay.S_DEALS]
    matches[n, 3] = state[lay.V_LEVELS]
    matches[n, 4] = state[lay.V_LEVELS + 1]
    matches[n, 5] = state[lay.S_TRUNCATED]
    matches[n, 6] = state[lay.S_RESETS]
    matches[n, 7] = state[lay.S_RESETS + 1]
    cursor[C_MATCHES] = n + 1


@kernel
def play_out(
    state: Any,
    plays: Any,
    tributes: Any,
    returns: Any,
    view: Any,
    scratch: Any,
    out: Any,
    checked: Any,
    rows: Any,
    cursor: Any,
) -> Any:
    """Play the deal in ``state`` to its end, from wherever it stands; returns a STATUS.

    ``plays``, ``tributes``, ``returns``: four bot functions each. Memory of the bots: ``view``
    int64[VIEW_SIZE], ``scratch`` int64[4, SCRATCH_SIZE or more], ``out`` int64[OUT_SIZE].
    ``checked``: mask of the seats whose choices are checked, and four bits higher of those that
    see all of ``scratch``, not only the words that every bot has. ``rows``: int64[n, PLAY_WIDTH]
    log, written from row ``cursor[C_PLAYS]`` on; no rows, no log.
    """
    clear_view(view)
    words = scratch.shape[1]
    own_scratch = (
        scratch[0][: words if checked & 16 else lay.SCRATCH_SIZE],
        scratch[1][: words if checked & 32 else lay.SCRATCH_SIZE],
        scratch[2][: words if checked & 64 else lay.SCRATCH_SIZE],
        scratch[3][: words if checked & 128 else lay.SCRATCH_SIZE],
    )
    for seat in range(4):
        state[lay.S_KEYS + seat] = word(state[lay.S_STREAMS + seat], state[lay.S_DECISIONS + seat])
    while state[lay.V_PHASE] < lay.PHASE_PLAY:
        seat = state[lay.V_TURN]
        mask = choice_mask(state, seat, state[lay.S_HANDS + 2 * seat])
        card = trailing_zeros(mask)
        giving = state[lay.V_PHASE] == lay.PHASE_TRIBUTE
        if popcount(mask) > 1:
            _clear_out(out)
            key = decision_key(state, seat)
            bots = tributes if giving else returns
            if ask_card(bots, state, view, seat, key, 0, own_scratch[seat], out) != 0:
                return STATUS_REFUSED
            card = out[lay.OUT_CARD]
            if checked >> seat & 1 and (card < 0 or card > 60 or not mask >> card & 1):
                return STATUS_ILLEGAL_CARD
        if giving:
            apply_tribute(state, card)
        else:
            apply_return(state, card)
    seat = state[lay.V_TURN]
    answers = 0
    done = state[lay.V_PHASE] == lay.PHASE_DONE
    # The first seat of all may have to pass.
    turning = not done and state[lay.V_BEAT_SEAT] >= 0
    seat -= turning
    while not done:
        if turning:
            seat, answers = turn_to_choice(state, seat)
        turning = True
        _clear_out(out)
        key = decision_key(state, seat)
        if ask_play(plays, state, view, seat, key, answers, own_scratch[seat], out) != 0:
            return STATUS_REFUSED
        shape = out[lay.OUT_SHAPE]
        rank = out[lay.OUT_RANK]
        one = out[lay.OUT_ONE]
        two = out[lay.OUT_TWO]
        if checked >> seat & 1 and not move_is_legal(state, shape, rank, one, two):
            return STATUS_ILLEGAL_MOVE
        if shape == PASS:
            state[lay.S_CHOSE_TO_PASS] |= 1 << seat
            make_pass(state, seat)
            continue
        chosen = state[lay.S_CHOSE_TO_PASS]
        done = make_move(state, seat, shape, rank, one, two)
        if len(rows) > 0:
            log_play(state, rows, cursor[C_PLAYS], chosen)
            cursor[C_PLAYS] += 1
    forget_shown(state)
    cursor[C_PLIES] += state[lay.V_PLIES]
    return STATUS_OK


@kernel
def _start_next(
    state: Words,
    scratch: Rows,
    arguments: Words,
    cursor: Words,
    play_rows: Rows,
    deal_rows: Rows,
    tribute_rows: Rows,
    match_rows: Rows,
) -> bool:
    """Set up the next deal of the match in progress, or of the next set; False if there is no room
    for its rows or no set left.
    """
    if arguments[A_LOG_PLAYS] and cursor[C_PLAYS] > len(play_rows) - lay.MAX_PLIES:
        return False
    if cursor[C_DEALS] >= len(deal_rows) or cursor[C_TRIBUTES] + 2 > len(tribute_rows):
        return False
    matches = arguments[A_MATCHES]
    if cursor[C_IN_MATCH] == 0:
        if cursor[C_NEXT] >= arguments[A_END]:
            return False
        if matches and cursor[C_MATCHES] >= len(match_rows):
            return False
        if matches:
            start_match(state, arguments[A_SEED], cursor[C_NEXT])
            cursor[C_IN_MATCH] = 1
    if matches:
        start_deal(state)
    else:
        start_single_deal(
            state,
            arguments[A_SEED],
            cursor[C_NEXT],
            arguments[A_LEVEL],
            arguments[A_PREVIOUS],
            arguments[A_DRAW_PREVIOUS],
        )
    for seat in range(4):
        # Built-in bots, which are not checked, keep nothing that another deal could be told by.
        if arguments[A_CHECKED] >> seat & 1:
            for i in range(lay.SCRATCH_SIZE):
                scratch[seat, i] = 0
    return True


@kernel
def run_sets(
    plays: Any,
    tributes: Any,
    returns: Any,
    state: Any,
    view: Any,
    scratch: Any,
    out: Any,
    arguments: Any,
    cursor: Any,
    play_rows: Any,
    deal_rows: Any,
    tribute_rows: Any,
    match_rows: Any,
) -> Any:
    """Play sets from ``cursor[C_NEXT]`` on, until A_END, a full buffer, the stop flag or a bot that
    fails; with A_PLAY_OUT only the deal in ``state``, to its end.

    Logs into the rows from ``cursor``'s counts on; with no play rows the plays are only counted. To
    go on after full buffers, empty them, zero their counts and call again with the same state: it
    may be within a match. ``cursor`` counts only whole deals; on an error it stands before the deal
    that failed. Returns the number of sets finished.
    """
    finished = 0
    cursor[C_STATUS] = STATUS_OK
    while cursor[C_STOP] == 0:
        if arguments[A_PLAY_OUT] == 0 and not _start_next(
            state, scratch, arguments, cursor, play_rows, deal_rows, tribute_rows, match_rows
        ):
            break
        logged = cursor[C_PLAYS]
        status = play_out(
            state,
            plays,
            tributes,
            returns,
            view,
            scratch,
            out,
            arguments[A_CHECKED],
            play_rows,
            cursor,
        )
        if status != STATUS_OK:
            cursor[C_PLAYS] = logged
            cursor[C_STATUS] = status
        if status != STATUS_OK or arguments[A_PLAY_OUT]:
            break
        log_deal(state, deal_rows, tribute_rows, cursor)
        finish_deal(state)
        deal_rows[cursor[C_DEALS] - 1, D_GAIN] = state[lay.S_GAIN]
        if arguments[A_MATCHES]:
            if not match_is_over(state):
                continue
            log_match(state, match_rows, cursor)
            cursor[C_IN_MATCH] = 0
        cursor[C_NEXT] += 1
        finished += 1
    return finished


_FUNCTIONS = types.UniTuple(types.FunctionType(types.int64(*BOT_ARGUMENTS)), 4)
_MEMORY = (_WRITE, _ROWS, _WRITE)


def load_loop(quick: bool) -> Any:
    """The compiled `run_sets`, compiled or read from the cache at the first call.

    ``quick``: for a line-up of quick bots, else for tuples of functions (see `asking`).
    """
    bots = (types.int64 if quick else _FUNCTIONS,) * 3
    rest = (_WRITE, _WRITE, _ROWS, _ROWS, _ROWS, _ROWS)
    return entry(run_sets, (*bots, _WRITE, *_MEMORY, *rest))
