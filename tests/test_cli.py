"""The command line: what it refuses and how, exit codes, numbers, and what it leaves alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from forks import ROOT
from started import pressed, started, wait_until

from guandan_sim import progress
from guandan_sim.bots import BUILT_IN
from guandan_sim.cli import main
from guandan_sim.errors import OptionError, RulesError
from guandan_sim.options import chosen_rules, whole_number
from guandan_sim.rules import Rules
from guandan_sim.runs import open_run
from guandan_sim.simulate import Progress as Simulated

COMMANDS = (
    "simulate",
    "arena",
    "verify",
    "replay",
    "moves",
    "plan",
    "bots",
    "rules",
    "warmup",
    "bench",
)
HOSTILE = """
def illegal(view, scratch, out):
    out[:] = 7
    return 0


def refusing(view, scratch, out):
    return 3


def untyped(view, scratch, out):
    return "a move"


def writing_to_the_view(view, scratch, out):
    view[0] = 1
    return 0
"""

Result = tuple[int, str, str]
Command = Callable[..., Result]


@pytest.fixture(name="run")
def run_in_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Calls `main` in an empty current folder; gives the exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def run(*arguments: str) -> Result:
        capsys.readouterr()
        code = main(arguments)
        return code, *capsys.readouterr()

    return run


def contents(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


# Errors: one line on stderr, an exit code, nothing changed


def assert_refused(result: Result, code: int, *parts: str) -> None:
    assert result[0] == code
    assert result[1] == ""
    errors = [line for line in result[2].splitlines() if not line.startswith("compil")]
    assert len(errors) == 1
    assert errors[0].startswith("error: ")
    for part in parts:
        assert part in errors[0]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("simulate --deals -5", ["--deals is '-5'", "from 1 to", "10k"]),
        ("simulate --deals 0", ["--deals is '0'"]),
        ("simulate --deals 1.5", ["'1.5'"]),
        ("simulate --matches many", ["--matches is 'many'", "1e6"]),
        ("simulate", ["--deals N or --matches N"]),
        ("simulate --deals 5 --matches 5", ["either --deals N or --matches N"]),
        ("simulate --deals", ["--deals"]),
        ("simulate --deals 5 --speed 9", ["--speed"]),
        ("simulate --deals 5 --bots nobody", ["'nobody'", "random, greedy", "module:attribute"]),
        ("simulate --deals 5 --bots random,greedy,random", ["3 bots", "1 (all seats), 2"]),
        ("simulate --deals 5 --bots nowhere:bot", ["nowhere"]),
        ("simulate --deals 5 --rules house", ["'house'", "guide, ace_reset"]),
        ("simulate --deals 5 --set max_bomb=7", ["max_bomb=7", "8, 9, 10"]),
        ("simulate --deals 5 --set max_bomb", ["switch=value"]),
        ("simulate --deals 5 --set jokers=4", ["'jokers'", "pass_locks"]),
        ("simulate --deals 5 --set pass_locks=maybe", ["pass_locks='maybe'", "no, yes"]),
        ("simulate --deals 5 --seed -1", ["--seed is '-1'"]),
        ("simulate --deals 5 --workers 0", ["--workers is '0'"]),
        ("simulate --deals 5 --log everything", ["everything", "plays", "deals", "none"]),
        ("simulate --deals 5 --level 11", ["'11'", "10 (or T)"]),
        ("simulate --deals 5 --previous-order 0012", ["'0012'", "0213"]),
        ("simulate --matches 5 --level 3", ["level"]),
        ("simulate --deals 5 --resume", ["--out"]),
        ("simulate --deals 5 --log none --out a", ["--log none writes nothing"]),
        ("simulate --deals 5 --backend ray", ["'--backend': 'ray' is not one of 'threads'"]),
        ("verify nowhere", ["nowhere is not a run"]),
        ("verify", ["RUN"]),
        ("replay nowhere 0", ["nowhere is not a run"]),
        ("replay", ["RUN", "--seed"]),
        ("replay nowhere", ["nowhere"]),
        ("rules house", ["'house'", "pagat"]),
        ("rules no.toml", ["cannot read rules from no.toml", "No such file"]),
        ("rules --diff guide", ["--diff", "2 arguments"]),
        ("rules --diff guide house", ["'house'", "pagat"]),
        ("rules pagat --diff guide kawu", ["--diff", "--diff guide kawu"]),
        ("replay runs/a 0 --bots greedy", ["--bots goes with --seed"]),
        ("replay runs/a 0 --set max_bomb=8", ["--set goes with --seed"]),
        ("replay --seed 1 --deal 3", ["--deal goes with a RUN"]),
        ("rules --toml", ["need a rule system", "rules guide"]),
        ("rules guide --set max_bomb=7", ["max_bomb=7", "8, 9, 10"]),
        ("shuffle", ["shuffle"]),
    ],
)
def test_bad_input_is_one_line_and_2(run: Command, line: str, parts: list[str]) -> None:
    assert_refused(run(*line.split()), 2, *parts)
    assert os.listdir() == []


def test_an_existing_run_is_left_as_it_is(run: Command, tmp_path: Path) -> None:
    assert run("simulate", "--deals", "20", "--out", "old", "--quiet")[0] == 0
    before = contents(tmp_path)
    for more in ([], ["--resume"]):
        result = run("simulate", "--deals", "10", "--out", "old", *more)
        assert_refused(result, 2, "old", "choose another folder")
    assert contents(tmp_path) == before


def test_other_files_are_left_as_they_are(run: Command, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("keep", "utf-8")
    (tmp_path / "file").write_text("keep", "utf-8")
    before = contents(tmp_path)
    for folder in ("mine", "file"):
        for more in ([], ["--resume"]):
            result = run("simulate", "--deals", "10", "--out", folder, *more)
            assert_refused(result, 2, folder, "choose another")
    assert contents(tmp_path) == before


def test_a_folder_that_cannot_be_written_is_a_failure(run: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("keep", "utf-8")
    result = run("simulate", "--deals", "10", "--out", "file/run")
    assert_refused(result, 1, "cannot write to file/run", "choose another folder")


@pytest.mark.parametrize(
    ("bot", "says"),
    [
        ("illegal", "seat"),
        ("refusing", "return"),
        ("untyped", "must return an integer"),
        ("writing_to_the_view", "does not compile"),
    ],
)
def test_a_bot_that_fails_is_a_failure(
    run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bot: str, says: str
) -> None:
    (tmp_path / "hostile_bots.py").write_text(HOSTILE, "utf-8")
    monkeypatch.delitem(sys.modules, "hostile_bots", raising=False)
    result = run("simulate", "--deals", "5", "--bots", f"hostile_bots:{bot}", "--out", "new")
    assert_refused(result, 1, f"hostile_bots:{bot}", says)


def test_a_changed_run_does_not_verify(run: Command, tmp_path: Path) -> None:
    assert run("simulate", "--deals", "20", "--out", "runs/a", "--quiet")[0] == 0
    code, out, err = run("verify", "runs/a", "--quiet")
    assert (code, err) == (0, "")
    assert re.search(r"runs/a: 20 deals and all [\d,]+ plays", out)
    (part,) = (tmp_path / "runs" / "a" / "plays").iterdir()
    part.write_bytes(part.read_bytes()[:-1])
    code, out, err = run("verify", "runs/a", "--quiet")
    assert code == 1
    assert out.startswith("- ")
    assert err.startswith("error: runs/a does not verify")
    (tmp_path / "runs" / "a" / "manifest.json").write_text("{", "utf-8")
    assert_refused(run("verify", "runs/a"), 1, "manifest.json")
    again = run("simulate", "--deals", "20", "--out", "runs/a", "--quiet", "--resume")
    assert_refused(again, 1, "manifest.json cannot be read")


def test_a_new_run_where_one_was_to_be_resumed_is_said_to_be_one(run: Command) -> None:
    line = "simulate --deals 5 --out new --resume"
    code, _, err = run(*line.split())
    assert (code, err) == (0, "there is no run in new to go on with: a new one is begun\n")
    code, out, err = run(*line.split())
    assert (code, err) == (0, "")
    assert out.endswith("was finished before, nothing was played: new\n")


def test_a_process_of_its_own(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "guandan_sim", "simulate", "--deals", "5", "--bots", "nobody"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("error: 'nobody' is not a bot")


def test_ctrl_c_says_how_far_it_got_and_what_is_kept(tmp_path: Path) -> None:
    line = "simulate --deals 1G --log deals --out run"
    with started(line, tmp_path) as process:
        wait_until(lambda: [*tmp_path.glob("run/tributes/part-*")])
        last = pressed(process)[-1]
    kept = sum(stop - first for first, stop in open_run(tmp_path / "run").parts)
    assert kept > 0
    found = re.fullmatch(
        rf"stopped at ([\d,]+) of 1,000,000,000 deals; {kept:,} deals in finished parts are kept, "
        rf"go on with: guandan-sim {line} --resume",
        last,
    )
    assert found
    assert int(found[1].replace(",", "")) > 0


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_whoever_reads_the_output_may_leave(tmp_path: Path, unbuffered: str) -> None:
    """As `replay ... | head` does, before all is written or as the process ends."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "guandan_sim", "replay", "--seed", "1"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONUNBUFFERED": unbuffered, "PYTHONPATH": str(ROOT)},
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


