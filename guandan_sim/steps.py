"""What a deal and a match at the table share: a state, who is to act, and checked steps of play."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from . import layout as lay
from .bitboard import contains
from .cards import (
    CARD_NUMBERS,
    RANK_WORDS,
    card_codes,
    parse_cards,
    words_to_cards,
)
from .checks import check_seat
from .deal import (
    answers_of,
    apply_move,
    apply_pass,
    fill_view,
    has_choice,
    move_is_legal,
)
from .errors import AmbiguousMoveError, HandError, IllegalMoveError
from .history import history
from .moves import Move, check_declaration, readings
from .rng import word
from .rules import Rules, new_state
from .tribute import apply_return, apply_tribute, choice_mask
from .view import PHASES, View

__all__ = ["PHASES", "Table"]


class Table:
    """What a deal and a match share: a state, who is to act, and plays checked with errors that say
    what is wrong.
    """

    _state: np.ndarray

    def _new_state(self, rules: Rules) -> None:
        self._state = new_state(rules)
        self._rules = rules

    def copy(self) -> Self:
        """An independent copy: what is played on one does not show on the other."""
        other = self.__class__.__new__(self.__class__)
        other.__dict__.update(self.__dict__)
        other._state = self._state.copy()
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    @property
    def state(self) -> np.ndarray:
        """A copy of the whole state, int64[STATE_SIZE] as `guandan_sim.layout` lays it out."""
        return self._state.copy()

    @property
    def rules(self) -> Rules:
        """The rules played by."""
        return self._rules

    @property
    def level(self) -> str:
        """The level of this deal."""
        return RANK_WORDS[int(self._state[lay.V_LEVEL])]

    @property
    def leader(self) -> int | None:
        """The seat that leads the first trick; None until tributes are settled."""
        seat = int(self._state[lay.V_LEADER])
        return seat if seat >= 0 else None

    @property
    def hands(self) -> tuple[tuple[str, ...], ...]:
        """The four hands now, card codes in display order."""
        return tuple(words_to_cards(*self._hand(seat)) for seat in range(4))

    @property
    def to_move(self) -> int | None:
        """The seat to act; None when the deal is done."""
        done = self._state[lay.V_PHASE] == lay.PHASE_DONE
        return None if done else int(self._state[lay.V_TURN])

    @property
    def to_beat(self) -> Move | None:
        """The play to beat; None for a free lead."""
        if self._state[lay.V_BEAT_SEAT] < 0:
            return None
        return Move.from_words(*self._state[lay.V_BEAT_SHAPE : lay.V_BEAT_TWO + 1].tolist())

    @property
    def finish_order(self) -> tuple[int, ...]:
        """Seats that are out, first out first; all four when the deal is done."""
        out = int(self._state[lay.V_OUT])
        return tuple(int(s) for s in self._state[lay.V_FINISH : lay.V_FINISH + out])

    @property
    def history(self) -> list[tuple[int, Move]]:
        """All plays and passes of this deal in order, as (seat, move)."""
        return list(history(self._state))

    def _hand(self, seat: int) -> tuple[int, int]:
        at = lay.S_HANDS + 2 * seat
        return int(self._state[at]), int(self._state[at + 1])

    def legal_moves(self) -> list[Move]:
        """Every legal move of the seat to move, the pass first unless it leads."""
        return self.view(self._seat_to_play()).legal_moves()

    def view(self, seat: int | None = None) -> View:
        """What ``seat`` (default: the seat to act) may see now, with the random key of its next
        decision.
        """
        looker = check_seat(self._state[lay.V_TURN].item() if seat is None else seat)
        view = np.zeros(lay.VIEW_SIZE, np.int64)
        done = int(self._state[lay.S_DECISIONS + looker])
        key = word(int(self._state[lay.S_STREAMS + looker]), done)
        fill_view(self._state, view, looker, key, answers_of(self._state, looker))
        return View.from_words(view)

    def _seat_to_play(self) -> int:
        phase = PHASES[int(self._state[lay.V_PHASE])]
        if phase != "play":
            verb = "return" if phase == "return" else "give"
            what = "the deal is done" if phase == "done" else f"a card to {verb} is due first"
            raise IllegalMoveError(f"no move can be played: {what}")
        return int(self._state[lay.V_TURN])

    def _play(self, move: Move | str) -> None:
        seat = self._seat_to_play()
        if not isinstance(move, Move):
            move = self._parse(move)
        if move.shape == "pass":
            self._pass()
            return
        try:
            words = move.words
        except HandError as error:
            raise IllegalMoveError(f"'{move}' cannot be played: {error}") from None
        if not move_is_legal(self._state, *words):
            self._explain(seat, move)
        if has_choice(self._state):
            self._state[lay.S_DECISIONS + seat] += 1
        apply_move(self._state, *words)

    def _pass(self) -> None:
        seat = self._seat_to_play()
        if self._state[lay.V_BEAT_SEAT] < 0:
            raise IllegalMoveError(
                f"seat {seat} leads and must play; a pass needs a play to answer"
            )
        if has_choice(self._state):
            self._state[lay.S_DECISIONS + seat] += 1
            self._state[lay.S_CHOSE_TO_PASS] |= 1 << seat
        apply_pass(self._state)

    def _parse(self, text: str) -> Move:
        """The move that ``text`` writes; bare cards may be ambiguous only among the moves that are
        legal now.
        """
        try:
            return Move.parse(text, self.level, self._rules)
        except AmbiguousMoveError:
            legal = [
                move
                for move in readings(text, self.level, self._rules)
                if move_is_legal(self._state, *move.words)
            ]
            if len(legal) != 1:
                raise
            return legal[0]

    def _explain(self, seat: int, move: Move) -> None:
        """Raise the error that says why ``move`` is not legal."""
        _, _, one, two = move.words
        held_one, held_two = self._hand(seat)
        if not contains(held_one, held_two, one, two):
            missing = sorted(
                {c for c in move.cards if move.cards.count(c) > self.hands[seat].count(c)}
            )
            raise IllegalMoveError(f"seat {seat} does not hold {' '.join(missing)} for '{move}'")
        check_declaration(move, self.level, self._rules)
        raise IllegalMoveError(f"'{move}' does not beat '{self.to_beat}' at level {self.level}")

    def _give(self, choice: str) -> None:
        """Give or return a card for the seat to act."""
        seat = int(self._state[lay.V_TURN])
        (code,) = parse_cards([choice])
        mask = int(choice_mask(self._state, seat, self._hand(seat)[0]))
        number = CARD_NUMBERS[code]
        giving = self._state[lay.V_PHASE] == lay.PHASE_TRIBUTE
        if not mask >> number & 1:
            verb = "give" if giving else "return"
            raise IllegalMoveError(
                f"seat {seat} may not {verb} {code}; it may {verb} {' or '.join(card_codes(mask))}"
            )
        if mask & (mask - 1):
            self._state[lay.S_DECISIONS + seat] += 1
        (apply_tribute if giving else apply_return)(self._state, number)
