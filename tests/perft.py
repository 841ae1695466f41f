"""Counts of move sequences from small fixed deals, by the oracle and the referee.

``perft(hands, level, leader, depth)`` counts the sequences of exactly `depth` legal moves from the
lead of a deal. A move is a play with its declaration, or a pass; every seat that still holds cards
and is asked by the rules makes one, a pass that is forced included. A deal that ends before `depth`
moves counts nothing. ``python tests/perft.py`` counts the deals below anew and writes
``tests/data/perft.txt``, which `read_perft` reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from referee import PRESETS, RefereeDeal

PERFT_FILE = Path(__file__).parent / "data" / "perft.txt"

HEADER = """\
# Perft: how many sequences of exactly 1, 2, 3, .. legal moves start from the lead of each deal.
# A move is a play with its declaration (shape, rank, multiset of cards), or a pass. Passes are
# explicit, forced ones too; seats that are out are not asked. Sequences that end the deal early
# count in their own length only. Made by `python tests/perft.py`, from a slow enumerator in plain
# Python that shares no code with the engine. A deal is seven lines: its name, the rule system,
# level and leader, the hands of seats 0 to 3, and the counts for depth 1, 2, 3, ..
"""


class PerftDeal(NamedTuple):
    """One deal of the perft file; `counts[n - 1]` is the count of depth n."""

    name: str
    rules: str
    level: str
    leader: int
    hands: tuple[tuple[str, ...], ...]
    counts: tuple[int, ...]


def perft(
    hands: Sequence[Sequence[str]], level: str, leader: int, depth: int, rules: str = "guide"
) -> int:
    """How many sequences of exactly `depth` moves start from this deal."""
    return count(RefereeDeal(hands, level, leader, PRESETS[rules]), depth)


def count(deal: RefereeDeal, depth: int) -> int:
    """How many sequences of exactly `depth` moves start from this position."""
    moves = deal.moves()
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        after = deal.copy()
        after.move(move)
        total += count(after, depth - 1)
    return total


def read_perft(path: Path = PERFT_FILE) -> list[PerftDeal]:
    """The deals of a perft file."""
    return list(_parse(path.read_text(encoding="utf-8")))


def _parse(text: str) -> Iterator[PerftDeal]:
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    for name_line in lines:
        _, name = name_line.split(maxsplit=1)
        setting = dict(word.split("=") for word in next(lines).split())
        hands = tuple(tuple(next(lines).split()[1:]) for _ in range(4))
        counts = tuple(int(word) for word in next(lines).split()[1:])
        yield PerftDeal(
            name, setting["rules"], setting["level"], int(setting["leader"]), hands, counts
        )


def format_perft(deals: Sequence[PerftDeal]) -> str:
    """The text of a perft file."""
    parts = [HEADER]
    for deal in deals:
        parts.append(f"\ndeal {deal.name}\n")
        parts.append(f"rules={deal.rules} level={deal.level} leader={deal.leader}\n")
        parts += [f"{seat}: {' '.join(hand)}\n" for seat, hand in enumerate(deal.hands)]
        parts.append(f"counts: {' '.join(map(str, deal.counts))}\n")
    return "".join(parts)


# Name, rules, level, leader, hands of seats 0 to 3, depth.
DEALS = (
    (
        "both wilds in one hand", "guide", "7", 0,
        ("H7 H7 S8 D8 S9 ST", "SA SA C3 D3 H3", "C9 D9 HT SK DK", "SQ HQ CQ D4 SB"), 10,
    ),
    (
        "jokers in every hand", "guide", "2", 1,
        ("SB S5 D5 C8 H2", "SB HR S2 D2 D7", "C5 H5 S6 D6 C6 H2", "HR S9 C9 H9 D3"), 11,
    ),
    (
        "bombs up the ladder", "guide", "T", 2,
        ("S4 D4 C4 H4 HT", "S5 S5 D5 C5 H5", "H3 S3 D3 C3 S8", "S6 S7 S8 S9 ST"), 8,
    ),
    (
        "straights, aces at both ends", "guide", "A", 3,
        ("S2 D3 C4 H5 HA DA", "S3 C4 D5 H6 S7", "ST HJ DQ CK SA", "C2 C3 D4 C5 C6 HA"), 10,
    ),
    (
        "tubes and plates", "guide", "6", 0,
        ("S5 D5 C6 D6 S7 D7 H6", "SQ SQ DK CK SA HA", "S2 D2 C2 S3 C3 H3 H6", "SK SK S9 S9 ST DT"),
        9,
    ),
    (
        "going out, and the partner leads", "guide", "5", 0,
        ("S9", "C9 DT D3", "SK H5 SJ", "D9 HT CT"), 13,
    ),
    (
        "joker bomb, no joker pair in a full house", "short_game", "9", 1,
        ("S9 C9 H9 D6 D6", "SB SB HR HR H9 C6", "S8 C8 D8 H8", "S7 C7 D7 HJ CJ"), 10,
    ),
    (
        "a pass locks", "ace_reset", "3", 2,
        ("S5 D5 S6 SK", "C5 H5 C6 SQ", "S4 D4 H3 SA", "C4 H4 D7 SB"), 12,
    ),
)  # fmt: skip


def main() -> None:
    """Count every deal of `DEALS` to its depth and write the perft file."""
    deals = []
    for name, rules, level, leader, words, depth in DEALS:
        hands = tuple(tuple(word.split()) for word in words)
        counts = tuple(perft(hands, level, leader, d, rules) for d in range(1, depth + 1))
        print(f"{name}: {counts}", flush=True)
        deals.append(PerftDeal(name, rules, level, leader, hands, counts))
    PERFT_FILE.write_text(format_perft(deals), encoding="utf-8")


if __name__ == "__main__":
    main()
