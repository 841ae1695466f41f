"""What a seat sees: every word as `layout` says, nothing that it may not know, also by hand."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from games import PausedMatch, independent_deal, random_steps, words_of
from hypothesis import given
from hypothesis import strategies as st
from oracle import RANKS, legal_moves, strength
from referee import dwellers

import guandan_sim as gs
from guandan_sim import layout as lay
from guandan_sim.cards import CARD_NUMBERS, RANK_WORDS
from guandan_sim.shapes import BOMB, SHAPE_WORDS

SEEDS = st.integers(0, 2**40)
PRESETS = st.sampled_from(gs.Rules.presets())
Step = tuple[int, str]
"""Who chose, and what: a card or a move as text."""


def step_at_random(table: gs.Match, choices: random.Random) -> Step:
    """Make a random choice for the seat to act."""
    seat = table.to_move
    assert seat is not None
    if table.phase == "play":
        choice = str(gs.bot("random").choose(table.view(), seed=choices.getrandbits(62)))
    else:
        choice = str(choices.choice(table.options()))
    table.step(choice)
    return seat, choice


# Every word


def public_words(table: gs.Match, steps: Sequence[Step], deal: dict[str, Any]) -> np.ndarray:
    """The public words of a view as `layout` lays them out, from what was said and done alone."""
    words = np.zeros(lay.VIEW_SIZE, np.int64)
    words[lay.V_VERSION] = gs.VIEW_VERSION
    words[lay.V_PHASE] = {"tribute": 1, "return": 2, "play": 3, "done": 4}[table.phase]
    words[lay.V_LEVEL] = RANK_WORDS.index(table.level)
    words[lay.V_OWNER] = table.owner
    words[lay.V_LEVELS : lay.V_LEVELS + 2] = [RANK_WORDS.index(level) for level in table.levels]
    words[lay.V_DEAL] = table.deals
    words[lay.V_LEADER] = -1 if table.leader is None else table.leader
    words[lay.V_MARKED] = deal["marked"]
    words[lay.V_TURN] = table.to_move or 0
    words[lay.V_FINISH : lay.V_FINISH + 4] = -1
    words[lay.V_PREVIOUS : lay.V_PREVIOUS + 4] = deal["previous"] or -1
    due = dwellers(deal["previous"]) if deal["previous"] else ()
    words[lay.V_TRIBUTE] = len(due)
    words[lay.V_CANCELLED] = deal["cancelled"]
    words[lay.V_RULES : lay.V_RULES + lay.RULES_SIZE] = table.rules.words()

    counts = [27] * 4
    for row, (giver, receiver, card, returned) in enumerate(table.tributes):
        numbers = CARD_NUMBERS[card], CARD_NUMBERS.get(returned, 0)
        at = lay.V_GIVER + row * lay.V_TRIBUTE_WIDTH
        words[at : at + lay.V_TRIBUTE_WIDTH] = giver, receiver, *numbers
        counts[giver] += -1 if not returned else 0
        counts[receiver] += 1 if not returned else 0

    played: list[list[str]] = [[], [], [], []]
    out: list[int] = []
    passed = locked = plies = 0
    beat: tuple[int, gs.Move] | None = None
    for seat, text in steps:
        if text == "pass":
            passed |= 1 << seat
            locked |= 1 << seat
        else:
            move = gs.Move.parse(text)
            one, two = words_of(move.cards)
            packed = seat | SHAPE_WORDS.index(move.shape) << 2 | RANK_WORDS.index(move.rank) << 6
            packed |= len(move.cards) << 10 | passed << 14 | (beat is None) << 18
            at = lay.V_HISTORY + lay.HISTORY_WIDTH * plies
            words[at : at + 3] = packed, one, two
            played[seat] += move.cards
            plies += 1
            passed = 0
            beat = seat, move
            if len(played[seat]) == 27:
                out.append(seat)
        if beat is None:
            continue
        barred = locked if table.rules.pass_locks else passed
        if all(s in out or s == beat[0] or barred >> s & 1 for s in range(4)):
            beat, locked = None, 0

    words[lay.V_PLIES] = plies
    words[lay.V_PASSED] = passed
    words[lay.V_LOCKED] = locked if table.rules.pass_locks else 0
    words[lay.V_OUT] = len(out)
    words[lay.V_FINISH : lay.V_FINISH + len(out)] = out
    for seat in range(4):
        words[lay.V_PLAYED + 2 * seat : lay.V_PLAYED + 2 * seat + 2] = words_of(played[seat])
        words[lay.V_COUNTS + seat] = counts[seat] - len(played[seat])
    words[lay.V_BEAT_SEAT] = -1 if beat is None else beat[0]
    if beat is not None:
        shape, rank, one, two = beat[1].words
        words[lay.V_BEAT_SHAPE : lay.V_BEAT_TWO + 1] = shape, rank, one, two
        words[lay.V_BEAT_KIND] = min(shape, BOMB)
    return words


@pytest.mark.parametrize("preset", ["guide", "ace_reset", "wikipedia", "openguandan"])
def test_every_word_through_whole_matches(preset: str) -> None:
    choices = random.Random(preset)
    phases = set()
    for number in range(2):
        table = PausedMatch(seed=21, number=number, rules=preset)
        previous: tuple[int, ...] = ()
        while table.phase != "done":
            start = table.state
            deal = {
                "previous": previous,
                "marked": 0 if previous else start[lay.V_MARKED],
                "cancelled": bool(previous) and table.phase == "play",
            }
            steps: list[Step] = []
            while table.phase != "done":
                phases.add((table.phase, len(dwellers(previous)) if previous else 0))
                if choices.random() < 0.3:
                    expected = public_words(table, steps, deal)
                    for seat in range(4):
                        compare(table, table.view(seat), expected, seat)
                in_play = table.phase == "play"
                step = step_at_random(table, choices)
                steps += [step] if in_play else []
            previous = table.finish_order
            table.next_deal()
    assert len(phases) == 7


def compare(table: gs.Match, view: gs.View, expected: np.ndarray, seat: int) -> None:
    """A seat's view with the public words and what is its own to see."""
    words = expected.copy()
    state = table.state
    words[lay.V_SEAT] = seat
    words[lay.V_ONE], words[lay.V_TWO] = words_of(table.hands[seat])
    words[lay.V_FAILURES : lay.V_FAILURES + 2] = state[lay.V_FAILURES : lay.V_FAILURES + 2]
    for row, (giver, receiver, _, _) in enumerate(table.tributes):
        public = table.rules.return_visible and table.phase == "play"
        if not public and seat not in (giver, receiver):
            words[lay.V_RETURNED + row * lay.V_TRIBUTE_WIDTH] = 0
    beat = view.to_beat
    if beat is not None and table.phase == "play":
        bombs = ("bomb", "straight_flush", "joker_bomb")
        words[lay.V_ANSWERS] = sum(
            move.shape != "pass" if beat.shape in bombs else move.shape == beat.shape
            for move in view.legal_moves()
        )
    # Words without a meaning of their own: how the rating and the stream are coded.
    for at in (lay.V_BEAT_STRENGTH, lay.V_KEY, lay.V_BOMBS):
        words[at] = view.words[at]
    differing = np.flatnonzero(words != view.words)
    assert not len(differing), [(int(at), view.words[at], words[at]) for at in differing]


