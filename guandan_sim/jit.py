"""How kernels are compiled: one decorator, and a cache that can never be stale.

Numba's own cache does not notice that a function called from another file was edited. So the cache
lives outside the package in a folder named after a hash of every kernel source, of the versions
that matter and of the processor: another source, another folder (see `stored`). A read-only install
works, and two versions side by side do not disturb each other.

With ``NUMBA_DISABLE_JIT=1`` the same functions run as plain Python, for debugging.
"""

from __future__ import annotations

import hashlib
import os
import platform
import stat
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np
import platformdirs
from numba import types
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.core.targetconfig import ConfigStack
from numpy.typing import NDArray

from .cpu import VECTORS
from .linked import LinkedCompiler
from .stored import Stored

__all__ = [
    "BOT_ARGUMENTS",
    "DISABLED",
    "KERNEL_OPTIONS",
    "Rows",
    "Words",
    "accept_first_class_functions",
    "cache_dir",
    "compile_function",
    "entry",
    "kernel",
    "opened",
    "source_key",
]

#: What kernels take: int64 vectors (a state, a view, a buffer) and tables of rows.
Words = NDArray[np.int64]
Rows = NDArray[np.int64]

#: Argument types of a bot's functions, (view, scratch, out); they return an integer, 0 for a choice
#: made.
BOT_ARGUMENTS = (
    types.Array(types.int64, 1, "C", readonly=True),
    types.Array(types.int64, 1, "C"),
    types.Array(types.int64, 1, "C"),
)

DISABLED: bool = bool(numba.config.DISABLE_JIT)

_PACKAGE = Path(__file__).parent
# A file that is missing here only costs a recompilation when it is edited; no kernel may be listed.
_NOT_COMPILED = {
    "__init__.py",
    "__main__.py",
    "aggregates.py",
    "arena.py",
    "arms.py",
    "baseline.py",
    "bradleyterry.py",
    "checks.py",
    "cli.py",
    "cluster.py",
    "columns.py",
    "contrasts.py",
    "decisions.py",
    "designs.py",
    "differences.py",
    "elo.py",
    "errors.py",
    "estimates.py",
    "exact.py",
    "experiments.py",
    "failures.py",
    "figures.py",
    "filters.py",
    "findings.py",
    "finishes.py",
    "fingerprint.py",
    "folders.py",
    "hashing.py",
    "history.py",
    "interrupts.py",
    "intervals.py",
    "joins.py",
    "logparts.py",
    "logrows.py",
    "machine.py",
    "manifest.py",
    "matchpairs.py",
    "meetings.py",
    "moves.py",
    "options.py",
    "outcomes.py",
    "packing.py",
    "pagesvg.py",
    "paired.py",
    "parts.py",
    "plans.py",
    "player.py",
    "playing.py",
    "pools.py",
    "problems.py",
    "processes.py",
    "progress.py",
    "python.py",
    "pythonloop.py",
    "ratings.py",
    "remote.py",
    "replay.py",
    "reporthtml.py",
    "reportpage.py",
    "rulebook.py",
    "rulefiles.py",
    "rulestables.py",
    "rulewords.py",
    "runs.py",
    "runwriter.py",
    "schemapage.py",
    "schemas.py",
    "sessions.py",
    "settings.py",
    "signing.py",
    "simulate.py",
    "sprt.py",
    "starting.py",
    "stats.py",
    "steps.py",
    "summarytable.py",
    "table.py",
    "tables.py",
    "tally.py",
    "thinking.py",
    "timing.py",
    "transcript.py",
    "verify.py",
    "view.py",
    "viewwords.py",
    "warming.py",
    "workers.py",
    "workloads.py",
    "writing.py",
}


def accept_first_class_functions() -> None:
    """Keep Numba from warning, or under ``-W error`` failing, each time that a bot is passed.

    It calls first-class functions experimental. The filter goes before any that came since.
    """
    warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)


