"""Exact chances against hands dealt by the engine, and against packs that NumPy shuffled.

The four hands of a deal depend on each other, so a figure is summed up over each deal, and its
standard error is that of the deals. Seeds are fixed: a right engine would fail at one seed in a
thousand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import guandan_sim as gs
from guandan_sim import exact
from guandan_sim.jit import DISABLED

pytestmark = pytest.mark.skipif(DISABLED, reason="plain Python takes hours for these samples")

LEVELS = "23456789TJQKA"
BLACK, RED = 56, 60
DEALS = 150_000
LIMIT = 4.5


def z_score(values: np.ndarray, expected: Fraction | float) -> float:
    """How many standard errors the mean of independent values is from what is expected."""
    assert values.any()
    spread = values.std(ddof=1) / math.sqrt(len(values))
    return float((values.mean() - float(expected)) / spread)


def z_share(yes: pd.Series, chance: Fraction) -> float:
    """The same for truths, whose spread is known."""
    share = float(chance)
    return float((yes.mean() - share) / math.sqrt(share * (1 - share) / len(yes)))


def run_of(folder: Path, **settings: Any) -> gs.Run:
    run = gs.simulate(bots="random", log="deals", workers=2, out=folder / "run", **settings)
    assert isinstance(run, gs.Run)
    return run


# Hands


def by_deal(found: np.ndarray) -> np.ndarray:
    """How often something is found in each deal."""
    counts: np.ndarray = found.reshape(len(found), -1).sum(axis=1)
    return counts


@dataclass
class Dealt:
    """The hands of many deals, in copies held.

    ``levels``: int[deal], from 0 for 2; ``natural``: int8[deal, seat, rank, suit] without the
    wilds; ``wilds``, ``black``, ``red``: int8[deal, seat].
    """

    levels: np.ndarray
    natural: np.ndarray
    wilds: np.ndarray
    black: np.ndarray
    red: np.ndarray

    @classmethod
    def of(cls, held: np.ndarray, levels: np.ndarray) -> Dealt:
        """Hands by card number, int8[deal, seat, 64]."""
        natural = held[:, :, 4:56].reshape(len(held), 4, 13, 4)
        deals = np.arange(len(held))
        wilds = natural[deals, :, levels, 1].copy()
        natural[deals, :, levels, 1] = 0
        return cls(levels, natural, wilds, held[:, :, BLACK], held[:, :, RED])

    @cached_property
    def of_rank(self) -> np.ndarray:
        """Natural cards of each rank: int8[deal, seat, rank]."""
        cards: np.ndarray = self.natural.sum(axis=3, dtype=np.int8)
        return cards

    @cached_property
    def straight_flushes(self) -> np.ndarray:
        """In how many hands of a deal there is a natural one."""
        has = self.natural > 0
        around = np.concatenate([has[:, :, -1:], has], axis=2)  # the ace at both ends
        two = around[:, :, :-1] & around[:, :, 1:]
        four = two[:, :, :-2] & two[:, :, 2:]
        return by_deal((four[:, :, :-1] & around[:, :, 4:]).any(axis=(2, 3)))


def dealt_by_numpy() -> Dealt:
    generator = np.random.default_rng(2)
    numbers = np.repeat([*range(4, 56), BLACK, RED], 2).astype(np.int8)
    packs = generator.permuted(np.broadcast_to(numbers, (DEALS, 108)), axis=1)
    held = np.zeros((DEALS, 4, 64), np.int8)
    for seat in range(4):
        for place in range(27 * seat, 27 * seat + 27):
            held[np.arange(DEALS), seat, packs[:, place]] += 1
    return Dealt.of(held, generator.integers(13, size=DEALS))


def dealt_by_the_engine(deals: pd.DataFrame) -> Dealt:
    held = np.zeros((len(deals), 4, 64), np.int8)
    for seat in range(4):
        for word in ("one", "two"):
            cards = deals[f"hand{seat}_{word}"].to_numpy().astype("<u8")
            bits = np.unpackbits(cards.view(np.uint8), bitorder="little")
            held[:, seat] += bits.reshape(len(deals), 64).astype(np.int8)
    return Dealt.of(held, deals["level"].astype(str).map(LEVELS.index).to_numpy(np.int64))


@pytest.fixture(scope="module", name="run")
def run_after_drawn_finishes(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    folder = tmp_path_factory.mktemp("runs")
    return run_of(folder, deals=DEALS, previous_order="random", seed=11).deals()


@pytest.fixture(scope="module", params=["engine", "numpy"], name="dealt")
def hands_from_both(request: pytest.FixtureRequest) -> Dealt:
    if request.param == "numpy":
        return dealt_by_numpy()
    return dealt_by_the_engine(request.getfixturevalue("run"))


def test_hands_are_whole(dealt: Dealt) -> None:
    cards = dealt.natural.sum(axis=(2, 3)) + dealt.wilds + dealt.black + dealt.red
    assert (cards == 27).all()


def test_wilds_and_red_jokers_of_a_hand(dealt: Dealt) -> None:
    for held in range(3):
        chance = exact.copies(held, of=2)
        for cards in (dealt.wilds, dealt.red, dealt.black):
            assert abs(z_score(by_deal(cards == held), 4 * chance)) < LIMIT


def test_red_jokers_and_wilds_of_a_team(dealt: Dealt) -> None:
    for cards in (dealt.red, dealt.wilds):
        both = cards[:, :2] + cards[:, 2:] == 2
        assert abs(z_score(by_deal(both), 2 * exact.copies(2, of=2, cards=54))) < LIMIT


def test_all_jokers_in_a_hand_and_in_a_team(dealt: Dealt) -> None:
    jokers = dealt.red + dealt.black
    teams = jokers[:, :2] + jokers[:, 2:]
    for held in range(5):
        assert abs(z_score(by_deal(jokers == held), 4 * exact.copies(held, of=4))) < LIMIT
        in_team = exact.copies(held, of=4, cards=54)
        assert abs(z_score(by_deal(teams == held), 2 * in_team)) < LIMIT


def test_natural_bombs_by_size(dealt: Dealt) -> None:
    of_rank = dealt.of_rank
    for size in range(4, 9):
        bombs = by_deal(of_rank == size)
        assert abs(z_score(bombs, 4 * exact.natural_bombs(size))) < LIMIT
        hands = by_deal(np.max(of_rank, axis=2) >= size)
        assert abs(z_score(hands, 4 * exact.any_natural_bomb(size))) < LIMIT


def test_natural_straight_flushes_by_level(dealt: Dealt) -> None:
    hands = dealt.straight_flushes
    for number, level in enumerate(LEVELS):
        of_level = hands[dealt.levels == number]
        assert abs(z_score(of_level, 4 * exact.natural_straight_flush(level))) < LIMIT
    expected = np.array([float(exact.natural_straight_flush(level)) for level in LEVELS])
    assert abs(z_score(hands - 4 * expected[dealt.levels], 0)) < LIMIT


def test_slips_of_a_few_percent_are_seen(dealt: Dealt) -> None:
    of_rank = dealt.of_rank
    # Were the wilds cards of their rank, or all ranks of six.
    for size in (4, 5):
        bombs = by_deal(of_rank == size)
        assert z_score(bombs, 4 * 13 * exact.copies(size, of=8)) < -LIMIT
        assert z_score(bombs, 4 * 13 * exact.copies(size, of=6)) > LIMIT
    # Were an ace as dear to straight flushes as a nine.
    hands = dealt.straight_flushes[dealt.levels == LEVELS.index("A")]
    assert z_score(hands, 4 * exact.natural_straight_flush("9")) > LIMIT
    # Were the red jokers dealt each on its own.
    assert z_score(by_deal(dealt.red == 2), 4 * Fraction(1, 16)) < -LIMIT


# Tribute


def assert_cancelled_as_often(deals: pd.DataFrame, rules: str) -> None:
    chances = exact.tribute_cancelled(rules)
    assert set(chances) == {"single", "double"}
    for kind, chance in chances.items():
        due = deals["cancelled"][deals["tribute"] == kind]
        assert len(due) > 10_000
        assert abs(z_share(due, chance)) < LIMIT


def test_tributes_cancelled(run: pd.DataFrame) -> None:
    assert_cancelled_as_often(run, "guide")


@pytest.mark.parametrize("rules", ["wikipedia", "short_game"])
def test_tributes_cancelled_under_other_rules(tmp_path: Path, rules: str) -> None:
    run = run_of(tmp_path, deals=60_000, rules=rules, previous_order="random", seed=12)
    assert_cancelled_as_often(run.deals(), rules)


def test_the_rules_of_others_are_told_apart(run: pd.DataFrame) -> None:
    due = {kind: run["cancelled"][run["tribute"] == kind] for kind in ("single", "double")}
    assert z_share(due["single"], exact.tribute_cancelled("short_game")["single"]) < -LIMIT
    assert z_share(due["double"], exact.tribute_cancelled("wikipedia")["double"]) > LIMIT


# The first lead


@pytest.mark.parametrize("rules", ["guide", "wikipedia", "kawu"])
def test_who_leads_first_and_who_is_out_first(tmp_path: Path, rules: str) -> None:
    deals = run_of(tmp_path, deals=60_000, rules=rules, seed=13).deals()
    for seat, chance in enumerate(exact.first_lead(rules)):
        assert abs(z_share(deals["leader"] == seat, chance)) < LIMIT
        # All seats play alike, and a deal turned by one seat is as likely.
        assert abs(z_share(deals["first"] == seat, Fraction(1, 4))) < LIMIT


# Promotion


@pytest.mark.parametrize(
    ("rules", "gains"), [("guide", (3, 2, 1)), ("pagat", (4, 2, 1)), ("short_game", (3, 2, 1))]
)
def test_levels_move_by_what_the_finish_is_worth(
    tmp_path: Path, rules: str, gains: tuple[int, int, int]
) -> None:
    of_rules = gs.Rules.preset(rules)
    assert of_rules.promotion == gains
    top = LEVELS.index(of_rules.top_level)
    run = run_of(tmp_path, matches=1_000, rules=rules, seed=14)
    matches = run.matches().set_index("set")
    deals = run.deals()
    seats = deals[["first", "second", "third", "last"]].to_numpy(np.int64)
    # The place of the first player's partner, from 0 for the second.
    place = (seats[:, 1:] == (seats[:, :1] ^ 2)).argmax(axis=1)
    worth = np.array(gains)[place]
    winners = seats[:, 0] & 1
    before = levels_of(deals)
    final = levels_of(matches.loc[deals["set"]])
    closing = (deals["set"].shift(-1) != deals["set"]).to_numpy()
    after = np.where(closing[:, None], final, np.roll(before, -1, axis=0))
    opening = (deals["deal"] == 0).to_numpy()
    assert (before[opening] == 0).all()

    raised = before.copy()
    raised[np.arange(len(deals)), winners] += worth
    raised = np.minimum(raised, top)
    back = after < before
    # Nobody falls but from the top to 2, and only where failures count.
    assert (before[back] == top).all()
    assert (after[back] == 0).all()
    assert back.any() == (of_rules.top_failures > 0)
    assert back.sum(axis=0).tolist() == [matches[f"resets{team}"].sum() for team in range(2)]
    assert (after[~back] == raised[~back]).all()
    winners_back = back[np.arange(len(deals)), winners]
    assert (deals["gain"].to_numpy() == np.where(winners_back, 0, worth)).all()
    assert set(deals["gain"][~winners_back]) == set(gains)
    # The steps are also met whole, below the top and up to it.
    steps = (after - before)[np.arange(len(deals)), winners]
    for gain in gains:
        assert ((worth == gain) & (steps == gain)).any()
    assert ((steps < worth) & (before[np.arange(len(deals)), winners] < top)).any()


def levels_of(frame: pd.DataFrame) -> np.ndarray:
    """The levels of both teams, from 0 for 2: int64[row, team]."""
    words = [frame[f"level{team}"].astype(str).map(LEVELS.index) for team in range(2)]
    return np.stack([column.to_numpy(np.int64) for column in words], axis=1)