def test_the_strength_of_the_play_to_beat_orders_plays_as_the_rules_do() -> None:
    ranked: dict[tuple[int, int], tuple[int, int]] = {}
    for number in range(30):
        deal = gs.Deal(seed=4, number=number, level="7")
        for _ in random_steps(deal, number):
            view, beat = deal.view(), deal.to_beat
            if beat is not None and beat.shape not in ("bomb", "straight_flush", "joker_bomb"):
                play = beat.shape, beat.rank, len(beat.cards)
                key = SHAPE_WORDS.index(beat.shape), strength(play, "7")
                kind, rating = view.words[lay.V_BEAT_KIND : lay.V_BEAT_STRENGTH + 1].tolist()
                assert ranked.setdefault(key, (kind, rating)) == (kind, rating)
    assert sorted(ranked, key=ranked.__getitem__) == sorted(ranked)
    assert len(ranked) > 40


@given(seed=SEEDS, steps=st.integers(0, 160), level=st.sampled_from(RANKS), preset=PRESETS)
def test_the_bomb_count_is_that_of_the_own_hand(
    seed: int, steps: int, level: str, preset: str
) -> None:
    deal = gs.Deal(seed, level, preset)
    for _ in random_steps(deal, seed, steps):
        pass
    for seat in range(4):
        view = deal.view(seat)
        bombs = 0
        if view.hand and not deal.done:
            moves = gs.legal_moves(view.hand, level, rules=preset)
            bombs = sum(m.shape in ("bomb", "straight_flush", "joker_bomb") for m in moves)
        assert view.words[lay.V_BOMBS] == bombs


