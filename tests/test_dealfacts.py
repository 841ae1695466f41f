"""What deals are told by: the loop itself says what led, the slow oracle what hands hold."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from games import words_of
from numpy.typing import NDArray
from oracle import JOKERS, NATURAL_LINE, RANKS, SUITS, full_pack, rank_of, wild_of

import guandan_sim as gs
from guandan_sim import dealfacts, loop
from guandan_sim import layout as lay
from guandan_sim.bots import bots_by_seat
from guandan_sim.planner import WORK_SIZE
from guandan_sim.playing import Player
from guandan_sim.rules import Rules, new_state
from guandan_sim.schemas import WORDS

Ints = NDArray[np.int64]
DEALS = 3_000


def played(rules: Rules, bots: tuple[str, ...], seed: int) -> tuple[Ints, Ints]:
    """Rows of the loop's log of plays and of deals; of a play it says whether it led."""
    rows = [
        np.zeros((size, width), np.int64)
        for size, width in (
            (DEALS * lay.MAX_PLIES, loop.PLAY_WIDTH),
            (DEALS, loop.DEAL_WIDTH),
            (2 * DEALS, loop.TRIBUTE_WIDTH),
            (1, loop.MATCH_WIDTH),
        )
    ]
    arguments = np.zeros(loop.ARGUMENTS, np.int64)
    arguments[loop.A_SEED] = seed
    arguments[loop.A_END] = DEALS
    arguments[loop.A_PREVIOUS] = -1
    arguments[loop.A_DRAW_PREVIOUS] = arguments[loop.A_LOG_PLAYS] = 1
    cursor = np.zeros(loop.CURSOR, np.int64)
    assert Player(bots_by_seat(bots)).run_sets(new_state(rules), arguments, cursor, rows) == DEALS
    return rows[0][: cursor[loop.C_PLAYS]], rows[1]


def followed(packed: Ints, deals: Ints, rules: Rules) -> tuple[Ints, Ints, Ints]:
    """What `dealfacts.follow_deals` makes of the plays as a run keeps them."""
    kept = packed & 0x3FFF | (packed >> loop.P_CHOSEN & 15) << loop.P_CHOSEN
    starts = np.zeros((len(deals), dealfacts.START_WIDTH), np.int64)
    bombs = np.zeros((len(packed), dealfacts.BOMB_WIDTH), np.int64)
    partners = np.zeros((len(packed), dealfacts.PARTNER_WIDTH), np.int64)
    counts = np.zeros(2, np.int64)
    dealfacts.follow_deals(
        kept,
        np.cumsum(deals[:, loop.D_PLAYS]),
        deals[:, loop.D_LEVEL].copy(),
        int(rules.pass_locks),
        starts,
        bombs,
        partners,
        counts,
    )
    return starts, bombs[: counts[0]], partners[: counts[1]]


@pytest.mark.parametrize("bots", [("random",), ("greedy",), ("greedy", "random")], ids="-".join)
@pytest.mark.parametrize(
    ("preset", "locks"), [("guide", False), ("guide", True), ("ace_reset", True)]
)
def test_plays_are_followed_as_they_were_played(
    bots: tuple[str, ...], preset: str, locks: bool
) -> None:
    rules = Rules.preset(preset).replace(pass_locks=locks)
    rows, deals = played(rules, bots, seed=31)
    starts, bombs, partners = followed(rows[:, 0], deals, rules)
    wanted: tuple[list[list[int]], ...] = ([], [], [])
    at = taken_over = 0
    for number, count in enumerate(deals[:, loop.D_PLAYS].tolist()):
        plays = rows[at : at + count, 0].tolist()
        at += count
        leads = [play >> lay.H_LEAD & 1 for play in plays]
        seats = [play & 3 for play in plays]
        shapes = [play >> lay.H_SHAPE & 15 for play in plays]
        sizes = [play >> lay.H_SIZE & 15 for play in plays]
        chosen = [play >> loop.P_CHOSEN & 15 for play in plays]
        left = [27] * 4
        for i, (seat, shape, size) in enumerate(zip(seats, shapes, sizes, strict=True)):
            left[seat] -= size
            last = i + 1 == count
            if shape >= WORDS["shape"].index("bomb"):
                least = min(n for n in (left[seat - 1], left[(seat + 1) % 4]) if n)
                stood = last or leads[i + 1]
                beaten = 0 if leads[i] else shapes[i - 1]
                wanted[1].append([number, seat, shape, size, beaten, left[seat], least, stood])
            if last:
                continue
            partner = (seat + 2) % 4
            over = seats[i + 1] == partner and not leads[i + 1]
            taken_over += seats[i + 1] == partner and leads[i + 1]
            if over or chosen[i + 1] >> partner & 1:
                wanted[2].append([number, partner, shape, left[seat], over])
        first = plays[0]
        start = [shapes[0], first >> lay.H_RANK & 15, sizes[0], sum(leads), *left]
        wanted[0].append(start)
    assert starts.tolist() == wanted[0]
    assert bombs.tolist() == wanted[1]
    assert partners.tolist() == wanted[2]
    assert taken_over > 200


