"""The notebooks of analysis/: as committed they are executed and answer; they execute anew."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import execute
import matplotlib.font_manager
import nbformat
import pytest
import typer

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "analysis"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
NAMES = [path.stem for path in NOTEBOOKS]
MOST_BYTES = 500_000
# Folders of some machine, and addresses in its memory.
OF_A_MACHINE = re.compile(r"(?<![\w.])/(tmp|home|root|work|Users|opt|usr|var)/|0x[0-9a-f]{6}")

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=NAMES)


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


def test_there_are_notebooks_and_the_page_lists_them() -> None:
    page = (FOLDER / "README.md").read_text("utf-8")
    linked = re.findall(r"^\| \[(\w+)\]\((\w+)\.ipynb\) \|", page, re.M)
    assert linked == [(name, name) for name in NAMES] != []


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


@pytest.fixture(scope="session")
def fonts() -> None:
    """matplotlib knows its fonts from here on, and need not say that it looks for them."""
    assert matplotlib.font_manager.fontManager.ttflist


def executed(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """What analysis/execute.py does and says, in a process of its own."""
    return subprocess.run(
        [sys.executable, str(FOLDER / "execute.py"), *arguments],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | variables,
        capture_output=True,
        text=True,
        timeout=600,
    )


@each_notebook
@pytest.mark.usefixtures("fonts")
def test_it_executes_on_the_small_run(path: Path, tmp_path: Path) -> None:
    before = path.read_bytes()
    done = executed(path.stem, "--sets", "100", "--seed", "3", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    check_executed(tmp_path / path.name)
    assert path.read_bytes() == before


def test_what_fails_in_a_cell_is_said_and_nothing_written(tmp_path: Path) -> None:
    done = executed("04_bots", "--out", str(tmp_path), GUANDAN_SETS="few")
    said = "error: 04_bots.ipynb: ValueError: invalid literal for int() with base 10: 'few'"
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, said)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"notebooks": ["06_none"]},
            f"'06_none' is no notebook of analysis/; there are {', '.join(NAMES)}",
        ),
        ({"sets": "0"}, "--sets is '0'; a whole number from 1 to"),
        ({"seed": "x"}, "--seed is 'x'; a whole number from 0 to"),
    ],
)
def test_bad_input_is_said(
    options: dict[str, Any], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as stopped:
        execute.main(**options, out=tmp_path)
    assert stopped.value.exit_code == 2
    err = capsys.readouterr().err
    assert err.startswith(f"error: {said}")
    assert err.count("\n") == 1