# What is asked for is done


def test_no_arguments_show_help(run: Command) -> None:
    code, out, _ = run()
    assert code == 0
    assert all(command in out for command in COMMANDS)
    assert "Exit codes" in out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_an_example(run: Command, command: str) -> None:
    code, out, _ = run(command, "--help")
    assert code == 0
    assert re.search(rf"Examples?: guandan-sim {command}\b", out)


def test_lists(run: Command) -> None:
    _, out, _ = run("bots")
    for name in BUILT_IN:
        assert re.search(rf"\b{name} +\S+ +\w", out)


def test_rules_are_listed_explained_and_compared(run: Command) -> None:
    _, out, _ = run("rules")
    for name in Rules.presets():
        assert re.search(rf"^ +{name} +[A-Z]", out, re.M)
    _, out, _ = run("rules", "pagat")
    for switch in Rules.preset("pagat").switches():
        assert switch == "name" or re.search(rf"^ +{switch} +\S+ +[A-Z]", out, re.M)
    _, out, _ = run("rules", "--diff", "guide", "kawu")
    assert re.findall(r"^ +([a-z]+_\w+) ", out, re.M) == ["opening_leader", "return_received_card"]
    assert run("rules", "--diff", "guide", "guide")[1] == "guide and guide do not differ\n"


