"""Every table of a report, worked out a second time from the rows of real runs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report_oracle import SLOPES, WHOLE, Tables, ratio_of, tables_of

import guandan_sim as gs
from guandan_sim.answers.ratios import Estimate
from guandan_sim.stats import CHAPTERS, ArmReport, StatTable, report

PLANS = 120
RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "mixed matches": ("guide", {"matches": 150, "bots": ("greedy", "random")}),
    "greedy matches": ("pagat", {"matches": 30, "bots": "greedy"}),
    "random matches": ("wikipedia", {"matches": 20, "bots": "random"}),
    "failures": ("ace_reset", {"matches": 25, "bots": ("random", "random", "random", "greedy")}),
    "deals": ("ace_reset", {"deals": 1_000, "bots": "greedy", "previous_order": "random"}),
    "openings": ("short_game", {"deals": 200, "bots": "random"}),
    "no tribute": ("guide", {"deals": 200, "bots": "greedy", "previous_order": "random"}),
    "one level": ("guide", {"deals": 200, "bots": "greedy", "level": "A"}),
}


def same(found: Estimate, wanted: tuple[float, float, int, int], exact: bool) -> bool:
    """Whether an estimate is what its terms say; sums of whole numbers to the last digit."""
    value, se, units, sets = wanted
    if (found.units, found.sets) != (units, sets):
        return False
    if math.isnan(value):
        return math.isnan(found.value)
    alike = found.value == value if exact else found.value == pytest.approx(value, rel=1e-12)
    if math.isnan(se):
        return bool(alike and math.isnan(found.se))
    low, high = found.interval
    holds = math.isnan(low) or low <= found.value <= high
    return bool(alike and found.se == pytest.approx(se, rel=1e-6, abs=1e-6) and holds)


def check_ratios(table: StatTable, tables: Tables) -> None:
    """Compare every cell of a table, and which rows it has."""
    rows = dict(tables.cells[table.key])
    slopes = table.key in SLOPES
    wanted = {}
    for label, cells in rows.items():
        found = [ratio_of(cells[at]) for at in range(len(table.measures))]
        if slopes:
            # Of what moved in no set there is no slope.
            moved = [any(above for _, above, _ in cells[at]) for at in range(len(found))]
            found = [
                cell if moves else (math.nan, math.nan, *cell[2:])
                for cell, moves in zip(found, moved, strict=True)
            ]
        values = [value for value, *_ in found if not math.isnan(value)]
        if any(values) or (values and table.key not in WHOLE):
            wanted[label] = found
    assert {row.label for row in table.rows} == set(wanted)
    for row in table.rows:
        for measure, cell, terms in zip(table.measures, row.cells, wanted[row.label], strict=True):
            assert same(cell, terms, not slopes), (table.key, row.label, measure.name, terms, cell)


def check_fit(table: StatTable, tables: Tables) -> None:
    """Compare coefficients with those of least squares on the terms that move."""
    units = tables.fits[table.key]
    terms = np.array([terms for _, terms, _ in units])
    outcomes = np.array([outcomes for _, _, outcomes in units])
    moving = np.flatnonzero(terms.std(axis=0) > 0)
    design = np.concatenate([np.ones((len(terms), 1)), terms[:, moving]], axis=1)
    beta = np.linalg.lstsq(design, outcomes)[0]
    assert len(table.rows) == len(moving)
    for row, wanted in zip(table.rows, beta[1:], strict=True):
        for cell, value in zip(row.cells, wanted, strict=True):
            assert cell.value == pytest.approx(value, rel=1e-6, abs=1e-9), (table.key, row.label)
            assert (cell.units, cell.sets) == (len(units), len({unit[0] for unit in units}))


def check(arm: ArmReport, tables: Tables, logged: bool = True) -> None:
    """Compare all tables of an arm."""
    of_tables = {table.key: table for table in arm.tables()}
    for _, statistics in CHAPTERS:
        for statistic in statistics:
            table = of_tables.get(statistic.key)
            if table is None:
                seen = statistic.key in tables.fits or any(
                    value
                    for cells in tables.cells[statistic.key].values()
                    for terms in cells.values()
                    for _, value, _ in terms
                )
                assert not seen or (statistic.plays and not logged), statistic.key
            elif statistic.key in ("values-others-equal", "turns-around"):
                check_fit(table, tables)
            else:
                check_ratios(table, tables)


@pytest.mark.parametrize("name", RUNS)
def test_every_table_is_what_the_rows_say(name: str, tmp_path: Path) -> None:
    preset, options = RUNS[name]
    rules = gs.Rules.preset(preset)
    if name == "no tribute":
        rules = rules.replace(tribute=False)
    run = gs.simulate(rules=rules, seed=17, out=tmp_path / "run", workers=2, **options)
    assert isinstance(run, gs.Run)
    found = report(run, plans=PLANS, workers=1)
    every = math.ceil(len(run.deals(["set"])) / PLANS)
    (arm,) = found.arms
    check(arm, tables_of(run, rules.pass_locks, every, preset))
    assert found.missing == ()
    assert found["outcomes"].rows[0].cells[0].units == len(run.deals(["set"]))


def test_arms_are_told_apart(tmp_path: Path) -> None:
    gs.arena("greedy", "random", sets=150, seed=18, out=tmp_path / "run", log="plays", workers=1)
    run = gs.open_run(tmp_path / "run")
    found = report(run, plans=PLANS)
    assert [arm.name for arm in found.arms] == [
        "greedy-random-greedy-random",
        "random-greedy-random-greedy",
    ]
    for number, arm in enumerate(found.arms):
        check(arm, tables_of(run, False, 3, "guide", number))
    found_beside, differences = found.beside
    won = [arm["teams"].rows[0].cells[0].value for arm in found.arms]
    assert won[0] > 0.9 > 0.1 > won[1]
    column = [measure.name for measure in found_beside.measures].index("levels of team 0")
    beside = [row.cells[column] for row in found_beside.rows]
    assert beside == [arm["teams"].rows[0].cells[1] for arm in found.arms]
    deals = run.deals().set_index(["set", "arm"])
    sweeps = (deals["first"] % 2 == deals["second"] % 2).astype(float)
    figures = (sweeps, deals["gain"].astype(float), deals["plays"].astype(float))
    (row,) = differences.rows
    for cell, figure in zip(row.cells, figures, strict=True):
        change = figure.unstack()[1] - figure.unstack()[0]
        assert cell.value == pytest.approx(change.mean())
        assert cell.se == pytest.approx(change.std() / len(change) ** 0.5)
        assert (cell.units, cell.sets) == (150, 150)


def test_without_plays_all_else_is_the_same(tmp_path: Path) -> None:
    reports = {}
    for log in ("plays", "deals"):
        run = gs.simulate(
            matches=30, bots="greedy", seed=19, out=tmp_path / log, log=log, workers=1
        )
        assert isinstance(run, gs.Run)
        reports[log] = report(run)
    tables = {log: found.as_dict()["arms"][0]["tables"] for log, found in reports.items()}
    of_plays = {each.key for _, some in CHAPTERS for each in some if each.plays}
    assert of_plays == set(tables["plays"]) - set(tables["deals"])
    assert all(tables["plays"][key] == table for key, table in tables["deals"].items())
    assert reports["deals"].missing == (
        "plays were not logged (--log plays): nothing is said of how deals are played",
    )
