"""Parts of a run: the content hash, the files and what failures leave, words and their page."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from made_runs import (
    COUNT,
    files_in,
    finished_run,
    make_rows,
    write_part,
    write_rows,
    write_run,
    write_run_of_deals,
)

from guandan_sim.columns import Columns
from guandan_sim.errors import RunError
from guandan_sim.hashing import BlockHasher, PartSummary, content_hash
from guandan_sim.parts import GROUP_ROWS, PartWriter, read_part
from guandan_sim.runs import open_run
from guandan_sim.schemas import (
    CARD_INDEX,
    CARD_NUMBER,
    FINISH_INDEX,
    LEVEL_INDEX,
    TABLES,
    WORDS,
    tables_of,
)

made = pytest.fixture(scope="module", name="made")(finished_run)


def digests(name: str, first: int, stop: int, steps: list[int]) -> tuple[bytes, ...]:
    """A table's block digests when its rows come in batches of the given sizes, over and over."""
    columns = make_rows(first, stop)[name]
    hasher = BlockHasher(TABLES[name], first, stop)
    done = turn = 0
    while done < columns["set"].size:
        end = done + steps[turn % len(steps)]
        hasher.update({key: values[done:end] for key, values in columns.items()})
        done, turn = end, turn + 1
    return hasher.finish()


# The content hash


@pytest.mark.parametrize("name", TABLES)
def test_hash_is_what_the_schema_page_says(name: str) -> None:
    columns = make_rows(0, COUNT)[name]
    expected = []
    for block in range(3):
        inside = columns["set"] // 1024 == block
        packed = b"".join(
            columns[c.name][inside].astype(c.dtype.newbyteorder("<")).tobytes()
            for c in TABLES[name].columns
        )
        expected.append(hashlib.sha256(packed).digest())
    assert digests(name, 0, COUNT, [10**9]) == tuple(expected)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("steps", [[1], [1024], [1, 700, 3000, 2], [1023, 1025]])
def test_hash_does_not_depend_on_batches(name: str, steps: list[int]) -> None:
    assert digests(name, 0, COUNT, steps) == digests(name, 0, COUNT, [10**9])


def test_hash_does_not_depend_on_parts(tmp_path: Path, made: Path) -> None:
    one = write_run(tmp_path / "one", part_sets=4096)
    assert len(one.parts) == 1
    assert len(open_run(made).parts) == 3
    assert one.manifest["content_hash"] == open_run(made).manifest["content_hash"]


def test_a_log_without_plays_agrees_on_the_other_tables(tmp_path: Path, made: Path) -> None:
    run = write_run_of_deals(tmp_path / "deals", "matches")
    whole = open_run(made).manifest["content_hash"]
    assert run.manifest["content_hash"] == {name: whole[name] for name in run.tables}
    assert "plays" not in run.tables


