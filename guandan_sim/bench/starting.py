"""How long a whole command takes from its start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from .timing import seconds_of

__all__ = ["start_times"]

_COMMAND = (sys.executable, "-m", "guandan_sim", "simulate", "--deals", "1k", "--quiet")


def start_times(warm: int = 5) -> dict[str, tuple[float, ...]]:
    """Seconds of a whole ``guandan-sim simulate --deals 1k``: "cold", once, with an empty cache, so
    that it compiles everything; "warm", so many times after that.

    Raises subprocess.CalledProcessError if the command fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        variables = os.environ | {"GUANDAN_SIM_CACHE": folder}

        def start() -> None:
            subprocess.run(_COMMAND, env=variables, check=True, stdout=subprocess.DEVNULL)

        return {
            "cold": (seconds_of(start),),
            "warm": tuple(seconds_of(start) for _ in range(warm)),
        }
