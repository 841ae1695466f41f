"""The moves and cards that `random` chooses are equally likely, and the cards that a seat is dealt.

Seeds are fixed: a right engine would fail at one seed in a thousand. Samples are large enough to
see a bias of a few percent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels import choices, deal_many
from scipy import stats

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim.cards import CARD_CODES, CARD_NUMBERS, RANK_WORDS, cards_to_words
from guandan_sim.jit import DISABLED
from guandan_sim.view import card_view

pytestmark = pytest.mark.skipif(DISABLED, reason="plain Python takes hours for these samples")

P_VALUE = 1e-3
DEALS = 200_000
Words = tuple[int, int, int, int]


def p_value(written: np.ndarray, moves: set[Words]) -> float:
    """The lower p-value of two chi-squares: each move alike, each shape in proportion.

    ``written`` are rows (shape, rank, one, two); exactly ``moves`` must be among them.
    """
    found, counts = np.unique(
        np.ascontiguousarray(written).view([("", np.int64)] * written.shape[1]).ravel(),
        return_counts=True,
    )
    assert set(found.tolist()) == moves
    shapes = np.array([move[0] for move in found.tolist()])
    drawn = np.bincount(shapes, weights=counts)
    expected = np.bincount(shapes) * (len(written) / len(moves))
    of_shapes = stats.chisquare(drawn[expected > 0], expected[expected > 0])
    return float(min(stats.chisquare(counts).pvalue, of_shapes.pvalue))


def play_sample(view: gs.View, per_move: int, key: int = 1) -> tuple[np.ndarray, set[Words]]:
    moves = {move.words for move in view.legal_moves()}
    play = gs.bot("random").compiled[0]
    return choices(play, view.words, key, per_move * len(moves)), moves


NINES = "S9 S9 H9 H9 C9 C9 D9 D9"

# A name, the hand, the level, what is to beat.
POSITIONS = {
    "a lead of three cards": ("S9 D9 SK", "2", None),
    "one answer or the pass": ("S9", "2", "single 8: S8"),
    "a wild alone and with a card": ("S9 H2", "2", None),
    "both wilds": ("H7 H7 S8 D8 S9", "7", None),
    "both wilds answer a pair": ("H7 H7 S8 D8 S9 SB", "7", "pair 7: S7 C7"),
    "both wilds answer a triple": ("H7 H7 S8 D8 S9 C9 SK", "7", "triple 8: S8 C8 H8"),
    "full houses and their bombs": ("S9 C9 D9 S8 D8 SB SB H2", "2", "full_house 3: S3 C3 D3 S4 D4"),
    "a straight flush less one": ("S5 S6 S7 S8 D9 H2", "2", None),
    "straights around a straight flush": (
        "S5 S6 S7 S8 S9 D5 D7 C9",
        "2",
        "straight 6: S2 D3 S4 S5 S6",
    ),
    "a straight flush and both wilds": (
        "S5 S6 S7 S8 S9 ST H2 H2",
        "2",
        "straight 8: S4 D5 S6 S7 S8",
    ),
    "aces at both ends": ("SA DA S2 C3 D4 H5 ST CJ DQ HK", "A", None),
    "level two, ace low": ("SA D2 C3 D4 S5 H2 H2", "2", None),
    "aces wild, low straights": ("HA HA S2 C3 D4 S5 S5", "A", "straight 5: SA D2 C3 D4 S5"),
    "tubes": ("S5 D5 S6 D6 C6 S7 H2 H2", "2", "tube 4: S2 D2 S3 D3 S4 D4"),
    "plates": ("SA CA DA S2 C2 D2 S3 C3 H7 H7", "7", None),
    "bombs of eight and wilds": (f"{NINES} H2 H2", "2", "bomb 9: S9 C9 D9 H9"),
    "bombs of six and more": (
        f"{NINES} H2 H2 SB SB HR HR",
        "2",
        "straight_flush A: SA SK SQ SJ ST",
    ),
    "only the joker bomb": (f"SB SB HR HR {NINES}", "2", "bomb 9: S9 S9 C9 C9 D9 D9 H9 H9"),
}


@pytest.mark.parametrize(("hand", "level", "to_beat"), POSITIONS.values(), ids=POSITIONS)
def test_random_plays_each_legal_move_alike(hand: str, level: str, to_beat: str | None) -> None:
    view = gs.View(hand, level=level, to_beat=to_beat, to_beat_seat=3)
    assert p_value(*play_sample(view, per_move=2_000)) > P_VALUE


@pytest.mark.parametrize("rules", ["ace_reset", "short_game"])
def test_random_plays_each_move_that_the_rules_allow_alike(rules: str) -> None:
    view = gs.View(f"{NINES} H2 S8 SB SB", level="2", rules=rules)
    assert p_value(*play_sample(view, per_move=1_500)) > P_VALUE


@pytest.mark.parametrize(("seed", "level"), [(4, "2"), (21, "A"), (5, "7"), (9, "T")])
def test_random_leads_from_27_cards_each_move_alike(seed: int, level: str) -> None:
    deal = gs.Deal(seed=seed, level=level)
    written, moves = play_sample(deal.view(), per_move=300)
    assert len(moves) > 200
    assert p_value(written, moves) > P_VALUE


def test_random_answers_with_27_cards_each_move_and_the_pass_alike() -> None:
    deal = gs.Deal(seed=3, level="2")
    deal.play(next(m for m in deal.legal_moves() if m.shape == "pair" and m.rank in "345"))
    written, moves = play_sample(deal.view(), per_move=1_000)
    assert (0, 0, 0, 0) in moves
    assert len(moves) > 15
    assert p_value(written, moves) > P_VALUE


def test_a_bias_of_a_few_percent_is_seen() -> None:
    view = gs.View("H7 H7 S8 D8 S9", level="7")
    written, moves = play_sample(view, per_move=2_000)
    often = written[0].copy()
    # One move takes the place of every fiftieth other one.
    written[::50] = often
    assert p_value(written, moves) < P_VALUE


def test_in_played_deals_moves_are_uniform_and_answers_independent_of_them() -> None:
    # Each of three leads has the same four answers, the pass among them.
    hands = ("S3 S4 D5", "S9 D9 ST", "C3", "D3")
    table = np.zeros((3, 4), np.int64)
    leads, answers = ["3S", "4S", "5D"], ["", "9S", "9D", "TS"]
    for seed in range(2_000):
        deal = gs.Deal(seed=seed, level="2", hands=hands, leader=0)
        deal.play_out("random")
        lead, answer = (m.rank + m.cards[0][0] if m.cards else "" for _, m in deal.history[:2])
        table[leads.index(lead), answers.index(answer)] += 1
    assert stats.chisquare(table.ravel()).pvalue > P_VALUE
    assert stats.chi2_contingency(table).pvalue > P_VALUE


def test_random_gives_and_returns_each_card_alike() -> None:
    rules = gs.Rules.preset("guide")
    low, aces = "S3 DT CT C4 C4 SJ", "SA DA HA"
    given = card_view(f"{low} {aces} H5", "5", 0, rules, giver=0, receiver=1)
    returned = card_view(f"{low} {aces} S5", "5", 0, rules, giver=1, receiver=0, card="SA")
    for role, view, expected in ((1, given, aces), (2, returned, "S3 DT CT C4")):
        written = choices(gs.bot("random").compiled[role], view.words, 6, 40_000)[:, lay.OUT_CARD]
        cards, counts = np.unique(written, return_counts=True)
        assert {CARD_CODES[card] for card in cards.tolist()} == set(expected.split())
        assert stats.chisquare(counts).pvalue > P_VALUE


# --- The shuffle ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def packs() -> np.ndarray:
    """Copies held in many deals: int8[deal, seat, kind], kinds in the order of `CARD_CODES`."""
    words = np.zeros((DEALS, 8), np.int64)
    deal_many(20, 0, words)
    held = np.zeros((DEALS, 4, len(CARD_CODES)), np.int8)
    for kind, number in enumerate(CARD_CODES):
        held[:, :, kind] = (words[:, ::2] >> number & 1) + (words[:, 1::2] >> number & 1)
    return held


def kind_of(card: str) -> int:
    return list(CARD_CODES).index(CARD_NUMBERS[card])


def z_score(events: int, probability: float, trials: int = DEALS) -> float:
    """How many standard errors a count of independent events is from its mean."""
    variance = trials * probability * (1 - probability)
    return float((events - trials * probability) / np.sqrt(variance))


def test_every_card_is_equally_often_at_every_seat(packs: np.ndarray) -> None:
    table = packs.sum(axis=0, dtype=np.int64)
    # The cells of a random 4 x 54 table with sums 27 and 2 have the covariance
    # (54/107) (I - J/4) x (I - J/54), so that the squares over 54/107 are chi-square with 3 * 53.
    squares = ((table - DEALS / 2) ** 2).sum() / (DEALS * 54 / 107)
    assert P_VALUE < stats.chi2.sf(squares, 3 * 53) < 1 - P_VALUE


def test_both_copies_of_a_card_meet_as_often_as_two_cards_do(packs: np.ndarray) -> None:
    together = (packs == 2).sum(axis=0)
    z = np.array([z_score(n, 27 * 26 / (108 * 107)) for n in together.ravel().tolist()])
    assert np.abs(z).max() < 4.5
    assert abs(np.mean(z**2) - 1) < 0.4


def test_every_two_kinds_of_card_meet_equally_often(packs: np.ndarray) -> None:
    kinds = len(CARD_CODES)
    off_diagonal = ~np.eye(kinds, dtype=bool)
    # Four pairs of a copy each, and a pair of cards is at a seat in 27 * 26 of 108 * 107 deals.
    mean = 4 * 27 * 26 / (108 * 107)
    for seat in range(4):
        held = packs[seat::4, seat].astype(np.float32)
        met = (held.T @ held)[off_diagonal]
        spread = np.sqrt(((held**2).T @ held**2)[off_diagonal] / len(held) - mean**2)
        z = (met / len(held) - mean) / spread * np.sqrt(len(held))
        assert np.abs(z).max() < 5
        assert abs(np.mean(z**2) - 1) < 0.2


def test_successive_deals_are_independent(packs: np.ndarray) -> None:
    first, second = packs[:-1], packs[1:]
    same = (first.astype(np.int64) * second).sum(axis=(1, 2))
    # 216 products of independent copies of mean 1/2.
    assert abs(same.mean() - 216 / 4) < 4 * same.std() / np.sqrt(DEALS / 2)


def test_both_red_jokers_are_with_a_seat_or_team_as_often_as_they_should(packs: np.ndarray) -> None:
    red = packs[:, :, kind_of("HR")]
    for seat in range(4):
        assert abs(z_score(int((red[:, seat] == 2).sum()), 27 * 26 / (108 * 107))) < 4
    assert abs(z_score(int((red == 2).any(axis=1).sum()), 26 / 107)) < 4
    for team in range(2):
        both = red[:, team] + red[:, team + 2] == 2
        assert abs(z_score(int(both.sum()), 54 * 53 / (108 * 107))) < 4
    one_of_the_team = (red[:, 0] == 2) | (red[:, 2] == 2)
    assert abs(z_score(int(one_of_the_team.sum()), 2 * 27 * 26 / (108 * 107))) < 4


def hypergeometric(copies: int, n: int) -> float:
    return float(stats.hypergeom(108, copies, 27).pmf(n))


@pytest.mark.parametrize("rank", RANK_WORDS[1:14])
def test_a_seat_holds_no_one_or_both_wilds_as_often_as_it_should(
    packs: np.ndarray, rank: str
) -> None:
    wilds = packs[:, :, kind_of("H" + rank)]
    for seat in range(4):
        for n in range(3):
            assert abs(z_score(int((wilds[:, seat] == n).sum()), hypergeometric(2, n))) < 4


def test_cards_of_a_rank_and_of_a_suit_in_a_hand_are_hypergeometric(packs: np.ndarray) -> None:
    groups: list[tuple[int, Any]] = [
        (8, [suit + "9" for suit in "SHCD"]),
        (26, ["H" + rank for rank in RANK_WORDS[1:14]]),
        (4, ["SB", "HR"]),
    ]
    for copies, cards in groups:
        held = packs[:, :, [kind_of(card) for card in cards]].sum(axis=2)
        for seat in range(4):
            counts = np.bincount(held[:, seat], minlength=copies + 1)
            expected = np.array([hypergeometric(copies, n) for n in range(copies + 1)]) * DEALS
            tail = int((expected >= 10).argmin()) or copies
            f_obs = [*counts[:tail], counts[tail:].sum()]
            f_exp = [*expected[:tail], expected[tail:].sum()]
            assert stats.chisquare(f_obs, f_exp).pvalue > P_VALUE


def test_the_marked_card_is_equally_often_with_each_seat() -> None:
    leaders = np.bincount(
        [gs.Deal(seed=8, number=n).leader or 0 for n in range(4_000)], minlength=4
    )
    assert stats.chisquare(leaders).pvalue > P_VALUE


def test_full_hands_are_those_of_a_deal() -> None:
    words = np.zeros((3, 8), np.int64)
    deal_many(20, 0, words)
    for number in range(3):
        for seat, hand in enumerate(gs.Deal(seed=20, number=number).hands):
            assert tuple(words[number, 2 * seat : 2 * seat + 2].tolist()) == cards_to_words(hand)
