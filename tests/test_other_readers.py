"""Runs under other readers: pyarrow's datasets, DuckDB and Polars take the files as they are."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from made_runs import COUNT, copied_run, finished_run
from readings import part_of

from guandan_sim.errors import RunError
from guandan_sim.runs import open_run
from guandan_sim.schemas import TABLES

made = pytest.fixture(scope="module", name="made")(finished_run)
copy = pytest.fixture(name="copy")(copied_run)

BOMBS = """
    select rank, count(*) plays, avg(size) cards, max(set) latest
    from {} where shape = 'bomb' and set >= 1000 group by rank order by rank
"""


def bombs_by_pandas(folder: Path) -> list[tuple[Any, ...]]:
    plays = open_run(folder).plays()
    plays = plays[(plays["shape"] == "bomb") & (plays["set"] >= 1000)].astype({"rank": str})
    found = plays.groupby("rank").agg(
        plays=("size", "size"), cards=("size", "mean"), latest=("set", "max")
    )
    return [(rank, *row) for rank, *row in found.reset_index().itertuples(index=False)]


def bombs_by_polars(plays: pl.LazyFrame) -> list[tuple[Any, ...]]:
    found = (
        plays.filter((pl.col("shape") == "bomb") & (pl.col("set") >= 1000))
        .group_by(pl.col("rank").cast(pl.String))
        .agg(pl.len(), pl.col("size").mean(), pl.col("set").max().alias("latest"))
        .sort("rank")
    )
    return found.collect().rows()


def rows(found: duckdb.DuckDBPyRelation | None) -> list[tuple[Any, ...]]:
    assert found is not None
    return found.fetchall()


def test_duckdb_reads_the_files(made: Path) -> None:
    files = f"'{made}/plays/*.parquet'"
    assert rows(duckdb.sql(BOMBS.format(files))) == bombs_by_pandas(made)
    assert rows(duckdb.sql(f"select count(*) from {files}")) == [(11_250,)]


def test_duckdb_reads_the_dataset(made: Path) -> None:
    with duckdb.connect() as session:
        session.register("plays", open_run(made).dataset("plays"))
        assert rows(session.sql(BOMBS.format("plays"))) == bombs_by_pandas(made)


def test_polars_reads_the_files(made: Path) -> None:
    plays = pl.scan_parquet(made / "plays" / "*.parquet")
    assert bombs_by_polars(plays) == bombs_by_pandas(made)
    assert plays.select(pl.len()).collect().item() == 11_250


def test_polars_reads_the_dataset(made: Path) -> None:
    plays = pl.scan_pyarrow_dataset(open_run(made).dataset("plays"))
    assert bombs_by_polars(plays) == bombs_by_pandas(made)


@pytest.mark.parametrize("name", TABLES)
def test_every_column_is_the_same_everywhere(made: Path, name: str) -> None:
    run = open_run(made)
    names = [*TABLES[name].names]
    expected = pa.Table.from_batches(run.batches(name, names))
    texts = pa.schema(
        [f.with_type(pa.string()) if pa.types.is_dictionary(f.type) else f for f in expected.schema]
    )
    frame = expected.cast(texts).to_pandas()
    assert run.dataset(name).to_table().cast(texts).to_pandas().equals(frame)
    files = str(made / name / "*.parquet")
    key = ", ".join(f'"{column}"' for column in TABLES[name].key)
    found = duckdb.sql(f"select * from '{files}' order by {key}")
    assert found is not None
    assert found.to_arrow_table().cast(texts).to_pandas().equals(frame)
    # Polars has words as categories.
    polars = pl.read_parquet(files).to_arrow(compat_level=pl.CompatLevel.oldest())
    assert polars.cast(texts).to_pandas().equals(frame)


def test_a_dataset_reads_a_row_of_each_part(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = pq.ParquetFile.iter_batches
    asked: list[tuple[int, list[str]]] = []

    def recording(file: pq.ParquetFile, size: int, **options: Any) -> Any:
        asked.append((size, options["columns"]))
        return read(file, size, **options)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("rows were read")

    for name in ("read", "read_row_group", "read_row_groups"):
        monkeypatch.setattr(pq.ParquetFile, name, never)
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", recording)
    assert open_run(made).dataset("plays").schema.names == [*TABLES["plays"].names]
    assert asked == [(1, ["set"])] * 3


def test_a_dataset_opens_only_the_parts_that_may_hold_the_sets(copy: Path) -> None:
    dataset = open_run(copy).dataset("plays")
    for first in (0, 2048):
        part_of(copy, "plays", first).unlink()
    field = pc.field("set")
    assert dataset.to_table(filter=(field > 1400) & (field <= 1500)).num_rows == 450
    assert dataset.count_rows(filter=field.isin([1030, COUNT + 5])) == 3
    with pytest.raises(FileNotFoundError):
        dataset.count_rows(filter=field >= 2040)


def another_schema(file: Path) -> None:
    pq.write_table(pq.read_table(file).drop_columns("seat"), file)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (Path.unlink, "is missing: resuming the run plays its part again"),
        (lambda file: file.write_bytes(b"mine"), "cannot be read"),
        (
            lambda file: shutil.copy(file.parents[1] / "deals" / file.name, file),
            "has no column shape: it is not of plays",
        ),
        (another_schema, "has the column shape, dictionary<.*>: the schema says seat, uint8"),
    ],
)
def test_a_dataset_says_which_file_is_not_the_tables(
    copy: Path, change: Callable[[Path], object], message: str
) -> None:
    file = part_of(copy, "plays", 1024)
    change(file)
    with pytest.raises(RunError, match=message) as error:
        open_run(copy).dataset("plays")
    assert str(file) in str(error.value)


def test_pandas_reads_the_files(made: Path) -> None:
    found = pd.read_parquet(made / "plays", filters=[("set", "==", 1500)])
    assert len(found) == 3
