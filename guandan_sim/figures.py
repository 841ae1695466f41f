"""Figures of a report's tables, as SVG that stands in a page and takes its colours and font.

They are drawn by matplotlib, which is imported here and nowhere else, without any window or state
of its own. A figure is as wide as a phone; colours are the page's: ``currentColor`` for text,
``--grid`` for lines, ``--s0`` to ``--s5`` for what is shown.
"""

from __future__ import annotations

import io
import math
import re
import statistics
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from .answers.ratios import Estimate
from .answers.statistic import Measure
from .errors import OptionError

if TYPE_CHECKING:
    from .stats import StatTable

__all__ = ["Drawing", "axis_range", "check_matplotlib", "drawing"]

# Inches. A letter of the labels is about so wide.
_WIDTH, _TOP, _BELOW, _GAP, _RIGHT = 3.7, 0.1, 0.27, 0.28, 0.14
_LETTER, _LINE, _ROW = 0.072, 0.15, 0.21
_SIZE = 9

# Colours to draw with, and what the page calls them.
_TEXT, _GRID = "#010101", "#010102"
_SERIES = tuple(f"#0102{number:02x}" for number in range(6))
_OF_PAGE = {_TEXT: "currentColor", _GRID: "var(--grid)"} | {
    colour: f"var(--s{number})" for number, colour in enumerate(_SERIES)
}
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
        "axes.edgecolor": _GRID,
        "axes.labelcolor": _TEXT,
        "font.size": _SIZE,
        "svg.fonttype": "none",
        "svg.hashsalt": "guandan-sim",
        "text.color": _TEXT,
        "text.parse_math": False,
        "xtick.color": _GRID,
        "xtick.labelcolor": _TEXT,
        "ytick.color": _GRID,
        "ytick.labelcolor": _TEXT,
    }
    with matplotlib.style.context(["default", own]):
        figure = Figure(facecolor="none")
        notes = (_lines if table.figure == "line" else _bars)(figure, table, used)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None}, facecolor="none")
    return Drawing(_for_page(text.getvalue(), table.title, prefix), tuple(notes))


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
        ),
        facecolor="none",
    )
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, pad=4, labelsize=_SIZE)
    return axes


def _number(value: float, signed: bool) -> str:
    text = f"{value:+.6g}" if signed and abs(value) > 1e-9 else f"{value:.6g}"
    return "0" if float(text) == 0 else text


def _ticks(axis: Any, most: int, signed: bool) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(most, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _number(value, signed)))
    axis.grid(True, color=_GRID, linewidth=0.7)


def _bars(figure: Any, table: StatTable, used: Sequence[int]) -> list[str]:
    """A panel a measure, two beside each other: bars from 0, or points where a value has a sign."""
    letters = 18 if all(len(row.label) <= 18 for row in table.rows) else 15
    labels = [textwrap.fill(row.label, letters) for row in table.rows]
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
        axes.set_yticks(range(len(labels)), labels if column == 0 else [""] * len(labels))
        measure = table.measures[at]
        exact = [row.exact for row in table.rows] if at == 0 else [None] * len(table.rows)
        spans = [_span(row.cells[at], measure) for row in table.rows]
        notes += _panel(axes, measure, spans, exact)
        _ticks(axes.xaxis, 4 if across == 1 else 3, measure.kind in _SIGNED)
    if "dashed: 0" in notes and "dashed: 50%" in notes:
        notes = ["dashed: 50% or 0", *(note for note in notes if not note.startswith("dashed"))]
    return list(dict.fromkeys(notes))


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
        low, high = max(low, 0.0), high * 1.04
    else:
        low, high = _wider(*axis_range(rows, marks=[*marks, even]), 0.05)
    axes.set_xlim(low, high)
    notes = []
    if even is not None and low <= even <= high:
        axes.axvline(even, color=_TEXT, linewidth=0.9, dashes=(3, 2), alpha=0.7)
        notes.append("dashed: 0" if measure.kind in _SIGNED else "dashed: 50%")
    for at, span in enumerate(spans):
        if _is_cut(axes, at, span, even is None):
            notes.append("arrows: on beyond the axis")
    for at, chance in ticks:
        if low <= chance <= high:
            _point(axes, chance, at, "|", 11, _SERIES[1])
            notes.append("upright ticks: exact by the rules")
    return notes


def _is_cut(axes: Any, at: int, span: _Span, as_bar: bool) -> bool:
    """Draw a row, with an arrow where it goes on beyond the axis; and whether it does."""
    if span.value != span.value:
        return False
    low, high = (float(end) for end in axes.get_xlim())
    if as_bar:
        axes.barh(at, min(span.value, high), height=0.56, color=_SERIES[0], alpha=0.35, linewidth=0)
    elif low <= span.value <= high:
        _point(axes, span.value, at, "o", 4.2, _SERIES[0])
    ends = [span.value]
    if span.known:
        ends += [span.low, span.high]
        if span.low <= high and span.high >= low:
            inside = [max(span.low, low), min(span.high, high)]
            axes.plot(inside, [at, at], color=_SERIES[0], linewidth=1.4, clip_on=False)
    if min(ends) < low:
        _point(axes, low, at, "<", 4.5, _SERIES[0])
    if max(ends) > high:
        _point(axes, high, at, ">", 4.5, _SERIES[0])
    return min(ends) < low or max(ends) > high