def test_keys_are_of_the_seats_own_stream_and_count_its_choices() -> None:
    deal = gs.Deal(seed=3, number=9)
    keys: list[list[int]] = [[], [], [], []]
    choices = 0
    while not deal.done:
        view = deal.view()
        key = int(view.words[lay.V_KEY])
        if view.has_choice:
            choices += 1
            assert not any(key in of_seat for of_seat in keys)
            keys[view.seat].append(key)
        deal.play(gs.bot("random").choose(view))
    assert deal.state[lay.S_DECISIONS : lay.S_DECISIONS + 4].tolist() == [len(k) for k in keys]
    assert sum(map(len, keys)) == choices
    # The same streams under any play, and others under another number.
    other = gs.Deal(seed=3, number=9)
    for _ in random_steps(other, seed=77):
        seat = other.to_move
        if seat is not None and other.view().has_choice:
            j = int(other.state[lay.S_DECISIONS + seat])
            assert j >= len(keys[seat]) or keys[seat][j] == other.view().words[lay.V_KEY]
    stranger = int(gs.Deal(seed=3, number=8).view().words[lay.V_KEY])
    assert not any(stranger in of_seat for of_seat in keys)


def test_given_hands_keep_the_streams_of_the_seed() -> None:
    deals = [gs.Deal(seed=3, hands=gs.Deal(seed=seed).hands, leader=0) for seed in (3, 4)]
    own = [[int(deal.view(seat).words[lay.V_KEY]) for seat in range(4)] for deal in deals]
    assert own[0] == own[1]
    assert own[0] == [int(gs.Deal(seed=3).view(seat).words[lay.V_KEY]) for seat in range(4)]
    assert len(set(own[0])) == 4


# Nothing else


def other_world(
    hands: Sequence[Sequence[str]],
    fixed: Sequence[Sequence[str]],
    seat: int,
    shuffle: random.Random,
) -> list[list[str]]:
    """Hands where the cards unseen by ``seat`` are dealt anew; ``fixed`` stay where they are."""
    pool: list[str] = []
    for other in range(4):
        if other != seat:
            rest = list(hands[other])
            for card in fixed[other]:
                rest.remove(card)
            pool += rest
    shuffle.shuffle(pool)
    world = []
    for other in range(4):
        if other == seat:
            world.append(list(hands[other]))
        else:
            count = len(hands[other]) - len(fixed[other])
            world.append([*fixed[other], *(pool.pop() for _ in range(count))])
    return world


@given(seed=SEEDS, steps=st.integers(1, 150), preset=PRESETS)
def test_unseen_hands_do_not_show(seed: int, steps: int, preset: str) -> None:
    shuffle = random.Random(seed)
    hands = gs.Deal(seed).hands
    leader = seed % 4
    deal = gs.Deal(seed, "5", preset, hands=hands, leader=leader)
    views = []
    for _ in random_steps(deal, seed, steps):
        if not deal.done:
            views.append(deal.view())
    seat = views[-1].seat
    fixed = [
        [c for s, move in deal.history if s == other for c in move.cards] for other in range(4)
    ]
    same = gs.Deal(seed, "5", preset, hands=hands, leader=leader)
    world = other_world(hands, fixed, seat, shuffle)
    other = gs.Deal(seed, "5", preset, hands=world, leader=leader)
    for _, move in deal.history:
        # What this seat saw on the way was the same, too.
        np.testing.assert_array_equal(other.view(seat).words, same.view(seat).words)
        same.play(move)
        other.play(move)
    np.testing.assert_array_equal(other.view(seat).words, deal.view(seat).words)
    np.testing.assert_array_equal(same.view(seat).words, deal.view(seat).words)


