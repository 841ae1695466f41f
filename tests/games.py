"""Playing at the tables step by step with bots, and what was played as the tables of a run."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from played_cards import packed_cards

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim.checks import pack_order
from guandan_sim.columns import Columns
from guandan_sim.deal import clear_deal
from guandan_sim.hashing import BlockHasher, PartSummary, TablePart, content_hash
from guandan_sim.jit import cache_dir
from guandan_sim.match import begin, start_single_deal
from guandan_sim.schemas import CARD_NUMBER, TABLES, WORDS

CARD_BITS = dict(zip(WORDS["card"], (1 << int(n) for n in CARD_NUMBER), strict=True))
ROLES = {"play": 0, "tribute": 1, "return": 2}


class PausedMatch(gs.Match):
    """A match that stands still when a deal is done, to be looked at; `next_deal` goes on."""

    def _go_on(self) -> None:
        pass

    def next_deal(self) -> None:
        """Settle the deal that is done and deal the next, if the match goes on."""
        super()._go_on()


def independent_deal(
    seed: int,
    number: int,
    rules: str = "guide",
    level: int = 0,
    previous: str | None = None,
    hands: Sequence[Sequence[str]] | None = None,
) -> PausedMatch:
    """Deal ``number`` of a run of independent deals, tribute and all; ``level`` 0 draws it.

    With ``hands`` these are dealt instead of those drawn.
    """
    table = PausedMatch(seed=seed, rules=rules)
    order = -1 if previous in (None, "random") else pack_order(previous or "")
    state = table._state
    start_single_deal(state, seed, number, level, order, int(previous == "random"))
    if hands is not None:
        streams = state[lay.S_STREAMS : lay.S_STREAMS + 4].copy()
        clear_deal(state)
        state[lay.S_STREAMS : lay.S_STREAMS + 4] = streams
        state[lay.S_HANDS : lay.S_HANDS + 8] = [w for hand in hands for w in words_of(hand)]
        begin(state, int(state[lay.V_LEVELS]))
    return table


def choice_of(bot: gs.Bot, table: gs.Match, scratch: np.ndarray) -> gs.Move | str:
    """What the bot chooses for the seat to act, from nothing but that seat's view."""
    view = table.view()
    if table.phase == "play":
        return bot.choose(view, scratch=scratch)
    options = [str(option) for option in table.options()]
    if len(options) == 1:
        return options[0]
    out = np.zeros(lay.OUT_SIZE, np.int64)
    assert bot.compiled[ROLES[table.phase]](view.words, scratch, out) == 0
    return WORDS["card"][list(CARD_NUMBER).index(int(out[lay.OUT_CARD]))]


def words_of(cards: Sequence[str]) -> tuple[int, int]:
    """The two words of some cards, from SCHEMA.md's definition."""
    one = sum(CARD_BITS[card] for card in set(cards))
    two = sum(CARD_BITS[card] for card in set(cards) if list(cards).count(card) == 2)
    return one, two


