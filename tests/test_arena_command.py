"""`guandan-sim arena`: what it prints, what it refuses, and that a killed one ends the same."""

from __future__ import annotations

import importlib
import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from forks import Forks, forks

import guandan_sim as gs
from guandan_sim.cli import main

pytestmark = pytest.mark.usefixtures("here")
server = pytest.fixture(scope="module", name="server")(forks)

COMMAND = importlib.import_module("guandan_sim.commands.arena")
ARENA = "arena greedy greedy+random --sets 1100 --seed 3 --workers 1 --quiet --out run"


@pytest.fixture(name="here")
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(name="say")
def command(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(line: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(line.split())
        return code, *capsys.readouterr()

    return run


def test_it_prints_the_result_and_can_do_so_again(say: Any) -> None:
    code, out, err = say(ARENA)
    assert (code, err) == (0, "")
    result = gs.arena("greedy", "greedy+random", sets=1_100, seed=3)
    assert out.startswith(f"{result}\n")
    run = gs.open_run("run")
    for name, digest in run.manifest["content_hash"].items():
        rows = run.manifest["rows"][name]
        assert f"  {name}: {rows:,} rows, content hash {digest[:16]}\n" in out
    assert out.endswith("  written to run\n")
    assert run.manifest["command"] == f"guandan-sim {ARENA}"
    assert run.tables == ("deals", "tributes")
    assert say("arena --report run") == (0, f"{result}\n", "")
    code, out, _ = say("arena --report run --json")
    assert (code, json.loads(out)) == (0, result.as_dict())
    code, out, _ = say(f"{ARENA} --resume")
    assert "was finished before, nothing was played: run" in out
    assert out.startswith(f"{result}\n")


def test_json_has_the_names_of_the_result(say: Any) -> None:
    code, out, err = say("arena greedy random --matches 5 --seed 2 --json -q --out run")
    assert code == 0
    assert "written to run" in err
    figures = json.loads(out)
    result = gs.arena("greedy", "random", matches=5, seed=2)
    for name in ("sets", "mean_gain", "se", "win_rate", "match_win_rate", "elo", "outcomes"):
        assert figures[name] == json.loads(json.dumps(getattr(result, name)))
    assert figures["interval"] == list(result.interval)


def test_options_reach_the_arena(say: Any) -> None:
    code, out, _ = say(
        "arena greedy+random random --sets 200 --seed 2 --rotate --rules pagat --set max_bomb=8 "
        "--level 9 --previous-order none --log plays --out run -q"
    )
    assert code == 0
    run = gs.open_run("run")
    rules = gs.Rules.preset("pagat").replace(max_bomb=8)
    same = gs.arena("greedy+random", "random", sets=200, seed=2, rotate=True, rules=rules,
                    level="9", previous_order=None)  # fmt: skip
    assert (same.arms, gs.arena_report(run).as_dict()) == (4, same.as_dict())
    assert set(run.deals(["tribute"])["tribute"]) == {"none"}
    assert len(run.plays(["ply"])) > 10_000
    code, out, _ = say("arena greedy random --sets 9k --sprt -5 5 -q")
    assert code == 0
    assert "SPRT of Elo -5 (H0) and 5 (H1): accept H1 after 1,024 sets" in out


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("greedy random", "give either --sets N or --matches N"),
        ("greedy random --sets 5 --matches 5", "give either --sets N or --matches N"),
        ("greedy random --sets x", "--sets is 'x'; a whole number"),
        ("greedy --sets 5", "an arena of 1: two bots are needed"),
        ("--sets 5", "an arena of 0: two bots are needed"),
        ("greedy randum --sets 5", "'randum' is not a bot"),
        ("greedy random --sets 5 --resume", "--resume goes on with a run; name its folder"),
        ("greedy random --matches 5 --level 3", "--level and --previous-order are for --sets"),
        ("greedy random --matches 5 --previous-order none", "--level and --previous-order are"),
        ("greedy random --sets 5 --rotate", "rotate: every team is one bot twice"),
        ("greedy random --sets 5 --sprt 5 0", "elo0 is 5.0 and elo1 0.0; elo0 must be"),
        ("greedy random --sets 5 --seed -1", "--seed is '-1'; a whole number from 0"),
        ("greedy random --sets 5 --workers 0", "--workers is '0'"),
        ("greedy random --sets 5 --rules mine", "mine"),
        ("greedy random --report run", "--report tells of a run that is there"),
        ("--report run --sets 5", "--report tells of a run that is there"),
        ("--report nowhere", "nowhere is not a run: it has no manifest.json"),
    ],
)
def test_bad_input_is_said_in_a_line(say: Any, line: str, error: str) -> None:
    code, out, err = say(f"arena {line}")
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert error in err


def test_reports_that_fail(say: Any, tmp_path: Path) -> None:
    assert say("simulate --deals 5 --out plain -q")[0] == 0
    code, out, err = say("arena --report plain")
    assert (code, out, err) == (1, "", "error: plain is no arena's run\n")
    assert say(ARENA)[0] == 0
    (tmp_path / "run/deals/part-000000000000.parquet").unlink()
    code, out, err = say("arena --report run")
    assert (code, out) == (1, "")
    assert "part-000000000000.parquet is missing" in err


def test_names_of_a_run_from_elsewhere_do_nothing_to_the_terminal(say: Any, tmp_path: Path) -> None:
    assert say(ARENA)[0] == 0
    path = tmp_path / "run/manifest.json"
    manifest = json.loads(path.read_text())
    manifest["settings"]["arena"]["teams"][0] = "\x1b[2Ja"
    path.write_text(json.dumps(manifest))
    code, out, _ = say("arena --report run")
    assert code == 0
    assert "\x1b" not in out
    assert out.startswith(r"\x1b[2Ja against ")


def test_a_bot_that_fails(say: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "refuses.py").write_text("def play(view, scratch, out):\n    return 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("GUANDAN_SIM_CACHE", str(tmp_path / "cache"))
    code, _, err = say("arena greedy refuses:play --sets 5 -q")
    assert code == 1
    assert re.search(r"^error: bot refuses:play at seat \d did not return 0", err, re.M)


def test_ctrl_c_says_how_to_go_on(say: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(COMMAND, "arena", stopped)
    code, out, err = say(ARENA)
    assert (code, out) == (130, "")
    assert err.endswith(f"stopped; go on with: guandan-sim {ARENA} --resume\n")


def test_an_arena_killed_at_any_file_ends_the_same(server: Forks, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    line = f"{ARENA} --sprt -300 300"
    done = server.run(line, whole)
    assert (done.code, done.err) == (0, "")
    manifest = json.loads((whole / "run/manifest.json").read_text())
    assert manifest["stopped"]["sets"] == 1_024
    moments = [at for at, event in enumerate(done.events) if "os.re" in event]
    assert len(moments) > 4
    kills = 0
    for at in moments:
        folder = tmp_path / str(at)
        folder.mkdir()
        killed = server.run(line, folder, at=at)
        # How much was played ahead of the verdict is a matter of time.
        assert killed.code in (-signal.SIGKILL, 0)
        kills += killed.code != 0
        again = server.run(f"{line} --resume", folder)
        assert again.code == 0
        found = json.loads((folder / "run/manifest.json").read_text())
        for name in ("content_hash", "stopped", "parts", "rows"):
            assert found[name] == manifest[name]
        result, expected = (text.split("  deals: ")[0] for text in (again.out, done.out))
        assert result == expected
        assert server.run("verify run", folder).code == 0
    assert kills > 4
