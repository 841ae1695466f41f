"""What rule systems and their switches mean, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["PRESET_WORDS", "explanations", "meaning", "switch_word"]

#: A sentence about each preset.
PRESET_WORDS = {
    "guide": "Common leisure rules: the winners' level is played, failing at the Ace costs "
    "nothing, and the card received may not be returned.",
    "ace_reset": "Three failures at the Ace set a team back to 2, a pass bars from the rest of the "
    "trick, bombs have at most eight cards, and a random seat leads first.",
    "wikipedia": "The team that leads gives the level, so mostly the losers; whoever is out first "
    "at the Ace wins, unless a Dweller of the deal before is on the team.",
    "short_game": "Ten is the top level; no joker pairs in full houses, any card from 2 to 10 may "
    "be returned, and a payer's partner helps to cancel.",
    "kawu": "Tournament rules as an app plays them: as guide, but a random seat leads first, and "
    "the card received may come back.",
    "official": "The competition rules of 2022: as guide, but the card received may come back.",
    "pagat": "A sweep is worth four levels, any card but the one received may be returned, and the "
    "third failure at the Ace, lost deals included, sets a team back.",
    "openguandan": "An AI platform's rules: after a sweep the seats fix who pays whom, and the "
    "fourth failure at the Ace sets a team back.",
}

# By switch: what each value means, or a text in which {} stands for the value.
_MEANINGS: dict[str, Mapping[Any, str] | str] = {
    "opening_leader": {
        "marked_card": "One card of the pack is marked; whoever is dealt it leads the first deal.",
        "last_drawer": "A card is turned up, and another while it is a joker. Its rank, ace 1 to "
        "king 13, counted counter-clockwise from the player who turned it says who draws first; "
        "who draws the last card leads the first deal.",
        "random": "A seat drawn at random leads the first deal.",
    },
    "active_level": {
        "winner": "The level played is that of the team that won the deal before.",
        "leader": "The level played is that of the team that leads: mostly the payers' after a "
        "paid tribute, the Banker's after a cancelled one. It is settled before any card is given.",
    },
    "top_level": "Levels go from 2 to {}, which nobody skips; there a match is won.",
    "promotion": "A team gains {} levels when its first player's partner is second/third/last.",
    "max_bomb": "A bomb of one rank has 4 to {} cards, wilds among them.",
    "full_house_joker_pair": {
        True: "Two jokers of one colour may be the pair of a full house.",
        False: "The pair of a full house is never of jokers.",
    },
    "pass_locks": {
        True: "Who passes may not play until the trick is cleared.",
        False: "Who passes may still play later in the same trick.",
    },
    "return_max_rank": {
        "none": "A card of any rank may be returned, jokers too.",
        "": "A card returned has a natural rank of at most {}. Who has none to return gives the "
        "lowest card.",
    },
    "return_level_card": {
        True: "Cards of the level are returned like others of their natural rank, wilds too.",
        False: "No card of the level is returned.",
    },
    "return_received_card": {
        True: "The card received may be returned.",
        False: "Neither the card received nor its other copy is returned.",
    },
    "equal_tribute": {
        "right_of_banker": "After a sweep the higher card goes to the Banker; of equal cards that "
        "of the Banker's right-hand neighbour.",
        "fixed_seat": "After a sweep each loser pays the seat before it, whatever the cards. The "
        "payer of the higher card leads, of equal ones the higher seat.",
        "lowest_seat": "After a sweep the higher card goes to the Banker; of equal cards that of "
        "the lower seat.",
        "random": "After a sweep the higher card goes to the Banker; of equal cards one drawn at "
        "random.",
    },
    "anti_tribute_single": {
        "payer": "A single tribute is cancelled if the payer holds both red jokers.",
        "side": "A single tribute is cancelled if the payer and its partner hold both red jokers "
        "between them.",
    },
    "anti_tribute_sweep": {
        "together": "After a sweep tribute is cancelled if the losers hold both red jokers "
        "between them.",
        "one_payer": "After a sweep tribute is cancelled if one loser holds both red jokers.",
    },
    "match_win": {
        "own_level": "A team wins the match by being first with the partner second or third, in a "
        "deal played at its own top level.",
        "not_dweller": "A team that is at the top when a deal begins wins the match by being "
        "first, unless one of its members was a Dweller of the deal before.",
    },
    "top_failures": {
        0: "Failures at the top cost nothing.",
        "": "Failure number {} at its top, of all in the match, sets a team back to level 2 and "
        "its count to 0; it gains nothing from that deal.",
    },
    "top_failures_count_losses": {
        True: "A deal at the own top level is failed when it is won with the partner last, or "
        "lost.",
        False: "A deal at the own top level is failed when it is won with the partner last.",
    },
    "return_visible": {
        True: "All see the cards returned, once play starts.",
        False: "Only giver and receiver see a card that is returned.",
    },
    "tribute": {
        True: "Losers pay tribute before the next deal.",
        False: "No tribute is ever paid; the Banker leads the next deal.",
    },
    "tribute_lead": {
        "payer": "After a paid tribute the payer of the Banker's card leads.",
        "banker": "After a paid tribute the Banker leads.",
    },
    "max_deals": "A match that has no winner after deal number {} is cut off: a limit of the "
    "simulator.",
}


def switch_word(value: Any) -> str:
    """A switch's value as people write it: yes and no for truth values, 3/2/1 for a promotion.

    >>> switch_word(True), switch_word((3, 2, 1))
    ('yes', '3/2/1')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "/".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def meaning(switch: str, value: Any) -> str:
    """What it means that ``switch`` has this value, as a sentence.

    >>> meaning("max_bomb", 8)
    'A bomb of one rank has 4 to 8 cards, wilds among them.'
    """
    words = _MEANINGS[switch]
    text = words if isinstance(words, str) else words.get(value) or words[""]
    return text.format(switch_word(value))


def explanations(switch: str) -> list[str]:
    """What the values of ``switch`` mean, a line each; N stands for a number or rank.

    >>> explanations("max_bomb")
    ['N: A bomb of one rank has 4 to N cards, wilds among them.']
    """
    words = _MEANINGS[switch]
    named = {"": words} if isinstance(words, str) else words
    return [f"{switch_word(value) or 'N'}: {text.format('N')}" for value, text in named.items()]
