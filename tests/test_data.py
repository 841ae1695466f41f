"""The run in data/: small, sound, as its card says, and played again to the same."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from regenerate_pages import ROOT

import guandan_sim as gs

DATA = ROOT / "data"
CARD = (DATA / "README.md").read_text("utf-8")


def test_it_is_small() -> None:
    assert sum(file.stat().st_size for file in (DATA / "small").rglob("*")) < 3_000_000


def test_the_card_says_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    run = gs.open_run(DATA / "small")
    rows = run.manifest["rows"]
    assert f"{rows['matches']:,} whole matches, {rows['deals']:,} deals and" in CARD
    assert f"{rows['plays']:,} plays" in CARD
    (command,) = re.findall(r"^\$ (.*) --out", CARD, re.M)
    assert run.manifest["command"] == f"{command} --out data/small"
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(str(DATA / "README.md"), module_relative=False)
    assert (result.attempted, result.failed) == (3, 0)


def test_its_matches_are_played_again(tmp_path: Path) -> None:
    """Else it has to be made anew, with the command on its card."""
    kept = gs.open_run(DATA / "small")
    settings = kept.manifest["settings"]
    again = gs.simulate(
        matches=20, bots=settings["bots"][0]["name"], seed=settings["seed"], out=tmp_path / "run"
    )
    assert isinstance(again, gs.Run)
    for name in ("rules", "rules_version", "bots"):
        assert settings[name] == again.manifest["settings"][name], name
    for table in kept.tables:
        columns = getattr(again, table)()
        assert columns.equals(getattr(kept, table)(where=[("set", "<", 20)])), table
