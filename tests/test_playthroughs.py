"""The playthroughs on file are what the engine plays, word for word."""

from __future__ import annotations

import pytest
from regenerate_playthroughs import FOLDER, PLAYTHROUGHS


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_as_on_file(name: str) -> None:
    on_file = (FOLDER / name).read_text(encoding="utf-8")
    # If the change is meant: python tests/regenerate_playthroughs.py, and read the difference.
    assert PLAYTHROUGHS[name]().splitlines() == on_file.splitlines()


def test_no_other_files() -> None:
    assert sorted(file.name for file in FOLDER.glob("*.txt")) == sorted(PLAYTHROUGHS)


def test_the_match_shows_every_kind_of_tribute_and_lead() -> None:
    lines = (FOLDER / "match_guide.txt").read_text(encoding="utf-8").splitlines()
    for words in ("single tribute after", "double tribute after"):
        due = [line for line in lines if words in line]
        assert {"cancelled" in line for line in due} == {True, False}
    for words in ("a sweep", "leads for", "of team 0", "of team 1", "is turned up"):
        assert any(words in line for line in lines), words
    assert sum("of team" in line for line in lines) <= 12
