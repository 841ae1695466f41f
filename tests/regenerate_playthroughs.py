"""Whole deals and matches as readable text: run this to write `playthroughs/` anew.

    python tests/regenerate_playthroughs.py

A change of the rules, of a bot or of a random stream shows as a difference in these files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from games import PausedMatch, choice_of, independent_deal

from guandan_sim import layout as lay
from guandan_sim.bots import bots_by_seat
from guandan_sim.cards import CARD_CODES

FOLDER = Path(__file__).parent / "playthroughs"
PLACES = ("first", "second", "third", "last")
NAMES = ("no tribute", "single tribute", "double tribute")

Bots = str | list[str]


def deal_lines(table: PausedMatch, bots: Bots) -> Iterator[str]:
    """One deal, played to its end by the bots: hands, tribute, a line a trick, the finish."""
    state = table.state
    players = bots_by_seat(bots)
    scratch = np.zeros((4, lay.SCRATCH_SIZE), np.int64)
    yield f"level {table.level} of team {table.owner}; teams at {', '.join(table.levels)}"
    for seat, hand in enumerate(table.hands):
        yield f"  hand {seat}: {' '.join(hand)}"
    due = int(state[lay.V_TRIBUTE])
    if due:
        order = ", ".join(map(str, state[lay.V_PREVIOUS : lay.V_PREVIOUS + 4]))
        cancelled = ", cancelled by the red jokers" if state[lay.V_CANCELLED] else ""
        yield f"  {NAMES[due]} after {order}{cancelled}"
    elif state[lay.V_MARKED]:
        yield f"  {CARD_CODES[int(state[lay.V_MARKED])]} is turned up"
    while table.phase in ("tribute", "return"):
        seat = table.to_move or 0
        options = " ".join(map(str, table.options()))
        verb = "gives" if table.phase == "tribute" else "returns"
        choice = choice_of(players[seat], table, scratch[seat])
        yield f"  {seat} {verb} {choice} of {options}"
        table.step(choice)
    for giver, receiver, card, returned in table.tributes:
        yield f"  {giver} -> {receiver} {card}, {receiver} -> {giver} {returned}"

    line: list[str] = []
    while table.phase == "play":
        seat = table.to_move or 0
        if table.to_beat is None and line:
            yield "  " + " | ".join(line)
            line = []
        move = choice_of(players[seat], table, scratch[seat])
        out = len(table.finish_order)
        if table.to_beat is None and (before := last_player(table)) not in (None, seat):
            line.append(f"{seat} leads for {before}")
        table.step(move)
        placed = f" ({PLACES[out]})" if len(table.finish_order) > out else ""
        line.append(f"{seat} {move}{placed}")
    yield "  " + " | ".join(line)

    finish, left = table.finish_order, table.hands
    table.next_deal()
    sweep = ", a sweep" if finish[0] ^ finish[1] == 2 else ""
    held = "; ".join(f"{seat} keeps {' '.join(left[seat])}" for seat in range(4) if left[seat])
    yield f"  finish {', '.join(map(str, finish))}{sweep}; {held}"
    yield f"  gain {table.state[lay.S_GAIN]}; teams at {', '.join(table.levels)}"


def last_player(table: PausedMatch) -> int | None:
    """Who made the last play; None before the first."""
    return next((s for s, move in reversed(table.history) if move.shape != "pass"), None)


def match_text(seed: int, number: int, bots: Bots, rules: str = "guide") -> str:
    """A whole match."""
    table = PausedMatch(seed=seed, number=number, rules=rules)
    lines = [f"match {number} of seed {seed}, rules {rules}, bots {bots}"]
    while table.phase != "done":
        first, *rest = deal_lines(table, bots)
        lines += ["", f"deal {table.deals - 1}: {first}", *rest]
    return "\n".join([*lines, "", f"team {table.winner} wins after {table.deals} deals", ""])


def deal_text(
    seed: int,
    number: int,
    bots: Bots,
    level: str,
    previous: str | None = None,
    rules: str = "guide",
) -> str:
    """One independent deal."""
    rank = "23456789TJQKA".index(level) + 1
    table = independent_deal(seed, number, rules, rank, previous)
    first, *rest = deal_lines(table, bots)
    head = f"deal {number} of seed {seed}, rules {rules}, bots {bots}"
    return "\n".join([head, "", first, *rest, ""])


PLAYTHROUGHS: dict[str, Callable[[], str]] = {
    "match_guide.txt": lambda: match_text(1, 110, "greedy"),
    "match_wikipedia.txt": lambda: match_text(1, 0, ["greedy", "random"], "wikipedia"),
    "deal_random.txt": lambda: deal_text(1, 0, "random", "2"),
    "deal_wilds.txt": lambda: deal_text(1, 1, ["random", "greedy"], "9"),
    "deal_after_a_sweep.txt": lambda: deal_text(1, 2, ["greedy", "random"], "A", "3120"),
    "deal_passes_lock.txt": lambda: deal_text(1, 3, "random", "5", None, "ace_reset"),
}
"""What is played, by the name of its file."""


def main() -> None:
    """Write every file."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for name, text in PLAYTHROUGHS.items():
        (FOLDER / name).write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
