"""Everything that README.md shows runs, and gives what it shows."""

from __future__ import annotations

import doctest
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import answers
import pytest
import rule_effects

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
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("my_bot", "fast_bot"):  # what other tests have written and imported
        monkeypatch.delitem(sys.modules, name, raising=False)
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
            PRINTERS[arguments[0]](*arguments[1:])
            assert capsys.readouterr().out.strip() in README
            continue
        arguments, _, to = (list(part) for part in partition(arguments, ">"))
        assert (program, main(arguments)) == ("guandan-sim", 0), capsys.readouterr().err
        if arguments[0] in ("arena", "experiment"):
            assert capsys.readouterr().out.strip() in README
        if arguments[0] == "report":
            found = capsys.readouterr().out
            assert all(line in found for line in shown_after(command))
        for name in to:
            (folder / name).write_text(capsys.readouterr().out, "utf-8")


def shown_after(command: str) -> list[str]:
    """The lines that stand after a command in its block, but for "..."."""
    (block,) = (block for block in blocks("console") if f"$ {command}\n" in block)
    lines = block.partition(f"$ {command}\n")[2].splitlines()
    return [line for line in lines if line != "..."]


def partition(words: list[str], at: str) -> tuple[list[str], list[str], list[str]]:
    place = words.index(at) if at in words else len(words)
    return words[:place], words[place : place + 1], words[place + 1 :]


def print_rule_effects(*options: str) -> None:
    given = dict(zip(options[::2], options[1::2], strict=True))
    assert set(given) == {"--matches", "--bots", "--seed"}
    rule_effects.main(given["--matches"], given["--bots"], given["--seed"])


PRINTERS: dict[str, Callable[..., None]] = {
    "analysis/answers.py": answers.main,
    "benchmarks/rule_effects.py": print_rule_effects,
}
