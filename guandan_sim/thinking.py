"""What `planner` thinks with a view: its plan, what it counts, and what each choice is worth to it.

Whatever bot plays, its views can be shown to `planner`: `guandan-sim replay --thoughts` does so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import layout as lay
from .bitboard import rank_counts
from .bots.choices import CHOICE_WIDTH, CHOICES, PLAN_PLAYS, PLAN_ROWS, list_choices, settle
from .bots.odds import quads, unseen_cards
from .bots.planner import DESK_SIZE, FACTS, TERMS, choose_among, write_terms
from .bots.terms import TABLES, shared_terms, term_parts
from .bots.weights import UNIT, WEIGHTS
from .errors import OptionError
from .moves import Move
from .plans import Plan, plan_of_rows
from .view import View

__all__ = ["Thoughts", "Weighed", "note_choice", "thoughts"]

#: What the tables of terms are about, in the order of the text.
SUBJECTS = tuple(dict.fromkeys(about for _, about, _ in TABLES if about != "shared"))

_ABOUT = [about for _, about, shape in TABLES for _ in range(int(np.prod(shape)))]
_MOST_SHOWN = 4
# A part that differs by less, in levels, goes unsaid.
_LEAST_SAID = 0.03


@dataclass(frozen=True)
class Weighed:
    """One choice: ``worth`` is planner's estimate of the levels that the seat's team gains after it
    (negative: the others); a sum of terms, it may go beyond what a deal can give. ``parts``: what
    of it comes from each of `SUBJECTS`; the rest is the same for all choices. ``cost``: of the plan
    of what is left, see `plancosts`.
    """

    move: Move
    worth: float
    parts: dict[str, float]
    cost: int


@dataclass(frozen=True)
class Thoughts:
    """What `planner` thinks of a decision.

    ``plan`` is its plan of the hand, ``unseen`` says how many cards of a kind others may hold
    ("HR", "SB", "wild"), and of how many ranks four or more. ``choices`` are
    those that it weighs, the best first; the first is what it plays.

    >>> view = View("S3 SA DA HK", level="2", to_beat="pair 8: S8 C8")
    >>> str(thoughts(view).choices[0].move)
    'pair A: SA DA'
    """

    plan: Plan
    unseen: dict[str, int]
    choices: tuple[Weighed, ...]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, played: Move | None = None) -> list[str]:
        """The text, line by line: the plan, what is counted, and the best choices; of each but the
        first, what makes it better or worse than the first. ``played`` is marked, wherever it
        stands.
        """
        plays = ", ".join(str(move).partition(":")[0] for move in self.plan.plays)
        counted = ", ".join(f"{name} {n}" for name, n in self.unseen.items())
        lines = [f"plan: {str(self.plan).partition(chr(10))[0]}: {plays}", f"unseen: {counted}"]
        rest = 0
        for number, choice in enumerate(self.choices):
            if number < _MOST_SHOWN or choice.move == played:
                mark = "  <- played" if choice.move == played else ""
                lines.append(f"{choice.worth:+.2f}  {choice.move}{self._why(choice)}{mark}")
            else:
                rest += 1
        return [*lines, f"and {rest} more"] if rest else lines

    def _why(self, choice: Weighed) -> str:
        best = self.choices[0]
        differing = {name: choice.parts[name] - best.parts[name] for name in SUBJECTS}
        said = [
            f"{name} {by:+.2f}"
            for name, by in sorted(differing.items(), key=lambda item: -abs(item[1]))
            if abs(by) >= _LEAST_SAID
        ]
        return f"  ({', '.join(said)})" if said else ""


def thoughts(view: View, memory: np.ndarray | None = None) -> Thoughts:
    """What `planner` thinks of a decision in play.

    ``memory``: the seat's, int64[DESK_SIZE], kept through a deal with `note_choice` after each of
    its moves: of plans that are equally good `planner` keeps to the one that it has. By default it
    is empty.

    Raises `OptionError` for a view in which a card is to be given or returned, or that leaves no
    choice, and for another memory.
    """
    if not isinstance(view, View):
        raise OptionError(f"{view!r} is not a View; make one with guandan_sim.View or deal.view()")
    words = view.words
    if not view.has_choice:
        raise OptionError("nothing but a pass is legal in this view, so there is nothing to weigh")
    if memory is None:
        memory = np.zeros(DESK_SIZE, np.int64)
    if getattr(memory, "shape", None) != (DESK_SIZE,) or memory.dtype != np.int64:
        raise OptionError(f"memory must be int64[{DESK_SIZE}], as np.zeros makes it")
    n = int(list_choices(memory, words))
    best = int(choose_among(words, memory, n, WEIGHTS))
    choices: dict[Move, Weighed] = {}
    for number in range(n):
        choice = _weighed(words, memory, number)
        # A plan may have the same play twice, of both packs.
        choices.setdefault(choice.move, choice)
        if number == best:
            first = choice
    del choices[first.move]
    level = int(words[lay.V_LEVEL])
    one, two = (int(word) for word in unseen_cards(words))
    wild = 4 * level + 1
    unseen = {
        name: (one >> place & 1) + (two >> place & 1)
        for name, place in (("HR", 60), ("SB", 56), ("wild", wild))
    }
    unseen["ranks of four or more"] = int(quads(rank_counts(one, two))).bit_count()
    rest = sorted(choices.values(), key=lambda choice: -choice.worth)
    rows = memory[PLAN_ROWS : PLAN_ROWS + 4 * int(memory[PLAN_PLAYS])].reshape(-1, 4)
    return Thoughts(plan_of_rows(rows, level), unseen, (first, *rest))


def note_choice(memory: np.ndarray, choice: Weighed) -> None:
    """Tell a seat's memory which of the choices that `thoughts` found there was made. After a move
    that is none of them nothing need be told.
    """
    _, _, one, two = choice.move.words
    if one:
        settle(memory, one, two, choice.cost)


def _weighed(words: np.ndarray, memory: np.ndarray, number: int) -> Weighed:
    at = CHOICES + CHOICE_WIDTH * number
    shape, rank, take_one, take_two, cost = memory[at : at + CHOICE_WIDTH].tolist()
    terms = memory[TERMS:]
    write_terms(words, memory, number)
    shared_terms(words, memory[FACTS:TERMS], terms)
    parts = dict.fromkeys((*SUBJECTS, "shared"), 0.0)
    for term in terms[1 : terms[0] + 1].tolist():
        index, value = term_parts(term)
        parts[_ABOUT[index]] += float(WEIGHTS[index]) * value / (1024 * UNIT)
    worth = sum(parts.values())
    parts.pop("shared")
    move = Move.from_words(shape, rank, take_one, take_two)
    return Weighed(move, worth, parts, cost)
