"""Reports of runs that are unfinished, tiny or broken: what is there is told, the rest refused."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from readings import part_of

import guandan_sim as gs
from guandan_sim.columns import Columns, to_arrow, to_columns
from guandan_sim.errors import OptionError, RunError
from guandan_sim.parts import row_groups
from guandan_sim.schemas import TABLES
from guandan_sim.stats import Report, report

DEALS = 2_200
PART = 1_024
NOTHING = {"interval": [None, None], "units": 0, "sets": 0}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of deals in three parts, with tributes and plays."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    gs.simulate(deals=DEALS, bots="greedy", seed=3, previous_order="random", out=folder, workers=2)
    return folder


@pytest.fixture
def copied(whole: Path, tmp_path: Path) -> Path:
    """A copy that may be spoilt."""
    shutil.copytree(whole, tmp_path / "copy")
    return tmp_path / "copy"


def rewritten(folder: Path, table: str, change: Callable[[Columns], Any], first: int = 0) -> None:
    """Write a table's part again with its columns changed."""
    definition = TABLES[table]
    run = gs.open_run(folder)
    part = next(part for part in run.parts if part[0] == first)
    groups = [to_columns(definition, data) for data in row_groups(run.folder, definition, part)]
    columns = {name: np.concatenate([g[name] for g in groups]) for name in definition.names}
    found = change(columns)
    pq.write_table(to_arrow(definition, found or columns), part_of(folder, table, first))


def unfinished(folder: Path) -> None:
    """As a run that was broken off: no word of what its parts hold."""
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text())
    for name in ("rows", "parts", "content_hash", "summary", "finished", "checksum"):
        manifest.pop(name, None)
    file.write_text(json.dumps(manifest | {"status": "running"}))


def tables_of(found: Report) -> Any:
    """All figures of the first arm."""
    return found.as_dict()["arms"][0]["tables"]


def put(column: str, row: int, value: int) -> Callable[[Columns], None]:
    """Write a value into a column."""

    def change(columns: Columns) -> None:
        columns[column] = columns[column].copy()
        columns[column][row] = value

    return change


def without(*rows: int) -> Callable[[Columns], Columns]:
    """Leave rows out."""
    return lambda columns: {n: np.delete(values, rows) for n, values in columns.items()}


def twice(row: int) -> Callable[[Columns], Columns]:
    """Have a row twice."""
    return lambda columns: {
        name: np.insert(values, row, values[row]) for name, values in columns.items()
    }


def one_play_moved(columns: Columns) -> None:
    """One deal has a play more, the next one less; all of them are as many as before."""
    columns["plays"] = columns["plays"] + np.array([1, -1] + [0] * (PART - 2), np.int8).view("u1")


def cards_swapped(columns: Columns) -> None:
    """A card is dealt to a hand that has both copies of it."""
    one, two = columns["hand0_one"].copy(), columns["hand0_two"]
    one[3] |= ~one[3] & -~one[3]
    columns["hand0_one"] = one
    assert two[3] & ~one[3] == 0


def due_changed(columns: Columns, name: str, value: int) -> None:
    """Something else is said of a tribute that was paid."""
    paid = np.flatnonzero((columns["tribute"] > 0) & ~columns["cancelled"])
    put(name, int(paid[3]), value)(columns)