def natural_flush(cards: set[str]) -> bool:
    """Whether five cards of one suit follow each other."""
    return any(
        all(suit + rank in cards for rank in NATURAL_LINE[low : low + 5])
        for suit in SUITS
        for low in range(10)
    )


def test_hands_hold_what_their_cards_say() -> None:
    rng = random.Random(5)
    pack = full_pack()
    hands, levels = [], []
    for _ in range(1_500):
        # Mostly of few ranks or suits, so that large bombs and flushes come up.
        ranks = rng.sample(RANKS, rng.choice([4, 6, 13]))
        suits = rng.sample(SUITS, rng.choice([2, 4]))
        some = [card for card in pack if card in JOKERS or (card[1] in ranks and card[0] in suits)]
        hands.append(rng.sample(some, min(27, len(some))))
        levels.append(rng.choice(RANKS))
    facts = np.full((len(hands), dealfacts.HAND_WIDTH), -1, np.int64)
    dealfacts.hand_facts(
        np.array([words_of(hand) for hand in hands], np.int64),
        np.array([RANKS.index(level) + 1 for level in levels]),
        facts,
    )
    flushes = 0
    for hand, level, found in zip(hands, levels, facts.tolist(), strict=True):
        natural = [card for card in hand if card != wild_of(level)]
        sizes = Counter(Counter(rank_of(c) for c in natural if c not in JOKERS).values())
        held = Counter(map(rank_of, hand))
        assert found[: dealfacts.H_FLUSHES] == [
            hand.count(wild_of(level)),
            hand.count("SB"),
            hand.count("HR"),
            held[level],
            held["A"],
            *(sizes[size] for size in range(4, 9)),
        ]
        assert (found[dealfacts.H_FLUSHES] > 0) == natural_flush(set(natural))
        assert found[dealfacts.H_JOKERS] == (held["SB"] == held["HR"] == 2)
        flushes += found[dealfacts.H_FLUSHES] > 0
    assert 200 < flushes < 1_300
    assert (facts[:, dealfacts.H_BOMBS : dealfacts.H_FLUSHES].sum(axis=0) > 50).all()


def test_plans_are_those_of_hands() -> None:
    rng = random.Random(6)
    hands = [rng.sample(full_pack(), rng.choice([5, 12, 27])) for _ in range(150)]
    words = np.array([words_of(hand) for hand in hands], np.int64)
    for pair, rules in ((1, "guide"), (0, "short_game")):
        facts = np.zeros((len(hands), dealfacts.PLAN_WIDTH), np.int64)
        work = np.zeros(WORK_SIZE, np.int64)
        dealfacts.plan_facts(words, np.full(len(hands), 6), pair, work, facts)
        plans = [gs.plan(hand, level="7", rules=rules) for hand in hands]
        assert facts.tolist() == [[plan.turns, plan.bombs, plan.losers] for plan in plans]
