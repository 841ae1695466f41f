"""One deal on the flat state: whose turn it is, plays and passes, tricks, going out.

These transitions are the only ones: the compiled loop, `table.Deal` and the replay of a log all
step through them. They take a state (int64[STATE_SIZE], see `layout`) and trust the caller that the
step is legal; `move_is_legal` tells.
"""

from __future__ import annotations

import numpy as np

from . import layout as lay
from .bitboard import contains, count_cards, remove
from .bits import index, popcount, trailing_zeros
from .jit import Words, kernel, opened
from .movegen import count_all_bombs, count_answers
from .shapes import BEATS, BOMB, PASS, SINGLE, is_declaration, kind_of, outranks, strength_of

__all__ = [
    "answers_of",
    "apply_move",
    "apply_pass",
    "clear_deal",
    "fill_view",
    "forget_shown",
    "has_choice",
    "make_move",
    "make_pass",
    "move_is_legal",
    "set_hands",
    "start_play",
    "turn_to_choice",
]

# Steps from an index: signed and unsigned numbers do not mix.
ONE = np.uint64(1)
TWO = np.uint64(2)


@kernel
def clear_deal(state: Words) -> None:
    """Forget the last deal; levels, owner, failures, rules and the order before it stay."""
    for i in range(lay.V_HISTORY, lay.V_HISTORY + lay.HISTORY_WIDTH * state[lay.V_PLIES]):
        state[index(i)] = 0
    for i in range(lay.V_PASSED, lay.V_FINISH):
        state[i] = 0
    for i in range(lay.V_TRIBUTE, lay.V_RULES):
        state[i] = 0
    for i in range(lay.S_HANDS, lay.S_KEY):
        state[i] = 0
    for i in range(4):
        state[lay.V_FINISH + i] = -1
    state[lay.V_VERSION] = lay.VIEW_VERSION
    state[lay.V_PHASE] = lay.PHASE_SETUP
    state[lay.V_LEADER] = -1
    state[lay.V_MARKED] = 0
    state[lay.V_PLIES] = 0
    _clear_trick(state)


@opened
def _clear_trick(state: Words) -> None:
    state[lay.V_BEAT_SEAT] = -1
    for i in range(lay.V_BEAT_SHAPE, lay.V_PASSED):
        state[i] = 0
    state[lay.V_LOCKED] = 0


@kernel
def set_hands(state: Words) -> None:
    """Take the hands now in S_HANDS as the dealt ones."""
    for i in range(8):
        state[lay.S_DEALT + i] = state[lay.S_HANDS + i]
    for seat in range(4):
        state[lay.V_COUNTS + seat] = count_cards(
            state[lay.S_HANDS + 2 * seat], state[lay.S_HANDS + 2 * seat + 1]
        )


@kernel
def start_play(state: Words, leader: int) -> None:
    """Begin the first trick: hands are final and the level is known."""
    state[lay.V_LEADER] = leader
    state[lay.V_TURN] = leader
    state[lay.V_PHASE] = lay.PHASE_PLAY
    state[lay.S_ACTIVE] = 0
    state[lay.S_BOMBERS] = 0
    for seat in range(4):
        state[lay.S_ACTIVE] |= (state[lay.V_COUNTS + seat] > 0) << seat
        state[lay.S_BOMBS + seat] = count_all_bombs(
            state[lay.S_HANDS + 2 * seat],
            state[lay.S_HANDS + 2 * seat + 1],
            state[lay.V_LEVEL],
            state[lay.V_RULES + lay.R_MAX_BOMB],
        )
        state[lay.S_BOMBERS] |= (state[lay.S_BOMBS + seat] > 0) << seat


@kernel
def answers_of(state: Words, seat: int) -> int:
    """What V_ANSWERS says to ``seat``."""
    if state[lay.V_PHASE] != lay.PHASE_PLAY:
        return 0
    return count_answers(
        state[lay.S_HANDS + 2 * seat],
        state[lay.S_HANDS + 2 * seat + 1],
        state[lay.V_LEVEL],
        state[lay.V_BEAT_KIND],
        state[lay.V_BEAT_STRENGTH],
        state[lay.V_RULES + lay.R_MAX_BOMB],
        state[lay.V_RULES + lay.R_JOKER_PAIR],
        state[lay.S_BOMBS + seat],
    )


