"""SCHEMA.md: what is in a run, written from the schemas themselves."""

from __future__ import annotations

from .schemas import BLOCK_SETS, SCHEMA_VERSION, TABLES, WORDS

__all__ = ["COLUMNS_HEADING", "columns_markdown", "schema_markdown"]

#: The card of a run is generated from this heading on.
COLUMNS_HEADING = "## Columns"

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
- Numbers are as narrow as may be, many of them unsigned: in NumPy and pandas the negative of a
  `gain` of 3 is 253. Write `gain.astype(int)` first.
- Teams: 0 is seats 0 and 2, 1 is seats 1 and 3. The turn goes from seat s to s + 1, and from 3 to
  0.
- Words (a list's name in the column "type") are stored as dictionary<int8, string>; the lists are
  at the end.
- Cards in numbers: a hand or a play is two words. Card `4 * rank + suit` has that bit in `one` if
  there is at least one copy of it and in `two` if there are both. Ranks are 1 "2" .. 13 "A"; suits
  S 0, H 1, C 2, D 3; `SB` is bit 56, `HR` bit 60. So `one.to_numpy() >> 60 & 1` and the same of
  `two` add up to the red jokers of a hand, and `guandan_sim.cards.words_to_cards(one, two)` lists
  the cards of one.
- The files keep a play's two words as `near` and `far`, which pack into half the bytes: most plays
  are a few cards at their declared rank and just below. `guandan_sim` gives `one` and `two` when it
  reads. A card of rank q stands in nibble (q - rank + 4) mod 13, its suit S, H, C, D in the
  nibble's bits 0 to 3, where `rank` is the play's own, 1 to 13, and 5 for jokers. Bits 0 to 19 of
  `near` are nibbles 0 to 4, so that the cards of the declared rank are bits 16 to 19; bit 20 is
  `SB`, bit 21 `HR`; bit 22 + i says that the i-th lowest card of `one` is there twice. `far` is
  nibbles 5 to 12.
"""

_MARKDOWN_TAIL = """\
## manifest.json

| name | meaning |
|---|---|
| schema_version | {version} |
| status | "running" until every part is there, then "complete" |
| settings | everything that decides the contents: kind ("deals" or "matches"), \
count, part_sets, log, seed, rules, bots by seat, level, previous order, engine and rules \
versions, arms, arena and experiment |
| command | what was typed, if anything |
| created, finished | times in UTC |
| parts | for each part its `first` set, `stop` (one past its last), and by table the file's \
`rows`, `bytes` and `sha256` |
| rows | rows of each table |
| stopped | of a run that a sequential test ended early: after how many `sets`, and the `reason`; \
the sets from there to count are not there |
| content_hash | for each table its content hash, below |
| summary | figures of the whole run, as printed at its end |
| checksum | the SHA-256, in hexadecimal, of all else in this file, as JSON with its keys in order \
and no spaces: `verify` finds what was edited by hand |

Where a run has several arms, `settings.arms` lists them from arm 0: what an arm has of its own
(bots, rules, level, previous_order), in place of what the settings say of all. All arms play the
same sets: same deck, and where they have no others of their own the same level, lead and tribute
due. A run without that list has one arm. In an arena each arm has its `teams`, too: who sits at
seats 0 and 2 and who at 1 and 3, by their numbers in the list `settings.arena.teams`;
`settings.arena.sprt` holds the two Elo differences of its test, or null. In an experiment each arm
has its `name`. `settings.experiment` has the experiment's `name`; the `team` whose figures are told
("banker", of the first in the arm's previous order; "leader", the same where nothing is paid; "0",
seats 0 and 2); its `effects`, each with a `name` and the `weights` of the arms in it, to be divided
by `per`; and in `by` what sets are grouped by ("tribute", "card"). The summary of several arms has
each arm's figures under `arms`.

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
    lines += _tables("##")
    lines.append(
        _MARKDOWN_TAIL.format(version=SCHEMA_VERSION, block=BLOCK_SETS, last=BLOCK_SETS - 1)
    )
    lines += ["## Word lists", "", "In order, from place 0.", ""]
    for name, words in WORDS.items():
        lines.append(f"- {name}: " + ", ".join(f"`{word}`" if word else '""' for word in words))
    return "\n".join(lines) + "\n"


def columns_markdown() -> str:
    """The part of a run's card that says what its tables hold, from `COLUMNS_HEADING` on."""
    text = "\n".join([COLUMNS_HEADING, "", *_tables("###")])
    return text.replace(", see above", ", see SCHEMA.md")


def _tables(level: str) -> list[str]:
    """Lines on every table, under headings of that level."""
    lines = []
    for table in TABLES.values():
        lines += [f"{level} {table.name}", "", table.text, "", f"Key: {', '.join(table.key)}.", ""]
        lines += ["| column | type | meaning |", "|---|---|---|"]
        for column in table.columns:
            kind = f"word: {column.kind}" if column.words else column.kind
            lines.append(f"| {column.name} | {kind} | {column.text} |")
        lines += [
            f"| {column.name} (when read) | {column.kind} | {column.text} |"
            for column in table.derived
        ]
        lines.append("")
    return lines
