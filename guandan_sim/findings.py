"""What an experiment found, to be read, printed, and written as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from .contrasts import Contrast, Estimate, Weights
from .estimates import cell_lines, json_safe

if TYPE_CHECKING:
    from .runs import Run

__all__ = ["ExperimentResult", "Groups"]

#: Effects by group, by what groups the sets.
Groups = Mapping[str, Mapping[str, Mapping[str, Contrast]]]

_OF_ARMS = ("", "levels a deal", "interval", "deals won, %", "interval")
_OF_EFFECTS = (
    *("", "sets", "levels a deal", "interval", "won, points", "interval"),
    *("differ, %", "saved, %"),
)
# How groups are called below an effect.
_GROUPED = {"tribute": "  {}", "card": "  {} given"}


@dataclass(frozen=True)
class ExperimentResult:
    """What an experiment found; printed, it is a table. All intervals are 95%, each by itself.

    name: the experiment's, "own" with arms of one's own. sets: so many, each played in all arms.
    arms: their names. team: whose figures these are: "the Banker's team", the first's of the
    previous order; "the leader's team"; or "seats 0 and 2".

    levels, won: of each arm, by its name, levels that the team gained a deal, those of its
    opponents counted against it, and the share of deals that it won. effects: by name what differs
    between arms, from the differences by set; see `contrasts.Contrast`. weights: what each effect
    adds up. groups: the effects among some sets, as ``groups["tribute"]["cancelled"]``: "tribute"
    is that, or how the deal before was won where it was paid; "card" the card given to the Banker
    in the first arm. run: the run on disk, None if nothing was kept.
    """

    name: str
    sets: int
    arms: tuple[str, ...]
    team: str
    levels: Mapping[str, Estimate]
    won: Mapping[str, Estimate]
    effects: Mapping[str, Contrast]
    weights: tuple[Weights, ...]
    groups: Groups
    run: Run | None

    def as_dict(self) -> dict[str, Any]:
        """All figures by name, for JSON: intervals are lists, nan is None."""
        figures = {
            "name": self.name,
            "sets": self.sets,
            "arms": self.arms,
            "team": self.team,
            "levels": {arm: asdict(found) for arm, found in self.levels.items()},
            "won": {arm: asdict(found) for arm, found in self.won.items()},
            "effects": {name: asdict(found) for name, found in self.effects.items()},
            "weights": [asdict(weights) for weights in self.weights],
            "groups": {
                by: {
                    group: {name: asdict(found) for name, found in effects.items()}
                    for group, effects in groups.items()
                }
                for by, groups in self.groups.items()
            },
        }
        safe: dict[str, Any] = json_safe(figures)
        return safe

    def __str__(self) -> str:
        arms: list[tuple[str, ...]] = [_OF_ARMS]
        for arm in self.arms:
            levels, won = _cells(self.levels[arm], "+.3f"), _cells(self.won[arm], ".2f", 100)
            arms.append((arm, *levels, *won))
        effects: list[tuple[str, ...]] = [_OF_EFFECTS]
        for name, effect in self.effects.items():
            effects.append(_row(name, effect))
            for by, groups in self.groups.items():
                for group, found in groups.items():
                    effects.append(_row(_GROUPED[by].format(group), found[name]))
        lines = [
            f"{self.name}: {self.sets:,} sets, each in {len(self.arms)} arms; of {self.team}",
            *cell_lines(arms),
            "",
            *cell_lines(effects),
        ]
        return "\n".join(lines + list(self._legend()))

    def _legend(self) -> Iterator[str]:
        """What each effect is, where its name does not say so."""
        for of in self.weights:
            terms = {"+": "", "-": ""}
            for arm, weight in zip(self.arms, of.weights, strict=True):
                if weight:
                    terms["-" if weight < 0 else "+"] += f" - {arm}" if weight < 0 else f" + {arm}"
            text = "".join(terms.values()).removeprefix(" + ")
            if of.per > 1:
                yield f"{of.name}: mean of the {len(of.arms)} arms, of deals won less 50%"
            elif text != of.name:
                yield f"{of.name}: {text}"


def _row(name: str, effect: Contrast) -> tuple[str, ...]:
    saved = effect.variance_saved.value
    return (
        name,
        f"{effect.sets:,}",
        *_cells(effect.levels, "+.3f"),
        *_cells(effect.won, "+.2f", 100),
        f"{100 * effect.changed / effect.sets:.1f}",
        "-" if math.isnan(saved) else f"{100 * saved:.1f}",
    )


def _cells(found: Estimate, form: str, factor: float = 1) -> tuple[str, str]:
    low, high = (format(bound * factor, form) for bound in found.interval)
    known = not math.isnan(found.se)
    return format(found.value * factor, form), f"[{low}, {high}]" if known else "unknown"
