"""What `invariants` checks, by name, and what is counted and remembered along the way."""

# What Numba decorates is Any to mypy; Numba itself infers the types.
# mypy: no-warn-return-any

from __future__ import annotations

from typing import Any

import numpy as np
from invariant_rules import compiled

#: What is checked, and how its values are written: a number, a mask of seats, a card or bits.
CHECKS = (
    ("the next set", "number"),
    ("the next deal of it", "number"),
    ("levels of the teams before", "rank"),
    ("the finishing order before: seats once each", "number"),
    ("words of a hand as dealt: cards only, doubles among them", "bits"),
    ("cards in a hand as dealt", "number"),
    ("copies dealt of a card", "number"),
    ("tributes due", "number"),
    ("tributes cancelled", "number"),
    ("the team whose level is played", "number"),
    ("the level played", "rank"),
    ("whether the card turned up may be so", "number"),
    ("who leads the deal", "number"),
    ("rows of tribute", "number"),
    ("who gives a card", "number"),
    ("who receives it", "number"),
    ("copies that the giver of a card has of it", "number"),
    ("power of the tribute, the highest that is not wild", "number"),
    ("whether the card returned may be", "number"),
    ("cards in a hand after tribute", "number"),
    ("who leads after tribute", "number"),
    ("number of the play", "number"),
    ("words of a play: cards only, doubles among them", "bits"),
    ("size of the play", "number"),
    ("whether the play leads a trick", "number"),
    ("who leads the trick", "number"),
    ("cards left to who plays", "number"),
    ("seats barred by their pass among who plays", "mask"),
    ("who plays: not who is to be beaten", "number"),
    ("seats that passed before the play", "mask"),
    ("chosen passes of seats that did not pass", "mask"),
    ("a pass by choice: whether there was an answer", "number"),
    ("a forced pass: whether there was an answer", "number"),
    ("copies held of a card played", "number"),
    ("whether the cards may be declared so", "number"),
    ("whether the play beats that before", "number"),
    ("plays after the end of the deal", "number"),
    ("teams that are out after the last play", "number"),
    ("plays counted in the row of the deal", "number"),
    ("finishing order", "number"),
    ("cards played and left", "number"),
    ("levels gained", "number"),
    ("whether there is a row of the match", "number"),
    ("number of the match", "number"),
    ("winner of the match", "number"),
    ("deals of the match", "number"),
    ("levels at the end of the match", "rank"),
    ("whether the match was cut off", "number"),
    ("times that a team was set back", "number"),
    ("rows left over", "number"),
)  # fmt: skip
(
    NEXT_SET, NEXT_DEAL, LEVELS, PREVIOUS, HAND_WORDS, HAND_SIZE, PACK, TRIBUTE, CANCELLED, OWNER,
    LEVEL, MARKED, LEADER, TRIBUTE_ROWS, GIVER, RECEIVER, GIVEN_HELD, GIVEN_POWER, RETURNED,
    KEPT_SIZE, TRIBUTE_LEADER, PLY, PLAY_WORDS, SIZE, LEAD, TRICK_LEADER, OUT, LOCKED, TURN, PASSES,
    CHOSEN_PASSED, CHOSEN, FORCED, HELD, DECLARED, BEATS, AFTER_END, ENDED, PLAYS, FINISH,
    CONSERVED, GAIN, MATCH_ROWS, MATCH, WINNER, MATCH_DEALS, MATCH_LEVELS, TRUNCATED,
    RESETS, ROWS_LEFT,
) = range(len(CHECKS))  # fmt: skip

#: What is counted along the way.
SEEN = (
    "deals", "plays", "chosen passes", "forced passes", "bombs", "plays with wilds", "tributes",
    "tributes cancelled", "openings", "sweeps", "leads for a partner", "matches",
)  # fmt: skip
(
    N_DEALS, N_PLAYS, N_CHOSEN, N_FORCED, N_BOMBS, N_WILD, N_TRIBUTES, N_CANCELLED, N_OPENINGS,
    N_SWEEPS, N_PARTNER, N_MATCHES,
) = range(64, 64 + len(SEEN))  # fmt: skip

# The book of a checker, a row of numbers. How often each check ran and what was seen; what is
# remembered of a match between its deals; the problem found last: check, set, deal, ply (-1: none),
# expected, found.
RAN, SEEN_AT = 0, 64
M_LEVELS, M_FAILURES, M_RESETS, M_PREVIOUS = 80, 82, 84, 86
M_DEALS, M_WINNER, M_CUT, M_SET, M_LOST = 90, 91, 92, 93, 94
P_CHECK, P_SET, P_DEAL, P_PLY, P_EXPECTED, P_FOUND = 96, 97, 98, 99, 100, 101
PROBLEM_SIZE = 6
BOOK_SIZE = P_CHECK + PROBLEM_SIZE

PACK_BITS = sum(0xF << 4 * rank for rank in range(1, 14)) | 1 << 56 | 1 << 60
CARDS = np.array([card for card in range(61) if PACK_BITS >> card & 1], np.int64)
RED_JOKER_CARD = 60


@compiled
def expect(check: int, expected: int, found: int, book: Any) -> bool:
    """Whether what was found is what was expected; a problem is written into the book."""
    book[RAN + check] += 1
    if expected == found:
        return True
    book[P_CHECK] = check
    book[P_EXPECTED] = expected
    book[P_FOUND] = found
    return False
