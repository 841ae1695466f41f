"""Reading and checking runs on disk, broken and hostile ones among them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made_runs import (
    COUNT,
    copied_run,
    finished_run,
    make_rows,
    settings,
    write_part,
    write_rows,
    write_run_of_deals,
)

from guandan_sim.columns import to_arrow, with_derived
from guandan_sim.errors import RunError
from guandan_sim.parts import PartWriter
from guandan_sim.playcards import unpack_cards
from guandan_sim.runs import create_run, open_run
from guandan_sim.schemas import TABLES, WORDS

made = pytest.fixture(scope="module", name="made")(finished_run)
copy = pytest.fixture(name="copy")(copied_run)


# Reading


@pytest.mark.parametrize("name", TABLES)
def test_pandas_round_trip(made: Path, name: str) -> None:
    frame: pd.DataFrame = getattr(open_run(made), name)()
    rows = make_rows(0, COUNT)[name]
    assert list(frame.columns) == list(TABLES[name].shown)
    assert not frame.isna().any().any()
    if name == "plays":
        words = unpack_cards(rows["rank"], rows["near"], rows["far"])
        rows |= dict(zip(("one", "two"), words, strict=True))
        files = open_run(made).plays([*TABLES[name].names])
        np.testing.assert_array_equal(files["near"], rows["near"])
        np.testing.assert_array_equal(files["far"], rows["far"])
    for column in (TABLES[name].by_name[shown] for shown in TABLES[name].shown):
        values = frame[column.name]
        if column.words:
            assert tuple(values.cat.categories) == column.words
            np.testing.assert_array_equal(values.cat.codes, rows[column.name])
            assert values.iloc[0] == column.words[rows[column.name][0]]
        else:
            assert values.dtype == column.dtype
            np.testing.assert_array_equal(values, rows[column.name])


def test_a_stranger_reads_words_as_categories(made: Path) -> None:
    frame = pd.read_parquet(made / "plays")
    assert frame["shape"].dtype == "category"
    assert set(frame["shape"].unique()) <= set(WORDS["shape"])
    field = pq.read_schema(made / "plays" / "part-000000000000.parquet").field("near")
    assert field.metadata[b"description"].startswith(b"cards at the rank")


def test_some_columns_in_the_order_asked(made: Path) -> None:
    run = open_run(made)
    assert list(run.deals(columns=["level", "set"]).columns) == ["level", "set"]
    assert [b.schema.names for b in run.batches("plays", ["rank", "set"])] == [["rank", "set"]] * 3
    arrays = list(run.arrays("plays", ["rank", "set"]))
    np.testing.assert_array_equal(
        np.concatenate([batch["rank"] for batch in arrays]), make_rows(0, COUNT)["plays"]["rank"]
    )
    with pytest.raises(RunError, match="deals has no column 'colour': only set, arm, deal, level"):
        run.deals(columns=["colour"])


def test_tables_that_a_run_lacks(tmp_path: Path) -> None:
    run = write_run_of_deals(tmp_path / "run", "deals")
    assert run.tables == ("deals", "tributes")
    with pytest.raises(RunError, match=r'has no table .plays.: only deals, .* log "plays"'):
        run.plays()
    with pytest.raises(RunError, match="has no table 'matches': only deals, tributes"):
        run.matches()
    with pytest.raises(RunError, match="has no table 'x'"):
        run.dataset("x")


def test_dataset_filters(made: Path) -> None:
    dataset = open_run(made).dataset("plays")
    found = dataset.to_table(filter=pa.compute.field("set") == 1500)
    assert found.num_rows == 3
    assert found.schema.field("rank").type == pa.dictionary(pa.int8(), pa.string())


@pytest.mark.parametrize("number", [0, 1023, 1024, 1501, 2499])
def test_set_rows(made: Path, number: int) -> None:
    run = open_run(made)
    for name, table in TABLES.items():
        rows = to_arrow(table, make_rows(number, number + 1)[name])
        expected = with_derived(table, rows, table.shown)
        assert run.set_rows(name, number).equals(expected)
        assert run.set_rows(name, number, arm=None).equals(expected)
        assert run.set_rows(name, number, arm=1).num_rows == 0


@pytest.mark.parametrize("number", [-1, COUNT])
def test_set_rows_outside_the_run(made: Path, number: int) -> None:
    with pytest.raises(RunError, match=f"no set {number}: .* holds 0 to 2499"):
        open_run(made).set_rows("plays", number)


# Checking


def test_a_sound_run_has_no_problems(made: Path) -> None:
    assert open_run(made).check_files() == []


@pytest.mark.parametrize("place", [2, 100, 0.3, 0.6, 0.9, -300, -40, -6, -2])
def test_a_flipped_byte_is_found(copy: Path, place: float) -> None:
    file = copy / "plays" / "part-000000001024.parquet"
    data = bytearray(file.read_bytes())
    data[int(place * len(data)) if isinstance(place, float) else place] ^= 0x10
    file.write_bytes(data)
    problems = open_run(copy).check_files()
    assert problems
    assert "plays/part-000000001024.parquet" in problems[0]
    assert all("\n" not in problem for problem in problems)


@pytest.mark.parametrize("length", [0, 3, 500, -1])
def test_a_truncated_file_is_found(copy: Path, length: int) -> None:
    file = copy / "deals" / "part-000000000000.parquet"
    file.write_bytes(file.read_bytes()[:length])
    problems = open_run(copy).check_files()
    assert len(problems) == 1 or "the manifest says" in problems[1]
    assert f"{file} cannot be read" in problems[0]
    with pytest.raises(RunError, match="cannot be read"):
        open_run(copy).deals()


@pytest.mark.parametrize("table", ["deals", "tributes", "plays"])
def test_parts_that_were_swapped_are_noticed_by_every_reader(copy: Path, table: str) -> None:
    first, second = (copy / table / f"part-{n:012d}.parquet" for n in (0, 1024))
    first.rename(copy / "between")
    second.rename(first)
    (copy / "between").rename(second)
    run = open_run(copy)
    for read in (
        lambda: getattr(run, table)(["arm"]),
        lambda: getattr(run, table)(where=[("set", "<", 1024)]),
        lambda: run.aggregate(table, {"rows": "count"}),
        lambda: run.set_rows(table, 5),
        lambda: [*run.part_arrays(table, 0)],
        lambda: run.dataset(table),
    ):
        with pytest.raises(RunError, match=rf"{first}: {table} begins with set 102\d in the part"):
            read()
    assert [line.partition(" begins")[0] for line in run.check_files()[:2]] == [
        f"{first}: {table}",
        f"{second}: {table}",
    ]


def test_missing_and_extra_files_are_found(copy: Path) -> None:
    (copy / "deals" / "part-000000001024.parquet").unlink()
    shutil.copy(
        copy / "plays" / "part-000000000000.parquet", copy / "plays" / "part-000000004096.parquet"
    )
    (copy / "plays" / ".part-000000000000.parquet.5-0a.tmp").write_bytes(b"")
    problems = open_run(copy).check_files()
    assert [line.removeprefix(f"{copy}/").split(" ", 1) for line in problems[:3]] == [
        ["plays/.part-000000000000.parquet.5-0a.tmp", "is not a file of this run"],
        ["plays/part-000000004096.parquet", "is not a file of this run"],
        ["deals/part-000000001024.parquet", "is missing: resuming the run plays its part again"],
    ]
    with pytest.raises(RunError, match="is missing"):
        open_run(copy).deals()


def test_another_runs_part_is_found_even_under_a_changed_manifest(copy: Path) -> None:
    """Rows changed and the part's checksum with them: the content hash still tells."""
    rows = make_rows(0, 1024)
    rows["deals"]["gain"][5] ^= 1
    with PartWriter(copy, 0, 1024, "matches", "plays") as part:
        write_rows(part, rows)
    problems = open_run(copy).check_files()
    assert [p for p in problems if "deals/part-000000000000.parquet: sha256 is" in p]
    assert [p for p in problems if "the content hash of deals is" in p]
    manifest = json.loads((copy / "manifest.json").read_text())
    table = part.summary.tables["deals"]
    manifest["parts"][0]["tables"]["deals"] |= {"sha256": table.sha256, "bytes": table.size}
    (copy / "manifest.json").write_text(json.dumps(manifest))
    (problem,) = open_run(copy).check_files()
    assert "the content hash of deals is" in problem


