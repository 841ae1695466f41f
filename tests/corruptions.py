"""Logged rows, and ways to corrupt them, each with the check of `invariants` that finds it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from invariants import Block, Task, played_blocks
from numpy.typing import NDArray

from guandan_sim import layout as lay
from guandan_sim import loop

Rows = NDArray[Any]


@dataclass
class Log:
    """Rows to corrupt, and the plays in them decoded."""

    block: Block

    @property
    def seats(self) -> Rows:
        return self.block.plays[:, 0] & 3

    def field(self, place: int, width: int = 15) -> Rows:
        return self.block.plays[:, 0] >> place & width

    @property
    def plies(self) -> Rows:
        return self.block.plays[:, 0] >> loop.P_PLY

    @property
    def leads(self) -> Rows:
        return np.equal(self.field(lay.H_LEAD, 1), 1)

    def put(self, row: int, place: int, value: int, width: int = 15) -> None:
        """Write a value into the packed word of a play."""
        packed = int(self.block.plays[row, 0])
        self.block.plays[row, 0] = packed & ~(width << place) | value << place

    def without_play(self, row: int) -> None:
        self.block = self.block._replace(plays=np.delete(self.block.plays, row, axis=0))

    def with_play(self, at: int, words: np.ndarray) -> None:
        self.block = self.block._replace(plays=np.insert(self.block.plays, at, words, axis=0))


def first(mask: np.ndarray, after: int = 100) -> int:
    """A row where something is so, past the first few deals."""
    return int(np.flatnonzero(mask[after:])[0]) + after


def copy_of(task: Task, blocks: int = 1) -> Block:
    parts = []
    for block in played_blocks(task):
        parts.append([table.copy() for table in block])
        if len(parts) == blocks:
            break
    return Block(*(np.concatenate(tables) for tables in zip(*parts, strict=True)))


def of_deals(preset: str = "guide", first_set: int = 0) -> Log:
    return Log(copy_of(Task(preset, "deals", first_set, first_set + 128, 9, "random")))


def of_matches() -> Log:
    return Log(copy_of(Task("ace_reset", "matches", 0, 16, 9, "random"), blocks=2))


Corruption = Callable[[Log], None]
OF_DEALS: dict[str, tuple[str, Corruption]] = {}


def corrupts(check: str) -> Callable[[Corruption], Corruption]:
    """A corruption of 128 deals under guide, and what it is to be found by."""

    def keep(change: Corruption) -> Corruption:
        OF_DEALS[change.__name__] = check, change
        return change

    return keep


@corrupts("who leads the trick")
def another_seat_leads_a_trick(log: Log) -> None:
    row = first(log.leads & (log.plies > 0))
    log.put(row, 0, int(log.seats[row]) ^ 1, 3)


@corrupts("who leads the trick")
def another_seat_leads_the_deal(log: Log) -> None:
    row = first(log.plies == 0)
    log.put(row, 0, int(log.seats[row]) ^ 2, 3)


@corrupts("seats that passed before the play")
def another_seat_answers(log: Log) -> None:
    row = first(~log.leads & ((log.seats - np.roll(log.seats, 1)) % 4 == 1) & (log.plies < 8))
    log.put(row, 0, (int(log.seats[row]) + 1) % 4, 3)


@corrupts("who plays: not who is to be beaten")
def a_seat_beats_itself(log: Log) -> None:
    row = first(~log.leads)
    log.put(row, 0, int(log.seats[row - 1]), 3)


@corrupts("cards left to who plays")
def a_seat_that_is_out_plays(log: Log) -> None:
    for deal in log.block.deals:
        begin = int(np.flatnonzero(log.plies == 0)[int(deal[loop.D_SET])])
        rows = range(begin, begin + int(deal[loop.D_PLAYS]))
        out = int(deal[loop.D_FINISH])
        last = max(row for row in rows if log.seats[row] == out)
        for row in rows:
            if row > last + 1 and not log.leads[row] and log.seats[row - 1] != out:
                log.put(row, 0, out, 3)
                return


@corrupts("whether the play leads a trick")
def the_first_play_leads_nothing(log: Log) -> None:
    log.put(first(log.plies == 0), lay.H_LEAD, 0, 1)


@corrupts("copies held of a card played")
def a_card_that_another_seat_holds(log: Log) -> None:
    held = log.block.deals[3, loop.D_HANDS : loop.D_HANDS + 8].reshape(4, 2)
    row = int(np.flatnonzero(log.plies == 0)[3])
    seat = int(log.seats[row])
    only = int(held[(seat + 1) % 4, 0] & ~held[seat, 0])
    log.block.plays[row, 1:] = only & -only, 0


@corrupts("copies held of a card played")
def a_card_played_before(log: Log) -> None:
    row = first((log.plies > 5) & (log.field(lay.H_SIZE) == 1))
    seat = log.seats[row]
    before = first((log.seats == seat) & (log.plies < log.plies[row]), row - int(log.plies[row]))
    log.block.plays[row, 1:] = log.block.plays[before, 1:]


@corrupts("copies held of a card played")
def a_third_copy(log: Log) -> None:
    row = first((log.field(lay.H_SIZE) == 1) & (log.plies == 0))
    log.block.plays[row, 2] = log.block.plays[row, 1]
    held = log.block.deals[int((log.plies[:row] == 0).sum()), loop.D_HANDS :].reshape(4, 2)
    assert not held[log.seats[row], 1] & log.block.plays[row, 1]


@corrupts("words of a play: cards only, doubles among them")
def a_second_copy_without_a_first(log: Log) -> None:
    row = first(log.field(lay.H_SIZE) == 1)
    log.block.plays[row, 2] = 1 << 5 if log.block.plays[row, 1] != 1 << 5 else 1 << 6


@corrupts("size of the play")
def a_wrong_size(log: Log) -> None:
    row = first(log.field(lay.H_SIZE) == 3)
    log.put(row, lay.H_SIZE, 2)


@corrupts("whether the cards may be declared so")
def a_wrong_rank(log: Log) -> None:
    row = first(log.field(lay.H_SIZE) == 1)
    log.put(row, lay.H_RANK, int(log.field(lay.H_RANK)[row]) % 13 + 1)


@corrupts("whether the cards may be declared so")
def a_wrong_shape(log: Log) -> None:
    log.put(first(log.field(lay.H_SHAPE) == 5), lay.H_SHAPE, 9)


@corrupts("whether the play beats that before")
def a_play_that_does_not_beat(log: Log) -> None:
    plain = (log.field(lay.H_SHAPE) == 1) & (log.field(lay.H_RANK) < 14)
    for row in np.flatnonzero(plain & ~log.leads).tolist():
        stop = row + 1
        while stop < len(plain) and log.plies[stop] > 0:
            later = plain[stop] and log.seats[stop] == log.seats[row]
            # The level is above all: leave it out of the comparison.
            level = log.block.deals[int((log.plies[: row + 1] == 0).sum()) - 1, loop.D_LEVEL]
            ranks = [int(log.field(lay.H_RANK)[at]) for at in (row - 1, stop)]
            if later and plain[row - 1] and level not in ranks and ranks[1] <= ranks[0]:
                log.put(row, lay.H_RANK, ranks[1])
                log.block.plays[row, 1:] = log.block.plays[stop, 1:]
                return
            stop += 1


@corrupts("seats that passed before the play")
def a_pass_too_many(log: Log) -> None:
    row = first(log.field(lay.H_PASSES) == 0)
    log.put(row, lay.H_PASSES, 1 << int(log.seats[row]))


@corrupts("seats that passed before the play")
def a_pass_too_few(log: Log) -> None:
    log.put(first(log.field(lay.H_PASSES) != 0), lay.H_PASSES, 0)


@corrupts("chosen passes of seats that did not pass")
def a_chosen_pass_of_nobody(log: Log) -> None:
    log.put(first(log.field(lay.H_PASSES) == 0), loop.P_CHOSEN, 4)


@corrupts("a pass by choice: whether there was an answer")
def a_forced_pass_flagged_as_chosen(log: Log) -> None:
    forced = log.field(lay.H_PASSES) & ~log.field(loop.P_CHOSEN)
    row = first(forced != 0)
    log.put(row, loop.P_CHOSEN, int(log.field(lay.H_PASSES)[row]))


@corrupts("a forced pass: whether there was an answer")
def a_chosen_pass_flagged_as_forced(log: Log) -> None:
    log.put(first(log.field(loop.P_CHOSEN) != 0), loop.P_CHOSEN, 0)


@corrupts("number of the play")
def a_play_missing(log: Log) -> None:
    log.without_play(first(log.plies == 7))


@corrupts("number of the play")
def a_play_twice(log: Log) -> None:
    row = first(log.plies == 7)
    log.with_play(row, log.block.plays[row])


@corrupts("teams that are out after the last play")
def the_last_play_missing(log: Log) -> None:
    log.without_play(first(log.plies == 0) - 1)


@corrupts("plays after the end of the deal")
def a_play_after_the_end(log: Log) -> None:
    row = first(log.plies == 0)
    log.with_play(row, log.block.plays[row - 1] + np.array([1 << loop.P_PLY, 0, 0]))


def a_deal(log: Log, paid: int = 2) -> Rows:
    """The row of a deal in which so many cards were given."""
    deals = log.block.deals
    due = np.where(deals[:, loop.D_CANCELLED], 0, deals[:, loop.D_TRIBUTE])
    row: Rows = deals[first(due == paid, 3)]
    return row


def of_deal(check: str, column: int, change: Callable[[int], int], paid: int = 2) -> None:
    """A corruption of one number in the row of a deal."""

    def apply(log: Log) -> None:
        row = a_deal(log, paid)
        row[column] = change(int(row[column]))

    OF_DEALS[f"column {column}: {check}, {paid}"] = check, apply


of_deal("the next set", loop.D_SET, lambda n: n + 1)
of_deal("the next deal of it", loop.D_DEAL, lambda n: n + 1)
of_deal("levels of the teams before", loop.D_LEVELS + 1, lambda n: n % 13 + 1)
of_deal("levels of the teams before", loop.D_LEVEL, lambda n: n % 13 + 1)
of_deal("the finishing order before: seats once each", loop.D_PREVIOUS, lambda n: n ^ 1)
of_deal("tributes due", loop.D_TRIBUTE, lambda n: 3 - n)
of_deal("tributes due", loop.D_TRIBUTE, lambda _: 0, paid=1)
of_deal("tributes cancelled", loop.D_CANCELLED, lambda n: 1 - n)
of_deal("the team whose level is played", loop.D_OWNER, lambda n: 1 - n)
of_deal("whether the card turned up may be so", loop.D_MARKED, lambda _: 7)
of_deal("who leads the deal", loop.D_LEADER, lambda n: n + 4)
of_deal("who leads after tribute", loop.D_LEADER, lambda n: n ^ 2)
of_deal("who leads the deal", loop.D_LEADER, lambda n: n ^ 2, paid=0)
of_deal("plays counted in the row of the deal", loop.D_PLAYS, lambda n: n - 1)
of_deal("finishing order", loop.D_FINISH + 3, lambda n: n ^ 1)
of_deal("levels gained", loop.D_GAIN, lambda n: n % 3 + 1)
of_deal("cards in a hand as dealt", loop.D_HANDS + 1, lambda _: 0)
of_deal(
    "words of a hand as dealt: cards only, doubles among them", loop.D_HANDS + 2, lambda n: n | 1
)


@corrupts("finishing order")
def two_finishers_swapped(log: Log) -> None:
    row = a_deal(log)
    row[[loop.D_FINISH, loop.D_FINISH + 1]] = row[[loop.D_FINISH + 1, loop.D_FINISH]]


@corrupts("copies dealt of a card")
def a_third_copy_dealt(log: Log) -> None:
    row = a_deal(log)
    one = int(row[loop.D_HANDS])
    mine = one & ~int(row[loop.D_HANDS + 1])
    others = int(row[loop.D_HANDS + 2] | row[loop.D_HANDS + 4] | row[loop.D_HANDS + 6]) & ~one
    row[loop.D_HANDS] = one & ~(mine & -mine) | others & -others


def a_gift(log: Log, paid: int = 2) -> Rows:
    """The first row of tribute of such a deal."""
    number = a_deal(log, paid)[loop.D_SET]
    row: Rows = log.block.tributes[first(log.block.tributes[:, 0] == number, 0)]
    return row


@corrupts("who gives a card")
def the_payers_swapped(log: Log) -> None:
    powers = log.block.tributes[:, 4] >> 2
    double = log.block.tributes[:-1, 0] == log.block.tributes[1:, 0]
    level = log.block.deals[log.block.tributes[:, 0], loop.D_LEVEL]
    clear = (powers[:-1] != powers[1:]) & (powers != level)[:-1] & (powers != level)[1:]
    row = first(double & clear, 3)
    both = log.block.tributes[[row, row + 1]]
    log.block.tributes[row, [2, 4, 5]] = both[1, [2, 4, 5]]
    log.block.tributes[row + 1, [2, 4, 5]] = both[0, [2, 4, 5]]


@corrupts("who gives a card")
def a_winner_gives(log: Log) -> None:
    a_gift(log)[2] ^= 1


@corrupts("who receives it")
def another_receives(log: Log) -> None:
    a_gift(log, 1)[3] ^= 2


@corrupts("copies that the giver of a card has of it")
def a_card_given_that_is_not_held(log: Log) -> None:
    gift = a_gift(log)
    hand = log.block.deals[gift[0], loop.D_HANDS + 2 * gift[2]]
    gift[4] = next(card for card in range(4, 56) if not hand >> card & 1)


@corrupts("power of the tribute, the highest that is not wild")
def a_low_card_given(log: Log) -> None:
    gift = a_gift(log)
    hand = log.block.deals[gift[0], loop.D_HANDS + 2 * gift[2]]
    gift[4] = next(card for card in range(4, 56) if hand >> card & 1)


@corrupts("whether the card returned may be")
def the_card_received_returned(log: Log) -> None:
    gift = a_gift(log)
    gift[5] = gift[4]


@corrupts("rows of tribute")
def a_tribute_missing(log: Log) -> None:
    number = a_deal(log)[loop.D_SET]
    row = first(log.block.tributes[:, 0] == number, 0)
    log.block = log.block._replace(tributes=np.delete(log.block.tributes, row, axis=0))


@corrupts("rows left over")
def a_tribute_too_many(log: Log) -> None:
    another = log.block.tributes[-1:].copy()
    another[0, 0] += 1
    rows = np.concatenate([log.block.tributes, another])
    log.block = log.block._replace(tributes=rows)
