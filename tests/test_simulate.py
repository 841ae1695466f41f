"""Many deals and matches: the loop against play step by step, determinism, streams, chances."""

from __future__ import annotations

import importlib
import json
import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from games import PausedMatch, Recorder, independent_deal, user_module, words_of
from oracle import legal_moves, wild_of

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim import workers as working
from guandan_sim.bots import bots_by_seat
from guandan_sim.cards import words_to_cards
from guandan_sim.replay import replay_seed
from guandan_sim.runs import Run
from guandan_sim.simulate import Progress

SIMULATE = importlib.import_module("guandan_sim.simulate")  # the module, not the function

USERS = '''
    """Bots that watch what they are given, or draw more than they need."""

    from guandan_sim import Bot
    from guandan_sim import layout as lay
    from guandan_sim.bitboard import count_cards
    from guandan_sim.bits import popcount
    from guandan_sim.bots import random as uniform
    from guandan_sim.jit import kernel
    from guandan_sim.movegen import count_all_bombs, count_answers
    from guandan_sim.shapes import BOMB
    from guandan_sim.rng import word
    from guandan_sim.tribute import choice_mask

    _fair = kernel(uniform.play)
    _fair_card = kernel(uniform.choose_card)


    def drawing(view, scratch, out):
        # Ten draws more than `random`, and the same moves.
        for k in range(1, 11):
            scratch[0] ^= word(view[lay.V_KEY], k)
        return _fair(view, scratch, out)


    def restless(view, scratch, out):
        # Other moves than `random`: passes wherever it may.
        if view[lay.V_BEAT_SEAT] < 0:
            return _fair(view, scratch, out)
        for i in range(4):
            out[i] = 0
        return 0


    @kernel
    def _stale(view):
        at = lay.V_HISTORY + lay.HISTORY_WIDTH * view[lay.V_PLIES]
        for i in range(at, lay.VIEW_SIZE):
            if view[i] != 0:
                return 1
        for i in range(view[lay.V_OUT], 4):
            if view[lay.V_FINISH + i] != -1:
                return 2
        if view[lay.V_TRIBUTE] == 0 or view[lay.V_CANCELLED] == 1:
            for i in range(lay.V_GIVER, lay.V_RULES):
                if view[i] != 0:
                    return 3
        if view[lay.V_SEAT] != view[lay.V_TURN] or view[lay.V_VERSION] != lay.VIEW_VERSION:
            return 4
        if view[lay.V_COUNTS + view[lay.V_SEAT]] != count_cards(view[lay.V_ONE], view[lay.V_TWO]):
            return 5
        return 0


    def watching(view, scratch, out):
        found = _stale(view)
        if found:
            return found
        if view[lay.V_PHASE] != lay.PHASE_PLAY:
            return 6
        for seat in range(4):
            at = lay.V_PLAYED + 2 * seat
            if view[lay.V_COUNTS + seat] + count_cards(view[at], view[at + 1]) != 27:
                return 7
        # Memory is cleared every deal and kept within it: own cards never change there.
        at = lay.V_PLAYED + 2 * view[lay.V_SEAT]
        own = view[lay.V_ONE] | view[at]
        if scratch[0] == 0:
            for i in range(lay.SCRATCH_SIZE):
                if scratch[i] != 0:
                    return 8
            scratch[1] = own
            scratch[2] = view[lay.V_SEAT]
        elif scratch[1] != own or scratch[2] != view[lay.V_SEAT]:
            return 9
        scratch[0] += 1
        scratch[lay.SCRATCH_SIZE - 1] = -1
        # Asked only with a choice, and told of it.
        bombs = count_all_bombs(
            view[lay.V_ONE],
            view[lay.V_TWO],
            view[lay.V_LEVEL],
            view[lay.V_RULES + lay.R_MAX_BOMB],
        )
        answers = count_answers(
            view[lay.V_ONE],
            view[lay.V_TWO],
            view[lay.V_LEVEL],
            view[lay.V_BEAT_KIND],
            view[lay.V_BEAT_STRENGTH],
            view[lay.V_RULES + lay.R_MAX_BOMB],
            view[lay.V_RULES + lay.R_JOKER_PAIR],
            bombs,
        )
        if view[lay.V_BOMBS] != bombs or view[lay.V_ANSWERS] != answers:
            return 11
        if (
            view[lay.V_BEAT_SEAT] >= 0
            and answers == 0
            and (bombs == 0 or view[lay.V_BEAT_KIND] == BOMB)
        ):
            return 10
        return _fair(view, scratch, out)


    def watching_cards(view, scratch, out):
        found = _stale(view)
        if found:
            return found
        if view[lay.V_PLIES] or scratch[0]:
            return 6
        if popcount(choice_mask(view, view[lay.V_SEAT], view[lay.V_ONE])) < 2:
            return 10
        return _fair_card(view, scratch, out)


    def peeking(view, scratch, out):
        # What is in `out` before it writes would tell what another seat chose last.
        for i in range(4):
            if out[i] != out[0] or out[i] > 0:
                return 1
        return _fair(view, scratch, out)


    def peeking_at_cards(view, scratch, out):
        for i in range(4):
            if out[i] != out[0] or out[i] > 0:
                return 1
        return _fair_card(view, scratch, out)


    draws = Bot("x", drawing, uniform.choose_card, uniform.choose_card)
    watches = Bot("x", watching, watching_cards, watching_cards)
    peeks = Bot("x", peeking, uniform.choose_card, uniform.choose_card)
    peeks_at_cards = Bot("x", uniform.play, peeking_at_cards, peeking_at_cards)
'''


