"""The perft file is what oracle and referee count, and what the engine counts."""

from __future__ import annotations

import pytest
from oracle import full_pack
from perft import DEALS, PERFT_FILE, PerftDeal, format_perft, perft, read_perft

import guandan_sim as gs

# Deeper counts take the slow referee seconds each; `python tests/perft.py` makes them all.
LARGEST_COUNT = 1_500


@pytest.mark.parametrize("deal", read_perft(), ids=lambda deal: deal.name)
def test_perft_file_is_what_the_referee_counts(deal: PerftDeal) -> None:
    cards = [card for hand in deal.hands for card in hand]
    assert all(cards.count(card) <= full_pack().count(card) for card in cards)
    for depth, expected in enumerate(deal.counts, start=1):
        if expected < LARGEST_COUNT:
            assert perft(deal.hands, deal.level, deal.leader, depth, deal.rules) == expected


def test_perft_file_lists_the_deals_of_the_script_and_reads_back() -> None:
    deals = read_perft()
    assert [deal.name for deal in deals] == [deal[0] for deal in DEALS]
    assert format_perft(deals) == PERFT_FILE.read_text(encoding="utf-8")


def add_counts(deal: gs.Deal, depth: int, counts: list[int]) -> None:
    """Add the sequences that go on from here, after ``depth`` moves, to ``counts`` by length."""
    moves = deal.legal_moves()
    counts[depth] += len(moves)
    if depth + 1 == len(counts):
        return
    for move in moves:
        after = deal.copy()
        after.play(move)
        if not after.done:
            add_counts(after, depth + 1, counts)


@pytest.mark.parametrize("deal", read_perft(), ids=lambda deal: deal.name)
def test_engine_counts_the_perft_file(deal: PerftDeal) -> None:
    start = gs.Deal(level=deal.level, rules=deal.rules, hands=deal.hands, leader=deal.leader)
    counts = [0] * len(deal.counts)
    add_counts(start, 0, counts)
    assert tuple(counts) == deal.counts
