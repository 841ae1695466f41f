"""What a view tells in cards and moves: as the table has it, and no more than the seat may see."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from games import PausedMatch, independent_deal
from oracle import full_pack

import guandan_sim as gs


@pytest.mark.parametrize("rules", gs.Rules.presets())
def test_a_view_tells_what_the_table_tells(rules: str) -> None:
    dice = random.Random(4)
    phases = Counter[str]()
    for number in range(2):
        table = independent_deal(8, number, rules, previous="random")
        played: list[list[str]] = [[], [], [], []]
        while table.phase != "done":
            phases[table.phase] += 1
            check_view(table, dice.randrange(4), played)
            view = table.view()
            if table.phase != "play" or phases["play"] % 20 == 0:
                assert view.options() == table.options()
            seat = view.seat
            if table.phase == "play":
                move = gs.bot("random").choose(view)
                played[seat] += move.cards
                table.step(move)
            else:
                table.step(str(dice.choice(table.options())))
    assert len(phases) == 3


def check_view(table: PausedMatch, seat: int, played: list[list[str]]) -> None:
    """The view of ``seat``, after these cards were played by each."""
    view = table.view(seat)
    assert (view.seat, view.partner, view.hand) == (seat, seat ^ 2, table.hands[seat])
    assert (view.phase, view.level, view.levels) == (table.phase, table.level, table.levels)
    assert (view.owner, view.leader) == (table.owner, table.leader)
    assert (view.to_beat, view.finish_order) == (table.to_beat, table.finish_order)
    assert view.history == table.history
    assert view.counts == tuple(map(len, table.hands))
    assert list(map(Counter, view.played)) == list(map(Counter, played))
    unseen = Counter(full_pack()) - Counter(view.hand)
    for cards in played:
        unseen -= Counter(cards)
    assert Counter(view.unseen) == unseen
    assert view.rules == table.rules
    assert sorted(view.previous_order) == [0, 1, 2, 3]
    plays = [place for place, (_, move) in enumerate(view.history) if move.cards]
    if view.to_beat is None:
        assert view.to_beat_seat is None
    else:
        assert view.to_beat_seat == view.history[plays[-1]][0]
        assert view.passed == tuple(sorted(seat for seat, _ in view.history[plays[-1] + 1 :]))
    shown = view.rules.return_visible and view.phase == "play"
    for told, known in zip(view.tributes, table.tributes, strict=True):
        assert told[:3] == known[:3]
        assert told[3] == (known[3] if shown or seat in known[:2] else "")


def test_rules_come_back_from_their_words() -> None:
    for name in gs.Rules.presets():
        rules = gs.Rules.preset(name)
        assert gs.Rules.from_words(rules.words()) == rules
        for changes in ({"max_bomb": 9}, {"promotion": (4, 2, 0)}, {"return_max_rank": "none"}):
            other = rules.replace(top_failures=7, max_deals=30, **changes)
            back = gs.Rules.from_words(other.words())
            assert back.name == "custom"
            assert not other.differences(back)
    view = gs.View("S3", rules=gs.Rules.preset("guide").replace(max_bomb=8))
    assert (view.rules.max_bomb, gs.View("S3", rules="pagat").rules.name) == (8, "pagat")


def test_a_view_by_hand() -> None:
    view = gs.View(
        "S9 D9 H2",
        level="2",
        seat=1,
        to_beat="pair 8: S8 C8",
        to_beat_seat=3,
        passed=(0,),
        levels=("2", "7"),
        history=[(3, "pair 8: S8 C8"), (0, "pass")],
        counts=(20, 3, 0, 4),
    )
    assert (view.to_beat_seat, view.passed, view.levels) == (3, (0,), ("2", "7"))
    assert view.history == [(3, gs.Move.parse("pair 8: S8 C8")), (0, gs.Move.parse("pass"))]
    assert view.played == ((), (), (), ("S8", "C8"))
    assert (view.finish_order, view.previous_order, view.tributes) == ((2,), (), [])
    assert (view.leader, view.partner, view.phase, view.memory) == (0, 3, "play", {})
    assert len(view.unseen) == 108 - 3 - 2
    # A generator goes on; another view of the same words begins again.
    first, second = view.random.random(), view.random.random()
    again = gs.View.from_words(view.words)
    assert first != second
    assert [again.random.random(), again.random.random()] == [first, second]
