"""`guandan-sim experiment`: what it prints and refuses, and that a killed one ends the same."""

from __future__ import annotations

import importlib
import json
import signal
from pathlib import Path
from typing import Any

import pytest
from forks import Forks, forks

import guandan_sim as gs
from guandan_sim.cli import main

pytestmark = pytest.mark.usefixtures("here")
server = pytest.fixture(scope="module", name="server")(forks)

COMMAND = importlib.import_module("guandan_sim.commands.experiment")
LINE = "experiment tribute-off --sets 1100 --seed 3 --workers 1 --quiet --out run"


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
    code, out, err = say(LINE)
    assert (code, err) == (0, "")
    result = gs.experiment("tribute-off", sets=1_100, seed=3)
    assert out.startswith(f"{result}\n")
    run = gs.open_run("run")
    for name, digest in run.manifest["content_hash"].items():
        rows = run.manifest["rows"][name]
        assert f"  {name}: {rows:,} rows, content hash {digest[:16]}\n" in out
    assert out.endswith("  written to run\n")
    assert run.manifest["command"] == f"guandan-sim {LINE}"
    assert say("experiment --report run") == (0, f"{result}\n", "")
    code, out, _ = say("experiment --report run --json")
    assert (code, json.loads(out)) == (0, result.as_dict())
    code, out, _ = say(f"{LINE} --resume")
    assert "was finished before, nothing was played: run" in out
    assert out.startswith(f"{result}\n")


def test_the_table(say: Any) -> None:
    _, out, _ = say("experiment tribute-off --sets 2k --seed 1 -q")
    lines = out.splitlines()
    assert lines[0] == "tribute-off: 2,000 sets, each in 3 arms; of the Banker's team"
    assert lines[1].split() == ["levels", "a", "deal", "interval", "deals", "won,", "%", "interval"]
    starts = [line.split("  ")[0] for line in lines if line and not line.startswith(" ")]
    assert starts[1:] == [
        "as it is", "no tribute", "paid, Banker leads", "tribute", "its cards", "its lead",
        "tribute: as it is - no tribute", "its cards: paid, Banker leads - no tribute",
        "its lead: as it is - paid, Banker leads",
    ]  # fmt: skip
    groups = [line.split("  ")[1] for line in lines if line.startswith("  ") and "[" in line]
    assert groups[:7] == [
        "paid after 1-2",
        "paid after 1-3",
        "paid after 1-4",
        "cancelled",
        "HR given",
        "SB given",
        "level card given",
    ]
    (cancelled, *_) = (line for line in lines if line.startswith("  cancelled"))
    assert "+0.000  [+0.000, +0.000]" in " ".join(cancelled.split(" ")).replace("    ", "  ")
    assert max(map(len, lines)) < 120
    _, out, _ = say("experiment lead --sets 1 -q")
    assert "the lead     1" in out
    assert out.count("unknown") == 10


def test_json_has_the_names_of_the_result(say: Any) -> None:
    code, out, err = say("experiment lead --sets 5 --seed 2 --json -q --out run")
    assert code == 0
    assert "written to run" in err
    figures = json.loads(out)
    result = gs.experiment("lead", sets=5, seed=2)
    assert figures == json.loads(json.dumps(result.as_dict()))
    assert figures["effects"]["the lead"]["levels"]["value"] == (
        result.effects["the lead"].levels.value
    )


def test_options_reach_the_experiment(say: Any) -> None:
    code, out, _ = say(
        "experiment rules --sets 200 --seed 2 --rules pagat --set max_bomb=8 --against guide "
        "--against kawu --level 9 --previous-order none --bots greedy,random "
        "--log plays -q --out run"
    )
    assert code == 0
    rules = gs.Rules.preset("pagat").replace(max_bomb=8)
    same = gs.experiment(
        "rules", sets=200, seed=2, rules=rules, against=["guide", "kawu"], level="9",
        previous_order=None, bots=("greedy", "random"),
    )  # fmt: skip
    assert out.startswith(f"{same}\n")
    assert same.arms == ("pagat(max_bomb=8)", "guide", "kawu")
    run = gs.open_run("run")
    assert set(run.deals(["tribute"])["tribute"]) == {"none"}
    assert len(run.plays(["ply"])) > 10_000
    code, out, _ = say("verify run -q")
    assert code == 0
    code, out, _ = say("replay run 7 --arm 2")
    assert code == 0
    assert "set 7, arm 2 (kawu), " in out


