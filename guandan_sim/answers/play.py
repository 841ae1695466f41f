"""How deals are played: what is led first, bombs, partners, and what is left at the end.

What is said here is observed: who leads a straight had one. It needs the table of plays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import dealfacts
from ..schemas import WORDS
from .facts import Facts
from .overview import OUTCOMES
from .statistic import GAIN, WON, Measure, Observed, codes, results, shares, statistic

__all__ = ["CHAPTER"]

Ints = NDArray[np.int64]

SHAPES = tuple(word.replace("_", " ") for word in WORDS["shape"][1:])
_LEFT = (1, 6, 11, 16, 21)
_LEFT_WORDS = ("1 to 5", "6 to 10", "11 to 15", "16 to 20", "21 to 27")
_STOOD = Measure("trick won", "share")


@statistic(
    "What is led first",
    rows=SHAPES,
    measures=(Measure("of deals", "share"),),
    heading="first play",
    plays=True,
    whole=True,
)
def first_plays(facts: Facts) -> Observed:
    """Share of deals by the shape of their first play. Unit: a deal."""
    return shares(facts.play[0][:, dealfacts.S_SHAPE] - 1, len(SHAPES))


@statistic(
    "How the first play does",
    rows=SHAPES,
    measures=(WON, GAIN),
    heading="first play",
    plays=True,
)
def first_plays_results(facts: Facts) -> Observed:
    """Share of deals won by the side of the first leader, and levels that it gained, by the shape
    of the first play. Unit: a deal. Observed, not caused.
    """
    shape = facts.play[0][:, dealfacts.S_SHAPE]
    return Observed(shape - 1, results(facts, facts.leader & 1))


def _bombs(facts: Facts, groups: Ints) -> Observed:
    """Of each bomb whether it won its trick, and how its side did in the deal."""
    rows = facts.play[1]
    deals = rows[:, dealfacts.B_DEAL]
    side = rows[:, dealfacts.B_SEAT] & 1
    return Observed(groups, [rows[:, dealfacts.B_STOOD], *results(facts, side, deals)], deals)


@statistic(
    "When bombs are played",
    rows=_LEFT_WORDS,
    measures=(_STOOD, WON, GAIN),
    heading="cards of an opponent",
    unit="bombs played",
    plays=True,
)
def bombs_by_opponents(facts: Facts) -> Observed:
    """Share of bombs that won their trick, and how the side that played them did in the deal, by
    the number of cards that the opponent with fewer has then; one who is out does not count.

    Unit: a bomb played. Observed, not caused.
    """
    return _bombs(facts, codes(facts.play[1][:, dealfacts.B_LEAST], _LEFT))


@statistic(
    "What bombs are played on",
    rows=("led", *SHAPES),
    measures=(_STOOD, WON, GAIN),
    heading="play that was beaten",
    unit="bombs played",
    plays=True,
)
def bombs_by_play(facts: Facts) -> Observed:
    """As "When bombs are played", by the shape of the play that the bomb beat. Unit: a bomb
    played."""
    return _bombs(facts, facts.play[1][:, dealfacts.B_BEAT])


BOMBS = ("4", "5", "straight flush", "6", "7", "8", "9 or 10", "four jokers")


@statistic(
    "Which bombs are played",
    rows=BOMBS,
    measures=(_STOOD, WON, GAIN),
    heading="bomb of",
    unit="bombs played",
    plays=True,
)
def bombs_by_size(facts: Facts) -> Observed:
    """As "When bombs are played", by the bomb, wilds in it counted. Unit: a bomb played."""
    rows = facts.play[1]
    size, shape = rows[:, dealfacts.B_SIZE], rows[:, dealfacts.B_SHAPE]
    sets = np.array([0, 1, 3, 4, 5, 6, 6])[np.clip(size - 4, 0, 6)]
    return _bombs(facts, np.where(shape == 8, sets, np.where(shape == 9, 2, 7)))


@statistic(
    "Passing over a partner",
    rows=_LEFT_WORDS,
    measures=(
        Measure("passed", "share"),
        Measure("won if passed", "share"),
        Measure("won if played", "share"),
    ),
    heading="partner's cards left",
    unit="plays that the partner could beat",
    plays=True,
)
def partner_passes(facts: Facts) -> Observed:
    """How often a seat that could beat its partner's play passes, and how often its side wins the
    deal after it passed and after it played, by the cards that the partner has left.

    Unit: a play to beat that came to its partner's turn, who passed though it had a legal answer,
    or played over it. Passes for want of an answer do not count. A play that went on to be beaten
    by an opponent first does not count, nor one by which the partner went out.
    """
    rows = facts.play[2]
    deals = rows[:, dealfacts.N_DEAL]
    over = rows[:, dealfacts.N_OVER].astype(np.float64)
    won, _ = results(facts, rows[:, dealfacts.N_SEAT] & 1, deals)
    return Observed(
        codes(rows[:, dealfacts.N_LEFT], _LEFT),
        [1 - over, (won * (1 - over), 1 - over), (won * over, over)],
        deals,
    )


@statistic(
    "Cards left when a deal is lost",
    rows=OUTCOMES[:2],
    measures=(Measure("in losing hands", "number"), Measure("in the fuller", "number")),
    heading="winners' places",
    plays=True,
)
def cards_left(facts: Facts) -> Observed:
    """Cards that the losers still hold when the deal ends, both together and in the fuller hand, by
    how it was won.

    Unit: a deal. A deal won by 1-4 does not count: the losers are out, second and third.
    """
    left = facts.play[0][:, dealfacts.S_LEFT : dealfacts.S_LEFT + 4]
    losers = np.stack([1 - facts.winner, 3 - facts.winner], axis=1)
    of_losers = np.take_along_axis(left, losers, axis=1)
    groups = np.where(facts.outcome < 2, facts.outcome, -1)
    return Observed(groups, [of_losers.sum(axis=1), of_losers.max(axis=1)])


_LAST = (1, 3, 6, 11, 16, 21)


@statistic(
    "How full the last hand is",
    rows=("1 or 2", "3 to 5", "6 to 10", "11 to 15", "16 to 20", "21 to 27"),
    measures=(Measure("of deals", "share"),),
    heading="cards",
    plays=True,
    whole=True,
)
def last_hand(facts: Facts) -> Observed:
    """Share of deals by the number of cards in the fuller hand of the losing side at the end.

    Unit: a deal won by 1-2 or 1-3; after 1-4 the losers are out.
    """
    left = facts.play[0][:, dealfacts.S_LEFT : dealfacts.S_LEFT + 4]
    losers = np.stack([1 - facts.winner, 3 - facts.winner], axis=1)
    fullest = np.take_along_axis(left, losers, axis=1).max(axis=1)
    return shares(codes(fullest, _LAST), len(_LAST))


CHAPTER = (
    "How deals are played",
    (
        first_plays,
        first_plays_results,
        bombs_by_opponents,
        bombs_by_play,
        bombs_by_size,
        partner_passes,
        cards_left,
        last_hand,
    ),
)
