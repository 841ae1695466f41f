"""The playthroughs on file are what the engine plays, word for word."""

from __future__ import annotations

import pytest
from regenerate_playthroughs import FOLDER, PLAYTHROUGHS


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_as_on_file(name: str) -> None:
    on_file = (FOLDER / name).read_text(encoding="utf-8")
    # If the change is meant: python tests/regenerate_playthroughs.py, and read the difference.
    assert PLAYTHROUGHS[name]().splitlines() == on_file.splitlines()


def test_no_other_files() -> None:
    assert sorted(file.name for file in FOLDER.glob("*.txt")) == sorted(PLAYTHROUGHS)


def test_the_match_shows_every_kind_of_tribute_and_lead() -> None:
    lines = (FOLDER / "match_guide.txt").read_text(encoding="utf-8").splitlines()
    for words in ("single tribute after", "double tribute after"):
        due = [line for line in lines if words in line]
        assert {"cancelled" in line for line in due} == {True, False}
    for words in ("a sweep", "leads for", "of team 0", "of team 1", "is turned up"):
        assert any(words in line for line in lines), words
    assert sum("of team" in line for line in lines) <= 12


BOMBS = [
    "    1 may pass | straight_flush 7: S7 S6 S5 S4 S3",
    "    2 may pass | bomb J: SJ SJ CJ CJ DJ DJ",
    "    3 may pass | joker_bomb: HR HR SB SB",
    "    0 may pass",
    "  3 leads",
]
# What each example of the rule texts comes to, in the order of its file.
CLAIMS = {
    "guide_wild_bomb": [
        "    1 may pass | pair K: CK DK",
        "    2 may pass | bomb 8: S8 C8 D8 H7",
        "  0 pair Q: SQ DQ | 1 pair K: CK DK | 2 bomb 8: S8 C8 D8 H7 | 3 pass | 0 pass | 1 pass",
        "  2 leads",
    ],
    "guide_level_in_a_row": [
        "    1 may pass | straight T: DT H9 S8 C7 D6",
        "    2 may pass",
        "    3 may pass | straight A: SA DK CQ DJ ST",
        "  3 leads",
    ],
    "ace_reset_same_shape": [
        "    1 may pass | straight 8: D8 S7 C6 D5 S4",
        "  1 leads",
        "    2 may pass | pair K: SK CK | pair K: SK DK | pair K: CK DK",
        "  2 leads",
    ],
    "ace_reset_low_ace": [
        "    1 may pass | straight 6: D6 S5 H4 D3 S2 | straight 6: D6 S5 C4 D3 S2",
        "  0 straight 5: SA S5 D4 C3 D2 | 1 straight 6: D6 S5 C4 D3 S2 | 2 pass | 3 pass | 0 pass",
        "  1 leads",
    ],
    "wikipedia_wild_bomb": [
        "    1 may pass | bomb 8: S8 C8 D8 H7",
        "  0 single HR: HR | 1 bomb 8: S8 C8 D8 H7 | 2 pass | 3 pass | 0 pass",
        "  1 leads",
    ],
    "wikipedia_level_six": [
        "    1 may pass | single 6: S6",
        "    2 may pass | single SB: SB",
        "    3 may pass | single HR: HR",
        "  3 leads",
    ],
    "wikipedia_no_ladder_of_sets": [
        "    1 may pass | pair 8: S8 C8 | pair 8: S8 D8 | pair 8: C8 D8",
        "    2 may pass",
        "  1 leads",
    ],
    "wikipedia_combinations": [
        "  S4 C4 D4 S5 C5 D5: plate 5",
        "  ST DT SJ DJ SQ DQ: tube Q",
        "  SA D2 C3 S4 D5: straight 5",
        "  ST DJ CQ SK DA: straight A",
        "  SB SB: pair SB",
        "  HR HR: pair HR",
        "  SB HR: no play",
    ],
    "short_game_aces": [
        "    1 may pass | straight A: DA SK CQ DJ ST",
        "    2 may pass",
        "  0 straight 5: SA S5 D4 C3 D2 | 1 straight A: DA SK CQ DJ ST | 2 pass | 3 pass | 0 pass",
    ],
    "short_game_partner_leads": [
        "  0 single 9: S9 | 1 pass | 2 pass | 3 pass",
        "  2 leads",
    ],
    "kawu_wild_bomb": [
        "    1 may pass | bomb 9: S9 C9 D9 H5",
        "  0 pair A: SA DA | 1 bomb 9: S9 C9 D9 H5 | 2 pass | 3 pass | 0 pass",
    ],
    "kawu_wild_alone": [
        "    1 may pass | single 5: H5",
        "    2 may pass | single SB: SB",
    ],
    "kawu_level_seven": [
        "    1 may pass | single 7: S7",
        "    2 may pass",
        "  0 single A: SA | 1 single 7: S7 | 2 pass | 3 pass | 0 pass",
    ],
    "kawu_combinations": [
        "  S8: single 8",
        "  SJ DJ: pair J",
        "  S4 C4 D4: triple 4",
        "  S7 C7 D7 S9 D9: full_house 7",
        "  S3 D4 C5 S6 D7: straight 7",
        "  ST DJ CQ SK DA: straight A",
        "  SA D2 C3 S4 D5: straight 5",
        "  S5 D5 S6 D6 S7 D7: tube 7",
        "  S8 C8 D8 S9 C9 D9: plate 9",
        "  S6 H6 C6 D6: bomb 6",
        "  S9 ST SJ SQ SK: straight_flush K",
        "  SB SB HR HR: joker_bomb",
    ],
    "kawu_bombs": BOMBS,
    "short_game_bombs": BOMBS,
    "levels": [
        "guide: teams at 6, 9; finish 0, 1, 2, 3 -> gain 2; teams at 8, 9",
        "guide: teams at A, 9; finish 0, 2, 1, 3 -> gain 3; teams at A, 9; team 0 wins the match",
        "guide: teams at A, 9; finish 0, 1, 2, 3 -> gain 2; teams at A, 9; team 0 wins the match",
        "guide: teams at A, 9; finish 0, 1, 3, 2 -> gain 1; teams at A, 9",
        "ace_reset: teams at Q, 9; finish 0, 2, 1, 3 -> gain 3; teams at A, 9; failures 0",
        "ace_reset: teams at K, 9; finish 0, 1, 2, 3 -> gain 2; teams at A, 9; failures 0",
        "ace_reset: teams at K, 9; finish 0, 2, 1, 3 -> gain 3; teams at A, 9; failures 0",
        "ace_reset: teams at A, 9; finish 0, 1, 2, 3 -> gain 2; teams at A, 9; failures 0;"
        " team 0 wins the match",
        "ace_reset: teams at A, 9; finish 0, 1, 3, 2 -> gain 1; teams at A, 9; failures 1",
        "ace_reset: teams at A, 9; 2 failures; finish 0, 1, 3, 2 -> gain 0; teams at 2, 9;"
        " failures 0",
        "wikipedia: teams at A, 9; 1 was last before; finish 0, 1, 3, 2 -> gain 1; teams at A, 9;"
        " team 0 wins the match",
        "wikipedia: teams at A, 9; 2 was last before; finish 0, 2, 1, 3 -> gain 3; teams at A, 9",
        "short_game: teams at 9, 4; finish 0, 1, 2, 3 -> gain 2; teams at T, 4",
        "short_game: teams at T, 4; finish 0, 1, 2, 3 -> gain 2; teams at T, 4;"
        " team 0 wins the match",
        "short_game: teams at T, 4; finish 0, 1, 3, 2 -> gain 1; teams at T, 4",
        "kawu: teams at A, 9; finish 0, 2, 1, 3 -> gain 3; teams at A, 9; team 0 wins the match",
        "kawu: teams at A, 9; finish 0, 1, 3, 2 -> gain 1; teams at A, 9",
    ],
}


@pytest.mark.parametrize("name", CLAIMS)
def test_an_example_comes_to_what_its_text_says(name: str) -> None:
    lines = iter((FOLDER / f"example_{name}.txt").read_text(encoding="utf-8").splitlines())
    for claim in CLAIMS[name]:
        assert claim in lines, claim  # each after the one before


def test_every_example_has_its_claims() -> None:
    files = {name for name in PLAYTHROUGHS if name.startswith("example_")}
    assert files == {f"example_{name}.txt" for name in CLAIMS}
