"""A full disk, a quota, a folder that becomes read-only: said in a line, and made good later.

The limits are real ones of the system. It counts bytes by file, so a limit that the manifest meets
but a part does not stops a run within a part, and one below the manifest's stops it at once.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from forks import Forks, forks
from test_kills import SIMULATE, resumed, run_in

server = pytest.fixture(scope="module", name="server")(forks)


@pytest.fixture(scope="module", name="whole")
def undisturbed(server: Forks, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder around a run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    assert server.run(SIMULATE, folder).code == 0
    return folder


def parts_of(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes() for file in folder.glob("run/*/*.parquet")
    }


def limits(whole: Path) -> dict[str, int]:
    """Bytes that a file may have, by the first file that does not fit."""
    size = {name.removeprefix("run/"): len(data) for name, data in parts_of(whole).items()}
    first = "part-000000000000.parquet"
    second = "part-000000001024.parquet"
    # Larger files do not fit sooner: the last plays are smaller than the first.
    assert size[f"plays/{second}"] < size[f"deals/{first}"] < size[f"plays/{first}"]
    return {
        "manifest": 100,
        "deals": size[f"deals/{first}"] - 1,
        "plays": size[f"plays/{first}"] - 1,
    }


@pytest.mark.parametrize("file", ["manifest", "deals", "plays"])
def test_no_room_for_a_file(server: Forks, whole: Path, tmp_path: Path, file: str) -> None:
    done = server.run(SIMULATE, tmp_path, room=limits(whole)[file])
    assert done.code == 1
    assert done.error == "cannot write to run: File too large"
    assert not list((tmp_path / "run").rglob("*.tmp"))
    assert parts_of(tmp_path).items() <= parts_of(whole).items()
    assert resumed(server, tmp_path) == run_in(whole / "run")


def test_no_room_to_go_on_loses_nothing_that_was_finished(
    server: Forks, whole: Path, tmp_path: Path
) -> None:
    """The second part is missing, and finds no room either; the first stays as it is."""
    events = server.run(SIMULATE, tmp_path).events
    (tmp_path / "run").rename(tmp_path / "first")
    last = max(at for at, event in enumerate(events) if "plays/.part-000000001024" in event)
    killed = server.run(SIMULATE, tmp_path, at=last)
    assert killed.code < 0
    before = parts_of(tmp_path)
    assert len(before) >= 3
    done = server.run(f"{SIMULATE} --resume", tmp_path, room=1_000)
    assert done.code == 1
    assert "File too large" in done.error
    assert before.items() <= parts_of(tmp_path).items()
    assert resumed(server, tmp_path) == run_in(whole / "run")


@pytest.fixture(name="open_path")
def folder_for_anybody() -> Iterator[Path]:
    """Root is not stopped by permissions; these commands run as nobody where the tests are root."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


@pytest.mark.parametrize("event", ["plays/.part-000000000000", "deals/.part-000000001024"])
def test_a_folder_made_read_only_under_way(
    server: Forks, whole: Path, open_path: Path, event: str
) -> None:
    first = server.run(SIMULATE, open_path, as_nobody=True)
    assert first.code == 0, first.err
    events = first.events
    (open_path / "run").rename(open_path / "first")
    at = next(number for number, text in enumerate(events) if event in text)
    done = server.run(SIMULATE, open_path, at=at, do="protect", as_nobody=True)
    assert done.code == 1
    assert done.error == "cannot write to run: Permission denied"
    finished = {name: data for name, data in parts_of(open_path).items() if name.startswith("run/")}
    assert finished.items() <= parts_of(whole).items()
    again = server.run(f"{SIMULATE} --resume", open_path, as_nobody=True)
    assert again.code == 1
    assert "Permission denied" in again.error
    for place in [open_path / "run", *(open_path / "run").iterdir()]:
        if place.is_dir():
            place.chmod(0o755)
    assert server.run(f"{SIMULATE} --resume", open_path, as_nobody=True).code == 0
    assert run_in(open_path / "run") == run_in(whole / "run")
