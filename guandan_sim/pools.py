"""Tasks over threads, and one way to gather what any pool of workers gives."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar

from .interrupts import CtrlC

__all__ = ["Pool", "Stopped", "Task", "Threads", "gather"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_SECONDS_TO_WAIT = 0.2


class Stopped(Exception):
    """Raised by a task that was interrupted."""


class Task(Protocol[T_co]):
    """A part to be worked on."""

    def run(self) -> T_co:
        """Do it; what it raises ends everything."""

    def interrupt(self) -> None:
        """Have `run` end soon, by `Stopped` or in any way; a handler of signals may call it."""


class Pool(Protocol[T]):
    """Workers. Leaving the pool waits until none works any more; with an exception, these are
    stopped first.
    """

    @property
    def room(self) -> int:
        """Parts that may be under way at once, with some ahead."""

    def start(self, first: int, stop: int) -> None:
        """Have this part worked on; does not wait."""

    def next(self, seconds: float) -> T | None:
        """A part's result, in any order; None if none came in that time. Raises what went wrong."""

    def interrupt(self) -> None:
        """Have the workers stop soon, where that is quick; a handler of signals may call it."""

    def __enter__(self) -> Pool[T]: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def gather(
    pool: Pool[T], parts: Iterable[tuple[int, int]], ctrl_c: CtrlC, took: Callable[[T | None], None]
) -> None:
    """Have all parts worked on; ``took`` is called with each result, and with None a few times a
    second. Raises KeyboardInterrupt after Ctrl-C, and what went wrong in a part.
    """
    waiting = iter(parts)
    under_way = 0
    with ctrl_c.told(pool.interrupt), pool:
        while True:
            ctrl_c.check()
            while under_way < pool.room and (part := next(waiting, None)) is not None:
                pool.start(*part)
                under_way += 1
            if not under_way:
                return
            try:
                result = pool.next(_SECONDS_TO_WAIT)
            except Stopped:
                ctrl_c.check()
                raise
            under_way -= result is not None
            took(result)


class Threads(Generic[T]):
    """A pool of ``count`` threads; ``task`` makes the task of a part.

    Daemon threads: one that is caught in a bot's endless loop does not keep the process.
    """

    def __init__(self, task: Callable[[int, int], Task[T]], count: int) -> None:
        self._task = task
        self._todo: queue.SimpleQueue[Task[T] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[Task[T], T | None, BaseException | None]]
        self._done = queue.SimpleQueue()
        self._under_way: list[Task[T]] = []
        self._interrupted = False
        self._threads = [
            threading.Thread(target=self._work, name=f"guandan_sim {number}", daemon=True)
            for number in range(count)
        ]

    @property
    def room(self) -> int:
        """As many as there are threads, and one each in advance."""
        return 2 * len(self._threads)

    @property
    def under_way(self) -> Sequence[Task[Any]]:
        """Tasks whose results have not been taken."""
        return self._under_way

    def start(self, first: int, stop: int) -> None:
        """See `Pool`."""
        task = self._task(first, stop)
        self._under_way.append(task)
        if self._interrupted:
            task.interrupt()
        self._todo.put(task)

    def next(self, seconds: float) -> T | None:
        """See `Pool`."""
        try:
            task, result, error = self._done.get(timeout=seconds)
        except queue.Empty:
            return None
        self._under_way.remove(task)
        if error is not None:
            raise error
        return result

    def interrupt(self) -> None:
        """See `Pool`."""
        self._interrupted = True
        for task in list(self._under_way):
            task.interrupt()

    def _work(self) -> None:
        while (task := self._todo.get()) is not None:
            try:
                self._done.put((task, task.run(), None))
            except BaseException as error:
                self._done.put((task, None, error))

    def __enter__(self) -> Threads[T]:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self.interrupt()
        for _ in self._threads:
            self._todo.put(None)
        # Not by joining: a join that Ctrl-C breaks off takes the thread for ended.
        while any(thread.is_alive() for thread in self._threads):
            time.sleep(0.005)
