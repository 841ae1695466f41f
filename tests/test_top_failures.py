"""Failures at the top, by function and through the flow of a match."""

from __future__ import annotations

import pytest
from games import PausedMatch
from staged import Levels, end_in, give_hands, low, score, shown, table_of

import guandan_sim as gs
from guandan_sim import layout as lay

# Failures at the top

# Whoever is asked and is not next to play passes. Seat 2 holds both red jokers, so that the tribute
# is cancelled and the Banker leads.
FAILURE = (["S7", "ST", "HR HR S3", "SJ"], "0 S7, 1 ST, 3 SJ", "0132")
LOSS = (["S3 S4", "S7", "HR HR S5", "ST"], "0 S3, 1 S7, 3 ST", "1302")
# In the deal of team 1, after the loss.
AWAY = (["S7", "S3 ST", "HR HR S4", "S5 SJ"], "1 S3, 3 S5, 0 S7, 1 ST, 3 SJ", "0132")
SCRIPT = (FAILURE, LOSS, AWAY, FAILURE, FAILURE, FAILURE)


def play(match: PausedMatch, script: str) -> None:
    """Play the deal to its end."""
    plays = [words.split() for words in script.split(", ")]
    while match.phase != "done":
        mine = plays and int(plays[0][0]) == match.to_move
        match.step(plays.pop(0)[1] if mine else "pass")
    assert not plays


@pytest.mark.parametrize(
    ("rules", "played", "levels", "failures", "gains", "resets"),
    [
        ("guide", "AA8AAA", "A5 A8 A8 A8 A8 A8", "000000", "131111", 0),
        ("wikipedia", "AA8AAA", "A5 A8 A8 A8 A8 A8", "000000", "131111", 0),
        # The third 1-4 win in an own deal, though a loss and a win lie between.
        ("ace_reset", "AA8AA2", "A5 A8 A8 A8 28 38", "111200", "131101", 1),
        # The loss counts, too.
        ("pagat", "AA9A23", "A5 A9 A9 29 39 49", "122000", "141011", 1),
        ("openguandan", "AA8AAA", "A5 A8 A8 A8 A8 28", "111230", "131110", 1),
    ],
)
def test_failures_through_deals_played(
    rules: str, played: str, levels: str, failures: str, gains: str, resets: int
) -> None:
    match = table_of(rules, FAILURE[0], "0132", ("A", "5"))
    for number, (hands, script, order) in enumerate(SCRIPT):
        give_hands(match, hands)
        owner = 1 if number == 2 else 0
        assert shown(match) == (owner, played[number], 2 if number == 2 else 1, True, owner)
        play(match, script)
        assert match.finish_order == tuple(int(seat) for seat in order)
        match.next_deal()
        after = levels.split()[number]
        assert score(match) == ((after[0], after[1]), (int(failures[number]), 0))
        assert match.state[lay.S_GAIN] == int(gains[number])
        assert match.winner is None
    assert match.state[lay.S_RESETS : lay.S_RESETS + 2].tolist() == [resets, 0]


