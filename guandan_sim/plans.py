"""Plans of a hand as Python objects: the partition into plays that a player would keep to.

Which plan is best is said in `plancosts`, how it is found in `planning`; bots call `planner`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from threading import local

import numpy as np

from .cards import RANK_WORDS, Cards, hand_to_words, parse_level, words_to_cards
from .errors import HandError
from .moves import Move
from .plancosts import cost_of_play, is_loser, weakness_of
from .planner import MOST_PLAYS, NO_PLAN, WORK_SIZE, plan_plays
from .rulefiles import RulesName, resolve_rules
from .shapes import BOMB, strength_of

__all__ = ["Plan", "plan", "plan_of_rows"]


@dataclass(frozen=True)
class Plan:
    """A hand cut up into plays, each card in one of them.

    ``plays`` are ordered as one would part with them: the weakest first, the bombs last, the
    strongest at the end. ``level`` is that of the deal.

    >>> print(plan("S3 S9 D9 C9 H9 SK DK CK D5 S5", level="2"))
    2 turns, 1 bomb, 1 loser
    single 3: S3 (loser)
    full_house K: SK CK DK S5 D5
    bomb 9: S9 H9 C9 D9
    """

    plays: tuple[Move, ...]
    level: str

    @cached_property
    def bombs(self) -> int:
        """How many plays are bombs."""
        return sum(move.words[0] >= BOMB for move in self.plays)

    @property
    def turns(self) -> int:
        """How many plays are not: as often the hand must come to lead, or to follow."""
        return len(self.plays) - self.bombs

    @cached_property
    def losers(self) -> int:
        """How many plays are low and alone: singles other than of the level or jokers, pairs other
        than of aces, the level or jokers.
        """
        return sum(self._loses(move) for move in self.plays)

    @cached_property
    def weakness(self) -> int:
        """Ranks above each play in its shape (rungs above each bomb on the ladder), summed."""
        return sum(_weakness(move, parse_level(self.level)) for move in self.plays)

    def _loses(self, move: Move) -> bool:
        shape, rank, _, _ = move.words
        return _is_loser(shape, rank, parse_level(self.level))

    def __str__(self) -> str:
        counts = ((self.turns, "turn"), (self.bombs, "bomb"), (self.losers, "loser"))
        lines = [", ".join(f"{n} {word}{'s' * (n != 1)}" for n, word in counts)]
        lines += [f"{move}{' (loser)' * self._loses(move)}" for move in self.plays]
        return "\n".join(lines)


# There are few arguments, and a question to compiled code takes longer than to find its answer.
@cache
def _is_loser(shape: int, rank: int, level: int) -> bool:
    return bool(is_loser(shape, rank, level))


@cache
def _weakness_of(shape: int, rank: int, size: int, level: int) -> int:
    return int(weakness_of(cost_of_play(shape, rank, size, level)))


def _weakness(move: Move, level: int) -> int:
    shape, rank, _, _ = move.words
    return _weakness_of(shape, rank, len(move.cards), level)


def _parting(move: Move, level: int) -> tuple[int, int, tuple[int, ...]]:
    """Sort key of the order in which plays are parted with."""
    words = move.words
    if words[0] >= BOMB:
        return 1, int(strength_of(words[0], words[1], len(move.cards), level)), words
    return 0, -_weakness(move, level), words


_thread = local()


def _memory() -> np.ndarray:
    """Memory to plan in, of this thread: getting it anew would take longer than most plans."""
    if not hasattr(_thread, "work"):
        _thread.work = np.zeros(WORK_SIZE, np.int64)
    work: np.ndarray = _thread.work
    return work


def plan(hand: Cards, level: str = "2", rules: RulesName = "guide") -> Plan:
    """The best plan of a hand: of all partitions into legal plays the one with the fewest turns
    (plays other than bombs); of these, with the fewest losers less bombs; of these, the strongest.

    ``hand`` is text or a list of codes, at most 27; an empty one has an empty plan. Raises
    `CardParseError`, `HandError`, `RulesError`.

    >>> print(plan("S3 D3 C3 S8 D8 SQ H7 HR", level="7"))
    3 turns, 0 bombs, 1 loser
    full_house 3: S8 D8 S3 C3 D3
    pair Q: SQ H7 (loser)
    single HR: HR
    >>> plan("S4 D5 C6 S8 HR", level="7").turns, plan("S4 D5 C6 S8 HR H7", level="7").turns
    (5, 2)
    """
    joker_pair = int(resolve_rules(rules).full_house_joker_pair)
    number = parse_level(level)
    one, two = hand_to_words(hand)
    rows = np.zeros((MOST_PLAYS, 4), np.int64)
    n, cost = plan_plays(one, two, number, joker_pair, _memory(), rows)
    if cost == NO_PLAN:  # no hand is known for which this is so
        raise HandError(f"the plan of {' '.join(words_to_cards(one, two))} needs too much memory")
    return plan_of_rows(rows[:n], number)


def plan_of_rows(rows: np.ndarray, level: int) -> Plan:
    """The plan of plays, int64[n, 4] as `planner.plan_plays` writes them, at a level (rank)."""
    moves = [Move.from_words(*row) for row in rows.tolist()]
    return Plan(tuple(sorted(moves, key=lambda move: _parting(move, level))), RANK_WORDS[level])
