"""`Deal` and `Match` to play by hand, over the same transitions as the compiled loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from . import layout as lay
from .bitboard import contains
from .bots import BotName, bots_by_seat
from .cards import (
    CARD_CODES,
    CARD_NUMBERS,
    RANK_WORDS,
    Cards,
    card_codes,
    cards_to_words,
    hand_to_words,
    parse_cards,
    parse_level,
    words_to_cards,
)
from .checks import check_seat, check_seed
from .deal import (
    apply_move,
    apply_pass,
    clear_deal,
    fill_view,
    has_choice,
    move_is_legal,
    start_play,
)
from .errors import AmbiguousMoveError, HandError, IllegalMoveError, OptionError
from .history import history
from .match import begin, finish_deal, match_is_over, start_deal, start_match, start_single_deal
from .moves import PASS_MOVE, Move, check_declaration, moves_of_hand, readings
from .playing import Player
from .rng import word
from .rules import Rules, resolve_rules
from .tribute import apply_return, apply_tribute, choice_mask
from .view import View

__all__ = ["Deal", "Match"]

Hands = Sequence[Cards]

_PHASES = {
    lay.PHASE_TRIBUTE: "tribute",
    lay.PHASE_RETURN: "return",
    lay.PHASE_PLAY: "play",
    lay.PHASE_DONE: "done",
}


class _Table:
    """What a deal and a match share: a state, who is to act, and plays checked with errors that say
    what is wrong.
    """

    _state: np.ndarray

    def _new_state(self, rules: Rules) -> None:
        self._state = np.zeros(lay.STATE_SIZE, np.int64)
        self._state[lay.V_RULES : lay.V_RULES + lay.RULES_SIZE] = rules.words()
        self._rules = rules

    def copy(self) -> Self:
        """An independent copy: what is played on one does not show on the other."""
        other = self.__class__.__new__(self.__class__)
        other.__dict__.update(self.__dict__)
        other._state = self._state.copy()
        return other

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
        seat = self._seat_to_play()
        kind, strength = self._state[lay.V_BEAT_KIND : lay.V_BEAT_STRENGTH + 1].tolist()
        rules = self._state[lay.V_RULES : lay.V_RULES + lay.RULES_SIZE]
        level = int(self._state[lay.V_LEVEL])
        moves = moves_of_hand(*self._hand(seat), level, kind, strength, rules)
        return moves if self._state[lay.V_BEAT_SEAT] < 0 else [PASS_MOVE, *moves]

    def view(self, seat: int | None = None) -> View:
        """What ``seat`` (default: the seat to act) may see now, with the random key of its next
        decision.
        """
        looker = check_seat(self._state[lay.V_TURN].item() if seat is None else seat)
        view = np.zeros(lay.VIEW_SIZE, np.int64)
        done = int(self._state[lay.S_DECISIONS + looker])
        key = word(int(self._state[lay.S_STREAMS + looker]), done)
        fill_view(self._state, view, looker, key)
        return View.from_words(view)

    def _seat_to_play(self) -> int:
        phase = _PHASES[int(self._state[lay.V_PHASE])]
        if phase != "play":
            what = "the deal is done" if phase == "done" else f"a card to {phase[:6]} is due first"
            raise IllegalMoveError(f"no move can be played: {what}")
        return int(self._state[lay.V_TURN])

    def _play(self, move: Move | str) -> None:
        seat = self._seat_to_play()
        if not isinstance(move, Move):
            move = self._parse(move)
        if move.shape == "pass":
            self._pass()
            return
        words = move.words
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


class Deal(_Table):
    """One deal, played move by move.

    ``seed`` and ``number`` name the pack: the same as deal ``number`` of a run of independent
    deals. ``hands``: four hands of up to 27 cards (an empty one is out already), each text or a
    list of codes. ``leader``: by default drawn as the rules say; for given hands of fewer than 27
    cards the first seat that holds any.

    >>> deal = Deal(level="2", hands=["S3 S4", "D3 D5", "C7 C8", "H9 HT"], leader=0)
    >>> deal.play("single 4: S4"); deal.play("single 5: D5"); deal.to_move
    2
    """

    def __init__(
        self,
        seed: int = 0,
        level: str = "2",
        rules: Rules | str = "guide",
        hands: Hands | None = None,
        leader: int | None = None,
        number: int = 0,
    ) -> None:
        self._new_state(resolve_rules(rules))
        rank = parse_level(level)
        start_single_deal(self._state, check_seed(seed), check_seed(number), rank, -1, 0)
        if hands is not None:
            self._take_hands(hands, rank)
        if leader is not None:
            if self._state[lay.V_COUNTS + check_seat(leader, "leader")] == 0:
                raise OptionError(f"leader is seat {leader}, which has no cards")
            self._state[lay.V_MARKED] = 0
            self._state[lay.V_OWNER] = leader & 1
            start_play(self._state, leader)

    def _take_hands(self, hands: Hands, level: int) -> None:
        texts = list(hands)
        if len(texts) != 4:
            raise HandError(f"{len(texts)} hands were given; there are four seats")
        words = [hand_to_words(h, name=f"hand of seat {s}") for s, h in enumerate(texts)]
        everything = [code for h in texts for code in parse_cards(h)]
        cards_to_words(everything, name="the four hands together")
        counts = [one.bit_count() + two.bit_count() for one, two in words]
        for seat in range(2):
            if counts[seat] + counts[seat ^ 2] == 0:
                raise HandError(
                    f"seats {seat} and {seat + 2} have no cards; the deal would be over"
                )
        clear_deal(self._state)
        self._state[lay.S_HANDS : lay.S_HANDS + 8] = [w for pair in words for w in pair]
        begin(self._state, level)
        if min(counts) < 27:
            first = next(s for s in range(4) if counts[s])
            self._state[lay.V_MARKED] = 0
            self._state[lay.V_OWNER] = first & 1
            start_play(self._state, first)
        for seat in range(4):
            if counts[seat] == 0:
                self._state[lay.V_FINISH + self._state[lay.V_OUT]] = seat
                self._state[lay.V_OUT] += 1

    @property
    def done(self) -> bool:
        """Whether a team has gone out."""
        return bool(self._state[lay.V_PHASE] == lay.PHASE_DONE)

    def play(self, move: Move | str) -> None:
        """Play a `Move`, its text, or bare cards if only one reading of them is legal, for the seat
        to move.

        Raises `IllegalMoveError` with the reason, `AmbiguousMoveError`, `MoveParseError`,
        `CardParseError`. The deal stays as it was then.
        """
        self._play(move)

    def pass_(self) -> None:
        """Pass for the seat to move; `IllegalMoveError` if it leads."""
        self._pass()

    def play_out(self, bots: BotName | Sequence[BotName]) -> None:
        """Let bots (one name for all, two for the teams, four by seat) play to the end in the
        compiled loop.
        """
        Player(bots_by_seat(bots)).play_out(self._state)


class Match(_Table):
    """A whole match, tributes and all. ``bots`` (as in `simulate`) are needed for `play_deal` only.

    An outside player asks `phase` and `options` and answers with `step`: a card code when the phase
    is "tribute" or "return", a move in "play". ``number`` is the set that the match is in a run of
    the same seed.

    >>> match = Match(seed=1)
    >>> match.phase, match.levels, len(match.hands[0])
    ('play', ('2', '2'), 27)
    """

    def __init__(
        self,
        seed: int = 0,
        rules: Rules | str = "guide",
        bots: BotName | Sequence[BotName] | None = None,
        number: int = 0,
    ) -> None:
        self._new_state(resolve_rules(rules))
        self._player = None if bots is None else Player(bots_by_seat(bots))
        start_match(self._state, check_seed(seed), check_seed(number))
        start_deal(self._state)

    @property
    def levels(self) -> tuple[str, str]:
        """The level of each team."""
        a, b = self._state[lay.V_LEVELS : lay.V_LEVELS + 2]
        return RANK_WORDS[a], RANK_WORDS[b]

    @property
    def owner(self) -> int:
        """The team whose level is played."""
        return int(self._state[lay.V_OWNER])

    @property
    def deals(self) -> int:
        """Deals finished."""
        return int(self._state[lay.S_DEALS])

    @property
    def winner(self) -> int | None:
        """The team that has won the match; None while it goes on, or when it was cut off."""
        team = int(self._state[lay.S_WINNER])
        return team if team >= 0 else None

    @property
    def truncated(self) -> bool:
        """Whether the cap on deals ended the match without a winner."""
        return bool(self._state[lay.S_TRUNCATED])

    @property
    def phase(self) -> str:
        """What is due: "tribute", "return", "play", or "done" when the match is over."""
        return _PHASES[int(self._state[lay.V_PHASE])]

    @property
    def tributes(self) -> list[tuple[int, int, str, str]]:
        """This deal's tributes that have changed hands: (giver, receiver, card, card returned or
        "").
        """
        rows = self._state[lay.V_GIVER : lay.V_RULES].reshape(-1, lay.V_TRIBUTE_WIDTH).tolist()
        return [(g, r, CARD_CODES[c], CARD_CODES.get(b, "")) for g, r, c, b in rows if c]

    def options(self) -> list[str] | list[Move]:
        """What the seat to act may choose: card codes for a tribute or return, moves in play,
        nothing when done.
        """
        if self.phase == "done":
            return []
        if self.phase == "play":
            return self.legal_moves()
        seat = int(self._state[lay.V_TURN])
        return card_codes(int(choice_mask(self._state, seat, self._hand(seat)[0])))

    def step(self, choice: Move | str) -> None:
        """Make a choice for the seat to act; the next deal is dealt as soon as one is done.

        Raises `IllegalMoveError` with the reason, and the errors of `Deal.play`.
        """
        if self.phase == "done":
            raise IllegalMoveError(f"the match is over; {self._outcome()}")
        if self.phase == "play":
            self._play(choice)
        else:
            self._give(str(choice))
        self._go_on()

    def play_deal(self) -> None:
        """Let the bots play this deal to its end, from wherever it stands."""
        if self._player is None:
            raise OptionError("this match has no bots; make it with Match(bots=...) or use step")
        if self.phase == "done":
            raise IllegalMoveError(f"the match is over; {self._outcome()}")
        self._player.play_out(self._state)
        self._go_on()

    def _go_on(self) -> None:
        if self._state[lay.V_PHASE] != lay.PHASE_DONE:
            return
        finish_deal(self._state)
        if not match_is_over(self._state):
            start_deal(self._state)

    def _outcome(self) -> str:
        return "it was cut off" if self.winner is None else f"team {self.winner} has won"
