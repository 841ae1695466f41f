"""Work sent to other processes, which must run the same code.

A bot goes as the names of its functions, which are imported there; what was typed into a session or
made within a function goes with its code. Games depend on code alone, so who gets work refuses it
unless its package and the bots that it imported are those of the sender.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import io
import os
import pickle
import secrets
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, reduce
from pathlib import Path
from typing import Any

import cloudpickle
from numba.core.dispatcher import Dispatcher

from ._version import __version__
from .bots import ROLES, Bot, bot
from .errors import BackendError, BotError, GuandanError, OptionError
from .logrows import load as load_columns
from .playing import Player
from .pools import Stopped
from .workers import PartPlayer, Played, Work

__all__ = ["Failed", "Packed", "pack", "play_packed", "sealed", "stop_packed"]

_PACKAGE = Path(__file__).parent


@dataclass(frozen=True)
class Packed:
    """Work as it is sent; ``token`` is another for each simulation.

    ``code`` is of the package. ``bots`` are pickled, with the `Bot.source` that they must have, or
    None, and the ``folders`` to find their modules in.
    """

    token: str
    code: str
    python: tuple[int, int]
    folders: tuple[str, ...]
    sources: tuple[str | None, ...]
    content: bytes


@dataclass(frozen=True)
class Failed:
    """A part that raised ``error``, whose cause counts if it is of the system.

    It is returned: raised exceptions come back changed, and Dask prints them.
    """

    error: GuandanError
    cause: OSError | None


@cache
def _code() -> str:
    """The package's version and a hash of its source."""
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        digest.update(path.relative_to(_PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return f"{__version__} ({digest.hexdigest()[:12]})"


# When this process began to run it, not after an edit.
_code()


def pack(work: Work) -> Packed:
    """Raises `OptionError` for a bot that cannot be sent."""
    bots = _bots(work)
    for each in {id(each): each for each in bots}.values():
        _dumps(each)
    system = (sys.prefix, sys.base_prefix)
    folders = [os.path.abspath(folder) for folder in sys.path]
    return Packed(
        secrets.token_hex(8),
        _code(),
        sys.version_info[:2],
        tuple(folder for folder in folders if not folder.startswith(system)),
        tuple(None if _by_value(each) else each.source for each in bots),
        _dumps(work),
    )


def _bots(work: Work) -> list[Bot]:
    """The bots of each arm by seat."""
    return [each for arm in work.arms for each in arm.bots]


@dataclass(frozen=True)
class _Call:
    """Reading it calls the function."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return self.function, self.arguments


def sealed(function: Callable[..., Any], *arguments: Any) -> bytes:
    """A call, for `pickle.loads` to make: who only passes it on needs none of this package."""
    return pickle.dumps(_Call(function, arguments))


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Bots without what was compiled of them; compiled functions by name, where they have one."""

    def reducer_override(self, item: Any) -> Any:
        if isinstance(item, Bot):
            if item.built_in or (item.in_python and _found_by_name(item)):
                return bot, (item.name,)
            functions = [getattr(item, role) for role in ROLES]
            # What is sent with its code lies in no file there that would tell these.
            state = {"keys": item.keys} if _by_value(item) else {}
            return Bot, (item.name, *functions, item.version), state
        if isinstance(item, Dispatcher) and _named(item):
            return _import, (item.__module__, item.py_func.__qualname__)
        return super().reducer_override(item)


def _dumps(item: Any) -> bytes:
    file = io.BytesIO()
    try:
        _Pickler(file).dump(item)
    except Exception as error:  # whatever the values that it encloses raise
        name = item.name if isinstance(item, Bot) else "?"
        raise OptionError(
            f"bot {name} cannot be sent to other processes: {error}; put it in a module of its own"
        ) from error
    return file.getvalue()


def _import(module: str, name: str) -> Any:
    __import__(module)
    return reduce(getattr, name.split("."), sys.modules[module])


def _named(function: Any) -> bool:
    """Whether another process can import it."""
    module = getattr(function, "__module__", None)
    if module in (None, "__main__"):
        return False
    with contextlib.suppress(Exception):
        found = _import(module, function.__qualname__)
        return found is function or getattr(found, "py_func", None) is function
    return False


def _found_by_name(each: Bot) -> bool:
    """Whether its name is an import path that leads to it everywhere."""
    module = each.name.partition(":")[0]
    with contextlib.suppress(BotError):
        return module != "__main__" and bot(each.name).play is each.play
    return False


def _by_value(each: Bot) -> bool:
    code = [getattr(each, role) for role in ROLES]
    if each.in_python:
        # An object is sent as what it holds; its code goes by the name of its class.
        code[0] = code[0] if inspect.isclass(code[0]) else type(code[0])
    return not all(map(_named, code))


# What this process has of work that it was sent. Dask works on parts in several threads.
_lock = threading.Lock()
_unpacked: deque[tuple[str, Work]] = deque(maxlen=4)
_playing: set[tuple[str, PartPlayer]] = set()
_stopped: deque[str] = deque(maxlen=1_000)


def play_packed(packed: Packed, first: int, stop: int) -> Played | Failed | None:
    """Play a part and write it; None if the work was stopped."""
    try:
        player = PartPlayer(_unpack(packed), first, stop)
        item = (packed.token, player)
        _playing.add(item)
        try:
            if packed.token in _stopped:
                return None
            return player.run()
        finally:
            _playing.discard(item)
    except Stopped:
        return None
    except GuandanError as error:
        return Failed(error, error.__cause__ if isinstance(error.__cause__, OSError) else None)


def stop_packed(token: str) -> None:
    """Stop what this process plays of this work, and whatever it is given of it later."""
    _stopped.append(token)
    for its, player in list(_playing):
        if its == token:
            player.interrupt()


def _unpack(packed: Packed) -> Work:
    """The work, with its bots compiled. Raises `BackendError`."""
    with _lock:
        for token, known in _unpacked:
            if token == packed.token:
                return known
        here = f"the worker on {socket.gethostname()}"
        if packed.code != _code():
            raise BackendError(
                f"{here} has guandan-sim {_code()}; this run is of {packed.code}: install the "
                "same everywhere, and start the workers anew"
            )
        if None in packed.sources and packed.python != sys.version_info[:2]:
            raise BackendError(
                f"{here} has Python {sys.version_info[0]}.{sys.version_info[1]}, so a bot that is "
                f"in no module cannot be sent from {packed.python[0]}.{packed.python[1]}: put it "
                "in a module"
            )
        sys.path += [folder for folder in packed.folders if folder not in sys.path]
        try:
            work: Work = pickle.loads(packed.content)
        except Exception as error:  # whatever a user's module raises as it is imported
            raise BackendError(
                f"{here} cannot import a bot: {type(error).__name__}: {error}"
            ) from error
        for each, source in zip(_bots(work), packed.sources, strict=True):
            if source is not None and each.source != source:
                raise BackendError(
                    f"{here} has another version of bot {each.name}: copy its files there, and "
                    "start the workers anew"
                )
        _check_shared(work, here)
        for arm in work.arms:
            Player(arm.bots).load()
        load_columns()
        _unpacked.append((packed.token, work))
        return work


def _check_shared(work: Work, here: str) -> None:
    """The run is begun before the parts: where it is not seen, another folder has that name."""
    from .manifest import MANIFEST

    if work.folder is not None and not work.folder.exists(MANIFEST):
        raise BackendError(
            f"{here} does not see the run in {work.folder}: write to a folder that all machines "
            "share"
        )
