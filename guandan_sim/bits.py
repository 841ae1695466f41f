"""Bit operations on 64-bit words that Numba has no names for.

Each is one or a few machine instructions when compiled. Under ``NUMBA_DISABLE_JIT=1`` the plain
twins below run instead; Python's integers do not wrap, so only these functions may multiply or add
words that fill 64 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .cpu import VECTORS
from .jit import DISABLED, kernel

__all__ = [
    "divide",
    "index",
    "mix",
    "mulhi",
    "popcount",
    "select_bit",
    "signed",
    "trailing_zeros",
    "weyl",
]

_I64 = ir.IntType(64)
_I128 = ir.IntType(128)


def signed(value: int) -> int:
    """The 64-bit two's complement reading of ``value``.

    >>> signed(2**64 - 1)
    -1
    """
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def _unsigned(value: int) -> int:
    return int(value) & ((1 << 64) - 1)


if DISABLED:

    def popcount(word: int) -> int:
        """Number of bits set in ``word``."""
        return _unsigned(word).bit_count()

    def trailing_zeros(word: int) -> int:
        """Place of the lowest bit set; 64 for a word of zero."""
        word = _unsigned(word)
        return (word & -word).bit_length() - 1 if word else 64

    def mulhi(a: int, b: int) -> int:
        """Upper half of the unsigned product: ``mulhi(uniform word, n)`` is uniform in 0..n-1."""
        return signed(_unsigned(a) * _unsigned(b) >> 64)

    def mix(a: int, b: int) -> int:
        """Upper and lower half of the unsigned 128-bit product, folded by xor."""
        product = _unsigned(a) * _unsigned(b)
        return signed(product >> 64 ^ product)

    def weyl(base: int, step: int, count: int) -> int:
        """``base + step * count``, modulo 2**64."""
        return signed(int(base) + int(step) * int(count))

    def index(place: int) -> int:
        """``place`` as an index known not to be negative, so not to be counted from the end."""
        return int(place)

else:

    @intrinsic
    def index(_typing: Any, place: Any) -> Any:
        """``place`` as an index known not to be negative, so not to be counted from the end."""
        del place
        return types.uint64(types.int64), lambda _context, _builder, _signature, args: args[0]

    # Numba reads the number of arguments off these functions and calls them with its own.
    def _unary(name: str, has_flag: bool) -> Any:
        @intrinsic
        def operation(_typing: Any, word: Any) -> Any:  # noqa: ARG001
            def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
                flag = [ir.IntType(1)] if has_flag else []
                function = builder.module.declare_intrinsic(
                    name, [_I64], ir.FunctionType(_I64, [_I64, *flag])
                )
                return builder.call(function, [args[0], *(ir.Constant(t, 0) for t in flag)])

            return types.int64(types.int64), generate

        return operation

    def _product(fold: bool) -> Any:
        @intrinsic
        def operation(_typing: Any, a: Any, b: Any) -> Any:  # noqa: ARG001
            def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
                product = builder.mul(builder.zext(args[0], _I128), builder.zext(args[1], _I128))
                high = builder.trunc(builder.lshr(product, ir.Constant(_I128, 64)), _I64)
                return builder.xor(high, builder.trunc(product, _I64)) if fold else high

            return types.int64(types.int64, types.int64), generate

        return operation

    popcount = _unary("llvm.ctpop", False)
    trailing_zeros = _unary("llvm.cttz", True)
    mulhi = _product(False)
    mix = _product(True)

    @kernel
    def weyl(base: int, step: int, count: int) -> int:
        """``base + step * count``, modulo 2**64."""
        return base + step * count


@kernel
def _select_by_halves(word: int, k: int) -> int:
    """`select_bit` for any processor: halves the range six times by counting the bits below."""
    place = 0
    width = 32
    while width:
        below = popcount((word >> place) & ((1 << width) - 1))
        if k >= below:
            k -= below
            place += width
        width >>= 1
    return 1 << place


if VECTORS:

    @intrinsic
    def _deposit(_typing: Any, bits: Any, places: Any) -> Any:  # noqa: ARG001
        """Lay the low bits of ``bits`` out over the set bits of ``places``."""

        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            name = "llvm.x86.bmi.pdep.64"
            function = builder.module.globals.get(name) or ir.Function(
                builder.module, ir.FunctionType(_I64, [_I64, _I64]), name
            )
            return builder.call(function, args)

        return types.int64(types.int64, types.int64), generate

    @kernel
    def select_bit(word: int, k: int) -> int:
        """The ``k``-th lowest bit set in ``word`` (k from 0), as a word with that bit alone.

        ``k`` must be less than ``popcount(word)``.

        >>> bin(select_bit(0b101100, 1))
        '0b1000'
        """
        place: int = _deposit(1 << k, word)
        return place

else:
    select_bit = _select_by_halves


#: RECIPROCALS[d] is 2**32 / d, rounded up, for `divide`.
RECIPROCALS = np.array([0, *(-(-(2**32) // d) for d in range(1, 4096))], np.int64)


@kernel
def divide(k: int, d: int) -> int:
    """``k // d`` by a product, for 0 <= k < 2**31, 0 < d < 4096 and k * d < 2**32.

    The reciprocal r is too large by less than 1, so that k r / 2**32 is too large by less than
    k / 2**32, which is below 1 / d: too little to reach the next whole number.

    >>> divide(1001, 7), divide(1000, 7)
    (143, 142)
    """
    quotient: int = k * RECIPROCALS[index(d)] >> 32
    return quotient
