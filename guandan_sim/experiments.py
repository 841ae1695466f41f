"""What if: the very same deals played in other ways, so that what differs was caused by that.

Each way is an arm of one run. All arms share decks, levels and, unless that is what is moved,
finishing orders before the deal. `designs` says what is played, `contrasts` works out effects.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .arms import arm_settings
from .backends import chosen_backend
from .bots import BotName
from .checks import pack_order
from .contrasts import Counts, Played, Weights, counts_of_arms
from .designs import EXPERIMENTS, GROUPS, TEAMS, Design, design
from .errors import OptionError, RunError
from .findings import ExperimentResult
from .finishes import FINISH_SEATS, card_kinds, partner_places
from .outcomes import outcomes_of_part
from .rulefiles import RulesName
from .schemas import CARD_NUMBER, WORDS
from .sessions import Progress, Where, play_run

if TYPE_CHECKING:
    from .runs import Run

__all__ = ["EXPERIMENTS", "experiment", "experiment_report", "play_design"]

Bytes = NDArray[np.uint8]

#: No rules promote by more.
_MOST_GAIN = 12
_NOBODY = 255
_BANKERS = np.where(np.array(WORDS["finish"]) == "", _NOBODY, FINISH_SEATS[:, 0]).astype(np.uint8)
_PARTNERS = partner_places(FINISH_SEATS).astype(np.uint8)
# Places in the lists of groups.
_CANCELLED = 3
_LOWER = 5  # a Queen or lower
_NONE = 99


def experiment(
    name: str | Mapping[str, Mapping[str, Any]],
    *,
    bots: BotName | Sequence[BotName] = "greedy",
    sets: int = 10_000,
    seed: int = 0,
    rules: RulesName = "guide",
    out: str | os.PathLike[str] | None = None,
    log: str = "deals",
    backend: str | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    resume: bool = False,
    level: str | None = None,
    previous_order: str | Sequence[int] | None = "random",
    progress: Callable[[Progress], None] | None = None,
    command: str = "",
    against: Sequence[RulesName] | None = None,
) -> ExperimentResult:
    """Play the same ``sets`` deals in several ways, and say what differs, by set.

    ``name`` is one of

    - "tribute-off": what tribute is worth to the Banker's team. The arms: "as it is"; "no tribute",
      where the Banker leads; and "paid, Banker leads", by which the effect is split into that of
      the cards and that of the lead.
    - "lead": what the lead is worth to the team that has it. There is no tribute, and each seat
      leads once; levels and deals won, less one half, of the leader's team are averaged.
    - "return-card": receivers return the card that their bot chooses ("own"), or the "lowest",
      the "highest" or a "random" one of those that they may return.
    - "rules": the deals by ``rules``, and by each of ``against``, presets or files.
    - arms of one's own by name, each with what it has of its own among "bots", "rules", "level" and
      "previous_order"; what an arm does not name is that of the other arguments. The first is what
      others are compared with. What is told is of the Banker's team; where the bots of the two
      teams differ, a deal has no order before it, or the Bankers of the arms are not of one team,
      of seats 0 and 2.

    ``previous_order`` "random" draws each of the 24 finishing orders as often, so that a sweep, 1-3
    and 1-4 come before a third of the deals each, whatever the bots would make of it; ``groups`` of
    the result tells them apart.

    With ``out`` it is a run like any other; without, it is written to a temporary folder and read
    from there, about 50 bytes a deal. Other arguments are those of `simulate`, and so is what is
    raised. The result depends on what is played alone.

    >>> result = experiment("lead", sets=200, seed=1)
    >>> result.arms[0], result.team
    ('seat 0 leads', "the leader's team")
    >>> -0.5 < result.effects["the lead"].levels.value < 0.5
    True
    """
    found = design(
        name,
        bots=bots,
        sets=sets,
        seed=seed,
        rules=rules,
        log=log,
        level=level,
        previous_order=previous_order,
        against=against,
    )
    chosen = chosen_backend(backend, scheduler, workers)
    return play_design(found, Where(out, resume, chosen, workers, scheduler, progress, command))


def play_design(found: Design, where: Where) -> ExperimentResult:
    """Play it, and report; see `experiment`."""
    if where.out is not None:
        run = play_run(found.settings, found.arms, where).run
        assert run is not None
        return experiment_report(run)
    if where.resume:
        raise OptionError("resume goes on with a run; name its folder by out")
    if where.scheduler is not None:
        raise OptionError(
            "an experiment is read from its run: name a folder by out that the workers of "
            f"{where.scheduler} see"
        )
    with tempfile.TemporaryDirectory(prefix="guandan_sim-") as folder:
        result = play_design(
            replace(found, settings={**found.settings, "log": "deals"}),
            replace(where, out=Path(folder) / "run"),
        )
    return replace(result, run=None)


def experiment_report(run: Run | str | os.PathLike[str]) -> ExperimentResult:
    """What `experiment` said of a run that it wrote, from the run on disk: the same.

    It is read part by part, in little memory. Raises RunError for a run that is no experiment, is
    not finished or cannot be read.
    """
    from .runs import Run, open_run

    found = run if isinstance(run, Run) else open_run(run)
    told = _Told(found)
    if not found.finished:
        raise RunError(f"{found.folder} is not finished: resume it")
    arms = counts_of_arms(len(told.arms))
    effects = [Counts(weights) for weights in told.weights]
    groups = {
        by: {group: [Counts(weights) for weights in told.weights] for group in GROUPS[by]}
        for by in told.by
    }
    for first, stop in found.parts:
        part = _Part(told, first, stop)
        for counts in (*arms, *effects):
            counts.add(part.played)
        for by, of_groups in groups.items():
            for place, all_counts in enumerate(of_groups.values()):
                chosen = part.groups[by] == place
                for counts in all_counts:
                    counts.add(part.played, chosen)
    figures = {name: counts.arm() for name, counts in zip(told.arms, arms, strict=True)}
    return ExperimentResult(
        name=told.name,
        sets=arms[0].sets,
        arms=told.arms,
        team=TEAMS[told.team],
        levels={name: of_arm[0] for name, of_arm in figures.items()},
        won={name: of_arm[1] for name, of_arm in figures.items()},
        effects={
            weights.name: counts.contrast(exact=told.same(weights))
            for weights, counts in zip(told.weights, effects, strict=True)
        },
        weights=told.weights,
        groups={
            by: {
                group: {
                    weights.name: counts.contrast(
                        # Nothing changed hands in any arm.
                        exact=group == "cancelled" or told.same(weights)
                    )
                    for weights, counts in zip(told.weights, all_counts, strict=True)
                }
                for group, all_counts in of_groups.items()
                if all_counts[0].sets
            }
            for by, of_groups in groups.items()
        },
        run=found,
    )


class _Told:
    """What a run's settings say of its experiment, checked as far as it is used. `RunError`."""

    def __init__(self, run: Run) -> None:
        self.run = run
        settings: Mapping[str, Any] = run.manifest["settings"]
        record = settings.get("experiment")
        if record is None:
            raise RunError(f"{run.folder} is no experiment's run")
        try:
            arms = arm_settings(settings)
            self.arms: tuple[str, ...] = tuple(arm["name"] for arm in arms)
            self.name: str = record["name"]
            self.team: str = record["team"]
            self.by: tuple[str, ...] = tuple(record["by"])
            self.weights = tuple(
                Weights(each["name"], tuple(each["weights"]), each["per"])
                for each in record["effects"]
            )
            self._arms = [{**arm, "name": ""} for arm in arms]
            self.orders = [arm["previous_order"] for arm in arms]
            self._check()
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise RunError(
                f"{run.folder}: the manifest's settings of the experiment cannot be read: {error}"
            ) from error

    def _check(self) -> None:
        if self.run.layout.kind != "deals":
            raise ValueError("experiments are of deals")
        names = [*self.arms, self.name, *(of.name for of in self.weights)]
        if not all(isinstance(name, str) for name in names) or len(set(self.arms)) < len(self.arms):
            raise ValueError(f"names are {names!r}")
        if self.team not in TEAMS or not set(self.by) <= GROUPS.keys():
            raise ValueError(f"team is {self.team!r}, by {self.by!r}")
        for of in self.weights:
            numbers = [*of.weights, of.per]
            if (
                len(of.weights) != len(self.arms)
                or not all(type(number) is int and abs(number) < 100 for number in numbers)
                or of.per < 1
                # As many as fit into the words in which they are counted.
                or not 1 <= len(of.arms) <= 10
            ):
                raise ValueError(f"the weights of {of.name!r} are {of.weights!r} / {of.per!r}")
        if self.team != "0":
            for order in self.orders:
                if order != "random":
                    pack_order(order)

    def same(self, weights: Weights) -> bool:
        """Whether the arms that these compare differ in nothing but their names."""
        return all(self._arms[arm] == self._arms[weights.arms[0]] for arm in weights.arms)