def source_key(*extra: bytes) -> str:
    """Twenty hex digits that change with any kernel source, version, processor or extra bytes."""
    digest = hashlib.sha256()
    versions = (numba.__version__, llvmlite.__version__, np.__version__, platform.python_version())
    processor = (
        numba.config.CPU_NAME or llvm.get_host_cpu_name(),
        numba.config.CPU_FEATURES,
        llvm.get_host_cpu_features().flatten(),
    )
    digest.update(repr((versions, VECTORS, processor)).encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        if path.name not in _NOT_COMPILED and path.parent.name not in (
            "answers",
            "commands",
            "templates",
        ):
            digest.update(path.relative_to(_PACKAGE).as_posix().encode())
            digest.update(path.read_bytes())
    for item in extra:
        digest.update(item)
    return digest.hexdigest()[:20]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def cache_dir(*extra: bytes) -> Path:
    """The folder of the compiled kernels: ``GUANDAN_SIM_CACHE``, else the user's cache, else a
    temporary one.
    """
    key = source_key(*extra)
    chosen = os.environ.get("GUANDAN_SIM_CACHE")
    roots = [Path(chosen)] if chosen else []
    roots.append(Path(platformdirs.user_cache_dir("guandan_sim")))
    for root in roots:
        if _writable(root / key):
            return root / key
    return _own_temporary_folder() / key


def _own_temporary_folder() -> Path:
    """A folder that lasts from start to start, but none that another user may have laid there:
    what is read from it is run.
    """
    if not hasattr(os, "getuid"):
        return Path(tempfile.gettempdir()) / "guandan_sim"
    folder = Path(tempfile.gettempdir()) / f"guandan_sim-{os.getuid()}"
    with suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid():
            folder.chmod(0o700)
            return folder
    return Path(tempfile.mkdtemp(prefix="guandan_sim-"))


_CACHE = cache_dir() if not DISABLED else Path()

#: How kernels are compiled. None allocates: without Numba's memory manager, references to arrays
#: are not counted, which would cost an atomic step at every call.
KERNEL_OPTIONS = {"nogil": True, "error_model": "numpy", "_nrt": False}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile at the first call with the types met; no GIL held, no Python object inside."""
    return function if DISABLED else _dispatcher(getattr(function, "py_func", function), False)


def opened(function: Callable[..., Any]) -> Any:
    """A `kernel` whose code is laid out within every kernel that calls it: for what is small and
    called often. A user's bot calls it as any other: a loop around code laid out in it would take
    seconds to compile.
    """
    return function if DISABLED else _dispatcher(getattr(function, "py_func", function), True)


def _dispatcher(function: Callable[..., Any], opened: bool) -> Any:
    called = numba.njit(**KERNEL_OPTIONS)(function)
    called._cache = Stored(function, _CACHE, bare=True)
    closed = _linked(function, False)
    within_kernels = _linked(function, True) if opened else closed

    def linked() -> Any:
        caller = ConfigStack().top_or_none()
        # Kernels alone are compiled without Numba's memory manager.
        return closed if caller is None or caller.nrt else within_kernels

    def call_template(args: Any, kws: Any) -> Any:
        # Left alone, Numba compiles a kernel once more for every constant that a caller passes.
        return linked().get_call_template(
            tuple(types.unliteral(t) for t in args), {k: types.unliteral(t) for k, t in kws.items()}
        )

    # Python calls the one, compiled code the others.
    called.get_call_template = call_template
    called.get_overload = lambda signature: linked().get_overload(signature)
    return called


def _linked(function: Callable[..., Any], opened: bool) -> Any:
    """What compiled code knows a kernel as."""
    options = KERNEL_OPTIONS | {"forceinline": opened, "pipeline_class": LinkedCompiler}
    dispatcher = numba.njit(**options)(function)
    dispatcher._cache = Stored(function, _CACHE, "-opened" if opened else "-linked", bare=True)
    return dispatcher


def compile_function(
    function: Callable[..., Any],
    arguments: tuple[types.Type, ...],
    *,
    cached: bool = True,
    folder: Path | None = None,
    careful: bool = False,
) -> Any:
    """Compile ``function`` now, for exactly these argument types, cached in ``folder`` (default:
    the kernels').

    ``careful`` code raises for a place outside an array and for a division by zero. Only an
    explicit signature makes Numba take a compiled function as a first-class value. Raises whatever
    Numba raises for code that it cannot type, a write to a read-only array among them.
    """
    if DISABLED:
        return function
    accept_first_class_functions()
    dispatcher = numba.njit(
        nogil=True, error_model="python" if careful else "numpy", boundscheck=careful
    )(function)
    if cached:
        dispatcher._cache = Stored(function, folder or _CACHE)
    dispatcher.compile(arguments)
    dispatcher.disable_compile()
    return dispatcher


def entry(function: Any, arguments: tuple[types.Type, ...]) -> Any:
    """A kernel for exactly these argument types, to be called from Python; compiled if need be."""
    if DISABLED:
        return function
    if arguments not in function.overloads:
        accept_first_class_functions()
        function.compile(arguments)
    return function.overloads[arguments].entry_point
