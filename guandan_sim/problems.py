"""What is said of a log that cannot be followed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from . import checking, loop
from . import layout as lay
from .cards import CARD_CODES
from .errors import GuandanError
from .moves import Move

__all__ = ["describe", "left_over"]

Rows = NDArray[np.int64]

_DEAL_COLUMNS = {
    loop.D_LEVEL: "level",
    loop.D_OWNER: "owner",
    loop.D_LEVELS: "level0",
    loop.D_LEVELS + 1: "level1",
    loop.D_LEADER: "leader",
    loop.D_MARKED: "drawn",
    loop.D_TRIBUTE: "tribute",
    loop.D_CANCELLED: "cancelled",
    loop.D_GAIN: "gain",
    loop.D_PLAYS: "plays",
    loop.D_DEAL: "deal",
    **{loop.D_PREVIOUS + i: "previous" for i in range(4)},
    **{loop.D_FINISH + i: name for i, name in enumerate(("first", "second", "third", "last"))},
    **{loop.D_HANDS + i: f"hand{i // 2}_{('one', 'two')[i % 2]}" for i in range(8)},
}
_MATCH_COLUMNS = ("set", "winner", "deals", "level0", "level1", "truncated", "resets0", "resets1")


def left_over(
    run: object, place: Rows, sets: Sequence[Sequence[int] | Rows], arm: int | None = None
) -> list[str]:
    """A line for each table that has rows left where `checking.check_sets` found nothing wrong up
    to ``place``; ``sets`` are of the rows of deals, tributes, plays and matches, of an ``arm`` if
    the run has several.
    """
    of_arm = f" in arm {arm}" if arm is not None else ""
    names = ("deals", "tributes", "plays", "matches")
    return [
        f"{run}: {name} has a row of set {of[at]}{of_arm} where none belongs"
        for name, of, at in zip(names, sets, place[checking.AT_DEAL :].tolist(), strict=True)
        if at < len(of)
    ]


def describe(
    run: object, number: int, state: Rows, problem: list[int], arm: int | None = None
) -> str:
    """One line about what is wrong with set ``number`` of ``run``, its place, in an arm if it has
    several.

    ``state`` and ``problem`` are what `checking.check_sets` left.
    """
    what, where, found, due, one, two = problem
    playing = f"{run}: set {number}{f', arm {arm}' if arm is not None else ''}"
    place = f"{playing}, deal {int(state[lay.V_DEAL])}"
    play = f"{place}, play {where}"
    if what == checking.DEALS_MISSING:
        return f"{playing}: deal {where} is missing"
    if what == checking.DEALS_LEFT:
        return f"{playing}: there are deals after deal {where - 1}, which ended it"
    if what == checking.DEAL_COLUMN:
        column = _DEAL_COLUMNS[where]
        return f"{place}: deals.{column} stands for {found}; by the rules and the seed it is {due}"
    if what == checking.TRIBUTE_MISSING:
        return f"{place}: {due} tributes are due, {where} are there"
    if what == checking.TRIBUTES_LEFT:
        return f"{place}: {found} tributes are there, {due} are due"
    if what == checking.TRIBUTE_COLUMN:
        return f"{place}: tributes.{'giver' if where == 2 else 'receiver'} is {found}, not {due}"
    if what == checking.TRIBUTE_ILLEGAL:
        verb = "give" if due else "return"
        return f"{place}: seat {where} may not {verb} {CARD_CODES.get(found, 'no card')}"
    if what == checking.PLAY_MISSING:
        return f"{place}: the log ends after {where} plays, before the deal does"
    if what == checking.PLAYS_LEFT:
        return f"{place}: {found} plays are logged, but the deal ends after {due}"
    if what == checking.PLAY_TURN:
        return f"{play}: seat {found} plays, but it is the turn of seat {due}"
    if what == checking.PLAY_ILLEGAL:
        return f"{play}: seat {due} may not play {_play_text(found, one, two)}"
    if what == checking.PLAY_COLUMN:
        return f"{play}: plays.{('ply', 'size')[one]} is {found}, not {due}"
    if what == checking.PASS_FLAG:
        says = "chosen" if found else "forced"
        return f"{play}: the pass of seat {due} before it is logged as {says}, which is not so"
    column = _MATCH_COLUMNS[where]
    return f"{playing}: matches.{column} is {found}; by the rules it is {due}"


def _play_text(packed: int, one: int, two: int) -> str:
    """A logged play as text, or its words if they are not cards."""
    shape, rank = packed >> lay.H_SHAPE & 15, packed >> lay.H_RANK & 15
    try:
        return f"'{Move.from_words(shape, rank, one, two)}'"
    except (GuandanError, IndexError):
        return f"shape {shape}, rank {rank}, words {one:#x} and {two:#x}"
