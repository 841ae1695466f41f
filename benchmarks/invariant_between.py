"""Deals but for their plays, for `invariants`: the pack, tribute, level, leader and what a deal
changes in its match, recomputed from the hands as dealt and the cards given.
"""

# What Numba decorates is Any to mypy; Numba itself infers the types.
# mypy: no-warn-return-any

from __future__ import annotations

from typing import Any

from invariant_checks import (
    CANCELLED,
    CARDS,
    GIVEN_HELD,
    GIVEN_POWER,
    GIVER,
    HAND_SIZE,
    HAND_WORDS,
    KEPT_SIZE,
    LEADER,
    LEVEL,
    LEVELS,
    M_CUT,
    M_DEALS,
    M_FAILURES,
    M_LEVELS,
    M_PREVIOUS,
    M_RESETS,
    M_SET,
    M_WINNER,
    MARKED,
    MATCH,
    MATCH_DEALS,
    MATCH_LEVELS,
    N_CANCELLED,
    N_OPENINGS,
    N_TRIBUTES,
    NEXT_DEAL,
    NEXT_SET,
    OWNER,
    PACK,
    PACK_BITS,
    PREVIOUS,
    RECEIVER,
    RED_JOKER_CARD,
    RESETS,
    RETURNED,
    TRIBUTE,
    TRIBUTE_LEADER,
    TRIBUTE_ROWS,
    TRUNCATED,
    WINNER,
    expect,
)
from invariant_rules import ACE, LEFT, add_cards, compiled, power, take_cards

from guandan_sim import layout as lay
from guandan_sim import loop


@compiled
def take_hands(row: Any, hands: Any, book: Any) -> bool:
    """Count the hands as dealt."""
    for seat in range(4):
        one, two = row[loop.D_HANDS + 2 * seat], row[loop.D_HANDS + 2 * seat + 1]
        wrong = (one & ~PACK_BITS) | (two & ~one)
        if not expect(HAND_WORDS, 0, wrong, book):
            return False
        take_cards(one, two, row[loop.D_LEVEL], hands[seat])
        if not expect(HAND_SIZE, 27, hands[seat, LEFT], book):
            return False
    for card in CARDS:
        dealt = hands[0, card] + hands[1, card] + hands[2, card] + hands[3, card]
        if not expect(PACK, 2, dealt, book):
            return False
    return True


@compiled
def _highest_power(held: Any, level: int) -> int:
    """The highest power among the cards that are not wild."""
    highest = 0
    for card in CARDS:
        if held[card] and card != 4 * level + 1:
            highest = max(highest, power(card >> 2, level))
    return highest


@compiled
def _low_enough(card: int, level: int, rules: Any) -> bool:
    """Whether a card is one to return, by its rank alone."""
    rank = card >> 2
    if rank == level and not rules[lay.R_RETURN_LEVEL_CARD]:
        return False
    most = rules[lay.R_RETURN_MAX_RANK]
    return most == 15 or (rank <= ACE and rank <= most)


@compiled
def may_return(card: int, held: Any, received: int, level: int, rules: Any) -> bool:
    """Whether who received a card may return this one; ``held`` has the card received in it."""
    if card < 0 or card > RED_JOKER_CARD or held[card] == 0:
        return False
    barred = -1 if rules[lay.R_RETURN_RECEIVED_CARD] else received
    if card == barred:
        return False
    if _low_enough(card, level, rules):
        return True
    for other in CARDS:
        if held[other] and other != barred:
            if _low_enough(other, level, rules):
                return False
            if power(other >> 2, level) < power(card >> 2, level):
                return False
    return True


