"""Speed in plain units, and one number that says whether what is played has changed.

``benchmarks/README.md`` says how to read the figures. `measuring` has what is measured, `workloads`
what is played and how decisions are counted, `timing` how times become figures.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from .baseline import FORMAT
from .machine import load, machine, versions
from .measuring import QUICK, THOROUGH, Plan, measured
from .signing import signature
from .workloads import Game, Workload

__all__ = ["QUICK", "THOROUGH", "Plan", "bench", "signature"]


def bench(
    plan: Plan = THOROUGH, *, start: bool = True, say: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """All figures, as JSON data; ``say`` is told what is being measured.

    Without ``start``, cold and warm start are left out: the cold one compiles everything anew.
    Raises `BenchError` if the portable code, measured in a process of its own, fails.
    """
    before = load()
    figures = {key: figure.as_json() for key, figure in measured(plan, start=start, say=say)}
    say("signature")
    return {
        "format": FORMAT,
        "date": datetime.date.today().isoformat(),
        "machine": machine(),
        "versions": versions(),
        "plan": asdict(plan),
        "load": [before, load()],
        "counts": {bot: _counts(bot, plan.deals) for bot in ("random", "greedy")},
        "figures": figures,
        "signature": signature(),
    }


def _counts(bot: str, deals: int) -> dict[str, int]:
    """What the deals of a round of this bot hold."""
    counts = Game(Workload(bot, deals)).counts
    return {**asdict(counts), "decisions": counts.decisions}
