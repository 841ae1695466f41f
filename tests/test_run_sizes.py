"""How large runs are: what README and the bench say of bytes holds for every way of playing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import guandan_sim as gs


@pytest.mark.parametrize("bots", ["random", "greedy"])
@pytest.mark.parametrize(
    "sets",
    [{"deals": 32_768, "previous_order": "random"}, {"matches": 8_192}],
    ids=["deals", "matches"],
)
def test_a_play_takes_three_bytes_and_a_deal_sixty(
    bots: str, sets: dict[str, Any], tmp_path: Path
) -> None:
    run = gs.simulate(**sets, bots=bots, seed=3, out=tmp_path / "run")
    assert isinstance(run, gs.Run)
    sizes = {
        name: sum(file.stat().st_size for file in (run.path / name).iterdir())
        for name in run.tables
    }
    assert sizes.pop("plays") <= 3.0 * run.summary["plays"]
    assert sum(sizes.values()) <= 60 * run.summary["deals"]