@pytest.mark.parametrize(
    ("rules", "previous", "order", "levels", "failures", "expected"),
    [
        # K to A by a 1-4 win: reached, not failed at.
        ("ace_reset", "0123", "0132", ("K", "A"), (2, 2), (("A", "A"), 1, (2, 2), None)),
        ("pagat", "0123", "0132", ("K", "A"), (2, 2), (("A", "A"), 1, (2, 2), None)),
        ("openguandan", "0123", "0132", ("K", "A"), (3, 3), (("A", "A"), 1, (3, 3), None)),
        # A 1-4 win at A in the other team's deal.
        ("ace_reset", "1023", "0132", ("A", "5"), (2, 2), (("A", "5"), 1, (2, 2), None)),
        ("pagat", "1023", "0132", ("A", "5"), (2, 2), (("A", "5"), 1, (2, 2), None)),
        ("openguandan", "1023", "0132", ("A", "5"), (3, 3), (("A", "5"), 1, (3, 3), None)),
        # Both at A: the owner's 1-4 win counts; the others' never, but pagat's owner has lost.
        ("ace_reset", "0123", "0132", ("A", "A"), (0, 2), (("A", "A"), 1, (1, 2), None)),
        ("ace_reset", "1023", "0132", ("A", "A"), (2, 2), (("A", "A"), 1, (2, 2), None)),
        ("ace_reset", "0123", "1302", ("A", "A"), (2, 2), (("A", "A"), 3, (2, 2), None)),
        ("pagat", "1023", "0132", ("A", "A"), (2, 1), (("A", "A"), 1, (2, 2), None)),
        ("pagat", "1023", "0132", ("A", "A"), (2, 2), (("A", "2"), 1, (2, 0), None)),
        ("pagat", "0123", "1302", ("A", "A"), (0, 2), (("A", "A"), 4, (1, 2), None)),
        ("pagat", "0123", "1302", ("A", "A"), (2, 2), (("2", "A"), 4, (0, 2), None)),
        ("pagat", "0123", "0132", ("A", "A"), (2, 2), (("2", "A"), 0, (0, 2), None)),
        # Won before a failure is counted.
        ("ace_reset", "0123", "0123", ("A", "5"), (2, 0), (("A", "5"), 2, (2, 0), 0)),
        ("pagat", "0123", "0213", ("A", "A"), (2, 2), (("A", "A"), 4, (2, 2), 0)),
        # Set back last of all: to 2, not to 3, and nothing gained.
        ("ace_reset", "0123", "0132", ("A", "5"), (1, 1), (("A", "5"), 1, (2, 1), None)),
        ("ace_reset", "0123", "0132", ("A", "5"), (2, 1), (("2", "5"), 0, (0, 1), None)),
        ("ace_reset", "1230", "1203", ("5", "A"), (1, 2), (("5", "2"), 0, (1, 0), None)),
        ("pagat", "0123", "0132", ("A", "5"), (2, 1), (("2", "5"), 0, (0, 1), None)),
        ("openguandan", "0123", "0132", ("A", "5"), (2, 0), (("A", "5"), 1, (3, 0), None)),
        ("openguandan", "0123", "0132", ("A", "5"), (3, 0), (("2", "5"), 0, (0, 0), None)),
        # Losses count in pagat only: the owner is set back as the winners move up.
        ("pagat", "0123", "1302", ("A", "T"), (2, 0), (("2", "A"), 4, (0, 0), None)),
        ("pagat", "0123", "1032", ("A", "5"), (1, 0), (("A", "7"), 2, (2, 0), None)),
        ("pagat", "0123", "1023", ("A", "5"), (2, 0), (("2", "6"), 1, (0, 0), None)),
        ("ace_reset", "0123", "1302", ("A", "T"), (2, 0), (("A", "K"), 3, (2, 0), None)),
        ("openguandan", "0123", "1302", ("A", "T"), (3, 0), (("A", "K"), 3, (3, 0), None)),
        # Not in the other team's deal, nor below the top.
        ("pagat", "1023", "1302", ("A", "5"), (2, 0), (("A", "9"), 4, (2, 0), None)),
        ("pagat", "0123", "1302", ("K", "5"), (2, 0), (("K", "9"), 4, (2, 0), None)),
        ("pagat", "0123", "0132", ("Q", "5"), (2, 0), (("K", "5"), 1, (2, 0), None)),
        # Where nobody is set back nothing is counted.
        ("guide", "0123", "0132", ("A", "5"), (0, 0), (("A", "5"), 1, (0, 0), None)),
        ("guide", "0123", "1302", ("A", "5"), (0, 0), (("A", "8"), 3, (0, 0), None)),
        ("short_game", "0123", "0132", ("T", "5"), (0, 0), (("T", "5"), 1, (0, 0), None)),
    ],
)
def test_what_counts_as_a_failure(
    rules: str,
    previous: str,
    order: str,
    levels: Levels,
    failures: tuple[int, int],
    expected: tuple[Levels, int, tuple[int, int], int | None],
) -> None:
    owner, winners = int(previous[0]) % 2, int(order[0]) % 2
    dweller = [int(previous[3])]
    settled = gs.settle(order, levels, owner, failures, dweller, rules)
    assert (settled.levels, settled.gain, settled.failures, settled.match_winner) == expected
    assert settled.owner == winners
    match = table_of(rules, low(), previous, levels, failures)
    assert match.owner == owner
    end_in(match, order)
    after, gain, counted, winner = expected
    assert score(match) == (after, counted)
    assert (match.state[lay.S_GAIN], match.winner) == (gain, winner)
    assert (match.phase == "done") == (winner is not None)
    if winner is None:
        # The next deal: the winners' level, whatever it is now.
        assert (match.owner, match.level) == (winners, after[winners])
