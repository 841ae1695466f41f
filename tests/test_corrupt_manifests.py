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

# Few and short: all of it is read some twenty times for each edit.
SIMULATE = (
    "simulate --matches 3 --set top_level=4 --bots greedy,random --seed 11 --workers 1 --quiet "
    "--out run"
)
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


def puts(values: list[Any], *names: str | int) -> list[Callable[[dict[str, Any]], None]]:
    return [put(value, *names) for value in values]


def setting(*values: Any, of: str) -> list[Callable[[dict[str, Any]], None]]:
    return [put(value, "settings", *of.split(".")) for value in values]


NUMBERS: list[Any] = [None, 5, -1, 2**70, "../../etc/passwd", ESCAPES, []]
EDITS = [
    *setting("11", -1, 2**70, None, 1.5, True, 12, [11], of="seed"),
    *setting(None, [], "guide", {}, DEEP, of="rules"),
    *setting("x", {"a": 1}, [4, 2], None, [2**70] * 3, of="rules.promotion"),
    *setting(5, None, ESCAPES, of="rules.top_level"),
    *setting("0", -1, 2**70, of="rules.top_failures"),
    *setting(True, "no", 1, ESCAPES, [], of="rules.pass_locks"),
    *setting("2", 1, None, [2], 2**70, ESCAPES, of="rules_version"),
    *setting(99, [1], {}, "K", ESCAPES, True, of="level"),
    *setting(5, {}, "0012", [0, 2, 1, 3], "0213", ESCAPES, of="previous_order"),
    *setting("3", 0, -3, 2, 4, 3.0, 2**70, 10**12, None, ESCAPES, of="count"),
    *setting("1024", 0, -1024, 1000, None, ESCAPES, of="part_sets"),
    *setting("deals", "games", None, [], ESCAPES, DEEP, of="kind"),
    *setting("deals", "none", None, [], ESCAPES, of="log"),
    *puts([None, [], {}, ESCAPES], "settings"),
    *puts([None, 2, "3", [3], ESCAPES, DEEP], "schema_version"),
    *puts([None, "done", "running", [], ESCAPES], "status"),
    *puts([None, {}, [], [1], [None], [[]], [{}, {}], DEEP], "parts"),
    *puts(["0", 1024, -1, "../../first", ESCAPES], "parts", 0, "first"),
    *puts([None, [], {}, "../..", DEEP], "parts", 0, "tables"),
    *puts(NUMBERS, "parts", 0, "tables", "plays", "rows"),
    *puts(NUMBERS, "parts", 0, "tables", "plays", "bytes"),
    *puts(NUMBERS, "parts", 0, "tables", "plays", "sha256"),
    *puts([None, [], {}, 5], "rows"),
    *puts([None, "3", 2**70, ESCAPES], "rows", "deals"),
    *puts([None, [], {}, "00"], "content_hash"),
    *puts([None, "00", ESCAPES, DEEP], "content_hash", "plays"),
    *puts([None, [], {}, "fine", ESCAPES, DEEP], "summary"),
    *puts([None, "3", 5, 2**70, ESCAPES, DEEP], "summary", "deals"),
    *puts([None, [], [3, 0, 0], [0, 3], {"0": 3}], "summary", "wins"),
    *puts([None, {}, {"single": -1, "double": 0}], "summary", "tributes"),
    *puts([None, "x", -1, ESCAPES], "summary", "seconds"),
    *puts(["x", [], 2**70, ESCAPES], "summary", "deals_per_second"),
    *[put(DEEP, name) for name in ("created", "finished", "command")],
    # What nothing else contradicts: who played, when, and by what command.
    *setting(None, [], "greedy", [{}] * 4, [None] * 4, [{"name": "a"}], of="bots"),
    *setting([{"name": ESCAPES, "version": 1, "source": ""}] * 4, of="bots"),
    *puts([None, ESCAPES, [], "x" * 100_000], "command"),
    *puts([None, ESCAPES, 5], "created"),
    *puts([None, ESCAPES, 5], "finished"),
    *puts([None, "00", DEEP], "checksum"),
    put("unknown", "more"),
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


@pytest.mark.parametrize("change", EDITS, ids=lambda change: change.__name__)
def test_an_edited_manifest(
    run: Path, capsys: pytest.CaptureFixture[str], change: Callable[[dict[str, Any]], None]
) -> None:
    edit(run, change)
    before = {file: file.read_bytes() for file in run.rglob("*.*") if file.is_file()}
    capsys.readouterr()
    code = main(["verify", "run", "--quiet"])
    out, err = capsys.readouterr()
    assert_plain(out + err)
    assert code == 1
    assert "run" in (out + err).splitlines()[0]
    assert err.startswith("error: run")
    assert err.count("\n") == 1
    assert misread(run, but=("check_files", "verify", "replay")) == []
    code = main(["replay", "run", "2"])
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
