"""Who leads when there is no deal before: by a marked card, by the last draw, or at random.

The text is the rules': a uniformly drawn place in the shuffled pack is turned up and its holder
leads; or a card is turned up (a joker: turn again), counting counter-clockwise from the turner by
its rank says who draws first, and the player who draws the last card leads; or a uniform seat.
Seeds are fixed: a right engine would fail at one seed in ten thousand.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from games import CARD_BITS, PausedMatch
from oracle import full_pack
from scipy import stats

import guandan_sim as gs
from guandan_sim import layout as lay

DEALS = 4_000
P_VALUE = 1e-4
PIPS = {rank: pips for pips, rank in enumerate("A23456789TJQK", start=1)}


def deals_of(
    folder: Path, rules: gs.Rules | str, deals: int = DEALS, seed: int = 0
) -> pd.DataFrame:
    run = gs.simulate(
        deals=deals, rules=rules, seed=seed, bots="greedy", log="deals", out=folder / "run"
    )
    assert isinstance(run, gs.Run)
    frame = run.deals()
    assert len(frame) == deals
    return frame.assign(drawn=frame["drawn"].astype(str))


def uniform(values: pd.Series, among: int) -> bool:
    """Whether 0 .. ``among`` - 1 are drawn alike, by chi-square."""
    counts = np.bincount(values.to_numpy(np.int64), minlength=among)
    assert len(counts) == among
    return bool(stats.chisquare(counts).pvalue > P_VALUE)


def holds(deals: pd.DataFrame, seat: int, word: str) -> pd.Series:
    """Whether that word of the seat's hand as dealt has the drawn card."""
    bits = deals["drawn"].map(CARD_BITS).to_numpy(np.int64)
    return pd.Series((deals[f"hand{seat}_{word}"].to_numpy(np.int64) & bits) != 0, deals.index)


@pytest.mark.parametrize(
    "rules", ["guide", "official", gs.Rules.preset("kawu").replace(opening_leader="marked_card")]
)
def test_the_holder_of_the_marked_card_leads(tmp_path: Path, rules: gs.Rules | str) -> None:
    deals = deals_of(tmp_path, rules, seed=31)
    held = pd.DataFrame({seat: holds(deals, seat, "one") for seat in range(4)})
    for seat in range(4):
        assert held.loc[deals["leader"] == seat, seat].all()
    assert uniform(deals["leader"], 4)
    # Each of the 54 kinds has two places in the pack, jokers too.
    kinds = sorted(set(full_pack()))
    assert set(deals["drawn"]) == set(kinds)
    assert uniform(deals["drawn"].map(kinds.index), 54)
    # The two copies in two hands: either is the marked one as often. In one hand: 26 in 107.
    split = held.sum(axis=1) == 2
    lower = held.idxmax(axis=1)
    assert uniform((deals["leader"] == lower)[split].astype(int), 2)
    test = stats.binomtest(int((~split).sum()), DEALS, 26 / 107)
    assert test.pvalue > P_VALUE
    assert (held.sum(axis=1) <= 2).all()


@pytest.mark.parametrize(
    "rules", ["wikipedia", gs.Rules.preset("guide").replace(opening_leader="last_drawer")]
)
def test_who_draws_the_last_card_leads(tmp_path: Path, rules: gs.Rules | str) -> None:
    deals = deals_of(tmp_path, rules, seed=32)
    kinds = sorted(set(full_pack()) - {"SB", "HR"})
    assert set(deals["drawn"]) == set(kinds)
    assert uniform(deals["drawn"].map(kinds.index), 52)
    assert uniform(deals["leader"], 4)
    # Of 108 cards in four hands the last is drawn by the player before the first drawer; the
    # turner counts as one: an ace makes the turner draw first, a five, too.
    pips = deals["drawn"].str[1].map(PIPS)
    first = (deals["leader"] + 1) % 4
    turner = (first - (pips - 1)) % 4
    assert uniform(turner, 4)
    # Whoever turns, any card is as likely: by suit and rank, and by where the count ends.
    assert uniform(4 * (pips - 1) + turner, 52)
    table = pd.crosstab(deals["drawn"], turner)
    assert table.shape == (52, 4)
    assert stats.chi2_contingency(table).pvalue > P_VALUE
    # It is turned up before the cards are drawn: its holder is anyone.
    held = pd.concat([holds(deals, seat, "one").astype(int) for seat in range(4)], axis=1)
    of_leader = held.to_numpy()[np.arange(DEALS), deals["leader"].to_numpy(np.int64)]
    share = 1 - 81 * 80 / (108 * 107)
    assert stats.binomtest(int(of_leader.sum()), DEALS, share).pvalue > P_VALUE


@pytest.mark.parametrize("rules", ["ace_reset", "short_game", "kawu", "openguandan"])
def test_a_random_seat_leads(tmp_path: Path, rules: str) -> None:
    deals = deals_of(tmp_path, rules, seed=33)
    assert set(deals["drawn"]) == {""}
    assert uniform(deals["leader"], 4)
    assert uniform(4 * deals["leader"].shift(1, fill_value=0) + deals["leader"], 16)


@pytest.mark.parametrize("rules", ["guide", "wikipedia", "kawu"])
def test_every_seat_is_shown_the_card_and_who_leads(tmp_path: Path, rules: str) -> None:
    deals = deals_of(tmp_path, rules, deals=40, seed=34)
    for row in deals.to_dict("records"):
        deal = gs.Deal(seed=34, number=row["set"], level=row["level"], rules=rules)
        card = 0 if row["drawn"] == "" else CARD_BITS[row["drawn"]].bit_length() - 1
        assert (deal.leader, deal.to_move) == (row["leader"], row["leader"])
        for seat in range(4):
            words = deal.view(seat).words
            assert words[[lay.V_LEADER, lay.V_MARKED]].tolist() == [row["leader"], card]


@pytest.mark.parametrize("rules", ["guide", "wikipedia", "kawu"])
def test_a_card_is_turned_up_for_the_first_deal_of_a_match_only(tmp_path: Path, rules: str) -> None:
    run = gs.simulate(matches=30, rules=rules, seed=35, log="deals", out=tmp_path / "run")
    assert isinstance(run, gs.Run)
    deals = run.deals()
    drawn = deals["drawn"].astype(str)
    assert (drawn[deals["deal"] > 0] == "").all()
    opening = deals[deals["deal"] == 0]
    assert len(opening) == 30
    assert (drawn[opening.index] == "").all() == (rules == "kawu")
    # Both teams are at 2; the level is said to be the leader's.
    assert (opening["owner"] == opening["leader"] % 2).all()
    assert set(opening["level"]) == {"2"}
    for number, leader in zip(opening["set"], opening["leader"], strict=True):
        assert PausedMatch(seed=35, rules=rules, number=number).leader == leader
