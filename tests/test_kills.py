"""A run killed at any moment, by the file: resumed, it is the run that nobody disturbed."""

from __future__ import annotations

import json
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from forks import ROOT, Forks, forks

pytestmark = pytest.mark.usefixtures("server")
server = pytest.fixture(scope="module", name="server")(forks)

# Two parts, of 1,024 deals and of 76.
SIMULATE = "simulate --deals 1100 --bots greedy,random --seed 3 --workers 1 --quiet --out run"


def run_in(folder: Path) -> dict[str, Any]:
    """All that is in a run's folder but for times: files by name, the manifest read."""
    files: dict[str, Any] = {}
    for file in folder.rglob("*"):
        name = str(file.relative_to(folder))
        if file.is_file():
            files[name] = file.read_bytes()
    manifest = json.loads(files["manifest.json"])
    for name in ("created", "finished", "command", "checksum"):
        assert manifest.pop(name)
    summary = manifest["summary"]
    manifest["summary"] = {name: summary[name] for name in summary if "second" not in name}
    files["manifest.json"] = manifest
    return files


@pytest.fixture(scope="module", name="whole")
def undisturbed(
    server: Forks, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Any], list[str]]:
    """A run that nobody disturbed, and what was done in its folder."""
    folder = tmp_path_factory.mktemp("whole")
    done = server.run(SIMULATE, folder)
    assert (done.code, done.err) == (0, "")
    assert server.run("verify run", folder).code == 0
    return run_in(folder / "run"), done.events


def kinds(events: list[str]) -> set[str]:
    """Events without what differs from one run to another."""
    return {re.sub(r"\.\d+-[0-9a-f]+\.tmp", ".tmp", event) for event in events}


def state_of(folder: Path) -> frozenset[tuple[str, int]]:
    """What a kill left, as far as it matters to who resumes: names and sizes."""
    return frozenset(
        (kinds([str(entry.relative_to(folder))]).pop(), entry.stat().st_size)
        for entry in (folder / "run").rglob("*")
        if entry.is_file()
    )


def resumed(server: Forks, folder: Path, warns: str = "") -> dict[str, Any]:
    done = server.run(f"{SIMULATE} --resume", folder)
    assert done.code == 0, done.err
    assert re.fullmatch(rf"(warning: .*{warns}.*\n)?" if warns else "", done.err)
    # Before the folder is synced, a kill may find the run finished.
    assert re.search(r"written to run|was finished before, nothing was played: run", done.out)
    return run_in(folder / "run")


def test_killed_before_every_step(
    server: Forks, whole: tuple[dict[str, Any], list[str]], tmp_path: Path
) -> None:
    expected, events = whole
    steps = kinds(events)
    for table in ("deals", "tributes", "plays"):
        file = f"{table}/part-000000001024.parquet"
        hidden = f"{table}/.part-000000001024.parquet.tmp"
        assert {f"open {hidden}", f"os.rename {hidden} {file}", f"open {table}"} <= steps
    assert {"os.mkdir .", "fcntl.flock ", "os.rename .manifest.json.tmp manifest.json"} <= steps
    seen: set[frozenset[tuple[str, int]]] = set()
    for at in range(len(events)):
        folder = tmp_path / str(at)
        folder.mkdir()
        done = server.run(SIMULATE, folder, at=at)
        assert done.code == -signal.SIGKILL
        assert kinds(done.events) == kinds(events[:at])
        state = state_of(folder)
        if state not in seen:
            assert resumed(server, folder) == expected, events[at]
            if len(seen) % 10 == 0:
                assert server.run("verify run", folder).code == 0
            seen.add(state)
    assert len(seen) > 15


def test_killed_while_resuming_before_every_step(
    server: Forks, whole: tuple[dict[str, Any], list[str]], tmp_path: Path
) -> None:
    """The first part is spoilt and the second half there, so that both are played again."""
    expected, events = whole
    start = tmp_path / "start"
    start.mkdir()
    middle = next(at for at, event in enumerate(events) if "plays/.part-000000001024" in event)
    assert server.run(SIMULATE, start, at=middle + 1).code == -signal.SIGKILL
    (start / "run" / "plays" / "part-000000000000.parquet").write_bytes(b"PAR1")
    seen: set[frozenset[tuple[str, int]]] = set()
    for at in range(1_000):
        folder = tmp_path / str(at)
        shutil.copytree(start, folder)
        done = server.run(f"{SIMULATE} --resume", folder, at=at)
        if done.code != -signal.SIGKILL:
            break
        state = state_of(folder)
        if state not in seen:
            assert resumed(server, folder, "part is played again") == expected, done.events
        seen.add(state)
    assert done.code == 0
    assert "plays/part-000000000000.parquet" in done.err
    assert "its part is played again" in done.err
    assert at == len(done.events) > 30
    assert run_in(folder / "run") == expected


def test_killed_in_the_middle_of_every_file(
    server: Forks, whole: tuple[dict[str, Any], list[str]], tmp_path: Path
) -> None:
    """By the system, once so many bytes of a file are written; what fits is there by then."""
    expected, _ = whole
    sizes = {len(data) for data in expected.values() if isinstance(data, bytes)} - {0}
    limits = {0, 200, *(size // 2 for size in sizes), *(size - 1 for size in sizes)}
    strays = set()
    for limit in sorted(limits):
        folder = tmp_path / str(limit)
        folder.mkdir()
        done = server.run(SIMULATE, folder, room=limit, fatal=True)
        assert done.code == -signal.SIGXFSZ
        hidden = [file for file in (folder / "run").rglob(".*.tmp") if file.is_file()]
        assert [file.stat().st_size for file in hidden] == [limit]
        strays.add(hidden[0].name[:5])
        assert resumed(server, folder) == expected
    assert strays == {".mani", ".part"}


def test_killed_at_random_times(server: Forks, tmp_path: Path) -> None:
    """As a user would see it: the same command over and over until it comes to its end."""
    line = "simulate --deals 60k --seed 8 --workers 2 --quiet --log deals --out"
    assert server.run(f"{line} whole", tmp_path).code == 0
    command = [sys.executable, "-m", "guandan_sim", *line.split()]
    folder = tmp_path / "run"
    choices = random.Random(1)
    for _ in range(2):
        before = {file.name for file in folder.glob("deals/p*")}
        with subprocess.Popen(
            [*command, str(folder), "--resume"],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        ) as process:
            # Once it has written something, so that all together come to an end.
            while process.poll() is None and {f.name for f in folder.glob("deals/p*")} <= before:
                time.sleep(0.005)
            time.sleep(choices.random() / 10)
            process.kill()
    last = server.run(f"{line} run --resume", tmp_path)
    assert (last.code, last.err) == (0, "")
    assert run_in(folder) == run_in(tmp_path / "whole")
    assert server.run("verify run", tmp_path).code == 0
