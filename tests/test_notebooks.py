"""The notebooks of analysis/: as committed they are executed and answer; they execute anew."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.font_manager
import nbformat
import pytest

import guandan_sim as gs

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "analysis"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MOST_BYTES = 500_000
# Folders of some machine, and addresses in its memory.
OF_A_MACHINE = re.compile(r"(?<![\w.])/(tmp|home|root|work|Users|opt|usr|var)/|0x[0-9a-f]{6}")

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def cells(path: Path, kind: str) -> list[Any]:
    content = nbformat.read(path, 4)
    nbformat.validate(content)
    return [cell for cell in content.cells if cell.cell_type == kind]


def outputs(path: Path) -> Iterator[Any]:
    for cell in cells(path, "code"):
        yield from cell.outputs


def check_executed(path: Path) -> None:
    """Every cell in order, with a figure and without a warning or an error."""
    counts = [cell.execution_count for cell in cells(path, "code")]
    assert counts == [*range(1, len(counts) + 1)]
    found = list(outputs(path))
    assert [out for out in found if out.output_type == "error" or out.get("name") == "stderr"] == []
    assert any("image/png" in out.get("data", ()) for out in found)


@pytest.fixture(scope="session", name="run")
def a_small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run of matches; matplotlib knows its fonts from here on, and need not say so."""
    assert matplotlib.font_manager.fontManager.ttflist
    folder = tmp_path_factory.mktemp("notebooks") / "run"
    gs.simulate(matches=100, bots="greedy", seed=1, out=folder)
    return folder


def test_there_are_notebooks_and_the_page_lists_them() -> None:
    page = (FOLDER / "README.md").read_text("utf-8")
    linked = re.findall(r"^\| \[(\w+)\]\((\w+)\.ipynb\) \|", page, re.M)
    assert linked == [(path.stem, path.stem) for path in NOTEBOOKS]
    assert NOTEBOOKS


@each_notebook
def test_as_committed_it_is_executed_small_and_of_no_machine(path: Path) -> None:
    check_executed(path)
    text = path.read_text("utf-8")
    assert len(text.encode()) < MOST_BYTES
    pictures = re.compile(r'"image/png": "[^"]*"')
    assert OF_A_MACHINE.findall(pictures.sub("", text)) == []


@each_notebook
def test_it_begins_with_a_question_and_ends_with_an_answer_in_numbers(path: Path) -> None:
    content = nbformat.read(path, 4)
    question, answer = content.cells[0], content.cells[-1]
    assert (question.cell_type, answer.cell_type) == ("markdown", "markdown")
    assert "?" in question.source
    assert re.search(r"\d", answer.source)


@each_notebook
def test_it_executes_on_small_inputs(path: Path, run: Path, tmp_path: Path) -> None:
    before = path.read_bytes()
    given = ["--run", str(run), "--sets", "100", "--seed", "3", "--out", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, str(FOLDER / "execute.py"), path.stem, *given],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    check_executed(tmp_path / path.name)
    assert path.read_bytes() == before


def test_a_name_of_no_notebook_is_said(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(FOLDER / "execute.py"), "06_none", "--out", str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    names = ", ".join(path.stem for path in NOTEBOOKS)
    said = f"error: '06_none' is no notebook of analysis/; there are {names}\n"
    assert (done.returncode, done.stderr) == (2, said)