@pytest.fixture(scope="module", autouse=True)
def module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The users' bots, importable."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield user_module(monkeypatch, tmp_path_factory.mktemp("bots"), "users", USERS)


def run_of(folder: Path, **arguments: Any) -> Run:
    """A run on disk."""
    run = gs.simulate(out=folder, **{"workers": 1} | arguments)
    assert isinstance(run, Run)
    return run


def hashes(folder: Path, **arguments: Any) -> dict[str, str]:
    """Its content hash by table."""
    found: dict[str, str] = run_of(folder, **arguments).manifest["content_hash"]
    return found


# The compiled loop is play step by step


@pytest.mark.parametrize(
    ("bots", "rules"),
    [
        ("random", "guide"),
        (["greedy", "random"], "guide"),
        (["random", "greedy", "greedy", "random"], "wikipedia"),
        ("random", "openguandan"),
        ("greedy", "pagat"),
    ],
)
def test_matches_step_by_step(tmp_path: Path, bots: Any, rules: str) -> None:
    run = run_of(tmp_path / "run", matches=3, bots=bots, rules=rules, seed=31)
    recorder = Recorder(bots_by_seat(bots))
    for number in range(3):
        recorder.match(PausedMatch(seed=31, number=number, rules=rules))
    assert recorder.content_hash(run.tables, 3) == run.manifest["content_hash"]
    assert run.plays()["chosen_passes"].max() > 0


def test_matches_that_are_cut_off_step_by_step(tmp_path: Path) -> None:
    rules = gs.Rules.preset("guide").replace(max_deals=2)
    run = run_of(tmp_path / "run", matches=6, rules=rules, seed=3)
    recorder = Recorder(bots_by_seat("random"))
    for number in range(6):
        recorder.match(PausedMatch(seed=3, number=number, rules=rules))
    assert recorder.content_hash(run.tables, 6) == run.manifest["content_hash"]
    assert run.matches()["truncated"].all()
    assert set(run.matches()["ahead"]) == {0, 1}
    assert (run.matches()["winner"] == 255).all()


@pytest.mark.parametrize(
    ("bots", "level", "previous", "rules"),
    [
        ("random", None, "random", "guide"),
        (["random", "greedy"], None, None, "guide"),
        ("greedy", "7", "0213", "guide"),
        ("random", "10", "3102", "wikipedia"),
    ],
)
def test_deals_step_by_step(
    tmp_path: Path, bots: Any, level: str | None, previous: str | None, rules: str
) -> None:
    run = run_of(
        tmp_path / "run", deals=30, bots=bots, level=level, previous_order=previous, rules=rules
    )
    recorder = Recorder(bots_by_seat(bots))
    rank = 0 if level is None else {"7": 6, "10": 9}[level]
    for number in range(30):
        recorder.deal(independent_deal(0, number, rules, rank, previous), 0)
    assert recorder.content_hash(run.tables, 30) == run.manifest["content_hash"]