def test_a_rules_file_from_the_command_line_and_back(run: Command) -> None:
    _, out, _ = run("rules", "guide", "--set", "pass_locks=yes", "--toml")
    Path("club.toml").write_text(out, "utf-8")
    _, out, _ = run("rules", "--diff", "guide", "club.toml")
    assert re.findall(r"^ +([a-z]+_\w+) ", out, re.M) == ["pass_locks"]
    code, _, _ = run("simulate", "--matches", "3", "--rules", "club.toml", "--out", "a", "--quiet")
    assert code == 0
    switches = json.loads(Path("a/manifest.json").read_text("utf-8"))["settings"]["rules"]
    assert switches == Rules.preset("guide").switches() | {"name": "my_guide", "pass_locks": True}
    assert run("verify", "a")[0] == 0


def test_simulate_writes_what_it_shows(run: Command, tmp_path: Path) -> None:
    line = "simulate --matches 6 --bots greedy,random --seed 0x --out a"
    assert run(*line.split())[0] == 2
    code, out, err = run(*line.replace("0x", "5").split(), "--set", "top_level=5", "--quiet")
    assert (code, err) == (0, "")
    manifest = json.loads((tmp_path / "a" / "manifest.json").read_text("utf-8"))
    assert manifest["command"].startswith("guandan-sim simulate --matches 6 --bots greedy,random")
    assert manifest["settings"]["rules"]["top_level"] == "5"
    summary = manifest["summary"]
    assert re.search(rf"deals +{summary['deals']:,}\b", out)
    assert "matches won by team 0 (greedy)" in out
    assert "sweeps" in out
    assert manifest["content_hash"]["plays"][:16] in out
    assert f"plays: {manifest['rows']['plays']:,} rows" in out


def test_quiet_or_not_without_a_folder(run: Command, tmp_path: Path) -> None:
    assert run("simulate", "--deals", "1e2", "--log", "none", "-q")[0] == 0
    code, out, _ = run("simulate", "--deals", "1_0", "--previous-order", "random", "--level", "10")
    assert code == 0
    assert re.search(r"deals +10\b", out)
    assert list(tmp_path.iterdir()) == []


def test_replay_from_the_seed_and_from_the_log_agree(run: Command) -> None:
    line = "--bots greedy,random --seed 4 --previous-order 0213"
    assert run(*f"simulate --deals 4 --out a {line} --quiet".split())[0] == 0
    code, told, _ = run("replay", "a", "3")
    assert code == 0
    assert run(*f"replay --number 3 {line}".split())[1] == told
    assert "tribute" in told
    assert "seat 3 (random)" in told
    assert_refused(run("replay", "a", "4"), 2, "0 to 3")
    assert_refused(run("replay", "a"), 2, "number, from 0")


def test_lines_tell_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.0)
    for quiet in (False, True):
        watch = progress.Watch("deals", quiet)
        with watch.shown():
            watch.simulation(Simulated(250, 1000, 200, 9_000, 20.0, 1_234_567, 50))
    assert re.fullmatch(
        r"250 of 1,000 deals, 10 deals/s, 1\.2 MB written, \d+ s left\n", capsys.readouterr().err
    )


