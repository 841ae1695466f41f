"""Whole deals and matches, and the rule texts' worked examples, as readable text: run this to write
`playthroughs/` anew.

    python tests/regenerate_playthroughs.py

A change of the rules, of a bot or of a random stream shows as a difference in these files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from games import PausedMatch, choice_of, independent_deal

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim.bots import bots_by_seat
from guandan_sim.cards import CARD_CODES

FOLDER = Path(__file__).parent / "playthroughs"
PLACES = ("first", "second", "third", "last")
NAMES = ("no tribute", "single tribute", "double tribute")

Bots = str | list[str]


def deal_lines(table: PausedMatch, bots: Bots) -> Iterator[str]:
    """One deal, played to its end by the bots: hands, tribute, a line a trick, the finish."""
    state = table.state
    players = bots_by_seat(bots)
    scratch = np.zeros((4, lay.SCRATCH_SIZE), np.int64)
    yield f"level {table.level} of team {table.owner}; teams at {', '.join(table.levels)}"
    for seat, hand in enumerate(table.hands):
        yield f"  hand {seat}: {' '.join(hand)}"
    due = int(state[lay.V_TRIBUTE])
    if due:
        order = ", ".join(map(str, state[lay.V_PREVIOUS : lay.V_PREVIOUS + 4]))
        cancelled = ", cancelled by the red jokers" if state[lay.V_CANCELLED] else ""
        yield f"  {NAMES[due]} after {order}{cancelled}"
    elif state[lay.V_MARKED]:
        yield f"  {CARD_CODES[int(state[lay.V_MARKED])]} is turned up"
    while table.phase in ("tribute", "return"):
        seat = table.to_move or 0
        options = " ".join(map(str, table.options()))
        verb = "gives" if table.phase == "tribute" else "returns"
        choice = choice_of(players[seat], table, scratch[seat])
        yield f"  {seat} {verb} {choice} of {options}"
        table.step(choice)
    for giver, receiver, card, returned in table.tributes:
        yield f"  {giver} -> {receiver} {card}, {receiver} -> {giver} {returned}"

    line: list[str] = []
    while table.phase == "play":
        seat = table.to_move or 0
        if table.to_beat is None and line:
            yield "  " + " | ".join(line)
            line = []
        move = choice_of(players[seat], table, scratch[seat])
        out = len(table.finish_order)
        if table.to_beat is None and (before := last_player(table)) not in (None, seat):
            line.append(f"{seat} leads for {before}")
        table.step(move)
        placed = f" ({PLACES[out]})" if len(table.finish_order) > out else ""
        line.append(f"{seat} {move}{placed}")
    yield "  " + " | ".join(line)

    finish, left = table.finish_order, table.hands
    table.next_deal()
    sweep = ", a sweep" if finish[0] ^ finish[1] == 2 else ""
    held = "; ".join(f"{seat} keeps {' '.join(left[seat])}" for seat in range(4) if left[seat])
    yield f"  finish {', '.join(map(str, finish))}{sweep}; {held}"
    yield f"  gain {table.state[lay.S_GAIN]}; teams at {', '.join(table.levels)}"


def last_player(table: PausedMatch) -> int | None:
    """Who made the last play; None before the first."""
    return next((s for s, move in reversed(table.history) if move.shape != "pass"), None)


def match_text(seed: int, number: int, bots: Bots, rules: str = "guide") -> str:
    """A whole match."""
    table = PausedMatch(seed=seed, number=number, rules=rules)
    lines = [f"match {number} of seed {seed}, rules {rules}, bots {bots}"]
    while table.phase != "done":
        first, *rest = deal_lines(table, bots)
        lines += ["", f"deal {table.deals - 1}: {first}", *rest]
    return "\n".join([*lines, "", f"team {table.winner} wins after {table.deals} deals", ""])


def deal_text(
    seed: int,
    number: int,
    bots: Bots,
    level: str,
    previous: str | None = None,
    rules: str = "guide",
) -> str:
    """One independent deal."""
    rank = "23456789TJQKA".index(level) + 1
    table = independent_deal(seed, number, rules, rank, previous)
    first, *rest = deal_lines(table, bots)
    head = f"deal {number} of seed {seed}, rules {rules}, bots {bots}"
    return "\n".join([head, "", first, *rest, ""])


@dataclass(frozen=True)
class Example:
    """A worked example of a rule text: seat 0 leads from four small hands, and what is played."""

    title: str
    rules: str
    level: str
    hands: tuple[str, str, str, str]
    moves: str
    """Seat after seat, between bars; "-" is a pass."""

    def text(self) -> str:
        """Level, hands, what each seat may answer, the tricks, and who leads next."""
        deal = gs.Deal(level=self.level, rules=self.rules, hands=self.hands, leader=0)
        lines = [f"{self.title}; rules {self.rules}", "", f"level {deal.level}"]
        lines += [f"  hand {seat}: {' '.join(hand)}" for seat, hand in enumerate(deal.hands)]
        lines.append("  0 leads")
        trick: list[str] = []
        for words in self.moves.split(" | "):
            seat, leads = deal.to_move, deal.to_beat is None
            if not leads:
                lines.append(f"    {seat} may {' | '.join(map(str, deal.legal_moves()))}")
            deal.play("pass" if words == "-" else words)
            trick.append(f"{seat} {deal.history[-1][1]}" if deal.to_beat else f"{seat} pass")
            if deal.to_beat is None:
                lines += ["  " + " | ".join(trick), f"  {deal.to_move} leads"]
                trick = []
        return "\n".join([*lines, ""])


EXAMPLES = {
    "guide_wild_bomb": Example(
        "a heart wild becomes a bomb",
        "guide",
        "7",
        ("SQ DQ S3", "CK DK D4", "C8 D8 S8 H7 S5", "HT CT S4"),
        "SQ DQ | CK DK | C8 D8 S8 H7 | - | - | -",
    ),
    "guide_level_in_a_row": Example(
        "a seven of level 7 fits between six and eight",
        "guide",
        "7",
        ("S5 D6 C7 H8 S9 S3", "D6 C7 S8 H9 DT D3", "C4 S5 H6 D7 C8 C3", "ST DJ CQ DK SA H3"),
        "S5 D6 C7 H8 S9 | D6 C7 S8 H9 DT | - | ST DJ CQ DK SA | - | - | -",
    ),
    "ace_reset_same_shape": Example(
        "a straight is beaten by a stronger straight, a pair by a stronger pair",
        "ace_reset",
        "2",
        ("S9 D9 S3 D4 C5 S6 D7", "SJ CJ S4 D5 C6 S7 D8 C3", "SK DK CK C4", "H3 H4"),
        "S3 D4 C5 S6 D7 | S4 D5 C6 S7 D8 | - | - | - | SJ CJ | SK DK | - | - | -",
    ),
    "ace_reset_low_ace": Example(
        "an ace is low in A-2-3-4-5",
        "ace_reset",
        "9",
        ("SA D2 C3 D4 S5 H3", "S2 D3 C4 S5 D6 H4", "C8 C7", "D8 D7"),
        "SA D2 C3 D4 S5 | S2 D3 C4 S5 D6 | - | - | -",
    ),
    "wikipedia_wild_bomb": Example(
        "at level 7 the seven of hearts makes a bomb with three eights",
        "wikipedia",
        "7",
        ("HR S3", "S8 C8 D8 H7 S4", "SB SA", "S6 D6"),
        "HR | S8 C8 D8 H7 | - | - | -",
    ),
    "wikipedia_level_six": Example(
        "at level 6 the sixes rank above the aces and below the jokers",
        "wikipedia",
        "6",
        ("SA S3", "S6 SK S4", "SB DA D6", "HR DK"),
        "SA | S6 | SB | HR | - | - | -",
    ),
    "wikipedia_no_ladder_of_sets": Example(
        "three of a kind does not beat a pair",
        "wikipedia",
        "2",
        ("S7 D7 S3", "S8 C8 D8 S4", "S6 C6 D6 S5", "H3 H4"),
        "S7 D7 | S8 C8 | - | - | -",
    ),
    "short_game_aces": Example(
        "an ace goes low or high in a row",
        "short_game",
        "2",
        ("SA D2 C3 D4 S5 H3", "ST DJ CQ SK DA H4", "SQ DK CA H2 D3 H5", "C8 C7"),
        "SA D2 C3 D4 S5 | ST DJ CQ SK DA | - | - | -",
    ),
    "short_game_partner_leads": Example(
        "who has just gone out leaves the lead to the partner",
        "short_game",
        "2",
        ("S9", "S3 S4", "C5 D5", "D3 D4"),
        "S9 | - | - | -",
    ),
    "kawu_wild_bomb": Example(
        "at level 5 three nines and the five of hearts are a bomb",
        "kawu",
        "5",
        ("SA DA S3", "S9 C9 D9 H5 S4", "SK DK", "D3 D4"),
        "SA DA | S9 C9 D9 H5 | - | - | -",
    ),
    "kawu_wild_alone": Example(
        "a wild card played alone is a level card",
        "kawu",
        "5",
        ("SA S3", "H5 S4", "S5 SB", "D5 HR"),
        "SA | H5 | SB | HR | - | - | -",
    ),
    "kawu_level_seven": Example(
        "at level 7 a seven beats an ace",
        "kawu",
        "7",
        ("SA S3", "S7 SK", "DA DK", "D8 D9"),
        "SA | S7 | - | - | -",
    ),
    **{
        f"{rules}_bombs": Example(
            "a straight flush beats five of a kind and loses to six; four jokers beat all",
            rules,
            "2",
            (
                "S9 S9 C9 C9 D9 S3",
                "S3 S4 S5 S6 S7 D3",
                "SJ SJ CJ CJ DJ DJ D4",
                "SB SB HR HR C4",
            ),
            "S9 S9 C9 C9 D9 | S3 S4 S5 S6 S7 | SJ SJ CJ CJ DJ DJ | SB SB HR HR | - | - | -",
        )
        for rules in ("short_game", "kawu")
    },
}
"""Examples of play, by the name of their text and what they show."""

COMBINATIONS = {
    "kawu": (
        *("S8", "SJ DJ", "S4 C4 D4", "S7 C7 D7 S9 D9", "S3 D4 C5 S6 D7", "ST DJ CQ SK DA"),
        *("SA D2 C3 S4 D5", "S5 D5 S6 D6 S7 D7", "S8 C8 D8 S9 C9 D9", "S6 H6 C6 D6"),
        *("S9 ST SJ SQ SK", "SB SB HR HR"),
    ),
    "wikipedia": (
        *("S4 C4 D4 S5 C5 D5", "ST DT SJ DJ SQ DQ", "SA D2 C3 S4 D5", "ST DJ CQ SK DA"),
        *("SB SB", "HR HR", "SB HR"),
    ),
}
"""The cards that a text shows as combinations, at level 2."""


def combinations_text(rules: str) -> str:
    """All that the cards of a text's examples may be declared as."""
    lines = [f"combinations; rules {rules}", "", "level 2"]
    for cards in COMBINATIONS[rules]:
        found = [f"{m.shape} {m.rank}".strip() for m in gs.readings(cards, "2", rules)]
        lines.append(f"  {cards}: {' or '.join(found) or 'no play'}")
    return "\n".join([*lines, ""])


