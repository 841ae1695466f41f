"""What a user starts from: the bot that README.md shows beats `greedy`, the templates play."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_readme import blocks

import guandan_sim as gs
from guandan_sim.cli import main

MOST_LINES = 30


@pytest.fixture(name="folder")
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("my_bot", "fast_bot", "slow_bot"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def readme_bot(folder: Path) -> str:
    """Write the bot of README.md; gives its code."""
    (code,) = (block for block in blocks("python") if block.startswith("# my_bot.py"))
    (folder / "my_bot.py").write_text(code, "utf-8")
    return code


def gains(first: str, second: str, sets: int) -> np.ndarray:
    """Levels that the first bot gains, for each deal the mean of both ways to seat the teams."""
    found: list[np.ndarray] = []
    for arm, bots in enumerate(((first, second), (second, first))):
        options: dict[str, Any] = {"previous_order": "random", "seed": 2, "log": "deals"}
        out = f"{first[:6]}-{arm}"
        run: Any = gs.simulate(deals=sets, bots=bots, out=out, workers=1, **options)
        deals = run.deals(["first", "gain"])
        found.append(np.where(deals["first"] % 2 == arm, 1, -1) * deals["gain"].to_numpy(int))
    each: np.ndarray = np.mean(found, axis=0)
    return each


def test_the_bot_of_the_readme_beats_greedy(folder: Path) -> None:
    code = readme_bot(folder)
    assert len([line for line in code.splitlines() if line.strip()]) <= MOST_LINES
    each = gains("my_bot:MyBot", "greedy", 120)
    error = each.std(ddof=1) / len(each) ** 0.5
    assert each.mean() > 5 * error
    # So measured are bots that are equal.
    assert not gains("greedy", "greedy", 120).any()


def test_the_python_template_plays_as_the_bot_of_the_readme(folder: Path) -> None:
    readme_bot(folder)
    assert main(["bots", "--new", "slow_bot.py", "--python"]) == 0
    runs: list[Any] = [
        gs.simulate(deals=20, bots=(bot, "greedy"), seed=3, out=bot[:4], workers=1)
        for bot in ("my_bot:MyBot", "slow_bot:MyBot")
    ]
    assert runs[0].manifest["content_hash"] == runs[1].manifest["content_hash"]
    # With tribute its choices of cards come in.
    run: Any = gs.simulate(deals=40, bots="slow_bot:MyBot", previous_order="random", out="tributes")
    assert run.verify().ok
    assert len(run.tributes()) > 20


def test_the_compiled_template_plays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bots", "--new", "fast_bot.py"]) == 0
    written, command = capsys.readouterr().out.splitlines()
    assert written == "fast_bot.py is written. Play it:"
    assert main([*command.split()[1:], "--previous-order", "random", "--out", "run"]) == 0
    run = gs.open_run("run")
    assert run.verify().ok
    assert run.manifest["settings"]["bots"][0]["name"] == "fast_bot:my_bot"
    assert (folder / "fast_bot.py").read_text("utf-8").count("@numba.njit") == 1


def test_where_no_bot_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "mine.py").write_text("mine", "utf-8")
    for name, code, message in (
        ("mine.py", 2, "mine.py exists; name a file that does not"),
        ("my-bot.py", 2, "--new is 'my-bot.py'; a module is needed, which has a name such as"),
        ("class.py", 2, "--new is 'class.py'; a module is needed"),
        ("bot", 2, "--new is 'bot'; a module is needed"),
        ("numpy.py", 2, "--new is 'numpy.py', but there is a module numpy; name another"),
        ("no/where/bot.py", 1, "cannot write no/where/bot.py: No such file or directory"),
    ):
        assert main(["bots", "--new", name]) == code
        assert message in capsys.readouterr().err
    assert main(["bots", "--python"]) == 2
    assert "--python goes with --new" in capsys.readouterr().err
    assert (folder / "mine.py").read_text("utf-8") == "mine"
    assert [path.name for path in folder.iterdir()] == ["mine.py"]
    for name, written in (("sub", "sub"), ("my bots", "'my bots'")):
        (folder / name).mkdir()
        assert main(["bots", "--new", f"{name}/mine_too.py", "--python"]) == 0
        command = f"cd {written}; guandan-sim simulate --deals 1k --bots mine_too:MyBot"
        assert command in capsys.readouterr().out
