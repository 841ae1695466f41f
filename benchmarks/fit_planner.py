"""Fit the weights of `planner` to games of its own, and measure what each piece of it is worth.

python benchmarks/fit_planner.py --rounds 4 --deals 20k --out guandan_sim/bots/weights.py
python benchmarks/fit_planner.py --without partner

In each round the bot plays with the weights it has, half of the deals against `greedy`, and makes
one choice in 12 at random. The terms of the choices made are then fitted by least squares to what
they led to, the value of the seat's next choice and in the end the levels gained: LSTD(lambda)
(Boyan, "Technical update: least-squares temporal difference learning", 2002), with ridge.
``--without`` fits and plays without a piece of knowledge, and then plays against the whole bot.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numba
import numpy as np
import numpy.typing as npt
import typer

from guandan_sim import layout as lay
from guandan_sim import loop
from guandan_sim.bots import BUILT_IN, Bot
from guandan_sim.bots.choices import CHOICE_WIDTH, CHOICES, list_choices, settle
from guandan_sim.bots.planner import DESK_SIZE, FACTS, TERMS, choose_among, choose_card, write_terms
from guandan_sim.bots.terms import (
    MOST_TERMS,
    TABLES,
    WEIGHTS_SIZE,
    shared_terms,
    term_parts,
)
from guandan_sim.bots.weights import UNIT, WEIGHTS
from guandan_sim.jit import accept_first_class_functions
from guandan_sim.options import whole_number
from guandan_sim.paired import Comparison, compare
from guandan_sim.rng import below
from guandan_sim.rules import Rules, new_state

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.int64]

#: Pieces of knowledge that can be left out.
PIECES = ("plan", "bombs", "counting", "control", "opponents", "partner", "tribute")

# Memory of a seat behind the bot's own: weights, switches, and the terms of the choices made.
_WEIGHTS = DESK_SIZE
_EXPLORE = _WEIGHTS + WEIGHTS_SIZE  # one choice in so many is drawn; 0: none, and nothing is noted
_BLIND = _EXPLORE + 1  # 1: what was played is not looked at
NOTED = _EXPLORE + 2
ROW = MOST_TERMS + 1
_MOST_NOTED = 80
SIZE = NOTED + 1 + ROW * _MOST_NOTED

_ONE_IN = 12
# How firmly a fit holds to the weights before it: what few choices met stays as it was.
_RIDGE = 1_000.0
# Share of what earlier rounds found that counts in the next fit.
_KEPT = 0.7
# What is left of a term's trace counts as nothing below this.
_LEAST_TRACE = 1e-3

_MOST_IN_LINE = 11  # numbers
# No seat's moves are checked, and all have more memory than other bots.
_WITH_DESKS = 0xF0


def _play(view: Any, memory: Any, out: Any) -> int:
    """`planner.play` with weights from memory; may choose at random, and notes its terms."""
    n = list_choices(memory, view)
    seen = view
    if memory[_BLIND]:
        seen = view.copy()
        seen[lay.V_PLAYED : lay.V_PLAYED + 8] = 0
    best = choose_among(seen, memory, n, memory[_WEIGHTS:_EXPLORE])
    if memory[_EXPLORE] and below(view[lay.V_KEY], 0, memory[_EXPLORE]) == 0:
        best = below(view[lay.V_KEY], 1, n)
    noted = memory[NOTED]
    if memory[_EXPLORE] and noted < _MOST_NOTED:
        write_terms(seen, memory, best)
        terms = memory[TERMS : TERMS + ROW]
        shared_terms(view, memory[FACTS:TERMS], terms)
        row = NOTED + 1 + ROW * noted
        memory[row : row + ROW] = terms
        memory[NOTED] = noted + 1
    at = CHOICES + CHOICE_WIDTH * best
    for i in range(4):
        out[i] = memory[at + i]
    settle(memory, memory[at + 2], memory[at + 3], memory[at + 4])
    return 0


def _choose_card(view: Any, memory: Any, out: Any) -> int:
    return choose_card(view, memory, out)  # type: ignore[no-any-return]


FITTED = Bot("fitted", _play, _choose_card, _choose_card)
SIMPLE_TRIBUTE = Bot("fitted", _play)


class Seated:
    """Weights at a seat; without any the seat is `greedy`'s."""

    def __init__(self, weights: Words | None, without: str = "", explore: int = 0) -> None:
        self.bot = SIMPLE_TRIBUTE if without == "tribute" else FITTED
        if weights is None:
            self.bot = BUILT_IN["greedy"]
        self.memory = np.zeros(SIZE, np.int64)
        if weights is not None:
            self.memory[_WEIGHTS:_EXPLORE] = weights
        self.memory[_EXPLORE] = explore
        self.memory[_BLIND] = without == "counting"


