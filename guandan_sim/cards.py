"""The 54 kinds of card: codes, numbers, and hands both ways between text and words.

A code is a suit letter ``S H C D`` and a rank ``2..9 T J Q K A``, or ``SB`` (black joker) and
``HR`` (red joker). A card's number is ``4 * rank + suit``, its bit in a hand's words (see
`bitboard`). Levels and ranks in text take ``10`` for ``T``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from .errors import CardParseError, HandError

__all__ = [
    "CARD_CODES",
    "CARD_NUMBERS",
    "DISPLAY_PLACE",
    "RANK_WORDS",
    "Cards",
    "card_codes",
    "cards_to_words",
    "display_order",
    "hand_to_words",
    "parse_cards",
    "parse_level",
    "words_to_cards",
]

#: Hands are given as text (``"S9 D9 HT"``) or as a list of codes.
Cards = str | Iterable[str]

#: Words of the rank numbers 0..15; 0 is no rank.
RANK_WORDS: tuple[str, ...] = ("", *"23456789TJQKA", "SB", "HR")

_SUITS = "SHCD"

_LEVELS = {RANK_WORDS[rank]: rank for rank in range(1, 14)}

#: Code of each card number; numbers 4..55 are natural cards, 56 and 60 the jokers.
CARD_CODES: dict[int, str] = {
    4 * rank + suit: _SUITS[suit] + RANK_WORDS[rank] for rank in range(1, 14) for suit in range(4)
} | {56: "SB", 60: "HR"}

#: Number of each card code.
CARD_NUMBERS: dict[str, int] = {code: number for number, code in CARD_CODES.items()}

#: Sort key of each code in display order: falling natural rank, jokers first, then S H C D.
DISPLAY_PLACE: dict[str, tuple[int, int]] = {
    code: (-(number >> 2), number & 3) for number, code in CARD_CODES.items()
}

#: By falling rank, its place in a word and the codes of the cards in eight bits: four suits of
#: first copies, four of second ones.
_CARDS_OF_RANK = [
    (
        4 * rank,
        [
            [
                CARD_CODES[4 * rank + suit]
                for suit in range(4)
                for copy in (0, 4)
                if copies >> copy + suit & 1 and 4 * rank + suit in CARD_CODES
            ]
            for copies in range(256)
        ],
    )
    for rank in range(15, 0, -1)
]


def parse_cards(cards: Cards) -> list[str]:
    """Card codes in the order given, from text with blanks or commas between them, or from an
    iterable of codes.

    Raises `CardParseError` for anything that is not a card.

    >>> parse_cards("S9 d9, H10")
    ['S9', 'D9', 'HT']
    """
    if isinstance(cards, str):
        items: list[object] = list(cards.replace(",", " ").split())
    else:
        try:
            items = list(cards)
        except TypeError:
            raise CardParseError(
                f"{cards!r} is not cards; give text such as 'S9 D9 HT' or a list of codes"
            ) from None
    codes = []
    for item in items:
        if type(item) is str and item in CARD_NUMBERS:
            codes.append(item)
            continue
        code = item.strip().upper().replace("10", "T") if isinstance(item, str) else ""
        if code not in CARD_NUMBERS:
            raise CardParseError(
                f"{item!r} is not a card; a card is a suit S H C D and a rank 2..9 T J Q K A, "
                "or SB (black joker) or HR (red joker)"
            )
        codes.append(code)
    return codes


def parse_level(level: object) -> int:
    """Rank number 1..13 of a level given as ``"2".."9"``, ``"T"`` or ``"10"``, ``"J".."A"``.

    >>> parse_level("2"), parse_level("10"), parse_level("A")
    (1, 9, 13)
    """
    if type(level) is str and level in _LEVELS:
        return _LEVELS[level]
    known = isinstance(level, str | int | np.integer) and not isinstance(level, bool)
    word = str(level).strip().upper().replace("10", "T") if known else ""
    if word == "" or word not in RANK_WORDS[1:14]:
        raise CardParseError(f"{level!r} is not a level; levels are 2..9, 10 (or T), J, Q, K, A")
    return RANK_WORDS.index(word)


def display_order(codes: Iterable[str]) -> tuple[str, ...]:
    """Codes sorted as we show them: jokers first, then falling natural rank, then S H C D.

    >>> display_order(["H2", "D9", "S9", "SB"])
    ('SB', 'S9', 'D9', 'H2')
    """
    return tuple(sorted(codes, key=DISPLAY_PLACE.__getitem__))


def cards_to_words(cards: Cards, *, name: str = "hand") -> tuple[int, int]:
    """The (one, two) words of some cards. Raises `HandError` for a third copy of a card.

    >>> cards_to_words("S2 S2 H2")
    (48, 16)
    """
    one = two = 0
    codes = parse_cards(cards)
    for code in codes:
        bit = 1 << CARD_NUMBERS[code]
        if two & bit:
            raise HandError(
                f"{name} has {Counter(codes)[code]} copies of {code}; two packs have 2 of each card"
            )
        two |= one & bit
        one |= bit
    return one, two


def hand_to_words(cards: Cards, *, name: str = "hand", most: int = 27) -> tuple[int, int]:
    """The (one, two) words of a hand. Raises `HandError` also for more than ``most`` cards.

    >>> hand_to_words("S2 H2")
    (48, 0)
    """
    codes = parse_cards(cards)
    words = cards_to_words(codes, name=name)
    if len(codes) > most:
        raise HandError(f"{name} has {len(codes)} cards; it can have {most} at most")
    return words


def words_to_cards(one: int, two: int) -> tuple[str, ...]:
    """The codes of the cards in (one, two), in display order.

    >>> words_to_cards(48, 16)
    ('S2', 'S2', 'H2')
    """
    held: list[str] = []
    for place, cards in _CARDS_OF_RANK:
        copies = one >> place & 15 | (two >> place & 15) << 4
        if copies:
            held += cards[copies]
    return tuple(held)


def card_codes(one: int) -> list[str]:
    """The codes of the kinds in a word, in display order.

    >>> card_codes(48)
    ['S2', 'H2']
    """
    return list(words_to_cards(one, 0))