def test_forced_and_chosen_passes_look_alike() -> None:
    """Seat 1 could answer in one world and not in the other; who sees it pass cannot tell."""
    hands = [["S5", "S3"], ["SA", "S4"], ["C6", "C3"], ["D6", "D3"]]
    chosen = gs.Deal(hands=hands, leader=0)
    forced = gs.Deal(hands=[hands[0], ["C4", "S4"], *hands[2:]], leader=0)
    for deal in (chosen, forced):
        deal.play("S5")
    assert (chosen.view().has_choice, forced.view().has_choice) == (True, False)
    for move, passed_by_choice in (("pass", 0b0010), ("C6", 0)):
        chosen.play(move)
        forced.play(move)
        assert chosen.state[lay.S_CHOSE_TO_PASS] == passed_by_choice
        assert forced.state[lay.S_CHOSE_TO_PASS] == 0
        for seat in (0, 2, 3):
            np.testing.assert_array_equal(chosen.view(seat).words, forced.view(seat).words)
    assert chosen.history[1] == forced.history[1] == (1, gs.Move("pass", "", ()))


def deal_from(seed: int, hands: Sequence[Sequence[str]], order: str, preset: str) -> PausedMatch:
    """A deal of these hands at level 5 before its tribute, with the streams of ``seed``."""
    table = independent_deal(seed, 0, preset, RANKS.index("5") + 1, order, hands)
    assert [sorted(hand) for hand in table.hands] == [sorted(hand) for hand in hands]
    return table


def replayed(
    table: PausedMatch, steps: Sequence[Step], hidden: set[int], dice: random.Random
) -> bool:
    """Make the same choices, but any for the ``hidden``; False where they cannot be made."""
    for place, (seat, choice) in enumerate(steps):
        if table.to_move != seat:
            return False
        try:
            table.step(str(dice.choice(table.options())) if place in hidden else choice)
        except gs.IllegalMoveError:
            return False
    return True


@pytest.mark.parametrize("preset", ["guide", "wikipedia", "openguandan"])
@pytest.mark.parametrize("order", ["0213", "3021", "1320"])
def test_tribute_shows_only_what_the_rules_show(preset: str, order: str) -> None:
    """At random points of deals with tribute, in worlds that look the same to the seat."""
    dice = random.Random(f"{preset} {order}")
    compared = {"tribute": 0, "return": 0, "play": 0}
    hidden_returns = 0
    for seed in range(100):
        hands = gs.Deal(seed).hands
        table = deal_from(seed, hands, order, preset)
        if table.phase == "play":
            continue
        steps: list[Step] = []
        phases: list[str] = []
        until = dice.choice([0, 1, 2, 3, 4, 5, 8, 20, 40])
        while len(steps) < until and table.phase != "done":
            phases.append(table.phase)
            steps.append(step_at_random(table, dice))
        if table.phase == "done":
            continue
        phase = table.phase
        seat = dice.choice([table.to_move, dice.randrange(4)])
        assert seat is not None
        hidden = set()
        for place, (who, _) in enumerate(steps):
            partners = next(({g, r} for g, r, *_ in table.tributes if who in (g, r)), set())
            secret = phases[place] == "tribute" and phase == "tribute" and who != seat
            if phases[place] == "return" and seat not in partners:
                secret = phase == "return" or not table.rules.return_visible
            if secret:
                hidden.add(place)
        fixed = fixed_cards(hands, table, steps, phases, hidden)
        for _ in range(8):
            world = other_world(hands, fixed, seat, dice)
            other = deal_from(seed, world, order, preset)
            if not replayed(other, steps, hidden, dice):
                continue
            if other.phase != phase or other.to_move != table.to_move:
                continue
            np.testing.assert_array_equal(other.view(seat).words, table.view(seat).words)
            compared[phase] += 1
            hidden_returns += [t[3] for t in other.tributes] != [t[3] for t in table.tributes]
    assert min(compared.values()) >= 8, compared
    if preset == "wikipedia":
        assert hidden_returns >= 10


