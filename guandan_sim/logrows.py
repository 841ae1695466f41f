"""Between the rows that the loop logs and the columns of a run's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import from_dtype, types
from numpy.typing import NDArray

from . import layout as lay
from . import loop
from .jit import entry
from .playlog import fill_plays
from .schemas import CARD_INDEX, CARD_NUMBER, FINISH_INDEX, LEVEL_INDEX, TABLES, WORDS

if TYPE_CHECKING:
    from .runs import Run

__all__ = [
    "MOST_OF_PLAYS",
    "Columns",
    "deal_columns",
    "deal_rows",
    "interleaved",
    "load",
    "match_columns",
    "match_rows",
    "packs_again",
    "part_columns",
    "play_columns",
    "play_rows",
    "tribute_columns",
    "tribute_rows",
]

MOST_OF_PLAYS = (("seat", 3), ("size", 15), ("chosen_passes", 15))
"""What fits in a row of `loop.log_play`, by column."""

Rows = NDArray[np.int64]
Columns = dict[str, NDArray[Any]]


def _keys(sets: Rows, deals: Rows | None) -> Columns:
    keys: Columns = {"set": sets, "arm": np.zeros(len(sets), np.uint8)}
    return keys if deals is None else {**keys, "deal": deals.astype(np.uint16)}


def match_columns(rows: Rows) -> Columns:
    """Columns of the table matches from rows of `loop.log_match`."""
    rows = rows.copy()  # some columns are part of it
    levels = rows[:, 3:5]
    truncated = rows[:, 5] != 0
    ahead = np.where(levels[:, 0] > levels[:, 1], 0, np.where(levels[:, 0] < levels[:, 1], 1, 255))
    return {
        **_keys(rows[:, 0], None),
        "winner": np.where(rows[:, 1] < 0, 255, rows[:, 1]).astype(np.uint8),
        "deals": rows[:, 2].astype(np.uint16),
        "level0": LEVEL_INDEX[levels[:, 0]],
        "level1": LEVEL_INDEX[levels[:, 1]],
        "truncated": truncated,
        "ahead": np.where(truncated, ahead, 255).astype(np.uint8),
        "resets0": rows[:, 6].astype(np.uint16),
        "resets1": rows[:, 7].astype(np.uint16),
    }


def deal_columns(rows: Rows) -> Columns:
    """Columns of the table deals from rows of `loop.log_deal`."""
    by_column = rows.T.copy()
    previous = by_column[loop.D_PREVIOUS : loop.D_PREVIOUS + 4]
    order = previous[0] << 6 | previous[1] << 4 | previous[2] << 2 | previous[3]
    columns: Columns = {
        **_keys(by_column[loop.D_SET], by_column[loop.D_DEAL]),
        "level": LEVEL_INDEX[by_column[loop.D_LEVEL]],
        "owner": by_column[loop.D_OWNER].astype(np.uint8),
        "level0": LEVEL_INDEX[by_column[loop.D_LEVELS]],
        "level1": LEVEL_INDEX[by_column[loop.D_LEVELS + 1]],
        "leader": by_column[loop.D_LEADER].astype(np.uint8),
        "drawn": CARD_INDEX[by_column[loop.D_MARKED]],
        "previous": np.where(order < 0, 0, FINISH_INDEX[order]),
        "tribute": by_column[loop.D_TRIBUTE].astype(np.int8),
        "cancelled": by_column[loop.D_CANCELLED] != 0,
    }
    for i, name in enumerate(("first", "second", "third", "last")):
        columns[name] = by_column[loop.D_FINISH + i].astype(np.uint8)
    columns["gain"] = by_column[loop.D_GAIN].astype(np.uint8)
    columns["plays"] = by_column[loop.D_PLAYS].astype(np.uint8)
    for seat in range(4):
        for i, name in enumerate(("one", "two")):
            columns[f"hand{seat}_{name}"] = by_column[loop.D_HANDS + 2 * seat + i]
    return columns


def tribute_columns(rows: Rows) -> Columns:
    """Columns of the table tributes, in key order, from rows of `loop.log_deal`."""
    rows = rows[np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))]
    return {
        **_keys(rows[:, 0], rows[:, 1]),
        "giver": rows[:, 2].astype(np.uint8),
        "receiver": rows[:, 3].astype(np.uint8),
        "card": CARD_INDEX[rows[:, 4]],
        "returned": CARD_INDEX[rows[:, 5]],
    }


def play_columns(rows: Rows, deals: Rows) -> Columns:
    """Columns of the table plays from rows of `loop.log_play`; ``deals`` are the rows of
    `loop.log_deal` of the same deals.
    """
    table = TABLES["plays"]
    columns = {column.name: np.empty(len(rows), column.dtype) for column in table.columns}
    _fill_plays()(rows, deals, *columns.values())
    return columns


def interleaved(pieces: Sequence[Mapping[str, Columns]]) -> dict[str, Columns]:
    """One set of tables from pieces of several: those of an arm after those of the arm before, the
    rows of each piece in order of their sets and none of a set in an arm before those of an
    earlier piece of it. The rows come out by set, arm and deal.
    """
    tables: dict[str, Columns] = {}
    for name in pieces[0]:
        columns = {
            column: np.concatenate([piece[name][column] for piece in pieces])
            for column in pieces[0][name]
        }
        order = np.argsort(columns["set"], kind="stable")
        tables[name] = {column: values[order] for column, values in columns.items()}
    return tables


def packs_again(columns: Mapping[str, NDArray[Any]]) -> bool:
    """Whether the files' cards of these plays are what their cards in words pack into."""
    rows = play_rows(columns)
    deals = np.zeros((1, loop.DEAL_WIDTH), np.int64)
    deals[0, loop.D_PLAYS] = len(rows)
    again = play_columns(rows, deals)
    return all(np.array_equal(columns[name], again[name]) for name in ("near", "far"))


