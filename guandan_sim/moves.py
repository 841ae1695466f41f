"""Moves as Python objects, and the two questions about cards: what may be played, what may they be
declared as.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from . import layout as lay
from .cards import (
    CARD_CODES,
    RANK_WORDS,
    Cards,
    cards_to_words,
    display_order,
    hand_to_words,
    parse_cards,
    parse_level,
    words_to_cards,
)
from .errors import AmbiguousMoveError, CardParseError, HandError, IllegalMoveError, MoveParseError
from .listing import list_moves
from .movegen import count_moves
from .rulefiles import RulesName, resolve_rules
from .rules import Rules
from .shapes import PASS, SHAPE_WORDS, is_declaration, kind_of, outranks, strength_of

__all__ = ["Move", "legal_moves", "readings"]

#: Place of each card code in display order.
_PLACES = {code: place for place, code in enumerate(display_order(CARD_CODES.values()))}


@dataclass(frozen=True)
class Move:
    """A play with its declaration.

    ``shape`` is a word of ``shapes.SHAPE_WORDS``, ``rank`` the declared rank (``""`` for pass and
    joker bomb; the top natural card of a sequence), ``cards`` the card codes in display order.

    >>> str(Move("full_house", "9", ("S9", "D9", "S8", "D8", "H2")))
    'full_house 9: S9 D9 S8 D8 H2'
    """

    shape: str
    rank: str
    cards: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.shape not in SHAPE_WORDS:
            raise MoveParseError(
                f"{self.shape!r} is not a shape; shapes are {', '.join(SHAPE_WORDS)}"
            )
        if self.rank not in RANK_WORDS:
            raise MoveParseError(
                f"{self.rank!r} is not a rank; ranks are 2..9 T J Q K A SB HR, or empty"
            )
        object.__setattr__(self, "cards", display_order(parse_cards(self.cards)))
        if self.shape == "pass" and (self.rank or self.cards):
            said = " ".join([self.rank, *self.cards]).strip()
            raise MoveParseError(f"a pass has no rank and no cards, but {said} was given with it")

    @property
    def words(self) -> tuple[int, int, int, int]:
        """(shape, rank, one, two) as kernels take them."""
        known: tuple[int, int, int, int] | None = self.__dict__.get("_words")
        if known is not None:
            return known
        one, two = cards_to_words(self.cards, name="move")
        return SHAPE_WORDS.index(self.shape), RANK_WORDS.index(self.rank), one, two

    @classmethod
    def from_words(cls, shape: int, rank: int, one: int, two: int) -> Move:
        """The move that a kernel writes as (shape, rank, one, two)."""
        if shape == PASS:
            return cls(SHAPE_WORDS[shape], RANK_WORDS[rank], words_to_cards(one, two))
        move = cls.__new__(cls)
        # Nothing of it needs checking, and there may be thousands.
        move.__dict__.update(
            shape=SHAPE_WORDS[shape],
            rank=RANK_WORDS[rank],
            cards=words_to_cards(one, two),
            _words=(shape, rank, one, two),
        )
        return move

    def beats(self, other: Move, level: str) -> bool:
        """Whether this move may be played on ``other`` at that level. A pass beats nothing and is
        beaten by any play.

        >>> Move("single", "7", ("S7",)).beats(Move("single", "A", ("SA",)), level="7")
        True
        """
        if not isinstance(other, Move):
            raise MoveParseError(f"{other!r} is not a Move; Move.parse makes one of text")
        if self.shape == "pass":
            return False
        return bool(outranks(*_rating(self, level), *_rating(other, level)))

    def __str__(self) -> str:
        if self.shape == "pass":
            return "pass"
        name = f"{self.shape} {self.rank}" if self.rank else self.shape
        return f"{name}: {' '.join(self.cards)}"

    @classmethod
    def parse(cls, text: str, level: str | None = None, rules: RulesName = "guide") -> Move:
        """The move that ``text`` writes: ``"pass"``, ``"shape rank: cards"``, or bare cards if they
        have one reading.

        Bare cards are read at ``level`` (which they need); several readings raise
        `AmbiguousMoveError`, which lists them, no reading `IllegalMoveError`, any other text
        `MoveParseError`.

        >>> Move.parse("bomb 9: S9 D9 H9 C9").cards
        ('S9', 'H9', 'C9', 'D9')
        """
        if not isinstance(text, str):
            raise MoveParseError(f"{text!r} is not a move; write 'shape rank: cards' or 'pass'")
        stripped = text.strip()
        if stripped.lower() == "pass":
            return PASS_MOVE
        head, colon, tail = stripped.partition(":")
        if not colon:
            if stripped.split(" ")[0].lower() in SHAPE_WORDS:
                raise MoveParseError(
                    f"{text!r} has no cards; write them too, as in 'pair 8: S8 C8'"
                )
            return cls._parse_bare(stripped, level, rules)
        words = head.split()
        rank = words[1].upper().replace("10", "T") if len(words) == 2 else ""
        if not 1 <= len(words) <= 2 or words[0].lower() not in SHAPE_WORDS:
            raise MoveParseError(
                f"{text!r} is not a move; write 'shape rank: cards' with a shape of "
                + ", ".join(SHAPE_WORDS)
            )
        try:
            return cls(words[0].lower(), rank, tuple(parse_cards(tail)))
        except (CardParseError, MoveParseError) as error:
            raise MoveParseError(f"move {text!r}: {error}") from None

    @classmethod
    def _parse_bare(cls, text: str, level: str | None, rules: RulesName) -> Move:
        if level is None:
            raise MoveParseError(
                f"{text!r} has no declaration; write 'shape rank: cards', or give the level"
            )
        found = readings(text, level, rules)
        if len(found) > 1:
            names = " or as ".join(f"{move.shape} {move.rank}" for move in found)
            raise AmbiguousMoveError(f"{text!r} may be declared as {names}; write which")
        if not found:
            raise IllegalMoveError(f"{text!r} is no combination at level {level}")
        return found[0]


PASS_MOVE = Move("pass", "", ())


def _rating(move: Move, level: str) -> tuple[int, int]:
    shape, rank, _, _ = move.words
    return kind_of(shape), int(strength_of(shape, rank, len(move.cards), parse_level(level)))


def check_declaration(move: Move, level: str, rules: Rules) -> None:
    """Raise `IllegalMoveError` unless the cards of ``move`` may be declared as it says."""
    words = rules.words()
    shape, rank, one, two = move.words
    if not is_declaration(
        shape, rank, one, two, parse_level(level), words[lay.R_MAX_BOMB], words[lay.R_JOKER_PAIR]
    ):
        try:
            found = readings(move.cards, level, rules)
        except HandError:
            found = []
        others = f"; they may be {' or '.join(map(str, found))}" if found else ""
        raise IllegalMoveError(
            f"{' '.join(move.cards) or 'no cards'} cannot be {move.shape} {move.rank} "
            f"at level {level}{others}"
        )


def readings(cards: Cards, level: str = "2", rules: RulesName = "guide") -> list[Move]:
    """Every declaration under which exactly these cards may be played, by shape and rank.

    Raises `CardParseError`, `HandError` for a third copy of a card, `RulesError`.

    >>> [str(move) for move in readings("S8 D8 S9 D9 H2", level="2")]
    ['full_house 8: S9 D9 S8 D8 H2', 'full_house 9: S9 D9 S8 D8 H2']
    """
    one, two = cards_to_words(cards, name="play")
    words = resolve_rules(rules).words()
    rank = parse_level(level)
    return [
        Move.from_words(shape, declared, one, two)
        for shape in range(1, len(SHAPE_WORDS))
        for declared in range(16)
        if is_declaration(
            shape, declared, one, two, rank, words[lay.R_MAX_BOMB], words[lay.R_JOKER_PAIR]
        )
    ]


def legal_moves(
    hand: Cards,
    level: str = "2",
    to_beat: Move | str | None = None,
    rules: RulesName = "guide",
) -> list[Move]:
    """All legal moves of a hand: to lead if ``to_beat`` is None or a pass, else to follow, the pass
    first.

    ``hand`` is text or a list of codes, at most 27. ``to_beat`` is a `Move`
    or its text. Moves come by shape, rank and cards. Raises `CardParseError`, `HandError`,
    `MoveParseError`, `IllegalMoveError` for a ``to_beat`` that is no combination, `RulesError`.

    >>> [str(move) for move in legal_moves("S9 D9 H2", level="2", to_beat="pair 8: S8 C8")]
    ['pass', 'pair 9: S9 D9', 'pair 9: S9 H2', 'pair 9: D9 H2']
    """
    rules = resolve_rules(rules)
    rank = parse_level(level)
    one, two = hand_to_words(hand)
    beat = to_beat
    if beat is not None and not isinstance(beat, Move):
        beat = Move.parse(beat, level, rules)
    kind, strength = PASS, 0
    if beat is not None and beat.shape != "pass":
        check_declaration(beat, level, rules)
        kind, strength = _rating(beat, level)
    moves = moves_of_hand(one, two, rank, kind, strength, rules.words())
    return moves if kind == PASS else [PASS_MOVE, *moves]


def moves_of_hand(
    one: int, two: int, level: int, kind: int, strength: int, rule_words: Sequence[int] | np.ndarray
) -> list[Move]:
    """The legal moves but the pass, by shape, rank and cards. Ranks, kinds and words as kernels
    take them.
    """
    max_bomb = int(rule_words[lay.R_MAX_BOMB])
    joker_pair = int(rule_words[lay.R_JOKER_PAIR])
    total = count_moves(one, two, level, kind, strength, max_bomb, joker_pair, -1)
    rows = np.empty((total, 4), np.int64)
    list_moves(one, two, level, kind, strength, max_bomb, joker_pair, rows)
    moves = [Move.from_words(*row) for row in rows.tolist()]
    return sorted(moves, key=lambda m: (m.words[:2], [_PLACES[card] for card in m.cards]))
