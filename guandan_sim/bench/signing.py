"""One number that says whether what is played has changed."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path
from typing import Any

from ..runs import Run
from ..simulate import simulate

__all__ = ["signature"]


def signature() -> str:
    """A hash over a fixed workload, in 16 hex digits: it moves if and only if what is played does.

    2,000 deals of each bot and 50 matches of both, logged play by play; no times, versions or
    paths go into it.
    """
    digest = hashlib.sha256()
    with tempfile.TemporaryDirectory() as folder:
        workloads: list[dict[str, Any]] = [
            {"deals": 2_000, "bots": "random"},
            {"deals": 2_000, "bots": "greedy"},
            {"matches": 50, "bots": ("random", "greedy")},
        ]
        for number, workload in enumerate(workloads):
            run = simulate(**workload, seed=1, out=Path(folder, str(number)))
            assert isinstance(run, Run)
            for table, content in sorted(run.manifest["content_hash"].items()):
                digest.update(f"{number} {table} {content}\n".encode())
    return digest.hexdigest()[:16]
