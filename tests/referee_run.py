"""The slow referee follows the log of a run, deal by deal: tribute, plays, passes, finish, levels.

From the log come the hands as dealt, the choices (cards given and returned, plays) and, to be
compared, all that the rules make of them. As a script, many matches under every rule system:

    python tests/referee_run.py --matches 5000 --processes 2
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from games import CARD_BITS
from oracle import PASS, beats, full_pack, wild_of
from referee import (
    PRESETS,
    RefereeDeal,
    RefereeError,
    Switches,
    active_level,
    dwellers,
    is_cancelled,
    is_sweep,
    return_options,
    settle,
    team,
    tribute,
)

import guandan_sim as gs

Row = dict[str, Any]
END: Row = {"set": -1, "deal": -1}
FEW_CARDS = 6
BATCH = 250


class Disagreement(AssertionError):
    """What the log says is not what the rules make of it."""


def check_run(run: gs.Run, switches: Switches) -> Counter[str]:
    """Follow every match of a run; counts of what was seen. Raises `Disagreement`."""
    matches, deals, gifts = rows(run.matches()), rows(run.deals()), rows(run.tributes())
    plays = rows(run.plays())
    deal, gift, play = next(deals), next(gifts, END), next(plays)
    seen: Counter[str] = Counter()
    for match in matches:
        referee = MatchReferee(switches, seen)
        for number in range(match["deals"]):
            key = (match["set"], number)
            same(key, (deal["set"], deal["deal"]), "next deal")
            given, played = [], []
            while (gift["set"], gift["deal"]) == key:
                given.append(gift)
                gift = next(gifts, END)
            while (play["set"], play["deal"]) == key:
                played.append(play)
                play = next(plays, END)
            try:
                referee.deal(deal, given, played)
            except (Disagreement, RefereeError) as error:
                raise Disagreement(f"{run.path}, set {key[0]}, deal {key[1]}: {error}") from error
            deal = next(deals, END)
        referee.end(match)
    same((END, END, END), (deal, gift, play), "rows after the last match")
    return seen


def rows(frame: Any) -> Iterator[Row]:
    """The rows of a table as dictionaries, words as text."""
    columns = {name: frame[name].tolist() for name in frame.columns}
    names = list(columns)
    return (dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True))


def same(expected: Any, found: Any, what: str) -> None:
    if expected != found:
        raise Disagreement(f"{what}: the log has {found!r}, the rules {expected!r}")


def cards_of(one: int, two: int) -> list[str]:
    """The cards in two words, in the oracle's order."""
    once = [card for card, bit in CARD_BITS.items() if one & bit]
    return sorted(once + [card for card, bit in CARD_BITS.items() if two & bit])


