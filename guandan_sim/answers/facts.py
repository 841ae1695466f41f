"""The deals of a part of a run, column by column, with what statistics ask of hands and plays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import dealfacts, loop
from .. import layout as lay
from ..columns import Columns, to_columns
from ..errors import RunError
from ..finishes import FINISH_SEATS, partner_places
from ..logrows import MOST_OF_PLAYS
from ..parts import row_groups
from ..planner import WORK_SIZE
from ..rules import Rules
from ..schemas import CARD_NUMBER, TABLES
from ..warming import mark_compiled

if TYPE_CHECKING:
    from ..runs import Run

__all__ = ["Facts", "compile_kernels", "facts_of_part"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_Made = TypeVar("_Made")

_HANDS = tuple(f"hand{seat}_{word}" for seat in range(4) for word in ("one", "two"))
_PACK = np.int64(sum(1 << int(number) for number in CARD_NUMBER[1:]))
_PLAYS = ("arm", "ply", "seat", "shape", "rank", "size", "chosen_passes")
_TRIBUTES = ("set", "arm", "deal", "giver", "receiver", "card", "returned")


@dataclass(frozen=True, eq=False)
class Facts:
    """Some deals of one arm of a run, in order: n of them, no set of which is elsewhere.

    columns: of the table deals, words by their places.
    tributes: columns of the rows that belong to these deals.
    plays: their plays packed as `dealfacts.follow_deals` takes them; None if not logged.
    rules: that they were played by.
    planned: which deals (bool[n]) plans are made of.
    place: where they are from, for errors.
    """

    columns: Mapping[str, NDArray[Any]]
    tributes: Mapping[str, NDArray[Any]]
    plays: Ints | None
    rules: Rules
    planned: NDArray[np.bool_]
    place: str

    def __len__(self) -> int:
        return len(self.columns["set"])

    @cached_property
    def sets(self) -> Ints:
        """int64[n]: the set of each deal; sets are the clusters of every interval."""
        return self.columns["set"].astype(np.int64)

    @cached_property
    def level(self) -> Ints:
        """int64[n]: rank of the level, 1 ("2") to 13 ("A")."""
        return self.columns["level"].astype(np.int64) + 1

    @cached_property
    def order(self) -> Ints:
        """int64[n, 4]: seats in the order they finished."""
        return np.stack(
            [self.columns[name] for name in ("first", "second", "third", "last")], axis=1
        ).astype(np.int64)

    @cached_property
    def winner(self) -> Ints:
        """int64[n]: the team that won the deal, 0 or 1."""
        return self.order[:, 0] & 1

    @cached_property
    def outcome(self) -> Ints:
        """int64[n]: place of the winner's partner: 0 second (a sweep), 1 third, 2 last."""
        return partner_places(self.order)

    @cached_property
    def gain(self) -> Ints:
        """int64[n]: levels that the finish was worth to the winners."""
        return self.columns["gain"].astype(np.int64)

    def levels_of(self, team: Ints) -> Floats:
        """float64[n]: levels that these teams (0 or 1) gained, negative if the other one did."""
        found: Floats = np.where(self.winner == team, self.gain, -self.gain).astype(np.float64)
        return found

    def won_by(self, team: Ints) -> Floats:
        """float64[n]: 1 where these teams won the deal, else 0."""
        found: Floats = (self.winner == team).astype(np.float64)
        return found

    @cached_property
    def leader(self) -> Ints:
        """int64[n]: the seat that led first."""
        return self.columns["leader"].astype(np.int64)

    @cached_property
    def opening(self) -> NDArray[np.bool_]:
        """bool[n]: there was no deal before."""
        found: NDArray[np.bool_] = self.columns["previous"] == 0
        return found

    @cached_property
    def previous(self) -> Ints:
        """int64[n, 4]: the finishing order of the deal before; 0123 where there was none."""
        found: Ints = FINISH_SEATS[self.columns["previous"]]
        return found

    @cached_property
    def previous_outcome(self) -> Ints:
        """int64[n]: `outcome` of the deal before."""
        return partner_places(self.previous)

    @cached_property
    def due(self) -> Ints:
        """int64[n]: tributes due: 0, 1 or 2."""
        return self.columns["tribute"].astype(np.int64)

    @cached_property
    def cancelled(self) -> NDArray[np.bool_]:
        """bool[n]: tribute was due, and red jokers cancelled it."""
        return self.columns["cancelled"].astype(bool)

    @cached_property
    def tribute_deal(self) -> Ints:
        """int64[t]: for each row of the tributes the place of its deal, 0 to n - 1."""
        keys = _keys(self.columns)
        wanted = _keys(self.tributes)
        places = np.searchsorted(keys, wanted)
        paid = np.bincount(places, minlength=len(self))
        if (
            not np.isin(wanted, keys).all()
            or (np.diff(places) < 0).any()
            or (paid != np.where(self.cancelled, 0, self.due)).any()
        ):
            raise _misfit(self.place)
        found: Ints = places
        return found

    def tribute_column(self, name: str) -> Ints:
        """int64[t]: a column of the tributes; cards as card numbers (bits of a board)."""
        values = self.tributes[name]
        if name in ("card", "returned"):
            values = CARD_NUMBER[values]
        found: Ints = values.astype(np.int64)
        return found

    @cached_property
    def dealt(self) -> Ints:
        """int64[n, 4, 2]: the hands as dealt, before tribute, by seat."""
        return np.stack([self.columns[name] for name in _HANDS], axis=1).reshape(-1, 4, 2)

    @cached_property
    def hands(self) -> Ints:
        """int64[n, 4, 2]: the hands that play began with, tributes and returns exchanged."""
        hands = self.dealt.copy()
        deal = self.tribute_deal
        giver, receiver = self.tribute_column("giver"), self.tribute_column("receiver")
        for card, source, target in (("card", giver, receiver), ("returned", receiver, giver)):
            bit = np.int64(1) << self.tribute_column(card)
            # A seat pays at most one card and receives at most one, so no place comes twice.
            one, two = hands[deal, source, 0], hands[deal, source, 1]
            hands[deal, source, 0] = np.where(two & bit, one, one & ~bit)
            hands[deal, source, 1] = two & ~bit
            one, two = hands[deal, target, 0], hands[deal, target, 1]
            hands[deal, target, 0] = one | bit
            hands[deal, target, 1] = two | (one & bit)
        if (_cards(hands) != _HAND).any():
            raise _misfit(self.place)
        return hands

    @cached_property
    def held_as_dealt(self) -> Ints:
        """int64[n, 4, HAND_WIDTH]: of each hand as dealt, see `dealfacts.hand_facts`."""
        return _hand_facts(self.dealt, self.level)

    @cached_property
    def plans(self) -> Ints:
        """int64[p, 4, PLAN_WIDTH]: of the deals that are `planned`, in order; see
        `dealfacts.plan_facts`.
        """
        hands = np.ascontiguousarray(self.hands[self.planned]).reshape(-1, 2)
        facts = np.zeros((len(hands), dealfacts.PLAN_WIDTH), np.int64)
        levels = np.repeat(self.level[self.planned], 4)
        pair = int(self.rules.full_house_joker_pair)
        dealfacts.plan_facts(hands, levels, pair, np.zeros(WORK_SIZE, np.int64), facts)
        return facts.reshape(-1, 4, dealfacts.PLAN_WIDTH)

    @cached_property
    def play(self) -> tuple[Ints, Ints, Ints]:
        """Of logged plays: int64[n, START_WIDTH] of each deal, and rows of the bombs and of plays
        that the partner could beat, see `dealfacts.follow_deals`.
        """
        assert self.plays is not None
        ends = np.cumsum(self.columns["plays"].astype(np.int64))
        starts = np.zeros((len(self), dealfacts.START_WIDTH), np.int64)
        room = int(self.columns["plays"].max(initial=0)) * _DEALS_AT_ONCE
        bombs = np.zeros((room, dealfacts.BOMB_WIDTH), np.int64)
        partners = np.zeros((room, dealfacts.PARTNER_WIDTH), np.int64)
        counts = np.zeros(2, np.int64)
        found: tuple[list[Ints], list[Ints]] = ([], [])
        for first in range(0, len(self), _DEALS_AT_ONCE):
            some = slice(first, first + _DEALS_AT_ONCE)
            before = ends[first - 1] if first else 0
            dealfacts.follow_deals(
                self.plays[before:],
                ends[some] - before,
                self.level[some],
                int(self.rules.pass_locks),
                starts[some],
                bombs,
                partners,
                counts,
            )
            for kept, rows, count in zip(found, (bombs, partners), counts.tolist(), strict=True):
                own = rows[:count].copy()
                own[:, 0] += first
                kept.append(own)
        left = starts[:, dealfacts.S_LEFT : dealfacts.S_LEFT + 4]
        if (left < 0).any() or (left > _HAND).any() or _of_seat(left, self.order[:, 0]).any():
            raise _misfit(self.place)
        return starts, _joined(found[0], bombs), _joined(found[1], partners)

    @cached_property
    def _made(self) -> dict[Any, Any]:
        return {}

    def once(self, make: Callable[[Facts], _Made]) -> _Made:
        """What ``make`` makes of these deals, which several statistics ask for."""
        if make not in self._made:
            self._made[make] = make(self)
        found: _Made = self._made[make]
        return found

    def of_teams(self, values: Ints) -> Ints:
        """int64[n]: what seats 0 and 2 have of ``values``, int64[n, 4], less what 1 and 3 have."""
        found: Ints = values[:, 0] + values[:, 2] - values[:, 1] - values[:, 3]
        return found


