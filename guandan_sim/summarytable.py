"""The summary of a simulation as a table: no mean or share without its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rich.box import SIMPLE
from rich.table import Table

from . import intervals

__all__ = ["Z95", "mean_interval", "ratio_interval", "summary_table", "wilson"]

#: Standard errors in a two-sided 95% interval.
Z95 = 1.959963984540054


def wilson(successes: int, n: int) -> tuple[float, float]:
    """The 95% score interval of a share from ``n`` independent trials; (0, 1) for none.

    Source: E. B. Wilson, J. Am. Stat. Assoc. 22 (1927) 209. Raises ValueError unless
    0 <= successes <= n.

    >>> [round(bound, 4) for bound in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}: a number from 0 to {n} is possible")
    return intervals.wilson(successes / n if n else 0.0, n, Z95)


def mean_interval(total: int, squares: int, n: int) -> tuple[float, float, float] | None:
    """(mean, low, high): the mean of ``n`` whole numbers with its 95% normal interval.

    ``total`` is their sum, ``squares`` that of their squares. None for fewer than two.

    >>> [round(value, 3) for value in mean_interval(6, 14, 3)]
    [2.0, 0.868, 3.132]
    """
    if n < 2:
        return None
    mean = total / n
    # Whole numbers up to the division: a difference of large floats would lose its digits.
    variance = (n * squares - total**2) / (n * (n - 1))
    margin = Z95 * math.sqrt(variance / n)
    return mean, mean - margin, mean + margin


def ratio_interval(summary: Mapping[str, Any]) -> tuple[float, float, float] | None:
    """(share, low, high): sweeps of all deals, with a 95% interval that takes matches as the units.

    The deals of a match go together, since the level and the tribute follow from the deal before:
    the variance is that of the ratio of two sums over matches. None for fewer than two matches.
    Source: W. G. Cochran, Sampling Techniques, 3rd ed., section 6.3.
    """
    n, deals = summary["matches"], summary["deals"]
    if n < 2:
        return None
    share = summary["sweeps"] / deals
    residuals = (
        summary["sweeps_sum_of_squares"]
        - 2 * share * summary["sweeps_times_deals"]
        + share**2 * summary["match_deals_sum_of_squares"]
    )
    margin = Z95 * math.sqrt(max(residuals, 0.0) * n / (n - 1)) / deals
    return share, share - margin, share + margin


def _share(part: int, whole: int) -> str:
    """``part`` of ``whole`` in percent with its interval."""
    if whole == 0:
        return "-"
    low, high = wilson(part, whole)
    return f"{part / whole:.2%}  [{low:.2%}, {high:.2%}]"


def summary_table(
    summary: Mapping[str, Any], bots: tuple[str, ...] | list[str], *, title: str = ""
) -> Table:
    """A rich table of a run's summary (``manifest["summary"]``); ``bots`` are the names by seat.

    Shares and means stand with their 95% interval. Wins are of matches, or of deals where deals
    are independent; a match without a winner is a win of neither team. The interval of sweeps takes
    matches as its units. That of cancelled tributes may take deals, whose packs know no past.
    """
    whole = summary["kind"] == "matches"
    deals, matches, plays = summary["deals"], summary["matches"], summary["plays"]
    table = Table(box=SIMPLE, show_header=False, title=title or None, title_justify="left")
    table.add_column(style="bold", no_wrap=True)
    table.add_column(no_wrap=True)
    if whole:
        table.add_row("matches", f"{matches:,}")
    table.add_row("deals", f"{deals:,}")
    table.add_row("plays", f"{plays:,}")
    rate = summary.get("deals_per_second")
    if rate:
        table.add_row("deals/s", f"{rate:,.0f}  ({summary['seconds']:.1f} s)")
    if whole:
        found = mean_interval(deals, summary["match_deals_sum_of_squares"], matches)
        if found:
            table.add_row("deals a match", "{:.2f}  [{:.2f}, {:.2f}]".format(*found))
    unit, number = ("matches", matches) if whole else ("deals", deals)
    for team in range(2):
        pair = dict.fromkeys((bots[team], bots[team + 2]))
        table.add_row(
            f"{unit} won by team {team} ({', '.join(pair)})", _share(summary["wins"][team], number)
        )
    if whole and summary["truncated"]:
        table.add_row("matches cut off, no winner", _share(summary["truncated"], matches))
    if whole and summary["resets"]:
        table.add_row(
            "matches with a reset to level 2", _share(summary["matches_with_resets"], matches)
        )
    of_matches = ratio_interval(summary) if whole else None
    table.add_row(
        "sweeps (double wins), of deals",
        "{:.2%}  [{:.2%}, {:.2%}]".format(*of_matches)
        if of_matches
        else _share(summary["sweeps"], deals),
    )
    due, cancelled = summary["tributes"], summary["cancelled"]
    for kind in ("single", "double"):
        if due[kind]:
            off = cancelled[kind]
            table.add_row(f"{kind} tributes paid", f"{due[kind] - off:,}")
            table.add_row(f"{kind} tributes cancelled", f"{off:,}: {_share(off, due[kind])}")
    return table
