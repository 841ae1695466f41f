"""The tables of a report a second time, deal by deal in plain Python, from the rows of a run.

Cards are texts, and plays are followed turn by turn, as the slow rules of `oracle` have it. What
counts for a cell is listed as (set, above, below), whose sums' ratio is the value.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import comb, sqrt
from typing import Any

import numpy as np
from oracle import JOKERS, NATURAL_LINE, RANKS, SUITS, Play, beats, rank_of, wild_of
from referee_run import cards_of, rows

import guandan_sim as gs

Row = dict[str, Any]
Term = tuple[int, float, float]

OUTCOMES = ("1-2, a sweep", "1-3", "1-4")
CARD_KINDS = ("red joker", "black joker", "level card", "A", "K", "Q", "J or lower")
ITEMS = (
    "wild",
    "red joker",
    "black joker",
    "other level card",
    "ace",
    "bomb of 4",
    "bomb of 5",
    "bomb of 6",
    "bomb of 7 or 8",
    "straight flush",
)
BOMBS = ("bomb", "straight_flush", "joker_bomb")
SHAPES = ("single", "pair", "triple", "full_house", "straight", "tube", "plate", *BOMBS)
LEFT = {(1, 5): "1 to 5", (6, 10): "6 to 10", (11, 15): "11 to 15", (16, 20): "16 to 20"}
LEFT |= {(21, 27): "21 to 27"}
LAST = {(1, 2): "1 or 2", (3, 5): "3 to 5"} | {
    ends: word for ends, word in LEFT.items() if ends != (1, 5)
}
WHOLE = ("outcomes", "tribute-due", "cards-given", "cards-returned", "first-plays", "last-hand")
SLOPES = ("values", "values-by-level", "bombs-by-level")


def among(number: int, ranges: Mapping[tuple[int, int], str]) -> str | None:
    """The word of the range that a number is in."""
    return next((word for (low, high), word in ranges.items() if low <= number <= high), None)


def mean_of_bombs(*sizes: int) -> float:
    """How many ranks of so many natural cards two hands hold on average."""
    ranks = [8] * 12 + [6]
    ways = sum(comb(n, s) * comb(108 - n, 27 - s) for n in ranks for s in sizes if s <= n)
    return 2 * ways / comb(108, 27)


FLUSH = 2 * float(gs.exact.natural_straight_flush("7"))
MEANS = (1, 1, 1, 3, 4, *map(mean_of_bombs, (4, 5, 6)), mean_of_bombs(7, 8), FLUSH)


def items_of(hand: Sequence[str], level: str) -> list[int]:
    """How many of each of `ITEMS` a hand holds; at level A as many aces as are due."""
    wild = wild_of(level)
    natural = [card for card in hand if card != wild]
    sizes = Counter(Counter(rank_of(c) for c in natural if c not in JOKERS).values())
    held = set(natural)
    lines = (NATURAL_LINE[low : low + 5] for low in range(10))
    flush = any(all(suit + rank in held for rank in line) for line in lines for suit in SUITS)
    ranks = Counter(map(rank_of, hand))
    wilds = hand.count(wild)
    aces = 2 if level == "A" else ranks["A"]
    counts = [wilds, ranks["HR"], ranks["SB"], ranks[level] - wilds, aces]
    return [*counts, *(sizes[size] for size in (4, 5, 6)), sizes[7] + sizes[8], int(flush)]


@dataclass
class Followed:
    """The plays of a deal, turn by turn."""

    leads: list[bool] = field(default_factory=list)
    left: list[int] = field(default_factory=lambda: [27] * 4)
    # Of each play the cards then left by seat.
    then: list[tuple[int, ...]] = field(default_factory=list)
    # A seat that could beat its partner's play: seat, cards left to the partner, whether it did.
    partners: list[tuple[int, int, bool]] = field(default_factory=list)


def followed(plays: Sequence[Row], leader: int, level: str, locks: bool) -> Followed:
    """Follow the plays of a deal."""
    found = Followed()
    turn = last = leader
    to_beat: Play | None = None
    passed: set[int] = set()
    barred: set[int] = set()
    for play in plays:
        declared = (play["shape"], play["rank"], play["size"])
        chosen = [play["chosen_passes"] >> seat & 1 for seat in range(4)]
        while True:
            partner = to_beat is not None and turn == (last + 2) % 4
            answers = to_beat is None or (beats(declared, to_beat, level) and not chosen[turn])
            if turn == play["seat"] and answers:
                break
            if partner and chosen[turn]:
                found.partners.append((turn, found.left[last], False))
            passed.add(turn)
            if locks:
                barred.add(turn)
            asked = [seat % 4 for seat in range(turn + 1, turn + 4)]
            asked = [s for s in asked if found.left[s] and s != last and s not in passed | barred]
            if asked:
                turn = asked[0]
            else:
                turn = last = last if found.left[last] else (last + 2) % 4
                to_beat = None
                passed, barred = set(), set()
        if partner:
            found.partners.append((turn, found.left[last], True))
        found.leads.append(to_beat is None)
        found.left[turn] -= play["size"]
        found.then.append(tuple(found.left))
        to_beat, last, passed = declared, turn, set()
        after = [seat % 4 for seat in range(turn + 1, turn + 4)]
        turn = next((s for s in after if found.left[s] and s not in barred), turn)
        if turn == last:
            # Nobody is left to ask: the trick is over at once.
            turn = last = last if found.left[last] else (last + 2) % 4
            to_beat, barred = None, set()
    return found


class Tables:
    """What counts for each cell, by table, row and measure, and the units of regressions."""

    def __init__(self, locks: bool, every: int) -> None:
        self.cells: dict[str, dict[str, dict[int, list[Term]]]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(list))
        )
        self.fits: dict[str, list[tuple[int, list[float], list[float]]]] = defaultdict(list)
        self.rules = "guide"
        self._locks = locks
        self._every = every

    def add(self, key: str, label: str | None, number: int, *values: Any) -> None:
        """A unit of a set: of each measure its value, (above, below), or None."""
        if label is None:
            return
        for measure, value in enumerate(values):
            if value is not None:
                pair = value if isinstance(value, tuple) else (value, 1)
                self.cells[key][label][measure].append((number, *pair))

    def share(self, key: str, labels: Sequence[str], found: str, number: int, at: int = 0) -> None:
        """A unit that counts below in every row, and above in one."""
        for label in labels:
            self.add(key, label, number, *([None] * at), int(label == found))

    def deal(self, row: Row, gifts: Sequence[Row], plays: Sequence[Row] | None) -> None:
        """All that one deal says."""
        number, level = row["set"], row["level"]
        order = [row[place] for place in ("first", "second", "third", "last")]
        winner = order[0] % 2

        def result(team: int) -> tuple[int, int]:
            team %= 2
            return int(team == winner), row["gain"] if team == winner else -row["gain"]

        def outcome_of(seats: Sequence[int]) -> str:
            return OUTCOMES[list(seats).index((seats[0] + 2) % 4) - 1]

        outcome = outcome_of(order)
        self.share("outcomes", OUTCOMES, outcome, number)
        for team, name in enumerate(("team 0 (seats 0, 2)", "team 1 (seats 1, 3)")):
            self.add("teams", name, number, *result(team))
        self.add("length", "plays", number, row["plays"])
        self.add("matches", "deals", number, (1, int(row["deal"] == 0)))

        due, cancelled, leader = row["tribute"], row["cancelled"], row["leader"]
        before = [int(seat) for seat in row["previous"]]
        if due != "none":
            self.add("tribute-cancelled", due, number, int(cancelled))
        why = "opening leader"
        if before:
            self.share("tribute-due", ("none", "single", "double"), due, number)
            how = "no tribute" if due == "none" else "cancelled" if cancelled else "paid"
            values = (*result(before[0]), int(winner == before[0] % 2 and outcome == OUTCOMES[0]))
            self.add("advantage", f"{outcome_of(before)}, {how}", number, *values)
            why = (
                f"Banker, {due} cancelled"
                if cancelled
                else "Banker, by the rules"
                if leader == before[0]
                else f"payer after {outcome_of(before)}"
            )
        else:
            self.add("opening-lead", "leading side", number, *result(leader))
        self.add("leads", why, number, *result(leader))
        if gifts:
            self._gifts(row, gifts, before[0], outcome_of(before), result)

        dealt = [cards_of(row[f"hand{s}_one"], row[f"hand{s}_two"]) for s in range(4)]
        self._values(row, dealt, bool(before), result)
        if number % self._every == 0:
            self._plans(row, dealt, gifts, order, result)
        if plays is not None:
            self._plays(row, plays, followed(plays, leader, level, self._locks), order, result)

    def _gifts(self, row: Row, gifts: Sequence[Row], banker: int, before: str, result: Any) -> None:
        number, level = row["set"], row["level"]
        for gift in gifts:
            side = {"1-3": 0, "1-4": 1}.get(before, 2 if gift["receiver"] == banker else 3)
            rank = rank_of(gift["card"])
            if rank in JOKERS:
                kind = CARD_KINDS[0 if rank == "HR" else 1]
            elif rank == level:
                kind = "level card"
            else:
                kind = rank if rank in "AKQ" else "J or lower"
            returned = rank_of(gift["returned"])
            self.share("cards-given", CARD_KINDS, kind, number, side)
            self.share("cards-returned", (*RANKS, *JOKERS), returned, number, side)
            values = [None] * 2 * min(side, 2) + [*result(gift["giver"])]
            self.add("payers-by-card-given", kind, number, *values)
            self.add("payers-by-card-returned", returned, number, *values)

    def _values(self, row: Row, dealt: list[list[str]], later: bool, result: Any) -> None:
        number, level = row["set"], row["level"]
        of_seats = [items_of(hand, level) for hand in dealt]
        sides = [[a + b for a, b in zip(*of_seats[team::2], strict=True)] for team in range(2)]
        results = [(result(team)[1], result(team)[0] - 0.5) for team in range(2)]
        for at, (item, mean) in enumerate(zip(ITEMS, MEANS, strict=True)):
            x = [side[at] for side in sides]
            below = sum((number - mean) ** 2 for number in x)
            if below:
                terms = [((x[0] - x[1]) * result, below) for result in results[0]]
                self.add("values", item, number, *terms)
                if at < 3:
                    self.add("values-by-level", level, number, *[None] * at, terms[0])
                if at > 4:
                    self.add("bombs-by-level", level, number, *[None] * (at - 5), terms[0])
        if not later:
            lead = -1 if row["leader"] % 2 else 1
            terms_of_lead = (lead * results[0][0], 1.0)
            self.add("values-by-level", level, number, *[None] * 3, terms_of_lead)
        for side, values in zip(sides, results, strict=True):
            self.fits["values-others-equal"].append((number, [*map(float, side)], [*values]))
        held = {"both wilds": (0,), "both red jokers": (1,), "both black jokers": (2,)}
        for label, which in (held | {"all four jokers": (1, 2)}).items():
            for team in range(2):
                if all(sides[team][at] == 2 for at in which):
                    self.add("both-copies", label, number, *result(team))

    def _plans(
        self, row: Row, dealt: list[list[str]], gifts: Sequence[Row], order: list[int], result: Any
    ) -> None:
        number, level = row["set"], row["level"]
        hands = [list(hand) for hand in dealt]
        for gift in gifts:
            for card, giver, receiver in (
                (gift["card"], gift["giver"], gift["receiver"]),
                (gift["returned"], gift["receiver"], gift["giver"]),
            ):
                hands[giver].remove(card)
                hands[receiver].append(card)
        turns = [gs.plan(hand, level=level, rules=self.rules).turns for hand in hands]
        fewer = turns[1] + turns[3] - turns[0] - turns[2]
        if fewer:
            worth = (fewer * result(0)[1], fewer**2)
            self.add("values-by-level", level, number, *[None] * 4, worth)
            size = abs(fewer)
            few = "6 or 7" if size in (6, 7) else "8 or more" if size > 7 else str(size)
            self.add("turns-of-teams", f"{few} fewer", number, *result(int(fewer < 0)))
        for seat, needed in enumerate(turns):
            word = {4: "4 or fewer", 12: "12 or more"}.get(min(max(needed, 4), 12), str(needed))
            swept = (order[0] + order[1]) % 2 == 0
            last = seat == order[3] or (swept and seat == order[2])
            first = int(seat == order[0])
            self.add("turns-of-hands", word, number, first, int(last), *result(seat))
            around = [float(turns[(seat + step) % 4]) for step in (0, 2, 1, 3)]
            self.fits["turns-around"].append((number, around, [first]))

    def _plays(
        self, row: Row, plays: Sequence[Row], found: Followed, order: list[int], result: Any
    ) -> None:
        number = row["set"]
        shapes = [shape.replace("_", " ") for shape in SHAPES]
        first = plays[0]["shape"].replace("_", " ")
        self.share("first-plays", shapes, first, number)
        self.add("first-plays-results", first, number, *result(row["leader"]))
        bombs = [at for at, play in enumerate(plays) if play["shape"] in BOMBS]
        self.add("tempo", "tricks", number, sum(found.leads))
        self.add("tempo", "bombs played", number, len(bombs))
        for at in bombs:
            play = plays[at]
            seat, shape, size = play["seat"], play["shape"], play["size"]
            stood = at + 1 == len(plays) or found.leads[at + 1]
            values = (int(stood), *result(seat))
            opponents = [found.then[at][(seat + step) % 4] for step in (1, 3)]
            least = min(left for left in opponents if left)
            self.add("bombs-by-opponents", among(least, LEFT), number, *values)
            on = "led" if found.leads[at] else plays[at - 1]["shape"].replace("_", " ")
            self.add("bombs-by-play", on, number, *values)
            word = {"straight_flush": "straight flush", "joker_bomb": "four jokers"}.get(
                shape, "9 or 10" if size > 8 else str(size)
            )
            self.add("bombs-by-size", word, number, *values)
        for seat, left, over in found.partners:
            won = result(seat)[0]
            values_of = (int(not over), None if over else won, won if over else None)
            self.add("partner-passes", among(left, LEFT), number, *values_of)
        losers = [left for seat, left in enumerate(found.left) if seat % 2 != order[0] % 2]
        if sum(losers):
            swept = (order[0] + order[1]) % 2 == 0
            self.add("cards-left", OUTCOMES[0 if swept else 1], number, sum(losers), max(losers))
            self.share("last-hand", [*LAST.values()], among(max(losers), LAST) or "", number)


def tables_of(run: gs.Run, locks: bool, every: int, rules: str, arm: int = 0) -> Tables:
    """All that the deals of an arm say."""
    found = Tables(locks, every)
    found.rules = rules

    def by_deal(frame: Any) -> Iterator[tuple[tuple[int, int], list[Row]]]:
        mine = (row for row in rows(frame) if row["arm"] == arm)
        for key, some in groupby(mine, key=lambda row: (row["set"], row["deal"])):
            yield key, list(some)

    gifts = dict(by_deal(run.tributes()))
    plays = dict(by_deal(run.plays())) if "plays" in run.tables else None
    for key, (deal,) in by_deal(run.deals()):
        found.deal(deal, gifts.get(key, ()), None if plays is None else plays[key])
    if "matches" not in run.tables:
        del found.cells["matches"]
    return found


def ratio_of(terms: Sequence[Term]) -> tuple[float, float, int, int]:
    """(value, standard error, units, sets) of what counts for a cell; nan where unknown."""
    units = sum(term[2] != 0 for term in terms)
    above: dict[int, float] = defaultdict(float)
    below: dict[int, float] = defaultdict(float)
    for number, a, b in terms:
        above[number] += a
        below[number] += b
    total = sum(below.values())
    if not total:
        return np.nan, np.nan, 0, 0
    value = sum(above.values()) / total
    effective = total**2 / sum(b * b for b in below.values())
    if len(below) < 2 or effective < 1.5:
        return value, np.nan, units, len(below)
    squares = sum((above[number] - value * below[number]) ** 2 for number in below)
    se = sqrt(effective / (effective - 1) * squares) / total
    return value, se, units, len(below)
