"""How cost grows: with the number of deals, cards in hand, legal moves, threads and processes.

python benchmarks/growth.py --out benchmarks/results

Writes growth.png, growth.json. Every point is the median of rounds through all points of its curve.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import joblib
import numpy as np
import typer

from guandan_sim.bench.machine import machine, versions
from guandan_sim.bench.measuring import spin
from guandan_sim.bench.positions import WIDTH, count_all, list_all, met, move_counts
from guandan_sim.bench.remote import own_player
from guandan_sim.bench.timing import Figure, alternate, seconds_of, together
from guandan_sim.bench.workloads import Game, Workload
from guandan_sim.cards import CARD_NUMBERS, parse_level
from guandan_sim.cpu import VECTORS
from guandan_sim.errors import OptionError
from guandan_sim.options import whole_number
from guandan_sim.progress import note

LEVEL = "2"
_FEWEST_POSITIONS = 10


@dataclass(frozen=True)
class Curve:
    """A line of a plot: ``ys`` over ``xs``, with the quartiles of each point."""

    label: str
    xs: list[float]
    ys: list[float]
    low: list[float]
    high: list[float]


@dataclass(frozen=True)
class Plot:
    """One plot: its axes with their units, and its curves."""

    title: str
    x: str
    y: str
    curves: list[Curve]
    logarithmic: str = ""  # the axes that are: "", "x", "xy"


@dataclass(frozen=True)
class Line:
    """What a curve is made from: for every point, work that returns its seconds and what makes
    them a ``y``.
    """

    label: str
    xs: Sequence[float]
    works: Sequence[Callable[[], float]]
    value: Callable[[int, float], float]


def curves(lines: Sequence[Line], rounds: int) -> list[Curve]:
    """Time all points of all lines in turn."""
    works = {f"{line.label} {i}": work for line in lines for i, work in enumerate(line.works)}
    times = alternate(works, rounds)
    found = []
    for line in lines:
        figures = [
            Figure("", line.label, "", tuple(line.value(i, s) for s in times[f"{line.label} {i}"]))
            for i in range(len(line.xs))
        ]
        found.append(
            Curve(
                line.label,
                [float(x) for x in line.xs],
                [figure.median for figure in figures],
                [figure.quartiles[0] for figure in figures],
                [figure.quartiles[1] for figure in figures],
            )
        )
    return found


def deals_plot(most: int, rounds: int) -> Plot:
    """Time a deal of runs of 1 to ``most`` deals in one call of the loop."""
    sizes = [10**k for k in range(len(str(most)))]
    lines = [
        Line(
            bot,
            sizes,
            [Game(Workload(bot, size)).play for size in sizes],
            lambda i, seconds: 1e6 * seconds / sizes[i],
        )
        for bot in ("random", "greedy")
    ]
    return Plot("Cost of a deal", "deals in one call", "µs a deal", curves(lines, rounds), "x")


def hands(cards: int, count: int) -> np.ndarray:
    """Free leads at level 2 from ``count`` hands of so many random cards each, as `positions`."""
    pack = [1 << number for number in CARD_NUMBERS.values()] * 2
    draw = np.random.default_rng(cards)
    positions = np.zeros((count, WIDTH), np.int64)
    for row in positions:
        one = two = 0
        for i in draw.permutation(len(pack))[:cards]:
            two |= one & pack[i]
            one |= pack[i]
        row[:3] = one, two, parse_level(LEVEL)
    return positions


def cards_plot(count: int, rounds: int) -> Plot:
    """Time to count the leads of random hands of 1 to 27 cards."""
    sizes = list(range(1, 28))
    counts = np.zeros((count, 1), np.int64)

    def counting(cards: int) -> Callable[[], float]:
        positions = hands(cards, count)
        return lambda: seconds_of(lambda: count_all(positions, counts))

    line = Line(
        "", sizes, [counting(size) for size in sizes], lambda _, seconds: 1e9 * seconds / count
    )
    return Plot(
        "Counting all leads of a hand", "cards in hand", "ns a hand", curves([line], rounds)
    )


def moves_plot(deals: int, rounds: int) -> Plot:
    """Time to list all moves of positions met in random deals, grouped by how many there are."""
    positions = met(deals)
    counts = move_counts(positions)
    out = np.zeros((int(counts.max()), 4), np.int64)

    def listing(chosen: np.ndarray) -> Callable[[], float]:
        return lambda: seconds_of(lambda: list_all(chosen, out))

    sizes, means, works = [], [], []
    for power in range(int(counts.max()).bit_length()):
        chosen = counts >> power == 1  # from 2**power on, and less than twice as many
        if chosen.sum() >= _FEWEST_POSITIONS:
            sizes.append(int(chosen.sum()))
            means.append(float(counts[chosen].mean()))
            works.append(listing(positions[chosen]))
    line = Line("", means, works, lambda i, seconds: 1e9 * seconds / sizes[i])
    return Plot(
        "Listing all moves of a position", "legal moves", "ns a list", curves([line], rounds), "xy"
    )


def workers_plot(deals: int, rounds: int) -> Plot:
    """Deals a second of 1, 2, 4, ... threads, and processes, up to the number of cores; beside
    them what threads gain that only spin, drawn from where one thread stands.
    """
    cores = int(joblib.cpu_count())
    numbers = sorted({*(1 << k for k in range(cores.bit_length())), cores})
    games = [Game(Workload("random", deals)) for _ in range(cores)]

    def threads(number: int) -> Callable[[], float]:
        return lambda: together([game.play for game in games[:number]])

    def spins(number: int) -> Callable[[], float]:
        return lambda: together([lambda: spin(3_500 * deals)] * number)

    def rate(i: int, seconds: float) -> float:
        return numbers[i] * deals / seconds

    with ExitStack() as stack:
        players = [stack.enter_context(own_player("random", vectors=VECTORS)) for _ in range(cores)]

        def play(number: int) -> None:
            for player in players[:number]:
                player.send(deals)
            for player in players[:number]:
                player.receive()

        def processes(number: int) -> Callable[[], float]:
            return lambda: seconds_of(lambda: play(number))

        play(cores)  # the first time they count what they play
        by_threads, by_processes, spinning = curves(
            [
                Line("threads", numbers, [threads(number) for number in numbers], rate),
                Line("processes", numbers, [processes(number) for number in numbers], rate),
                Line("spinning threads, scaled", numbers, [spins(n) for n in numbers], rate),
            ],
            rounds,
        )
    scale = by_threads.ys[0] / spinning.ys[0]
    ys, low, high = (
        [scale * y for y in values] for values in (spinning.ys, spinning.low, spinning.high)
    )
    scaled = Curve(spinning.label, spinning.xs, ys, low, high)
    return Plot("Threads and processes", "workers", "deals/s", [by_threads, by_processes, scaled])


def draw(plots: Sequence[Plot], to: Path) -> None:
    """The plots as one picture; the bars are the middle half of the rounds."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import MaxNLocator

    figure, axes = pyplot.subplots(2, 2, figsize=(11, 8), layout="constrained")
    for axis, plot in zip(axes.flat, plots, strict=True):
        for line in plot.curves:
            below = np.subtract(line.ys, line.low)
            above = np.subtract(line.high, line.ys)
            axis.errorbar(line.xs, line.ys, [below, above], label=line.label, marker="o", capsize=2)
        axis.set(title=plot.title, xlabel=plot.x, ylabel=plot.y)
        if "x" in plot.logarithmic:
            axis.set_xscale("log")
        else:
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        if "y" in plot.logarithmic:
            axis.set_yscale("log")
        else:
            axis.set_ylim(bottom=0)
            axis.yaxis.set_major_formatter("{x:,.0f}")
        axis.grid(alpha=0.3)
        if len(plot.curves) > 1:
            axis.legend()
    figure.savefig(to, dpi=110)
    pyplot.close(figure)


