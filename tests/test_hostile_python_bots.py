"""Python bots that break the rules or themselves: each a `BotError` that says who, where and
what.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import guandan_sim as gs
from guandan_sim import layout as lay

WHERE = r" \(set \d+, deal 0, play \d+\)$"
Answer = Callable[[gs.View], Any]


class Answering:
    """Leads its lowest card and else passes, but answers as told where it is asked so."""

    name = "hostile"

    def __init__(self, answer: Answer, leading: bool | None = None) -> None:
        self._answer = answer
        self._leading = leading

    def choose(self, view: gs.View) -> Any:
        if self._leading in (None, view.to_beat is None):
            return self._answer(view)
        return None if view.to_beat else f"single {rank(view.hand[-1])}: {view.hand[-1]}"


def rank(card: str) -> str:
    return card if card in ("SB", "HR") else card[1]


class Unspeakable:
    def __repr__(self) -> str:
        raise ValueError


def raises(error: BaseException) -> Answer:
    def answer(_view: gs.View) -> Any:
        raise error

    return answer


def write(view: gs.View) -> None:
    view.words[lay.V_ONE] = 0


def unseen_single(view: gs.View) -> gs.Move:
    card = next(card for card in view.unseen if card not in view.hand)
    return gs.Move("single", rank(card), (card,))


FAILING: dict[str, tuple[Answer, bool | None, str]] = {
    "raises": (raises(ZeroDivisionError("oh")), None, "raised ZeroDivisionError: oh"),
    "exits": (raises(SystemExit(3)), None, "raised SystemExit: 3"),
    "botches": (lambda _: gs.bot("none"), None, "raised BotError: 'none' is not a bot"),
    "writes": (write, None, "raised ValueError: assignment destination is read-only"),
    "number": (lambda _: 5, None, r"returned 5 \(int\) from choose: a Move, its text, or None"),
    "index": (lambda _: np.int64(3), None, r"returned np.int64\(3\) \(int64\) from choose: a Move"),
    "true": (lambda _: True, None, r"returned True \(bool\) from choose: a Move"),
    "list": (lambda v: v.legal_moves(), None, r"returned \[Move\(.* \(list\) from choose: a Move"),
    "array": (lambda v: v.words, None, r"returned array.* \(ndarray\) from choose: a Move"),
    "silent": (
        lambda _: Unspeakable(),
        None,
        r"returned what cannot be shown \(Unsp",
    ),
    "nonsense": (
        lambda _: "all in",
        None,
        r"returned 'all in' \(str\) from choose: 'all'",
    ),
    "no cards": (
        lambda _: "pair 3",
        None,
        r"returned 'pair 3' \(str\) from choose: .* no cards",
    ),
    "mix": (lambda _: "S3 D4", None, r"returned 'S3 D4' \(str\) from choose: .*no combination"),
    "third": (lambda _: "pair 3: S3 S3 S3", None, r"returned .* from choose: .*3 copies of S3"),
    "not held": (unseen_single, True, "made the illegal move 'single .*: it does not hold these"),
    "passes": (lambda _: None, True, "made the illegal move 'pass': it leads and must play"),
    "passes too": (lambda _: "pass", True, "made the illegal move 'pass': it leads and must play"),
    "lower": (
        lambda v: gs.Move("single", rank(v.hand[-1]), v.hand[-1:]),
        False,
        "made the illegal move 'single .*: it does not beat",
    ),
}


@pytest.mark.parametrize("name", FAILING)
def test_in_the_loop_at_the_table_and_by_hand(name: str) -> None:
    answer, leading, message = FAILING[name]
    bot = Answering(answer, leading)
    line_ups: list[Any] = [["random", bot], bot]
    for bots in line_ups:
        with pytest.raises(gs.BotError, match=f"^bot hostile at seat [0-3] {message}.*{WHERE}"):
            gs.simulate(deals=50, bots=bots, workers=1, seed=3)
    deal = gs.Deal(seed=3)
    with pytest.raises(
        gs.BotError, match=f"^bot hostile at seat [0-3] {message}.*{WHERE}"
    ) as caught:
        deal.play_out(bot)
    assert "\n" not in str(caught.value)
    view = deal.view()
    with pytest.raises(gs.BotError, match=f"^bot hostile at seat {view.seat} {message}"):
        gs.bot(bot).choose(view)
    # The deal stays where it was, and goes on.
    assert not deal.done
    assert f"play {deal.state[lay.V_PLIES]})" in str(caught.value)
    deal.play_out("random")
    assert deal.done


def test_the_cause_is_kept() -> None:
    error = ZeroDivisionError("oh")
    with pytest.raises(gs.BotError) as caught:
        gs.Deal(seed=3).play_out(Answering(raises(error)))
    assert caught.value.__cause__ is error


def test_ctrl_c_is_no_failure_of_the_bot() -> None:
    with pytest.raises(KeyboardInterrupt):
        gs.Deal(seed=3).play_out(Answering(raises(KeyboardInterrupt())))


CARDS: dict[str, tuple[Answer, str]] = {
    "none": (
        lambda _: None,
        r"returned None \(NoneType\) from choose_\w+: the code of a",
    ),
    "number": (
        lambda _: np.int64(8),
        r"returned .* \(int64\) from choose_\w+: the code of a card",
    ),
    "no card": (
        lambda _: "XX",
        r"returned 'XX' \(str\) from choose_\w+: the code of a card",
    ),
    "two cards": (lambda _: "S3 S4", r"returned 'S3 S4' \(str\) from choose_\w+: the code of a"),
    "illegal": (
        lambda v: next(card for card in v.unseen if card not in v.options()),
        r"chose card \d+ \(\w\w\); it may choose \w\w \w\w",
    ),
    "raises": (raises(KeyError("k")), "raised KeyError: 'k'"),
}


@pytest.mark.parametrize("method", ["choose_tribute", "choose_return"])
@pytest.mark.parametrize("name", CARDS)
def test_cards_given_and_returned(name: str, method: str) -> None:
    answer, message = CARDS[name]
    bot = Answering(lambda view: view.legal_moves()[0])
    setattr(bot, method, answer)
    with pytest.raises(gs.BotError, match=f"^bot hostile at seat [0-3] {message}.*{WHERE}"):
        gs.simulate(deals=200, bots=bot, workers=1, seed=3, previous_order="random")
    by_hand = {
        "choose_tribute": lambda: gs.bot(bot).choose_tribute("SA DA S3", "2", receiver=0),
        "choose_return": lambda: gs.bot(bot).choose_return("SA S3 D4", "2", "SK", giver=2),
    }
    with pytest.raises(gs.BotError, match=f"^bot hostile at seat 1 {message}"):
        by_hand[method]()


def test_what_is_done_to_a_view_does_nothing_to_the_game() -> None:
    def spoil(view: gs.View) -> gs.Move:
        move = gs.bot("random").choose(view)
        view.words.flags.writeable = True
        view.words[:] = 7
        view.words = np.zeros(3, np.int64)
        view.memory = {}
        return move

    deals = gs.Deal(seed=4), gs.Deal(seed=4)
    deals[0].play_out(Answering(spoil))
    deals[1].play_out("random")
    np.testing.assert_array_equal(deals[0].state, deals[1].state)


class NeedsWeights:
    def __init__(self, weights: Any) -> None:
        self.weights = weights

    def choose(self, _view: gs.View) -> None: ...


def test_a_class_that_cannot_be_called_is_said_before_anything_is_played(tmp_path: Any) -> None:
    message = r"bot NeedsWeights: NeedsWeights\(\) raised TypeError: .*weights.*; a class is called"
    for attempt in (
        lambda: gs.simulate(deals=1, bots=NeedsWeights, out=tmp_path / "run"),
        lambda: gs.bot(NeedsWeights).choose(gs.View("S3")),
        lambda: gs.Match(bots=NeedsWeights),
    ):
        with pytest.raises(gs.BotError, match=f"^{message}"):
            attempt()
    assert not (tmp_path / "run").exists()


def test_an_object_without_choose_is_no_bot() -> None:
    class Other:
        choose = 7

    with pytest.raises(gs.BotError, match=r"is not a bot; there are random, greedy"):
        gs.bot(Other())  # type: ignore[arg-type]
    with pytest.raises(gs.OptionError, match=r"bots are .*Other"):
        gs.Deal().play_out(Other())  # type: ignore[arg-type]


def test_an_argument_that_is_missing() -> None:
    greedy = gs.bot("greedy")
    cases: list[tuple[Callable[[], str], str]] = [
        (lambda: greedy.choose_tribute("S3"), "choose_tribute takes a view, or a hand, its level"),
        (lambda: greedy.choose_return("S3", "2"), "choose_return takes a view, or a hand, its"),
        (lambda: greedy.choose_tribute(gs.View("S3")), "a tribute is not due in this view"),
        (lambda: greedy.choose_return(gs.View("S3")), "a return is not due in this view"),
    ]
    for attempt, said in cases:
        with pytest.raises(gs.OptionError, match=re.escape(said)):
            attempt()


def test_recursion_is_said_as_it_is() -> None:
    def deeper(view: gs.View) -> Any:
        return deeper(view)

    limit = sys.getrecursionlimit()
    with pytest.raises(gs.BotError, match="raised RecursionError"):
        gs.Deal(seed=3).play_out(Answering(deeper))
    assert sys.getrecursionlimit() == limit
