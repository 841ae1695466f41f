"""What a position is worth to a seat after its choice: a sum of terms, each from a small table.

A *term* is the index of a weight and a value in 1024ths: 1024 where the weight counts in full, less
where it is weighted by a chance. `choice_terms` writes those in which the choices of one decision
differ, `shared_terms` those in which they do not; the sum of all, weighted, is how many levels the
seat's team may expect to gain. `TABLES` names the tables; the weights are in `weights`.

"Nearest" is the fewest cards that an opponent still in play holds.
"""

from __future__ import annotations

from .. import layout as lay
from ..bitboard import rank_counts
from ..bits import index, popcount
from ..jit import Words, kernel, opened
from ..plancosts import bombs_of, losers_less_bombs, turns_of, weakness_of
from ..shapes import ABOVE, BOMB, PASS, strength_of
from .odds import SURE, holds_no_bomb, quads, share_of, stands, unseen_cards

__all__ = [
    "FACTS_SIZE",
    "MOST_TERMS",
    "TABLES",
    "WEIGHTS_SIZE",
    "choice_terms",
    "gather_facts",
    "shared_terms",
    "term_parts",
    "weigh",
]

#: (name, what it is about, shape), in the order of the weights.
TABLES: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("plan", "plan", (3, 10, 8)),  # stage, turns, losers
    ("weakness_by_stage", "plan", (3,)),  # slope a 64 of weakness
    ("weakness_by_turns", "plan", (3,)),
    ("cards", "plan", (14,)),  # own cards / 2
    ("race", "plan", (10, 7)),  # nearest, turns
    ("out", "plan", (3,)),  # going out: first, beside an opponent, after the partner
    ("bombs", "bombs", (5, 4, 6)),  # nearest, turns, bombs
    ("bombs_against", "bombs", (6, 3)),  # bombs, ranks of four unseen
    ("tops", "counting", (3, 20)),  # stage; red jokers, black jokers, wilds, level, aces
    ("winners", "counting", (3, 6)),  # stage, cards above all that are unseen
    ("control", "control", (3, 8)),  # nearest, turns; by the chance that the play stands
    ("control_bombs", "control", (3, 6)),  # turns, bombs; likewise
    ("shape", "control", (11,)),  # shape played
    ("shape_stands", "control", (11,)),  # by the chance that it stands
    ("lead", "control", (11,)),  # shape led
    ("next_beats", "opponents", (10,)),  # cards left then; by the chance that it is beaten
    ("previous_beats", "opponents", (10,)),
    ("opponent_holds", "opponents", (3, 2, 10)),  # turns, partner to act, its cards
    ("opponent_out", "opponents", (2, 8)),  # partner in, turns
    ("feed", "partner", (2, 3)),  # the partner has no more, more; single, pair, other
    ("partner_holds", "partner", (3, 10)),  # turns, its cards; by the chance that it stands
    ("partner_beaten", "partner", (10,)),  # cards left then; by the chance of it
    ("partner_answers", "partner", (10,)),  # its cards; by the chance that it can
    ("partner_out", "partner", (2, 8)),  # both opponents in, turns
    ("seats", "shared", (3, 10)),  # next, partner, previous; cards
    ("unseen_tops", "shared", (3, 9)),  # stage; red jokers, black jokers, wilds
    ("unseen_quads", "shared", (3, 6)),  # stage, ranks of four unseen
    ("one", "shared", (1,)),
)


def _starts() -> dict[str, int]:
    starts, at = {}, 0
    for name, _, shape in TABLES:
        starts[name] = at
        size = 1
        for n in shape:
            size *= n
        at += size
    return starts | {"": at}


