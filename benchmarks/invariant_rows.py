"""The rows that the loop logs, followed deal by deal: everything in them recomputed from the hands
as dealt and the choices made. Compiled; of the engine it knows the layout of rows and rules alone.
"""

# What Numba decorates is Any to mypy; Numba itself infers the types.
# mypy: no-warn-return-any

from __future__ import annotations

from typing import Any

from invariant_between import before_play, begin, end_match, settle, take_hands
from invariant_checks import (
    AFTER_END,
    BEATS,
    CARDS,
    CHOSEN,
    CHOSEN_PASSED,
    CONSERVED,
    DECLARED,
    ENDED,
    FINISH,
    FORCED,
    GAIN,
    HELD,
    LEAD,
    LOCKED,
    M_CUT,
    M_DEALS,
    M_LOST,
    M_PREVIOUS,
    M_WINNER,
    MATCH_ROWS,
    N_BOMBS,
    N_CHOSEN,
    N_DEALS,
    N_FORCED,
    N_MATCHES,
    N_PARTNER,
    N_PLAYS,
    N_SWEEPS,
    N_WILD,
    OUT,
    P_CHECK,
    P_DEAL,
    P_PLY,
    P_SET,
    PACK_BITS,
    PASSES,
    PLAY_WORDS,
    PLAYS,
    PLY,
    PROBLEM_SIZE,
    ROWS_LEFT,
    SIZE,
    TRICK_LEADER,
    TURN,
    expect,
)
from invariant_rules import (
    BEST,
    BOMB,
    COPIES,
    KINDS,
    LEFT,
    PLACE,
    RANKS,
    WILDS,
    add_cards,
    compiled,
    is_play,
    strength,
    strongest,
)

from guandan_sim import layout as lay
from guandan_sim import loop


@compiled
def _able(hand: Any, kind: int, to_beat: int, level: int, rules: Any) -> bool:
    """Whether a hand has an answer to a play of that kind and strength."""
    if hand[BEST + BOMB] < 0:
        hand[BEST + BOMB] = strongest(
            BOMB, hand, level, rules[lay.R_MAX_BOMB], rules[lay.R_JOKER_PAIR]
        )
    bomb = hand[BEST + BOMB]
    if kind == BOMB:
        return bomb > to_beat
    if bomb > 0:
        return True
    if hand[BEST + kind] < 0:
        hand[BEST + kind] = strongest(
            kind, hand, level, rules[lay.R_MAX_BOMB], rules[lay.R_JOKER_PAIR]
        )
    return hand[BEST + kind] > to_beat


@compiled
def _follow_turn(
    packed: int, last: int, leader: int, locked: int, hands: Any, rules: Any, book: Any
) -> bool:
    """Whether the seat that plays may, and who passed before; ``last`` made the play before, -1 for
    the first play, by ``leader``.
    """
    seat = packed & 3
    lead = packed >> lay.H_LEAD & 1
    passed, reached = 0, False
    if last < 0:
        if not expect(LEAD, 1, lead, book):
            return False
    else:
        for step in range(1, 4):
            other = last + step & 3
            if not lead and other == seat:
                reached = True
            if not reached and hands[other, LEFT] and not locked >> other & 1:
                passed |= 1 << other
        leader = last if hands[last, LEFT] else last ^ 2
        book[N_PARTNER] += lead and leader != last
    if lead:
        if not expect(TRICK_LEADER, leader, seat, book):
            return False
    elif not expect(TURN, 1, seat != last, book):
        return False
    if not expect(OUT, max(hands[seat, LEFT], 1), hands[seat, LEFT], book):
        return False
    barred = 1 << seat & locked
    if rules[lay.R_PASS_LOCKS] and not lead and not expect(LOCKED, 0, barred, book):
        return False
    return expect(PASSES, passed, packed >> lay.H_PASSES & 15, book)


