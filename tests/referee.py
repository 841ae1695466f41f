"""A slow referee: turns, tricks, tribute and levels under every rule system, in plain Python.

It shares no code with the engine and stands on `oracle` alone. Cards and levels are code strings,
seats 0..3 in turn order (so seat s + 1 sits to the right of s), teams seat % 2. Rule switches come
as a plain dict, one entry a switch (`PRESETS`). In the comments and names B, F, T, D are the first
to fourth finisher of the previous deal; after a sweep (B and F partners) both losers are Dwellers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from oracle import RANKS, Move, Play, beats, legal_moves, power, rank_of, readings, wild_of

Switches = Mapping[str, Any]
Hands = Sequence[Sequence[str]]
Transfer = tuple[int, int, str]

GUIDE: dict[str, Any] = {
    "opening_leader": "marked_card",  # or "last_drawer", "random"
    "active_level": "winner",  # or "leader": the level of the team that leads
    "top_level": "A",
    "promotion": [3, 2, 1],  # levels for a partner who finishes second, third, last
    "max_bomb": 10,
    "full_house_joker_pair": True,
    "pass_locks": False,
    "return_max_rank": "T",  # or "none"
    "return_level_card": False,
    "return_received_card": False,
    "equal_tribute": "right_of_banker",  # or "fixed_seat", "lowest_seat", "random"
    "anti_tribute_single": "payer",  # or "side"
    "anti_tribute_sweep": "together",  # or "one_payer"
    "match_win": "own_level",  # or "not_dweller"
    "top_failures": 0,
    "top_failures_count_losses": False,
    "return_visible": True,
    "max_deals": 200,
    "tribute": True,
    "tribute_lead": "payer",  # or "banker"
}

# The others by what differs, as the table of the rules gives it.
OFFICIAL = dict(GUIDE, return_received_card=True)
KAWU = dict(OFFICIAL, opening_leader="random")
PRESETS: dict[str, dict[str, Any]] = {
    "guide": GUIDE,
    "official": OFFICIAL,
    "kawu": KAWU,
    "ace_reset": dict(KAWU, max_bomb=8, pass_locks=True, top_failures=3),
    "wikipedia": OFFICIAL
    | {"opening_leader": "last_drawer", "active_level": "leader", "max_bomb": 8}
    | {"anti_tribute_sweep": "one_payer", "match_win": "not_dweller", "return_visible": False},
    "short_game": KAWU
    | {"top_level": "T", "full_house_joker_pair": False, "return_level_card": True}
    | {"anti_tribute_single": "side"},
    "pagat": GUIDE
    | {"promotion": [4, 2, 1], "return_max_rank": "none", "return_level_card": True}
    | {"top_failures": 3, "top_failures_count_losses": True},
    "openguandan": dict(KAWU, equal_tribute="fixed_seat", top_failures=4),
}


class RefereeError(ValueError):
    """A move, a seat or a card that the rules do not allow; the message names it."""


def partner(seat: int) -> int:
    """The seat opposite."""
    return (seat + 2) % 4


def team(seat: int) -> int:
    """0 for seats 0 and 2, 1 for seats 1 and 3."""
    return seat % 2


class RefereeDeal:
    """One deal from four hands, played out move by move.

    `turn` is the seat to move, `to_beat` the play to beat as (shape, rank, size) or None when
    `turn` leads, `finish_order` the seats that are out (all four once `finished`).
    """

    def __init__(
        self, hands: Iterable[Iterable[str]], level: str, leader: int, switches: Switches
    ) -> None:
        self.hands = [sorted(hand) for hand in hands]
        if len(self.hands) != 4 or not all(self.hands):
            raise RefereeError(f"four hands with cards are needed, got {self.hands}")
        self.level = level
        self.switches = switches
        self.turn = leader
        self.to_beat: Play | None = None
        self.last_player = leader
        # Seats that passed since the last play, and since the trick began.
        self.passed: set[int] = set()
        self.passed_in_trick: set[int] = set()
        self.finish_order: list[int] = []
        self.finished = False

    def copy(self) -> RefereeDeal:
        """An independent deal in the same position."""
        other = object.__new__(RefereeDeal)
        other.__dict__.update(self.__dict__)
        other.hands = [list(hand) for hand in self.hands]
        other.passed = set(self.passed)
        other.passed_in_trick = set(self.passed_in_trick)
        other.finish_order = list(self.finish_order)
        return other

    def moves(self) -> set[Move]:
        """Every legal move of the seat to move, by full enumeration; empty once finished."""
        if self.finished:
            return set()
        return legal_moves(
            self.hands[self.turn],
            self.level,
            self.to_beat,
            self.switches["max_bomb"],
            self.switches["full_house_joker_pair"],
        )

    def move(self, move: Move) -> None:
        """Make a move of the seat to move, a play or the pass."""
        shape, rank, cards = move
        if shape == "pass":
            self.pass_(self.turn)
        else:
            self.play(self.turn, shape, rank, cards)

    def play(self, seat: int, shape: str, rank: str, cards: Iterable[str]) -> None:
        """Lay cards with their declaration. Raises `RefereeError` where the rules forbid it."""
        self._check_turn(seat)
        cards = list(cards)
        missing = Counter(cards) - Counter(self.hands[seat])
        if missing:
            raise RefereeError(f"seat {seat} does not hold {sorted(missing.elements())}")
        switches = self.switches
        declared = readings(
            cards, self.level, switches["max_bomb"], switches["full_house_joker_pair"]
        )
        if (shape, rank) not in declared:
            raise RefereeError(f"{cards} is no {shape} {rank}; it may be {sorted(declared)}")
        play = (shape, rank, len(cards))
        if self.to_beat is not None and not beats(play, self.to_beat, self.level):
            raise RefereeError(f"{play} does not beat {self.to_beat}")

        for card in cards:
            self.hands[seat].remove(card)
        self.to_beat, self.last_player, self.passed = play, seat, set()
        if not self.hands[seat]:
            self.finish_order.append(seat)
            if partner(seat) in self.finish_order:
                # Both of a team are out: the others, one or two, are ordered by seat.
                self.finish_order += [s for s in range(4) if s not in self.finish_order]
                self.finished = True
                return
        self._next_turn()

    def pass_(self, seat: int) -> None:
        """Pass. Raises `RefereeError` out of turn and for the leader."""
        self._check_turn(seat)
        if self.to_beat is None:
            raise RefereeError(f"seat {seat} leads and must play")
        self.passed.add(seat)
        self.passed_in_trick.add(seat)
        self._next_turn()

    def _check_turn(self, seat: int) -> None:
        if self.finished:
            raise RefereeError("the deal is over")
        if seat != self.turn:
            raise RefereeError(f"seat {seat} is not to move, seat {self.turn} is")

    def _next_turn(self) -> None:
        """Find the next seat that is asked, or clear the trick if none is left to ask."""
        barred = self.passed_in_trick if self.switches["pass_locks"] else self.passed
        after = [(self.turn + step) % 4 for step in (1, 2, 3)]
        asked = [s for s in after if self.hands[s] and s != self.last_player and s not in barred]
        if asked:
            self.turn = asked[0]
            return
        # Everyone else who holds cards has passed: the last player leads, or if out the partner.
        winner = self.last_player
        self.turn = winner if self.hands[winner] else partner(winner)
        self.to_beat, self.last_player = None, self.turn
        self.passed, self.passed_in_trick = set(), set()


def is_sweep(finish_order: Sequence[int]) -> bool:
    """Whether the first two finishers are partners."""
    return team(finish_order[0]) == team(finish_order[1])


def dwellers(finish_order: Sequence[int]) -> tuple[int, ...]:
    """Who is liable to pay after this deal: the last finisher, after a sweep both losers."""
    return tuple(sorted(finish_order[2:])) if is_sweep(finish_order) else (finish_order[3],)


def tribute_options(hand: Sequence[str], level: str) -> list[str]:
    """The cards that a payer may give: the highest that is not wild, in any suit it is held in."""
    cards = {card for card in hand if card != wild_of(level)}
    highest = max((power(rank_of(card), level) for card in cards), default=-1)
    return sorted(card for card in cards if power(rank_of(card), level) == highest)


def return_options(
    hand: Sequence[str], level: str, received: str | None, switches: Switches
) -> list[str]:
    """The cards that a receiver may return; `hand` holds the received card already or not.

    The two copies of a card are one card: where the received card may not be returned, its other
    copy may not either. If nothing is eligible, the lowest card by the order of singles is.
    """
    cards = set(hand)
    if received is not None:
        cards.add(received)
        if not switches["return_received_card"]:
            cards.remove(received)
    eligible = {card for card in cards if is_eligible(card, level, switches)}
    if not eligible:
        lowest = min((power(rank_of(card), level) for card in cards), default=-1)
        eligible = {card for card in cards if power(rank_of(card), level) == lowest}
    return sorted(eligible)


def is_eligible(card: str, level: str, switches: Switches) -> bool:
    """Whether a card is low enough to be returned; natural ranks count, so an ace is high."""
    rank, limit = rank_of(card), switches["return_max_rank"]
    if rank == level and not switches["return_level_card"]:
        return False
    return limit == "none" or (rank in RANKS and RANKS.index(rank) <= RANKS.index(limit))


def is_cancelled(finish_order: Sequence[int], hands: Hands, switches: Switches) -> bool:
    """Whether both red jokers lie where they cancel the tribute due after `finish_order`."""
    if not switches["tribute"]:
        return False
    reds = [list(hand).count("HR") for hand in hands]
    liable = dwellers(finish_order)
    if len(liable) == 1:
        payer = liable[0]
        side = reds[partner(payer)] if switches["anti_tribute_single"] == "side" else 0
        return reds[payer] + side == 2
    if switches["anti_tribute_sweep"] == "one_payer":
        return any(reds[payer] == 2 for payer in liable)
    return sum(reds[payer] for payer in liable) == 2


def tribute(
    finish_order: Sequence[int],
    hands: Hands,
    level: str,
    switches: Switches,
    give: Mapping[int, str] | None = None,
    drawn_payer: int | None = None,
) -> tuple[bool, list[Transfer], int]:
    """Who pays what to whom before a deal: (cancelled, transfers, leader).

    `hands` are the new deal's as dealt, `level` its level. `give` says which card a payer with a
    choice gives (else the first of `tribute_options`); a transfer is (giver, receiver, card), the
    Banker's first. `drawn_payer` pays the Banker on equal cards if `equal_tribute` is ``random``.
    """
    banker, follower = finish_order[0], finish_order[1]
    if not switches["tribute"]:
        return False, [], banker
    if is_cancelled(finish_order, hands, switches):
        return True, [], banker
    cards: dict[int, str] = {}
    for payer in dwellers(finish_order):
        options = tribute_options(hands[payer], level)
        card = (give or {}).get(payer, options[0])
        if card not in options:
            raise RefereeError(f"seat {payer} may give {options}, not {card}")
        cards[payer] = card
    if len(cards) == 1:
        (payer,) = cards
        leader = banker if switches["tribute_lead"] == "banker" else payer
        return False, [(payer, banker, cards[payer])], leader

    powers = {payer: power(rank_of(card), level) for payer, card in cards.items()}
    tied = len(set(powers.values())) == 1
    higher = max(cards, key=lambda payer: powers[payer])
    rule = switches["equal_tribute"]
    by_rule = {"lowest_seat": min(cards), "random": drawn_payer}.get(rule, (banker + 1) % 4)
    to_banker = by_rule if tied or rule == "fixed_seat" else higher
    if to_banker not in cards:
        raise RefereeError(f"drawn_payer must be one of {sorted(cards)}, not {drawn_payer}")
    # Where seats fix who pays whom (p pays p - 1), the cards still say who leads.
    leader = to_banker if rule != "fixed_seat" else max(cards) if tied else higher
    if switches["tribute_lead"] == "banker":
        leader = banker
    other = partner(to_banker)
    transfers = [(to_banker, banker, cards[to_banker]), (other, follower, cards[other])]
    return False, transfers, leader


def active_level(
    finish_order: Sequence[int], hands: Hands, levels: Sequence[str], switches: Switches
) -> tuple[int, str]:
    """Whose level the deal after `finish_order` is played at, and that level: (owner, level)."""
    owner = team(finish_order[0])
    paid = switches["tribute"] and not is_cancelled(finish_order, hands, switches)
    if switches["active_level"] == "leader" and paid and switches["tribute_lead"] == "payer":
        # A payer will lead, and payers are on one side.
        owner = team(dwellers(finish_order)[0])
    return owner, levels[owner]


def settle(
    finish_order: Sequence[int],
    levels: Sequence[str],
    owner: int,
    failures: Sequence[int],
    previous_last: Sequence[int],
    switches: Switches,
) -> tuple[tuple[str, str], int, int, tuple[int, int], int | None]:
    """What a deal changes: (levels, owner, gain, failures, match_winner).

    `owner` is the team whose level was played, `previous_last` the Dwellers of the deal before
    (none in the first deal). The owner returned is the winners' team. `gain` is what the finish is
    worth, also where the top cuts it short or the match is over; it is 0 if the winners fall back.
    """
    winners = team(finish_order[0])
    place = list(finish_order).index(partner(finish_order[0])) + 1
    gain = switches["promotion"][place - 2]
    top = switches["top_level"]
    own_top = owner == winners and levels[winners] == top
    new_levels, new_failures = list(levels), list(failures)

    if switches["match_win"] == "not_dweller":
        dweller_won = any(team(seat) == winners for seat in previous_last)
        won = levels[winners] == top and not dweller_won
    else:
        won = own_top and place < 4
    if won:
        return (levels[0], levels[1]), winners, gain, (failures[0], failures[1]), winners

    failed = None
    if own_top and place == 4:
        failed = winners
    elif switches["top_failures_count_losses"] and owner != winners and levels[owner] == top:
        failed = owner
    if failed is not None and switches["top_failures"]:
        new_failures[failed] += 1

    reached = min(RANKS.index(levels[winners]) + gain, RANKS.index(top))
    new_levels[winners] = RANKS[reached]

    if failed is not None and new_failures[failed] >= switches["top_failures"] > 0:
        new_levels[failed], new_failures[failed] = "2", 0
        if failed == winners:
            gain = 0
    return (new_levels[0], new_levels[1]), winners, gain, (new_failures[0], new_failures[1]), None
