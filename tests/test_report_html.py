"""Reports as HTML: one file that needs nothing else, with every number, whatever a run's name."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

import guandan_sim as gs
from guandan_sim.answers.ratios import Estimate
from guandan_sim.answers.statistic import GAIN, WON, Measure
from guandan_sim.errors import OptionError, RunError
from guandan_sim.figures import Drawing, axis_range, drawing
from guandan_sim.intervals import UNKNOWN
from guandan_sim.reporthtml import report_html, write_html
from guandan_sim.reportpage import interval_text, value_text
from guandan_sim.stats import ArmReport, Report, Row, StatTable, report

#: Elements without an end.
VOID = {"br", "meta"}
HOSTILE = "<script>alert('x & y')</script>\x1b[2J\udcff\u202e]]>"
HOLDS = "&lt;script&gt;alert(&#x27;x &amp; y&#x27;)&lt;/script&gt;\\x1b[2J\\udcff\\u202e]]&gt;"


class Page(HTMLParser):
    """A page as a browser reads it: its elements, ids and texts; fails where ends do not fit."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def values(self, name: str) -> list[str]:
        return [value for _, key, value in self.attributes if key == name]


def cell(value: float, margin: float = 0.01, units: int = 1_234) -> Estimate:
    interval = UNKNOWN if math.isnan(margin) else (value - margin, value + margin)
    return Estimate(value, margin / 2, interval, units, units)


def table(
    key: str,
    rows: dict[str, list[Estimate]],
    measures: tuple[Measure, ...] = (WON, GAIN),
    figure: str = "bars",
    exact: dict[str, float] | None = None,
) -> StatTable:
    return StatTable(
        key,
        f"Title of {key}",
        "First `gs.plan` of it.\n\nSecond, ``a < b``.",
        "deals",
        "row of it",
        measures,
        tuple(Row(name, tuple(cells), (exact or {}).get(name)) for name, cells in rows.items()),
        figure,
    )


def made(*tables: StatTable, **changes: object) -> Report:
    arm = ArmReport("greedy", (("A chapter", tables), ("Empty", ())))
    whole = Report("runs/x", (("rules", "guide"), ("seed", "5")), (arm,), (), (), 0.95)
    return replace(whole, **changes)  # type: ignore[arg-type]


@pytest.fixture(scope="module", name="of_matches")
def a_report_of_matches(tmp_path_factory: pytest.TempPathFactory) -> Report:
    out = tmp_path_factory.mktemp("run") / "x"
    gs.simulate(matches=20, bots="greedy", seed=1, log="plays", out=out)
    return report(out, plans=100, workers=1)


@pytest.fixture(scope="module", name="page")
def its_page(of_matches: Report) -> str:
    return report_html(of_matches)


def test_the_file_is_well_formed_and_needs_nothing_else(page: str) -> None:
    read = Page(page)
    ElementTree.fromstring(page.partition("\n")[2])
    assert "://" not in page
    assert not {"script", "link", "img", "image", "iframe", "object", "base"} & set(read.tags)
    assert not {"src", "srcset", "data", "action"} & {name for _, name, _ in read.attributes}
    assert all(value.startswith("#") for value in read.values("href"))
    assert "@import" not in page
    assert set(re.findall(r"url\((.)", page)) <= {"#"}
    assert '<meta name="viewport" content="width=device-width, initial-scale=1"/>' in page
    assert "prefers-color-scheme: dark" in page


def test_every_link_has_its_place_and_no_place_is_there_twice(page: str) -> None:
    read = Page(page)
    names = read.values("id")
    assert len(names) == len(set(names))
    assert {value[1:] for value in read.values("href")} <= set(names)
    assert set(read.values("aria-labelledby")) <= set(names)


def test_every_table_is_there_with_its_numbers_and_what_it_is(
    of_matches: Report, page: str
) -> None:
    text = unescape(re.sub(r"<[^>]+>", "", page))
    sections = dict(re.findall(r'<section><h3 id="([^"]+)">(.*?)</section>', page, re.DOTALL))
    tables = list(of_matches.arms[0].tables())
    assert [*sections] == [each.key for each in tables]
    for each in tables:
        section = sections[each.key]
        assert section.count("<tr>") == 1 + len(each.rows)
        assert unescape(section).count(each.title) >= 1
        assert ("<svg" in section) == bool(each.figure)
        assert "<summary>What this is</summary>" in section
        words = " ".join(each.definition.split("\n\n")[-1].replace("`", "").split())
        assert words in text
        shown = unescape(re.sub(r"<[^>]+>", "", section.partition("<tbody>")[2]))
        for row in each.rows:
            for measure, found in zip(each.measures, row.cells, strict=True):
                both = f"{value_text(found, measure)} {interval_text(found, measure)}".strip()
                assert both in shown
                assert f"{found.units:,}" in shown
            if row.exact is not None:
                assert format(100 * row.exact, ".2f") in shown


