"""The key of a user's bot in the cache changes with whatever its code is compiled from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from guandan_sim.bots import BUILT_IN
from guandan_sim.bots.fingerprint import fingerprint

OTHER = """
import enum
import numpy as np

class Word(enum.IntEnum):
    SHAPE = 1

NUMBER = 1
NUMPY = np.int64(1)
ONE, TWO, THREE = 1, 1, 2
TENS, UNITS = 1, 12
ROW = (1, 2, 3)
TABLE = np.zeros((2, 3), np.int64)
TABLES = np.arange(5000), np.arange(5000)

def helper(x):
    return x + 1
"""
BOT = """
import numba
import other
from other import NUMPY, ONE, TWO, THREE, TENS, UNITS, ROW, TABLE, TABLES, Word

helper = numba.njit(other.helper)

@numba.njit
def with_default(x, more=other.NUMBER):
    return x + more

def enclosing(value):
    def enclosed(view, scratch, out):
        return value
    return enclosed

def by_module(view, scratch, out):
    return other.NUMBER

def by_numpy(view, scratch, out):
    return NUMPY

def by_three(view, scratch, out):
    return ONE + TWO * THREE

def by_two(view, scratch, out):
    return TENS + UNITS

def by_comprehension(view, scratch, out):
    return sum([ROW[i] for i in range(3)])

def by_shape(view, scratch, out):
    return TABLE.shape[0]

def by_tables(view, scratch, out):
    return TABLES[1][2500]

def by_class(view, scratch, out):
    return int(Word.SHAPE)

def by_helper(view, scratch, out):
    return helper(1)

def by_default(view, scratch, out):
    return with_default(1)

by_cell = enclosing(other.NUMBER)
"""
# Edits of the other file, each of which changes what the bots after it do.
EDITS = [
    [
        ("NUMBER = 1", "NUMBER = 2", "by_module by_default by_cell"),
        ("int64(1)", "int64(2)", "by_numpy"),
        ("1, 1, 2", "1, 2, 2", "by_three"),
        ("1, 12", "11, 2", "by_two"),
        ("(1, 2, 3)", "(1, 2, 4)", "by_comprehension"),
        ("(2, 3)", "(3, 2)", "by_shape"),
        ("), np.arange(5000)", "), np.arange(5000) % 2500", "by_tables"),
        ("SHAPE = 1", "SHAPE = 2", "by_class"),
        ("x + 1", "x + 2", "by_helper"),
    ],
    [
        ("int64(1)", "int32(1)", "by_numpy"),
        ("(2, 3), np.int64", "(2, 3), np.float64", "by_shape"),
    ],
]


def prints(folder: Path, other: str) -> dict[str, str]:
    """The fingerprint of every bot of `BOT`, in a process of its own, with that other file."""
    (folder / "mine.py").write_text(BOT)
    (folder / "other.py").write_text(other)
    program = """
import mine
from guandan_sim.bots.fingerprint import fingerprint
for name, function in vars(mine).items():
    if name.startswith("by_"):
        print(name, fingerprint(function).hex())
"""
    done = subprocess.run(
        [sys.executable, "-B", "-c", program],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(line.split() for line in done.stdout.splitlines())


@pytest.fixture(name="before", scope="module")
def prints_before_edits(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return prints(tmp_path_factory.mktemp("before"), OTHER)


def test_it_is_the_same_in_another_process_and_folder(
    before: dict[str, str], tmp_path: Path
) -> None:
    assert prints(tmp_path, OTHER) == before


@pytest.mark.parametrize("edits", EDITS)
def test_it_changes_with_what_another_file_holds(
    before: dict[str, str], tmp_path: Path, edits: list[tuple[str, str, str]]
) -> None:
    other = OTHER
    for old, new, _ in edits:
        assert other.count(old) == 1
        other = other.replace(old, new)
    after = prints(tmp_path, other)
    assert after.keys() == before.keys()
    changed = {name for name in before if after[name] != before[name]}
    # Functions and classes are told by their file, which changed.
    told_by_file = {"by_class", "by_helper"}
    assert changed == told_by_file.union(*(names.split() for *_, names in edits))


def test_what_is_in_no_file_has_none() -> None:
    scope: dict[str, object] = {}
    exec("def typed(view, scratch, out):\n    return 0", scope)
    assert fingerprint(scope["typed"]) is None
    assert fingerprint(BUILT_IN["greedy"].play) is not None
