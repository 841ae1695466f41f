"""A match on the flat state: the opening lead, each deal's level, promotion, failures, winning.

`start_match`, then `start_deal` and, when the deal is done, `finish_deal`, until the match has a
winner or is cut off. `start_single_deal` sets up a deal that stands alone.
"""

from __future__ import annotations

from . import layout as lay
from .bits import popcount, select_bit, trailing_zeros
from .deal import clear_deal, set_hands, start_play
from .jit import Words, kernel
from .rng import SETUP_STREAM, below, deal_hands, deal_key, word
from .tribute import start_tribute, tribute_due

__all__ = [
    "active_owner",
    "finish_deal",
    "last_drawer_turner",
    "match_is_over",
    "settle",
    "start_deal",
    "start_match",
    "start_single_deal",
]

# Draws of a deal's set-up stream, by number; tribute.SETUP_EQUAL is 3.
SETUP_OPENING = 0
SETUP_LEVEL = 1
SETUP_PREVIOUS = 2
SETUP_TURNED = 4  # and on: the cards turned up until one is no joker

LAST_DRAWER = 1  # a value of R_OPENING_LEADER


@kernel
def start_match(state: Words, seed: int, set_number: int) -> None:
    """A new match: both teams at level 2, nothing before it. The rules must be in place."""
    state[lay.S_SEED] = seed
    state[lay.S_SET] = set_number
    state[lay.S_DEALS] = 0
    state[lay.S_WINNER] = -1
    state[lay.S_TRUNCATED] = 0
    state[lay.S_GAIN] = 0
    for team in range(2):
        state[lay.S_RESETS + team] = 0
        state[lay.V_LEVELS + team] = 1
        state[lay.V_FAILURES + team] = 0
    state[lay.V_OWNER] = 0
    state[lay.V_DEAL] = 0
    for i in range(4):
        state[lay.V_PREVIOUS + i] = -1


@kernel
def _set_streams(state: Words, seed: int, set_number: int, deal: int) -> int:
    key = deal_key(seed, set_number, deal)
    state[lay.S_KEY] = key
    for seat in range(4):
        state[lay.S_STREAMS + seat] = word(key, seat)
    return key


@kernel
def start_deal(state: Words) -> None:
    """Deal the next deal of the match and bring it to its first choice: a tribute, a return or the
    opening lead.
    """
    clear_deal(state)
    state[lay.V_DEAL] = state[lay.S_DEALS]
    key = _set_streams(state, state[lay.S_SEED], state[lay.S_SET], state[lay.V_DEAL])
    deal_hands(key, state, lay.S_HANDS)
    begin(state, 0)


@kernel
def start_single_deal(
    state: Words, seed: int, set_number: int, level: int, previous: int, drawn_order: int
) -> None:
    """Deal number ``set_number`` of a run of independent deals, both teams at the same level.

    ``level`` is a rank, 0 to draw it. ``previous`` packs a finishing order in two bits a seat,
    first in the lowest, to make tribute due; -1 for none. With ``drawn_order`` 1 it is drawn.
    """
    start_match(state, seed, set_number)
    clear_deal(state)
    key = _set_streams(state, seed, set_number, 0)
    setup = word(key, SETUP_STREAM)
    if level == 0:
        level = 1 + below(setup, SETUP_LEVEL, state[lay.V_RULES + lay.R_TOP_LEVEL])
    if drawn_order:
        previous = draw_order(setup)
    state[lay.V_LEVELS] = level
    state[lay.V_LEVELS + 1] = level
    if previous >= 0:
        for i in range(4):
            state[lay.V_PREVIOUS + i] = previous >> 2 * i & 3
        state[lay.V_OWNER] = state[lay.V_PREVIOUS] & 1
    deal_hands(key, state, lay.S_HANDS)
    begin(state, level)


@kernel
def draw_order(setup: int) -> int:
    """A uniform finishing order, two bits a seat; after a sweep the last two in order of seat, as a
    deal ends.
    """
    k = below(setup, SETUP_PREVIOUS, 24)
    left = 0b11100100  # seats 3 2 1 0, two bits each
    order = 0
    for i in range(4):
        place = 2 * (k % (4 - i))
        k //= 4 - i
        order |= (left >> place & 3) << 2 * i
        left = left >> place + 2 << place | (left & ((1 << place) - 1))
    first, second, third, last = order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6 & 3
    if not (first ^ second) & 1 and third > last:
        order = first | second << 2 | last << 4 | third << 6
    return order


@kernel
def begin(state: Words, level: int) -> None:
    """From hands in S_HANDS to the first choice. ``level`` 0: as the match says, else this one."""
    set_hands(state)
    tribute_due(state)
    if state[lay.V_PREVIOUS] >= 0:
        state[lay.V_OWNER] = active_owner(state)
        state[lay.V_LEVEL] = level or state[lay.V_LEVELS + state[lay.V_OWNER]]
        start_tribute(state)
        return
    state[lay.V_LEVEL] = level or state[lay.V_LEVELS]  # the first deal: both teams are level
    leader = _opening_leader(state)
    state[lay.V_OWNER] = leader & 1
    start_play(state, leader)