def test_lines_tell_which_part_is_checked(
    monkeypatch: pytest.MonkeyPatch, run: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    """By `verify` and when a run is resumed; the time of it is not that of what comes after."""
    assert run("simulate", "--deals", "2k", "--out", "a", "--quiet")[0] == 0
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.0)
    err = run("verify", "a")[2]
    found = re.findall("^checking part ([12]) of 2$", err, re.M)
    assert found == sorted(found)
    assert {*found} == {"1", "2"}
    assert err.endswith("2 of 2 parts, 0 s left\n")
    err = run("simulate", "--deals", "2k", "--out", "a", "--resume")[2]
    assert re.fullmatch(r"(checking part 1 of 2\n)+(checking part 2 of 2\n)*", err)
    watch = progress.Watch("parts", False)
    watch._began -= 100
    watch.checking(3, 10)
    watch.count(1, 10)
    assert capsys.readouterr().err == "checking part 3 of 10\n1 of 10 parts, 0 s left\n"

    def interrupted() -> None:
        with watch.shown():
            watch.checking(3, 10)
            raise KeyboardInterrupt

    with pytest.raises(typer.Exit):
        interrupted()
    assert capsys.readouterr().err.endswith("stopped while checking part 3 of 10\n")


def test_the_time_left_is_that_of_what_is_played_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """A resumed run had 900 of its 1,000; ten took ten seconds."""
    watch = progress.Watch("deals", True)
    monkeypatch.setattr(watch, "_began", time.monotonic() - 10)
    watch.count(910, 1000, kept=900)
    (task,) = watch._bar.tasks
    assert task.description == "910 of 1,000 deals, 90 s left"
    assert [progress._time(seconds) for seconds in (4, 1_200, 9_000)] == ["4 s", "20 min", "2.5 h"]


# Values


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7),
        ("+7", 7),
        ("1_000_000", 1_000_000),
        ("1,000", 1_000),
        ("1e6", 1_000_000),
        ("1E+3", 1_000),
        ("2.5e1", 25),
        ("1M", 1_000_000),
        ("1.5m", 1_500_000),
        ("10k", 10_000),
        (" 3K ", 3_000),
        ("1G", 10**9),
        (str(2**48 - 1), 2**48 - 1),
    ],
)
def test_numbers(text: str, number: int) -> None:
    assert whole_number(text, "--n", 1) == number


@pytest.mark.parametrize(
    "text",
    ["", "k", "1kk", "1e", "1e-3", "1.5", "0.5", "1e99", "1e9999", "0x10", "٣", "1 000", "nan"],
)
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(OptionError, match="--n is") as caught:
        whole_number(text, "--n", 1)
    assert repr(text) in str(caught.value)


def test_switches_of_every_type() -> None:
    words = ["promotion=4,2,1", "top_failures=3", "pass_locks=Yes", "top_level=10", "max_bomb = 8"]
    rules = chosen_rules("guide", words)
    assert rules.promotion == (4, 2, 1)
    assert rules.top_failures == 3
    assert rules.pass_locks is True
    assert rules.top_level == "T"
    assert rules.max_bomb == 8
    for wrong in ("promotion=4", "top_failures=-1", "top_failures=x", "opening_leader=me"):
        with pytest.raises(RulesError, match=wrong.partition("=")[0]):
            chosen_rules("guide", [wrong])


def test_moves_lists_the_legal_moves_of_a_hand(run: Command) -> None:
    code, out, _ = run("moves", "S9 D9 H2", "--level", "2", "--to-beat", "pair 8: S8 C8")
    assert code == 0
    assert out.splitlines() == ["pass", "pair 9: S9 D9", "pair 9: S9 H2", "pair 9: D9 H2"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["S9 S9 S9"], "hand has 3 copies of S9; two packs have 2 of each card"),
        (["S9 X1"], "'X1' is not a card"),
        (["S9", "--level", "11"], "'11' is not a level"),
        (["S9", "--to-beat", "pair 9: S9 D8"], "cannot be pair 9"),
    ],
)
def test_moves_of_what_is_no_hand(run: Command, arguments: list[str], said: str) -> None:
    code, out, err = run("moves", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert said in err
    assert err.count("\n") == 1


def test_plan_cuts_up_a_hand(run: Command) -> None:
    code, out, _ = run("plan", "S9 D9 C9 SB SB H7", "--level", "7")
    assert code == 0
    assert out == "1 turn, 1 bomb, 0 losers\npair SB: SB SB\nbomb 9: S9 C9 D9 H7\n"
    out = run("plan", "S9 D9 C9 SB SB", "--set", "full_house_joker_pair=no")[1]
    assert out.startswith("2 turns")


@pytest.mark.parametrize("hand", ["", "S1", "S9 S9 S9"])
def test_plan_of_what_is_no_hand(run: Command, hand: str) -> None:
    code, out, err = run("plan", hand)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
