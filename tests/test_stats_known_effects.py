"""Runs whose deals end as a model of their cards, leads and tributes says: reports find it again.

Hands are dealt at random, and the result is drawn: a team is expected to gain so many levels for
what it has. Nobody plays.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_runs import settings
from numpy.typing import NDArray
from oracle import full_pack

from guandan_sim.answers.ratios import Estimate
from guandan_sim.columns import Columns
from guandan_sim.rules import RULES_VERSION, Rules
from guandan_sim.runs import Run, create_run, open_run
from guandan_sim.schemas import CARD_NUMBER, TABLES, WORDS
from guandan_sim.stats import report

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

Z = 4.5
KINDS = WORDS["card"][1:]
RED, BLACK = KINDS.index("HR"), KINDS.index("SB")
# Levels that a team gains for a wild more than the others have, for a red joker, and for the lead.
WILD, JOKER, LEAD = 0.25, 0.4, 0.2
# Of a place in the half of the pack that a team is dealt: its variance, and that of two.
VARIANCE, COVARIANCE = 1 / 4, -1 / 4 / 107


def dealt(rng: np.random.Generator, deals: int) -> Ints:
    """int64[deals, 4, 54]: how many copies of each card the seats are dealt."""
    pack = np.array([KINDS.index(card) for card in full_pack()])
    orders = rng.permuted(np.tile(pack, (deals, 1)), axis=1).reshape(deals, 4, 27)
    counts = np.zeros((deals, 4, 54), np.int64)
    places = np.arange(deals)[:, None, None], np.arange(4)[None, :, None]
    np.add.at(counts, (*places, orders), 1)
    return counts


def drawn_results(rng: np.random.Generator, expected: Floats) -> Columns:
    """Finishing orders and gains in which team 0 gains so many levels on average."""
    size = len(expected)
    team = (rng.random(size) > 0.5 + expected / 4).astype(np.int64)
    gain = rng.integers(1, 4, size)
    first = team + 2 * rng.integers(0, 2, size)
    others = np.stack([1 - team, 3 - team], axis=1)
    others = np.where(rng.random(size)[:, None] < 0.5, others, others[:, ::-1])
    orders = np.zeros((size, 4), np.int64)
    orders[:, 0] = first
    # The partner is second, third or last.
    place = 4 - gain
    for at in range(1, 4):
        before = (at > place).astype(np.int64)
        opponent = np.take_along_axis(others, np.minimum(at - 1 - before, 1)[:, None], axis=1)[:, 0]
        orders[:, at] = np.where(at == place, first ^ 2, opponent)
    names = ("first", "second", "third", "last")
    return {"gain": gain} | {name: orders[:, at] for at, name in enumerate(names)}


def deal_columns(counts: Ints, sets: Ints, numbers: Ints, **given: Any) -> Columns:
    """All columns of deals, zero where nothing is given."""
    columns: Columns = {name: np.zeros(len(sets), np.int64) for name in TABLES["deals"].names}
    bits = np.array([1 << int(n) for n in CARD_NUMBER[1:]], np.int64)
    for seat in range(4):
        columns[f"hand{seat}_one"] = ((counts[:, seat] > 0) * bits).sum(axis=1)
        columns[f"hand{seat}_two"] = ((counts[:, seat] == 2) * bits).sum(axis=1)
    return columns | {"set": sets, "deal": numbers} | given


def written(folder: Path, kind: str, rules: Rules, sets: int, tables: dict[str, Columns]) -> Run:
    """A run of these rows."""
    chosen = settings(kind=kind, count=sets, log="deals", rules=rules.switches())
    chosen |= {"rules_version": RULES_VERSION, "level": None, "previous_order": None}
    with create_run(folder, chosen) as writer:
        parts = []
        for first, stop in writer.missing:
            with writer.part(first, stop) as part:
                for name, columns in tables.items():
                    mine = (columns["set"] >= first) & (columns["set"] < stop)
                    types = TABLES[name].by_name
                    part.write(
                        name, {n: v[mine].astype(types[n].dtype) for n, v in columns.items()}
                    )
            parts.append(part.summary)
        writer.finish(parts, {})
    return open_run(folder)


def near(found: Estimate, truth: float) -> bool:
    """Whether an estimate is as close to the truth as its error lets it be."""
    return found.se > 0 and abs(found.value - truth) < Z * found.se


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Matches of one to four deals between teams of differing strength, without tribute."""
    rng = np.random.default_rng(21)
    sets = 6_000
    lengths = rng.integers(1, 5, sets)
    of_set = np.repeat(np.arange(sets), lengths)
    size = len(of_set)
    numbers = np.arange(size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    counts = dealt(rng, size)
    level = rng.integers(0, 13, size)
    leader = rng.integers(0, 4, size)
    wilds = np.take_along_axis(counts, (4 * level + 1)[:, None, None], axis=2)[:, :, 0]
    mine = [x[:, 0] + x[:, 2] - x[:, 1] - x[:, 3] for x in (wilds, counts[:, :, RED])]
    skill = np.repeat(rng.normal(0, 0.3, sets).clip(-0.8, 0.8), lengths)
    expected = WILD / 2 * mine[0] + JOKER / 2 * mine[1] + LEAD * (1 - 2 * (leader % 2)) + skill
    assert np.abs(expected).max() < 2.2
    previous = np.where(numbers > 0, rng.integers(1, 25, size), 0)
    deals = deal_columns(
        counts, of_set, numbers, level=level, leader=leader, previous=previous
    ) | drawn_results(rng, expected)
    keys = {name: np.zeros(sets, np.int64) for name in TABLES["matches"].names}
    tables = {"deals": deals, "matches": keys | {"set": np.arange(sets), "deals": lengths}}
    tables["tributes"] = {name: np.zeros(0, np.int64) for name in TABLES["tributes"].names}
    rules = Rules.preset("guide").replace(tribute=False)
    return written(tmp_path_factory.mktemp("runs") / "matches", "matches", rules, sets, tables)


def test_cards_are_worth_what_they_are(matches: Run) -> None:
    found = report(matches, plans=0)
    # The others equal: what nothing depends on is worth nothing.
    fit = found["values-others-equal"]
    assert len(fit.rows) == 10
    truths = {"wild": WILD, "red joker": JOKER}
    for row in fit.rows:
        levels, points = row.cells
        assert near(levels, truths.get(row.label, 0)), row
        assert near(points, truths.get(row.label, 0) / 4), row
        assert (points.units, points.sets) == (2 * len(matches.deals(["set"])), 6_000)
    # Alone: a card more means a little fewer of the others.
    variance = 2 * VARIANCE + 2 * COVARIANCE
    of_another = 4 * COVARIANCE / variance
    alone = {
        "wild": WILD + of_another * JOKER,
        "red joker": JOKER + of_another * WILD,
        "black joker": of_another * (WILD + JOKER),
    }
    for label, truth in alone.items():
        levels, points = found["values"][label].cells
        assert near(levels, truth)
        assert near(points, truth / 4)
        assert abs(levels.value) / levels.se > 8 or label == "black joker"
    by_level = found["values-by-level"]
    assert len(by_level.rows) == 13
    for row in by_level.rows:
        assert all(map(near, row.cells[:3], alone.values())), row.label
        assert near(row.cells[3], 2 * LEAD), row.label
    assert found["values-by-level"].rows[3].cells[0].units < found["values"]["wild"].cells[0].units


def test_those_who_hold_both_and_those_who_lead_win_by_as_much(matches: Run) -> None:
    found = report(matches, plans=0)
    # Who has both copies has two more than the others.
    both = found["both-copies"]
    of_another = -4 / 4 / 107
    for label, truth in {"both wilds": WILD, "both red jokers": JOKER}.items():
        won, levels = both[label].cells
        others = of_another * (WILD + JOKER - truth)
        assert near(levels, truth + others)
        assert near(won, 0.5 + (truth + others) / 4)
    won, levels = found["opening-lead"]["leading side"].cells
    assert won.units == won.sets == 6_000
    assert near(levels, LEAD)
    assert near(won, 0.5 + LEAD / 4)
    for row in found["teams"].rows:
        assert near(row.cells[1], 0)
    # Deals of a match go together, and the error says so.
    levels = found["teams"].rows[0].cells[1]
    gains = matches.deals(["gain"])["gain"].to_numpy().astype(float)
    assert levels.se > 1.01 * math.sqrt((gains**2).mean() / len(gains))


PAID = {"red joker": 0.9, "A": -0.6, "J or lower": 0.0}


def test_payers_do_as_the_card_that_they_gave_says(tmp_path: Path) -> None:
    rng = np.random.default_rng(22)
    size = 12_000
    counts = dealt(rng, size)
    orders = np.array([[*map(int, word or "0123")] for word in WORDS["finish"]])
    # Every winner's partner is third or last: a single tribute is due.
    singles = np.flatnonzero((orders[1:, 0] ^ 2) != orders[1:, 1]) + 1
    previous = rng.choice(singles, size)
    banker, payer = orders[previous, 0], orders[previous, 3]
    level = rng.integers(0, 13, size)
    deals = np.arange(size)
    held = counts[deals, payer] > 0
    # Any card may be given here, red jokers more often than others.
    wanted = rng.random((size, 54)) + np.where(np.arange(54) == RED, 0.5, 0)
    card = np.argmax(np.where(held, wanted, -1), axis=1)
    returned = np.argmax(np.where(counts[deals, banker] > 0, rng.random((size, 54)), -1), axis=1)
    ranks = np.array([kind[1] for kind in KINDS])[card]
    level_word = np.array(WORDS["level"])[level]
    kind = np.select(
        [card == RED, card == BLACK, ranks == level_word, ranks == "A", ranks == "K", ranks == "Q"],
        ["red joker", "black joker", "level card", "A", "K", "Q"],
        default="J or lower",
    )
    effect = np.array([PAID.get(word, 0.3) for word in kind])
    results = drawn_results(rng, np.where(payer % 2 == 0, effect, -effect))
    of_deals = deal_columns(
        counts,
        deals,
        0 * deals,
        level=level,
        leader=payer,
        previous=previous,
        tribute=1 + 0 * deals,
    )
    gifts = {name: np.zeros(size, np.int64) for name in TABLES["tributes"].names}
    gifts |= {"set": deals, "giver": payer, "receiver": banker}
    gifts |= {"card": card + 1, "returned": returned + 1}
    tables = {"deals": of_deals | results, "tributes": gifts}
    found = report(written(tmp_path / "run", "deals", Rules.preset("guide"), size, tables), plans=0)
    table = found["payers-by-card-given"]
    assert len(table.rows) == 7
    by_partner = payer == banker ^ 2
    for row in table.rows:
        truth = PAID.get(row.label, 0.3)
        for at, who in ((0, ~by_partner), (2, by_partner)):
            won, levels = row.cells[at : at + 2]
            assert near(levels, truth)
            assert near(won, 0.5 + truth / 4)
            assert won.units == ((kind == row.label) & who).sum()
        assert row.cells[4].units == 0
    # What came back has nothing to do with it.
    mean = float(effect.mean())
    for row in found["payers-by-card-returned"].rows:
        assert near(row.cells[1], mean)
    for outcome, who in (("1-3", ~by_partner), ("1-4", by_partner)):
        won, levels = found["leads"][f"payer after {outcome}"].cells
        assert near(levels, float(effect[who].mean()))
        assert won.units == who.sum()
    advantage = {row.label: row.cells[1].value for row in found["advantage"].rows}
    assert set(advantage) == {"1-3, paid", "1-4, paid"}
    # Where the payer is the Banker's partner it is with the winners of the deal before.
    assert advantage["1-4, paid"] == pytest.approx(mean, abs=0.15)
    assert advantage["1-3, paid"] == pytest.approx(-mean, abs=0.15)