@kernel
def has_choice(state: Words) -> bool:
    """Whether the seat to act has a legal answer other than passing (exactly)."""
    seat = state[lay.V_TURN]
    if state[lay.V_BEAT_SEAT] < 0 or answers_of(state, seat) > 0:
        return True
    return state[lay.V_BEAT_KIND] != BOMB and state[lay.S_BOMBS + seat] > 0


@kernel
def move_is_legal(state: Words, shape: int, rank: int, one: int, two: int) -> bool:
    """Whether the seat to act may make this move; any four integers may be asked about."""
    if shape == PASS:
        return state[lay.V_BEAT_SEAT] >= 0 and rank == 0 and one == 0 and two == 0
    seat = state[lay.V_TURN]
    if shape < PASS or not contains(
        state[lay.S_HANDS + 2 * seat], state[lay.S_HANDS + 2 * seat + 1], one, two
    ):
        return False
    level = state[lay.V_LEVEL]
    max_bomb = state[lay.V_RULES + lay.R_MAX_BOMB]
    joker_pair = state[lay.V_RULES + lay.R_JOKER_PAIR]
    if not is_declaration(shape, rank, one, two, level, max_bomb, joker_pair):
        return False
    strength = strength_of(shape, rank, count_cards(one, two), level)
    return outranks(kind_of(shape), strength, state[lay.V_BEAT_KIND], state[lay.V_BEAT_STRENGTH])


@kernel
def apply_move(state: Words, shape: int, rank: int, one: int, two: int) -> None:
    """Play these cards, declared as ``shape`` of ``rank``, for the seat to act."""
    if not make_move(state, state[lay.V_TURN], shape, rank, one, two):
        _next_turn(state)


@opened
def make_move(state: Words, seat: int, shape: int, rank: int, one: int, two: int) -> bool:
    """`apply_move` without turning to the next seat; returns whether the deal is done."""
    size = count_cards(one, two)
    level = state[lay.V_LEVEL]
    lead = state[lay.V_BEAT_SEAT] < 0
    packed = (
        seat
        | shape << lay.H_SHAPE
        | rank << lay.H_RANK
        | size << lay.H_SIZE
        | state[lay.V_PASSED] << lay.H_PASSES
        | lead << lay.H_LEAD
    )
    plies = state[lay.V_PLIES]
    at = index(lay.V_HISTORY + lay.HISTORY_WIDTH * plies)
    state[at] = packed
    state[at + ONE] = one
    state[at + TWO] = two
    hand = index(lay.S_HANDS + 2 * seat)
    left_one, left_two = remove(state[hand], state[hand + ONE], one, two)
    state[hand] = left_one
    state[hand + ONE] = left_two
    played = index(lay.V_PLAYED + 2 * seat)
    before = state[played]
    # Cards are played one set at a time, so what is there twice is the overlap of old and new.
    state[played + ONE] |= two | (before & one)
    state[played] = before | one
    state[index(lay.V_COUNTS + seat)] -= size
    if state[lay.S_BOMBERS] >> seat & 1:
        bombs = count_all_bombs(left_one, left_two, level, state[lay.V_RULES + lay.R_MAX_BOMB])
        state[index(lay.S_BOMBS + seat)] = bombs
        if bombs == 0:
            state[lay.S_BOMBERS] &= ~(1 << seat)
    state[lay.V_PLIES] = plies + 1
    state[lay.V_BEAT_SEAT] = seat
    state[lay.V_BEAT_SHAPE] = shape
    state[lay.V_BEAT_RANK] = rank
    state[lay.V_BEAT_ONE] = one
    state[lay.V_BEAT_TWO] = two
    state[lay.V_BEAT_KIND] = kind_of(shape)
    state[lay.V_BEAT_STRENGTH] = strength_of(shape, rank, size, level)
    state[lay.V_PASSED] = 0
    state[lay.S_CHOSE_TO_PASS] = 0
    return left_one == 0 and _go_out(state, seat)


