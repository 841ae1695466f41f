"""`SOURCES.md` leaves out no sentence of the five rule texts, and the tests it names exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import guandan_sim as gs

TESTS = Path(__file__).parent
# How many sentences each text has.
SENTENCES = {
    "guide (000)": 68,
    "ace_reset (001)": 90,
    "wikipedia (002)": 98,
    "short_game (003)": 39,
    "kawu (004)": 71,
}
READ_OTHERWISE = "read otherwise"
REASONS = ("no rule: ", "nothing to do: ")
REFERENCE = re.compile(r"`(\w+\.py)::(\w+)`")

Row = list[str]


def sections() -> dict[str, list[Row]]:
    """The rows of each section's table, heads aside, as their cells."""
    found: dict[str, list[Row]] = {}
    name = ""
    for line in (TESTS / "SOURCES.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            name = line.removeprefix("## ")
            assert name not in found
            found[name] = []
        elif line.startswith("|") and not line.startswith(("| where |", "|---")):
            found[name].append([cell.strip() for cell in line.strip("|").split("|")])
    return found


@cache
def functions_of(file: str) -> frozenset[str]:
    """The names of the functions that a test file defines."""
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def test_each_text_has_its_section_and_each_section_its_preset() -> None:
    assert list(sections()) == [*SENTENCES, READ_OTHERWISE]
    presets = [name.split()[0] for name in SENTENCES]
    assert len(set(presets)) == 5
    assert set(presets) <= set(gs.Rules.presets())


@pytest.mark.parametrize("section", SENTENCES)
def test_each_sentence_has_one_row(section: str) -> None:
    rows = sections()[section]
    assert [len(row) for row in rows] == [3] * len(rows)
    places = [row[0] for row in rows]
    assert len(places) == SENTENCES[section]
    assert len(set(places)) == len(places)
    by_paragraph: dict[int, list[int]] = {}
    for place in places:
        assert re.fullmatch(r"\d+\.\d+", place), place
        paragraph, sentence = map(int, place.split("."))
        by_paragraph.setdefault(paragraph, []).append(sentence)
    assert list(by_paragraph) == sorted(by_paragraph)
    for paragraph, sentences in by_paragraph.items():
        assert sentences == list(range(1, len(sentences) + 1)), paragraph


@pytest.mark.parametrize("section", SENTENCES)
def test_each_sentence_has_a_test_or_a_reason(section: str) -> None:
    for place, says, answer in sections()[section]:
        assert says, place
        reason = answer.startswith(REASONS) and answer not in REASONS
        assert reason or answer.startswith("`test_"), place


@pytest.mark.parametrize("section", [*SENTENCES, READ_OTHERWISE])
def test_the_tests_exist(section: str) -> None:
    rows = sections()[section]
    assert rows
    for row in rows:
        # Nothing that looks like a reference may be written otherwise.
        assert row[-1].count("::") == len(REFERENCE.findall(row[-1])), row
        for file, function in REFERENCE.findall(row[-1]):
            assert file.startswith("test_"), row
            assert (TESTS / file).is_file(), row
            assert function.startswith("test_"), row
            assert function in functions_of(file), row


def test_each_other_reading_names_a_switch_or_none() -> None:
    switches = gs.Rules.preset("guide").switches()
    for row in sections()[READ_OTHERWISE]:
        assert len(row) == 5, row
        preset, other, reference = row[2:]
        named = re.findall(r"`(\w+)`", f"{preset} {other}")
        assert set(named) <= set(switches), row
        assert named or other == "none", row
        assert REFERENCE.search(reference), row
