"""One Hypothesis profile for all tests: the same examples at every run, on every machine."""

from __future__ import annotations

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
