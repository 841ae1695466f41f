"""Reading some rows of a run: filters, columns of the rows above, and broken files on the way."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from made_runs import COUNT, copied_run, finished_run, make_rows, write_run_of_deals
from readings import in_small_groups, part_of

from guandan_sim.errors import RunError
from guandan_sim.runs import Run, open_run
from guandan_sim.schemas import TABLES, WORDS

made = pytest.fixture(scope="module", name="made")(finished_run)
copy = pytest.fixture(name="copy")(copied_run)

F = pc.field


@pytest.fixture(scope="module", name="small")
def in_small_row_groups(tmp_path_factory: pytest.TempPathFactory, made: Path) -> Path:
    return in_small_groups(copied_run(made, tmp_path_factory.mktemp("small")))


def is_bomb(frame: pd.DataFrame) -> Any:
    return frame["shape"] == "bomb"


FILTERS: dict[str, tuple[Any, Callable[[pd.DataFrame], Any]]] = {
    "a word": (F("shape") == "bomb", is_bomb),
    "words": (F("rank").isin(["2", "", "HR"]), lambda f: f["rank"].isin(["2", "", "HR"])),
    "not a word": (F("shape") != "bomb", lambda f: ~is_bomb(f)),
    "a set": (F("set") == 1500, lambda f: f["set"] == 1500),
    "sets": (
        (F("set") >= 1000) & (F("set") < 1100) | (F("set") == 2499),
        lambda f: f["set"].between(1000, 1099) | (f["set"] == 2499),
    ),
    "no rows": (F("set") > COUNT, lambda f: f["set"] > COUNT),
    "no filters": ([], lambda f: f["set"] >= 0),
    "all rows": (pc.scalar(True), lambda f: f["set"] >= 0),
    "two columns": (F("ply") < F("seat"), lambda f: f["ply"] < f["seat"]),
    "a derived column": (F("one") > 1 << 40, lambda f: f["one"] > 1 << 40),
    "tuples": (
        [("shape", "==", "bomb"), ("size", ">", 50)],
        lambda f: is_bomb(f) & (f["size"] > 50),
    ),
    "lists of tuples": (
        [
            [("shape", "in", ["bomb", "pair"]), ("size", ">", 50)],
            [("rank", "not in", WORDS["rank"][3:])],
        ],
        lambda f: (
            f["shape"].isin(["bomb", "pair"]) & (f["size"] > 50) | f["rank"].isin(WORDS["rank"][:3])
        ),
    ),
    "a column of the deal": (
        [("deals.level", "=", "A"), ("shape", "!=", "bomb")],
        lambda f: (f["deals.level"] == "A") & ~is_bomb(f),
    ),
    "a column of the match": (F("matches.deals") < 100, lambda f: f["matches.deals"] < 100),
}


@pytest.fixture(scope="module", name="whole")
def everything(made: Path) -> pd.DataFrame:
    return joined(open_run(made))


def joined(run: Run) -> pd.DataFrame:
    """Every play, with columns of its deal and match: put together by pandas."""
    plays = run.plays([*TABLES["plays"].by_name])
    for name in ("deals", "matches"):
        table: pd.DataFrame = getattr(run, name)()
        key = [*TABLES[name].key]
        table = table.rename(columns={c: f"{name}.{c}" for c in table if c not in key})
        plays = plays.merge(table, on=key, how="left", validate="many_to_one")
    return plays


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("groups", ["made", "small"])
def test_filters_give_the_rows_that_pandas_gives(
    groups: str, name: str, whole: pd.DataFrame, request: pytest.FixtureRequest
) -> None:
    run = open_run(request.getfixturevalue(groups))
    where, expected = FILTERS[name]
    frame = whole[expected(whole)].reset_index(drop=True)
    assert name == "no rows" or len(frame) > 0
    shown = [*TABLES["plays"].shown]
    assert run.plays(where=where).equals(frame[shown])
    some = ["deals.tribute", "rank", "one", "matches.winner"]
    assert run.plays(some, where).equals(frame[some])
    arrays = [batch["deals.tribute"] for batch in run.arrays("plays", ["deals.tribute"], where)]
    codes = frame["deals.tribute"].cat.codes
    np.testing.assert_array_equal(np.concatenate([np.zeros(0, np.int8), *arrays]), codes)


@pytest.mark.parametrize("name", TABLES)
def test_every_table_filters(made: Path, name: str) -> None:
    run = open_run(made)
    read = getattr(run, name)
    frame = read()
    expected = frame[frame["set"].between(1020, 1030)].reset_index(drop=True)
    pd.testing.assert_frame_equal(read(where=(F("set") >= 1020) & (F("set") <= 1030)), expected)
    assert 0 < len(expected) < len(frame)


def test_gifts_and_deals_have_columns_of_their_match(small: Path) -> None:
    run = open_run(small)
    for name, above in (("tributes", ("deals", "matches")), ("deals", ("matches",))):
        frame = getattr(run, name)()
        for table in above:
            key = [*TABLES[table].key]
            frame = frame.merge(
                getattr(run, table)([*key, "level0"]).rename(columns={"level0": f"{table}.level0"}),
                on=key,
            )
        wanted = ["set", *(f"{table}.level0" for table in above)]
        pd.testing.assert_frame_equal(getattr(run, name)(wanted), frame[wanted])


def test_only_the_parts_that_may_hold_the_sets_are_opened(copy: Path) -> None:
    for first in (0, 2048):
        part_of(copy, "plays", first).write_bytes(b"")
    run = open_run(copy)
    assert len(run.plays(["size"], where=F("set") == 1500)) == 3
    assert len(run.plays(where=[("set", "in", [1030, 2000]), ("ply", "<", 2)])) == 4
    with pytest.raises(RunError, match=r"000000002048\.parquet cannot be read"):
        run.plays(where=F("set") == 2050)
    with pytest.raises(RunError, match=r"000000000000\.parquet cannot be read"):
        run.plays(where=(F("set") == 1500) | (F("size") > 250))


def test_only_the_columns_that_are_needed_are_read(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, tuple[str, ...]]] = []
    read = pq.ParquetFile.read_row_group

    def recording(file: pq.ParquetFile, group: int, columns: list[str]) -> Any:
        asked.append((group, tuple(columns)))
        return read(file, group, columns=columns)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", recording)
    frame = open_run(small).plays(["rank", "size"], where=[("set", "=", 1100), ("size", ">=", 0)])
    assert len(frame) == 3
    groups = pq.read_metadata(part_of(small, "plays", 1024)).num_row_groups
    assert [names for _, names in asked].count(("set", "size")) == groups
    rest = [group for group, names in asked if names == ("rank",)]
    assert len(asked) == groups + len(rest)
    assert len(rest) == 1


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (
            F("colour") == 1,
            "where: plays has no column 'colour': only set, arm, .*and \\d\\d more .SCHEMA.md",
        ),
        ([("colour", "==", 1)], "where: plays has no column 'colour': only set"),
        ([(3, "==", 1)], "where: plays has no column 3"),
        (F("shape") == 3, "where: .shape == 3. cannot be worked out: shape holds words$"),
        (F("size").isin(["x"]), "where: is_in.* cannot be worked out: size is uint8$"),
        (F("rank") > "9", "plays.rank holds words, which have no order: use isin"),
        (pc.scalar("9") > F("deals.level"), "plays.deals.level holds words, which have no order"),
        ([("rank", ">", "9")], "plays.rank holds words, which have no order: use in, not '>'"),
        ([("shape", "==", "bom")], "plays.shape is never 'bom': only 'pass', 'single', 'pair'"),
        ([("shape", "in", ["bomb", "bom"])], "plays.shape is never 'bom'"),
        ([("shape", "in", "bomb")], "plays.shape in 'bomb': must be a list of words"),
        ([("shape", "==", ["bomb"])], "plays.shape == .'bomb'.: must be a word"),
        ([("size", "like", 3)], "'like' is none of ==, =, !=, <, <=, >, >=, in, not in"),
        ([("size", "in", 3)], "plays.size in 3: must be a list of numbers"),
        ([("size", "==")], r"\('size', '=='\) must be a pyarrow expression or a list of filters"),
        (("size", "==", 3), "where: 'size' must be a pyarrow expression"),
        ("size > 3", "where: 'size > 3' must be a pyarrow expression"),
        ({"size": 3}, "where: {'size': 3} must be a pyarrow expression"),
        (3, "where: 3 must be"),
        ([[]], "must be a pyarrow expression"),
        ([("size", "==", object())], "plays.size == <object.*: must be a number"),
        ([("size", "==", 2**70)], "must be a pyarrow expression or a list"),
        (F("size"), "where: size is uint8: must be true or false for each row"),
        (F("set") + 1, "is int64: must be true or false"),
        (F(0) == 3, "is not about columns by their names"),
        (F("set", "x") == 3, "is not about columns by their names"),
        (pc.divide(F("size"), 0) > 3, "divide by zero"),
        (F("set") * 2**62 * 8 > 0, "overflow"),
    ],
)
def test_what_is_no_filter_is_refused(made: Path, where: Any, message: str) -> None:
    run = open_run(made)
    for read in (run.plays, lambda where: run.aggregate("plays", {"n": "count"}, where=where)):
        with pytest.raises(RunError, match=message) as error:
            read(where=where)
        assert "\n" not in str(error.value)
    with pytest.raises(RunError, match=message):
        # At once, not when the first batch is asked for; a division is by the rows.
        [*run.batches("plays", where=where)]


def test_columns_above_that_are_not_there(made: Path, tmp_path: Path) -> None:
    run = open_run(made)
    for name, near in (("dels.level", "deals.level"), ("deals.set", "deals.last")):
        with pytest.raises(RunError, match=rf"no column '{name}' .{near}\?.: only set, arm"):
            run.plays([name])
    for name in ("tributes.card", "plays.rank"):
        with pytest.raises(RunError, match=f"plays has no column '{name}'.*: only set"):
            run.plays([name])
    with pytest.raises(RunError, match=r"matches has no column 'deals.level'"):
        run.matches(["deals.level"])
    deals = write_run_of_deals(tmp_path / "run", "deals")
    with pytest.raises(RunError, match=r"tributes has no column 'matches.winner'"):
        deals.tributes(["matches.winner"])


# Broken files


def spoil(file: Path, change: Callable[[Any], Any]) -> None:
    pq.write_table(change(pq.read_table(file)), file)


@pytest.mark.parametrize(
    ("table", "change", "message"),
    [
        ("deals", lambda t: t.slice(1), "set 1024, arm 0, deal 0 has no row in deals"),
        ("deals", lambda t: t.slice(0, t.num_rows - 1), "set 2047, arm 0, deal 1 has no row in"),
        (
            "deals",
            lambda t: t.take([*range(t.num_rows)][::-1]),
            "the rows of deals are out of order",
        ),
        ("deals", lambda t: t.take([0, *range(t.num_rows)]), "the rows of deals are out of order"),
        (
            "plays",
            lambda t: t.take([*range(t.num_rows)][::-1]),
            "the rows of plays are out of order",
        ),
        (
            "plays",
            lambda t: t.set_column(0, t.schema.field(0), [np.full(t.num_rows, -5)]),
            "plays/part-000000001024.parquet: plays begins with set -5 in the part of sets 1024 to",
        ),
        (
            "deals",
            lambda t: t.set_column(0, t.schema.field(0), [np.full(t.num_rows, 1 << 62)]),
            f"deals/part-000000001024.parquet: deals begins with set {1 << 62} in the part of sets",
        ),
    ],
)
def test_tables_that_do_not_fit_together(
    copy: Path, table: str, change: Callable[[Any], Any], message: str
) -> None:
    spoil(part_of(copy, table, 1024), change)
    run = open_run(copy)
    for read in (
        lambda: run.plays(["deals.level"]),
        lambda: run.plays(["rank"], where=[("deals.level", "=", "A")]),
        lambda: run.aggregate("plays", {"n": "count"}, by="deals.level"),
        lambda: [*run.per_deal({"n": "count"})],
    ):
        with pytest.raises(RunError, match=message) as error:
            read()
        assert "/part-000000001024.parquet" in str(error.value)


def readings(folder: Path) -> list[str]:
    """What each way of reading says of a run that may be broken; whether it says anything."""
    said = []
    for read in (
        lambda run: run.plays(["rank"], where=F("set") == 1100),
        lambda run: run.plays(["deals.level"], where=F("shape") == "bomb"),
        lambda run: run.aggregate("plays", {"n": ("size", "sum")}, by=["shape", "deals.level"]),
        lambda run: [*run.per_deal({"n": "count", "most": ("size", "max")})],
        lambda run: run.dataset("plays").to_table(columns=["size"]),
    ):
        try:
            read(open_run(folder))
        except RunError as error:
            said.append(str(error))
        except OSError:
            said.append("pyarrow's own reading")
    assert not any("\n" in text for text in said)
    return said


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("table", ["plays", "deals"])
def test_flipped_bytes_are_an_error_and_nothing_worse(copy: Path, table: str, seed: int) -> None:
    file = part_of(copy, table, 1024)
    data = bytearray(file.read_bytes())
    footer = struct.unpack("<I", data[-8:-4])[0]
    random = np.random.default_rng(seed)
    # Half of them in the footer, where lengths and types are.
    low = len(data) - 8 - footer if seed % 2 else 0
    data[int(random.integers(low, len(data)))] ^= 1 << int(random.integers(8))
    file.write_bytes(data)
    for said in readings(copy):
        assert "part-000000001024" in said or said == "pyarrow's own reading"


@pytest.mark.parametrize("length", [0, 3, 500, -1, -9])
def test_files_cut_short_are_an_error(copy: Path, length: int) -> None:
    file = part_of(copy, "plays", 1024)
    file.write_bytes(file.read_bytes()[:length])
    said = readings(copy)
    assert len(said) == 5
    assert all(f"{file} cannot be read" in text for text in said)


@pytest.mark.parametrize("length", [0, 1, 7, 9, 100])
def test_broken_statistics_are_never_looked_at(copy: Path, made: Path, length: int) -> None:
    """pyarrow ends the process on some of them, in `.statistics` and in datasets' filters."""
    file = part_of(copy, "plays", 1024)
    data = file.read_bytes()
    least = pq.read_metadata(file).row_group(0).column(0).statistics.min
    size = struct.unpack("<I", data[-8:-4])[0]
    footer = data[-8 - size : -8]
    whole = b"\x18\x08" + struct.pack("<q", least)
    assert whole in footer
    footer = footer.replace(whole, b"\x18" + bytes([length]) + b"\7" * length)
    file.write_bytes(data[: -8 - size] + footer + struct.pack("<I", len(footer)) + b"PAR1")
    where = [("set", "in", [1030, 1100]), ("ply", "<", 2)]
    if length >= 8:
        pd.testing.assert_frame_equal(
            open_run(copy).plays(where=where), open_run(made).plays(where=where)
        )
    said = readings(copy)
    assert all("000000001024.parquet cannot be read: Unexpected end" in text for text in said)
    assert len(said) == (0 if length >= 8 else 5)


def test_a_filter_leaves_links_out_of_the_run_alone(copy: Path, tmp_path: Path) -> None:
    file = part_of(copy, "deals", 0)
    file.rename(tmp_path / "elsewhere.parquet")
    file.symlink_to(tmp_path / "elsewhere.parquet")
    for read in (
        lambda run: run.plays(["deals.level"]),
        lambda run: [*run.per_deal({"n": "count"})],
    ):
        with pytest.raises(RunError, match="leads outside the run"):
            read(open_run(copy))


def test_a_run_that_claims_vast_sets_is_filtered_all_the_same(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["settings"] |= {"count": 2**61, "part_sets": 1024}
    (copy / "manifest.json").write_text(json.dumps(manifest | {"status": "running"}))
    assert len(open_run(copy).plays(where=F("set") == 1500)) == 3
    assert make_rows(1500, 1501)["plays"]["set"].size == 3