SETTLED: list[tuple[str, tuple[str, str], str, int, tuple[int, ...]]] = [
    # Rules, levels, finish, failures of team 0, who was last in the deal before.
    ("guide", ("6", "9"), "0123", 0, ()),
    ("guide", ("A", "9"), "0213", 0, ()),
    ("guide", ("A", "9"), "0123", 0, ()),
    ("guide", ("A", "9"), "0132", 0, ()),
    ("ace_reset", ("Q", "9"), "0213", 0, ()),
    ("ace_reset", ("K", "9"), "0123", 0, ()),
    ("ace_reset", ("K", "9"), "0213", 0, ()),
    ("ace_reset", ("A", "9"), "0123", 0, ()),
    ("ace_reset", ("A", "9"), "0132", 0, ()),
    ("ace_reset", ("A", "9"), "0132", 2, ()),
    ("wikipedia", ("A", "9"), "0132", 0, (1,)),
    ("wikipedia", ("A", "9"), "0213", 0, (2,)),
    ("short_game", ("9", "4"), "0123", 0, ()),
    ("short_game", ("T", "4"), "0123", 0, ()),
    ("short_game", ("T", "4"), "0132", 0, ()),
    ("kawu", ("A", "9"), "0213", 0, ()),
    ("kawu", ("A", "9"), "0132", 0, ()),
]