def test_a_deal_is_played_again_from_its_seed_and_number(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", deals=12, bots=["random", "greedy"], seed=8)
    plays = run.plays()
    for row in run.deals().to_dict("records"):
        deal = gs.Deal(seed=8, number=row["set"], level=row["level"])
        dealt = [(row[f"hand{seat}_one"], row[f"hand{seat}_two"]) for seat in range(4)]
        assert [words_of(hand) for hand in deal.hands] == dealt
        assert deal.leader == row["leader"]
        deal.play_out(["random", "greedy"])
        assert deal.finish_order == (row["first"], row["second"], row["third"], row["last"])
        logged = plays[plays["set"] == row["set"]]
        played = [(seat, move) for seat, move in deal.history if move.shape != "pass"]
        assert [seat for seat, _ in played] == logged["seat"].tolist()
        moves = zip(logged["shape"], logged["rank"], logged["one"], logged["two"], strict=True)
        for (_, move), (shape, rank, one, two) in zip(played, moves, strict=True):
            assert move == gs.Move(shape, rank, words_to_cards(one, two))


def test_plain_python_plays_the_same(tmp_path: Path) -> None:
    """With NUMBA_DISABLE_JIT=1 the same functions run without a compiler."""
    program = """
import sys, guandan_sim as gs
out = sys.argv[1]
deals = gs.simulate(deals=6, bots=["random", "greedy"], workers=1, out=out + "/deals",
                    previous_order="random")
matches = gs.simulate(matches=1, bots=["greedy", "random"], workers=1, out=out + "/matches")
"""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", "-c", program, str(tmp_path)]
    subprocess.run(command, env=environment, check=True, timeout=120)
    for kind, arguments in (
        ("deals", {"deals": 6, "bots": ["random", "greedy"], "previous_order": "random"}),
        ("matches", {"matches": 1, "bots": ["greedy", "random"]}),
    ):
        plain = json.loads((tmp_path / kind / "manifest.json").read_text())
        assert plain["content_hash"] == hashes(tmp_path / f"compiled {kind}", **arguments)


def test_plain_python_takes_hands_with_an_empty_one() -> None:
    program = """
import guandan_sim as gs
for seed in range(8):
    assert gs.Deal(seed, hands=["", "S3 S4", "C5", "D6 D7"]).to_move == 1
"""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=120)


# Who is asked


@pytest.mark.parametrize("kind", ["deals", "matches"])
def test_bots_are_asked_with_a_choice_only_and_see_no_other_deal(kind: str) -> None:
    for rules in ("guide", "ace_reset", "wikipedia"):
        arguments: dict[str, Any] = {kind: 400} | (
            {"previous_order": "random"} if kind == "deals" else {}
        )
        watched = gs.simulate(bots="users:watches", rules=rules, seed=4, workers=1, **arguments)
        plain = gs.simulate(bots="random", rules=rules, seed=4, workers=1, **arguments)
        for figure in ("deals", "plays", "sweeps", "wins", "transfers"):
            assert watched.summary[figure] == plain.summary[figure]


@pytest.mark.parametrize("bot", ["users:peeks", "users:peeks_at_cards"])
def test_what_another_seat_chose_is_not_left_in_out(bot: str) -> None:
    gs.simulate(deals=300, bots=bot, seed=4, workers=1, previous_order="random")


@pytest.mark.parametrize("bots", ["random", ["greedy", "random"]])
def test_passes_are_by_choice_if_there_was_an_answer(tmp_path: Path, bots: Any) -> None:
    """Every pass of some deals replayed: the oracle says whether its seat could have answered."""
    run = run_of(tmp_path / "run", deals=40, bots=bots, seed=6)
    plays = run.plays()
    flagged = forced = 0
    for row in run.deals().to_dict("records"):
        deal = gs.Deal(seed=6, number=row["set"], level=row["level"])
        for play in plays[plays["set"] == row["set"]].to_dict("records"):
            cards = words_to_cards(play["one"], play["two"])
            move = gs.Move(play["shape"], play["rank"], cards)
            chosen = 0
            while not plays_now(deal, play["seat"], move, play["chosen_passes"]):
                chosen |= could_answer(deal) << (deal.to_move or 0)
                forced += not could_answer(deal)
                deal.pass_()
            assert play["chosen_passes"] == chosen
            flagged += chosen.bit_count()
            deal.play(move)
        assert deal.done
        decisions = deal.state[lay.S_DECISIONS : lay.S_DECISIONS + 4]
        other = gs.Deal(seed=6, number=row["set"], level=row["level"])
        other.play_out(bots)
        np.testing.assert_array_equal(decisions, other.state[lay.S_DECISIONS : lay.S_DECISIONS + 4])
    assert min(flagged, forced) > 100