def fixed_cards(
    hands: Sequence[Sequence[str]],
    table: PausedMatch,
    steps: Sequence[Step],
    phases: Sequence[str],
    hidden: set[int],
) -> list[list[str]]:
    """Of each hand as dealt, the cards whose place is known: played, paid or openly returned."""
    pays = {giver: receiver for giver, receiver, *_ in table.tributes}
    pays |= {receiver: giver for giver, receiver, *_ in table.tributes}
    held = [[(card, seat) for card in hand] for seat, hand in enumerate(hands)]
    fixed: list[list[str]] = [[], [], [], []]
    shown: list[tuple[str, int]] = []
    for place, ((who, choice), phase) in enumerate(zip(steps, phases, strict=True)):
        if choice == "pass":
            continue
        for card in gs.Move.parse(choice).cards if phase == "play" else [choice]:
            each = next(pair for pair in held[who] if pair[0] == card)
            held[who].remove(each)
            if phase != "play" and who in pays:
                held[pays[who]].append(each)
            if place in hidden:
                continue
            if each in shown:
                shown.remove(each)  # it was paid or returned openly before
            else:
                fixed[each[1]].append(card)
            if phase != "play":
                shown.append(each)
    return fixed


# By hand, for a bot that plays elsewhere


def by_hand(deal: gs.Deal, preset: str, **changes: Any) -> gs.View:
    """The view of the seat to move, from what everybody at the table knows."""
    seat = deal.to_move
    assert seat is not None
    assert deal.leader is not None
    played: list[list[str]] = [[], [], [], []]
    passed: list[int] = []
    last = None
    for who, move in deal.history:
        played[who] += move.cards
        passed = [*passed, who] if move.shape == "pass" else []
        last = last if move.shape == "pass" else who
    known: dict[str, Any] = {
        "level": deal.level,
        "seat": seat,
        "to_beat": deal.to_beat,
        "to_beat_seat": last,
        "leader": deal.leader,
        "counts": [len(hand) for hand in deal.hands],
        "played": played,
        "passed": passed,
        "owner": deal.leader % 2,
        "rules": preset,
        "history": deal.history,
    }
    return gs.View(deal.hands[seat], **known | changes)


@pytest.mark.parametrize("preset", gs.Rules.presets())
def test_a_view_by_hand_is_that_of_the_deal(preset: str) -> None:
    for number in range(12):
        deal = gs.Deal(seed=6, number=number, level="8", rules=preset)
        for _ in random_steps(deal, number):
            if deal.done or number % 4 != deal.to_move:
                continue
            words = deal.view().words
            # Only the deal knows its random stream and the card that was turned up.
            words[[lay.V_KEY, lay.V_MARKED]] = 0
            ours = by_hand(deal, preset)
            differing = np.flatnonzero(ours.words != words)
            assert not len(differing), [(int(i), ours.words[i], words[i]) for i in differing]
            short = by_hand(deal, preset, counts=None, played=None)
            np.testing.assert_array_equal(short.words, words)


def test_a_view_without_history() -> None:
    view = gs.View("S9 D9 HT", "7", 2, to_beat="pair 8: S8 C8", passed=(0,), counts=(5, 6, 3, 0))
    assert (view.seat, view.level, view.hand) == (2, "7", ("HT", "S9", "D9"))
    assert view.counts == (5, 6, 3, 0)
    assert str(view.to_beat) == "pair 8: S8 C8"
    assert view.words[lay.V_BEAT_SEAT] == 1
    assert view.words[lay.V_PASSED] == 1
    assert view.words[lay.V_OUT : lay.V_FINISH + 2].tolist() == [1, 3, -1]
    assert view.words[lay.V_PLIES] == 0
    assert [str(move) for move in view.legal_moves()] == ["pass", "pair 9: S9 D9"]
    assert view.has_choice
    assert gs.View("S3").to_beat is None
    assert gs.View("S3").counts == (1, 27, 27, 27)


def test_the_view_of_a_deal_is_not_changed_by_what_follows() -> None:
    deal = gs.Deal(seed=1)
    view = deal.view()
    words = view.words.copy()
    for _ in random_steps(deal, 1, 20):
        pass
    np.testing.assert_array_equal(view.words, words)


