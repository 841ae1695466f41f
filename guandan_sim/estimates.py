"""What the estimators share: their arrays checked, their results as lines and as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import OptionError
from .intervals import Interval

__all__ = ["cell_lines", "estimate_lines", "json_safe", "same_lengths", "whole_numbers"]


def whole_numbers(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """``values`` as int64[n]. Raises `OptionError` for anything but a row of whole numbers."""
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iub":
        raise OptionError(
            f"{name} has shape {array.shape} and dtype {array.dtype}; "
            "whole numbers in one dimension are needed"
        )
    return array.astype(np.int64)


def same_lengths(**arrays: NDArray[Any]) -> int:
    """The length that all have. Raises `OptionError` if they differ or are empty."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) != 1:
        raise OptionError(f"lengths are {lengths}; the same length is needed")
    number = next(iter(lengths.values()))
    if number == 0:
        raise OptionError(f"{', '.join(lengths)} are empty; at least one set is needed")
    return number


def json_safe(value: Any) -> Any:
    """``value`` with tuples as lists, and None for each float that JSON cannot write.

    >>> json_safe({"se": math.nan, "interval": (0.5, math.inf)})
    {'se': None, 'interval': [0.5, None]}
    """
    if isinstance(value, dict):
        return {key: json_safe(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_safe(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def estimate_lines(
    rows: list[tuple[str, float, float, Interval, str, float]], confidence: float
) -> list[str]:
    """Lines of a table from (name, estimate, standard error, interval, format, factor) by row."""

    def number(value: float, form: str) -> str:
        return "-" if math.isnan(value) else format(value, form)

    cells = [("", "estimate", "error", f"{100 * confidence:g}% interval")]
    for name, estimate, error, (low, high), form, factor in rows:
        low_text, high_text = number(low * factor, form), number(high * factor, form)
        known = not (math.isnan(low) or math.isnan(high))
        cells.append(
            (
                name,
                number(estimate * factor, form),
                number(error * factor, form.lstrip("+")),
                f"[{low_text}, {high_text}]" if known else "unknown",
            )
        )
    # Intervals begin under each other, while `cell_lines` ends columns so.
    width = max(len(row[3]) for row in cells)
    return cell_lines([(*row[:3], row[3].ljust(width)) for row in cells])


def cell_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table of texts, its columns aligned: the first to the left, others to the right.

    >>> cell_lines([("", "won"), ("a", "7")])
    ['   won', 'a    7']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            f"{cell:{'>' if column else '<'}{widths[column]}}" for column, cell in enumerate(row)
        ).rstrip()
        for row in rows
    ]
