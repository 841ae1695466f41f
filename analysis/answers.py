"""Print the table of answers in README.md from what was found in results/.

python analysis/answers.py

results/matches.json is a report of whole matches, the others are experiments; results/README.md has
the commands.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"

# Question, table, row, measure; how the answer is shown, its factor and unit.
SHARE = ("{:.2f}", 100, "%")
LEVELS = ("{:+.3f}", 1, " levels")
NUMBER = ("{:.2f}", 1, "")
SEEN = (
    ("deals in a match", "matches", "deals", "a match", NUMBER),
    ("plays of cards in a deal", "length", "plays", "a deal", NUMBER),
    ("deals that end in a sweep", "outcomes", "1-2, a sweep", "of all", SHARE),
    ("single tributes cancelled", "tribute-cancelled", "single", "cancelled", SHARE),
    ("double tributes cancelled", "tribute-cancelled", "double", "cancelled", SHARE),
    ("a wild, to the side that is dealt it", "values", "wild", "levels", LEVELS),
    ("deals won by a side dealt both wilds", "both-copies", "both wilds", "won", SHARE),
    (
        "a bomb of four, others equal",
        "values-others-equal",
        "bomb of 4",
        "levels",
        LEVELS,
    ),
    ("a bomb of six, others equal", "values-others-equal", "bomb of 6", "levels", LEVELS),
    ("hands of four turns or fewer, out first", "turns-of-hands", "4 or fewer", "out first", SHARE),
    ("hands of nine turns, out first", "turns-of-hands", "9", "out first", SHARE),
    ("won again after 1-2, tribute paid", "advantage", "1-2, a sweep, paid", "won", SHARE),
    ("won again after 1-4, the own partner paying", "advantage", "1-4, paid", "won", SHARE),
)
CAUSED = (
    ("tribute, to the Banker's side: the same deals with and without", "tribute-off", "tribute"),
    ("of that, its cards", "tribute-off", "its cards"),
    ("of that, that the payer leads and not the Banker", "tribute-off", "its lead"),
    ("the lead, to the leading side: the same deals led by each seat", "lead", "the lead"),
)


def read(name: str) -> Any:
    """What results/ has by that name."""
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def lines() -> Iterator[str]:
    """The table in Markdown."""
    yield "| question | answer | 95% interval |"
    yield "|---|---|---|"
    tables = read("matches")["arms"][0]["tables"]
    for question, key, label, measure, shown in SEEN:
        (row,) = (row for row in tables[key]["rows"] if row["row"] == label)
        if "exact" in row:
            question += f" (exact: {100 * row['exact']:.2f}%)"
        yield line(question, row[measure]["value"], row[measure]["interval"], shown)
    for question, name, effect in CAUSED:
        levels = read(name)["effects"][effect]["levels"]
        yield line(question, levels["value"], levels["interval"], LEVELS)


def line(question: str, value: float, interval: list[float], shown: tuple[str, int, str]) -> str:
    """A row of the table."""
    form, factor, unit = shown
    low, middle, high = (form.format(factor * each) for each in (interval[0], value, interval[1]))
    return f"| {question} | {middle}{unit} | {low} to {high} |"


def main() -> None:
    """Print it."""
    print("\n".join(lines()))


if __name__ == "__main__":
    main()
