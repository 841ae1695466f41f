"""Bots that break the rules or themselves: each a `BotError` that says who, where and what."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from games import user_module

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim.bots import bots_by_seat
from guandan_sim.playing import Player

HOSTILE = '''
    """Bots that do what they must not."""

    from guandan_sim import Bot
    from guandan_sim import layout as lay
    from guandan_sim.bots import random as uniform
    from guandan_sim.jit import kernel
    from guandan_sim.rng import word

    _fair = kernel(uniform.play)


    def write(out, shape, rank, one, two):
        out[lay.OUT_SHAPE] = shape
        out[lay.OUT_RANK] = rank
        out[lay.OUT_ONE] = one
        out[lay.OUT_TWO] = two
        return 0


    _write = kernel(write)


    @kernel
    def _lowest(word):
        bit = 4
        while not word >> bit & 1:
            bit += 1
        return bit


    def simple(view, scratch, out):
        # Legal, and quick to compile: leads its lowest card, and else passes.
        if view[lay.V_BEAT_SEAT] >= 0:
            return _write(out, 0, 0, 0, 0)
        bit = _lowest(view[lay.V_ONE])
        return _write(out, 1, bit >> 2, 1 << bit, 0)


    _simple = kernel(simple)


    def not_held(view, scratch, out):
        bit = _lowest(~view[lay.V_ONE])
        return _write(out, 1, bit >> 2, 1 << bit, 0)


    def third_copy(view, scratch, out):
        # A pair of a card of which it holds one: with the copy already played or held elsewhere.
        bit = _lowest(view[lay.V_ONE] & ~view[lay.V_TWO])
        return _write(out, 2, bit >> 2, 1 << bit, 1 << bit)


    def two_without_one(view, scratch, out):
        bit = _lowest(view[lay.V_ONE])
        return _write(out, 1, bit >> 2, 0, 1 << bit)


    def card_28(view, scratch, out):
        # Its whole hand and one card more, which would win at once.
        bit = _lowest(~view[lay.V_ONE])
        return _write(out, 8, 1, view[lay.V_ONE] | 1 << bit, view[lay.V_TWO])


    def no_combination(view, scratch, out):
        return _write(out, 8, 1, view[lay.V_ONE], view[lay.V_TWO])


    def wrong_declaration(view, scratch, out):
        bit = _lowest(view[lay.V_ONE])
        return _write(out, 1, (bit >> 2) % 13 + 1, 1 << bit, 0)


    def never_answers(view, scratch, out):
        # Its lowest card, whatever there is to beat.
        bit = _lowest(view[lay.V_ONE])
        return _write(out, 1, bit >> 2, 1 << bit, 0)


    def always_passes(view, scratch, out):
        return _write(out, 0, 0, 0, 0)


    def pass_with_cards(view, scratch, out):
        if view[lay.V_BEAT_SEAT] < 0:
            return _simple(view, scratch, out)
        return _write(out, 0, 0, view[lay.V_ONE], 0)


    def writes_nothing(view, scratch, out):
        # What is not written is no pass.
        if view[lay.V_BEAT_SEAT] < 0:
            return _simple(view, scratch, out)
        return 0


    def no_shape(view, scratch, out):
        return _write(out, 11, 1, 0, 0)


    def negative_shape(view, scratch, out):
        return _write(out, -1, 1, 0, 0)


    def no_rank(view, scratch, out):
        return _write(out, 1, 99, 16, 0)


    def no_cards(view, scratch, out):
        return _write(out, 1, 1, 1 << 62, 0)


    def all_bits(view, scratch, out):
        return _write(out, 8, 1, -1, -1)


    def returns_float(view, scratch, out):
        return 0.5


    def returns_bool(view, scratch, out):
        return view[0] == 1


    def returns_nothing(view, scratch, out):
        out[0] = 0


    def writes_to_the_view(view, scratch, out):
        view[lay.V_LEVEL] = 3
        return 0


    def two_arguments(view, out):
        return 0


    def four_arguments(view, scratch, out, more):
        return 0


    def uncompilable(view, scratch, out):
        return {view[0]: "x"}.nothing


    def unknown_name(view, scratch, out):
        return nobody_wrote_this(view)


    def divides_by_zero(view, scratch, out):
        return view[lay.V_LEVEL] // scratch[0]


    def raises(view, scratch, out):
        if view[lay.V_PLIES] > 3:
            raise ValueError("I have no idea")
        return _simple(view, scratch, out)


    def reads_beyond(view, scratch, out):
        return view[lay.VIEW_SIZE] * 0


    def reads_hands(view, scratch, out):
        return view[lay.S_HANDS] * 0


    def writes_beyond_scratch(view, scratch, out):
        scratch[lay.SCRATCH_SIZE] = 1
        return _simple(view, scratch, out)


    def writes_beyond_out(view, scratch, out):
        out[lay.OUT_SIZE] = 1
        return _simple(view, scratch, out)


    def refuses(view, scratch, out):
        _simple(view, scratch, out)
        return 1


    def refuses_negatively(view, scratch, out):
        return -1


    def rarely_refuses(view, scratch, out):
        _fair(view, scratch, out)
        return 1 if word(view[lay.V_KEY], 5) & 0x1FFFF == 0 else 0


    def not_a_function_of_three(x):
        return x


    def card_none(view, scratch, out):
        out[lay.OUT_CARD] = 0
        return 0


    def card_far(view, scratch, out):
        out[lay.OUT_CARD] = 1 << 40
        return 0


    def card_negative(view, scratch, out):
        out[lay.OUT_CARD] = -60
        return 0


    def card_highest(view, scratch, out):
        # May not be returned, and is not the highest but one when a tribute is due.
        bit = 60
        while not view[lay.V_ONE] >> bit & 1:
            bit -= 1
        out[lay.OUT_CARD] = bit
        return 0


    def card_lowest(view, scratch, out):
        out[lay.OUT_CARD] = _lowest(view[lay.V_ONE])
        return 0


    def card_raises(view, scratch, out):
        if view[lay.V_PLIES] == 0:
            raise KeyError("which card?")
        return 0


    number = 7
    gives_none = Bot("x", simple, tribute=card_none)
    gives_far = Bot("x", simple, tribute=card_far)
    gives_lowest = Bot("x", simple, tribute=card_lowest)
    gives_raises = Bot("x", simple, tribute=card_raises)
    gives_float = Bot("x", simple, tribute=returns_float)
    returns_none = Bot("x", simple, give_back=card_none)
    returns_negative = Bot("x", simple, give_back=card_negative)
    returns_highest = Bot("x", simple, give_back=card_highest)
    returns_refused = Bot("x", simple, give_back=refuses_negatively)
    claims_to_be_ours = Bot("x", not_held)
'''


@pytest.fixture(scope="module", autouse=True)
def module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The hostile bots, importable."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield user_module(monkeypatch, tmp_path_factory.mktemp("bots"), "hostile", HOSTILE)


WHERE = r"\(set \d+, deal 0, play \d+\)$"

# What a bot does, and what is said of it after its name and seat.
IN_PLAY = {
    "not_held": r"made the illegal move 'single \w+: \w+'",
    "third_copy": r"made the illegal move 'pair \w+: (\w+) \1'",
    "two_without_one": r"wrote the words 0x0, 0x\w+: no cards, or `two` not within `one`",
    "card_28": r"made the illegal move 'bomb 2: (\w\w ?)+'",
    "no_combination": r"made the illegal move 'bomb 2: (\w\w ?)+'",
    "wrong_declaration": r"made the illegal move 'single (\w): \w[^\W\1]'",
    "never_answers": r"made the illegal move 'single \w+: \w+'",
    "always_passes": r"made the illegal move 'pass'",
    "pass_with_cards": r"made the illegal move 'pass",
    "writes_nothing": "(wrote shape -1|made the illegal move)",
    "no_shape": "wrote shape 11, rank 1; shapes are 0..10, ranks 0..15",
    "negative_shape": "wrote shape -1, rank 1; shapes are 0..10",
    "no_rank": "wrote shape 1, rank 99; shapes are",
    "no_cards": "wrote the words 0x4000000000000000, 0x0: no cards, or `two` not",
    "all_bits": "wrote the words -0x1, -0x1: no cards, or `two` not",
    "raises": "raised ValueError: I have no idea",
    "divides_by_zero": "raised ZeroDivisionError: ",
    "reads_beyond": "raised IndexError: ",
    "reads_hands": "raised IndexError: ",
    "writes_beyond_scratch": "raised IndexError: ",
    "writes_beyond_out": "raised IndexError: ",
    "refuses": "did not return 0, which means a choice made",
    "refuses_negatively": "did not return 0, which means a choice made",
    "claims_to_be_ours": r"made the illegal move 'single \w+: \w+'",
}


@pytest.mark.parametrize("name", IN_PLAY)
def test_in_the_loop(name: str) -> None:
    bots = ["random", f"hostile:{name}"]
    message = f"^bot hostile:{name} at seat [13] {IN_PLAY[name]}.* {WHERE}"
    with pytest.raises(gs.BotError, match=message):
        gs.simulate(deals=300, bots=bots, workers=1, seed=3)


@pytest.mark.parametrize("name", sorted(set(IN_PLAY) - {"raises", "always_passes"}))
def test_through_choose(name: str) -> None:
    """The same of a bot that is asked by hand."""
    message = IN_PLAY[name].replace("did not return 0, which means", r"returned -?1; 0 means")
    view = gs.View("S9 S8 S8 DK DT", seat=2, to_beat="pair 4: S4 D4", rules="guide")
    bot = gs.bot(f"hostile:{name}")
    with pytest.raises(gs.BotError, match=f"^bot hostile:{name} at seat 2 {message}"):
        bot.choose(view, seed=1)


COMPILING = {
    "returns_float": "play returns float64; it must return an integer, 0 for a choice made",
    "returns_bool": "play returns bool",
    "returns_nothing": "play returns none",
    "writes_to_the_view": "play .*(readonly|read-only)",
    "two_arguments": "play takes 2 arguments; it must take three: view, scratch, out",
    "four_arguments": "play takes 4 arguments; it must take three",
    "not_a_function_of_three": "play takes 1 argument; it must take three.* a Python bot is",
    "number": "play is 7; it must be a function",
    "uncompilable": "play does not compile: ",
    "unknown_name": "play does not compile: .*nobody_wrote_this",
    "gives_float": "tribute returns float64; it must return an integer",
}


@pytest.mark.parametrize("name", COMPILING)
def test_what_does_not_fit_is_said_before_anything_is_written(name: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with pytest.raises(gs.BotError, match=f"^bot hostile:{name}: {COMPILING[name]}") as caught:
        gs.simulate(deals=10, bots=f"hostile:{name}", workers=1, out=out)
    assert "\n" not in str(caught.value)
    assert not out.exists()
    with pytest.raises(gs.BotError):
        gs.bot(f"hostile:{name}").choose(gs.View("S3"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("hostile:nobody", "'hostile:nobody' cannot be imported: AttributeError: .*nobody"),
        (
            "no_such_module:play",
            "cannot be imported: ModuleNotFoundError: No module named 'no_such",
        ),
        ("hostile:", "cannot be imported: "),
        (":play", "cannot be imported: "),
        ("bad_at_import:play", "cannot be imported: ZeroDivisionError: integer division"),
        (
            "hostile.not_held",
            "'hostile.not_held' is not a bot; there are random, greedy, planner, or 'module:",
        ),
    ],
)
def test_what_cannot_be_imported(
    name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user_module(monkeypatch, tmp_path, "bad_at_import", "x = 1 // 0\n")
    for attempt in (lambda: gs.bot(name), lambda: gs.simulate(deals=1, bots=name, workers=1)):
        with pytest.raises(gs.BotError, match=message):
            attempt()


IN_TRIBUTE = {
    "gives_none": r"chose card 0 \(no card\); it may choose \w\w \w\w",
    "gives_far": r"chose card 1099511627776 \(no card\); it may choose",
    "gives_lowest": r"chose card \d+ \(\w\w\); it may choose \w\w \w\w",
    "gives_raises": "raised KeyError: ",
    "returns_none": r"chose card 0 \(no card\); it may choose",
    "returns_negative": r"chose card -60 \(no card\); it may choose",
    "returns_highest": r"chose card \d+ \(\w\w\); it may choose",
    "returns_refused": "did not return 0",
}


@pytest.mark.parametrize("name", IN_TRIBUTE)
def test_cards_given_and_returned(name: str) -> None:
    message = f"^bot hostile:{name} at seat [0-3] {IN_TRIBUTE[name]}.* {WHERE}"
    with pytest.raises(gs.BotError, match=message):
        gs.simulate(deals=300, bots=f"hostile:{name}", workers=1, seed=3, previous_order="random")
    bot = gs.bot(f"hostile:{name}")
    by_hand = IN_TRIBUTE[name].replace("did not return 0", "returned -1; 0 means a choice made")
    if name.startswith("gives"):
        with pytest.raises(gs.BotError, match=f"^bot hostile:{name} at seat 1 {by_hand}"):
            bot.choose_tribute("SA DA S3", "2", receiver=0)
    else:
        with pytest.raises(gs.BotError, match=f"^bot hostile:{name} at seat 1 {by_hand}"):
            bot.choose_return("SA S3 D4", "2", "SK", giver=2)


def test_a_bot_that_says_it_is_built_in_is_checked_all_the_same() -> None:
    bot = gs.Bot("sly", gs.bot("greedy").play)
    assert Player(bots_by_seat(bot)).checked == 0b1111


def test_at_the_table_the_deal_stays_where_the_bot_failed() -> None:
    deal = gs.Deal(seed=2)
    with pytest.raises(
        gs.BotError, match=r"bot hostile:raises at seat \d raised ValueError.*play 4"
    ):
        deal.play_out("hostile:raises")
    assert not deal.done
    assert deal.state[lay.V_PLIES] == 4
    deal.play_out("random")
    assert deal.done
    match = gs.Match(seed=2, bots=["random", "hostile:raises"])
    with pytest.raises(gs.BotError, match=r"raised ValueError.*\(set 0, deal 0, play [4-9]"):
        match.play_deal()
    assert (match.deals, match.phase) == (0, "play")
    match.step(match.legal_moves()[0])


def test_matches_name_the_deal() -> None:
    bots = ["random", "random", "random", "hostile:rarely_refuses"]
    with pytest.raises(gs.BotError, match=r"at seat 3 did not .* \(set \d+, deal [1-9]\d*, play"):
        gs.simulate(matches=3_000, bots=bots, workers=1, seed=1)


def test_what_was_written_before_survives(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"deals": 8 * 1_024, "seed": 5, "workers": 1}
    earlier = gs.simulate(bots="random", out=tmp_path / "earlier", **settings)
    before = {f: f.read_bytes() for f in (tmp_path / "earlier").rglob("*") if f.is_file()}
    bots = ["hostile:rarely_refuses", "random", "random", "random"]
    with pytest.raises(gs.BotError, match=r"at seat 0 did not return 0.*\(set (\d+)") as caught:
        gs.simulate(bots=bots, out=tmp_path / "run", **settings)
    failed = int(str(caught.value).split("set ")[1].split(",")[0])
    assert failed > 2_048
    run = gs.open_run(tmp_path / "run")
    assert not run.finished
    assert [first for first, _ in run.parts] == list(range(0, failed // 1_024 * 1_024, 1_024))
    assert run.deals()["set"].tolist() == list(range(len(run.parts) * 1_024))
    assert run.check_files() == [
        f"{run.path} is not finished: {len(run.parts)} of 8 parts are there: resume it"
    ]
    # It played the same deals as `random` until it failed.
    assert isinstance(earlier, gs.Run)
    same = earlier.plays()["set"] < len(run.parts) * 1_024
    assert run.plays().equals(earlier.plays()[same])
    after = {f: f.read_bytes() for f in (tmp_path / "earlier").rglob("*") if f.is_file()}
    assert after == before
    # Nothing is overwritten by trying again, and a resumed run fails at the same place.
    with pytest.raises(gs.RunError, match="is not empty"):
        gs.simulate(bots=bots, out=tmp_path / "run", **settings)
    with pytest.raises(gs.BotError, match=rf"set {failed},"):
        gs.simulate(bots=bots, out=tmp_path / "run", resume=True, **settings)
    assert gs.open_run(tmp_path / "run").parts == run.parts


def test_other_workers_stop_when_a_bot_fails() -> None:
    bots = ["hostile:rarely_refuses", "random", "random", "random"]
    with pytest.raises(gs.BotError, match="hostile:rarely_refuses at seat 0"):
        gs.simulate(deals=64 * 1_024, bots=bots, workers=3, seed=5)


def test_a_failed_bot_leaves_nothing_behind_for_the_next_deal() -> None:
    """The table's buffers are the same: what a failed bot wrote is not played by the next."""
    deal = gs.Deal(seed=2)
    with pytest.raises(gs.BotError):
        deal.play_out("hostile:raises")
    fresh = gs.Deal(seed=2)
    for _, move in deal.history:
        fresh.play(move)
    deal.play_out("greedy")
    fresh.play_out("greedy")
    np.testing.assert_array_equal(deal.state[: lay.S_DECISIONS], fresh.state[: lay.S_DECISIONS])
