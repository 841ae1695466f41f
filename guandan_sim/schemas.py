"""What the tables of a run hold: columns, words, sentinels, and their Arrow schemas.

The word lists are part of the file format and are kept here, apart from the engine's own constants,
so that a change of the engine cannot change what files mean without notice. A word column travels
as int8 places in its list. SCHEMA.md is written from this, see `schemapage`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "BLOCK_SETS",
    "CARD_INDEX",
    "CARD_NUMBER",
    "FINISH_INDEX",
    "LEVEL_INDEX",
    "SCHEMA_VERSION",
    "TABLES",
    "WORDS",
    "Column",
    "Table",
    "tables_of",
]

SCHEMA_VERSION = 3
BLOCK_SETS = 1024
"""Sets in one block of the content hash; parts begin at multiples of it."""

_RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A")
_SUITS = ("S", "H", "C", "D")

WORDS: dict[str, tuple[str, ...]] = {
    "rank": ("", *_RANKS, "SB", "HR"),
    "level": _RANKS,
    "card": ("", *(suit + rank for rank in _RANKS for suit in _SUITS), "SB", "HR"),
    "shape": (
        "pass",
        "single",
        "pair",
        "triple",
        "full_house",
        "straight",
        "tube",
        "plate",
        "bomb",
        "straight_flush",
        "joker_bomb",
    ),
    "finish": ("", *("".join(map(str, order)) for order in permutations(range(4)))),
    "tribute": ("none", "single", "double"),
}
"""Every word list by its name. A file stores the words; kernels and hashes use their places.

``rank`` places are the engine's rank numbers (0 none, 1 "2" .. 13 "A", 14 "SB", 15 "HR"), ``shape``
places its shape numbers; the arrays below turn the engine's other numbers into places.
"""


def _level_index() -> NDArray[np.int8]:
    index = np.full(16, -1, np.int8)
    index[1:14] = np.arange(13)
    return index


def _card_number() -> NDArray[np.int8]:
    suited = [4 * rank + suit for rank in range(1, 14) for suit in range(4)]
    return np.array([0, *suited, 56, 60], np.int8)


def _card_index() -> NDArray[np.int8]:
    index = np.full(64, -1, np.int8)
    index[CARD_NUMBER] = np.arange(CARD_NUMBER.size)
    return index


def _finish_index() -> NDArray[np.int8]:
    index = np.full(256, -1, np.int8)
    for place, (a, b, c, d) in enumerate(permutations(range(4)), start=1):
        index[64 * a + 16 * b + 4 * c + d] = place
    return index


LEVEL_INDEX = _level_index()
"""int8[16]: rank number (1 "2" .. 13 "A") -> place in ``WORDS["level"]``; -1 for the others."""
CARD_NUMBER = _card_number()
"""int8[55]: place in ``WORDS["card"]`` -> card number ``4 * rank + suit``; 0 for no card."""
CARD_INDEX = _card_index()
"""int8[64]: card number, 0 for no card -> place in ``WORDS["card"]``; -1 where there is none."""
FINISH_INDEX = _finish_index()
"""int8[256]: ``64 * first + 16 * second + 4 * third + last`` -> place in ``WORDS["finish"]``.

