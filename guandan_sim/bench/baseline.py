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


@dataclass(frozen=True)
class Change:
    """One figure in both sets. ``verdict`` is "better" or "worse" where the middle halves of the
    rounds do not overlap, else "".
    """

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
            if not 0 < low <= figure["median"] <= high:
                raise ValueError(f"a median outside its quartiles in {figure['label']!r}")
            _ = figure["rounds"] + 0, figure["unit"] + "", figure["more_is_better"]
        _ = dict(data["machine"]), dict(data["versions"]), data["signature"]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BenchError(f"{path} has figures that cannot be read: {error!r}") from error
    return data


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """The figures that both have, in the order of ``new``, both as `read_figures` gives them.

    A figure that was measured in fewer than three rounds is never called changed.
    """
    changes = []
    for key, after in new["figures"].items():
        before = old["figures"].get(key)
        if before is None or before["unit"] != after["unit"]:
            continue
        verdict = ""
        if min(before["rounds"], after["rounds"]) >= _ROUNDS_NEEDED:
            above = after["quartiles"][0] > before["quartiles"][1]
            below = after["quartiles"][1] < before["quartiles"][0]
            if above or below:
                verdict = "better" if above == after["more_is_better"] else "worse"
        changes.append(
            Change(
                after["group"],
                after["label"],
                after["unit"],
                before["median"],
                after["median"],
                verdict,
            )
        )
    return changes


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What else is not the same, a line each: the machine, versions, the size of the workload, what
    was played.
    """
    found = []
    for part in ("machine", "versions", "plan"):
        before, after = old.get(part, {}), new.get(part, {})
        for name in dict.fromkeys([*before, *after]):
            if before.get(name) != after.get(name):
                found.append(f"{name}: {before.get(name)}, now {after.get(name)}")
    if old["signature"] != new["signature"]:
        found.append(
            f"signature: {old['signature']}, now {new['signature']}: other games are played"
        )
    return found
