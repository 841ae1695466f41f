"""The perft file is what the oracle and the referee count."""

from __future__ import annotations

import pytest
from oracle import full_pack
from perft import DEALS, PERFT_FILE, PerftDeal, format_perft, perft, read_perft

# Deeper counts take the slow referee seconds each; `python tests/perft.py` makes them all.
LARGEST_COUNT = 1500


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
