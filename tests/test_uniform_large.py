"""What `random` chooses from large hands, hands full of wilds, and in whole deals, is uniform over
the list of legal moves.

Seeds are fixed. Of each hand three things are tested: every move alike, shapes in proportion, and
the move drawn most or least often. The smallest p-value counts threefold, and a right engine with
other seeds would fail one run of this file in a thousand. One move of thousands that is drawn twice
as often is seen.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from kernels import choices
from numpy.typing import NDArray
from scipy import stats

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim import loop
from guandan_sim.bitboard import contains, remove
from guandan_sim.bots import bots_by_seat
from guandan_sim.jit import DISABLED
from guandan_sim.listing import list_moves
from guandan_sim.movegen import count_all_bombs
from guandan_sim.playing import Player
from guandan_sim.rules import new_state
from guandan_sim.shapes import SHAPE_WORDS, kind_of, strength_of

pytestmark = pytest.mark.skipif(DISABLED, reason="plain Python takes hours for these samples")

Rows = NDArray[np.int64]
ROOM = np.zeros((60_000, 4), np.int64)
# Draws of each move. A move drawn twice as often as the others is ten standard errors away.
PER_MOVE = 120


def of_ranks(ranks: str, suits: str) -> str:
    """Cards of each rank in each suit; a suit named twice gives both copies."""
    return " ".join(suit + rank for rank in ranks for suit in suits)


RUN = of_ranks("56789", "SHCD")
TRIPLES = of_ranks("3579JQK", "SCD")
SIXES = of_ranks("789", "SSCCDD")

# A name, the hand, the level, what is to beat.
HANDS = {
    "a thousand straights, no wild": (f"{RUN} {of_ranks('JQ', 'SHC')} SB", "2", None),
    "thousands of straights, one wild": (f"{RUN} H2 {of_ranks('JQ', 'SC')} SB HR", "2", None),
    "thousands of straights, both wilds": (f"{RUN} H2 H2 SJ CJ SB SB HR", "2", None),
    "thousands of tubes and plates": (f"{SIXES} H2 H2 ST DT CT SB SB SJ CQ", "2", None),
    "full houses, joker pairs, one wild": (f"{TRIPLES} H2 SB SB HR HR SA", "2", None),
    "full houses, both wilds, both joker pairs": (f"{TRIPLES} H2 H2 SB SB HR HR", "2", None),
    "near straight flushes, one wild": (
        "S3 S4 S5 S6 S8 S9 ST SJ C5 C6 C7 C8 D9 DT DJ DQ H2 SQ CA CK DK SB SK D4 C3 H5 H6",
        "2",
        None,
    ),
    "near straight flushes, both wilds": (
        "S3 S4 S5 S6 S8 S9 ST SJ C5 C6 C7 C8 D9 DT DJ DQ H2 H2 CA CK DK SB SK D4 C3 H5 H6",
        "2",
        None,
    ),
    "straight flushes of all lengths, both wilds": (
        f"{of_ranks('A23456789TJQK', 'S')} {of_ranks('3579J', 'D')} H8 H8 SB SB HR C4 C5 C7 CA",
        "8",
        None,
    ),
    "level A: wilds, low and high aces": (
        f"HA HA SA CA DA {of_ranks('2345', 'SC')} {of_ranks('TJQK', 'SD')} H2 H3 H9 SB HR S7",
        "A",
        None,
    ),
    "level A: one wild": (
        f"HA SA SA {of_ranks('2345', 'SSD')} {of_ranks('TJQK', 'SC')} SB SB HR HR",
        "A",
        None,
    ),
    "level 2: wilds in low straights": (
        f"H2 H2 S2 C2 D2 {of_ranks('A345', 'SCD')} {of_ranks('67', 'SD')} SB SB HR HR SK DK",
        "2",
        None,
    ),
    "level 2: one wild, twos and aces": (
        f"H2 S2 S2 C2 SA SA DA HA {of_ranks('345', 'SHC')} {of_ranks('TJQK', 'SD')} HR SB",
        "2",
        None,
    ),
    "both wilds alone": ("H9 H9", "9", None),
    "both wilds and a card": ("H9 H9 S3", "9", None),
    "both wilds and all jokers": ("H9 H9 SB SB HR HR", "9", None),
    "both wilds and low aces": ("HA HA SA S2 D3", "A", None),
    "over a single": (f"{RUN} H2 H2 SB HR SQ CK CK", "2", "single 6: S6"),
    "over a pair": (f"{SIXES} H2 H2 SB SB HR HR DK", "2", "pair 7: H7 H7"),
    "over a triple": (f"{SIXES} H2 H2 SJ CJ DQ CQ DK", "2", "triple 7: H7 H7 S7"),
    "over a full house": (
        f"{TRIPLES} H2 H2 SB SB HR HR",
        "2",
        "full_house 4: S4 C4 D4 S6 C6",
    ),
    "over a straight": (f"{RUN} H2 H2 ST CT DT SJ", "2", "straight 6: S2 S3 D4 D5 D6"),
    "over a tube": (f"{SIXES} H2 H2 ST CT DJ CJ", "2", "tube 5: S3 D3 S4 D4 S5 D5"),
    "over a plate": (f"{SIXES} H2 H2 ST CT DJ CJ", "2", "plate 6: S5 D5 C5 S6 D6 C6"),
    "over a bomb of four": (f"{RUN} H2 H2 S9 D8 SK", "2", "bomb 4: S4 C4 D4 H4"),
    "over a bomb of five": (f"{RUN} H2 H2 S9 D8 SK", "2", "bomb 7: S7 C7 D7 H7 H7"),
    "over a straight flush": (
        f"{RUN} H2 H2 S9 C9 SB SB HR HR",
        "2",
        "straight_flush 7: C3 C4 C5 C6 C7",
    ),
    "over a bomb of six": (f"{SIXES} H2 H2 SB SB HR HR", "2", "bomb 8: H8 H8 S8 S8 C8 C8"),
}
P_VALUE = 1e-3 / (len(HANDS) + 10)


def view_of(name: str) -> gs.View:
    hand, level, to_beat = HANDS[name]
    return gs.View(hand, level=level, to_beat=to_beat, to_beat_seat=3)


def moves_of(words: Rows) -> Rows:
    """All legal moves of a view as rows (shape, rank, one, two), the pass last if it is one."""
    kind, strength = words[lay.V_BEAT_KIND : lay.V_BEAT_STRENGTH + 1].tolist()
    hand = words[[lay.V_ONE, lay.V_TWO, lay.V_LEVEL]].tolist()
    rules = words[[lay.V_RULES + lay.R_MAX_BOMB, lay.V_RULES + lay.R_JOKER_PAIR]].tolist()
    return listed(*hand, kind, strength, *rules)


def listed(*words: int) -> Rows:
    """The moves of (one, two), level, (kind, strength), max_bomb and joker_pair."""
    n = int(list_moves(*words, ROOM))
    assert n < len(ROOM)
    ROOM[n] = 0
    return ROOM[: n + (words[3] > 0)].copy()


def drawn(name: str, per_move: int = PER_MOVE) -> tuple[Rows, Rows]:
    """(What `random` chose many times, all its moves) of a hand."""
    words = view_of(name).words
    moves = moves_of(words)
    return choices(gs.bot("random").compiled[0], words, 7, per_move * len(moves)), moves


def keys(rows: Rows) -> Rows:
    """One number a move: different moves of a hand have different ones."""
    odd = np.array([0x1000003, 0x5851F42D, 0x1B873593, 0x9E3779B1], np.int64)
    found: Rows = (rows * odd * odd).sum(axis=1)
    return found


def p_value(written: Rows, moves: Rows) -> float:
    """Three times the lowest p-value of: moves alike, shapes in proportion, the extreme moves."""
    known = keys(moves)
    order = np.argsort(known)
    assert len(np.unique(known)) == len(moves)
    found, times = np.unique(keys(written), return_counts=True)
    assert set(found.tolist()) <= set(known.tolist()), "a move that is not legal"
    counts = np.zeros(len(moves), np.int64)
    counts[order[np.searchsorted(known[order], found)]] = times
    n, share = len(written), 1 / len(moves)
    shapes = np.bincount(moves[:, 0])
    observed = np.bincount(moves[:, 0], weights=counts)[shapes > 0]
    alike = stats.binom(n, share)
    extremes = min(float(alike.sf(counts.max() - 1)), float(alike.cdf(counts.min())))
    values = [float(stats.chisquare(counts).pvalue), 2 * len(moves) * extremes]
    if len(observed) > 1:
        values.append(float(stats.chisquare(observed, shapes[shapes > 0] * n * share).pvalue))
    return 3 * min(values)


def often(written: Rows, move: Rows) -> Rows:
    """The draws of a sampler that makes this move twice as often as each other."""
    again = written[(written == move).all(axis=1)]
    return np.concatenate([written, again])


@pytest.mark.parametrize("name", HANDS)
def test_random_chooses_each_move_of_a_large_hand_alike(name: str) -> None:
    written, moves = drawn(name)
    assert p_value(written, moves) > P_VALUE
    if len(moves) > 20:
        # One move twice as often is seen, whatever its place in the list.
        for at in (0, len(moves) // 2, len(moves) - 1):
            assert p_value(often(written, moves[at]), moves) < P_VALUE


def test_the_hands_are_large_and_have_all_shapes() -> None:
    sizes = {name: len(moves_of(view_of(name).words)) for name in HANDS}
    assert sum(size > 1_000 for size in sizes.values()) >= 8, sizes
    assert sum(size > 5_000 for size in sizes.values()) >= 2, sizes
    led = {shape for name in HANDS for shape in moves_of(view_of(name).words)[:, 0].tolist()}
    assert led == set(range(len(SHAPE_WORDS)))
    for name, (hand, _, to_beat) in HANDS.items():
        if to_beat is None and "both wilds a" not in name and "low aces" not in name[10:]:
            assert len(hand.split()) >= 26, name


def test_biased_samplers_are_seen() -> None:
    written, moves = drawn("near straight flushes, both wilds")
    flush = SHAPE_WORDS.index("straight_flush")
    # A move that is never made, a shape made a tenth more often, and moves of a wild made for those
    # without: each is a slip that counting or unranking could have.
    never = written[(written != moves[len(moves) // 3]).any(axis=1)]
    assert p_value(never, moves) < P_VALUE
    of_shape = written[written[:, 0] == flush]
    assert p_value(np.concatenate([written, of_shape[::10]]), moves) < P_VALUE
    moved = written.copy()
    moved[(written == moves[3]).all(axis=1)] = moves[4]
    assert p_value(moved, moves) < P_VALUE
    with pytest.raises(AssertionError, match="not legal"):
        p_value(np.concatenate([written, [[1, 2, 3, 0]]]), moves)


def fingerprint() -> str:
    """A hash over some draws from every hand; `test_vectors` has portable code make them too."""
    digest = hashlib.sha256()
    for name in HANDS:
        words = view_of(name).words
        one, two, level = words[[lay.V_ONE, lay.V_TWO, lay.V_LEVEL]].tolist()
        assert words[lay.V_BOMBS] == count_all_bombs(one, two, level, 10)
        digest.update(choices(gs.bot("random").compiled[0], words, 3, 3_000).tobytes())
    return digest.hexdigest()


# --- Whole deals ----------------------------------------------------------------------------------


class Tally:
    """Choices made in play against what uniform choices among the listed moves would give."""

    def __init__(self) -> None:
        self.made: dict[tuple[int, int], int] = defaultdict(int)
        self.expected: dict[tuple[int, int], float] = defaultdict(float)
        self.variance: dict[tuple[int, int], float] = defaultdict(float)
        self.places: list[float] = []
        self._spread = np.random.default_rng(5)

    def add(self, kind: int, moves: Rows, move: list[int]) -> None:
        """Count one choice over a play of this kind (0: a lead)."""
        for shape, count in enumerate(np.bincount(moves[:, 0]).tolist()):
            if count:
                share = count / len(moves)
                self.expected[kind, shape] += share
                self.variance[kind, shape] += share * (1 - share)
        self.made[kind, move[0]] += 1
        (place,) = np.flatnonzero((moves == move).all(axis=1))
        self.places.append((int(place) + float(self._spread.random())) / len(moves))

    def scores(self) -> dict[tuple[int, int], float]:
        """Standard errors by which a shape was made too often over a kind, where there were many
        choices.
        """
        return {
            key: (self.made[key] - self.expected[key]) / variance**0.5
            for key, variance in self.variance.items()
            if variance > 25
        }

    def places_alike(self) -> float:
        """The p-value of the places that the moves made have in their lists being uniform."""
        return float(stats.chisquare(np.histogram(self.places, 50, (0, 1))[0]).pvalue)


def choices_in_play(bot: str, rules: str, deals: int) -> Iterator[tuple[int, Rows, list[int]]]:
    """Every choice of played deals: the kind to beat, the moves there were, the move made."""
    words = gs.Rules.preset(rules).words()
    max_bomb, joker_pair = words[[lay.R_MAX_BOMB, lay.R_JOKER_PAIR]].tolist()
    for deal, plays in played(bots_by_seat(bot), rules, deals):
        hands = deal[loop.D_HANDS : loop.D_HANDS + 8].reshape(4, 2).tolist()
        level = int(deal[loop.D_LEVEL])
        kind = strength = 0
        for packed, one, two in plays.tolist():
            seat, shape, rank = packed & 3, packed >> lay.H_SHAPE & 15, packed >> lay.H_RANK & 15
            for other in range(4):
                if packed >> loop.P_CHOSEN & 1 << other:
                    moves = listed(*hands[other], level, kind, strength, max_bomb, joker_pair)
                    yield kind, moves, [0, 0, 0, 0]
            if packed >> lay.H_LEAD & 1:
                kind = strength = 0
            moves = listed(*hands[seat], level, kind, strength, max_bomb, joker_pair)
            yield kind, moves, [shape, rank, one, two]
            assert contains(*hands[seat], one, two)
            hands[seat] = list(remove(*hands[seat], one, two))
            kind = int(kind_of(shape))
            strength = int(strength_of(shape, rank, packed >> lay.H_SIZE & 15, level))


def played(bots: tuple[gs.Bot, ...], rules: str, deals: int) -> Iterator[tuple[Rows, Rows]]:
    """(Row of the deal, rows of its plays) of deals with an opening lead, the level drawn."""
    arguments = np.zeros(loop.ARGUMENTS, np.int64)
    arguments[loop.A_SEED], arguments[loop.A_END] = 41, deals
    arguments[loop.A_PREVIOUS], arguments[loop.A_LOG_PLAYS] = -1, 1
    rows = [
        np.zeros((n, width), np.int64)
        for n, width in (
            ((deals + 1) * lay.MAX_PLIES, loop.PLAY_WIDTH),
            (deals, loop.DEAL_WIDTH),
            (2 * deals + 2, loop.TRIBUTE_WIDTH),
            (0, loop.MATCH_WIDTH),
        )
    ]
    state = new_state(gs.Rules.preset(rules))
    assert Player(bots).run_sets(state, arguments, np.zeros(loop.CURSOR, np.int64), rows) == deals
    ends = np.cumsum(rows[1][:, loop.D_PLAYS]).tolist()
    for deal, (begin, end) in zip(rows[1], pairwise([0, *ends]), strict=True):
        yield deal, rows[0][begin:end]


@pytest.mark.parametrize(
    ("rules", "deals"), [("guide", 500), ("ace_reset", 250), ("short_game", 250)]
)
def test_in_whole_deals_each_shape_is_made_as_often_as_the_lists_say(
    rules: str, deals: int
) -> None:
    tally = Tally()
    for choice in choices_in_play("random", rules, deals):
        tally.add(*choice)
    scores = tally.scores()
    # Leads of nearly every shape, answers and passes over several.
    assert len(scores) > 15
    assert sum(kind == 0 for kind, _ in scores) >= 6
    worst = max(abs(score) for score in scores.values())
    assert 2 * len(scores) * stats.norm.sf(worst) > P_VALUE, scores
    assert tally.places_alike() > P_VALUE
    # An eighth more single leads would be seen, and so would a few passes too many.
    for key, share in (((0, 1), 0.12), ((1, 0), 0.12)):
        tally.made[key] += int(share * tally.made[key])
        assert 2 * len(scores) * stats.norm.sf(abs(tally.scores()[key])) < P_VALUE


def test_a_bot_with_a_taste_is_not_taken_for_uniform() -> None:
    tally = Tally()
    for choice in choices_in_play("greedy", "guide", 40):
        tally.add(*choice)
    assert max(abs(score) for score in tally.scores().values()) > 8
    assert tally.places_alike() < P_VALUE
