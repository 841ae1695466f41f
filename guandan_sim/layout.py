"""Where everything stands in the two arrays of the game: a deal's state, and the view that a bot
gets of it.

The state of a deal, and of the match around it, is one int64 array of `STATE_SIZE` words: copy it,
and both copies play on independently. Its first `VIEW_SIZE` words have the layout of a view, so
that a seat's view is those words with the seat's private ones filled in. What no seat may see lies
behind them, in the state alone.

Words are int64. Seats are 0..3, teams 0 (seats 0, 2) and 1; ranks, shapes and cards as in `cards`,
`shapes` and `bitboard`; -1 means none or unknown. A mask has bit s for seat s.
"""

from __future__ import annotations

VIEW_VERSION = 3

# --- Words of a view ---
V_VERSION = 0  # VIEW_VERSION
# Private words: about the seat that looks; in a state zero between choices.
V_SEAT = 1  # the seat that looks
V_KEY = 2  # key of this decision's random stream: draw k is rng.word(key, k)
V_ONE = 3  # own hand
V_TWO = 4
V_BOMBS = 5  # in play: bombs that the own hand could make, as if any were needed
V_ANSWERS = 6  # in a trick: moves of the kind to beat that beat it (all bombs are one kind)
# Public words.
V_PHASE = 7  # PHASE_*
V_LEVEL = 8  # the level played (rank 1..13); its hearts are wild
V_OWNER = 9  # team whose level it is
V_LEVELS = 10  # 2 words: each team's level
V_FAILURES = 12  # 2 words: each team's failures at the top level
V_DEAL = 14  # number of the deal in its match, from 0
V_LEADER = 15  # seat that leads the first trick; -1 until it is known
V_MARKED = 16  # card turned up at the opening draw; 0 none
V_TURN = 17  # seat to act
V_BEAT_SEAT = 18  # who made the play to beat; -1: TURN leads freely
V_BEAT_SHAPE = 19  # the play to beat as declared; PASS (0) for a lead
V_BEAT_RANK = 20
V_BEAT_ONE = 21
V_BEAT_TWO = 22
V_BEAT_KIND = 23  # (kind, strength) of it, see shapes
V_BEAT_STRENGTH = 24
V_PASSED = 25  # mask of the seats that passed since the last play
V_LOCKED = (
    26  # mask of the seats that a pass bars until the trick is cleared (rules with pass_locks)
)
V_COUNTS = 27  # 4 words: cards in each hand
V_PLAYED = 31  # 8 words: cards played by each seat, (one, two)
V_OUT = 39  # number of seats that are out
V_FINISH = 40  # 4 words: seats in the order they went out; -1
V_PREVIOUS = 44  # 4 words: finishing order of the deal before; -1
V_TRIBUTE = 48  # tributes due in this deal: 0, 1 or 2
V_CANCELLED = 49  # 1 if they were cancelled
V_GIVER = 50  # 2 tributes x (giver, receiver, card, returned), the Banker's first
V_TRIBUTE_WIDTH = 4  # card and returned are card numbers; 0 while unknown (to this seat)
V_RECEIVER = V_GIVER + 1
V_CARD = V_GIVER + 2
V_RETURNED = V_GIVER + 3
V_RULES = 58  # RULES_SIZE words, see R_*
RULES_SIZE = 23
V_PLIES = V_RULES + RULES_SIZE  # number of plays so far
V_HISTORY = (
    V_PLIES + 1
)  # MAX_PLIES x HISTORY_WIDTH words: (packed, one, two) of each play in order, zero beyond
HISTORY_WIDTH = 3
# Every play takes a card or more, and a deal ends with at least one card unplayed.
MAX_PLIES = 107
VIEW_SIZE = V_HISTORY + MAX_PLIES * HISTORY_WIDTH

