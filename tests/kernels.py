"""Compiled wrappers that the tests share: each one costs seconds to compile, so there are few."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from guandan_sim import layout as lay
from guandan_sim.bits import mix, mulhi, popcount, select_bit, trailing_zeros, weyl
from guandan_sim.jit import BOT_ARGUMENTS, compile_function, kernel
from guandan_sim.movegen import count_all_bombs, count_answers, count_moves
from guandan_sim.rng import deal_hands, deal_key, word
from guandan_sim.shapes import BOMB, PASS

_WORDS = types.Array(types.int64, 1, "C")
_ROWS = types.Array(types.int64, 2, "C")


def _choices(play: Any, view: Any, key: int, scratch: Any, out: Any) -> None:
    for i in range(len(out)):
        view[lay.V_KEY] = word(key, i)
        play(view, scratch, out[i])


_compiled: list[Any] = []


def choices(play: Any, view: np.ndarray, key: int, n: int) -> np.ndarray:
    """What a bot's compiled function writes, int64[n, OUT_SIZE], for one view and ``n`` keys."""
    if not _compiled:
        bot = types.FunctionType(types.int64(*BOT_ARGUMENTS))
        _compiled.append(compile_function(_choices, (bot, _WORDS, types.int64, _WORDS, _ROWS)))
    out = np.zeros((n, lay.OUT_SIZE), np.int64)
    _compiled[0](play, view.copy(), key, np.zeros(lay.SCRATCH_SIZE, np.int64), out)
    return out


@kernel
def deal_many(seed: int, first: int, out: Any) -> None:
    """The packs of sets ``first``, ``first + 1``, ...: int64[n, 8], (one, two) by seat."""
    for i in range(len(out)):
        deal_hands(deal_key(seed, first + i, 0), out[i], 0)


@kernel
def draw_grid(n: int, out: Any) -> None:
    """Draws of n seeds, n sets, n deals, 6 streams, n decisions and n draws, flat in this order."""
    at = 0
    for seed in range(n):
        for number in range(n):
            for deal in range(n):
                key = deal_key(seed, number, deal)
                for stream in range(6):
                    for decision in range(n):
                        for draw in range(n):
                            out[at] = word(word(word(key, stream), decision), draw)
                            at += 1


@kernel
def bit_operations(a: int, b: int, held: int, k: int, out: Any) -> None:
    """Each operation of `bits` once; ``held`` has more than ``k`` bits."""
    out[0] = mix(a, b)
    out[1] = mulhi(a, b)
    out[2] = popcount(a)
    out[3] = select_bit(held, k)
    out[4] = trailing_zeros(a)
    out[5] = weyl(a, b, k)


@kernel
def first_disagreement(cards: Any, beats: Any, level: int, max_bomb: int, joker_pair: int) -> int:
    """The first subset (a mask) of ``cards``, a bit each, for which `count_moves` over some (kind,
    strength) of ``beats`` is not `count_answers` and the other bombs, or depends on knowing these.

    -1 if there is none.
    """
    for subset in range(1 << len(cards)):
        one = two = 0
        for i in range(len(cards)):
            if subset >> i & 1:
                two |= one & cards[i]
                one |= cards[i]
        bombs = count_all_bombs(one, two, level, max_bomb)
        for i in range(len(beats)):
            kind, strength = beats[i, 0], beats[i, 1]
            n = count_moves(one, two, level, kind, strength, max_bomb, joker_pair, bombs)
            answers = count_answers(one, two, level, kind, strength, max_bomb, joker_pair, -1)
            blind = count_moves(one, two, level, kind, strength, max_bomb, joker_pair, -1)
            expected = answers + (bombs if kind != BOMB else 0)
            if n != blind or (kind != PASS and n != expected):
                return subset
    return -1


@kernel
def allocate(rounds: int) -> int:
    """What a kernel must not do."""
    total = 0
    for i in range(rounds):
        total += len(np.empty(i + 1, np.int64))
    return total
