"""Plans a second time: every partition of a small hand tried, and many of a large hand.

Like `oracle`, whose list of legal moves all of it rests on, this shares no code with the engine. A
score is (turns, losers less bombs, weakness), each summed over the plays of a partition; less is
better.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from oracle import JOKERS, NATURAL_LINE, RANKS, SUITS, Move, legal_moves, power, rank_of, wild_of

Score = tuple[int, int, int]

_SINGLES = 14  # place of the red joker in the order of power
_NATURALS = 12  # place of the level
_LADDER = ("4", "5", "straight_flush", "6", "7", "8", "9", "10", "jokers")


def is_loser(shape: str, rank: str, level: str) -> bool:
    """Whether a play is a single, or a pair, of a low rank."""
    strong = {"single": (level, *JOKERS), "pair": ("A", level, *JOKERS)}
    return shape in strong and rank not in strong[shape]


def score_of(move: Move, level: str) -> Score:
    """The score of one play."""
    shape, rank, cards = move
    if shape in ("bomb", "straight_flush", "joker_bomb"):
        rung = {"bomb": str(len(cards)), "joker_bomb": "jokers"}.get(shape, shape)
        return 0, -1, len(_LADDER) - 1 - _LADDER.index(rung)
    if shape in ("single", "pair"):
        return 1, int(is_loser(shape, rank, level)), _SINGLES - power(rank, level)
    if shape in ("triple", "full_house"):
        return 1, 0, _NATURALS - power(rank, level)
    return 1, 0, len(RANKS) - 1 - RANKS.index(rank)


def total(moves: Iterable[Move], level: str) -> Score:
    """The score of some plays together."""
    scores = [score_of(move, level) for move in moves]
    return sum(s[0] for s in scores), sum(s[1] for s in scores), sum(s[2] for s in scores)


def best_score(hand: Sequence[str], level: str, joker_pair: bool = True) -> Score:
    """The least score of all partitions of a hand: of each set of cards left, every play with the
    first of them.
    """
    moves: dict[str, dict[tuple[str, ...], Score]] = {}
    for move in legal_moves(hand, level, joker_pair=joker_pair):
        score = score_of(move, level)
        for card in set(move[2]):
            of_card = moves.setdefault(card, {})
            of_card[move[2]] = min(score, of_card.get(move[2], score))

    @cache
    def best(left: tuple[str, ...]) -> Score:
        if not left:
            return 0, 0, 0
        found = None
        held = Counter(left)
        for cards, score in moves[left[0]].items():
            taken = Counter(cards)
            if any(held[card] < number for card, number in taken.items()):
                continue
            rest = best(tuple(sorted((held - taken).elements())))
            whole = (score[0] + rest[0], score[1] + rest[1], score[2] + rest[2])
            if found is None or whole < found:
                found = whole
        assert found is not None
        return found

    return best(tuple(sorted(hand)))


def _kind(rank: str, size: int) -> list[tuple[str, str]]:
    return [("", rank)] * size


def _random_wish(rng: random.Random, held: Sequence[str]) -> tuple[str, str, list[tuple[str, str]]]:
    """A play to look for: (shape, rank, what cards: suit or any, rank)."""
    shape = rng.choice(
        ["straight"] * 4 + ["straight_flush"] * 2 + ["tube", "plate", "full_house", "full_house"]
    )
    if shape == "full_house":
        triple, pair = rng.sample(held, 2) if len(held) > 1 else (held[0], "2")
        return shape, triple, _kind(triple, 3) + _kind(pair, 2)
    length, size = {"tube": (3, 2), "plate": (2, 3)}.get(shape, (5, 1))
    start = rng.randrange(15 - length)
    suit = rng.choice(SUITS) if shape == "straight_flush" else ""
    ranks = NATURAL_LINE[start : start + length]
    return shape, ranks[-1], [(suit, rank) for rank in ranks for _ in range(size)]


def _find(
    rng: random.Random, left: list[str], wish: list[tuple[str, str]], level: str
) -> list[str] | None:
    """Cards of the hand for a wish, wilds where nothing else is left; None if they are not there.

    A full house needs a natural card in its triple, and jokers are no triple and take no wild.
    """
    pool = [card for card in left if card != wild_of(level)]
    wilds = len(left) - len(pool)
    rng.shuffle(pool)
    found = []
    for suit, rank in wish:
        card = next((c for c in pool if rank_of(c) == rank and c[0] == (suit or c[0])), None)
        if card is not None:
            pool.remove(card)
        elif wilds and rank not in JOKERS:
            wilds -= 1
            card = wild_of(level)
        else:
            return None
        found.append(card)
    return found


def _groups(rng: random.Random, left: list[str], level: str) -> list[Move]:
    """What is left, rank by rank, the wilds with a rank each or alone."""
    wild = wild_of(level)
    by_rank: dict[str, list[str]] = {}
    for card in left:
        if card != wild:
            by_rank.setdefault(rank_of(card), []).append(card)
    naturals = [rank for rank in by_rank if rank not in JOKERS]
    alone = 0
    for _ in range(left.count(wild)):
        if naturals:
            by_rank[rng.choice(naturals)].append(wild)
        else:
            alone += 1
    plays: list[Move] = [(("single", "pair")[alone - 1], level, (wild,) * alone)] if alone else []
    if sum(len(by_rank.get(joker, ())) for joker in JOKERS) == 4:
        plays.append(("joker_bomb", "", ("HR", "HR", "SB", "SB")))
        del by_rank["SB"], by_rank["HR"]
    for rank, cards in by_rank.items():
        cuts = [cards[:4], cards[4:]] if len(cards) >= 8 else [cards]
        for cut in cuts:
            shape = ("single", "pair", "triple", "bomb")[min(len(cut), 4) - 1]
            plays.append((shape, rank, tuple(sorted(cut))))
    return plays


def _random_plays(rng: random.Random, hand: Sequence[str], level: str) -> list[Move]:
    """A partition: some sequences and full houses as they are met, the rest rank by rank."""
    left = list(hand)
    plays: list[Move] = []
    for _ in range(rng.randrange(40)):
        held = sorted({rank_of(card) for card in left if card != wild_of(level)})
        naturals = [rank for rank in held if rank not in JOKERS]
        if not naturals:
            break
        shape, rank, wish = _random_wish(rng, held)
        if shape == "full_house" and (rank in JOKERS or len(held) < 2):
            continue
        cards = _find(rng, left, wish, level)
        # A pair may be jokers, but the whole must not be made of wilds where a rank is needed.
        if cards is None or (shape == "full_house" and cards[0] == wild_of(level)):
            continue
        if shape == "straight" and wild_of(level) not in cards and len({c[0] for c in cards}) == 1:
            shape = "straight_flush"
        plays.append((shape, rank, tuple(sorted(cards))))
        for card in cards:
            left.remove(card)
    return plays + _groups(rng, left, level)


def searched(rng: random.Random, hand: Sequence[str], level: str, steps: int) -> list[Move]:
    """A good partition, found by chance: some plays at a time are thrown together and cut up anew,
    and what is no worse is kept.
    """
    plays = min(
        (_random_plays(rng, hand, level) for _ in range(steps // 10)),
        key=lambda found: total(found, level),
    )
    for _ in range(steps):
        rng.shuffle(plays)
        k = rng.randint(2, 5)
        loose = [card for play in plays[:k] for card in play[2]]
        anew = _random_plays(rng, loose, level)
        if total(anew, level) <= total(plays[:k], level):
            plays = anew + plays[k:]
    return plays
