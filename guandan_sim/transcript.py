"""A finished deal as readable text, with what `planner` would have thought of it if wanted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat

import numpy as np

from . import layout as lay
from .bitboard import add_card, count_cards, remove
from .bots.planner import DESK_SIZE
from .cards import CARD_CODES, RANK_WORDS, words_to_cards
from .deal import answers_of, apply_move, apply_pass, fill_view, start_play
from .history import history
from .match import LAST_DRAWER, finish_deal, last_drawer_turner
from .thinking import note_choice, thoughts
from .view import View

__all__ = ["transcript", "views"]


def transcript(
    state: np.ndarray, names: Sequence[str], arm: str | None = None, thinking: bool = False
) -> str:
    """The deal in ``state``, which is done but not settled, as text; ``names`` are the bots' by
    seat, ``arm`` is told if there is one. ``thinking``: each decision in play is followed by what
    `planner` thinks of it, whoever made it.
    """
    return "\n".join(_lines(state, names, arm, thinking))


def _lines(
    state: np.ndarray, names: Sequence[str], arm: str | None, thinking: bool
) -> Iterator[str]:
    owner = int(state[lay.V_OWNER])
    levels = [RANK_WORDS[x] for x in state[lay.V_LEVELS : lay.V_LEVELS + 2]]
    yield (
        f"set {state[lay.S_SET]}{'' if arm is None else f', arm {arm}'}, "
        f"deal {state[lay.V_DEAL]}: level {RANK_WORDS[state[lay.V_LEVEL]]} of team {owner} "
        f"(levels: team 0 {levels[0]}, team 1 {levels[1]})"
    )
    for seat in range(4):
        yield f"  seat {seat} ({names[seat]}): {' '.join(words_to_cards(*_dealt(state, seat)))}"
    yield from _tribute_lines(state)
    yield f"seat {state[lay.V_LEADER]} leads"
    left = [len(words_to_cards(*_dealt(state, seat))) for seat in range(4)]
    for giver, receiver, _, returned in _transfers(state):
        left[giver] += -1 + (returned > 0)
        left[receiver] += 1 - (returned > 0)
    order = state[lay.V_FINISH : lay.V_FINISH + 4].tolist()
    seen = views(state) if thinking else repeat(None)
    memories = np.zeros((4, DESK_SIZE), np.int64)
    for (seat, move), view in zip(history(state), seen, strict=False):
        left[seat] -= len(move.cards)
        note = ""
        if move.cards and left[seat] == 0:
            place = ("first", "second", "third", "last")[order.index(seat)]
            note = f"  [out {place}]"
        elif move.cards and left[seat] <= 10:
            note = f"  [{left[seat]} left]"
        yield f"  {seat}  {move}{note}"
        if view is not None and view.has_choice:
            thought = thoughts(view, memories[seat])
            yield from (f"         {line}" for line in thought.lines(move))
            for choice in thought.choices:
                if choice.move == move:
                    note_choice(memories[seat], choice)
    settled = state.copy()
    finish_deal(settled)
    after = [RANK_WORDS[x] for x in settled[lay.V_LEVELS : lay.V_LEVELS + 2]]
    result = (
        f"order {' '.join(map(str, order))}: team {order[0] & 1} wins, worth {settled[lay.S_GAIN]}"
    )
    if settled[lay.S_WINNER] >= 0:
        result += "; it wins the match"
    yield f"{result} (levels: team 0 {after[0]}, team 1 {after[1]})"


def _dealt(state: np.ndarray, seat: int) -> tuple[int, int]:
    one, two = state[lay.S_DEALT + 2 * seat : lay.S_DEALT + 2 * seat + 2].tolist()
    return one, two


def _transfers(state: np.ndarray) -> list[list[int]]:
    if state[lay.V_CANCELLED]:
        return []
    rows: list[list[int]] = (
        state[lay.V_GIVER : lay.V_RULES].reshape(-1, lay.V_TRIBUTE_WIDTH).tolist()
    )
    return rows[: int(state[lay.V_TRIBUTE])]


def _tribute_lines(state: np.ndarray) -> Iterator[str]:
    if state[lay.V_PREVIOUS] < 0:
        yield from _opening_lines(state)
        return
    before = " ".join(str(s) for s in state[lay.V_PREVIOUS : lay.V_PREVIOUS + 4])
    if state[lay.V_TRIBUTE] == 0:
        yield f"no tribute (order before: {before}): seat {int(state[lay.V_LEADER])} leads"
        return
    kind = ("", "single", "double")[state[lay.V_TRIBUTE]]
    if state[lay.V_CANCELLED]:
        yield f"{kind} tribute (order before: {before}), cancelled by both red jokers"
        return
    yield f"{kind} tribute (order before: {before})"
    for giver, receiver, card, returned in _transfers(state):
        yield (
            f"  seat {giver} gives {CARD_CODES[card]} to seat {receiver}, "
            f"which returns {CARD_CODES[returned]}"
        )


def _opening_lines(state: np.ndarray) -> Iterator[str]:
    """How the leader of a deal without one before it was found."""
    marked, leader = int(state[lay.V_MARKED]), int(state[lay.V_LEADER])
    if marked == 0:
        yield f"seat {leader} was drawn to lead"
        return
    if state[lay.V_RULES + lay.R_OPENING_LEADER] != LAST_DRAWER:
        yield f"{CARD_CODES[marked]} was marked; seat {leader} was dealt it"
        return
    turner = last_drawer_turner(leader, marked)
    yield (
        f"seat {turner} turned up {CARD_CODES[marked]}: counted from there, "
        f"seat {(leader + 1) % 4} drew first and seat {leader} last"
    )


def views(state: np.ndarray) -> Iterator[View]:
    """What each seat saw that played or passed in the deal in ``state``, in order; each is valid
    until the next.
    """
    whole = list(history(state))
    state = _as_play_began(state)
    words = np.zeros(lay.VIEW_SIZE, np.int64)
    for seat, move in whole:
        fill_view(state, words, seat, 0, int(answers_of(state, seat)))
        yield View.from_words(words)
        if move.cards:
            apply_move(state, *move.words)
        else:
            apply_pass(state)


def _as_play_began(state: np.ndarray) -> np.ndarray:
    """The deal in ``state`` once more, before its first play."""
    begun = state.copy()
    begun[lay.V_HISTORY : lay.S_HANDS] = 0
    begun[lay.V_PLIES] = 0
    begun[lay.V_BEAT_SHAPE : lay.V_FINISH] = 0
    begun[[lay.V_BEAT_SEAT, *range(lay.V_FINISH, lay.V_FINISH + 4)]] = -1
    begun[lay.S_HANDS : lay.S_HANDS + 8] = begun[lay.S_DEALT : lay.S_DEALT + 8]
    for giver, receiver, card, returned in _transfers(state):
        for source, target, number in ((giver, receiver, card), (receiver, giver, returned)):
            hand = slice(lay.S_HANDS + 2 * source, lay.S_HANDS + 2 * source + 2)
            begun[hand] = remove(*begun[hand].tolist(), 1 << number, 0)
            hand = slice(lay.S_HANDS + 2 * target, lay.S_HANDS + 2 * target + 2)
            begun[hand] = add_card(*begun[hand].tolist(), number)
    for seat in range(4):
        one, two = begun[lay.S_HANDS + 2 * seat : lay.S_HANDS + 2 * seat + 2].tolist()
        begun[lay.V_COUNTS + seat] = count_cards(one, two)
    start_play(begun, int(begun[lay.V_LEADER]))
    return begun
