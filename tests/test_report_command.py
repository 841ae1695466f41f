"""`guandan-sim report` as it is typed, and reports as they are handled in Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from regenerate_pages import ROOT

import guandan_sim as gs
from guandan_sim.cli import main

SMALL = str(ROOT / "data" / "small")


@pytest.fixture(scope="module", name="rules")
def an_experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report") / "rules"
    gs.experiment("rules", sets=300, against=["pagat"], seed=2, out=folder, workers=1)
    return folder


@pytest.fixture(scope="module", name="report")
def the_report() -> gs.Report:
    return gs.report(SMALL, plans=500)


def test_all_tables_are_printed_with_their_keys(
    report: gs.Report, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", SMALL, "--plans", "500", "-q"]) == 0
    out = capsys.readouterr().out
    assert out == f"{report}\n"
    lines = out.splitlines()
    for table in report.arms[0].tables():
        assert f"{table.title}  ({table.key})" in lines
    assert max(map(len, lines)) <= 100
    assert "  matches    1,400" in lines


def test_counts_stand_behind_the_measures_that_they_are_of(report: gs.Report) -> None:
    table = report["cards-given"]
    of = [cell.units for cell in table["A"].cells]
    assert len(set(of)) == 3
    rows = [line.split() for line in str(table).splitlines() if line.startswith("  A ")]
    shown = [word for row in rows for word in row if word.replace(",", "").isdigit()]
    assert shown == [f"{units:,}" for units in of]


def test_one_table_alone_with_its_definition(
    report: gs.Report, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["report", SMALL, "--plans", "500", "-q", "--table", "teams", "--table", "length"]
    assert main(words) == 0
    assert capsys.readouterr().out == f"{report['teams']}\n\n{report['length']}\n"
    assert main([*words[:5], "--table", "length", "--definitions"]) == 0
    assert "Plays of cards in a deal, passes not counted." in capsys.readouterr().out


def test_json_is_what_as_dict_says(report: gs.Report, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", SMALL, "--plans", "500", "-q", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(report.as_dict()))


def test_arms_are_named_and_compared_set_by_set(
    rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(rules), "--plans", "0", "-q", "--arm", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "arm 1: pagat" in lines
    assert "Arms less the first, guide, set by set  (differences)" in lines
    found = gs.report(rules, plans=0)
    assert [arm.name for arm in found.arms] == ["guide", "pagat"]
    assert [table.key for table in found.beside] == ["arms", "differences"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--table values-of-all", "--table is 'values-of-all'; there are outcomes, teams, matches"),
        ("--arm 7", "--arm is 7; {run} has one arm, 0"),
        ("--arm x", "--arm is 'x'; a whole number from 0 to"),
        ("--plans -1", "--plans is '-1'"),
        ("--workers 0", "--workers is '0'"),
        ("--html -", "--html is '-': name a file"),
    ],
)
def test_bad_input_is_said(words: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", SMALL, "-q", *words.split()]) == 2
    assert said.format(run=SMALL) in capsys.readouterr().err


def test_no_run_there_and_a_page_that_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(tmp_path)]) == 2
    assert "error: " in capsys.readouterr().err
    assert main(["report", SMALL, "--html", str(tmp_path / "none" / "x.html")]) == 1
    assert "there is no folder" in capsys.readouterr().err


def test_a_table_that_the_run_does_not_have(
    rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(rules), "-q", "--table", "last-hand"]) == 2
    assert "--table is 'last-hand', of which this run says nothing" in capsys.readouterr().err


def test_reports_are_handled_like_mappings(report: gs.Report) -> None:
    assert list(report) == report.keys() == [table.key for table in report.arms[0].tables()]
    assert "values" in report
    assert "value" not in report
    assert len(repr(report)) < 200
    assert repr(report["teams"]) == "StatTable('teams': 2 rows)"
    assert report["teams"]._repr_html_().count("<tr>") == 3
    with pytest.raises(KeyError, match="is no table of this report"):
        report["value"]


def test_means_have_no_impossible_intervals(tmp_path: Path) -> None:
    run = gs.simulate(deals=12, bots="greedy", previous_order="random", seed=6, out=tmp_path / "r")
    assert isinstance(run, gs.Run)
    clipped = 0
    for table in gs.report(run).arms[0].tables():
        for row in table.rows:
            for cell, measure in zip(row.cells, table.measures, strict=True):
                low, high = cell.interval
                if measure.name.startswith("levels") and not table.key.startswith("values"):
                    assert not low < -3
                    assert not high > 3
                    clipped += low == -3 or high == 3
    assert clipped > 3
