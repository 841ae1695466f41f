"""Figures of a report's tables, as SVG that stands in a page and takes its colours and font.

They are drawn by matplotlib, which is imported here and nowhere else, without any window or state
of its own. A figure is as wide as a phone.
"""

from __future__ import annotations

import io
import math
import re
import statistics
import textwrap
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .answers.ratios import Estimate
from .answers.statistic import Measure
from .errors import OptionError, printable
from .pagesvg import GRID, SERIES, TEXT, for_page

if TYPE_CHECKING:
    from .answers.tables import StatTable

__all__ = ["Drawing", "axis_range", "check_matplotlib", "drawing"]

# Inches. A letter of the labels is about so wide.
_WIDTH, _TOP, _BELOW, _GAP, _RIGHT = 3.7, 0.1, 0.27, 0.28, 0.14
_LETTER, _LINE, _ROW = 0.072, 0.15, 0.21
_SIZE = 9

_SIGNED = ("levels", "points")
_MARKERS = "os^Dvp"
_OF_KIND = {"share": "%", "points": "percentage points", "levels": "levels", "number": "number"}


@dataclass(frozen=True)
class Drawing:
    """A figure: its ``svg``, and ``notes`` that say how to read it."""

    svg: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Span:
    """A row of a panel in the numbers that are shown; nan for what is unknown."""

    value: float
    low: float
    high: float

    @property
    def known(self) -> bool:
        return self.low == self.low and self.high == self.high

    @property
    def ends(self) -> tuple[float, ...]:
        return (self.value, self.low, self.high) if self.known else (self.value,)


def check_matplotlib() -> None:
    """Raise OptionError unless matplotlib is there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise OptionError("figures need matplotlib: pip install 'guandan-sim[report]'") from error


def axis_range(
    spans: Sequence[tuple[float, float, float]],
    *,
    begin: float | None = None,
    marks: Sequence[float] = (),
) -> tuple[float, float]:
    """The ends of an axis for rows of (value, low, high), so that unsure rows do not squash the
    others. An interval counts if it is at most four times as wide as the median one, or if it takes
    no more than half of the axis. Of ``marks`` those are taken in that leave a third of the axis to
    the rows. ``begin`` is on the axis in any case.

    >>> axis_range([(50.0, 49.0, 51.0), (52.0, 51.0, 53.0), (60.0, 5.0, 95.0)])
    (49.0, 53.0)
    """
    known = sorted((high - low, low, high) for _, low, high in spans if low == low and high == high)
    ends = [] if begin is None else [begin]
    if known:
        enough = 4 * statistics.median_low(width for width, _, _ in known)
        for width, low, high in known:
            span = max(*ends, high) - min(*ends, low) if ends else width
            if width <= enough or width <= span / 2:
                ends += [low, high]
    else:
        ends += [value for value, _, _ in spans if value == value]
    low, high = (min(ends), max(ends)) if ends else (0.0, 0.0)
    for mark in marks:
        if max(high, mark) - min(low, mark) <= 3 * (high - low):
            low, high = min(low, mark), max(high, mark)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def drawing(table: StatTable, prefix: str = "f") -> Drawing | None:
    """The figure of a table, or None if it has none. ``prefix`` begins every id in it, so that
    several can stand in a page.

    Raises OptionError without matplotlib.
    """
    used = [
        at for at in range(len(table.measures)) if any(_shown(row.cells[at]) for row in table.rows)
    ]
    if not table.figure or not used:
        return None
    check_matplotlib()
    import matplotlib.style
    from matplotlib.figure import Figure

    own = {
        "axes.edgecolor": GRID,
        "axes.labelcolor": TEXT,
        "font.size": _SIZE,
        "svg.fonttype": "none",
        "svg.hashsalt": "guandan-sim",
        "text.color": TEXT,
        "text.parse_math": False,
        "xtick.color": GRID,
        "xtick.labelcolor": TEXT,
        "ytick.color": GRID,
        "ytick.labelcolor": TEXT,
    }
    with matplotlib.style.context(["default", own]), warnings.catch_warnings():
        # Its own font only measures texts; the page's has the glyph.
        warnings.filterwarnings("ignore", r"Glyph .* missing from font", UserWarning)
        figure = Figure(frameon=False)
        notes = (_lines if table.figure == "line" else _bars)(figure, table, used)
        text = io.StringIO()
        figure.savefig(text, format="svg")
    return Drawing(for_page(text.getvalue(), table.title, prefix), tuple(notes))


def _shown(cell: Estimate) -> bool:
    return not math.isnan(cell.value)


def _span(cell: Estimate, measure: Measure) -> _Span:
    _, factor = measure.form
    low, high = cell.interval
    return _Span(cell.value * factor, low * factor, high * factor)


def _even(measure: Measure) -> float | None:
    """Where two sides are equal: the value that is marked on its axis."""
    if measure.kind in _SIGNED:
        return 0.0
    return 50.0 if re.search(r"(^|: )won\b", measure.name) else None


def _axes(figure: Any, left: float, top: float, width: float, height: float) -> Any:
    """Axes at a place in inches from the figure's upper left corner, with nothing but a grid."""
    whole_width, whole_height = figure.get_size_inches()
    axes = figure.add_axes(
        (
            left / whole_width,
            1 - (top + height) / whole_height,
            width / whole_width,
            height / whole_height,
        )
    )
    axes.set_frame_on(False)
    axes.tick_params(length=0, pad=4, labelsize=_SIZE)
    return axes


