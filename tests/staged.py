"""Deals brought to their first choice from chosen levels, failures, hands and the order before.

Level, owner, tribute, leader and settlement, and what every seat is shown of them, then come from
the game's own steps; the tests that stand on this write what they expect by hand from the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games import CARD_BITS, PausedMatch, words_of

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim.deal import clear_deal
from guandan_sim.match import begin

RANKS = "?23456789TJQKA"
CARDS = {bit.bit_length() - 1: card for card, bit in CARD_BITS.items()} | {0: ""}
Levels = tuple[str, str]
Transfer = tuple[int, int, str]


def table_of(
    rules: gs.Rules | str,
    hands: Sequence[str],
    previous: str = "",
    levels: Levels = ("2", "2"),
    failures: tuple[int, int] = (0, 0),
    seed: int = 0,
) -> PausedMatch:
    """A match at the first choice of a deal after one that ended in ``previous``."""
    match = PausedMatch(seed=seed, rules=rules)
    state = match._state
    state[lay.V_LEVELS : lay.V_LEVELS + 2] = [RANKS.index(level) for level in levels]
    state[lay.V_FAILURES : lay.V_FAILURES + 2] = failures
    state[lay.V_PREVIOUS : lay.V_PREVIOUS + 4] = [int(s) for s in previous] or -1
    state[lay.S_DEALS] = len(previous) > 0
    give_hands(match, hands)
    return match


def give_hands(match: PausedMatch, hands: Sequence[str]) -> None:
    """Deal these hands in place of those just dealt."""
    state = match._state
    streams = state[lay.S_STREAMS : lay.S_STREAMS + 4].copy()
    clear_deal(state)
    state[lay.S_STREAMS : lay.S_STREAMS + 4] = streams
    words = [word for hand in hands for word in words_of(hand.split())]
    state[lay.S_HANDS : lay.S_HANDS + 8] = words
    state[lay.V_DEAL] = state[lay.S_DEALS]
    begin(state, 0)


def give(match: PausedMatch, cards: Mapping[int, str] | None = None) -> dict[int, str]:
    """Let the payers give, these cards or the first they may; tells what each might."""
    might = {}
    while match.phase == "tribute":
        seat = match.to_move
        assert seat is not None
        options = [str(card) for card in match.options()]
        might[seat] = " ".join(options)
        match.step((cards or {}).get(seat, options[0]))
    return might


def give_back(match: PausedMatch) -> list[str]:
    """Let the receivers return the first card they may; tells what each might."""
    might = []
    while match.phase == "return":
        options = [str(card) for card in match.options()]
        might.append(" ".join(options))
        match.step(options[0])
    return might


def end_in(match: PausedMatch, order: str) -> None:
    """Let the deal end in that order, whatever the cards; it is settled and the next is dealt."""
    give(match)
    give_back(match)
    state = match._state
    state[lay.V_FINISH : lay.V_FINISH + 4] = [int(seat) for seat in order]
    state[lay.V_OUT] = 4
    state[lay.V_PHASE] = lay.PHASE_DONE
    match.next_deal()


def shown(match: PausedMatch) -> tuple[int, str, int, bool, int | None]:
    """Owner, level, tributes due, whether cancelled, leader: as all four seats see them."""
    places = [lay.V_OWNER, lay.V_LEVEL, lay.V_TRIBUTE, lay.V_CANCELLED, lay.V_LEADER]
    (words,) = {tuple(match.view(seat).words[places].tolist()) for seat in range(4)}
    owner, level, due, cancelled, leader = words
    assert (match.owner, match.level) == (owner, RANKS[level])
    assert match.leader == (None if leader < 0 else leader)
    return owner, RANKS[level], due, bool(cancelled), match.leader


def score(match: PausedMatch) -> tuple[Levels, tuple[int, int]]:
    """Levels and failures of the teams, as all four seats see them."""
    (words,) = {
        tuple(match.view(seat).words[lay.V_LEVELS : lay.V_LEVELS + 4].tolist()) for seat in range(4)
    }
    assert match.levels == (RANKS[words[0]], RANKS[words[1]])
    return match.levels, (words[2], words[3])


def tributes_seen(match: PausedMatch, seat: int) -> list[tuple[int, int, str, str]]:
    """Both rows of tribute in the view of a seat: (giver, receiver, card, card returned)."""
    words = match.view(seat).words
    rows = words[lay.V_GIVER : lay.V_RULES].reshape(2, lay.V_TRIBUTE_WIDTH).tolist()
    return [(giver, receiver, CARDS[card], CARDS[back]) for giver, receiver, card, back in rows]


def low(**others: str) -> list[str]:
    """Four small hands of low cards, but for those named: ``seat3="HR HR"``."""
    hands = ["S3 C4 C8", "H3 D4 D8", "D3 H4 H9", "C3 S4 S6"]
    return [others.get(f"seat{seat}", hand) for seat, hand in enumerate(hands)]


def check_tribute(
    rules: gs.Rules | str,
    hands: Sequence[str],
    order: str,
    levels: Levels,
    played: tuple[int, str],
    options: dict[int, str],
    transfers: list[Transfer],
    leader: int,
) -> None:
    """``played``: owner and level; ``options`` of the payers, none if the tribute is cancelled."""
    cancelled = not options
    # By function.
    assert gs.active_level(order, hands, levels, rules) == played
    expected = gs.Tribute(cancelled, transfers, leader)
    assert gs.tribute(order, hands, played[1], rules) == expected
    # In a match.
    match = table_of(rules, hands, order, levels)
    due = 2 if (int(order[0]) - int(order[1])) % 2 == 0 else 1
    before_play = None if options else leader
    assert shown(match) == (*played, due, cancelled, before_play)
    assert match.phase == ("tribute" if options else "play")
    assert give(match) == options
    assert [(*row, "") for row in transfers] == match.tributes
    for seat in range(4):
        rows = [row for row in tributes_seen(match, seat) if row[2]]
        assert rows == match.tributes
    give_back(match)
    assert (match.phase, match.to_move) == ("play", leader)
    assert shown(match) == (*played, due, cancelled, leader)
