"""`run.decisions()` gives nothing of a deal that `verify` finds wrong, and says the same of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import guandan_sim as gs
from guandan_sim.schemas import TABLES

Tables = dict[str, dict[str, NDArray[Any]]]
MATCHES = 12


@pytest.fixture(scope="module", name="run")
def mixed_matches(tmp_path_factory: pytest.TempPathFactory) -> gs.Run:
    out = tmp_path_factory.mktemp("runs") / "run"
    made = gs.simulate(matches=MATCHES, bots=("greedy", "random"), seed=11, out=out)
    assert isinstance(made, gs.Run)
    return made


@pytest.fixture(name="change")
def changed_tables(
    run: gs.Run, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Callable[[Tables], object]], None]:
    """Have the run read as if its files held other rows: past what the writer would refuse."""
    original = {
        name: {
            column: np.concatenate([batch[column] for batch in batches]) for column in batches[0]
        }
        for name, batches in ((name, list(run.part_arrays(name, 0))) for name in run.tables)
    }

    def change(how: Callable[[Tables], object]) -> None:
        tables: Tables = {
            name: {c: values.copy() for c, values in columns.items()}
            for name, columns in original.items()
        }
        how(tables)

        def arrays(_: gs.Run, table: str, first: int) -> Iterator[dict[str, NDArray[Any]]]:
            assert first == 0
            for at in range(0, len(tables[table]["set"]), 1_000):
                yield {c: values[at : at + 1_000] for c, values in tables[table].items()}

        monkeypatch.setattr(gs.Run, "part_arrays", arrays)

    return change


def row_of(table: dict[str, NDArray[Any]], **wanted: Any) -> int:
    found = np.ones(len(table["set"]), bool)
    for name, value in wanted.items():
        found &= table[name] == value
    return int(np.flatnonzero(found)[0])


def drop(table: dict[str, NDArray[Any]], row: int) -> None:
    table.update({name: np.delete(values, row) for name, values in table.items()})


def repeat(table: dict[str, NDArray[Any]], row: int) -> None:
    table.update({n: np.insert(values, row, values[row]) for n, values in table.items()})


def put(table: str, column: str, value: Any, **where: Any) -> Callable[[Tables], object]:
    def how(tables: Tables) -> None:
        tables[table][column][row_of(tables[table], **where)] = value

    return how


def at(
    do: Callable[[dict[str, NDArray[Any]], int], None], table: str, **where: Any
) -> Callable[[Tables], object]:
    return lambda tables: do(tables[table], row_of(tables[table], **where))


def backwards(table: str) -> Callable[[Tables], object]:
    return lambda tables: tables[table].update(
        {name: values[::-1].copy() for name, values in tables[table].items()}
    )


def cut(table: str, rows: int) -> Callable[[Tables], object]:
    return lambda tables: tables[table].update(
        {name: values[:rows] for name, values in tables[table].items()}
    )


@pytest.mark.parametrize(
    ("how", "text"),
    [
        (put("plays", "rank", 15, set=3, deal=1, ply=5), "near and plays.far hold what is no set"),
        (put("plays", "size", 11, set=3, deal=1, ply=5), "set 3, deal 1, play 5: plays.size is 11"),
        (put("plays", "one", -1, set=3, deal=1, ply=5), "near and plays.far hold what is no set"),
        (put("plays", "near", 1 << 31, set=3, deal=1, ply=5), "near and plays.far hold"),
        (put("plays", "shape", 0, set=3, deal=1, ply=5), "set 3, deal 1, play 5: seat . may not"),
        (put("plays", "shape", 15, set=3, deal=1, ply=5), "set 3, deal 1, play 5: seat . may not"),
        (put("plays", "shape", -1, set=3, deal=1, ply=5), "near and plays.far hold what is no set"),
        (put("plays", "seat", 200, set=3, deal=1, ply=5), "deal 1, play 5: seat is 200, more than"),
        (put("plays", "size", 16, set=3, deal=1, ply=5), "deal 1, play 5: size is 16, more than"),
        (put("plays", "chosen_passes", 255, set=3, ply=5), "play 5: chosen_passes is 255, more"),
        (
            put("plays", "chosen_passes", 15, set=3, deal=1, ply=0),
            "deal 1, play 0: the pass",
        ),
        (put("plays", "ply", 9, set=3, deal=1, ply=5), "set 3, deal 1, play 5: plays.ply is 9"),
        (put("plays", "arm", 1, set=3, deal=1, ply=5), "play 5: a row of set 3, arm 1, deal 1 is"),
        (
            at(drop, "plays", set=3, deal=1, ply=5),
            "a row of set 3, deal 2 is in its place",
        ),
        (at(repeat, "plays", set=3, deal=1, ply=5), "deal 2, play 0: a row of set 3, deal 1 is in"),
        (cut("plays", 0), "set 0, deal 0, play 0: the log ends before it"),
        (cut("plays", -1), f"set {MATCHES - 1}, deal .*, play .*: the log ends before it"),
        (backwards("plays"), f"set 0, deal 0, play 0: a row of set {MATCHES - 1}, "),
        (lambda tables: repeat(tables["plays"], -1), f"plays has a row of set {MATCHES - 1} where"),
        (put("deals", "plays", 255, set=3, deal=1), "set 3, deal 1, play"),
        (put("deals", "plays", 0, set=3, deal=1), "set 3, deal"),
        (put("deals", "gain", 9, set=3, deal=1), "set 3, deal 1: deals.gain stands for 9"),
        (put("deals", "first", 9, set=3, deal=1), "set 3, deal 1: deals.first stands for 9"),
        (put("deals", "hand2_one", 0, set=3, deal=1), "set 3, deal 1: deals.hand2_one"),
        (put("deals", "arm", 1, set=3, deal=1), "deals.arm is not 0"),
        (put("deals", "set", 5, set=3, deal=0), "deals has a row of set 3 where none belongs"),
        (put("deals", "set", -5, set=0, deal=0), "deals has a row of set -5 where none"),
        (at(drop, "deals", set=3, deal=0), "set 3, deal 0: |set 3, deal 1"),
        (at(repeat, "deals", set=3, deal=0), "set 3, deal 0"),
        (cut("deals", 0), "set 0: deal 0 is missing"),
        (backwards("deals"), "deals has a row of set .* where none belongs"),
        (put("tributes", "card", 0, set=3), "set 3, deal .*: seat . may not give no card"),
        (put("tributes", "returned", 53, set=3), "set 3, deal .*: seat . may not return"),
        (put("tributes", "giver", 9, set=3), "set 3, deal .*: tributes.giver is"),
        (put("tributes", "receiver", 9, set=3), "set 3, deal .*: tributes.receiver is"),
        (put("tributes", "deal", 999, set=3), "set 3, deal"),
        (at(drop, "tributes", set=3), "set 3, deal .*: . tributes are due"),
        (at(repeat, "tributes", set=3), "set 3, deal .*: tributes.giver is"),
        (cut("tributes", 0), "tributes are due, 0 are there"),
        (put("matches", "winner", 7, set=3), "set 3: matches.winner is 7"),
        (at(drop, "matches", set=3), "set 3: matches.set is"),
        (at(repeat, "matches", set=3), "set 4: matches.set"),
    ],
)
def test_what_is_wrong_is_said_where_it_is(
    run: gs.Run,
    change: Callable[[Callable[[Tables], object]], None],
    how: Callable[[Tables], object],
    text: str,
) -> None:
    change(how)
    with pytest.raises(gs.RunError, match=text) as caught:
        list(run.decisions())
    assert str(run.path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not run.verify().ok


def test_what_is_right_is_given_first(
    run: gs.Run, change: Callable[[Callable[[Tables], object]], None]
) -> None:
    change(put("deals", "gain", 9, set=3, deal=1))
    batches = run.decisions(rows=10)
    seen: list[tuple[int, int]] = []
    with pytest.raises(gs.RunError, match="set 3, deal 1: deals"):
        seen.extend((int(b.set[-1]), int(b.deal[-1])) for b in batches)
    assert max(seen) == (3, 0)


@pytest.mark.parametrize("seed", range(4))
def test_any_change_that_verify_finds(
    run: gs.Run, change: Callable[[Callable[[Tables], object]], None], seed: int
) -> None:
    """Random values anywhere, as random files would have them; `ahead` is of no use here."""
    choices = random.Random(seed)
    for _ in range(25):
        name = choices.choice(run.tables)
        column = choices.choice([c for c in TABLES[name].by_name.values() if c.name != "ahead"])

        def how(tables: Tables, name: str = name, column: Any = column) -> None:
            values = tables[name][column.name]
            row = choices.randrange(len(values))
            if column.words:
                values[row] = choices.randrange(len(column.words))
            elif column.kind == "bool":
                values[row] = not values[row]
            else:
                low, high = np.iinfo(column.kind).min, np.iinfo(column.kind).max
                values[row] = choices.choice([low, high, choices.randint(low, high)])

        change(how)
        report = run.verify()
        try:
            for _batch in run.decisions(views=False):
                pass
        except gs.RunError:
            assert not report.ok
        else:
            assert report.ok, (name, column.name, str(report))


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    run = gs.simulate(deals=1_100, out=tmp_path / "run", seed=1)
    assert isinstance(run, gs.Run)
    (run.path / "plays" / "part-000000001024.parquet").unlink()
    batches = run.decisions(views=False, rows=100)
    assert next(batches).set[0] == 0
    with pytest.raises(gs.RunError, match=r"part-000000001024\.parquet is missing"):
        list(batches)
