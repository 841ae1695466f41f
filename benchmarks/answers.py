"""Print the table of answers in README.md from a run of whole matches.

guandan-sim simulate --matches 5k --bots greedy --seed 1 --log deals --out runs/answers
python benchmarks/answers.py runs/answers
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pandas as pd

import guandan_sim as gs
from guandan_sim.cards import CARD_NUMBERS, RANK_WORDS
from guandan_sim.summarytable import Z95

Column = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def cluster_mean(values: Column, matches: Column) -> tuple[float, float]:
    """The mean of ``values`` and the half width of its 95% interval, clustered by match.

    The deals of a match may resemble each other, so the standard error is that of a ratio of sums
    over matches: sqrt(sum((sum_m - mean * n_m) ** 2)) / n.
    """
    mean = float(values.mean())
    residuals = np.bincount(matches, weights=values - mean)
    return mean, float(Z95 * np.sqrt((residuals**2).sum()) / len(values))


def copies(deals: pd.DataFrame, team: int, card: int | Column) -> Column:
    """Copies of a card (its number, or one a deal) that a team was dealt."""
    held = np.zeros(len(deals), np.int64)
    for seat in (team, team + 2):
        for word in ("one", "two"):
            held += deals[f"hand{seat}_{word}"].to_numpy() >> card & 1
    return held


def answers(run: gs.Run) -> Iterator[tuple[str, float, float, str]]:
    """(question, answer, half width of its 95% interval, unit) from a run of matches."""
    deals = run.deals()
    matches = run.matches()
    lengths = matches["deals"].to_numpy().astype(np.int64)
    yield "deals in a match", *cluster_mean(lengths, np.arange(len(lengths))), ""

    match = deals["set"].to_numpy()
    winner = (deals["first"] & 1).to_numpy().astype(np.int64)
    plays = deals["plays"].to_numpy().astype(np.int64)
    yield "plays of cards in a deal", *cluster_mean(plays, match), ""

    def share(question: str, hits: Mask, among: Mask) -> tuple[str, float, float, str]:
        return question, *cluster_mean(hits[among].astype(np.int64), match[among]), "%"

    everything = np.ones(len(deals), bool)
    sweep = (deals["first"] ^ deals["second"]).to_numpy() == 2
    yield share("deals that end in a sweep", sweep, everything)
    cancelled = deals["cancelled"].to_numpy()
    for kind, exact in (("single", "6.07%"), ("double", "24.8%")):
        due = (deals["tribute"] == kind).to_numpy()
        yield share(f"{kind} tributes cancelled (exact: {exact})", cancelled, due)

    opening = (deals["deal"] == 0).to_numpy()
    leader = (deals["leader"] & 1).to_numpy()
    yield share("opening deals won by the team that leads", winner == leader, opening)
    before = (deals["previous"].astype(str).str[:1].replace("", "0").astype(int) & 1).to_numpy()
    yield share("later deals won by the winner of the deal before", winner == before, ~opening)

    ranks = deals["level"].astype(str).map({word: n for n, word in enumerate(RANK_WORDS)})
    wild = 4 * ranks.to_numpy().astype(np.int64) + 1
    for name, card in (("red jokers", CARD_NUMBERS["HR"]), ("wilds", wild)):
        both = np.where(copies(deals, 0, card) == 2, 0, -1)
        both[copies(deals, 1, card) == 2] = 1
        yield share(f"deals won by a team dealt both {name}", winner == both, both >= 0)


def main(path: str) -> None:
    """Print the table in Markdown."""
    print("| question | answer | 95% interval |\n|---|---|---|")
    for question, answer, half, unit in answers(gs.open_run(path)):
        scale, digits = (100, 2) if unit else (1, 2)
        low, mean, high = (scale * (answer + side * half) for side in (-1, 0, 1))
        print(f"| {question} | {mean:.{digits}f}{unit} | {low:.{digits}f} to {high:.{digits}f} |")


if __name__ == "__main__":
    main(sys.argv[1])