@dataclass
class Recorder:
    """Plays step by step with bots and writes down the rows of a run, words as words."""

    bots: Sequence[gs.Bot]
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: {n: [] for n in TABLES})

    def deal(self, table: PausedMatch, number: int) -> None:
        """Play the deal on the table to its end, as deal ``number`` of its set."""
        key = {"set": int(table.state[lay.S_SET]), "arm": 0, "deal": number}
        dealt, levels, owner = table.hands, table.levels, table.owner
        due, cancelled = table.state[[lay.V_TRIBUTE, lay.V_CANCELLED]].tolist()
        before = table.state[lay.V_PREVIOUS : lay.V_PREVIOUS + 4].tolist()
        scratch = np.zeros((4, lay.SCRATCH_SIZE), np.int64)
        chosen, ply = 0, 0
        while table.phase != "done":
            seat = table.to_move
            assert seat is not None
            choice = choice_of(self.bots[seat], table, scratch[seat])
            if isinstance(choice, gs.Move) and choice.shape == "pass":
                chosen |= table.view().has_choice << seat
            elif isinstance(choice, gs.Move):
                one, two = words_of(choice.cards)
                row = {"ply": ply, "seat": seat, "shape": choice.shape, "rank": choice.rank}
                near, far = packed_cards(WORDS["rank"].index(choice.rank), one, two)
                row |= {"size": len(choice.cards), "near": near, "far": far}
                row |= {"chosen_passes": chosen}
                self.rows["plays"].append(key | row)
                chosen, ply = 0, ply + 1
            table.step(choice)
        for giver, receiver, card, returned in sorted(table.tributes):
            row = {"giver": giver, "receiver": receiver, "card": card, "returned": returned}
            self.rows["tributes"].append(key | row)
        order = table.finish_order
        drawn = list(CARD_NUMBER).index(int(table.state[lay.V_MARKED]))
        row = {"level": table.level, "owner": owner, "level0": levels[0], "level1": levels[1]}
        row |= {"leader": table.leader, "drawn": WORDS["card"][drawn], "cancelled": cancelled}
        row |= {"previous": "".join(map(str, before)) if before[0] >= 0 else ""}
        row |= {"tribute": WORDS["tribute"][due], "plays": ply}
        row |= dict(zip(("first", "second", "third", "last"), order, strict=True))
        for seat, hand in enumerate(dealt):
            row |= dict(zip((f"hand{seat}_one", f"hand{seat}_two"), words_of(hand), strict=True))
        table.next_deal()
        self.rows["deals"].append(key | row | {"gain": int(table.state[lay.S_GAIN])})

    def match(self, table: PausedMatch) -> None:
        """Play a whole match."""
        while table.phase != "done":
            self.deal(table, table.deals)
        words = table.state
        row: dict[str, Any] = {"set": int(words[lay.S_SET]), "arm": 0, "deals": table.deals}
        row |= {"winner": 255 if table.winner is None else table.winner, "ahead": 255}
        row |= {"level0": table.levels[0], "level1": table.levels[1], "truncated": table.truncated}
        if table.truncated:
            ranks = [WORDS["level"].index(level) for level in table.levels]
            row["ahead"] = 255 if ranks[0] == ranks[1] else int(ranks[1] > ranks[0])
        resets = words[lay.S_RESETS : lay.S_RESETS + 2].tolist()
        self.rows["matches"].append(row | {"resets0": resets[0], "resets1": resets[1]})

    def content_hash(self, tables: Sequence[str], sets: int) -> dict[str, str]:
        """The content hash of the rows of sets 0 to ``sets`` - 1, as a run would have it."""
        parts = {}
        for name in tables:
            hasher = BlockHasher(TABLES[name], 0, sets)
            hasher.update(self._columns(name))
            parts[name] = TablePart(hasher.rows, 0, "", hasher.finish())
        return content_hash([PartSummary(0, sets, parts)])

    def _columns(self, table: str) -> Columns:
        return {
            c.name: np.array(
                [c.words.index(r[c.name]) if c.words else r[c.name] for r in self.rows[table]],
                c.dtype,
            )
            for c in TABLES[table].columns
        }


def random_steps(table: gs.Deal, seed: int, steps: int = 10_000) -> Iterator[gs.Move]:
    """Play up to ``steps`` uniform legal moves on a deal, and yield each as it has been made."""
    bot = gs.bot("random")
    for count in range(steps):
        if table.done:
            return
        move = bot.choose(table.view(), seed=(seed + 1_000_003 * count) % 2**63)
        table.play(move)
        yield move


def user_module(monkeypatch: pytest.MonkeyPatch, folder: Path, name: str, text: str) -> str:
    """Write an importable module of bots, compiled within ``folder``; gives its name.

    Processes that are started find the game itself compiled.
    """
    (folder / f"{name}.py").write_text(textwrap.dedent(text))
    compiled = cache_dir()
    (folder / "cache").mkdir()
    (folder / "cache" / compiled.name).symlink_to(compiled.absolute())
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("GUANDAN_SIM_CACHE", str(folder / "cache"))
    monkeypatch.delitem(sys.modules, name, raising=False)
    return name
