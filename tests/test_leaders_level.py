"""Wikipedia: the level of the team that leads, and how a match is won there."""

from __future__ import annotations

import pytest
from staged import Levels, Transfer, check_tribute, end_in, give, give_back, low, table_of

import guandan_sim as gs
from guandan_sim import layout as lay

# Wikipedia: the level of the team that leads

PAYER = "S7 SA HA H7 SK"


@pytest.mark.parametrize(
    ("order", "levels", "hands", "played", "options", "transfers", "leader"),
    [
        # 3 is last: it leads, so its team's level is played, and says what its highest card is.
        ("0123", ("7", "A"), low(seat3=PAYER), (1, "A"), {3: "SA"}, [(3, 0, "SA")], 3),
        ("0123", ("A", "7"), low(seat3=PAYER), (1, "7"), {3: "S7"}, [(3, 0, "S7")], 3),
        ("1230", ("7", "A"), low(seat0=PAYER), (0, "7"), {0: "S7"}, [(0, 1, "S7")], 0),
        # Both red jokers in its hand: the Banker leads.
        ("0123", ("7", "A"), low(seat3="HR HR S7"), (0, "7"), {}, [], 0),
        ("0123", ("A", "7"), low(seat3="HR HR S7"), (0, "A"), {}, [], 0),
        ("1230", ("7", "A"), low(seat0="HR HR S7"), (1, "A"), {}, [], 1),
        # One red joker each with the partner, or both at the partner or the Banker: paid.
        (
            "0123",
            ("7", "A"),
            low(seat1="HR S4", seat3="HR S7"),
            (1, "A"),
            {3: "HR"},
            [(3, 0, "HR")],
            3,
        ),
        (
            "0123",
            ("7", "A"),
            low(seat1="HR HR", seat3=PAYER),
            (1, "A"),
            {3: "SA"},
            [(3, 0, "SA")],
            3,
        ),
        (
            "0123",
            ("A", "7"),
            low(seat0="HR HR S4", seat3=PAYER),
            (1, "7"),
            {3: "S7"},
            [(3, 0, "S7")],
            3,
        ),
        # First and last are partners: the level is their own, whoever of them leads.
        ("0132", ("7", "A"), low(seat2=PAYER), (0, "7"), {2: "S7"}, [(2, 0, "S7")], 2),
        ("0132", ("A", "7"), low(seat2=PAYER), (0, "A"), {2: "SA"}, [(2, 0, "SA")], 2),
        ("0132", ("7", "A"), low(seat2="HR HR S7"), (0, "7"), {}, [], 0),
        ("3201", ("7", "A"), low(seat1=PAYER), (1, "A"), {1: "SA"}, [(1, 3, "SA")], 1),
        # After a sweep. At A the DA is the higher card, at 7 the S7.
        (
            "0213",
            ("7", "A"),
            low(seat1="S7 SK H7 HA", seat3="DA DK"),
            (1, "A"),
            {1: "SK", 3: "DA"},
            [(3, 0, "DA"), (1, 2, "SK")],
            3,
        ),
        (
            "0213",
            ("A", "7"),
            low(seat1="S7 SK H7 HA", seat3="DA DK"),
            (1, "7"),
            {1: "S7", 3: "DA"},
            [(1, 0, "S7"), (3, 2, "DA")],
            1,
        ),
        ("0213", ("7", "A"), low(seat1="HR HR S7"), (0, "7"), {}, [], 0),
        ("2013", ("7", "A"), low(seat3="HR HR S7"), (0, "7"), {}, [], 2),
        ("0213", ("A", "7"), low(seat3="HR HR S7"), (0, "A"), {}, [], 0),
        # One red joker each is paid.
        (
            "0213",
            ("7", "A"),
            low(seat1="HR S7", seat3="HR SA"),
            (1, "A"),
            {1: "HR", 3: "HR"},
            [(1, 0, "HR"), (3, 2, "HR")],
            1,
        ),
        (
            "3102",
            ("7", "A"),
            low(seat0="HR S7", seat2="HR SA"),
            (0, "7"),
            {0: "HR", 2: "HR"},
            [(0, 3, "HR"), (2, 1, "HR")],
            0,
        ),
        # And so is one at a loser and one at a winner, or both at a winner.
        (
            "0213",
            ("A", "7"),
            low(seat1="HR S7", seat2="HR H4", seat3="C7 DA"),
            (1, "7"),
            {1: "HR", 3: "C7"},
            [(1, 0, "HR"), (3, 2, "C7")],
            1,
        ),
        (
            "0213",
            ("7", "A"),
            low(seat0="HR HR S5", seat1="S7 SK", seat3="C7 DK DA"),
            (1, "A"),
            {3: "DA", 1: "SK"},
            [(3, 0, "DA"), (1, 2, "SK")],
            3,
        ),
    ],
)
def test_the_level_of_the_team_that_leads(
    order: str,
    levels: Levels,
    hands: list[str],
    played: tuple[int, str],
    options: dict[int, str],
    transfers: list[Transfer],
    leader: int,
) -> None:
    check_tribute("wikipedia", hands, order, levels, played, options, transfers, leader)