def _point(axes: Any, x: float, y: float, marker: str, size: float, colour: str) -> None:
    wide = 1.8 if marker == "|" else 0.0
    axes.plot(
        x, y, marker, color=colour, markersize=size, markeredgewidth=wide, clip_on=False, zorder=3
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
        axes.set_xticks(xs, [row.label for row in table.rows])
        axes.set_xlabel(table.heading, fontsize=_SIZE, labelpad=2)
        some = [at for at in used if table.measures[at].kind == kind]
        lines = [[_span(row.cells[at], table.measures[at]) for row in table.rows] for at in some]
        even = [0.0] if kind in _SIGNED else []
        rows = [(s.value, s.low, s.high) for line in lines for s in line]
        low, high = _wider(*axis_range(rows, marks=even), 0.03)
        axes.set_ylim(low, high)
        for mark in even:
            axes.axhline(mark, color=_TEXT, linewidth=0.9, dashes=(3, 2), alpha=0.7)
        ends = []
        for number, (at, line) in enumerate(zip(some, lines, strict=True)):
            colour, marker = _SERIES[number % 6], _MARKERS[number % 6]
            inside = [s.value if low <= s.value <= high else math.nan for s in line]
            begins = [max(s.low, low) if s.known and s.low <= high else math.nan for s in line]
            stops = [min(s.high, high) if s.known and s.high >= low else math.nan for s in line]
            axes.fill_between(xs, begins, stops, color=colour, alpha=0.16, linewidth=0)
            axes.plot(xs, inside, marker=marker, color=colour, markersize=3.4, linewidth=1.2)
            last = [value for value in inside if value == value]
            ends.append((last[-1] if last else low, names[at], colour))
        _name_lines(axes, ends, (high - low) * _LINE / height)
        _ticks(axes.yaxis, 6, kind in _SIGNED)
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


def _for_page(text: str, title: str, prefix: str) -> str:
    """The SVG as it stands in HTML: without what only a file of its own needs, and with the page's
    colours and font.
    """
    root = ElementTree.fromstring(text)
    kept = _references(root)
    names = {name: f"{prefix}-{number}" for number, name in enumerate(kept)}
    for parent in root.iter():
        for child in list(parent):
            if child.tag.endswith(("}metadata", "}style")):
                parent.remove(child)
    for node in root.iter():
        node.tag = node.tag.partition("}")[2]
        node.text = (node.text or "").strip() or None
        node.tail = None
        attributes = {}
        for key, value in node.attrib.items():
            made = _attribute(key.rpartition("}")[2], value, names)
            if made is not None:
                attributes[key.rpartition("}")[2]] = made
        node.attrib.clear()
        node.attrib.update(attributes)
    view = root.get("viewBox", "")
    root.attrib.clear()
    root.attrib.update({"viewBox": view, "role": "img", "aria-label": title})
    _flatten(root)
    return ElementTree.tostring(root, encoding="unicode")


def _references(root: ElementTree.Element) -> list[str]:
    """Ids that others in it name, in order."""
    found: dict[str, None] = {}
    for node in root.iter():
        for key, value in node.attrib.items():
            if key.endswith("}href"):
                found[value[1:]] = None
            for name in re.findall(r"url\(#([^)]+)\)", value):
                found[name] = None
    return list(found)


def _attribute(key: str, value: str, names: dict[str, str]) -> str | None:
    """An attribute's value for the page; None if it is not needed."""
    if key == "id":
        return names.get(value)
    if key == "href":
        return f"#{names[value[1:]]}"
    if key == "transform" and value.startswith("rotate(-0"):
        return None
    if key == "style":
        rules = [rule.strip() for rule in value.split(";") if rule.strip()]
        kept = [rule.replace(": ", ":") for rule in rules if not rule.startswith("font-family")]
        value = ";".join(_OF_PAGE_RULE.sub(lambda found: _OF_PAGE[found[0]], rule) for rule in kept)
    elif key in ("d", "x", "y", "width", "height"):
        value = _LONG.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), value)
        value = " ".join(value.split())
    return re.sub(r"url\(#([^)]+)\)", lambda found: f"url(#{names[found[1]]})", value)


_OF_PAGE_RULE = re.compile("|".join(_OF_PAGE))
_LONG = re.compile(r"-?\d+\.\d{3,}")


def _flatten(node: ElementTree.Element) -> None:
    """Put what stands in groups that say nothing in their place."""
    children = []
    for child in node:
        _flatten(child)
        if child.tag in ("g", "defs") and not child.attrib and not len(child):
            continue
        children += list(child) if child.tag == "g" and not child.attrib else [child]
    node[:] = children