def test_alone_it_lists_what_there_is(say: Any) -> None:
    code, out, err = say("experiment")
    assert (code, err) == (0, "")
    for name in ("tribute-off", "lead", "return-card", "rules"):
        assert f"  {name}  " in out
    assert out.count(".") == 4


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("tribute", "'tribute' is not an experiment; there are tribute-off, lead, return-card, ru"),
        ("--sets 5", "name an experiment; there are tribute-off, lead, return-card, rules"),
        ("lead --sets x", "--sets is 'x'; a whole number"),
        ("lead --matches 5", "No such option: --matches"),
        ("lead --seed -1", "--seed is '-1'; a whole number from 0"),
        ("lead --workers 0", "--workers is '0'"),
        ("lead --resume", "--resume goes on with a run; name its folder"),
        ("lead --log none --out x", "--log none writes nothing; leave it out, or --out"),
        ("lead --against pagat", "other rules to compare with (against) go with"),
        ("lead --previous-order 0213", "in the experiment lead each seat leads in turn"),
        ("tribute-off --previous-order none", "tribute-off needs tribute to be due"),
        ("tribute-off --set tribute=no", "tribute-off needs rules with tribute; guide(tribute=no)"),
        ("rules", "the experiment rules compares with others: name some by against"),
        ("rules --against mine", "'mine' is not a rule preset"),
        ("lead --bots a", "'a' is not a bot"),
        ("lead --level 1", "'1' is not a level"),
        ("lead --report run", "--report tells of a run that is there"),
        ("--report run --sets 5", "--report tells of a run that is there"),
        ("--report nowhere", "nowhere is not a run: it has no manifest.json"),
    ],
)
def test_bad_input_is_said_in_a_line(say: Any, line: str, error: str) -> None:
    code, out, err = say(f"experiment {line}")
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert error in err


def test_reports_that_fail(say: Any, tmp_path: Path) -> None:
    assert say("simulate --deals 5 --out plain -q")[0] == 0
    code, out, err = say("experiment --report plain")
    assert (code, out, err) == (1, "", "error: plain is no experiment's run\n")
    assert say(LINE)[0] == 0
    (tmp_path / "run/tributes/part-000000000000.parquet").unlink()
    code, out, err = say("experiment --report run")
    assert (code, out) == (1, "")
    assert "part-000000000000.parquet is missing" in err


def test_names_of_a_run_from_elsewhere_do_nothing_to_the_terminal(say: Any, tmp_path: Path) -> None:
    assert say(LINE)[0] == 0
    path = tmp_path / "run/manifest.json"
    manifest = json.loads(path.read_text())
    manifest["settings"]["arms"][0]["name"] = "\x1b[2Ja"
    path.write_text(json.dumps(manifest))
    code, out, _ = say("experiment --report run")
    assert code == 0
    assert "\x1b" not in out
    assert r"\x1b[2Ja" in out


def test_ctrl_c_says_how_to_go_on(say: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(COMMAND, "play_design", stopped)
    code, out, err = say(LINE)
    assert (code, out) == (130, "")
    assert err.endswith(f"stopped; go on with: guandan-sim {LINE} --resume\n")


def test_an_experiment_killed_at_any_file_ends_the_same(server: Forks, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    done = server.run(LINE, whole)
    assert (done.code, done.err) == (0, "")
    manifest = json.loads((whole / "run/manifest.json").read_text())
    moments = [at for at, event in enumerate(done.events) if "os.re" in event]
    assert len(moments) > 4
    for at in moments:
        folder = tmp_path / str(at)
        folder.mkdir()
        killed = server.run(LINE, folder, at=at)
        assert killed.code == -signal.SIGKILL
        again = server.run(f"{LINE} --resume", folder)
        assert again.code == 0
        found = json.loads((folder / "run/manifest.json").read_text())
        for name in ("content_hash", "parts", "rows"):
            assert found[name] == manifest[name]
        assert again.out.split("  deals: ")[0] == done.out.split("  deals: ")[0]
