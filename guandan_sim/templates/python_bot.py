"""A bot of my own in plain Python: it gets rid of long plays first, and keeps its bombs for late.

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
        view.memory["asked"] = view.memory.get("asked", 0) + 1
        if view.to_beat_seat == view.partner:
            return None
        # gs.plan(view.hand, view.level, view.rules) would cut the hand up into the fewest plays.
        moves = [move for move in view.legal_moves() if move.shape not in ("pass", *BOMBS)]
        late = min(count for count in view.counts if count) <= 10
        if not moves and (late or view.to_beat is None):
            moves = [move for move in view.legal_moves() if move.shape in BOMBS]
        if not moves:
            return None
        most = max(len(move.cards) for move in moves)
        # Random numbers come from the view alone, so that a deal can be played again.
        return view.random.choice([move for move in moves if len(move.cards) == most])

    def choose_tribute(self, view):
        """Choose a card to give, of equal ones. May be left out: then the weakest goes."""
        return view.options()[-1]

    def choose_return(self, view):
        """Choose a card to return for the one in `view.tributes`. May be left out, too."""
        return view.options()[-1]


if __name__ == "__main__":
    print(gs.simulate(deals=100, bots=(MyBot, "greedy"), seed=1).summary)