_DEALS_AT_ONCE = 4_096
_HAND = 27


def _joined(rows: list[Ints], like: Ints) -> Ints:
    return np.concatenate(rows) if rows else like[:0]


def _keys(columns: Mapping[str, NDArray[Any]]) -> Ints:
    return columns["set"].astype(np.int64) << 16 | columns["deal"].astype(np.int64)


def _hand_facts(hands: Ints, levels: Ints) -> Ints:
    facts = np.zeros((4 * len(hands), dealfacts.HAND_WIDTH), np.int64)
    dealfacts.hand_facts(hands.reshape(-1, 2), np.repeat(levels, 4), facts)
    return facts.reshape(-1, 4, dealfacts.HAND_WIDTH)


def _cards(hands: Ints) -> Ints:
    """int64[n, 4]: how many cards the hands have, int64[n, 4, 2]."""
    counts: Ints = np.bitwise_count(hands).sum(axis=2, dtype=np.int64)
    return counts


def _of_seat(values: Ints, seats: Ints) -> Ints:
    """int64[n]: of each row of ``values``, int64[n, 4], that of a seat."""
    return np.take_along_axis(values, seats[:, None], axis=1)[:, 0]


def _misfit(place: str) -> RunError:
    return RunError(
        f"{place}: the rows do not fit together; `guandan-sim verify` says what is wrong"
    )