@kernel
def _go_out(state: Words, seat: int) -> bool:
    """The seat has played its last card; returns whether that ends the deal, its team being out.

    Then whoever is left finishes in order of seat (after a sweep nothing may depend on it).
    """
    state[lay.S_ACTIVE] &= ~(1 << seat)
    state[lay.V_FINISH + state[lay.V_OUT]] = seat
    state[lay.V_OUT] += 1
    if state[lay.V_COUNTS + (seat ^ 2)]:
        return False
    for other in range(4):
        if state[lay.V_COUNTS + other]:
            state[lay.V_FINISH + state[lay.V_OUT]] = other
            state[lay.V_OUT] += 1
    state[lay.V_PHASE] = lay.PHASE_DONE
    return True


@kernel
def apply_pass(state: Words) -> None:
    """Pass for the seat to act."""
    make_pass(state, state[lay.V_TURN])
    _next_turn(state)


@opened
def make_pass(state: Words, seat: int) -> None:
    """`apply_pass` without turning to the next seat."""
    state[lay.V_PASSED] |= 1 << seat
    if state[lay.V_RULES + lay.R_PASS_LOCKS]:
        state[lay.V_LOCKED] |= 1 << seat


@opened
def _next_turn(state: Words) -> None:
    """Turn to the next seat that may still answer; if there is none, the trick is over."""
    last = state[lay.V_BEAT_SEAT]
    first = state[lay.V_TURN] + 1
    asked = state[lay.S_ACTIVE] & ~(state[lay.V_PASSED] | state[lay.V_LOCKED] | 1 << last)
    ahead = (asked | asked << 4) >> first & 7
    if ahead:
        state[lay.V_TURN] = first + trailing_zeros(ahead) & 3
    else:
        _end_trick(state, last, state[lay.V_PASSED])


@opened
def _end_trick(state: Words, last: int, passed: int) -> int:
    """All others have passed: the winner of the trick leads, or if it is out its partner, who had a
    normal turn to beat the play before. Returns the leader.
    """
    leader = last if state[lay.S_ACTIVE] >> last & 1 else last ^ 2
    state[lay.V_PASSED] = passed
    state[lay.V_TURN] = leader
    _clear_trick(state)
    return leader


@opened
def turn_to_choice(state: Words, seat: int) -> tuple[int, int]:
    """Turn from ``seat``, which has just moved, to the next seat that has a choice; those between
    pass. Where nobody has an answer the trick is over.

    Returns that seat and its V_ANSWERS. The same as `apply_pass` for one seat after another that
    has no answer, in one sweep.
    """
    last = state[lay.V_BEAT_SEAT]
    level = state[lay.V_LEVEL]
    kind = state[lay.V_BEAT_KIND]
    passed = state[lay.V_PASSED]
    asked = state[lay.S_ACTIVE] & ~(passed | state[lay.V_LOCKED] | 1 << last)
    # The seats of which that is not known have to be looked at.
    able = state[lay.S_BOMBERS]
    above = BEATS[index(16 * level + state[lay.V_BEAT_RANK])]
    if kind == SINGLE:
        # The commonest question: for all seats at once.
        for other in range(4):
            able |= ((state[lay.S_HANDS + 2 * other] & above) != 0) << other
    elif kind != BOMB:
        able = 15
    able &= asked
    first = seat + 1
    ahead = (able | able << 4) >> first & 7
    while ahead:
        steps = trailing_zeros(ahead)
        ahead &= ahead - 1
        other = first + steps & 3
        hand = index(lay.S_HANDS + 2 * other)
        bombs = state[index(lay.S_BOMBS + other)]
        if kind == SINGLE:
            answers = popcount(state[hand] & above)
        else:
            answers = count_answers(
                state[hand],
                state[hand + ONE],
                level,
                kind,
                state[lay.V_BEAT_STRENGTH],
                state[lay.V_RULES + lay.R_MAX_BOMB],
                state[lay.V_RULES + lay.R_JOKER_PAIR],
                bombs,
            )
            if answers == 0 and (bombs == 0 or kind == BOMB):
                continue
        between = (1 << steps) - 1 << first
        passed |= asked & (between | between >> 4)
        state[lay.V_TURN] = other
        state[lay.V_PASSED] = passed
        if state[lay.V_RULES + lay.R_PASS_LOCKS]:
            state[lay.V_LOCKED] |= passed
        return other, answers
    return _end_trick(state, last, passed | asked), 0


