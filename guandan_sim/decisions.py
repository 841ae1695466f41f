"""Every real choice of a run with what the seat could see, from the log alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import checking, loop, recording
from . import layout as lay
from .cards import CARD_CODES
from .checks import check_seat
from .errors import OptionError, RunError
from .logparts import logged_sets
from .moves import Move
from .problems import describe, left_over
from .rules import Rules, new_state
from .schemas import WORDS
from .settings import followed_arms
from .steps import PHASES
from .view import View

if TYPE_CHECKING:
    import pandas as pd

    from .runs import Run

__all__ = ["Decisions", "decisions"]

_PHASES = {word: phase for phase, word in PHASES.items() if phase != lay.PHASE_DONE}


@dataclass(frozen=True, eq=False)
class Decisions:
    """Some real choices of a run in the order in which they were made, an array entry each.

    ``set`` int64, ``arm`` uint8 and ``deal`` uint16 say where; ``number`` uint16 is how many real
    choices, of all seats, came before in the deal; ``seat`` uint8 chose. ``phase`` int8 is V_PHASE:
    1 a tribute, 2 a return, 3 a move. ``legal`` int32 is how many options there were, the pass
    among them.

    The choice is ``shape`` and ``rank`` int8 (0 and 0 for a pass, -1 and the card's rank for a
    tribute or return) with the cards in ``one`` and ``two`` int64, as SCHEMA.md says.

    What came of it: ``finish`` uint8[n, 4], the seats in their finishing order, and ``score`` int8,
    the levels that the seat's team gained in the deal, negative if the other team did.

    ``views`` int64[n, VIEW_SIZE], unless left out: what the bot was given, word for word as
    `guandan_sim.layout` says, with the key of its random draws. With moves, row i's options are
    ``moves`` int64[m, 4] (shape, rank, one, two) from ``offsets[i]`` to ``offsets[i + 1]`` (int64[n
    + 1]), in the order of `legal_moves`, and its choice is number ``choice[i]`` (int32) of them.
    """

    set: NDArray[np.int64]
    arm: NDArray[np.uint8]
    deal: NDArray[np.uint16]
    number: NDArray[np.uint16]
    seat: NDArray[np.uint8]
    phase: NDArray[np.int8]
    legal: NDArray[np.int32]
    shape: NDArray[np.int8]
    rank: NDArray[np.int8]
    one: NDArray[np.int64]
    two: NDArray[np.int64]
    finish: NDArray[np.uint8]
    score: NDArray[np.int8]
    views: NDArray[np.int64] | None = None
    moves: NDArray[np.int64] | None = None
    offsets: NDArray[np.int64] | None = None
    choice: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.set)

    def __repr__(self) -> str:
        return f"Decisions({len(self)} rows)"

    def view(self, row: int) -> View:
        """What the seat saw. Raises OptionError if views were left out."""
        if self.views is None:
            raise OptionError("there are no views: ask for decisions with views=True")
        return View.from_words(self.views[row])

    def chosen(self, row: int) -> Move | str:
        """What the seat chose: a `Move`, or the code of the card that it gave or returned."""
        words = (self.shape[row], self.rank[row], self.one[row], self.two[row])
        return _option(*(int(word) for word in words))

    def options(self, row: int) -> list[Move | str]:
        """What it could have chosen: moves, or card codes. Raises OptionError without moves."""
        if self.moves is None or self.offsets is None:
            raise OptionError("there are no moves: ask for decisions with moves=True")
        row = range(len(self))[row]
        first, stop = self.offsets[row : row + 2]
        return [_option(*words) for words in self.moves[first:stop].tolist()]

    def frame(self) -> pd.DataFrame:
        """All but finish, views and moves as a pandas DataFrame; words are categories."""
        import pandas as pd

        names = ("set", "arm", "deal", "number", "seat", "phase", "legal", "shape", "rank")
        columns: dict[str, Any] = {
            name: getattr(self, name) for name in (*names, "one", "two", "score")
        }
        words = {"phase": ("setup", *_PHASES), "shape": WORDS["shape"], "rank": WORDS["rank"]}
        for name, of in words.items():
            # No shape, -1, becomes NaN.
            codes: NDArray[np.int8] = columns[name]
            columns[name] = pd.Categorical.from_codes(codes, pd.Index(of))
        return pd.DataFrame(columns)


def _option(shape: int, rank: int, one: int, two: int) -> Move | str:
    if shape == recording.CARD:
        return CARD_CODES[one.bit_length() - 1]
    return Move.from_words(shape, rank, one, two)


def decisions(
    run: Run,
    *,
    sets: range | int | None = None,
    seats: Iterable[int] | int | None = None,
    phases: Iterable[str] | str | None = None,
    every: int = 1,
    views: bool = True,
    moves: bool = False,
    rows: int = 4096,
) -> Iterator[Decisions]:
    """Every real choice of a run in order, in batches of ``rows``, the last one smaller.

    A choice is real if the loop asks a bot for it: of a tribute or return card among several, of a
    lead, and of a move or a pass where the seat could beat the play. Passes for want of an answer
    are none. Nothing is played again by bots: the log is followed and checked on the way, as
    `verify` does, and the first thing wrong with it raises RunError, which names the place. The log
    must be "plays".

    ``sets`` (a range, or one number) and ``seats`` select; so does ``phases``, of "tribute",
    "return" and "play". ``every`` takes one in so many of what is selected, beginning with the
    first. With ``views`` a row takes 3.3 kB, without 50 bytes; ``moves`` add 40 bytes for each
    option. Two batches' worth of rows is held, and the deals of a part: by default about 60 MB.

    Raises OptionError for arguments out of range and RunError for a run that cannot be followed.

    >>> import tempfile, guandan_sim as gs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = gs.simulate(deals=10, out=folder + "/run", seed=1, workers=1)
    ...     opening = next(run.decisions(sets=3, moves=True))
    >>> opening.views.shape == (len(opening), 403)
    True
    >>> opening.chosen(0) in opening.options(0)
    True
    """
    arms = followed_arms(run.manifest["settings"], run.folder)
    if "plays" not in run.tables:
        raise RunError(f'{run.folder} has no plays to follow; they are kept with log "plays"')
    for name, value in (("every", every), ("rows", rows)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise OptionError(f"{name} is {value!r}; a whole number from 1 on is needed")
    control = np.zeros(recording.CONTROL_SIZE, np.int64)
    control[recording.W_EVERY] = every
    control[recording.W_SKIPPED] = every - 1
    control[recording.W_SEATS] = _seat_mask(seats)
    control[recording.W_PHASES] = _phase_mask(phases)
    return _batches(run, arms, _some_sets(run, sets), control, int(rows), views, moves)


def _seat_mask(seats: Iterable[int] | int | None) -> int:
    if seats is None:
        return 15
    try:
        listed = list(seats) if isinstance(seats, Iterable) else [seats]
        return int(np.bitwise_or.reduce([1 << check_seat(seat, "seats") for seat in listed]))
    except TypeError:
        raise OptionError(f"seats are {seats!r}; name some of 0, 1, 2 and 3") from None


def _phase_mask(phases: Iterable[str] | str | None) -> int:
    if phases is None:
        return 15
    whole = isinstance(phases, str) or not isinstance(phases, Iterable)
    listed: set[Any] = {phases} if whole else set(phases)
    if not listed or not listed <= _PHASES.keys():
        raise OptionError(f"phases are {phases!r}; name some of {', '.join(_PHASES)}")
    return sum(1 << _PHASES[phase] for phase in listed)


def _some_sets(run: Run, sets: range | int | None) -> range:
    count = run.layout.count
    if sets is None:
        return range(count)
    if isinstance(sets, int | np.integer) and not isinstance(sets, bool):
        sets = range(int(sets), int(sets) + 1)
    if not isinstance(sets, range) or sets.step != 1:
        raise OptionError(f"sets are {sets!r}; give a range without steps, or a number")
    if not 0 <= sets.start <= sets.stop <= count:
        raise OptionError(f"sets are {sets!r}; {run.folder} holds 0 to {count - 1}")
    at = sets.start
    for first, stop in run.parts:
        at = stop if first <= at < stop else at
    if at < sets.stop:
        raise RunError(f"set {at} is in a part of {run.folder} that is not written yet")
    return sets


def _batches(
    run: Run,
    arms: Sequence[tuple[Rules, np.ndarray]],
    sets: range,
    control: np.ndarray,
    size: int,
    views: bool,
    moves: bool,
) -> Iterator[Decisions]:
    several = len(arms) > 1
    states = [new_state(rules) for rules, _ in arms]
    view = np.zeros(lay.VIEW_SIZE, np.int64)
    memory = checking.new_memory()
    problem = np.zeros(checking.PROBLEM_SIZE, np.int64)
    buffers = _Buffers(size, views)
    listed = [rules for rules, _ in arms] if moves else None
    for log in logged_sets(run, sets, len(arms)):
        places = np.zeros((len(arms), checking.PLACE_SIZE), np.int64)
        places[:, checking.AT_SET] = log.first
        # The arms of a set come one after the other.
        for stop in range(log.first + 1, log.stop + 1) if several else [log.stop]:
            for arm, (_, arguments) in enumerate(arms):
                of, place, state = log.arms[arm], places[arm], states[arm]
                arguments[loop.A_END] = stop
                while place[checking.AT_SET] < stop:
                    record = (buffers.rows, buffers.seen, view, control)
                    written = int(control[recording.W_ROWS])
                    tables = (of.deals, of.tributes, of.plays, of.matches)
                    if not checking.check_sets(
                        state, arguments, place, *tables, 1, memory, problem, record
                    ):
                        told = arm if several else None
                        number = int(place[checking.AT_SET])
                        raise RunError(describe(run.folder, number, state, problem.tolist(), told))
                    buffers.arms[written : control[recording.W_ROWS]] = arm
                    yield from buffers.batches(control, listed)
        for arm, (of, place) in enumerate(zip(log.arms, places, strict=True)):
            left = (of.deals[:, 0], of.tributes[:, 0], (), of.matches[:, 0])
            for text in left_over(run.folder, place, left, arm if several else None):
                raise RunError(text)
    if written := int(control[recording.W_ROWS]):
        yield _batch(buffers, 0, written, listed)


class _Buffers:
    """Memory for a batch of ``size`` rows and the rest of the deal that it ends in."""

    def __init__(self, size: int, views: bool) -> None:
        self._size = size
        self._views = views
        self._renew()

    def _renew(self) -> None:
        """New memory; batches that were given keep the old."""
        room = self._size + recording.MOST_CHOICES
        self.rows = np.zeros((room, recording.RECORD_WIDTH), np.int64)
        self.seen = np.zeros((room if self._views else 0, lay.VIEW_SIZE), np.int64)
        self.arms = np.zeros(room, np.uint8)

    def batches(self, control: np.ndarray, rules: Sequence[Rules] | None) -> Iterator[Decisions]:
        """The whole batches that are written; what is left of the rows begins the next."""
        written = int(control[recording.W_ROWS])
        whole = written - written % self._size
        for first in range(0, whole, self._size):
            yield _batch(self, first, first + self._size, rules)
        if whole:
            control[recording.W_ROWS] = written - whole
            rows, seen, arms = self.rows, self.seen, self.arms
            self._renew()
            self.rows[: written - whole] = rows[whole:written]
            self.seen[: written - whole] = seen[whole:written]
            self.arms[: written - whole] = arms[whole:written]


def _batch(buffers: _Buffers, first: int, stop: int, rules: Sequence[Rules] | None) -> Decisions:
    """A batch of these rows, with moves if there are ``rules``, by arm."""
    views = buffers.seen[first:stop] if len(buffers.seen) else None
    rows, arm = buffers.rows[first:stop], buffers.arms[first:stop]
    columns: dict[str, Any] = {
        name: rows[:, at].astype(kind)
        for name, at, kind in (
            ("set", recording.R_SET, np.int64),
            ("deal", recording.R_DEAL, np.uint16),
            ("number", recording.R_NUMBER, np.uint16),
            ("seat", recording.R_SEAT, np.uint8),
            ("phase", recording.R_PHASE, np.int8),
            ("legal", recording.R_LEGAL, np.int32),
            ("shape", recording.R_SHAPE, np.int8),
            ("rank", recording.R_RANK, np.int8),
            ("one", recording.R_ONE, np.int64),
            ("two", recording.R_TWO, np.int64),
            ("score", recording.R_SCORE, np.int8),
        )
    }
    finish = rows[:, recording.R_FINISH : recording.R_FINISH + 4].astype(np.uint8)
    listed = _list(rows, arm, rules) if rules is not None else {}
    return Decisions(arm=arm, finish=finish, views=views, **columns, **listed)


def _list(rows: np.ndarray, arms: np.ndarray, rules: Sequence[Rules]) -> dict[str, Any]:
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(rows[:, recording.R_LEGAL], out=offsets[1:])
    moves = np.empty((offsets[-1], 4), np.int64)
    keys = np.empty(offsets[-1], np.int64)
    choice = np.empty(len(rows), np.int64)
    # Rows of the same rules that follow each other are listed at once.
    switches = np.array([(of.max_bomb, int(of.full_house_joker_pair)) for of in rules])[arms]
    cuts = np.flatnonzero((switches[1:] != switches[:-1]).any(axis=1)) + 1
    for some in np.split(np.arange(len(rows)), cuts):
        at = slice(some[0], some[-1] + 1)
        max_bomb, joker_pair = switches[some[0]].tolist()
        some_offsets = offsets[at.start : at.stop + 1]
        recording.list_options(
            rows[at], max_bomb, joker_pair, some_offsets, moves, keys, choice[at]
        )
    return {"moves": moves, "offsets": offsets, "choice": choice.astype(np.int32)}