@compiled
def _tribute(row: Any, rows: Any, at: int, due: int, hands: Any, rules: Any, book: Any) -> bool:
    """Follow the ``due`` tributes from row ``at`` on: all are given, then a card is returned for
    each; and who leads then.
    """
    level = row[loop.D_LEVEL]
    banker, last = row[loop.D_PREVIOUS], row[loop.D_PREVIOUS + 3]
    rule = rules[lay.R_EQUAL_TRIBUTE]
    given = 0
    for i in range(due):
        giver, receiver, card = rows[at + i, 2], rows[at + i, 3], rows[at + i, 4]
        if not expect(RECEIVER, banker if i == 0 else banker ^ 2, receiver, book):
            return False
        if due == 1 or i == 1:
            expected = last if due == 1 else rows[at, 2] ^ 2
            if not expect(GIVER, expected, giver, book):
                return False
        else:
            loser = 0 <= giver <= 3 and giver & 1 == last & 1
            if not expect(GIVER, giver if loser else last, giver, book):
                return False
        held = hands[giver, card] if 0 < card <= RED_JOKER_CARD else 0
        if not expect(GIVEN_HELD, max(held, 1), held, book):
            return False
        wild = card == 4 * level + 1
        value = 0 if wild else power(card >> 2, level)
        if not expect(GIVEN_POWER, _highest_power(hands[giver], level), value, book):
            return False
        given = given << 8 | value
    leader = rows[at, 2]
    if due == 2:
        payer = leader
        right = banker + 1 & 3
        to_banker, to_follower = given >> 8, given & 255
        if rule == 1:
            expected = right
            higher = payer if to_banker > to_follower else payer ^ 2
            leader = max(payer, payer ^ 2) if to_banker == to_follower else higher
        elif to_banker != to_follower:
            expected = payer if to_banker > to_follower else payer ^ 2
        elif rule == 0:
            expected = right
        else:
            expected = min(payer, payer ^ 2) if rule == 2 else payer
        if not expect(GIVER, expected, payer, book):
            return False
    for i in range(due):
        add_cards(rows[at + i, 4], -1, level, hands[rows[at + i, 2]])
        add_cards(rows[at + i, 4], 1, level, hands[rows[at + i, 3]])
    for i in range(due):
        receiver, back = hands[rows[at + i, 3]], rows[at + i, 5]
        may = may_return(back, receiver, rows[at + i, 4], level, rules)
        if not expect(RETURNED, 1, may, book):
            return False
        add_cards(back, -1, level, receiver)
        add_cards(back, 1, level, hands[rows[at + i, 2]])
    for seat in range(4):
        if not expect(KEPT_SIZE, 27, hands[seat, LEFT], book):
            return False
    return expect(TRIBUTE_LEADER, leader, row[loop.D_LEADER], book)


@compiled
def before_play(row: Any, rows: Any, at: int, stop: int, hands: Any, rules: Any, book: Any) -> bool:
    """The order before, tribute and its rows from ``at`` to ``stop``, level and leader."""
    banker, follower = row[loop.D_PREVIOUS], row[loop.D_PREVIOUS + 1]
    last = row[loop.D_PREVIOUS + 3]
    level, leader = row[loop.D_LEVEL], row[loop.D_LEADER]
    due, cancelled, owner = 0, 0, leader & 1
    if banker >= 0:
        due = 2 if (banker ^ follower) & 1 == 0 else 1
        jokers = hands[last, RED_JOKER_CARD]
        partners = hands[last ^ 2, RED_JOKER_CARD]
        if due == 1:
            jokers += partners if rules[lay.R_ANTI_SINGLE] else 0
        else:
            jokers = max(jokers, partners) if rules[lay.R_ANTI_SWEEP] else jokers + partners
        cancelled = 1 if jokers == 2 else 0
        owner = last & 1 if rules[lay.R_ACTIVE_LEVEL] and not cancelled else banker & 1
    if not expect(TRIBUTE, due, row[loop.D_TRIBUTE], book):
        return False
    if not expect(CANCELLED, cancelled, row[loop.D_CANCELLED], book):
        return False
    if not expect(LEADER, leader & 3, leader, book):
        return False
    if not expect(OWNER, owner, row[loop.D_OWNER], book):
        return False
    if not expect(LEVEL, book[M_LEVELS + owner], level, book):
        return False
    marked = row[loop.D_MARKED]
    if banker < 0:
        book[N_OPENINGS] += 1
        turned = 0 < marked <= RED_JOKER_CARD
        if rules[lay.R_OPENING_LEADER] == 0:
            turned = turned and hands[leader, marked] > 0
        elif rules[lay.R_OPENING_LEADER] == 1:
            turned = turned and marked >> 2 <= ACE
        else:
            turned = marked == 0
        if not expect(MARKED, 1, turned, book):
            return False
    elif not expect(MARKED, 1, marked == 0, book):
        return False
    paid = 0 if cancelled else due
    if not expect(TRIBUTE_ROWS, paid, stop - at, book):
        return False
    book[N_TRIBUTES] += paid
    book[N_CANCELLED] += cancelled
    if cancelled:
        return expect(LEADER, banker, leader, book)
    return paid == 0 or _tribute(row, rows, at, paid, hands, rules, book)


