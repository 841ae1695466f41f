"""What the command line shows on stderr while it works: compiling, how far it got, how fast."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from .bots import Bot
from .simulate import Progress as Done
from .simulate import ready, warmup

__all__ = ["INTERRUPTED", "Watch", "compile_first", "note"]

#: Exit code after Ctrl-C: 128 and the number of SIGINT, as shells have it.
INTERRUPTED = 130

_SECONDS_BETWEEN_LINES = 10.0


def note(text: str) -> None:
    """One plain line on stderr, never wrapped."""
    print(text, file=sys.stderr, flush=True)


def compile_first(bots: Sequence[Bot], quiet: bool = False) -> float | None:
    """Compile what the cache does not hold, visibly; ``bots`` by seat.

    Returns the seconds it took, None if nothing was missing.
    """
    if ready(bots):
        return None
    started = time.perf_counter()
    console = Console(stderr=True)
    if not quiet:
        note("compiling the game, once on this machine; later starts take about two seconds")
    spinner = Progress(
        SpinnerColumn(),
        TextColumn("compiling"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    )
    with spinner:
        spinner.add_task("", total=None)
        warmup(bots)
    seconds = time.perf_counter() - started
    if not quiet:
        note(f"compiled in {seconds:.1f} s")
    return seconds


class Watch:
    """Takes each progress of a simulation or check: a bar on a terminal, else a line every 10 s.

    ``unit`` is the word for what is counted. With ``quiet`` it only remembers the last one.
    """

    def __init__(self, unit: str, quiet: bool) -> None:
        console = Console(stderr=True)
        self.unit = unit
        self.last: Done | None = None
        self._plain = not quiet and not console.is_terminal
        self._next_line = _SECONDS_BETWEEN_LINES
        self._bar = Progress(
            BarColumn(),
            TextColumn("{task.fields[text]}"),
            TimeRemainingColumn(),
            console=console,
            disable=quiet or self._plain,
        )
        self._task = self._bar.add_task("", total=None, text="")

    def __call__(self, done: Done) -> None:
        self.last = done
        rate = done.deals / done.seconds if done.seconds else 0.0
        text = f"{done.done:,} of {done.total:,} {self.unit}, {rate:,.0f} deals/s"
        fields: dict[str, Any] = {"completed": done.done, "total": done.total, "text": text}
        self._bar.update(self._task, **fields)
        if self._plain and done.seconds >= self._next_line:
            self._next_line = done.seconds + _SECONDS_BETWEEN_LINES
            if done.done:
                text += f", {done.seconds * (done.total / done.done - 1):,.0f} s left"
            note(text)

    @contextmanager
    def shown(self, advice: str = "") -> Iterator[None]:
        """Shows the bar while inside; Ctrl-C says how far it got, gives ``advice`` and exits."""
        try:
            with self._bar:
                yield
        except KeyboardInterrupt:
            at = self.last
            where = f" at {at.done:,} of {at.total:,} {self.unit}" if at else ""
            note(f"stopped{where}{advice}")
            raise typer.Exit(INTERRUPTED) from None
