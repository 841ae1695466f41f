"""Figures as tables: for the terminal, and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from .baseline import Change

__all__ = ["bench_table", "changes_table", "markdown", "number", "provenance"]


def number(value: float) -> str:
    """Three significant digits, or all before the point; millions with an M.

    >>> number(58_912_345.0), number(163_456.7), number(71.94), number(7.2), number(0.98765)
    ('58.9M', '163,457', '71.9', '7.20', '0.988')
    """
    if value >= 1e6:
        return f"{number(value / 1e6)}M"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:,.{digits}f}"


def _target(figure: Mapping[str, Any]) -> str:
    """What the median is meant to be, and whether it is."""
    target = figure["target"]
    if target is None:
        return ""
    more = figure["more_is_better"]
    missed = figure["median"] < target if more else figure["median"] > target
    return f"{'>=' if more else '<='} {number(target)}{', missed' if missed else ''}"


def _spread(figure: Mapping[str, Any]) -> str:
    if figure["rounds"] == 1:
        return "once"
    low, high = figure["quartiles"]
    return f"{number(low)} to {number(high)}"


def bench_table(data: Mapping[str, Any]) -> Table:
    """The figures of `bench` as a rich table."""
    table = Table("", box=SIMPLE_HEAD)
    for heading in ("median", "", "middle half", "target"):
        table.add_column(heading, justify="left" if heading in ("", "target") else "right")
    for group, figures in _grouped(data):
        table.add_row(f"[bold]{group}[/]")
        for figure in figures:
            table.add_row(
                f"  {figure['label']}",
                number(figure["median"]),
                figure["unit"],
                _spread(figure),
                _target(figure),
            )
    return table


def _grouped(data: Mapping[str, Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The figures by group; a label is left out where it is that of the figure above."""
    for group, figures in groupby(data["figures"].values(), key=lambda figure: figure["group"]):
        rows: list[dict[str, Any]] = []
        last = ""
        for figure in figures:
            rows.append({**figure, "label": "" if figure["label"] == last else figure["label"]})
            last = figure["label"]
        yield group, rows


def changes_table(changes: Sequence[Change]) -> Table:
    """A comparison as a rich table."""
    table = Table("", box=SIMPLE_HEAD)
    for heading in ("before", "now", "", "ratio", ""):
        table.add_column(heading, justify="right" if heading else "left")
    for group, of in groupby(changes, key=lambda change: change.group):
        table.add_row(f"[bold]{group}[/]")
        last = ""
        for change in of:
            label = "" if change.label == last else change.label
            last = change.label
            before, now = number(change.old), number(change.new)
            ratio = f"{change.ratio:.3f}"
            table.add_row(f"  {label}", before, now, change.unit, ratio, change.verdict)
    return table


def markdown(data: Mapping[str, Any]) -> str:
    """The figures of `bench` as a Markdown table, with where they come from below it."""
    lines = ["| | median | | middle half | target |", "|---|--:|---|--:|---|"]
    for group, figures in _grouped(data):
        lines.append(f"| **{group}** | | | | |")
        lines += [
            f"| {figure['label']} | {number(figure['median'])} | {figure['unit']} "
            f"| {_spread(figure)} | {_target(figure)} |"
            for figure in figures
        ]
    return "\n".join([*lines, "", provenance(data), ""])


def provenance(data: Mapping[str, Any]) -> str:
    """Lines about machine, versions, date, rounds, load, and what was played."""
    of, plan = data["machine"], data["plan"]
    before, after = data["load"]
    decisions = "; ".join(
        f"{each['decisions'] / each['deals']:.1f} in a {bot} deal, "
        f"{each['choices'] / each['deals']:.1f} of them choices"
        for bot, each in data["counts"].items()
    )
    versions = ", ".join(f"{name} {version}" for name, version in data["versions"].items())
    return (
        f"{of['processor']}, {of['cores']} cores, {of['system']}, {of['code']} code; {versions}; "
        f"{data['date']}; medians of {plan['rounds']} rounds of about {plan['deals']:,} deals.\n"
        f"Decisions: {decisions}.\n"
        f"Load before and after: {before} and {after}; an idle machine has about 0 and 1.\n"
        f"Signature of what is played: {data['signature']}"
    )
