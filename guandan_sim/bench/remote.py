"""Asking another process to play: the portable code beside the vector code, processes side by side,
other engines with their own imports.

A player is a command that says on its first line ``{"ready": WHAT}``, or ``{"absent": WHY}`` and
ends. Then it reads numbers, a line each, plays so many deals, at least, and answers with a line
``{"deals": N, "decisions": N, "seconds": S}``, the seconds without anything but the playing.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ..errors import BenchError

__all__ = ["Answer", "Remote", "own_player"]


@dataclass(frozen=True)
class Answer:
    """What a player has played, and the seconds it took."""

    deals: int
    decisions: int
    seconds: float


class Remote:
    """A player in a process of its own, which ends with the ``with`` block.

    ``absent`` is why it cannot play, else empty; ``what`` it says that it is. Raises `BenchError`
    if the process fails, or says something else.
    """

    def __init__(
        self, name: str, command: Sequence[str], variables: Mapping[str, str] | None = None
    ) -> None:
        self.name = name
        self._errors = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env={**os.environ, **(variables or {})},
                text=True,
            )
        except OSError as error:
            self._errors.close()
            raise BenchError(f"{name}: cannot start {command[0]}: {error.strerror}") from error
        try:
            said = self._line()
        except BenchError:
            self.close()
            raise
        self.absent = str(said.get("absent", ""))
        self.what = str(said.get("ready", ""))

    def play(self, deals: int) -> Answer:
        """Have it play so many deals; a player of whole matches may play more."""
        self.send(deals)
        return self.receive()

    def send(self, deals: int) -> None:
        """The first half of `play`, which does not wait."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{deals}\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._failure() from None

    def receive(self) -> Answer:
        """The second half of `play`."""
        said = self._line()
        try:
            return Answer(int(said["deals"]), int(said["decisions"]), float(said["seconds"]))
        except (KeyError, TypeError, ValueError):
            raise BenchError(f"{self.name}: answered {said!r}") from None

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        for end in (self._process.terminate, self._process.kill):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=2)
                break
            end()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._errors.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _line(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise self._failure()
        try:
            said = json.loads(line)
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise BenchError(f"{self.name}: said {line.strip()[:200]!r}, which is no answer")
        return said

    def _failure(self) -> BenchError:
        code = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().strip().splitlines()
        return BenchError(f"{self.name}: ended with code {code}: {lines[-1] if lines else ''}")


def own_player(bot: str, *, vectors: bool) -> Remote:
    """This engine in another process, with ``bot`` in all seats, by vector or portable code."""
    return Remote(
        f"guandan_sim, {bot}",
        [sys.executable, "-m", "guandan_sim.bench.player", bot],
        {"GUANDAN_SIM_VECTORS": "1" if vectors else "0"},
    )
