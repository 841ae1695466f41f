"""`Deal` and `Match` to play by hand, over the same transitions as the compiled loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from . import layout as lay
from .bots import BotName, bots_by_seat
from .cards import (
    CARD_CODES,
    RANK_WORDS,
    Cards,
    card_codes,
    cards_to_words,
    hand_to_words,
    parse_cards,
    parse_level,
)
from .checks import check_seat, check_seed
from .deal import (
    clear_deal,
    set_hands,
    start_play,
)
from .errors import HandError, IllegalMoveError, OptionError
from .match import begin, finish_deal, match_is_over, start_deal, start_match, start_single_deal
from .moves import Move
from .playing import Player
from .rulefiles import RulesName, resolve_rules
from .steps import PHASES, Table
from .tribute import choice_mask

__all__ = ["Deal", "Match"]

Hands = Sequence[Cards]


class Deal(Table):
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
        rules: RulesName = "guide",
        hands: Hands | None = None,
        leader: int | None = None,
        number: int = 0,
    ) -> None:
        self._new_state(resolve_rules(rules))
        rank = parse_level(level)
        start_single_deal(self._state, check_seed(seed), check_seed(number, "number"), rank, -1, 0)
        if hands is not None:
            self._take_hands(hands, rank)
        if leader is not None:
            if self._state[lay.V_COUNTS + check_seat(leader, "leader")] == 0:
                raise OptionError(f"leader is seat {leader}, which has no cards")
            self._state[lay.V_MARKED] = 0
            self._state[lay.V_OWNER] = leader & 1
            start_play(self._state, leader)

    def _take_hands(self, hands: Hands, level: int) -> None:
        try:
            texts = [parse_cards(hand) for hand in hands]
        except TypeError:
            raise HandError(
                f"hands are {hands!r}; give four, each text or a list of codes"
            ) from None
        if len(texts) != 4:
            raise HandError(f"{len(texts)} hands were given; there are four seats")
        words = [hand_to_words(h, name=f"hand of seat {s}") for s, h in enumerate(texts)]
        everything = [code for hand in texts for code in hand]
        cards_to_words(everything, name="the four hands together")
        counts = [one.bit_count() + two.bit_count() for one, two in words]
        for seat in range(2):
            if counts[seat] + counts[seat ^ 2] == 0:
                raise HandError(
                    f"seats {seat} and {seat + 2} have no cards; the deal would be over"
                )
        streams = slice(lay.S_STREAMS, lay.S_STREAMS + 4)
        kept = self._state[streams].copy()
        clear_deal(self._state)
        self._state[streams] = kept
        self._state[lay.S_HANDS : lay.S_HANDS + 8] = [w for pair in words for w in pair]
        if min(counts) == 27:
            begin(self._state, level)
        else:
            first = next(s for s in range(4) if counts[s])
            set_hands(self._state)
            self._state[lay.V_LEVEL] = level
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


class Match(Table):
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
        rules: RulesName = "guide",
        bots: BotName | Sequence[BotName] | None = None,
        number: int = 0,
    ) -> None:
        self._new_state(resolve_rules(rules))
        self._player = None if bots is None else Player(bots_by_seat(bots))
        start_match(self._state, check_seed(seed), check_seed(number, "number"))
        start_deal(self._state)

    def copy(self) -> Self:
        """An independent copy, bots' memory included."""
        other = super().copy()
        if self._player is not None:
            other._player = Player(self._player.bots)
        return other

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
        return PHASES[int(self._state[lay.V_PHASE])]

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
