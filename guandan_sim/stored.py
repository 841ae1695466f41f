"""Compiled code on disk: a file for each function and signature, in a folder of one source.

In place of Numba's own cache, which has an index of its files. Two processes that write an index at
once can leave it naming the wrong file; a damaged file ends the program with whatever error comes,
or crashes it; and code is looked for by the path of its source, so that the same package elsewhere
compiles again. Here a file is named after all that tells its code apart, carries a checksum, and
appears whole or not at all. What cannot be read is compiled again, what cannot be written is not.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from .linked import from_parts, is_linked, parts

__all__ = ["Stored"]

_CHECKSUM = hashlib.sha256().digest_size


class Stored(_Cache):  # type: ignore[misc]
    """The cache of one function in ``folder``, which is named after the sources."""

    def __init__(
        self, function: Callable[..., Any], folder: Path, use: str = "", *, bare: bool = False
    ) -> None:
        """``bare``: the code calls nothing of Numba's own library."""
        self._folder = folder
        self._bare = bare
        name = f"{function.__module__}.{function.__qualname__}{use}"
        self._name = name.replace("<locals>.", "")
        self._line = function.__code__.co_firstlineno
        self._enabled = True

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for these argument types; None if there is none that can be read.

        For bare code the context is not refreshed: that brings in Numba's library, which takes
        longer than all else here.
        """
        if not self._enabled:
            return None
        try:
            content = self._path(sig, target_context.codegen()).read_bytes()
        except OSError:
            return None
        checksum, body = content[:_CHECKSUM], content[_CHECKSUM:]
        if hashlib.sha256(body).digest() != checksum:
            return None
        if not self._bare:
            target_context.refresh()
        linked, payload = pickle.loads(body)
        rebuild = from_parts if linked else CompileResult._rebuild
        return rebuild(target_context, *payload)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compile result, if there is a place for it."""
        if not self._enabled or data.lifted or data.library.has_dynamic_globals:
            return
        linked = is_linked(data)
        body = dumps((linked, parts(data) if linked else data._reduce()))
        path = self._path(sig, data.codegen)
        temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}.tmp")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(hashlib.sha256(body).digest() + body)
            os.replace(temporary, path)
        except OSError:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)

    def _path(self, sig: Any, codegen: Any) -> Path:
        told = repr((self._line, sig, codegen.magic_tuple()))
        return self._folder / f"{self._name}-{hashlib.sha256(told.encode()).hexdigest()[:20]}.code"

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        """Forget what is stored of this function."""
        for path in self._folder.glob(f"{self._name}-*.code"):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
