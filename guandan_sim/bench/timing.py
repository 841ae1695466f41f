"""Timing in rounds, and what is made of the times: medians, ranges, ratios within a round.

Times are of the wall clock (`time.perf_counter`), since a user waits by it. Rounds are many and
short, some hundredths of a second a task: what else runs on the machine then spoils some rounds
and not their median, which on a busy machine is that of the CPU time. Things that are compared with
each other are timed in turn, round after round, every other round backwards: a clock that drifts
cancels out of the ratio of two times of one round. No task is always the first.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Thread
from typing import Any

__all__ = ["Figure", "alternate", "ratios", "seconds_of", "together"]


@dataclass(frozen=True)
class Figure:
    """A measured quantity with its value in every round.

    ``group`` and ``label`` say what it is, ``unit`` what it is counted in. ``more_is_better`` tells
    how it is read. ``target`` is what the median is meant to reach, None if nothing was set.
    """

    group: str
    label: str
    unit: str
    values: tuple[float, ...]
    more_is_better: bool = True
    target: float | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def quartiles(self) -> tuple[float, float]:
        """Between them lies the middle half of the values."""
        if len(self.values) == 1:
            return self.values * 2
        first, _, third = statistics.quantiles(self.values, n=4, method="inclusive")
        return first, third

    @property
    def relative(self) -> bool:
        """Whether it compares two things of one round, which are as fast or slow together."""
        return self.unit.startswith(("of ", "times "))

    def as_json(self) -> dict[str, Any]:
        """The figure as JSON data; numbers are kept to five significant digits."""

        def rounded(value: float) -> float:
            return float(f"{value:.5g}")

        return {
            "group": self.group,
            "label": self.label,
            "unit": self.unit,
            "more_is_better": self.more_is_better,
            "relative": self.relative,
            "target": self.target,
            "rounds": len(self.values),
            "median": rounded(self.median),
            "quartiles": [rounded(value) for value in self.quartiles],
            "range": [rounded(min(self.values)), rounded(max(self.values))],
        }


def seconds_of(work: Callable[[], object]) -> float:
    """Seconds that a call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def together(works: Iterable[Callable[[], object]]) -> float:
    """Seconds until all of ``works``, each in a thread of its own, are done."""
    threads = [Thread(target=work) for work in works]

    def run() -> None:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return seconds_of(run)


def alternate(
    tasks: Mapping[str, Callable[[], float]], rounds: int
) -> dict[str, tuple[float, ...]]:
    """What each task returns, its seconds, in each of ``rounds`` rounds through all of them.

    Before the first round each is called once more, which is not counted.
    """
    found: dict[str, list[float]] = {name: [] for name in tasks}
    for task in tasks.values():
        task()
    for number in range(rounds):
        names = list(tasks)
        first = number // 2 % len(names)
        names = names[first:] + names[:first]
        for name in names if number % 2 == 0 else reversed(names):
            found[name].append(tasks[name]())
    return {name: tuple(seconds) for name, seconds in found.items()}


def ratios(above: Sequence[float], below: Sequence[float]) -> tuple[float, ...]:
    """The ratio of two quantities in each round."""
    return tuple(a / b for a, b in zip(above, below, strict=True))
