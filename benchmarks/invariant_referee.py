"""Rows of independent deals given to the slow referee of the tests, beside this folder."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from guandan_sim import layout as lay
from guandan_sim import loop
from guandan_sim.cards import CARD_CODES, RANK_WORDS
from guandan_sim.shapes import SHAPE_WORDS

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from referee import PRESETS, RefereeError
from referee_run import Disagreement, MatchReferee

if TYPE_CHECKING:
    from invariants import Block

_DUE = ("none", "single", "double")


def follow(preset: str, block: Block, most: int) -> tuple[int, list[str]]:
    """Follow up to ``most`` independent deals; gives how many, and what the referee objects to."""
    play = 0
    texts = []
    deals = block.deals[:most].tolist()
    tributes = block.tributes.tolist()
    for words in deals:
        row = _deal(words)
        plays = block.plays[play : play + row["plays"]].tolist()
        play += row["plays"]
        gifts = [_gift(gift) for gift in tributes if gift[0] == row["set"]]
        referee = MatchReferee(PRESETS[preset], Counter())
        referee.levels = (row["level"], row["level"])
        referee.order = tuple(map(int, row["previous"]))
        try:
            referee.deal(row, gifts, [_play(words) for words in plays])
        except (Disagreement, RefereeError) as error:
            texts.append(f"set {row['set']}, deal 0: the referee says: {error}")
    return len(deals), texts


def _deal(words: list[int]) -> dict[str, Any]:
    """A deal's row as the tables of a run have it."""
    previous = words[loop.D_PREVIOUS : loop.D_PREVIOUS + 4]
    row: dict[str, Any] = {
        "set": words[loop.D_SET],
        "level": RANK_WORDS[words[loop.D_LEVEL]],
        "owner": words[loop.D_OWNER],
        "level0": RANK_WORDS[words[loop.D_LEVELS]],
        "level1": RANK_WORDS[words[loop.D_LEVELS + 1]],
        "leader": words[loop.D_LEADER],
        "drawn": CARD_CODES.get(words[loop.D_MARKED], ""),
        "previous": "".join(map(str, previous)) if previous[0] >= 0 else "",
        "tribute": _DUE[words[loop.D_TRIBUTE]],
        "cancelled": bool(words[loop.D_CANCELLED]),
        "gain": words[loop.D_GAIN],
        "plays": words[loop.D_PLAYS],
    }
    for i, place in enumerate(("first", "second", "third", "last")):
        row[place] = words[loop.D_FINISH + i]
    for seat in range(4):
        row[f"hand{seat}_one"] = words[loop.D_HANDS + 2 * seat]
        row[f"hand{seat}_two"] = words[loop.D_HANDS + 2 * seat + 1]
    return row


def _gift(words: list[int]) -> dict[str, Any]:
    _, _, giver, receiver, card, returned = words
    return {
        "giver": giver,
        "receiver": receiver,
        "card": CARD_CODES[card],
        "returned": CARD_CODES[returned],
    }


def _play(words: list[int]) -> dict[str, Any]:
    packed, one, two = words
    return {
        "ply": packed >> loop.P_PLY,
        "seat": packed & 3,
        "shape": SHAPE_WORDS[packed >> lay.H_SHAPE & 15],
        "rank": RANK_WORDS[packed >> lay.H_RANK & 15],
        "size": packed >> lay.H_SIZE & 15,
        "one": one,
        "two": two,
        "chosen_passes": packed >> loop.P_CHOSEN & 15,
    }
