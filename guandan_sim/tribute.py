"""Tribute on the flat state: who owes whom, what may be given and returned, and who leads.

Kernels take the state of `layout`. Order of things: `tribute_due` when the hands are dealt (it
needs the red jokers only), `start_tribute` once the level is known, `apply_tribute` by every payer,
`apply_return` by every receiver.
"""

from __future__ import annotations

from . import layout as lay
from .bitboard import NATURAL, add_card, remove
from .deal import start_play
from .jit import Words, kernel
from .rng import SETUP_STREAM, below, word
from .shapes import ABOVE, POWER, wild_bit

__all__ = [
    "SETUP_EQUAL",
    "apply_return",
    "apply_tribute",
    "choice_mask",
    "return_mask",
    "start_tribute",
    "tribute_due",
    "tribute_mask",
]

RED_JOKER = 60
SETUP_EQUAL = (
    3  # draw of the set-up stream that settles equal tributes under equal_tribute = random
)


@kernel
def tribute_mask(one: int, level: int) -> int:
    """Bits of the cards that a payer may give: the highest but the wild, any suit. Nothing but
    wilds: these.
    """
    cards = one & ~wild_bit(level)
    if cards == 0:
        return one
    for power in range(15, -1, -1):
        highest = cards & ABOVE[32 * level + power]
        if highest:
            return highest
    return cards


@kernel
def return_mask(
    one: int, level: int, received: int, max_rank: int, level_card: int, received_card: int
) -> int:
    """Bits of the cards that a receiver may return.

    Natural ranks up to ``max_rank`` (15: any card, jokers too), of the level only with
    ``level_card``, the kind received (card number) only with ``received_card``. Nothing eligible:
    the lowest by power order, of any suit, still another kind than the one received if there is one
    and the rules want it.
    """
    cards = one if received_card else one & ~(1 << received)
    if cards == 0:
        return one
    eligible = cards
    if max_rank < 15:
        eligible &= NATURAL & ((1 << 4 * max_rank + 4) - 1)
    if not level_card:
        eligible &= ~(15 << 4 * level)
    if eligible:
        return eligible
    for power in range(1, 17):
        lowest = cards & ~ABOVE[32 * level + power]
        if lowest:
            return lowest
    return cards


@kernel
def tribute_due(state: Words) -> None:
    """Set how many tributes the previous finishing order makes due, and whether the red jokers
    cancel them.
    """
    banker = state[lay.V_PREVIOUS]
    if banker < 0 or not state[lay.V_RULES + lay.R_TRIBUTE]:
        return
    follower = state[lay.V_PREVIOUS + 1]
    last = state[lay.V_PREVIOUS + 3]
    red = RED_JOKER
    if (banker ^ follower) & 1:
        state[lay.V_TRIBUTE] = 1
        jokers = _copies(state, last, red)
        if state[lay.V_RULES + lay.R_ANTI_SINGLE] == 1:
            jokers += _copies(state, last ^ 2, red)
    else:
        state[lay.V_TRIBUTE] = 2
        jokers = _copies(state, last, red)
        other = _copies(state, last ^ 2, red)
        if state[lay.V_RULES + lay.R_ANTI_SWEEP] == 1:
            jokers = max(jokers, other)
        else:
            jokers += other
    state[lay.V_CANCELLED] = jokers == 2


@kernel
def _copies(state: Words, seat: int, card: int) -> int:
    hand = lay.S_HANDS + 2 * seat
    return (state[hand] >> card & 1) + (state[hand + 1] >> card & 1)


@kernel
def start_tribute(state: Words) -> None:
    """Ask the first payer, or start the play if nothing is paid (the Banker leads then).

    Of two payers the Banker's right-hand neighbour is asked first; neither sees what the other
    gives.
    """
    if state[lay.V_CANCELLED] or not state[lay.V_TRIBUTE]:
        start_play(state, state[lay.V_PREVIOUS])
        return
    state[lay.V_PHASE] = lay.PHASE_TRIBUTE
    if state[lay.V_TRIBUTE] == 1:
        state[lay.V_TURN] = state[lay.V_PREVIOUS + 3]
    else:
        state[lay.V_TURN] = (state[lay.V_PREVIOUS] + 1) & 3