def load() -> None:
    """Compile what makes columns of plays, or read it from the cache."""
    _fill_plays()


def _fill_plays() -> Any:
    arrays = [types.Array(from_dtype(c.dtype), 1, "C") for c in TABLES["plays"].columns]
    rows = types.Array(types.int64, 2, "C")
    return entry(fill_plays, (rows, rows, *arrays))


# The seats of each word in the list of finishing orders; -1 for the empty one.
_ORDERS = np.array([[int(c) for c in word] or [-1] * 4 for word in WORDS["finish"]], np.int64)


def _stack(columns: Sequence[NDArray[Any]]) -> Rows:
    return np.column_stack([np.asarray(column, np.int64) for column in columns])


def match_rows(columns: Columns) -> Rows:
    """The rows of `loop.log_match` that gave these columns."""
    return _stack(
        [
            columns["set"],
            columns["winner"].astype(np.int8),  # 255 is -1
            columns["deals"],
            columns["level0"] + 1,
            columns["level1"] + 1,
            columns["truncated"],
            columns["resets0"],
            columns["resets1"],
        ]
    )


def deal_rows(columns: Columns) -> Rows:
    """The rows of `loop.log_deal` that gave these columns."""
    rows = np.zeros((len(columns["set"]), loop.DEAL_WIDTH), np.int64)
    rows[:, loop.D_SET] = columns["set"]
    rows[:, loop.D_DEAL] = columns["deal"]
    rows[:, loop.D_LEVEL] = columns["level"] + 1
    rows[:, loop.D_OWNER] = columns["owner"]
    rows[:, loop.D_LEVELS] = columns["level0"] + 1
    rows[:, loop.D_LEVELS + 1] = columns["level1"] + 1
    rows[:, loop.D_LEADER] = columns["leader"]
    rows[:, loop.D_MARKED] = CARD_NUMBER[columns["drawn"]]
    rows[:, loop.D_PREVIOUS : loop.D_PREVIOUS + 4] = _ORDERS[columns["previous"]]
    rows[:, loop.D_TRIBUTE] = columns["tribute"]
    rows[:, loop.D_CANCELLED] = columns["cancelled"]
    for i, name in enumerate(("first", "second", "third", "last")):
        rows[:, loop.D_FINISH + i] = columns[name]
    rows[:, loop.D_GAIN] = columns["gain"]
    rows[:, loop.D_PLAYS] = columns["plays"]
    for seat in range(4):
        for i, name in enumerate(("one", "two")):
            rows[:, loop.D_HANDS + 2 * seat + i] = columns[f"hand{seat}_{name}"]
    return rows


def tribute_rows(columns: Columns) -> Rows:
    """The tribute rows of `loop.log_deal` that gave these columns, in order of the giver."""
    return _stack(
        [
            columns["set"],
            columns["deal"],
            columns["giver"],
            columns["receiver"],
            CARD_NUMBER[columns["card"]],
            CARD_NUMBER[columns["returned"]],
        ]
    )


def play_rows(columns: Mapping[str, NDArray[Any]]) -> Rows:
    """The rows of `loop.log_play` that gave these columns, but for the passes and leads, which
    columns leave out.
    """
    packed = columns["seat"].astype(np.int64)
    for name, place in (
        ("shape", lay.H_SHAPE),
        ("rank", lay.H_RANK),
        ("size", lay.H_SIZE),
        ("chosen_passes", loop.P_CHOSEN),
        ("ply", loop.P_PLY),
    ):
        packed |= columns[name].astype(np.int64) << place
    return _stack([packed, columns["one"], columns["two"]])


def part_columns(run: Run, name: str, first: int) -> Columns:
    """All columns of one table of the part that begins at set ``first``."""
    batches = list(run.part_arrays(name, first))
    return {
        column: np.concatenate([batch[column] for batch in batches])
        if batches
        else np.zeros(0, np.int64)
        for column in TABLES[name].by_name
    }