@compiled
def _follow_passes(
    packed: int, kind: int, to_beat: int, level: int, hands: Any, rules: Any, book: Any
) -> bool:
    """Whether every pass flagged as chosen had an answer, and no other one had."""
    passes = packed >> lay.H_PASSES & 15
    chosen = packed >> loop.P_CHOSEN & 15
    if not expect(CHOSEN_PASSED, 0, chosen & ~passes, book):
        return False
    for seat in range(4):
        if not passes >> seat & 1:
            continue
        able = _able(hands[seat], kind, to_beat, level, rules)
        if chosen >> seat & 1:
            book[N_CHOSEN] += 1
            if not expect(CHOSEN, 1, able, book):
                return False
        else:
            book[N_FORCED] += 1
            if not expect(FORCED, 0, able, book):
                return False
    return True


@compiled
def _lay(one: int, two: int, size: int, level: int, hand: Any, play: Any, book: Any) -> bool:
    """Count the cards of a play, taken from the hand."""
    wrong = (one & ~PACK_BITS) | (two & ~one)
    if not expect(PLAY_WORDS, 0, wrong, book):
        return False
    for i in range(RANKS, BEST):
        play[i] = 0
    while one:
        bit = one & -one
        one ^= bit
        card = PLACE[bit % 67]
        taken = 2 if two & bit else 1
        held = hand[COPIES + card]
        if not expect(HELD, max(held, taken), held, book):
            return False
        add_cards(card, -taken, level, hand)
        play[COPIES + card] = 0
        add_cards(card, taken, level, play)
    for kind in range(KINDS):
        # Who has no bomb does not get one.
        if kind != BOMB or hand[BEST + BOMB] != 0:
            hand[BEST + kind] = -1
    return expect(SIZE, play[LEFT], size, book)


@compiled
def _follow_plays(
    row: Any, rows: Any, at: int, stop: int, hands: Any, order: Any, rules: Any, book: Any
) -> bool:
    """The plays from row ``at`` to ``stop`` and the passes between them; who goes out is written to
    ``order``. The last row of ``hands`` is for the cards of a play.
    """
    level = row[loop.D_LEVEL]
    last, kind, to_beat, locked, out, laid = -1, 0, 0, 0, 0, 0
    ended = False
    for at_play in range(at, stop):
        book[P_PLY] = at_play - at
        packed = rows[at_play, 0]
        if not expect(AFTER_END, 0, ended, book):
            return False
        if not expect(PLY, at_play - at, packed >> loop.P_PLY, book):
            return False
        if not _follow_turn(packed, last, row[loop.D_LEADER], locked, hands, rules, book):
            return False
        if not _follow_passes(packed, kind, to_beat, level, hands, rules, book):
            return False
        seat = packed & 3
        shape = packed >> lay.H_SHAPE & 15
        rank = packed >> lay.H_RANK & 15
        size = packed >> lay.H_SIZE & 15
        lead = packed >> lay.H_LEAD & 1
        hand, play = hands[seat], hands[4]
        if not _lay(rows[at_play, 1], rows[at_play, 2], size, level, hand, play, book):
            return False
        declared = is_play(
            shape, rank, size, play, level, rules[lay.R_MAX_BOMB], rules[lay.R_JOKER_PAIR]
        )
        if not expect(DECLARED, 1, declared, book):
            return False
        own_kind = min(shape, BOMB)
        own = strength(shape, rank, size, level)
        if not lead:
            beats = own > to_beat if own_kind == kind else own_kind == BOMB
            if not expect(BEATS, 1, beats, book):
                return False
        book[N_PLAYS] += 1
        book[N_BOMBS] += own_kind == BOMB
        book[N_WILD] += play[WILDS] > 0
        if rules[lay.R_PASS_LOCKS]:
            locked = 0 if lead else locked | (packed >> lay.H_PASSES & 15)
        last, kind, to_beat = seat, own_kind, own
        laid += size
        if hand[LEFT] == 0:
            order[out] = seat
            out += 1
            ended = hands[seat ^ 2, LEFT] == 0
    book[P_PLY] = -1
    if not expect(ENDED, 1, ended, book):
        return False
    for seat in range(4):
        left = 0
        for card in CARDS:
            left += hands[seat, COPIES + card]
        laid += left
        if left:
            order[out] = seat
            out += 1
    return expect(CONSERVED, 108, laid, book)


