"""Ctrl-C that is never lost.

Python raises KeyboardInterrupt wherever the main thread happens to be. Within a finalizer or a
callback of the garbage collector it is printed and forgotten, and between two steps of a lock it
leaves the lock held. So while something long runs, Ctrl-C is noted first.
"""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["CtrlC", "ctrl_c_noted"]

# Signals of one Ctrl-C, which a shell and a wrapper may both send, come within this time.
_SECONDS_OF_ONE = 0.3
# How long a KeyboardInterrupt may be on its way before it is raised again.
_SECONDS_TO_LEAVE = 0.5


class CtrlC:
    """Whether Ctrl-C was pressed: ``asked``. Made by `ctrl_c_noted`."""

    def __init__(self) -> None:
        self.asked = False
        self._when = 0.0
        self._tell: Callable[[], None] | None = None
        self._left = False

    def check(self) -> None:
        """Raise KeyboardInterrupt if it was pressed."""
        if self.asked:
            raise KeyboardInterrupt from None

    @contextmanager
    def told(self, tell: Callable[[], None]) -> Iterator[None]:
        """Within, the first Ctrl-C calls ``tell`` and raises nothing; `check` is called often
        enough. ``tell`` may take no lock, since it is called between any two steps.
        """
        before = self._tell
        self._tell = tell
        try:
            yield
        finally:
            self._tell = before

    def handle(self, _number: int, _frame: Any) -> None:
        """The handler of SIGINT: the first is told, where somebody listens; the next is raised."""
        again, now = self.asked, time.monotonic()
        self.asked = True
        if self._left or (again and now - self._when < _SECONDS_OF_ONE):
            return
        self._when = now
        if self._tell is not None and not again:
            self._tell()
            return
        if not again:
            # Not by threading, which takes locks that this very thread may hold.
            _thread.start_new_thread(self._insist, ())
        raise KeyboardInterrupt

    def leave(self) -> None:
        """Nothing is raised from now on: another handler takes over."""
        self._left = True

    def _insist(self) -> None:
        """Raise it again until the block that is to be left is left."""
        while True:
            time.sleep(_SECONDS_TO_LEAVE)
            if self._left:
                return
            if self._tell is None:
                _thread.interrupt_main()


@contextmanager
def ctrl_c_noted() -> Iterator[CtrlC]:
    """Within, Ctrl-C is noted; it leaves the block as KeyboardInterrupt whatever becomes of it.

    Only in the main thread, and where Python's own handler of SIGINT is in place, as in a script,
    on the command line and in a notebook. Elsewhere nothing changes: ``asked`` stays False. Blocks
    may be nested.
    """
    former = signal.getsignal(signal.SIGINT)
    within = getattr(former, "__self__", None)
    in_main = threading.current_thread() is threading.main_thread()
    if in_main and isinstance(within, CtrlC):
        yield within
        return
    ctrl_c = CtrlC()
    if not in_main or former is not signal.default_int_handler:
        yield ctrl_c
        return
    try:
        try:
            signal.signal(signal.SIGINT, ctrl_c.handle)
            yield ctrl_c
        finally:
            ctrl_c.leave()
    finally:
        signal.signal(signal.SIGINT, former)
    ctrl_c.check()
