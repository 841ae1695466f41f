"""What an arena found, to be read, printed, and written as JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .elo import elo_of_wins
from .errors import OptionError
from .estimates import cell_lines, estimate_lines
from .intervals import UNKNOWN, Interval, bounds, share_interval, student_quantile
from .matchpairs import MatchComparison
from .paired import OUTCOMES, Comparison
from .ratings import Ratings
from .sprt import SprtState

if TYPE_CHECKING:
    from .runs import Run

__all__ = ["ArenaResult", "Meeting", "deals_in_matches"]

_MOST_GAIN = 4

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Meeting:
    """Two teams that met: ``deals`` and, where whole matches were played, ``matches``, both of
    ``first`` against ``second``.
    """

    first: str
    second: str
    deals: Comparison
    matches: MatchComparison | None

    def as_dict(self) -> dict[str, Any]:
        """All figures by name, for JSON. ``elo`` is that of matches where these were played."""
        figures = self.deals.as_dict()
        if self.matches is None:
            return figures | {"match_win_rate": None}
        of_matches = self.matches.as_dict()
        for name in ("elo", "elo_se", "elo_interval"):
            figures[name] = of_matches[f"match_{name}"]
        for name in ("sets", "exactly_level", "confidence"):
            del of_matches[name]
        return figures | of_matches

    def text(self) -> str:
        """Lines to be read; no mean stands without its interval."""
        deals, names = self.deals, (self.first, self.second)
        if self.matches is None:
            return deals.text(*names)
        rows = [
            ("levels a deal", deals.mean_gain, deals.se, deals.interval, "+.3f", 1.0),
            (
                "deals won, %",
                deals.win_rate,
                deals.win_rate_se,
                deals.win_rate_interval,
                ".2f",
                100.0,
            ),
        ]
        lines = [self.matches.text(*names), "", f"their {deals.deals:,} deals"]
        return "\n".join(lines + estimate_lines(rows, deals.confidence))


@dataclass(frozen=True)
class ArenaResult:
    """What an arena found; printed, it is a table.

    teams: their names. kind: "deals" or "matches". sets: sets of deals, or of matches, played by
    all; arms: how often each. meetings: every two teams, in their order; with more than two
    their intervals hold together. ratings: of more than two, else None. test: where a sequential
    test stands, None without one. run: the run on disk, None if nothing was written.

    Of two teams, the first against the second: deals, mean_gain, se, interval, outcomes, win_rate,
    win_rate_interval, variance_saved, elo, elo_interval, exactly_level, as in `paired.Comparison`;
    of whole matches match_win_rate and match_win_rate_interval, else None, and elo is theirs.
    """

    teams: tuple[str, ...]
    kind: str
    sets: int
    arms: int
    meetings: tuple[Meeting, ...]
    ratings: Ratings | None
    test: SprtState | None
    run: Run | None

    @property
    def _meeting(self) -> Meeting:
        if len(self.meetings) > 1:
            raise OptionError(
                f"{len(self.teams)} teams met: see ratings, and meetings for each two"
            )
        return self.meetings[0]

    @property
    def deals(self) -> int:
        """Deals played, of all arms."""
        return sum(meeting.deals.deals for meeting in self.meetings)

    @property
    def mean_gain(self) -> float:
        """Levels gained a deal; those of the second count against the first."""
        return self._meeting.deals.mean_gain

    @property
    def se(self) -> float:
        """The standard error of ``mean_gain``, clustered by set."""
        return self._meeting.deals.se

    @property
    def interval(self) -> Interval:
        """The 95% interval of ``mean_gain``."""
        return self._meeting.deals.interval

    @property
    def outcomes(self) -> dict[str, int]:
        """Deals by outcome, see `paired.OUTCOMES`; A is the first."""
        return self._meeting.deals.outcomes

    @property
    def win_rate(self) -> float:
        """The share of deals won."""
        return self._meeting.deals.win_rate

    @property
    def win_rate_interval(self) -> Interval:
        """The 95% interval of ``win_rate``."""
        return self._meeting.deals.win_rate_interval

    @property
    def variance_saved(self) -> float:
        """The share of the variance of ``mean_gain`` that playing the same deals saves."""
        return self._meeting.deals.variance_saved

    @property
    def exactly_level(self) -> bool:
        """Whether in every set both did exactly the same."""
        return self._meeting.deals.exactly_level

    @property
    def match_win_rate(self) -> float | None:
        """The share of matches won; None where none were played."""
        matches = self._meeting.matches
        return None if matches is None else matches.match_win_rate

    @property
    def match_win_rate_interval(self) -> Interval | None:
        """The 95% interval of ``match_win_rate``."""
        matches = self._meeting.matches
        return None if matches is None else matches.match_win_rate_interval

    @property
    def elo(self) -> float:
        """The Elo difference of the share of matches won, or of deals."""
        meeting = self._meeting
        return meeting.deals.elo if meeting.matches is None else meeting.matches.match_elo

    @property
    def elo_interval(self) -> Interval:
        """The 95% interval of ``elo``."""
        meeting = self._meeting
        if meeting.matches is None:
            return meeting.deals.elo_interval
        return meeting.matches.match_elo_interval

    def as_dict(self) -> dict[str, Any]:
        """All figures by name, for JSON; of more than two teams by meeting, and their ratings."""
        found: dict[str, Any] = {
            "teams": list(self.teams),
            "kind": self.kind,
            "arms": self.arms,
            "sprt": None if self.test is None else self.test.as_dict(),
        }
        if len(self.meetings) == 1:
            return found | self._meeting.as_dict() | {"sets": self.sets}
        found |= {"sets": self.sets, "deals": self.deals}
        found["meetings"] = [
            {"first": meeting.first, "second": meeting.second} | meeting.as_dict()
            for meeting in self.meetings
        ]
        found["ratings"] = None if self.ratings is None else self.ratings.as_dict()
        return found

    def __str__(self) -> str:
        lines = []
        if self.ratings is None:
            lines.append(self._meeting.text())
        else:
            lines += [str(self.ratings), "", *self._gains()]
        if self.test is not None:
            lines += ["", str(self.test)]
            if self.test.verdict != "continue":
                lines.append("The test chose when to stop: the intervals above are too narrow.")
        return "\n".join(lines)

    def _gains(self) -> list[str]:
        unit = "matches won, %" if self.kind == "matches" else "deals won, %"
        cells = [("", "levels a deal", "interval", unit, "interval")]
        for meeting in self.meetings:
            deals, of = meeting.deals, meeting.matches
            rate, interval = (
                (deals.win_rate, deals.win_rate_interval)
                if of is None
                else (of.match_win_rate, of.match_win_rate_interval)
            )
            cells.append(
                (
                    f"{meeting.first} against {meeting.second}",
                    f"{deals.mean_gain:+.3f}",
                    "[{:+.3f}, {:+.3f}]".format(*deals.interval),
                    f"{100 * rate:.2f}",
                    "[{:.2f}, {:.2f}]".format(*(100 * bound for bound in interval)),
                )
            )
        return cell_lines(cells)


def deals_in_matches(
    sets: Ints,
    arms: Ints,  # noqa: ARG001
    won: Ints,
    place: Ints,
    gain: Ints,
    confidence: float,
    level: bool,
) -> Comparison:
    """The deals of matches as `paired.compare` has those of sets, whose arguments these are, but
    for as many deals a set as there happen to be.

    Means are of deals, with the error of a ratio of two sums over sets (Cochran, Sampling
    Techniques, section 6.3). Duplication saves nothing that could be told, since after the first
    deal the arms of a match are no longer alike. ``level``: in every set both did the same.
    """
    _, index = np.unique(sets, return_inverse=True)
    number, deals = int(index[-1]) + 1, len(sets)
    per_set = np.bincount(index)
    (mean, se), (rate, rate_se) = (
        _ratio(np.bincount(index, weights=values).astype(np.float64), per_set)
        for values in (gain, won)
    )
    margin = student_quantile(confidence, max(number - 1, 1)) * se
    interval = (mean - margin, mean + margin)
    if se == 0 and not level:
        top = max(_MOST_GAIN, int(abs(gain).max()))
        interval = bounds(mean, -top, top, number, confidence)
    rate_interval = share_interval(rate, rate_se, number, confidence, level=level)
    elo, elo_se, elo_interval = elo_of_wins(rate, rate_se, rate_interval, number)
    counts = np.bincount(np.where(won == 1, place - 1, 6 - place), minlength=len(OUTCOMES))
    return Comparison(
        sets=number,
        deals=deals,
        mean_gain=mean,
        se=se,
        interval=interval,
        outcomes=dict(zip(OUTCOMES, counts.tolist(), strict=True)),
        win_rate=rate,
        win_rate_se=rate_se,
        win_rate_interval=rate_interval,
        variance_saved=math.nan,
        variance_saved_interval=UNKNOWN,
        elo=elo,
        elo_se=elo_se,
        elo_interval=elo_interval,
        exactly_level=level,
        alike=number > 1 and se == 0,
        confidence=confidence,
    )


def _ratio(sums: NDArray[np.float64], deals: NDArray[np.int64]) -> tuple[float, float]:
    """(sum of ``sums`` a deal, its error over sets); the error of one set is nan."""
    number, total = len(deals), int(deals.sum())
    ratio = float(sums.sum()) / total
    if number < 2:
        return ratio, math.nan
    # Whole numbers, so that sets all alike give exactly 0.
    if not (sums * total - deals * sums.sum()).any():
        return ratio, 0.0
    residuals = sums - ratio * deals
    return ratio, math.sqrt(number / (number - 1) * float((residuals**2).sum())) / total
