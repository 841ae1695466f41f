"""Runs at URLs: every file system that pyarrow opens, with the same games as in a folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pyarrow.fs as pafs
import pytest
from made_runs import files_in

import guandan_sim as gs
from guandan_sim.folders import LocalFolder, RemoteFolder, folder_of
from guandan_sim.runs import create_run

SETTINGS: dict[str, Any] = {"deals": 3000, "bots": ("greedy", "random"), "seed": 5, "workers": 2}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> gs.Run:
    """The run in a folder of this machine."""
    run = gs.simulate(**SETTINGS, out=tmp_path_factory.mktemp("runs") / "plain")
    assert isinstance(run, gs.Run)
    return run


@pytest.fixture(name="memory")
def memory_of_this_process() -> Iterator[str]:
    """The URL of an empty folder in a file system that only pyarrow reaches."""
    yield "fsspec+memory://runs/a"
    fsspec.filesystem("memory").rm("/runs", recursive=True)


def in_memory() -> list[str]:
    return sorted(str(name) for name in fsspec.filesystem("memory").find("/runs/a"))


def test_a_url_of_a_local_folder_is_that_folder(plain: gs.Run, tmp_path: Path) -> None:
    run = gs.simulate(**SETTINGS, out=f"file://{tmp_path}/run")
    assert isinstance(run, gs.Run)
    assert run.path == tmp_path / "run"
    assert run.manifest["content_hash"] == plain.manifest["content_hash"]
    assert gs.open_run(f"file://{tmp_path}/run").verify().ok
    assert files_in(tmp_path / "run") == files_in(plain.path)


def test_a_run_at_a_url_is_the_same(plain: gs.Run, memory: str) -> None:
    made = gs.simulate(**SETTINGS, out=memory)
    assert isinstance(made, gs.Run)
    run = gs.open_run(memory)
    assert run.manifest["content_hash"] == plain.manifest["content_hash"]
    assert run.manifest["parts"] == plain.manifest["parts"]
    assert run.verify().ok
    assert run.plays().equals(plain.plays())
    assert run.dataset("plays").count_rows() == plain.summary["plays"]
    assert run.set_rows("plays", 1500).equals(plain.set_rows("plays", 1500))
    assert [name.removeprefix("/runs/a/") for name in in_memory()] == files_in(plain.path)
    with pytest.raises(gs.RunError, match=r"fsspec\+memory://runs/a is not a folder of this"):
        _ = run.path


def test_a_run_at_a_url_is_resumed(plain: gs.Run, memory: str) -> None:
    made = gs.simulate(**SETTINGS, out=memory)
    assert isinstance(made, gs.Run)
    files = fsspec.filesystem("memory")
    first = made.parts[1][0]
    files.rm(f"/runs/a/plays/part-{first:012d}.parquet")
    stray = f"/runs/a/deals/.part-{first:012d}.parquet.1-ab.tmp"
    files.pipe(stray, b"half")
    with pytest.raises(gs.RunError, match="is missing"):
        made.plays()
    with pytest.warns(gs.RunWarning, match=rf"plays/part-{first:012d}.parquet is missing"):
        again = gs.simulate(**SETTINGS, out=memory, resume=True)
    assert isinstance(again, gs.Run)
    assert again.manifest["content_hash"] == plain.manifest["content_hash"]
    assert stray not in in_memory()
    with pytest.raises(gs.RunError, match=r"memory://runs/a is not empty: choose another"):
        gs.simulate(**SETTINGS, out=memory)


def test_a_failure_while_sending_leaves_nothing(
    memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with create_run(memory, {"kind": "deals", "count": 5, "part_sets": 1024, "log": "deals"}):
        pass
    before = in_memory()
    monkeypatch.setattr(RemoteFolder, "_send", full)
    folder = folder_of(memory)
    with pytest.raises(OSError, match="No space left"):
        folder.put("deals/part-000000000000.parquet", b"rows")
    assert in_memory() == before


def test_systems_that_show_whole_files_only_get_them_under_their_name(tmp_path: Path) -> None:
    class Objects:
        """Moves nothing, as it would copy."""

        type_name = "s3"

        def __init__(self) -> None:
            self.system = pafs.LocalFileSystem()

        def __getattr__(self, name: str) -> Any:
            assert name != "move"
            return getattr(self.system, name)

    folder = RemoteFolder("s3://bucket/run", Objects(), str(tmp_path / "run"))
    folder.make()
    folder.put("deals/a", b"rows")
    assert folder.entries("deals") == ["a"]
    assert folder.entries("plays") == []
    folder.delete("deals/a")
    folder.delete("deals/a")
    assert not folder.exists("deals/a")


@pytest.mark.parametrize("url", ["nowhere://bucket/run", "fsspec+nowhere://bucket/run"])
def test_urls_of_no_file_system(url: str) -> None:
    with pytest.raises(gs.RunError, match=f"^{re.escape(url)} cannot be opened: "):
        gs.simulate(deals=5, out=url)
    with pytest.raises(gs.RunError, match="cannot be opened"):
        gs.open_run(url)


def test_no_name_is_no_folder() -> None:
    with pytest.raises(gs.RunError, match="the folder of a run is ''; name one"):
        gs.simulate(deals=5, out="")
    with pytest.raises(gs.RunError, match="the folder of a run is ''; name one"):
        gs.open_run("")


def test_a_file_is_no_folder(memory: str) -> None:
    fsspec.filesystem("memory").pipe("/runs/a", b"a file")
    with pytest.raises(gs.RunError, match="memory://runs/a is a file: choose another place"):
        gs.simulate(deals=5, out=memory)


def test_what_is_a_path_and_what_a_url(tmp_path: Path) -> None:
    assert folder_of("runs/a") == LocalFolder(Path("runs/a"))
    assert folder_of(tmp_path) == LocalFolder(tmp_path)
    assert folder_of("c:/runs") == LocalFolder(Path("c:/runs"))
    assert isinstance(folder_of("fsspec+memory://a/b"), RemoteFolder)