_AT = _starts()
#: How many weights there are.
WEIGHTS_SIZE = _AT[""]
_PLAN = _AT["plan"]
_WEAKNESS_BY_STAGE = _AT["weakness_by_stage"]
_WEAKNESS_BY_TURNS = _AT["weakness_by_turns"]
_CARDS = _AT["cards"]
_RACE = _AT["race"]
_OUT = _AT["out"]
_BOMBS = _AT["bombs"]
_BOMBS_AGAINST = _AT["bombs_against"]
_TOPS = _AT["tops"]
_WINNERS = _AT["winners"]
_CONTROL = _AT["control"]
_CONTROL_BOMBS = _AT["control_bombs"]
_SHAPE = _AT["shape"]
_SHAPE_STANDS = _AT["shape_stands"]
_LEAD = _AT["lead"]
_NEXT_BEATS = _AT["next_beats"]
_PREVIOUS_BEATS = _AT["previous_beats"]
_OPPONENT_HOLDS = _AT["opponent_holds"]
_OPPONENT_OUT = _AT["opponent_out"]
_FEED = _AT["feed"]
_PARTNER_HOLDS = _AT["partner_holds"]
_PARTNER_BEATEN = _AT["partner_beaten"]
_PARTNER_ANSWERS = _AT["partner_answers"]
_PARTNER_OUT = _AT["partner_out"]
_SEATS = _AT["seats"]
_UNSEEN_TOPS = _AT["unseen_tops"]
_UNSEEN_QUADS = _AT["unseen_quads"]
_ONE = _AT["one"]

#: Terms of one position at most; a list of terms has its length before them.
MOST_TERMS = 60

# --- Facts: what is the same for all choices of a decision; int64[FACTS_SIZE] ---
F_COUNTS = 0  # of the unseen cards, by rank
F_STAGE = 1
F_QUADS = 2  # class of the number of ranks of four unseen
F_DOMINANT = 3  # cards above all that are unseen
F_NEAREST = 4
F_CARDS = 5  # 4 words from the seat on: cards held, by distance
F_SHARE = 9  # 4
F_NO_BOMB = 13  # 4
F_UNSEEN = 17  # 2
FACTS_SIZE = 19

_VALUE = 1 << 18  # a term is index << 20 | value + _VALUE


@opened
def _put(terms: Words, at: int, value: int) -> None:
    n = terms[0] + 1
    terms[0] = n
    terms[index(n)] = at << 20 | value + _VALUE


@opened
def term_parts(term: int) -> tuple[int, int]:
    """The index of a term's weight, and its value in 1024ths."""
    return term >> 20, (term & 0xFFFFF) - _VALUE


@kernel
def weigh(terms: Words, weights: Words) -> int:
    """The weighted sum of the terms, in 1024ths of the weights' unit."""
    total = 0
    for i in range(1, terms[0] + 1):
        at, value = term_parts(terms[index(i)])
        total += weights[index(at)] * value
    return total


# NumPy's truth values, which plain Python meets here, add up to a number only beside one.


@opened
def _by_cards(cards: int) -> int:
    """Class of a number of cards: 0 to 6, to 8, to 12, more."""
    if cards <= 6:
        return cards
    return 7 + (cards > 8) + (cards > 12)


@opened
def _by_nearest(nearest: int) -> int:
    return 0 + (nearest > 2) + (nearest > 5) + (nearest > 8) + (nearest > 13)


@opened
def _by_turns(turns: int) -> int:
    return 0 + (turns > 2) + (turns > 5)


@opened
def _both(one: int, two: int, place: int) -> int:
    """Copies of a card."""
    return (one >> place & 1) + (two >> place & 1)


@opened
def _of_rank(one: int, two: int, rank: int) -> int:
    return popcount(one >> 4 * rank & 15) + popcount(two >> 4 * rank & 15)


@kernel
def gather_facts(view: Words, facts: Words) -> None:
    """Fill ``facts`` for a decision of the seat that looks."""
    one, two = unseen_cards(view)
    counts = rank_counts(one, two)
    total = popcount(one) + popcount(two)
    level, seat = view[lay.V_LEVEL], view[lay.V_SEAT]
    facts[F_COUNTS] = counts
    facts[F_STAGE] = 0 + (total > 30) + (total > 55)
    fours = popcount(quads(counts))
    facts[F_QUADS] = 0 + (fours > 1) + (fours > 4)
    power = 16
    while power and not one & ABOVE[index(32 * level + power - 1)]:
        power -= 1
    facts[F_DOMINANT] = ABOVE[index(32 * level + power)]
    facts[F_UNSEEN] = one
    facts[F_UNSEEN + 1] = two
    nearest = 99
    for distance in range(4):
        cards = view[index(lay.V_COUNTS + (seat + distance & 3))]
        share = share_of(cards, total)
        facts[F_CARDS + distance] = cards
        facts[F_SHARE + distance] = share
        facts[F_NO_BOMB + distance] = holds_no_bomb(share, cards, counts)
        if distance & 1 and cards:
            nearest = min(nearest, cards)
    facts[F_NEAREST] = nearest