def facts_of_part(
    run: Run, part: tuple[int, int], rules: list[Rules], every: int
) -> Iterator[Facts]:
    """The deals of each arm of a part (first set, one past its last). ``rules`` are those of the
    arms; plans are made of every so manieth set, 0: of none.

    Raises RunError for files that cannot be read, and rows that do not fit together.
    """
    columns = _read(run, "deals", part, TABLES["deals"].names)
    tributes = _read(run, "tributes", part, _TRIBUTES)
    logged = "plays" in run.tables
    plays = _read(run, "plays", part, _PLAYS) if logged else None
    place = f"{run.folder}, sets {part[0]} to {part[1] - 1}"
    tables = [table for table in (columns, tributes, plays) if table is not None]
    if any((table["arm"] >= len(rules)).any() for table in tables):
        raise _misfit(place)
    for number, of_arm in enumerate(rules):
        deals, gifts, played = (
            table if table is None or len(rules) == 1 else _of_arm(table, number)
            for table in (columns, tributes, plays)
        )
        assert deals is not None
        assert gifts is not None
        if not _deals_fit(deals, part) or not _gifts_fit(gifts):
            raise _misfit(place)
        if played is not None and not _plays_fit(played, deals["plays"]):
            raise _misfit(place)
        planned = deals["set"] % every == 0 if every else np.zeros(len(deals["set"]), np.bool_)
        yield Facts(
            deals, gifts, None if played is None else _packed(played), of_arm, planned, place
        )