def test_the_head_says_which_run_it_is(of_matches: Report, page: str) -> None:
    head = page.partition("<nav>")[0]
    for name, value in of_matches.shown_facts():
        assert f"<dt>{name}</dt><dd>{value}</dd>" in head
    assert f"<h1>Report of {of_matches.place}</h1>" in head
    assert "95% intervals" in head
    assert "nothing is said" not in head


def test_figures_are_small(page: str) -> None:
    assert len(page) < 300_000


def test_a_run_without_plays_is_said_to_be_one(tmp_path: Path) -> None:
    gs.simulate(deals=60, bots="greedy", seed=2, log="deals", out=tmp_path / "run")
    found = report(tmp_path / "run", plans=0, workers=1)
    found.html(tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text("utf-8")
    Page(page)
    (text,) = found.missing
    assert f'<p class="missing">{text}</p>' in page
    assert 'id="outcomes"' in page
    assert 'id="first-plays"' not in page
    assert [entry.name for entry in tmp_path.iterdir() if entry.is_file()] == ["x.html"]


def test_several_arms(page: str) -> None:
    tables = table("a", {"one": [cell(0.5), cell(0.25)]}), table("b", {"two": [cell(0.1)]}, (WON,))
    arms = tuple(ArmReport(name, (("A chapter", tables),)) for name in ("first", "second", "third"))
    beside = table("arms", {name: [cell(0.5)] for name in ("first", "second", "third")}, (WON,), "")
    text = report_html(made(arms=arms, beside=(beside,)))
    read = Page(text)
    assert read.values("open") == ["open"]
    assert text.count('<details class="arm"') == 3
    assert len(read.values("id")) == len(set(read.values("id")))
    assert {value[1:] for value in read.values("href")} <= set(read.values("id"))
    assert {"arms", "a", "1-a", "2-b", "arm-0", "arm-2", "2-chapter-a-chapter"} <= {
        *read.values("id")
    }
    assert text.index('id="arms"') < text.index('id="arm-0"') < text.index('id="1-a"')
    assert text.count("<svg") == 6
    assert 'class="arm"' not in page


def test_figures_of_many_arms_are_those_of_the_first() -> None:
    arms = tuple(
        ArmReport(f"arm of {n}", (("A chapter", (table("a", {"one": [cell(0.5), cell(0.1)]}),)),))
        for n in range(9)
    )
    text = report_html(made(arms=arms))
    assert text.count("<svg") == 1
    assert "Figures are of arm 0" in text
    assert text.count("<table>") == 9


def test_text_of_a_run_is_escaped() -> None:
    tables = (table("a", {HOSTILE: [cell(0.5), cell(0.25)]}),)
    arms = tuple(ArmReport(f"{HOSTILE}{n}", ((HOSTILE, tables),)) for n in range(2))
    beside = table("arms", {arm.name: [cell(0.5)] for arm in arms}, (WON,), "")
    facts = ((HOSTILE, HOSTILE),)
    text = report_html(Report(HOSTILE, facts, arms, (beside,), (HOSTILE,), 0.95))
    Page(text)
    ElementTree.fromstring(text.partition("\n")[2])
    assert "<script" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert f"<h1>Report of {HOLDS}</h1>" in text
    assert f"<dt>{HOLDS}</dt><dd>{HOLDS}</dd>" in text
    assert f'<p class="missing">{HOLDS}</p>' in text
    assert f"Arm 1: {HOLDS}1" in text
    assert f'<th scope="row">{HOLDS}</th>' in text
    text.encode()


def test_a_folder_and_bots_of_hostile_names(tmp_path: Path) -> None:
    name = "<b>&amp; $x_1$ 掼蛋"
    gs.simulate(deals=40, bots="greedy", seed=2, log="deals", out=tmp_path / name)
    path = tmp_path / f"{name}.html"
    report(tmp_path / name, plans=0, workers=1).html(str(path))
    text = path.read_text("utf-8")
    Page(text)
    assert "&lt;b&gt;&amp;amp; $x_1$ 掼蛋</h1>" in text


def test_definitions_are_paragraphs_with_code() -> None:
    text = report_html(made(table("a", {"one": [cell(0.5), cell(0.1)]})))
    assert "<p>First <code>gs.plan</code> of it.</p><p>Second, <code>a &lt; b</code>.</p>" in text


def test_units_stand_behind_the_measures_that_they_are_of() -> None:
    cells = [cell(0.5), cell(0.25), cell(0.125, units=77)]
    measures = (WON, GAIN, Measure("last", "share"))
    text = report_html(made(table("a", {"one": cells}, measures, exact={"one": 0.5001})))
    heads = re.findall(r'<th scope="col">(.*?)</th>', text)
    assert heads == ["row of it", "won, %", "exact", "levels", "deals", "last, %", "deals"]
    cells_of_row = [re.sub("<[^>]+>", "", found) for found in re.findall(r"<td>(.*?)</td>", text)]
    assert cells_of_row == [
        "50.00 [49.00, 51.00]",
        "50.01",
        "+0.250 [+0.240, +0.260]",
        "1,234",
        "12.50 [11.50, 13.50]",
        "77",
    ]


def test_what_is_unknown_is_shown_as_such() -> None:
    unknown = Estimate(math.nan, math.nan, UNKNOWN, 0, 0)
    rows = {"nothing": [unknown, unknown], "no interval": [cell(0.5, math.nan), cell(1, math.nan)]}
    for figure in ("bars", "line"):
        text = report_html(made(table("a", rows, figure=figure)))
        Page(text)
        assert "<td>-</td><td>-</td><td>0</td>" in text
        assert "<td>50.00</td><td>+1.000</td>" in text
        assert "nan" not in text
        assert "<svg" in text
    nothing = {"nothing": [unknown, unknown]}
    assert "<svg" not in report_html(made(table("a", nothing)))
    assert "nan" not in report_html(made(table("a", nothing)))


def drawn(found: StatTable) -> Drawing:
    result = drawing(found)
    assert result is not None
    return result


@pytest.mark.parametrize("figure", ["bars", "line"])
def test_figures_name_rows_and_measures(figure: str) -> None:
    rows = {"one": [cell(0.5), cell(0.25)], "the second one, longer": [cell(0.4), cell(-0.5)]}
    svg = drawn(table("a", rows, figure=figure)).svg
    text = " ".join(ElementTree.fromstring(svg).itertext())
    words = re.findall(r"<text[^>]*>([^<]+)</text>", svg)
    assert "one" in words
    assert "longer" in text
    if figure == "bars":
        assert {"won, %", "levels"} <= set(words)
        whiskers = re.findall(r'<path d="([^"]+)" style="fill:none;stroke:var\(--s0\)', svg)
        assert sum(path.count("M") for path in whiskers) == 4
        assert svg.count("<use") == 4
    else:
        assert {"%", "won", "levels", "row of it"} <= set(words)
    assert "currentColor" in svg
    assert "var(--s0)" in svg
    assert "#01" not in svg
    assert not re.search(r"DejaVu|matplotlib|xmlns", svg)


def test_notes_say_how_figures_are_read() -> None:
    rows = {"one": [cell(0.5), cell(0.1)], "two": [cell(0.52), cell(0.2)]}
    rows["few"] = [cell(0.5, 0.4), cell(0.1, 2.0)]
    found = drawn(table("a", rows, exact={"one": 0.51}))
    assert found.notes == (
        "dashed: 50% or 0",
        "arrows: on beyond the axis",
        "upright ticks: exact by the rules",
    )
    of_shares = drawn(table("a", {"one": [cell(0.5)]}, (Measure("of all", "share"),)))
    assert of_shares.notes == ()


def test_rows_of_few_units_do_not_squash_the_others() -> None:
    sure = [(value, value - 1, value + 1) for value in (50.0, 51.0, 52.0)]
    assert axis_range(sure) == (49.0, 53.0)
    assert axis_range([*sure, (50.0, 5.0, 95.0)]) == (49.0, 53.0)
    assert axis_range([*sure, (90.0, 60.0, 99.0)]) == (49.0, 53.0)
    # A far value that is sure counts.
    assert axis_range([*sure, (80.0, 78.0, 82.0)]) == (49.0, 82.0)
    assert axis_range([*sure, (80.0, 74.0, 86.0)]) == (49.0, 86.0)
    # Nothing is sure: all count.
    assert axis_range([(1.0, -9.0, 11.0), (2.0, -18.0, 22.0)]) == (-18.0, 22.0)


def test_marks_stand_on_an_axis_if_they_leave_room() -> None:
    rows = [(48.0, 47.0, 49.0)]
    assert axis_range(rows, marks=(50.0,)) == (47.0, 50.0)
    assert axis_range(rows, marks=(60.0,)) == (47.0, 49.0)
    assert axis_range(rows, begin=0.0) == (0.0, 49.0)


def test_an_axis_has_a_length_whatever_is_known() -> None:
    nan = math.nan
    assert axis_range([]) == (-0.5, 0.5)
    assert axis_range([(3.0, nan, nan)]) == (2.5, 3.5)
    assert axis_range([(3.0, nan, nan), (4.0, nan, nan)]) == (3.0, 4.0)
    assert axis_range([(nan, nan, nan)]) == (-0.5, 0.5)


def test_the_same_report_has_the_same_bytes(of_matches: Report, page: str, tmp_path: Path) -> None:
    write_html(of_matches, tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text("utf-8") == page


def test_settings_of_matplotlib_change_nothing_and_are_not_changed() -> None:
    import matplotlib

    rows = table("a", {"one": [cell(0.5), cell(0.25)]})
    before = drawn(rows)
    with matplotlib.rc_context({"font.size": 30, "grid.linestyle": "--", "svg.fonttype": "path"}):
        settings = dict(matplotlib.rcParams)
        assert drawn(rows) == before
        assert dict(matplotlib.rcParams) == settings


def test_another_process_draws_the_same_without_pyplot() -> None:
    program = (
        "import sys\n"
        "from test_report_html import cell, drawn, table\n"
        "print(drawn(table('a', {'one': [cell(0.5), cell(0.25)]})).svg)\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    command = [sys.executable, "-W", "error", "-c", program]
    tests = Path(__file__).parent
    done = subprocess.run(command, check=True, cwd=tests, capture_output=True, text=True)
    assert done.stdout == drawn(table("a", {"one": [cell(0.5), cell(0.25)]})).svg + "\n"


def test_without_matplotlib_it_is_said_what_is_needed(
    of_matches: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = r"^figures need matplotlib: pip install 'guandan-sim\[report\]'$"
    with pytest.raises(OptionError, match=message):
        of_matches.html(tmp_path / "x.html")
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    found = made(table("a", {"one": [cell(0.5), cell(0.25)]}))
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("kept")
    os.mkfifo(tmp_path / "pipe")
    for path, why in (
        (tmp_path / "none" / "x.html", f"there is no folder {tmp_path / 'none'}"),
        (tmp_path / "folder", "it is there and no file"),
        (tmp_path / "file" / "x.html", f"there is no folder {tmp_path / 'file'}"),
        (tmp_path / "pipe", "it is there and no file"),
        (tmp_path / ("x" * 300), "File name too long"),
    ):
        with pytest.raises(RunError) as error:
            write_html(found, path)
        assert str(error.value) == f"cannot write {path}: {why}"
    with pytest.raises(RunError, match=r"^cannot write a\\x00\\n: embedded null byte$"):
        write_html(found, "a\0\n")
    with pytest.raises(RunError, match=r"^cannot write '': it is there and no file$"):
        write_html(found, "")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "folder", "pipe"]
    assert (tmp_path / "file").read_text() == "kept"
    assert list((tmp_path / "folder").iterdir()) == []


def test_a_failure_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.html"
    path.write_text("before")

    def failing(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(RunError, match=r"^cannot write .*x\.html: No space left on device$"):
        write_html(made(table("a", {"one": [cell(0.5), cell(0.25)]})), path)
    assert path.read_text() == "before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.html"]


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "x.html").symlink_to("y.html")
    write_html(made(table("a", {"one": [cell(0.5), cell(0.25)]})), tmp_path / "x.html")
    assert (tmp_path / "x.html").is_symlink()
    assert "</html>" in (tmp_path / "y.html").read_text("utf-8")
