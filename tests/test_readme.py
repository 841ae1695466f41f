"""Everything that README.md shows runs, and gives what it shows."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import answers
import pytest

from guandan_sim.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.M | re.S)


def commands() -> list[str]:
    return re.findall(r"^\$ (.+)$", "\n".join(blocks("console")), re.M)


@pytest.fixture(name="folder")
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_python_tour() -> None:
    sessions = "\n".join(block for block in blocks("python") if block.startswith(">>>"))
    test = doctest.DocTestParser().get_doctest(sessions, {}, "README.md", "README.md", 0)
    result = doctest.DocTestRunner().run(test)
    assert result.attempted > 15
    assert result.failed == 0


def test_every_command_and_the_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (bot,) = (block for block in blocks("python") if block.startswith("# my_bot.py"))
    (folder / "my_bot.py").write_text(bot, "utf-8")
    shown = commands()
    assert len(shown) >= 6
    for command in shown:
        capsys.readouterr()
        program, *arguments = shlex.split(command)
        if program == "python":
            assert arguments[0] == "benchmarks/answers.py"
            answers.main(arguments[1])
            assert capsys.readouterr().out.strip() in README
        else:
            assert (program, main(arguments)) == ("guandan-sim", 0), capsys.readouterr().err