@kernel
def active_owner(state: Words) -> int:
    """Team whose level is played: the previous winners', or with active_level = leader the team
    that will lead.

    A paid tribute leaves the lead to the last finisher's team, whoever of two payers it is, unless
    the rules give it to the Banker; none paid, it is the Banker's.
    """
    if (
        state[lay.V_RULES + lay.R_ACTIVE_LEVEL] == 0
        or state[lay.V_CANCELLED]
        or not state[lay.V_TRIBUTE]
        or state[lay.V_RULES + lay.R_TRIBUTE_LEAD]
    ):
        return state[lay.V_PREVIOUS] & 1
    return state[lay.V_PREVIOUS + 3] & 1


@kernel
def last_drawer(turner: int, card: int) -> int:
    """The seat that draws the last card of the pack, when ``turner`` turned up this card number.

    Its rank, ace 1 to king 13, is counted counter-clockwise from the turner, who is one: there the
    first card is drawn, and the seat before draws the last.
    """
    pips = (card >> 2) % 13 + 1
    return turner + pips - 1 + 3 & 3


def last_drawer_turner(leader: int, card: int) -> int:
    """The seat that turned up this card number if ``leader`` drew the last card.

    >>> last_drawer_turner(last_drawer(2, 29), 29)
    2
    """
    return next(seat for seat in range(4) if last_drawer(seat, card) == leader)


@kernel
def _opening_leader(state: Words) -> int:
    """Draw who leads when there is no deal before, and leave the card turned up in V_MARKED."""
    setup = word(state[lay.S_KEY], SETUP_STREAM)
    rule = state[lay.V_RULES + lay.R_OPENING_LEADER]
    if rule == 2:
        return below(setup, SETUP_OPENING, 4)
    if rule == LAST_DRAWER:
        turner = below(setup, SETUP_OPENING, 4)
        draw = SETUP_TURNED
        place = below(setup, draw, 108)
        while place >= 104:
            draw += 1
            place = below(setup, draw, 108)
        card = 4 + (place >> 1)
        state[lay.V_MARKED] = card
        return last_drawer(turner, card)
    # The marked card: a uniform place in the pack is one of a uniform seat's 27 cards.
    place = below(setup, SETUP_OPENING, 108)
    seat = place & 3
    k = place >> 2
    one = state[lay.S_HANDS + 2 * seat]
    two = state[lay.S_HANDS + 2 * seat + 1]
    held = popcount(one)
    k %= held + popcount(two)
    bit = select_bit(one, k) if k < held else select_bit(two, k - held)
    state[lay.V_MARKED] = trailing_zeros(bit)
    return seat


@kernel
def settle(state: Words) -> None:
    """Levels, failures, owner and winner after a deal whose finishing order is in V_FINISH and the
    one before in V_PREVIOUS.

    In this order: is the match won, is a failure counted, promotion, reset. S_GAIN is what the
    finish is worth, whether or not the top cuts it; 0 for a team that is set back.
    """
    rules = lay.V_RULES
    top = state[rules + lay.R_TOP_LEVEL]
    first = state[lay.V_FINISH]
    winners = first & 1
    place = 1
    while state[lay.V_FINISH + place] != first ^ 2:
        place += 1
    gain = state[rules + lay.R_PROMOTION + place - 1]
    state[lay.S_GAIN] = gain
    owner = state[lay.V_OWNER]
    own_top = owner == winners and state[lay.V_LEVELS + winners] == top
    if state[rules + lay.R_MATCH_WIN] == 0:
        won = own_top and place < 3
    else:
        won = state[lay.V_LEVELS + winners] == top and not _was_dweller(state, winners)
    state[lay.V_OWNER] = winners
    if won:
        state[lay.S_WINNER] = winners
        return
    if state[rules + lay.R_TOP_FAILURES]:
        if own_top and place == 3:
            state[lay.V_FAILURES + winners] += 1
        if (
            state[rules + lay.R_COUNT_LOSSES]
            and owner != winners
            and state[lay.V_LEVELS + owner] == top
        ):
            state[lay.V_FAILURES + owner] += 1
    state[lay.V_LEVELS + winners] = min(state[lay.V_LEVELS + winners] + gain, top)
    if state[rules + lay.R_TOP_FAILURES] == 0:
        return
    for team in range(2):
        if state[lay.V_FAILURES + team] >= state[rules + lay.R_TOP_FAILURES]:
            state[lay.V_LEVELS + team] = 1
            state[lay.V_FAILURES + team] = 0
            state[lay.S_RESETS + team] += 1
            if team == winners:
                state[lay.S_GAIN] = 0


@kernel
def _was_dweller(state: Words, team: int) -> bool:
    """Whether a member of the team finished the previous deal last, or was swept."""
    if state[lay.V_PREVIOUS] < 0:
        return False
    if state[lay.V_PREVIOUS + 3] & 1 == team:
        return True
    sweep = (state[lay.V_PREVIOUS] ^ state[lay.V_PREVIOUS + 1]) & 1 == 0
    return sweep and state[lay.V_PREVIOUS + 2] & 1 == team


@kernel
def finish_deal(state: Words) -> None:
    """Settle a deal that is done, and make its finishing order the previous one."""
    settle(state)
    state[lay.S_DEALS] += 1
    for i in range(4):
        state[lay.V_PREVIOUS + i] = state[lay.V_FINISH + i]
    state[lay.S_TRUNCATED] = (
        state[lay.S_WINNER] < 0 and state[lay.S_DEALS] >= state[lay.V_RULES + lay.R_MAX_DEALS]
    )


@kernel
def match_is_over(state: Words) -> bool:
    """Whether the match has a winner or reached the cap on deals."""
    return state[lay.S_WINNER] >= 0 or state[lay.S_TRUNCATED] != 0
