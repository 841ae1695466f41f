"""How every deal and match of a run ended, compactly: two bytes a deal, and three more a match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .errors import RunError

if TYPE_CHECKING:
    from .runs import Run

__all__ = ["Outcomes", "outcomes_of_part"]

_COLUMNS = {
    "deals": ("set", "arm", "first", "second", "third", "last", "gain"),
    "matches": ("set", "arm", "winner", "deals"),
}


class Outcomes:
    """The outcomes of some sets one after another, each of all ``arms``; ``matches``: a set of an
    arm is a match, else one deal. A *playing* is a set of an arm: set * arms + arm.
    """

    def __init__(self, arms: int, matches: bool) -> None:
        self.arms = arms
        self.matches = matches
        self._pieces: dict[str, list[NDArray[Any]]] = {
            "order": [np.zeros(0, np.uint8)],
            "gain": [np.zeros(0, np.uint8)],
            "winner": [np.zeros(0, np.uint8)],
            "deals": [np.zeros(0, np.uint16)],
        }

    def add(self, tables: Mapping[str, Mapping[str, NDArray[Any]]]) -> None:
        """Add the rows of the tables "deals" and "matches", in the order of their keys."""
        deals = tables["deals"]
        order = deals["first"] << 6 | deals["second"] << 4 | deals["third"] << 2 | deals["last"]
        self._pieces["order"].append(order)
        self._pieces["gain"].append(deals["gain"].copy())
        if self.matches:
            for name in ("winner", "deals"):
                self._pieces[name].append(tables["matches"][name].copy())

    def extend(self, more: Iterable[Outcomes]) -> None:
        """Add those of later sets."""
        for other in more:
            for name, pieces in other._pieces.items():
                self._pieces[name] += pieces

    def _of(self, name: str) -> NDArray[Any]:
        pieces = self._pieces[name]
        if len(pieces) > 1:
            pieces[:] = [np.concatenate(pieces)]
        return pieces[0]

    @property
    def orders(self) -> NDArray[np.uint8]:
        """Of each deal its finishing order, two bits a seat, the first on top."""
        return self._of("order")

    @property
    def gains(self) -> NDArray[np.uint8]:
        """Of each deal the levels that it was worth to the team of the first."""
        return self._of("gain")

    @property
    def winners(self) -> NDArray[np.uint8]:
        """Of each playing of a match the team that won it; 255 none."""
        return self._of("winner")

    @property
    def lengths(self) -> NDArray[np.uint16]:
        """Of each playing of a match its deals."""
        return self._of("deals")

    @property
    def playings(self) -> NDArray[np.int64]:
        """Of each deal the number of its playing."""
        if not self.matches:
            return np.arange(len(self.orders))
        return np.repeat(np.arange(len(self.winners)), self.lengths)

    @property
    def sets(self) -> int:
        """How many sets these are."""
        return len(self.winners if self.matches else self.orders) // self.arms

    def in_pieces(self, sets: int) -> Iterator[Outcomes]:
        """The same, ``sets`` sets at a time."""
        ends = np.arange(len(self.orders) + 1)
        if self.matches:
            ends = np.concatenate([[0], np.cumsum(self.lengths, dtype=np.int64)])
        for first in range(0, self.sets, sets):
            playings = slice(first * self.arms, min(first + sets, self.sets) * self.arms)
            deals = slice(ends[playings.start], ends[playings.stop])
            piece = Outcomes(self.arms, self.matches)
            for name, of_deals in (
                ("order", True),
                ("gain", True),
                ("winner", False),
                ("deals", False),
            ):
                piece._pieces[name] = [self._of(name)[deals if of_deals else playings]]
            yield piece


def outcomes_of_part(run: Run, arms: int, first: int, stop: int) -> Outcomes:
    """Those of the sets ``first`` to ``stop`` - 1, a part of a run on disk, from its files.

    Raises `RunError` for files that cannot be read, and rows that are not those of these sets.
    """
    found = Outcomes(arms, "matches" in run.tables)
    names = ["deals", "matches"] if found.matches else ["deals"]
    tables: dict[str, dict[str, NDArray[Any]]] = {
        name: _columns(run, name, first) for name in names
    }
    due = first * arms + np.arange((stop - first) * arms)
    keys = {name: of["set"].astype(np.int64) * arms + of["arm"] for name, of in tables.items()}
    fits = np.array_equal(keys[names[-1]], due) and all(
        (of["arm"] < arms).all() for of in tables.values()
    )
    if fits and found.matches:
        due = np.repeat(due, tables["matches"]["deals"])
        fits = np.array_equal(keys["deals"], due)
    orders = np.stack([tables["deals"][name] for name in _COLUMNS["deals"][2:6]])
    if not fits or (np.sort(orders, axis=0) != np.arange(4)[:, None]).any():
        raise RunError(
            f"{run.folder}: the rows of sets {first} to {stop - 1} do not fit together; "
            "`guandan-sim verify` says what is wrong"
        )
    found.add(tables)
    return found


def _columns(run: Run, name: str, first: int) -> dict[str, NDArray[Any]]:
    pieces: dict[str, list[NDArray[Any]]] = {column: [] for column in _COLUMNS[name]}
    for batch in run.part_arrays(name, first):
        for column, values in pieces.items():
            values.append(batch[column])
    none = [np.zeros(0, np.uint8)]
    return {column: np.concatenate(values or none) for column, values in pieces.items()}