def _of_arm(table: Columns, number: int) -> Columns:
    return {name: values[table["arm"] == number] for name, values in table.items()}


def _deals_fit(deals: Columns, part: tuple[int, int]) -> bool:
    """Whether the deals are those of every set of the part, whole and in order."""
    sets, numbers = deals["set"], deals["deal"].astype(np.int64)
    if not len(sets) or (sets[0], sets[-1] + 1) != part or numbers[0] != 0:
        return False
    steps = np.diff(sets)
    following = np.where(steps == 0, numbers[:-1] + 1, 0)
    orders = np.stack([deals[name] for name in ("first", "second", "third", "last")], axis=1)
    hands = np.stack([deals[name] for name in _HANDS], axis=1).reshape(-1, 4, 2)
    return bool(
        np.isin(steps, (0, 1)).all()
        and (numbers[1:] == following).all()
        and (np.sort(orders, axis=1) == np.arange(4)).all()
        and (deals["leader"] < 4).all()
        and (_cards(hands) == _HAND).all()
        and not (hands & ~_PACK).any()
        and not (hands[:, :, 1] & ~hands[:, :, 0]).any()
    )


def _gifts_fit(gifts: Columns) -> bool:
    """Whether seats and cards of the tributes are some."""
    seats = (gifts["giver"] < 4) & (gifts["receiver"] < 4) & (gifts["giver"] != gifts["receiver"])
    return bool((seats & (gifts["card"] != 0) & (gifts["returned"] != 0)).all())


def _plays_fit(plays: Columns, counts: NDArray[Any]) -> bool:
    """Whether the plays are as many as each deal has, and of seats, shapes and sizes that are."""
    if int(counts.sum(dtype=np.int64)) != len(plays["ply"]) or not (counts > 0).all():
        return False
    steps = np.ones(len(plays["ply"]), np.uint8)
    steps[0] = 0
    steps[np.cumsum(counts[:-1], dtype=np.int64)] = 1 - counts[:-1]  # back to 0, modulo 256
    return bool(
        (plays["ply"] == np.cumsum(steps, dtype=np.uint8)).all()
        and (plays["shape"] != 0).all()
        and all((plays[name] <= most).all() for name, most in MOST_OF_PLAYS)
    )


def _packed(plays: Columns) -> Ints:
    """int64[p]: plays as `dealfacts.follow_deals` takes them."""
    packed = plays["seat"].astype(np.int64)
    for name, shift in (
        ("shape", lay.H_SHAPE),
        ("rank", lay.H_RANK),
        ("size", lay.H_SIZE),
        ("chosen_passes", loop.P_CHOSEN),
    ):
        packed |= plays[name].astype(np.int64) << shift
    return packed


def _read(run: Run, table: str, part: tuple[int, int], names: tuple[str, ...]) -> dict[str, Any]:
    pieces: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
    for data in row_groups(run.folder, TABLES[table], part, list(names)):
        for name, values in to_columns(TABLES[table], data).items():
            pieces[name].append(values)
    none = [np.zeros(0, np.uint8)]
    return {name: np.concatenate(values or none) for name, values in pieces.items()}


def compile_kernels() -> None:
    """Compile what the statistics run, or read it from the cache."""
    hands, levels = np.zeros((0, 2), np.int64), np.zeros(0, np.int64)
    rows = np.zeros((0, 1), np.int64)
    floats = np.zeros((0, 1))
    dealfacts.hand_facts(hands, levels, rows)
    dealfacts.plan_facts(hands, levels, 0, np.zeros(WORK_SIZE, np.int64), rows)
    dealfacts.follow_deals(levels, levels, levels, 0, rows, rows, rows, np.zeros(2, np.int64))
    sums = np.zeros((1, 1, 7))
    dealfacts.add_clusters(levels, levels, floats, floats, np.zeros((1, 1, 2)), sums)
    dealfacts.add_products(floats, np.zeros((1, 1)))
    mark_compiled("report")