def _number(value: float, signed: bool) -> str:
    text = f"{value:+.6g}" if signed and abs(value) > 1e-9 else f"{value:.6g}"
    return "0" if float(text) == 0 else text


def _ticks(axis: Any, low: float, high: float, signed: bool, inches: float) -> None:
    """A grid with as many numbers as fit into so many inches of the axis, four at most."""
    from matplotlib.ticker import MaxNLocator

    for most in (4, 3, 2, 1):
        places = MaxNLocator(most, steps=[1, 2, 5, 10]).tick_values(low, high)
        kept = [float(place) for place in places if low <= place <= high]
        texts = [_number(place, signed) for place in kept]
        needed = max(map(len, texts), default=0) * _LETTER + 0.1
        if len(kept) < 2 or needed <= inches * (kept[1] - kept[0]) / (high - low):
            break
    axis.set_ticks(kept, texts)
    axis.grid(True, color=GRID, linewidth=0.7, clip_on=False)


def _bars(figure: Any, table: StatTable, used: Sequence[int]) -> list[str]:
    """A panel a measure, two beside each other: bars from 0, or points where a value has a sign."""
    letters = 18 if all(len(row.label) <= 18 for row in table.rows) else 15
    labels = [textwrap.fill(printable(row.label), letters) for row in table.rows]
    longest = max(len(line) for label in labels for line in label.split("\n"))
    deep = max(label.count("\n") for label in labels)
    left = longest * _LETTER + 0.16
    across = min(len(used), 2)
    width = (_WIDTH - left - _RIGHT - _GAP * (across - 1)) / across
    headings = [textwrap.wrap(table.measures[at].heading, int(width / _LETTER)) for at in used]
    height = len(labels) * (_ROW + deep * 0.13)
    depths = [
        max(len(lines) for lines in headings[begin : begin + across])
        for begin in range(0, len(used), across)
    ]
    figure.set_size_inches(_WIDTH, sum(_TOP + lines * _LINE + height + _BELOW for lines in depths))
    top, notes = 0.0, []
    for place, at in enumerate(used):
        column = place % across
        depth = depths[place // across]
        if column == 0 and place:
            top += _TOP + depths[place // across - 1] * _LINE + height + _BELOW
        axes = _axes(
            figure, left + column * (width + _GAP), top + _TOP + depth * _LINE, width, height
        )
        axes.set_title("\n".join(headings[place]), loc="left", fontsize=_SIZE, pad=4)
        axes.set_ylim(len(labels) - 0.5, -0.5)
        axes.set_yticks(())
        if column == 0:
            _name_rows(axes, labels)
        measure = table.measures[at]
        exact = [row.exact for row in table.rows] if at == 0 else [None] * len(table.rows)
        spans = [_span(row.cells[at], measure) for row in table.rows]
        notes += _panel(axes, measure, spans, exact)
        low, high = axes.get_xlim()
        _ticks(axes.xaxis, low, high, measure.kind in _SIGNED, width)
    if "dashed: 0" in notes and "dashed: 50%" in notes:
        notes = ["dashed: 50% or 0", *(note for note in notes if not note.startswith("dashed"))]
    return list(dict.fromkeys(notes))


def _name_rows(axes: Any, labels: Sequence[str]) -> None:
    """Write labels at the left, each line a text of its own that ends where the others end."""
    for at, label in enumerate(labels):
        lines = label.split("\n")
        for number, line in enumerate(lines):
            down = (number - (len(lines) - 1) / 2) * 0.13 * 72
            axes.annotate(
                line,
                (0, at),
                (-5, -down),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                ha="right",
                va="center_baseline",
                annotation_clip=False,
            )


def _panel(
    axes: Any, measure: Measure, spans: Sequence[_Span], exact: Sequence[float | None]
) -> list[str]:
    """One measure of all rows; says what there is to explain."""
    even = _even(measure)
    _, factor = measure.form
    ticks = [(at, chance * factor) for at, chance in enumerate(exact) if chance is not None]
    marks = [chance for _, chance in ticks]
    rows = [(span.value, span.low, span.high) for span in spans]
    if even is None:
        low, high = axis_range(rows, begin=0.0, marks=marks)
        low, high = 1.04 * low, 1.04 * high
    else:
        low, high = _wider(*axis_range(rows, marks=[*marks, even]), 0.05)
    axes.set_xlim(low, high)
    notes = []
    if even is not None and low <= even <= high:
        axes.axvline(even, color=TEXT, linewidth=0.9, dashes=(3, 2), alpha=0.7, clip_on=False)
        notes.append("dashed: 0" if measure.kind in _SIGNED else "dashed: 50%")
    seen = [(at, span) for at, span in enumerate(spans) if span.value == span.value]
    if even is None:
        ats, values = [at for at, _ in seen], [min(span.value, high) for _, span in seen]
        style = {"alpha": 0.35, "linewidth": 0, "clip_on": False}
        axes.barh(ats, values, height=0.56, color=SERIES[0], **style)
    else:
        dots = [(span.value, at) for at, span in seen if low <= span.value <= high]
        _points(axes, dots, "o", 4.2, SERIES[0])
    whiskers = [
        (at, max(span.low, low), min(span.high, high))
        for at, span in seen
        if span.known and span.low <= high and span.high >= low
    ]
    if whiskers:
        axes.hlines(*zip(*whiskers, strict=True), SERIES[0], linewidth=1.4, clip_on=False)
    before = [(low, at) for at, span in seen if min(span.ends) < low]
    behind = [(high, at) for at, span in seen if max(span.ends) > high]
    _points(axes, before, "<", 4.5, SERIES[0])
    _points(axes, behind, ">", 4.5, SERIES[0])
    if before or behind:
        notes.append("arrows: on beyond the axis")
    inside = [(chance, at) for at, chance in ticks if low <= chance <= high]
    _points(axes, inside, "|", 11, SERIES[1])
    if inside:
        notes.append("upright ticks: exact by the rules")
    return notes


def _points(
    axes: Any, points: Sequence[tuple[float, int]], marker: str, size: float, colour: str
) -> None:
    if points:
        style = {"markersize": size, "markeredgewidth": 1.8 if marker == "|" else 0.0}
        axes.plot(
            *zip(*points, strict=True),
            marker,
            color=colour,
            clip_on=False,
            zorder=3,
            **style,
        )


def _wider(low: float, high: float, share: float) -> tuple[float, float]:
    return low - share * (high - low), high + share * (high - low)


def _lines(figure: Any, table: StatTable, used: Sequence[int]) -> list[str]:
    """Rows from left to right, and a line with its band for each measure; a panel a kind."""
    kinds = list(dict.fromkeys(table.measures[at].kind for at in used))
    names = {at: table.measures[at].name for at in used}
    right = max(map(len, names.values())) * _LETTER + 0.2
    left, head, below = 0.45, 0.3, 0.4
    height = 2.3
    figure.set_size_inches(_WIDTH, len(kinds) * (head + height + below))
    xs = range(len(table.rows))
    for place, kind in enumerate(kinds):
        top = place * (head + height + below) + head
        axes = _axes(figure, left, top, _WIDTH - left - right, height)
        axes.set_title(_OF_KIND[kind], loc="left", fontsize=_SIZE, pad=5)
        axes.set_xlim(-0.4, len(table.rows) - 0.6)
        axes.set_xticks(xs, [printable(row.label) for row in table.rows])
        axes.set_xlabel(table.heading, fontsize=_SIZE, labelpad=2)
        some = [at for at in used if table.measures[at].kind == kind]
        lines = [[_span(row.cells[at], table.measures[at]) for row in table.rows] for at in some]
        even = [0.0] if kind in _SIGNED else []
        rows = [(s.value, s.low, s.high) for line in lines for s in line]
        low, high = _wider(*axis_range(rows, marks=even), 0.03)
        axes.set_ylim(low, high)
        for mark in even:
            axes.axhline(mark, color=TEXT, linewidth=0.9, dashes=(3, 2), alpha=0.7, clip_on=False)
        ends = []
        for number, (at, line) in enumerate(zip(some, lines, strict=True)):
            colour, marker = SERIES[number % 6], _MARKERS[number % 6]
            inside = [s.value if low <= s.value <= high else math.nan for s in line]
            begins = [max(s.low, low) if s.known and s.low <= high else math.nan for s in line]
            stops = [min(s.high, high) if s.known and s.high >= low else math.nan for s in line]
            style = {"color": colour, "clip_on": False}
            axes.fill_between(xs, begins, stops, alpha=0.16, linewidth=0, **style)
            axes.plot(xs, inside, marker=marker, markersize=3.4, linewidth=1.2, **style)
            last = [value for value in inside if value == value]
            ends.append((last[-1] if last else low, names[at], colour))
        _name_lines(axes, ends, (high - low) * _LINE / height)
        _ticks(axes.yaxis, low, high, kind in _SIGNED, height)
        axes.grid(False, axis="x")
    return ["bands: the intervals", *(["dashed: 0"] if even else [])]


def _name_lines(axes: Any, ends: list[tuple[float, str, str]], apart: float) -> None:
    """Write names beside the ends of lines, moved up where they would overlap."""
    x = axes.get_xlim()[1]
    least = -math.inf
    for value, name, colour in sorted(ends):
        least = max(value, least + apart)
        axes.annotate(
            name,
            (x, least),
            (3, 0),
            textcoords="offset points",
            color=colour,
            va="center",
            annotation_clip=False,
        )