@kernel
def fill_view(state: Words, view: Words, seat: int, key: int, answers: int) -> None:
    """Bring ``view`` (int64[VIEW_SIZE]) up to date for ``seat``: the public words, its own hand,
    its ``key`` and V_ANSWERS.

    ``view`` must have been filled from this state before in the same deal, or be zero: what it has
    is not copied again. Cards returned stay hidden from those who may not see them, and from all
    others until play starts.
    """
    _fill_private_words(state, view, seat, key, answers)
    if view[lay.V_PHASE] == lay.PHASE_PLAY == state[lay.V_PHASE] and not _hides_returns(state):
        # Since the view's last filling only plays and passes can have changed anything.
        for i in range(lay.V_TURN, lay.V_PREVIOUS):
            view[i] = state[i]
    else:
        view[lay.V_VERSION] = lay.VIEW_VERSION
        for i in range(lay.V_PHASE, lay.V_PLIES):
            view[i] = state[i]
        shown = state[lay.V_RULES + lay.R_RETURN_VISIBLE] and state[lay.V_PHASE] >= lay.PHASE_PLAY
        _lay_returns(state, view, seat, shown != 0)
    at = lay.V_HISTORY + lay.HISTORY_WIDTH * view[lay.V_PLIES]
    view[lay.V_PLIES] = state[lay.V_PLIES]
    for i in range(at, lay.V_HISTORY + lay.HISTORY_WIDTH * state[lay.V_PLIES]):
        view[index(i)] = state[index(i)]


@opened
def show(state: Words, view: Words, seat: int, key: int, answers: int) -> Words:
    """`fill_view` for bots of our own, which read no further than a view goes: as a rule the state
    itself, whose first words are laid out alike, so that nothing has to be copied.
    """
    if state[lay.V_PHASE] != lay.PHASE_PLAY:
        fill_view(state, view, seat, key, answers)
        return view
    if _hides_returns(state):
        _lay_returns(state, state, seat, False)
    _fill_private_words(state, state, seat, key, answers)
    return state


@kernel
def forget_shown(state: Words) -> None:
    """Undo what `show` and the loop have left in the state."""
    for i in range(lay.V_SEAT, lay.V_PHASE):
        state[i] = 0
    for i in range(4):
        state[lay.S_KEYS + i] = 0
    _lay_returns(state, state, 0, True)


@kernel
def _lay_returns(state: Words, view: Words, seat: int, shown: bool) -> None:
    """Lay in ``view``, which may be the state itself, the returned cards that ``seat`` may see: all
    if they are shown to everybody, else those that it gave or received.
    """
    for number in range(2):
        row = number * lay.V_TRIBUTE_WIDTH
        # Without a branch, which the processor would often foresee wrongly.
        seen = shown | (state[lay.V_GIVER + row] == seat) | (state[lay.V_RECEIVER + row] == seat)
        view[lay.V_RETURNED + row] = state[lay.S_RETURNED + number] * seen


@opened
def _fill_private_words(state: Words, view: Words, seat: int, key: int, answers: int) -> None:
    hand = index(lay.S_HANDS + 2 * seat)
    view[lay.V_SEAT] = seat
    view[lay.V_KEY] = key
    view[lay.V_ONE] = state[hand]
    view[lay.V_TWO] = state[hand + ONE]
    view[lay.V_BOMBS] = state[index(lay.S_BOMBS + seat)]
    view[lay.V_ANSWERS] = answers


@opened
def _hides_returns(state: Words) -> bool:
    """Whether there are returned cards that not every seat may see in play."""
    paid = state[lay.V_GIVER] != state[lay.V_RECEIVER]
    return paid and not state[lay.V_RULES + lay.R_RETURN_VISIBLE]


@kernel
def clear_view(view: Words) -> None:
    """Make ``view`` ready for a new deal: no play of another one is left in it."""
    for i in range(lay.V_HISTORY, lay.V_HISTORY + lay.HISTORY_WIDTH * view[lay.V_PLIES]):
        view[index(i)] = 0
    view[lay.V_PHASE] = lay.PHASE_SETUP
    view[lay.V_PLIES] = 0
