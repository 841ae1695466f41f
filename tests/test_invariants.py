"""The checker of `benchmarks/invariants.py`: it passes what is played and finds each corruption."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import invariants
import numpy as np
import pytest
from corruptions import OF_DEALS, Log, copy_of, first, of_deals, of_matches
from invariant_checks import CHECKS
from invariants import Block, Checker, Found, Task, played_blocks, run_task
from referee import PRESETS

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim import loop
from guandan_sim.jit import DISABLED

pytestmark = pytest.mark.skipif(DISABLED, reason="plain Python takes minutes for these samples")

ROOT = Path(__file__).parents[1]
NAMES = [name for name, _ in CHECKS]


@pytest.mark.parametrize("preset", gs.Rules.presets())
def test_thousands_of_deals_and_whole_matches_hold(preset: str) -> None:
    deals = run_task(Task(preset, "deals", 1 << 20, (1 << 20) + 4096, 5, "random", referee=60))
    matches = run_task(Task(preset, "matches", 0, 150, 5, "greedy,random"))
    assert deals.texts + matches.texts == []
    total = Found(preset)
    total.add(deals)
    total.add(matches)
    summary = total.summary()
    assert summary["violations"] == 0
    assert summary["refereed"] == 60
    seen = summary["seen"]
    assert seen["matches"] == 150
    assert seen["deals"] > 4096 + 150
    assert min(seen.values()) >= 100, seen
    idle = {name for name, times in summary["ran"].items() if times == 0}
    locks = gs.Rules.preset(preset).pass_locks
    assert idle == (set() if locks else {"seats barred by their pass among who plays"})


def problems_of(log: Log, preset: str, kind: str = "deals", first_set: int = 0) -> list[str]:
    checker = Checker(preset, kind, first_set)
    problems = checker.check(log.block)
    assert checker.found.violations >= len(problems)
    return [NAMES[problem[0]] for problem in problems]


@pytest.fixture(scope="module")
def deals() -> Log:
    return of_deals()


def copied(log: Log) -> Log:
    return Log(Block(*(table.copy() for table in log.block)))


@pytest.mark.parametrize("name", OF_DEALS)
def test_a_corruption_of_deals_is_found(deals: Log, name: str) -> None:
    assert problems_of(deals, "guide") == []
    check, change = OF_DEALS[name]
    log = copied(deals)
    change(log)
    assert check in problems_of(log, "guide")[:1]


def test_an_opening_by_who_was_not_dealt_the_marked_card_is_found() -> None:
    log = of_deals(first_set=7 * 128)
    assert problems_of(log, "guide", first_set=7 * 128) == []
    row = log.block.deals[5]
    hands = row[loop.D_HANDS : loop.D_HANDS + 8 : 2]
    row[loop.D_MARKED] = next(c for c in range(4, 56) if not hands[row[loop.D_LEADER]] >> c & 1)
    found = problems_of(log, "guide", first_set=7 * 128)
    assert found == ["whether the card turned up may be so"]


def test_a_play_by_a_seat_that_its_pass_bars_is_found() -> None:
    log = of_deals("ace_reset")
    assert problems_of(log, "ace_reset") == []
    answers = ~log.leads & ~np.roll(log.leads, 1)
    passed = np.roll(log.field(lay.H_PASSES), 1)
    row = first(answers & (passed != 0))
    log.put(row, 0, int(passed[row]).bit_length() - 1, 3)
    assert problems_of(log, "ace_reset") == ["seats barred by their pass among who plays"]
    # Without locks a seat is asked again in the trick that it passed in.
    assert "seats that passed before the play" in problems_of(of_deals(), "ace_reset")


OF_MATCHES: dict[str, tuple[int, Callable[[int], int]]] = {
    "winner of the match": (1, lambda n: 1 - n),
    "deals of the match": (2, lambda n: n + 1),
    "levels at the end of the match": (4, lambda n: n % 13 + 1),
    "whether the match was cut off": (5, lambda n: 1 - n),
    "times that a team was set back": (7, lambda n: n + 1),
    "number of the match": (0, lambda n: n + 1),
}


@pytest.mark.parametrize("check", OF_MATCHES)
def test_a_corruption_of_a_match_is_found(check: str) -> None:
    log = of_matches()
    assert problems_of(log, "ace_reset", "matches") == []
    column, change = OF_MATCHES[check]
    log.block.matches[4, column] = change(int(log.block.matches[4, column]))
    assert problems_of(log, "ace_reset", "matches") == [check]


def test_a_level_that_a_match_has_not_reached_is_found() -> None:
    for column, check in ((loop.D_LEVEL, "the level played"), (loop.D_OWNER, "the team whose")):
        log = of_matches()
        row = log.block.deals[first(log.block.deals[:, loop.D_DEAL] == 3, 0)]
        row[column] = row[column] % 13 + 1 if column == loop.D_LEVEL else 1 - row[column]
        (found,) = problems_of(log, "ace_reset", "matches")
        assert found.startswith(check)


def test_a_match_without_its_row_is_found() -> None:
    log = of_matches()
    log.block = log.block._replace(matches=log.block.matches[:-1])
    assert problems_of(log, "ace_reset", "matches") == ["whether there is a row of the match"]


@pytest.mark.parametrize(
    ("played", "checked"),
    [
        ("guide", "short_game"),
        ("pagat", "guide"),
        ("openguandan", "kawu"),
        ("guide", "openguandan"),
        ("guide", "wikipedia"),
        ("ace_reset", "kawu"),
    ],
)
def test_the_rules_of_another_preset_are_noticed(played: str, checked: str) -> None:
    log = Log(copy_of(Task(played, "matches", 0, 400, 9, "random"), blocks=50))
    assert problems_of(log, played, "matches") == []
    assert problems_of(log, checked, "matches") != []


def test_what_is_never_found_is_only_what_others_find_before() -> None:
    found = {check for check, _ in OF_DEALS.values()} | set(OF_MATCHES)
    found |= {"the level played", "whether there is a row of the match"}
    found |= {"seats barred by their pass among who plays"}
    assert set(NAMES) - found == {"cards in a hand after tribute", "cards played and left"}


# The script


def test_the_script_prints_a_table_and_writes_figures(tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    command = [sys.executable, str(ROOT / "benchmarks" / "invariants.py"), "--deals", "1k"]
    command += ["--preset", "pagat", "--processes", "2", "--referee", "20", "--json", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "pagat: 0 violations" in done.stdout
    (figures,) = json.loads(out.read_text("utf-8"))
    assert figures["seen"]["deals"] == 1_000
    assert figures["refereed"] == 20
    assert set(PRESETS) == set(gs.Rules.presets())


def test_the_script_says_what_is_wrong_and_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def corrupted(task: Task) -> Iterator[Block]:
        for block in played_blocks(task):
            block.deals[0, loop.D_GAIN] = 9
            yield block

    monkeypatch.setattr(invariants, "played_blocks", corrupted)
    with pytest.raises(SystemExit) as stopped:
        invariants.main(deals="300", preset="kawu", processes=1, seed="3")
    assert stopped.value.code == 1
    printed = capsys.readouterr().out
    assert re.search(
        r"^kawu: set 128, deal 0: levels gained: expected [123], found 9$", printed, re.M
    )
    assert "kawu: 3 violations" in printed
