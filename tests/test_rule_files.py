"""Rules from TOML files: what they may say, where they may stand, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import guandan_sim as gs
from guandan_sim.rulefiles import rules_toml

CLUB = """
name = "club"
base = "kawu"
max_bomb = 8
promotion = [4, 2, 1]
pass_locks = true
top_level = 10
"""


def written(folder: Path, text: str | bytes, name: str = "club.toml") -> str:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def test_a_file_changes_switches_of_its_base(tmp_path: Path) -> None:
    rules = gs.read_rules(written(tmp_path, CLUB))
    assert rules.name == "club"
    assert gs.Rules.preset("kawu").differences(rules) == {
        "top_level": ("A", "T"),
        "promotion": ((3, 2, 1), (4, 2, 1)),
        "max_bomb": (10, 8),
        "pass_locks": (False, True),
    }


def test_an_empty_file_is_the_guide_by_the_name_of_the_file(tmp_path: Path) -> None:
    rules = gs.read_rules(written(tmp_path, "", "house_rules.toml"))
    assert rules.name == "house_rules"
    assert rules.differences(gs.Rules.preset("guide")) == {}


def test_values_may_be_written_as_on_the_command_line(tmp_path: Path) -> None:
    text = 'pass_locks = "yes"\nmax_bomb = "8"\npromotion = "4/2/1"\nreturn_max_rank = "9"\n'
    rules = gs.read_rules(written(tmp_path, text))
    assert (rules.pass_locks, rules.max_bomb, rules.promotion) == (True, 8, (4, 2, 1))
    assert rules.return_max_rank == "9"


@pytest.mark.parametrize("name", gs.Rules.presets())
def test_a_preset_written_and_read_is_the_same(name: str, tmp_path: Path) -> None:
    rules = gs.Rules.preset(name)
    again = gs.read_rules(written(tmp_path, rules_toml(rules)))
    assert again.name == f"my_{name}"
    assert again.differences(rules) == {}


def test_changed_rules_are_written_under_a_name_of_their_own(tmp_path: Path) -> None:
    rules = gs.Rules.preset("guide").replace(max_bomb=8, promotion=(5, 0, 0))
    again = gs.read_rules(written(tmp_path, rules_toml(rules)))
    assert again.name == "my_guide"
    assert again.differences(rules) == {}


def test_a_file_stands_wherever_a_preset_does(tmp_path: Path) -> None:
    club = written(tmp_path, CLUB)
    assert gs.settle("0213", ("2", "2"), 0, rules=club).levels == ("6", "2")
    assert gs.readings("S9 S9 H9 H9 C9 C9 D9 D9 H2", "2", club) == []
    assert gs.Deal(rules=club).rules.name == "club"
    assert gs.Match(rules=club).rules.pass_locks
    assert gs.View("S3", rules=club).legal_moves()
    run = gs.simulate(matches=8, rules=club, seed=1, out=tmp_path / "run")
    Path(club).unlink()
    assert isinstance(run, gs.Run)
    assert run.manifest["settings"]["rules"] == {
        **gs.Rules.preset("kawu").switches(),
        **{"name": "club", "max_bomb": 8, "promotion": [4, 2, 1]},
        **{"pass_locks": True, "top_level": "T"},
    }
    assert run.verify().ok
    assert set(run.matches()["level0"]) <= set("23456789T")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max_bomb = 7", "club.toml: max_bomb=7: possible values are 8, 9, 10"),
        ("bomb = 8", "club.toml: 'bomb' is not a rule switch; there are opening_leader, "),
        ("pass_locks = 1", "club.toml: pass_locks=1: possible values are no, yes"),
        ("promotion = [3, 2]", "club.toml: promotion='3/2': possible are three whole"),
        ("promotion = 3", "club.toml: promotion='3': possible are three whole"),
        ("[top_level]\nA = 1", "club.toml: top_level={'A': 1}: possible values are 2, 3"),
        ("top_failures = 1.5", "club.toml: top_failures=1.5: a whole number from 0"),
        ("base = 'house'", "club.toml: base is 'house'; it is one of guide, ace_reset"),
        ("base = 'club.toml'", "club.toml: base is 'club.toml'; it is one of guide"),
        ("base = 3", "club.toml: base is 3; it is one of guide"),
        ("base = ['guide']", r"club.toml: base is \['guide'\]; it is one of"),
        ("name = 'a b'", "club.toml: name is 'a b'; up to 40 of a to z"),
        ("name = ''", "club.toml: name is ''; up to 40"),
        ("name = 7", "club.toml: name is 7; up to 40"),
        ("name = 'pagat'", "club.toml: 'pagat' is a preset with other values for promotion, retu"),
        ("max_bomb", "club.toml is not a TOML file of rules: Expected '='"),
        ("max_bomb = 8\nmax_bomb = 8", "club.toml is not a TOML file of rules: Cannot overwrite"),
        (b"\xff\xfe", "club.toml is not a TOML file of rules: "),
        ("self = 1", "club.toml: 'self' is not a rule switch"),
        ("max_bomb = " + "[" * 2000, "club.toml is not a TOML file of rules: "),
        ("max_bomb = " + "9" * 5000, "club.toml is not a TOML file of rules: "),
        ("max_bomb = 0x" + "f" * 5000, "club.toml: the number for 'max_bomb' has too many digits"),
        (f"max_bomb = '{'9' * 5000}'", "club.toml: max_bomb='999"),
        (f"promotion = '{'9' * 5000}/2/1'", "club.toml: promotion='999"),
    ],
)
def test_wrong_files(text: str | bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(gs.RulesError, match=message):
        gs.read_rules(written(tmp_path, text))


def test_a_mark_before_the_first_character_is_no_error(tmp_path: Path) -> None:
    assert gs.read_rules(written(tmp_path, b"\xef\xbb\xbfmax_bomb = 8\r\n")).max_bomb == 8


def test_a_path_is_as_good_as_its_text(tmp_path: Path) -> None:
    path = Path(written(tmp_path, CLUB))
    assert gs.Match(rules=path).rules == gs.Match(rules=str(path)).rules


def test_a_file_whose_own_name_is_none_for_rules(tmp_path: Path) -> None:
    with pytest.raises(
        gs.RulesError, match=r"a b.toml: the file's name has more than .*; add name"
    ):
        gs.read_rules(written(tmp_path, "max_bomb = 8", "a b.toml"))
    assert gs.read_rules(written(tmp_path, "name = 'ab'", "a b.toml")).name == "ab"


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(gs.RulesError, match=r"cannot read rules from .*no\.toml: No such file"):
        gs.Match(rules=str(tmp_path / "no.toml"))
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(gs.RulesError, match=r"cannot read rules from .*folder\.toml: Is a dir"):
        gs.read_rules(tmp_path / "folder.toml")
    for path in ("a\0.toml", "\ud800.toml"):
        with pytest.raises(gs.RulesError, match="cannot read rules from "):
            gs.Match(rules=path)
