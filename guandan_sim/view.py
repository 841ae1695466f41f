"""What a seat may see, as a Python object around the packed words that bots are given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from . import layout as lay
from .bitboard import contains
from .cards import (
    CARD_CODES,
    RANK_WORDS,
    Cards,
    cards_to_words,
    hand_to_words,
    parse_cards,
    parse_level,
    words_to_cards,
)
from .checks import check_seat
from .errors import HandError, OptionError
from .movegen import count_all_bombs, count_answers, count_moves
from .moves import PASS_MOVE, Move, check_declaration, moves_of_hand
from .rulefiles import RulesName, resolve_rules
from .rules import Rules
from .shapes import PASS, is_declaration, kind_of, outranks, strength_of

__all__ = ["View", "card_view"]

History = Iterable[tuple[int, Move | str]]


class View:
    """What one seat knows at one decision: `words`, int64[VIEW_SIZE] laid out as
    `guandan_sim.layout` says.

    Built by hand for a bot that plays outside our loop, or taken from a deal with ``deal.view()``.

    ``hand`` is the seat's own; ``to_beat`` the play to beat (None to lead) and ``to_beat_seat`` who
    made it (default: the seat before); ``leader`` the seat that led the deal's first trick;
    ``counts`` cards left by seat, where the own count is always that of ``hand``; ``played`` the
    cards played so far by seat (default: those of ``history``); ``passed`` the seats that passed
    since the play to beat; ``levels`` of the teams and ``owner``, the team whose level is played
    (default: both teams at ``level``); ``history`` the moves of the deal in order as (seat, move),
    passes among them.

    Raises `HandError` for a third copy of a card in hand and played cards together, `OptionError`
    for a wrong seat or count, and the errors of `legal_moves`.

    >>> View("S9 D9 H2", level="2", to_beat="pair 8: S8 C8", to_beat_seat=3).legal_moves()[1].rank
    '9'
    """

    def __init__(
        self,
        hand: Cards,
        level: str = "2",
        seat: int = 0,
        to_beat: Move | str | None = None,
        to_beat_seat: int | None = None,
        leader: int = 0,
        counts: Sequence[int] | None = None,
        played: Sequence[Cards] | None = None,
        passed: Iterable[int] = (),
        levels: tuple[str, str] | None = None,
        owner: int = 0,
        rules: RulesName = "guide",
        history: History | None = None,
    ) -> None:
        rules = resolve_rules(rules)
        hand = parse_cards(hand)
        words = np.zeros(lay.VIEW_SIZE, np.int64)
        self.words = words
        words[lay.V_VERSION] = lay.VIEW_VERSION
        words[lay.V_SEAT] = check_seat(seat)
        words[lay.V_LEVEL] = parse_level(level)
        words[lay.V_ONE], words[lay.V_TWO] = hand_to_words(hand, most=28)
        words[lay.V_RULES : lay.V_RULES + lay.RULES_SIZE] = rules.words()
        words[lay.V_BOMBS] = count_all_bombs(
            int(words[lay.V_ONE]), int(words[lay.V_TWO]), parse_level(level), rules.max_bomb
        )
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
        self._set_beat(to_beat, (seat + 3) % 4 if to_beat_seat is None else to_beat_seat, rules)
        record = _record(history, level)
        self._set_history(record, rules)
        if played is None:
            by_seat: list[list[str]] = [[], [], [], []]
            for who, move in record:
                by_seat[who] += move.cards
            played = by_seat
        self._set_counts(hand, counts, played, [who for who, move in record if move.cards])
        own, beat, choices = self._arguments()
        words[lay.V_ANSWERS] = count_answers(*own, *beat, *choices, int(words[lay.V_BOMBS]))

    @classmethod
    def from_words(cls, words: np.ndarray) -> View:
        """The view that these int64[VIEW_SIZE] words hold; they are not copied."""
        view = cls.__new__(cls)
        view.words = words
        return view

    def _set_beat(self, to_beat: Move | str | None, seat: int, rules: Rules) -> None:
        move = _as_move(to_beat, self.level)
        if move.shape == "pass":
            return
        check_declaration(move, self.level, rules)
        shape, rank, one, two = move.words
        self.words[lay.V_BEAT_SEAT] = check_seat(seat, "to_beat_seat")
        self.words[lay.V_BEAT_SHAPE : lay.V_BEAT_TWO + 1] = shape, rank, one, two
        self.words[lay.V_BEAT_KIND] = kind_of(shape)
        self.words[lay.V_BEAT_STRENGTH] = strength_of(
            shape, rank, len(move.cards), int(self.words[lay.V_LEVEL])
        )

    def _set_history(self, record: list[tuple[int, Move]], rules: Rules) -> None:
        plays = [(seat, move) for seat, move in record if move.shape != "pass"]
        if len(plays) > lay.MAX_PLIES:
            raise OptionError(f"history has {len(plays)} plays; a deal has at most {lay.MAX_PLIES}")
        passes = 0
        locked = int(self.words[lay.V_PASSED])
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
            self.words[at] = (
                seat
                | shape << lay.H_SHAPE
                | rank << lay.H_RANK
                | len(move.cards) << lay.H_SIZE
                | passes << lay.H_PASSES
                | int(lead) << lay.H_LEAD
            )
            self.words[at + 1], self.words[at + 2] = one, two
            ply += 1
            passes = 0
            last = seat
        self.words[lay.V_PLIES] = ply
        if rules.pass_locks and self.words[lay.V_BEAT_SEAT] >= 0:
            self.words[lay.V_LOCKED] = locked

    def _set_counts(
        self,
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
            self.words[at], self.words[at + 1] = cards_to_words(
                cards, name=f"played by seat {seat}"
            )
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
        self.words[lay.V_COUNTS : lay.V_COUNTS + 4] = counts
        self.words[lay.V_COUNTS + self.seat] = own
        out = [s for s in range(4) if self.words[lay.V_COUNTS + s] == 0]
        out.sort(key=lambda s: len(players) - players[::-1].index(s) if s in players else -1)
        self.words[lay.V_OUT] = len(out)
        self.words[lay.V_FINISH : lay.V_FINISH + len(out)] = out

    @property
    def seat(self) -> int:
        """The seat that looks."""
        return int(self.words[lay.V_SEAT])

    @property
    def level(self) -> str:
        """The level played."""
        return RANK_WORDS[int(self.words[lay.V_LEVEL])]

    @property
    def hand(self) -> tuple[str, ...]:
        """The seat's own cards, in display order."""
        return words_to_cards(int(self.words[lay.V_ONE]), int(self.words[lay.V_TWO]))

    @property
    def counts(self) -> tuple[int, ...]:
        """Cards left in each hand."""
        return tuple(int(n) for n in self.words[lay.V_COUNTS : lay.V_COUNTS + 4])

    @property
    def to_beat(self) -> Move | None:
        """The play to beat; None for a free lead."""
        if self.words[lay.V_BEAT_SEAT] < 0:
            return None
        return Move.from_words(*self.words[lay.V_BEAT_SHAPE : lay.V_BEAT_TWO + 1].tolist())

    @property
    def has_choice(self) -> bool:
        """Whether there is a legal move other than passing."""
        own, beat, rules = self._arguments()
        return bool(count_moves(*own, *beat, *rules, int(self.words[lay.V_BOMBS])))

    def legal_moves(self) -> list[Move]:
        """All legal moves, the pass first unless the seat leads."""
        own, beat, _ = self._arguments()
        rules = self.words[lay.V_RULES : lay.V_RULES + lay.RULES_SIZE]
        moves = moves_of_hand(*own, *beat, rules)
        return moves if beat[0] == PASS else [PASS_MOVE, *moves]

    def allows(self, shape: int, rank: int, one: int, two: int) -> bool:
        """Whether (shape, rank, one, two) is a legal move; any integers may be asked about."""
        own, beat, rules = self._arguments()
        if shape == PASS:
            return beat[0] != PASS and rank == one == two == 0
        return bool(
            0 < shape < 11
            and contains(own[0], own[1], one, two)
            and is_declaration(shape, rank, one, two, own[2], *rules)
            and outranks(
                kind_of(shape),
                strength_of(shape, rank, one.bit_count() + two.bit_count(), own[2]),
                *beat,
            )
        )

    def _arguments(self) -> tuple[tuple[int, int, int], tuple[int, int], tuple[int, int]]:
        """(one, two, level), (kind, strength), (max_bomb, joker_pair) as kernels take them."""
        words = self.words.tolist()
        if words[lay.V_PHASE] in (lay.PHASE_TRIBUTE, lay.PHASE_RETURN):
            raise OptionError(
                "no move is due in this view: a card is to be given or returned first"
            )
        return (
            (words[lay.V_ONE], words[lay.V_TWO], words[lay.V_LEVEL]),
            (words[lay.V_BEAT_KIND], words[lay.V_BEAT_STRENGTH]),
            (words[lay.V_RULES + lay.R_MAX_BOMB], words[lay.V_RULES + lay.R_JOKER_PAIR]),
        )


def card_view(
    hand: Cards,
    level: str,
    seat: int,
    rules: Rules,
    *,
    giver: int,
    receiver: int,
    card: str | None = None,
) -> View:
    """The view of a payer about to give a card to ``receiver``, or of a receiver about to return
    one for ``card``.
    """
    if giver == receiver:
        raise OptionError(f"seat {giver} cannot give a card to itself; giver and receiver differ")
    if not parse_cards(hand):
        raise HandError("the hand is empty; a card has to be given from it")
    view = View(hand, level, seat, leader=receiver, rules=rules)
    words = view.words
    words[lay.V_LEADER] = -1
    words[lay.V_TRIBUTE] = 1
    words[lay.V_PHASE] = lay.PHASE_TRIBUTE if card is None else lay.PHASE_RETURN
    if card is not None:
        words[lay.V_GIVER], words[lay.V_RECEIVER] = giver, receiver
        (words[lay.V_CARD],) = (n for n, code in CARD_CODES.items() if code == card)
    # A single tribute goes from the last to the Banker.
    others = [s for s in range(4) if s not in (giver, receiver)]
    words[lay.V_PREVIOUS : lay.V_PREVIOUS + 4] = [receiver, *others, giver]
    return view


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
