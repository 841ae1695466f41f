"""What the compiled code of a user's bot depends on, as the key of its cache and a mark in logs."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["fingerprint"]


def fingerprint(function: Any) -> bytes | None:
    """What a bot's compiled code depends on: files and constants; None if it was typed into a
    session.

    Numba's own cache notices neither an edited callee in another file nor a changed constant.
    Followed are the functions, modules and plain values that a function names, this package's and
    installed ones left out.
    """
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    seen: set[int] = set()
    todo = [function]
    while todo:
        item = todo.pop()
        item = getattr(item, "py_func", item)
        if id(item) in seen:
            continue
        seen.add(id(item))
        if not inspect.isfunction(item):
            digest.update(repr(item).encode())
            continue
        file = Path(inspect.getfile(item))
        if file.is_relative_to(package):
            continue
        if not file.exists():
            return None
        digest.update(file.read_bytes())
        names = item.__code__.co_names
        for value in _named(item.__globals__, names):
            if inspect.isfunction(value) or hasattr(value, "py_func"):
                todo.append(value)
            elif isinstance(value, int | float | str | bool | tuple | np.ndarray):
                digest.update(
                    repr(value).encode() if not isinstance(value, np.ndarray) else value.tobytes()
                )
        for cell in item.__closure__ or ():
            todo.append(cell.cell_contents)
    return digest.digest()


def _named(scope: Mapping[str, Any], names: Sequence[str]) -> Iterator[Any]:
    """The values in ``scope`` under these names; for a module, those of its attributes that are
    named too.
    """
    todo = [scope[name] for name in names if name in scope]
    seen: set[int] = set()
    while todo:
        value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if inspect.ismodule(value):
            todo += [vars(value)[name] for name in names if name in vars(value)]
        else:
            yield value
