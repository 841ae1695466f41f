"""Vector instructions in the making: sixteen lanes of a byte or of 16 bits, as LLVM code.

What they are used for is in `lanes`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types

from .bitboard import CHOOSE

__all__ = ["BOMB_WAYS", "BYTES", "I64", "WAYS", "WIDE", "Lanes", "Value", "choose", "function"]

_I16, _I32, I64 = ir.IntType(16), ir.IntType(32), ir.IntType(64)
BYTES = ir.VectorType(ir.IntType(8), 16)
WIDE = ir.VectorType(_I16, 16)
_PAIRS = ir.VectorType(I64, 2)

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


def _bomb_ways(wilds: int, most: int) -> list[int]:
    """Rank bombs of 4 to ``most`` cards by the kind of a rank, with up to ``wilds`` wilds."""
    sizes = [natural for used in range(wilds + 1) for natural in range(4 - used, most - used + 1)]
    return [sum(ways) for ways in zip(*(_ways(size) for size in sizes), strict=True)]


#: By wilds held (0..2) and largest bomb (8, 9 or 10): row 3 * wilds + most - 8.
BOMB_WAYS = [_bomb_ways(wilds, most) for wilds in range(3) for most in (8, 9, 10)]

Value = Any
Polynomial = list[Value]


class Lanes:
    """Emits instructions at the place where ``builder`` stands."""

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
        low = ir.Constant(I64, 0x0F0F0F0F0F0F0F0F)
        even = b.and_(board, low)
        odd = b.and_(b.lshr(board, ir.Constant(I64, 4)), low)
        empty = ir.Constant(_PAIRS, [ir.Constant(I64, 0)] * 2)
        first = ir.Constant(_I32, 0)
        a = b.bitcast(b.insert_element(empty, even, first), BYTES)
        c = b.bitcast(b.insert_element(empty, odd, first), BYTES)
        woven = [i // 2 + 16 * (i & 1) for i in range(16)]
        return b.shuffle_vector(a, c, self._lanes(ir.VectorType(_I32, 16), woven))

    def look_up(self, table: Sequence[int], lanes: Value) -> Value:
        """The table's byte that each lane names."""
        name = "llvm.x86.ssse3.pshuf.b.128"
        return self._call(name, BYTES, self._lanes(BYTES, table), lanes)

    def look_up_row(self, tables: Sequence[Sequence[int]], row: Value, lanes: Value) -> Value:
        """The byte that each lane names in the table of that number."""
        b = self.builder
        rows = ir.ArrayType(BYTES, len(tables))
        held = ir.GlobalVariable(b.module, rows, b.module.get_unique_name("tables"))
        held.linkage, held.global_constant = "internal", True
        held.initializer = ir.Constant(rows, [self._lanes(BYTES, table) for table in tables])
        table = b.load(b.gep(held, [ir.Constant(I64, 0), row]))
        return self._call("llvm.x86.ssse3.pshuf.b.128", BYTES, table, lanes)

    def kinds(self, one: Value, two: Value) -> Value:
        """The kind of each rank."""
        suits = self.look_up(_TRIANGLE, self.spread(one))
        return self.builder.add(suits, self.look_up(_SUITS, self.spread(two)))

    def only(self, lanes: Value, first: int, last: int) -> Value:
        """The lanes from ``first`` to ``last``, nothing in the others."""
        mask = [255 * (first <= lane <= last) for lane in range(16)]
        return self.builder.and_(lanes, self._lanes(BYTES, mask))

    def total(self, lanes: Value) -> Value:
        """The sum of the bytes, as int64."""
        b = self.builder
        zero = self._lanes(BYTES, [0] * 16)
        halves = self._call("llvm.x86.sse2.psad.bw", _PAIRS, lanes, zero)
        return b.add(*(b.extract_element(halves, ir.Constant(_I32, i)) for i in range(2)))

    def product(self, a: Value, c: Value) -> Value:
        """The sum over the lanes of a times c, bytes below 128 in c, as int64."""
        b = self.builder
        eight = ir.VectorType(_I16, 8)
        four = ir.VectorType(_I32, 4)
        sums = self._call("llvm.x86.ssse3.pmadd.ub.sw.128", eight, a, c)
        sums = self._call("llvm.x86.sse2.pmadd.wd", four, sums, self._lanes(eight, [1] * 8))
        return b.zext(self._call("llvm.vector.reduce.add.v4i32", _I32, sums), I64)

    def wide(self, lanes: Value) -> Value:
        """The lanes with 16 bits each."""
        return self.builder.zext(lanes, WIDE)

    def wide_total(self, lanes: Value, weights: Value | None = None) -> Value:
        """The sum over 16-bit lanes, each times its weight (default 1), as int64."""
        eight = ir.VectorType(_I32, 8)
        ones = self._lanes(WIDE, [1] * 16) if weights is None else weights
        sums = self._call("llvm.x86.avx2.pmadd.wd", eight, lanes, ones)
        return self.builder.zext(self._call("llvm.vector.reduce.add.v8i32", _I32, sums), I64)

    def ahead(self, lanes: Value, ranks: int) -> Value:
        """In each lane what stands ``ranks`` lanes further up; nothing beyond the last."""
        places = [min(lane + ranks, 16) for lane in range(16)]
        nothing = self._lanes(WIDE, [0] * 16)
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
        bits = b.zext(b.bitcast(beyond, _I16), I64)
        zeros = b.module.declare_intrinsic(
            "llvm.cttz", [I64], ir.FunctionType(I64, [I64, ir.IntType(1)])
        )
        lane = b.call(zeros, [bits, ir.Constant(ir.IntType(1), 0)])
        before = b.extract_element(b.sub(sums, lanes), b.trunc(lane, _I32))
        return lane, b.sub(k, b.zext(before, I64))

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

    def run(self, kinds: Value, size: int, wilds: int) -> Value:
        """Ways to fill a run with up to ``wilds`` wilds, by its lowest rank: five ranks of one
        card each, three of two, two of three.
        """

        def moved(p: Polynomial, ranks: int) -> Polynomial:
            return [self.ahead(lanes, ranks) for lanes in p]

        ways = self.offers(kinds, size, wilds)
        two = self.times(ways, moved(ways, 1), wilds)
        if size == 3:
            return self.sum(two)
        if size == 2:
            return self.sum(self.times(two, moved(ways, 2), wilds))
        four = self.times(two, moved(two, 2), wilds)
        return self.sum(self.times(four, moved(ways, 4), wilds))

    def offers(self, kinds: Value, size: int, wilds: int) -> Polynomial:
        """Ways to make ``size`` cards of each rank of a sequence board, by wilds among them."""
        everywhere = self._lanes(BYTES, [1] * 16)
        sizes = range(size, max(size - wilds, 0) - 1, -1)
        return [
            self.wide(self.only(self.look_up(WAYS[m], kinds) if m else everywhere, 0, 13))
            for m in sizes
        ]