@compiled
def settle(row: Any, book: Any, rules: Any) -> int:
    """What the deal changes in the book; gives the levels gained."""
    first = row[loop.D_FINISH]
    team = first & 1
    place = 1
    for i in range(2, 4):
        if row[loop.D_FINISH + i] == first ^ 2:
            place = i
    gain = rules[lay.R_PROMOTION + place - 1]
    top = rules[lay.R_TOP_LEVEL]
    owner = row[loop.D_OWNER]
    at_top = book[M_LEVELS + team] == top
    won = at_top and owner == team and place < 3
    if rules[lay.R_MATCH_WIN]:
        banker, follower = book[M_PREVIOUS], book[M_PREVIOUS + 1]
        swept = (banker ^ follower) & 1 == 0
        dweller = banker >= 0 and (
            book[M_PREVIOUS + 3] & 1 == team or (swept and book[M_PREVIOUS + 2] & 1 == team)
        )
        won = at_top and not dweller
    if won:
        book[M_WINNER] = team
        return gain
    most = rules[lay.R_TOP_FAILURES]
    if most and book[M_LEVELS + owner] == top:
        lost = owner != team and rules[lay.R_COUNT_LOSSES]
        book[M_FAILURES + owner] += lost or (owner == team and place == 3)
    book[M_LEVELS + team] = min(book[M_LEVELS + team] + gain, top)
    for side in range(2):
        if most and book[M_FAILURES + side] >= most:
            book[M_FAILURES + side] = 0
            book[M_LEVELS + side] = 1
            book[M_RESETS + side] += 1
            gain = 0 if side == team else gain
    return gain


@compiled
def begin(row: Any, matches: int, book: Any) -> bool:
    """What must be so before a deal: its numbers, levels and the order before."""
    new = not matches or row[loop.D_DEAL] == 0
    if new:
        if not expect(NEXT_SET, book[M_SET] + 1, row[loop.D_SET], book):
            book[M_SET] = row[loop.D_SET]
            return False
        book[M_SET] += 1
        book[M_DEALS] = 0
        book[M_WINNER] = -1
        book[M_CUT] = 0
        for side in range(2):
            book[M_LEVELS + side] = 1 if matches else row[loop.D_LEVEL]
            book[M_FAILURES + side] = 0
            book[M_RESETS + side] = 0
        for i in range(4):
            book[M_PREVIOUS + i] = -1 if matches else row[loop.D_PREVIOUS + i]
    elif not expect(NEXT_SET, book[M_SET], row[loop.D_SET], book):
        return False
    if not expect(NEXT_DEAL, book[M_DEALS], row[loop.D_DEAL], book):
        return False
    for i in range(2):
        found = row[loop.D_LEVELS + i]
        if not expect(LEVELS, book[M_LEVELS + i], found, book):
            return False
    seats = 0
    for i in range(4):
        found = row[loop.D_PREVIOUS + i]
        if not expect(PREVIOUS, book[M_PREVIOUS + i], found, book):
            return False
        seats |= 1 << found if 0 <= found < 4 else 0
    return expect(PREVIOUS, 15 if row[loop.D_PREVIOUS] >= 0 else 0, seats, book)


@compiled
def end_match(row: Any, book: Any) -> bool:
    if not expect(MATCH, book[M_SET], row[0], book):
        return False
    if not expect(WINNER, book[M_WINNER], row[1], book):
        return False
    if not expect(MATCH_DEALS, book[M_DEALS], row[2], book):
        return False
    if not expect(TRUNCATED, book[M_CUT], row[5], book):
        return False
    for side in range(2):
        if not expect(MATCH_LEVELS, book[M_LEVELS + side], row[3 + side], book):
            return False
        if not expect(RESETS, book[M_RESETS + side], row[6 + side], book):
            return False
    return True
