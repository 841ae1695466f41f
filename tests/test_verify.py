"""`verify` and `replay`: every tampering with a log is found, and a log alone tells its deals."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from played_cards import with_packed_cards

import guandan_sim as gs
from guandan_sim.replay import replay_run, replay_seed
from guandan_sim.runs import RunWriter, create_run
from guandan_sim.schemas import WORDS

Tables = dict[str, dict[str, NDArray[Any]]]
SEED = 11


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> gs.Run:
    """Forty matches of mixed teams, with single, double and cancelled tributes."""
    out = tmp_path_factory.mktemp("runs") / "original"
    made = gs.simulate(
        matches=40, bots=("greedy", "random", "random", "greedy"), seed=SEED, out=out
    )
    assert isinstance(made, gs.Run)
    return made


def tables_of(run: gs.Run) -> Tables:
    return {
        name: {
            column: np.concatenate([batch[column] for batch in batches]) for column in batches[0]
        }
        for name, batches in ((name, list(run.arrays(name))) for name in run.tables)
    }


def write_tables(writer: RunWriter, tables: Tables, summary: Mapping[str, Any]) -> None:
    with writer.part(0, 40) as part:
        for name, columns in tables.items():
            part.write(name, with_packed_cards(columns) if name == "plays" else columns)
    writer.finish([part.summary], summary)


def problems_after(run: gs.Run, tmp_path: Path, change: Callable[[Tables], None]) -> list[str]:
    """What `verify` says of the run with ``change`` made to its tables, checksums made right."""
    tables = tables_of(run)
    change(tables)
    with create_run(tmp_path / "changed", run.manifest["settings"]) as writer:
        write_tables(writer, tables, run.summary)
    return gs.open_run(tmp_path / "changed").verify().problems


def row_of(table: dict[str, NDArray[Any]], **wanted: Any) -> int:
    found = np.ones(len(table["set"]), bool)
    for name, value in wanted.items():
        found &= table[name] == value
    return int(np.flatnonzero(found)[0])


def test_an_untouched_run_is_right(run: gs.Run) -> None:
    report = run.verify()
    assert report.ok, report.problems
    assert report.plays == run.summary["plays"] == len(run.plays(["ply"]))
    assert report.deals == run.summary["deals"] == len(run.deals(["deal"]))


def test_a_copy_with_nothing_changed_is_right(run: gs.Run, tmp_path: Path) -> None:
    assert problems_after(run, tmp_path, lambda _: None) == []


def test_a_play_of_another_rank_is_illegal(run: gs.Run, tmp_path: Path) -> None:
    def change(tables: Tables) -> None:
        row = row_of(tables["plays"], set=3, deal=1, ply=5)
        tables["plays"]["rank"][row] = tables["plays"]["rank"][row] % 13 + 1

    (problem,) = problems_after(run, tmp_path, change)
    assert "set 3, deal 1, play 5" in problem
    assert "may not play" in problem


def test_a_play_of_cards_that_are_not_held(run: gs.Run, tmp_path: Path) -> None:
    def change(tables: Tables) -> None:
        plays = tables["plays"]
        row = row_of(plays, set=0, deal=0, shape=WORDS["shape"].index("single"))
        plays["one"][row] = plays["one"][row] << 4

    (problem,) = problems_after(run, tmp_path, change)
    assert "set 0, deal 0" in problem
    assert "may not play" in problem


def test_numbers_that_no_cards_pack_into(run: gs.Run, tmp_path: Path) -> None:
    tables = tables_of(run)
    tables["plays"] = with_packed_cards(tables["plays"])
    tables["plays"]["near"][7] |= 1 << 31
    with create_run(tmp_path / "changed", run.manifest["settings"]) as writer:
        with writer.part(0, 40) as part:
            for name, columns in tables.items():
                part.write(name, columns)
        writer.finish([part.summary], run.summary)
    (problem,) = gs.open_run(tmp_path / "changed").verify().problems
    assert "plays.near and plays.far hold what is no set of cards" in problem


def test_a_chosen_pass_that_was_forced_and_the_reverse(run: gs.Run, tmp_path: Path) -> None:
    def change(tables: Tables) -> None:
        plays = tables["plays"]
        flagged = np.flatnonzero((plays["chosen_passes"] != 0) & (plays["set"] == 5))[0]
        plays["chosen_passes"][flagged] = 0
        unflagged = row_of(plays, set=7, deal=0, chosen_passes=0, ply=0)
        plays["chosen_passes"][unflagged] = 1 << plays["seat"][unflagged]

    first, second = problems_after(run, tmp_path, change)
    assert "set 5" in first
    assert "logged as forced" in first
    assert "set 7, deal 0, play 0" in second
    assert "logged as chosen" in second


@pytest.mark.parametrize("flagged", [False, True], ids=["forced", "chosen"])
def test_a_flag_of_a_pass_flipped_in_any_set(run: gs.Run, tmp_path: Path, flagged: bool) -> None:
    """Passes by choice are flagged, forced ones are not: each flag is replayed."""
    flipped: dict[int, int] = {}

    def change(tables: Tables) -> None:
        plays = tables["plays"]
        seats = plays["seat"].astype(np.int64)
        between = (np.roll(seats, 1) + 1) % 4
        # Early in a deal everyone holds cards: who sits between two plays has passed.
        passed = (plays["ply"] > 0) & (plays["ply"] < 8) & ((seats - between) % 4 == 1)
        chosen = (plays["chosen_passes"] >> between & 1).astype(bool)
        for row in np.flatnonzero(passed & (chosen == flagged)).tolist():
            if flipped.setdefault(int(plays["set"][row]), row) == row:
                plays["chosen_passes"][row] ^= 1 << int(between[row])

    problems = problems_after(run, tmp_path, change)
    says = "forced" if flagged else "chosen"
    assert len(flipped) > 15
    # What is listed of a part is limited.
    listed = [text for text in problems if "and more" not in text]
    assert len(listed) == min(len(flipped), 20)
    for text, number in zip(listed, sorted(flipped), strict=False):
        assert f"set {number}, deal " in text
        assert f"is logged as {says}, which is not so" in text


@pytest.mark.parametrize("column", ["ply", "size"])
def test_a_column_of_a_play_is_named_with_its_place(
    run: gs.Run, tmp_path: Path, column: str
) -> None:
    def change(tables: Tables) -> None:
        plays = tables["plays"]
        last = row_of(plays, set=2, deal=1, ply=0) - 1
        plays[column][last] += 1

    (problem,) = problems_after(run, tmp_path, change)
    plies = run.deals().query("set == 2 and deal == 0")["plays"].item()
    assert f"set 2, deal 0, play {plies - 1}: plays.{column}" in problem


def test_a_play_after_the_last_deal(run: gs.Run, tmp_path: Path) -> None:
    def change(tables: Tables) -> None:
        plays = tables["plays"]
        for name, values in plays.items():
            plays[name] = np.append(values, values[-1] + (name == "ply")).astype(values.dtype)

    (problem,) = problems_after(run, tmp_path, change)
    assert "plays has a row of set 39 where none belongs" in problem


def test_a_play_out_of_turn(run: gs.Run, tmp_path: Path) -> None:
    def change(tables: Tables) -> None:
        plays = tables["plays"]
        row = row_of(plays, set=2, deal=0, ply=0)
        plays["seat"][row] = (plays["seat"][row] + 1) % 4

    (problem,) = problems_after(run, tmp_path, change)
    assert "set 2, deal 0, play 0" in problem
    assert "turn" in problem


@pytest.mark.parametrize(
    "column", ["level", "owner", "level0", "leader", "drawn", "previous", "tribute", "cancelled",
               "first", "gain", "hand0_one", "hand3_two"]
)  # fmt: skip
def test_a_wrong_value_in_deals(run: gs.Run, tmp_path: Path, column: str) -> None:
    def change(tables: Tables) -> None:
        deals = tables["deals"]
        row = row_of(deals, set=9, deal=1)
        value = deals[column][row]
        deals[column][row] = not value if deals[column].dtype == bool else value ^ 1

    (problem,) = problems_after(run, tmp_path, change)
    assert "set 9, deal 1" in problem
    assert f"deals.{column}" in problem


@pytest.mark.parametrize(
    "column", ["winner", "deals", "level0", "level1", "truncated", "ahead", "resets1"]
)
def test_a_wrong_value_in_matches(run: gs.Run, tmp_path: Path, column: str) -> None:
    def change(tables: Tables) -> None:
        matches = tables["matches"]
        value = matches[column][6]
        matches[column][6] = not value if matches[column].dtype == bool else (int(value) + 1) % 13

    problems = problems_after(run, tmp_path, change)
    assert all("set 6: " in problem for problem in problems)
    assert any(f"matches.{column}" in problem for problem in problems)


def test_a_tribute_that_may_not_be_given_or_returned(run: gs.Run, tmp_path: Path) -> None:
    def change(tables: Tables) -> None:
        tributes = tables["tributes"]
        lowest, highest = WORDS["card"].index("S2"), WORDS["card"].index("HR")
        of_set = [np.flatnonzero(tributes["set"] == number)[0] for number in (1, 2)]
        tributes["card"][of_set[0]] = lowest
        tributes["returned"][of_set[1]] = highest

    first, second = problems_after(run, tmp_path, change)
    assert "set 1" in first
    assert "may not give S2" in first
    assert "set 2" in second
    assert "may not return HR" in second


def test_a_tribute_to_the_wrong_seat(run: gs.Run, tmp_path: Path) -> None:
    def change(tables: Tables) -> None:
        tributes = tables["tributes"]
        row = int(np.flatnonzero(tributes["set"] == 4)[0])
        tributes["receiver"][row] = (tributes["giver"][row] + 2) % 4

    (problem,) = problems_after(run, tmp_path, change)
    assert "set 4" in problem
    assert "receiver" in problem


def test_a_deal_cut_short_and_one_too_many(run: gs.Run, tmp_path: Path) -> None:
    def change(tables: Tables) -> None:
        deals = tables["deals"]
        last = np.flatnonzero(deals["set"] == 8)[-1]
        for name in deals:
            deals[name] = np.delete(deals[name], last)
        plays = tables["plays"]
        gone = row_of(plays, set=12, deal=0, ply=3)
        for name in plays:
            plays[name] = np.delete(plays[name], gone)

    problems = problems_after(run, tmp_path, change)
    assert any("set 8: deal" in problem and "missing" in problem for problem in problems)
    assert any("set 12, deal 0, play 3" in problem for problem in problems)


def test_the_deals_of_another_seed_are_found(run: gs.Run, tmp_path: Path) -> None:
    settings = {**run.manifest["settings"], "seed": SEED + 1}
    with create_run(tmp_path / "other", settings) as writer:
        write_tables(writer, tables_of(run), run.summary)
    report = gs.open_run(tmp_path / "other").verify()
    assert not report.ok
    assert "and more" in report.problems[-1]


def test_a_run_without_plays_is_checked_as_far_as_it_goes(tmp_path: Path) -> None:
    run = gs.simulate(matches=20, seed=4, log="deals", out=tmp_path / "deals")
    assert isinstance(run, gs.Run)
    report = run.verify()
    assert report.ok
    assert report.plays == 0
    assert "results followed: everything is in order; there are no plays in the log" in str(report)
    assert report.deals == run.summary["deals"]


def test_a_run_by_other_rules_versions_is_refused(run: gs.Run, tmp_path: Path) -> None:
    settings = {**run.manifest["settings"], "rules_version": 999}
    with create_run(tmp_path / "old", settings) as writer:
        write_tables(writer, tables_of(run), run.summary)
    with pytest.raises(gs.RunError, match="rules version 999"):
        gs.open_run(tmp_path / "old").verify()


def test_replay_tells_the_plays_of_the_log(run: gs.Run) -> None:
    text = replay_run(run, 3, 1)
    plays = run.plays()
    plays = plays[(plays["set"] == 3) & (plays["deal"] == 1)]
    told = [line.split() for line in text.splitlines() if line[:4].strip().isdigit()]
    told = [words for words in told if words[1] != "pass"]
    assert [int(words[0]) for words in told] == plays["seat"].tolist()
    assert [words[1].rstrip(":") for words in told] == plays["shape"].tolist()
    deals = run.deals()
    (deal,) = deals[(deals["set"] == 3) & (deals["deal"] == 1)].to_dict("records")
    order = " ".join(str(deal[name]) for name in ("first", "second", "third", "last"))
    assert f"order {order}: " in text
    assert f"worth {deal['gain']}" in text


def test_replay_tells_every_deal_of_a_match(run: gs.Run) -> None:
    text = replay_run(run, 5)
    assert text.count("leads\n") == (run.deals(["set"])["set"] == 5).sum()
    assert "wins the match" in text.splitlines()[-1]


@pytest.mark.parametrize("rules", ["pagat", "ace_reset"])
def test_replay_tells_the_levels_and_the_worth_that_the_log_has(tmp_path: Path, rules: str) -> None:
    """Also where a team is set back to 2, for which the failures before count."""
    system = gs.Rules.preset(rules).replace(top_level="4", top_failures=2)
    run = gs.simulate(matches=60, rules=system, seed=4, out=tmp_path / "run")
    assert isinstance(run, gs.Run)
    resets = 0
    for match in run.matches().to_dict("records"):
        text = replay_run(run, match["set"])
        before = re.findall(r"^set .*\((levels: .*)\)$", text, re.M)
        after = re.findall(r"^order .*\((levels: .*)\)$", text, re.M)
        end = f"levels: team 0 {match['level0']}, team 1 {match['level1']}"
        assert after == [*before[1:], end]
        resets += match["resets0"] + match["resets1"]
        deals = run.deals(["set", "gain"])
        worth = [int(number) for number in re.findall(r" wins, worth (\d+)", text)]
        assert worth == deals["gain"][deals["set"] == match["set"]].tolist()
    assert resets > 3


def test_replay_of_settings_that_cannot_be_read(run: gs.Run) -> None:
    for change, message in (
        ({"rules": None}, "settings cannot be read: rules are None"),
        ({"rules_version": 1}, "was played by rules version 1; this package plays version 2"),
        ({"bots": None}, "settings cannot be read"),
    ):
        other = gs.open_run(run.path)
        other.manifest = {**run.manifest, "settings": {**run.manifest["settings"], **change}}
        with pytest.raises(gs.RunError, match=message):
            replay_run(other, 3)


def test_replay_of_what_is_not_there(run: gs.Run) -> None:
    with pytest.raises(gs.RunError, match="no set 40"):
        replay_run(run, 40)
    with pytest.raises(gs.RunError, match="has no deal 99"):
        replay_run(run, 1, 99)


def test_an_independent_deal_replays_from_the_log_and_from_seed_and_number(tmp_path: Path) -> None:
    bots = ("random", "greedy")
    run = gs.simulate(deals=30, bots=bots, seed=5, previous_order="random", out=tmp_path / "run")
    assert isinstance(run, gs.Run)
    from_log = replay_run(run, 17)
    assert from_log == replay_seed(5, 17, bots, previous_order="random")
    assert from_log != replay_seed(6, 17, bots, previous_order="random")


@pytest.mark.parametrize(
    ("table", "column", "change"),
    [
        ("plays", "deal", lambda values: values + 1),
        ("plays", "arm", lambda values: values + 1),
        ("tributes", "arm", lambda values: values + 1),
        ("plays", "seat", lambda values: values + 4),
        ("plays", "size", lambda values: values + 16),
        ("plays", "chosen_passes", lambda values: values | 16),
    ],
)
def test_keys_and_ranges_that_the_replay_does_not_need(
    run: gs.Run,
    tmp_path: Path,
    table: str,
    column: str,
    change: Callable[[NDArray[Any]], NDArray[Any]],
) -> None:
    def changed(tables: Tables) -> None:
        tables[table][column] = change(tables[table][column])

    problems = problems_after(run, tmp_path, changed)
    assert problems
    assert any(f"{table}.{column}" in text or f"{table} " in text for text in problems)


def test_a_row_too_many(run: gs.Run, tmp_path: Path) -> None:
    def changed(tables: Tables) -> None:
        for name in ("plays", "tributes"):
            for column, values in tables[name].items():
                more = values[-1:] + 1 if column == "deal" else values[-1:]
                tables[name][column] = np.concatenate([values, more])

    problems = problems_after(run, tmp_path, changed)
    assert [text for text in problems if "plays has a row" in text]
    assert [text for text in problems if "tributes has a row" in text]


def test_a_summary_that_is_not_of_these_deals(run: gs.Run, tmp_path: Path) -> None:
    with create_run(tmp_path / "told", run.manifest["settings"]) as writer:
        write_tables(writer, tables_of(run), {**run.summary, "sweeps": 1})
    (problem,) = gs.open_run(tmp_path / "told").verify().problems
    assert "sweeps 1; it is" in problem