class _Part:
    """The sets ``first`` to ``stop`` - 1: what the team did, and of each set its groups."""

    def __init__(self, told: _Told, first: int, stop: int) -> None:
        self._told = told
        self._run, self._first, self._stop = told.run, first, stop
        arms = len(told.arms)
        outcomes = outcomes_of_part(told.run, arms, first, stop)
        orders, gains = (of.reshape(-1, arms) for of in (outcomes.orders, outcomes.gains))
        self._kinds = np.full(stop - first, _NONE, np.uint8)
        self._levels = np.zeros(stop - first, np.uint8)
        # Of all sets that were drawn alike, or have one order.
        drawn = told.orders.index("random") if "random" in told.orders else 0
        self._bankers = np.full(stop - first, _NOBODY, np.uint8)
        if told.team != "0":
            self._read_deals(drawn)
        won = (orders >> 6 & 1) == self._teams()
        if int(gains.max()) > _MOST_GAIN:
            raise self._wrong("deals")
        signed = gains.astype(np.int8)
        self.played = Played(np.where(won, signed, -signed), won, orders)
        self.groups = {}
        if "tribute" in told.by:
            self.groups["tribute"] = self._kinds
        if "card" in told.by:
            self.groups["card"] = self._cards()

    def _wrong(self, table: str) -> RunError:
        return RunError(
            f"{self._run.folder}: the {table} of sets {self._first} to {self._stop - 1} do not fit "
            "together; `guandan-sim verify` says what is wrong"
        )

    def _where(self, arm: int) -> list[tuple[str, str, int]]:
        return [("set", ">=", self._first), ("set", "<", self._stop), ("arm", "==", arm)]

    def _read_deals(self, arm: int) -> None:
        columns = ["set", "previous", "tribute", "cancelled", "level"]
        for batch in self._run.arrays("deals", columns, self._where(arm)):
            at = batch["set"] - self._first
            self._bankers[at] = _BANKERS[batch["previous"]]
            paid = np.where(batch["tribute"] > 0, _PARTNERS[batch["previous"]], _NONE)
            self._kinds[at] = np.where(batch["cancelled"], _CANCELLED, paid)
            self._levels[at] = batch["level"] + 1
        if (self._bankers == _NOBODY).any():
            raise self._wrong("deals")

    def _teams(self) -> Bytes:
        """uint8[sets, arms]: 1 where the team sits at seats 1 and 3."""
        if self._told.team == "0":
            return np.zeros((1, 1), np.uint8)
        teams = np.empty((self._stop - self._first, len(self._told.arms)), np.uint8)
        for arm, order in enumerate(self._told.orders):
            teams[:, arm] = self._bankers & 1 if order == "random" else int(order[0]) & 1
        return teams

    def _cards(self) -> Bytes:
        """uint8[sets]: which kind of card was given to the Banker in the first arm."""
        cards = np.full(self._stop - self._first, _NONE, np.uint8)
        columns = ["set", "receiver", "card"]
        for batch in self._run.arrays("tributes", columns, self._where(0)):
            at = batch["set"] - self._first
            mine = batch["receiver"] == self._bankers[at]
            at, given = at[mine], CARD_NUMBER[batch["card"][mine]].astype(np.int64)
            cards[at] = np.minimum(card_kinds(given, self._levels[at]), _LOWER)
        return cards
