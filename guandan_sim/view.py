"""What a seat may see, as a Python object around the packed words that bots are given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from random import Random
from typing import Any

import numpy as np

from . import layout as lay
from .bitboard import contains
from .cards import (
    CARD_CODES,
    DISPLAY_PLACE,
    RANK_WORDS,
    Cards,
    card_codes,
    display_order,
    parse_cards,
    words_to_cards,
)
from .errors import HandError, OptionError
from .history import history
from .movegen import count_moves
from .moves import PASS_MOVE, Move, moves_of_hand
from .rulefiles import RulesName, resolve_rules
from .rules import Rules
from .shapes import PASS, is_declaration, kind_of, outranks, strength_of
from .tribute import choice_mask
from .viewwords import History, view_words

__all__ = ["PHASES", "View", "card_view"]

#: Words for the phases of a deal.
PHASES = {
    lay.PHASE_TRIBUTE: "tribute",
    lay.PHASE_RETURN: "return",
    lay.PHASE_PLAY: "play",
    lay.PHASE_DONE: "done",
}


@lru_cache(maxsize=64)
def _rules_of(words: bytes) -> Rules:
    return Rules.from_words(np.frombuffer(words, np.int64))


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

    `memory` is a dictionary for a bot's own use. In a deal that bots play, a seat finds there what
    it has put there since the deal began; another seat never does.

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
        self.words = view_words(
            hand,
            level,
            seat,
            to_beat,
            to_beat_seat,
            leader,
            counts,
            played,
            passed,
            levels,
            owner,
            resolve_rules(rules),
            history,
        )
        self.memory: dict[Any, Any] = {}

    @classmethod
    def from_words(cls, words: np.ndarray, memory: dict[Any, Any] | None = None) -> View:
        """The view that these int64[VIEW_SIZE] words hold, and a memory; neither is copied."""
        view = cls.__new__(cls)
        view.words = words
        view.memory = {} if memory is None else memory
        return view

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
    def to_beat_seat(self) -> int | None:
        """Who made the play to beat; None for a free lead."""
        seat = int(self.words[lay.V_BEAT_SEAT])
        return None if seat < 0 else seat

    @property
    def phase(self) -> str:
        """What is due: "tribute", "return" or "play"."""
        return PHASES[int(self.words[lay.V_PHASE])]

    @property
    def partner(self) -> int:
        """The seat opposite."""
        return self.seat ^ 2

    @property
    def history(self) -> list[tuple[int, Move]]:
        """All plays and passes of this deal in order, as (seat, move)."""
        return list(history(self.words))

    @property
    def played(self) -> tuple[tuple[str, ...], ...]:
        """The cards played so far by each seat."""
        words = self.words[lay.V_PLAYED : lay.V_PLAYED + 8].tolist()
        return tuple(words_to_cards(*words[2 * seat : 2 * seat + 2]) for seat in range(4))

    @property
    def unseen(self) -> tuple[str, ...]:
        """The cards that are in none of `hand` and `played`: those of the others, in display order.

        >>> len(View("S3 S4").unseen)
        106
        """
        seen = Counter(self.hand)
        for cards in self.played:
            seen.update(cards)
        pack = Counter(dict.fromkeys(DISPLAY_PLACE, 2))
        return display_order((pack - seen).elements())

    @property
    def passed(self) -> tuple[int, ...]:
        """The seats that have passed since the play to beat."""
        return tuple(seat for seat in range(4) if self.words[lay.V_PASSED] >> seat & 1)

    @property
    def leader(self) -> int | None:
        """The seat that led the deal's first trick; None until tributes are settled."""
        seat = int(self.words[lay.V_LEADER])
        return None if seat < 0 else seat

    @property
    def finish_order(self) -> tuple[int, ...]:
        """The seats that are out, first out first."""
        out = int(self.words[lay.V_OUT])
        return tuple(self.words[lay.V_FINISH : lay.V_FINISH + out].tolist())

    @property
    def previous_order(self) -> tuple[int, ...]:
        """The finishing order of the deal before; empty if there was none."""
        order = tuple(self.words[lay.V_PREVIOUS : lay.V_PREVIOUS + 4].tolist())
        return () if order[0] < 0 else order

    @property
    def levels(self) -> tuple[str, str]:
        """The level of each team."""
        a, b = self.words[lay.V_LEVELS : lay.V_LEVELS + 2].tolist()
        return RANK_WORDS[a], RANK_WORDS[b]

    @property
    def owner(self) -> int:
        """The team whose level is played."""
        return int(self.words[lay.V_OWNER])

    @property
    def tributes(self) -> list[tuple[int, int, str, str]]:
        """The tributes that have changed hands: (giver, receiver, card, card returned); "" for a
        card that is not returned yet, or that this seat may not see.
        """
        rows = self.words[lay.V_GIVER : lay.V_RULES].reshape(-1, lay.V_TRIBUTE_WIDTH).tolist()
        return [(g, r, CARD_CODES[c], CARD_CODES.get(b, "")) for g, r, c, b in rows if c]

    @property
    def rules(self) -> Rules:
        """The rules played by; one that is no preset is called "custom"."""
        return _rules_of(self.words[lay.V_RULES : lay.V_RULES + lay.RULES_SIZE].tobytes())

    @property
    def seed(self) -> int:
        """A seed of this decision's own, 0 to 2**63 - 1: in a run a function of the run's seed, the
        set, the deal, the seat and the number of the decision, and of nothing else.
        """
        return int(self.words[lay.V_KEY]) >> 1 & 2**63 - 1

    @cached_property
    def random(self) -> Random:
        """Python's random numbers from `seed`. A bot that draws from these alone plays the same in
        every run.
        """
        return Random(self.seed)

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

    def options(self) -> list[str] | list[Move]:
        """What this seat may choose: card codes for a tribute or return, moves in play."""
        if self.phase == "play":
            return self.legal_moves()
        return card_codes(int(choice_mask(self.words, self.seat, int(self.words[lay.V_ONE]))))

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