def plays_now(deal: gs.Deal, seat: int, move: gs.Move, chosen: int) -> bool:
    """Whether the play is made now; who leads for a partner passed on its last play before."""
    if deal.to_move != seat or deal.to_beat is None:
        return deal.to_move == seat
    return move.beats(deal.to_beat, deal.level) and not chosen >> seat & 1


def could_answer(deal: gs.Deal) -> bool:
    """Whether the seat to move can beat the play; by the oracle where it is quick enough."""
    beat = deal.to_beat
    assert beat is not None
    seat = deal.to_move
    assert seat is not None
    hand = deal.hands[seat]
    by_engine = len(deal.legal_moves()) > 1
    if len(hand) <= 9:
        play = beat.shape, beat.rank, len(beat.cards)
        assert by_engine == (len(legal_moves(hand, deal.level, play)) > 1)
    return by_engine


# The same whatever the workers, parts, buffers and log


SETTINGS: dict[str, dict[str, Any]] = {
    "deals": {"deals": 5_000, "previous_order": "random", "bots": ["random", "greedy"], "seed": 9},
    "matches": {"matches": 2_500, "bots": ["greedy", "random"], "seed": 9},
}


@pytest.fixture(scope="module", name="expected", params=SETTINGS)
def expected_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of either kind, by one worker."""
    return run_of(tmp_path_factory.mktemp("runs") / "expected", **SETTINGS[request.param])


def again(expected: Run, folder: Path, **changes: Any) -> Run:
    return run_of(folder, **SETTINGS[expected.layout.kind] | changes)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_workers_do_not_matter(expected: Run, tmp_path: Path, workers: int) -> None:
    run = again(expected, tmp_path / "run", workers=workers)
    assert run.manifest["content_hash"] == expected.manifest["content_hash"]
    assert len(run.parts) > 1
    left_out = ("seconds", "deals_per_second", "plays_per_second")
    for figure, value in expected.manifest["summary"].items():
        assert figure in left_out or run.manifest["summary"][figure] == value


@pytest.mark.parametrize(("plays", "deals"), [(lay.MAX_PLIES, 4_096), (65_536, 1), (1_000, 7)])
def test_buffers_do_not_matter(
    expected: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plays: int, deals: int
) -> None:
    kind = expected.layout.kind
    few = {kind: 60 if kind == "deals" else 12}
    big = again(expected, tmp_path / "big", **few)
    monkeypatch.setattr(working, "PLAY_ROWS", plays)
    monkeypatch.setattr(working, "DEAL_ROWS", deals)
    run = again(expected, tmp_path / "run", **few)
    assert run.manifest["content_hash"] == big.manifest["content_hash"]
    assert run.manifest["rows"] == big.manifest["rows"]


def test_part_sizes_do_not_matter(
    expected: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SIMULATE, "part_sets", lambda _kind, _count, _bots: 2_048)
    run = again(expected, tmp_path / "run")
    assert len(run.parts) < len(expected.parts)
    assert run.manifest["content_hash"] == expected.manifest["content_hash"]


def test_logs_agree_on_the_tables_that_both_have(expected: Run, tmp_path: Path) -> None:
    run = again(expected, tmp_path / "run", log="deals")
    assert "plays" not in run.tables
    common = {n: h for n, h in expected.manifest["content_hash"].items() if n != "plays"}
    assert run.manifest["content_hash"] == common
    assert run.manifest["summary"]["plays"] == expected.manifest["summary"]["plays"]


def test_without_a_log_nothing_is_written(
    expected: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = SETTINGS[expected.layout.kind]
    for log in ("none", "plays"):
        result = gs.simulate(log=log, workers=2, **settings)
        assert not isinstance(result, Run)
        for figure in ("sets", "deals", "plays", "sweeps", "tributes", "cancelled", "transfers"):
            assert result.summary[figure] == expected.manifest["summary"][figure]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("change", [{"seed": 10}, {"bots": "random"}, {"rules": "pagat"}])
def test_other_settings_give_other_games(expected: Run, tmp_path: Path, change: Any) -> None:
    hashed = again(expected, tmp_path / "run", **change).manifest["content_hash"]
    assert hashed["plays"] != expected.manifest["content_hash"]["plays"]


def test_the_summary_is_that_of_the_tables(expected: Run) -> None:
    summary, deals = expected.manifest["summary"], expected.deals()
    assert (summary["sets"], summary["deals"]) == (deals["set"].nunique(), len(deals))
    assert summary["plays"] == deals["plays"].sum() == len(expected.plays())
    assert summary["sweeps"] == ((deals["first"] ^ deals["second"]) == 2).sum()
    assert summary["deal_wins"] == [(deals["first"] % 2 == team).sum() for team in range(2)]
    for due in ("none", "single", "double"):
        assert summary["tributes"][due] == (deals["tribute"] == due).sum()
    for due in ("single", "double"):
        stopped = deals["cancelled"] & (deals["tribute"] == due)
        assert summary["cancelled"][due] == stopped.sum()
    assert summary["transfers"] == len(expected.tributes())
    if expected.layout.kind == "matches":
        matches = expected.matches()
        assert summary["wins"] == [(matches["winner"] == team).sum() for team in range(2)]
        assert summary["matches"] == len(matches)
        assert summary["deals_per_match"] == pytest.approx(matches["deals"].mean())
        assert summary["match_deals_sum_of_squares"] == (matches["deals"].astype(int) ** 2).sum()
        assert (matches["deals"].to_numpy() == deals.groupby("set").size().to_numpy()).all()
    else:
        assert summary["wins"] == summary["deal_wins"]


def test_progress_is_told_from_the_calling_thread(expected: Run, tmp_path: Path) -> None:
    told: list[Progress] = []
    threads = set()

    def progress(state: Progress) -> None:
        told.append(state)
        threads.add(threading.get_ident())

    run = again(expected, tmp_path / "run", workers=2, progress=progress)
    assert threads == {threading.get_ident()}
    for before, after in pairwise(told):
        assert before.done <= after.done
        assert before.seconds <= after.seconds
    summary = run.manifest["summary"]
    last = told[-1]
    assert (last.done, last.total) == (summary["sets"], summary["sets"])
    assert (last.deals, last.plays) == (summary["deals"], summary["plays"])


def test_an_interrupted_run_is_resumed_to_the_same_end(
    expected: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while the first progress is shown; finished parts stay, and are not played again."""
    monkeypatch.setattr(working, "DEAL_ROWS", 8)
    monkeypatch.setattr(working, "PLAY_ROWS", 600)

    def interrupt(_state: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        again(expected, tmp_path / "run", progress=interrupt)
    half = gs.open_run(tmp_path / "run")
    assert not half.finished
    assert len(half.parts) < len(expected.parts)
    monkeypatch.undo()
    run = again(expected, tmp_path / "run", resume=True, workers=2)
    assert run.manifest["content_hash"] == expected.manifest["content_hash"]
    assert run.check_files() == []
    for figure in ("deals", "plays", "wins", "sweeps", "tributes", "cancelled", "transfers"):
        assert run.manifest["summary"][figure] == expected.manifest["summary"][figure]


@pytest.mark.parametrize("kind", ["deals", "matches"])
def test_a_run_with_a_part_missing_is_resumed_to_the_same_end(tmp_path: Path, kind: str) -> None:
    count = 3 * 1024
    whole: dict[str, Any] = {
        kind: count,
        "bots": "greedy",
        "rules": "pagat",
        "seed": 5,
        "log": "deals",
    }
    run = gs.simulate(**whole, out=tmp_path / "run")
    assert isinstance(run, gs.Run)
    assert len(run.parts) == 3
    before = run.manifest
    manifest = {k: v for k, v in before.items() if k not in ("summary", "content_hash", "rows")}
    (run.path / "manifest.json").write_text(json.dumps({**manifest, "status": "running"}))
    for part in run.path.glob(f"*/part-*{run.parts[1][0]}.parquet"):
        part.unlink()
    again = gs.simulate(**whole, out=tmp_path / "run", resume=True)
    assert isinstance(again, gs.Run)
    assert again.manifest["content_hash"] == before["content_hash"]
    timed = ("seconds", "deals_per_second", "plays_per_second")
    for figure, value in before["summary"].items():
        assert figure in timed or again.summary[figure] == value, figure
    assert again.verify().ok
    # A finished run that is resumed stays what it is.
    assert gs.simulate(**whole, out=tmp_path / "run", resume=True).summary["sets"] == count


# Streams


def test_drawing_more_changes_nothing_for_anyone(tmp_path: Path) -> None:
    for kind, count in (("deals", 300), ("matches", 20)):
        arguments: dict[str, Any] = {kind: count, "seed": 12}
        plain = hashes(tmp_path / f"plain {kind}", bots="random", **arguments)
        bots = ["random", "users:draws", "random", "users:draws"]
        assert hashes(tmp_path / f"drawing {kind}", bots=bots, **arguments) == plain


def test_another_bot_moves_no_deck_and_no_other_seats_stream(tmp_path: Path) -> None:
    bots = ["random", "users:restless", "random", "random"]
    runs = [
        run_of(tmp_path / str(i), matches=25, seed=13, bots=each)
        for i, each in enumerate(["random", bots])
    ]
    key = ["set", "deal"]
    hands = [f"hand{seat}_{word}" for seat in range(4) for word in ("one", "two")]
    first, second = (run.deals().set_index(key) for run in runs)
    common = first.index.intersection(second.index)
    assert len(common) > 150
    assert common.get_level_values("deal").max() > 8
    pd.testing.assert_frame_equal(first.loc[common, hands], second.loc[common, hands])
    # Until seat 1 first acts in an opening deal, everyone plays as before.
    plays = [run.plays().query("deal == 0") for run in runs]
    same = 0
    for number in range(25):
        rows = [frame[frame["set"] == number] for frame in plays]
        leader = int(first["leader"][(number, 0)])
        for step in range((1 - leader) % 4):
            pair = [frame.iloc[step] for frame in rows]
            if any(row["seat"] != (leader + step) % 4 for row in pair):
                break
            assert pair[0].equals(pair[1])
            same += 1
    assert same > 20
    assert not plays[0].reset_index().equals(plays[1].reset_index())


def test_every_deal_has_a_deck_and_streams_of_its_own(expected: Run) -> None:
    hands = expected.deals()[["hand0_one", "hand0_two", "hand1_one"]]
    assert not hands.duplicated().any()
    streams = set()
    for number in range(3):
        match = PausedMatch(seed=1, number=number)
        for _ in range(3):
            streams.update(match.state[lay.S_STREAMS : lay.S_STREAMS + 4].tolist())
            Recorder(bots_by_seat("greedy")).deal(match, match.deals)
    assert len(streams) == 3 * 3 * 4


# Chance, against exact values


DEALS = 120_000


def close(successes: int, draws: int, share: float) -> bool:
    """Within four standard errors of the exact share."""
    return abs(successes - draws * share) < 4 * math.sqrt(draws * share * (1 - share))


@pytest.fixture(scope="module", name="chances")
def many_deals(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Independent deals after a drawn finish, at drawn levels."""
    return run_of(
        tmp_path_factory.mktemp("runs") / "chances",
        deals=DEALS,
        bots="greedy",
        previous_order="random",
        log="deals",
        workers=2,
        seed=20,
    )


def test_how_often_tributes_are_cancelled(chances: Run) -> None:
    summary = chances.manifest["summary"]
    due, cancelled = summary["tributes"], summary["cancelled"]
    assert close(due["double"], DEALS, 1 / 3)
    assert due["none"] == 0
    assert close(cancelled["single"], due["single"], 27 * 26 / (108 * 107))
    assert close(cancelled["double"], due["double"], 54 * 53 / (108 * 107))
    paid = due["single"] - cancelled["single"] + 2 * (due["double"] - cancelled["double"])
    assert summary["transfers"] == paid


@pytest.mark.parametrize(
    ("rules", "order", "kind", "share"),
    [
        ("wikipedia", "0213", "double", 2 * 27 * 26 / (108 * 107)),
        ("short_game", "0123", "single", 54 * 53 / (108 * 107)),
        ("guide", "0123", "single", 27 * 26 / (108 * 107)),
    ],
)
def test_how_often_under_a_given_order(rules: str, order: str, kind: str, share: float) -> None:
    summary = gs.simulate(
        deals=30_000, bots="greedy", rules=rules, previous_order=order, seed=21, workers=1
    ).summary
    assert summary["tributes"][kind] == 30_000
    assert close(summary["cancelled"][kind], 30_000, share)


def test_where_the_jokers_and_wilds_lie(chances: Run) -> None:
    deals = chances.deals()
    for card in ("HR", "SB", "S9"):
        bit = words_of([card])[0]
        both = [((deals[f"hand{seat}_two"] & bit) != 0).sum() for seat in range(4)]
        for count in both:
            assert close(count, DEALS, 27 * 26 / (108 * 107))
        assert close(sum(both), DEALS, 26 / 107)
        assert close(both[1] + both[3], DEALS, 2 * 27 * 26 / (108 * 107))
    wilds = np.zeros(DEALS, int)
    for level in deals["level"].cat.categories:
        rows = (deals["level"] == level).to_numpy()
        bit = words_of([wild_of(level)])[0]
        for word in ("one", "two"):
            wilds[rows] += (deals.loc[rows, f"hand2_{word}"] & bit) != 0
    # Two wilds among 108 cards: none in a hand of 27 with 81 * 80 / (108 * 107).
    assert close((wilds == 0).sum(), DEALS, 81 * 80 / (108 * 107))
    assert close((wilds == 2).sum(), DEALS, 27 * 26 / (108 * 107))


def test_every_card_lies_everywhere_alike(chances: Run) -> None:
    """Chi-square of the copies of each kind by seat, 54 kinds in three free places each."""
    deals = chances.deals()
    kinds = {f"{suit}{rank}" for suit in "SHCD" for rank in "23456789TJQKA"} | {"SB", "HR"}
    total = 0.0
    for kind in sorted(kinds):
        bit = words_of([kind])[0]
        for seat in range(4):
            held = sum(((deals[f"hand{seat}_{w}"] & bit) != 0).sum() for w in ("one", "two"))
            # Of 2 copies a hand gets 27 in 108, by drawing without return.
            variance = DEALS * 2 * 0.25 * 0.75 * (106 / 107)
            total += (held - DEALS / 2) ** 2 / variance
    # Seats add up to 2 copies and kinds to 27 cards: 53 * 3 degrees in 54 * 4 terms.
    scaled = total / (54 / 53) / (4 / 3)
    assert abs(scaled - 159) < 5 * (2 * 159) ** 0.5


def test_levels_are_drawn_up_to_the_top_and_not_given_above_it(tmp_path: Path) -> None:
    run = gs.simulate(deals=9_000, bots="greedy", rules="short_game", seed=3, out=tmp_path / "run")
    assert isinstance(run, gs.Run)
    counts = run.deals(["level"])["level"].astype(str).value_counts()
    assert set(counts.index) == set("23456789T")
    assert np.abs(counts.to_numpy() - 1_000).max() < 150  # standard deviation 30
    with pytest.raises(gs.OptionError, match="level is J; the top level of short_game is T"):
        gs.simulate(deals=1, rules="short_game", level="J")
    with pytest.raises(gs.OptionError, match="level is A; the top level of short_game is T"):
        replay_seed(seed=1, number=0, rules="short_game", level="A")


def test_drawn_levels_and_orders_are_uniform(chances: Run) -> None:
    deals = chances.deals()
    for count in deals["level"].value_counts():
        assert close(count, DEALS, 1 / 13)
    orders = deals["previous"].value_counts()
    orders = orders[orders > 0]
    assert len(orders) == 20
    for order, count in orders.items():
        sweep = (int(str(order)[0]) ^ int(str(order)[1])) == 2
        assert close(count, DEALS, (2 if sweep else 1) / 24)
        assert not sweep or str(order)[2] < str(order)[3]


@pytest.mark.parametrize("rules", ["guide", "wikipedia", "kawu"])
def test_the_opening_leader_is_drawn(tmp_path: Path, rules: str) -> None:
    run = run_of(tmp_path / "run", deals=20_000, bots="greedy", rules=rules, log="deals", seed=22)
    deals = run.deals()
    for seat in range(4):
        assert close((deals["leader"] == seat).sum(), 20_000, 1 / 4)
    drawn = deals["drawn"].astype(str)
    if rules == "kawu":
        assert (drawn == "").all()
    elif rules == "guide":
        assert close((drawn == "HR").sum(), 20_000, 2 / 108)
        assert close((drawn.str[1] == "7").sum(), 20_000, 8 / 108)
        for card, row in zip(drawn[:500], deals[:500].to_dict("records"), strict=True):
            assert row[f"hand{row['leader']}_one"] & words_of([card])[0]
    else:
        # A joker is no answer: turn again.
        assert not drawn.isin(["SB", "HR", ""]).any()
        assert close((drawn.str[1] == "A").sum(), 20_000, 8 / 104)


# Wrong input


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, gs.OptionError, "give either a number of deals or a number of matches"),
        ({"deals": 1, "matches": 1}, gs.OptionError, "give either a number of deals or a number"),
        ({"deals": 0}, gs.OptionError, "deals is 0; a whole number of at least 1 is needed"),
        ({"deals": -5}, gs.OptionError, "deals is -5; a whole number of at least 1"),
        ({"matches": 1.5}, gs.OptionError, "matches is 1.5; a whole number"),
        ({"deals": "10"}, gs.OptionError, "deals is '10'; a whole number"),
        ({"deals": True}, gs.OptionError, "deals is True; a whole number"),
        ({"deals": 1, "seed": -1}, gs.OptionError, "seed is -1; a whole number from 0 to"),
        ({"deals": 1, "seed": 2**63}, gs.OptionError, "seed is 9223372036854775808"),
        ({"deals": 1, "log": "all"}, gs.OptionError, "log is 'all'; it is one of plays, deals"),
        ({"deals": 1, "workers": 0}, gs.OptionError, "workers is 0; a whole number of at least 1"),
        ({"deals": 1, "workers": "2"}, gs.OptionError, "workers is '2'; a whole number"),
        ({"deals": 1, "level": "1"}, gs.CardParseError, "'1' is not a level; levels are 2..9, 10"),
        ({"deals": 1, "rules": "x"}, gs.RulesError, "'x' is not a rule preset; there are guide"),
        ({"deals": 1, "bots": "x"}, gs.BotError, "'x' is not a bot; there are random, greedy"),
        ({"deals": 1, "bots": ["random"] * 5}, gs.OptionError, "5 bots were named"),
        ({"deals": 1, "previous_order": "0122"}, gs.OptionError, "previous_order is '0122'; name"),
        ({"deals": 1, "previous_order": "x"}, gs.OptionError, "previous_order is 'x'; name the"),
        ({"deals": 1, "previous_order": 123}, gs.OptionError, "previous_order is 123; name the"),
        ({"matches": 1, "level": "2"}, gs.OptionError, "level and previous_order are for indepen"),
        ({"matches": 1, "previous_order": "random"}, gs.OptionError, "a match has its own"),
    ],
)
def test_wrong_arguments(
    tmp_path: Path, arguments: dict[str, Any], error: type[gs.GuandanError], message: str
) -> None:
    with pytest.raises(error, match=message):
        gs.simulate(out=tmp_path / "run", **arguments)
    assert not (tmp_path / "run").exists()


def test_a_folder_that_holds_something_is_left_alone(expected: Run) -> None:
    before = {f: f.read_bytes() for f in expected.path.rglob("*") if f.is_file()}
    attempts: list[Callable[[], object]] = [
        lambda: gs.simulate(deals=5, out=expected.path, workers=1),
        lambda: gs.simulate(deals=5, out=expected.path, workers=1, resume=True),
        lambda: gs.simulate(deals=5, out=expected.path / "manifest.json", workers=1),
    ]
    for attempt in attempts:
        with pytest.raises(gs.RunError, match=str(expected.path)):
            attempt()
    assert {f: f.read_bytes() for f in expected.path.rglob("*") if f.is_file()} == before
