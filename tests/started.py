"""Commands in processes of their own, which are stopped while they run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from forks import ROOT

__all__ = ["pressed", "started", "wait_until"]


@contextmanager
def started(
    line: str, folder: Path, *, group: bool = False, **variables: str
) -> Iterator[subprocess.Popen[str]]:
    """``guandan-sim LINE`` running in ``folder``, its stderr a pipe; killed at the end.

    ``group``: in a process group of its own, as from a terminal. ``variables``: of its environment.
    """
    paths = {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-m", "guandan_sim", *line.split()],
        cwd=folder,
        env=os.environ | paths | variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=group,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def wait_until(done: Callable[[], Any], seconds: float = 120) -> None:
    """Until ``done`` gives something true, or the time is over."""
    deadline = time.monotonic() + seconds
    while not done() and time.monotonic() < deadline:
        time.sleep(0.002)


def pressed(process: subprocess.Popen[str], seconds: float = 60) -> list[str]:
    """Press Ctrl-C; what the process says on stderr until it ends, which must be by that."""
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=seconds)
    assert process.returncode == 130, err
    return err.splitlines()