def levels_text() -> str:
    """What the examples of levels come to, all in a deal of team 0's level."""
    lines = ["levels after a deal of team 0", ""]
    for rules, levels, order, failures, last in SETTLED:
        done = gs.settle(order, levels, 0, (failures, 0), last, rules)
        before = f"; {failures} failures" if failures else ""
        before += f"; {' '.join(map(str, last))} was last before" if last else ""
        after = f"; failures {done.failures[0]}" if rules == "ace_reset" else ""
        after += "" if done.match_winner is None else f"; team {done.match_winner} wins the match"
        lines.append(
            f"{rules}: teams at {', '.join(levels)}{before}; finish {', '.join(order)}"
            f" -> gain {done.gain}; teams at {', '.join(done.levels)}{after}"
        )
    return "\n".join([*lines, ""])


PLAYTHROUGHS: dict[str, Callable[[], str]] = {
    "match_guide.txt": lambda: match_text(1, 110, "greedy"),
    "match_wikipedia.txt": lambda: match_text(1, 0, ["greedy", "random"], "wikipedia"),
    "deal_random.txt": lambda: deal_text(1, 0, "random", "2"),
    "deal_wilds.txt": lambda: deal_text(1, 1, ["random", "greedy"], "9"),
    "deal_after_a_sweep.txt": lambda: deal_text(1, 2, ["greedy", "random"], "A", "3120"),
    "deal_passes_lock.txt": lambda: deal_text(1, 3, "random", "5", None, "ace_reset"),
    **{f"example_{name}.txt": example.text for name, example in EXAMPLES.items()},
    "example_kawu_combinations.txt": lambda: combinations_text("kawu"),
    "example_wikipedia_combinations.txt": lambda: combinations_text("wikipedia"),
    "example_levels.txt": levels_text,
}
"""What is played, by the name of its file."""


def main() -> None:
    """Write every file."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for name, text in PLAYTHROUGHS.items():
        (FOLDER / name).write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