class MatchReferee:
    """One match: what the deals so far have left."""

    def __init__(self, switches: Switches, seen: Counter[str]) -> None:
        self.switches = switches
        self.seen = seen
        self.levels = ("2", "2")
        self.failures = (0, 0)
        self.resets = [0, 0]
        self.order: tuple[int, ...] = ()
        self.winner: int | None = None
        self.deals = 0

    def deal(self, row: Row, gifts: Sequence[Row], plays: Sequence[Row]) -> None:
        """Follow one deal from its cards to its levels."""
        if self.winner is not None:
            raise Disagreement("the match was won before")
        hands = [cards_of(row[f"hand{s}_one"], row[f"hand{s}_two"]) for s in range(4)]
        same([27] * 4, [len(hand) for hand in hands], "sizes of the hands")
        same(sorted(full_pack()), sorted(card for hand in hands for card in hand), "the pack")
        same(self.levels, (row["level0"], row["level1"]), "levels before")
        same("".join(map(str, self.order)), row["previous"], "the order before")
        owner, leader = self._before_play(row, hands, gifts)
        same(leader, row["leader"], "leader")
        order = self._tricks(RefereeDeal(hands, row["level"], leader, self.switches), plays)
        same(order, tuple(row[place] for place in ("first", "second", "third", "last")), "finish")
        same(len(plays), row["plays"], "number of plays")
        last = dwellers(self.order) if self.order else ()
        before, levels_before = self.failures, self.levels
        self.levels, _, gain, self.failures, self.winner = settle(
            order, self.levels, owner, before, last, self.switches
        )
        same(gain, row["gain"], "gain")
        for side in range(2):
            fallen = self.levels[side] == "2" != levels_before[side]
            self.resets[side] += fallen and levels_before[side] == self.switches["top_level"]
        self.seen["failures"] += sum(self.failures) > sum(before)
        self.order = order
        self.deals += 1
        self.seen["deals"] += 1
        self.seen["sweeps"] += is_sweep(order)

    def end(self, row: Row) -> None:
        """Compare the result of the match."""
        truncated = self.winner is None
        if truncated and self.deals < self.switches["max_deals"]:
            raise Disagreement(f"set {row['set']} stops after {self.deals} deals without a winner")
        same(255 if truncated else self.winner, row["winner"], "winner")
        same(truncated, row["truncated"], "truncated")
        same(self.levels, (row["level0"], row["level1"]), "levels at the end")
        same(self.resets, [row["resets0"], row["resets1"]], "resets")
        self.seen["matches"] += 1
        self.seen["truncated"] += truncated
        self.seen["resets"] += sum(self.resets)

    def _before_play(
        self, row: Row, hands: list[list[str]], gifts: Sequence[Row]
    ) -> tuple[int, int]:
        """Opening or tribute; moves the cards and gives (owner, leader)."""
        if not self.order:
            same(("none", False, 0), (row["tribute"], row["cancelled"], len(gifts)), "tribute")
            self._opening(row, hands)
            opening = team(row["leader"]), self.levels[0]
            same(opening, (row["owner"], row["level"]), "owner and level")
            return row["owner"], row["leader"]
        owner, level = active_level(self.order, hands, self.levels, self.switches)
        same((owner, level), (row["owner"], row["level"]), "owner and level")
        payers = dwellers(self.order)
        cancelled = is_cancelled(self.order, hands, self.switches)
        kind = ("single", "double")[len(payers) - 1] if self.switches["tribute"] else "none"
        same((kind, cancelled), (row["tribute"], row["cancelled"]), "tribute")
        self.seen[f"{kind}, cancelled {cancelled}"] += 1
        give = {gift["giver"]: gift["card"] for gift in gifts}
        drawn = next((gift["giver"] for gift in gifts if gift["receiver"] == self.order[0]), None)
        _, transfers, leader = tribute(self.order, hands, level, self.switches, give, drawn)
        found = [(gift["giver"], gift["receiver"], gift["card"]) for gift in gifts]
        same(sorted(transfers), sorted(found), "cards given")
        for giver, receiver, card in transfers:
            hands[giver].remove(card)
            hands[receiver].append(card)
        returned = {gift["receiver"]: gift["returned"] for gift in gifts}
        for giver, receiver, card in transfers:
            options = return_options(hands[receiver], level, card, self.switches)
            if returned[receiver] not in options:
                raise Disagreement(f"{receiver} returns {returned[receiver]}, not of {options}")
            hands[receiver].remove(returned[receiver])
            hands[giver].append(returned[receiver])
        return owner, leader

    def _opening(self, row: Row, hands: Sequence[Sequence[str]]) -> None:
        """The card drawn to find the first leader, as far as the leader shows."""
        drawn = row["drawn"]
        rule = self.switches["opening_leader"]
        if rule == "marked_card" and drawn not in hands[row["leader"]]:
            raise Disagreement(f"the leader was not dealt {drawn!r}")
        if rule == "last_drawer" and drawn in ("", "SB", "HR"):
            raise Disagreement(f"{drawn!r} was turned up")
        if rule == "random":
            same("", drawn, "card turned up")

    def _tricks(self, referee: RefereeDeal, plays: Sequence[Row]) -> tuple[int, ...]:
        """All plays of a deal, with the passes between them."""
        for play in plays:
            passed = self._passes(referee, play)
            if play["chosen_passes"] & ~passed:
                raise Disagreement(f"ply {play['ply']}: chosen passes of seats that did not pass")
            cards = cards_of(play["one"], play["two"])
            same(len(cards), play["size"], "size")
            referee.play(play["seat"], play["shape"], play["rank"], cards)
            self.seen["plays"] += 1
            wild = wild_of(referee.level)
            self.seen["wilds in sets"] += len(cards) > 2 and wild in cards
        if not referee.finished:
            raise Disagreement(f"seat {referee.turn} is to move after the last play")
        return tuple(referee.finish_order)

    def _passes(self, referee: RefereeDeal, play: Row) -> int:
        """Pass for everyone before the seat that plays; gives their mask.

        Whether a pass was by choice is compared where the hand is small enough to list its moves.
        """
        passed = 0
        declared = (play["shape"], play["rank"], play["size"])
        while True:
            seat = referee.turn
            if seat == play["seat"]:
                # Who leads for a partner that is out passed to the partner's play before: by
                # choice, which the log says, or for want of an answer, such as this play.
                answers = referee.to_beat and beats(declared, referee.to_beat, referee.level)
                if not referee.to_beat or (answers and not play["chosen_passes"] >> seat & 1):
                    break
            if len(referee.hands[seat]) <= FEW_CARDS:
                by_choice = referee.moves() != {PASS}
                same(by_choice, bool(play["chosen_passes"] >> seat & 1), "pass by choice")
                self.seen["passes judged"] += 1
            passed |= 1 << seat
            referee.pass_(seat)
        self.seen["leads for a partner"] += bool(passed >> play["seat"] & 1)
        return passed


def played_and_checked(
    preset: str, bots: str | Sequence[str], matches: int, seed: int, folder: Path
) -> Counter[str]:
    """Whole matches of a preset in the compiled loop, written, and followed from the log."""
    run = gs.simulate(matches=matches, bots=bots, rules=preset, seed=seed, out=folder, workers=1)
    assert isinstance(run, gs.Run)
    return check_run(run, PRESETS[preset])


def _batch(task: tuple[str, str, int, int]) -> tuple[str, Counter[str]]:
    preset, bots, matches, seed = task
    with tempfile.TemporaryDirectory() as folder:
        return preset, played_and_checked(preset, bots, matches, seed, Path(folder) / "run")


def main() -> None:
    """Check many matches of each preset, half of them by each built-in bot."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--matches", type=int, default=5000, help="of each preset")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    batches = -(-options.matches // BATCH)
    tasks = [
        (preset, ("random", "greedy")[number % 2], min(BATCH, options.matches), 1000 + number)
        for preset in PRESETS
        for number in range(batches)
    ]
    started = time.monotonic()
    gs.simulate(deals=1)  # compiled before the processes start
    seen: dict[str, Counter[str]] = {preset: Counter() for preset in PRESETS}
    with ProcessPoolExecutor(options.processes) as pool:
        for preset, counts in pool.map(_batch, tasks):
            seen[preset] += counts
            if seen[preset]["matches"] >= options.matches:
                print(preset, dict(seen[preset]), f"{time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
