"""Counting all sixteen ranks at once: a rank is a byte of a vector, its *lane*.

How many multisets of a size a rank offers depends on two small numbers only: p, the suits held,
and q, those held twice. There are fifteen such pairs, so one byte p (p + 1) / 2 + q tells a rank's
*kind*, and a table of sixteen bytes, looked up in all lanes by one shuffle, tells the ways to take
m cards of it. Sums run over the lanes, runs of ranks are products of shifted lanes, and wilds are
polynomials: the coefficient of x**j counts the ways that use j wilds, cut off at the wilds held.

Only for processors with these instructions (`cpu.VECTORS`); `counting` counts the same in scalars.
Runs are counted on sequence boards (`bitboard.sequence_board`), with aces in lanes 0 and 13.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.extending import intrinsic

from .vectorcode import BOMB_WAYS, BYTES, I64, WAYS, WIDE, Lanes, Value, choose, function

__all__ = [
    "bomb_ways",
    "house_at",
    "house_ways",
    "lead_ways",
    "plate_ways",
    "rank_at",
    "straight_at",
    "straight_ways",
    "tube_ways",
]


def _leads(v: Lanes, args: Sequence[Value]) -> list[Value]:
    one, two, singles, wilds = args
    b = v.builder
    kinds = v.kinds(one, two)
    of_one, of_two, of_three = (v.only(v.look_up(WAYS[m], kinds), 1, 13) for m in (1, 2, 3))
    pairs, triples = v.total(of_two), v.total(of_three)
    natural = b.sub(b.mul(triples, pairs), v.product(of_three, of_two))

    def emit(held: int) -> list[Value]:
        all_pairs, all_triples, houses = pairs, triples, natural
        if held:
            # A wild in the pair, or one in the triple.
            houses = b.add(houses, b.sub(b.mul(triples, singles), v.product(of_three, of_one)))
            houses = b.add(houses, b.sub(b.mul(pairs, pairs), v.product(of_two, of_two)))
            all_pairs, all_triples = b.add(pairs, singles), b.add(triples, pairs)
        if held == 2:
            # Both in the pair, one in each, both in the triple.
            crossed = b.sub(b.mul(pairs, singles), v.product(of_two, of_one))
            houses = b.add(houses, b.add(triples, b.add(crossed, crossed)))
            all_pairs = b.add(all_pairs, ir.Constant(I64, 1))
            all_triples = b.add(all_triples, singles)
        runs = [v.wide_total(v.run(kinds, size, held)) for size in (1, 2, 3)]
        return [all_pairs, all_triples, houses, *runs]

    return choose(b, wilds, emit)


@intrinsic
def lead_ways(_typing: Any, one: Any, two: Any, singles: Any, wilds: Any) -> Any:  # noqa: ARG001
    """Natural (pairs, triples, full houses without jokers, straights with straight flushes among
    them, tubes, plates) of a hand given as sequence boards; ``singles`` is its number of natural
    suits.
    """
    return function(6, 4, _leads)


@intrinsic
def bomb_ways(_typing: Any, one: Any, two: Any, row: Any) -> Any:
    """Rank bombs of a hand; ``row`` is that of `vectorcode.BOMB_WAYS`."""
    del one, two, row

    def emit(v: Lanes, args: Sequence[Value]) -> list[Value]:
        one, two, row = args
        return [v.total(v.only(v.look_up_row(BOMB_WAYS, row, v.kinds(one, two)), 1, 13))]

    return function(1, 3, emit)


def _runs(v: Lanes, args: Sequence[Value], size: int) -> list[Value]:
    one, two, starts, wilds = args
    kinds, weights = v.kinds(one, two), v.wide(v.spread(starts))
    return choose(v.builder, wilds, lambda held: [v.wide_total(v.run(kinds, size, held), weights)])


@intrinsic
def straight_ways(_typing: Any, one: Any, two: Any, starts: Any, wilds: Any) -> Any:  # noqa: ARG001
    """Straights, flushes among them, that begin where ``starts`` has the low bit of a nibble."""
    return function(1, 4, lambda v, args: _runs(v, args, 1))


@intrinsic
def tube_ways(_typing: Any, one: Any, two: Any, starts: Any, wilds: Any) -> Any:  # noqa: ARG001
    """Tubes that begin in ``starts``."""
    return function(1, 4, lambda v, args: _runs(v, args, 2))


@intrinsic
def plate_ways(_typing: Any, one: Any, two: Any, starts: Any, wilds: Any) -> Any:  # noqa: ARG001
    """Plates that begin in ``starts``."""
    return function(1, 4, lambda v, args: _runs(v, args, 3))


@intrinsic
def straight_at(
    _typing: Any,
    one: Any,
    two: Any,
    starts: Any,
    wilds: Any,
    k: Any,
) -> Any:
    """(lowest rank of the k-th of `straight_ways`, which of that rank's own it is)."""
    del one, two, starts, wilds, k

    def emit(v: Lanes, args: Sequence[Value]) -> list[Value]:
        one, two, starts, wilds, k = args
        b = v.builder
        kinds, weights = v.kinds(one, two), v.wide(v.spread(starts))
        return choose(
            b, wilds, lambda held: [*v.find(WIDE, b.mul(v.run(kinds, 1, held), weights), k)]
        )

    return function(2, 5, emit)


@intrinsic
def rank_at(_typing: Any, one: Any, two: Any, size: Any, k: Any) -> Any:
    """(rank of the k-th multiset of ``size`` cards, 1 to 3, of a hand, which of the rank's own it
    is).
    """
    del one, two, size, k

    def emit(v: Lanes, args: Sequence[Value]) -> list[Value]:
        one, two, size, k = args
        b = v.builder
        kinds = v.kinds(one, two)
        return choose(
            b,
            b.sub(size, ir.Constant(I64, 1)),
            lambda case: [*v.find(BYTES, v.look_up(WAYS[case + 1], kinds), k)],
        )

    return function(2, 4, emit)


def _houses(v: Lanes, args: Sequence[Value]) -> Callable[[int], Value]:
    """Full houses by the rank of the triple, as a function of the wilds held."""
    b = v.builder
    one, two, high_one, high_two, pairs, singles = args
    of_all = v.kinds(one, two)
    of_high = v.kinds(high_one, high_two)
    beside = {
        m: b.sub(v.alike(WIDE, ways), v.wide(v.look_up(WAYS[m], of_all)))
        for m, ways in ((2, pairs), (1, singles))
    }

    def emit(held: int) -> Value:
        terms = []
        for used in range(held + 1):
            triple = v.wide(v.look_up(WAYS[3 - used], of_high))
            for helping in range(held - used + 1):
                terms.append(triple if helping == 2 else b.mul(triple, beside[2 - helping]))
        return v.sum(terms)

    return emit


@intrinsic
def house_ways(
    _typing: Any,
    one: Any,
    two: Any,
    high_one: Any,
    high_two: Any,
    pairs: Any,
    singles: Any,
    wilds: Any,
) -> Any:
    """Full houses whose triple is of a rank in (high_one, high_two); ``pairs`` and ``singles``
    count what may be the pair.
    """
    del one, two, high_one, high_two, pairs, singles, wilds

    def emit(v: Lanes, args: Sequence[Value]) -> list[Value]:
        by_rank = _houses(v, args[:6])
        return choose(v.builder, args[6], lambda held: [v.wide_total(by_rank(held))])

    return function(1, 7, emit)


@intrinsic
def house_at(
    _typing: Any,
    one: Any,
    two: Any,
    high_one: Any,
    high_two: Any,
    pairs: Any,
    singles: Any,
    wilds: Any,
    k: Any,
) -> Any:
    """(rank of the triple of the k-th of `house_ways`, which of that rank's own it is)."""
    del one, two, high_one, high_two, pairs, singles, wilds, k

    def emit(v: Lanes, args: Sequence[Value]) -> list[Value]:
        by_rank = _houses(v, args[:6])
        return choose(v.builder, args[6], lambda held: [*v.find(WIDE, by_rank(held), args[7])])

    return function(2, 8, emit)
