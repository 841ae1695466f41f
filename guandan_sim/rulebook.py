"""The rules between deals as plain functions: what may be given and returned, who gets what, levels
after a deal.

They run the same kernels as the game, on a state of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from . import layout as lay
from .cards import (
    CARD_CODES,
    CARD_NUMBERS,
    RANK_WORDS,
    Cards,
    card_codes,
    cards_to_words,
    hand_to_words,
    parse_cards,
    parse_level,
)
from .checks import check_seat, pack_order
from .errors import HandError, IllegalMoveError, OptionError
from .match import active_owner
from .match import settle as settle_state
from .rulefiles import RulesName, resolve_rules
from .rules import Rules, new_state
from .tribute import (
    apply_tribute,
    return_mask,
    start_tribute,
    tribute_due,
    tribute_leader,
    tribute_mask,
)

__all__ = [
    "Settlement",
    "Tribute",
    "active_level",
    "return_options",
    "settle",
    "tribute",
    "tribute_options",
]


@dataclass(frozen=True)
class Tribute:
    """What a finishing order makes due in the next deal.

    ``transfers`` are (giver, receiver, card), the Banker's first, before any return; empty if
    cancelled. ``leader`` is the seat that leads the deal.
    """

    cancelled: bool
    transfers: list[tuple[int, int, str]]
    leader: int


@dataclass(frozen=True)
class Settlement:
    """Where a deal leaves the match.

    ``levels`` of the teams, ``owner`` (the winners' team), ``gain``: the levels that the finish is
    worth, whether or not the top cuts them (0 for a team that is set back to 2), ``failures`` of
    the teams at the top, ``match_winner`` None, 0 or 1.
    """

    levels: tuple[str, str]
    owner: int
    gain: int
    failures: tuple[int, int]
    match_winner: int | None


def tribute_options(hand: Cards, level: str, rules: RulesName = "guide") -> list[str]:
    """The cards that a payer may give: the highest rank but the wild, any suit of it.

    >>> tribute_options("H7 SA DA SK", level="7")
    ['SA', 'DA']
    """
    resolve_rules(rules)
    one, _ = _hand(hand)
    return card_codes(int(tribute_mask(one, parse_level(level))))


def return_options(hand: Cards, level: str, received: str, rules: RulesName = "guide") -> list[str]:
    """The cards that the receiver of ``received`` may return. ``hand`` may hold that card already
    or not.

    >>> return_options("S5 S3 DT SJ", level="5", received="SA")
    ['DT', 'S3']
    """
    words = resolve_rules(rules).words()
    one, _ = _hand(hand, most=28)
    (code,) = parse_cards([received])
    number = CARD_NUMBERS[code]
    mask = return_mask(
        one | 1 << number,
        parse_level(level),
        number,
        words[lay.R_RETURN_MAX_RANK],
        words[lay.R_RETURN_LEVEL_CARD],
        words[lay.R_RETURN_RECEIVED_CARD],
    )
    return card_codes(int(mask))


def tribute(
    finish_order: Sequence[int] | str,
    hands: Sequence[Cards],
    level: str,
    rules: RulesName = "guide",
    give: Mapping[int, str] | None = None,
) -> Tribute:
    """Who gives what to whom after a deal that ended in ``finish_order``, and who leads.

    ``hands`` are the four hands of the new deal as dealt, ``level`` its level. ``give`` names the
    card of a payer who has equal ones; by default the first of `tribute_options`. With
    ``equal_tribute`` "random" equal tributes fall as for seed 0. Raises `IllegalMoveError` for a
    card that its payer may not give.

    >>> hands = ["S3", "HR", "S4", "SA"]
    >>> tribute((0, 1, 2, 3), hands, level="2").transfers
    [(3, 0, 'SA')]
    """
    state = _state(finish_order, hands, resolve_rules(rules))
    state[lay.V_LEVEL] = parse_level(level)
    start_tribute(state)
    try:
        chosen = {check_seat(seat, "giver"): card for seat, card in dict(give or {}).items()}
    except (TypeError, ValueError) as error:
        if isinstance(error, OptionError):
            raise
        raise OptionError(
            f"give is {give!r}; map payers' seats to cards, as in {{3: 'SA'}}"
        ) from None
    while state[lay.V_PHASE] == lay.PHASE_TRIBUTE:
        seat = int(state[lay.V_TURN])
        if state[lay.S_HANDS + 2 * seat] == 0:
            raise HandError(f"seat {seat} has no cards to give from")
        options = card_codes(
            int(tribute_mask(int(state[lay.S_HANDS + 2 * seat]), int(state[lay.V_LEVEL])))
        )
        card = parse_cards([chosen.pop(seat, options[0])])[0]
        if card not in options:
            raise IllegalMoveError(
                f"seat {seat} may not give {card}; it may give {' or '.join(options)}"
            )
        apply_tribute(state, CARD_NUMBERS[card])
    if chosen:
        raise IllegalMoveError(f"seats {sorted(chosen)} give nothing here")
    if state[lay.V_CANCELLED] or not state[lay.V_TRIBUTE]:
        return Tribute(bool(state[lay.V_CANCELLED]), [], int(state[lay.V_LEADER]))
    rows = state[lay.V_GIVER : lay.V_RULES].reshape(-1, lay.V_TRIBUTE_WIDTH).tolist()
    transfers = [(g, r, CARD_CODES[c]) for g, r, c, _ in rows if c]
    return Tribute(False, transfers, int(tribute_leader(state)))


def settle(
    finish_order: Sequence[int] | str,
    levels: Sequence[str],
    owner: int,
    failures: Sequence[int] = (0, 0),
    previous_last: Sequence[int] = (),
    rules: RulesName = "guide",
) -> Settlement:
    """Levels, failures and winner after a deal.

    ``owner`` is the team whose level was played, ``levels`` and ``failures`` the teams' before the
    deal, ``previous_last`` the Dwellers of the deal before (no seat, one, or two partners).

    >>> settle((0, 1, 2, 3), ("5", "8"), owner=1).levels
    ('7', '8')
    """
    if owner not in (0, 1):
        raise OptionError(f"owner is {owner!r}; teams are 0 (seats 0 and 2) and 1")
    rules = resolve_rules(rules)
    of_teams = _levels(levels, rules)
    counts = list(failures) if isinstance(failures, Sequence | np.ndarray) else []
    if len(counts) != 2 or not all(
        isinstance(n, int | np.integer) and 0 <= n < 2**31 for n in counts
    ):
        raise OptionError(f"failures {failures!r} must have one whole number a team")
    state = new_state(rules)
    packed = pack_order(finish_order, "finish_order")
    state[lay.V_FINISH : lay.V_FINISH + 4] = [packed >> 2 * i & 3 for i in range(4)]
    state[lay.V_LEVELS : lay.V_LEVELS + 2] = of_teams
    state[lay.V_FAILURES : lay.V_FAILURES + 2] = counts
    state[lay.V_OWNER] = owner
    state[lay.S_WINNER] = -1
    state[lay.V_PREVIOUS : lay.V_PREVIOUS + 4] = _order_with_last(previous_last)
    settle_state(state)
    a, b = state[lay.V_LEVELS : lay.V_LEVELS + 2]
    winner = int(state[lay.S_WINNER])
    left = state[lay.V_FAILURES : lay.V_FAILURES + 2].tolist()
    return Settlement(
        levels=(RANK_WORDS[a], RANK_WORDS[b]),
        owner=int(state[lay.V_OWNER]),
        gain=int(state[lay.S_GAIN]),
        failures=(left[0], left[1]),
        match_winner=winner if winner >= 0 else None,
    )


def _levels(levels: Sequence[str], rules: Rules) -> list[int]:
    """Both teams' levels as ranks."""
    if isinstance(levels, str) or not isinstance(levels, Sequence) or len(levels) != 2:
        raise OptionError(f"levels {levels!r} must have one value a team")
    ranks = [parse_level(level) for level in levels]
    if max(ranks) > parse_level(rules.top_level):
        raise OptionError(f"levels {levels!r} are above {rules.top_level}, the top of these rules")
    return ranks


def _order_with_last(previous_last: Sequence[int]) -> list[int]:
    """Some finishing order with these Dwellers; -1s for none."""
    try:
        dwellers = [int(seat) for seat in previous_last]
    except (TypeError, ValueError):
        raise OptionError(
            f"previous_last is {previous_last!r}; give no seat, one, or two partners"
        ) from None
    if not dwellers:
        return [-1] * 4
    others = [seat for seat in range(4) if seat not in dwellers]
    if len(dwellers) == 1 and len(others) == 3:
        # Not a sweep: the first two are of different teams.
        partner = (dwellers[0] + 2) % 4
        opponents = [seat for seat in others if seat != partner]
        return [opponents[0], partner, opponents[1], dwellers[0]]
    if len(dwellers) == 2 and len(others) == 2 and dwellers[0] & 1 == dwellers[1] & 1:
        return [*others, *dwellers]
    raise OptionError(f"previous_last is {dwellers!r}; give no seat, one, or two partners")


def active_level(
    finish_order: Sequence[int] | str,
    hands: Sequence[Cards],
    levels: Sequence[str],
    rules: RulesName = "guide",
) -> tuple[int, str]:
    """(owner, level) of the deal after one that ended in ``finish_order``; ``hands`` are those of
    the new deal.

    >>> active_level((0, 1, 2, 3), ["S3", "S4", "S5", "S6"], ("5", "8"))
    (0, '5')
    """
    rules = resolve_rules(rules)
    ranks = _levels(levels, rules)
    owner = int(active_owner(_state(finish_order, hands, rules)))
    return owner, RANK_WORDS[ranks[owner]]


def _hand(cards: Cards, most: int = 27) -> tuple[int, int]:
    one, two = hand_to_words(cards, most=most)
    if one == 0:
        raise HandError("the hand is empty; a card has to be given from it")
    return one, two


def _state(finish_order: Sequence[int] | str, hands: Sequence[Cards], rules: Rules) -> np.ndarray:
    """A state before tribute: hands dealt, the finishing order behind it, tributes due or
    cancelled.
    """
    try:
        hands = [parse_cards(hand) for hand in hands]
    except TypeError:
        raise HandError(f"hands are {hands!r}; give four, each text or a list of codes") from None
    if len(hands) != 4:
        raise HandError(f"{len(hands)} hands were given; there are four seats")
    cards_to_words([code for hand in hands for code in hand], name="the four hands together")
    state = new_state(rules)
    packed = pack_order(finish_order, "finish_order")
    state[lay.V_PREVIOUS : lay.V_PREVIOUS + 4] = [packed >> 2 * i & 3 for i in range(4)]
    for seat, hand in enumerate(hands):
        at = lay.S_HANDS + 2 * seat
        state[at : at + 2] = hand_to_words(hand, name=f"hand of seat {seat}")
    tribute_due(state)
    return state
