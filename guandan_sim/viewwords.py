"""The words of a view from what one says of a position: `guandan_sim.View` checks and packs it
here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from . import layout as lay
from .cards import Cards, cards_to_words, hand_to_words, parse_cards, parse_level
from .checks import check_seat
from .errors import OptionError
from .movegen import count_all_bombs, count_answers
from .moves import PASS_MOVE, Move, check_declaration
from .rules import Rules
from .shapes import kind_of, strength_of

__all__ = ["History", "view_words"]

History = Iterable[tuple[int, Move | str]]


def view_words(
    hand: Cards,
    level: str,
    seat: int,
    to_beat: Move | str | None,
    to_beat_seat: int | None,
    leader: int,
    counts: Sequence[int] | None,
    played: Sequence[Cards] | None,
    passed: Iterable[int],
    levels: tuple[str, str] | None,
    owner: int,
    rules: Rules,
    history: History | None,
) -> np.ndarray:
    """int64[VIEW_SIZE] as `layout` lays it out, in play. The arguments and errors are those of
    `View`.
    """
    hand = parse_cards(hand)
    number = parse_level(level)
    words = np.zeros(lay.VIEW_SIZE, np.int64)
    words[lay.V_VERSION] = lay.VIEW_VERSION
    words[lay.V_SEAT] = check_seat(seat)
    words[lay.V_LEVEL] = number
    one, two = hand_to_words(hand, most=28)
    words[lay.V_ONE], words[lay.V_TWO] = one, two
    words[lay.V_RULES : lay.V_RULES + lay.RULES_SIZE] = rules.words()
    words[lay.V_BOMBS] = count_all_bombs(one, two, number, rules.max_bomb)
    words[lay.V_PHASE] = lay.PHASE_PLAY
    words[lay.V_LEADER] = check_seat(leader, "leader")
    words[lay.V_TURN] = seat
    if owner not in (0, 1):
        raise OptionError(f"owner is {owner!r}; teams are 0 (seats 0 and 2) and 1")
    words[lay.V_OWNER] = owner
    levels = (level, level) if levels is None else levels
    if isinstance(levels, str) or len(levels) != 2:
        raise OptionError(f"levels {levels!r} must have one value a team")
    words[lay.V_LEVELS : lay.V_LEVELS + 2] = [parse_level(x) for x in levels]
    words[lay.V_FINISH : lay.V_FINISH + 4] = -1
    words[lay.V_PREVIOUS : lay.V_PREVIOUS + 4] = -1
    words[lay.V_BEAT_SEAT] = -1
    for other in passed:
        words[lay.V_PASSED] |= 1 << check_seat(other, "passed")
    beater = (seat + 3) % 4 if to_beat_seat is None else to_beat_seat
    _set_beat(words, _as_move(to_beat, level), beater, level, rules)
    record = _record(history, level)
    _set_history(words, record, rules)
    if played is None:
        by_seat: list[list[str]] = [[], [], [], []]
        for who, move in record:
            by_seat[who] += move.cards
        played = by_seat
    _set_counts(words, hand, counts, played, [who for who, move in record if move.cards])
    words[lay.V_ANSWERS] = count_answers(
        one,
        two,
        number,
        int(words[lay.V_BEAT_KIND]),
        int(words[lay.V_BEAT_STRENGTH]),
        rules.max_bomb,
        int(rules.full_house_joker_pair),
        int(words[lay.V_BOMBS]),
    )
    return words


def _set_beat(words: np.ndarray, move: Move, seat: int, level: str, rules: Rules) -> None:
    if move.shape == "pass":
        return
    check_declaration(move, level, rules)
    shape, rank, one, two = move.words
    words[lay.V_BEAT_SEAT] = check_seat(seat, "to_beat_seat")
    words[lay.V_BEAT_SHAPE : lay.V_BEAT_TWO + 1] = shape, rank, one, two
    words[lay.V_BEAT_KIND] = kind_of(shape)
    words[lay.V_BEAT_STRENGTH] = strength_of(shape, rank, len(move.cards), int(words[lay.V_LEVEL]))


def _set_history(words: np.ndarray, record: list[tuple[int, Move]], rules: Rules) -> None:
    plays = [(seat, move) for seat, move in record if move.shape != "pass"]
    if len(plays) > lay.MAX_PLIES:
        raise OptionError(f"history has {len(plays)} plays; a deal has at most {lay.MAX_PLIES}")
    passes = 0
    locked = int(words[lay.V_PASSED])
    ply = 0
    last: int | None = None
    for seat, move in record:
        if move.shape == "pass":
            passes |= 1 << seat
            locked |= 1 << seat
            continue
        shape, rank, one, two = move.words
        # Who plays again without a play between leads: the trick was won, by this seat or a
        # partner now out.
        # Where passes lock, a pass since the trick began tells the same of the partner.
        barred = locked if rules.pass_locks else passes
        lead = last is None or seat == last or barred >> seat & 1 == 1
        if lead:
            locked = 0
        at = lay.V_HISTORY + lay.HISTORY_WIDTH * ply
        words[at] = (
            seat
            | shape << lay.H_SHAPE
            | rank << lay.H_RANK
            | len(move.cards) << lay.H_SIZE
            | passes << lay.H_PASSES
            | int(lead) << lay.H_LEAD
        )
        words[at + 1], words[at + 2] = one, two
        ply += 1
        passes = 0
        last = seat
    words[lay.V_PLIES] = ply
    if rules.pass_locks and words[lay.V_BEAT_SEAT] >= 0:
        words[lay.V_LOCKED] = locked


def _set_counts(
    words: np.ndarray,
    hand: list[str],
    counts: Sequence[int] | None,
    played: Sequence[Cards],
    players: list[int],
) -> None:
    """Cards played and left; ``players`` are the seats of the plays in order, which tell who
    was out first.
    """
    if len(played) != 4:
        raise OptionError(f"played has {len(played)} entries; one for each of the four seats")
    own = len(hand)
    everything = list(hand)
    for seat, cards in enumerate(played):
        at = lay.V_PLAYED + 2 * seat
        words[at], words[at + 1] = cards_to_words(cards, name=f"played by seat {seat}")
        everything += parse_cards(cards)
    cards_to_words(everything, name="hand and played cards together")
    if counts is None:
        counts = [27 - len(parse_cards(cards)) for cards in played]
    if (
        not isinstance(counts, Sequence | np.ndarray)
        or len(counts) != 4
        or not all(isinstance(n, int | np.integer) and 0 <= n <= 28 for n in counts)
    ):
        raise OptionError(f"counts are {counts!r}; give the cards left in each of four hands")
    words[lay.V_COUNTS : lay.V_COUNTS + 4] = counts
    words[lay.V_COUNTS + int(words[lay.V_SEAT])] = own
    out = [s for s in range(4) if words[lay.V_COUNTS + s] == 0]
    out.sort(key=lambda s: len(players) - players[::-1].index(s) if s in players else -1)
    words[lay.V_OUT] = len(out)
    words[lay.V_FINISH : lay.V_FINISH + len(out)] = out


def _record(history: History | None, level: str) -> list[tuple[int, Move]]:
    try:
        pairs = [(seat, move) for seat, move in history or ()]
    except (TypeError, ValueError):
        raise OptionError(f"history is {history!r}; give pairs of a seat and a move") from None
    return [(check_seat(seat, "history seat"), _as_move(move, level)) for seat, move in pairs]


def _as_move(move: Move | str | None, level: str) -> Move:
    if move is None:
        return PASS_MOVE
    return move if isinstance(move, Move) else Move.parse(move, level)
