"""RULES.md and SCHEMA.md are what the code says, and the examples on RULES.md run."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from regenerate_pages import ROOT, pages

import guandan_sim as gs


def test_pages_are_current() -> None:
    for name, text in pages().items():
        assert (ROOT / name).read_text("utf-8") == text, "run python tests/regenerate_pages.py"


def test_examples_of_the_rules() -> None:
    result = doctest.testfile(str(ROOT / "RULES.md"), module_relative=False)
    assert result.attempted > 20
    assert result.failed == 0


def test_the_rules_file_on_the_page(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", (ROOT / "RULES.md").read_text("utf-8"), re.S)
    (tmp_path / "club.toml").write_text(text, "utf-8")
    rules = gs.read_rules(tmp_path / "club.toml")
    assert (rules.name, rules.max_bomb, rules.promotion) == ("club", 8, (4, 2, 1))