BROKEN: dict[str, tuple[str, Callable[[Columns], Any]]] = {
    "a tribute of no card": ("tributes", put("card", 5, 0)),
    "no card returned": ("tributes", put("returned", 5, 0)),
    "a tribute of a card that is not held": (
        "tributes",
        lambda columns: put("card", 5, (int(columns["card"][5]) + 20) % 54 + 1)(columns),
    ),
    "a seat 4 that pays": ("tributes", put("giver", 5, 4)),
    "a seat 255 that is paid": ("tributes", put("receiver", 5, 255)),
    "a tribute to oneself": (
        "tributes",
        lambda columns: put("receiver", 5, int(columns["giver"][5]))(columns),
    ),
    "a tribute missing": ("tributes", without(5)),
    "no tributes": ("tributes", lambda columns: {n: v[:0] for n, v in columns.items()}),
    "a tribute twice": ("tributes", twice(5)),
    "tributes out of order": (
        "tributes",
        lambda columns: {n: np.roll(values, 10) for n, values in columns.items()},
    ),
    "a tribute that is not due": ("deals", lambda columns: due_changed(columns, "tribute", 0)),
    "a tribute paid and cancelled": (
        "deals",
        lambda columns: due_changed(columns, "cancelled", 1),
    ),
    "a tribute of no deal": ("tributes", put("deal", 5, 1)),
    "a tribute of an arm that is not there": ("tributes", put("arm", 5, 1)),
    "a deal of an arm that is not there": ("deals", put("arm", 5, 1)),
    "a deal missing": ("deals", without(7)),
    "the first deal missing": ("deals", without(0)),
    "the last deal missing": ("deals", without(PART - 1)),
    "a deal twice": ("deals", twice(7)),
    "no deals": ("deals", without(*range(PART))),
    "a second deal of a set": ("deals", put("deal", 7, 1)),
    "a seat out twice": (
        "deals",
        lambda columns: put("first", 7, int(columns["second"][7]))(columns),
    ),
    "a seat 200 out last": ("deals", put("last", 7, 200)),
    "a leader 9": ("deals", put("leader", 7, 9)),
    "a hand without cards": ("deals", put("hand2_one", 7, 0)),
    "a second copy without a first": ("deals", put("hand2_two", 7, -1)),
    "a card too many": ("deals", cards_swapped),
    "plays of another deal": ("deals", one_play_moved),
    "a deal without plays": ("deals", put("plays", 7, 0)),
    "a play missing": ("plays", without(70)),
    "a play twice": ("plays", twice(70)),
    "plays out of order": (
        "plays",
        lambda columns: {n: np.concatenate([v[1:2], v[:1], v[2:]]) for n, v in columns.items()},
    ),
    "no plays": ("plays", lambda columns: {n: v[:0] for n, v in columns.items()}),
    "a play that is a pass": ("plays", put("shape", 70, 0)),
    "a play of a seat 4": ("plays", put("seat", 70, 4)),
    "a play of 16 cards": ("plays", put("size", 70, 16)),
    "a play of more cards than are held": ("plays", put("size", 2, 15)),
    "passes of a fifth seat": ("plays", put("chosen_passes", 70, 16)),
    "a play of an arm that is not there": ("plays", put("arm", 70, 1)),
}


@pytest.mark.parametrize("name", BROKEN)
def test_rows_that_do_not_fit_are_refused(name: str, copied: Path) -> None:
    table, change = BROKEN[name]
    rewritten(copied, table, change)
    with pytest.raises(RunError) as caught:
        report(copied)
    assert str(caught.value) == (
        f"{copied}, sets 0 to 1023: the rows do not fit together; "
        "`guandan-sim verify` says what is wrong"
    )


@pytest.mark.parametrize("table", ["deals", "tributes", "plays"])
@pytest.mark.parametrize("damage", ["cut", "empty", "gone", "another's"])
def test_files_that_cannot_be_read_are_named(table: str, damage: str, copied: Path) -> None:
    file = part_of(copied, table, PART)
    if damage == "gone":
        file.unlink()
    elif damage == "another's":
        shutil.copy(part_of(copied, table, 0), file)
    else:
        file.write_bytes(file.read_bytes()[: 2_000 if damage == "cut" else 0])
    with pytest.raises(RunError, match=f"^{file}[ :]") as caught:
        report(copied)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("table", ["deals", "tributes", "plays"])
def test_a_changed_byte_is_found(table: str, copied: Path) -> None:
    file = part_of(copied, table, 0)
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 64
    file.write_bytes(data)
    with pytest.raises(RunError, match=f"^{file}[ :]"):
        report(copied)


def test_an_unfinished_run_is_reported_as_far_as_it_is_there(copied: Path) -> None:
    before = tables_of(report(copied, plans=200))
    unfinished(copied)
    found = report(copied, plans=200)
    assert tables_of(found) == before
    assert found.missing == ("the run is not finished: 3 of 3 parts are reported",)
    part_of(copied, "plays", PART).unlink()
    found = report(copied, plans=200)
    assert found.missing == ("the run is not finished: 2 of 3 parts are reported",)
    assert found["length"]["plays"].cells[0].units == DEALS - PART
    assert dict(found.facts)["sets"] == dict(found.facts)["deals"] == DEALS - PART
    # Plans are of no more deals than were asked for.
    assert 0 < found["turns-of-hands"].rows[0].cells[0].sets <= 200
    assert sum(row.cells[0].units for row in found["turns-of-hands"].rows) <= 4 * 200
    for first in (0, 2 * PART):
        part_of(copied, "deals", first).unlink()
    with pytest.raises(RunError, match=r"copy has no finished part yet: there is nothing to rep"):
        report(copied)


