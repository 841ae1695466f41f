"""What is told of a run that is resumed: its speed, and of what is not as it was written."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

import guandan_sim as gs
from guandan_sim.parts import read_part
from guandan_sim.simulate import Progress


def test_the_speed_of_a_resumed_run_is_that_of_playing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check of each part that is there takes a thousand seconds by this clock."""
    settings: dict[str, Any] = {"deals": 3 * 1024, "log": "deals", "out": tmp_path / "run"}
    run = gs.simulate(**settings)
    assert isinstance(run, gs.Run)
    gone = run.path / "deals" / f"part-{1024:012d}.parquet"
    gone.unlink()
    clock = time.monotonic
    ahead = 0.0

    def slowly(*arguments: Any) -> Any:
        nonlocal ahead
        ahead += 1_000
        return read_part(*arguments)

    monkeypatch.setattr(time, "monotonic", lambda: clock() + ahead)
    monkeypatch.setattr("guandan_sim.runwriter.read_part", slowly)
    told: list[Progress] = []
    with pytest.warns(gs.RunWarning, match=f"^{gone} is missing; its part is played again$"):
        run = gs.simulate(**settings, resume=True, progress=told.append)
    assert ahead == 2_000
    assert run.summary["seconds"] < 1_000
    assert run.summary["deals_per_second"] > 1.024
    checked = [now for now in told if now.checking]
    assert {now.checking for now in checked} == {(1, 2), (2, 2)}
    assert all((now.done, now.deals, now.total) == (0, 0, 3 * 1024) for now in checked)
    played = told[len(checked) :]
    assert all(not now.checking and now.seconds < 1_000 for now in played)
    assert (played[-1].done, played[-1].deals, played[-1].kept) == (3 * 1024, 1024, 2 * 1024)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"log": "none", "out": "run"}, "log is 'none', which writes nothing to run; give no out"),
        ({"resume": True}, "resume goes on with a run; name its folder by out"),
    ],
)
def test_what_would_be_without_effect_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: dict[str, Any], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(gs.OptionError, match=message):
        gs.simulate(deals=5, **arguments)
    assert list(tmp_path.iterdir()) == []
