"""The two ways to count: with vector instructions and without, which play the same games."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import test_prefilter
import test_uniform_large
from hypothesis import given
from hypothesis import strategies as st

from guandan_sim.bitboard import CHOOSE, NATURAL, rank_index
from guandan_sim.bits import divide
from guandan_sim.counting import count_pair_ways, count_triple_ways, run_starts
from guandan_sim.cpu import NEEDED, VECTORS
from guandan_sim.jit import DISABLED, kernel

ROOT = Path(__file__).parents[1]


@st.composite
def natural_hands(draw: st.DrawFn) -> tuple[int, int]:
    """Any natural cards, few or many, as two words."""
    one = draw(st.integers(0, NATURAL)) & NATURAL
    if draw(st.booleans()):
        one &= draw(st.integers(0, NATURAL))
    return one, one & draw(st.integers(0, NATURAL))


def ways(one: int, two: int, rank: int, size: int) -> int:
    """Multisets of ``size`` cards of that rank, a rank of 0 being the low ace, from the table."""
    index = rank_index(one, two, 4 * (rank or 13))
    return int(CHOOSE[16 * index + size]) if size >= 0 else 0


def test_divide_is_the_floor_of_the_quotient() -> None:
    for d in (1, 2, 3, 4, 7, 10, 64, 97, 1000, 4095):
        for k in [*range(3 * d), *range(2**20 - d, 2**20), min(2**31, 2**32 // d) - 1]:
            assert divide(k, d) == k // d


@given(hand=natural_hands())
def test_pairs_and_triples_of_all_ranks_at_once(hand: tuple[int, int]) -> None:
    for size, count in ((2, count_pair_ways), (3, count_triple_ways)):
        assert count(*hand) == sum(ways(*hand, rank, size) for rank in range(1, 14))


def runs(hand: tuple[int, int], length: int, size: int, wilds: int) -> int:
    """Runs of ``length`` ranks of ``size`` cards each with up to ``wilds`` wilds, by recursion."""

    def rest(rank: int, left: int, helpers: int) -> int:
        if left == 0:
            return 1
        return sum(
            (ways(*hand, rank, size - used) if used < size else 1)
            * rest(rank + 1, left - 1, helpers - used)
            for used in range(min(helpers, size) + 1)
        )

    return sum(rest(start, length, wilds) for start in range(15 - length))


if VECTORS:
    from guandan_sim.lanes import house_ways, lead_ways, straight_ways

    @kernel
    def leads(one: int, two: int, singles: int, wilds: int) -> tuple[int, int, int, int, int, int]:
        return lead_ways(one, two, singles, wilds)  # type: ignore[no-any-return]

    @kernel
    def houses(one: int, two: int, pairs: int, singles: int, wilds: int) -> int:
        return house_ways(one, two, one, two, pairs, singles, wilds)  # type: ignore[no-any-return]

    @kernel
    def straights(one: int, starts: int, wilds: int) -> int:
        return straight_ways(one, 0, starts, wilds)  # type: ignore[no-any-return]


@pytest.mark.skipif(not VECTORS, reason=f"this processor lacks one of {NEEDED}, or they are off")
@given(hand=natural_hands(), wilds=st.integers(0, 2))
def test_vectors_count_what_the_tables_do(hand: tuple[int, int], wilds: int) -> None:
    boards = [word | word >> 52 for word in hand]
    singles = hand[0].bit_count()
    by_rank = [[ways(*hand, rank, size) for size in range(4)] for rank in range(1, 14)]
    pairs, triples = (sum(rank[size] for rank in by_rank) for size in (2, 3))
    full = 0
    for used in range(wilds + 1):
        for helping in range(wilds - used + 1):
            beside = {0: pairs, 1: singles, 2: 1}[helping]
            for rank in by_rank:
                own = rank[2 - helping] if helping < 2 else 0
                full += rank[3 - used] * (beside - own)
    expected = (
        pairs + (singles if wilds else 0) + (wilds == 2),
        triples + (pairs if wilds else 0) + (singles if wilds == 2 else 0),
        full,
        runs(hand, 5, 1, wilds),
        runs(hand, 3, 2, wilds),
        runs(hand, 2, 3, wilds),
    )
    assert tuple(leads(*boards, singles, wilds)) == expected
    if pairs < 64:
        assert houses(*hand, pairs, singles, wilds) == full
    assert straights(boards[0], run_starts(5, 0), wilds) == expected[3]


@pytest.mark.skipif(DISABLED, reason="plain Python has no vectors")
def test_portable_code_plays_the_same_games(tmp_path: Path) -> None:
    program = """
from guandan_sim.bench import signature
import test_prefilter, test_uniform_large
print(signature())
print(test_uniform_large.fingerprint())
print(test_prefilter.fingerprint())
"""
    cache = {"GUANDAN_SIM_VECTORS": "0", "GUANDAN_SIM_CACHE": str(tmp_path)}
    cache["PYTHONPATH"] = os.pathsep.join([str(ROOT / "tests"), *sys.path])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env=os.environ | cache,
        capture_output=True,
        text=True,
        check=True,
    )
    signature = (ROOT / "benchmarks" / "signature.txt").read_text("utf-8")
    draws, games = test_uniform_large.fingerprint(), test_prefilter.fingerprint()
    assert done.stdout == f"{signature}{draws}\n{games}\n"


def test_a_wrong_wish_is_said() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import guandan_sim"],
        env=os.environ | {"GUANDAN_SIM_VECTORS": "fast"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "GUANDAN_SIM_VECTORS is 'fast'; 0 is for portable code, 1 for vectors" in done.stderr
