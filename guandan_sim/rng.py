"""Random streams without state: every number is a pure function of who draws it, where and when.

The generator is wyrand read at a counter (Wang Yi's public-domain function): a Weyl sequence whose
terms are mixed by a 64 x 64 -> 128 bit product. Nesting it gives the keys::

    deal   = word(word(word(seed, 0), set), deal)
    stream = word(deal, s)      s: 0..3 the decisions of a seat, 4 the deck, 5 the deal's set-up
    key    = word(stream, j)    j: number of the decision of that seat in this deal
    draw k = word(key, k)

Bounded numbers are the upper half of word x n: the bias is below n / 2**64, which no experiment can
see.
"""

from __future__ import annotations

from .bitboard import PACK
from .bits import mix, mulhi, popcount, select_bit, signed, weyl
from .jit import Words, kernel

__all__ = ["DECK_STREAM", "SETUP_STREAM", "below", "deal_hands", "deal_key", "word"]

DECK_STREAM = 4
SETUP_STREAM = 5

_STEP = signed(0xA0761D6478BD642F)
_TWIST = signed(0xE7037ED1A0B428DB)


@kernel
def word(key: int, count: int) -> int:
    """Term ``count`` (from 0) of the stream ``key``: 64 uniform bits, as a signed int64.

    >>> word(1, 0) == word(1, 0), word(1, 0) == word(1, 1)
    (True, False)
    """
    x = weyl(weyl(key, _STEP, 1), _STEP, count)
    return mix(x, x ^ _TWIST)


@kernel
def below(key: int, count: int, n: int) -> int:
    """Term ``count`` of the stream ``key`` as a uniform integer in 0..n-1.

    >>> 0 <= below(1, 0, 13) < 13
    True
    """
    return mulhi(word(key, count), n)


@kernel
def deal_key(seed: int, set_number: int, deal: int) -> int:
    """The key from which all streams of one deal come."""
    return word(word(word(seed, 0), set_number), deal)


@kernel
def _halve(key: int, count: int, first: int, second: int, size: int) -> tuple[int, int, int]:
    """A uniform choice of ``size`` of the cards in ``first`` and ``second`` (the two copies of each
    kind).

    A fair coin for every card, then single cards moved at random until the number is right: no step
    prefers one card to another, so all choices of that size are equally likely. Returns the chosen
    cards and the next count.
    """
    a = first & word(key, count)
    b = second & word(key, count + 1)
    count += 2
    in_a = popcount(a)
    chosen = in_a + popcount(b)
    while chosen > size:
        k = below(key, count, chosen)
        count += 1
        if k < in_a:
            a ^= select_bit(a, k)
            in_a -= 1
        else:
            b ^= select_bit(b, k - in_a)
        chosen -= 1
    out_a = popcount(first & ~a)
    left = out_a + popcount(second & ~b)
    while chosen < size:
        k = below(key, count, left)
        count += 1
        if k < out_a:
            a |= select_bit(first & ~a, k)
            out_a -= 1
        else:
            b |= select_bit(second & ~b, k - out_a)
        left -= 1
        chosen += 1
    return a, b, count


@kernel
def deal_hands(key: int, hands: Words, at: int) -> None:
    """Write the four hands of 27 cards of the deal ``key`` to ``hands[at:at + 8]`` as (one, two)
    words by seat.
    """
    stream = word(key, DECK_STREAM)
    a, b, count = _halve(stream, 0, PACK, PACK, 54)
    for half in range(2):
        if half:
            a = PACK & ~a
            b = PACK & ~b
        c, d, count = _halve(stream, count, a, b, 27)
        hands[at + 4 * half] = c | d
        hands[at + 4 * half + 1] = c & d
        hands[at + 4 * half + 2] = (a & ~c) | (b & ~d)
        hands[at + 4 * half + 3] = (a & ~c) & (b & ~d)
    # The first half went to seats 0 and 1: all splits of the pack are alike, so no seat is
    # favoured.
