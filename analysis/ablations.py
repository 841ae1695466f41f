"""`planner` without one of its parts: greedy is asked instead, or planner is shown less.

A bot's function may ask those of other bots. These have planner's functions for cards, and so the
memory that planner needs.
"""

from __future__ import annotations

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim.bots import greedy, planner
from guandan_sim.jit import Words

PLANNER = gs.bot("planner")
GREEDY = gs.bot("greedy")
RANDOM = gs.bot("random")


def greedy_leads(view: Words, scratch: Words, out: Words) -> int:
    """Lead as greedy does."""
    if view[lay.V_BEAT_SEAT] < 0:
        return greedy.play(view, scratch, out)
    return planner.play(view, scratch, out)


def greedy_answers(view: Words, scratch: Words, out: Words) -> int:
    """Answer as greedy does."""
    if view[lay.V_BEAT_SEAT] < 0:
        return planner.play(view, scratch, out)
    return greedy.play(view, scratch, out)


def played_cards_unseen(view: Words, scratch: Words, out: Words) -> int:
    """As if no card had been played yet."""
    shown = view.copy()
    shown[lay.V_PLAYED : lay.V_PLAYED + 8] = 0
    return planner.play(shown, scratch, out)


def counts_unseen(view: Words, scratch: Words, out: Words) -> int:
    """As if everyone still had 27 cards."""
    shown = view.copy()
    shown[lay.V_COUNTS : lay.V_COUNTS + 4] = 27
    return planner.play(shown, scratch, out)


#: By what is not planner's.
WITHOUT = {
    name: gs.Bot(name, play, PLANNER.tribute, PLANNER.give_back)
    for name, play in {
        "played cards unseen": played_cards_unseen,
        "counts of cards unseen": counts_unseen,
        "greedy's leads": greedy_leads,
        "greedy's answers": greedy_answers,
    }.items()
}
WITHOUT["greedy's tribute cards"] = gs.Bot("greedy's tribute cards", PLANNER.play)

#: `greedy`, but it gives and returns any card that may go.
ANY_CARD = gs.Bot("greedy, any tribute card", GREEDY.play, RANDOM.tribute, RANDOM.give_back)
