"""The same at every run, on every machine: the examples of Hypothesis, and how Ctrl-C is taken.

The commands of the command line are built once for all tests.
"""

from __future__ import annotations

import functools
import signal

import typer.main
from hypothesis import HealthCheck, settings

settings.register_profile(
    "fixed",
    derandomize=True,
    database=None,
    # The first example compiles kernels, and the oracle is slow on purpose.
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("fixed")

# A shell starts jobs in the background with Ctrl-C ignored, and so would begin what tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# That takes 30 ms, longer than most tests need a command for.
typer.main.get_command = functools.cache(typer.main.get_command)