def test_wrong_row_counts_in_the_manifest_are_found(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["parts"][2]["tables"]["plays"]["rows"] += 1
    manifest["rows"]["plays"] += 1
    (copy / "manifest.json").write_text(json.dumps(manifest))
    problems = open_run(copy).check_files()
    assert [line.split(": ", 1)[1] for line in problems] == [
        "rows is 2034: the manifest says 2035",
        "the rows of plays is 11250: the manifest says 11251",
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.rename_columns(["x", *t.column_names[1:]]), "has the column x, int64: the"),
        (lambda t: t.drop_columns("gain").append_column("gain", t["gain"]), "has the column plays"),
        (lambda t: t.select(t.column_names[:-1]), "has 25 columns: must be 26"),
        (lambda t: t.cast(pa.schema([f.with_nullable(True) for f in t.schema])), "not null"),
        (lambda t: t.slice(1), "1023 sets in the part of sets 0 to 1023: must be 1024"),
        (lambda t: t.take(list(range(t.num_rows))[::-1]), "is out of order"),
        (
            lambda t: t.set_column(
                3, t.schema.field(3).with_type(pa.string()), pa.array(["11"] * t.num_rows)
            ),
            "deals.level holds a word that is not in its list",
        ),
    ],
)
def test_files_of_another_schema_are_found(copy: Path, change: Any, message: str) -> None:
    file = copy / "deals" / "part-000000000000.parquet"
    pq.write_table(change(pq.read_table(file)), file)
    problems = open_run(copy).check_files()
    assert str(file) in problems[0]
    assert message in problems[0]