class Table:
    """Four seats that play independent deals, with tribute due as drawn."""

    def __init__(self, seats: Sequence[Seated]) -> None:
        accept_first_class_functions()
        self._run_sets = loop.load_loop(False)
        compiled = [seat.bot.compiled for seat in seats]
        self._roles = tuple(tuple(of[role] for of in compiled) for role in range(3))
        self.memory = np.array([seat.memory for seat in seats])
        self._state = new_state(Rules.preset("guide"))

    def play(self, seed: int, first: int, deals: int) -> tuple[Words, Words]:
        """(finishing orders int64[deals, 4], levels gained by the winners)."""
        arguments = np.zeros(loop.ARGUMENTS, np.int64)
        arguments[[loop.A_SEED, loop.A_END, loop.A_PREVIOUS]] = seed, first + deals, -1
        arguments[loop.A_DRAW_PREVIOUS] = 1
        arguments[loop.A_CHECKED] = _WITH_DESKS
        cursor = np.zeros(loop.CURSOR, np.int64)
        cursor[loop.C_NEXT] = first
        widths = (loop.DEAL_WIDTH, loop.TRIBUTE_WIDTH, loop.MATCH_WIDTH)
        rows = [np.zeros((2 * deals, width), np.int64) for width in widths]
        self._run_sets(
            *self._roles,
            self._state,
            np.zeros(lay.VIEW_SIZE, np.int64),
            self.memory,
            np.zeros(lay.OUT_SIZE, np.int64),
            arguments,
            cursor,
            np.zeros((0, loop.PLAY_WIDTH), np.int64),
            *rows,
        )
        if cursor[loop.C_STATUS] != loop.STATUS_OK:
            raise RuntimeError(f"the loop stopped with status {cursor[loop.C_STATUS]}")
        deal_rows = rows[0][:deals]
        return deal_rows[:, loop.D_FINISH : loop.D_FINISH + 4], deal_rows[:, loop.D_GAIN]


@numba.njit(nogil=True)
def add_seat(memory: Words, gain: float, decay: float, trace: Floats, a: Floats, b: Floats) -> int:
    """Add the choices that a seat noted in a deal to the equations a w = b, and forget them."""
    n = memory[NOTED]
    for k in range(n):
        row = NOTED + 1 + ROW * k
        trace *= decay if k else 0.0
        for i in range(memory[row]):
            index, value = term_parts(memory[row + 1 + i])
            trace[index] += value / 1024
        for at in range(len(b)):
            weight = trace[at]
            if abs(weight) < _LEAST_TRACE:
                trace[at] = 0.0
                continue
            for i in range(memory[row]):
                index, value = term_parts(memory[row + 1 + i])
                a[at, index] += weight * value / 1024
            if k == n - 1:
                b[at] += weight * gain
                continue
            for i in range(memory[row + ROW]):
                index, value = term_parts(memory[row + ROW + 1 + i])
                a[at, index] -= weight * value / 1024
    memory[NOTED] = 0
    return int(n)


def gather(
    weights: Words, deals: int, seed: int, decay: float, without: str
) -> tuple[Floats, Floats, int]:
    """Play, and give the equations of the choices made: (a, b, number of choices)."""
    a, b = np.zeros((WEIGHTS_SIZE, WEIGHTS_SIZE)), np.zeros(WEIGHTS_SIZE)
    trace = np.zeros(WEIGHTS_SIZE)

    def seated(own: bool) -> Seated:
        return Seated(weights if own else None, without, _ONE_IN if own else 0)

    mixed = ((True, True), (True, False), (True, True), (False, True))
    tables = [Table([seated(even), seated(odd)] * 2) for even, odd in mixed]
    choices = 0
    for number in range(deals):
        table = tables[number % 4]
        orders, gains = table.play(seed, number, 1)
        for seat in range(4):
            gain = float(gains[0]) * (1 if (seat ^ orders[0, 0]) & 1 == 0 else -1)
            choices += add_seat(table.memory[seat], gain, decay, trace, a, b)
    return a, b, choices


