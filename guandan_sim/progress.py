"""What the command line shows on stderr while it works: compiling, how far it got, how fast."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.filesize import decimal
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from .bots import Bot
from .errors import printable
from .interrupts import ctrl_c_noted
from .simulate import Progress as Simulated
from .simulate import ready, warmup

__all__ = ["INTERRUPTED", "Watch", "compile_first", "note"]

#: Exit code after Ctrl-C: 128 and the number of SIGINT, as shells have it.
INTERRUPTED = 130

_SECONDS_BETWEEN_LINES = 10.0


def note(text: str) -> None:
    """One plain line on stderr, never wrapped."""
    print(printable(text), file=sys.stderr, flush=True)


def compile_first(*line_ups: Sequence[Bot], quiet: bool = False) -> float | None:
    """Compile what the cache does not hold, visibly; each line-up is of bots by seat.

    Returns the seconds it took, None if nothing was missing.
    """
    missing = [bots for bots in line_ups if not ready(bots)]
    if not missing:
        return None
    started = time.perf_counter()
    console = Console(stderr=True)
    if not quiet:
        note("compiling the game, once on this machine; later starts take about a second")
    spinner = Progress(
        SpinnerColumn(),
        TextColumn("compiling"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    )
    try:
        with ctrl_c_noted(), spinner:
            spinner.add_task("", total=None)
            for bots in missing:
                warmup(bots)
    except KeyboardInterrupt:
        note("stopped while compiling; what was compiled is kept")
        raise typer.Exit(INTERRUPTED) from None
    seconds = time.perf_counter() - started
    if not quiet:
        note(f"compiled in {seconds:.1f} s")
    return seconds


class Watch:
    """Shows how far something is: a bar on a terminal, else a plain line every ten seconds.

    ``unit`` is the word for what is counted. With ``quiet`` nothing is shown until Ctrl-C.
    """

    def __init__(self, unit: str, quiet: bool) -> None:
        console = Console(stderr=True)
        self.unit = unit
        self._at = ""
        self._plain = not quiet and (not console.is_terminal or console.is_dumb_terminal)
        self._began = time.monotonic()
        self._next_line = self._began + _SECONDS_BETWEEN_LINES
        self._bar = Progress(
            BarColumn(),
            TextColumn("{task.description}"),
            console=console,
            disable=quiet or self._plain,
        )
        self._task = self._bar.add_task("", total=None)

    def simulation(self, now: Simulated) -> None:
        """Takes what `simulate` tells."""
        if now.checking is not None:
            self.checking(*now.checking)
            return
        rate = now.deals / now.seconds if now.seconds else 0.0
        written = f", {decimal(now.bytes)} written" if now.bytes else ""
        self.count(now.done, now.total, f", {rate:,.0f} deals/s{written}", now.kept)

    def checking(self, number: int, total: int) -> None:
        """Shows that the files of part ``number`` of ``total`` are read; what is counted, and the
        time for it, begins after that.
        """
        self._began = time.monotonic()
        text = f"checking part {number:,} of {total:,}"
        self._at = f" while {text}"
        self._show(text, number - 1, total)

    def count(self, done: int, total: int, more: str = "", kept: int = 0) -> None:
        """Shows ``done`` of ``total``, and ``more`` behind it; ``kept`` were done before."""
        seconds = time.monotonic() - self._began
        made = done - kept
        left = f", {_time(seconds * (total - done) / made)} left" if made else ""
        text = f"{done:,} of {total:,} {self.unit}"
        self._at = f" at {text}"
        self._show(text + more + left, done, total)

    def _show(self, text: str, done: int, total: int) -> None:
        self._bar.update(self._task, completed=done, total=total, description=text)
        now = time.monotonic()
        if self._plain and now >= self._next_line:
            self._next_line = now + _SECONDS_BETWEEN_LINES
            note(text)

    @contextmanager
    def shown(self, advice: Callable[[], str] = str) -> Iterator[None]:
        """Shows the bar while inside; Ctrl-C says how far it got, what ``advice`` then says, and
        exits.
        """
        try:
            self._began = time.monotonic()
            self._next_line = self._began + _SECONDS_BETWEEN_LINES
            with ctrl_c_noted(), self._bar:
                yield
        except KeyboardInterrupt:
            note(f"stopped{self._at}{advice()}")
            raise typer.Exit(INTERRUPTED) from None


def _time(seconds: float) -> str:
    """A time to wait, in seconds, minutes or hours.

    >>> _time(14_000)
    '3.9 h'
    """
    if seconds < 120:
        return f"{seconds:,.0f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"