@given(seed=SEEDS, steps=st.integers(0, 150), preset=PRESETS)
def test_views_have_the_deals_legal_moves(seed: int, steps: int, preset: str) -> None:
    deal = gs.Deal(seed, "9", preset)
    for _ in random_steps(deal, seed, steps):
        pass
    if deal.done or len(deal.hands[deal.to_move or 0]) > 8:
        return
    beat = deal.to_beat
    play = None if beat is None else (beat.shape, beat.rank, len(beat.cards))
    rules = deal.rules
    expected = legal_moves(deal.view().hand, "9", play, rules.max_bomb, rules.full_house_joker_pair)
    found = {(m.shape, m.rank, tuple(sorted(m.cards))) for m in deal.view().legal_moves()}
    assert (
        found == expected == {(m.shape, m.rank, tuple(sorted(m.cards))) for m in deal.legal_moves()}
    )


HISTORY = [(0, "single 5: S5"), (1, "pass")]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"hand": "S9 S9 S9"}, gs.HandError, "3 copies of S9; two packs have 2"),
        ({"hand": "S9 X9"}, gs.CardParseError, "'X9' is not a card"),
        ({"hand": None}, gs.CardParseError, "None is not cards"),
        ({"level": "1"}, gs.CardParseError, "'1' is not a level"),
        ({"seat": 4}, gs.OptionError, "seat is 4; seats are 0, 1, 2 and 3"),
        ({"seat": None}, gs.OptionError, "seat is None; seats"),
        ({"leader": -1}, gs.OptionError, "leader is -1; seats"),
        ({"to_beat": "S5 D6"}, gs.IllegalMoveError, "'S5 D6' is no combination"),
        ({"to_beat": "pair 5: S5 D6"}, gs.IllegalMoveError, "D6 S5 cannot be pair 5"),
        (
            {"to_beat": "bomb 9: S9 S9 H9 H9 C9 C9 D9 D9 H2", "rules": "wikipedia"},
            gs.IllegalMoveError,
            "cannot be bomb 9",
        ),
        ({"to_beat": "S5", "to_beat_seat": 5}, gs.OptionError, "to_beat_seat is 5; seats are"),
        (
            {"counts": (27, 27, 27)},
            gs.OptionError,
            r"counts are \(27, 27, 27\); give the cards left",
        ),
        ({"counts": (27, 27, 27, -1)}, gs.OptionError, r"counts are \(27, 27, 27, -1\)"),
        ({"counts": (27, 27, 27, "x")}, gs.OptionError, "counts are"),
        ({"counts": 27}, gs.OptionError, "counts are 27"),
        (
            {"played": ("", "", "")},
            gs.OptionError,
            "played has 3 entries; one for each of the four",
        ),
        (
            {"played": ("S3 S3", "", "", "")},
            gs.HandError,
            "hand and played cards together .*3 copies",
        ),
        ({"played": ("S4 S4", "S4", "", "")}, gs.HandError, "together .*3 copies of S4"),
        ({"passed": (4,)}, gs.OptionError, "passed is 4; seats are"),
        ({"levels": ("2", "1")}, gs.CardParseError, "'1' is not a level"),
        ({"levels": ("2",)}, gs.OptionError, "levels"),
        ({"levels": ("2", "3", "4")}, gs.OptionError, "levels"),
        ({"owner": 2}, gs.OptionError, "owner is 2; teams are 0"),
        ({"rules": "mine"}, gs.RulesError, "'mine' is not a rule preset"),
        ({"history": [(4, "pass")]}, gs.OptionError, "history seat is 4; seats are"),
        ({"history": [(0, "single 5: X5")]}, gs.MoveParseError, "'X5' is not a card"),
        ({"history": ["pass"]}, gs.GuandanError, "history"),
        (
            {"history": HISTORY * 108},
            gs.OptionError,
            "history has 108 plays; a deal has at most 107",
        ),
    ],
)
def test_wrong_arguments(
    arguments: dict[str, Any], error: type[gs.GuandanError], message: str
) -> None:
    with pytest.raises(error, match=message):
        gs.View(**{"hand": "S3 D4"} | arguments)