@kernel
def apply_tribute(state: Words, card: int) -> None:
    """The seat to act gives the card of that number; after the last payer cards change hands."""
    seat = state[lay.V_TURN]
    state[lay.S_GIVEN + seat] = card
    if state[lay.V_TRIBUTE] == 2 and state[lay.S_GIVEN + (seat ^ 2)] == 0:
        state[lay.V_TURN] = seat ^ 2
        return
    banker = state[lay.V_PREVIOUS]
    if state[lay.V_TRIBUTE] == 1:
        _transfer(state, 0, seat, banker)
    else:
        payer = _payer_of_banker(state)
        _transfer(state, 0, payer, banker)
        _transfer(state, 1, payer ^ 2, banker ^ 2)
    state[lay.V_PHASE] = lay.PHASE_RETURN
    state[lay.V_TURN] = banker


@kernel
def _given_power(state: Words, seat: int) -> int:
    return POWER[16 * state[lay.V_LEVEL] + (state[lay.S_GIVEN + seat] >> 2)]


@kernel
def _payer_of_banker(state: Words) -> int:
    """Which of two payers gives to the Banker: the one with the higher card, if equal as
    ``equal_tribute`` says.
    """
    right = (state[lay.V_PREVIOUS] + 1) & 3
    left = right ^ 2
    rule = state[lay.V_RULES + lay.R_EQUAL_TRIBUTE]
    difference = _given_power(state, right) - _given_power(state, left)
    if rule == 1 or difference > 0:
        return right
    if difference < 0:
        return left
    if rule == 2:
        return min(right, left)
    if rule == 3:
        return left if below(word(state[lay.S_KEY], SETUP_STREAM), SETUP_EQUAL, 2) else right
    return right


@kernel
def _transfer(state: Words, number: int, giver: int, receiver: int) -> None:
    """Tribute ``number`` (0 to the Banker, 1 to the Follower) changes hands."""
    row = number * lay.V_TRIBUTE_WIDTH
    card = state[lay.S_GIVEN + giver]
    state[lay.V_GIVER + row] = giver
    state[lay.V_RECEIVER + row] = receiver
    state[lay.V_CARD + row] = card
    _move_card(state, giver, receiver, card)


@kernel
def _move_card(state: Words, giver: int, receiver: int, card: int) -> None:
    bit = 1 << card
    hand = lay.S_HANDS + 2 * giver
    state[hand], state[hand + 1] = remove(state[hand], state[hand + 1], bit, 0)
    hand = lay.S_HANDS + 2 * receiver
    state[hand], state[hand + 1] = add_card(state[hand], state[hand + 1], card)
    state[lay.V_COUNTS + giver] -= 1
    state[lay.V_COUNTS + receiver] += 1


@kernel
def apply_return(state: Words, card: int) -> None:
    """The seat to act returns the card of that number to its payer; after the last return the play
    starts.
    """
    number = 0 if state[lay.V_TURN] == state[lay.V_RECEIVER] else 1
    row = number * lay.V_TRIBUTE_WIDTH
    state[lay.V_RETURNED + row] = card
    state[lay.S_RETURNED + number] = card
    _move_card(state, state[lay.V_RECEIVER + row], state[lay.V_GIVER + row], card)
    if number + 1 < state[lay.V_TRIBUTE]:
        state[lay.V_TURN] = state[lay.V_RECEIVER + lay.V_TRIBUTE_WIDTH]
        return
    start_play(state, tribute_leader(state))


@kernel
def tribute_leader(state: Words) -> int:
    """The payer whose card the Banker received; with payers fixed by seat the higher card's payer,
    if equal the higher seat of the two. The Banker, where the rules say so.
    """
    if state[lay.V_RULES + lay.R_TRIBUTE_LEAD]:
        return state[lay.V_PREVIOUS]
    payer = state[lay.V_GIVER]
    if state[lay.V_TRIBUTE] == 2 and state[lay.V_RULES + lay.R_EQUAL_TRIBUTE] == 1:
        difference = _given_power(state, payer) - _given_power(state, payer ^ 2)
        if difference < 0 or (difference == 0 and payer < payer ^ 2):
            return payer ^ 2
    return payer


@kernel
def choice_mask(words: Words, seat: int, one: int) -> int:
    """Bits of the cards that ``seat``, whose first hand word is ``one``, may give or return in this
    phase.

    ``words`` is a state or that seat's view.
    """
    level = words[lay.V_LEVEL]
    if words[lay.V_PHASE] == lay.PHASE_TRIBUTE:
        return tribute_mask(one, level)
    row = 0 if seat == words[lay.V_RECEIVER] else lay.V_TRIBUTE_WIDTH
    return return_mask(
        one,
        level,
        words[lay.V_CARD + row],
        words[lay.V_RULES + lay.R_RETURN_MAX_RANK],
        words[lay.V_RULES + lay.R_RETURN_LEVEL_CARD],
        words[lay.V_RULES + lay.R_RETURN_RECEIVED_CARD],
    )
