"""Counts and means over runs, in batches: against pandas over the whole tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from made_runs import COUNT, copied_run, finished_run, write_run_of_deals
from readings import in_small_groups, part_of

from guandan_sim import aggregates
from guandan_sim.errors import RunError
from guandan_sim.runs import Run, open_run
from guandan_sim.schemas import WORDS

made = pytest.fixture(scope="module", name="made")(finished_run)
copy = pytest.fixture(name="copy")(copied_run)

F = pc.field
KEY = ["set", "arm", "deal"]


@pytest.fixture(scope="module", name="run")
def in_small_row_groups(tmp_path_factory: pytest.TempPathFactory, made: Path) -> Run:
    return open_run(in_small_groups(copied_run(made, tmp_path_factory.mktemp("small"))))


def plays_with_deals(run: Run) -> pd.DataFrame:
    return run.plays().merge(run.deals([*KEY, "level", "owner"]), on=KEY, validate="many_to_one")


VALUES: Any = {
    "plays": "count",
    "cards": ("size", "mean"),
    "least": ("size", "min"),
    "most": ("size", "max"),
    "total": ("size", "sum"),
}
NAMED: Any = {
    name: ("size", "size" if value == "count" else value[1]) for name, value in VALUES.items()
}


@pytest.mark.parametrize("compact", [1, 1 << 17])
@pytest.mark.parametrize("by", [["shape"], ["seat", "rank"], ["set"], ["deals.level", "shape"]])
def test_groups_are_those_of_pandas(
    run: Run, by: list[str], compact: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aggregates, "_COMPACT_ROWS", compact)
    plays = plays_with_deals(run).rename(columns={"level": "deals.level"})
    expected = plays.groupby(by, observed=True).agg(**NAMED).reset_index()
    found = run.aggregate("plays", VALUES, by=by if len(by) > 1 else by[0])
    assert found["plays"].sum() == len(plays)
    pd.testing.assert_frame_equal(found, expected.astype({"total": "int64"}))
    for name in {"shape", "rank"} & {*by}:
        assert tuple(found[name].cat.categories) == WORDS[name]


def test_the_whole_table_is_one_row(run: Run) -> None:
    (row,) = run.aggregate("plays", VALUES).to_dict("records")
    size = run.plays(["size"])["size"].astype(int)
    assert row == {
        "plays": len(size),
        "cards": pytest.approx(size.mean()),
        "least": size.min(),
        "most": size.max(),
        "total": size.sum(),
    }


def test_no_rows(run: Run) -> None:
    nowhere = F("set") > COUNT
    (row,) = run.aggregate("plays", VALUES, where=nowhere).to_dict("records")
    assert (row.pop("plays"), row.pop("total")) == (0, 0)
    assert all(pd.isna(value) for value in row.values())
    grouped = run.aggregate("plays", VALUES, by="shape", where=nowhere)
    assert list(grouped.columns) == ["shape", *VALUES]
    assert len(grouped) == 0


def test_expressions_as_keys_and_values(run: Run) -> None:
    found = run.aggregate(
        "plays",
        {
            "bombs": (F("shape").isin(["bomb", "joker_bomb"]), "sum"),
            "share": (F("shape") == "bomb", "mean"),
            "half": (F("size") / 2.0, "sum"),
            "any": (F("size") > 200, "max"),
        },
        by={
            "team": pc.bit_wise_and(F("seat"), 1),
            "own": F("deals.owner") == 1,
            "shape": F("shape"),
        },
        where=[("shape", "in", ["bomb", "joker_bomb", "pair"]), ("deals.level", "!=", "A")],
    )
    plays = plays_with_deals(run)
    plays = plays[plays["shape"].isin(["bomb", "joker_bomb", "pair"]) & (plays["level"] != "A")]
    plays = plays.assign(
        team=plays["seat"] & 1,
        own=plays["owner"] == 1,
        shape=plays["shape"].astype(str),
        bombs=plays["shape"].isin(["bomb", "joker_bomb"]).astype(int),
        share=(plays["shape"] == "bomb").astype(float),
        half=plays["size"] / 2.0,
        any=plays["size"] > 200,
    )
    expected = plays.groupby(["team", "own", "shape"]).agg(
        {"bombs": "sum", "share": "mean", "half": "sum", "any": "max"}
    )
    pd.testing.assert_frame_equal(found, expected.reset_index(), check_dtype=False)


@pytest.mark.parametrize("table", ["matches", "deals", "tributes"])
def test_every_table(run: Run, table: str) -> None:
    frame = getattr(run, table)()
    column = {"matches": "deals", "deals": "gain", "tributes": "receiver"}[table]
    key = {"matches": "level0", "deals": "previous", "tributes": "card"}[table]
    found = run.aggregate(table, {"n": "count", "mean": (column, "mean")}, by=key)
    expected = frame.groupby(key, observed=True)[column].agg(["size", "mean"]).reset_index()
    pd.testing.assert_frame_equal(found, expected.rename(columns={"size": "n"}))


def test_sums_beyond_64_bits_are_an_error(run: Run) -> None:
    big = pc.add(F("set"), 1 << 61)
    for function in ("sum", "mean"):
        with pytest.raises(RunError, match="total: the sum is beyond 64 bits"):
            run.aggregate("plays", {"total": (big, function)})
    found = run.aggregate("plays", {"most": (big, "max")})
    assert found["most"][0] == (1 << 61) + COUNT - 1


@pytest.mark.parametrize("columns", [[], ["level", "set", "matches.deals"]])
@pytest.mark.parametrize("where", [None, [("shape", "==", "bomb"), ("set", ">", 1500)]])
def test_deals_with_values_of_their_plays(run: Run, columns: list[str], where: Any) -> None:
    batches = [*run.per_deal(VALUES, columns=columns, where=where)]
    heads = [*run.batches("deals", [*KEY, *columns])]
    assert [batch.num_rows for batch in batches] == [batch.num_rows for batch in heads]
    for batch, head in zip(batches, heads, strict=True):
        assert batch.select(head.schema.names).equals(head)
    found = pa.Table.from_batches(batches).to_pandas()
    assert list(found.columns) == [*heads[0].schema.names, *VALUES]
    plays = run.plays(where=where)
    expected = plays.groupby(KEY).agg(**NAMED)
    expected = run.deals(KEY).merge(expected, on=KEY, how="left", validate="one_to_one")
    none = expected["plays"].isna()
    assert none.any() == (where is not None)
    expected[["plays", "total"]] = expected[["plays", "total"]].fillna(0).astype(int)
    pd.testing.assert_frame_equal(found[[*KEY, *VALUES]], expected, check_dtype=False)


def test_deals_with_values_of_their_gifts(run: Run) -> None:
    batches = run.per_deal({"gifts": "count"}, "tributes")
    found = pa.Table.from_batches(batches).to_pandas()
    gifts = run.tributes().groupby(KEY).size().rename("gifts")
    expected = run.deals(KEY).merge(gifts, on=KEY, how="left").fillna(0)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    assert found["gifts"].max() == 2


def test_a_part_is_read_when_its_turn_comes(copy: Path) -> None:
    part_of(copy, "plays", 1024).write_bytes(b"")
    batches = open_run(copy).per_deal({"n": "count"})
    first = next(batches)
    assert first.column("set").to_numpy().max() == 1023
    with pytest.raises(RunError, match=r"plays/part-000000001024\.parquet cannot be read"):
        next(batches)


def test_an_unfinished_run_counts_what_is_there(copy: Path) -> None:
    text = (copy / "manifest.json").read_text()
    (copy / "manifest.json").write_text(text.replace('"complete"', '"running"'))
    part_of(copy, "plays", 1024).unlink()
    run = open_run(copy)
    assert run.aggregate("plays", {"n": "count"})["n"][0] == len(run.plays(["set"]))
    assert sum(len(batch) for batch in run.per_deal({"n": "count"})) == len(run.deals(["set"]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": {}}, "values is {}: must be functions by name, such as"),
        ({"values": "count"}, "values is 'count': must be"),
        ({"values": {"n": "mean"}}, "n is 'mean': must be .count., or a column or expression"),
        ({"values": {"n": ("size", "median")}}, "n is .'size', 'median'.: must be"),
        ({"values": {"n": ("size", ["sum"])}}, "n is .'size', .'sum'..: must be"),
        ({"values": {"n": ("size",)}}, "n is .'size',.: must be"),
        ({"values": {3: "count"}}, "values has the name 3: must be"),
        ({"values": {"n": ("colour", "sum")}}, "plays has no column 'colour': only set, arm"),
        ({"values": {"n": (F("colour"), "sum")}}, "plays has no column 'colour': only set, arm"),
        ({"values": {"n": (3, "sum")}}, "3: must be a column or a pyarrow expression"),
        ({"values": {"n": ("shape", "max")}}, "n: there is no max of words: only of"),
        ({"values": {"n": (F("size") / 0, "sum")}}, "cannot be worked out: divide by zero"),
    ],
)  # fmt: skip
def test_what_cannot_be_worked_out(run: Run, arguments: Any, message: str) -> None:
    with pytest.raises(RunError, match=message) as error:
        run.aggregate("plays", **arguments)
    assert "\n" not in str(error.value)
    with pytest.raises(RunError, match=message):
        [*run.per_deal(**arguments)]


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("colour", "plays has no column 'colour': only set, arm"),
        (["shape", "deals.colour"], "plays has no column 'deals.colour'"),
        (["n"], "plays has no column 'n'"),
        ({"n": "shape"}, "values has the name 'n': must be one that is not taken"),
        ({"x": 3}, "3: must be a column or a pyarrow expression"),
        (3, "by is 3: must be columns of plays, or terms by name"),
        ([3], "3: must be a column"),
        ({"x": pc.make_struct(F("seat"))}, "by x: cannot group by struct"),
    ],
)
def test_what_cannot_be_grouped_by(run: Run, by: Any, message: str) -> None:
    with pytest.raises(RunError, match=message):
        run.aggregate("plays", {"n": "count"}, by=by)


def test_deals_of_what_has_none(run: Run, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="per deal of matches: must be plays or tributes"):
        run.per_deal({"n": "count"}, "matches")
    with pytest.raises(RunError, match="values has the name 'level'"):
        run.per_deal({"level": "count"}, columns=["level"])
    with pytest.raises(RunError, match="deals has no column 'shape'"):
        run.per_deal({"n": "count"}, columns=["shape"])
    deals = write_run_of_deals(tmp_path / "run", "deals")
    for read in (deals.per_deal, lambda values: deals.aggregate("plays", values)):
        with pytest.raises(RunError, match="has no table 'plays'"):
            read({"n": "count"})


def test_sums_do_not_depend_on_row_groups(run: Run, made: Path) -> None:
    values: Any = {"n": (F("size") * 0.1, "sum"), "mean": ("size", "mean")}
    small = run.aggregate("plays", values, by="shape")
    whole = open_run(made).aggregate("plays", values, by="shape")
    np.testing.assert_allclose(small["n"], whole["n"], rtol=1e-12)
    assert small["mean"].equals(whole["mean"])