# packed: seat | shape << 2 | rank << 6 | size << 10 | passes << 14 | lead << 18, where passes is
# the mask of the seats that passed between the play before and this one, and lead is 1 for the
# first play of a trick.
H_SHAPE = 2
H_RANK = 6
H_SIZE = 10
H_PASSES = 14
H_LEAD = 18

PHASE_SETUP = 0
PHASE_TRIBUTE = 1  # TURN chooses the tribute card among equals
PHASE_RETURN = 2  # TURN chooses the card to return
PHASE_PLAY = 3
PHASE_DONE = 4

# --- Rule switches, relative to V_RULES ---
R_OPENING_LEADER = 0  # 0 marked card, 1 last drawer, 2 random
R_ACTIVE_LEVEL = 1  # 0 winner, 1 leader's team
R_TOP_LEVEL = 2  # rank
R_PROMOTION = 3  # 3 words: levels for 1-2, 1-3, 1-4
R_MAX_BOMB = 6
R_JOKER_PAIR = 7
R_PASS_LOCKS = 8
R_RETURN_MAX_RANK = 9  # rank; 15: none
R_RETURN_LEVEL_CARD = 10
R_RETURN_RECEIVED_CARD = 11
R_EQUAL_TRIBUTE = (
    12  # 0 right of Banker pays Banker, 1 fixed seat, 2 lowest seat pays Banker, 3 random
)
R_ANTI_SINGLE = 13  # who must hold both red jokers: 0 payer, 1 payer's side
R_ANTI_SWEEP = 14  # 0 both payers together, 1 one payer alone
R_MATCH_WIN = 15  # 0 own_level, 1 not_dweller (see rules.Rules)
R_TOP_FAILURES = 16  # failures before a reset to 2; 0 never
R_COUNT_LOSSES = 17
R_RETURN_VISIBLE = 18
R_MAX_DEALS = 19
R_VERSION = 20  # RULES_VERSION
R_TRIBUTE = 21
R_TRIBUTE_LEAD = 22  # 0 payer, 1 banker

# --- Words of a state beyond the view: nobody's to see ---
S_HANDS = VIEW_SIZE  # 8 words: hands by seat, (one, two)
S_BOMBS = S_HANDS + 8  # 4 words: all bombs of each hand
S_DECISIONS = S_BOMBS + 4  # 4 words: real choices that each seat has had
S_STREAMS = S_DECISIONS + 4  # 4 words: random stream of each seat
S_KEYS = S_STREAMS + 4  # 4 words, in the loop alone: key of each seat's next choice
S_CHOSE_TO_PASS = S_KEYS + 4  # mask of the seats that passed by choice since the last play
S_ACTIVE = S_CHOSE_TO_PASS + 1  # in play: mask of the seats that hold cards
S_BOMBERS = S_ACTIVE + 1  # in play: mask of the seats that could make a bomb
S_DEALT = S_BOMBERS + 1  # 8 words: hands as dealt, before tribute
S_GIVEN = S_DEALT + 8  # 4 words by seat: tribute card settled on; 0. Shown once all are settled
S_RETURNED = S_GIVEN + 4  # 2 words: V_RETURNED of both tributes, which not every seat may see
S_KEY = S_RETURNED + 2  # key of the deal
S_SEED = S_KEY + 1
S_SET = S_SEED + 1
S_DEALS = S_SET + 1  # deals finished in this match
S_WINNER = S_DEALS + 1  # team that won the match; -1
S_TRUNCATED = S_WINNER + 1
S_GAIN = S_TRUNCATED + 1  # levels that the winners of the last deal gained
S_RESETS = S_GAIN + 1  # 2 words: how often each team was set back to 2
STATE_SIZE = S_RESETS + 2

SCRATCH_SIZE = 128  # words of memory that a bot keeps through a deal, for each seat
OUT_SIZE = 4  # words that a bot writes: shape, rank, one, two; or a card number
OUT_SHAPE = 0
OUT_RANK = 1
OUT_ONE = 2
OUT_TWO = 3
OUT_CARD = 0
