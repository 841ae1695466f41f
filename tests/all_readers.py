"""Every way to read a run: on a broken one each must give rows or say in one line what is wrong."""

from __future__ import annotations

import contextlib
import random
import traceback
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import guandan_sim as gs
from guandan_sim.replay import replay_run


def _exhaust(batches: Iterator[Any]) -> None:
    for _ in batches:
        pass


def _summary(run: gs.Run) -> None:
    repr(run)
    repr(run.summary)


READERS: dict[str, Callable[[gs.Run], object]] = {
    "repr": _summary,
    "matches": lambda run: run.matches(),
    "deals": lambda run: run.deals(),
    "tributes": lambda run: run.tributes(),
    "plays": lambda run: run.plays(),
    "joined": lambda run: run.plays(["rank", "deals.level"], where=[("deals.owner", "==", 1)]),
    "batches": lambda run: _exhaust(run.batches("plays", where=pc.field("shape") == "bomb")),
    "arrays": lambda run: _exhaust(run.arrays("deals")),
    "aggregate": lambda run: run.aggregate("plays", {"n": "count", "most": ("one", "max")}, "rank"),
    "per_deal": lambda run: _exhaust(run.per_deal({"n": "count", "most": ("size", "max")})),
    "dataset": lambda run: [run.dataset(table).to_table() for table in run.tables],
    "set_rows": lambda run: [run.set_rows(table, 1, None) for table in run.tables],
    # The whole log is followed, and some of it told.
    "decisions": lambda run: _exhaust(run.decisions(moves=True, rows=500, every=7)),
    "replay": lambda run: [replay_run(run, number) for number in (0, 2)],
    "check_files": lambda run: run.check_files(),
    "verify": lambda run: str(run.verify()),
}


def misread(
    folder: Path,
    told: Callable[[str], object] = lambda _: None,
    but: Collection[str] = (),
) -> list[str]:
    """What is wrong with how the readers, ``but`` some, take the run in ``folder``, a traceback
    each.

    ``told`` is given the name of each reader before it is called.
    """
    wrong = []
    for name, reader in READERS.items():
        if name in but:
            continue
        told(name)
        try:
            reader(gs.open_run(folder))
        except gs.RunError as error:
            text = str(error)
            if not text.isprintable():
                wrong.append(f"{name}: not one plain line: {text!r}")
        except (OSError, pa.ArrowException):
            # A dataset is pyarrow's own once it is made.
            if name != "dataset":
                wrong.append(f"{name}: {traceback.format_exc()}")
        except Exception:
            wrong.append(f"{name}: {traceback.format_exc()}")
    return wrong


def spoil_at_random(folder: Path, seed: int) -> str:
    """Flip, cut, add or move bytes of one file of the run, and say what was done."""
    choices = random.Random(seed)
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.name != ".lock")
    file = choices.choice(files)
    data = bytearray(file.read_bytes())
    at = choices.randrange(len(data))
    how = choices.choice(["flip", "flip", "flip", "footer", "cut", "insert", "zero", "swap"])
    if how == "footer":
        at = max(len(data) - 1 - choices.randrange(1_200), 0)
        how = "flip"
    if how == "flip":
        for _ in range(choices.choice([1, 1, 1, 4])):
            data[min(at, len(data) - 1)] ^= 1 << choices.randrange(8)
            at += choices.randrange(1, 20)
    elif how == "cut":
        del data[at:]
    elif how == "insert":
        data[at:at] = choices.randbytes(choices.randrange(1, 64))
    elif how == "zero":
        data[at : at + 16] = bytes(len(data[at : at + 16]))
    else:
        other = choices.choice(files)
        data[:] = other.read_bytes()
    file.write_bytes(data)
    return f"{seed}: {how} at {at} of {file.relative_to(folder)}"


def fuzz(whole: Path, work: Path, seeds: range) -> None:
    """Spoil a copy of the run in ``whole`` for each seed; print what is done and what is wrong."""
    originals = {
        file.relative_to(whole): file.read_bytes() for file in whole.rglob("*.*") if file.is_file()
    }
    for seed in seeds:
        for name, data in originals.items():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_bytes(data)
        print(spoil_at_random(work, seed), flush=True)
        with contextlib.suppress(gs.RunError):
            gs.open_run(work)
        for problem in misread(work, lambda name: print(f"  {name}", flush=True)):
            print(f"WRONG {problem}", flush=True)
    print("end", flush=True)
