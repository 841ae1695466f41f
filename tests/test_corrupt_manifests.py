"""Runs whose manifest was edited: found by `verify`, and harmless to whatever else reads it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from all_readers import misread

from guandan_sim.cli import main

SIMULATE = "simulate --matches 6 --bots greedy,random --seed 11 --workers 1 --quiet --out run"
ESCAPES = "\x1b[2J\x1b]0;mine\x07\r\n\u202e\udcff"
DEEP: Any = "x"
for _ in range(400):
    DEEP = [DEEP]


@pytest.fixture(scope="module", name="whole")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    assert main([*SIMULATE.split()[:-1], str(folder)]) == 0
    return folder


@pytest.fixture(name="run")
def run_in_the_current_folder(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the run, called "run", that a test may spoil."""
    shutil.copytree(whole, tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    return Path("run")


def put(value: Any, *names: str | int) -> Callable[[dict[str, Any]], None]:
    """An edit: ``manifest[names[0]][names[1]]...`` is ``value``."""

    def change(manifest: Any) -> None:
        for name in names[:-1]:
            manifest = manifest[name]
        manifest[names[-1]] = value

    change.__name__ = f"{'.'.join(map(str, names))}={str(value)[:20]!r}"
    return change


def setting(*values: Any, of: str) -> list[Callable[[dict[str, Any]], None]]:
    return [put(value, "settings", *of.split(".")) for value in values]


FOUND = [
    *setting("11", -1, 2**70, None, 1.5, True, 12, [11], of="seed"),
    *setting(None, [], "guide", {}, DEEP, of="rules"),
    *setting("x", {"a": 1}, [4, 2], None, [2**70] * 3, of="rules.promotion"),
    *setting(5, None, ESCAPES, of="rules.top_level"),
    *setting("0", -1, 2**70, of="rules.top_failures"),
    *setting(True, "no", 1, ESCAPES, [], of="rules.pass_locks"),
    *setting("2", 1, None, [2], 2**70, ESCAPES, of="rules_version"),
    *setting(99, [1], {}, "K", ESCAPES, True, of="level"),
    *setting(5, {}, "0012", [0, 2, 1, 3], "0213", ESCAPES, of="previous_order"),
    *setting("6", 0, -6, 5, 7, 6.0, 2**70, 10**12, None, ESCAPES, of="count"),
    *setting("1024", 0, -1024, 1000, None, ESCAPES, of="part_sets"),
    *setting("deals", "games", None, [], ESCAPES, DEEP, of="kind"),
    *setting("deals", "none", None, [], ESCAPES, of="log"),
    *[put(value, "settings") for value in (None, [], {}, ESCAPES)],
    *[put(value, "schema_version") for value in (None, 2, "3", [3], ESCAPES, DEEP)],
    *[put(value, "status") for value in (None, "done", "running", [], ESCAPES)],
    *[put(value, "parts") for value in (None, {}, [], [1], [None], [[]], [{}, {}], DEEP)],
    *[put(value, "parts", 0, "first") for value in ("0", 1024, -1, "../../first", ESCAPES)],
    *[put(value, "parts", 0, "tables") for value in (None, [], {}, "../..", DEEP)],
    *[
        put(value, "parts", 0, "tables", "plays", what)
        for what in ("rows", "bytes", "sha256")
        for value in (None, 5, -1, 2**70, "../../etc/passwd", ESCAPES, [])
    ],
    *[put(value, "rows") for value in (None, [], {}, 5)],
    *[put(value, "rows", "deals") for value in (None, "6", 2**70, ESCAPES)],
    *[put(value, "content_hash") for value in (None, [], {}, "00")],
    *[put(value, "content_hash", "plays") for value in (None, "00", ESCAPES, DEEP)],
    *[put(value, "summary") for value in (None, [], {}, "fine", ESCAPES, DEEP)],
    *[put(value, "summary", "deals") for value in (None, "6", 5, 2**70, ESCAPES, DEEP)],
    *[put(value, "summary", "wins") for value in (None, [], [6, 0, 0], [0, 6], {"0": 6})],
    *[put(value, "summary", "tributes") for value in (None, {}, {"single": -1, "double": 0})],
    *[put(value, "summary", "seconds") for value in (None, "x", -1, ESCAPES)],
    *[put(value, "summary", "deals_per_second") for value in ("x", [], 2**70, ESCAPES)],
    *[put(DEEP, name) for name in ("created", "finished", "command")],
]
# What cannot be checked: who played, when, and by what command.
NOT_FOUND = [
    *setting(None, [], "greedy", [{}] * 4, [None] * 4, [{"name": "a"}], of="bots"),
    *setting([{"name": ESCAPES, "version": 1, "source": ""}] * 4, of="bots"),
    *[put(value, "command") for value in (None, ESCAPES, [], "x" * 100_000)],
    *[put(value, "created") for value in (None, ESCAPES, 5)],
    *[put(value, "finished") for value in (None, ESCAPES, 5)],
]


def edit(run: Path, change: Callable[[dict[str, Any]], None]) -> None:
    file = run / "manifest.json"
    manifest = json.loads(file.read_bytes())
    change(manifest)
    file.write_bytes(json.dumps(manifest, ensure_ascii=True).encode())


def assert_plain(text: str) -> None:
    """Nothing but lines that may be shown on a terminal."""
    for line in text.splitlines():
        assert line.isprintable(), line


@pytest.mark.parametrize("change", [*FOUND, *NOT_FOUND], ids=lambda change: change.__name__)
def test_an_edited_manifest(
    run: Path, capsys: pytest.CaptureFixture[str], change: Callable[[dict[str, Any]], None]
) -> None:
    edit(run, change)
    before = {file: file.read_bytes() for file in run.rglob("*.*") if file.is_file()}
    capsys.readouterr()
    code = main(["verify", "run", "--quiet"])
    out, err = capsys.readouterr()
    assert_plain(out + err)
    if change in FOUND:
        assert code == 1
        assert "run" in (out + err).splitlines()[0]
        assert err.startswith("error: run")
        assert err.count("\n") == 1
    else:
        assert (code, err) == (0, "")
    assert misread(run) == []
    for line in ("replay run 0", "replay run 2 --deal 1"):
        code = main(line.split())
        out, err = capsys.readouterr()
        assert_plain(out + err)
        assert code in (0, 1, 2)
        assert err.startswith("error: ") == bool(code)
    assert {file: file.read_bytes() for file in run.rglob("*.*") if file.is_file()} == before
    code = main([*SIMULATE.split(), "--resume"])
    out, err = capsys.readouterr()
    assert_plain(out + err)
    assert all(line.startswith(("error: ", "warning: ")) for line in err.splitlines())
    if code == 0:
        assert main(["verify", "run", "--quiet"]) == 0
    else:
        assert err.startswith("error: run")
        assert {file: file.read_bytes() for file in run.rglob("*.*") if file.is_file()} == before