@pytest.mark.parametrize(
    ("name", "column"), [(t.name, c.name) for t in TABLES.values() for c in t.columns]
)
def test_hash_changes_with_any_cell(name: str, column: str) -> None:
    rows = make_rows(0, 40)[name]
    table = replace(TABLES[name], every_set=False)
    spoilt = {key: values.copy() for key, values in rows.items()}
    if column in table.key:
        # Of the keys, those of the last row can rise and leave the rows in order.
        spoilt[column][-1] += 1
    else:
        spoilt[column][rows[column].size // 2] ^= 1
    found = set()
    for columns in (rows, spoilt):
        hasher = BlockHasher(table, 0, 1024)
        hasher.update(columns)
        found.add(hasher.finish())
    assert len(found) == 2


def test_blocks_without_rows_count() -> None:
    empty = {name: values[:0] for name, values in make_rows(0, 1)["tributes"].items()}
    hasher = BlockHasher(TABLES["tributes"], 1024, 4000)
    hasher.update(empty)
    assert hasher.finish() == (hashlib.sha256().digest(),) * 3


def test_content_hash_goes_by_first_set_not_by_order(made: Path) -> None:
    parts = [read_part(made, *part, tables_of("matches", "plays")) for part in open_run(made).parts]
    assert content_hash(parts[::-1]) == content_hash(parts)
    assert content_hash(parts) == open_run(made).manifest["content_hash"]


# Writing a part


def test_files_do_not_depend_on_batches(tmp_path: Path) -> None:
    one = write_part(tmp_path / "one", 0, 2048, step=2048)
    many = write_part(tmp_path / "many", 0, 2048, step=7)
    assert one == many


def test_row_groups_are_whole(tmp_path: Path) -> None:
    stop = 70_656
    sets = np.arange(stop)
    columns = {
        c.name: np.zeros(2 * stop, c.dtype) for c in TABLES["deals"].columns if c.name != "set"
    }
    columns["deal"][1::2] = 1
    columns["set"] = np.repeat(sets, 2)
    with PartWriter(tmp_path, 0, stop, "deals", "deals") as part:
        for start in range(0, 2 * stop, 10_000):
            part.write("deals", {k: v[start : start + 10_000] for k, v in columns.items()})
    data = pq.read_metadata(tmp_path / "deals" / "part-000000000000.parquet")
    rows = [data.row_group(group).num_rows for group in range(data.num_row_groups)]
    assert rows == [GROUP_ROWS, 2 * stop - GROUP_ROWS]
    tributes = pq.read_table(tmp_path / "tributes" / "part-000000000000.parquet")
    assert tributes.num_rows == 0
    assert tributes.schema.names == list(TABLES["tributes"].names)


def test_log_none_writes_nothing(tmp_path: Path) -> None:
    with PartWriter(None, 0, 1024, "deals", "none") as part:
        part.write("deals", make_rows(0, 1024)["deals"])
    assert part.summary == PartSummary(0, 1024, {})
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("error", [KeyError("bot"), KeyboardInterrupt(), RunError("x")])
def test_an_exception_leaves_earlier_parts_and_nothing_else(
    tmp_path: Path, error: BaseException
) -> None:
    write_part(tmp_path, 0, 1024)
    before = files_in(tmp_path)
    writer = PartWriter(tmp_path, 1024, 2048, "matches", "plays")

    def fail() -> None:
        with writer as part:
            part.write("deals", make_rows(1024, 1500)["deals"])
            assert files_in(tmp_path) == before
            raise error

    with pytest.raises(type(error)):
        fail()
    assert files_in(tmp_path) == before
    with pytest.raises(RunError, match="sets 1024 to 2047 is not finished"):
        _ = writer.summary


def test_a_failure_between_two_renames_leaves_whole_files_and_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename, calls = os.replace, []

    def failing(source: str, target: str) -> None:
        calls.append(target)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        rename(source, target)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(RunError, match=r"cannot write to .*: No space left on device"):
        write_part(tmp_path, 0, 1024)
    assert [name.partition("/")[0] for name in files_in(tmp_path)] == ["deals", "matches"]
    monkeypatch.undo()
    write_part(tmp_path / "other", 0, 1024)
    for name in files_in(tmp_path / "other")[:2]:
        assert (tmp_path / name).read_bytes() == (tmp_path / "other" / name).read_bytes()


def test_a_part_that_lacks_sets_is_not_written(tmp_path: Path) -> None:
    with (
        pytest.raises(RunError, match="matches: 1000 sets in the part of sets 0 to 1023: must be"),
        PartWriter(tmp_path, 0, 1024, "matches", "plays") as part,
    ):
        write_rows(part, make_rows(0, 1000))
    assert files_in(tmp_path) == []


def spoil(column: str, value: Any) -> Columns:
    """Rows of deals with ``column`` replaced; None takes it away."""
    rows = make_rows(0, 10)["deals"]
    if value is None:
        del rows[column]
    else:
        rows[column] = np.full(rows["set"].size, value) if np.isscalar(value) else value
    return rows


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("level", 13, "deals.level holds 13: must be 0 to 12"),
        ("drawn", -1, "deals.drawn holds -1: must be 0 to 54"),
        ("gain", 256, "deals.gain holds 256: must be 0 to 255"),
        ("gain", -1, "deals.gain holds -1: must be 0 to 255"),
        ("cancelled", 2, "deals.cancelled holds 2: must be 0 to 1"),
        ("plays", 1.0, "deals.plays has shape .* and type float64: need 15 integers"),
        ("plays", np.zeros(3, np.uint8), r"deals.plays has shape \(3,\)"),
        ("plays", None, r"missing or unknown columns \['plays'\]"),
        ("colour", 1, r"missing or unknown columns \['colour'\]"),
        ("set", np.arange(15) + 1015, "sets 1015 to 1029 in the part of sets 0 to 1023"),
        ("deal", 0, "row 2 of the part .set 1, arm 0, deal 0. is out of order"),
    ],
)
def test_rows_that_do_not_fit_are_refused(
    tmp_path: Path, column: str, value: Any, message: str
) -> None:
    with (
        pytest.raises(RunError, match=message),
        PartWriter(tmp_path, 0, 1024, "deals", "deals") as part,
    ):
        part.write("deals", spoil(column, value))
    assert files_in(tmp_path) == []


def test_order_is_checked_across_batches(tmp_path: Path) -> None:
    batch = {"deals": make_rows(0, 10)["deals"]}
    with (
        pytest.raises(RunError, match=r"row 15 of the part .set 0, arm 0, deal 0. is out of order"),
        PartWriter(tmp_path, 0, 1024, "deals", "deals") as part,
    ):
        write_rows(part, batch, batch)


@pytest.mark.parametrize(("first", "stop"), [(100, 200), (1024, 1024), (2048, 1024)])
def test_parts_have_aligned_ranges(tmp_path: Path, first: int, stop: int) -> None:
    with pytest.raises(RunError, match="must begin at a multiple of 1024"):
        PartWriter(tmp_path, first, stop, "deals", "deals")


# Words and their page


def test_places_of_cards_levels_and_orders() -> None:
    assert WORDS["card"][CARD_INDEX[4 * 8 + 1]] == "H9"
    assert [WORDS["card"][CARD_INDEX[number]] for number in (0, 4, 55, 56, 60)] == [
        *("", "S2", "DA", "SB", "HR")
    ]
    assert (CARD_INDEX[CARD_NUMBER] == np.arange(55)).all()
    assert (CARD_INDEX >= 0).sum() == 55
    assert [WORDS["level"][LEVEL_INDEX[rank]] for rank in (1, 9, 13)] == ["2", "T", "A"]
    assert WORDS["finish"][FINISH_INDEX[0 * 64 + 2 * 16 + 1 * 4 + 3]] == "0213"
    assert (FINISH_INDEX > 0).sum() == 24
