"""A pool of Dask workers: those of a scheduler, or processes on this machine."""

from __future__ import annotations

import contextlib
import logging
import pickle
import queue
import tempfile
import time
from contextlib import ExitStack
from types import TracebackType
from typing import Any

import dask
from distributed import Client, Future, LocalCluster

from .errors import BackendError
from .packing import Failed, pack, play_packed, sealed, stop_packed
from .workers import Played, Work

__all__ = ["Cluster"]

_SECONDS_TO_CONNECT = 10.0
_SECONDS_TO_HAVE_WORKERS = 60.0
_SECONDS_TO_STOP = 5.0
# How often the number of workers, which may change, is asked.
_SECONDS_BETWEEN_COUNTS = 2.0

#: Ctrl-C, which a terminal sends to all, is the parent's.
_DEAF = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"


class Cluster:
    """A pool over the workers of the Dask scheduler at an address, or over ``count`` processes of
    its own.

    Dask plays a part again if its worker is lost: that gives the same files.
    """

    def __init__(self, work: Work, scheduler: str | None, count: int) -> None:
        self._packed = pack(work)
        self._scheduler = scheduler
        self._count = count
        self._stack = ExitStack()
        self._futures: dict[int, Future[Any]] = {}
        self._done: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self._room = 0
        self._counted = 0.0
        self._interrupted = False

    @property
    def room(self) -> int:
        """Twice as many as there are threads of workers now, but some in any case."""
        now = time.monotonic()
        if now - self._counted > _SECONDS_BETWEEN_COUNTS:
            self._counted = now
            self._room = 2 * max(1, self._threads())
        return self._room

    def _threads(self) -> int:
        return sum(self._client.nthreads().values())

    def start(self, first: int, stop: int) -> None:
        """See `Pool`."""
        future = self._client.submit(
            pickle.loads,
            sealed(play_packed, self._packed, first, stop),
            key=f"guandan_sim-{self._packed.token}-{first}",
        )
        self._futures[first] = future
        future.add_done_callback(lambda done: self._done.put((first, _outcome(done))))

    def next(self, seconds: float) -> Played | None:
        """See `Pool`."""
        try:
            first, result = self._done.get(timeout=seconds)
        except queue.Empty:
            return None
        del self._futures[first]
        if isinstance(result, Failed):
            raise result.error from result.cause
        if isinstance(result, BaseException):
            raise _lost(result) from result
        if not isinstance(result, Played):
            raise BackendError("the workers were told to stop")
        return result

    def interrupt(self) -> None:
        """See `Pool`: nothing that is quick, once there are workers."""
        self._interrupted = True

    def __enter__(self) -> Cluster:
        with ExitStack() as stack:
            self._client = stack.enter_context(
                self._own(stack) if self._scheduler is None else _connected(self._scheduler)
            )
            self._wait_for_workers()
            self._stack = stack.pop_all()
        return self

    def _own(self, stack: ExitStack) -> Client:
        """A client of a cluster that lives and ends with ``stack``."""
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="guandan_sim-"))
        stack.enter_context(dask.config.set({"temporary-directory": folder}))
        cluster = LocalCluster(
            n_workers=self._count,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
            preload=[_DEAF],
        )
        return Client(stack.enter_context(cluster), set_as_default=False)

    def _wait_for_workers(self) -> None:
        deadline = time.monotonic() + _SECONDS_TO_HAVE_WORKERS
        while not self._threads():
            if self._interrupted:
                raise KeyboardInterrupt
            if time.monotonic() > deadline:
                raise BackendError(
                    f"the scheduler at {self._scheduler} has no workers: start some with "
                    f"`dask worker {self._scheduler}`"
                )
            time.sleep(0.1)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._stack:
            if kind is not None:
                self._stop()

    def _stop(self) -> None:
        """Have the workers stop what they play, wait a little for that, and forget the rest."""
        with contextlib.suppress(Exception):  # what cannot be reached plays nothing
            self._client.run(
                pickle.loads, sealed(stop_packed, self._packed.token), on_error="ignore"
            )
            deadline = time.monotonic() + _SECONDS_TO_STOP
            while self._futures and time.monotonic() < deadline:
                with contextlib.suppress(queue.Empty):
                    del self._futures[self._done.get(timeout=0.1)[0]]
            self._client.cancel(list(self._futures.values()))


def _connected(scheduler: str) -> Client:
    try:
        return Client(scheduler, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise BackendError(f"no Dask scheduler answers at {scheduler!r}: {_line(error)}") from error


def _outcome(future: Future[Any]) -> Any:
    """What a part returned, or raised."""
    try:
        return future.result()
    except BaseException as error:  # a cancelled one is none of the usual exceptions
        return error


def _lost(error: BaseException) -> BackendError:
    kept = "finished parts are kept"
    if isinstance(error, ImportError | AttributeError):  # before any code of ours is run
        kept = "the same guandan-sim must be installed on all workers"
    return BackendError(f"a worker failed: {_line(error)}: {kept}")


def _line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__