def solve(a: Floats, b: Floats, before: Words, without: str) -> Words:
    """The weights, in 1 / UNIT levels; none for tables about what is left out. ``before``: the
    weights of the round before.
    """
    kept = np.concatenate(
        [np.full(int(np.prod(shape)), about != without) for _, about, shape in TABLES]
    )
    found = np.zeros(WEIGHTS_SIZE)
    kept_a = a[np.ix_(kept, kept)] + _RIDGE * np.eye(int(kept.sum()))
    found[kept] = np.linalg.solve(kept_a, b[kept] + _RIDGE * before[kept] / UNIT)
    return np.rint(found * UNIT).astype(np.int64)


def duel(a: Seated, b: Seated, sets: int, seed: int) -> Comparison:
    """A against B on duplicate deals."""
    won, place, gain = [], [], []
    for arm, seats in enumerate(([a, b, a, b], [b, a, b, a])):
        orders, gains = Table(seats).play(seed, 0, sets)
        own = (orders[:, 0] & 1) == arm
        won.append(own)
        partner = (orders[:, 1:] & 1) == (orders[:, :1] & 1)
        place.append(partner.argmax(1) + 1)
        gain.append(np.where(own, gains, -gains))
    numbers = np.tile(np.arange(sets), 2)
    arms = np.repeat([0, 1], sets)
    return compare(numbers, arms, np.concatenate(won), np.concatenate(place), np.concatenate(gain))


def source(weights: Words) -> str:
    """The text of `guandan_sim.bots.weights` with these weights."""
    lines = ['"""Weights of the terms of `planner`, made by `benchmarks/fit_planner.py`."""', ""]
    lines += ["from __future__ import annotations", "", "import numpy as np", ""]
    lines += ['__all__ = ["UNIT", "WEIGHTS"]', "", "#: A level gained is so much."]
    lines += [f"UNIT = {UNIT}", "", "# Table by table as `terms.TABLES` lists them.", "# fmt: off"]
    lines += ["_TABLES: dict[str, list[int]] = {"]
    at = 0
    for name, _, shape in TABLES:
        size = int(np.prod(shape))
        lines.append(f'    "{name}": [')
        row = min(shape[-1], _MOST_IN_LINE)
        for begin in range(at, at + size, row):
            line = weights[begin : min(begin + row, at + size)]
            lines.append("        " + " ".join(f"{w}," for w in line))
        lines.append("    ],")
        at += size
    lines += ["}", "# fmt: on", ""]
    lines += ["#: int64[WEIGHTS_SIZE], in 1 / UNIT levels."]
    lines += ["WEIGHTS = np.array([w for table in _TABLES.values() for w in table], np.int64)", ""]
    return "\n".join(lines)


def main(
    rounds: Annotated[int, typer.Option(min=1)] = 3,
    deals: Annotated[str, typer.Option(help="Deals a round.")] = "12k",
    sets: Annotated[str, typer.Option(help="Sets to measure each round with.")] = "1k",
    seed: Annotated[int, typer.Option(min=0)] = 1,
    decay: Annotated[float, typer.Option("--lambda", min=0, max=1)] = 0.7,
    without: Annotated[str, typer.Option(help=f"One of {', '.join(PIECES)}.")] = "",
    out: Annotated[Path | None, typer.Option(help="Write the weights there, as Python.")] = None,
) -> None:
    """Fit the weights, beginning with those that there are."""
    if without and without not in PIECES:
        raise typer.BadParameter(f"{without!r} is none of {', '.join(PIECES)}")
    weights = WEIGHTS
    a, b = np.zeros((WEIGHTS_SIZE, WEIGHTS_SIZE)), np.zeros(WEIGHTS_SIZE)
    each, measured = whole_number(deals, "--deals", 1), whole_number(sets, "--sets", 2)
    for number in range(rounds):
        began = time.process_time()
        more_a, more_b, choices = gather(weights, each, 1000 * seed + number, decay, without)
        a, b = a * _KEPT + more_a, b * _KEPT + more_b
        weights = solve(a, b, weights, without)
        print(f"round {number}: {choices:,} choices, {time.process_time() - began:.0f} CPU s")
        own, greedy = Seated(weights, without), Seated(None)
        print(duel(own, greedy, measured, seed).text("fitted", "greedy"))
        name = f"no {without}" if without else "fitted"
        print(duel(own, Seated(WEIGHTS), measured, seed).text(name, "planner"))
    if out is not None:
        out.write_text(source(weights))


if __name__ == "__main__":
    typer.run(main)
