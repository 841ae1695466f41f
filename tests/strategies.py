"""Hands and positions for property tests: random ones, and those where a move generator goes wrong.

Cards, levels and shapes are the oracle's words; nothing here asks the engine what is legal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from hypothesis import strategies as st
from oracle import JOKERS, NATURAL_LINE, RANKS, SUITS, Play, full_pack, wild_of

import guandan_sim as gs

Draw = Callable[[st.SearchStrategy[int]], int]


@cache
def _rules(max_bomb: int, joker_pair: bool) -> gs.Rules:
    return gs.Rules.preset("guide").replace(max_bomb=max_bomb, full_house_joker_pair=joker_pair)


class Setting(NamedTuple):
    """What legality depends on besides the cards."""

    level: str
    max_bomb: int = 10
    joker_pair: bool = True

    @property
    def rules(self) -> gs.Rules:
        """The guide's rules with these two switches."""
        return _rules(self.max_bomb, self.joker_pair)

    @property
    def words(self) -> tuple[int, int, int]:
        """(level, max_bomb, joker_pair) as kernels take them."""
        return RANKS.index(self.level) + 1, self.max_bomb, int(self.joker_pair)


class Position(NamedTuple):
    """A hand at a level under some rules."""

    hand: tuple[str, ...]
    setting: Setting


def settings_of_play() -> st.SearchStrategy[Setting]:
    """Every level, with both values of both switches; 2, 7, T and A more often."""
    return st.builds(
        Setting,
        st.sampled_from("27TA" + RANKS),
        st.sampled_from((10, 10, 8)),
        st.sampled_from((True, True, False)),
    )


def _window(start: int, length: int) -> str:
    return NATURAL_LINE[start : start + length]


def _cards(ranks: str, suits: str = SUITS) -> list[str]:
    return 2 * [suit + rank for rank in ranks for suit in suits]


def _without(wild: str, cards: list[str]) -> list[str]:
    """At most two copies of each card, and no wild."""
    return [c for c, n in Counter(cards).items() for _ in range(min(n, 2)) if c != wild]


def _whole_pack(_draw: Draw, _level: str) -> list[str]:
    return full_pack()


def _few_neighbours(draw: Draw, _level: str) -> list[str]:
    """Two to four ranks in a row: tubes, plates, full houses, bombs."""
    length = draw(st.integers(2, 4))
    return _cards(_window(draw(st.integers(0, 14 - length)), length))


def _straights(draw: Draw, _level: str) -> list[str]:
    """Six or seven ranks in a row, aces at either end."""
    return _cards(_window(draw(st.integers(0, 8)), 7))


def _around_the_level(_draw: Draw, level: str) -> list[str]:
    """The level's rank inside sequences."""
    place = RANKS.index(level) + 1
    return _cards(NATURAL_LINE[max(place - 3, 0) : place + 4])


def _both_ends(draw: Draw, _level: str) -> list[str]:
    """Aces with what they are low and high in."""
    return _cards("A2345TJQK", SUITS[: draw(st.integers(1, 4))])


def _one_suit(draw: Draw, _level: str) -> list[str]:
    return _cards(RANKS, SUITS[draw(st.integers(0, 3))])


def _near_straight_flush(draw: Draw, _level: str) -> list[str]:
    """Six ranks of one suit, and some of them in another one."""
    suit = draw(st.integers(0, 3))
    ranks = _window(draw(st.integers(0, 8)), 6)
    return _cards(ranks, SUITS[suit]) + _cards(ranks[:3], SUITS[suit - 1])


def _eight_of_a_rank(draw: Draw, _level: str) -> list[str]:
    rank = RANKS[draw(st.integers(0, 12))]
    return _cards(rank) + _cards(RANKS[draw(st.integers(0, 12))], "S")


def _jokers_and_sets(draw: Draw, _level: str) -> list[str]:
    return 2 * list(JOKERS) + _cards(RANKS[draw(st.integers(0, 12))], "SHD") + ["S5", "D9"]


FAMILIES = (
    _whole_pack,
    _few_neighbours,
    _straights,
    _around_the_level,
    _both_ends,
    _one_suit,
    _near_straight_flush,
    _eight_of_a_rank,
    _jokers_and_sets,
)


@st.composite
def positions(draw: st.DrawFn, largest: int) -> Position:
    """Hands of up to ``largest`` cards from one of `FAMILIES`, with no, one or both wilds."""
    setting = draw(settings_of_play())
    wild = wild_of(setting.level)
    wilds = draw(st.integers(0, 2))
    family = draw(st.sampled_from(FAMILIES))
    pool = _without(wild, family(draw, setting.level))
    room = min(largest - wilds, len(pool))
    # A hand of few cards is rarely interesting, so the size is drawn with a preference for many.
    size = room - draw(st.integers(0, min(room, 4)))
    order = draw(st.permutations(range(len(pool))))
    return Position((*sorted(pool[i] for i in order[:size]), *(wilds * [wild])), setting)


@st.composite
def full_positions(draw: st.DrawFn) -> Position:
    """Hands of 27 cards: random, of two or three suits, of seven ranks, wilds in most of them."""
    setting = draw(settings_of_play())
    wild = wild_of(setting.level)
    wilds = draw(st.integers(0, 2))
    start = draw(st.integers(0, 7))
    pools = (
        full_pack(),
        _cards(RANKS, "SD") + 2 * list(JOKERS),
        _cards(RANKS, "HC"),
        _cards(_window(start, 7)),
        _cards(_window(start, 4)) + 2 * list(JOKERS),
    )
    pool = _without(wild, draw(st.sampled_from(pools)))
    order = draw(st.permutations(range(len(pool))))
    return Position((*sorted(pool[i] for i in order[: 27 - wilds]), *(wilds * [wild])), setting)


def play_of(move: gs.Move) -> Play:
    """A move as the oracle's (shape, rank, size)."""
    return move.shape, move.rank, len(move.cards)


@cache
def plays_to_beat(level: str, max_bomb: int = 10) -> tuple[gs.Move, ...]:
    """One play of every shape, rank and size that the rules know, wilds only where they must be."""
    found: list[tuple[str, str, list[str]]] = []
    for rank in (*RANKS, *JOKERS):
        cards = 2 * [rank] if rank in JOKERS else [suit + rank for suit in "SDC"]
        found += [("single", rank, cards[:1]), ("pair", rank, cards[:2])]
        if rank in JOKERS:
            continue
        other = "3" if rank == "2" else "2"
        found += [
            ("triple", rank, cards),
            ("full_house", rank, [*cards, "S" + other, "D" + other]),
        ]
        kind = _cards(rank) + (2 * [wild_of(level)] if rank != level else [])
        found += [("bomb", rank, kind[:size]) for size in range(4, min(max_bomb, len(kind)) + 1)]
    for length, shape, suits in ((5, "straight", ""), (3, "tube", "SD"), (2, "plate", "SDC")):
        for start in range(15 - length):
            ranks = _window(start, length)
            if shape == "straight":
                found.append(
                    (shape, ranks[-1], [s + r for s, r in zip("SDCSD", ranks, strict=True)])
                )
                found.append(("straight_flush", ranks[-1], ["S" + rank for rank in ranks]))
            else:
                found.append((shape, ranks[-1], [suit + rank for rank in ranks for suit in suits]))
    found.append(("joker_bomb", "", 2 * list(JOKERS)))
    return tuple(gs.Move(shape, rank, tuple(cards)) for shape, rank, cards in found)