@compiled
def _follow_deal(
    row: Any,
    matches: int,
    tributes: Any,
    t: int,
    t_stop: int,
    plays: Any,
    p: int,
    p_stop: int,
    hands: Any,
    order: Any,
    rules: Any,
    book: Any,
) -> bool:
    """One deal with its tributes and plays, from the rows given."""
    if not begin(row, matches, book) or not take_hands(row, hands, book):
        return False
    if not before_play(row, tributes, t, t_stop, hands, rules, book):
        return False
    if not _follow_plays(row, plays, p, p_stop, hands, order, rules, book):
        return False
    if not expect(PLAYS, p_stop - p, row[loop.D_PLAYS], book):
        return False
    for i in range(4):
        if not expect(FINISH, order[i], row[loop.D_FINISH + i], book):
            return False
    book[N_DEALS] += 1
    book[N_SWEEPS] += (order[0] ^ order[1]) & 1 == 0
    gain = settle(row, book, rules)
    book[M_DEALS] += 1
    for i in range(4):
        book[M_PREVIOUS + i] = order[i]
    book[M_CUT] = book[M_WINNER] < 0 and book[M_DEALS] >= rules[lay.R_MAX_DEALS]
    return expect(GAIN, gain, row[loop.D_GAIN], book)


@compiled
def _note(problems: Any, n: int, book: Any) -> int:
    """Write the problem in the book as number ``n`` if there is room; gives the next number."""
    if n < len(problems):
        for i in range(PROBLEM_SIZE):
            problems[n, i] = book[P_CHECK + i]
    return n + 1


@compiled
def check_rows(
    rules: Any,
    matches: int,
    plays: Any,
    deals: Any,
    tributes: Any,
    ends: Any,
    hands: Any,
    order: Any,
    book: Any,
    problems: Any,
) -> int:
    """Check all deals of some rows, which follow those that the book has seen; gives the number of
    problems, one a deal at most.

    ``matches`` 1: sets are matches, ``ends`` the rows of those that end here; 0: independent deals.
    ``hands`` int64[5, HAND_WIDTH] and ``order`` int64[4] are memory to work in. The first problems
    are written to ``problems``. What follows a problem in its match is not checked.
    """
    found = p = t = m = 0
    for d in range(len(deals)):
        row = deals[d]
        book[P_SET] = row[loop.D_SET]
        book[P_DEAL] = row[loop.D_DEAL]
        book[P_PLY] = -1
        # The plays of a deal end where the next one's begin, whatever the deal says.
        p_stop = p + 1
        while p_stop < len(plays) and plays[p_stop, 0] >> loop.P_PLY != 0:
            p_stop += 1
        p_stop = min(p_stop, len(plays))
        t_stop = t
        while (
            t_stop < len(tributes)
            and tributes[t_stop, 0] == row[loop.D_SET]
            and tributes[t_stop, 1] == row[loop.D_DEAL]
        ):
            t_stop += 1
        lost = book[M_LOST] == 1 and matches == 1 and row[loop.D_DEAL] > 0
        good = lost or _follow_deal(
            row, matches, tributes, t, t_stop, plays, p, p_stop, hands, order, rules, book
        )
        lost = lost or not good
        book[M_LOST] = lost
        over = book[M_WINNER] >= 0 or book[M_CUT] == 1
        if lost:
            # Where this match ends is told by the rows of the matches.
            over = m < len(ends) and ends[m, 0] == row[loop.D_SET]
            over = over and row[loop.D_DEAL] == ends[m, 2] - 1
        if matches and over:
            if not lost:
                book[N_MATCHES] += 1
                good = expect(MATCH_ROWS, 1, m < len(ends), book)
                good = good and end_match(ends[m], book)
            m += m < len(ends)
        p, t = p_stop, t_stop
        if not good:
            found = _note(problems, found, book)
    left = len(plays) - p + len(tributes) - t + (len(ends) - m if matches else 0)
    book[P_PLY] = -1
    if not expect(ROWS_LEFT, 0, left, book):
        found = _note(problems, found, book)
    return found