def choose(builder: ir.IRBuilder, number: Value, emit: Callable[[int], list[Value]]) -> list[Value]:
    """The values that ``emit`` makes for the number, 0 to 2, that is met when the code runs."""
    done = builder.append_basic_block("chosen")
    cases = [builder.append_basic_block(f"case_{case}") for case in range(3)]
    switch = builder.switch(number, cases[2])
    found = []
    for case, block in enumerate(cases):
        if case < 2:
            switch.add_case(ir.Constant(I64, case), block)
        builder.position_at_end(block)
        found.append(emit(case))
        builder.branch(done)
    builder.position_at_end(done)
    results = []
    for values in zip(*found, strict=True):
        result = builder.phi(I64)
        for value, block in zip(values, cases, strict=True):
            result.add_incoming(value, block)
        results.append(result)
    return results


def function(results: int, arguments: int, emit: Callable[[Lanes, Any], list[Value]]) -> Any:
    """Signature and code of an intrinsic on int64 whose results ``emit`` makes of its arguments."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        found = emit(Lanes(builder), args)
        if results == 1:
            return found[0]
        return context.make_tuple(builder, signature.return_type, found)

    result = types.int64 if results == 1 else types.UniTuple(types.int64, results)
    return result(*[types.int64] * arguments), generate
