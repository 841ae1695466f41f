"""The rules of plays, written a second time: slow, plain, and sharing no code with the engine.

Cards are code strings (``"S9"``, ``"HT"``, ``"SB"`` black joker, ``"HR"`` red joker), a level is
a rank letter (``"2"`` .. ``"9"``, ``"T"`` .. ``"A"``), a hand is any sequence of codes. Everything
follows from three definitions: what five or six *concrete* cards are (`classify`), that a wild may
stand for each of the 52 non-joker cards (`readings`), and which declaration beats which (`beats`).
`legal_moves` tries every sub-multiset of a hand. A play to beat is ``(shape, rank, size)``.

>>> sorted(readings(["S8", "D8", "S9", "D9", "H2"], "2"))
[('full_house', '8'), ('full_house', '9')]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement, product

Reading = tuple[str, str]
Play = tuple[str, str, int]
Move = tuple[str, str, tuple[str, ...]]

SUITS = "SHCD"
RANKS = "23456789TJQKA"
JOKERS = ("SB", "HR")
PASS: Move = ("pass", "", ())
SEQUENCES = ("straight", "straight_flush", "tube", "plate")
# An ace is low or high in a sequence, and there is no wrap: a run is a stretch of this line.
NATURAL_LINE = "A" + RANKS
LONGEST_PLAY = 10


def rank_of(card: str) -> str:
    """The rank of a card: ``"9"`` of ``"S9"``; a joker is a rank of its own."""
    return card if card in JOKERS else card[1]


def wild_of(level: str) -> str:
    """The card that is wild at `level`: its heart."""
    return "H" + level


def full_pack() -> list[str]:
    """The 108 cards."""
    return 2 * ([suit + rank for rank in RANKS for suit in SUITS] + list(JOKERS))


def power(rank: str, level: str) -> int:
    """Place of a rank in the order of singles: 2..A without the level, the level, SB, HR."""
    return [*RANKS.replace(level, ""), level, *JOKERS].index(rank)


def top_of_run(ranks: Iterable[str]) -> str | None:
    """The top natural card of ranks that follow each other, or None if they do not.

    >>> top_of_run("A5432"), top_of_run("TJQKA"), top_of_run("JQKA2")
    ('5', 'A', None)
    """
    wanted = set(ranks)
    length = len(wanted)
    for start in range(len(NATURAL_LINE) - length + 1):
        stretch = NATURAL_LINE[start : start + length]
        if set(stretch) == wanted:
            return stretch[-1]
    return None


@cache
def classify_ranks(ranks: tuple[str, ...], max_bomb: int, joker_pair: bool) -> Reading | None:
    """What cards of these ranks are, suits aside: one (shape, rank), or None if not a play.

    `max_bomb` is how many cards the largest bomb of one rank has; `joker_pair` says whether the
    pair of a full house may be two jokers of one colour.
    """
    counts = Counter(ranks)
    pattern = sorted(counts.values())
    jokers = [rank for rank in JOKERS if rank in counts]

    if counts == {"SB": 2, "HR": 2}:
        return "joker_bomb", ""

    if len(counts) == 1:
        size, rank = len(ranks), ranks[0]
        if size == 1:
            return "single", rank
        if size == 2:
            return "pair", rank
        if size == 3 and not jokers:
            return "triple", rank
        if 4 <= size <= max_bomb and not jokers:
            return "bomb", rank
        return None

    if pattern == [2, 3]:
        triple = max(counts, key=lambda rank: counts[rank])
        if triple in JOKERS or (jokers and not joker_pair):
            return None
        return "full_house", triple

    top = None if jokers else top_of_run(counts)
    if top is None:
        return None
    if pattern == [1, 1, 1, 1, 1]:
        return "straight", top
    if pattern == [2, 2, 2]:
        return "tube", top
    if pattern == [3, 3]:
        return "plate", top
    return None


def classify(cards: Sequence[str], max_bomb: int = 10, joker_pair: bool = True) -> Reading | None:
    """What concrete cards are, no wild among them: one (shape, rank), or None if not a play."""
    reading = classify_ranks(tuple(sorted(map(rank_of, cards))), max_bomb, joker_pair)
    if reading and reading[0] == "straight" and len({card[0] for card in cards}) == 1:
        return "straight_flush", reading[1]
    return reading


def readings(
    cards: Iterable[str], level: str, max_bomb: int = 10, joker_pair: bool = True
) -> set[Reading]:
    """Every (shape, rank) that these cards may be declared as; empty if they are not a play."""
    return set(_readings(tuple(sorted(cards)), level, max_bomb, joker_pair))


@lru_cache(maxsize=100_000)
def _readings(
    cards: tuple[str, ...], level: str, max_bomb: int, joker_pair: bool
) -> frozenset[Reading]:
    natural = [card for card in cards if card != wild_of(level)]
    wilds = len(cards) - len(natural)
    if not natural:
        # Wilds alone are level cards and nothing else.
        alone = {1: ("single", level), 2: ("pair", level)}
        return frozenset({alone[wilds]} if wilds in alone else ())
    natural_ranks = [rank_of(card) for card in natural]
    found = set()
    for ranks in combinations_with_replacement(RANKS, wilds):
        all_ranks = tuple(sorted([*natural_ranks, *ranks]))
        reading = classify_ranks(all_ranks, max_bomb, joker_pair)
        if reading is None:
            continue
        if reading[0] != "straight":
            found.add(reading)
            continue
        # Only here do suits matter: the wilds may have any.
        for suits in product(SUITS, repeat=wilds):
            one_suit = len({card[0] for card in natural}.union(suits)) == 1
            found.add(("straight_flush" if one_suit else "straight", reading[1]))
    return frozenset(found)


def readings_by_every_card(
    cards: Iterable[str], level: str, max_bomb: int = 10, joker_pair: bool = True
) -> set[Reading]:
    """As `readings`, trying all 52 cards for each wild with no shortcut: what tests hold it to."""
    natural = [card for card in cards if card != wild_of(level)]
    wilds = len(list(cards)) - len(natural)
    if not natural:
        return readings(cards, level)
    pack = sorted(set(full_pack()) - set(JOKERS))
    found = {
        classify([*natural, *stand_ins], max_bomb, joker_pair)
        for stand_ins in combinations_with_replacement(pack, wilds)
    }
    return {reading for reading in found if reading is not None}


def rung(play: Play) -> int:
    """Step on the bomb ladder 4 < 5 < straight flush < 6 < .. < 10 < jokers; 0 for other plays."""
    shape, _, size = play
    if shape == "bomb":
        return 2 * size
    return {"straight_flush": 11, "joker_bomb": 99}.get(shape, 0)


def strength(play: Play, level: str) -> int:
    """Place of a play among those of its shape and size: sequences by their natural top card."""
    shape, rank, _ = play
    if shape == "joker_bomb":
        return 0
    return RANKS.index(rank) if shape in SEQUENCES else power(rank, level)


def beats(a: Play, b: Play, level: str) -> bool:
    """Whether play `a` may be laid on play `b`; both are (shape, rank, size)."""
    if rung(a) != rung(b):
        return rung(a) > rung(b)
    return a[0] == b[0] and strength(a, level) > strength(b, level)


def subsets(hand: Iterable[str], level: str) -> set[tuple[str, ...]]:
    """The sub-multisets of a hand, each sorted, less those that plainly are no play.

    Only plays of five or six cards hold several natural ranks (the joker bomb aside): five cards
    hold at most two, or are all different; six hold at most three.
    """
    cards = sorted(hand)
    wild = wild_of(level)
    found: set[tuple[str, ...]] = set()
    for card in set(cards):
        kind = [other for other in cards if other == wild or rank_of(other) == rank_of(card)]
        for size in range(1, LONGEST_PLAY + 1):
            found.update(combinations(kind, size))
    found.update(combinations([card for card in cards if card in JOKERS], 4))
    for size in (5, 6):
        for chosen in combinations(cards, size):
            natural = [card for card in chosen if card != wild]
            ranks = len({rank_of(card) for card in natural})
            if ranks <= size - 3 or (size == 5 and ranks == len(natural)):
                found.add(chosen)
    return found


def legal_moves(
    hand: Iterable[str],
    level: str,
    to_beat: Play | None = None,
    max_bomb: int = 10,
    joker_pair: bool = True,
) -> set[Move]:
    """Every move of a hand: (shape, rank, sorted cards), and the pass if a play is to beat."""
    moves: set[Move] = set() if to_beat is None else {PASS}
    for cards in subsets(hand, level):
        for shape, rank in _readings(cards, level, max_bomb, joker_pair):
            if to_beat is None or beats((shape, rank, len(cards)), to_beat, level):
                moves.add((shape, rank, cards))
    return moves
