"""Starting: what is imported, what is said, and that it works wherever it is installed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from installs import DRAW, Install, printed

import guandan_sim as gs
from guandan_sim import progress
from guandan_sim.bots import bots_by_seat
from guandan_sim.cli import main
from guandan_sim.jit import DISABLED
from guandan_sim.simulate import ready

#: What a simulation that writes nothing can do without, and takes long to import.
HEAVY = {"asyncio", "joblib", "matplotlib", "multiprocessing", "pandas", "pyarrow"}
COLD = "compiling the game, once on this machine; later starts take about a second\n"

compiled = pytest.mark.skipif(DISABLED, reason="plain Python has nothing to compile")


def imported_by(program: str) -> set[str]:
    """The modules, of whole packages only, that a program has loaded when it ends."""
    program += "\nimport sys\nprint('loaded', *(name for name in sys.modules if '.' not in name))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stdout.rpartition("loaded")[2].split())


def test_a_short_simulation_imports_nothing_that_it_does_not_use() -> None:
    command = ["simulate", "--deals", "1k", "--quiet"]
    loaded = imported_by(f"from guandan_sim.cli import main\nassert main({command}) == 0")
    assert {"guandan_sim", "numba", "typer"} <= loaded
    assert not HEAVY & loaded


def test_the_package_imports_neither_the_command_line_nor_what_reads_runs() -> None:
    assert not (HEAVY | {"rich", "typer"}) & imported_by("import guandan_sim")


def test_the_package_has_all_its_names() -> None:
    assert set(gs.__all__) <= set(dir(gs))
    for name in gs.__all__:
        assert getattr(gs, name) is not None
    assert callable(gs.simulate)
    assert callable(gs.tribute)
    with pytest.raises(AttributeError, match="'guandan_sim' has no attribute 'open_runs'"):
        _ = gs.open_runs


@pytest.fixture(name="cold")
def nothing_compiled(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """As if nothing were compiled; gives what is, in words, instead of compiling it."""
    asked: list[Any] = []

    def warmup(bots: Sequence[gs.Bot]) -> None:
        asked.append([bot.name for bot in bots])

    monkeypatch.setattr(progress, "ready", lambda _bots: False)
    monkeypatch.setattr(progress, "warmup", warmup)
    return asked


def test_a_cold_start_says_what_it_does_and_how_long_it_took(
    cold: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert progress.compile_first(bots_by_seat("greedy")) is not None
    assert cold == [["greedy"] * 4]
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"{COLD}compiled in ")
    assert err.endswith(" s\n")


def test_a_quiet_cold_start_says_nothing(
    cold: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert progress.compile_first(bots_by_seat("greedy"), quiet=True) is not None
    assert len(cold) == 1
    assert capsys.readouterr() == ("", "")


def test_a_warm_start_says_nothing_of_compiling(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["warmup", "--bots", "random"]) == 0
    capsys.readouterr()
    assert main(["simulate", "--deals", "10"]) == 0
    assert "compil" not in capsys.readouterr().err
    assert main(["warmup", "--bots", "random"]) == 0
    assert capsys.readouterr() == ("everything is compiled already\n", "")


@compiled
def test_warmup_compiles_a_users_own_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bots_to_warm.py").write_text(
        "def fine(view, scratch, out):\n    return 0\n\n"
        "def untyped(view, scratch, out):\n    return 'a move'\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for _ in range(2):  # the loop may have to be compiled at the first
        assert main(["warmup", "--bots", "bots_to_warm:fine"]) == 0
    assert capsys.readouterr().out.endswith("everything is compiled\n")
    assert main(["warmup", "--bots", "bots_to_warm:untyped"]) == 1
    assert "untyped: play returns" in capsys.readouterr().err


@compiled
def test_nothing_is_ready_in_an_empty_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GUANDAN_SIM_CACHE", str(tmp_path))
    assert not ready("random")


@compiled
def test_a_write_protected_package_and_home(tmp_path: Path) -> None:
    """Code goes to the temporary folder, and nothing at all beside the sources."""
    install = Install(tmp_path)
    paths = sorted(install.package.rglob("*"))
    before = [(path, path.stat().st_mtime_ns, path.stat().st_size) for path in paths]
    for path in [install.package, *paths]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    # Not even root can make a folder within a file.
    nowhere, temporary = tmp_path / "file", tmp_path / "temporary"
    nowhere.write_text("")
    temporary.mkdir()
    names = ("GUANDAN_SIM_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA", "HOME", "USERPROFILE")
    environment = {name: str(nowhere / "in") for name in names} | {
        name: str(temporary) for name in ("TMPDIR", "TEMP", "TMP")
    }
    try:
        first, second = (install.run(**environment) for _ in range(2))
    finally:
        for path in [install.package, *paths]:
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert (first[1], second[1]) == ("compiled", "loaded")
    assert first[0] == second[0]
    after = [(path, path.stat().st_mtime_ns, path.stat().st_size) for path in paths]
    assert after == before
    assert sorted(install.package.rglob("*")) == paths
    assert list(temporary.rglob("*.code"))


@compiled
def test_two_cold_starts_at_once(tmp_path: Path) -> None:
    install = Install(tmp_path)
    # Each waits for the other before it compiles.
    meet = """
import os, pathlib, time
here = pathlib.Path({own!r})
here.touch()
while not os.path.exists({other!r}):
    time.sleep(0.001)
"""
    one, two = (
        install.start(DRAW.replace("\ndraw", meet.format(own=own, other=other) + "\ndraw"))
        for own, other in (("one", "two"), ("two", "one"))
    )
    drawn = [printed(one), printed(two)]
    assert drawn[0][0] == drawn[1][0]
    assert install.run() == [drawn[0][0], "loaded"]


@compiled
def test_a_damaged_cache_is_compiled_anew(tmp_path: Path) -> None:
    install = Install(tmp_path)
    number, _ = install.run()
    (file,) = install.cache.rglob("guandan_sim.rng.word-*.code")
    whole = file.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 16
    for damaged in (b"", whole[:3000], bytes(flipped)):
        file.write_bytes(damaged)
        assert install.run() == [number, "compiled"]
        assert file.stat().st_size == len(whole)
    assert install.run() == [number, "loaded"]


@compiled
def test_the_same_package_elsewhere_finds_the_code(tmp_path: Path) -> None:
    one, two = Install(tmp_path / "one"), Install(tmp_path / "two")
    number, how = one.run()
    assert how == "compiled"
    assert two.run(GUANDAN_SIM_CACHE=str(one.cache)) == [number, "loaded"]


ALLOCATING = """
import sys
from pathlib import Path

import numpy as np

from guandan_sim.jit import BOT_ARGUMENTS, compile_function


def bot(view, scratch, out):
    square = np.full((3, 3), float(view[0]))
    return int((square @ square).sum())


words = np.array([2], np.int64)
print(compile_function(bot, BOT_ARGUMENTS, folder=Path(sys.argv[1]))(words, words, words))
"""


@compiled
def test_a_stored_bot_that_allocates_runs_in_a_process_that_compiles_nothing(
    tmp_path: Path,
) -> None:
    script = tmp_path / "bot.py"
    script.write_text(ALLOCATING)
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, str(script), str(tmp_path / "code")],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == "108\n"
    assert len(list((tmp_path / "code").glob("*.code"))) == 1
