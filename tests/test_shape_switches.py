"""The short game, what a full house may hold, and how large a bomb may be."""

from __future__ import annotations

import pytest
from staged import end_in, low, table_of

import guandan_sim as gs
from guandan_sim import layout as lay

# Short game


def test_a_short_game_is_won_at_10() -> None:
    match = table_of("short_game", low(), "0123", ("9", "2"))
    end_in(match, "0123")
    assert (match.levels, match.winner, match.level) == (("T", "2"), None, "T")
    end_in(match, "0132")
    assert (match.levels, match.winner) == (("T", "2"), None)
    end_in(match, "1302")
    assert (match.levels, match.winner, match.level) == (("T", "5"), None, "5")
    end_in(match, "0213")  # in the other team's deal
    assert (match.levels, match.winner, match.level) == (("T", "5"), None, "T")
    end_in(match, "0123")
    assert (match.levels, match.winner, match.phase) == (("T", "5"), 0, "done")
    assert gs.settle("1302", ("2", "8"), 1, rules="short_game").levels == ("2", "T")


@pytest.mark.parametrize(
    ("cards", "elsewhere", "short_game"),
    [
        ("S9 C9 D9 SB SB", ["full_house 9"], []),
        ("S9 C9 D9 HR HR", ["full_house 9"], []),
        ("S9 C9 H2 SB SB", ["full_house 9"], []),
        ("S9 H2 H2 HR HR", ["full_house 9"], []),
        ("S9 C9 D9 SB HR", [], []),
        ("S9 C9 D9 H2 SB", [], []),
        # Wilds may still be the pair, and are no jokers.
        ("S9 C9 D9 H2 H2", ["bomb 9", "full_house 9"], ["bomb 9", "full_house 9"]),
        ("S9 C9 D9 ST H2", ["full_house 9"], ["full_house 9"]),
        ("SB SB", ["pair SB"], ["pair SB"]),
        ("SB SB HR HR", ["joker_bomb"], ["joker_bomb"]),
    ],
)
def test_a_full_house_with_a_pair_of_jokers(
    cards: str, elsewhere: list[str], short_game: list[str]
) -> None:
    """By reading, among legal moves, as a lead and as an answer."""
    for rules, expected in (("guide", elsewhere), ("kawu", elsewhere), ("short_game", short_game)):
        whole = [f"{m.shape} {m.rank}".strip() for m in gs.readings(cards, "2", rules)]
        assert sorted(whole) == sorted(expected)
        size = len(cards.split())
        for to_beat in (None, "full_house 8: S8 C8 D8 S3 C3"):
            moves = [m for m in gs.legal_moves(cards, "2", to_beat, rules) if len(m.cards) == size]
            wanted = [w for w in expected if not to_beat or not w.startswith("pair")]
            assert sorted(f"{m.shape} {m.rank}".strip() for m in moves) == sorted(wanted)
        if "full_house 9" not in elsewhere:
            continue
        for lead in (True, False):
            hands = ["S8 C8 D8 S3 C3 S4", f"{cards} S5", "S6", "S7"]
            deal = gs.Deal(rules=rules, hands=hands, leader=int(lead))
            if not lead:
                deal.play("full_house 8: S8 C8 D8 S3 C3")
            move = f"full_house 9: {cards}"
            if "full_house 9" in expected:
                deal.play(move)
                assert deal.to_move == 2
            else:
                with pytest.raises(gs.IllegalMoveError, match="cannot be full_house 9"):
                    deal.play(move)


# Bombs of nine and ten

NINES = "S9 S9 H9 H9 C9 C9 D9 D9"


@pytest.mark.parametrize(
    ("rules", "largest", "bombs"),
    [
        # Of two copies in four suits there are 10 sets of two, 16 19 16 10 4 1 of three to eight.
        # With none, one and two wilds: 50 + 66 + 76 up to ten cards, 50 + 66 + 75 up to nine and
        # 50 + 65 + 71 up to eight.
        ("guide", 10, 192),
        ("pagat", 10, 192),
        ("ace_reset", 8, 186),
        ("wikipedia", 8, 186),
        (gs.Rules.preset("guide").replace(max_bomb=9), 9, 191),
    ],
)
def test_the_largest_bomb(rules: gs.Rules | str, largest: int, bombs: int) -> None:
    wilds = ["", " H2", " H2 H2"]
    for size in (8, 9, 10):
        found = [str(m.shape) for m in gs.readings(NINES + wilds[size - 8], "2", rules)]
        assert found == (["bomb"] if size <= largest else [])
    hand = f"{NINES} H2 H2"
    moves = gs.legal_moves(hand, "2", rules=rules)
    sizes = [len(move.cards) for move in moves if move.shape == "bomb"]
    assert (max(sizes), len(sizes)) == (largest, bombs)
    # On eight tens only a bomb of nine or ten cards will do.
    tens = "bomb T: ST ST HT HT CT CT DT DT"
    answers = [len(m.cards) for m in gs.legal_moves(hand, "2", tens, rules)]
    assert sorted(set(answers)) == [0, *range(9, largest + 1)]
    # At the table.
    hands = ["ST ST HT HT CT CT DT DT S3", f"{hand} S4", "S5", "S6"]
    for leader in (0, 1):
        for size in (9, 10):
            deal = gs.Deal(rules=rules, hands=hands, leader=leader)
            assert deal.view(1).words[lay.V_BOMBS] == bombs
            if leader == 0:
                deal.play(tens)
                assert deal.view().has_choice == (largest > 8)
            move = f"bomb 9: {NINES}{wilds[size - 8]}"
            if size <= largest:
                deal.play(move)
                assert deal.to_beat == gs.Move.parse(move)
                # What is left makes no bomb.
                assert deal.view(1).words[lay.V_BOMBS] == 0
            else:
                with pytest.raises(gs.IllegalMoveError, match="cannot be bomb 9 at level 2"):
                    deal.play(move)
                assert deal.view(1).words[lay.V_BOMBS] == bombs
    by_hand = gs.View(hand, "2", to_beat=tens, rules=rules)
    assert by_hand.words[lay.V_BOMBS] == bombs
    assert by_hand.has_choice == (largest > 8)