def test_workers_and_plans_change_nothing_else(whole: Path) -> None:
    calls: list[tuple[int, int]] = []
    one = report(whole, workers=1, plans=10**9, progress=lambda *now: calls.append(now))
    assert calls == [(1, 3), (2, 3), (3, 3)]
    assert one.as_dict() == report(whole, workers=2, plans=DEALS).as_dict()
    assert one.as_dict() == report(gs.open_run(whole), workers=3, plans=DEALS + 1).as_dict()
    keys = {"turns-of-teams", "turns-of-hands", "turns-around"}
    with_plans, none = tables_of(one), tables_of(report(whole, plans=0))
    for of_level in with_plans["values-by-level"]["rows"]:
        of_level["a turn fewer"] = dict.fromkeys(("value", "se")) | NOTHING
    assert none == {key: table for key, table in with_plans.items() if key not in keys}
    some = report(whole, plans=500)
    hands = sum(row.cells[0].units for row in some["turns-of-hands"].rows)
    assert hands == 4 * math.ceil(DEALS / math.ceil(DEALS / 500))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"plans": -1}, "plans is -1; a number of deals is needed, 0 for none"),
        ({"plans": 1.5}, "plans is 1.5; a number of deals is needed, 0 for none"),
        ({"workers": 0}, "workers is 0; a number of threads from 1 on is needed"),
        ({"workers": True}, "workers is True; a number of threads from 1 on is needed"),
        ({"confidence": 1}, "confidence is 1; a number between 0 and 1 is needed"),
        ({"confidence": math.nan}, "confidence is nan; a number between 0 and 1 is needed"),
    ],
)
def test_options_that_cannot_be(whole: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        report(whole, **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "options", [{"deals": 1}, {"matches": 1}, {"deals": 1, "previous_order": "0213"}], ids=str
)
@pytest.mark.parametrize("bots", ["greedy", "random"])
def test_of_one_set_there_are_values_and_no_intervals(
    options: dict[str, Any], bots: str, tmp_path: Path
) -> None:
    run = gs.simulate(bots=bots, seed=5, out=tmp_path / "run", **options)
    assert isinstance(run, gs.Run)
    found = report(run)
    cells = [c for t in found.arms[0].tables() for row in t.rows for c in row.cells]
    assert len(cells) > 50
    assert all(math.isnan(end) for cell in cells for end in (cell.se, *cell.interval))
    assert {cell.sets for cell in cells} <= {0, 1}
    assert "What is led first" in str(found)
    assert json.dumps(found.as_dict(), allow_nan=False)


def test_matches_cut_off_count_as_far_as_they_went(tmp_path: Path) -> None:
    rules = gs.Rules.preset("guide").replace(max_deals=3)
    run = gs.simulate(matches=200, bots="greedy", rules=rules, seed=6, out=tmp_path / "run")
    assert isinstance(run, gs.Run)
    assert run.matches()["truncated"].mean() > 0.9
    found = report(run)
    deals = run.deals(["set", "previous"])
    assert found["length"]["plays"].cells[0].units == len(deals)
    assert found["length"]["plays"].cells[0].sets == 200
    later = sum(row.cells[0].units for row in found["advantage"].rows)
    assert later == (deals["previous"] != "").sum()


def test_arms_with_rules_of_their_own_are_named_and_reported(tmp_path: Path) -> None:
    """A run of two arms, its rules by arm, as an experiment writes it."""
    folder = tmp_path / "arms"
    gs.arena("greedy", "random", sets=300, seed=7, out=folder, log="plays", workers=1)
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text())
    rules = gs.Rules.preset("guide").replace(anti_tribute_single="side")
    manifest["settings"]["arms"] = [
        {"bots": manifest["settings"]["arms"][0]["bots"]},
        {"rules": rules.switches()},
    ]
    del manifest["settings"]["arena"]
    file.write_text(json.dumps(manifest))
    found = report(folder)
    names = [arm.name for arm in found.arms]
    assert names == ["greedy-random-greedy-random", "guide(anti_tribute_single=side)"]
    exact = [arm["tribute-cancelled"]["single"].exact for arm in found.arms]
    assert exact == pytest.approx([13 / 214, 53 / 214])
    assert dict(found.facts)["rules"] == "by arm"


@pytest.mark.parametrize(
    ("bots", "rows"),
    [
        (None, None),
        (5, []),
        ({}, {}),
        ([1, None], {"deals": "many"}),
        ([{"name": "a\x1b[2Jb"}], {"deals": 10**30}),
    ],
    ids=repr,
)
def test_what_a_manifest_says_of_itself_is_not_trusted(bots: Any, rows: Any, copied: Path) -> None:
    file = copied / "manifest.json"
    manifest = json.loads(file.read_text())
    manifest["settings"]["bots"] = bots
    file.write_text(json.dumps(manifest | {"rows": rows}))
    found = report(copied, plans=100)
    assert found["length"]["plays"].cells[0].units == DEALS
    assert dict(found.facts).get("bots") in (None, r"a\x1b[2Jb")
    assert "\x1b" not in str(found)
