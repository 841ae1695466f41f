"""The same at every run, on every machine: the examples of Hypothesis, and how Ctrl-C is taken."""

from __future__ import annotations

import signal

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
