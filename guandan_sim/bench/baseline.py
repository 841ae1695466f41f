"""Two sets of figures compared: which have changed by more than they vary."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import BenchError

__all__ = ["FORMAT", "Change", "compare", "differences", "read_figures"]

#: Marks a file as ours, and with what meaning of its fields.
FORMAT = "guandan_sim bench 1"

#: With fewer rounds than this quartiles say nothing.
_ROUNDS_NEEDED = 3

#: Best rounds of the same code are this close on the same machine, about.
_LEAST_STEP = 1.02

#: Loads that are further apart than this are worth telling.
_LOAD_APART = 1.0


@dataclass(frozen=True)
class Change:
    """One figure in both sets. ``verdict`` is "better", "worse", or "" where it may be chance."""

    group: str
    label: str
    unit: str
    old: float
    new: float
    verdict: str

    @property
    def ratio(self) -> float:
        return self.new / self.old


def read_figures(path: Path) -> dict[str, Any]:
    """What ``guandan-sim bench --json`` wrote. Raises `BenchError` if it did not write this."""
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BenchError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise BenchError(f"{path} is not JSON: {error}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        found = data.get("format") if isinstance(data, dict) else type(data).__name__
        raise BenchError(
            f"{path} has no figures to compare with: its format is {found!r}; "
            f"`guandan-sim bench --json` writes {FORMAT!r}"
        )
    try:
        for figure in data["figures"].values():
            low, high = figure["quartiles"]
            least, most = figure["range"]
            if not 0 < least <= low <= figure["median"] <= high <= most:
                raise ValueError(f"a median outside its quartiles in {figure['label']!r}")
            _ = figure["rounds"] + 0, figure["unit"] + ""
            _ = figure["more_is_better"], figure["relative"]
        _ = dict(data["machine"]), dict(data["versions"]), max(data["load"]), data["signature"]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BenchError(f"{path} has figures that cannot be read: {error!r}") from error
    return data


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """The figures that both have, in the order of ``new``, both as `read_figures` gives them.

    A change is named where the middle halves of the rounds do not overlap, and never from fewer
    than three rounds. Other work on the machine makes rounds slow and never fast: of a figure that
    is not a ratio the best rounds have to differ, too, by 2%.
    """
    changes = []
    for key, after in new["figures"].items():
        before = old["figures"].get(key)
        if before is None or before["unit"] != after["unit"]:
            continue
        changes.append(
            Change(
                after["group"],
                after["label"],
                after["unit"],
                before["median"],
                after["median"],
                _verdict(before, after),
            )
        )
    return changes


def _verdict(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    if min(before["rounds"], after["rounds"]) < _ROUNDS_NEEDED:
        return ""
    up = after["quartiles"][0] > before["quartiles"][1]
    down = after["quartiles"][1] < before["quartiles"][0]
    if not after["relative"]:
        best = max if after["more_is_better"] else min
        step = best(after["range"]) / best(before["range"])
        up = up and step > _LEAST_STEP
        down = down and step < 1 / _LEAST_STEP
    if not (up or down):
        return ""
    return "better" if up == after["more_is_better"] else "worse"


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What else is not the same, a line each: the machine, versions, the size of the workload, the
    load, what was played.
    """
    found = []
    for part in ("machine", "versions", "plan"):
        before, after = old.get(part, {}), new.get(part, {})
        for name in dict.fromkeys([*before, *after]):
            if before.get(name) != after.get(name):
                found.append(f"{name}: {before.get(name)}, now {after.get(name)}")
    before, after = max(old["load"]), max(new["load"])
    if abs(before - after) > _LOAD_APART:
        found.append(
            f"load of the machine: {before}, now {after}: what took long rounds may differ"
        )
    if old["signature"] != new["signature"]:
        found.append(
            f"signature: {old['signature']}, now {new['signature']}: other games are played"
        )
    return found