-1 for what is no order of the four seats. Place 0, "", is for a deal that none came before.
"""

for _array in (LEVEL_INDEX, CARD_NUMBER, CARD_INDEX, FINISH_INDEX):
    _array.flags.writeable = False


@dataclass(frozen=True)
class Column:
    """One column: its name, its type and what it says.

    ``kind`` is "int64", "uint32", "uint16", "uint8", "bool", or the name of a list in
    :data:`WORDS`. ``coding`` is how a number is packed in the file, see :attr:`encoding`.
    """

    name: str
    kind: str
    text: str
    coding: str = "dictionary"

    @property
    def encoding(self) -> str:
        """Parquet's encoding: "dictionary" (always of words), "plain", "delta" (binary packed),
        "split" (byte streams), or "raw", which is plain and not compressed.
        """
        return "dictionary" if self.words else self.coding

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of a word column in order; empty for numbers."""
        return WORDS.get(self.kind, ())

    @cached_property
    def dtype(self) -> np.dtype[np.generic]:
        """The NumPy type of the values, or of the places of a word column."""
        return np.dtype("int8" if self.words else self.kind)

    @cached_property
    def arrow_words(self) -> pa.Array:
        """The words as an Arrow array."""
        import pyarrow as pa

        return pa.array(self.words, pa.string())

    @property
    def arrow(self) -> pa.DataType:
        """The Arrow type: the plain type, or dictionary<int8, string> for words."""
        import pyarrow as pa

        if self.words:
            return pa.dictionary(pa.int8(), pa.string())
        return pa.from_numpy_dtype(self.dtype)

    def field(self, name: str) -> pa.Field:
        """The Arrow field of the column under ``name``; its description is in its metadata."""
        import pyarrow as pa

        return pa.field(name, self.arrow, nullable=False, metadata={"description": self.text})


