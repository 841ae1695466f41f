"""What the tables of a run hold: columns, words, sentinels, and their Arrow schemas.

The word lists are part of the file format and are kept here, apart from the engine's own constants,
so that a change of the engine cannot change what files mean without notice. A word column travels
as int8 places in its list; :func:`schema_markdown` writes all of this down as SCHEMA.md.
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
    "schema_markdown",
    "tables_of",
]

SCHEMA_VERSION = 2
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

    ``kind`` is "int64", "uint16", "uint8", "bool", or the name of a list in :data:`WORDS`.
    """

    name: str
    kind: str
    text: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of a word column in order; empty for numbers."""
        return WORDS.get(self.kind, ())

    @cached_property
    def dtype(self) -> np.dtype[np.generic]:
        """The NumPy type of the values, or of the places of a word column."""
        return np.dtype("int8" if self.words else self.kind)

    @property
    def arrow(self) -> pa.DataType:
        """The Arrow type: the plain type, or dictionary<int8, string> for words."""
        import pyarrow as pa

        if self.words:
            return pa.dictionary(pa.int8(), pa.string())
        return pa.from_numpy_dtype(self.dtype)


@dataclass(frozen=True)
class Table:
    """One table: rows are sorted by ``key``, and no two rows share one.

    ``every_set``: each set of a part has at least one row, so that a part cut short can be told.
    """

    name: str
    key: tuple[str, ...]
    every_set: bool
    text: str
    columns: tuple[Column, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns in order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def schema(self) -> pa.Schema:
        """The Arrow schema; the description of each column is in its field's metadata."""
        import pyarrow as pa

        fields = [
            pa.field(c.name, c.arrow, nullable=False, metadata={"description": c.text})
            for c in self.columns
        ]
        return pa.schema(
            fields,
            metadata={
                "guandan_sim.table": self.name,
                "guandan_sim.schema_version": str(SCHEMA_VERSION),
            },
        )


_SET = Column("set", "int64", "the match, independent deal or duplicate set, from 0")
_ARM = Column("arm", "uint8", "which playing of the set's cards: 0, or 1 with the teams swapped")
_DEAL = Column("deal", "uint16", "number of the deal within its match, from 0")

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
    copies = (("one", "at least one copy"), ("two", "both copies"))
    return tuple(
        Column(
            f"hand{seat}_{word}",
            "int64",
            f"cards of which seat {seat} was dealt {copy}, before tribute",
        )
        for seat in range(4)
        for word, copy in copies
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
        Column("owner", "uint8", "team whose level is played: 0 or 1"),
        Column("level0", "level", "level of team 0 when the deal began"),
        Column("level1", "level", "level of team 1 when the deal began"),
        Column("leader", "uint8", "seat that led the first trick"),
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
        Column("first", "uint8", "seat that was out first"),
        Column("second", "uint8", "seat that was out second"),
        Column("third", "uint8", "seat that was third; after a sweep the lower seat of the losers"),
        Column("last", "uint8", "seat that was last; after a sweep the higher seat of the losers"),
        Column(
            "gain",
            "uint8",
            "levels that the finish is worth to the winning team, that of `first`, whether or not "
            "the top cuts them; 0 if it was set back",
        ),
        Column("plays", "uint8", "rows of this deal in the table plays, whether logged or not"),
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
        Column("giver", "uint8", "seat that paid"),
        Column("receiver", "uint8", "seat that was paid, and gave a card back"),
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
        Column("ply", "uint8", "number of the play within its deal, from 0"),
        Column("seat", "uint8", "seat that played"),
        Column("shape", "shape", "declared shape; never `pass`"),
        Column(
            "rank",
            "rank",
            'declared rank; of a sequence, its top natural card; "" for joker_bomb',
        ),
        Column("size", "uint8", "number of cards"),
        Column("one", "int64", "cards played of which there is at least one copy"),
        Column("two", "int64", "cards played of which there are both copies"),
        Column(
            "chosen_passes",
            "uint8",
            "bit s is set if seat s passed since the previous play although it had a legal play; "
            "its own bit tells a seat that leads for its partner from one that answers",
        ),
    ),
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


_MARKDOWN_HEAD = """\
# The tables of a run

Schema version {version}. This page is generated from `guandan_sim/schemas.py`; a test keeps it
true.

A run is a folder: `manifest.json`, and for each table a folder of parts, `part-<first
set>.parquet`. A table is its parts in the order of their names. Part N holds the sets from N up to
the next part, in key order, so rows of one set are next to each other and a reader needs one row
group or two to find them. Any Parquet reader will do; `guandan_sim.open_run` checks what it reads.

- No column has nulls. Where there is nothing to say, the column's text names the value that stands
  for it.
- Teams: 0 is seats 0 and 2, 1 is seats 1 and 3. The turn goes from seat s to s + 1, and from 3 to
  0.
- Words (a list's name in the column "type") are stored as dictionary<int8, string>; the lists are
  at the end.
- Cards in numbers: a hand or a play is two words. Card `4 * rank + suit` has that bit in `one` if
  there is at least one copy of it and in `two` if there are both. Ranks are 1 "2" .. 13 "A"; suits
  S 0, H 1, C 2, D 3; `SB` is bit 56, `HR` bit 60.
"""

_MARKDOWN_TAIL = """\
## manifest.json

| name | meaning |
|---|---|
| schema_version | {version} |
| status | "running" until every part is there, then "complete" |
| settings | everything that decides the contents: kind ("deals" or "matches"), \
count, part_sets, log, seed, rules, bots by seat, level, previous order, engine and rules versions |
| command | what was typed, if anything |
| created, finished | times in UTC |
| parts | for each part its `first` set, `stop` (one past its last), and by table the file's \
`rows`, `bytes` and `sha256` |
| rows | rows of each table |
| content_hash | for each table its content hash, below |
| summary | figures of the whole run, as printed at its end |

## Content hash

It says whether two runs hold the same games, whatever wrote the files: it leaves out times,
versions, paths, compression and row groups. For each table:

1. A block is {block} sets: block b holds the rows of sets {block} b to {block} b + {last}, in key
   order.
2. The digest of a block is the SHA-256 of its columns in the order above, each column packed as
   little-endian values of its type one after another: words as int8 places in their list, from 0;
   bool as one byte. A block without rows has the SHA-256 of nothing.
3. The content hash is the SHA-256, in hexadecimal, of the digests of blocks 0, 1, 2, ... one after
   another.

Parts begin at multiples of {block} sets, so a block is never in two parts. `sha256` in the manifest
is another thing: the checksum of a part's file, which depends on the Parquet writer.
"""


def schema_markdown() -> str:
    """The whole text of SCHEMA.md."""
    lines = [_MARKDOWN_HEAD.format(version=SCHEMA_VERSION)]
    for table in TABLES.values():
        lines += [f"## {table.name}", "", table.text, "", f"Key: {', '.join(table.key)}.", ""]
        lines += ["| column | type | meaning |", "|---|---|---|"]
        for column in table.columns:
            kind = f"word: {column.kind}" if column.words else column.kind
            lines.append(f"| {column.name} | {kind} | {column.text} |")
        lines.append("")
    lines.append(
        _MARKDOWN_TAIL.format(version=SCHEMA_VERSION, block=BLOCK_SETS, last=BLOCK_SETS - 1)
    )
    lines += ["## Word lists", "", "In order, from place 0.", ""]
    for name, words in WORDS.items():
        lines.append(f"- {name}: " + ", ".join(f"`{word}`" if word else '""' for word in words))
    return "\n".join(lines) + "\n"
