"""A bot of my own in plain Python: it cuts its hand up into the fewest plays, and keeps to them.

`view` tells what this seat may see: `hand`, `level`, `seat`, `partner`, `counts` (cards left by
seat), `to_beat` (a move; None to lead) and `to_beat_seat`, `passed`, `history`, `played`,
`unseen`, `finish_order`, `leader`, `levels`, `owner`, `previous_order`, `tributes`, `rules`. An
illegal choice stops the run with an error that says who and where.
"""

import guandan_sim as gs

BOMBS = ("bomb", "straight_flush", "joker_bomb")


class MyBot:
    """Each seat gets an object of its own, which it keeps from deal to deal; how many deals, a run
    does not say. What counts for one deal goes into `view.memory`, a dictionary.
    """

    # Raise it when the bot decides otherwise: logs name it.
    version = "1"

    def choose(self, view):
        """Choose a `gs.Move`, its text, or None to pass. It is asked only where there is a legal
        move other than to pass.
        """
        # Random numbers come from view.random alone, so that a deal can be played again.
        plan = gs.plan(view.hand, view.level, view.rules)
        if view.to_beat is None:
            return self.lead(plan)
        if view.to_beat_seat == view.partner and len(plan.plays) > 1:
            return None
        opponents = view.counts[view.seat - 1], view.counts[view.seat - 3]
        late = plan.turns <= 2 or min(count for count in opponents if count) <= 10
        for move in plan.plays:  # the weakest first, bombs last
            if move.beats(view.to_beat, view.level) and (late or move.shape not in BOMBS):
                return move
        return self.answer_late(view, plan) if late else None

    def lead(self, plan):
        """The longest play, of such the weakest; a bomb only if there is nothing else."""
        return max(plan.plays, key=lambda move: (move.shape not in BOMBS, len(move.cards)))

    def answer_late(self, view, plan):
        """An answer that breaks the plan up, if no more turns are needed then."""
        for move in view.legal_moves()[1:]:  # the first is the pass
            rest = list(view.hand)
            for card in move.cards:
                rest.remove(card)
            if gs.plan(rest, view.level, view.rules).turns <= plan.turns:
                return move
        return None

    def choose_tribute(self, view):
        """Choose a card to give, of equal ones. May be left out: then the weakest goes."""
        return view.options()[-1]

    def choose_return(self, view):
        """Choose a card to return for the one in `view.tributes`. May be left out, too."""
        return view.options()[-1]
