"""Whose run it is, and what `verify` finds, at the command line: refusals and spoilt files."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import all_readers
import pytest
from forks import Forks, forks
from started import pressed, started, wait_until
from test_kills import SIMULATE

import guandan_sim as gs

server = pytest.fixture(scope="module", name="server")(forks)
FIRST = "part-000000000000.parquet"
SECOND = "part-000000001024.parquet"


@pytest.fixture(scope="module", name="whole")
def finished(server: Forks, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder around a finished run of two parts."""
    folder = tmp_path_factory.mktemp("whole")
    assert server.run(SIMULATE, folder).code == 0
    return folder


@pytest.fixture(name="copy")
def copied(whole: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    shutil.copytree(whole, tmp_path / "copy")
    return tmp_path / "copy"


def stamps(folder: Path) -> dict[str, tuple[int, bytes]]:
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {str(file): (file.stat().st_mtime_ns, file.read_bytes()) for file in files}


# Refusals


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("--seed 3", "--seed 4", "seed is 3 there and 4 here"),
        ("greedy,random", "greedy", "bots is 'greedy,random' there and 'greedy' here: use"),
        ("--deals 1100", "--deals 1200", "settings: deals is 1100 there and 1200 here: use"),
        (
            "--deals 1100",
            "--matches 1100",
            "deals is 1100 there and not set here; matches is not set there and 1100 here",
        ),
        ("--quiet", "--quiet --log deals", "log is 'plays' there and 'deals' here"),
        ("--quiet", "--quiet --set max_bomb=8", "settings: max_bomb is 10 there and 8 here: use"),
        ("--quiet", "--quiet --level A", "level is not set there and 'A' here"),
    ],
)
def test_other_settings_are_named(
    server: Forks, copy: Path, old: str, new: str, named: str
) -> None:
    before = stamps(copy)
    done = server.run(f"{SIMULATE.replace(old, new)} --resume", copy)
    assert done.code == 2
    assert done.error.startswith("run was made with other settings: ")
    assert named in done.error
    assert stamps(copy) == before


def test_a_finished_run_is_left_as_it_is(server: Forks, copy: Path) -> None:
    before = stamps(copy)
    done = server.run(f"{SIMULATE} --resume", copy)
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("was finished before, nothing was played: run\n")
    assert stamps(copy) == before


def test_a_second_process_is_refused_and_the_first_unharmed(server: Forks, tmp_path: Path) -> None:
    line = "simulate --deals 1G --seed 8 --workers 1 --quiet --log deals --out run"
    with started(line, tmp_path) as first:
        wait_until(lambda: [*tmp_path.glob("run/tributes/part-*")])
        for more, code, error in (
            ("", 2, "run is not empty: "),
            ("--resume", 1, "run is being written by another process: "),
        ):
            second = server.run(f"{line} {more}", tmp_path)
            assert second.code == code
            assert second.error.startswith(error)
        assert first.poll() is None
        assert pressed(first)[0].startswith("stopped at ")
    run = gs.open_run(tmp_path / "run")
    (problem,) = run.check_files()
    assert f"is not finished: {len(run.parts)} of " in problem
    assert len(run.parts) >= 1


# What verify finds


def flip(copy: Path) -> None:
    file = copy / "run" / "plays" / SECOND
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 16
    file.write_bytes(data)


def cut(copy: Path) -> None:
    file = copy / "run" / "deals" / FIRST
    file.write_bytes(file.read_bytes()[:-9])


def lose(copy: Path) -> None:
    (copy / "run" / "tributes" / SECOND).unlink()


def add(copy: Path) -> None:
    shutil.copy(
        copy / "run" / "plays" / FIRST, copy / "run" / "plays" / "part-000000002048.parquet"
    )


def swap(copy: Path) -> None:
    shutil.copy(copy / "run" / "plays" / FIRST, copy / "run" / "plays" / SECOND)


def edit_rows(copy: Path) -> None:
    file = copy / "run" / "manifest.json"
    manifest = json.loads(file.read_text("utf-8"))
    manifest["parts"][1]["tables"]["deals"]["rows"] += 1
    file.write_text(json.dumps(manifest), "utf-8")


def edit_result(copy: Path) -> None:
    file = copy / "run" / "manifest.json"
    manifest = json.loads(file.read_text("utf-8"))
    manifest["summary"]["deal_wins"] = [0, 1100]
    file.write_text(json.dumps(manifest), "utf-8")


def pipe(copy: Path) -> None:
    file = copy / "run" / "plays" / SECOND
    file.unlink()
    os.mkfifo(file)


def circle(copy: Path) -> None:
    file = copy / "run" / "plays" / SECOND
    file.unlink()
    file.symlink_to(file)


def outside(copy: Path) -> None:
    folder = copy / "run" / "plays"
    folder.rename(copy / "elsewhere")
    folder.symlink_to(copy / "elsewhere")


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (flip, f"run/plays/{SECOND}"),
        (cut, f"run/deals/{FIRST} cannot be read"),
        (lose, f"run/tributes/{SECOND} is missing"),
        (add, "run/plays/part-000000002048.parquet is not a file of this run"),
        (swap, f"run/plays/{SECOND}"),
        (pipe, f"run/plays/{SECOND}: is no file"),
        (circle, f"run/plays/{SECOND}: leads outside the run"),
        (outside, f"run/plays/{FIRST}: leads outside the run"),
        (edit_rows, f"run/deals/{SECOND}: rows is 76: the manifest says 77"),
        (edit_result, "the manifest's summary says deal_wins [0, 1100]"),
    ],
)
def test_verify_says_which(
    server: Forks, copy: Path, spoil: Callable[[Path], None], named: str
) -> None:
    spoil(copy)
    done = server.run("verify run --quiet", copy)
    assert done.code == 1
    assert named in done.out
    assert "run does not verify; problems found: " in done.error
    assert all_readers.misread(copy / "run") == []


def test_another_runs_part_is_found(server: Forks, copy: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert server.run(SIMULATE.replace("--seed 3", "--seed 4"), other).code == 0
    for table in ("deals", "plays", "tributes"):
        shutil.copy(other / "run" / table / SECOND, copy / "run" / table / SECOND)
    done = server.run("verify run --quiet", copy)
    assert done.code == 1
    assert f"run/plays/{SECOND}: sha256 is" in done.out
    again = server.run(f"{SIMULATE} --resume", copy)
    assert again.code == 0
    assert f"{SECOND}: " in again.err
    assert again.err.endswith("its part is played again\n")
    assert server.run("verify run --quiet", copy).code == 0


def test_files_spoilt_at_random_never_break_a_reader(
    server: Forks, whole: Path, tmp_path: Path
) -> None:
    """Each in the same process, which must come to its end."""
    (tmp_path / "work").mkdir()
    places = [str(whole / "run"), str(tmp_path / "work")]
    code = (
        "from pathlib import Path; from all_readers import fuzz; "
        f"fuzz(*map(Path, {places}), range(40))"
    )
    done = server.run("", tmp_path, code=code)
    assert done.out.endswith("end\n"), f"{done.code}: {done.out[-300:]}{done.err[-2000:]}"
    assert "WRONG" not in done.out, done.out[done.out.index("WRONG") - 300 :][:3000]


def test_a_sound_run_reads_well(whole: Path) -> None:
    assert [line for line in all_readers.misread(whole / "run") if "matches" not in line] == []
