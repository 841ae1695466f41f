"""Compiling ahead of playing, and whether that is needed."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from numba.core import event

from .bots import BotName, bots_by_seat
from .interrupts import ctrl_c_noted
from .jit import DISABLED, cache_dir
from .logrows import load as load_columns
from .playing import Player, are_quick

__all__ = ["is_compiled", "mark_compiled", "ready", "warmup"]


def ready(bots: BotName | Sequence[BotName] = "random") -> bool:
    """Whether the loop and these bots have been compiled on this machine before, by this very
    source.
    """
    return all(map(is_compiled, _names(bots)))


def warmup(bots: BotName | Sequence[BotName] = ("random", "greedy")) -> None:
    """Compile the loop and these bots (one name, two or four), or read them from the cache."""
    collecting = gc.isenabled()
    gc.disable()  # Numba makes so many objects that collecting takes a quarter of the time
    try:
        with ctrl_c_noted() as ctrl_c, ctrl_c.told(lambda: None), _between_passes(ctrl_c.check):
            Player(bots_by_seat(bots)).load()
            load_columns()
            ctrl_c.check()
    finally:
        if collecting:
            gc.enable()
    for name in _names(bots):
        mark_compiled(name)


def is_compiled(name: str) -> bool:
    """Whether what goes by that name has been compiled on this machine before, by this source."""
    return DISABLED or _mark(name).exists()


def mark_compiled(name: str) -> None:
    """It has been."""
    if not DISABLED:
        mark = _mark(name)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()


def _between_passes(check: Callable[[], None]) -> AbstractContextManager[Any]:
    """Within, ``check`` is called whenever Numba begins another pass over a function."""

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:  # noqa: ARG002
            check()

        def on_end(self, event: Any) -> None:
            pass

    listening: AbstractContextManager[Any] = event.install_listener("numba:run_pass", Listener())
    return listening


def _names(bots: BotName | Sequence[BotName]) -> list[str]:
    """What has to be compiled, but for users' bots: the loop for quick bots, for any compiled ones
    or for Python bots too, and then each bot by itself.
    """
    by_seat = bots_by_seat(bots)
    if are_quick(by_seat):
        return ["loop"]
    in_python = any(bot.in_python for bot in by_seat)
    loop = "loop_in_python" if in_python else "loop_of_functions"
    return [loop, *sorted({bot.name for bot in by_seat if bot.built_in})]


def _mark(name: str) -> Path:
    return cache_dir() / f"{name}.compiled"
