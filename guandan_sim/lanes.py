"""Counting all sixteen ranks at once: a rank is a byte of a vector, its *lane*.

How many multisets of a size a rank offers depends on two small numbers only: p, the suits held,
and q, those held twice. There are fifteen such pairs, so one byte p (p + 1) / 2 + q tells a rank's
*kind*, and a table of sixteen bytes, looked up in all lanes by one shuffle, tells the ways to take
m cards of it. Sums run over the lanes, runs of ranks are products of shifted lanes, and wilds are
polynomials: the coefficient of x**j counts the ways that use j wilds, cut off at the wilds held.

Only for processors with these instructions (`cpu.VECTORS`); `counting` counts the same in scalars.
The functions take sequence boards (`bitboard.sequence_board`), with aces in lanes 0 and 13.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .bitboard import CHOOSE

__all__ = [
    "HOUSES",
    "HOUSE_RANKS",
    "LEADS",
    "PLATES",
    "RANKS",
    "STRAIGHTS",
    "STRAIGHT_STARTS",
    "TUBES",
]

_I16, _I32, _I64 = ir.IntType(16), ir.IntType(32), ir.IntType(64)
_BYTES = ir.VectorType(ir.IntType(8), 16)
_WIDE = ir.VectorType(_I16, 16)
_PAIRS = ir.VectorType(_I64, 2)

_SUITS = [nibble.bit_count() for nibble in range(16)]
_TRIANGLE = [p * (p + 1) // 2 for p in _SUITS]


def _ways(size: int) -> list[int]:
    """Multisets of ``size`` cards by the kind of a rank."""
    table = [0] * 16
    for p in range(5):
        for q in range(p + 1):
            index = (1 << p) - 1 | ((1 << q) - 1) << 4
            table[p * (p + 1) // 2 + q] = int(CHOOSE[16 * index + size])
    return table


WAYS = [_ways(size) for size in range(4)]

Value = Any
Polynomial = list[Value]


class _Lanes:
    """Vector code in the making; a method emits instructions and returns their value."""

    def __init__(self, builder: ir.IRBuilder) -> None:
        self.builder = builder

    def _call(self, name: str, result: ir.Type, *args: Value) -> Value:
        function = self.builder.module.globals.get(name) or ir.Function(
            self.builder.module, ir.FunctionType(result, [value.type for value in args]), name
        )
        return self.builder.call(function, args)

    @staticmethod
    def _lanes(kind: ir.VectorType, values: Sequence[int]) -> ir.Constant:
        return ir.Constant(kind, [ir.Constant(kind.element, value) for value in values])

    def spread(self, board: Value) -> Value:
        """The nibbles of a board, one a lane."""
        b = self.builder
        low = ir.Constant(_I64, 0x0F0F0F0F0F0F0F0F)
        even = b.and_(board, low)
        odd = b.and_(b.lshr(board, ir.Constant(_I64, 4)), low)
        empty = ir.Constant(_PAIRS, [ir.Constant(_I64, 0)] * 2)
        first = ir.Constant(_I32, 0)
        a = b.bitcast(b.insert_element(empty, even, first), _BYTES)
        c = b.bitcast(b.insert_element(empty, odd, first), _BYTES)
        woven = [i // 2 + 16 * (i & 1) for i in range(16)]
        return b.shuffle_vector(a, c, self._lanes(ir.VectorType(_I32, 16), woven))

    def look_up(self, table: Sequence[int], lanes: Value) -> Value:
        """The table's byte that each lane names."""
        name = "llvm.x86.ssse3.pshuf.b.128"
        return self._call(name, _BYTES, self._lanes(_BYTES, table), lanes)

    def kinds(self, one: Value, two: Value) -> Value:
        """The kind of each rank."""
        suits = self.look_up(_TRIANGLE, self.spread(one))
        return self.builder.add(suits, self.look_up(_SUITS, self.spread(two)))

    def only(self, lanes: Value, first: int, last: int) -> Value:
        """The lanes from ``first`` to ``last``, nothing in the others."""
        mask = [255 * (first <= lane <= last) for lane in range(16)]
        return self.builder.and_(lanes, self._lanes(_BYTES, mask))

    def total(self, lanes: Value) -> Value:
        """The sum of the bytes, as int64."""
        b = self.builder
        zero = self._lanes(_BYTES, [0] * 16)
        halves = self._call("llvm.x86.sse2.psad.bw", _PAIRS, lanes, zero)
        return b.add(*(b.extract_element(halves, ir.Constant(_I32, i)) for i in range(2)))

    def product(self, a: Value, c: Value) -> Value:
        """The sum over the lanes of a times c, bytes below 128 in c, as int64."""
        b = self.builder
        eight = ir.VectorType(_I16, 8)
        four = ir.VectorType(_I32, 4)
        sums = self._call("llvm.x86.ssse3.pmadd.ub.sw.128", eight, a, c)
        sums = self._call("llvm.x86.sse2.pmadd.wd", four, sums, self._lanes(eight, [1] * 8))
        return b.zext(self._call("llvm.vector.reduce.add.v4i32", _I32, sums), _I64)

    def wide(self, lanes: Value) -> Value:
        """The lanes with 16 bits each."""
        return self.builder.zext(lanes, _WIDE)

    def wide_total(self, lanes: Value, weights: Value | None = None) -> Value:
        """The sum over 16-bit lanes, each times its weight (default 1), as int64."""
        eight = ir.VectorType(_I32, 8)
        ones = self._lanes(_WIDE, [1] * 16) if weights is None else weights
        sums = self._call("llvm.x86.avx2.pmadd.wd", eight, lanes, ones)
        return self.builder.zext(self._call("llvm.vector.reduce.add.v8i32", _I32, sums), _I64)

    def ahead(self, lanes: Value, ranks: int) -> Value:
        """In each lane what stands ``ranks`` lanes further up; nothing beyond the last."""
        places = [min(lane + ranks, 16) for lane in range(16)]
        nothing = self._lanes(_WIDE, [0] * 16)
        return self.builder.shuffle_vector(
            lanes, nothing, self._lanes(ir.VectorType(_I32, 16), places)
        )

    def alike(self, kind: ir.VectorType, value: Value) -> Value:
        """``value``, an int64, in every lane."""
        b = self.builder
        lanes = ir.Constant(kind, ir.Undefined)
        lanes = b.insert_element(lanes, b.trunc(value, kind.element), ir.Constant(_I32, 0))
        zeros = ir.Constant(ir.VectorType(_I32, kind.count), [ir.Constant(_I32, 0)] * kind.count)
        return b.shuffle_vector(lanes, lanes, zeros)

    def find(self, kind: ir.VectorType, lanes: Value, k: Value) -> tuple[Value, Value]:
        """The lane in which the k-th of all counted falls, and which of the lane's own it is.

        Sums up to each lane, in four steps that double their reach; the lane is the first whose
        sum exceeds k. Sums must fit a lane.
        """
        b = self.builder
        nothing = self._lanes(kind, [0] * 16)
        sums = lanes
        for reach in (1, 2, 4, 8):
            places = [lane - reach if lane >= reach else 16 for lane in range(16)]
            moved = b.shuffle_vector(sums, nothing, self._lanes(ir.VectorType(_I32, 16), places))
            sums = b.add(sums, moved)
        beyond = b.icmp_unsigned(">", sums, self.alike(kind, k))
        bits = b.zext(b.bitcast(beyond, _I16), _I64)
        zeros = b.module.declare_intrinsic(
            "llvm.cttz", [_I64], ir.FunctionType(_I64, [_I64, ir.IntType(1)])
        )
        lane = b.call(zeros, [bits, ir.Constant(ir.IntType(1), 0)])
        before = b.extract_element(b.sub(sums, lanes), b.trunc(lane, _I32))
        return lane, b.sub(k, b.zext(before, _I64))

    # Polynomials in wilds, with 16-bit lanes as coefficients.

    def times(self, p: Polynomial, q: Polynomial, wilds: int) -> Polynomial:
        """The product of two polynomials, up to ``wilds``."""
        found: Polynomial = []
        for degree in range(wilds + 1):
            terms = [
                self.builder.mul(p[i], q[degree - i])
                for i in range(degree + 1)
                if i < len(p) and degree - i < len(q)
            ]
            found.append(self.sum(terms))
        return found

    def sum(self, values: Sequence[Value]) -> Value:
        """The sum of vectors."""
        result, *others = values
        for value in others:
            result = self.builder.add(result, value)
        return result

    def run(self, ways: Polynomial, length: int, wilds: int) -> Value:
        """Ways to fill ``length`` ranks in a row with up to ``wilds`` wilds, by the lowest rank."""

        def moved(p: Polynomial, ranks: int) -> Polynomial:
            return [self.ahead(lanes, ranks) for lanes in p]

        if length == 2:
            return self.sum(self.times(ways, moved(ways, 1), wilds))
        two = self.times(ways, moved(ways, 1), wilds)
        if length == 3:
            return self.sum(self.times(two, moved(ways, 2), wilds))
        four = self.times(two, moved(two, 2), wilds)
        return self.sum(self.times(four, moved(ways, 4), wilds))

    def offers(self, kinds: Value, size: int, wilds: int) -> Polynomial:
        """Ways to make ``size`` cards of each rank of a sequence board, by wilds among them."""
        everywhere = self._lanes(_BYTES, [1] * 16)
        sizes = range(size, max(size - wilds, 0) - 1, -1)
        return [
            self.wide(self.only(self.look_up(WAYS[m], kinds) if m else everywhere, 0, 13))
            for m in sizes
        ]

    def suits(self, kinds: Value, wilds: int) -> Polynomial:
        """Ways to make one card of each rank, suits apart, by wilds."""
        return self.offers(kinds, 1, min(wilds, 1))


