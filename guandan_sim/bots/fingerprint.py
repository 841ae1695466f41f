"""What the compiled code of a user's bot depends on, as the key of its cache and a mark in logs."""

from __future__ import annotations

import hashlib
import inspect
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import Enum
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

__all__ = ["fingerprint"]

_PLAIN = int | float | complex | str | bytes | bool | None | np.generic | Enum


_PACKAGE = Path(__file__).parents[1]
_INSTALLED = tuple(
    Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")
)


def fingerprint(function: Any, installed: bool = True) -> bytes | None:
    """What a bot's compiled code depends on: files and constants; None if it was typed into a
    session.

    Numba's own cache notices neither an edited callee in another file nor a changed constant.
    Followed are the functions, classes, modules and plain values that a function names, encloses or
    has as defaults; this package's own functions are left out, and without ``installed`` those of
    all that is installed with Python.
    """
    outside = (_PACKAGE,) if installed else (_PACKAGE, *_INSTALLED)
    digest = hashlib.sha256()
    seen: set[int] = set()
    todo = [("", function)]
    while todo:
        name, item = todo.pop()
        item = getattr(item, "py_func", item)
        digest.update(f"|{name}=".encode())
        if isinstance(item, _PLAIN):
            digest.update(repr(item).encode())
        elif isinstance(item, np.ndarray):
            digest.update(repr((item.dtype, item.shape, item.strides)).encode())
            digest.update(item.tobytes())
        elif isinstance(item, tuple | list):
            todo += [(f"{name}[{place}]", value) for place, value in enumerate(item)]
        elif id(item) not in seen and (inspect.isfunction(item) or inspect.isclass(item)):
            seen.add(id(item))
            file = _file(item)
            if file is None:
                if inspect.isfunction(item):
                    return None
            elif not any(map(file.is_relative_to, outside)):
                digest.update(file.read_bytes())
                if inspect.isfunction(item):
                    todo += _used(item)
    return digest.digest()


def _file(item: Any) -> Path | None:
    """Where a function or class is written; None if in no file."""
    try:
        file = Path(inspect.getfile(item))
    except (TypeError, OSError):
        return None
    return file if file.exists() else None


def _used(function: Any) -> Iterator[tuple[str, Any]]:
    """The values that a function takes from outside, with their names."""
    yield from _named(function.__globals__, _names(function.__code__))
    for number, cell in enumerate(function.__closure__ or ()):
        with suppress(ValueError):  # what it is to hold is not yet there
            yield f"cell {number}", cell.cell_contents
    yield "defaults", function.__defaults__ or ()


def _names(code: CodeType) -> list[str]:
    """The names in a function and in those within it, comprehensions among them."""
    within = [value for value in code.co_consts if isinstance(value, CodeType)]
    return [*code.co_names, *(name for inner in within for name in _names(inner))]


def _named(scope: Mapping[str, Any], names: list[str]) -> Iterator[tuple[str, Any]]:
    """The values in ``scope`` under these names; for a module, those of its attributes that are
    named too.
    """
    todo = [(name, scope[name]) for name in dict.fromkeys(names) if name in scope]
    seen: set[int] = set()
    while todo:
        path, value = todo.pop()
        if not inspect.ismodule(value):
            yield path, value
        elif id(value) not in seen:
            seen.add(id(value))
            inside = vars(value)
            todo += [(f"{path}.{name}", inside[name]) for name in names if name in inside]