@pytest.mark.parametrize(
    ("payer", "leads", "wild", "natural"),
    [("S5 HA H7 SA", 3, "HA", "H7"), ("S5 HA H7 HR HR", 0, "H7", "HA")],
)
def test_the_wild_is_of_the_level_of_the_team_that_leads(
    payer: str, leads: int, wild: str, natural: str
) -> None:
    hands = low(seat0="S5 HA H7 S3", seat3=payer)
    match = table_of("wikipedia", hands, "0123", ("7", "A"))
    give(match)
    give_back(match)
    assert match.to_move == leads
    pairs = {" ".join(sorted(m.cards)) for m in match.legal_moves() if m.shape == "pair"}
    assert " ".join(sorted(("S5", wild))) in pairs
    assert " ".join(sorted(("S5", natural))) not in pairs


@pytest.mark.parametrize("rules", ["guide", "ace_reset", "pagat", "openguandan"])
def test_elsewhere_the_level_of_the_winners_is_played(rules: str) -> None:
    hands = low(seat3=PAYER)
    check_tribute(rules, hands, "0123", ("7", "A"), (0, "7"), {3: "S7"}, [(3, 0, "S7")], 3)


# Wikipedia: how a match is won


@pytest.mark.parametrize(
    ("previous", "hands", "levels", "owner", "order", "winner", "own_level", "after"),
    [
        # Neither 0 nor 2 was a Dweller; a 1-4 win will do, and in the other team's deal too.
        ("0123", low(), ("A", "5"), 1, "0132", 0, None, ("A", "5")),
        ("0123", low(), ("A", "5"), 1, "2013", 0, None, ("A", "5")),
        ("0123", low(seat3="HR HR S5"), ("A", "5"), 0, "0132", 0, None, ("A", "5")),
        ("0123", low(seat3="HR HR S5"), ("A", "5"), 0, "0123", 0, 0, ("A", "5")),
        ("0213", low(), ("A", "5"), 1, "0132", 0, None, ("A", "5")),
        ("1023", low(), ("A", "5"), 1, "0213", 0, None, ("A", "5")),
        ("1302", low(), ("5", "A"), 0, "1032", 1, None, ("5", "A")),
        # The winners' own partner was the Dweller.
        ("0132", low(), ("A", "5"), 0, "0213", None, 0, ("A", "5")),
        ("0132", low(), ("A", "5"), 0, "2013", None, 0, ("A", "5")),
        ("2310", low(), ("A", "5"), 0, "0123", None, 0, ("A", "5")),
        # They lost the deal before, by a last place or swept.
        ("1032", low(), ("A", "5"), 0, "0213", None, 0, ("A", "5")),
        ("1302", low(), ("A", "5"), 0, "0123", None, 0, ("A", "5")),
        ("0213", low(), ("A", "A"), 1, "1302", None, 1, ("A", "A")),
        ("0213", low(), ("A", "5"), 1, "1302", None, None, ("A", "8")),
        # The level is reached in this deal only.
        ("0123", low(), ("K", "5"), 1, "0213", None, None, ("A", "5")),
        ("0123", low(seat3="HR HR S5"), ("K", "5"), 0, "0213", None, None, ("A", "5")),
    ],
)
def test_wikipedias_match_is_won_by_no_dweller_at_the_top(
    previous: str,
    hands: list[str],
    levels: Levels,
    owner: int,
    order: str,
    winner: int | None,
    own_level: int | None,
    after: Levels,
) -> None:
    swept = (int(previous[0]) - int(previous[1])) % 2 == 0
    dwellers = [int(seat) for seat in (previous[2:] if swept else previous[3])]
    wikipedia = gs.Rules.preset("wikipedia")
    for rules, won in ((wikipedia, winner), (wikipedia.replace(match_win="own_level"), own_level)):
        settled = gs.settle(order, levels, owner, previous_last=dwellers, rules=rules)
        assert (settled.match_winner, settled.levels) == (won, after)
        match = table_of(rules, hands, previous, levels)
        assert match.owner == owner
        end_in(match, order)
        assert (match.winner, match.levels) == (won, after)
        assert (match.phase == "done") == (won is not None)
        if won is None:
            before = match.view(1).words[lay.V_PREVIOUS : lay.V_PREVIOUS + 4].tolist()
            assert before == [int(seat) for seat in order]


@pytest.mark.parametrize(("order", "winner"), [("0132", 0), ("1023", 1), ("3120", 1)])
def test_nobody_was_a_dweller_before_the_first_deal(order: str, winner: int) -> None:
    match = table_of("wikipedia", low(), levels=("A", "A"))
    end_in(match, order)
    assert match.winner == winner
    assert gs.settle(order, ("A", "A"), 0, rules="wikipedia").match_winner == winner


def test_wikipedias_winners_with_a_last_place_need_one_more_deal() -> None:
    match = table_of("wikipedia", low(), "0123", ("K", "2"))
    for order in ("0132", "0213"):  # the ace is reached; 2 was the Dweller
        end_in(match, order)
        assert (match.winner, match.levels) == (None, ("A", "2"))
    end_in(match, "2130")
    assert (match.winner, match.levels) == (0, ("A", "2"))
