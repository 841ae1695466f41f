"""Starting and resuming runs: what is refused, kept and played again."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_runs import ROOT, copied_run, files_in, finished_run, settings, write_part

from guandan_sim.errors import RunError
from guandan_sim.runs import create_run, open_run
from guandan_sim.schemas import TABLES

made = pytest.fixture(scope="module", name="made")(finished_run)
copy = pytest.fixture(name="copy")(copied_run)


def test_the_manifest_while_running_and_after(tmp_path: Path) -> None:
    with create_run(tmp_path / "run", settings(), command="guandan-sim simulate") as writer:
        started = json.loads((tmp_path / "run" / "manifest.json").read_text())
        assert started["status"] == "running"
        assert started["settings"] == settings()
        assert writer.missing == [(0, 1024), (1024, 2048), (2048, 2500)]
        unfinished = open_run(tmp_path / "run")
        assert not unfinished.finished
        assert unfinished.parts == []
        assert unfinished.plays().empty
        assert unfinished.dataset("plays").count_rows() == 0
        parts = [write_part(writer.folder, *part) for part in writer.missing]
        with pytest.raises(RunError, match="2 of 3 parts are there"):
            writer.finish(parts[1:], {})
        writer.finish(parts, {"deals": np.int64(3), "rate": np.float64(0.5)})
    manifest = open_run(tmp_path / "run").manifest
    assert manifest["status"] == "complete"
    assert manifest["command"] == "guandan-sim simulate"
    assert manifest["summary"] == {"deals": 3, "rate": 0.5}
    assert [(part["first"], part["stop"]) for part in manifest["parts"]] == writer.missing
    file = tmp_path / "run" / "plays" / "part-000000001024.parquet"
    entry = manifest["parts"][1]["tables"]["plays"]
    assert entry["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert entry["bytes"] == file.stat().st_size
    assert sum(part["tables"]["plays"]["rows"] for part in manifest["parts"]) == 11_250
    assert manifest["rows"]["plays"] == 11_250
    assert set(manifest["content_hash"]) == set(TABLES)


def test_occupied_folders_are_refused(copy: Path, tmp_path: Path) -> None:
    before = {name: (copy / name).read_bytes() for name in files_in(copy)}
    with pytest.raises(
        RunError, match="copy is not empty: choose another folder, or resume the run"
    ):
        create_run(copy, settings())
    assert {name: (copy / name).read_bytes() for name in files_in(copy)} == before
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    for resume, message in ((False, "is not empty: choose"), (True, "holds no run to resume")):
        with pytest.raises(RunError, match=message):
            create_run(other, settings(), resume)
    assert [file.name for file in other.iterdir()] == ["notes.txt"]


def test_files_and_unwritable_folders_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(RunError, match="file is a file: choose another place"):
        create_run(tmp_path / "file", settings())
    with pytest.raises(RunError, match=r"cannot write to .*: Not a directory: choose another"):
        create_run(tmp_path / "file" / "run", settings())

    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(RunError, match=r"cannot write to .*: Permission denied: choose another"):
        create_run(tmp_path / "run", settings())


def test_two_writers_at_once_are_refused(tmp_path: Path) -> None:
    with create_run(tmp_path / "run", settings()):
        with pytest.raises(RunError, match="is being written by another process"):
            create_run(tmp_path / "run", settings(), resume=True)
        code = (
            "from guandan_sim.runs import create_run; import json, sys; "
            "create_run(sys.argv[1], json.loads(sys.argv[2]), resume=True)"
        )
        other = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "run"), json.dumps(settings())],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "is being written by another process" in other.stderr
    create_run(tmp_path / "run", settings(), resume=True).close()


def test_other_settings_are_refused_by_name(copy: Path) -> None:
    changed = settings(seed=8, rules={"preset": "guide", "max_bomb": 8, "new": True})
    with pytest.raises(RunError) as caught:
        create_run(copy, changed, resume=True)
    assert str(caught.value) == (
        f"{copy} was made with other settings: max_bomb is 10 there and 8 here; "
        "new is not set there and True here; seed is 7 there and 8 here: "
        "use the same, or choose another folder"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "games"}, "kind is 'games'"),
        ({"log": "none"}, "log is 'none'"),
        ({"count": 0}, "count is 0"),
        ({"part_sets": 1000}, "part_sets is 1000: must be a multiple of 1024"),
    ],
)
def test_settings_are_checked(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RunError, match=message):
        create_run(tmp_path / "run", settings(**changes))
    assert not (tmp_path / "run").exists()


def test_resume_does_only_what_is_missing(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with create_run(folder, settings(), resume=True) as writer:
        write_part(folder, *writer.missing[0])
        write_part(folder, *writer.missing[2])
    # As a kill leaves it: one table of a part is there, others still have temporary names.
    write_part(folder, *writer.missing[1])
    (folder / "plays" / "part-000000001024.parquet").unlink()
    for stray in ("plays/.part-000000001024.parquet.77-0a.tmp", ".manifest.json.77-0a.tmp"):
        (folder / stray).write_bytes(b"half")
    kept = folder / "plays" / "part-000000000000.parquet"
    stamp = kept.stat().st_mtime_ns
    assert open_run(folder).parts == [(0, 1024), (2048, 2500)]
    with create_run(folder, settings(), resume=True) as writer:
        assert writer.missing == [(1024, 2048)]
        assert [part.first for part in writer.kept] == [0, 2048]
        assert writer.notes == []
        assert not [name for name in files_in(folder) if name.endswith(".tmp")]
        writer.finish([write_part(folder, 1024, 2048)], {})
    assert kept.stat().st_mtime_ns == stamp
    assert files_in(folder) == files_in(made)
    run = open_run(folder)
    assert run.manifest["content_hash"] == open_run(made).manifest["content_hash"]
    assert run.check_files() == []


@pytest.mark.parametrize(
    ("status", "gone", "noted"),
    [
        ("complete", "deals", True),
        ("complete", "plays", True),
        ("running", "deals", True),
        # As a kill between two files leaves it.
        ("running", "plays", False),
    ],
)
def test_resume_tells_of_a_part_that_was_taken_away(
    copy: Path, status: str, gone: str, noted: bool
) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps(manifest | {"status": status}))
    file = copy / gone / "part-000000001024.parquet"
    file.unlink()
    told: list[tuple[int, int]] = []
    with create_run(copy, settings(), True, checking=lambda *at: told.append(at)) as writer:
        assert writer.missing == [(1024, 2048)]
        assert writer.notes == [f"{file} is missing; its part is played again"] * noted
    # Of the two that are there, at every row group and every MB.
    assert told == sorted(told)
    assert [told.count((number, 2)) for number in (1, 2)] == [1 + 2 * len(TABLES)] * 2


def test_resume_replaces_a_part_that_does_not_read(copy: Path, made: Path) -> None:
    file = copy / "deals" / "part-000000001024.parquet"
    file.write_bytes(file.read_bytes()[:-100])
    with create_run(copy, settings(), resume=True) as writer:
        assert writer.missing == [(1024, 2048)]
        assert len(writer.notes) == 1
        assert "part-000000001024.parquet cannot be read" in writer.notes[0]
        writer.finish([write_part(copy, 1024, 2048)], {})
    assert open_run(copy).check_files() == []
    assert open_run(copy).manifest["content_hash"] == open_run(made).manifest["content_hash"]


def test_a_finished_run_resumes_to_itself(copy: Path, made: Path) -> None:
    before = (copy / "manifest.json").read_bytes()
    with create_run(copy, settings(), resume=True) as writer:
        assert writer.missing == []
        assert (copy / "manifest.json").read_bytes() == before
        assert writer.notes == []
        writer.finish([], {})
    assert open_run(copy).manifest["parts"] == open_run(made).manifest["parts"]


def test_an_edit_that_nothing_contradicts_is_noted_and_made_good(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    edited = manifest | {"command": "guandan-sim simulate --seed 8"}
    (copy / "manifest.json").write_text(json.dumps(edited))
    with create_run(copy, settings(), resume=True) as writer:
        assert writer.missing == []
        assert not writer.finished
        (note,) = writer.notes
        assert "its checksum is of other contents; the manifest is written again" in note
        writer.finish([], {})
    with create_run(copy, settings(), resume=True) as writer:
        assert writer.notes == []


def test_threads_write_parts_side_by_side(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with create_run(folder, settings()) as writer, ThreadPoolExecutor(3) as pool:
        parts = list(pool.map(lambda part: write_part(folder, *part), writer.missing))
        writer.finish(parts[::-1], {"deals": 3})
    for name in files_in(made):
        if name != "manifest.json":
            assert (folder / name).read_bytes() == (made / name).read_bytes()
    assert open_run(folder).manifest["parts"] == open_run(made).manifest["parts"]


def test_a_killed_process_loses_only_its_unfinished_part(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    code = (
        "import os, sys, time; sys.path[:0] = ['.', 'tests']; import made_runs as t; "
        "writer = t.create_run(sys.argv[1], t.settings()); "
        "t.write_part(writer.folder, 0, 1024); "
        "os.replace = lambda *_: (print('ready', flush=True), time.sleep(60)); "
        "t.write_part(writer.folder, 1024, 2048)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.kill()
    assert open_run(folder).parts == [(0, 1024)]
    assert [name for name in files_in(folder) if name.endswith(".tmp")]
    with create_run(folder, settings(), resume=True) as writer:
        assert writer.missing == [(1024, 2048), (2048, 2500)]
        writer.finish([write_part(folder, *part) for part in writer.missing], {"deals": 3})
    assert files_in(folder) == files_in(made)
    assert open_run(folder).manifest["content_hash"] == open_run(made).manifest["content_hash"]
