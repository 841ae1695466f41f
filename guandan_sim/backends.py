"""Who plays a run: threads, processes by loky, or workers of Dask."""

from __future__ import annotations

import re
import socket
from importlib.util import find_spec

from .errors import BackendError, OptionError, one_line
from .pools import Pool, Threads
from .workers import PartPlayer, Played, Work

__all__ = ["BACKENDS", "chosen_backend", "open_pool"]

BACKENDS = ("threads", "loky", "dask")

# An address of Dask's: [protocol://]host:port.
_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss|ucx)://)?([^\s/@]+):([0-9]{1,5})")
_SECONDS_TO_ANSWER = 10.0


def chosen_backend(
    backend: str | None, scheduler: str | None = None, workers: int | None = None
) -> str:
    """The backend meant: by default threads, or Dask where a scheduler is given.

    Raises `OptionError` for an unknown one, for what does not go together, and for Dask if it is
    not installed; `BackendError` if nothing answers at the scheduler's address.
    """
    chosen = backend or ("threads" if scheduler is None else "dask")
    if chosen not in BACKENDS:
        raise OptionError(f"backend is {backend!r}; it is one of {', '.join(BACKENDS)}")
    if workers is not None and (
        isinstance(workers, bool) or not isinstance(workers, int) or workers < 1
    ):
        raise OptionError(f"workers is {workers!r}; a whole number of at least 1 is needed")
    if chosen == "dask" and find_spec("distributed") is None:
        raise OptionError("backend dask needs Dask: pip install 'guandan-sim[dask]'")
    if scheduler is not None:
        if chosen != "dask":
            raise OptionError(f"backend {chosen} has no scheduler; that goes with backend dask")
        if workers is not None:
            raise OptionError("a scheduler has workers of its own; workers goes without one")
        found = _ADDRESS.fullmatch(scheduler) if isinstance(scheduler, str) else None
        if found is None:
            raise OptionError(f"scheduler is {scheduler!r}; an address is written tcp://HOST:8786")
        _reach(scheduler, found[1], int(found[2]))
    return chosen


def _reach(scheduler: str, host: str, port: int) -> None:
    """See whether something answers, before a run is begun and a game compiled."""
    try:
        socket.create_connection((host.strip("[]"), port), timeout=_SECONDS_TO_ANSWER).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise BackendError(f"no scheduler answers at {scheduler!r}: {one_line(error)}") from error


def open_pool(
    backend: str, work: Work, parts: int, workers: int | None, scheduler: str | None
) -> Pool[Played]:
    """The pool that plays ``parts`` parts of ``work``, with one worker a core by default.

    Raises `OptionError` for bots that cannot be sent to other processes.
    """
    if scheduler is None:
        workers = min(parts, workers or _cores(parts))
    if backend == "loky":
        from .processes import Processes

        return Processes(work, workers or 1)
    if backend == "dask":
        from .cluster import Cluster

        return Cluster(work, scheduler, workers or 1)
    return Threads(lambda first, stop: PartPlayer(work, first, stop), workers or 1)


def _cores(parts: int) -> int:
    if parts == 1:
        return 1
    import joblib

    return int(joblib.cpu_count())