@dataclass(frozen=True)
class Table:
    """One table: rows are sorted by ``key``, and no two rows share one.

    ``every_set``: each set of a part has at least one row, so that a part cut short can be told.
    ``columns`` are those of the files, ``derived`` those that a reader works out from the columns
    ``source``; ``shown`` are the names that a reader is given unless it asks for others.
    """

    name: str
    key: tuple[str, ...]
    every_set: bool
    text: str
    columns: tuple[Column, ...]
    derived: tuple[Column, ...] = ()
    source: tuple[str, ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of the files in order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def by_name(self) -> dict[str, Column]:
        """Every column, of the files and derived."""
        return {column.name: column for column in (*self.columns, *self.derived)}

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """What a reader is given: derived columns in the place of those that only they need."""
        if not self.derived:
            return self.names
        before, after = self.names.index(self.source[1]), self.names.index(self.source[-1])
        derived = tuple(column.name for column in self.derived)
        return (*self.names[:before], *derived, *self.names[after + 1 :])

    @cached_property
    def schema(self) -> pa.Schema:
        """The Arrow schema; the description of each column is in its field's metadata."""
        import pyarrow as pa

        return pa.schema(
            [column.field(column.name) for column in self.columns],
            metadata={
                "guandan_sim.table": self.name,
                "guandan_sim.schema_version": str(SCHEMA_VERSION),
            },
        )


_SET = Column("set", "int64", "the match, independent deal or duplicate set, from 0", "delta")
_ARM = Column(
    "arm",
    "uint8",
    "which playing of the set's cards, from 0; the manifest says what each arm is",
    "plain",
)
_DEAL = Column("deal", "uint16", "number of the deal within its match, from 0", "split")

_MATCHES = Table(
    "matches",
    ("set", "arm"),
    True,
    "One row a match. A run of independent deals has no such table.",
    (
        _SET,
        _ARM,
        Column("winner", "uint8", "team that won the match: 0 or 1; 255 if the cap ended it"),
        Column("deals", "uint16", "deals played"),
        Column("level0", "level", "level of team 0 at the end"),
        Column("level1", "level", "level of team 1 at the end"),
        Column("truncated", "bool", "the cap on deals ended the match, which has no winner"),
        Column(
            "ahead",
            "uint8",
            "team with the higher level when the cap ended the match: 0 or 1; 255 if their levels "
            "were the same, or the match was won",
        ),
        Column("resets0", "uint16", "times that team 0 was set back to level 2"),
        Column("resets1", "uint16", "times that team 1 was set back to level 2"),
    ),
)


def _hand_columns() -> tuple[Column, ...]:
    copies = (("one", "at least one copy", "raw"), ("two", "both copies", "split"))
    return tuple(
        Column(
            f"hand{seat}_{word}",
            "int64",
            f"cards of which seat {seat} was dealt {copy}, before tribute",
            coding,
        )
        for seat in range(4)
        for word, copy, coding in copies
    )


_DEALS = Table(
    "deals",
    ("set", "arm", "deal"),
    True,
    "One row a deal.",
    (
        _SET,
        _ARM,
        _DEAL,
        Column("level", "level", "the active level, whose hearts are wild"),
        Column("owner", "uint8", "team whose level is played: 0 or 1", "split"),
        Column("level0", "level", "level of team 0 when the deal began"),
        Column("level1", "level", "level of team 1 when the deal began"),
        Column("leader", "uint8", "seat that led the first trick", "split"),
        Column(
            "drawn",
            "card",
            "card turned up to find the opening leader, see opening_leader in RULES.md; "
            '"" where none was',
        ),
        Column(
            "previous",
            "finish",
            'finishing order of the previous deal, its seats as in "0213"; "" if there was none',
        ),
        Column("tribute", "tribute", "cards due: none, one, or one from each loser of a sweep"),
        Column("cancelled", "bool", "tribute was due, and red jokers cancelled it"),
        Column("first", "uint8", "seat that was out first", "split"),
        Column("second", "uint8", "seat that was out second", "split"),
        Column(
            "third",
            "uint8",
            "seat that was third; after a sweep the lower seat of the losers",
            "split",
        ),
        Column(
            "last",
            "uint8",
            "seat that was last; after a sweep the higher seat of the losers",
            "split",
        ),
        Column(
            "gain",
            "uint8",
            "levels that the finish is worth to the winning team, that of `first`, whether or not "
            "the top cuts them; 0 if it was set back",
            "split",
        ),
        Column(
            "plays", "uint8", "rows of this deal in the table plays, whether logged or not", "split"
        ),
        *_hand_columns(),
    ),
)

_TRIBUTES = Table(
    "tributes",
    ("set", "arm", "deal", "giver"),
    False,
    "One row a tribute paid, so two after a sweep and none where it was cancelled.",
    (
        _SET,
        _ARM,
        _DEAL,
        Column("giver", "uint8", "seat that paid", "split"),
        Column("receiver", "uint8", "seat that was paid, and gave a card back", "split"),
        Column("card", "card", "card paid"),
        Column("returned", "card", "card given back"),
    ),
)

_PLAYS = Table(
    "plays",
    ("set", "arm", "deal", "ply"),
    True,
    "One row a play of cards. Passes have no rows: a pass by choice is a bit of the next play's "
    "`chosen_passes`, and every other pass was forced.",
    (
        _SET,
        _ARM,
        _DEAL,
        Column("ply", "uint8", "number of the play within its deal, from 0", "split"),
        Column("seat", "uint8", "seat that played", "split"),
        Column("shape", "shape", "declared shape; never `pass`"),
        Column(
            "rank",
            "rank",
            'declared rank; of a sequence, its top natural card; "" for joker_bomb',
        ),
        Column("size", "uint8", "number of cards", "split"),
        Column("near", "uint32", "cards at the rank and up to four below it, see above", "split"),
        Column("far", "uint32", "the other cards, see above", "plain"),
        Column(
            "chosen_passes",
            "uint8",
            "bit s is set if seat s passed since the previous play although it had a legal play; "
            "its own bit tells a seat that leads for its partner from one that answers",
            "split",
        ),
    ),
    derived=(
        Column("one", "int64", "cards played of which there is at least one copy"),
        Column("two", "int64", "cards played of which there are both copies"),
    ),
    source=("rank", "near", "far"),
)

TABLES: dict[str, Table] = {t.name: t for t in (_MATCHES, _DEALS, _TRIBUTES, _PLAYS)}
"""Every table by name."""


def tables_of(kind: str, log: str) -> tuple[str, ...]:
    """Names of the tables that a run of ``kind`` ("deals", "matches") keeps with ``log``.

    ``log`` is "none" (no tables), "deals" (all but plays) or "plays" (all).
    """
    if log == "none":
        return ()
    names = ("matches",) if kind == "matches" else ()
    return (*names, "deals", "tributes", *(("plays",) if log == "plays" else ()))