def _leads(wilds: int) -> Any:
    """Function of (one, two, singles) for hands with that many wilds; see `LEADS`."""

    @intrinsic
    def count(_typing: Any, one: Any, two: Any, singles: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            v, b = _Lanes(builder), builder
            one, two, singles = args
            kinds = v.kinds(one, two)
            of_two = v.only(v.look_up(WAYS[2], kinds), 1, 13)
            of_three = v.only(v.look_up(WAYS[3], kinds), 1, 13)
            pairs, triples = v.total(of_two), v.total(of_three)
            houses = b.sub(b.mul(triples, pairs), v.product(of_three, of_two))
            all_pairs, all_triples = pairs, triples
            if wilds:
                of_one = v.only(v.look_up(WAYS[1], kinds), 1, 13)
                # A wild in the pair, or one in the triple.
                houses = b.add(houses, b.sub(b.mul(triples, singles), v.product(of_three, of_one)))
                houses = b.add(houses, b.sub(b.mul(pairs, pairs), v.product(of_two, of_two)))
                all_pairs, all_triples = b.add(pairs, singles), b.add(triples, pairs)
            if wilds == 2:
                # Both in the pair, one in each, both in the triple.
                same = v.product(of_two, of_one)
                crossed = b.sub(b.mul(pairs, singles), same)
                houses = b.add(houses, b.add(triples, b.add(crossed, crossed)))
                all_pairs = b.add(all_pairs, ir.Constant(_I64, 1))
                all_triples = b.add(all_triples, singles)
            runs = [
                v.wide_total(v.run(v.suits(kinds, wilds), 5, wilds)),
                v.wide_total(v.run(v.offers(kinds, 2, wilds), 3, wilds)),
                v.wide_total(v.run(v.offers(kinds, 3, wilds), 2, wilds)),
            ]
            found = [all_pairs, all_triples, houses, *runs]
            return context.make_tuple(builder, signature.return_type, found)

        return types.UniTuple(types.int64, 6)(types.int64, types.int64, types.int64), generate

    return count


#: LEADS[wilds](one, two, singles): natural (pairs, triples, full houses without jokers, straights
#: with straight flushes among them, tubes, plates) of a hand given as sequence boards;
#: ``singles`` is its number of natural suits.
LEADS = tuple(_leads(wilds) for wilds in range(3))


def _runs(ways: Callable[[_Lanes, Value, int], Polynomial], length: int, wilds: int) -> Any:
    """Function of (one, two, starts): runs that begin in ``starts`` (low bits of nibbles)."""

    @intrinsic
    def count(_typing: Any, one: Any, two: Any, starts: Any) -> Any:  # noqa: ARG001
        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            v = _Lanes(builder)
            one, two, starts = args
            by_start = v.run(ways(v, v.kinds(one, two), wilds), length, wilds)
            return v.wide_total(by_start, v.wide(v.spread(starts)))

        return types.int64(types.int64, types.int64, types.int64), generate

    return count


def _starts(ways: Callable[[_Lanes, Value, int], Polynomial], length: int, wilds: int) -> Any:
    """Function of (one, two, starts, k): (lowest rank of the k-th such run, which of its own)."""

    @intrinsic
    def find(_typing: Any, one: Any, two: Any, starts: Any, k: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            v = _Lanes(builder)
            one, two, starts, k = args
            by_start = v.run(ways(v, v.kinds(one, two), wilds), length, wilds)
            found = v.find(_WIDE, builder.mul(by_start, v.wide(v.spread(starts))), k)
            return context.make_tuple(builder, signature.return_type, found)

        return types.UniTuple(types.int64, 2)(*[types.int64] * 4), generate

    return find


def _rank(size: int) -> Any:
    """Function of (one, two, k): (rank of the k-th multiset of ``size`` cards, which of its)."""

    @intrinsic
    def find(_typing: Any, one: Any, two: Any, k: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            v = _Lanes(builder)
            one, two, k = args
            found = v.find(_BYTES, v.look_up(WAYS[size], v.kinds(one, two)), k)
            return context.make_tuple(builder, signature.return_type, found)

        return types.UniTuple(types.int64, 2)(*[types.int64] * 3), generate

    return find


def _houses(v: _Lanes, args: Sequence[Value], wilds: int) -> Value:
    """Full houses by the rank of the triple, which must be in (high_one, high_two); ``pairs`` and
    ``singles`` count what may be the pair.
    """
    b = v.builder
    one, two, high_one, high_two, pairs, singles = args
    of_all = v.kinds(one, two)
    of_high = v.kinds(high_one, high_two)
    ways = [v.wide(v.look_up(WAYS[m], of_all)) for m in range(3)]
    beside = {
        2: b.sub(v.alike(_WIDE, pairs), ways[2]),
        1: b.sub(v.alike(_WIDE, singles), ways[1]),
    }
    terms = []
    for used in range(wilds + 1):
        triple = v.wide(v.look_up(WAYS[3 - used], of_high))
        for helping in range(wilds - used + 1):
            terms.append(triple if helping == 2 else b.mul(triple, beside[2 - helping]))
    return v.sum(terms)


def _house_count(wilds: int) -> Any:
    """Function of (one, two, high_one, high_two, pairs, singles): how many full houses."""

    @intrinsic
    def count(
        _typing: Any, one: Any, two: Any, high_one: Any, high_two: Any, pairs: Any, singles: Any
    ) -> Any:
        del one, two, high_one, high_two, pairs, singles

        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            v = _Lanes(builder)
            return v.wide_total(_houses(v, args, wilds))

        return types.int64(*[types.int64] * 6), generate

    return count


def _house_rank(wilds: int) -> Any:
    """Function of (one, two, high_one, high_two, pairs, singles, k): (rank of the triple of the
    k-th full house, which of that rank's).
    """

    @intrinsic
    def find(
        _typing: Any,
        one: Any,
        two: Any,
        high_one: Any,
        high_two: Any,
        pairs: Any,
        singles: Any,
        k: Any,
    ) -> Any:
        del one, two, high_one, high_two, pairs, singles, k

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            v = _Lanes(builder)
            found = v.find(_WIDE, _houses(v, args[:6], wilds), args[6])
            return context.make_tuple(builder, signature.return_type, found)

        return types.UniTuple(types.int64, 2)(*[types.int64] * 7), generate

    return find


HOUSES = tuple(_house_count(wilds) for wilds in range(3))
HOUSE_RANKS = tuple(_house_rank(wilds) for wilds in range(3))
#: By size, 1 to 3: RANKS[size - 1](one, two, k) for boards of hands.
RANKS = tuple(_rank(size) for size in (1, 2, 3))
STRAIGHT_STARTS = tuple(_starts(_Lanes.suits, 5, wilds) for wilds in range(3))
#: By wilds: runs that begin where ``starts`` has the low bit of a nibble.
STRAIGHTS = tuple(_runs(_Lanes.suits, 5, wilds) for wilds in range(3))
TUBES = tuple(_runs(lambda v, k, w: v.offers(k, 2, w), 3, wilds) for wilds in range(3))
PLATES = tuple(_runs(lambda v, k, w: v.offers(k, 3, w), 2, wilds) for wilds in range(3))