def test_words_under_another_dictionary_read_the_same(copy: Path, made: Path) -> None:
    """Other writers keep only the words that occur, in any order."""
    file = copy / "deals" / "part-000000000000.parquet"
    data = pq.read_table(file)
    place = data.column_names.index("level")
    data = data.set_column(
        place,
        data.schema.field(place).with_type(pa.string()),
        data["level"].cast(pa.string()),
    )
    pq.write_table(data.replace_schema_metadata(None), file, row_group_size=100)
    pd.testing.assert_frame_equal(open_run(copy).deals(), open_run(made).deals())
    assert all("sha256" in line or "bytes" in line for line in open_run(copy).check_files())


@pytest.mark.parametrize("path", ["../../secret.parquet", "/etc/passwd"])
def test_paths_in_a_manifest_are_never_followed(copy: Path, path: str) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["parts"][0] = {"first": path, "stop": path, "file": path, "tables": {path: {}}}
    (copy / "manifest.json").write_text(json.dumps(manifest))
    run = open_run(copy)
    assert len(run.deals()) == 3_750
    assert f"{copy}: the manifest does not list sets 0 to 1023" in run.check_files()
    for key, value in (("kind", path), ("log", path), ("count", path), ("part_sets", path)):
        spoilt = manifest | {"settings": settings() | {key: value}}
        (copy / "manifest.json").write_text(json.dumps(spoilt))
        with pytest.raises(RunError, match=f"manifest.json: {key} is"):
            open_run(copy)


def test_links_out_of_the_run_are_not_followed(copy: Path, tmp_path: Path) -> None:
    file = copy / "deals" / "part-000000000000.parquet"
    file.rename(tmp_path / "elsewhere.parquet")
    file.symlink_to(tmp_path / "elsewhere.parquet")
    with pytest.raises(RunError, match="leads outside the run"):
        open_run(copy).deals()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "manifest.json cannot be read"),
        ("[]", "manifest.json is not a JSON object"),
        ("[" * 5_000, "manifest.json cannot be read"),
        ('{"schema_version": 99}', "has schema version 99: this package reads version 3"),
        ('{"schema_version": 3}', "manifest.json: the settings are not a JSON object"),
    ],
)
def test_broken_manifests(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(RunError, match=message):
        open_run(tmp_path)


def test_a_manifest_that_claims_a_vast_run_costs_nothing(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["settings"]["count"] = 10**18
    (copy / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(RunError, match="parts must list the 976562500000000 parts"):
        open_run(copy)
    (copy / "manifest.json").write_text(json.dumps(manifest | {"status": "running"}))
    assert len(open_run(copy).parts) == 3


@pytest.mark.parametrize("path", ["nowhere", "file"])
def test_what_is_not_a_run(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(RunError, match=f"{path} is not a run: it has no manifest.json"):
        open_run(tmp_path / path)


def test_an_unfinished_run_says_so(tmp_path: Path) -> None:
    with create_run(tmp_path / "run", settings()) as writer:
        write_part(writer.folder, *writer.missing[1])
    run = open_run(tmp_path / "run")
    assert run.check_files() == [f"{run.path} is not finished: 1 of 3 parts are there: resume it"]
    assert run.matches()["set"].tolist() == list(range(1024, 2048))
    with pytest.raises(RunError, match=r"set 5 is in a part of .* that is not written yet"):
        run.set_rows("deals", 5)
