"""A pool of processes on this machine, by loky."""

from __future__ import annotations

import os
import queue
import signal
import threading
import time
from concurrent.futures import Future
from types import TracebackType

from joblib.externals.loky import BrokenProcessPool, ProcessPoolExecutor

from .errors import BackendError
from .packing import Failed, pack, play_packed
from .workers import Played, Work

__all__ = ["Processes"]


class Processes:
    """A pool of ``count`` processes that play parts of ``work``; they are killed to stop them."""

    def __init__(self, work: Work, count: int) -> None:
        self._packed = pack(work)
        self._count = count
        self._done: queue.SimpleQueue[Future[Played | Failed | None]] = queue.SimpleQueue()

    @property
    def room(self) -> int:
        """As many as there are processes, and one each in advance."""
        return 2 * self._count

    def start(self, first: int, stop: int) -> None:
        """See `Pool`."""
        try:
            future = self._executor.submit(play_packed, self._packed, first, stop)
        except BrokenProcessPool as error:
            raise _lost(error) from error
        future.add_done_callback(self._done.put)

    def next(self, seconds: float) -> Played | None:
        """See `Pool`."""
        try:
            result = self._done.get(timeout=seconds).result()
        except queue.Empty:
            return None
        except BrokenProcessPool as error:
            raise _lost(error) from error
        if isinstance(result, Failed):
            raise result.error from result.cause
        return result

    def interrupt(self) -> None:
        """See `Pool`: nothing that is quick."""

    def __enter__(self) -> Processes:
        self._executor = ProcessPoolExecutor(
            self._count, initializer=_begin, initargs=(os.getpid(),)
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._executor.shutdown(wait=True, kill_workers=kind is not None)


def _lost(error: BaseException) -> BackendError:
    why = str(error).splitlines()[0] if str(error) else type(error).__name__
    return BackendError(f"a worker process was lost ({why}): finished parts are kept")


def _begin(parent: int) -> None:
    """In a new worker: Ctrl-C, which a terminal sends to all, is the parent's; without the parent
    there is nothing to do.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