@kernel
def _stands_against(
    facts: Words, distance: int, level: int, shape: int, rank: int, size: int
) -> int:
    """Chance that the seat at that distance does not beat such a play."""
    return stands(
        shape,
        strength_of(shape, rank, size, level),
        level,
        facts[index(F_SHARE + distance)],
        facts[index(F_CARDS + distance)],
        facts[index(F_NO_BOMB + distance)],
        facts[F_COUNTS],
    )


@opened
def _left_after(cards: int, shape: int, size: int) -> int:
    """Cards left to a seat that beats a play."""
    return max(cards - (size if shape < BOMB else 4), 0)


@kernel
def _hand_terms(facts: Words, terms: Words, level: int, one: int, two: int, cost: int) -> None:
    """What the hand left is worth by itself."""
    turns, bombs = turns_of(cost), bombs_of(cost)
    losers = losers_less_bombs(cost) + bombs
    stage, nearest = facts[F_STAGE], facts[F_NEAREST]
    _put(terms, _PLAN + 80 * stage + 8 * min(turns, 9) + min(losers, 7), SURE)
    weakness = 16 * weakness_of(cost)
    _put(terms, _WEAKNESS_BY_STAGE + stage, weakness)
    _put(terms, _WEAKNESS_BY_TURNS + _by_turns(turns), weakness)
    _put(terms, _CARDS + min((popcount(one) + popcount(two)) // 2, 13), SURE)
    _put(terms, _RACE + 7 * _by_cards(nearest) + min(turns, 6), SURE)
    by_turns = 0 + (turns > 1) + (turns > 3) + (turns > 6)
    _put(terms, _BOMBS + 24 * _by_nearest(nearest) + 6 * by_turns + min(bombs, 5), SURE)
    _put(terms, _BOMBS_AGAINST + 3 * min(bombs, 5) + facts[F_QUADS], SURE)
    tops = _TOPS + 20 * stage
    wilds = _both(one, two, 4 * level + 1)
    aces = 0 if level == 13 else _of_rank(one, two, 13)
    _put(terms, tops + _both(one, two, 60), SURE)
    _put(terms, tops + 3 + _both(one, two, 56), SURE)
    _put(terms, tops + 6 + wilds, SURE)
    _put(terms, tops + 9 + min(_of_rank(one, two, level) - wilds, 4), SURE)
    _put(terms, tops + 14 + min(aces, 4), SURE)
    dominant = facts[F_DOMINANT]
    winners = popcount(one & dominant) + popcount(two & dominant)
    _put(terms, _WINNERS + 6 * stage + min(winners, 5), SURE)
    partner_in = facts[F_CARDS + 2] > 0
    both_in = facts[F_CARDS + 1] > 0 and facts[F_CARDS + 3] > 0
    if not partner_in:
        _put(terms, _PARTNER_OUT + 8 * both_in + min(turns, 7), SURE)
    if not both_in:
        _put(terms, _OPPONENT_OUT + 8 * partner_in + min(turns, 7), SURE)


@kernel
def _play_terms(
    view: Words, facts: Words, terms: Words, shape: int, rank: int, size: int, cost: int
) -> None:
    """What having made this play is worth."""
    level = view[lay.V_LEVEL]
    _put(terms, _SHAPE + shape, SURE)
    if view[lay.V_BEAT_KIND] == PASS:
        _put(terms, _LEAD + shape, SURE)
    chance = SURE
    for distance in range(1, 4, 2):
        cards = facts[index(F_CARDS + distance)]
        if cards:
            alone = _stands_against(facts, distance, level, shape, rank, size)
            beats = _NEXT_BEATS if distance == 1 else _PREVIOUS_BEATS
            left = _by_cards(_left_after(cards, shape, size))
            _put(terms, beats + left, chance * (SURE - alone) >> 10)
            chance = chance * alone >> 10
    turns, bombs = turns_of(cost), bombs_of(cost)
    by_nearest = 0 + (facts[F_NEAREST] > 2) + (facts[F_NEAREST] > 6)
    _put(terms, _CONTROL + 8 * by_nearest + min(turns, 7), chance)
    _put(terms, _SHAPE_STANDS + shape, chance)
    _put(terms, _CONTROL_BOMBS + 6 * _by_turns(turns) + min(bombs, 5), chance)
    partner = facts[F_CARDS + 2]
    if partner >= size:
        alone = _stands_against(facts, 2, level, shape, rank, size)
        _put(terms, _FEED + 3 * (partner > size) + min(shape, 3) - 1, SURE - alone)


@kernel
def _pass_terms(view: Words, facts: Words, terms: Words, cost: int) -> None:
    """What having passed is worth."""
    level, seat = view[lay.V_LEVEL], view[lay.V_SEAT]
    shape, rank = view[lay.V_BEAT_SHAPE], view[lay.V_BEAT_RANK]
    size = popcount(view[lay.V_BEAT_ONE]) + popcount(view[lay.V_BEAT_TWO])
    passed = view[lay.V_PASSED]
    partner = facts[F_CARDS + 2]
    by_turns = _by_turns(turns_of(cost))
    last = view[lay.V_BEAT_SEAT] - seat & 3
    if last == 2:
        chance = SURE
        for distance in range(1, 4, 2):
            cards = facts[index(F_CARDS + distance)]
            if cards and not passed >> (seat + distance & 3) & 1:
                alone = _stands_against(facts, distance, level, shape, rank, size)
                left = _by_cards(_left_after(cards, shape, size))
                _put(terms, _PARTNER_BEATEN + left, chance * (SURE - alone) >> 10)
                chance = chance * alone >> 10
        _put(terms, _PARTNER_HOLDS + 10 * by_turns + _by_cards(partner), chance)
        return
    chance = SURE
    to_act = partner > 0 and not passed >> (seat ^ 2) & 1
    if to_act:
        chance = _stands_against(facts, 2, level, shape, rank, size)
        _put(terms, _PARTNER_ANSWERS + _by_cards(partner), SURE - chance)
    cards = facts[index(F_CARDS + last)]
    _put(terms, _OPPONENT_HOLDS + 20 * by_turns + 10 * to_act + _by_cards(cards), chance)


@kernel
def choice_terms(
    view: Words,
    facts: Words,
    terms: Words,
    shape: int,
    rank: int,
    size: int,
    one: int,
    two: int,
    cost: int,
) -> None:
    """Write to ``terms`` (int64[MOST_TERMS + 1]) what tells this choice from others: a play of
    ``size`` cards, or a pass, that leaves the hand (one, two), whose plan costs ``cost``.
    """
    terms[0] = 0
    if one == 0:
        beside = 1 if facts[F_CARDS + 2] else 2
        _put(terms, _OUT + (beside if view[lay.V_OUT] else 0), SURE)
    _hand_terms(facts, terms, view[lay.V_LEVEL], one, two, cost)
    if shape == PASS:
        _pass_terms(view, facts, terms, cost)
    else:
        _play_terms(view, facts, terms, shape, rank, size, cost)


@kernel
def shared_terms(view: Words, facts: Words, terms: Words) -> None:
    """Add to ``terms`` those that all choices of the decision share."""
    level, stage = view[lay.V_LEVEL], facts[F_STAGE]
    one, two = facts[F_UNSEEN], facts[F_UNSEEN + 1]
    _put(terms, _ONE, SURE)
    for distance in range(1, 4):
        cards = _by_cards(facts[index(F_CARDS + distance)])
        _put(terms, _SEATS + 10 * (distance - 1) + cards, SURE)
    tops = _UNSEEN_TOPS + 9 * stage
    _put(terms, tops + _both(one, two, 60), SURE)
    _put(terms, tops + 3 + _both(one, two, 56), SURE)
    _put(terms, tops + 6 + _both(one, two, 4 * level + 1), SURE)
    fours = popcount(quads(facts[F_COUNTS]))
    _put(terms, _UNSEEN_QUADS + 6 * stage + min((fours + 1) // 2, 5), SURE)
