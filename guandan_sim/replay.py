"""One deal of a run, or of a seed, as readable text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from . import checking, loop
from . import layout as lay
from .arms import arm_settings
from .bots import BotName, bots_by_seat
from .cards import CARD_CODES, parse_level
from .checks import check_seed, pack_order
from .columns import to_columns
from .deal import clear_deal, set_hands, start_play
from .errors import NoSuchSetError, RunError, printable
from .logrows import MOST_OF_PLAYS, deal_rows, play_rows, tribute_rows
from .match import start_single_deal
from .playing import Player
from .rulebook import settle
from .rulefiles import RulesName, resolve_rules
from .rules import Rules, new_state
from .runs import Run
from .schemas import TABLES
from .settings import played_rules
from .transcript import transcript
from .tribute import start_tribute, tribute_due

__all__ = ["replay_run", "replay_seed"]

_CARDS = sum(1 << number for number in CARD_CODES)


def replay_run(
    run: Run, set_number: int, deal: int | None = None, arm: int = 0, thinking: bool = False
) -> str:
    """The deals of one set of a run in an arm, or one of them, told from the log alone;
    ``thinking``: with what `planner` thinks of each decision.

    Raises `RunError` if the run has no such set, arm or deal, no plays, or a log that cannot be
    followed.
    """
    try:
        arms = arm_settings(run.manifest["settings"])
    except RunError as error:
        raise RunError(f"{run.folder}: the manifest's settings cannot be read: {error}") from error
    if not 0 <= arm < len(arms):
        raise NoSuchSetError(f"{run.folder} has no arm {arm}; it has arms 0 to {len(arms) - 1}")
    settings = arms[arm]
    try:
        rules = played_rules(settings, run.folder)
        names = [printable(str(settings["bots"][seat]["name"])) for seat in range(4)]
    except (LookupError, TypeError) as error:
        raise RunError(
            f"{run.folder}: the manifest's settings cannot be read: {error!r}"
        ) from error
    told = f"{arm} ({printable(str(settings['name']))})" if "name" in settings else str(arm)
    rows = run.set_rows("deals", set_number, arm)
    numbers = rows.column("deal").to_pylist()
    deals = deal_rows(to_columns(TABLES["deals"], rows.select(TABLES["deals"].names)))
    if numbers != list(range(len(deals))) or not all(map(_can_be, deals)):
        raise _not_followed(run, set_number, arm, "")
    if deal is not None and deal not in numbers:
        raise NoSuchSetError(
            f"set {set_number} of {run.folder} has no deal {deal}; "
            f"it has deals 0 to {len(numbers) - 1}"
        )
    texts = [
        transcript(
            _state_from_log(run, set_number, arm, number, rules, rows),
            names,
            told if len(arms) > 1 else None,
            thinking,
        )
        for number in (numbers if deal is None else [deal])
    ]
    return "\n\n".join(texts)


def replay_seed(
    seed: int,
    number: int,
    bots: BotName | Sequence[BotName] = "random",
    rules: RulesName = "guide",
    level: str | None = None,
    previous_order: str | Sequence[int] | None = None,
    thinking: bool = False,
) -> str:
    """Independent deal ``number`` of a run with that seed, played again by its bots; arguments as
    in `simulate`. ``thinking`` as for `replay_run`.
    """
    by_seat = bots_by_seat(bots)
    system = resolve_rules(rules)
    state = new_state(system)
    drawn = previous_order == "random"
    start_single_deal(
        state,
        check_seed(seed),
        check_seed(number, "number"),
        0 if level is None else parse_level(system.level_within(level)),
        -1 if previous_order is None or drawn else pack_order(previous_order),
        int(drawn),
    )
    Player(by_seat).play_out(state)
    return transcript(state, [bot.name for bot in by_seat], thinking=thinking)


def _state_from_log(
    run: Run, set_number: int, arm: int, deal: int, rules: Rules, deals: pa.Table
) -> np.ndarray:
    """The state at the end of a logged deal, made by following the log; nothing is drawn."""
    names = TABLES["deals"].names
    row = deal_rows(to_columns(TABLES["deals"], deals.slice(deal, 1).select(names)))[0]
    state = new_state(rules)
    state[lay.S_WINNER] = -1
    clear_deal(state)
    state[lay.S_SET] = set_number
    state[lay.V_DEAL] = deal
    checking.restore_deal(state, row)
    state[lay.V_FAILURES : lay.V_FAILURES + 2] = _failures_before(deals, deal, rules)
    set_hands(state)
    tribute_due(state)
    problem = np.zeros(checking.PROBLEM_SIZE, np.int64)
    if state[lay.V_TRIBUTE]:
        start_tribute(state)
        gifts = _rows_of_deal(run, "tributes", set_number, arm, deal)
        found = checking.follow_tributes(
            state, tribute_rows(to_columns(TABLES["tributes"], gifts)), 0, len(gifts), problem, None
        )
    else:
        start_play(state, int(state[lay.V_LEADER]))
        found = 0
    if found >= 0:
        plays = _rows_of_deal(run, "plays", set_number, arm, deal)
        for name, most in MOST_OF_PLAYS:
            if max(plays.column(name).to_pylist(), default=0) > most:
                raise _not_followed(run, set_number, arm, f", deal {deal}")
        found = checking.follow_plays(
            state, play_rows(to_columns(TABLES["plays"], plays)), 0, len(plays), problem, None
        )
    if found < 0:
        raise _not_followed(run, set_number, arm, f", deal {deal}")
    return state


def _not_followed(run: Run, set_number: int, arm: int, deal: str) -> RunError:
    return RunError(
        f"set {set_number}{f', arm {arm}' if arm else ''}{deal} of {run.folder} cannot be "
        "followed; `guandan-sim verify` says what is wrong"
    )


def _can_be(row: np.ndarray) -> bool:
    """Whether the row of a deal has seats, teams and hands: what is taken from it as it is."""
    hands = row[loop.D_HANDS : loop.D_HANDS + 8].reshape(4, 2).tolist()
    return (
        0 <= row[loop.D_OWNER] <= 1
        and 0 <= row[loop.D_LEADER] <= 3
        and sorted(row[loop.D_FINISH : loop.D_FINISH + 4].tolist()) == [0, 1, 2, 3]
        and all(
            one >= 0
            and one & ~_CARDS == 0
            and two & ~one == 0
            and (one.bit_count() + two.bit_count()) == 27
            for one, two in hands
        )
    )


def _failures_before(deals: pa.Table, deal: int, rules: Rules) -> tuple[int, int]:
    """The teams' failures at the top when that deal of a match began, from the deals before it."""
    failures = (0, 0)
    last: tuple[int, ...] = ()
    for row in deals.slice(0, deal).to_pylist():
        order = [row[place] for place in ("first", "second", "third", "last")]
        levels = (row["level0"], row["level1"])
        failures = settle(order, levels, row["owner"], failures, last, rules).failures
        last = tuple(order[2:] if order[0] ^ order[1] == 2 else order[3:])
    return failures


def _rows_of_deal(run: Run, table: str, set_number: int, arm: int, deal: int) -> pa.Table:
    rows = run.set_rows(table, set_number, arm)
    numbers = rows.column("deal").to_numpy()
    first, stop = np.searchsorted(numbers, deal), np.searchsorted(numbers, deal, side="right")
    return rows.slice(first, stop - first)