def plots(deals: int, rounds: int, say: Callable[[str], None] = note) -> list[Plot]:
    """All plots, from rounds of about ``deals`` deals."""
    makers: list[tuple[str, Callable[[], Plot]]] = [
        ("deals", lambda: deals_plot(10 * deals, rounds)),
        ("cards in hand", lambda: cards_plot(deals // 2, rounds)),
        ("legal moves", lambda: moves_plot(deals // 10, rounds)),
        ("threads and processes", lambda: workers_plot(5 * deals, rounds)),
    ]
    found = []
    for name, make in makers:
        say(f"growth with {name}")
        found.append(make())
    return found


def main(
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER")] = Path("benchmarks/results"),
    deals: Annotated[str, typer.Option("--deals", metavar="N")] = "2k",
    rounds: Annotated[str, typer.Option("--rounds", metavar="N")] = "15",
) -> None:
    """Measure how cost grows, and plot it."""
    try:
        counts = whole_number(deals, "--deals", 20), whole_number(rounds, "--rounds", 1)
        out.mkdir(parents=True, exist_ok=True)
    except (OptionError, OSError) as error:
        note(f"error: {error}")
        raise typer.Exit(2 if isinstance(error, OptionError) else 1) from None
    found = plots(*counts)
    data: dict[str, Any] = {
        "machine": machine(),
        "versions": versions(),
        "rounds": counts[1],
        "plots": [asdict(plot) for plot in found],
    }
    (out / "growth.json").write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    draw(found, out / "growth.png")
    note(f"written: {out / 'growth.png'}, {out / 'growth.json'}")


if __name__ == "__main__":
    typer.run(main)
